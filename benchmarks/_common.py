"""What the benchmarks share: interleaved timing, the machine in words, tables of text."""

from __future__ import annotations

import importlib.metadata
import math
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

RESULTS = Path(__file__).with_name("results")
PACKAGES = (
    "betaroc", "numpy", "scipy", "statsmodels", "scikit-learn", "bob.measure", "numba", "polars",
    "duckdb", "dask",
)  # fmt: skip


class Goal(NamedTuple):
    """A figure to reach: our time over that of a peer, or with `at_least` the peer's over ours."""

    what: str
    peer: str
    ratio: float
    at_most: float = math.nan
    at_least: float = math.nan
    #: Why it is missed, where it is known.
    why: str = ""

    @property
    def met(self) -> bool:
        """Whether the ratio is on the right side."""
        return self.ratio <= self.at_most or self.ratio >= self.at_least

    @property
    def wanted(self) -> str:
        """The figure in words."""
        if math.isnan(self.at_least):
            return f"at most {self.at_most:g} x {self.peer}"
        return f"{self.at_least:g} x faster than {self.peer}"

    @property
    def verdict(self) -> str:
        """Met, or missed by how much and why."""
        if self.met:
            return "met"
        by = self.ratio / self.at_most if math.isnan(self.at_least) else self.at_least / self.ratio
        return f"missed by a factor of {by:.2g}{f': {self.why}' if self.why else ''}"


def medians(cases: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median processor seconds of each case; every round runs all in turn, after one warm-up.

    Processor time, since a busy machine suspends a long case and not a short one. Nothing here
    runs on more than one thread.
    """
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    for turn in range(rounds + 1):
        for name, case in cases.items():
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
    """Print a result, and write it to results/ if a file is named."""
    text = f"# {title}\n\n{machine()}\n\n{body}\n"
    print(text)
    if file:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / file).write_text(text, encoding="utf-8")
