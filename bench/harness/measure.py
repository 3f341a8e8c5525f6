"""One measurement: load/ pinned to its processor against one server, with what the server spent meanwhile."""

import dataclasses
import json
import subprocess
import time

import process
import servers
import content
import verify

CLIENT_BUSY = 0.93  # a client at this share of its processor limits the rate, not the server


class Session:
    """The working folder, the processors and the servers of one row."""

    def __init__(self, work, root, server_cpus="0", client_cpus="1"):
        self.work = work
        self.root = root
        self.server_cpus = server_cpus
        self.client_cpus = client_cpus

    def start(self, server, row, **options):
        """A started server that gives the right answers for `row`, with the headers to send."""
        cpus = self.server_cpus if row.workers == 1 else f"{self.server_cpus},{self.client_cpus}"
        running = process.Running(server, self.work, self.root, cpus, row.workers, **options)
        try:
            running.headers = verify.row_headers(row, running.port)
            verify.check(row, running.port, self.root, running.headers)
        except Exception:
            running.stop()
            raise
        (self.work / "targets").write_text(content.target_lines(row, self.root))
        return running

    def load_command(self, running, row, options=()):
        command = ["taskset", "-c", self.client_cpus, servers.LOAD, "--port", running.port, "--targets",
                   self.work / "targets", *row.client, *options]
        for header in running.headers:
            command += ["--header", header]
        for pid in running.pids():
            command += ["--watch", pid]
        return list(map(str, command))

    def load(self, running, row, options=()):
        """The result of load/, with the figures derived from it."""
        output = subprocess.run(self.load_command(running, row, options), capture_output=True, text=True, check=False)
        if not output.stdout:
            raise RuntimeError(f"load: {output.stderr}")
        return derive(json.loads(output.stdout), row)

    def warm(self, running, row):
        """Asks once for everything where one round would not: each server's cache is full before it is measured."""
        if len(set(row.targets)) > 1000:
            in_turn = dataclasses.replace(row, client=tuple(option for option in row.client if option != "--random"))
            self.load(running, in_turn, ("--requests", len(row.targets)))

    def maximum(self, running, row, seconds=1.0):
        """Answers a second in a closed loop."""
        return self.load(running, row, ("--seconds", seconds))["rate"]

    def during_reloads(self, running, row, options, seconds, count=10):
        """load() while the server reloads `count` times, evenly spread."""
        command = self.load_command(running, row, (*options, "--seconds", seconds))
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
            for _ in range(count):
                time.sleep(seconds / (count + 1))
                running.reload()
            output, _ = client.communicate(timeout=seconds + 60)
        return derive(json.loads(output), row)

    def idle(self, running, row):
        """Memory of connections that stay: per connection, and how much comes back when they close."""
        before = process.pss_bytes(running.pids())
        command = self.load_command(running, row, ("--hold",))
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as client:
            held = client.stdout.readline().strip() == "held"
            time.sleep(0.5)
            open_bytes = process.pss_bytes(running.pids())
            output, _ = client.communicate(timeout=60)
        result = derive(json.loads(output), row)
        time.sleep(1)  # what "given back one second after the close" means
        after = process.pss_bytes(running.pids())
        connections = int(row.client[row.client.index("--connections") + 1])
        result.update(held=held, pss_before=before, pss_open=open_bytes, pss_after=after,
                      bytes_per_connection=(open_bytes - before) / connections)
        return result


def derive(result, row):
    answers = max(1, result["answers"])
    seconds = result["seconds"] or 1
    result["cpu_us"] = 1e6 * result["server_cpu_seconds"] / answers
    result["server_busy"] = result["server_cpu_seconds"] / seconds
    result["client_busy"] = result["client_cpu_seconds"] / seconds
    result["megabytes_per_second"] = (result["head_bytes"] + result["body_bytes"]) / seconds / 1e6
    # A rate under these conditions is a lower bound: the server had time left.
    result["client_limited"] = result["client_busy"] >= CLIENT_BUSY > result["server_busy"]
    wanted_2xx = all(target.status // 100 == 2 for target in row.targets)
    result["void"] = result["errors"] > 0 or result["answers"] == 0 or (wanted_2xx and result["non_2xx"] > 0)
    return result
