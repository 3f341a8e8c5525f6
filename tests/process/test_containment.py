"""Nothing outside a route's root is served while the tree is rearranged under the requests."""

import ctypes
import os
import socket
import threading
import unittest

import http_client
from case import ServeryCase

REQUESTS = 10_000
AT_FDCWD = -100
RENAME_EXCHANGE = 2
LIBC = ctypes.CDLL(None, use_errno=True)


def exchange(one, other):
    """Swaps two names in one step."""
    if LIBC.renameat2(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE):
        raise OSError(ctypes.get_errno(), "renameat2")


class Swapper(threading.Thread):
    """Calls `swap` again and again until it is stopped; an exception of its is the test's."""

    def __init__(self, swap):
        super().__init__(daemon=True)
        self.swap = swap
        self.over = threading.Event()
        self.swaps = 0
        self.error = None

    def run(self):
        try:
            while not self.over.is_set():
                self.swap()
                self.swaps += 1
        except OSError as error:
            self.error = error

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()


class Containment(ServeryCase):
    TIMEOUT = 120

    def setUp(self):
        super().setUp()
        self.outside = self.directory / "outside"
        self.write("outside/a.txt", "secret")
        self.write("site/dir/a.txt", "inside")

    def serve(self):
        server = self.start(self.site_config(workers=1))
        server.wait_ready()
        connection = http_client.connect(server.address())
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.addCleanup(connection.close)
        return server, connection

    def ask(self, connection):
        http_client.send_request(connection, "GET", "/dir/a.txt")
        answer = http_client.read_answer(connection)
        self.assertNotIn(b"secret", answer.body)
        return answer.status

    def test_directory_exchanged_with_a_link(self):
        server, connection = self.serve()
        inside, link = self.site / "dir", self.site / "link"
        link.symlink_to(self.outside)
        with Swapper(lambda: exchange(inside, link)) as swapper:
            seen = [self.ask(connection) for _ in range(REQUESTS)]
        self.assertIsNone(swapper.error)
        self.assertGreater(swapper.swaps, REQUESTS // 100, "the tree was rearranged meanwhile")
        self.assertEqual(set(seen), {200, 404}, "both states were seen, and nothing else")
        connection.close()
        self.stop_and_check(server)

    def test_directory_moved_out_and_linked(self):
        """The file keeps its every stat field, so a cached answer is told by a contained open alone."""
        server, connection = self.serve()
        inside, moved = self.site / "dir", self.directory / "moved"
        for _ in range(REQUESTS // 4):
            self.assertEqual([self.ask(connection), self.ask(connection)], [200, 200])
            inside.rename(moved)
            inside.symlink_to(moved)
            self.assertEqual([self.ask(connection), self.ask(connection)], [404, 404])
            inside.unlink()
            moved.rename(inside)
        connection.close()
        self.stop_and_check(server)


if __name__ == "__main__":
    unittest.main()
