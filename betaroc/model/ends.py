"""What a ROC does at its two ends, and what the ends say about the whole curve."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.special import bracketed_root, exponential
from betaroc.core.thresholds import BELOW_ONE, Thresholds
from betaroc.core.value import Value
from betaroc.distributions.base import Tail
from betaroc.distributions.pairs import Pair

__all__ = ["End", "Ends", "SemiDerivatives"]

_SIDES = {"above": 1.0, "on": 0.0, "below": -1.0}
_DOUBLINGS = 200


class SemiDerivatives(NamedTuple):
    """lim dF_i / dF_c at the two ends of the threshold range: 0, inf or a constant.

    Parameters
    ----------
    at_zero, at_one : float
        In [0, inf]; named by the threshold.

    References
    ----------
    Omar and Ivrissimtzis, section 3.2, with its signs corrected.

    Examples
    --------
    >>> from betaroc import Beta, ScoreModel
    >>> ScoreModel(Beta(2, 1), Beta(1, 1)).semi_derivatives()  # F_i = t, F_c = t^2
    SemiDerivatives(at_zero=inf, at_one=0.5)
    """

    at_zero: float
    at_one: float


@dataclass(frozen=True, eq=False, repr=False)
class End(Value):
    """Behaviour of a ROC near one end of the threshold range.

    Parameters
    ----------
    semi_derivative : float
        lim dF_i / dF_c, the paper's; 0, inf or a finite constant.
    roc_slope : float
        lim dTPR / dFAR, its reciprocal.
    exponent : float
        rho in F_i ~ K F_c^rho (threshold near 0) or FAR ~ K TPR^rho (near 1).
    coefficient : float
        K; nan where the tails are not power laws.
    side : str
        "above", "on" or "below" the diagonal near that end.

    Notes
    -----
    With atoms at the end: exponent 1 and K = p_i / p_c; exponent 0 and K = p_i if
    the impostors have it alone; exponent inf and K = nan if the clients have. The
    same with K = nan where one law ends further out than the other.

    References
    ----------
    Omar and Ivrissimtzis, section 3.2, with its signs corrected.

    Examples
    --------
    >>> from betaroc import Beta, ScoreModel
    >>> ScoreModel(Beta(2, 1), Beta(1, 2)).ends().at_one  # FAR = u^2, TPR ~ 2 u, u = 1 - t
    End(semi_derivative=0.0, roc_slope=inf, exponent=2.0, coefficient=0.25, side='above')
    """

    semi_derivative: float
    roc_slope: float
    exponent: float
    coefficient: float
    side: str


@dataclass(frozen=True, eq=False, repr=False)
class Ends(Value):
    """Both ends, named by the threshold.

    Parameters
    ----------
    at_zero : End
        Threshold towards the lower end of the scale: ROC corner (1, 1).
    at_one : End
        Threshold towards the upper end of the scale: ROC corner (0, 0).

    Examples
    --------
    >>> from betaroc import Beta, ScoreModel
    >>> ends = ScoreModel(Beta(2, 2), Beta(1, 1)).ends()
    >>> ends.at_zero.side, ends.at_one.side
    ('above', 'below')
    """

    at_zero: End
    at_one: End


def ends(pair: Pair) -> Ends:
    """Both ends from the tails that the laws declare."""
    return Ends(_end(pair, lower=True), _end(pair, lower=False))


class Limit(NamedTuple):
    """Impostor mass against client mass towards one end."""

    semi: float
    #: Its reciprocal, which may be a double where the other underflows.
    reciprocal: float
    exponent: float
    coefficient: float
    #: The sign of log semi, also where semi rounds to 1.
    heavier: int


def _end(pair: Pair, *, lower: bool) -> End:
    client, impostor = (law._tails()[0 if lower else 1] for law in (pair.client, pair.impostor))
    limit = limits(client, impostor, lower=lower)
    if limit.exponent == 1.0 and client.mass == impostor.mass == 0.0:
        log_ratio = pair.end_log_ratio(lower=lower)
        if log_ratio is not None:
            limit = _tied(-log_ratio)
    # The heavier impostor tail lifts the ROC at the lower end and sinks it at the upper.
    side = ("on", "above", "below")[limit.heavier if lower else -limit.heavier]
    return End(limit.semi, limit.reciprocal, limit.exponent, limit.coefficient, side)


def limits(client: Tail, impostor: Tail, *, lower: bool) -> Limit:
    """Semi-derivative, exponent and coefficient of impostor mass against client mass."""
    impostor_alone = Limit(math.inf, 0.0, 0.0, math.nan, 1)
    client_alone = Limit(0.0, math.inf, math.inf, math.nan, -1)
    if client.place != impostor.place:
        return impostor_alone if (impostor.place < client.place) == lower else client_alone
    if client.mass > 0.0 or impostor.mass > 0.0:
        if client.mass == 0.0:
            return impostor_alone._replace(coefficient=impostor.mass)
        if impostor.mass == 0.0:
            return client_alone
        return _straight(client.mass, impostor.mass)
    if client.order != impostor.order:
        return impostor_alone if impostor.order < client.order else client_alone
    if client.order == 1:
        return _power_limits(client, impostor)
    return _gaussian_limits(client, impostor, lower=lower)


def _straight(client: float, impostor: float) -> Limit:
    """The limit of two masses that vanish together."""
    ratio, heavier = impostor / client, (impostor > client) - (impostor < client)
    return Limit(ratio, client / impostor, 1.0, ratio, heavier)


def _tied(log_semi: float) -> Limit:
    """The limit of two tails of one exponent."""
    semi = exponential(log_semi)
    heavier = (log_semi > 0.0) - (log_semi < 0.0)
    return Limit(semi, exponential(-log_semi), 1.0, semi, heavier)


def _apart(exponent: float, coefficient: float, *, impostor_heavier: bool) -> Limit:
    """The limit of two tails of which one vanishes against the other."""
    if impostor_heavier:
        return Limit(math.inf, 0.0, exponent, coefficient, 1)
    return Limit(0.0, math.inf, exponent, coefficient, -1)


def _power_limits(client: Tail, impostor: Tail) -> Limit:
    exponent = impostor.rate / client.rate
    log_k = impostor.log_coefficient - exponent * client.log_coefficient
    if impostor.rate == client.rate:
        return _tied(0.0 if client == impostor else log_k)
    impostor_heavier = impostor.rate < client.rate
    return _apart(exponent, exponential(log_k), impostor_heavier=impostor_heavier)


def _gaussian_limits(client: Tail, impostor: Tail, *, lower: bool) -> Limit:
    ratio = client.width / impostor.width
    if client.width != impostor.width:
        wider = impostor.width > client.width
        return _apart(ratio * ratio, math.nan, impostor_heavier=wider)
    if client.centre != impostor.centre:
        impostor_heavier = (impostor.centre < client.centre) == lower
        return _apart(1.0, math.nan, impostor_heavier=impostor_heavier)
    return _straight(client.share, impostor.share)._replace(coefficient=math.nan)


# --------------------------------------------------------------------- the whole curve
def _excess(pair: Pair, t: Thresholds) -> FloatArray:
    """A quantity of the sign of TPR - FAR, from the smaller tails."""
    use_lower = pair.frr(t) + pair.tnr(t) <= 1.0
    return np.where(use_lower, pair.log_excess(t, lower=True), pair.log_excess(t, lower=False))


class Crossing(NamedTuple):
    """A place where the ROC meets the diagonal and changes side."""

    threshold: Thresholds
    #: FAR = TPR and FRR = TNR on a straight segment, nan where the threshold attains the point.
    accepted: float
    rejected: float


def crossings(pair: Pair) -> list[Crossing]:
    """Sign changes of TPR - FAR, ascending in the threshold.

    Between neighbouring extremes (level 0 of the log-likelihood ratio, jumps)
    TPR - FAR is monotone, so each sign change is bracketed.
    """
    known_roots = pair.diagonal_roots()
    if known_roots is not None:
        return [Crossing(known_roots[k], math.nan, math.nan) for k in range(known_roots.size)]
    t, signs = _signed_extremes(pair)
    known = np.nonzero(signs)[0]
    found = []
    for k, m in itertools.pairwise(known):
        if signs[k] != signs[m]:
            touch = Crossing(t[k + 1], math.nan, math.nan) if m > k + 1 else None
            found.append(touch or _crossing(pair, t[k], t[m]))
    return found


def _signed_extremes(pair: Pair) -> tuple[Thresholds, FloatArray]:
    t = Thresholds.concatenate([pair.candidates, pair.ratio_roots(0.0)])
    t = t[t.order()]
    # Just below 1 the logs of vanishing tails say nothing: only atoms are left there.
    limit = pair.tpr(t) - pair.far(t)
    signs = np.sign(np.where(t.logit == BELOW_ONE, limit, _excess(pair, t)))
    both = ends(pair)
    for k, end in ((0, both.at_zero), (-1, both.at_one)):
        signs[k] = signs[k] or _SIDES[end.side]
    return t, signs


def _crossing(pair: Pair, low: Thresholds, high: Thresholds) -> Crossing:
    unit = pair.unit and float(low.theta) >= 0.0 and float(high.theta) <= 1.0
    ends_of = (low.logit, high.logit) if unit else (low.theta, high.theta)
    place = Thresholds.from_logit if unit else Thresholds.from_theta
    inside = _jump_between(pair, low, high)
    if inside is not None:
        return inside

    # Just below a jump and on it are one number in the logit: the ends speak for themselves.
    known = {float(u): t for u, t in zip(ends_of, (low, high), strict=True)}

    def excess(u: float) -> float:
        return float(_excess(pair, known[u] if u in known else place(np.array(u))))

    grid = pair.grid(float(ends_of[0]), float(ends_of[1]), unit=unit)
    a, b = _bracket(excess, float(ends_of[0]), float(ends_of[1]), grid)
    root = place(np.array(bracketed_root(excess, a, b, what="crossing")))
    return Crossing(root, math.nan, math.nan)


def _bracket(
    excess: Callable[[float], float], a: float, b: float, grid: FloatArray
) -> tuple[float, float]:
    """Finite ends around the sign change, which may lie beyond all quantiles looked at."""
    inner = grid if grid.size else np.array([x for x in (a, b) if abs(x) < BELOW_ONE] or [0.0])
    low = a if math.isfinite(a) else float(inner[0])
    high = b if b < BELOW_ONE else float(inner[-1])
    for _ in range(_DOUBLINGS):
        if np.sign(excess(low)) * np.sign(excess(high)) < 0.0:
            break
        if not math.isfinite(a):
            low = 2.0 * min(low, -1.0)
        if not b < BELOW_ONE:
            high = 2.0 * max(high, 1.0)
    return low, high


def _jump_between(pair: Pair, low: Thresholds, high: Thresholds) -> Crossing | None:
    """The crossing on the straight segment of a jump at `high`, or None in a smooth stretch."""
    below = pair.just_below_any(high)
    sign_below, sign_low = np.sign(_excess(pair, below)), np.sign(_excess(pair, low))
    if not pair.discrete and sign_below != sign_low:
        return None
    far_0, tpr_0 = (float(v) for v in (pair.far(high), pair.tpr(high)))
    left = low if pair.discrete else below
    far_1, tpr_1 = (float(v) for v in (pair.far(left), pair.tpr(left)))
    d_0, d_1 = tpr_0 - far_0, tpr_1 - far_1
    share = d_0 / (d_0 - d_1) if d_0 != d_1 else 0.0
    frr_0, frr_1 = float(pair.frr(high)), float(pair.frr(left))
    return Crossing(high, far_0 + share * (far_1 - far_0), frr_0 + share * (frr_1 - frr_0))


def global_shape(pair: Pair) -> str:
    """The statement on the whole curve; see :meth:`ScoreModel.global_shape`."""
    if pair.client == pair.impostor:
        return "chance"
    by_theorem = pair.shape_by_theorem()
    if by_theorem is not None:
        return by_theorem
    _, signs = _signed_extremes(pair)
    sequence = [s for s in signs.tolist() if s != 0.0]
    changes = [k for k in range(1, len(sequence)) if sequence[k] != sequence[k - 1]]
    if not sequence:
        return "chance"
    if len(changes) > 1:
        return "several-crossings"
    if not changes:
        return "proper" if sequence[0] > 0.0 else "below"
    return "hook-at-zero" if sequence[0] < 0.0 else "hook-at-one"
