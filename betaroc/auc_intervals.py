"""Intervals and tests of the empirical area under the ROC, by DeLong's variance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from betaroc import _checks
from betaroc._thresholds import FloatArray
from betaroc._value import Value
from betaroc.errors import InputError, InputTypeError
from betaroc.intervals import Interval
from betaroc.scores import Scores

__all__ = ["AucTest", "auc_interval", "auc_test"]

_METHODS = ("delong", "logit-delong")
_CLASSES = ("client", "impostor")


@dataclass(frozen=True, eq=False, repr=False)
class AucTest(Value):
    """Whether two areas under the ROC differ.

    Made by :func:`auc_test`.

    Parameters
    ----------
    difference : Interval
        Area of the first minus area of the second.
    statistic : float
        The difference in standard errors; nan where its variance is 0.
    p_value : float
        Two-sided, standard normal; 1 if the areas are equal, 0 if they differ without variance.
    paired : bool
        Whether both systems judged the same trials.

    Examples
    --------
    >>> import betaroc as br
    >>> first = br.Scores([2, 3, 4, 5], [0, 1, 2.5, 3.5])
    >>> second = br.Scores([1, 3, 2, 5], [0, 2, 2.5, 3.5])
    >>> test = br.auc_test(first, second)
    >>> round(test.difference.estimate, 4), round(test.p_value, 4)
    (0.2188, 0.1911)
    """

    difference: Interval
    statistic: float
    p_value: float
    paired: bool


def auc_interval(scores: Scores, level: float = 0.95, method: str = "delong") -> Interval:
    """Confidence interval of the area under the empirical ROC.

        Var A = S10/n_client + S01/n_impostor,
        S10 = sum (V_i - A)^2 / (n_client - 1),   V_i = share of impostors below client i,

    ties counting one half, and S01 likewise over the impostors.

    Parameters
    ----------
    scores : Scores
        Both classes, two or more trials in each; weights are frequencies.
    level : float
        Confidence level.
    method : str
        "delong": A -+ z sd, cut to [0, 1]. "logit-delong": the same for log A/(1 - A),
        which stays inside and covers better near 1; with A = 0 or 1 it has no width.

    Returns
    -------
    Interval

    Raises
    ------
    InputError
        If `level` or `method` is out of range or a class has fewer than two trials.
    InputTypeError
        If `scores` is no Scores.

    Notes
    -----
    Perfectly separated classes have variance 0 and an interval without width: it says
    nothing then. O(n log n).

    References
    ----------
    DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988), Comparing the areas under
    two or more correlated receiver operating characteristic curves. Sun, X. and Xu, W.
    (2014), Fast implementation of DeLong's algorithm.

    Examples
    --------
    >>> import betaroc as br
    >>> interval = br.auc_interval(br.Scores([2, 3, 4, 5], [0, 1, 2.5, 3.5]), level=0.9)
    >>> round(interval.low, 6), interval.high
    (0.534107, 1.0)
    """
    level = _checks.level(level)
    _checks.choice(method, _METHODS, "method")
    area, parts = _placements(scores, "scores")
    variance = _variance(parts, [_weights(scores, who) for who in _CLASSES])
    low, high = _ends(area, math.sqrt(variance), level, logit=method == "logit-delong")
    return Interval(area, low, high, level, method)


def auc_test(a: Scores, b: Scores, paired: bool = True, *, level: float = 0.95) -> AucTest:
    """Test whether two classifiers have the same area under the ROC.

        z = (A - B)/sd,   Var(A - B) = Var A + Var B - 2 Cov(A, B)

    with DeLong's variance of the differences of the placements of each trial.

    Parameters
    ----------
    a, b : Scores
        The two classifiers.
    paired : bool
        The same trials in the same order; else independent ones, whose covariance is 0.
    level : float
        Confidence level of the difference.

    Returns
    -------
    AucTest

    Raises
    ------
    InputError
        If paired trials differ in number, weights or ids, a class has fewer than two trials,
        or `level` is out of range.
    InputTypeError
        If `a` or `b` is no Scores.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), equations (4) to (7).

    Examples
    --------
    >>> import betaroc as br
    >>> first = br.Scores([2, 3, 4, 5], [0, 1, 2.5, 3.5])
    >>> br.auc_test(first, first).p_value
    1.0
    """
    level = _checks.level(level)
    (area, parts), (other, others) = _placements(a, "a"), _placements(b, "b")
    if paired:
        refuse_other_trials(a, b)
        moved = [one - two for one, two in zip(parts, others, strict=True)]
        variance = _variance(moved, [_weights(a, who) for who in _CLASSES])
    else:
        variance = sum(
            _variance(v, [_weights(s, who) for who in _CLASSES])
            for s, v in ((a, parts), (b, others))
        )
    difference, sd = area - other, math.sqrt(variance)
    low, high = _wald(difference, sd, level)
    interval = Interval(difference, max(low, -1.0), min(high, 1.0), level, "delong")
    if sd == 0.0:
        return AucTest(interval, math.nan, 1.0 if difference == 0.0 else 0.0, bool(paired))
    from scipy.special import ndtr

    z = difference / sd
    return AucTest(interval, z, float(2.0 * ndtr(-abs(z))), bool(paired))


# ----------------------------------------------------------------------------- placements
def _placements(scores: Scores, name: str) -> tuple[float, list[FloatArray]]:
    """The area, and each trial's share of the other class on its right side, less the area."""
    if not isinstance(scores, Scores):
        raise InputTypeError(
            f"{name} must be Scores; got {type(scores).__name__}. For labels and scores use"
            " Scores.from_labels."
        )
    client, impostor = scores.client, scores.impostor
    weights = [_weights(scores, who) for who in _CLASSES]
    for who, w in zip(_CLASSES, weights, strict=True):
        if not np.sum(w) >= 2.0:
            raise InputError(
                f"{name} must hold two or more trials of each class for a variance; got"
                f" {float(np.sum(w)):g} {who} trials. Give more."
            )
    below = _share_below(client, impostor, weights[1])
    above = 1.0 - _share_below(impostor, client, weights[0])
    area = math.fsum(below * weights[0]) / math.fsum(weights[0])
    return area, [below - area, above - area]


def _share_below(at: FloatArray, values: FloatArray, weights: FloatArray) -> FloatArray:
    """Weight of the values below each place and half of that on it, as a share."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    sums = np.concatenate([[0.0], np.cumsum(weights[order])])
    left, right = (np.searchsorted(ordered, at, side=side) for side in ("left", "right"))
    return np.asarray(0.5 * (sums[left] + sums[right]) / sums[-1])


def _weights(scores: Scores, who: str) -> FloatArray:
    given = getattr(scores, f"{who}_weights")
    return np.ones(getattr(scores, who).size) if given is None else np.asarray(given)


def _variance(parts: list[FloatArray], weights: list[FloatArray]) -> float:
    """S10/n_client + S01/n_impostor, with the divisors n - 1."""
    total = 0.0
    for part, weight in zip(parts, weights, strict=True):
        n = math.fsum(weight)
        total += math.fsum(weight * part**2) / (n * (n - 1.0))
    return total


# ----------------------------------------------------------------------------- intervals
def _ends(area: float, sd: float, level: float, *, logit: bool) -> tuple[float, float]:
    if not logit:
        low, high = _wald(area, sd, level)
        return max(low, 0.0), min(high, 1.0)
    if not 0.0 < area < 1.0:
        return area, area
    from scipy.special import expit

    centre = math.log(area) - math.log1p(-area)
    low, high = _wald(centre, sd / (area * (1.0 - area)), level)
    return float(expit(low)), float(expit(high))


def _wald(estimate: float, sd: float, level: float) -> tuple[float, float]:
    from scipy.special import ndtri

    reach = float(ndtri(0.5 + 0.5 * level)) * sd
    return estimate - reach, estimate + reach


# ---------------------------------------------------------------------------- conditions
def refuse_other_trials(a: Scores, b: Scores) -> None:
    """Paired systems judge the same trials: equal numbers, weights and ids."""
    for who in _CLASSES:
        one, two = getattr(a, who).size, getattr(b, who).size
        if one != two:
            raise InputError(
                f"paired=True needs the same trials in both; a has {one} {who} scores, b {two}."
                " Keep the common trials in one order, or take paired=False."
            )
        _refuse_difference(_weights(a, who), _weights(b, who), f"{who} weights")
        ids: list[Any] = [getattr(s, f"{who}_ids") for s in (a, b)]
        if ids[0] is not None and ids[1] is not None:
            _refuse_difference(ids[0].astype(object), ids[1].astype(object), f"{who} ids")


def _refuse_difference(one: Any, two: Any, name: str) -> None:
    bad = np.flatnonzero(one != two)
    if bad.size:
        k = int(bad[0])
        raise InputError(
            f"paired=True needs the same trials in the same order; {bad.size} of {one.size} {name}"
            f" differ, first {_checks.shown(one[k])} and {_checks.shown(two[k])} at index {k}."
            " Sort both by id, or take paired=False."
        )
