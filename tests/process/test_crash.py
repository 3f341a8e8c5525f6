"""Workers that die or hang, and a supervisor that is killed."""

import os
import signal
import socket
import time
import unittest

import http_client
import processes
from case import ServeryCase
from load_case import LoadCase
from servery import wait_until


class WorkerDeath(LoadCase):
    # A dead worker is an error line by design.
    EXPECTED_ERRORS = ("worker", "crash_loop")

    def test_killed_worker_is_replaced(self):
        server = self.serve(workers=2)
        pids = server.worker_pids()
        started = time.monotonic()
        os.kill(pids[0], signal.SIGKILL)
        status = self.wait_replaced(server, 0, pids[0])
        self.assertLess(time.monotonic() - started, 3.0, "ten times the figure")
        worker = status["workers"][0]
        self.assertEqual(worker["restarts"], 1)
        self.assertEqual((worker["last_exit"]["reason"], worker["last_exit"]["signal"]), ("killed", 9))
        self.assertEqual(server.worker_pids()[1], pids[1])
        self.assert_no_zombies(server)
        self.stop_and_check(server)

    def test_aborted_worker_is_a_crash(self):
        server = self.serve(workers=1)
        pid = server.worker_pids()[0]
        os.kill(pid, signal.SIGABRT)
        last_exit = self.wait_replaced(server, 0, pid)["workers"][0]["last_exit"]
        self.assertEqual((last_exit["reason"], last_exit["signal"]), ("crashed", int(signal.SIGABRT)))
        self.assert_serves(server)
        self.stop_and_check(server)

    def test_only_accepted_connections_are_lost(self):
        server = self.serve(workers=2, runtime="restart: {limit: 0, backoff_initial: 0ms}")
        with self.load(server, "--fresh", 300, "--keepalive", 20, "--preconnect", 20) as load:
            held = set()
            for kill in range(4):
                slot = kill % 2
                pid = server.worker_pids()[slot]
                # Stopped first, so that what it holds can be read without a race.
                os.kill(pid, signal.SIGSTOP)
                wait_until(lambda: processes.state(pid) == "T", 5, "stopped")
                held |= processes.client_ports_of(pid)
                os.kill(pid, signal.SIGKILL)
                self.wait_replaced(server, slot, pid)
            report = load.stop()
        print(load.describe())
        self.assertEqual(report["connect_failed"], 0)
        lost = {failure["local_port"] for failure in report["failures"]}
        self.assertLessEqual(lost, held)
        self.stop_and_check(server)

    def test_crash_loop_is_a_state_and_the_rest_serves(self):
        server = self.serve(workers=2, runtime="restart: {backoff_initial: 10ms, backoff_max: 30s, limit: 2, window: 60s}")
        for _ in range(3):
            pid = server.wait_status(lambda status: status["workers"][0]["state"] == "ready")["workers"][0]["pid"]
            os.kill(pid, signal.SIGKILL)
            self.wait_gone(pid)
        status = server.wait_status(lambda status: status["workers"][0]["state"] == "failed", what="crash loop")
        self.assertEqual((status["state"], status["workers"][0]["pid"]), ("degraded", None))
        self.assertTrue(status["ready"])
        self.assertEqual(status["listeners"][0]["lent"], [{"slot": 0, "to": 1}])
        self.assertEqual([(reason["reason"], reason["slot"]) for reason in status["reasons"]],
                         [("crash_loop", 0), ("lent", 0)])
        self.assertIn("slot 0 is in a crash loop (last exit: killed by signal 9)", server.command("status").stdout)
        for _ in range(20):
            self.assert_serves(server)
        # What an operator does when the cause is mended.
        self.assertEqual(server.reload()[0], 0)
        status = server.status()
        self.assertEqual((status["state"], status["reasons"]), ("ready", []))
        self.assertEqual(server.stop(), 0)
        self.check_nothing_left()

    def test_backoff_grows(self):
        server = self.serve(workers=2, runtime="restart: {backoff_initial: 200ms, backoff_max: 30s, limit: 0, window: 60s}")
        delays = []
        for _ in range(4):
            pid = server.worker_pids()[0]
            os.kill(pid, signal.SIGKILL)
            started = time.monotonic()
            self.wait_replaced(server, 0, pid)
            delays.append(time.monotonic() - started)
        # Immediate, then 200 ms, 400 ms, 800 ms, each 20 % either way.
        for delay, least in zip(delays[1:], (0.16, 0.32, 0.64)):
            self.assertGreaterEqual(delay, least, delays)
        self.stop_and_check(server)


class WorkerHang(ServeryCase):
    EXPECTED_ERRORS = ("worker", "crash_loop")

    def test_stopped_worker_is_covered_and_replaced(self):
        server = self.serve(workers=2, runtime="heartbeat: {suspect: 500ms, warn: 1s, abort: 2s}")
        pids = server.worker_pids()
        os.kill(pids[1], signal.SIGSTOP)
        # Half of these land in the stopped worker's queue.
        connections = [http_client.connect(server.address(), timeout=15) for _ in range(20)]
        started = time.monotonic()
        for connection in connections:
            http_client.send_request(connection, "GET", "/")
        for connection in connections:
            self.assertEqual(http_client.read_answer(connection).status, 200)
            connection.close()
        self.assertLess(time.monotonic() - started, 10)
        status = server.wait_status(lambda status: status["workers"][1]["pid"] not in (None, pids[1]) and
                                    status["workers"][1]["state"] == "ready", what="replaced")
        self.assertEqual(status["workers"][1]["last_exit"]["reason"], "hung")
        self.assertEqual(server.worker_pids()[0], pids[0])
        self.stop_and_check(server)

    def test_suspect_worker_that_beats_again_stays(self):
        server = self.serve(workers=2, runtime="heartbeat: {suspect: 300ms, warn: 5s, abort: 60s}")
        pid = server.worker_pids()[1]
        os.kill(pid, signal.SIGSTOP)
        status = server.wait_status(lambda status: status["workers"][1]["state"] == "suspect", what="suspect")
        self.assertEqual(status["listeners"][0]["lent"], [{"slot": 1, "to": 0}])
        os.kill(pid, signal.SIGCONT)
        status = server.wait_status(lambda status: status["workers"][1]["state"] == "ready" and
                                    not status["listeners"][0]["lent"], what="ready again")
        self.assertEqual(status["workers"][1]["pid"], pid)
        self.stop_and_check(server)


class SupervisorHang(ServeryCase):
    EXPECTED_ERRORS = ("worker",)

    def test_commands_do_not_wait_for_ever(self):
        server = self.serve()
        os.kill(server.pid, signal.SIGSTOP)
        try:
            for name in ("status", "plan"):
                result = server.command(name)
                self.assertEqual(result.returncode, 1)
                self.assertRegex(result.stderr, "^servery .*: the server at .* does not answer within 5000 ms\n$")
        finally:
            os.kill(server.pid, signal.SIGCONT)
        self.assertEqual(server.command("status").returncode, 0)
        self.stop_and_check(server)


class SupervisorDeath(ServeryCase):
    def test_workers_leave_and_the_port_is_free(self):
        server = self.serve(workers=2, runtime="stop_timeout: 3s")
        address = server.address()
        pids = server.worker_pids().values()
        idle = http_client.connect(address)
        http_client.send_request(idle, "GET", "/")
        self.assertEqual(http_client.read_answer(idle).status, 200)
        server.send(signal.SIGKILL)
        server.process.wait(10)
        wait_until(lambda: address[1] not in processes.listening_ports(), 10, "listeners closed")
        for pid in pids:
            self.wait_gone(pid, 10)
            os.waitpid(pid, 0)
        idle.close()
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
        second = self.serve(listeners=f'{{address: "127.0.0.1:{address[1]}"}}')
        self.assert_serves(second)
        self.stop_and_check(second)


if __name__ == "__main__":
    unittest.main()
