"""Content coding under the eyes of many clients: single flight, bounds, change, zero retention."""

import gzip
import os
import threading
import time

import http_client
from case import ServeryCase, figure
from servery import wait_until

GZIP = ("Accept-Encoding: gzip",)
CLIENTS = 64


def text(seed, size=64 * 1024):
    line = f"const value_{seed} = '{seed * 2654435761 % 2**32:x}';\n"
    return (line * (size // len(line) + 1))[:size].encode()


class Coding(ServeryCase):
    def counter(self, server, name):
        return server.status()["counters"][f"servery_compression_{name}"]

    def serve_files(self, files, workers=1, extra=""):
        for name, content in files.items():
            self.write(f"site/{name}", content)
            os.utime(self.site / name, (1_600_000_000, 1_600_000_000))
        server = self.serve(workers=workers, extra=extra)
        self.settle(files)
        return server

    def settle(self, names):
        """Until the files' ctime is old enough to be trusted."""
        for name in names:
            ctime = (self.site / name).lstat().st_ctime_ns
            wait_until(lambda ctime=ctime: time.time_ns() - ctime > 40_000_000, 5, "time to pass")

    def ask_at_once(self, server, targets):
        """One connection for each target, opened first; then all requests. The answers in order."""
        connections = [http_client.connect(server.address()) for _ in targets]
        answers = [None] * len(targets)
        gate = threading.Barrier(len(targets))

        def run(index):
            gate.wait()
            http_client.send_request(connections[index], "GET", targets[index], fields=GZIP)
            answers[index] = http_client.read_answer(connections[index])

        threads = [threading.Thread(target=run, args=(index,)) for index in range(len(targets))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for connection in connections:
            connection.close()
        return answers

    def check_single_flight(self, workers):
        content = text(1)
        server = self.serve_files({"one.js": content}, workers)
        answers = self.ask_at_once(server, ["/one.js"] * CLIENTS)
        self.assertEqual({answer.status for answer in answers}, {200})
        self.assertEqual({answer.fields["content-encoding"] for answer in answers}, {"gzip"})
        self.assertEqual(len({answer.body for answer in answers}), 1)
        self.assertEqual(len({answer.fields["etag"] for answer in answers}), 1)
        self.assertEqual(gzip.decompress(answers[0].body), content)
        wait_until(lambda: self.counter(server, "encoded_total") > 0, 5, "the counter is published")
        encoded = self.counter(server, "encoded_total")
        figure(f"codings of one 64 KiB file for {CLIENTS} clients, {workers} workers", encoded, f"<= {workers}")
        self.assertLessEqual(encoded, workers)
        self.stop_and_check(server)

    def test_one_worker_codes_a_file_once(self):
        self.check_single_flight(1)

    def test_each_worker_codes_a_file_at_most_once(self):
        self.check_single_flight(4)

    def test_many_files_at_once_are_bounded_and_cheap_requests_go_on(self):
        files = {f"f{i}.js": text(i) for i in range(CLIENTS)}
        server = self.serve_files(files, extra="compression: {queue: 4, levels: {gzip: 9}}\n")
        answers = self.ask_at_once(server, [f"/{name}" for name in files] + ["/health"] * 8)
        self.assertEqual({answer.status for answer in answers}, {200})
        for answer, content in zip(answers, files.values()):
            plain = answer.body
            if answer.fields.get("content-encoding") == "gzip":
                plain = gzip.decompress(plain)
            self.assertEqual(plain, content)
        self.stop_and_check(server)

    def test_saturated_can_mean_refused(self):
        files = {f"f{i}.js": text(i, 512 * 1024) for i in range(CLIENTS)}
        server = self.serve_files(
            files, extra="compression: {queue: 1, saturated: refuse, levels: {gzip: 9}}\n")
        answers = self.ask_at_once(server, [f"/{name}" for name in files])
        refused = [answer for answer in answers if answer.status == 503]
        self.assertTrue(refused)
        self.assertEqual({answer.fields["retry-after"] for answer in refused}, {"1"})
        self.assertEqual({answer.status for answer in answers}, {200, 503})
        wait_until(lambda: self.counter(server, "saturated_total") == len(refused), 5, "all are counted")
        self.stop_and_check(server)

    def test_a_changed_file_is_coded_anew(self):
        server = self.serve_files({"one.js": text(1)})
        address = server.address()
        first = http_client.request(address, "GET", "/one.js", fields=GZIP)
        self.write("site/one.js", text(2))
        second = http_client.request(address, "GET", "/one.js", fields=GZIP)
        self.assertEqual(gzip.decompress(second.body), text(2))
        self.assertNotEqual(first.fields["etag"], second.fields["etag"])
        self.stop_and_check(server)

    def test_sidecars_follow_their_file(self):
        server = self.serve_files({"one.js": b"plain " * 300, "one.js.gz": b"ready one", "two.js": b"plain two"},
                                  extra="cache: {revalidate: request}\n")
        outside = self.write("outside.gz", "secret")
        (self.site / "two.js.gz").symlink_to(outside)
        address = server.address()
        ready = http_client.request(address, "GET", "/one.js", fields=GZIP)
        self.assertEqual((ready.body, ready.fields["content-encoding"]), (b"ready one", "gzip"))
        again = http_client.request(address, "GET", "/one.js",
                                    fields=(*GZIP, f"If-None-Match: {ready.fields['etag']}"))
        self.assertEqual((again.status, again.fields["vary"]), (304, "accept-encoding"))
        self.assertNotIn("content-encoding", again.fields)
        # A newer file: the sidecar is stale, also where it was kept.
        self.write("site/one.js", b"newer " * 300)
        coded = http_client.request(address, "GET", "/one.js", fields=GZIP)
        self.assertEqual(gzip.decompress(coded.body), b"newer " * 300)
        # A sidecar newer than that counts again.
        self.write("site/one.js.gz", b"ready two")
        os.utime(self.site / "one.js.gz", (2_000_000_000, 2_000_000_000))
        self.assertEqual(http_client.request(address, "GET", "/one.js", fields=GZIP).body, b"ready two")
        (self.site / "one.js.gz").unlink()
        self.assertEqual(
            gzip.decompress(http_client.request(address, "GET", "/one.js", fields=GZIP).body), b"newer " * 300)
        # Neither what lies outside nor a directory is a sidecar.
        self.assertEqual(http_client.request(address, "GET", "/two.js", fields=GZIP).body, b"plain two")
        (self.site / "two.js.gz").unlink()
        (self.site / "two.js.gz").mkdir()
        self.assertEqual(http_client.request(address, "GET", "/two.js", fields=GZIP).body, b"plain two")
        self.stop_and_check(server)

    def test_zero_retention_keeps_nothing(self):
        server = self.serve_files({"one.js": text(1)}, extra="compression: {cache: 0}\n")
        address = server.address()
        answers = [http_client.request(address, "GET", "/one.js", fields=GZIP) for _ in range(3)]
        self.assertEqual(len({answer.body for answer in answers}), 1, "coding is deterministic")
        wait_until(lambda: self.counter(server, "encoded_total") == 3, 5, "each answer was coded")
        self.assertEqual(self.counter(server, "cache_entries"), 0)
        self.assertEqual(self.counter(server, "cache_bytes"), 0)
        self.stop_and_check(server)

    def test_large_files_are_coded_while_they_are_sent(self):
        content = text(7, 3 * 1024 * 1024)
        server = self.serve_files({"large.js": content}, extra="compression: {max_input: 1MiB}\n")
        address = server.address()
        with http_client.connect(address) as connection:
            http_client.send_request(connection, "GET", "/large.js", fields=(*GZIP, "Connection: close"))
            head, body = self.read_chunked(connection)
        self.assertIn(b"transfer-encoding: chunked", head.lower())
        self.assertIn(b"content-encoding: gzip", head.lower())
        self.assertEqual(gzip.decompress(body), content)
        part = http_client.request(address, "GET", "/large.js", fields=(*GZIP, "Range: bytes=5-9"))
        self.assertEqual((part.status, part.body), (206, content[5:10]))
        self.assertNotIn("content-encoding", part.fields)
        self.stop_and_check(server)

    @staticmethod
    def read_chunked(connection):
        data = b""
        while piece := connection.recv(65536):
            data += piece
        head, _, rest = data.partition(b"\r\n\r\n")
        body = b""
        while True:
            size, _, rest = rest.partition(b"\r\n")
            length = int(size, 16)
            if length == 0:
                return head, body
            body += rest[:length]
            rest = rest[length + 2:]
