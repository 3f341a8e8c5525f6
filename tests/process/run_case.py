"""Runs one process test, `MODULE.CLASS.METHOD`: exit 0 passed, 1 failed, 77 skipped (reason printed)."""

import sys
import unittest


def main():
    suite = unittest.defaultTestLoader.loadTestsFromName(sys.argv[1])
    result = unittest.TextTestRunner(verbosity=0).run(suite)
    for _, reason in result.skipped:
        print("SKIP:", reason)
    if not result.wasSuccessful() or result.testsRun != 1:
        return 1
    return 77 if result.skipped else 0


if __name__ == "__main__":
    sys.exit(main())
