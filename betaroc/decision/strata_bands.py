"""Bands of curves over strata, from the ends of each stratum's rates and thresholds chosen again.

A bootstrap of the largest of several rates must not be used, nor one of a mean over strata of
which a heavy one shows no error: their ends are those of Clopper and Pearson, of a fit's rate as
of so many trials as its error is worth.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import refusal
from betaroc.decision.bands import BandOptions, shrunk, varying_dev
from betaroc.decision.curve import larger_is_better
from betaroc.decision.strata_draws import PerturbedStrata, scores_of_strata
from betaroc.fits.fit import StrataFits
from betaroc.inference import strata as strata_rates
from betaroc.inference.delta import covariance_roots, gaussian_reach
from betaroc.inference.drawn_scores import band_of_replicates
from betaroc.inference.interval import Band
from betaroc.inference.strata import StrataRates
from betaroc.model.measures import OperatingPoint

if TYPE_CHECKING:
    from betaroc.decision.epc import Epc

#: Rates at which a measure is looked at to see that it is worse with either, but for rounding.
_GRID, _ROUNDING = np.linspace(0.0, 1.0, 5), 1e-12
#: Least variance of a fitted rate, and the most trials that it is worth.
_LEAST, _MOST = 1e-300, 1e15


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


def _sides(e: Epc, o: BandOptions) -> list[StrataRates]:
    t, sides, fits = e.chosen, list[StrataRates](), e.test_fit
    if isinstance(fits, StrataFits):
        near = PerturbedStrata(fits, e.over, o.groups)
        for which, (who, (parts, given)) in enumerate(fits._sides(e.over).items()):
            changes, laws = near.changes(which, t), (getattr(part.model, who) for part in parts)
            share = np.array([law._side(t, lower=which == 0)[0] for law in laws])
            weights = np.full(len(share), 1.0 / len(share)) if given is None else given
            spread = share * (1.0 - share)
            size = np.clip(spread / np.maximum(np.sum(changes**2, axis=-1), _LEAST), 1.0, _MOST)
            joint = np.sum(np.tensordot(weights, changes, 1) ** 2, axis=-1)
            alone = weights**2 @ (spread / size)
            more = np.divide(joint, alone, out=np.ones(t.size), where=alone > 0.0)
            sides.append(StrataRates(share, size, weights, np.maximum(more, 1.0)))
        return sides
    test = scores_of_strata(e, "test")
    strata = strata_rates.classes_over(test.strata._asdict(), e.over)
    for who in CLASSES:
        pieces = [*strata_rates.pieces_of(test, who).values()] if who in strata else [test]
        sides.append(StrataRates.of(test, pieces, who, strata.get(who), t, o))
    return sides


def _fixed_ends(e: Epc, o: BandOptions) -> FloatArray:
    """Ends at dev's thresholds: those of both rates, their distances added as squares."""
    frr, far = _sides(e, o)
    sign = -1.0 if larger_is_better(e.measure) else 1.0
    rates = np.meshgrid(_GRID, _GRID, np.zeros(e.alpha.size), indexing="ij")
    grid = _at(e, *rates[:2])
    if any(np.any(sign * np.diff(grid, axis=axis) < -_ROUNDING) for axis in (0, 1)):
        rule, remedy = "be worse where FAR or FRR is larger, over strata", 'Take "hter" or "mcc".'
        raise refusal("measure", rule, repr(e.measure), remedy)
    if e.over == strata_rates.WORST:
        # At one alpha no correction for the number of strata is due at the far end, since
        # P(max U_k < max p_k) <= P(U_k* < p_k*); of all alphas the worst may be several.
        many, every, worst = len(frr.share) * len(far.share), 1, []
        if o.simultaneous:
            every = many * np.unique(np.concatenate([frr.share, far.share]), axis=1).shape[1]
        for tail, end in ((o.tail / every, sign), (o.tail / max(many, every), -sign)):
            pairs = product(frr.each(tail), far.each(tail))
            ends = [sign * _around(e, *pair)[int(end > 0.0)] for pair in pairs]
            worst.append(sign * np.max(ends, axis=0))
        return np.sort(worst, axis=0)
    tail = o.tail
    if o.simultaneous:
        from scipy.special import ndtr

        means, covariance = (frr.mean(tail), far.mean(tail)), np.zeros((e.alpha.size,) * 2)
        for side, moved, (_, low, high) in zip((frr, far), _moved(e, *means), means, strict=True):
            slope = np.ptp(moved, axis=0) / np.where(high > low, high - low, 1.0)
            covariance += np.outer(slope, slope) * side.covariance
        tail = float(ndtr(-gaussian_reach(covariance_roots(covariance).T, o)))
    return _around(e, frr.mean(tail), far.mean(tail))


def _moved(e: Epc, frr: FloatArray, far: FloatArray) -> FloatArray:
    """The measure where FRR, then where FAR, is at either of its ends; 0/0 is the range's end."""
    rates = [[(far[0], x) for x in frr[1:]], [(x, frr[0]) for x in far[1:]]]
    moved = np.array([[_at(e, *pair) for pair in pairs] for pairs in rates])
    worse = e._range[::-1] if larger_is_better(e.measure) else e._range
    return np.where(np.isnan(moved), np.array(worse)[:, None], moved)


def _around(e: Epc, frr: FloatArray, far: FloatArray) -> FloatArray:
    middle = _at(e, far[0], frr[0])
    apart = np.sort(_moved(e, frr, far) - middle, axis=1)
    low, high = np.hypot(*np.minimum(apart[:, 0], 0.0)), np.hypot(*np.maximum(apart[:, 1], 0.0))
    return np.asarray(np.clip([middle - low, middle + high], *e._range))


def _at(e: Epc, far: FloatArray, frr: FloatArray) -> FloatArray:
    with np.errstate(all="ignore"):
        return e._measured(OperatingPoint(far * np.nan, far, frr, float(e.test.prior)))
