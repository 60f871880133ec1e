"""What is of one class, of one end or of one rate is not taken of the other."""

import math

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.inference.intervals import IntervalOptions
from betaroc.model.improper_regions import hooks_of
from betaroc.model.samples import empirical_model
from betaroc.model.statistics import parse_statistic
from betaroc.report import score_set

LINE = br.ScoreModel(br.Beta(2, 1), br.Beta(1, 1))  # TPR = 1 - t^2, FAR = 1 - t
FAR_APART = br.ScoreModel(br.Normal(12.0, 1.0), br.Normal(0.0, 1.0))


def part(role, scores, fit=None):
    return score_set.ScoreSet(role, role, scores, fit, empirical_model(scores, role), None)


def test_of_two_gamma_tails_of_one_scale_that_of_the_larger_shape_is_heavier():
    """P(S > x) is (1 + x) e^-x of shape 2 and (1 + x + x^2/2) e^-x of shape 3."""
    model = br.ScoreModel(br.Gamma(3.0, 1.0), br.Gamma(2.0, 1.0))
    end = model.ends().at_one
    assert (end.semi_derivative, end.exponent, end.side) == (0.0, 1.0, "above")
    assert br.ScoreModel(model.impostor, model.client).ends().at_one.side == "below"


@pytest.mark.parametrize(("point", "t", "which"), [
    ("far=0.25", 0.75, 1), ("frr=0.25", 0.5, 0), ("tpr=0.75", 0.5, 0), ("fmr=0.25", 0.75, 1),
    ("fnmr=0.25", 0.5, 0),
])  # fmt: skip
def test_a_point_is_solved_for_the_rate_that_is_named(point, t, which):
    spec = parse_statistic(f"hter@{point}")
    assert spec.number(LINE) == pytest.approx((1.0 - t + t * t) / 2.0)
    rates = spec.rates(LINE)
    assert [rate.solved for rate in rates] == [which == 0, which == 1]
    assert [float(rate.rate) for rate in rates] == pytest.approx([t * t, 1.0 - t])


def test_a_region_below_the_diagonal_begins_at_its_crossing():
    """(t - 1)/2 = t at t = -1: below lies FAR from Phi(1) to 1, at thresholds below -1."""
    (hook,) = hooks_of(br.ScoreModel(br.Normal(1.0, 2.0), br.Normal(0.0, 1.0)), 100.0, 200.0)
    first, share = stats.norm.cdf([1.0, -1.0])
    assert (hook.end, hook.far_high) == ("at_zero", 1.0)
    found = (hook.far_low, hook.share, hook.expected_clients, hook.expected_impostors)
    assert found == pytest.approx((first, share, 100.0 * share, 200.0 * share))


def test_an_frr_that_was_asked_for_is_the_one_that_is_told():
    """Both rates expect less than a score there; the FAR was read off."""
    fit = br.fit(FAR_APART.sample(100, 100, rng=1), "normal")
    with pytest.warns(br.ExtrapolationWarning, match="among them: FRR 0.0001 is extrapolated"):
        fit.at_frr(1e-4)
    with pytest.warns(br.ExtrapolationWarning, match="among them: FAR 0.0001 is extrapolated"):
        fit.at_far(1e-4)


@pytest.mark.parametrize(("criterion", "told"), [
    ("far", "FAR 0.0001"), ("specificity", "FAR 0.0001"), ("frr", "FRR 0.0001"),
    ("recall", "FRR 0.0001"),
])  # fmt: skip
def test_a_target_is_of_its_own_class_and_rate(criterion, told):
    fit = br.fit(FAR_APART.sample(200, 300, rng=1), "normal")
    alpha = 1e-4 if told.startswith(criterion.upper()) else 1.0 - 1e-4
    with pytest.warns(br.ExtrapolationWarning, match=f"{told} is extrapolated"):
        e = br.epc(fit, FAR_APART, criterion=criterion, alpha=[alpha])
    assert e.n_beyond == pytest.approx([1e-4 * (300 if told.startswith("FAR") else 200)])


def test_intervals_of_groups_know_as_many_labels_as_the_class_with_fewer():
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(12), 10), np.repeat(np.arange(8), 10)
    client, impostor = (np.repeat(rng.normal(m, 1.0, n), 10) for m, n in ((2.0, 12), (0.0, 8)))
    scores = br.Scores(client + rng.normal(0.0, 0.5, 120), impostor + rng.normal(0.0, 0.5, 80),
                       client_groups=groups[0], impostor_groups=groups[1])  # fmt: skip
    fit = br.fit(scores, "normal")
    errors = dict(zip(fit.params, np.sqrt(np.diag(fit.joint_cov())), strict=True))
    reaches = []
    for who in ("client", "impostor"):
        name = f"{who}-mu"
        for i in (fit.interval(name), fit.conf_int(method="wald")[who]["mu"]):
            assert i.estimate - i.low == pytest.approx(i.high - i.estimate)
            reaches.append((i.high - i.estimate) / errors[name])
    assert reaches == pytest.approx(stats.t.ppf(0.975, [7, 11, 7, 7]))


def test_a_contradiction_weighs_the_trials_of_its_class_at_the_joint_level():
    """200 clients against 100 of dev, 60 impostors against 100."""
    dev = br.Scores(np.arange(60.0, 160.0), np.arange(100.0))
    low = np.r_[np.arange(40.0), [70.5] * 10, [150.5] * 10]
    first, test = (
        part("dev", dev, br.fit(dev, "empirical")),
        part("test", br.Scores(np.arange(60.0, 260.0), low)),
    )
    points = score_set.observed_points(first, (test,), 0.95)
    rows = score_set.contradictions(first, (test,), points, 0.5)
    assert {row.rate for row in rows} == {"far", "frr"}
    for row in rows:
        n = 200 if row.rate == "frr" else 60
        k, counted = row.observed * n, row.on_dev * 100
        law = stats.betabinom(n, counted + 0.5, 100.5 - counted)
        assert row.p_value == pytest.approx(2.0 * min(law.cdf(k), law.sf(k - 1)), rel=1e-5)
        assert row.looks == 8  # two rates at the four thresholds that were aimed at
    joint = rows[-1].p_value * 8
    for level, many in ((1.0 - 1.01 * joint, len(rows)), (1.0 - 0.99 * joint, len(rows) - 1)):
        assert len(score_set.contradictions(first, (test,), points, level)) == many


def test_a_number_that_is_not_finite_has_no_interval():
    endless = score_set.with_interval("ks", math.inf, lambda: pytest.fail("it was asked for"))
    assert (endless.why, math.isnan(endless.low)) == ("it is no finite number", True)
    fit = br.fit(LINE.sample(30, 30, rng=1), "beta")
    # K = (a_c B_c)^(a_i / a_c) / (a_i B_i) = 1000^1000 near 0, and 1/K there turned.
    model = br.ScoreModel(br.Beta(1.0, 0.001), br.Beta(1000.0, 1.0))
    stat = parse_statistic("coefficient-at-zero")
    found = score_set._measured(fit, model, stat, IntervalOptions(0.95), aloud=False)
    assert (found.estimate, found.why) == (math.inf, "it is beyond the doubles")
