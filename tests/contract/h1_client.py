"""HTTP/1.1 as the contract runner speaks it: bytes out, responses in, over TCP or a Unix socket."""

import socket


class Response:
    def __init__(self, status, version, fields):
        self.status = status
        self.version = version
        self.fields = fields  # [(lower-case name, value)]
        self.body = b""
        self.interim = []

    def values(self, name):
        return [value for field, value in self.fields if field == name]


class Broken(Exception):
    """What came is no HTTP response, or not all of one."""


class Connection:
    def __init__(self, address, timeout):
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        self.socket.connect(address)
        if family == socket.AF_INET:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        self.ended = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data, piece=0):
        """The server may have answered and closed before the last byte: that is for the reader."""
        try:
            for at in range(0, len(data), piece or len(data) or 1):
                self.socket.sendall(data[at:at + (piece or len(data))])
        except (BrokenPipeError, ConnectionResetError):
            pass

    def end(self):
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def _fill(self):
        if self.ended:
            return False
        data = self.socket.recv(65536)  # a reset is an error: no answer may be lost to one
        self.ended = not data
        self.buffer += data
        return bool(data)

    def _take(self, size):
        while len(self.buffer) < size:
            if not self._fill():
                raise Broken(f"closed {size - len(self.buffer)} bytes early")
        taken, self.buffer = self.buffer[:size], self.buffer[size:]
        return taken

    def _line(self):
        while b"\r\n" not in self.buffer:
            if not self._fill():
                raise Broken(f"closed within {self.buffer!r}")
        line, _, self.buffer = self.buffer.partition(b"\r\n")
        return line.decode("latin-1")

    def _head(self):
        version, _, rest = self._line().partition(" ")
        if not version.startswith("HTTP/1.") or not rest[:3].isdigit():
            raise Broken(f"no status line: {version!r} {rest!r}")
        fields = []
        while line := self._line():
            name, colon, value = line.partition(":")
            if not colon:
                raise Broken(f"no field: {line!r}")
            fields.append((name.lower(), value.strip()))
        return Response(int(rest[:3]), version, fields)

    def _chunks(self):
        body = b""
        while size := int(self._line().split(";")[0], 16):
            body += self._take(size)
            if self._take(2) != b"\r\n":
                raise Broken("no CRLF behind a chunk")
        while self._line():
            pass
        return body

    def read(self, method):
        """The next final response to a request with that method."""
        interim = []
        response = self._head()
        while response.status < 200:
            interim.append(response.status)
            response = self._head()
        response.interim = interim
        if method == "HEAD" or response.status in (204, 304):
            return response
        if "chunked" in response.values("transfer-encoding"):
            response.body = self._chunks()
        elif response.values("content-length"):
            response.body = self._take(int(response.values("content-length")[0]))
        else:
            while self._fill():
                pass
            response.body, self.buffer = self.buffer, b""
        return response

    def is_closed(self):
        """Waits for the end; False if a byte comes or nothing does."""
        try:
            return not self.buffer and not self._fill()
        except socket.timeout:
            return False

    def is_silent(self, seconds):
        """Within that time nothing comes, neither a byte nor the end."""
        self.socket.settimeout(seconds)
        try:
            self._fill()
        except socket.timeout:
            return not self.buffer and not self.ended
        return False
