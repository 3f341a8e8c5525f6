"""The rows of the benchmark, as data. A later capability (gzip, TLS, HTTP/2, access log) adds rows here, and
what its servers need to servers.py; nothing else changes.

A row is measured by load/ with `client` as its options, every answer compared with `targets`. `kind` says how:
  closed  as fast as the server answers (the cost per request is the figure)
  open    at a share of what the best nginx variant reaches on `keep-64` (latency is the figure)
  reload  as open, without and with ten reloads (latency and lost requests)
  idle    connections that have been answered once and stay (memory is the figure)
`goals` are the largest allowed ratios of CPU per request to the best nginx variant and to h2o.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Target:
    """One line of a target list: what is asked for, and the part of which file must come back."""
    path: str
    status: int = 200
    file: str = ""  # below the site; default: the path
    part: tuple = ()  # offset and length


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    title: str
    targets: tuple
    client: tuple = ()
    headers: tuple = ()
    kind: str = "closed"
    if_none_match: bool = False  # send the entity tag that the server gave
    share: float = 0  # open loop: of the best nginx variant's own maximum
    workers: int = 1
    goals: dict = dataclasses.field(default_factory=dict)


TREE_FILES = 20_000
TREE_FOLDERS = 256


def tree_path(number):
    return f"/tree/{number % TREE_FOLDERS:02x}/f{number:05d}.bin"


SMALL = (Target("/1k.bin"),)
MIXED = (Target("/1k.bin"),) * 63 + (Target("/1m.bin"),)

ROWS = (
    Row("keep-1", "1 KiB, kept alive, 1 connection", SMALL, ("--connections", 1)),
    Row("keep-8", "1 KiB, kept alive, 8 connections", SMALL, ("--connections", 8)),
    Row("keep-64", "1 KiB, kept alive, 64 connections", SMALL, ("--connections", 64),
        goals={"nginx": 0.76, "h2o": 0.80}),
    Row("keep-256", "1 KiB, kept alive, 256 connections", SMALL, ("--connections", 256)),
    Row("keep-4096", "1 KiB, kept alive, 4096 connections", SMALL, ("--connections", 4096)),
    Row("churn-32", "1 KiB, a connection for each request, 32 at once", SMALL,
        ("--connections", 32, "--per-connection", 1), goals={"nginx": 0.97, "h2o": 0.82}),
    Row("per-100", "1 KiB, 100 requests a connection, 64 at once", SMALL,
        ("--connections", 64, "--per-connection", 100)),
    Row("size-0", "empty file, 64 connections", (Target("/empty.bin"),), ("--connections", 64)),
    Row("size-16k", "16 KiB, 64 connections", (Target("/16k.bin"),), ("--connections", 64),
        goals={"nginx": 0.90, "h2o": 0.87}),
    Row("size-64k", "64 KiB, 64 connections", (Target("/64k.bin"),), ("--connections", 64, "--compare", 8),
        goals={"nginx": 0.84, "h2o": 0.72}),
    Row("size-1m", "1 MiB, 32 connections", (Target("/1m.bin"),), ("--connections", 32, "--compare", 16)),
    Row("size-8m", "8 MiB, 16 connections", (Target("/8m.bin"),), ("--connections", 16, "--compare", 16),
        goals={"nginx": 1.05, "h2o": 0.60}),
    Row("not-modified", "1 KiB, If-None-Match: 304, 64 connections", (Target("/1k.bin", 304, "-"),),
        ("--connections", 64), if_none_match=True, goals={"nginx": 0.88, "h2o": 0.75}),
    Row("range", "1 KiB out of 8 MiB, 64 connections", (Target("/8m.bin", 206, "8m.bin", (1048576, 1024)),),
        ("--connections", 64), headers=("Range: bytes=1048576-1049599",), goals={"nginx": 0.82, "h2o": 0.85}),
    Row("pipeline-16", "1 KiB, 16 requests at once on 64 connections", SMALL,
        ("--connections", 64, "--depth", 16), goals={"nginx": 0.08, "h2o": 0.09}),
    Row("tree", f"{TREE_FILES} files of 1 KiB at random, 64 connections",
        tuple(Target(tree_path(n)) for n in range(TREE_FILES)), ("--connections", 64, "--random"),
        goals={"nginx": 0.88}),
    Row("mixed", "63 of 1 KiB to one of 1 MiB at random, 64 connections", MIXED, ("--connections", 64, "--random")),
    Row("workers-2", "1 KiB, kept alive, 64 connections, two workers on both processors", SMALL,
        ("--connections", 64), workers=2),
    Row("open-50", "1 KiB, open loop at 50 % of nginx's maximum, 64 connections", SMALL, ("--connections", 64),
        kind="open", share=0.5),
    Row("open-80", "1 KiB, open loop at 80 % of nginx's maximum, 64 connections", SMALL, ("--connections", 64),
        kind="open", share=0.8),
    Row("reload", "1 KiB, open loop at 50 %, during 10 reloads", SMALL, ("--connections", 64), kind="reload",
        share=0.5),
    Row("idle-10000", "10,000 connections, answered once, then idle", SMALL, ("--connections", 10_000), kind="idle"),
)

BY_NAME = {row.name: row for row in ROWS}
