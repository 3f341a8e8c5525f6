#!/usr/bin/env python3
"""Plays the contract cases of static files against servery, nginx, apache2 and lighttpd, all over the same
trees, and prints where their answers differ. Writes the tables in docs/interop.md; `--check` only compares.

Fails when servery itself differs, when a clause is not judged in rules.json, and when the document is not up
to date; with `--check`, a server that is not there is a skip (77).
"""

import json
import pathlib
import sys
import tempfile

import document
import fairness
import servers

sys.path.insert(0, str(servers.HERE.parent / "contract"))

import h1_client  # noqa: E402
import run  # noqa: E402

DOCUMENT = servers.HERE.parent.parent / "docs" / "interop.md"
TIMEOUT = 5


def play(suite_cases, address):
    """{case name: what came} and how many answers were allowed ones, but not the first named."""
    judge = fairness.Judge()
    player = run.Player(address, TIMEOUT, judge.problems)
    differing = {}
    for case in suite_cases:
        try:
            found = [text.partition(": ")[2] for text in player.play(case)]
        except (h1_client.Broken, OSError, ValueError, LookupError) as error:
            found = [f"{type(error).__name__}: {error}"]
        if found:
            differing[case["name"]] = "; ".join(found)
    return differing, judge.other


class Score:
    def __init__(self, name, version):
        self.name = name
        self.version = version
        self.played = self.other = 0
        self.differing = {}  # (suite, case): what came

    def add(self, suite, cases, result):
        differing, other = result
        self.played += len(cases)
        self.other += other
        self.differing.update({(suite, case): came for case, came in differing.items()})

    def against(self, level, judged):
        """How many answers break a MUST (or SHOULD), and of how many kinds: cases ask some more than once."""
        rules = [judged[key]["says"] for key in self.differing if judged[key]["level"] == level]
        return f"{len(rules)} (of {len(set(rules))} kinds)" if len(set(rules)) > 1 else str(len(rules))


def own_server(directory, site):
    config = {"schema": 1, "hosts": ["*"], "runtime": {"workers": 1},
              "listeners": [{"address": "127.0.0.1:0"}],
              "routes": [{"path": "/", "static": {"root": str(site)}}]}
    return servers.Own(directory, config=json.dumps(config)).wait_ready()


def play_suite(directory, name, files, cases, peers, scores):
    """One tree for all; each server has it for as long as its cases take."""
    place = directory / name
    place.mkdir()
    site = place / "site"
    run.make_tree(site, files)
    own = own_server(place, site)
    try:
        scores["servery"].add(name, cases, play(cases, own.address()))
    finally:
        clean = own.stop_clean()
    if not clean:
        raise AssertionError("servery did not end clean:\n" + "\n".join(own.lines))
    for peer in peers:
        peer.start(place, site)
        try:
            scores[peer.name].add(name, cases, play(cases, peer.address))
        finally:
            peer.stop()


def play_all(suites, peers):
    scores = {"servery": Score("servery", servers.own_version())}
    scores.update({peer.name: Score(peer.name, peer.version()) for peer in peers})
    with tempfile.TemporaryDirectory(prefix="servery-interop-") as made:
        directory = pathlib.Path(made)
        directory.chmod(0o755)  # the servers drop to users of their own
        for name, files, cases in suites:
            play_suite(directory, name, files, cases, peers, scores)
    return list(scores.values())


def judge(suites, scores):
    """{(suite, case): {clause, expected, level, says}} of every case that somebody answers differently."""
    rules = json.loads((servers.HERE / "rules.json").read_text(encoding="utf-8"))
    unused = set(rules)
    judged = {}
    for name, _, cases in suites:
        for case in cases:
            key = (name, case["name"])
            if any(key in score.differing for score in scores):
                rule = ": ".join(key) if ": ".join(key) in rules else case["rfc"]
                if rule not in rules:
                    raise ValueError(f"rules.json says nothing of {rule}: {key}")
                unused.discard(rule)
                judged[key] = {"clause": case["rfc"], "expected": document.describe(case), **rules[rule]}
    if unused:
        raise ValueError(f"rules.json: nobody differs in {sorted(unused)}")
    return judged


def report(scores, judged):
    for score in scores:
        agreeing = score.played - len(score.differing)
        print(f"figure: interop: {score.name} {score.version}: {score.played} cases, {agreeing} agreeing "
              f"({score.other} of them by another answer that is allowed), "
              f"{score.against('MUST', judged)} against a MUST, "
              f"{score.against('SHOULD', judged)} against a SHOULD")
        for key, came in score.differing.items():
            found = judged[key]
            print(f"  {key[0]}: {key[1]} ({found['clause']}, {found['level']}): "
                  f"expected {found['expected']}, got {came}")


def main():
    check = sys.argv[1:] == ["--check"]
    peers, missing = servers.peers()
    if missing:
        print(f"SKIP: not installed: {', '.join(missing)}")
        return 77 if check else 1
    suites = fairness.suites()
    scores = play_all(suites, peers)
    judged = judge(suites, scores)
    report(scores, judged)
    text = DOCUMENT.read_text(encoding="utf-8")
    written = text.partition(document.HEADING)[0] + document.generated(scores, judged)
    if not check:
        DOCUMENT.write_text(written, encoding="utf-8")
    elif text != written:
        print(f"{DOCUMENT.name} is not up to date: run tests/interop/peers.py")
    return 1 if scores[0].differing or (check and text != written) else 0


if __name__ == "__main__":
    sys.exit(main())
