"""How alike classifiers are: in their scores, and in the errors they make."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from betaroc.core.arrays import CLASSES, AnyArray, BoolArray, FloatArray
from betaroc.core.tables import columns_from_rows
from betaroc.ensemble.fusing import TrialSet, logits
from betaroc.ensemble.losses import CurvePart, Splits, thresholds_of

_TEXTS = ("first", "second", "class")
_NUMBERS = ("spearman", "pearson", "phi", "disagreement", "double_fault")


def diversity_columns(names: tuple[str, ...], splits: Splits) -> dict[str, AnyArray]:
    """One row a pair and class; `Inclusion.diversity` documents it."""
    own = splits.systems
    ranks, scores = ([_correlations(f(x)) for x in own] for f in (_ranks, _unit_logits(own)))
    wrong = _errors(splits)
    rows: list[tuple[Any, ...]] = []
    for i, j in itertools.combinations(range(len(names)), 2):
        pair = names[i], names[j]
        for c, who in enumerate(CLASSES):
            alike = ranks[c][i, j], scores[c][i, j]
            rows.append((*pair, who, *alike, *_together(wrong[c][:, i], wrong[c][:, j])))
        both = [np.concatenate([w[:, k] for w in wrong]) for k in (i, j)]
        rows.append((*pair, "both", math.nan, math.nan, *_together(both[0], both[1])))
    return columns_from_rows(rows, (*_TEXTS, *_NUMBERS), _TEXTS)


def _ranks(x: FloatArray) -> FloatArray:
    from scipy.stats import rankdata

    return np.asarray(rankdata(x, axis=0))


def _unit_logits(own: TrialSet) -> Callable[[FloatArray], FloatArray]:
    """Logits of classifiers that lie in [0, 1], the scores of others."""
    both = np.concatenate(own)
    unit = np.all((both >= 0.0) & (both <= 1.0), axis=0)

    def scaled(x: FloatArray) -> FloatArray:
        found = x.copy()
        found[:, unit] = logits(x[:, unit])
        return found

    return scaled


def _correlations(x: FloatArray) -> FloatArray:
    """Of columns; nan for a column that is constant in this class or infinite."""
    with np.errstate(invalid="ignore", divide="ignore"):
        away = x - np.mean(x, axis=0)
        products = away.T @ away
        size = np.sqrt(np.diag(products))
        found = products / np.outer(size, size)
    return np.where(np.isfinite(found), np.clip(found, -1.0, 1.0), np.nan)


def _errors(splits: Splits) -> tuple[BoolArray, BoolArray]:
    """Which trials of each class a classifier decides wrongly at its threshold of least HTER."""
    part = CurvePart("weighted-error", "hter", np.array([0.5]), 0.5)
    wrong = tuple(np.zeros(x.shape, dtype=np.bool_) for x in splits.systems)
    for dev, test, *rows in splits.each():
        for k in range(test.client.shape[1]):
            t = thresholds_of(TrialSet(dev.client[:, k], dev.impostor[:, k]), part)[0]
            wrong[0][rows[0], k] = test.client[:, k] <= t
            wrong[1][rows[1], k] = test.impostor[:, k] > t
    return wrong[0], wrong[1]


def _together(one: BoolArray, two: BoolArray) -> tuple[float, float, float]:
    """phi, share of trials on which one of two errs, and on which both do."""
    p, q, both = (float(np.mean(x)) for x in (one, two, one & two))
    variance = p * (1.0 - p) * q * (1.0 - q)
    phi = (both - p * q) / math.sqrt(variance) if variance > 0.0 else math.nan
    return phi, float(np.mean(one != two)), both
