"""Intervals of any number of a fitted model, from the errors of its parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from betaroc import _checks
from betaroc._thresholds import FloatArray
from betaroc.bands import Band
from betaroc.delta_bands import free_coordinates, sup_t_reach
from betaroc.distributions.base import Distribution
from betaroc.distributions.inflated import Inflated
from betaroc.errors import InputError, InputTypeError
from betaroc.intervals import Interval
from betaroc.model import ScoreModel
from betaroc.resampling import streams

__all__ = ["STATISTICS", "interval", "roc_band"]

_METHODS = ("delta", "bootstrap")
_POSITIVE = frozenset({"a", "b", "sigma"})
#: Step of the differences, in standard errors.
_STEP = 0.01
#: Fractions nearer than this to 0 or 1 have no logit to speak of.
_LOST = 1e-12
#: FARs of a band.
_GRID = 201


class Statistic(NamedTuple):
    """A number of a model, and the scale on which its error is nearly normal."""

    value: Callable[[ScoreModel, Any], float]
    scale: str = "logit"
    #: What `at` is, or None where there is none.
    at: str | None = None


def _least(model: ScoreModel, alpha: float) -> float:
    point = model.min_weighted_error(alpha)
    return float(alpha * point.far + (1.0 - alpha) * point.frr)


#: Every statistic by name.
STATISTICS: dict[str, Statistic] = {
    "auc": Statistic(lambda m, _: m.auc()),
    "partial-auc": Statistic(
        lambda m, at: m.partial_auc(at[0], at[1], standardized=True), at="(low, high)"
    ),
    "tpr": Statistic(lambda m, at: float(m.roc().tpr(at)), at="a FAR"),
    "far": Statistic(lambda m, at: float(m.far(at)), at="a threshold"),
    "frr": Statistic(lambda m, at: float(m.frr(at)), at="a threshold"),
    "eer": Statistic(lambda m, _: m.eer().hter),
    "eer-threshold": Statistic(lambda m, _: m.eer().threshold, "threshold"),
    "hter": Statistic(lambda m, _: m.min_weighted_error(0.5).hter),
    "weighted-error": Statistic(_least, at="an alpha"),
    "optimal-threshold": Statistic(
        lambda m, at: m.min_weighted_error(at).threshold, "threshold", at="an alpha"
    ),
    "threshold-at-far": Statistic(
        lambda m, at: float(m.threshold_at_far(at)), "threshold", "a FAR"
    ),
    "threshold-at-frr": Statistic(
        lambda m, at: float(m.threshold_at_frr(at)), "threshold", "an FRR"
    ),
    "ks": Statistic(lambda m, _: m.ks()),
    "h-measure": Statistic(lambda m, _: m.h_measure()),
    "average-precision": Statistic(lambda m, _: m.average_precision()),
    "exponent-at-zero": Statistic(lambda m, _: m.ends().at_zero.exponent, "log"),
    "exponent-at-one": Statistic(lambda m, _: m.ends().at_one.exponent, "log"),
    "coefficient-at-zero": Statistic(lambda m, _: m.ends().at_zero.coefficient, "log"),
    "coefficient-at-one": Statistic(lambda m, _: m.ends().at_one.coefficient, "log"),
}


def interval(
    f: Any,
    stat: Any,
    at: Any,
    level: float,
    method: str,
    replicates: int,
    rng: Any,
    *,
    groups: bool,
) -> Interval:
    """The interval of a statistic; `Fit.interval` documents it."""
    level = _checks.level(level)
    _checks.choice(method, _METHODS, "method")
    replicates, groups = _checks.count(replicates, "replicates"), _checks.flag(groups, "groups")
    statistic = _statistic(stat, at)
    _, place, roots = free_coordinates(f, groups=groups)

    def value(away: FloatArray) -> float:
        return _number(statistic.value(_model(f, place + away), at))

    estimate = _number(statistic.value(f.model, at))
    if not math.isfinite(estimate):
        raise InputError(
            "the statistic must be a finite number for the fitted model; "
            f"{_checks.shown(stat)} is {estimate!r}."
        )
    to, back = _scale(statistic.scale, f.model)
    if method == "delta":
        slopes = [(to(value(_STEP * r)) - to(value(-_STEP * r))) / (2.0 * _STEP) for r in roots]
        reach = _normal_reach(level) * math.sqrt(math.fsum(s * s for s in slopes))
        # A double next to 1 has lost the digits of its distance from 1.
        lost = statistic.scale == "logit" and not _LOST < estimate < 1.0 - _LOST
        if lost or not 0.0 < reach < math.inf:
            raise InputError(
                f"{_checks.shown(stat)} must lie inside its range to have a derivative; it is"
                f" {estimate!r}, as of classes that do not overlap, or are one."
            )
        return Interval(
            estimate, back(to(estimate) - reach), back(to(estimate) + reach), level, method
        )
    values = np.empty(replicates)
    for rows, stream in streams(replicates, rng):
        z = stream.standard_normal((rows.stop - rows.start, roots.shape[0]))
        values[rows] = [value(one) for one in z @ roots]
    tail = 0.5 * (1.0 - level)
    gone = int(np.sum(~np.isfinite(values)))
    if gone:
        raise InputError(
            f"the statistic must be a number at all drawn parameters; {_checks.shown(stat)} is not"
            f" at {gone} of {replicates}. Take another statistic."
        )
    low, high = np.quantile(values, [tail, 1.0 - tail])
    return Interval(estimate, float(low), float(high), level, method)


def _statistic(stat: Any, at: Any) -> Statistic:
    if callable(stat):
        if at is not None:
            raise InputError("at belongs to a statistic by name; a function takes the model alone.")
        return Statistic(lambda m, _: stat(m), "plain")
    if not isinstance(stat, str):
        raise InputTypeError(
            f"stat must be a name or a function of a ScoreModel; got {type(stat).__name__}."
        )
    found = STATISTICS[_checks.choice(stat, tuple(STATISTICS), "stat")]
    if (found.at is None) != (at is None):
        wanted = f"needs at, {found.at}" if found.at else "has no at"
        raise InputError(f"{stat!r} {wanted}; got at={at!r}.")
    if found.at == "(low, high)":
        if not isinstance(at, tuple) or len(at) != 2:
            raise InputTypeError(f"at must be a tuple (low, high) for {stat!r}; got {at!r}.")
    elif found.at is not None:
        _checks.finite(at, "at")
    return found


def _number(value: Any) -> float:
    """One number, which functions of our caller's may fail to give."""
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise InputTypeError(
            f"stat must return one number; got {_checks.shown(value)} of type"
            f" {type(value).__name__}."
        ) from error


def _scale(
    name: str, model: ScoreModel
) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """Where the error is nearly normal: there and back."""
    unit = model._pair.unit
    if name == "logit" or (name == "threshold" and unit):
        return _logit, lambda y: 1.0 / (1.0 + math.exp(-y)) if y > -700.0 else 0.0
    if name == "log":
        return lambda x: math.log(x) if x > 0.0 else -math.inf, math.exp
    return lambda x: x, lambda y: y


def _logit(x: float) -> float:
    if 0.0 < x < 1.0:
        return math.log(x) - math.log1p(-x)
    return math.inf if x >= 1.0 else -math.inf


def _model(f: Any, place: FloatArray) -> ScoreModel:
    """The model whose parameters have these free coordinates."""
    laws, start = [], 0
    for result in (f.client, f.impostor):
        varying = [n for n, v in result.params.items() if n not in _MASSES or v > 0.0]
        stop = start + len(varying)
        laws.append(_law(result.distribution, varying, place[start:stop].tolist()))
        start = stop
    return ScoreModel(laws[0], laws[1], prior=f.model.prior)


_MASSES = ("at_zero", "at_one")


def _law(law: Distribution, names: list[str], coordinates: list[float]) -> Distribution:
    given = dict(zip(names, coordinates, strict=True))
    shares = {n: math.exp(given.pop(n)) for n in _MASSES if n in given}
    values = {n: math.exp(v) if n in _POSITIVE else v for n, v in given.items()}
    if not isinstance(law, Inflated):
        return replace(law, **values)  # type: ignore[type-var]
    total = 1.0 + math.fsum(shares.values())
    masses = {n: share / total for n, share in shares.items()}
    return replace(law, base=replace(law.base, **values), **masses)  # type: ignore[type-var]


# ------------------------------------------------------------------------------ the curve
def roc_band(
    f: Any, level: float, method: str, far: Any, *,
    simultaneous: bool, replicates: int, groups: bool, rng: Any,
) -> Band:  # fmt: skip
    """The band of the fitted ROC; `Fit.roc_band` documents it."""
    level = _checks.level(level)
    _checks.choice(method, _METHODS, "method")
    replicates = _checks.count(replicates, "replicates")
    simultaneous = _checks.flag(simultaneous, "simultaneous")
    groups = _checks.flag(groups, "groups")
    grid = np.linspace(0.0, 1.0, _GRID) if far is None else far
    x = np.atleast_1d(_checks.probability_array(grid, "far"))
    _, place, roots = free_coordinates(f, groups=groups)

    def tpr(away: FloatArray) -> FloatArray:
        return np.asarray(_model(f, place + away).roc().tpr(x), dtype=np.float64)

    estimate = np.asarray(f.model.roc().tpr(x), dtype=np.float64)
    inside = (estimate > 0.0) & (estimate < 1.0)
    if method == "delta":
        changes = [(tpr(_STEP * r) - tpr(-_STEP * r)) / (2.0 * _STEP) for r in roots]
        slopes = np.where(inside[:, None], np.stack(changes, axis=1), 0.0)
        slopes = slopes / np.where(inside, estimate * (1.0 - estimate), 1.0)[:, None]
        error = np.sqrt(np.sum(slopes**2, axis=1))
        reach = _normal_reach(level)
        if simultaneous:
            reach = sup_t_reach(slopes, error, level, replicates, rng)
        odds = np.where(inside, estimate / np.where(inside, 1.0 - estimate, 1.0), 0.0)
        with np.errstate(over="ignore"):
            ends = [odds * np.exp(side * reach * error) for side in (-1.0, 1.0)]
        low, high = (np.where(inside, o / (1.0 + o), estimate) for o in ends)
    else:
        drawn = np.empty((replicates, x.size))
        for rows, stream in streams(replicates, rng):
            z = stream.standard_normal((rows.stop - rows.start, roots.shape[0]))
            drawn[rows] = [tpr(one) for one in z @ roots]
        low, high = _drawn_ends(drawn, estimate, level, simultaneous=simultaneous)
    nowhere = np.zeros(x.size, dtype=np.int64)
    count = replicates if method == "bootstrap" or simultaneous else 0
    return Band(x, estimate, low, high, level, simultaneous, "fit", count, nowhere)


def _drawn_ends(
    drawn: FloatArray, estimate: FloatArray, level: float, *, simultaneous: bool
) -> tuple[FloatArray, FloatArray]:
    """Quantiles at each FAR, or estimate -+ c sd with c the quantile of the largest departure."""
    if not simultaneous:
        low, high = np.quantile(drawn, [0.5 * (1.0 - level), 0.5 * (1.0 + level)], axis=0)
        return low, high
    sd = np.sqrt(np.mean((drawn - estimate) ** 2, axis=0))
    moving = sd > 0.0
    if not np.any(moving):
        return estimate, estimate
    largest = np.max(np.abs(drawn - estimate)[:, moving] / sd[moving], axis=1)
    reach = float(np.quantile(largest, level)) * sd
    return np.maximum(estimate - reach, 0.0), np.minimum(estimate + reach, 1.0)


def _normal_reach(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(0.5 + 0.5 * level))
