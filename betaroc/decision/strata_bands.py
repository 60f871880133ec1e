"""Bands of curves over strata, from the exact ends of shares and thresholds chosen again.

A bootstrap of the largest of several rates must not be used, nor one of a mean over strata of
which a heavy one shows no error: their ends are those of Clopper and Pearson.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import refusal
from betaroc.decision.bands import BandOptions, shrunk, varying_dev
from betaroc.decision.strata_draws import scores_of_strata
from betaroc.inference.delta import covariance_roots, gaussian_reach
from betaroc.inference.drawn_scores import band_of_replicates
from betaroc.inference.interval import Band
from betaroc.inference.strata import WORST, classes_over, mean_share, pieces_of, shares_at
from betaroc.model.measures import OperatingPoint

if TYPE_CHECKING:
    from betaroc.decision.epc import Epc

#: Rates at which a measure is looked at to see that it is linear in both, and how nearly.
_CORNERS, _LINEAR = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.25, 0.5)), 1e-12


def band_over(e: Epc, o: BandOptions) -> Band:
    """The band of a curve over strata: its ends at fixed thresholds, and what dev's choice adds."""
    if o.method != "bootstrap":
        rule, remedy = "be left out over strata, whose band is made in one way", "Leave it out."
        raise refusal("method", rule, repr(o.method), remedy)
    (low, high), value = _fixed_ends(e, o), e.value
    dev = varying_dev(e, o) if o.resample == "both" else None
    undefined = np.zeros(value.size, dtype=np.int64)
    if dev is not None:

        def departures(rng: np.random.Generator, size: int) -> FloatArray:
            t = dev.draw(rng, size)
            rates = tuple(getattr(e.test._pair, rate)(t) for rate in ("far", "frr", "tpr", "tnr"))
            moved = e._at_rates(rates, np.full(size, e.test.prior))
            return shrunk(e, dev.shrink, moved, value) - value

        around, (bottom, top) = (-np.inf, np.inf), e._range
        drawn = o.replicated(departures, value.size)
        undefined = np.sum(np.isnan(drawn), axis=0)
        ends = band_of_replicates(
            drawn, np.zeros(value.size), o, around, simultaneous=o.simultaneous
        )
        low = np.maximum(value - np.hypot(value - low, np.minimum(ends[0], 0.0)), bottom)
        high = np.minimum(value + np.hypot(high - value, np.maximum(ends[1], 0.0)), top)
    return Band(
        e.alpha, value, low, high, o.level, o.simultaneous, o.resample,
        0 if dev is None else o.replicates, undefined,
        None if dev is None else dev.m, None, e.n_beyond,
    )  # fmt: skip


def _fixed_ends(e: Epc, o: BandOptions) -> tuple[FloatArray, FloatArray]:
    """Ends at dev's thresholds of V = constant + scale (w_far FAR + (1 - w_far) FRR)."""
    test = scores_of_strata(e, "test")
    constant, scale, of_far = _linear(e)
    strata, sides = classes_over(test.strata._asdict(), e.over), []
    for who, weight in zip(CLASSES, (1.0 - of_far, of_far), strict=True):
        pieces = [*pieces_of(test, who).values()] if who in strata else [test]
        weights = np.ones(1) if strata.get(who) is None else strata[who]
        sides.append((*shares_at(pieces, who, e.chosen, o), weight, weights))
    ends = (_worst_ends if e.over == WORST else _mean_ends)(sides, o)
    low, high = (constant + scale * end for end in ends)
    return np.minimum(low, high), np.maximum(low, high)


def _mean_ends(sides: Any, o: BandOptions) -> tuple[FloatArray, FloatArray]:
    """Of the mean over strata, both classes taken together as the shares that it is made of."""
    parts = [(share, size, of_class * own[:, None]) for share, size, of_class, own in sides]
    share, size, weight = (np.concatenate(part) for part in zip(*parts, strict=True))
    tail = o.tail
    if o.simultaneous:
        from scipy.special import ndtr

        near = (share * size + 0.5) / (size + 1.0)
        scaled, k = weight / np.sqrt(size), share.shape[1]
        covariance = np.zeros((k, k))
        for p, w in zip(near, scaled, strict=True):
            covariance += np.outer(w, w) * (np.minimum.outer(p, p) - np.outer(p, p))
        tail = float(ndtr(-gaussian_reach(covariance_roots(covariance).T, o)))
    low, high = mean_share(share, size, weight, tail)[1:]
    return low, high


def _worst_ends(sides: Any, o: BandOptions) -> tuple[FloatArray, FloatArray]:
    """The upper end is the largest of the strata's own, the lower one Bonferroni's."""
    # At one alpha no correction for the number of strata is due above, since
    # P(max U_k < max p_k) <= P(U_k* < p_k*); of all alphas the worst may be several.
    (frr, n, w, _), (far, m, v, _) = sides
    many, every = frr.shape[0] * far.shape[0], 1
    if o.simultaneous:
        every = many * np.unique(np.concatenate([frr, far]), axis=1).shape[1]
    low, high = np.full((2, frr.shape[1]), -np.inf)
    for k, j in product(range(frr.shape[0]), range(far.shape[0])):
        parts = np.array([frr[k], far[j]]), np.array([n[k], m[j]]), np.array([w, v])
        low = np.maximum(low, mean_share(*parts, o.tail / max(many, every))[1])
        high = np.maximum(high, mean_share(*parts, o.tail / every)[2])
    return low, high


def _linear(e: Epc) -> tuple[FloatArray, FloatArray, FloatArray]:
    """What a measure is at both rates 0, its scale, and the weight of FAR at each alpha."""
    k = e.alpha.size

    def at(far: float, frr: float) -> FloatArray:
        rates = np.full(k, far), np.full(k, frr)
        return e._measured(OperatingPoint(np.full(k, np.nan), *rates, float(e.test.prior)))

    with np.errstate(all="ignore"):
        constant, first, second, between = (at(*corner) for corner in _CORNERS)
    a, b = first - constant, second - constant
    straight = np.abs(constant + 0.25 * a + 0.5 * b - between) <= _LINEAR * (1.0 + np.abs(between))
    if not np.all(straight & (a * b >= 0.0) & (a + b != 0.0)):
        rule = "be a weighted sum of FAR and FRR to have a band over strata"
        raise refusal("measure", rule, repr(e.measure), 'Take "hter", "far" or "weighted-error".')
    return constant, a + b, a / (a + b)
