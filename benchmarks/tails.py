"""Rates and thresholds in the tail: coverage, width and error, on distributions and real scores.

    python benchmarks/tails.py [--sets 500] [--data FOLDER] [--write]

The impostors' upper tail by `fit_tails` at its defaults (30 and 50 scores), the interval of the
FAR at the threshold whose true FAR is 10/n, 1/n and 1/(10n), beside the exact binomial interval of
the same scores there; and the true FAR at the estimated threshold, as the root mean square of
log10(true / asked), beside that of the empirical threshold. FOLDER holds real score files, see
REAL; without it that table is left out. Sets whose scores pile up at the end have no tail and are
refused; their cell says how many, and is not in the digest.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from _common import report, table
from scipy import stats
from scipy.special import betaincinv, expit, logit, ndtr

import betaroc as br
from betaroc.core.errors import InputError
from betaroc.data.groups import groups_of
from betaroc.estimation.tails import TailScores, design_effect, fit_tails
from betaroc.inference.tail_intervals import tail_rate_ends

LEVEL = 0.95
SIZES = (500, 2000, 10_000)
TIMES = (10.0, 1.0, 0.1)
NAMES = ("10/n", "1/n", "1/(10n)")
#: Real sets: file, column and value of the impostors, whether cosines.
REAL = {
    "ASV dev spoof": ("asvspoof19_asv/dev.csv.gz", "kind", "spoof", False),
    "ASV eval nontarget": ("asvspoof19_asv/eval.csv.gz", "kind", "nontarget", False),
    "ASV eval spoof": ("asvspoof19_asv/eval.csv.gz", "kind", "spoof", False),
    "ECAPA dev": ("asvspoof19_ecapa_ctst/dev.csv.gz", "label", "0", True),
    "ECAPA eval": ("asvspoof19_ecapa_ctst/eval.csv.gz", "label", "0", True),
}
REAL_RATE, REAL_SETS = 1e-3, 300
REAL_SIZES = (1000, 2000)


class Law(NamedTuple):
    """A mixture on the logit: shares and distributions, some of them of scores in [0, 1]."""

    parts: tuple[tuple[float, Any, bool], ...]

    def sf(self, y: float) -> float:
        """P(beyond), on the logit."""
        return math.fsum(w * float(d.sf(expit(y) if unit else y)) for w, d, unit in self.parts)

    def isf(self, rate: float) -> float:
        """The place that has a rate beyond."""
        from scipy.optimize import brentq

        return float(brentq(lambda y: math.log(self.sf(y) or 1e-320) - math.log(rate), -30.0, 30.0))

    def at(self, u: np.ndarray, which: np.ndarray) -> np.ndarray:
        """Scores on the logit: quantiles of the part that each belongs to."""
        y = np.empty(u.size)
        for k, (_, d, unit) in enumerate(self.parts):
            mine = which == k
            x = d.isf(u[mine])
            y[mine] = logit(x) if unit else x
        return y

    def sample(self, n: int, rng: np.random.Generator, groups: int = 1) -> np.ndarray:
        """Scores on the logit; in groups of so many of latent correlation 1/2."""
        which = rng.choice(len(self.parts), size=n, p=[w for w, _, _ in self.parts])
        if groups == 1:
            return self.at(rng.random(n), which)
        shared = np.repeat(rng.normal(size=n // groups), groups)
        return self.at(ndtr(math.sqrt(0.5) * (shared + rng.normal(size=n))), which)


def one(d: Any, unit: bool = True) -> Law:
    """A single part."""
    return Law(((1.0, d, unit),))


def two(share: float, a: tuple[float, float], b: tuple[float, float]) -> Law:
    """Two beta distributions."""
    return Law(((share, stats.beta(*a), True), (1.0 - share, stats.beta(*b), True)))


LAWS = {
    "Beta(2, 8)": one(stats.beta(2.0, 8.0)),
    "logit-normal(-1, 1)": one(stats.norm(-1.0, 1.0), False),
    ".99 Beta(2, 8) + .01 Beta(6, 3)": two(0.99, (2, 8), (6, 3)),
    ".997 Beta(2, 8) + .003 Beta(6, 3)": two(0.997, (2, 8), (6, 3)),
    ".6 Beta(3, 15) + .4 Beta(9, 6)": two(0.6, (3, 15), (9, 6)),
    "t4 on the logit": one(stats.t(4.0, -1.0), False),
}
OTHERS = {
    "Beta(.5, 3)": one(stats.beta(0.5, 3.0)),
    "Beta(5, 2)": one(stats.beta(5.0, 2.0)),
    "logistic": one(stats.logistic(-1.0, 0.7), False),
    "Laplace": one(stats.laplace(-1.0, 0.8), False),
    "Gumbel": one(stats.gumbel_r(-1.0, 0.6), False),
    "t8": one(stats.t(8.0, -1.0), False),
    "skew normal 4": one(stats.skewnorm(4.0, -1.5, 1.2), False),
    ".9 Beta(2, 8) + .1 Beta(6, 3)": two(0.9, (2, 8), (6, 3)),
    ".98 Beta(2, 10) + .02 Beta(4, 4)": two(0.98, (2, 10), (4, 4)),
    "Weibull 1.5": one(stats.weibull_min(1.5, -2.0, 1.0), False),
}
ALL = LAWS | OTHERS


class Cell(NamedTuple):
    """What sets of one cell and rate said: shares, mean widths, squared errors."""

    missed_low: float
    missed_high: float
    width: float
    exact: float
    error: float
    empirical: float
    refused: int = 0

    @property
    def coverage(self) -> float:
        """Share of intervals that hold the true rate."""
        return 1.0 - self.missed_low - self.missed_high

    @property
    def ratio(self) -> float:
        """Mean width over that of the exact interval."""
        return self.width / self.exact

    @property
    def error_ratio(self) -> float:
        """Root mean square over the empirical one's."""
        return math.sqrt(self.error / self.empirical)


def exact_ends(k: int, n: int) -> tuple[float, float]:
    """Clopper and Pearson."""
    tail = 0.5 - 0.5 * LEVEL
    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, tail))
    return low, 1.0 if k == n else float(betaincinv(k + 1, n - k, 1.0 - tail))


def log_error(true: float, asked: float) -> float:
    """Squared log10 of a ratio; a FAR of 0 counts as a thousandth of the one asked for."""
    return math.log10(max(true, 1e-3 * asked) / asked) ** 2


def judged(
    y: np.ndarray,
    tails: Any,
    rates: list[float],
    sf: Callable[[float], float],
    places: list[float],
) -> list[tuple[float, ...]]:
    """Of one set at each rate: misses, widths, squared errors."""
    ordered = np.sort(y)[::-1]
    tail, found = tails.tail(), []
    for rate, place in zip(rates, places, strict=True):
        true = sf(place)
        low, high = tail_rate_ends(tails, place, LEVEL)
        k = int(np.searchsorted(-ordered, -place))
        exact = exact_ends(k, y.size)
        met = sf(float(tail.joint + tail._distance(math.log(rate))))
        at = int(rate * y.size * (1.0 + 1e-12))
        counted = sf(0.5 * (ordered[at - 1] + ordered[at])) if at else sf(ordered[0])
        found.append((
            float(true < low), float(true > high), high - low, exact[1] - exact[0],
            log_error(met, rate), log_error(counted, rate),
        ))  # fmt: skip
    return found


def summed(found: list[list[tuple[float, ...]]], refused: int = 0) -> list[Cell]:
    """A cell a rate."""
    means = np.mean(np.array(found), axis=0) if found else np.full((len(TIMES), 6), np.nan)
    return [Cell(*row, refused=refused) for row in means.tolist()]


def simulated(job: tuple[str, int], sets: int, kind: str) -> list[Cell]:
    """All sets of one distribution and size: plain, grouped or of two decimals."""
    name, n = job
    law, found, refused = ALL[name], [], 0
    rates = [times / n for times in TIMES]
    places = [law.isf(rate) for rate in rates]
    if kind == "decimals":
        places = [float(logit((math.floor(100.0 * expit(p)) + 0.5) / 100.0)) for p in places]
    for seed in range(sets):
        rng = np.random.default_rng([18, n, seed, list(ALL).index(name)])
        y, design = law.sample(n, rng, 5 if kind == "groups" else 1), None
        if kind == "decimals":
            with np.errstate(divide="ignore"):
                y = logit(np.round(expit(y), 2))
        if kind == "groups":
            scores = br.Scores([0.0, 1.0], y, impostor_groups=np.repeat(np.arange(n // 5), 5))
            design = partial(design_effect, groups_of(scores), 1)
        try:
            tails = fit_tails(TailScores("impostor", y, None, design), "upper")
        except InputError:
            refused += 1
            continue
        found.append(judged(y, tails, rates, law.sf, places))
    return summed(found, refused)


def of_real(job: tuple[str, int], folder: Path) -> Cell:
    """Subsets of a real set; the whole set is the truth."""
    import pandas as pd

    name, n = job
    file, column, value, cosines = REAL[name]
    frame = pd.read_csv(folder / file)
    scores = frame.loc[frame[column].astype(str) == value, "score"].to_numpy(float)
    y = np.sort(logit(0.5 * (scores + 1.0)) if cosines else scores)

    def sf(place: float) -> float:
        return float(y.size - np.searchsorted(y, place, side="right")) / y.size

    at = round(REAL_RATE * y.size)
    place, found = float(0.5 * (y[-at] + y[-at - 1])), []
    for seed in range(REAL_SETS):
        rng = np.random.default_rng([19, n, seed, list(REAL).index(name)])
        drawn = rng.choice(y, n, replace=False)
        tails = fit_tails(TailScores("impostor", drawn), "upper")
        found.append(judged(drawn, tails, [REAL_RATE], sf, [place]))
    return summed(found)[0]


def coverage_rows(cells: dict[tuple[str, int], list[Cell]]) -> list[list[str]]:
    """A row a distribution and size."""
    rows = []
    for (name, n), found in cells.items():
        row = [name, str(n)]
        for cell in found:
            row += [
                f"{cell.coverage:.3f} ({cell.missed_low:.3f}, {cell.missed_high:.3f})",
                f"{cell.ratio:.2f}", f"{cell.error_ratio:.2f}", f"{math.sqrt(cell.error):.2f}",
            ]  # fmt: skip
        rows.append([*row, str(found[0].refused)])
    return rows


HEAD = [
    "impostors", "n",
    *(f"{name}: {what}" for name in NAMES
      for what in ("coverage (below, above)", "width", "error", "rms")),
    "refused",
]  # fmt: skip


def digest(title: str, cells: dict[tuple[str, int], list[Cell]]) -> str:
    """Least and mean coverage, widths and errors."""
    rows = []
    for k, name in enumerate(NAMES):
        column = [found[k] for found in cells.values() if not found[k].refused]
        cover = [c.coverage for c in column]
        sides = max(max(c.missed_low, c.missed_high) for c in column)
        rows.append([
            name, f"{min(cover):.3f}", f"{np.mean(cover):.3f}", f"{max(cover):.3f}", f"{sides:.3f}",
            f"{max(c.ratio for c in column):.3f}", f"{np.mean([c.ratio for c in column]):.3f}",
            f"{max(c.error_ratio for c in column):.2f}",
            f"{np.mean([c.error_ratio for c in column]):.3f}",
            f"{max(math.sqrt(c.error) for c in column):.2f}",
        ])  # fmt: skip
    head = ["FAR", "least coverage", "mean", "most", "worst side", "widest", "mean width",
            "worst error", "mean error", "worst rms"]  # fmt: skip
    return f"{title}\n\n" + table(head, rows)


def timings() -> str:
    """Milliseconds of a fit and of one interval."""
    rows = []
    for n in (1000, 1_000_000):
        y = stats.logistic.rvs(size=n, random_state=1)
        laps = []
        for _ in range(7):
            start = time.perf_counter()
            tails = fit_tails(TailScores("impostor", y), "upper")
            middle = time.perf_counter()
            tail_rate_ends(tails, 8.0, LEVEL)
            laps.append((middle - start, time.perf_counter() - middle))
        fit, interval = np.median(np.array(laps), axis=0) * 1e3
        rows.append([str(n), f"{fit:.1f}", f"{interval:.1f}"])
    return table(["scores", "fit of a tail, ms", "its first interval, ms"], rows)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=500)
    parser.add_argument("--data", type=Path, help="folder of the real scores")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="write results/tails.md")
    given = parser.parse_args()
    sides = math.sqrt(0.95 * 0.05 / given.sets)
    note = (
        f"{given.sets} sets a cell, standard error of a coverage of .95: {sides:.3f}. Width: mean"
        " over that of the exact binomial interval. Error: root mean square of log10(true FAR /"
        " asked) over that of the empirical threshold; rms: itself."
    )
    parts = []
    with ProcessPoolExecutor(given.workers) as pool:
        for title, laws, sizes, kind in (
            ("Six distributions", LAWS, SIZES, "plain"),
            ("Ten others, looked at when all was set", OTHERS, SIZES, "plain"),
            ("Groups of five, latent correlation 1/2", LAWS, (2000,), "groups"),
            ("Scores of two decimals, at thresholds between two", LAWS, (2000,), "decimals"),
        ):
            jobs = [(name, n) for n in sizes for name in laws]
            found = list(pool.map(partial(simulated, sets=given.sets, kind=kind), jobs))
            cells = dict(zip(jobs, found, strict=True))
            parts.append(digest(f"## {title}", cells) + "\n\n" + table(HEAD, coverage_rows(cells)))
            print(parts[-1], flush=True)
        if given.data:
            jobs = [(name, n) for n in REAL_SIZES for name in REAL]
            rows = [
                [name, str(n), f"{c.coverage:.3f}", f"{c.ratio:.2f}", f"{c.error_ratio:.2f}"]
                for (name, n), c in zip(
                    jobs, pool.map(partial(of_real, folder=given.data), jobs), strict=True
                )
            ]
            head = ["impostors", "n", "coverage", "width", "error"]
            parts.append(
                f"## Real scores, FAR {REAL_RATE:g}, {REAL_SETS} subsets\n\n" + table(head, rows)
            )
    body = "\n\n".join([note, *parts, "## Time\n\n" + timings()])
    report("Rates and thresholds in the tail", body, "tails.md" if given.write else None)


if __name__ == "__main__":
    main()
