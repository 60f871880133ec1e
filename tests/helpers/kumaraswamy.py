"""A family of one's own: Kumaraswamy's distribution and its estimator, two objects and a row."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

import betaroc as br
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.base import Parameter, Tail
from betaroc.estimation.contract import Family, MleResult


@dataclass(frozen=True, eq=False, repr=False)
class Kumaraswamy(br.Distribution):
    """P(S <= x) = 1 - (1 - x^a)^b."""

    a: float
    b: float
    on_unit = True

    @property
    def support(self):
        return 0.0, 1.0

    def _moment(self, k):
        return self.b * float(special.beta(1.0 + k / self.a, self.b))

    @property
    def mean(self):
        return self._moment(1)

    @property
    def var(self):
        return self._moment(2) - self.mean**2

    def _log_rest(self, t):
        """log(1 - x^a)."""
        with np.errstate(divide="ignore"):
            return np.log(-np.expm1(-self.a * np.logaddexp(0.0, -t.logit)))

    def _side(self, t, *, lower):
        log_p = self.b * self._log_rest(t)
        if not lower:
            return np.exp(log_p), log_p
        with np.errstate(divide="ignore"):
            return -np.expm1(log_p), np.log(-np.expm1(log_p))

    def _log_density(self, t):
        log_x, log_y = -np.logaddexp(0.0, -t.logit), -np.logaddexp(0.0, t.logit)
        with np.errstate(invalid="ignore"):
            rest = (self.b - 1.0) * self._log_rest(t)
            return math.log(self.a * self.b) + self.a * log_x + rest + log_y

    def _place(self, log_rest):
        """Where 1 - x^a is exp(log_rest)."""
        with np.errstate(divide="ignore"):
            log_x = np.log(-np.expm1(log_rest)) / self.a
            return Thresholds.from_logit(log_x - np.log(-np.expm1(log_x)))

    def _inverse(self, p, log_p, *, lower):
        with np.errstate(divide="ignore"):
            return self._place((np.log1p(-p) if lower else log_p) / self.b)

    def _tails(self):
        return (Tail(0.0, 1, self.a, log_coefficient=math.log(self.b)),
            Tail(1.0, 1, self.b, log_coefficient=self.b * math.log(self.a)))  # fmt: skip

    def _parameters(self):
        return Parameter("a", self.a, "log"), Parameter("b", self.b, "log")

    def _sample(self, size, rng):
        return (1.0 - (1.0 - rng.random(size)) ** (1.0 / self.b)) ** (1.0 / self.a)


def estimate_kumaraswamy(sample):
    """b = -1/mean log(1 - x^a), and the root in a of the other equation."""
    rows = sample.rows()
    log_x, total = np.log(rows.values), rows.total

    def equation(log_a):
        a = math.exp(log_a)
        power = np.exp(a * log_x)
        b = -1.0 / rows.mean(np.log1p(-power))
        return 1.0 / a + rows.mean(log_x) - (b - 1.0) * rows.mean(power * log_x / (1.0 - power))

    a = math.exp(optimize.brentq(equation, -4.0, 4.0, xtol=1e-14))
    b = -1.0 / rows.mean(np.log1p(-np.exp(a * log_x)))
    law = Kumaraswamy(a, b)
    covariance = tuple(tuple(row) for row in law._unit_covariance().tolist())
    likelihood = total * rows.mean(law._log_pdf(Thresholds.from_theta(rows.values)))
    return MleResult(law, covariance, likelihood)


KUMARASWAMY = Family(estimate_kumaraswamy, on_unit=True, law=Kumaraswamy)
