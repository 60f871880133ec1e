"""Thresholds of two continuous distributions: stationary points, levels and jumps compared."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.errors import FitError
from betaroc.core.thresholds import Thresholds, choose
from betaroc.distributions.pairs import Pair, sign_changes
from betaroc.model import operating_points

#: A rate that is this near to its target, as a share of it, has met it.
_MET = 1e-12
#: A little above the rates that have lost digits.
_LEAST = 1e-299


# ------------------------------------------------------------------------- weighted error
def least_weighted_errors(pair: Pair, alpha: FloatArray) -> Thresholds:
    """For each alpha the global minimiser of alpha FAR + (1 - alpha) FRR: jumps and level sets."""
    weights = [operating_points.exact_weight(a) for a in alpha.tolist()]
    parts = [pair.candidates, *(_level_set(pair, w, 1 - w) for w in weights)]
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


def _level_set(pair: Pair, cost_far: Fraction, cost_frr: Fraction) -> Thresholds:
    """Where the likelihood ratio is what balances the costs; empty if one costs nothing."""
    if cost_far > 0 and cost_frr > 0:
        return pair.ratio_roots(math.log(cost_far) - math.log(cost_frr))
    return pair.place(np.empty(0))


# ---------------------------------------------------------------- weighted precision/recall
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
    found = []
    for mesh in _meshes(pair):
        finite = mesh[np.isfinite(function(mesh))]
        found.append(sign_changes(function, finite, "stationary point of a criterion"))
    return np.concatenate(found) if found else np.empty(0)


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
def nearest_rate(pair: Pair, alpha: FloatArray, name: str) -> Thresholds:
    """argmin abs(rate - alpha) of a monotone rate: its inverse, or a jump."""
    with np.errstate(divide="ignore"):
        log_alpha = np.log(alpha)
    invert, rate = _monotone(pair, name)
    t = Thresholds.concatenate([pair.candidates, invert(alpha, log_alpha)])
    always = np.arange(pair.candidates.size)
    own = [np.append(always, always.size + k) for k in range(alpha.size)]
    return _nearest(pair, alpha, rate, t, own)


def monotone_jumps(pair: Pair, name: str) -> FloatArray:
    """Rates where the threshold nearest to a target may jump: on either side of an atom."""
    values = np.unique(_monotone(pair, name)[1](pair.candidates))
    return np.unique(np.concatenate([values, 0.5 * (values[1:] + values[:-1])]))


def _monotone(
    pair: Pair, name: str
) -> tuple[Callable[[FloatArray, FloatArray], Thresholds], Callable[[Thresholds], FloatArray]]:
    """The inverse of a rate, and the rate."""
    return {
        "far": (pair.impostor._upper_quantile, pair.far),
        "frr": (pair.client._lower_quantile, pair.frr),
        "recall": (pair.client._upper_quantile, pair.tpr),
        "sensitivity": (pair.client._upper_quantile, pair.tpr),
        "specificity": (pair.impostor._lower_quantile, pair.tnr),
    }[name]


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
