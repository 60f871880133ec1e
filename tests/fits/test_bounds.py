"""Scores in (0, 1) and the same scores in another range, given by `bounds`, say the same."""

from functools import cache

import numpy as np
import pytest

import betaroc as br

approx = pytest.approx
RANGES = [(-1.0, 1.0), (0.0, 100.0)]


def sets(bounds, seed=0, **options):
    """Of 300 clients and 400 impostors, in (0, 1) and in the range."""
    rng = np.random.default_rng(seed)
    client, impostor = rng.beta(6, 2, 300), rng.beta(2, 6, 400)
    client[:3], impostor[:4] = 1.0, 0.0
    low, width = bounds[0], bounds[1] - bounds[0]
    made = (client, impostor), (low + width * client, low + width * impostor)
    return tuple(br.Scores(*pair, **options) for pair in made)


@cache
def checked(rule, bounds):
    """The fit of the scores between these bounds, and its check."""
    options = {} if bounds == (0.0, 1.0) else {"bounds": bounds}
    fit = br.fit(sets(bounds)[1], "beta", boundary=rule, **options)
    return fit, br.check_fit(fit, replicates=29, rng=1)


@pytest.mark.simulation
@pytest.mark.parametrize("bounds", RANGES)
@pytest.mark.parametrize("rule", ["inflate", "drop"])
def test_a_check_sees_the_scores_between_the_bounds(bounds, rule):
    fits, (one, other) = zip(checked(rule, (0.0, 1.0)), checked(rule, bounds), strict=True)
    for name in ("ks", "cvm", "ad", "information"):
        for a, b in zip(getattr(one, name), getattr(other, name), strict=True):
            assert b.p_value == approx(a.p_value, abs=1e-12)
            assert b.statistic == approx(a.statistic, rel=1e-3)
    assert other.roc_distance == approx(one.roc_distance, rel=1e-6)
    assert (other.verdict, other.status) == (one.verdict, one.status)
    counts = [[(t.expected, t.observed) for t in found.targets] for found in (one, other)]
    assert np.allclose(*counts, rtol=1e-9)
    shares = [fit.at_far(0.1).tpr for fit in fits]
    assert shares[1] == approx(shares[0], rel=1e-9)


@cache
def chosen(low=0.0, width=1.0):
    """The families and the decision of scores of this range."""
    rng = np.random.default_rng(3)
    scores = br.Scores(*(low + width * x for x in (rng.beta(6, 2, 300), rng.beta(2, 6, 400))))
    options = {} if width == 1.0 else {"bounds": (low, low + width)}
    return br.compare_families(scores, **options), br.decide(scores, far=0.05, **options)


@pytest.mark.simulation
@pytest.mark.parametrize("bounds", RANGES[1:])
def test_families_decisions_and_intervals_are_those_of_the_unit_interval(bounds):
    low, width = bounds[0], bounds[1] - bounds[0]
    (a, b), ways = zip(chosen(), chosen(low, width), strict=True)
    assert b.recommended == a.recommended
    assert b.table["family"].tolist() == a.table["family"].tolist()
    assert b.table["held_out_z"].tolist() == approx(a.table["held_out_z"].tolist(), abs=1e-6)
    assert ways[1].threshold == approx(low + width * ways[0].threshold, rel=1e-9)
    for one, other in zip(*(way.methods for way in ways), strict=True):
        assert (other.how, bool(other.why)) == (one.how, bool(one.why))
        assert other.expected == approx(one.expected, rel=1e-6, nan_ok=True)
        assert (other.low, other.high) == approx((one.low, one.high), rel=1e-5, nan_ok=True)


@pytest.mark.simulation
def test_tails_and_groups_take_the_same_scores():
    bounds = (0.0, 100.0)
    groups = {"client_groups": np.arange(300) // 3, "impostor_groups": np.arange(400) // 4}
    unit, wide = sets(bounds, 2, **groups)
    options = {"boundary": "drop", "tails": "both", "tail_sizes": 60}
    fits = br.fit(unit, "beta", **options), br.fit(wide, "beta", **options, bounds=bounds)
    assert fits[1].client.names == fits[0].client.names
    assert fits[1].client.cov == approx(fits[0].client.cov, rel=1e-3, abs=1e-9)
    one, other = (f.interval("tpr", far=0.2) for f in fits)
    assert (other.low, other.high) == approx((one.low, one.high), rel=1e-4)
