"""Rules that fuse the scores of several classifiers, and the scale they act on."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import CLASSES, BoolArray, FloatArray
from betaroc.core.thresholds import Thresholds
from betaroc.data.groups import weights_of
from betaroc.ensemble.trials import Systems


class TrialSet(NamedTuple):
    """Scores of both classes, a row a trial, a column a classifier."""

    client: FloatArray
    impostor: FloatArray
    client_weights: FloatArray | None = None
    impostor_weights: FloatArray | None = None

    def of(self, columns: int | list[int]) -> TrialSet:
        """Some of the classifiers."""
        return self._replace(client=self.client[:, columns], impostor=self.impostor[:, columns])

    def rows(self, client: BoolArray, impostor: BoolArray) -> TrialSet:
        """Some of the trials."""
        masks = (client, impostor) * 2
        return TrialSet._make(x if x is None else x[at] for x, at in zip(self, masks, strict=True))


class Scale(NamedTuple):
    """What rules other than "rank-mean" and "vote" act on."""

    #: "scores" or "ranks".
    name: str
    #: Why, in words.
    reason: str


def scale_of(systems: Systems, dev: Systems | None) -> Scale:
    """Scores themselves where all of them lie in [0, 1] and have a mean of logits, else ranks."""
    parts = [(getattr(one, who), weights_of(one, who)) for one in (systems, dev) if one is not None
             for who in CLASSES]  # fmt: skip
    for k, name in enumerate(systems.names):
        outside = sum(int(((x[:, k] < 0.0) | (x[:, k] > 1.0)) @ w) for x, w in parts)
        if outside:
            return Scale("ranks", f"{outside} scores of {name!r} lie outside [0, 1]")
    torn = sum(int((np.any(x == 0.0, axis=1) & np.any(x == 1.0, axis=1)) @ w) for x, w in parts)
    if torn:
        trials = "1 trial has" if torn == 1 else f"{torn} trials have"
        return Scale("ranks", f"{trials} exactly 0 and exactly 1, whose logits have no mean")
    return Scale("scores", "all scores lie in [0, 1]")


def logits(x: FloatArray) -> FloatArray:
    """log(x / (1 - x)), infinite at 0 and 1."""
    return Thresholds.from_theta(x).logit


def rank_sums(dev: TrialSet, other: TrialSet) -> TrialSet:
    """2 (dev scores below + half of those equal + 1/2) of each score, whole, by classifier."""
    values = np.concatenate(dev[:2])
    weights = np.concatenate([weights_of(dev, who) for who in CLASSES])
    order = np.argsort(values, axis=0)
    known = np.take_along_axis(values, order, axis=0)
    sums = np.concatenate([np.zeros((1, known.shape[1])), np.cumsum(weights[order], axis=0)])

    def counted(x: FloatArray) -> FloatArray:
        columns = [
            total[np.searchsorted(own, column, "left")]
            + total[np.searchsorted(own, column, "right")]
            for own, total, column in zip(known.T, sums.T, x.T, strict=True)
        ]
        return np.asarray(np.stack(columns, axis=1) + 1.0)

    return other._replace(client=counted(other.client), impostor=counted(other.impostor))


def mid_ranks(dev: TrialSet, other: TrialSet) -> TrialSet:
    """(dev scores below + half of those equal + 1/2) / (n + 1) of each score, by classifier."""
    size = 2.0 * (sum(float(np.sum(weights_of(dev, who))) for who in CLASSES) + 1.0)
    ranks = rank_sums(dev, other)
    return ranks._replace(client=ranks.client / size, impostor=ranks.impostor / size)


def _product(x: FloatArray) -> FloatArray:
    """Mean of logs: the order of products, which underflow."""
    with np.errstate(divide="ignore"):
        return _mean(np.log(x))


def _mean(x: FloatArray) -> FloatArray:
    """Of each row, summed from the least up: rounding knows no order of the classifiers."""
    return np.asarray(np.mean(np.sort(x, axis=1), axis=1))


#: Rules that make one score of a row; "rank-mean" of whole `rank_sums`, which tie exactly.
RULES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "mean-logit": lambda x: _mean(logits(x)),
    "rank-mean": _mean,
    "product": _product,
    "max": lambda x: np.asarray(np.max(x, axis=1)),
    "min": lambda x: np.asarray(np.min(x, axis=1)),
}


def fused(rule: str, dev: TrialSet, test: TrialSet) -> tuple[TrialSet, TrialSet]:
    """One column a side. An infinite mean stands one beyond the finite ones, in its order."""
    function = RULES[rule]
    parts = [function(x) for x in (*dev[:2], *test[:2])]
    finite = np.concatenate(parts)
    finite = finite[np.isfinite(finite)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    parts = [np.nan_to_num(x, neginf=low - 1.0, posinf=high + 1.0) for x in parts]
    first, second = (dict(zip(CLASSES, x, strict=True)) for x in (parts[:2], parts[2:]))
    return dev._replace(**first), test._replace(**second)
