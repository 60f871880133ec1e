"""Scores of exactly 0 and 1, and rounded scores: the rule is obeyed, counted and never silent."""

from __future__ import annotations

import json
import math
import pickle
import warnings

import numpy as np
import pytest

import betaroc as br
from betaroc import BoundaryWarning, DegenerateDataError, InputError, InputTypeError
from helpers.places import REFERENCES

ENDS = json.loads((REFERENCES / "beta_mle.json").read_text())["ends"]
X = np.array(ENDS["scores"])  # 13 scores: two of exactly 0, one of exactly 1
INSIDE = X[(X > 0.0) & (X < 1.0)]


# ------------------------------------------------------------------------ point masses
def test_default_is_point_masses_with_a_warning():
    with pytest.warns(BoundaryWarning) as caught:
        fit = br.fit_distribution(X)
    text = str(caught[0].message)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert "sample: of 13 scores 2 exactly 0.0 and 1 exactly 1.0 (first at index 0)" in text
    assert "0.1538 and 0.07692" in text  # 2/13 and 1/13
    for other in ('"error"', '"censor"', '"squeeze"', '"drop"'):
        assert other in text
    assert fit.distribution == br.Inflated(
        br.Beta(fit.params["a"], fit.params["b"]), at_zero=2 / 13, at_one=1 / 13
    )
    assert list(fit.params) == ["a", "b", "at_zero", "at_one"]
    rule = fit.boundary
    assert (rule.policy, rule.n_zero, rule.n_one, rule.n_dropped) == ("inflate", 2, 1, 0)


def test_inflate_asked_for_is_silent_and_the_same():
    fit = br.fit_distribution(X, boundary="inflate")
    with pytest.warns(BoundaryWarning):
        assert br.fit_distribution(X) == fit
    base = br.fit_distribution(INSIDE)
    assert fit.values[:2] == base.values
    # the multinomial of (2, 1, 10) and the beta likelihood of the ten inside
    masses = 2 * math.log(2 / 13) + math.log(1 / 13) + 10 * math.log(10 / 13)
    assert fit.log_likelihood == pytest.approx(base.log_likelihood + masses, rel=1e-13)
    np.testing.assert_allclose(fit.cov[:2, :2], base.cov, rtol=1e-13)
    p0, p1 = 2 / 13, 1 / 13
    expected = np.array([[p0 * (1 - p0), -p0 * p1], [-p0 * p1, p1 * (1 - p1)]]) / 13
    np.testing.assert_allclose(fit.cov[2:, 2:], expected, rtol=1e-13)
    assert not fit.cov[:2, 2:].any()
    assert fit.aic == pytest.approx(8.0 - 2.0 * fit.log_likelihood)


def test_weights_are_copies_at_the_ends_too():
    k = np.arange(1, 14)
    for options in ({"boundary": p} for p in ("inflate", "drop", "squeeze", "matlab")):
        weighted = br.fit_distribution(X, weights=k, **options)
        copies = br.fit_distribution(np.repeat(X, k), **options)
        assert weighted.values == pytest.approx(copies.values, rel=1e-9)
        np.testing.assert_allclose(weighted.cov, copies.cov, rtol=1e-6, atol=1e-15)
    weights = np.ones(13)
    weights[0] = 0.0
    with pytest.warns(BoundaryWarning, match="of 12 scores 1 exactly 0.0.*first at index 1"):
        br.fit_distribution(X, weights=weights)


# ----------------------------------------------------------------------- other policies
def test_error_names_counts_and_first_index():
    with pytest.raises(InputError, match="2 scores of exactly 0 and 1 of exactly 1 among 13") as e:
        br.fit_distribution(X[::-1], boundary="error")
    assert "first at index 0" in str(e.value)
    assert br.fit_distribution(INSIDE, boundary="error").boundary.policy == "error"


def test_drop_leaves_them_out_and_counts():
    fit = br.fit_distribution(X, boundary="drop")
    base = br.fit_distribution(INSIDE)
    assert fit.values == base.values
    assert fit.cov.tolist() == base.cov.tolist()
    assert (fit.n, fit.total_weight, fit.boundary.n_dropped) == (10, 10.0, 3)


def test_squeeze_is_the_textbook_map():
    fit = br.fit_distribution(X, boundary="squeeze")
    by_hand = br.fit_distribution((X * 12.0 + 0.5) / 13.0)
    assert fit.values == by_hand.values
    assert fit.boundary.n_moved == np.count_nonzero(X != 0.5)
    with pytest.raises(InputError, match="total weight above 1"):
        br.fit_distribution([0.1, 0.9], weights=[0.3, 0.4], boundary="squeeze")


@pytest.mark.parametrize("row", ENDS["fits"], ids=lambda r: f"{r['boundary']} {r['resolution']}")
def test_censored_and_cell_likelihoods_against_mpmath(row):
    """tests/reference/make_beta_mle.py: 40 digits, its own incomplete beta and derivatives."""
    fit = br.fit_distribution(X, boundary=row["boundary"], resolution=row["resolution"])
    assert fit.params["a"] == pytest.approx(float(row["a"]), rel=1e-9)
    assert fit.params["b"] == pytest.approx(float(row["b"]), rel=1e-9)
    cov = [float(c) for c in row["cov"]]
    assert [fit.cov[0, 0], fit.cov[0, 1], fit.cov[1, 1]] == pytest.approx(cov, rel=1e-6)
    assert fit.log_likelihood == pytest.approx(float(row["log_likelihood"]), rel=1e-12)
    assert fit.converged
    assert fit.gradient_norm <= 1e-9
    assert isinstance(fit.distribution, br.Beta)


def test_censoring_counts_scores_at_and_beyond_the_edge():
    fit = br.fit_distribution(X, boundary="censor", resolution=0.1)
    rule = fit.boundary  # 0, 0, 0.05, 0.1 and 0.9, 1
    assert (rule.n_censored_low, rule.n_censored_high, rule.resolution) == (4, 2, 0.1)
    assert (rule.n_zero, rule.n_one) == (2, 1)
    nothing = br.fit_distribution(INSIDE, boundary="censor", resolution=1e-6)
    assert nothing.values == br.fit_distribution(INSIDE).values


def test_matlab_edges_touch_exact_zeros_and_ones_only():
    inside = np.append(INSIDE, [1e-200, 1.0 - 2.0**-53])
    fit = br.fit_distribution(inside, boundary="matlab")
    assert (fit.boundary.n_censored_low, fit.boundary.n_censored_high) == (1, 0)  # 1e-200 < 2**-511


def test_logit_normal_obeys_the_same_rules():
    from scipy.optimize import minimize
    from scipy.stats import norm

    z = np.log(INSIDE / (1 - INSIDE))
    fit = br.fit_distribution(X, "logit-normal", boundary="drop")
    assert fit.params["mu"] == pytest.approx(z.mean(), rel=1e-13)
    assert fit.params["sigma"] == pytest.approx(z.std(), rel=1e-13)
    with pytest.warns(BoundaryWarning, match="beside a logit-normal distribution"):
        fit = br.fit_distribution(X, "logit-normal")
    assert list(fit.params) == ["mu", "sigma", "at_zero", "at_one"]

    edge = math.log(0.01 / 0.99)

    def negative(p):
        body = norm.logpdf(z, p[0], math.exp(p[1])).sum()
        low, high = norm.logcdf(edge, p[0], math.exp(p[1])), norm.logsf(-edge, p[0], math.exp(p[1]))
        return -(body + 2 * low + high)

    best = minimize(negative, [0.0, 0.5], method="Nelder-Mead", options={"xatol": 1e-9,
                    "fatol": 1e-13, "maxiter": 4000})  # fmt: skip
    fit = br.fit_distribution(X, "logit-normal", boundary="censor", resolution=0.01)
    assert fit.params["mu"] == pytest.approx(best.x[0], abs=1e-6)
    assert fit.params["sigma"] == pytest.approx(math.exp(best.x[1]), rel=1e-6)
    jacobian = -float(np.log(INSIDE).sum() + np.log1p(-INSIDE).sum())
    assert fit.log_likelihood == pytest.approx(-best.fun + jacobian, rel=1e-10)


# ----------------------------------------------------------------------- rounded scores
def test_fine_cells_tend_to_the_density_likelihood():
    x = np.random.default_rng(1).beta(3.0, 5.0, 200)
    exact = br.fit_distribution(x)
    for step, tolerance in ((1e-2, 2e-3), (1e-3, 1e-3), (1e-5, 1e-5), (1e-9, 1e-9)):
        fit = br.fit_distribution(np.round(x / step) * step, resolution=step)
        assert fit.values == pytest.approx(exact.values, rel=tolerance)
        assert fit.boundary.policy == "interval"
        assert fit.boundary.n_moved == 0
    per_cell = fit.log_likelihood - 200 * math.log(1e-9)
    assert per_cell == pytest.approx(exact.log_likelihood, rel=1e-6)


def test_rounding_to_0_and_1_does_not_bias_the_cells():
    """The share of exact ends is what the cells of a U-shaped law hold."""
    x = np.random.default_rng(2).beta(0.3, 0.4, 20_000)
    fit = br.fit_distribution(np.round(x, 2), resolution=0.01)
    for name, truth in (("a", 0.3), ("b", 0.4)):
        assert abs(fit.params[name] - truth) <= 4.0 * fit.std_errors[name]
    assert fit.boundary.n_zero > 1000


def test_scores_off_the_grid_are_counted():
    fit = br.fit_distribution([0.1, 0.2, 0.34, 0.4, 0.5, 0.6, 0.7, 0.81, 0.9, 0.3], resolution=0.1)
    assert fit.boundary.n_moved == 2


def test_a_resolution_coarser_than_the_spread_is_named():
    for x, step in (([0.41, 0.44, 0.46, 0.45] * 5, 0.1), ([0.0, 1.0] * 10, 0.3)):
        with pytest.raises(DegenerateDataError, match=r"finer than the spread.*resolution=0") as e:
            br.fit_distribution(x, resolution=step)
        assert len(str(e.value)) <= 400


# ------------------------------------------------------------------------------ errors
def test_everything_at_an_end_has_no_law_inside():
    x = [0.0, 1.0, 1.0, 1.0] * 5
    for policy in (None, "inflate", "drop"):
        with pytest.raises(DegenerateDataError, match="5 of 20 are exactly 0, 15 of 20 exactly 1"):
            br.fit_distribution(x, boundary=policy)
    for options in ({"boundary": "matlab"}, {"boundary": "censor", "resolution": 1e-6}):
        with pytest.raises(DegenerateDataError, match="5 of 20 scores are censored"):
            br.fit_distribution(x, **options)
    with pytest.raises(DegenerateDataError, match="1 of one value"):
        br.fit_distribution([*x, 0.5])
    # with so large an a and so small a b, doubles round to exactly 1
    rounded = 1.0 - np.exp(-np.random.default_rng(0).exponential(1e3, 50) - 40.0)
    with pytest.raises(DegenerateDataError, match=r"50 of 50 exactly 1, .*1 - score"):
        br.fit_distribution(rounded)


@pytest.mark.parametrize("family", ["normal", "empirical"])
def test_a_rule_for_an_unbounded_family_is_refused(family):
    with pytest.raises(InputError, match=f'boundary must be left out for family="{family}"'):
        br.fit_distribution(X, family, boundary="drop")
    if family == "empirical":
        with pytest.raises(InputError, match="resolution must be left out"):
            br.fit_distribution(X, family, resolution=0.1)
    assert br.fit_distribution(X, family).boundary is None


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"boundary": "inflat"}, InputError, "Did you mean 'inflate'"),
        ({"boundary": 1}, InputTypeError, "boundary must be one of"),
        ({"boundary": "censor"}, InputError, "must come with resolution=eps"),
        ({"boundary": "drop", "resolution": 0.1}, InputError, "alone or with"),
        ({"resolution": 0.0}, InputError, "strictly between 0 and 0.5"),
        ({"resolution": math.nan}, InputError, "resolution must be a finite number"),
        ({"resolution": "x"}, InputTypeError, "resolution must be a finite number"),
    ],
)
def test_contradictory_options(options, error, text):
    with pytest.raises(error, match=text) as caught:
        br.fit_distribution(X, **options)
    assert len(str(caught.value)) <= 400


# --------------------------------------------------------------------------- two classes
def test_both_classes_share_one_warning_and_one_rule():
    scores = br.Scores(np.append(INSIDE, [1.0] * 3), np.append(INSIDE**2, [0.0] * 2))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = br.fit(scores)
    assert [w.category for w in caught] == [BoundaryWarning]
    text = str(caught[0].message)
    assert "client: of 13 scores 3 exactly 1.0" in text
    assert "impostor: of 12 scores 2 exactly 0.0" in text
    assert len(text) <= 400
    assert fit.client.params["at_one"] == 3 / 13
    assert fit.impostor.params["at_zero"] == 2 / 12
    silent = br.fit(scores, boundary="inflate")
    assert silent == fit
    assert pickle.loads(pickle.dumps(fit)) == fit
    assert "0 scores of exactly 0, 3 of exactly 1" in str(fit.summary())
