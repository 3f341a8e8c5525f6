"""A raw HTTP/1.1 client over TCP or Unix sockets: sends exactly the bytes it is given."""

import socket


class Answer:
    def __init__(self, status, fields, body):
        self.status = status
        self.fields = fields  # lower-case name -> value
        self.body = body


def connect(address, timeout=10):
    """`address`: (host, port) or the path of a Unix socket."""
    if isinstance(address, str):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(timeout)
        connection.connect(address)
        return connection
    host, port = address
    return socket.create_connection(({"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port), timeout)


def read_answer(connection, buffer=b""):
    """One answer to a GET or POST; its length is its Content-Length."""
    while b"\r\n\r\n" not in buffer:
        data = connection.recv(65536)
        if not data:
            raise ConnectionError(f"closed within a head: {buffer!r}")
        buffer += data
    head, _, body = buffer.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    fields = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        fields[name.lower()] = value.strip()
    length = int(fields.get("content-length", 0))
    while len(body) < length:
        data = connection.recv(65536)
        if not data:
            raise ConnectionError("closed within a body")
        body += data
    return Answer(int(lines[0].split()[1]), fields, body[:length])


def send_request(connection, method, target, host="localhost", fields=(), body=b""):
    lines = [f"{method} {target} HTTP/1.1", f"Host: {host}", *fields]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    connection.sendall("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)


def request(address, method, target, **options):
    with connect(address) as connection:
        send_request(connection, method, target, **options)
        return read_answer(connection)
