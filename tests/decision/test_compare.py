"""Comparisons of two systems against row resampling, hand computation and simulation."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.integrate import trapezoid
from scipy.special import expit

import betaroc as br
from betaroc import Empirical
from betaroc.core.options import IntervalOptions
from betaroc.core.resampling import streams
from betaroc.data.groups import groups_of
from betaroc.decision.bands import plan_of, resampler
from betaroc.distributions.pairs import pair_of
from betaroc.inference.drawn_scores import BootstrapRows, percentile_band
from betaroc.model.criteria import CRITERIA
from helpers.sets import summary_of

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
    few = br.compare_systems(systems([0.1, 9.0, 9.0], n=8), replicates=50, rng=1)
    assert few.shown == ()
    assert "too few" in few.verdict
    curves = dict(zip(["x" * 80, "y" * 80, "z" * 80], curves.values(), strict=True))
    assert len(repr(br.compare_systems(curves, replicates=20, rng=1))) < 200


#: Both limits, and weights at which whole numbers of errors tie.
TIED = np.array([0.5, 0.0, 0.01, 0.2, 0.25, 1 / 3, 0.75, 0.9, 1.0])


def two_sets(rng, sizes, noise=(0.6, 0.6), decimals=16, **more):
    """Two systems on the same trials: logistic(.8 z + noise)."""
    found = [[], []]
    for n, centre in zip(sizes, (1.0, -1.0), strict=True):
        z = 0.8 * rng.normal(centre, 1.0, n)
        for system, sd in enumerate(noise):
            found[system].append(np.round(expit(z + rng.normal(0.0, sd, n)), decimals))
    return [br.Scores(*both, **more) for both in found]


def two_curves(seed, dev=(80, 200), test=(100, 150), noise=(0.6, 0.6), decimals=16, **arguments):
    rng = np.random.default_rng(seed)
    sides = [two_sets(rng, size, noise, decimals) for size in (dev, test)]
    return [br.epc(*both, **({"alpha": TIED} | arguments)) for both in zip(*sides, strict=True)]


def repeated(scores, drawn, row):
    """The scores of a replicate, each as often as it was drawn."""
    return br.Scores(np.repeat(scores.client, drawn[0][row]),
        np.repeat(scores.impostor, drawn[1][row]))  # fmt: skip


@pytest.mark.parametrize(("sizes", "decimals"), [((150, 150), 2), ((3, 2), 16), ((1, 1), 16)])
def test_thresholds_are_those_of_the_drawn_scores(sizes, decimals):
    """Replicate by replicate those of CRITERIA.choose, ties and both limits included."""
    dev = two_sets(np.random.default_rng(1), sizes, decimals=decimals)[0]
    e = br.epc(dev, br.Scores([0.9], [0.1]), alpha=TIED)
    drawn = BootstrapRows.of(dev, None).draw(np.random.default_rng(2), 30)
    found = resampler(e).thresholds(drawn)
    for row in range(30):
        one = repeated(dev, drawn, row)
        pair = pair_of(Empirical(one.client), Empirical(one.impostor))
        assert_array_equal(found[row], CRITERIA["weighted-error"].choose(pair, 0.5, TIED).theta)


def test_thresholds_of_many_scores_and_of_other_dev_trials():
    """Where products of counts leave the doubles the least criterion is still exact."""
    dev = two_sets(np.random.default_rng(3), (5003, 20_011))[0]
    e = br.epc(dev, br.Scores([0.9], [0.1]), alpha=TIED)
    drawn = BootstrapRows.of(dev, None).draw(np.random.default_rng(4), 3)
    found = resampler(e).thresholds(drawn)
    for row in range(3):
        one = repeated(dev, drawn, row)
        model = br.ScoreModel(Empirical(one.client), Empirical(one.impostor))
        own = model.at(CRITERIA["weighted-error"].choose(model._pair, 0.5, TIED).theta)
        at = model.at(found[row])
        best, least = (TIED * p.far + (1 - TIED) * p.frr for p in (own, at))
        assert_allclose(least, best, rtol=1e-12)
    a, b = two_curves(6)[0], two_curves(7, dev=(81, 200), test=(100, 150))[1]
    assert br.compare(a, b, replicates=3).dev_paired is False
    named = [br.epc(br.Scores([0.9, 0.7], [0.1, 0.4], client_ids=ids), br.Scores([0.9], [0.1]),
        alpha=[0.5]) for ids in (["x", "y"], ["y", "x"], ["x", "y"])]  # fmt: skip
    assert br.compare(named[0], named[1], replicates=3).dev_paired is False
    assert br.compare(named[0], named[2], replicates=3).dev_paired is True
    assert br.compare(named[0], named[2], resample="test", replicates=3).dev_paired is None


def test_rows_and_groups_are_drawn_with_replacement():
    """Each copy is drawn n times with chance 1/n: mean w, variance w (1 - w/n)."""
    weights = np.array([1, 3, 0, 2, 40])
    drawn = BootstrapRows((weights, np.ones(4, dtype=np.int64)),
        None).draw(np.random.default_rng(1), 20_000)  # fmt: skip
    n = weights.sum()
    assert np.all(drawn[0].sum(axis=1) == n)
    assert np.all(drawn[1].sum(axis=1) == 4)
    variance = weights * (1 - weights / n)
    assert np.all(np.abs(drawn[0].mean(axis=0) - weights) <= 4 * np.sqrt(variance / 20_000))
    kept = variance > 0
    # relative error of a variance: sqrt((kurtosis - 1) / 20 000), at most sqrt(3 / 20 000) = .012
    assert_allclose(drawn[0].var(axis=0)[kept], variance[kept], rtol=0.06)
    scores = br.Scores([1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 2.0], client_groups=["x", "y", "x", "z"],
        impostor_groups=["x", "p", "p"])  # fmt: skip
    rows = BootstrapRows.of(scores, groups_of(scores))
    client, impostor = rows.draw(np.random.default_rng(1), 500)
    assert_array_equal(client[:, 0], client[:, 2])
    assert_array_equal(client[:, 0], impostor[:, 0])  # one person in both classes
    assert_array_equal(impostor[:, 1], impostor[:, 2])
    assert set(client[:, 1] + client[:, 3]) == {2}  # y and z: a stratum of two
    assert rows.units == (3, 2)


@pytest.mark.simulation
@pytest.mark.parametrize(("criterion", "measure"),
    [("weighted-error", "hter"), ("weighted-error", "weighted-error"), ("far", "frr"),
    ("f-measure", "f1"), ("eer", "hter")])  # fmt: skip
@pytest.mark.parametrize("paired", [True, False])
def test_differences_are_those_of_redrawn_scores(paired, criterion, measure):
    """The same draws as Scores, thresholds chosen and judged by epc: equal to rounding."""
    alpha = None if criterion == "eer" else TIED[[0, 3, 6]]
    a, b = two_curves(5, (40, 60), (50, 70), criterion=criterion, measure=measure, alpha=alpha)
    result = br.compare(a, b, paired=paired, replicates=8, rng=3)
    assert (result.resample, result.dev_paired, result.paired) == ("both", True, paired)
    ((_, rng),) = streams(8, 3)
    on_dev = BootstrapRows.of(a.dev_scores, None).draw(rng, 8)
    on_test = [BootstrapRows.of(a.test_scores, None).draw(rng, 8)] * 2
    if not paired:
        on_test[1] = BootstrapRows.of(b.test_scores, None).draw(rng, 8)
    for row in range(8):
        values = [br.epc(repeated(e.dev_scores, on_dev, row), repeated(e.test_scores, test, row),
            criterion=criterion, measure=measure, alpha=alpha).value
            for e, test in zip((a, b), on_test, strict=True)]  # fmt: skip
        assert_allclose(result.differences[row], values[0] - values[1], rtol=0, atol=1e-15)
    ends = np.quantile(result.differences, [0.025, 0.975], axis=0)
    assert_allclose([result.low, result.high], ends, rtol=0, atol=1e-15)


def test_groups_on_both_sides():
    """As many replicates of one class size as trials of equal groups; others vary in size."""
    rng = np.random.default_rng(8)
    groups = {"client_groups": np.arange(60) // 5, "impostor_groups": 100 + np.arange(100) // 5}
    sides = [two_sets(rng, (60, 100), **groups) for _ in range(2)]
    a, b = (br.epc(*both, alpha=[0.3, 0.5]) for both in zip(*sides, strict=True))
    result = br.compare(a, b, replicates=300, rng=1)
    assert (result.groups, result.smallest) == ((32, 32), (12, "client groups of test", 20))
    single = br.compare(a, b, replicates=300, groups=False, rng=1)
    assert single.groups is None
    assert single.smallest == (60, "client trials of test", 20)
    assert not np.array_equal(result.differences, single.differences)
    two = br.Scores([0.9, 0.8, 0.4], [0.1, 0.6, 0.2], client_groups=["p", "p", "q"])
    curve = br.epc(two, sides[0][0], alpha=[0.5])
    few = br.compare(curve, curve, replicates=50, rng=1)
    assert "2 client groups of dev are too few for a bootstrap" in few.verdict
    assert not few.significant.any()


UNIT = two_sets(np.random.default_rng(9), (150, 200))[0]
DRAW = np.random.default_rng(10)
LINE = br.Scores(DRAW.normal(1, 1, 80), DRAW.normal(-1, 2, 90))
MASSES = br.Scores(np.append(DRAW.beta(2, 1, 60), [1.0, 1.0, 0.0]), DRAW.beta(1, 2, 70))
HUMPS = br.Scores(np.concatenate([DRAW.beta(2, 9, 40), DRAW.beta(9, 2, 110)]),
    np.concatenate([DRAW.beta(2, 30, 100), DRAW.beta(8, 8, 100)]))  # fmt: skip


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::betaroc.BetarocWarning")
@pytest.mark.parametrize(("dev", "family", "alpha", "size", "apart"), [
    (UNIT, "beta", TIED, 10, 0.01), (UNIT, "logit-normal", TIED, 10, 0.01),
    (UNIT, "proper-beta", TIED, 5, 0.01), (LINE, "normal", [0.2, 0.5, 0.7], 10, 0.02),
    pytest.param(HUMPS, "beta-mixture", TIED[:4], 2, 0.01, marks=pytest.mark.nightly),
    (MASSES, "beta", [0.2, 0.5, 0.7], 10, 0.02),
])  # fmt: skip
def test_a_fit_is_fitted_again(dev, family, alpha, size, apart):
    """Thresholds of the fit to the drawn scores, to 1 or 2 % of their standard deviation."""
    options = {"boundary": "inflate"} if dev is MASSES else {}
    e = br.epc(br.fit(dev, family, **options), br.Scores([0.9], [0.1]), alpha=alpha)
    drawn = BootstrapRows.of(dev, None).draw(np.random.default_rng(2), size)
    found = resampler(e).thresholds(drawn)
    expected = np.array([br.epc(br.fit(repeated(dev, drawn, row), family, **options), e.test,
        alpha=alpha).threshold for row in range(size)])  # fmt: skip
    same = found == expected  # accept all: both are -inf
    found, expected = np.where(same, 0.0, found), np.where(same, 0.0, expected)
    assert np.all(np.abs(found - expected) <= apart * expected.std(axis=0) + 1e-12)


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::betaroc.BetarocWarning")
def test_fits_that_do_not_exist_are_left_out():
    """Of three scores a draw of one alone has no beta fit: chance 3 (1/3)^3 = 1/9 a class."""
    dev = br.fit(br.Scores([0.5, 0.7, 0.9], [0.1, 0.3, 0.4]), "beta")
    e = br.epc(dev, two_sets(np.random.default_rng(1), (30, 30))[0], alpha=[0.5])
    result = br.compare(e, e, replicates=150, rng=1)
    lost, share = np.isnan(result.differences).mean(), 1 - (8 / 9) ** 2
    assert lost == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 150))
    assert "too few" in result.verdict


def test_averages_and_bands_by_hand():
    a, b = two_curves(11, alpha=np.linspace(0, 1, 21), noise=(0.6, 1.0))
    for low, high in ((0.0, 1.0), (0.13, 0.42)):
        result = br.compare(a, b, low=low, high=high, replicates=40, rng=1)
        mean, expected = result.mean_difference, a.area(low, high) - b.area(low, high)
        assert result.alpha_range == (low, high)
        assert mean.estimate == pytest.approx(expected, rel=1e-12)
        nodes = np.concatenate([[low], a.alpha[(a.alpha > low) & (a.alpha < high)], [high]])
        means = [trapezoid(np.interp(nodes, a.alpha, row), nodes) / (high - low)
            for row in result.differences]  # fmt: skip
        assert_allclose([mean.low, mean.high], np.quantile(means, [0.025, 0.975]), atol=1e-15)
        inside = (a.alpha >= low) & (a.alpha <= high)
        assert_array_equal(np.isnan(result.band_low), ~inside)
    # With k independent columns level = (1 - 2 p)^k, p the share cut off at either end.
    values = np.random.default_rng(13).random((20_000, 5))
    low, high = percentile_band(values, 0.9)
    p = 0.5 * (1 - 0.9 ** (1 / 5))
    # sd of the share inside all five: sqrt(.9 .1 / 20 000) = .0021; of p a tenth of that
    assert_allclose([low, 1 - high], p, atol=5 * np.sqrt(p / 20_000))
    assert np.mean(np.all((values >= low) & (values <= high), axis=1)) >= 0.9
    values[::7, 3] = np.nan
    low, high = percentile_band(values, 0.9)
    assert np.mean(~np.any((values < low) | (values > high), axis=1)) >= 0.9
    assert np.all(np.isnan(percentile_band(np.full((5, 2), np.nan), 0.9)[0]))


def test_verdicts_of_systems():
    a, b = two_curves(15, (300, 300), (500, 500), (0.3, 1.6), alpha=[0.3, 0.4, 0.5],
        measure="weighted-error")  # fmt: skip
    result = br.compare(a, b, replicates=200, rng=1)
    mean = result.mean_difference
    assert result.verdict.startswith(
        "A is better: weighted error averaged over alpha from 0.3 to 0.5, A - B, is"
        f" {mean.estimate:.3g} (95 % interval {mean.low:.3g} to {mean.high:.3g});")  # fmt: skip
    assert result.verdict.endswith("at alpha 0.3, 0.4 and 0.5 (lower weighted error: A)")
    back = br.compare(b, a, replicates=200, rng=1)
    assert back.better_on_average == "b"
    assert back.mean_difference.estimate == pytest.approx(-mean.estimate, rel=1e-12)
    fixed = br.compare(a, b, resample="test", replicates=200, rng=1)
    assert fixed.verdict.startswith("At these two thresholds, A is better")
    a, b = two_curves(15, (300, 300), (500, 500), (0.3, 1.6), alpha=[0.5], measure="accuracy")
    result = br.compare(a, b, replicates=200, rng=1)
    assert result.verdict.startswith("A is better: accuracy at alpha 0.5, A - B, is 0.")
    a, b = two_curves(16, alpha=[0.05, 0.5])
    result = br.compare(a, b, replicates=200, rng=1)
    assert (result.better_on_average, result.alpha_range) == (None, (0.1, 0.5))
    assert result.verdict.endswith("excludes 0 at no single alpha")


def test_precisions_that_are_undefined():
    # Precision where one impostor and no client is accepted: 0/0 with chance (1 - 1/n)^n.
    dev = br.Scores(np.append(np.linspace(0.6, 0.7, 19), 0.95), np.linspace(0, 0.5, 20))
    test = br.Scores(np.linspace(0.0, 0.3, 20), np.append(np.linspace(0, 0.2, 19), 0.99))
    e = br.epc(dev, test, measure="precision", alpha=[0.5])
    assert e.value.tolist() == [0.0]
    result = br.compare(e, e, resample="test", replicates=300, rng=1)
    lost = int(np.isnan(result.differences).sum())
    assert 0.25 <= lost / 300 <= 0.47  # exp(-1) = .37, four errors of .028
    assert f"{lost} of 300 replicates have no precision" in result.verdict


@pytest.mark.parametrize("resample", ["both", "test"])
def test_a_few_scores_name_no_system(resample):
    """One accepts all clients, the other none: with so few trials that says nothing."""
    dev, right, wrong = (br.Scores([c], [i]) for c, i in ((0.9, 0.1), (0.95, 0.15), (0.1, 0.9)))
    with pytest.warns(br.errors.ReversedScoresWarning):
        a, b = (br.epc(dev, test, alpha=[0.3, 0.5]) for test in (right, wrong))
    result = br.compare(a, b, resample=resample, replicates=50, rng=1)
    assert "cannot tell which of A and B has the lower HTER averaged" in result.verdict
    assert "1 client trials of test are too few for a bootstrap, which needs at least 20" in (
        result.verdict)  # fmt: skip
    assert not result.significant.any()
    assert (result.ranges, result.better_on_average) == ((), None)


def test_typed_models_have_no_dev_and_summaries_are_drawn_by_bins():
    model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
    scores = two_sets(np.random.default_rng(1), (30, 30))
    own, typed = (br.epc(dev, scores[1], alpha=[0.5]) for dev in (scores[0], model))
    with pytest.raises(br.InputError, match=r"the dev side of epc_b is a model.*the dev Scores"):
        br.compare(own, typed, replicates=5)
    assert br.compare(own, typed, resample="test", replicates=5).resample == "test"
    both = br.epc(model, model, alpha=[0.5])
    with pytest.raises(br.InputError, match="the test side of epc_a must be scores"):
        br.compare(both, both, replicates=5)
    dev, test = two_sets(np.random.default_rng(2), (300, 300))
    summary = summary_of(dev, bins=64)
    by_bins = br.epc(summary, test, alpha=[0.3, 0.5])
    result = br.compare(by_bins, br.epc(dev, test, alpha=[0.3, 0.5]), replicates=200, rng=1)
    assert result.dev_paired is False
    fitted = br.epc(br.fit(summary, "beta"), test, alpha=[0.3, 0.5])
    with pytest.raises(br.InputError, match="epc_a is a fit of a summary, which has no trials"):
        br.compare(fitted, by_bins, replicates=5)
