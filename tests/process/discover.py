"""Lists the tests of a directory for CMake, one line each: `MODULE.CLASS.METHOD TIMEOUT SERIAL LABEL...`.

A class may set TIMEOUT (seconds), SERIAL (nothing beside it: it measures time or fills the machine)
and SANITIZER (also run in the sanitizer build).
"""

import pathlib
import sys
import unittest

LABELS = {"test": "process", "figures": "full", "clients": "interop"}  # by a file's first word


def cases(suite):
    for entry in suite:
        if isinstance(entry, unittest.TestSuite):
            yield from cases(entry)
        else:
            yield entry


def main():
    directory = pathlib.Path(sys.argv[1])
    sys.path.insert(0, str(directory))
    for path in sorted(directory.glob("*_*.py")):
        label = LABELS.get(path.stem.partition("_")[0])
        if label is None:
            continue
        for case in cases(unittest.defaultTestLoader.loadTestsFromName(path.stem)):
            labels = [label]
            if not getattr(case, "SANITIZER", False):
                labels.append("no_sanitizer")
            serial = "ON" if getattr(case, "SERIAL", False) else "OFF"
            print(case.id(), getattr(case, "TIMEOUT", 60), serial, *labels)


if __name__ == "__main__":
    main()
