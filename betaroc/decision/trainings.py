"""Several trainings of one system: their mean curve, and what makes a number of them vary."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import combinations
from typing import Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, INSIDE, FloatArray
from betaroc.core.containers import as_narwhals
from betaroc.core.errors import SmallSampleWarning, refusal
from betaroc.core.notices import collect_warnings, warn
from betaroc.core.options import IntervalOptions
from betaroc.core.special import share_ends
from betaroc.core.tables import Table, Tabular
from betaroc.core.text import format_list
from betaroc.data.groups import Groups, units_of
from betaroc.data.scores import Scores
from betaroc.decision import curve
from betaroc.decision.bands import dev_choice
from betaroc.decision.epc import Epc, check_different
from betaroc.inference import of_scores
from betaroc.inference.auc import covariance_of_means, placements, welch
from betaroc.inference.delta import block_diag, student, supported
from betaroc.inference.differences import Difference, score_influence
from betaroc.inference.interval import Band, Interval, Limits
from betaroc.inference.of_scores import CountedScores
from betaroc.inference.paired_trials import check_other_trials, joint_trials, on_same_trials
from betaroc.inference.scores_beyond import SampleSupport
from betaroc.model.dataset_checks import check_sense
from betaroc.model.measures import OperatingPoint
from betaroc.model.samples import empirical_model
from betaroc.model.statistics import StatisticArguments, StatisticSpec, parse_statistic
from betaroc.rendering import tree
from betaroc.rendering.nouns import Readable
from betaroc.rendering.numbers import number

_PARTS = ("training", "dev", "test", "interaction")
#: Statistics of which the influence of each trial is known, beside measures at a threshold.
_SUMS = ("auc", "eer", "average-precision", "h-measure", "cllr", "min-cllr")
_RATES = ("frr", "tpr", "recall", "sensitivity")
#: Bonett's interval needs more trainings than this.
_FEWEST = 4
#: FARs, or thresholds, where the curves are averaged.
_PLACES = 201
#: Share of the thresholds, to either side, over which a slope is taken.
_NEAR = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class VarianceComponents(Tabular, Readable):
    """A number of several trainings, and what its variance is made of.

    Made by :func:`variance_components`.

    Parameters
    ----------
    stat : str
        What varies.
    values : ndarray, shape (k,)
        That of each training.
    mean : Interval
        Of all trainings of the method, on all trials like these.
    training, dev, test, interaction : Interval
        Variances; of a training on these trials alone the interaction. `dev` is None of scores,
        whose threshold nothing chose. Ends are nan where they are not known.
    paired : bool
        Whether all trainings judged the same trials.
    systems : tuple of Scores, or of Epc
        The trainings.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> trainings = [br.Scores(x, [0, 1, 2]) for x in ([2, 3, 4], [2, 1, 4])]
    >>> br.variance_components(trainings, "auc").values.round(4).tolist()
    [0.9444, 0.7778]
    """

    stat: str
    values: FloatArray
    mean: Interval
    training: Interval
    test: Interval
    interaction: Interval
    dev: Interval | None = None
    paired: bool = True
    systems: tuple[Any, ...] = field(default=(), compare=False, repr=False)

    def to_frame(self) -> Table:
        """One row per component: its variance, the ends of the interval, and its share of all.

        Examples
        --------
        >>> import betaroc as br
        >>> trainings = [br.Scores(x, [0, 1, 2]) for x in ([2, 3, 4], [2, 1])]
        >>> br.variance_components(trainings, "auc", paired=False).to_frame()["component"].tolist()
        ['training', 'test', 'interaction']
        """
        return self._table(self._columns())

    def _columns(self) -> dict[str, list[Any]]:
        parts = {name: part for name in _PARTS if (part := getattr(self, name)) is not None}
        ends = ("estimate", "low", "high")
        columns = {key: [getattr(part, key) for part in parts.values()] for key in ends}
        total = math.fsum(columns["estimate"])
        share = [x / total if total else math.nan for x in columns["estimate"]]
        return {"component": list(parts), **columns, "share": share}

    def _view(self) -> Sequence[tree.Node]:
        columns = self._columns()
        rows = [
            tree.Row((name, *(tree.Cell(number(x, 3)) for x in part), f"{share:.0%}"))
            for name, *part, share in zip(*columns.values(), strict=True)
        ]
        words = f"mean {self.stat} of {self.values.size} trainings"
        trials = "the same trials" if self.paired else "trials of their own"
        text = f"{words}, each on {trials}; variances of one training"
        head = ("component", "variance", "low", "high", "share")
        return [tree.Paragraph(text, "answer", str(self.mean)), tree.Grid(head, tuple(rows))]

    def _interval_of(
        self, stat: Any, argument: tuple[Any, ...], point: Any, options: IntervalOptions
    ) -> Interval:
        result: Interval = getattr(self, checks.choice(stat, ("mean", *_PARTS[:3]), "stat"))
        return result

    def _difference_of(
        self, other: VarianceComponents, stat: Any, argument: tuple[Any, ...], point: Any,
        options: IntervalOptions, *, paired: bool,
    ) -> Difference:  # fmt: skip
        """Of two methods, by both variances: between trainings, and of trials that they share."""
        # The interaction is in both: without it in the second the test is a little too often wrong.
        from scipy.special import stdtr

        checks.choice(stat, ("mean",), "stat")
        if self.stat != other.stat:
            actual = f"{self.stat} and {other.stat}"
            raise refusal("a and b", "have one statistic", actual, "Compute both alike.")
        if not (self.systems and other.systems):
            remedy = "Compute both again from the scores."
            raise refusal("a and b", "hold their trainings", "a document, without", remedy)
        sides, a, b = (self, other), self.values, other.values
        parts = [(float(np.var(y, ddof=1)) / y.size, y.size - 1.0) for y in (a, b)]
        every = (*self.systems, *other.systems)
        w = np.repeat([1.0 / a.size, -1.0 / b.size], [a.size, b.size])
        joint = _samplings(every, self.stat, options, paired=True) if paired else []
        for k, c in enumerate(joint):
            if c.shared:
                parts.append((float(w @ c.covariance @ w), c.freedom))
            else:  # dev of each method, if its trainings share one
                parts += [part for side in sides for part in side._shared(options)[k : k + 1]]
        if not paired:
            parts += [part for side in sides for part in side._shared(options)]
        variances, freedoms = zip(*parts, strict=True)
        variance, freedom = welch(variances, freedoms)
        gap, sd = float(a.mean() - b.mean()), math.sqrt(variance)
        reach = student(freedom, options.level) * sd
        p = 2.0 * float(stdtr(freedom, -abs(gap) / sd)) if sd > 0.0 else float(gap == 0.0)
        return Difference(gap, gap - reach, gap + reach, p, options.level, "satterthwaite")

    def _shared(self, options: IntervalOptions) -> list[tuple[float, float]]:
        """Variances of the mean by trials that all trainings share, and degrees of freedom."""
        samplings = _samplings(self.systems, self.stat, options, paired=self.paired)
        return [(float(c.covariance.mean()), c.freedom) for c in samplings if c.shared]


@collect_warnings
def variance_components(
    trainings: Any,
    stat: str | None = None,
    *,
    seed: str | None = None,
    paired: bool = True,
    level: float = 0.95,
    replicates: int = 500,
    groups: bool = True,
    rng: Any = None,
    **point: Unpack[StatisticArguments],
) -> VarianceComponents:
    """How much training, dev and test contribute to the variance of a number.

        Y_s = mu + T_s + D + E + (TD)_s + (TE)_s,   s = 1 .. k

    with T of the training, D of the dev trials that chose the threshold and E of the test trials,
    both shared by all trainings. E and TE are the means of the covariances and of what the
    variances exceed them by, of the influence of each test trial; D and TD those of replicates
    that draw dev again; T is the variance of the k values less TD and TE.

    Parameters
    ----------
    trainings : sequence or mapping of Scores or Epc, or frame
        One per training (seed) of the same method: test scores, or curves of one alpha, with the
        threshold of dev.
    stat : str
        Of scores as in :func:`interval`, such as "eer", "auc" or "hter@threshold=0.5"; curves have
        their measure.
    seed : str, optional
        Of a frame with columns ``label`` and ``score`` the column that tells trainings apart.
    paired : bool
        The same trials in the same order in all; else each has trials of its own.
    level, groups : optional
        As in :func:`interval`.
    replicates, rng : optional
        Of dev.
    threshold, far, frr, tpr, alpha, between, at, probability, log_odds, prior, cost_fa, cost_fr
        As in :func:`interval`.

    Returns
    -------
    VarianceComponents
        ``br.difference(a, b, "mean")`` of two of these compares methods.

    Raises
    ------
    InputError, InputTypeError
        If there are fewer than two trainings, two have the same scores, their trials differ, or
        the number has no influence of its trials.

    Warns
    -----
    ExtrapolationWarning, SmallSampleWarning
        If less than one score is expected beyond a rate, or nothing moves the number.

    Notes
    -----
    The interval of the training is Bonett's of the variance between trainings (of up to 4 that of
    the chi-square law) less TD and TE; its upper end is several times the truth for ten trainings.
    That of the test is of the squared influences of its trials or groups; dev has none. The
    interval of the mean has Satterthwaite's degrees of freedom. A bootstrap of ten trainings would
    cover .63 to .85.

    References
    ----------
    Bonett, D. G. (2006), Approximate confidence interval for standard deviation of nonnormal
    distributions, Computational Statistics and Data Analysis 50, 775-782.

    Examples
    --------
    >>> import betaroc as br
    >>> trainings = [br.Scores(x, [0, 1, 2]) for x in ([2, 3, 4], [2, 1, 4])]
    >>> round(br.variance_components(trainings, "auc").mean.estimate, 4)
    0.8611
    """
    options = IntervalOptions(level, None, replicates, groups, rng)
    paired = checks.flag(paired, "paired")
    systems = _systems(trainings, seed, paired=paired)
    if isinstance(systems[0], Epc):
        if stat is not None or point:
            raise refusal("stat", "be left out of curves", repr(stat), "They have a measure.")
        stat, values = systems[0].measure, np.array([float(e.value[0]) for e in systems])
    else:
        stat = str(parse_statistic(stat, (), **point))
        spec = _spec(stat, systems[0])
        values = np.array([spec.number(empirical_model(s)) for s in systems])
    k, between = len(systems), float(np.var(values, ddof=1))
    samplings = _samplings(systems, stat, options, paired=paired)
    alone = [_split(c.covariance) for c in samplings]
    interaction = math.fsum(rest for _, rest in alone)
    low, high = (max(x - interaction, 0.0) for x in _spread_ends(values, options))
    training = Interval(max(between - interaction, 0.0), low, high, options.level, "bonett")
    shared = [(float(c.covariance.mean()), c.freedom) for c in samplings if c.shared]
    variance, freedom = welch(*zip((between / k, k - 1.0), *shared, strict=True))
    mean, reach = float(values.mean()), student(freedom, options.level) * math.sqrt(variance)
    low, high = mean - reach, mean + reach
    if reach == 0.0:
        warn(
            f"no training and no trial moves {stat!r}, as where the classes do not overlap: its"
            " interval has no width, which says nothing of trials to come. Give more scores.",
            SmallSampleWarning,
        )
    of_all = Interval(mean, low, high, options.level, "satterthwaite")
    if not isinstance(systems[0], Epc):
        of_all = replace(of_all, low=max(low, spec.row.low), high=min(high, spec.row.high))
        evidence = SampleSupport(systems[0], grouped=options.groups), empirical_model(systems[0])
        of_all = supported(of_all, spec, evidence)
    parts = []
    for c, (common, rest) in zip(samplings, alone, strict=True):
        part = common if c.shared else rest
        spread = student(c.freedom, options.level) * c.error
        low, high = (part * math.exp(sign * spread) for sign in (-1.0, 1.0))
        parts.append(Interval(part, low, high, options.level, c.method))
    mixed = Interval(interaction * paired, math.nan, math.nan, options.level, "influence")
    dev = parts[1] if parts[1:] else None
    return VarianceComponents(
        stat, values, of_all, training, parts[0], mixed, dev, paired, tuple(systems)
    )


def trainings_of(value: object, name: str, remedy: str) -> list[Any]:
    """Two or more Scores, or as many curves of one criterion, measure and equal alphas."""
    items: list[Any] = list(value) if isinstance(value, Iterable) else [value]
    kinds = {type(item) for item in items}
    if len(items) < 2 or kinds not in ({Scores}, {Epc}):
        actual = f"{len(items)} of {', '.join(sorted(kind.__name__ for kind in kinds)) or 'none'}"
        raise refusal(name, "be two or more Scores, or two or more Epc", actual, remedy)
    for e in items:
        if isinstance(e, Epc):
            check_different(items[0], e, ("the first training", "another"))
    return items


def _systems(value: Any, seed: str | None, *, paired: bool) -> list[Any]:
    frame = as_narwhals(value)
    if frame is not None and seed is not None:
        parts = frame.lazy().collect().group_by(seed)
        value = [Scores.from_frame(rows.to_native()) for _, rows in parts]
    value = value.values() if isinstance(value, Mapping) else value
    remedy = "One training shows no spread; of a frame name the column seed=."
    items = trainings_of(value, "trainings", remedy)
    for item in items:
        first, other = (getattr(x, "test", x) for x in (items[0], item))
        check_sense(other, "a training", like=first)
    if paired and isinstance(items[0], Scores):
        items = on_same_trials(items, [f"training {k}" for k in range(1, len(items) + 1)])
    if isinstance(items[0], Epc) and items[0].alpha.size > 1:
        remedy = "Such as br.epc(dev, test, alpha=[0.5])."
        raise refusal("curves of trainings", "have one alpha", str(items[0].alpha.size), remedy)
    trials = [_trials(item) for item in items]
    for (i, one), (j, other) in combinations(enumerate(trials), 2):
        if all(np.array_equal(getattr(one, who), getattr(other, who)) for who in CLASSES):
            actual = f"equal scores of {i + 1} and {j + 1}"
            remedy = "The same seed again is no other training: leave it out."
            raise refusal("trainings", "differ", actual, remedy)
    return [item if isinstance(item, Epc) else item._trials for item in items]


def _trials(item: Scores | Epc) -> Any:
    return curve.side_trials(item, "test") if isinstance(item, Epc) else item._trials


class _Sampling(NamedTuple):
    """How drawing one side's trials again moves the trainings together."""

    covariance: FloatArray
    freedom: float
    #: Standard error of the logarithm of the variance; nan if unknown.
    error: float
    method: str
    #: Whether all trainings have the same trials.
    shared: bool


def _samplings(
    systems: Sequence[Any], stat: str, options: IntervalOptions, *, paired: bool
) -> list[_Sampling]:
    trials, groups = [_trials(item) for item in systems], options.groups
    parts = [_influence(item, stat, options) for item in systems]
    names = [f"training {k}" for k in range(1, len(systems) + 1)]
    if paired:
        for other, name in zip(trials[1:], names[1:], strict=True):
            check_other_trials(trials[0], other, ("the first training", name), groups=groups)
        units = units_of(reduce(joint_trials, trials), groups=groups)
        covariance = covariance_of_means(units, parts)
    else:
        each = zip((units_of(t, groups=groups) for t in trials), parts, strict=True)
        covariance = block_diag(*(covariance_of_means(units, [part]) for units, part in each))
        units = units_of(trials[0], groups=groups)
    freedom = min(units.units_of(k) for k in (0, 1)) - 1.0
    error = _log_error(units, parts if paired else parts[:1])
    result = [_Sampling(covariance, freedom, error, "influence", paired)]
    if isinstance(systems[0], Epc):
        dev = dev_choice(systems, names, groups=groups)

        def draw(rng: np.random.Generator, n: int) -> FloatArray:
            chosen = zip(systems, dev.choose(rng, n), strict=True)
            return np.hstack([e._measured(e.test.at(theta)) for e, theta in chosen])

        drawn = np.cov(options.replicated(draw, len(systems)), rowvar=False)
        if not dev.paired:
            drawn = np.diag(np.diag(drawn))
        freedom = dev.smallest.n - 1.0
        result.append(_Sampling(drawn, freedom, math.nan, "bootstrap", dev.paired))
    return result


def _influence(item: Scores | Epc, stat: str, options: IntervalOptions) -> Sequence[FloatArray]:
    if isinstance(item, Epc):
        trials, theta, at = _trials(item), item.chosen.theta, item.points
        point = OperatingPoint(theta[0], at.far[0], at.frr[0], at.prior)
        of_far, of_frr = of_scores.rate_slopes(item._measured, point)
        return of_frr * (trials.client <= theta), of_far * (trials.impostor > theta)
    if stat == "auc":
        return placements(item)[1]
    spec = _spec(stat, item)
    method, at_far = of_scores.methods_of(spec)[0], spec.where.point == "far"
    if not (spec.name in _SUMS or spec.fixed or spec.optimum or (spec.name in _RATES and at_far)):
        rule = f"be taken at a threshold, a TPR or FRR at a FAR, or one of {format_list(_SUMS, 6)}"
        raise refusal("stat", rule, repr(stat), "Take one of these.")
    counted = CountedScores(item, options.groups, spec.where.prior)
    return score_influence(counted, spec, options.by((method,)))


def _spec(stat: str, scores: Scores) -> StatisticSpec:
    return parse_statistic(stat).inside(scores.lower_is_client)


def _split(covariance: FloatArray) -> tuple[float, float]:
    """The mean covariance of two trainings, and what a variance exceeds it by."""
    k, total = len(covariance), float(np.trace(covariance))
    common = max((float(covariance.sum()) - total) / (k * (k - 1)), 0.0)
    return common, max(total / k - common, 0.0)


def _log_error(units: Groups, parts: Sequence[Sequence[FloatArray]]) -> float:
    """Standard error of the logarithm of the mean covariance; of one training of its variance."""
    k, sums = len(parts), []
    for part in parts:
        moves = [x[rows] for x, rows in zip(part, units.rows, strict=True)]
        away = np.concatenate([(x - x.mean()) / x.size for x in moves])
        sums.append(np.bincount(units.first, away, units.role.size))
    products = np.einsum("su,tu->stu", sums, sums)
    products *= np.where(np.eye(k), float(k == 1), 1.0)[:, :, None] / max(k * (k - 1), 1)
    each, stratum = products.sum(axis=(0, 1)), units.stratum()
    variance, total = 0.0, float(each.sum())
    for h in np.unique(stratum):
        x = each[stratum == h]
        variance += float(np.var(x, ddof=1)) * x.size if x.size > 1 else math.nan
    if k > 2:  # and of other trainings, by leaving out each
        left = (total * k * (k - 1) - 2.0 * k * (k - 1) * products.sum(axis=(1, 2))) / (
            (k - 1) * (k - 2)
        )
        variance += (k - 1.0) / k * float(np.sum((left - left.mean()) ** 2))
    return math.sqrt(variance) / total if total > 0.0 else math.nan


def _spread_ends(values: FloatArray, options: IntervalOptions) -> Limits:
    """Ends of the variance between trainings: Bonett's, of few those of the chi-square law."""
    from scipy.special import chdtri

    n, variance, z = values.size, float(np.var(values, ddof=1)), options.deviate
    if n <= _FEWEST or not variance:
        low, high = (n - 1.0) * variance / chdtri(n - 1.0, [options.tail, 1.0 - options.tail])
        return float(low), float(high)
    from scipy.stats import trim_mean

    centre = trim_mean(values, 0.5 / math.sqrt(n - _FEWEST))
    kurtosis = float(np.sum((values - centre) ** 4)) / n / float(np.var(values)) ** 2
    c = n / (n - z)
    reach = z * c * math.sqrt(max(kurtosis - (n - 3.0) / n, 0.0) / (n - 1.0))
    return c * variance * math.exp(-reach), c * variance * math.exp(reach)


# ---------------------------------------------------------------------------- mean curves
@collect_warnings
def mean_curve(
    curves: Sequence[Scores] | Sequence[Epc],
    *,
    averaging: str = "vertical",
    far: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Band:
    """Mean ROC or EPC of several trainings of one system, with a band.

        vertical:   mean_k TPR_k(x) at each FAR x; of EPCs the mean measure at each alpha
        threshold:  (mean_k FAR_k(t), mean_k TPR_k(t)) at each threshold t

    The interval of a mean is Student's, of k - 1 degrees of freedom, between trainings; that of a
    ROC holds the exact one of the mean rate among all clients too, since equal curves of few
    scores show no spread, and that of the mean curve less one impostor of each training: where no
    impostor lies beyond, its lower end is 0.

    Parameters
    ----------
    curves : sequence of Scores, or of Epc
        At least 2: test scores of each training (fold, seed), or EPCs of one criterion, measure and
        alpha.
    averaging : str
        "vertical", or "threshold" for scores that mean the same in every training, such as
        probabilities.
    far : array_like, optional
        Where ROCs are averaged vertically; 201 equally spaced FARs where left out.
    level : float
        Of the interval at each point.

    Returns
    -------
    Band
        Its `alpha` is the FAR of a ROC. Each curve has the same weight.

    Raises
    ------
    InputError, InputTypeError
        If there are fewer than 2 curves, they are of different kinds or the EPCs not alike.

    Notes
    -----
    The trainings are taken as independent. Folds of one data set share training rows, so that
    their spread is too small (Bengio and Grandvalet, 2004): the band then speaks for these folds,
    not for another data set. Trainings that share a test set vary together by its trials, which
    the spread between them does not show.

    References
    ----------
    Fawcett, T. (2006), An introduction to ROC analysis, section 7.

    Examples
    --------
    >>> import betaroc as br
    >>> folds = [br.Scores(x, [0, 1, 2, 3]) for x in ([2, 3, 4, 5], [3, 4, 5, 6])]
    >>> br.mean_curve(folds, far=[0.0]).estimate.tolist()
    [0.625]
    """
    averaging = checks.choice(averaging, ("vertical", "threshold"), "averaging")
    level = checks.level(level)
    items = trainings_of(curves, "curves", "Give the scores of each training, or its EPC.")
    reach = student(len(items) - 1, level) / math.sqrt(len(items))
    if isinstance(items[0], Epc):
        rows = np.array([e.value for e in items])
        mean, width = rows.mean(axis=0), reach * rows.std(axis=0, ddof=1)
        return _band(items, items[0].alpha, mean, mean - width, mean + width, level)
    from scipy.special import expit, logit

    tail = 0.5 * (1.0 - level)
    if averaging == "vertical":
        alpha = checks.rates_1d(np.linspace(0.0, 1.0, _PLACES) if far is None else far, "far")
        models = [(empirical_model(s).roc(), s.impostor_total) for s in items]
        rows = np.array([roc.tpr(alpha) for roc, _ in models])
        # At k of n impostors beyond one of them the expected FAR is (k + 1)/(n + 1), not k/n.
        lower = [alpha - (1.0 - alpha) / n for _, n in models]
        shifted = [np.where(x < 0.0, 0.0, roc.tpr(x.clip(0.0)))
                   for x, (roc, _) in zip(lower, models, strict=True)]  # fmt: skip
        pairs = [(rows, rows), (np.array(shifted), np.array(shifted))]
    else:
        alpha, rows, departures = _at_thresholds(items)
        pairs = [(rows, departures)]
    ends, total = [], float(sum(s.client_total for s in items))
    for values, spread in pairs:
        mean, width = values.mean(axis=0), reach * spread.std(axis=0, ddof=1)
        inside = np.clip(mean, *INSIDE)
        slope = inside * (1.0 - inside)  # of the rate by its logit, on which it is less skewed
        logits = (expit(logit(inside) + sign * width / slope) for sign in (-1.0, 1.0))
        ends += [(mean - width, mean + width), tuple(logits), share_ends(mean * total, total, tail)]
    low, high = np.min(ends, axis=0)[0].clip(0.0), np.max(ends, axis=0)[1].clip(max=1.0)
    return _band(items, alpha, rows.mean(axis=0), low, high, level)


def _band(
    items: Sequence[Any], alpha: FloatArray, mean: FloatArray, low: FloatArray, high: FloatArray,
    level: float,
) -> Band:  # fmt: skip
    kind = "EPCs" if isinstance(items[0], Epc) else "ROCs"
    undefined = np.zeros(alpha.size, dtype=np.int64)
    return Band(
        alpha, mean, low, high, level, False, f"trainings of {kind}", 0, undefined,
        groups=(None, len(items)), library=items[0].library,
    )  # fmt: skip


def _at_thresholds(curves: Sequence[Scores]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean FARs, TPRs, and how far each training lies above the mean curve; by rising FAR."""
    models = [empirical_model(s) for s in curves]
    pooled = np.concatenate([np.concatenate([s.client, s.impostor]) for s in curves])
    places = np.quantile(pooled, np.linspace(1.0, 0.0, _PLACES), method="inverted_cdf")
    points = [model.at(places) for model in models]
    far, tpr = np.array([p.far for p in points]), np.array([p.tpr for p in points])
    x, y = far.mean(axis=0), tpr.mean(axis=0)
    k, near = np.arange(places.size), round(_NEAR * places.size)
    low, high = np.maximum(k - near, 0), np.minimum(k + near, k[-1])
    run, rise = x[high] - x[low], y[high] - y[low]
    slope = np.divide(rise, run, out=np.zeros(k.size), where=run > 0.0)
    return x, tpr, tpr - slope * far
