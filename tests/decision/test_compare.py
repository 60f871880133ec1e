"""Comparisons of two systems against row resampling, hand computation and simulation."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import betaroc as br
from betaroc.core.options import IntervalOptions
from betaroc.decision.bands import plan_of

approx = pytest.approx
ALPHAS = np.linspace(0.2, 0.8, 7)


def two_systems(seed, n, shift=0.4, **arguments):
    """Two systems that share part of their noise, on the same trials."""
    rng, sides = np.random.default_rng(seed), [[], []]
    for size in (200, n):
        client, impostor = rng.normal(0.8, 0.8, size), rng.normal(-0.8, 0.8, size + size // 2)
        for system, gain in enumerate((shift, 0.0)):
            sides[system].append(br.Scores(np.round(client + gain + rng.normal(0, 0.6, client.size),
                2), np.round(impostor + rng.normal(0, 0.6, impostor.size), 2)))  # fmt: skip
    arguments = {"alpha": ALPHAS} | arguments
    return br.epc(*sides[0], **arguments), br.epc(*sides[1], **arguments)


def accepted(e):
    return [x[:, None] > e.threshold for x in (e.test_scores.client, e.test_scores.impostor)]


#: d measure / d FAR and d FRR, prior of a client p: the definitions.
SLOPES = {"far": (1, 0), "tpr": (0, -1), "youden": (-1, -1), "accuracy": (-0.6, -0.4),
          "dcf": (0.6, 0.4), "weighted-error": (0.3, 0.7)}  # fmt: skip


@pytest.mark.simulation
@pytest.mark.parametrize("measure", SLOPES)
def test_mean_and_variance_of_a_linear_measure(measure):
    """Each class adds slope^2 ((n10 + n01) / n - ((n10 - n01) / n)^2) / n; unpaired each system
    adds slope^2 p (1 - p) / n."""
    a, b = two_systems(4, 120, measure=measure, alpha=[0.3])  # 120 clients of 300: p = 0.4
    mean, variances = 0.0, np.zeros(2)
    slopes = (-SLOPES[measure][1], SLOPES[measure][0])  # accepted clients are not rejected
    for slope, one, other in zip(slopes, accepted(a), accepted(b), strict=True):
        n10, n01, n = (one & ~other).sum(), (~one & other).sum(), one.size
        mean += slope * (n10 - n01) / n
        paired = (n10 + n01) / n - ((n10 - n01) / n) ** 2
        variances += slope**2 * np.array([paired, one.var() + other.var()]) / n
    for paired, variance in zip((True, False), variances, strict=True):
        result = br.compare(a, b, resample="test", paired=paired, replicates=10_000, rng=5)
        assert result.difference[0] == approx(mean, abs=1e-15)
        assert result.differences.mean() == approx(mean, abs=4 * math.sqrt(variance / 10_000))
        assert result.differences.var() == approx(variance, rel=5 * 0.0142)


NAN = math.nan
RUNS = [0.1, 0.02, -0.3, -0.2, -0.1, 0.01], [0.2, 0.03, -0.1, -0.1, 0.1, 0.02]


@pytest.mark.parametrize(("measure", "alpha", "low", "high", "better", "ranges", "names"), [
    ("hter", [0.1, 0.9, 0.2, 0.3, 0.8, 0.5], [0.1, -0.3, 0.01, -0.1, -0.2, NAN], [0.2, -0.1,
        0.02, 0.10, -0.1, NAN], [2, 1, 2, 0, 1, 0], ((0.1, 0.2), (0.8, 0.9)), "ba"),
    # Where the curves cross between two neighbours, one range ends and another begins.
    ("hter", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], *RUNS, [2, 2, 1, 1, 0, 2],
        ((0.1, 0.2), (0.3, 0.4), (0.6, 0.6)), "bab"),  # an error is better small
    ("accuracy", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], *RUNS, [1, 1, 2, 2, 0, 1],
        ((0.1, 0.2), (0.3, 0.4), (0.6, 0.6)), "aba"),
])  # fmt: skip
def test_ranges_are_the_longest_runs(measure, alpha, low, high, better, ranges, names):
    a, b = two_systems(9, 60, alpha=alpha, measure=measure)
    ends = {"low": np.array(low), "high": np.array(high)}
    result = dataclasses.replace(br.compare(a, b, replicates=10, rng=1), **ends,
        **{f"band_{k}": v for k, v in ends.items()})  # fmt: skip
    assert result.better.tolist() == better
    assert result.significant.tolist() == [k > 0 for k in better]
    assert (result.ranges, result.ranges_better) == (ranges, tuple(names))


def test_a_histogram_and_the_test_of_two_proportions():
    a, b = two_systems(12, 100)
    result = br.compare(a, b, replicates=700, rng=1)
    counts = np.histogram(result.differences[:, 3], 20)[0]
    assert_array_equal(result.histogram(0.5, bins=20).counts, counts)
    test = result.proportion_test(0.3)
    errors = [int((~client[:, 1]).sum() + impostor[:, 1].sum())
        for client, impostor in map(accepted, (a, b))]  # fmt: skip
    assert (test.errors, test.trials) == (tuple(errors), (250, 250))
    p = sum(errors) / 500
    z = (errors[0] - errors[1]) / 250 / math.sqrt(p * (1 - p) * 2 / 250)
    assert test.statistic == approx(z, rel=1e-12)
    assert test.p_value == approx(2 * stats.norm.sf(abs(z)), rel=1e-12)
    # 50 classes do not fit between two neighbouring numbers.
    near = np.array([[0.1], [np.nextafter(0.1, 1.0)]]) * np.ones(ALPHAS.size)
    assert dataclasses.replace(result, differences=near).histogram(0.2).counts.max() == 2
    point = br.epc(DEV, br.Scores([2.0, 3.5, 1.0], [0.0, 1.5]), criterion="eer")  # has no alpha
    alone = br.compare(point, point, replicates=5, rng=1)
    assert (alone.proportion_test().p_value, alone.histogram(bins=3).counts.sum()) == (1.0, 5)


def test_a_seed_gives_the_same_bytes_however_many_replicates():
    a, b = two_systems(13, 70)
    few, many = (br.compare(a, b, replicates=r, rng=4) for r in (250, 300))
    assert_array_equal(few.differences, many.differences[:250])
    assert few == br.compare(a, b, replicates=250, rng=np.random.SeedSequence(4))


DEV = br.Scores([2.0, 3.0, 1.0], [0.0, 1.0])


def test_files_in_another_order_and_with_dropped_trials(tmp_path):
    """Row by row they cannot be the same trials, although as many are of each class."""
    files = {
        "a": "3,1,p 2.5,1,q 0,0,r 2,0,s 1,1,t",
        "b": "3,1,p 0,0,r 2.5,1,q 2,0,s 1,1,t",
        "c": "NA,1,p 2.5,1,q 0,0,r 2,0,s 1,1,t",
        "d": "3,1,p NA,1,q 0,0,r 2,0,s 1,1,t",
    }

    def read(name, **options):
        text = files[name].replace(" ", "\n")
        (tmp_path / f"{name}.csv").write_text(f"score,label,id\n{text}\n", encoding="utf-8")
        return br.epc(DEV, br.read_scores(tmp_path / f"{name}.csv", **options), alpha=[0.5])

    a, b = read("a"), read("b")
    with pytest.raises(br.InputError, match=r"two files come in different orders .*a\.csv.*b\.csv"):
        br.compare(a, b, replicates=5)
    assert not br.compare(a, b, paired=False, replicates=5).paired
    assert br.compare(a, read("a"), replicates=5).difference.tolist() == [0.0]
    # With ids the clients p, q, t and the impostors r, s are in one order in both.
    assert br.compare(read("a", id="id"), read("b", id="id"), replicates=5).paired
    # As many are left of each class, but not the same ones.
    with pytest.warns(br.MissingScoreWarning):
        c, d, same = (read(name, missing="drop") for name in "cdc")
    with pytest.raises(br.InputError, match=r"different trials were dropped \(.*c\.csv.*d\.csv"):
        br.compare(c, d, replicates=5)
    assert br.compare(c, same, replicates=5).difference.tolist() == [0.0]


ALPHA = [0.1, 0.3, 0.5, 0.7, 0.9]


def normal_scores(seed, n=60, gap=1.5):
    rng = np.random.default_rng(seed)
    return br.Scores(rng.normal(gap, 1, n), rng.normal(0, 1, n))


def curve(seed=1, n=60, **options):
    return br.epc(normal_scores(seed, n), normal_scores(100 + seed, n), alpha=ALPHA, **options)


@pytest.mark.simulation
def test_intervals_of_areas_values_and_means():
    e = curve(2)
    for method in ("test", "both"):
        band = e.band(resample=method, replicates=2000, rng=3)
        value = e.interval("value", alpha=0.3, method=method, rng=3)
        assert (value.estimate, value.n_beyond) == (band.estimate[1], approx(float(e.n_beyond[1])))
        # The band interpolates between replicates, which are steps.
        assert (value.low, value.high) == approx((band.low[1], band.high[1]), abs=1 / 60)
    one, two = (br.epc(normal_scores(s, 80), normal_scores(s + 2, 80), alpha=ALPHA) for s in (5, 6))
    gap = br.difference(one, two, "area", between=(0.1, 0.9), replicates=4000, rng=1)
    mean = br.compare(one, two, low=0.1, high=0.9, replicates=4000, rng=2).mean_difference
    assert gap.estimate == approx(mean.estimate, rel=1e-12)
    assert (gap.low, gap.high) == approx((mean.low, mean.high), abs=0.06 * (mean.high - mean.low))
    assert gap.significant == (gap.p_value < 0.05)
    sides, drawn = (normal_scores(10), normal_scores(11)), {"replicates": 200, "rng": 1}
    both, fixed = (br.epc_average(*sides, method=m, **drawn) for m in ("both", "test"))
    assert both.low < both.estimate == 0.5 * (both.first + both.second) < both.high
    assert fixed.high - fixed.low < both.high - both.low
    assert br.from_json(both.to_json()) == both
    # Trapezoids of replicates: a 2.5 % quantile of 300 has an error of 0.15 sd, 0.04 widths.
    area, again = (e.interval("area", replicates=300, rng=seed) for seed in (1, 2))
    assert (area.estimate, area.method) == (approx(e.area(), rel=1e-12), "both")
    width = area.high - area.low
    assert (again.low, again.high) == approx((area.low, area.high), abs=0.2 * width)
    part = e.interval("area", between=(0.3, 0.7), method="test", replicates=20, rng=1)
    assert part.estimate == approx(e.area(0.3, 0.7))


ALPHA_many = np.linspace(0.1, 0.9, 5)


def systems(noises, n=60, seed=1, *, paired=True, measure="weighted-error"):
    """Systems that see the same trials with noise of their own."""
    rng = np.random.default_rng(seed)

    def trials():
        return [rng.normal(mu, 1.0, n) for mu in (1.0, -1.0, 1.0, -1.0)]

    shared, found = trials(), {}
    for k, sd in enumerate(noises):
        own = [x + rng.normal(0.0, sd, n) for x in (shared if paired else trials())]
        dev, test = br.Scores(*own[:2]), br.Scores(*own[2:])
        found[f"s{k}"] = br.epc(dev, test, measure=measure, alpha=ALPHA_many)
    return found


@pytest.mark.parametrize(("resample", "paired"), [("both", True), ("test", False)])
def test_of_two_systems_it_is_compare(resample, paired):
    curves = systems([0.3, 2.0], paired=paired)
    given = {"resample": resample, "paired": paired, "replicates": 300, "rng": 7}
    many, two = br.compare_systems(curves, **given), br.compare(*curves.values(), **given)
    mean = two.mean_difference
    # Means of differences and differences of means round differently.
    assert (many.low[0], many.high[0]) == approx((mean.low, mean.high), abs=1e-14)
    assert many.difference[0] == approx(mean.estimate, rel=1e-13)
    # The band is of half the difference, from the middle of both curves.
    ends = [[two.band_low, -two.band_high], [two.band_high, -two.band_low]]
    assert_allclose(2.0 * np.stack([many.band_low, many.band_high]), ends, rtol=0, atol=1e-15)
    assert (many.dev_paired, many.smallest) == (two.dev_paired, two.smallest)


def test_intervals_of_all_pairs_are_those_of_the_largest_deviation():
    """Of one draw of trials for all: the engine's replicates, and the formula of the docs."""
    curves = systems([0.3, 0.6, 1.5])
    found = br.compare_systems(curves, replicates=400, rng=3)
    options = IntervalOptions(0.95, "both", 400, True, 3)
    plan = plan_of(tuple(curves.values()), options, paired=True, names=tuple(curves))
    values = options.replicated(
        lambda g, n: np.stack(plan.values(g, n), axis=1), 3, ALPHA_many.size
    )
    weights = np.array([0.5, 1.0, 1.0, 1.0, 0.5]) / 4.0  # trapezia between five alphas
    own = np.stack([e.value for e in curves.values()]) @ weights
    assert_allclose(found.mean, own, rtol=1e-12)
    pairs = list(itertools.combinations(range(3), 2))
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == pairs
    means = values @ weights
    drawn = np.stack([means[:, i] - means[:, j] for i, j in pairs], axis=1)
    gap = np.array([own[i] - own[j] for i, j in pairs])
    sd = np.sqrt(np.mean((drawn - gap) ** 2, axis=0))
    reach = np.quantile(np.max(np.abs(drawn - gap) / sd, axis=1), 0.95)
    single = np.quantile(drawn, [0.025, 0.975], axis=0)
    assert_allclose(found.low, np.minimum(gap - reach * sd, single[0]), rtol=1e-9)
    assert_allclose(found.high, np.maximum(gap + reach * sd, single[1]), rtol=1e-9)


def judged(curves, apart):
    """A comparison in which these pairs, (better, worse), are shown."""
    found = br.compare_systems(curves, replicates=20, rng=1)
    pairs = list(zip(found.first.tolist(), found.second.tolist(), strict=True))
    low = np.array([0.1 if (j, i) in apart else -1.0 for i, j in pairs])
    high = np.array([-0.1 if (i, j) in apart else 1.0 for i, j in pairs])
    return dataclasses.replace(
        found, low=low, high=high, mean=np.arange(len(found.names), dtype=float)
    )


@pytest.mark.simulation
def test_rankings_by_hand():
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
    curves = systems([0.3, 0.3, 0.3])
    best = judged(curves, {(0, 1), (0, 2)})
    assert best.verdict.startswith("s0 is better than each of the 2 others: its weighted error")
    assert "no difference is shown" in judged(curves, set()).verdict
    poor, good, other = systems([3.0, 0.1, 3.0], measure="accuracy").values()
    best = br.compare_systems({"poor": poor, "good": good, "other": other}, replicates=100, rng=1)
    assert (best.ranking[0], np.argmax(best.mean)) == ("good", 1)
    assert {("good", "poor"), ("good", "other")} <= set(best.shown)
    assert br.from_json(best.to_json()) == best
    few = br.compare_systems(systems([0.1, 9.0, 9.0], n=8), replicates=50, rng=1)
    assert few.shown == ()
    assert "too few" in few.verdict
    curves = dict(zip(["x" * 80, "y" * 80, "z" * 80], curves.values(), strict=True))
    assert len(repr(br.compare_systems(curves, replicates=20, rng=1))) < 200


@pytest.mark.nightly
def test_equal_systems_are_seldom_told_apart():
    """Any of 10 differences of 5 equal systems in 60 runs: at .05, more than 8 has p < .004."""
    assert stats.binom.sf(8, 60, 0.05) < 0.004
    shown = 0
    for run in range(60):
        curves = systems([0.7] * 5, n=60, seed=run)
        shown += bool(br.compare_systems(curves, replicates=200, rng=run).shown)
    assert shown <= 8
