"""Cross-validated expected performance curves against a literal loop."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import betaroc as br
from betaroc.model.criteria import CRITERIA
from helpers.cases import some

approx = pytest.approx
ALPHAS = [0.0, 0.2, 0.5, 0.9, 1.0]


def tied_scores(seed):
    rng = np.random.default_rng(seed)
    clients, impostors = (int(n) for n in rng.integers(8, 25, 2))
    return br.Scores(rng.normal(0.4, 1.0, clients).round(1),
        rng.normal(-0.4, 1.0, impostors).round(1))  # fmt: skip


def literal(scores, client_folds, impostor_folds, criterion, **more):
    """Per fold the thresholds of the others; then every score against its own fold's."""
    labels = sorted(set(client_folds))
    alpha = None if CRITERIA[criterion].single else ALPHAS
    thresholds = []
    for label in labels:
        client = [s for s, f in zip(scores.client, client_folds, strict=True) if f != label]
        impostor = [s for s, f in zip(scores.impostor, impostor_folds, strict=True) if f != label]
        dev, test = br.Scores([*client], [*impostor]), br.ScoreModel(br.Beta(2, 1), br.Beta(1, 2))
        curve = br.epc(dev, test, criterion=criterion, alpha=alpha, **more)
        thresholds.append(curve.threshold.tolist())
    far, frr = [], []
    for a in range(len(thresholds[0])):
        false_accepts = sum(s > thresholds[labels.index(f)][a]
            for s, f in zip(scores.impostor.tolist(), impostor_folds, strict=True))  # fmt: skip
        false_rejects = sum(s <= thresholds[labels.index(f)][a]
            for s, f in zip(scores.client.tolist(), client_folds, strict=True))  # fmt: skip
        far.append(false_accepts / scores.n_impostor)
        frr.append(false_rejects / scores.n_client)
    return thresholds, far, frr


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.ExtrapolationWarning")
@pytest.mark.filterwarnings("ignore::betaroc.core.errors.TargetWarning")
@pytest.mark.parametrize("criterion", some(CRITERIA, 3))
def test_pooled_rates_are_those_of_a_literal_loop(criterion):
    scores = tied_scores(1)
    alpha = None if CRITERIA[criterion].single else ALPHAS
    curve = br.epc_cv(scores, folds=3, criterion=criterion, alpha=alpha)
    client_folds = [k % 3 for k in range(scores.n_client)]
    impostor_folds = [k % 3 for k in range(scores.n_impostor)]
    assert curve.client_folds.tolist() == client_folds
    assert curve.impostor_folds.tolist() == impostor_folds
    thresholds, far, frr = literal(scores, client_folds, impostor_folds, criterion)
    assert (curve.threshold.tolist(), curve.far.tolist()) == (thresholds, far)
    assert curve.frr.tolist() == frr
    assert curve.value == approx((np.array(far) + np.array(frr)) / 2, abs=1e-15)


def test_folds_their_means_and_their_warnings():
    scores = br.Scores([0.2, 0.5, 0.6, 0.8, 0.9], [0.1, 0.3, 0.4, 0.55, 0.7])
    curve = br.epc_cv(scores, folds=5, alpha=ALPHAS, rng=3)
    assert sorted(curve.client_folds) == sorted(curve.impostor_folds) == [0, 1, 2, 3, 4]
    found = literal(scores, curve.client_folds.tolist(),
        curve.impostor_folds.tolist(), "weighted-error")  # fmt: skip
    assert (curve.threshold.tolist(), curve.far.tolist(), curve.frr.tolist()) == found
    scores = br.Scores([1.0, 2.0, 3.0, 4.0], [0.0, 0.5, 1.5], client_groups=["a", "a", "b", "c"])
    curve = br.epc_cv(scores, folds=3, alpha=[0.5])
    assert (curve.client_folds.tolist(), curve.impostor_folds.tolist()) == ([0, 0, 1, 2], [0, 1, 2])
    scores = tied_scores(2)
    curve, expected = br.epc_cv(scores, folds=4, measure="dcf", alpha=ALPHAS), []
    for f in range(4):
        dev = br.Scores(scores.client[curve.client_folds != f],
            scores.impostor[curve.impostor_folds != f])  # fmt: skip
        any_test = br.ScoreModel(br.Beta(2, 1), br.Beta(1, 2))
        expected.append(br.epc(dev, any_test, measure="dcf", alpha=ALPHAS).expected)
    assert curve.expected == approx(np.mean(expected, axis=0), rel=1e-13)
    scores = br.Scores(np.arange(6.0), np.arange(6.0) - 1.5)
    with pytest.warns(br.TargetWarning, match="1 of 1 targets are out of reach") as caught:
        br.epc_cv(scores, folds=3, criterion="precision", alpha=[0.1])
    assert len(caught) == 1


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.TargetWarning")
def test_the_prior_of_the_criterion():
    scores, more = tied_scores(1), {"folds": 3, "criterion": "precision", "alpha": ALPHAS}
    curve = br.epc_cv(scores, **more, prior=0.01)
    folds = curve.client_folds.tolist(), curve.impostor_folds.tolist()
    assert curve.threshold.tolist() == literal(scores, *folds, "precision", prior=0.01)[0]
    cost = br.epc_cv(scores, measure="dcf", alpha=ALPHAS, prior=0.01)
    assert cost.value == approx(0.01 * cost.frr + 0.99 * cost.far, rel=1e-13)


def test_weights_are_copies_that_stay_together():
    rng = np.random.default_rng(12)
    client, impostor = rng.normal(0.5, 1.0, 12).round(1), rng.normal(-0.5, 1.0, 15).round(1)
    client_weights, impostor_weights = rng.integers(1, 4, 12), rng.integers(1, 4, 15)
    weighted = br.epc_cv(br.Scores(client, impostor, client_weights=client_weights,
        impostor_weights=impostor_weights), folds=3, measure="f1", alpha=ALPHAS)  # fmt: skip
    # One label per score keeps its copies together, and deals scores in turn as without labels.
    copies = br.epc_cv(br.Scores(np.repeat(client, client_weights), np.repeat(impostor,
        impostor_weights), client_groups=np.repeat(np.arange(12), client_weights),
        impostor_groups=np.repeat(100 + np.arange(15), impostor_weights)), folds=3, measure="f1",
        alpha=ALPHAS)  # fmt: skip
    assert (weighted.threshold == copies.threshold).all()
    for name in ("far", "frr", "value", "expected"):
        assert_allclose(getattr(weighted, name), getattr(copies, name), rtol=1e-12)
