"""Where fits of mixtures start: shares that are shares, quantiles that stand for all scores."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.estimation.contract import Sample
from betaroc.estimation.mixture import (
    _first_shares,
    _maximised_rows,
    _row_responsibilities,
    _thinned,
)

SINGLE: Any = SimpleNamespace(distribution=br.Beta(2.0, 3.0))


@pytest.mark.parametrize("count", [2, 3, 5])
def test_each_score_is_shared_out_whole(count: int) -> None:
    values, weights = np.linspace(0.01, 0.99, 60), np.linspace(1.0, 2.0, 60)
    starts = list(_first_shares(values, weights, SINGLE, count))
    assert len(starts) == 15
    for shares in starts:
        assert shares.shape == (count, 60)
        np.testing.assert_allclose(shares.sum(axis=0), 1.0, rtol=1e-12)
        assert np.all(shares >= 0.0)
        assert np.all(shares @ weights > 0.0)


def test_cuts_give_most_of_a_score_to_one_component() -> None:
    """Of two components the cuts lie at a half raised to four powers, and at the rest to one."""
    values = np.linspace(0.01, 0.99, 1000)
    starts = list(_first_shares(values, np.ones(1000), SINGLE, 2))[2:10]
    firsts = [float(np.mean(shares[0] > 0.5)) for shares in starts]
    for power, cuts in zip((0.25, 0.5, 1.0), (firsts[2:4], firsts[4:6], firsts[6:8]), strict=True):
        assert cuts == pytest.approx([0.5**power, 1.0 - 0.5**power], abs=2e-3)
    assert [float(shares.max()) for shares in starts] == pytest.approx([0.999] * 2 + [0.95] * 6)


def test_many_scores_are_stood_for_by_quantiles() -> None:
    x = stats.beta(2, 3).ppf((np.arange(5000) + 0.5) / 5000)
    values, weights = _thinned(Sample.of("client", x, None), 100)
    assert values.size == weights.size == 100
    assert weights.sum() == pytest.approx(5000.0)
    assert np.average(values, weights=weights) == pytest.approx(0.4, abs=1e-3)
    assert weights[0] < 0.1 * weights[50] > weights[-1]
    below = np.cumsum(weights) - 0.5 * weights
    np.testing.assert_allclose(stats.beta(2, 3).cdf(values) * 5000, below, atol=1.0)
    few, copies = _thinned(Sample.of("client", np.array([0.2, 0.1, 0.2]), None), 100)
    assert (few.tolist(), copies.tolist()) == ([0.1, 0.2], [1.0, 2.0])


def test_shares_of_rows_are_those_of_bayes() -> None:
    x = np.array([[0.1, 0.4, 0.8], [0.2, 0.5, 0.95]])
    shares, a, b = (
        np.array(v) for v in ([[0.3, 0.7]] * 2, [[2.0, 5.0], [0.7, 3.0]], [[3.0, 1.5], [0.9, 4.0]])
    )
    found, total = _row_responsibilities(np.array([shares, a, b]), np.log(x), np.log1p(-x))
    for row in range(2):
        parts = np.array(
            [shares[row, k] * stats.beta(a[row, k], b[row, k]).pdf(x[row]) for k in range(2)]
        )
        np.testing.assert_allclose(found[:, row], parts / parts.sum(axis=0), rtol=1e-12)
        assert total[row] == pytest.approx(np.log(parts.sum(axis=0)).sum(), rel=1e-12)


def test_shares_that_are_whole_maximise_each_component_alone() -> None:
    """Scores that are one component's alone: its fit is that of a sample, its share a count."""
    x = np.concatenate([stats.beta(2, 8).ppf(np.linspace(0.05, 0.95, 30)),
                        stats.beta(9, 2).ppf(np.linspace(0.05, 0.95, 20))])  # fmt: skip
    own = np.zeros((2, 1, 50))
    own[0, 0, :30] = own[1, 0, 30:] = 1.0
    shares, a, b = _maximised_rows(own, np.log(x)[None], np.log1p(-x)[None])
    assert shares[0].tolist() == pytest.approx([0.6, 0.4])
    for k, part in enumerate((x[:30], x[30:])):
        known = br.fit_distribution(part, "beta").distribution
        assert (a[0, k], b[0, k]) == pytest.approx((known.a, known.b), rel=1e-8)
