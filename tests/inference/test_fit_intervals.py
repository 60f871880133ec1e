"""Intervals of numbers of a fitted model: formulas by hand, simulation, invariances."""

import math
import statistics

import numpy as np
import pytest
from scipy import special, stats

import betaroc as br
from betaroc.inference.delta import shape_bias
from helpers.points import ASKED

approx = pytest.approx

# Few scores make tests fast; which rates they speak for is tested elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::betaroc.core.errors.ExtrapolationWarning")

PHI = statistics.NormalDist()


def beta_fit(seed=1, n=80):
    rng = np.random.default_rng(seed)
    return br.fit(br.Scores(rng.beta(4, 2, n), rng.beta(2, 4, n)))


def welch(variances, sizes):
    """Reach of Student's t with Welch's degrees of freedom; variances with the divisor n - 1."""
    own = [v * n / (n - 1) for v, n in zip(variances, sizes, strict=True)]
    freedom = sum(own) ** 2 / sum(v * v / (n - 1) for v, n in zip(own, sizes, strict=True))
    return float(stats.t.ppf(0.975, freedom)) * math.sqrt(sum(own))


def log_sd_bias(n):
    """E log(estimate/sigma): n times the variance over sigma^2 is chi2(n - 1)."""
    return 0.5 * (special.psi((n - 1) / 2) - math.log(n / 2))


def test_numbers_of_a_binormal_pair_by_hand():
    rng = np.random.default_rng(2)
    fit = br.fit(br.Scores(rng.normal(1, 1.2, 50), rng.normal(0, 0.8, 70)), "normal")
    (m1, s1), (m2, s2) = fit.client.values, fit.impostor.values
    # A = Phi(d), d = (m1 - m2)/S, S^2 = s1^2 + s2^2; Var m = s^2/n, Var s = s^2/(2 n).
    s = math.hypot(s1, s2)
    d = (m1 - m2) / s
    own = (s1 / s) ** 2 / 50 + (d * s1**2 / s**2) ** 2 / 100
    other = (s2 / s) ** 2 / 70 + (d * s2**2 / s**2) ** 2 / 140
    found, reach = fit.interval("auc", method="family"), welch((own, other), (50, 70))
    ends = [PHI.cdf(d - reach), PHI.cdf(d + reach)]
    assert [found.low, found.high] == approx(ends, rel=1e-6)
    # TPR at FAR 0.1: Phi((m1 - t)/s1), t = m2 + s2 z.
    z = PHI.inv_cdf(0.9)
    x = (m1 - m2 - s2 * z) / s1
    own, other = 1 / 50 + x**2 / 100, (s2 / s1) ** 2 / 70 + (z * s2 / s1) ** 2 / 140
    reach = welch((own, other), (50, 70))
    ends = [PHI.cdf(x - reach), PHI.cdf(x + reach)]
    found = fit.interval("tpr", far=0.1, method="family")
    assert [found.low, found.high] == approx(ends, rel=1e-6)
    band = fit.roc_band(far=[0.1], method="family")
    assert [band.low[0], band.high[0]] == approx(ends, rel=1e-6)
    # The threshold t itself, of 70 impostors alone, centred on what it is without bias.
    reach = welch((0.0, s2**2 / 70 + (z * s2) ** 2 / 140), (50, 70))
    t = m2 + s2 * z - z * s2 * log_sd_bias(70)
    found = fit.interval("threshold", far=0.1, method="family")
    assert [found.low, found.high] == approx([t - reach, t + reach], rel=1e-7)
    # (t - m1)/s1 = (t - m2)/s2: t = (m2 s1 - m1 s2)/(s1 - s2).
    rng = np.random.default_rng(2)
    fit = br.fit(br.Scores(rng.normal(1, 1.6, 50), rng.normal(0, 0.8, 70)), "normal")
    (m1, s1), (m2, s2) = fit.client.values, fit.impostor.values
    d = s1 - s2
    t = (m2 * s1 - m1 * s2) / d
    own = (s2 * s1 / d) ** 2 / 50 + (s2 * (m1 - m2) * s1 / d**2) ** 2 / 100
    other = (s1 * s2 / d) ** 2 / 70 + (s1 * (m2 - m1) * s2 / d**2) ** 2 / 140
    found = fit.interval("threshold", at="crossing")
    assert found.estimate == approx(t, rel=1e-9)
    assert (found.high - found.low) / 2 == approx(welch((own, other), (50, 70)), rel=1e-4)


def test_exponents_functions_and_point_masses():
    # rho0 = a_i / a_c: Var log rho0 = Var log a_c + Var log a_i (theory of two samples).
    fit = beta_fit()
    found, ratio = fit.interval("exponent-at-zero"), fit.model.ends().at_zero.exponent
    sd = math.hypot(fit.client.std_errors["a"] / fit.client.params["a"],
        fit.impostor.std_errors["a"] / fit.impostor.params["a"])  # fmt: skip
    own, other = (shape_bias(*r.values, ["a", "b"])[0] / 80 for r in (fit.client, fit.impostor))
    errors = [r.std_errors["a"] / r.params["a"] for r in (fit.client, fit.impostor)]
    reach = welch((errors[0] ** 2, errors[1] ** 2), (80, 80))
    assert reach == approx(1.99 * sd, rel=0.01)
    ends = [ratio * math.exp(own - other - reach), ratio * math.exp(own - other + reach)]
    assert [found.low, found.high] == approx(ends, rel=1e-5)
    named, own = fit.interval("auc"), fit.interval(lambda m: m.auc())
    assert own.estimate == named.estimate
    # The plain scale has the same sd: widths agree to second order.
    assert own.high - own.low == approx(named.high - named.low, rel=0.1)
    rng = np.random.default_rng(5)
    scores = br.Scores(np.r_[rng.beta(4, 2, 90), np.ones(10)],
        np.r_[np.zeros(20), rng.beta(2, 4, 80)])  # fmt: skip
    fit = br.fit(scores, boundary="inflate")
    found = fit.interval(lambda m: m.client.at_one)
    # A binomial share of 10 in 100; the law of the other 90 is what the errors rest on.
    reach = welch((0.1 * 0.9 / 100, 0.0), (90, 80))
    assert found.high - found.low == approx(2 * reach, rel=1e-3)


@pytest.mark.nightly
@pytest.mark.parametrize(("stat", "point"), ASKED)
def test_delta_and_bootstrap_agree_for_many_scores(stat, point):
    fit = beta_fit(3, 2000)
    if point.get("at") == "crossing":
        rng = np.random.default_rng(3)
        fit = br.fit(br.Scores(rng.beta(5, 3, 2000), rng.beta(2, 2, 2000)))
    delta = fit.interval(stat, **point, method="family")
    drawn = fit.interval(stat, **point, method="bootstrap", replicates=100, rng=1)
    width = delta.high - delta.low
    assert delta.low < delta.estimate < delta.high
    # A 2.5 % quantile of 100 draws has an error of about 0.27 sd, 0.068 widths: three of them.
    assert abs(drawn.low - delta.low) < 0.2 * width
    assert abs(drawn.high - delta.high) < 0.2 * width


@pytest.mark.simulation
def test_a_simultaneous_band_is_wider_and_seeded():
    fit = beta_fit()
    one = fit.roc_band(far=np.linspace(0, 1, 21), method="family")
    for method in ("delta", "bootstrap"):
        whole, again = (fit.roc_band(simultaneous=True, method=method, far=one.alpha,
            replicates=300, rng=1) for _ in range(2))  # fmt: skip
        inner = slice(1, 11 if method == "bootstrap" else -1)  # it is cut at a TPR of 1
        assert np.all((whole.high - whole.low > (one.high - one.low) * 0.95)[inner])
        assert again == whole
    assert (one.low[0], one.high[-1]) == (0.0, 1.0)
    assert np.all((one.low <= one.estimate) & (one.estimate <= one.high))
