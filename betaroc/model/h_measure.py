"""The H-measure: expected least loss under a distribution of costs, relative to knowing nothing."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from betaroc.core.arrays import BoolArray, FloatArray
from betaroc.core.quadrature import integrate_panels
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.pairs import Pair
from betaroc.model import operating_points
from betaroc.model.hull import chords_of, upper_chain

__all__ = ["h_measure"]

Losses = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


def h_measure(pair: Pair, prior: float, weights: tuple[float, float]) -> float:
    """1 - L / L_max of costs that are Beta(a, b) distributed.

    With U(c) = int_0^c t u(t) dt, V(c) = int_c^1 (1 - t) u(t) dt and c(s) the posterior
    probability of a client on the hull of the ROC, integration by parts gives
    L = (1 - prior) E_I U(c(s)) + prior E_C V(c(s)), a sum of positive terms.
    """
    losses = _losses(*weights)
    chords = chords_of(pair) if not pair.discrete else (pair.candidates[:0], pair.candidates[:0])
    terms = [_weighed(prior, losses, *masses) for masses in _segments(pair, *chords)]
    terms.append(_arcs(pair, prior, losses, *chords))
    total = _weighed(prior, losses, np.ones(1), np.ones(1))
    return max(0.0, 1.0 - math.fsum(terms) / total)


def _losses(a: float, b: float) -> Losses:
    """U and V of a posterior c, both from incomplete beta functions."""
    from scipy.special import betainc

    def at(c: FloatArray) -> tuple[FloatArray, FloatArray]:
        up = a / (a + b) * betainc(a + 1.0, b, c)
        down = b / (a + b) * betainc(b + 1.0, a, 1.0 - c)
        return np.asarray(up), np.asarray(down)

    return at


def _weighed(
    prior: float,
    losses: Losses,
    client: FloatArray,
    impostor: FloatArray,
) -> float:
    """Loss of straight segments of the hull, given by the mass of either class on them."""
    own, other = prior * client, (1.0 - prior) * impostor
    some = own + other > 0.0
    own, other = own[some], other[some]
    up, down = losses(own / (own + other))
    return math.fsum(other * up + own * down)


def _segments(
    pair: Pair, starts: Thresholds, ends: Thresholds
) -> list[tuple[FloatArray, FloatArray]]:
    """Client and impostor mass of the hull's straight segments."""
    if pair.discrete:
        t = pair.candidates[::-1]
        chain = np.array(upper_chain(pair.far(t), pair.tpr(t)))
        return [(np.diff(pair.tpr(t)[chain]), np.diff(pair.far(t)[chain]))]
    chords = pair.tpr(ends) - pair.tpr(starts), pair.far(ends) - pair.far(starts)
    free = _outside(starts, ends, pair.joints)
    client, impostor = (
        operating_points.atom_masses(law, pair.joints)[free] for law in (pair.client, pair.impostor)
    )
    return [chords, (client, impostor)]


def _outside(starts: Thresholds, ends: Thresholds, t: Thresholds) -> BoolArray:
    """Whether scores lie on no chord: a chord holds (end, start]."""
    out = np.ones(t.shape, dtype=np.bool_)
    for k in range(starts.size):
        out &= (t.theta > starts.theta[k]) | (t.theta <= ends.theta[k])
    return out


def _arcs(pair: Pair, prior: float, losses: Losses, starts: Thresholds, ends: Thresholds) -> float:
    """Loss along the smooth arcs, where the posterior is that of the densities."""
    if pair.discrete or prior in (0.0, 1.0):
        return 0.0
    places = [t.logit if pair.unit else t.theta for t in (pair.joints, starts, ends)]
    grid = pair.area_grid(-math.inf, math.inf, unit=pair.unit)
    breaks = np.unique(np.concatenate([grid, *places]))
    breaks = breaks[np.isfinite(breaks)]
    odds = math.log(prior) - math.log1p(-prior)

    def integrand(u: FloatArray) -> FloatArray:
        t = pair.place(u)
        with np.errstate(under="ignore", over="ignore", invalid="ignore"):
            client, impostor = (
                np.nan_to_num(np.exp(law._log_density_in(t, unit=pair.unit)), nan=0.0)
                for law in (pair.client, pair.impostor)
            )
            c = np.nan_to_num(1.0 / (1.0 + np.exp(-(odds + pair.log_ratio(t)))), nan=0.0)
        up, down = losses(c)
        return np.asarray((1.0 - prior) * impostor * up + prior * client * down)

    free = _outside(starts, ends, pair.place(0.5 * (breaks[1:] + breaks[:-1])))
    borders = np.flatnonzero(np.diff(np.concatenate([[False], free, [False]])))
    return math.fsum(
        integrate_panels(integrand, breaks[low : high + 1])
        for low, high in borders.reshape(-1, 2).tolist()
    )
