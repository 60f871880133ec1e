"""The method of fitting, which can influence the result as Omar and Ivrissimtzis say.

Usage: python 12_method_of_fitting.py

Fits the beta distributions of real scores by maximum likelihood, as betaroc and the paper do, by
moments, and by the least Cramer-von Mises distance from the empirical distribution function. Prints
the table of docs/papers.md.
"""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares
from scipy.special import betainc

import betaroc as br

DATA = Path(__file__).parent / "data"
#: Without ties and scores of exactly 0 and 1, so that no rule for these decides.
CLASSIFIERS = ("within_logreg", "within_mlp", "cross_logreg", "cross_mlp")
AMOUNTS, SHOWN = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (0.0, 0.6)
STATISTICS = ("auc", "eer", "exponent-at-zero", "exponent-at-one")


def by_moments(x: np.ndarray) -> br.Beta:
    mean, variance = np.mean(x), np.var(x)
    size = mean * (1 - mean) / variance - 1
    return br.Beta(mean * size, (1 - mean) * size)


def by_distance(x: np.ndarray) -> br.Beta:
    """The least sum of (F(x_i) - (i - 1/2)/n)^2 over the sorted scores."""
    start, ranks, x = by_moments(x), (np.arange(x.size) + 0.5) / x.size, np.sort(x)
    found = least_squares(lambda p: betainc(*np.exp(p), x) - ranks, np.log([start.a, start.b]))
    return br.Beta(*np.exp(found.x))


def numbers(model: br.ScoreModel) -> list[float]:
    ends = model.ends()
    return [model.auc(), model.eer().hter, ends.at_zero.exponent, ends.at_one.exponent]


def print_methods() -> None:
    print("| scores, sharpened by | AUC | EER | exponent at 0 | exponent at 1 |")
    print("| --- | --- | --- | --- | --- |")
    outside, unlike = np.zeros(4, dtype=int), np.zeros(2, dtype=int)
    for name, amount in itertools.product(CLASSIFIERS, AMOUNTS):
        scores = br.read_scores(DATA / f"liveness_{name}" / f"test_sharpen{amount:.2f}.csv")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", br.ReversedScoresWarning)  # by strong sharpening
            warnings.simplefilter("ignore", br.MisfitWarning)
            fit = br.fit(scores, "beta")
            intervals = [fit.interval(statistic) for statistic in STATISTICS]
        low, high = np.transpose([(x.low, x.high) for x in intervals])
        sides = scores.client, scores.impostor
        others = [br.ScoreModel(*map(method, sides)) for method in (by_moments, by_distance)]
        values = np.array([numbers(model) for model in (fit.model, *others)])
        outside += np.any((values < low) | (values > high), axis=0)
        unlike += np.ptp(np.sign(values[:, 2:] - 1), axis=0) > 0
        if amount in SHOWN:
            cells = [", ".join(f"{x:.3g}" for x in column) for column in values.T]
            print(f"| {name}, {amount:g} | {' | '.join(cells)} |")
    sets = len(CLASSIFIERS) * len(AMOUNTS)
    print(f"| outside the interval, of {sets} sets | {' | '.join(map(str, outside))} |")
    print(f"| another semi-derivative, of {sets} sets | | | {' | '.join(map(str, unlike))} |")


if __name__ == "__main__":
    print_methods()
