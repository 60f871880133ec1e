"""Whether four threads give the warnings, numbers and bytes of one.

    python benchmarks/threads.py [--runs 50] [--write]

In every run four threads begin together. Each fits scores that give warnings, chooses families
("best"), and writes the page of an analysis. A run is alike if each thread has the fits, notices
and bytes of one thread alone, if the warnings that arrive are four times its own, and if the
filters of warnings and matplotlib's settings are those of before.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from _common import report, table

import betaroc as br

THREADS = 4


class Work(NamedTuple):
    """What one thread does."""

    page: bytes
    fits: tuple[br.Fit, ...]
    notices: tuple[Any, ...]


def work(folder: Path) -> Work:
    """Fits that warn, families chosen, a page."""
    rng = np.random.default_rng(1)
    few = br.Scores(rng.beta(2, 5, 9), rng.beta(5, 2, 40))  # few clients, and reversed
    ends = br.Scores(np.r_[rng.beta(5, 2, 60), 1.0], np.r_[rng.beta(2, 5, 80), 0.0, 0.0])
    fits = br.fit(few), br.fit(ends), br.fit(ends, "best")
    analysis = br.analyze(ends, few, family="beta")
    page = folder / f"{threading.get_ident()}.html"
    analysis.to_html(page)
    notices = tuple(one.notices for one in (*fits, analysis))
    return Work(page.read_bytes(), fits, notices)


def recorded(run: Callable[[], Any]) -> tuple[Any, Counter[tuple[type, str]]]:
    """What a run gives, and the warnings that arrived."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = run()
    return found, Counter((w.category, str(w.message)) for w in caught)


def together(folder: Path) -> list[Work]:
    """The work of all threads, begun together."""
    found: list[Any] = [None] * THREADS
    start = threading.Barrier(THREADS)

    def one(k: int) -> None:
        start.wait()
        found[k] = work(folder)

    threads = [threading.Thread(target=one, args=(k,)) for k in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def main() -> None:
    """Run, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    start = time.perf_counter()
    names = ("numbers", "notices", "bytes", "warnings", "filters", "rcParams")
    alike: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        alone, once = recorded(lambda: work(folder))
        for run in range(arguments.runs):
            filters, settings = list(warnings.filters), dict(mpl.rcParams)
            found, arrived = recorded(lambda: together(folder))
            alike["numbers"] += all(one.fits == alone.fits for one in found)
            alike["notices"] += all(one.notices == alone.notices for one in found)
            alike["bytes"] += all(one.page == alone.page for one in found)
            alike["warnings"] += arrived == Counter({k: THREADS * n for k, n in once.items()})
            alike["filters"] += list(warnings.filters) == filters
            alike["rcParams"] += dict(mpl.rcParams) == settings
            print(run + 1, dict(alike), flush=True)
    minutes = (time.perf_counter() - start) / 60
    text = (
        f"{arguments.runs} runs of {THREADS} threads; each thread gives {once.total()} warnings and"
        f" a page of {len(alone.page)} bytes. {minutes:.0f} minutes.\n\n"
        + table(["the same as of one thread", "runs"], [[n, f"{alike[n]}"] for n in names])
    )
    report("Four threads and one", text, "threads.md" if arguments.write else None)


if __name__ == "__main__":
    main()
