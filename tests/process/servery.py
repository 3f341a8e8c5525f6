"""A servery process under test: started from the real binary in a fresh directory, steered with the
real commands. Nothing here sleeps for luck: the server's lines say when to look."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time

import processes

RELEASE = pathlib.Path(__file__).resolve().parents[2] / "build" / "release"
BINARY = os.environ.get("SERVERY_BINARY", str(RELEASE / "servery"))


def run_command(*arguments, timeout=20, **options):
    """A servery command to its end: CompletedProcess with text output."""
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True,
                          timeout=timeout, stdin=subprocess.DEVNULL, check=False, **options)


def wait_until(condition, timeout, what):
    """Polls what offers no event (tables in /proc); the value of `condition` once it is true."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout} s: {what}")
        time.sleep(0.005)


class Servery:
    """One supervisor. `arguments` follow `serve`; `config` is written to DIR/servery.yaml, `name` sets
    other servers in DIR apart; `prefix` is a command that starts the server. `control_flag=False` leaves
    the control socket to the configuration."""

    def __init__(self, directory, config=None, arguments=(), name="servery", prefix=(), control_flag=True,
                 binary=None, **popen):
        self.directory = pathlib.Path(directory)
        self.control = self.directory / f"{name}.sock"
        self.config = self.directory / f"{name}.yaml"
        command = [*prefix, str(binary or BINARY), "serve"]
        if config is not None:
            self.config.write_text(config)
            command += ["-c", str(self.config)]
        if control_flag:
            command += ["--control", str(self.control)]
        command += map(str, arguments)
        self.lines = []
        self.ports_seen = set()
        self._changed = threading.Condition()
        self._ended = False
        self.started_at = time.monotonic()
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, **popen)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stderr:
            with self._changed:
                self.lines.append(line.decode(errors="replace").rstrip("\n"))
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    @property
    def pid(self):
        return self.process.pid

    def wait_line(self, text, timeout=10, start=0):
        """Waits for a stderr line that contains `text`; its index."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while True:
                for index in range(start, len(self.lines)):
                    if text in self.lines[index]:
                        return index
                if self._ended or not self._changed.wait(max(0, deadline - time.monotonic())):
                    raise AssertionError(f"no line with {text!r} on stderr:\n" + "\n".join(self.lines))

    def wait_ready(self, timeout=20):
        self.wait_line("servery: ready", timeout)
        self.ready_at = time.monotonic()
        return self

    def command(self, name, *arguments, timeout=20):
        return run_command(name, "--control", self.control, *arguments, timeout=timeout)

    def ask(self, command):
        """One request on the control socket, without the cost of a process: its result. Afterwards the server
        has closed its end too, so that its descriptors can be counted."""
        with socket.socket(socket.AF_UNIX) as control:
            control.settimeout(20)
            control.connect(str(self.control))
            control.sendall(json.dumps({"command": command}).encode() + b"\n")
            result = None
            with control.makefile("rb") as answers:
                for line in answers:
                    answer = json.loads(line)
                    if "exit" in answer:
                        result = answer["result"]
                        control.shutdown(socket.SHUT_WR)
        if result is None:
            raise AssertionError(f"no answer to {command}")
        return result

    def status(self):
        status = self.ask("status")
        for listener in status["listeners"]:
            port = listener["address"].rpartition(":")[2]
            if port.isdigit() and listener["kind"] == "tcp":
                self.ports_seen.add(int(port))
        return status

    def reload(self, *arguments, config=None, timeout=60):
        """Rewrites the file when `config` is given; (exit code, verdict object)."""
        if config is not None:
            self.config.write_text(config)
        result = self.command("reload", "--json", *arguments, timeout=timeout)
        return result.returncode, json.loads(result.stdout)

    def wait_status(self, condition, timeout=10, what="status"):
        """Looks whenever the server logs something, which it does at every change of state; once a second too,
        for what changes without a line. The status that satisfies `condition`."""
        deadline = time.monotonic() + timeout
        while True:
            with self._changed:
                seen = len(self.lines)
            status = self.status()
            if condition(status):
                return status
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {timeout} s: {what}")
            with self._changed:
                self._changed.wait_for(lambda: len(self.lines) > seen or self._ended, 1)

    def address(self, index=0):
        """(host, port) of a TCP listener, or the path of a Unix one."""
        address = self.status()["listeners"][index]["address"]
        if address.startswith("unix:"):
            return address[5:]
        host, _, port = address.rpartition(":")
        return host.strip("[]") or "127.0.0.1", int(port)

    def port(self, index=0):
        return self.address(index)[1]

    def worker_pids(self):
        """By slot; only workers of the serving generation."""
        status = self.status()
        return {worker["slot"]: worker["pid"] for worker in status["workers"]
                if worker["generation"] == status["generation"] and worker["pid"]}

    def send(self, signal_number):
        os.kill(self.pid, signal_number)

    def stop(self, timeout=30):
        """Graceful stop by the command; the exit code of the server."""
        self.command("stop", timeout=timeout)
        return self.wait_exit(timeout)

    def wait_exit(self, timeout=30):
        code = self.process.wait(timeout)
        self._reader.join(timeout)
        self.process.stderr.close()
        return code

    def end(self):
        """Whatever a failed test left: ended for certain, workers too."""
        family = processes.children(self.pid) if self.process.poll() is None else []
        for pid in [self.pid, *family]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self.process.poll() is None:
            self.process.wait(10)
        self._reader.join(10)

    def error_lines(self):
        return [line for line in self.lines if line.split(" ")[1:2] == ["error"]]
