"""Start, readiness, status, stop, and what a start refuses."""

import errno
import json
import os
import re
import resource
import shutil
import signal
import socket
import unittest

import seccomp
from case import ServeryCase
from servery import BINARY, run_command

STATUS_KEYS = {
    "schema", "version", "state", "live", "ready", "pid", "uptime_s", "config", "generation", "generations",
    "workers", "listeners", "last_reload", "draining", "certificates", "locks", "counters"}
WORKER_KEYS = {"slot", "generation", "pid", "state", "age_s", "connections", "requests", "cpu_s", "rss_bytes",
               "restarts", "last_exit"}
LISTENER_KEYS = {"address", "configured", "kind", "mode", "sockets", "lent"}
GENERATION_KEYS = {"id", "state", "since", "deadline", "workers", "connections"}


class StartAndStop(ServeryCase):
    SANITIZER = True

    def test_ready_serves_and_stops(self):
        server = self.serve()
        self.assert_serves(server)
        self.assert_no_zombies(server)
        self.stop_and_check(server)

    def test_status_has_the_documented_shape(self):
        server = self.serve(workers=2)
        self.assert_serves(server)
        result = server.command("status", "--json")
        self.assertEqual(result.returncode, 0)
        status = json.loads(result.stdout)
        self.assertLessEqual(STATUS_KEYS, set(status))
        self.assertEqual((status["schema"], status["state"], status["live"], status["ready"]),
                         (1, "ready", True, True))
        self.assertEqual(status["pid"], server.pid)
        self.assertEqual(status["config"], {"path": str(server.config), "profile": "local"})
        self.assertEqual([worker["slot"] for worker in status["workers"]], [0, 1])
        for worker in status["workers"]:
            self.assertLessEqual(WORKER_KEYS, set(worker))
            self.assertEqual((worker["state"], worker["restarts"], worker["last_exit"]), ("ready", 0, None))
            self.assertGreater(worker["rss_bytes"], 0)
        (listener,) = status["listeners"]
        self.assertLessEqual(LISTENER_KEYS, set(listener))
        self.assertEqual((listener["configured"], listener["kind"], listener["mode"], listener["sockets"]),
                         ("127.0.0.1:0", "tcp", "per_slot", 2))
        self.assertRegex(listener["address"], r"^127\.0\.0\.1:[1-9]\d+$")
        (generation,) = status["generations"]
        self.assertLessEqual(GENERATION_KEYS, set(generation))
        self.assertEqual((generation["id"], generation["state"], generation["workers"]),
                         (status["generation"], "ready", 2))
        self.assertGreater(len(status["counters"]), 0)
        self.stop_and_check(server)

    def test_human_status(self):
        server = self.serve()
        result = server.command("status")
        self.assertEqual(result.returncode, 0)
        self.assertIn("ready", result.stdout)
        self.assertIn(f"127.0.0.1:{server.port()}", result.stdout)
        self.assertNotIn("\x1b", result.stdout, "no colour into a pipe")
        self.stop_and_check(server)

    def test_terminate_and_interrupt_stop_gracefully(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                server = self.serve()
                server.send(number)
                self.assertEqual(server.wait_exit(), 0)
        self.check_nothing_left()

    def test_reopen_signal_is_taken_and_logged(self):
        server = self.serve()
        server.send(signal.SIGUSR1)
        server.wait_line("no log file to reopen")
        self.assert_serves(server)
        self.stop_and_check(server)

    def test_quit_dumps_the_state_and_goes_on(self):
        server = self.serve()
        before = len(server.lines)
        server.send(signal.SIGQUIT)
        server.wait_line("generation", start=before)
        self.assert_serves(server)
        self.stop_and_check(server)

    def test_all_workers_answer(self):
        server = self.serve(workers=3)
        for _ in range(60):
            self.assert_serves(server)
        self.assertEqual(sum(worker["requests"] for worker in server.status()["workers"]), 60)
        self.stop_and_check(server)


class KernelFallbacks(ServeryCase):
    def test_refused_calls_are_done_without_and_named(self):
        for error in (errno.ENOSYS, errno.EPERM):
            with self.subTest(errno.errorcode[error]):
                server = self.start(self.site_config(workers=2),
                                    preexec_fn=lambda: seccomp.deny(seccomp.OPENAT2, error)).wait_ready()
                self.assert_serves(server)
                self.assertEqual(self.get(server, "/none").status, 404)
                self.assertEqual(server.status()["fallbacks"],
                                 [{"call": "openat2", "workers": 2}, {"call": "resolve_cached", "workers": 2}])
                self.assertIn("without openat2 in 2 workers", server.command("status").stdout)
                self.stop_and_check(server)

    def test_nothing_is_named_where_nothing_is_refused(self):
        server = self.serve()
        self.assertEqual(server.status()["fallbacks"], [])
        self.stop_and_check(server)


class QuickMode(ServeryCase):
    def quick(self, *arguments, **options):
        return self.start(arguments=[self.site, *arguments], **options).wait_ready()

    def test_banner_names_the_real_url(self):
        server = self.quick("--listen", "127.0.0.1:0")
        server.wait_line(f"http://127.0.0.1:{server.port()}")
        self.assert_serves(server)
        self.stop_and_check(server)

    def test_default_port_moves_on_when_taken(self):
        first = self.quick()
        second = self.quick(name="second")
        ports = first.port(), second.port()
        for port in ports:
            self.assertIn(port, range(8000, 8064))
        self.assertGreater(ports[1], ports[0])
        self.assert_serves(second)
        self.assertEqual(first.stop(), 0)
        self.stop_and_check(second)

    def test_local_profile_refuses_a_foreign_host(self):
        server = self.quick("--listen", "127.0.0.1:0")
        for host, status in (("localhost", 200), ("a.localhost", 200), ("127.0.0.1:1234", 200), ("[::1]", 200),
                             ("evil.example", 403)):
            self.assertEqual(self.get(server, host=host).status, status, host)
        self.stop_and_check(server)

    def test_signals_are_as_they_must_be_whatever_the_parent_ignores(self):
        server = self.start(self.site_config(),
                            preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)).wait_ready()
        for pid in (server.process.pid, *(worker["pid"] for worker in server.status()["workers"])):
            with open(f"/proc/{pid}/status", encoding="ascii") as status:
                ignored = int(re.search(r"SigIgn:\s*(\w+)", status.read()).group(1), 16)
            for needed in (signal.SIGXFSZ, signal.SIGTTOU):
                self.assertTrue(ignored >> (needed - 1) & 1, f"{needed.name} of {pid}")
            self.assertFalse(ignored >> (signal.SIGCHLD - 1) & 1, f"SIGCHLD of {pid}")
        self.assert_serves(server)
        self.stop_and_check(server)

    def test_workers_flag_and_set(self):
        server = self.quick("--listen", "127.0.0.1:0", "--workers", "3", "--set", "limits.header_count=70")
        self.assertEqual(len(server.worker_pids()), 3)
        config = run_command("config", "--set", "limits.header_count=70")
        self.assertRegex(config.stdout, r"header_count: 70 .*--set")
        self.stop_and_check(server)

    def test_environment(self):
        server = self.start(arguments=[self.site, "--listen", "127.0.0.1:0"],
                            env={"SERVERY__RUNTIME__WORKERS": "1", "PATH": "/usr/bin:/bin"}).wait_ready()
        self.assertEqual(len(server.worker_pids()), 1)
        self.stop_and_check(server)


class RefusedStart(ServeryCase):
    def assert_refused(self, code, text, config=None, arguments=(), **options):
        """One line says why, and nothing is left."""
        before = sorted(self.directory.rglob("*"))
        server = self.start(config, arguments, **options)
        self.assertEqual(server.wait_exit(), code, server.lines)
        self.assertEqual([line[:9] for line in server.lines], ["servery: "], server.lines)
        self.assertRegex(server.lines[0], text)
        left = [path for path in self.directory.rglob("*") if path not in before and path != server.config]
        self.assertEqual(left, [])
        self.check_nothing_left()

    def test_unknown_flag(self):
        self.assert_refused(2, "--worker", arguments=["--workerz", "1"])

    def test_unreadable_file(self):
        self.assert_refused(2, "nothing.yaml", arguments=["-c", self.directory / "nothing.yaml"])

    def test_one_unix_socket_by_two_names(self):
        (self.directory / "sub").mkdir()
        self.assert_refused(2, r"listeners\[1\]\.address: `unix:.*/a\.sock` listens there already", self.site_config(
            listeners='{address: "unix:a.sock"}, {address: "unix:sub/../a.sock"}'))
        self.assert_refused(2, r"listeners\[0\]\.address: `runtime\.control_socket` listens there",
                            self.site_config(listeners='{address: "unix:servery.sock"}'))

    def test_directory_together_with_file(self):
        server_config = self.write("other.yaml", self.site_config())
        self.assert_refused(2, "-c", arguments=["-c", server_config, self.site])

    def test_unknown_key_with_place_and_suggestion(self):
        self.assert_refused(2, r"servery\.yaml:2:\d+.*runtme.*runtime",
                            config=self.site_config().replace("runtime:", "runtme:"))

    def test_bad_value(self):
        self.assert_refused(2, r"servery\.yaml:2:\d+.*workers", config=self.site_config(workers="many"))

    def test_missing_root(self):
        self.assert_refused(2, r"servery\.yaml:6.*root", config=self.site_config().replace("root: site", "root: nope"))

    def test_unknown_user(self):
        self.assert_refused(2, "no-such-user", config=self.site_config(runtime="user: no-such-user"))

    def test_later_profile_is_refused(self):
        self.assert_refused(2, "profile", config="profile: production\n" + self.site_config())

    def test_later_key_is_refused(self):
        self.assert_refused(2, "upload", config=self.site_config().replace("root: site", "root: site, upload: true"))

    def test_every_problem_at_once(self):
        config = self.site_config(workers="many").replace("root: site", "root: nope") + "wrong: 1\n"
        result = run_command("check", "--json", "-c", self.write("bad.yaml", config))
        self.assertEqual(result.returncode, 2)
        for key in ("runtime.workers", "wrong", "root"):
            self.assertIn(key, result.stdout)

    def test_busy_port(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            self.assert_refused(1, rf"127\.0\.0\.1:{port} is in use by {os.getpid()}",
                                self.site_config(listeners=f'{{address: "127.0.0.1:{port}"}}'))

    def test_port_of_another_servery_is_busy_too(self):
        first = self.serve()
        listeners = f'{{address: "127.0.0.1:{first.port()}"}}'
        second = self.start(self.site_config(listeners=listeners), name="second")
        self.assertEqual(second.wait_exit(), 1, second.lines)
        self.assert_serves(first)
        self.stop_and_check(first)

    def test_control_socket_of_a_live_server(self):
        first = self.serve()
        second = self.start(self.site_config())
        self.assertEqual(second.wait_exit(), 1, second.lines)
        self.assert_serves(first)
        self.stop_and_check(first)

    def test_bad_flags(self):
        for text, *arguments in (
                (r"serve: --workers: a value is expected", "--workers"),
                (r"serve: --workers: may be given once", "--workers", "1", "--workers", "2"),
                (r"--workers: runtime\.workers: .*\(did you mean auto\?\)", "--workers", "atuo"),
                (r"serve: unexpected argument `b`", self.site, "b"),
                (r"serve: --set x: KEY=VALUE", "--set", "x"),
                (r"--set: runtime\.wrkers: unknown key \(did you mean workers\?\)", "--set", "runtime.wrkers=1"),
                (r"--listen: listeners\[0\]\.address: the port", "--listen", "70000"),
                (r"DIR: routes\[0\]\.static\.root: .*/one-kib\.bin is not a directory", self.site / "one-kib.bin")):
            with self.subTest(text):
                self.assert_refused(2, text, arguments=arguments)

    def test_bad_files(self):
        os.mkfifo(self.directory / "fifo")
        for path, text in ((self.directory, "not a regular file"), (self.directory / "fifo", "not a regular file"),
                           ("/dev/zero", "not a regular file"), (self.directory / "none", "No such file"),
                           (self.write("huge.yaml", b"#" * (1 << 20) + b"\n"), "larger than 1 MiB")):
            with self.subTest(path=path):
                self.assert_refused(2, f"servery: {path}: {text}", arguments=["-c", path])

    def test_bad_text(self):
        good = self.site_config()
        for place, config in (
                (r"1:1: the file holds no configuration", ""), (r"1:1: ", "hello\n"), (r"1:1: ", "- a\n"),
                (r"1:1: schema: `schema: 1` is required", good.replace("schema: 1\n", "")),
                (r"1:9: schema: must be 1", good.replace("schema: 1", "schema: 2")),
                (r"1:9: schema: tags are not allowed", good.replace("schema: 1", "schema: !!int 1")),
                (r"9:1: schema: the key is there twice", good + "schema: 1\n"),
                (r"9:1: only one document", good + "---\n" + good),
                (r"9:1: control character 0x00", good + "\0"),
                (r"2:\d+: hosts(\[0\])+: nested deeper than 32", "schema: 1\nhosts: " + "[" * 5000 + "]" * 5000),
                (r"2:8: hosts: anchors and aliases", "schema: 1\nhosts: &a [b]\n"),
                (r"2:10: limits\.<<: merge keys", "schema: 1\nlimits: {<<: {connections: 1}}\n"),
                (r"3:\d+: not YAML", "schema: 1\nruntime:\n\tworkers: 1\n"),
                (r"3:1: not YAML", "schema: 1\nlisteners: [\n")):
            with self.subTest(place):
                self.assert_refused(2, rf"servery\.yaml:{place}", config=config)

    def test_text_that_is_not_utf_8(self):
        path = self.write("latin.yaml", self.site_config().encode() + b"# \xe4\n")
        self.assert_refused(2, r"latin\.yaml:9:3: byte 0xe4 is not UTF-8", arguments=["-c", path])

    def test_bad_environment(self):
        for code, text, environment in (
                (2, r"SERVERY__RUNTIME__WRKERS: runtime\.wrkers: unknown key", {"SERVERY__RUNTIME__WRKERS": "1"}),
                (2, r"SERVERY__RUNTIME__WORKERS: runtime\.workers: ", {"SERVERY__RUNTIME__WORKERS": "x"}),
                (2, r"NOTIFY_SOCKET is neither", {"NOTIFY_SOCKET": "nonsense"})):
            with self.subTest(text):
                self.assert_refused(code, text, arguments=[self.site], env=environment)

    def test_bad_places_of_the_control_socket(self):
        for code, text, path in (
                (2, r"control_socket: at most \d+ bytes", self.directory / ("x" * 150)),
                (2, r"control_socket: there is no directory .*/a$", self.directory / "a" / "b" / "c.sock"),
                (2, r"control_socket: .*/index\.html is not a directory", self.site / "index.html" / "c.sock"),
                (2, r"control_socket: something that is not a socket", self.site)):
            with self.subTest(text):
                self.assert_refused(code, text, arguments=[self.site, "--control", path], control_flag=False)

    def test_directory_made_for_the_control_socket_goes_with_it(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            listen = f"127.0.0.1:{other.getsockname()[1]}"
            self.assert_refused(1, "in use", arguments=[
                self.site, "--listen", listen, "--control", self.directory / "made" / "c.sock"], control_flag=False)

    def test_too_few_descriptors(self):
        for limit in (6, 20):
            with self.subTest(limit):
                self.assert_refused(1, rf"open files \(ulimit -n\) is {limit}: at least", self.site_config(),
                                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))

    def test_address_of_another_machine(self):
        self.assert_refused(1, r"192\.0\.2\.1:8000: Cannot assign", self.site_config(listeners='{address: "192.0.2.1:8000"}'))

    def test_root_that_the_worker_cannot_read(self):
        if os.geteuid() != 0:
            self.skipTest("root may read what its workers may not")
        (self.directory / "private").mkdir(0o700)
        self.assert_refused(2, r"routes\[0\].static.root: .*/private may not be read by `nobody`",
                            self.site_config().replace("root: site", "root: private"))

    def test_group_of_root(self):
        if os.geteuid() != 0:
            self.skipTest("only root may choose a group")
        self.assert_refused(2, "runtime.group: workers as `nobody` would keep the group of root",
                            self.site_config(runtime="group: root"))

    def test_what_an_ordinary_user_may_not(self):
        if os.geteuid() != 0:
            self.skipTest("needs a user to become")
        # A copy: the clone may stand where nobody else may look, as below /root.
        binary = shutil.copy(BINARY, self.directory / "servery-copy")
        nobody = {"user": "nobody", "group": "nogroup", "extra_groups": [], "binary": binary}
        (self.directory / "private").mkdir(0o700)
        listen = ["--listen", "127.0.0.1:0"]
        for code, text, arguments in (
                (2, r"runtime\.user: only root can", [self.site, *listen, "--set", "runtime.user=daemon"]),
                (2, r"static\.root: .*/private: Permission denied", [self.directory / "private", *listen]),
                (1, r"servery\.sock\.lock: Permission denied", [self.site, *listen])):
            with self.subTest(text):
                self.assert_refused(code, text, arguments=arguments, **nobody)

    def test_no_server_at_the_control_socket(self):
        for command in ("status", "reload", "stop", "plan"):
            result = run_command(command, "--control", self.directory / "none.sock")
            self.assertEqual(result.returncode, 3, command)
            self.assertNotEqual(result.stderr, "", command)


class Commands(ServeryCase):
    def test_version(self):
        result = run_command("version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"servery \d+\.\d+\.\d+")
        self.assertIn("libuv", result.stdout)

    def test_check_binds_nothing_and_says_yes(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            listeners = f'{{address: "127.0.0.1:{other.getsockname()[1]}"}}'
            config = self.write("servery.yaml", self.site_config(listeners=listeners))
            self.assertEqual(run_command("check", "-c", config).returncode, 0)

    def test_config_shows_where_values_come_from(self):
        config = self.write("servery.yaml", self.site_config(workers=2))
        result = run_command("config", "-c", config)
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, re.compile(r"workers: 2 +# .*servery\.yaml:2", re.MULTILINE))
        self.assertRegex(result.stdout, r"drain_timeout: 60s +# default|drain_timeout: 1m +# default")

    def test_help_names_every_command(self):
        result = run_command("--help")
        self.assertEqual(result.returncode, 0)
        for command in ("serve", "check", "config", "plan", "reload", "status", "stop", "version"):
            self.assertIn(command, result.stdout)


if __name__ == "__main__":
    unittest.main()
