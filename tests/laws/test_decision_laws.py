"""Laws of thresholds chosen on dev and of what they do on test."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, strategies as st

import betaroc as br
from betaroc.model.samples import empirical_model
from helpers.laws import all_thresholds, full_sets, law, like_labels, samples, sets

ALPHA = [0.0, 0.2, 0.5, 0.9, 1.0]
TARGETS = st.floats(0.02, 0.6)
CONFIDENCES = st.floats(0.5, 0.99)


@pytest.mark.simulation
@law(fast=6, both=st.tuples(full_sets(), full_sets()))
def test_what_dev_chose_is_no_better_than_the_best_on_test(both) -> None:
    for dev in both:
        curve = br.epc(dev, both[1], alpha=ALPHA, measure="weighted-error")
        assert np.all((curve.value >= curve.a_posteriori - 1e-12) & (curve.value <= 1.0))
    model = empirical_model(dev)
    far, frr = (rate(all_thresholds(dev)) for rate in (model.far, model.frr))
    least = [np.min(a * far + (1.0 - a) * frr) for a in ALPHA]
    np.testing.assert_allclose(curve.value, least, rtol=0.0, atol=1e-12)  # of dev itself
    # Dearer acceptances never raise the FAR nor lower the FRR.
    assert np.all(np.diff(curve.far) <= 0.0)
    assert np.all(np.diff(curve.frr) >= 0.0)


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


@pytest.mark.simulation
@law(
    fast=27, scores=sets(), x=st.tuples(TARGETS, TARGETS), level=st.tuples(CONFIDENCES, CONFIDENCES)
)
def test_more_confidence_and_a_smaller_target_are_never_laxer(scores, x, level) -> None:
    for rate, sign in (("far", 1.0), ("frr", -1.0)):
        lax = guaranteed(scores, rate, max(x), min(level))
        for target, confidence in ((min(x), min(level)), (max(x), max(level))):
            strict = guaranteed(scores, rate, target, confidence)
            if strict is not None:
                assert lax is not None
                assert sign * strict.threshold >= sign * lax.threshold


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
