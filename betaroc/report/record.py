"""What an analysis found, as data: of it its text, its JSON and its page are made."""

from __future__ import annotations

from dataclasses import dataclass

from betaroc.core.value import Result
from betaroc.estimation.families import Names
from betaroc.report.beta_pair import BetaPairFit
from betaroc.report.observed_curves import ObservedCurve
from betaroc.report.score_set import ObservedPoint, ScoreSet

__all__ = ["AnalysisRecord"]


@dataclass(frozen=True, eq=False, repr=False)
class AnalysisRecord(Result):
    """The fields of :class:`betaroc.Analysis`."""

    dev: ScoreSet
    tests: tuple[ScoreSet, ...]
    points: tuple[ObservedPoint, ...]
    curves: tuple[ObservedCurve, ...]
    level: float
    family: Names
    reason: str
    seed: int | None = None
    beta: BetaPairFit | None = None

    @property
    def parts(self) -> tuple[ScoreSet, ...]:
        """Dev, then the tests."""
        return (self.dev, *self.tests)
