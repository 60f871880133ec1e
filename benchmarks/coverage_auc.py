"""Simulated coverage and width of the intervals of the empirical area under the ROC.

    python benchmarks/coverage_auc.py [--sets 20000] [--write] [--workers 2]

To afford all cells the intervals are computed for all score sets at once; those of the first
hundred sets of every cell are compared with `br.auc_interval`, ends and method. With groups every
interval is the library's own. Seeds are fixed; the number of workers changes nothing.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import count, product
from typing import NamedTuple

import _beta_numbers as numbers
import numpy as np
from _common import report, table
from scipy.special import expit, logit, ndtr, ndtri
from scipy.stats import rankdata

import betaroc as br
from betaroc.core.arrays import FloatArray

Array = FloatArray
Ends = tuple[Array, Array]

LEVEL = 0.95
Z = float(ndtri(0.5 + 0.5 * LEVEL))
BLOCK = 1000
#: Sets of a cell whose intervals are compared with the library's.
CHECKED = 100
SIZES = ((30, 30), (40, 150), (150, 40), (50, 500), (500, 50), (100, 100))
#: Where the coverage should be, and the width at most as a share of Newcombe's, by the area.
GOALS = {0.9: (0.93, 0.97, math.inf), 0.99: (0.93, 0.985, 0.85)}
BETA = {
    ("beta, bell", 0.9): (4.034412, 2.0, 2.0, 4.034412),
    ("beta, bell", 0.99): (6.359831, 2.0, 2.0, 6.359831),
    ("beta, J", 0.9): (2.0, 0.763711, 0.763711, 2.0),
    ("beta, J", 0.99): (2.0, 0.247693, 0.247693, 2.0),
    ("beta, U", 0.9): (0.95, 0.283671, 0.283671, 0.95),
    ("beta, U", 0.99): (0.95, 0.0770209, 0.0770209, 0.95),
}
SMOOTH = ("normal", "beta, bell", "beta, J", "beta, U")
#: Standard deviations of clients and impostors that are not equal.
UNEQUAL = {"normal, 1:2": (1.0, 2.0), "normal, 1:1.3": (1.0, 1.3)}
#: Steps to which normal scores of standard deviation 1 are rounded.
ROUNDED = {"normal in steps of 0.5": 0.5, "normal in steps of 1": 1.0, "normal in steps of 2": 2.0}
OTHER_AREAS = (0.5, 0.7, 0.97, 0.999)
#: Groups: people in each class, trials of each, the share of the variance that is theirs.
GROUPS = ((30, 5, 0.5), (30, 5, 0.9), (100, 5, 0.5), (12, 10, 0.5))
METHODS = ("default", "logit DeLong", "Newcombe")


class Cell(NamedTuple):
    """One pair, at one area and one size."""

    law: str
    area: float
    n: tuple[int, int]
    sets: int
    seed: int


class Found(NamedTuple):
    """What a cell gave: by method; the area, and the share of sets without overlap."""

    area: float
    coverage: dict[str, float]
    width: dict[str, float]
    apart: float


# ------------------------------------------------------------------------------- the scores
def shift_of(cell: Cell) -> tuple[float, float, float]:
    """Difference of the means and both standard deviations, before rounding."""
    client, impostor = UNEQUAL.get(cell.law, (1.0, 1.0))
    return float(ndtri(cell.area)) * math.hypot(client, impostor), client, impostor


def draw(cell: Cell, k: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Scores of `k` sets; of beta distributions their logits, which doubles hold."""
    if shapes := BETA.get((cell.law, cell.area)):
        m, n = cell.n
        return numbers.draw(*shapes[:2], (k, m), rng), numbers.draw(*shapes[2:], (k, n), rng)
    shift, client, impostor = shift_of(cell)
    scores = rng.normal(shift, client, (k, cell.n[0])), rng.normal(0.0, impostor, (k, cell.n[1]))
    step = ROUNDED.get(cell.law)
    if step is None:
        return scores
    client, impostor = (np.round(v / step) + 0.25 for v in scores)  # 0 and 1 would be labels
    return client, impostor


def true_area(cell: Cell) -> float:
    """P(I < C) + P(I = C)/2."""
    if shapes := BETA.get((cell.law, cell.area)):
        return 1.0 - float(numbers.missed_area(np.array(shapes)))
    step = ROUNDED.get(cell.law)
    if step is None:
        return cell.area
    edges = (np.arange(-40, 41) + 0.5) * step
    below = ndtr(edges)
    client = np.diff(ndtr(edges - shift_of(cell)[0]))
    return float(np.sum(client * 0.5 * (below[:-1] + below[1:])))


# ---------------------------------------------------------------------------- the intervals
def areas(client: Array, impostor: Array) -> tuple[Array, Array]:
    """The area of every set and DeLong's variance of it."""
    m, n = client.shape[1], impostor.shape[1]
    ranks = rankdata(np.concatenate([client, impostor], axis=1), axis=1)
    below = (ranks[:, :m] - rankdata(client, axis=1)) / n
    above = 1.0 - (ranks[:, m:] - rankdata(impostor, axis=1)) / m
    variance = below.var(axis=1, ddof=1) / m + above.var(axis=1, ddof=1) / n
    return below.mean(axis=1), np.where(variance > 1e-24, variance, 0.0)


def newcombe(area: Array, n: tuple[int, int]) -> Ends:
    """Newcombe's lower end, and what the upper end lacks of 1."""

    def lower(area: Array) -> Array:
        low, high = np.zeros_like(area), area.copy()
        for _ in range(60):
            a = 0.5 * (low + high)
            half = 0.5 * sum(n)
            share = 2.0 * half - 1.0 - 3.0 * (half - 1.0) / ((2.0 - a) * (1.0 + a))
            far = (area - a) ** 2 > Z * Z * a * (1.0 - a) / (n[0] * n[1]) * share
            low, high = np.where(far, a, low), np.where(far, high, a)
        return 0.5 * (low + high)

    return lower(area), lower(1.0 - area)


def intervals(area: Array, variance: Array, n: tuple[int, int]) -> dict[str, Ends]:
    """Both ends by every method."""
    low, missed = newcombe(area, n)
    with np.errstate(all="ignore"):
        reach = Z * np.sqrt(variance) / (area * (1.0 - area))
        delong = logit(area) - reach, logit(area) + reach
        mean = 0.5 * (delong[0] + logit(low)), 0.5 * (delong[1] - logit(missed))
    score = low, 1.0 - missed

    def either(others: Ends, ends: Ends) -> Ends:
        """The ends back from the logit scale; without variance the others."""
        first, second = (
            np.where(variance == 0.0, other, expit(end))
            for other, end in zip(others, ends, strict=True)
        )
        return first, second

    return {
        "default": either(score, mean),
        "logit DeLong": either((area, area), delong),
        "Newcombe": score,
    }


def compared(client: Array, impostor: Array, ends: Ends, variance: Array) -> None:
    """The first sets' intervals must be the library's."""
    for k in range(min(CHECKED, client.shape[0])):
        own = br.auc_interval(br.Scores(client[k], impostor[k]), LEVEL)
        method = "newcombe" if variance[k] == 0.0 else "logit-delong+newcombe"
        given = ends[0][k], ends[1][k]
        if own.method != method or not np.allclose(given, (own.low, own.high), 1e-9, 1e-12):
            raise AssertionError(f"set {k}: {given} but the library {own}")


def cell_of(cell: Cell) -> Found:
    """Coverage and mean width of every method."""
    truth = true_area(cell)
    rng = np.random.default_rng([cell.seed, *cell.n])
    hits, widths, apart = np.zeros(len(METHODS)), np.zeros(len(METHODS)), 0
    for start in range(0, cell.sets, BLOCK):
        client, impostor = draw(cell, min(BLOCK, cell.sets - start), rng)
        area, variance = areas(client, impostor)
        found = intervals(area, variance, cell.n)
        if start == 0:
            compared(client, impostor, found["default"], variance)
        low, high = (np.array([found[name][side] for name in METHODS]) for side in (0, 1))
        hits += np.sum((low <= truth) & (truth <= high), axis=1)
        widths += np.sum(high - low, axis=1)
        apart += int(np.sum((area == 0.0) | (area == 1.0)))
    coverage = dict(zip(METHODS, (hits / cell.sets).tolist(), strict=True))
    width = dict(zip(METHODS, (widths / cell.sets).tolist(), strict=True))
    return Found(truth, coverage, width, apart / cell.sets)


# ----------------------------------------------------------------------------------- groups
class Grouped(NamedTuple):
    """People with several trials, the same ones in both classes or others."""

    area: float
    people: int
    trials: int
    share: float
    same: bool
    sets: int
    seed: int


def grouped(job: Grouped) -> list[str]:
    """Coverage of the library's intervals, by groups and as if trials were independent."""
    rng = np.random.default_rng([job.seed, 77])
    labels = np.repeat(np.arange(job.people), job.trials)
    groups = {
        "client_groups": labels, "impostor_groups": labels if job.same else labels + job.people
    }  # fmt: skip
    shift, hits, apart, width = math.sqrt(2.0) * float(ndtri(job.area)), np.zeros(2), 0, 0.0
    for _ in range(job.sets):
        effects = rng.normal(0.0, math.sqrt(job.share), (2, job.people))[:, labels]
        scores = effects + rng.normal(0.0, math.sqrt(1.0 - job.share), (2, labels.size))
        s = br.Scores(shift + scores[0], scores[1], **groups)
        by_groups, alone = (br.auc_interval(s, LEVEL, groups=g) for g in (True, False))
        hits += [i.low <= job.area <= i.high for i in (by_groups, alone)]
        apart += by_groups.method == "newcombe-groups"
        width += by_groups.high - by_groups.low
    found = hits / job.sets
    return [
        f"{job.area:g}", f"{job.people}", f"{job.trials}", f"{job.share:g}",
        "the same" if job.same else "others", f"{found[0]:.3f}", f"{width / job.sets:.3f}",
        f"{apart / job.sets:.3f}", f"{found[1]:.3f}",
    ]  # fmt: skip


# ----------------------------------------------------------------------------------- tables
def error(share: float, sets: int) -> float:
    """Standard error of a simulated share."""
    return math.sqrt(share * (1.0 - share) / sets)


def starred(value: float, text: str, goal: tuple[float, float], chance: float) -> str:
    """One star where it misses the goal, two where by more than chance explains."""
    low, high = goal
    if low <= value <= high:
        return text
    return text + (" \\*" if low - chance <= value <= high + chance else " \\*\\*")


def row(cell: Cell, found: Found) -> list[str]:
    """Of a table; stars where the area has a goal."""
    low, high, widest = GOALS.get(cell.area, (0.0, 1.0, math.inf))
    share = found.coverage["default"]
    ratio = found.width["default"] / found.width["Newcombe"]
    chance = 2.0 * error(min(max(share, low), high), cell.sets)
    return [
        cell.law, f"{found.area:.4g}", f"{cell.n[0]} v {cell.n[1]}",
        starred(share, f"{share:.4f}", (low, high), chance),
        f"{found.coverage['logit DeLong']:.4f}", f"{found.coverage['Newcombe']:.4f}",
        f"{found.width['default']:.4f}", starred(ratio, f"{ratio:.2f}", (0.0, widest), 0.0),
        f"{found.apart:.3f}",
    ]  # fmt: skip


HEAD = [
    "scores", "area", "clients v impostors", "default", "logit DeLong", "Newcombe",
    "mean width", "of Newcombe's", "sets without overlap",
]  # fmt: skip
GROUPED_HEAD = [
    "area", "people a class", "trials of each", "their share of the variance",
    "people of both classes", "default", "mean width", "newcombe-groups", "as independent trials",
]  # fmt: skip


def jobs_of(sets: int) -> dict[str, list[Cell]]:
    """The cells of every section."""
    both = tuple(GOALS)
    sections = {
        "Normal and beta pairs, equal spreads or mirrored shapes": product(SMOOTH, both, SIZES),
        "Normal pairs of unequal spread (client sd : impostor sd)": product(UNEQUAL, both, SIZES),
        "Rounded scores: ties": product(ROUNDED, both, SIZES),
        "Other areas": product(("normal",), OTHER_AREAS, SIZES),
    }
    seeds = count(1)
    return {
        title: [Cell(law, area, n, sets, next(seeds)) for law, area, n in cells]
        for title, cells in sections.items()
    }


def grouped_jobs(sets: int) -> list[Grouped]:
    """Groups at three areas."""
    return [
        Grouped(area, *groups, same, sets, 10 * k + int(same))
        for k, (area, groups) in enumerate((a, g) for a in (0.76, 0.9, 0.99) for g in GROUPS)
        for same in (False, True)
    ]


def body_of(
    sections: dict[str, list[Cell]], found: dict[Cell, Found], groups: list[list[str]], sets: int,
    grouped_sets: int,
) -> str:  # fmt: skip
    """All tables."""
    parts = [
        f"95 % intervals, {sets} score sets a cell (Monte Carlo standard error"
        f" {error(0.95, sets):.4f} at .95, {error(0.985, sets):.4f} at .985). Goal of the default:"
        " coverage .93 to .97 at an area of .9, .93 to .985 at .99, and there a mean width of at"
        " most .85 of Newcombe's. What misses a goal has a star, a coverage that misses it by more"
        " than two standard errors a second one."
    ]
    for title, cells in sections.items():
        parts.append(f"## {title}\n\n{table(HEAD, [row(c, found[c]) for c in cells])}")
    parts.append(
        "## Groups: trials of the same person\n\nNormal scores, equal spreads; every interval by"
        f" `br.auc_interval`, {grouped_sets} sets a cell (Monte Carlo standard error"
        f" {error(0.95, grouped_sets):.4f} at .95). `newcombe-groups` is the share of sets without"
        f" overlap, for which it is taken.\n\n{table(GROUPED_HEAD, groups)}"
    )
    return "\n\n".join(parts)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=20_000, help="score sets a cell")
    parser.add_argument("--write", action="store_true", help="write results/coverage_auc.md")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    start = time.perf_counter()
    sections, few = jobs_of(given.sets), given.sets // 10
    cells = [cell for listed in sections.values() for cell in listed]
    run: Callable[[Cell], Found] = cell_of
    with ProcessPoolExecutor(given.workers) as pool:
        groups = pool.map(grouped, grouped_jobs(few))
        found = dict(zip(cells, pool.map(run, cells), strict=True))
        rows = list(groups)
    minutes = (time.perf_counter() - start) / 60
    body = body_of(sections, found, rows, given.sets, few)
    body = f"{minutes:.0f} minutes with {given.workers} worker(s).\n\n{body}"
    report("Intervals of the empirical area", body, "coverage_auc.md" if given.write else None)


if __name__ == "__main__":
    main()
