"""Thresholds by method: order statistics of a class, a tail, a fit, and counts."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.core import checks, vocabulary
from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import BetarocError, InputError, InputTypeError, SameDataWarning, refusal
from betaroc.core.notices import suppress_warnings, warn
from betaroc.core.options import IntervalOptions
from betaroc.core.resampling import check_fractional_weights
from betaroc.core.special import beta_quantile, least_whole, rate_of_none, share_ends
from betaroc.core.thresholds import Thresholds, mirror
from betaroc.core.value import Value
from betaroc.core.vocabulary import FAR, FRR, ClassWords, RateArguments, Sentence, short_name
from betaroc.data.scores import ScoreData
from betaroc.data.summary import ScoreSummary
from betaroc.estimation.families import BEST, Names, family_text
from betaroc.estimation.tails import FEWEST
from betaroc.fits.check import check_targets
from betaroc.fits.family_choice import FamilyComparison, best_comparison
from betaroc.fits.fit import Fit, best_fit, fit
from betaroc.inference.interval import Interval
from betaroc.inference.of_scores import CountedScores
from betaroc.inference.scores_beyond import SampleSupport
from betaroc.model.measures import precision_of
from betaroc.model.model import ScoreModel
from betaroc.rendering.numbers import rate as shown_rate, rate_span, rounded, spaced
from betaroc.rendering.tree import Column, Node, Paragraph, apart, recorded
from betaroc.rendering.tree_text import records

#: The methods, the one to take first.
HOW = ("guaranteed", "average", "tail", "model", "counted")
#: The rates that can be a target, each with its class and the end of it that counts.
TARGET_RATES = ("far", "frr")
_ENDS = {"far": ("impostor", "upper"), "frr": ("client", "lower")}
_ARGUMENTS = ("precision", "cost_fa", "cost_fr", "prior", "eer", "youden", "how", "confidence",
              "family")  # fmt: skip
#: What a confidence may lack of 1 at least.
_LEAST_RISK = 1e-12
#: What the scores that gave a fit say of it.
POOR = "the fit does not hold"
#: Precisions, and chances of failure, that agree to this are equal but for rounding.
_TIED = 1e-12
#: Shapes from which on Abramowitz and Stegun 26.5.20 are right to 1e-11.
_LARGE = 1e8
#: A tail is asked for rates that expect so many scores.
_LEAST_EXPECTED = Fraction(1, 10)
#: Thresholds of a precision that are tried at most.
_TRIED = 1024
#: FARs at which a model may show a precision, and the most trials of a class that are asked for.
_RATES, _MOST_TRIALS = np.logspace(-7.0, 0.0, 701), 10**8
#: Thresholds at which dependent trials are counted at once.
_AT_ONCE = 64
#: Scores above the threshold, for which the table has a row.
_ACCEPTED = (0, 1, 4, 9, 49, 99)
#: A rate with both ends of its interval.
Rate = tuple[float, float, float]


# ------------------------------------------------------------------------ what is asked
#: The statuses, the best first.
GREEN, AMBER, RED = "can be relied on", "not enough evidence", "do not rely on it"


class Assessment(NamedTuple):
    """A status with its reason and what would change it; of a test its verdict."""

    status: str
    reason: str
    remedy: str
    verdict: str = "cannot tell"


class Target(NamedTuple):
    """What is asked of a decision, checked: a rate not to be passed, or costs."""

    kind: str
    rate: float
    confidence: float
    words: ClassWords = ClassWords()
    costs: tuple[float, float] | None = None
    prior: float | None = None
    how: str | None = None
    #: The target by the name that it was given.
    typed: str = ""
    #: Whether trials depend on each other, so that groups of them are counted.
    grouped: bool = False
    #: How many strata each keep the target, and which of them has the fewest trials.
    strata: int = 0
    smallest: str = ""
    #: Whether clients have the lower scores.
    lower: bool = False
    #: The field in whose words the decision is shown.
    terms: str = vocabulary.BIOMETRIC

    @property
    def who(self) -> str:
        return _ENDS[self.kind][0]

    @property
    def many(self) -> str:
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


class TargetArguments(RateArguments, total=False):
    """The other names of the arguments of a decision."""

    level: float  # which `public` takes for the confidence
    tpr: float
    precision: float
    ppv: float


def checked_request(
    *, cost_fa: float | None = None, cost_fr: float | None = None, prior: float | None = None,
    eer: bool = False, youden: bool = False, how: str | None = None, confidence: float = 0.95,
    terms: str = vocabulary.BIOMETRIC, **rates: float | None,
) -> Target:  # fmt: skip
    """A target and how to choose, checked; `decide` documents them."""
    rates = {name: rate for name, rate in rates.items() if rate is not None}
    if checks.flag(youden, "youden"):
        if any(item is not None for item in (cost_fa, cost_fr, prior)):
            rule = "stand alone: it is costs of 1 at a prior of 1/2"
            raise refusal("youden", rule, "costs or a prior too", "Leave these out.")
        cost_fa, cost_fr, prior = 1.0, 1.0, 0.5
    typed = _typed_target(rates, {"cost_fa": cost_fa, "cost_fr": cost_fr}, eer=eer)
    name = str(vocabulary.canonical(typed))
    kind, rate = vocabulary.COMPLEMENTS.get(name, name), math.nan
    if how is not None:
        both = (HOW[0], HOW[-1]) if kind == "precision" else ("counted", "model")
        checks.choice(how, HOW[:-1] if kind in TARGET_RATES else both, "how")
    if typed in rates:
        whole = kind == "precision"
        rule = "above 0, at most 1" if whole else "strictly between 0 and 1"
        rate = checks.fraction(rates[typed], typed, f"be a fraction {rule}")
        if rate == 0.0 or (rate == 1.0 and not whole):
            hint = "No sample shows a rate of 0; 1 % is 0.01."
            raise refusal(typed, f"be a fraction {rule}", repr(rate), hint)
        rate = checks.complement(rate, typed) if name in vocabulary.COMPLEMENTS else rate
    costs = None
    if kind == "cost":
        costs = checks.positive(cost_fa, "cost_fa"), checks.positive(cost_fr, "cost_fr")
    share = None if prior is None else checks.fraction(prior, "prior")
    if kind == "precision" and share in (0.0, 1.0):
        rule = "be strictly between 0 and 1 for a precision"
        raise refusal("prior", rule, repr(share), f"It is then {share:g} at every threshold.")
    level = checks.level(confidence, "confidence")
    if 1.0 - level < _LEAST_RISK:
        actual = f"{level!r}, whose complement is lost in rounding"
        raise refusal("confidence", f"be at most 1 - {_LEAST_RISK:g}", actual, "Ask for less.")
    result = Target(kind, rate, level, costs=costs, prior=share, how=how, typed=typed)
    return result._replace(terms=checks.terms_of(terms).name)


def _typed_target(rates: Mapping[str, Any], costs: Mapping[str, float | None], *, eer: bool) -> str:
    for name in {*rates}.difference(vocabulary.RATE_NAMES, vocabulary.SYNONYMS["precision"]):
        raise InputTypeError.about(name)(
            f"{name!r} must be an argument of a decision; it is none."
            f" {checks.did_you_mean(name, (*vocabulary.RATE_NAMES, *_ARGUMENTS))}".rstrip()
        )
    missing = [name for name, cost in costs.items() if cost is None]
    value: list[str] = [*rates, *["cost"] * (len(missing) < 2)]
    value += ["eer"] * checks.flag(eer, "eer")
    if len(value) != 1:
        raise InputError(
            "exactly one target must be given:"
            + vocabulary.worded(" `far=`, `frr=`, `cost_fa=` with `cost_fr=`, or `eer`;")
            + f" got {' and '.join(value) or 'none'}. Give one."
        )
    if value == ["cost"] and missing:
        raise InputError.about(missing[0])(
            vocabulary.worded(f"`{missing[0]}` must stand beside the other cost; it is missing.")
            + " Give both."
        )
    return value[0]


def target_text(asked: Target) -> str:
    """A target in one short text, by which a page can be made again."""
    prior = "" if asked.prior is None else f",prior={asked.prior!r}"
    if asked.costs is not None:
        return f"cost_fa={asked.costs[0]!r},cost_fr={asked.costs[1]!r}{prior}"
    return "eer" if asked.kind == "eer" else f"{asked.kind}={asked.rate!r}{prior}"


def question_of(asked: Target) -> str:
    """The question that a threshold for the target answers."""
    share = f"{100.0 * asked.rate:g} %"
    if asked.kind in TARGET_RATES:
        return f"Which threshold keeps {short_name(asked.kind)} at or below {share}?"
    if asked.kind == "precision":
        where = "" if asked.prior is None else f" {prevalence_words(asked.prior)}"
        return f"Which threshold has a {vocabulary.PRECISION} of at least {share}{where}?"
    if asked.costs is None:
        return f"At which threshold are {FAR} and {FRR} equal?"
    fa, fr = asked.costs
    costs = f"{fa:g} per {vocabulary.FALSE_ACCEPTANCE} and {fr:g} per {vocabulary.FALSE_REJECTION}"
    return f"Which threshold costs least, {costs}?"


def prevalence_words(prior: float, *, sampled: bool = False) -> str:
    """At which share of clients a precision is."""
    share = f"{100.0 * prior:.3g} %"
    return f"at dev's sampled prevalence ({share})" if sampled else f"at prevalence {share}"


def other_sources(many: str) -> str:
    """What a threshold that can be relied on does not speak for."""
    return f"other {many}, {vocabulary.DEVICE} or model; {vocabulary.TRIALS} that share a person."


def no_use_assessment(method: ThresholdMethod, words: ClassWords) -> Assessment:
    """Of a threshold at which clients are accepted no more often than impostors."""
    clients, impostors = words.many("client"), words.many("impostor")
    return Assessment(
        RED,
        f"Here {clients} of dev are {vocabulary.ACCEPTED} no more often than {impostors}: {FRR}"
        f" {shown_rate(method.frr)}, {FAR} {shown_rate(method.far)}.",
        f"scores that tell {clients} from {impostors}; the other label for {clients}, or scores"
        " with the opposite sign, if these are the wrong way round.",
    )


def mean_assessment(method: ThresholdMethod, asked: Target) -> Assessment:
    """Of costs or the equal error rate, which set no target to keep."""
    equal, clients = f"{vocabulary.EQUAL_ERROR_RATE}s", asked.words.many("client")
    start = f"The threshold has {'the least mean cost' if asked.costs else equal}"
    by = f"by the fitted {method.family} distributions"
    if method.how == "counted":
        by = "counted on dev"
    if asked.costs is None and mirror(method.threshold, asked.lower) == -math.inf:
        start = (
            f"No threshold has {equal}, since {clients} without a score are errors: the"
            f" lowest has {FRR} {shown_rate(method.frr)} and {FAR} {shown_rate(method.far)}"
        )
    reason = f"{start}, {by}; that is no target that other {vocabulary.TRIALS} could keep."
    return Assessment(AMBER, reason, "a target for one of the rates.")


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
        rules: dict[str, Any] = {"boundary": self.boundary, "resolution": self.resolution}
        result: Fit = fit(scores, family, bounds=self.bounds, **rules, **tails)
        return result

    def best(self, scores: ScoreData) -> tuple[Fit, FamilyComparison | None]:
        """The fit, and of "best" what it was chosen from."""
        if self.known is not None:
            return self.known
        if self.family != BEST:
            return self.fit(scores, self.family), None
        rules, bounds = (self.boundary, self.resolution), scores._bounds_inside(self.bounds)
        result = best_comparison(scores, *rules, bounds)
        compared = result if isinstance(result, FamilyComparison) else None
        return best_fit(scores, *rules, result, bounds=bounds), compared

    def tried(self, scores: ScoreData) -> Fitting:
        """The same with its fit, if there is one; impossible rules are refused."""
        try:
            with suppress_warnings():
                return self._replace(known=self.best(scores))
        except BetarocError as error:
            check_wrong_rules(error)
            return self


def check_wrong_rules(error: BetarocError) -> None:
    """Raise what speaks of an argument of the fits, whatever the scores."""
    if error.argument in Fitting._fields:
        raise error


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdMethod(Value):
    """A threshold by one of the methods, and what to expect of it.

    Parameters
    ----------
    how, family : str
        As in :func:`decide`; `family` of the target's class, for both rates of both classes.
    threshold : float
        nan where it is not possible.
    expected, low, high : float
        The target's expected rate and its interval.
    n_beyond : float
        Impostors of dev accepted, or clients rejected; of fits those expected.
    far, frr : float
        Both rates counted on dev.
    why : str
        Why it is not possible, or what speaks against it; else empty.
    k : int or None
        Where the threshold is the k-th largest impostor or the k-th smallest client score.
    achieved : float
        P(true rate <= target) of such a threshold, or more; nan of fits.

    Examples
    --------
    >>> import betaroc as br
    >>> scores = br.Scores([600, 700], range(100))
    >>> method = br.decide(scores, far=0.02, family="normal").methods[1]
    >>> method.how, method.threshold
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

    def _mirrored(self, lower: bool) -> ThresholdMethod:
        return replace(self, threshold=mirror(self.threshold, lower))

    @property
    def possible(self) -> bool:
        return not math.isnan(self.threshold)


def candidate_thresholds(
    scores: ScoreData, target: Target, fitting: Fitting
) -> list[ThresholdMethod]:
    """Every way to a threshold of the target, in the order of `HOW`."""
    ordered = OrderedScores(scores, target)
    guaranteed, average, counted = map(ordered.method, (*HOW[:2], HOW[-1]))
    fitted = _of_fits(scores, target, counted.threshold, fitting)
    return [guaranteed, average, *fitted, counted]


# --------------------------------------------------------------------- order statistics
class OrderedScores:
    """The class of a target from its end inwards, and the independent trials it is worth."""

    def __init__(self, scores: ScoreData, target: Target) -> None:
        for who in CLASSES:
            weights = getattr(scores, f"{who}_weights", None)
            check_fractional_weights(weights, who, "for a decision")
        self.scores, self.evidence = scores, SampleSupport(scores._as_scores()._trials)
        above = target.kind == "far"
        places, masses = self.evidence.counts[above]._steps
        #: Distinct scores, those of clients negated, descending; how many lie as far out or more.
        self.places = places[::-1] if above else -places
        self.upto = np.cumsum(masses[::-1] if above else masses)
        self.n, self.above = int(self.upto[-1]), above
        #: Trials, or groups of them, that are independent of each other.
        self.units = int(self.evidence.sizes[above])
        self.target = target._replace(grouped=self.units < self.n)
        self._size_at = cache(self._size)

    def method(self, how: str) -> ThresholdMethod:
        """The guaranteed threshold, that of the target on average, or that counted on dev."""
        rate, exact, confidence = self.target.rate, self.target.exact, self.target.confidence
        if how == "counted":
            method = self._at(how, math.floor(exact * self.n))
            if self.evidence.groups is None or not method.possible:
                return method
            kind, place = self.target.kind, method.threshold
            _, low, high = rate_interval(self.scores, kind, place, confidence)
            return replace(method, low=low, high=high)
        if how == "average":  # (k + 1)/(n + 1) is at most the target
            needed = math.ceil(1 / exact) - 1
            k = self._most(lambda n, k: Fraction(k) <= exact * (Fraction(n) + 1))
        else:
            needed, k = needed_for_guarantee(rate, confidence), -1
            if self.units >= needed:
                k = self._most(partial(keeps_bound, rate=rate, confidence=confidence))
        if k >= 0:
            return self._at(how, k)
        why = f"{spaced(needed)} {self.target.units} needed, dev has {spaced(self.units)}"
        if how == "guaranteed":
            best = shown_rate(rate_of_none(self.units, confidence), up=True)
            at = rounded(self._threshold(0), up=self.above, lower=self.target.lower)
            name = short_name(self.target.kind)
            why += f", which guarantee {name} {best} at best (threshold {at})"
        return ThresholdMethod(how, math.nan, why=Sentence(why))

    def _at(self, how: str, k: int) -> ThresholdMethod:
        """k trials beyond, worth x of n: the rate is Beta(x + 1, n - x), or less at ties."""
        target, absent = self.target, int(self.upto[0]) if self.places[0] == math.inf else 0
        if absent > k:
            why = f"{k} of {self.n} {target.many} may be errors, {absent} have no score"
            return ThresholdMethod(how, math.nan, why=Sentence(why))
        (x, n), threshold = self._worth(k), self._threshold(k)
        at = int(np.searchsorted(self.upto, k + 1))
        fewest = float(self.upto[at - 1]) if at else 0.0
        if isinstance(self.scores, ScoreSummary) and not self.above:  # the bin's other border
            threshold = self.scores.border_below(math.nextafter(threshold, math.inf))
        least, tail = min(fewest, x), IntervalOptions(target.confidence).tail
        low = float(beta_quantile(least + 1.0, n - least, tail))
        high = float(beta_quantile(x + 1.0, n - x, 1.0 - tail))
        return ThresholdMethod(
            how, threshold, (x + 1.0) / (n + 1.0), low, high, fewest,
            *counted_at(self.scores, threshold), k=k + 1,
            achieved=_beta_cdf(x + 1.0, n - x, target.rate),
        )  # fmt: skip

    def _threshold(self, k: int) -> float:
        place = float(self.places[np.searchsorted(self.upto, k + 1)])
        return place if self.above else math.nextafter(-place, -math.inf)

    def _most(self, keeps: Callable[[float, float], bool]) -> int:
        """The most trials that may lie beyond, -1 for none, by a rule of the k-th of n trials."""
        if self.evidence.groups is None:
            return least_whole(lambda k: not keeps(self.units, k + 1), -1, self.n) - 1
        counts = [0, *self.upto[:-1].astype(int).tolist()]

        def passes(place: int) -> bool:
            x, n = self._worth(counts[place])
            return not keeps(n, x + 1.0)

        past = least_whole(passes, -1, len(counts))
        return counts[past - 1] if past else -1

    def _worth(self, k: int) -> tuple[float, float]:
        """x of n independent trials that say as much as k of all, at most what groups show."""
        if self.evidence.groups is None or not k:
            return float(k), float(self.units)
        size = min(self._size_at(k), self._size_at(max(math.floor(self.target.rate * self.n), 1)))
        return k / self.n * size, size

    def _size(self, k: int) -> float:
        t = Thresholds.from_theta(np.array([self._threshold(k)]))
        risk = 1.0 - self.target.confidence
        return float(self.evidence.effective(int(self.above), t, risk, above=self.above)[0])


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


def _beta_cdf(a: float, b: float, x: float) -> float:
    """P(Beta(a, b) <= x); of large shapes, where scipy has no digits, by Peizer and Pratt."""
    from scipy.special import betainc, ndtr

    if min(a, b) < _LARGE:
        return float(betainc(a, b, x))
    first, second = math.cbrt(b * x), math.cbrt(a * (1.0 - x))
    apart = first * (1.0 - 1.0 / (9.0 * b)) - second * (1.0 - 1.0 / (9.0 * a))
    return float(ndtr(3.0 * apart / math.hypot(first / math.sqrt(b), second / math.sqrt(a))))


def counted_at(scores: ScoreData, threshold: float) -> tuple[float, float]:
    """Both rates of the scores at a threshold."""
    t = Thresholds.from_theta(np.array(threshold))
    return float(_shares(scores, "far", t)), float(_shares(scores, "frr", t))


def _shares(scores: ScoreData, kind: str, t: Thresholds) -> FloatArray:
    client, impostor = scores._distributions
    return np.asarray((impostor._upper(t) if kind == "far" else client._lower(t))[0])


# ------------------------------------------------------------------------------- of fits
def _of_fits(
    scores: ScoreData, target: Target, counted: float, fitting: Fitting
) -> list[ThresholdMethod]:
    def method(how: str, make: Callable[[], Fit], family: str = "") -> ThresholdMethod:
        try:
            return _by_fit(scores, make(), how, target, counted)
        except BetarocError as error:
            return ThresholdMethod(how, math.nan, family=family, why=Sentence(error.template))

    with suppress_warnings():
        try:
            plain, compared = fitting.best(scores)
        except BetarocError as error:
            check_wrong_rules(error)
            why = Sentence(error.template)
            return [ThresholdMethod(how, math.nan, why=why) for how in ("tail", "model")]
        result = [
            method("tail", lambda: _tailed(plain, target, fitting)),
            method("model", lambda: _untailed(plain, target, fitting)),
        ]
        if compared is None:
            return result
        client, impostor = compared.recommended
        for row in compared.of(target.who):
            pair = (row.family, impostor) if target.kind == "frr" else (client, row.family)
            if pair != compared.recommended:
                make = partial(fitting.fit, scores, pair)
                result.append(method("model", make, row.family))
    return result


def _tailed(plain: Fit, target: Target, fitting: Fitting) -> Fit:
    who, side = _ENDS[target.kind]
    size = plain._scored._evidence.sizes[CLASSES.index(who)]
    fewest = max(FEWEST, math.ceil(_LEAST_EXPECTED / target.exact))
    if size < fewest:
        raise InputError(f"{spaced(fewest)} {target.units} needed, dev has {spaced(size)}")
    if any(tail.side == side for tail in getattr(plain, who).tails):
        return plain
    return fitting.fit(plain.scores, plain.family, tails={who: side})


def _untailed(plain: Fit, target: Target, fitting: Fitting) -> Fit:
    estimate = getattr(plain, target.who)
    if not estimate.names:
        raise InputError("counts are no distribution that a rate could be read off")
    return fitting.fit(plain.scores, plain.family) if estimate.tails else plain


def _by_fit(scores: ScoreData, f: Fit, how: str, target: Target, counted: float) -> ThresholdMethod:
    above = target.kind == "far"
    point = f.model.at_far(target.rate) if above else f.model.at_frr(target.rate)
    fitted = float(point.thresholds.theta)
    threshold = max(fitted, counted) if above else min(fitted, counted)
    result = rate_of_fit(f, target.kind, threshold, target.confidence)
    (check,) = check_targets(f, **{target.kind: target.rate}, level=target.confidence)
    present = shown_rate(counted_at(scores, fitted)[0 if above else 1])
    before = f"moved from {mirror(fitted, target.lower):.4g}, where dev counts {present}"
    why = before * (threshold != fitted)
    if check.verdict == "poor":
        why = f"{why or f'dev counts {present} there'}: {POOR}"
    size = float(getattr(scores, f"{target.who}_total"))
    absent = 0 if above else scores.n_client_rejected  # who speak for no rate
    return ThresholdMethod(
        how, threshold, *result, max(size * result[0] - absent, 0.0),
        *counted_at(scores, threshold), family=getattr(f, target.who).family, why=why,
    )  # fmt: skip


def rate_of_fit(f: Fit, kind: str, threshold: float, level: float) -> Rate:
    """The fit's rate with its interval; nan where a moved threshold lies too far out."""
    at = mirror(threshold, f.model.lower_is_client)
    try:
        with suppress_warnings():
            result = f.interval(kind, threshold=at, level=level)
    except BetarocError:
        return float(getattr(f.model, kind)(at)), math.nan, math.nan
    return result.estimate, result.low, result.high


# ------------------------------------------------------------------------- counted rates
def counted_rates(
    data: ScoreData, kind: str, thresholds: npt.ArrayLike, level: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """A rate counted at many thresholds with exact intervals, nan with fractional weights."""
    t = Thresholds.from_theta(np.asarray(thresholds, dtype=np.float64))
    try:
        return _rates_and_ends(CountedScores(data), kind, t, level)
    except InputError:
        return _shares(data, kind, t), np.full(t.shape, np.nan), np.full(t.shape, np.nan)


def _rates_and_ends(
    counted: CountedScores, kind: str, t: Thresholds, level: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    who, tail, data = int(kind == "far"), 0.5 * (1.0 - level), counted.data
    rates = _shares(data, kind, t)
    n = np.concatenate([
        counted.evidence.effective(who, t[k : k + _AT_ONCE], tail, above=bool(who))
        for k in range(0, t.size, _AT_ONCE)
    ])  # fmt: skip
    low, high = share_ends(rates * n, n, tail)
    if isinstance(data, ScoreSummary):  # within a bin a score may lie on either side
        off = data.rate_error_at(t.theta)[1 - who]
        low, high = np.maximum(low - off, 0.0), np.minimum(high + off, 1.0)
    return rates, low, high


def both_rates(scores: ScoreData, threshold: float, level: float) -> tuple[Rate, Rate]:
    """FAR and FRR counted at a threshold, with their exact intervals."""
    counted, t = CountedScores(scores), Thresholds.from_theta(np.array([threshold]))
    rates: Any = (np.ravel(_rates_and_ends(counted, kind, t, level)) for kind in TARGET_RATES)
    far, frr = (tuple(rate.tolist()) for rate in rates)
    return far, frr


def rate_interval(scores: ScoreData, kind: str, threshold: float, level: float) -> Rate:
    """A rate counted at a threshold with its exact interval."""
    return both_rates(scores, threshold, level)[TARGET_RATES.index(kind)]


def clopper_pearson_upper(
    method: ThresholdMethod, target: Target, n: int, absent: int = 0
) -> float:
    """The upper end of the exact interval of what n trials of dev count at a threshold."""
    # The absent, who have no score and are rejected, are left out.
    k = round(getattr(method, target.kind) * n) - (absent if target.kind == "frr" else 0)
    left, level = n - absent - k, 1.0 - IntervalOptions(target.confidence).tail
    return float(beta_quantile(k + 1.0, left, level)) if left else 1.0


def method_of_both(
    scores: ScoreData, how: str, threshold: float, confidence: float, f: Fit | None = None
) -> ThresholdMethod:
    """At a threshold of both rates, FAR with its exact interval; of a fit its own."""
    far, frr = both_rates(scores, threshold, confidence)
    result = far if f is None else rate_of_fit(f, "far", threshold, confidence)
    beyond, family = float(round(far[0] * scores.impostor_total)), f and family_text(f.family)
    return ThresholdMethod(how, threshold, *result, beyond, far[0], frr[0], family or "")


# ----------------------------------------------------------------------------- precision
def method_of_precision(scores: ScoreData, target: Target, how: str) -> ThresholdMethod:
    """The threshold of the largest TPR whose bound, or count, keeps a precision."""
    # Of several thresholds of one TPR a bound is of that of the least FAR, a count of the lowest.
    counted, risk = CountedScores(scores), IntervalOptions(target.confidence).tail
    gaps, share = counted.pair.gaps, scores.prior if target.prior is None else target.prior
    precision, least = precision_of(share, gaps.tpr, gaps.far), target.rate * (1.0 - _TIED)
    order, values, name = np.arange(precision.size), precision, "highest counted"
    places = gaps.thresholds().theta
    if how == HOW[0]:
        order, name = gaps.turns[:-1], "best lower bound"
        order = order[gaps.client[order] > 0.0]
        if order.size > _TRIED:  # fewer, dense where little is accepted
            order = order[-np.unique(np.geomspace(1, order.size, _TRIED).astype(int))[::-1]]
        values = np.full(precision.size, np.nan)
        for part in np.split(order, range(_AT_ONCE, order.size, _AT_ONCE)):
            t, rates = Thresholds.from_theta(places[part]), (gaps.tpr[part], gaps.far[part])
            sizes = _independent_sizes(counted.evidence, t, target.prior, risk)
            values[part] = precision_bound(target.prior, rates, sizes, risk)
            if np.any(values[part] >= least):
                break
    reached = order[values[order] >= least]
    place = reached[:1] if reached.size else np.nanargmax(values, keepdims=True)
    at = float(places[place[0]])
    if not reached.size:
        best = rounded(100.0 * float(values[place[0]]), up=False)
        why = f"the {name} is {best} %, at the threshold {rounded(at, up=True)}"
        return ThresholdMethod(how, math.nan, why=why)
    result, accepted = precision_interval(scores, at, target)
    if how == HOW[0]:
        result = result[0], float(values[place[0]]), result[2]
    return ThresholdMethod(how, at, *result, accepted, *counted_at(scores, at))


def precision_bound(
    prior: float | None, rates: Sequence[FloatArray], sizes: Sequence[Any], tail: float
) -> FloatArray:
    """A lower bound of precision, given TPR and FAR and the trials of each class."""
    # At a prior from the lower end of the TPR and the upper end of the FAR, with `tail` beyond
    # each; without one Clopper and Pearson's of the accepted.
    hits, errors = (n * rate for n, rate in zip(sizes, rates, strict=True))
    if prior is None:
        return share_ends(hits, hits + errors, tail)[0]
    low, high = share_ends(hits, sizes[0], tail)[0], share_ends(errors, sizes[1], tail)[1]
    return precision_of(prior, low, high)


def _independent_sizes(
    evidence: SampleSupport, t: Thresholds, prior: float | None, tail: float
) -> list[FloatArray]:
    """Trials of each class that the accepted are worth; without a prior a group is worth one."""
    groups = evidence.groups
    if groups is None or prior is not None:
        return [evidence.effective(who, t, tail, above=True) for who in (0, 1)]
    rows = (getattr(evidence.data, who)[row] for who, row in zip(CLASSES, groups.rows, strict=True))
    accepted = (np.concatenate([*rows])[:, None] > t.theta).astype(np.float64)
    whole, twice = map(np.diag, groups.meat(accepted))
    return [total * (groups.copies @ accepted) / (whole - twice) for total in evidence.totals]


def precision_refusal(
    scores: ScoreData, target: Target, fitting: Fitting, method: ThresholdMethod
) -> BetarocError:
    """That no threshold keeps a precision: the best there is, and what would do by the fit."""
    prior, do, needed = target.prior, "Give other scores, or ask for less.", None
    share = scores.prior if prior is None else prior
    if method.how == HOW[0]:
        do = "Ask for less, or take `how='counted'`, which guarantees nothing."
        with suppress(BetarocError), suppress_warnings():
            needed, many = _trials_for_precision(fitting.best(scores)[0].model, target, share)
            do = f"By the fit {many} would do. {do}"
    error = InputError.about("precision")(
        f"precision={target.rate:g} must be {method.how} at some threshold,"
        f" {prevalence_words(share, sampled=prior is None)}; it is not: {method.why}."
        f" {vocabulary.worded(do)}"
    )
    error.needed = needed  # type: ignore[attr-defined]
    return error


def _trials_for_precision(
    model: ScoreModel, target: Target, share: float
) -> tuple[int | None, str]:
    """How many trials per class, distributed as a model, show a precision; both in words."""
    point, tail = model.at_far(_RATES), IntervalOptions(target.confidence).tail
    parts = (1.0, 1.0) if target.prior is not None else (2.0 * share, 2.0 - 2.0 * share)

    def enough(n: int) -> bool:
        sizes = [n * part for part in parts]
        bound = precision_bound(target.prior, (point.tpr, point.far), sizes, tail)
        return bool(np.any(bound >= target.rate))

    if (n := least_whole(enough, 0, _MOST_TRIALS)) == _MOST_TRIALS:
        return None, f"no number of {vocabulary.TRIALS}"
    pairs = zip(parts, (vocabulary.CLIENTS, vocabulary.IMPOSTORS), strict=True)
    each = " and ".join(f"{spaced(float(f'{n * part:.2g}'))} {who}" for part, who in pairs)
    return n, f"about {each}{', independent of each other,' * target.grouped}"


def precision_interval(scores: ScoreData, threshold: float, target: Target) -> tuple[Rate, int]:
    """The precision at a threshold with its interval, and how many trials are accepted."""
    far, frr = both_rates(scores, threshold, target.confidence)
    hits = round(scores.client_total * float(scores._distributions[0].sf(threshold)))
    accepted = hits + round(scores.impostor_total * far[0])
    if not accepted:
        return (math.nan, 0.0, 1.0), 0
    if target.prior is not None:
        return precision_with_ends(target.prior, far, frr), accepted
    evidence, t = SampleSupport(scores._trials), Thresholds.from_theta(np.array([threshold]))
    tail = IntervalOptions(target.confidence).tail
    worth = float(_independent_sizes(evidence, t, None, tail)[0][0]) / evidence.totals[0]
    low, high = share_ends(hits * worth, accepted * worth, tail)
    return (hits / accepted, float(low), float(high)), accepted


def mean_rate(weights: tuple[float, float], far: Rate, frr: Rate) -> Rate:
    """A weighted mean of both rates, with the squares of both intervals added."""

    def reach(k: int) -> float:
        return math.hypot(weights[0] * (far[k] - far[0]), weights[1] * (frr[k] - frr[0]))

    mean = weights[0] * far[0] + weights[1] * frr[0]
    return mean, mean - reach(1), mean + reach(2)


def precision_with_ends(prior: float, far: Rate, frr: Rate) -> Rate:
    """The precision at a prior, the squares of what both ends of both rates change of it added."""

    def off(k: int, j: int) -> float:
        ends = precision_of(prior, 1.0 - frr[k], far[0]), precision_of(prior, 1.0 - frr[0], far[j])
        return math.hypot(*(float(end) - precision for end in ends))

    precision = float(precision_of(prior, 1.0 - frr[0], far[0]))
    return precision, max(precision - off(2, 2), 0.0), min(precision + off(1, 1), 1.0)


def precision_beside(
    target: Target, counted: tuple[Interval, Interval] | None, aimed: Rate
) -> Interval | None:
    """The precision at the prior asked for, by the target's rate and the other as it is counted."""
    if target.kind != "precision":
        if counted is None or target.prior is None:
            return None
        far, frr = ((item.estimate, item.low, item.high) for item in counted)
        rates = {"far": far, "frr": frr} | {target.kind: aimed}
        aimed = precision_with_ends(target.prior, rates["far"], rates["frr"])
    return Interval(*aimed, target.confidence, "counted")


def precision_assessment(method: ThresholdMethod, target: Target, prior: float) -> Assessment:
    """Of a precision, bounded with a confidence or counted."""
    where = prevalence_words(prior, sampled=target.prior is None)
    share = f"{100.0 * target.rate:g} % {where}"
    dev, far, frr = map(shown_rate, (method.expected, method.far, method.frr))
    more = f"of {spaced(method.n_beyond)} {vocabulary.TRIALS} {vocabulary.ACCEPTED}"
    dev = f"{dev} {more if target.prior is None else f'with {FAR} {far} and {FRR} {frr}'}"
    if method.how == HOW[0]:
        return Assessment(
            GREEN,
            f"With {'about ' * target.grouped}{100.0 * target.confidence:g} % confidence"
            f" {vocabulary.PRECISION} stays at or above {share} on {vocabulary.TRIALS} like dev's"
            f" (dev counts {dev}; lower bound {shown_rate(method.low)}).",
            f"another prevalence; {other_sources(target.words.many('impostor'))}",
        )
    return Assessment(
        AMBER,
        f"This is the lowest threshold at which dev counts a {vocabulary.PRECISION} of at least"
        f" {share}: {dev}, interval {rate_span(method.low, method.high)}. That is no"
        f" guarantee: it was sought where dev's count is high, and {vocabulary.PRECISION} need not"
        " rise with the threshold.",
        "the guaranteed threshold.",
    )


# ---------------------------------------------------------- what more scores bring
def guarantee_plan(
    at: str, target: float, level: float, strata: int
) -> tuple[dict[str, Any], Sequence[Node]]:
    """The plan of a guaranteed FAR or FRR, also of each stratum, as numbers and as shown."""
    kind, _, _ = at.partition("=")
    who, name = "impostor" if kind == "far" else "client", short_name(kind)
    needed = needed_for_guarantee(target, level)
    scores = f"{vocabulary.CLASS_SLOTS[who][0]} scores"
    columns = (
        Column("n", scores, spaced), Column("beyond", "beyond"),
        Column("expected", f"{name} expected", shown_rate), Column("guaranteed"),
    )  # fmt: skip
    sizes = [(fewest_of_order(k + 1, target, level), k) for k in _ACCEPTED]
    table = recorded(columns, [(n, k, _expected(n, k, strata), target) for n, k in sizes])
    document = {
        "stat": f"guarantee@{at}", "class": who, "needed": needed, "rate": target,
        "level": level, "strata": strata, "table": records(table.kept), "warnings": [],
    }  # fmt: skip
    several = strata > 1
    in_all = f" of each of {strata} strata, {spaced(strata * needed)} in all," * several
    return document, apart(
        Paragraph(f"Collect {spaced(needed)} {scores}{in_all} or more"),
        Paragraph(
            f"With {100 * level:g} % confidence the true {name} of the threshold that betaroc"
            f" threshold --{kind} {target:g} finds is then at most {100 * target:g} %"
            f"{' for each stratum' * several}, whatever the distributions are. Fewer guarantee"
            f" nothing; with more the {name} expected comes nearer to the target."
        ),
        table,
    )


def _expected(n: int, beyond: int, strata: int) -> float:
    """Mean rate of a threshold with so many of n scores beyond; of like strata the last."""
    if strata == 1:
        return (beyond + 1) / (n + 1)
    shares = (np.arange(1000) + 0.5) / 1000.0
    tails = -np.expm1(np.log1p(-shares) / strata)  # the least of so many beta-distributed rates
    return float(np.mean(beta_quantile(beyond + 1, n - beyond, tails)))


def digest_of(scores: ScoreData) -> str:
    """The same for the same scores of both classes, in whatever order."""
    result, rows = hashlib.blake2b(digest_size=16), scores._trials._as_scores()
    for values in (rows.client, rows.impostor):
        result.update(np.sort(values).tobytes())
    if isinstance(scores, ScoreSummary):  # ascending borders of bins, with their counts
        result.update(np.concatenate([rows.client_weights, rows.impostor_weights]).tobytes())
    return result.hexdigest()


def warn_of_dev(scores: ScoreData, dev: str) -> None:
    """That scores are those of which `dev` is the digest."""
    if digest_of(scores) == dev:
        text = "the scores are dev's own, so the threshold looks better here than on new data."
        warn(f"{text} Pass scores that took no part in choosing it.", SameDataWarning)
