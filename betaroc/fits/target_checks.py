"""Does a fit hold at the rates that matter? Scores counted beyond its own thresholds."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import BetarocError, InputError, MisfitWarning
from betaroc.core.notices import Notice
from betaroc.core.options import POWER, IntervalOptions
from betaroc.core.resampling import refuse_fractional_weights
from betaroc.core.special import share_ends
from betaroc.core.text import shown
from betaroc.core.thresholds import Thresholds
from betaroc.data.scores import ScoreData
from betaroc.data.summary import ScoreSummary
from betaroc.distributions.inflated import REJECTED
from betaroc.estimation.record import PairEstimate
from betaroc.inference.scores_beyond import Evidence, about, contradicted, evidence_of_pair
from betaroc.model import operating_points
from betaroc.model.samples import empirical_model
from betaroc.model.statistics import Asked
from betaroc.rendering.numbers import number, percent, spaced, threshold as threshold_words
from betaroc.rendering.tree import Grid, Row, quantity

#: Rates that are asked for, if any.
Rates = npt.ArrayLike | None
#: A rate is good if the interval counted lies within this factor, and does not contradict it.
WITHIN = 3.0
#: Expected scores, of groups effective ones, down to which there are default targets.
_EXPECTED = 5.0
#: Relative difference of the fit's rate at its own threshold that rounding does not make.
_ROUNDING = 1e-6
#: A distance of distribution functions that matters, ...
_OFF = 0.05
#: ... beyond what chance does in one of twenty sets, times sqrt(n), whatever the distribution.
_CHANCE = 1.36
#: Places at which a distance is looked for, and the rate at whose threshold scores are counted.
_PLACES, _RATE = 64, 0.01


class TargetCheck(NamedTuple):
    """One rate that was asked for, and what is counted at the fit's own threshold for it.

    Made by :func:`check_fit`, whose notes state the rule.

    Parameters
    ----------
    rate : str
        "far", of the impostors, or "frr", of the clients.
    target : float
        The rate asked, a fraction.
    threshold : float
        The fitted distribution's own threshold for it.
    expected, observed : float
        Scores beyond the threshold, impostors above or clients not above: as many as the
        fitted distribution expects, and those counted. Divided by `n` they are rates.
    low, high : float
        Exact binomial interval of the rate that was counted; of groups, of `n_effective`.
    verdict : str
        "good" (within a factor of 3), "poor" or "cannot tell".
    reason : str
        The numbers behind it.
    n, n_effective : float
        Scores of the class (sum of the weights), and how many independent ones they are worth.
    needed : int or None
        Scores of the class that would tell; None where that is known, or no number would.
    logit_threshold : float
        log(threshold / (1 - threshold)), nan off the scale [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> f = br.fit(br.Scores(rng.beta(4, 2, 500), rng.beta(2, 4, 500)))
    >>> target = br.check_fit(f, far=0.001, replicates=19, rng=1).targets[0]
    >>> target.expected, target.observed, target.verdict, target.needed
    (0.5, 0.0, 'cannot tell', 12536)
    """

    rate: str
    target: float
    threshold: float
    expected: float
    observed: float
    low: float
    high: float
    verdict: str
    reason: str
    n: float
    n_effective: float
    needed: int | None
    logit_threshold: float

    def _follows(self) -> dict[str, Any]:
        ends = (end * self.n / self.expected if self.expected else math.nan for end in self[5:7])
        return {"verdict": self.verdict if self.verdict == "cannot tell" else _ruled(*ends)}

    @property
    def name(self) -> str:
        """The rate in words, such as "FAR 1 %"."""
        return f"{self.rate.upper()} {percent(self.target)}"

    def __repr__(self) -> str:
        return (
            f"<TargetCheck {self.rate} {self.target:.6g}: {self.verdict}, {self.observed:.6g}"
            f" scores beyond {self.threshold:.6g}, {self.expected:.6g} expected>"
        )


class GoodDownTo(NamedTuple):
    """The smallest default target of each rate down to which all are good; None without."""

    far: float | None
    frr: float | None


def check_targets(
    f: PairEstimate, far: Rates = None, frr: Rates = None, *, level: float = 0.95
) -> tuple[TargetCheck, ...]:
    """Count the scores beyond the thresholds that a fit has for some rates.

    Parameters
    ----------
    f : Fit
        Of any family, of Scores or of a ScoreSummary.
    far, frr : float or array_like of float, optional
        Rates in (0, 1). Where neither is given, .5, .2, .1, .05, .02, .01 and so on of both
        classes, down to 5 expected scores.
    level : float
        Confidence level of the intervals.

    Returns
    -------
    tuple of TargetCheck
        FAR first, large rates first.

    Raises
    ------
    InputError
        For rates that are not strictly between 0 and 1, for weights that are no whole numbers.

    Notes
    -----
    [L, H], Clopper and Pearson's interval of the rate counted, is divided by the rate that the
    fit expects at its threshold (the rate asked, but where a point mass spans it). In this
    order: "poor" if [L, H] / rate lies outside [1/1.25, 1.25], at any number of scores; "good"
    if it lies inside [1/3, 3]; else "cannot tell". Two distributions that are wrong by less
    than a quarter are never found poor.

    Groups: n is replaced by n / d, d = V / (p (1 - p) / (n - 1)) >= 1 with V the variance of
    the rate p between groups, and by Student's quantiles for few of them (Korn and Graubard).
    Where none or all of the scores are beyond, V says nothing: a group counts as one score.

    `needed` is the number of scores from which on a fit that is right is found good with
    probability .8, or at which the rate counted would be decided, whichever is larger. The
    scores that placed a threshold by being fitted keep nearer to it than new ones do.

    References
    ----------
    Clopper, C. J. and Pearson, E. S. (1934), The use of confidence or fiducial limits. Korn,
    E. L. and Graubard, B. I. (1998), Confidence intervals for proportions with small expected
    number of positive counts estimated from survey data.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> from betaroc.fits.target_checks import check_targets
    >>> rng = np.random.default_rng(1)
    >>> impostor = np.append(rng.beta(2, 8, 9900), rng.beta(6, 3, 100))
    >>> f = br.fit(br.Scores(rng.beta(6, 3, 10_000), impostor))
    >>> [(t.target, t.verdict) for t in check_targets(f, far=[0.05, 0.001])]
    [(0.05, 'good'), (0.001, 'poor')]
    """
    level = checks.level(level)
    default = far is None and frr is None
    found: list[TargetCheck] = []
    for rate, wanted in (("far", far), ("frr", frr)):
        if wanted is None and not default:
            continue
        counted = _Counted(f, evidence_of_pair(f), rate)
        refuse_fractional(f.scores, counted.who)
        targets = _targets(counted.n) if wanted is None else _checked_rates(wanted, rate)
        if wanted is None and rate == "frr":  # trials without a score count, and say nothing
            least = _EXPECTED * (1.0 - _ROUNDING)
            targets = targets[counted.n * (targets - float(f.model.frr(-np.inf))) >= least]
        if targets.size:
            least = 0.0 if wanted is not None else _EXPECTED * (1.0 - _ROUNDING)
            found += [  # groups may leave fewer expected scores
                c for c in counted.checked(targets, level) if c.n_effective * c.target >= least
            ]
    return tuple(found)


def good_down_to(targets: tuple[TargetCheck, ...]) -> GoodDownTo:
    """The smallest target of each rate such that it and all larger ones are good."""
    found: list[float | None] = []
    for rate in GoodDownTo._fields:
        least = None
        for check in sorted((t for t in targets if t.rate == rate), key=lambda t: -t.target):
            if check.verdict != "good":
                break
            least = check.target
        found.append(least)
    return GoodDownTo(*found)


def rates_verdict(targets: Sequence[TargetCheck]) -> str:
    """Poor if any rate is; good if some rate of each class that was counted is."""
    if any(t.verdict == "poor" for t in targets):
        return "poor"
    good = {t.rate for t in targets if t.verdict == "good"}
    return "good" if good and good == {t.rate for t in targets} else "cannot tell"


def rates_words(targets: Sequence[TargetCheck], good: GoodDownTo) -> str:
    """Down to which rates the counts agree with the fit, and where they do so least."""
    if not targets:
        return "scores are too few to count at any rate: 5 expected beyond its threshold are needed"
    down = [
        f"{name.upper()} {percent(least)}"
        for name, least in zip(good._fields, good, strict=True) if least is not None
    ]  # fmt: skip
    said = "counted at the fit's own thresholds, "
    said += f"good (within a factor of 3) down to {' and '.join(down)}" if down else "no rate good"
    reasons = {name: {t.reason for t in targets if t.rate == name} for name in good._fields}
    placed = [name.upper() for name, why in reasons.items() if why == {"placed by these scores"}]
    if placed:
        said += f"; {' and '.join(placed)}: cannot tell, placed by these scores"
    poor = [t for t in targets if t.verdict == "poor"]
    if not poor:
        return said
    worst = max(poor, key=_apart)
    said += f"; poor at {worst.name}: {number(worst.expected, 4)} expected,"
    said += f" {number(worst.observed)} counted; {worst.reason}"
    return said if len(poor) == 1 else f"{said} (the worst of {len(poor)} rates that are poor)"


def targets_grid(targets: Sequence[TargetCheck]) -> Grid:
    """A row per rate, the reason below it where the verdict is not good."""
    rows = []
    for t in targets:
        expected, observed = (
            spaced(n) if n >= 1e4 else number(n, digits)
            for n, digits in ((t.expected, 4), (t.observed, 6))
        )
        rows.append(Row((
            t.name, threshold_words(t.threshold, t.logit_threshold, 4), expected, observed,
            quantity(t.low, percent, t.low, t.high).span, t.verdict,
        )))  # fmt: skip
        rows += [Row(("", t.reason))] * (t.verdict != "good")
    head = ("rate", "threshold", "expected", "counted", "interval of the rate", "verdict")
    return Grid(head, tuple(rows), (5,))


def _apart(target: TargetCheck) -> float:
    """How far the nearer end of the interval is from the expected rate."""
    rate = target.expected / target.n
    return max(target.low / rate, rate / target.high if target.high > 0.0 else math.inf)


def misfit(f: PairEstimate) -> list[Notice]:
    """That the fitted distributions do not describe the scores.

    A class is off where F differs from the share of its scores by more than 0.05 + 1.36/sqrt(n)
    (n scores, or groups), or where counts beyond the threshold of FAR or FRR 1 %, or of up to ten
    times that, contradict it as in `check_fit`.
    """
    evidence, off = evidence_of_pair(f), []
    for k, law in enumerate(evidence.fitted):
        if law is None:
            continue
        if distant := distance_words(evidence, k):
            off.append(distant)
            continue
        rate = np.array([_RATE])
        counted = evidence.misfit(Asked(("FRR", "FAR")[k], rate, 1.0 - rate, solved=True))
        off += [] if counted is None else [counted.words(percent)]
    if not off:
        return []
    with contextlib.suppress(BetarocError):  # as of shapes that no double resolves
        pairs = {"fitted": f.model, "counted": empirical_model(f.scores)}
        off.insert(0, ", ".join(
            f"AUC {number(m.auc(), 3)} and EER {percent(float(m.eer().hter))} {name}"
            for name, m in pairs.items()
        ))  # fmt: skip
    said = f"the fitted distributions do not describe these scores: {'; '.join(off)}"
    return [Notice(MisfitWarning, said)]


def distance_words(evidence: Evidence, k: int) -> str:
    """Where the fitted distribution of a class is too far from the share of its scores; or ""."""
    law, places = evidence.fitted[k], evidence.counts[k]._steps[0]
    if law is None:
        return ""
    chosen = np.unique(np.linspace(0, places.size - 1, _PLACES).astype(np.intp))
    t = evidence._countable(k, Thresholds.from_theta(places[chosen]))
    share = evidence.observed(k, t, above=False) / evidence.totals[k]
    expected = law._lower(t)[0]
    worst = int(np.argmax(np.abs(expected - share)))
    if abs(expected[worst] - share[worst]) <= _OFF + _CHANCE / math.sqrt(evidence.sizes[k]):
        return ""
    return (
        f"{percent(expected[worst])} of {CLASSES[k]} scores are expected at or below"
        f" {t.theta[worst]:.6g}, {percent(share[worst])} are there"
    )


# ------------------------------------------------------------------------------ targets
def _checked_rates(wanted: npt.ArrayLike, name: str) -> FloatArray:
    """Rates that were given, the largest first, each once."""
    rates = np.ravel(checks.real_array(wanted, name))
    if not rates.size:
        raise InputError.about(name)(
            f"{name} must hold at least one rate; got {shown(wanted)}. Give one such as 0.01, or"
            " leave it out."
        )
    bad = np.flatnonzero(~((rates > 0.0) & (rates < 1.0)))
    if bad.size:
        raise InputError.about(name)(
            f"{name} must be rates strictly between 0 and 1; {bad.size} of {rates.size} are not,"
            f" first at index {bad[0]}: {float(rates[bad[0]])!r}. Give a rate such as 0.01."
        )
    return np.unique(rates)[::-1]


def _targets(n: float) -> FloatArray:
    """.5, .2, .1, .05 and so on, as long as 5 of n scores are expected beyond."""
    found: list[float] = []
    for decade in range(1, 400):
        for digit in (5, 2, 1):
            rate = float(f"{digit}e-{decade}")
            if n * rate < _EXPECTED * (1.0 - _ROUNDING):
                return np.array(found)
            found.append(rate)
    return np.array(found)


# ------------------------------------------------------------------------------ counts
def refuse_fractional(scores: ScoreData, who: str) -> None:
    """Weights of a class must be numbers of copies; a summary has none."""
    refuse_fractional_weights(getattr(scores, f"{who}_weights", None), who, "for a check")


class _Counted(NamedTuple):
    """One class of a fit, and what its scores say of it."""

    f: PairEstimate
    evidence: Evidence
    rate: str

    @property
    def which(self) -> int:
        return 0 if self.rate == "frr" else 1

    @property
    def who(self) -> str:
        return CLASSES[self.which]

    @property
    def n(self) -> float:
        return self.evidence.totals[self.which]

    def thresholds(self, targets: FloatArray) -> tuple[Thresholds, FloatArray]:
        """The fit's own thresholds, and its rates there: as asked, but for point masses."""
        pair = self.f.model._pair
        if self.rate == "far":
            t = operating_points.at_far(pair, targets)
            rates = pair.far(t)
        else:
            t = operating_points.at_frr(pair, targets)
            rates = pair.frr(t)
        return t, np.where(np.abs(rates / targets - 1.0) <= _ROUNDING, targets, rates)

    def beyond(self, t: Thresholds) -> tuple[FloatArray, FloatArray]:
        """The fewest and the most impostors above, clients not above: a bin's may be either."""
        above, data = self.rate == "far", self.evidence.data
        counts = self.evidence.observed(self.which, t, above=above)
        if not isinstance(data, ScoreSummary):
            return counts, counts
        # The scores of a bin count on its upper border, and so above a threshold inside.
        share = data.rate_error_at(t.theta)[0 if above else 1]
        off = np.rint(share * self.evidence.counts[self.which].total)
        return (counts - off, counts) if above else (counts, counts + off)

    @property
    def _tail_mass(self) -> float:
        """Share of the class beyond the joint of the tail that the rate speaks of; 0 without."""
        side = "upper" if self.rate == "far" else "lower"
        own = getattr(self.f, self.who)
        masses = [fit.mass for one in own.tails if one.side == side for fit in one.fits]
        absent = own.params.get(REJECTED, 0.0)
        below = absent if side == "lower" else 0.0
        return below + (1.0 - absent) * max(masses) if masses else 0.0

    # -------------------------------------------------------------------------- verdicts
    def checked(self, targets: FloatArray, level: float) -> list[TargetCheck]:
        t, rates = self.thresholds(targets)
        (fewest, most), n, tail = self.beyond(t), self.n, IntervalOptions(level).tail
        alone = self.evidence.effective(self.which, t, tail, above=self.rate == "far")
        scale = alone / n
        low = share_ends(fewest * scale, alone, tail)[0]
        high = share_ends(most * scale, alone, tail)[1]
        found = []
        for k, target in enumerate(targets.tolist()):
            judgement = _Judgement(
                target, float(rates[k]), 0.5 * float(fewest[k] + most[k]), n, float(alone[k]),
                (float(low[k]), float(high[k])), tail, bool(fewest[k] < most[k]),
            )  # fmt: skip
            verdict, reason, needed = self._verdict(judgement)
            found.append(
                TargetCheck(
                    self.rate, target, float(t.theta[k]), n * float(rates[k]),
                    judgement.observed, *judgement.ends, verdict, reason, n, judgement.worth,
                    needed, float(t.logit[k]) if math.isfinite(t.logit[k]) else math.nan,
                )
            )  # fmt: skip
        return found

    def _verdict(self, judgement: _Judgement) -> tuple[str, str, int | None]:
        if self.evidence.fitted[self.which] is None:
            return "cannot tell", "placed by these scores", None
        if 0.0 < judgement.rate <= self._tail_mass * (1.0 + _ROUNDING):
            reason = "a tail was placed by these very scores: their count cannot contradict it"
            return "cannot tell", reason, None
        if judgement.rate != judgement.target:
            reason = "a point mass of the fitted distribution spans this rate: no threshold has it"
            return "cannot tell", reason, None
        groups = self.evidence.groups
        size = None if groups is None else groups.sizes[self.which]
        if size is not None and size < 3:
            reason = f"the {self.who} trials are of {size} groups; 3 or more are needed"
            return "cannot tell", reason, None
        return judgement.judged()


# ------------------------------------------------------------------------------ the rule
class _Judgement(NamedTuple):
    """One rate as it is judged: what the fit has there, the count, the ends of its interval."""

    target: float
    rate: float
    observed: float
    n: float
    worth: float
    ends: tuple[float, float]
    tail: float
    coarse: bool

    def judged(self) -> tuple[str, str, int | None]:
        low, high = (end / self.rate for end in self.ends)
        words = f"the rate counted is {low:.3g} to {high:.3g} times the expected one"
        verdict = _ruled(low, high)
        if verdict == "good":
            return verdict, f"within a factor of {WITHIN:g}: {words}", None
        if verdict == "poor":
            return verdict, words, None
        if self.coarse and self._at(self.worth) != verdict:
            return verdict, f"{words}, because many scores share a bin there", None
        more = self._needed() * self.n / self.worth
        if not math.isfinite(more):  # of a target next to 0
            return verdict, words, None
        needed = math.ceil(more)
        return verdict, f"{words}; about {about(needed)} scores would tell", needed

    def _at(self, worth: float) -> str:
        """The verdict if the rate counted were that of so many scores."""
        ends = share_ends(self.observed / self.n * worth, worth, self.tail)
        return _ruled(float(ends[0]) / self.rate, float(ends[1]) / self.rate)

    def _needed(self) -> float:
        """Independent scores with which a right fit is good, and this count decided."""
        n = self.worth
        while self._at(n) == "cannot tell" and n < 1e300:
            n *= 1.1
        return max(n, _planned(self.rate, self.tail))


def _ruled(low: float, high: float) -> str:
    """The verdict on the ends of an interval divided by the rate asked."""
    if contradicted(low, high, 1.0):
        return "poor"
    return "good" if low >= 1.0 / WITHIN and high <= WITHIN else "cannot tell"


@lru_cache(maxsize=256)
def _planned(rate: float, tail: float) -> float:
    """Scores from which on a right fit is found good with probability .8.

    Clopper and Pearson's low end of k of n is at least p if P(X >= k) <= `tail` at p, the high
    end at most p if P(X <= k) <= `tail`.
    """
    from scipy.special import bdtrik, betaincc

    def at_most(k: FloatArray, n: FloatArray, share: float) -> FloatArray:
        return np.where(k < n, betaincc(k + 1.0, np.maximum(n - k, 1.0), share), 1.0)

    p = max(rate, 1e-6)  # from there on Poisson's distribution, in n p alone
    most = 64.0
    while True:
        n = np.ceil(np.linspace(1.0, most, 640) / p)
        fewest = np.floor(bdtrik(1.0 - tail, n, p / WITHIN)) + 1.0
        fewest += at_most(fewest - 1.0, n, p / WITHIN) < 1.0 - tail
        top = np.minimum(np.floor(bdtrik(tail, n, min(p * WITHIN, 1.0))), n)
        top = np.where(p * WITHIN >= 1.0, n, top)
        power = np.where(top >= fewest, at_most(top, n, p) - at_most(fewest - 1.0, n, p), 0.0)
        weak = np.flatnonzero(power < POWER)
        if not weak.size or weak[-1] + 1 < n.size:
            return float(n[weak[-1] + 1] if weak.size else n[0]) * (p / rate)
        most *= 2.0
