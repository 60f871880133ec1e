"""The posterior of a pair by Bayes's rule."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import betaroc as br


def test_the_posterior_is_bayess_rule() -> None:
    t = np.array([1e-12, 0.1, 0.4, 0.77, 1 - 1e-12])
    for client, impostor, laws in (
        (br.Beta(2.5, 0.7), br.Beta(0.6, 2), (stats.beta(2.5, 0.7), stats.beta(0.6, 2))),
        (br.Normal(1, 2), br.Normal(0, 1), (stats.norm(1, 2), stats.norm(0, 1))),
    ):
        model = br.ScoreModel(client, impostor, prior=0.2)
        own, other = 0.2 * laws[0].pdf(t), 0.8 * laws[1].pdf(t)
        assert model.posterior(t) == pytest.approx(own / (own + other), rel=1e-12)
    assert isinstance(model.posterior(0.5), float)
    assert math.isnan(model.posterior(math.nan))


def test_masses_and_samples() -> None:
    inflated = br.ScoreModel(
        br.Inflated(br.Beta(2, 1), at_zero=0.1), br.Inflated(br.Beta(1, 2), 0.3), prior=0.4
    )
    assert inflated.posterior(0.0) == pytest.approx(0.4 * 0.1 / (0.4 * 0.1 + 0.6 * 0.3))
    own, other = 0.4 * 0.9 * 2 * 0.3, 0.6 * 0.7 * 2 * 0.7
    assert inflated.posterior(0.3) == pytest.approx(own / (own + other), rel=1e-13)
    samples = br.ScoreModel(br.Empirical([1, 2, 2]), br.Empirical([2, 3]), prior=0.5)
    assert samples.posterior([1, 2, 3]).tolist() == pytest.approx([1.0, 4 / 7, 0.0])
    assert np.isnan(samples.posterior(1.5))


def test_outside_one_support_the_other_law_decides() -> None:
    mixed = br.ScoreModel(br.Beta(3, 2), br.Normal(0, 1))
    assert mixed.posterior([-1.0, 2.0]).tolist() == [0.0, 0.0]
    assert br.ScoreModel(br.Normal(0, 1), br.Beta(3, 2)).posterior(2.0) == 1.0
