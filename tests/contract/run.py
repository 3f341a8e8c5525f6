#!/usr/bin/env python3
"""Plays the cases of one file over one transport against the real server: run.py CASES.json tcp|unix

A file: {"files": {...}, "config": {...}, "cases": [...]}; see README.md beside it. One server for each
file; it must end with exit code 0 and without an error in its log.
"""

import json
import os
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "process"))

import expectation  # noqa: E402
import h1_client  # noqa: E402
from servery import Servery  # noqa: E402

MTIME = 784111777  # Sun, 06 Nov 1994 08:49:37 GMT
TIMEOUT = 15


def content_of(spec):
    if isinstance(spec, str):
        return spec.encode()
    return spec["repeat"].encode() * spec["count"]


def write_sparse(path, spec):
    with path.open("wb") as file:
        file.truncate(spec["sparse"])
        file.seek(spec["at"])
        file.write(spec["text"].encode())


def make_tree(root, files):
    """Files as README.md says; `$SITE` in a link's target is the tree."""
    root.mkdir()
    for name, spec in files.items():
        path = root / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(spec, dict) and "link" in spec:
            path.symlink_to(spec["link"].replace("$SITE", str(root)))
            continue
        if isinstance(spec, dict) and "fifo" in spec:
            os.mkfifo(path)
            continue
        if isinstance(spec, dict) and "sparse" in spec:
            write_sparse(path, spec)
        else:
            path.write_bytes(content_of(spec))
        os.utime(path, (MTIME, MTIME))


def configuration(directory, suite, transport):
    """JSON is YAML; `$SITE` in it is the tree of `files`."""
    listen = "127.0.0.1:0" if transport == "tcp" else f"unix:{directory}/http.sock"
    config = {"schema": 1, "runtime": {"workers": 1}, "listeners": [{"address": listen}],
              "routes": [{"path": "/", "static": {"root": "$SITE"}}], **suite.get("config", {})}
    return json.dumps(config).replace("$SITE", str(directory / "site"))


class Player:
    """`problems` names what is wrong with a response, by what is expected of it."""

    def __init__(self, address, timeout=TIMEOUT, problems=expectation.problems):
        self.address = address
        self.timeout = timeout
        self.problems = problems

    def connect(self):
        return h1_client.Connection(self.address, self.timeout)

    def ask(self, method, target, headers):
        with self.connect() as connection:
            connection.send(self.encode({"method": method, "target": target, "headers": headers}))
            return connection.read(method)

    def encode(self, request):
        """Structured requests hold what every transport can say."""
        lines = [f"{request.get('method', 'GET')} {request.get('target', '/')} HTTP/1.1"]
        headers = {"Host": "localhost", **request.get("headers", {})}
        body = request.get("body", "").encode()
        if body:
            headers["Content-Length"] = str(len(body))
        lines += [f"{name}: {self.fill_in(value)}" for name, value in headers.items()]
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body

    def fill_in(self, value):
        """`${NAME TARGET}` is that field of a GET of TARGET."""
        return re.sub(r"\$\{(\S+) (\S+)\}",
                      lambda found: self.ask("GET", found[2], {}).values(found[1])[0], value)

    def bytes_of(self, case):
        """(what to send, the methods of the responses to come)."""
        if "raw" in case:
            raw = case["raw"]
            data = "".join(raw) if isinstance(raw, list) else raw
            return data.encode("latin-1"), case.get("methods", ["GET"] * len(case["responses"]))
        return self.encode(case["request"]), [case["request"].get("method", "GET")]

    def play(self, case):
        data, methods = self.bytes_of(case)
        wanted = case["responses"] if "raw" in case else [case["expect"]]
        found = []
        with self.connect() as connection:
            connection.send(data, case.get("piece", 0))
            for number, (expected, method) in enumerate(zip(wanted, methods, strict=True)):
                response = connection.read(method)
                found += [f"response {number}: {text}"
                          for text in self.problems(expected, response)]
            if case.get("then") == "closed" and not connection.is_closed():
                found.append("not closed afterwards")
            if case.get("then") == "usable":
                connection.send(b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n")
                if connection.read("OPTIONS").status != 204:
                    found.append("no next request on the connection")
            if case.get("then") == "silent" and not connection.is_silent(0.2):
                found.append("more came")
        return found


def play_all(suite, player):
    failed = 0
    for case in suite["cases"]:
        try:
            found = player.play(case)
        except (h1_client.Broken, OSError, ValueError) as error:
            found = [f"{type(error).__name__}: {error}"]
        failed += bool(found)
        print(f"{'FAIL' if found else 'ok  '} {case['name']} ({case['rfc']})")
        for text in found:
            print(f"     {text}")
    return failed


def main():
    suite = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    transport = sys.argv[2]
    with tempfile.TemporaryDirectory(prefix="servery-contract-") as name:
        directory = pathlib.Path(name)
        make_tree(directory / "site", suite.get("files", {}))
        server = Servery(directory, config=configuration(directory, suite, transport))
        try:
            server.wait_ready()
            failed = play_all(suite, Player(server.address()))
            code = server.stop()
        finally:
            if server.process.poll() is None:
                server.process.kill()
    errors = [line for line in server.lines if " error " in line]
    total = len(suite["cases"])
    print("\n".join(errors))
    print(f"cases: {total - failed} passed, {failed} failed, over {transport}; exit code {code}")
    return 0 if total and not failed and not errors and code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
