"""What a threshold is chosen for: one entry of a table a criterion.

A criterion maps a pair, a prior and an array of alphas to the threshold of
each alpha, globally optimal under the tie rule: smallest criterion, then
smallest HTER, then lowest threshold. Candidates that are 0/0 are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from betaroc import decisions
from betaroc._thresholds import FloatArray, Thresholds
from betaroc.distributions.empirical import EmpiricalPair
from betaroc.distributions.pairs import Pair, sign_changes
from betaroc.empirical_choice import choose_linear, choose_nearest, choose_weighted_error
from betaroc.measures import precision_of

__all__ = ["CRITERIA", "Criterion"]

Choice = Callable[[Pair, float, FloatArray], Thresholds]

#: A rate that is this near to its target has met it.
_MET = 1e-12


@dataclass(frozen=True)
class Criterion:
    """How thresholds are chosen, and what the axis of alphas is called."""

    choose: Choice
    axis: str
    #: A criterion without alpha: one threshold for all.
    single: bool = False


def _each(one: Callable[[Pair, float, float], Thresholds]) -> Choice:
    def choose(pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
        chosen = [one(pair, prior, float(a)) for a in alpha]
        return Thresholds.concatenate(chosen)

    return choose


# ------------------------------------------------------------------ linear criteria
def _weighted_error(pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
    if isinstance(pair, EmpiricalPair):
        return choose_weighted_error(pair, alpha)

    def one(pair: Pair, _: float, a: float) -> Thresholds:
        weight = decisions.exact_weight(a)
        return decisions.weighted_error(pair, weight, 1 - weight)

    return _each(one)(pair, prior, alpha)


def _weighted_precision_recall(pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
    if isinstance(pair, EmpiricalPair):

        def losses(tpr: FloatArray, far: FloatArray) -> tuple[FloatArray, FloatArray]:
            return -precision_of(prior, tpr, far), -tpr

        return choose_linear(pair, alpha, losses)
    return _each(_best_precision_recall)(pair, prior, alpha)


def _f_measure(pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
    if isinstance(pair, EmpiricalPair):

        def losses(tpr: FloatArray, far: FloatArray) -> tuple[FloatArray, FloatArray]:
            with np.errstate(divide="ignore", invalid="ignore"):
                return 1.0 / precision_of(prior, tpr, far), 1.0 / tpr

        return choose_linear(pair, alpha, losses)
    return _each(lambda pair, prior, a: decisions.max_f(pair, a, prior))(pair, prior, alpha)


def _best_precision_recall(pair: Pair, prior: float, alpha: float) -> Thresholds:
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
    value = alpha * precision_of(prior, pair.tpr(t), pair.far(t)) + (1.0 - alpha) * pair.tpr(t)
    return t[[decisions.best(t, -value, pair.far(t) + pair.frr(t))]]


def _roots(pair: Pair, function: Callable[[FloatArray], FloatArray]) -> FloatArray:
    if pair.mesh.size == 0:
        return np.empty(0)
    mesh = pair.mesh
    values = function(mesh)
    return sign_changes(function, mesh[np.isfinite(values)], "stationary point of a criterion")


# ----------------------------------------------------------------------- rate targets
class _Rates(Protocol):
    """The four rates at some thresholds."""

    @property
    def far(self) -> FloatArray: ...
    @property
    def frr(self) -> FloatArray: ...
    @property
    def tpr(self) -> FloatArray: ...
    @property
    def tnr(self) -> FloatArray: ...


@dataclass(frozen=True)
class _At:
    """The rates of a pair at thresholds, computed when asked for."""

    pair: Pair
    t: Thresholds

    @property
    def far(self) -> FloatArray:
        return self.pair.far(self.t)

    @property
    def frr(self) -> FloatArray:
        return self.pair.frr(self.t)

    @property
    def tpr(self) -> FloatArray:
        return self.pair.tpr(self.t)

    @property
    def tnr(self) -> FloatArray:
        return self.pair.tnr(self.t)


_RATES: dict[str, Callable[[_Rates, float], FloatArray]] = {
    "far": lambda at, _: at.far,
    "frr": lambda at, _: at.frr,
    "precision": lambda at, prior: precision_of(prior, at.tpr, at.far),
    "recall": lambda at, _: at.tpr,
    "sensitivity": lambda at, _: at.tpr,
    "specificity": lambda at, _: at.tnr,
}


def _target(name: str) -> Choice:
    def choose(pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
        if isinstance(pair, EmpiricalPair):
            return choose_nearest(pair, alpha, lambda gaps: _RATES[name](gaps, prior))
        return _each(lambda pair, prior, a: _nearest(pair, prior, a, name))(pair, prior, alpha)

    return choose


def _nearest(pair: Pair, prior: float, alpha: float, name: str) -> Thresholds:
    """argmin abs(rate - alpha) of a pair with a continuous law."""
    if name == "precision":
        places = _precision_places(pair, prior, alpha)
    else:
        places = _rate_places(pair, alpha, name)
    t = Thresholds.concatenate([pair.candidates, places])
    gap = np.abs(_RATES[name](_At(pair, t), prior) - alpha)
    gap = np.where(gap <= _MET, 0.0, gap)
    return t[[decisions.best(t, gap, pair.far(t) + pair.frr(t))]]


def _rate_places(pair: Pair, alpha: float, name: str) -> Thresholds:
    p = np.array([alpha])
    with np.errstate(divide="ignore"):
        log_p = np.log(p)
    invert = {
        "far": pair.impostor._upper_quantile,
        "frr": pair.client._lower_quantile,
        "recall": pair.client._upper_quantile,
        "sensitivity": pair.client._upper_quantile,
        "specificity": pair.impostor._lower_quantile,
    }[name]
    return invert(p, log_p)


def _precision_places(pair: Pair, prior: float, alpha: float) -> Thresholds:
    """Where TPR / FAR is what the wanted precision asks for, and where it turns."""

    def turn(u: FloatArray) -> FloatArray:
        t = pair.place(u)
        with np.errstate(invalid="ignore"):
            return pair.log_ratio(t) - (pair.client._upper(t)[1] - pair.impostor._upper(t)[1])

    turns = _roots(pair, turn)
    # A precision of 1 is a limit that no threshold attains: it is met to 1e-12.
    wanted = min(alpha, 1.0 - _MET)
    if not 0.0 < wanted or not 0.0 < prior < 1.0:
        return pair.place(turns)
    level = math.log(wanted / (1.0 - wanted)) - math.log(prior / (1.0 - prior))

    def excess(u: FloatArray) -> FloatArray:
        t = pair.place(u)
        with np.errstate(invalid="ignore"):
            return pair.client._upper(t)[1] - pair.impostor._upper(t)[1] - level

    mesh = np.union1d(pair.mesh, turns)
    values = excess(mesh)
    roots = sign_changes(excess, mesh[np.isfinite(values)], "threshold of a precision")
    return pair.place(np.concatenate([turns, roots]))


# --------------------------------------------------------------------- single points
def _eer(pair: Pair, _: float, alpha: FloatArray) -> Thresholds:
    return Thresholds.concatenate([decisions.equal_error(pair)] * alpha.size)


def _break_even(pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
    return Thresholds.concatenate([decisions.break_even(pair, prior)] * alpha.size)


#: Every criterion by the name used everywhere.
CRITERIA: dict[str, Criterion] = {
    "weighted-error": Criterion(_weighted_error, "alpha: weight of FAR against FRR"),
    "far": Criterion(_target("far"), "expected FAR"),
    "frr": Criterion(_target("frr"), "expected FRR"),
    "precision": Criterion(_target("precision"), "expected precision"),
    "recall": Criterion(_target("recall"), "expected recall"),
    "sensitivity": Criterion(_target("sensitivity"), "expected sensitivity"),
    "specificity": Criterion(_target("specificity"), "expected specificity"),
    "weighted-precision-recall": Criterion(
        _weighted_precision_recall, "alpha: weight of precision against recall"
    ),
    "f-measure": Criterion(_f_measure, "alpha: weight of precision in F"),
    "eer": Criterion(_eer, "equal error rate", single=True),
    "break-even": Criterion(_break_even, "break-even point", single=True),
}
