"""Detection costs, normalized and actual, by hand and by the theorem of calibrated scores."""

from __future__ import annotations

import math

import pytest
from scipy.stats import norm

import betaroc as br

#: Normal distributions of one variance v and means at +-v/2 are their own log-likelihood ratio.
CALIBRATED = br.ScoreModel(br.Normal(2, 2), br.Normal(-2, 2))
COSTS = [(1.0, 1.0, 0.5), (1.0, 10.0, 0.01), (2.0, 1.0, 0.3), (1.0, 1.0, 0.01)]


@pytest.mark.parametrize(("cost_fa", "cost_fr", "prior"), COSTS)
def test_a_calibrated_score_has_its_least_cost_where_costs_and_prior_say(
    cost_fa: float, cost_fr: float, prior: float
) -> None:
    actual = CALIBRATED.actual_dcf(cost_fa, cost_fr, prior=prior)
    least = CALIBRATED.min_dcf(cost_fa, cost_fr, prior=prior)
    assert actual.prior == least.prior == prior
    assert actual.threshold == pytest.approx(math.log(cost_fa * (1 - prior) / (cost_fr * prior)))
    assert actual.threshold == pytest.approx(least.threshold, abs=1e-12)
    cost = cost_fr * prior * norm.cdf(actual.threshold, 2, 2)
    cost += cost_fa * (1 - prior) * norm.sf(actual.threshold, -2, 2)
    assert actual.dcf(cost_fa, cost_fr) == pytest.approx(cost, rel=1e-12)
    default = min(cost_fa * (1 - prior), cost_fr * prior)
    normalized = actual.dcf(cost_fa, cost_fr, normalized=True)
    assert normalized == pytest.approx(cost / default, rel=1e-12)
    assert normalized < 1.0


def test_a_shifted_score_costs_more_than_it_must() -> None:
    shifted = br.ScoreModel(br.Normal(4, 2), br.Normal(0, 2), prior=0.5)
    assert shifted.min_dcf().dcf() == pytest.approx(CALIBRATED.min_dcf().dcf(), rel=1e-12)
    cost = 0.5 * norm.cdf(0, 4, 2) + 0.5 * norm.sf(0, 0, 2)
    assert shifted.actual_dcf().dcf() == pytest.approx(cost, rel=1e-12)
    assert shifted.actual_dcf().dcf() > shifted.min_dcf().dcf()


def test_normalized_cost_by_hand() -> None:
    point = br.OperatingPoint(0.5, far=0.1, frr=0.2, prior=0.25)
    # 1 * 0.25 * 0.2 + 1 * 0.75 * 0.1 = 0.125; rejecting all costs 0.25.
    assert point.dcf(normalized=True) == pytest.approx(0.5)
    everybody = br.OperatingPoint(0.0, far=1.0, frr=0.0, prior=0.25)
    assert everybody.dcf(normalized=True) == pytest.approx(3.0)  # 0.75 / 0.25
    assert br.OperatingPoint(1.0, far=0.0, frr=1.0, prior=0.25).dcf(normalized=True) == 1.0
    assert math.isnan(br.OperatingPoint(1.0, far=0.0, frr=1.0, prior=0.0).dcf(normalized=True))


def test_scores_are_counted_at_the_actual_threshold() -> None:
    scores = br.Scores([-1, 0.5, 2, 3], [-3, -2, -0.5, 1, -1, -4, -5, -6])  # prior 1/3, theta log 2
    point = {"far": 1 / 8, "frr": 2 / 4}  # 1 > 0.69; -1 and 0.5 are not
    found = br.interval(scores, "actual-dcf")
    assert found.estimate == pytest.approx(point["frr"] / 3 + point["far"] * 2 / 3)
    assert found.low < found.estimate < found.high
    normalized = br.interval(scores, "actual-dcf-normalized")
    assert normalized.estimate == pytest.approx(3 * found.estimate)
    assert normalized.low == pytest.approx(3 * found.low)
    exact = br.interval(scores, "far", at="actual-dcf")
    assert exact == br.interval(scores, "far", threshold=math.log(2))


@pytest.mark.simulation
def test_fits_differences_plans_and_curves_know_them() -> None:
    assert br.statistics().set_index("name").loc["actual-dcf-normalized", "high"] == math.inf
    expected = CALIBRATED.min_dcf().dcf()
    for name, scale in (("actual-dcf", 1.0), ("min-dcf-normalized", 2.0)):
        plan = br.plan_sample_size(name, model=CALIBRATED, width=0.1)
        assert plan.estimate == pytest.approx(scale * expected)
    dev, test = br.Scores([1, 2, 3], [-2, 0, 1.5]), br.Scores([0, 1, 2], [-2, 0, 0.5])
    plain, normalized = (
        br.epc(dev, test, alpha=[0.3, 0.6], measure=m) for m in ("dcf", "dcf-normalized")
    )
    assert (2.0 * plain.value).tolist() == pytest.approx(normalized.value.tolist())


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: CALIBRATED.actual_dcf(0.0), "cost_fa must be a finite number > 0"),
        (lambda: CALIBRATED.actual_dcf(prior=1.0), "prior must lie strictly between 0 and 1"),
        (lambda: CALIBRATED.min_dcf(prior=1.5), "prior must"),
        (lambda: CALIBRATED.actual_dcf(prior=-1.0), "prior must"),
        (
            lambda: br.interval(br.Scores([1, 2], [0, 1.5]), "threshold", at="actual-dcf"),
            "at must be a point that scores decide",
        ),
    ],
)
def test_bad_input(ask, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(br.InputError, match=words):
        ask()
