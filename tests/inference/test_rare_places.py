"""Intervals that ordinary scores never ask for."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.core.options import IntervalOptions
from betaroc.inference.intervals import intervals_of_fit, tail_interval
from betaroc.model.statistics import parse_statistic

P = (np.arange(40) + 0.5) / 40


def logistic(n: int = 800, seed: int = 2) -> br.Scores:
    rng = np.random.default_rng(seed)
    return br.Scores(rng.logistic(2.0, 1.0, n), rng.logistic(0.0, 1.0, n))


def test_intervals_near_a_joint_widen_with_the_level() -> None:
    """At a threshold a little beyond the joint a higher level reaches into the body."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        f = br.fit(logistic(), "normal", tails="upper")
        place = max(fit.joint for fit in f.impostor.tails[0].fits) + 1.2
        asked = parse_statistic("far", (), threshold=place)
        at = intervals_of_fit(f, asked, IntervalOptions(0.5, None, 100, True, 1))
        levels = (0.3, 0.5, 0.9, 0.9999, 0.9999999)
        all_of = [at(level) for level in levels]
        for one, other in itertools.pairwise(all_of):
            assert other.low < one.low < one.high < other.high
        assert [one.level for one in all_of] == list(levels)
        assert tail_interval(f, asked, levels[-2], groups=True) == all_of[-2]
        assert tail_interval(f, asked, levels[-1], groups=True) is None


def test_differences_of_fits_with_tails_have_a_p_value_that_fits_their_ends() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        fits = [br.fit(logistic(seed=k), "normal", tails="upper") for k in (2, 3)]
        found = br.difference(*fits, "far", threshold=2.6, paired=False)
    assert (found.p_value < 0.05) == (not found.low <= 0.0 <= found.high)


def test_a_threshold_by_bootstrap_holds_its_own_gap() -> None:
    scores = br.Scores(np.round(stats.norm(1, 1).ppf(P), 1), np.round(stats.norm(0, 1).ppf(P), 1))
    found = br.interval(scores, "threshold", at="eer", method="bootstrap", rng=1, replicates=200)
    values = np.unique(np.concatenate([scores.client, scores.impostor]))
    above = values[values > found.estimate].min()
    below = values[values <= found.estimate].max()
    assert found.low <= below < found.estimate < above <= found.high


def test_equal_spread_fits_keep_their_covariance_beside_trials_without_a_score() -> None:
    """The share without a score is a binomial one, and covaries with nothing."""
    scores = br.Scores(2.0 + P, P, n_client_rejected=10, n_impostor_rejected=5)
    f = br.fit(scores, "equal-variance-normal")
    g = br.fit(br.Scores(2.0 + P, P), "equal-variance-normal")
    cov = np.array(f.client.cov)
    np.testing.assert_allclose(cov[:2, :2], np.array(g.client.cov), rtol=1e-9)
    assert cov[2, 2] == pytest.approx(0.2 * 0.8 / 50)
    np.testing.assert_array_equal(cov[:2, 2], 0.0)
    shared = np.array(f.shared_cov)
    assert shared.shape == (3, 3)
    np.testing.assert_allclose(shared[:2, :2], np.array(g.shared_cov), rtol=1e-9)
    np.testing.assert_array_equal(shared[2], 0.0)
    np.testing.assert_array_equal(shared[:, 2], 0.0)
    np.testing.assert_allclose(np.array(f._scored.shared_cov), np.array(g.shared_cov), rtol=1e-9)
    interval, plain = (br.interval(x, "d-prime") for x in (f._scored, g))
    assert (interval.low, interval.high) == pytest.approx((plain.low, plain.high))
