"""Planned numbers of scores: formulas by hand, brute force, small simulations with fixed seeds."""

import math
import warnings
from itertools import product
from statistics import NormalDist

import numpy as np
import pytest
from scipy.special import polygamma, stdtrit
from scipy.stats import beta as beta_law, binom, f as f_law

import betaroc as br
from betaroc.core.options import IntervalOptions
from betaroc.inference.delta import bare_interval
from betaroc.model.statistics import parse_statistic
from betaroc.studies.plan import (
    area_variances,
    area_width,
    expected_fit,
    gap_width,
    mean_area_variance,
    shape_chance,
    side_chance,
    side_found,
    stat_width,
)

PHI = NormalDist()
Z = PHI.inv_cdf(0.975)
BELL = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
CROSSING = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(3.0, 3.5))
JJ = br.ScoreModel(br.Beta(2.0, 0.763711), br.Beta(0.763711, 2.0))
NORMAL = br.ScoreModel(br.Normal(1.5, 1.2), br.Normal(0.0, 0.8))
MIXTURE = br.ScoreModel(
    br.BetaMixture([0.5, 0.5], [br.Beta(6.0, 2.0), br.Beta(3.0, 2.0)]), br.Beta(2.0, 4.0)
)
SHARES = br.ScoreModel(br.Empirical([1, 2, 3, 4, 7]), br.Empirical([0, 1, 2, 3]))

TAILED = br.ScoreModel(br.Beta(6, 2), br.Beta(2, 8))
OF_A_TAIL = {"model": TAILED, "width": 0.01, "method": "tail"}
STRATA = {"threshold": 0.8, "strata": 13}
HALVES = br.ScoreModel(br.Beta(2.0, 1.0), br.Beta(1.0, 2.0))
PLAIN = IntervalOptions(method="delta", groups=False)


def swapped(model):
    """Both laws mirrored, so that the classes change places."""
    client, impostor = model.client, model.impostor
    return br.ScoreModel(br.Beta(impostor.b, impostor.a), br.Beta(client.b, client.a))


def test_the_area_of_a_binormal_pair_at_many_scores():
    # A = Phi(d), d = (m1 - m2)/S, S^2 = s1^2 + s2^2; Var m = s^2/n, Var s = s^2/(2 n): width
    # 2 z phi(d) sd(d), of which 4 z^2 phi^2 (V_c + V_i/ratio)/w^2 scores are left over.
    m, s1, s2, ratio, width = 1.5, 1.2, 0.8, 2.0, 0.002
    s = math.hypot(s1, s2)
    d = m / s
    own = (s1 / s) ** 2 + (d * s1**2 / s**2) ** 2 / 2
    other = (s2 / s) ** 2 + (d * s2**2 / s**2) ** 2 / 2
    first = (2 * Z * PHI.pdf(d) / width) ** 2 * (own + other / ratio)
    found = br.plan_sample_size("auc", model=NORMAL, width=width, ratio=ratio)
    assert found.n_client == pytest.approx(first, rel=1e-4)
    assert found.n_impostor == 2 * found.n_client


@pytest.mark.simulation
def test_the_exponent_of_a_beta_pair_by_its_information():
    # Var log a = [I^-1]_aa/(n a^2), with trigammas; width rho (e^h - e^-h).
    def variance(a, b):
        both = polygamma(1, a + b)
        information = np.diag(polygamma(1, [a, b])) - both
        return np.linalg.inv(information)[0, 0] / a**2

    half = math.asinh(0.01 / 2 / 0.5)  # rho = a_i/a_c = 1/2
    first = Z**2 * (variance(4, 2) + variance(2, 4) / 4) / half**2
    found = br.plan_sample_size("exponent-at-zero", model=BELL, width=0.01, ratio=4)
    assert found.estimate == 0.5
    assert found.n_client == pytest.approx(first, rel=1e-4)


def test_the_expected_fit_has_the_interval_of_a_fit_with_these_estimates():
    rng = np.random.default_rng(1)
    fit = br.fit(br.Scores(rng.beta(4, 2, 50), rng.beta(2, 4, 90)))
    expected = expected_fit(fit.model, (50, 90))
    np.testing.assert_allclose(expected.client.cov, fit.client.cov, rtol=1e-9)
    for stat, point in (("eer", {}), ("tpr", {"far": 0.1}), ("exponent-at-one", {})):
        want = fit.interval(stat, method="delta", **point)
        found = bare_interval(
            expected, parse_statistic(stat, **point), IntervalOptions(groups=False)
        )
        assert [found.low, found.high] == pytest.approx([want.low, want.high], rel=1e-7)


def test_the_power_of_a_spread_is_that_of_an_f_test():
    found = br.plan_sample_size("side-at-one", model=NORMAL, ratio=2)
    for n, enough in ((found.n_client, True), (found.n_client - 1, False)):
        critical = f_law.ppf(0.975, n - 1, 2 * n - 1)
        power = f_law.sf(critical * (0.8 / 1.2) ** 2, n - 1, 2 * n - 1)
        assert (power >= 0.8) == enough
    assert found.power >= 0.8
    # FAR ~ exp(-t^2/(2 s_i^2)) = TPR^(s_c^2/s_i^2) far out.
    assert found.estimate == pytest.approx((1.2 / 0.8) ** 2, rel=1e-12)


def test_the_generic_power_of_a_spread_is_near_the_exact_one():
    for n in ((40, 80), (80, 40), (60, 60)):
        own = "side-at-zero", NORMAL, IntervalOptions()
        assert side_found(*own, n) == pytest.approx(side_chance(*own).reached(n), abs=0.015)


@pytest.mark.simulation
def test_a_gap_by_hand():
    # Binomial variances of dev and test: 2 sum 1/4 r (1 - r)/n; at alpha 1/2 the threshold is
    # 1/2, both rates are P(Beta(4, 2) <= 1/2) = 6/32.
    r = 6 / 32
    found = br.plan_sample_size(
        "epc-gap", alpha=0.5, model=BELL, width=0.05, thresholds="empirical"
    )
    n = 2 * 2 * r * (1 - r) / 4 * (2 * Z / 0.05) ** 2
    assert found.n_client == found.n_impostor == math.ceil(n)
    assert found.estimate == 0.0


def delong_mean(client, impostor, m, n):
    """E Var A over all samples with replacement, each as likely."""
    total = 0.0
    for c in product(client, repeat=m):
        for i in product(impostor, repeat=n):
            wins = np.array([[(a > b) + 0.5 * (a == b) for b in i] for a in c], dtype=float)
            total += np.var(wins.mean(axis=1), ddof=1) / m + np.var(wins.mean(axis=0), ddof=1) / n
    return total / (len(client) ** m * len(impostor) ** n)


def test_delongs_mean_variance_by_enumeration():
    client, impostor = [1, 2, 4], [0, 2, 3]
    model = br.ScoreModel(br.Empirical(client), br.Empirical(impostor))
    x, y, _ = parts = area_variances(model)
    area = model.auc()
    m, n = 3, 2
    wins = np.array([[(a > b) + 0.5 * (a == b) for b in impostor] for a in client])
    assert area == pytest.approx(wins.mean(), rel=1e-12)
    assert (x, y) == pytest.approx((np.var(wins.mean(1)), np.var(wins.mean(0))), rel=1e-12)
    # With ties the variance of a comparison is less than A (1 - A).
    own = np.var(wins)
    want = x / m + y / n + 2 * (own - x - y) / (m * n)
    assert delong_mean(client, impostor, m, n) == pytest.approx(want, rel=1e-12)
    assert mean_area_variance(parts, (m, n)) == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("k", [1.5, 4.0])
def test_exponential_scores_have_hanley_and_mcneils_variances(k):
    # F_i = t, F_c = t^k on [0, 1]: A = k/(k + 1), Q1 = A/(2 - A), Q2 = 2 A^2/(1 + A).
    area = k / (k + 1)
    want = area / (2 - area) - area**2, 2 * area**2 / (1 + area) - area**2, area * (1 - area)
    found = area_variances(br.ScoreModel(br.Beta(k, 1.0), br.Beta(1.0, 1.0)))
    assert found == pytest.approx(want, rel=1e-10)


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("stat", "point", "options", "goal"),
    [
        ("auc", {}, {"width": 0.08, "method": "delong", "ratio": 3}, lambda: area_width(
            parse_statistic("auc"), JJ, IntervalOptions(method="delong", groups=False))),
        ("tpr", {"far": 0.05}, {"width": 0.2, "ratio": 2.5},
         lambda: stat_width(parse_statistic("tpr", far=0.05), JJ, PLAIN)),
        ("side-at-one", {}, {"power": 0.95, "ratio": 0.4},
         lambda: side_chance("side-at-one", JJ, IntervalOptions())),
        ("shapes", {}, {"power": 0.9, "ratio": 1.5},
         lambda: shape_chance(("client", "impostor"), JJ)),
        ("epc-gap", {"alpha": 0.3}, {"width": 0.1, "ratio": 0.1},
         lambda: gap_width(JJ, 0.3, IntervalOptions(method="smooth"), "hter")),
    ],
)  # fmt: skip
def test_one_score_less_is_not_enough(stat, point, options, goal):
    found, goal = br.plan_sample_size(stat, **point, model=JJ, **options), goal()
    sign = 1.0 if math.isnan(found.power) else -1.0
    sizes = found.n_client, found.n_impostor
    assert sign * goal.reached(sizes) <= sign * found.wanted
    assert goal.reached(sizes) == (found.width if sign > 0 else found.power)
    k = min(sizes) - 1
    less = (k, math.ceil(found.ratio * k)) if found.ratio >= 1 else (math.ceil(k / found.ratio), k)
    assert sign * goal.reached(less) > sign * found.wanted


@pytest.mark.simulation
@pytest.mark.parametrize(("stat", "model", "options"), [
    ("auc", JJ, {"width": 0.1}), ("auc", JJ, {"width": 0.1, "method": "delong"}),
    ("epc-gap", JJ, {"alpha": 0.5, "width": 0.1}), ("side-at-zero", CROSSING, {}),
])  # fmt: skip
def test_classes_change_places(stat, model, options):
    one = br.plan_sample_size(stat, model=model, ratio=2.5, **options)
    other = br.plan_sample_size(
        stat.replace("zero", "one"), model=swapped(model), ratio=1 / 2.5, **options
    )
    assert (one.n_client, one.n_impostor) == (other.n_impostor, other.n_client)


@pytest.mark.simulation
def test_a_fit_is_its_model_and_a_function_is_what_it_computes():
    rng = np.random.default_rng(3)
    fit = br.fit(br.Scores(rng.beta(4, 2, 60), rng.beta(2, 4, 80)))
    for stat, kind in (("auc", "family and scores"), ("client-a", "delta, if the family is right")):
        whole = br.plan_sample_size(stat, model=fit, width=0.1)
        of_model = br.plan_sample_size(stat, model=fit.model, width=0.1)
        assert whole.method == kind
        assert (whole.n_client > of_model.n_client) == (stat == "auc")
    # sigma z-bar with Student's t and the divisor n - 1; fits nearby have sigma less its bias.
    mean = br.plan_sample_size(lambda m: m.client.mean, model=NORMAL, width=0.5)
    n = mean.n_client
    reach = float(stdtrit(n - 1, 0.975)) * 1.2 / math.sqrt(n - 1)
    assert mean.width == pytest.approx(2 * reach * (1 - 3 / (4 * n)), rel=0.002)
    with pytest.warns(br.SmallSampleWarning, match="6 client and 6 impostor"):
        br.plan_sample_size("auc", model=BELL, width=0.5)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (("aucc",), {"width": 0.1}, r"stat must be one of .*Did you mean 'auc'"),
        (("auc",), {"width": 1.0}, "less than the range of 'auc', 1"),
        (("epc-gap",), {"width": 0.1}, "'epc-gap' needs a point, such as epc-gap@alpha="),
        (("far",), OF_A_TAIL | {"frr": 0.1}, "method must be left out, except for"),
        (("epc-gap",), {"alpha": 1.0, "width": 0.1}, "must lie inside the scale"),
        (("guarantee",), {"far": 1e-12, "model": ()}, "far must be one that 1e9 scores"),
        (("far",), STRATA | {"width": 0.1, "over": {"a": 1.0}}, "over must have a weight for each"),
        (("far",), STRATA | {"at_most": 0.001}, "at_most must be above the rate of the model"),
        (("auc",), {"width": 0.1, "power": 0.8, "model": (BELL, JJ)}, "have a width or a power"),
        (("auc",), {"power": 0.8, "model": (BELL, BELL)}, "the systems do not differ"),
        (("auc",), {"width": 0.1, "model": SHARES}, 'take method="delong"'),
        (("side-at-zero",), {"model": br.ScoreModel(br.Beta(2.0, 1.5), br.Beta(2.0, 3.0))},
         "impossible because the exponent is 1: no size decides"),
        (("side-at-one",), {"model": br.ScoreModel(br.Beta(1.0, 2.0), br.Normal(0.0, 1.0))},
         "two beta, two normal"),
        (("side-at-zero",),
         {"model": br.ScoreModel(br.Beta(2.0, 2.0), br.Inflated(br.Beta(1.0, 2.0), 0.1))},
         "without point masses at that end"),
        (("client-shape",), {"model": br.ScoreModel(br.Beta(1.0, 2.0), br.Beta(0.5, 2.0))},
         "impossible because the client distribution .* border"),
        (("epc-gap",), {"alpha": 0.5, "width": 0.1, "model": MIXTURE}, 'thresholds="empirical"'),
        (("auc",), {"width": 0.1, "method": "delong",
                    "model": br.ScoreModel(br.Empirical([2, 3]), br.Empirical([0, 1]))},
         "classes that overlap"),
        # A two-sided test at level 0.95 finds the right side by chance with probability 0.025.
        (("side-at-zero",), {"model": HALVES, "power": 0.02}, r"between 0\.025 and 1; got 0\.02"),
    ],
)  # fmt: skip
def test_bad_input(arguments, options, words):
    with pytest.raises(br.InputError, match=words):
        br.plan_sample_size(*arguments, **({"model": BELL} | options))


@pytest.mark.parametrize(("far", "fewest"), [(0.1, 29), (0.01, 299)])
def test_the_fewest_trials_of_a_stratum_that_a_threshold_needs(far, fewest):
    """(1 - far)^n <= 0.05, by hand."""
    assert (1 - far) ** fewest <= 0.05 < (1 - far) ** (fewest - 1)
    plan = br.plan_sample_size("guarantee", far=far, strata=13)
    assert (plan.n_client, plan.n_impostor) == (0, 13 * fewest)
    assert br.plan_sample_size("guarantee", tnr=1 - far, strata=13) == plan
    parts = br.plan_sample_size("guarantee", frr=far, strata=2)
    assert (parts.n_client, parts.n_impostor) == (2 * fewest, 0)


def test_a_claim_of_each_stratum_by_the_binomial():
    """No fewer trials support it as often: every smaller number is tried."""
    rate, fewest = BELL.far(0.8), []
    for n in range(1, 200):
        counts = np.arange(n)
        upper = beta_law.ppf(0.95, counts + 1, n - counts)
        chance = binom.pmf(counts[upper <= 0.05], n, rate).sum() ** 13
        fewest += [(n, chance)] if chance >= 0.8 else []
    plan = br.plan_sample_size("far", at_most=0.05, model=BELL, **STRATA)
    assert plan.n_impostor == plan.n_client == 13 * fewest[0][0]
    assert plan.power == pytest.approx(fewest[0][1], rel=1e-10)
    assert "shown to be at most 0.05 with probability 0.9" in str(plan)


@pytest.mark.simulation
def test_the_width_over_strata_is_that_of_their_interval():
    plan = br.plan_sample_size("tnr", width=0.05, model=BELL, **STRATA)
    n, rng = plan.n_impostor // 13, np.random.default_rng(1)
    hits = rng.binomial(n, BELL.far(0.8), (5000, 13))
    most, every = hits.max(axis=1), hits.sum(axis=1)
    lows = [beta_law.ppf(tail, k, m - k + 1) for k, m, tail in
            ((most, n, 0.0125 / 13), (every, 13 * n, 0.0125))]  # fmt: skip
    low = np.nan_to_num(lows).max(axis=0)
    assert plan.width == pytest.approx(
        np.mean(beta_law.ppf(0.975, most + 1, n - most) - low), rel=0.01
    )
    weights = {"print": 0.9, "replay": 0.1}
    mean = br.plan_sample_size("frr", threshold=0.4, width=0.08, model=BELL, over=weights)
    n = mean.n_client // 2
    below = round(n * BELL.frr(0.4))
    client = np.repeat([0.1, 0.9], [below, n - below])
    scores = br.Scores(np.tile(client, 2), [0.0], client_strata=np.repeat([*weights], n))
    found = br.interval(scores, "frr", threshold=0.4, over=weights)
    assert found.high - found.low == pytest.approx(mean.width, rel=0.02)


def test_a_difference_is_planned_with_its_correlation():
    """With equal errors of both numbers the variance is 2 v (1 - r)."""
    other = br.ScoreModel(br.Normal(1.4, 1.2), br.Normal(0.0, 0.8))
    sizes = [
        br.plan_sample_size("client-mean", model=(NORMAL, other), width=0.1, correlation=r).n_client
        for r in (0.0, 0.5)
    ]
    assert sizes[1] / sizes[0] == pytest.approx(0.5, rel=0.01)


@pytest.mark.simulation
def test_a_plan_from_a_fit_has_the_width_of_the_default_interval():
    """Of 40 sets of the planned size: the mean up to 12 % wider.

    The likelihood of random scores is larger somewhere than that of the quantiles planned with.
    """
    rng = np.random.default_rng(1)
    pilot = br.fit(br.Scores(rng.beta(5, 2, 300), rng.beta(2, 5, 300)))
    plan, widths = br.plan_sample_size("auc", model=pilot, width=0.04), []
    for _ in range(40):
        n, m = plan.n_client, plan.n_impostor
        sample = br.Scores(pilot.model.client.sample(n, rng), pilot.model.impostor.sample(m, rng))
        interval = br.fit(sample).interval("auc")
        widths.append(interval.high - interval.low)
    assert 0.95 * 0.04 < np.mean(widths) < 1.12 * 0.04
    two = br.plan_sample_size("auc", model=(pilot, pilot), width=0.04)
    assert two.method == "family and scores"
    assert two.n_client > 1.8 * plan.n_client  # the variances of two equal systems add


@pytest.mark.nightly
@pytest.mark.parametrize(("stat", "point", "width"), [
    ("far", {"threshold": 0.64}, 0.004), ("threshold", {"far": 1e-3}, 0.15),
])  # fmt: skip
def test_a_tail_is_planned_by_the_width_of_its_interval(stat, point, width):
    """Of 40 sets of the planned size: 15 % for the few draws of a plan, and for noise."""
    plan = br.plan_sample_size(stat, model=TAILED, width=width, method="tail", **point)
    n, widths, rng = plan.n_client, [], np.random.default_rng(3)
    for _ in range(40):
        data = br.Scores(rng.beta(6, 2, n), rng.beta(2, 8, n))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", br.errors.BetarocWarning)
            f = br.fit(data, "empirical", tails={"impostor": "upper", "client": "lower"})
            found = f.interval(stat, **point)
        widths.append(found.high - found.low)
    assert float(np.mean(widths)) == pytest.approx(plan.width, rel=0.15)
    assert 0.85 * width <= float(np.mean(widths)) <= 1.15 * width


@pytest.mark.simulation
def test_counts_plan_where_no_tail_reaches():
    """At FAR 0.2: Clopper and Pearson's width of the expected count."""
    t = float(TAILED.at_far(0.2).threshold)
    plan = br.plan_sample_size("far", threshold=t, model=TAILED, width=0.05, method="tail")
    n = plan.n_impostor
    low = beta_law.ppf(0.025, 0.2 * n, 0.8 * n + 1)
    high = beta_law.ppf(0.975, 0.2 * n + 1, 0.8 * n)
    assert plan.width == pytest.approx(high - low, rel=1e-6)
    # A threshold of TPR .9 is that of FRR .1.
    rates, tails = ({"frr": 0.1}, {"tpr": 0.9}), {"model": TAILED, "width": 0.1, "method": "tail"}
    one, other = (br.plan_sample_size("threshold", **rate, **tails).n_client for rate in rates)
    assert one == other
