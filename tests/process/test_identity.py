"""Whom a request comes from: PROXY headers per listener, trusted proxies, the throttle's client, reloads."""

import socket
import struct
import unittest

import http_client
from case import ServeryCase
from servery import run_command, wait_until

SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
GET = b"GET /c HTTP/1.1\r\nHost: localhost\r\n\r\n"


def line(client, port=4711):
    family = "TCP6" if ":" in client else "TCP4"
    other = "::1" if ":" in client else "127.0.0.1"
    return f"PROXY {family} {client} {other} {port} 443\r\n".encode()


def version2(client, command=0x21, tlvs=b""):
    family = socket.AF_INET6 if ":" in client else socket.AF_INET
    addresses = socket.inet_pton(family, client) + bytes(len(socket.inet_pton(family, client)))
    body = addresses + struct.pack("!HH", 4711, 443) + tlvs
    kind = 0x21 if family == socket.AF_INET6 else 0x11
    return SIGNATURE + struct.pack("!BBH", command, kind, len(body)) + body


class IdentityCase(ServeryCase):
    def serve_with(self, listener, extra="", proxies="[127.0.0.0/8]"):
        return self.start(
            "schema: 1\nruntime: {workers: 1}\nhosts: ['*']\n"
            f"listeners: [{{address: '{listener}', proxy_protocol: {proxies}}}]\n"
            f"{extra}routes:\n  - {{path: /, respond: {{body: open}}}}\n"
            "  - {path: /c, respond: {body: client}, allow: [192.0.2.0/24, '2001:db8::/32']}\n").wait_ready()

    def ask(self, server, data):
        with http_client.connect(server.address()) as connection:
            connection.sendall(data)
            return http_client.read_answer(connection).status

    def assert_closed_without_a_word(self, server, data):
        with http_client.connect(server.address()) as connection:
            try:
                connection.sendall(data)
                self.assertEqual(connection.recv(1000), b"", data)
            except ConnectionError:
                pass

    def wait_counter(self, server, key, value):
        wait_until(lambda: server.status()["counters"][key] == value, 5, f"{key} to be {value}")


MALFORMED = 'servery_proxy_protocol_refused_total{reason="malformed"}'
UNLISTED = 'servery_proxy_protocol_refused_total{reason="unlisted"}'


class ProxyProtocol(IdentityCase):
    def check_headers(self, server):
        for client, status in (("192.0.2.1", 200), ("2001:db8::1", 200), ("198.51.100.1", 403), ("2001:db9::1", 403)):
            for header in (line(client), version2(client), version2(client, tlvs=b"\x04\0\x03abc")):
                self.assertEqual(self.ask(server, header + GET), status, header)
        # The connection's own peer: not of 192.0.2.0/24.
        for header in (b"PROXY UNKNOWN\r\n", version2("192.0.2.1", command=0x20),
                       SIGNATURE + b"\x21\x31\0\xd8" + bytes(216)):
            self.assertEqual(self.ask(server, header + GET), 403, header)
        for data in (GET, b"\r\n\r\n\0\r\nQUIX\n", b"PROXY TCP4 1.2.3.4\r\n" + GET, b"\x16\x03\x01\0\xa5",
                     SIGNATURE + b"\x21\x11\xff\xff", b"PROXY TCP4 " + b"1" * 200):
            self.assert_closed_without_a_word(server, data)
        self.wait_counter(server, MALFORMED, 6)

    def test_headers_over_tcp(self):
        server = self.serve_with("127.0.0.1:0")
        self.check_headers(server)
        self.stop_and_check(server)

    def test_headers_over_a_unix_socket(self):
        server = self.serve_with(f"unix:{self.directory}/http.sock", proxies="[unix]")
        self.check_headers(server)
        self.stop_and_check(server)

    def test_in_pieces_and_with_several_requests(self):
        server = self.serve_with("127.0.0.1:0")
        for header in (line("192.0.2.1"), version2("2001:db8::1", tlvs=bytes(300))):
            with http_client.connect(server.address()) as connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for n in range(len(header)):
                    connection.sendall(header[n:n + 1])
                for _ in range(3):
                    connection.sendall(GET)
                    self.assertEqual(http_client.read_answer(connection).status, 200)
        self.stop_and_check(server)

    def test_who_is_not_listed_is_refused(self):
        server = self.serve_with("127.0.0.1:0", proxies="[192.0.2.0/24]")
        self.assert_closed_without_a_word(server, line("192.0.2.1") + GET)
        self.assert_closed_without_a_word(server, GET)
        self.wait_counter(server, UNLISTED, 2)
        self.stop_and_check(server)

    def test_a_header_that_does_not_come_ends_by_the_header_deadline(self):
        server = self.serve_with("127.0.0.1:0", extra="limits: {header_timeout: 300ms}\n")
        for start in (b"PROXY TCP4 192.0.2", SIGNATURE[:5], line("192.0.2.1"), line("192.0.2.1") + b"GET / HT"):
            with http_client.connect(server.address()) as connection:
                connection.sendall(start)
                data = connection.recv(1000)
                self.assertEqual(data[:12], b"HTTP/1.1 408" if start.endswith(b"HT") else b"")
        self.wait_counter(server, 'servery_timeouts_total{phase="header"}', 4)
        self.stop_and_check(server)

    def test_who_only_looks_is_not_counted(self):
        server = self.serve_with(f"unix:{self.directory}/http.sock", proxies="[unix]")
        with http_client.connect(server.address()):
            pass
        with http_client.connect(server.address()) as connection:
            connection.sendall(b"PROXY")
        self.wait_counter(server, MALFORMED, 1)
        self.stop_and_check(server)

    def test_a_reload_keeps_the_client_and_waits_for_its_header(self):
        server = self.serve_with("127.0.0.1:0")
        with http_client.connect(server.address()) as idle, http_client.connect(server.address()) as late:
            idle.sendall(line("192.0.2.1") + GET)
            self.assertEqual(http_client.read_answer(idle).status, 200)
            late.sendall(line("192.0.2.1")[:10])
            wait_until(lambda: server.status()["counters"]["servery_accepted_total"] == 2, 5, "both accepted")
            code, verdict = server.reload()
            self.assertEqual(code, 0, verdict)
            idle.sendall(GET)
            self.assertEqual(http_client.read_answer(idle).status, 200, "the client was handed over with it")
            late.sendall(line("192.0.2.1")[10:] + GET)
            self.assertEqual(http_client.read_answer(late).status, 200, "a header that was begun")
        self.wait_counter(server, MALFORMED, 0)
        self.stop_and_check(server)

    def test_check_finds_listeners_that_would_serve_nobody(self):
        config = self.directory / "c.yaml"
        config.write_text("schema: 1\nlisteners:\n  - {address: '127.0.0.1:0', proxy_protocol: [unix]}\n"
                          "  - {address: 'unix:x.sock', proxy_protocol: [10.0.0.0/8]}\n"
                          "  - {address: ':0', proxy_protocol: [10.0.0.1/8]}\n"
                          "routes: [{path: /, respond: {body: x}}]\n")
        done = run_command("check", "-c", config)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"c\.yaml:3:\d+: listeners\[0\]\.proxy_protocol: ")
        self.assertRegex(done.stderr, r"c\.yaml:4:\d+: listeners\[1\]\.proxy_protocol: ")
        self.assertRegex(done.stderr, r"c\.yaml:5:\d+: listeners\[2\]\.proxy_protocol: .*did you mean 10\.0\.0\.0/8\?")


class TrustedProxies(IdentityCase):
    # Of "secret", by `openssl passwd -5`.
    USERS = ("auth: {team: {basic: {users: "
             "['alice:$5$NQzLYGl3mBJWfwT8$NPcLwtgaz41dHiHwPM2MIvvG4wwRfqPr1ugDq8H1BB4']}}}\n")

    def test_guesses_are_counted_for_the_client_not_for_the_proxy(self):
        server = self.start(
            "schema: 1\nruntime: {workers: 1}\nlisteners: [{address: '127.0.0.1:0'}]\n"
            f"trusted_proxies: [127.0.0.1]\n{self.USERS}"
            "routes: [{path: /, respond: {body: x}, auth: team}]\n").wait_ready()

        def guess(client):
            return http_client.request(server.address(), "GET", "/",
                                       fields=["Authorization: Basic YWxpY2U6eA==",
                                               f"X-Forwarded-For: 192.0.2.77, {client}"]).status
        self.assertEqual([guess("198.51.100.1") for _ in range(12)], [401] * 10 + [429] * 2)
        self.assertEqual(guess("198.51.100.2"), 401, "another client of the same proxy")
        server.wait_line("auth_throttled client=198.51.100.1 ")
        self.stop_and_check(server)

    def test_behind_a_proxy_header_the_header_names_the_peer(self):
        server = self.serve_with("127.0.0.1:0", extra="trusted_proxies: [10.0.0.0/8]\n")
        forwarded = GET[:-2] + b"X-Forwarded-For: 192.0.2.1\r\n\r\n"
        self.assertEqual(self.ask(server, line("10.0.0.1") + forwarded), 200)
        self.assertEqual(self.ask(server, line("11.0.0.1") + forwarded), 403)
        self.assertEqual(self.ask(server, b"PROXY UNKNOWN\r\n" + forwarded), 403)
        self.stop_and_check(server)


if __name__ == "__main__":
    unittest.main()
