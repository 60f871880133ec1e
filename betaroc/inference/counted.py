"""Intervals of numbers that are counted on scores: by resampling, by counts, by groups."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.resampling import streams
from betaroc.core.special import share_ends
from betaroc.core.thresholds import Thresholds
from betaroc.data.groups import Groups, groups_of, settled, weights_of
from betaroc.data.scores import Scores
from betaroc.distributions.empirical import cells_of
from betaroc.inference.drawn_groups import GroupedSide
from betaroc.inference.interval import Limits, from_logit
from betaroc.inference.rate_errors import rate_covariance
from betaroc.model.measures import OperatingPoint
from betaroc.model.model import ScoreModel

__all__ = [
    "FAR", "REPLICATES", "observed_ends", "resampled_ends", "tpr_ends", "whole_weights",
]  # fmt: skip

#: Score sets drawn for the EER of scores and its threshold.
REPLICATES = 1000
#: The FAR at which the TPR stands in tables.
FAR = 0.01
#: Standard errors of FAR - FRR within which the EER of a replicate is looked for.
_REACH = 12.0
#: Thresholds of the search.
_SEARCHED = 1000


class _Drawn(NamedTuple):
    """Error rates of a block of replicates, a row each, at ascending thresholds."""

    far: FloatArray
    frr: FloatArray


def whole_weights(scores: Scores) -> bool:
    """Whether the weights are numbers of copies, which can be drawn and counted."""
    given = (scores.client_weights, scores.impostor_weights)
    return all(w is None or bool(np.all(w == np.floor(w))) for w in given)


# ------------------------------------------------------------------- chosen on the scores
def resampled_ends(
    scores: Scores, empirical: ScoreModel, level: float, rng: Any
) -> dict[str, Limits]:
    """Percentile intervals of the EER and its threshold.

    Trials of each class are drawn with replacement, where there are groups these; the
    threshold is chosen again in every replicate.
    """
    t = _searched(empirical, scores)
    draw = _drawing(scores, empirical, t)
    found = []
    for rows, stream in streams(REPLICATES, rng):
        found.append(_chosen(draw(stream, rows.stop - rows.start), t))
    values = np.concatenate(found)
    tail = 0.5 * (1.0 - level)
    # Replicates are steps, thresholds among them infinite: no value between two.
    low, high = np.quantile(values, [tail, 1.0 - tail], axis=0, method="inverted_cdf")
    names = ("eer", "threshold@eer")
    return {n: (float(a), float(b)) for n, a, b in zip(names, low, high, strict=True)}


def tpr_ends(scores: Scores, level: float, *, binned: bool = False) -> Limits:
    """Interval of the TPR where the true FAR is 1 %, whatever the laws.

    The number of impostors above that threshold is binomial, so that it lies between two of
    the impostor scores; at these Clopper and Pearson's bounds of the TPR. Each holds with
    the root of the level, and both classes are independent. Of bins, clients that share that
    of the impostor count as below for the lower bound and as above for the upper one.
    """
    low_side, high_side = ("right", "left") if binned else ("left", "right")
    client, impostor = (_Counted.of(scores, who) for who in ("client", "impostor"))
    tail = 0.5 * (1.0 - math.sqrt(level))
    fewest, most = (_binomial_quantile(p, impostor.n) for p in (tail, 1.0 - tail))
    low, high = 0.0, 1.0
    if fewest > 0:
        hits = client.n - client.below(impostor.from_above(fewest), low_side)
        low = float(share_ends(hits, client.n, tail)[0])
    if most < impostor.n:
        hits = client.n - client.below(impostor.from_above(most + 1), high_side)
        high = float(share_ends(hits, client.n, tail)[1])
    return low, high


class _Counted(NamedTuple):
    """A class in order: its scores, and how many are up to each."""

    values: FloatArray
    upto: FloatArray

    @classmethod
    def of(cls, scores: Scores, who: str) -> _Counted:
        values, weights = getattr(scores, who), weights_of(scores, who)
        order = np.argsort(values)
        return cls(values[order], np.cumsum(weights[order]))

    @property
    def n(self) -> int:
        return round(float(self.upto[-1]))

    def from_above(self, k: int) -> float:
        """The k-th largest score."""
        return float(self.values[np.searchsorted(self.upto, self.n - k, side="right")])

    def below(self, place: float, side: str) -> int:
        """Scores below a place, with side "right" those at it too."""
        k = int(np.searchsorted(self.values, place, side=side))  # type: ignore[call-overload]
        return round(float(self.upto[k - 1])) if k else 0


def _binomial_quantile(p: float, n: int) -> int:
    """The fewest k with P(Binomial(n, FAR) <= k) >= p."""
    from scipy.special import betainc

    low, high = -1, n
    while high - low > 1:
        k = (low + high) // 2
        low, high = (low, k) if betainc(n - k, k + 1.0, 1.0 - FAR) >= p else (k, high)
    return high


def _searched(empirical: ScoreModel, scores: Scores) -> Thresholds:
    """Thresholds among which those of the replicates lie."""
    t = empirical._pair.candidates
    t = t[t.order()]
    far, frr = empirical._pair.far(t), empirical._pair.frr(t)
    n = min(scores.client_total, scores.impostor_total)
    groups = groups_of(scores)
    if groups is not None:
        n = min(n, *(size for size in groups.sizes if size is not None))
    near = np.flatnonzero(np.abs(far - frr) <= _REACH / math.sqrt(n))
    places = np.linspace(0, max(near.size - 1, 0), min(_SEARCHED, near.size))
    return t[np.unique([np.argmin(np.abs(far - frr)), *near[np.rint(places).astype(np.intp)]])]


def _drawing(
    scores: Scores, empirical: ScoreModel, t: Thresholds
) -> Callable[[np.random.Generator, int], _Drawn]:
    laws = (empirical.client, empirical.impostor)
    groups = groups_of(scores)
    if groups is not None:
        side = GroupedSide.of(groups, laws, scores, stratified=True)  # type: ignore[arg-type]
        cells = side.cells((side, t))

        def grouped(rng: np.random.Generator, size: int) -> _Drawn:
            drawn = cells.draw(rng, size)[0]
            kept = ~drawn.lost
            far = drawn.accepted[kept] / drawn.impostors[kept, None]
            return _Drawn(far, drawn.rejected[kept] / drawn.clients[kept, None])

        return grouped
    client, impostor = (cells_of(law, t) for law in laws)  # type: ignore[arg-type]

    def single(rng: np.random.Generator, size: int) -> _Drawn:
        totals = [np.full(size, side.total, dtype=np.int64) for side in (client, impostor)]
        frr = client.draw(rng, totals[0]) / client.total
        return _Drawn(1.0 - impostor.draw(rng, totals[1]) / impostor.total, frr)

    return single


def _chosen(drawn: _Drawn, t: Thresholds) -> FloatArray:
    """EER and its threshold."""
    rows = np.arange(drawn.far.shape[0])
    nearest = np.argmin(np.abs(drawn.far - drawn.frr), axis=1)
    eer = 0.5 * (drawn.far[rows, nearest] + drawn.frr[rows, nearest])
    return np.column_stack([eer, t.theta[nearest]])


# -------------------------------------------------------------------- at fixed thresholds
def observed_ends(
    scores: Scores, points: Sequence[OperatingPoint], t: Thresholds, level: float
) -> list[dict[str, Limits | None]]:
    """Intervals of FAR, FRR, HTER and F1 at thresholds that were chosen elsewhere.

    Independent trials: Clopper and Pearson's of both rates, the HTER from these (Zou and
    Donner), F1 by the delta method. Groups: delta method with their covariance, on the
    logit scale; None where a number is 0 or 1 and so has no derivative.
    """
    groups = groups_of(scores)
    if groups is not None and not groups.dependent:
        groups = None
    covariance = _covariance(scores, t, groups)
    reach = _reach(groups, level)
    found = []
    for point, v in zip(points, covariance, strict=True):
        ends = {
            name: _logit_ends(value, gradient, v, reach)
            for name, (value, gradient) in _numbers(point).items()
        }
        if groups is None:
            far = exact_ends(float(point.far), scores.impostor_total, level)
            frr = exact_ends(float(point.frr), scores.client_total, level)
            ends |= {"far": far, "frr": frr, "hter": _mean_ends(point, far, frr)}
        found.append(ends)
    return found


def exact_ends(rate: float, total: float, level: float) -> Limits:
    """Clopper and Pearson's interval of a share of so many trials."""
    low, high = share_ends(round(rate * total), total, 0.5 * (1.0 - level))
    return float(low), float(high)


def _mean_ends(point: OperatingPoint, far: Limits, frr: Limits) -> Limits:
    """Half of the sum: distances to the ends add up in squares."""
    rates = (float(point.far), float(point.frr))
    down = math.hypot(rates[0] - far[0], rates[1] - frr[0])
    up = math.hypot(far[1] - rates[0], frr[1] - rates[1])
    return float(point.hter) - 0.5 * down, float(point.hter) + 0.5 * up


def _numbers(point: OperatingPoint) -> dict[str, tuple[float, FloatArray]]:
    """FAR, FRR, HTER and F1 with their derivatives by FAR and FRR."""
    far, frr, prior = float(point.far), float(point.frr), float(point.prior)
    whole = prior * (2.0 - frr) + (1.0 - prior) * far
    hits = 2.0 * prior * (1.0 - frr)
    by_far = -hits * (1.0 - prior) / whole**2 if whole > 0.0 else 0.0
    by_frr = (hits - 2.0 * whole) * prior / whole**2 if whole > 0.0 else 0.0
    return {
        "far": (far, np.array([1.0, 0.0])),
        "frr": (frr, np.array([0.0, 1.0])),
        "hter": (0.5 * (far + frr), np.array([0.5, 0.5])),
        "f1": (float(point.f1), np.array([by_far, by_frr])),
    }


def _logit_ends(value: float, gradient: FloatArray, v: FloatArray, reach: float) -> Limits | None:
    variance = float(gradient @ v @ gradient)
    if not 0.0 < value < 1.0 or not variance > 0.0:
        return None
    far = reach * math.sqrt(variance) / (value * (1.0 - value))
    centre = math.log(value) - math.log1p(-value)
    return from_logit(centre - far), from_logit(centre + far)


def _covariance(scores: Scores, t: Thresholds, groups: Groups | None) -> list[FloatArray]:
    """Of FAR and FRR at each threshold."""
    laws = scores._distributions
    if groups is None:
        n = [law.total for law in laws]
        frr, far = laws[0].counts_at_most(t) / n[0], laws[1].counts_above(t) / n[1]
        variances = np.stack([far * (1.0 - far) / n[1], frr * (1.0 - frr) / n[0]], axis=1)
        return [np.diag(pair) for pair in variances]
    whole, twice = rate_covariance(groups, laws, scores, t)
    found = []
    for k in range(t.size):
        block = np.ix_([k, t.size + k], [k, t.size + k])
        found.append(settled(whole[block], twice[block]))
    return found


def _reach(groups: Groups | None, level: float) -> float:
    """Of the normal law; Student's t where variances are between groups."""
    from scipy.special import ndtri, stdtrit

    sizes = [] if groups is None else [size for size in groups.sizes if size is not None]
    if not sizes:
        return float(ndtri(0.5 * (1.0 + level)))
    return -float(stdtrit(min(sizes) - 1, 0.5 * (1.0 - level)))
