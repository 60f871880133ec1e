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
from betaroc.model.roc_functions import curve_thresholds, nearest_root, sample_chain
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

    def to(self, kind: str, v: _Vertex) -> HullSegment:
        """The piece up to another point."""
        names = self.name or v.name, v.name or self.name
        return HullSegment(self.far, v.far, self.tpr, v.tpr, *names, kind)


@collect_warnings
def hull_of(rocs: Mapping[str, Roc], equal: tuple[str, ...] = ()) -> EnsembleHull:
    """The hull of curves; those in `equal` are left out."""
    curves = {name: _points(name, roc) for name, roc in rocs.items() if name not in equal}
    nothing = Thresholds.from_theta(np.empty(0))
    corners = [_Vertex(x, x, "", -1, nothing) for x in (0.0, 1.0)]
    # Of points that curves share the first curve's is the last, which stays.
    shared = itertools.chain(corners, *reversed(curves.values()))
    vertices = sorted(shared, key=itemgetter(0, 1))
    far, tpr = np.array([v[:2] for v in vertices]).T
    chain = [vertices[k] for k in sample_chain(far, tpr)]
    # Between two chords, and beside the outer ones, the hull is one curve.
    pieces, last = list[HullSegment](), chain[0]._replace(name=chain[1].name)
    for a, b in itertools.pairwise(chain):
        if not _along(curves.get(a.name or b.name, []), a, b):
            a, b = _tangent({name: roc._pair for name, roc in rocs.items()}, a, b)
            pieces += [last.to("curve", a), a.to("chord", b)]
            last = b
    pieces.append(last.to("curve", chain[-1]))
    segments = [s for s in pieces if s.far_high > s.far_low or s.tpr_high > s.tpr_low]
    used = {name for s in segments for name in (s.left, s.right)}
    area = math.fsum(_area(rocs, s) for s in segments)
    unused = tuple(name for name in rocs if name not in used)
    return EnsembleHull(dict(rocs), tuple(segments), area, unused)


def _points(name: str, roc: Roc) -> list[_Vertex]:
    """A curve between the corners, FAR ascending."""
    pair = roc._pair
    t = curve_thresholds(pair, _POINTS)[::-1]
    far, frr, tpr, tnr = pair.far(t), pair.frr(t), pair.tpr(t), pair.tnr(t)
    inner = np.flatnonzero((np.maximum(far, tpr) > _CORNER) & (np.maximum(frr, tnr) > _CORNER))
    return [
        _Vertex(float(far[i]), float(tpr[i]), name, k, t[[i]]) for k, i in enumerate(inner.tolist())
    ]


def _along(curve: list[_Vertex], a: _Vertex, b: _Vertex) -> bool:
    if not curve or (b.name or a.name) != curve[0].name:
        return False
    skipped = curve[a.number + 1 : b.number if b.name else len(curve)]
    run, rise = b.far - a.far, b.tpr - a.tpr
    return run <= 0.0 or all(
        rise * (v.far - a.far) / run - (v.tpr - a.tpr) <= _SHALLOW for v in skipped
    )


def _tangent(pairs: Mapping[str, Pair], a: _Vertex, b: _Vertex) -> tuple[_Vertex, _Vertex]:
    ends = [a, b]
    for _ in range(_STEPS):
        run, rise = ends[1].far - ends[0].far, ends[1].tpr - ends[0].tpr
        if not (run > 0.0 and rise > 0.0):
            return a, b
        level, before = math.log(rise) - math.log(run), ends
        ends = [_touching(pairs.get(v.name), v, level) for v in ends]
        if all(m.off(v) <= 1e-15 for m, v in zip(ends, before, strict=True)):
            break
    # A chord that ran away from where it was seen was none.
    return (ends[0], ends[1]) if max(ends[0].off(a), ends[1].off(b)) <= _NEAR else (a, b)


def _touching(pair: Pair | None, v: _Vertex, level: float) -> _Vertex:
    if pair is None or pair.discrete:
        return v
    at = nearest_root(pair, v.t, pair.ratio_roots(level))
    return _Vertex(float(pair.far(at)[0]), float(pair.tpr(at)[0]), v.name, v.number, at)


def _area(rocs: Mapping[str, Roc], s: HullSegment) -> float:
    if s.kind == "chord":
        return 0.5 * (s.far_high - s.far_low) * (s.tpr_low + s.tpr_high)
    return partial_auc(rocs[s.left]._pair, s.far_low, s.far_high)
