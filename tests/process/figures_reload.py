"""Figures of reload: what is lost under load, how long a verdict takes, what is left behind."""

import os
import socket
import statistics
import time
import unittest

import processes
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

    def hundred_reloads(self, workers):
        server = self.serve(workers=workers, runtime="drain_timeout: 10s")
        with self.load(server, "--fresh", "half", *EVERY_MODE) as load:
            times = self.reload_many(server, 100)
            report = load.stop(120)
        print(f"figure: 100 reloads, {workers} workers: {load.describe()}")
        for kind, seconds in times.items():
            print(f"figure: verdict {kind}: median {statistics.median(seconds) * 1000:.0f} ms, "
                  f"maximum {max(seconds) * 1000:.0f} ms")
        self.assertEqual((report["failed"], report["connect_failed"]), (0, 0), report["failures"][:5])
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
                    "worker KiB": [processes.pss_kib(pid) for pid in pids]}

        self.reload_many(server, 20)
        before = footprint()
        self.reload_many(server, 200)
        after = footprint()
        print(f"figure: before 200 reloads {before}")
        print(f"figure: after  200 reloads {after}")
        for name in ("supervisor descriptors", "worker descriptors", "processes"):
            self.assertEqual(after[name], before[name], name)
        self.assertLess(after["supervisor KiB"], before["supervisor KiB"] + 512)
        self.assert_no_zombies(server)
        self.stop_and_check(server)


class ChangeFigures(LoadCase):
    TIMEOUT = 300
    SERIAL = True
    # 20 arrivals a second that wait 2.5 s on average: 50 silent clients at any time.
    SILENT_AND_NEW = ("--fresh", 200, "--preconnect", 20)

    def changes(self, server, what, configs):
        """Reloads with each of `configs` under load; the report."""
        with self.load(server, *self.SILENT_AND_NEW) as load:
            self.wait_clients(server, 40)
            for config in configs:
                self.assert_committed(server.reload(config=config))
            self.settled(server, 90)
            report = load.stop()
        print(f"figure: {what}: {load.describe()}")
        self.assertEqual(report["failed"], 0, report["failures"][:5])
        self.stop_and_check(server)
        return report

    def test_worker_counts(self):
        server = self.serve(workers=4)
        report = self.changes(server, "workers 4 -> 1 -> 3 -> 2", [self.site_config(workers=n) for n in (1, 3, 2)])
        self.assertEqual(report["connect_failed"], 0)

    def test_listener_moves(self):
        server = self.serve(listeners='{address: "0.0.0.0:0"}')
        port = server.port()
        addresses = (f"127.0.0.1:{port}", f"[::]:{port}", f"0.0.0.0:{port}")
        report = self.changes(server, f"listener 0.0.0.0 -> {' -> '.join(addresses)}",
                              [self.site_config(listeners=f'{{address: "{address}"}}') for address in addresses])
        # "[::]" is IPv6 only: while it is the only one, an IPv4 client is refused, and nothing else.
        self.assertLessEqual(set(report["reasons"]), {"connect: Connection refused"})

    def test_wildcard_and_back(self):
        server = self.serve(listeners='{address: "0.0.0.0:0"}')
        port = server.port()
        addresses = (f"127.0.0.1:{port}", f"0.0.0.0:{port}") * 3
        report = self.changes(server, f"listener 0.0.0.0 -> {' -> '.join(addresses)}",
                              [self.site_config(listeners=f'{{address: "{address}"}}') for address in addresses])
        self.assertEqual(report["connect_failed"], 0)


if __name__ == "__main__":
    unittest.main()
