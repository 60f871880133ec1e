"""The beta maximum: certified digits, the theorem's invariances, what happens where none exists."""

from __future__ import annotations

import importlib
import json
import math

import numpy as np
import pytest

import betaroc as br
from betaroc import (
    DegenerateDataError,
    FitError,
    InfluenceWarning,
    InputError,
    InputTypeError,
    SmallSampleWarning,
)
from betaroc.core.polygamma import phi_tau, phi_tau_of
from helpers.places import REFERENCES

TABLE = json.loads((REFERENCES / "beta_mle.json").read_text())
quietly = pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")


def decode(row):
    x = np.array([float.fromhex(v) for v in row["scores"]])
    w = row["weights"] and np.array([float.fromhex(v) for v in row["weights"]])
    return x, w


def distance(found, certified):
    """Relative error; the certified decimals have more digits than a double."""
    return abs(found - float(certified)) / abs(float(certified))


def digits(found, certified):
    return -math.log10(max(distance(found, certified), 1e-16))


# ------------------------------------------------------------------ certified numbers
@quietly
def test_ten_digits_on_every_certified_set():
    """LRE >= 10 on 44 sets solved by mpmath at 60 digits (tests/reference/make_beta_mle.py)."""
    assert len(TABLE["sets"]) >= 40
    worst = []
    for row in TABLE["sets"]:
        x, w = decode(row)
        fit = br.fit_distribution(x, weights=w)
        assert fit.converged
        assert fit.gradient_norm <= 1e-9
        worst.append((min(digits(fit.params[k], row[k]) for k in "ab"), row["name"]))
    print(f"fewest correct digits of a or b: {min(worst)[0]:.1f} on {min(worst)[1]}")
    assert min(worst)[0] >= 10.0, sorted(worst)[:5]


@quietly
def test_certified_covariance_and_log_likelihood():
    worst_cov = worst_value = 0.0
    for row in TABLE["sets"]:
        x, w = decode(row)
        fit = br.fit_distribution(x, weights=w)
        cov = (fit.cov[0, 0], fit.cov[0, 1], fit.cov[1, 1])
        worst_cov = max(worst_cov, *map(distance, cov, row["cov"]))
        exact = float(row["log_likelihood"])
        worst_value = max(worst_value, abs(fit.log_likelihood - exact) / max(1.0, abs(exact)))
        assert fit.std_errors["a"] == pytest.approx(math.sqrt(float(row["cov"][0])), rel=1e-10)
    print(f"covariance {worst_cov:.1e}, log-likelihood {worst_value:.1e}")
    assert worst_cov <= 1e-10
    assert worst_value <= 1e-11


def test_polygamma_is_relatively_accurate():
    x = np.array([float.fromhex(row[0]) for row in TABLE["polygamma"]])
    phi, tau = phi_tau(x)
    for i, (_, exact_phi, exact_tau) in enumerate(TABLE["polygamma"]):
        assert distance(phi[i], exact_phi) <= 1e-14
        assert distance(tau[i], exact_tau) <= 1e-14
        assert phi_tau_of(float(x[i])) == pytest.approx((phi[i], tau[i]), rel=1e-14)


# ------------------------------------------------------------------- other packages
def test_statsmodels_beta_regression_without_covariates():
    from statsmodels.othermod.betareg import BetaModel

    x = np.random.default_rng(3).beta(2.0, 5.0, 300)
    mu_logit, log_precision = BetaModel(x, np.ones((300, 1))).fit(disp=0).params
    mu, precision = 1.0 / (1.0 + math.exp(-mu_logit)), math.exp(log_precision)
    fit = br.fit_distribution(x)
    assert fit.params["a"] == pytest.approx(mu * precision, rel=1e-4)
    assert fit.params["b"] == pytest.approx((1.0 - mu) * precision, rel=1e-4)
    assert fit.log_likelihood == pytest.approx(BetaModel(x, np.ones((300, 1))).loglike(
        np.array([mu_logit, log_precision])), rel=1e-7)  # fmt: skip


@pytest.mark.parametrize("shapes", [(0.47, 0.36), (7.0, 2.75), (2.0, 40.0), (0.9, 1.1)])
def test_gradient_is_zero_and_no_other_estimate_is_likelier(shapes):
    from scipy.special import digamma
    from scipy.stats import beta

    x = np.random.default_rng(11).beta(*shapes, 400)
    fit = br.fit_distribution(x)
    a, b = fit.params["a"], fit.params["b"]
    gradient = np.array([np.log(x).mean(), np.log1p(-x).mean()]) - digamma([a, b]) + digamma(a + b)
    assert np.all(np.abs(gradient * [a, b]) <= 1e-11)

    def log_likelihood(a, b):
        return float(beta.logpdf(x, a, b).sum())

    assert fit.log_likelihood == pytest.approx(log_likelihood(a, b), rel=1e-12)
    m, v = x.mean(), x.var()
    moments = m * (m * (1 - m) / v - 1), (1 - m) * (m * (1 - m) / v - 1)
    rivals = [shapes, moments, beta.fit(x, floc=0, fscale=1)[:2], (a * 1.001, b), (a, b * 0.999)]
    for rival in rivals:
        assert fit.log_likelihood >= log_likelihood(*rival) - 1e-9


# ------------------------------------------------------------------------ invariances
SAMPLES = [(0.3, 0.4, 60), (3.0, 1.5, 200), (0.05, 8.0, 40), (4e4, 7e4, 50)]


def draw(a, b, n, seed=5):
    """Scores whose complements 1 - x are doubles too."""
    x = np.random.default_rng(seed).beta(a, b, n)
    return np.clip(np.round(x * 2.0**50) / 2.0**50, 2.0**-50, 1.0 - 2.0**-50)


@quietly
@pytest.mark.parametrize(("a", "b", "n"), SAMPLES)
def test_order_does_not_matter_and_copies_are_weights(a, b, n):
    x = draw(a, b, n)
    fit = br.fit_distribution(x)
    again = br.fit_distribution(np.random.default_rng(1).permutation(x))
    assert again.values == pytest.approx(fit.values, rel=1e-12)

    k = np.random.default_rng(2).integers(0, 4, n)
    copies = br.fit_distribution(np.repeat(x, k))
    weighted = br.fit_distribution(x, weights=k)
    assert weighted.values == pytest.approx(copies.values, rel=1e-11)
    assert weighted.cov.ravel() == pytest.approx(copies.cov.ravel(), rel=1e-10)
    assert weighted.log_likelihood == pytest.approx(copies.log_likelihood, rel=1e-11)
    assert weighted.bic == pytest.approx(copies.bic, rel=1e-11)
    assert (weighted.n, weighted.total_weight) == (np.count_nonzero(k), k.sum())
    assert copies.n == copies.total_weight == k.sum()

    twice = br.fit_distribution(np.concatenate([x, x]))
    assert twice.values == pytest.approx(fit.values, rel=1e-12)
    assert twice.cov.ravel() == pytest.approx(fit.cov.ravel() / 2.0, rel=1e-11)


@quietly
@pytest.mark.parametrize(("a", "b", "n"), SAMPLES)
def test_mirrored_scores_swap_the_shapes(a, b, n):
    x = draw(a, b, n)
    fit, mirrored = br.fit_distribution(x), br.fit_distribution(1.0 - x)
    assert mirrored.values == pytest.approx(fit.values[::-1], rel=1e-11)
    assert mirrored.log_likelihood == pytest.approx(fit.log_likelihood, rel=1e-11)


def test_large_samples_take_the_product_path_and_agree_with_the_plain_one():
    rng = np.random.default_rng(9)
    for a, b in ((0.47, 0.36), (2.0, 5.0), (0.02, 0.6), (3.0, 900.0)):
        x = np.clip(rng.beta(a, b, 150_000), 1e-300, 1.0 - 2.0**-53)
        fit, plain = br.fit_distribution(x), br.fit_distribution(x, weights=np.ones(x.size))
        assert fit.values == pytest.approx(plain.values, rel=1e-12)


def test_estimate_moves_continuously_from_the_plain_to_the_centred_equations():
    """Samples that differ by 1e-9 relative, on both sides of where the equations change."""
    base = np.linspace(-1.0, 1.0, 41)
    for width in (0.02, 0.0241, 0.03, 0.0476, 0.05):
        values = [br.fit_distribution(0.5 + w * base).values for w in (width, width * (1 + 1e-9))]
        assert values[0] == pytest.approx(values[1], rel=1e-8)


# ------------------------------------------------------------------------- existence
@pytest.mark.parametrize(
    "x",
    [
        [0.4],
        [0.5, 0.5, 0.5],
        [0.5, 0.5, 0.5000001],
        [5e-324, 1e-310],
        [1.0 - 2.0**-53, 1.0 - 2.0**-52],
        0.3 + 1e-12 * np.random.default_rng(0).standard_normal(50),
    ],
)
def test_no_maximum_is_an_error_with_advice(x):
    with pytest.raises(DegenerateDataError, match=r"sample: .*empirical") as caught:
        br.fit_distribution(x)
    assert len(str(caught.value)) <= 400
    law = br.fit_distribution(np.repeat(x, 10), "empirical").distribution
    assert isinstance(law, br.Empirical)


def test_two_distinct_scores_are_enough():
    with pytest.warns(SmallSampleWarning, match="sample: only 2 scores"):
        fit = br.fit_distribution([0.4, 0.6])
    assert fit.params["a"] == pytest.approx(fit.params["b"], rel=1e-13)


def test_concentrated_scores_fit_up_to_1e12():
    x = np.random.default_rng(4).beta(5e7, 5e7, 500)
    fit = br.fit_distribution(x)
    m, v = x.mean(), x.var()
    assert fit.params["a"] + fit.params["b"] == pytest.approx(m * (1 - m) / v, rel=1e-6)


@pytest.mark.simulation
@quietly
def test_two_thousand_random_sets_all_converge():
    rng = np.random.default_rng(2000)
    for _ in range(2000):
        a, b = np.exp(rng.uniform(math.log(0.05), math.log(1e3), 2))
        x = rng.beta(a, b, rng.integers(3, 301))
        fit = br.fit_distribution(x)
        assert fit.converged
        assert fit.gradient_norm <= 1e-9


@quietly
def test_small_skewed_sets_all_converge():
    """The sets on which scipy's fit raises or returns negative shapes in 64 % of cases."""
    rng = np.random.default_rng(400)
    for k in range(400):
        x = rng.beta((0.05, 0.2)[k % 2], (5.0, 50.0, 1e4)[k % 3], 10)
        inside = np.unique(x[(x > 0.0) & (x < 1.0)])
        if inside.size >= 2 and inside.max() > 1e-9:
            fit = br.fit_distribution(x)
            assert fit.gradient_norm <= 1e-9


def test_solver_that_stops_early_raises_with_the_partial_result(monkeypatch):
    solver = importlib.import_module("betaroc.distributions.beta")
    monkeypatch.setattr(solver, "MAX_ITERATIONS", 1)
    monkeypatch.setattr(solver, "_ROUGH_STEPS", 0)
    x = np.random.default_rng(0).beta(2.0, 5.0, 100)
    with pytest.raises(FitError, match=r"did not converge.*gradient") as caught:
        br.fit_distribution(x)
    assert not isinstance(caught.value, DegenerateDataError)
    partial = caught.value.result
    assert isinstance(partial, br.DistributionFit)
    assert partial.converged is False
    assert partial.gradient_norm > 1e-6
    assert math.isnan(partial.std_errors["a"])
    scores = br.Scores(x, 0.5 * x)
    with pytest.raises(FitError, match=r"^client") as caught:
        br.fit(scores)
    assert isinstance(caught.value.result, br.DistributionFit)
    assert br.beta_mle(math.log(0.3), math.log(0.6))[2] is False
    assert not br.beta_mle([math.log(0.3)], [math.log(0.6)])[2].any()


# ---------------------------------------------------------------------------- warnings
def test_one_denormal_is_right_and_not_silent():
    x = np.random.default_rng(0).beta(7.0, 2.75, 200)
    br.fit_distribution(x)
    x[3] = 5e-324
    with pytest.warns(InfluenceWarning, match="5e-324 alone moves a") as caught:
        br.fit_distribution(x)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(("a", "b"), [(0.2, 0.2), (0.5, 3.0), (2.0, 5.0), (7.0, 2.75)])
def test_ordinary_data_give_no_warning(a, b):
    rng = np.random.default_rng(8)
    for n in (10, 30, 100, 1000):
        br.fit_distribution(np.clip(rng.beta(a, b, n), 1e-300, 1 - 2.0**-53))


# ------------------------------------------------------------------------- the batch
def test_batch_recovers_shapes_from_exact_statistics():
    from scipy.special import digamma

    a, b = (v.ravel() for v in np.meshgrid(np.logspace(-2, 2, 21), np.logspace(-2, 2, 21)))
    g1, g2 = digamma(a) - digamma(a + b), digamma(b) - digamma(a + b)
    a_found, b_found, converged = br.beta_mle(g1, g2)
    assert converged.all()
    np.testing.assert_allclose(a_found, a, rtol=3e-11)
    np.testing.assert_allclose(b_found, b, rtol=3e-11)
    for i in range(0, a.size, 40):
        assert br.beta_mle(g1[i], g2[i])[:2] == pytest.approx((a_found[i], b_found[i]), rel=1e-11)


def test_batch_takes_any_shape_and_says_where_there_is_no_law():
    g1 = np.array([[-1.0, np.nan, math.log(0.5)], [0.5, -np.inf, -1e-300]])
    a, b, converged = br.beta_mle(g1, np.array([-1.0, -1.0, math.log(0.5)]))
    assert a.shape == b.shape == converged.shape == (2, 3)
    assert converged.tolist() == [[True, False, False], [False, False, False]]
    assert np.isnan(a[~converged]).all()
    assert a[0, 0] == pytest.approx(1.0, rel=1e-13)
    one = br.beta_mle(-1.0, -1.0)
    assert tuple(map(type, one)) == (float, float, bool)
    assert br.beta_mle(np.empty(0), np.empty(0))[0].shape == (0,)


def test_batch_refuses_what_is_not_a_number():
    with pytest.raises(InputTypeError, match="mean_log must be"):
        br.beta_mle("x", -1.0)
    with pytest.raises(InputError, match=r"one shape.*\(2,\).*\(3,\)"):
        br.beta_mle([-1.0, -1.0], [-1.0, -1.0, -1.0])


def test_scores_known_to_break_scipy_fit():
    """scipy issue 22328: ten draws of beta(1, 2) on which beta.fit raised FitError."""
    rng = np.random.default_rng(22328)
    for _ in range(50):
        fit = br.fit_distribution(rng.beta(1.0, 2.0, 10))
        assert fit.gradient_norm <= 1e-9
