"""AUC of beta pairs: the product rule, the quadrature behind it, and the border between them."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import betaroc as br
from betaroc import InputError, InputTypeError
from betaroc.core.special import stirling_remainder, stirling_remainders
from betaroc.distributions.beta import auc_of_pair, auc_of_pairs
from helpers.places import REFERENCES

REFERENCE: dict[str, list[dict[str, Any]]] = json.loads((REFERENCES / "beta_auc.json").read_text())
#: Relative errors expected in the range of shapes; `hard` is bounded by 1e-12 in absolute error.
BOUNDS = {"0.05 to 50": 1e-12, "0.05 to 1000": 1e-12, "0.001 to 1000000": 1e-9}


def table(section: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = REFERENCE[section]
    shapes = np.array([row["shapes"] for row in rows])
    areas = np.array([[float(row["auc"]), float(row["one_minus_auc"])] for row in rows])
    return shapes, areas[:, 0], areas[:, 1]


def swapped(shapes: np.ndarray) -> np.ndarray:
    return shapes[:, [2, 3, 0, 1]]


def relative(value: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Relative error; absolute where the true value is below the doubles."""
    tiny = true < 1e-300
    return np.abs(value - true) / np.where(tiny, 1.0, true)


@pytest.mark.simulation
@pytest.mark.parametrize("section", BOUNDS)
def test_batches_against_multiple_precision(section: str) -> None:
    shapes, area, rest = table(section)
    assert np.max(relative(br.beta_auc(*shapes.T), area)) <= BOUNDS[section]
    assert np.max(relative(br.beta_auc(*swapped(shapes).T), rest)) <= BOUNDS[section]


def test_the_hard_list() -> None:
    """Where quadratures over the score are wrong in the second to the eighth digit."""
    shapes, area, rest = table("hard")
    for (a_c, b_c, a_i, b_i), true, complement in zip(shapes.tolist(), area, rest, strict=True):
        client, impostor = br.Beta(a_c, b_c), br.Beta(a_i, b_i)
        one = br.ScoreModel(client, impostor).auc()
        other = br.ScoreModel(impostor, client).auc()
        assert abs(one - true) <= 1e-12
        assert relative(np.array([one, other]), np.array([true, complement])).max() <= 1e-11
        assert br.beta_auc(a_c, b_c, a_i, b_i) == one


@pytest.mark.parametrize("section", ["hard", "0.05 to 50", "0.05 to 1000"])
def test_what_the_rule_does_not_settle_is_left_to_quadrature(section: str) -> None:
    """A number from the rule is right; None comes for tiny areas only."""
    shapes, area, _ = table(section)
    many = auc_of_pairs(*shapes.T)
    for row, value, true in zip(shapes.tolist(), many, area, strict=True):
        one = auc_of_pair(*row)
        assert (one is None) == math.isnan(value)
        if one is None:
            assert 0.0 < true < 1e-60
        elif true < 1e-310:
            assert one == value == 0.0
        else:
            assert one == pytest.approx(value, rel=1e-13)


def test_no_ordinary_pair_needs_the_quadrature() -> None:
    shapes = np.exp(np.random.default_rng(1).uniform(np.log(0.05), np.log(50.0), (4, 2000)))
    assert not np.any(np.isnan(auc_of_pairs(*shapes)))


@pytest.mark.simulation
def test_both_ways_agree_across_the_border() -> None:
    """The area shrinks through the place where the rule gives up: no step in the values.

    Beta(k, 2k) against Beta(2k, k): both ways are asked where both answer.
    """
    both, alone = 0, 0
    for k in np.geomspace(5.0, 1500.0, 25).tolist():
        rule = auc_of_pair(k, 2.0 * k, 2.0 * k, k)
        quadrature = br.ScoreModel(br.Beta(k, 2.0 * k), br.Beta(2.0 * k, k)).generic().auc()
        assert br.beta_auc(k, 2.0 * k, 2.0 * k, k) == (quadrature if rule is None else rule)
        if rule is None:
            alone += 1
        else:
            both += 1
            assert rule == pytest.approx(quadrature, rel=1e-12)
    assert min(both, alone) > 3


def test_swapped_classes_add_to_one() -> None:
    for low, high in ((0.05, 50.0), (1e-3, 1e6)):
        draw = np.random.default_rng(2).uniform(np.log(low), np.log(high), (4, 300))
        shapes = np.exp(draw)
        there = auc_of_pairs(*shapes)
        back = auc_of_pairs(*shapes[[2, 3, 0, 1]])
        known = ~(np.isnan(there) | np.isnan(back))
        assert np.max(np.abs((there + back)[known] - 1.0)) <= 1e-13


def test_mirrored_scores_give_the_swapped_pair() -> None:
    """1 - S of Beta(a, b) is Beta(b, a): the same number to the last digit."""
    shapes = np.exp(np.random.default_rng(3).uniform(np.log(0.05), np.log(50.0), (4, 200)))
    a_c, b_c, a_i, b_i = shapes
    np.testing.assert_array_equal(br.beta_auc(b_i, a_i, b_c, a_c), br.beta_auc(*shapes))


@pytest.mark.parametrize("a", [1e-9, 1e-3, 0.3, 7.0, 1e6, 1e12])
def test_equal_laws_give_exactly_one_half(a: float) -> None:
    law = br.Beta(a, 2.0 * a)
    assert br.ScoreModel(law, law).auc() == 0.5
    assert br.beta_auc(a, 2.0 * a, a, 2.0 * a) == 0.5


def test_closed_forms_in_elementary_functions() -> None:
    """b = 1: a_c / (a_c + a_i). Impostor uniform: E C. Client (1, n): E (1 - I)^n."""
    a = np.geomspace(1e-3, 1e6, 40)
    np.testing.assert_allclose(br.beta_auc(a, 1.0, 0.7, 1.0), a / (a + 0.7), rtol=2e-13)
    np.testing.assert_allclose(br.beta_auc(a, 3.0, 1.0, 1.0), a / (a + 3.0), rtol=2e-13)
    # P(C > I) = E (1 - I)^n = b (b + 1) (b + 2) / ((a + b) (a + b + 1) (a + b + 2)) for n = 3.
    b = 1.5
    expected = b * (b + 1) * (b + 2) / ((a + b) * (a + b + 1) * (a + b + 2))
    np.testing.assert_allclose(br.beta_auc(1.0, 3.0, a, b), expected, rtol=2e-13)


def test_extreme_shapes_give_a_fraction_without_a_floating_point_error() -> None:
    """numpy raises on every signal but underflow, which is no loss; shapes over 18 decades."""
    draw = np.random.default_rng(5).uniform(np.log(1e-9), np.log(1e9), (4, 80))
    with np.errstate(all="raise", under="ignore"):
        area = auc_of_pairs(*np.exp(draw))
    settled = area[~np.isnan(area)]
    assert settled.size > 10
    assert np.all((settled >= 0.0) & (settled <= 1.0))


def test_shapes_of_the_result() -> None:
    assert isinstance(br.beta_auc(2, 1, 1, 1), float)
    column, line = np.array([[1.0], [2.0]]), np.array([1.0, 2.0, 3.0])
    area = br.beta_auc(column, 1.0, line, 1.0)
    np.testing.assert_allclose(area, column / (column + line), rtol=1e-14)
    assert br.beta_auc(np.empty((0, 2)), 1.0, 1.0, 1.0).shape == (0, 2)
    one = br.beta_auc([2.0], 1.0, 1.0, 1.0)
    assert one.shape == (1,)


def test_refusals() -> None:
    with pytest.raises(InputError, match=r"b_i .* 2 of 3 are not, the first is -1\.0 at index 1"):
        br.beta_auc(1.0, 1.0, 1.0, [1.0, -1.0, np.nan])
    with pytest.raises(InputError, match=r"a_c .* 1 of 1 are not, the first is inf\. Give"):
        br.beta_auc(np.inf, 1.0, 1.0, 1.0)
    with pytest.raises(InputError, match=r"a_i .* at index \(1, 0\)"):
        br.beta_auc(1.0, 1.0, [[1.0], [0.0]], 1.0)
    with pytest.raises(InputError, match="must broadcast"):
        br.beta_auc([1.0, 2.0], [1.0, 2.0, 3.0], 1.0, 1.0)
    with pytest.raises(InputTypeError):
        br.beta_auc("1", 1.0, 1.0, 1.0)


def stirling_by_fractions(x: float) -> float:
    """The remainder by Binet's continued fraction, 1/12 / (x + 1/30 / (x + 53/210 / (x + ...)))."""
    value = x
    for a in (22999 / 22737, 195 / 371, 53 / 210, 1 / 30):
        value = x + a / value
    return 1 / 12 / value


def test_stirling_remainders() -> None:
    """What log Gamma(x) - [(x - 1/2) log x - x + log(2 pi)/2] is where it is known otherwise."""
    half_log = 0.5 * math.log(2.0 * math.pi)
    small = np.geomspace(1e-300, 1e-9, 60)  # log Gamma(x) = -log x - euler x + O(x^2)
    near = -(0.5 + small) * np.log(small) + (1.0 - np.euler_gamma) * small - half_log
    known = {2.0: 2.0 - 1.5 * math.log(2.0) - half_log, 1.0: 1.0 - half_log}
    far = np.geomspace(100.0, 1e300, 50)
    places = np.concatenate([small, [*known], far])
    expected = [*near, *known.values(), *(stirling_by_fractions(x) for x in far.tolist())]
    with np.errstate(all="raise", under="ignore"):
        np.testing.assert_allclose(stirling_remainders(places), expected, rtol=1e-13)
    one_by_one = [stirling_remainder(x) for x in places.tolist()]
    np.testing.assert_allclose(one_by_one, expected, rtol=1e-13)
    # R(x) - R(x + 1) = (x + 1/2) log(1 + 1/x) - 1, also across both of the borders, 10 and 12.
    x = np.linspace(2.0, 14.0, 97)
    step = (x + 0.5) * np.log1p(1.0 / x) - 1.0
    found = stirling_remainders(x) - stirling_remainders(x + 1.0)
    np.testing.assert_allclose(found, step, atol=5e-15, rtol=0.0)
    np.testing.assert_allclose(
        stirling_remainders(x), [stirling_remainder(v) for v in x.tolist()], rtol=1e-12
    )


@pytest.mark.simulation
def test_by_simulation() -> None:
    """Half a million draws; the standard error is at most 0.0008."""
    rng = np.random.default_rng(4)
    for shapes in ((0.47, 0.36, 0.77, 1.91), (3.27, 0.67, 0.71, 5.04), (0.2, 0.3, 30.0, 40.0)):
        c, i = rng.beta(*shapes[:2], 500_000), rng.beta(*shapes[2:], 500_000)
        assert br.beta_auc(*shapes) == pytest.approx(np.mean(c > i), abs=4 * 0.0008)


@pytest.mark.simulation
def test_the_generic_algorithms_agree() -> None:
    for row in table("0.05 to 50")[0][:10].tolist():
        model = br.ScoreModel(br.Beta(*row[:2]), br.Beta(*row[2:]))
        assert model.auc() == pytest.approx(model.generic().auc(), rel=1e-11)


def test_monotone_in_a_shape() -> None:
    """A larger a_c moves the client law up in the stochastic order."""
    a = np.geomspace(0.01, 1e4, 400)
    area = br.beta_auc(a, 2.0, 3.0, 4.0)
    assert np.all(np.diff(area) >= -1e-15)
