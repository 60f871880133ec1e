"""Measures of a whole curve: areas, the KS distance, average precision."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.quadrature import integrate_panels
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.pairs import Pair
from betaroc.model import operating_points
from betaroc.model.ends import ends
from betaroc.model.measures import precision_of

__all__ = ["average_precision", "ks", "partial_auc", "precision_at"]


#: Below this a difference of two rates is integrated instead of subtracted.
_CANCELS = 1e-2


def ks(pair: Pair) -> float:
    """sup abs(F_i - F_c), attained at a jump or where the densities are equal."""
    t = Thresholds.concatenate([pair.candidates, pair.ratio_roots(0.0)])
    upper = pair.tpr(t) + pair.far(t) <= 1.0
    gap = np.where(upper, pair.tpr(t) - pair.far(t), pair.tnr(t) - pair.frr(t))
    k = int(np.argmax(np.abs(gap)))
    size = abs(float(gap[k]))
    atoms = pair.client.atoms.places.size + pair.impostor.atoms.places.size
    same_scale = pair.client.on_unit == pair.impostor.on_unit
    if 0.0 < size < _CANCELS and not atoms and same_scale and pair.overlap is not None:
        u = t.logit[k] if pair.unit else t.theta[k]
        return abs(pair.excess_by_ratio(float(u)))
    return size


def partial_auc(pair: Pair, low: float, high: float) -> float:
    """Area under TPR(FAR) for FAR in [low, high]."""
    if low == 0.0 and high == 1.0:
        return pair.auc()
    terms = [_area_on_jumps(pair, low, high)]
    if pair.impostor.continuous is not None:
        share, base = pair.impostor.continuous
        ends_t = operating_points.at_far(pair, np.array([high, low]))
        u = ends_t.logit if pair.unit and base.on_unit else ends_t.theta
        terms.append(share * _area_between(pair, float(u[0]), float(u[1])))
    return min(high - low, math.fsum(terms))


def _area_on_jumps(pair: Pair, low: float, high: float) -> float:
    """Trapezoids over the impostor's atoms, cut to the range."""
    atoms = pair.impostor.atoms
    if atoms.places.size == 0:
        return 0.0
    t = Thresholds.from_theta(atoms.places)
    start, height = pair.far(t), pair.tpr(t)
    slope = operating_points.atom_masses(pair.client, t) / atoms.masses
    a = np.clip(low - start, 0.0, atoms.masses)
    b = np.clip(high - start, 0.0, atoms.masses)
    return math.fsum((b - a) * (height + 0.5 * slope * (a + b)))


def _area_between(pair: Pair, u_low: float, u_high: float) -> float:
    """Integral of the impostor's continuous density times TPR between two thresholds."""
    base = pair._base("impostor")
    if not u_low < u_high:
        return 0.0
    atoms = pair.client.atoms
    unit = pair.unit and base.on_unit
    place = Thresholds.from_logit if unit else Thresholds.from_theta
    terms = []
    if atoms.places.size:
        at = Thresholds.from_theta(atoms.places)
        coordinates = np.clip(at.logit if unit else at.theta, u_low, u_high)
        reach, begin = place(coordinates), place(np.array(u_low))
        mass = np.where(
            base._lower(reach)[0] <= 0.5,
            base._lower(reach)[0] - base._lower(begin)[0],
            base._upper(begin)[0] - base._upper(reach)[0],
        )
        terms.append(math.fsum(atoms.masses * mass))
    if pair.client.continuous is not None:
        share = pair.client.continuous[0]
        terms.append(share * _smooth_area(pair, u_low, u_high))
    return math.fsum(terms)


def _smooth_area(pair: Pair, u_low: float, u_high: float) -> float:
    impostor = pair._base("impostor")
    if pair.unit and not impostor.on_unit:
        # The impostor's scale is wider than [0, 1]: clients all score above 0 and below 1.
        zero, one = (float(v) for v in np.clip([0.0, 1.0], u_low, u_high))
        below = impostor._lower(Thresholds.from_theta(np.array([u_low, zero])))[0]
        inner = Thresholds.from_theta(np.array([zero, one])).logit
        outside = float(below[1] - below[0])
        return outside + pair.client_tail_integral(float(inner[0]), float(inner[1]))
    return pair.client_tail_integral(u_low, u_high)


def precision_at(pair: Pair, prior: float, recall: float) -> float:
    """Precision at the threshold whose recall is nearest to `recall`, a limit at recall 0."""
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
    """Precision averaged over recall: the whole integral, or `points` recall levels."""
    if points is not None:
        levels = np.linspace(0.0, 1.0, points)
        return math.fsum(precision_at(pair, prior, float(r)) for r in levels) / points

    def precision(t: Thresholds) -> FloatArray:
        return np.nan_to_num(precision_of(prior, pair.tpr(t), pair.far(t)))

    terms = []
    atoms = pair.client.atoms
    if atoms.places.size:
        below = pair.just_below_any(Thresholds.from_theta(atoms.places))
        terms.append(math.fsum(atoms.masses * precision(below)))
    if pair.client.continuous is not None:
        terms.append(_smooth_average(pair, precision))
    return min(1.0, math.fsum(terms))


def _smooth_average(pair: Pair, precision: Callable[[Thresholds], FloatArray]) -> float:
    continuous = pair.client.continuous
    if continuous is None:
        return 0.0
    share, base = continuous
    unit = base.on_unit
    place = Thresholds.from_logit if unit else Thresholds.from_theta
    extra = Thresholds.from_theta(np.array([*pair.joints.theta]))
    joints = extra.logit if unit else extra.theta
    grid = pair.area_grid(-math.inf, math.inf, unit=unit)
    breaks = np.unique(np.concatenate([grid, joints[np.isfinite(joints)]]))

    def integrand(u: FloatArray) -> FloatArray:
        t = place(u)
        with np.errstate(under="ignore"):
            return np.asarray(np.exp(base._log_density(t)) * precision(t))

    return share * integrate_panels(integrand, breaks)
