"""The penalised likelihood of a generalised Pareto tail, its mode and its grid."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import FitError
from betaroc.core.value import Value

#: Standard deviation of the normal penalty of the shape, about 0.
PRIOR_DEVIATION = 0.25
#: Shapes nearer to 0 than this are exponential tails to the digits of the sum.
_STRAIGHT = 1e-6
#: Where the mode is looked for first: shapes, and logs of the scale about that of the mean.
_SHAPES = np.arange(-8, 13) / 10.0
_SCALES = np.linspace(-0.8, 0.8, 17)
_NEWTON_STEPS = 100
_LAST_STEP = 1e-9
#: No tail ends more sharply: at -1 it is uniform, beyond it the likelihood has no bound.
STEEPEST = -0.95
#: Of a height, what rounding may take from a step upwards.
_NOISE = 1e-13
#: The grid: points of the shape and of the log scale, and how many deviations it reaches.
_SIZE = (41, 31)
_REACH = 4.5
#: A grid whose rim holds more than this share of the weight is widened.
_RIM = 0.001
_WIDENED = 6


@dataclass(frozen=True, eq=False, repr=False)
class TailFit(Value):
    """A tail by its exceedances over one joint.

    Parameters
    ----------
    joint : float
        Where the tail begins, on the coordinate, turned so that the tail is the upper one.
    excesses : ndarray, shape (m,)
        Distinct distances beyond the joint, positive.
    weights : ndarray, shape (m,)
        Scores at each.
    n : float
        All scores of the class, over the design effect.
    shape, scale : float
        The mode of the penalised likelihood.
    design_effect : float
        By which the likelihood and both counts are divided; 1 of independent scores.
    """

    joint: float
    excesses: FloatArray
    weights: FloatArray
    n: float
    shape: float
    scale: float
    design_effect: float = 1.0

    @cached_property
    def kept(self) -> dict[str, Any]:
        """What was made of this fit and costs a while."""
        return {}

    @property
    def k(self) -> float:
        """Scores beyond the joint, over the design effect."""
        return float(np.sum(self.weights)) / self.design_effect

    @property
    def mass(self) -> float:
        """Share of the scores beyond the joint."""
        return self.k / self.n


class TailGrid(NamedTuple):
    """Shapes, scales and their weights, of sum 1: a column each of the points of a grid."""

    shape: FloatArray
    scale: FloatArray
    weight: FloatArray


def penalised(
    excesses: FloatArray, weights: FloatArray, shape: FloatArray, log_scale: FloatArray
) -> FloatArray:
    """-k log s - (1 + 1/shape) sum log(1 + shape x/s) - shape^2/(2 0.25^2), by arrays of both.

    Minus infinity at shapes below the steepest.
    """
    k = float(np.sum(weights))
    u = excesses * np.exp(-log_scale)[..., None]
    z = shape[..., None] * u
    bent = np.abs(shape) >= _STRAIGHT
    with np.errstate(invalid="ignore", divide="ignore"):
        logs = np.log1p(np.maximum(z, -1.0)) @ weights
        steep = (1.0 + 1.0 / np.where(bent, shape, 1.0)) * logs
    loss = np.where(bent, steep, u @ weights)
    inside = (np.min(z, axis=-1, initial=0.0) > -1.0) & (shape >= STEEPEST)
    found = -k * log_scale - loss
    return np.where(inside, found, -np.inf) - 0.5 * (shape / PRIOR_DEVIATION) ** 2


def fit_tail(
    joint: float, excesses: FloatArray, weights: FloatArray, n: float, design_effect: float = 1.0
) -> TailFit:
    """The mode; the likelihood, and not the penalty, is divided by the design effect.

    Of scores that end sharply it may lie on the border, at the steepest shape.
    """
    shared = weights / design_effect
    centre = math.log(float(excesses @ weights) / float(np.sum(weights)))
    shape, log_scale = (a.ravel() for a in np.meshgrid(_SHAPES, centre + _SCALES, indexing="ij"))
    best = int(np.argmax(penalised(excesses, shared, shape, log_scale)))
    place = _climbed(excesses, shared, np.array([shape[best], log_scale[best]]))
    return TailFit(
        joint, excesses, weights, n / design_effect, float(place[0]), math.exp(place[1]),
        design_effect,
    )  # fmt: skip


def grid_of(fit: TailFit) -> TailGrid:
    """Shapes and scales about the mode, weighted by the penalised likelihood.

    Where the rim holds more than a thousandth the grid moves to the mean and widens.
    """
    weights = fit.weights / fit.design_effect
    centre = np.array([fit.shape, math.log(fit.scale)])
    curvature = 1.0 / PRIOR_DEVIATION**2 + fit.k / (1.0 + max(fit.shape, -0.3)) ** 2
    spread = np.array([1.0 / math.sqrt(curvature), math.sqrt(2.0 / fit.k)])
    for _ in range(_WIDENED):
        shape, log_scale, weight = _laid(fit.excesses, weights, centre, spread)
        rim = float(np.sum(weight) - np.sum(weight[1:-1, 1:-1]))
        if rim < _RIM:
            break
        centre = np.array([np.sum(weight * shape), np.sum(weight * log_scale)])
        spread = 1.5 * spread
    return TailGrid(shape.ravel(), np.exp(log_scale.ravel()), weight.ravel())


def _laid(
    excesses: FloatArray, weights: FloatArray, centre: FloatArray, spread: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    reach = _REACH * spread
    sides = [np.linspace(c - r, c + r, m) for c, r, m in zip(centre, reach, _SIZE, strict=True)]
    shape, log_scale = np.meshgrid(*sides, indexing="ij")
    found = penalised(excesses, weights, shape, log_scale)
    weight = np.exp(found - np.max(found))
    return shape, log_scale, weight / np.sum(weight)


def _climbed(excesses: FloatArray, weights: FloatArray, place: FloatArray) -> FloatArray:
    """The maximum nearest to a place, by Newton's steps that are damped until they lead upwards."""
    height = _height(excesses, weights, place)
    damping = 0.0
    for _ in range(_NEWTON_STEPS):
        slope, curvature = _derivatives(excesses, weights, place)
        if not (curvature[0, 0] < 0.0 and np.linalg.det(curvature) > 0.0):
            damping = max(damping, float(np.max(np.abs(curvature))))
        step = _step(place, slope, curvature - damping * np.eye(2))
        tried = _height(excesses, weights, place + step)
        small = float(np.max(np.abs(step))) < _LAST_STEP
        if tried >= height - _NOISE * abs(height) or small:
            place, height, damping = place + step, tried, damping / 10.0
            damping = 0.0 if damping < 1e-6 * float(np.max(np.abs(curvature))) else damping
        else:
            damping = max(4.0 * damping, float(np.max(np.abs(curvature))))
        if small:
            return place
    raise FitError(
        "the penalised likelihood of a tail must have a maximum; none was found from"
        f" {float(np.sum(weights)):g} scores in {_NEWTON_STEPS} steps, at shape {place[0]:.6g}."
    )


def _step(place: FloatArray, slope: FloatArray, curvature: FloatArray) -> FloatArray:
    """Newton's step; along the border of the steepest shape where it leads beyond that."""
    step = np.asarray(np.linalg.solve(-curvature, slope), np.float64)
    down = STEEPEST - place[0]
    if step[0] >= down:
        return step
    return np.asarray([down, -(slope[1] + curvature[0, 1] * down) / curvature[1, 1]], np.float64)


def _height(excesses: FloatArray, weights: FloatArray, place: FloatArray) -> float:
    return float(penalised(excesses, weights, place[:1], place[1:])[0])


def _derivatives(
    excesses: FloatArray, weights: FloatArray, place: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Slope and curvature of the penalised likelihood in shape and log scale."""
    shape = float(place[0])
    u = excesses * math.exp(-float(place[1]))
    z = shape * u
    first = float(weights @ (u / (1.0 + z)))
    second = float(weights @ ((u / (1.0 + z)) ** 2))
    bend, bent = _bend(z)
    penalty = 1.0 / PRIOR_DEVIATION**2
    slope = [
        float(weights @ (u * u * bend)) - first - penalty * shape,
        (1.0 + shape) * first - float(np.sum(weights)),
    ]
    mixed = first - (1.0 + shape) * second
    curvature = [
        [float(weights @ (u**3 * bent)) + second - penalty, mixed],
        [mixed, -(1.0 + shape) * float(weights @ (u / (1.0 + z) ** 2))],
    ]
    return np.array(slope), np.array(curvature)


def _bend(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """h(z) = (log(1 + z) - z/(1 + z))/z^2 and its derivative, by their series near 0."""
    near = np.abs(z) < 0.02
    far = np.where(near, 1.0, z)
    h = (np.log1p(far) - far / (1.0 + far)) / far**2
    slope = 1.0 / (far * (1.0 + far) ** 2) - 2.0 * h / far
    series = np.polynomial.Polynomial([(-1.0) ** j * (j + 1.0) / (j + 2.0) for j in range(10)])
    return np.where(near, series(z), h), np.where(near, series.deriv()(z), slope)
