"""Distributions in pieces, by the formulas of their pieces."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import betaroc as br


def test_tails_on_scores_leave_the_scores_between_them():
    """0, ..., 9 with 3/20 above 8 and 1/20 below 3/2, so that each between has 8/70 of all."""
    upper, lower = br.ParetoTail(0.15, 0.2, 1.5), br.ParetoTail(0.05, -0.5, 2.0, 1.5)
    law = br.Spliced(br.Empirical(np.arange(10.0)), lower=lower, upper=upper)

    def cdf(x):
        if x > 8.0:
            return 1.0 - 0.15 * (1.0 + 0.2 * (x - 8.0) / 1.5) ** -5.0
        below = 0.05 * max(1.0 - 0.5 * (1.5 - x) / 2.0, 0.0) ** 2
        return below if x < 1.5 else 0.05 + 8 / 70 * max(np.floor(x) - 1.0, 0.0)

    x = np.array([-3.0, -2.4, 0.0, 1.2, 1.5, 1.9, 2.0, 4.5, 7.0, 7.9, 8.0, 8.5, 11.0, 40.0])
    expected = np.array([cdf(value) for value in x])
    assert_allclose(law.cdf(x), expected, rtol=1e-13)
    assert_allclose(law.sf(x), 1.0 - expected, atol=1e-15)
    p = np.array([cdf(k) for k in range(2, 9)])
    for rates in (p, p - 1e-9):  # of a rate that is met exactly the score itself
        assert law.ppf(rates).tolist() == law.isf(1.0 - rates).tolist() == [*range(2, 9)]
    inside = np.array([cdf(value) for value in (-2.0, 0.5, 8.1, 20.0)])
    assert_allclose(law.ppf(inside), [-2.0, 0.5, 8.1, 20.0], rtol=1e-12)
    mean = 0.05 * (1.5 - 2.0 / 1.5) + 8 / 70 * 35.0 + 0.15 * (8.0 + 1.5 / 0.8)
    assert law.mean == pytest.approx(mean, rel=1e-9)
    assert (law.support, law.continuous[0]) == ((-2.5, np.inf), pytest.approx(0.2, rel=1e-14))
    body, x = br.Inflated(br.Beta(2.0, 3.0), 0.1), np.array([0.2, 0.6, 0.9])
    law = br.Spliced(body, upper=br.ParetoTail(0.02, 0.0, 0.5, 1.0))
    share, rest = law.continuous
    assert_allclose(rest.pdf(x), law.pdf(x) / share, rtol=1e-12)
    # Of u = 1 - t the worst is 2 u, of t it is 4 t^3; FAR ~ K TPR^rho beside 3 u^2 and 3 t^2.
    worst = br.results.WorstStratum((br.Beta(2.0, 1.0), br.Beta(3.0, 2.0)), upper=True)
    ends = br.ScoreModel(br.Beta(2.0, 2.0), worst).ends()
    found = ends.at_one.exponent, ends.at_one.coefficient, ends.at_zero.coefficient
    assert_allclose(found, [0.5, 2.0 / 3.0**0.5, 4.0 / 3.0**1.5])
