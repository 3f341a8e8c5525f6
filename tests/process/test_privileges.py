"""What a worker may do: its user, its capabilities, its descriptors. And what happens without any."""

import os
import pwd
import resource
import unittest

import http_client
import processes
from case import ServeryCase
from servery import wait_until


class WorkerPrivileges(ServeryCase):
    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("privileges are dropped only when started as root")

    def test_nobody_without_any_capability(self):
        server = self.serve(workers=2)
        nobody = pwd.getpwnam("nobody")
        for pid in server.worker_pids().values():
            self.assertEqual(processes.status_field(pid, "Uid"), [str(nobody.pw_uid)] * 4)
            self.assertEqual(processes.status_field(pid, "Gid"), [str(nobody.pw_gid)] * 4)
            self.assertEqual([group for group in processes.status_field(pid, "Groups")
                              if group != str(nobody.pw_gid)], [])
            for capabilities in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
                self.assertEqual(int(processes.status_field(pid, capabilities)[0], 16), 0, capabilities)
            self.assertEqual(processes.status_field(pid, "NoNewPrivs"), ["1"])
            self.assertEqual(os.getpgid(pid), pid, "a process group of its own")
        self.stop_and_check(server)

    def test_configured_user(self):
        server = self.serve(runtime="user: daemon, group: daemon")
        for pid in server.worker_pids().values():
            self.assertEqual(processes.status_field(pid, "Uid")[0], str(pwd.getpwnam("daemon").pw_uid))
        self.stop_and_check(server)

    def test_root_that_the_worker_cannot_read_is_a_verdict(self):
        server = self.serve()
        self.write("secret/index.html", "secret")
        (self.directory / "secret").chmod(0o700)
        code, verdict = server.reload(config=self.site_config().replace("root: site", "root: secret"))
        self.assertNotEqual(code, 0, verdict)
        self.assertIn("secret", str(verdict))
        self.assert_serves(server)
        self.assertEqual(server.stop(), 0)

    def test_only_the_tree_itself_must_be_readable(self):
        self.directory.chmod(0o700)
        server = self.serve()
        self.assert_serves(server)
        self.stop_and_check(server)


class WorkerDescriptors(ServeryCase):
    def test_exactly_what_it_was_given(self):
        # Descriptors that the supervisor inherits must not reach a worker.
        extra = os.open(self.write("extra", ""), os.O_RDONLY)
        server = self.start(self.site_config(), pass_fds=[extra]).wait_ready()
        os.close(extra)
        for pid in server.worker_pids().values():
            targets = processes.descriptors(pid)
            self.assertEqual(targets[0], "/dev/null")
            listening = {int(target[8:-1]) for target in targets.values() if target.startswith("socket:[")}
            listening &= {inode for *_, state, inode in processes.tcp_table() if state == 0x0A}
            self.assertEqual(len(listening), 1, "its own slot's socket and no other")
            files = [target for target in targets.values() if target.startswith(str(self.directory))]
            self.assertEqual(files, [str(self.site)])
        self.stop_and_check(server)


class OutOfDescriptors(ServeryCase):
    EXPECTED_ERRORS = ("descriptor", "accept", "shed")

    def test_existing_connections_live_and_new_ones_are_shed(self):
        limit = 64

        def lower_limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

        server = self.start(self.site_config(workers=1), preexec_fn=lower_limit).wait_ready()
        (pid,) = server.worker_pids().values()
        with http_client.connect(server.address()) as kept:
            http_client.send_request(kept, "GET", "/")
            self.assertEqual(http_client.read_answer(kept).status, 200)
            flood = [http_client.connect(server.address()) for _ in range(2 * limit)]
            for connection in flood:
                try:
                    http_client.send_request(connection, "GET", "/")
                except ConnectionError:
                    pass  # shed before it could ask
            before = int(processes.stat_fields(pid)[11])
            for _ in range(20):
                http_client.send_request(kept, "GET", "/one-kib.bin")
                self.assertEqual(http_client.read_answer(kept).status, 200)
            counters = server.wait_status(
                lambda status: any("shed" in name and value for name, value in status["counters"].items()),
                what="a counter of shed connections")["counters"]
            print({name: value for name, value in counters.items() if "shed" in name and value})
            ticks = int(processes.stat_fields(pid)[11]) - before
            self.assertLess(ticks, 50, "no spin")
            for connection in flood:
                connection.close()
        wait_until(lambda: self.get(server).status == 200, 10, "recovery")
        self.stop_and_check(server)


if __name__ == "__main__":
    unittest.main()
