"""Where two ROCs cross, and which of them is the higher between."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.special import bracketed_root
from betaroc.core.thresholds import Thresholds, choose, softplus
from betaroc.distributions.pairs import Pair
from betaroc.model.roc_functions import height, leftmost
from betaroc.rendering.nouns import Exportable

#: Log odds of FAR at which curves are compared first; far out a curve is a power law.
_MESH = np.concatenate([np.arange(0.0, 12.0, 0.25), np.arange(12.0, 40.0, 1.0),
                        np.geomspace(40.0, 20_000.0, 40)])  # fmt: skip
#: Beyond this log odds no double holds the smaller rate of a curve with jumps.
_DOUBLES = 700.0
#: How far from a jump its sides are, relative to 1 and its log odds.
_ASIDE = 1e-12
#: Differences of log odds relative to their size that are rounding.
_ROUNDING = 1e-11
#: Parts into which a stretch is cut where two curves come near each other.
_CUT = 24
#: How often that is done: the parts shrink to where a parabola is rounding.
_TURNS = 6
_Gap = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False, repr=False)
class RocCrossings(Exportable):
    """Points that two ROCs share, FAR ascending.

    Made by :meth:`Roc.crossings`.

    Parameters
    ----------
    far, tpr : ndarray, shape (k,)
        The points; 0 or 1 where they are no other double.
    logit_far, logit_tpr : ndarray, shape (k,)
        Their log odds, which have all digits.
    leaders : tuple of int, length k + 1
        Which curve is the higher before, between and after: 1, 2 or, equal, 0.

    Examples
    --------
    >>> from betaroc import Beta, Roc
    >>> first, second = Roc(Beta(2, 2), Beta(1, 1)), Roc(Beta(1, 1), Beta(1, 1))
    >>> first.crossings(second).leaders  # below the diagonal, then above it
    (2, 1)
    """

    far: FloatArray
    tpr: FloatArray
    logit_far: FloatArray
    logit_tpr: FloatArray
    leaders: tuple[int, ...]
    _same_length = ("far", "tpr", "logit_far", "logit_tpr")

    def __len__(self) -> int:
        return int(self.far.size)


def crossings_of(*pairs: Pair) -> RocCrossings:
    """All crossings of the curves of two pairs; `Roc.crossings` documents it."""
    smooth = not any(_has_atoms(pair) for pair in pairs)
    odds = [_odds(pair, smooth=smooth) for pair in pairs]

    def gap(u: FloatArray) -> FloatArray:
        """Log odds of one TPR less those of the other, 0 where only rounding is left."""
        one, two = (of(u) for of in odds)
        with np.errstate(invalid="ignore"):
            size = 1.0 + np.maximum(np.abs(one), np.abs(two))
            apart = np.where(one == two, 0.0, one - two)
            lost = np.abs(apart) <= _ROUNDING * np.where(np.isfinite(size), size, 0.0)
        return np.where(lost, 0.0, np.clip(np.nan_to_num(apart), -1e300, 1e300))

    mesh = _mesh(pairs, smooth=smooth)
    values = gap(mesh)
    if smooth:
        mesh, values = _refined(gap, mesh, values)
    roots, leaders = _sign_changes(gap, mesh, values)
    u = np.array(roots)
    y = _heights(odds, u, smooth=smooth) if u.size else np.empty(0)
    return RocCrossings(np.exp(-softplus(-u)), np.exp(-softplus(-y)), u, y, leaders)


def _has_atoms(pair: Pair) -> bool:
    return any(law.atoms.places.size for law in (pair.client, pair.impostor))


def places_of_far(pair: Pair, u: FloatArray) -> Thresholds:
    """Thresholds at which FAR has the log odds u, each from the smaller tail."""
    log_far, log_tnr = -softplus(-u), -softplus(u)
    with np.errstate(under="ignore"):
        if np.all(u <= 0.0):
            return pair.impostor._upper_quantile(np.exp(log_far), log_far)
        lower = pair.impostor._lower_quantile(np.exp(log_tnr), log_tnr)
        if np.all(u > 0.0):
            return lower
        upper = pair.impostor._upper_quantile(np.exp(log_far), log_far)
    return choose(u <= 0.0, upper, lower)


def log_odds_of_tpr(pair: Pair, u: FloatArray) -> FloatArray:
    """Log odds of TPR where FAR has the log odds u; distributions without atoms."""
    t = places_of_far(pair, u)
    with np.errstate(invalid="ignore", under="ignore"):
        return np.asarray(pair.client._upper(t)[1] - pair.client._lower(t)[1])


def _odds(pair: Pair, *, smooth: bool) -> _Gap:
    if smooth:
        return lambda u: log_odds_of_tpr(pair, u)

    def odds(u: FloatArray) -> FloatArray:
        """Near 1 from FRR at TNR, which has the digits that TPR at FAR has lost."""
        with np.errstate(under="ignore"):
            tpr = Thresholds.from_theta(height(pair, np.exp(-softplus(-u)), upward=True))
            frr = Thresholds.from_theta(leftmost(pair, np.exp(-softplus(u)), upward=False))
        return np.where(tpr.theta > 0.5, -frr.logit, tpr.logit)

    return odds


def _heights(odds: list[_Gap], u: FloatArray, *, smooth: bool) -> FloatArray:
    """Log odds of TPR at crossings; where a curve jumps the lowest that the other has too."""
    if smooth:
        return odds[0](u)
    before = u - _aside(u)
    return np.maximum(odds[0](before), odds[1](before))


def _aside(u: FloatArray) -> FloatArray:
    return _ASIDE * (1.0 + np.abs(u))


def _mesh(pairs: tuple[Pair, ...], *, smooth: bool) -> FloatArray:
    """Log odds of FAR, ascending; with the corners of curves that jump."""
    if smooth:
        return np.concatenate([-_MESH[:0:-1], _MESH])
    parts = [np.linspace(-36.0, 36.0, 289)]
    far_out = _MESH[(_MESH > 36.0) & (_MESH < _DOUBLES)]
    parts += [-far_out, far_out]
    for pair in pairs:
        if _has_atoms(pair):
            far = np.unique(pair.far(pair.candidates))
            at = Thresholds.from_theta(far[(far > 0.0) & (far < 1.0)]).logit
            # A jump is seen from its sides, farther off than FAR is rounded: on it neither leads.
            parts += [at - _aside(at), at + _aside(at)]
    return np.unique(np.concatenate(parts))


def _refined(gap: _Gap, mesh: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """More places where the curves turn towards each other without having met."""
    for turn in range(_TURNS):
        size, signs = np.abs(values), np.sign(values)
        inner, most = size[1:-1], np.maximum(size[:-2], size[2:])
        near = (inner <= np.minimum(size[:-2], size[2:])) & (inner > 0.0)
        near &= (signs[:-2] == signs[1:-1]) & (signs[2:] == signs[1:-1])
        if turn:
            # Where they will not meet the distance hardly changes by now.
            near &= 2.0 * inner <= most
        if not np.any(near):
            break
        at = np.flatnonzero(near).tolist()
        added = np.concatenate([np.linspace(mesh[k], mesh[k + 2], _CUT + 1)[1:-1] for k in at])
        both = np.concatenate([mesh, added])
        mesh, first = np.unique(both, return_index=True)
        values = np.concatenate([values, gap(added)])[first]
    return mesh, values


def _sign_changes(
    gap: _Gap, mesh: FloatArray, values: FloatArray
) -> tuple[list[float], tuple[int, ...]]:
    """Places where the difference changes its sign, and who leads on each side."""

    def at(u: float) -> float:
        return float(gap(np.array([u]))[0])

    signs = np.sign(values)
    known = np.flatnonzero(signs)
    if not known.size:
        return [], (0,)
    roots, leaders = [], [_leader(signs[known[0]])]
    for k, m in itertools.pairwise(known.tolist()):
        if signs[k] != signs[m]:
            if m > k + 1:
                result = _middle(at, mesh[k : m + 1])
            else:
                result = bracketed_root(at, float(mesh[k]), float(mesh[m]), what="ROCs")
            roots.append(result)
            leaders.append(_leader(signs[m]))
    return roots, tuple(leaders)


def _middle(at: Callable[[float], float], stretch: FloatArray) -> float:
    """The middle of the places at which two curves are one, ends of that stretch by halving."""
    places, ends = stretch.tolist(), []
    for away, near in ((places[0], places[1]), (places[-1], places[-2])):
        for _ in range(60):
            middle = 0.5 * (away + near)
            if at(middle) == 0.0:
                near = middle
            else:
                away = middle
        ends.append(near)
    return float(0.5 * (ends[0] + ends[1]))


def _leader(sign: FloatArray) -> int:
    return 1 if sign > 0.0 else 2
