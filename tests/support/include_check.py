#!/usr/bin/env python3
"""Checks every #include of the product folders against tests/include_rules.txt.

Usage: include_check.py ROOT RULES. Prints one line a violation and exits 1, or exits 0.
"""

import fnmatch
import pathlib
import re
import sys

PRODUCT_FOLDERS = ("common", "config", "ipc", "supervisor", "worker")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# <vector>, <cstdint>: no dot and no slash.
STANDARD = re.compile(r"^[a-z0-9_]+$")


class Rule:
    def __init__(self, path, project, headers):
        self.path = path
        self.project = project
        self.headers = headers

    def matches(self, source):
        return source == self.path or source.startswith(self.path + "/")

    def allows_project(self, source, target):
        folder = target.rpartition("/")[0]
        return folder == source.rpartition("/")[0] or target in self.project or folder in self.project

    def allows_header(self, header):
        return any(fnmatch.fnmatchcase(header, pattern) for pattern in self.headers)


def parse_rules(text):
    sets, rules = {}, []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        if line.startswith("@"):
            name, _, patterns = line.partition("=")
            sets[name.strip()] = patterns.split()
            continue
        path, colon, rest = line.partition(":")
        project, semicolon, headers = rest.partition(";")
        if not colon or not semicolon:
            raise ValueError(f"line {number}: expected PATH: PROJECT PATHS ; HEADERS")
        patterns = []
        for word in headers.split():
            patterns += sets[word] if word.startswith("@") else [word]
        rules.append(Rule(path.strip(), project.split(), patterns))
    return rules


def check_file(root, source, rules):
    matching = [rule for rule in rules if rule.matches(source)]
    if not matching:
        return [f"{source}: no rule names this folder"]
    rule = max(matching, key=lambda candidate: len(candidate.path))
    problems = []
    text = (root / source).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        kind, target = found.groups()
        place = f"{source}:{number}"
        if kind == '"':
            if not (root / target).is_file():
                problems.append(f'{place}: "{target}" is not a path from the top of the tree')
            elif not rule.allows_project(source, target):
                problems.append(f'{place}: "{target}" is not allowed by the rule of {rule.path}')
        elif not STANDARD.match(target) and not rule.allows_header(target):
            problems.append(f"{place}: <{target}> is not allowed by the rule of {rule.path}")
    return problems


def check_tree(root, rules):
    problems = []
    for folder in PRODUCT_FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cc"):
                problems += check_file(root, path.relative_to(root).as_posix(), rules)
    return problems


def main():
    root = pathlib.Path(sys.argv[1])
    rules = parse_rules(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
    problems = check_tree(root, rules)
    print("\n".join(problems) or "every include is allowed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
