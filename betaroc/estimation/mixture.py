"""Maximum likelihood of a mixture: EM from several starts, then Newton's method.

The likelihood is unbounded where a component shrinks to a point, so its largest value
means nothing; the estimate is the largest *local* maximum that the starts lead to and
whose components all have a share of the scores and a width. Among some hundred scores,
others may be likelier, most of them with a narrow component. EM never lowers the likelihood
and finds the neighbourhood, Newton's method on the observed information the last digits.
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
from betaroc.distributions.base import Distribution, Summit, climb
from betaroc.distributions.beta import Beta, beta_mle, solve_one
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


class Kind(NamedTuple):
    """What the components of a mixture are: a distribution of two parameters, p and q."""

    name: str
    #: The family of one component.
    single: str
    mixture: type[Mixture]
    component: Callable[[float, float], Distribution]
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
    #: Of the weight of a component's scores, the sums of both derivatives over them, p and q: the
    #: second derivatives by both coordinates.
    curvature: Callable[[float, float, float, float, float], list[list[float]]]
    #: Whether scores are taken in standard units.
    standard: bool = False


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
    def components(self) -> list[tuple[float, float]]:
        return list(zip(self.p.tolist(), self.q.tolist(), strict=True))

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


def estimate_mixture(
    value: Data, count: int = 2, near: Distribution | None = None, *, kind: Kind,
    single: Callable[[Data], MleResult],
) -> MleResult:  # fmt: skip
    """The mixture of `count` distributions of scores that all of them may have made.

    The maximum is that uphill from `near`, a mixture of nearly the same scores, where it is given;
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
    if isinstance(near, Mixture):
        shapes = [[p.value for p in c._parameters()] for c in near.components]
        start = _Point(kind, near._shares, *np.array(shapes).T)
        if kind.standard:
            start = start._replace(p=(start.p - mu) / sigma, q=start.q / sigma)
        starts = [start]
    else:
        starts = _best_starts(sample, alone, count, kind)
    # Components that became one distribution are told from it by rounding alone.
    least_value = alone.log_likelihood + _NOISE * max(abs(alone.log_likelihood), sample.total)
    # The largest of the maxima that the starts lead to; those that were reached come first.
    data, cap = _Data.of(kind, sample.values, sample.weights), kind.cap(alone)
    tops = (_by_quantiles(data, sample, start, cap) or _climb(data, start, cap) for start in starts)
    best = max(
        (top for top in tops if top is not None),
        key=lambda top: (top[1].norm <= 10.0 * _TINY_GRADIENT, top[1].value), default=None,
    )  # fmt: skip
    if best is None or best[1].value * sample.total <= least_value:
        item = kind.single
        raise FitError(
            f"{sample.name}: no mixture of {count} {item} distributions was found whose components"
            f" all have {_LEAST_SCORES:g} scores and a width and which is likelier than one {item}"
            " distribution, the error's .result."
            + worded(f' Use `family="{item}"`, or `resolution=...` for rounded scores.'),
            single(value.rows())._replace(converged=False),
        )
    estimate = _estimate(*best, sample.total, mu, sigma)
    if not estimate.converged:
        raise FitError(
            f"{sample.name}: the mixture did not converge: gradient {estimate.gradient_norm:.3g} at"
            f" {estimate.distribution!r}, where the likelihood is flat in some direction."
            + worded(f' Use fewer components, or `family="{kind.single}"`.'),
            estimate,
        )
    return estimate


def _estimate(point: _Point, d: Summit, total: float, mu: float, sigma: float) -> MleResult:
    """The result in the units of the scores."""
    kind, order = point.kind, point.order
    if kind.standard:
        point = point._replace(p=mu + sigma * point.p, q=sigma * point.q)
    components = tuple(kind.component(*point.components[k]) for k in order)
    law = kind.mixture(tuple(point.shares[order].tolist()), components)
    parameters = law._parameters()
    covariance = _covariance(point, d.hessian, sigma)
    reached = d.norm <= 10.0 * _TINY_GRADIENT and math.isfinite(covariance[0, 0])
    return MleResult(
        law, tuple(p.name for p in parameters), tuple(p.value for p in parameters), covariance,
        (d.value - math.log(sigma)) * total, reached, d.iterations, d.norm,
    )  # fmt: skip


# ------------------------------------------------------------------------------------- starts
def _best_starts(sample: Sample, single: MleResult, count: int, kind: Kind) -> list[_Point]:
    """The most likely starts after some steps on a thinned sample."""
    values, shares = _thinned(sample, _THIN)
    data, cap = _Data.of(kind, values, shares), kind.cap(single)
    parts = (first * shares for first in _first_shares(values, shares, single, count))
    first = (_from_sums(kind, w.sum(axis=1), w @ data.one, w @ data.two) for w in parts)
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
    return np.stack([
        data.kind.log_density(data.one, data.two, p, q) + math.log(share)
        for share, (p, q) in zip(point.shares.tolist(), point.components, strict=True)
    ])  # fmt: skip


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


def _from_sums(kind: Kind, mass: FloatArray, one: FloatArray, two: FloatArray) -> _Point | None:
    """The likeliest components by the sums of their scores; None if one of them is a point."""
    if not np.all(mass > 0.0):
        return None
    means = zip((one / mass).tolist(), (two / mass).tolist(), strict=True)
    result = [kind.from_means(*pair) for pair in means]
    return None if None in result else _Point(kind, mass / mass.sum(), *np.array(result).T)


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
    kind, count = point.kind, point.p.size
    size, odds = 3 * count - 1, point.shares[:-1]
    cuts = [slice(count - 1 + 2 * k, count + 1 + 2 * k) for k in range(count)]
    value, mass, hessian = 0.0, np.zeros(count), np.zeros((size, size))
    slopes = np.zeros((count, 2))
    for block in data.blocks():
        shares, logs = _responsibilities(_log_parts(block, point))
        w = block.weights
        value += float(w @ logs)
        mass += shares @ w
        mean_score = np.empty((size, w.size))
        mean_score[: count - 1] = shares[:-1] - odds[:, None]
        for k, pair in enumerate(point.components):
            scores = np.stack(kind.scores(block.one, block.two, *pair))
            mean_score[cuts[k]] = shares[k] * scores
            weighted = mean_score[cuts[k]] * w
            slopes[k] += weighted.sum(axis=1)
            hessian[cuts[k], cuts[k]] += weighted @ scores.T
        hessian -= (mean_score * w) @ mean_score.T
    for k, pair in enumerate(point.components):
        hessian[cuts[k], cuts[k]] += kind.curvature(*map(float, (mass[k], *slopes[k], *pair)))
        # Its own indicator less the share of each component.
        away = (np.arange(count - 1) == k) - odds
        hessian[: count - 1, : count - 1] += mass[k] * np.outer(away, away)
        hessian[: count - 1, cuts[k]] += np.outer(away, slopes[k])
        hessian[cuts[k], : count - 1] += np.outer(slopes[k], away)
    hessian[: count - 1, : count - 1] -= data.total * (np.diag(odds) - np.outer(odds, odds))
    gradient = np.concatenate([mass[:-1] - odds * mass.sum(), slopes.ravel()])
    return value / data.total, gradient / data.total, hessian / data.total


def _covariance(point: _Point, hessian: FloatArray, sigma: float) -> FloatArray:
    """Inverse observed information of one unit of weight, in the order of the parameters.

    The Hessian is that in units of sigma; nan where it is of no hill.
    """
    count, shares, order = point.p.size, point.shares, point.order
    rates = np.zeros((3 * count, 3 * count - 1))
    rates[:count, : count - 1] = (np.diag(shares) - np.outer(shares, shares))[:, : count - 1]
    slopes = np.full((count, 2), sigma)
    slopes[:, point.kind.logs] = np.column_stack([point.p, point.q])[:, point.kind.logs]
    rates[count:, count - 1 :] = np.diag(slopes.ravel())
    places = [*order[:-1], *(count + 2 * k + j for k in order for j in (0, 1))]
    rates = rates[places]
    try:
        whole = np.linalg.inv(-hessian)
        if not np.all(np.linalg.eigvalsh(-hessian) > 0.0):
            raise np.linalg.LinAlgError
    except np.linalg.LinAlgError:
        whole = np.full(hessian.shape, np.nan)
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(rates @ whole @ rates.T)


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


def _beta_curvature(
    mass: float, of_a: float, of_b: float, a: float, b: float
) -> list[list[float]]:  # fmt: skip
    """By log a and log b: what is known of both logs is the same for all scores."""
    from scipy.special import polygamma

    of_both, alone_a, alone_b = polygamma(1, np.array([a + b, a, b])).tolist()
    both = mass * a * b * of_both
    first = of_a - mass * a * a * (alone_a - of_both)
    return [[first, both], [both, of_b - mass * b * b * (alone_b - of_both)]]


# ------------------------------------------------------------------- many samples at once
def beta_mixture_of_rows(law: BetaMixture, x: FloatArray) -> Parameters:
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
    shares, logs = _responsibilities(result)
    return shares, np.sum(logs, axis=1)


def _maximised_rows(share: FloatArray, logs: FloatArray, logs1m: FloatArray) -> FloatArray:
    mass = np.sum(share, axis=2).T
    with np.errstate(divide="ignore", invalid="ignore"):
        g1 = np.einsum("krn,rn->rk", share, logs) / mass
        g2 = np.einsum("krn,rn->rk", share, logs1m) / mass
    a, b, _ = beta_mle(g1, g2)  # nan where a component is a point
    return np.array([mass / logs.shape[1], a, b])


def beta_mixture_moments(p: Parameters, x: FloatArray, shares: FloatArray) -> FloatArray:
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


BETA_KIND = Kind(
    "beta-mixture", "beta", BetaMixture, Beta, lambda x: (np.log(x), np.log1p(-x)),
    _log_beta_density, _beta_from_means, lambda a, b: a / (a + b), lambda a, b: a + b,
    lambda single: _CONCENTRATION * (1.0 + sum(single.values)), slice(0, 2), _beta_scores,
    _beta_curvature,
)  # fmt: skip


# ----------------------------------------------------------------------
# Maximum likelihood of a mixture of normal distributions, on scores in standard units.
#: A component may have this share of the standard deviation of all scores.
_NARROWEST = 0.01


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
) -> list[list[float]]:  # fmt: skip
    """By mu and log sigma: of each score -1/sigma^2, -2 z^2, -2 z/sigma."""
    return [[-mass / sigma**2, -2.0 * of_mu], [-2.0 * of_mu, -2.0 * (of_sigma + mass)]]


NORMAL_KIND = Kind(
    "normal-mixture", "normal", NormalMixture, Normal, lambda x: (x, x * x), _log_normal_density,
    _normal_from_means, lambda mu, _: mu, lambda _, sigma: 1.0 / sigma,
    lambda _: 1.0 / _NARROWEST, slice(1, 2), _normal_scores, _normal_curvature, standard=True,
)  # fmt: skip
