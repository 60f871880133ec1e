"""Pareto tails and spliced distributions: by hand and against scipy's own Pareto."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.special import logit

import betaroc as br
from betaroc.core.thresholds import Thresholds
from helpers.cases import over

BODY = br.Beta(2.0, 8.0)
JOINT = 0.3


def test_beyond_the_end_and_before_the_joint():
    tail = br.ParetoTail(0.1, -0.5, 2.0)  # ends 2/0.5 beyond the joint
    assert (tail.end, br.ParetoTail(0.1, 0.0, 2.0).end) == (4.0, math.inf)
    assert tail._log_rate([-1.0, 4.0, 9.0]).tolist() == [math.log(0.1), -math.inf, -math.inf]
    assert tail._log_density([-0.1, 4.1]).tolist() == [-math.inf, -math.inf]
    assert tail._distance([0.0, math.log(0.1), -math.inf]).tolist() == [0.0, 0.0, 4.0]
    low, high = br.ParetoTail(0.25, 0.0, 1.0), br.ParetoTail(0.25, -0.15625, 0.28125)
    law = br.Spliced(br.Beta(1.0, 1.0), low, high)
    assert br.ScoreModel(law, law).ks() == 0.0


@over("side", {"lower": 0, "upper": 1})
@pytest.mark.parametrize("shape", [-0.3, 0.0, 0.3])
def test_the_declared_tail_is_the_tail_far_out(side, shape):
    tail = br.ParetoTail(0.05, shape, 0.4)
    law = br.Spliced(br.Normal(0.7, 1.0), **{("lower", "upper")[side]: tail})
    declared = law._tails()[side]
    end, sign = law.support[side], (-1.0, 1.0)[side]
    u = sign * (30.0 if shape == 0.0 else 1e9) if math.isinf(end) else end - sign * 1e-6
    size = {0.3: math.log(abs(u)), 0.0: abs(u), -0.3: -math.log(1e-6)}[shape]
    log_tail = law.logsf(u) if side else law.logcdf(u)
    assert declared.log_coefficient - declared.rate * size == pytest.approx(log_tail, abs=1e-5)


def upper(shape, scale=0.4):
    return br.Spliced(BODY, upper=br.ParetoTail(0.02, shape, scale, logit(JOINT)))


@pytest.mark.parametrize("shape", [-0.4, 0.0, 0.3])
def test_rates_are_those_of_both_parts(shape):
    law, body = upper(shape), stats.beta(2.0, 8.0)
    below, above = np.array([0.01, 0.1, 0.29]), np.array([0.31, 0.4, 0.5])
    x, tail = logit(above) - logit(JOINT), stats.genpareto(shape, scale=0.4)
    rates, left = 0.02 * tail.sf(x), 0.98 / body.cdf(JOINT)
    assert_allclose([law.sf(above), law.cdf(above)], [rates, 1.0 - rates], rtol=1e-12)
    assert_allclose(law.cdf(below), body.cdf(below) * left, rtol=1e-12)
    assert_allclose(law.pdf(above), 0.02 * tail.pdf(x) / (above * (1.0 - above)), rtol=1e-12)
    assert_allclose(law.pdf(below), body.pdf(below) * left, rtol=1e-12)
    assert law.sf(JOINT) == pytest.approx(0.02, rel=1e-12)


def test_deep_rates_keep_their_digits_on_the_logit():
    """A shape of 0: P = mass exp(-(y - joint)/scale), through 1e-300."""
    y = logit(JOINT) + 0.4 * (math.log(0.02) - math.log(1e-300))
    rate, log = upper(0.0)._upper(Thresholds.from_logit(np.array([y])))
    assert rate[0] == pytest.approx(1e-300, rel=1e-10)
    assert log[0] == pytest.approx(math.log(1e-300), rel=1e-13)
    far = logit(JOINT) + 0.4 / 0.3 * ((0.02 / 1e-300) ** 0.3 - 1.0)
    assert upper(0.3)._upper(Thresholds.from_logit(np.array([far])))[0][0] == pytest.approx(1e-300)


def test_cosines_have_tails_on_the_logit_of_their_bounds():
    """(1 + s)/2 of a spliced distribution on [-1, 1]; its rates by hand."""
    tail = br.ParetoTail(0.05, 0.0, 0.5, logit(0.7))
    law = br.Spliced(br.Normal(0.0, 0.1), upper=tail, bounds=(-1.0, 1.0))
    s = np.array([0.5, 0.9, 1.0 - 1e-9])
    u = 0.5 * (1.0 + s)
    expected = 0.05 * np.exp(-(logit(u) - logit(0.7)) / 0.5)
    assert_allclose(law.sf(s), expected, rtol=1e-6)
    assert_allclose(law.pdf(s), expected / 0.5 / (u * (1.0 - u)) / 2.0, rtol=1e-6)


@pytest.mark.parametrize("bounds", [(-2.0, 2.5), None])
def test_slopes_of_a_tail_within_bounds_are_those_of_the_log_density(bounds):
    tails = br.ParetoTail(0.02, 0.1, 0.3), br.ParetoTail(0.03, -0.1, 0.2)
    law, step = br.Spliced(br.Normal(0.1, 0.3), *tails, bounds=bounds), 1e-6
    theta = np.array([law.ppf(0.004), law.ppf(0.4), law.isf(0.01)])
    near = [law._log_density(Thresholds.from_theta(theta + k * step)) for k in (1, -1)]
    slope = law._log_density_slope(Thresholds.from_theta(theta))
    assert_allclose(slope, (near[0] - near[1]) / (2 * step), rtol=1e-7)


def test_counts_in_the_middle_and_a_tail_at_the_end():
    scores = np.arange(1.0, 101.0)
    law = br.Spliced(br.Empirical(scores), upper=br.ParetoTail(0.1, 0.0, 5.0, 90.0))
    rates = law.cdf(50.0), law.sf(90.0), law.sf(100.0)
    assert rates == pytest.approx((0.5, 0.1, 0.1 * math.exp(-2.0)))
    share, rest = law.continuous
    assert (share, rest.sf(95.0)) == pytest.approx((0.1, math.exp(-1.0)))
    assert law.atoms.places.tolist() == scores[:90].tolist()
    assert law.mean == pytest.approx(np.sum(scores[:90]) / 100 + 0.1 * 95.0)
    for shape, mean in ((0.5, 3.0 + 0.1 / 0.5), (1.0, math.inf)):
        law = br.Spliced(br.Empirical([3.0] * 10), upper=br.ParetoTail(0.1, shape, 1.0, 3.0))
        assert (law.mean, law.var) == (pytest.approx(mean, rel=1e-6), math.inf)


def test_the_exponent_of_a_tail_is_that_of_the_roc():
    """Of shape 0 the tail is a power 1/scale of the distance to 1: FAR ~ K TPR^rho."""
    model = br.ScoreModel(br.Beta(6.0, 2.0), upper(0.0, 0.25))
    end, far = model.ends().at_one, 1e-60
    assert end.exponent == pytest.approx(4.0 / 2.0)
    tpr = float(model.at_far(far).tpr)
    assert end.coefficient * tpr**end.exponent == pytest.approx(far, rel=1e-6)
    # Heavier than any power; ending before; a power 4 against 2.
    for shape, semi in ((0.2, math.inf), (-0.2, 0.0), (0.0, 0.0)):
        model = br.ScoreModel(br.Beta(6.0, 2.0), upper(shape, 0.25))
        assert model.semi_derivatives().at_one == semi
