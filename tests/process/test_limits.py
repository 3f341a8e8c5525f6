"""What the figures (figures_*.py) show, in seconds instead of minutes: counts exactly, times at ten times the figure."""

import os
import signal
import socket
import time
import unittest

import processes
from load_case import EVERY_MODE, LoadCase


class Limits(LoadCase):
    SERIAL = True
    EXPECTED_ERRORS = ("worker",)

    def test_start_to_ready(self):
        server = self.serve(workers=2)
        self.assertLess(server.ready_at - server.started_at, 0.5)
        self.stop_and_check(server)

    def test_size_of_a_worker(self):
        server = self.serve(workers=2)
        self.assert_serves(server)
        for pid in server.worker_pids().values():
            self.assertLess(processes.pss_kib(pid), 8 * 1024)
        self.stop_and_check(server)

    def test_a_slow_reader_that_makes_progress_is_not_cut(self):
        """The socket becomes writable rarely: what the client has taken counts, not that."""
        size = 3_000_000
        self.write("site/large.bin", bytes(size))
        server = self.serve(workers=1, extra="limits: {write_timeout: 500ms}\n")
        with socket.create_connection(server.address(), 10) as client:
            client.sendall(b"GET /large.bin HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            got = 0
            while part := client.recv(64 * 1024):
                got += len(part)
                time.sleep(0.05)
        self.assertGreater(got, size)
        self.assertEqual(server.status()["counters"]['servery_timeouts_total{phase="write"}'], 0)
        self.stop_and_check(server)

    def test_status_under_load(self):
        server = self.serve(workers=2)
        with self.load(server, "--fresh", "half", *EVERY_MODE) as load:
            for _ in range(20):
                started = time.monotonic()
                server.status()
                self.assertLess(time.monotonic() - started, 0.5)
            self.assert_lossless(load)
        self.stop_and_check(server)

    def test_a_dead_slot_loses_nobody(self):
        server = self.serve(workers=2, runtime="restart: {limit: 0, backoff_initial: 80s, backoff_max: 80s}")
        first = server.worker_pids()[0]
        os.kill(first, signal.SIGKILL)
        self.wait_replaced(server, 0, first)
        os.kill(server.worker_pids()[0], signal.SIGKILL)
        server.wait_status(lambda status: status["listeners"][0]["lent"] == [{"slot": 0, "to": 1}], what="lent")
        with self.load(server, "--fresh", 200, "--preconnect", 10, "--seconds", 3) as load:
            report = load.wait()
        self.assertEqual((report["failed"], report["connect_failed"], report["stale_closes"]), (0, 0, 0))
        self.assertGreater(report["completed"], 100)
        self.assertIsNone(server.status()["workers"][0]["pid"])
        self.stop_and_check(server)


if __name__ == "__main__":
    unittest.main()
