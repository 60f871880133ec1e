"""The options of an interval, as one frozen value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypedDict

import numpy as np

from betaroc.core import arrays, checks, resampling

#: Chance with which as many scores as are named would tell; of more times as many none is named.
POWER, MOST_TIMES = 0.8, 1000.0


class IntervalArguments(TypedDict, total=False):
    """The keywords of :class:`IntervalOptions`."""

    level: float
    method: str | None
    replicates: int
    groups: bool
    rng: Any
    extrapolate: bool


@dataclass(frozen=True)
class IntervalOptions:
    """Level, method and randomness of an interval, checked."""

    level: float = 0.95
    method: str | None = None
    replicates: int = 2000
    groups: bool = True
    rng: Any = None
    extrapolate: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", checks.level(self.level))
        object.__setattr__(self, "replicates", checks.count(self.replicates, "replicates"))
        object.__setattr__(self, "groups", checks.flag(self.groups, "groups"))
        checks.randomness(self.rng)
        object.__setattr__(self, "extrapolate", checks.flag(self.extrapolate, "extrapolate"))

    def by(self, methods: tuple[str, ...]) -> Self:
        """With the first method where none was asked for."""
        method = methods[0] if self.method is None else self.method
        return replace(self, method=checks.choice(method, methods, "method"))

    @property
    def tail(self) -> float:
        """The probability beyond each end."""
        return 0.5 * (1.0 - self.level)

    @property
    def deviate(self) -> float:
        """How many standard errors a normal interval reaches."""
        from scipy.special import ndtri

        return float(ndtri(0.5 * (1.0 + self.level)))

    def halves(self) -> tuple[Self, Self]:
        seeds = checks.generator(self.rng).integers(2**63, size=2).tolist()
        return replace(self, rng=seeds[0]), replace(self, rng=seeds[1])

    def replicated(
        self, draw: Callable[[np.random.Generator, int], Any], *columns: int
    ) -> arrays.FloatArray:
        """What `draw` makes of each block, a row per replicate."""
        result = np.empty((self.replicates, *columns))
        for rows, stream in resampling.streams(self.replicates, self.rng):
            result[rows] = draw(stream, rows.stop - rows.start)
        return result
