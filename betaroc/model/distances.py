"""The largest distance of a distribution function from that of scores, asked where it may lie."""

from __future__ import annotations

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.base import Distribution
from betaroc.model.model import ScoreModel

#: Of fewer scores all are asked, else so many first.
_FIRST = 512


def largest_distance(
    law: Distribution, places: FloatArray, upto: FloatArray, below: FloatArray
) -> float:
    """sup abs(F - F_n): between jumps both are monotone, so at a jump or just below one.

    `places` ascend and hold every jump of both; `upto` and `below` are F_n there and just below.
    Between two places that were asked both functions stay between their values there: where
    these allow no larger distance than one that was found, nothing is asked.
    """
    if not places.size:
        return 0.0
    asked = np.unique(np.linspace(0, places.size - 1, _FIRST).astype(np.intp))
    ends = asked[:-1], asked[1:]
    at, before = (np.empty(places.size) for _ in range(2))
    largest = 0.0
    while asked.size:
        t = Thresholds.from_theta(places[asked])
        at[asked] = law._lower(t)[0]
        before[asked] = at[asked] - law.atoms.masses_at(t)
        apart = np.abs(at[asked] - upto[asked]), np.abs(before[asked] - below[asked])
        largest = max(largest, float(np.max(apart)))
        low, high = ends
        allowed = np.maximum(before[high] - upto[low], below[high] - at[low])
        keep = (high - low > 1) & (allowed > largest)
        low, high = low[keep], high[keep]
        asked = (low + high) // 2
        ends = np.concatenate([low, asked]), np.concatenate([asked, high])
    return largest


def roc_distance(first: ScoreModel, second: ScoreModel) -> float:
    """Largest difference of FAR and TPR at once between two ROCs, along FAR + TPR = constant.

    Between points of both curves, dense ones where a curve is no stairs.
    """
    curves = [model.roc().points(1000) for model in (first, second)]
    turned = [(np.asarray(p.far + p.tpr), np.asarray(p.tpr - p.far)) for p in curves]
    along = np.union1d(*(places for places, _ in turned))
    gap = np.subtract(*(np.interp(along, *curve) for curve in turned))
    return 0.5 * float(np.max(np.abs(gap)))
