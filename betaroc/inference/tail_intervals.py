"""Intervals of rates and thresholds in a tail, from the likelihood of few scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import InputError
from betaroc.core.options import IntervalOptions
from betaroc.core.special import interval_end
from betaroc.core.thresholds import Thresholds
from betaroc.core.vocabulary import worded
from betaroc.distributions.base import Distribution
from betaroc.distributions.inflated import REJECTED, base_of
from betaroc.distributions.spliced import Spliced
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.estimation.tails import TailFit, Tails, grid_of
from betaroc.inference.delta import METHODS, bare_interval, delta_intervals
from betaroc.inference.interval import Interval, Limits
from betaroc.inference.of_scores import interval_of_scores
from betaroc.inference.scores_beyond import SupportedPair, about
from betaroc.model.asking import Asking, asking

TAIL_METHOD = "integrated"
#: The default of the family alone: of a tail where a number rests on one, else of parameters.
FAMILY = "family"
#: Points of the grid with less than this share of the heaviest's weight are left out.
_LIGHT = 1e-8
#: Deviates between which the share beyond the joint is tabulated.
_DEVIATES = np.linspace(-8.0, 8.0, 257)
#: Nearer to 0 a shape is one of an exponential tail to twice the digits of a probability.
_STRAIGHT = 1e-8


class _UncertainTail:
    """One tail whose shape and scale are those of a grid, each with its weight.

    Quantiles are those of the mixture; the share beyond the joint is a beta variable.
    """

    def __init__(self, fit: TailFit) -> None:
        from scipy.special import betaincinv, ndtr

        grid = grid_of(fit)
        kept = grid.weight > _LIGHT * np.max(grid.weight)
        self.shape, self.scale = grid.shape[kept], grid.scale[kept]
        self.weight = grid.weight[kept] / np.sum(grid.weight[kept])
        shares = betaincinv(fit.k + 0.5, fit.n - fit.k + 0.5, ndtr(_DEVIATES))
        self.log_masses = np.log(shares)

    def log_thinned(self, distance: float) -> FloatArray:
        """Log of the share of what is beyond the joint that is beyond a distance, by the grid."""
        u = max(distance, 0.0) / self.scale
        z = self.shape * u
        with np.errstate(divide="ignore", invalid="ignore"):
            bent = -np.log1p(np.maximum(z, -1.0)) / self.shape
        return np.where(np.abs(z) < _STRAIGHT, -u, np.where(z <= -1.0, -np.inf, bent))

    def at_most(self, log_rate: float, thinned: FloatArray) -> float:
        """Probability that the rate at a distance is at most so much."""
        from scipy.special import ndtr

        deviates = np.interp(log_rate - thinned, self.log_masses, _DEVIATES)
        return float(self.weight @ ndtr(deviates))

    def rate(self, distance: float, probability: float) -> float:
        """Quantile of the rate; 0 where tails that have ended weigh as much."""
        thinned = self.log_thinned(distance)
        if float(self.weight @ np.isneginf(thinned)) >= probability:
            return 0.0
        low = float(np.min(thinned[thinned > -np.inf])) + self.log_masses[0]
        return math.exp(_root(lambda x: self.at_most(x, thinned) - probability, low, 0.0))

    def distance(self, log_rate: float, probability: float) -> float:
        """Quantile of the distance that has a rate beyond; 0 where that lies before the joint."""

        def off(distance: float) -> float:
            return self.at_most(log_rate, self.log_thinned(distance)) - probability

        if off(0.0) >= 0.0:
            return 0.0
        reach = float(self.weight @ self.scale)
        while off(reach) < 0.0:
            reach *= 2.0
        return _root(off, 0.0, reach)


_root = partial(interval_end, what="end of an interval of a tail")


def _of(fit: TailFit) -> _UncertainTail:
    """The uncertain tail, kept with its fit."""
    if TAIL_METHOD not in fit.kept:
        fit.kept[TAIL_METHOD] = _UncertainTail(fit)
    found: _UncertainTail = fit.kept[TAIL_METHOD]
    return found


def surely_beyond(tails: Tails, rate: float, level: float) -> bool:
    """Whether the place of a rate lies beyond the joint of every size, at a level.

    Nearer to the body rates are those of counts, which have exact intervals.
    """
    if rate <= 0.0 or rate > 0.5 * tails.mass:
        return False
    tail, log_rate = 0.5 - 0.5 * level, math.log(rate)
    return all(u.at_most(log_rate, u.log_thinned(0.0)) < tail for u in map(_of, tails.fits))


def tail_rate_ends(tails: Tails, place: float, level: float = 0.95) -> Limits:
    """Ends of the interval of the rate beyond a place: the hull over the sizes of the tail.

        quantiles of zeta G(x; shape, scale), zeta ~ Beta(k + 1/2, n - k + 1/2), shape and scale
        weighted by their penalised likelihood

    The place is one of the coordinate, beyond all joints. An end is 0 where so many of the tails
    have ended before. The two sizes disagree where the tail bends; the hull pays for that.
    """
    turned, tail = tails.sign * place, 0.5 - 0.5 * level
    low, high = (
        [_of(fit).rate(turned - fit.joint, p) for fit in tails.fits] for p in (tail, 1.0 - tail)
    )
    return min(low), max(high)


def tail_threshold_ends(tails: Tails, rate: float, level: float = 0.95) -> Limits:
    """Ends of the interval of the place that has a rate beyond, on the coordinate.

    The same statement as that of :func:`tail_rate_ends`, turned round: a place lies in this
    interval where its rate may be the one asked for.
    """
    log_rate, tail = math.log(rate), 0.5 - 0.5 * level
    lows, highs = (
        [fit.joint + _of(fit).distance(log_rate, p) for fit in tails.fits] for p in (tail, 1 - tail)
    )
    low, high = min(lows), max(highs)
    return (low, high) if tails.sign > 0.0 else (-high, -low)


# ----------------------------------------------------------------------- of pairs with tails
#: Of each rate the class, the end that it is a tail of, and whether it is what that leaves.
_RATES = {
    "far": ("impostor", "upper", False), "tnr": ("impostor", "upper", True),
    "frr": ("client", "lower", False), "tpr": ("client", "lower", True),
}  # fmt: skip


class _End(NamedTuple):
    """One tail of a pair, where its thresholds are, and the share of trials that have a score."""

    tails: Tails
    law: Spliced
    made: float

    def ends(self, rate: float, level: float) -> Limits:
        """Scores between which the threshold of a rate lies."""
        places = tail_threshold_ends(self.tails, rate, level)
        low, high = self.law.coordinate.place(np.array(places)).theta.tolist()
        return low, high


def tail_interval(
    f: PairEstimate,
    asked: Asking,
    level: float = 0.95,
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
    groups : bool
        For the other class, as in `Fit.interval`.

    Notes
    -----
    Nearer to the body than half a tail's mass counts answer, and this None. So it does of FRR where
    some clients have no score: their share, not the tail, is what varies most.
    """
    name, (point, value) = asked.name, asked.where
    if name == "threshold" and point in _RATES:
        end, rate = _end_of(f, point, float(value))
        if end is None or not surely_beyond(end.tails, rate, level):
            return None
        return _interval(asked.number(f.model), end.ends(rate, level), level)
    if name not in _RATES:
        return None
    if point == "threshold":
        return _rate(f, asked, level)
    if point in _RATES and _RATES[point][0] != _RATES[name][0]:
        return _across(f, asked, level, groups=groups)
    return None


def _end_of(f: PairEstimate, name: str, value: float) -> tuple[_End | None, float]:
    """The tail that a rate speaks of, and the rate beyond."""
    who, side, rest = _RATES[name]
    estimate: Estimate = getattr(f, who)
    law: Distribution = estimate.distribution
    found = [one for one in estimate.tails if one.side == side]
    rate, made = 1.0 - value if rest else value, 1.0
    absent = estimate.params.get(REJECTED, 0.0)
    if absent and side == "upper":  # the share hardly varies beside a tail
        law, made = base_of(law), 1.0 - absent
    end = _End(found[0], law, made) if found and isinstance(law, Spliced) else None
    return end, rate / made


def _rate(f: PairEstimate, asked: Asking, level: float) -> Interval | None:
    estimate = asked.number(f.model)
    end, beyond = _end_of(f, asked.name, estimate)
    if end is None:
        return None
    place = float(end.law.coordinate.of(Thresholds.from_theta(np.array(asked.where.value))))
    if end.tails.sign * place <= max(fit.joint for fit in end.tails.fits):
        return None
    low, high = tail_rate_ends(end.tails, place, level)
    if high > 0.5 * end.tails.mass and not surely_beyond(end.tails, beyond, level):
        return None
    low, high = end.made * low, end.made * high
    ends = (1.0 - high, 1.0 - low) if _RATES[asked.name][2] else (low, high)
    return _interval(estimate, ends, level)


def _across(f: PairEstimate, asked: Asking, level: float, *, groups: bool) -> Interval | None:
    end, rate = _end_of(f, asked.where.point, float(asked.where.value))
    if end is None or not surely_beyond(end.tails, rate, level):
        return None
    estimate = asked.number(f.model)
    threshold = asking("threshold", (), **asked.where.keywords).number(f.model)
    fixed = asking(asked.name, (), threshold=threshold)
    own = tail_interval(f, fixed, level, groups=groups)
    if own is None:  # of the parameters, of a body of counts, which has none, by the counts
        estimated: Estimate = getattr(f, _RATES[fixed.name][0])
        if set(estimated.names) - {REJECTED}:
            own = delta_intervals(f, fixed, groups=groups)(level)
        else:
            own = interval_of_scores(f.scores, fixed, IntervalOptions(level, groups=groups))
    moved = sorted(
        asking(asked.name, (), threshold=t).number(f.model) for t in end.ends(rate, level)
    )
    low = estimate - math.hypot(estimate - moved[0], estimate - own.low)
    high = estimate + math.hypot(moved[1] - estimate, own.high - estimate)
    return _interval(estimate, (max(low, 0.0), min(high, 1.0)), level)


def _interval(estimate: float, ends: Limits, level: float) -> Interval:
    return Interval(estimate, ends[0], ends[1], level, f"tail, {TAIL_METHOD}")


# ----------------------------------------------------------------------------- of any fit
#: Scores that a number must expect beyond it, unless extrapolation is asked for.
_TENTH = 0.1


def intervals_of_fit(
    f: PairEstimate, asked: Asking, options: IntervalOptions
) -> Callable[[float], Interval]:
    """The interval at any level: of a tail where the number rests on one, else of parameters.

    Raises
    ------
    InputError
        If a method of tails is asked for where no tail answers, or as in `bare_interval`.
    """
    options = options if options.method is None else options.by((*METHODS, TAIL_METHOD, FAMILY))
    if options.method == FAMILY:
        alone = intervals_of_fit(f, asked, replace(options, method=None))

        def if_right(level: float) -> Interval:
            found = alone(level)
            return replace(found, method=f"{found.method}, if the family is right")

        return if_right
    if options.method in (None, TAIL_METHOD):
        own = tail_interval(f, asked, options.level, groups=options.groups)
        if own is not None:
            return lambda level: _of_tail(f, asked, replace(options, level=level), own)
        if options.method is not None:
            raise InputError.about("method")(
                worded("`method=`")
                + f'"{options.method}" must be for a rate or a threshold beyond the joint of a tail'
                f" of the fit; {str(asked)!r} rests on none. Leave the method out, or fit with"
                + worded(' `tails="both"`.')
            )
    if options.method == METHODS[1]:
        return lambda level: bare_interval(f, asked, replace(options, level=level))
    return delta_intervals(f, asked, groups=options.groups)


def _of_tail(f: PairEstimate, asked: Asking, options: IntervalOptions, own: Interval) -> Interval:
    """Of a tail; where a higher level reaches into the body, at least that of the parameters."""
    found = tail_interval(f, asked, options.level, groups=options.groups)
    if options.level <= own.level:
        return found or own
    if found is None:
        found = delta_intervals(f, asked, groups=options.groups)(options.level)
    ends = min(own.low, found.low), max(own.high, found.high)
    return replace(own, low=ends[0], high=ends[1], level=options.level)


def refuse_far_out(f: SupportedPair, asked: Asking, *, extrapolate: bool) -> None:
    """An error where a rate that was asked for expects less than a tenth of a score of a tail.

    A rate at a threshold was not asked for: its interval says how far out it may be.
    """
    for one in asked.rates(f.model):
        tails = (f.client, f.impostor)[one.who].tails
        rate = float(f._evidence.scored(one).tail)
        if extrapolate or not tails or not one.solved or not 0.0 < rate < 1.0:
            continue
        size = f._evidence.sizes[one.who]
        if size * rate < _TENTH * (1.0 - 1e-12):
            raise InputError.about("extrapolate")(
                f"{one.name} must expect at least {_TENTH:g} of {size:.6g} {CLASSES[one.who]}"
                f" scores to be read off a tail; {str(asked)!r} expects {size * rate:.2g}. Ask for"
                f" a rate of at least {_TENTH / size:.2g}, give about {about(_TENTH / rate)}"
                + worded(" scores, or say `extrapolate=True`:")
                + " the interval then rests on the tail going on as it does."
            )
