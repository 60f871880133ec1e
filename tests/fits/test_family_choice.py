"""Families side by side against scipy's densities, by hand and by simulation."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.special import logit

import betaroc as br
from betaroc.estimation import families

approx = pytest.approx


def data(seed=1, n=200):
    rng = np.random.default_rng(seed)
    return br.Scores(rng.beta(4, 1.5, n), rng.beta(1.2, 3, n + 50))


def logit_normal(mu, sigma):
    """Log density of the score, dz/ds = 1 / (s (1 - s)), and its distribution function."""
    law = stats.norm(mu, sigma)
    return lambda x: law.logpdf(logit(x)) - np.log(x * (1 - x)), lambda x: law.cdf(logit(x))


CLASSES = ("client", "impostor")
#: Log densities and distribution functions by scipy.
LAWS = {"beta": lambda a, b: (stats.beta(a, b).logpdf, stats.beta(a, b).cdf),
    "normal": lambda m, s: (stats.norm(m, s).logpdf, stats.norm(m, s).cdf),
    "logit-normal": logit_normal}  # fmt: skip


def test_likelihoods_are_of_the_score_and_vuong_is_by_hand():
    scores = data()
    found = br.compare_families(scores, ["beta", "normal", "logit-normal"])
    for who, best in zip(CLASSES, found.recommended, strict=True):
        x = getattr(scores, who)
        laws = {name: law(*br.fit_distribution(x, name).values) for name, law in LAWS.items()}
        logs = {name: law[0](x) for name, law in laws.items()}
        rows = found.of(who)
        for row in rows:
            total = np.sum(logs[row.family])
            assert row.log_likelihood == approx(total, rel=1e-12)
            assert (row.aic, row.bic) == approx((4 - 2 * total, 2 * math.log(x.size) - 2 * total))
            assert row.distance == approx(stats.kstest(x, laws[row.family][1]).statistic, rel=1e-9)
            if row.family == best:
                assert math.isnan(row.vuong)
            else:
                gap = logs[row.family] - logs[best]
                z = np.sum(gap) / math.sqrt(gap.size * np.var(gap))
                assert row.vuong == approx(z, rel=1e-9)
        assert [r.held_out for r in rows] == sorted((r.held_out for r in rows), reverse=True)


def test_groups_are_held_out_as_wholes_and_vary_as_wholes():
    rng, people = np.random.default_rng(9), np.repeat(np.arange(30), 5)
    client = np.clip(rng.beta(5, 2, 150) + rng.normal(0, 0.05, 30)[people], 0.01, 0.99)
    impostor = rng.beta(2, 5, 100)
    scores = br.Scores(client, impostor, client_groups=people)
    found = br.compare_families(scores, ["beta", "logit-normal"])
    folds = (np.random.default_rng(0).permutation(30) % 5)[people]
    held = {name: np.empty(150) for name in ("beta", "logit-normal")}
    for name, values in held.items():
        for k in range(5):
            law = LAWS[name](*br.fit_distribution(client[folds != k], name).values)
            values[folds == k] = law[0](client[folds == k])
    rows = {row.family: row for row in found.of("client")}
    for name, values in held.items():
        assert rows[name].held_out == approx(np.mean(values), rel=1e-9)
    gap = held["logit-normal"] - held["beta"]
    sums = np.array([np.sum(gap[people == k] - np.mean(gap)) for k in range(30)])
    z = np.sum(gap) / math.sqrt(np.sum(sums**2) * 30 / 29)
    assert max(abs(row.held_out_z) for row in rows.values()) == approx(abs(z), rel=1e-9)
    alone = br.Scores(client, impostor, client_groups=np.zeros(150, dtype=int))
    with pytest.raises(br.InputError, match=r"groups must be 2 or more of client scores.*; got 1"):
        br.compare_families(alone)
    assert br.fit(alone, "best").family == "beta"


def contaminated(n, seed):
    """Clients of one beta law, impostors of a mixture of which 15 % are as the clients."""
    rng = np.random.default_rng([13, n, seed])
    client, few = rng.beta(6, 3, n), rng.random(n) < 0.15
    return br.Scores(client, np.where(few, rng.beta(6, 3, n), rng.beta(2, 8, n)))


@pytest.mark.simulation
def test_a_fold_without_a_mixture_is_scored_by_one_beta(monkeypatch):
    table = families.FAMILIES
    mixture = table["beta-mixture"].estimate

    def estimate(sample, near=None):
        if near is None:
            return mixture(sample)
        raise br.FitError("no mixture in this fold")

    monkeypatch.setitem(table, "beta-mixture", replace(table["beta-mixture"], estimate=estimate))
    found = br.compare_families(contaminated(500, 1), ["beta", "beta-mixture"])
    for who in CLASSES:
        one, two = found.of(who)
        assert one.held_out == two.held_out
    assert found.recommended == ("beta", "beta")


@pytest.mark.simulation
def test_a_family_of_both_classes_stands_beside_the_pair_of_the_best():
    rng = np.random.default_rng(4)
    scores = br.Scores(rng.beta(3, 1, 400), rng.beta(1, 2, 400))  # a dual-beta pair
    found = br.compare_families(scores, ["beta", "dual-beta", "proper-beta"])
    assert found.recommended == ("dual-beta", "dual-beta")
    both = {row.family: row for row in found.of("both")}
    assert set(both) == {"dual-beta", "proper-beta"}
    assert (both["dual-beta"].parameters, both["proper-beta"].parameters) == (2, 4)
    p, q = (-1 / np.mean(np.log(x)) for x in (scores.client, 1 - scores.impostor))
    total = np.sum(stats.beta.logpdf(scores.client, p, 1))
    total += np.sum(stats.beta.logpdf(scores.impostor, 1, q))
    assert both["dual-beta"].log_likelihood == approx(total, rel=1e-12)
    assert br.compare_families(scores, ["proper-beta"]).recommended == ("proper-beta",) * 2


@pytest.mark.simulation
def test_best_is_the_recommended_fit_and_says_why():
    scores = contaminated(500, 1)
    found, best = br.compare_families(scores), br.fit(scores, "best")
    assert best.family == ("beta", "beta-mixture") == found.recommended
    assert best == br.fit(scores, found.recommended)
    assert best.reason == f"chosen as the best: {found.reason}"
    with pytest.raises(br.InputError, match=r"family .*mixture.*chosen as the best"):
        best.end_tests()
    rng = np.random.default_rng(7)
    real = br.Scores(rng.normal(1, 1, 50), rng.normal(0, 1, 50))
    assert br.fit(real, "best").family == "normal"
    with pytest.raises(br.InputError, match='family="best" takes normal here'):
        br.fit(real, "best", boundary="squeeze")
    with pytest.raises(br.InputError, match="it chooses"):
        br.fit(real, "best", components=3)


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")
def test_best_of_too_few_scores_is_auto_and_says_so():
    few = br.Scores([0.6, 0.7, 0.8], [0.1, 0.2, 0.3])
    made = br.fit(few, "best")
    assert made == br.fit(few)
    assert made.reason.startswith("chosen because all 6 scores lie in [0, 1]; families were not")
    assert "at least 10 distinct client scores" in made.reason
    # Left out, 4e154 has no density in any of them: minus infinity for each.
    rest = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.5]
    table = br.compare_families(br.Scores([*rest, 7.0, 8.0], [*rest, 1.5, 3.8e154]))
    rows = [row for row in table.rows if row.who == "impostor"]
    assert rows
    assert all(row.held_out == -math.inf and row.held_out_z == 0.0 for row in rows)


@pytest.mark.simulation
def test_scores_beyond_0_and_1_exact_ends_and_classes_without_a_tail():
    rng = np.random.default_rng(3)
    real = br.compare_families(br.Scores(rng.normal(1, 1, 50), rng.normal(0, 1, 50)))
    known = {"normal", "normal-mixture", "sinh-arcsinh"}
    assert {r.family for r in real.rows} | {one[1] for one in real.left_out} == known
    inner = data(4)
    ends = br.Scores([*inner.client, 1.0, 1.0], [*inner.impostor, 0.0])
    found = br.compare_families(ends)
    plain = br.compare_families(inner)
    both = {(r.who, r.family): r for r in plain.rows}
    assert all(r.log_likelihood == both[r.who, r.family].log_likelihood for r in found.rows)
    # A normal distribution has no point mass for what was not compared.
    assert {row[:2] for row in found.left_out} == {("client", "normal"), ("impostor", "normal")}
    assert "2 scores are exactly 0 or 1" in found.left_out[0][2]
    assert found.reason.endswith("(of the 450 scores between 0 and 1)")
    outside = {r.family: r.outside for r in plain.of("client")}
    law = stats.norm(*stats.norm.fit(inner.client))
    assert outside["normal"] == approx(law.sf(1.0) + law.cdf(0.0), rel=1e-3)
    assert outside["beta"] == 0.0
    rng = np.random.default_rng(1)
    few = br.Scores(rng.beta(6, 2, 249), rng.beta(2, 6, 250))
    assert [row.who for row in br.compare_families(few, ["beta"]).tails] == ["impostor"]
    piled = np.append(rng.beta(2, 60, 210), np.full(90, 0.9))
    found = br.compare_families(br.Scores(rng.beta(6, 2, 300), piled), ["normal"])
    assert [row.who for row in found.tails] == ["client"]
    assert ("impostor", "normal with a tail") in [one[:2] for one in found.left_out]


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::betaroc.core.errors.ScaleWarning")
def test_the_best_has_tails_where_its_family_is_poor():
    rng = np.random.default_rng(7)
    centres = np.repeat([0.0, 5.0, 9.0], [1900, 70, 30])  # three kinds, of which a mixture has two
    heavy = br.Scores(rng.normal(6.0, 1.0, 2000), rng.normal(centres, 0.5))
    f = br.fit(heavy, "best")
    assert f.family == ("normal", "normal-mixture")
    assert [one.side for one in f.impostor.tails] == ["upper"]
    assert not f.client.tails
    assert "impostors are poorly fitted at FAR 0.5 %" in f.reason
    assert "have a tail at the upper end" in f.reason
    assert f.model.impostor == br.fit(heavy, f.family, tails={"impostor": "upper"}).model.impostor
    good = br.fit(br.Scores(rng.normal(2, 1, 2000), rng.normal(0, 1, 2000)), "best")
    assert not good.client.tails
    assert not good.impostor.tails
