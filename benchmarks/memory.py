"""Memory and time of `summarize`: 1e8 scores in Parquet under an address-space limit, every frame.

    python benchmarks/memory.py [--write] [--rows 100000000]

The large file (1.6 GB) is written to a temporary folder and deleted afterwards. Each of its readers
runs in a process of its own. An engine that is not installed has no line.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _common import Goal, report, table, version

import betaroc as br

ROWS = 100_000_000
SMALL = 10_000_000
GROUP = 1 << 20
LIMIT = 10**9
ROUNDS = 3
#: One thread each and one arena: threads reserve address space that they do not use.
LEAN = {
    "MALLOC_ARENA_MAX": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
    "ARROW_NUM_THREADS": "1",
    "ARROW_IO_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
READ = """
import pyarrow.parquet as pq
with pq.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20) as file:
    for batch in file.iter_batches(batch_size=1 << 20, columns=["score", "label"]):
        pass
"""
LOAD = """
import pyarrow.parquet as pq
table = pq.read_table(path, columns=["score", "label"])
"""
SUMMARIZE = """
found = betaroc.summarize(path)
assert found.n_client + found.n_impostor == rows
"""
CHILD = """
import resource, sys, time
path, rows, limit = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
import narwhals, numpy, pyarrow, betaroc
start = time.process_time()
try:
    exec(sys.argv[4])
except MemoryError as error:
    sys.exit("MemoryError")
# ru_maxrss would begin with that of the parent; the high-water mark begins with this program.
status = open("/proc/self/status").read()
print(time.process_time() - start, status.partition("VmHWM:")[2].split()[0])
"""


# --------------------------------------------------------------------------------- the file
def write_scores(path: Path, rows: int) -> None:
    """Beta scores and labels, doubles and 64-bit integers, in groups of rows, not compressed."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    schema = pa.schema([("score", pa.float64()), ("label", pa.int64())])
    with pq.ParquetWriter(path, schema, use_dictionary=False, compression="NONE") as writer:
        for start in range(0, rows, GROUP):
            n = min(GROUP, rows - start)
            label = (rng.random(n) < 0.3).astype(np.int64)
            score = np.where(label == 1, rng.beta(4, 2, n), rng.beta(2, 4, n))
            writer.write_table(pa.table([score, label], schema=schema), row_group_size=GROUP)


# ----------------------------------------------------------------------- under the limit
def limited(path: Path, code: str, rows: int) -> tuple[float, float] | str:
    """Processor seconds and peak MB of code under the limit, or what ended it."""
    done = subprocess.run(  # noqa: S603 - this interpreter and this file's own code
        [sys.executable, "-c", CHILD, str(path), str(rows), str(LIMIT), code],
        env={**os.environ, **LEAN, "PYTHONPATH": str(Path(br.__file__).parents[1])},
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        return done.stderr.strip().splitlines()[-1]
    seconds, peak = done.stdout.split()[:2]
    return float(seconds), float(peak) / 1024


def peak_goal(rows: int, peak: float) -> Goal:
    """The limit of memory, in MB; nan where there is nothing to measure."""
    what = f"peak memory, {rows:.0e} scores in Parquet summarised"
    return Goal(what, "", peak, at_most=LIMIT / 1e6, unit="MB")


def under_the_limit(path: Path, rows: int) -> tuple[str, Goal]:
    """The table of the large file, and whether its summary stayed under the limit."""
    cases = {
        "reading both columns in batches": READ,
        "loading both columns": LOAD,
        "summarize": SUMMARIZE,
    }
    lines, reading, peak = [], None, math.inf
    for name, code in cases.items():
        found = limited(path, code, rows)
        if isinstance(found, str):
            lines.append([name, found, "", "", ""])
            peak = math.inf
            continue
        seconds, peak = found
        reading = reading or seconds
        lines.append(
            [name, "done", f"{peak:.0f}", f"{1e9 * seconds / rows:.0f}", f"{seconds / reading:.1f}"]
        )
    head = ["case", "ended", "peak memory, MB", "ns a score, processor", "over reading"]
    return table(head, lines), peak_goal(rows, peak)  # that of the last case


# --------------------------------------------------------------------------- every engine
def frames(path: Path) -> dict[str, Callable[[], Any]]:
    """What makes the frame of each engine; eager ones are loaded once."""
    import pandas as pd
    import pyarrow.parquet as pq

    eager = pd.read_parquet(path)
    arrow = pq.read_table(path)
    made: dict[str, Callable[[], Any]] = {"pandas": lambda: eager, "pyarrow table": lambda: arrow}
    if version("polars"):
        import polars as pl

        loaded = pl.read_parquet(path)
        made |= {"Polars": lambda: loaded, "Polars, lazy": lambda: pl.scan_parquet(path)}
    if version("duckdb"):
        import duckdb

        made["DuckDB"] = lambda: duckdb.read_parquet(str(path))
    if version("dask"):
        import dask.dataframe as dd

        made["Dask, threads"] = lambda: dd.read_parquet(path)
    if version("pyspark") and shutil.which("java"):
        from pyspark.sql import SparkSession

        session = (
            SparkSession.builder.master("local[1]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.shuffle.partitions", "1")
            .getOrCreate()
        )
        made["Spark, local[1]"] = lambda: session.read.parquet(str(path))
    return made


def every_engine(path: Path) -> str:
    """The table of the small file: medians of rounds, by the clock and by the processor."""
    import pyarrow.parquet as pq

    cases: dict[str, Callable[[], object]] = {
        "reading both columns": lambda: pq.read_table(path, columns=["score", "label"]),
        "Parquet file": lambda: br.summarize(path),
    }
    cases |= {name: frame_case(make) for name, make in frames(path).items()}
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
    for turn in range(ROUNDS + 1):
        for name, case in cases.items():
            clock, own = time.perf_counter(), time.process_time()
            case()
            if turn:
                seconds[name].append((time.perf_counter() - clock, time.process_time() - own))
    reading = statistics.median(clock for clock, _ in seconds["reading both columns"])
    lines = []
    for name, pairs in seconds.items():
        clock, own = (statistics.median(values) for values in zip(*pairs, strict=True))
        processor = "in the JVM" if name.startswith("Spark") else f"{1e9 * own / SMALL:.0f}"
        lines.append([name, f"{1e9 * clock / SMALL:.0f}", processor, f"{clock / reading:.1f}"])
    return table(["frame", "ns a score, clock", "processor", "clock over reading"], lines)


def frame_case(make: Callable[[], Any]) -> Callable[[], object]:
    """Summarize a frame."""
    return lambda: br.summarize(make())


def main(write: bool | None = None) -> list[Goal]:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write results/memory.md")
    parser.add_argument("--rows", type=int, default=ROWS, help="rows of the large file")
    given = parser.parse_args() if write is None else parser.parse_args([])
    if version("pyarrow") is None:
        report("Summaries: memory and time", "pyarrow, which writes the file: not installed.", None)
        return [peak_goal(given.rows, math.nan)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scores.parquet")
        write_scores(path, given.rows)
        size = path.stat().st_size / 1e6
        large, goal = under_the_limit(path, given.rows)
        write_scores(path, SMALL)
        small = every_engine(path)
    engines = ("polars", "duckdb", "pyarrow", "pandas", "dask", "pyspark", "narwhals")
    used = ", ".join(f"{name} {version(name) or 'not installed'}" for name in engines)
    body = (
        f"## {given.rows} scores in Parquet ({size:.0f} MB) under RLIMIT_AS = {LIMIT / 1e6:.0f} MB"
        "\n\nEach case is a process of its own whose whole address space is limited, imports"
        " included; one thread and one arena of the allocator, since threads reserve address space"
        f" that they do not use ({', '.join(f'{k}={v}' for k, v in LEAN.items())}).\n\n{large}\n\n"
        f"## {SMALL} scores, every engine\n\nMedians of {ROUNDS} rounds in one process after a"
        f" warm-up, default threads; reading is pyarrow's, into memory.\n\n{small}\n\n"
        f"Engines: {used}."
    )
    report("Summaries: memory and time", body, "memory.md" if write or given.write else None)
    return [goal]


if __name__ == "__main__":
    main()
