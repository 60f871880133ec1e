"""Comparisons that draw dev and test again, against the same draws made row by row."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import trapezoid
from scipy.special import expit

import betaroc as br
from betaroc import Empirical
from betaroc.core.resampling import streams
from betaroc.data.groups import groups_of
from betaroc.decision.bands import resampler
from betaroc.distributions.pairs import pair_of
from betaroc.inference.drawn_scores import BootstrapRows, percentile_band
from betaroc.model.criteria import CRITERIA
from helpers.sets import summary_of

#: Both limits, and weights at which whole numbers of errors tie.
ALPHAS = np.array([0.5, 0.0, 0.01, 0.2, 0.25, 1 / 3, 0.75, 0.9, 1.0])


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
    return [br.epc(*both, **({"alpha": ALPHAS} | arguments)) for both in zip(*sides, strict=True)]


def repeated(scores, drawn, row):
    """The scores of a replicate, each as often as it was drawn."""
    return br.Scores(np.repeat(scores.client, drawn[0][row]),
        np.repeat(scores.impostor, drawn[1][row]))  # fmt: skip


@pytest.mark.parametrize(("sizes", "decimals"), [((150, 150), 2), ((3, 2), 16), ((1, 1), 16)])
def test_thresholds_are_those_of_the_drawn_scores(sizes, decimals):
    """Replicate by replicate those of CRITERIA.choose, ties and both limits included."""
    dev = two_sets(np.random.default_rng(1), sizes, decimals=decimals)[0]
    e = br.epc(dev, br.Scores([0.9], [0.1]), alpha=ALPHAS)
    drawn = BootstrapRows.of(dev, None).draw(np.random.default_rng(2), 30)
    found = resampler(e).thresholds(drawn)
    for row in range(30):
        one = repeated(dev, drawn, row)
        pair = pair_of(Empirical(one.client), Empirical(one.impostor))
        assert_array_equal(found[row], CRITERIA["weighted-error"].choose(pair, 0.5, ALPHAS).theta)


def test_thresholds_of_many_scores_and_of_other_dev_trials():
    """Where products of counts leave the doubles the least criterion is still exact."""
    dev = two_sets(np.random.default_rng(3), (5003, 20_011))[0]
    e = br.epc(dev, br.Scores([0.9], [0.1]), alpha=ALPHAS)
    drawn = BootstrapRows.of(dev, None).draw(np.random.default_rng(4), 3)
    found = resampler(e).thresholds(drawn)
    for row in range(3):
        one = repeated(dev, drawn, row)
        model = br.ScoreModel(Empirical(one.client), Empirical(one.impostor))
        own = model.at(CRITERIA["weighted-error"].choose(model._pair, 0.5, ALPHAS).theta)
        at = model.at(found[row])
        best, least = (ALPHAS * p.far + (1 - ALPHAS) * p.frr for p in (own, at))
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
    alpha = None if criterion == "eer" else ALPHAS[[0, 3, 6]]
    a, b = two_curves(5, (40, 60), (50, 70), criterion=criterion, measure=measure, alpha=alpha)
    result = br.compare(a, b, paired=paired, replicates=20, rng=3)
    assert (result.resample, result.dev_paired, result.paired) == ("both", True, paired)
    ((_, rng),) = streams(20, 3)
    on_dev = BootstrapRows.of(a.dev_scores, None).draw(rng, 20)
    on_test = [BootstrapRows.of(a.test_scores, None).draw(rng, 20)] * 2
    if not paired:
        on_test[1] = BootstrapRows.of(b.test_scores, None).draw(rng, 20)
    for row in range(20):
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
@pytest.mark.parametrize(("dev", "family", "alpha", "size", "apart"),
    [(UNIT, "beta", ALPHAS, 30, 0.01), (UNIT, "logit-normal", ALPHAS, 30, 0.01),
    (UNIT, "proper-beta", ALPHAS, 12, 0.01), (HUMPS, "beta-mixture", ALPHAS[:4], 2, 0.01), (LINE,
    "normal", [0.2, 0.5, 0.7], 20, 0.02), (MASSES, "beta", [0.2, 0.5, 0.7], 20, 0.02)])  # fmt: skip
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


@pytest.mark.parametrize(("alpha", "expected"),
    [([0.01, 0.05], (0.01, 0.05)), ([0.3], (0.3, 0.3)), ([0.05, 0.5], (0.1, 0.5))])  # fmt: skip
def test_the_range_is_what_the_curves_have(alpha, expected):
    a, b = two_curves(12, alpha=alpha)
    result = br.compare(a, b, replicates=20, rng=1)
    assert result.alpha_range == expected
    low, high = expected
    where = f"at alpha {low:g}" if low == high else f"averaged over alpha from {low:g} to {high:g}"
    assert where in result.verdict
    if len(alpha) == 1:
        assert result.mean_difference.estimate == result.difference[0]
        assert "simultaneous" not in result.verdict


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
    a, b = two_curves(16, alpha=[0.3, 0.5])
    result = br.compare(a, b, replicates=200, rng=1)
    assert result.better_on_average is None
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
