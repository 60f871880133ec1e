"""How often intervals of fits hold the true number, on real scores and on the families' own."""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from _common import report, table

import betaroc as br
from betaroc.model.statistics import parse_statistic

DATA = Path(__file__).parents[1] / "examples/data"
SIZES = (300, 1000, 3000)
#: Quantiles of a population on which the true numbers are counted.
DENSE = 200_001
FILES = {
    "speech (ASV)": "asvspoof19_asv/eval.csv.gz",
    "speech (ECAPA)": "asvspoof19_ecapa_ctst/eval.csv.gz",
    "basketball": "fivethirtyeight/nba_games.csv.gz",
    "baseball": "fivethirtyeight/mlb_games.csv.gz",
    "football": "fivethirtyeight/world_cup_matches_in_game_men.csv",
}
#: Sets of which so many scores are exactly at an end that lengths say little.
PILES = ("forest votes",)
OWN = {
    "beta": (br.Beta(5.0, 2.0), br.Beta(2.0, 5.0)),
    "beta, U-shaped": (br.Beta(2.0, 0.7), br.Beta(0.6, 2.5)),
    "normal": (br.Normal(2.0, 1.2), br.Normal(0.0, 1.0)),
    "logit-normal": (br.LogitNormal(1.5, 1.5), br.LogitNormal(-1.5, 1.0)),
}
STATISTICS: dict[str, tuple[str, dict[str, Any]]] = {
    "AUC": ("auc", {}),
    "EER": ("eer", {}),
    "least HTER": ("min-hter", {}),
    "TPR at FAR .1": ("tpr", {"far": 0.1}),
    "TPR at FAR .01": ("tpr", {"far": 0.01}),
    "threshold at FAR .1": ("threshold", {"far": 0.1}),
    "threshold at FAR .01": ("threshold", {"far": 0.01}),
}
#: Columns of what is measured of each draw and statistic.
COVERS, FAMILY, SCORES, LENGTH, FLAG = range(5)


class Cell(NamedTuple):
    """Draws of one size from one population, fitted by one family."""

    name: str
    n: int
    family: str
    draws: int


@cache
def populations() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Order statistics of both classes of every set that is there."""
    found = {}
    for name, file in FILES.items():
        if (DATA / file).exists():
            scores = br.read_scores(DATA / file)
            found[name] = scores.client, scores.impostor
    for name, (score, label) in _classified().items():
        found[name] = score[label == 1], score[label == 0]
    return {name: (np.sort(c), np.sort(i)) for name, (c, i) in found.items()}


def _classified() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Scores that scikit-learn makes: 20 000 held-out trials, and pairs of digits."""
    from sklearn.datasets import load_digits, make_classification
    from sklearn.decomposition import PCA
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    x, y = make_classification(
        22_000, 20, n_informative=6, n_clusters_per_class=3, flip_y=0.05, random_state=1
    )
    train, test = slice(0, 2000), slice(2000, None)
    margins = LogisticRegression(max_iter=1000).fit(x[train], y[train]).decision_function(x[test])
    forest = RandomForestClassifier(50, random_state=1).fit(x[train], y[train])
    bayes = GaussianNB().fit(x[train], y[train])
    pixels, digit = load_digits(return_X_y=True)
    places = PCA(16, random_state=1).fit_transform(pixels)
    one, two = np.random.default_rng(1).integers(0, digit.size, (2, 40_000))
    distance = -np.linalg.norm(places[one] - places[two], axis=1)
    return {
        "logistic margins": (margins, y[test]),
        "forest votes": (forest.predict_proba(x[test])[:, 1], y[test]),
        "naive Bayes": (bayes.predict_proba(x[test])[:, 1], y[test]),
        "pairs of digits": (distance[one != two], (digit[one] == digit[two])[one != two]),
    }


def sampler(name: str) -> tuple[br.ScoreModel, Callable[[np.random.Generator, int], br.Scores]]:
    """The truth, and what draws score sets from it."""
    if name in OWN:
        pair = OWN[name]
        return br.ScoreModel(*pair), lambda rng, n: br.Scores(*(d.sample(n, rng) for d in pair))
    sides = populations()[name]

    def at(values: np.ndarray, u: np.ndarray) -> np.ndarray:
        return np.interp(u, np.linspace(0.0, 1.0, values.size), values)

    middle = (np.arange(DENSE) + 0.5) / DENSE
    truth = br.fit(br.Scores(*(at(side, middle) for side in sides)), "empirical").model
    return truth, lambda rng, n: br.Scores(*(at(side, rng.random(n)) for side in sides))


def measured(cell: Cell) -> np.ndarray:
    """Of every draw and statistic what it covers, how long it is and whether it warns."""
    warnings.simplefilter("ignore")
    truth, draw = sampler(cell.name)
    rng = np.random.default_rng([cell.n, *map(ord, cell.name)])
    found = np.full((cell.draws, len(STATISTICS), 5), np.nan)
    true = [parse_statistic(stat, **point).number(truth) for stat, point in STATISTICS.values()]
    for k in range(cell.draws):
        scores = draw(rng, cell.n)
        try:
            fit = br.fit(scores, cell.family)
        except br.errors.BetarocError:
            continue
        for j, (stat, point) in enumerate(STATISTICS.values()):
            both, own = fit.interval(stat, **point), br.interval(scores, stat, **point)
            ends = (both.low, both.high), _family(fit, stat, point), (own.low, own.high)
            holds = [low <= true[j] <= high for low, high in ends]
            width = own.high - own.low
            length = (both.high - both.low) / width if math.isfinite(width) else math.nan
            flag = any(one.category is br.errors.MisfitWarning for one in both.notices)
            found[k, j] = *holds, length, flag
    return found


def _family(fit: Any, stat: str, point: dict[str, Any]) -> tuple[float, float]:
    """Ends of the family's interval; none where it gives none."""
    try:
        found = fit.interval(stat, method="family", **point)
    except br.errors.InputError:
        return math.nan, math.nan
    return found.low, found.high


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=100, help="score sets a cell")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--write", action="store_true", help="write results/coverage_fits.md")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    sizes, start = list(map(int, given.sizes.split(","))), time.perf_counter()
    sets = list(populations())
    cells = [Cell(name, n, "best", given.draws) for name in (*sets, *OWN) for n in sizes]
    cells += [Cell(name, n, "normal", given.draws) for name in sets for n in sizes]
    cells += [
        Cell(name, n, "beta", given.draws) for name in sets for n in sizes
        if all(0.0 <= side[0] and side[-1] <= 1.0 for side in populations()[name])
    ]  # fmt: skip
    with ProcessPoolExecutor(given.workers) as pool:
        found = dict(zip(cells, pool.map(measured, cells, chunksize=1), strict=True))
    minutes = (time.perf_counter() - start) / 60
    best = {name: [found[c] for c in cells if c.name == name and c.family == "best"]
            for name in (*sets, *OWN)}  # fmt: skip
    text = [
        f"95 % intervals, {given.draws} draws a cell of n = {', '.join(map(str, sizes))} scores a"
        " class from the linear interpolation of a set's order statistics, true numbers counted on"
        " it; 'warns' is the share of intervals with a `MisfitWarning`. Monte Carlo"
        f" error of a share of .95 of one set {math.sqrt(0.0475 / given.draws / len(sizes)):.3f}."
        f" {minutes:.0f} minutes.",
        "## Families that best chooses, real and made sets\n\n" + _coverage(best, sets),
        "## On the families' own distributions\n\n" + _coverage(best, list(OWN)),
        "## Coverage by set\n\n" + _by_set(best),
        "## Flag of a misfit with a family that was named\n\n" + _power(cells, found),
    ]
    report("Intervals of fits", "\n\n".join(text), "coverage_fits.md" if given.write else None)


def _coverage(best: dict[str, list[np.ndarray]], sets: list[str]) -> str:
    """A line a statistic: means over sets, and the worst of them."""
    head = ["", "default", "least set", "family alone", "scores alone", "length over scores',"
            " median", "mean without piles", "warns"]  # fmt: skip
    rows = []
    every = range(len(STATISTICS))
    for name, which in [*((s, [j]) for j, s in enumerate(STATISTICS)), ("all", every)]:
        draws = {one: np.concatenate([b[:, list(which)] for b in best[one]]) for one in sets}
        means = np.array([np.nanmean(d, axis=(0, 1)) for d in draws.values()])
        lengths = np.concatenate([d[..., LENGTH].ravel() for d in draws.values()])
        smooth = np.concatenate(
            [d[..., LENGTH].ravel() for s, d in draws.items() if s not in PILES]
        )
        row = [means[:, COVERS].mean(), means[:, COVERS].min(), means[:, FAMILY].mean(),
               means[:, SCORES].mean(), np.median(lengths[np.isfinite(lengths)]),
               smooth[np.isfinite(smooth)].mean(), means[:, FLAG].mean()]  # fmt: skip
        rows.append([name, *(f"{value:.3f}" for value in row)])
    return table(head, rows)


def _by_set(best: dict[str, list[np.ndarray]]) -> str:
    rows = [
        [name, *(f"{value:.3f}" for value in np.nanmean(np.concatenate(b)[..., COVERS], axis=0))]
        for name, b in best.items()
    ]  # fmt: skip
    return table(["set", *STATISTICS], rows)


def _power(cells: list[Cell], found: dict[Cell, np.ndarray]) -> str:
    """Of the family's misses those with a warning."""
    rows = []
    for family in ("normal", "beta", "best"):
        draws = np.concatenate(
            [found[c] for c in cells if c.family == family and c.name not in OWN]
        )
        missed = draws[..., FAMILY] == 0.0
        shares = [(np.nanmean(draws[..., j, FAMILY]), draws[:, j, FLAG][missed[:, j]])
                  for j in range(len(STATISTICS))]  # fmt: skip
        told = [f"{flags.mean():.2f} of {flags.size}" if flags.size else "" for _, flags in shares]
        rows.append([family, f"{np.mean([share for share, _ in shares]):.3f}",
                     f"{draws[..., FLAG][missed].mean():.2f}", *told])  # fmt: skip
    return table(["family", "family alone covers", "misses with a warning", *STATISTICS], rows)


if __name__ == "__main__":
    main()
