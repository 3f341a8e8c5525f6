"""One row of the benchmark over all servers: start, verify, rounds in random order, counts, judgement."""

import contextlib
import json
import pathlib
import random
import subprocess

import counts
import process
import report
import rows
import servers
import stats
import verify

CONTROL_STORE = pathlib.Path(__file__).parent / "control.json"
CONTROL = json.loads(CONTROL_STORE.read_text())
CONTROLS = ("limit", "limit-deferred")
CONTROL_SLACK = 0.08
RELOADS = 10
RELOAD_SECONDS = 5.0


def store_control(results):
    """The ratios of the limit servers to the best nginx variant, by row, become the usual ones."""
    for name, found in results.items():
        ratios = {control: found["servers"][control]["ratio"] for control in CONTROLS if control in found["servers"]}
        CONTROL[name] = {control: round(ratio["median"], 3) for control, ratio in ratios.items() if ratio}
    CONTROL_STORE.write_text(json.dumps(CONTROL, indent=1) + "\n")


class Experiment:
    def __init__(self, session, row, chosen, arguments):
        self.session = session
        self.row = row
        self.chosen = chosen
        self.arguments = arguments
        self.order = random.Random(arguments.seed)
        self.remarks = []

    def run(self):
        """{servers: {name: figures}, best_nginx, remarks}; `rounds` holds every single measurement."""
        with contextlib.ExitStack() as stack:
            running = {server.name: started for server in self.chosen if (started := self.start(server, stack))}
            offered = self.offered_rate(running) if self.row.share else None
            rounds = self.rounds(running, offered)
            entries = {name: self.entry(results, offered) for name, results in rounds.items()}
            for name, entry in entries.items():
                entry.setdefault("pss", process.pss_bytes(running[name].pids()))
            if self.arguments.counts and self.row.kind == "closed":
                self.count_calls(running, entries)
        if self.arguments.counts and self.row.kind == "closed":
            self.count_instructions(entries)
        best = self.add_ratios(entries, rounds)
        self.remarks += report.goal_remarks(self.row, entries, best)
        return {"servers": entries, "best_nginx": best, "remarks": self.remarks, "rounds": rounds}

    def start(self, server, stack):
        if self.row.kind == "reload" and not server.reload:
            self.remarks.append(f"{server.name} left out: no reload without another program")
            return None
        try:
            started = self.session.start(server, self.row)
        except (verify.Wrong, RuntimeError, OSError) as problem:
            self.remarks.append(f"{server.name} left out: {problem}")
            return None
        stack.callback(started.stop)
        return started

    def rounds(self, running, offered):
        results = {name: [] for name in running}
        for started in running.values():
            self.session.warm(started, self.row)
        for _ in range(1 if self.row.kind == "idle" else self.arguments.rounds):
            names = list(results)
            self.order.shuffle(names)
            for name in names:
                try:
                    results[name].append(self.measure(running[name], offered))
                except (RuntimeError, subprocess.SubprocessError, OSError) as problem:
                    self.remarks.append(f"VOID: {name}: {problem}")
                    del results[name]
        return results

    def measure(self, started, offered):
        options = ("--seconds", self.arguments.seconds)
        if self.row.kind == "idle":
            return self.session.idle(started, self.row)
        if self.row.kind == "closed":
            return self.session.load(started, self.row, options)
        if self.row.kind == "open":
            return self.session.load(started, self.row, (*options, "--rate", offered))
        steady = self.session.load(started, self.row, (*options, "--rate", offered))
        result = self.session.during_reloads(started, self.row, ("--rate", offered), RELOAD_SECONDS, RELOADS)
        result["steady"] = steady["latency_us"]["p99"]
        return result

    def offered_rate(self, running):
        """The share of what the best nginx variant present reaches in a closed loop, measured now."""
        nginx = [started for name, started in running.items() if name.startswith("nginx")] or list(running.values())
        closed = rows.BY_NAME["keep-64"]
        return int(self.row.share * max(self.session.maximum(started, closed) for started in nginx))

    def entry(self, results, offered):
        """Medians and spread of the rounds of one server."""
        def over(key):
            return stats.summary([key(result) for result in results])
        entry = {name: over(lambda r, name=name: r[name]) for name in
                 ("cpu_us", "rate", "megabytes_per_second", "server_busy", "client_busy")}
        for name in ("p50", "p99", "p999"):
            latency = "latency_us" if results[0]["latency_us"]["count"] else "latency_large_us"
            entry[name] = over(lambda r, name=name: r[latency][name])
        entry["client_limited"] = any(result["client_limited"] for result in results)
        entry["errors"] = sum(result["errors"] for result in results)
        entry["answers"] = sum(result["answers"] for result in results)
        entry["offered"] = offered
        entry["late_share"] = over(lambda r: r["late"] / max(1, r["answers"]))
        if any(result["void"] for result in results):
            kinds = {kind: sum(r["error_kinds"][kind] for r in results) for kind in results[0]["error_kinds"]}
            entry["void"] = ", ".join(f"{count} {kind}" for kind, count in kinds.items() if count) or "not all 2xx"
        if self.row.kind == "reload":
            entry["steady"] = over(lambda r: r["steady"])
            entry["times"] = over(lambda r: r["latency_us"]["p99"] / max(1.0, r["steady"]))
        if self.row.kind == "idle":
            entry["bytes_per_connection"] = over(lambda r: r["bytes_per_connection"])
            entry.update({name: results[0][name] for name in ("pss_before", "pss_open", "pss_after")})
        return entry

    def add_ratios(self, entries, rounds):
        """Ratios of CPU per request to each other server, and the control; the name of the best nginx variant."""
        valid = {name: [r["cpu_us"] for r in results] for name, results in rounds.items()
                 if not entries[name].get("void")}
        variants = [name for name in valid if name.startswith("nginx")]
        best = min(variants, key=lambda name: entries[name]["cpu_us"]["median"], default=None)
        for name, values in valid.items():
            entries[name]["ratios"] = {other: stats.ratio(values, valid[other]) for other in valid if other != name}
            entries[name]["ratio"] = entries[name]["ratios"].get(best)
        if self.row.kind == "closed":
            self.check_control(entries, best)
        return best

    def check_control(self, entries, best):
        """The limit server's ratio to the best nginx variant is a property of this row: off means noise."""
        usual = CONTROL.get(self.row.name)
        for control in CONTROLS:
            found = entries.get(control, {}).get("ratio")
            if not found or not usual or control not in usual:
                continue
            off = found["median"] / usual[control] - 1
            if abs(off) > CONTROL_SLACK:
                self.remarks.append(f"VOID: {control} is {found['median']:.2f} of {best}, {100 * off:+.0f} % off "
                                    f"its usual {usual[control]:.2f}: the machine was not quiet")
                for entry in entries.values():
                    entry.setdefault("void", "control")

    def count_calls(self, running, entries):
        for name, entry in entries.items():
            calls = counts.system_calls(self.session, running[name], self.row)
            entry["system_calls"] = calls
            entry["calls"] = sum(calls.values())

    def count_instructions(self, entries):
        for server in self.chosen:
            if server.name in entries:
                counted = servers.BY_NAME[server.counted_as or server.name]
                try:
                    entries[server.name]["instructions"] = counts.instructions(self.session, counted, self.row)
                except (RuntimeError, verify.Wrong, OSError) as problem:
                    self.remarks.append(f"{server.name}: no instruction count: {problem}")
