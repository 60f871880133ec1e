"""Checks of a fitted model: its distributions, their ROC, its rates at thresholds."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from betaroc.core import checks, errors, notices, special, tables, value, vocabulary
from betaroc.core.arrays import CLASSES, INSIDE, FloatArray
from betaroc.core.options import MOST_TIMES, POWER, IntervalOptions
from betaroc.core.resampling import check_fractional_weights, streams
from betaroc.core.text import sentence
from betaroc.core.thresholds import Thresholds, mirror
from betaroc.core.vocabulary import CLASS_SLOTS, EER, FAR, FRR, Sentence, short_name, template_of
from betaroc.data import summary
from betaroc.data.scores import ScoreData, Scores, require_scores, tell_of_scored
from betaroc.distributions import inflated, rank_normal, shifted, spliced
from betaroc.distributions.base import Distribution
from betaroc.distributions.empirical import Empirical, is_binned
from betaroc.estimation import estimate
from betaroc.estimation.contract import Family, Parameters
from betaroc.estimation.estimate import Estimate, Options, PairEstimate
from betaroc.estimation.families import FAMILIES
from betaroc.fits.ratings import pearson
from betaroc.inference.scores_beyond import SampleSupport, about, contradicted, evidence_of_pair
from betaroc.model import operating_points
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model, largest_distance, roc_distance
from betaroc.model.statistics import UsedRate
from betaroc.rendering.curves import CLIENT, IMPOSTOR, Axes, draw_intervals
from betaroc.rendering.nouns import Readable
from betaroc.rendering.numbers import number, percent, spaced, threshold as threshold_words
from betaroc.rendering.tree import Cell, Grid, IntervalMark, Node, Paragraph, Row, Status, quantity

#: Rates that are asked for, if any.
Rates = npt.ArrayLike | None

#: Distance of a fitted ROC from the true one that matters.
TOLERANCE = 0.05
#: A rate is good if the interval counted lies within this factor, and does not contradict it.
WITHIN = 3.0
#: Expected scores, of groups effective ones, down to which there are default targets.
_EXPECTED = 5.0
#: Relative difference of the fit's rate at its own threshold that rounding does not make.
_ROUNDING = 1e-6
#: Why a count says nothing of a class that is taken as its scores.
_PLACED = "placed by these scores"
#: A distance of distribution functions that matters, and beyond it what chance does in one of
#: twenty sets, times sqrt(n), whatever the distribution.
_OFF, _CHANCE = 0.05, 1.36
#: Places at which a distance is looked for, and the rate from which on scores are counted.
_PLACES, LOW_RATE = 64, 0.01
#: Step of the differences of a log density, in sizes of the parameter or spreads of the
#: distribution.
_STEP = 1e-4
#: A curve within the tolerance beside a rate that is poor.
_CURVE_ONLY = "good as a curve only"
#: Colours of the verdicts, the worst last, and signs of the whole.
VERDICTS = {
    "good": "good", _CURVE_ONLY: "none", "not checked": "none", "cannot tell": "open",
    "poor": "poor",
}  # fmt: skip
_SIGNS = {"good": "good", "cannot tell": "warn", "poor": "bad"}
_TESTS = {
    "ks": "Kolmogorov–Smirnov", "cvm": "Cramér–von Mises", "ad": "Anderson–Darling",
    "information": "information matrix",
}  # fmt: skip
#: Scores per class that the null distribution is simulated with: beyond, it hardly changes. Of
#: weighted and rounded scores as many as there are distinct ones, so that weights cost no time.
_DRAWN, _DRAWN_AT_LEAST = 1000, 300
#: Lines FAR + TPR = constant on which two ROCs are compared.
_ALONG = 1001


# ------------------------------------------------------------------------ rates at thresholds
class TargetCheck(NamedTuple):
    """One rate that was asked for, and what is counted at the fit's own threshold for it.

    Made by :func:`check_fit`.

    Parameters
    ----------
    rate : str
        "far", of the impostors, or "frr", of the clients.
    target, threshold : float
        The rate asked, and the fitted distribution's own threshold for it.
    expected, observed : float
        Scores beyond the threshold by the fitted distribution, and counted.
    low, high : float
        Exact binomial interval of the rate that was counted.
    verdict, reason : str
        "good" (within a factor of 3), "poor" or "cannot tell", and the numbers behind it.
    n, n_effective : float
        Scores of the class (sum of the weights), and how many independent ones they are worth.
    needed : int or None
        Scores of the class that would tell; None where that is known, or no number would.
    logit_threshold : float
        log(threshold / (1 - threshold)), nan off the scale [0, 1].

    Examples
    --------
    >>> import betaroc as br
    >>> fit = br.fit(br.datasets.load_liveness().dev)
    >>> br.check_fit(fit, far=0.001, replicates=19, rng=1).targets[0].needed
    12540
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
        return Sentence(f"{short_name(self.rate)} {percent(self.target)}")

    def __repr__(self) -> str:
        return (
            f"<TargetCheck {self.rate} {self.target:.6g}: {self.verdict}, {self.observed:.6g}"
            f" scores beyond {self.threshold:.6g}, {self.expected:.6g} expected>"
        )


class GoodDownTo(NamedTuple):
    """The smallest default target of each rate down to which all are good; None without."""

    far: float | None
    frr: float | None


_NONE_GOOD = GoodDownTo(None, None)


def check_targets(
    f: PairEstimate, far: Rates = None, frr: Rates = None, *, level: float = 0.95
) -> tuple[TargetCheck, ...]:
    """Count the scores beyond a fit's thresholds for some rates; FAR comes first."""
    level, any_rate = checks.level(level), far is not None or frr is not None
    evidence, result = evidence_of_pair(f), list[TargetCheck]()
    for which, rate, wanted in ((1, "far", far), (0, "frr", frr)):
        if wanted is None and any_rate:
            continue
        n, least, who = evidence.totals[which], 0.0, CLASSES[which]
        check_fractional_weights(getattr(f.scores, f"{who}_weights", None), who, "for a check")
        if wanted is not None:
            targets = checks.rates_1d(wanted, rate)
            remedy = "Give a rate such as 0.01."
            bad = ~((targets > 0.0) & (targets < 1.0))
            checks.check_entries(targets, bad, rate, "be rates strictly between 0 and 1", remedy)
            targets = np.unique(targets)[::-1]
        else:
            least = _EXPECTED * (1.0 - _ROUNDING)
            decades = range(1, max(2, math.ceil(math.log10(n)) + 1))
            targets = np.array([float(f"{m}e-{decade}") for decade in decades for m in (5, 2, 1)])
            # Trials without a score count, and say nothing.
            absent = float(f.model.client.cdf(-np.inf)) if rate == "frr" else 0.0
            targets = targets[n * (targets - absent) >= least]
        # Groups may leave fewer expected scores.
        checked = _checked(f, evidence, which, targets, level) if targets.size else []
        result += [c for c in checked if c.n_effective * c.target >= least]
    return tuple(result)


def _checked(
    f: PairEstimate, evidence: SampleSupport, which: int, targets: FloatArray, level: float
) -> list[TargetCheck]:
    above, pair = which == 1, f.model._pair
    t = (operating_points.at_far if above else operating_points.at_frr)(pair, targets)
    rates = (pair.far if above else pair.frr)(t)
    # As asked, but for point masses.
    rates = np.where(np.abs(rates / targets - 1.0) <= _ROUNDING, targets, rates)
    fewest = most = evidence.observed(which, t, above=above)
    if isinstance(evidence.data, summary.ScoreSummary):
        # The scores of a bin count on its upper border, and so above a threshold inside.
        share = evidence.data.rate_error_at(t.theta)[1 - which]
        off = np.rint(share * evidence.counts[which].total)
        fewest, most = (fewest - off, most) if above else (fewest, most + off)
    n, tail = evidence.totals[which], IntervalOptions(level).tail
    alone = evidence.effective(which, t, tail, above=above)
    low = special.share_ends(fewest * alone / n, alone, tail)[0]
    high = special.share_ends(most * alone / n, alone, tail)[1]
    result, shown = [], mirror(t.theta, f.model.lower_is_client)
    for k, target in enumerate(targets.tolist()):
        fitted, worth, ends = float(rates[k]), float(alone[k]), (float(low[k]), float(high[k]))
        observed = 0.5 * float(fewest[k] + most[k])
        coarse, silent = bool(fewest[k] < most[k]), _unjudged(f, evidence, which, target, fitted)
        verdict, reason, needed = ("cannot tell", silent, None) if silent else _judged(
            fitted, observed / n, n, worth, ends, tail, coarse=coarse
        )  # fmt: skip
        place = float(t.logit[k]) if math.isfinite(t.logit[k]) else math.nan
        result.append(TargetCheck(
            ("frr", "far")[which], target, float(shown[k]), n * fitted, observed, *ends, verdict,
            reason, n, worth, needed, place,
        ))  # fmt: skip
    return result


def _unjudged(
    f: PairEstimate, evidence: SampleSupport, which: int, target: float, rate: float
) -> str:
    """Why a count says nothing of the fit's rate; "" where it does."""
    if evidence.fitted[which] is None or rank_normal.is_of_ranks(f.model.client):
        return _PLACED
    who, side = CLASSES[which], ("lower", "upper")[which]
    part = getattr(f, who)
    masses = [fit.mass for tail in part.tails if tail.side == side for fit in tail.fits]
    absent = part.params.get(inflated.REJECTED, 0.0)
    tail_mass = (0.0 if which else absent) + (1.0 - absent) * max(masses, default=0.0)
    if masses and 0.0 < rate <= tail_mass * (1.0 + _ROUNDING):
        return "a tail was placed by these very scores: their count cannot contradict it"
    if rate != target:
        return "a point mass of the fitted distribution spans this rate: no threshold has it"
    size = None if evidence.groups is None else evidence.groups.sizes[which]
    if size is not None and size < 3:
        return Sentence(f"{CLASS_SLOTS[who][3]} are of {size} groups; 3 or more are needed")
    return ""


def _judged(
    rate: float, share: float, n: float, worth: float, ends: tuple[float, float], tail: float, *,
    coarse: bool,
) -> tuple[str, str, int | None]:  # fmt: skip
    def at(size: float) -> str:
        low, high = special.share_ends(share * size, size, tail)
        return _ruled(float(low) / rate, float(high) / rate)

    low, high = (end / rate for end in ends)
    words = f"the rate counted is {low:.3g} to {high:.3g} times the expected one"
    verdict = _ruled(low, high)
    if verdict != "cannot tell":
        return verdict, f"within a factor of {WITHIN:g}: " * (verdict == "good") + words, None
    if coarse and at(worth) != verdict:
        return verdict, f"{words}, because many scores share a bin there", None
    size = worth
    while at(size) == "cannot tell" and size < 1e300:
        size *= 1.1
    more = max(size, _planned(tail) / rate) * n / worth
    if not math.isfinite(more):  # of a target next to 0
        return verdict, words, None
    return verdict, f"{words}; about {about(math.ceil(more))} scores would tell", math.ceil(more)


def _ruled(low: float, high: float) -> str:
    if contradicted(low, high, 1.0):
        return "poor"
    return "good" if low >= 1.0 / WITHIN and high <= WITHIN else "cannot tell"


@lru_cache(maxsize=256)
def _planned(tail: float) -> float:
    """Expected scores from which on a right fit is good with probability .8 (Poisson)."""
    from scipy.special import gammaincc, gammainccinv, gammaincinv

    counts, expected = np.arange(1.0, 800.0), np.linspace(0.0, 200.0, 10_001)[1:]
    # The exact ends of each count, its high one from 0 on, decide from and up to which it is good.
    fewest = 1.0 + np.searchsorted(gammaincinv(counts, tail), expected / WITHIN)
    most = np.searchsorted(gammainccinv(counts, tail), expected * WITHIN, side="right")
    power = gammaincc(most, expected) - gammaincc(fewest, expected)
    return float(expected[np.flatnonzero(power < POWER)[-1] + 1])


def good_down_to(targets: tuple[TargetCheck, ...]) -> GoodDownTo:
    """The smallest targets such that all larger ones are good."""
    result: list[float | None] = []
    for rate in GoodDownTo._fields:
        rows = sorted((t for t in targets if t.rate == rate), key=lambda t: -t.target)
        good = [t.target for t in takewhile(lambda t: t.verdict == "good", rows)]
        result.append(good[-1] if good else None)
    return GoodDownTo(*result)


def rates_status(targets: Sequence[TargetCheck], good: GoodDownTo) -> FitStatus:
    """Poor if any rate is, good if some rate of each class is."""
    poor = [t for t in targets if t.verdict == "poor"]
    passed = {t.rate for t in targets if t.verdict == "good"}
    verdict = "good" if passed and passed == {t.rate for t in targets} else "cannot tell"
    if not targets:
        text = "scores are too few to count at any rate: 5 expected beyond its threshold are needed"
        return FitStatus("rates at a threshold", verdict, sentence(text))
    down = [f"{short_name(r)} {percent(x)}" for r, x in good._asdict().items() if x is not None]
    text = "counted at the fit's own thresholds, "
    text += f"good (within a factor of 3) down to {' and '.join(down)}" if down else "no rate good"
    placed = [
        short_name(rate) for rate in good._fields
        if {t.reason for t in targets if t.rate == rate} == {_PLACED}
    ]  # fmt: skip
    text += f"; {' and '.join(placed)}: cannot tell, {_PLACED}" if placed else ""
    if poor:  # the worst: its nearer end is farthest from the expected rate
        worst = max(poor, key=lambda t: max(
            t.low * t.n / t.expected, t.expected / (t.high * t.n) if t.high > 0.0 else math.inf
        ))  # fmt: skip
        text += f"; poor at {template_of(worst.name)}: {number(worst.expected, 4)} expected,"
        text += f" {number(worst.observed)} counted; {worst.reason}"
        text += f" (the worst of {len(poor)} rates that are poor)" if len(poor) > 1 else ""
    return FitStatus("rates at a threshold", "poor" if poor else verdict, sentence(text))


def targets_grid(targets: Sequence[TargetCheck]) -> Grid:
    """One row per rate, with the reason where it is not good."""
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
    head = "rate", "threshold", "expected", "counted", "interval of the rate", "verdict"
    return Grid(head, tuple(rows), (5,))


# ------------------------------------------------------------------------ said with every fit
def misfit(f: PairEstimate) -> list[notices.Notice]:
    """A notice that the fitted distributions do not describe the scores, if so."""
    evidence = evidence_of_pair(f)
    off = [words for k in (0, 1) if (words := misfit_words(evidence, k))]
    if not off:
        return []
    with contextlib.suppress(errors.BetarocError):  # as of shapes that no double resolves
        pairs = {"fitted": f.model, "counted": empirical_model(f.scores)}
        off.insert(0, ", ".join(
            f"AUC {number(m.auc(), 3)} and {EER} {percent(float(m.eer().hter))} {name}"
            for name, m in pairs.items()
        ))  # fmt: skip
    text = f"the fitted distributions do not describe these scores: {'; '.join(off)}"
    return [notices.Notice(errors.MisfitWarning, text)]


def misfit_words(evidence: SampleSupport, k: int, rate: float = LOW_RATE) -> str:
    """Where a class departs from its distribution by distance or counts."""
    law, places = evidence.fitted[k], evidence.counts[k]._steps[0]
    if law is None:
        return ""
    chosen = np.unique(np.linspace(0, places.size - 1, _PLACES).astype(np.intp))
    t = evidence._countable(k, Thresholds.from_theta(places[chosen]))
    share = evidence.observed(k, t, above=False) / evidence.totals[k]
    expected = law._lower(t)[0]
    worst = int(np.argmax(np.abs(expected - share)))
    if abs(expected[worst] - share[worst]) > _OFF + _CHANCE / math.sqrt(evidence.sizes[k]):
        return (
            f"{percent(expected[worst])} of {CLASSES[k]} scores are expected at or below"
            f" {t.theta[worst]:.6g}, {percent(share[worst])} are there"
        )
    used = UsedRate((FRR, FAR)[k], np.array([rate]), np.array([1.0 - rate]), solved=True)
    counted = evidence.misfit(used)
    return "" if counted is None else counted.words(percent)


# ------------------------------------------------------------------------ the whole check
class FitTest(NamedTuple):
    """A statistic, and the share of simulated ones that are as large."""

    statistic: float
    p_value: float


class ClassTests(NamedTuple):
    """The same test of both classes."""

    client: FitTest
    impostor: FitTest


class RocDistance(NamedTuple):
    """How far the fitted ROC is from the scores', along FAR + TPR = constant."""

    #: Largest distance, and the mean one.
    sup: float
    mean: float
    #: How far an empirical ROC is from the true one: the `level` quantile of simulated distances.
    noise: float
    #: Interval of the distance between the fitted ROC and that of endless scores.
    low: float
    high: float
    #: Share of simulated distances as large as the largest.
    p_value: float

    def _follows(self) -> dict[str, Any]:
        return {"low": max(0.0, self.sup - self.noise), "high": self.sup + self.noise}


class FitStatus(NamedTuple):
    """A verdict on a fit, of what, and the numbers behind it."""

    of: str
    verdict: str
    words: str

    def node(self, role: str = "") -> Status:
        """The verdict with its colour, of a set where there are several."""
        of = f"{role}: fit of the {self.of}" if role else f"Fit of the {self.of}"
        return Status(of, self.verdict, VERDICTS[self.verdict], self.words)


def statuses_beside(roc: FitStatus, rates: FitStatus) -> list[FitStatus]:
    """No verdict is good beside a rate that is poor."""
    if rates.verdict == "poor" and roc.verdict == "good":
        roc = roc._replace(verdict=_CURVE_ONLY)
    return [status._replace(words=Sentence(status.words)) for status in (roc, rates)]


@dataclass(frozen=True, eq=False, repr=False)
class FitCheck(value.Result, Readable):
    """Whether a fit can be believed.

    Made by :func:`check_fit`.

    Parameters
    ----------
    ks, cvm, ad, information : ClassTests or None
        Kolmogorov-Smirnov, Cramer-von Mises, Anderson-Darling and information-matrix test.
    roc_distance : RocDistance or None
        Of the fitted ROC from the empirical one.
    verdict, reason : str
        Of the ROC curve alone: "good" within the tolerance, "poor" beyond it, else "cannot tell";
        and the numbers behind it.
    tolerance, level, replicates
        As in :func:`check_fit`; 0 replicates where only rates were counted.
    targets : tuple of TargetCheck
        Rates of the fit at its own thresholds, and the scores counted there.
    good_down_to : GoodDownTo
        `.far` and `.frr`: the smallest default target such that it and all larger ones are good.

    Examples
    --------
    >>> import betaroc as br
    >>> br.check_fit(br.fit(br.datasets.load_games().dev), replicates=199, rng=1).good_down_to.far
    0.02
    """

    ks: ClassTests | None
    cvm: ClassTests | None
    ad: ClassTests | None
    information: ClassTests | None
    roc_distance: RocDistance | None
    verdict: str
    reason: str
    tolerance: float
    level: float
    replicates: int
    targets: tuple[TargetCheck, ...] = ()
    good_down_to: GoodDownTo = _NONE_GOOD

    def to_frame(self) -> tables.Table:
        """The tests as a table, one row per test and class.

        Columns test, class ("both" of "roc_distance"), statistic and p_value.

        Examples
        --------
        >>> import betaroc as br
        >>> fit = br.fit(br.datasets.load_liveness().dev)
        >>> br.check_fit(fit, replicates=19, rng=1).to_frame()["test"].tolist()[::2]
        ['ks', 'cvm', 'ad', 'information', 'roc_distance']
        """
        rows: list[tuple[str, str, float, float]] = []
        distance = self.roc_distance
        if distance is not None:  # and so are the tests
            for name in _TESTS:
                rows += [(name, who, *test) for who, test in getattr(self, name)._asdict().items()]
            rows.append(("roc_distance", "both", distance.sup, distance.p_value))
        names = "test", "class", "statistic", "p_value"
        return tables.table_of(tables.columns_from_rows(rows, names, ("test", "class")))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the rates counted at the fit's own thresholds over those that it expects.

        The ground is grey within a factor of 3; a marker is hollow where the scores cannot tell.

        Parameters
        ----------
        ax : optional
            As in :meth:`betaroc.ScoreModel.plot`.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> import betaroc as br
        >>> fit = br.fit(br.datasets.load_liveness().dev)
        >>> ax = br.check_fit(fit, far=[0.1, 0.01], replicates=19, rng=1).plot()
        >>> [text.get_text() for text in ax.get_yticklabels()]
        ['FAR 0.1', 'FAR 0.01']
        """
        marks = [
            IntervalMark(
                f"{t.rate.upper()} {t.target:g}", t.low * t.n / t.expected, t.observed / t.expected,
                t.high * t.n / t.expected, t.verdict != "cannot tell",
            )
            for t in self.targets if t.expected
        ]  # fmt: skip
        colours = [IMPOSTOR if t.rate == "far" else CLIENT for t in self.targets if t.expected]
        return draw_intervals(
            ax, marks, "rate counted over rate expected", colours=colours or [CLIENT],
            near=(1.0 / WITHIN, WITHIN), at=(1.0, "_nolegend_"), log=True,
        )  # fmt: skip

    @property
    def status(self) -> str:
        """The worst of the verdicts on the curve and on the rates.

        Examples
        --------
        >>> import betaroc as br
        >>> few = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4)).sample(30, 30, rng=1)
        >>> br.check_fit(br.fit(few), replicates=19, rng=1).status
        'cannot tell'
        """
        return max(self.verdict, self.rates.verdict, key=[*_SIGNS].index)

    def _follows(self) -> dict[str, Any]:
        d, numbers = self.roc_distance, (0.0, self.tolerance, self.level)
        return {"verdict": "cannot tell" if d is None else _verdict(d, *numbers)[0]}

    @property
    def rates(self) -> FitStatus:
        """The verdict on the rates counted at the fit's thresholds, and why in its `words`."""
        return rates_status(self.targets, self.good_down_to)

    def _tables(self, without: str = "") -> list[Node]:
        shown: list[Node] = []
        if self.ks is not None:
            rows = (
                Row((title, *(
                    Cell(f"{number(t.statistic, 4)} (p {number(t.p_value, 3)})", "", t.statistic)
                    for t in getattr(self, key)
                )))
                for key, title in _TESTS.items()
            )  # fmt: skip
            labels = (CLASS_SLOTS[who][0] for who in CLASSES)
            shown.append(Grid((f"test of the distributions{without}", *labels), tuple(rows)))
        if self.roc_distance is not None:
            d = self.roc_distance
            shown.append(Paragraph(
                f"ROC{without}: largest distance from that of the scores {number(d.sup, 3)}"
                f" (p {number(d.p_value, 3)}), mean distance {number(d.mean, 3)}."
            ))  # fmt: skip
        return shown + [targets_grid(self.targets)] * bool(self.targets)

    def _statuses(self) -> list[FitStatus]:
        return statuses_beside(FitStatus("ROC", self.verdict, sentence(self.reason)), self.rates)

    def _view(self) -> list[Node]:
        status = Status("", f"Fit: {self.status}", _SIGNS[self.status])
        return [status, *(item.node() for item in self._statuses()), *self._tables()]


@notices.collect_warnings
def check_fit(
    f: PairEstimate,
    *,
    far: Rates = None,
    frr: Rates = None,
    replicates: int = 999,
    tolerance: float = TOLERANCE,
    level: float = 0.95,
    rng: Any = None,
) -> FitCheck:
    """Check the fit of both distributions, of the ROC, and of rates at thresholds.

    Parameters
    ----------
    f : Fit
        A fit of a parametric family; with `far` or `frr` any fit.
    far, frr : float or array_like of float, optional
        Rates in (0, 1) at which to count. Default: .5, .2, .1, .05 and so on of both classes, down
        to 5 expected scores (of groups, effective ones).
    replicates : int
        Simulated score sets, at least 19.
    tolerance : float
        Distance between two ROCs that does not matter; it judges the curve only.
    level : float
        Confidence of the intervals of the distance and of the rates.
    rng : None, int, SeedSequence or Generator
        Source of randomness.

    Returns
    -------
    FitCheck

    Raises
    ------
    InputError
        For a fit of cells, censored scores or a summary, unless `far` or `frr` is given; for
        fractional weights; if an option is out of range.
    InputTypeError
        If `f` is no Fit, or of family "empirical" and neither `far` nor `frr` is given.
    FitError
        If a simulated score set has no fit.

    Notes
    -----
    The exact interval of a rate counted, over the rate that the fit expects at its threshold, is
    "poor" outside [1/1.25, 1.25], "good" inside [1/3, 3], else "cannot tell", as is a class taken
    as its own scores, and what lies beyond the joint of a tail. Simulation and distances are of the
    distributions without tails and of the trials that have a score.

    The distance d is the largest difference of both rates at once, along FAR + TPR = constant. The
    verdict on the curve rests on [max(0, d - q), d + q], q the quantile of the simulated distances
    of an empirical ROC from that of the distributions that made it, and at least 1 - (1 -
    level)^(1/n); not on p-values.

    p = (1 + number of simulated statistics >= the observed) / (1 + replicates), of sets of at most
    1000 independent trials per class drawn from the fit and fitted again (Stute, Gonzalez Manteiga
    and Presedo Quindimil 1993), mixtures by EM until a step gains less than 0.005. The tests are of
    the scores between point masses; that of information is White's (1982).

    Examples
    --------
    >>> import betaroc as br
    >>> check = br.check_fit(br.fit(br.datasets.load_games().dev), far=0.001, replicates=199, rng=1)
    >>> check.verdict, check.targets[0].verdict
    ('good', 'cannot tell')
    """
    checks.instance(f, PairEstimate, "f", "br.fit(scores)", "Fit")
    replicates = checks.count(replicates, "replicates", 19)
    level, tolerance = checks.level(level), checks.fraction(tolerance, "tolerance")
    targets = check_targets(f, far, frr, level=level)
    named = far is not None or frr is not None
    good = good_down_to(check_targets(f, level=level) if named else targets)
    none = None, None, None, None, None
    if rank_normal.is_of_ranks(f.model.client):
        (above, p_value, words), noise = pearson(f), max(chance_distances(f.scores, level))
        off = float(np.max(np.abs(np.diff(above, axis=1))))
        verdict = "poor" if p_value < 1.0 - level else distance_verdict(off, noise)
        reason = f"{words}; operating points are {off:.3f} from those counted, by chance"
        reason += f" up to {noise:.3f}"
        return FitCheck(*none, verdict, reason, tolerance, level, 0, targets, good)
    try:
        sides = _sides(f._scored)
    except (errors.InputError, errors.InputTypeError) as error:
        if not named:
            raise
        reason = f"only rates were counted: {error}"
        return FitCheck(*none, "cannot tell", reason, tolerance, level, 0, targets, good)
    tell_of_scored(f.scores, "what is simulated for a check")
    # Distributions that are fitted to separated classes make separated ones, which vary by nothing:
    # the rate that none of the smaller class's scores leaves open.
    unseen = special.rate_of_none(min(side.total for side in sides), level)
    (ks, cvm, ad, information), distance = _simulated(sides, replicates, level, unseen, rng)
    verdict, reason = _verdict(distance, unseen, tolerance, level)
    if f.scores.has_rejected:
        reason = f"of the {vocabulary.TRIALS} that have a score, {reason}"
    if f.client.tails or f.impostor.tails:
        reason = f"without its tails, {reason}"
    return FitCheck(
        ks, cvm, ad, information, distance, verdict, reason, tolerance, level, replicates, targets,
        good,
    )  # fmt: skip


def _verdict(d: RocDistance, unseen: float, tolerance: float, level: float) -> tuple[str, str]:
    numbers = (
        f"the fitted ROC is {d.sup:.3f} from the empirical one, {100 * level:g} % interval of the"
        f" distance from the true one {d.low:.3f} to {d.high:.3f} (an empirical ROC may be off by"
        f" {d.noise:.3f} by chance, p = {d.p_value:.3f}); tolerance {tolerance:g}"
    )
    if d.high <= tolerance or d.low > tolerance:
        return "good" if d.high <= tolerance else "poor", numbers
    # What chance does falls with the root of the number of scores, what none leaves open with it.
    times = d.noise / abs(tolerance - d.sup) if d.sup != tolerance else math.inf
    more = times if d.noise == unseen and d.sup < tolerance else times * times
    wanted = "a few more" if more < 1.05 else f"about {float(f'{more:.2g}'):g} times as many"
    hint = f"{wanted} scores would tell"
    hint = "the distance is too near the tolerance" if more > MOST_TIMES else hint
    return "cannot tell", f"{numbers}; {hint}"


# ------------------------------------------------------------------------ by simulation
class _Sampled(NamedTuple):
    """Rows of sorted scores, copies of the columns, and shares of point masses."""

    x: FloatArray
    copies: FloatArray
    masses: FloatArray

    @property
    def upto(self) -> FloatArray:
        """Share of the scores before each column, and in the end all."""
        counts = np.concatenate([[0.0], np.cumsum(self.copies)])
        return np.asarray(counts / counts[-1])


@dataclass(frozen=True)
class _Side:
    """One class: its scores and its fitted distribution between point masses."""

    family: str
    #: The fitted distribution with its point masses, and that of the scores.
    laws: tuple[Distribution, Distribution]
    law: Distribution
    seen: _Sampled
    #: Scores between the point masses, and all.
    size: int
    total: int

    def tails(self, p: Parameters, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        values = {q.name: column for q, column in zip(self.law._parameters(), p, strict=True)}
        return self.law._tail_rows(values, Thresholds.from_theta(x))

    def draw(self, rng: np.random.Generator, rows: int) -> _Sampled:
        masses = self.seen.masses[0]
        n = min(self.size, max(self.seen.x.size, _DRAWN_AT_LEAST), _DRAWN)
        x = np.sort(drawn_inside(self.law, rng, (rows, n)), axis=1)
        total = min(self.total, round(n / masses[1]))
        return _Sampled(x, np.ones(n), rng.multinomial(total, masses, rows) / total)

    def statistics(self, rows: _Sampled, p: Parameters) -> FloatArray:
        """KS, CvM and AD of each row's fit, scaled; then the information's moments."""
        below, above = self.tails(p, rows.x)
        n, upto = float(np.sum(rows.copies)), rows.upto
        shares, middle = rows.copies / n, 0.5 * (upto[1:] + upto[:-1])
        ks = np.max(np.maximum(upto[1:] - below, below - upto[:-1]), axis=1) * math.sqrt(n)
        cvm = n * ((below - middle) ** 2 + shares**2 / 12.0) @ shares
        with np.errstate(divide="ignore"):
            logs = middle * np.log(below) + (1.0 - middle) * np.log(above)
        ad = -n * (1.0 + 2.0 * logs @ shares)
        row, law = _row(self.family, self.law), self.law
        if row is not None and row.moments is not None:
            moments = row.moments(p, rows.x, shares)
        else:
            names = [parameter.name for parameter in law._parameters()]
            values = [dict(zip(names, row, strict=True)) for row in np.hstack(p)]
            again = zip(map(law._replaced, values), rows.x, strict=True)
            moments = np.stack([_moments(each, x, shares) for each, x in again])
        return np.column_stack([ks, cvm, ad, moments * math.sqrt(n)])


def _sides(f: PairEstimate) -> list[_Side]:
    scores, sides = require_scores(f.scores, "a check of the fit"), []
    for who in CLASSES:
        result: Estimate = getattr(f, who)
        rule, law = result.boundary, result.distribution
        policy = None if rule is None else rule.policy
        if not result.names:
            words, actual = "be a fit of a parametric family", f"{who}s of {result.family!r}"
            remedy = 'Fit one, such as family="beta".'
            raise errors.refusal("f", words, actual, remedy, errors.InputTypeError)
        if policy not in (None, "inflate", "error", "drop"):
            words, actual = "be fitted to the scores themselves", f"boundary rule is {policy!r}"
            remedy = "Fit with boundary=None, or give far= or frr= to count there."
            raise errors.refusal("f", f"{words} for a check", f"one whose {actual}", remedy)
        values, copies = ordered(scores, who)
        inside = np.full(values.size, True) if rule is None else shifted.between_ends(law, values)
        low, high = (result.params.get(mass, 0.0) for mass in inflated.MASSES)
        masses, size = np.array([[low, 1.0 - low - high, high]]), round(np.sum(copies[inside]))
        law = cast(spliced.Spliced, law).body if result.tails else law
        keep = inside if policy == "drop" else np.full_like(inside, True)
        laws = law, Empirical._of_checked(values[keep], copies[keep])
        inner = cast(tuple[float, Distribution], law.continuous)[1]
        seen, total = _Sampled(values[None, inside], copies[inside], masses), size / masses[0, 1]
        sides.append(_Side(result.family, laws, inner, seen, size, round(total)))
    return sides


def ordered(scores: Scores, who: str) -> tuple[FloatArray, FloatArray]:
    """The distinct scores of a class in order, and their copies."""
    check_fractional_weights(getattr(scores, f"{who}_weights"), who, "for a check")
    return scores._distributions[CLASSES.index(who)]._steps


def _simulated(
    sides: list[_Side], replicates: int, level: float, unseen: float, rng: Any
) -> tuple[list[ClassTests], RocDistance]:
    laws, families = [side.law for side in sides], (sides[0].family, sides[1].family)
    samples, fitted = [s.seen for s in sides], [_columns(law, [law]) for law in laws]
    observed = [side.statistics(x, p) for side, x, p in zip(sides, samples, fitted, strict=True)]
    simulated: list[list[FloatArray]] = [[], []]
    distances = []
    for rows, stream in streams(replicates, rng):
        drawn = [side.draw(stream, rows.stop - rows.start) for side in sides]
        again = refitted(families, laws, [sample.x for sample in drawn])
        for keep, side, x, p in zip(simulated, sides, drawn, again, strict=True):
            keep.append(side.statistics(x, p))
        distances.append(_distances(sides, drawn, again))
    tests = [_tests(o, np.concatenate(s)) for o, s in zip(observed, simulated, strict=True)]
    actual = _distances(sides, samples, fitted)[0]
    # A smaller simulation has a larger noise, by the root of the sizes.
    shrink = math.sqrt(max(min(side.size, _DRAWN) / side.size for side in sides))
    largest, _, noise = shrink * np.concatenate(distances).T
    q = max(float(np.quantile(noise, level)), unseen)
    p_value = float((1 + np.sum(largest >= actual[0])) / (1 + replicates))
    sup = roc_distance(*(ScoreModel(*laws) for laws in zip(*(s.laws for s in sides), strict=True)))
    distance = RocDistance(sup, float(actual[1]), q, max(0.0, sup - q), sup + q, p_value)
    return [ClassTests(a, b) for a, b in zip(*tests, strict=True)], distance


def _tests(observed: FloatArray, simulated: FloatArray) -> list[FitTest]:
    """KS, CvM, AD, and the form of the moments in their covariance."""
    every = np.vstack([observed, simulated])
    inverse = np.linalg.pinv(np.atleast_2d(np.cov(simulated[:, 3:], rowvar=False)))
    away = every[:, 3:] - np.mean(simulated[:, 3:], axis=0)
    form = np.einsum("ij,jk,ik->i", away, inverse, away)
    size = every.shape[0]  # what was observed, and the replicates
    return [
        FitTest(float(x[0]), float(np.sum(x >= x[0])) / size) for x in (*every[:, :3].T, form)
    ]  # fmt: skip


def refitted(
    families: tuple[str, str], laws: list[Distribution], samples: list[FloatArray]
) -> list[Parameters]:
    """Parameters of the fits of simulated scores of both classes."""
    result: list[Parameters] = []
    if families[0] == families[1] and families[0] in FAMILIES and FAMILIES[families[0]].of_pairs:
        options, pairs = Options(bounds=shifted.bounds_of(laws[0])), []
        with notices.suppress_warnings():
            for client, impostor in zip(*samples, strict=True):
                scores = Scores._checked(client=client, impostor=impostor)
                pairs.append(estimate.estimate_pair(scores, families, options)[0].model)
        classes = [pair.client for pair in pairs], [pair.impostor for pair in pairs]
        return [_columns(law, again) for law, again in zip(laws, classes, strict=True)]
    for name, law, x in zip(families, laws, samples, strict=True):
        row, bounds = _row(name, law), shifted.bounds_of(law)
        if row is None or row.fit_rows is None:
            with notices.suppress_warnings():
                again = [estimate.estimate_class("sample", y, None, name, bounds=bounds) for y in x]
            result.append(_columns(law, [item.distribution for item in again]))
            continue
        result.append(row.fit_rows(law, x))
        lost = int(np.sum(np.isnan(result[-1][0])))
        if lost:
            raise errors.FitError(
                f"every simulated score set must have a {name} fit; {lost} of {len(x)} have none."
            )
    return result


def _row(family: str, law: Distribution) -> Family | None:
    return FAMILIES.get(family) if shifted.bounds_of(law) is None else None


def _columns(law: Distribution, again: Sequence[Distribution]) -> Parameters:
    values = [{p.name: p.value for p in item._parameters()} for item in again]
    return tuple(np.array([[v[p.name]] for v in values]) for p in law._parameters())


def drawn_inside(
    law: Distribution, rng: np.random.Generator, shape: int | tuple[int, int]
) -> FloatArray:
    """Scores of a continuous distribution, none on an end of its range."""
    # A draw that rounds to an end stands for the doubles beside it: the distribution has no mass
    # there.
    low, high = INSIDE if law.on_unit else shifted.bounds_of(law) or (-np.inf, np.inf)
    return np.asarray(np.clip(law._sample(shape, rng), low, high))


def _moments(law: Distribution, x: FloatArray, shares: FloatArray) -> FloatArray:
    """Means of d_j log f d_k log f + d_jk log f, in roots of the mean information of j and k."""
    parameters, t = law._parameters(), Thresholds.from_theta(x)
    steps = np.diag([_STEP * law._room(p) for p in parameters])

    def at(away: FloatArray) -> FloatArray:
        moved = {p.name: p.value + float(step) for p, step in zip(parameters, away, strict=True)}
        return np.asarray(law._replaced(moved)._log_pdf(t))

    rise = [0.5 * (at(h) - at(-h)) for h in steps]
    bend = {
        (j, k): 0.25 * (at(g + h) - at(g - h) - at(h - g) + at(-g - h))
        for j, g in enumerate(steps) for k, h in enumerate(steps) if j <= k
    }  # fmt: skip
    # Of a likelihood that is flat to doubles there is nothing to compare.
    units = [math.sqrt(max(-float(bend[j, j] @ shares), 0.0)) or 1.0 for j in range(len(steps))]
    return np.array([
        float((rise[j] * rise[k] + second) @ shares) / (units[j] * units[k])
        for (j, k), second in bend.items()
    ])  # fmt: skip


# ------------------------------------------------------------------------ distances of the ROC


def _distances(
    sides: list[_Side], drawn: list[_Sampled], parameters: list[Parameters]
) -> FloatArray:
    """Largest and mean distance of each row's ROC from its fit, largest from the true one."""
    # Scores spread over both distributions and into their tails.
    p = np.concatenate([np.geomspace(1e-5, 0.01, 16), np.linspace(0.01, 0.5, 64)[1:]])
    places = [np.concatenate([side.law.ppf(p), side.law.isf(p)]) for side in sides]
    grid, along = np.unique(np.concatenate(places)), np.linspace(0.0, 2.0, _ALONG)
    curves: list[list[FloatArray]] = [[], [], []]  # of the fit, of the scores, the true one
    for side, rows, columns in zip(sides, drawn, parameters, strict=True):
        beyond = rows.upto[-1] - rows.upto
        counted = np.stack([beyond[np.searchsorted(row, grid, side="right")] for row in rows.x])
        curves[0].append(_stairs(rows.masses, side.tails(columns, grid[None, :])[1]))
        curves[1].append(_stairs(rows.masses, counted))
        curves[2].append(_stairs(side.seen.masses, np.asarray(side.law.sf(grid))[None, :]))
    distances = []
    for r in range(len(curves[0][0])):
        fitted, scores, truth = (
            np.interp(along, tpr[k] + far[k], tpr[k] - far[k])
            for (tpr, far), k in zip(curves, (r, r, 0), strict=True)
        )
        gap = 0.5 * np.abs(fitted - scores)
        distances.append((np.max(gap), np.mean(gap), 0.5 * np.max(np.abs(scores - truth))))
    return np.array(distances)


def _stairs(shares: FloatArray, rates: FloatArray) -> FloatArray:
    inner = shares[:, 2:] + shares[:, 1:2] * rates[:, ::-1]
    ends = np.zeros((inner.shape[0], 1))
    return np.hstack([ends, shares[:, 2:], inner, ends + 1.0])


# ---------------------------------------------------------- distances without a simulation
class Distances(NamedTuple):
    """Largest distances of a fit from its scores."""

    client: float
    impostor: float
    roc: float


def distances(fit: PairEstimate, empirical: ScoreModel) -> Distances:
    """How far the fit is from its scores."""
    classes = [class_distance(getattr(fit, who), getattr(empirical, who)) for who in CLASSES]
    return Distances._make([*classes, roc_distance(fit.model, empirical)])


def class_distance(result: Estimate, sample: Distribution) -> float:
    """sup abs(F - F_n); of cells, bins and ranks at their borders."""
    rule, law = result.boundary, result.distribution
    if is_binned(sample):
        edges = sample.edges
    elif isinstance(law, rank_normal.RankNormal):
        edges = law.scores
    elif rule is not None and rule.policy == "interval" and rule.resolution is not None:
        edges = (np.rint(sample.atoms.places / rule.resolution) + 0.5) * rule.resolution
        edges = edges[edges < law.support[1]]
    else:
        places = np.union1d(sample.atoms.places, law.atoms.places)
        upto = np.asarray(sample.cdf(places))
        below = upto - sample.atoms.masses_at(Thresholds.from_theta(places))
        return largest_distance(law, places, upto, below)
    return float(np.max(np.abs(law.cdf(edges) - sample.cdf(edges)), initial=0.0))


def chance_distances(scores: ScoreData, level: float) -> list[float]:
    """How far each class alone is off by chance (Dvoretzky, Kiefer and Wolfowitz)."""
    totals = scores.client_total, scores.impostor_total
    return [math.sqrt(math.log(2.0 / (1.0 - level)) / (2.0 * total)) for total in totals]


def distance_verdict(off: float, noise: float, coarse: float = 0.0) -> str:
    """Whether a distance is within the tolerance, whatever chance and bins did."""
    if off + noise + coarse <= TOLERANCE:
        return "good"
    return "poor" if off - noise > TOLERANCE else "cannot tell"
