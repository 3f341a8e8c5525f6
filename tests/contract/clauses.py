#!/usr/bin/env python3
"""Writes the tables in docs/http-semantics.md; `--check` only compares.

Each contract case names the rule it comes from; the table of clauses turns that round: clause -> cases.
The cases of other projects that are not met come from tests/suites/exceptions.json, with their reasons.
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENT = HERE.parent.parent / "docs" / "http-semantics.md"
SUITES = HERE.parent / "suites"
EXCEPTIONS_HEADING = "## Cases of others that are not met\n"
EXCEPTIONS_INTRODUCTION = """
Written from `tests/suites/exceptions.json`. A test fails when another case of `tests/suites` is not met, or one of
these is.

| case | asserts and why not |
|---|---|
"""
HEADING = "\n## Clauses and the cases that hold them\n"
INTRODUCTION = """
Written by `tests/contract/clauses.py` from the cases; a test fails when it is not up to date. Every case
is played over every transport.

| clause | cases |
|---|---|
"""


def clause_order(clause):
    """RFC 9110 before RFC 9112, 14.2 before 14.10, what is the server's own behind."""
    found = re.match(r"RFC (\d+) ?([\d.]*)", clause)
    if not found:
        return (1, 0, [], clause)
    numbers = [int(number) for number in found[2].split(".") if number]
    return (0, int(found[1]), numbers, clause)


def table():
    held = {}
    for path in sorted((HERE / "cases").glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
            name = case["name"].replace("|", "\\|").replace("<", "&lt;")
            held.setdefault(case["rfc"], {}).setdefault(path.stem, []).append(name)
    return "".join(
        f"| {clause} | " +
        " · ".join(f"*{file}*: {'; '.join(names)}" for file, names in held[clause].items()) + " |\n"
        for clause in sorted(held, key=clause_order))


def exceptions():
    """A row for each case that is not met, with its reason."""
    lists = json.loads((SUITES / "exceptions.json").read_text(encoding="utf-8"))
    rows = [(case, reason) for cases in lists.values() for case, reason in cases.items()]
    return EXCEPTIONS_INTRODUCTION + "".join(f"| {case} | {reason} |\n" for case, reason in rows)


def main():
    text = DOCUMENT.read_text(encoding="utf-8")
    written = (text.partition(EXCEPTIONS_HEADING)[0] + EXCEPTIONS_HEADING + exceptions() + HEADING +
               INTRODUCTION + table())
    if sys.argv[1:] == ["--check"]:
        if text != written:
            print(f"{DOCUMENT.name} is not up to date: run tests/contract/clauses.py")
        return 0 if text == written else 1
    DOCUMENT.write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
