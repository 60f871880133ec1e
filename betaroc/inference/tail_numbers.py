"""Intervals of rates and thresholds of a pair that has tails."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from betaroc.core.thresholds import Thresholds
from betaroc.distributions.spliced import Spliced
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.estimation.tails import Tails
from betaroc.inference.delta import delta_intervals
from betaroc.inference.interval import Interval, Limits
from betaroc.inference.tail_intervals import surely_beyond, tail_rate_ends, tail_threshold_ends
from betaroc.model.asking import Asking, asking

__all__ = ["tail_interval"]

#: Of each rate the class, the end that it is a tail of, and whether it is what that leaves.
_RATES = {
    "far": ("impostor", "upper", False), "tnr": ("impostor", "upper", True),
    "frr": ("client", "lower", False), "tpr": ("client", "lower", True),
}  # fmt: skip


class _End(NamedTuple):
    """One tail of a pair, and where its thresholds are."""

    tails: Tails
    law: Spliced

    def ends(self, rate: float, level: float, method: str | None) -> Limits:
        """Scores between which the threshold of a rate lies."""
        places = tail_threshold_ends(self.tails, rate, level, method)
        low, high = self.law.coordinate.place(np.array(places)).theta.tolist()
        return low, high


def tail_interval(
    f: PairEstimate,
    asked: Asking,
    level: float = 0.95,
    method: str | None = None,
    *,
    groups: bool = True,
) -> Interval | None:
    """The interval of a number that rests on a tail; None of any other.

        a rate at a threshold, the threshold of a rate: as in `tail_rate_ends`
        a rate of one class at a rate of the other: the square root of the sum of squares of what
        the threshold's interval moves it, and of its own interval at the estimated threshold

    Parameters
    ----------
    f : PairEstimate
        With tails.
    asked : Asking
        "far", "tnr", "frr" or "tpr" at a threshold or at a rate of the other class; or "threshold"
        at a rate.
    level : float
        Confidence level.
    method : str, optional
        "integrated" (if left out) or "profile".
    groups : bool
        For the other class, as in `Fit.interval`.

    Notes
    -----
    Nearer to the body than half a tail's mass counts answer, and this None.
    """
    name, (point, value) = asked.name, asked.where
    if name == "threshold" and point in _RATES:
        end, rate = _end_of(f, point, float(value))
        if end is None or not surely_beyond(end.tails, rate, level):
            return None
        return _interval(asked.number(f.model), end.ends(rate, level, method), level, method)
    if name not in _RATES:
        return None
    if point == "threshold":
        return _rate(f, asked, level, method)
    if point in _RATES and _RATES[point][0] != _RATES[name][0]:
        return _across(f, asked, level, method, groups=groups)
    return None


def _end_of(f: PairEstimate, name: str, value: float) -> tuple[_End | None, float]:
    """The tail that a rate speaks of, and the rate beyond."""
    who, side, rest = _RATES[name]
    estimate: Estimate = getattr(f, who)
    law = estimate.distribution
    found = [one for one in estimate.tails if one.side == side]
    rate = 1.0 - value if rest else value
    return (_End(found[0], law) if found and isinstance(law, Spliced) else None), rate


def _rate(f: PairEstimate, asked: Asking, level: float, method: str | None) -> Interval | None:
    estimate = asked.number(f.model)
    end, _ = _end_of(f, asked.name, estimate)
    if end is None:
        return None
    place = float(end.law.coordinate.of(Thresholds.from_theta(np.array(asked.where.value))))
    if end.tails.sign * place <= max(fit.joint for fit in end.tails.fits):
        return None
    low, high = tail_rate_ends(end.tails, place, level, method)
    if high > 0.5 * end.tails.mass and not surely_beyond(
        end.tails, 1.0 - estimate if _RATES[asked.name][2] else estimate, level
    ):
        return None
    ends = (1.0 - high, 1.0 - low) if _RATES[asked.name][2] else (low, high)
    return _interval(estimate, ends, level, method)


def _across(
    f: PairEstimate, asked: Asking, level: float, method: str | None, *, groups: bool
) -> Interval | None:
    end, rate = _end_of(f, asked.where.point, float(asked.where.value))
    if end is None or not surely_beyond(end.tails, rate, level):
        return None
    estimate = asked.number(f.model)
    threshold = asking("threshold", (), **asked.where.keywords).number(f.model)
    fixed = asking(asked.name, (), threshold=threshold)
    own = tail_interval(f, fixed, level, method, groups=groups)
    own = own or delta_intervals(f, fixed, groups=groups)(level)
    moved = sorted(
        asking(asked.name, (), threshold=t).number(f.model) for t in end.ends(rate, level, method)
    )
    low = estimate - math.hypot(estimate - moved[0], estimate - own.low)
    high = estimate + math.hypot(moved[1] - estimate, own.high - estimate)
    return _interval(estimate, (max(low, 0.0), min(high, 1.0)), level, method)


def _interval(estimate: float, ends: Limits, level: float, method: str | None) -> Interval:
    return Interval(estimate, ends[0], ends[1], level, f"tail, {method or 'integrated'}")
