"""What a threshold is chosen for: one entry of a table a criterion.

A criterion maps a pair, a prior and an array of alphas to the threshold of
each alpha, globally optimal under the tie rule: smallest criterion, then
smallest HTER, then lowest threshold. Candidates that are 0/0 are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.terms import BIOMETRIC, terms_of
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.empirical import Gaps, decides_by_counts
from betaroc.distributions.pairs import Pair
from betaroc.model import operating_points
from betaroc.model.measures import is_rate, measure_title, precision_of
from betaroc.model.minimise_continuous import (
    best_precision_recall,
    least_weighted_errors,
    monotone_jumps,
    nearest_precision,
    nearest_rate,
    precision_turns,
)
from betaroc.model.minimise_counts import (
    choose_linear,
    choose_nearest,
    choose_weighted_error,
)
from betaroc.rendering.alphas import AlphaAxes

#: Characters of a title beside which an axis has room for what else it says.
_LONGEST = 30

Choice = Callable[[Pair, float, FloatArray], Thresholds]
Levels = Callable[[Pair, float], FloatArray]


def _no_levels(_: Pair, __: float) -> FloatArray:
    """Of a criterion whose alpha is no target."""
    return np.empty(0)


@dataclass(frozen=True)
class Criterion:
    """How thresholds are chosen, and what the axis of alphas is called."""

    choose: Choice
    axis: str
    #: A criterion without alpha: one threshold for all.
    single: bool = False
    #: Of a target: the rates that scores attain; for distributions, where the choice may jump.
    levels: Levels = _no_levels
    #: Of a share of one class: accepting all and rejecting all scores attain 0 and 1.
    one_class: bool = False

    @property
    def is_target(self) -> bool:
        """Whether alpha is a rate to be reached; else it is a weight, or there is none."""
        return self.levels is not _no_levels

    def axes(self, measure: str, terms: str = BIOMETRIC) -> AlphaAxes:
        """What stands at the axes of a measure over alpha, in the words of a field."""
        words = terms_of(terms)
        axis, title = words.said(self.axis), words.said(measure_title(measure))
        if len(title) > _LONGEST:
            title = words.said(measure.upper())
        return AlphaAxes(axis, title, self.is_target, is_rate(measure), self.single)

    def reach(self, pair: Pair, prior: float) -> tuple[float, float] | None:
        """The smallest and the largest rate that any threshold attains; None without target."""
        counted = decides_by_counts(pair) and not (pair.client.rejected or pair.impostor.rejected)
        if self.one_class and counted:
            return 0.0, 1.0
        levels = self.levels(pair, prior)
        return (float(levels[0]), float(levels[-1])) if levels.size else None


def _each(one: Callable[[Pair, float, float], Thresholds]) -> Choice:
    def choose(pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
        chosen = [one(pair, prior, float(a)) for a in alpha]
        return Thresholds.concatenate(chosen)

    return choose


# ------------------------------------------------------------------ linear criteria
def _weighted_error(pair: Pair, _: float, alpha: FloatArray) -> Thresholds:
    if decides_by_counts(pair):
        return choose_weighted_error(pair, alpha)
    return least_weighted_errors(pair, alpha)


def _weighted_precision_recall(pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
    if decides_by_counts(pair):
        return choose_linear(pair, alpha, lambda tpr, far: (-precision_of(prior, tpr, far), -tpr))
    return _each(best_precision_recall)(pair, prior, alpha)


def _f_measure(pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
    if decides_by_counts(pair):

        def losses(tpr: FloatArray, far: FloatArray) -> tuple[FloatArray, FloatArray]:
            with np.errstate(divide="ignore", invalid="ignore"):
                return 1.0 / precision_of(prior, tpr, far), 1.0 / tpr

        return choose_linear(pair, alpha, losses)
    return _each(lambda pair, prior, a: operating_points.max_f(pair, a, prior))(pair, prior, alpha)


# ----------------------------------------------------------------------- rate targets
class _Target(NamedTuple):
    """A rate that a threshold can be chosen for."""

    #: What its axis says.
    axis: str
    #: Its values at the decisions that two samples allow, and a prior.
    rate: Callable[[Gaps, float], FloatArray]
    one_class: bool = True


_TARGETS = {
    "far": _Target("FAR", lambda at, _: at.far),
    "frr": _Target("FRR", lambda at, _: at.frr),
    "precision": _Target("precision", lambda at, prior: precision_of(prior, at.tpr, at.far), False),
    "recall": _Target("recall", lambda at, _: at.tpr),
    "sensitivity": _Target("sensitivity", lambda at, _: at.tpr),
    "specificity": _Target("specificity", lambda at, _: at.tnr),
}


def _target(name: str) -> Choice:
    target = _TARGETS[name]

    def choose(pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
        if decides_by_counts(pair):
            return choose_nearest(pair, alpha, lambda at: target.rate(at, prior))
        if name == "precision":
            return nearest_precision(pair, prior, alpha)
        return nearest_rate(pair, alpha, name)

    return choose


def _levels(name: str) -> Levels:
    def levels(pair: Pair, prior: float) -> FloatArray:
        if decides_by_counts(pair):
            values = _TARGETS[name].rate(pair.gaps, prior)
            return np.unique(values[~np.isnan(values)])
        if name == "precision":
            return precision_turns(pair, prior)
        return monotone_jumps(pair, name)

    return levels


# --------------------------------------------------------------------- single points
def _eer(pair: Pair, _: float, alpha: FloatArray) -> Thresholds:
    return Thresholds.concatenate([operating_points.equal_error(pair)] * alpha.size)


def _break_even(pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
    return Thresholds.concatenate([operating_points.break_even(pair, prior)] * alpha.size)


#: Every criterion by the name used everywhere.
CRITERIA: dict[str, Criterion] = {
    "weighted-error": Criterion(_weighted_error, "alpha: weight of FAR against FRR"),
    **{
        name: Criterion(
            _target(name),
            f"expected {target.axis}",
            levels=_levels(name),
            one_class=target.one_class,
        )
        for name, target in _TARGETS.items()
    },
    "weighted-precision-recall": Criterion(
        _weighted_precision_recall, "alpha: weight of precision against recall"
    ),
    "f-measure": Criterion(_f_measure, "alpha: weight of precision in F"),
    "eer": Criterion(_eer, "equal error rate", single=True),
    "break-even": Criterion(_break_even, "break-even point", single=True),
}
