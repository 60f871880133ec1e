"""Pieces of intervals whose numbers are counted or derived beside them."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.core.options import IntervalOptions
from betaroc.inference.delta import SmallSample, _scale, freedom_of, stretch_of, student
from betaroc.inference.differences import of_replicates
from betaroc.inference.drawn_scores import _copies
from betaroc.inference.interval import Interval, difference_ends, from_log, from_logit
from betaroc.inference.of_scores import CountedScores, _best_of_chance, _off
from betaroc.inference.profile import _share_ends
from betaroc.inference.scores_beyond import about, needed, robust_rates
from betaroc.model.asking import asking

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


def test_the_share_of_replicates_beyond_zero_counts_the_sample_itself() -> None:
    """3 of 99 differences are not above 0: p = 2 (3 + 1)/(99 + 1)."""
    apart = np.concatenate([[-0.2, -0.1, 0.0], np.linspace(0.01, 1.0, 96), [np.nan]])
    options = IntervalOptions(0.9, "bootstrap", 100, True, 1)
    with pytest.warns(br.SmallSampleWarning, match="in 1 of 100 replicates"):
        found = of_replicates(0.4, apart, options, "auc", paired=True)
    kept = apart[:-1]
    assert found.p_value == pytest.approx(0.08)
    ends = np.sort(kept)[[4, 94]]  # the 5th and the 95th of 99
    assert (found.low, found.high) == pytest.approx(tuple(ends))
    assert (found.estimate, found.failed) == (0.4, 1)
    assert of_replicates(-0.4, -kept, options, "auc", paired=True).p_value == pytest.approx(0.08)
    assert of_replicates(0.0, np.zeros(9), options, "auc", paired=True).p_value == 1.0


@pytest.mark.simulation
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


# ---------------------------------------------------------------------------------- scales
def test_a_scale_and_back() -> None:
    """Standardised, a mean TPR of m is 1 - (1 - m)/(2 - .1 - .3); the scale is its probit."""
    model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
    part = asking("partial-auc", (), between=(0.1, 0.3))
    to, back = _scale("partial", part, model)
    assert to(1.0 - 0.4 / 1.6) == pytest.approx(-stats.norm.ppf(0.4))
    assert back(0.7) == pytest.approx(1.0 - stats.norm.cdf(-0.7) / 1.6)
    assert (to(0.0), back(-math.inf)) == (-math.inf, pytest.approx(1.0 - 1.0 / 1.6))
    to, back = _scale("probit", asking("auc", ()), model)
    assert (to(0.8), back(0.0)) == pytest.approx((stats.norm.ppf(0.8), 0.5))
    to, back = _scale("log", asking("exponent-at-zero", ()), model)
    assert (to(2.0), back(0.0)) == pytest.approx((math.log(2.0), 1.0))
    to, back = _scale("plain", asking("d-prime", ()), model)
    assert (to(2.0), back(0.3)) == (2.0, 0.3)
    point = model.at_far(0.1)
    to, back = _scale("threshold", asking("threshold", (), far=0.1), model)
    assert to(point) == pytest.approx(math.log(point.threshold / (1.0 - point.threshold)))
    assert back(to(point)) == pytest.approx(point.threshold)
    line = br.ScoreModel(br.Normal(1, 1), br.Normal(0, 1))
    to, back = _scale("threshold", asking("threshold", (), far=0.1), line)
    assert to(line.at_far(0.1)) == pytest.approx(stats.norm.isf(0.1))


@pytest.mark.simulation
@pytest.mark.parametrize(("far", "frr"), [(0.2, None), (None, 0.2)])
def test_ends_of_a_threshold_are_where_its_rate_is_unlikely(
    far: float | None, frr: float | None
) -> None:
    """2 n times the divergence of the counted rate from the given one is the deviance."""
    rng = np.random.default_rng(4)
    scores = br.Scores(rng.normal(1.0, 1.0, 400), rng.normal(0.0, 1.0, 300))
    given = {"far": far} if far else {"frr": frr}
    found = br.interval(scores, "threshold", **given)
    own = np.sort(scores.impostor if far else scores.client)
    n, p = own.size, 0.2
    rates = (n - np.arange(n + 1)) / n if far else np.arange(n + 1) / n  # k scores at or below

    def deviance(q: float) -> float:
        return 2 * n * (stats.entropy([q, 1 - q], [p, 1 - p]))

    # The true rate lies between those of a gap and of the next: the nearer one counts.
    likely = [k for k in range(n + 1) if deviance(rates[k]) <= stats.chi2(1).ppf(0.95)]
    assert own[likely[0] - 2] <= found.low <= own[likely[0] + 1]
    assert own[likely[-1] - 1] <= found.high <= own[likely[-1] + 1]


def test_what_a_measure_is_off_is_that_of_the_worst_corner() -> None:
    """HTER = (FAR + FRR)/2: both errors the same way."""
    point = br.OperatingPoint(0.5, 0.2, 0.3, 0.5)
    assert _off(lambda p: float(p.hter), point, (0.01, 0.03)) == pytest.approx(0.02)
    assert _off(lambda p: float(p.far), point, (0.01, 0.03)) == pytest.approx(0.01)
    assert _off(lambda p: float(p.frr), point, (0.01, 0.03)) == pytest.approx(0.03)
    assert _off(lambda p: float(p.far - p.frr), point, (0.01, 0.03)) == pytest.approx(0.04)
    assert _off(lambda p: float(p.far), point, (0.5, 0.0)) == pytest.approx(0.5)
    edge = br.OperatingPoint(0.5, 0.1, 0.3, 0.5)
    assert _off(lambda p: float(p.far), edge, (0.95, 0.0)) == pytest.approx(0.9)


@pytest.mark.parametrize(("stat", "chance"), [("min-hter", 0.5), ("ks", 0.0), ("max-f1", 2 / 3)])
def test_the_best_of_chance(stat: str, chance: float) -> None:
    """FAR + FRR = 1: no HTER but 1/2, no gap; F is largest where all are accepted, 2 p/(1 + p)."""
    point = br.OperatingPoint(0.5, 0.2, 0.3, 0.5)
    assert _best_of_chance(asking(stat, ()), point) == pytest.approx(chance, abs=1e-12)


def test_copies_are_drawn_one_by_one() -> None:
    """Of rows with 1, 3 and 0 copies 4 are drawn: 1 and 3 on average, never of the last."""
    drawn = _copies(np.random.default_rng(1), 4000, np.array([1, 3, 0]))
    np.testing.assert_array_equal(drawn.sum(axis=1), 4)
    np.testing.assert_allclose(drawn.mean(axis=0), [1.0, 3.0, 0.0], atol=0.06)
    even = _copies(np.random.default_rng(1), 4000, np.array([1, 1, 1]))
    np.testing.assert_array_equal(even.sum(axis=1), 3)
    np.testing.assert_allclose(even.mean(axis=0), 1.0, atol=0.06)
    np.testing.assert_allclose(even.var(axis=0), 2.0 / 3.0, atol=0.06)
    many = _copies(np.random.default_rng(1), 500, np.array([500, 1500]))
    np.testing.assert_array_equal(many.sum(axis=1), 2000)
    np.testing.assert_allclose(many.mean(axis=0), [500.0, 1500.0], atol=5.0)


def test_an_interval_rests_on_counts_unless_it_says_so() -> None:
    bare = Interval(1.0, 0.0, 2.0, 0.95, "x")
    assert (bare.extrapolated, bare.n_beyond, bare.failed) == (False, None, 0)


@pytest.mark.parametrize(("rate", "beyond"), [(0.03, 6.0), (0.97, 6.0), (0.5, 100.0)])
def test_the_smaller_of_a_rate_and_its_rest_is_what_scores_speak_for(
    rate: float, beyond: float
) -> None:
    p = (np.arange(200) + 0.5) / 200
    f = br.fit(br.Scores(stats.norm(1).ppf(p[::2]), stats.norm().ppf(p)), "normal")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.ExtrapolationWarning)
        assert f.at_far(rate).n_beyond[1] == pytest.approx(beyond)
        assert f.at_frr(rate).n_beyond[0] == pytest.approx(beyond / 2.0)


def test_rates_of_trials_that_are_their_own_groups_vary_as_shares_do() -> None:
    """p (1 - p)/n times n/(n - 1), and nothing in common."""
    client, impostor = np.linspace(0.31, 1.0, 30), np.linspace(0.0, 0.8, 50)
    scores = br.Scores(
        client, impostor, client_groups=np.arange(30), impostor_groups=100 + np.arange(50)
    )
    far, frr = float(np.mean(impostor > 0.6)), float(np.mean(client <= 0.6))
    known = [[far * (1 - far) / 49, 0.0], [0.0, frr * (1 - frr) / 29]]
    np.testing.assert_allclose(robust_rates(scores, 0.6), known, atol=1e-15)


def test_the_largest_of_one_departure_is_students_own() -> None:
    small = SmallSample(np.eye(2), np.array([0, 1]), (5.0, 8.0), np.zeros(2))
    options = IntervalOptions(0.9, None, 20_000, True, 1)
    for slopes, freedom in (([1.0, 0.0], 5), ([0.0, 2.0], 8)):
        found = small.largest(np.array([slopes]), options)
        assert found == pytest.approx(stats.t.ppf(0.95, freedom), rel=0.04)
