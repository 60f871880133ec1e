"""Where the threshold of a target rate falls that is counted on scores: order statistics.

Of n scores of a class the one that k others lie beyond has a tail that is Beta(k + 1, n - k), for
any continuous distribution. The threshold lies half-way from it to the next score beyond, of
either class. "Beyond" is above for impostors, of whom k are accepted, and below for clients, of
whom k are rejected.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.thresholds import Thresholds
from betaroc.core.vocabulary import FAR
from betaroc.distributions.base import Distribution
from betaroc.distributions.pairs import Pair

#: Normal deviates, and logits of uniform shares: the trapezoidal rule errs by about 1e-7.
_DEVIATES, _LOGITS = np.arange(-6.6, 6.61, 0.6), np.arange(-18.0, 18.01, 0.75)
#: Nodes of Laguerre's rule for a gap in which one class alone may have a score.
_NODES = 14
#: A share of nobody that may be divided by.
_NOBODY = 1e-300
#: Thresholds with their probabilities.
Part = tuple[Thresholds, FloatArray]


class DrawnThresholds(NamedTuple):
    """Thresholds with their probabilities, which add up to 1."""

    thresholds: Thresholds
    share: FloatArray

    def mean(self, values: FloatArray) -> float:
        """Of a number of each threshold."""
        return float(np.sum(self.share * values))

    def sd(self, values: FloatArray) -> float:
        """Standard deviation of a number of each threshold."""
        return math.sqrt(max(self.mean((values - self.mean(values)) ** 2), 0.0))


def drawn_thresholds(
    pair: Pair, rate: Fraction, sizes: tuple[int, int], name: str
) -> tuple[DrawnThresholds, float]:
    """The thresholds of a dev set, and the rate that is counted there.

    Parameters
    ----------
    pair : Pair
        Continuous distributions.
    rate : Fraction
        The FAR, or the FRR, that is asked for.
    sizes : tuple of int
        Client and impostor scores.
    name : str
        The slot of FAR or of FRR.
    """
    up = name == FAR
    laws = (pair.impostor, pair.client) if up else (pair.client, pair.impostor)
    n, m = sizes[::-1] if up else sizes
    dev = _Dev(_Side(laws[0], up), _Side(laws[1], up), n, m, pair.unit)
    k, rest = divmod(rate * n, 1)
    if 2 * rest == 1:
        parts, upper = dev.of_tie(k)
    else:
        k, upper = k + (2 * rest > 1), 0.0
        parts = dev.of_count(k)
    share = np.concatenate([part[1] for part in parts])
    t = Thresholds.concatenate([part[0] for part in parts])
    return DrawnThresholds(t, share / np.sum(share)), (k + upper) / n


class _Side(NamedTuple):
    """A distribution seen from one direction."""

    law: Distribution
    up: bool

    def beyond(self, t: Thresholds) -> tuple[FloatArray, FloatArray]:
        """What lies beyond, and its log."""
        return self.law._upper(t) if self.up else self.law._lower(t)

    def within(self, t: Thresholds) -> FloatArray:
        """What does not."""
        return (self.law._lower(t) if self.up else self.law._upper(t))[0]

    def place(self, share: FloatArray, rest: FloatArray) -> Thresholds:
        """Where so much lies beyond, and the rest not."""
        out, back = self.law._upper_quantile, self.law._lower_quantile
        if not self.up:
            out, back = back, out
        found, near = np.empty((3, share.size)), share <= 0.5
        for which, quantile, tail in ((near, out, share), (~near, back, rest)):
            with np.errstate(divide="ignore"):
                t = quantile(tail[which], np.log(tail[which]))
            found[:, which] = t.theta, t.complement, t.logit
        return Thresholds(*found)

    def between(self, near: Thresholds, far: Thresholds) -> FloatArray:
        """What lies between two places, from the tails that keep its digits."""
        outer = self.beyond(near)[0] - self.beyond(far)[0]
        inner = self.within(far) - self.within(near)
        return np.maximum(np.where(self.beyond(near)[0] < 0.5, outer, inner), 0.0)


class _Dev(NamedTuple):
    """The class of the target, of n scores, and the other, of m."""

    own: _Side
    other: _Side
    n: int
    m: int
    unit: bool

    def of_count(self, k: int) -> list[Part]:
        """k scores are counted beyond."""
        if k == self.n and self.own.up:
            return [(_everybody(1), np.ones(1))]
        if k == self.n:  # all clients are rejected: the largest of all scores
            top = Thresholds.from_theta(np.array([np.inf]))
            return self._next(top, np.ones(1), k, np.array([self.m]), np.zeros(1), half=False)
        x, share = self._score(k)
        return self._next(x, share, k, np.full(share.size, self.m), np.zeros(share.size))

    def of_tie(self, k: int) -> tuple[list[Part], float]:
        """k and k + 1 are equally near: the smaller HTER on dev, then the lower threshold.

        That is k + 1 where enough of the others lie between both. Their number is binomial; within
        the gap to the next score it is taken at its conditional mean. And how often it is k + 1.
        """
        fewest = -(-self.m // self.n) if self.own.up else self.m // self.n + 1
        last = k + 1 == self.n
        x, share = self._score(k)
        if last:
            inner, inside = _everybody(share.size), self.other.within(x)
        else:
            x, share, gaps = _with_gaps(x, share)
            rest = self.own.within(x) * np.exp(-gaps / (self.n - k - 1))
            inner = self.own.place(1.0 - rest, rest)
            inside = self.other.between(inner, x)
        many = _at_least(self.m, fewest, inside)
        mean = self.m * inside * _at_least(self.m - 1, fewest - 1, inside)
        with np.errstate(divide="ignore", invalid="ignore"):
            above = np.maximum(np.where(many > 0.0, mean / many, fewest), fewest)
            below = np.where(many < 1.0, (self.m * inside - mean) / (1.0 - many), 0.0)
        below = np.clip(below, 0.0, min(fewest, self.m) - 1.0)
        coarse = _LOGITS[::2]
        parts = self._next(x, share * (1.0 - many), k, self.m - below, inside, coarse)
        upper = float(np.sum(share * many))
        if last and self.own.up:
            return [*parts, (inner, share * many)], upper
        # Beyond the next own score the nearest of those that lie between both.
        nodes = np.repeat(np.arange(share.size), _NODES)
        inner, shares, gaps = _with_gaps(inner, share * many)
        moved = inside[nodes] * np.expm1(-gaps / above[nodes])
        if last:  # the largest of the others, above all clients
            return [*parts, (_Side(self.other.law, True).place(-moved, 1.0 + moved), shares)], upper
        left = np.clip(self.other.beyond(inner)[0] + moved, 0.0, 1.0)
        return [*parts, (self._middle(inner, self.other.place(left, 1.0 - left)), shares)], upper

    def _score(self, k: int) -> Part:
        """The score that k others lie beyond."""
        from scipy.special import betaincinv, ndtr

        z = _DEVIATES
        beyond = betaincinv(k + 1, self.n - k, ndtr(z))
        rest = betaincinv(self.n - k, k + 1, ndtr(-z))
        share = np.exp(-0.5 * z * z)
        return self.own.place(beyond, rest), share / np.sum(share)

    def _next(
        self, x: Thresholds, share: FloatArray, k: int, m: FloatArray, inside: FloatArray,
        logits: FloatArray = _LOGITS, *, half: bool = True,
    ) -> list[Part]:  # fmt: skip
        """Half-way to the next score beyond x, of k own and m others that are not `inside`.

        The nearest of either class, by its uniform share v, while none of the other comes first.
        """
        from scipy.special import expit

        near, number = x, share.size
        node = np.tile(np.arange(logits.size), number)
        v, w = expit(logits)[node], expit(-logits)[node]
        places = np.repeat(np.arange(number), logits.size)
        x, m, free = x[places], m[places], np.maximum(1.0 - inside, _NOBODY)[places]
        weight = share[places] * v * w * (logits[1] - logits[0])
        (tail, log_tail), out = self.own.beyond(x), self.other.beyond(x)[0]
        parts = []
        with np.errstate(divide="ignore", invalid="ignore"):
            none = m * np.log1p(-np.minimum(out / free, 1.0))  # no other lies beyond
            if k:
                step = tail * np.expm1(np.log(w) / k)
                z = self.own.place(np.maximum(tail + step, 0.0), self.own.within(x) - step)
                passed = np.minimum(self.other.between(x, z) / free, 1.0)
                parts.append((z, weight * np.exp(m * np.log1p(-passed))))
            step = free * np.expm1(np.log1p(np.expm1(none) * v) / m)
            rest = np.minimum(self.other.within(x) - step, 1.0)
            z = self.other.place(np.maximum(out + step, 0.0), rest)
            weight = -weight * np.expm1(none)
            if k:
                weight = weight * np.exp(k * (self.own.beyond(z)[1] - log_tail))
            parts.append((z, weight))
        found = [(self._middle(x, z) if half else z, shares) for z, shares in parts]
        if k == 0:  # nobody above the largest score, everybody above -inf
            alone = near if self.own.up else _everybody(number)
            found.append((alone, share * np.exp(none[:: logits.size])))
        return found

    def _middle(self, x: Thresholds, z: Thresholds) -> Thresholds:
        theta = 0.5 * (x.theta + z.theta)
        if not self.unit:
            return Thresholds.from_theta(theta)
        complement = 0.5 * (x.complement + z.complement)
        with np.errstate(divide="ignore"):
            below, above = np.log(np.maximum(theta, 0.0)), np.log(np.maximum(complement, 0.0))
            return Thresholds(theta, complement, below - above)


def _everybody(size: int) -> Thresholds:
    """Below every score."""
    return Thresholds.from_theta(np.full(size, -np.inf))


def _at_least(n: int, k: int, p: FloatArray) -> FloatArray:
    """P(Binomial(n, p) >= k)."""
    from scipy.special import bdtrc

    return np.asarray(np.ones(p.shape) if k <= 0 else bdtrc(k - 1, n, np.clip(p, 0.0, 1.0)))


def _with_gaps(x: Thresholds, share: FloatArray) -> tuple[Thresholds, FloatArray, FloatArray]:
    """Every place with every exponential deviate of a gap."""
    nodes, weights = np.polynomial.laguerre.laggauss(_NODES)
    places = np.repeat(np.arange(share.size), _NODES)
    return x[places], (share[:, None] * weights).ravel(), np.tile(nodes, share.size)
