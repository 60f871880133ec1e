"""A score with a weight is a value and a count: as its copies, at a cost by distinct values."""

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
def test_nothing_hangs_on_how_many_copies_each_score_has():
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


@pytest.mark.simulation
def test_memory_is_that_of_the_distinct_scores():
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
