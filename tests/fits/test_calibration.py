"""The posterior of a pair by Bayes's rule, and the test that a score is one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special, stats

import betaroc as br


def test_the_posterior_is_bayess_rule() -> None:
    t = np.array([1e-12, 0.1, 0.4, 0.77, 1 - 1e-12])
    for client, impostor, laws in (
        (br.Beta(2.5, 0.7), br.Beta(0.6, 2), (stats.beta(2.5, 0.7), stats.beta(0.6, 2))),
        (br.Normal(1, 2), br.Normal(0, 1), (stats.norm(1, 2), stats.norm(0, 1))),
    ):
        model = br.ScoreModel(client, impostor, prior=0.2)
        own, other = 0.2 * laws[0].pdf(t), 0.8 * laws[1].pdf(t)
        assert model.posterior(t) == pytest.approx(own / (own + other), rel=1e-12)
    assert isinstance(model.posterior(0.5), float)
    assert math.isnan(model.posterior(math.nan))


def test_masses_and_samples() -> None:
    inflated = br.ScoreModel(
        br.Inflated(br.Beta(2, 1), at_zero=0.1), br.Inflated(br.Beta(1, 2), 0.3), prior=0.4
    )
    assert inflated.posterior(0.0) == pytest.approx(0.4 * 0.1 / (0.4 * 0.1 + 0.6 * 0.3))
    own, other = 0.4 * 0.9 * 2 * 0.3, 0.6 * 0.7 * 2 * 0.7
    assert inflated.posterior(0.3) == pytest.approx(own / (own + other), rel=1e-13)
    samples = br.ScoreModel(br.Empirical([1, 2, 2]), br.Empirical([2, 3]), prior=0.5)
    assert samples.posterior([1, 2, 3]).tolist() == pytest.approx([1.0, 4 / 7, 0.0])
    assert np.isnan(samples.posterior(1.5))


def calibrated(seed: int, n: int = 200) -> br.Scores:
    """Beta(3, 2) v Beta(2, 3), equal shares: f_c / f_i = s / (1 - s)."""
    rng = np.random.default_rng(seed)
    return br.Scores(rng.beta(3, 2, n), rng.beta(2, 3, n))


def test_statistic_by_numerical_derivatives() -> None:
    scores = br.Scores(calibrated(1).client, calibrated(2, 150).impostor)
    fit = br.fit(scores)

    def away(p: np.ndarray) -> np.ndarray:
        level = special.betaln(p[2], p[3]) - special.betaln(p[0], p[1]) + special.logit(200 / 350)
        return np.array([p[0] - p[2] - 1, p[3] - p[1] - 1, level])

    p = np.array([*fit.client.values, *fit.impostor.values])
    rates = np.array([(away(p + 1e-6 * e) - away(p - 1e-6 * e)) / 2e-6 for e in np.eye(4)]).T
    cov = np.zeros((4, 4))
    cov[:2, :2], cov[2:, 2:] = fit.client.cov, fit.impostor.cov
    spread = rates @ cov @ rates.T
    spread[2, 2] += 1 / 200 + 1 / 150  # Var log(n_c / n_i) of random labels
    wald = away(p) @ np.linalg.inv(spread) @ away(p)
    found = fit.calibration_test()
    assert found.statistic == pytest.approx(wald, rel=1e-6)
    assert found.p_value == pytest.approx(stats.chi2.sf(wald, 3), rel=1e-5)
    assert found.intercept == pytest.approx(special.logit(fit.model.posterior(0.5)), rel=1e-9)


@pytest.mark.simulation
def test_size_and_power() -> None:
    # 300 sets with random labels: 5 % with an sd of 1.3 %.
    p = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n = int(rng.binomial(400, 0.5))
        drawn = br.Scores(rng.beta(3, 2, n), rng.beta(2, 3, 400 - n))
        p.append(br.fit(drawn).calibration_test().p_value)
    assert abs(np.mean(np.array(p) < 0.05) - 0.05) < 3 * 0.013
    scores = calibrated(1)
    # Squeezed log-odds: the score is too modest.
    modest = [special.expit(0.5 * special.logit(x)) for x in (scores.client, scores.impostor)]
    assert br.fit(br.Scores(*modest)).calibration_test().p_value < 1e-6


def test_outside_one_support_the_other_law_decides() -> None:
    mixed = br.ScoreModel(br.Beta(3, 2), br.Normal(0, 1))
    assert mixed.posterior([-1.0, 2.0]).tolist() == [0.0, 0.0]
    assert br.ScoreModel(br.Normal(0, 1), br.Beta(3, 2)).posterior(2.0) == 1.0
