"""How often the band of a mean ROC holds the mean curve of all trainings."""

from __future__ import annotations

import argparse
import csv

import numpy as np
from _common import RESULTS
from scipy.special import ndtr, ndtri

import betaroc as br

FARS = np.array([0.02, 0.05, 0.1, 0.3, 0.5, 0.8])
CELLS = [(k, n, spread, averaging) for k in (5, 10, 30) for n in (50, 500)
         for spread in (0.1, 0.5) for averaging in ("vertical", "threshold")]  # fmt: skip


def truth(spread: float, averaging: str) -> np.ndarray:
    """Impostors N(0, 1); clients of a training N(m, 1), m from N(1.5, spread)."""
    if averaging == "threshold":
        return ndtr((1.5 - ndtri(1.0 - FARS)) / np.hypot(1.0, spread))
    means = np.random.default_rng(1).normal(1.5, spread, 20_000)
    return ndtr(means[:, None] - ndtri(1.0 - FARS)).mean(axis=0)


def covered(k: int, n: int, spread: float, averaging: str, sets: int) -> list:
    """Shares of sets whose interval holds the truth, by FAR, and the mean width."""
    rng, true = (
        np.random.default_rng([k, n, len(averaging), round(10 * spread)]),
        truth(spread, averaging),
    )
    low, high = np.empty((2, sets, FARS.size))
    for row in range(sets):
        trainings = [br.Scores(rng.normal(rng.normal(1.5, spread), 1, n), rng.normal(0, 1, n))
                     for _ in range(k)]  # fmt: skip
        band = br.mean_curve(trainings, averaging=averaging)
        low[row], high[row] = (np.interp(FARS, band.alpha, end) for end in (band.low, band.high))
    held = np.mean((low <= true) & (true <= high), axis=0)
    return [k, n, spread, averaging, sets, *held.round(3), *np.mean(high - low, axis=0).round(3)]


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    sets = parser.parse_args().sets
    head = ["trainings", "scores per class", "sd of training", "averaging", "sets"]
    head += [f"{what} at FAR {far:g}" for what in ("covered", "width") for far in FARS]
    with (RESULTS / "mean_curve.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        for cell in CELLS:
            writer.writerow(covered(*cell, sets))
            file.flush()


if __name__ == "__main__":
    main()
