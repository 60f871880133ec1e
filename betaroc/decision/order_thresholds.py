"""Where the threshold of a target rate falls that is counted on scores: order statistics.

Of n scores of a class the one that k others lie beyond has a tail that is Beta(k + 1, n - k), for
any continuous distribution. The threshold lies half-way from it to the next score beyond, of
either class. "Beyond" is above for impostors, of whom k are accepted, and below for clients, of
whom k are rejected.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.thresholds import Thresholds, choose
from betaroc.distributions.base import Distribution
from betaroc.distributions.pairs import Pair

#: Normal deviates of the trapezoidal rule, whose error is far below rounding at this step.
_DEVIATES = np.arange(-7.0, 7.01, 0.5)
#: Exponential deviates of a gap: nodes of Laguerre's rule, more where a class has few scores there;
#: and panels where a gap may have no end.
_NODES, _NODES_OF_FEW, _FEW = 6, 14, 4
_PANELS, _MOST = (0.0, 0.1, 0.35, 1.0), 40.0
#: Steps of the bracketed search, each of which halves the error or more.
_STEPS = 40
_ROUNDED = 4e-15
_NEAR = 1e-9
#: A share of nobody that may be divided by.
_NOBODY = 1e-300


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
        with np.errstate(divide="ignore"):
            far, near = out(share, np.log(share)), back(rest, np.log(rest))
        return choose(share <= 0.5, far, near)

    def between(self, near: Thresholds, far: Thresholds) -> FloatArray:
        """What lies between two places, from the tails that keep its digits."""
        outer = self.beyond(near)[0] - self.beyond(far)[0]
        inner = self.within(far) - self.within(near)
        return np.maximum(np.where(self.beyond(near)[0] < 0.5, outer, inner), 0.0)


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
        "FAR" or "FRR".
    """
    up = name == "FAR"
    own, other = (pair.impostor, pair.client) if up else (pair.client, pair.impostor)
    n, m = (sizes[1], sizes[0]) if up else sizes
    search = _Search(pair, _Side(own, up), _Side(other, up), n, m)
    wanted = rate * n
    k = math.floor(wanted)
    if wanted - k != Fraction(1, 2):
        k = math.floor(wanted + Fraction(1, 2))
        return search.at(k), k / n
    found, upper = search.of_tie(k)
    return found, (k + upper) / n


class _Search(NamedTuple):
    """The class of the target, of n scores, and the other, of m."""

    pair: Pair
    own: _Side
    other: _Side
    n: int
    m: int

    def at(self, k: int) -> DrawnThresholds:
        """k scores are counted beyond."""
        if k == self.n:
            return self._all()
        x, share = self._score(k)
        if k == 0:
            zero = np.zeros(share.size)
            return _joined(self._outermost(x, share, zero + self.m, zero))
        rule = self._rule(k)
        t, shares = _crossed(x, share, rule)
        gaps = np.tile(rule[0], share.size)
        return DrawnThresholds(self._middle(t, self._next(t, gaps, k, self.m)), shares)

    def _rule(self, k: int) -> tuple[FloatArray, FloatArray]:
        """Exponential deviates and their shares."""
        few = min(max(k, 1), self.m, max(self.n - k - 1, 1)) < _FEW
        return np.polynomial.laguerre.laggauss(_NODES_OF_FEW if few else _NODES)

    def _score(self, k: int) -> tuple[Thresholds, FloatArray]:
        """The score that k others lie beyond."""
        from scipy.special import betaincinv, ndtr

        z = _DEVIATES
        share = np.exp(-0.5 * z * z)
        beyond = betaincinv(k + 1, self.n - k, ndtr(z))
        rest = betaincinv(self.n - k, k + 1, ndtr(-z))
        return self.own.place(beyond, rest), share / np.sum(share)

    def _next(
        self,
        x: Thresholds,
        gaps: FloatArray,
        k: int,
        m: FloatArray | float,
        inside: FloatArray | float = 0.0,
    ) -> Thresholds:
        """The next score beyond x, of k own and m others that are not `inside`.

        No score lies between x and z with the probability exp(-h(z)),
        h = k log(own(x)/own(z)) - m log(1 - other(x, z)): solved for h(z) = gap.
        """
        tail, log_tail = self.own.beyond(x)
        out = self.other.beyond(x)[0]

        def first(gap: FloatArray) -> Thresholds:
            """The nearer of the places where either class alone has the gap."""
            with np.errstate(over="ignore"):
                own = tail * np.exp(-gap / k)
                left = np.maximum(out + np.expm1(-gap / m) * (1.0 - inside), 0.0)
            one, two = self.own.place(own, 1.0 - own), self.other.place(left, 1.0 - left)
            y, w = self.pair.coordinates(one), self.pair.coordinates(two)
            return choose((y <= w) == self.own.up, one, two)

        def excess(y: FloatArray) -> FloatArray:
            z = self.pair.place(y)
            with np.errstate(divide="ignore", invalid="ignore"):
                of_own = k * (log_tail - self.own.beyond(z)[1])
                of_other = -m * np.log1p(-self.other.between(x, z) / (1.0 - inside))
            return np.asarray(of_own + of_other - gaps)

        ends = [self.pair.coordinates(first(part)) for part in (0.5 * gaps, gaps)]
        near = _ROUNDED * float(np.max(k + m))  # what an excess of so many scores is rounded to
        return self.pair.place(_root(excess, ends[0], ends[1], max(near, _NEAR)))

    def _middle(self, x: Thresholds, z: Thresholds) -> Thresholds:
        theta = 0.5 * (x.theta + z.theta)
        if not self.pair.unit:
            return Thresholds.from_theta(theta)
        complement = 0.5 * (x.complement + z.complement)
        with np.errstate(divide="ignore"):
            below, above = np.log(np.maximum(theta, 0.0)), np.log(np.maximum(complement, 0.0))
            return Thresholds(theta, complement, below - above)

    # --------------------------------------------------------------------- both ends
    def _outermost(
        self, x: Thresholds, share: FloatArray, m: FloatArray, inside: FloatArray
    ) -> list[tuple[Thresholds, FloatArray]]:
        """No own score lies beyond x; where none of m others does, all are on one side."""
        out = self.other.beyond(x)[0]
        with np.errstate(divide="ignore"):
            whole = -m * np.log1p(-np.minimum(out / np.maximum(1.0 - inside, _NOBODY), 1.0))
        end = np.minimum(whole, _MOST)
        nodes, weights = _panel_rule()
        gaps = end[:, None] * nodes
        shares = share[:, None] * end[:, None] * weights * np.exp(-gaps)
        lost = np.expm1(-gaps / m[:, None]) * (1.0 - inside[:, None])
        left = np.maximum(out[:, None] + lost, 0.0).ravel()
        places = np.repeat(np.arange(share.size), nodes.size)
        t = self._middle(x[places], self.other.place(left, 1.0 - left))
        # Accepted is what is above: nobody above the largest score, everybody above -inf.
        rest = x if self.own.up else _everybody(share.size)
        return [(t, shares.ravel()), (rest, share * np.exp(-end))]

    def _all(self) -> DrawnThresholds:
        """All own scores lie beyond: everybody is accepted; or the largest of all scores."""
        if self.own.up:
            return DrawnThresholds(_everybody(1), np.ones(1))
        from scipy.special import log_ndtr

        z = _DEVIATES
        share = np.exp(-0.5 * z * z)
        log_p, sides = log_ndtr(z), (self.own, self.other)

        def excess(y: FloatArray) -> FloatArray:
            t = self.pair.place(y)
            with np.errstate(divide="ignore"):
                logs = [side.law._lower(t)[1] for side in sides]
            return np.asarray(self.n * logs[0] + self.m * logs[1] - log_p)

        ends = []
        for part in (1.0, 0.5):
            places = [
                self.pair.coordinates(_Side(side.law, True).place(-np.expm1(log), np.exp(log)))
                for side, log in zip(
                    sides, (part * log_p / self.n, part * log_p / self.m), strict=True
                )
            ]
            ends.append(np.maximum(places[0], places[1]))
        return DrawnThresholds(
            self.pair.place(_root(excess, ends[0], ends[1])), share / np.sum(share)
        )

    # ------------------------------------------------------------------------- ties
    def of_tie(self, k: int) -> tuple[DrawnThresholds, float]:
        """k and k + 1 are equally near: the smaller HTER on dev, then the lower threshold.

        That is k + 1 where enough of the others lie between both. Their number is binomial; within
        the gap to the next score it is taken at its conditional mean. And how often it is k + 1.
        """
        fewest = -(-self.m // self.n) if self.own.up else self.m // self.n + 1
        x, share = self._score(k)
        if k + 1 == self.n:
            inner = _everybody(share.size)
            inside = self.other.within(x)
        else:
            rule = self._rule(k)
            gaps = np.tile(rule[0], share.size)
            x, share = _crossed(x, share, rule)
            rest = self.own.within(x) * np.exp(-gaps / (self.n - k - 1))
            inner = self.own.place(1.0 - rest, rest)
            inside = self.other.between(inner, x)
        many = _at_least(self.m, fewest, inside)
        mean = self.m * inside * _at_least(self.m - 1, fewest - 1, inside)
        with np.errstate(divide="ignore", invalid="ignore"):
            above = np.maximum(np.where(many > 0.0, mean / many, fewest), fewest)
            below = np.where(many < 1.0, (self.m * inside - mean) / (1.0 - many), 0.0)
        below = np.clip(below, 0.0, min(fewest, self.m) - 1.0)
        parts = [
            *self._kept(k, x, share * (1.0 - many), inside, below),
            self._moved(x, inner, share * many, inside, above, last=k + 1 == self.n),
        ]
        return _joined(parts), float(np.sum(share * many))

    def _kept(
        self, k: int, x: Thresholds, share: FloatArray, inside: FloatArray, within: FloatArray
    ) -> list[tuple[Thresholds, FloatArray]]:
        """The threshold beyond x, where `within` of the others lie on its inner side."""
        left = self.m - within
        if k == 0:
            return self._outermost(x, share, left, inside)
        rule = self._rule(k)
        t, shares = _crossed(x, share, rule)
        gaps = np.tile(rule[0], share.size)
        left, inside = np.repeat(left, rule[0].size), np.repeat(inside, rule[0].size)
        return [(self._middle(t, self._next(t, gaps, k, left, inside)), shares)]

    def _moved(
        self, x: Thresholds, inner: Thresholds, share: FloatArray, inside: FloatArray,
        within: FloatArray, *, last: bool,
    ) -> tuple[Thresholds, FloatArray]:  # fmt: skip
        """The threshold beyond the next own score, where `within` of the others come first."""
        if last and self.own.up:
            return inner, share
        rule = self._rule(1)
        t, shares = _crossed(inner, share, rule)
        gaps = np.tile(rule[0], share.size)
        inside, within = np.repeat(inside, rule[0].size), np.repeat(within, rule[0].size)
        if last:  # the largest of the others, above all clients
            tail = -inside * np.expm1(-gaps / within)
            return _Side(self.other.law, True).place(tail, 1.0 - tail), shares
        left = self.other.beyond(t)[0] + inside * np.expm1(-gaps / within)
        left = np.clip(left, 0.0, 1.0)
        return self._middle(t, self.other.place(left, 1.0 - left)), shares


# ----------------------------------------------------------------------------------- parts
def _everybody(size: int) -> Thresholds:
    """Below every score."""
    return Thresholds.from_theta(np.full(size, -np.inf))


def _at_least(n: int, k: int, p: FloatArray) -> FloatArray:
    """P(Binomial(n, p) >= k)."""
    from scipy.special import betainc

    if k <= 0:
        return np.ones(p.shape)
    return np.zeros(p.shape) if k > n else np.asarray(betainc(k, n - k + 1, np.clip(p, 0.0, 1.0)))


def _joined(parts: list[tuple[Thresholds, FloatArray]]) -> DrawnThresholds:
    share = np.concatenate([one for _, one in parts])
    return DrawnThresholds(Thresholds.concatenate([t for t, _ in parts]), share / np.sum(share))


def _crossed(
    t: Thresholds, share: FloatArray, rule: tuple[FloatArray, FloatArray]
) -> tuple[Thresholds, FloatArray]:
    """Every threshold with every node."""
    nodes, weights = rule
    places = np.repeat(np.arange(share.size), nodes.size)
    return t[places], (share[:, None] * weights).ravel()


def _panel_rule() -> tuple[FloatArray, FloatArray]:
    """Nodes and weights on [0, 1], close at 0."""
    x, w = np.polynomial.legendre.leggauss(8)
    starts, ends = np.array(_PANELS[:-1]), np.array(_PANELS[1:])
    half = 0.5 * (ends - starts)[:, None]
    return (0.5 * (starts + ends)[:, None] + half * x).ravel(), (half * w).ravel()


def _root(
    excess: Callable[[FloatArray], FloatArray], one: FloatArray, other: FloatArray,
    near: float = _NEAR,
) -> FloatArray:  # fmt: skip
    """The zeros between two arrays of coordinates, by false position that bisects where it lags."""
    low, high = one.copy(), other.copy()
    below, above = excess(low), excess(high)
    for step in range(_STEPS):
        with np.errstate(divide="ignore", invalid="ignore"):
            middle = low - below * (high - low) / (above - below)
            inside = np.isfinite(middle) & ((middle - low) * (middle - high) <= 0.0)
        middle = np.where(inside & (step % 3 != 2), middle, 0.5 * (low + high))
        found = excess(middle)
        if np.all(np.abs(found) <= near) or np.all(low == high):
            return middle
        under = found < 0.0
        low, below = np.where(under, middle, low), np.where(under, found, below)
        high, above = np.where(under, high, middle), np.where(under, above, found)
    return 0.5 * (low + high)
