"""load/ against limit/: it takes right answers, and notices every kind of wrong one."""

import pathlib
import tempfile
import unittest

import bench_path  # noqa: F401
import content
import measure
import rows
import servers
from rows import Row, Target


class ToolsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        work = pathlib.Path(folder.name)
        content.make(work / "site", tree=False)
        self.session = measure.Session(work, work / "site", "0", "0")
        self.started = self.session.start(servers.BY_NAME["limit"], rows.BY_NAME["keep-1"])
        self.addCleanup(self.started.stop)

    def load(self, row, *options):
        (self.session.work / "targets").write_text(content.target_lines(row, self.session.root))
        self.started.headers = list(row.headers)
        return self.session.load(self.started, row, options)

    def test_right_answers_of_every_kind(self):
        for name in ("keep-8", "churn-32", "per-100", "size-0", "size-8m", "range", "pipeline-16", "mixed"):
            with self.subTest(row=name):
                row = rows.BY_NAME[name]
                result = self.load(row, "--requests", 320)
                self.assertEqual((result["answers"], result["errors"], result["void"]), (320, 0, False))

    def test_conditional_answers(self):
        row = rows.BY_NAME["not-modified"]
        self.started.headers = []
        (self.session.work / "targets").write_text(content.target_lines(row, self.session.root))
        self.started.headers = ['If-None-Match: "abcdef-123456"']
        result = self.session.load(self.started, row, ("--requests", 100))
        self.assertEqual((result["answers"], result["errors"], result["body_bytes"]), (100, 0, 0))

    def test_connections_are_used_as_asked(self):
        self.assertEqual(self.load(rows.BY_NAME["churn-32"], "--requests", 320)["connects"], 320)
        self.assertEqual(self.load(rows.BY_NAME["keep-64"], "--requests", 320)["connects"], 64)

    def test_another_file_of_the_same_length_is_noticed(self):
        (self.session.root / "other.bin").write_bytes(bytes(1024))
        result = self.load(Row("x", "", (Target("/1k.bin", 200, "other.bin"),), ("--connections", 4)), "--requests", 50)
        self.assertEqual((result["error_kinds"]["body"], result["void"]), (50, True))

    def test_another_length_and_another_status_are_noticed(self):
        result = self.load(Row("x", "", (Target("/1k.bin", 200, "16k.bin"),), ("--connections", 4)), "--requests", 50)
        self.assertEqual(result["error_kinds"]["length"], 50)
        result = self.load(Row("x", "", (Target("/1k.bin", 206),), ("--connections", 4)), "--requests", 50)
        self.assertEqual(result["error_kinds"]["status"], 50)

    def test_a_server_that_closes_is_noticed(self):
        result = self.load(Row("x", "", (Target("/missing", 200, "1k.bin"),), ("--connections", 4)), "--requests", 50)
        self.assertGreaterEqual(result["error_kinds"]["closed"], 50)

    def test_an_open_loop_keeps_its_rate(self):
        result = self.load(rows.BY_NAME["keep-8"], "--rate", 500, "--seconds", 1)
        self.assertEqual(result["errors"], 0)
        self.assertAlmostEqual(result["rate"], 500, delta=100)

    def test_idle_connections_are_held_and_answered_again(self):
        row = Row("x", "", (Target("/1k.bin"),), ("--connections", 300), kind="idle")
        (self.session.work / "targets").write_text(content.target_lines(row, self.session.root))
        result = self.session.idle(self.started, row)
        self.assertEqual((result["held"], result["answers"], result["errors"]), (True, 300, 0))


if __name__ == "__main__":
    unittest.main()
