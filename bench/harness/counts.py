"""Counts that do not depend on how fast or how busy the machine is: system calls (strace -c) and user
instructions (callgrind) per request."""

import collections
import re
import signal
import subprocess

CALL = re.compile(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", re.MULTILINE)


def system_calls(session, running, row, requests):
    """{name: calls per request} of all processes of the server, its start left out."""
    summary = session.work / "strace"
    command = ["strace", "-c", "-f", "-o", summary]
    for pid in running.pids():
        command += ["-p", pid]
    strace = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True)
    for _ in running.pids():
        strace.stderr.readline()  # "attached": from here on everything is counted
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


def instructions_of_run(session, server, row, requests):
    """Instructions of the process that served, from its start to its end."""
    for old in session.work.glob("callgrind.*"):
        old.unlink()
    prefix = ("valgrind", "-q", "--tool=callgrind", "--trace-children=yes",
              f"--callgrind-out-file={session.work}/callgrind.%p")
    running = session.start(server, row, prefix=prefix, one_process=True)
    try:
        result = session.load(running, row, ("--requests", requests))
    finally:
        running.stop()
    if result["void"]:
        raise RuntimeError(f"wrong answers under callgrind: {result['error_kinds']}")
    totals = [re.search(r"^(?:summary|totals): (\d+)", path.read_text(), re.MULTILINE)
              for path in session.work.glob("callgrind.*")]
    return max(int(total.group(1)) for total in totals if total)


def instructions(session, server, row, few, many):
    """User instructions per request: two runs that differ only in their number of requests."""
    counts = [instructions_of_run(session, server, row, requests) for requests in (few, many)]
    return (counts[1] - counts[0]) / (many - few)
