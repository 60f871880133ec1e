"""Spliced distributions: by hand, against scipy's generalised Pareto, mirrored, and refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

import betaroc as br
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.thresholds import Thresholds

BODY = br.Beta(2.0, 8.0)
JOINT = 0.3


def upper(shape: float, mass: float = 0.02) -> br.Spliced:
    return br.Spliced(BODY, upper=br.ParetoTail(mass, shape, 0.4, logit(JOINT)))


def test_two_tails_that_end_together_have_no_distance() -> None:
    """Beyond a common end both slopes are infinite, and their difference is no number."""
    low, high = br.ParetoTail(0.25, 0.0, 1.0), br.ParetoTail(0.25, -0.15625, 0.28125)
    one = br.Spliced(br.Beta(1.0, 1.0), low, high)
    assert br.ScoreModel(one, one).ks() == 0.0


@pytest.mark.parametrize("shape", [-0.4, 0.0, 0.3])
def test_rates_are_those_of_both_parts(shape: float) -> None:
    law, body = upper(shape), stats.beta(2.0, 8.0)
    below, above = np.array([0.01, 0.1, 0.29]), np.array([0.31, 0.4, 0.5])
    x = logit(above) - logit(JOINT)
    rates = 0.02 * stats.genpareto.sf(x, shape, scale=0.4)
    np.testing.assert_allclose(law.sf(above), rates, rtol=1e-12)
    np.testing.assert_allclose(law.cdf(above), 1.0 - rates, rtol=1e-12)
    np.testing.assert_allclose(law.cdf(below), body.cdf(below) / body.cdf(JOINT) * 0.98, rtol=1e-12)
    density = 0.02 * stats.genpareto.pdf(x, shape, scale=0.4) / (above * (1.0 - above))
    np.testing.assert_allclose(law.pdf(above), density, rtol=1e-12)
    np.testing.assert_allclose(law.pdf(below), body.pdf(below) / body.cdf(JOINT) * 0.98, rtol=1e-12)
    assert law.sf(JOINT) == pytest.approx(0.02, rel=1e-12)


@pytest.mark.parametrize("shape", [-0.4, -1e-7, 0.0, 1e-7, 0.3])
def test_inverses_turn_rates_round(shape: float) -> None:
    p = np.array([1e-5, 1e-4, 0.0199, 0.02, 0.3, 0.9])
    law = upper(shape)
    np.testing.assert_allclose(law.sf(law.isf(p)), p, rtol=1e-7)
    np.testing.assert_allclose(law.cdf(law.ppf(p)), p, rtol=1e-9)
    assert np.all(np.diff(law.isf(p)) < 0.0)


def test_deep_rates_keep_their_digits_on_the_logit() -> None:
    """A shape of 0: P = mass exp(-(y - joint)/scale), through 1e-300."""
    law = upper(0.0)
    y = logit(JOINT) + 0.4 * (math.log(0.02) - math.log(1e-300))
    rate, log = law._upper(Thresholds.from_logit(np.array([y])))
    assert rate[0] == pytest.approx(1e-300, rel=1e-10)
    assert log[0] == pytest.approx(math.log(1e-300), rel=1e-13)
    heavy = upper(0.3)
    far = logit(JOINT) + 0.4 / 0.3 * ((0.02 / 1e-300) ** 0.3 - 1.0)
    assert heavy._upper(Thresholds.from_logit(np.array([far])))[0][0] == pytest.approx(1e-300)


def test_the_end_of_a_tail_is_the_end_of_the_support() -> None:
    law = upper(-0.4)
    end = float(expit(logit(JOINT) + 1.0))  # joint + .4/.4
    assert law.support == (0.0, pytest.approx(end))
    assert law.sf(end + 1e-6) == 0.0
    assert law.cdf(end + 1e-6) == 1.0
    assert law.pdf(end + 1e-6) == 0.0


def test_cosines_have_tails_on_the_logit_of_their_bounds() -> None:
    """(1 + s)/2 of a spliced distribution on [-1, 1]; its rates by hand."""
    tail = br.ParetoTail(0.05, 0.0, 0.5, logit(0.7))
    law = br.Spliced(br.Normal(0.0, 0.1), upper=tail, bounds=(-1.0, 1.0))
    s = np.array([0.5, 0.9, 1.0 - 1e-9])
    u = 0.5 * (1.0 + s)
    expected = 0.05 * np.exp(-(logit(u) - logit(0.7)) / 0.5)
    np.testing.assert_allclose(law.sf(s), expected, rtol=1e-6)
    density = expected / 0.5 / (u * (1.0 - u)) / 2.0
    np.testing.assert_allclose(law.pdf(s), density, rtol=1e-6)


def test_counts_in_the_middle_and_a_tail_at_the_end() -> None:
    scores = np.arange(1.0, 101.0)
    law = br.Spliced(br.Empirical(scores), upper=br.ParetoTail(0.1, 0.0, 5.0, 90.0))
    assert law.cdf(50.0) == pytest.approx(0.5)
    assert law.sf(90.0) == pytest.approx(0.1)
    assert law.sf(100.0) == pytest.approx(0.1 * math.exp(-2.0))
    share, rest = law.continuous
    assert share == pytest.approx(0.1)
    assert rest.sf(95.0) == pytest.approx(math.exp(-1.0))
    assert law.atoms.places.tolist() == scores[:90].tolist()
    assert law.mean == pytest.approx(np.sum(scores[:90]) / 100 + 0.1 * 95.0)


@pytest.mark.parametrize(("shape", "mean"), [(0.5, 3.0 + 0.1 / 0.5), (1.0, math.inf)])
def test_moments_of_heavy_tails(shape: float, mean: float) -> None:
    law = br.Spliced(br.Empirical([3.0] * 10), upper=br.ParetoTail(0.1, shape, 1.0, 3.0))
    assert law.mean == pytest.approx(mean, rel=1e-6)
    assert law.var == math.inf


def test_the_exponent_of_a_tail_is_that_of_the_roc() -> None:
    """Of shape 0 the tail is a power 1/scale of the distance to 1: FAR ~ K TPR^rho."""
    impostor = br.Spliced(BODY, upper=br.ParetoTail(0.02, 0.0, 0.25, logit(JOINT)))
    model = br.ScoreModel(br.Beta(6.0, 2.0), impostor)
    end = model.ends().at_one
    assert end.exponent == pytest.approx(4.0 / 2.0)
    far = 1e-60
    tpr = float(model.at_far(far).tpr)
    assert end.coefficient * tpr**end.exponent == pytest.approx(far, rel=1e-6)


@pytest.mark.parametrize(("shape", "semi"), [(0.2, math.inf), (-0.2, 0.0), (0.0, 0.0)])
def test_semi_derivatives_by_the_shape(shape: float, semi: float) -> None:
    """Heavier than any power; ending before; a power 4 against 2."""
    impostor = br.Spliced(BODY, upper=br.ParetoTail(0.02, shape, 0.25, logit(JOINT)))
    assert br.ScoreModel(br.Beta(6.0, 2.0), impostor).semi_derivatives().at_one == semi


GOOD = br.ParetoTail(0.1, 0.0, 1.0)


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (lambda: br.Spliced(BODY), InputError, "lower or an upper tail"),
        (lambda: br.Spliced(1.0, upper=GOOD), InputTypeError, "body must be a distribution"),
        (lambda: br.Spliced(BODY, upper=0.1), InputTypeError, "must be a ParetoTail"),
        (lambda: br.Spliced(br.Spliced(BODY, GOOD), GOOD), InputTypeError, "tails of its own"),
        (
            lambda: br.Spliced(BODY, br.ParetoTail(0.6, 0, 1), br.ParetoTail(0.6, 0, 1)),
            InputError, "sum to less than 1",
        ),
        (
            lambda: br.Spliced(
                BODY, br.ParetoTail(0.1, 0, 1, 2.0), br.ParetoTail(0.1, 0, 1, -4.0)
            ),
            InputError, "lie below the upper one",
        ),
        (lambda: br.Spliced(BODY, GOOD, bounds=(0, 1)), InputError, "left out of a body on"),
        (
            lambda: br.Spliced(br.Normal(0, 1), GOOD, bounds=(1, -1)), InputError, "low < high",
        ),
        (
            lambda: br.Spliced(br.Inflated(BODY, 0.0, 0.2), upper=GOOD),
            InputError, "no point mass at the end",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_spliced_says_why(build: object, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        build()  # type: ignore[operator]
