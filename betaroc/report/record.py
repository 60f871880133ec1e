"""What an analysis found, as data: of it its text, its JSON and its page are made."""

from __future__ import annotations

from dataclasses import dataclass

from betaroc.core.value import Result
from betaroc.estimation.families import Names
from betaroc.report.beta_pair import BetaPair
from betaroc.report.observed_curves import MetCurve
from betaroc.report.score_set import MetPoint, Part

__all__ = ["AnalysisRecord"]


@dataclass(frozen=True, eq=False, repr=False)
class AnalysisRecord(Result):
    """The fields of :class:`betaroc.Analysis`."""

    dev: Part
    tests: tuple[Part, ...]
    points: tuple[MetPoint, ...]
    curves: tuple[MetCurve, ...]
    level: float
    family: Names
    reason: str
    seed: int | None = None
    beta: BetaPair | None = None

    @property
    def parts(self) -> tuple[Part, ...]:
        """Dev, then the tests."""
        return (self.dev, *self.tests)
