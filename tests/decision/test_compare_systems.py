"""Any number of systems at once: against `compare`, by hand, and when all are equal."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

import betaroc as br

ALPHA = np.linspace(0.1, 0.9, 5)


def systems(
    noises: list[float], n: int = 60, seed: int = 1, *, paired: bool = True
) -> dict[str, br.Epc]:
    """Systems that see the same trials with noise of their own."""
    rng = np.random.default_rng(seed)

    def trials() -> list[np.ndarray]:
        return [rng.normal(mu, 1.0, n) for mu in (1.0, -1.0, 1.0, -1.0)]

    shared, found = trials(), {}
    for k, sd in enumerate(noises):
        own = [x + rng.normal(0.0, sd, n) for x in (shared if paired else trials())]
        dev, test = br.Scores(*own[:2]), br.Scores(*own[2:])
        found[f"s{k}"] = br.epc(dev, test, measure="weighted-error", alpha=ALPHA)
    return found


@pytest.mark.parametrize("resample", ["both", "test"])
@pytest.mark.parametrize("paired", [True, False])
def test_of_two_systems_it_is_compare(resample: str, paired: bool) -> None:
    curves = systems([0.3, 2.0], paired=paired)
    given = {"resample": resample, "paired": paired, "replicates": 300, "rng": 7}
    many, two = br.compare_systems(curves, **given), br.compare(*curves.values(), **given)
    # Means of differences and differences of means round differently.
    ends = two.mean_difference.low, two.mean_difference.high
    assert (many.low[0], many.high[0]) == pytest.approx(ends, abs=1e-14)
    assert many.difference[0] == pytest.approx(two.mean_difference.estimate, rel=1e-13)
    # The band is of half the difference, from the middle of both curves.
    for k, (low, high) in enumerate([(two.band_low, two.band_high),
                                     (-two.band_high, -two.band_low)]):  # fmt: skip
        np.testing.assert_allclose(2.0 * many.band_low[k], low, rtol=0, atol=1e-15)
        np.testing.assert_allclose(2.0 * many.band_high[k], high, rtol=0, atol=1e-15)
    assert (many.dev_paired, many.smallest) == (two.dev_paired, two.smallest)


def test_intervals_of_all_pairs_are_those_of_the_largest_deviation() -> None:
    """Of one draw of trials for all: the engine's replicates, and the formula of the docs."""
    from betaroc.core.options import IntervalOptions
    from betaroc.decision.bands import plan_of

    curves = systems([0.3, 0.6, 1.5])
    found = br.compare_systems(curves, replicates=400, rng=3)
    options = IntervalOptions(0.95, "both", 400, True, 3)
    plan = plan_of(tuple(curves.values()), options, paired=True, names=tuple(curves))
    values = options.replicated(lambda g, n: np.stack(plan.values(g, n), axis=1), 3, ALPHA.size)
    weights = np.array([0.5, 1.0, 1.0, 1.0, 0.5]) / 4.0  # trapezia between five alphas
    own = np.stack([e.value for e in curves.values()]) @ weights
    np.testing.assert_allclose(found.mean, own, rtol=1e-12)
    pairs = list(itertools.combinations(range(3), 2))
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == pairs
    means = values @ weights
    drawn = np.stack([means[:, i] - means[:, j] for i, j in pairs], axis=1)
    gap = np.array([own[i] - own[j] for i, j in pairs])
    sd = np.sqrt(np.mean((drawn - gap) ** 2, axis=0))
    reach = np.quantile(np.max(np.abs(drawn - gap) / sd, axis=1), 0.95)
    single = np.quantile(drawn, [0.025, 0.975], axis=0)
    np.testing.assert_allclose(found.low, np.minimum(gap - reach * sd, single[0]), rtol=1e-9)
    np.testing.assert_allclose(found.high, np.maximum(gap + reach * sd, single[1]), rtol=1e-9)
    assert np.all(found.low <= gap)
    assert np.all(gap <= found.high)


def judged(curves: dict[str, br.Epc], apart: set[tuple[int, int]]) -> br.SystemsComparison:
    """A comparison in which these pairs, (better, worse), are shown."""
    from dataclasses import replace

    found = br.compare_systems(curves, replicates=20, rng=1)
    pairs = list(zip(found.first.tolist(), found.second.tolist(), strict=True))
    low = np.array([0.1 if (j, i) in apart else -1.0 for i, j in pairs])
    high = np.array([-0.1 if (i, j) in apart else 1.0 for i, j in pairs])
    mean = np.arange(len(found.names), dtype=float)
    return replace(found, low=low, high=high, mean=mean)


def test_a_ranking_by_hand() -> None:
    """s0 < s1 < s2 < s3; s0 differs from s2 and s3, s1 from s3."""
    curves = systems([0.3, 0.3, 0.3, 0.3])
    found = judged(curves, {(0, 2), (0, 3), (1, 3)})
    assert found.ranking == ("s0", "s1", "s2", "s3")
    assert found.shown == (("s0", "s2"), ("s0", "s3"), ("s1", "s3"))
    table = found.to_frame()
    assert table["better_than"].tolist() == [2, 1, 0, 0]
    assert table["worse_than"].tolist() == [0, 0, 1, 2]
    assert found.pairs["better"].tolist() == ["", "s0", "s0", "", "s1", ""]
    assert found.verdict.startswith("no best system can be named: s0 and s1 cannot be told apart")
    assert "3 of 6 differences are shown" in found.verdict


def test_a_best_system_and_none_at_all() -> None:
    curves = systems([0.3, 0.3, 0.3])
    best = judged(curves, {(0, 1), (0, 2)})
    assert best.verdict.startswith("s0 is better than each of the 2 others: its weighted error")
    none = judged(curves, set())
    assert "no difference is shown" in none.verdict


def test_a_larger_measure_is_better() -> None:
    rng = np.random.default_rng(2)
    truth = [rng.normal(mu, 1.0, 60) for mu in (1.0, -1.0, 1.0, -1.0)]
    curves = {}
    for name, sd in (("poor", 3.0), ("good", 0.1), ("poor too", 3.0)):
        own = [x + rng.normal(0.0, sd, 60) for x in truth]
        dev, test = br.Scores(*own[:2]), br.Scores(*own[2:])
        curves[name] = br.epc(dev, test, measure="accuracy", alpha=ALPHA)
    found = br.compare_systems(curves, replicates=200, rng=1)
    assert found.ranking[0] == "good"
    assert {("good", "poor"), ("good", "poor too")} <= set(found.shown)
    assert np.argmax(found.mean) == 1


def test_too_few_trials_show_nothing() -> None:
    found = br.compare_systems(systems([0.1, 9.0, 9.0], n=8), replicates=50, rng=1)
    assert found.shown == ()
    assert "too few" in found.verdict


@pytest.mark.simulation
def test_equal_systems_are_seldom_told_apart() -> None:
    """Any of 10 differences of 5 equal systems in 60 runs: at .05, more than 8 has p < .004."""
    assert stats.binom.sf(8, 60, 0.05) < 0.004
    shown = 0
    for run in range(60):
        curves = systems([0.7] * 5, n=60, seed=run)
        shown += bool(br.compare_systems(curves, replicates=200, rng=run).shown)
    assert shown <= 8


def test_reprs_and_pictures_of_long_names() -> None:
    curves = dict(zip(["x" * 80, "y" * 80, "z" * 80], systems([1, 2, 3]).values(), strict=True))
    found = br.compare_systems(curves, replicates=20, rng=1)
    assert len(repr(found)) < 200
    assert found.to_dict()["kind"] == "SystemsComparison"
    assert br.from_json(found.to_json()) == found
