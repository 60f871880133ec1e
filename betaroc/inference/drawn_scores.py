"""Score sets drawn again, each as a model: as they are, or smoothed in normal scores."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.options import IntervalOptions
from betaroc.core.resampling import streams
from betaroc.data.groups import groups_of, refuse_few, refuse_one_group
from betaroc.data.scores import Scores
from betaroc.distributions.empirical import Drawn
from betaroc.distributions.gaps import Gaps
from betaroc.inference.drawn_trials import DrawnRows
from betaroc.model.model import ScoreModel

_CLASSES = ("client", "impostor")
#: Silverman's rule.
_FACTOR, _NORMAL_IQR = 0.9, 1.349
#: Of the noise, where it is not drawn.
_PARTS = 15
#: Replicates drawn at once, times rows.
_AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False)
class DrawnScores:
    """Replicates of one or two systems that judge the same trials.

    Parameters
    ----------
    systems : tuple of Scores
        The systems; of two the same rows are drawn.
    options : IntervalOptions
        Replicates, groups and randomness.
    smoothed : bool
        Whether normal noise is added to the sum of the normal scores of both classes: what an
        increasing map of the scores does not change.
    """

    systems: tuple[Scores, ...]
    options: IntervalOptions
    smoothed: bool = False

    def drawn_from(self) -> tuple[ScoreModel, ...]:
        """The pairs that smoothed replicates are drawn from."""
        return tuple(_Smoothed(scores).whole() for scores in self.systems)

    @cached_property
    def _rows(self) -> DrawnRows:
        first = self.systems[0]
        groups = groups_of(first) if self.options.groups else None
        return DrawnRows.of(first, groups if groups is not None and groups.dependent else None)

    def models(self) -> Iterator[tuple[ScoreModel | None, ...]]:
        """The systems of each replicate; None where a class came out empty."""
        made = [_Smoothed(s) if self.smoothed else _Plain(s) for s in self.systems]
        for rows, stream in streams(self.options.replicates, self.options.rng):
            step = max(1, _AT_ONCE // self._rows.size)
            for start in range(rows.start, rows.stop, step):
                client, impostor = self._rows.draw(stream, min(step, rows.stop - start))
                for c, i in zip(client, impostor, strict=True):
                    empty = not (np.any(c) and np.any(i))
                    yield tuple(None if empty else one.model((c, i), stream) for one in made)


class _Plain:
    """The scores themselves, in order."""

    def __init__(self, scores: Scores) -> None:
        self.prior = scores.prior
        self.order = [np.argsort(getattr(scores, who), kind="stable") for who in _CLASSES]
        self.values = [
            getattr(scores, who)[order] for who, order in zip(_CLASSES, self.order, strict=True)
        ]

    def model(self, counts: tuple[IntArray, IntArray], _: np.random.Generator) -> ScoreModel:
        """The pair of a replicate."""
        laws = []
        for values, order, drawn in zip(self.values, self.order, counts, strict=True):
            copies = drawn[order]
            kept = copies > 0
            laws.append(_law(values[kept], copies[kept]))
        return ScoreModel(laws[0], laws[1], prior=self.prior)


class _Smoothed:
    """The scores on a scale that suits both classes, with noise, and the way back.

    The scale is the sum of the normal deviates of the ranks in either class: of binormal
    scores a line, and as wide where the classes are apart as within them.
    """

    def __init__(self, scores: Scores) -> None:
        from scipy.special import ndtri

        self.prior = scores.prior
        parts = [getattr(scores, who) for who in _CLASSES]
        self.weights = [np.ones(p.size) if w is None else w for p, w in zip(
            parts, (scores.client_weights, scores.impostor_weights), strict=True)]  # fmt: skip
        kept = [p[w > 0.0] for p, w in zip(parts, self.weights, strict=True)]
        self.places = np.unique(np.concatenate(kept))
        # A trial without weight, which is never drawn, has any place.
        last = self.places.size - 1
        where = [np.minimum(np.searchsorted(self.places, p), last) for p in parts]
        self.deviates = np.zeros(self.places.size)
        for own, weight in zip(where, self.weights, strict=True):
            masses = np.bincount(own, weight, minlength=self.places.size)
            upto = np.cumsum(masses)
            self.deviates += ndtri((upto - 0.5 * masses + 0.5) / (upto[-1] + 1.0))
        absent = int(self.places[0] == -np.inf)  # a trial without a score stays one
        self.deviates[:absent] = -np.inf
        self.values = [self.deviates[own] for own in where]
        self.places, self.deviates = self.places[absent:], self.deviates[absent:]
        self.noise = [_bandwidth(v, w) for v, w in zip(self.values, self.weights, strict=True)]

    def model(self, counts: tuple[IntArray, IntArray], rng: np.random.Generator) -> ScoreModel:
        """The pair of a replicate, on the scale of the scores."""
        laws = []
        for values, noise, drawn in zip(self.values, self.noise, counts, strict=True):
            z = np.repeat(values, drawn)
            z = np.sort(z + noise * rng.standard_normal(z.size))
            laws.append(_law(self._back(z), np.ones(z.size)))
        return ScoreModel(laws[0], laws[1], prior=self.prior)

    def whole(self) -> ScoreModel:
        """The pair that replicates are drawn from, its noise in equal parts."""
        from scipy.special import ndtri

        parts, laws = ndtri((np.arange(_PARTS) + 0.5) / _PARTS), []
        for values, noise, weights in zip(self.values, self.noise, self.weights, strict=True):
            z = (values[:, None] + noise * parts).ravel()
            copies = np.repeat(weights, _PARTS)
            order = np.argsort(z)
            order = order[copies[order] > 0.0]
            laws.append(_law(self._back(z[order]), copies[order]))
        return ScoreModel(laws[0], laws[1], prior=self.prior)

    def _back(self, z: FloatArray) -> FloatArray:
        """Between the scores along straight lines; what leaves them lies on the outermost."""
        return np.where(z == -np.inf, -np.inf, np.interp(z, self.deviates, self.places))


def _law(values: FloatArray, copies: FloatArray | IntArray) -> Drawn:
    """The distribution of ascending values."""
    new = np.concatenate([[True], values[1:] != values[:-1]])
    starts = np.flatnonzero(new)
    return Drawn(values[starts], np.add.reduceat(copies, starts).astype(np.float64))


def _bandwidth(values: FloatArray, weights: FloatArray) -> float:
    values, weights = values[values > -np.inf], weights[values > -np.inf]
    order = np.argsort(values)
    upto = np.cumsum(weights[order])
    n = float(upto[-1])
    quartiles = values[order][np.searchsorted(upto, [0.25 * n, 0.75 * n])]
    mean = np.sum(weights * values) / n
    sd = math.sqrt(float(np.sum(weights * (values - mean) ** 2)) / n)
    spread = min([s for s in (sd, float(quartiles[1] - quartiles[0]) / _NORMAL_IQR) if s > 0.0],
                 default=0.0)  # fmt: skip
    return float(_FACTOR * spread * n**-0.2)


def refuse_still(scores: Scores, name: str, *, groups: bool = True) -> None:
    """A class whose one trial, or group, is all that can be drawn does not vary."""
    refuse_few(scores, name, "to be drawn again")
    if groups:
        refuse_one_group(scores, name)


# ------------------------------------------------------------------ equal error rates
def drawn_equal_errors(gaps: Gaps, options: IntervalOptions) -> FloatArray:
    """The EER of each replicate of independent trials.

    Of the clients and impostors drawn, those up to the middle gap of an interval are binomial
    given how many lie in it; FAR - FRR falls along the gaps, so that its sign tells which half
    holds the balance.
    """
    clients = np.rint(gaps._clients).astype(np.int64)
    impostors = np.rint(gaps._impostors).astype(np.int64)
    return options.replicated(lambda rng, size: _balanced(rng, clients, impostors, size))


def _balanced(
    rng: np.random.Generator, clients: IntArray, impostors: IntArray, size: int
) -> FloatArray:
    """Counts are of scores up to each gap, the last of all."""
    n, m = int(clients[-1]), int(impostors[-1])
    # Gaps between which the balance lies, and what was drawn up to each of them.
    low, high = np.zeros(size, np.int64), np.full(size, clients.size - 1, np.int64)
    c_low, i_low = (_below_all(rng, upto, size) for upto in (clients, impostors))
    c_high, i_high = np.full(size, n, np.int64), np.full(size, m, np.int64)
    while np.any(high - low > 1):
        middle = (low + high) // 2
        c = c_low + _part(rng, clients, low, middle, high, c_high - c_low)
        i = i_low + _part(rng, impostors, low, middle, high, i_high - i_low)
        # FAR >= FRR, in whole numbers.
        before = (m - i) * n >= c * m
        low, high = np.where(before, middle, low), np.where(before, high, middle)
        c_low, c_high = np.where(before, c, c_low), np.where(before, c_high, c)
        i_low, i_high = np.where(before, i, i_low), np.where(before, i_high, i)
    ends = [((m - i) / m, c / n) for c, i in ((c_low, i_low), (c_high, i_high))]
    gap, half = zip(*((np.abs(far - frr), 0.5 * (far + frr)) for far, frr in ends), strict=True)
    tied = np.isclose(gap[0], gap[1], rtol=0.0, atol=1e-12)
    first = np.where(tied, half[0] <= half[1], gap[0] < gap[1])
    return np.asarray(np.where(first, half[0], half[1]))


def _below_all(rng: np.random.Generator, upto: IntArray, size: int) -> IntArray:
    """How many of those drawn have no score and lie below every gap."""
    n = int(upto[-1])
    return rng.binomial(n, upto[0] / n, size) if upto[0] else np.zeros(size, np.int64)


def _part(
    rng: np.random.Generator, upto: IntArray, low: IntArray, middle: IntArray, high: IntArray,
    drawn: IntArray,
) -> IntArray:  # fmt: skip
    """Of those drawn between two gaps, how many lie up to the middle one."""
    whole, own = upto[high] - upto[low], upto[middle] - upto[low]
    share = np.divide(own, whole, out=np.zeros(low.size), where=whole > 0)
    return np.asarray(rng.binomial(drawn, share))


# ------------------------------------------------------------------ the TPR at each FAR
def drawn_tpr(model: ScoreModel, far: FloatArray, options: IntervalOptions) -> FloatArray:
    """The TPR at each FAR in each replicate of independent trials, a row each.

    Of m impostors drawn at most floor(far m) are accepted above the next largest one. The largest
    of m uniform shares are sums of exponential ones over their whole sum, and tell which impostors
    those are; the clients drawn between two of these are binomial given those above.
    """
    client, impostor = (law._steps for law in (model.client, model.impostor))  # type: ignore[attr-defined]
    n, m = (round(float(np.sum(masses))) for _, masses in (client, impostor))
    accepted = np.floor(far * m)
    accepted += ((accepted + 1.0) / m <= far).astype(float) - (accepted / m > far)
    order = np.argsort(far, kind="stable")
    ranks = accepted[order].astype(np.int64) + 1
    inside = ranks <= m  # else all impostors may be accepted
    # Of shares from the top: which impostor, and how many clients score above it.
    above = np.cumsum(impostor[1][::-1])
    clients = np.concatenate([np.cumsum(client[1][::-1])[::-1], [0.0]])
    beyond = clients[np.searchsorted(client[0], impostor[0][::-1], side="right")]
    steps = np.diff(ranks[inside], prepend=0)

    def draw(rng: np.random.Generator, size: int) -> FloatArray:
        sums = np.cumsum(rng.gamma(steps, size=(size, steps.size)), axis=1)
        rest = m + 1 - (int(ranks[inside][-1]) if steps.size else 0)
        shares = sums / (sums[:, -1:] + rng.gamma(rest, size=(size, 1)))
        which = np.searchsorted(above, shares * m, side="right")
        odds = beyond[np.minimum(which, above.size - 1)] / n
        found = np.ones((size, far.size))
        found[:, order[inside]] = _cumulated(rng, n, odds) / n
        return found

    return options.replicated(draw, far.size)


def _cumulated(rng: np.random.Generator, n: int, shares: FloatArray) -> IntArray:
    """How many of n lie above each of some places that fall, by the share that does."""
    counts = np.zeros(shares.shape, dtype=np.int64)
    so_far, before = np.zeros(shares.shape[0], dtype=np.int64), np.zeros(shares.shape[0])
    for k in range(shares.shape[1]):
        rest = 1.0 - before
        part = np.divide(shares[:, k] - before, rest, out=np.zeros(rest.size), where=rest > 0.0)
        so_far = so_far + rng.binomial(n - so_far, np.clip(part, 0.0, 1.0))
        counts[:, k], before = so_far, shares[:, k]
    return counts
