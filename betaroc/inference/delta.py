"""Intervals of any number of a fitted model, from the errors of its parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError
from betaroc.core.options import IntervalOptions
from betaroc.core.special import bracketed_root
from betaroc.core.value import Result
from betaroc.core.vocabulary import worded
from betaroc.estimation.record import PairEstimate
from betaroc.inference.interval import Interval, from_log, from_logit
from betaroc.inference.scores_beyond import (
    Evidence,
    fewest,
    tell,
    tell_of_chance,
)
from betaroc.inference.small_samples import (
    FreeFit,
    SmallSample,
    free_coordinates,
    laws_at,
    small_sample,
    student,
)
from betaroc.model.asking import Asking, as_number
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import STATISTICS, Where, frr_at

_T = TypeVar("_T", bound=Result)
#: The ways to an interval of a fit, the best first.
METHODS = ("delta", "bootstrap")
#: Fractions nearer than this to 0 or 1 have no logit to speak of.
_LOST = 1e-12
#: An error this small is the rounding of differences.
_STILL = 1e-9
#: How far from the median thresholds are looked for, and by what steps, in normal deviates.
_FARTHEST = 6.0
_STRIDE = 0.25
#: Rates that are 1 less another.
_COMPLEMENTS = {
    "tpr": "frr", "recall": "frr", "sensitivity": "frr", "tnr": "far", "specificity": "far",
}  # fmt: skip
#: Step of the differences, in standard errors.
STEP = 0.01
#: Models a step forward and a step back along each root of a covariance.
Steps = Sequence[tuple[ScoreModel, ScoreModel]]


@dataclass(frozen=True, eq=False)
class Nearby:
    """A fit, the errors of its parameters, and the models a step of these away.

    Parameters
    ----------
    fit : PairEstimate
        The fit.
    groups : bool
        Whether its groups vary as wholes.
    """

    fit: PairEstimate
    groups: bool

    @cached_property
    def errors(self) -> FreeFit:
        """The free coordinates and the roots of their covariance."""
        return free_coordinates(self.fit, groups=self.groups)

    @cached_property
    def small(self) -> SmallSample:
        """The errors as few scores let them be known."""
        return small_sample(self.fit, self.errors, groups=self.groups)

    @cached_property
    def steps(self) -> Steps:
        """The models a step forward and a step back along each root."""
        found = models_near(self.model, self.small.roots)
        for model in (model for pair in found for model in pair):
            model._pair.bracketed_as(self.fit.model._pair)
        return found

    def model(self, away: FloatArray) -> ScoreModel:
        """The model whose coordinates are off by so much."""
        laws = (self.fit.client.distribution, self.fit.impostor.distribution)
        moved = laws_at(laws, self.errors.names, self.errors.place + away)
        return ScoreModel(*moved, prior=self.fit.model.prior)

    def drawn(
        self, of: Callable[[ScoreModel], Any], options: IntervalOptions, *columns: int
    ) -> FloatArray:
        """Numbers of the models at drawn parameters, a row a replicate."""

        def draw(rng: np.random.Generator, size: int) -> list[Any]:
            return [of(self.model(away)) for away in self.small.draw(rng, size)]

        return options.replicated(draw, *columns)


def models_near(moved: Callable[[FloatArray], ScoreModel], roots: FloatArray) -> Steps:
    """The models a step forward and a step back along each root."""
    return [(moved(STEP * r), moved(-STEP * r)) for r in roots]


def slopes_of(steps: Steps, of: Callable[[ScoreModel], FloatArray]) -> FloatArray:
    """Changes of numbers with one standard error along each root, on the last axis."""
    return _slopes([(of(forward), of(back)) for forward, back in steps])


def slopes_along(roots: FloatArray, of: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """The same of numbers that are given off by so much."""
    return _slopes([(of(STEP * r), of(-STEP * r)) for r in roots])


def _slopes(ends: list[tuple[FloatArray, FloatArray]]) -> FloatArray:
    with np.errstate(invalid="ignore"):
        changes = [(forward - back) / (2.0 * STEP) for forward, back in ends]
    return np.stack(changes, axis=-1)


def nearby(fit: PairEstimate, *, groups: bool) -> Nearby:
    """What is near a fit, kept with it."""
    found: Nearby = fit._kept.setdefault(("nearby", groups), Nearby(fit, groups))
    return found


# ------------------------------------------------------------------------- the intervals
class Delta(NamedTuple):
    """A statistic with its slopes, on the scale on which its error is nearly normal."""

    estimate: float
    #: The estimate on that scale.
    place: float
    #: Its change with one standard error along each root of the covariance, on that scale.
    slopes: FloatArray
    #: Back from the scale.
    back: Callable[[float], float]

    @property
    def error(self) -> float:
        """The standard error on the scale."""
        return math.sqrt(math.fsum(self.slopes**2))

    def interval(self, level: float) -> Interval:
        """Estimate -+ z errors on the scale."""
        return self.around(0.0, student(math.inf, level), level)

    def around(self, shift: float, reach: float, level: float) -> Interval:
        """Estimate less a shift -+ so many errors on the scale."""
        centre, away = self.place - shift, reach * self.error
        low, high = self.back(centre - away), self.back(centre + away)
        return Interval(self.estimate, low, high, level, "delta")


def supported(found: _T, asking: Asking, *systems: tuple[Evidence, ScoreModel]) -> _T:
    """A number of a system, or of two, with the scores that speak for it; a warning of none."""
    beyond, flags = [], []
    for evidence, model in systems:
        asked = asking.rates(model)
        least = fewest(evidence, asked)
        beyond += [] if least is None else [float(least)]
        flags.append(tell(evidence, asked))
        if asking.row.optimum:
            tell_of_chance(str(asking), evidence, model)
    support: dict[str, Any] = {"n_beyond": min(beyond, default=None), "extrapolated": any(flags)}
    return replace(found, **support)


def near_of(f: PairEstimate, *, groups: bool) -> Nearby:
    """What is near a fit whose classes differ."""
    if f.tied and f.model.client == f.model.impostor:
        raise InputError(
            "the likeliest proper pair is one distribution for both classes here, whose errors"
            " know no"
            f" difference between them; shared are {', '.join(f.tied)}. Take the intervals of"
            + worded(' `family="beta"`.')
        )
    return nearby(f, groups=groups)


def bare_interval(f: PairEstimate, asking: Asking, options: IntervalOptions) -> Interval:
    """The interval of a statistic of a fit, whatever data are behind it."""
    options = options.by(METHODS)
    if options.method == "bootstrap":
        return _drawn_interval(near_of(f, groups=options.groups), asking, options)
    return delta_intervals(f, asking, groups=options.groups)(options.level)


def delta_intervals(
    f: PairEstimate, asking: Asking, *, groups: bool
) -> Callable[[float], Interval]:
    """The interval of a statistic of a fit at any level."""
    near, client = near_of(f, groups=groups), f.model.client
    other = _COMPLEMENTS.get(asking.name)
    if other and asking.number(f.model) > 0.5:  # near 1 the other rate has the digits
        rest = delta_intervals(f, Asking(other, STATISTICS[other], asking.where), groups=groups)
        return lambda level: _complement(rest(level))
    of_frr = asking.name == "threshold" and asking.where.point in ("frr", "tpr")
    if of_frr and client._scored is not client:  # no smooth function of the share without a score
        return lambda level: _where_rate_ends(f, asking, level, groups=groups)
    found = delta(asking, f.model, near.steps)
    biased = asking.row.scale in ("log", "threshold")
    shift = near.small.shift(found.slopes) if biased else 0.0
    return lambda level: found.around(shift, float(near.small.reach(found.slopes, level)), level)


def _complement(rest: Interval) -> Interval:
    ends = 1.0 - rest.high, 1.0 - rest.low
    return Interval(1.0 - rest.estimate, *ends, rest.level, rest.method)


def _where_rate_ends(f: PairEstimate, asking: Asking, level: float, *, groups: bool) -> Interval:
    """The thresholds of which the interval of FRR holds the one that was asked for."""
    from scipy.special import ndtr, ndtri

    asked, scored, estimate = frr_at(asking.where), f.model.client._scored, asking.number(f.model)

    def place(z: float) -> float:
        return float(scored.ppf(ndtr(z)))

    def end(side: str, way: float, beyond: float) -> float:
        """The first place on the way out at which the interval of the rate ends at it."""

        def gap(z: float) -> float:
            at = Asking("frr", STATISTICS["frr"], Where("threshold", place(z)))
            return float(getattr(delta_intervals(f, at, groups=groups)(level), side)) - asked

        last = min(max(float(ndtri(scored.cdf(estimate))), -_FARTHEST), _FARTHEST)
        while abs(last + way) <= _FARTHEST:
            z = last + way
            if way * gap(z) >= 0.0:
                return place(bracketed_root(gap, *sorted((last, z)), what="a threshold"))
            last = z
        return beyond

    low, high = end("high", -_STRIDE, -math.inf), end("low", _STRIDE, scored.support[1])
    return Interval(estimate, low, high, level, "delta")


def _drawn_interval(near: Nearby, asking: Asking, options: IntervalOptions) -> Interval:
    """Quantiles of a statistic at drawn parameters."""
    model = near.fit.model
    estimate = _estimate(asking, model, asking.value(model))
    # Only thresholds have more digits on their scale than the number itself.
    own = asking.row.scale if asking.row.scale == "threshold" else "plain"
    to, back = _scale(own, asking, model)
    values = near.drawn(lambda model: to(asking.value(model)), options)
    gone = int(np.sum(~np.isfinite(values)))
    if gone:
        raise InputError(
            f"the statistic must be a number at all drawn parameters; {asking.name!r} is not"
            f" at {gone} of {options.replicates}. Take another statistic."
        )
    low, high = np.quantile(values, [options.tail, 1.0 - options.tail])
    return Interval(estimate, back(float(low)), back(float(high)), options.level, "bootstrap")


def delta(asking: Asking, model: ScoreModel, steps: Steps) -> Delta:
    """A statistic of a model, and of those a step along each root of a covariance away."""
    row, value = asking.row, asking.value(model)
    estimate = _estimate(asking, model, value)
    to, back = _scale(row.scale, asking, model)

    def place(near: ScoreModel) -> float:
        return to(asking.value(near))

    slopes = [(place(forward) - place(backward)) / (2.0 * STEP) for forward, backward in steps]
    found = Delta(estimate, to(value), np.array(slopes), back)
    # A double next to 1 has lost the digits of its distance from 1; an error rate has all near 0.
    fraction, least = row.scale in ("probit", "partial"), 0.0 if row.better == "lower" else _LOST
    share = (estimate - row.low) / (row.high - row.low) if fraction else 0.5
    if not least < share < 1.0 - _LOST or not found.error < math.inf:
        raise InputError(
            f"{asking.name!r} must lie inside its range to have a derivative; it is"
            f" {estimate!r}, as of classes that do not overlap, or are one."
        )
    if not found.error > _STILL * max(1.0, abs(found.place)):
        raise InputError(
            f"{asking.name!r} must vary with the parameters to have an error; it is"
            f" {estimate!r} whatever they are, as a number of shapes that both classes share."
        )
    return found


def _estimate(asking: Asking, model: ScoreModel, value: Any) -> float:
    estimate = as_number(asking.row, value)
    if not math.isfinite(estimate):
        why = asking.absence(model)
        raise InputError(
            "the statistic must be a finite number for the fitted model;"
            f" {str(asking)!r} is {estimate!r}{why and f': {why}'}."
        )
    return estimate


def _scale(
    name: str, asking: Asking, model: ScoreModel
) -> tuple[Callable[[Any], float], Callable[[float], float]]:
    """Where the error is nearly normal: there from a statistic's value, and back to a number."""
    from scipy.special import ndtr, ndtri

    row = asking.row
    if name == "threshold" and model._pair.unit:
        return lambda point: float(point.logit_threshold), from_logit
    if name == "threshold":
        return lambda point: float(point.threshold), float
    if name == "probit":
        low, width = row.low, row.high - row.low

        def share(x: Any) -> float:
            return min(max((as_number(row, x) - low) / width, 0.0), 1.0)

        return lambda x: float(ndtri(share(x))), lambda y: low + width * float(ndtr(y))
    if name == "partial":
        # Its lower end is that of a TPR of 0: the scale is that of the mean TPR of the range.
        rest = 2.0 - asking.where.value[0] - asking.where.value[1]
        return (
            lambda x: -float(ndtri(min(rest * (1.0 - float(x)), 1.0))),
            lambda y: 1.0 - float(ndtr(-y)) / rest,
        )
    if name == "log":
        return lambda x: math.log(x) if as_number(row, x) > 0.0 else -math.inf, from_log
    return lambda x: as_number(row, x), float
