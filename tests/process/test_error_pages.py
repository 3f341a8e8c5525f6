"""Configured error pages: their files are read at a start and a reload, never in between."""

import os
import stat
import unittest

import http_client
from case import ServeryCase
from servery import wait_until


class ErrorPages(ServeryCase):
    EXPECTED_ERRORS = ("reload verdict=invalid",)

    def setUp(self):
        super().setUp()
        self.page = self.write("errors/404.html", "one\n")
        # As whom workers run, nobody may read them where the server is root.
        self.page.chmod(0o600)

    def serve_pages(self):
        extra = "limits: {header_timeout: 1s}\nerror_pages: {404: errors/404.html, 408: errors/404.html}\n"
        return self.serve(workers=1, extra=extra)

    def body(self, server):
        answer = self.get(server, "/gone")
        self.assertEqual(answer.status, 404)
        return answer.body

    def test_a_reload_brings_other_content_and_plan_names_it(self):
        server = self.serve_pages()
        self.assertEqual(self.body(server), b"one\n")
        self.page.write_text("two\n")
        self.assertEqual(self.body(server), b"one\n", "a file alone changes nothing")
        plan = server.command("plan", "--json")
        self.assertIn("error_pages.404", plan.stdout)
        self.assertIn("(other content)", plan.stdout)
        code, verdict = server.reload()
        self.assertEqual(code, 0, verdict)
        self.assertEqual(self.body(server), b"two\n")
        self.assertNotIn("error_pages", server.command("plan", "--json").stdout)
        self.stop_and_check(server)

    def test_a_missing_file_is_refused_with_its_place_and_the_old_page_stays(self):
        server = self.serve_pages()
        self.page.unlink()
        code, verdict = server.reload()
        self.assertEqual(code, 2, verdict)
        self.assertEqual([(problem["key"], problem["reason"]) for problem in verdict["problems"]],
                         [("error_pages.404", "missing_file")])
        self.assertGreater(verdict["problems"][0]["line"], 1)
        self.assertEqual(self.body(server), b"one\n")
        self.stop_and_check(server)

    def test_a_worker_started_later_has_what_was_checked(self):
        server = self.serve_pages()
        self.page.write_text("two\n")
        pid = server.worker_pids()[0]
        os.kill(pid, 9)
        wait_until(lambda: server.worker_pids().get(0) not in (None, pid), 10, "another worker")
        wait_until(lambda: server.status()["ready"], 10, "ready")
        self.assertEqual(self.body(server), b"one\n")
        self.assertEqual(server.stop(), 0)

    def test_a_head_that_does_not_come_gets_the_page(self):
        server = self.serve_pages()
        with http_client.connect(server.address()) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\n")
            answer = http_client.read_answer(connection)
        self.assertEqual((answer.status, answer.body), (408, b"one\n"))
        self.stop_and_check(server)

    def test_workers_need_not_be_able_to_open_it(self):
        if os.geteuid() != 0:
            self.skipTest("workers have another user only when started as root")
        self.assertEqual(stat.S_IMODE(self.page.stat().st_mode), 0o600)
        server = self.serve_pages()
        self.assertEqual(self.body(server), b"one\n")
        self.stop_and_check(server)


if __name__ == "__main__":
    unittest.main()
