"""Scores in (0, 1) and the same scores in another range, given by `bounds`, say the same."""

from __future__ import annotations

import numpy as np
import pytest

import betaroc as br
from helpers.robust import robust_cov

RANGES = [(-1.0, 1.0), (0.0, 100.0)]


def sets(bounds: tuple[float, float], seed: int = 0, **options: object) -> tuple[br.Scores, ...]:
    """Of 300 clients and 400 impostors, in (0, 1) and in the range."""
    rng = np.random.default_rng(seed)
    client, impostor = rng.beta(6, 2, 300), rng.beta(2, 6, 400)
    client[:3], impostor[:4] = 1.0, 0.0
    low, width = bounds[0], bounds[1] - bounds[0]
    made = (client, impostor), (low + width * client, low + width * impostor)
    return tuple(br.Scores(*pair, **options) for pair in made)


@pytest.mark.parametrize("bounds", RANGES)
@pytest.mark.parametrize("rule", ["inflate", "drop"])
def test_a_check_sees_the_scores_between_the_bounds(bounds: tuple[float, float], rule: str) -> None:
    unit, wide = sets(bounds)
    fits = br.fit(unit, "beta", boundary=rule), br.fit(wide, "beta", boundary=rule, bounds=bounds)
    one, other = (br.check_fit(fit, replicates=29, rng=1) for fit in fits)
    for name in ("ks", "cvm", "ad", "information"):
        for a, b in zip(getattr(one, name), getattr(other, name), strict=True):
            assert b.p_value == pytest.approx(a.p_value, abs=1e-12)
            assert b.statistic == pytest.approx(a.statistic, rel=1e-3)
    assert other.roc_distance == pytest.approx(one.roc_distance, rel=1e-6)
    assert (other.verdict, other.status) == (one.verdict, one.status)
    counts = [[(t.expected, t.observed) for t in found.targets] for found in (one, other)]
    assert np.allclose(*counts, rtol=1e-9)
    shares = [fit.at_far(0.1).tpr for fit in fits]
    assert shares[1] == pytest.approx(shares[0], rel=1e-9)


@pytest.mark.simulation
@pytest.mark.parametrize("bounds", RANGES)
def test_families_decisions_and_intervals_are_those_of_the_unit_interval(
    bounds: tuple[float, float],
) -> None:
    rng = np.random.default_rng(3)
    unit, wide = rng.beta(6, 2, 300), rng.beta(2, 6, 400)
    low, width = bounds[0], bounds[1] - bounds[0]
    unit, wide = br.Scores(unit, wide), br.Scores(low + width * unit, low + width * wide)
    a, b = br.compare_families(unit), br.compare_families(wide, bounds=bounds)
    assert b.recommended == a.recommended
    assert b.table["family"].tolist() == a.table["family"].tolist()
    assert b.table["held_out_z"].tolist() == pytest.approx(a.table["held_out_z"].tolist(), abs=1e-6)
    ways = [br.decide(unit, far=0.05), br.decide(wide, far=0.05, bounds=bounds)]
    assert ways[1].threshold == pytest.approx(low + width * ways[0].threshold, rel=1e-9)
    for one, other in zip(*(way.methods for way in ways), strict=True):
        assert (other.how, bool(other.why)) == (one.how, bool(one.why))
        assert other.expected == pytest.approx(one.expected, rel=1e-6, nan_ok=True)
        assert (other.low, other.high) == pytest.approx((one.low, one.high), rel=1e-5, nan_ok=True)


@pytest.mark.parametrize("bounds", RANGES)
def test_tails_and_groups_take_the_same_scores(bounds: tuple[float, float]) -> None:
    groups = {"client_groups": np.arange(300) // 3, "impostor_groups": np.arange(400) // 4}
    unit, wide = sets(bounds, 2, **groups)
    options = {"boundary": "drop", "tails": "both", "tail_sizes": 60}
    fits = br.fit(unit, "beta", **options), br.fit(wide, "beta", **options, bounds=bounds)
    assert fits[1].client.names == fits[0].client.names
    assert fits[1].client.cov == pytest.approx(fits[0].client.cov, rel=1e-3, abs=1e-9)
    one, other = (f.interval("tpr", far=0.2) for f in fits)
    assert (other.low, other.high) == pytest.approx((one.low, one.high), rel=1e-4)


@pytest.mark.filterwarnings("ignore::betaroc.BetarocWarning")
@pytest.mark.parametrize("rule", ["drop", "squeeze", "censor"])
@pytest.mark.parametrize("bounds", RANGES)
def test_errors_of_groups_are_those_of_the_unit_interval(
    bounds: tuple[float, float], rule: str
) -> None:
    unit, wide = sets(bounds, 2)
    step = {"resolution": 0.01} if rule == "censor" else {}
    fits = [br.fit(unit, "beta", boundary=rule, **step)]
    step = {name: value * (bounds[1] - bounds[0]) for name, value in step.items()}
    fits += [br.fit(wide, "beta", boundary=rule, bounds=bounds, **step)]
    errors = [robust_cov(f.client, f.scores.client, groups=np.arange(300) // 3) for f in fits]
    assert errors[1] == pytest.approx(errors[0], rel=1e-4)
