"""Makes the modules of bench/harness importable."""

import pathlib
import sys

HARNESS = pathlib.Path(__file__).resolve().parents[4] / "bench" / "harness"
sys.path.insert(0, str(HARNESS))
