"""Laws of thresholds chosen on dev and of what they do on test."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import assume, strategies as st

import betaroc as br
from betaroc.model.samples import empirical_model
from helpers.laws import all_thresholds, full_sets, law, like_labels, samples, sets, weighted

ALPHA = [0.0, 0.2, 0.5, 0.9, 1.0]
TARGETS = st.floats(0.02, 0.6)
CONFIDENCES = st.floats(0.5, 0.99)


def weighted_error(dev: object, test: object, alpha: list[float] = ALPHA) -> br.Epc:
    return br.epc(dev, test, alpha=alpha, measure="weighted-error")


@pytest.mark.simulation
@law(fast=8, both=st.tuples(full_sets(), full_sets()))
def test_what_dev_chose_is_no_better_than_the_best_on_test(both) -> None:
    curve = weighted_error(*both)
    assert np.all(curve.value >= curve.a_posteriori - 1e-12)
    assert np.all((curve.value >= 0.0) & (curve.value <= 1.0))


@pytest.mark.simulation
@law(scores=full_sets())
def test_on_dev_itself_the_choice_is_the_best(scores) -> None:
    curve, model = weighted_error(scores, scores), empirical_model(scores)
    np.testing.assert_allclose(curve.value, curve.a_posteriori, rtol=0.0, atol=1e-12)
    far, frr = (rate(all_thresholds(scores)) for rate in (model.far, model.frr))
    least = [np.min(a * far + (1.0 - a) * frr) for a in ALPHA]
    np.testing.assert_allclose(curve.value, least, rtol=0.0, atol=1e-12)


@pytest.mark.simulation
@law(fast=8, dev=sets(), test=sets())
def test_at_both_ends_of_alpha_one_rate_is_none_on_dev(dev, test) -> None:
    curve, model = br.epc(dev, test, alpha=[0.0, 1.0]), empirical_model(dev)
    assert model.frr(curve.threshold[0]) == 0.0
    assert model.far(curve.threshold[1]) == 0.0
    there = empirical_model(test).at(curve.threshold)
    np.testing.assert_array_equal(curve.value, there.hter)


@pytest.mark.simulation
@law(fast=8, scores=full_sets())
def test_dearer_acceptances_never_raise_far_nor_lower_frr(scores) -> None:
    curve = br.epc(scores, scores, alpha=np.linspace(0.0, 1.0, 21))
    assert np.all(np.diff(curve.far) <= 0.0)
    assert np.all(np.diff(curve.frr) >= 0.0)


@law(dev=samples(("grid",)), test=samples(("grid",)))
def test_an_increasing_map_changes_no_value(dev, test) -> None:
    """Scores k/16 become halves, without rounding, which do not look like labels."""
    one = br.epc(br.Scores(*dev), br.Scores(*test), alpha=ALPHA)
    other = br.epc(
        *(br.Scores(*(32.0 * x - 7.5 for x in both)) for both in (dev, test)), alpha=ALPHA
    )
    np.testing.assert_array_equal(one.value, other.value)
    np.testing.assert_array_equal(one.far, other.far)


@law(dev=weighted(), test=weighted())
def test_a_weight_is_as_many_copies(dev, test) -> None:
    one, other = (br.epc(dev[k], test[k], alpha=ALPHA) for k in (0, 1))
    np.testing.assert_allclose(one.far, other.far, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(one.frr, other.frr, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(one.value, other.value, rtol=0.0, atol=1e-14)


@law(both=samples())
def test_groups_of_one_trial_change_no_number(both) -> None:
    n = [len(x) for x in both]
    labels = {"client_groups": range(n[0]), "impostor_groups": range(n[0], sum(n))}
    one, other = br.Scores(*both), br.Scores(*both, **labels)
    curves = [br.epc(x, x, alpha=ALPHA) for x in (one, other)]
    np.testing.assert_array_equal(curves[0].value, curves[1].value)
    assert empirical_model(one).auc() == empirical_model(other).auc()


@law(fast=10, nightly=2000, both=st.tuples(sets(least=2), sets(least=2)))
def test_a_system_differs_by_nothing_from_itself(both) -> None:
    curve = br.epc(*both, alpha=[0.2, 0.5, 0.8])
    found = br.compare(curve, curve, replicates=20, rng=1)
    assert np.all(found.difference == 0.0)
    assert not np.any(found.significant)
    mean = found.mean_difference
    assert (mean.low, mean.estimate, mean.high) == (0.0, 0.0, 0.0)


@law(fast=8, nightly=2000, both=samples(least=4), other=samples(least=4))
def test_two_systems_called_otherwise_are_compared_alike(both, other) -> None:
    """The difference of a from b is that of b from a with its sign changed."""
    a, b = (br.Scores(*x) for x in (both, other))
    curves = [br.epc(x, x, alpha=[0.3, 0.7]) for x in (a, b)]
    one = br.compare(*curves, paired=False, replicates=20, rng=1)
    two = br.compare(*curves[::-1], paired=False, replicates=20, rng=1)
    np.testing.assert_array_equal(one.difference, -two.difference)
    assert one.mean_difference.estimate == -two.mean_difference.estimate


def guaranteed(scores: br.Scores, rate: str, x: float, confidence: float):
    """None where there are too few scores."""
    try:
        return br.decide(scores, **{rate: x}, how="guaranteed", confidence=confidence)
    except br.InputError:
        return None


@law(scores=sets(), x=TARGETS, confidence=CONFIDENCES)
def test_a_guarantee_is_no_laxer_than_the_count(scores, x, confidence) -> None:
    """In rates: of one gap the count takes the middle, the guarantee the score below.

    Chances of failure within 1e-12 count as equal.
    """
    model = empirical_model(scores)
    found = guaranteed(scores, "far", x, confidence)
    if found is None:
        assert (1.0 - x) ** scores.n_impostor > 1.0 - confidence - 1e-12
    else:
        assert 1.0 - found.achieved <= (1.0 - confidence) * (1.0 + 1e-11)
        assert found.method.far == model.far(found.threshold) <= model.at_far(x).far
    other = guaranteed(scores, "frr", x, confidence)
    if other is not None:
        assert other.method.frr == model.frr(other.threshold) <= model.at_frr(x).frr


@law(scores=sets(), x=TARGETS, level=st.tuples(CONFIDENCES, CONFIDENCES))
def test_more_confidence_is_never_laxer(scores, x, level) -> None:
    for rate, sign in (("far", 1.0), ("frr", -1.0)):
        low, high = (guaranteed(scores, rate, x, c) for c in sorted(level))
        if high is not None:
            assert low is not None
            assert sign * high.threshold >= sign * low.threshold


@law(scores=sets(), x=st.tuples(TARGETS, TARGETS))
def test_a_smaller_target_is_never_laxer(scores, x) -> None:
    small, large = (guaranteed(scores, "far", one, 0.9) for one in sorted(x))
    if small is not None:
        assert large is not None
        assert small.threshold >= large.threshold


@law(fast=20, nightly=5000, scores=sets(("grid", "unit", "whole")), x=TARGETS)
def test_a_decision_keeps_its_target_on_dev(scores, x) -> None:
    model = empirical_model(scores)
    for rate in ("far", "frr"):
        try:
            found = br.decide(scores, **{rate: x}, how="average", family="empirical")
        except br.InputError:
            continue
        counted = getattr(model, rate)(found.threshold)
        assert counted <= x
        n = scores.n_impostor if rate == "far" else scores.n_client
        assert round(counted * n) + 1 <= x * (n + 1) * (1.0 + 1e-12)


@law(fast=20, nightly=5000, both=samples(), narrow=st.booleans(), x=TARGETS)
def test_greater_or_equal_accepts_the_very_same_scores(both, narrow, x) -> None:
    if narrow:
        both = [v.astype(np.float32) for v in both if np.all(np.abs(v) < 1e38)]
        assume(len(both) == 2 and not like_labels(*both))  # small ones are 0 now
    scores = br.Scores(*both)
    found = br.decide(scores, cost_fa=x, cost_fr=1.0, family="empirical")
    assert found.dtype == scores.dtype == ("float32" if narrow else "float64")
    for values in (scores.client, scores.impostor):
        np.testing.assert_array_equal(
            found.accept(values), values >= found.threshold_for_greater_equal
        )


@law(fast=15, nightly=2000, scores=sets(("grid", "unit")), x=TARGETS)
def test_what_was_decided_comes_back_from_every_way_it_travels(scores, x) -> None:
    curve = br.epc(scores, scores, alpha=[0.2, 0.5])
    decision = br.decide(scores, cost_fa=x, cost_fr=1.0, family="empirical")
    for value in (curve, decision, decision.check(scores), scores.confusion([0.2, 0.5])):
        for again in (br.from_json(value.to_json()), pickle.loads(pickle.dumps(value)),
                      copy.deepcopy(value)):  # fmt: skip
            assert again == value


@law(scores=full_sets())
def test_scores_come_back_from_every_way_they_travel(scores) -> None:
    for again in (br.from_json(scores.to_json()), pickle.loads(pickle.dumps(scores)),
                  copy.deepcopy(scores)):  # fmt: skip
        assert again == scores
        assert again.client.tobytes() == scores.client.tobytes()


@law(scores=sets())
def test_only_the_ratio_of_costs_matters(scores) -> None:
    one = empirical_model(scores).min_dcf(1.0, 4.0)
    other = empirical_model(scores).min_dcf(2.0, 8.0)
    assert one.threshold == other.threshold
    assert other.dcf(2.0, 8.0) == pytest.approx(2.0 * one.dcf(1.0, 4.0), rel=1e-12)
