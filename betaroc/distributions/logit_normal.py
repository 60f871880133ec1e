"""Normal on another scale: the logit-normal and the log-normal distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from betaroc.core.special import exponential
from betaroc.core.thresholds import Coordinate
from betaroc.distributions.base import Tail
from betaroc.distributions.normal import NormalCoordinate, NormalPair
from betaroc.distributions.pairs import closed_forms


@dataclass(frozen=True, eq=False, repr=False)
class LogitNormal(NormalCoordinate):
    """Scores on (0, 1) whose logit is normal.

        f(x) = exp(-(logit x - mu)^2 / (2 sigma^2)) / (sigma sqrt(2 pi) x (1 - x))

    Parameters
    ----------
    mu : float
        Mean of the logit.
    sigma : float
        Standard deviation of the logit, positive.

    Raises
    ------
    InputError
        If `mu` is not finite or `sigma` not finite and positive.
    InputTypeError
        If a parameter is not a number.

    Notes
    -----
    Every statement on the ROC of a pair equals that of the binormal pair on the
    logit scale. Mean and variance are quadratures (relative error 1e-12). The
    density vanishes at 0 and 1 faster than any power.

    Examples
    --------
    >>> from betaroc import LogitNormal
    >>> distribution = LogitNormal(0.0, 1.0)
    >>> distribution.cdf(0.5), round(distribution.ppf(0.975), 6)  # 1 / (1 + exp(-1.959964))
    (0.5, 0.876529)
    """

    on_unit = True
    coordinate = Coordinate((0.0, 1.0), on_unit=True)


@dataclass(frozen=True, eq=False, repr=False)
class LogNormal(NormalCoordinate):
    """Positive scores whose logarithm is normal.

        f(x) = exp(-(log x - mu)^2 / (2 sigma^2)) / (sigma sqrt(2 pi) x),   x > 0

    Parameters
    ----------
    mu : float
        Mean of the logarithm.
    sigma : float
        Standard deviation of the logarithm, positive.

    Raises
    ------
    InputError
        If `mu` is not finite or `sigma` not finite and positive.
    InputTypeError
        If a parameter is not a number.

    Notes
    -----
    Every statement on the ROC of a pair equals that of the binormal pair of the logarithms. The
    upper tail is heavier than exponential and lighter than any power; near 0 the density vanishes
    faster than any power.

    Examples
    --------
    >>> from betaroc import LogNormal
    >>> distribution = LogNormal(0.0, 1.0)
    >>> round(distribution.mean, 6), distribution.cdf(1.0)  # exp(1/2)
    (1.648721, 0.5)
    """

    coordinate = Coordinate((0.0, math.inf))

    @property
    def mean(self) -> float:
        """exp(mu + sigma^2 / 2)."""
        return exponential(self.mu + 0.5 * self.sigma**2)

    @property
    def _sd(self) -> float:
        spread = self.sigma**2
        return exponential(self.mu + spread + 0.5 * math.log(-math.expm1(-spread)))

    def _tails(self) -> tuple[Tail, Tail]:
        lower, upper = super()._tails()
        return lower, replace(upper, order=-1)


closed_forms(LogitNormal, LogitNormal, NormalPair)
closed_forms(LogNormal, LogNormal, NormalPair)
