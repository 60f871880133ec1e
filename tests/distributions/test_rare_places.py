"""What ordinary pairs never reach: ends, jumps there, far components, integrals, bins."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.special import exp1

import betaroc as br
from betaroc.core.quadrature import integrate_panels
from betaroc.core.special import log_beta
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.strata import over_strata

B = br.Beta(2.0, 3.0)


def test_masses_beside_tails_and_spreads_that_doubles_cannot_hold():
    """All but 10^-545 of the scores that are not 0 are below it."""
    low, high = br.Inflated(br.Normal(-50.0, 1.0), 0.2), br.Inflated(br.Normal(51.0, 1.0), 0.0, 0.2)
    for p in (0.2, 0.1, 1e-300):
        assert (low.isf(p), high.ppf(p)) == (0.0, 1.0)
    # Of Beta(1, 1/100) 69 % lie within one double of 1, and all of it below.
    assert br.ScoreModel(br.Empirical([1.0]), br.Beta(1.0, 0.01)).auc() == pytest.approx(1.0)
    # exp(arcsinh(z) / 2e-13) is beyond 1e308 for all z above 1e-10.
    wide = br.SinhArcsinh(location=1e300, scale=0.4, skewness=2.1, tail_weight=2e-13)
    assert wide.mean > 1e300
    assert np.isnan(wide.var)


def test_many_quantiles_of_a_mixture_have_their_probabilities():
    law = br.NormalMixture([0.3, 0.7], [br.Normal(-2.0, 0.5), br.Normal(1.0, 1.5)])
    p, normals = np.linspace(1e-6, 1.0 - 1e-6, 301), (stats.norm(-2.0, 0.5), stats.norm(1.0, 1.5))
    for x, tails in ((law.ppf(p), [n.cdf for n in normals]), (law.isf(p), [n.sf for n in normals])):
        assert_allclose(0.3 * tails[0](x) + 0.7 * tails[1](x), p, rtol=1e-9)


def test_point_masses_hold_no_threshold_that_rounds_to_them_and_leave_slopes():
    t = Thresholds.from_theta(np.array([0.2, 0.7]))
    for law in (br.Inflated(B, 0.1, 0.2), br.Rejecting(B, 0.3)):
        assert_array_equal(law._log_density_slope(t), B._log_density_slope(t))
    assert (br.Rejecting(B, 0.0).var, br.Rejecting(B, 0.0).mean) == (B.var, B.mean)
    t = Thresholds.from_logit(np.array([-np.inf, -800.0, 40.0, np.inf]))
    assert br.Inflated(B, 0.1, 0.2).atoms.masses_at(t).tolist() == [0.1, 0.0, 0.0, 0.2]


def test_classes_that_share_no_score_are_told_apart():
    """No density lives where the other does."""
    for laws in (
        (br.Normal(1e3, 1.0), br.Normal(-1e3, 1.0)),
        (br.Beta(2, 2), br.Empirical([-0.5, -0.2])),
    ):
        model = br.ScoreModel(*laws)
        assert (model.auc(), model.eer().hter, model.ks()) == (1.0, 0.0, 1.0)


def test_far_out_the_widest_and_outermost_component_is_the_density():
    first = br.Normal(-1.0, 1.0)
    wide, wider = (br.NormalMixture([0.3, 0.7], [first, br.Normal(2.0, s)]) for s in (1.0, 3.0))
    shares = [(law._shares_at(end) > 0.0).tolist() for law in (wide, wider) for end in (0, 1)]
    assert shares == [[True, False], [False, True], [False, True], [False, True]]
    for law, at in ((wide, -30.0), (wide, 30.0), (wider, -60.0)):
        low, high = law._log_density(Thresholds.from_theta(np.array([at - 1e-4, at + 1e-4])))
        slope = law._log_density_slope(Thresholds.from_theta(np.array([at])))
        assert_allclose(slope, (high - low) / 2e-4, rtol=1e-6)


def test_the_rule_integrates_what_bends_and_gives_up_on_noise():
    for function, edges, value, rtol in (
        (np.exp, [0.0, 1.0], math.e - 1, 1e-14), (np.sqrt, [0.0, 1.0], 2 / 3, 1e-12),
        (np.exp, [-math.inf, 0.0, 0.5, 1.0, math.inf], math.e - 1, 1e-14), (np.exp, [0.0], 0.0, 0),
    ):  # fmt: skip
        assert integrate_panels(function, np.array(edges)) == pytest.approx(value, rel=rtol, abs=0)
    rng = np.random.default_rng(1)
    noise = integrate_panels(lambda u: 1.0 + rng.random(u.shape), np.array([0.0, 1.0]))
    assert noise == pytest.approx(1.5, abs=0.01)
    with pytest.raises(br.FitError, match="doubles hold"):
        integrate_panels(lambda x: np.exp(1e4 * x), np.array([0.0, 1.0]))


@pytest.mark.simulation
@pytest.mark.parametrize(("a", "b"), [(1e-144, 1e203), (1e-203, 1e144), (2e-309, 3e-309)])
def test_quantiles_of_extreme_shapes_signal_nothing(a, b):
    """As a -> 0 B(a, b) -> 1/a + 1/b, and half of symmetric mass is at either end."""
    with np.errstate(all="raise", under="ignore"):
        assert br.Beta(0.003, 1e-300).ppf([0.5, 0.9]).tolist() == [1.0, 1.0]
        for law in (br.Beta(a, b), br.Beta(b, a)):
            x = [way(p) for way in (law.ppf, law.isf) for p in (1e-300, 0.3, 1 - 1e-16)]
            assert np.all((np.array(x) >= 0.0) & (np.array(x) <= 1.0))
        assert_allclose(log_beta(a, b), np.logaddexp(-np.log(a), -np.log(b)), rtol=1e-14)
        assert (br.Beta(a, a).ppf(0.25), br.Beta(a, a).isf(0.25)) == (0.0, 1.0)


def test_quantiles_that_are_hundreds_of_logits_from_their_start():
    # P(S > x) tends to a E_1(b x) where a is tiny and b huge.
    a, b, x = 1e-144, 8e203, np.array([7e-204, 4e-205])
    assert_allclose(br.Beta(a, b).isf(a * exp1(b * x)), x, rtol=1e-12)


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


@pytest.mark.parametrize("upper", [True, False])
def test_the_worst_of_strata_with_point_masses(upper):
    laws = br.Inflated(br.Beta(2, 2), 0.1, 0.05), br.Inflated(br.Beta(2, 3), 0.3, 0.2)
    x, worst = np.linspace(0.05, 0.95, 19), over_strata(laws, None, upper=upper)
    rates = [law.sf(x) if upper else law.cdf(x) for law in laws]
    found = worst.sf(x) if upper else worst.cdf(x)
    assert_allclose(found, np.max(rates, axis=0), rtol=1e-12)
    assert_allclose(worst.isf(found) if upper else worst.ppf(found), x, rtol=1e-9)
    mean = over_strata(laws, np.array([0.3, 0.7]), upper=upper)
    assert_allclose(mean.cdf(x), 0.3 * laws[0].cdf(x) + 0.7 * laws[1].cdf(x), rtol=1e-12)
    assert_allclose(mean.ppf(mean.cdf(x)), x, rtol=1e-9)
