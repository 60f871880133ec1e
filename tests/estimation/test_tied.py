"""Two beta laws with a shape in common: multiple precision, a general optimiser, closed forms."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import betaln

import betaroc as br
from betaroc.core.polygamma import phi_tau_of
from betaroc.distributions.beta import ClassSums, TiedSolution, best_partner, tied_mle

Shapes = tuple[float, float]


def sums_of(weight: float, a: float, b: float) -> ClassSums:
    """The sums whose own estimate is (a, b)."""
    phi_a, phi_b, phi_s = (phi_tau_of(x)[0] for x in (a, b, a + b))
    return ClassSums(weight, phi_a - phi_s - math.log1p(b / a), phi_b - phi_s - math.log1p(a / b))


def free(found: TiedSolution, shared: str) -> np.ndarray:
    """The shared shape and the two others."""
    k = "ab".index(shared)
    assert found.client[k] == found.impostor[k]
    return np.array([found.client[k], found.client[1 - k], found.impostor[1 - k]])


def of_mpmath(classes: tuple[ClassSums, ClassSums], shared: str, start: np.ndarray) -> list[float]:
    """The zero of the three derivatives, to 40 digits, from a place 1e-5 away."""
    with mp.workdps(60):
        logs = [[mp.mpf(g) for g in s[1:]] for s in classes]
        logs = logs if shared == "a" else [g[::-1] for g in logs]
        weights = [mp.mpf(s.weight) for s in classes]

        def equations(*at: mp.mpf) -> list[mp.mpf]:
            a, others = mp.e ** at[0], [mp.e**x for x in at[1:]]
            first = sum(
                w * (g[0] - mp.psi(0, a) + mp.psi(0, a + b))
                for w, g, b in zip(weights, logs, others, strict=True)
            )
            rest = [
                b * (g[1] - mp.psi(0, b) + mp.psi(0, a + b))
                for g, b in zip(logs, others, strict=True)
            ]
            return [a * first / sum(weights), *rest]

        away = zip((1, -1, 1), start.tolist(), strict=True)
        place = [mp.log(mp.mpf(x)) + mp.mpf(k) / 100_000 for k, x in away]
        root = mp.findroot(equations, place, tol=1e-70, maxsteps=60)
        return [float(mp.e**x) for x in root]


CASES = [
    ((2.0, 1.0), (1.5, 3.0), (100.0, 50.0)),
    ((0.13, 0.36), (0.24, 0.9), (30.0, 3000.0)),
    ((1e-3, 2e-3), (5e-3, 1e-3), (1.0, 1e4)),
    ((1e-3, 40.0), (700.0, 0.02), (1e4, 1.0)),
    ((50.0, 80.0), (70.0, 20.0), (10.0, 10.0)),
    ((1e6, 2e6), (8e5, 1e6), (500.0, 100.0)),
    ((1e6, 3.0), (1e-2, 1e5), (7.0, 2000.0)),
]


@pytest.mark.simulation
@pytest.mark.parametrize("shared", ["a", "b"])
@pytest.mark.parametrize(("client", "impostor", "weights"), CASES)
def test_the_maximum_of_mpmath(
    client: Shapes, impostor: Shapes, weights: tuple[float, float], shared: str
) -> None:
    classes = sums_of(weights[0], *client), sums_of(weights[1], *impostor)
    found = tied_mle(*classes, shared)
    at = free(found, shared)
    # What a rounding of the means can do grows with the concentration.
    size = max(sum(found.client), sum(found.impostor))
    np.testing.assert_allclose(at, of_mpmath(classes, shared, at), rtol=1e-13 + 1e-15 * size)


@pytest.mark.simulation
@pytest.mark.parametrize("shared", ["a", "b"])
def test_no_general_optimiser_finds_more(shared: str) -> None:
    rng = np.random.default_rng(1)
    k = "ab".index(shared)
    for _ in range(20):
        laws = 10.0 ** rng.uniform(-1.0, 1.5, (2, 2))
        weights = 10.0 ** rng.uniform(0.0, 4.0, 2)
        classes = [
            sums_of(float(w), *map(float, law)) for w, law in zip(weights, laws, strict=True)
        ]
        found = tied_mle(*classes, shared)

        def value(
            x: np.ndarray, classes: list[ClassSums] = classes, weights: np.ndarray = weights
        ) -> float:
            total = 0.0
            for s, other in zip(classes, np.exp(x[1:]), strict=True):
                a, b = (np.exp(x[0]), other)[:: 1 - 2 * k]
                total += s.weight * ((a - 1) * s.mean_log + (b - 1) * s.mean_log1m - betaln(a, b))
            return float(-total / weights.sum())

        start = np.log([np.sqrt(laws[0, k] * laws[1, k]), laws[0, 1 - k], laws[1, 1 - k]])
        other = minimize(value, start, method="Nelder-Mead", tol=1e-12, options={"maxiter": 4000})
        assert found.log_likelihood == pytest.approx(
            -weights.sum() * value(np.log(free(found, shared))), rel=1e-11
        )
        assert found.log_likelihood / weights.sum() >= -other.fun - 1e-12
        np.testing.assert_allclose(free(found, shared), np.exp(other.x), rtol=1e-4)


def test_power_laws_have_closed_forms() -> None:
    # Shared b fitted where both laws have b = 1: the estimates are the laws themselves.
    found = tied_mle(sums_of(10, 3, 1), sums_of(20, 0.5, 1), "b")
    np.testing.assert_allclose(found.client + found.impostor, (3, 1, 0.5, 1), rtol=1e-13)
    # One class outweighs the other: its own shape is shared, up to the ratio of the weights.
    found = tied_mle(sums_of(1e-4, 3, 1), sums_of(1e4, 0.5, 2), "a")
    assert found.client[0] == pytest.approx(0.5, rel=1e-6)


def test_mirror_and_swap() -> None:
    c, i = sums_of(13, 2, 0.3), sums_of(40, 0.7, 0.9)
    one = tied_mle(c, i, "a")
    mirrored = tied_mle(*(ClassSums(s.weight, s.mean_log1m, s.mean_log) for s in (c, i)), "b")
    assert (one.client, one.impostor) == (mirrored.client[::-1], mirrored.impostor[::-1])
    swapped = tied_mle(i, c, "a")
    np.testing.assert_allclose(swapped.client, one.impostor, rtol=1e-13)
    assert swapped.log_likelihood == pytest.approx(one.log_likelihood, rel=1e-13)


def test_best_partner_of_a_power_law() -> None:
    # mean log(1 - s) of Beta(1, b) is -1/b.
    assert best_partner(1.0, -1.0 / 7.0) == pytest.approx(7.0, rel=1e-12)


def test_what_is_refused() -> None:
    good = ClassSums(10, -1.0, -1.0)
    with pytest.raises(br.InputError, match="weight of the impostor class must be positive; got 0"):
        tied_mle(good, ClassSums(0, -1, -1))
    with pytest.raises(br.InputError, match="those of a beta distribution"):
        tied_mle(ClassSums(3, math.log(0.4), math.log(0.6)), good)
    with pytest.raises(br.InputError, match="shared must be"):
        tied_mle(good, good, "mu")


def test_the_likelihood_lies_between_common_law_and_own_laws() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.beta(2, 1, 40), rng.beta(1.2, 2, 25)
    sums = [ClassSums(v.size, np.log(v).mean(), np.log1p(-v).mean()) for v in (x, y)]
    own = br.fit(br.Scores(x, y)).log_likelihood
    common = br.fit_distribution(np.r_[x, y]).log_likelihood
    for shared in ("a", "b"):
        assert common < tied_mle(*sums, shared).log_likelihood < own


@pytest.mark.simulation
def test_every_solvable_problem_converges() -> None:
    rng = np.random.default_rng(3)
    for k in range(400):
        laws, weights = 10.0 ** rng.uniform(-2.8, 6.0, (2, 2)), 10.0 ** rng.uniform(0.0, 4.0, 2)
        classes = [
            sums_of(float(w), *map(float, law)) for w, law in zip(weights, laws, strict=True)
        ]
        found = tied_mle(*classes, "ab"[k % 2])
        assert found.iterations <= 60
