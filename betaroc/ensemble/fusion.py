"""What a classifier adds to the others: by fixed rules, and in a learned fusion."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import CLASSES, AnyArray, BoolArray, FloatArray, IntArray
from betaroc.core.checks import choice
from betaroc.core.errors import FitError, InputError
from betaroc.core.tables import Library, Table, Tabular, columns_from_rows
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import Value
from betaroc.core.vocabulary import CLIENTS, IMPOSTORS
from betaroc.data.groups import Groups, settled, weights_of
from betaroc.data.scores import Scores
from betaroc.distributions.empirical import Empirical
from betaroc.distributions.pairs import pair_of
from betaroc.ensemble.trials import Systems
from betaroc.inference.auc import PairedAreas, of_means, paired_areas, welch
from betaroc.inference.delta import student
from betaroc.inference.interval import Interval
from betaroc.model.criteria import CRITERIA
from betaroc.rendering.nouns import Noun
from betaroc.rendering.numbers import counted, level_words, number, visible
from betaroc.rendering.tree import (
    Cell,
    Grid,
    Name,
    Row,
    Section,
    Words,
    apart,
    as_named,
    signed_cell,
)
from betaroc.rendering.tree_text import text_of


class TrialSet(NamedTuple):
    """Scores of both classes, a row per trial, a column per classifier."""

    client: FloatArray
    impostor: FloatArray
    client_weights: FloatArray | None = None
    impostor_weights: FloatArray | None = None

    @classmethod
    def from_systems(cls, systems: Systems) -> TrialSet:
        return cls._make(getattr(systems, name) for name in cls._fields)

    def of(self, columns: int | list[int]) -> TrialSet:
        """Some of the classifiers."""
        return self._replace(client=self.client[:, columns], impostor=self.impostor[:, columns])

    def rows(self, client: BoolArray, impostor: BoolArray) -> TrialSet:
        """Some of the trials."""
        masks = (client, impostor) * 2
        return TrialSet._make(x if x is None else x[at] for x, at in zip(self, masks, strict=True))


def scale_of(systems: Systems, dev: Systems | None) -> tuple[str, str]:
    """What rules other than "rank-mean" and "vote" act on, "scores" or "ranks", and why.

    Scores themselves where all of them lie in [0, 1] and have a mean of logits, else ranks.
    """
    parts = [(getattr(one, who), weights_of(one, who)) for one in (systems, dev) if one is not None
             for who in CLASSES]  # fmt: skip
    for k, name in enumerate(systems.names):
        outside = sum(int(((x[:, k] < 0.0) | (x[:, k] > 1.0)) @ w) for x, w in parts)
        if outside:
            return "ranks", f"{outside} scores of {name!r} lie outside [0, 1]"
    torn = sum(int((np.any(x == 0.0, axis=1) & np.any(x == 1.0, axis=1)) @ w) for x, w in parts)
    if torn:
        trials = "1 trial has" if torn == 1 else f"{torn} trials have"
        return "ranks", f"{trials} exactly 0 and exactly 1, whose logits have no mean"
    return "scores", "all scores lie in [0, 1]"


def logits(x: FloatArray) -> FloatArray:
    """log(x / (1 - x)), infinite at 0 and 1."""
    return Thresholds.from_theta(x).logit


def rank_sums(dev: TrialSet, other: TrialSet) -> TrialSet:
    """2 (dev scores below + half of those equal + 1/2) of each score, whole, by classifier."""
    values = np.concatenate(dev[:2])
    weights = np.concatenate([weights_of(dev, who) for who in CLASSES])
    order = np.argsort(values, axis=0)
    known = np.take_along_axis(values, order, axis=0)
    sums = np.concatenate([np.zeros((1, known.shape[1])), np.cumsum(weights[order], axis=0)])

    def counted(x: FloatArray) -> FloatArray:
        columns = [
            total[np.searchsorted(own, column, "left")]
            + total[np.searchsorted(own, column, "right")]
            for own, total, column in zip(known.T, sums.T, x.T, strict=True)
        ]
        return np.asarray(np.stack(columns, axis=1) + 1.0)

    return other._replace(client=counted(other.client), impostor=counted(other.impostor))


def mid_ranks(dev: TrialSet, other: TrialSet) -> TrialSet:
    """(dev scores below + half of those equal + 1/2) / (n + 1) of each score, by classifier."""
    size = 2.0 * (sum(float(np.sum(weights_of(dev, who))) for who in CLASSES) + 1.0)
    ranks = rank_sums(dev, other)
    return ranks._replace(client=ranks.client / size, impostor=ranks.impostor / size)


def _product(x: FloatArray) -> FloatArray:
    """Mean of logs: the order of products, which underflow."""
    with np.errstate(divide="ignore"):
        return _mean(np.log(x))


def _mean(x: FloatArray) -> FloatArray:
    """Of each row, summed from the least up: rounding knows no order of the classifiers."""
    return np.asarray(np.mean(np.sort(x, axis=1), axis=1))


#: Rules that make one score of a row; "rank-mean" of whole `rank_sums`, which tie exactly.
RULES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "mean-logit": lambda x: _mean(logits(x)),
    "rank-mean": _mean,
    "product": _product,
    "max": lambda x: np.asarray(np.max(x, axis=1)),
    "min": lambda x: np.asarray(np.min(x, axis=1)),
}


def fused(rule: str, dev: TrialSet, test: TrialSet) -> tuple[TrialSet, TrialSet]:
    """One column a side. An infinite mean stands one beyond the finite ones, in its order."""
    function = RULES[rule]
    parts = [function(x) for x in (*dev[:2], *test[:2])]
    finite = np.concatenate(parts)
    finite = finite[np.isfinite(finite)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    parts = [np.nan_to_num(x, neginf=low - 1.0, posinf=high + 1.0) for x in parts]
    first, second = (dict(zip(CLASSES, x, strict=True)) for x in (parts[:2], parts[2:]))
    return dev._replace(**first), test._replace(**second)


#: Measures that are a FAR + b FRR, so that they are a sum over trials.
TRIAL_MEASURES = ("weighted-error", "hter", "dcf", "far", "frr")
#: Criteria this near to one another are tied.
_TIED = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class CurvePart(Value):
    """What thresholds are chosen for, and what their errors cost."""

    criterion: str
    measure: str
    alpha: FloatArray
    prior: float

    def costs(self) -> tuple[FloatArray, FloatArray]:
        """Of a false acceptance and of a false rejection at each alpha, per rate."""
        item, zero = np.ones(self.alpha.size), np.zeros(self.alpha.size)
        return {
            "weighted-error": (self.alpha, 1.0 - self.alpha),
            "hter": (0.5 * item, 0.5 * item),
            "dcf": ((1.0 - self.prior) * item, self.prior * item),
            "far": (item, zero),
            "frr": (zero, item),
        }[self.measure]


class Splits(NamedTuple):
    """Trials on which thresholds are chosen, and those on which they are met, fold by fold."""

    systems: TrialSet
    dev: TrialSet | None
    client_folds: IntArray
    impostor_folds: IntArray

    def each(self) -> list[tuple[TrialSet, TrialSet, IntArray, IntArray]]:
        """Dev, test, and the rows of test in either class."""
        own = self.systems
        if self.dev is not None:
            rows = np.arange(len(own.client)), np.arange(len(own.impostor))
            return [(self.dev, own, *rows)]
        result = []
        for fold in range(1 + int(self.client_folds.max())):
            client, impostor = self.client_folds == fold, self.impostor_folds == fold
            rows = np.flatnonzero(client), np.flatnonzero(impostor)
            result.append((own.rows(~client, ~impostor), own.rows(client, impostor), *rows))
        return result


def thresholds_of(dev: TrialSet, part: CurvePart) -> FloatArray:
    """The criterion's choice on the scores of one classifier at each alpha."""
    columns = (dev.client, dev.client_weights), (dev.impostor, dev.impostor_weights)
    laws = [Empirical._of_checked(*column) for column in columns]
    pair = pair_of(laws[0], laws[1])
    prior = laws[0].total / (laws[0].total + laws[1].total)
    return CRITERIA[part.criterion].choose(pair, prior, part.alpha).theta


def score_losses(
    threshold: FloatArray, test: TrialSet, part: CurvePart
) -> tuple[FloatArray, FloatArray]:
    """Mean cost over alpha of each client's and each impostor's decision: accepted iff above."""
    far, frr = part.costs()
    order = np.argsort(threshold, kind="stable")
    places, size = threshold[order], threshold.size
    accepted = np.concatenate([[0.0], np.cumsum(far[order])]) / size
    rejected = np.concatenate([[0.0], np.cumsum(frr[order])]) / size
    below_client = np.searchsorted(places, test.client, "left")
    below_impostor = np.searchsorted(places, test.impostor, "left")
    return rejected[-1] - rejected[below_client], accepted[below_impostor]


# --------------------------------------------------------------------------------- votes
def vote_losses(
    votes: TrialSet, own: TrialSet, members: int, part: CurvePart
) -> tuple[FloatArray, FloatArray]:
    """The same where dev chooses how many votes accept; votes have a column per alpha.

    Smallest criterion, then smallest HTER, then fewest votes: of -1, which accepts all, to as many
    as there are members, which accepts none.
    """
    cuts, alpha = np.arange(-1, members + 1), part.alpha
    far = np.stack([np.average(votes.impostor > c, 0, votes.impostor_weights) for c in cuts])
    frr = np.stack([np.average(votes.client <= c, 0, votes.client_weights) for c in cuts])
    size = {
        "weighted-error": alpha * far + (1.0 - alpha) * frr,
        "far": np.abs(far - alpha), "frr": np.abs(frr - alpha),
    }[part.criterion]  # fmt: skip
    total = np.where(size <= np.min(size, axis=0) + _TIED, far + frr, np.inf)
    needed = cuts[np.argmax(total <= np.min(total, axis=0) + _TIED, axis=0)]
    of_far, of_frr = part.costs()
    wrong = (own.client <= needed) * of_frr, (own.impostor > needed) * of_far
    return wrong[0].mean(axis=1), wrong[1].mean(axis=1)


_TEXTS = ("first", "second", "class")
_NUMBERS = ("spearman", "pearson", "phi", "disagreement", "double_fault")


def diversity_columns(names: tuple[str, ...], splits: Splits) -> dict[str, AnyArray]:
    """One row a pair and class; `Inclusion.diversity` documents it."""
    own = splits.systems
    weights = [weights_of(own, who) for who in CLASSES]
    both = np.concatenate(own[:2])
    unit = np.all((both >= 0.0) & (both <= 1.0), axis=0)
    wrong, likeness = _errors(splits), []
    for x, w in zip(own[:2], weights, strict=True):
        single, scaled = TrialSet(x, x[:0], w), x.copy()
        scaled[:, unit] = logits(x[:, unit])  # of classifiers that lie in [0, 1]
        ranks = rank_sums(single, single).client
        likeness.append([_correlations([columns], [w]) for columns in (ranks, scaled)])
    rows: list[tuple[Any, ...]] = []
    for i, j in itertools.combinations(range(len(names)), 2):
        pair = names[i], names[j]
        for who, alike, errors, w in zip(CLASSES, likeness, wrong, weights, strict=True):
            same = (matrix[i, j] for matrix in alike)
            rows.append((*pair, who, *same, *_together(errors[:, i], errors[:, j], w)))
        first, second = np.concatenate(wrong)[:, [i, j]].T
        together = _together(first, second, np.concatenate(weights))
        rows.append((*pair, "both", math.nan, math.nan, *together))
    return columns_from_rows(rows, (*_TEXTS, *_NUMBERS), _TEXTS)


def _correlations(samples: Sequence[FloatArray], weights: Sequence[FloatArray]) -> FloatArray:
    """Of columns within samples; nan of a column that is constant there, or infinite."""
    largest = np.max([np.max(np.abs(x), axis=0) for x in samples], axis=0)
    scale = np.where(largest > 0.0, largest, 1.0)  # squares of 1e300 overflow
    with np.errstate(invalid="ignore", divide="ignore"):
        away = np.concatenate([
            (x / scale - np.average(x / scale, 0, w)) * np.sqrt(w)[:, None]
            for x, w in zip(samples, weights, strict=True)
        ])  # fmt: skip
        products = away.T @ away
        size = np.sqrt(np.diag(products))
        result = products / np.outer(size, size)
    return np.where(np.isfinite(result), np.clip(result, -1.0, 1.0), np.nan)


def _errors(splits: Splits) -> tuple[BoolArray, BoolArray]:
    """Which trials of each class a classifier decides wrongly at its threshold of least HTER."""
    part = CurvePart("weighted-error", "hter", np.array([0.5]), 0.5)
    client, impostor = (np.zeros(x.shape, dtype=np.bool_) for x in splits.systems[:2])
    for dev, test, *rows in splits.each():
        for k in range(test.client.shape[1]):
            t = thresholds_of(dev.of(k), part)[0]
            client[rows[0], k], impostor[rows[1], k] = (
                test.client[:, k] <= t,
                test.impostor[:, k] > t,
            )
    return client, impostor


def _together(one: BoolArray, two: BoolArray, weights: FloatArray) -> tuple[float, float, float]:
    """phi, share of trials on which one of two errs, and on which both do."""
    p, q, both, apart = (
        float(np.average(x, weights=weights)) for x in (one, two, one & two, one != two)
    )
    variance = p * (1.0 - p) * q * (1.0 - q)
    phi = (both - p * q) / math.sqrt(variance) if variance > 0.0 else math.nan
    return phi, apart, both


#: Every rule, and every part of the curve on which a gain is met.
FUSING = (*RULES, "vote")
PARTS = ("all", "strict", "lax")
_Losses = tuple[FloatArray, FloatArray]


class Gain(NamedTuple):
    """What one classifier adds to the others by one rule on one part of the curve."""

    rule: str
    system: str
    part: str
    #: Mean of the measure over the alphas of the part, with all classifiers and without it.
    with_it: float
    without: float
    #: without - with_it: positive where the classifier helps.
    gain: float
    low: float
    high: float

    def _follows(self) -> dict[str, float]:
        return {"gain": self.without - self.with_it}


@dataclass(frozen=True, eq=False, repr=False)
class Fusion(Tabular, Noun):
    """Fusing rules with all classifiers and without each one.

    Made by :attr:`Inclusion.fusion`.

    Parameters
    ----------
    gains : tuple of Gain
        A rule, a left-out classifier, a part each.
    scale, scale_reason : str
        What rules other than "rank-mean" and "vote" act on: "scores" themselves or their
        "ranks" among dev's, and why.
    parts : dict
        Criterion, measure and alphas of "all", "strict" and "lax".
    folds : int
        Folds between which thresholds were chosen and met; 0 where a dev set was given.
    level : float
        Confidence of the intervals.
    library : str, optional
        "pandas", "polars" or "pyarrow": of which the table is a frame, as of `Scores`.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> good = br.Scores(rng.beta(4, 2, 300), rng.beta(2, 4, 300))
    >>> fair = br.Scores(rng.beta(3, 2, 300), rng.beta(2, 2, 300))
    >>> fusion = br.inclusion({"good": good, "fair": fair}).fusion
    >>> fusion.scale, len(fusion.table)  # six rules, two classifiers, three parts
    ('scores', 36)
    >>> gain = fusion.gain("good", "mean-logit")
    >>> gain.low > 0.0
    True
    """

    gains: tuple[Gain, ...]
    scale: str
    scale_reason: str
    parts: dict[str, dict[str, Any]]
    folds: int
    level: float

    @property
    def table(self) -> Table:
        """A frame, one row a gain: rule, system, part, with, without, gain, low, high."""
        texts = ("rule", "system", "part")
        names = (*texts, "with", "without", "gain", "low", "high")
        return self._table(columns_from_rows(self.gains, names, texts))

    def to_frame(self) -> Table:
        """The same as `table`.

        Returns
        -------
        DataFrame
            Of the library of the frame.

        Examples
        --------
        >>> import numpy as np
        >>> import betaroc as br
        >>> rng = np.random.default_rng(1)
        >>> one, two = (br.Scores(rng.beta(4, 2, 60), rng.beta(2, 4, 60)) for _ in range(2))
        >>> fusion = br.inclusion({"one": one, "two": two}).fusion
        >>> fusion.to_frame().equals(fusion.table)
        True
        """
        return self.table

    def gain(self, system: str, rule: str = "mean-logit", part: str = "all") -> Interval:
        """What a classifier adds, with its interval.

            gain = V(all without it) - V(all), the mean over the alphas of the part

        Parameters
        ----------
        system : str
            The classifier left out.
        rule : str
            "mean-logit", "rank-mean", "product", "max", "min" or "vote".
        part : str
            "all", "strict" or "lax".

        Returns
        -------
        Interval
            Positive where the classifier helps.

        Raises
        ------
        InputError
            If a name is unknown.

        Examples
        --------
        >>> import betaroc as br
        >>> one = br.Scores([0.6, 0.7, 0.8, 0.9], [0.1, 0.2, 0.3, 0.65])
        >>> two = br.Scores([0.5, 0.9, 0.7, 0.6], [0.3, 0.1, 0.4, 0.2])
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore", br.BetarocWarning)  # so few scores
        ...     fusion = br.inclusion({"one": one, "two": two}, folds=2).fusion
        >>> round(fusion.gain("two", "mean-logit").estimate, 4) >= 0.0
        True
        """
        choice(system, list(dict.fromkeys(g.system for g in self.gains)), "system")
        choice(rule, FUSING, "rule")
        choice(part, PARTS, "part")
        result = next(g for g in self.gains if (g.rule, g.system, g.part) == (rule, system, part))
        return Interval(result.gain, result.low, result.high, self.level, "paired")

    def __str__(self) -> str:
        return text_of(fusion_told(self))


def fusion_of(
    names: tuple[str, ...], splits: Splits, scale: tuple[str, str], parts: Mapping[str, CurvePart],
    level: float, groups: Groups | None = None, library: Library | None = None,
) -> Fusion:  # fmt: skip
    """All rules with all classifiers and without each one, every part."""
    everyone = list(range(len(names)))
    subsets = [everyone, *([k for k in everyone if k != left] for left in everyone)]
    losses = {
        (rule, part, s): [np.empty(len(x)) for x in splits.systems[:2]]
        for rule in FUSING for part in parts for s in range(len(subsets))
    }  # fmt: skip
    for dev, test, *rows in splits.each():

        def keep(key: tuple[str, str, int], some: _Losses, rows: list[Any] = rows) -> None:
            for loss, of_fold, at in zip(losses[key], some, rows, strict=True):
                loss[at] = of_fold

        ranks = rank_sums(dev, dev), rank_sums(dev, test)
        base = dev, test
        if scale[0] == "ranks":
            base = mid_ranks(dev, dev), mid_ranks(dev, test)
        for s, members in enumerate(subsets):
            for rule in RULES:
                sides = ranks if rule == "rank-mean" else base
                own, met = fused(rule, *(side.of(members) for side in sides))
                for name, part in parts.items():
                    keep((rule, name, s), score_losses(thresholds_of(own, part), met, part))
        for name, part in parts.items():
            ballots = _ballots(dev, test, part)
            for s, members in enumerate(subsets):
                own, met = (
                    side._replace(
                        **{w: np.sum([accepts[w][k] for k in members], axis=0) for w in CLASSES}
                    )
                    for side, accepts in zip((dev, test), ballots, strict=True)
                )
                keep(("vote", name, s), vote_losses(own, met, len(members), part))
    weights = [weights_of(splits.systems, who) for who in CLASSES]
    gains = tuple(
        Gain(rule, system, part, *_gain(losses[rule, part, 0], losses[rule, part, k], level,
                                        groups, weights))
        for rule in FUSING for k, system in enumerate(names, 1) for part in parts
    )  # fmt: skip
    shown = {
        name: {"criterion": p.criterion, "measure": p.measure, "alpha": p.alpha.tolist()}
        for name, p in parts.items()
    }
    folds = 0 if splits.dev is not None else len(splits.each())
    return Fusion(gains, *scale, shown, folds, level, library=library)


def _ballots(dev: TrialSet, test: TrialSet, part: CurvePart) -> list[dict[str, list[FloatArray]]]:
    """Of dev and of test, whom each classifier accepts at its own threshold of each alpha."""
    columns = range(dev.client.shape[1])
    t = [thresholds_of(dev.of(k), part) for k in columns]
    return [
        {who: [1.0 * (getattr(side, who)[:, k, None] > t[k]) for k in columns] for who in CLASSES}
        for side in (dev, test)
    ]


def _gain(
    with_it: Sequence[FloatArray], without: Sequence[FloatArray], level: float,
    groups: Groups | None, weights: list[FloatArray],
) -> tuple[float, float, float, float, float]:  # fmt: skip
    """Means of each class add up; so do the variances of the paired differences.

    Where trials depend on groups that is the sum over them of their squared contributions.
    """
    apart = [b - a for a, b in zip(with_it, without, strict=True)]
    value, rest, gain = (
        sum(float(np.average(x, weights=w)) for x, w in zip(losses, weights, strict=True))
        for losses in (with_it, without, apart)
    )
    if groups is None:
        variance, freedom = of_means(apart, weights)
    else:
        away = np.concatenate([
            (x - np.average(x, weights=w)) / np.sum(w) for x, w in zip(apart, weights, strict=True)
        ])  # fmt: skip
        variance = float(settled(*groups.meat(away[:, None]))[0, 0])
        freedom = min(size for size in groups.sizes if size is not None) - 1.0
    reach = 0.0
    if variance != 0.0:
        reach = student(freedom, level) * math.sqrt(variance) if freedom > 0.0 else math.nan
    return value, rest, gain, gain - reach, gain + reach


# ------------------------------------------------------------------------------- in words
def fusion_told(fusion: Fusion) -> list[Section]:
    """Gains of every rule and classifier on every part."""
    rows: dict[tuple[str, str], list[Cell | Name | str]] = {}
    for g in fusion.gains:
        cells = rows.setdefault((g.rule, g.system), [g.rule, as_named(g.system)])
        cells.append(signed_cell(g.gain, g.low, g.high))
    what = [f"gain, {name} ({p['criterion']}, {p['measure']})" for name, p in fusion.parts.items()]
    where = f"other folds of {fusion.folds}" if fusion.folds else "dev"
    head = f"fused on {fusion.scale} ({fusion.scale_reason}); thresholds from {where}"
    table = Grid(("rule", "without", *what), tuple(Row(tuple(row)) for row in rows.values()), (1,))
    return apart(Words(visible(head), "given"), table)


# ----------------------------------------------------------------------
#: Squared Newton decrements below which the matrix is kept, and below which no step is left.
_NEAR, _SMALL = 1e-6, 1e-18
_STEPS = 100
#: A step may raise the loss by this much, which is rounding.
_ROUNDING = 1e-14


class Standard:
    """Columns less their mean over their standard deviation in the trials given.

    A column that is constant there becomes 0 and so has no say.
    """

    def __init__(self, x: FloatArray, weights: FloatArray | None = None) -> None:
        self._largest = np.maximum(np.max(np.abs(x), axis=0), np.finfo(float).tiny)
        scaled = x / self._largest  # squares of 1e300 overflow
        constant = np.ptp(scaled, axis=0) == 0.0
        self._mean = np.average(scaled, 0, weights)
        variance = np.average((scaled - self._mean) ** 2, 0, weights)
        self._sd = np.where(constant, np.inf, np.sqrt(variance))

    def __call__(self, x: FloatArray) -> FloatArray:
        return np.asarray((x / self._largest - self._mean) / self._sd)


def linear(x: FloatArray, coefficients: FloatArray) -> FloatArray:
    """Intercept and weighted sum of columns, shape (subsets, n).

    Summed a column at a time: equal rows get equal bits, which no matrix product grants.
    """
    result = np.repeat(coefficients[:, :1], len(x), axis=1)
    for column, weight in zip(x.T, coefficients[:, 1:].T, strict=True):
        result += weight[:, None] * column
    return result


def _shares_and_losses(
    eta: FloatArray, client: BoolArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """P(client) and P(impostor), each from its own tail, and the losses."""
    small = np.exp(-np.abs(eta))
    near, up = 1.0 / (1.0 + small), eta >= 0.0
    far = small * near
    losses = np.log1p(small)
    losses += np.maximum(np.where(client, -eta, eta), 0.0)
    return np.where(up, near, far), np.where(up, far, near), losses


def ridge_path(
    x: FloatArray,
    client: BoolArray,
    subsets: BoolArray,
    strengths: Sequence[float],
    weights: FloatArray | None = None,
) -> FloatArray:
    """Intercept and weights of the fusion of every subset of the columns at every strength.

        least mean of log(1 + exp(-+ (b0 + x b))) + strength/2 |b|^2

    The penalty keeps them finite where the classes do not overlap; the intercept has none.

    Parameters
    ----------
    x : ndarray, shape (n, p)
        Standardised columns.
    client : ndarray of bool, shape (n,)
        Both classes must occur.
    subsets : ndarray of bool, shape (s, p)
        Columns that take part; weights of the others are 0.
    strengths : sequence of float, length k
        Of the penalty, positive, the strongest first; scikit-learn's C is 1/(n strength).
    weights : ndarray, shape (n,), optional
        How many trials each row stands for.

    Returns
    -------
    ndarray, shape (k, s, p + 1)
        To 1e-8 of weights of size 1.

    Notes
    -----
    Newton's method of all subsets side by side, each strength from where the last one ended. The
    second derivatives are kept once steps are small: that costs steps, not digits.
    """
    copies = np.ones(len(x)) if weights is None else weights / np.mean(weights)
    design = np.column_stack([np.ones(len(x)), x])
    free = np.column_stack([np.ones(len(subsets), dtype=bool), subsets])

    def at(b: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Shares of both classes, shape (subsets, n), and mean losses."""
        share, rest, losses = _shares_and_losses(b @ design.T, client)
        return share, rest, np.mean(losses * copies, axis=1)

    fusion = np.zeros(free.shape)
    fusion[:, 0] = np.log(np.sum(copies[client])) - np.log(np.sum(copies[~client]))
    share, rest, loss = at(fusion)
    curvature, stale, path = np.zeros((*free.shape, free.shape[1])), np.arange(len(free)), []
    for strength in strengths:
        ridge = np.full(free.shape[1], strength)
        ridge[0] = 0.0
        active = np.arange(len(free))
        for _ in range(_STEPS):
            for k in stale:
                w = share[k] * rest[k] * copies / len(x)
                curvature[k] = (design.T * w) @ design
            use, b = free[active], fusion[active]
            away = np.where(client, -rest[active], share[active]) * copies
            slope = np.where(use, away @ design / len(x) + ridge * b, 0.0)
            matrix = np.where(
                use[:, :, None] & use[:, None, :], curvature[active] + np.diag(ridge),
                np.eye(ridge.size),
            )  # fmt: skip
            step = np.linalg.solve(matrix, slope[:, :, None])[:, :, 0]
            decrement = np.sum(slope * step, axis=1)
            most = (loss[active] + 0.5 * np.sum(ridge * b * b, axis=1)) * (1.0 + _ROUNDING)
            for _ in range(_STEPS):  # half of a step that raises the objective, and so on
                moved = b - step
                shares, rests, losses = at(moved)
                worse = losses + 0.5 * np.sum(ridge * moved * moved, axis=1) > most
                if not np.any(worse):
                    break
                step[worse] *= 0.5
            fusion[active], loss[active] = moved, losses
            share[active], rest[active] = shares, rests
            stale, active = active[decrement > _NEAR], active[decrement > _SMALL]
            if not active.size:
                break
        else:
            raise FitError(
                f"a ridge-logistic fusion must converge; {active.size} of {len(free)} did not in"
                f" {_STEPS} steps. Leave out classifiers that repeat each other."
            )
        path.append(fusion.copy())
    return np.stack(path)


#: A gain in area below this is none, and a loss beyond it a loss.
MATTERS = 0.005
INCLUDE, ADDS_NOTHING, LEAVE_OUT = "include", "adds nothing", "leave out"
CANNOT_TELL = "cannot tell"
#: Penalties among which inner folds choose, from the strongest: scikit-learn's C is 1/(n strength).
STRENGTHS = (1.0, 0.1, 0.01, 0.001, 0.0001)
#: Folds of the nested fusion, and trials (or groups) of each class in one at least.
LEAST_FOLDS, MOST_FOLDS, LEAST_TRIALS = 3, 10, 2
#: With fewer trials (or groups) of a class that rank otherwise DeLong's variance knows little; then
#: as many may go unseen as show in no sample of this size: the "rule of three", 3/n at .95.
_FEW = 5
#: From this correlation on the classifier most like another is named.
_ALIKE = 0.9


class LearnedGain(NamedTuple):
    """What one classifier adds to all others in a ridge-logistic fusion."""

    system: str
    #: Areas under the ROC of the fusion of all and of all others, means over the folds.
    with_it: float
    without: float
    #: with_it - without, and the ends of its interval; nan where it cannot be measured.
    estimate: float
    low: float
    high: float
    level: float
    #: "delong-folds"; "delong" of a fusion learned on dev; "+unseen" where the interval is
    #: widened by what fewer than 5 trials (or groups) of a class that changed their place cannot
    #: tell;
    #: "none" where nothing could be measured.
    method: str
    #: "include", "adds nothing", "leave out" or "cannot tell".
    word: str
    #: Folds of the mean; 1 for a fusion learned on dev, 0 where nothing could be measured.
    folds: int
    #: Trials of each class that rank otherwise with it, over all folds; of groups the groups.
    moved: tuple[int, int]
    #: How many times the trials would just decide if the estimate stayed what it is, which is an
    #: even chance as it varies; 1 where they do.
    needed: float
    #: The classifier most like it, and the correlation of both within the classes.
    nearest: str
    correlation: float
    #: Whether both have the same scores.
    copy: bool

    def _follows(self) -> dict[str, Any]:
        return {"estimate": self.with_it - self.without, "word": word_of(self.low, self.high)}

    @property
    def interval(self) -> Interval:
        """The estimate with its ends."""
        return Interval(self.estimate, self.low, self.high, self.level, self.method)


def word_of(low: float, high: float) -> str:
    """The rule: the first that holds; nan holds of none."""
    if low > 0.0:
        return INCLUDE
    if high < -MATTERS:
        return LEAVE_OUT
    return ADDS_NOTHING if high < MATTERS else CANNOT_TELL


# ----------------------------------------------------------------------------- the columns
def _columns(systems: Systems, dev: Systems | None) -> tuple[list[FloatArray], BoolArray]:
    """What the fusion sees of the trials and of dev, clients first, made alike.

    And whether a column belongs to a classifier, shape (classifiers, columns).
    """
    sides = [item for item in (systems, dev) if item is not None]
    both = [np.concatenate([side.client, side.impostor]) for side in sides]
    weights = np.concatenate([weights_of(side, who) for side in sides for who in CLASSES])
    result = [_of_one(column, weights) for column in np.concatenate(both).T]
    owner = np.repeat(np.arange(len(result)), [len(columns) for columns in result])
    matrix = np.column_stack([column for columns in result for column in columns])
    parts = [np.ascontiguousarray(part) for part in np.split(matrix, [len(both[0])])]
    return parts, owner == np.arange(len(result))[:, None]


def _of_one(x: FloatArray, weights: FloatArray) -> list[FloatArray]:
    """Logits of scores in [0, 1]; exact 0 and 1, which have none, by columns that say so."""
    if np.any((x < 0.0) | (x > 1.0)):
        return [x]
    inside = (x > 0.0) & (x < 1.0)
    if not np.any(inside):
        return [x]
    values = logits(np.where(inside, x, 0.5))
    values[~inside] = np.average(values[inside], weights=weights[inside])
    masses = [(x == end).astype(np.float64) for end in (0.0, 1.0)]
    return [values, *(mass for mass in masses if np.any(mass))]


# ------------------------------------------------------------------------------- the folds
def nested_folds(
    systems: Systems, folds: int, deal: Callable[[int], tuple[IntArray, IntArray]]
) -> tuple[IntArray, IntArray] | None:
    """As many folds as hold two rows, or groups, of each class each; None for fewer than 3."""
    most = min(folds, MOST_FOLDS, fewest_trials(systems) // LEAST_TRIALS)
    for count in range(most, LEAST_FOLDS - 1, -1):
        try:
            dealt = deal(count)
        except InputError:  # two columns of groups connect the trials into fewer blocks
            continue
        sizes = [
            np.unique(label[fold == k]).size
            for fold, labels in zip(dealt, _labels(systems), strict=True)
            for label in labels for k in range(count)
        ]  # fmt: skip
        if min(sizes) >= LEAST_TRIALS:
            return dealt
    return None


def fewest_trials(systems: Systems) -> int:
    """Trials, or groups, of the smaller class."""
    return min(
        size if getattr(systems, f"{who}_groups") is None else np.unique(label).size
        for who, size, labels in zip(CLASSES, systems.sizes, _labels(systems), strict=True)
        for label in labels
    )


def _labels(systems: Systems) -> list[list[npt.NDArray[np.generic]]]:
    """Of each class the columns of groups, or the rows themselves."""
    result = []
    for who in CLASSES:
        groups = getattr(systems, f"{who}_groups")
        labels = np.arange(len(getattr(systems, who))) if groups is None else groups
        result.append(list(np.atleast_2d(labels.T)))
    return result


class _Trials(NamedTuple):
    """Rows of both classes, clients first."""

    x: FloatArray
    client: BoolArray
    fold: IntArray
    weights: FloatArray

    @classmethod
    def of(
        cls, x: FloatArray, systems: Systems, folds: tuple[IntArray, IntArray] | None
    ) -> _Trials:
        """All of one fold where none are given."""
        client = np.repeat([True, False], [len(systems.client), len(systems.impostor)])
        fold = np.zeros(len(x), dtype=np.intp) if folds is None else np.concatenate(folds)
        return cls(x, client, fold, np.concatenate([weights_of(systems, who) for who in CLASSES]))

    @property
    def folds(self) -> range:
        return range(1 + int(self.fold.max()))

    def rows(self, which: BoolArray) -> _Trials:
        return _Trials._make(part[which] for part in self)

    def but(self, *left: int) -> _Trials:
        return self.rows(~np.isin(self.fold, left))

    def only(self, fold: int) -> _Trials:
        return self.rows(self.fold == fold)


# ----------------------------------------------------------------------------- the fusions
class _Path(NamedTuple):
    """Fusions of every subset at every strength, learned on some trials."""

    standard: Standard
    #: Shape (strengths, subsets, columns + 1).
    coefficients: FloatArray

    def losses(self, trials: _Trials) -> FloatArray:
        """Sum over trials of the loss, shape (strengths, subsets)."""
        x = self.standard(trials.x)
        return np.stack([
            np.sum(_shares_and_losses(linear(x, b), trials.client)[2] * trials.weights, axis=1)
            for b in self.coefficients
        ])  # fmt: skip

    def at(self, strength: IntArray, trials: _Trials) -> FloatArray:
        """Fused scores of every subset at its strength, shape (subsets, n)."""
        chosen = self.coefficients[strength, np.arange(strength.size)]
        return linear(self.standard(trials.x), chosen)


def _path(trials: _Trials, subsets: BoolArray) -> _Path:
    x, client, _, weights = trials
    standard = Standard(x, weights)
    return _Path(standard, ridge_path(standard(x), client, subsets, STRENGTHS, weights))


def _out_of_fold(trials: _Trials, subsets: BoolArray) -> FloatArray:
    """Nested scores of every trial, shape (subsets, n): its fold took no part in anything.

    What is learned without two folds serves the choice of strength for either of them.
    """
    losses = np.zeros((len(trials.folds), len(STRENGTHS), len(subsets)))
    for f in trials.folds:
        for g in range(f):
            path = _path(trials.but(f, g), subsets)
            losses[f] += path.losses(trials.only(g))
            losses[g] += path.losses(trials.only(f))
    result = np.empty((len(subsets), trials.client.size))
    for f in trials.folds:
        chosen = np.argmin(losses[f], axis=0)  # of equal ones the strongest
        result[:, trials.fold == f] = _path(trials.but(f), subsets).at(chosen, trials.only(f))
    return result


# ------------------------------------------------------------------------------- the gains
def learned_gains(
    systems: Systems, folds: tuple[IntArray, IntArray] | None, dev: Systems | None, level: float
) -> tuple[LearnedGain, ...]:
    """What each classifier adds to all others.

    Parameters
    ----------
    systems : Systems
        The trials.
    folds : tuple of ndarray of int, or None
        Of each client and impostor of the trials; where there is a dev set, of dev. None where
        there are too few for folds within folds: then nothing is measured.
    dev : Systems or None
        Trials on which the fusion is learned; all of the trials are then one fold.
    level : float
        Confidence of the intervals.
    """
    k = len(systems.names)
    (own, *others), owned = _columns(systems, dev)
    mates = _nearest(own, owned, systems)
    if folds is None or fewest_trials(systems) < LEAST_TRIALS:
        nothing = (*(math.nan,) * 5, level, "none", CANNOT_TELL, 0, (0, 0), math.nan)
        pairs = zip(systems.names, mates, strict=True)
        return tuple(LearnedGain(name, *nothing, *mate) for name, mate in pairs)
    subsets = np.concatenate([np.ones((1, k), dtype=bool), ~np.eye(k, dtype=bool)]) @ owned
    if dev is None:
        trials = _Trials.of(own, systems, folds)
        scores = _out_of_fold(trials, subsets)
    else:
        trials, learn = _Trials.of(own, systems, None), _Trials.of(others[0], dev, folds)
        losses = [_path(learn.but(f), subsets).losses(learn.only(f)) for f in learn.folds]
        chosen = np.argmin(np.sum(losses, axis=0), axis=0)
        scores = _path(learn, subsets).at(chosen, trials)
    each = [_fold_scores(systems, trials, f, scores) for f in trials.folds]
    return tuple(
        _learned_gain(name, [paired_areas(fold[0], fold[j + 1]) for fold in each], systems, level,
              "delong-folds" if dev is None else "delong", mates[j])
        for j, name in enumerate(systems.names)
    )  # fmt: skip


def _nearest(
    x: FloatArray, owned: BoolArray, systems: Systems
) -> list[tuple[str, float, bool]]:  # fmt: skip
    """The classifier most like each within the classes, their correlation, whether it is a copy.

    Copies first, then by the correlation of the first columns.
    """
    both = np.concatenate([systems.client, systems.impostor])
    equal = np.array([[np.array_equal(a, b) for a in both.T] for b in both.T])
    first = np.split(x[:, np.argmax(owned, axis=1)], [len(systems.client)])
    # Constant within both classes: like no other.
    correlation = np.nan_to_num(_correlations(first, [weights_of(systems, w) for w in CLASSES]))
    likeness = np.abs(correlation) + equal
    np.fill_diagonal(likeness, -1.0)
    return [
        (systems.names[k], float(correlation[j, k]), bool(equal[j, k]))
        for j, k in enumerate(np.argmax(likeness, axis=1))
    ]


def _fold_scores(systems: Systems, trials: _Trials, fold: int, scores: FloatArray) -> list[Scores]:
    """Fused scores of the trials of one fold, of every subset."""
    cut, beside = len(systems.client), dict[str, Any]()
    inside = trials.fold == fold
    rows = inside[:cut], inside[cut:]
    for who, which in zip(CLASSES, rows, strict=True):
        for name in (f"{who}_groups", f"{who}_weights"):
            values = getattr(systems, name)
            beside[name] = None if values is None else values[which]
    return [
        Scores._checked(client=fused[:cut][rows[0]], impostor=fused[cut:][rows[1]], **beside)
        for fused in scores
    ]


def _learned_gain(
    name: str, folds: Sequence[PairedAreas], systems: Systems, level: float, method: str,
    mate: tuple[str, float, bool],
) -> LearnedGain:  # fmt: skip
    """Mean of the folds, which share no trial: their variances add up."""
    k, (areas, others, variances, freedoms, changes) = len(folds), zip(*folds, strict=True)
    with_it, without = math.fsum(areas) / k, math.fsum(others) / k
    estimate = math.fsum(f.area - f.other for f in folds) / k
    variance, freedom = welch(variances, freedoms)
    reach = student(freedom, level) * math.sqrt(variance) / k if variance > 0.0 else 0.0
    clients, impostors = (sum(moved) for moved in zip(*changes, strict=True))
    unseen = 0.0
    if min(clients, impostors) < _FEW and not mate[2]:
        unseen, method = -math.log1p(-level) / fewest_trials(systems), f"{method}+unseen"
    low, high = max(estimate - reach - unseen, -1.0), min(estimate + reach + unseen, 1.0)
    word = word_of(low, high)
    needed = 1.0
    if word == CANNOT_TELL:  # reach/sqrt(f) + unseen/f is what parts the estimate from an answer
        margin = max(estimate, MATTERS - estimate)
        root = (reach + math.sqrt(reach**2 + 4.0 * unseen * margin)) / (2.0 * margin)
        needed = root**2
    return LearnedGain(name, with_it, without, estimate, low, high, level, method, word, k,
                       (clients, impostors), needed, *mate)  # fmt: skip


# ------------------------------------------------------------------------------- in words
def signed(estimate: float, low: float, high: float, digits: int = 4) -> str:
    """Estimate and interval, with their signs."""
    if math.isnan(estimate):
        return "not measured"
    ends = "" if math.isnan(low) else f" ({low:+.{digits}f} to {high:+.{digits}f})"
    return f"{estimate:+.{digits}f}{ends}"


def gain_sentence(gain: LearnedGain, sizes: tuple[int, int]) -> str:
    """What was measured, why it cannot be told, and what to do."""
    if gain.method == "none":
        return (
            "what it adds to a learned fusion was not measured: that takes"
            f" {LEAST_FOLDS} folds or more with {LEAST_TRIALS} trials (or groups) of each class in"
            f" each, {LEAST_FOLDS * LEAST_TRIALS} of each class at least"
        )
    size = (
        f"AUC is {gain.with_it:.4f} with it and {gain.without:.4f} without,"
        f" {signed(gain.estimate, gain.low, gain.high)} at {level_words(gain.level)}"
    )
    says = {
        INCLUDE: "a learned fusion gains by it",
        LEAVE_OUT: "a learned fusion loses by it",
        ADDS_NOTHING: f"a learned fusion of the others gains less than {MATTERS} by it",
    }.get(gain.word, "whether a learned fusion gains by it cannot be told")
    needed, would = trials_needed(gain, sizes), ""
    if needed is not None:  # if the estimate stayed: as it varies, in half of the cases
        would = (
            f"; about {needed[0]} {CLIENTS} and {needed[1]} {IMPOSTORS} would have an even chance"
            f" to tell a gain from less than {MATTERS:g}, if it is what was measured"
        )
    return f"{says}: {size}{_why(gain)}{would}"


def _why(gain: LearnedGain) -> str:
    """Who carries what it says, and how little the trials show."""
    if gain.copy:
        return f"; it has the scores of {visible(gain.nearest)}: drop one of the two, not both"
    if gain.word == ADDS_NOTHING and abs(gain.correlation) >= _ALIKE:
        return (
            f"; {visible(gain.nearest)} is most like it (correlation"
            f" {gain.correlation:.3f} within the classes): drop one of the two, not both"
        )
    if gain.with_it == gain.without == 1.0:
        return f"; with and without it all {CLIENTS} rank above all {IMPOSTORS} of their fold"
    if gain.method.endswith("+unseen"):
        clients, impostors = map(counted, gain.moved, CLASSES)
        return f"; too few trials (or groups) change their rank with it: {clients}, {impostors}"
    return ""


def trials_needed(gain: LearnedGain, sizes: tuple[int, int]) -> tuple[str, str] | None:
    """Clients and impostors that would just do; None where these do, or nothing was measured."""
    if math.isnan(gain.needed) or gain.needed <= 1.0:
        return None
    needed = []
    for n in (gain.needed * size for size in sizes):  # two digits, rounded up: more are not known
        step = 10 ** max(math.floor(math.log10(n)) - 1, 0)
        needed.append(number(math.ceil(n / step) * step, 12))
    return needed[0], needed[1]
