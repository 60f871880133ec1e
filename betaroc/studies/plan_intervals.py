"""Widths and chances of intervals that are not those of one family: differences, and tails."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from betaroc.core.errors import InputError
from betaroc.core.options import IntervalOptions
from betaroc.core.special import share_ends
from betaroc.core.thresholds import Coordinate, Thresholds
from betaroc.distributions.base import Distribution
from betaroc.distributions.spliced import Spliced
from betaroc.estimation.tails import FEWEST, SIZES, Tails, TailScores, fit_tails
from betaroc.inference.delta import METHODS, bare_interval
from betaroc.inference.interval import Interval, Limits, difference_ends
from betaroc.inference.intervals import BOTH
from betaroc.inference.tail_intervals import (
    surely_beyond,
    tail_rate_ends,
    tail_threshold_ends,
)
from betaroc.model.asking import Asking, asking
from betaroc.model.model import ScoreModel
from betaroc.studies.expected_fits import Sizes, expected_fit
from betaroc.studies.plan_goals import Goal, ends_of_scores


@dataclass(frozen=True)
class _TwoSystems(Goal):
    """Two systems on trials whose errors have a correlation."""

    asking: Asking
    models: tuple[ScoreModel, ...]
    options: IntervalOptions
    correlation: float

    def distances(self, sizes: Sizes) -> tuple[float, float, float]:
        """The difference at the expected fits, and from it to both ends of its interval."""
        one, two = (self._interval(model, sizes) for model in self.models)
        return one.estimate - two.estimate, *difference_ends(one, two, self.correlation)

    def _interval(self, model: ScoreModel, sizes: Sizes) -> Interval:
        family = replace(self.options, method=METHODS[0])
        found = bare_interval(expected_fit(model, sizes), self.asking, family)
        if self.options.method != BOTH:
            return found
        own = ends_of_scores(self.asking, model, self.options, sizes)
        return replace(found, low=min(found.low, own[0]), high=max(found.high, own[1]))

    @cached_property
    def estimate(self) -> float:
        """The difference of the models."""
        one, two = (self.asking.number(model) for model in self.models)
        if not math.isfinite(one - two):
            raise InputError(
                f"{str(self.asking)!r} must be a finite number of both models; it is {one!r} and"
                f" {two!r}."
            )
        return one - two


@dataclass(frozen=True)
class DifferenceWidth(_TwoSystems):
    """Width of the interval of `difference` at the expected fits."""

    def reached(self, sizes: Sizes) -> float:
        _, down, up = self.distances(sizes)
        return down + up


@dataclass(frozen=True)
class DifferenceChance(_TwoSystems):
    """Chance that the interval of `difference` leaves 0 out on the side where the truth is."""

    @property
    def least(self) -> float:  # type: ignore[override]
        return self.options.tail

    def reached(self, sizes: Sizes) -> float:
        """The difference over its error is taken as normal."""
        from scipy.special import ndtr

        if self.estimate == 0.0:
            raise InputError(
                "impossible because the systems do not differ: no size tells them apart in"
                f" {str(self.asking)!r}. Plan the width of the interval."
            )
        gap, down, up = self.distances(sizes)
        away = down if gap > 0.0 else up
        z = self.options.deviate
        return 1.0 if away == 0.0 else float(ndtr(z * abs(gap) / away - z))


# ---------------------------------------------------------------------------------- tails
#: The class, and the end of it, that a rate speaks of.
_OF = {"far": (1, "upper"), "tnr": (1, "upper"), "frr": (0, "lower"), "tpr": (0, "lower")}
#: What a rate leaves, which is small where it is near 1.
_COMPLEMENT = {"tnr": "far", "tpr": "frr"}
#: Scores at the end that a tail is fitted to, and those that its joint needs.
_KEPT = 2 * max(SIZES) + 2


@dataclass(frozen=True)
class TailWidth(Goal):
    """Width of the interval that a fit with tails has, of the scores that are expected.

    The tail is fitted to the medians of the most extreme scores of so many. Nearer to the body,
    and of fewer than 200 scores, the exact interval of the count that is expected.
    """

    asking: Asking
    model: ScoreModel
    options: IntervalOptions

    def __post_init__(self) -> None:
        name, (point, _) = self.asking.name, self.asking.where
        here = point if name == "threshold" else name
        if here not in _OF or (name != "threshold" and point != "threshold"):
            raise InputError.about("method")(
                'method="tail" is for "far", "frr", "tpr" and "tnr" at a threshold, and for'
                f' "threshold" at one of these rates; got {str(self.asking)!r}. Leave it out.'
            )
        if not 0.0 < self._rate < 1.0:
            raise InputError(
                f"{str(self.asking)!r} must be planned where scores of the model lie; got a rate of"
                f" {self._rate!r} there. Give another point."
            )

    @cached_property
    def estimate(self) -> float:
        return self.asking.number(self.model)

    def reached(self, sizes: Sizes) -> float:
        n, level = sizes[self._which], self.options.level
        tails = self._tails(n)
        if tails is None or not surely_beyond(tails, self._rate, level):
            low, high = self._counted(n)
        elif self._threshold:
            places = tail_threshold_ends(tails, self._rate, level)
            low, high = self._coordinate.place(np.array(places)).theta.tolist()
        else:
            low, high = tail_rate_ends(tails, self._place, level)
        return high - low

    # ------------------------------------------------------------------- what is asked
    @property
    def _threshold(self) -> bool:
        return self.asking.name == "threshold"

    @property
    def _end(self) -> tuple[str, int, str]:
        """The rate's name, its class and the end of it."""
        name = self.asking.where.point if self._threshold else self.asking.name
        return name, *_OF[name]

    @property
    def _which(self) -> int:
        return self._end[1]

    @property
    def _law(self) -> Distribution:
        return (self.model.client, self.model.impostor)[self._which]

    @cached_property
    def _coordinate(self) -> Coordinate:
        law = self._law
        return law.coordinate if isinstance(law, Spliced) else Coordinate(None, law.on_unit)

    @cached_property
    def _rate(self) -> float:
        """Of the class, beyond the threshold."""
        name = self._end[0]
        if self._threshold:
            value = float(self.asking.where.value)
            return 1.0 - value if name in _COMPLEMENT else value
        beyond = asking(_COMPLEMENT.get(name, name), (), **self.asking.where.keywords)
        return beyond.number(self.model)

    @cached_property
    def _place(self) -> float:
        t = Thresholds.from_theta(np.array(float(self.asking.where.value)))
        return float(self._coordinate.of(t))

    # ---------------------------------------------------------------- what is expected
    def _tails(self, n: int) -> Tails | None:
        """Of the medians of the extreme scores; None of too few scores."""
        if n < FEWEST:
            return None
        p = (np.arange(1.0, min(_KEPT, n) + 1.0) - 0.3175) / (n + 0.365)
        side = self._end[2]
        t = self._law._quantile(p, lower=side == "lower")
        one = TailScores(
            ("client", "impostor")[self._which], self._coordinate.of(t), total=float(n)
        )
        return fit_tails(one, side)

    def _counted(self, n: int) -> Limits:
        """The exact interval of the count that is expected, or of the threshold between scores."""
        ends = share_ends(np.array(n * self._rate), np.array(float(n)), self.options.tail)
        shares = np.array([float(end) for end in ends])
        if not self._threshold:
            return float(shares[0]), float(shares[1])
        t = self._law._quantile(shares, lower=self._end[2] == "lower").theta
        return float(np.min(t)), float(np.max(t))
