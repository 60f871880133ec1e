"""What "best" makes of impostors of whom 1 % score as clients do, and of the FAR in their tail.

    python benchmarks/families_tail.py [--sets 200] [--write]

Clients Beta(6, 3), impostors .99 Beta(2, 8) + .01 Beta(6, 3). Of each set: the family that "best"
gives each class; and for the threshold at which the fitted impostor distribution has a FAR of
1e-3 its true FAR, over 1e-3, of the recommended family, of the true family (a mixture always, one
beta distribution where there is none) and of one beta distribution. The standard error of a share p
of k sets is sqrt(p (1 - p) / k): .021 at .9 and k = 200.
"""

from __future__ import annotations

import argparse
import time
from typing import NamedTuple

import numpy as np
from _common import report, table

import betaroc as br
from betaroc.core.notices import suppress_warnings

SIZES = (500, 1000, 2000, 5000, 20_000)
TRUTH = br.BetaMixture((0.99, 0.01), (br.Beta(2.0, 8.0), br.Beta(6.0, 3.0)))
FAR = 1e-3
KINDS = ("recommended", "beta-mixture", "beta")


class Found(NamedTuple):
    """One simulated set: both families, and true FAR over asked of each kind of fit."""

    client: str
    impostor: str
    ratios: tuple[float, ...]


def one_set(n: int, seed: int) -> Found:
    """A set of n scores a class."""
    rng = np.random.default_rng([13, n, seed])
    scores = br.Scores(rng.beta(6.0, 3.0, n), np.asarray(TRUTH.sample(n, rng=rng)))
    with suppress_warnings():
        pair = br.compare_families(scores).recommended
        laws = {name: impostor_law(scores, name) for name in {pair[1], *KINDS[1:]}}
    picked = (pair[1], *KINDS[1:])
    ratios = tuple(float(TRUTH.sf(laws[name].isf(FAR))) / FAR for name in picked)
    return Found(*pair, ratios)


def impostor_law(scores: br.Scores, name: str) -> object:
    """The fitted distribution; one beta distribution where no mixture was found."""
    try:
        return br.fit_distribution(scores.impostor, name).distribution
    except br.FitError:
        return br.fit_distribution(scores.impostor, "beta").distribution


def share(ratios: np.ndarray, within: float) -> float:
    """How often the true FAR is within that factor of the one asked for."""
    return float(np.mean((ratios >= 1.0 / within) & (ratios <= within)))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--write", action="store_true", help="write results/families_tail.md")
    given = parser.parse_args()
    start = time.process_time()
    chosen, tails = [], []
    for n in SIZES:
        found = [one_set(n, seed) for seed in range(given.sets)]
        mixed = np.mean([one.impostor == "beta-mixture" for one in found])
        plain = np.mean([one.client == "beta" for one in found])
        chosen.append([str(n), f"{mixed:.3f}", f"{plain:.3f}"])
        ratios = np.array([one.ratios for one in found])
        for k, kind in enumerate(KINDS):
            column = ratios[:, k]
            cuts = np.quantile(column, [0.05, 0.5, 0.95])
            row = [f"{share(column, within):.3f}" for within in (3.0, 2.0)]
            tails.append([str(n), kind, *row, *(f"{q:.2f}" for q in cuts)])
        print(chosen[-1], *tails[-3:], sep="\n", flush=True)
    minutes = (time.process_time() - start) / 60
    body = "\n\n".join([
        f"Clients Beta(6, 3), impostors .99 Beta(2, 8) + .01 Beta(6, 3), {given.sets} sets of each"
        f" size; standard error of a share of .9: {(0.09 / given.sets) ** 0.5:.3f}."
        f" {minutes:.0f} minutes of processor time.",
        "## The families that \"best\" takes\n\n"
        + table(["n a class", "impostors a mixture", "clients one beta"], chosen),
        f"## True FAR over {FAR:g} at the threshold of the fitted impostor distribution\n\n"
        + table(["n a class", "family", "in [1/3, 3]", "in [1/2, 2]", "5 %", "median", "95 %"],
                tails),
    ])  # fmt: skip
    report('"best" and the tail of impostors', body, "families_tail.md" if given.write else None)


if __name__ == "__main__":
    main()
