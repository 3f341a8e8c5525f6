"""The Markdown of a run: one table a row, and the goals."""

import stats


def number(value, digits=2):
    return "" if value is None else f"{value:,.{digits}f}"


def spread(found, digits=2):
    return (f"{found['median']:.{digits}f} ({found['min']:.{digits}f}-{found['max']:.{digits}f}, "
            f"±{found['mad']:.{digits}f})")


def interval(found):
    return "" if found is None else f"{found['median']:.2f} [{found['low']:.2f}, {found['high']:.2f}]"


def notes(entry):
    texts = [f"VOID: {entry['void']}"] if entry.get("void") else []
    if entry.get("client_limited"):
        texts.append("client-limited: a lower bound")
    if entry.get("note"):
        texts.append(entry["note"])
    return "; ".join(texts)


COST_HEAD = ("| server | CPU µs/request: median (min-max, ±MAD) | requests/s | MB/s | p50 µs | p99 µs | server % "
             "| client % | PSS MiB | calls/req | instr/req | ratio to {best} [95 %] | |\n"
             "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|")
OPEN_HEAD = ("| server | offered/s | p50 µs | p99 µs | p99.9 µs | CPU µs/request | late | |\n"
             "|---|--:|--:|--:|--:|--:|--:|---|")
RELOAD_HEAD = ("| server | offered/s | steady p99 µs | p99 µs during reloads | times | errors | |\n"
               "|---|--:|--:|--:|--:|--:|---|")
IDLE_HEAD = ("| server | bytes a connection | PSS MiB before | open | 1 s after | answered again | |\n"
             "|---|--:|--:|--:|--:|--:|---|")


def cost_line(name, entry):
    return (f"| {name} | {spread(entry['cpu_us'])} | {number(entry['rate']['median'], 0)} "
            f"| {number(entry['megabytes_per_second']['median'], 0)} | {number(entry['p50']['median'], 0)} "
            f"| {number(entry['p99']['median'], 0)} | {100 * entry['server_busy']['median']:.0f} "
            f"| {100 * entry['client_busy']['median']:.0f} | {number(entry['pss'] / 2**20, 1)} "
            f"| {number(entry.get('calls'))} | {number(entry.get('instructions'), 0)} "
            f"| {interval(entry.get('ratio'))} | {notes(entry)} |")


def open_line(name, entry):
    return (f"| {name} | {number(entry['offered'], 0)} | {number(entry['p50']['median'], 0)} "
            f"| {number(entry['p99']['median'], 0)} | {number(entry['p999']['median'], 0)} "
            f"| {number(entry['cpu_us']['median'])} | {100 * entry['late_share']['median']:.1f} % | {notes(entry)} |")


def reload_line(name, entry):
    return (f"| {name} | {number(entry['offered'], 0)} | {number(entry['steady']['median'], 0)} "
            f"| {number(entry['p99']['median'], 0)} | {number(entry['times']['median'])} "
            f"| {entry['errors']} | {notes(entry)} |")


def idle_line(name, entry):
    return (f"| {name} | {number(entry['bytes_per_connection']['median'], 0)} "
            f"| {number(entry['pss_before'] / 2**20, 1)} | {number(entry['pss_open'] / 2**20, 1)} "
            f"| {number(entry['pss_after'] / 2**20, 1)} | {entry['answers']} | {notes(entry)} |")


TABLES = {"closed": (COST_HEAD, cost_line), "open": (OPEN_HEAD, open_line), "reload": (RELOAD_HEAD, reload_line),
          "idle": (IDLE_HEAD, idle_line)}


def row_section(row, found):
    head, line = TABLES[row.kind]
    lines = [f"### {row.name}: {row.title}", "", head.format(best=found.get("best_nginx") or "nginx")]
    lines += [line(name, entry) for name, entry in found["servers"].items()]
    lines += ["", *(f"- {text}" for text in found["remarks"])] if found["remarks"] else []
    return "\n".join(lines) + "\n"


def goal_remarks(row, entries, best):
    """One sentence for each goal of `row`, from the paired ratios of servery."""
    for peer, goal in row.goals.items():
        found = (entries.get("servery") or {}).get("ratios", {}).get(best if peer == "nginx" else peer)
        if found:
            verdict = stats.judge(found, goal)
            yield f"goal {goal:.2f} of {peer}: {interval(found)}: {verdict}"


def host_section(origin):
    processor = origin["processor"]
    build = origin["build"]
    lines = [f"- commit {origin['commit']}{' (dirty)' if origin['dirty'] else ''}",
             f"- {build.get('compiler_version')}, {build.get('CMAKE_BUILD_TYPE')} {build.get('CMAKE_CXX_FLAGS_RELEASE')}",
             f"- Linux {origin['kernel']}, {processor['count']} x {processor['model']}, "
             f"{processor['memory_kib'] >> 20} GiB, load {processor['load_at_start'][0]:.1f} at the start"]
    lines += [f"- {name}: {version}" for name, version in origin["peers"].items()]
    return "\n".join(lines) + "\n"
