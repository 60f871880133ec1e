"""What a classifier adds: by fixed rules, and in a learned fusion."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import AnyArray, BoolArray, FloatArray
from betaroc.core.checks import choice
from betaroc.core.tables import Table, Tabular, columns_from_rows
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import Value, fields_of
from betaroc.data.groups import ensure_psd, groups_of
from betaroc.distributions.empirical import Empirical
from betaroc.distributions.pairs import pair_of
from betaroc.ensemble.trials import Systems
from betaroc.inference.auc import of_means
from betaroc.inference.delta import student
from betaroc.inference.interval import Interval
from betaroc.model.criteria import CRITERIA
from betaroc.rendering import nouns, tree, tree_text
from betaroc.rendering.numbers import counted, visible

#: Trials on which thresholds are chosen, those on which they are observed, and the rows of these.
Splits = Sequence[tuple[Systems, Systems, BoolArray]]


def scale_of(sides: Sequence[Systems]) -> tuple[str, str]:
    """What rules but "rank-mean" and "vote" act on, "scores" or "ranks", and why."""
    # Scores themselves where all of them lie in [0, 1] and have a mean of logits, else ranks.
    x = np.concatenate([side.x for side in sides])
    weights = np.concatenate([side.weights for side in sides])
    for name, outside in zip(sides[0].names, weights @ ((x < 0.0) | (x > 1.0)), strict=True):
        if outside:
            return "ranks", f"{int(outside)} scores of {name!r} lie outside [0, 1]"
    torn = int(weights @ (np.any(x == 0.0, axis=1) & np.any(x == 1.0, axis=1)))
    if torn:
        return "ranks", f"{counted(torn, 'trial')} with exactly 0 and 1, whose logits have no mean"
    return "scores", "all scores lie in [0, 1]"


def logits(x: FloatArray) -> FloatArray:
    """log(x / (1 - x)), infinite at 0 and 1."""
    return Thresholds.from_theta(x).logit


def rank_sums(dev: Systems, x: FloatArray) -> FloatArray:
    """2 (dev scores below + half of those equal + 1/2) of each score, by classifier."""
    result = np.ones(x.shape)
    for k, column in enumerate(dev.x.T):
        order = np.argsort(column)
        totals = np.concatenate([[0.0], np.cumsum(dev.weights[order])])
        for side in ("left", "right"):
            result[:, k] += totals[np.searchsorted(column[order], x[:, k], side)]
    return result


def _mean(x: FloatArray) -> FloatArray:
    return np.asarray(np.mean(np.sort(x, axis=1), axis=1))


#: Rules that make one score of a row; "rank-mean" of whole `rank_sums`, which tie exactly, and
#: "product" by the mean of logs, as products underflow.
RULES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "mean-logit": lambda x: _mean(logits(x)),
    "rank-mean": _mean,
    "product": lambda x: _mean(np.log(x)),
    "max": lambda x: np.asarray(np.max(x, axis=1)),
    "min": lambda x: np.asarray(np.min(x, axis=1)),
}


def fused(rule: str, dev: FloatArray, test: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Fused scores; an infinite mean stands one beyond the finite ones."""
    with np.errstate(divide="ignore"):
        parts = [RULES[rule](x) for x in (dev, test)]
    finite = np.concatenate(parts)
    finite = finite[np.isfinite(finite)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    first, second = (np.nan_to_num(x, neginf=low - 1.0, posinf=high + 1.0) for x in parts)
    return first, second


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
        """Costs of both errors at each alpha, per rate."""
        ones, zeros = np.ones(self.alpha.size), np.zeros(self.alpha.size)
        return {
            "weighted-error": (self.alpha, 1.0 - self.alpha),
            "hter": (0.5 * ones, 0.5 * ones),
            "dcf": ((1.0 - self.prior) * ones, self.prior * ones),
            "far": (ones, zeros),
            "frr": (zeros, ones),
        }[self.measure]


def thresholds_of(dev: Systems, x: FloatArray, part: CurvePart) -> FloatArray:
    """The criterion's choice on one column of scores at each alpha."""
    plain = bool(np.all(dev.weights == 1.0))
    client, impostor = (
        Empirical._of_checked(values, None if plain else w) for values, w in dev.by_class(x)
    )
    prior = client.total / (client.total + impostor.total)
    return CRITERIA[part.criterion].choose(pair_of(client, impostor), prior, part.alpha).theta


def score_losses(
    threshold: FloatArray, x: FloatArray, client: BoolArray, part: CurvePart
) -> FloatArray:
    """Mean cost over alpha of each trial's decision."""
    far, frr = part.costs()
    order = np.argsort(threshold, kind="stable")
    accepted, rejected = (
        np.concatenate([[0.0], np.cumsum(cost[order])]) / threshold.size for cost in (far, frr)
    )
    below = np.searchsorted(threshold[order], x, "left")
    return np.asarray(np.where(client, rejected[-1] - rejected[below], accepted[below]))


def vote_losses(
    dev: Systems, votes: FloatArray, observed: FloatArray, client: BoolArray, members: int,
    part: CurvePart,
) -> FloatArray:  # fmt: skip
    """The same where dev chooses how many votes accept."""
    # Smallest criterion, then smallest HTER, then fewest votes: of -1, which accepts all, to as
    # many as there are members, which accepts none.
    cuts, alpha = np.arange(-1, members + 1), part.alpha
    (of_client, w_client), (of_impostor, w_impostor) = dev.by_class(votes)
    far = np.stack([np.average(of_impostor > c, 0, w_impostor) for c in cuts])
    frr = np.stack([np.average(of_client <= c, 0, w_client) for c in cuts])
    size = {
        "weighted-error": alpha * far + (1.0 - alpha) * frr,
        "far": np.abs(far - alpha), "frr": np.abs(frr - alpha),
    }[part.criterion]  # fmt: skip
    total = np.where(size <= np.min(size, axis=0) + _TIED, far + frr, np.inf)
    needed = cuts[np.argmax(total <= np.min(total, axis=0) + _TIED, axis=0)]
    cost_far, cost_frr = part.costs()
    accepted = observed > needed
    return np.asarray(np.where(client[:, None], ~accepted * cost_frr, accepted * cost_far).mean(1))


def diversity_columns(trials: Systems, splits: Splits) -> dict[str, AnyArray]:
    """One row per pair and class; `Inclusion.diversity` documents it."""
    unit, scaled = np.all((trials.x >= 0.0) & (trials.x <= 1.0), axis=0), trials.x.copy()
    scaled[:, unit] = logits(trials.x[:, unit])  # of classifiers that lie in [0, 1]
    names, client, matrices = trials.names, trials.is_client, dict[str, list[FloatArray]]()
    # Errors at each classifier's threshold of least HTER.
    part, wrong = CurvePart("weighted-error", "hter", np.array([0.5]), 0.5), np.empty(scaled.shape)
    for dev, test, mask in splits:
        t = [thresholds_of(dev, column, part)[0] for column in dev.x.T]
        wrong[mask] = (test.x > t) != test.is_client[:, None]
    masks = {"client": client, "impostor": ~client, "both": client | True}
    for who, mask in masks.items():
        side, errors = trials.rows(mask), wrong[mask]
        alike = [np.full((len(names), len(names)), np.nan)] * 2
        if who != "both":
            columns = rank_sums(side, side.x), scaled[mask]
            alike = [correlations([(x, side.weights)]) for x in columns]
        share = np.average(errors, 0, side.weights)
        joint = (errors.T * side.weights) @ errors / np.sum(side.weights)
        spread = np.sqrt(np.outer(share * (1.0 - share), share * (1.0 - share)))
        with np.errstate(invalid="ignore", divide="ignore"):
            phi = np.where(spread > 0.0, (joint - np.outer(share, share)) / spread, np.nan)
        matrices[who] = [*alike, phi, share[:, None] + share - 2.0 * joint, joint]
    rows = [
        (names[i], names[j], who, *(float(matrix[i, j]) for matrix in matrices[who]))
        for i, j in itertools.combinations(range(len(names)), 2) for who in matrices
    ]  # fmt: skip
    texts = ("first", "second", "class")
    numbers = ("spearman", "pearson", "phi", "disagreement", "double_fault")
    return columns_from_rows(rows, (*texts, *numbers), texts)


def correlations(samples: Sequence[tuple[FloatArray, FloatArray]]) -> FloatArray:
    """Of columns within weighted samples; nan of constant or infinite ones."""
    largest = np.max([np.max(np.abs(x), axis=0) for x, _ in samples], axis=0)
    scale = np.where(largest > 0.0, largest, 1.0)  # squares of 1e300 overflow
    with np.errstate(invalid="ignore", divide="ignore"):
        away = np.concatenate([
            (x / scale - np.average(x / scale, 0, w)) * np.sqrt(w)[:, None]
            for x, w in samples
        ])  # fmt: skip
        products = away.T @ away
        size = np.sqrt(np.diag(products))
        result = products / np.outer(size, size)
    return np.where(np.isfinite(result), np.clip(result, -1.0, 1.0), np.nan)


#: Every rule, and every part of the curve on which a gain is met.
FUSING = (*RULES, "vote")
PARTS = ("all", "strict", "lax")


class Gain(NamedTuple):
    """What one classifier adds by one rule on one part of the curve."""

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
class Fusion(Tabular, nouns.Exportable):
    """Fusing rules with all classifiers and without each one.

    Made by :attr:`Inclusion.fusion`.

    Parameters
    ----------
    gains : tuple of Gain
        A rule, a left-out classifier, a part each.
    scale, scale_reason : str
        What rules but "rank-mean" and "vote" act on, "scores" or their "ranks" among dev's, and
        why.
    parts : dict
        Criterion, measure and alphas of "all", "strict" and "lax".
    folds : int
        Folds between which thresholds were chosen; 0 of a dev set.
    level : float
        Confidence of the intervals.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
    >>> systems = {"one": model.sample(30, 30, rng=1), "two": model.sample(30, 30, rng=2)}
    >>> len(br.inclusion(systems).fusion.table)  # 6 rules, 2 classifiers, 3 parts
    36
    """

    gains: tuple[Gain, ...]
    scale: str
    scale_reason: str
    parts: dict[str, dict[str, Any]]
    folds: int
    level: float

    @property
    def table(self) -> Table:
        """A frame, one row per gain: rule, system, part, with, without, gain, low, high."""
        texts = ("rule", "system", "part")
        names = (*texts, "with", "without", "gain", "low", "high")
        return self._table(columns_from_rows(self.gains, names, texts))

    def to_frame(self) -> Table:
        """As `table`.

        Examples
        --------
        >>> import betaroc as br
        >>> model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
        >>> systems = {"one": model.sample(30, 30, rng=1), "two": model.sample(30, 30, rng=2)}
        >>> len(br.inclusion(systems).fusion.to_frame())
        36
        """
        return self.table

    def gain(self, system: str, rule: str = "mean-logit", part: str = "all") -> Interval:
        """What a classifier adds, with its interval; positive where it helps.

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

        Examples
        --------
        >>> import betaroc as br
        >>> model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
        >>> systems = {"one": model.sample(30, 30, rng=1), "two": model.sample(30, 30, rng=2)}
        >>> gain = br.inclusion(systems).fusion.gain("two")
        >>> bool(gain.low < gain.estimate < gain.high)
        True
        """
        choice(system, list(dict.fromkeys(g.system for g in self.gains)), "system")
        choice(rule, FUSING, "rule")
        choice(part, PARTS, "part")
        result = next(g for g in self.gains if (g.rule, g.system, g.part) == (rule, system, part))
        return Interval(result.gain, result.low, result.high, self.level, "paired")

    def __str__(self) -> str:
        rows: dict[tuple[str, str], list[tree.Cell | tree.Name | str]] = {}
        for g in self.gains:
            cells = rows.setdefault((g.rule, g.system), [g.rule, tree.foreign(g.system)])
            cells.append(tree.signed_cell(g.gain, g.low, g.high))
        parts = self.parts.items()
        heads = [f"gain, {name} ({p['criterion']}, {p['measure']})" for name, p in parts]
        where = f"other folds of {self.folds}" if self.folds else "dev"
        head = f"fused on {self.scale} ({self.scale_reason}); thresholds from {where}"
        lines = tuple(tree.Row(tuple(row)) for row in rows.values())
        table = tree.Grid(("rule", "without", *heads), lines, (1,))
        return tree_text.text_of(tree.apart(tree.Paragraph(visible(head), "given"), table))


def fusion_of(
    systems: Systems, dev: Systems | None, splits: Splits, parts: Mapping[str, CurvePart],
    level: float,
) -> Fusion:  # fmt: skip
    """All rules with all classifiers and without each one."""
    scale, names = scale_of([side for side in (systems, dev) if side]), systems.names
    numbers = list(range(len(names)))
    subsets = [numbers, *([k for k in numbers if k != left] for left in numbers)]
    keys = itertools.product(FUSING, parts, range(len(subsets)))
    losses = {key: np.empty(len(systems.x)) for key in keys}
    for train, test, rows in splits:
        ranks = rank_sums(train, train.x), rank_sums(train, test.x)
        base = train.x, test.x
        if scale[0] == "ranks":
            # (dev scores below + half of those equal + 1/2) / (n + 1)
            most = 2.0 * (float(np.sum(train.weights)) + 1.0)
            base = ranks[0] / most, ranks[1] / most
        for s, members in enumerate(subsets):
            for rule in RULES:
                sides = ranks if rule == "rank-mean" else base
                first, second = fused(rule, *(x[:, members] for x in sides))
                for name, part in parts.items():
                    t = thresholds_of(train, first, part)
                    losses[rule, name, s][rows] = score_losses(t, second, test.is_client, part)
        for name, part in parts.items():
            t = np.stack([thresholds_of(train, column, part) for column in train.x.T])
            ballots = [side.x[:, :, None] > t for side in (train, test)]
            for s, members in enumerate(subsets):
                votes, test_votes = (1.0 * x[:, members].sum(axis=1) for x in ballots)
                losses["vote", name, s][rows] = vote_losses(
                    train, votes, test_votes, test.is_client, len(members), part
                )
    gains = tuple(
        Gain(rule, system, part,
             *_gain(losses[rule, part, 0], losses[rule, part, k], systems, level))
        for rule in FUSING for k, system in enumerate(names, 1) for part in parts
    )  # fmt: skip
    shown = {name: fields_of(p, "criterion", "measure") | {"alpha": p.alpha.tolist()}
             for name, p in parts.items()}  # fmt: skip
    folds = 0 if dev is not None else len(splits)
    return Fusion(gains, *scale, shown, folds, level, library=systems.library)


def _gain(
    with_it: FloatArray, without: FloatArray, systems: Systems, level: float
) -> tuple[float, float, float, float, float]:
    """Means and variances of paired differences of each class add up."""
    # Where trials depend on groups that is the sum over them of their squared contributions.
    gained, groups = systems.by_class(without - with_it), groups_of(systems.scores(0))
    value, rest, gain = (
        sum(float(np.average(x, weights=w)) for x, w in classes)
        for classes in (systems.by_class(with_it), systems.by_class(without), gained)
    )
    if groups is None:
        variance, freedom = of_means([x for x, _ in gained], [w for _, w in gained])
    else:
        away = np.concatenate([(x - np.average(x, weights=w)) / np.sum(w) for x, w in gained])
        variance = float(ensure_psd(*groups.meat(away[:, None]))[0, 0])
        freedom = min(size for size in groups.sizes if size is not None) - 1.0
    reach = 0.0
    if variance != 0.0:
        reach = student(freedom, level) * math.sqrt(variance) if freedom > 0.0 else math.nan
    return value, rest, gain, gain - reach, gain + reach
