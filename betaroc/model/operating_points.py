"""Globally optimal thresholds of a pair of distributions.

Ties go to the smallest HTER, then to the lowest threshold.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np

from betaroc.core.arrays import BoolArray, FloatArray
from betaroc.core.errors import InputError
from betaroc.core.thresholds import Thresholds, choose
from betaroc.core.vocabulary import worded
from betaroc.distributions.pairs import Pair
from betaroc.model.measures import precision_of

#: Values of a criterion that agree to this are tied.
_TIE = 1e-12
_LIMIT_DENOMINATOR = 10**9
#: Rates below this have lost digits.
TINY = 1e-300


@lru_cache(maxsize=4096)
def exact_weight(value: float) -> Fraction:
    """The short decimal that was meant by a double."""
    exact = Fraction(value)
    short = exact.limit_denominator(_LIMIT_DENOMINATOR)
    # So near 0 or 1 that nine digits are not what was meant: the digits as printed are.
    lost = abs(short - exact) > _TIE * min(exact, 1 - exact)
    return Fraction(repr(float(value))) if lost and 0 < exact < 1 else short


def best(t: Thresholds, criterion: FloatArray, total: FloatArray) -> int:
    """Index of the smallest criterion under the tie rule; nan is left out."""
    near = np.nonzero(near_least(criterion))[0]
    near = near[near_least(total[near])]
    return int(near[t[near].order()[0]])


def near_least(values: FloatArray) -> BoolArray:
    """Which values of a row are its least, but for rounding."""
    least = np.nanmin(values, axis=-1, keepdims=True)
    return np.asarray(values <= least + _TIE * np.abs(least))


# --------------------------------------------------------------------- balanced errors
def nearest_balance(
    pair: Pair, gap: Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
) -> Thresholds:
    """The candidate with the smallest abs(gap)."""
    tpr, far, frr = pair.candidate_rates
    size, t = np.abs(gap(tpr, far, frr)), pair.candidates
    return t[best(t, np.where(size <= _TIE, 0.0, size), far + frr)]


def equal_error(pair: Pair) -> Thresholds:
    """Where FAR equals FRR, or is nearest to it."""
    root = pair.balanced
    return nearest_balance(pair, lambda _, far, frr: far - frr) if root is None else root


def break_even(pair: Pair, prior: float) -> Thresholds:
    """Where precision equals recall, or is nearest to it."""
    root = pair.balance_root(1.0 - prior, prior) if 0.0 < prior < 1.0 else None
    if root is not None:
        return root

    def gap(tpr: FloatArray, far: FloatArray, _: FloatArray) -> FloatArray:
        value = precision_of(prior, tpr, far) - tpr
        # Precision and recall are both 0 wherever no client is accepted: no balance.
        return np.where(tpr > 0.0, value, np.nan)

    return nearest_balance(pair, gap)


# --------------------------------------------------------------------------- targets
def at_far(pair: Pair, x: FloatArray) -> Thresholds:
    """The lowest threshold with FAR <= x."""
    known = np.where(np.isnan(x), 1.0, x)
    if pair.discrete:
        t = pair.candidates
        # FAR falls along the candidates; the first that is low enough.
        index = np.searchsorted(-pair.far(t), -known, side="left")
        return _unless_nan(t[np.minimum(index, t.size - 1)], x)
    with np.errstate(divide="ignore"):
        t = pair.impostor._upper_quantile(known, np.log(known))
    everyone = known >= 1.0
    return _unless_nan(choose(everyone, pair.accept_all, t) if everyone.any() else t, x)


def at_frr(pair: Pair, x: FloatArray) -> Thresholds:
    """The highest threshold with FRR <= x."""
    check_unreachable(pair, x)
    known = np.where(np.isnan(x), 1.0, x)
    if pair.discrete:
        t = pair.candidates
        return _unless_nan(t[np.searchsorted(pair.frr(t), known, side="right") - 1], x)
    with np.errstate(divide="ignore"):
        t = pair.client._lower_quantile(known, np.log(known))
    places = pair.client.atoms.places
    if pair.client.continuous is None:
        reach = pair.frr(Thresholds.from_theta(places))
        nxt = np.minimum(np.searchsorted(reach, known, side="right"), places.size - 1)
        t = pair.just_below(Thresholds.from_theta(places[nxt]))
    elif places.size:
        on_jump = (pair.client.atoms.masses_at(t) > 0.0) & (pair.frr(t) > known)
        t = choose(on_jump, pair.just_below(t), t)
    return _unless_nan(choose(known >= 1.0, pair.reject_all, t), x)


def check_unreachable(pair: Pair, x: FloatArray) -> None:
    """Refuse an FRR below the share of clients without a score."""
    least = float(pair.frr(Thresholds.from_theta(-np.inf)))
    below = np.flatnonzero(x < least)
    if below.size:
        raise InputError.about("frr")(
            f"frr must be at least {least:.6g}, the share of the clients without a score, whom no"
            f" threshold accepts; got {float(np.ravel(x)[below[0]])!r}. Ask for a larger rate, or"
            + worded(" leave these trials out (`missing='drop'`).")
        )


def _unless_nan(t: Thresholds, x: FloatArray) -> Thresholds:
    unknown = np.isnan(x)
    return choose(unknown, Thresholds.from_theta(np.nan), t) if unknown.any() else t


def at_tpr(pair: Pair, target: float) -> Thresholds:
    """The threshold of the nearest recall."""
    if pair.client.continuous is None:
        t = pair.candidates
        size = np.abs(pair.tpr(t) - target)
        size = np.where(size <= _TIE, 0.0, size)
        called = pair.tpr(t) + pair.far(t) > 0.0
        return t[best(t, np.where(called, size, np.nan), pair.far(t) + pair.frr(t))]
    p = np.array([target])
    with np.errstate(divide="ignore"):
        upper = pair.client._upper_quantile(p, np.log(p))
    t = Thresholds.concatenate([upper, pair.just_below_any(upper)])
    return t[int(np.argmin(np.abs(pair.tpr(t) - target)))]


# ------------------------------------------------------------------------- F measure
def max_f(pair: Pair, weight: float, prior: float) -> Thresholds:
    """The global maximiser of the F measure."""
    # Dinkelbach: with F the value reached, the maximiser of the numerator minus F
    # times the denominator is a weighted-error minimiser; F rises to its maximum.

    def value(t: Thresholds) -> FloatArray:
        true = prior * pair.tpr(t)
        with np.errstate(invalid="ignore", divide="ignore"):
            return true / (weight * (true + (1.0 - prior) * pair.far(t)) + (1.0 - weight) * prior)

    # Where F rises to a limit at an end only the mesh comes near it; rates that underflow are none.
    more = [] if pair.discrete else [pair.place(pair.mesh)]
    t = Thresholds.concatenate([pair.candidates, *more])
    f = value(t)
    f = np.where(np.isnan(f) | (pair.tpr(t) < TINY), 0.0, f)
    chosen = t[best(t, -f, pair.far(t) + pair.frr(t))]
    if pair.discrete:
        return chosen
    reached = float(np.max(f))
    for _ in range(100):
        level = weight * reached
        cost_far, cost_frr = level * (1.0 - prior), prior * (1.0 - level)
        if cost_far <= 0.0 or cost_frr <= 0.0:
            break
        roots = pair.ratio_roots(math.log(cost_far) - math.log(cost_frr))
        values = np.nan_to_num(value(roots))
        if roots.size == 0 or not np.max(values) >= reached * (1.0 - 1e-12):
            break
        previous, chosen = chosen, roots[int(np.argmax(values))]
        reached = max(reached, float(np.max(values)))
        # F itself is flat at its maximum: the threshold is what must stand still.
        if chosen.theta == previous.theta and chosen.logit == previous.logit:
            break
    return chosen
