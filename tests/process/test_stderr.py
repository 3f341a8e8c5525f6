"""A stderr that takes nothing holds nobody up: a reader that stalls, a full disk, no stderr at all."""

import fcntl
import json
import os
import signal
import socket
import subprocess

from case import ServeryCase
from servery import BINARY, run_command, wait_until


def first_worker(control):
    status = json.loads(run_command("status", "--json", "--control", control).stdout)
    return status["workers"][0]


class NobodyReads(ServeryCase):
    def crash_a_worker(self, control):
        """Its report goes nowhere; it ends all the same."""
        pid = first_worker(control)["pid"]
        os.kill(pid, signal.SIGABRT)
        wait_until(lambda: first_worker(control)["pid"] not in (pid, None), 10, "another worker")
        self.assertEqual(first_worker(control)["last_exit"]["reason"], "crashed")

    def assert_lives(self, stderr=subprocess.DEVNULL, prefix=()):
        config = self.write("servery.yaml", self.site_config())
        control = self.directory / "servery.sock"
        path = str(self.directory / "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.bind(path)
            notify.settimeout(20)
            process = subprocess.Popen([*prefix, BINARY, "serve", "-c", config, "--control", control],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr,
                                       env={**os.environ, "NOTIFY_SOCKET": path})
            self.addCleanup(process.kill)
            while b"READY=1" not in notify.recv(65536):
                pass
            self.crash_a_worker(control)
            for command in ("status", "reload", "status", "stop"):
                done = run_command(command, "--control", control)
                self.assertEqual(done.returncode, 0, (command, done.stderr))
            self.assertEqual(process.wait(10), 0)

    def test_a_pipe_that_is_full(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, writer)
        os.write(writer, bytes(fcntl.fcntl(writer, fcntl.F_GETPIPE_SZ)))
        self.assert_lives(writer)

    def test_a_pipe_whose_reader_has_left(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, writer)
        os.close(reader)
        self.assert_lives(writer)

    def test_a_full_disk(self):
        with open("/dev/full", "wb") as full:
            self.assert_lives(full)

    def test_closed_descriptors(self):
        self.assert_lives(prefix=("sh", "-c", 'exec "$0" "$@" <&- >&- 2>&-'))

    def test_an_answer_that_cannot_be_written_is_a_failure(self):
        config = self.write("servery.yaml", self.site_config())
        for command in (("config", "-c", config), ("version",)):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([BINARY, *command], stdout=full, stderr=subprocess.DEVNULL, check=False)
            self.assertEqual(done.returncode, 1, command)

    def test_a_usage_error_that_nobody_can_read_keeps_its_code(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([BINARY, "serve", "--nonsense"], stderr=full, check=False)
        self.assertEqual(done.returncode, 2)
