"""A route that falls back to another: what changes on disk, and what a reload changes."""

import unittest

from case import ServeryCase

CONFIG = """schema: 1
runtime: {{workers: 1}}
listeners: [{{address: "127.0.0.1:0"}}]
routes:
  - {{path: /, static: {{root: site}}{fallback}}}
  - {{path: /old, static: {{root: old}}}}
"""


class Fallback(ServeryCase):
    EXPECTED_ERRORS = ("reload verdict=invalid",)

    def setUp(self):
        super().setUp()
        self.write("old/a.txt", "old\n")

    def body(self, server, target="/a.txt"):
        answer = self.get(server, target)
        return answer.status, answer.body

    def test_a_file_that_comes_and_goes_is_answered_by_the_right_route_at_once(self):
        server = self.start(CONFIG.format(fallback=", fallback: /old")).wait_ready()
        for _ in range(3):
            self.assertEqual(self.body(server), (200, b"old\n"))
            new = self.write("site/a.txt", "new\n")
            self.assertEqual(self.body(server), (200, b"new\n"))
            self.assertEqual(self.body(server, "/old/a.txt"), (200, b"old\n"))
            new.unlink()
        (self.directory / "old/a.txt").unlink()
        self.assertEqual(self.body(server)[0], 404)
        self.stop_and_check(server)

    def test_a_reload_brings_and_takes_it_and_refuses_a_circle(self):
        server = self.start(CONFIG.format(fallback="")).wait_ready()
        self.assertEqual(self.body(server)[0], 404)
        code, verdict = server.reload(config=CONFIG.format(fallback=", fallback: /old"))
        self.assertEqual(code, 0, verdict)
        self.assertEqual(self.body(server), (200, b"old\n"))
        code, verdict = server.reload(config=CONFIG.format(fallback=", fallback: /"))
        self.assertEqual(code, 2, verdict)
        self.assertEqual([(problem["key"], problem["reason"]) for problem in verdict["problems"]],
                         [("routes[0].fallback", "circle")])
        self.assertEqual(self.body(server), (200, b"old\n"))
        self.stop_and_check(server)


if __name__ == "__main__":
    unittest.main()
