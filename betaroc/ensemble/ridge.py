"""Ridge-logistic fusions of many subsets of classifiers at once, by Newton's method."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from betaroc.core.arrays import BoolArray, FloatArray, IntArray
from betaroc.core.errors import FitError

#: Squared Newton decrements below which the matrix is kept, and below which no step is left.
_NEAR, _SMALL = 1e-6, 1e-18
_STEPS = 100
#: A step may raise the loss by this much, which is rounding.
_ROUNDING = 1e-14


class Standard:
    """Columns less their mean over their standard deviation in the trials given.

    A column that is constant there becomes 0 and so has no say.
    """

    def __init__(self, x: FloatArray, weights: FloatArray | None = None) -> None:
        self._largest = np.maximum(np.max(np.abs(x), axis=0), np.finfo(float).tiny)
        scaled = x / self._largest  # squares of 1e300 overflow
        constant = np.ptp(scaled, axis=0) == 0.0
        self._mean = np.average(scaled, 0, weights)
        variance = np.average((scaled - self._mean) ** 2, 0, weights)
        self._sd = np.where(constant, np.inf, np.sqrt(variance))

    def __call__(self, x: FloatArray) -> FloatArray:
        return np.asarray((x / self._largest - self._mean) / self._sd)


def linear(x: FloatArray, coefficients: FloatArray) -> FloatArray:
    """Intercept and weighted sum of columns, shape (subsets, n).

    Summed a column at a time: equal rows get equal bits, which no matrix product grants.
    """
    found = np.repeat(coefficients[:, :1], len(x), axis=1)
    for column, weight in zip(x.T, coefficients[:, 1:].T, strict=True):
        found += weight[:, None] * column
    return found


def log_losses(eta: FloatArray, client: BoolArray) -> FloatArray:
    """log(1 + exp(-+ eta)) of clients and impostors."""
    return _shares_and_losses(eta, client)[2]


def _shares_and_losses(
    eta: FloatArray, client: BoolArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """P(client) and P(impostor), each from its own tail, and the losses."""
    small = np.exp(-np.abs(eta))
    near, up = 1.0 / (1.0 + small), eta >= 0.0
    far = small * near
    losses = np.log1p(small)
    losses += np.maximum(np.where(client, -eta, eta), 0.0)
    return np.where(up, near, far), np.where(up, far, near), losses


def ridge_path(
    x: FloatArray,
    client: BoolArray,
    subsets: BoolArray,
    strengths: Sequence[float],
    weights: FloatArray | None = None,
) -> FloatArray:
    """Intercept and weights of the fusion of every subset of the columns at every strength.

        least mean of log(1 + exp(-+ (b0 + x b))) + strength/2 |b|^2

    The penalty keeps them finite where the classes do not overlap; the intercept has none.

    Parameters
    ----------
    x : ndarray, shape (n, p)
        Standardised columns.
    client : ndarray of bool, shape (n,)
        Both classes must occur.
    subsets : ndarray of bool, shape (s, p)
        Columns that take part; weights of the others are 0.
    strengths : sequence of float, length k
        Of the penalty, positive, the strongest first; scikit-learn's C is 1/(n strength).
    weights : ndarray, shape (n,), optional
        How many trials each row stands for.

    Returns
    -------
    ndarray, shape (k, s, p + 1)
        To 1e-8 of weights of size 1.
    """
    copies = np.ones(len(x)) if weights is None else weights
    fusions = _Fusions(x, client, subsets, copies / np.mean(copies))
    return np.stack([fusions.least(strength) for strength in strengths])


class _Fusions:
    """Weights of every subset on their way down; each strength begins where the last one ended."""

    def __init__(
        self, x: FloatArray, client: BoolArray, subsets: BoolArray, copies: FloatArray
    ) -> None:
        self._copies = copies  # of mean 1
        self._design = np.column_stack([np.ones(len(x)), x])
        self._client = client
        self._free = np.column_stack([np.ones(len(subsets), dtype=bool), subsets])
        self._weights = np.zeros(self._free.shape)
        self._weights[:, 0] = np.log(np.sum(copies[client])) - np.log(np.sum(copies[~client]))
        self._share, self._rest, self._loss = self._at(self._weights)
        self._curvature = np.zeros((*self._free.shape, self._free.shape[1]))
        self._curve(np.arange(len(subsets)))

    def least(self, strength: float) -> FloatArray:
        """Newton's method, its matrix kept once steps are small: that costs steps, not digits."""
        ridge = np.full(self._free.shape[1], strength)
        ridge[0] = 0.0
        active = np.arange(len(self._free))
        for _ in range(_STEPS):
            step, decrement = self._newton(active, ridge)
            self._descend(active, step, ridge)
            self._curve(active[decrement > _NEAR])
            active = active[decrement > _SMALL]
            if not active.size:
                return self._weights.copy()
        raise FitError(
            f"a ridge-logistic fusion must converge; {active.size} of {len(self._free)} did not in"
            f" {_STEPS} steps. Leave out classifiers that repeat each other."
        )

    def _at(self, weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Shares of both classes, shape (subsets, n), and mean losses."""
        share, rest, losses = _shares_and_losses(weights @ self._design.T, self._client)
        return share, rest, np.mean(losses * self._copies, axis=1)

    def _curve(self, which: IntArray) -> None:
        """The matrix of second derivatives, without the penalty."""
        x = self._design
        for k in which:
            w = self._share[k] * self._rest[k] * self._copies / len(x)
            self._curvature[k] = (x.T * w) @ x

    def _newton(self, which: IntArray, ridge: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Newton's step, and the square of its decrement."""
        free = self._free[which]
        away = np.where(self._client, -self._rest[which], self._share[which]) * self._copies
        mean = away @ self._design / len(self._design)
        slope = np.where(free, mean + ridge * self._weights[which], 0.0)
        matrix = np.where(
            free[:, :, None] & free[:, None, :],
            self._curvature[which] + np.diag(ridge), np.eye(ridge.size),
        )  # fmt: skip
        step = np.linalg.solve(matrix, slope[:, :, None])[:, :, 0]
        return step, np.sum(slope * step, axis=1)

    def _descend(self, which: IntArray, step: FloatArray, ridge: FloatArray) -> None:
        """Take each step, or half of it, and so on, until it does not raise the objective."""

        def penalty(weights: FloatArray) -> FloatArray:
            return np.asarray(0.5 * np.sum(ridge * weights * weights, axis=1))

        value = self._loss[which] + penalty(self._weights[which])
        for _ in range(_STEPS):
            weights = self._weights[which] - step
            share, rest, loss = self._at(weights)
            worse = loss + penalty(weights) > value * (1.0 + _ROUNDING)
            if not np.any(worse):
                break
            step[worse] *= 0.5
        self._weights[which], self._loss[which] = weights, loss
        self._share[which], self._rest[which] = share, rest
