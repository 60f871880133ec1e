"""AUC of beta pairs: the product rule, the quadrature behind it, and the border between them."""

import json
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import betaroc as br
from betaroc.distributions.beta import auc_of_pair, auc_of_pairs
from helpers.places import REFERENCES

REFERENCE = json.loads((REFERENCES / "beta_auc.json").read_text())
#: Relative errors expected in the range of shapes; where quadratures over the score are wrong in
#: the second to the eighth digit.
BOUNDS = {"0.05 to 50": 1e-12, "0.05 to 1000": 1e-12, "0.001 to 1000000": 1e-9, "hard": 1e-11}


def table(section):
    rows = REFERENCE[section]
    areas = np.array([[float(row["auc"]), float(row["one_minus_auc"])] for row in rows])
    return np.array([row["shapes"] for row in rows]), *areas.T


def relative(value, true):
    """Relative error; absolute where the true value is below the doubles."""
    return np.abs(value - true) / np.where(true < 1e-300, 1.0, true)


def drawn(seed, low, high, n):
    return np.exp(np.random.default_rng(seed).uniform(np.log(low), np.log(high), (4, n)))


@pytest.mark.simulation
@pytest.mark.parametrize("section", BOUNDS)
def test_batches_against_multiple_precision(section):
    shapes, area, rest = table(section)
    assert np.max(relative(br.beta_auc(*shapes.T), area)) <= BOUNDS[section]
    assert np.max(relative(br.beta_auc(*shapes.T[[2, 3, 0, 1]]), rest)) <= BOUNDS[section]


@pytest.mark.parametrize("section", ["hard", "0.05 to 1000"])
def test_what_the_rule_does_not_settle_is_left_to_quadrature(section):
    """A number from the rule is right; None comes for tiny areas only."""
    shapes, area, _ = table(section)
    for row, value, true in zip(shapes.tolist(), auc_of_pairs(*shapes.T), area, strict=True):
        alone = auc_of_pair(*row)
        assert (alone is None) == math.isnan(value)
        if alone is None:
            assert 0.0 < true < 1e-60
        elif true < 1e-310:
            assert alone == value == 0.0
        else:
            assert alone == pytest.approx(value, rel=1e-13)


def test_swapped_mirrored_and_extreme_pairs_and_ordinary_ones_need_no_quadrature():
    for low, high in ((0.05, 50.0), (1e-3, 1e6)):
        shapes = drawn(2, low, high, 300)
        there, back = auc_of_pairs(*shapes), auc_of_pairs(*shapes[[2, 3, 0, 1]])
        assert np.nanmax(np.abs(there + back - 1.0)) <= 1e-13
    assert not np.any(np.isnan(auc_of_pairs(*drawn(1, 0.05, 50.0, 400))))
    # 1 - S of Beta(a, b) is Beta(b, a): the same number to the last digit.
    a_c, b_c, a_i, b_i = shapes = drawn(3, 0.05, 50.0, 200)
    assert_array_equal(br.beta_auc(b_i, a_i, b_c, a_c), br.beta_auc(*shapes))
    # numpy raises on every signal but underflow, which is no loss; shapes over 18 decades.
    with np.errstate(all="raise", under="ignore"):
        area = auc_of_pairs(*drawn(5, 1e-9, 1e9, 80))
    settled = area[~np.isnan(area)]
    assert settled.size > 10
    assert np.all((settled >= 0.0) & (settled <= 1.0))


@pytest.mark.parametrize("a", [1e-9, 0.3, 1e12])
def test_equal_laws_give_exactly_one_half(a):
    law = br.Beta(a, 2.0 * a)
    assert br.ScoreModel(law, law).auc() == br.beta_auc(a, 2.0 * a, a, 2.0 * a) == 0.5


def test_shapes_of_the_result():
    assert isinstance(br.beta_auc(2, 1, 1, 1), float)
    column, line = np.array([[1.0], [2.0]]), np.array([1.0, 2.0, 3.0])
    assert_allclose(br.beta_auc(column, 1.0, line, 1.0), column / (column + line), rtol=1e-14)
    assert br.beta_auc(np.empty((0, 2)), 1.0, 1.0, 1.0).shape == (0, 2)
    assert br.beta_auc([2.0], 1.0, 1.0, 1.0).shape == (1,)
