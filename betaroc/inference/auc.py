"""Intervals and tests of the empirical area under the ROC, by DeLong's and Newcombe's variances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, AnyArray, BoolArray, FloatArray, IntArray
from betaroc.core.errors import InputError, SmallSampleWarning
from betaroc.core.notices import collect_warnings, warn
from betaroc.core.options import IntervalOptions
from betaroc.core.special import bracketed_root
from betaroc.core.value import Result
from betaroc.data.groups import (
    Groups,
    check_few,
    ensure_psd,
    groups_of,
    single_trials,
    units_of,
    weights_of,
)
from betaroc.data.scores import Scores, require_scores
from betaroc.inference.interval import Interval
from betaroc.inference.paired_trials import check_other_trials, joint_trials, on_same_trials
from betaroc.rendering.nouns import Exportable

AUC_METHODS = ("delong", "logit-delong", "newcombe")
#: Placements are shares: what is closer together than this differs by rounding.
_ROUNDING = 1e-12
#: Deviates beyond which the normal distribution leaves the doubles.
_FARTHEST = 37.0


@dataclass(frozen=True, eq=False, repr=False)
class AucTest(Result, Exportable):
    """Whether two areas under the ROC differ.

    Made by :func:`auc_test`.

    Parameters
    ----------
    difference : Interval
        Area of the first minus area of the second.
    statistic : float
        The difference in standard errors, by which `p_value` goes; 0 where the areas are equal.
    p_value : float
        Two-sided, standard normal, with groups Student's t; 1 where the areas are equal.
    paired : bool
        Whether both systems judged the same trials.
    reason : str
        Why the difference has no DeLong variance, where it has none; else empty.

    Examples
    --------
    >>> import betaroc as br
    >>> first = br.Scores([2, 3, 4, 5], [0, 1, 2.5, 3.5])
    >>> second = br.Scores([1, 3, 2, 5], [0, 2, 2.5, 3.5])
    >>> test = br.auc_test(first, second)
    >>> round(test.difference.estimate, 4), round(test.p_value, 4)
    (0.2188, 0.1911)
    """

    difference: Interval
    statistic: float
    p_value: float
    paired: bool
    reason: str = ""


@collect_warnings
def auc_interval(
    scores: Scores, level: float = 0.95, method: str | None = None, *, groups: bool = True
) -> Interval:
    """Confidence interval of the area under the empirical ROC.

        logit end = (logit end of logit DeLong + logit end of Newcombe)/2

    DeLong:

        Var A = S10/n_client + S01/n_impostor,
        S10 = sum (V_i - A)^2 / (n_client - 1),   V_i = share of impostors below client i,

    ties counting one half, and S01 likewise over the impostors. Newcombe, at any area A:

        Var A = A (1 - A)/(m n) [2 N - 1 - 3 (N - 1)/((2 - A)(1 + A))],   N = (m + n)/2

    Parameters
    ----------
    scores : Scores
        Both classes, two or more trials in each; weights are frequencies.
    level : float
        Confidence level.
    method : str, optional
        Left out, what suits the scores, named in the result: "logit-delong+newcombe", the mean
        above; "newcombe" where DeLong's variance is 0, as of classes that do not overlap or of
        equal scores; "logit-delong" where trials depend on each other by groups, of which
        Newcombe's knows nothing; "newcombe-groups" where both are so.
        Or one of "delong": A -+ z sd, cut to [0, 1]; "logit-delong": the same for
        log A/(1 - A); both have no width where the variance is 0; "newcombe": the areas that the
        observed one is at most z sd away from, with the sd that exponential scores of that area
        would have.
    groups : bool
        Where the scores carry groups, the variance between them; `False` takes trials as
        independent.

    Returns
    -------
    Interval
        Of `method` the one used.

    Raises
    ------
    InputError
        If `level` or `method` is out of range, a class has fewer than two trials, or all its
        trials share one group; for "newcombe" if trials depend on each other by groups.
    InputTypeError
        If `scores` is no Scores or `groups` no bool.

    Warns
    -----
    SmallSampleWarning
        If the interval of "delong" or "logit-delong" has no width.

    Notes
    -----
    O(n log n). The mean is never without width; with few scores "delong" is far too short near 1.
    Simulated coverage: docs/validation.md.

    With groups, of one or two columns, trials that share a label covary (Obuchowski 1997):

        Var A = sum_u S_u^2 - sum_{u < v} S_uv^2,
        s = (V_i - A)/n_client for clients, (V_j - A)/n_impostor for impostors

    with S_u the sum of s over the trials of label u, in both classes, S_uv over those of both
    labels, the parts of each class times sqrt(G/(G - 1)), G its labels (trials, of a class
    without groups; of two columns those of the column with fewer labels); where the
    difference is no variance the second sum is left out. z is then the quantile of Student's
    t with min G - 1 degrees of freedom. Where every group is one trial, the interval left to the
    function is that of independent trials. "newcombe-groups" is Newcombe's with G for the number
    of trials of each class.

    References
    ----------
    Newcombe, R. G. (2006), Confidence intervals for an effect size measure based on the
    Mann-Whitney statistic, part 2, method 5. Obuchowski, N. A. (1997), Nonparametric analysis
    of clustered ROC curve data.
    DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988), Comparing the areas under
    two or more correlated receiver operating characteristic curves. Sun, X. and Xu, W.
    (2014), Fast implementation of DeLong's algorithm.

    Examples
    --------
    >>> import betaroc as br
    >>> interval = br.auc_interval(br.Scores([2, 3, 4, 5], [0, 1, 2.5, 3.5]), level=0.9)
    >>> round(interval.low, 4), round(interval.high, 4), interval.method
    (0.4341, 0.9589, 'logit-delong+newcombe')
    >>> apart = br.auc_interval(br.Scores([3, 4, 5], [0, 1, 2]))
    >>> apart.estimate, round(apart.low, 4), apart.method
    (1.0, 0.501, 'newcombe')
    """
    options = IntervalOptions(level, method, groups=groups)
    if method is not None:
        options.by(AUC_METHODS)
    scores = _all_trials(scores, "scores")
    area, parts = _placements(scores, "scores")
    result = units_of(scores, groups=options.groups)
    dependent = result.dependent
    if method is None and not dependent:
        result = single_trials(scores)
    if method == "newcombe" and dependent:
        raise InputError.about("method")(
            'method="newcombe" takes trials as independent, and these depend on each other by'
            " their groups. Leave method out, or take groups=False."
        )
    sizes, tail = _sizes(scores, result), options.tail
    if method == "newcombe":
        return Interval(area, *_newcombe(area, sizes, tail), options.level, method)
    spread = _spread(parts, result)
    if method is None:
        ends, method = _best(area, spread, sizes, tail, dependent=dependent)
    else:
        ends = _ends(area, spread, tail, logit=method == "logit-delong")
        if ends[0] == ends[1]:
            warn(
                "DeLong's variance is 0, as where no scores overlap: the interval of the area has"
                " no width, which says nothing of scores to come. Leave method out.",
                SmallSampleWarning,
            )
    return Interval(area, *ends, options.level, method)


@collect_warnings
def auc_test(
    a: Scores, b: Scores, paired: bool = True, *, level: float = 0.95, groups: bool = True
) -> AucTest:
    """Test whether two classifiers have the same area under the ROC.

        z = (A - B)/sd,   Var(A - B) = Var A + Var B - 2 Cov(A, B)

    with DeLong's variance of the differences of the placements of each trial.

    Parameters
    ----------
    a, b : Scores
        The two classifiers.
    paired : bool
        The same trials in the same order; else independent ones, whose covariance is 0.
    level : float
        Confidence level of the difference.
    groups : bool
        Where scores carry groups, the variance between them, as in :func:`auc_interval`;
        groups of a class that one of two paired systems has hold for both.

    Returns
    -------
    AucTest

    Raises
    ------
    InputError
        If paired trials differ in number, weights, ids or groups, a class has fewer than two
        trials or one group, or `level` is out of range.
    InputTypeError
        If `a` or `b` is no Scores, or `paired` or `groups` no bool.

    Notes
    -----
    Placements, and areas, that differ by no more than 1e-12 are equal.

    DeLong's variance is 0 where no scores of a system overlap or all are equal, and where the
    placements of two systems differ by one number in all trials. There the ends are those of the
    square-and-add method (``"newcombe"``): A - B -+ the root of the squared distances of A and B
    from the ends of their own intervals; p is 1 less the level at which an end is 0, and the
    statistic the normal deviate of that p. Two systems that order all of the same trials alike have
    one ROC: the difference is 0, without width, and p is 1. ``.reason`` says so.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), equations (4) to (7). Newcombe, R. G. (1998),
    Interval estimation for the difference between independent proportions, method 10. Zou, G. Y.
    and Donner, A. (2008), Construction of confidence limits about effect measures.

    Examples
    --------
    >>> import betaroc as br
    >>> first = br.Scores([2, 3, 4, 5], [0, 1, 2.5, 3.5])
    >>> same = br.auc_test(first, first)
    >>> same.statistic, same.p_value, same.reason
    (0.0, 1.0, 'both systems order all trials alike: one ROC')
    """
    options, paired = IntervalOptions(level, groups=groups), checks.flag(paired, "paired")
    level, groups = options.level, options.groups
    if paired and isinstance(a, Scores) and isinstance(b, Scores):
        a, b = on_same_trials((a, b), ("a", "b"))
    a, b = _all_trials(a, "a"), _all_trials(b, "b")
    one, two = (_Judged.of(s, name, groups=groups) for s, name in ((a, "a"), (b, "b")))
    difference = one.area - two.area if abs(one.area - two.area) > _ROUNDING else 0.0
    if paired:
        check_other_trials(a, b, ("a", "b"), groups=groups)
        if np.array_equal(_order(a), _order(b)):
            interval = Interval(0.0, 0.0, 0.0, level, "delong")
            return AucTest(interval, 0.0, 1.0, paired,
                           "both systems order all trials alike: one ROC")  # fmt: skip
        moved = [_settled(v - w) for v, w in zip(one.parts, two.parts, strict=True)]
        spread = _spread(moved, units_of(joint_trials(a, b), groups=groups))
    else:
        spread = _Spread(
            math.hypot(one.spread.sd, two.spread.sd), min(one.spread.freedom, two.spread.freedom)
        )
    why = _no_variance(one, two, spread)
    if why:
        return _square_and_add(one, two, difference, options, paired=paired, why=why)
    low, high = spread.around(difference, options.tail)
    interval = Interval(difference, max(low, -1.0), min(high, 1.0), level, "delong")
    z = difference / spread.sd
    return AucTest(interval, z, spread.p_value(z), paired)


class _Judged(NamedTuple):
    """The area of one system of a test, by itself."""

    area: float
    parts: list[FloatArray]
    spread: _Spread
    sizes: tuple[float, float]
    dependent: bool

    @classmethod
    def of(cls, scores: Scores, name: str, *, groups: bool) -> _Judged:
        area, parts = _placements(scores, name)
        units = units_of(scores, groups=groups)
        return cls(area, parts, _spread(parts, units), _sizes(scores, units), units.dependent)

    def still(self) -> bool:
        """Whether DeLong's variance is 0."""
        return self.spread.sd <= _ROUNDING

    def why_still(self) -> str:
        """Shares of the other class that are all 1, or 0, or one half, or cancel in groups."""
        if any(np.any(part) for part in self.parts):
            return "all its groups are alike"
        return "all its scores are equal" if 0.0 < self.area < 1.0 else "no scores overlap"

    def ends(self, tail: float) -> tuple[float, float]:
        """Of the interval that suits the scores, which leaves out `tail` at either end."""
        return _best(self.area, self.spread, self.sizes, tail, dependent=self.dependent)[0]


def _order(scores: Scores) -> IntArray:
    """The trials of both classes in one order, ties included."""
    both = np.concatenate([scores.client, scores.impostor])
    return np.asarray(np.unique(both, return_inverse=True)[1])


def _no_variance(one: _Judged, two: _Judged, spread: _Spread) -> str:
    """Why DeLong's variance of a difference says nothing; empty where it does."""
    still = [f"{name}: {s.why_still()}" for name, s in (("a", one), ("b", two)) if s.still()]
    if still:
        return f"DeLong's variance is 0 of {', and of '.join(still)}"
    if spread.sd > _ROUNDING:
        return ""
    apart = [one.area - two.area, *(x for v, w in zip(one.parts, two.parts, strict=True)
                                    for x in v - w)]  # fmt: skip
    if not np.any(_settled(np.array(apart))):
        return "both systems place every trial alike"
    return "DeLong's variance of the difference is 0: it is the same for every trial or group"


def _square_and_add(
    one: _Judged, two: _Judged, difference: float, options: IntervalOptions, *, paired: bool,
    why: str,
) -> AucTest:  # fmt: skip
    """The interval from those of both areas, and the test that agrees with it."""
    from scipy.special import ndtr

    def ends(tail: float) -> tuple[float, float]:
        (low, high), (least, most) = one.ends(tail), two.ends(tail)
        down = math.hypot(one.area - low, most - two.area)
        return difference - down, difference + math.hypot(high - one.area, two.area - least)

    interval = Interval(difference, *ends(options.tail), options.level, "newcombe")
    if difference == 0.0:
        return AucTest(interval, 0.0, 1.0, paired, why)
    inner, sign = (0, 1.0) if difference > 0.0 else (1, -1.0)

    def excess(z: float) -> float:
        return sign * ends(float(ndtr(-z)))[inner]

    if excess(_FARTHEST) > 0.0:
        return AucTest(interval, sign * math.inf, 0.0, paired, why)
    z = bracketed_root(excess, 0.0, _FARTHEST, what="level of an interval that ends at 0")
    return AucTest(interval, sign * z, 2.0 * float(ndtr(-z)), paired, why)


# ----------------------------------------------------------------------------- placements
class PairedAreas(NamedTuple):
    """The areas of two classifiers on the same trials, and how surely they differ."""

    area: float
    other: float
    #: Of the difference, with Welch's degrees of freedom; with groups those of the class with
    #: fewer groups or, where it has none, trials.
    variance: float
    freedom: float
    #: Trials of each class whose placement differs; of a class with groups the groups.
    moved: tuple[int, int]


def paired_areas(a: Scores, b: Scores) -> PairedAreas:
    """DeLong's paired variance for few trials: Student's t takes the place of the normal."""
    (area, parts), (second, others) = _placements(a, "a"), _placements(b, "b")
    apart = [_settled(first - two) for first, two in zip(parts, others, strict=True)]
    # Placements are less their mean: what moved is what moved beside it.
    shift = area - second
    groups, weights = groups_of(a), [weights_of(a, who) for who in CLASSES]
    moved = [
        _units(getattr(a, f"{who}_groups"), np.abs(x + shift) > _ROUNDING, w)
        for who, x, w in zip(CLASSES, apart, weights, strict=True)
    ]
    if groups is None:
        variance, freedom = of_means(apart, weights)
    else:
        spread = _spread(apart, groups)
        units = [np.sum(w) if g is None else g for w, g in zip(weights, groups.sizes, strict=True)]
        variance, freedom = spread.sd**2, min(units) - 1.0
    return PairedAreas(area, second, variance, freedom, (moved[0], moved[1]))


def _units(groups: AnyArray | None, which: BoolArray, weights: FloatArray) -> int:
    """How many trials, or groups of them: of two columns those of the one with fewer."""
    if groups is None:
        return round(float(weights @ which))
    columns = groups.T if groups.ndim == 2 else [groups]
    return min(np.unique(labels[which]).size for labels in columns)


def welch(variances: Sequence[float], freedoms: Sequence[float]) -> tuple[float, float]:
    """The sum of independent variances, and its degrees of freedom; infinite of no variance."""
    total = math.fsum(variances)
    below = math.fsum(v * v / f for v, f in zip(variances, freedoms, strict=True))
    return total, total**2 / below if below > 0.0 else math.inf


def of_means(samples: Sequence[FloatArray], weights: Sequence[FloatArray]) -> tuple[float, float]:
    """The same of the sum of their means; nan of a sample of one."""
    parts, freedoms = [], []
    for x, w in zip(samples, weights, strict=True):
        n, away = float(np.sum(w)), x - np.average(x, weights=w)
        parts.append(float(np.sum(away * away * w)) / (n - 1.0) / n if n > 1.0 else math.nan)
        freedoms.append(max(n - 1.0, 1.0))
    return welch(parts, freedoms)


def _all_trials(scores: Scores, name: str) -> Scores:
    return require_scores(scores, "an empirical area", name=name, rejected=True)._trials


def _placements(scores: Scores, name: str) -> tuple[float, list[FloatArray]]:
    """The area, and each trial's share of the other class on its right side, less the area."""
    client, impostor = scores.client, scores.impostor
    weights = [weights_of(scores, who) for who in CLASSES]
    check_few(scores, name, "for a variance")
    below = _share_below(client, impostor, weights[1])
    above = 1.0 - _share_below(impostor, client, weights[0])
    area = math.fsum(below * weights[0]) / math.fsum(weights[0])
    return area, [_settled(below - area), _settled(above - area)]


def _share_below(at: FloatArray, values: FloatArray, weights: FloatArray) -> FloatArray:
    """Weight of the values below each place and half of that on it, as a share."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    sums = np.concatenate([[0.0], np.cumsum(weights[order])])
    left, right = (np.searchsorted(ordered, at, side=side) for side in ("left", "right"))
    return np.asarray(0.5 * (sums[left] + sums[right]) / sums[-1])


def _settled(differences: FloatArray) -> FloatArray:
    """Zero where there is nothing but rounding."""
    return np.where(np.abs(differences) > _ROUNDING, differences, 0.0)


# ------------------------------------------------------------------------------ variances
class _Spread(NamedTuple):
    """A standard deviation, and what an estimate is divided by it: Student's t, or normal."""

    sd: float
    freedom: float

    def around(self, estimate: float, tail: float, scale: float = 1.0) -> tuple[float, float]:
        """Ends of the interval of an estimate with `scale` times this deviation."""
        from scipy.special import stdtrit

        reach = -float(stdtrit(self.freedom, tail)) * self.sd * scale
        return estimate - reach, estimate + reach

    def p_value(self, z: float) -> float:
        """Probability of a deviation as large, on either side."""
        from scipy.special import stdtr

        return float(2.0 * stdtr(self.freedom, -abs(z)))


def covariance_of_means(
    units: Groups, parts: Sequence[Sequence[FloatArray]], *, unbiased: bool = False
) -> FloatArray:
    """Covariance of numbers that are sums of two means, of what each client and impostor adds.

    Of trials that depend on groups that between them; `unbiased` with the divisor n - 1 in a class
    without groups.
    """
    cut, factors = units.rows[0].size, units.factors()
    contributions = np.zeros((units.first.size, len(parts)))
    for which, where in enumerate((slice(0, cut), slice(cut, None))):
        grow, w = factors[which], units.copies[where]
        if units.sizes[which] is None:
            w = w * units.multiplicity[units.first[where]]
        n = float(np.sum(w))
        if unbiased and units.sizes[which] is None:
            grow = math.sqrt(n / (n - 1.0))
        for column, part in enumerate(parts):
            own = part[which][units.rows[which]]
            contributions[where, column] = grow * (own - float(w @ own) / n) / n
    return ensure_psd(*units.meat(contributions))


def _spread(parts: list[FloatArray], groups: Groups) -> _Spread:
    """S10/n_client + S01/n_impostor with the divisors n - 1; of groups the sums of theirs."""
    variance = float(covariance_of_means(groups, [parts], unbiased=True)[0, 0])
    sizes = [size - 1.0 for size in groups.sizes if size is not None]
    return _Spread(math.sqrt(variance), min(sizes, default=math.inf))


# ----------------------------------------------------------------------------- intervals
def _sizes(scores: Scores, units: Groups) -> tuple[float, float]:
    """Trials of each class, of one with groups its groups."""
    trials = (math.fsum(weights_of(scores, who)) for who in CLASSES)
    own = units.sizes if units.dependent else (None, None)
    client, impostor = (n if g is None else float(g) for n, g in zip(trials, own, strict=True))
    return client, impostor


def _best(
    area: float, spread: _Spread, sizes: tuple[float, float], tail: float, *, dependent: bool
) -> tuple[tuple[float, float], str]:
    """The interval that suits the scores, and its name."""
    if spread.sd <= _ROUNDING:
        return _newcombe(area, sizes, tail), "newcombe-groups" if dependent else "newcombe"
    if dependent:
        return _ends(area, spread, tail, logit=True), "logit-delong"
    from scipy.special import expit

    low, missed = _newcombe_tails(area, sizes, tail)
    # Trials on the wrong side and trials on the right one: both ends have a logit.
    logits = math.log(low) - math.log1p(-low), math.log1p(-missed) - math.log(missed)
    pairs = zip(_logit_delong(area, spread, tail), logits, strict=True)
    one, two = (float(expit(0.5 * (a + b))) for a, b in pairs)
    return (one, two), "logit-delong+newcombe"


def _ends(area: float, spread: _Spread, tail: float, *, logit: bool) -> tuple[float, float]:
    from scipy.special import expit

    if logit and 0.0 < area < 1.0:
        low, high = _logit_delong(area, spread, tail)
        return float(expit(low)), float(expit(high))
    low, high = (area, area) if logit else spread.around(area, tail)
    return max(low, 0.0), min(high, 1.0)


def _logit_delong(area: float, spread: _Spread, tail: float) -> tuple[float, float]:
    """Ends on the logit scale, of an area inside (0, 1)."""
    centre = math.log(area) - math.log1p(-area)
    return spread.around(centre, tail, 1.0 / (area * (1.0 - area)))


def _newcombe(area: float, sizes: tuple[float, float], tail: float) -> tuple[float, float]:
    low, missed = _newcombe_tails(area, sizes, tail)
    return low, 1.0 - missed


def _newcombe_tails(area: float, sizes: tuple[float, float], tail: float) -> tuple[float, float]:
    """Areas from which the observed one is no farther than z of their own standard errors.

    The lower end, and what the upper end lacks of 1.
    """
    from scipy.special import ndtri

    z, (m, n) = -float(ndtri(tail)), sizes
    half = 0.5 * (m + n)

    def per(a: float) -> float:
        """The variance over a (1 - a)."""
        return (2.0 * half - 1.0 - 3.0 * (half - 1.0) / ((2.0 - a) * (1.0 + a))) / (m * n)

    def lower(area: float) -> float:
        # At 0 the variance vanishes: an area of 0 is its own end. At 1 it does too, where the end
        # is not: a factor 1 - a is taken out.
        if area == 0.0:
            return 0.0
        what = "end of an area"
        if area == 1.0:
            return bracketed_root(lambda a: 1.0 - a - z * z * a * per(a), 0.0, 1.0, what=what)
        return bracketed_root(
            lambda a: (area - a) ** 2 - z * z * a * (1.0 - a) * per(a), 0.0, area, what=what
        )

    # The variance is the same at 1 - A.
    return lower(area), lower(1.0 - area)
