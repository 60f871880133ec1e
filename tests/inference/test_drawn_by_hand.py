"""Replicates, counts and bins against formulas of their own."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.core.options import IntervalOptions
from betaroc.inference.intervals import intervals_of_fit, tail_interval
from betaroc.inference.of_scores import CountedScores, line_of
from betaroc.model.statistics import EvaluationPoint, parse_statistic

P = (np.arange(40) + 0.5) / 40
CLIENT, IMPOSTOR = stats.beta(5, 2).ppf(P), stats.beta(2, 5).ppf(P)


# ----------------------------------------------------------------------------------- bins
@pytest.mark.parametrize(("level", "ends"), [(0.999, (0.1, 0.9)), (0.9999, (-np.inf, np.inf))])
def test_a_threshold_may_lie_beyond_all_scores_where_few_gaps_are_unlikely(
    level: float, ends: tuple[float, float]
) -> None:
    """Four a class: all accepted, the deviance from FAR = FRR = 1/2 is 16 log 2 = 11.1."""
    scores = br.Scores([0.2, 0.6, 0.8, 0.9], [0.1, 0.3, 0.4, 0.7])
    inside = stats.chi2(1).ppf(level) > 16.0 * np.log(2.0)
    found = br.interval(scores, "threshold", at="eer", level=level)
    assert (found.low, found.high) == ends
    assert np.isinf(found.low) == inside


def test_a_rate_far_out_is_refused_beside_one_that_was_not_asked_for() -> None:
    """The FRR of a TPR at a FAR was not asked for; the FAR itself lies beyond all scores."""
    p = (np.arange(800) + 0.5) / 800
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        fit = br.fit(br.Scores(stats.logistic(2).ppf(p), stats.logistic.ppf(p)), "normal",
                     tails="upper")  # fmt: skip
        for point in ({"far": 1e-5}, {"frr": 1.0 - 1e-5}):
            with pytest.raises(br.InputError, match=r"must expect at least 0\.1 of 800"):
                fit.interval("hter", **point)


def test_tied_scores_leave_several_gaps_possible() -> None:
    """Gaps with FAR, FRR = 1, 0; 2/5, 1/10; 1/25, 1/2; 0, 1.

    FAR = FRR = 24/90 at the second: standard error .094 of their difference, and .3 + 1.96 .094
    reaches the third's .46. A FAR that is given lies in one step; of those beside it the deviance
    tells which are possible.
    """
    scores = br.Scores(
        np.repeat([0.0, 1.0, 2.0], [4, 16, 20]), np.repeat([0.0, 1.0, 2.0], [30, 18, 2])
    )
    counted = CountedScores(scores)
    model = counted.model
    assert counted.tied(line_of(EvaluationPoint("at", "eer"), 0.5), model.eer(), 0.95).tolist() == [
        1,
        2,
    ]
    for far, near in ((0.2, [2]), (0.1, [2, 3]), (0.5, [1, 2])):
        steps = [stats.entropy([q, 1 - q], [far, 1 - far]) for q in (
            max(far, 0.4), min(max(far, 0.04), 0.4), min(far, 0.04))]  # fmt: skip
        likely = [k + 1 for k in range(3) if 100.0 * steps[k] <= stats.chi2(1).ppf(0.95)]
        assert likely == near
        found = counted.tied(line_of(EvaluationPoint("far", far), 0.5), model.at_far(far), 0.95)
        assert found.tolist() == near


@pytest.mark.simulation
@pytest.mark.parametrize(("n", "m"), [(12, 300), (300, 12)])
def test_a_balanced_threshold_lies_where_equal_rates_are_likely(n: int, m: int) -> None:
    """Of all gaps those whose deviance from the likeliest FAR = FRR is below chi^2's quantile."""
    client = stats.norm(1.5).ppf((np.arange(n) + 0.5) / n)
    impostor = stats.norm().ppf((np.arange(m) + 0.3) / m)
    places = np.sort(np.r_[client, impostor])
    likely = []
    for k in range(n + m + 1):
        t = places[k - 1] if k else -np.inf
        far, frr = np.mean(impostor > t), np.mean(client <= t)
        e = (m * far + n * frr) / (m + n)
        deviance = 2.0 * (m * stats.entropy([far, 1 - far], [e, 1 - e])
                          + n * stats.entropy([frr, 1 - frr], [e, 1 - e]))  # fmt: skip
        if deviance <= stats.chi2(1).ppf(0.95):
            likely.append(k)
    found = br.interval(br.Scores(client, impostor), "threshold", at="eer")
    assert (found.low, found.high) == (places[likely[0] - 1], places[likely[-1]])


# ----------------------------------------------------------------------
PLACES = (np.arange(40) + 0.5) / 40


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
    scores = br.Scores(
        np.round(stats.norm(1, 1).ppf(PLACES), 1), np.round(stats.norm(0, 1).ppf(PLACES), 1)
    )
    found = br.interval(scores, "threshold", at="eer", method="bootstrap", rng=1, replicates=200)
    values = np.unique(np.concatenate([scores.client, scores.impostor]))
    above = values[values > found.estimate].min()
    below = values[values <= found.estimate].max()
    assert found.low <= below < found.estimate < above <= found.high


def test_equal_spread_fits_keep_their_covariance_beside_trials_without_a_score() -> None:
    """The share without a score is a binomial one, and covaries with nothing."""
    scores = br.Scores(2.0 + PLACES, PLACES, n_client_rejected=10, n_impostor_rejected=5)
    f = br.fit(scores, "equal-variance-normal")
    g = br.fit(br.Scores(2.0 + PLACES, PLACES), "equal-variance-normal")
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
