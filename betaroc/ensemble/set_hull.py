"""The least concave curve above several ROCs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import as_output
from betaroc.core.checks import probability_array
from betaroc.core.notices import collect_warnings
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import Value
from betaroc.core.vocabulary import FAR, Sentence
from betaroc.distributions.pairs import Pair
from betaroc.model.areas import partial_auc
from betaroc.model.roc import Roc
from betaroc.model.roc_functions import curve_thresholds, nearest_root
from betaroc.rendering.numbers import extreme

#: Points of each curve from which the chords are found, before they are polished.
_POINTS = 400
#: A chord this far above the curve is rounding.
_SHALLOW = 1e-12
#: This close to (0, 0) or (1, 1) a dense polyline cannot tell a tangency from the corner.
_CORNER = 1e-9
#: A polished chord ends this near to the one that was seen.
_NEAR = 0.02
_STEPS = 60


class HullSegment(NamedTuple):
    """One piece of a hull, FAR ascending."""

    far_low: float
    far_high: float
    tpr_low: float
    tpr_high: float
    #: Whose curve it is, or whose points a chord joins: the left one's, the right one's.
    left: str
    right: str
    #: "curve" or "chord".
    kind: str

    def __str__(self) -> str:
        who = self.left if self.left == self.right else f"{self.left} to {self.right}"
        return Sentence(
            f"{FAR} {extreme(self.far_low, 4)} to {extreme(self.far_high, 4)}: {self.kind} of {who}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class EnsembleHull(Value):
    """The ROC hull of several classifiers (Provost and Fawcett 2001).

    A point on a chord is attained by deciding with one of the two classifiers, each at its own
    threshold, at random.

    Parameters
    ----------
    rocs : dict
        The fitted curves, by name.
    segments : tuple of HullSegment
        From FAR 0 to 1.
    auc : float
        Area under the hull.
    unused : tuple of str
        Classifiers that never touch it, and those whose curve is that of another.

    Examples
    --------
    >>> import betaroc as br
    >>> from betaroc.ensemble.set_hull import hull_of
    >>> strict = br.ScoreModel(br.Beta(1, 1), br.Beta(1, 2)).roc()  # TPR = sqrt(FAR)
    >>> lax = br.ScoreModel(br.Beta(2, 1), br.Beta(1, 1)).roc()  # TPR = 1 - (1 - FAR)^2
    >>> [segment.kind for segment in hull_of({"strict": strict, "lax": lax}).segments]
    ['curve', 'chord', 'curve']
    """

    rocs: Mapping[str, Roc]
    segments: tuple[HullSegment, ...]
    auc: float
    unused: tuple[str, ...]

    def tpr(self, fpr: Any) -> Any:
        """Height of the hull at FARs in [0, 1].

        Examples
        --------
        >>> import betaroc as br
        >>> from betaroc.ensemble.set_hull import hull_of
        >>> hull = hull_of({"dented": br.ScoreModel(br.Beta(2, 2), br.Beta(1, 1)).roc()})
        >>> round(hull.tpr(0.5), 9)  # a chord of slope 9/8
        0.5625
        """
        x = probability_array(fpr, "fpr")
        y = np.full(x.shape, np.nan)
        for s in self.segments:
            inside = (x >= s.far_low) & (x <= s.far_high)
            if s.kind == "curve" and s.far_high > s.far_low:
                height = np.asarray(self.rocs[s.left].tpr(x))
            else:  # where it is vertical it counts by its top
                height = np.interp(x, [s.far_low, s.far_high], [s.tpr_low, s.tpr_high])
            y = np.where(inside, np.fmax(y, height), y)
        return as_output(np.asarray(y))


class _Vertex(NamedTuple):
    """A point of a curve, or one of the corners, which belong to all."""

    far: float
    tpr: float
    name: str
    #: Its number along the curve.
    number: int
    t: Thresholds

    def off(self, vertex: _Vertex) -> float:
        return abs(self.far - vertex.far) + abs(self.tpr - vertex.tpr)

    def to(self, vertex: _Vertex) -> tuple[float, float]:
        """Run and rise to another point."""
        return vertex.far - self.far, vertex.tpr - self.tpr


@collect_warnings
def hull_of(rocs: Mapping[str, Roc], equal: tuple[str, ...] = ()) -> EnsembleHull:
    """The hull of curves; those in `equal` are left out."""
    curves = {name: _points(name, roc) for name, roc in rocs.items() if name not in equal}
    pieces: list[HullSegment] = []
    for a, b in itertools.pairwise(_chain(curves)):
        kind = "curve" if _along(curves, a, b) else "chord"
        if kind == "chord":
            a, b = _tangent({name: roc._pair for name, roc in rocs.items()}, a, b)
        left, right = a.name or b.name, b.name or a.name
        pieces.append(HullSegment(a.far, b.far, a.tpr, b.tpr, left, right, kind))
    segments = _merged(pieces)
    used = {name for s in segments for name in (s.left, s.right)}
    area = math.fsum(_area(rocs, s) for s in segments)
    return EnsembleHull(dict(rocs), segments, area, tuple(n for n in rocs if n not in used))


def _points(name: str, roc: Roc) -> list[_Vertex]:
    """A curve between the corners, FAR ascending."""
    pair = roc._pair
    t = curve_thresholds(pair, _POINTS)[::-1]
    far, frr, tpr, tnr = pair.far(t), pair.frr(t), pair.tpr(t), pair.tnr(t)
    inner = np.flatnonzero((np.maximum(far, tpr) > _CORNER) & (np.maximum(frr, tnr) > _CORNER))
    return [
        _Vertex(float(far[i]), float(tpr[i]), name, k, t[[i]]) for k, i in enumerate(inner.tolist())
    ]


def _chain(curves: Mapping[str, list[_Vertex]]) -> list[_Vertex]:
    """Vertices of the hull of all points, from (0, 0) to (1, 1)."""
    nothing = Thresholds.from_theta(np.empty(0))
    corners = [_Vertex(x, x, "", -1, nothing) for x in (0.0, 1.0)]
    points = sorted((v for curve in curves.values() for v in curve), key=itemgetter(0, 1))
    chain: list[_Vertex] = []
    for v in (corners[0], *points, corners[1]):
        if chain and chain[-1].to(v)[0] <= 0.0 and chain[-1].to(v)[1] <= 0.0:
            continue  # below another curve at the same FAR
        while len(chain) > 1:
            (run_1, rise_1), (run_2, rise_2) = chain[-2].to(chain[-1]), chain[-1].to(v)
            if run_1 * rise_2 <= rise_1 * run_2:
                break
            chain.pop()
        chain.append(v)
    return chain


def _along(curves: Mapping[str, list[_Vertex]], a: _Vertex, b: _Vertex) -> bool:
    """Whether a piece of the hull is one curve, but for rounding."""
    name = a.name or b.name
    if (b.name or a.name) != name or name == "":
        return False
    curve = curves[name]
    skipped = curve[a.number + 1 : b.number if b.name else len(curve)]
    if not skipped:
        return True
    (run, rise), ways = a.to(b), [a.to(v) for v in skipped]
    if not run > 0.0:
        return True
    return max(rise * dx / run - dy for dx, dy in ways) <= _SHALLOW


def _tangent(pairs: Mapping[str, Pair], a: _Vertex, b: _Vertex) -> tuple[_Vertex, _Vertex]:
    """A chord whose ends have the slopes of their curves."""
    ends = [a, b]
    for _ in range(_STEPS):
        run, rise = ends[0].to(ends[1])
        if not (run > 0.0 and rise > 0.0):
            return a, b
        level, before = math.log(rise) - math.log(run), ends
        ends = [_touching(pairs.get(v.name), v, level) for v in ends]
        if all(m.off(v) <= 1e-15 for m, v in zip(ends, before, strict=True)):
            break
    # A chord that ran away from where it was seen was none.
    return (ends[0], ends[1]) if max(ends[0].off(a), ends[1].off(b)) <= _NEAR else (a, b)


def _touching(pair: Pair | None, v: _Vertex, level: float) -> _Vertex:
    """The point near v with this log slope; v itself at a jump or corner."""
    if pair is None or pair.discrete:
        return v
    at = nearest_root(pair, v.t, pair.ratio_roots(level))
    return _Vertex(float(pair.far(at)[0]), float(pair.tpr(at)[0]), v.name, v.number, at)


def _merged(pieces: list[HullSegment]) -> tuple[HullSegment, ...]:
    """Neighbouring pieces of one curve as one; ends follow the chords beside them."""
    result: list[HullSegment] = []
    for piece in pieces:
        last = result[-1] if result else piece
        if (
            last.kind == piece.kind == "chord"
            and last.right == piece.left
            and (last.far_high < piece.far_low)
        ):  # the arc, shorter than the mesh, on which two polished chords touch one curve
            ends = last.far_high, piece.far_low, last.tpr_high, piece.tpr_low
            result.append(HullSegment(*ends, piece.left, piece.left, "curve"))
        if result and last.kind == piece.kind == "curve" and last.left == piece.left:
            result[-1] = last._replace(far_high=piece.far_high, tpr_high=piece.tpr_high)
        else:
            result.append(piece)
    for k, s in enumerate(result):
        if s.kind == "curve" and k > 0 and result[k - 1].kind == "chord":
            s = s._replace(far_low=result[k - 1].far_high, tpr_low=result[k - 1].tpr_high)
        if s.kind == "curve" and k + 1 < len(result) and result[k + 1].kind == "chord":
            s = s._replace(far_high=result[k + 1].far_low, tpr_high=result[k + 1].tpr_low)
        result[k] = s
    return tuple(s for s in result if s.far_high > s.far_low or s.tpr_high > s.tpr_low)


def _area(rocs: Mapping[str, Roc], s: HullSegment) -> float:
    if s.kind == "chord":
        return 0.5 * (s.far_high - s.far_low) * (s.tpr_low + s.tpr_high)
    return partial_auc(rocs[s.left]._pair, s.far_low, s.far_high)
