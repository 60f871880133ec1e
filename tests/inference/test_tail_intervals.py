"""Intervals in the tail: by draws, turned round, and simulated on other distributions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from betaroc.estimation.tails import TailScores, fit_tails, grid_of
from betaroc.inference.intervals import surely_beyond, tail_rate_ends, tail_threshold_ends

approx = pytest.approx


def tails_of(n=1000, seed=1, size=(30, 50)):
    y = stats.logistic.rvs(size=n, random_state=seed)
    return fit_tails(TailScores("impostor", np.asarray(y)), "upper", size)


@pytest.mark.simulation
@pytest.mark.parametrize("beyond", [1.0, 3.0, 6.0])
def test_the_integral_is_that_of_draws(beyond):
    """4e5 draws of grid points and of zeta: quantiles within 1 % of their own scale."""
    tails = tails_of(size=(40,))
    fit, rng = tails.fits[0], np.random.default_rng(5)
    grid = grid_of(fit)
    at = rng.choice(grid.weight.size, size=400_000, p=grid.weight / grid.weight.sum())
    zeta = rng.beta(fit.k + 0.5, fit.n - fit.k + 0.5, size=at.size)
    rates = zeta * stats.genpareto.sf(beyond, grid.shape[at], scale=grid.scale[at])
    found = tail_rate_ends(tails, fit.joint + beyond, 0.95)
    expected, spread = np.quantile(rates, [0.025, 0.975]), float(np.std(rates))
    assert_allclose(found, expected, atol=0.02 * spread, rtol=0.02)


@pytest.mark.parametrize("rate", [5e-3, 1e-3, 1e-4])
def test_both_statements_are_one(rate):
    """The rate asked for is an end of the interval at the place that is one, of one size."""
    tails = tails_of(size=(40,))
    low, high = tail_threshold_ends(tails, rate, 0.9)
    assert tail_rate_ends(tails, low, 0.9)[0] == approx(rate, rel=1e-5)
    assert tail_rate_ends(tails, high, 0.9)[1] == approx(rate, rel=1e-5)


@pytest.mark.simulation
def test_hulls_turned_tails_their_ends_and_joints():
    both = tail_rate_ends(tails_of(), 6.0, 0.95)
    lows, highs = zip(*(tail_rate_ends(tails_of(size=(k,)), 6.0) for k in (30, 50)), strict=True)
    assert both == approx((min(lows), max(highs)), rel=1e-9)
    y = np.asarray(stats.logistic.rvs(size=1000, random_state=4))
    upper = fit_tails(TailScores("client", y), "upper")
    lower = fit_tails(TailScores("client", -y), "lower")
    up, down = (tail_threshold_ends(t, 1e-3, 0.95) for t in (upper, lower))
    assert down == (-up[1], -up[0])
    assert tail_rate_ends(lower, -6.0) == tail_rate_ends(upper, 6.0)
    # Uniform scores: nothing lies beyond 1, and a little beyond it nothing is excluded.
    tails = fit_tails(TailScores("client", np.linspace(0.0, 1.0, 1001)), "upper")
    low, high = tail_rate_ends(tails, 1.001, 0.95)
    assert low == 0.0
    assert 0.0 < high < 0.01
    assert tail_rate_ends(tails, 2.0, 0.95) == (0.0, approx(0.0, abs=1e-3))
    tails = tails_of()
    assert surely_beyond(tails, 0.0149, 0.95)
    assert not surely_beyond(tails, 0.02, 0.95)
    assert not surely_beyond(tails, 0.0149, 0.9999)
    assert not surely_beyond(tails, 0.0, 0.95)
