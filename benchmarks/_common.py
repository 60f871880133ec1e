"""What the benchmarks share: interleaved timing, the machine in words, tables of text."""

from __future__ import annotations

import argparse
import csv
import importlib.metadata
import math
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

RESULTS = Path(__file__).with_name("results")
PACKAGES = (
    "betaroc", "numpy", "scipy", "statsmodels", "scikit-learn", "bob.measure", "numba", "polars",
    "duckdb", "dask",
)  # fmt: skip


class Goal(NamedTuple):
    """A figure to reach: our time over that of a peer, or with `at_least` the peer's over ours.

    Without a peer the figure is no ratio but a number of `unit`; NaN where there is none, as the
    peer is not installed.
    """

    what: str
    peer: str
    ratio: float
    at_most: float = math.nan
    at_least: float = math.nan
    #: Why it is missed, where it is known.
    why: str = ""
    unit: str = ""

    @property
    def met(self) -> bool:
        """Whether the ratio is on the right side."""
        return self.ratio <= self.at_most or self.ratio >= self.at_least

    @property
    def wanted(self) -> str:
        """The figure in words."""
        if not self.peer:
            return f"at most {self.at_most:g} {self.unit}".rstrip()
        if math.isnan(self.at_least):
            return f"at most {self.at_most:g} x {self.peer}"
        return f"{self.at_least:g} x faster than {self.peer}"

    @property
    def measured(self) -> str:
        """The figure found."""
        return "" if math.isnan(self.ratio) else f"{self.ratio:.3g} {self.unit}".rstrip()

    @property
    def verdict(self) -> str:
        """Met, or missed by how much and why."""
        if math.isnan(self.ratio):
            return "peer not installed" if self.peer else "not installed"
        if self.met:
            return "met"
        by = self.ratio / self.at_most if math.isnan(self.at_least) else self.at_least / self.ratio
        return f"missed by a factor of {by:.2g}{f': {self.why}' if self.why else ''}"


def medians(
    cases: dict[str, Callable[[], object]], rounds: int, every: Mapping[str, int] | None = None
) -> dict[str, float]:
    """Median processor seconds of each case; every round runs all in turn, after one warm-up.

    Cases named in `every` take part in every so many rounds only. Processor time, since a busy
    machine suspends a long case and not a short one. Nothing here runs on more than one thread.
    """
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    for turn in range(rounds + 1):
        for name, case in cases.items():
            if turn % (every or {}).get(name, 1):
                continue
            start = time.process_time()
            case()
            if turn:
                seconds[name].append(time.process_time() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def version(package: str) -> str | None:
    """The installed version; the working tree's for betaroc; None if it is not installed."""
    if package == "betaroc":
        import betaroc

        return betaroc.__version__
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def machine() -> str:
    """Processor, instruction sets of numpy and versions, on two lines."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    off = os.environ.get("NPY_DISABLE_CPU_FEATURES", "")
    versions = [f"{name} {version(name) or 'not installed'}" for name in PACKAGES]
    return (
        f"Machine: {model}, {os.cpu_count()} cores, {platform.system()}; numpy found"
        f" {' '.join(simd.get('found', [])) or 'no extension'}"
        f"{f', of these switched off: {off}' if off else ''}.\n"
        f"Versions: Python {platform.python_version()}, {', '.join(versions)}."
    )


def report(title: str, body: str, file: str | None) -> None:
    """Print a result; with a file, write its text to results/ and its tables as CSV beside it."""
    text = f"# {title}\n\n{machine()}\n\n{body}\n"
    print(text)
    if file:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / file).write_text(without_tables(text, Path(file).stem), encoding="utf-8")


def without_tables(text: str, stem: str) -> str:
    """The text with each Markdown table written to a CSV file, whose link takes its place."""
    parts = text.split("\n\n")
    places = [i for i, part in enumerate(parts) if part.startswith("|")]
    for number, i in enumerate(places, start=1):
        lines = parts[i].strip().splitlines()
        head, _, *rows = ([cell.strip() for cell in line[1:-1].split("|")] for line in lines)
        name = f"{stem}_{number}.csv" if len(places) > 1 else f"{stem}.csv"
        with (RESULTS / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([head, *rows])
        parts[i] = f"[{name}]({name}): {len(rows)} rows by {head[0]}."
    return "\n\n".join(parts).rstrip("\n") + "\n"


def command(
    doc: str,
    title: str,
    file: str,
    run: Callable[[], tuple[str, list[Goal]]],
    write: bool | None,
) -> list[Goal]:
    """Run a subject and report its tables; the command line says whether to write, if None."""
    if write is None:
        parser = argparse.ArgumentParser(description=doc.splitlines()[0])
        parser.add_argument("--write", action="store_true", help=f"write results/{file}")
        write = parser.parse_args().write
    body, goals = run()
    report(title, body, file if write else None)
    return goals


def file_of(subject: str) -> str:
    """Where a table goes whose ratios depend on numpy's sort."""
    switched = os.environ.get("NPY_DISABLE_CPU_FEATURES")
    return f"{subject}_avx2.md" if switched else f"{subject}.md"
