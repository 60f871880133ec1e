"""The ROC of any pair as functions of its axes: exact in both tails, straight where it jumps.

x = FAR and y = TPR where `upward`, else x = F_c and y = F_i.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import BoolArray, FloatArray, IntArray
from betaroc.core.checks import count
from betaroc.core.special import bracketed_root
from betaroc.core.thresholds import BELOW_ONE, Thresholds, choose, softplus
from betaroc.distributions.base import Distribution
from betaroc.distributions.pairs import Pair
from betaroc.model.ends import ends, limits, shape_of_ends
from betaroc.rendering.nouns import Exportable

#: Points of a smooth curve when nobody says how many.
_POINTS = 800
#: A rate computed back from its own quantile agrees to this.
_EDGE = 8.0 * float(np.finfo(np.float64).eps)


def curve_thresholds(pair: Pair, n: int | None = None) -> Thresholds:
    """Thresholds along a pair's curves, ascending."""
    # Half of the quantiles lie in the tails, down to rates of 1e-12. Samples have
    # their own thresholds, and jumps are kept even where they are more than `n`.
    wanted = count(_POINTS if n is None else n, "n", 2)
    t = pair.candidates
    if pair.discrete:
        return t
    room = max(0, wanted - t.size)
    tail = np.geomspace(1e-12, 0.01, room // 2, endpoint=False)
    body = np.linspace(0.5, 0.0, room - tail.size, endpoint=False)
    levels = np.sort(np.concatenate([tail, body]))
    bases = [law.continuous[1] for law in (pair.client, pair.impostor) if law.continuous]
    sides = list(itertools.product(bases, (True, False)))
    parts = [t]
    for k, (base, lower) in enumerate(sides):
        p = levels[k :: len(sides)]
        parts.append(base._inverse(p, np.log(p), lower=lower))
    t = Thresholds.concatenate(parts)
    t = t[t.order()]
    distinct = np.ones(t.size, dtype=bool)
    distinct[1:] = (t.theta[1:] > t.theta[:-1]) | (t.logit[1:] != t.logit[:-1])
    return t[distinct & ~np.isnan(t.theta)]


# ------------------------------------------------------------------------------ heights
def height(pair: Pair, x: FloatArray, *, upward: bool) -> FloatArray:
    """y at x, the top where the curve is vertical."""
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
        on_segment = (run > 0.0) & (pair.frr(t) > x)
        at_y = np.where(on_segment, at_y, pair.tnr(_top(pair, x, t)))
        run = np.where(on_segment, run, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        # A vertical segment counts by its top; downwards `at_y` stands there already.
        share = np.where(run > 0.0, np.clip((x - at_x) / run, 0.0, 1.0), float(upward))
    y = np.minimum(at_y + share * rise, 1.0)
    return np.where(x >= 1.0, 1.0, np.where(np.isnan(x), np.nan, y))


def _places(pair: Pair, x: FloatArray, *, upward: bool) -> Thresholds:
    with np.errstate(divide="ignore"):
        log_x = np.log(x)
    if upward:
        t = pair.impostor._upper_quantile(x, log_x)
        return _snapped(pair.impostor, pair.client, t, pair.far, x)
    t = pair.client._lower_quantile(x, log_x)
    return _snapped(pair.client, pair.impostor, t, pair.frr, x)


def _snapped(
    inverted: Distribution, other: Distribution, t: Thresholds,
    rate: Callable[[Thresholds], FloatArray], x: FloatArray,
) -> Thresholds:  # fmt: skip
    """The other distribution's atom where it has the rate."""
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
    if pair.client.continuous is not None:
        return t
    places = pair.client.atoms.places
    reach = pair.frr(Thresholds.from_theta(places))
    padded = np.append(places, np.inf)
    after = padded[np.searchsorted(reach, x, side="right")]
    return pair.just_below_any(Thresholds.from_theta(after))


def _next_above(law: Distribution, t: Thresholds) -> Thresholds:
    places = np.append(law.atoms.places, np.inf)
    after = np.searchsorted(places, t.theta, side="right")
    return Thresholds.from_theta(places[np.minimum(after, places.size - 1)])


def leftmost(pair: Pair, y: FloatArray, *, upward: bool) -> FloatArray:
    """Smallest x at height y."""
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
    """dy / dx at x; see :meth:`Roc.slope`."""
    limits = ends(pair)
    t = _places(pair, x, upward=upward)
    if not upward:  # a jump ends at its own place: at its end go on to what follows
        ended = (pair.client.atoms.masses_at(t) > 0.0) & (pair.frr(t) <= x)
        after = _next_above(pair.client, t)
        if pair.client.continuous is not None:
            after = Thresholds.from_theta(np.nextafter(t.theta, np.inf))
        t = choose(ended, after, t) if np.any(ended) else t
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


def log_likelihood_ratio(pair: Pair, t: Thresholds) -> FloatArray:
    """log f_c / f_i, of point masses where there are some."""
    with np.errstate(divide="ignore", invalid="ignore"):
        smooth = pair.log_ratio(t)
        client, impostor = (law.atoms.masses_at(t) for law in (pair.client, pair.impostor))
        masses = np.log(client) - np.log(impostor)
        logs = [law._log_pdf(t) for law in (pair.client, pair.impostor)]
    none = [np.isneginf(log) for log in logs]
    # Outside one law's support the other decides.
    smooth = np.where(none[0] & np.isfinite(logs[1]), -np.inf, smooth)
    smooth = np.where(none[1] & np.isfinite(logs[0]), np.inf, smooth)
    return np.where(client + impostor > 0.0, masses, smooth)


def posterior(pair: Pair, prior: float, t: Thresholds) -> FloatArray:
    """P(client | score)."""
    ratio = log_likelihood_ratio(pair, t)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        odds = np.log(prior) - np.log1p(-prior)
        result = 1.0 / (1.0 + np.exp(-(odds + ratio)))
    return np.where(np.isinf(ratio), (ratio > 0.0) * 1.0, result)


# ------------------------------------------------------------ the diagonal

_SIDES = {"above": 1.0, "on": 0.0, "below": -1.0}
#: Where a crossing is sought beyond all quantiles.
_REACH = np.geomspace(1.0, 1e300, 100)


def _excess(pair: Pair, t: Thresholds) -> FloatArray:
    """What has the sign of TPR - FAR, from the smaller tails."""
    use_lower = pair.frr(t) + pair.tnr(t) <= 1.0
    return np.where(use_lower, pair.log_excess(t, lower=True), pair.log_excess(t, lower=False))


class Crossing(NamedTuple):
    """A place where the ROC crosses the diagonal."""

    threshold: Thresholds
    #: FAR = TPR and FRR = TNR on a straight segment, nan where the threshold attains the point.
    accepted: float
    rejected: float


def diagonal_crossings(pair: Pair) -> list[Crossing]:
    """Sign changes of TPR - FAR, ascending in the threshold."""
    # Between neighbouring extremes (level 0 of the log-likelihood ratio, jumps)
    # TPR - FAR is monotone, so each sign change is bracketed.
    known_roots = pair.diagonal_roots()
    if known_roots is not None:
        return [Crossing(known_roots[k], math.nan, math.nan) for k in range(known_roots.size)]
    t, signs = _signed_extremes(pair)
    known = np.nonzero(signs)[0]
    result = []
    for k, m in itertools.pairwise(known):
        if signs[k] != signs[m]:
            touch = Crossing(t[k + 1], math.nan, math.nan) if m > k + 1 else None
            result.append(touch or _crossing(pair, t[k], t[m]))
    return result


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
    inside = _jump_between(pair, low, high)
    if inside is not None:
        return inside
    unit = pair.unit and float(low.theta) >= 0.0 and float(high.theta) <= 1.0
    a, b = (float(t.logit if unit else t.theta) for t in (low, high))
    place = Thresholds.from_logit if unit else Thresholds.from_theta
    # Just below a jump and on it are one number in the logit: the ends speak for themselves.
    known = {a: low, b: high}

    def excess(u: float) -> float:
        return float(_excess(pair, known[u] if u in known else place(np.array(u))))

    grid = pair.grid(a, b, unit=unit)
    u: FloatArray = np.unique(np.concatenate([grid, -_REACH, _REACH, [a, 0.0, b]]))
    u = u[(u >= a) & (u <= b) & (np.abs(u) <= _REACH[-1])]
    with np.errstate(over="ignore", invalid="ignore"):
        values = _excess(pair, place(u))
    values[np.isin(u, [a, b])] = [excess(x) for x in (a, b) if x in u]
    u, signs = u[np.abs(values) > 0.0], np.sign(values[np.abs(values) > 0.0])
    turns = np.flatnonzero(signs[1:] != signs[:-1])
    if turns.size:
        ends = float(u[turns[0]]), float(u[turns[0] + 1])
        root = bracketed_root(excess, *ends, what="crossing")
    else:
        root = float(_REACH[-1]) if math.isfinite(a) else -float(_REACH[-1])
    return Crossing(place(np.array(root)), math.nan, math.nan)


def _jump_between(pair: Pair, low: Thresholds, high: Thresholds) -> Crossing | None:
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
    sides = pair.decisive_sides()
    if sides is not None:
        return shape_of_ends(*sides)
    _, signs = _signed_extremes(pair)
    known = signs[signs != 0.0]
    if np.count_nonzero(np.diff(known)) > 1:
        return "several-crossings"
    return shape_of_ends(known[0], known[-1]) if known.size else "chance"


# ------------------------------------------------------------ the concave hull

#: Relative rounding noise of a slope built from differences of rates.
_NOISE = 1e-9
#: A dent of this depth is rounding.
_FLAT = 1e-14
#: The share of points of a hull that a pass over all of them must leave out.
_MANY = 0.01
#: This close to (0, 0) or (1, 1) a dense polyline cannot tell a tangency from the corner.
_CORNER = 1e-12
#: Shares of either tail at which a curve is looked at.
_SHARES = np.concatenate([np.geomspace(1e-15, 0.01, 400), np.linspace(0.01, 0.5, 4000)[1:]])


def sample_chain(x: FloatArray, y: FloatArray) -> IntArray:
    """Vertices of the upper hull of points with ascending x and y."""

    def turns(i: Any, j: Any, k: Any) -> Any:
        return (y[j] - y[i]) * (x[k] - x[i]) > (x[j] - x[i]) * (y[k] - y[i])

    points = np.append(np.flatnonzero((np.diff(x) > 0.0) | (np.diff(y) > 0.0)), x.size - 1)
    dented = points.size
    while dented > _MANY * points.size:  # all at once while many go, then one after the other
        keep = np.ones(points.size, dtype=bool)
        keep[1:-1] = turns(points[:-2], points[1:-1], points[2:])
        dented = int(np.sum(~keep))
        points = points[keep]
    chain: list[int] = []
    for k in points.tolist() if dented else ():
        while len(chain) > 1 and not turns(chain[-2], chain[-1], k):
            chain.pop()
        chain.append(k)
    return np.array(chain) if dented else points


def chords_of(pair: Pair) -> tuple[Thresholds, Thresholds]:
    """Both ends of every chord of the concave hull, FAR ascending."""
    # A dense polyline tells where the dents are; each chord is then polished to
    # exact tangency.
    none = Thresholds.from_theta(np.empty(0))
    if is_concave(pair):
        return none, none
    t = (pair.candidates if pair.discrete else pair.along(_SHARES))[::-1]
    far, tpr = pair.far(t), pair.tpr(t)
    if not pair.discrete:
        keep = _distinct(pair, t, far, tpr)
        t, far, tpr = t[keep], far[keep], tpr[keep]
    chain = sample_chain(far, tpr)
    starts, ends = [none], [none]
    for g in np.nonzero(np.diff(chain) > 1)[0].tolist():
        inner = slice(int(chain[g]), int(chain[g + 1]) + 1)
        ends_of = far[inner][[0, -1]], tpr[inner][[0, -1]]
        if np.max(np.interp(far[inner], *ends_of) - tpr[inner]) <= _FLAT:
            continue
        chord = _tangent(pair, *(_cornered(pair, t[[chain[k]]]) for k in (g, g + 1)))
        if chord:
            starts.append(chord[0])
            ends.append(chord[1])
    return Thresholds.concatenate(starts), Thresholds.concatenate(ends)


def departure_of(pair: Pair) -> Thresholds | None:
    """Where the hull leaves the curve for a (1, 1) that no threshold attains."""
    # None where all trials have a score. The segment's slope FRR / (1 - FAR), of all that is not
    # accepted, is the least, so that on an arc it is the curve's own.
    if pair.frr(pair.accept_all) + pair.tnr(pair.accept_all) == 0.0:
        return None
    t = Thresholds.concatenate([pair.candidates, pair.along(_SHARES)])
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.nan_to_num(pair.frr(t) / pair.tnr(t), nan=np.inf)
    start = t[[int(np.argmin(slope))]]
    moved = _polished(pair, [start], lambda ends: (pair.frr(ends[0]), pair.tnr(ends[0])))
    return moved[0] if moved else start


def _distinct(pair: Pair, t: Thresholds, far: FloatArray, tpr: FloatArray) -> IntArray:
    moves = (np.diff(far) > 0.0) | (np.diff(tpr) > 0.0)
    group = np.concatenate([[0], np.cumsum(moves)])
    order = np.lexsort((~_is_candidate(pair, t), group))
    return np.asarray(order[np.searchsorted(group[order], np.arange(group[-1] + 1))])


def _is_candidate(pair: Pair, t: Thresholds) -> BoolArray:
    places = pair.candidates
    return np.isin(t.theta, places.theta) & np.isin(t.logit, places.logit)


def _cornered(pair: Pair, end: Thresholds) -> Thresholds:
    all_ = Thresholds.concatenate([pair.accept_all])
    rest = max(pair.tnr(end) - pair.tnr(all_), pair.frr(end) - pair.frr(all_))
    if rest[0] <= _CORNER:  # where trials have no score `all_` accepts less than everything
        return all_
    if max(pair.far(end)[0], pair.tpr(end)[0]) <= _CORNER:
        return Thresholds.concatenate([pair.reject_all])
    return end


def _tangent(pair: Pair, right: Thresholds, left: Thresholds) -> list[Thresholds]:
    if pair.discrete:
        return [right, left] if pair.far(left)[0] > pair.far(right)[0] else []

    def rise_and_run(ends: list[Thresholds]) -> tuple[FloatArray, FloatArray]:
        (tpr_0, far_0), (tpr_1, far_1) = ((pair.tpr(end), pair.far(end)) for end in ends)
        return tpr_1 - tpr_0, far_1 - far_0

    ends = _polished(pair, [right, left], rise_and_run)
    long = ends and pair.far(ends[1])[0] > pair.far(ends[0])[0] * (1.0 + _NOISE)
    return ends if long else []


def _polished(
    pair: Pair, ends: list[Thresholds],
    rise_and_run: Callable[[list[Thresholds]], tuple[FloatArray, FloatArray]],
) -> list[Thresholds]:  # fmt: skip
    for _ in range(60):
        rise, run = (float(part[0]) for part in rise_and_run(ends))
        if run <= 0.0 or rise <= 0.0:
            return []
        roots = pair.ratio_roots(math.log(rise) - math.log(run))
        moved = [nearest_root(pair, end, roots) for end in ends]
        if all(np.array_equal(m.theta, e.theta) for m, e in zip(moved, ends, strict=True)):
            break
        ends = moved
    return ends


def nearest_root(pair: Pair, end: Thresholds, roots: Thresholds) -> Thresholds:
    """A concave tangency near an end; a jump itself."""
    if roots.size == 0 or bool(_is_candidate(pair, end)[0]):
        return end
    u, here = pair.coordinates(roots), pair.coordinates(end)
    slopes = pair._slope("client", roots) - pair._slope("impostor", roots)
    distance = np.where(slopes >= 0.0, np.abs(u - here), np.inf)
    return roots[[int(np.argmin(distance))]]


def is_concave(pair: Pair) -> bool:
    """Whether slopes never rise as FAR grows."""
    if pair.turning_points().size:
        return False
    slopes = _slopes(pair)
    falling = bool(np.all(slopes[1:] <= slopes[:-1] * (1.0 + _NOISE)))
    # From corner to corner the mean slope is 1; turns deeper than any double are seen by this.
    mean = float(np.divide(pair.tpr(pair.accept_all), pair.far(pair.accept_all)))
    steep, flat = slopes[0] >= mean * (1.0 - _NOISE), slopes[-1] <= mean * (1.0 + _NOISE)
    return falling and bool(steep and flat)


def _slopes(pair: Pair) -> FloatArray:
    # Between jumps the likelihood ratio is monotone where it has no turning point. Trials without
    # a score, a mass at -inf that no threshold accepts, are no jump of it.
    bases = [law if law.continuous is None else law.continuous[1]
             for law in (pair.client, pair.impostor)]  # fmt: skip
    joints = pair.joints[::-1]
    joints = joints[joints.theta >= min(base.support[0] for base in bases)]
    client, impostor = (law.atoms.masses_at(joints) for law in (pair.client, pair.impostor))
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        beside = (Thresholds.from_theta(np.nextafter(joints.theta, x)) for x in (np.inf, -np.inf))
        above, below = (np.exp(pair.client._log_pdf(t) - pair.impostor._log_pdf(t)) for t in beside)
        jumps = np.where(joints.theta > -np.inf, client / impostor, np.nan)
    if bases[0].support == bases[1].support and not pair.discrete:
        tails = [base._tails() for base in bases]
        for arcs, k, lower in ((below, 0, False), (above, -1, True)):
            limit = limits(*(each[0 if lower else 1] for each in tails), lower=lower)
            arcs[k] = limit.reciprocal * math.exp(pair._log_share())
    slopes = np.column_stack([above, jumps, below]).ravel()[1:-1]
    return np.asarray(slopes[~np.isnan(slopes)])


# ------------------------------------------------------------ two curves

#: Log odds of FAR at which curves are compared first; far out a curve is a power law, and beyond
#: the last no double holds the smaller rate.
_MESH = np.concatenate([np.arange(0.0, 12.0, 0.25), np.arange(12.0, 40.0, 1.0),
                        np.geomspace(40.0, 700.0, 30)])  # fmt: skip
#: How far from a jump its sides are, relative to 1 and its log odds.
_ASIDE = 1e-12
#: Differences of log odds relative to their size that are rounding.
_ROUNDING = 1e-11
#: Parts into which a stretch is cut where two curves come near each other, and how often: the
#: parts shrink to where a parabola is rounding.
_CUT, _TURNS = 24, 6
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
    >>> Roc(Beta(2, 2), Beta(1, 1)).crossings(Roc(Beta(1, 1), Beta(1, 1))).leaders
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
    """All crossings of two curves; `Roc.crossings` documents it."""

    def gap(u: FloatArray) -> FloatArray:
        one, two = (_log_odds_of_tpr(pair, u) for pair in pairs)
        with np.errstate(invalid="ignore"):
            size = 1.0 + np.maximum(np.abs(one), np.abs(two))
            apart = np.where(one == two, 0.0, one - two)
            lost = np.abs(apart) <= _ROUNDING * np.where(np.isfinite(size), size, 0.0)
        return np.where(lost, 0.0, np.clip(np.nan_to_num(apart), -1e300, 1e300))

    jumps = [_beside_jumps(pair) for pair in pairs]
    mesh = np.unique(np.concatenate([-_MESH, _MESH, *jumps]))
    values = gap(mesh)
    if not sum(places.size for places in jumps):
        mesh, values = _refined(gap, mesh, values)
    roots, leaders = _sign_changes(gap, mesh, values)
    u = np.array(roots)
    # Where a curve jumps the lowest that the other has too.
    before = u - _ASIDE * (1.0 + np.abs(u))
    y = np.maximum(*(_log_odds_of_tpr(pair, before) for pair in pairs)) if u.size else u
    return RocCrossings(np.exp(-softplus(-u)), np.exp(-softplus(-y)), u, y, leaders)


def places_of_far(pair: Pair, u: FloatArray) -> Thresholds:
    """Thresholds at which FAR has the log odds u."""
    log_far, log_tnr = -softplus(-u), -softplus(u)
    with np.errstate(under="ignore"):
        if np.all(u <= 0.0):
            return pair.impostor._upper_quantile(np.exp(log_far), log_far)
        lower = pair.impostor._lower_quantile(np.exp(log_tnr), log_tnr)
        upper = pair.impostor._upper_quantile(np.exp(log_far), log_far)
    return choose(u <= 0.0, upper, lower)


def _log_odds_of_tpr(pair: Pair, u: FloatArray) -> FloatArray:
    with np.errstate(under="ignore", invalid="ignore"):
        if not pair.atom_places.size:
            t = places_of_far(pair, u)
            return np.asarray(pair.client._upper(t)[1] - pair.client._lower(t)[1])
        tpr = Thresholds.from_theta(height(pair, np.exp(-softplus(-u)), upward=True))
        frr = Thresholds.from_theta(leftmost(pair, np.exp(-softplus(u)), upward=False))
    return np.where(tpr.theta > 0.5, -frr.logit, tpr.logit)


def _beside_jumps(pair: Pair) -> FloatArray:
    # They lie farther off than FAR is rounded: on a corner neither curve leads.
    if not pair.atom_places.size:
        return np.empty(0)
    far = np.unique(pair.far(pair.candidates))
    at = Thresholds.from_theta(far[(far > 0.0) & (far < 1.0)]).logit
    aside = _ASIDE * (1.0 + np.abs(at))
    return np.concatenate([at - aside, at + aside])


def _refined(gap: _Gap, mesh: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
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
    # Of a stretch on which two curves are one the middle stands for all.

    def at(u: float) -> float:
        return float(gap(np.array([u]))[0])

    signs = np.sign(values)
    known = np.flatnonzero(signs)
    if not known.size:
        return [], (0,)
    roots, leaders = [], [1 if signs[known[0]] > 0.0 else 2]
    for k, m in itertools.pairwise(known.tolist()):
        if signs[k] != signs[m]:
            shared = 0.5 * float(mesh[k + 1] + mesh[m - 1])
            ends = float(mesh[k]), float(mesh[m])
            roots.append(shared if m > k + 1 else bracketed_root(at, *ends, what="ROCs"))
            leaders.append(1 if signs[m] > 0.0 else 2)
    return roots, tuple(leaders)
