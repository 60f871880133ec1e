"""One threshold for a target, with its status."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from textwrap import shorten
from typing import Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from betaroc.core import checks, vocabulary
from betaroc.core.arrays import BoolArray
from betaroc.core.errors import FitError, InputError, refusal
from betaroc.core.notices import collect_warnings, suppress_warnings
from betaroc.core.tables import Table, Tabular
from betaroc.core.thresholds import mirror
from betaroc.core.value import Result
from betaroc.core.vocabulary import FAR, FRR, ClassWords, Sentence, short_name, template_of
from betaroc.data.read import ScoresLike, as_scores
from betaroc.data.scores import ScoreData, Scores, check_words_of_comparisons
from betaroc.data.summary import ScoreSummary
from betaroc.decision import strata as over_strata, threshold_methods as thresholds
from betaroc.decision.monitor import Monitor, monitor_of
from betaroc.decision.strata import OF_WORST, RateCell, UnseenStrata
from betaroc.decision.threshold_methods import (
    AMBER,
    GREEN,
    HOW,
    RED,
    TARGET_RATES,
    Assessment,
    Rate,
    Target,
    ThresholdMethod,
)
from betaroc.estimation.estimate import give, outliers, reversed_scores
from betaroc.estimation.families import AUTO, BEST, Names, checked_pair
from betaroc.fits.fit import Fit
from betaroc.inference.interval import Interval
from betaroc.inference.scores_beyond import SampleSupport
from betaroc.inference.strata import POOLED, Over, StrataTable
from betaroc.model.dataset_checks import check_sense
from betaroc.model.measures import OperatingPoint, rate_terms
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model
from betaroc.rendering import tree
from betaroc.rendering.curves import CLIENT, IMPOSTOR, Axes, draw_intervals
from betaroc.rendering.nouns import Exportable
from betaroc.rendering.numbers import number, rate, rate_span, rounded, spaced

#: What counts at thresholds can be had of.
Counted = Scores | ScoreSummary
#: How each status is called by the signs and colours of pages.
STATUS_COLOURS = {GREEN: "good", AMBER: "warn", RED: "bad"}
_STATUSES = tuple(STATUS_COLOURS)
#: What errors of a rate are called.
DECIDED = {"far": vocabulary.ACCEPTED, "frr": vocabulary.REJECTED}
#: What a mean of both rates is called, and what it is.
MEANS = {"cost": ("cost", "mean"), "eer": (vocabulary.HTER, "mean of both rates")}
#: From this ratio on a rate is said to be so many times the target.
_TIMES = 1.5
#: From this share of a class on errors that are no target are said beside the status.
_MOST = 0.5
#: The share of a class that a threshold as it is shown may decide otherwise.
_OTHERWISE = 0.005
_TARGETS, _DTYPES = (*TARGET_RATES, "precision", "cost", "eer"), ("float64", "float32", "float16")
_TONES = {"far": IMPOSTOR, "frr": CLIENT}


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCheck(Result, Exportable):
    """The rates of a threshold on trials that took no part in its choice.

    Made by `Decision.check`.

    Parameters
    ----------
    observed, low, high : float
        The target's rate on the test and its exact interval, adjusted for groups; of costs the mean
        per trial, of the EER the mean of both rates, with intervals from both.
    verdict : str
        "kept" where the interval lies on the right side of the target, "broken" on the wrong one;
        else, and always of costs and the EER, "cannot tell".
    status, reason, remedy : str
        What the status becomes, why, and what would change it.
    point : OperatingPoint
        Both rates of the test, at its share of clients.
    strata : StrataTable or None
        The target's rate of each stratum, if the test has two.
    counted : (Interval, Interval) or None
        FAR and FRR of the test.
    decision : Decision or None
        What was checked.
    scores : Scores, ScoreSummary or None
        The test; no document holds it.

    Examples
    --------
    >>> import betaroc as br
    >>> decision = br.decide(br.Scores([20, 30, 40], range(30)), far=0.1)
    >>> decision.check(br.Scores([30, 50], range(40))).verdict
    'broken'
    """

    observed: float
    low: float
    high: float
    verdict: str
    status: str
    reason: str
    remedy: str
    point: OperatingPoint
    strata: StrataTable | None = None
    _extra_fields = "counted", "decision"
    counted: tuple[Interval, Interval] | None = field(default=None, compare=False, repr=False)
    decision: Decision | None = field(default=None, compare=False, repr=False)
    scores: Counted | None = field(default=None, compare=False, repr=False)

    def _follows(self) -> dict[str, Any]:
        d = self.decision
        if d is None or self.counted is None or self.strata is not None:
            return {}
        far, frr = map(_as_rate, self.counted)
        point = replace(self.point, far=far[0], frr=frr[0], tpr=None, tnr=None)
        result = self.observed, self.low, self.high
        if d.target != "precision":  # whose interval takes the numbers of trials
            result = d._observed(far, frr)
        result, judged = d._judged(result)
        names = dict(zip(("observed", "low", "high"), result, strict=True))
        return {"point": point, "verdict": judged.verdict, "status": judged.status, **names}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw both rates as dev expects and the test observed them, beside the target.

        Parameters
        ----------
        ax : optional
            As in :meth:`betaroc.ScoreModel.plot`.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        InputError
            If the check was read from JSON without its decision.

        Examples
        --------
        >>> import betaroc as br
        >>> decision = br.decide(br.Scores([20, 30, 40], range(30)), far=0.1)
        >>> ax = decision.check(br.Scores([30, 50], range(40))).plot()
        >>> ax.get_yticklabels()[1].get_text()
        'FAR observed, test'
        """
        if self.decision is None:
            raise InputError("the picture must have the decision that was checked; this has none.")
        return plot_decision(self.decision, self, ax)

    def _view(self) -> Sequence[tree.Node]:
        return super()._view() if self.decision is None else decision_view(self.decision, self)

    def _grid(self) -> tree.Grid | None:
        return None if self.decision is None else methods_grid(self.decision, self)

    def _say(self, text: str) -> str:
        return super()._say(text) if self.decision is None else self.decision._say(text)

    def __str__(self) -> str:
        return self._say(f"{self.status}. {template_of(self.reason)}")

    def _metrics(self) -> dict[str, Any]:
        at = self.point
        result = {"threshold": at.threshold, "far": at.far, "frr": at.frr}
        return result | {"observed": self.observed, "low": self.low, "high": self.high}


@dataclass(frozen=True, eq=False, repr=False)
class Decision(Tabular, Exportable):
    """A threshold for a target: how it was chosen, its expected rates, and its alternatives.

    Made by :func:`decide`.

    Parameters
    ----------
    threshold : float
        Accept iff score > threshold; of distances iff score < threshold.
    target : str
        "far", "frr", "precision", "cost" or "eer".
    rate : float
        The rate asked for; nan of costs and the EER.
    how, confidence, over, prior
        As in :func:`decide`.
    expected : OperatingPoint
        FAR and FRR to be expected: (k + 1)/(n + 1) of an order statistic with k of n scores beyond,
        of fits theirs; the other rate is counted.
    interval : Interval
        Of the target's rate; of the mean cost per trial, or for the EER of the mean of both rates.
    status : str
        "can be relied on", "not enough evidence" or "do not rely on it".
    reason, remedy : str
        Why, and what would change it.
    needed : int or None
        Scores that a guarantee needs where dev has too few.
    methods : tuple of ThresholdMethod
        Every method; the first that is possible is taken.
    costs : tuple of float or None
        (cost_fa, cost_fr).
    n : int
        Trials, or groups, of dev that speak for the rate; of a precision those accepted, None at a
        given prior.
    words : ClassWords or None
        What the classes are called.
    terms : str
        The field in whose words it is shown.
    dev : str
        A digest of dev's scores, by which a check recognises them.
    dtype : str
        That of dev's scores: "float64", "float32" or "float16".
    counted : (Interval, Interval) or None
        FAR and FRR that dev counts at the threshold.
    absent : int
        Trials of the target's class without a score, which count as rejected.
    strata : StrataTable or None
        The target's rate of each stratum, where it is over strata.
    unseen : UnseenStrata or None
        Each stratum left out in turn.
    lower_is_client : bool
        As of dev's scores.
    library
        As of an :class:`Interval`.
    scores : Scores, ScoreSummary or None
        Dev; no document holds it, nor `terms`.

    Examples
    --------
    >>> import betaroc as br
    >>> decision = br.decide(br.Scores([20, 30, 40], range(30)), far=0.1)
    >>> decision.how, decision.threshold
    ('guaranteed', 29.0)
    """

    threshold: float
    target: str
    rate: float
    how: str
    confidence: float
    expected: OperatingPoint
    interval: Interval
    status: str
    reason: str
    remedy: str
    needed: int | None
    methods: tuple[ThresholdMethod, ...]
    costs: tuple[float, float] | None = None
    n: int | None = None
    dtype: str = "float64"
    _extra_fields = "words", "dev", "counted", "lower_is_client"
    words: ClassWords | None = field(default=None, compare=False)
    dev: str = field(default="", compare=False)
    counted: tuple[Interval, Interval] | None = field(default=None, compare=False, repr=False)
    absent: int = 0
    over: Over = POOLED
    strata: StrataTable | None = None
    unseen: UnseenStrata | None = None
    prior: float | None = None
    lower_is_client: bool = False
    terms: str = field(default=vocabulary.BIOMETRIC, compare=False, repr=False)
    scores: Counted | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        known = {"target": _TARGETS, "how": HOW, "status": _STATUSES, "dtype": _DTYPES}
        for name, choices in known.items():
            if (value := getattr(self, name)) not in choices:
                object.__setattr__(self, name, checks.choice(value, choices, name))
        if not any(map(self._is_taken, vars(self)["methods"])):
            rule = f"hold the one that was taken, {self.how} at {self.threshold!r}"
            raise refusal("methods", rule, f"{len(self.methods)} others")

    def _follows(self) -> dict[str, Any]:
        if self.over != POOLED:
            return {}
        point, interval, assessed, needed = _answer(
            self._asked, self.method, self.expected.prior, self.expected.frr,
            [*map(_as_rate, self.counted or [self.interval] * 2)], self.n or 0,
        )  # fmt: skip
        broken = self.status == RED and " strata. " in self.reason  # a stratum is above the target
        status = RED if broken else assessed.status
        shown = {"interval": interval, "status": status} if self.counted else {}
        return {"expected": point, "needed": needed} | shown

    @property
    def _asked(self) -> Target:
        words = self.words or ClassWords()
        fixed = self.target == "precision" and self.n is None  # older documents have no prior
        prior = self.expected.prior if fixed else self.prior
        asked = Target(self.target, self.rate, self.confidence, words, self.costs, prior)
        return asked._replace(lower=self.lower_is_client)

    def __repr__(self) -> str:
        asked = "" if math.isnan(self.rate) else f" {self.rate:g}"
        how = f"threshold {self.threshold!r}, {self.how}, {self.status}"
        return f"<Decision {self.target}{asked}: {how}>"

    def __str__(self) -> str:
        rule = f"{vocabulary.DISTANCE} <" if self.lower_is_client else f"{vocabulary.SCORE} >"
        text = f"{vocabulary.ACCEPT} if {rule} {self.threshold!r} ({self.how}): {self.status}."
        text += f" {template_of(self.reason)}"
        if self.precision is not None and self.target != "precision":
            name, note, ((shown, span),) = beside_rates(self, ())[-1]
            text += f" {vocabulary.capital(name)} {note}: {shown} ({span})."
        return self._say(text)

    def to_frame(self) -> Table:
        """The same as `alternatives`.

        Examples
        --------
        >>> import betaroc as br
        >>> br.decide(br.Scores([20, 30, 40], range(30)), far=0.1).to_frame()["how"].tolist()[:2]
        ['guaranteed', 'average']
        """
        return self.alternatives

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw FAR and FRR that dev expects, with their intervals, beside the target.

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
        >>> ax = br.decide(br.Scores([20, 30, 40], range(30)), far=0.1).plot()
        >>> ax.get_yticklabels()[0].get_text()
        'FAR expected, dev'
        """
        return plot_decision(self, None, ax)

    def _derived(self) -> dict[str, Any]:
        result = {"threshold_for_greater_equal": self.threshold_for_greater_equal}
        if self.precision is not None:
            names = "precision", "precision_low", "precision_high"
            result |= zip(names, _as_rate(self.precision), strict=True)
        return result

    def _metrics(self) -> dict[str, Any]:
        of = {"eer": "hter"}.get(self.target, self.target)
        return self._derived() | {
            "threshold": self.threshold, "rate": self.rate, "confidence": self.confidence,
            "far": self.expected.far, "frr": self.expected.frr, of: self.interval.estimate,
            f"{of}_low": self.interval.low, f"{of}_high": self.interval.high,
            "needed": self.needed,
        }  # fmt: skip

    def _caption(self) -> str:
        return str(self)

    def _view(self) -> Sequence[tree.Node]:
        return decision_view(self)

    def _grid(self) -> tree.Grid:
        return methods_grid(self)

    def accept(self, x: npt.ArrayLike) -> BoolArray:
        """Whether scores are accepted: score > threshold, of distances score < threshold.

        Parameters
        ----------
        x : array_like
            Scores of any shape; nan is not accepted.

        Returns
        -------
        ndarray of bool

        Raises
        ------
        InputTypeError
            If `x` is not numeric.

        Examples
        --------
        >>> import betaroc as br
        >>> br.decide(br.Scores([35, 40], range(30)), far=0.1).accept(30).item()
        True
        """
        return np.asarray(mirror(checks.real_array(x, "x"), self.lower_is_client) > self._inside)

    @property
    def _inside(self) -> float:
        """The threshold of -s, where clients have the lower scores."""
        return float(mirror(self.threshold, self.lower_is_client))

    @property
    def threshold_for_greater_equal(self) -> float:
        """The threshold of software that accepts score >= threshold, such as scikit-learn.

        The next number above in the dtype of dev's scores; of software that accepts distance <=
        threshold the next one below.
        """
        kind: Any = np.dtype(self.dtype).type
        with np.errstate(over="ignore"):  # above the largest number of the dtype lies inf
            near = kind(self._inside)
            above = near if float(near) > self._inside else np.nextafter(near, kind(np.inf))
            return float(mirror(above, self.lower_is_client))

    @property
    def method(self) -> ThresholdMethod:
        """The one of `methods` that was taken."""
        known: tuple[ThresholdMethod, ...] = vars(self)["methods"]
        return next(filter(self._is_taken, known))

    @property
    def worst(self) -> str | None:
        """The stratum whose rate is the largest at the threshold; None of pooled scores."""
        return None if self.strata is None else self.strata.worst_stratum

    @property
    def precision(self) -> Interval | None:
        """That at `prior`, by both rates expected, with its interval; None if nobody asked."""
        return thresholds.precision_beside(self._asked, self.counted, _as_rate(self.interval))

    @property
    def k(self) -> int | None:
        """The threshold comes from the k-th largest impostor or k-th smallest client score."""
        return self.method.k

    @property
    def achieved(self) -> float:
        """P(true rate <= rate), or more, of an order statistic; else nan."""
        return self.method.achieved

    def _is_taken(self, method: ThresholdMethod) -> bool:
        return method.how == self.how and method.threshold == self.threshold

    @property
    def alternatives(self) -> Table:
        """Every method as a frame: the fields of a `ThresholdMethod`, and which was chosen."""
        return self._table(self._method_columns())

    def _method_columns(self) -> dict[str, list[Any]]:
        names = [item.name for item in fields(ThresholdMethod)]
        columns = {name: [getattr(method, name) for method in self.methods] for name in names}
        columns["k"] = [math.nan if k is None else float(k) for k in columns["k"]]
        return columns | {"chosen": [method is self.method for method in self.methods]}

    def check(self, test: ScoresLike) -> DecisionCheck:
        """Check the target on other trials.

        Parameters
        ----------
        test : Scores, ScoreSummary, frame, (y_true, y_score) or path
            Trials that took no part in the choice.

        Returns
        -------
        DecisionCheck

        Raises
        ------
        InputTypeError
            If `test` is none of these.

        Examples
        --------
        >>> import betaroc as br
        >>> decision = br.decide(br.Scores([20, 30, 40], range(30)), far=0.1)
        >>> decision.check(br.Scores([30, 50], range(60))).verdict
        'broken'
        """
        scores = as_scores(test, "test")
        thresholds.warn_of_dev(scores, self.dev)
        check_sense(scores, "test", like=self.expected)
        at, lower = self._inside, self.lower_is_client
        far, frr = rates = thresholds.both_rates(scores, at, self.confidence)
        point = OperatingPoint(self.threshold, far[0], frr[0], scores.prior, lower_is_client=lower)
        result = self._observed(far, frr)
        if self.target == "precision":
            result, _ = thresholds.precision_interval(scores, at, self._asked)
        table = over_strata.table_where_strata(scores, self._asked, at)
        result, judged = self._judged(result, scores, table)
        reason = judged.reason + high_rate_words(self.target, self.words, "test", point)
        return DecisionCheck(
            *result, judged.verdict, judged.status, Sentence(reason), Sentence(judged.remedy),
            point, table, _as_intervals(rates, self.confidence), self, scores,
        )  # fmt: skip

    def monitor(self, state: Monitor | None = None, **limit: float | None) -> Monitor:
        """Return a monitor of the threshold, valid for any number of looks.

        Parameters
        ----------
        state : Monitor, optional
            One of the same decision, such as a file keeps, which goes on.
        **limit : float, optional
            `far` or `frr`, also by its names in other fields; by default the target and its
            `confidence`. Over the worst stratum the monitor is of all strata together.

        Returns
        -------
        Monitor

        Raises
        ------
        InputError
            If there is no limit of FAR or FRR, as of costs, the EER, a precision and a mean of
            strata by weights, or the state is of another decision, limit or scores.

        Examples
        --------
        >>> import betaroc as br
        >>> decision = br.decide(br.Scores([20, 30, 40], range(30)), eer=True)
        >>> decision.monitor(far=0.1).update(br.Scores([30, 50], [10, 25])).alarm
        False
        """
        return monitor_of(self, state, limit)

    def _observed(self, far: Rate, frr: Rate) -> Rate:
        if self.target in TARGET_RATES:
            return far if self.target == "far" else frr
        return thresholds.mean_rate(_weights(self.costs, self.expected.prior), far, frr)

    @property
    def _before(self) -> Assessment:
        high = high_rate_words(self.target, self.words, "dev", self.expected)
        reason = template_of(self.reason).removesuffix(high)
        return Assessment(self.status, reason, template_of(self.remedy))

    def _judged(
        self, result: Rate, test: Counted | None = None, table: StrataTable | None = None
    ) -> tuple[Rate, Assessment]:
        judge = precision_judgement if self.target == "precision" else mean_judgement
        if self.target in TARGET_RATES:
            judge = partial(rate_judgement, test=test)
        before = self._before
        return over_strata.strata_judgement(
            self._asked, self.over, self.strata, before, judge(self, before, result), result, table
        )


class _LazyMethods:
    """The methods, which are tried when they are first read."""

    def __get__(self, decision: Decision | None, _: type) -> Any:
        if decision is None:
            return self
        methods = vars(decision)["methods"]
        if isinstance(methods, list):  # the way that was taken, and how all of them are tried
            methods = tuple(m._mirrored(decision.lower_is_client) for m in methods[1]())
            vars(decision)["methods"] = methods
        return methods

    def __set__(self, decision: Decision, methods: tuple[ThresholdMethod, ...]) -> None:
        vars(decision)["methods"] = methods


Decision.methods = _LazyMethods()  # type: ignore[assignment]


@collect_warnings
def decide(
    scores: ScoresLike | Fit,
    *,
    far: float | None = None,
    frr: float | None = None,
    cost_fa: float | None = None,
    cost_fr: float | None = None,
    prior: float | None = None,
    eer: bool = False,
    how: str | None = None,
    confidence: float = 0.95,
    family: Names = BEST,
    boundary: str | None = None,
    resolution: float | None = None,
    bounds: tuple[float, float] | None = None,
    youden: bool = False,
    over: Over | None = None,
    terms: str = vocabulary.BIOMETRIC,
    **rates: Unpack[thresholds.TargetArguments],
) -> Decision:
    """Choose one threshold for a target rate, for costs, or for the equal error rate.

        guaranteed: k + 1 = max{j : P(Binomial(n, x) >= j) >= confidence}
        average:    k + 1 = floor(x (n + 1)),   since FAR ~ Beta(k + 1, n - k) has the mean
                    (k + 1)/(n + 1) at the score that k of n impostors are above

    Parameters
    ----------
    scores : Scores, ScoreSummary, Fit, frame, (y_true, y_score) or path
        The dev set. Of a summary thresholds are borders of bins; a fit brings its scores, and
        serves "model" without `family`.
    far, frr : float
        The rate that must not be passed, strictly between 0 and 1.
    cost_fa, cost_fr : float
        Positive costs of a false acceptance and a false rejection: least mean cost on dev.
    prior : float, optional
        P(client) where the system will run, for `Decision.precision` too; left out, dev's share.
    eer : bool
        The threshold of the equal error rate.
    youden : bool
        That of the largest TPR - FAR: costs of 1 at a prior of 1/2.
    how : str, optional
        "guaranteed": with `confidence` the true rate is at most the target. "average": its
        expectation is. "tail": by a tail of the class. "model": by the distributions. Default: the
        first possible. Of costs and the EER "counted" (the default) or "model"; of a precision
        "guaranteed" (the default) or "counted".
    confidence : float
        Of the guarantee, and of the intervals.
    family, boundary, resolution, bounds : optional
        Of the fits, as in :func:`fit`.
    over : {"worst", "pooled"} or mapping, optional
        "worst": the target holds for every stratum of its class, by "guaranteed" or "average"; the
        default where there are strata. "pooled": for their mixture, as always of costs, the EER and
        a precision. Weights, ``{"zero-effort": 0.5, "spoof": 0.5}``: for the mean of their rates,
        by its upper bound (Korn and Graubard).
    terms : str
        Words of its text and pictures, as in :meth:`betaroc.Roc.plot`.
    **rates : float
        The rate by another name: `fpr`, `fmr`, `apcer`; `fnr`, `fnmr`, `bpcer`; a `tnr`, `tnmr` or
        `specificity` of 0.95 is a FAR of 0.05, a `tpr`, `recall`, `sensitivity`, `tar`, `gar` or
        `tmr` of 0.9 an FRR of 0.1. `precision`, or `ppv`, in (0, 1]: the threshold of the largest
        TPR at which it is guaranteed at `prior`, or, without one, at dev's share, which is
        uncertain too; "counted": the lowest at which dev counts it. `level` is `confidence`.

    Returns
    -------
    Decision

    Raises
    ------
    InputError, InputTypeError
        If there is not exactly one target, a number is out of range, or `how` is unknown for the
        target or not possible: then the message says how many scores are needed, and of a precision
        the best bound.

    Warns
    -----
    InfluenceWarning
        If scores lie far outside all others of their class.
    ReversedScoresWarning
        If impostors score higher than clients.

    Notes
    -----
    Dev never counts more than the target at a threshold returned, ties included. A guarantee rests
    on no distribution (docs/theory.md, (12)); for clients the threshold is the largest double below
    the order statistic.

    A precision is bounded by the lower end of the TPR and the upper end of the FAR, each at half of
    1 - confidence; without `prior` by Clopper and Pearson's lower end of the share of clients among
    the accepted, at half of it too, for the threshold is searched. With many scores 1024 thresholds
    are tried. Of groups without `prior` each counts as one trial.

    Dependent trials are worth as many independent ones as their variance between groups says, and
    the confidence is approximate, lower where there are few groups, or where their sizes go with
    their scores (docs/validation.md).

    The status is "do not rely on it" where the fit does not hold at the target or dev accepts
    clients no more often than impostors, "can be relied on" of a guarantee where dev shows the
    contrary, else "not enough evidence".

    References
    ----------
    Wilks, S. S. (1941), Determination of sample sizes for setting tolerance limits.

    Examples
    --------
    >>> import betaroc as br
    >>> scores = br.Scores(range(100, 300), range(200))
    >>> decision = br.decide(scores, far=0.01)  # a guarantee needs 299 impostors
    >>> decision.how, decision.needed, round(decision.expected.far, 6)
    ('average', 299, 0.00995)
    """
    asked = thresholds.checked_request(
        far=far, frr=frr, cost_fa=cost_fa, cost_fr=cost_fr, prior=prior, eer=eer, how=how,
        confidence=confidence, youden=youden, terms=terms, **rates,
    )  # fmt: skip
    bounds = None if bounds is None else checks.span(bounds, "bounds")
    fitting = thresholds.Fitting(family, boundary, resolution, bounds=bounds)
    if isinstance(scores, Fit) and fitting.usual:
        fitting = fitting._replace(known=(scores, None))
    data = scores.scores if isinstance(scores, Fit) else scores
    return decided(data, asked, fitting, over)


@collect_warnings
def decided(
    scores: ScoresLike, asked: Target, fitting: thresholds.Fitting, over: Over | None = None
) -> Decision:
    """What `decide` returns."""
    checked_pair(fitting.family, (AUTO, BEST))
    dev = as_scores(scores, "scores", "Scores, a ScoreSummary, a fit")
    check_words_of_comparisons(asked.typed, dev)
    rate_terms(asked.terms, *(empirical_model(x)._pair for x in [dev] if x.has_rejected))
    asked = asked._replace(words=dev.words or ClassWords(), lower=dev.lower_is_client)
    if isinstance(dev, Scores):
        give(outliers(dev._scored))
    reversed_scores(*dev._scored._distributions)
    share = dev.prior if asked.prior is None else asked.prior
    over = over_strata.checked_over(over, asked, dev)
    if not fitting.usual:  # what was asked for and cannot be is refused, whatever is taken
        fitting = fitting.tried(dev)
    if asked.kind == "precision":
        return _of_precision(dev, asked, share, fitting)
    if over != POOLED:
        return _of_strata(dev, asked, share, over)
    return (_of_rate if asked.kind in TARGET_RATES else _of_costs)(dev, asked, share, fitting)


def _of_rate(scores: Counted, asked: Target, prior: float, fitting: thresholds.Fitting) -> Decision:
    ordered, how = thresholds.OrderedScores(scores, asked), asked.how
    target, n = ordered.target, ordered.units
    result = partial(
        _decision, scores, target, prior=prior, n=n,
        absent=getattr(scores, f"n_{target.who}_rejected"),
    )  # fmt: skip
    for name in HOW[:2]:
        if how in (None, name) and (method := ordered.method(name)).possible:
            later = partial(thresholds.candidate_thresholds, scores, target, fitting)
            return result(method, methods=later)
    methods = thresholds.candidate_thresholds(scores, target, fitting)
    tried = [m for m in methods if how in (None, m.how) and m.how != "counted"]
    for method in tried:
        if method.possible:
            return result(method, methods=lambda: methods)
    hows = dict[str, dict[str, None]]()
    for method in tried:
        why = shorten(method.why.rstrip("."), 120, placeholder=" ...")
        hows.setdefault(why, {})[method.how] = None
    parts = (f"{' and '.join(names)}: " * (how is None) + why for why, names in hows.items())
    why, needed = "; ".join(parts), thresholds.needed_for_guarantee(target.rate, target.confidence)
    by = "" if how is None else f' by how="{how}"'
    error = InputError.about(target.kind if how is None else "how")(
        f"{target.kind}={target.rate:g} must be possible to decide on{by}; it is not: {why}. Give"
        " more scores, or ask for a larger rate."
    )
    vars(error).update(needed=needed if n < needed else None, why=f"{why[:1].upper()}{why[1:]}.")
    raise error


def _of_precision(
    scores: Counted, target: Target, prior: float, fitting: thresholds.Fitting
) -> Decision:
    target = target._replace(grouped=SampleSupport(scores._trials).groups is not None)
    make = partial(thresholds.method_of_precision, scores, target)
    if not (method := make(target.how or HOW[0])).possible:
        raise thresholds.precision_refusal(scores, target, fitting, method)
    n = None if target.prior is not None else round(method.n_beyond)
    every = partial(map, make, (HOW[0], HOW[-1]))
    return _decision(scores, target, method, prior, methods=every, n=n)


def _of_strata(scores: Counted, asked: Target, prior: float, over: Over) -> Decision:
    strata, method = over_strata.method_over(scores, asked, over)
    every = partial(map, strata.method, (*strata.ways, HOW[-1]))
    return _decision(
        scores, strata.target, method, prior, methods=every, n=strata.units, over=over,
        strata=strata.table(method.threshold), unseen=strata.unseen(method.how),
    )  # fmt: skip


def _of_costs(
    scores: Counted, asked: Target, prior: float, fitting: thresholds.Fitting
) -> Decision:
    def chosen(model: ScoreModel) -> float:
        of = replace(model, prior=prior)
        at = float((of.eer() if asked.costs is None else of.min_dcf(*asked.costs)).thresholds.theta)
        if isinstance(scores, ScoreSummary) and math.isfinite(at):
            return scores.border_below(at)
        return at

    def by_fit() -> tuple[ThresholdMethod, float]:
        try:
            with suppress_warnings():
                f, _ = fitting.best(scores)
            at = chosen(f.model)
            method = thresholds.method_of_both(scores, "model", at, asked.confidence, f)
            return method, float(f.model.client.cdf(at))
        except (FitError, InputError) as error:
            thresholds.check_wrong_rules(error)
            return ThresholdMethod("model", math.nan, why=Sentence(error.template)), math.nan

    at = chosen(empirical_model(scores))
    counted = thresholds.method_of_both(scores, "counted", at, asked.confidence)
    if asked.how != "model":
        return _decision(
            scores, asked, counted, prior, methods=lambda: (counted, by_fit()[0]), frr=counted.frr
        )
    method, frr = by_fit()
    if not method.possible:
        raise refusal("how", "be possible to decide by", f'"model", which is not: {method.why}')
    return _decision(scores, asked, method, prior, methods=lambda: (counted, method), frr=frr)


def _decision(
    scores: Counted, asked: Target, method: ThresholdMethod, prior: float,
    *, methods: Callable[[], Iterable[ThresholdMethod]],
    n: int | None = None, absent: int = 0, frr: float = math.nan, **strata: Any,
) -> Decision:  # fmt: skip
    lower, shown = scores.lower_is_client, method._mirrored(scores.lower_is_client)
    rates = thresholds.both_rates(scores, method.threshold, asked.confidence)
    point, interval, assessed, needed = _answer(asked, shown, prior, frr, rates, n or 0)
    if strata and strata["unseen"] is not None:
        more = over_strata.strata_words(strata["strata"], strata["unseen"], asked)
    else:
        assessed, more = over_strata.of_mixture(assessed, scores, asked, method.threshold)
    reason = assessed.reason + more + high_rate_words(asked.kind, scores.words, "dev", point)
    decision = Decision(
        shown.threshold, asked.kind, asked.rate, method.how, asked.confidence, point, interval,
        assessed.status, Sentence(reason), Sentence(assessed.remedy), needed, (shown,),
        asked.costs, n, scores.dtype, scores.words, thresholds.digest_of(scores),
        _as_intervals(rates, asked.confidence), absent, **strata, prior=asked.prior, scores=scores,
        library=scores.library, lower_is_client=lower, terms=asked.terms,
    )  # fmt: skip
    vars(decision)["methods"] = [shown, methods]
    return decision


def _answer(
    asked: Target, method: ThresholdMethod, prior: float, frr: float, rates: Sequence[Rate], n: int
) -> tuple[OperatingPoint, Interval, Assessment, int | None]:  # fmt: skip
    kind, needed, extrapolated = asked.kind, 0, False
    result, expected = (method.expected, method.low, method.high), [method.far, method.frr]
    if kind in TARGET_RATES:
        expected[TARGET_RATES.index(kind)] = method.expected
        extrapolated = method.how in ("tail", "model") and n * asked.rate < 1.0
        needed = thresholds.needed_for_guarantee(asked.rate, asked.confidence)
        assessed = rate_assessment(method, asked, n, needed, *rates)
    elif kind == "precision":
        assessed = thresholds.precision_assessment(method, asked, prior)
    else:
        expected, weights = [method.expected, frr], _weights(asked.costs, prior)
        mean, low, high = thresholds.mean_rate(weights, *rates)
        value = weights[0] * method.expected + weights[1] * frr
        # Moved to what the fit expects, an interval of costs may reach below the least there is.
        result = value, max(value - (mean - low), 0.0), value + high - mean
        assessed = thresholds.mean_assessment(method, asked)
    if asked.costs is None and method.far + method.frr >= 1.0:
        assessed = thresholds.no_use_assessment(method, asked.words)
    interval = Interval(*result, asked.confidence, method.how, method.n_beyond, extrapolated)
    at, (far, frr), lower = method.threshold, expected, asked.lower
    point = OperatingPoint(at, far, frr, prior, lower_is_client=lower)
    return point, interval, assessed, needed if n < needed else None


def _weights(costs: tuple[float, float] | None, prior: float) -> tuple[float, float]:
    """Of FAR and FRR in the cost of a trial, or of the EER in their mean."""
    return (0.5, 0.5) if costs is None else ((1.0 - prior) * costs[0], prior * costs[1])


def _as_rate(interval: Interval) -> Rate:
    return interval.estimate, interval.low, interval.high


def _as_intervals(rates: Sequence[Rate], confidence: float) -> tuple[Interval, Interval]:
    far, frr = rates
    return Interval(*far, confidence, "counted"), Interval(*frr, confidence, "counted")


# ------------------------------------------------------------------------ what dev says
def rate_assessment(
    method: ThresholdMethod, target: Target, n: int, needed: int, far: Rate, frr: Rate
) -> Assessment:
    """Of a target rate, for which dev has n trials or groups; `far` and `frr` are dev's."""
    name, asked, words = short_name(target.kind), f"{100.0 * target.rate:g} %", target.words
    many, need = target.units, spaced(needed)
    have = f"{spaced(n)} {many}" if target.grouped else words.counted(target.who, n, spaced(n))
    each, whose, where, required = "", "dev", "", f"; {need} needed"
    if target.strata and not target.smallest:
        each, required = f" in the mean of {target.strata} strata by their weights", ""
    elif target.strata:
        each, whose = f" for each of {target.strata} strata", f"stratum {target.smallest}"
        where = f" in the smallest, {target.smallest}"
    if method.how == "guaranteed":
        about = "about " * (target.grouped or not required)
        keep = (
            f"With {about}{100.0 * target.confidence:g} % confidence {name}"
            f" stays at or below {asked}{each} on {vocabulary.TRIALS} like dev's"
            f" ({have}{where}{required})."
        )
        if thresholds.mean_rate((1.0, 1.0), far, frr)[2] < 1.0:
            return Assessment(GREEN, keep, thresholds.other_sources(target.many))
        clients, impostors = words.many("client"), words.many("impostor")
        return Assessment(
            AMBER,
            f"{keep} But dev does not show that {clients} are {vocabulary.ACCEPTED} more often than"
            f" {impostors}: {FRR} {rate(frr[0])} {rate_span(*frr[1:])}, {FAR} {rate(far[0])}"
            f" {rate_span(*far[1:])}.",
            f"more {clients}, or scores that tell {clients} from {impostors} better.",
        )
    lacking = f"A guarantee needs {need} {many}{' of each' * bool(each)}, {whose} has {spaced(n)}."
    remedy = f"{need} {many}{where} for a guarantee (you have {spaced(n)})."
    if n >= needed:
        lacking, remedy = f"Dev has {have}, enough for a guarantee.", "the guaranteed threshold."
    expected = f"{name} is expected at {rate(method.expected)}"
    if method.how == "average":
        tied = not target.grouped and round(method.expected * (n + 1)) - 1 > method.n_beyond
        reason = f"{expected}{' or less' * tied}, at most {asked} on average{each}. {lacking}"
        return Assessment(AMBER, reason, remedy)
    by, why = f"the fitted {method.family} distribution", template_of(method.why)
    if method.how == "tail":
        by = "a tail of dev's scores"
    if why.endswith(thresholds.POOR):
        reason = f"The threshold is that of {by}, which does not hold there: {why}."
        return Assessment(RED, reason, f"another family or a tail; {remedy}")
    moved = f" The threshold was {why}." if why else ""
    return Assessment(AMBER, f"{expected} by {by}.{moved} {lacking}", remedy)


def high_rate_words(target: str, words: ClassWords | None, role: str, point: OperatingPoint) -> str:
    """That a rate which is no target is above one half."""
    rates = {kind: float(getattr(point, kind)) for kind in TARGET_RATES if kind != target}
    kind = max(rates, key=rates.__getitem__)
    if rates[kind] <= _MOST:
        return ""
    many = (words or ClassWords()).many("impostor" if kind == "far" else "client")
    return f" {short_name(kind)} is {rate(rates[kind])} on {role}: most {many} are {DECIDED[kind]}."


# ---------------------------------------------------------------------- what a test says
def rate_judgement(
    d: Decision, before: Assessment, result: Rate, test: Counted | None
) -> Assessment:  # fmt: skip
    """Of a target rate: its rate with its interval on a test."""
    observed, low, high = result
    if low > d.rate:
        return _broken(d, test, observed, low)
    status, reason, remedy, _ = before
    seen = f"{rate(observed)}, interval"
    if high <= d.rate:
        agrees = "observes" if status == RED else "agrees:"
        words = f"Test {agrees} {seen} up to {rate(high)}."
        return Assessment(status, f"{reason} {words}", remedy, "kept")
    words = f"Test observes {seen} {rate_span(low, high)}"
    if observed > d.rate:
        words += f": above {100.0 * d.rate:g} %, which the interval includes"
        if status == GREEN:
            status, remedy = AMBER, f"more {d._asked.many} in the test set; {remedy}"
    return Assessment(status, f"{reason} {words}.", remedy)


def _broken(d: Decision, test: Counted | None, observed: float, low: float) -> Assessment:
    target, times = d._asked, observed / d.rate
    total = 1.0 if test is None else float(getattr(test, f"{target.who}_total"))
    beyond, many = round(observed * total), target.many
    shown = spaced(times) if times >= 10.0 else number(times, 2)
    much = f"about {shown} times the target" if times >= _TIMES else "above the target"
    reason = (
        f"On test {spaced(beyond)} of {target.words.counted(target.who, total, spaced(total))}"
        f" {'was' if beyond == 1 else 'were'} {DECIDED[target.kind]}:"
        f" {short_name(target.kind)} {rate(observed)}, {much}."
    )
    need, have = spaced(d.needed or 0), f"(you have {spaced(d.n or 0)})"
    moved = "" if test is None else _moved_words(d, target, test, low, total)
    if not moved:
        more = "" if d.needed is None else f", for which {need} {many} are needed {have}"
        return Assessment(RED, reason, f"a guaranteed threshold{more}.", "broken")
    more = "" if d.needed is None else f", at least {need} of them {have}"
    return Assessment(RED, reason + moved, f"dev {many} like those of the test{more}.", "broken")


def _moved_words(d: Decision, target: Target, test: Counted, low: float, total: float) -> str:
    n, above = d.n or 0, target.kind == "far"
    if low <= thresholds.clopper_pearson_upper(d.method, target, n):
        return ""
    dev, now = d.absent / n, getattr(test, f"n_{target.who}_rejected") / total
    if now < dev if above else now > dev:
        result = thresholds.rate_interval(test._scored, target.kind, d._inside, d.confidence)
        if result[1] <= thresholds.clopper_pearson_upper(d.method, target, n, d.absent):
            return f" Of test's {target.many} {rate(now)} have no score, of dev's {rate(dev)}."
    side = "above" if above else "at or below"
    return f" Test {target.many} score {side} the threshold more often than dev's."


def mean_judgement(d: Decision, before: Assessment, result: Rate) -> Assessment:
    """Of a mean of both rates: whether test is worse than both intervals explain."""
    (observed, low, _), dev = result, d.interval
    seen, span = mean_shown(d.costs, Interval(*result, d.confidence, "counted"))
    expected, _ = mean_shown(d.costs, dev)
    what = "mean of both rates" if d.costs is None else "mean cost"
    words = f"Test observes {seen} as the {what}, interval {span}; dev expected {expected}"
    if observed - dev.estimate > math.hypot(observed - low, dev.high - dev.estimate):
        reason = f"{words}. The difference is larger than both intervals explain."
        return Assessment(RED, reason, f"dev {vocabulary.TRIALS} like those of the test.")
    return before._replace(reason=f"{before.reason} {words}.")


def precision_judgement(d: Decision, before: Assessment, result: Rate) -> Assessment:
    """Of a precision: only a test can show that it holds."""
    observed, low, high = result
    words = f"Test observes {rate(observed)}, interval {rate_span(low, high)}"
    if high < d.rate:
        remedy = f"a larger target, or dev {vocabulary.TRIALS} like those of the test."
        return Assessment(RED, f"{words}: below {100.0 * d.rate:g} %.", remedy, "broken")
    after = before._replace(reason=f"{before.reason} {words}.")
    return after._replace(verdict="kept", status=GREEN) if low >= d.rate else after


# ------------------------------------------------------------------------------- the tree
def decision_view(
    d: Decision, check: DecisionCheck | None = None, role: str = "test"
) -> list[tree.Node]:
    """What is shown of a decision."""
    assessed, tested = d if check is None else check, check is not None
    kind = "" if d.dtype == "float64" else f" in {d.dtype}"
    rule = "distance <= threshold" if d.lower_is_client else "score >= threshold"
    exact = f"Software that compares by {rule}{kind}: {d.threshold_for_greater_equal!r}"
    status, colour = status_words(assessed.status, tested=tested), STATUS_COLOURS[assessed.status]
    ways = methods_grid(d, check, role), tree.Paragraph(exact)
    return [
        tree.Paragraph(
            f"{rule_words(d)}. {_asked_words(d)}", "answer", f"Threshold {shown_threshold(d)}"
        ),
        tree.Status("", status, colour),
        tree.Paragraph(assessed.reason),
        tree.Paragraph(remedy_words(assessed.remedy, tested=tested), lead="What would change it:"),
        _rates_grid(d, check, role),
        *over_strata.strata_nodes(assessed.strata, d.rate, tested=tested),
        *over_strata.unseen_nodes(d.unseen),
        *([_strip(d, check)] if d.target in TARGET_RATES else []),
        tree.Section("Every way to choose", ways, folded=True),
    ]


def rule_words(d: Decision) -> str:
    """Which scores are accepted at the threshold shown."""
    if math.isfinite(d.threshold):
        low, high = f"{vocabulary.DISTANCE} is below", f"{vocabulary.SCORE} is above"
        return f"{vocabulary.ACCEPT} if {low if d.lower_is_client else high}"
    return shown_threshold(d)


def status_words(status: str, *, tested: bool) -> str:
    """The word that stands beside the icon."""
    words = status[0].upper() + status[1:]
    return words if tested or status != GREEN else f"{words}, not tested"


def remedy_words(remedy: str, *, tested: bool) -> str:
    """What would change the status; a test set first where there was none."""
    return "a test set from where it will run; " * (not tested) + template_of(remedy)


def shown_threshold(d: Decision, threshold: float | None = None) -> str:
    """A threshold in four digits or, where they would decide otherwise on dev, in more."""
    shown, lower = d.threshold if threshold is None else threshold, d.lower_is_client
    threshold = mirror(shown, lower)
    up = d.target != "frr" or not math.isfinite(threshold)
    if not math.isfinite(threshold) or d.scores is None:
        return rounded(threshold, up=up, lower=lower)
    rates = partial(thresholds.counted_at, d.scores)
    wanted = rates(threshold)
    for digits in range(4, 17):
        text = rounded(threshold, up=up, digits=digits, lower=lower)
        if np.max(np.abs(np.subtract(rates(mirror(float(text), lower)), wanted))) <= _OTHERWISE:
            return text
    return repr(shown)


def mean_shown(
    costs: tuple[float, float] | None, result: Interval | DecisionCheck
) -> tuple[str, str]:
    """A mean cost, or the mean of both rates in per cent, and its interval."""
    mean = result.estimate if isinstance(result, Interval) else result.observed
    if costs is None:
        return rate(mean), rate_span(result.low, result.high)
    return number(mean, 3), f"{number(result.low, 3)} to {number(result.high, 3)}"


def beside_rates(
    d: Decision, tests: Sequence[DecisionCheck | None]
) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """What stands beside both rates, with its note, of dev and of each test."""
    rows, checked = [], [check for check in tests if check is not None]
    if d.target in MEANS:
        means = [mean_shown(d.costs, d.interval), *(mean_shown(d.costs, x) for x in checked)]
        rows.append((*MEANS[d.target], means))
    if d.precision is not None:
        note = "as sampled" if d.prior is None else thresholds.prevalence_words(d.prior)
        beside = partial(thresholds.precision_beside, d._asked)
        shown = [beside(x.counted, (x.observed, x.low, x.high)) for x in checked]
        means = [mean_shown(None, x) for x in (d.precision, *shown) if x]
        rows.append((vocabulary.PRECISION, note, means))
    return rows


def _asked_words(d: Decision) -> str:
    if d.target in MEANS:
        equal = f"{vocabulary.capital(vocabulary.EQUAL_ERROR_RATE)}s"
        costs = equal if d.costs is None else "Least mean cost"
        return f"{costs}, {'counted on dev' if d.how == 'counted' else 'by a fit'}"
    how = f"guaranteed, {100.0 * d.confidence:g} % confidence"
    name = short_name(d.target) if d.target in TARGET_RATES else d.target
    target = f"Target {name} {100.0 * d.rate:g} %"
    return f"{target}: {how if d.how == HOW[0] else 'not guaranteed'}"


# ------------------------------------------------------------------------------- rates
class RateRow(NamedTuple):
    """A rate at the threshold: expected on dev, then observed on every test set."""

    name: str
    kind: str
    what: str
    cells: Sequence[RateCell]
    #: Whether it is of the comparisons made; whether it is of the worst stratum.
    made: bool = False
    worst: bool = False


_ROWS = (
    RateRow(FAR, "far", f"{vocabulary.IMPOSTORS} {vocabulary.ACCEPTED}", ()),
    RateRow(FRR, "frr", f"{vocabulary.CLIENTS} {vocabulary.REJECTED}", ()),
    RateRow("FMR", "far", "of comparisons made", (), made=True),
    RateRow("FNMR", "frr", "of comparisons made", (), made=True),
)


def decision_rates(d: Decision, sets: Sequence[ScoreData]) -> list[RateRow]:
    """Both rates of dev and of the tests."""
    absent, rows = any(item.has_rejected for item in sets), []
    for row in _ROWS if absent else _ROWS[:2]:
        of = [item._scored if row.made else item for item in sets]
        cells = [_cell(item, row.kind, d._inside, d.confidence) for item in of]
        if row.kind == d.target and not row.made and d.over == POOLED:
            expected = getattr(d.expected, row.kind)
            cells[0] = cells[0]._replace(rate=expected, low=d.interval.low, high=d.interval.high)
        rows.append(row._replace(cells=cells))
    return rows


def worst_rows(d: Decision, tests: Sequence[DecisionCheck | None]) -> list[RateRow]:
    """The worst stratum of dev and each test, nan of a set without; empty without any."""
    dev = d.strata
    if dev is None and d.scores is not None:
        dev = over_strata.table_where_strata(d.scores, d._asked, d._inside)
    tables = [dev, *(None if check is None else check.strata for check in tests)]
    if not any(tables):
        return []
    cells = [*map(over_strata.worst_cell, tables)]
    return [RateRow(short_name(d.target), d.target, OF_WORST, cells, worst=True)]


def rate_rows(d: Decision, check: DecisionCheck | None) -> list[RateRow]:
    """The same of a decision and its check; without counts if read from a document."""
    sets: list[Any] = [d.scores] if check is None else [d.scores, check.scores]
    if None not in sets:
        return decision_rates(d, sets)
    rows = []
    for k, row in enumerate(_ROWS[:2]):
        pairs = [(d.expected, d.interval if row.kind == d.target else d.counted and d.counted[k])]
        pairs += [] if check is None else [(check.point, check.counted and check.counted[k])]
        cells = [
            RateCell(getattr(point, row.kind), math.nan, math.nan) if interval is None
            else RateCell(*_as_rate(interval)) for point, interval in pairs
        ]  # fmt: skip
        rows.append(row._replace(cells=cells))
    return rows


def _rates_grid(d: Decision, check: DecisionCheck | None, role: str) -> tree.Grid:
    tests, rows = [] if check is None else [check], []
    for row in worst_rows(d, tests) + rate_rows(d, check):
        cells = map(shown_cell, row.cells)
        rows.append(tree.Row((tree.Cell(row.name, note=row.what), *cells)))
    if not isinstance(d.over, str):
        tables = [d.strata, *(test.strata for test in tests)]
        known = [table and table._mean(d.over) for table in tables]
        each = (tree.rate_cell(*_as_rate(item)) if item else "no such strata" for item in known)
        note = "the mean of strata by weights"
        rows.insert(0, tree.Row((tree.Cell(short_name(d.target), note=note), *each)))
    for name, note, means in beside_rates(d, tests):
        rows.append(tree.Row((tree.Cell(name, note=note), *(tree.Cell(*mean) for mean in means))))
    head = "", "expected, dev", *[f"observed, {role}"] * (check is not None)
    return tree.Grid(head, tuple(rows))


def _cell(scores: ScoreData, kind: str, threshold: float, level: float) -> RateCell:
    result = thresholds.counted_rates(scores, kind, [threshold], level)
    share, low, high = (float(part[0]) for part in result)
    total = scores.impostor_total if kind == "far" else scores.client_total
    return RateCell(share, low, high, share * total, total)


def shown_cell(cell: RateCell) -> tree.Cell:
    """A rate with its interval and its count."""
    if math.isnan(cell.rate):
        return tree.Cell("no strata")
    count = "" if math.isnan(cell.total) else f"{spaced(cell.errors)} of {spaced(cell.total)}"
    return tree.rate_cell(*cell[:3], "no interval", ", ".join(filter(None, (cell.stratum, count))))


# -------------------------------------------------------------------------------- methods
def methods_grid(
    d: Decision, check: DecisionCheck | None = None, role: str = "test", used: str = ""
) -> tree.Grid:
    """Every way to choose, those of a fit last."""
    tests = [] if check is None or check.scores is None else [check.scores]
    kinds = TARGET_RATES[::-1] if d.target == "frr" else TARGET_RATES
    interval = f"{100.0 * d.confidence:g} % interval"
    target = d.target if d.target == "precision" else short_name(kinds[0])
    head: list[tree.Cell | str] = ["way", "threshold", tree.Cell(f"{target} expected", interval)]
    head += ["beyond", f"{FAR}, dev", f"{FRR}, dev"]
    head += [tree.Cell(f"{short_name(k)}, {role}", interval) for _ in tests for k in kinds]
    rows = []
    for method in sorted(d.methods, key=lambda method: method.how == "model"):
        title, is_used = method_title(method, d.rate, d.confidence), method is d.method
        if not method.possible:
            rows.append(tree.Row((title, f"not possible: {template_of(method.why)}")))
            continue
        notes = used * is_used, method.why or method.family * (method.how == "tail")
        fitted, beyond = method.how in ("tail", "model"), spaced(method.n_beyond)
        if fitted and method.n_beyond < 10.0:
            beyond = f"{round(method.n_beyond, 9):.2g}"  # as the decimal that was meant
        at = mirror(method.threshold, d.lower_is_client)
        cells = [_cell(x, kind, at, d.confidence) for x in tests for kind in kinds]
        rows.append(tree.Row((
            tree.Cell(title, note="; ".join(filter(None, notes))),
            shown_threshold(d, method.threshold),
            tree.rate_cell(method.expected, method.low, method.high),
            tree.Cell(beyond, note="expected" * (fitted and d.target in TARGET_RATES)),
            rate(method.far), rate(method.frr), *(tree.rate_cell(*cell[:3]) for cell in cells),
        ), is_used))  # fmt: skip
    columns = d._method_columns()
    for model in map(empirical_model, tests):
        places = np.array(columns["threshold"])
        columns |= {f"{kind}_test": getattr(model, kind)(places).tolist() for kind in TARGET_RATES}
    return tree.Grid(tuple(head), tuple(rows), kept=columns, typeset=True)


def method_title(method: ThresholdMethod, target: float, confidence: float) -> str:
    """A method in a few words."""
    return {
        "guaranteed": f"Guaranteed, {100.0 * confidence:g} %",
        "average": f"At most {100.0 * target:g} % on average",
        "counted": "Counted on dev",
        "tail": "By a tail",
    }.get(method.how, f"Fitted, {method.family}" if method.family else "By a fit")


# ----------------------------------------------------------------------------- pictures
def plot_decision(d: Decision, check: DecisionCheck | None, ax: Axes | None) -> Axes:
    """Draw `Decision.plot` and `DecisionCheck.plot`."""
    roles = "expected, dev", "observed, test"
    marks, colours = [], []
    for row in rate_rows(d, check)[:2]:
        for role, (share, low, high, *_) in zip(roles, row.cells, strict=False):
            name = d._say(f"{row.name} {role}")
            marks.append(tree.IntervalMark(name, low, share, high, role == roles[1]))
            colours.append(_TONES[row.kind])
    at = (d.rate, d._say(_asked_words(d))) if d.target in TARGET_RATES else None
    return draw_intervals(ax, marks, "rate", colours=colours, at=at, rates="x", log=True)


def _strip(d: Decision, check: DecisionCheck | None) -> tree.Figure:
    dev = d.interval
    rows = [tree.IntervalMark("dev", dev.low, dev.estimate, dev.high, sure=False)]
    if check is not None:
        rows.append(tree.IntervalMark("test", check.low, check.observed, check.high))
    name, words = short_name(d.target), [f"{row.label} {rate(row.value)}" for row in rows]
    text = f"{name} beside its target of {100.0 * d.rate:g} %: {', '.join(words)}"

    draw = partial(plot_decision, d, check, None)
    return tree.Figure(draw, "", text, strip=tree.Strip(name, tuple(rows), d.rate))


def worst_check(
    d: Decision, checks: Sequence[DecisionCheck | None]
) -> tuple[Decision | DecisionCheck, int | None]:
    """Whose status stands for all: a test set, by its place, or the decision itself."""
    tested = [
        (_STATUSES.index(check.status), check.observed, -k, check)
        for k, check in enumerate(checks) if check is not None
    ]  # fmt: skip
    if not tested:
        return d, None
    *_, place, worst = max(tested)  # of equal ones the first
    return worst, -place
