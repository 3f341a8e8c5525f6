"""Figures of workers that die or hang, of a supervisor that is killed, and of start and size."""

import os
import pathlib
import signal
import statistics
import time
import unittest

import processes
from case import ServeryCase
from load_case import EVERY_MODE, LoadCase
from servery import wait_until


class KillFigures(LoadCase):
    TIMEOUT = 600
    SERIAL = True
    EXPECTED_ERRORS = ("worker",)

    def test_fifty_kills(self):
        server = self.serve(workers=2, runtime="restart: {limit: 0, backoff_initial: 0ms}")
        seconds, held = [], set()
        with self.load(server, "--fresh", "half", *EVERY_MODE) as load:
            for kill in range(50):
                slot = kill % 2
                pid = server.worker_pids()[slot]
                # Stopped first, so that what it holds can be read without a race.
                os.kill(pid, signal.SIGSTOP)
                wait_until(lambda: processes.state(pid) == "T", 5, "stopped")
                held |= processes.client_ports_of(pid)
                os.kill(pid, signal.SIGKILL)
                started = time.monotonic()
                self.wait_replaced(server, slot, pid)
                seconds.append(time.monotonic() - started)
            report = load.stop(120)
        others = [failure for failure in report["failures"] if failure["local_port"] not in held]
        print(f"figure: 50 kills under load: {load.describe()}")
        print(f"figure: ready again: median {statistics.median(seconds) * 1000:.0f} ms, "
              f"maximum {max(seconds) * 1000:.0f} ms; {len(others)} failures of connections it had not accepted")
        self.assertEqual((others, report["connect_failed"]), ([], 0))
        self.assertLessEqual(statistics.median(seconds), 0.3)
        self.stop_and_check(server)

    def test_default_policy(self):
        server = self.serve(workers=2)
        seconds = []
        for _ in range(6):
            pid = server.wait_status(lambda status: status["workers"][0]["state"] == "ready")["workers"][0]["pid"]
            os.kill(pid, signal.SIGKILL)
            started = time.monotonic()
            status = server.wait_status(
                lambda status: status["state"] == "degraded" and status["workers"][0]["pid"] is None or
                status["workers"][0]["pid"] not in (None, pid) and status["workers"][0]["state"] == "ready")
            seconds.append(time.monotonic() - started)
            if len(seconds) < 6:
                self.wait_replaced(server, 0, pid)
                seconds[-1] = time.monotonic() - started
        print("figure: default policy: " + ", ".join(f"{value * 1000:.0f} ms" for value in seconds[:-1]) +
              f", then {status['workers'][0]['state']}, service {status['state']}")
        self.assertEqual((status["workers"][0]["state"], status["state"]), ("failed", "degraded"))
        self.assert_serves(server)
        self.stop_and_check(server)

    def test_one_slot_dead_for_a_minute(self):
        server = self.serve(workers=2, runtime="restart: {limit: 0, backoff_initial: 80s, backoff_max: 80s}")
        pid = server.worker_pids()[0]
        os.kill(pid, signal.SIGKILL)
        self.wait_replaced(server, 0, pid)
        os.kill(server.worker_pids()[0], signal.SIGKILL)
        server.wait_status(lambda status: status["listeners"][0]["lent"] == [{"slot": 0, "to": 1}], what="lent")
        with self.load(server, "--fresh", 200, "--preconnect", 20, "--seconds", 60) as load:
            report = load.wait(120)
        slowest = max(counts["latency_ms"]["max"] for counts in report["modes"].values())
        print(f"figure: one slot dead for 60 s: {load.describe()}, slowest {slowest:.0f} ms")
        self.assertEqual((report["failed"], report["connect_failed"]), (0, 0), report["failures"][:5])
        self.assertLess(slowest, 1500)
        self.assertIsNone(server.status()["workers"][0]["pid"])
        self.stop_and_check(server)

    def test_stopped_worker(self):
        server = self.serve(workers=2, runtime="heartbeat: {suspect: 500ms, warn: 1s, abort: 2s}")
        pid = server.worker_pids()[1]
        with self.load(server, "--fresh", 200) as load:
            os.kill(pid, signal.SIGSTOP)
            held = processes.client_ports_of(pid)
            stopped = time.monotonic()
            server.wait_status(lambda status: status["workers"][1]["state"] == "suspect", what="suspect")
            suspected = time.monotonic() - stopped
            self.wait_replaced(server, 1, pid)
            replaced = time.monotonic() - stopped
            report = load.stop()
        others = [failure for failure in report["failures"] if failure["local_port"] not in held]
        slowest = report["modes"]["fresh"]["latency_ms"]["max"]
        print(f"figure: stopped worker: suspect after {suspected * 1000:.0f} ms, slowest answer {slowest:.0f} ms, "
              f"replaced after {replaced * 1000:.0f} ms, {len(others)} lost that it did not hold")
        self.assertEqual((others, report["connect_failed"]), ([], 0))
        self.assertLess(slowest, suspected * 1000 + 1000)
        self.stop_and_check(server)


class SupervisorFigures(LoadCase):
    TIMEOUT = 120
    SERIAL = True

    def test_supervisor_killed(self):
        server = self.serve(workers=2, runtime="stop_timeout: 5s")
        port = server.port()
        pids = list(server.worker_pids().values())
        with self.load(server, *EVERY_MODE):
            self.wait_clients(server, 40)
            server.send(signal.SIGKILL)
            killed = time.monotonic()
            server.process.wait(10)
            wait_until(lambda: port not in processes.listening_ports(), 10, "port free")
            free = time.monotonic() - killed
            for pid in pids:
                self.wait_gone(pid, 15)
            gone = time.monotonic() - killed
        print(f"figure: supervisor killed: port free after {free * 1000:.0f} ms, workers gone after {gone:.2f} s")
        self.assertLess(free, 1.0)
        self.assertLess(gone, 5.0 + 1.5)

    def test_status_while_saturated(self):
        server = self.serve(workers=2)
        seconds = []
        with self.load(server, "--fresh", 30000), self.load(server, "--fresh", 30000):
            for _ in range(200):
                started = time.monotonic()
                server.status()
                seconds.append(time.monotonic() - started)
        seconds.sort()
        print(f"figure: status under saturation: median {statistics.median(seconds) * 1000:.1f} ms, "
              f"p95 {seconds[189] * 1000:.1f} ms, maximum {seconds[-1] * 1000:.1f} ms")
        self.assertLess(seconds[189], 0.05)
        server.stop(60)


class StartFigures(ServeryCase):
    SERIAL = True

    def test_start_to_ready(self):
        seconds = []
        for _ in range(20):
            server = self.serve(workers=2)
            seconds.append(server.ready_at - server.started_at)
            self.assertEqual(server.stop(), 0)
        print(f"figure: start to ready, 2 workers: median {statistics.median(seconds) * 1000:.0f} ms, "
              f"maximum {max(seconds) * 1000:.0f} ms (goal 50 ms)")

    def test_size_of_a_worker(self):
        server = self.serve(workers=2)
        self.assert_serves(server)
        sizes = [processes.pss_kib(pid) for pid in server.worker_pids().values()]
        binary = pathlib.Path(os.environ["SERVERY_BINARY"]).stat().st_size
        print(f"figure: base PSS of a worker: {max(sizes) / 1024:.1f} MiB (goal 8 MiB); binary {binary / 2**20:.1f} MiB")
        self.stop_and_check(server)


if __name__ == "__main__":
    unittest.main()
