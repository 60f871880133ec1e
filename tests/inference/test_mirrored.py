"""Scores turned round and classes swapped: whatever is said of one rate is said of the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import betaroc as br


def both(seed: int, step: float, **given: Any) -> tuple[br.Scores, br.Scores]:
    """Scores in steps, and the same with the classes swapped and the scores turned round."""
    rng = np.random.default_rng(seed)
    client = np.round(rng.normal(1.3, 1.0, 90) / step) * step
    impostor = np.round(rng.normal(0.0, 1.2, 140) / step) * step
    return br.Scores(client, impostor, **given), br.Scores(-impostor, -client)


@pytest.mark.parametrize("step", [0.01, 0.4, 1.0, 2.0])
@pytest.mark.parametrize("rate", [0.04, 0.2, 0.6])
def test_a_rate_at_the_other(step: float, rate: float) -> None:
    scores, turned = both(3, step)
    for one, other in (("far", "frr"), ("frr", "far")):
        found = br.interval(scores, one, **{other: rate})
        mirrored = br.interval(turned, other, **{one: rate})
        ends = [(i.low, i.estimate, i.high) for i in (found, mirrored)]
        assert ends[0] == pytest.approx(ends[1], abs=1e-9), one
        assert found.low <= found.estimate <= found.high


@pytest.mark.parametrize("step", [0.01, 0.4, 1.0])
def test_a_threshold(step: float) -> None:
    scores, turned = both(4, step)
    for one, other in (("far", "frr"), ("frr", "far")):
        found = br.interval(scores, "threshold", **{one: 0.2})
        mirrored = br.interval(turned, "threshold", **{other: 0.2})
        assert (found.low, found.high) == pytest.approx((-mirrored.high, -mirrored.low), abs=1e-9)


@pytest.mark.parametrize("stat", ["auc", "eer", "ks", "min-hter"])
def test_a_number_of_both(stat: str) -> None:
    for step in (0.01, 0.4, 1.0):
        found, mirrored = (br.interval(s, stat) for s in both(5, step))
        ends = [(i.low, i.estimate, i.high) for i in (found, mirrored)]
        assert ends[0] == pytest.approx(ends[1], abs=1e-9)


@pytest.mark.simulation
def test_differences() -> None:
    one, two = (both(seed, 0.4) for seed in (6, 7))
    for stat, other in (("far", "frr"), ("frr", "far"), ("auc", "auc"), ("eer", "eer")):
        point: list[dict[str, float]] = [{}, {}]
        if stat != other:
            point = [{other: 0.2}, {stat: 0.2}]
        found = br.difference(one[0], two[0], stat, paired=False, **point[0])
        mirrored = br.difference(one[1], two[1], other, paired=False, **point[1])
        ends = [(d.low, d.estimate, d.high, d.p_value) for d in (found, mirrored)]
        assert ends[0] == pytest.approx(ends[1], abs=1e-9), stat


@pytest.mark.parametrize("family", ["normal", "equal-variance-normal"])
def test_numbers_of_a_fit(family: str) -> None:
    fits = [br.fit(s, family) for s in both(8, 0.01)]
    for stat, other, point in (
        ("auc", "auc", {}), ("eer", "eer", {}), ("far", "frr", {"threshold": 0.5}),
    ):  # fmt: skip
        turned = {name: -value for name, value in point.items()}
        found = br.interval(fits[0], stat, **point)
        mirrored = br.interval(fits[1], other, **turned)
        ends = [(i.low, i.estimate, i.high) for i in (found, mirrored)]
        assert ends[0] == pytest.approx(ends[1], rel=1e-6), stat


def test_groups_that_are_not_asked_for_say_nothing() -> None:
    """`groups=False` takes trials as independent: as if no groups were known."""
    groups = {"client_groups": np.arange(90) // 3, "impostor_groups": np.arange(140) // 4}
    scores, _ = both(9, 0.01, **groups)
    plain, _ = both(9, 0.01)
    with_groups, without = br.fit(scores, "normal"), br.fit(plain, "normal")
    for stat in ("auc", "client-mean"):
        asked = br.interval(with_groups, stat, groups=False, rng=1)
        known = br.interval(without, stat, rng=1)
        assert (asked.low, asked.high) == pytest.approx((known.low, known.high), rel=1e-12)
        assert br.interval(with_groups, stat, rng=1).low != asked.low


@pytest.mark.simulation
def test_weights_are_copies_in_differences() -> None:
    rng = np.random.default_rng(10)
    parts = []
    for mean, n in ((1.4, 60), (0.0, 80)):
        shared = rng.normal(mean, 1.0, n)
        parts.append([shared, shared + rng.normal(0.0, 0.7, n)])
    weights = [rng.integers(1, 4, 60), rng.integers(1, 4, 80)]
    weighted = [
        br.Scores(c, i, client_weights=weights[0], impostor_weights=weights[1])
        for c, i in zip(*parts, strict=True)
    ]
    copies = [
        br.Scores(np.repeat(c, weights[0]), np.repeat(i, weights[1]))
        for c, i in zip(*parts, strict=True)
    ]
    for stat, point in (
        ("far", {"threshold": 0.6}),
        ("frr", {"far": 0.2}),
        ("auc", {}),
        ("eer", {}),
    ):
        one, other = (br.difference(*two, stat, **point) for two in (weighted, copies))
        ends = [(d.low, d.estimate, d.high, d.p_value) for d in (one, other)]
        assert ends[0] == pytest.approx(ends[1], abs=1e-9), stat
        assert one.correlation == pytest.approx(other.correlation, rel=1e-9, nan_ok=True)
