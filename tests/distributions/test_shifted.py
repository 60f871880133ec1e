"""Distributions and models whose scores are moved: what stays, what moves along."""

import json
import math

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import betainc, expit, logit

import betaroc as br
from betaroc.distributions.pairs import Pair
from betaroc.distributions.shifted import ShiftedPair, moved_law

X = np.array([1e-12, 0.01, 0.3, 0.5, 0.8, 0.999])


def test_rates_and_ends_are_those_of_the_score_before_the_move():
    """P(S' <= x) = P(S <= expit((logit x - 0.7) / 1.5)), by scipy's incomplete beta."""
    law = br.Shifted(br.Beta(0.6, 2.5), 0.7, 1.5)
    before = expit((logit(X) - 0.7) / 1.5)
    assert_allclose(law.cdf(X), betainc(0.6, 2.5, before), rtol=1e-12)
    assert_allclose(law.sf(X), betainc(2.5, 0.6, expit(-logit(before))), rtol=1e-9)
    assert_allclose(law.isf(law.sf(X[1:])), X[1:], rtol=1e-12)
    # Odds squared: s' = s^2 / (s^2 + (1 - s)^2), so the exponents are 1/2, near 0 P ~
    # sqrt(s').
    law, s = br.Shifted(br.Beta(1, 1), 0.0, 2.0), np.array([0.1, 0.25, 0.5])
    assert_allclose(law.cdf(s**2 / (s**2 + (1 - s) ** 2)), s, rtol=1e-14)
    ends = br.ScoreModel(law, br.Beta(1, 1)).ends()  # F_i = s', F_c = sqrt(s')
    for end in (ends.at_zero, ends.at_one):
        assert (end.exponent, end.coefficient) == pytest.approx((2.0, 1.0))
    model = br.ScoreModel(br.Shifted(br.Beta(0.7, 1.8), 0.8, 1.3), br.Beta(1.1, 2.0))
    zero, one = model.ends().at_zero, model.ends().at_one
    low, high = model.at_frr(1e-40), model.at_far(1e-40)
    assert low.tnr == pytest.approx(zero.coefficient * low.frr**zero.exponent, rel=1e-9)
    assert high.far == pytest.approx(one.coefficient * high.tpr**one.exponent, rel=1e-9)


HOOK = br.ScoreModel(br.Beta(0.47, 0.36), br.Beta(0.77, 1.91), prior=0.3)
TWO = br.BetaMixture([0.4, 0.6], [br.Beta(2, 3), br.Beta(6, 1.2)])
BASES = {
    "hook": HOOK,
    "far hook": br.ScoreModel(br.Beta(0.4315, 1.3747), br.Beta(0.4313, 0.35), prior=0.3),
    "mixture with atoms": br.ScoreModel(br.Inflated(TWO, 0.2), br.Inflated(br.Beta(2, 5), 0.1)),
    "normal": br.ScoreModel(br.Normal(1.0, 0.7), br.Normal(0.0, 1.1)),
    "atoms off [0, 1]": br.ScoreModel(
        br.Inflated(br.Normal(0.9, 0.7), 0.1, 0.2), br.Inflated(br.Normal(0.2, 0.7), 0.3)
    ),
    "samples": br.ScoreModel(
        br.Empirical([0.1, 0.5, 0.5, 0.9]), br.Empirical([0.1, 0.2, 0.5, 0.0])
    ),
}
NUMBERS = {
    "auc": lambda m: [m.auc()],
    "eer": lambda m: [m.eer().far, m.eer().frr],
    "h": lambda m: [m.h_measure()],
    "roc": lambda m: m.roc().tpr(np.linspace(0.0, 1.0, 11)),
    "crossings": lambda m: m.diagonal_crossings().far,
    "inflections": lambda m: [*m.inflections().far, *m.inflections().tpr],
    "ends": lambda m: [*m.semi_derivatives(), m.ends().at_zero.exponent, m.ends().at_one.exponent],
    "weighted error": lambda m: [m.min_weighted_error(w).weighted_error(w) for w in (0.2, 0.6)],
}


@pytest.mark.simulation
@pytest.mark.parametrize("name", BASES)
def test_one_map_for_both_leaves_the_roc(name):
    base, moved = BASES[name], BASES[name].shifted(client=0.6, impostor=0.6, scale=1.7)
    for what, number in NUMBERS.items():
        rtol = 1e-8 if what == "h" else 1e-10
        assert_allclose(number(moved), number(base), rtol=rtol, atol=1e-13, err_msg=what)


def test_thresholds_move_along_and_a_model_keeps_what_does_not_move():
    moved = HOOK.shifted(client=0.6, impostor=0.6, scale=1.7)
    assert type(moved._pair) is ShiftedPair
    for point, other in ((HOOK.eer(), moved.eer()), (HOOK.at_far(0.01), moved.at_far(0.01))):
        assert other.logit_threshold == pytest.approx(1.7 * point.logit_threshold + 0.6, rel=1e-10)
    assert type(HOOK.shifted(client=0.6, impostor=0.5)._pair) is Pair
    model = br.ScoreModel(br.Beta(2, 1), br.Beta(1, 2), prior=0.2, name="A")
    moved = model.shifted(client=0.5)
    assert (moved.impostor, moved.prior, moved.name) == (model.impostor, 0.2, "A")
    assert moved.client == br.Shifted(br.Beta(2, 1), 0.5)
    assert moved.shifted(client=-0.5).client == br.Shifted(br.Beta(2, 1))
    twice = br.Shifted(br.Shifted(br.Beta(2, 1), 1.0, 2.0), 0.5, 3.0)
    assert twice == br.Shifted(br.Beta(2, 1), 3.5, 6.0)
    assert model.generic().shifted(client=0.1).is_generic
    with pytest.raises(TypeError, match="positional"):  # it would move one class in silence
        model.shifted(0.5)


def test_samples_and_bins_move_by_score():
    moved = br.ScoreModel(br.Empirical([0.25, 0.75]), br.Empirical([-0.5, 0.5])).shifted(
        client=0.5, scale=2.0
    )
    assert (moved.client, moved.impostor) == (br.Empirical([1.0, 2.0]), br.Empirical([-1.0, 1.0]))
    inside = br.ScoreModel(br.Empirical([0.0, 0.5]), br.Empirical([0.5, 1.0])).shifted(
        client=math.log(3)
    )
    assert inside.client == br.Empirical([0.0, expit(math.log(3))])
    # An area is a count: of a sample v Beta(1, 1), the mean of the scores before the move.
    model = br.ScoreModel(br.Empirical([0.2, 0.4, 0.9]), br.Beta(1.0, 1.0))
    assert model.shifted(client=0.5, impostor=0.5, scale=0.7).auc() == pytest.approx(0.5, rel=1e-10)
    binned = br.Binned([0.0, 0.25, 0.5, 1.0], [1, 2, 1])
    moved = moved_law(binned, 0.3, 2.0, logit=True)
    places, there = (law.atoms.places[:2] for law in (binned, moved))  # and 1, which stays
    assert_allclose(there, expit(2.0 * logit(places) + 0.3), rtol=1e-12)
    assert_array_equal(moved.atoms.masses, binned.atoms.masses)
    assert (moved.support[1], moved._parameters()) == (1.0, ())


def test_zeros_and_ones_stay_or_are_drawn_as_logits_and_moved_samples_are_samples():
    law = br.Shifted(br.Inflated(br.Beta(2, 3), 0.1, 0.2), 3.0, 0.5)
    assert law.atoms.places.tolist() == [0.0, 1.0]
    assert (law.cdf(0.0), law.sf(np.nextafter(1.0, 0.0))) == pytest.approx((0.1, 0.2))
    content = br.Shifted(br.Beta(2, 3), 0.5, 2.0).to_dict()
    old = content | {"base": br.Empirical([0.0, 0.5, 1.0]).to_dict()}
    assert br.from_json(json.dumps(old)) == br.Empirical([0.0, expit(0.5), 1.0])
    with pytest.raises(br.errors.InputTypeError, match="base must be a distribution with a dens"):
        br.Shifted(br.Empirical([0.25, 0.75]), 0.5)
    # Of Beta(1, 0.02) half the scores round to 1; moved down by 60 logits they spread out.
    law, off = br.Shifted(br.Beta(1.0, 0.02), -60.0), 4.0 * math.sqrt(0.25 / 4000)
    sample = law.sample(4000, rng=5)
    exact = 1.0 - np.exp(-60.0 * 0.02) * 2.0 ** (-54 * 0.02)  # P(1 - S' >= 2^-54)
    assert np.mean(sample < 1.0) == pytest.approx(exact, abs=off)
    x = np.array([1e-20, 1e-10, 1e-3, 0.5, 0.99])
    assert_allclose([np.mean(sample <= v) for v in x], law.cdf(x), atol=off)


@pytest.mark.simulation
def test_variance_close_to_one():
    """1 - S' = x/(x + e^shift (1 - x)), x = 1 - S of Beta(2, 3): moments by mpmath."""
    shift = 20.0
    ends = [0, 1, shift / 2, shift - 5, shift, shift + 5, shift + 60]

    def moment(k):
        def value(v):  # v = -log(1 - x), where the bend at 1 - x = exp(-shift) is wide
            x, rest = -mpmath.expm1(-v), mpmath.exp(-v)
            return (x / (x + mpmath.exp(shift) * rest)) ** k * x * rest**3 * 12

        return mpmath.quad(value, ends)

    with mpmath.workdps(40):
        exact = float(moment(2) - moment(1) ** 2)
    assert br.Shifted(br.Beta(3.0, 2.0), shift).var == pytest.approx(exact, rel=1e-11)
