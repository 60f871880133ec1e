"""Ways to a threshold of a target rate: order statistics of a class, a tail, a fit, and counts."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.class_words import ClassWords
from betaroc.core.errors import BetarocError, InputError
from betaroc.core.notices import quietly
from betaroc.core.options import IntervalOptions
from betaroc.core.resampling import refuse_fractional_weights
from betaroc.core.special import beta_quantile, rate_of_none
from betaroc.core.value import Value
from betaroc.data.scores import ScoreData
from betaroc.data.summary import ScoreSummary
from betaroc.decision.guarantee import (
    OrderedScores,
    keeps_bound,
    needed_for_guarantee,
)
from betaroc.estimation.families import BEST, Names
from betaroc.estimation.tails import FEWEST
from betaroc.fits.family_choice import FamilyComparison, best_comparison
from betaroc.fits.fit import Fit, best_fit, fit
from betaroc.fits.target_checks import check_targets
from betaroc.inference.of_scores import interval_of_scores
from betaroc.model.asking import asking
from betaroc.rendering.numbers import rate as shown_rate, rounded, spaced

#: The ways, the one to take first.
HOW = ("guaranteed", "average", "tail", "model", "counted")
#: The rates that can be a target.
TARGET_RATES = ("far", "frr")
_ENDS = {"far": ("impostor", "upper"), "frr": ("client", "lower")}
#: What the scores that gave a fit say of it.
POOR = "the fit does not hold"
#: A tail is asked for rates that expect so many scores.
_LEAST_EXPECTED = Fraction(1, 10)


class Target(NamedTuple):
    """A rate that must not be passed, and with what confidence."""

    kind: str
    rate: float
    confidence: float
    words: ClassWords = ClassWords()
    #: Whether trials depend on each other, so that groups of them are counted.
    grouped: bool = False

    @property
    def who(self) -> str:
        """The class it is of."""
        return _ENDS[self.kind][0]

    @property
    def many(self) -> str:
        """What several of the class are called."""
        return self.words.many(self.who)

    @property
    def units(self) -> str:
        """What speaks for the rate: trials of the class, or groups of them."""
        return f"groups of {self.many}" if self.grouped else self.many

    @property
    def exact(self) -> Fraction:
        """The decimal that was meant."""
        near = Fraction(self.rate).limit_denominator(10**9)
        return near if float(near) == self.rate else Fraction(self.rate)


class Fitting(NamedTuple):
    """How the scores of a decision are fitted."""

    family: Names = BEST
    boundary: str | None = None
    resolution: float | None = None
    #: The fit of these scores and what it was chosen from, where they are there already.
    known: tuple[Fit, FamilyComparison | None] | None = None
    bounds: tuple[float, float] | None = None

    @property
    def usual(self) -> bool:
        """Whether nothing but a fit was asked for."""
        return self._replace(known=None) == Fitting()

    def fit(self, scores: ScoreData, family: Names, **tails: Any) -> Fit:
        """The scores fitted by a family, with these rules."""
        _, boundary, resolution, _, bounds = self
        rules: dict[str, Any] = {"boundary": boundary, "resolution": resolution, "bounds": bounds}
        return fit(scores, family, **rules, **tails)

    def best(self, scores: ScoreData) -> tuple[Fit, FamilyComparison | None]:
        """The fit, and of "best" what it was chosen from."""
        if self.known is not None:
            return self.known
        if self.family != BEST:
            return self.fit(scores, self.family), None
        rules = self.boundary, self.resolution
        found = best_comparison(scores, *rules, self.bounds)
        compared = found if isinstance(found, FamilyComparison) else None
        return best_fit(scores, *rules, found, bounds=self.bounds), compared


def refuse_wrong_rules(error: BetarocError) -> None:
    """Raise what speaks of an argument of the fits, whatever the scores."""
    if error.argument in Fitting._fields:
        raise error


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
        Scores of dev beyond: impostors accepted, or clients rejected; of fits those expected.
    far, frr : float
        Both rates counted on dev.
    family : str
        Of a fit the family of the target's class; of both rates those of both classes.
    why : str
        Why the way is not possible, or what speaks against it; else empty.
    k : int or None
        The threshold comes from the k-th largest impostor or the k-th smallest client score; None
        of fits.
    achieved : float
        P(true rate <= target) of such a threshold for a continuous distribution, at least this
        for any other; nan of fits.

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
    k: int | None = None
    achieved: float = math.nan

    @property
    def possible(self) -> bool:
        """Whether there is a threshold."""
        return not math.isnan(self.threshold)


def trials_of(scores: ScoreData, target: Target) -> int:
    """Trials of the target's class that are independent of each other, or groups of them."""
    return OrderedScores.of(scores._as_scores(), *target[:3]).units


def ways_of(scores: ScoreData, target: Target, fitting: Fitting) -> list[Way]:
    """Every way to a threshold of the target, in the order of `HOW`."""
    guaranteed, average, counted = order_ways(scores, target)
    fitted = _of_fits(scores, target, counted.threshold, fitting)
    return [guaranteed, average, *fitted, counted]


# --------------------------------------------------------------------- order statistics
def order_ways(scores: ScoreData, target: Target) -> list[Way]:
    """Guaranteed, at most the target on average, and counted on dev."""
    for who in ("client", "impostor"):
        refuse_fractional_weights(getattr(scores, f"{who}_weights", None), who, "for a decision")
    ordered = OrderedScores.of(scores._as_scores(), *target[:3])
    k = math.floor(target.exact * ordered.n)
    counted = _by_order(scores, ordered, target, "counted", k, *ordered.worth(k))
    if ordered.evidence.groups is not None and counted.possible:
        found = rate_interval(scores, target.kind, counted.threshold, target.confidence)
        counted = replace(counted, low=found[1], high=found[2])
    return [_guaranteed(scores, ordered, target), _average(scores, ordered, target), counted]


def _guaranteed(scores: ScoreData, ordered: OrderedScores, target: Target) -> Way:
    n, needed = ordered.units, needed_for_guarantee(target.rate, target.confidence)
    if n < needed:
        best = shown_rate(rate_of_none(n, target.confidence), up=True)
        at = rounded(ordered.threshold(0), up=target.kind == "far")
        why = (
            f"{spaced(needed)} {target.units} needed, dev has {spaced(n)}, which guarantee"
            f" {target.kind.upper()} {best} at best (threshold {at})"
        )
        return Way("guaranteed", math.nan, why=why)
    most = ordered.most(lambda x, n: keeps_bound(n, x + 1, target.rate, target.confidence))
    return _by_order(scores, ordered, target, "guaranteed", *most)


def _average(scores: ScoreData, ordered: OrderedScores, target: Target) -> Way:
    """(k + 1)/(n + 1) at most the target."""
    most = ordered.most(lambda x, n: Fraction(x) + 1 <= target.exact * (Fraction(n) + 1))
    if most[0] < 0:
        needed = math.ceil(1 / target.exact) - 1
        why = f"{spaced(needed)} {target.units} needed, dev has {spaced(ordered.units)}"
        return Way("average", math.nan, why=why)
    return _by_order(scores, ordered, target, "average", *most)


def _by_order(
    scores: ScoreData, ordered: OrderedScores, target: Target, how: str, k: int, x: float, n: float
) -> Way:
    """k trials beyond, worth x of n: the rate is Beta(x + 1, n - x), or less where scores tie."""
    from scipy.special import betainc

    tail = IntervalOptions(target.confidence).tail
    if ordered.absent > k:
        why = f"{k} of {ordered.n} {target.many} may be rejected, {ordered.absent} have no score"
        return Way(how, math.nan, why=why)
    fewest, threshold = ordered.beyond(k), ordered.threshold(k)
    if isinstance(scores, ScoreSummary) and target.kind == "frr":  # the bin's other border
        threshold = scores.border_below(math.nextafter(threshold, math.inf))
    least = min(float(fewest), x)
    low = float(beta_quantile(least + 1.0, n - least, tail))
    high = float(beta_quantile(x + 1.0, n - x, 1.0 - tail))
    return Way(
        how, threshold, (x + 1.0) / (n + 1.0), low, high, float(fewest),
        *_counted(scores, threshold), k=k + 1,
        achieved=float(betainc(x + 1.0, n - x, target.rate)),
    )  # fmt: skip


def _counted(scores: ScoreData, threshold: float) -> tuple[float, float]:
    """FAR and FRR of dev at a threshold."""
    client, impostor = scores._distributions
    return float(impostor.sf(threshold)), float(client.cdf(threshold))


# ------------------------------------------------------------------------------- of fits
def _of_fits(scores: ScoreData, target: Target, counted: float, fitting: Fitting) -> list[Way]:
    """By a tail of the target's class, by the family, and by others that were compared."""
    with quietly():
        try:
            plain, compared = fitting.best(scores)
        except BetarocError as error:
            refuse_wrong_rules(error)
            return [Way(how, math.nan, why=str(error)) for how in ("tail", "model")]
        found = []
        for how, made in (("tail", _tailed), ("model", _untailed)):
            try:
                found.append(_by_fit(scores, made(plain, target, fitting), how, target, counted))
            except BetarocError as error:
                found.append(Way(how, math.nan, why=str(error)))
        for names in _others(compared, target):
            try:
                one = fitting.fit(scores, names)
                found.append(_by_fit(scores, one, "model", target, counted))
            except BetarocError as error:
                own = names[0 if target.who == "client" else 1]
                found.append(Way("model", math.nan, family=own, why=str(error)))
    return found


def _others(compared: FamilyComparison | None, target: Target) -> list[tuple[str, str]]:
    """The pairs of families that differ from the best in the target's class."""
    if compared is None:
        return []
    client, impostor = compared.recommended
    names = [row.family for row in compared.of(target.who)]
    if target.who == "impostor":
        return [(client, name) for name in names if name != impostor]
    return [(name, impostor) for name in names if name != client]


def _tailed(plain: Fit, target: Target, fitting: Fitting) -> Fit:
    """The same families with the tail that the target rests on."""
    who, side = _ENDS[target.kind]
    size = plain._scored._evidence.sizes[0 if who == "client" else 1]
    if size < FEWEST:
        raise InputError(f"{FEWEST} {target.units} needed, dev has {size:.6g}")
    if size * target.rate < _LEAST_EXPECTED:
        needed = math.ceil(_LEAST_EXPECTED / target.exact)
        raise InputError(f"{spaced(needed)} {target.units} needed, dev has {spaced(size)}")
    if any(one.side == side for one in getattr(plain, who).tails):
        return plain
    return fitting.fit(plain.scores, plain.family, tails={who: side})


def _untailed(plain: Fit, target: Target, fitting: Fitting) -> Fit:
    """The same families without a tail of the target's class, which "best" may have taken."""
    if not getattr(plain, target.who).names:
        raise InputError("counts are no distribution that a rate could be read off")
    tailed = getattr(plain, target.who).tails
    return fitting.fit(plain.scores, plain.family) if tailed else plain


def _by_fit(scores: ScoreData, f: Fit, how: str, target: Target, counted: float) -> Way:
    above = target.kind == "far"
    point = f.model.at_far(target.rate) if above else f.model.at_frr(target.rate)
    own = float(point.threshold)
    threshold = max(own, counted) if above else min(own, counted)
    found = rate_of_fit(f, target.kind, threshold, target.confidence)
    (check,) = check_targets(f, **{target.kind: target.rate}, level=target.confidence)
    there = shown_rate(_counted(scores, own)[0 if above else 1])
    why = "" if threshold == own else f"moved from {own:.4g}, where dev counts {there}"
    if check.verdict == "poor":
        why = f"{why or f'dev counts {there} there'}: {POOR}"
    size = float(getattr(scores, f"{target.who}_total"))
    absent = 0 if above else scores.n_client_rejected  # who speak for no rate
    return Way(
        how, threshold, *found, max(size * found[0] - absent, 0.0),
        *_counted(scores, threshold), family=getattr(f, target.who).family, why=why,
    )  # fmt: skip


def rate_of_fit(f: Fit, kind: str, threshold: float, level: float) -> tuple[float, float, float]:
    """The fit's own rate with its interval; nan where a moved threshold lies too far out."""
    try:
        with quietly():
            found = f.interval(kind, threshold=threshold, level=level)
    except BetarocError:
        return float(getattr(f.model, kind)(threshold)), math.nan, math.nan
    return found.estimate, found.low, found.high


def reach_of(way: Way, target: Target, n: int, absent: int = 0) -> float:
    """Where the exact interval of what n trials of dev count at a threshold ends.

    Those of them that are absent for want of a score left out, all of whom are rejected.
    """
    k = round(getattr(way, target.kind) * n) - (absent if target.kind == "frr" else 0)
    left, level = n - absent - k, 1.0 - IntervalOptions(target.confidence).tail
    return float(beta_quantile(k + 1.0, left, level)) if left else 1.0


def rate_interval(
    scores: ScoreData, kind: str, threshold: float, level: float
) -> tuple[float, float, float]:
    """A rate counted at a threshold with its exact interval."""
    if not math.isfinite(threshold):  # the same counts just beyond the scores
        ends = [scores._extremes(who) for who in ("client", "impostor")]
        low, high = min(pair[0] for pair in ends), max(pair[1] for pair in ends)
        threshold = math.nextafter(low, -math.inf) if threshold < 0.0 else high
    with quietly():
        found = interval_of_scores(
            scores, asking(kind, (), threshold=threshold), IntervalOptions(level)
        )
    return found.estimate, found.low, found.high


def way_of_both(
    scores: ScoreData, how: str, threshold: float, confidence: float, family: str = "",
    f: Fit | None = None,
) -> Way:  # fmt: skip
    """At a threshold of both rates, FAR with its exact interval; of a fit its own."""
    far = rate_interval(scores, "far", threshold, confidence)
    frr = rate_interval(scores, "frr", threshold, confidence)
    found = far if f is None else rate_of_fit(f, "far", threshold, confidence)
    beyond = float(round(far[0] * scores.impostor_total))
    return Way(how, threshold, *found, beyond, far[0], frr[0], family)


def digest_of(scores: ScoreData) -> str:
    """The same for the same scores of both classes, in whatever order."""
    found, rows = hashlib.blake2b(digest_size=16), scores._trials._as_scores()
    for values in (rows.client, rows.impostor):
        found.update(np.sort(values).tobytes())
    if isinstance(scores, ScoreSummary):  # ascending borders of bins, with their counts
        found.update(np.concatenate([rows.client_weights, rows.impostor_weights]).tobytes())
    return found.hexdigest()
