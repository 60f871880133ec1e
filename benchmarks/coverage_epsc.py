"""How often intervals of expected performance and spoofability curves hold the truth."""

from __future__ import annotations

import argparse
import csv
import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from _common import RESULTS
from coverage_strata import LAWS, SIZES, drawn, truth
from scipy import stats

import betaroc as br

OMEGAS, SHIFTS = (0.1, 0.5), np.array([0.0, 4.0])
ALL = LAWS | {
    "log-normal": (stats.lognorm(1, scale=6), lambda k: stats.lognorm(1, scale=np.exp(0.3 * k)))
}
CELLS = [("scores", name) for name in ("beta", "normal", "t, 3 degrees", "log-normal")]
CELLS += [("fits", name) for name in ("beta", "normal")]


def covered(cell: tuple) -> list:
    """By omega the shares of sets whose interval holds the truth: fixed thresholds, dev again."""
    (what, name), n, sets = cell
    laws, rng = ALL[name], np.random.default_rng([n, len(name), len(what)])

    def side() -> object:
        scores = drawn(rng, laws, n, SHIFTS)
        return br.fit(scores, name, by="stratum") if what == "fits" else scores

    bands, means = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(sets):
            sides, options = (side(), side()), {"omega": OMEGAS, "attack": "s1"}
            fixed = br.epsc(*sides, **options)
            both = br.epsc(*sides, **options, resample="both", replicates=200, rng=seed)
            bands.append([(fixed.low, fixed.high), (both.low, both.high)])
            means.append([truth(laws, SHIFTS, np.array([1.0 - w, w]), t)
                          for w, t in zip(OMEGAS, fixed.threshold, strict=True)])  # fmt: skip
    low, high = np.moveaxis(bands, 2, 0)
    true = np.array(means)
    around = np.stack([true, np.broadcast_to(true.mean(axis=0), true.shape)], axis=1)
    held = np.mean((low <= around) & (around <= high), axis=0)
    return [[what, name, n, w, sets, *held[:, k].round(3).tolist()] for k, w in enumerate(OMEGAS)]


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--sets", type=int, default=200, help="pairs of dev and test a cell, of fits half"
    )
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    cells = [(cell, n, given.sets // (1 + (cell[0] == "fits"))) for cell in CELLS for n in SIZES]
    with ProcessPoolExecutor(given.workers) as pool:
        rows = [row for cell in pool.map(covered, cells) for row in cell]
    head = ["of", "distributions", "n", "omega", "sets", "fixed thresholds", "dev again"]
    with (RESULTS / "coverage_epsc.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


if __name__ == "__main__":
    main()
