"""Intervals of the area against pROC, theorems and simulation."""

import json
import math
import statistics

import numpy as np
import pytest
from scipy import special, stats

import betaroc as br
from helpers.places import REFERENCES, benchmark

approx, logit = pytest.approx, special.logit
Z95 = statistics.NormalDist().inv_cdf(0.975)


def tied(seed, clients, impostors):
    rng = np.random.default_rng(seed)
    parts = rng.normal(0.7, 1, clients), rng.normal(0, 1, impostors)
    return br.Scores(*(np.round(x, 1) for x in parts))


def swapped(scores):
    return br.Scores(-scores.client, -scores.impostor)


def ends(found):
    return [found.low, found.high]


def placements(s):
    """1 where the client is above the impostor, 1/2 where they are equal."""
    return np.mean([op.outer(s.client, s.impostor) for op in (np.greater, np.greater_equal)], 0)


def test_logits_mirrors_and_maps():
    scores = tied(3, 30, 40)
    plain, found = (br.auc_interval(scores, method=m) for m in ("delong", "logit-delong"))
    a = plain.estimate
    reach = (plain.high - a) / (a * (1 - a))
    assert logit(ends(found)) == approx(logit(a) + reach * np.array([-1, 1]), rel=1e-12)
    assert ends(br.auc_interval(br.Scores([1, 4], [2, 3]), method="delong")) == [0.0, 1.0]
    with pytest.warns(br.SmallSampleWarning, match="DeLong's variance is 0, as where no scores"):
        assert br.auc_interval(br.Scores([3, 4], [1, 2]), method="logit-delong").low == 1.0
    # Swapped classes mirror, increasing maps change nothing.
    found = br.auc_interval(scores)
    mirrored = br.auc_interval(br.Scores(scores.impostor, scores.client))
    assert mirrored.estimate == approx(1 - found.estimate, rel=1e-14)
    assert mirrored.low == approx(1 - found.high, abs=1e-14)
    assert br.auc_interval(br.Scores(np.exp(scores.client), np.exp(scores.impostor))) == found


def labels(groups, n, fresh):
    """What each trial depends on: its labels, or itself."""
    if groups is None:
        return [{("own", fresh, k)} for k in range(n)]
    return [set(row) for row in groups.reshape(n, -1).tolist()]


def by_pairs(s, other=None):
    """Sum of the products of what trials with a common label add (Obuchowski 1997, (1) to (3))."""
    parts, hangs = [], []
    for who, size in (("client", s.n_client), ("impostor", s.n_impostor)):
        values = np.zeros(size)
        for sign, system in ((1.0, s), (-1.0, other)):
            if system is not None:
                table = placements(system)
                values += sign * (table.mean(axis=1 if who == "client" else 0) - table.mean())
        groups = getattr(s, f"{who}_groups")
        found = labels(groups, size, len(parts))
        columns = [found] if groups is None else np.atleast_2d(groups.T).tolist()
        g = size if groups is None else min(len(set(column)) for column in columns)
        parts.append(values / size * math.sqrt(g / (g - 1)))
        hangs += found
    each, shared = np.concatenate(parts), [[bool(one & two) for two in hangs] for one in hangs]
    return float(each @ np.array(shared) @ each)


def grouped(seed, *, crossed, clients=True):
    rng = np.random.default_rng(seed)
    real, claimed = rng.integers(0, 8, (2, 25))
    parts = np.round(rng.normal(0.8, 1, 20), 1), np.round(rng.normal(0, 1, 25), 1)
    return br.Scores(*parts, client_groups=rng.integers(0, 8, 20) if clients else None,
        impostor_groups=np.column_stack((real, claimed)) if crossed else real)  # fmt: skip


def fewest(*groups):
    return min(len(set(column.tolist())) for g in groups for column in np.atleast_2d(g.T))


@pytest.mark.parametrize("clients", [True, False])
@pytest.mark.parametrize("crossed", [True, False])
def test_the_variance_of_groups_is_that_of_all_pairs_that_share_a_label(crossed, clients):
    s = grouped(0, crossed=crossed, clients=clients)
    found = br.auc_interval(s, level=0.5, method="logit-delong")
    size = fewest(*(g for g in (s.client_groups, s.impostor_groups) if g is not None))
    reach, a = stats.t.ppf(0.75, size - 1) * math.sqrt(by_pairs(s)), found.estimate
    half = 0.5 * (logit(found.high) - logit(found.low))
    assert half == approx(reach / (a * (1 - a)), rel=1e-11)


def test_groups_of_one_trial_have_delongs_variance_and_paired_differences():
    scores = tied(8, 12, 15)
    single = br.Scores(scores.client, scores.impostor, client_groups=np.arange(12),
        impostor_groups=np.arange(100, 115))  # fmt: skip
    widths = [np.ptp(logit(ends(br.auc_interval(s, method="logit-delong"))))
        for s in (scores, single)]  # fmt: skip
    # 12 groups: Student's t with 11 degrees of freedom; G / (G - 1) is DeLong's n / (n - 1).
    assert widths[1] / widths[0] == approx(stats.t.ppf(0.975, 11) / Z95, rel=1e-12)
    plain = br.auc_interval(single, groups=False)
    assert plain == br.auc_interval(single) == br.auc_interval(scores)
    # Copies in a group add nothing.
    scores = tied(9, 10, 14)
    single, copied = (br.Scores(*(np.repeat(x, k) for x in (scores.client, scores.impostor)),
        client_groups=np.repeat(np.arange(10), k), impostor_groups=np.repeat(np.arange(14), k))
        for k in (1, 5))  # fmt: skip
    lows = [br.auc_interval(s, method="delong").low for s in (single, copied)]
    assert lows[1] == approx(lows[0], rel=1e-12)
    assert br.auc_interval(copied) == br.auc_interval(copied, method="logit-delong")
    # Groups of one class from one system, of the other from the other: both hold for both.
    a, noise = grouped(5, crossed=True), np.random.default_rng(6).normal(0, 0.5, 45)
    b = br.Scores(a.client + noise[:20], a.impostor + noise[20:])
    z = (br.auc_interval(a).estimate - br.auc_interval(b).estimate) / math.sqrt(by_pairs(a, b))
    one = br.Scores(a.client, a.impostor, client_groups=a.client_groups)
    two = br.Scores(b.client, b.impostor, impostor_groups=a.impostor_groups)
    freedom = fewest(a.client_groups, a.impostor_groups) - 1
    for pair, sign in (((a, b), 1), ((one, two), 1), ((two, one), -1)):
        found = br.auc_test(*pair)
        assert found.statistic == approx(sign * z, rel=1e-10)
        assert found.p_value == approx(2 * stats.t.sf(abs(z), freedom), rel=1e-9)
    unpaired = br.auc_test(a, grouped(7, crossed=False), paired=False)
    variance = by_pairs(a) + by_pairs(grouped(7, crossed=False))
    error = unpaired.difference.estimate / unpaired.statistic
    assert error == approx(math.sqrt(variance), rel=1e-10)


def test_rounding_is_no_difference_and_why_there_is_no_variance_is_what_holds():
    """Equal scores overlap, and placements that differ by 1/2 are not alike."""
    one = br.Scores([3, 4, 1.5], [1, 2, 2])
    for other in (one, br.Scores([9, 16, 2.25], [1, 4, 4])):  # moved by an increasing map
        found = br.auc_test(one, other)
        assert (found.statistic, found.p_value, ends(found.difference)) == (0.0, 1.0, [0.0, 0.0])
        assert found.reason == "both systems order all trials alike: one ROC"
    equal, good = br.Scores([1, 1, 1], [1, 1, 1]), br.Scores([3, 4, 1.5], [1, 2, 0])
    assert br.auc_test(equal, good).reason == "DeLong's variance is 0 of a"
    # Impostor, client, impostor, client: shares 1/2 and 1; turned about 0 and 1/2.
    found = br.auc_test(br.Scores([2, 4], [1, 3]), br.Scores([1, 3], [2, 4]))
    assert found.difference.estimate == 0.5
    assert found.reason == "DeLong's variance is 0 of the difference"
    # Both systems order all pairs of client and impostor alike, but add weights in other
    # orders: within a gap between clients the impostors come as they like.
    rng = np.random.default_rng(12)
    for _ in range(4):
        clients, gap = np.arange(9.0), rng.integers(-1, 9, 40)
        weights = {"client_weights": rng.random(9) + 0.5, "impostor_weights": rng.random(40)}
        a, b = (br.Scores(clients, gap + rng.uniform(0.1, 0.9, 40), **weights) for _ in range(2))
        for paired in (False, True):
            found = br.auc_test(a, b, paired=paired)
            assert (found.difference.estimate, found.p_value) == (0.0, 1.0)
        assert (found.statistic, found.reason) == (0.0, "DeLong's variance is 0 of the difference")
        # Square-and-add around 0, each area with its own interval.
        one, two = (br.auc_interval(s) for s in (a, b))
        reach = math.hypot(one.estimate - one.low, two.high - two.estimate)
        assert found.difference.low == approx(-reach, rel=1e-12)


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("n", [2, 30])
def test_the_test_of_a_separated_system_agrees_with_its_interval(n, *, paired):
    """At the level 1 - p the interval ends at 0, and the statistic is the deviate of p."""
    rng = np.random.default_rng(n)
    apart = br.Scores(rng.uniform(1, 2, n), rng.uniform(0, 1, n))
    for other in (swapped(apart), br.Scores([0.0] * n, [0.0] * n)):
        found, back = br.auc_test(apart, other, paired), br.auc_test(other, apart, paired)
        assert 0.0 <= found.p_value < 1.0
        assert found.p_value == approx(2.0 * stats.norm.sf(found.statistic), rel=1e-9)
        assert (back.statistic, back.p_value) == (-found.statistic, found.p_value)
        if found.p_value > 1e-12:
            at = br.auc_test(apart, other, paired, level=1.0 - found.p_value).difference
            assert at.low == approx(0.0, abs=1e-3 if found.p_value < 1e-9 else 1e-9)
        assert -1.0 <= back.difference.low <= back.difference.high <= 1.0


def hanley(a, m, n):
    """Hanley and McNeil's error of exponential scores, both sizes less 1 taken as N - 1."""
    one, two = a / (2 - a), 2 * a * a / (1 + a)
    return math.sqrt((a * (1 - a) + (((m + n) / 2 - 1) * (one - a * a + two - a * a))) / (m * n))


@pytest.mark.parametrize(("client", "impostor"), [
    ([2, 3, 4, 5], [0, 1, 2.5, 3.5]), ([5, 6, 7, 8, 9], [1, 2, 3]), ([1, 2], [3, 4, 5]),
])  # fmt: skip
def test_newcombes_ends_are_z_of_their_own_errors_away(client, impostor):
    m, n, scores = len(client), len(impostor), br.Scores(client, impostor)
    found, mirrored = (br.auc_interval(s, method="newcombe") for s in (scores, swapped(scores)))
    area = found.estimate
    for end in ends(found):
        if end != area:
            assert abs(area - end) == approx(Z95 * hanley(end, m, n), rel=1e-9)
    assert (found.low == area, found.high == area) == (area == 0.0, area == 1.0)
    assert mirrored.low == approx(1 - found.high, abs=1e-12)


def test_the_default_is_the_mean_on_the_logit_scale():
    for s in (br.Scores([2, 3, 4, 5], [0, 1, 2.5, 3.5]), tied(4, 25, 9)):
        found = br.auc_interval(s)
        parts = [ends(br.auc_interval(s, method=m)) for m in ("logit-delong", "newcombe")]
        assert logit(ends(found)) == approx(np.mean(logit(parts), axis=0), rel=1e-9)
        assert found.estimate == approx(np.mean(placements(s)), rel=1e-15)
        assert found.method == "logit-delong+newcombe"
    plain = br.Scores([2, 2, 2, 3, 5], [0, 1, 1, 2.5, 3.5, 3.5])
    weights = {"client_weights": [3, 1, 1], "impostor_weights": [1, 2, 1, 2]}
    weighted = br.Scores([2, 3, 5], [0, 1, 2.5, 3.5], **weights)
    one, two = br.auc_interval(plain), br.auc_interval(weighted)
    assert ends(one) == approx(ends(two), rel=1e-12)
    s = grouped(3, crossed=True)
    assert br.auc_interval(s).method == "logit-delong"
    assert br.auc_interval(s, groups=False) == br.auc_interval(br.Scores(s.client, s.impostor))
    for client, impostor in (([1, 2], [3, 4, 5]), ([0.5] * 4, [0.5] * 3), ([0.5] * 4, [0.2] * 3)):
        scores = br.Scores(client, impostor)
        found = br.auc_interval(scores)
        assert (found, found.method) == (br.auc_interval(scores, method="newcombe"), "newcombe")
        assert found.high - found.low > 0.01


@pytest.mark.parametrize("level", [0.5, 0.9999])
def test_separated_groups_count_as_trials(level):
    people = [0, 0, 1, 1, 1, 2]
    apart = br.Scores(np.arange(6) + 10.0, np.arange(6.0), client_groups=people,
        impostor_groups=np.column_stack((people, [7, 8, 7, 8, 7, 8])))  # fmt: skip
    found = br.auc_interval(apart, level=level)
    # 3 groups of clients; of impostors the column with fewer labels, 2.
    assert ends(found) == ends(br.auc_interval(br.Scores([3, 4, 5], [1, 2]), level=level))
    assert found.method == "newcombe-groups"
    assert found.low < br.auc_interval(apart, level=level, groups=False).low
    half = br.Scores(apart.client, apart.impostor, client_groups=people)
    own = br.auc_interval(br.Scores([7, 8, 9], np.arange(6)), level=level)
    assert br.auc_interval(half, level=level).low == own.low


PROC = json.loads((REFERENCES / "proc.json").read_text(encoding="utf-8"))


def marker(name):
    """A marker of the aSAH data; poor outcomes are the clients."""
    poor, x = np.array(PROC["poor"], dtype=bool), np.array(PROC[name])
    return br.Scores(x[poor], x[~poor])


def test_intervals_and_tests_are_those_of_proc():
    # As published for s100b (Robin et al., 2011, doi:10.1186/1471-2105-12-77): 0.7314, 0.6301 to
    # 0.8326.
    for name in ("s100b", "ndka", "wfns"):
        for level in (0.95, 0.9):
            found = br.interval(marker(name), "auc", level=level, method="delong")
            own = [found.low, found.estimate, found.high]
            assert own == approx(PROC[f"{name}, {level:g}"], rel=1e-13)
    for row in PROC["tests"]:
        pair = marker(row["a"]), marker(row["b"])
        found = br.auc_test(*pair, paired=row["paired"])
        own = [found.p_value, *ends(found.difference)]
        numbers = [found.statistic, *(own if row["paired"] else [])]
        assert numbers == approx(row["found"], rel=1e-12), row
        if row["paired"]:
            same = br.difference(*pair, "auc")
            assert [same.p_value, *ends(same)] == own


@pytest.mark.simulation
@pytest.mark.parametrize(("law", "area", "n", "low", "high"), [
    ("beta, J", 0.9, (50, 500), 0.93, 0.97), ("normal", 0.99, (150, 40), 0.93, 0.985),
])  # fmt: skip
def test_the_interval_of_the_empirical_area(law, area, n, low, high):
    # 1000 sets; the cell compares the ends of the first 100 sets with those of auc_interval. The
    # full tables have 20 000 sets.
    study = benchmark("coverage_auc")
    found = study.cell_of(study.Cell(law, area, n, 1000, 3))
    share = found.coverage["default"]
    assert low - 3 * study.error(low, 1000) <= share <= high + 3 * study.error(high, 1000)
    assert found.area == approx(area, abs=1e-6)
    if area == 0.99:
        assert found.width["default"] <= 0.85 * found.width["Newcombe"]
        assert found.coverage["logit DeLong"] < 0.945
