"""Scores with weights are as their copies, those in a range given by `bounds` as in (0, 1)."""

import tracemalloc

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.core.special import beta_quantile

approx = pytest.approx
RNG = np.random.default_rng(4)
CLIENT, IMPOSTOR = RNG.beta(4.0, 2.0, 1000), RNG.beta(2.0, 4.0, 1000)
pytestmark = pytest.mark.filterwarnings("ignore::betaroc.BetarocWarning")


def alike(copies):
    weights = {f"{who}_weights": np.full(1000, copies) for who in ("client", "impostor")}
    return br.Scores(CLIENT, IMPOSTOR, **weights)


@pytest.mark.simulation
def test_a_check_of_weighted_scores_is_that_of_their_copies():
    rng = np.random.default_rng(3)
    x, y = (rng.integers(0, 4, 1000) for _ in range(2))
    weighted = br.Scores(CLIENT, IMPOSTOR, client_weights=x, impostor_weights=y)
    copies = br.Scores(np.repeat(CLIENT, x), np.repeat(IMPOSTOR, y))
    found = [br.check_fit(br.fit(s, "beta"), replicates=19, rng=2) for s in (weighted, copies)]
    for kind in ("ks", "cvm", "ad", "information"):
        for one, two in zip(*(getattr(check, kind) for check in found), strict=True):
            assert one.statistic == approx(two.statistic, rel=1e-6)
    assert found[0].roc_distance.sup == approx(found[1].roc_distance.sup, rel=1e-6)


@pytest.mark.simulation
def test_neither_answers_nor_memory_hang_on_how_many_copies_each_score_has():
    once = alike(1.0)
    check = br.check_fit(br.fit(once, "beta"), replicates=19, rng=1)
    costs = br.decide(once, cost_fa=1, cost_fr=1, family="beta").threshold
    for copies in (1e3, 1e15):
        many = alike(copies)
        found = br.check_fit(br.fit(many, "beta"), replicates=19, rng=1)
        assert found.roc_distance.sup == approx(check.roc_distance.sup, rel=1e-9)
        for one, two in zip(found.ks + found.ad, check.ks + check.ad, strict=True):
            root = 0.5 if one in found.ks else 1.0
            assert one.statistic == approx(two.statistic * copies**root, rel=1e-6)
        assert found.targets[0].observed == check.targets[0].observed * copies
        assert br.decide(many, cost_fa=1, cost_fr=1, family="beta").threshold == costs
    used = []
    for copies in (1.0, 1e15):
        scores = alike(copies)
        tracemalloc.start()
        br.check_fit(br.fit(scores, "beta"), replicates=199, rng=1)
        br.decide(scores, far=0.05, family="beta")
        used.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert used[1] <= 1.5 * used[0]


@pytest.mark.parametrize(("a", "p"), [(1.0, 0.025), (1e5, 0.999), (5e11, 0.025)])
def test_quantiles_of_shares_of_many_trials(a, p):
    """Beside scipy, to a part of the standard deviation."""
    own, scipys = beta_quantile(np.array([a]), 1.001e12 - a, p)[0], stats.beta(a, 1.001e12 - a)
    assert own == approx(scipys.ppf(p), abs=2e-7 * scipys.std())
    assert 1.0 - beta_quantile(1.001e12 - a, a, 1.0 - p) == approx(own, abs=1e-16)


def sets(bounds):
    """Of 120 clients and 160 impostors, in (0, 1) and in the range."""
    rng = np.random.default_rng(0)
    client, impostor = rng.beta(6, 2, 120), rng.beta(2, 6, 160)
    client[:3], impostor[:4] = 1.0, 0.0
    low, width = bounds[0], bounds[1] - bounds[0]
    return br.Scores(client, impostor), br.Scores(low + width * client, low + width * impostor)


@pytest.mark.simulation
@pytest.mark.parametrize(("bounds", "rule"), [((-1.0, 1.0), "inflate"), ((0.0, 100.0), "drop")])
def test_a_check_sees_the_scores_between_the_bounds(bounds, rule):
    unit, wide = sets(bounds)
    fits = br.fit(unit, "beta", boundary=rule), br.fit(wide, "beta", boundary=rule, bounds=bounds)
    one, other = (br.check_fit(fit, replicates=29, rng=1) for fit in fits)
    for name in ("ks", "cvm", "ad", "information"):
        for a, b in zip(getattr(one, name), getattr(other, name), strict=True):
            assert b.p_value == approx(a.p_value, abs=1e-12)
            assert b.statistic == approx(a.statistic, rel=1e-3)
    assert other.roc_distance == approx(one.roc_distance, rel=1e-6)
    assert (other.verdict, other.status) == (one.verdict, one.status)
    counts = [[(t.expected, t.observed) for t in found.targets] for found in (one, other)]
    assert np.allclose(*counts, rtol=1e-9)
    assert fits[1].at_far(0.1).tpr == approx(fits[0].at_far(0.1).tpr, rel=1e-9)


@pytest.mark.simulation
def test_families_decisions_and_intervals_are_those_of_the_unit_interval():
    rng = np.random.default_rng(3)
    scores = rng.beta(6, 2, 100), rng.beta(2, 6, 120)
    unit, wide = br.Scores(*scores), br.Scores(*(100 * x for x in scores))
    families = ["beta", "logit-normal", "normal"]
    a = br.compare_families(unit, families)
    b = br.compare_families(wide, families, bounds=(0, 100))
    assert b.recommended == a.recommended
    assert b.table["family"].tolist() == a.table["family"].tolist()
    assert b.table["held_out_z"].tolist() == approx(a.table["held_out_z"].tolist(), abs=1e-6)
    ways = br.decide(unit, far=0.05), br.decide(wide, far=0.05, bounds=(0, 100))
    assert ways[1].threshold == approx(100 * ways[0].threshold, rel=1e-9)
    for one, other in zip(*(way.methods for way in ways), strict=True):
        assert (other.how, bool(other.why)) == (one.how, bool(one.why))
        assert other.expected == approx(one.expected, rel=1e-6, nan_ok=True)
        assert (other.low, other.high) == approx((one.low, one.high), rel=1e-5, nan_ok=True)
