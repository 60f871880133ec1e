"""How often the interval of KS holds the truth where both classes hardly differ."""

from __future__ import annotations

import argparse
import math
import warnings
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple
from unittest import mock

import numpy as np
from _common import report, table
from scipy.special import ndtr

import betaroc as br
from betaroc.inference import of_scores

LEVEL = 0.95
SIZES = (30, 100, 1000)
#: Means of the client scores; both classes are normal of standard deviation 1.
SHIFTS = (0.0, 0.05, 0.1, 0.3)


class Shares(NamedTuple):
    """Of the sets of one cell: those whose interval holds the truth, and those that warned."""

    held: float
    warned: float
    #: Without the end that reaches to the value of chance.
    held_without: float


def shares(cell: tuple[float, int, int]) -> Shares:
    """Sets of one shift and size."""
    shift, n, sets = cell
    true = 2.0 * float(ndtr(shift / 2.0)) - 1.0
    rng = np.random.default_rng([n, round(100 * shift)])
    held, warned, without = [], [], []
    for _ in range(sets):
        scores = br.Scores(rng.normal(shift, 1.0, n), rng.normal(0.0, 1.0, n))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found, bare = br.interval(scores, "ks", level=LEVEL), _without(scores)
        held.append(found.low <= true <= found.high)
        without.append(bare.low <= true <= bare.high)
        warned.append(any(issubclass(x.category, br.errors.SmallSampleWarning) for x in said))
    return Shares(*(float(np.mean(x)) for x in (held, warned, without)))


def _without(scores: br.Scores) -> br.results.Interval:
    """The interval at the best threshold as at a fixed one, whatever the test says."""
    with mock.patch.object(of_scores, "may_be_equal", return_value=False):
        return br.interval(scores, "ks", level=LEVEL)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=2000, help="score sets a cell")
    parser.add_argument("--write", action="store_true", help="write results/coverage_chance.md")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    cells = [(shift, n, given.sets) for shift in SHIFTS for n in SIZES]
    with ProcessPoolExecutor(given.workers) as pool:
        found = list(pool.map(shares, cells))
    head = ["shift", "n", "covers", "warns", "without that end"]
    rows = [
        [f"{shift:g}", str(n), *(f"{share:.3f}" for share in one)]
        for (shift, n, _), one in zip(cells, found, strict=True)
    ]
    body = (
        f"Normal scores of standard deviation 1, client scores a shift higher; n of each class,"
        f" {given.sets} sets a cell, the same at each run: standard error"
        f" {math.sqrt(LEVEL * (1 - LEVEL) / given.sets):.3f} at .95. 'warns': the sets in which no"
        " difference of the classes is shown, whose interval of KS reaches to the value of chance;"
        " 'without that end': what the interval of the best threshold as of a fixed one covers."
        f"\n\n{table(head, rows)}"
    )
    report("Classes that hardly differ: 95 % intervals of KS", body,
           "coverage_chance.md" if given.write else None)  # fmt: skip


if __name__ == "__main__":
    main()
