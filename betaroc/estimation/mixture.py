"""Maximum likelihood of a mixture: EM from several starts, then Newton's method.

The likelihood is unbounded where a component shrinks to a point, so its largest value
means nothing; the estimate is the largest *local* maximum that the starts lead to and
whose components all have a share of the scores and a width. Among some hundred scores,
others may be likelier, most of them with a narrow component. EM never lowers the likelihood
and finds the neighbourhood, Newton's method on the observed information the last digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import DegenerateDataError, FitError
from betaroc.core.special import HALF_LOG_TWO_PI, log_beta
from betaroc.core.text import format_value
from betaroc.core.vocabulary import worded
from betaroc.distributions.base import Distribution, Summit, climb
from betaroc.distributions.beta import Beta
from betaroc.distributions.mixture import BetaMixture, Mixture, NormalMixture
from betaroc.distributions.normal import Normal
from betaroc.estimation.beta import beta_mle, estimate_beta, solve_one
from betaroc.estimation.contract import (
    Data,
    Family,
    MleResult,
    Parameters,
    Sample,
    too_few_distinct,
)
from betaroc.estimation.normal import estimate_normal

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


class Curvature(NamedTuple):
    """Of one component, by its two coordinates, summed over its scores."""

    first: float
    second: float
    both: float


class Kind(NamedTuple):
    """What the components of a mixture are: a distribution of two parameters, p and q."""

    name: str
    #: The family of one component, and where it is fitted alone.
    single: str
    mixture: Callable[[tuple[float, ...], tuple[Any, ...]], Distribution]
    component: Callable[[float, float], Distribution]
    estimate: Callable[[Data], MleResult]
    columns: Callable[[FloatArray], tuple[FloatArray, FloatArray]]
    #: Of the columns and p and q.
    log_density: Callable[[FloatArray, FloatArray, float, float], FloatArray]
    #: p and q from the means of both columns; None of a point.
    from_means: Callable[[float, float], tuple[float, float] | None]
    #: Where components stand in order.
    place: Callable[[FloatArray, FloatArray], FloatArray]
    #: How narrow components are, and how narrow they may be beside one distribution of all scores.
    narrow: Callable[[FloatArray, FloatArray], FloatArray]
    cap: Callable[[MleResult], float]
    #: Which of p and q have their logarithm as coordinate, the last ones.
    logs: slice
    #: Of the columns and p and q the derivatives of the log density by both coordinates.
    scores: Callable[[FloatArray, FloatArray, float, float], tuple[FloatArray, FloatArray]]
    #: Of the weight of a component's scores, the sums of both derivatives over them, p and q.
    curvature: Callable[[float, float, float, float, float], Curvature]


class _Data(NamedTuple):
    kind: Kind
    one: FloatArray
    two: FloatArray
    weights: FloatArray
    total: float

    @classmethod
    def of(cls, kind: Kind, values: FloatArray, weights: FloatArray | None) -> _Data:
        w = np.ones(values.size) if weights is None else weights
        return cls(kind, *kind.columns(values), w, math.fsum(w.tolist()))

    def blocks(self) -> Iterator[_Data]:
        for start in range(0, self.one.size, _BLOCK):
            cut = slice(start, start + _BLOCK)
            yield _Data(self.kind, self.one[cut], self.two[cut], self.weights[cut], self.total)


class _Point(NamedTuple):
    """Shares and parameters of the components."""

    kind: Kind
    shares: FloatArray
    p: FloatArray
    q: FloatArray

    @property
    def law(self) -> Distribution:
        laws = tuple(self.kind.component(float(self.p[k]), float(self.q[k])) for k in self.order)
        return self.kind.mixture(tuple(float(self.shares[k]) for k in self.order), laws)

    @property
    def order(self) -> list[int]:
        """Components by ascending mean."""
        result: list[int] = np.argsort(self.kind.place(self.p, self.q), kind="stable").tolist()
        return result

    @property
    def coordinates(self) -> FloatArray:
        odds = np.log(self.shares[:-1]) - math.log(float(self.shares[-1]))
        pairs = np.column_stack([self.p, self.q])
        pairs[:, self.kind.logs] = np.log(pairs[:, self.kind.logs])
        return np.concatenate([odds, pairs.ravel()])

    @classmethod
    def at(cls, kind: Kind, coordinates: FloatArray, count: int) -> _Point:
        odds = np.exp(np.append(coordinates[: count - 1], 0.0))
        pairs = np.array(coordinates[count - 1 :].reshape(count, 2))
        pairs[:, kind.logs] = np.exp(pairs[:, kind.logs])
        return cls(kind, odds / odds.sum(), *pairs.T)


def estimate_mixture(value: Data, count: int, kind: Kind) -> MleResult:
    """The mixture of `count` distributions of scores that all of them may have made."""
    sample = value.rows()
    if sample.low == sample.high:
        raise too_few_distinct(sample, kind.name)
    least = int(_LEAST_SCORES) * count
    if sample.total < least:
        inside = " inside (0, 1)" if kind.single == "beta" else ""
        raise DegenerateDataError(
            f"{sample.name}: a mixture of {format_value(count)} {kind.single} distributions needs"
            f" at least {format_value(least)} scores{inside}; got {sample.total:g}. Give more"
            + worded(f' scores, or use `family="{kind.single}"`.')
        )
    single = kind.estimate(sample)
    return _highest(sample, single, _best_starts(sample, single, count, kind), count, kind)


def estimate_near(argument: Data, law: Distribution, kind: Kind) -> MleResult:
    """The maximum that is uphill from the mixture of nearly the same scores."""
    sample, near = argument.rows(), cast(Mixture, law)
    shares = np.array(near._shares)
    shapes = [[p.value for p in c._parameters()] for c in near.components]
    start = _Point(kind, shares, *np.array(shapes).T)
    return _highest(sample, kind.estimate(sample), [start], shares.size, kind)


def _highest(
    sample: Sample, single: MleResult, starts: Sequence[_Point], count: int, kind: Kind
) -> MleResult:
    """The largest of the maxima that the starts lead to."""
    data, cap = _Data.of(kind, sample.values, sample.weights), kind.cap(single)
    best: tuple[_Point, Summit] | None = None
    for start in starts:
        result = _by_quantiles(data, sample, start, cap) or _climb(data, start, cap)
        if result is not None and (best is None or _rank(result[1]) > _rank(best[1])):
            best = result
    # Components that became one distribution are told from it by rounding alone.
    least = single.log_likelihood + _NOISE * max(abs(single.log_likelihood), data.total)
    if best is None or best[1].value * data.total <= least:
        item = kind.single
        raise FitError(
            f"{sample.name}: no mixture of {count} {item} distributions was found whose components"
            f" all have {_LEAST_SCORES:g} scores and a width and which is likelier than one {item}"
            " distribution, the error's .result."
            + worded(f' Use `family="{item}"`, or `resolution=...` for rounded scores.'),
            single._replace(converged=False),
        )
    return _checked(sample, _estimate(*best, data.total), kind)


def _rank(d: Summit) -> tuple[bool, float]:
    """Maxima that were reached before those that were not, then by likelihood."""
    return d.norm <= 10.0 * _TINY_GRADIENT, d.value


def _estimate(point: _Point, d: Summit, total: float) -> MleResult:
    law = point.law
    parameters = law._parameters()
    try:
        covariance = _covariance(point, d.hessian)
    except np.linalg.LinAlgError:
        size = len(parameters)
        covariance = np.full((size, size), np.nan)
    return MleResult(
        law,
        tuple(p.name for p in parameters),
        tuple(p.value for p in parameters),
        covariance,
        d.value * total,
        d.norm <= 10.0 * _TINY_GRADIENT and math.isfinite(covariance[0, 0]),
        d.iterations,
        d.norm,
    )


def _checked(sample: Sample, estimate: MleResult, kind: Kind) -> MleResult:
    if estimate.converged:
        return estimate
    raise FitError(
        f"{sample.name}: the mixture did not converge: gradient {estimate.gradient_norm:.3g} at"
        f" {estimate.distribution!r}, where the likelihood is flat in some direction."
        + worded(f' Use fewer components, or `family="{kind.single}"`.'),
        estimate,
    )


# ------------------------------------------------------------------------------------- starts
def _best_starts(sample: Sample, single: MleResult, count: int, kind: Kind) -> list[_Point]:
    """The most likely starts after some steps on a thinned sample."""
    values, shares = _thinned(sample, _THIN)
    data, cap = _Data.of(kind, values, shares), kind.cap(single)
    first = (_maximised(data, kind) for kind in _first_shares(values, shares, single, count))
    result = [point for point in first if point is not None]
    for steps in (_FIRST_STEPS, _START_STEPS):
        moved = (_em(data, point, steps, cap) for point in result)
        alive = [point for point in moved if point is not None]
        result = sorted(alive, key=lambda point: -_value(data, point))[:_CLIMBED]
    return result[: 1 if sample.values.size > _MANY_SCORES else _CLIMBED]


def _thinned(sample: Sample, size: int) -> tuple[FloatArray, FloatArray]:
    """Distinct scores and their weights; of many so many quantiles, closer towards both ends."""
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
    """Who may have made which score, one row per component; the scores are sorted."""
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


# ------------------------------------------------------------------------------------- EM
def _log_parts(data: _Data, point: _Point) -> FloatArray:
    """log(share * density) of each score, one row per component."""
    rows = [
        data.kind.log_density(data.one, data.two, p, q) + math.log(share)
        for share, p, q in zip(*(x.tolist() for x in point[1:]), strict=True)
    ]
    return np.stack(rows)


def _responsibilities(parts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Shares of the components in each score, and the log density."""
    top = parts.max(axis=0)
    with np.errstate(under="ignore"):
        shares = np.exp(parts - top)
    whole = shares.sum(axis=0)
    return shares / whole, top + np.log(whole)


def _value(data: _Data, point: _Point) -> float:
    """The mean log-likelihood."""
    sums = [
        float(block.weights @ _responsibilities(_log_parts(block, point))[1])
        for block in data.blocks()
    ]
    return math.fsum(sums) / data.total


def _maximised(data: _Data, shares: FloatArray) -> _Point | None:
    """The likeliest components given who made which score; None if one of them is a point."""
    w = shares * data.weights
    return _from_sums(data.kind, w.sum(axis=1), w @ data.one, w @ data.two)


def _from_sums(kind: Kind, mass: FloatArray, one: FloatArray, two: FloatArray) -> _Point | None:
    if not np.all(mass > 0.0):
        return None
    means = zip((one / mass).tolist(), (two / mass).tolist(), strict=True)
    result = [kind.from_means(*pair) for pair in means]
    keep = [pair for pair in result if pair is not None]
    if len(keep) < len(result):
        return None
    return _Point(kind, mass / mass.sum(), *np.array(keep).T)


def _em(data: _Data, point: _Point, steps: int, cap: float) -> _Point | None:
    """Steps of EM; None where a component loses its scores or its width."""
    for _ in range(steps):
        sums = np.zeros((3, point.p.size))
        for block in data.blocks():
            w = _responsibilities(_log_parts(block, point))[0] * block.weights
            sums += w.sum(axis=1), w @ block.one, w @ block.two
        after = _from_sums(data.kind, *sums)
        if after is None or not _regular(after, data.total, cap):
            return None
        point = after
    return point


def _regular(point: _Point, total: float, cap: float) -> bool:
    enough = point.shares * total >= _LEAST_SCORES * (1.0 - 1e-9)
    return bool(np.all(enough & (point.kind.narrow(point.p, point.q) <= cap)))


# ------------------------------------------------------------------------------------- Newton
def _climb(data: _Data, point: _Point, cap: float) -> tuple[_Point, Summit] | None:
    """From a start to its local maximum: EM until Newton's method takes over."""
    steps = 0
    for _ in range(_ROUNDS):
        after = _em(data, point, _EM_STEPS, cap)
        if after is None:
            return None
        point, d = _newton(data, after, steps + _EM_STEPS)
        steps = d.iterations
        if not _regular(point, data.total, cap):
            return None
        if d.norm <= _TINY_GRADIENT:
            break
    return point, d


def _by_quantiles(
    data: _Data, sample: Sample, start: _Point, cap: float
) -> tuple[_Point, Summit] | None:
    """Of many scores the maximum beside that of their quantiles; None where none is reached."""
    if data.one.size <= _MANY_SCORES:
        return None
    few = _Data.of(data.kind, *_thinned(sample, _QUANTILES))
    near = _climb(few, start, cap)
    if near is None:
        return None
    point, d = _newton(data, near[0], near[1].iterations)
    return (point, d) if _regular(point, data.total, cap) and d.norm <= _TINY_GRADIENT else None


def _newton(data: _Data, point: _Point, steps: int) -> tuple[_Point, Summit]:
    """Newton's steps as long as they climb, after so many of EM."""
    kind, count = point.kind, point.p.size
    top = climb(
        lambda y: _derivatives(data, _Point.at(kind, y, count)), point.coordinates,
        tiny=_TINY_GRADIENT, steps=_NEWTON_STEPS, halvings=8,
    )  # fmt: skip
    return _Point.at(kind, top.place, count), top._replace(iterations=top.iterations + steps)


def _derivatives(data: _Data, point: _Point) -> tuple[float, FloatArray, FloatArray]:
    """Louis's formula: the complete information less what is not known of the components."""
    count = point.p.size
    size = 3 * count - 1
    odds, places = point.shares[:-1], [count - 1 + 2 * k for k in range(count)]
    value, mass, hessian = 0.0, np.zeros(count), np.zeros((size, size))
    slopes = np.zeros((count, 2))
    for block in data.blocks():
        shares, logs = _responsibilities(_log_parts(block, point))
        w = block.weights
        value += float(w @ logs)
        mass += shares @ w
        mean_score = np.empty((size, w.size))
        mean_score[: count - 1] = shares[:-1] - odds[:, None]
        for k, i in enumerate(places):
            one, two = point.kind.scores(block.one, block.two, *_own(point, k))
            first, second = np.multiply(shares[k], one), np.multiply(shares[k], two)
            mean_score[i], mean_score[i + 1] = first, second
            first, second = first * w, second * w
            slopes[k] += first.sum(), second.sum()
            both = float(first @ two)
            hessian[i : i + 2, i : i + 2] += [[float(first @ one), both], [both, second @ two]]
        hessian -= (mean_score * w) @ mean_score.T
    for k, i in enumerate(places):
        of_p, of_q = slopes[k].tolist()
        known = point.kind.curvature(float(mass[k]), of_p, of_q, *_own(point, k))
        hessian[i : i + 2, i : i + 2] += [[known.first, known.both], [known.both, known.second]]
        # Its own indicator less the share of each component.
        away = (np.arange(count - 1) == k) - odds
        hessian[: count - 1, : count - 1] += mass[k] * np.outer(away, away)
        hessian[: count - 1, i : i + 2] += np.outer(away, slopes[k])
        hessian[i : i + 2, : count - 1] += np.outer(slopes[k], away)
    hessian[: count - 1, : count - 1] -= data.total * (np.diag(odds) - np.outer(odds, odds))
    gradient = np.concatenate([mass[:-1] - odds * mass.sum(), slopes.ravel()])
    return value / data.total, gradient / data.total, hessian / data.total


def _own(point: _Point, k: int) -> tuple[float, float]:
    return float(point.p[k]), float(point.q[k])


def _covariance(point: _Point, hessian: FloatArray) -> FloatArray:
    """Inverse observed information of one unit of weight, in the order of the parameters."""
    count = point.p.size
    whole = np.linalg.inv(-hessian)
    if not np.all(np.linalg.eigvalsh(-hessian) > 0.0):
        raise np.linalg.LinAlgError
    shares = point.shares
    of_shares = (np.diag(shares) - np.outer(shares, shares))[:, : count - 1]
    rates = np.zeros((3 * count, 3 * count - 1))
    rates[:count, : count - 1] = of_shares
    slopes = np.ones((count, 2))
    slopes[:, point.kind.logs] = np.column_stack([point.p, point.q])[:, point.kind.logs]
    rates[count:, count - 1 :] = np.diag(slopes.ravel())
    covariance = rates @ whole @ rates.T
    order = point.order
    places = [*order[:-1], *(count + 2 * k + j for k in order for j in (0, 1))]
    return np.asarray(covariance[np.ix_(places, places)])


# ----------------------------------------------------------------------
# Maximum likelihood of a mixture of beta distributions.
#: A component may be so much more concentrated than one distribution of all scores.
_CONCENTRATION = 1e4
#: EM of a row stops when a step gains less log-likelihood than this.
_GAIN = 0.005
_ROW_STEPS = 3000


def _log_beta_density(one: FloatArray, two: FloatArray, a: float, b: float) -> FloatArray:
    return np.asarray((a - 1.0) * one + (b - 1.0) * two - log_beta(a, b))


def _beta_from_means(one: float, two: float) -> tuple[float, float] | None:
    result = solve_one(one, two) if max(one, two) < 0.0 else None
    return (result.a, result.b) if result is not None and result.converged else None


def _beta_scores(
    one: FloatArray, two: FloatArray, a: float, b: float
) -> tuple[FloatArray, FloatArray]:
    """By log a and log b."""
    from scipy.special import psi

    both = psi(a + b)
    return a * (one + (both - psi(a))), b * (two + (both - psi(b)))


def _beta_curvature(mass: float, of_a: float, of_b: float, a: float, b: float) -> Curvature:
    """By log a and log b: what is known of both logs is the same for all scores."""
    from scipy.special import polygamma

    of_both, alone_a, alone_b = polygamma(1, np.array([a + b, a, b])).tolist()
    first = of_a - mass * a * a * (alone_a - of_both)
    second = of_b - mass * b * b * (alone_b - of_both)
    return Curvature(first, second, mass * a * b * of_both)


# ------------------------------------------------------------------- many samples at once
def _fit_rows(law: BetaMixture, x: FloatArray) -> Parameters:
    """EM of all rows side by side, from the distribution itself; none shrinks to a point."""
    rows = x.shape[0]
    shapes = np.array([(c.a, c.b) for c in law.components]).T
    p = np.tile(np.vstack([law._shares, shapes])[:, None], (1, rows, 1))
    logs, logs1m = np.log(x), np.log1p(-x)
    last, going = np.full(rows, -np.inf), np.arange(rows)
    for _ in range(_ROW_STEPS):
        share, value = _row_responsibilities(p[:, going], logs, logs1m)
        settled = value - last[going] < _GAIN
        last[going] = value
        after = _maximised_rows(share, logs, logs1m)
        usable = np.all(np.isfinite(after), axis=(0, 2)) & ~settled
        if not usable.all():
            after, going = after[:, usable], going[usable]
            logs, logs1m = logs[usable], logs1m[usable]
        p[:, going] = after
        if not going.size:
            columns = [*p[0].T[:-1], *(shape.T[k] for k in range(p.shape[2]) for shape in p[1:])]
            return tuple(column[:, None] for column in columns)
    raise FitError(
        f"every simulated score set must have a fit; the mixtures of {going.size} of {rows} still"
        f" gain after {_ROW_STEPS} steps of EM. Use fewer components."
    )


def _row_responsibilities(
    p: FloatArray, logs: FloatArray, logs1m: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Shares of each component (first axis) in each score, and each row's log-likelihood."""
    from scipy.special import betaln

    shares, a, b = p.transpose(0, 2, 1)[..., None]
    result = (a - 1.0) * logs
    result += (b - 1.0) * logs1m
    with np.errstate(divide="ignore"):
        result += np.log(shares) - betaln(a, b)
    top = np.max(result, axis=0)
    result -= top
    with np.errstate(under="ignore"):
        np.exp(result, out=result)
    whole = np.sum(result, axis=0)
    result /= whole
    return result, np.sum(top + np.log(whole), axis=1)


def _maximised_rows(share: FloatArray, logs: FloatArray, logs1m: FloatArray) -> FloatArray:
    mass = np.sum(share, axis=2).T
    with np.errstate(divide="ignore", invalid="ignore"):
        g1 = np.einsum("krn,rn->rk", share, logs) / mass
        g2 = np.einsum("krn,rn->rk", share, logs1m) / mass
    a, b, _ = beta_mle(g1, g2)  # nan where a component is a point
    return np.array([mass / logs.shape[1], a, b])


def _moments_of_rows(p: Parameters, x: FloatArray, shares: FloatArray) -> FloatArray:
    """Squares and products of the shapes' scores and their slopes, component by component."""
    from scipy.special import polygamma, psi

    logs, logs1m = np.log(x), np.log1p(-x)
    count = (len(p) + 1) // 3
    weights, pairs = p[: count - 1], list(zip(p[count - 1 :: 2], p[count::2], strict=True))
    whole = np.hstack([*weights, 1.0 - sum(weights)])
    a_all, b_all = (np.hstack(shapes) for shapes in zip(*pairs, strict=True))
    parts, _ = _row_responsibilities(np.array([whole, a_all, b_all]), logs, logs1m)
    columns = []
    for (a, b), r in zip(pairs, parts, strict=True):
        u, v = logs - psi(a) + psi(a + b), logs1m - psi(b) + psi(a + b)
        common = polygamma(1, a + b)
        for first, second, rate in (
            (u, u, polygamma(1, a) - common), (u, v, -common), (v, v, polygamma(1, b) - common),
        ):  # fmt: skip
            columns.append(r * (first * second - rate) @ shares)
    return np.stack(columns, axis=1)


_BETA_KIND = Kind(
    "beta-mixture", "beta", BetaMixture, Beta, estimate_beta,
    lambda x: (np.log(x), np.log1p(-x)), _log_beta_density, _beta_from_means,
    lambda a, b: a / (a + b), lambda a, b: a + b,
    lambda single: _CONCENTRATION * (1.0 + sum(single.values)), slice(0, 2), _beta_scores,
    _beta_curvature,
)  # fmt: skip
BETA_MIXTURE = Family(
    partial(estimate_mixture, count=2, kind=_BETA_KIND), on_unit=True,
    sized=partial(estimate_mixture, kind=_BETA_KIND), near=partial(estimate_near, kind=_BETA_KIND),
    contains=("beta", "dual-beta", "proper-beta"), alone="beta",
    fit_rows=_fit_rows, moments=_moments_of_rows,
)  # fmt: skip


# ----------------------------------------------------------------------
# Maximum likelihood of a mixture of normal distributions, on scores in standard units.
#: A component may have this share of the standard deviation of all scores.
_NARROWEST = 0.01


def estimate_normal_mixture(value: Data, count: int = 2) -> MleResult:
    """The mixture of `count` normal distributions of the scores."""
    sample = value.rows()
    if sample.low == sample.high:
        return estimate_mixture(sample, count, _NORMAL_KIND)  # which says what is wrong
    mu, sigma = sample.moments()
    standard = sample.replace((sample.values - mu) / sigma)
    return _back(estimate_mixture(standard, count, _NORMAL_KIND), mu, sigma, sample)


def estimate_normal_near(value: Data, law: Distribution) -> MleResult:
    """The maximum that is uphill from the mixture of nearly the same scores."""
    sample = value.rows()
    mu, sigma = sample.moments()
    near = _moved(cast(NormalMixture, law), -mu / sigma, 1.0 / sigma)
    standard = sample.replace((sample.values - mu) / sigma)
    return _back(estimate_near(standard, near, _NORMAL_KIND), mu, sigma, sample)


def _moved(law: NormalMixture, shift: float, scale: float) -> NormalMixture:
    components = tuple(Normal(shift + scale * c.mu, scale * c.sigma) for c in law.components)
    return NormalMixture(law.weights, components)


def _back(result: MleResult, mu: float, sigma: float, sample: Sample) -> MleResult:
    """The estimate in the units of the scores."""
    law = _moved(cast(NormalMixture, result.distribution), mu, sigma)
    parameters = law._parameters()
    scale = np.array([1.0 if p.scale == "weights" else sigma for p in parameters])
    with np.errstate(over="ignore", under="ignore"):
        covariance = result.covariance * np.outer(scale, scale)
    return result._replace(
        distribution=law,
        values=tuple(p.value for p in parameters),
        covariance=covariance,
        log_likelihood=result.log_likelihood - sample.total * math.log(sigma),
    )


def _log_normal_density(item: FloatArray, _: FloatArray, mu: float, sigma: float) -> FloatArray:
    return np.asarray(-0.5 * ((item - mu) / sigma) ** 2 - math.log(sigma) - HALF_LOG_TWO_PI)


def _normal_from_means(one: float, two: float) -> tuple[float, float] | None:
    square = two - one * one
    return (one, math.sqrt(square)) if square > 0.0 else None


def _normal_scores(
    item: FloatArray, _: FloatArray, mu: float, sigma: float
) -> tuple[FloatArray, FloatArray]:
    """By mu and log sigma: z/sigma and z^2 - 1."""
    z = (item - mu) / sigma
    return z / sigma, z * z - 1.0


def _normal_curvature(
    mass: float, of_mu: float, of_sigma: float, _: float, sigma: float
) -> Curvature:
    """By mu and log sigma: of each score -1/sigma^2, -2 z^2, -2 z/sigma."""
    return Curvature(-mass / sigma**2, -2.0 * (of_sigma + mass), -2.0 * of_mu)


_NORMAL_KIND = Kind(
    "normal-mixture", "normal", NormalMixture, Normal, estimate_normal,
    lambda x: (x, x * x), _log_normal_density, _normal_from_means,
    lambda mu, _: mu, lambda _, sigma: 1.0 / sigma,
    lambda _: 1.0 / _NARROWEST, slice(1, 2), _normal_scores, _normal_curvature,
)  # fmt: skip
NORMAL_MIXTURE = Family(
    estimate_normal_mixture, sized=estimate_normal_mixture, near=estimate_normal_near,
    contains=("normal", "equal-variance-normal"), alone="normal",
)  # fmt: skip
