"""A process test under the hammer: every mode against the site, and what must come of it."""

import os

import hammer
import processes
from case import ServeryCase
from servery import wait_until

BIG = os.urandom(1 << 16) * 64
EVERY_MODE = ("--preconnect", 20, "--keepalive", 20, "--post", 10, "--pipelined", 4, "--download", 2, "--upload", 2)


class LoadCase(ServeryCase):
    EXPECTED_ERRORS = ("reload", "listener", "check")  # refused reloads are logged

    def load(self, server, *arguments, address=None):
        self.write("site/big.bin", BIG)
        one_kib = (self.site / "one-kib.bin").read_bytes()
        return hammer.Hammer(address or server.address(), "--file", hammer.expectation("/one-kib.bin", one_kib),
                             "--big", hammer.expectation("/big.bin", BIG),
                             "--sink", hammer.expectation("/sink", b"ok\n"), *arguments)

    def assert_lossless(self, load):
        report = load.stop()
        print(load.describe())
        self.assertEqual((report["failed"], report["connect_failed"]), (0, 0), report["failures"][:5])
        self.assertGreater(report["completed"], 0)
        return report

    def assert_listener_moves(self, server, silent, *load):
        """0.0.0.0:P -> 127.0.0.1:P -> [::]:P -> 0.0.0.0:P under load by both families; the reports by family.

        "[::]" is IPv6 only: from there on IPv4 connects are refused, until the last reload has committed, and
        IPv6 connects from the last reload on. No other connect fails, and no connection that came about is lost."""
        port = server.port()
        reports = {}

        def move_to(host):
            config = self.site_config(listeners=f'{{address: "{host}:{port}"}}')
            self.assert_committed(server.reload(config=config))

        with self.load(server, *load, address=("127.0.0.1", port)) as ipv4:
            self.wait_clients(server, silent)
            move_to("127.0.0.1")
            ipv4.next_stage()  # 1: may be refused
            move_to("[::]")
            with self.load(server, *load, address=("[::1]", port)) as ipv6:
                self.settled(server)
                self.wait_clients(server, silent)
                ipv6.next_stage()  # 1: may be refused
                move_to("0.0.0.0")
                ipv4.next_stage()  # 2: not any more
                self.settled(server)
                self.wait_clients(server, silent)
                reports["IPv6"] = ipv6.stop()
            reports["IPv4"] = ipv4.stop()
        for family, report in reports.items():
            refused = {(failure["stage"], failure["reason"]) for failure in report["failures"]}
            self.assertEqual(refused, {(1, "connect: Connection refused")}, family)
            self.assertEqual((report["failed"], report["stale_closes"]), (0, 0), family)
            self.assertGreater(report["completed"], 0)
        return reports

    def assert_committed(self, result):
        self.assertEqual((result[0], result[1]["verdict"]), (0, "committed"), result)

    def settled(self, server, timeout=30):
        """Waits until only the current generation is left."""
        return server.wait_status(lambda status: len(status["generations"]) == 1, timeout, "old generation gone")

    def wait_clients(self, server, count):
        port = server.port()
        wait_until(lambda: processes.clients_of_port(port) >= count, 30, f"{count} clients")

    def wait_replaced(self, server, slot, pid, timeout=20):
        """Waits until another worker of the slot is ready; the status."""
        return server.wait_status(
            lambda status: any(worker["slot"] == slot and worker["pid"] not in (None, pid) and
                               worker["state"] == "ready" for worker in status["workers"]),
            timeout, f"slot {slot} replaced")
