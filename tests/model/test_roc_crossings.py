"""Crossings of two ROCs against exact polylines and tangent curves."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from betaroc import Beta, Empirical, Roc, ScoreModel

Corners = list[tuple[Fraction, Fraction]]


def polyline(client: list[int], impostor: list[int]) -> Corners:
    """The attainable points, FAR ascending."""
    corners = [(Fraction(0), Fraction(0))]
    for place in sorted({*client, *impostor}, reverse=True):
        far, tpr = (
            Fraction(sum(s >= place for s in scores), len(scores)) for scores in (impostor, client)
        )
        corners.append((far, tpr))
    return corners


def heights(curve: Corners, x: Fraction) -> list[Fraction]:
    """Of the curve at x: two where it is vertical."""
    found = []
    for (x0, y0), (x1, y1) in pairwise(curve):
        if x0 <= x <= x1:
            found += [y0, y1] if x0 == x1 else [y0 + (y1 - y0) * (x - x0) / (x1 - x0)]
    return found


def leaders(one: Corners, two: Corners) -> tuple[int, ...]:
    """Who is the higher, from the limits at both ends of each stretch between corners."""
    places = sorted({x for x, _ in one} | {x for x, _ in two})
    found: list[int] = []
    for low, high in pairwise(places):
        differences = (
            max(heights(one, low)) - max(heights(two, low)),
            min(heights(one, high)) - min(heights(two, high)),
        )
        for d in differences:
            if d != 0 and (not found or found[-1] != (1 if d > 0 else 2)):
                found.append(1 if d > 0 else 2)
    return tuple(found) or (0,)


def lies_on(curve: Corners, far: float, tpr: float) -> bool:
    """Whether a point is on a polyline, corners to rounding."""
    return any(
        float(x0) - 1e-9 <= far <= float(x1) + 1e-9
        and float(y0) - 1e-9 <= tpr <= float(y1) + 1e-9
        and abs(float(y1 - y0) * (far - float(x0)) - float(x1 - x0) * (tpr - float(y0))) < 1e-9
        for (x0, y0), (x1, y1) in pairwise(curve)
    )


def roc_of(client: list[int], impostor: list[int]) -> Roc:
    return ScoreModel(Empirical(client), Empirical(impostor)).roc()


# The first four: a root at a corner, none near FAR = 1, the limit from below of a jump, a jump of
# both curves at one FAR.
CASES = [
    ([7, 0, 1, 2, 6, 3], [2, 1, 3, 7, 1, 1, 0], [0, 6, 6], [5]),
    ([1, 1, 0], [0, 1], [1, 1, 1, 2, 2], [1, 1, 2]),
    ([2, 7, 5, 0], [6, 5, 3], [0, 3, 5], [0, 1, 6, 4]),
    ([3, 1, 0, 5, 5, 6, 3], [6, 0, 5], [0, 1], [0, 3, 2, 5, 0, 2]),
]
_rng = np.random.default_rng(4)
for _ in range(20):
    _sizes, _most = _rng.integers(1, 8, 4), int(_rng.integers(3, 12))
    CASES.append(tuple(_rng.integers(0, _most, n).tolist() for n in _sizes))  # type: ignore[arg-type]


@pytest.mark.simulation
def test_crossings_of_samples_are_those_of_exact_polylines() -> None:
    for a, b, c, d in CASES:
        one, two = polyline(a, b), polyline(c, d)
        found = roc_of(a, b).crossings(roc_of(c, d))
        back = roc_of(c, d).crossings(roc_of(a, b))
        assert found.leaders == leaders(one, two), (a, b, c, d)
        assert back.leaders == leaders(two, one)
        assert back.far == pytest.approx(found.far, rel=1e-9)
        assert back.tpr == pytest.approx(found.tpr, rel=1e-9)
        for far, tpr in zip(found.far.tolist(), found.tpr.tolist(), strict=True):
            assert lies_on(one, far, tpr), (a, b, c, d)
            assert lies_on(two, far, tpr), (a, b, c, d)


@pytest.mark.simulation
@pytest.mark.parametrize(("away", "crossings"), [(1e-6, 2), (-1e-6, 0)])
def test_two_crossings_close_together(away: float, crossings: int) -> None:
    # Near tangency at log odds -1.38: the brute force is the signs on a grid there.
    one = ScoreModel(
        Beta(3.3843098824928117, 0.2953043290567741), Beta(0.13904142271795036, 1.638044257216326)
    ).roc()
    a = 7.677686404697334 * math.exp(-0.0009377117337982694 + away)
    two = ScoreModel(
        Beta(a, 0.4489966379645104), Beta(0.3676747338600804, 1.6018755268378406)
    ).roc()
    far = 1.0 / (1.0 + np.exp(-np.linspace(-1.45, -1.31, 281)))
    signs = np.sign(np.asarray(one.tpr(far)) - np.asarray(two.tpr(far)))
    assert np.count_nonzero(np.diff(signs)) == crossings
    assert len(one.crossings(two)) == crossings
