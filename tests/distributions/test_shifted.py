"""Laws and models whose scores are moved: what stays, what moves along, what is refused.

The contract of a law runs over rows of families.py; here stand the numbers of the map itself.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from scipy.special import betainc, expit, logit

import betaroc as br
from betaroc.distributions.pairs import Pair
from betaroc.distributions.shifted import ShiftedPair
from helpers.extras import needs

mpmath = needs("mpmath", "test")

X = np.array([1e-12, 0.01, 0.3, 0.5, 0.8, 0.999])


def test_rates_are_those_of_the_score_before_the_move() -> None:
    """P(S' <= x) = P(S <= expit((logit x - 0.7) / 1.5)), by scipy's incomplete beta."""
    law = br.Shifted(br.Beta(0.6, 2.5), 0.7, 1.5)
    before = expit((logit(X) - 0.7) / 1.5)
    np.testing.assert_allclose(law.cdf(X), betainc(0.6, 2.5, before), rtol=1e-12)
    np.testing.assert_allclose(law.sf(X), betainc(2.5, 0.6, expit(-logit(before))), rtol=1e-9)
    np.testing.assert_allclose(law.isf(law.sf(X[1:])), X[1:], rtol=1e-12)


def test_a_scaled_uniform_law_by_hand() -> None:
    """Odds squared: s' = s^2 / (s^2 + (1 - s)^2), so the exponents are 1/2, near 0 P ~ sqrt(s')."""
    law = br.Shifted(br.Beta(1, 1), 0.0, 2.0)
    s = np.array([0.1, 0.25, 0.5])
    np.testing.assert_allclose(law.cdf(s**2 / (s**2 + (1 - s) ** 2)), s, rtol=1e-14)
    ends = br.ScoreModel(law, br.Beta(1, 1)).ends()  # F_i = s', F_c = sqrt(s')
    assert (ends.at_zero.exponent, ends.at_zero.coefficient) == pytest.approx((2.0, 1.0))
    assert (ends.at_one.exponent, ends.at_one.coefficient) == pytest.approx((2.0, 1.0))


@pytest.mark.parametrize("shift", [-1.3, 0.8])
def test_coefficients_of_the_ends_are_limits_of_the_rates(shift: float) -> None:
    model = br.ScoreModel(br.Shifted(br.Beta(0.7, 1.8), shift, 1.3), br.Beta(1.1, 2.0))
    ends = model.ends()
    low, high = model.at_frr(1e-40), model.at_far(1e-40)
    near = ends.at_zero.coefficient * low.frr**ends.at_zero.exponent
    assert low.tnr == pytest.approx(near, rel=1e-9)
    assert high.far == pytest.approx(
        ends.at_one.coefficient * high.tpr**ends.at_one.exponent, rel=1e-9
    )


def test_density_at_the_ends() -> None:
    """Near 0 f ~ e^(-shift a) x^(a-1) / B: finite at a = 1, where 1/B = b."""
    assert br.Shifted(br.Beta(1.0, 2.5), 0.7).pdf(0.0) == pytest.approx(2.5 * math.exp(-0.7))
    assert br.Shifted(br.Beta(2.5, 1.0), 0.7).pdf(1.0) == pytest.approx(2.5 * math.exp(0.7))
    assert br.Shifted(br.Beta(1.0, 1.0), 0.0, 2.0).pdf([0.0, 1.0]).tolist() == [math.inf] * 2
    assert br.Shifted(br.Beta(1.0, 1.0), 0.0, 0.5).pdf([0.0, 1.0]).tolist() == [0.0, 0.0]


BASES = {
    "hook": br.ScoreModel(br.Beta(0.47, 0.36), br.Beta(0.77, 1.91), prior=0.3),
    "far hook": br.ScoreModel(br.Beta(0.4315, 1.3747), br.Beta(0.4313, 0.35), prior=0.3),
    "tie": br.ScoreModel(br.Beta(2.0, 1.0), br.Beta(1.0, 1.0), prior=0.3),
    "mixture": br.ScoreModel(
        br.BetaMixture([0.4, 0.6], [br.Beta(2, 3), br.Beta(6, 1.2)]), br.Beta(1, 2)
    ),
    "normal": br.ScoreModel(br.Normal(1.0, 0.7), br.Normal(0.0, 1.1)),
    "atoms": br.ScoreModel(br.Inflated(br.Beta(3, 1), 0.1, 0.2), br.Inflated(br.Beta(1, 2), 0.3)),
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
    "ks": lambda m: [m.ks()],
    "partial": lambda m: [m.partial_auc(0.05, 0.3)],
    "roc": lambda m: m.roc().tpr(np.linspace(0.0, 1.0, 11)),
    "crossings": lambda m: m.diagonal_crossings().far,
    "inflections": lambda m: [*m.inflections().far, *m.inflections().tpr],
    "ends": lambda m: [*m.semi_derivatives(), m.ends().at_zero.exponent, m.ends().at_one.exponent],
    "weighted error": lambda m: [m.min_weighted_error(w).weighted_error(w) for w in (0.2, 0.6)],
    "precision": lambda m: [m.average_precision()],
    "shape": lambda m: [{"proper": 0, "below": 1, "hook-at-zero": 2}.get(m.global_shape(), 3)],
}


@pytest.mark.simulation
@pytest.mark.parametrize("generic", [False, True], ids=["closed", "generic"])
@pytest.mark.parametrize("name", BASES)
def test_one_map_for_both_leaves_the_roc(name: str, generic: bool) -> None:
    base = BASES[name]
    if generic and name == "far hook":
        return  # its crossing lies beyond what bracketing reaches
    moved = br.ScoreModel(
        br.Shifted(base.client, 0.6, 1.7), br.Shifted(base.impostor, 0.6, 1.7), prior=base.prior
    )
    moved = moved.generic() if generic else moved
    # Samples decide between scores, their moved laws at scores where the pair is generic.
    for what, number in NUMBERS.items():
        if generic and name == "samples" and what == "weighted error":
            continue
        np.testing.assert_allclose(
            number(moved), number(base), rtol=1e-8 if generic else 1e-10, atol=1e-13, err_msg=what
        )


def test_thresholds_move_along() -> None:
    base = BASES["hook"]
    moved = base.shifted(0.6, 0.6, scale=1.7)
    assert type(moved._pair) is ShiftedPair
    for point, other in ((base.eer(), moved.eer()), (base.at_far(0.01), moved.at_far(0.01))):
        assert other.logit_threshold == pytest.approx(1.7 * point.logit_threshold + 0.6, rel=1e-10)
    assert type(base.shifted(0.6, 0.5)._pair) is Pair


def test_epc_under_a_shift_by_hand() -> None:
    """Threshold 0 of the dev model; impostors half a unit up: (Phi(-1) + Phi(-1/2)) / 2."""
    dev = br.ScoreModel(br.Normal(1, 1), br.Normal(-1, 1))
    value = br.epc(dev, dev.shifted(impostor=0.5), alpha=[0.5]).value[0]
    phi = NormalDist().cdf
    assert value == pytest.approx((phi(-1.0) + phi(-0.5)) / 2.0, rel=1e-12)
    beta = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5))
    curve = br.epc(beta, beta.shifted(impostor=0.5))
    np.testing.assert_allclose(curve.frr, br.epc(beta, beta).frr, rtol=1e-12)
    inner = (curve.far > 0) & (curve.far < 1)
    assert np.all(curve.far[inner] > br.epc(beta, beta).far[inner])


def test_model_shifted_keeps_what_does_not_move() -> None:
    model = br.ScoreModel(br.Beta(2, 1), br.Beta(1, 2), prior=0.2, name="A")
    assert model.shifted() == model
    moved = model.shifted(client=0.5)
    assert (moved.impostor, moved.prior, moved.name) == (model.impostor, 0.2, "A")
    assert moved.client == br.Shifted(br.Beta(2, 1), 0.5)
    assert moved.shifted(client=-0.5).client == br.Shifted(br.Beta(2, 1))
    assert model.generic().shifted(0.1).is_generic


def test_samples_move_by_score_where_one_class_leaves_the_unit_interval() -> None:
    model = br.ScoreModel(br.Empirical([0.25, 0.75]), br.Empirical([-0.5, 0.5]))
    moved = model.shifted(0.5, scale=2.0)
    assert moved.client == br.Empirical([1.0, 2.0])
    assert moved.impostor == br.Empirical([-1.0, 1.0])
    inside = br.ScoreModel(br.Empirical([0.0, 0.5]), br.Empirical([0.5, 1.0])).shifted(math.log(3))
    assert inside.client == br.Empirical([0.0, expit(math.log(3))])
    law = br.Shifted(br.Empirical([0.25, 0.75]), 0.5, 2.0, logit=False)
    assert law.atoms.places.tolist() == [1.0, 2.0]
    assert law == eval(repr(law), {"Shifted": br.Shifted, "Empirical": br.Empirical})


def test_exact_zeros_and_ones_stay() -> None:
    law = br.Shifted(br.Inflated(br.Beta(2, 3), 0.1, 0.2), 3.0, 0.5)
    assert law.atoms.places.tolist() == [0.0, 1.0]
    assert (law.cdf(0.0), law.sf(np.nextafter(1.0, 0.0))) == pytest.approx((0.1, 0.2))
    assert br.Shifted(br.Empirical([0.0, 0.5, 1.0]), -2.0).support == (0.0, 1.0)


def test_scores_at_the_ends_are_drawn_as_logits() -> None:
    """Of Beta(1, 0.02) half the scores round to 1; moved down by 60 logits they spread out."""
    law = br.Shifted(br.Beta(1.0, 0.02), -60.0)
    sample = law.sample(4000, rng=5)
    exact = 1.0 - np.exp(-60.0 * 0.02) * 2.0 ** (-54 * 0.02)  # P(1 - S' >= 2^-54)
    assert np.mean(sample < 1.0) == pytest.approx(exact, abs=4.0 * math.sqrt(0.25 / 4000))
    x = np.array([1e-20, 1e-10, 1e-3, 0.5, 0.99])
    share = np.array([np.mean(sample <= v) for v in x])
    np.testing.assert_allclose(share, law.cdf(x), atol=4.0 * math.sqrt(0.25 / 4000))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: br.Shifted(0.5), br.InputTypeError, "base must be a distribution"),
        (lambda: br.Shifted(br.Beta(1, 1), math.inf), br.InputError, "shift must be a finite"),
        (
            lambda: br.Shifted(br.Beta(1, 1), 0, 0),
            br.InputError,
            "scale must be a finite number > 0",
        ),
        (lambda: br.Shifted(br.Normal(0, 1), 1, logit=True), br.InputError, "logit must be False"),
        (lambda: br.Shifted(br.Beta(1, 1), 1, logit=1), br.InputTypeError, "True or False"),
        (
            lambda: br.Shifted(br.Inflated(br.Normal(0, 1), 0.1, 0.1), 1.0, 1e-30),
            br.InputError,
            "keep the point masses of base apart",
        ),
        (
            lambda: br.ScoreModel(br.Beta(1, 2), br.Beta(1, 1)).shifted("1"),
            br.InputTypeError,
            "client",
        ),
    ],
)
def test_what_cannot_be_moved_is_said(call, error, words) -> None:
    with pytest.raises(error, match=words) as caught:
        call()
    assert len(str(caught.value)) <= 400


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_a_double_shift_whose_scale_is_no_number_is_refused(scale: float) -> None:
    once = br.Shifted(br.Beta(2.0, 3.0), 1.0, scale)
    with pytest.raises(br.InputError, match="scale"):
        br.Shifted(once, 3.0, scale)


@pytest.mark.simulation
@pytest.mark.parametrize(("base", "shift"), [((2.0, 1.0), 40.0), ((3.0, 2.0), 20.0)])
def test_variance_close_to_one(base: tuple[float, float], shift: float) -> None:
    """1 - S' = x/(x + e^shift (1 - x)), x = 1 - S: moments by mpmath."""
    law = br.Shifted(br.Beta(*base), shift)
    with mpmath.workdps(40):
        a, b, odds = mpmath.mpf(base[1]), mpmath.mpf(base[0]), mpmath.exp(shift)
        weight = mpmath.beta(a, b)

        def moment(k: int) -> mpmath.mpf:
            def value(x: mpmath.mpf) -> mpmath.mpf:
                away = x / (x + odds * (1 - x))
                return away**k * x ** (a - 1) * (1 - x) ** (b - 1) / weight

            # In v = -log(1 - x), where the bend at 1 - x = exp(-shift) is wide.
            return mpmath.quad(
                lambda v: value(-mpmath.expm1(-v)) * mpmath.exp(-v),
                [0, 1, shift / 2, shift - 5, shift, shift + 5, shift + 60],
            )

        first, second = moment(1), moment(2)
        assert law.var == pytest.approx(float(second - first**2), rel=1e-11)
