"""The base of every process test: a fresh directory, servers that are ended, and the leak check.

After each test there must be no process, zombie, listening socket, unexpected file or error line left
of what it started."""

import os
import pathlib
import shutil
import tempfile
import unittest

import http_client
import processes
from servery import Servery

SITE_CONFIG = """schema: 1
runtime: {{workers: {workers}{runtime}}}
listeners: [{listeners}]
hosts: ["*"]
{extra}routes:
  - {{path: /, static: {{root: site}}}}
  - {{path: /health, respond: {{status: 200, body: "ok\\n"}}}}
  - {{path: /sink, methods: any, respond: {{status: 200, body: "ok\\n"}}}}
"""


def figure(name, value, goal=None):
    """One line for `tests/run --full`: what was measured and what it should be."""
    print(f"figure: {name}: {value}" + (f" (goal {goal})" if goal else ""), flush=True)


class ServeryCase(unittest.TestCase):
    EXPECTED_ERRORS = ()  # parts of `error` log lines that this class provokes

    def setUp(self):
        processes.become_subreaper()
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="servery-test-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        # The workers' user must reach the tree, nobody else must write it.
        self.directory.chmod(0o755)
        self.site = self.directory / "site"
        self.write("site/index.html", "<h1>site</h1>\n")
        self.write("site/one-kib.bin", bytes(range(256)) * 4)
        self.servers = []
        self.addCleanup(self._end_servers)

    def write(self, path, content):
        file = self.directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def site_config(self, workers=2, listeners='{address: "127.0.0.1:0"}', runtime="", extra=""):
        return SITE_CONFIG.format(workers=workers, listeners=listeners, extra=extra,
                                  runtime=", " + runtime if runtime else "")

    def start(self, config=None, arguments=(), **options):
        """A server of this test that is not yet ready."""
        server = Servery(self.directory, config, arguments, **options)
        self.servers.append(server)
        return server

    def serve(self, **options):
        """A ready server for the site of this test."""
        return self.start(self.site_config(**options)).wait_ready()

    def get(self, server, target="/", **options):
        return http_client.request(server.address(), "GET", target, **options)

    def assert_serves(self, server):
        answer = self.get(server)
        self.assertEqual((answer.status, answer.body), (200, b"<h1>site</h1>\n"))

    def stop_and_check(self, server):
        """Graceful stop, exit 0, nothing left behind."""
        self.assertEqual(server.stop(), 0)
        self.check_nothing_left()

    def check_nothing_left(self):
        self.assertEqual(processes.children(os.getpid()), [], "processes left behind")
        ports = set().union(*(server.ports_seen for server in self.servers))
        self.assertEqual(ports & processes.listening_ports(), set(), "sockets left behind")
        left = [path.name for path in self.directory.rglob("*")
                if path.is_socket() or path.name.startswith(".") or path.suffix == ".tmp"]
        self.assertEqual(left, [], "files left behind")
        for server in self.servers:
            unexpected = [line for line in server.error_lines()
                          if not any(part in line for part in self.EXPECTED_ERRORS)]
            self.assertEqual(unexpected, [], "error lines")

    def assert_no_zombies(self, server):
        zombies = [pid for pid in processes.children(server.pid) if processes.state(pid) == "Z"]
        self.assertEqual(zombies, [])

    def wait_gone(self, pid, timeout=10):
        self.assertTrue(processes.wait_end(pid, timeout), f"process {pid} still runs after {timeout} s")

    def _end_servers(self):
        for server in self.servers:
            server.end()
        # Orphans of a failed test were adopted by this process.
        for pid in processes.children(os.getpid()):
            try:
                os.kill(pid, 9)
                os.waitpid(pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass
