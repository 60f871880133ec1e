"""Likelihoods without sufficient statistics: censored ends and rounded scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import DegenerateDataError, FitError
from betaroc.core.sentences import worded
from betaroc.distributions.base import Distribution
from betaroc.estimation.contract import Coordinates, Matrix, Maximum, Sample

Likelihood = Callable[[Any], float]
_FIRST, _SECOND = 2e-3, 1e-2
_NEWTON_STEPS = 20
_TINY_GRADIENT = 1e-9
#: Whitened coordinates beyond this mean a likelihood without maximum.
_FAR = 100.0
#: Curvature below this is rounding: the likelihood is flat, its maximum at infinity.
_FLAT = 1e-6
#: Gauss's rule is used at this many half-widths from 0 and 1, ...
_REMOTE = 10.0
#: ... where the log density changes by no more than this within the cell.
_FLAT_CELL = 0.5


def censored(
    coordinates: Coordinates,
    inside: Sample | None,
    low: tuple[float, float],
    high: tuple[float, float],
) -> Likelihood:
    """Density of the scores inside; F(edge) and 1 - F(edge) for the weights beyond the edges.

    ``low`` and ``high`` are (edge, weight).
    """
    interior = coordinates.log_likelihood(inside) if inside is not None else None

    def at(law: Any) -> float:
        parts = [interior(law)] if interior is not None else []
        parts += [low[1] * law.logcdf(low[0])] if low[1] else []
        parts += [high[1] * law.logsf(high[0])] if high[1] else []
        return math.fsum(parts)

    return at


def cells(low: FloatArray, high: FloatArray, weights: FloatArray) -> Likelihood:
    """Sum of weight * log P(low < S <= high) over distinct cells.

    A cell far from 0 and 1 in which the density hardly changes is integrated by
    Gauss's rule, which stays exact however narrow it is; others by their ends.
    """
    nodes, node_weights = np.polynomial.legendre.leggauss(5)
    half, middle = 0.5 * (high - low), 0.5 * (high + low)
    points = middle + np.outer(nodes, half)
    remote = np.minimum(middle, 1.0 - middle) >= _REMOTE * half

    def at(law: Any) -> float:
        logs = np.empty_like(half)
        narrow = remote.copy()
        densities = law.logpdf(points[:, remote])
        top = densities.max(axis=0)
        with np.errstate(under="ignore", invalid="ignore"):
            mean = 0.5 * node_weights @ np.exp(densities - top)
            logs[remote] = top + np.log(mean) + np.log(2.0 * half[remote])
            narrow[remote] = top - densities.min(axis=0) <= _FLAT_CELL
        wide = ~narrow
        if np.any(wide):
            logs[wide] = _log_mass(law, low[wide], high[wide])
        return float(np.sum(weights * logs))

    return at


def _log_mass(law: Any, low: FloatArray, high: FloatArray) -> FloatArray:
    """log P(low < S <= high) from the smaller tail."""
    left = low < law.mean
    mass = np.where(left, law.cdf(high) - law.cdf(low), law.sf(low) - law.sf(high))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.maximum(mass, 0.0)))


class _Maximum(NamedTuple):
    y: FloatArray
    value: float
    gradient: FloatArray
    hessian: FloatArray
    iterations: int


def maximise(
    coordinates: Coordinates, likelihood: Likelihood, start: Distribution, total: float, name: str
) -> Maximum:
    """The distribution of largest likelihood, with the observed information as its precision.

    Works in coordinates in which the start's information is the unit matrix:
    a simplex search, then Newton's method on fourth-order differences.
    """
    origin, scale = np.array(coordinates.of(start)), coordinates.scale(start)

    def law(y: FloatArray) -> Distribution:
        return coordinates.law(*(origin + scale @ y).tolist())

    def mean(y: FloatArray) -> float:
        if not np.all(np.abs(y) < _FAR):
            return -math.inf
        value = likelihood(law(y)) / total
        return value if math.isfinite(value) else -math.inf

    found = _newton(mean, _simplex(mean), name)
    best = law(found.y)
    information = -found.hessian
    if not np.all(np.linalg.eigvalsh(information) > _FLAT):
        raise _no_maximum(name, best)
    rates = np.diag(coordinates.rates(best))
    covariance = rates @ scale @ np.linalg.inv(information) @ scale.T @ rates
    norm = float(np.abs(np.linalg.solve(scale.T, found.gradient)).max())
    estimate = _estimate(best, covariance, total * found.value, found, norm)
    if not estimate.converged:
        raise FitError(
            f"{name}: the likelihood's maximum was not reached to the last digits; gradient"
            f" {norm:.3g} at {best!r}. The partial result is the error's .result."
            + worded(' Try `boundary="inflate"`.'),
            estimate,
        )
    return estimate


def _estimate(
    law: Distribution, covariance: FloatArray, value: float, found: _Maximum, norm: float
) -> Maximum:
    names = tuple(field.name for field in fields(law))  # type: ignore[arg-type]
    rows: Matrix = tuple(tuple(row) for row in covariance.tolist())
    converged = bool(np.all(np.abs(found.gradient) <= _TINY_GRADIENT))
    values = tuple(getattr(law, n) for n in names)
    return Maximum(law, names, values, rows, value, converged, found.iterations, norm)


def _no_maximum(name: str, law: Distribution) -> DegenerateDataError:
    return DegenerateDataError(
        f"{name}: this likelihood has no maximum: it still grows at {law!r}. Too few distinct"
        " scores or cells are left inside (0, 1). Use a finer resolution, more scores, or"
        + worded(' `family="empirical"`.')
    )


def _simplex(mean: Callable[[FloatArray], float]) -> FloatArray:
    from scipy.optimize import minimize

    def objective(y: FloatArray) -> float:
        value = mean(y)
        return -value if value > -math.inf else 1e300

    options = {"xatol": 1e-5, "fatol": 1e-14, "maxiter": 2000, "maxfev": 4000}
    return np.asarray(minimize(objective, np.zeros(2), method="Nelder-Mead", options=options).x)


def _newton(mean: Callable[[FloatArray], float], y: FloatArray, name: str) -> _Maximum:
    iterations = 0
    while iterations < _NEWTON_STEPS:
        iterations += 1
        gradient, hessian = _gradient(mean, y), _hessian(mean, y)
        if not (np.all(np.isfinite(gradient)) and np.all(np.isfinite(hessian))):
            raise DegenerateDataError(
                f"{name}: this likelihood has no maximum: it grows without end. Too few distinct"
                " scores or cells are left inside (0, 1). Use a finer resolution or more scores."
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
    for h in _FIRST * np.eye(2):
        near, far = mean(y + h) - mean(y - h), mean(y + 2 * h) - mean(y - 2 * h)
        parts.append((8.0 * near - far) / (12.0 * _FIRST))
    return np.array(parts)


def _hessian(mean: Callable[[FloatArray], float], y: FloatArray) -> FloatArray:
    """Central differences of fourth order; the mixed one along the diagonals."""
    along = [np.array(d) for d in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, -1.0))]
    centre = mean(y)
    xx, yy, plus, minus = (_second(mean, y, _SECOND * d, centre) for d in along)
    mixed = 0.25 * (plus - minus)
    return np.array([[xx, mixed], [mixed, yy]])


def _second(
    mean: Callable[[FloatArray], float], y: FloatArray, h: FloatArray, centre: float
) -> float:
    near, far = mean(y + h) + mean(y - h), mean(y + 2 * h) + mean(y - 2 * h)
    return (16.0 * near - far - 30.0 * centre) / (12.0 * _SECOND**2)
