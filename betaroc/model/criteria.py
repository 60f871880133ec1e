"""Criteria: each gives every alpha its globally best threshold.

Ties go to the smallest HTER, then to the lowest threshold; candidates that are 0/0 are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.errors import FitError, InputError
from betaroc.core.thresholds import Thresholds
from betaroc.core.vocabulary import FAR, FRR, RATE_SLOT, TITLE_SLOT, Vocabulary, short_name
from betaroc.distributions.base import Distribution
from betaroc.distributions.empirical import EmpiricalPair, decides_by_counts
from betaroc.distributions.pairs import Pair, pair_of, sign_changes
from betaroc.distributions.strata import over_strata
from betaroc.model import operating_points
from betaroc.model.measures import is_rate, measure_title, precision_of
from betaroc.model.roc_functions import sample_chain
from betaroc.rendering.curves import AlphaAxes

#: Characters of a title beside which an axis has room for what else it says.
_LONGEST = 30
#: Criteria that agree to this are tied, and a rate this near to its target, as a share, has met it.
_CLOSE = 1e-12
#: Weighted errors that agree to this are compared again on counts.
_NEAR = 1e-9
#: Rates that agree to this are one: quotients of counts, quotients of sums of weights.
_SAME_COUNTS, _SAME_WEIGHTS = 1e-14, 1e-12
#: Logit beyond which no precision is sought.
_FARTHEST = 1e5
#: A little above the rates that have lost digits.
_LEAST = 1e-299

Function = Callable[[FloatArray], FloatArray]
#: x and y of TPR and FAR, of which alpha x + (1 - alpha) y is the criterion.
_Losses = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]


# ------------------------------------------------------------------------ linear criteria
def choose_linear(pair: EmpiricalPair, alpha: FloatArray, losses: _Losses) -> Thresholds:
    """For each alpha the threshold of least alpha x + (1 - alpha) y."""
    # x falls where FAR alone falls, y where TPR alone rises, so that a gap at which the ROC turns
    # is among the best.
    gaps = pair.gaps
    x, y = losses(gaps.tpr, gaps.far)
    turns = gaps.turns
    turns = turns[np.isfinite(x[turns]) & np.isfinite(y[turns])]
    if turns.size == 0:
        raise InputError(
            "the criterion must be defined at some threshold of dev; it is 0/0 or infinite at all"
            " of them, as F is with a prior of 0. Give a prior above 0."
        )
    total = gaps.far + gaps.frr
    vertices = turns[hull_vertices(x[turns], y[turns])]
    criterion = _weighted(error_weights(alpha), x[vertices], y[vertices])
    chosen = vertices[_least(criterion, total[vertices])]
    # Where x alone counts, equal x of a larger y may have the lower HTER.
    only_x = turns[_least(x[None, turns], total[turns])]
    return gaps.thresholds(np.where(alpha == 1.0, only_x, chosen))


def least_weighted_errors(pair: Pair, weights: Sequence[Fraction]) -> Thresholds:
    """For each w the threshold of least w FAR + (1 - w) FRR."""
    if not decides_by_counts(pair):
        return _least_on_levels(pair, weights)
    gaps = pair.gaps
    accepted = gaps._impostors[-1] - gaps._impostors if pair.whole else gaps.far
    vertices = gaps.turns[hull_vertices(accepted[gaps.turns], gaps._clients[gaps.turns])]
    far, frr = gaps.far[vertices], gaps.frr[vertices]
    criterion = _weighted(weights, far, frr)
    chosen = _least(criterion, far + frr)
    close = criterion <= np.min(criterion, axis=1, keepdims=True) * (1.0 + _NEAR)
    n, m = int(pair.client.total), int(pair.impostor.total)
    for k in np.flatnonzero(np.sum(close, axis=1) > 1).tolist() if pair.whole else ():
        near = np.flatnonzero(close[k])
        errors = zip(accepted[vertices[near]], gaps._clients[vertices[near]], strict=True)
        counts = [(int(a) * n, int(r) * m) for a, r in errors]
        keys = [(weights[k] * a + (1 - weights[k]) * r, a + r) for a, r in counts]
        chosen[k] = near[keys.index(min(keys))]
    return gaps.thresholds(vertices[chosen])


def _weighted(weights: Sequence[Fraction], x: FloatArray, y: FloatArray) -> FloatArray:
    for_x, for_y = np.array([(float(w), float(1 - w)) for w in weights]).T
    return np.asarray(for_x[:, None] * x + for_y[:, None] * y)


def error_weights(alpha: FloatArray) -> list[Fraction]:
    """The decimals that were meant."""
    return [operating_points.exact_weight(a) for a in alpha.tolist()]


def hull_vertices(x: FloatArray, y: FloatArray) -> IntArray:
    """Vertices of the lower left hull of points with ascending y."""
    lowest = np.minimum.accumulate(x)
    order: IntArray = np.flatnonzero(np.concatenate([[True], x[1:] < lowest[:-1]]))
    # Of equal y the last one kept has the smallest x.
    order = order[np.append(y[order[1:]] > y[order[:-1]], True)]
    return np.asarray(order[sample_chain(y[order], -x[order])])


def _least(criterion: FloatArray, total: FloatArray) -> IntArray:
    totals = np.where(operating_points.near_least(criterion), total, np.inf)
    return np.asarray(np.argmax(operating_points.near_least(totals), axis=1), dtype=np.intp)


def _least_on_levels(pair: Pair, weights: Sequence[Fraction]) -> Thresholds:
    levels = [math.log(w) - math.log(1 - w) if 0 < w < 1 else None for w in weights]
    nothing = pair.candidates[:0]
    roots = [nothing if level is None else pair.ratio_roots(level) for level in levels]
    ends = np.cumsum([part.size for part in (pair.candidates, *roots)])
    t = Thresholds.concatenate([pair.candidates, *roots])
    far, frr = pair.far(t), pair.frr(t)
    chosen = []
    for k, w in enumerate(weights):
        own = np.append(np.arange(ends[0]), np.arange(ends[k], ends[k + 1]))
        criterion = float(w) * far[own] + float(1 - w) * frr[own]
        chosen.append(own[operating_points.best(t[own], criterion, far[own] + frr[own])])
    return t[np.array(chosen, dtype=np.intp)]


def best_precision_recall(pair: Pair, prior: float, alpha: float) -> Thresholds:
    """The threshold of largest alpha P + (1 - alpha) R."""
    # Towards the upper end the value may rise to a limit that no threshold attains: the
    # last place at which the rates are numbers still comes nearest.

    def slope(u: FloatArray) -> FloatArray:
        t = pair.place(u)
        tpr, far = pair.tpr(t), pair.far(t)
        called = prior * tpr + (1.0 - prior) * far
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            gain = prior * (1.0 - prior) * (tpr * np.exp(-pair.log_ratio(t)) - far) / called**2
            return np.asarray(alpha * gain - (1.0 - alpha))

    places = np.concatenate([_roots(pair, slope), pair.mesh])
    t = Thresholds.concatenate([pair.candidates, pair.place(places), *_last_places(pair)])
    value = alpha * _precision(pair, prior, t) + (1.0 - alpha) * pair.tpr(t)
    return t[[operating_points.best(t, -value, pair.far(t) + pair.frr(t))]]


def _roots(pair: Pair, function: Function) -> FloatArray:
    mesh = pair.mesh
    if mesh.size == 0:
        return mesh
    jumps = pair.coordinates(Thresholds.from_theta(pair.atom_places))
    jumps = jumps[(jumps > mesh[0]) & (jumps < mesh[-1])]
    mesh = np.unique(np.concatenate([mesh, np.nextafter(jumps, -np.inf), jumps]))
    finite = mesh[np.isfinite(function(mesh))]
    return sign_changes(function, finite, "stationary point of a criterion")


def _last_places(pair: Pair) -> list[Thresholds]:
    """Where each rate is the least that is a number still."""
    least = np.array([_LEAST])
    laws = (pair.client, pair.impostor)
    return [law._upper_quantile(least, np.log(least)) for law in laws if law.continuous is not None]


# ------------------------------------------------------------------------- rate targets
def _nearest(
    pair: Pair, alpha: FloatArray, own: Sequence[IntArray], t: Thresholds, values: FloatArray
) -> Thresholds:
    total, chosen = pair.far(t) + pair.frr(t), []
    for a, index in zip(alpha.tolist(), own, strict=True):
        gap = np.abs(values[index] - a)
        gap -= np.nanmin(gap)
        # Of a small target rounding is small too; 0 and 1 themselves may be limits.
        gap = np.where(gap <= _CLOSE * (min(a, 1.0 - a) or 1.0), 0.0, gap)
        chosen.append(index[operating_points.best(t[index], gap, total[index])])
    return t[np.array(chosen, dtype=np.intp)]


class _Target(NamedTuple):
    """A rate that a threshold can be chosen for."""

    rate: str
    who: str = ""

    def of_counts(self, pair: EmpiricalPair, prior: float) -> FloatArray:
        gaps = pair.gaps
        return getattr(gaps, self.rate) if self.who else precision_of(prior, gaps.tpr, gaps.far)

    def choose(self, pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
        if not decides_by_counts(pair):
            nearest = self._nearest_rate if self.who else nearest_precision
            return nearest(pair, prior, alpha)
        values, same = self.of_counts(pair, prior), _SAME_COUNTS if pair.whole else _SAME_WEIGHTS
        order = np.argsort(values, kind="stable")  # nan last
        levels = values[order]
        levels = levels[: np.searchsorted(levels, np.inf)]
        above = np.searchsorted(levels, alpha)
        low = levels[np.maximum(above - 1, 0)]
        high = levels[np.minimum(above, levels.size - 1)]
        excess = np.abs(high - alpha) - np.abs(low - alpha)
        first = np.searchsorted(levels, np.where(excess < -same, high, low) - same, side="left")
        last = np.searchsorted(levels, np.where(excess > same, low, high) + same, side="right")
        chosen, total = order[first], pair.gaps.far + pair.gaps.frr
        for k in np.flatnonzero(last - first > 1):
            index = np.sort(order[first[k] : last[k]])
            chosen[k] = index[np.argmax(operating_points.near_least(total[index]))]
        return pair.gaps.thresholds(chosen)

    def _nearest_rate(self, pair: Pair, _: float, alpha: FloatArray) -> Thresholds:
        law = getattr(pair, self.who)
        invert = law._upper_quantile if self.rate in ("far", "tpr") else law._lower_quantile
        with np.errstate(divide="ignore"):
            t = Thresholds.concatenate([pair.candidates, invert(alpha, np.log(alpha))])
        always = np.arange(pair.candidates.size)
        own = [np.append(always, always.size + k) for k in range(alpha.size)]
        rate: FloatArray = getattr(pair, self.rate)(t)
        return _nearest(pair, alpha, own, t, rate)

    def levels(self, pair: Pair, prior: float) -> FloatArray:
        if decides_by_counts(pair):
            values = self.of_counts(pair, prior)
        elif not self.who:
            values = _limit_of_precision(pair, prior, _turns_of_precision(pair))
        else:
            values = np.unique(getattr(pair, self.rate)(pair.candidates))  # beside an atom too
            values = np.concatenate([values, 0.5 * (values[1:] + values[:-1])])
        return np.unique(values[~np.isnan(values)])


# --------------------------------------------------------------------- targets of precision
def nearest_precision(pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
    """For each alpha the threshold of the nearest precision."""

    def gain(u: FloatArray) -> FloatArray:
        return _log_gain(pair, pair.place(u))

    always = _turns_of_precision(pair)
    which, places = np.empty(0, dtype=np.intp), np.empty(0)
    if 0.0 < prior < 1.0:
        # A precision of 0 or 1 is a limit that no threshold attains: it is met to 1e-12.
        wanted = np.clip(alpha, 0.5 * _CLOSE, 1.0 - 0.5 * _CLOSE)
        levels = np.log(wanted) - np.log1p(-wanted) - math.log(prior / (1.0 - prior))
        least = np.array([_LEAST])
        first = [law._lower_quantile(least, np.log(least)) for law in (pair.client, pair.impostor)]
        known = pair.coordinates(Thresholds.concatenate([always, pair.joints, *first]))
        grid = pair.grid(-math.inf, math.inf, unit=pair.unit)
        mesh = np.unique(np.concatenate([known, np.nextafter(known, -np.inf), grid]))
        mesh = mesh[np.abs(mesh) < (_FARTHEST if pair.unit else math.inf)]
        mesh = mesh[np.isfinite(gain(mesh))]
        which, places = _level_roots(gain, mesh, levels)
    t = Thresholds.concatenate([always, pair.place(places)])
    levels_of = [always.size + np.flatnonzero(which == k) for k in range(alpha.size)]
    own = [np.append(np.arange(always.size), level) for level in levels_of]
    return _nearest(pair, alpha, own, t, _precision(pair, prior, t))


def _turns_of_precision(pair: Pair) -> Thresholds:
    """Ends, jumps and turns of precision, monotone in between."""

    def turn(u: FloatArray) -> FloatArray:
        t = pair.place(u)
        with np.errstate(invalid="ignore"):
            return np.asarray(pair.log_ratio(t) - _log_gain(pair, t))

    places = np.concatenate([_roots(pair, turn), pair.mesh[:1], pair.mesh[-1:]])
    return Thresholds.concatenate([pair.candidates, pair.place(places), *_last_places(pair)])


def _precision(pair: Pair, prior: float, t: Thresholds) -> FloatArray:
    values = _limit_of_precision(pair, prior, t)
    return np.where(pair.tpr(t) + pair.far(t) < operating_points.TINY, np.nan, values)


def _limit_of_precision(pair: Pair, prior: float, t: Thresholds) -> FloatArray:
    """Precision from the logs of both tails."""
    with np.errstate(invalid="ignore", under="ignore", over="ignore"):
        return np.asarray(prior / (prior + (1.0 - prior) * np.exp(-_log_gain(pair, t))))


def _log_gain(pair: Pair, t: Thresholds) -> FloatArray:
    """log TPR / FAR, which gives precision."""
    with np.errstate(invalid="ignore"):
        return np.asarray(pair.client._upper(t)[1] - pair.impostor._upper(t)[1])


def _level_roots(
    function: Function, mesh: FloatArray, levels: FloatArray
) -> tuple[IntArray, FloatArray]:
    from scipy.optimize import elementwise

    values = function(mesh)
    low, high = np.minimum(values[1:], values[:-1]), np.maximum(values[1:], values[:-1])
    # Neighbouring doubles are the sides of a jump, which stands for itself.
    inside = (low < high) & (np.nextafter(mesh[:-1], np.inf) < mesh[1:])
    brackets = [np.flatnonzero((low <= x) & (x <= high) & inside) for x in levels.tolist()]
    which = np.repeat(np.arange(levels.size), [k.size for k in brackets])
    k = np.concatenate(brackets)
    if k.size == 0:
        return which, np.empty(0)
    result = elementwise.find_root(
        lambda u, level: function(u) - level, (mesh[k], mesh[k + 1]), args=(levels[which],),
        maxiter=200, tolerances={"xatol": 0.0, "xrtol": 1e-15, "fatol": 0.0, "frtol": 0.0},
    )  # fmt: skip
    width = np.abs(np.subtract(*result.bracket))
    lost = np.flatnonzero(~result.success & (width > _CLOSE * (1.0 + np.abs(result.x))))
    if lost.size:
        raise FitError(
            f"threshold of a precision: {lost.size} of {which.size} roots did not converge, first"
            f" near {float(result.x[lost[0]])!r}. This is a defect of betaroc: please report the"
            " two distributions."
        )
    return which, np.asarray(result.x)


# ----------------------------------------------------------------------------- the table
@dataclass(frozen=True)
class Criterion:
    """How thresholds are chosen, and what the axis of alphas is called."""

    choose: Callable[[Pair, float, FloatArray], Thresholds]
    axis: str
    #: A criterion without alpha: one threshold for all.
    single: bool = False
    #: Whose rate alpha is, to be reached; else alpha is a weight, or there is none.
    target: _Target | None = None

    def levels(self, pair: Pair, prior: float) -> FloatArray:
        """The rates at which the choice may jump."""
        return np.empty(0) if self.target is None else self.target.levels(pair, prior)

    def axes(self, measure: str, terms: str | None = None) -> AlphaAxes:
        """The labels of the axes of a measure over alpha."""
        axis, title = self.axis, measure_title(measure)
        if terms is not None:
            fill = Vocabulary(checks.terms_of(terms)).fill
            axis, title = fill(axis), fill(title)
            title = fill(short_name(measure)) if len(title) > _LONGEST else title
        return AlphaAxes(axis, title, self.target is not None, is_rate(measure), self.single)

    def reach(self, pair: Pair, prior: float) -> tuple[float, float] | None:
        """The smallest and the largest rate attained."""
        if self.target is None:
            return None
        counted = decides_by_counts(pair) and not (pair.client.rejected or pair.impostor.rejected)
        if self.target.who and counted:  # accepting all and rejecting all
            return 0.0, 1.0
        levels = self.levels(pair, prior)
        return float(levels[0]), float(levels[-1])


def _each(choose: Callable[[float], Thresholds], alpha: FloatArray) -> Thresholds:
    return Thresholds.concatenate([choose(a) for a in alpha.tolist()])


def _weighted_precision_recall(pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
    if decides_by_counts(pair):
        return choose_linear(pair, alpha, lambda tpr, far: (-precision_of(prior, tpr, far), -tpr))
    return _each(lambda a: best_precision_recall(pair, prior, a), alpha)


def _f_measure(pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
    def losses(tpr: FloatArray, far: FloatArray) -> tuple[FloatArray, FloatArray]:
        with np.errstate(divide="ignore", invalid="ignore"):
            return 1.0 / precision_of(prior, tpr, far), 1.0 / tpr

    if decides_by_counts(pair):
        return choose_linear(pair, alpha, losses)
    return _each(lambda a: operating_points.max_f(pair, a, prior), alpha)


def _reaching(name: str, rate: str, who: str = "") -> Criterion:
    target = _Target(rate, who)
    return Criterion(target.choose, f"expected {RATE_SLOT.get(name, name)}", target=target)


#: Every criterion by the name used everywhere.
CRITERIA: dict[str, Criterion] = {
    "weighted-error": Criterion(
        lambda pair, _, alpha: least_weighted_errors(pair, error_weights(alpha)),
        f"alpha: weight of {FAR} against {FRR}",
    ),
    "far": _reaching("far", "far", "impostor"),
    "frr": _reaching("frr", "frr", "client"),
    "precision": _reaching("precision", "precision"),
    "recall": _reaching("recall", "tpr", "client"),
    "sensitivity": _reaching("sensitivity", "tpr", "client"),
    "specificity": _reaching("specificity", "tnr", "impostor"),
    "weighted-precision-recall": Criterion(
        _weighted_precision_recall, "alpha: weight of precision against recall"
    ),
    "f-measure": Criterion(_f_measure, "alpha: weight of precision in F"),
    "eer": Criterion(
        lambda pair, _, alpha: _each(lambda _: operating_points.equal_error(pair), alpha),
        TITLE_SLOT["eer"], single=True,
    ),
    "break-even": Criterion(
        lambda pair, prior, alpha: _each(lambda _: operating_points.break_even(pair, prior), alpha),
        "break-even point", single=True,
    ),
}  # fmt: skip


def over_weights(
    name: str, client: Distribution, laws: Sequence[Distribution], weights: FloatArray,
    alpha: FloatArray,
) -> list[Thresholds]:  # fmt: skip
    """Thresholds of "eer" or of each alpha, a row per row of weights of impostor strata."""
    chosen, pooled = [], pair_of(client, over_strata(laws, weights.mean(axis=0), upper=True))
    if counted := decides_by_counts(pooled):
        at = slice(None) if CRITERIA[name].single else pooled.gaps.turns
        t, frr = pooled.gaps.thresholds(at), pooled.gaps.frr[at]
        rates = np.array([law._side(t, lower=False)[0] for law in laws])
    for row in weights:
        if counted and np.all(row > 0.0):
            far = np.einsum("k,kt->t", row, rates)
            apart = np.abs(far - frr)[None]
            criterion = np.where(apart <= _SAME_COUNTS, 0.0, apart)
            if not CRITERIA[name].single:
                criterion = _weighted(error_weights(alpha), far, frr)
            chosen.append(t[_least(criterion, far + frr)])
        else:
            pair = pair_of(client, over_strata(laws, row, upper=True))
            chosen.append(CRITERIA[name].choose(pair, 0.5, alpha))
    return chosen
