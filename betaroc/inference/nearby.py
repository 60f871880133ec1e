"""The models around a fitted one, a step along each root of its errors away: made once a fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.options import IntervalOptions
from betaroc.estimation.record import PairEstimate
from betaroc.inference.parameter_errors import FreeFit, free_coordinates, laws_at
from betaroc.inference.small_samples import SmallSample, small_sample
from betaroc.model.model import ScoreModel

__all__ = ["STEP", "Nearby", "Steps", "models_near", "nearby", "slopes_along", "slopes_of"]

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
        return models_near(self.model, self.small.roots)

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
