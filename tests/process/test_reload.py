"""Reload: verdicts, losslessness under load, worker and listener changes, nothing leaked."""

import json
import os
import signal
import socket
import unittest

import http_client
import processes
from load_case import EVERY_MODE, LoadCase
from servery import wait_until


class Reload(LoadCase):
    def test_good_reload_serves_the_new_tree(self):
        server = self.serve()
        before = server.status()
        self.write("other/index.html", "<h1>other</h1>\n")
        result = server.reload(config=self.site_config().replace("root: site", "root: other"))
        self.assert_committed(result)
        self.assertEqual(self.get(server).body, b"<h1>other</h1>\n")
        after = self.settled(server)
        self.assertGreater(after["generation"], before["generation"])
        self.assertEqual(after["last_reload"]["verdict"], "committed")
        self.assertEqual(after["last_reload"]["tier"], "generation")
        old = {worker["pid"] for worker in before["workers"]}
        self.assertTrue(old.isdisjoint(server.worker_pids().values()))
        for pid in old:
            self.wait_gone(pid)
        self.stop_and_check(server)

    def test_bad_reloads_change_nothing(self):
        server = self.serve()
        pids = server.worker_pids()
        good = server.config.read_text()
        with socket.create_server(("127.0.0.1", 0)) as other:
            busy = self.site_config(listeners='{address: "127.0.0.1:0"}, {address: "127.0.0.1:%d"}' %
                                    other.getsockname()[1])
            for config, code in (("schema: [", 2), (good + "unknown: 1\n", 2),
                                 (good.replace("root: site", "root: missing"), 2), (busy, 1)):
                with self.subTest(config=config):
                    result, verdict = server.reload(config=config)
                    self.assertEqual(result, code, verdict)
                    self.assertEqual(verdict["verdict"], "rolled_back" if code == 1 else "invalid")
                    self.assertTrue(verdict["problems"] or verdict.get("error"), verdict)
                    self.assert_serves(server)
                    self.assertEqual(server.worker_pids(), pids)
        self.assertEqual(server.status()["last_reload"]["verdict"], "rolled_back")
        self.assert_committed(server.reload(config=good))
        self.stop_and_check(server)

    def test_hangup_reloads(self):
        server = self.serve()
        generation = server.status()["generation"]
        server.send(signal.SIGHUP)
        server.wait_status(lambda status: status["generation"] > generation, what="new generation")
        self.assert_serves(server)
        self.stop_and_check(server)

    def test_reload_to_another_file(self):
        server = self.serve()
        self.write("other/index.html", "<h1>other</h1>\n")
        other = self.write("other.yaml", self.site_config().replace("root: site", "root: other"))
        self.assert_committed(server.reload("-c", other))
        self.assertEqual(server.status()["config"]["path"], str(other))
        self.assertEqual(self.get(server).body, b"<h1>other</h1>\n")
        self.assert_committed(server.reload())
        self.assertEqual(server.status()["config"]["path"], str(other))
        self.stop_and_check(server)

    def test_plan_says_what_would_happen(self):
        server = self.serve(workers=2)
        server.config.write_text(self.site_config(workers=3).replace("/health", "/healthy"))
        result = server.command("plan")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("runtime.workers", result.stdout)
        self.assertIn("generation", result.stdout)
        self.assertEqual(len(server.worker_pids()), 2, "a plan changes nothing")
        self.stop_and_check(server)

    def test_ten_reloads_under_load(self):
        server = self.serve()
        good = server.config.read_text()
        with self.load(server, "--fresh", 200, *EVERY_MODE) as load:
            for round_number in range(10):
                if round_number % 2:
                    self.assertNotEqual(server.reload(config=good + "unknown: 1\n")[0], 0)
                else:
                    self.assert_committed(server.reload(config=good))
            report = self.assert_lossless(load)
        self.assertEqual(report["stale_closes"], 0)
        self.settled(server)
        self.stop_and_check(server)

    def test_worker_count_changes_under_load(self):
        server = self.serve(workers=4)
        with self.load(server, "--fresh", 200, "--preconnect", 10, "--keepalive", 10) as load:
            for workers in (1, 3, 2):
                self.assert_committed(server.reload(config=self.site_config(workers=workers)))
                self.assertEqual(len(server.worker_pids()), workers)
            report = self.assert_lossless(load)
        self.assertEqual(report["stale_closes"], 0)
        self.settled(server)
        self.stop_and_check(server)

    @unittest.skipUnless(processes.has_ipv6(), "this machine has no IPv6 loopback")
    def test_listener_moves_under_load(self):
        server = self.serve(listeners='{address: "0.0.0.0:0"}')
        self.assert_listener_moves(server, 15, "--fresh", 100, "--preconnect", 10)
        self.settled(server)
        self.stop_and_check(server)

    def test_wildcard_and_specific_address_under_load(self):
        server = self.serve(listeners='{address: "0.0.0.0:0"}')
        port = server.port()
        with self.load(server, "--fresh", 200, "--preconnect", 10, "--keepalive", 10) as load:
            for address in (f"127.0.0.1:{port}", f"0.0.0.0:{port}"):
                config = self.site_config(listeners=f'{{address: "{address}"}}')
                self.assert_committed(server.reload(config=config))
            report = self.assert_lossless(load)
        self.assertEqual(report["stale_closes"], 0, "each address went on being served")
        self.settled(server)
        self.stop_and_check(server)

    def test_listener_added_and_removed(self):
        server = self.serve()
        first = '{address: "127.0.0.1:0"}'
        self.assert_committed(server.reload(config=self.site_config(
            listeners=f'{first}, {{address: "unix:{self.directory}/http.sock", mode: "0660"}}')))
        path = str(self.directory / "http.sock")
        self.assertEqual(http_client.request(path, "GET", "/").status, 200)
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o660)
        self.assert_committed(server.reload(config=self.site_config(listeners=first)))
        self.assertFalse(os.path.exists(path))
        self.assert_serves(server)
        self.stop_and_check(server)

    def test_descriptors_and_processes_stay_the_same(self):
        server = self.serve()
        good = server.config.read_text()

        def footprint():
            self.settled(server)
            wait_until(lambda: len(processes.children(server.pid)) == 2, 10, "two workers")
            return (len(processes.descriptors(server.pid)),
                    [len(processes.descriptors(pid)) for pid in server.worker_pids().values()])

        self.assert_committed(server.reload())
        before = footprint()
        for round_number in range(10):
            server.reload(config=good if round_number % 2 else good + "unknown: 1\n")
        self.assertEqual(footprint(), before)
        self.assert_no_zombies(server)
        self.stop_and_check(server)

    def test_idle_connection_lives_through_a_reload(self):
        server = self.serve(workers=1)
        with http_client.connect(server.address()) as connection:
            http_client.send_request(connection, "GET", "/")
            self.assertEqual(http_client.read_answer(connection).status, 200)
            self.assert_committed(server.reload())
            self.settled(server)
            http_client.send_request(connection, "GET", "/")
            self.assertEqual(http_client.read_answer(connection).status, 200)
        self.stop_and_check(server)

    def assert_idle_connections_live_through(self, server, configs):
        connections = [http_client.connect(server.address()) for _ in range(16)]
        for connection in connections:
            http_client.send_request(connection, "GET", "/")
            self.assertEqual(http_client.read_answer(connection).status, 200)
        for config in configs:
            self.assert_committed(server.reload(config=config))
            self.settled(server)
        for connection in connections:
            http_client.send_request(connection, "GET", "/")
            self.assertEqual(http_client.read_answer(connection).status, 200)
            connection.close()
        self.assertEqual(server.status()["counters"]["servery_handover_kept_total"], 0)
        self.stop_and_check(server)

    def test_idle_connections_outlive_the_slots_they_were_accepted_for(self):
        # By the second reload no generation knows the sockets of the slots 1 to 3 any more.
        self.assert_idle_connections_live_through(
            self.serve(workers=4), [self.site_config(workers=workers) for workers in (1, 2)])

    def test_idle_connections_live_through_a_move_to_the_wildcard_and_back(self):
        server = self.serve()
        port = server.port()
        self.assert_idle_connections_live_through(
            server, [self.site_config(listeners=f'{{address: "{host}:{port}"}}')
                     for host in ("0.0.0.0", "127.0.0.1", "0.0.0.0")])

    def test_restart_only_key_is_refused_by_name(self):
        control = self.directory / "servery.sock"
        server = self.start(self.site_config(runtime=f"control_socket: {control}"), control_flag=False)
        server.wait_ready()
        pids = server.worker_pids()
        code, verdict = server.reload(config=self.site_config(runtime=f"control_socket: {control}.moved"))
        self.assertEqual((code, verdict["verdict"], verdict["tier"], verdict["generation"]),
                         (1, "rolled_back", "restart", 1))
        (problem,) = verdict["problems"]
        self.assertEqual((problem["key"], problem["reason"]), ("runtime.control_socket", "needs_restart"))
        plan = server.command("plan", "--json")
        answer = json.loads(plan.stdout)
        self.assertEqual((plan.returncode, answer["tier"], answer["verdict"]), (1, "restart", "rolled_back"))
        self.assertEqual(answer["problems"], verdict["problems"])
        self.assertEqual(server.worker_pids(), pids)
        self.assert_serves(server)
        self.stop_and_check(server)

    def test_each_problem_is_printed_once(self):
        server = self.serve()
        server.config.write_text(self.site_config(workers="many") + "wrong: 1\n")
        result = server.command("reload")
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stdout, r"^reload: invalid, generation 1, ")
        for problem in ("runtime.workers", "wrong: unknown key"):
            self.assertEqual(result.stdout.count(problem), 1, result.stdout)
        self.stop_and_check(server)


if __name__ == "__main__":
    unittest.main()
