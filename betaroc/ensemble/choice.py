"""The smallest set of classifiers whose fusion is shown to lose next to nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import CLASSES, BoolArray, FloatArray, IntArray
from betaroc.core.errors import InputError
from betaroc.data.groups import weights_of
from betaroc.data.scores import Scores
from betaroc.decision.threshold_methods import TARGET_RATES, Target
from betaroc.distributions.empirical import Empirical
from betaroc.ensemble import learned
from betaroc.ensemble.learned import Fusing, FusionColumn, Learner, LogisticFusion
from betaroc.ensemble.trials import Systems
from betaroc.inference.auc import PairedAreas, Placed, paired_areas, placements
from betaroc.inference.delta import student
from betaroc.inference.interval import Interval
from betaroc.rendering.nouns import Exportable

SMALLEST, BEST_SET = "smallest", "best"
#: Deals of the folds in which a set is chosen, and classifiers beyond which there is one deal.
_DEALS, _MANY = 4, 20
#: Folds of each deal.
_FOLDS = 5


class SetSize(NamedTuple):
    """The set of one size on the path of backward elimination."""

    members: tuple[str, ...]
    #: Out of folds: the area under its ROC, or minus its cost at the threshold.
    worth: float
    #: That of all less that of the set, and its standard error; nan where it cannot be measured.
    loss: float
    error: float


@dataclass(frozen=True, eq=False, repr=False)
class SetChoice(Exportable):
    """Which classifiers to join: a set, its fusion, and what that loses.

    Made by :func:`inclusion`.

    Parameters
    ----------
    names : tuple of str
        The classifiers of the set.
    selection : str
        "smallest" or "best".
    margin : float
        What the smallest set may lose, of the area under the ROC or of the cost.
    auc, all_auc, best_single_auc : Interval
        Areas under the ROC of the fusion of the set, of that of all, and of the best classifier
        alone, out of folds in which each was chosen and learned again; on other trials than `dev`.
    loss : Interval
        That of all less that of the set.
    best_single : str
        The classifier of the largest area.
    sizes : tuple of SetSize
        The path, one set per size: members, worth, loss, error.
    fusion : LogisticFusion
        The fusion of the set, learned on all trials (of `dev`, where it is given).
    fused : Scores
        Fused scores of these trials, each by a fusion that was learned without its fold.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
    >>> systems = {"one": model.sample(60, 60, rng=1), "two": model.sample(60, 60, rng=2)}
    >>> br.inclusion(systems).choice.names
    ('one', 'two')
    """

    names: tuple[str, ...]
    selection: str
    margin: float
    auc: Interval
    all_auc: Interval
    best_single_auc: Interval
    loss: Interval
    best_single: str
    sizes: tuple[SetSize, ...]
    fusion: LogisticFusion
    fused: Scores | None = field(repr=False)


# ------------------------------------------------------------------------- what a set is worth
#: Of a learner, its fusion of all, another of its fusions, and scores by that.
Worth = Callable[[Learner, Fusing, Fusing, Scores], Placed]


def worth_of(target: Target | None) -> Worth:
    """The area under the ROC, or minus the cost at the threshold of a target."""
    if target is None:
        return lambda learner, full, fusing, scores: placements(scores)
    if target.kind not in (*TARGET_RATES, "cost"):
        raise InputError(
            "the target of an ensemble must be a FAR, an FRR or costs;"
            f" got {target.typed or target.kind}. Choose the set without it, then decide on"
            " result.choice.fused."
        )
    return lambda *parts: _minus_cost(target, *parts)


def _minus_cost(
    target: Target, learner: Learner, full: Fusing, fusing: Fusing, scores: Scores
) -> Placed:
    """Minus a FAR + b FRR at the threshold of the learning trials."""
    # At a target of FAR a = dTPR/dFAR there, b = 1, so that the cost is nearly that of any FAR near
    # the target; the slope of a ROC is the likelihood ratio, and the fused score its log.
    odds = learner.log_odds
    if target.kind == "cost":
        prior = learner.prior if target.prior is None else target.prior
        fa, fr = np.array(target.costs) * (1.0 - prior, prior)
        fa, fr = float(fa / (fa + fr)), float(fr / (fa + fr))
        threshold = math.log(fa / fr) + odds
    else:
        threshold, slope = (_threshold(target, learner, side) for side in (fusing, full))
        ratio = math.exp(slope - odds)  # the penalty keeps fused scores far from overflow
        fa, fr = (ratio, 1.0) if target.kind == "far" else (1.0, 1.0 / ratio)
    parts, value = list[FloatArray](), 0.0
    for who, wrong, cost in zip(
        CLASSES, (scores.client <= threshold, scores.impostor > threshold), (fr, fa), strict=True
    ):
        share = float(np.average(wrong, weights=weights_of(scores, who)))
        value -= cost * share
        parts.append(np.asarray(cost * (share - wrong)))
    return value, parts


def _threshold(target: Target, learner: Learner, fusing: Fusing) -> float:
    """Where a fusion has the target rate on its learning trials."""
    mask = learner.client if target.who == "client" else ~learner.client
    distribution = Empirical((learner.design @ fusing.standard)[mask], learner.copies[mask])
    quantile = distribution.ppf if target.who == "client" else distribution.isf
    return float(quantile(target.rate))


# ----------------------------------------------------------------------------- the choice
def _path_losses(
    systems: Systems, columns: Sequence[FusionColumn], folds: IntArray, worth: Worth
) -> list[tuple[float, float, float, float]]:
    """Per size the worth of all and of the set, the variance of the loss, its freedom."""
    areas: list[list[PairedAreas]] = []
    for learn, observe, _ in systems.splits(folds):
        learner = Learner(learn, columns)
        path = learner.elimination()
        scores = learner.scores(observe, path)
        placed = [worth(learner, path[-1], *pair) for pair in zip(path, scores, strict=True)]
        areas.append([paired_areas(placed[-1], part, scores[0]) for part in placed])
    return [learned.mean_of_folds(of_size) for of_size in zip(*areas, strict=True)]


def _chosen_size(
    systems: Systems, columns: Sequence[FusionColumn], worth: Worth, rule: tuple[str, float, float],
    rng: np.random.Generator,
) -> tuple[int, list[tuple[float, float, float]]]:  # fmt: skip
    """The size of the set, all where nothing can be measured; worth, loss, error per size."""
    from scipy.special import ndtri

    (selection, margin, level), many = rule, len(systems.names)
    deals = [
        _path_losses(systems, columns, folds, worth)
        for _ in range(_DEALS if many <= _MANY else 1)
        if (folds := learned.dealt(systems, _FOLDS, rng)) is not None
    ]
    if not deals:
        return many, [(math.nan,) * 3] * many
    means = np.mean(deals, axis=0)
    worths, losses, errors = means[:, 1], means[:, 0] - means[:, 1], np.sqrt(means[:, 2])
    if selection == BEST_SET:
        size = 1 + int(np.argmax(worths))
    else:
        shown = losses + float(ndtri(level)) * errors <= margin
        size = 1 + int(np.argmax(shown | (np.arange(many) == many - 1)))
    return size, list(zip(worths.tolist(), losses.tolist(), errors.tolist(), strict=True))


def choose_set(
    systems: Systems, dev: Systems | None, columns: Sequence[FusionColumn], folds: IntArray | None,
    worth: Worth, rule: tuple[str, float, float],
) -> SetChoice:  # fmt: skip
    """The set, and its areas where it was not chosen."""
    # The folds are of the trials that the fusion is learned on.
    rng, learned_on = np.random.default_rng(0), systems if dev is None else dev
    size, measured = _chosen_size(learned_on, columns, worth, rule, rng)
    learner = Learner(learned_on, columns)
    path = learner.elimination()
    names = np.array(systems.names)
    members = [tuple(names[fusing.members].tolist()) for fusing in path]
    areas: list[tuple[PairedAreas, ...]] = []
    for learn, observe, _ in systems.splits(folds, dev):
        k = size if dev is not None else _chosen_size(learn, columns, worth, rule, rng)[0]
        areas.append(_areas(Learner(learn, columns), learn, observe, k))
    unseen = -math.log1p(-rule[2]) / learned.fewest_trials(systems)
    *alone, lost = zip(*areas, strict=True) if areas else ((),) * 4
    chosen = path[size - 1]
    used = tuple(c for c in columns if c.system in members[size - 1])
    weights = chosen.coefficients[1:][chosen.members[learner.owner]]
    auc, all_auc, best_single_auc = (_interval(area, rule[2], unseen) for area in alone)
    loss = _interval(lost, rule[2], 0.0)
    rows = tuple(SetSize(names, *row) for names, row in zip(members, measured, strict=True))
    intercept = float(chosen.coefficients[0])
    fusion = LogisticFusion(members[size - 1], used, tuple(weights.tolist()), intercept)
    return SetChoice(
        members[size - 1], *rule[:2], auc, all_auc, best_single_auc, loss,
        str(names[_best_single(learned_on)]), rows, fusion,
        _out_of_fold(learned_on, columns, folds, chosen.members),
    )  # fmt: skip


def _areas(
    learner: Learner, learn: Systems, observe: Systems, size: int
) -> tuple[PairedAreas, ...]:
    """Areas of a set of that size and all, of the best one, and of all beside the set."""
    path, best = learner.elimination(), _best_single(learn)
    fused = learner.scores(observe, [path[size - 1], path[-1]])
    placed = [placements(scores) for scores in (*fused, observe.scores(best))]
    nothing = 0.0, [np.zeros(len(side)) for side in observe.classes]
    alone = [paired_areas(part, nothing, fused[0]) for part in placed]
    return *alone, paired_areas(placed[1], placed[0], fused[0])


def _best_single(systems: Systems) -> int:
    areas = [placements(systems.scores(k))[0] for k in range(len(systems.names))]
    return int(np.argmax(areas))


def _interval(folds: Sequence[PairedAreas], level: float, unseen: float) -> Interval:
    """The mean over folds, by the larger of DeLong's error and Student's."""
    if not folds:
        return Interval(math.nan, math.nan, math.nan, level, "none")
    area, other, variance, freedom = learned.mean_of_folds(folds)
    k, method = len(folds), "delong"
    # Where no trial speaks against it, 3/n at .95 may go unseen.
    reach = student(freedom, level) * math.sqrt(variance) if variance > 0.0 else unseen
    if k > 1:
        spread = float(np.std([f.area - f.other for f in folds], ddof=1)) / math.sqrt(k)
        reach, method = max(reach, student(k - 1.0, level) * spread), "delong-folds"
    estimate = area - other
    low = max(estimate - reach, 0.0 if unseen else -1.0)
    return Interval(estimate, low, min(estimate + reach, 1.0), level, method)


def _out_of_fold(
    systems: Systems, columns: Sequence[FusionColumn], folds: IntArray | None, members: BoolArray
) -> Scores | None:
    """Fused scores of every trial, learned without its fold."""
    if folds is None:
        return None
    fused = np.empty(folds.size)
    for learn, observe, rows in systems.splits(folds):
        learner = Learner(learn, columns)
        (scores,) = learner.scores(observe, [learner.fit(members)])
        fused[rows] = np.concatenate([scores.client, scores.impostor])
    return systems.fused(fused)
