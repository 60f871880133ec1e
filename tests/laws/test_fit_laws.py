"""Laws of estimates, of their intervals and of summaries."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

import betaroc as br
from helpers.laws import FRACTIONS, between, law, samples, sets

LEVELS = [0.5, 0.8, 0.95, 0.999]


def inside(least: int = 3) -> st.SearchStrategy[list[float]]:
    """Scores k/256 strictly between 0 and 1, whose rest to 1 is exact."""
    one = st.integers(1, 255).map(lambda k: k / 256)
    return st.lists(one, min_size=least, max_size=40).filter(lambda x: len(set(x)) > 1)


def beta_fit(values: object, weights: object = None) -> br.DistributionFit:
    return br.fit_distribution(values, "beta", weights=weights)


@law(values=inside(), data=st.data(), times=st.integers(2, 4))
def test_a_weight_is_as_many_copies_in_any_order_to_a_fit(values, data, times) -> None:
    n = len(values)
    k = data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    copies = np.repeat(values, k)[::-1]
    one, other, more = beta_fit(values, k), beta_fit(copies), beta_fit(np.tile(copies, times))
    assert list(one.params.values()) == pytest.approx(list(other.params.values()), rel=1e-9)
    assert one.log_likelihood == pytest.approx(other.log_likelihood, rel=1e-9, abs=1e-9)
    assert list(more.params.values()) == pytest.approx(list(one.params.values()), rel=1e-9)
    np.testing.assert_allclose(times * np.array(more.cov), one.cov, rtol=1e-8)


def nested(found: list[br.Interval], low: float, high: float) -> None:
    """Inside the range, around the estimate unless it says so, the wider the surer."""
    for one in found:
        assert low <= one.low <= one.high <= high
        apart = any("the interval does not hold it" in message for _, message in one.notices)
        assert (one.low <= one.estimate <= one.high) != apart
    for inner, outer in pairwise(found):
        assert outer.low <= inner.low + 1e-12
        assert outer.high >= inner.high - 1e-12


@pytest.mark.simulation
@law(fast=25, scores=sets(least=2), k=FRACTIONS)
def test_intervals_of_counted_rates_are_nested_around_the_estimate(scores, k) -> None:
    t = between(scores)
    threshold = float(t[1:-1][int(k * (len(t) - 2))]) if len(t) > 2 else float(scores.client[0])
    for stat in ("far", "frr", "hter"):
        found = [br.interval(scores, stat, threshold=threshold, level=c) for c in LEVELS]
        nested(found, 0.0, 1.0)


@law(fast=25, scores=sets(least=2))
def test_intervals_of_the_area_are_nested_and_mirrored_when_classes_swap(scores) -> None:
    nested([br.auc_interval(scores, level) for level in LEVELS], 0.0, 1.0)
    one = br.auc_interval(scores)
    other = br.auc_interval(br.Scores(scores.impostor, scores.client))
    assert other.low == pytest.approx(1.0 - one.high, abs=1e-9)
    assert other.high == pytest.approx(1.0 - one.low, abs=1e-9)


@pytest.mark.simulation
@law(fast=10, nightly=2000, client=inside(5), impostor=inside(5))
def test_intervals_of_a_fit_are_nested_around_the_estimate(client, impostor) -> None:
    fit = br.fit(br.Scores(client, impostor), "beta")
    known = {"auc": fit.model.auc(), "eer": fit.eer().far, "tpr": fit.at_far(0.1).tpr}
    for stat, point in (("auc", {}), ("eer", {}), ("tpr", {"far": 0.1})):
        if not 1e-9 < known[stat] < 1.0 - 1e-9:  # it has no derivative there, and is refused
            continue
        nested([fit.interval(stat, **point, level=c) for c in LEVELS], 0.0, 1.0)


def summary(both: tuple[np.ndarray, np.ndarray]) -> br.ScoreSummary:
    labels = [1] * len(both[0]) + [0] * len(both[1])
    return br.summarize(pd.DataFrame({"score": np.concatenate(both), "label": labels}), bins=64)


@pytest.mark.simulation
@law(fast=12, nightly=2000, parts=st.lists(samples(("grid", "unit")), min_size=3, max_size=3))
def test_summaries_merge_in_any_order(parts) -> None:
    a, b, c = map(summary, parts)
    whole = summary(tuple(np.concatenate([part[k] for part in parts]) for k in (0, 1)))
    for merged in ((a + b) + c, a + (b + c), c + a + b):
        for who in ("client", "impostor"):
            one, other = getattr(merged, who), getattr(whole, who)
            for name in ("n", "n_zero", "n_one", "minimum", "maximum"):
                assert getattr(one, name) == getattr(other, name)
            np.testing.assert_array_equal(one.bins, other.bins)
            np.testing.assert_array_equal(one.counts, other.counts)
            for name in ("mean", "square", "log", "log1m", "logit_square"):
                known = getattr(other, name)
                assert getattr(one, name) == pytest.approx(known, rel=1e-11, abs=1e-12)
