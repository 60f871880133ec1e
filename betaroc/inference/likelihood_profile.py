"""Profile likelihood intervals from the scores themselves, of any family that has a density."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError
from betaroc.core.special import interval_end
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.base import Distribution, free, moved, parameter_values
from betaroc.estimation.record import Estimate
from betaroc.inference.interval import Limits
from betaroc.inference.sandwich import undropped

#: Ends are looked for in so many steps of one standard error.
_STEPS = 60


class _Likelihood(NamedTuple):
    """The log-likelihood of scores over the free coordinates of a distribution."""

    law: Distribution
    names: tuple[str, ...]
    t: Thresholds
    weights: FloatArray

    def __call__(self, place: FloatArray) -> float:
        law = moved(self.law, self.names, place.tolist())
        return float(np.sum(self.weights * law._log_likelihood(self.t)))

    def profile(self, k: int, value: float, start: FloatArray) -> tuple[float, FloatArray]:
        """The largest with coordinate k held, and where it is."""
        from scipy.optimize import minimize

        place = np.array(start)
        place[k] = value
        if place.size == 1:
            return self(place), place
        others = np.arange(place.size) != k

        def loss(rest: FloatArray) -> float:
            place[others] = rest
            try:
                value = self(place)
            except (OverflowError, InputError):  # a step may leave what doubles hold
                return 1e300
            return -value if math.isfinite(value) else 1e300

        with np.errstate(over="ignore", invalid="ignore"):  # of slopes where the loss is 1e300
            found = minimize(loss, start[others], method="BFGS", options={"gtol": 1e-6})
        place[others] = found.x
        return -float(found.fun), place.copy()


def profile_of_scores(
    fit: Estimate, values: FloatArray, weights: FloatArray | None, level: float
) -> dict[str, Limits]:
    """Where twice the fall of the log-likelihood, maximised over the rest, is the quantile.

    Parameters
    ----------
    fit : Estimate
        A fit of these very scores, none of them counted in cells.
    values, weights : ndarray, shape (n,)
        The scores.
    level : float
        Confidence; the quantile is that of chi-squared with one degree of freedom.
    """
    from scipy.special import chdtri

    kept = undropped(fit, values)
    copies = np.ones(values.size) if weights is None else weights
    law = fit.distribution
    at = free(law, fit.names, fit.fixed)
    likelihood = _Likelihood(law, at.names, Thresholds.from_theta(values[kept]), copies[kept])
    best, fall = likelihood(at.place), 0.5 * float(chdtri(1.0, 1.0 - level))
    errors = np.sqrt(np.diag(at.rates @ fit.cov @ at.rates.T))
    ends = {name: (fit.params[name], fit.params[name]) for name in fit.names}
    for k, name in enumerate(at.names):
        found = [_end(likelihood, at.place, k, side * errors[k], best - fall) for side in (-1, 1)]
        low, high = (parameter_values(law, at.names, place.tolist())[name] for place in found)
        ends[name] = (low, high)
    return ends


def _end(
    likelihood: _Likelihood, start: FloatArray, k: int, step: float, wanted: float
) -> FloatArray:
    """Coordinates on one side where the profile has fallen to `wanted`."""
    inner, place = float(start[k]), np.array(start)
    for _ in range(_STEPS):
        outer = inner + step
        value, further = likelihood.profile(k, outer, place)
        if value <= wanted:
            break
        inner, place = outer, further
    else:
        return np.where(np.arange(start.size) == k, math.copysign(math.inf, step), place)

    def excess(y: float) -> float:
        return wanted - likelihood.profile(k, y, place)[0]

    end = interval_end(excess, inner, outer, what="end of a profile")
    return likelihood.profile(k, end, place)[1]
