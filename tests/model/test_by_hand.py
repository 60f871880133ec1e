"""Small cases whose numbers are counted or derived beside them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

import betaroc as br
from betaroc.model.areas import precision_at
from betaroc.model.ends import shape_of_ends
from betaroc.model.improper_regions import hooks_of
from betaroc.model.operating_points import exact_weight


def test_of_two_equally_near_thresholds_the_eer_takes_the_smaller_sum() -> None:
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


def test_a_shift_of_one_class_leaves_the_other() -> None:
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
def test_each_pair_of_signs_has_its_shape(a: float, b: float, shape: str) -> None:
    assert br.Beta(a, b).shape == shape


def test_two_moves_are_one() -> None:
    """2 (3 s + 1) + 5 = 6 s + 7; of logits too."""
    base = br.BetaMixture([0.4, 0.6], [br.Beta(2.0, 3.0), br.Beta(6.0, 1.2)])
    twice = br.Shifted(br.Shifted(base, 1.0, 3.0), 5.0, 2.0)
    assert (twice.base, twice.shift, twice.scale) == (base, 7.0, 6.0)


def test_the_hull_of_samples_meets_equal_rates_in_both_orientations() -> None:
    """Between (0, 1/2) and (1/2, 1) FAR is u/2 and FRR (1 - u)/2, equal at u = 1/2."""
    client, impostor = [0.2, 0.4, 0.8, 0.9], [0.1, 0.15, 0.3, 0.5]
    for positive in ("client", "impostor"):
        roc = br.ScoreModel(br.Empirical(client), br.Empirical(impostor)).roc(positive=positive)
        found = roc.hull().eer()
        assert (found.far, found.frr) == pytest.approx((0.25, 0.25))


def test_a_lower_end_of_mixtures_has_the_ratio_of_their_leading_terms() -> None:
    """F ~ c theta^a, c = w / (a B(a, b)), of the least a; k = c_i / c_c^rho."""
    client = br.BetaMixture([0.4, 0.6], [br.Beta(1.5, 2.0), br.Beta(5.0, 2.0)])
    impostor = br.BetaMixture([0.3, 0.7], [br.Beta(0.5, 2.0), br.Beta(2.0, 6.0)])
    c = 0.4 / (1.5 * math.gamma(1.5) * math.gamma(2.0) / math.gamma(3.5))
    i = 0.3 / (0.5 * math.gamma(0.5) * math.gamma(2.0) / math.gamma(2.5))
    end = br.ScoreModel(client, impostor).ends().at_zero
    assert end.exponent == pytest.approx(1.0 / 3.0, rel=1e-12)
    assert end.coefficient == pytest.approx(i / c ** (1.0 / 3.0), rel=1e-12)
    assert (end.semi_derivative, end.side) == (math.inf, "above")


def test_partial_areas_of_a_uniform_impostor_are_integrals_of_powers() -> None:
    """TPR = 1 - (1 - x)^3 of Beta(3, 1) clients: from 0 to h, h - (1 - (1 - h)^4) / 4."""
    model = br.ScoreModel(br.Beta(3.0, 1.0), br.Beta(1.0, 1.0))
    for low, high in ((0.0, 1e-9), (0.0, 0.1), (0.2, 0.7), (1.0 - 1e-6, 1.0)):
        below, above = ((-np.expm1(4.0 * np.log1p(-x)) if x < 1 else 1.0) for x in (low, high))
        expected = (high - low) - (above - below) / 4.0
        if high < 1e-6:
            expected = 1.5 * high * high  # 3 x to first order
        assert model.partial_auc(low, high) == pytest.approx(expected, rel=1e-8)


def test_a_mixture_is_certain_at_its_upper_end() -> None:
    law = br.BetaMixture([0.1, 0.2, 0.7], [br.Beta(2, 5), br.Beta(7, 3), br.Beta(0.7, 0.9)])
    assert (law.cdf(1.0), law.logcdf(1.0), law.sf(0.0), law.logsf(0.0)) == (1.0, 0.0, 1.0, 0.0)


def test_moments_of_a_logit_normal_are_those_of_scipys_quadrature() -> None:
    law = br.LogitNormal(1.3, 2.1)
    first = stats.norm(1.3, 2.1).expect(expit, limit=200)
    second = stats.norm(1.3, 2.1).expect(lambda y: expit(y) ** 2, limit=200)
    assert law.mean == pytest.approx(first, rel=1e-9)
    assert law.var == pytest.approx(second - first**2, rel=1e-8)


def test_sides_of_both_ends_are_the_shape() -> None:
    assert shape_of_ends(0.0, 0.0) == "chance"
    assert (shape_of_ends(1.0, 1.0), shape_of_ends(1.0, 0.0)) == ("proper", "proper")
    assert (shape_of_ends(-1.0, -1.0), shape_of_ends(0.0, -1.0)) == ("below", "below")
    assert (shape_of_ends(-1.0, 1.0), shape_of_ends(1.0, -1.0)) == ("hook-at-zero", "hook-at-one")


@pytest.mark.parametrize(
    ("value", "meant"),
    [(0.1, Fraction(1, 10)), (1 / 3, Fraction(1, 3)), (0.0, 0), (1.0, 1),
     (1e-12, Fraction(1, 10**12)), (1.0 - 1e-12, 1 - Fraction(1, 10**12)),
     (0.123456789, Fraction(123456789, 10**9))],
)  # fmt: skip
def test_a_weight_is_the_decimal_that_was_meant(value: float, meant: Fraction) -> None:
    assert exact_weight(value) == meant


def test_a_threshold_between_two_atoms_has_an_eer_by_randomising() -> None:
    """From all accepted to (.1, .3): FAR = 1 - .9 u and FRR = .3 u are equal at u = 1/1.2."""
    model = br.ScoreModel(br.Inflated(br.Beta(2, 2), 0.3), br.Inflated(br.Beta(2, 2), 0.9))
    for positive in ("client", "impostor"):
        found = model.roc(positive=positive).hull().eer()
        assert (found.far, found.frr) == pytest.approx((0.25, 0.25), rel=1e-9)


def test_precision_where_nothing_is_accepted_is_a_limit() -> None:
    """The ROC of Beta(2, 1) v Beta(1, 1) starts with slope 2: precision 2 p/(2 p + 1 - p)."""
    pair = br.ScoreModel(br.Beta(2, 1), br.Beta(1, 1))._pair
    assert precision_at(pair, 0.25, 0.0) == pytest.approx(0.5 / 1.25)
    assert precision_at(pair, 0.0, 0.0) == 0.0
    steep = br.ScoreModel(br.Beta(1, 0.5), br.Beta(1, 1))._pair
    assert precision_at(steep, 0.25, 0.0) == 1.0


def test_curves_end_on_the_side_of_their_other_end() -> None:
    """Both densities are 1 at score 0; at 1 the one with Beta(3, 1) alone is not 0."""
    client = br.BetaMixture([0.5, 0.5], [br.Beta(1, 2), br.Beta(3, 1)])
    impostor = br.BetaMixture([0.5, 0.5], [br.Beta(1, 2), br.Beta(2, 2)])
    ends = br.ScoreModel(client, impostor).ends()
    assert (ends.at_zero.semi_derivative, ends.at_zero.side) == (1.0, "on")
    assert ends.at_one.side == "above"
    assert hooks_of(br.ScoreModel(client, impostor), 10, 10) == ()
    (hook,) = hooks_of(br.ScoreModel(impostor, client), 10, 10)
    assert (hook.end, hook.far_low, hook.far_high) == ("everywhere", 0.0, 1.0)
