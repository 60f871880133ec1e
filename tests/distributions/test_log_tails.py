"""The log of a tail next to 1 is minus the other tail, with all its digits."""

from __future__ import annotations

import math

import numpy as np
import pytest

import betaroc as br
from betaroc.distributions.inflated import Rejecting

BODY = br.Beta(3.0, 8.0)
LAWS = {
    "mixture": br.BetaMixture((0.75, 0.25), (BODY, br.Beta(0.5, 6.0))),
    "normal mixture": br.NormalMixture((0.75, 0.25), (br.Normal(0.0, 1.0), br.Normal(1.0, 2.0))),
    "inflated below": br.Inflated(BODY, at_zero=0.125),
    "inflated above": br.Inflated(BODY, at_one=1e-10),
    "inflated": br.Inflated(BODY, at_zero=0.25, at_one=1e-12),
    "upper tail": br.Spliced(BODY, upper=br.ParetoTail(0.05, 0.1, 0.4)),
    "both tails": br.Spliced(
        BODY, lower=br.ParetoTail(0.02, 0.1, 0.4), upper=br.ParetoTail(0.01, -0.1, 0.4)
    ),
    "rejecting": Rejecting(BODY, 0.125),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("depth", [1e-3, 1e-8, 1e-20, 1e-40])
def test_the_log_next_to_one_is_that_of_the_other_tail(name: str, depth: float) -> None:
    law = LAWS[name]
    above, below = float(law.isf(depth)), float(law.ppf(depth))
    for x, own, other in ((above, law.logcdf, law.sf), (below, law.logsf, law.cdf)):
        rest = float(other(x))
        if np.isfinite(x) and 0.0 < rest < 0.5:
            assert float(own(x)) == pytest.approx(math.log1p(-rest), rel=1e-12, abs=0.0)


def test_the_ends_are_exact() -> None:
    for name, law in LAWS.items():
        assert float(law.logcdf(math.inf)) == 0.0, name
        assert float(law.cdf(math.inf)) == 1.0, name
