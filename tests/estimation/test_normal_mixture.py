"""Mixtures of normal distributions: the maximum, its errors, and what depends on no unit."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

import betaroc as br

TRUE = br.NormalMixture([0.3, 0.7], [br.Normal(-1.0, 0.5), br.Normal(1.0, 1.2)])
SAMPLE = TRUE.sample(400, rng=3)


def log_likelihood(at: np.ndarray, x: np.ndarray) -> float:
    """Of (w, mu_1, sigma_1, mu_2, sigma_2)."""
    w = at[0]
    both = w * stats.norm(at[1], at[2]).pdf(x) + (1 - w) * stats.norm(at[3], at[4]).pdf(x)
    return float(np.sum(np.log(both)))


@pytest.fixture(scope="module")
def fit() -> br.DistributionFit:
    return br.fit_distribution(SAMPLE, "normal-mixture")


@pytest.mark.simulation
def test_it_is_a_maximum_above_the_truth(fit: br.DistributionFit) -> None:
    """A general search from the estimate finds nothing higher; its gradient is 0."""
    at = np.array(list(fit.params.values()))
    assert list(fit.params) == ["weight_1", "mu_1", "sigma_1", "mu_2", "sigma_2"]
    assert fit.log_likelihood == pytest.approx(log_likelihood(at, SAMPLE), rel=1e-12)
    assert fit.log_likelihood > log_likelihood(np.array([0.3, -1.0, 0.5, 1.0, 1.2]), SAMPLE)
    slope = optimize.approx_fprime(at, log_likelihood, 1e-6, SAMPLE)
    np.testing.assert_allclose(slope, 0.0, atol=5e-3)  # of 400 scores, by differences
    found = optimize.minimize(lambda p: -log_likelihood(p, SAMPLE), at, method="Nelder-Mead")
    assert -found.fun <= fit.log_likelihood + 1e-6
    assert fit.converged


def test_its_covariance_is_the_inverse_of_the_curvature(fit: br.DistributionFit) -> None:
    """Second differences of the log-likelihood, steps of 1e-4."""
    at, n = np.array(list(fit.params.values())), len(fit.params)
    steps = np.eye(n) * 1e-4
    hessian = np.empty((n, n))
    for j in range(n):
        for k in range(n):
            signs = [(a, b) for a in (1, -1) for b in (1, -1)]
            total = sum(
                a * b * log_likelihood(at + a * steps[j] + b * steps[k], SAMPLE) for a, b in signs
            )
            hessian[j, k] = total / (4 * 1e-8)
    np.testing.assert_allclose(fit.cov, np.linalg.inv(-hessian), rtol=2e-3, atol=1e-6)


def test_units_do_not_matter(fit: br.DistributionFit) -> None:
    moved = br.fit_distribution(1e6 - 250.0 * SAMPLE, "normal-mixture")
    one, two = fit.params, moved.params
    assert two["weight_1"] == pytest.approx(1 - one["weight_1"], rel=1e-7)
    assert two["mu_1"] == pytest.approx(1e6 - 250 * one["mu_2"], rel=1e-10)
    assert two["sigma_2"] == pytest.approx(250 * one["sigma_1"], rel=1e-7)
    assert moved.log_likelihood == pytest.approx(fit.log_likelihood - 400 * math.log(250), rel=1e-9)


def test_weights_are_copies(fit: br.DistributionFit) -> None:
    copies = br.fit_distribution(np.repeat(SAMPLE[:60], 2), "normal-mixture")
    weighted = br.fit_distribution(SAMPLE[:60], "normal-mixture", weights=[2] * 60)
    assert dict(weighted.params) == pytest.approx(dict(copies.params), rel=1e-9)


@pytest.mark.simulation
def test_a_pair_of_them_answers_as_any_other() -> None:
    scores = br.Scores(SAMPLE + 2.0, TRUE.sample(300, rng=4))
    fit = br.fit(scores, "normal-mixture")
    for found in (fit.interval("auc"), fit.interval("tpr", far=0.1)):
        assert found.low < found.estimate < found.high
    generic = fit.model.generic()
    assert fit.model.auc() == pytest.approx(generic.auc(), rel=1e-9)
    assert fit.model.eer().hter == pytest.approx(generic.eer().hter, rel=1e-9)
    assert br.check_fit(fit, replicates=19, rng=1).verdict in ("good", "poor", "cannot tell")
    three = br.fit(scores, "normal-mixture", components=3)
    assert len(three.client.params) == 8
    test = br.likelihood_ratio_test(br.fit(scores, "normal"), fit, replicates=19, rng=1)
    assert test.statistic > 0
    rows = br.compare_families(scores, ["normal", "normal-mixture"]).rows
    assert {row.family for row in rows} == {"normal", "normal-mixture"}


def test_what_cannot_be_fitted_says_so() -> None:
    with pytest.raises(br.DegenerateDataError, match="2 distinct scores"):
        br.fit_distribution([1.0] * 20, "normal-mixture")
    with pytest.raises(
        br.DegenerateDataError, match="mixture of 2 normal distributions needs at least 10"
    ):
        br.fit_distribution([1.0, 2.0, 4.0], "normal-mixture")
    frame = pd.DataFrame({"score": np.r_[SAMPLE, SAMPLE + 1], "label": [0] * 400 + [1] * 400})
    summary = br.summarize(frame)
    with pytest.raises(br.InputError, match="must have every score; got a summary"):
        br.fit(summary, "normal-mixture")
