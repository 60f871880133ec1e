"""What a classifier adds: by fixed rules, and in a learned fusion."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import CLASSES, AnyArray, BoolArray, FloatArray, IntArray
from betaroc.core.checks import choice
from betaroc.core.errors import FitError, InputError
from betaroc.core.tables import Library, Table, Tabular, columns_from_rows
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import Value, fields_of
from betaroc.core.vocabulary import CLIENTS, IMPOSTORS
from betaroc.data.groups import Groups, ensure_psd, weights_of
from betaroc.data.scores import Scores
from betaroc.distributions.empirical import Empirical
from betaroc.distributions.pairs import pair_of
from betaroc.ensemble.trials import Systems
from betaroc.inference.auc import PairedAreas, of_means, paired_areas, welch
from betaroc.inference.delta import student
from betaroc.inference.interval import Interval
from betaroc.model.criteria import CRITERIA
from betaroc.rendering import tree
from betaroc.rendering.nouns import Exportable
from betaroc.rendering.numbers import counted, level_words, number, visible
from betaroc.rendering.tree_text import text_of


class Trials(NamedTuple):
    """Rows of both classes, clients first; of `x` a column per classifier, or fused scores."""

    x: FloatArray
    client: BoolArray
    weights: FloatArray

    @classmethod
    def of(cls, systems: Systems) -> Trials:
        client = np.repeat([True, False], [len(side) for side in systems.classes])
        weights = np.concatenate([weights_of(systems, who) for who in CLASSES])
        return cls(np.concatenate(systems.classes), client, weights)

    def rows(self, which: BoolArray) -> Trials:
        """Some of the trials."""
        return Trials._make(part[which] for part in self)

    def classes(self, x: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
        """Numbers of the trials, and weights, of clients and of impostors."""
        return [(x[mask], self.weights[mask]) for mask in (self.client, ~self.client)]


def scale_of(names: tuple[str, ...], sides: Sequence[Trials]) -> tuple[str, str]:
    """What rules other than "rank-mean" and "vote" act on, "scores" or "ranks", and why."""
    # Scores themselves where all of them lie in [0, 1] and have a mean of logits, else ranks.
    x, weights = (np.concatenate([side[k] for side in sides]) for k in (0, 2))
    for name, outside in zip(names, weights @ ((x < 0.0) | (x > 1.0)), strict=True):
        if outside:
            return "ranks", f"{int(outside)} scores of {name!r} lie outside [0, 1]"
    torn = int(weights @ (np.any(x == 0.0, axis=1) & np.any(x == 1.0, axis=1)))
    if torn:
        return "ranks", f"{counted(torn, 'trial')} with exactly 0 and 1, whose logits have no mean"
    return "scores", "all scores lie in [0, 1]"


def logits(x: FloatArray) -> FloatArray:
    """log(x / (1 - x)), infinite at 0 and 1."""
    return Thresholds.from_theta(x).logit


def rank_sums(dev: Trials, x: FloatArray) -> FloatArray:
    """2 (dev scores below + half of those equal + 1/2) of each score, whole, by classifier."""
    result = np.ones(x.shape)
    for k, column in enumerate(dev.x.T):
        order = np.argsort(column)
        totals = np.concatenate([[0.0], np.cumsum(dev.weights[order])])
        for side in ("left", "right"):
            result[:, k] += totals[np.searchsorted(column[order], x[:, k], side)]
    return result


def _mean(x: FloatArray) -> FloatArray:
    """Of each row, summed from the least up, whatever the order of the classifiers."""
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
        """Of a false acceptance and of a false rejection at each alpha, per rate."""
        ones, zeros = np.ones(self.alpha.size), np.zeros(self.alpha.size)
        return {
            "weighted-error": (self.alpha, 1.0 - self.alpha),
            "hter": (0.5 * ones, 0.5 * ones),
            "dcf": ((1.0 - self.prior) * ones, self.prior * ones),
            "far": (ones, zeros),
            "frr": (zeros, ones),
        }[self.measure]


#: Trials on which thresholds are chosen, those on which they are observed, and the rows of these.
Split = tuple[Trials, Trials, IntArray]


def splits_of(trials: Trials, dev: Trials | None, fold: IntArray) -> list[Split]:
    """Beside a dev set one, else one per fold."""
    if dev is not None:
        return [(dev, trials, np.arange(fold.size))]
    return [
        (trials.rows(fold != k), trials.rows(fold == k), np.flatnonzero(fold == k))
        for k in range(1 + int(fold.max()))
    ]


def thresholds_of(dev: Trials, x: FloatArray, part: CurvePart) -> FloatArray:
    """The criterion's choice on one column of scores at each alpha."""
    plain = bool(np.all(dev.weights == 1.0))
    client, impostor = (
        Empirical._of_checked(values, None if plain else w) for values, w in dev.classes(x)
    )
    prior = client.total / (client.total + impostor.total)
    return CRITERIA[part.criterion].choose(pair_of(client, impostor), prior, part.alpha).theta


def score_losses(
    threshold: FloatArray, x: FloatArray, client: BoolArray, part: CurvePart
) -> FloatArray:
    """Mean cost over alpha of each trial's decision: accepted iff above."""
    far, frr = part.costs()
    order = np.argsort(threshold, kind="stable")
    accepted, rejected = (
        np.concatenate([[0.0], np.cumsum(cost[order])]) / threshold.size for cost in (far, frr)
    )
    below = np.searchsorted(threshold[order], x, "left")
    return np.asarray(np.where(client, rejected[-1] - rejected[below], accepted[below]))


def vote_losses(
    dev: Trials, votes: FloatArray, observed: FloatArray, client: BoolArray, members: int,
    part: CurvePart,
) -> FloatArray:  # fmt: skip
    """The same where dev chooses how many votes accept, at each alpha."""
    # Smallest criterion, then smallest HTER, then fewest votes: of -1, which accepts all, to as
    # many as there are members, which accepts none.
    cuts, alpha = np.arange(-1, members + 1), part.alpha
    (of_client, w_client), (of_impostor, w_impostor) = dev.classes(votes)
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


def diversity_columns(
    names: tuple[str, ...], trials: Trials, splits: Sequence[Split]
) -> dict[str, AnyArray]:
    """One row per pair and class; `Inclusion.diversity` documents it."""
    unit, scaled = np.all((trials.x >= 0.0) & (trials.x <= 1.0), axis=0), trials.x.copy()
    scaled[:, unit] = logits(trials.x[:, unit])  # of classifiers that lie in [0, 1]
    wrong, matrices = _errors(trials, splits), dict[str, list[FloatArray]]()
    masks = {"client": trials.client, "impostor": ~trials.client, "both": trials.client | True}
    for who, mask in masks.items():
        part, errors = trials.rows(mask), 1.0 * wrong[mask]
        alike = [np.full((len(names), len(names)), np.nan)] * 2
        if who != "both":
            columns = rank_sums(part, part.x), scaled[mask]
            alike = [_correlations([x], [part.weights]) for x in columns]
        share = np.average(errors, 0, part.weights)
        joint = (errors.T * part.weights) @ errors / np.sum(part.weights)
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


def _correlations(samples: Sequence[FloatArray], weights: Sequence[FloatArray]) -> FloatArray:
    """Of columns within samples; nan of constant or infinite ones."""
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


def _errors(trials: Trials, splits: Sequence[Split]) -> BoolArray:
    """Which trials a classifier decides wrongly at its threshold of least HTER."""
    part = CurvePart("weighted-error", "hter", np.array([0.5]), 0.5)
    wrong = np.zeros(trials.x.shape, dtype=np.bool_)
    for dev, test, rows in splits:
        t = [thresholds_of(dev, column, part)[0] for column in dev.x.T]
        wrong[rows] = (test.x > t) != test.client[:, None]
    return wrong


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
class Fusion(Tabular, Exportable):
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
    library : str, optional
        Of which the table is a frame, as of `Scores`.

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

        Examples
        --------
        >>> import numpy as np
        >>> import betaroc as br
        >>> rng = np.random.default_rng(1)
        >>> one, two = (br.Scores(rng.beta(4, 2, 60), rng.beta(2, 4, 60)) for _ in range(2))
        >>> gain = br.inclusion({"one": one, "two": two}).fusion.gain("two")
        >>> bool(gain.low < gain.estimate < gain.high)
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
    names: tuple[str, ...], trials: Trials, dev: Trials | None, splits: Sequence[Split],
    parts: Mapping[str, CurvePart], level: float, groups: Groups | None, library: Library | None,
) -> Fusion:  # fmt: skip
    """All rules with all classifiers and without each one, every part."""
    scale = scale_of(names, [trials] if dev is None else [trials, dev])
    everyone = list(range(len(names)))
    subsets = [everyone, *([k for k in everyone if k != left] for left in everyone)]
    keys = itertools.product(FUSING, parts, range(len(subsets)))
    losses = {key: np.empty(trials.client.size) for key in keys}
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
                    losses[rule, name, s][rows] = score_losses(t, second, test.client, part)
        for name, part in parts.items():
            t = np.stack([thresholds_of(train, column, part) for column in train.x.T])
            ballots = [side.x[:, :, None] > t for side in (train, test)]
            for s, members in enumerate(subsets):
                votes, test_votes = (1.0 * x[:, members].sum(axis=1) for x in ballots)
                losses["vote", name, s][rows] = vote_losses(
                    train, votes, test_votes, test.client, len(members), part
                )
    gains = tuple(
        Gain(rule, system, part,
             *_gain(losses[rule, part, 0], losses[rule, part, k], trials, level, groups))
        for rule in FUSING for k, system in enumerate(names, 1) for part in parts
    )  # fmt: skip
    shown = {name: fields_of(p, "criterion", "measure") | {"alpha": p.alpha.tolist()}
             for name, p in parts.items()}  # fmt: skip
    folds = 0 if dev is not None else len(splits)
    return Fusion(gains, *scale, shown, folds, level, library=library)


def _gain(
    with_it: FloatArray, without: FloatArray, trials: Trials, level: float, groups: Groups | None
) -> tuple[float, float, float, float, float]:
    """Means of each class add up; so do the variances of the paired differences."""
    # Where trials depend on groups that is the sum over them of their squared contributions.
    gained = trials.classes(without - with_it)
    value, rest, gain = (
        sum(float(np.average(x, weights=w)) for x, w in classes)
        for classes in (trials.classes(with_it), trials.classes(without), gained)
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


# ------------------------------------------------------------------------------- in words
def fusion_told(fusion: Fusion) -> list[tree.Section]:
    """Gains of every rule and classifier on every part."""
    rows: dict[tuple[str, str], list[tree.Cell | tree.Name | str]] = {}
    for g in fusion.gains:
        cells = rows.setdefault((g.rule, g.system), [g.rule, tree.as_named(g.system)])
        cells.append(tree.signed_cell(g.gain, g.low, g.high))
    heads = [f"gain, {name} ({p['criterion']}, {p['measure']})" for name, p in fusion.parts.items()]
    where = f"other folds of {fusion.folds}" if fusion.folds else "dev"
    head = f"fused on {fusion.scale} ({fusion.scale_reason}); thresholds from {where}"
    lines = tuple(tree.Row(tuple(row)) for row in rows.values())
    table = tree.Grid(("rule", "without", *heads), lines, (1,))
    return tree.apart(tree.Paragraph(visible(head), "given"), table)


# ----------------------------------------------------------------------
#: Squared Newton decrement below which no step is left.
_SMALL = 1e-18
_STEPS = 100
#: A step may raise the loss by this much, which is rounding.
_ROUNDING = 1e-14


class Standard:
    """Columns less their mean, over their standard deviation."""

    # A column that is constant there becomes 0 and so has no say.

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
    """Intercept and weighted sum of columns, shape (subsets, n)."""
    # Summed a column at a time: equal rows get equal bits, which no matrix product grants.
    result = np.repeat(coefficients[:, :1], len(x), axis=1)
    for column, weight in zip(x.T, coefficients[:, 1:].T, strict=True):
        result += weight[:, None] * column
    return result


def _logistic_losses(eta: FloatArray, client: BoolArray) -> FloatArray:
    """-log P(class)."""
    return np.logaddexp(0.0, np.where(client, -eta, eta))


def ridge_path(
    x: FloatArray, client: BoolArray, subsets: BoolArray, strengths: Sequence[float],
    weights: FloatArray | None = None,
) -> FloatArray:  # fmt: skip
    """Intercept and weights of every subset of the columns at every strength."""
    # least mean of log(1 + exp(-+ (b0 + x b))) + strength/2 |b|^2 Of standardised columns, shape
    # (strengths, subsets, columns + 1), to 1e-8 of weights of size 1; scikit-learn's C is 1/(n
    # strength). Newton's method: of the first subset, the strongest first, from where the last one
    # ended; of others from the first.
    copies = np.ones(len(x)) if weights is None else weights / np.mean(weights)
    design = np.column_stack([np.ones(len(x)), x])
    path = np.zeros((len(strengths), len(subsets), design.shape[1]))
    start = np.zeros(design.shape[1])
    start[0] = np.log(np.sum(copies[client])) - np.log(np.sum(copies[~client]))
    for row, strength in zip(path, strengths, strict=True):
        for k, subset in enumerate(subsets):
            columns = np.flatnonzero(np.append(True, subset))
            penalty = np.where(columns == 0, 0.0, strength)
            row[k, columns] = _ridge(design[:, columns], client, copies, penalty, start[columns])
            if k == 0:
                start = row[0]
    return path


def _ridge(
    design: FloatArray, client: BoolArray, copies: FloatArray, penalty: FloatArray, b: FloatArray
) -> FloatArray:
    """One fusion, from a place near it."""
    from scipy.special import expit

    def objective(b: FloatArray) -> float:
        loss = float(np.mean(_logistic_losses(design @ b, client) * copies))
        return loss + 0.5 * float(penalty @ b**2)

    now = objective(b)
    for _ in range(_STEPS):
        share, rest = expit(design @ b), expit(-design @ b)
        slope = np.where(client, -rest, share) * copies @ design / len(design) + penalty * b
        rooted = design * np.sqrt(share * rest * copies)[:, None]
        curvature = rooted.T @ rooted / len(design) + np.diag(penalty)
        step = np.linalg.solve(curvature, slope)
        if slope @ step <= _SMALL:
            return np.asarray(b - step)
        while (moved := objective(b - step)) > now * (1.0 + _ROUNDING):
            step = 0.5 * step
        b, now = b - step, moved
    raise FitError(
        f"a ridge-logistic fusion must converge; one did not in {_STEPS} steps. Leave out"
        " classifiers that repeat each other."
    )


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
    #: "delong-folds"; "delong" of a fusion learned on dev; with "+unseen" where it is wider since
    #: fewer than 5 trials (or groups) of a class changed their place; "none" if not measured.
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


def word_of(low: float, high: float) -> str:
    """The rule: the first that holds; nan holds of none."""
    if low > 0.0:
        return INCLUDE
    if high < -MATTERS:
        return LEAVE_OUT
    return ADDS_NOTHING if high < MATTERS else CANNOT_TELL


# ----------------------------------------------------------------------------- the columns
def _columns(sides: Sequence[Trials]) -> tuple[list[Trials], BoolArray]:
    """What the fusion sees of each side's trials, made alike."""
    # And whether a column belongs to a classifier, shape (classifiers, columns).
    pooled, weights = (np.concatenate([side[k] for side in sides]) for k in (0, 2))
    result = [_columns_of(column, weights) for column in pooled.T]
    owner = np.repeat(np.arange(len(result)), [len(columns) for columns in result])
    matrix = np.column_stack([column for columns in result for column in columns])
    parts = np.split(matrix, np.cumsum([len(side.x) for side in sides])[:-1])
    split = [side._replace(x=np.ascontiguousarray(x)) for side, x in zip(sides, parts, strict=True)]
    return split, owner == np.arange(len(result))[:, None]


def _columns_of(x: FloatArray, weights: FloatArray) -> list[FloatArray]:
    """Logits of scores in [0, 1]; exact 0 and 1 have columns of their own."""
    inside = (x > 0.0) & (x < 1.0)
    ends = [x == end for end in (0.0, 1.0)]
    if not np.all(inside | ends[0] | ends[1]) or not np.any(inside):
        return [x]
    values = logits(np.where(inside, x, 0.5))
    values[~inside] = np.average(values[inside], weights=weights[inside])
    return [values, *(1.0 * end for end in ends if np.any(end))]


# ------------------------------------------------------------------------------- the folds
def nested_folds(
    systems: Systems, folds: int, deal: Callable[[int], tuple[IntArray, IntArray]]
) -> tuple[IntArray, IntArray] | None:
    """The most folds with two rows, or groups, of each class each; None for fewer than 3."""
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


def _labels(systems: Systems) -> list[list[AnyArray]]:
    """Of each class the columns of groups, or the rows themselves."""
    result = []
    for who in CLASSES:
        groups = getattr(systems, f"{who}_groups")
        labels = np.arange(len(getattr(systems, who))) if groups is None else groups
        result.append(list(np.atleast_2d(labels.T)))
    return result


# ----------------------------------------------------------------------------- the fusions
class _Path(NamedTuple):
    """Fusions of every subset at every strength, learned on some trials."""

    standard: Standard
    #: Shape (strengths, subsets, columns + 1).
    coefficients: FloatArray

    @classmethod
    def of(cls, trials: Trials, subsets: BoolArray) -> _Path:
        x, client, weights = trials
        standard = Standard(x, weights)
        return cls(standard, ridge_path(standard(x), client, subsets, STRENGTHS, weights))

    def losses(self, trials: Trials) -> FloatArray:
        """Sum over trials of the loss, shape (strengths, subsets)."""
        x = self.standard(trials.x)
        return np.stack([
            _logistic_losses(linear(x, b), trials.client) @ trials.weights
            for b in self.coefficients
        ])  # fmt: skip

    def at(self, losses: FloatArray, trials: Trials) -> FloatArray:
        """Fused scores of every subset at its strength of least loss."""
        # Shape (subsets, n).
        strength = np.argmin(losses, axis=0)
        chosen = self.coefficients[strength, np.arange(strength.size)]
        return linear(self.standard(trials.x), chosen)


def _out_of_fold(trials: Trials, fold: IntArray, subsets: BoolArray) -> FloatArray:
    """Nested scores of every trial, shape (subsets, n), learned without its fold."""
    # What is learned without two folds serves the choice of strength for either of them.
    count = 1 + int(fold.max())
    losses = np.zeros((count, len(STRENGTHS), len(subsets)))
    for f, g in itertools.combinations(range(count), 2):
        path = _Path.of(trials.rows((fold != f) & (fold != g)), subsets)
        losses[f] += path.losses(trials.rows(fold == g))
        losses[g] += path.losses(trials.rows(fold == f))
    result = np.empty((len(subsets), fold.size))
    for f in range(count):
        path = _Path.of(trials.rows(fold != f), subsets)
        result[:, fold == f] = path.at(losses[f], trials.rows(fold == f))
    return result


# ------------------------------------------------------------------------------- the gains
def learned_gains(
    systems: Systems, folds: tuple[IntArray, IntArray] | None, dev: Systems | None, level: float
) -> tuple[LearnedGain, ...]:
    """What each classifier adds to all others."""
    # The folds are of each client and impostor of the trials; where there is a dev set, on which
    # the fusion is then learned, of dev. None where there are too few for folds within folds: then
    # nothing is measured.
    k = len(systems.names)
    (trials, *others), owned = _columns(
        [Trials.of(side) for side in (systems, dev) if side is not None]
    )
    mates = _nearest(trials, owned, systems)
    if folds is None or fewest_trials(systems) < LEAST_TRIALS:
        nothing = (*(math.nan,) * 5, level, "none", CANNOT_TELL, 0, (0, 0), math.nan)
        pairs = zip(systems.names, mates, strict=True)
        return tuple(LearnedGain(name, *nothing, *mate) for name, mate in pairs)
    subsets = np.concatenate([np.ones((1, k), dtype=bool), ~np.eye(k, dtype=bool)]) @ owned
    fold = np.concatenate(folds)
    if dev is None:
        scores = _out_of_fold(trials, fold, subsets)
    else:
        (learn,) = others
        losses = sum(
            _Path.of(learn.rows(fold != f), subsets).losses(learn.rows(fold == f))
            for f in range(1 + int(fold.max()))
        )
        scores = _Path.of(learn, subsets).at(np.asarray(losses), trials)
        fold = np.zeros(len(trials.x), dtype=np.intp)  # all trials are one
    each = [_fold_scores(systems, fold == f, scores) for f in range(1 + int(fold.max()))]
    return tuple(
        _learned_gain(name, [paired_areas(fused[0], fused[j + 1]) for fused in each], systems,
                      level, "delong-folds" if dev is None else "delong", mates[j])
        for j, name in enumerate(systems.names)
    )  # fmt: skip


def _nearest(trials: Trials, owned: BoolArray, systems: Systems) -> list[tuple[str, float, bool]]:
    """The classifier most like each, their correlation, and whether it is a copy."""
    # Copies first, then by the correlation of the first columns.
    pooled = Trials.of(systems).x
    equal = np.array([[np.array_equal(a, b) for a in pooled.T] for b in pooled.T])
    classes = trials.classes(trials.x[:, np.argmax(owned, axis=1)])
    # Constant within both classes: like no other.
    correlation = np.nan_to_num(_correlations([x for x, _ in classes], [w for _, w in classes]))
    likeness = np.abs(correlation) + equal
    np.fill_diagonal(likeness, -1.0)
    return [
        (systems.names[k], float(correlation[j, k]), bool(equal[j, k]))
        for j, k in enumerate(np.argmax(likeness, axis=1))
    ]


def _fold_scores(systems: Systems, inside: BoolArray, fused: FloatArray) -> list[Scores]:
    """Fused scores of the trials of one fold, of every subset."""
    cut = len(systems.client)
    rows = dict(zip(CLASSES, (inside[:cut], inside[cut:]), strict=True))
    beside = {
        name: values[which] for who, which in rows.items()
        for name in (f"{who}_groups", f"{who}_weights")
        if (values := getattr(systems, name)) is not None
    }  # fmt: skip
    columns = [(x[:cut][rows["client"]], x[cut:][rows["impostor"]]) for x in fused]
    return [Scores._checked(client=c, impostor=i, **beside) for c, i in columns]


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
def gain_sentence(gain: LearnedGain, sizes: tuple[int, int]) -> str:
    """What was measured, why it cannot be told, and what to do."""
    if gain.method == "none":
        return (
            "what it adds to a learned fusion was not measured: that takes"
            f" {LEAST_FOLDS} folds or more with {LEAST_TRIALS} trials (or groups) of each class in"
            f" each, {LEAST_FOLDS * LEAST_TRIALS} of each class at least"
        )
    says = {
        INCLUDE: "a learned fusion gains by it",
        LEAVE_OUT: "a learned fusion loses by it",
        ADDS_NOTHING: f"a learned fusion of the others gains less than {MATTERS} by it",
    }.get(gain.word, "whether a learned fusion gains by it cannot be told")
    ends = "" if math.isnan(gain.low) else f" ({gain.low:+.4f} to {gain.high:+.4f})"
    text = (
        f"{says}: AUC is {gain.with_it:.4f} with it and {gain.without:.4f} without,"
        f" {gain.estimate:+.4f}{ends} at {level_words(gain.level)}"
    )
    if gain.copy:
        text += f"; it has the scores of {visible(gain.nearest)}: drop one of the two, not both"
    elif gain.word == ADDS_NOTHING and abs(gain.correlation) >= _ALIKE:
        text += (
            f"; {visible(gain.nearest)} is most like it (correlation"
            f" {gain.correlation:.3f} within the classes): drop one of the two, not both"
        )
    elif gain.method.endswith("+unseen"):
        clients, impostors = map(counted, gain.moved, CLASSES)
        text += f"; too few trials (or groups) change their rank with it: {clients}, {impostors}"
    if gain.needed > 1.0:  # if the estimate stayed: as it varies, in half of the cases
        clients, impostors = (_two_digits(gain.needed * size) for size in sizes)
        text += (
            f"; about {clients} {CLIENTS} and {impostors} {IMPOSTORS} would have an even chance"
            f" to tell a gain from less than {MATTERS:g}, if it is what was measured"
        )
    return text


def _two_digits(n: float) -> str:
    """A number of trials, rounded up."""
    step = 10 ** max(math.floor(math.log10(n)) - 1, 0)
    return number(math.ceil(n / step) * step, 12)
