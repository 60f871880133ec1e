"""Ways to a threshold of a target rate: order statistics of a class, a tail, a fit, and counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import BetarocError, InputError
from betaroc.core.notices import quietly
from betaroc.core.options import IntervalOptions
from betaroc.core.resampling import refuse_fractional_weights
from betaroc.core.value import Value
from betaroc.data.scores import Scores
from betaroc.decision.guarantee import independent_trials, needed_for_guarantee, order_of_guarantee
from betaroc.estimation.families import Names, family_text
from betaroc.fits.estimate import fit
from betaroc.fits.fit import Fit
from betaroc.fits.target_checks import check_targets
from betaroc.inference.of_scores import interval_of_scores
from betaroc.model.asking import asking

__all__ = ["HOW", "Target", "Way", "rate_interval", "ways_of"]

#: The ways, the one to take first.
HOW = ("guaranteed", "average", "tail", "model", "counted")
_ENDS = {"far": ("impostor", "upper"), "frr": ("client", "lower")}
#: Groups are drawn by one seed, so that nobody can choose among several.
_SEED = 0


class Target(NamedTuple):
    """A rate that must not be passed, and with what confidence."""

    kind: str
    rate: float
    confidence: float

    @property
    def who(self) -> str:
        """The class it is of."""
        return _ENDS[self.kind][0]

    @property
    def exact(self) -> Fraction:
        """The decimal that was meant."""
        return Fraction(self.rate).limit_denominator(10**9)


@dataclass(frozen=True, eq=False, repr=False)
class Way(Value):
    """A threshold by one of the ways, with what is to be expected of it.

    Parameters
    ----------
    how : str
        "guaranteed", "average", "tail", "model" or "counted".
    threshold : float
        Accept iff score > threshold; nan where the way is not possible.
    expected : float
        The target's rate to be expected there.
    low, high : float
        Its interval.
    n_beyond : float
        Scores of dev counted beyond: impostors accepted, or clients rejected.
    far, frr : float
        Both rates counted on dev.
    family : str
        Of a fit its family.
    why : str
        Why the way is not possible, or what speaks against it; else empty.

    Examples
    --------
    >>> import betaroc as br
    >>> scores = br.Scores([600, 700], range(100))
    >>> found = br.decide(scores, far=0.02, family="normal")
    >>> [(way.how, way.threshold) for way in found.ways if way.possible][0]
    ('average', 98.0)
    """

    how: str
    threshold: float
    expected: float = math.nan
    low: float = math.nan
    high: float = math.nan
    n_beyond: float = math.nan
    far: float = math.nan
    frr: float = math.nan
    family: str = ""
    why: str = ""

    @property
    def possible(self) -> bool:
        """Whether there is a threshold."""
        return not math.isnan(self.threshold)


class _Extremes(NamedTuple):
    """Scores of the target's class from the end inwards, as independent trials."""

    target: Target
    places: FloatArray
    #: How many lie as far out or farther.
    upto: FloatArray
    n: int

    @classmethod
    def of(cls, scores: Scores, target: Target) -> _Extremes:
        values, weights = independent_trials(scores, target.who, _SEED)
        turned = values if target.kind == "far" else -values
        found, which = np.unique(turned, return_inverse=True)
        upto = np.cumsum(np.bincount(which.ravel(), weights)[::-1]).astype(np.float64)
        return cls(target, found[::-1], upto, int(weights.sum()))

    def threshold(self, k: int) -> float:
        """Where at most k lie beyond: the next one, that of clients just accepted."""
        place = float(self.places[np.searchsorted(self.upto, k + 1)])
        return place if self.target.kind == "far" else math.nextafter(-place, -math.inf)

    def beyond(self, k: int) -> int:
        """How many do lie beyond: fewer than k where scores tie."""
        at = int(np.searchsorted(self.upto, k + 1))
        return int(self.upto[at - 1]) if at else 0


def ways_of(scores: Scores, target: Target, family: Names) -> list[Way]:
    """Every way to a threshold of the target, in the order of `HOW`."""
    for who in ("client", "impostor"):
        refuse_fractional_weights(getattr(scores, f"{who}_weights"), who, "for a decision")
    ordered = _Extremes.of(scores, target)
    counted = _by_order(scores, ordered, "counted", math.floor(target.exact * ordered.n), "")
    found = [_guaranteed(scores, ordered), _average(scores, ordered)]
    found += _of_fits(scores, target, counted.threshold, family)
    return [*found, counted]


# --------------------------------------------------------------------- order statistics
def _guaranteed(scores: Scores, ordered: _Extremes) -> Way:
    target, n = ordered.target, ordered.n
    needed = needed_for_guarantee(target.rate, target.confidence)
    if n < needed:
        return Way(
            "guaranteed", math.nan,
            why=f"{needed} {target.who} scores needed, dev has {n}",
        )  # fmt: skip
    k = order_of_guarantee(n, target.rate, target.confidence) - 1
    return _by_order(scores, ordered, "guaranteed", k, "")


def _average(scores: Scores, ordered: _Extremes) -> Way:
    """(k + 1)/(n + 1) at most the target."""
    k = math.floor(ordered.target.exact * (ordered.n + 1)) - 1
    if k < 0:
        needed = math.ceil(1 / ordered.target.exact) - 1
        why = f"{needed} {ordered.target.who} scores needed, dev has {ordered.n}"
        return Way("average", math.nan, why=why)
    return _by_order(scores, ordered, "average", k, "")


def _by_order(scores: Scores, ordered: _Extremes, how: str, k: int, why: str) -> Way:
    """k of n beyond, of ties fewer: the rate is Beta(k + 1, n - k), or less where scores tie."""
    from scipy.special import betaincinv

    n, tail = ordered.n, IntervalOptions(ordered.target.confidence).tail
    fewest = ordered.beyond(k)
    low = float(betaincinv(fewest + 1.0, n - fewest, tail))
    high = float(betaincinv(k + 1.0, n - k, 1.0 - tail))
    threshold = ordered.threshold(k)
    rates = _counted(scores, threshold)
    return Way(how, threshold, (k + 1.0) / (n + 1.0), low, high, fewest, *rates, why=why)


def _counted(scores: Scores, threshold: float) -> tuple[float, float]:
    """FAR and FRR of dev at a threshold."""
    client, impostor = scores._distributions
    return float(impostor.sf(threshold)), float(client.cdf(threshold))


# ------------------------------------------------------------------------------- of fits
def _of_fits(scores: Scores, target: Target, counted: float, family: Names) -> list[Way]:
    """By a tail of the target's class and by the family, neither beyond the counted threshold."""
    with quietly():
        try:
            plain = fit(scores, family)
        except BetarocError as error:
            return [Way(how, math.nan, why=str(error)) for how in ("tail", "model")]
        found = []
        for how in ("tail", "model"):
            try:
                one = _tailed(plain, target) if how == "tail" else plain
                found.append(_by_fit(scores, one, how, target, counted))
            except BetarocError as error:
                found.append(Way(how, math.nan, why=str(error)))
    return found


def _tailed(plain: Fit, target: Target) -> Fit:
    """The same families with the tail that the target rests on."""
    who, side = _ENDS[target.kind]
    sizes = plain._evidence.sizes[0 if who == "client" else 1]
    if sizes * target.rate < 0.1:
        raise InputError(
            f"a tail must expect at least 0.1 scores beyond the target; of {sizes:.6g} {who} scores"
            f" it expects {sizes * target.rate:.2g}."
        )
    if any(one.side == side for one in getattr(plain, who).tails):
        return plain
    return fit(plain.scores, plain.family, tails={who: side})


def _by_fit(scores: Scores, f: Fit, how: str, target: Target, counted: float) -> Way:
    above = target.kind == "far"
    point = f.model.at_far(target.rate) if above else f.model.at_frr(target.rate)
    own = float(point.threshold)
    threshold = max(own, counted) if above else min(own, counted)
    found = f.interval(target.kind, threshold=threshold, level=target.confidence)
    (check,) = check_targets(f, **{target.kind: target.rate}, level=target.confidence)
    why = ""
    if check.verdict == "poor":
        why = (
            f"dev contradicts it: {check.observed:g} scores beyond its own threshold,"
            f" {check.expected:g} expected"
        )
    elif threshold != own:
        why = "moved to the counted threshold: dev counts more than the target at its own"
    rates = _counted(scores, threshold)
    beyond = rates[0 if above else 1] * float(getattr(scores, f"{target.who}_total"))
    return Way(
        how, threshold, found.estimate, found.low, found.high, round(beyond), *rates,
        family=family_text(f.family), why=why,
    )  # fmt: skip


def rate_interval(scores: Scores, kind: str, threshold: float, level: float) -> tuple[float, ...]:
    """A rate counted at a threshold with its exact interval."""
    with quietly():
        found = interval_of_scores(
            scores, asking(kind, (), threshold=threshold), IntervalOptions(level)
        )
    return found.estimate, found.low, found.high
