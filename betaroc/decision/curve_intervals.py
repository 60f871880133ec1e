"""Intervals and differences of single numbers of a curve: its area, its value at an alpha."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError
from betaroc.core.options import IntervalOptions
from betaroc.decision.bands import RESAMPLE, BandOptions, curve_replicates
from betaroc.decision.comparison_draws import plan_of
from betaroc.decision.curve import Curve, area_weights, index_of_alpha
from betaroc.inference.differences import Difference, of_replicates
from betaroc.inference.drawn_scores import interval_of_replicates
from betaroc.inference.interval import Interval
from betaroc.model.asking import PointArguments, ascending_pair
from betaroc.model.criteria import CRITERIA

_STATISTICS = ("area", "value")


def curve_interval(
    e: Curve, stat: Any, given: tuple[Any, ...], point: PointArguments, options: IntervalOptions
) -> Interval:
    """The interval of a number of a curve; `Epc.interval` documents it."""
    weights, name = _weights(e, stat, given, point)
    o = options = options.by(_of_dev(e))
    band = BandOptions(o.level, "bootstrap", o.replicates, o.groups, o.rng, str(o.method),
                       resample_argument="method")  # fmt: skip
    drawn = _weighed(curve_replicates(e, band), weights)
    estimate = float(_weighed(e.value[None, :], weights)[0])
    return interval_of_replicates(estimate, drawn, options, name, _beyond(e, weights))


def curve_difference(
    a: Curve, b: Curve, stat: Any, given: tuple[Any, ...], point: PointArguments,
    options: IntervalOptions, *, paired: bool,
) -> Difference:  # fmt: skip
    """The difference of two curves in a number, dev and test drawn again for both."""
    refuse_different(a, b, ("a", "b"))
    weights, name = _weights(a, stat, given, point)
    options = options.by(_of_dev(a))
    plan = plan_of((a, b), options, paired=paired)
    apart = options.replicated(lambda rng, size: _weighed(plan.differences(rng, size), weights))
    gap = float(_weighed((a.value - b.value)[None, :], weights)[0])
    return of_replicates(gap, apart, options, name, paired=paired)


def _weighed(values: FloatArray, weights: FloatArray) -> FloatArray:
    """What has no weight may have no value."""
    counts = weights > 0.0
    return np.asarray(values[:, counts] @ weights[counts])


def _weights(
    e: Curve, stat: Any, given: tuple[Any, ...], point: PointArguments
) -> tuple[FloatArray, str]:
    """What each alpha weighs in the number, and its name."""
    name = checks.choice(stat, _STATISTICS, "stat")
    legal = "alpha" if name == "value" else "between"
    if given or point.keys() - {legal}:
        named = [f"{key}={checks.shown(value)}" for key, value in point.items() if key != legal]
        got = ", ".join([*map(checks.shown, given), *named])
        raise InputError(
            f"{name!r} of a curve takes {legal}= and nothing else; got {got}. Write it with its"
            " keyword."
        )
    if name == "value":
        return _one(e, point.get("alpha")), f"value@alpha={point.get('alpha')}"
    between = point.get("between")
    ends = (None, None) if between is None else ascending_pair(between, "alphas")
    start, stop = area_range(e, *ends)
    return area_weights(e.alpha, start, stop) / (stop - start), "area"


def _one(e: Curve, alpha: float | None) -> FloatArray:
    """All weight on one alpha of the curve."""
    found = np.zeros(e.alpha.size)
    found[index_of_alpha(e, alpha)] = 1.0
    return found


def area_range(e: Curve, low: float | None, high: float | None) -> tuple[float, float]:
    """The range of an area, inside that of the curve."""
    if CRITERIA[e.criterion].single:
        raise InputError(f"criterion {e.criterion!r} has no alpha, so its curve has no area.")
    first, last = float(e.alpha.min()), float(e.alpha.max())
    start = first if low is None else checks.fraction(low, "low")
    stop = last if high is None else checks.fraction(high, "high")
    if not first <= start < stop <= last:
        raise InputError(
            f"low and high must satisfy {first!r} <= low < high <= {last!r}, the"
            f" curve's own range of alpha; got low={start!r}, high={stop!r}."
        )
    return start, stop


def _of_dev(e: Curve) -> tuple[str, ...]:
    """Dev is drawn again unless it was typed and has no error."""
    return RESAMPLE if e.dev_evidence is not None else RESAMPLE[::-1]


def _beyond(e: Curve, weights: FloatArray) -> float | None:
    """Of one alpha the scores that speak for it; of a mean over many none in particular."""
    found = e.n_beyond
    if found is None or np.count_nonzero(weights) != 1:
        return None
    value = float(found[weights > 0.0][0])
    return None if math.isnan(value) else value


def refuse_different(a: Curve, b: Curve, names: tuple[str, str]) -> None:
    """Curves that are compared have one criterion, one measure and equal alphas."""
    for name in ("criterion", "measure"):
        one, other = getattr(a, name), getattr(b, name)
        if one != other:
            raise InputError(
                f"the curves must have one {name}; {names[0]} has {one!r}, {names[1]} {other!r}."
                f" Compute both with the same {name}."
            )
    one, other = a.alpha, b.alpha
    if not np.array_equal(one, other):
        raise InputError(
            f"the curves must have equal alphas; {names[0]} has {one.size} from {float(one[0])!r}"
            f" to {float(one[-1])!r}, {names[1]} {other.size} from {float(other[0])!r} to"
            f" {float(other[-1])!r}. Compute both with the same alpha."
        )
