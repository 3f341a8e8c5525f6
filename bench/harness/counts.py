"""Counts that do not depend on how fast or how busy the machine is: system calls (strace -c) and user
instructions (callgrind) per request."""

import collections
import re
import signal
import subprocess

import servers

FEW, MANY = 1_000, 5_000  # requests of the two runs whose difference counts
TRACED = 12_000
# `COUNT (SHARE%)  FILE:FUNCTION(ARGUMENTS) [PROGRAM]`
ANNOTATED = re.compile(r"^\s*([\d,]+) \([\s\d.]+%\)\s+(.+?)(?: \[[^\]]*\])?$", re.MULTILINE)
CALL = re.compile(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", re.MULTILINE)


def system_calls(session, running, row, requests=TRACED):
    """{name: calls per request} of the processes that serve, their start left out."""
    summary = session.work / "strace"
    serving = running.pids()[1:] or running.pids()  # not the one that only watches over workers
    command = ["strace", "-c", "-f", "-o", summary]
    for pid in serving:
        command += ["-p", pid]
    strace = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True)
    for _ in serving:
        line = strace.stderr.readline()  # once all are attached, everything is counted
        if "attached" not in line:
            strace.kill()
            strace.communicate()
            raise PermissionError(line.strip())
    result = session.load(running, row, ("--requests", requests))
    strace.send_signal(signal.SIGINT)
    strace.communicate(timeout=60)
    if result["void"]:
        raise RuntimeError(f"wrong answers under strace: {result['error_kinds']}")
    calls = collections.Counter()
    for count, name in CALL.findall(summary.read_text()):
        if name != "total":
            calls[name] += int(count)
    return {name: count / requests for name, count in calls.most_common()}


def callgrind(session, server, row, requests):
    """The profile of the process that served, from its start to its end."""
    for old in session.work.glob("callgrind.*"):
        old.unlink()
    prefix = ("env", f"LD_PRELOAD={servers.OPENAT2_SHIM}", "valgrind", "-q", "--tool=callgrind", "--trace-children=yes",
              f"--callgrind-out-file={session.work}/callgrind.%p")
    running = session.start(server, row, prefix=prefix, one_process=True)
    try:
        result = session.load(running, row, ("--requests", requests))
    finally:
        running.stop()
    if result["void"]:
        raise RuntimeError(f"wrong answers under callgrind: {result['error_kinds']}")
    return max(session.work.glob("callgrind.*"), key=total)


def total(profile):
    found = re.search(r"^(?:summary|totals): (\d+)", profile.read_text(), re.MULTILINE)
    return int(found.group(1)) if found else 0


def instructions(session, server, row, few=FEW, many=MANY):
    """User instructions per request: two runs that differ only in their number of requests."""
    counts = [total(callgrind(session, server, row, requests)) for requests in (few, many)]
    return (counts[1] - counts[0]) / (many - few)


def functions(session, server, row, requests=5_000, lines=40):
    """Where the instructions go: [(per request, function)], most first. The start is in it, thinly spread."""
    profile = callgrind(session, server, row, requests)
    text = subprocess.run(["callgrind_annotate", "--auto=no", "--threshold=99", profile], capture_output=True,
                          text=True, check=True).stdout
    costs = collections.Counter()
    for count, name in ANNOTATED.findall(text):
        if ":" in name:  # else: the total
            costs[function_of(name)] += int(count.replace(",", "")) / requests
    return [(count, name) for name, count in costs.most_common(lines)]


def function_of(text):
    """`FILE:FUNCTION(ARGUMENTS)` without file and arguments; what was inlined into a function belongs to it."""
    return text.partition(":")[2].replace("(anonymous namespace)::", "").partition("(")[0] or text
