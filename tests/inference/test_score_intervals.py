"""Intervals of numbers of scores: by hand, by brute force, by invariance and by simulation."""

import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import optimize, special, stats

import betaroc as br
from betaroc.core.options import IntervalOptions
from betaroc.inference.drawn_scores import DrawnScores
from betaroc.inference.of_scores import CountedScores, PointLikelihood, methods_of
from betaroc.model.statistics import STATISTICS, EvaluationPoint, parse_statistic
from helpers.cases import some
from helpers.places import benchmark
from helpers.points import ASKED
from helpers.sets import summary_of

approx = pytest.approx
OF_SCORES = [(stat, point) for stat, point in ASKED if STATISTICS[stat].of_scores]
#: What is not drawn, and does not jump between several crossings.
COUNTED = [(stat, point) for stat, point in OF_SCORES if stat != "auc"
    and methods_of(parse_statistic(stat, **point))[0] not in ("smoothed", "bootstrap")]  # fmt: skip
Q = float(stats.chi2(1).ppf(0.95))


def normal_scores(seed, n=60, m=80, **options):
    rng = np.random.default_rng(seed)
    return br.Scores(rng.normal(1.5, 1, n), rng.normal(0, 1, m), **options)


def ends(interval):
    return interval.low, interval.high


def test_rates_and_weighted_errors_by_hand():
    scores = normal_scores(1)
    hits = int(np.sum(scores.impostor > 0.8))
    own = stats.binomtest(hits, 80).proportion_ci(method="exact")
    found = br.interval(scores, "far", threshold=0.8)
    assert ends(found) == approx((own.low, own.high), abs=1e-12)
    assert (found.method, found.estimate) == ("exact", hits / 80)
    other = br.interval(scores, "specificity", threshold=0.8)
    assert ends(other) == approx((1 - own.high, 1 - own.low), abs=1e-12)
    # alpha FAR + (1 - alpha) FRR: squares of the distances of both rates to their exact ends.
    scores, alpha = normal_scores(19), 0.3
    found = br.interval(scores, "weighted-error", alpha=alpha)
    places = np.concatenate([scores.client, scores.impostor])
    far = (scores.impostor > places[:, None]).sum(axis=1)
    frr = (scores.client <= places[:, None]).sum(axis=1)
    k, low, high = int(np.argmin(alpha * far / 80 + (1 - alpha) * frr / 60)), 0.0, 0.0
    for hits, n, weight in ((far[k], 80, alpha), (frr[k], 60, 1 - alpha)):
        exact = stats.binomtest(int(hits), n).proportion_ci(0.95, "exact")
        low += (weight * (hits / n - exact.low)) ** 2
        high += (weight * (exact.high - hits / n)) ** 2
    value = alpha * far[k] / 80 + (1 - alpha) * frr[k] / 60
    expected = (value, value - math.sqrt(low), value + math.sqrt(high))
    assert (found.estimate, *ends(found)) == approx(expected)
    assert found.method == "square-and-add"


@pytest.mark.parametrize(("point", "n", "m", "k"),
    [("eer", 40, 50, 1.0), ("break-even", 20, 80, 0.25)])  # fmt: skip
def test_ends_of_balanced_points_by_brute_force(point, n, m, k):
    """The likelihood of both counts on a fine grid of FRRs e, where FAR is e or, of 20 clients and
    80 impostors at the break-even point, e/4, for every threshold."""
    scores = normal_scores(3, n, m)
    places = np.sort(np.concatenate([[-np.inf], scores.client, scores.impostor]))
    far = (scores.impostor > places[:, None]).mean(axis=1)
    frr = (scores.client <= places[:, None]).mean(axis=1)

    def kl(p, e):
        return special.rel_entr(p, e) + special.rel_entr(1 - p, 1 - e)

    def excess(e):
        return 2 * n * kl(frr, e) + 2 * m * kl(far, k * e) - Q

    found = br.interval(scores, point)
    inside = found.estimate if point == "eer" else 1.0 - found.estimate
    low, high = (optimize.brentq(lambda e: float(np.min(excess(e))), inside, end)
        for end in (0.01, 0.7))  # fmt: skip
    assert ends(found) == approx((low, high) if point == "eer" else (1 - high, 1 - low), rel=1e-9)
    kept = np.flatnonzero(np.min(excess(np.linspace(0.001, 0.999, 5000)[:, None]), axis=0) <= 0.0)
    t = br.interval(scores, "threshold", at=point)
    assert ends(t) == (places[kept[0]], places[kept[-1] + 1])


def test_ends_of_the_tpr_at_a_far_by_brute_force():
    scores = normal_scores(4, 40, 50)
    places = np.concatenate([[-np.inf], scores.client, scores.impostor])
    far = (scores.impostor > places[:, None]).mean(axis=1)
    tpr = (scores.client > places[:, None]).mean(axis=1)

    def excess(v):
        own = special.rel_entr(tpr, v) + special.rel_entr(1 - tpr, 1 - v)
        other = special.rel_entr(far, 0.1) + special.rel_entr(1 - far, 0.9)
        return float(np.min(80 * own + 100 * other)) - Q

    found = br.interval(scores, "tpr", far=0.1)
    low = optimize.brentq(excess, 0.01, found.estimate)
    high = optimize.brentq(excess, found.estimate, 0.99)
    assert ends(found) == approx((low, high), rel=1e-9)
    # A measure of both rates has its value at the ends of what varies.
    f1 = br.interval(scores, "f1", far=0.1)
    value = [2 * 40 * v / (40 * (1 + v) + 50 * 0.1) for v in (low, high)]
    assert ends(f1) == approx(tuple(value), rel=1e-9)


def test_break_even_separated_classes_and_very_different_sizes():
    # With equal classes break-even is the line of the EER.
    even = normal_scores(5, 50, 50)
    be, eer = br.interval(even, "break-even"), br.interval(even, "eer")
    assert ends(be) == approx((1 - eer.high, 1 - eer.low), rel=1e-9)
    one, other = (br.interval(even, "threshold", at=p) for p in ("eer", "break-even"))
    assert ends(one) == ends(other)
    scores = br.Scores(np.linspace(2, 3, 30), np.linspace(0, 1, 30))
    found = br.interval(scores, "eer")
    assert (found.estimate, found.low) == (0.0, 0.0)
    assert 0.02 < found.high < 0.12
    # 10 clients, 10 000 impostors: a TPR of 0.9 is an FRR of 0.1.
    rng = np.random.default_rng(21)
    scores = br.Scores(rng.normal(1.5, 1.0, 10), rng.normal(0.0, 1.0, 10_000))
    for stat in ("break-even", "hter@tpr=0.9"):
        found = br.interval(scores, stat)
        assert found.low <= found.estimate <= found.high
    one, other = (br.interval(scores, "far", **at) for at in ({"tpr": 0.9}, {"frr": 0.1}))
    assert one == other
    # The highest threshold that rejects one client, just below the second.
    assert one.estimate == float(np.mean(scores.impostor >= np.sort(scores.client)[1]))


@pytest.mark.parametrize(("stat", "point"), some(COUNTED, 3))
def test_an_increasing_map_changes_no_rate_and_a_weight_is_a_number_of_copies(stat, point):
    scores = normal_scores(7, 20, 25)
    weighted = br.Scores(scores.client, scores.impostor, client_weights=np.full(20, 2),
        impostor_weights=np.full(25, 2))  # fmt: skip
    copied = br.Scores(np.repeat(scores.client, 2), np.repeat(scores.impostor, 2))
    moved = br.Scores(np.exp(copied.client), np.exp(copied.impostor))
    one, *others = (br.interval(s, stat, **point) for s in (weighted, copied, moved))
    for other in others[: 1 if "threshold" in (stat, *point) else 2]:
        assert ends(one) == approx(ends(other), rel=1e-9)


def test_groups_of_one_are_single_trials_and_copies_say_no_more():
    scores = normal_scores(9, 40, 40)
    alone = normal_scores(9, 40, 40, client_groups=np.arange(40),
        impostor_groups=99 + np.arange(40))  # fmt: skip
    copies = br.Scores(np.repeat(scores.client, 5),
        np.repeat(scores.impostor, 5), client_groups=np.repeat(np.arange(40), 5),
        impostor_groups=99 + np.repeat(np.arange(40), 5))  # fmt: skip
    for stat in ("eer", "frr@far=0.1", "far@threshold=0.7"):
        one, same, more = (br.interval(s, stat) for s in (scores, alone, copies))
        assert ends(one) == approx(ends(same), rel=1e-9)
        free = br.interval(copies, stat, groups=False)
        assert more.high - more.low == approx(one.high - one.low, rel=0.15)
        assert free.high - free.low < 0.6 * (more.high - more.low)


@pytest.mark.simulation
def test_the_drawn_eer_is_that_of_rows_drawn_again():
    scores = normal_scores(10, 40, 40)
    drawn = {"method": "bootstrap", "level": 0.9, "rng": 3}
    found = br.interval(scores, "eer", replicates=1000, **drawn)
    one, same = (br.interval(scores, "eer", replicates=60, **drawn) for _ in range(2))
    assert (one, one.method) == (same, "bootstrap")
    rng, values = np.random.default_rng(4), []
    for _ in range(1000):
        client, impostor = rng.choice(scores.client, 40), rng.choice(scores.impostor, 40)
        places = np.concatenate([[-9.0], client, impostor])
        far = (impostor > places[:, None]).mean(axis=1)
        frr = (client <= places[:, None]).mean(axis=1)
        values.append(0.5 * (far + frr)[np.argmin(np.abs(far - frr))])
    # Steps of 1/80; quantiles of 1000 replicates differ by a step at most.
    assert ends(found) == approx(tuple(np.quantile(values, [0.05, 0.95])), abs=1 / 79)


@pytest.mark.simulation
def test_smoothed_intervals_evidence_and_lost_replicates():
    scores = normal_scores(12)
    moved = br.Scores(np.exp(scores.client), np.exp(scores.impostor))
    one, other = (br.interval(s, "far", alpha=0.5, replicates=50, rng=1) for s in (scores, moved))
    assert one.method == "smoothed"
    assert ends(one) == approx(ends(other), rel=1e-12)
    weights = np.r_[np.zeros(10), np.ones(50)]
    weighted = br.Scores(scores.client, scores.impostor, client_weights=weights)
    kept = br.Scores(scores.client[10:], scores.impostor)
    one, other = (br.interval(s, "far", alpha=0.5, replicates=60, rng=1) for s in (weighted, kept))
    assert one == other
    scores = normal_scores(13, 200, 200)
    found = br.interval(scores, "threshold", far=0.1)
    assert (found.n_beyond, found.sparse) == (approx(20), False)
    assert br.interval(scores, "threshold", far=0.02).sparse
    with pytest.warns(br.ExtrapolationWarning):
        assert br.interval(scores, "threshold", far=0.001).extrapolated
    assert br.interval(scores, "auc").n_beyond is None
    turned = br.Scores(scores.impostor, scores.client)
    with pytest.warns(br.ReversedScoresWarning, match="the wrong way round"):
        assert br.interval(turned, "eer").notices
    scores = br.Scores([0.9, 0.2], [0.1, 0.3])

    def upper(model):
        return float(model.client.mean) if model.client.mean > 0.5 else math.nan

    with pytest.warns(br.SmallSampleWarning, match="has no value in"):
        found = br.interval(scores, upper, replicates=100, rng=1)
    assert 10 < found.failed < 50  # 25 expected


@pytest.mark.nightly
@pytest.mark.parametrize("n", [100, 1000])
def test_ties_leave_no_interval_short(n):
    """Scores of four values: .92 wanted of 95 %; of 100 sets the standard error is 0.027."""
    values, shares = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.1, 0.2, 0.4, 0.3])
    rng, sets = np.random.default_rng(n), 100
    # (FAR, FRR) above 1, 2, 3: (.7, .1), (.3, .3), (.1, .7).
    asked = {"frr@far=0.15": 0.7, "far@frr=0.2": 0.7, "eer": 0.3, "hter@far=0.15": 0.4,
        "min-hter": 0.3}  # fmt: skip
    hits = np.zeros(len(asked))
    for _ in range(sets):
        scores = br.Scores(rng.choice(values, n, p=shares), 5.0 - rng.choice(values, n, p=shares))
        found = [br.interval(scores, stat) for stat in asked]
        assert all(i.low <= i.estimate <= i.high and i.low < i.high for i in found)
        hits += [i.low <= true <= i.high for i, true in zip(found, asked.values(), strict=True)]
    assert np.all(hits / sets >= 0.92 - 3 * 0.027), hits / sets


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.ReversedScoresWarning")
def test_what_is_best_has_the_interval_of_a_fixed_threshold():
    """The best threshold by looking at each; without groups or bins nothing is drawn."""
    scores = normal_scores(18)
    places = np.concatenate([scores.client, scores.impostor])
    far = (scores.impostor > places[:, None]).mean(axis=1)
    frr = (scores.client <= places[:, None]).mean(axis=1)
    f1 = 2 * (1 - frr) * 60 / ((1 - frr) * 60 + far * 80 + 60)
    for stat, measure, values in (("min-hter", "hter", -(far + frr)), ("max-youden", "youden", -(
        far + frr)), ("max-f1", "f1", f1), ("min-dcf", "dcf", -(far * 80 + frr * 60))):  # fmt: skip
        found = br.interval(scores, stat)
        there = br.interval(scores, measure, threshold=float(places[np.argmax(values)]))
        assert found.method == "square-and-add"
        assert (found.estimate, *ends(found)) == approx((there.estimate, *ends(there)))
    youden = ends(br.interval(scores, "max-youden"))
    for turned in (scores, br.Scores(scores.impostor, scores.client)):
        assert ends(br.interval(turned, "ks")) == approx(youden, abs=1e-12)


@pytest.mark.simulation
def test_summaries_and_bands_answer_what_counts_answer():
    scores = normal_scores(14, 300, 300)
    summary = summary_of(scores, bins=4096)
    for stat in ("eer", "frr@far=0.1", "threshold@far=0.1"):
        one, other = (br.interval(x, stat) for x in (scores, summary))
        assert ends(one) == approx(ends(other), abs=2 * max(summary.rate_error))
    # The least HTER lies within a bin: what is in it is added.
    one, other = (br.interval(x, "min-hter") for x in (scores, summary))
    assert other.low <= one.low < one.high <= other.high
    # The area is that of the bins, with what pairs in one bin can make.
    one, other = (br.interval(x, "auc") for x in (scores, summary))
    assert ends(one) == approx(ends(other), abs=3 * summary.auc_error)
    scores = normal_scores(17)
    band = br.roc_band(scores, far=[0.1, 0.3])
    for k, far in enumerate((0.1, 0.3)):
        own = br.interval(scores, "tpr", far=far)
        assert (band.low[k], band.high[k]) == approx(ends(own), rel=1e-9)
        assert (band.estimate[k], band.n_beyond[k]) == (own.estimate, approx(own.n_beyond))
    wide = br.roc_band(scores, far=[0.1, 0.3], simultaneous=True, replicates=200, rng=1)
    assert np.all(wide.low <= band.low)
    assert np.all(wide.high >= band.high)
    band, own = (br.roc_band(x, far=[0.2]) for x in (summary_of(scores), scores))
    assert (band.low[0], band.high[0]) == approx((own.low[0], own.high[0]), abs=0.1)


@pytest.mark.nightly
@pytest.mark.parametrize(("n", "size"), [(100, 1), (100, 5), (1000, 1), (1000, 5)])
@pytest.mark.parametrize("law", ["symmetric", "skewed"])
def test_intervals_and_differences_cover_whatever_the_law(law, n, size):
    """.92 wanted of 95 % where five scores (groups) are expected beyond, less three errors."""
    study = benchmark("coverage_scores")
    asked = {name: a for name, a in (study.STATISTICS | study.DIFFERENCES).items()
        if not a.drawn and name not in ("KS", "difference of EERs of fits")}  # fmt: skip
    sets, error = (200, 0.015) if n == 100 else (60, 0.028)
    found = study.shares(study.Cell(law, n, size, sets, sets), tuple(asked))
    for name, share in found.items():
        wanted = 0.92 if n / size * asked[name].rate >= 5 else 0.9
        assert share >= wanted - 3 * error, name


def test_replicates_without_impostors_are_left_out():
    """Impostor trials of two of three subjects are all gone where one subject is drawn thrice."""
    scores = br.Scores([3.0, 2.0, 1.0], [0.0, 1.5, 0.5], client_groups=[(0, 0), (1, 1), (2, 2)],
        impostor_groups=[(0, 1), (1, 2), (2, 0)])  # fmt: skip
    band = br.roc_band(scores, far=[0.4, 0.6], simultaneous=True, replicates=500, rng=1)
    assert band.undefined[0] == band.undefined[1]
    gone = 3 / 27
    assert band.undefined[0] / 500 == approx(gone, abs=4 * math.sqrt(gone * (1 - gone) / 500))


def test_thresholds_by_the_binomial_distribution():
    # Of m impostors Binomial(m, 0.1) lie above it: of 80 3 to 14, of 40 1 to 8 in 95 %.
    for m in (80, 40):
        scores = normal_scores(2, 60, m)
        fewest, most = map(int, stats.binom(m, 0.1).ppf([0.025, 0.975]))
        found = br.interval(scores, "threshold", far=0.1)
        descending = np.sort(scores.impostor)[::-1]
        assert ends(found) == (descending[most], descending[fewest - 1])
        assert found.low < found.estimate < found.high
    few = br.interval(normal_scores(2, 60, 20), "threshold", far=0.1)
    assert math.isinf(few.high)  # of 20 none may lie above it
    # All clients and impostors accepted, FAR = FRR = 1/2: the deviance is 16 log 2 = 11.1, which
    # chi^2 passes at .9999.
    scores = br.Scores([0.2, 0.6, 0.8, 0.9], [0.1, 0.3, 0.4, 0.7])
    found = br.interval(scores, "threshold", at="eer", level=0.999)
    assert ends(found) == (0.1, 0.9)
    found = br.interval(scores, "threshold", at="eer", level=0.9999)
    assert ends(found) == (-math.inf, math.inf)


@pytest.mark.simulation
@pytest.mark.parametrize("grouped", [False, True])
def test_tprs_of_replicates_are_those_of_their_models(grouped):
    rng = np.random.default_rng(1)
    groups = {"client_groups": np.arange(40) // 2, "impostor_groups": 50 + np.arange(60) // 3}
    scores = br.Scores(np.round(rng.normal(1, 1, 40), 1), np.round(rng.normal(0, 1, 60), 1),
        client_weights=rng.integers(1, 4, 40), **(groups if grouped else {}))  # fmt: skip
    far = np.array([0.5, 0.0, 0.01, 0.05, 0.1, 0.2, 0.93, 1.0])
    drawn = DrawnScores((scores,), IntervalOptions(replicates=200, rng=3))
    rows = np.array([m.at_far(far).tpr for (m,) in drawn.models() if m is not None])
    assert_array_equal(drawn.tpr(far), rows)


@pytest.mark.simulation
def test_an_optimum_of_noise_reaches_to_chance_and_says_so():
    """Classes that are one; of 40 sets the standard error is 0.034 at .95. What is not marked is
    what the Kolmogorov-Smirnov test at .05 takes for a difference."""
    rng, sets, hits = np.random.default_rng(7), 40, {"ks": 0, "min-hter": 0}
    chance = {"ks": 0.0, "min-hter": 0.5}
    for _ in range(sets):
        scores = br.Scores(rng.normal(0, 1, 100), rng.normal(0, 1, 100))
        distance = stats.ks_2samp(scores.client, scores.impostor).statistic
        differ = stats.kstwobign.sf(distance * math.sqrt(50)) <= 0.05
        for name, value in chance.items():
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                found = br.interval(scores, name)
            assert any("noise makes it too good" in str(w.message) for w in told) != differ
            hits[name] += found.low <= value <= found.high
    assert min(hits.values()) / sets >= 0.95 - 3 * 0.034


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")
def test_fits_with_tails_far_out():
    """The FRR of a TPR at a FAR was not asked for; the FAR itself lies beyond all scores."""
    draws = (stats.logistic.rvs(loc=[[2.0], [0.0]], size=(2, 800), random_state=k) for k in (2, 3))
    f, g = (br.fit(br.Scores(*x), "normal", tails="upper") for x in draws)
    for point in ({"far": 1e-5}, {"frr": 1.0 - 1e-5}):
        with pytest.raises(br.InputError, match=r"must expect at least 0\.1 of 800"):
            f.interval("hter", **point)
    found = br.difference(f, g, "far", threshold=2.6, paired=False)
    assert (found.p_value < 0.05) == (not found.low <= 0.0 <= found.high)


def test_tied_scores_leave_several_gaps_possible():
    """Gaps with FAR, FRR = 1, 0; .4, .1; .04, .5; 0, 1: .3 + 1.96 .094 reaches the third's .46."""
    scores = br.Scores(np.repeat([0.0, 1.0, 2.0], [4, 16, 20]),
        np.repeat([0.0, 1.0, 2.0], [30, 18, 2]))  # fmt: skip
    counted = CountedScores(scores)
    eer = PointLikelihood(counted, EvaluationPoint("at", "eer"), 0.95)
    assert eer.tied().tolist() == [1, 2]
    for far, near in ((0.2, [2]), (0.1, [2, 3]), (0.5, [1, 2])):
        steps = [stats.entropy([q, 1 - q], [far, 1 - far])
            for q in (max(far, 0.4), min(max(far, 0.04), 0.4), min(far, 0.04))]  # fmt: skip
        assert [k + 1 for k in range(3) if 100.0 * steps[k] <= stats.chi2(1).ppf(0.95)] == near
        found = PointLikelihood(counted, EvaluationPoint("far", far), 0.95).tied()
        assert found.tolist() == near
