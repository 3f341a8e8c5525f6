"""The files that are served: the same bytes in every run, made once in the working folder."""

import os
import random

import rows

SIZES = {"empty.bin": 0, "1k.bin": 1 << 10, "16k.bin": 16 << 10, "64k.bin": 64 << 10, "1m.bin": 1 << 20,
         "8m.bin": 8 << 20}
# Long ago: a file that changed within the clock's tick is not cached by a careful server.
MODIFIED = 1_750_000_000


def make(root, tree=True):
    """Fills `root` (a pathlib.Path), with or without the many files of the row `tree`."""
    generator = random.Random(7)
    for name, size in SIZES.items():
        put(root / name, generator.randbytes(size))
    done = root / "tree"
    if tree and not done.exists():
        partial = root / "tree.partial"
        for number in range(rows.TREE_FILES):
            put(partial / rows.tree_path(number).removeprefix("/tree/"), generator.randbytes(1024))
        partial.rename(done)


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)
    os.utime(path, (MODIFIED, MODIFIED))


def target_lines(row, root):
    """The target list of `row` for load/."""
    lines = []
    for target in row.targets:
        file = target.file or target.path.removeprefix("/")
        where = "-" if file == "-" else str(root / file)
        lines.append(" ".join(map(str, (target.path, target.status, where, *target.part))))
    return "\n".join(lines) + "\n"
