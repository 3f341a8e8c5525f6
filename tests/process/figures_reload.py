"""Figures of reload: what is lost under load, how long a verdict takes, what is left behind."""

import os
import socket
import statistics
import time
import unittest

import processes
from case import figure
from load_case import EVERY_MODE, LoadCase


class ReloadFigures(LoadCase):
    TIMEOUT = 900
    SERIAL = True

    def setUp(self):
        super().setUp()
        # A root that only root can read: the new workers find out in prepare.
        self.write("secret/index.html", "secret")
        (self.directory / "secret").chmod(0o700)
        self.busy = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.busy.close)

    def bad_configs(self, good):
        port = self.busy.getsockname()[1]
        return ["schema: [",
                good.replace('{address: "127.0.0.1:0"}', f'{{address: "127.0.0.1:0"}}, {{address: "127.0.0.1:{port}"}}'),
                good.replace("root: site", "root: missing"),
                good.replace("root: site", "root: secret")]

    def reload_many(self, server, count):
        """Good and bad in turn; seconds of each verdict by kind."""
        good = server.config.read_text()
        bad = self.bad_configs(good)
        self.assertEqual(os.geteuid(), 0, "the failure in prepare needs a user to drop to")
        times = {"committed": [], "refused": []}
        for number in range(count):
            started = time.monotonic()
            if number % 2:
                code, verdict = server.reload(config=bad[number // 2 % len(bad)], timeout=120)
                self.assertNotEqual(code, 0, verdict)
                times["refused"].append(time.monotonic() - started)
            else:
                self.assert_committed(server.reload(config=good, timeout=120))
                times["committed"].append(time.monotonic() - started)
        self.assert_committed(server.reload(config=good, timeout=120))
        return times

    def counters(self, server, *words):
        return {name: value for name, value in server.status()["counters"].items()
                if any(word in name for word in words)}

    def hundred_reloads(self, workers):
        server = self.serve(workers=workers, runtime="drain_timeout: 10s")
        with self.load(server, "--fresh", "half", *EVERY_MODE) as load:
            times = self.reload_many(server, 100)
            report = load.stop(120)
        what = f"100 reloads, {workers} workers"
        print(load.describe())
        lost = report["failed"] + report["connect_failed"]
        figure(f"{what}: failed requests", f"{lost} of {report['completed']}", "0")
        figure(f"{what}: stale closes on plain keep-alive", report["stale_closes"], "0")
        for kind, seconds in times.items():
            figure(f"{what}: verdict {kind}", f"median {statistics.median(seconds) * 1000:.0f} ms, "
                   f"maximum {max(seconds) * 1000:.0f} ms")
        self.assertEqual((report["failed"], report["connect_failed"]), (0, 0), report["failures"][:5])
        self.assertEqual(report["stale_closes"], 0, self.counters(server, "handover", "drain", "suspects", "timeouts"))
        self.settled(server)
        self.stop_and_check(server)

    def test_hundred_reloads_on_two_workers(self):
        self.hundred_reloads(2)

    def test_hundred_reloads_on_four_workers(self):
        self.hundred_reloads(4)

    def test_footprint_after_two_hundred_reloads(self):
        server = self.serve(workers=2, runtime="drain_timeout: 10s")

        def footprint():
            self.settled(server)
            pids = list(server.worker_pids().values())
            return {"supervisor descriptors": len(processes.descriptors(server.pid)),
                    "worker descriptors": [len(processes.descriptors(pid)) for pid in pids],
                    "processes": len(processes.children(server.pid)),
                    "supervisor KiB": processes.pss_kib(server.pid),
                    "worker KiB": max(processes.pss_kib(pid) for pid in pids)}

        self.reload_many(server, 20)
        before = footprint()
        self.reload_many(server, 200)
        after = footprint()
        for name, value in before.items():
            figure(f"200 reloads: {name}", f"before {value}, after {after[name]}", "the same")
        for name in ("supervisor descriptors", "worker descriptors", "processes"):
            self.assertEqual(after[name], before[name], name)
        for name, spare in (("supervisor KiB", 256), ("worker KiB", 256)):
            self.assertLess(after[name], before[name] + spare, name)
        self.assert_no_zombies(server)
        self.stop_and_check(server)


class ChangeFigures(LoadCase):
    TIMEOUT = 300
    SERIAL = True
    # 24 arrivals a second that wait 2.5 s on average: 60 silent clients.
    SILENT = 50
    SILENT_AND_NEW = ("--fresh", 200, "--preconnect", 24)

    def changes(self, server, what, configs):
        """Reloads with each of `configs` under load; nobody is lost."""
        with self.load(server, *self.SILENT_AND_NEW) as load:
            for config in configs:
                self.wait_clients(server, self.SILENT)
                self.assert_committed(server.reload(config=config))
                self.settled(server, 90)
            report = load.stop()
        self.figure_lost(what, report)
        self.assertEqual(report["connect_failed"], 0, report["failures"][:5])
        self.stop_and_check(server)

    def figure_lost(self, what, report):
        lost = report["failed"] + report["stale_closes"]
        figure(f"{what}: lost", f"{lost} of {report['completed']}", "0")
        self.assertEqual(lost, 0, report["failures"][:5])

    def test_worker_counts(self):
        server = self.serve(workers=4)
        self.changes(server, "workers 4 -> 1 -> 3 -> 2", [self.site_config(workers=n) for n in (1, 3, 2)])

    @unittest.skipUnless(processes.has_ipv6(), "this machine has no IPv6 loopback")
    def test_listener_moves(self):
        server = self.serve(listeners='{address: "0.0.0.0:0"}')
        reports = self.assert_listener_moves(server, self.SILENT, *self.SILENT_AND_NEW)
        for family, report in reports.items():
            self.figure_lost(f"listener 0.0.0.0 -> 127.0.0.1 -> [::] -> 0.0.0.0, {family} clients", report)
        self.settled(server)
        self.stop_and_check(server)

    def test_wildcard_and_back(self):
        server = self.serve(listeners='{address: "0.0.0.0:0"}')
        port = server.port()
        self.changes(server, "listener 0.0.0.0 -> 127.0.0.1 -> 0.0.0.0, three times",
                     [self.site_config(listeners=f'{{address: "{host}:{port}"}}')
                      for host in ("127.0.0.1", "0.0.0.0") * 3])


if __name__ == "__main__":
    unittest.main()
