"""Starts the C++ hammer (tests/support/hammer) and reads its report."""

import collections
import json
import os
import pathlib
import signal
import subprocess
import zlib

RELEASE = pathlib.Path(__file__).resolve().parents[2] / "build" / "release"
BINARY = os.environ.get("SERVERY_HAMMER", str(RELEASE / "tests/support/hammer"))


def expectation(path, body):
    return f"{path}={len(body)}:{zlib.crc32(body):x}"


class Hammer:
    """Running load; `report` is the JSON object of its end."""

    def __init__(self, address, *arguments):
        target = f"unix:{address}" if isinstance(address, str) else f"{address[0]}:{address[1]}"
        command = [BINARY, "--connect", target, *map(str, arguments)]
        self.report = None
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        if "running" not in line:
            raise AssertionError("hammer: " + line + self.process.stderr.read())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.report is None:
            self.process.kill()
            self.process.communicate()

    def next_stage(self):
        """Failures of connections that begin from now on carry the next stage's number."""
        self.process.send_signal(signal.SIGUSR1)
        line = self.process.stderr.readline()
        if "stage" not in line:
            raise AssertionError("hammer: " + line)

    def stop(self, timeout=60):
        """Ends the load, waits for what is open, returns the report."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait(timeout)

    def wait(self, timeout=600):
        output, _ = self.process.communicate(timeout=timeout)
        self.report = json.loads(output)
        return self.report

    def describe(self):
        modes = ", ".join(f"{name} {counts['completed']}" for name, counts in self.report["modes"].items())
        text = (f"{self.report['completed']} answered ({modes}), {self.report['failed']} failed, "
                f"{self.report['connect_failed']} connects failed, {self.report['stale_closes']} stale closes")
        stale = {name: counts["stale_closes"] for name, counts in self.report["modes"].items()
                 if counts["stale_closes"]}
        lost = collections.Counter((failure["mode"], failure["reason"]) for failure in self.report["failures"])
        return text + (f", stale by mode {stale}" if stale else "") + (f", lost {dict(lost)}" if lost else "")
