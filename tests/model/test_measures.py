"""Every measure of an operating point: Murphy's tables, fractions by hand, limits and ranges."""

import math

import numpy as np
import pytest
from scipy.stats import norm

import betaroc as br
from betaroc.model.measures import MEASURES

P = br.OperatingPoint(0.5, far=1 / 10, frr=1 / 5, prior=1 / 4)  # tp .2, fn .05, fp .075, tn .675


@pytest.mark.parametrize(("name", "value"), [
    ("tnr", 9 / 10), ("sensitivity", 4 / 5), ("hter", 3 / 20), ("youden", 7 / 10),
    ("precision", 0.2 / 0.275), ("accuracy", 0.2 + 0.675), ("f1", 2 * 0.2 / (0.275 + 0.25)),
    ("mean_precision_recall", (0.2 / 0.275 + 0.8) / 2),
    ("mcc", (0.2 * 0.675 - 0.075 * 0.05) / math.sqrt(0.275 * 0.25 * 0.75 * 0.725)),
    ("mutual_information", sum(x * math.log(x / (row * column)) for x, row, column in (
        (0.2, 0.25, 0.275), (0.05, 0.25, 0.725), (0.075, 0.75, 0.275), (0.675, 0.75, 0.725)))),
])  # fmt: skip
def test_measures_by_hand(name, value):
    assert getattr(P, name) == pytest.approx(value, rel=1e-14)
    assert type(getattr(P, name)) is float


def test_measures_with_a_parameter_by_hand_and_of_small_rates():
    assert P.f(0.5) == P.f1
    assert P.f(1.0) == pytest.approx(P.precision)
    assert P.f(0.0) == pytest.approx(P.recall)
    # F_beta = (1 + beta^2) P R / (beta^2 P + R) with weight 1 / (1 + beta^2).
    assert P.f(1 / 5) == pytest.approx(5 * P.precision * P.recall / (4 * P.precision + P.recall))
    assert P.dcf(cost_fa=2.0, cost_fr=10.0) == pytest.approx(10 * 0.25 * 0.2 + 2 * 0.75 * 0.1)
    assert P.weighted_error(0.3) == pytest.approx(0.3 * 0.1 + 0.7 * 0.2)
    assert P.dcf() == pytest.approx(1.0 - P.accuracy)
    p = br.ScoreModel(br.Beta(3.0, 4.0), br.Beta(2.0, 5.0)).at_far(1e-200)
    assert p.tpr > 0.0
    assert p.far == pytest.approx(1e-200, rel=1e-10)
    assert p.precision == pytest.approx(p.tpr / (p.tpr + p.far), rel=1e-12)
    # Off the unit scale there is no logit.
    assert math.isnan(br.ScoreModel(br.Normal(1, 1), br.Normal(0, 1)).eer().logit_threshold)


def test_nothing_over_nothing_is_nan():
    reject = br.OperatingPoint(1.0, far=0.0, frr=1.0, prior=0.3)
    accept = br.OperatingPoint(0.0, far=1.0, frr=0.0, prior=0.3)
    undefined = (reject.precision, reject.mean_precision_recall, reject.mcc, accept.mcc)
    assert np.all(np.isnan(undefined))
    assert (reject.recall, reject.f1, reject.f(0.2)) == (0.0, 0.0, 0.0)
    assert accept.precision == pytest.approx(0.3)
    assert reject.mutual_information == accept.mutual_information == 0.0
    perfect = br.OperatingPoint(0.5, far=0.0, frr=0.0, prior=0.3)
    entropy = -0.3 * math.log(0.3) - 0.7 * math.log(0.7)
    assert perfect.mutual_information == pytest.approx(entropy, rel=1e-14)
    assert math.isnan(br.OperatingPoint(1.0, 0.0, 1.0, prior=0.0).dcf(normalized=True))
    for prior in (0.0, 1.0):  # one class only
        p = br.OperatingPoint(0.5, far=0.1, frr=0.2, prior=prior)
        assert (p.mutual_information, p.precision) == (0.0, prior)
        assert p.accuracy == (0.8 if prior else 0.9)
    assert (perfect.mcc, perfect.f1, perfect.precision) == (1.0, 1.0, 1.0)


def random_points(n=4000):
    rng = np.random.default_rng(11)
    far, frr = rng.random(n), rng.random(n)
    corner = rng.random((2, n)) < 0.1
    far = np.where(corner[0], np.round(far), far)
    frr = np.where(corner[1], np.round(frr), frr)
    return br.OperatingPoint(np.linspace(0.0, 1.0, n), far, frr, prior=0.37)


@pytest.mark.parametrize("name", MEASURES)
def test_ranges_and_direction(name):
    measure, points = MEASURES[name], random_points()
    values = measure.value(points)
    assert values.shape == (4000,)
    known = values[~np.isnan(values)]
    assert known.size > 3000
    assert np.all(known >= measure.low - 1e-12)
    assert np.all(known <= measure.high + 1e-12)
    perfect = br.OperatingPoint(0.5, far=0.0, frr=0.0, prior=0.37)
    best = np.max(known) if measure.larger_is_better else np.min(known)
    wanted = measure.value(perfect)
    assert (wanted >= best - 1e-12) if measure.larger_is_better else (wanted <= best + 1e-12)


#: What a measure becomes when the classes change places and decisions are turned round.
SWAPS = {
    "far": "frr", "frr": "far", "tpr": "tnr", "tnr": "tpr", "sensitivity": "specificity",
    "specificity": "sensitivity", **{one: one for one in (
        "hter", "accuracy", "youden", "mcc", "mutual-information", "dcf")},
}  # fmt: skip


@pytest.mark.parametrize("name", SWAPS)
def test_class_swap(name):
    p = random_points()
    swapped = br.OperatingPoint(-p.threshold, far=p.frr, frr=p.far, prior=1.0 - p.prior)
    there = MEASURES[SWAPS[name]].value(swapped)
    np.testing.assert_allclose(MEASURES[name].value(p), there, rtol=1e-12, atol=1e-13)


def test_shapes_and_indexing():
    points = br.ScoreModel(br.Beta(2, 1), br.Beta(1, 2)).at(np.linspace(0.1, 0.9, 6).reshape(2, 3))
    for name in ("threshold", "far", "frr", "tpr", "tnr", "logit_threshold", "hter", "f1", "mcc"):
        assert getattr(points, name).shape == (2, 3)
    row = points[1]
    assert row.far.shape == (3,)
    assert len(row) == 3
    assert row[0] == points[1, 0]
    with pytest.raises(IndexError):
        row[3]
    with pytest.raises(TypeError):
        len(row[0])


def test_laws_that_are_nearly_one_are_integrated_in_finite_room():
    """Their difference is rounding almost everywhere: KS is small, and found without end."""
    one = br.Normal(0.7393478166145871, 0.8533265243387831)
    other = br.Normal(0.7458140305534193, 0.8586249141805901)
    x = np.linspace(-3.0, 5.0, 200_001)
    gap = norm.cdf(x, one.mu, one.sigma) - norm.cdf(x, other.mu, other.sigma)
    assert br.ScoreModel(one, other).ks() == pytest.approx(np.max(np.abs(gap)), rel=1e-6)


#: Normal distributions of one variance v and means at +-v/2 are their own log-likelihood ratio.
CALIBRATED = br.ScoreModel(br.Normal(2, 2), br.Normal(-2, 2))
COSTS = [(1.0, 10.0, 0.01), (2.0, 1.0, 0.3)]


@pytest.mark.parametrize(("cost_fa", "cost_fr", "prior"), COSTS)
def test_a_calibrated_score_has_its_least_cost_where_costs_and_prior_say(cost_fa, cost_fr, prior):
    actual = CALIBRATED.actual_dcf(cost_fa, cost_fr, prior=prior)
    least = CALIBRATED.min_dcf(cost_fa, cost_fr, prior=prior)
    assert actual.threshold == pytest.approx(math.log(cost_fa * (1 - prior) / (cost_fr * prior)))
    assert actual.threshold == pytest.approx(least.threshold, abs=1e-12)
    cost = cost_fr * prior * norm.cdf(actual.threshold, 2, 2)
    cost += cost_fa * (1 - prior) * norm.sf(actual.threshold, -2, 2)
    assert actual.dcf(cost_fa, cost_fr) == pytest.approx(cost, rel=1e-12)
    default = min(cost_fa * (1 - prior), cost_fr * prior)
    normalized = actual.dcf(cost_fa, cost_fr, normalized=True)
    assert normalized == pytest.approx(cost / default, rel=1e-12)


def test_actual_costs_are_counted_and_more_where_a_score_is_shifted():
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
    shifted = br.ScoreModel(br.Normal(4, 2), br.Normal(0, 2), prior=0.5)
    assert shifted.min_dcf().dcf() == pytest.approx(CALIBRATED.min_dcf().dcf(), rel=1e-12)
    cost = 0.5 * norm.cdf(0, 4, 2) + 0.5 * norm.sf(0, 0, 2)
    assert shifted.actual_dcf().dcf() == pytest.approx(cost, rel=1e-12)


@pytest.mark.simulation
def test_fits_differences_plans_and_curves_know_them():
    assert br.statistics().set_index("name").loc["actual-dcf-normalized", "high"] == math.inf
    expected = CALIBRATED.min_dcf().dcf()
    for name, scale in (("actual-dcf", 1.0), ("min-dcf-normalized", 2.0)):
        plan = br.plan_sample_size(name, model=CALIBRATED, width=0.1)
        assert plan.estimate == pytest.approx(scale * expected)
