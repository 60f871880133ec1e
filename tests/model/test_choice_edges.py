"""Choices at the edges: fractional weights, tiny targets, convex chains, priors of 0."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import betaroc as br
from helpers.cases import over


@over("seed", {seed: seed for seed in range(40)})
def test_fractional_weights_never_give_a_rate_beyond_1(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    law = br.Empirical(rng.normal(0, 1, n), rng.random(n))
    below, above = law.cdf(np.sort(law.values)), law.sf(np.sort(law.values))
    assert law.sf(-99.0) == 1.0
    assert law.cdf(99.0) == 1.0
    assert np.all(np.diff(below) >= 0)
    assert np.all(np.diff(above) <= 0)
    assert max(below.max(), above.max()) <= 1.0
    # Each tail against its sum in fractions.
    weights = {v: Fraction(float(w)) for v, w in zip(law.values, law.weights, strict=True)}
    total = sum(weights.values())
    place = float(np.sort(law.values)[n // 2])
    upper = sum(w for v, w in weights.items() if v > place) / total
    assert law.sf(place) == pytest.approx(float(upper), rel=1e-14)
    model = br.ScoreModel(law, br.Empirical([0.0, 1.0, 2.0]))
    assert model.at(-99.0).tpr == 1.0
    curve = br.epc(model, br.ScoreModel(br.Beta(2, 1), br.Beta(1, 2)), alpha=[0.0, 0.5, 1.0])
    assert curve.threshold.shape == (3,)


def test_accept_all_of_fractional_weights_is_trivial() -> None:
    dev = br.ScoreModel(br.Empirical([1, 2, 3], [0.3, 0.2, 0.1]), br.Empirical([4, 5, 6]))
    curve = br.epc(dev, br.ScoreModel(br.Beta(2, 1), br.Beta(1, 2)), alpha=[0.1])
    assert curve.threshold.tolist() == [-np.inf]
    assert curve.trivial.tolist() == [True]


def test_a_tiny_target_does_not_depend_on_the_others() -> None:
    model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
    targets = [1e-300, 1e-20, 1e-15, 1e-13, 0.5]
    for criterion in ("far", "frr"):
        curve = br.epc(model, model, criterion=criterion, measure=criterion, alpha=targets)
        assert curve.value == pytest.approx(targets, rel=1e-11)


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.ReversedScoresWarning")
def test_a_long_convex_chain_ended_by_a_lower_point() -> None:
    # Two vertices of the hull only: each pass over such a chain may drop a single point.
    rng = np.random.default_rng(1)
    n = 4000
    client = np.arange(n, dtype=float) * 2
    impostor = client - 1
    weights = np.sort(rng.integers(1, 1000, n))
    scores = br.Scores(client, [*impostor, 9e4], impostor_weights=[*weights, 10_000_000])
    curve = br.epc(scores, br.ScoreModel(br.Normal(1, 1), br.Normal(0, 1)), alpha=[0.3, 0.6, 0.9])
    places = np.concatenate([[-np.inf], np.unique(np.concatenate([client, impostor, [9e4]]))])
    law = br.ScoreModel(br.Empirical(scores.client), br.Empirical(scores.impostor,
                        scores.impostor_weights))  # fmt: skip
    at = law.at(places[1:])
    far, frr = np.concatenate([[1.0], at.far]), np.concatenate([[0.0], at.frr])
    for alpha, t in zip(curve.alpha, curve.threshold, strict=True):
        best = np.min(alpha * far + (1 - alpha) * frr)
        met = law.at(t) if np.isfinite(t) else None
        value = alpha if met is None else alpha * met.far + (1 - alpha) * met.frr
        assert value == pytest.approx(best, rel=1e-14)


def test_f_with_a_prior_of_0_is_undefined_everywhere() -> None:
    scores = br.Scores([3, 4, 5], [1, 2, 3])
    with pytest.raises(br.InputError, match="Give a prior above 0"):
        br.epc(scores, br.Scores([2, 4, 6], [0, 1, 3]), criterion="f-measure", prior=0.0)


@pytest.mark.parametrize(
    ("client", "impostor"),
    [
        (br.Normal(0.25, 1), br.Normal(-0.25, 1)),
        (br.Beta(2, 1), br.Beta(1.9, 1.03)),
        (br.Beta(3, 2), br.Beta(2, 2.02)),
    ],
)
def test_a_precision_of_1_that_comes_late(
    client: br.Distribution, impostor: br.Distribution
) -> None:
    # S_c / S_i rises to infinity so slowly that the rates underflow first: no threshold whose
    # rates are doubles has a higher precision than the last.
    model = br.ScoreModel(client, impostor)
    other = br.ScoreModel(client, impostor)
    curve = br.epc(model, other, criterion="precision", measure="precision", alpha=[0.9, 1.0])
    assert curve.value[1] > curve.value[0]
    places = client.isf(np.geomspace(1e-14, 1e-3, 400))
    tpr, far = client.logsf(places), impostor.logsf(places)
    assert curve.value[1] >= np.max(1 / (1 + np.exp(far - tpr))) - 1e-12
