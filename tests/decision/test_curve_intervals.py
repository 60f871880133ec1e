"""Intervals and differences of the area under an expected performance curve, and of its values."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import betaroc as br

ALPHA = [0.1, 0.3, 0.5, 0.7, 0.9]


def normal_scores(seed: int, n: int = 60, gap: float = 1.5) -> br.Scores:
    rng = np.random.default_rng(seed)
    return br.Scores(rng.normal(gap, 1, n), rng.normal(0, 1, n))


def curve(seed: int = 1, n: int = 60, **options: Any) -> br.Epc:
    return br.epc(normal_scores(seed, n), normal_scores(100 + seed, n), alpha=ALPHA, **options)


@pytest.mark.simulation
def test_the_area_is_the_mean_of_the_replicates_of_the_band() -> None:
    """The band's own replicates, weighed by trapezoids: percentiles of 300 of other seeds."""
    e = curve()
    found = e.interval("area", replicates=300, rng=1)
    assert found.estimate == pytest.approx(e.area(), rel=1e-12)
    assert found.method == "both"
    again = e.interval("area", replicates=300, rng=2)
    width = found.high - found.low
    # A 2.5 % quantile of 300 draws has an error of about 0.15 sd, 0.04 widths.
    assert (again.low, again.high) == pytest.approx((found.low, found.high), abs=0.2 * width)
    low = e.area(0.3, 0.7)
    high = e.interval("area", between=(0.3, 0.7), method="test", replicates=20, rng=1)
    assert high.estimate == pytest.approx(low)


@pytest.mark.simulation
def test_a_value_has_the_interval_of_the_band() -> None:
    e = curve(2)
    for method in ("test", "both"):
        band = e.band(resample=method, replicates=2000, rng=3)
        found = e.interval("value", alpha=0.3, method=method, rng=3)
        assert found.estimate == band.estimate[1]
        # The band interpolates between replicates, which are steps.
        assert (found.low, found.high) == pytest.approx((band.low[1], band.high[1]), abs=1 / 60)
        assert found.n_beyond == pytest.approx(float(e.n_beyond[1]))


@pytest.mark.simulation
def test_two_curves_differ_as_compare_says() -> None:
    devs, tests = (normal_scores(s, 80) for s in (5, 6)), (normal_scores(s, 80) for s in (7, 8))
    one, two = (br.epc(d, t, alpha=ALPHA) for d, t in zip(devs, tests, strict=True))
    found = br.difference(one, two, "area", between=(0.1, 0.9), replicates=4000, rng=1)
    mean = br.compare(one, two, low=0.1, high=0.9, replicates=4000, rng=2).mean_difference
    assert found.estimate == pytest.approx(mean.estimate, rel=1e-12)
    width = mean.high - mean.low
    assert (found.low, found.high) == pytest.approx((mean.low, mean.high), abs=0.06 * width)
    assert found.significant == (found.p_value < 0.05)


@pytest.mark.simulation
@pytest.mark.nightly
def test_the_area_covers_its_mean_over_dev_and_test() -> None:
    """Of the area that so many dev scores give on endless test scores; standard error 0.028."""
    model = br.ScoreModel(br.Normal(1.5, 1.0), br.Normal(0.0, 1.0))
    rng, hits, sets = np.random.default_rng(9), 0, 60

    def drawn() -> br.Scores:
        return br.Scores(rng.normal(1.5, 1, 100), rng.normal(0, 1, 100))

    true = float(np.mean([br.epc(drawn(), model, alpha=ALPHA).area() for _ in range(200)]))
    for seed in range(sets):
        found = br.epc(drawn(), drawn(), alpha=ALPHA).interval(replicates=200, rng=seed)
        hits += found.low <= true <= found.high
    assert 0.92 - 3 * 0.028 <= hits / sets
    assert not math.isnan(true)


@pytest.mark.simulation
def test_means_over_targets_have_intervals() -> None:
    sides, drawn = (normal_scores(10), normal_scores(11)), {"replicates": 200, "rng": 1}
    both, fixed = (br.epc_average(*sides, method=m, **drawn) for m in ("both", "test"))
    bare = br.epc_average(*sides)
    assert both.low < both.estimate == bare.average == 0.5 * (both.first + both.second) < both.high
    assert fixed.high - fixed.low < both.high - both.low
    assert (both.method, fixed.method, bare.method) == ("both", "test", "none drawn")
    assert np.isnan([bare.low, bare.high]).all()
    assert br.from_json(both.to_json()) == both


def test_a_mean_that_was_saved_without_an_interval_is_read() -> None:
    old = {"betaroc": "0.2.0", "format": 1, "kind": "EpcAverage", "first": 0.25, "second": 0.5,
           "average": 0.375, "undefined": 0.125, "dev": None, "test": None,
           "asked": ["far-frr", 0.0, 1.0, None]}  # fmt: skip
    found = br.from_json(json.dumps(old))
    assert (found.estimate, found.first, found.second) == (0.375, 0.25, 0.5)
    assert (found.undefined, math.isnan(found.low)) == (0.125, True)


@pytest.mark.nightly
def test_the_mean_of_replicates_is_that_of_rows_drawn_again() -> None:
    dev, test = normal_scores(14, 30), normal_scores(15, 30)
    own = br.epc_average(dev, test, method="test", level=0.9, replicates=2000, rng=1)
    rng, values = np.random.default_rng(2), []
    for _ in range(500):
        drawn = br.Scores(rng.choice(test.client, 30), rng.choice(test.impostor, 30))
        values.append(br.epc_average(dev, drawn).average)
    width = own.high - own.low
    # A 5 % quantile of 500 draws has an error of about 0.095 sd, 0.03 widths.
    assert (own.low, own.high) == pytest.approx(np.quantile(values, [0.05, 0.95]), abs=0.1 * width)
