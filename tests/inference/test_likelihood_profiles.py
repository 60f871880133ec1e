"""Intervals from the profile of the likelihood, of skewed scores."""

from __future__ import annotations

import numpy as np
import pytest

import betaroc as br


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::betaroc.BetarocWarning")
def test_a_search_that_leaves_the_doubles_is_quiet() -> None:
    """Bare warnings are errors here: slopes of the search overflow where the loss is 1e300."""
    rng = np.random.default_rng(3)
    client, impostor = 3.0 - rng.gamma(2.0, 0.7, 600), -2.0 + rng.gamma(1.2, 1.0, 1500)
    fit = br.fit(br.Scores(client, impostor), "sinh-arcsinh")
    for interval in fit.conf_int()["impostor"].values():
        assert interval.low < interval.estimate < interval.high
