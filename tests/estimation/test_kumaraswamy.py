"""Kumaraswamy's family, a distribution and an estimator: what all else makes of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, special, stats

import betaroc as br
from betaroc.core.thresholds import Thresholds
from betaroc.estimation.families import FAMILIES
from betaroc.inference.delta import profile_of_scores
from helpers.kumaraswamy import KUMARASWAMY, Kumaraswamy

CLIENT, IMPOSTOR = Kumaraswamy(3.0, 1.5), Kumaraswamy(1.5, 3.0)
OTHER = br.Scores(CLIENT.sample(50, rng=3), IMPOSTOR.sample(60, rng=4))
SCORES = br.Scores(CLIENT.sample(150, rng=1), IMPOSTOR.sample(200, rng=2))


@pytest.fixture(autouse=True)
def row(monkeypatch) -> None:
    monkeypatch.setitem(FAMILIES, "kumaraswamy", KUMARASWAMY)


@pytest.fixture
def fit(row) -> br.Fit:
    return br.fit(SCORES, "kumaraswamy")


def test_generic_scores_and_information_are_those_of_calculus() -> None:
    """b times -log(1 - S^a) is exponential: the information of b is 1/b^2; of a by quadrature."""
    law, x = Kumaraswamy(2.0, 3.0), 0.3
    t = Thresholds.from_theta(np.array([x]))
    by_a = 1 / law.a + math.log(x) - (law.b - 1) * x**law.a * math.log(x) / (1 - x**law.a)
    by_b = 1 / law.b + math.log(1 - x**law.a)
    np.testing.assert_allclose(law._score(t)[:, 0], [by_a, by_b], rtol=1e-9)

    def product(x: float) -> float:
        power = x**law.a
        a = 1 / law.a + math.log(x) - (law.b - 1) * power * math.log(x) / (1 - power)
        return a * a * float(law.pdf(x))

    information = np.linalg.inv(law._unit_covariance())
    assert information[1, 1] == pytest.approx(1 / law.b**2, rel=1e-7)
    assert information[0, 0] == pytest.approx(integrate.quad(product, 0, 1)[0], rel=1e-6)


def test_the_profile_of_normal_scores_is_the_closed_one() -> None:
    """n log(1 + (m - mu)^2/s^2) = q of mu; n (r - 1 - log r) = q, r = s^2/sigma^2, of sigma."""
    x = stats.norm(2, 3).ppf((np.arange(40) + 0.5) / 40)
    fit = br.fit_distribution(x, "normal")
    found = profile_of_scores(fit, x, None, 0.9)
    q, s = stats.chi2(1).ppf(0.9) / 40, fit.params["sigma"]
    away = s * math.sqrt(math.exp(q) - 1)
    mu = fit.params["mu"]
    assert found["mu"] == pytest.approx((mu - away, mu + away), rel=1e-6)
    z = -math.exp(-1 - q)
    large, small = (-special.lambertw(z, k).real for k in (-1, 0))
    assert found["sigma"] == pytest.approx((s / math.sqrt(large), s / math.sqrt(small)), rel=1e-6)


@pytest.mark.simulation
def test_profile_intervals_cut_the_likelihood(fit) -> None:
    found = fit.conf_int()["client"]
    x = SCORES.client

    def best(b: float, a: float) -> float:
        """The likeliest other parameter is a scan, to 1e-5 of the deviance."""
        grid = np.exp(np.linspace(-0.6, 0.6, 4001))
        own = [(a, b * grid)] if a else [(fit.client.params["a"] * grid, b)]
        ((a_, b_),) = own
        rest = np.log1p(-(x[:, None] ** a_))
        sums = np.log(a_ * b_) * x.size + (a_ - 1) * np.log(x).sum() + (b_ - 1) * rest.sum(axis=0)
        return float(np.max(sums))

    top = fit.client.log_likelihood
    q = stats.chi2(1).ppf(0.95)
    for end in (found["b"].low, found["b"].high):
        assert 2 * (top - best(end, 0.0)) == pytest.approx(q, abs=1e-4)


def test_ends_are_tested_by_the_declared_tails(fit) -> None:
    """The lower tail is x^a: log a by its standard errors, as two estimates apart."""
    tests, results = fit.end_tests(), (fit.client, fit.impostor)
    for end, name, sign in (("at_zero", "a", 1), ("at_one", "b", -1)):
        logs = [math.log(r.params[name]) for r in results]
        errors = [r.std_errors[name] / r.params[name] for r in results]
        z = sign * (logs[0] - logs[1]) / math.hypot(*errors)
        assert getattr(tests, end).z == pytest.approx(z, rel=1e-6)
    assert (tests.at_zero.side, tests.at_one.side) == ("above", "above")
    assert fit.curve_test().hooks == ()


@pytest.mark.simulation
@pytest.mark.parametrize(
    "ask",
    [
        lambda f: br.plan_sample_size("eer", model=f.model, width=0.1).n_client,
        lambda f: br.plan_sample_size("side-at-zero", model=f.model, power=0.9).n_client,
        lambda f: br.plan_sample_size("epc-gap", model=f.model, width=0.1, alpha=0.5).n_client,
        lambda f: br.epc_forecast(f, n_client=50, n_impostor=50, alpha=[0.5]).optimism[0],
        lambda f: br.epc_forecast(f.model, n_client=50, n_impostor=50, alpha=[0.5]).optimism[0],
        lambda f: br.check_fit(f, replicates=19, rng=1).ks.client.p_value,
        lambda f: br.epc(f, OTHER, alpha=[0.3]).band(replicates=50, rng=1).low[0],
        lambda f: (
            br.epc(br.fit(OTHER), f, alpha=[0.3]).band(resample="test", method="delta").low[0]
        ),
        lambda f: f.joint_cov()[0, 0],
        lambda f: br.fit_many({"a": SCORES}, family="kumaraswamy")["client_a"][0],
        lambda f: br.fit(SCORES, ("kumaraswamy", "beta")).interval("auc").low,
        lambda f: br.difference(f, br.fit(SCORES), "eer", paired=True).high,
    ],
)
def test_it_is_taken_as_any_other(fit, ask) -> None:
    number = ask(fit)
    assert math.isfinite(float(number))
    assert number > 0.0


def test_what_is_of_beta_distributions_says_why(fit) -> None:
    both = {"score": np.r_[SCORES.client, SCORES.impostor], "label": [1] * 150 + [0] * 200}
    summary = br.summarize(pd.DataFrame(both))
    cases: list[tuple[Any, str]] = [
        (lambda: br.fit(summary, "kumaraswamy"), "must have every score; got a summary"),
        (fit.sensitivity, "of beta fits"), (fit.shape_probabilities, "of beta"),
        (lambda: br.fit(SCORES, "kumaraswamy", boundary="censor", resolution=0.01),
         "no likelihood of rounded"),
        (lambda: br.solve_pair(auc=0.9, family="kumaraswamy"), "family must be one of"),
    ]  # fmt: skip
    for ask, words in cases:
        with pytest.raises(br.InputError, match=words):
            ask()


@pytest.mark.simulation
def test_forecast_of_a_fit_is_that_of_simulated_dev_sets(fit) -> None:
    """What thresholds of 120 dev sets of 100 and 100 lose; three standard errors of their mean."""
    told = br.epc_forecast(fit.model, n_client=100, n_impostor=100, alpha=[0.5])
    rng, lost = np.random.default_rng(3), []
    best = fit.model.min_weighted_error(0.5).hter
    for _ in range(120):
        drawn = br.Scores(*(law.sample(100, rng) for law in (fit.model.client, fit.model.impostor)))
        t = br.fit(drawn, "kumaraswamy").model.min_weighted_error(0.5).threshold
        lost.append(fit.model.at(t).hter - best)
    error = np.std(lost) / math.sqrt(len(lost))
    assert told.smooth_excess[0] == pytest.approx(np.mean(lost), abs=3 * error)
