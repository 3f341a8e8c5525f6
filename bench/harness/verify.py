"""Before anything is measured: each target answered with the status, length and bytes it must have."""

import hashlib
import http.client


class Wrong(Exception):
    """The server does not give the answers of the row."""


def get(port, path, headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def row_headers(row, port):
    """The header lines for load/: the row's, and the server's own entity tag where the row wants it back."""
    lines = list(row.headers)
    if row.if_none_match:
        _, headers, _ = get(port, row.targets[0].path, {})
        if "ETag" not in headers:
            raise Wrong("no ETag")
        lines.append(f"If-None-Match: {headers['ETag']}")
    return lines


def check(row, port, root, headers):
    """Asks twice for up to 20 targets: the second answer may come from a cache."""
    fields = dict(line.split(": ", 1) for line in headers)
    step = max(1, len(row.targets) // 20)
    for target in row.targets[::step]:
        wanted = expected_body(target, root)
        for _ in range(2):
            status, _, body = get(port, target.path, fields)
            if status != target.status:
                raise Wrong(f"{target.path}: status {status}, not {target.status}")
            if len(body) != len(wanted):
                raise Wrong(f"{target.path}: {len(body)} bytes, not {len(wanted)}")
            if hashlib.sha256(body).digest() != hashlib.sha256(wanted).digest():
                raise Wrong(f"{target.path}: other bytes")


def expected_body(target, root):
    if target.file == "-":
        return b""
    content = (root / (target.file or target.path.removeprefix("/"))).read_bytes()
    if target.part:
        offset, length = target.part
        content = content[offset:offset + length]
    return content
