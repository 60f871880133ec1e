"""Mixtures of beta and of normal distributions: maxima, covariances, starts, many samples."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

import betaroc as br
from betaroc.core.thresholds import Thresholds
from betaroc.estimation import mixture
from betaroc.estimation.contract import Sample
from helpers.cases import some

approx = pytest.approx
MIXTURE = br.BetaMixture([0.4, 0.6], [br.Beta(0.6, 3.0), br.Beta(5.0, 1.2)])
NORMAL = br.NormalMixture([0.3, 0.7], [br.Normal(-1.0, 0.5), br.Normal(1.0, 1.2)])
SAMPLE = NORMAL.sample(400, rng=3)
P = (np.arange(60) + 0.5) / 60
TWO = np.r_[stats.norm(-2.0, 0.5).ppf(P[::2]), stats.norm(1.0, 1.2).ppf(P)]


def drawn(law, n, seed):
    x = law.sample(n, rng=seed)
    return x[(x > 0.0) & (x < 1.0)]


#: Family, its sample, scipy's density, true parameters, and which have their logarithm as
#: coordinate, beside the logit of the share.
KINDS = {
    "beta-mixture": (drawn(MIXTURE, 800, 1), stats.beta, [0.4, 0.6, 3.0, 5.0, 1.2], [1, 2, 3, 4]),
    "normal-mixture": (SAMPLE, stats.norm, [0.3, -1.0, 0.5, 1.0, 1.2], [2, 4]),
}


def log_likelihood(family, x, t):
    """Of coordinates, by scipy's densities."""
    _, law, _, logs = KINDS[family]
    p = np.array(t)
    p[logs] = np.exp(p[logs])
    parts = np.log(special.expit([t[0], -t[0]])), law.logpdf(x, *p[1:3]), law.logpdf(x, *p[3:])
    return float(np.sum(np.logaddexp(parts[0][0] + parts[1], parts[0][1] + parts[2])))


def coordinates(family, values):
    t, logs = np.array(list(values)), KINDS[family][3]
    t[0], t[logs] = special.logit(t[0]), np.log(t[logs])
    return t


@pytest.mark.parametrize("family", some(["normal-mixture", "beta-mixture"], 2))
def test_a_mixture_is_where_the_likelihood_is_flat_and_its_curvature_the_covariance(family):
    x, law, truth, logs = KINDS[family]
    fit = br.fit_distribution(x, family)
    names = (("weight_1", "a_1", "b_1", "a_2", "b_2")
        if law is stats.beta else ("weight_1", "mu_1", "sigma_1", "mu_2", "sigma_2"))  # fmt: skip
    assert (fit.converged, fit.names) == (True, names)

    def value(t):
        return log_likelihood(family, x, t)

    t, h = coordinates(family, fit.values), 1e-3 * np.eye(5)
    assert fit.log_likelihood == approx(value(t), rel=1e-12)
    assert fit.log_likelihood == approx(fit.distribution.logpdf(x).sum(), rel=1e-12)
    assert fit.log_likelihood > value(coordinates(family, truth))
    slopes = [(value(t + u) - value(t - u)) / 2e-4 for u in 0.1 * h]
    assert_allclose(slopes, 0.0, atol=1e-4)  # of 400 to 800 scores; cubic term 1e-8 * l'''
    second = [[value(t + u + v) - value(t + u - v) - value(t - u + v) + value(t - u - v) for v in h]
        for u in h]  # fmt: skip
    # Covariance of the coordinates, carried to the parameters: w (1 - w), and those with logs.
    rates = np.ones(5)
    rates[0], rates[logs] = fit.values[0] * (1.0 - fit.values[0]), np.array(fit.values)[logs]
    expected = np.linalg.inv(-np.array(second) / 4e-6) * np.outer(rates, rates)
    assert_allclose(fit.cov, expected, rtol=2e-3, atol=1e-6)


@pytest.mark.simulation
def test_three_components():
    shapes = [(2.0, 30.0), (30.0, 30.0), (30.0, 2.0)]
    x = drawn(br.BetaMixture([0.3, 0.3, 0.4], [br.Beta(*s) for s in shapes]), 1500, 5)
    fit = br.fit_distribution(x, "beta-mixture", components=3)
    means = [law.mean for law in fit.distribution.components]
    assert (means, means) == (sorted(means), approx([2 / 32, 0.5, 30 / 32], abs=0.02))
    assert fit.log_likelihood > br.fit_distribution(x, "beta-mixture").log_likelihood
    assert fit.aic == approx(2 * 8 - 2 * fit.log_likelihood)


@pytest.mark.simulation
def test_units():
    fit, moved = (br.fit_distribution(x, "normal-mixture") for x in (SAMPLE, 1e6 - 250.0 * SAMPLE))
    first, second = fit.params, moved.params
    assert second["weight_1"] == approx(1 - first["weight_1"], rel=1e-7)
    assert second["mu_1"] == approx(1e6 - 250 * first["mu_2"], rel=1e-10)
    assert second["sigma_2"] == approx(250 * first["sigma_1"], rel=1e-7)
    assert moved.log_likelihood == approx(fit.log_likelihood - 400 * math.log(250), rel=1e-9)
    errors = fit.std_errors, moved.std_errors
    assert errors[1]["weight_1"] == approx(errors[0]["weight_1"], rel=1e-5)
    assert errors[1]["mu_2"] == approx(250 * errors[0]["mu_1"], rel=1e-5)


def test_quantiles_of_many_scores_and_the_least_component(monkeypatch):
    two = np.array([0.0, 1.0])
    for share, enough in ((0.05, True), (0.049, False), (0.951, False)):
        point = np.vstack([[share, 1.0 - share], two, two + 1.0])
        assert mixture._regular(mixture.NORMAL_KIND, point, 100.0, np.inf) is enough
    x = stats.beta(2, 3).ppf((np.arange(5000) + 0.5) / 5000)
    values, weights = mixture._thinned(Sample.of("client", x, None), 100)
    assert values.size == 100
    below = np.cumsum(weights) - 0.5 * weights
    assert_allclose(stats.beta(2, 3).cdf(values) * 5000, below, atol=1.0)
    plain = br.fit_distribution(TWO, "normal-mixture")
    monkeypatch.setattr(mixture, "_MANY_SCORES", 50)
    monkeypatch.setattr(mixture, "_QUANTILES", 45)
    fit = br.fit_distribution(TWO, "normal-mixture")
    assert fit.params == approx(plain.params, rel=1e-7)
    assert isinstance(fit.iterations, int)


def test_ends_of_a_mixture_are_those_of_the_smallest_shapes():
    impostor = br.BetaMixture([0.5, 0.5], [br.Beta(0.3, 9.0), br.Beta(2.0, 4.0)])
    ends = br.ScoreModel(MIXTURE, impostor).ends()
    assert (ends.at_zero.exponent, ends.at_one.exponent) == approx((0.3 / 0.6, 4.0 / 1.2))
    # F ~ w x^a / (a B(a, b)) at 0.
    mass = [w / (a * special.beta(a, b)) for w, a, b in ((0.4, 0.6, 3.0), (0.5, 0.3, 9.0))]
    assert ends.at_zero.coefficient == approx(mass[1] / mass[0] ** 0.5, rel=1e-12)
    # d log(s^(a-1) (1-s)^(b-1)) / d logit s = (a - 1)(1 - s) - (b - 1) s
    zero_one = Thresholds.from_theta(np.array([0.0, 1.0]))
    for small, other in (((0.5, 2.0), (3.0, 0.2)), ((1e-3, 5000.0), (2000.0, 3e-4))):
        law = br.BetaMixture([0.3, 0.7], [br.Beta(*small), br.Beta(*other)])
        expected = [small[0] - 1.0, 1.0 - other[1]]
        assert_allclose(law._log_density_slope(zero_one), expected, rtol=1e-15)


@pytest.mark.simulation
def test_narrow_components_are_not_stepped_over():
    """Two hundredths of the impostors lie within a hundredth of the scale, amid the others."""
    narrow = br.BetaMixture([0.98, 0.02], [br.Beta(1.5, 1.2), br.Beta(4e3, 6e3)])
    model, x = br.ScoreModel(MIXTURE, narrow), np.linspace(0.35, 0.45, 20_001)
    places = model.diagonal_crossings().threshold
    signs = np.sign(narrow.cdf(x) - MIXTURE.cdf(x))
    inner = np.count_nonzero((places > 0.35) & (places < 0.45))
    assert inner == np.count_nonzero(np.diff(signs[signs != 0.0]))
    assert model.auc() == approx(model.generic().auc(), rel=1e-12)


@pytest.mark.simulation
def test_of_each_simulated_sample_the_likelihood_is_nearly_the_largest():
    x = np.array([drawn(MIXTURE, 420, seed)[:400] for seed in range(3)])
    columns = np.hstack(mixture.beta_mixture_of_rows(MIXTURE, x))
    for values, row in zip(columns, x, strict=True):
        value = log_likelihood("beta-mixture", row, coordinates("beta-mixture", values))
        best = br.fit_distribution(row, "beta-mixture").log_likelihood
        assert best - 1.0 < value <= best + 1e-9
