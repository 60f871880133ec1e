"""Scores of exactly 0 and 1, and rounded ones: the rule is obeyed and never silent."""

import json
import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize
from scipy.special import expit, log_ndtr, ndtr

import betaroc as br
from betaroc.estimation.families import FAMILIES
from helpers.places import REFERENCES

approx = pytest.approx
TABLE = json.loads((REFERENCES / "beta_mle.json").read_text())["ends"]
X = np.array(TABLE["scores"])  # 13 scores: two of exactly 0, one of exactly 1
INSIDE = X[(X > 0.0) & (X < 1.0)]
CENSOR = {"boundary": "censor", "resolution": 0.01}


def caught_by(call, *args, **options):
    """The result, and what was said by category."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call(*args, **options)
    return result, {w.category: str(w.message) for w in caught}


def test_point_masses_are_fitted_with_a_warning_or_silently_where_asked_for():
    with pytest.warns(br.BoundaryWarning, match="of 12 scores 1 exactly 0.0.*first at index 1"):
        br.fit_distribution(X, weights=[0.0] + [1.0] * 12)
    with pytest.warns(br.BoundaryWarning) as caught:
        fit = br.fit_distribution(X)
    text = str(caught[0].message)
    assert (len(caught), caught[0].filename) == (1, __file__)
    assert "sample: of 13 scores 2 exactly 0.0 and 1 exactly 1.0 (first at index 0)" in text
    assert "0.1538 and 0.07692" in text  # 2/13 and 1/13
    law = br.Beta(fit.params["a"], fit.params["b"])
    assert fit.distribution == br.Inflated(law, at_zero=2 / 13, at_one=1 / 13)
    rule = fit.boundary
    assert (rule.policy, rule.n_zero, rule.n_one, rule.n_dropped) == ("inflate", 2, 1, 0)
    assert br.fit_distribution(X, boundary="inflate") == fit
    base = br.fit_distribution(INSIDE)
    assert fit.values[:2] == base.values
    # the multinomial of (2, 1, 10) and the beta likelihood of the ten inside
    masses = 2 * math.log(2 / 13) + math.log(1 / 13) + 10 * math.log(10 / 13)
    assert fit.log_likelihood == approx(base.log_likelihood + masses, rel=1e-13)
    assert_allclose(fit.cov[:2, :2], base.cov, rtol=1e-13)
    # p (1 - p) / 13 of 2/13 and 1/13, and -p q / 13.
    assert_allclose(fit.cov[2:, 2:] * 13**3, [[22.0, -2.0], [-2.0, 12.0]], rtol=1e-13)
    assert not fit.cov[:2, 2:].any()
    assert fit.aic == approx(8.0 - 2.0 * fit.log_likelihood)


def test_each_policy_is_what_its_name_says():
    base = br.fit_distribution(INSIDE)
    assert br.fit_distribution(INSIDE, boundary="error").boundary.policy == "error"
    drop = br.fit_distribution(X, boundary="drop")
    assert (drop.values, drop.cov.tolist()) == (base.values, base.cov.tolist())
    assert (drop.n, drop.total_weight, drop.boundary.n_dropped) == (10, 10.0, 3)
    squeeze = br.fit_distribution(X, boundary="squeeze")  # the textbook map
    assert squeeze.values == br.fit_distribution((X * 12.0 + 0.5) / 13.0).values
    assert squeeze.boundary.n_moved == np.count_nonzero(X != 0.5)
    rule = br.fit_distribution(X, boundary="censor", resolution=0.1).boundary
    # 0, 0, 0.05, 0.1 and 0.9, 1
    assert (rule.n_censored_low, rule.n_censored_high, rule.resolution) == (4, 2, 0.1)
    assert (rule.n_zero, rule.n_one) == (2, 1)
    assert br.fit_distribution(INSIDE, boundary="censor", resolution=1e-6).values == base.values
    # Edges of Matlab touch exact zeros and ones, and what is below 2**-511.
    matlab = br.fit_distribution([*INSIDE, 1e-200, 1.0 - 2.0**-53], boundary="matlab").boundary
    assert (matlab.n_censored_low, matlab.n_censored_high) == (1, 0)
    for family in ("normal", "empirical"):
        assert br.fit_distribution(X, family).boundary is None


@pytest.mark.parametrize("row", TABLE["fits"], ids=lambda r: f"{r['boundary']} {r['resolution']}")
def test_censored_and_cell_likelihoods_against_mpmath(row):
    """tests/reference/make_beta_mle.py: 40 digits, its own incomplete beta and derivatives."""
    fit = br.fit_distribution(X, boundary=row["boundary"], resolution=row["resolution"])
    assert fit.values == approx([float(row["a"]), float(row["b"])], rel=1e-9)
    cov = [fit.cov[0, 0], fit.cov[0, 1], fit.cov[1, 1]]
    assert cov == approx(list(map(float, row["cov"])), rel=1e-6)
    assert fit.log_likelihood == approx(float(row["log_likelihood"]), rel=1e-12)
    assert fit.converged
    assert fit.gradient_norm <= 1e-9
    assert isinstance(fit.distribution, br.Beta)


def test_both_classes_share_one_warning_and_one_rule():
    scores = br.Scores(np.append(INSIDE, [1.0] * 3), np.append(INSIDE**2, [0.0] * 2))
    fit, messages = caught_by(br.fit, scores)
    ((category, text),) = messages.items()
    assert category is br.BoundaryWarning
    assert "client: of 13 scores 3 exactly 1.0" in text
    assert "impostor: of 12 scores 2 exactly 0.0" in text
    assert len(text) <= 400
    assert (fit.client.params["at_one"], fit.impostor.params["at_zero"]) == (3 / 13, 2 / 12)
    assert fit == br.fit(scores, boundary="inflate")
    assert "0 scores of exactly 0, 3 of exactly 1" in str(fit.summary())


def test_ends_beside_a_logit_normal_distribution():
    z, fit = np.log(INSIDE / (1 - INSIDE)), br.fit_distribution(X, "logit-normal", boundary="drop")
    assert fit.values == approx((z.mean(), z.std()), rel=1e-13)
    with pytest.warns(br.BoundaryWarning, match="beside a logit-normal distribution"):
        fit = br.fit_distribution(X, "logit-normal")
    assert list(fit.params) == ["mu", "sigma", "at_zero", "at_one"]
    edge = math.log(0.01 / 0.99)

    def negative(p):
        at, below, above = ((v - p[0]) / math.exp(p[1]) for v in (z, edge, -edge))
        inside = -0.5 * at @ at - z.size * (p[1] + 0.5 * math.log(2 * math.pi))
        return -float(inside + 2 * log_ndtr(below) + log_ndtr(-above))

    options = {"xatol": 1e-9, "fatol": 1e-13, "maxiter": 4000}
    best = optimize.minimize(negative, [0.0, 0.5], method="Nelder-Mead", options=options)
    fit = br.fit_distribution(X, "logit-normal", **CENSOR)
    assert fit.params["mu"] == approx(best.x[0], abs=1e-6)
    assert fit.params["sigma"] == approx(math.exp(best.x[1]), rel=1e-6)
    jacobian = -float(np.log(INSIDE).sum() + np.log1p(-INSIDE).sum())
    assert fit.log_likelihood == approx(-best.fun + jacobian, rel=1e-10)


@pytest.mark.simulation
def test_cells_of_a_fine_resolution_are_the_scores_and_those_of_ends_hold_their_share():
    x = np.random.default_rng(1).beta(3.0, 5.0, 200)
    exact = br.fit_distribution(x)
    for step, tolerance in ((1e-2, 2e-3), (1e-9, 1e-9)):
        fit = br.fit_distribution(np.round(x / step) * step, resolution=step)
        assert fit.values == approx(exact.values, rel=tolerance)
        assert (fit.boundary.policy, fit.boundary.n_moved) == ("interval", 0)
    assert fit.log_likelihood - 200 * math.log(1e-9) == approx(exact.log_likelihood, rel=1e-6)
    off = br.fit_distribution([0.1, 0.2, 0.34, 0.4, 0.5, 0.6, 0.7, 0.81, 0.9, 0.3], resolution=0.1)
    assert off.boundary.n_moved == 2
    # The share of exact ends is what the cells of a U-shaped law hold.
    x = np.random.default_rng(2).beta(0.3, 0.4, 4000)
    fit = br.fit_distribution(np.round(x, 2), resolution=0.01)
    for name, truth in (("a", 0.3), ("b", 0.4)):
        assert abs(fit.params[name] - truth) <= 4.0 * fit.std_errors[name]
    assert fit.boundary.n_zero > 200


def test_cells_of_a_normal_distribution_by_a_search():
    x = np.round(np.random.default_rng(1).normal(-3, 1.2, 400))
    fit = br.fit_distribution(x, "normal", resolution=1.0)

    def loss(p):
        above, below = (ndtr((x + off - p[0]) / np.exp(p[1])) for off in (0.5, -0.5))
        return -float(np.sum(np.log(above - below)))

    best = optimize.minimize(loss, [-3.0, 0.0], method="BFGS", options={"gtol": 1e-8})
    assert fit.params["mu"] == approx(best.x[0], abs=1e-5)
    assert fit.params["sigma"] == approx(np.exp(best.x[1]), rel=1e-5)
    assert fit.log_likelihood == approx(-best.fun, rel=1e-10)
    # One score 12 standard deviations above: 1 - F is 0 there in doubles.
    x = np.append(np.round(np.random.default_rng(2).normal(0, 1, 4000)), 12.0)
    fit = br.fit_distribution(x, "normal", resolution=1.0)
    assert np.isfinite(fit.log_likelihood)
    assert 1.0 < fit.params["sigma"] < 1.1


@pytest.mark.parametrize(("family", "draw", "step"), [
    ("log-normal", lambda r: r.lognormal(1, 0.5, 2000), 0.5),
    ("gamma", lambda r: r.gamma(4, 1, 2000), 0.5),
    pytest.param("sinh-arcsinh", lambda r: np.sinh(r.normal(0.3, 1, 2000)), 0.25,
        marks=pytest.mark.simulation),
    pytest.param("logit-sinh-arcsinh", lambda r: expit(r.normal(0, 1, 2000)), 0.05,
        marks=pytest.mark.simulation),
    ("logit-normal", lambda r: expit(r.normal(0, 1, 2000)), 0.05),
])  # fmt: skip
def test_cells_give_back_what_rounding_took(family, draw, step):
    """Nearer to the fit of the scores before rounding than a half of its standard errors."""
    x = draw(np.random.default_rng(0))
    whole = br.fit_distribution(x, family)
    rounded = np.round(np.round(x / step) * step, 9)
    cells = br.fit_distribution(rounded, family, resolution=step)
    for name, error in whole.std_errors.items():
        assert abs(cells.params[name] - whole.params[name]) < 0.5 * error
        assert 0.95 * error < cells.std_errors[name] < 1.15 * error


@pytest.mark.simulation
@pytest.mark.parametrize(("draw", "args", "step"), [
    (lambda r, mean: np.clip(np.round(r.normal(mean, 1.5, 385)), 0, 10), (7, 3), 1.0),
    (lambda r, a: np.round(r.beta(a, 11 - a, 385), 2), (8, 3), 0.01),
    (lambda r, mean: np.round(r.lognormal(mean, 0.4, 385)) + 1, (2.5, 1.5), 1.0),
], ids=["questionnaire", "two decimals", "positive"])  # fmt: skip
@pytest.mark.parametrize("family", ["auto", pytest.param("best", marks=pytest.mark.nightly)])
def test_the_advice_for_rounded_scores_can_be_followed(draw, args, step, family):
    rng = np.random.default_rng(4)
    scores = br.Scores(*(draw(rng, arg) for arg in args))
    text = caught_by(br.fit, scores, family)[1][br.DiscretenessWarning]
    assert "pass resolution=" in text
    inside = (scores.client != 0) & (scores.client != 1) if step == 0.01 else slice(None)
    values = np.unique(scores.client[inside]).size
    assert f"client: only {values} distinct values among" in text
    fit, messages = caught_by(br.fit, scores, family, resolution=step)
    assert br.DiscretenessWarning not in messages
    for part in (fit.client, fit.impostor):
        assert part.boundary.policy == "interval"
        assert FAMILIES[part.family].of_density
    if family == "best" and args != (7, 3):  # which has too few values to hold out
        assert fit.reason.startswith("chosen as the best: ")


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")
def test_zeros_and_ones_are_ends_of_the_unit_interval_alone():
    values = np.repeat([0.0, 1.0, 2.0, 3.0, 10.0], 77)
    messages = caught_by(br.fit, br.Scores(values, values[::-1]), "normal")[1]
    assert "only 5 distinct values among 385 scores" in messages[br.DiscretenessWarning]
    thirds = np.arange(60) // 3 + 0.0
    messages = caught_by(br.fit, br.Scores(thirds + 1.0, thirds), "normal")[1]
    assert "only 20 distinct values among 60 scores" in messages[br.DiscretenessWarning]
