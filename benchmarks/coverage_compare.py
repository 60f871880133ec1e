"""Simulated size and power of comparisons of two systems, dev and test drawn again.

    python benchmarks/coverage_compare.py [--runs 1000] [--power-runs 400] [--write]

Trials have z ~ N(1, 1) (clients) and N(-1, 1) (impostors); each of two systems sees
logistic(.8 z + noise). Noise of sd .6 in both: equal systems. Noise of sd .6 and .8157: their
HTERs differ by .03 at alpha .5. Same trials: both see one z. Separate trials: each system has
trials of its own, on dev and on test. Groups of 5: the same trials, five by five with half of the
variance of z and a quarter of that of each system's noise in common.

Size: how often equal systems are told apart; of systems that differ how often the interval
misses the expected difference, over dev sets and test sets of that size: of 5000 dev sets, whose
thresholds' rates are exact, with a standard error below 2e-4. At each alpha, somewhere by the
simultaneous band over 17 alphas from .1 to .9, and of the average over them. The standard error
of a share p of k runs is sqrt(p (1 - p) / k), .0069 at .05 and k = 1000.

Every cell is simulated in rounds of 100 runs, and the table is written after each round.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from functools import cache
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from _common import report, table

import betaroc as br
from betaroc import Comparison
from betaroc.core.arrays import FloatArray

ALPHAS = np.round(np.linspace(0.1, 0.9, 17), 2)
SHOWN = (0.2, 0.3, 0.5, 0.7)
MEASURES = ("hter", "weighted-error")
MODES = ("same trials", "separate trials", "groups of 5")
NOISE = {"equal": (0.6, 0.6), "different": (0.6, 0.8157)}
DEV, TEST = ((80, 200), (500, 1000)), (500, 1000)
POWER_TEST = (1000, 2000)
#: Shares of the variance of z and of the noise that a group of 5 has in common.
IN_GROUP = (0.5, 0.25)
REPLICATES, ROUND, DEV_SETS = 1000, 100, 5000


class Cell(NamedTuple):
    """One line of the study."""

    systems: str
    mode: str
    dev: tuple[int, int]
    test: tuple[int, int]


# ------------------------------------------------------------------------------- data
def common(rng: np.random.Generator, n: int, share: float) -> FloatArray:
    """Standard normal numbers; those of five neighbours have a share of the variance in common."""
    if share == 0.0:
        return rng.normal(size=n)
    shared = np.repeat(rng.normal(size=-(-n // 5)), 5)[:n]
    return np.sqrt(share) * shared + np.sqrt(1.0 - share) * rng.normal(size=n)


def two_systems(rng: np.random.Generator, cell: Cell, sizes: tuple[int, int]) -> list[br.Scores]:
    """Scores of both systems on one side."""
    of_z, of_noise = IN_GROUP if cell.mode == "groups of 5" else (0.0, 0.0)
    found: list[list[FloatArray]] = [[], []]
    for n, centre in zip(sizes, (1.0, -1.0), strict=True):
        z = centre + common(rng, n, of_z)
        for system, sd in enumerate(NOISE[cell.systems]):
            if cell.mode == "separate trials" and system:
                z = centre + common(rng, n, of_z)
            found[system].append(1.0 / (1.0 + np.exp(-0.8 * z - sd * common(rng, n, of_noise))))
    groups: dict[str, Any] = {}
    if cell.mode == "groups of 5":
        first, second = (np.arange(n) // 5 for n in sizes)
        groups = {"client_groups": first, "impostor_groups": second + sizes[0]}
    return [br.Scores(*both, **groups) for both in found]


def exact(sd: float) -> br.ScoreModel:
    """The distributions of one system's scores: logits are normal."""
    wide = float(np.hypot(0.8, sd))
    return br.ScoreModel(br.LogitNormal(0.8, wide), br.LogitNormal(-0.8, wide))


@cache
def expected_difference(dev: tuple[int, int], groups: bool) -> FloatArray:
    """Mean difference of both measures at thresholds from dev sets, exact on test.

    Separate trials have the same mean as the same trials.
    """
    cell = Cell("different", MODES[2] if groups else MODES[0], dev, TEST)
    rng = np.random.default_rng([*dev, groups])
    truth = [exact(sd) for sd in NOISE[cell.systems]]
    total = np.zeros((len(MEASURES), ALPHAS.size))
    for _ in range(DEV_SETS):
        for scores, model, sign in zip(
            two_systems(rng, cell, cell.dev), truth, (1, -1), strict=True
        ):
            e = br.epc(scores, model, alpha=ALPHAS)
            far, frr = e.far, e.frr
            total[0] += sign * 0.5 * (far + frr)
            total[1] += sign * (ALPHAS * far + (1.0 - ALPHAS) * frr)
    return total / DEV_SETS


# ---------------------------------------------------------------------------- one run
def compared(cell: Cell, rng: np.random.Generator) -> list[Comparison]:
    """One comparison a measure, of the same replicates: `br.compare` draws the same."""
    dev, test = two_systems(rng, cell, cell.dev), two_systems(rng, cell, cell.test)
    a, b = (br.epc(*both, alpha=ALPHAS) for both in zip(dev, test, strict=True))
    seed = int(rng.integers(2**31))
    paired = cell.mode != "separate trials"
    return [
        br.compare(*(dataclasses.replace(e, measure=measure) for e in (a, b)), paired=paired,
                   replicates=REPLICATES, rng=seed)
        for measure in MEASURES
    ]  # fmt: skip


def missed(c: Any, true: FloatArray) -> FloatArray:
    """At the four alphas, somewhere by the band, on average: whether the true value is outside."""
    outside = (true < c.low) | (true > c.high)
    band = np.any((true < c.band_low) | (true > c.band_high))
    mean = float(np.trapezoid(true, ALPHAS) / (ALPHAS[-1] - ALPHAS[0]))
    area = not c.mean_difference.low <= mean <= c.mean_difference.high
    return np.array([*(outside[np.isin(ALPHAS, SHOWN)]), band, area], dtype=np.float64)


class Tally:
    """What the runs of one cell found."""

    def __init__(self, cell: Cell, seed: int) -> None:
        self.cell, self.seeds = cell, np.random.SeedSequence(seed)
        self.runs = 0
        self.missed = np.zeros((len(MEASURES), len(SHOWN) + 2))
        self.wrong = np.zeros((len(MEASURES), 2))
        self.differences: list[FloatArray] = []
        different = cell.systems == "different" and cell.test == TEST
        self.true = np.zeros((len(MEASURES), ALPHAS.size))
        if different:
            self.true = expected_difference(cell.dev, cell.mode == MODES[2])

    def add(self, runs: int) -> None:
        """So many runs more."""
        for seed in self.seeds.spawn(runs):
            found = compared(self.cell, np.random.default_rng(seed))
            for k, c in enumerate(found):
                self.missed[k] += missed(c, self.true[k])
                worse_in_a_range = "b" in c.ranges_better
                self.wrong[k] += [c.better_on_average == "b", worse_in_a_range]
            self.differences.append(np.stack([c.difference for c in found]))
        self.runs += runs

    def rows(self) -> list[list[str]]:
        """A line a measure: shares of the runs."""
        cell = self.cell
        start = [cell.mode, f"{cell.dev[0]}/{cell.dev[1]}"]
        return [
            [*start, measure, *(f"{x:.3f}" for x in self.missed[k] / self.runs)]
            for k, measure in enumerate(MEASURES)
        ]

    def power_rows(self) -> list[list[str]]:
        """The same, what a test of known variance would find at .5, and the worse named better."""
        at = int(np.flatnonzero(ALPHAS == 0.5)[0])
        found = []
        for k, row in enumerate(self.rows()):
            values = np.array([d[k, at] for d in self.differences])
            reach = abs(values.mean()) / values.std()
            oracle = 1.0 - NormalDist().cdf(NormalDist().inv_cdf(0.975) - reach)
            wrong = (f"{x:.3f}" for x in self.wrong[k] / self.runs)
            found.append([*row[:1], *row[2:], f"{oracle:.2f}", *wrong])
        return found


# -------------------------------------------------------------------------------- all
def tallies() -> tuple[list[Tally], list[Tally]]:
    """Cells of size, and cells of power."""
    sizes = [
        Tally(Cell(systems, mode, dev, TEST), 10 * k + 1)
        for k, (systems, dev, mode) in enumerate(
            (systems, dev, mode) for systems in NOISE for dev in DEV for mode in MODES
        )
    ]
    power = [
        Tally(Cell("different", mode, DEV[1], POWER_TEST), 10 * k + 501)
        for k, mode in enumerate(MODES)
    ]
    return sizes, power


def written(sizes: list[Tally], power: list[Tally], minutes: float, write: bool) -> None:
    """The tables so far."""
    head = ["trials", "dev", "measure", *(f"alpha {a}" for a in SHOWN), "band", "average"]
    runs = sizes[0].runs
    parts = [
        f"95 % intervals, {REPLICATES} replicates; test {TEST[0]}/{TEST[1]} clients/impostors;"
        f" {runs} runs a line: standard error {np.sqrt(0.05 * 0.95 / runs):.4f} at .05."
        " Groups of 5: half of the variance of z and a quarter of the noise's in common."
        f" {minutes:.0f} minutes, one core."
    ]
    titles = {
        "equal": "Equal systems: told apart",
        "different": "Systems that differ by .03: expected difference missed",
    }
    for systems, title in titles.items():
        rows = [row for t in sizes if t.cell.systems == systems for row in t.rows()]
        parts.append(f"## {title}\n\n{table(head, rows)}")
    if power[0].runs:
        head = [head[0], *head[2:], "known variance, alpha 0.5", "worse named better: average",
                "worse named better: band"]  # fmt: skip
        rows = [row for t in power for row in t.power_rows()]
        parts.append(
            f"## Power: HTERs differ by .03, dev 500/1000, test 1000/2000\n\n{power[0].runs} runs:"
            f" standard error {np.sqrt(0.2 * 0.8 / power[0].runs):.3f} at .8."
            f"\n\n{table(head, rows)}"
        )
    report(
        "Comparison of two systems", "\n\n".join(parts), "coverage_compare.md" if write else None
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000, help="runs of each cell of size")
    parser.add_argument("--power-runs", type=int, default=400)
    parser.add_argument("--write", action="store_true", help="write results/coverage_compare.md")
    given = parser.parse_args()
    start = time.perf_counter()
    sizes, power = tallies()
    while sizes[0].runs < given.runs or power[0].runs < given.power_runs:
        for tally in power:
            tally.add(min(ROUND, given.power_runs - tally.runs))
        for tally in sizes:
            tally.add(min(ROUND, given.runs - tally.runs))
        written(sizes, power, (time.perf_counter() - start) / 60, given.write)


if __name__ == "__main__":
    main()
