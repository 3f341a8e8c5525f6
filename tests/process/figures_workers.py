"""Figures of workers that die or hang, of a supervisor that is killed, and of start and size."""

import os
import pathlib
import re
import signal
import statistics
import time
import unittest

import processes
from case import ServeryCase, figure
from load_case import EVERY_MODE, LoadCase
from servery import wait_until


class KillFigures(LoadCase):
    TIMEOUT = 600
    SERIAL = True
    EXPECTED_ERRORS = ("worker", "crash_loop")

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
        self.assertEqual(len(report["failures"]), report["failed"] + report["connect_failed"], "all are listed")
        others = [failure for failure in report["failures"] if failure["local_port"] not in held]
        print(load.describe())
        figure("50 kills: ready again", f"median {statistics.median(seconds) * 1000:.0f} ms, "
               f"maximum {max(seconds) * 1000:.0f} ms", "median 300 ms")
        figure("50 kills: failures of connections that the worker had not accepted",
               f"{len(others) + report['connect_failed']} of {report['completed']} requests", "0")
        self.assertEqual((others, report["connect_failed"]), ([], 0))
        self.assertLessEqual(statistics.median(seconds), 0.3)
        self.stop_and_check(server)

    def test_default_policy(self):
        server = self.serve(workers=2)
        delays, line = [], 0
        for _ in range(6):
            os.kill(server.wait_status(lambda status: status["workers"][0]["state"] == "ready",
                                       what="ready")["workers"][0]["pid"], signal.SIGKILL)
            line = server.wait_line("worker_restart slot=0", start=line) + 1
            delays.append(int(re.search(r"delay_ms=(\d+)", server.lines[line - 1])[1]))
        status = server.wait_status(lambda status: status["workers"][0]["state"] == "failed", what="crash loop")
        figure("default restart policy", ", ".join(f"{delay} ms" for delay in delays[:-1]) +
               f", then a crash loop: service {status['state']}, ready {status['ready']}, next try in {delays[-1]} ms",
               "0, 100, 200, 400, 800 ms +-20 %, then degraded and ready, 30 s")
        for delay, wanted in zip(delays, (0, 100, 200, 400, 800, 30000)):
            self.assertAlmostEqual(delay, wanted, delta=wanted * 0.2 + 1, msg=delays)
        self.assertEqual((status["state"], status["ready"]), ("degraded", True))
        server.wait_line("crash_loop slot=0")
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
        print(load.describe())
        figure("one slot dead for 60 s: refused or failed", report["failed"] + report["connect_failed"], "0")
        figure("one slot dead for 60 s: slowest answer", f"{slowest:.0f} ms", "1500 ms")
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
        figure("stopped worker: slowest answer", f"{slowest:.0f} ms, suspect after {suspected * 1000:.0f} ms",
               "within 1 s of suspicion")
        figure("stopped worker: lost connections that it had not accepted", len(others), "0")
        figure("stopped worker: replaced after", f"{replaced * 1000:.0f} ms", "abort at 2 s")
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
        figure("supervisor killed: port free after", f"{free * 1000:.0f} ms", "1000 ms")
        figure("supervisor killed: workers gone after", f"{gone:.1f} s", "stop_timeout 5 s, at most 1 s more")
        self.assertLess(free, 1.0)
        self.assertLess(gone, 6.0)

    def test_status_while_saturated(self):
        server = self.serve(workers=2)
        seconds = []
        with self.load(server, "--fresh", 30000) as one, self.load(server, "--fresh", 30000) as other:
            # For long enough that what is asked for is more than what is served.
            end = time.monotonic() + 2
            while time.monotonic() < end or len(seconds) < 200:
                started = time.monotonic()
                server.status()
                seconds.append(time.monotonic() - started)
            overdue = [load.stop()["skipped"] for load in (one, other)]
        self.assertGreater(min(overdue), 0, "not saturated: the load was served in time")
        figure("status while all workers are saturated", f"median {statistics.median(seconds) * 1000:.1f} ms, "
               f"maximum {max(seconds) * 1000:.1f} ms", "50 ms")
        self.assertLess(max(seconds), 0.05)
        server.stop(60)


class StartFigures(ServeryCase):
    SERIAL = True

    def test_start_to_ready(self):
        seconds = []
        for _ in range(20):
            server = self.serve(workers=2)
            seconds.append(server.ready_at - server.started_at)
            self.assertEqual(server.stop(), 0)
        median = statistics.median(seconds)
        figure("start to ready, 2 workers",
               f"median {median * 1000:.0f} ms, maximum {max(seconds) * 1000:.0f} ms", "50 ms")
        self.assertLess(median, 0.05)

    def test_size_of_a_worker(self):
        server = self.serve(workers=2)
        self.assert_serves(server)
        sizes = [processes.pss_kib(pid) for pid in server.worker_pids().values()]
        binary = pathlib.Path(os.environ["SERVERY_BINARY"]).stat().st_size
        figure("base PSS of a worker", f"{max(sizes) / 1024:.1f} MiB; the binary has {binary / 2**20:.1f} MiB", "8 MiB")
        self.assertLess(max(sizes), 8 * 1024)
        self.stop_and_check(server)


if __name__ == "__main__":
    unittest.main()
