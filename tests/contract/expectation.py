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
    return [problem for problem in found if problem]
