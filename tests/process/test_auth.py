"""Passwords: files that are reloaded, workers that cannot read them, the throttle, `passwd`, `--auth`."""

import base64
import os
import pty
import re
import stat
import subprocess
import unittest

import http_client
from case import ServeryCase
from servery import BINARY, run_command, wait_until

# Of "secret", by `openssl passwd -5`.
SHA256 = "$5$NQzLYGl3mBJWfwT8$NPcLwtgaz41dHiHwPM2MIvvG4wwRfqPr1ugDq8H1BB4"


def credentials(user, password):
    return "Authorization: Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def passwd(file, user, password, *arguments):
    return subprocess.run([BINARY, "passwd", user, str(file), *arguments], input=password + "\n", timeout=20,
                          capture_output=True, text=True, check=False)


class AuthCase(ServeryCase):
    def setUp(self):
        super().setUp()
        self.write("site/a.txt", "hello\n")
        self.users = self.directory / "users.htpasswd"

    def set_password(self, user, password, *arguments):
        done = passwd(self.users, user, password, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)

    def config(self, rights=""):
        return (f"schema: 1\nruntime: {{workers: 1}}\nlisteners: [{{address: '127.0.0.1:0'}}]\n"
                f"auth: {{team: {{basic: {{file: users.htpasswd}}{rights}}}}}\n"
                "routes: [{path: /, static: {root: site, listing: true}, auth: team}]\n")

    def ask(self, server, user=None, password="", target="/a.txt"):
        fields = [credentials(user, password)] if user else []
        return http_client.request(server.address(), "GET", target, fields=fields)

    def serve_team(self):
        return self.start(self.config()).wait_ready()


class PasswordFiles(AuthCase):
    EXPECTED_ERRORS = ("reload verdict=invalid",)

    def test_every_kind_of_hash_lets_in(self):
        for kind in ("argon2id", "bcrypt", "sha512"):
            self.set_password(kind, "secret", "--hash", kind)
        with self.users.open("a") as file:
            file.write(f"# of another tool\nold:{SHA256}\n")
        server = self.serve_team()
        for user in ("argon2id", "bcrypt", "sha512", "old"):
            self.assertEqual(self.ask(server, user, "secret").status, 200, user)
            self.assertEqual(self.ask(server, user, "Secret").status, 401, user)
        self.stop_and_check(server)

    def test_a_reload_changes_who_gets_in_and_loses_no_connection(self):
        self.set_password("alice", "old")
        server = self.serve_team()
        with http_client.connect(server.address()) as kept:
            def on_kept(password):
                http_client.send_request(kept, "GET", "/a.txt", fields=[credentials("alice", password)])
                return http_client.read_answer(kept).status
            self.assertEqual(on_kept("old"), 200)
            self.set_password("alice", "new")
            self.set_password("bob", "b")
            self.assertEqual(on_kept("old"), 200, "a file alone changes nothing")
            code, verdict = server.reload()
            self.assertEqual(code, 0, verdict)
            self.assertEqual(on_kept("old"), 401, "nor does what was verified outlive the reload")
            self.assertEqual(on_kept("new"), 200)
        self.assertEqual(self.ask(server, "bob", "b").status, 200)
        self.stop_and_check(server)

    def test_a_bad_file_is_refused_with_its_line_and_the_old_users_stay(self):
        self.set_password("alice", "a")
        server = self.serve_team()
        with self.users.open("a") as file:
            file.write("bob:topsecret\n")
        code, verdict = server.reload()
        self.assertEqual(code, 2, verdict)
        problem = verdict["problems"][0]
        self.assertEqual((problem["file"], problem["line"], problem["reason"]),
                         (str(self.users), 2, "bad_password_line"))
        self.assertNotIn("topsecret", str(verdict) + "\n".join(server.lines))
        self.assertEqual(self.ask(server, "alice", "a").status, 200)
        self.stop_and_check(server)

    def test_a_worker_started_later_has_what_was_checked(self):
        self.set_password("alice", "a")
        server = self.serve_team()
        self.users.unlink()
        pid = server.worker_pids()[0]
        os.kill(pid, 9)
        wait_until(lambda: server.worker_pids().get(0) not in (None, pid), 10, "another worker")
        wait_until(lambda: server.status()["ready"], 10, "ready")
        self.assertEqual(self.ask(server, "alice", "a").status, 200)
        self.assertEqual(server.stop(), 0)

    def test_workers_cannot_open_the_file(self):
        if os.geteuid() != 0:
            self.skipTest("workers have another user only when started as root")
        self.set_password("alice", "a")
        self.assertEqual(stat.S_IMODE(self.users.stat().st_mode), 0o600)
        server = self.serve_team()
        self.assertEqual(self.ask(server, "alice", "a").status, 200)
        self.stop_and_check(server)

    def test_check_names_what_is_missing(self):
        (self.directory / "c.yaml").write_text(
            self.config(", read: [alise]").replace("auth: team", "auth: taem"))
        self.set_password("alice", "a")
        done = run_command("check", "-c", self.directory / "c.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"c\.yaml:4:\d+: auth\.team\.read: .*did you mean alice\?")
        self.assertRegex(done.stderr, r"c\.yaml:5:\d+: routes\[0\]\.auth: .*did you mean team\?")
        self.users.unlink()
        done = run_command("check", "-c", self.directory / "c.yaml")
        self.assertRegex(done.stderr, r"c\.yaml:4:\d+: auth\.team\.basic\.file: .*No such file")


class Throttle(AuthCase):
    def test_guesses_are_refused_and_written_down_without_secrets(self):
        self.set_password("alice", "right")
        server = self.serve_team()
        statuses = [self.ask(server, "alice", f"guess{n}").status for n in range(12)]
        self.assertEqual(statuses, [401] * 10 + [429] * 2)
        self.assertEqual(self.ask(server, "alice", "right").status, 429)
        self.assertEqual(self.ask(server).status, 401, "who sends nothing is no guesser")
        index = server.wait_line("auth_throttled")
        self.assertIn("client=127.0.0.1 auth=team", server.lines[index])
        failed = [line for line in server.lines if "auth_failed" in line]
        self.assertEqual(len(failed), 10)
        # The expression of docs/auth.md.
        self.assertTrue(all(re.search(r"auth_failed client=(\S+) ", line) for line in failed))
        self.assertNotIn("guess", "\n".join(server.lines))
        counters = wait_until(lambda: (found := server.status()["counters"])[
            'servery_auth_total{result="throttled"}'] == 3 and found, 5, "counters")
        self.assertEqual(counters['servery_auth_total{result="wrong"}'], 10)
        self.stop_and_check(server)

    def test_a_name_that_is_no_users_is_not_written_down(self):
        self.set_password("alice", "right")
        server = self.serve_team()
        self.assertEqual(self.ask(server, "my-password", "x").status, 401)
        server.wait_line("auth_failed client=127.0.0.1 auth=team user=unknown")
        self.assertNotIn("my-password", "\n".join(server.lines))
        self.stop_and_check(server)


class Passwd(AuthCase):
    def test_round_trip(self):
        self.set_password("alice", "one")
        self.set_password("b\u00f6b", "p\u00e4ss:w\u00f6rd")
        self.set_password("alice", "two")
        self.assertEqual(len(self.users.read_text().splitlines()), 2)
        self.assertNotIn("two", self.users.read_text())
        server = self.serve_team()
        self.assertEqual(self.ask(server, "alice", "two").status, 200)
        self.assertEqual(self.ask(server, "alice", "one").status, 401)
        self.assertEqual(self.ask(server, "b\u00f6b", "p\u00e4ss:w\u00f6rd").status, 200)
        self.stop_and_check(server)
        self.assertEqual(passwd(self.users, "alice", "", "--delete").returncode, 0)
        self.assertEqual(passwd(self.users, "alice", "", "--delete").returncode, 2)
        self.assertNotIn("alice", self.users.read_text())

    def test_mode_link_and_other_lines_stay(self):
        real = self.directory / "real"
        real.write_text("# ours\ncarol:whatever it is\n")
        real.chmod(0o640)
        self.users.symlink_to(real)
        self.set_password("alice", "one")
        self.assertTrue(self.users.is_symlink())
        self.assertEqual(stat.S_IMODE(real.stat().st_mode), 0o640)
        self.assertTrue(real.read_text().startswith("# ours\ncarol:whatever it is\nalice:$argon2id$"))
        self.assertEqual(sorted(p.name for p in self.directory.iterdir() if p.name.startswith(".")), [])

    def test_at_the_same_time_no_user_is_lost(self):
        runs = [subprocess.Popen([BINARY, "passwd", f"user{n}", str(self.users)], stdin=subprocess.PIPE,
                                 stdout=subprocess.DEVNULL) for n in range(8)]
        for run in runs:
            run.communicate(b"secret\n", timeout=20)
            self.assertEqual(run.returncode, 0)
        self.assertEqual(len(self.users.read_text().splitlines()), 8)

    def test_what_is_wrong_changes_nothing(self):
        self.set_password("alice", "one")
        before = self.users.read_text()
        for user, password, arguments in (("alice", "", ()), ("a:b", "x", ()), ("alice", "x" * 300, ()),
                                          ("alice", "x" * 73, ("--hash", "bcrypt")),
                                          ("alice", "x", ("--hash", "md5"))):
            done = passwd(self.users, user, password, *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), (user, arguments))
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(self.users.read_text(), before)
        self.assertEqual(passwd(self.directory / "none" / "users", "alice", "x").returncode, 2)

    def on_terminal(self, *lines):
        """What is shown, and the exit code, when `lines` are typed."""
        control, terminal = pty.openpty()
        process = subprocess.Popen([BINARY, "passwd", "alice", str(self.users)], stdin=terminal,
                                   stdout=terminal, stderr=terminal, close_fds=True)
        shown = b""
        for question, line in zip((b"alice: ", b"Again: "), lines):
            while not shown.endswith(question):
                shown += os.read(control, 1024)
            os.write(control, line)
        code = process.wait(20)
        os.close(terminal)
        try:
            while data := os.read(control, 1024):
                shown += data
        except OSError:
            pass
        os.close(control)
        return shown, code

    def test_on_a_terminal_it_asks_twice_and_shows_nothing(self):
        shown, code = self.on_terminal(b"se cret\n", b"se cret\n")
        self.assertEqual(code, 0, shown)
        self.assertNotIn(b"cret", shown)
        server = self.serve_team()
        self.assertEqual(self.ask(server, "alice", "se cret").status, 200)
        self.stop_and_check(server)
        before = self.users.read_text()
        self.assertEqual(self.on_terminal(b"one\n", b"two\n")[1], 2)
        self.assertEqual(self.on_terminal(b"on\x03\n")[1], 2)
        self.assertEqual(self.users.read_text(), before)


class QuickMode(AuthCase):
    def serve_quick(self, *arguments):
        return self.start(arguments=["--listen", "127.0.0.1:0", "--workers", "1", *arguments,
                                     self.directory / "site"]).wait_ready()

    def test_a_given_password(self):
        server = self.serve_quick("--auth", "alice:a:b", "--auth", "bob:b")
        self.assertEqual(self.ask(server).status, 401)
        self.assertEqual(self.ask(server, "alice", "a:b").status, 200)
        self.assertEqual(self.ask(server, "bob", "b", "/").status, 200)
        code, verdict = server.reload()
        self.assertEqual(code, 0, verdict)
        self.assertEqual(self.ask(server, "alice", "a:b").status, 200)
        self.assertNotIn("a:b", "\n".join(server.lines))
        self.stop_and_check(server)

    def test_a_password_that_is_made_is_shown_once(self):
        server = self.serve_quick("--auth", "alice")
        shown = [line for line in server.lines if "password" in line]
        self.assertEqual(len(shown), 1, shown)
        password = re.fullmatch(r"servery: user alice, password ([a-z2-9]{5}(?:-[a-z2-9]{5}){3})", shown[0])[1]
        self.assertEqual(self.ask(server, "alice", password).status, 200)
        self.assertEqual(self.ask(server, "alice", password[:-1]).status, 401)
        self.assertEqual(server.reload()[0], 0)
        self.assertEqual(self.ask(server, "alice", password).status, 200, "the same over a reload")
        self.assertEqual("\n".join(server.lines).count(password), 1)
        self.assertNotIn(password, str(server.status()))
        self.stop_and_check(server)

    def test_config_shows_neither_password_nor_hash(self):
        done = run_command("config", self.directory, "--auth", "alice:topsecret", "--auth", "bob")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('users: ["alice:***", "bob:***"]', done.stdout)
        self.assertRegex(done.stdout, r"auth: login +# flag --auth")
        self.assertNotIn("topsecret", done.stdout + done.stderr)
        self.assertNotIn("$argon2", done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")

    def test_wrong_usage(self):
        for arguments in (["--auth", ""], ["--auth", ":x"], ["--auth", "alice:"], ["--auth", "a:b", "-c", "x"]):
            done = run_command("check", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertNotIn(":x", done.stderr)


if __name__ == "__main__":
    unittest.main()
