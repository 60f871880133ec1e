"""Time and memory of CSV: `read_scores` beside pyarrow's own reader, `summarize` of large files.

    python benchmarks/read_csv.py [--write] [--rows 20000000]

The files are written to a temporary folder and deleted afterwards: scores of 15 to 17 digits and
labels 0 and 1, the same million rows as often as it takes. Peak memory is that of a process of its
own, imports included.
"""

from __future__ import annotations

import argparse
import gzip
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import numpy as np
from _common import Goal, medians, report, table, version

import betaroc as br

ROWS = 1_000_000
LARGE = 20_000_000
ROUNDS = 5
MOST = 2.0
LIMIT = 1000.0
HEADER = b"score,label\n"
CHILD = """
import sys, time
import betaroc as br
start = time.process_time()
found = br.summarize(sys.argv[1])
status = open("/proc/self/status").read()
print(found.n_client + found.n_impostor, time.process_time() - start,
      status.partition("VmHWM:")[2].split()[0])
"""


# --------------------------------------------------------------------------------- the files
def million_rows() -> bytes:
    """Beta scores in their shortest decimals, and labels."""
    rng = np.random.default_rng(1)
    label = (rng.random(ROWS) < 0.3).astype(int)
    score = np.where(label == 1, rng.beta(4, 2, ROWS), rng.beta(2, 4, ROWS))
    pairs = zip(score.tolist(), label.tolist(), strict=True)
    return "".join(f"{s!r},{k}\n" for s, k in pairs).encode()


def write_table(path: Path, rows: bytes, times: int) -> None:
    """The rows so many times under one header; a name in .gz is compressed."""
    with gzip.open(path, "wb", 6) if path.suffix == ".gz" else path.open("wb") as file:
        file.write(HEADER)
        for _ in range(times):
            file.write(rows)


# ----------------------------------------------------------------------------- a million rows
def pyarrow_reads(path: Path) -> Callable[[], object]:
    """Both columns as arrays, by pyarrow alone."""
    from pyarrow.csv import read_csv

    def read() -> object:
        found = read_csv(path)
        return found["score"].to_numpy(), found["label"].to_numpy()

    return read


def without_pyarrow(path: Path) -> br.Scores:
    """Scores of a file as they are read where pyarrow is not installed."""
    with patch.dict(sys.modules, {"pyarrow.csv": None}):
        return br.read_scores(path)


def of_a_million(folder: Path, rows: bytes) -> tuple[str, list[Goal]]:
    """The table of times and the two goals."""
    lines, goals = [], []
    odd = folder / "odd.csv"
    odd.write_bytes(HEADER + b"\n" + rows)  # a blank line: read line by line
    for name in ("scores.csv", "scores.csv.gz"):
        path = folder / name
        write_table(path, rows, 1)
        cases: dict[str, Callable[[], object]] = {
            "pyarrow's own reading": pyarrow_reads(path),
            "read_scores": lambda path=path: br.read_scores(path),
            "read_scores without pyarrow": lambda path=path: without_pyarrow(path),
        }
        if name == "scores.csv":
            cases["read_scores, line by line after a blank line"] = lambda: br.read_scores(odd)
        seconds = medians(cases, ROUNDS)
        own = seconds["pyarrow's own reading"]
        lines += [[name, c, f"{1e3 * s:.0f}", f"{s / own:.2f}"] for c, s in seconds.items()]
        ratio = seconds["read_scores"] / own
        what = f"read_scores, 1e6 rows of {name.removeprefix('scores')}"
        goals.append(Goal(what, "pyarrow's own reading", ratio, at_most=MOST))
    return table(["file", "reader", "ms, processor", "over pyarrow's own"], lines), goals


def of_other_shapes(folder: Path, rows: bytes) -> str:
    """The table of times of the same trials in files of other shapes."""
    pairs = [line.split(",") for line in rows.decode().splitlines()]
    shapes = {
        "semicolons, decimal commas": ("score;label", "{e};{y}"),
        "white space": ("score label", "{s} {y}"),
        "no header": (None, "{s},{y}"),
        "4col": (None, "p{a} p{b} q{m} {s}"),
        "trials": (None, "t{k} {s}"),
        "key": (None, "t{k} {y}"),
        "JSON lines": (None, '{{"score": {s}, "label": {y}}}'),
    }
    for name, (header, row) in shapes.items():
        lines = [] if header is None else [header]
        for k, (s, y) in enumerate(pairs):
            a = k % 500
            lines.append(row.format(
                s=s, e=s.replace(".", ","), y=y, k=k, a=a, b=a if y == "1" else a + 1, m=k % 9
            ))  # fmt: skip
        (folder / name).write_text("\n".join(lines) + "\n")
    for label in "10":
        (folder / label).write_text("".join(f"{s}\n" for s, y in pairs if y == label))
    write_table(folder / "scores.csv", rows, 1)
    plain = ("semicolons, decimal commas", "white space", "4col", "JSON lines")
    cases: dict[str, Callable[[], object]] = {
        "pyarrow's own reading of commas": pyarrow_reads(folder / "scores.csv"),
        **{name: lambda name=name: br.read_scores(folder / name) for name in plain},
        "no header": lambda: br.read_scores(folder / "no header", columns="score,label"),
        "a file for each class": lambda: br.read_scores(
            client_file=folder / "1", impostor_file=folder / "0"
        ),
        "trials and a key": lambda: br.read_scores(folder / "trials", key=folder / "key"),
    }
    seconds = medians(cases, ROUNDS)
    own = seconds["pyarrow's own reading of commas"]
    lines = [[c, f"{1e3 * s:.0f}", f"{s / own:.2f}"] for c, s in seconds.items()]
    return table(["shape", "ms, processor", "over pyarrow's own"], lines)


# ------------------------------------------------------------------------------------- memory
def summarized(path: Path) -> tuple[int, float, float]:
    """Rows, processor seconds and peak MB of a process that summarizes a file."""
    done = subprocess.run(  # noqa: S603 - this interpreter and this file's own code
        [sys.executable, "-c", CHILD, str(path)],
        env={**os.environ, "PYTHONPATH": str(Path(br.__file__).parents[1])},
        check=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    rows, seconds, peak = done.stdout.split()
    return int(rows), float(seconds), float(peak) / 1024


def of_large_files(folder: Path, rows: bytes, most: int) -> tuple[str, list[Goal]]:
    """The table of memory by rows, and whether it stayed under the limit."""
    lines, peak = [], math.nan
    files = [(name, n) for name in ("scores.csv", "scores.csv.gz") for n in (most // 10, most)]
    for name, n in files:
        path = folder / name
        write_table(path, rows, max(n // ROWS, 1))
        found, seconds, peak = summarized(path)
        size = path.stat().st_size / 1e6
        lines.append(
            [name, f"{found:.0e}", f"{size:.0f}", f"{peak:.0f}", f"{1e9 * seconds / found:.0f}"]
        )
        path.unlink()
    what = f"peak memory, {most:.0e} rows of .csv.gz summarised"
    head = ["file", "rows", "MB", "peak memory, MB", "ns a row, processor"]
    return table(head, lines), [Goal(what, "", peak, at_most=LIMIT, unit="MB")]


def main(write: bool | None = None) -> list[Goal]:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write results/csv.md")
    parser.add_argument("--rows", type=int, default=LARGE, help="rows of the largest file")
    given = parser.parse_args() if write is None else parser.parse_args([])
    if version("pyarrow") is None:
        report("CSV: time and memory", "pyarrow: not installed.", None)
        return [Goal("read_scores, 1e6 rows of .csv", "pyarrow's own reading", math.nan, MOST)]
    rows = million_rows()
    with tempfile.TemporaryDirectory() as name:
        times, goals = of_a_million(Path(name), rows)
        shapes = of_other_shapes(Path(name), rows)
        memory, more = of_large_files(Path(name), rows, given.rows)
    body = (
        f"## A million rows\n\nMedians of {ROUNDS} rounds in one process after a warm-up, readers"
        f" in turn, default threads.\n\n{times}\n\n## A million rows in other shapes"
        f"\n\n{shapes}\n\n## Memory of `summarize`\n\nEach file in a"
        f" process of its own, whose peak (VmHWM) does not grow with the rows.\n\n{memory}\n\n"
        f"pyarrow {version('pyarrow')}."
    )
    report("CSV: time and memory", body, "csv.md" if write or given.write else None)
    return goals + more


if __name__ == "__main__":
    main()
