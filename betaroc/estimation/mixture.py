"""Maximum likelihood of a mixture: EM from several starts, then Newton's method.

The likelihood is unbounded where a component shrinks to a point; the estimate is the largest
*local* maximum that the starts lead to and whose components all have a share of the scores and a
width.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import DegenerateDataError, FitError
from betaroc.core.special import HALF_LOG_TWO_PI, log_beta
from betaroc.core.text import format_value
from betaroc.core.vocabulary import worded
from betaroc.distributions.base import Distribution, Expansion, Summit, climb, free
from betaroc.distributions.beta import Beta, solve_one
from betaroc.distributions.mixture import BetaMixture, Mixture, NormalMixture
from betaroc.distributions.normal import Normal
from betaroc.estimation.contract import Data, MleResult, Parameters, Sample, too_few_distinct

#: Scores that every component must have at least.
_LEAST_SCORES = 5.0
#: Larger blocks leave the cache, and BLAS starts threads for them that cost more than they gain.
_BLOCK = 1 << 12
#: Scores that the starts are compared on: order statistics of all of them.
_THIN = 500
_FIRST_STEPS, _START_STEPS, _CLIMBED = 8, 20, 5
#: Power of equal shares that leaves the last of two components 2 % of the scores.
_TAIL = 0.03
#: With more scores the thinned sample has told which start is the best, and so many quantiles
#: have a maximum next to theirs.
_MANY_SCORES, _QUANTILES = 20_000, 4096
_ROUNDS, _EM_STEPS, _NEWTON_STEPS = 60, 25, 30
_TINY_GRADIENT = 1e-10
#: The likelihood is a sum of rounded terms: a step may lose this much of it, relatively.
_NOISE = 1e-13
#: EM of a simulated sample stops when a step gains less log-likelihood than this.
_GAIN, _ROW_STEPS = 0.005, 3000
#: A beta component may be so much more concentrated than one distribution of all scores, and a
#: normal one may have this share of their standard deviation.
_CONCENTRATION, _NARROWEST = 1e4, 0.01

#: Shares of the components, and their parameters p and q, in rows.
Point = FloatArray


class Components(NamedTuple):
    """Components: distributions of two parameters, p and q.

    Functions take the columns of the scores, and p and q with a row per component.
    """

    name: str
    #: The family of one component.
    single: str
    mixture: type[Mixture]
    component: Callable[[float, float], Distribution]
    columns: Callable[[FloatArray], FloatArray]
    log_density: Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
    #: p and q from the means of both columns; None of a point.
    from_means: Callable[[float, float], tuple[float, float] | None]
    #: Where components stand in order.
    place: Callable[[FloatArray, FloatArray], FloatArray]
    #: How narrow components are, and how narrow they may be beside one distribution of all scores.
    narrow: Callable[[FloatArray, FloatArray], FloatArray]
    cap: Callable[[MleResult], float]
    #: Which of p and q have their logarithm as coordinate, the last ones.
    logs: slice
    #: Derivatives of the log density by both coordinates.
    scores: Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
    #: Of the weight of each component's scores, the sums of both derivatives over them, p and q:
    #: the second derivatives by both coordinates.
    curvature: Callable[[FloatArray, FloatArray, FloatArray, FloatArray], FloatArray]
    #: Whether scores are taken in standard units.
    standard: bool = False


class _Data(NamedTuple):
    kind: Components
    columns: FloatArray
    weights: FloatArray
    total: float

    @classmethod
    def of(cls, kind: Components, values: FloatArray, weights: FloatArray | None) -> _Data:
        w = np.ones(values.size) if weights is None else weights
        return cls(kind, kind.columns(values), w, math.fsum(w.tolist()))

    def expected(self, point: Point) -> Iterator[tuple[FloatArray, FloatArray, FloatArray, float]]:
        for start in range(0, self.weights.size, _BLOCK):
            columns, w = (x[..., start : start + _BLOCK] for x in (self.columns, self.weights))
            parts = self.kind.log_density(columns, *point[1:, :, None])
            parts += np.log(point[0])[:, None]
            top = parts.max(axis=0)
            with np.errstate(under="ignore"):
                shares = np.exp(parts - top)
            whole = shares.sum(axis=0)
            yield columns, w, shares / whole, float(w @ (top + np.log(whole)))


def estimate_mixture(
    value: Data, count: int = 2, near: Distribution | None = None, *, kind: Components,
    single: Callable[[Data], MleResult],
) -> MleResult:  # fmt: skip
    """The likeliest mixture of `count` distributions, or uphill from `near`.

    `single` fits one component alone.
    """
    sample = value.rows()
    if sample.low == sample.high:
        raise too_few_distinct(sample, kind.name)
    if isinstance(near, Mixture):
        count = len(near.components)
    least = int(_LEAST_SCORES) * count
    if sample.total < least:
        inside = " inside (0, 1)" if kind.single == "beta" else ""
        raise DegenerateDataError(
            f"{sample.name}: a mixture of {format_value(count)} {kind.single} distributions needs"
            f" at least {format_value(least)} scores{inside}; got {sample.total:g}. Give more"
            + worded(f' scores, or use `family="{kind.single}"`.')
        )
    mu, sigma = sample.moments() if kind.standard else (0.0, 1.0)
    if kind.standard:
        sample = sample.replace((sample.values - mu) / sigma)
    alone = single(sample)
    data, cap = _Data.of(kind, sample.values, sample.weights), kind.cap(alone)
    if isinstance(near, Mixture):
        start = _point_of(near)
        starts = [(start - [[0.0], [mu], [0.0]]) / [[1.0], [sigma], [sigma]]]
    else:
        starts = _best_starts(sample, alone, count, kind)
    if sample.n > _MANY_SCORES:  # from the maximum of their quantiles
        few = _Data.of(kind, *_thinned(sample, _QUANTILES))
        tops = [_climb(few, start, cap) for start in starts]
        tops = [_climb(data, top[0], cap, steps=0) for top in tops if top is not None]
    else:
        tops = [_climb(data, start, cap) for start in starts]
    # The largest of the maxima that the starts lead to; those that were reached come first.
    best = max(
        (top for top in tops if top is not None),
        key=lambda top: (top[1].norm <= 10.0 * _TINY_GRADIENT, top[1].value), default=None,
    )  # fmt: skip
    # Components that became one distribution are told from it by rounding alone.
    least_value = alone.log_likelihood + _NOISE * max(abs(alone.log_likelihood), sample.total)
    if best is None or best[1].value * sample.total <= least_value:
        item = kind.single
        raise FitError(
            f"{sample.name}: no mixture of {count} {item} distributions was found whose components"
            f" all have {_LEAST_SCORES:g} scores and a width and which is likelier than one {item}"
            " distribution, the error's .result."
            + worded(f' Use `family="{item}"`, or `resolution=...` for rounded scores.'),
            single(value.rows())._replace(converged=False),
        )
    estimate = _estimate(kind, *best, sample.total, mu, sigma)
    if not estimate.converged:
        raise FitError(
            f"{sample.name}: the mixture did not converge: gradient {estimate.gradient_norm:.3g} at"
            f" {estimate.distribution!r}, where the likelihood is flat in some direction."
            + worded(f' Use fewer components, or `family="{kind.single}"`.'),
            estimate,
        )
    return estimate


def _point_of(law: Mixture) -> Point:
    shapes = [[p.value for p in c._parameters()] for c in law.components]
    return np.vstack([law._shares, np.transpose(shapes)])


def _law_of(kind: Components, point: Point) -> Mixture:
    shares, p, q = point[:, np.argsort(kind.place(*point[1:]), kind="stable")].tolist()
    return kind.mixture(tuple(shares), tuple(map(kind.component, p, q)))


def _estimate(
    kind: Components, point: Point, top: Summit, total: float, mu: float, sigma: float
) -> MleResult:
    standard = _law_of(kind, point)
    point = point * [[1.0], [sigma], [sigma]] + [[0.0], [mu], [0.0]]
    law = _law_of(kind, point)
    parameters = standard._parameters()
    size = len(parameters)
    covariance = np.full((size, size), np.nan)
    if np.all(np.isfinite(top.hessian)) and np.all(np.linalg.eigvalsh(-top.hessian) > 0.0):
        units = np.where(np.arange(size) < point.shape[1] - 1, 1.0, sigma)
        root = units[:, None] * np.linalg.inv(free(standard, [p.name for p in parameters]).rates)
        with np.errstate(over="ignore", under="ignore"):
            covariance = root @ np.linalg.inv(-top.hessian) @ root.T
    reached = top.norm <= 10.0 * _TINY_GRADIENT and math.isfinite(covariance[0, 0])
    likelihood = (top.value - math.log(sigma)) * total
    return MleResult(law, covariance, likelihood, reached, top.iterations, top.norm)


# ------------------------------------------------------------------------------------- starts
def _best_starts(sample: Sample, single: MleResult, count: int, kind: Components) -> list[Point]:
    values, shares = _thinned(sample, _THIN)
    data, cap = _Data.of(kind, values, shares), kind.cap(single)
    parts = (first * shares for first in _first_shares(values, shares, single, count))
    first = (_from_sums(kind, np.vstack([w.sum(axis=1), data.columns @ w.T])) for w in parts)
    result = [point for point in first if point is not None]
    for steps in (_FIRST_STEPS, _START_STEPS):
        moved = (_em(data, point, steps, cap) for point in result)
        alive = [point for point in moved if point is not None]
        result = sorted(alive, key=lambda point: -sum(b[-1] for b in data.expected(point)))
        result = result[:_CLIMBED]
    return result[: 1 if sample.n > _MANY_SCORES else _CLIMBED]


def _thinned(sample: Sample, size: int) -> tuple[FloatArray, FloatArray]:
    """Distinct scores and weights; of many so many quantiles."""
    values, place = np.unique(sample.values, return_inverse=True)
    weights = np.bincount(place, weights=sample.weights).astype(np.float64)
    if values.size <= size:
        return values, weights
    upto = np.cumsum(weights)
    edges = np.sin(0.5 * math.pi * np.linspace(0.0, 1.0, size + 1)) ** 2
    levels = 0.5 * (edges[1:] + edges[:-1])
    return values[np.searchsorted(upto, levels * upto[-1])], np.diff(edges) * upto[-1]


def _first_shares(
    values: FloatArray, weights: FloatArray, single: MleResult, count: int
) -> Iterator[FloatArray]:
    # A start must leave every component a little of every score; nothing of it stays in the fit.
    height = np.clip(np.asarray(single.distribution.cdf(values)), 1e-6, 1.0 - 1e-6)
    yield _bernstein(height, count)
    ends = 4.0 * height * (1.0 - height)
    yield np.vstack([(1.0 - ends) * _bernstein(height, count - 1), ends])
    upto = (np.cumsum(weights) - 0.5 * weights) / weights.sum()
    inner = np.arange(1, count) / count
    for power in (_TAIL, 0.25, 0.5, 1.0):
        for cuts in (inner**power, 1.0 - inner[::-1] ** power):
            kind = np.searchsorted(cuts, upto)
            # What the others leak into a small component must not outweigh it.
            leak = 0.001 if power == _TAIL else 0.05
            yield np.where(np.arange(count)[:, None] == kind, 1.0 - leak, leak / max(count - 1, 1))
    for centre in (0.1, 0.3, 0.5, 0.7, 0.9):
        bump = np.where(np.abs(upto - centre) < 0.1, 0.9, 0.05)
        yield np.vstack([(1.0 - bump) * _bernstein(height, count - 1), bump])


def _bernstein(height: FloatArray, count: int) -> FloatArray:
    k = np.arange(count)[:, None]
    ways = np.array([math.comb(count - 1, j) for j in range(count)], dtype=np.float64)[:, None]
    return np.asarray(ways * height**k * (1.0 - height) ** (count - 1 - k))


# --------------------------------------------------------------------------- EM and Newton
def _from_sums(kind: Components, sums: FloatArray) -> Point | None:
    """The likeliest components; None if one of them is a point."""
    mass = sums[0]
    if not np.all(mass > 0.0):
        return None
    result = [kind.from_means(*pair) for pair in (sums[1:] / mass).T.tolist()]
    known = [pair for pair in result if pair is not None]
    return np.vstack([mass / mass.sum(), np.transpose(known)]) if len(known) == mass.size else None


def _step(data: _Data, point: Point) -> tuple[Point | None, float]:
    """A step of EM, and the log-likelihood before it."""
    sums, value = np.zeros(point.shape), 0.0
    for columns, w, shares, height in data.expected(point):
        weighted = shares * w
        sums[0] += weighted.sum(axis=1)
        sums[1:] += columns @ weighted.T
        value += height
    return _from_sums(data.kind, sums), value


def _em(data: _Data, point: Point, steps: int, cap: float) -> Point | None:
    """Steps of EM; None where a component vanishes."""
    for _ in range(steps):
        after, _value = _step(data, point)
        if after is None or not _regular(data.kind, after, data.total, cap):
            return None
        point = after
    return point


def _regular(kind: Components, point: Point, total: float, cap: float) -> bool:
    enough = point[0] * total >= _LEAST_SCORES * (1.0 - 1e-9)
    return bool(np.all(enough & (kind.narrow(*point[1:]) <= cap)))


def _climb(
    data: _Data, start: Point, cap: float, steps: int = _EM_STEPS
) -> tuple[Point, Summit] | None:
    """From a start to its local maximum."""
    kind, count, iterations = data.kind, start.shape[1], 0

    def at(y: FloatArray) -> Point:
        odds, pairs = np.exp(np.append(y[: count - 1], 0.0)), y[count - 1 :].reshape(count, 2).T
        pairs = np.vstack([pairs[: kind.logs.start], np.exp(pairs[kind.logs])])
        return np.vstack([odds / odds.sum(), pairs])

    point: Point | None = start
    for k in range(_ROUNDS):
        point = _em(data, start, _EM_STEPS if k else steps, cap)
        if point is None:
            return None
        point = point[:, np.argsort(kind.place(*point[1:]), kind="stable")]
        pairs = np.vstack([point[1 : 1 + kind.logs.start], np.log(point[1:][kind.logs])])
        place = np.append(np.log(point[0, :-1] / point[0, -1]), pairs.T)
        top = climb(lambda y: _derivatives(data, at(y)), place, tiny=_TINY_GRADIENT,
                    steps=_NEWTON_STEPS, halvings=8)  # fmt: skip
        start, iterations = at(top.place), iterations + steps + top.iterations
        if not _regular(kind, start, data.total, cap):
            return None
        if top.norm <= _TINY_GRADIENT and np.all(np.diff(kind.place(*start[1:])) >= 0.0):
            break
    return start, top._replace(iterations=iterations)


def _derivatives(data: _Data, point: Point) -> Expansion:
    """By Louis's formula."""
    kind, count, odds = data.kind, point.shape[1], point[0, :-1]
    size = 3 * count - 1
    value, mass, slopes = 0.0, np.zeros(count), np.zeros((count, 2))
    squares, hessian = np.zeros((count, 2, 2)), np.zeros((size, size))
    for columns, w, shares, height in data.expected(point):
        value += height
        mass += shares @ w
        scores = kind.scores(columns, *point[1:, :, None]).swapaxes(0, 1)
        known = shares[:, None] * scores
        slopes += known @ w
        squares += (known * w) @ scores.swapaxes(1, 2)
        mean_score = np.vstack([shares[:-1] - odds[:, None], known.reshape(2 * count, -1)])
        hessian -= (mean_score * w) @ mean_score.T
    squares += kind.curvature(mass, slopes, *point[1:])
    first = slice(0, count - 1)
    for k in range(count):
        cut = slice(count - 1 + 2 * k, count + 1 + 2 * k)
        hessian[cut, cut] += squares[k]
        # Its own indicator less the share of each component.
        away = (np.arange(count - 1) == k) - odds
        hessian[first, first] += mass[k] * np.outer(away, away)
        hessian[first, cut] += np.outer(away, slopes[k])
        hessian[cut, first] += np.outer(slopes[k], away)
    hessian[first, first] -= data.total * (np.diag(odds) - np.outer(odds, odds))
    gradient = np.concatenate([mass[:-1] - odds * mass.sum(), slopes.ravel()])
    return value / data.total, gradient / data.total, hessian / data.total


# ----------------------------------------------------------------------- simulated samples
def beta_mixture_of_rows(law: BetaMixture, x: FloatArray) -> Parameters:
    """EM of each row from the distribution itself."""
    rows = []
    for values in x:
        data, point, before = _Data.of(BETA_KIND, values, None), _point_of(law), -math.inf
        for _ in range(_ROW_STEPS):
            after, value = _step(data, point)
            if after is None or value - before < _GAIN:
                break
            point, before = after, value
        rows.append([*point[0, :-1], *point[1:].T.ravel()])
    return tuple(np.array(rows).T[:, :, None])


def beta_mixture_moments(p: Parameters, x: FloatArray, shares: FloatArray) -> FloatArray:
    """Squares and products of the shapes' scores."""
    from scipy.special import polygamma

    rows, count = [], (len(p) + 1) // 3
    for values, y in zip(np.hstack(p), x, strict=True):
        weights, shapes = values[: count - 1], values[count - 1 :].reshape(count, 2).T
        point = np.vstack([np.append(weights, 1.0 - weights.sum()), shapes])
        data = _Data.of(BETA_KIND, y, shares)
        both, of_a, of_b = polygamma(1, np.vstack([shapes.sum(axis=0), shapes]))
        rates, result = np.stack([of_a - both, -both, of_b - both]), np.zeros((3, count))
        for columns, w, parts, _ in data.expected(point):
            u, v = _beta_scores(columns, *shapes[:, :, None]) / shapes[:, :, None]
            products = np.stack([u * u, u * v, v * v])
            result += (parts * (products - rates[:, :, None])) @ w
        rows.append(result.T.ravel())
    return np.array(rows)


# ------------------------------------------------------------------------------- both kinds
def _log_beta_density(columns: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    logs = [[log_beta(*pair)] for pair in zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)]
    return np.asarray((a - 1.0) * columns[0] + (b - 1.0) * columns[1] - logs)


def _beta_from_means(one: float, two: float) -> tuple[float, float] | None:
    result = solve_one(one, two) if max(one, two) < 0.0 else None
    return (result.a, result.b) if result is not None and result.converged else None


def _beta_scores(columns: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    from scipy.special import psi

    both = psi(a + b)
    return np.stack([a * (columns[0] + (both - psi(a))), b * (columns[1] + (both - psi(b)))])


def _beta_curvature(
    mass: FloatArray, slopes: FloatArray, a: FloatArray, b: FloatArray
) -> FloatArray:
    from scipy.special import polygamma

    both, of_a, of_b = polygamma(1, np.stack([a + b, a, b]))
    mixed = mass * a * b * both
    first = slopes[:, 0] - mass * a * a * (of_a - both)
    second = slopes[:, 1] - mass * b * b * (of_b - both)
    return np.stack([first, mixed, mixed, second], axis=1).reshape(-1, 2, 2)


def _log_normal_density(columns: FloatArray, mu: FloatArray, sigma: FloatArray) -> FloatArray:
    return np.asarray(-0.5 * ((columns[0] - mu) / sigma) ** 2 - np.log(sigma) - HALF_LOG_TWO_PI)


def _normal_from_means(one: float, two: float) -> tuple[float, float] | None:
    square = two - one * one
    return (one, math.sqrt(square)) if square > 0.0 else None


def _normal_scores(columns: FloatArray, mu: FloatArray, sigma: FloatArray) -> FloatArray:
    z = (columns[0] - mu) / sigma
    return np.stack([z / sigma, z * z - 1.0])


def _normal_curvature(
    mass: FloatArray, slopes: FloatArray, _: FloatArray, sigma: FloatArray
) -> FloatArray:
    mixed, second = -2.0 * slopes[:, 0], -2.0 * (slopes[:, 1] + mass)
    return np.stack([-mass / sigma**2, mixed, mixed, second], axis=1).reshape(-1, 2, 2)


BETA_KIND = Components(
    "beta-mixture", "beta", BetaMixture, Beta, lambda x: np.stack([np.log(x), np.log1p(-x)]),
    _log_beta_density, _beta_from_means, lambda a, b: a / (a + b), lambda a, b: a + b,
    lambda single: _CONCENTRATION * (1.0 + sum(single.values)), slice(0, 2), _beta_scores,
    _beta_curvature,
)  # fmt: skip
NORMAL_KIND = Components(
    "normal-mixture", "normal", NormalMixture, Normal, lambda x: np.stack([x, x * x]),
    _log_normal_density, _normal_from_means, lambda mu, _: mu, lambda _, sigma: 1.0 / sigma,
    lambda _: 1.0 / _NARROWEST, slice(1, 2), _normal_scores, _normal_curvature, standard=True,
)  # fmt: skip
