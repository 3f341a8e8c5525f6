"""A server under measurement: started pinned, observed through /proc, ended with everything it started."""

import os
import pathlib
import re
import shlex
import signal
import socket
import subprocess
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def descendants(pid):
    """`pid` and all processes it has started, directly or not, that still run."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, todo = [], [pid]
    while todo:
        current = todo.pop()
        found.append(current)
        todo += children.get(current, [])
    return found


def pss_bytes(pids):
    total = 0
    for pid in pids:
        try:
            text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        total += int(re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE).group(1)) * 1024
    return total


class Running:
    """One started server. `prefix` is a command that starts it (a profiler)."""

    def __init__(self, server, work, root, cpus, workers=1, prefix=(), one_process=False):
        self.server = server
        self.port = free_port()
        self.values = {"name": server.name, "port": self.port, "work": work, "root": root, "workers": workers,
                       "program": server.path(), "config": work / f"{server.name}.conf", **server.values}
        text = server.config.format(**self.values)
        if one_process:
            for old, new in server.one_process.items():
                text = text.replace(old, new)
        self.values["config"].write_text(text)
        self.config_text = text
        self.command = ["taskset", "-c", cpus, *prefix, *shlex.split(server.command.format(**self.values))]
        environment = {**os.environ, **{k: v.format(**self.values) for k, v in server.environment.items()}}
        self.log = work / f"{server.name}.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(self.command, cwd=work, env=environment, stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, start_new_session=True)
        self.wait_listening(60)

    def wait_listening(self, seconds):
        end = time.monotonic() + seconds
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                pass
            if self.process.poll() is not None or time.monotonic() > end:
                self.stop()
                raise RuntimeError(f"{self.server.name} does not start: {self.log.read_text()[-600:]}")
            time.sleep(0.02)

    def pids(self):
        return descendants(self.process.pid)

    def reload(self):
        """Asks for a reload; returns when the command has answered (a signal: at once)."""
        if self.server.reload == "HUP":
            self.process.send_signal(signal.SIGHUP)
        else:
            subprocess.run(shlex.split(self.server.reload.format(**self.values)), check=True, capture_output=True,
                           timeout=60)

    def stop(self):
        handles = [handle for handle in map(handle_of, self.pids()) if handle is not None]
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            pass
        for handle in handles:
            try:
                signal.pidfd_send_signal(handle, signal.SIGKILL)
            except ProcessLookupError:
                pass
            os.close(handle)
        self.process.wait()


def handle_of(pid):
    """A descriptor that means this process and never another one that gets its number."""
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return None
