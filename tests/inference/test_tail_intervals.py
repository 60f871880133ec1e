"""Intervals in the tail: by draws, turned round, and simulated on other distributions."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.special import expit, logit

import betaroc as br
from betaroc.estimation.estimate import estimate_pair
from betaroc.estimation.tails import TailScores, fit_tails, grid_of
from betaroc.fits.tail_fits import TailRequest, with_tails
from betaroc.inference.intervals import (
    surely_beyond,
    tail_interval,
    tail_rate_ends,
    tail_threshold_ends,
)
from betaroc.model.statistics import parse_statistic

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


@pytest.mark.nightly
@pytest.mark.parametrize(("law", "to"),
    [(stats.beta(2.0, 8.0), logit), (stats.t(4.0), np.asarray)], ids=["beta", "t4"])  # fmt: skip
def test_the_interval_of_the_threshold_covers(law, to):
    """150 sets of 500 scores, none of a generalised Pareto tail; .95 -+ 3 errors of .0178."""
    rng = np.random.default_rng(11)
    held, rates = np.zeros(3), np.array([10.0, 1.0, 0.1]) / 500.0
    for _ in range(150):
        tails = fit_tails(TailScores("impostor", to(law.rvs(500, random_state=rng))), "upper")
        for j, rate in enumerate(rates):
            low, high = tail_threshold_ends(tails, float(rate))
            held[j] += low <= to(law.isf(rate)) <= high
    assert np.all(held / 150 > 0.92 - 3 * math.sqrt(0.92 * 0.08 / 150))


CLIENT, IMPOSTOR = stats.norm(2.0, 1.0), stats.logistic(-2.0, 0.5)  # on the logit


def fitted(seed, n=500):
    rng = np.random.default_rng(seed)
    drawn = [expit(law.rvs(n, random_state=rng)) for law in (CLIENT, IMPOSTOR)]
    pair, _ = estimate_pair(br.Scores(*drawn), ("beta", "beta"))
    return with_tails(pair, TailRequest.of("both"))[0]


def test_rates_and_thresholds_are_those_of_the_tail():
    pair = fitted(1)
    upper, lower = pair.impostor.tails[1], pair.client.tails[0]
    found = tail_interval(pair, parse_statistic("threshold", (), far=1e-3))
    assert (found.low, found.high) == approx(expit(tail_threshold_ends(upper, 1e-3)))
    assert found.low < found.estimate < found.high
    far = tail_interval(pair, parse_statistic("far", (), threshold=0.75))
    tnr = tail_interval(pair, parse_statistic("tnr", (), threshold=0.75))
    assert (far.low, far.high) == approx(tail_rate_ends(upper, float(logit(0.75))))
    assert (1.0 - tnr.high, 1.0 - tnr.low) == approx((far.low, far.high))
    frr = tail_interval(pair, parse_statistic("frr", (), threshold=0.3))
    assert (frr.low, frr.high) == approx(tail_rate_ends(lower, float(logit(0.3))))
    assert far.method == "tail, integrated"
