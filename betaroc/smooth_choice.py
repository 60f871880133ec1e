"""Thresholds of two laws with a continuous part: stationary points, levels and jumps compared."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from betaroc import decisions
from betaroc._thresholds import FloatArray, Thresholds
from betaroc.distributions.pairs import Pair, sign_changes
from betaroc.errors import FitError

__all__ = [
    "best_precision_recall",
    "least_weighted_errors",
    "monotone_jumps",
    "nearest_precision",
    "nearest_rate",
    "precision_turns",
]

Index = npt.NDArray[np.intp]

#: A rate that is this near to its target, as a share of it, has met it.
_MET = 1e-12


# ------------------------------------------------------------------------- weighted error
def least_weighted_errors(pair: Pair, alpha: FloatArray) -> Thresholds:
    """For each alpha the global minimiser of alpha FAR + (1 - alpha) FRR: jumps and level sets."""
    weights = [decisions.exact_weight(a) for a in alpha.tolist()]
    parts = [pair.candidates, *(_level_set(pair, w, 1 - w) for w in weights)]
    ends = np.cumsum([part.size for part in parts])
    t = Thresholds.concatenate(parts)
    far, frr = pair.far(t), pair.frr(t)
    always = np.arange(ends[0])
    chosen = []
    for k, w in enumerate(weights):
        own = np.concatenate([always, np.arange(ends[k], ends[k + 1])])
        criterion = float(w) * far[own] + float(1 - w) * frr[own]
        chosen.append(own[decisions.best(t[own], criterion, far[own] + frr[own])])
    return t[np.array(chosen, dtype=np.intp)]


def _level_set(pair: Pair, cost_far: Fraction, cost_frr: Fraction) -> Thresholds:
    """Where the likelihood ratio is what balances the costs; empty if one costs nothing."""
    if cost_far > 0 and cost_frr > 0:
        return pair.ratio_roots(math.log(cost_far) - math.log(cost_frr))
    return pair.place(np.empty(0))


# ---------------------------------------------------------------- weighted precision/recall
def best_precision_recall(pair: Pair, prior: float, alpha: float) -> Thresholds:
    """max alpha P + (1 - alpha) R: ends, jumps and all stationary points between them.

    Towards the upper end the value may rise to a limit that no threshold
    attains; the bracketing mesh reaches it to within the tie tolerance.
    """

    def slope(u: FloatArray) -> FloatArray:
        t = pair.place(u)
        tpr, far = pair.tpr(t), pair.far(t)
        called = prior * tpr + (1.0 - prior) * far
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            gain = prior * (1.0 - prior) * (tpr * np.exp(-pair.log_ratio(t)) - far) / called**2
            return np.asarray(alpha * gain - (1.0 - alpha))

    places = np.concatenate([_roots(pair, slope), pair.mesh])
    t = Thresholds.concatenate([pair.candidates, pair.place(places)])
    value = alpha * _precision(pair, prior, t) + (1.0 - alpha) * pair.tpr(t)
    return t[[decisions.best(t, -value, pair.far(t) + pair.frr(t))]]


def _precision(pair: Pair, prior: float, t: Thresholds) -> FloatArray:
    """Precision from the logs of both tails; nan, as for 0/0, where both rates underflow."""
    values = _limit_of_precision(pair, prior, t)
    return np.where(pair.tpr(t) + pair.far(t) < decisions.TINY, np.nan, values)


def _limit_of_precision(pair: Pair, prior: float, t: Thresholds) -> FloatArray:
    """Precision also where the rates underflow and only their quotient does not."""
    with np.errstate(invalid="ignore", under="ignore", over="ignore"):
        gain = pair.client._upper(t)[1] - pair.impostor._upper(t)[1]
        return np.asarray(prior / (prior + (1.0 - prior) * np.exp(-gain)))


def _roots(pair: Pair, function: Callable[[FloatArray], FloatArray]) -> FloatArray:
    if pair.mesh.size == 0:
        return np.empty(0)
    mesh = pair.mesh
    values = function(mesh)
    return sign_changes(function, mesh[np.isfinite(values)], "stationary point of a criterion")


# ----------------------------------------------------------------------- targets of one rate
def nearest_rate(pair: Pair, alpha: FloatArray, name: str) -> Thresholds:
    """argmin abs(rate - alpha) of a monotone rate: its inverse, or a jump."""
    with np.errstate(divide="ignore"):
        log_alpha = np.log(alpha)
    invert, rate = _monotone(pair, name)
    t = Thresholds.concatenate([pair.candidates, invert(alpha, log_alpha)])
    always = np.arange(pair.candidates.size)
    own = [np.append(always, always.size + k) for k in range(alpha.size)]
    return _nearest(pair, alpha, rate, t, own)


def monotone_jumps(pair: Pair, name: str) -> FloatArray:
    """Rates where the threshold nearest to a target may jump: on either side of an atom."""
    values = np.unique(_monotone(pair, name)[1](pair.candidates))
    return np.unique(np.concatenate([values, 0.5 * (values[1:] + values[:-1])]))


def _monotone(
    pair: Pair, name: str
) -> tuple[Callable[[FloatArray, FloatArray], Thresholds], Callable[[Thresholds], FloatArray]]:
    """The inverse of a rate, and the rate."""
    return {
        "far": (pair.impostor._upper_quantile, pair.far),
        "frr": (pair.client._lower_quantile, pair.frr),
        "recall": (pair.client._upper_quantile, pair.tpr),
        "sensitivity": (pair.client._upper_quantile, pair.tpr),
        "specificity": (pair.impostor._lower_quantile, pair.tnr),
    }[name]


def _nearest(
    pair: Pair,
    alpha: FloatArray,
    rate: Callable[[Thresholds], FloatArray],
    t: Thresholds,
    own: list[Index] | None = None,
) -> Thresholds:
    """For each alpha the threshold among its own, or all, whose rate is nearest; ties by rule."""
    values, total = rate(t), pair.far(t) + pair.frr(t)
    every: Index = np.arange(t.size)
    chosen = []
    for a, index in zip(alpha.tolist(), own or [every] * alpha.size, strict=True):
        gap = np.abs(values[index] - a)
        # Met to rounding, of a small target too; 0 and 1 themselves may be limits.
        near = _MET * (min(a, 1.0 - a) or 1.0)
        gap = np.where(gap <= near, 0.0, gap)
        chosen.append(index[decisions.best(t[index], gap, total[index])])
    return t[np.array(chosen, dtype=np.intp)]


# --------------------------------------------------------------------- targets of precision
def nearest_precision(pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
    """argmin abs(precision - alpha): where TPR / FAR is what is wanted, turns, and jumps."""
    turns, mesh = _precision_mesh(pair)
    # A precision of 0 or 1 is a limit that no threshold attains: it is met to 1e-12.
    wanted = np.clip(alpha, _MET, 1.0 - _MET)
    levels = np.empty(0)
    if 0.0 < prior < 1.0:
        levels = np.log(wanted) - np.log1p(-wanted) - math.log(prior / (1.0 - prior))
    places = [turns, mesh[:1], mesh[-1:], _levels(_log_gain(pair), mesh, levels)]
    t = Thresholds.concatenate([pair.candidates, pair.place(np.concatenate(places))])
    return _nearest(pair, alpha, lambda t: _precision(pair, prior, t), t)


def precision_turns(pair: Pair, prior: float) -> FloatArray:
    """Precisions at the ends, at jumps and where precision turns, ascending."""
    turns, mesh = _precision_mesh(pair)
    places = pair.place(np.concatenate([turns, mesh[:1], mesh[-1:]]))
    t = Thresholds.concatenate([pair.candidates, places])
    values = _limit_of_precision(pair, prior, t)
    return np.unique(values[~np.isnan(values)])


def _log_gain(pair: Pair) -> Callable[[FloatArray], FloatArray]:
    """log TPR / FAR in working coordinates: precision is a function of it alone."""

    def gain(u: FloatArray) -> FloatArray:
        t = pair.place(u)
        with np.errstate(invalid="ignore"):
            return np.asarray(pair.client._upper(t)[1] - pair.impostor._upper(t)[1])

    return gain


def _precision_mesh(pair: Pair) -> tuple[FloatArray, FloatArray]:
    """Where precision turns, and a mesh between whose neighbours it is monotone."""
    gain = _log_gain(pair)

    def turn(u: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            return np.asarray(pair.log_ratio(pair.place(u)) - gain(u))

    turns = _roots(pair, turn)
    mesh = np.union1d(pair.mesh, turns)
    return turns, mesh[np.isfinite(gain(mesh))]


def _levels(
    function: Callable[[FloatArray], FloatArray], mesh: FloatArray, levels: FloatArray
) -> FloatArray:
    """All places between neighbours of a mesh where a function crosses a level."""
    if mesh.size == 0 or levels.size == 0:
        return np.empty(0)
    from scipy.optimize import elementwise

    values = function(mesh) - levels[:, None]
    met: FloatArray = np.tile(mesh, (levels.size, 1))[values == 0.0]
    which, k = np.nonzero(values[:, :-1] * values[:, 1:] < 0.0)
    if which.size == 0:
        return met

    def excess(u: FloatArray, level: FloatArray) -> FloatArray:
        return np.asarray(function(u) - level)

    found = elementwise.find_root(
        excess, (mesh[k], mesh[k + 1]), args=(levels[which],), maxiter=200,
        tolerances={"xatol": 0.0, "xrtol": 1e-15, "fatol": 0.0, "frtol": 0.0},
    )  # fmt: skip
    lost = np.flatnonzero(~found.success)
    if lost.size:
        raise FitError(
            f"threshold of a precision: {lost.size} of {which.size} roots did not converge, first"
            f" near {float(found.x[lost[0]])!r}. This is a defect of betaroc: please report the two"
            " laws."
        )
    return np.concatenate([met, np.asarray(found.x)])
