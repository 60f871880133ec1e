"""Where a ROC is dented: its concave hull's chords, and whether there are any."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from betaroc.core.arrays import CLASSES, BoolArray, FloatArray, IntArray
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.pairs import Pair
from betaroc.model.ends import limits

#: Relative rounding noise of a slope built from differences of rates.
_NOISE = 1e-9
#: A dent of this depth is rounding.
_ROUNDING = 1e-14
#: This close to (0, 0) or (1, 1) a dense polyline cannot tell a tangency from the corner.
_CORNER = 1e-12
#: Shares of either tail at which a curve is looked at.
_SHARES = np.concatenate([np.geomspace(1e-15, 0.01, 400), np.linspace(0.01, 0.5, 4000)[1:]])


def _dense(pair: Pair) -> Thresholds:
    if pair.discrete:
        return pair.candidates[::-1]
    return pair.along(_SHARES)[::-1]


def _upper_chain(x: FloatArray, y: FloatArray) -> IntArray:
    """Indices of the upper hull of points with x ascending (ties: y ascending)."""
    chain: list[int] = []
    for k in range(x.size):
        while len(chain) > 1:
            i, j = chain[-2], chain[-1]
            if (x[j] - x[i]) * (y[k] - y[i]) > (y[j] - y[i]) * (x[k] - x[i]):
                chain.pop()
            else:
                break
        chain.append(k)
    return np.array(chain)


def sample_chain(x: FloatArray, y: FloatArray) -> IntArray:
    """Indices of the upper hull of points of which x and y ascend, without those on its chords.

    Pooling adjacent violators of falling shares dy / (dx + dy) leaves the hull's chords (Fawcett
    and Niculescu-Mizil 2007). Steep shares are near 1 and few digits apart, so this is for steps.
    """
    from scipy.optimize import isotonic_regression

    run, rise = np.diff(x), np.diff(y)
    moves = np.flatnonzero((run > 0.0) | (rise > 0.0))
    if not moves.size:
        return np.array([x.size - 1])
    run, rise = run[moves], rise[moves]
    pooled = isotonic_regression(rise / (run + rise), weights=run + rise, increasing=False)
    return np.append(moves[pooled.blocks[:-1]], x.size - 1)


def chords_of(pair: Pair) -> tuple[Thresholds, Thresholds]:
    """Both ends of every chord of the concave hull, FAR ascending, from lower to higher FAR.

    A dense polyline tells where the dents are; each chord is then polished to
    exact tangency.
    """
    none = Thresholds.from_theta(np.empty(0))
    if is_concave(pair):
        return none, none
    t = _dense(pair)
    far, tpr = pair.far(t), pair.tpr(t)
    if pair.discrete:
        chain = sample_chain(far, tpr)
    else:
        keep = _distinct(pair, t, far, tpr)
        t, far, tpr = t[keep], far[keep], tpr[keep]
        chain = _upper_chain(far, tpr)
    starts, ends = [none], [none]
    for g in np.nonzero(np.diff(chain) > 1)[0].tolist():
        inner = slice(int(chain[g]), int(chain[g + 1]) + 1)
        if _depth(far[inner], tpr[inner]) <= _ROUNDING:
            continue
        low, high = _tangent(pair, *(_cornered(pair, t[[chain[k]]]) for k in (g, g + 1)))
        if low is not None and high is not None:
            starts.append(low)
            ends.append(high)
    return Thresholds.concatenate(starts), Thresholds.concatenate(ends)


def departure_of(pair: Pair) -> Thresholds | None:
    """Where the hull of the whole leaves the curve for (1, 1), which no threshold attains.

    None where all trials have a score. The segment's slope FRR / (1 - FAR), of all that is not
    accepted, is the least, so that on an arc it is the curve's own.
    """
    if pair.frr(pair.accept_all) + pair.tnr(pair.accept_all) == 0.0:
        return None
    t = Thresholds.concatenate([pair.candidates, pair.along(_SHARES)])
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.nan_to_num(pair.frr(t) / pair.tnr(t), nan=np.inf)
    result = t[[int(np.argmin(slope))]]
    for _ in range(60):
        least = float((pair.frr(result) / pair.tnr(result))[0])
        if not 0.0 < least < math.inf:
            break
        moved = _nearest_root(pair, result, pair.ratio_roots(math.log(least)))
        if np.array_equal(moved.theta, result.theta):
            break
        result = moved
    return result


def _distinct(pair: Pair, t: Thresholds, far: FloatArray, tpr: FloatArray) -> IntArray:
    """One threshold of each point: the jump or end of the scale where there is one."""
    moves = (np.diff(far) > 0.0) | (np.diff(tpr) > 0.0)
    group = np.concatenate([[0], np.cumsum(moves)])
    order = np.lexsort((~_is_candidate(pair, t), group))
    return np.asarray(order[np.searchsorted(group[order], np.arange(group[-1] + 1))])


def _is_candidate(pair: Pair, t: Thresholds) -> BoolArray:
    places = pair.candidates
    known = set(zip(places.theta.tolist(), places.logit.tolist(), strict=True))
    here = zip(t.theta.tolist(), t.logit.tolist(), strict=True)
    return np.array([point in known for point in here])


def _cornered(pair: Pair, end: Thresholds) -> Thresholds:
    """The end of the scale for a point that is a corner of the square but for rounding."""
    all_ = Thresholds.concatenate([pair.accept_all])
    rest = max(pair.tnr(end) - pair.tnr(all_), pair.frr(end) - pair.frr(all_))
    if rest[0] <= _CORNER:  # where trials have no score `all_` accepts less than everything
        return all_
    if max(pair.far(end)[0], pair.tpr(end)[0]) <= _CORNER:
        return Thresholds.concatenate([pair.reject_all])
    return end


def _depth(x: FloatArray, y: FloatArray) -> float:
    """How far a stretch of the curve lies below the segment between its ends."""
    return float(np.max(np.interp(x, x[[0, -1]], y[[0, -1]]) - y))


def _tangent(
    pair: Pair, right: Thresholds, left: Thresholds
) -> tuple[Thresholds | None, Thresholds | None]:
    """Both ends of a chord: a jump stays, a smooth end moves to where the slope is the chord's."""
    if pair.discrete:
        return (right, left) if pair.far(left)[0] > pair.far(right)[0] else (None, None)
    ends = [right, left]
    for _ in range(60):
        rise = float((pair.tpr(ends[1]) - pair.tpr(ends[0]))[0])
        run = float((pair.far(ends[1]) - pair.far(ends[0]))[0])
        if run <= 0.0 or rise <= 0.0:
            return None, None
        roots = pair.ratio_roots(math.log(rise) - math.log(run))
        moved = [_nearest_root(pair, end, roots) for end in ends]
        if all(np.array_equal(m.theta, e.theta) for m, e in zip(moved, ends, strict=True)):
            break
        ends = moved
    if not float(pair.far(ends[1])[0]) > float(pair.far(ends[0])[0]) * (1.0 + _NOISE):
        return None, None
    return ends[0], ends[1]


def _nearest_root(pair: Pair, end: Thresholds, roots: Thresholds) -> Thresholds:
    """A concave tangency near `end`, or the end itself where the curve jumps or stops."""
    if roots.size == 0 or bool(_is_candidate(pair, end)[0]):
        return end
    u, here = pair.coordinates(roots), pair.coordinates(end)
    slopes = pair._slope("client", roots) - pair._slope("impostor", roots)
    distance = np.where(slopes >= 0.0, np.abs(u - here), np.inf)
    return roots[[int(np.argmin(distance))]]


def is_concave(pair: Pair) -> bool:
    """Slopes never rise as FAR grows: along the arcs, over the jumps and between them."""
    if pair.discrete or pair.client.continuous is None or pair.impostor.continuous is None:
        t = pair.candidates[::-1]
        return _falling(pair.far(t), pair.tpr(t))
    if pair.turning_points().size:
        return False
    slopes = np.array(list(_slopes(pair)))
    falling = bool(np.all(slopes[1:] <= slopes[:-1] * (1.0 + _NOISE)))
    # From corner to corner the mean slope is 1; turns deeper than any double are seen by this.
    mean = float(np.divide(pair.tpr(pair.accept_all), pair.far(pair.accept_all)))
    steep, flat = slopes[0] >= mean * (1.0 - _NOISE), slopes[-1] <= mean * (1.0 + _NOISE)
    return falling and bool(steep and flat)


def _slopes(pair: Pair) -> Iterator[float]:
    """dTPR / dFAR at both ends of every arc and over every jump, FAR ascending.

    Between jumps the likelihood ratio is monotone where it has no turning point. Trials without
    a score, a mass at -inf that no threshold accepts, are no jump of it.
    """
    lowest = min(pair._base(side).support[0] for side in CLASSES)
    joints = pair.joints[pair.joints.theta >= lowest]
    for k in range(joints.size - 1, -1, -1):
        joint = joints[[k]]
        if k < joints.size - 1:
            yield _arc_slope(pair, joint, lower=True, end=k == 0)
        client = float(pair.client.atoms.masses_at(joint)[0])
        impostor = float(pair.impostor.atoms.masses_at(joint)[0])
        if max(client, impostor) > 0.0 and joint.theta[0] > -math.inf:
            yield client / impostor if impostor > 0.0 else math.inf
        if k > 0:
            yield _arc_slope(pair, joint, lower=False, end=k == joints.size - 1)


def _arc_slope(pair: Pair, joint: Thresholds, *, lower: bool, end: bool) -> float:
    """Slope of the arc that starts (or ends) at a joint, a limit at the ends of the scale."""
    bases = pair._base("client"), pair._base("impostor")
    if end and bases[0].support == bases[1].support:
        client, impostor = (base._tails()[0 if lower else 1] for base in bases)
        return limits(client, impostor, lower=lower).reciprocal * math.exp(pair._log_share())
    beside = Thresholds.from_theta(np.nextafter(joint.theta, math.inf if lower else -math.inf))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        ratio = np.exp(pair.client._log_pdf(beside) - pair.impostor._log_pdf(beside))
    return float(np.nan_to_num(ratio, nan=0.0, posinf=math.inf)[0])


def _falling(x: FloatArray, y: FloatArray) -> bool:
    run, rise = np.diff(x), np.diff(y)
    move = (run > 0.0) | (rise > 0.0)
    run, rise = run[move], rise[move]
    left, right = rise[:-1] * run[1:], rise[1:] * run[:-1]
    return bool(np.all(right <= left + _NOISE * (left + right)))
