"""Addresses: both families, Unix sockets, inherited descriptors."""

import os
import signal
import socket
import subprocess
import sys
import unittest

import http_client
import processes
from case import ServeryCase


class TcpAddresses(ServeryCase):
    @unittest.skipUnless(processes.has_ipv6(), "this machine has no IPv6 loopback")
    def test_port_alone_is_both_families(self):
        server = self.serve(listeners='{address: ":0"}')
        ports = {int(listener["address"].rpartition(":")[2]) for listener in server.status()["listeners"]}
        self.assertEqual(len(ports), 1, "one port for both")
        (port,) = ports
        for host in ("127.0.0.1", "::1"):
            self.assertEqual(http_client.request((host, port), "GET", "/").status, 200, host)
        self.stop_and_check(server)

    @unittest.skipUnless(processes.has_ipv6(), "this machine has no IPv6 loopback")
    def test_ipv6_wildcard_is_ipv6_only(self):
        server = self.serve(listeners='{address: "[::]:0"}')
        port = server.port()
        self.assertEqual(http_client.request(("::1", port), "GET", "/").status, 200)
        with self.assertRaises(ConnectionRefusedError):
            http_client.connect(("127.0.0.1", port))
        self.stop_and_check(server)

    def test_ipv4_wildcard(self):
        server = self.serve(listeners='{address: "0.0.0.0:0"}')
        self.assertEqual(http_client.request(("127.0.0.1", server.port()), "GET", "/").status, 200)
        self.stop_and_check(server)


class UnixSockets(ServeryCase):
    EXPECTED_ERRORS = ("socket", "address", "listen")

    def setUp(self):
        super().setUp()
        self.path = str(self.directory / "http.sock")
        self.listeners = f'{{address: "unix:{self.path}", mode: "0640"}}'

    def test_serves_with_mode_and_is_removed_at_stop(self):
        server = self.serve(listeners=self.listeners)
        self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o640)
        for _ in range(20):
            self.assertEqual(http_client.request(self.path, "GET", "/").status, 200)
        self.assertEqual(server.status()["listeners"][0]["mode"], "shared")
        self.stop_and_check(server)

    def test_dead_socket_is_replaced(self):
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(self.path)
        server = self.serve(listeners=self.listeners)
        self.assertEqual(http_client.request(self.path, "GET", "/").status, 200)
        self.stop_and_check(server)

    def test_live_socket_of_another_process_is_in_use(self):
        with socket.socket(socket.AF_UNIX) as live:
            live.bind(self.path)
            live.listen()
            inode = os.stat(self.path).st_ino
            server = self.start(self.site_config(listeners=self.listeners))
            self.assertEqual(server.wait_exit(), 1, server.lines)
            self.assertEqual(os.stat(self.path).st_ino, inode)

    def test_file_that_is_no_socket_is_left_alone(self):
        self.write("http.sock", "precious")
        server = self.start(self.site_config(listeners=self.listeners))
        self.assertEqual(server.wait_exit(), 2, server.lines)
        self.assertEqual((self.directory / "http.sock").read_text(), "precious")

    def test_removed_paths_come_back_with_a_reload(self):
        server = self.serve(listeners=self.listeners)
        os.remove(self.path)
        self.assertEqual(server.reload()[0], 0)
        self.assertEqual(http_client.request(self.path, "GET", "/").status, 200)
        os.remove(self.path)
        server.control.unlink()
        self.assertEqual(server.command("status").returncode, 3)
        os.kill(server.pid, signal.SIGHUP)
        server.wait_line("control_socket_restored")
        server.wait_line("verdict=committed generation=3")
        self.assertEqual(http_client.request(self.path, "GET", "/").status, 200)
        self.assertEqual(server.status()["generation"], 3)
        self.stop_and_check(server)

    def test_killed_server_leaves_a_socket_that_the_next_replaces(self):
        first = self.serve(listeners=self.listeners, runtime="stop_timeout: 1s")
        workers = first.worker_pids().values()
        first.end()
        for pid in workers:
            self.wait_gone(pid)
        second = self.serve(listeners=self.listeners)
        self.assertEqual(http_client.request(self.path, "GET", "/").status, 200)
        self.assertEqual(second.stop(), 0)


# As systemd does it: the socket is descriptor 3, the variables name this very process.
PASS_SOCKET = ("import os, sys\n"
               "os.dup2(int(sys.argv[1]), 3)\n"
               "os.environ['LISTEN_PID'] = str(os.getpid())\n"
               "os.execv(sys.argv[2], sys.argv[2:])\n")


class SocketActivation(ServeryCase):
    def activated(self, listener, name, config):
        """A server that gets `listener` as descriptor 3, named `name`."""
        env = {**os.environ, "LISTEN_FDS": "1", "LISTEN_FDNAMES": name}
        prefix = [sys.executable, "-c", PASS_SOCKET, str(listener.fileno())]
        return self.start(config, prefix=prefix, env=env, pass_fds=[listener.fileno()]).wait_ready()

    def test_by_name(self):
        with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
            address = listener.getsockname()
            server = self.activated(listener, "http", self.site_config(listeners='{address: "fd:http"}'))
        self.assertEqual(http_client.request(address, "GET", "/").status, 200)
        self.assertEqual(server.status()["listeners"][0]["kind"], "inherited")
        for pid in server.worker_pids().values():
            with open(f"/proc/{pid}/environ", "rb") as environment:
                self.assertNotIn(b"LISTEN_FDS", environment.read())
        self.stop_and_check(server)

    def test_the_socket_is_its_owners_again(self):
        """What wakes a service that was stopped: clients wait in the queue of the socket that was passed."""
        with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
            address = listener.getsockname()
            for _ in range(2):
                server = self.activated(listener, "http", self.site_config(listeners='{address: "fd:http"}'))
                self.assertEqual(http_client.request(address, "GET", "/").status, 200)
                self.stop_and_check(server)
                with http_client.connect(address, timeout=10) as client:
                    listener.settimeout(0.5)  # at once: what servery sets for its own accepting is undone
                    accepted, peer = listener.accept()
                    accepted.close()
                    self.assertEqual(peer, client.getsockname())

    def test_inherited_unix_socket(self):
        path = str(self.directory / "given.sock")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen()
            server = self.activated(listener, "web", self.site_config(listeners='{address: "fd:web"}'))
        self.assertEqual(http_client.request(path, "GET", "/").status, 200)
        self.assertEqual(server.status()["listeners"][0]["mode"], "shared")
        self.assertEqual(server.stop(), 0)
        self.assertTrue(os.path.exists(path), "not ours to remove")

    def test_descriptor_that_was_not_given(self):
        server = self.start(self.site_config(listeners='{address: "fd:http"}'))
        self.assertIn(server.wait_exit(), (1, 2))
        self.assertIn("http", "\n".join(server.lines))


class Notification(ServeryCase):
    def test_ready_reloading_and_stopping(self):
        path = str(self.directory / "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.bind(path)
            notify.settimeout(10)
            server = self.start(self.site_config(), env={**os.environ, "NOTIFY_SOCKET": path})

            def until(text):
                while True:
                    message = notify.recv(65536).decode()
                    if text in message:
                        return message

            until("READY=1")
            self.assert_serves(server)
            self.assertEqual(server.reload()[0], 0)
            self.assertIn("MONOTONIC_USEC=", until("RELOADING=1"))
            until("READY=1")
            for pid in server.worker_pids().values():
                with open(f"/proc/{pid}/environ", "rb") as environment:
                    self.assertNotIn(b"NOTIFY_SOCKET", environment.read())
            self.assertEqual(server.stop(), 0)
            until("STOPPING=1")
        os.unlink(path)
        self.check_nothing_left()


class FirstProcess(ServeryCase):
    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("a pid namespace needs root")
        probe = subprocess.run([*self.NAMESPACE, "true"], capture_output=True, text=True, check=False)
        if probe.returncode != 0:
            self.skipTest(f"no pid namespace here: {probe.stderr.strip()}")

    # --kill-child: when unshare ends, so does everything inside.
    NAMESPACE = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]

    def test_runs_as_pid_1(self):
        server = self.start(self.site_config(), prefix=self.NAMESPACE)
        server.wait_ready()
        self.assertEqual(server.status()["pid"], 1)
        self.assert_serves(server)
        self.assertEqual(server.reload()[0], 0)
        self.assert_serves(server)
        (supervisor,) = processes.children(server.pid)
        self.assertEqual(server.stop(), 0)
        self.wait_gone(supervisor)
        self.check_nothing_left()


if __name__ == "__main__":
    unittest.main()
