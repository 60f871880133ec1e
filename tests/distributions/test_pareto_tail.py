"""The generalised Pareto tail against mpmath's own arithmetic, scipy, and what theory says."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

from betaroc.core.errors import InputError
from betaroc.distributions.spliced import ParetoTail

SHAPES = [-0.8, -0.3, -1e-5, -1e-9, 0.0, 1e-12, 1e-7, 2e-6, 0.2, 1.1]
DISTANCES = [0.0, 1e-9, 0.3, 1.0, 2.4, 40.0, 1e4]


def exact_depth(shape: float, u: float) -> mp.mpf:
    """-log G by forty digits."""
    with mp.workdps(40):
        if shape == 0.0:
            return mp.mpf(u)
        inside = 1 + mp.mpf(shape) * mp.mpf(u)
        return mp.log(inside) / mp.mpf(shape) if inside > 0 else mp.inf


@pytest.mark.parametrize("shape", SHAPES)
def test_rates_have_the_digits_of_forty_digit_arithmetic(shape: float) -> None:
    tail = ParetoTail(0.03, shape, 0.7)
    expected = [float(mp.log(0.03) - exact_depth(shape, x / 0.7)) for x in DISTANCES]
    np.testing.assert_allclose(tail._log_rate(DISTANCES), expected, rtol=2e-14, atol=1e-15)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("log_rate", [-3.6, -10.0, -700.0, -5000.0])
def test_distances_invert_rates(shape: float, log_rate: float) -> None:
    tail = ParetoTail(0.03, shape, 0.7)
    with mp.workdps(40):
        depth = mp.log(mp.mpf(0.03)) - log_rate
        own = depth if shape == 0.0 else mp.expm1(shape * depth) / mp.mpf(shape)
        expected = 0.7 * own
    found = float(tail._distance(log_rate))
    if expected > 1e308:
        assert found == math.inf
    else:
        assert found == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("shape", [-0.4, 0.0, 0.3])
def test_densities_are_those_of_scipy(shape: float) -> None:
    x = np.array([0.1, 0.9, 1.6, 1.74])
    expected = math.log(0.2) + stats.genpareto.logpdf(x, shape, scale=0.7)
    np.testing.assert_allclose(
        ParetoTail(0.2, shape, 0.7)._log_density(x), expected, rtol=1e-12, atol=1e-13
    )


def test_beyond_the_end_and_before_the_joint() -> None:
    tail = ParetoTail(0.1, -0.5, 2.0)  # ends 2/0.5 beyond the joint
    assert tail.end == 4.0
    assert tail._log_rate([-1.0, 4.0, 9.0]).tolist() == [math.log(0.1), -math.inf, -math.inf]
    assert tail._log_density([-0.1, 4.1]).tolist() == [-math.inf, -math.inf]
    assert tail._distance([0.0, math.log(0.1), -math.inf]).tolist() == [0.0, 0.0, 4.0]
    assert ParetoTail(0.1, 0.0, 2.0).end == math.inf


@pytest.mark.parametrize("given", [(0.0, 0, 1), (1.1, 0, 1), (0.1, 0, 0), (0.1, 0, -1.0)])
def test_what_is_no_tail_is_refused(given: tuple[float, float, float]) -> None:
    with pytest.raises(InputError, match="got"):
        ParetoTail(*given)
    with pytest.raises(InputError, match="finite"):
        ParetoTail(0.1, math.nan, 1.0)
