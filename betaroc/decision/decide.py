"""One threshold for a target, how it came, and what it may be relied on for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import BoolArray
from betaroc.core.errors import FitError, InputError, InputTypeError, SameDataWarning, refusal
from betaroc.core.notices import public, quietly, warn
from betaroc.core.tables import Table, Tabular
from betaroc.core.value import Result, travelling
from betaroc.core.vocabulary import (
    COMPLEMENTS,
    RATE_NAMES,
    SYNONYMS,
    ClassWords,
    RateArguments,
    Sentence,
    canonical,
    template_of,
    worded,
)
from betaroc.data.read import ScoresLike, as_scores
from betaroc.data.scores import ScoreData, Scores, refuse_words_of_comparisons
from betaroc.data.summary import ScoreSummary
from betaroc.decision.decision_view import (
    AMBER,
    GREEN,
    RED,
    Observed,
    Said,
    Shift,
    cut_words,
    decision_view,
    high_rate_words,
    mean_rate,
    observed_cost,
    observed_precision,
    observed_rate,
    plot_decision,
    said_of_costs,
    said_of_precision,
    said_of_rate,
    ways_grid,
)
from betaroc.decision.ways import (
    HOW,
    TARGET_RATES,
    Fitting,
    OrderedScores,
    Rate,
    Target,
    Way,
    both_rates,
    digest_of,
    needed_for_guarantee,
    precision_interval,
    rate_interval,
    reach_of,
    refuse_wrong_rules,
    way_of_both,
    way_of_precision,
    ways_of,
)
from betaroc.estimation.estimate import give, outliers, reversed_scores
from betaroc.estimation.families import AUTO, BEST, Names, checked_pair, family_text
from betaroc.fits.fit import Fit
from betaroc.inference.interval import Interval
from betaroc.model.measures import OperatingPoint
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model
from betaroc.rendering.nouns import Noun
from betaroc.rendering.style import Axes
from betaroc.rendering.tree import Grid, Node

#: What counts at thresholds can be had of.
Counted = Scores | ScoreSummary
_OF_COSTS = ("counted", "model")
_ARGUMENTS = ("precision", "cost_fa", "cost_fr", "prior", "eer", "youden", "how", "confidence",
              "family")  # fmt: skip
_TARGETS, _DTYPES = (*TARGET_RATES, "precision", "cost", "eer"), ("float64", "float32", "float16")
#: What a confidence may lack of 1 at least.
_LEAST_RISK = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCheck(Result, Noun):
    """What a decided threshold does on trials that took no part in it.

    Made by `Decision.check`.

    Parameters
    ----------
    observed : float
        The target's rate on the test; of costs the mean cost of a trial, of the EER the mean of
        both rates.
    low, high : float
        Its interval, exact and for groups adjusted; of costs and the EER from those of both rates.
    verdict : str
        "kept": the upper end is at or below the target (of a precision, the lower end at or above
        it). "broken": the lower end is above it (the upper end below it). Else, and always of
        costs and of the EER, "cannot tell".
    status, reason, remedy : str
        What the decision's status becomes, why, and what would change it.
    point : OperatingPoint
        Both rates of the test at the threshold, at its share of clients.
    counted : (Interval, Interval) or None
        FAR and FRR of the test, each with its interval; no part of equality.
    decision : Decision or None
        What was checked; no part of equality.
    scores : Scores, ScoreSummary or None
        The test; no part of equality, and of no document.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> dev, test = (br.Scores(rng.beta(6, 2, n), rng.beta(2, 8, n)) for n in (1000, 5000))
    >>> br.decide(dev, far=0.01).check(test).verdict
    'kept'
    """

    observed: float
    low: float
    high: float
    verdict: str
    status: str
    reason: str
    remedy: str
    point: OperatingPoint
    _travels = travelling("counted", "decision")
    counted: tuple[Interval, Interval] | None = field(default=None, compare=False, repr=False)
    decision: Decision | None = field(default=None, compare=False, repr=False)
    scores: Counted | None = field(default=None, compare=False, repr=False)

    def _follows(self) -> dict[str, Any]:
        """Of the decision and of both rates counted, where the check has them."""
        d = self.decision
        if d is None or self.counted is None:
            return {}
        far, frr = ((i.estimate, i.low, i.high) for i in self.counted)
        point = OperatingPoint(d.threshold, far[0], frr[0], self.point.prior)
        observed = d._observed(far, frr, "")
        if d.target == "precision":  # whose interval takes the numbers of trials
            own = self.observed, self.low, self.high
            observed = observed_precision(Said(d.status, "", ""), d.rate, own)
        result = observed._asdict()
        names = ("observed", "low", "high", "verdict", "status")
        return {"point": point} | {name: result[name] for name in names}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw both rates as dev expects them and as the test observed them, beside the target.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        InputError
            If the decision was not kept, as in a check that was read from JSON without it.

        Examples
        --------
        >>> import betaroc as br
        >>> decision = br.decide(br.Scores([2, 3, 4], [k / 10 for k in range(30)]), far=0.1)
        >>> ax = decision.check(br.Scores([3, 5], [k / 10 for k in range(40)])).plot()
        >>> [text.get_text() for text in ax.get_yticklabels()][:2]
        ['FAR expected, dev', 'FAR observed, test']
        """
        if self.decision is None:
            raise InputError("the picture must have the decision that was checked; this has none.")
        return plot_decision(self.decision, self, ax)

    def _view(self) -> Sequence[Node]:
        return super()._view() if self.decision is None else decision_view(self.decision, self)

    def _grid(self) -> Grid | None:
        return None if self.decision is None else ways_grid(self.decision, self)

    def __str__(self) -> str:
        return f"{self.status}. {self.reason}"

    def _metrics(self) -> dict[str, Any]:
        at = self.point
        result = {"threshold": at.threshold, "far": at.far, "frr": at.frr}
        return result | {"observed": self.observed, "low": self.low, "high": self.high}


@dataclass(frozen=True, eq=False, repr=False)
class Decision(Tabular, Noun):
    """A threshold for a target: how it came, what to expect of it, and what else there was.

    Made by :func:`decide`.

    Parameters
    ----------
    threshold : float
        Accept iff score > threshold.
    target : str
        "far", "frr", "precision", "cost" or "eer".
    rate : float
        The rate that was asked for; nan of costs and of the EER.
    how : str
        "guaranteed", "average", "tail", "model" or "counted".
    confidence : float
        Of a guarantee and of all intervals.
    expected : OperatingPoint
        FAR and FRR to be expected there. The target's rate of an order statistic, which k of n
        scores are beyond, is (k + 1)/(n + 1), of fits theirs; the other rate is counted.
    interval : Interval
        Of the target's rate; of costs that of the mean cost of a trial, of the EER that of the
        mean of both rates.
    status : str
        "can be relied on", "not enough evidence" or "do not rely on it".
    reason, remedy : str
        Why, and what would change it.
    needed : int or None
        Scores that a guarantee needs where dev has too few; else None.
    ways : tuple of Way
        Every way, the first that is possible being taken; fits that the threshold does not take
        are made when they are read.
    costs : tuple of float or None
        (cost_fa, cost_fr) where costs were given.
    n : int
        Trials of dev that speak for the rate, or groups of them; of a precision those accepted, and
        None at a prior that was given.
    words : ClassWords or None
        What the classes are called; no part of equality.
    dev : str
        A digest of dev's scores, by which a check knows them again; no part of equality.
    dtype : str
        That of dev's scores: "float64", "float32" or "float16".
    counted : (Interval, Interval) or None
        FAR and FRR that dev counts at the threshold, each with its interval; no part of equality.
    absent : int
        Trials of dev, of the class of a target rate, that have no score and count as rejected.
    library : str, optional
        That of the scores: what tables are frames of.
    scores : Scores, ScoreSummary or None
        Dev; no part of equality, and of no document.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> decision = br.decide(br.Scores(rng.beta(6, 2, 1000), rng.beta(2, 8, 1000)), far=0.01)
    >>> decision.how, decision.status, decision.expected.far <= 0.01
    ('guaranteed', 'can be relied on', True)
    >>> decision.accept([0.2, 0.9]).tolist()
    [False, True]
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
    ways: tuple[Way, ...]
    costs: tuple[float, float] | None = None
    n: int | None = None
    dtype: str = "float64"
    _travels = travelling("words", "dev", "counted")
    words: ClassWords | None = field(default=None, compare=False)
    dev: str = field(default="", compare=False)
    counted: tuple[Interval, Interval] | None = field(default=None, compare=False, repr=False)
    absent: int = 0
    scores: Counted | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name, known in (
            ("target", _TARGETS), ("how", HOW), ("status", (GREEN, AMBER, RED)), ("dtype", _DTYPES)
        ):  # fmt: skip
            object.__setattr__(self, name, checks.choice(getattr(self, name), known, name))
        if not any(map(self._is_taken, vars(self)["ways"])):
            raise InputError.about("ways")(
                f"ways must hold the one that was taken, {self.how} with the threshold"
                f" {self.threshold!r}; none of {len(self.ways)} is."
            )

    def _follows(self) -> dict[str, Any]:
        """What the way that was taken comes to; words may be those of an older version."""
        rates = [(i.estimate, i.low, i.high) for i in self.counted or [self.interval] * 2]
        asked = DecisionRequest(
            self.target, self.rate, self.costs, None, None, self.confidence, self.target
        )
        point, interval, said, needed = _answer(
            asked, self.way, self.expected.prior, self.expected.frr, rates, self.n or 0
        )
        follows = {"expected": point, "needed": needed}
        shown = {"interval": interval, "status": said.status} if self.counted else {}
        return follows | shown

    def __repr__(self) -> str:
        asked = "" if math.isnan(self.rate) else f" {self.rate:g}"
        return (
            f"<Decision {self.target}{asked}: threshold {self.threshold!r}, {self.how},"
            f" {self.status}>"
        )

    def __str__(self) -> str:
        return f"accept if score > {self.threshold!r} ({self.how}): {self.status}. {self.reason}"

    def to_frame(self) -> Table:
        """The same as `alternatives`: every way, a row each.

        Returns
        -------
        DataFrame
            Of the library of the scores.

        Examples
        --------
        >>> import betaroc as br
        >>> scores = br.Scores([2, 3, 4], [k / 10 for k in range(30)])
        >>> br.decide(scores, far=0.1).to_frame()["how"].tolist()[:2]
        ['guaranteed', 'average']
        """
        return self.alternatives

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw FAR and FRR that dev expects, with their intervals, beside the target.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw, a row for each rate; a new figure if left out.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import betaroc as br
        >>> ax = br.decide(br.Scores([2, 3, 4], [k / 10 for k in range(30)]), far=0.1).plot()
        >>> [text.get_text() for text in ax.get_yticklabels()]
        ['FAR expected, dev', 'FRR expected, dev']
        """
        return plot_decision(self, None, ax)

    def _derived(self) -> dict[str, Any]:
        return {"threshold_for_greater_equal": self.threshold_for_greater_equal}

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

    def _view(self) -> Sequence[Node]:
        return decision_view(self)

    def _grid(self) -> Grid:
        return ways_grid(self)

    def accept(self, x: npt.ArrayLike) -> BoolArray:
        """Whether scores are accepted: score > threshold.

        Parameters
        ----------
        x : array_like
            Scores; nan is not accepted.

        Returns
        -------
        ndarray of bool
            Of the same shape.

        Raises
        ------
        InputTypeError
            If `x` is not numeric.

        Examples
        --------
        >>> import betaroc as br
        >>> scores = br.Scores([2, 3, 4], [k / 10 for k in range(30)])
        >>> br.decide(scores, far=0.1).accept(2.95).item()
        True
        """
        return np.asarray(checks.real_array(x, "x") > self.threshold)

    @property
    def threshold_for_greater_equal(self) -> float:
        """The threshold of software that accepts score >= threshold, such as scikit-learn.

        The next number above in the dtype in which dev's scores came: a neighbour in double
        precision would still accept a float32 score that ties with the threshold.
        """
        kind: Any = np.dtype(self.dtype).type
        with np.errstate(over="ignore"):  # above the largest number of the dtype lies inf
            near = kind(self.threshold)
            if float(near) > self.threshold:
                return float(near)
            return float(np.nextafter(near, kind(np.inf)))

    @property
    def way(self) -> Way:
        """The way of `ways` that was taken."""
        known: tuple[Way, ...] = vars(self)["ways"]
        return next(filter(self._is_taken, known))

    @property
    def k(self) -> int | None:
        """The threshold comes from the k-th largest impostor or k-th smallest client score."""
        return self.way.k

    @property
    def achieved(self) -> float:
        """P(true rate <= rate), or more, of a threshold that an order statistic gave; else nan."""
        return self.way.achieved

    def _is_taken(self, way: Way) -> bool:
        return way.how == self.how and way.threshold == self.threshold

    @property
    def alternatives(self) -> Table:
        """Every way as a frame, a column for each field of a `Way`, and which of them was chosen.

        ``expected`` with its interval is the target's rate (of costs FAR); ``n_beyond`` scores of
        dev are counted beyond, of fits expected; ``far`` and ``frr`` are counted on dev. A way
        that is not possible has nan, and says why.
        """
        return self._table(self._ways_columns())

    def _ways_columns(self) -> dict[str, list[Any]]:
        names = [item.name for item in fields(Way)]
        columns = {name: [getattr(way, name) for way in self.ways] for name in names}
        columns["k"] = [math.nan if k is None else float(k) for k in columns["k"]]
        return columns | {"chosen": [way is self.way for way in self.ways]}

    def check(self, test: Counted) -> DecisionCheck:
        """Whether other trials keep the target.

        Parameters
        ----------
        test : Scores or ScoreSummary
            Trials that took no part in the choice.

        Returns
        -------
        DecisionCheck

        Raises
        ------
        InputTypeError
            If `test` is neither.

        Examples
        --------
        >>> import numpy as np
        >>> import betaroc as br
        >>> rng = np.random.default_rng(1)
        >>> dev = br.Scores(rng.beta(6, 2, 1000), rng.beta(2, 8, 1000))
        >>> attacks = br.Scores(rng.beta(6, 2, 500), rng.beta(3, 6, 500))
        >>> found = br.decide(dev, far=0.01).check(attacks)
        >>> found.verdict, found.status
        ('broken', 'do not rely on it')
        """
        scores = as_scores(test, "test")
        if digest_of(scores) == self.dev:
            warn(
                "the scores are dev's own, so the threshold looks better here than on new data."
                " Pass scores that took no part in choosing it.",
                SameDataWarning,
            )
        far, frr = rates = both_rates(scores, self.threshold, self.confidence)
        point = OperatingPoint(self.threshold, far[0], frr[0], scores.prior)
        reason = template_of(self.reason).removesuffix(self._high_words("dev", self.expected))
        result = self._observed(far, frr, reason, scores)
        counted = _as_intervals(rates, self.confidence)
        reason = template_of(result.reason) + self._high_words("test", point)
        result = result._replace(reason=Sentence(reason), remedy=Sentence(result.remedy))
        return DecisionCheck(*result, point, counted, self, scores)

    def _observed(self, far: Rate, frr: Rate, reason: str, test: Counted | None = None) -> Observed:
        """What both rates of a test say; without its scores words are those of one trial."""
        said, n = Said(self.status, reason, template_of(self.remedy)), self.n or 0
        if self.target == "precision" and test is not None:
            prior = self.expected.prior if self.n is None else test.prior
            result, _ = precision_interval(test, self.threshold, prior, self.confidence)
            return observed_precision(said, self.rate, result)
        if self.target not in TARGET_RATES:
            dev = self.interval.estimate, self.interval.low, self.interval.high
            return observed_cost(said, self.costs, dev, mean_rate(self._weights, far, frr))
        words, own = self.words or ClassWords(), far if self.target == "far" else frr
        target = Target(self.target, self.rate, self.confidence, words)
        total, shift = 1.0, Shift(False, False)
        if test is not None:
            total, shift = _total(test, target), self._shift(target, n, test, own[1])
        return observed_rate(target, said, shift, n, self.needed, total, own)

    def _high_words(self, role: str, point: OperatingPoint) -> str:
        return high_rate_words(self.target, self.words, role, point)

    def _shift(self, target: Target, n: int, test: Counted, low: float) -> Shift:
        """Whether test lies elsewhere than dev: its trials, and those of them with a score."""
        moved = low > reach_of(self.way, target, n)
        if isinstance(test, ScoreSummary):  # of trials that have a score
            return Shift(moved, moved)
        dev = self.absent / n
        now = getattr(test, f"n_{target.who}_rejected") / _total(test, target)
        if not moved or (now >= dev if target.kind == "far" else now <= dev):
            return Shift(moved, moved)
        result = rate_interval(test._scored, target.kind, self.threshold, self.confidence)
        return Shift(moved, result[1] > reach_of(self.way, target, n, self.absent), (dev, now))

    @property
    def _weights(self) -> tuple[float, float]:
        return _weights(self.costs, self.expected.prior)


class _LaterWays:
    """The field of the ways, which are tried when they are first read."""

    def __get__(self, decision: Decision | None, _: type) -> Any:
        if decision is None:
            return self
        held = vars(decision)["ways"]
        if isinstance(held, list):  # the way that was taken, and how all of them are tried
            held = vars(decision)["ways"] = tuple(held[1]())
        return held

    def __set__(self, decision: Decision, ways: tuple[Way, ...]) -> None:
        vars(decision)["ways"] = ways


Decision.ways = _LaterWays()  # type: ignore[assignment]


def _total(scores: ScoreData, target: Target) -> float:
    """Trials of the class of a target."""
    return float(getattr(scores, f"{target.who}_total"))


def _weights(costs: tuple[float, float] | None, prior: float) -> tuple[float, float]:
    """Of FAR and FRR in what a trial costs; of the EER in the mean of both."""
    return (0.5, 0.5) if costs is None else ((1.0 - prior) * costs[0], prior * costs[1])


@public
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
    **rates: Unpack[TargetArguments],
) -> Decision:
    """One threshold for a target rate, for costs, or for the equal error rate.

        guaranteed: k + 1 = max{j : P(Binomial(n, x) >= j) >= confidence}
        average:    k + 1 = floor(x (n + 1)),   since FAR ~ Beta(k + 1, n - k) has the mean
                    (k + 1)/(n + 1) at the score that k of n impostors are above

    Parameters
    ----------
    scores : Scores, ScoreSummary, Fit, frame, (y_true, y_score) or path
        The dev set. Of a summary counted thresholds are borders of bins, where counts are exact; a
        fit brings its scores, and is the one of "model" where `family` is left out.
    far, frr : float
        The rate that must not be passed, strictly between 0 and 1.
    cost_fa, cost_fr : float
        Costs of a false acceptance and of a false rejection, both positive: the threshold has the
        least mean cost on dev.
    prior : float, optional
        P(client) where the system will run; dev's share where left out.
    eer : bool
        The threshold of the equal error rate.
    youden : bool
        That of the largest TPR - FAR: costs of 1 at a prior of 1/2.
    how : str, optional
        "guaranteed": with `confidence` the true rate is at most the target. "average": its
        expectation is. "tail": by a tail of the class (`fit`). "model": by the distributions.
        Left out, the first of these that is possible. Of costs and the EER "counted" (if left
        out) or "model"; of a precision "counted", since it need not rise with the threshold, so
        that no order statistic bounds it.
    confidence : float
        Of the guarantee, and of the intervals.
    family, boundary, resolution, bounds : optional
        Of the fits, as in :func:`fit`.

    **rates : float
        The rate by its name in another field: `fpr`, `fmr` and `apcer` are `far`; `fnr`, `fnmr` and
        `bpcer` are `frr`. A `tnr`, `tnmr` or `specificity` of at least 0.95 is a FAR of at most
        0.05, a `tpr`, `recall`, `sensitivity`, `tar`, `gar` or `tmr` of 0.9 an FRR of 0.1, as
        decimals. `precision`, or `ppv`, in (0, 1], is another target: the lowest threshold whose
        precision, counted on dev at `prior`, is at least so much. `level` is `confidence`.

    Returns
    -------
    Decision

    Raises
    ------
    InputError
        If there is not exactly one target, a number is out of range, dev counts the precision at no
        threshold, `how` is unknown for the target, or it is not
        possible: then the message says how many scores are needed.
    InputTypeError
        If `scores` is neither Scores nor a ScoreSummary nor a fit.

    Warns
    -----
    InfluenceWarning
        If scores lie far outside all others of their class, such as codes for missing ones.
    ReversedScoresWarning
        If impostors score higher than clients.

    Notes
    -----
    A threshold at which dev counts more than the target is never returned, ties included: that of
    a tail or of a fit is moved to the counted one where it would be. The counted threshold
    itself is a row of ``.ways``, never the answer for a rate: of n impostors k above it, its FAR is
    expected at (k + 1)/(n + 1). Where trials depend on each other by groups, counts are worth as
    many independent ones as their variance between groups says (Korn and Graubard), at the
    threshold or where the target is counted if that is fewer; without errors a group is one trial.
    Then the confidence is approximate. Simulated at 95 %: of 100 to 1000 groups of 5 to 20 trials
    in five distributions .952 (least .91) of the guaranteed thresholds keep the bound, the mean
    true rate .74 of it; of 60 groups .939 (least .85); .79 to .86 where sizes of groups go with
    their scores, one group holds half of all trials, or one in fifty groups scores far above all
    others.

    A guarantee rests on no distribution, ties included: let q be the lowest threshold with
    P(I > q) <= x. Then P(I >= q) >= x, and the k-th largest impostor score is at least q iff k
    scores are, which has probability P(Binomial(n, P(I >= q)) >= k) >= P(Binomial(n, x) >= k);
    equal for a continuous distribution. The clients mirror this with P(C < t): the threshold for
    `frr` is the largest double below the order statistic, since a score equal to the threshold is
    rejected. Chances of failure within 1e-12 relative count as equal. The bound is
    docs/theory.md, (12).

    The status is "do not rely on it" where the fit that gave the threshold was seen not to hold at
    the target, or (of a rate and of the EER) dev accepts clients no more often than impostors; "can
    be relied on" of a guarantee where dev shows, at `confidence`, that clients are accepted more
    often; else "not enough evidence". Costs and the EER have no target that could be kept.

    References
    ----------
    Wilks, S. S. (1941), Determination of sample sizes for setting tolerance limits.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> scores = br.Scores(rng.beta(6, 2, 200), rng.beta(2, 8, 200))
    >>> found = br.decide(scores, far=0.01)  # 299 impostors are needed for a guarantee
    >>> found.how, found.needed, round(found.expected.far, 6)
    ('average', 299, 0.00995)
    >>> br.decide(scores, cost_fa=10, cost_fr=1).how
    'counted'
    """
    asked = checked_request(
        far=far, frr=frr, cost_fa=cost_fa, cost_fr=cost_fr, prior=prior, eer=eer, how=how,
        confidence=confidence, youden=youden, **rates,
    )  # fmt: skip
    bounds = None if bounds is None else checks.span(bounds, "bounds")
    fitting = Fitting(family, boundary, resolution, bounds=bounds)
    if isinstance(scores, Fit) and fitting.usual:
        fitting = fitting._replace(known=(scores, None))
    data = scores.scores if isinstance(scores, Fit) else scores
    return decided(data, asked, fitting)


@public
def decided(scores: ScoresLike, asked: DecisionRequest, fitting: Fitting) -> Decision:
    """What `decide` returns: first what the threshold itself takes.

    A family or a rule that was asked for is tried whatever the threshold takes, so that one that
    cannot be is refused.
    """
    checked_pair(fitting.family, (AUTO, BEST))
    dev = as_scores(scores, "scores", "Scores, a ScoreSummary, a fit")
    refuse_words_of_comparisons(asked.typed, dev)
    if isinstance(dev, Scores):
        give(outliers(dev._scored))
    reversed_scores(*dev._scored._distributions)
    share = dev.prior if asked.prior is None else asked.prior
    result = {"far": _of_rate, "frr": _of_rate, "precision": _of_least_precision}
    return result.get(asked.kind, _of_costs)(dev, asked, share, fitting)


class TargetArguments(RateArguments, total=False):
    """The other names of the arguments of a decision."""

    level: float  # which `public` takes for the confidence
    tpr: float
    precision: float
    ppv: float


class DecisionRequest(NamedTuple):
    """What is asked of a decision, checked."""

    kind: str
    rate: float
    costs: tuple[float, float] | None
    prior: float | None
    how: str | None
    confidence: float
    #: The target by the name that it was given.
    typed: str


def checked_request(
    *, cost_fa: float | None = None, cost_fr: float | None = None, prior: float | None = None,
    eer: bool = False, youden: bool = False, how: str | None = None, confidence: float = 0.95,
    **rates: float | None,
) -> DecisionRequest:  # fmt: skip
    """A target and how to choose, refused where they make no sense; `decide` documents them."""
    rates = {name: rate for name, rate in rates.items() if rate is not None}
    if checks.flag(youden, "youden"):
        if any(item is not None for item in (cost_fa, cost_fr, prior)):
            raise InputError.about("youden")(
                "youden must stand alone: it is costs of 1 at a prior of 1/2. Leave costs and prior"
                " out, or give these."
            )
        cost_fa, cost_fr, prior = 1.0, 1.0, 0.5
    typed = _typed_target(rates, {"cost_fa": cost_fa, "cost_fr": cost_fr}, eer=eer)
    kind = COMPLEMENTS.get(str(canonical(typed)), str(canonical(typed)))
    if isinstance(how, str) and how == HOW[-1] and kind in TARGET_RATES:
        raise InputError.about("how")(
            f'how must be one of {checks.listed(HOW[:-1])} for a rate; got "counted", by which the'
            " rate on dev, not the true one, keeps the target. Leave it out: the threshold counted"
            " on dev stands among the ways."
        )
    if how is not None:
        known = HOW[:-1] if kind in TARGET_RATES else _OF_COSTS[: 1 if kind == "precision" else 2]
        checks.choice(how, known, "how")
    rate, costs = math.nan, None
    if kind in TARGET_RATES:
        rule = "be a fraction strictly between 0 and 1"
        rate = checks.fraction(rates[typed], typed, rule)
        if not 0.0 < rate < 1.0:
            hint = "No sample shows a rate of 0; 1 % is 0.01."
            raise refusal(typed, rule, repr(rate), hint)
        rate = checks.complement(rate, typed) if canonical(typed) in COMPLEMENTS else rate
    elif kind == "precision":
        rule = "be a fraction above 0, at most 1"
        rate = checks.fraction(rates[typed], typed, rule)
        if not rate:
            raise refusal(typed, rule, "0.0", "Name a share.")
    elif kind == "cost":
        costs = checks.positive(cost_fa, "cost_fa"), checks.positive(cost_fr, "cost_fr")
    share = None if prior is None else checks.fraction(prior, "prior")
    level = checks.level(confidence, "confidence")
    if 1.0 - level < _LEAST_RISK:
        actual = f"{level!r}, whose complement is lost in rounding"
        raise refusal("confidence", f"be at most 1 - {_LEAST_RISK:g}", actual, "Ask for less.")
    return DecisionRequest(kind, rate, costs, share, how, level, typed)


def _typed_target(rates: Mapping[str, Any], costs: Mapping[str, float | None], *, eer: bool) -> str:
    """The target by the name that it was given."""
    for name in {*rates}.difference(RATE_NAMES, SYNONYMS["precision"]):
        raise InputTypeError.about(name)(
            f"{name!r} must be an argument of a decision; it is none."
            f" {checks.nearest(name, (*RATE_NAMES, *_ARGUMENTS))}".rstrip()
        )
    missing = [name for name, cost in costs.items() if cost is None]
    value: list[str] = [*rates, *["cost"] * (len(missing) < 2)]
    value += ["eer"] * checks.flag(eer, "eer")
    if len(value) != 1:
        raise InputError(
            worded("exactly one target must be given: `far=`, `frr=`, `cost_fa=` with `cost_fr=`,")
            + worded(" or `eer`;")
            + f" got {' and '.join(value) or 'none'}. Give one."
        )
    if value == ["cost"] and missing:
        raise InputError.about(missing[0])(
            worded(f"`{missing[0]}` must stand beside the other cost; it is missing. Give both.")
        )
    return value[0]


# ---------------------------------------------------------------------------- of a rate
def _of_rate(scores: Counted, asked: DecisionRequest, prior: float, fitting: Fitting) -> Decision:
    target = Target(asked.kind, asked.rate, asked.confidence, scores.words or ClassWords())
    ordered, how = OrderedScores(scores, target), asked.how
    target, n = ordered.target, ordered.units
    ways: list[Way] = []
    for name in HOW[:2] if fitting.usual else HOW[:1] if how == HOW[0] else ():
        if how in (None, name) and not any(way.possible for way in ways):
            ways.append(ordered.way(name))
    later = any(way.possible for way in ways) and fitting.usual
    if not later and (how != HOW[0] or ways[0].possible):
        ways = ways_of(scores, target, fitting)
    wanted = [way for way in ways if way.possible and way.how != HOW[-1] and how in (None, way.how)]
    if not wanted:
        tried: dict[str, list[str]] = {}
        for way in ways:
            if how in (None, way.how) and way.why:
                tried.setdefault(way.why.rstrip("."), []).append(way.how)
        parts = (
            f"{' and '.join(hows)}: {cut_words(why)}" if how is None else cut_words(why)
            for why, hows in tried.items()
        )
        why, needed = "; ".join(parts), needed_for_guarantee(target.rate, target.confidence)
        error = InputError.about("how" if how is not None else target.kind)(
            f"{target.kind}={target.rate:g} must be possible to decide on"
            + (f' by how="{how}"' if how is not None else "")
            + f"; it is not: {why}. Give more scores, or ask for a larger rate."
        )
        error.needed = needed if n < needed else None  # type: ignore[attr-defined]
        error.why = f"{why[:1].upper()}{why[1:]}."  # type: ignore[attr-defined]
        raise error
    absent = getattr(scores, f"n_{target.who}_rejected")
    decision = _decision(
        scores, asked, wanted[0], prior, n=n, ways=ways, absent=absent, grouped=target.grouped
    )
    if later:
        vars(decision)["ways"] = [decision.way, lambda: ways_of(scores, target, fitting)]
    return decision


def _answer(
    asked: DecisionRequest, way: Way, prior: float, frr: float, rates: Sequence[Rate], n: int,
    words: ClassWords | None = None, *, grouped: bool = False,
) -> tuple[OperatingPoint, Interval, Said, int | None]:  # fmt: skip
    """What is to be expected of a way, the target's interval, the status, the scores needed."""
    kind, confidence, words = asked.kind, asked.confidence, words or ClassWords()
    result, extrapolated, needed = (way.expected, way.low, way.high), False, 0
    rate = {"far": way.far, "frr": way.frr}
    if kind in TARGET_RATES:
        rate[kind] = way.expected
        extrapolated = way.how in ("tail", "model") and n * asked.rate < 1.0
        needed = needed_for_guarantee(asked.rate, confidence)
        target = Target(kind, asked.rate, confidence, words, grouped)
        said = said_of_rate(way, target, n, needed, *rates)
    elif kind == "precision":
        said = said_of_precision(asked.rate, result, way.n_beyond)
    else:
        rate = {"far": way.expected, "frr": frr}
        weights = _weights(asked.costs, prior)
        mean, low, high = mean_rate(weights, *rates)
        expected_mean = weights[0] * way.expected + weights[1] * frr
        # Moved to what the fit expects, an interval of costs may reach below the least there is.
        result = (
            expected_mean,
            max(expected_mean - (mean - low), 0.0),
            expected_mean + high - mean,
        )
        said = said_of_costs(way, asked.costs, words)
    interval = Interval(*result, confidence, way.how, way.n_beyond, extrapolated)
    point = OperatingPoint(way.threshold, rate["far"], rate["frr"], prior)
    return point, interval, said, needed if n < needed else None


def _decision(
    scores: Counted, asked: DecisionRequest, way: Way, prior: float, *, ways: Sequence[Way],
    n: int | None = None, absent: int = 0, frr: float = math.nan, grouped: bool = False,
) -> Decision:  # fmt: skip
    """A way that was taken, with all that is said of it."""
    rates = both_rates(scores, way.threshold, asked.confidence)
    point, interval, said, needed = _answer(
        asked, way, prior, frr, rates, n or 0, scores.words, grouped=grouped
    )
    said = said.more(high_rate_words(asked.kind, scores.words, "dev", point))
    return Decision(
        way.threshold, asked.kind, asked.rate, way.how, asked.confidence, point, interval,
        *said, needed, tuple(ways), asked.costs, n, scores.dtype, scores.words, digest_of(scores),
        _as_intervals(rates, asked.confidence), absent, scores, library=scores.library,
    )  # fmt: skip


def _of_least_precision(
    scores: Counted, asked: DecisionRequest, prior: float, _: Fitting
) -> Decision:
    way = way_of_precision(scores, asked.rate, prior, asked.confidence)
    n = round(way.n_beyond) if asked.prior is None else None
    return _decision(scores, asked, way, prior, ways=(way,), n=n)


# ---------------------------------------------------------------------- of both rates
def _of_costs(scores: Counted, asked: DecisionRequest, prior: float, fitting: Fitting) -> Decision:
    costs, confidence, how = asked.costs, asked.confidence, asked.how or "counted"

    def chosen(model: ScoreModel) -> float:
        own = replace(model, prior=prior)
        point = own.eer() if costs is None else own.min_dcf(*costs)
        result = float(point.threshold)
        if isinstance(scores, ScoreSummary) and math.isfinite(result):
            return scores.border_below(result)
        return result

    def by_fit() -> tuple[Way, Fit | None]:
        try:
            with quietly():
                f, _ = fitting.best(scores)
            name = family_text(f.family)
            return way_of_both(scores, "model", chosen(f.model), confidence, name, f), f
        except (FitError, InputError) as error:
            refuse_wrong_rules(error)
            return Way("model", math.nan, why=str(error)), None

    counted = way_of_both(scores, "counted", chosen(empirical_model(scores)), confidence)
    later = fitting.usual and how == "counted"
    modelled, f = (counted, None) if later else by_fit()
    way = counted if how == "counted" else modelled
    if not way.possible:
        raise InputError.about("how")(
            f'how="model" must be possible to decide by; it is not: {way.why}'
        )
    frr = way.frr if f is None or how == "counted" else float(f.model.frr(way.threshold))
    decision = _decision(scores, asked, way, prior, ways=(counted, modelled), frr=frr)
    if later:
        vars(decision)["ways"] = [way, lambda: (counted, by_fit()[0])]
    return decision


def _as_intervals(rates: Sequence[Rate], confidence: float) -> tuple[Interval, Interval]:
    """FAR and FRR that are counted at a threshold."""
    far, frr = (Interval(*rate, confidence, "counted") for rate in rates)
    return far, frr
