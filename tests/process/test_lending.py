"""A slot without a worker for long: somebody else accepts what its socket is given."""

import os
import signal
import unittest

from load_case import LoadCase


class SlotsInBackOff(LoadCase):
    # A dead worker is a warning by design; two of them in short order may be called a loop.
    EXPECTED_ERRORS = ("worker", "crash_loop")

    def kill(self, server, slot):
        """Twice: the first replacement is immediate, the next waits for the back-off."""
        pid = server.worker_pids()[slot]
        os.kill(pid, signal.SIGKILL)
        self.wait_replaced(server, slot, pid)
        os.kill(server.worker_pids()[slot], signal.SIGKILL)
        server.wait_status(lambda status: status["workers"][slot]["pid"] is None, what=f"slot {slot} empty")

    def test_no_connection_is_refused_or_waits(self):
        server = self.serve(workers=3, runtime="restart: {limit: 0, backoff_initial: 120s, backoff_max: 120s}")
        self.kill(server, 0)
        self.kill(server, 2)
        self.assertEqual(server.status()["listeners"][0]["lent"], [{"slot": 0, "to": 1}, {"slot": 2, "to": 1}])
        with self.load(server, "--fresh", 100, "--preconnect", 20, "--keepalive", 10, "--seconds", 5) as load:
            report = load.wait(60)
        slowest = max(counts["latency_ms"]["max"] for counts in report["modes"].values())
        print(f"{load.describe()}, slowest {slowest:.0f} ms")
        self.assertEqual((report["failed"], report["connect_failed"]), (0, 0), report["failures"][:5])
        self.assertGreater(report["completed"], 300)
        self.assertLess(slowest, 15_000, "ten times the figure")
        status = server.status()
        self.assertEqual([worker["pid"] is None for worker in status["workers"]], [True, False, True], "still dead")
        self.stop_and_check(server)


if __name__ == "__main__":
    unittest.main()
