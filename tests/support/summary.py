#!/usr/bin/env python3
"""Counts the tests of ctest's JUnit reports: summary.py REPORT.xml...

Prints the lines `figure: ...` of all tests, names what failed and why each skipped test was skipped; the
last line is the count. Exits 1 when a test failed or none ran.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree

# `SKIP: reason` of the process tests, or the line after GoogleTest's "Skipped".
SKIP_REASON = re.compile(r"^SKIP: (.+)$|: Skipped\n(.+)$", re.MULTILINE)


def skip_reason(case):
    found = SKIP_REASON.search(case.findtext("system-out") or "")
    if found:
        return (found.group(1) or found.group(2)).strip()
    return case.find("skipped").get("message", "no reason given")


def main():
    passed, failed, skipped = 0, [], []
    for path in sys.argv[1:]:
        build = path.rsplit("/", 1)[-1].removesuffix(".xml")
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            for figure in re.findall("^figure: .*$", case.findtext("system-out") or "", re.MULTILINE):
                print(figure)
            name = f"{case.get('name')} ({build})"
            status = case.get("status")
            if status == "run":
                passed += 1
            elif status == "notrun" and case.find("skipped") is not None and case.find(
                    "skipped").get("message", "").startswith("SKIP"):
                skipped.append(f"{name}: {skip_reason(case)}")
            else:
                failed.append(name)
    for name in failed:
        print(f"failed: {name}")
    for line in skipped:
        print(f"skipped: {line}")
    print(f"tests: {passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
