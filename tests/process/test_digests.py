"""Digests under the eyes of many clients: single flight, truncation, change, clients that leave."""

import base64
import hashlib
import os
import socket
import struct
import threading
import time

import http_client
from case import ServeryCase, figure
from servery import wait_until

WANT = ("Want-Repr-Digest: sha-256=1",)
CLIENTS = 64


def digest_of(content):
    return f"sha-256=:{base64.b64encode(hashlib.sha256(content).digest()).decode()}:"


class Digests(ServeryCase):
    def counter(self, server, name):
        return server.status()["counters"][f"servery_digest_{name}"]

    def serve_files(self, files, workers=1, etag="inode"):
        for name, content in files.items():
            self.write(f"site/{name}", content)
        config = self.site_config(workers=workers).replace("root: site", f"root: site, etag: {etag}")
        server = self.start(config).wait_ready()
        for name in files:
            ctime = (self.site / name).lstat().st_ctime_ns
            wait_until(lambda ctime=ctime: time.time_ns() - ctime > 40_000_000, 5, "time to pass")
        return server

    def check_single_flight(self, workers):
        content = os.urandom(64 * 1024)
        server = self.serve_files({"one.bin": content}, workers)
        connections = [http_client.connect(server.address()) for _ in range(CLIENTS)]
        answers = [None] * CLIENTS
        gate = threading.Barrier(CLIENTS)

        def run(index):
            gate.wait()
            http_client.send_request(connections[index], "GET", "/one.bin", fields=WANT)
            answers[index] = http_client.read_answer(connections[index])

        threads = [threading.Thread(target=run, args=(index,)) for index in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for connection in connections:
            connection.close()
        self.assertEqual({answer.status for answer in answers}, {200})
        self.assertEqual({answer.fields["repr-digest"] for answer in answers}, {digest_of(content)})
        self.assertEqual({answer.body for answer in answers}, {content})
        wait_until(lambda: self.counter(server, "computed_total") > 0, 5, "the counter is published")
        computed = self.counter(server, "computed_total")
        figure(f"digests of one 64 KiB file for {CLIENTS} clients, {workers} workers", computed,
               f"<= {workers}")
        self.assertLessEqual(computed, workers)
        self.stop_and_check(server)

    def test_one_worker_hashes_a_file_once(self):
        self.check_single_flight(1)

    def test_each_worker_hashes_a_file_at_most_once(self):
        self.check_single_flight(4)

    def test_a_changed_file_is_hashed_anew(self):
        server = self.serve_files({"one.bin": b"one"})
        first = http_client.request(server.address(), "GET", "/one.bin", fields=WANT)
        self.assertEqual(first.fields["repr-digest"], digest_of(b"one"))
        self.write("site/one.bin", b"two")
        second = http_client.request(server.address(), "GET", "/one.bin", fields=WANT)
        self.assertEqual((second.fields["repr-digest"], second.body), (digest_of(b"two"), b"two"))
        self.stop_and_check(server)

    def hash_slowly(self, size):
        """A sparse file whose hash takes a while, and a request for its digest under way."""
        path = self.site / "large.bin"
        path.touch()
        os.truncate(path, size)
        server = self.serve(workers=1)
        connection = http_client.connect(server.address())
        http_client.send_request(connection, "GET", "/large.bin", fields=WANT)
        wait_until(lambda: self.counter(server, "in_flight") == 1, 10, "hashing has begun")
        return server, connection, path

    def test_a_file_that_ends_while_it_is_hashed_is_refused(self):
        server, connection, path = self.hash_slowly(64 << 30)
        os.truncate(path, 1000)
        answer = http_client.read_answer(connection)
        self.assertEqual(answer.status, 500)
        self.assertNotIn("repr-digest", answer.fields)
        connection.close()
        self.stop_and_check(server)

    def test_hashing_ends_with_the_last_client_and_delays_nobody(self):
        server, connection, _ = self.hash_slowly(1 << 40)
        self.write("site/small.txt", "small")
        small = http_client.request(server.address(), "GET", "/small.txt")
        self.assertEqual(small.body, b"small")
        # A reset: after a mere close a client may still read.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        wait_until(lambda: self.counter(server, "in_flight") == 0, 10, "the work to end")
        self.stop_and_check(server)

    def test_a_tag_of_the_content_outlives_copies(self):
        content = b"same bytes"
        server = self.serve_files({"a.bin": content}, etag="content")
        first = http_client.request(server.address(), "GET", "/a.bin")
        self.write("site/b.bin", content)
        os.replace(self.site / "b.bin", self.site / "a.bin")
        os.utime(self.site / "a.bin", (1_700_000_000, 1_700_000_000))
        wait_until(lambda: time.time_ns() - (self.site / "a.bin").lstat().st_ctime_ns > 40_000_000, 5,
                   "time to pass")
        again = http_client.request(server.address(), "GET", "/a.bin",
                                    fields=(f"If-None-Match: {first.fields['etag']}",))
        self.assertEqual(again.status, 304)
        self.stop_and_check(server)
