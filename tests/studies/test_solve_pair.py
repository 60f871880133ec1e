"""Pairs of laws with prescribed numbers: closed forms, round trips, and why there is none."""

import math
from itertools import product
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

import betaroc as br

INF = math.inf
PHI = NormalDist()
#: What is prescribed is met to this, as the generic algorithms and mpmath see it.
ATOL = 1e-10


def shapes_of(model):
    return model.client.a, model.client.b, model.impostor.a, model.impostor.b


@pytest.mark.nightly
def test_lehmann_pair():
    """b tied at a semi-derivative B_c/B_i = a_i/a_c where b = 1; AUC = a_c / (a_c + a_i) = 0.8."""
    model = br.solve_pair(auc=0.8, slopes=(None, 0.25))
    assert model.auc() == pytest.approx(0.8, abs=ATOL)
    assert model.semi_derivatives().at_one == pytest.approx(0.25, rel=ATOL)
    a_c, b_c, a_i, b_i = shapes_of(model)
    assert b_c == b_i  # a tie is one to the last digit
    # The nearest pair happens to be the Lehmann one: b = 1 and a_c a_i = 1 are stationary.
    np.testing.assert_allclose((a_c, b_c, a_i), (2.0, 1.0, 0.5), rtol=1e-5)


def test_exponents_alone_are_nearest_by_hand():
    """log a_i - log a_c = log 1/2 is nearest to 0 at -+ log(2)/2."""
    model = br.solve_pair(exponents=(0.5, 3.0))
    expected = (2**0.5, 3**-0.5, 2**-0.5, 3**0.5)
    assert shapes_of(model) == pytest.approx(expected, rel=1e-12)
    model = br.solve_pair(shapes=("U", "bell"))
    assert shapes_of(model) == pytest.approx((0.5, 0.5, 2.0, 2.0), rel=1e-9)
    assert shapes_of(br.solve_pair(slopes=(1.0, None))) == (1.0,) * 4


BINORMAL = [
    # (prescribed, client mean, client sigma): d = sqrt(1 + r^2) Phi^-1(AUC) and so on.
    ({"auc": 0.9}, math.sqrt(2) * PHI.inv_cdf(0.9), 1.0),
    ({"eer": 0.2}, -2.0 * PHI.inv_cdf(0.2), 1.0),
    ({"exponents": (4.0, None), "auc": 0.9}, math.sqrt(5) * PHI.inv_cdf(0.9), 2.0),
    ({"exponents": (4.0, 4.0), "crossing": 0.9}, PHI.inv_cdf(0.9), 2.0),
    ({"auc": PHI.cdf(1 / math.sqrt(5)), "eer": PHI.cdf(-1 / 3)}, 1.0, 2.0),
    ({"eer": PHI.cdf(-1 / 3), "crossing": PHI.cdf(1.0)}, 1.0, 2.0),
    ({"slopes": (INF, INF), "auc": 0.9}, math.sqrt(1.5) * PHI.inv_cdf(0.9), math.sqrt(0.5)),
    ({"slopes": (INF, None)}, 1.0, 1.0),
    # Below the diagonal equal sigmas have slope 0 at zero; an exponent of 1/2 does not.
    ({"slopes": (INF, None), "auc": 0.4}, math.sqrt(1.5) * PHI.inv_cdf(0.4), math.sqrt(0.5)),
    ({"crossing": 0.9}, (math.sqrt(2) - 1) * PHI.inv_cdf(0.9), math.sqrt(2)),
    ({"auc": 0.5, "crossing": 0.5}, 0.0, math.sqrt(2)),
]


@pytest.mark.parametrize("family", ["normal", "logit-normal"])
@pytest.mark.parametrize(("asked", "mu", "sigma"), BINORMAL)
def test_binormal_closed_forms(family, asked, mu, sigma):
    model = br.solve_pair(**asked, family=family, prior=0.2, name="x")
    assert (model.client.mu, model.client.sigma) == pytest.approx((mu, sigma), rel=1e-10, abs=1e-12)
    assert (model.impostor.mu, model.impostor.sigma) == (0.0, 1.0)
    assert (model.prior, model.name) == (0.2, "x")


def numbers(model):
    crossing = model.diagonal_crossings().far
    return {
        "auc": model.auc(),
        "eer": model.eer().hter,
        "zero": model.ends().at_zero.exponent,
        "one": model.ends().at_one.exponent,
        "crossing": float(crossing[0]) if len(crossing) else math.nan,
    }


SHAPES = ("U", "bell", "J", "reverse-J")


@pytest.mark.simulation
@pytest.mark.parametrize(("client", "impostor"), [
    pytest.param(*pair, marks=[pytest.mark.nightly] * (k % 3 > 0))
    for k, pair in enumerate(product(SHAPES, repeat=2))
])  # fmt: skip
def test_shapes_are_met_with_a_margin(client, impostor):
    """By night all pairs."""
    # The ends that two shapes force may force the side of the diagonal.
    a = {"U": -1, "reverse-J": -1, "J": 1, "bell": 1}
    b = {"U": -1, "J": -1, "bell": 1, "reverse-J": 1}
    zero, one = a[impostor] - a[client], b[impostor] - b[client]
    auc = 0.3 if zero >= 0 >= one and (zero or one) else 0.7
    model = br.solve_pair(auc=auc, shapes=(client, impostor))
    assert tuple(s.value for s in model.shape_category()) == (client, impostor)
    assert model.auc() == pytest.approx(auc, abs=ATOL)
    assert min(abs(math.log(s)) for s in shapes_of(model)) > 0.0099


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("auc", "slopes"),
    [(0.7, (0.0, None)), (0.7, (INF, 0.0)), (0.65, (None, 0.4)), (0.65, (2.0, 0.0))],
)
def test_slopes_are_met(auc, slopes):
    model = br.solve_pair(auc=auc, slopes=slopes)
    ends = model.ends().at_zero, model.ends().at_one
    finite = any(slope not in (None, 0.0, INF) for slope in slopes)
    for asked, got, end in zip(slopes, model.semi_derivatives(), ends, strict=True):
        assert asked is None or got == pytest.approx(asked, rel=ATOL, abs=0.0)
        assert finite or asked is None or abs(math.log(end.exponent)) > 0.0099
    if finite:
        assert model.auc() == pytest.approx(auc, abs=ATOL)
        assert model.global_shape() == "proper"


@pytest.mark.simulation
@pytest.mark.parametrize("crossing", [0.1, 0.9])
def test_a_crossing_before_and_behind_the_equal_error_rate(crossing):
    found = numbers(br.solve_pair(eer=0.2, crossing=crossing))
    assert (found["eer"], found["crossing"]) == pytest.approx((0.2, crossing), abs=ATOL)


@pytest.mark.nightly
def test_answers_are_reproducible_and_the_nearer_ones():
    one, two = (br.solve_pair(auc=0.8, exponents=(0.5, 2.0)) for _ in range(2))
    assert one == two
    # A dense search over the two shapes that are left finds nothing nearer than the answer.
    answer = np.log(shapes_of(one))
    a, b = np.meshgrid(np.linspace(-1.5, 1.5, 151), np.linspace(-1.5, 1.5, 151))
    distance = a**2 + b**2 + (a + math.log(0.5)) ** 2 + (b + math.log(2.0)) ** 2
    for nearer, some in ((-0.02, False), (0.02, True)):
        inside = distance < np.sum(answer**2) + nearer
        x, y = np.exp(a[inside]), np.exp(b[inside])
        assert np.any(np.abs(br.beta_auc(x, y, 0.5 * x, 2.0 * y) - 0.8) < 2e-4) == some


IMPOSSIBLE = [
    ({}, "given at least one goal"),
    ({"exponents": (0.5, 3.0), "auc": 0.4}, "above the diagonal everywhere and is concave"),
    ({"exponents": (0.5, 3.0), "crossing": 0.1}, "both exponents below 1 or both above 1"),
    ({"exponents": (1.0, 1.0), "auc": 0.6}, "the two distributions are equal"),
    ({"exponents": (0.5, None), "slopes": (0.0, None)}, "exponent at_zero below 1"),
    ({"slopes": (2.0, 3.0)}, "slope at_one 3.0 needs an exponent at_one of 1"),
    # areas: (1 - e)^2, 1 - e^2; chords 1 - e and the line of slope 1, 1 - 2 e^2
    ({"eer": 0.8, "auc": 0.21, "slopes": (0.0, INF)}, r"between 0.08 and 0.2: .* convex ROC"),
    # tangents: y <= 1 - (1 - x)/2 leaves 3/4; e = 1 / (1 + 2)
    ({"slopes": (2.0, None), "auc": 0.76}, "between 0.5 and 0.75: .* tangent"),
    # both exponents: 1/(1 + 1/2), 2/(1 + 2)
    ({"exponents": (0.5, 2.0), "auc": 0.66}, "between 0.666667 and 1"),
    # e^(1/2) = 1 - e: e = (3 - sqrt 5)/2
    ({"exponents": (0.5, 2.0), "eer": 0.39}, "between 0 and 0.381966"),
    ({"eer": 0.2, "crossing": 0.5}, r"outside \[0.2, 0.8\]"),
    ({"crossing": 0.9, "auc": 0.3, "exponents": (2.0, None)}, "between 0.495 and 0.905"),
    ({"shapes": ("bell", "U"), "exponents": (2.0, None)}, r"shapes \(bell, U\) one below 1"),
    ({"shapes": ("J", "reverse-J"), "crossing": 0.4}, "no crossing of the diagonal"),
    ({"shapes": ("J", "reverse-J"), "family": "normal"}, "shapes must be left out"),
    ({"auc": 0.8, "eer": 0.2, "crossing": 0.9, "exponents": (2.0, 3.0)}, "no more than 4 numbers"),
    # normal laws: k = sqrt(2) gives Phi(sqrt(2) Phi^-1(0.7)) = 0.770839
    ({"auc": 0.9, "eer": 0.3, "family": "normal"}, "between 0.7 and 0.770839"),
    ({"exponents": (2.0, 3.0), "family": "normal"}, "one number"),
    ({"slopes": (2.0, None), "family": "normal"}, "0, inf or, for equal distributions, 1"),
    ({"slopes": (INF, 0.0), "auc": 0.4, "family": "normal"}, "has these slopes"),
    ({"exponents": (1.0, None), "crossing": 0.4, "family": "normal"}, "with equal sigmas"),
    ({"auc": 0.9, "crossing": 0.8, "family": "normal"}, "nearer to an end"),
    ({"goals": {"tpr@far=0.01": 1.0}}, "strictly between 0 and 1, the range of 'tpr'"),
    ({"goals": {"auc": 0.9}, "auc": 0.8}, "auc must be given once"),
    ({"goals": {"tpq@far=0.1": 0.5}}, "Did you mean 'tpr'"),
    ({"goals": {f"tpr@far=0.{k}": k / 10 for k in range(1, 6)}}, "no more than 4 numbers"),
    (
        {"goals": {"ks": 0.5}, "slopes": (0.0, None), "family": "normal"},
        "slopes must be left out beside goals",
    ),
]


@pytest.mark.parametrize(("asked", "words"), IMPOSSIBLE)
def test_impossible_because(asked, words):
    with pytest.raises(br.InputError, match=words):
        br.solve_pair(**asked)


def of_known(t):
    """FAR and TPR of the known pair at a threshold, by scipy."""
    return float(stats.beta(1.2, 3).sf(t)), float(stats.beta(4, 1.5).sf(t))


@pytest.mark.simulation
def test_four_numbers_of_a_pair_give_it_back():
    """All from scipy: rates at 0.3 and 0.6, the threshold of FAR there, means of both laws."""
    (far, tpr), (other, high) = of_known(0.6), of_known(0.3)
    goals = {
        f"tpr@far={far!r}": tpr, f"threshold@far={other!r}": 0.3, f"tpr@far={other!r}": high,
        "client-mean": 4.0 / 5.5,
    }  # fmt: skip
    found = br.solve_pair(goals=goals)
    np.testing.assert_allclose(shapes_of(found), [4.0, 1.5, 1.2, 3.0], rtol=1e-6)


@pytest.mark.simulation
def test_goals_beside_other_prescriptions():
    far, tpr = of_known(0.6)
    precision = 0.2 * tpr / (0.2 * tpr + 0.8 * far)
    found = br.solve_pair(
        goals={"precision@threshold=0.6": precision}, exponents=(0.3, 2.0), prior=0.2
    )
    a, b = (stats.beta(law.a, law.b).sf(0.6) for law in (found.impostor, found.client))
    assert 0.2 * b / (0.2 * b + 0.8 * a) == pytest.approx(precision, rel=1e-8)
    assert found.ends().at_zero.exponent == pytest.approx(0.3, rel=1e-12)
    shaped = br.solve_pair(goals={"client-mean": 0.8}, shapes=("bell", None), auc=0.9)
    assert shaped.client.shape == "bell"
    assert float(shaped.client.mean) == pytest.approx(0.8, rel=1e-8)


@pytest.mark.simulation
@pytest.mark.parametrize("family", ["normal", "logit-normal"])
def test_goals_of_normal_laws_free_one_parameter_after_the_other(family):
    z = stats.norm.isf(0.01)
    one = br.solve_pair(goals={"tpr@far=0.01": 0.6}, family=family)
    assert (one.client.sigma, one.impostor) == (1.0, type(one.impostor)(0.0, 1.0))
    assert one.client.mu == pytest.approx(z + stats.norm.ppf(0.6), rel=1e-9)
    two = br.solve_pair(goals={"tpr@far=0.01": 0.6, "far@frr=0.1": 0.2}, family=family)
    # (z - mu)/sigma = -z(.6) and (isf(.2) - mu)/sigma = z(.1) are two lines in mu, sigma.
    sigma = (z - stats.norm.isf(0.2)) / (stats.norm.ppf(0.9) - stats.norm.ppf(0.6))
    assert two.client.sigma == pytest.approx(sigma, rel=1e-7)
    assert two.impostor.sigma == 1.0
    place = 0.7 if family == "logit-normal" else 3.0
    four = br.solve_pair(
        goals={"tpr@far=0.01": 0.6, "far@frr=0.1": 0.2, "threshold@far=0.01": place}, family=family
    )
    t = np.log(place / (1 - place)) if family == "logit-normal" else place
    assert stats.norm.sf(t, four.impostor.mu, four.impostor.sigma) == pytest.approx(0.01, rel=1e-7)
    assert stats.norm.sf(t, four.client.mu, four.client.sigma) == pytest.approx(0.6, rel=1e-7)


@pytest.mark.simulation
@pytest.mark.parametrize(("asked", "words"), [
    ({"goals": {"ks": 0.9, "auc": 0.6}, "family": "normal"}, "no normal .*nearest, Normal.*ks"),
    pytest.param({"auc": 0.9, "eer": 0.17, "exponents": (0.5, 3.0)},
                 "the nearest, .* has .* for auc=0.9", marks=pytest.mark.nightly),
])  # fmt: skip
def test_goals_that_nothing_meets_say_what_came_nearest(asked, words):
    """Normal pairs with an AUC of .6 have KS < .9; EER .17 of these exponents an AUC of .915."""
    with pytest.raises(br.FitError, match=words):
        br.solve_pair(**asked)
