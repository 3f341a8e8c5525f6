"""Start, readiness, status, stop, and what a start refuses."""

import json
import re
import signal
import socket
import unittest

from case import ServeryCase
from servery import run_command

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
    EXPECTED_ERRORS = ("",)  # each of these says on stderr why it did not start

    def assert_refused(self, code, text, config=None, arguments=()):
        server = self.start(config, arguments)
        self.assertEqual(server.wait_exit(), code, server.lines)
        self.assertRegex("\n".join(server.lines), text)
        self.check_nothing_left()

    def test_unknown_flag(self):
        self.assert_refused(2, "--worker", arguments=["--workerz", "1"])

    def test_unreadable_file(self):
        self.assert_refused(2, "nothing.yaml", arguments=["-c", self.directory / "nothing.yaml"])

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
            server = self.start(self.site_config(listeners=f'{{address: "127.0.0.1:{port}"}}'))
            self.assertEqual(server.wait_exit(), 1, server.lines)
            self.assertRegex("\n".join(server.lines), rf"127\.0\.0\.1:{port}.*in use")
            self.check_nothing_left()

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
