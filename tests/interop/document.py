"""The generated part of docs/interop.md: figures for each server, and what differs, clause by clause."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "contract"))

import clauses  # noqa: E402

HEADING = "## Figures\n"


def describe(case):
    """What a case expects, in a few words."""
    expected = case["expect"] if "expect" in case else case["responses"][0]
    status = expected["status"]
    words = [" or ".join(map(str, status)) if isinstance(status, list) else str(status)]
    for name, value in expected["headers"].items():
        words.append(f"no {name}" if value is None else
                     name if value.startswith("/^") else f"{name}: {value}")
    if "parts" in expected:
        words.append("parts " + ", ".join(expected["parts"]))
    return "; ".join(words)


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def summary_table(scores, judged):
    rows = ["| server | cases | as expected | otherwise, as the clause allows | against a MUST | "
            "against a SHOULD |\n",
            "|---|---|---|---|---|---|\n"]
    for score in scores:
        expected = score.played - score.other - len(score.differing)
        rows.append(f"| {score.name} {score.version} | {score.played} | {expected} | {score.other} | "
                    f"{score.against('MUST', judged)} | {score.against('SHOULD', judged)} |\n")
    return "".join(rows)


def differing_tables(scores, judged):
    peers = scores[1:]
    text = []
    rules = {(found["clause"], found["level"], found["says"]) for found in judged.values()}
    for rule in sorted(rules, key=lambda rule: (clauses.clause_order(rule[0]), rule)):
        clause, level, says = rule
        keys = [key for key, found in judged.items()
                if (found["clause"], found["level"], found["says"]) == rule]
        text.append(f"\n**{clause}** ({level}). {says}\n\n"
                    f"| case | expected | {' | '.join(peer.name for peer in peers)} |\n"
                    f"|---|---|{'---|' * len(peers)}\n")
        for key in keys:
            came = [cell(peer.differing[key]) if key in peer.differing else "" for peer in peers]
            text.append(f"| *{key[0]}*: {cell(key[1])} | {cell(judged[key]['expected'])} | "
                        f"{' | '.join(came)} |\n")
    return "".join(text)


def generated(scores, judged):
    return (HEADING + "\nWritten by `tests/interop/peers.py`; `tests/run --interop` fails when it is not up to "
            "date.\n\n" + summary_table(scores, judged) + "\n## Answers that differ\n\n"
            "An empty cell is an answer that is as expected, or as allowed.\n" +
            differing_tables(scores, judged))
