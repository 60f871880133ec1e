"""Replicates, counts and bins against formulas of their own."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import optimize, stats

import betaroc as br
from betaroc.inference.delta import (
    profile_of_scores,
)
from betaroc.inference.of_scores import CountedScores, line_of
from betaroc.model.statistics import EvaluationPoint

P = (np.arange(40) + 0.5) / 40
CLIENT, IMPOSTOR = stats.beta(5, 2).ppf(P), stats.beta(2, 5).ppf(P)


# ----------------------------------------------------------------------------- likelihood
@pytest.mark.simulation
def test_a_profile_leaves_out_what_the_fit_dropped() -> None:
    """Twice the fall of the log-likelihood at an end, maximised over the other shape: chi^2."""
    all_of = np.r_[0.0, CLIENT, 1.0]
    fit = br.fit_distribution(all_of, "beta", boundary="drop")
    ends = profile_of_scores(fit, all_of, None, 0.95)

    def largest(a: float) -> float:
        found = optimize.minimize_scalar(
            lambda b: -stats.beta(a, b).logpdf(CLIENT).sum(), (0.5, 2.0), options={"xtol": 1e-10}
        )
        return -found.fun

    top = stats.beta(fit.params["a"], fit.params["b"]).logpdf(CLIENT).sum()
    for end in ends["a"]:
        assert 2.0 * (top - largest(end)) == pytest.approx(stats.chi2(1).ppf(0.95), rel=1e-5)


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
