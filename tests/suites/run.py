#!/usr/bin/env python3
"""Starts the server, plays the cases of other projects against it, and holds the score: run.py raw|static

Fails when a case fails that is not in exceptions.json, and when one of those passes.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "process"))

from servery import Servery  # noqa: E402


def configuration(route):
    return json.dumps({"schema": 1, "hosts": ["*"], "runtime": {"workers": 1},
                       "listeners": [{"address": "127.0.0.1:0"}], "routes": [{"path": "/", **route}]})


def raw_failures(directory, results):
    route = {"methods": "any", "respond": {"status": 200, "body": "ok\n"}}
    with Running(directory, route) as (host, port):
        play("raw_probe.py", f"{host}:{port}", "--json", results, "-j", "32")
    return {row["id"]: row["verdict"] == "FAIL" for row in json.loads(results.read_text())}


def static_failures(directory, results):
    root = directory / "root"
    play("static_probe.py", "--make-root", root)
    with Running(directory, {"static": {"root": str(root)}}) as (host, port):
        play("static_probe.py", "--url", f"http://{host}:{port}", "--json", results)
    return {row["id"]: not row["ok"] for row in json.loads(results.read_text())}


def play(program, *arguments):
    """The program's own exit code counts its failures; the gate is ours."""
    subprocess.run([sys.executable, "-B", str(HERE / program), *map(str, arguments)], timeout=100,
                   check=False)


class Running:
    def __init__(self, directory, route):
        self.server = Servery(directory, config=configuration(route))

    def __enter__(self):
        return self.server.wait_ready().address()

    def __exit__(self, *_):
        code = self.server.stop()
        if code != 0:
            raise AssertionError(f"the server ended with {code}")


def main():
    name = sys.argv[1]
    allowed = set(json.loads((HERE / "exceptions.json").read_text(encoding="utf-8"))[name])
    with tempfile.TemporaryDirectory(prefix="servery-suite-") as made:
        directory = pathlib.Path(made)
        failures = {"raw": raw_failures, "static": static_failures}[name](
            directory, directory / "results.json")
    failed = {case for case, is_failed in failures.items() if is_failed}
    for case in sorted(failed - allowed):
        print(f"failed: {case}")
    for case in sorted(allowed - failed):
        print(f"passes, but is listed in exceptions.json: {case}")
    print(f"suite {name}: {len(failures) - len(failed)} of {len(failures)} passed, "
          f"{len(allowed)} argued")
    return 0 if failures and failed == allowed else 1


if __name__ == "__main__":
    sys.exit(main())
