"""The empirical law as an estimate: no parameter, and no likelihood beside densities."""

from __future__ import annotations

import math

from betaroc.distributions import Empirical
from betaroc.fitting.contract import Estimate, Family, Sample


def estimate_empirical(sample: Sample) -> Estimate:
    """The sample itself; equal scores are legal."""
    return Estimate(Empirical(sample.values, sample.weights), (), (), (), math.nan)


EMPIRICAL = Family(estimate_empirical)
