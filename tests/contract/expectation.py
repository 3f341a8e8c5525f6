"""Compares a response with what a case expects: status, fields, body. Every difference is named."""

import hashlib
import re

# Of the connection, not of the answer: left out unless a case names one.
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "date"}


def field_problem(name, wanted, values):
    """`wanted`: null (absent), "/regular expression/", or the exact value."""
    if wanted is None:
        return f"{name}: {values}, not absent" if values else None
    if len(values) != 1:
        return f"{name}: {values}, not one field"
    if len(wanted) > 1 and wanted.startswith("/^") and wanted.endswith("$/"):
        matches = re.fullmatch(wanted[2:-2], values[0])
    else:
        matches = values[0] == wanted
    return None if matches else f"{name}: {values[0]!r}, not {wanted!r}"


def body_problem(expected, body):
    if "body" in expected and body != expected["body"].encode():
        return f"body {body[:80]!r}, not {expected['body'][:80]!r}"
    if "body_bytes" in expected and len(body) != expected["body_bytes"]:
        return f"body of {len(body)} bytes, not {expected['body_bytes']}"
    if "body_sha256" in expected:
        found = hashlib.sha256(body).hexdigest()
        if found != expected["body_sha256"]:
            return f"body with SHA-256 {found}"
    return None


def parts_of(response):
    """[(Content-Range, bytes)] of multipart/byteranges (RFC 9110 14.6), read to the letter."""
    boundary = response.values("content-type")[0].partition("boundary=")[2].encode()
    body = response.body.removeprefix(b"\r\n")  # an empty preamble (RFC 2046 5.1.1)
    found = []
    while body != b"--" + boundary + b"--\r\n":
        head, _, rest = body.partition(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        if lines[0] != b"--" + boundary or len(lines) != 3 or not lines[1].startswith(b"Content-Type: "):
            raise ValueError(f"no part begins with {head[:80]!r}")
        content_range = lines[2].decode().removeprefix("Content-Range: ")
        first, last = map(int, re.fullmatch(r"bytes (\d+)-(\d+)/\d+", content_range).groups())
        size = last - first + 1
        if rest[size:size + 4] != b"\r\n--":
            raise ValueError(f"{content_range} is not {size} bytes long")
        found.append((content_range, rest[:size]))
        body = rest[size + 2:]
    return found


def parts_problem(expected, response):
    if "parts" not in expected:
        return None
    found = parts_of(response)
    wanted = [(name, body.encode()) for name, body in
              zip(expected["parts"], expected["part_bodies"], strict=True)]
    return None if found == wanted else f"parts {found}, not {wanted}"


def problems(expected, response):
    wanted = expected["status"]
    found = []
    if response.status not in (wanted if isinstance(wanted, list) else [wanted]):
        found.append(f"status {response.status}, not {wanted}")
    if response.interim != expected.get("interim", []):
        found.append(f"interim responses {response.interim}")
    for name, value in expected.get("headers", {}).items():
        found.append(field_problem(name, value, response.values(name)))
    if expected.get("only_headers"):
        extra = {name for name, _ in response.fields} - set(expected["headers"]) - HOP_BY_HOP
        found.append(f"more fields: {sorted(extra)}" if extra else None)
    if not response.values("date"):
        found.append("no Date")
    found.append(body_problem(expected, response.body))
    found.append(parts_problem(expected, response))
    return [problem for problem in found if problem]
