"""Intervals of pairs with tails: what they dispatch to, and simulated coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

import betaroc as br
from betaroc.estimation.estimate import estimate_pair
from betaroc.estimation.record import PairEstimate
from betaroc.fits.tail_fits import TailRequest, with_tails
from betaroc.inference.intervals import (
    tail_interval,
    tail_rate_ends,
    tail_threshold_ends,
)
from betaroc.model.statistics import parse_statistic

CLIENT, IMPOSTOR = stats.norm(2.0, 1.0), stats.logistic(-2.0, 0.5)  # on the logit


def fitted(seed: int, n: int = 500) -> PairEstimate:
    rng = np.random.default_rng(seed)
    drawn = [expit(law.rvs(n, random_state=rng)) for law in (CLIENT, IMPOSTOR)]
    pair, _ = estimate_pair(br.Scores(*drawn), ("beta", "beta"))
    return with_tails(pair, TailRequest.of("both"))[0]


def test_rates_and_thresholds_are_those_of_the_tail() -> None:
    pair = fitted(1)
    upper, lower = pair.impostor.tails[1], pair.client.tails[0]
    found = tail_interval(pair, parse_statistic("threshold", (), far=1e-3))
    assert found is not None
    assert (found.low, found.high) == pytest.approx(expit(tail_threshold_ends(upper, 1e-3)))
    assert found.low < found.estimate < found.high
    far = tail_interval(pair, parse_statistic("far", (), threshold=0.75))
    tnr = tail_interval(pair, parse_statistic("tnr", (), threshold=0.75))
    assert far is not None
    assert tnr is not None
    assert (far.low, far.high) == pytest.approx(tail_rate_ends(upper, float(logit(0.75))))
    assert (1.0 - tnr.high, 1.0 - tnr.low) == pytest.approx((far.low, far.high))
    frr = tail_interval(pair, parse_statistic("frr", (), threshold=0.3))
    assert frr is not None
    assert (frr.low, frr.high) == pytest.approx(tail_rate_ends(lower, float(logit(0.3))))
    assert far.method == "tail, integrated"


@pytest.mark.simulation
@pytest.mark.nightly
def test_a_rate_at_a_rate_of_the_other_class_covers() -> None:
    """200 sets of 500: the FRR at FAR 1e-3; normal and logistic on the logit, fitted by beta."""
    true = float(CLIENT.cdf(IMPOSTOR.isf(1e-3)))
    asked, held = parse_statistic("frr", (), far=1e-3), 0
    for seed in range(200):
        found = tail_interval(fitted(seed), asked)
        assert found is not None
        held += found.low <= true <= found.high
    assert held / 200 > 0.92 - 3 * math.sqrt(0.92 * 0.08 / 200)
