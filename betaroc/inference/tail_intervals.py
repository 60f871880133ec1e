"""Intervals of rates and thresholds in a tail, from the likelihood of few scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.checks import choice
from betaroc.core.errors import InputError
from betaroc.core.options import IntervalOptions
from betaroc.core.sentences import worded
from betaroc.core.special import interval_end
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.base import Distribution
from betaroc.distributions.inflated import REJECTED, base_of
from betaroc.distributions.spliced import ParetoTail, Spliced
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.estimation.tails import TailFit, Tails, grid_of, penalised
from betaroc.inference.delta import METHODS, bare_interval, delta_intervals
from betaroc.inference.interval import Interval, Limits
from betaroc.inference.of_scores import interval_of_scores
from betaroc.inference.scores_beyond import SupportedPair, about
from betaroc.model.asking import Asking, asking

TAIL_METHODS = ("integrated", "profile")
#: The default of the family alone: of a tail where a number rests on one, else of parameters.
FAMILY = "family"
#: Points of the grid with less than this share of the heaviest's weight are left out.
_LIGHT = 1e-8
#: Deviates between which the share beyond the joint is tabulated.
_DEVIATES = np.linspace(-8.0, 8.0, 257)
#: Nearer to 0 a shape is one of an exponential tail to twice the digits of a probability.
_STRAIGHT = 1e-8


class _Uncertain:
    """One tail whose shape and scale are those of a grid: what both methods share."""

    def __init__(self, fit: TailFit) -> None:
        grid = grid_of(fit)
        kept = grid.weight > _LIGHT * np.max(grid.weight)
        self.fit = fit
        self.shape, self.scale = grid.shape[kept], grid.scale[kept]
        self.weight = grid.weight[kept] / np.sum(grid.weight[kept])

    def log_thinned(self, distance: float) -> FloatArray:
        """Log of the share of what is beyond the joint that is beyond a distance, by the grid."""
        u = max(distance, 0.0) / self.scale
        z = self.shape * u
        with np.errstate(divide="ignore", invalid="ignore"):
            bent = -np.log1p(np.maximum(z, -1.0)) / self.shape
        return np.where(np.abs(z) < _STRAIGHT, -u, np.where(z <= -1.0, -np.inf, bent))


class _Integrated(_Uncertain):
    """Quantiles of the mixture of tails, the share beyond the joint a beta variable."""

    def __init__(self, fit: TailFit) -> None:
        from scipy.special import betaincinv, ndtr

        super().__init__(fit)
        k, n = fit.k, fit.n
        self.log_masses = np.log(betaincinv(k + 0.5, n - k + 0.5, ndtr(_DEVIATES)))

    def at_most(self, log_rate: float, distance: float) -> float:
        """Probability that the rate at a distance is at most so much."""
        return self._at_most(log_rate, self.log_thinned(distance))

    def _at_most(self, log_rate: float, thinned: FloatArray) -> float:
        from scipy.special import ndtr

        deviates = np.interp(log_rate - thinned, self.log_masses, _DEVIATES)
        return float(self.weight @ ndtr(deviates))

    def rate_ends(self, distance: float, level: float) -> Limits:
        thinned, tail = self.log_thinned(distance), 0.5 - 0.5 * level
        return self._rate(thinned, tail), self._rate(thinned, 1.0 - tail)

    def _rate(self, thinned: FloatArray, probability: float) -> float:
        """Quantile of the rate; 0 where tails that have ended weigh as much."""
        if float(self.weight @ np.isneginf(thinned)) >= probability:
            return 0.0
        low = float(np.min(thinned[thinned > -np.inf])) + self.log_masses[0]
        return math.exp(_root(lambda x: self._at_most(x, thinned) - probability, low, 0.0))

    def distance_ends(self, log_rate: float, level: float) -> Limits:
        tail = 0.5 - 0.5 * level
        return self._distance(log_rate, tail), self._distance(log_rate, 1.0 - tail)

    def _distance(self, log_rate: float, probability: float) -> float:
        """Quantile of the distance that has a rate beyond; 0 where that lies before the joint."""

        def off(distance: float) -> float:
            return self.at_most(log_rate, distance) - probability

        return 0.0 if off(0.0) >= 0.0 else _upwards(off, 0.0, float(self.weight @ self.scale))


class _Profile(_Uncertain):
    """Rates whose largest penalised likelihood is near the largest of all."""

    def __init__(self, fit: TailFit) -> None:
        super().__init__(fit)
        weights = fit.weights / fit.design_effect
        found = penalised(fit.excesses, weights, self.shape, np.log(self.scale))
        self.height = found - float(np.max(found))

    def _loss(self, log_rate: float, thinned: FloatArray) -> float:
        """By how much the likelihood of a rate is below that of the likeliest."""
        k, n, mass = self.fit.k, self.fit.n, self.fit.mass
        log_mass = np.where(thinned > -np.inf, log_rate - thinned, np.inf)
        possible = log_mass < 0.0
        inside = np.where(possible, log_mass, -1.0)
        counted = k * (inside - math.log(mass))
        counted = counted + (n - k) * (np.log(-np.expm1(inside)) - math.log1p(-mass))
        return -float(np.max(np.where(possible, self.height + counted, -np.inf)))

    def rate_ends(self, distance: float, level: float) -> Limits:
        cut, thinned = _cut(level), self.log_thinned(distance)
        near = thinned[self.height >= -cut] + math.log(self.fit.mass)

        def off(x: float) -> float:
            return self._loss(x, thinned) - cut

        known = near[near > -np.inf]
        if known.size == 0:
            return 0.0, self._last(off, thinned)
        high = math.exp(_root(off, float(np.max(known)), 0.0))
        if known.size < near.size:
            return 0.0, high
        return math.exp(-_upwards(lambda x: off(-x), -float(np.min(near)), 1.0)), high

    def _last(self, off: Callable[[float], float], thinned: FloatArray) -> float:
        """The largest rate that is near enough where the likeliest tails have ended."""
        known = thinned[thinned > -np.inf] + math.log(self.fit.mass)
        good = [x for x in known.tolist() if off(x) <= 0.0]
        return math.exp(_root(off, max(good), 0.0)) if good else 0.0

    def distance_ends(self, log_rate: float, level: float) -> Limits:
        cut, fit = _cut(level), self.fit
        kept = np.flatnonzero(self.height >= -cut)
        near = [
            float(ParetoTail(fit.mass, self.shape[i], self.scale[i])._distance(log_rate))
            for i in kept
        ]

        def off(distance: float) -> float:
            return self._loss(log_rate, self.log_thinned(distance)) - cut

        return _root(off, min(near), 0.0), _upwards(off, max(near), float(self.weight @ self.scale))


_METHODS: dict[str, type[_Integrated] | type[_Profile]] = {
    "integrated": _Integrated, "profile": _Profile,
}  # fmt: skip


def _cut(level: float) -> float:
    """Half the quantile of chi-squared with one degree of freedom."""
    from scipy.special import chdtri

    return 0.5 * float(chdtri(1.0, 1.0 - level))


def _upwards(f: Callable[[float], float], start: float, step: float) -> float:
    """The root of a function that rises through 0 somewhere beyond `start`."""
    reach = step
    while f(start + reach) < 0.0:
        reach *= 2.0
    return _root(f, start, start + reach)


_root = partial(interval_end, what="end of an interval of a tail")


def _of(fit: TailFit, method: str) -> _Integrated | _Profile:
    """The uncertain tail, kept with its fit."""
    if method not in fit.kept:
        fit.kept[method] = _METHODS[method](fit)
    found: _Integrated | _Profile = fit.kept[method]
    return found


def surely_beyond(tails: Tails, rate: float, level: float) -> bool:
    """Whether the place of a rate lies beyond the joint of every size, at a level.

    Nearer to the body rates are those of counts, which have exact intervals.
    """
    if rate <= 0.0 or rate > 0.5 * tails.mass:
        return False
    tail, log_rate = 0.5 - 0.5 * level, math.log(rate)
    found = [_of(fit, "integrated") for fit in tails.fits]
    return all(isinstance(u, _Integrated) and u.at_most(log_rate, 0.0) < tail for u in found)


def tail_rate_ends(
    tails: Tails, place: float, level: float = 0.95, method: str | None = None
) -> Limits:
    """Ends of the interval of the rate beyond a place: the hull over the sizes of the tail.

        integrated: quantiles of zeta G(x; shape, scale), zeta ~ Beta(k + 1/2, n - k + 1/2), shape
        and scale weighted by their penalised likelihood
        profile: the rates p with 2 (l(likeliest) - max over shape, scale of l(p, .)) <= chi^2_1

    Parameters
    ----------
    tails : Tails
        The fitted tails.
    place : float
        On the coordinate; beyond all joints.
    level : float
        Confidence level.
    method : str, optional
        "integrated" (if left out) or "profile".

    Returns
    -------
    tuple of float
        0 where so many of the tails have ended before.

    Notes
    -----
    The two sizes disagree where the tail bends; the hull pays for that.
    """
    method = choice(method or TAIL_METHODS[0], TAIL_METHODS, "method")
    turned = tails.sign * place
    ends = [_of(fit, method).rate_ends(turned - fit.joint, level) for fit in tails.fits]
    return min(low for low, _ in ends), max(high for _, high in ends)


def tail_threshold_ends(
    tails: Tails, rate: float, level: float = 0.95, method: str | None = None
) -> Limits:
    """Ends of the interval of the place that has a rate beyond, on the coordinate.

    The same statement as that of :func:`tail_rate_ends`, turned round: a place lies in this
    interval where its rate may be the one asked for.
    """
    method = choice(method or TAIL_METHODS[0], TAIL_METHODS, "method")
    ends = [
        [fit.joint + end for end in _of(fit, method).distance_ends(math.log(rate), level)]
        for fit in tails.fits
    ]
    low, high = min(e[0] for e in ends), max(e[1] for e in ends)
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
    Nearer to the body than half a tail's mass counts answer, and this None. So it does of FRR where
    some clients have no score: their share, not the tail, is what varies most.
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
    law: Distribution = estimate.distribution
    found = [one for one in estimate.tails if one.side == side]
    rate, made = 1.0 - value if rest else value, 1.0
    absent = estimate.params.get(REJECTED, 0.0)
    if absent and side == "upper":  # the share hardly varies beside a tail
        law, made = base_of(law), 1.0 - absent
    end = _End(found[0], law, made) if found and isinstance(law, Spliced) else None
    return end, rate / made


def _rate(f: PairEstimate, asked: Asking, level: float, method: str | None) -> Interval | None:
    estimate = asked.number(f.model)
    end, beyond = _end_of(f, asked.name, estimate)
    if end is None:
        return None
    place = float(end.law.coordinate.of(Thresholds.from_theta(np.array(asked.where.value))))
    if end.tails.sign * place <= max(fit.joint for fit in end.tails.fits):
        return None
    low, high = tail_rate_ends(end.tails, place, level, method)
    if high > 0.5 * end.tails.mass and not surely_beyond(end.tails, beyond, level):
        return None
    low, high = end.made * low, end.made * high
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
    own = own or _in_the_body(f, fixed, level, groups=groups)
    moved = sorted(
        asking(asked.name, (), threshold=t).number(f.model) for t in end.ends(rate, level, method)
    )
    low = estimate - math.hypot(estimate - moved[0], estimate - own.low)
    high = estimate + math.hypot(moved[1] - estimate, own.high - estimate)
    return _interval(estimate, (max(low, 0.0), min(high, 1.0)), level, method)


def _in_the_body(f: PairEstimate, fixed: Asking, level: float, *, groups: bool) -> Interval:
    """Of a rate at a threshold: of the parameters, of a body of counts by the counts."""
    if not _is_bare(getattr(f, _RATES[fixed.name][0])):
        return delta_intervals(f, fixed, groups=groups)(level)
    return interval_of_scores(f.scores, fixed, IntervalOptions(level, groups=groups))


def _interval(estimate: float, ends: Limits, level: float, method: str | None) -> Interval:
    return Interval(estimate, ends[0], ends[1], level, f"tail, {method or 'integrated'}")


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
    options = options if options.method is None else options.by((*METHODS, *TAIL_METHODS, FAMILY))
    if options.method == FAMILY:
        alone = intervals_of_fit(f, asked, replace(options, method=None))
        return lambda level: _if_right(alone(level))
    if options.method in (None, *TAIL_METHODS):
        own = tail_interval(f, asked, options.level, options.method, groups=options.groups)
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


def _if_right(found: Interval) -> Interval:
    return replace(found, method=f"{found.method}, if the family is right")


def _is_bare(estimate: Estimate) -> bool:
    """Whether counts stand in the middle, which have no parameters."""
    return not set(estimate.names) - {REJECTED}


def _of_tail(f: PairEstimate, asked: Asking, options: IntervalOptions, own: Interval) -> Interval:
    """Of a tail; where a higher level reaches into the body, at least that of the parameters."""
    found = tail_interval(f, asked, options.level, options.method, groups=options.groups)
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
