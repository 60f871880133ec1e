"""Rates of strata: the worst, ratio and spread, one rate for all."""

import json
import math

import numpy as np
import pytest
from scipy.stats import beta, binom, binomtest, chi2_contingency, f, multivariate_hypergeom

import betaroc as br
from betaroc.inference.strata import StratumCounts, mean_share
from helpers.places import REFERENCES

approx = pytest.approx
NAMES = np.array(["ape", "bee", "cat"])


def of_counts(errors, trials, **more):
    """Impostors of which so many of each stratum lie above 0.5."""
    impostor = np.concatenate([np.repeat([0.9, 0.1], [x, n - x])
        for x, n in zip(errors, trials, strict=True)])  # fmt: skip
    strata = np.repeat([f"s{k}" for k in range(len(trials))], trials)
    return br.Scores([0.2, 0.8, 0.95], impostor, impostor_strata=strata, **more)


def table_of(errors, trials, **more):
    return br.by_stratum(of_counts(errors, trials), "far", threshold=0.5, **more)


PEER = json.loads((REFERENCES / "pad_species.json").read_text())
ATTACKS = PEER["attack"]
ATTACKED = br.Scores(PEER["bona fide"], np.concatenate([*ATTACKS.values()]),
    impostor_strata=np.repeat([*ATTACKS], [len(v) for v in ATTACKS.values()]))  # fmt: skip


def test_rates_are_those_of_a_package_for_attacks():
    for row in PEER["result"].values():
        below = np.nextafter(row["threshold"], -np.inf)  # they accept what equals the threshold
        table = br.by_stratum(ATTACKED, "far", threshold=below)
        own = dict(zip(table.stratum, table.estimate.tolist(), strict=True))
        assert own == approx(row["apcer_per_pai"], abs=1e-12)
        assert table.worst.estimate == approx(row["apcer_max"], abs=1e-12)
        frr = ATTACKED.confusion(below).frr
        assert 0.5 * (table.worst.estimate + frr) == approx(row["acer"], abs=1e-12)


@pytest.mark.simulation
def test_words_for_attacks_mean_the_worst_species():
    found, lowest = br.interval(ATTACKED, "bpcer10"), -math.inf  # the least FRR that species allow
    for values in map(np.array, ATTACKS.values()):
        lowest = max(lowest, min(t for t in values if np.mean(values > t) <= 0.1))
    assert found.estimate == ATTACKED.confusion(lowest).frr <= PEER["result"]["bpcer10"]["bpcer"]
    assert found == br.interval(ATTACKED, "frr", far=0.1, over="worst")
    rows = br.by_stratum(ATTACKED, "frr", far=0.1)
    assert (found.estimate, found.high) == (max(rows.estimate), max(rows.high))
    table = br.by_stratum(ATTACKED, "far", threshold=1.07)
    assert br.interval(ATTACKED, "max-apcer@threshold=1.07") == table.worst
    assert br.by_stratum(ATTACKED, "iapar", threshold=1.07) == table
    acer, frr = br.interval(ATTACKED, "acer", threshold=1.07), ATTACKED.confusion(1.07).frr
    assert acer.estimate == approx(0.5 * (table.worst.estimate + frr), abs=1e-15)
    one = br.Scores(ATTACKED.client, ATTACKED.impostor)  # of one species the mixture is the worst
    assert br.interval(one, "max-apcer", threshold=1.07) == br.interval(one, "far", threshold=1.07)


def test_claims_worst_ratio_and_spread_by_hand():
    table = table_of([0, 9, 3, 0], [59, 60, 80, 58])
    frame = table.claim(0.05)
    assert frame["claim"].tolist() == ["supported", "refuted",
        "cannot tell", "cannot tell", "refuted"]  # fmt: skip
    upper = [_clopper_pearson(x, n, 0.05)[1] for x, n in ((0, 59), (9, 60), (3, 80), (0, 58))]
    assert frame["upper"].to_numpy()[:-1] == approx(upper, rel=1e-9)
    assert frame.iloc[-1]["upper"] == max(frame["upper"])
    assert table.claim(0.3)["claim"].tolist() == ["supported"] * 5
    alone = binom.sf(6, 60, 0.05)  # of four strata Holm asks for a quarter of the risk
    assert 0.05 / 4 < alone < 0.05
    assert table_of([0, 7, 3, 0], [59, 60, 80, 58]).claim(0.05)["claim"][1] == "cannot tell"
    with pytest.raises(br.InputError, match="claim must be of far"):
        br.by_stratum(of_counts([1, 2], [9, 9]), "auc").claim(0.05)
    table = table_of([1, 6, 3], [50, 60, 80])
    upper = max(_clopper_pearson(x, n, 0.025)[1] for x, n in ((1, 50), (6, 60), (3, 80)))
    lower = max(_clopper_pearson(x, n, 0.0125 / 3)[0] for x, n in ((1, 50), (6, 60), (3, 80)))
    pooled = _clopper_pearson(10, 190, 0.0125)[0]
    assert table.worst.high == approx(upper, rel=1e-9)
    assert (table.worst.low, table.worst_stratum) == (approx(max(lower, pooled), rel=1e-9), "s1")
    assert table_of([3, 1, 2], [3, 1, 3]).worst_stratum == "s1"  # of equal rates, by fewest trials
    table = table_of([4, 9], [99, 99])
    assert table.ratio.estimate == approx(9.5 / 4.5)
    assert table.spread.estimate == approx(math.sqrt(9.5 / 4.5))
    # Of two strata the one pair: log ratio with its standard error.
    error = math.sqrt((1 - 4.5 / 100) / 4.5 + (1 - 9.5 / 100) / 9.5)
    assert table.ratio.high == approx(9.5 / 4.5 * math.exp(1.959963984540054 * error))
    assert table.ratio.low == 1.0
    assert math.isinf(table_of([0, 9], [99, 99]).ratio.high)


def test_strata_of_clients_mirror_and_one_threshold_is_for_all():
    scores = of_counts([1, 6, 3], [50, 60, 80])
    mirrored = br.Scores(-scores.impostor, -scores.client, client_strata=scores.impostor_strata)
    one = br.by_stratum(scores, "far", threshold=0.5)
    two = br.by_stratum(mirrored, "frr", threshold=np.nextafter(-0.5, -1), of="client")
    assert np.array_equal(one.high, two.high)
    assert (one.worst, one.ratio, one.p_value) == (two.worst, two.ratio, two.p_value)
    accepted = br.by_stratum(mirrored, "tpr", threshold=-0.5, of="client")
    assert accepted.worst.estimate == approx(1.0 - one.worst.estimate)
    assert (accepted.worst.low, accepted.worst_stratum) == (approx(1.0 - one.worst.high), "s1")
    rng = np.random.default_rng(1)
    scores = br.Scores(rng.normal(2, 1, 50), rng.normal(0, 1, 90), impostor_strata=[*"abc"] * 30)
    at = br.interval(scores, "threshold", at="eer").estimate
    assert br.by_stratum(scores, "far", at="eer") == br.by_stratum(scores, "far", threshold=at)


def _clopper_pearson(x, n, tail):
    found = binomtest(x, n).proportion_ci(1.0 - 2.0 * tail, "exact")
    return found.low, found.high


def test_one_rate_for_all_is_the_chi_square_test_of_a_table():
    errors, trials = [30, 45, 60], [300, 310, 290]
    table = table_of(errors, trials)
    other = chi2_contingency([errors, np.subtract(trials, errors)], correction=False)
    assert table.p_value == approx(other.pvalue, rel=1e-9)
    few = table_of([0, 1, 5], [20, 30, 25])  # exact, by all tables of these margins
    distribution = multivariate_hypergeom([20, 30, 25], 6)
    expected = 6 * np.array([20, 30, 25]) / 75

    def away(x):
        return np.sum((np.asarray(x) - expected) ** 2 / expected)

    tables = [(a, b, 6 - a - b) for a in range(7) for b in range(7 - a)]
    exact = sum(distribution.pmf(x) for x in tables if away(x) >= away([0, 1, 5]) - 1e-9)
    assert few.p_value == approx(exact, abs=4 * math.sqrt(exact / 9999))
    assert table_of([0, 0], [20, 30]).p_value == 1.0


@pytest.mark.simulation
def test_other_statistics_are_of_a_stratum_and_all_of_the_other_class():
    rng = np.random.default_rng(0)
    client, impostor, strata = rng.normal(1.5, 1, 60), rng.normal(0, 1, 90), np.repeat(NAMES, 30)
    table = br.by_stratum(br.Scores(client, impostor, impostor_strata=strata), "auc")
    own = [br.interval(br.Scores(client, impostor[strata == name]), "auc") for name in NAMES]
    assert table.estimate.tolist() == [i.estimate for i in own]
    assert (table.worst.low, table.ratio, table.spread) == (min(i.low for i in own), None, None)
    both = br.Scores(client, impostor, client_strata=np.repeat(NAMES, 20), impostor_strata=strata)
    sites = br.by_stratum(both, "auc")
    alone = br.interval(br.Scores(client[:20], impostor[:30]), "auc")
    assert (sites.estimate[0], sites.low[0]) == (alone.estimate, alone.low)
    errors, trials = [4, 8], [40, 40]
    scores = of_counts(errors, trials)
    persons = np.arange(80) // 4  # of four trials, of which all or none are accepted
    dependent = of_counts(errors, trials, impostor_groups=persons)
    grouped = br.by_stratum(dependent, "far", threshold=0.5)
    plain = br.by_stratum(scores, "far", threshold=0.5)
    assert np.all(grouped.size < 0.5 * plain.size)
    # The variances between ten persons a stratum, by hand: Rao and Scott's F.
    effect = np.sum(np.array([0.1 * 0.9, 0.2 * 0.8]) / 9) * 40 / 2 / (0.15 * 0.85)
    unequal = 40 * 2 * 0.05**2 / (0.15 * 0.85)
    assert grouped.p_value == approx(f.sf(unequal / effect, 1, 18), rel=1e-9)


FEW, NONE = of_counts([1, 2], [5, 5]), br.Scores([1, 2, 3], [0, 1, 1.5])
IDS = br.Scores([2, 3], np.arange(1001.0), impostor_strata=np.arange(1001))


@pytest.mark.parametrize(("scores", "arguments", "words"), [
    (FEW, {"of": "attack"}, "of must be one of"), (FEW, {}, "needs a point"),
    (NONE, {"threshold": 0.5}, "impostor strata"),
    (IDS, {"threshold": 0.5}, "2 to 1000 impostor strata; got 1001.*ids"),
    (FEW, {"over": "each"}, "over must be"), (FEW, {"over": {"s0": 1.5, "s1": -0.5}}, "over must"),
    (FEW, {"over": {"s0": 0.5, "s1": 0.4}}, "sum to 1; got 0.9"),
    (FEW, {"over": {"s0": 0.5, "zebra": 0.5}}, "name strata.*got 'zebra'"),
])  # fmt: skip
def test_wrong_arguments(scores, arguments, words):
    call, at = (br.interval, {"threshold": 0.5}) if "over" in arguments else (br.by_stratum, {})
    with pytest.raises(br.InputError, match=words):
        call(scores, "far", **at, **arguments)


def test_intervals_over_strata():
    scores, at = of_counts([1, 6, 3], [50, 60, 80]), {"threshold": 0.5}
    table = br.by_stratum(scores, "far", **at)
    assert br.interval(scores, "far", over="worst", **at) == table.worst
    pooled = br.interval(scores, "far", **at)
    shares = {name: n / 190 for name, n in zip(table.stratum, table.n, strict=True)}
    mean = br.interval(scores, "far", over=shares, **at)
    assert (mean.estimate, mean.low) == (approx(pooled.estimate), approx(pooled.low, rel=0.1))
    # By hand: V of weights 0.97 and 0.03, the first of 50 without an error.
    heavy, q = of_counts([0, 10], [50, 50]), np.array([0.5, 10.5]) / 51
    size = 0.006 * 0.994 / np.sum(np.array([0.97, 0.03]) ** 2 * q * (1 - q) / 50)
    mean = br.interval(heavy, "far", over={"s0": 0.97, "s1": 0.03}, **at)
    assert (mean.estimate, size < 100) == (approx(0.006), True)
    assert mean.high == approx(beta.ppf(0.975, 0.006 * size + 1, 0.994 * size))
    areas = br.by_stratum(scores, "auc")
    assert br.interval(scores, "auc", over="worst") == areas.worst
    mean = br.interval(scores, "auc", over={"s0": 0.5, "s2": 0.5})
    assert mean.estimate == approx(0.5 * (areas.estimate[0] + areas.estimate[2]))


@pytest.mark.simulation
@pytest.mark.parametrize("over", ["worst", {"s0": 0.2, "s1": 0.3, "s2": 0.5}])
def test_a_difference_over_strata_adds_the_squares_of_both_distances(over):
    one, two = of_counts([1, 6, 3], [50, 60, 80]), of_counts([2, 30, 5], [50, 60, 80])
    a, b = (br.interval(x, "far", threshold=0.5, over=over) for x in (one, two))
    at = {"threshold": 0.5, "over": over, "paired": False}
    found = br.difference(one, two, "far", **at)
    assert found.estimate == approx(a.estimate - b.estimate, abs=1e-15)
    down = math.hypot(a.estimate - a.low, b.high - b.estimate)
    up = math.hypot(a.high - a.estimate, b.estimate - b.low)
    ends = found.estimate - down, found.estimate + up
    assert (found.low, found.high) == approx(ends, abs=1e-12)
    edge = br.difference(one, two, "far", level=1.0 - found.p_value, **at)
    assert edge.high == approx(0.0, abs=1e-9)


def test_differences_and_targets_of_strata_that_are_refused():
    one, two = of_counts([1, 6, 3], [50, 60, 80]), of_counts([1, 6, 3], [60, 50, 80])
    with pytest.raises(br.InputError, match="impostor_strata differ"):
        br.difference(one, two, "far", threshold=0.5, over="worst")
    with pytest.raises(br.InputError, match="over must be pooled of what is not scores"):
        br.difference(*[br.fit(br.datasets.load_liveness().dev)] * 2, "auc", over="worst")
    nameless = of_counts([1, 6, 3], [50, 60, 80], n_impostor_rejected={"s1": 2})
    with pytest.raises(br.InputError, match="nobody knows which"):
        br.difference(nameless, one, "far", threshold=0.5, over="worst")
    assert br.difference(nameless, one, "far", threshold=0.5, over="worst", paired=False).low < 0.0
    scores = br.Scores(
        [2.0, 3.0, 4.0], [0.0, 1.0, 2.0], impostor_strata=["p", "p", "q"],
        impostor_weights=[1.0, 1.0, 0.0],
    )  # fmt: skip
    assert scores.strata.impostor == {"p": 2}
    assert br.decide(scores, far=0.5).over == "pooled"
    table = br.by_stratum(br.Scores([3, 4], [1, 2, 3], impostor_strata=list("aab")), "far", far=0.5)
    with pytest.raises(br.InputTypeError, match="target"):
        table.plot(target={"far": 0.1})


@pytest.mark.simulation
def test_ratios_of_equal_rates_hold_one_where_strata_are_small_and_unequal():
    """One rate of .1 for 1, 2, 30 and 200 trials: of 100 sets at most .025 + 3 errors (.0156)."""
    names, rng = np.repeat(["a", "b", "c", "d"], (1, 2, 30, 200)), np.random.default_rng(1)
    above = np.zeros(2)
    for _ in range(100):
        errors = (rng.random(names.size) < 0.1).astype(float)
        scores = br.Scores([2.0, 3.0], errors, impostor_strata=names)
        table = br.by_stratum(scores, "far", threshold=0.5)
        above += table.ratio.low > 1.0, table.spread.low > 1.0
    assert np.all(above / 100 <= 0.025 + 3 * 0.0156)


DRAWS = 2000


def drawn(rates, trials, seed=1):
    """Independent counts of strata with these true rates."""
    rng, n = np.random.default_rng(seed), np.asarray(trials, dtype=float)
    for _ in range(DRAWS):
        yield StratumCounts(rng.binomial(trials, rates) / n, n, np.full(n.size, np.nan), n)


def of_persons(rates, persons, seed=1, trials=10, correlation=0.2):
    """Counts of strata of persons with ten trials each, beta-binomial."""
    rng, k, rates = np.random.default_rng(seed), np.size(rates), np.asarray(rates)[:, None]
    a, b = rates * (1 / correlation - 1), (1 - rates) * (1 / correlation - 1)
    n = np.full(k, float(persons * trials))
    for _ in range(DRAWS):
        hits = rng.binomial(trials, rng.beta(a, b, (k, persons)))
        share = hits.sum(axis=1) / n
        parts = (hits - trials * share[:, None]) / n[:, None]
        variance = persons / (persons - 1) * np.sum(parts**2, axis=1)
        yield StratumCounts(share, n, variance, np.full(k, float(persons)))


@pytest.mark.nightly
@pytest.mark.parametrize("trials", [50, 500])
@pytest.mark.parametrize("rates",
    [[0.2, 0.1], [0.002] * 20, [0.05] * 13, np.geomspace(0.02, 0.2, 8), [0.02] * 5])  # fmt: skip
def test_the_bound_of_the_worst_covers(rates, trials):
    highs = [np.max(c.ends(0.05)[1]) for c in drawn(rates, np.full(len(rates), trials))]
    assert np.mean(np.array(highs) >= np.max(rates)) >= 0.95 - 0.01


@pytest.mark.nightly
@pytest.mark.parametrize(("counts", "size"), [(drawn([1 / 300] * 13, np.full(13, 300)), 0.06),
    (of_persons([0.05] * 8, 10), 0.07), (of_persons([0.05] * 8, 50), 0.07)])  # fmt: skip
def test_one_rate_for_all_has_its_size(counts, size):
    assert np.mean([c.p_value() <= 0.05 for c in counts]) <= size


@pytest.mark.nightly
@pytest.mark.parametrize(("weights", "trials", "rates"),
    [([0.9, 0.1], [50, 5000], [0.01, 0.2]), ([0.1] * 10, [100] * 10, [0.05] * 10)])  # fmt: skip
def test_the_mean_by_weights_covers(weights, trials, rates):
    covered = []
    for c in drawn(rates, trials):
        _, low, high = mean_share(c.share, c.n, np.array(weights), 0.025)
        covered.append(low <= np.dot(weights, rates) <= high)
    assert np.mean(covered) >= 0.95 - 0.01


def test_strata_of_the_same_persons_without_an_error_are_worth_one_stratum():
    """No error of 20 persons in three strata each: the rule of 1 - tail^(1/20)."""
    strata, persons = np.repeat(["a", "b", "c"], 20), np.tile(np.arange(20), 3)
    scores = br.Scores([0.2, 0.8], np.full(60, 0.1), impostor_strata=strata,
        impostor_groups=persons)  # fmt: skip
    far = br.interval(scores, "far", threshold=0.5, over={"a": 1 / 4, "b": 1 / 4, "c": 1 / 2})
    assert (far.low, far.high) == pytest.approx((0.0, 1.0 - 0.025 ** (1 / 20)), rel=1e-9)
