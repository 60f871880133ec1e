"""Hostile input that is right: the result is that of theory, and what is to be said is said."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest

import betaroc as br

RNG = np.random.default_rng(5)
X, LOW = RNG.beta(5, 2, 200), RNG.beta(2, 5, 200)


def _at(value: float) -> Any:
    changed = X.copy()
    changed[3] = value
    return changed


@contextmanager
def heard(*kinds: type[Warning]) -> Iterator[None]:
    """What is warned of is of these kinds, all of them, and nothing else."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield
    assert {one.category for one in found} == set(kinds), [str(one.message) for one in found]


def most_likely(x: Any) -> tuple[float, float]:
    """The root of the score equations of a beta distribution, from sums with forty digits."""
    with mpmath.workdps(40):
        exact = [mpmath.mpf(float(v)) for v in x]
        g1 = mpmath.fsum(map(mpmath.log, exact)) / len(exact)
        g2 = mpmath.fsum(mpmath.log(1 - v) for v in exact) / len(exact)

        def equations(u: Any, v: Any) -> list[Any]:
            a, b = mpmath.exp(u), mpmath.exp(v)
            both = mpmath.digamma(a + b)
            return [mpmath.digamma(a) - both - g1, mpmath.digamma(b) - both - g2]

        start = br.fit_distribution(x, "beta", boundary="error").params
        u, v = mpmath.findroot(equations, [mpmath.log(start[k]) for k in "ab"])
        return float(mpmath.exp(u)), float(mpmath.exp(v))


#: Scores that are fitted to eight digits and more, and what is said.
FITTED: dict[str, tuple[Callable[[], Any], tuple[type[Warning], ...]]] = {
    "A07 the least double": (lambda: _at(5e-324), (br.errors.InfluenceWarning,)),
    "A07 a denormal": (lambda: _at(1e-310), (br.errors.InfluenceWarning,)),
    "A07 the double before 1": (lambda: _at(1 - 2**-53), ()),
    "A10 a deep U": (lambda: np.r_[np.geomspace(1e-200, 0.4, 60), 1 - np.geomspace(1e-15, 0.5, 40)],
                     ()),
    "A11 a narrow bell": (lambda: 0.5 + (X - X.mean()) * 1e-4, ()),
    "A13 as narrow as can be": (lambda: 0.3 + 1e-5 * (X - 0.7), ()),
    "A14 two equal and another": (lambda: [0.5, 0.5, 0.51], (br.errors.SmallSampleWarning,)),
    "A15 two points": (
        lambda: np.repeat([0.001, 0.999], 50), ()
    ),
    "A17 small and skewed": (
        lambda: [0.7, 0.3, 0.15, 0.22, 0.05, 0.61, 0.11, 0.4, 0.02, 0.31], (),
    ),
    "C03 two scores": (lambda: [0.4, 0.6], (br.errors.SmallSampleWarning,)),
    "C03 three scores": (lambda: [0.4, 0.6, 0.9], (br.errors.SmallSampleWarning,)),
}  # fmt: skip


@pytest.mark.parametrize("name", FITTED)
def test_fits_have_their_digits(name: str) -> None:
    make, kinds = FITTED[name]
    x = make()
    with heard(*kinds):
        found = br.fit_distribution(x, "beta")
    assert found.converged
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        a, b = most_likely(x)
    assert found.params["a"] == pytest.approx(a, rel=1e-8)
    assert found.params["b"] == pytest.approx(b, rel=1e-8)


def test_decimals_and_fractions_are_numbers() -> None:
    from decimal import Decimal
    from fractions import Fraction

    found = br.Scores([Decimal("0.1"), Fraction(1, 4), 0.5, 1], [Decimal("0.3")] * 3)
    assert found.client.tolist() == [0.1, 0.25, 0.5, 1.0]
    assert found.impostor.tolist() == [0.3] * 3


def test_f09_quantiles_below_the_smallest_double() -> None:
    """Beta(5, 1e-3) at p: t^5 / (5 B) = p, as long as t is small."""
    law = br.Beta(5, 1e-3)
    p = np.array([1e-100, 1e-200, 1e-300])
    with mpmath.workdps(30):
        constant = float((5 * mpmath.beta(5, mpmath.mpf("0.001"))) ** mpmath.mpf("0.2"))
    assert law.ppf(p) == pytest.approx(constant * p**0.2, rel=1e-10)
    assert br.Beta(1e-3, 1e5).ppf(1e-300) == 0.0
    assert law.cdf(law.ppf(p)) == pytest.approx(p, rel=1e-10)


def test_i20_order_swap_and_maps() -> None:
    scores = br.Scores(X, LOW)
    shuffled = br.Scores(RNG.permutation(X), RNG.permutation(LOW))
    fits = [br.fit(s, "beta") for s in (scores, shuffled, br.Scores(1 - LOW, 1 - X))]
    for one, other in pairwise((fits[0].client.params, fits[1].client.params)):
        assert [*one.values()] == pytest.approx([*other.values()], rel=1e-12)
    mirrored = fits[2].client.params
    assert mirrored["a"] == pytest.approx(fits[0].impostor.params["b"], rel=1e-9)
    auc = partial(br.interval, stat="auc")
    assert auc(scores) == auc(shuffled)
    assert auc(br.Scores(np.exp(X), np.exp(LOW))).estimate == auc(scores).estimate
    with pytest.warns(br.errors.ReversedScoresWarning):
        swapped = auc(br.Scores(LOW, X)).estimate
    assert swapped == pytest.approx(1 - auc(scores).estimate, rel=1e-14)
