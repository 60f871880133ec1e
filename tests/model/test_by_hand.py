"""Small cases whose numbers are counted or derived beside them."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from scipy.spatial import ConvexHull
from scipy.special import expit

import betaroc as br
from betaroc.distributions.pairs import pair_of
from betaroc.model.areas import precision_at
from betaroc.model.criteria import hull_vertices
from betaroc.model.ends import shape_of_ends
from betaroc.model.improper_regions import hooks_of
from betaroc.model.operating_points import exact_weight, nearest_balance
from helpers.cases import over


def test_of_two_equally_near_thresholds_the_eer_takes_the_smaller_sum():
    """Below .5 FAR 4/10 and FRR 2/10, above it 3/10 and 5/10: both .2 apart."""
    client = [0.1] * 2 + [0.5] * 3 + [0.9] * 5
    impostor = [0.1] * 6 + [0.5] * 1 + [0.9] * 3
    point = br.Empirical(client), br.Empirical(impostor)
    found = br.ScoreModel(*point).eer()
    assert (found.far, found.frr, found.threshold) == pytest.approx((0.4, 0.2, 0.3))
    # The other way round: FAR 5/10 and FRR 3/10 below .7, then 2/10 and 4/10, the smaller sum.
    client = [0.1] * 3 + [0.5] * 1 + [0.9] * 6
    impostor = [0.1] * 5 + [0.5] * 3 + [0.9] * 2
    found = br.ScoreModel(br.Empirical(client), br.Empirical(impostor)).eer()
    assert (found.far, found.frr, found.threshold) == pytest.approx((0.2, 0.4, 0.7))


def test_a_shift_of_one_class_leaves_the_other():
    model = br.ScoreModel(br.Normal(1.0, 2.0), br.Normal(0.0, 1.0))
    assert model.shifted(impostor=0.5).client == model.client
    assert model.shifted(0.5).impostor == model.impostor
    assert model.shifted(0.5).client == br.Normal(1.5, 2.0)
    assert model.shifted(scale=2.0).client == br.Normal(2.0, 4.0)
    assert model.shifted() == model


@pytest.mark.parametrize(
    ("a", "b", "shape"),
    [
        (0.5, 0.5, "U"), (2, 2, "bell"), (2, 0.5, "J"), (0.5, 2, "reverse-J"), (1, 1, "uniform"),
        (2, 1, "increasing"), (1, 2, "decreasing"), (1, 0.5, "J-border"),
        (0.5, 1, "reverse-J-border"),
    ],
)  # fmt: skip
def test_each_pair_of_signs_has_its_shape(a, b, shape):
    assert br.Beta(a, b).shape == shape


def test_two_moves_are_one():
    """2 (3 s + 1) + 5 = 6 s + 7; of logits too."""
    base = br.BetaMixture([0.4, 0.6], [br.Beta(2.0, 3.0), br.Beta(6.0, 1.2)])
    twice = br.Shifted(br.Shifted(base, 1.0, 3.0), 5.0, 2.0)
    assert (twice.base, twice.shift, twice.scale) == (base, 7.0, 6.0)


def test_the_hull_of_samples_meets_equal_rates_in_both_orientations():
    """Between (0, 1/2) and (1/2, 1) FAR is u/2 and FRR (1 - u)/2, equal at u = 1/2."""
    client, impostor = [0.2, 0.4, 0.8, 0.9], [0.1, 0.15, 0.3, 0.5]
    for positive in ("client", "impostor"):
        roc = br.ScoreModel(br.Empirical(client), br.Empirical(impostor)).roc(positive=positive)
        found = roc.hull().eer()
        assert (found.far, found.frr) == pytest.approx((0.25, 0.25))


def test_a_lower_end_of_mixtures_has_the_ratio_of_their_leading_terms():
    """F ~ c theta^a, c = w / (a B(a, b)), of the least a; k = c_i / c_c^rho."""
    client = br.BetaMixture([0.4, 0.6], [br.Beta(1.5, 2.0), br.Beta(5.0, 2.0)])
    impostor = br.BetaMixture([0.3, 0.7], [br.Beta(0.5, 2.0), br.Beta(2.0, 6.0)])
    c = 0.4 / (1.5 * math.gamma(1.5) * math.gamma(2.0) / math.gamma(3.5))
    i = 0.3 / (0.5 * math.gamma(0.5) * math.gamma(2.0) / math.gamma(2.5))
    end = br.ScoreModel(client, impostor).ends().at_zero
    assert end.exponent == pytest.approx(1.0 / 3.0, rel=1e-12)
    assert end.coefficient == pytest.approx(i / c ** (1.0 / 3.0), rel=1e-12)
    assert (end.semi_derivative, end.side) == (math.inf, "above")


def test_partial_areas_of_a_uniform_impostor_are_integrals_of_powers():
    """TPR = 1 - (1 - x)^3 of Beta(3, 1) clients: from 0 to h, h - (1 - (1 - h)^4) / 4."""
    model = br.ScoreModel(br.Beta(3.0, 1.0), br.Beta(1.0, 1.0))
    for low, high in ((0.0, 1e-9), (0.0, 0.1), (0.2, 0.7), (1.0 - 1e-6, 1.0)):
        below, above = ((-np.expm1(4.0 * np.log1p(-x)) if x < 1 else 1.0) for x in (low, high))
        expected = (high - low) - (above - below) / 4.0
        if high < 1e-6:
            expected = 1.5 * high * high  # 3 x to first order
        assert model.partial_auc(low, high) == pytest.approx(expected, rel=1e-8)


def test_a_mixture_is_certain_at_its_upper_end():
    law = br.BetaMixture([0.1, 0.2, 0.7], [br.Beta(2, 5), br.Beta(7, 3), br.Beta(0.7, 0.9)])
    assert (law.cdf(1.0), law.logcdf(1.0), law.sf(0.0), law.logsf(0.0)) == (1.0, 0.0, 1.0, 0.0)


def test_moments_of_a_logit_normal_are_those_of_scipys_quadrature():
    law = br.LogitNormal(1.3, 2.1)
    first = stats.norm(1.3, 2.1).expect(expit, limit=200)
    second = stats.norm(1.3, 2.1).expect(lambda y: expit(y) ** 2, limit=200)
    assert law.mean == pytest.approx(first, rel=1e-9)
    assert law.var == pytest.approx(second - first**2, rel=1e-8)


def test_sides_of_both_ends_are_the_shape():
    assert shape_of_ends(0.0, 0.0) == "chance"
    assert (shape_of_ends(1.0, 1.0), shape_of_ends(1.0, 0.0)) == ("proper", "proper")
    assert (shape_of_ends(-1.0, -1.0), shape_of_ends(0.0, -1.0)) == ("below", "below")
    assert (shape_of_ends(-1.0, 1.0), shape_of_ends(1.0, -1.0)) == ("hook-at-zero", "hook-at-one")


@pytest.mark.parametrize(
    ("value", "meant"),
    [(0.1, Fraction(1, 10)), (1 / 3, Fraction(1, 3)), (0.0, 0), (1.0, 1),
     (1e-12, Fraction(1, 10**12)), (1.0 - 1e-12, 1 - Fraction(1, 10**12)),
     (0.123456789, Fraction(123456789, 10**9)), (1 / 13, Fraction(1, 13)),
     (1 / 3000, Fraction(1, 3000)), (1e-9, Fraction(1, 10**9))],
)  # fmt: skip
def test_a_weight_is_the_decimal_that_was_meant(value, meant):
    assert exact_weight(value) == meant


def test_a_threshold_between_two_atoms_has_an_eer_by_randomising():
    """From all accepted to (.1, .3): FAR = 1 - .9 u and FRR = .3 u are equal at u = 1/1.2."""
    model = br.ScoreModel(br.Inflated(br.Beta(2, 2), 0.3), br.Inflated(br.Beta(2, 2), 0.9))
    for positive in ("client", "impostor"):
        found = model.roc(positive=positive).hull().eer()
        assert (found.far, found.frr) == pytest.approx((0.25, 0.25), rel=1e-9)


def test_precision_where_nothing_is_accepted_is_a_limit():
    """The ROC of Beta(2, 1) v Beta(1, 1) starts with slope 2: precision 2 p/(2 p + 1 - p)."""
    pair = br.ScoreModel(br.Beta(2, 1), br.Beta(1, 1))._pair
    assert precision_at(pair, 0.25, 0.0) == pytest.approx(0.5 / 1.25)
    assert precision_at(pair, 0.0, 0.0) == 0.0
    steep = br.ScoreModel(br.Beta(1, 0.5), br.Beta(1, 1))._pair
    assert precision_at(steep, 0.25, 0.0) == 1.0


def test_curves_end_on_the_side_of_their_other_end():
    """Both densities are 1 at score 0; at 1 the one with Beta(3, 1) alone is not 0."""
    client = br.BetaMixture([0.5, 0.5], [br.Beta(1, 2), br.Beta(3, 1)])
    impostor = br.BetaMixture([0.5, 0.5], [br.Beta(1, 2), br.Beta(2, 2)])
    ends = br.ScoreModel(client, impostor).ends()
    assert (ends.at_zero.semi_derivative, ends.at_zero.side) == (1.0, "on")
    assert ends.at_one.side == "above"
    assert hooks_of(br.ScoreModel(client, impostor), 10, 10) == ()
    (hook,) = hooks_of(br.ScoreModel(impostor, client), 10, 10)
    assert (hook.end, hook.far_low, hook.far_high) == ("everywhere", 0.0, 1.0)


@pytest.mark.parametrize(("sample", "alpha"), [("client", 0.55), ("impostor", 0.6)])
def test_a_precision_is_met_while_the_sample_stands_still(sample, alpha):
    """pi TPR = P (pi TPR + (1 - pi) FAR): a quantile of the other class between two scores."""
    counted, smooth = br.Empirical([0.2, 0.5, 0.7]), br.Beta(4, 3)
    model = br.ScoreModel(counted, smooth) if sample == "client" else br.ScoreModel(smooth, counted)
    curve = br.epc(model, model, criterion="precision", alpha=[alpha])
    t = float(curve.threshold[0])
    share, rate = float(np.mean(np.array([0.2, 0.5, 0.7]) > t)), stats.beta(4, 3).sf(t)
    tpr, far = (share, rate) if sample == "client" else (rate, share)
    assert tpr / (tpr + far) == pytest.approx(alpha, rel=1e-9)


def test_without_impostors_every_precision_is_one():
    model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4), prior=1.0)
    with pytest.warns(br.TargetWarning, match="thresholds reach 1 to 1 there"):
        curve = br.epc(model, model, criterion="precision", alpha=[0.5])
    assert curve.threshold.shape == (1,)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_scan_finds_the_lower_left_hull(seed):
    """As Qhull finds it, from the point of least y to that of least x."""
    rng = np.random.default_rng(seed)
    x, y = np.sort(rng.random(60))[::-1] ** 2, np.sort(rng.random(60)) ** 2
    found = hull_vertices(x, y)
    corner = np.array([[2.0, 2.0], [2.0, y[0]], [x[-1], 2.0]])
    hull = ConvexHull(np.concatenate([np.column_stack([x, y]), corner])).vertices
    np.testing.assert_array_equal(found, np.sort(hull[hull < 60]))


def test_a_point_on_the_diagonal_is_where_sides_change():
    """TPR, FAR: 1, 1/2 above .1; 1/2, 1/2 above .2; 0, 1/2 above .3."""
    model = br.ScoreModel(br.Empirical([0.2, 0.3]), br.Empirical([0.1, 0.4]))
    found = model.diagonal_crossings()
    assert (found.threshold.tolist(), found.far.tolist(), found.tpr.tolist()) == (
        [0.25], [0.5], [0.5]
    )  # fmt: skip


def test_of_rates_equally_far_apart_the_smaller_ones_are_taken():
    """FAR 1/2 v FRR 1/4, then 3/4: both clients at .5 go at once."""
    weights = [2.0] * 4
    client, impostor = [0.3, 0.5, 0.5, 0.95], [0.1, 0.2, 0.8, 0.9]
    model = br.ScoreModel(br.Empirical(client, weights), br.Empirical(impostor, weights))
    found = model.eer()
    assert (found.far, found.frr, found.threshold) == (0.5, 0.25, 0.4)
    (t,) = nearest_balance(model._pair, lambda _, far, frr: far - frr).theta.ravel()
    assert t == 0.4


@over("seed", {seed: seed for seed in range(40)})
def test_fractional_weights_never_give_a_rate_beyond_1(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    law = br.Empirical(rng.normal(0, 1, n), rng.random(n))
    below, above = law.cdf(np.sort(law.values)), law.sf(np.sort(law.values))
    assert law.sf(-99.0) == 1.0
    assert law.cdf(99.0) == 1.0
    assert np.all(np.diff(below) >= 0)
    assert np.all(np.diff(above) <= 0)
    assert max(below.max(), above.max()) <= 1.0
    # Each tail against its sum in fractions.
    weights = {v: Fraction(float(w)) for v, w in zip(law.values, law.weights, strict=True)}
    total = sum(weights.values())
    place = float(np.sort(law.values)[n // 2])
    upper = sum(w for v, w in weights.items() if v > place) / total
    assert law.sf(place) == pytest.approx(float(upper), rel=1e-14)
    model = br.ScoreModel(law, br.Empirical([0.0, 1.0, 2.0]))
    assert model.at(-99.0).tpr == 1.0
    curve = br.epc(model, br.ScoreModel(br.Beta(2, 1), br.Beta(1, 2)), alpha=[0.0, 0.5, 1.0])
    assert curve.threshold.shape == (3,)


def test_accept_all_of_fractional_weights_is_trivial():
    dev = br.ScoreModel(br.Empirical([1, 2, 3], [0.3, 0.2, 0.1]), br.Empirical([4, 5, 6]))
    curve = br.epc(dev, br.ScoreModel(br.Beta(2, 1), br.Beta(1, 2)), alpha=[0.1])
    assert curve.threshold.tolist() == [-np.inf]
    assert curve.trivial.tolist() == [True]


def test_a_tiny_target_does_not_depend_on_the_others():
    model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
    targets = [1e-300, 1e-20, 1e-15, 1e-13, 0.5]
    for criterion in ("far", "frr"):
        curve = br.epc(model, model, criterion=criterion, measure=criterion, alpha=targets)
        assert curve.value == pytest.approx(targets, rel=1e-11)


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.ReversedScoresWarning")
def test_a_long_convex_chain_ended_by_a_lower_point():
    # Two vertices of the hull only: each pass over such a chain may drop a single point.
    rng = np.random.default_rng(1)
    n = 4000
    client = np.arange(n, dtype=float) * 2
    impostor = client - 1
    weights = np.sort(rng.integers(1, 1000, n))
    scores = br.Scores(client, [*impostor, 9e4], impostor_weights=[*weights, 10_000_000])
    curve = br.epc(scores, br.ScoreModel(br.Normal(1, 1), br.Normal(0, 1)), alpha=[0.3, 0.6, 0.9])
    places = np.concatenate([[-np.inf], np.unique(np.concatenate([client, impostor, [9e4]]))])
    law = br.ScoreModel(br.Empirical(scores.client), br.Empirical(scores.impostor,
                        scores.impostor_weights))  # fmt: skip
    at = law.at(places[1:])
    far, frr = np.concatenate([[1.0], at.far]), np.concatenate([[0.0], at.frr])
    for alpha, t in zip(curve.alpha, curve.threshold, strict=True):
        best = np.min(alpha * far + (1 - alpha) * frr)
        met = law.at(t) if np.isfinite(t) else None
        value = alpha if met is None else alpha * met.far + (1 - alpha) * met.frr
        assert value == pytest.approx(best, rel=1e-14)


@pytest.mark.parametrize(
    ("client", "impostor"),
    [
        (br.Normal(0.25, 1), br.Normal(-0.25, 1)),
        (br.Beta(2, 1), br.Beta(1.9, 1.03)),
        (br.Beta(3, 2), br.Beta(2, 2.02)),
    ],
)
def test_a_precision_of_1_that_comes_late(client, impostor):
    # S_c / S_i rises to infinity so slowly that the rates underflow first: no threshold whose
    # rates are doubles has a higher precision than the last.
    model = br.ScoreModel(client, impostor)
    other = br.ScoreModel(client, impostor)
    curve = br.epc(model, other, criterion="precision", measure="precision", alpha=[0.9, 1.0])
    assert curve.value[1] > curve.value[0]
    places = client.isf(np.geomspace(1e-14, 1e-3, 400))
    tpr, far = client.logsf(places), impostor.logsf(places)
    assert curve.value[1] >= np.max(1 / (1 + np.exp(far - tpr))) - 1e-12


def test_point_masses_inside_break_a_curve_that_would_be_concave():
    """Slope 1 everywhere but at the masses, whose ratio is 1, 2 or 1/2."""
    base = br.Normal(0.5, 1.0)

    def proper(client, impostor):
        pair = br.Inflated(base, client), br.Inflated(base, impostor)
        return br.ScoreModel(*pair).roc().is_concave

    assert proper(0.2, 0.2)
    assert not proper(0.4, 0.2)
    assert not proper(0.2, 0.4)


def test_average_precision_of_a_sample_without_a_smooth_part():
    """The mean over clients of the share of clients among the scores at or above each."""
    client, impostor = [0.2, 0.6, 0.9], [0.1, 0.4, 0.7]
    model = br.ScoreModel(br.Empirical(client), br.Empirical(impostor), prior=0.5)
    assert model.average_precision() == pytest.approx((1 / 1 + 2 / 3 + 3 / 5) / 3)
    mixed = br.ScoreModel(br.Empirical(client), br.Beta(1, 1), prior=0.5)
    parts = [(k / 3) / (k / 3 + 1 - s) for k, s in ((3, 0.2), (2, 0.6), (1, 0.9))]
    assert mixed.average_precision() == pytest.approx(np.mean(parts))


@pytest.mark.parametrize("alpha", [0.2, 0.5, 0.8])
def test_the_best_threshold_of_inflated_pairs_weighs_the_densities_of_all_scores(alpha):
    """Where alpha f_i = (1 - alpha) f_c, each density that of its share between the masses."""
    client, impostor = br.Inflated(br.Beta(3, 2), 0.3), br.Inflated(br.Beta(2, 3), 0.0, 0.1)
    t = br.ScoreModel(client, impostor).min_weighted_error(alpha).threshold
    f_c, f_i = 0.7 * stats.beta(3, 2).pdf(t), 0.9 * stats.beta(2, 3).pdf(t)
    assert alpha * f_i == pytest.approx((1 - alpha) * f_c, rel=1e-9)


def test_likelihood_ratios_of_beta_pairs_have_their_roots():
    """log(s^3 (1 - s)^-1 B(2, 4)/B(5, 3)) = level, of shapes (5, 3) v (2, 4)."""
    pair = pair_of(br.Beta(5, 3), br.Beta(2, 4))
    for level in (-4.0, 0.0, 2.5):
        (root,) = pair.ratio_roots(level).theta
        ratio = stats.beta(5, 3).logpdf(root) - stats.beta(2, 4).logpdf(root)
        assert ratio == pytest.approx(level, abs=1e-12)
    both = pair_of(br.Beta(4, 4), br.Beta(2, 2))  # a bump: two roots, or none
    roots = both.ratio_roots(-1.0).theta
    assert roots.size == 2
    assert roots[0] == pytest.approx(1.0 - roots[1], rel=1e-12)
    assert stats.beta(4, 4).logpdf(roots[0]) - stats.beta(2, 2).logpdf(roots[0]) == (
        pytest.approx(-1.0, abs=1e-12)
    )
    assert both.ratio_roots(1.0).size == 0


def test_what_lies_between_two_doubles_is_no_tie():
    """A score of a beta law or of a logit-normal one equals a given score with probability 0."""
    last = 1.0 - 2.0**-53  # the double before it is 0.69 of a logit below
    z = (math.log(last) + 53 * math.log(2.0)) / 6.0
    below = 5e-324**0.01  # F(x) = x^a
    cases = [
        (br.Beta(0.01, 1.0), 5e-324, below, 1.0 - below),
        (br.LogitNormal(0.0, 6.0), last, stats.norm.cdf(z), stats.norm.sf(z)),
    ]
    for law, score, below, above in cases:
        one = br.Empirical([score])
        assert br.ScoreModel(one, law).auc() == pytest.approx(below, rel=1e-12)
        assert br.ScoreModel(law, one).auc() == pytest.approx(above, rel=1e-12)
        assert br.ScoreModel(one, law).partial_auc(0.0, 1.0) == pytest.approx(below, rel=1e-12)


def test_scores_of_one_are_accepted_at_a_threshold_that_rounds_to_one():
    """FRR = 1/4 + F(t)/2 = 1/2 with F(t) = 1 - (1 - t)^0.01: 1 - t = 2^-100, no double."""
    model = br.ScoreModel(br.Inflated(br.Beta(1.0, 0.01), 0.25, 0.25), br.Beta(1.0, 1.0))
    found = model.at_frr([0.5, 0.9])
    np.testing.assert_array_equal(found.threshold, [1.0 - 2.0**-53] * 2)
    np.testing.assert_allclose(found.frr, [0.5, 0.75], rtol=1e-12)
    assert found.far[0] == pytest.approx(2.0**-100, rel=1e-12)
    assert br.ScoreModel(br.Beta(1.0, 0.01), br.Beta(1.0, 1.0)).at_frr(0.5).threshold == 1.0


def test_a_mean_is_no_digit_beyond_the_only_place():
    """Three times 0.4 is 1.2000000000000002, and a third of it 0.4000000000000001."""
    assert br.Binned([0.2, 0.3, 0.4], [0, 3]).mean == 0.4


def test_ks_of_two_tails_that_differ_in_scale_alone():
    """m e^(-x/s) less m e^(-x/(r s)) is largest where e^(-x/s) = r^(r / (1 - r)) = r^7."""
    lower, m, r = br.ParetoTail(0.25, -0.125, 1.0), 0.109375, 0.875
    client, impostor = (
        br.Spliced(br.Beta(1, 1), lower=lower, upper=br.ParetoTail(m, 0.0, scale))
        for scale in (0.125, 0.125 * r)
    )
    assert br.ScoreModel(client, impostor).ks() == pytest.approx(m * (r**7 - r**8), rel=1e-9)


RNG = np.random.default_rng(2)
CLIENT, IMPOSTOR = RNG.normal(2.0, 1.0, 50), RNG.normal(0.0, 1.0, 60)
UNIT = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))


@pytest.mark.parametrize("power", [-1000, -600, 530, 664, 1010])
@pytest.mark.parametrize("family", ["normal", "sinh-arcsinh"])
def test_the_distance_of_the_means_has_no_unit(family, power):
    scores, unit = br.Scores(CLIENT, IMPOSTOR), 2.0**power
    moved = br.Scores(CLIENT * unit, IMPOSTOR * unit)
    numbers = [br.fit(s, family).model for s in (scores, moved)]
    found = [br.interval(br.Scores(CLIENT * u, IMPOSTOR * u), "d-prime", replicates=99, rng=1)
             for u in (1.0, unit)]  # fmt: skip
    assert found[1].estimate == pytest.approx(found[0].estimate, rel=1e-12)
    assert found[1].low == pytest.approx(found[0].low, rel=1e-9)
    spreads = [math.hypot(m.client._sd, m.impostor._sd) for m in numbers]
    assert spreads[1] / unit == pytest.approx(spreads[0], rel=1e-6)


@pytest.mark.parametrize("power", [0, 530, 1010])
def test_variances_beyond_doubles_are_infinite(power):
    unit = 2.0**power
    law = br.Empirical([1.0 * unit, 2.0 * unit, 4.0 * unit], [2.0, 1.0, 1.0])
    assert law.mean == 2.0 * unit
    assert law.var == (1.5 if power == 0 else math.inf)
    assert law._sd == pytest.approx(math.sqrt(1.5) * unit, rel=1e-15)


@pytest.mark.parametrize(
    ("law", "other"),
    [
        (br.LogNormal(0.3, 0.5), stats.lognorm(0.5, scale=math.exp(0.3))),
        (br.Gamma(2.5, 3.0), stats.gamma(2.5, scale=3.0)),
        (br.LogitNormal(0.3, 1.2), None),
    ],
)
def test_standard_deviations_are_scipys(law, other):
    if other is None:
        p = (np.arange(200_000) + 0.5) / 200_000
        assert law._sd == pytest.approx(float(np.std(law.ppf(p))), rel=1e-6)
    else:
        assert law._sd == pytest.approx(other.std(), rel=1e-12)
    assert law.var == pytest.approx(law._sd**2, rel=1e-12)


def test_of_a_mixture_they_are_those_of_its_parts_and_means():
    law = br.NormalMixture((0.25, 0.75), (br.Normal(0.0, 1e200), br.Normal(4e200, 2e200)))
    assert law._sd == pytest.approx(math.sqrt(0.25 * 1 + 0.75 * 4 + 3.0) * 1e200, rel=1e-12)


def test_of_a_lognormal_distribution_beyond_doubles_too():
    assert br.LogNormal(400.0, 0.1).var == math.inf
    assert br.LogNormal(400.0, 0.1)._sd / math.exp(400.0) == pytest.approx(0.1008, rel=1e-3)


@pytest.mark.parametrize("criterion", ["far", "frr"])
def test_a_forecast_of_many_scores_takes_no_longer(criterion):
    """And says the target itself, its spread that of a binomial share to first order."""
    start = time.process_time()
    found = br.epc_forecast(
        UNIT, n_client=10**8, n_impostor=10**8, criterion=criterion, alpha=[0.01, 0.1, 0.5]
    )
    assert time.process_time() - start < 0.5
    np.testing.assert_allclose(getattr(found, criterion), found.alpha, rtol=1e-6)
    spread = np.sqrt(found.alpha * (1.0 - found.alpha) / 1e8)
    np.testing.assert_allclose(getattr(found, f"{criterion}_sd"), spread, rtol=1e-3)
