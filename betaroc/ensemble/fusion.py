"""The measured gain: fusing with and without each classifier."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import CLASSES, AnyArray, BoolArray, FloatArray, IntArray
from betaroc.core.checks import choice
from betaroc.core.tables import Library, Table, Tabular, columns_from_rows
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import Value
from betaroc.data.groups import Groups, settled, weights_of
from betaroc.distributions.empirical import Empirical
from betaroc.distributions.pairs import pair_of
from betaroc.ensemble.trials import Systems
from betaroc.inference.auc import of_means
from betaroc.inference.interval import Interval
from betaroc.inference.small_samples import student
from betaroc.model.criteria import CRITERIA
from betaroc.rendering.nouns import Noun
from betaroc.rendering.numbers import visible
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
    """Scores of both classes, a row a trial, a column a classifier."""

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
        one, zero = np.ones(self.alpha.size), np.zeros(self.alpha.size)
        return {
            "weighted-error": (self.alpha, 1.0 - self.alpha),
            "hter": (0.5 * one, 0.5 * one),
            "dcf": ((1.0 - self.prior) * one, self.prior * one),
            "far": (one, zero),
            "frr": (zero, one),
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
        found = []
        for fold in range(1 + int(self.client_folds.max())):
            client, impostor = self.client_folds == fold, self.impostor_folds == fold
            rows = np.flatnonzero(client), np.flatnonzero(impostor)
            found.append((own.rows(~client, ~impostor), own.rows(client, impostor), *rows))
        return found


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
    """The same where dev chooses how many votes accept; votes have a column an alpha.

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
        likeness.append([_correlations(columns, w) for columns in (ranks, scaled)])
    rows: list[tuple[Any, ...]] = []
    for i, j in itertools.combinations(range(len(names)), 2):
        pair = names[i], names[j]
        for who, alike, errors, w in zip(CLASSES, likeness, wrong, weights, strict=True):
            same = (matrix[i, j] for matrix in alike)
            rows.append((*pair, who, *same, *_together(errors[:, i], errors[:, j], w)))
        one, other = np.concatenate(wrong)[:, [i, j]].T
        together = _together(one, other, np.concatenate(weights))
        rows.append((*pair, "both", math.nan, math.nan, *together))
    return columns_from_rows(rows, (*_TEXTS, *_NUMBERS), _TEXTS)


def _correlations(x: FloatArray, weights: FloatArray) -> FloatArray:
    """Of columns; nan for a column that is constant in this class or infinite."""
    with np.errstate(invalid="ignore", divide="ignore"):
        away = (x - np.average(x, 0, weights)) * np.sqrt(weights)[:, None]
        products = away.T @ away
        size = np.sqrt(np.diag(products))
        found = products / np.outer(size, size)
    return np.where(np.isfinite(found), np.clip(found, -1.0, 1.0), np.nan)


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
        found = next(g for g in self.gains if (g.rule, g.system, g.part) == (rule, system, part))
        return Interval(found.gain, found.low, found.high, self.level, "paired")

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
            for whole, of_fold, at in zip(losses[key], some, rows, strict=True):
                whole[at] = of_fold

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
    table = Grid(("rule", "without", *what), tuple(Row(tuple(one)) for one in rows.values()), (1,))
    return apart(Words(visible(head), "given"), table)
