"""Likelihoods without sufficient statistics: censored ends and rounded scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.errors import DegenerateDataError, FitError
from betaroc.core.sentences import worded
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.base import Distribution
from betaroc.distributions.coordinates import free, moved
from betaroc.estimation.contract import Maximum, as_rows

Likelihood = Callable[[Any], float]
_FIRST, _SECOND = 2e-3, 1e-2
_NEWTON_STEPS = 20
_TINY_GRADIENT = 1e-9
#: Whitened coordinates beyond this mean a likelihood without maximum.
_FAR = 100.0
#: Curvature below this is rounding: the likelihood is flat, its maximum at infinity.
_FLAT = 1e-6
#: Gauss's rule is used at this many half-widths from the ends of the support, ...
_REMOTE = 10.0
#: ... where the log density changes by no more than this within the cell.
_FLAT_CELL = 0.5


def censored(
    inside: Callable[[Any], float] | None,
    low: tuple[float, float],
    high: tuple[float, float],
) -> Likelihood:
    """Likelihood of the scores inside; F(edge) and 1 - F(edge) for the weights beyond the edges.

    ``low`` and ``high`` are (edge, weight).
    """

    def at(law: Any) -> float:
        parts = [inside(law)] if inside is not None else []
        parts += [low[1] * law.logcdf(low[0])] if low[1] else []
        parts += [high[1] * law.logsf(high[0])] if high[1] else []
        return math.fsum(parts)

    return at


class ScoreCells(NamedTuple):
    """Distinct cells k step -+ step/2, cut to the support, and which one each score lies in."""

    number: FloatArray
    low: FloatArray
    high: FloatArray
    place: IntArray

    @classmethod
    def of(cls, values: FloatArray, step: float, support: tuple[float, float]) -> ScoreCells:
        """The cells that hold scores."""
        last = np.ceil(support[1] / step + 0.5) - 1
        index, place = np.unique(np.minimum(np.rint(values / step), last), return_inverse=True)
        low, high = (np.clip((index + side) * step, *support) for side in (-0.5, 0.5))
        return cls(index, low, high, np.ravel(place))


def log_masses(
    low: FloatArray, high: FloatArray, support: tuple[float, float]
) -> Callable[[Any], FloatArray]:
    """log P(low < S <= high) of each cell by any distribution.

    A cell far from the ends of the support in which the density hardly changes is integrated by
    Gauss's rule, which stays exact however narrow it is; others by their ends.
    """
    nodes, node_weights = np.polynomial.legendre.leggauss(5)
    half, middle = 0.5 * (high - low), 0.5 * (high + low)
    points = middle + np.outer(nodes, half)
    remote = np.minimum(middle - support[0], support[1] - middle) >= _REMOTE * half
    inside, ends = Thresholds.from_theta(points[:, remote]), Thresholds.from_theta([low, high])

    def at(law: Any) -> FloatArray:
        logs = np.empty_like(half)
        narrow = remote.copy()
        densities = law._log_pdf(inside)
        top = densities.max(axis=0)
        with np.errstate(under="ignore", invalid="ignore"):
            mean = 0.5 * node_weights @ np.exp(densities - top)
            logs[remote] = top + np.log(mean) + np.log(2.0 * half[remote])
            narrow[remote] = top - densities.min(axis=0) <= _FLAT_CELL
        wide = ~narrow
        if np.any(wide):
            below, above = law._lower(ends[:, wide])[0], law._upper(ends[:, wide])[0]
            smaller = np.where(below[1] < above[0], below[1] - below[0], above[0] - above[1])
            with np.errstate(divide="ignore"):
                logs[wide] = np.log(np.maximum(smaller, 0.0))
        return logs

    return at


class _Maximum(NamedTuple):
    y: FloatArray
    value: float
    gradient: FloatArray
    hessian: FloatArray
    iterations: int


def maximise(likelihood: Likelihood, start: Distribution, total: float, name: str) -> Maximum:
    """The distribution of largest likelihood, with the observed information as its precision.

    Works in free coordinates in which the start's information is the unit matrix:
    a simplex search, then Newton's method on fourth-order differences.
    """
    names = [p.name for p in start._parameters()]
    point = free(start, names)
    scale = np.linalg.cholesky(point.rates @ start._unit_covariance() @ point.rates.T)

    def law(y: FloatArray) -> Distribution:
        return moved(start, names, (point.place + scale @ y).tolist())

    def mean(y: FloatArray) -> float:
        if not np.all(np.abs(y) < _FAR):
            return -math.inf
        value = likelihood(law(y)) / total
        return value if math.isfinite(value) else -math.inf

    found = _newton(mean, _simplex(mean, len(names)), name)
    best = law(found.y)
    information = -found.hessian
    if not np.all(np.linalg.eigvalsh(information) > _FLAT):
        raise DegenerateDataError(
            f"{name}: this likelihood has no maximum: it still grows at {best!r}. Too few distinct"
            " scores or cells are left. Use a finer resolution, more scores, or"
            + worded(' `family="empirical"`.')
        )
    root = np.linalg.solve(free(best, names).rates, scale)
    covariance = root @ np.linalg.inv(information) @ root.T
    norm = float(np.abs(np.linalg.solve(scale.T, found.gradient)).max())
    estimate = Maximum(
        best, tuple(names), tuple(p.value for p in best._parameters()),
        as_rows(covariance), total * found.value,
        bool(np.all(np.abs(found.gradient) <= _TINY_GRADIENT)), found.iterations, norm,
    )  # fmt: skip
    if not estimate.converged:
        raise FitError(
            f"{name}: the likelihood's maximum was not reached to the last digits; gradient"
            f" {norm:.3g} at {best!r}. The partial result is the error's .result."
            + worded(' Try `boundary="inflate"`.'),
            estimate,
        )
    return estimate


def _simplex(mean: Callable[[FloatArray], float], size: int) -> FloatArray:
    from scipy.optimize import minimize

    start = np.zeros(size)
    options = {"xatol": 1e-3, "fatol": 1e-9, "maxiter": 2000, "maxfev": 4000}
    found = minimize(lambda y: min(-mean(y), 1e300), start, method="Nelder-Mead", options=options)
    return np.asarray(found.x)


def _newton(mean: Callable[[FloatArray], float], y: FloatArray, name: str) -> _Maximum:
    iterations = 0
    while iterations < _NEWTON_STEPS:
        iterations += 1
        gradient, hessian = _gradient(mean, y), _hessian(mean, y)
        if not (np.all(np.isfinite(gradient)) and np.all(np.isfinite(hessian))):
            raise DegenerateDataError(
                f"{name}: this likelihood has no maximum: it grows without end. Too few distinct"
                " scores or cells are left. Use a finer resolution or more scores."
            )
        if np.all(np.abs(gradient) <= 0.01 * _TINY_GRADIENT):
            break
        curvature, directions = np.linalg.eigh(-hessian)
        step = directions @ ((directions.T @ gradient) / np.maximum(curvature, 1e-6))
        y = y + step * min(1.0, 0.5 / float(np.abs(step).max()))
        if float(np.abs(step).max()) <= 1e-12:
            break
    return _Maximum(y, mean(y), _gradient(mean, y), hessian, iterations)


def _gradient(mean: Callable[[FloatArray], float], y: FloatArray) -> FloatArray:
    """Central differences of fourth order."""
    parts = []
    for h in _FIRST * np.eye(y.size):
        near, far = mean(y + h) - mean(y - h), mean(y + 2 * h) - mean(y - 2 * h)
        parts.append((8.0 * near - far) / (12.0 * _FIRST))
    return np.array(parts)


def _hessian(mean: Callable[[FloatArray], float], y: FloatArray) -> FloatArray:
    """Central differences of fourth order; mixed ones along the diagonals."""
    centre, along = mean(y), np.eye(y.size)
    found = np.diag([_second(mean, y, _SECOND * d, centre) for d in along])
    for i, j in zip(*np.triu_indices(y.size, 1), strict=True):
        both = (_second(mean, y, _SECOND * (along[i] + s * along[j]), centre) for s in (1.0, -1.0))
        found[i, j] = found[j, i] = 0.25 * (next(both) - next(both))
    return found


def _second(
    mean: Callable[[FloatArray], float], y: FloatArray, h: FloatArray, centre: float
) -> float:
    near, far = mean(y + h) + mean(y - h), mean(y + 2 * h) + mean(y - 2 * h)
    return (16.0 * near - far - 30.0 * centre) / (12.0 * _SECOND**2)
