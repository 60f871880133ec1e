"""The ROC of any pair as functions of its axes: exact in both tails, straight where it jumps.

``upward`` tells the axes: x = FAR and y = TPR, where thresholds fall as x grows, or else
x = F_c and y = F_i, where they rise.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.checks import count
from betaroc.core.thresholds import Thresholds, choose
from betaroc.distributions.base import Distribution
from betaroc.distributions.pairs import Pair
from betaroc.model.ends import ends

#: Points of a smooth curve when nobody says how many.
_POINTS = 800
#: A rate computed back from its own quantile agrees to this.
_EDGE = 8.0 * float(np.finfo(np.float64).eps)


def curve_thresholds(pair: Pair, n: int | None = None) -> Thresholds:
    """`n` thresholds along a pair's curves, ascending: all jumps, and quantiles of both.

    Half of the quantiles lie in the tails, down to rates of 1e-12. Samples have
    their own thresholds, and jumps are kept even where they are more than `n`.
    """
    wanted = count(_POINTS if n is None else n, "n", 2)
    if pair.discrete:
        return pair.candidates
    number = max(8, wanted)
    p = np.concatenate([np.linspace(0.0, 0.5, number)[1:], np.geomspace(1e-12, 0.01, number)])
    t = pair.along(np.unique(p))
    distinct = np.ones(t.size, dtype=bool)
    distinct[1:] = (t.theta[1:] > t.theta[:-1]) | (t.logit[1:] != t.logit[:-1])
    t = t[distinct & ~np.isnan(t.theta)]
    jumps = np.isin(t.theta, pair.candidates.theta) & np.isin(t.logit, pair.candidates.logit)
    others = np.nonzero(~jumps)[0]
    room = min(others.size, max(0, wanted - int(np.sum(jumps))))
    evenly = others[np.linspace(0, others.size - 1, room).round().astype(int)]
    return t[np.sort(np.concatenate([np.nonzero(jumps)[0], evenly]))]


# ------------------------------------------------------------------------------ heights
def height(pair: Pair, x: FloatArray, *, upward: bool) -> FloatArray:
    """y at x, the top where the curve is vertical, along the segment where x falls on a jump."""
    t = _places(pair, x, upward=upward)
    client, impostor = pair.client.atoms.masses_at(t), pair.impostor.atoms.masses_at(t)
    if upward:
        at_x, at_y, run, rise = pair.far(t), pair.tpr(t), impostor, client
    else:
        # The segment starts just below the atom and ends at it.
        below = pair.just_below_any(t)
        at_x, at_y, run, rise = pair.frr(below), pair.tnr(below), client, impostor
        absent = t.theta == -np.inf  # below trials without a score is nobody
        at_x, at_y = np.where(absent, 0.0, at_x), np.where(absent, 0.0, at_y)
        t_top = _top(pair, x, t)
        at_y = np.where(run > 0.0, at_y, pair.tnr(t_top))
        full = (run > 0.0) & (pair.frr(t) <= x)
        at_y = np.where(full, pair.tnr(t_top), at_y)
        run = np.where(full, 0.0, run)
    with np.errstate(invalid="ignore", divide="ignore"):
        # A vertical segment counts by its top; downwards `at_y` stands there already.
        share = np.where(run > 0.0, np.clip((x - at_x) / run, 0.0, 1.0), float(upward))
    y = np.minimum(at_y + share * rise, 1.0)
    return np.where(x >= 1.0, 1.0, np.where(np.isnan(x), np.nan, y))


def _places(pair: Pair, x: FloatArray, *, upward: bool) -> Thresholds:
    """Where the curve passes x: the lowest threshold with P(I > .) <= x, or its mirror."""
    with np.errstate(divide="ignore"):
        log_x = np.log(x)
    if upward:
        t = pair.impostor._upper_quantile(x, log_x)
        return _snapped(pair.impostor, pair.client, t, pair.far, x)
    t = pair.client._lower_quantile(x, log_x)
    return _snapped(pair.client, pair.impostor, t, pair.frr, x)


def _snapped(
    inverted: Distribution,
    other: Distribution,
    t: Thresholds,
    rate: Callable[[Thresholds], FloatArray],
    x: FloatArray,
) -> Thresholds:
    """The other law's atom where it has the wanted rate to rounding: an edge must be hit."""
    places = other.atoms.places
    if places.size == 0 or inverted.continuous is None:
        return t
    smooth = inverted.atoms.masses_at(t) == 0.0
    after = np.minimum(np.searchsorted(places, t.theta), places.size - 1)
    for index in (np.maximum(after - 1, 0), after):
        here = Thresholds.from_theta(places[index])
        t = choose(smooth & (np.abs(rate(here) - x) <= _EDGE * x), here, t)
    return t


def _top(pair: Pair, x: FloatArray, t: Thresholds) -> Thresholds:
    """The highest threshold with P(C < .) <= x."""
    if pair.client.continuous is not None:
        return t
    places = pair.client.atoms.places
    reach = pair.frr(Thresholds.from_theta(places))
    padded = np.append(places, np.inf)
    after = padded[np.searchsorted(reach, x, side="right")]
    return pair.just_below_any(Thresholds.from_theta(after))


def _next_above(law: Distribution, t: Thresholds) -> Thresholds:
    """The next atom above t, inf where there is none."""
    places = np.append(law.atoms.places, np.inf)
    after = np.searchsorted(places, t.theta, side="right")
    return Thresholds.from_theta(places[np.minimum(after, places.size - 1)])


def leftmost(pair: Pair, y: FloatArray, *, upward: bool) -> FloatArray:
    """Smallest x at height y, along the straight segment where y falls on a jump."""
    with np.errstate(divide="ignore"):
        log_y = np.log(y)
    if upward:
        t = pair.client._upper_quantile(y, log_y)
        t = _snapped(pair.client, pair.impostor, t, pair.tpr, y)
        at_y, at_x = pair.tpr(t), pair.far(t)
        tall, wide = pair.client, pair.impostor
        if tall.continuous is None:
            # A flat stretch: the leftmost point lies just below the next client score.
            before = pair.just_below_any(_next_above(tall, t))
            at_x = np.where(at_y == y, pair.far(before), at_x)
    else:
        t = pair.impostor._lower_quantile(y, log_y)
        t = _snapped(pair.impostor, pair.client, t, pair.tnr, y)
        tall, wide = pair.impostor, pair.client
        start = choose(tall.atoms.masses_at(t) > 0.0, pair.just_below_any(t), t)
        absent = t.theta == -np.inf  # below trials without a score is nobody
        at_y, at_x = np.where(absent, 0.0, pair.tnr(start)), np.where(absent, 0.0, pair.frr(start))
    run, rise = wide.atoms.masses_at(t), tall.atoms.masses_at(t)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(rise > 0.0, np.clip((y - at_y) / rise, 0.0, 1.0), 0.0)
    x = np.minimum(at_x + share * run, 1.0)
    return np.where(y <= 0.0, 0.0, np.where(np.isnan(y), np.nan, x))


# ------------------------------------------------------------------- the likelihood ratio
def slope(pair: Pair, x: FloatArray, *, upward: bool) -> FloatArray:
    """dy / dx at x, of the segment to the right at a corner, limits at 0 and 1."""
    limits = ends(pair)
    t = _rightward(pair, x, _places(pair, x, upward=upward), upward=upward)
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        log_ratio = pair.log_ratio(t)
        # Beyond [0, 1] the logit says nothing: one of the two densities is 0 there.
        in_score = pair.client._log_pdf(t) - pair.impostor._log_pdf(t)
        ratio = np.exp(np.where(np.isnan(log_ratio), in_score, log_ratio))
        client, impostor = pair.client.atoms.masses_at(t), pair.impostor.atoms.masses_at(t)
        jumps = (impostor if upward else client) > 0.0
        ratio = np.where(jumps, client / impostor, ratio)
        value = ratio if upward else 1.0 / ratio
    if upward:
        first, last = limits.at_one.roc_slope, limits.at_zero.roc_slope
    else:
        first, last = limits.at_zero.semi_derivative, limits.at_one.semi_derivative
    value = np.where(x == 0.0, first, np.where(x == 1.0, last, value))
    return np.where(np.isnan(x), np.nan, value)


def _rightward(pair: Pair, x: FloatArray, t: Thresholds, *, upward: bool) -> Thresholds:
    """On the impostor's axes a jump ends at its own place: at its end go on to what follows."""
    ended = (pair.client.atoms.masses_at(t) > 0.0) & (pair.frr(t) <= x)
    if upward or not np.any(ended):
        return t
    if pair.client.continuous is not None:
        return choose(ended, Thresholds.from_theta(np.nextafter(t.theta, np.inf)), t)
    return choose(ended, _next_above(pair.client, t), t)


def posterior(pair: Pair, prior: float, t: Thresholds) -> FloatArray:
    """P(client | score): of the densities, or of the masses where a distribution has an atom."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        odds = np.log(prior) - np.log1p(-prior)
        smooth = 1.0 / (1.0 + np.exp(-(odds + pair.log_ratio(t))))
        client, impostor = (law.atoms.masses_at(t) for law in (pair.client, pair.impostor))
        own = prior * client
        masses = own / (own + (1.0 - prior) * impostor)
        logs = [law._log_pdf(t) for law in (pair.client, pair.impostor)]
    none = [np.isneginf(log) for log in logs]
    # Outside one law's support the other decides.
    smooth = np.where(none[0] & np.isfinite(logs[1]), 0.0, smooth)
    smooth = np.where(none[1] & np.isfinite(logs[0]), 1.0, smooth)
    return np.where(client + impostor > 0.0, masses, smooth)
