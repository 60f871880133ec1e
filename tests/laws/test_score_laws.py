"""Laws of numbers counted from scores, ties and the ends of doubles included."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, strategies as st

import betaroc as br
from betaroc.model.samples import empirical_model
from helpers import laws
from helpers.laws import (
    DISTRIBUTIONS,
    all_thresholds,
    copies_of,
    full_sets,
    law,
    models,
    samples,
    sets,
)
from helpers.public import back
from helpers.sets import summary_of

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
@law(both=laws.weighted())
def test_a_weight_is_as_many_copies_in_any_order(both) -> None:
    both = both[0], br.Scores(both[1].client[::-1], both[1].impostor[::-1])
    one, other = map(empirical_model, both)
    t = all_thresholds(both[0])
    np.testing.assert_array_equal(rates(one, t), rates(other, t))
    assert numbers(one) == pytest.approx(numbers(other), rel=1e-14)


@law(scores=sets())
def test_classes_swap_when_scores_change_sign(scores) -> None:
    """Accepting above t is rejecting up to -t, so FAR and FRR change places between scores."""
    one = empirical_model(scores)
    other = empirical_model(br.Scores(-scores.impostor, -scores.client))
    t = laws.between(scores)
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
    thresholds = all_thresholds(scores)[1:]
    table = scores.confusion(thresholds)
    np.testing.assert_array_equal(table.true_accepts + table.false_rejects, scores.client_total)
    np.testing.assert_array_equal(table.false_accepts + table.true_rejects, scores.impostor_total)
    errors = zip(table.false_accepts, table.false_rejects, strict=True)
    for t, (accepts, rejects) in zip(thresholds, errors, strict=True):
        kept, passed = (
            sum(map(Fraction, (np.ones_like(x) if w is None else w)[x > t]), Fraction(0))
            for x, w in ((scores.client, scores.client_weights),
                         (scores.impostor, scores.impostor_weights))
        )  # fmt: skip
        assert model.far(t) == float(passed / Fraction(scores.impostor_total))
        assert model.frr(t) == float(1 - kept / Fraction(scores.client_total))
        assert accepts == pytest.approx(float(passed), rel=1e-14)
        assert rejects == pytest.approx(scores.client_total - float(kept), rel=1e-13)


@law(scores=full_sets(), alpha=st.floats(0.0, 1.0))
def test_no_threshold_is_better_by_a_criterion(scores, alpha) -> None:
    model = empirical_model(scores)
    far, frr = rates(model, all_thresholds(scores))
    best = model.min_weighted_error(alpha)
    assert alpha * best.far + (1.0 - alpha) * best.frr == pytest.approx(
        np.min(alpha * far + (1.0 - alpha) * frr), rel=1e-9, abs=1e-14
    )
    assert model.youden().youden == pytest.approx(np.max(1.0 - frr - far), abs=1e-14)
    assert model.ks() >= model.youden().youden - 1e-14
    assert abs(model.eer().far - model.eer().frr) <= np.min(np.abs(far - frr)) + 1e-15


@law(
    both=samples(("grid", "unit", "whole")), absent=st.tuples(st.integers(0, 9), st.integers(0, 9))
)
def test_a_trial_without_a_score_is_a_score_below_all(both, absent) -> None:
    known = br.Scores(*both, n_client_rejected=absent[0], n_impostor_rejected=absent[1])
    floor = [np.append(x, [-1e6] * n) for x, n in zip(both, absent, strict=True)]
    assume(not laws.like_labels(*floor))
    t = all_thresholds(br.Scores(*both))[1:]
    one, other = empirical_model(known), empirical_model(br.Scores(*floor))
    np.testing.assert_array_equal(rates(one, t), rates(other, t))
    assert one.auc() == pytest.approx(other.auc(), rel=1e-14)


@law(one=DISTRIBUTIONS, model=models(), prior=st.floats(0.0, 1.0))
def test_distributions_and_pairs_come_back_and_can_be_pasted(one, model, prior) -> None:
    pair = br.ScoreModel(model.client, model.impostor, prior=prior, name="é 中")
    for value in (one, pair, pair.roc(), pair.eer(), pair.at([0.1, 0.5])):
        for again in (*copies_of(value), back(value)):
            assert again == value
    assert {hash(again) for again in copies_of(one)} == {hash(one)}


@law(scores=full_sets(), both=samples(("grid", "unit", "whole")))
def test_scores_and_summaries_come_back(scores, both) -> None:
    for again in copies_of(scores):
        assert again == scores
        assert again.client.tobytes() == scores.client.tobytes()
    summary = summary_of(br.Scores(*both), bins=64)
    assert all(again == summary for again in copies_of(summary))
