"""Intervals of the empirical area under the ROC, by DeLong's and Newcombe's variances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from betaroc.core import errors, notices, special
from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.options import IntervalOptions
from betaroc.data import groups as trial_groups
from betaroc.data.scores import Scores, require_scores
from betaroc.inference.interval import Interval, Limits

AUC_METHODS = ("delong", "logit-delong", "newcombe")
#: Placements are shares: what is closer together than this differs by rounding.
ROUNDING = 1e-12
_BELOW_ONE = math.nextafter(1.0, 0.0)


@notices.collect_warnings
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
        Left out, what suits: "logit-delong+newcombe", the mean above; "newcombe" where DeLong's
        variance is 0; "logit-delong" of groups; "newcombe-groups" where both are so. Or "delong":
        A -+ z sd, cut to [0, 1]; "logit-delong": the same for log A/(1 - A); "newcombe": areas at
        most z of their own sd away.
    groups : bool
        Where the scores carry groups, the variance between them.

    Returns
    -------
    Interval

    Raises
    ------
    InputError, InputTypeError
        If `level` or `method` is out of range, a class has fewer than two trials or one group; for
        "newcombe" if trials depend on each other by groups.

    Warns
    -----
    SmallSampleWarning
        If the interval of "delong" or "logit-delong" has no width.

    Notes
    -----
    O(n log n). With few scores "delong" is far too short near 1: docs/validation.md.

    With groups, of one or two columns, trials that share a label covary (Obuchowski 1997):

        Var A = sum_u S_u^2 - sum_{u < v} S_uv^2,
        s = (V_i - A)/n_client for clients, (V_j - A)/n_impostor for impostors

    with S_u the sum of s over the trials of label u, S_uv over those of both labels, the parts of
    each class times sqrt(G/(G - 1)), G its labels (of two columns the fewer; without groups its
    trials). z is then Student's with min G - 1 degrees of freedom. "newcombe-groups" has G for the
    number of trials.

    References
    ----------
    Newcombe, R. G. (2006), Confidence intervals for an effect size measure, part 2, method 5.
    Obuchowski, N. A. (1997), Nonparametric analysis of clustered ROC curve data. DeLong, DeLong and
    Clarke-Pearson (1988).

    Examples
    --------
    >>> import betaroc as br
    >>> interval = br.auc_interval(br.Scores([2, 3, 4, 5], [0, 1, 2.5, 3.5]), level=0.9)
    >>> round(interval.low, 4), round(interval.high, 4), interval.method
    (0.4341, 0.9589, 'logit-delong+newcombe')
    """
    options = IntervalOptions(level, method, groups=groups)
    options = options if method is None else options.by(AUC_METHODS)
    area = DelongArea.of(scores, "scores", groups=options.groups, alone=method is None)
    if method is None:
        ends, method = area.best(options.tail)
        return Interval(area.area, *ends, options.level, method)
    if method == "newcombe" and area.dependent:
        raise errors.InputError.about("method")(
            'method="newcombe" takes trials as independent, and these depend on each other by'
            " their groups. Leave method out, or take groups=False."
        )
    if method == "newcombe":
        low, high = area.newcombe(options.tail)
    else:
        low, high = area.delong(options.tail, logit=method == "logit-delong")
    if low == high:
        notices.warn(
            "DeLong's variance is 0, as where no scores overlap: the interval of the area has"
            " no width, which says nothing of scores to come. Leave method out.",
            errors.SmallSampleWarning,
        )
    return Interval(area.area, low, high, options.level, method)


# ----------------------------------------------------------------------------- placements
class PairedAreas(NamedTuple):
    """The areas of two classifiers on the same trials."""

    area: float
    other: float
    #: Of the difference, with Welch's degrees of freedom; with groups those of the class with
    #: fewer groups or, where it has none, trials.
    variance: float
    freedom: float
    #: Trials of each class whose placement differs; of a class with groups the groups.
    moved: tuple[int, int]


#: An area, or another sum of two class means, and of each trial of both classes its part in it.
Placed = tuple[float, list[FloatArray]]


def paired_areas(a: Placed, b: Placed, trials: Scores) -> PairedAreas:
    """DeLong's paired variance; Student's t for few trials."""
    (area, parts), (second, others) = a, b
    apart = [settled(first - two) for first, two in zip(parts, others, strict=True)]
    # Placements are less their mean: what moved is what moved beside it.
    shift = area - second
    groups, moved = trial_groups.groups_of(trials), []
    weights = [trial_groups.weights_of(trials, who) for who in CLASSES]
    for who, x, w in zip(CLASSES, apart, weights, strict=True):
        which, labels = np.abs(x + shift) > ROUNDING, getattr(trials, f"{who}_groups")
        columns = [] if labels is None else labels.reshape(x.size, -1).T
        # Trials, or groups of them: of two columns those of the one with fewer.
        count = round(float(w @ which))
        moved.append(min((np.unique(own[which]).size for own in columns), default=count))
    if groups is None:
        variance, freedom = of_means(apart, weights)
    else:
        sd, _ = spread_of(apart, groups)
        units = [np.sum(w) if g is None else g for w, g in zip(weights, groups.sizes, strict=True)]
        variance, freedom = sd**2, min(units) - 1.0
    return PairedAreas(area, second, variance, freedom, (moved[0], moved[1]))


def welch(variances: Sequence[float], freedoms: Sequence[float]) -> tuple[float, float]:
    """The sum of independent variances, and its degrees of freedom."""
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


def placements(scores: Scores, name: str = "scores") -> Placed:
    """The area, and each trial's placement less the area."""
    client, impostor = scores.client, scores.impostor
    weights = [trial_groups.weights_of(scores, who) for who in CLASSES]
    trial_groups.check_few(scores, name, "for a variance")
    below = _share_below(client, impostor, weights[1])
    above = 1.0 - _share_below(impostor, client, weights[0])
    area = math.fsum(below * weights[0]) / math.fsum(weights[0])
    return area, [settled(below - area), settled(above - area)]


def _share_below(at: FloatArray, values: FloatArray, weights: FloatArray) -> FloatArray:
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    sums = np.concatenate([[0.0], np.cumsum(weights[order])])
    left, right = (np.searchsorted(ordered, at, side=side) for side in ("left", "right"))
    return np.asarray(0.5 * (sums[left] + sums[right]) / sums[-1])


def settled(differences: FloatArray) -> FloatArray:
    """Zero where there is nothing but rounding."""
    return np.where(np.abs(differences) > ROUNDING, differences, 0.0)


# ------------------------------------------------------------------------------ variances
def covariance_of_means(
    units: trial_groups.Groups, parts: Sequence[Sequence[FloatArray]], *, unbiased: bool = False
) -> FloatArray:
    """Covariance of sums of two means; `unbiased`: divisor n - 1 without groups."""
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
    return trial_groups.ensure_psd(*units.meat(contributions))


def spread_of(parts: list[FloatArray], groups: trial_groups.Groups) -> tuple[float, float]:
    """DeLong's deviation of an area, or that between groups, and its freedom."""
    variance = float(covariance_of_means(groups, [parts], unbiased=True)[0, 0])
    sizes = [size - 1.0 for size in groups.sizes if size is not None]
    return math.sqrt(variance), min(sizes, default=math.inf)


# ----------------------------------------------------------------------------- intervals
class DelongArea(NamedTuple):
    """The area of one system with its error."""

    area: float
    parts: list[FloatArray]
    sd: float
    freedom: float
    #: Trials of each class, of one with groups its groups.
    sizes: tuple[float, float]
    dependent: bool

    @classmethod
    def of(cls, scores: Scores, name: str, *, groups: bool, alone: bool = False) -> DelongArea:
        """That of scores; `alone` takes groups of one trial each as trials."""
        scores = require_scores(scores, "an empirical area", name=name, rejected=True)._trials
        area, parts = placements(scores, name)
        units = trial_groups.units_of(scores, groups=groups)
        if alone and not units.dependent:
            units = trial_groups.units_of(scores, groups=False)
        known = units.sizes if units.dependent else (None, None)
        client, impostor = (
            math.fsum(trial_groups.weights_of(scores, who)) if size is None else float(size)
            for who, size in zip(CLASSES, known, strict=True)
        )
        return cls(area, parts, *spread_of(parts, units), (client, impostor), units.dependent)

    @property
    def is_still(self) -> bool:
        return self.sd <= ROUNDING

    def best(self, tail: float) -> tuple[Limits, str]:
        from scipy.special import expit

        if self.is_still:
            return self.newcombe(tail), "newcombe-groups" if self.dependent else "newcombe"
        if self.dependent:
            return self.delong(tail, logit=True), "logit-delong"
        centre, reach = self._logit(tail)
        low, missed = _newcombe_tails(self.area, self.sizes, tail)
        # Trials on the wrong side and trials on the right one: both ends have a logit.
        low = 0.5 * (centre - reach + math.log(low) - math.log1p(-low))
        high = 0.5 * (centre + reach + math.log1p(-missed) - math.log(missed))
        return (float(expit(low)), float(expit(high))), "logit-delong+newcombe"

    def delong(self, tail: float, *, logit: bool) -> Limits:
        """Estimate -+ z deviations, of the area or of its logit."""
        from scipy.special import expit

        if not logit:
            reach = self._reach(tail)
            return max(self.area - reach, 0.0), min(self.area + reach, 1.0)
        if not 0.0 < self.area < 1.0:
            return self.area, self.area
        centre, reach = self._logit(tail)
        return float(expit(centre - reach)), float(expit(centre + reach))

    def _logit(self, tail: float) -> Limits:
        centre = math.log(self.area) - math.log1p(-self.area)
        return centre, self._reach(tail) / (self.area * (1.0 - self.area))

    def _reach(self, tail: float) -> float:
        from scipy.special import stdtrit

        return -float(stdtrit(self.freedom, tail)) * self.sd

    def newcombe(self, tail: float) -> Limits:
        """Areas at most z of their own deviations away."""
        low, missed = _newcombe_tails(self.area, self.sizes, tail)
        return low, 1.0 - missed


def _newcombe_tails(area: float, sizes: tuple[float, float], tail: float) -> tuple[float, float]:
    """Newcombe's lower end, and what the upper end lacks of 1."""
    from scipy.special import ndtri

    z, (m, n) = float(ndtri(tail)), sizes
    half = 0.5 * (m + n)

    def lower(area: float) -> float:
        def excess(a: float) -> float:
            per = 2.0 * half - 1.0 - 3.0 * (half - 1.0) / ((2.0 - a) * (1.0 + a))
            return (area - a) ** 2 - z * z * a * (1.0 - a) * per / (m * n)

        # At 1 the variance vanishes, where the end is not.
        return special.interval_end(excess, min(area, _BELOW_ONE), 0.0, what="end of an area")

    # The variance is the same at 1 - A.
    return lower(area), lower(1.0 - area)
