"""Order statistics that bound a true error rate with a confidence, for any distribution."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.special import least_whole
from betaroc.core.thresholds import Thresholds
from betaroc.data.scores import Scores
from betaroc.inference.scores_beyond import Evidence

#: Of a rate of 0 or 1 that was asked for.
NO_RATE_OF_ZERO = "No sample shows a rate of 0; 1 % is 0.01."
#: Chances of failure that agree to this are equal but for rounding.
_TIED = 1e-12


@dataclass(frozen=True, eq=False)
class OrderedScores:
    """Scores of a class from the end inwards, and how many independent ones they are worth.

    Parameters
    ----------
    kind : str
        "far" of impostors from the highest, "frr" of clients from the lowest score.
    places, upto : ndarray, shape (k,)
        Distinct scores, those of clients negated, descending; how many lie as far out or farther.
    evidence : Evidence
        The scores with what trials depend on.
    rate, confidence : float
        The target.
    """

    kind: str
    places: FloatArray
    upto: FloatArray
    evidence: Evidence
    rate: float
    confidence: float

    @classmethod
    def of(cls, scores: Scores, kind: str, rate: float, confidence: float) -> OrderedScores:
        """Of all trials, whose weights are whole: `order_ways` refuses others."""
        who = 1 if kind == "far" else 0
        evidence = Evidence(scores._trials)
        places, masses = evidence.counts[who]._steps
        places, masses = (places[::-1], masses[::-1]) if who else (-places, masses)
        return cls(kind, places, np.cumsum(masses), evidence, rate, confidence)

    @property
    def n(self) -> int:
        """Trials."""
        return int(self.upto[-1])

    @property
    def units(self) -> int:
        """Trials, or groups of them, that are independent of each other."""
        return int(self.evidence.sizes[self.kind == "far"])

    @property
    def absent(self) -> int:
        """Trials without a score, of a target of FRR."""
        return int(self.upto[0]) if self.places[0] == math.inf else 0

    def threshold(self, k: int) -> float:
        """Where at most k lie beyond: the next one, that of clients just accepted."""
        place = float(self.places[np.searchsorted(self.upto, k + 1)])
        return place if self.kind == "far" else math.nextafter(-place, -math.inf)

    def beyond(self, k: int) -> int:
        """How many do lie beyond: fewer than k where scores tie."""
        at = int(np.searchsorted(self.upto, k + 1))
        return int(self.upto[at - 1]) if at else 0

    def most(self, keeps: Callable[[float, float], bool]) -> tuple[int, float, float]:
        """The most trials k that may lie beyond by a rule for x of n independent ones; x and n.

        k is -1 where not even none may.
        """
        counts: Sequence[int] = range(self.n)
        if self.evidence.groups is not None:
            counts = [0, *self.upto[:-1].astype(int).tolist()]
        past = least_whole(lambda i: not keeps(*self.worth(counts[i])), -1, len(counts))
        k = counts[past - 1] if past else -1
        return k, *self.worth(max(k, 0))

    def worth(self, k: int) -> tuple[float, float]:
        """x of n independent trials that say as much as k of all, those of groups together.

        Few groups show little of how they vary: n is no larger than where the target is counted.
        """
        if self.evidence.groups is None or not k:
            return float(k), float(self.units)
        size = min(self._size(k), self._size(max(math.floor(self.rate * self.n), 1)))
        return k / self.n * size, size

    def _size(self, k: int) -> float:
        if k not in self._sizes:
            above, t = self.kind == "far", Thresholds.from_theta(np.array([self.threshold(k)]))
            sizes = self.evidence.effective(int(above), t, 1.0 - self.confidence, above=above)
            self._sizes[k] = float(sizes[0])
        return self._sizes[k]

    @cached_property
    def _sizes(self) -> dict[int, float]:
        return {}


# ------------------------------------------------------------------- binomial counts


def fewest_of_order(k: int, rate: float, confidence: float) -> int:
    """The smallest n of which the k-th from the end keeps the bound."""
    low, high = k - 1, max(k, needed_for_guarantee(rate, confidence))
    if k == 1:
        return high
    while not keeps_bound(high, k, rate, confidence):
        low, high = high, 2 * high
    return least_whole(lambda n: keeps_bound(n, k, rate, confidence), low, high)


def keeps_bound(n: float, k: float, rate: float, confidence: float) -> bool:
    """Whether P(Binomial(n, rate) >= k) is no less than the confidence."""
    from scipy.special import betaincc

    return bool(betaincc(k, n - k + 1, rate) <= (1.0 - confidence) * (1.0 + _TIED))


def needed_for_guarantee(rate: float, confidence: float) -> int:
    """The smallest n with (1 - rate)^n <= 1 - confidence."""
    # Fractions: the ratio of the logarithms may exceed every float.
    fewest = Fraction(math.log1p(-confidence)) / Fraction(math.log1p(-rate))
    return max(1, math.ceil(fewest * (1 - Fraction(_TIED))))
