"""Measures of a whole curve: areas, the KS distance, average precision, the H-measure."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from betaroc.core.arrays import CLASSES, BoolArray, FloatArray
from betaroc.core.quadrature import integrate_panels
from betaroc.core.thresholds import Thresholds, softplus
from betaroc.distributions.base import Distribution
from betaroc.distributions.empirical import decides_by_counts, mean_of
from betaroc.distributions.pairs import Pair
from betaroc.model import operating_points
from betaroc.model.calibration import pav
from betaroc.model.ends import ends
from betaroc.model.measures import precision_of
from betaroc.model.roc_functions import chords_of, departure_of

#: Below this a difference of two rates is integrated instead of subtracted.
_CANCELS = 1e-2
#: Of probabilities whose logarithm is taken.
_LEAST = 1e-300


def gaps(pair: Pair) -> tuple[Thresholds, FloatArray]:
    """The extremes of FAR - TPR, and where they lie."""
    # From the smaller tails: it may be far less than the spacing of doubles near 1.
    t = Thresholds.concatenate([pair.candidates, pair.ratio_roots(0.0)])
    tpr, far = pair.candidate_rates[:2] if pair.discrete else (pair.tpr(t), pair.far(t))
    gap, lower = far - tpr, tpr + far > 1.0
    if lower.any():
        gap[lower] = pair.frr(t[lower]) - pair.tnr(t[lower])
    return t, gap


def ks(pair: Pair) -> float:
    """sup abs(F_i - F_c)."""
    t, gap = gaps(pair)
    k = int(np.argmax(np.abs(gap)))
    size = abs(float(gap[k]))
    smooth = not pair.atom_places.size and pair.client.on_unit == pair.impostor.on_unit
    if smooth and 0.0 < size < _CANCELS and pair.overlap is not None:
        u = t.logit[k] if pair.unit else t.theta[k]
        return abs(pair.excess_by_ratio(float(u)))
    return size


def partial_auc(pair: Pair, low: float, high: float) -> float:
    """Area under TPR(FAR) for FAR in [low, high]."""
    if low == 0.0 and high == 1.0:
        return pair.auc()
    terms = []
    atoms = pair.impostor.atoms
    if atoms.places.size:  # trapezoids, cut to the range
        t = Thresholds.from_theta(atoms.places)
        start, height = pair.far(t), pair.tpr(t)
        slope = pair.client.atoms.masses_at(t) / atoms.masses
        a, b = (np.clip(end - start, 0.0, atoms.masses) for end in (low, high))
        terms.append(math.fsum((b - a) * (height + 0.5 * slope * (a + b))))
    if pair.impostor.continuous is not None:
        ends_t = operating_points.at_far(pair, np.array([high, low]))
        terms.append(_integral(pair, "impostor", pair.tpr, ends_t))
    return min(high - low, math.fsum(terms))


def _integral(
    pair: Pair, who: str, function: Callable[[Thresholds], FloatArray], ends: Thresholds
) -> float:
    """Integral over the continuous scores of a class."""
    share, base = getattr(pair, who).continuous
    unit, joints = base.on_unit, Thresholds.from_theta(pair.joints.theta)
    place = Thresholds.from_logit if unit else Thresholds.from_theta
    (low, high), places = (t.logit if unit else t.theta for t in (ends, joints))
    if not low < high:
        return 0.0

    def integrand(u: FloatArray) -> FloatArray:
        t = place(u)
        with np.errstate(under="ignore"):
            return np.asarray(np.exp(base._log_density(t)) * function(t))

    grid = pair.grid(float(low), float(high), unit=unit, area=True)
    breaks = np.unique(np.concatenate([grid, places, [low, high]]))
    breaks = breaks[(breaks >= low) & (breaks <= high)]
    return float(share) * integrate_panels(integrand, breaks)


def precision_at(pair: Pair, prior: float, recall: float) -> float:
    """Precision at the nearest recall, a limit at 0."""
    t = operating_points.at_tpr(pair, recall)
    value = float(precision_of(prior, pair.tpr(t), pair.far(t)))
    if not math.isnan(value):
        return value
    slope = ends(pair).at_one.roc_slope
    if prior == 0.0:
        return 0.0
    if math.isinf(slope):
        return 1.0
    return prior * slope / (prior * slope + 1.0 - prior)


def average_precision(pair: Pair, prior: float, points: int | None) -> float:
    """Precision averaged over recall."""
    if points is not None:
        levels = np.linspace(0.0, 1.0, points)
        return math.fsum(precision_at(pair, prior, float(r)) for r in levels) / points

    def precision(t: Thresholds) -> FloatArray:
        return np.nan_to_num(precision_of(prior, pair.tpr(t), pair.far(t)))

    terms = []
    atoms = pair.client.atoms
    if atoms.places.size:
        below = pair.just_below_any(Thresholds.from_theta(atoms.places))
        # Trials without a score are as good as chosen at random.
        values = np.where(atoms.places == -np.inf, prior, precision(below))
        terms.append(math.fsum(atoms.masses * values))
    if pair.client.continuous is not None:
        everywhere = Thresholds.from_theta(np.array([-np.inf, np.inf]))
        terms.append(_integral(pair, "client", precision, everywhere))
    return min(1.0, math.fsum(terms))


# --------------------------------------------------------------------- the H-measure
#: U and V of a posterior and of its complement.
Losses = Callable[[Any, Any], tuple[FloatArray, FloatArray]]


def h_measure(pair: Pair, prior: float, weights: tuple[float, float]) -> float:
    """1 - L / L_max of costs that are Beta(a, b) distributed."""
    # With U(c) = int_0^c t u(t) dt, V(c) = int_c^1 (1 - t) u(t) dt integration by parts gives the
    # losses of a posterior.
    losses = cost_losses(*weights)
    total = _weighed(prior, losses, np.ones(1), np.ones(1))
    return max(0.0, 1.0 - least_loss(pair, prior, losses) / total)


def least_loss(pair: Pair, prior: float, losses: Losses) -> float:
    """(1 - prior) E_I U(c(s)) + prior E_C V(c(s)), c the posterior on the hull."""
    if decides_by_counts(pair):
        terms = [_weighed(prior, losses, *pav(pair.client, pair.impostor).shares)]
    else:
        chords, last = chords_of(pair), departure_of(pair)
        terms = [_weighed(prior, losses, *masses) for masses in _segments(pair, *chords, last)]
        if last is not None:  # no arc is left where trials without a score are
            below = Thresholds.from_theta(np.array([-np.inf]))
            chords = (Thresholds.concatenate([chords[0], last]),
                      Thresholds.concatenate([chords[1], below]))  # fmt: skip
        terms.append(_arcs(pair, prior, losses, *chords))
    return math.fsum(terms)


def cost_losses(a: float, b: float) -> Losses:
    """Of costs that are Beta(a, b) distributed."""
    from scipy.special import betainc

    def at(c: Any, rest: Any) -> tuple[FloatArray, FloatArray]:
        up = a / (a + b) * betainc(a + 1.0, b, c)
        down = b / (a + b) * betainc(b + 1.0, a, rest)
        return np.asarray(up), np.asarray(down)

    return at


def log_losses(c: Any, rest: Any) -> tuple[FloatArray, FloatArray]:
    """The logarithmic score in bits, of probabilities of at least `_LEAST`."""
    up, down = (-np.log2(np.maximum(share, _LEAST)) for share in (rest, c))
    return up, down


def bits(scores: FloatArray, sign: float) -> FloatArray:
    """log2(1 + exp(sign s)): sign -1 of clients, 1 of impostors."""
    return np.asarray(softplus(sign * scores) / math.log(2.0))


def cllr(pair: Pair) -> float:
    """Mean over both classes of the bits that scores lack as log likelihood ratios."""
    everywhere, terms = Thresholds.from_theta(np.array([-np.inf, np.inf])), []
    for who, sign in zip(CLASSES, (-1.0, 1.0), strict=True):
        law: Distribution = getattr(pair, who)
        terms.append(mean_of(bits(law.atoms.places, sign), law.atoms.masses, 1.0))
        if law.continuous is not None:
            loss = partial(_bits_at, sign=sign)
            terms.append(_integral(pair, who, loss, everywhere))
    return 0.5 * math.fsum(terms)


def _bits_at(t: Thresholds, sign: float) -> FloatArray:
    return bits(t.theta, sign)


def _weighed(prior: float, losses: Losses, client: FloatArray, impostor: FloatArray) -> float:
    own, other = prior * client, (1.0 - prior) * impostor
    some = own + other > 0.0
    own, other = own[some], other[some]
    up, down = losses(own / (own + other), other / (own + other))
    return math.fsum(other * up + own * down)


def _segments(
    pair: Pair, starts: Thresholds, ends: Thresholds, last: Thresholds | None
) -> list[tuple[FloatArray, FloatArray]]:
    # From `last` on all lies on one, with the trials that have no score.
    joints, rest = pair.joints, []
    if last is not None:
        keep = np.flatnonzero(ends.theta >= last.theta)
        starts, ends = starts[keep], ends[keep]
        joints = joints[joints.theta > last.theta]
        rest = [(pair.frr(last), pair.tnr(last))]
    chords = pair.tpr(ends) - pair.tpr(starts), pair.far(ends) - pair.far(starts)
    free = _outside(starts, ends, joints)
    client, impostor = (law.atoms.masses_at(joints)[free] for law in (pair.client, pair.impostor))
    return [chords, (client, impostor), *rest]


def _outside(starts: Thresholds, ends: Thresholds, t: Thresholds) -> BoolArray:
    out = np.ones(t.shape, dtype=np.bool_)
    for k in range(starts.size):
        out &= (t.theta > starts.theta[k]) | (t.theta <= ends.theta[k])
    return out


def _arcs(pair: Pair, prior: float, losses: Losses, starts: Thresholds, ends: Thresholds) -> float:
    if prior in (0.0, 1.0):
        return 0.0
    places = [pair.coordinates(t) for t in (pair.joints, starts, ends)]
    grid = pair.grid(-math.inf, math.inf, unit=pair.unit, area=True)
    breaks = np.unique(np.concatenate([grid, *places]))
    breaks = breaks[np.isfinite(breaks)]
    odds = math.log(prior) - math.log1p(-prior)

    def integrand(u: FloatArray) -> FloatArray:
        t = pair.place(u)
        with np.errstate(under="ignore", over="ignore", invalid="ignore"):
            logs = [law._log_density_in(t, unit=pair.unit) for law in (pair.client, pair.impostor)]
            client, impostor = (np.nan_to_num(np.exp(log), nan=0.0) for log in logs)
            log_odds = odds + np.nan_to_num(pair.log_ratio(t), nan=-np.inf)
            c, rest = (1.0 / (1.0 + np.exp(sign * log_odds)) for sign in (-1.0, 1.0))
        up, down = losses(c, rest)
        return np.asarray((1.0 - prior) * impostor * up + prior * client * down)

    free = _outside(starts, ends, pair.place(0.5 * (breaks[1:] + breaks[:-1])))
    borders = np.flatnonzero(np.diff(np.concatenate([[False], free, [False]])))
    arcs = [breaks[low : high + 1] for low, high in borders.reshape(-1, 2).tolist()]
    return math.fsum(integrate_panels(integrand, arc) for arc in arcs)
