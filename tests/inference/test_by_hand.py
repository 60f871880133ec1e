"""Pieces of intervals whose numbers are counted or derived beside them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.core.options import IntervalOptions
from betaroc.inference.counted_scores import CountedScores
from betaroc.inference.interval import Interval, difference_ends, from_log, from_logit
from betaroc.inference.profile import _share_ends
from betaroc.inference.scores_beyond import about, needed
from betaroc.inference.small_samples import SmallSample, freedom_of, stretch_of, student

INSIDE = [0.12, 0.3, 0.41, 0.55, 0.56, 0.71, 0.8, 0.93]
LOW = [0.05, 0.1, 0.22, 0.3, 0.37, 0.6]


def dropping() -> tuple[br.Fit, br.Fit]:
    """A fit that leaves exact zeros and ones out, and one that never saw them."""
    scores = br.Scores([*INSIDE, 1.0, 1.0], [0.0, 0.0, 0.0, *LOW])
    with pytest.warns(br.BetarocWarning):
        left_out = br.fit(scores, "beta", boundary="drop")
    with pytest.warns(br.BetarocWarning):
        return left_out, br.fit(br.Scores(INSIDE, LOW), "beta")


def test_scores_that_are_dropped_are_in_no_interval() -> None:
    left_out, never = dropping()
    for who in ("client", "impostor"):
        found = [f.conf_int(method="profile")[who] for f in (left_out, never)]
        for name in ("a", "b"):
            ends = [(one[name].low, one[name].high) for one in found]
            assert ends[0] == pytest.approx(ends[1], rel=1e-9)


def test_scores_that_are_dropped_speak_for_no_rate() -> None:
    left_out, never = dropping()
    for f in (left_out, never):
        with pytest.warns(br.ExtrapolationWarning):
            far = f.at_far(0.1)
        assert far.n_beyond[1] == pytest.approx(6 * 0.1)
        with pytest.warns(br.ExtrapolationWarning):
            frr = f.at_frr(0.1)
        assert frr.n_beyond[0] == pytest.approx(8 * 0.1)


# ------------------------------------------------------------------------ of two systems
def test_the_difference_adds_squares_of_distances() -> None:
    """3-4-5: ends 3 below and 4 above one, 5 below and 4 above the other; none shared."""
    one, two = Interval(10.0, 7.0, 14.0, 0.95, "x"), Interval(2.0, -1.0, 6.0, 0.95, "x")
    assert difference_ends(one, two, 0.0) == pytest.approx((5.0, 5.0))
    down, up = difference_ends(one, two, 0.5)
    assert down == pytest.approx(math.sqrt(9 + 16 - 12))
    assert up == pytest.approx(math.sqrt(16 + 9 - 12))
    assert difference_ends(one, Interval(2.0, -math.inf, 6.0, 0.95, "x"), 0.5)[1] == math.inf


def test_ends_of_scales() -> None:
    assert (from_log(0.0), from_log(-math.inf), from_log(1e4)) == (1.0, 0.0, math.inf)
    assert from_log(700.0) == math.exp(700.0)
    assert from_logit(0.0) == 0.5
    assert (from_logit(-2.0), from_logit(2.0)) == pytest.approx(
        (1 / (1 + math.exp(2)), 1 / (1 + math.exp(-2)))
    )
    assert (from_logit(-1e4), from_logit(1e4)) == (0.0, 1.0)


# -------------------------------------------------------------------------- small samples
def test_shares_of_none_and_all() -> None:
    """n log(1 - p) = -fall."""
    assert _share_ends(0.0, 0.1) == pytest.approx((0.0, 1.0 - math.exp(-0.1)))
    assert _share_ends(1.0, 0.1) == pytest.approx((math.exp(-0.1), 1.0))
    low, high = _share_ends(0.3, 0.05)
    for q in (low, high):
        assert 0.3 * math.log(0.3 / q) + 0.7 * math.log(0.7 / (1 - q)) == pytest.approx(0.05)
    assert low < 0.3 < high


def test_welch_of_two_classes() -> None:
    """Variances 4 and 9 with 5 and 8 degrees of freedom: 13^2 / (16/5 + 81/8)."""
    small = SmallSample(np.eye(2), np.array([0, 1]), (5.0, 8.0), np.zeros(2))
    reach = float(small.reach(np.array([2.0, 3.0]), 0.9))
    assert reach == pytest.approx(stats.t.ppf(0.95, 169.0 / (16.0 / 5.0 + 81.0 / 8.0)), rel=1e-12)
    alone = float(small.reach(np.array([2.0, 0.0]), 0.9))
    assert alone == pytest.approx(stats.t.ppf(0.95, 5.0), rel=1e-12)
    assert float(small.reach(np.zeros(2), 0.9)) == pytest.approx(stats.norm.ppf(0.95))


def test_numbers_that_do_not_move_reach_nowhere() -> None:
    small = SmallSample(np.eye(2), np.array([0, 1]), (5.0, 8.0), np.zeros(2))
    options = IntervalOptions(0.95, None, 100, True, 1)
    assert small.largest(np.zeros((3, 2)), options) == 0.0


def test_the_bias_is_shifted_along_the_roots() -> None:
    roots = np.array([[2.0, 0.0], [1.0, 1.0]])
    small = SmallSample(roots, np.array([0, 0]), (5.0,), np.array([0.4, 0.1]))
    slopes = roots @ np.array([3.0, -2.0])  # of the number 3 x - 2 y
    assert small.shift(slopes) == pytest.approx(3.0 * 0.4 - 2.0 * 0.1)


def test_degrees_of_freedom() -> None:
    assert freedom_of(10.0) == 9.0
    assert stretch_of(9.0) == pytest.approx(math.sqrt(10.0 / 9.0))
    assert student(9.0, 0.95) == pytest.approx(stats.t.ppf(0.975, 9))


# ------------------------------------------------------------------------------- numbers
@pytest.mark.parametrize(
    ("n", "text"),
    [(3.04, "3"), (299.6, "300"), (123456.0, "120000"), (1e9, "1e+09"), (999.9e6, "1000000000"),
     (2.345e12, "2.3e+12"), (math.inf, "more than 1e308")],
)  # fmt: skip
def test_numbers_of_scores_have_two_digits(n: float, text: str) -> None:
    assert about(n) == text


def test_three_over_the_rate_shows_it() -> None:
    """(1 - r)^n = .05 where n = 3/r."""
    assert needed(0.01) == "300"


def test_two_thousand_replicates_are_drawn_unless_said() -> None:
    f = br.fit(br.Scores(np.linspace(0.2, 0.9, 30), np.linspace(0.1, 0.7, 30)), "normal")
    drawn = br.interval(f, "auc", method="bootstrap", rng=3)
    assert drawn == br.interval(f, "auc", method="bootstrap", rng=3, replicates=2000)
    assert drawn != br.interval(f, "auc", method="bootstrap", rng=3, replicates=2001)


def test_the_gap_of_a_threshold() -> None:
    counted = CountedScores(br.Scores([0.2, 0.6, 0.8], [0.1, 0.6]))
    assert counted.gap_of(0.3) == (0.2, 0.6)
    assert counted.gap_of(0.6) == (0.6, 0.8)
    assert counted.gap_of(0.05) == (-math.inf, 0.1)
    assert counted.gap_of(0.9) == (0.8, math.inf)
