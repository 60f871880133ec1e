"""One threshold for a target, how it came, and what it may be relied on for."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import BoolArray
from betaroc.core.errors import FitError, InputError
from betaroc.core.notices import public, quietly
from betaroc.core.sentences import worded
from betaroc.core.tables import Table, Tabular
from betaroc.core.value import Result
from betaroc.data.scores import Scores, require_scores
from betaroc.decision.guarantee import needed_for_guarantee
from betaroc.decision.ways import HOW, Target, Way, rate_interval, ways_of
from betaroc.estimation.families import BEST, Names, family_text
from betaroc.fits.estimate import fit
from betaroc.inference.interval import Interval
from betaroc.model.measures import OperatingPoint
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model

__all__ = ["Decision", "DecisionCheck", "decide"]

#: Statuses, the best first.
_GREEN, _AMBER, _RED = "can be relied on", "not enough evidence", "do not rely on it"
_OF_COSTS = ("counted", "model")


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCheck(Result):
    """What a decided threshold does on trials that took no part in it.

    Made by `Decision.check`.

    Parameters
    ----------
    observed : float
        The target's rate on the test; of costs the mean cost of a trial, of the EER the mean of
        both rates.
    low, high : float
        Its exact interval; of costs and the EER from those of both rates.
    verdict : str
        "kept": the upper end is at or below the target. "broken": the lower end is above it.
        Else, and always of costs and of the EER, "cannot tell".
    status, reason : str
        What the decision's status becomes, and why.
    point : OperatingPoint
        Both rates of the test at the threshold, at its share of clients.

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
    point: OperatingPoint


@dataclass(frozen=True, eq=False, repr=False)
class Decision(Tabular):
    """A threshold for a target: how it came, what to expect of it, and what else there was.

    Made by :func:`decide`.

    Parameters
    ----------
    threshold : float
        Accept iff score > threshold.
    target : str
        "far", "frr", "cost" or "eer".
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
        Of the target's rate; of costs and of the EER that of FAR.
    status : str
        "can be relied on", "not enough evidence" or "do not rely on it".
    reason : str
        Why.
    needed : int or None
        Scores that a guarantee needs where dev has too few; else None.
    ways : tuple of Way
        Every way, the first that is possible being taken.
    costs : tuple of float or None
        (cost_fa, cost_fr) where costs were given.
    dtype : str
        That of dev's scores: "float64", "float32" or "float16".
    library : str, optional
        That of the scores: what tables are frames of.

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
    needed: int | None
    ways: tuple[Way, ...]
    costs: tuple[float, float] | None = None
    dtype: str = "float64"

    def __repr__(self) -> str:
        asked = "" if math.isnan(self.rate) else f" {self.rate:g}"
        return (
            f"<Decision {self.target}{asked}: threshold {self.threshold!r}, {self.how},"
            f" {self.status}>"
        )

    def __str__(self) -> str:
        return f"accept if score > {self.threshold!r} ({self.how}): {self.status}. {self.reason}"

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
        near = kind(self.threshold)
        if float(near) > self.threshold:
            return float(near)
        return float(np.nextafter(near, kind(np.inf)))

    @property
    def alternatives(self) -> Table:
        """Every way as a frame: how, threshold, expected, low, high, n_beyond, far, frr, why.

        ``expected`` with its interval is the target's rate (of costs FAR); ``n_beyond`` scores of
        dev are counted beyond; ``far`` and ``frr`` are counted on dev. A way that is not possible
        has nan, and says why.
        """
        names = [one.name for one in fields(Way)]
        return self._table({name: [getattr(way, name) for way in self.ways] for name in names})

    def check(self, test: Scores) -> DecisionCheck:
        """Whether other trials keep the target.

        Parameters
        ----------
        test : Scores
            Trials that took no part in the choice.

        Returns
        -------
        DecisionCheck

        Raises
        ------
        InputError
            If `test` is a summary.
        InputTypeError
            If it is no Scores.

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
        scores = require_scores(test, "a check of a decision", name="test")
        far, frr = (
            rate_interval(scores, kind, self.threshold, self.confidence) for kind in ("far", "frr")
        )
        point = OperatingPoint(self.threshold, far[0], frr[0], scores.prior)
        if self.target not in ("far", "frr"):
            return self._check_of_costs(point, far, frr)
        observed, low, high = far if self.target == "far" else frr
        verdict = "kept" if high <= self.rate else "broken" if low > self.rate else "cannot tell"
        status, name = self.status, self.target.upper()
        words = f"test observes {name} {observed:.4g}, interval {low:.4g} to {high:.4g}"
        if verdict == "broken":
            status, words = _RED, f"{words}: above the target {self.rate:g}"
        elif observed > self.rate:
            status = _AMBER if status == _GREEN else status
            words = f"{words}: above the target {self.rate:g}, which the interval includes"
        else:
            words = f"{words}: at or below the target {self.rate:g}"
        return DecisionCheck(observed, low, high, verdict, status, words, point)

    def _check_of_costs(
        self, point: OperatingPoint, far: tuple[float, ...], frr: tuple[float, ...]
    ) -> DecisionCheck:
        """Of weights on both rates, with the squares of both intervals added."""
        prior = self.expected.prior
        weights = (0.5, 0.5)
        if self.costs is not None:
            weights = (1.0 - prior) * self.costs[0], prior * self.costs[1]
        observed = weights[0] * far[0] + weights[1] * frr[0]
        low = observed - math.hypot(weights[0] * (far[0] - far[1]), weights[1] * (frr[0] - frr[1]))
        high = observed + math.hypot(weights[0] * (far[2] - far[0]), weights[1] * (frr[2] - frr[0]))
        expected = weights[0] * self.expected.far + weights[1] * self.expected.frr
        words = f"test observes {observed:.4g}, interval {low:.4g} to {high:.4g}"
        words += f"; dev expected {expected:.4g}"
        status = self.status if low <= expected <= high else _RED
        return DecisionCheck(observed, low, high, "cannot tell", status, words, point)


@public
def decide(
    scores: Scores,
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
) -> Decision:
    """One threshold for a target rate, for costs, or for the equal error rate.

        guaranteed: k + 1 = max{j : P(Binomial(n, x) >= j) >= confidence}
        average:    k + 1 = floor(x (n + 1)),   since FAR ~ Beta(k + 1, n - k) has the mean
                    (k + 1)/(n + 1) at the score that k of n impostors are above

    Parameters
    ----------
    scores : Scores
        The dev set.
    far, frr : float
        The rate that must not be passed, strictly between 0 and 1.
    cost_fa, cost_fr : float
        Costs of a false acceptance and of a false rejection, both positive: the threshold has the
        least mean cost on dev.
    prior : float, optional
        P(client) where the system will run; dev's share where left out.
    eer : bool
        The threshold of the equal error rate.
    how : str, optional
        "guaranteed": with `confidence` the true rate is at most the target. "average": its
        expectation is. "tail": by a tail of the class (`fit`). "model": by the distributions.
        Left out, the first of these that is possible. Of costs and the EER "counted" (if left
        out) or "model".
    confidence : float
        Of the guarantee, and of the intervals.
    family : str or pair of str
        Of the fits, as in :func:`fit`.

    Returns
    -------
    Decision

    Raises
    ------
    InputError
        If there is not exactly one target, a number is out of range, `how` is unknown for the
        target, or it is not possible: then the message says how many scores are needed.
    InputTypeError
        If `scores` is no Scores.

    Warns
    -----
    ReversedScoresWarning
        If impostors score higher than clients.

    Notes
    -----
    A threshold at which dev counts more than the target is never returned, ties included: that of
    a tail or of a fit is moved to the counted one where it would be. The counted threshold
    itself is a row of ``.ways``, never the answer for a rate: of n impostors k above it, its FAR is
    expected at (k + 1)/(n + 1). Where trials depend on each other by groups, order statistics are
    those of trials no two of which share one, drawn by one fixed seed.

    The status is "do not rely on it" where the fit that gave the threshold was seen not to hold at
    the target, "can be relied on" of a guarantee, else "not enough evidence"; costs and the EER
    have no target that could be kept.

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
    dev = require_scores(scores, "a decision")
    kind = _kind(far, frr, cost_fa, cost_fr, eer=eer)
    confidence = checks.level(confidence, "confidence")
    prior = dev.prior if prior is None else checks.fraction(prior, "prior")
    if kind in ("far", "frr"):
        rate = _rate(kind, far if kind == "far" else frr)
        if how is not None:
            checks.choice(how, HOW[:-1], "how")
        return _of_rate(dev, Target(kind, rate, confidence), how, prior, family)
    if how is not None:
        checks.choice(how, _OF_COSTS, "how")
    costs = None
    if kind == "cost":
        costs = checks.positive(cost_fa, "cost_fa"), checks.positive(cost_fr, "cost_fr")
    return _of_costs(dev, kind, costs, how or "counted", confidence, prior, family)


def _kind(
    far: float | None, frr: float | None, cost_fa: float | None, cost_fr: float | None, *, eer: bool
) -> str:
    checks.flag(eer, "eer")
    costs = cost_fa is not None or cost_fr is not None
    given = [
        name for name, there in (
            ("far", far is not None), ("frr", frr is not None), ("cost", costs), ("eer", eer)
        ) if there
    ]  # fmt: skip
    if len(given) != 1:
        raise InputError(
            worded("exactly one target must be given: `far=`, `frr=`, `cost_fa=` with `cost_fr=`,")
            + worded(" or `eer=True`;")
            + f" got {' and '.join(given) or 'none'}."
        )
    if costs and (cost_fa is None or cost_fr is None):
        missing = "cost_fa" if cost_fa is None else "cost_fr"
        raise InputError.about(missing)(
            f"{missing} must stand beside the other cost; it is missing."
        )
    return given[0]


def _rate(kind: str, value: Any) -> float:
    must = "must be a fraction strictly between 0 and 1"
    rate = checks.fraction(value, kind, must)
    if not 0.0 < rate < 1.0:
        raise InputError.about(kind)(
            f"{kind} {must}; got {rate!r}. No sample shows a rate of 0, and 1 needs none."
        )
    return rate


# ---------------------------------------------------------------------------- of a rate
def _of_rate(
    scores: Scores, target: Target, how: str | None, prior: float, family: Names
) -> Decision:
    ways = ways_of(scores, target, family)
    possible = [way for way in ways if way.possible and way.how in HOW[:-1]]
    wanted = [way for way in possible if how in (None, way.how)]
    size = int(getattr(scores, f"{target.who}_total"))
    needed = needed_for_guarantee(target.rate, target.confidence)
    short = not any(way.how == "guaranteed" for way in possible)
    if not wanted:
        raise _impossible(ways, target, how, needed if how == "guaranteed" else None)
    way = wanted[0]
    status, reason = _status(way, target, size, needed if short else None)
    expected = {"far": way.far, "frr": way.frr} | {target.kind: way.expected}
    point = OperatingPoint(way.threshold, expected["far"], expected["frr"], prior)
    interval = Interval(
        way.expected, way.low, way.high, target.confidence, way.how, way.n_beyond,
        way.how in ("tail", "model") and size * target.rate < 1.0,
    )  # fmt: skip
    return Decision(
        way.threshold, target.kind, target.rate, way.how, target.confidence, point, interval,
        status, reason, needed if short else None, tuple(ways), None, scores._dtype,
        library=scores.library,
    )  # fmt: skip


def _impossible(ways: list[Way], target: Target, how: str | None, needed: int | None) -> InputError:
    why = "; ".join(f"{way.how}: {way.why}" for way in ways if how in (None, way.how) and way.why)
    error = InputError.about("how" if how is not None else target.kind)(
        f"{target.kind}={target.rate:g} must be possible to decide on"
        + (f' by how="{how}"' if how is not None else "")
        + f"; it is not: {why}. Give more scores, or ask for a larger rate."
    )
    error.needed = needed  # type: ignore[attr-defined]
    return error


def _status(way: Way, target: Target, size: int, needed: int | None) -> tuple[str, str]:
    name, rate = target.kind.upper(), f"{target.rate:g}"
    many = f"{size} {target.who} scores"
    if way.how == "guaranteed":
        reason = (
            f"with {100 * target.confidence:g} % confidence {name} stays at or below {rate} on"
            f" trials like dev's ({many})"
        )
        return _GREEN, reason
    lacking = "" if needed is None else f"; a guarantee needs {needed}, dev has {many}"
    if way.how == "average":
        return (
            _AMBER,
            f"{name} is expected at {way.expected:.4g}, at most {rate} on average{lacking}",
        )
    by = "a tail of dev's scores" if way.how == "tail" else f"the fitted {way.family} distributions"
    if way.why.startswith("dev contradicts"):
        return _RED, f"the threshold is that of {by}, and {way.why}{lacking}"
    return _AMBER, f"{name} is expected at {way.expected:.4g} by {by}{lacking}"


# ---------------------------------------------------------------------- of both rates
def _of_costs(
    scores: Scores, kind: str, costs: tuple[float, float] | None, how: str, confidence: float,
    prior: float, family: Names,
) -> Decision:  # fmt: skip
    def chosen(model: ScoreModel) -> float:
        own = replace(model, prior=prior)
        point = own.eer() if costs is None else own.min_dcf(*costs)
        return float(point.threshold)

    ways = [_way_of_both(scores, "counted", chosen(empirical_model(scores)), confidence)]
    try:
        with quietly():
            f = fit(scores, family)
        name = family_text(f.family)
        ways.append(_way_of_both(scores, "model", chosen(f.model), confidence, name, f.model))
    except (FitError, InputError) as error:
        ways.append(Way("model", math.nan, why=str(error)))
    way = next(one for one in ways if one.how == how)
    if not way.possible:
        raise InputError.about("how")(
            f'how="model" must be possible to decide by; it is not: {way.why}'
        )
    frr = way.frr if how == "counted" else float(f.model.frr(way.threshold))
    point = OperatingPoint(way.threshold, way.expected, frr, prior)
    interval = Interval(way.expected, way.low, way.high, confidence, how, way.n_beyond)
    what = "the equal error rate" if costs is None else "the least mean cost"
    by = "counted on dev" if how == "counted" else f"of the fitted {way.family} distributions"
    reason = f"the threshold has {what} {by}, which is no target that other trials could keep"
    return Decision(
        way.threshold, kind, math.nan, how, confidence, point, interval, _AMBER, reason, None,
        tuple(ways), costs, scores._dtype, library=scores.library,
    )  # fmt: skip


def _way_of_both(
    scores: Scores, how: str, threshold: float, confidence: float, family: str = "",
    model: ScoreModel | None = None,
) -> Way:  # fmt: skip
    """At a threshold of both rates, FAR with its exact interval."""
    far = rate_interval(scores, "far", threshold, confidence)
    frr = rate_interval(scores, "frr", threshold, confidence)
    expected = far[0] if model is None else float(model.far(threshold))
    beyond = round(far[0] * scores.impostor_total)
    return Way(how, threshold, expected, far[1], far[2], beyond, far[0], frr[0], family)
