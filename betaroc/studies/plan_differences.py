"""What a planned number of scores is to reach of the difference of two systems."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from betaroc.core.errors import InputError
from betaroc.core.options import IntervalOptions
from betaroc.inference.delta import bare_interval
from betaroc.inference.interval import Interval, difference_ends
from betaroc.model.asking import Asking
from betaroc.model.model import ScoreModel
from betaroc.studies.expected_fits import Sizes, expected_fit
from betaroc.studies.plan_goals import Chance, Width

__all__ = ["DifferenceChance", "DifferenceWidth"]


@dataclass(frozen=True)
class _TwoSystems:
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
        return bare_interval(expected_fit(model, sizes), self.asking, self.options)

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
class DifferenceWidth(_TwoSystems, Width):
    """Width of the interval of `difference` at the expected fits."""

    def reached(self, sizes: Sizes) -> float:
        _, down, up = self.distances(sizes)
        return down + up


@dataclass(frozen=True)
class DifferenceChance(_TwoSystems, Chance):
    """Chance that the interval of `difference` leaves 0 out on the side where the truth is."""

    @property
    def least(self) -> float:
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
