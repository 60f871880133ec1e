"""The largest distance of distribution functions, which asks at few places of many."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from betaroc.core.thresholds import Thresholds
from betaroc.distributions.beta import Beta
from betaroc.distributions.inflated import Inflated
from betaroc.model.distances import largest_distance


class Counted(Beta):
    """How often it was asked."""

    asked = 0

    def _lower(self, t: Thresholds):
        type(self).asked += t.size
        return super()._lower(t)


@pytest.mark.parametrize("digits", [2, 17])
@pytest.mark.parametrize("shapes", [(2.02, 3.01), (3.0, 3.0), (0.5, 0.5)])
@pytest.mark.parametrize("n", [1, 2, 511, 512, 513, 3000, 60_000])
def test_it_is_the_distance_of_kolmogorov(n, shapes, digits):
    drawn = np.random.default_rng(n).beta(2.0, 3.0, n)
    x = np.sort(np.clip(np.round(drawn, digits), 1e-9, 1.0 - 1e-9))
    upto = np.arange(1, n + 1) / n
    expected = stats.kstest(x, stats.beta(*shapes).cdf).statistic
    assert largest_distance(Beta(*shapes), x, upto, upto - 1.0 / n) == pytest.approx(
        expected, rel=1e-12, abs=1e-15
    )


def test_few_of_many_places_are_asked():
    n = 60_000
    x = np.sort(np.random.default_rng(1).beta(2.0, 3.0, n))
    upto = np.arange(1, n + 1) / n
    law = Counted(2.0, 3.0)
    largest_distance(law, x, upto, upto - 1.0 / n)
    assert Counted.asked < n / 10


def test_jumps_of_the_distribution_count():
    """A mass of a half at 1 where no score lies: just below 1 all scores are passed."""
    law, places = Inflated(Beta(1.0, 1.0), at_one=0.5), np.array([0.5, 1.0])
    found = largest_distance(law, places, np.array([1.0, 1.0]), np.array([0.0, 1.0]))
    assert found == pytest.approx(0.75, rel=1e-15)
