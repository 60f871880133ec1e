"""Scores in (0, 1) and the same scores in another range, given by `bounds`, say the same."""

import numpy as np
import pytest

import betaroc as br

approx = pytest.approx


def sets(bounds):
    """Of 300 clients and 400 impostors, in (0, 1) and in the range."""
    rng = np.random.default_rng(0)
    client, impostor = rng.beta(6, 2, 300), rng.beta(2, 6, 400)
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
    scores = rng.beta(6, 2, 300), rng.beta(2, 6, 400)
    unit, wide = br.Scores(*scores), br.Scores(*(100 * x for x in scores))
    a, b = br.compare_families(unit), br.compare_families(wide, bounds=(0, 100))
    assert b.recommended == a.recommended
    assert b.table["family"].tolist() == a.table["family"].tolist()
    assert b.table["held_out_z"].tolist() == approx(a.table["held_out_z"].tolist(), abs=1e-6)
    ways = br.decide(unit, far=0.05), br.decide(wide, far=0.05, bounds=(0, 100))
    assert ways[1].threshold == approx(100 * ways[0].threshold, rel=1e-9)
    for one, other in zip(*(way.methods for way in ways), strict=True):
        assert (other.how, bool(other.why)) == (one.how, bool(one.why))
        assert other.expected == approx(one.expected, rel=1e-6, nan_ok=True)
        assert (other.low, other.high) == approx((one.low, one.high), rel=1e-5, nan_ok=True)
