"""The regression guard: six rows whose counts are stored in expectations.json and may not change unnoticed. Pure,
but for the store.

With one connection every turn of the loop has exactly one request, so system calls can be demanded to the last one,
but for the waits of the loop.
Over 64 connections the size of a turn depends on the scheduler: there the limits of the product are demanded."""

import pathlib

from rows import Row, SMALL, Target

STORE = pathlib.Path(__file__).resolve().parents[1] / "expectations.json"
INSTRUCTION_SLACK = 0.03
# Fewer calls a request than this are timers and heartbeats; those also wake the loop, a little more often the slower
# the machine is.
BACKGROUND = 0.01
WAITS = ("epoll_wait", "epoll_pwait")
WAIT_SLACK = 0.1
LIMITS = {"keep-64": {"system_calls": 2.2, "instructions": 4000}}

ROWS = (
    Row("keep-64", "1 KiB, kept alive, 64 connections", SMALL, ("--connections", 64)),
    Row("keep-1", "1 KiB, kept alive, 1 connection", SMALL, ("--connections", 1)),
    Row("churn-1", "1 KiB, a connection for each request", SMALL, ("--connections", 1, "--per-connection", 1)),
    Row("pipeline-16", "1 KiB, 16 requests at once, 1 connection", SMALL, ("--connections", 1, "--depth", 16)),
    Row("not-modified", "1 KiB, If-None-Match: 304, 1 connection", (Target("/1k.bin", 304, "-"),), ("--connections", 1),
        if_none_match=True),
    Row("range", "1 KiB out of 8 MiB, 1 connection", (Target("/8m.bin", 206, "8m.bin", (1048576, 1024)),),
        ("--connections", 1), headers=("Range: bytes=1048576-1049599",)),
)
BY_NAME = {row.name: row for row in ROWS}


def settled(calls):
    """Calls per request to two digits, without the background."""
    return {name: round(count, 2) for name, count in sorted(calls.items()) if count >= BACKGROUND}


def total(found):
    return sum(found["system_calls"].values())


def problems(row, found, expected):
    """What is off, one sentence each."""
    over = []
    limits = LIMITS.get(row.name)
    if limits and total(found) > limits["system_calls"]:
        over.append(f"{total(found):.2f} system calls, more than {limits['system_calls']}")
    if limits and found["instructions"] > limits["instructions"]:
        over.append(f"{found['instructions']} instructions, more than {limits['instructions']}")
    if expected is None:
        return [*over, "nothing stored: bench/count --update"]
    if not limits and not same_calls(found["system_calls"], expected["system_calls"]):
        over.append(f"system calls were {describe(expected['system_calls'])}")
    change = found["instructions"] / expected["instructions"] - 1
    if abs(change) > INSTRUCTION_SLACK:
        over.append(f"instructions {100 * change:+.1f} % from {expected['instructions']}")
    return over


def same_calls(found, expected):
    if any(abs(found.get(name, 0) - expected.get(name, 0)) > WAIT_SLACK for name in WAITS):
        return False
    return all(found.get(name, 0) == expected.get(name, 0) for name in {*found, *expected} - {*WAITS})


def describe(calls):
    return " ".join(f"{name}={count:.2f}" for name, count in sorted(calls.items(), key=lambda item: -item[1]))


def line(row, found, expected, off):
    limits = LIMITS.get(row.name)
    bound = f" (limits {limits['system_calls']} and {limits['instructions']})" if limits else ""
    verdict = "; ".join(off) if off else ("as stored" if expected else "")
    return (f"{row.title}: {total(found):.2f} system calls, {found['instructions']} user instructions a request{bound}"
            f": {verdict}\n    {describe(found['system_calls'])}")
