"""Goodness of fit: statistics against scipy's, size and power by simulation, verdicts."""

import math
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc import Fit
from betaroc.core.notices import suppress_warnings
from betaroc.estimation.families import FAMILIES
from betaroc.fits.check import check_targets, good_down_to
from helpers.cases import some
from helpers.sets import frame_of

approx = pytest.approx


def scores(seed, n=60):
    rng = np.random.default_rng(seed)
    return br.Scores(rng.beta(4, 2, n), rng.beta(2, 4, n + 20))


@pytest.mark.parametrize("family", ["normal", "logit-normal"])
def test_statistics_are_scipys(family):
    data = scores(1)
    fit = br.fit(data, family)
    found = br.check_fit(fit, replicates=19, rng=1)
    for who, sample in (("client", data.client), ("impostor", data.impostor)):
        law, n = getattr(fit, who).distribution, sample.size
        assert getattr(found.ks, who).statistic == approx(stats.kstest(sample,
            law.cdf).statistic * math.sqrt(n), rel=1e-9)  # fmt: skip
        assert getattr(found.cvm, who).statistic == approx(stats.cramervonmises(sample,
            law.cdf).statistic, rel=1e-9)  # fmt: skip
        x, i = np.sort(sample), np.arange(1, n + 1)
        # Anderson and Darling (1954), their A^2 written out.
        ad = -n - np.sum((2 * i - 1) * (law.logcdf(x) + law.logsf(x[::-1]))) / n
        assert getattr(found.ad, who).statistic == approx(ad, rel=1e-9)


@pytest.mark.simulation
def test_the_roc_distance_on_a_dense_grid():
    data = scores(2, 400)
    fit = br.fit(data)
    d, t = br.check_fit(fit, replicates=19, rng=1).roc_distance, np.linspace(0, 1, 20001)
    empirical = br.fit(data, "empirical").model
    turned = [(m.far(t) + m.frr(t) * -1 + 1, 1 - m.frr(t) - m.far(t))
        for m in (fit.model, empirical)]  # fmt: skip
    along = np.linspace(0, 2, 4001)
    heights = [np.interp(along, c[::-1], h[::-1]) for c, h in turned]
    dense = 0.5 * np.max(np.abs(heights[0] - heights[1]))
    # 250 thresholds against 20001: the largest gap of a staircase of 1/400 is met to a step.
    assert (d.sup, d.low) == (approx(dense, abs=1 / 400), approx(max(0.0, d.sup - d.noise)))
    assert d.high == approx(d.sup + d.noise)


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
@pytest.mark.simulation
def test_a_wrong_law_is_found_and_a_right_one_is_not_for_many_scores():
    rng = np.random.default_rng(3)
    bumps = np.concatenate([rng.beta(2, 40, 400), rng.beta(40, 2, 400)])
    wrong = br.check_fit(br.fit(br.Scores(bumps, rng.beta(2, 4, 800))), replicates=99, rng=1)
    assert wrong.verdict == "poor"
    assert max(wrong.ad.client.p_value, wrong.information.client.p_value) == 0.01
    assert wrong.ad.impostor.p_value > 0.01
    right = br.check_fit(br.fit(br.Scores(rng.beta(4, 2, 4000), rng.beta(2, 4, 4000))),
        replicates=99, rng=1)  # fmt: skip
    assert right.verdict == "good"


@pytest.mark.parametrize("n", [3, 40, 70])
def test_separated_classes_say_no_more_than_their_numbers(n):
    """Fits of separated classes make separated sets: only the numbers of scores speak."""
    apart = br.Scores(np.linspace(0.8, 0.9, n), np.linspace(0.1, 0.2, n))
    with suppress_warnings():
        found = br.check_fit(br.fit(apart), replicates=19, rng=1)
    # None of n is seen with probability .05 at a rate of 1 - .05^(1/n), .0419 at 70.
    assert found.roc_distance.noise >= (1 - 0.05 ** (1 / n)) * (1 - 1e-12)
    assert found.verdict == ("good" if n == 70 else "cannot tell")
    if n == 40:
        more = float(re.search(r"about (\S+) times", found.reason)[1])
        assert 1 - 0.05 ** (1 / (more * n)) == approx(0.05, rel=0.05)


@pytest.mark.simulation
def test_families_without_a_row_for_simulation_are_refitted_set_by_set(monkeypatch):
    fit = br.fit(scores(9))
    quick = br.check_fit(fit, replicates=99, rng=1)
    monkeypatch.setitem(FAMILIES, "beta", replace(FAMILIES["beta"], fit_rows=None, moments=None))
    slow = br.check_fit(fit, replicates=99, rng=1)
    # The same samples and estimates; the differences have the moments to six digits.
    for kind in ("ks", "cvm", "ad", "information"):
        for a, b in zip(getattr(quick, kind), getattr(slow, kind), strict=True):
            assert (a.statistic, a.p_value) == (approx(b.statistic, rel=1e-5), b.p_value)
    assert quick.roc_distance.sup == approx(slow.roc_distance.sup, rel=1e-9)


def beta_scores(n=500, seed=1):
    rng = np.random.default_rng(seed)
    return br.Scores(rng.beta(4, 2, n), rng.beta(2, 4, n))


def uniform_fit(scores):
    """A fit of these scores whose distributions are uniform: thresholds are plain numbers."""
    uniform = br.Beta(1.0, 1.0)
    parts = [br.DistributionFit("beta", uniform, ("a", "b"), (1.0, 1.0), ((1, 0), (0, 1)), 0.0, n,
        n) for n in (scores.n_client, scores.n_impostor)]  # fmt: skip
    return Fit(br.ScoreModel(uniform, uniform), scores, *parts, "beta")


def impostors(n, beyond):
    """n impostors of which so many are above .999; the clients do not matter."""
    low, high = np.linspace(0.1, 0.9, n - beyond), np.linspace(0.9991, 0.9999, beyond)
    return br.Scores([0.3, 0.6, 0.8], np.r_[low, high])


def hand(hits, n, rate, level=0.95):
    """The rule written out beside scipy's exact interval."""
    ends = stats.binomtest(hits, n).proportion_ci(level, method="exact")
    low, high = ends.low / rate, ends.high / rate
    if low > 1.25 or high < 0.8:
        return "poor", ends.low, ends.high
    if low >= 1 / 3 and high <= 3:
        return "good", ends.low, ends.high
    return "cannot tell", ends.low, ends.high


@pytest.mark.parametrize(("n", "level"), some([(200, 0.5), (1000, 0.95), (5000, 0.5)], 3))
def test_the_rule_is_that_of_the_exact_interval(n, level):
    seen = set()
    for hits in sorted({0, 2, 10, 20, 45, n // 50}):
        (found,) = check_targets(uniform_fit(impostors(n, hits)), far=0.01, level=level)
        assert found[:3] == ("far", 0.01, approx(0.99))
        assert (found.expected, found.observed, found.n) == (0.01 * n, hits, n)
        verdict, low, high = hand(hits, n, 0.01, level)
        assert (found.verdict, (found.low, found.high)) == (verdict, approx((low, high), rel=1e-9))
        assert (found.needed is None) == (verdict != "cannot tell")
        seen.add(verdict)
    assert len(seen) > 1


def test_rules_mirrors_and_default_targets_by_hand():
    # 1.4 times the rate asked, counted on so many scores that the interval is [1.28, 1.52]: all
    # of it within a factor of 3, and none of it within 1.25.
    n = 60_000
    (found,) = check_targets(uniform_fit(impostors(n, 840)), far=0.01)
    ends = np.array(stats.binomtest(840, n).proportion_ci(method="exact")) / 0.01
    assert 1.25 < ends[0] < ends[1] < 3
    assert found.verdict == "poor"
    assert found.reason == "the rate counted is 1.31 to 1.5 times the expected one"
    one = impostors(1000, 25)
    (frr,) = check_targets(uniform_fit(br.Scores(1.0 - one.impostor, one.client)), frr=0.01)
    (far,) = check_targets(uniform_fit(one), far=0.01)
    assert (frr.rate, frr.threshold, frr[3:8]) == ("frr", approx(0.01), far[3:8])
    uniform = br.ScoreModel(br.Beta(1.0, 1.0), br.Beta(1.0, 1.0))
    a, b = uniform.threshold_at_far(0.5), uniform.threshold_at_frr(0.5)  # 0.5, in the last digit
    f = uniform_fit(br.Scores([0.25, b, 0.75], [a, a, 0.25, 0.9]))
    assert [t.observed for t in check_targets(f, far=0.5, frr=0.5)] == [1.0, 2.0]
    f = br.fit(beta_scores(1000))
    found, rates = check_targets(f), [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005]
    assert [(t.rate, t.target) for t in found] == [(r, x) for r in ("far", "frr") for x in rates]
    assert all(t.expected >= 5 for t in found)

    def of(*verdicts):
        marked = [t._replace(verdict=v) for t, v in zip(found[:5], verdicts, strict=False)]
        return good_down_to(tuple(marked[::-1])).far

    assert of("good", "good", "cannot tell", "good") == 0.2
    assert of("good", "good", "good", "good", "poor") == 0.05
    assert of("cannot tell", "good") is None


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
def test_what_a_warning_contradicts_is_poor():
    """Of one count there is one verdict: whatever `at_far` contradicts, `check_fit` calls poor."""
    seen = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        heavy = 0.5 + 0.02 * rng.standard_t(2 + seed, 2000)
        f = br.fit(br.Scores(rng.lognormal(0.0, 0.5, 2000), heavy), "normal")
        for name, at in (("far", f.at_far), ("frr", f.at_frr)):
            for rate in (0.1, 0.02):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    at(rate)
                named = re.findall(rf"at {name.upper()} (\S+) \S+ of", "".join(str(w.message)
                    for w in caught if w.category is br.MisfitWarning))  # fmt: skip
                rows = check_targets(f, **{name: [float(x) for x in named]}) if named else ()
                assert {row.verdict for row in rows} <= {"poor"}
                seen += len(rows)
    assert seen > 2


@pytest.mark.nightly
def test_the_number_of_scores_that_would_tell():
    (found,) = check_targets(uniform_fit(impostors(300, 0)), far=0.001)
    n = found.needed
    assert n == approx(13 / 0.001, rel=0.05)
    assert found.reason.endswith("; about 13000 scores would tell")

    def power(n):
        hits = np.arange(200)
        good = [hand(k, n, 0.001)[0] == "good" for k in hits]
        return float(stats.binom(n, 0.001).pmf(hits) @ good)

    assert check_targets(uniform_fit(impostors(300, 0)), far=1e-300)[0].needed > 1e300
    # From there on a right fit is good with probability .8; a step below it is not.
    assert power(n) >= 0.8 > power(n - 100)


def test_distributions_that_place_a_threshold_or_have_none():
    scores = beta_scores(2000)
    beta, own = br.fit(scores), br.fit(scores, "empirical")
    reasons = {(t.verdict, t.reason, t.needed) for t in check_targets(own)}
    assert reasons == {("cannot tell", "placed by these scores", None)}
    model = br.ScoreModel(own.model.client, beta.model.impostor)
    found = check_targets(Fit(model, scores, own.client, beta.impostor, "beta"))
    assert {t.reason for t in found if t.rate == "frr"} == {"placed by these scores"}
    assert {t for t in found if t.rate == "far"} < set(check_targets(beta))
    rng = np.random.default_rng(5)
    client = np.r_[np.zeros(300), rng.beta(4, 2, 700)]
    with pytest.warns(br.BoundaryWarning):
        f = br.fit(br.Scores(client, rng.beta(2, 4, 1000)))
    found = {t.target: t for t in check_targets(f) if t.rate == "frr"}
    assert found[0.5].verdict == "good"
    assert found[0.2].expected == found[0.2].observed == 0.0
    assert found[0.2].reason.startswith("a point mass of the fitted distribution spans this rate")
    assert good_down_to(check_targets(f)).frr == 0.5
    rng = np.random.default_rng(9)
    scores = br.Scores(rng.beta(4, 2, 50), rng.beta(0.02, 0.01, 400).clip(1e-300, 1 - 1e-16))
    with suppress_warnings():
        (found,) = check_targets(br.fit(scores), far=0.01)
    assert found.logit_threshold > 40
    assert found.threshold == 1.0


@pytest.mark.parametrize("kind", ["weights", "groups", "dropped"])
def test_counts_do_not_depend_on_how_the_scores_are_given(kind):
    rng = np.random.default_rng(3)
    client, impostor, copies = rng.beta(4, 2, 200), rng.beta(2, 4, 300), rng.integers(1, 4, 300)
    given = br.Scores(client, [*impostor, *np.ones(100)] if kind == "dropped" else impostor,
        impostor_weights=copies if kind == "weights" else None,
        impostor_groups=np.arange(300) if kind == "groups" else None)  # fmt: skip
    plain = br.Scores(client, np.repeat(impostor, copies) if kind == "weights" else impostor)
    with suppress_warnings():
        found = check_targets(br.fit(given, boundary="drop" if kind == "dropped" else None))
        expected = check_targets(br.fit(plain))
    for a, b in zip(found, expected, strict=True):
        assert (a.observed, a.n, a.verdict) == (b.observed, b.n, b.verdict)
        assert a.threshold == approx(b.threshold, rel=1e-9)
        assert a.n_effective == approx(b.n_effective, rel=1e-12)
        assert (a.low, a.high) == approx((b.low, b.high), rel=1e-9)


def test_groups_count_by_their_design_effect():
    rng, groups = np.random.default_rng(4), np.repeat(np.arange(60), 20)
    z = np.sqrt(0.5) * (rng.normal(size=60)[groups] + rng.normal(size=1200))
    client = rng.normal(2, 1, 100)
    f = br.fit(br.Scores(client, z, impostor_groups=groups), "normal")
    (found,) = check_targets(f, far=0.1)
    # Linearised variance of a share between groups, by hand; Korn and Graubard's n.
    hits = np.bincount(groups, z > found.threshold)
    p = hits.sum() / 1200
    worth = p * (1 - p) * 1200 / 1199 / (60 / 59 * np.sum((hits - 20 * p) ** 2) / 1200**2)
    worth *= (stats.t.ppf(0.975, 1199) / stats.t.ppf(0.975, 59)) ** 2
    assert found.n_effective == approx(worth, rel=1e-9)
    ends = stats.beta.ppf([0.025, 0.975], [p * worth, p * worth + 1],
        [worth - p * worth + 1, worth - p * worth])  # fmt: skip
    assert (found.low, found.high) == approx(tuple(ends), rel=1e-9)
    apart = check_targets(br.fit(br.Scores(client, z), "normal"), far=0.1)[0]
    assert apart.high - apart.low < 0.7 * (found.high - found.low)
    scores = beta_scores(1000)
    two = br.Scores(scores.client, scores.impostor, impostor_groups=np.arange(1000) % 2)
    found = check_targets(br.fit(two), far=[0.5, 0.1])
    assert found[0].reason == "impostors are of 2 groups; 3 or more are needed"


@pytest.mark.simulation
def test_cells_have_targets_but_no_simulation():
    rng = np.random.default_rng(7)
    rounded = br.Scores(np.round(rng.beta(4, 2, 900), 2), np.round(rng.beta(2, 4, 900), 2))
    f = br.fit(rounded, resolution=0.01)
    with pytest.raises(br.InputError, match="or give far= or frr= to count there"):
        br.check_fit(f)
    found = br.check_fit(f, far=0.1)
    assert found.targets[0].verdict == "good"
    assert found.targets[0].observed == np.sum(rounded.impostor > found.targets[0].threshold)
    assert (found.verdict, found.ks) == ("cannot tell", None)


def test_of_a_summary_the_bin_around_the_threshold_widens_the_interval():
    scores = beta_scores(2000)
    frame = frame_of(scores)
    fine = br.fit(br.summarize(frame))
    for a, b in zip(check_targets(fine), check_targets(br.fit(scores)), strict=True):
        assert (a.observed, a.verdict) == (approx(b.observed, abs=1), b.verdict)
    with suppress_warnings():
        coarse = br.summarize(frame, bins=8, layout=(0.0, 1.0))
    (found,) = check_targets(br.fit(coarse), far=0.05)
    # The bin of width 1/8 around the threshold: the fewest and the most that may be above.
    k = math.floor(8 * found.threshold)
    fewest, most = int(np.sum(scores.impostor > (k + 1) / 8)), int(np.sum(scores.impostor > k / 8))
    ends = [stats.binomtest(n, 2000).proportion_ci(method="exact") for n in (fewest, most)]
    assert found.observed == (fewest + most) / 2
    assert (found.low, found.high) == approx((ends[0].low, ends[1].high), rel=1e-9)
    assert found.verdict == "cannot tell"
    assert found.reason.endswith("because many scores share a bin there")
