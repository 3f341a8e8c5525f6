"""The hammer proves itself: it must count exactly the faults that a server commits on purpose."""

import pathlib
import subprocess
import sys
import unittest

import hammer

SERVER = pathlib.Path(__file__).parent.parent / "support" / "faulty_server.py"
BODY = bytes(range(256)) * 4


class HammerProof(unittest.TestCase):
    def run_against(self, fault, every, *load):
        server = subprocess.Popen([sys.executable, SERVER, fault, str(every)], stdout=subprocess.PIPE, text=True)
        try:
            port = int(server.stdout.readline().split()[1])
            with hammer.Hammer(("127.0.0.1", port), "--file", hammer.expectation("/", BODY),
                               "--sink", hammer.expectation("/sink", BODY), *load) as load_run:
                report = load_run.wait()
        finally:
            server.terminate()
            output, _ = server.communicate(timeout=10)
        return report, int(output.split()[-1])

    def test_one_dropped_connection_in_a_thousand(self):
        report, faults = self.run_against("drop", 1000, "--fresh", 800, "--seconds", 4)
        self.assertGreaterEqual(faults, 3)
        self.assertEqual(report["failed"], faults)
        self.assertEqual(report["reasons"], {"closed without an answer": faults})

    def test_a_good_server_has_no_failures_in_any_mode(self):
        report, _ = self.run_against("none", 1, "--fresh", 200, "--preconnect", 20, "--keepalive", 10,
                                     "--post", 10, "--pipelined", 3, "--upload", 2, "--seconds", 6)
        self.assertEqual((report["failed"], report["connect_failed"], report["stale_closes"]), (0, 0, 0))
        self.assertEqual(set(report["modes"]),
                         {"fresh", "preconnect", "keepalive", "post", "pipelined", "upload"})
        for counts in report["modes"].values():
            self.assertGreater(counts["completed"], 0)

    def test_every_kind_of_fault(self):
        for fault, reason in (("reset", "reset without an answer"), ("truncate", "truncated"),
                              ("corrupt", "wrong bytes"), ("status", "status 503")):
            with self.subTest(fault):
                report, faults = self.run_against(fault, 50, "--fresh", 200, "--keepalive", 5, "--seconds", 1)
                self.assertGreater(faults, 0)
                self.assertEqual(report["reasons"], {reason: faults})

    def test_stale_close_is_counted_apart(self):
        report, faults = self.run_against("stale", 1, "--keepalive", 5, "--seconds", 3)
        self.assertEqual(report["failed"], 0)
        # The last answer of each connection may be followed by the end of the run instead.
        self.assertGreaterEqual(faults, report["stale_closes"])
        self.assertGreater(report["stale_closes"], 0)

    def test_nobody_listens(self):
        with self.assertRaises(subprocess.CalledProcessError) as raised:
            subprocess.run([hammer.BINARY, "--connect", "127.0.0.1:1", "--file", "/=0:0", "--fresh", "50",
                            "--seconds", "1"], capture_output=True, check=True)
        self.assertEqual(raised.exception.returncode, 1)
        self.assertIn(b'"Connection refused":', raised.exception.stdout.replace(b"connect: ", b""))


if __name__ == "__main__":
    unittest.main()
