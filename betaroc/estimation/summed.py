"""A class known by its summary, as estimators see it."""

from __future__ import annotations

import math
from typing import NamedTuple

from betaroc.core.errors import InputError
from betaroc.core.sentences import worded
from betaroc.core.text import listed
from betaroc.data.summary import ScoreSummary
from betaroc.data.sums import ClassSummary
from betaroc.distributions.base import Distribution
from betaroc.estimation.boundary import SUMMED_POLICIES
from betaroc.estimation.contract import AtEnds, Sample
from betaroc.estimation.sums import Centred

#: Sums of squares of which less than this share is left about the mean have lost their digits.
CANCELLED = 1e-8
#: Mean squares below this have lost their digits to underflow.
LEAST_SQUARE = 1e-290
#: Two sums of doubles tell beta distributions apart to about 1e-14 (a + b): up to this a + b.
LARGEST_SUMMED = 1e6


class Sums(NamedTuple):
    """Sums and counts of a class; of its scores inside (0, 1) only where ``inner``."""

    name: str
    of: ClassSummary
    empirical: Distribution
    inner: bool = False

    @property
    def n(self) -> int:
        return self.of.n_inside if self.inner else self.of.n

    @property
    def total(self) -> float:
        return float(self.n)

    @property
    def low(self) -> float:
        return self.of.inner_minimum if self.inner else self.of.minimum

    @property
    def high(self) -> float:
        return self.of.inner_maximum if self.inner else self.of.maximum

    def rows(self) -> Sample:
        raise InputError(
            f"{self.name}: this rule for rounded or extreme scores needs every score, and a summary"
            " keeps sums and counts in bins only. "
            + worded("`Fit Scores (all rows, or a random part of them)`, or leave `resolution=`")
            + f" out and take boundary None or {listed(SUMMED_POLICIES)}."
        )

    def ends(self) -> AtEnds:
        zero, one = self.of.n_zero, self.of.n_one
        return AtEnds(zero, one, float(zero), float(one))

    def inside(self) -> Sums:
        return self._replace(inner=True)

    def mean_logs(self) -> tuple[float, float]:
        return self.of.log / self.n, self.of.log1m / self.n

    def centred(self) -> Centred:
        """Centred at the mean; what the sums of logs do not hold any more is refused."""
        mean, variance = self.moments()
        if self.inner and self.of.n != self.n:
            # Without the scores of exactly 0 and 1.
            inner = (self.of.n * self.of.mean - self.of.n_one) / self.n
            left = self.of.square + self.of.n * self.of.mean**2 - self.of.n_one
            mean, variance = inner, left / self.n - inner * inner
        else:
            variance *= variance
        if not variance > mean * (1.0 - mean) / LARGEST_SUMMED:
            raise InputError(
                f"{self.name}: the {self.n} scores, between {self.low!r} and {self.high!r}, are too"
                f" concentrated for the sums of a summary (a + b beyond"
                f" {LARGEST_SUMMED:g}). Fit Scores, or a random part of the rows."
            )
        g1, g2 = self.mean_logs()
        u = 1.0 - mean  # exact from 1/2 on
        return Centred(mean, u, 0.0, g1 - math.log(mean), g2 - math.log(u), variance)

    def moments(self) -> tuple[float, float]:
        mean_square = self.of.square / self.n
        tiny = self.low < self.high and mean_square < LEAST_SQUARE
        if tiny or not math.isfinite(mean_square):
            raise InputError(
                f"{self.name}: squares of the scores, from {self.low!r} to {self.high!r}, are"
                " beyond what doubles hold, so that their summary has no variance. Multiply the"
                " scores by a constant first, or fit Scores."
            )
        return self.of.mean, math.sqrt(mean_square)

    def logit_moments(self) -> tuple[float, float, float]:
        g1, g2 = self.mean_logs()
        square = self.of.logit_square / self.n
        variance = square - (g1 - g2) ** 2
        if not variance > CANCELLED * square:
            raise InputError(
                f"{self.name}: the {self.n} scores, between {self.low!r} and {self.high!r}, are too"
                " concentrated for the sums of a summary: the variance of their logits cancels."
                " Fit Scores, or a random part of the rows."
            )
        return g1 - g2, math.sqrt(variance), g1 + g2

    def law(self) -> Distribution:
        return self.empirical

    def n_outside(self) -> int:
        return self.of.n_outside

    def outside_words(self) -> str:
        return ""

    def first_end_words(self) -> str:
        return ""


def summed_class(scores: ScoreSummary, who: str) -> Sums:
    """One class of a summary."""
    return Sums(who, getattr(scores, who), scores._distributions[who == "impostor"])
