"""Audits: a posteriori and a priori numbers by hand, their sentence, what is refused."""

import numpy as np
import pytest

import betaroc as br

RNG = np.random.default_rng(3)
DEV = br.Scores(RNG.normal(1.5, 1.0, 80), RNG.normal(0.0, 1.0, 120))
TEST = br.Scores(RNG.normal(2.3, 1.0, 90), RNG.normal(0.5, 1.0, 150))
MEASURES = {
    "hter": lambda tp, fp, fn, tn: 0.5 * (fp / (fp + tn) + fn / (fn + tp)),
    "f1": lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn),
    "accuracy": lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn),
}


def counts(scores, t):
    tp, fp = np.sum(scores.client > t), np.sum(scores.impostor > t)
    return tp, fp, scores.n_client - tp, scores.n_impostor - fp


@pytest.mark.parametrize("measure", MEASURES)
def test_both_numbers_are_those_of_all_thresholds(measure):
    of, best = MEASURES[measure], min if measure == "hter" else max
    result = br.audit(DEV, TEST, measure)
    places = np.concatenate([TEST.client, TEST.impostor])
    assert result.a_posteriori == pytest.approx(best(of(*counts(TEST, t)) for t in places))
    assert result.a_priori.estimate == pytest.approx(of(*counts(TEST, result.threshold)))
    if measure != "accuracy":  # whose threshold on dev is for the shares of test
        mine = of(*counts(DEV, result.threshold))
        places = np.concatenate([DEV.client, DEV.impostor])
        assert mine == pytest.approx(best(of(*counts(DEV, t)) for t in places))
    gap = abs(result.a_posteriori - result.a_priori.estimate)
    assert result.optimism.estimate == pytest.approx(gap)
    width = result.a_priori.high - result.a_priori.low
    assert result.optimism.high - result.optimism.low == pytest.approx(width)


def test_a_shift_of_the_test_side_is_shown():
    shifted = br.Scores(TEST.client + 2.0, TEST.impostor + 2.0)
    result = br.audit(DEV, shifted)
    assert result.optimism.low > 0.0
    assert "it is too good (by" in str(result)
    assert "is not shown to be too good" in str(br.audit(DEV, DEV._with(client=DEV.client + 0.01)))


@pytest.mark.parametrize(
    ("shift", "words"), [(1.0, "it is not too good (by"), (0.1, "it is not shown to be too good")]
)
def test_what_is_worse_is_not_called_too_good(shift, words):
    """Higher test scores: dev's threshold for a FAR rejects fewer clients than test's own."""
    higher = br.Scores(DEV.client + shift, DEV.impostor + shift)
    result = br.audit(DEV, higher, "frr", criterion="far", alpha=0.1)
    assert result.optimism.estimate < 0.0
    assert words in str(result)


def test_accuracy_has_the_weighted_shares_of_test():
    """Clients of weight 10: the best accuracy of all thresholds, by weighted counts."""
    heavy = br.Scores(TEST.client, TEST.impostor, client_weights=np.full(90, 10.0))
    places = np.concatenate([TEST.client, TEST.impostor])
    right = [10 * np.sum(TEST.client > t) + np.sum(TEST.impostor <= t) for t in places]
    assert br.audit(DEV, heavy, "accuracy").a_posteriori == pytest.approx(max(right) / 1050)


def test_one_threshold_of_all_strata_and_one_set_on_both_sides_are_said():
    named = TEST._with(impostor_strata=np.array(["a", "b"] * 75))
    with pytest.warns(br.BetarocWarning, match="one threshold for all strata"):
        br.audit(DEV, named)
    with pytest.warns(br.SameDataWarning):
        assert br.audit(DEV, DEV).optimism.estimate == 0.0
