#!/usr/bin/env python3
"""What a kept-alive GET of a 1 KiB file costs a worker: system calls (strace -c) and user instructions
(callgrind), over 64 connections and over one. Prints the figures; with --check, exits 1 when they are
over the limits of the 64-connection case.

Both are counts of the same run under the tool, start-up left out: system calls by attaching to the
ready worker, instructions as the difference of two runs that differ only in their number of requests.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "process"))

from servery import BINARY, Servery, wait_until  # noqa: E402

LOAD = os.environ.get("SERVERY_BENCH_LOAD", "build/release/bench/bench_load")
MAX_SYSTEM_CALLS = 2.2
MAX_INSTRUCTIONS = 4000


def make_site(directory):
    site = directory / "site"
    site.mkdir()
    (site / "file.bin").write_bytes(b"x" * 1024)
    # Old enough to be cached: a file that changed within the clock's tick is not.
    os.utime(site / "file.bin", (1, 1))
    return site


def start(directory, site, prefix=()):
    server = Servery(directory, arguments=[site, "--listen", "127.0.0.1:0", "--workers", "1",
                                           "--set", "runtime.heartbeat={suspect: 60s, warn: 90s, abort: 120s}",
                                           "--set", "runtime.start_timeout=120s"], prefix=prefix)
    return server.wait_ready(120)


def load(server, connections, requests):
    result = subprocess.run([LOAD, str(server.port()), "/file.bin", str(connections), str(requests)],
                            capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


def system_calls(directory, site, connections, requests):
    """Calls per request, and the table of strace."""
    server = start(directory, site)
    try:
        load(server, connections, 1000)
        (pid,) = server.worker_pids().values()
        summary = directory / "strace"
        strace = subprocess.Popen(["strace", "-c", "-f", "-o", summary, "-p", str(pid)],
                                  stderr=subprocess.PIPE, text=True)
        strace.stderr.readline()  # "attached": from here on everything is counted
        load(server, connections, requests)
        strace.send_signal(signal.SIGINT)
        strace.wait(30)
        server.stop()
    finally:
        server.end()
    table = summary.read_text()
    total = re.search(r"^\s*100\.00\s+\S+\s+(?:\S+\s+)?(\d+)\s+(?:\d+\s+)?total$", table, re.MULTILINE)
    return int(total.group(1)) / requests, table


def instructions_of_run(directory, site, connections, requests):
    outputs = directory / "callgrind"
    outputs.mkdir()
    server = start(directory, site, prefix=["valgrind", "-q", "--tool=callgrind", "--trace-children=yes",
                                            f"--callgrind-out-file={outputs}/%p"])
    try:
        (pid,) = server.worker_pids().values()
        load(server, connections, requests)
        server.stop(120)
        output = outputs / str(pid)
        wait_until(output.exists, 30, "callgrind output")
        return int(re.search(r"^(?:summary|totals): (\d+)", output.read_text(), re.MULTILINE).group(1))
    finally:
        server.end()
        shutil.rmtree(outputs)


def instructions(directory, site, connections, few=2000, many=12000):
    counts = [instructions_of_run(directory, site, connections, requests) for requests in (few, many)]
    return (counts[1] - counts[0]) / (many - few)


def main():
    over = []
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        directory.chmod(0o755)
        site = make_site(directory)
        server = start(directory, site)
        rate = load(server, 64, 100000)["per_second"]
        server.stop()
        print(f"{BINARY}, one worker, kept-alive GET of 1 KiB: {rate:.0f} answers/s over 64 connections")
        for connections in (64, 1):
            calls, table = system_calls(directory, site, connections, 20000)
            print(f"{connections:2} connections: {calls:.2f} system calls per request (limit {MAX_SYSTEM_CALLS})")
            print("\n".join(table.splitlines()[:8]))
            count = instructions(directory, site, connections)
            print(f"{connections:2} connections: {count:.0f} user instructions per request (limit {MAX_INSTRUCTIONS})")
            if connections == 64 and (calls > MAX_SYSTEM_CALLS or count > MAX_INSTRUCTIONS):
                over.append(connections)
    return 1 if over and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
