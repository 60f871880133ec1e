"""Differences of two systems: by hand, against other tests, by invariance, by simulation."""

import math

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from helpers.cases import some
from helpers.sets import summary_of

approx = pytest.approx


def systems(seed, n=80, rho=0.6, shift=0.4):
    """Two normal systems on the same trials."""
    rng, parts = np.random.default_rng(seed), []
    for mean in (1.5, 0.0):
        shared = rng.standard_normal(n)
        own = [math.sqrt(rho) * shared + math.sqrt(1 - rho) * rng.standard_normal(n)
            for _ in range(2)]  # fmt: skip
        parts.append([own[0] + mean, own[1] + mean * (1 - shift / 1.5)])
    return [br.Scores(c, i) for c, i in zip(*parts, strict=True)]


def test_rates_and_fits_by_hand_seeds_and_equal_systems():
    a, b = systems(1)
    found = br.difference(a, b, "far", threshold=0.7)
    one, two = (br.interval(s, "far", threshold=0.7) for s in (a, b))
    r = float(np.corrcoef(*[s.impostor > 0.7 for s in (a, b)])[0, 1])
    assert found.correlation == approx(r, rel=1e-9)

    def reach(x, y):
        return math.sqrt(x * x + y * y - 2 * r * x * y)

    gap = one.estimate - two.estimate
    low = gap - reach(one.estimate - one.low, two.high - two.estimate)
    high = gap + reach(one.high - one.estimate, two.estimate - two.low)
    assert (found.estimate, found.low, found.high) == approx((gap, low, high))
    assert found.method == "exact"
    # The mean of the clients: the correlation is that of the scores, the variance s^2/n.
    a, b = systems(4, 400)
    found = br.difference(*[br.fit(s, "normal") for s in (a, b)], "client-mean", method="family")
    assert found.correlation == approx(np.corrcoef(a.client, b.client)[0, 1], rel=1e-6)
    paired = stats.ttest_rel(a.client, b.client)
    own = paired.confidence_interval(0.95)
    assert (found.low, found.high) == approx((own.low, own.high), rel=0.01)
    assert found.p_value == approx(paired.pvalue, rel=0.2, abs=1e-6)
    found = br.difference(a, a, "tpr", far=0.1)
    assert (found.estimate, found.p_value, found.correlation) == (0.0, 1.0, approx(1.0))


@pytest.mark.parametrize("stat", some(["eer", "tpr@far=0.1"], 2))
def test_systems_change_places(stat):
    a, b = systems(5)
    one, other = br.difference(a, b, stat), br.difference(b, a, stat)
    assert other.estimate == -one.estimate
    assert (other.low, other.high) == approx((-one.high, -one.low), abs=1e-9)
    assert other.p_value == approx(one.p_value, rel=1e-6)


@pytest.mark.simulation
@pytest.mark.parametrize("stat", ["eer", "frr@far=0.1"])
def test_the_p_value_is_that_of_the_interval_that_ends_at_0(stat):
    a, b = systems(6)
    found = br.difference(a, b, stat)
    assert 1e-6 < found.p_value < 1.0
    # Where a further threshold becomes likely enough the ends jump: 0 lies between.
    for share, inside in ((1.0 - 1e-3, True), (1.0 + 1e-3, False)):
        there = br.difference(a, b, stat, level=1.0 - share * found.p_value)
        assert (there.low <= 0.0 <= there.high) is inside
    assert found.significant == (found.p_value < 0.05)


@pytest.mark.simulation
def test_groups_and_summaries():
    a, b = systems(9, 60)
    labels = np.repeat(np.arange(12), 5)
    groups = {"client_groups": labels, "impostor_groups": 99 + labels}
    one, two = (br.Scores(s.client, s.impostor, **groups) for s in (a, b))
    for stat, point in (("eer", {}), ("far", {"threshold": 0.5})):
        assert br.difference(one, b, stat, **point) == br.difference(one, two, stat, **point)
    # What two scores in a bin hide is added: the ends lie around those of the scores.
    rng = np.random.default_rng(21)
    systems_of = [br.Scores(rng.normal(gap, 1.0, 300), rng.normal(0.0, 1.0, 300))
        for gap in (1.5, 1.0)]  # fmt: skip
    summaries = [summary_of(s) for s in systems_of]
    for stat, method in (("eer", "likelihood"), ("frr@far=0.1", None), ("min-hter", None)):
        one = br.difference(*systems_of, stat, paired=False, method=method)
        other = br.difference(*summaries, stat, paired=False)
        assert (other.low, other.high) == approx((one.low, one.high), abs=0.02)
        assert other.low <= one.low < one.high <= other.high
    # `groups=False` takes trials as independent: as if no groups were known.
    groups = {"client_groups": np.arange(50) // 3, "impostor_groups": np.arange(70) // 4}
    scores, _ = both(9, 0.01, **groups)
    plain, _ = both(9, 0.01)
    with_groups, without = br.fit(scores, "normal"), br.fit(plain, "normal")
    for stat in ("auc", "client-mean"):
        drawn = {"replicates": 50, "rng": 1}
        asked = br.interval(with_groups, stat, groups=False, **drawn)
        known = br.interval(without, stat, **drawn)
        assert (asked.low, asked.high) == approx((known.low, known.high), rel=1e-12)
        assert br.interval(with_groups, stat, **drawn).low != asked.low


def test_the_difference_of_two_eers_by_hand():
    """Student's t of the decisions at both EER thresholds, one disagreement a class added. At each
    EER a class weighs by the other's slope; with a ROC slope of one half each."""
    rng = np.random.default_rng(5)
    shared = [rng.normal(mean, 1.0, 400) for mean in (2.0, 0.0)]
    a, b = (br.Scores(*(x + 0.5 * rng.normal(size=400) for x in shared)) for _ in range(2))
    found, errors = br.difference(a, b, "eer"), []
    for s in (a, b):
        t = br.fit(s, "empirical").model.eer().threshold
        errors.append((s.client <= t, s.impostor > t))
    parts = [0.5 * (x.astype(float) - y) for x, y in zip(*errors, strict=True)]
    variance = sum(np.var(part, ddof=1) / 400 for part in parts) + 2 * (0.5 / 400) ** 2
    reach = stats.t(399).ppf(0.975) * np.sqrt(variance)
    # Slopes of the empirical ROC are estimated: 10 % of the length.
    assert found.high - found.low == approx(2 * reach, rel=0.1)
    z = stats.t(399).ppf(0.975) * found.estimate / (found.high - found.estimate)
    assert found.p_value == approx(2 * stats.t(399).sf(abs(z)), abs=1e-12)
    assert (found.method, found.paired) == ("influence", True)
    apart = br.difference(a, b, "eer", paired=False)
    assert apart.method == "influence"
    assert apart.high - apart.low > 1.2 * (found.high - found.low)


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")
def test_eers_of_few_and_of_separated_scores():
    """Where no decision varies the intervals of both EERs are added; the ends lie in [-1, 1]."""
    apart = br.Scores([0.6, 0.7, 0.8], [0.1, 0.2, 0.3])
    other = br.Scores([0.6, 0.7, 0.9], [0.1, 0.2, 0.4])
    mixed = br.Scores([0.6, 0.2, 0.8], [0.1, 0.7, 0.3])
    for x, y, paired in ((apart, other, True), (apart, mixed, False), (mixed, mixed, True)):
        found = br.difference(x, y, "eer", paired=paired)
        assert -1.0 <= found.low <= found.estimate <= found.high <= 1.0
        assert 0.0 <= found.p_value <= 1.0
    assert br.difference(apart, other, "eer", paired=False).method == "likelihood"


def both(seed, step, **given):
    """Scores in steps, and the same with the classes swapped and the scores turned round."""
    rng = np.random.default_rng(seed)
    client = np.round(rng.normal(1.3, 1.0, 50) / step) * step
    impostor = np.round(rng.normal(0.0, 1.2, 70) / step) * step
    return br.Scores(client, impostor, **given), br.Scores(-impostor, -client)


@pytest.mark.simulation
@pytest.mark.parametrize("step", [0.01, 1.0])
def test_turned_scores_of_swapped_classes_have_the_mirrored_interval(step):
    scores, turned = both(3, step)
    ways = (("far", "frr"), ("frr", "far"))
    asked = [
        *((x, y, {y: rate}, {x: rate}) for x, y in ways for rate in (0.04, 0.6)),
        *(("threshold", "threshold", {x: 0.2}, {y: 0.2}) for x, y in ways),
        *((stat, stat, {}, {}) for stat in ("auc", "eer", "ks", "min-hter")),
    ]
    for stat, other, point, opposite in asked:
        found, mirrored = br.interval(scores, stat, **point), br.interval(turned, other, **opposite)
        ends = [(i.low, i.high) for i in (found, mirrored)]
        if stat == "threshold":
            ends[1] = -mirrored.high, -mirrored.low
        else:
            assert found.estimate == approx(mirrored.estimate, abs=1e-9), stat
            assert found.low <= found.estimate <= found.high
        assert ends[0] == approx(ends[1], abs=1e-9), (stat, point)
    for stat, other in (("far@frr=0.2", "frr@far=0.2"), ("eer", "eer")):
        one, two = zip(both(6, step), both(7, step), strict=True)
        gaps = [br.difference(*p, s, paired=False) for p, s in ((one, stat), (two, other))]
        ends = [(d.low, d.estimate, d.high, d.p_value) for d in gaps]
        assert ends[0] == approx(ends[1], abs=1e-9)


@pytest.mark.parametrize("name", ["actual-dcf", "actual-dcf-normalized"])
def test_a_difference_of_costs_is_that_of_both_costs(name):
    a, b = br.Scores([3, -1, 2, 5], [-2, 1, -3, -4, -1]), br.Scores([3, 1, 2, 5], [2, 1, -3, 4, -1])
    gap = br.interval(a, name).estimate - br.interval(b, name).estimate
    assert gap != 0.0
    assert br.difference(a, b, name).estimate == pytest.approx(gap, abs=1e-15)
