"""The counts of a confusion matrix and precision at k, against scikit-learn and by enumeration."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

import betaroc as br


def test_arrays_have_counts_of_their_shape_and_the_rates_of_the_model():
    scores = br.Scores([3, 4, 5], [1, 2, 3, 4])
    t = np.array([[-math.inf, 3.0], [3.5, 5.0]])
    found = scores.confusion(t)
    assert found.true_accepts.tolist() == [[3, 2], [2, 0]]
    assert found.false_accepts.tolist() == [[4, 1], [1, 0]]
    model = br.ScoreModel(br.Empirical(scores.client), br.Empirical(scores.impostor))
    np.testing.assert_array_equal(found.far, model.far(t))
    np.testing.assert_array_equal(found.frr, model.frr(t))


def test_weights_that_are_fractions_stay():
    half = br.Scores([3, 4], [1, 5], client_weights=[0.5, 2]).confusion(3)
    assert (half.true_accepts, half.false_rejects, half.frr) == (2, 0.5, 0.2)


def test_precision_at_k_is_the_mean_over_all_orders_of_ties():
    client, impostor = [5, 4, 3, 3], [4, 4, 3]
    trials = [(v, 1) for v in client] + [(v, 0) for v in impostor]
    orders = [sorted(p, key=lambda trial: -trial[0]) for p in permutations(trials)]
    found = br.Scores(client, impostor).precision_at(np.arange(1, 8))
    for k in range(1, 8):
        total = sum(sum(label for _, label in order[:k]) for order in orders)
        assert found[k - 1] == pytest.approx(float(Fraction(total, k * len(orders))), rel=1e-15)


def test_precision_at_k_of_weights_and_at_all():
    weighted = br.Scores([4, 2], [4, 1], client_weights=[2, 1], impostor_weights=[3, 4])
    copies = br.Scores([4, 4, 2], [4, 4, 4, 1, 1, 1, 1])
    k = np.arange(1, 11)
    np.testing.assert_allclose(weighted.precision_at(k), copies.precision_at(k), rtol=1e-15)
    assert copies.precision_at(10) == 0.3  # every score: the share of clients
    assert isinstance(copies.precision_at(3), float)


@pytest.mark.parametrize("bad", [0, 2.5, [1, 9]])
def test_k_is_a_number_of_scores(bad):
    with pytest.raises(br.InputError, match="k must be a whole number from 1 to 4"):
        br.Scores([1, 2], [0, 1.5]).precision_at(bad)
