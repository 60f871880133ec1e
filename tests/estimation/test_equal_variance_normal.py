"""Two normal distributions of one standard deviation."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

import betaroc as br

rng = np.random.default_rng(1)
SCORES = br.Scores(rng.normal(1.5, 1, 80), rng.normal(0, 1.1, 120))


def test_it_is_the_maximum_of_the_joint_likelihood() -> None:
    """Against a search over both means and log sigma, and sigma's closed form by hand."""
    fit = br.fit(SCORES, "equal-variance-normal")
    c, i = SCORES.client, SCORES.impostor
    pooled = math.sqrt((np.sum((c - c.mean()) ** 2) + np.sum((i - i.mean()) ** 2)) / 200)
    assert fit.client.params["sigma"] == pytest.approx(pooled, rel=1e-12)
    assert dict(fit.impostor.params) == pytest.approx({"mu": i.mean(), "sigma": pooled}, rel=1e-12)

    def loss(at: np.ndarray) -> float:
        laws = [stats.norm(mu, math.exp(at[2])) for mu in at[:2]]
        return -float(np.sum(laws[0].logpdf(c)) + np.sum(laws[1].logpdf(i)))

    found = optimize.minimize(loss, [1.0, 0.0, 0.0])
    assert fit.log_likelihood == pytest.approx(-found.fun, rel=1e-9)
    assert (fit.n_free, fit.tied) == (3, ("sigma",))
    assert fit.model.roc().is_concave


def test_its_errors_are_those_of_the_shared_information() -> None:
    """Var mu = sigma^2/n of each class, Var sigma = sigma^2/(2 N), which both share."""
    fit = br.fit(SCORES, "equal-variance-normal")
    s2 = fit.client.params["sigma"] ** 2
    for one, n in ((fit.client, 80), (fit.impostor, 120)):
        np.testing.assert_allclose(one.cov, np.diag([s2 / n, s2 / 400]), rtol=1e-12)
    np.testing.assert_allclose(fit.shared_cov, [[0, 0], [0, s2 / 400]], rtol=1e-12)


def test_sums_and_weights_give_the_same() -> None:
    fit = br.fit(SCORES, "equal-variance-normal")
    both = {"score": np.r_[SCORES.client, SCORES.impostor], "label": [1] * 80 + [0] * 120}
    for again in (
        br.fit(br.summarize(pd.DataFrame(both)), "equal-variance-normal"),
        br.fit(
            br.Scores(SCORES.client, SCORES.impostor, client_weights=[1] * 80),
            "equal-variance-normal",
        ),
    ):
        assert dict(again.client.params) == pytest.approx(dict(fit.client.params), rel=1e-12)
        assert again.log_likelihood == pytest.approx(fit.log_likelihood, rel=1e-12)


@pytest.mark.simulation
def test_a_test_of_equal_spreads_has_its_size_and_finds_others() -> None:
    """Twice the gain of log-likelihood, simulated; of equal spreads p is uniform."""
    free = br.fit(SCORES, "normal")
    same = br.likelihood_ratio_test(
        br.fit(SCORES, "equal-variance-normal"), free, replicates=99, rng=1
    )
    s = free.client.params["sigma"], free.impostor.params["sigma"]
    pooled = br.fit(SCORES, "equal-variance-normal").client.params["sigma"]
    gain = 2 * (200 * math.log(pooled) - 80 * math.log(s[0]) - 120 * math.log(s[1]))
    assert same.statistic == pytest.approx(gain, rel=1e-9)
    assert same.p_value == pytest.approx(stats.chi2(1).sf(gain), abs=0.05)


def test_it_stands_alone() -> None:
    with pytest.raises(br.InputError, match="is a family of both classes and must stand alone"):
        br.fit(SCORES, ("equal-variance-normal", "normal"))
    with pytest.raises(br.InputError, match=r"share sigma\. Take method"):
        br.fit(SCORES, "equal-variance-normal").conf_int()


@pytest.mark.simulation
def test_intervals_of_the_area_cover() -> None:
    """Of 300 sets of 30 and 40 scores, standard error 0.0126 at .95."""
    rng, hits = np.random.default_rng(5), 0
    true = float(stats.norm.cdf(1.5 / math.sqrt(2.0)))
    for _ in range(300):
        fit = br.fit(
            br.Scores(rng.normal(1.5, 1, 30), rng.normal(0, 1, 40)), "equal-variance-normal"
        )
        found = fit.interval("auc")
        hits += found.low <= true <= found.high
    assert hits / 300 == pytest.approx(0.95, abs=3 * 0.0126)
