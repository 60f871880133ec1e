"""The H-measure against its definition, hand integrals and invariances."""

import mpmath
import numpy as np
import pytest
from scipy import stats

import betaroc as br

RNG = np.random.default_rng(7)
PAIRS = {
    "bell": br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4)),
    "hook": br.ScoreModel(br.Beta(0.47, 0.36), br.Beta(0.77, 1.91), prior=0.3),
    "binormal": br.ScoreModel(br.Normal(1, 1), br.Normal(0, 2), prior=0.6),
    "inflated": br.ScoreModel(
        br.Inflated(br.Beta(2, 1), 0.05, 0.1), br.Inflated(br.Beta(1, 2), 0.2, 0.01)
    ),
    "mixed": br.ScoreModel(br.Empirical(RNG.normal(1, 1, 9)), br.Normal(0, 1), prior=0.2),
}


def by_definition(model, a, b):
    """1 - int Q u dc / int min(c pi0, (1 - c) pi1) u dc, Q by the library's global minimum."""
    pi = model.prior
    nodes, weights = np.polynomial.legendre.leggauss(12)
    low = np.linspace(0, 1, 41)[:-1, None]
    c, weights = (low + (nodes + 1) / 80).ravel(), np.tile(weights / 80, 40)
    # c (1 - pi) FAR + (1 - c) pi FRR is (sum of weights) times a weighted error.
    least = br.epc(model, model, alpha=c * (1 - pi) / (c * (1 - pi) + (1 - c) * pi))
    weights *= stats.beta.pdf(c, a, b)
    most = weights @ np.minimum(c * (1 - pi), (1 - c) * pi)
    return 1 - weights @ (c * (1 - pi) * least.far + (1 - c) * pi * least.frr) / most


@pytest.mark.simulation
@pytest.mark.parametrize(("name", "weights"), [
    *((name, "beta22") for name in PAIRS), ("hook", "prior"), ("mixed", (3.0, 1.5)),
])  # fmt: skip
def test_the_definition(name, weights):
    model = PAIRS[name]
    shapes = {"beta22": (2.0, 2.0), "prior": (1 + model.prior, 2 - model.prior)}
    a, b = shapes[weights] if isinstance(weights, str) else weights
    # 480 Gauss nodes; Q has corners, at which a panel of width 1/40 is off by some 1e-6.
    assert model.h_measure(weights) == pytest.approx(by_definition(model, a, b), abs=1e-5)


def test_no_error_no_information_the_wrong_way_round_and_hand_integrals():
    assert br.ScoreModel(br.Empirical([3, 4]), br.Empirical([1, 2])).h_measure() == 1.0
    assert br.ScoreModel(br.Empirical([1, 2]), br.Empirical([3, 4])).h_measure() == 0.0
    assert br.ScoreModel(br.Beta(2, 1), br.Beta(2, 1)).h_measure() == pytest.approx(0.0, abs=1e-15)
    # LR = t / (1 - t), so that c = t; U(c) = 2 c^3 - 3/2 c^4, V(c) = U(1 - c), L = 1/10.
    model = br.ScoreModel(br.Beta(2, 1), br.Beta(1, 2))
    assert model.h_measure() == pytest.approx(1 - 0.1 / (5 / 32), rel=1e-13)
    # One threshold with FAR 0 and FRR 1/2 at prior 1/2: Q = min(c/2, (1 - c)/4), equal at 1/3.
    # L = U(1/3)/2 + V(1/3)/4, V(c) = U(1 - c).
    half = br.ScoreModel(br.Empirical([1, 3]), br.Empirical([1, 1]))
    u, v = (2 * c**3 - 1.5 * c**4 for c in (1 / 3, 2 / 3))
    assert half.h_measure() == pytest.approx(1 - (0.5 * u + 0.25 * v) / (5 / 32), rel=1e-13)


@pytest.mark.simulation
@pytest.mark.parametrize(("client", "impostor"), [(0.3, 0.1), (0.1, 0.3)])
def test_of_scores_that_tell_nothing_only_having_one_is_left(client, impostor):
    """The hull is the diagonal where clients lack more scores, else that of two values."""
    model = br.ScoreModel(*(br.Rejecting(br.Beta(2, 3), share) for share in (client, impostor)))
    two = (br.Empirical([0.0, 1.0], [share, 1 - share]) for share in (client, impostor))
    expected = 0.0 if client > impostor else br.ScoreModel(*two).h_measure()
    assert model.h_measure() == pytest.approx(expected, abs=1e-12)


@pytest.mark.simulation
def test_class_swap_reflection_and_increasing_maps():
    model = PAIRS["hook"]
    mirrored = br.ScoreModel(br.Beta(1.91, 0.77), br.Beta(0.36, 0.47), prior=0.7)
    # s -> 1 - s with the classes swapped exchanges the errors; Beta(2, 2) is symmetric.
    assert mirrored.h_measure() == pytest.approx(model.h_measure(), rel=1e-11)
    binormal = br.ScoreModel(br.Normal(1, 1), br.Normal(0, 1.3), prior=0.3)
    logit = br.ScoreModel(br.LogitNormal(1, 1), br.LogitNormal(0, 1.3), prior=0.3)
    assert logit.h_measure() == pytest.approx(binormal.h_measure(), rel=1e-11)


@pytest.mark.parametrize("name", ["bell", pytest.param("binormal", marks=pytest.mark.simulation)])
def test_closed_forms_and_generic_agree(name):
    model = PAIRS[name]
    assert model.generic().h_measure() == pytest.approx(model.h_measure(), rel=1e-10)


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("client", "impostor", "prior"),
    [
        ((200.0, 3.0), (0.25, 50.0), 0.01),
        pytest.param((2.125, 2.0), (2.0, 2.0625), 0.9, marks=pytest.mark.nightly),
    ],
)
def test_concave_curves_beside_thirty_digits(client, impostor, prior):
    """By threshold: the cost whose best threshold is t has the odds of the posterior there."""
    with mpmath.workdps(30):
        (ac, bc), (ai, bi) = client, impostor
        pi = mpmath.mpf(prior)
        constant = mpmath.log(mpmath.beta(ai, bi)) - mpmath.log(mpmath.beta(ac, bc))

        def loss(y):
            x, rest = 1 / (1 + mpmath.exp(-y)), 1 / (1 + mpmath.exp(y))
            ratio = constant + (ac - ai) * mpmath.log(x) + (bc - bi) * mpmath.log(rest)
            odds = mpmath.exp(ratio) * pi / (1 - pi)
            c, d = odds / (1 + odds), 1 / (1 + odds)
            slope = c * d * ((ac - ai) * rest - (bc - bi) * x)
            far = mpmath.betainc(bi, ai, 0, rest, regularized=True)
            frr = mpmath.betainc(ac, bc, 0, x, regularized=True)
            return (c * (1 - pi) * far + d * pi * frr) * 6 * c * d * slope

        value = mpmath.quad(loss, mpmath.linspace(-600, 600, 49))
        most = mpmath.quad(lambda c: c * (1 - pi) * 6 * c * (1 - c), [0, pi])
        most += mpmath.quad(lambda c: (1 - c) * pi * 6 * c * (1 - c), [pi, 1])
        expected = float(1 - value / most)
    model = br.ScoreModel(br.Beta(ac, bc), br.Beta(ai, bi), prior=prior)
    assert model.h_measure() == pytest.approx(expected, rel=1e-11)
