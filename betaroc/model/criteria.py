"""What a threshold is chosen for: one entry of a table a criterion.

A criterion maps a pair, a prior and an array of alphas to the threshold of each alpha, globally
optimal under the tie rule: smallest criterion, then smallest HTER, then lowest threshold.
Candidates that are 0/0 are left out.

Of two samples a criterion is linear, alpha x + (1 - alpha) y, so that only vertices of the convex
hull can win, or the distance of a rate from a target, so that only neighbours in that rate can. Of
continuous distributions stationary points, levels and jumps are compared.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import BoolArray, FloatArray, IntArray
from betaroc.core.errors import FitError, InputError
from betaroc.core.thresholds import Thresholds, choose
from betaroc.core.vocabulary import FAR, FRR, RATE_SLOT, TITLE_SLOT, Vocabulary, short_name
from betaroc.distributions.empirical import EmpiricalPair, Gaps, decides_by_counts, gap_thresholds
from betaroc.distributions.pairs import Pair, sign_changes
from betaroc.model import operating_points
from betaroc.model.measures import is_rate, measure_title, precision_of
from betaroc.model.roc_functions import sample_chain
from betaroc.rendering.curves import AlphaAxes

#: Characters of a title beside which an axis has room for what else it says.
_LONGEST = 30
#: Criteria that agree to this are tied.
_CLOSE = 1e-12
#: Weighted errors and distances that agree to this are compared again on counts.
_NEAR = 1e-9
#: Rates that agree to this are one: quotients of counts, quotients of sums of weights.
_SAME_COUNTS, _SAME_WEIGHTS = 1e-14, 1e-12


# ---------------------------------------------------------------------------- candidates
@dataclass(frozen=True, eq=False)
class Decisions:
    """Some of the gaps that two samples decide in, ascending, and their errors.

    All errors are weights of scores: counts, where there are no weights.
    """

    low: FloatArray
    high: FloatArray
    clients_above: FloatArray
    impostors_above: FloatArray
    clients_below: FloatArray
    clients: float
    impostors: float
    at_edges: bool

    @property
    def tpr(self) -> FloatArray:
        return self.clients_above / self.clients

    @property
    def far(self) -> FloatArray:
        return self.impostors_above / self.impostors

    @property
    def frr(self) -> FloatArray:
        return self.clients_below / self.clients

    def thresholds(self, index: IntArray) -> Thresholds:
        """The thresholds of some of them."""
        return gap_thresholds(self.low[index], self.high[index], at_edges=self.at_edges)


def candidates_of(pair: EmpiricalPair) -> Decisions:
    """Gaps where no small move lowers one error and leaves the other, and both ends.

    A candidate lies above a place of impostors and below the next place of clients: one search
    of these among those, without a merge.
    """
    client, impostor = pair.client, pair.impostor
    own, other = client._steps[0], impostor._steps[0]
    below = np.searchsorted(other, own, side="left")
    j = np.flatnonzero(np.diff(below, prepend=0) > 0)
    k = below[j]
    low = np.where(j > 0, np.maximum(other[k - 1], own[j - 1]), other[k - 1])
    top, n = max(own[-1], other[-1]), client.total
    return Decisions(
        low=np.concatenate([[-np.inf], low, [top]]),
        high=np.concatenate([[-np.inf], own[j], [top]]),
        clients_above=np.concatenate([[n - client.rejected], client._above[j], [0.0]]),
        impostors_above=np.concatenate(
            [[impostor.total - impostor.rejected], impostor._above[k], [0.0]]
        ),
        clients_below=np.concatenate([[client.rejected], client._below[j], [n]]),
        clients=n,
        impostors=impostor.total,
        at_edges=pair.at_edges,
    )


# ------------------------------------------------------------------------ linear criteria
def choose_linear(
    pair: EmpiricalPair,
    alpha: FloatArray,
    losses: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]],
) -> Thresholds:
    """For each alpha the threshold of least alpha x + (1 - alpha) y.

    `losses` makes x and y of TPR and FAR; x falls where FAR alone falls, y where
    TPR alone rises, so that the best gaps are among `candidates_of`.
    """
    candidates = candidates_of(pair)
    x, y = losses(candidates.tpr, candidates.far)
    keep = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if keep.size == 0:
        raise InputError(
            "the criterion must be defined at some threshold of dev; it is 0/0 or infinite at all"
            " of them, as F is with a prior of 0. Give a prior above 0."
        )
    x, y, total = x[keep], y[keep], candidates.far[keep] + candidates.frr[keep]
    vertices = hull_vertices(x, y)
    criterion = _criterion(error_weights(alpha), x[vertices], y[vertices])
    chosen = vertices[_least(criterion, total[vertices])]
    # Where x alone counts, equal x of a larger y may have the lower HTER.
    chosen = np.where(alpha == 1.0, _least(x[None, :], total), chosen)
    return candidates.thresholds(keep[chosen])


def least_weighted_errors(pair: Pair, weights: Sequence[Fraction]) -> Thresholds:
    """For each weight w the threshold of least w FAR + (1 - w) FRR, ties on counts."""
    if not decides_by_counts(pair):
        return _least_on_levels(pair, weights)
    candidates = candidates_of(pair)
    x, y = candidates.impostors_above, candidates.clients_below
    vertices = hull_vertices(x, y)
    far, frr = candidates.far[vertices], candidates.frr[vertices]
    criterion = _criterion(weights, far, frr)
    least = np.min(criterion, axis=1, keepdims=True)
    close = criterion <= least + _NEAR * least
    chosen = np.argmin(criterion, axis=1)
    t = candidates.thresholds(vertices)
    for k in np.flatnonzero(np.sum(close, axis=1) > 1).tolist():
        if not pair.whole:
            chosen[k] = operating_points.best(t, criterion[k], far + frr)
            continue
        near = np.flatnonzero(close[k])
        n, m = int(candidates.clients), int(candidates.impostors)
        errors = zip(x[vertices[near]].tolist(), y[vertices[near]].tolist(), strict=True)
        counts = [(int(accepted) * n, int(rejected) * m) for accepted, rejected in errors]
        keys = [(weights[k] * a + (1 - weights[k]) * r, a + r) for a, r in counts]
        chosen[k] = near[keys.index(min(keys))]
    return t[chosen]


def _criterion(weights: Sequence[Fraction], x: FloatArray, y: FloatArray) -> FloatArray:
    for_x, for_y = np.array([(float(w), float(1 - w)) for w in weights]).T
    return np.asarray(for_x[:, None] * x + for_y[:, None] * y)


def error_weights(alpha: FloatArray) -> list[Fraction]:
    """The decimals that were meant."""
    return [operating_points.exact_weight(a) for a in alpha.tolist()]


def hull_vertices(x: FloatArray, y: FloatArray) -> IntArray:
    """Indices of the vertices of the lower left hull of points with ascending y."""
    lowest = np.minimum.accumulate(x)
    order: IntArray = np.flatnonzero(np.concatenate([[True], x[1:] < lowest[:-1]]))
    # Of equal y the last one kept has the smallest x.
    order = order[np.append(y[order[1:]] > y[order[:-1]], True)]
    return np.asarray(order[sample_chain(y[order], -x[order])])


def _least(criterion: FloatArray, total: FloatArray) -> IntArray:
    """In each row least criterion, then least FAR + FRR, then lowest threshold (their order)."""
    totals = np.where(_tied(criterion), total, np.inf)
    return np.asarray(np.argmax(_tied(totals), axis=1), dtype=np.intp)


def _tied(values: FloatArray) -> BoolArray:
    least = np.min(values, axis=-1, keepdims=True)
    return np.asarray(values <= least + _CLOSE * np.abs(least))


# ------------------------------------------------------------------------- rate targets
def choose_nearest(
    pair: EmpiricalPair,
    alpha: FloatArray,
    rate: Callable[[Gaps], FloatArray],
) -> Thresholds:
    """For each alpha the threshold whose rate is nearest to it."""
    gaps = pair.gaps
    values = rate(gaps)
    order = np.argsort(values, kind="stable")  # nan last
    levels = values[order]
    levels = levels[: np.searchsorted(levels, np.inf)]
    above = np.searchsorted(levels, alpha)
    low = levels[np.maximum(above - 1, 0)]
    high = levels[np.minimum(above, levels.size - 1)]
    excess = np.abs(high - alpha) - np.abs(low - alpha)
    for k in np.flatnonzero((np.abs(excess) <= _NEAR) & (low < high)):
        exact = operating_points.exact_weight(float(alpha[k]))
        excess[k] = float(abs(_short(high[k]) - exact) - abs(_short(low[k]) - exact))
    same = _SAME_COUNTS if pair.whole else _SAME_WEIGHTS
    first = np.searchsorted(levels, np.where(excess < 0.0, high, low) - same, side="left")
    last = np.searchsorted(levels, np.where(excess > 0.0, low, high) + same, side="right")
    chosen = order[first]
    for k in np.flatnonzero(last - first > 1):
        index = np.sort(order[first[k] : last[k]])
        chosen[k] = index[np.argmax(_tied(gaps.far[index] + gaps.frr[index]))]
    return gaps.thresholds(chosen)


def _short(value: float) -> Fraction:
    """The ratio of counts behind a rate."""
    return Fraction(float(value)).limit_denominator(10**9)


#: A rate that is this near to its target, as a share of it, has met it.
_MET = 1e-12
#: A little above the rates that have lost digits.
_LEAST = 1e-299


# --------------------------------------------------------------- continuous distributions
def _least_on_levels(pair: Pair, weights: Sequence[Fraction]) -> Thresholds:
    """The least weighted errors among jumps and where the likelihood ratio balances the costs."""
    levels = [math.log(w) - math.log(1 - w) if 0 < w < 1 else None for w in weights]
    parts = [pair.candidates, *(
        pair.place(np.empty(0)) if level is None else pair.ratio_roots(level) for level in levels
    )]  # fmt: skip
    ends = np.cumsum([part.size for part in parts])
    t = Thresholds.concatenate(parts)
    far, frr = pair.far(t), pair.frr(t)
    always = np.arange(ends[0])
    chosen = []
    for k, w in enumerate(weights):
        own = np.concatenate([always, np.arange(ends[k], ends[k + 1])])
        criterion = float(w) * far[own] + float(1 - w) * frr[own]
        chosen.append(own[operating_points.best(t[own], criterion, far[own] + frr[own])])
    return t[np.array(chosen, dtype=np.intp)]


def best_precision_recall(pair: Pair, prior: float, alpha: float) -> Thresholds:
    """max alpha P + (1 - alpha) R: ends, jumps and all stationary points between them.

    Towards the upper end the value may rise to a limit that no threshold attains: the
    last place at which the rates are numbers still comes nearest.
    """

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


def _precision(pair: Pair, prior: float, t: Thresholds) -> FloatArray:
    """Precision from the logs of both tails; nan, as for 0/0, where both rates underflow."""
    values = _limit_of_precision(pair, prior, t)
    return np.where(pair.tpr(t) + pair.far(t) < operating_points.TINY, np.nan, values)


def _limit_of_precision(pair: Pair, prior: float, t: Thresholds) -> FloatArray:
    """Precision also where the rates underflow and only their quotient does not."""
    with np.errstate(invalid="ignore", under="ignore", over="ignore"):
        gain = pair.client._upper(t)[1] - pair.impostor._upper(t)[1]
        return np.asarray(prior / (prior + (1.0 - prior) * np.exp(-gain)))


def _roots(pair: Pair, function: Callable[[FloatArray], FloatArray]) -> FloatArray:
    result = []
    for mesh in _meshes(pair):
        finite = mesh[np.isfinite(function(mesh))]
        result.append(sign_changes(function, finite, "stationary point of a criterion"))
    return np.concatenate(result) if result else np.empty(0)


def _meshes(pair: Pair) -> list[FloatArray]:
    """The mesh in parts without a jump: an atom ends one and begins the next."""
    mesh = pair.mesh
    if mesh.size == 0:
        return []
    places = pair.coordinates(Thresholds.from_theta(np.unique(pair.atom_places)))
    places = places[(places > mesh[0]) & (places < mesh[-1])]
    parts = np.split(mesh, np.searchsorted(mesh, places))
    for k, place in enumerate(places):
        parts[k] = np.union1d(parts[k], np.nextafter(place, -np.inf))
        parts[k + 1] = np.union1d(parts[k + 1], place)
    return parts


# ----------------------------------------------------------------------- targets of one rate
def nearest_rate(pair: Pair, alpha: FloatArray, target: _Target) -> Thresholds:
    """argmin abs(rate - alpha) of a monotone rate: its inverse, or a jump."""
    law = getattr(pair, target.who)
    invert = law._upper_quantile if target.accepts else law._lower_quantile
    with np.errstate(divide="ignore"):
        t = Thresholds.concatenate([pair.candidates, invert(alpha, np.log(alpha))])
    always = np.arange(pair.candidates.size)
    own = [np.append(always, always.size + k) for k in range(alpha.size)]
    return _nearest(pair, alpha, getattr(pair, target.rate), t, own)


def _nearest(
    pair: Pair,
    alpha: FloatArray,
    rate: Callable[[Thresholds], FloatArray],
    t: Thresholds,
    own: list[IntArray] | None = None,
) -> Thresholds:
    """For each alpha the threshold among its own, or all, whose rate is nearest; ties by rule."""
    values, total = rate(t), pair.far(t) + pair.frr(t)
    every: IntArray = np.arange(t.size)
    chosen = []
    for a, index in zip(alpha.tolist(), own or [every] * alpha.size, strict=True):
        gap = np.abs(values[index] - a)
        # Met to rounding, of a small target too; 0 and 1 themselves may be limits.
        near = _MET * (min(a, 1.0 - a) or 1.0)
        gap = np.where(gap <= near, 0.0, gap)
        chosen.append(index[operating_points.best(t[index], gap, total[index])])
    return t[np.array(chosen, dtype=np.intp)]


# --------------------------------------------------------------------- targets of precision
def nearest_precision(pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
    """argmin abs(precision - alpha): where TPR / FAR is what is wanted, turns, and jumps."""
    turns, meshes = _precision_mesh(pair)
    always = _always(pair, turns, meshes)
    parts, owners = [always], [np.empty(0, dtype=np.intp)]
    if 0.0 < prior < 1.0:
        # A precision of 0 or 1 is a limit that no threshold attains: it is met to 1e-12.
        wanted = np.clip(alpha, 0.5 * _MET, 1.0 - 0.5 * _MET)
        levels = np.log(wanted) - np.log1p(-wanted) - math.log(prior / (1.0 - prior))
        for mesh in meshes:
            which, places = _levels(_log_gain(pair), mesh, levels)
            parts.append(pair.place(places))
            owners.append(which)
        which, t = _beside_a_flat_rate(pair, levels)
        parts.append(t)
        owners.append(which)
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    bounds = np.searchsorted(owner[order], np.arange(alpha.size + 1))
    first = np.arange(always.size)
    own = [np.concatenate([first, always.size + order[a:b]]) for a, b in itertools.pairwise(bounds)]
    t = Thresholds.concatenate(parts)
    return _nearest(pair, alpha, lambda t: _precision(pair, prior, t), t, own)


def precision_turns(pair: Pair, prior: float) -> FloatArray:
    """Precisions at the ends, at jumps and where precision turns, ascending."""
    values = _limit_of_precision(pair, prior, _always(pair, *_precision_mesh(pair)))
    return np.unique(values[~np.isnan(values)])


def _always(pair: Pair, turns: FloatArray, meshes: list[FloatArray]) -> Thresholds:
    """Places between whose neighbours precision is monotone."""
    places = [turns, *(end for mesh in meshes for end in (mesh[:1], mesh[-1:]))]
    return Thresholds.concatenate(
        [pair.candidates, pair.place(np.concatenate(places)), *_last_places(pair)]
    )


def _last_places(pair: Pair) -> list[Thresholds]:
    """Where each rate is the least that is a number still: a limit comes no nearer than there."""
    least = np.array([_LEAST])
    laws = (pair.client, pair.impostor)
    return [law._upper_quantile(least, np.log(least)) for law in laws if law.continuous is not None]


def _beside_a_flat_rate(pair: Pair, levels: FloatArray) -> tuple[IntArray, Thresholds]:
    """Where log TPR / FAR is a level while one of them stands still: number of the level, place.

    Between neighbouring joints a sample's rate, or that of a distribution whose support has
    ended, is constant, and a quantile of the other distribution meets the level. Along all these
    places FAR + FRR moves one way, so that only the first and the last can be chosen.
    """
    starts = Thresholds.concatenate([pair.accept_all, pair.joints[:-1]])
    ends = pair.just_below(pair.joints)
    tpr, far, tpr_end, far_end = pair.tpr(starts), pair.far(starts), pair.tpr(ends), pair.far(ends)
    of_client = (far == far_end) & (far > 0.0) & (tpr > tpr_end)
    of_impostor = (tpr == tpr_end) & (tpr > 0.0) & (far > far_end)
    k = np.flatnonzero(of_client | of_impostor)
    of_client = of_client[k]
    still, sign = np.where(of_client, far[k], tpr[k]), np.where(of_client, 1.0, -1.0)
    low, high = (np.where(of_client, c[k], i[k]) for c, i in ((tpr_end, far_end), (tpr, far)))
    which, rates, clients = [], [], []
    for number, level in enumerate(levels.tolist()):
        with np.errstate(over="ignore", under="ignore"):
            rate = still * np.exp(sign * level)
        met = np.flatnonzero((rate >= low) & (rate <= high))
        for at in met[[0, -1]] if met.size else ():
            which.append(number)
            rates.append(rate[at])
            clients.append(of_client[at])
    p = np.array(rates)
    if p.size == 0:
        return np.empty(0, dtype=np.intp), Thresholds.from_theta(p)
    with np.errstate(divide="ignore"):
        both = [law._upper_quantile(p, np.log(p)) for law in (pair.client, pair.impostor)]
    return np.array(which, dtype=np.intp), choose(np.array(clients), *both)


def _log_gain(pair: Pair) -> Callable[[FloatArray], FloatArray]:
    """log TPR / FAR in working coordinates: precision is a function of it alone."""

    def gain(u: FloatArray) -> FloatArray:
        t = pair.place(u)
        with np.errstate(invalid="ignore"):
            return np.asarray(pair.client._upper(t)[1] - pair.impostor._upper(t)[1])

    return gain


def _precision_mesh(pair: Pair) -> tuple[FloatArray, list[FloatArray]]:
    """Where precision turns, and meshes between whose neighbours it is monotone."""
    gain = _log_gain(pair)

    def turn(u: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            return np.asarray(pair.log_ratio(pair.place(u)) - gain(u))

    turns = _roots(pair, turn)
    meshes = []
    for part in _meshes(pair):
        mesh = np.union1d(part, turns[(turns > part[0]) & (turns < part[-1])])
        meshes.append(mesh[np.isfinite(gain(mesh))])
    return turns, meshes


def _levels(
    function: Callable[[FloatArray], FloatArray], mesh: FloatArray, levels: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Number of the level, and place, of all crossings between neighbours of a mesh."""
    if mesh.size == 0 or levels.size == 0:
        return np.empty(0, dtype=np.intp), np.empty(0)
    from scipy.optimize import elementwise

    values = function(mesh) - levels[:, None]
    exact, at = np.nonzero(values == 0.0)
    which, k = np.nonzero(np.sign(values[:, :-1]) * np.sign(values[:, 1:]) < 0.0)
    if which.size == 0:
        return exact, mesh[at]

    def excess(u: FloatArray, level: FloatArray) -> FloatArray:
        return np.asarray(function(u) - level)

    found = elementwise.find_root(
        excess, (mesh[k], mesh[k + 1]), args=(levels[which],), maxiter=200,
        tolerances={"xatol": 0.0, "xrtol": 1e-15, "fatol": 0.0, "frtol": 0.0},
    )  # fmt: skip
    lost = np.flatnonzero(~found.success)
    if lost.size:
        raise FitError(
            f"threshold of a precision: {lost.size} of {which.size} roots did not converge, first"
            f" near {float(found.x[lost[0]])!r}. This is a defect of betaroc: please report the two"
            " distributions."
        )
    return np.concatenate([exact, which]), np.concatenate([mesh[at], np.asarray(found.x)])


# ----------------------------------------------------------------------------- the table
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

    def axes(self, measure: str, terms: str | None = None) -> AlphaAxes:
        """What stands at the axes of a measure over alpha, in the words of a field or as slots."""
        axis, title = self.axis, measure_title(measure)
        if terms is not None:
            fill = Vocabulary(checks.terms_of(terms)).fill
            axis, title = fill(axis), fill(title)
            title = fill(short_name(measure)) if len(title) > _LONGEST else title
        return AlphaAxes(axis, title, self.is_target, is_rate(measure), self.single)

    def reach(self, pair: Pair, prior: float) -> tuple[float, float] | None:
        """The smallest and the largest rate that any threshold attains; None without target."""
        counted = decides_by_counts(pair) and not (pair.client.rejected or pair.impostor.rejected)
        if self.one_class and counted:
            return 0.0, 1.0
        levels = self.levels(pair, prior)
        return (float(levels[0]), float(levels[-1])) if levels.size else None


def _repeated(t: Thresholds, alpha: FloatArray) -> Thresholds:
    """One threshold for all alphas."""
    return Thresholds.concatenate([t] * alpha.size)


def _weighted_precision_recall(pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
    if decides_by_counts(pair):
        return choose_linear(pair, alpha, lambda tpr, far: (-precision_of(prior, tpr, far), -tpr))
    best = [best_precision_recall(pair, prior, a) for a in alpha.tolist()]
    return Thresholds.concatenate(best)


def _f_measure(pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
    if decides_by_counts(pair):

        def losses(tpr: FloatArray, far: FloatArray) -> tuple[FloatArray, FloatArray]:
            with np.errstate(divide="ignore", invalid="ignore"):
                return 1.0 / precision_of(prior, tpr, far), 1.0 / tpr

        return choose_linear(pair, alpha, losses)
    best = [operating_points.max_f(pair, a, prior) for a in alpha.tolist()]
    return Thresholds.concatenate(best)


# ----------------------------------------------------------------------- rate targets
class _Target(NamedTuple):
    """A rate that a threshold can be chosen for: of one class, or precision."""

    rate: str
    who: str = ""

    @property
    def accepts(self) -> bool:
        """Whether it is a share accepted."""
        return self.rate in ("far", "tpr")

    def of_gaps(self, at: Gaps, prior: float) -> FloatArray:
        """Its values at decisions that two samples allow."""
        return getattr(at, self.rate) if self.who else precision_of(prior, at.tpr, at.far)

    def choose(self, pair: Pair, prior: float, alpha: FloatArray) -> Thresholds:
        """The threshold whose rate is nearest to each alpha."""
        if decides_by_counts(pair):
            return choose_nearest(pair, alpha, lambda at: self.of_gaps(at, prior))
        if self.who:
            return nearest_rate(pair, alpha, self)
        return nearest_precision(pair, prior, alpha)

    def levels(self, pair: Pair, prior: float) -> FloatArray:
        """The rates that scores attain; of distributions those where the choice may jump."""
        if decides_by_counts(pair):
            values = self.of_gaps(pair.gaps, prior)
            return np.unique(values[~np.isnan(values)])
        if not self.who:
            return precision_turns(pair, prior)
        values = np.unique(getattr(pair, self.rate)(pair.candidates))  # on either side of an atom
        return np.unique(np.concatenate([values, 0.5 * (values[1:] + values[:-1])]))


_TARGETS = {
    "far": _Target("far", "impostor"), "frr": _Target("frr", "client"),
    "precision": _Target("precision"), "recall": _Target("tpr", "client"),
    "sensitivity": _Target("tpr", "client"), "specificity": _Target("tnr", "impostor"),
}  # fmt: skip


#: Every criterion by the name used everywhere.
CRITERIA: dict[str, Criterion] = {
    "weighted-error": Criterion(
        lambda pair, _, alpha: least_weighted_errors(pair, error_weights(alpha)),
        f"alpha: weight of {FAR} against {FRR}",
    ),
    **{
        name: Criterion(
            target.choose,
            f"expected {RATE_SLOT.get(name, name)}",
            levels=target.levels,
            one_class=bool(target.who),
        )
        for name, target in _TARGETS.items()
    },
    "weighted-precision-recall": Criterion(
        _weighted_precision_recall, "alpha: weight of precision against recall"
    ),
    "f-measure": Criterion(_f_measure, "alpha: weight of precision in F"),
    "eer": Criterion(
        lambda pair, _, alpha: _repeated(operating_points.equal_error(pair), alpha),
        TITLE_SLOT["eer"],
        single=True,
    ),
    "break-even": Criterion(
        lambda pair, prior, alpha: _repeated(operating_points.break_even(pair, prior), alpha),
        "break-even point",
        single=True,
    ),
}
