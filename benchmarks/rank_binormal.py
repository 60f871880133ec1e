"""Simulated coverage of the intervals of the binormal ROC of ratings.

    python benchmarks/rank_binormal.py [--sets 2000]

Five ratings of n people in each class, by the binormal ROC with b = .713 and cut points at fifths
of the way from the impostors' mean to the clients'. Counted are sets whose 95 % interval of A_z,
and of TPR at FAR .1, holds the true value, among those that have a fit; and sets without one, whose
data are degenerate. The standard error of a share p of k sets is sqrt(p (1 - p) / k), .0049 at .95.
"""

from __future__ import annotations

import argparse
import csv
import math
import warnings
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np
from _common import RESULTS
from scipy.special import ndtr, ndtri

import betaroc as br

AREAS, SIZES, B, FAR = (0.7, 0.85, 0.975), (50, 200), 0.713, 0.1


def covered(cell: tuple[float, int, int]) -> list:
    """A row: shares of sets whose interval holds the truth, and of sets without a fit."""
    area, n, sets = cell
    a, rng = float(ndtri(area)) * math.hypot(1.0, B), np.random.default_rng([int(1e4 * area), n])
    cuts = a / B * np.arange(1, 5) / 5
    masses = [np.diff([0.0, *ndtr(scale * cuts - shift), 1.0])
              for scale, shift in ((B, a), (1.0, 0.0))]  # fmt: skip
    truths = {"auc": area, f"tpr@far={FAR}": float(ndtr(a + B * ndtri(FAR)))}
    held, without = dict.fromkeys(truths, 0), 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(sets):
            counts = [rng.multinomial(n, p) for p in masses]
            try:
                f = br.fit(br.Scores.from_counts(*counts), "rank-binormal")
            except br.DegenerateDataError:
                without += 1
                continue
            for name, truth in truths.items():
                interval = f.interval(name)
                held[name] += interval.low <= truth <= interval.high
    shares = [round(k / (sets - without), 4) for k in held.values()]
    return [area, n, sets, *shares, round(without / sets, 4)]


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=2000, help="sets a cell")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    with ProcessPoolExecutor(given.workers) as pool:
        rows = list(pool.map(covered, [(*x, given.sets) for x in product(AREAS, SIZES)]))
    head = ["A_z", "n", "sets", "A_z covered", "TPR at FAR .1 covered", "without a fit"]
    with (RESULTS / "rank_binormal.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


if __name__ == "__main__":
    main()
