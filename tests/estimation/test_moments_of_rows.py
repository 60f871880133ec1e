"""Moments that tell a misfit: nothing for a family's own quantiles, else known ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.core.thresholds import Thresholds
from betaroc.estimation.families import FAMILIES

P = (np.arange(40_000) + 0.5) / 40_000
COLUMNS = {
    "normal": (stats.norm(0.3, 1.7), (0.3, 1.7)),
    "beta": (stats.beta(2.5, 0.8), (2.5, 0.8)),
    "dual-beta": (stats.beta(2.5, 1.0), (2.5, 1.0)),
}


def even(x: np.ndarray) -> np.ndarray:
    return np.full(x.size, 1.0 / x.size)


def moments(family: str, parameters: tuple[float, ...], x: np.ndarray) -> np.ndarray:
    of_rows = FAMILIES[family].moments
    assert of_rows is not None
    return of_rows(tuple(np.array([[p]]) for p in parameters), x[None], even(x))[0]


@pytest.mark.parametrize("family", COLUMNS)
def test_quantiles_of_the_distribution_have_its_moments(family: str) -> None:
    law, parameters = COLUMNS[family]
    np.testing.assert_allclose(moments(family, parameters, law.ppf(P)), 0.0, atol=5e-3)


def test_of_normal_scores_they_are_skewness_and_excess_kurtosis() -> None:
    x = stats.gamma(3.0).ppf(P)
    found = moments("normal", (float(np.mean(x)), float(np.std(x))), x)
    np.testing.assert_allclose(found, [stats.skew(x), stats.kurtosis(x)], rtol=1e-9)


def test_of_beta_scores_they_are_covariances_of_the_logs_over_those_of_the_distribution() -> None:
    """Beta(1, 1): var log s = 1, cov = 1 - pi^2/6."""
    x, common = stats.beta(2.0, 3.0).ppf(P), 1.0 - np.pi**2 / 6.0
    own = np.cov(np.log(x), np.log1p(-x), bias=True)
    expected = [own[0, 0] - 1.0, own[0, 1] - common, own[1, 1] - 1.0]
    np.testing.assert_allclose(moments("beta", (1.0, 1.0), x), expected, rtol=1e-9)


def test_of_powers_it_is_half_the_mean_square_less_one() -> None:
    """s^p has -p log s exponential, of mean square 2; of the impostors the same of 1 - s."""
    x = stats.beta(2.0, 1.0).ppf(P)
    expected = 0.5 * float(np.mean((5.0 * np.log(x)) ** 2)) - 1.0
    assert moments("dual-beta", (5.0, 1.0), x) == pytest.approx([expected], rel=1e-9)
    assert moments("dual-beta", (1.0, 5.0), 1.0 - x) == pytest.approx([expected], rel=1e-6)


def test_of_a_mixture_they_sum_over_components_to_those_of_one() -> None:
    """Equal components share each score: each has its share of the products of Beta(2, 3)."""
    of_rows = FAMILIES["beta-mixture"].moments
    assert of_rows is not None
    x = stats.beta(2.0, 3.0).ppf(P)[None]
    columns = tuple(np.array([[v]]) for v in (0.3, 2.0, 3.0, 2.0, 3.0))  # w_1, a_1, b_1, a_2, b_2
    np.testing.assert_allclose(of_rows(columns, x, even(x[0])), 0.0, atol=5e-3)
    y = stats.beta(1.0, 1.0).ppf(P)
    found = of_rows(columns, y[None], even(y))[0].reshape(2, 3)
    np.testing.assert_allclose(found[0] / found[1], 3.0 / 7.0, rtol=1e-9)
    # psi(2) - psi(5) = -(1/2 + 1/3 + 1/4), and var log s of Beta(2, 3) is 1/4 + 1/9 + 1/16.
    away = np.log(y) + 13.0 / 12.0
    expected = np.mean(away * away) - (1.0 / 4.0 + 1.0 / 9.0 + 1.0 / 16.0)
    assert found[:, 0].sum() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("a", "b"), [(2.0, 3.0), (0.4, 0.7), (30.0, 2.0), (5.0, 400.0), (0.01, 30.0), (1e-4, 2.0)]
)
def test_tails_of_rows_of_beta_scores_are_scipys(a: float, b: float) -> None:
    law, columns = stats.beta(a, b), {"a": np.array([[a]]), "b": np.array([[b]])}
    x = np.concatenate([law.ppf(P[::4000]), law.isf([1e-3, 1e-9]), [1e-12, 1e-9, 1.0 - 1e-6]])
    below, above = br.Beta(1, 1)._tail_rows(columns, Thresholds.from_theta(x[None]))
    np.testing.assert_allclose(below[0], law.cdf(x), rtol=1e-10)
    np.testing.assert_allclose(above[0], law.sf(x), rtol=1e-8)
