"""Laws of numbers counted from scores, ties and the ends of doubles included."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, strategies as st

import betaroc as br
from betaroc.model.samples import empirical_model
from helpers.laws import (
    all_thresholds,
    between,
    full_sets,
    law,
    like_labels,
    samples,
    sets,
    weighted,
)

ALPHA = [0.0, 0.1, 0.5, 0.75, 1.0]
RATES = np.linspace(0.0, 1.0, 9)


def numbers(model: br.ScoreModel) -> list[float]:
    """What a set of scores says without a threshold."""
    return [
        model.auc(), model.eer().hter, model.ks(), model.youden().youden,
        *(model.min_weighted_error(alpha).hter for alpha in ALPHA),
        *model.at_far(RATES).frr, *model.at_frr(RATES).far,
    ]  # fmt: skip


def rates(model: br.ScoreModel, t: np.ndarray) -> np.ndarray:
    return np.array([model.far(t), model.frr(t)])


@pytest.mark.simulation
@law(both=weighted())
def test_a_weight_is_as_many_copies(both) -> None:
    one, other = map(empirical_model, both)
    t = all_thresholds(both[0])
    np.testing.assert_array_equal(rates(one, t), rates(other, t))
    assert numbers(one) == pytest.approx(numbers(other), rel=1e-14)


@law(both=samples(), times=st.integers(2, 5))
def test_copies_of_all_scores_change_no_number(both, times) -> None:
    one = empirical_model(br.Scores(*both))
    other = empirical_model(br.Scores(np.tile(both[0], times), np.tile(both[1], times)))
    assert numbers(other) == pytest.approx(numbers(one), rel=1e-14)


@pytest.mark.simulation
@law(both=samples(), random=st.randoms(use_true_random=False))
def test_the_order_of_scores_changes_no_bit(both, random) -> None:
    mixed = [np.array(random.sample(list(x), len(x))) for x in both]
    one, other = (empirical_model(br.Scores(*x)) for x in (both, mixed))
    assert numbers(one) == numbers(other)


@law(scores=sets())
def test_classes_swap_when_scores_change_sign(scores) -> None:
    """Accepting above t is rejecting up to -t, so FAR and FRR change places between scores."""
    one = empirical_model(scores)
    other = empirical_model(br.Scores(-scores.impostor, -scores.client))
    t = between(scores)
    np.testing.assert_array_equal(rates(one, t)[::-1], rates(other, -t))
    assert other.auc() == pytest.approx(one.auc(), rel=1e-14)
    assert other.ks() == pytest.approx(one.ks(), rel=1e-14)


@law(both=samples())
def test_an_increasing_map_changes_no_bit(both) -> None:
    """Scores become their ranks, which no rounding touches."""
    values, ranks = np.unique(np.concatenate(both), return_inverse=True)
    mapped = np.split(ranks + 0.5, [len(both[0])])
    one, other = (empirical_model(br.Scores(*x)) for x in (both, mapped))
    assert numbers(one) == numbers(other)
    at, there = np.append(-np.inf, values), np.append(-np.inf, np.arange(len(values)) + 0.5)
    np.testing.assert_array_equal(rates(one, at), rates(other, there))


@law(scores=full_sets())
def test_a_counted_rate_is_a_fraction_of_its_trials(scores) -> None:
    model = empirical_model(scores)
    for t in all_thresholds(scores)[1:]:
        kept, passed = (
            sum(map(Fraction, (np.ones_like(x) if w is None else w)[x > t]), Fraction(0))
            for x, w in ((scores.client, scores.client_weights),
                         (scores.impostor, scores.impostor_weights))
        )  # fmt: skip
        assert model.far(t) == float(passed / Fraction(scores.impostor_total))
        assert model.frr(t) == float(1 - kept / Fraction(scores.client_total))


@law(scores=full_sets())
def test_the_confusion_of_a_threshold_holds_every_trial(scores) -> None:
    t = all_thresholds(scores)[1:]
    found = scores.confusion(t)
    far, frr = rates(empirical_model(scores), t)
    clients, impostors = scores.client_total, scores.impostor_total
    np.testing.assert_array_equal(found.true_accepts + found.false_rejects, clients)
    np.testing.assert_array_equal(found.false_accepts + found.true_rejects, impostors)
    np.testing.assert_allclose(found.false_accepts, far * impostors, rtol=1e-14)
    np.testing.assert_allclose(found.false_rejects, frr * clients, rtol=1e-14)


@law(scores=full_sets(), x=st.floats(0.0, 1.0))
def test_the_threshold_of_a_rate_is_the_first_that_keeps_it(scores, x) -> None:
    model = empirical_model(scores)
    t = all_thresholds(scores)
    far, frr = rates(model, t)
    assert model.far(model.threshold_at_far(x)) == far[far <= x].max()
    if x >= frr[0]:  # trials without a score are rejected by every threshold
        assert model.frr(model.threshold_at_frr(x)) == frr[frr <= x].max()


@law(scores=sets())
def test_the_area_counts_pairs(scores) -> None:
    """Mann and Whitney: clients above impostors, ties by half."""
    above = sum(int(np.sum(c > scores.impostor)) for c in scores.client)
    tied = sum(int(np.sum(c == scores.impostor)) for c in scores.client)
    pairs = scores.n_client * scores.n_impostor
    model = empirical_model(scores)
    assert model.auc() == pytest.approx(float(Fraction(2 * above + tied, 2 * pairs)), rel=1e-14)
    swapped = br.ScoreModel(model.impostor, model.client)
    assert model.auc() + swapped.auc() == pytest.approx(1.0, rel=1e-14)


@law(scores=full_sets(), cuts=st.lists(st.floats(0.0, 1.0), max_size=4, unique=True))
def test_partial_areas_add_up(scores, cuts) -> None:
    model = empirical_model(scores)
    ends = sorted({0.0, 1.0, *cuts})
    parts = [model.partial_auc(a, b, standardized=False) for a, b in pairwise(ends)]
    assert sum(parts) == pytest.approx(model.auc(), abs=1e-13)


@law(scores=sets())
def test_the_hull_lies_on_or_above_the_curve_and_is_its_own_hull(scores) -> None:
    roc = empirical_model(scores).roc()
    hull = roc.hull()
    x = np.linspace(0.0, 1.0, 33)
    height = hull.tpr(x)
    assert np.all(height >= roc.tpr(x) - 1e-14)
    assert np.all(height[1:-1] >= (height[:-2] + height[2:]) / 2.0 - 1e-14)
    assert hull.auc() >= roc.auc() - 1e-14


@law(scores=full_sets())
def test_the_curve_rises_from_corner_to_corner(scores) -> None:
    roc = empirical_model(scores).roc()
    heights = roc.tpr(np.linspace(0.0, 1.0, 33))
    assert np.all(np.diff(heights) >= 0.0)
    assert heights[-1] == 1.0


@law(scores=full_sets(), alpha=st.floats(0.0, 1.0))
def test_no_threshold_has_less_weighted_error(scores, alpha) -> None:
    model = empirical_model(scores)
    far, frr = rates(model, all_thresholds(scores))
    found = model.min_weighted_error(alpha)
    least = np.min(alpha * far + (1.0 - alpha) * frr)
    assert alpha * found.far + (1.0 - alpha) * found.frr == pytest.approx(
        least, rel=1e-9, abs=1e-14
    )


@law(scores=sets(), alpha=st.lists(st.floats(0.0, 1.0), min_size=3, max_size=3))
def test_the_least_weighted_error_is_concave_in_its_weight(scores, alpha) -> None:
    """A minimum of functions linear in alpha."""
    low, middle, high = sorted(alpha)
    model = empirical_model(scores)

    def least(a: float) -> float:
        point = model.min_weighted_error(a)
        return float(a * point.far + (1.0 - a) * point.frr)

    share = (middle - low) / (high - low) if high > low else 0.0
    assert least(middle) >= (1.0 - share) * least(low) + share * least(high) - 1e-9


@law(scores=full_sets())
def test_ks_is_the_largest_distance_and_youden_attains_it(scores) -> None:
    model = empirical_model(scores)
    far, frr = rates(model, all_thresholds(scores))
    assert model.youden().youden == pytest.approx(np.max(1.0 - frr - far), abs=1e-14)
    assert model.ks() >= model.youden().youden - 1e-14


@law(scores=full_sets())
def test_no_threshold_has_rates_nearer_to_each_other_than_the_eer(scores) -> None:
    model = empirical_model(scores)
    far, frr = rates(model, all_thresholds(scores))
    found = model.eer()
    assert abs(found.far - found.frr) <= np.min(np.abs(far - frr)) + 1e-15


@law(
    both=samples(("grid", "unit", "whole")), absent=st.tuples(st.integers(0, 9), st.integers(0, 9))
)
def test_a_trial_without_a_score_is_a_score_below_all(both, absent) -> None:
    known = br.Scores(*both, n_client_rejected=absent[0], n_impostor_rejected=absent[1])
    floor = [np.append(x, [-1e6] * n) for x, n in zip(both, absent, strict=True)]
    assume(not like_labels(*floor))
    t = all_thresholds(br.Scores(*both))[1:]
    one, other = empirical_model(known), empirical_model(br.Scores(*floor))
    np.testing.assert_array_equal(rates(one, t), rates(other, t))
    assert one.auc() == pytest.approx(other.auc(), rel=1e-14)
