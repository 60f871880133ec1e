"""Moments of samples and of their misfit, and what tables of systems say of each, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import betaroc as br
from betaroc.core.thresholds import Thresholds
from betaroc.estimation.contract import Sample
from betaroc.estimation.families import FAMILIES

P = (np.arange(40_000) + 0.5) / 40_000


def moments(family, parameters, x):
    columns = tuple(np.array([[p]]) for p in parameters)
    return FAMILIES[family].moments(columns, x[None], np.full(x.size, 1.0 / x.size))[0]


@pytest.mark.parametrize(("family", "law", "parameters"), [
    ("normal", stats.norm(0.3, 1.7), (0.3, 1.7)),
    ("beta", stats.beta(2.5, 0.8), (2.5, 0.8)),
    ("dual-beta", stats.beta(2.5, 1.0), (2.5, 1.0)),
    ("beta-mixture", stats.beta(2.0, 3.0), (0.3, 2.0, 3.0, 2.0, 3.0)),
])  # fmt: skip
def test_quantiles_of_the_distribution_have_its_moments(family, law, parameters):
    assert_allclose(moments(family, parameters, law.ppf(P)), 0.0, atol=5e-3)


def test_of_normal_scores_they_are_skewness_and_excess_kurtosis():
    x = stats.gamma(3.0).ppf(P)
    values = moments("normal", (float(np.mean(x)), float(np.std(x))), x)
    assert_allclose(values, [stats.skew(x), stats.kurtosis(x)], rtol=1e-9)


def test_of_beta_scores_they_are_covariances_of_the_logs_over_those_of_the_distribution():
    """Beta(1, 1): var log s = 1, cov = 1 - pi^2/6."""
    x, common = stats.beta(2.0, 3.0).ppf(P), 1.0 - np.pi**2 / 6.0
    cov = np.cov(np.log(x), np.log1p(-x), bias=True)
    expected = [cov[0, 0] - 1.0, cov[0, 1] - common, cov[1, 1] - 1.0]
    assert_allclose(moments("beta", (1.0, 1.0), x), expected, rtol=1e-9)


def test_of_powers_it_is_half_the_mean_square_less_one():
    """s^p has -p log s exponential, of mean square 2; of the impostors the same of 1 - s."""
    x = stats.beta(2.0, 1.0).ppf(P)
    expected = 0.5 * float(np.mean((5.0 * np.log(x)) ** 2)) - 1.0
    assert moments("dual-beta", (5.0, 1.0), x) == pytest.approx([expected], rel=1e-9)
    assert moments("dual-beta", (1.0, 5.0), 1.0 - x) == pytest.approx([expected], rel=1e-6)


def test_of_a_mixture_they_sum_over_components_to_those_of_one():
    """Equal components share each score: each has its share of the products of Beta(2, 3)."""
    y = stats.beta(1.0, 1.0).ppf(P)
    parts = moments("beta-mixture", (0.3, 2.0, 3.0, 2.0, 3.0), y).reshape(2, 3)
    assert_allclose(parts[0] / parts[1], 3.0 / 7.0, rtol=1e-9)
    # psi(2) - psi(5) = -(1/2 + 1/3 + 1/4), and var log s of Beta(2, 3) is 1/4 + 1/9 + 1/16.
    expected = np.mean((np.log(y) + 13.0 / 12.0) ** 2) - (1.0 / 4.0 + 1.0 / 9.0 + 1.0 / 16.0)
    assert parts[:, 0].sum() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("a", "b"), [(2.0, 3.0), (0.4, 0.7), (30.0, 2.0), (5.0, 400.0), (0.01, 30.0), (1e-4, 2.0)]
)
def test_tails_of_rows_of_beta_scores_are_scipys(a, b):
    law, columns = stats.beta(a, b), {"a": np.array([[a]]), "b": np.array([[b]])}
    x = np.concatenate([law.ppf(P[::4000]), law.isf([1e-3, 1e-9]), [1e-12, 1e-9, 1.0 - 1e-6]])
    below, above = br.Beta(1, 1)._tail_rows(columns, Thresholds.from_theta(x[None]))
    assert_allclose(below[0], law.cdf(x), rtol=1e-10)
    assert_allclose(above[0], law.sf(x), rtol=1e-8)


def test_means_and_deviations_of_weights_are_those_of_copies():
    x, w = np.array([1.0, 2.0, 4.0]), np.array([3.0, 2.0, 1.0])
    copies = np.repeat(x, w.astype(int))
    known = np.array([copies.mean(), copies.std()])
    assert Sample.of("", x, w).moments() == pytest.approx(known)
    assert Sample.of("", copies, None).moments() == pytest.approx(known)
    assert Sample.of("", 1e300 * x, w).moments() == pytest.approx(1e300 * known)
    assert Sample.of("", np.full(3, 0.75), None).moments() == (0.75, 0.0)
    many = np.arange(150_000) % 7 + 0.5
    for weights in (None, 2.0 * np.ones(many.size)):
        assert Sample.of("", many, weights).mean(many) == pytest.approx(np.mean(many), rel=1e-12)
    fit = br.fit_distribution(3.0 + P, "normal")
    s2 = float(np.var(P))
    assert_allclose(fit.cov, np.diag([s2 / P.size, s2 / (2 * P.size)]))
    assert fit.std_errors["mu"] == pytest.approx(np.sqrt(s2 / P.size))


@pytest.mark.filterwarnings("ignore::betaroc.BetarocWarning")
def test_each_system_without_a_fit_has_its_reason():
    fine, rest = {"client": [0.4, 0.6, 0.9], "impostor": [0.1, 0.2, 0.7]}, "needed strictly between"
    systems = {
        "fine": ({}, ""),
        "one inside": ({"client": [0.4, 1.0, 1.0]}, f"{rest} 0 and 1; got 1"),
        "equal": ({"impostor": [0.3, 0.3]}, f"{rest} 0 and 1; got 2, all equal to 0.3"),
        "per cent": ({"client": [0.0, 60.0, 100.0]},
                     "2 of 3 scores outside [0, 1], as of percentages: divide by 100"),
        "per cent of many": ({"client": [40.0, 60.0, 90.0]},
                     "client: 3 of 3 scores outside [0, 1], as of percentages: divide by 100"),
        "outside": ({"client": [0.4, 0.6, -1.5]}, "1 of 3 scores outside [0, 1]"),
    }  # fmt: skip
    frame = pd.DataFrame([
        {"system": name, "score": float(s), "label": int(who == "client")}
        for name, (other, _) in systems.items() for who, values in (fine | other).items()
        for s in values
    ])  # fmt: skip
    table, lines = (
        br.fit_many(frame, family=family).set_index("system")["reason"].to_dict()
        for family in ("beta", "normal")
    )
    for name, (_, words) in systems.items():
        assert table[name].endswith(words)
    assert table["fine"] == ""
    equal = "impostor: at least 2 distinct scores are needed; got 2, all equal to 0.3"
    assert lines == dict.fromkeys(systems, "") | {"equal": equal}
