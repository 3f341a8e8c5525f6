"""Lists the process tests for CMake, one line each: `MODULE.CLASS.METHOD TIMEOUT SERIAL LABEL...`.

A class may set TIMEOUT (seconds), SERIAL (nothing beside it: it measures time or fills the machine)
and SANITIZER (also run in the sanitizer build).
"""

import pathlib
import unittest


def cases(suite):
    for entry in suite:
        if isinstance(entry, unittest.TestSuite):
            yield from cases(entry)
        else:
            yield entry


def main():
    here = pathlib.Path(__file__).parent
    for path in sorted([*here.glob("test_*.py"), *here.glob("figures_*.py")]):
        for case in cases(unittest.defaultTestLoader.loadTestsFromName(path.stem)):
            labels = ["full"] if path.stem.startswith("figures_") else ["process"]
            if not getattr(case, "SANITIZER", False):
                labels.append("no_sanitizer")
            serial = "ON" if getattr(case, "SERIAL", False) else "OFF"
            print(case.id(), getattr(case, "TIMEOUT", 60), serial, *labels)


if __name__ == "__main__":
    main()
