"""Confidence of shapes, ends and hooks: drawn parameters, formulas by hand, size by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import betaroc as br


def fit_of(client: tuple[float, float], impostor: tuple[float, float], n: int, seed: int) -> br.Fit:
    rng = np.random.default_rng(seed)
    inside = [np.clip(rng.beta(*s, n), 1e-300, 1 - 2**-53) for s in (client, impostor)]
    return br.fit(br.Scores(*inside))


def drawn(fit: br.Fit, size: int) -> dict[str, np.ndarray]:
    """log a and log b of each class at parameters drawn from their normal law."""
    rng = np.random.default_rng(0)
    found = {}
    for who in ("client", "impostor"):
        result = getattr(fit, who)
        values = np.array(result.values)
        cov = result.cov / np.outer(values, values)
        found[who] = rng.multivariate_normal(np.log(values), cov, size)
    return found


def test_shape_probabilities_are_shares_of_drawn_shapes() -> None:
    fit = fit_of((1.1, 0.9), (0.9, 1.05), 60, 1)
    found, draws = fit.shape_probabilities(), drawn(fit, 200_000)
    for who, chances in found.items():
        a, b = draws[who].T > 0
        shares = {"U": ~a & ~b, "reverse-J": ~a & b, "J": a & ~b, "bell": a & b}
        assert math.fsum(chances.values()) == pytest.approx(1.0, abs=1e-6)
        for name, share in shares.items():
            assert chances[name] == pytest.approx(np.mean(share), abs=0.005)  # 4 sd of the share


def test_end_tests_by_hand() -> None:
    fit = fit_of((2, 1.2), (1.5, 1.4), 100, 2)
    found = fit.end_tests()
    c, i = fit.client, fit.impostor
    for test, name, sign in ((found.at_zero, "a", 1), (found.at_one, "b", -1)):
        sd = math.hypot(c.std_errors[name] / c.params[name], i.std_errors[name] / i.params[name])
        z = sign * math.log(c.params[name] / i.params[name]) / sd
        assert test.z == pytest.approx(z, rel=1e-10)
        assert test.p_value == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-9)
        wanted = "undecided" if test.p_value > 0.05 else "above" if z > 0 else "below"
        assert test.side == wanted


def test_size_of_the_end_tests() -> None:
    # Equal shapes at zero: 400 sets, 5 % with an sd of 1.1 %.
    rejected = sum(
        fit_of((2, 1), (2, 3), 60, seed).end_tests().at_zero.p_value < 0.05 for seed in range(400)
    )
    assert abs(rejected / 400 - 0.05) < 3 * 0.011


def test_curve_probabilities_are_shares_of_drawn_curves() -> None:
    fit = fit_of((2, 1.3), (1.6, 1.4), 80, 3)
    draws, found = drawn(fit, 200_000), fit.curve_test().probabilities
    a = draws["client"][:, 0] > draws["impostor"][:, 0]
    b = draws["impostor"][:, 1] > draws["client"][:, 1]
    shares = {"proper": a & b, "hook-at-one": a & ~b, "hook-at-zero": ~a & b, "below": ~a & ~b}
    for name, share in shares.items():
        assert found[name] == pytest.approx(np.mean(share), abs=0.005)


@pytest.mark.parametrize(
    ("client", "impostor", "end"), [((4, 2), (2, 1.4), "at_one"), ((1.2, 2), (2, 5), "at_zero")]
)
def test_a_hook_on_a_dense_grid(
    client: tuple[float, float], impostor: tuple[float, float], end: str
) -> None:
    fit = fit_of(client, impostor, 4000, 4)
    (hook,) = fit.curve_test().hooks
    assert hook.end == end
    t = np.linspace(0, 1, 400_001)
    far, tpr = fit.model.far(t), 1 - fit.model.frr(t)
    assert hook.depth == pytest.approx(np.max(far - tpr), abs=1e-9)
    below = far[(far - tpr) > 1e-9]
    assert hook.far_low == pytest.approx(0.0 if end == "at_one" else below.min(), abs=1e-4)
    assert hook.far_high == pytest.approx(1.0 if end == "at_zero" else below.max(), abs=1e-4)
    place = fit.model.diagonal_crossings().threshold[0]
    values = np.concatenate([fit.scores.client, fit.scores.impostor])
    counted = np.sum(values > place) if end == "at_one" else np.sum(values <= place)
    # The law's expectation against a count: a few standard deviations of a binomial count.
    assert hook.expected_scores == pytest.approx(counted, abs=5 * math.sqrt(counted))


def test_point_masses_decide_an_end_by_fishers_test() -> None:
    rng = np.random.default_rng(5)
    client = np.r_[np.zeros(3), rng.beta(4, 2, 97)]
    impostor = np.r_[np.zeros(20), rng.beta(2, 4, 80)]
    fit = br.fit(br.Scores(client, impostor), boundary="inflate")
    test = fit.end_tests().at_zero
    assert test.p_value == pytest.approx(stats.fisher_exact([[3, 97], [20, 80]]).pvalue, rel=1e-12)
    assert test.side == "above"
    assert math.isnan(test.z)
    assert fit.model.ends().at_zero.side == "above"
    at_one = br.fit(br.Scores(1 - impostor, 1 - client), boundary="inflate").end_tests().at_one
    assert (at_one.side, at_one.p_value) == ("above", pytest.approx(test.p_value, rel=1e-12))
    with pytest.raises(br.InputError, match="without point masses"):
        fit.curve_test()


def test_reflection_with_the_classes_swapped_swaps_the_ends() -> None:
    fit = fit_of((2, 1.2), (1.5, 1.4), 100, 6)
    other = br.fit(br.Scores(1 - fit.scores.impostor, 1 - fit.scores.client))
    one, two = fit.end_tests(), other.end_tests()
    assert one.at_zero.z == pytest.approx(two.at_one.z, rel=1e-6)
    assert one.at_one.z == pytest.approx(two.at_zero.z, rel=1e-6)


def test_what_is_refused() -> None:
    rng = np.random.default_rng(7)
    normal = br.fit(br.Scores(rng.normal(1, 1, 30), rng.normal(0, 1, 30)), "normal")
    for call in (normal.end_tests, normal.curve_test, normal.shape_probabilities):
        with pytest.raises(br.InputError, match="of family 'normal'"):
            call()
    with pytest.raises(br.InputError, match=r"Did you mean 0\.95"):
        fit_of((2, 1), (1, 2), 30, 1).end_tests(95)
