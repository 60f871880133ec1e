"""Laws of every distribution, of shapes from 1e-2 to 1e4."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import betaroc as br
from helpers.laws import BETAS, CONTINUOUS, DISTRIBUTIONS, law

P = np.concatenate([np.geomspace(1e-12, 0.4, 12), [0.5], 1.0 - np.geomspace(0.4, 1e-9, 8)])


def inner(one: br.Distribution) -> np.ndarray:
    """Places in the bulk and in both tails, and just beside the point masses."""
    places = one.atoms.places
    beside = [places, np.nextafter(places, -np.inf), np.nextafter(places, np.inf)]
    return np.unique(np.concatenate([one.ppf(P), one.isf(P), *beside]))


@law(one=DISTRIBUTIONS)
def test_tails_quantiles_draws_and_moments(one) -> None:
    t = np.unique(np.concatenate([inner(one), np.linspace(*one.ppf([0.001, 0.999]), 33)]))
    np.testing.assert_allclose(one.cdf(t) + one.sf(t), 1.0, rtol=0.0, atol=1e-11)
    for tail, log, sign in ((one.cdf(t), one.logcdf(t), 1.0), (one.sf(t), one.logsf(t), -1.0)):
        assert np.all((tail >= 0.0) & (tail <= 1.0))
        assert np.all(sign * np.diff(tail) >= -1e-11 * np.maximum(tail[1:], tail[:-1]))
        np.testing.assert_allclose(np.exp(log), tail, rtol=1e-10, atol=1e-300)
    # Not less at the quantile, and not yet there below it.
    t = one.ppf(P)
    assert np.all(np.diff(t) >= 0.0)
    assert np.all(one.cdf(np.nextafter(t, np.inf)) >= P * (1.0 - 1e-9))
    assert np.all(one.cdf(np.nextafter(t, -np.inf)) <= P * (1.0 + 1e-9))
    (low, high), drawn = one.support, one.sample(20, rng=1)
    assert np.all((drawn >= low) & (drawn <= high))
    np.testing.assert_array_equal(drawn, one.sample(20, rng=1))
    assert low <= one.mean <= high
    assert one.var >= 0.0
    if np.isfinite(low) and np.isfinite(high):  # Popoviciu's inequality in its sharp form
        assert one.var <= (high - one.mean) * (one.mean - low) * (1.0 + 1e-9) + 1e-300


@law(one=CONTINUOUS)
def test_quantiles_invert_tails_where_doubles_tell_scores_apart(one) -> None:
    t = np.unique(np.concatenate([one.ppf(P), one.isf(P)]))
    t = t[(one.pdf(t) * np.spacing(np.abs(t)) < 1e-13) & (t != 0.0) & (t != 1.0)]
    for tail, inverse in ((one.cdf, one.ppf), (one.sf, one.isf)):
        share = tail(t)
        known = (share > 1e-300) & (share < 1.0 - 1e-4)
        np.testing.assert_allclose(tail(inverse(share[known])), share[known], rtol=1e-9)


@law(part=BETAS, share=st.floats(0.01, 0.99))
def test_a_mixture_of_one_distribution_is_that_distribution(part, share) -> None:
    mixed = br.BetaMixture((share, 1.0 - share), (part, part))
    t = inner(part)
    np.testing.assert_allclose(mixed.logcdf(t), part.logcdf(t), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(mixed.logsf(t), part.logsf(t), rtol=1e-12, atol=1e-15)
