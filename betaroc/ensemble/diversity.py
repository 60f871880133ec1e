"""How alike classifiers are: in their scores, and in the errors they make."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from betaroc.core.arrays import CLASSES, AnyArray, BoolArray, FloatArray
from betaroc.core.tables import columns_from_rows
from betaroc.data.groups import weights_of
from betaroc.ensemble.fusing import TrialSet, logits, rank_sums
from betaroc.ensemble.losses import CurvePart, Splits, thresholds_of

_TEXTS = ("first", "second", "class")
_NUMBERS = ("spearman", "pearson", "phi", "disagreement", "double_fault")


def diversity_columns(names: tuple[str, ...], splits: Splits) -> dict[str, AnyArray]:
    """One row a pair and class; `Inclusion.diversity` documents it."""
    own = splits.systems
    weights = [weights_of(own, who) for who in CLASSES]
    ranks, scores = (
        [_correlations(f(x, w), w) for x, w in zip(own[:2], weights, strict=True)]
        for f in (_ranks, _unit_logits(own))
    )
    wrong = _errors(splits)
    rows: list[tuple[Any, ...]] = []
    for i, j in itertools.combinations(range(len(names)), 2):
        pair = names[i], names[j]
        for c, who in enumerate(CLASSES):
            alike = ranks[c][i, j], scores[c][i, j]
            errors = _together(wrong[c][:, i], wrong[c][:, j], weights[c])
            rows.append((*pair, who, *alike, *errors))
        both = [np.concatenate([w[:, k] for w in wrong]) for k in (i, j)]
        errors = _together(both[0], both[1], np.concatenate(weights))
        rows.append((*pair, "both", math.nan, math.nan, *errors))
    return columns_from_rows(rows, (*_TEXTS, *_NUMBERS), _TEXTS)


def _ranks(x: FloatArray, weights: FloatArray) -> FloatArray:
    single = TrialSet(x, x[:0], weights)
    return rank_sums(single, single).client


def _unit_logits(own: TrialSet) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """Logits of classifiers that lie in [0, 1], the scores of others."""
    both = np.concatenate(own[:2])
    unit = np.all((both >= 0.0) & (both <= 1.0), axis=0)

    def scaled(x: FloatArray, _: FloatArray) -> FloatArray:
        found = x.copy()
        found[:, unit] = logits(x[:, unit])
        return found

    return scaled


def _correlations(x: FloatArray, weights: FloatArray) -> FloatArray:
    """Of columns; nan for a column that is constant in this class or infinite."""
    with np.errstate(invalid="ignore", divide="ignore"):
        away = (x - np.average(x, 0, weights)) * np.sqrt(weights)[:, None]
        products = away.T @ away
        size = np.sqrt(np.diag(products))
        found = products / np.outer(size, size)
    return np.where(np.isfinite(found), np.clip(found, -1.0, 1.0), np.nan)


def _errors(splits: Splits) -> tuple[BoolArray, BoolArray]:
    """Which trials of each class a classifier decides wrongly at its threshold of least HTER."""
    part = CurvePart("weighted-error", "hter", np.array([0.5]), 0.5)
    wrong = tuple(np.zeros(x.shape, dtype=np.bool_) for x in splits.systems[:2])
    for dev, test, *rows in splits.each():
        for k in range(test.client.shape[1]):
            t = thresholds_of(dev.of(k), part)[0]
            wrong[0][rows[0], k] = test.client[:, k] <= t
            wrong[1][rows[1], k] = test.impostor[:, k] > t
    return wrong[0], wrong[1]


def _together(one: BoolArray, two: BoolArray, weights: FloatArray) -> tuple[float, float, float]:
    """phi, share of trials on which one of two errs, and on which both do."""
    p, q, both, apart = (
        float(np.average(x, weights=weights)) for x in (one, two, one & two, one != two)
    )
    variance = p * (1.0 - p) * q * (1.0 - q)
    phi = (both - p * q) / math.sqrt(variance) if variance > 0.0 else math.nan
    return phi, apart, both
