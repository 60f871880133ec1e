"""The H-measure against its definition, hand integrals and invariances."""

import mpmath
import numpy as np
import pytest
from scipy import integrate, stats

import betaroc as br

RNG = np.random.default_rng(7)
PAIRS = {
    "bell": br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4)),
    "hook": br.ScoreModel(br.Beta(0.47, 0.36), br.Beta(0.77, 1.91), prior=0.3),
    "below": br.ScoreModel(br.Beta(2, 4), br.Beta(4, 2), prior=0.4),
    "binormal": br.ScoreModel(br.Normal(1, 1), br.Normal(0, 2), prior=0.6),
    "inflated": br.ScoreModel(
        br.Inflated(br.Beta(2, 1), 0.05, 0.1), br.Inflated(br.Beta(1, 2), 0.2, 0.01)
    ),
    "samples": br.ScoreModel(
        br.Empirical(np.round(RNG.normal(1, 1, 40), 1)),
        br.Empirical(np.round(RNG.normal(0, 1, 60), 1)),
        prior=0.4,
    ),
    "mixed": br.ScoreModel(br.Empirical(RNG.normal(1, 1, 9)), br.Normal(0, 1), prior=0.2),
}


def by_definition(model, a, b):
    """1 - int Q u dc / int min(c pi0, (1 - c) pi1) u dc, Q by the library's global minimum."""
    pi = model.prior

    def trivial(c):
        return min(c * (1 - pi), (1 - c) * pi) * stats.beta.pdf(c, a, b)

    nodes, weights = np.polynomial.legendre.leggauss(12)
    places = np.linspace(0, 1, 41)
    low, high = places[:-1, None], places[1:, None]
    c = (0.5 * (high + low) + 0.5 * (high - low) * nodes).ravel()
    # c (1 - pi) FAR + (1 - c) pi FRR is (sum of weights) times a weighted error.
    least = br.epc(model, model, alpha=c * (1 - pi) / (c * (1 - pi) + (1 - c) * pi))
    loss = (c * (1 - pi) * least.far + (1 - c) * pi * least.frr) * stats.beta.pdf(c, a, b)
    value = np.sum((0.5 * (high - low) * weights).ravel() * loss)
    most = integrate.quad(trivial, 0, pi)[0] + integrate.quad(trivial, pi, 1)[0]
    return 1 - value / most


@pytest.mark.simulation
@pytest.mark.parametrize("weights", ["beta22", "prior", (3.0, 1.5)])
@pytest.mark.parametrize("name", PAIRS)
def test_the_definition(name, weights):
    model = PAIRS[name]
    shapes = {"beta22": (2.0, 2.0), "prior": (1 + model.prior, 2 - model.prior)}
    a, b = shapes[weights] if isinstance(weights, str) else weights
    # 480 Gauss nodes; Q has corners, at which a panel of width 1/40 is off by some 1e-6.
    assert model.h_measure(weights) == pytest.approx(by_definition(model, a, b), abs=1e-5)


def test_hand_integrals():
    # LR = t / (1 - t), so that c = t; U(c) = 2 c^3 - 3/2 c^4, V(c) = U(1 - c), L = 1/10.
    model = br.ScoreModel(br.Beta(2, 1), br.Beta(1, 2))
    assert model.h_measure() == pytest.approx(1 - 0.1 / (5 / 32), rel=1e-13)
    # One threshold with FAR 0 and FRR 1/2 at prior 1/2: Q = min(c/2, (1 - c)/4), equal at 1/3.
    # L = U(1/3)/2 + V(1/3)/4, V(c) = U(1 - c).
    half = br.ScoreModel(br.Empirical([1, 3]), br.Empirical([1, 1]))
    loss = 0.5 * u(1 / 3) + 0.25 * u(2 / 3)
    assert half.h_measure() == pytest.approx(1 - loss / (5 / 32), rel=1e-13)


def u(c):
    return 2 * c**3 - 1.5 * c**4


def test_no_error_no_information_and_the_wrong_way_round():
    assert br.ScoreModel(br.Empirical([3, 4]), br.Empirical([1, 2])).h_measure() == 1.0
    assert br.ScoreModel(br.Empirical([1, 2]), br.Empirical([3, 4])).h_measure() == 0.0
    for law in (br.Beta(2, 1), br.Normal(0, 1), br.Empirical([1, 2, 2])):
        assert br.ScoreModel(law, law).h_measure() == pytest.approx(0.0, abs=1e-15)


def test_trials_without_a_score_lie_on_the_hull_too():
    """Hand's minimum over thresholds of the normal scores, and over accepting all and nobody."""
    absent, t = 0.3, np.linspace(-8.0, 8.0, 8001)
    frr = np.append(absent + (1.0 - absent) * stats.norm.cdf(t, 1.0, 1.0), [0.0, 1.0])
    far = np.append(stats.norm.sf(t), [1.0, 0.0])
    nodes, weights = np.polynomial.legendre.leggauss(200)
    c, weights = 0.5 * (nodes + 1.0), 0.5 * weights
    q = [np.min(cost * 0.6 * far + (1.0 - cost) * 0.4 * frr) for cost in c]
    u = 6.0 * c * (1.0 - c)
    most = np.sum(weights * u * np.minimum(c * 0.6, (1.0 - c) * 0.4))
    model = br.ScoreModel(br.Rejecting(br.Normal(1, 1), absent), br.Normal(0, 1), prior=0.4)
    expected = 1.0 - np.sum(weights * u * q) / most
    assert model.h_measure() == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("client", "impostor"), [(0.3, 0.1), (0.1, 0.3)])
def test_of_scores_that_tell_nothing_only_having_one_is_left(client, impostor):
    """The hull is the diagonal where clients lack more scores, else that of two values."""
    same = br.Beta(2, 3)
    model = br.ScoreModel(br.Rejecting(same, client), br.Rejecting(same, impostor))
    worse = client > impostor
    two = br.ScoreModel(
        br.Empirical([0.0, 1.0], weights=[client, 1 - client]),
        br.Empirical([0.0, 1.0], weights=[impostor, 1 - impostor]),
    )
    assert model.h_measure() == pytest.approx(0.0 if worse else two.h_measure(), abs=1e-12)


@pytest.mark.simulation
def test_class_swap_reflection_and_increasing_maps():
    model = PAIRS["hook"]
    mirrored = br.ScoreModel(br.Beta(1.91, 0.77), br.Beta(0.36, 0.47), prior=0.7)
    # s -> 1 - s with the classes swapped exchanges the errors; Beta(2, 2) is symmetric.
    assert mirrored.h_measure() == pytest.approx(model.h_measure(), rel=1e-11)
    sample = PAIRS["samples"]
    mapped = br.ScoreModel(
        br.Empirical(np.exp(sample.client.values)), br.Empirical(np.exp(sample.impostor.values)),
        prior=0.4,
    )  # fmt: skip
    assert mapped.h_measure() == pytest.approx(sample.h_measure(), rel=1e-13)
    binormal = br.ScoreModel(br.Normal(1, 1), br.Normal(0, 1.3), prior=0.3)
    logit = br.ScoreModel(br.LogitNormal(1, 1), br.LogitNormal(0, 1.3), prior=0.3)
    assert logit.h_measure() == pytest.approx(binormal.h_measure(), rel=1e-11)


@pytest.mark.parametrize(
    "name", ["bell", pytest.param("hook", marks=pytest.mark.simulation), "binormal"]
)
def test_closed_forms_and_generic_agree(name):
    model = PAIRS[name]
    assert model.generic().h_measure() == pytest.approx(model.h_measure(), rel=1e-10)


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("client", "impostor", "prior"),
    [
        ((200.0, 3.0), (0.25, 50.0), 0.01),
        *(
            pytest.param(*one, marks=pytest.mark.nightly)
            for one in (
                ((4.5, 2.25), (1.25, 3.0), 0.3),
                ((0.75, 0.25), (0.5, 2.0), 0.5),
                ((2.125, 2.0), (2.0, 2.0625), 0.9),
            )
        ),
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
