"""Tails of one class: the likelihood by mpmath, joints by hand, copies, groups, ties, errors."""

import math

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.data.groups import groups_of
from betaroc.estimation import tails as tails_of
from betaroc.estimation.tails import TailScores, fit_tail, fit_tails, penalised
from betaroc.fits.tail_fits import _design_effect

approx = pytest.approx
ONES = np.ones(50)


def excesses(shape):
    return np.sort(stats.genpareto.rvs(shape, scale=0.4, size=50, random_state=1))


def drawn(n=1000, seed=3):
    return np.asarray(stats.logistic.rvs(size=n, random_state=seed))


def upper(y, sizes=(30, 50), weights=None, who="impostor"):
    return fit_tails(TailScores(who, y, weights), "upper", sizes)


def exact(x, shape, log_scale):
    """The penalised likelihood by its definition."""
    s = mp.e**log_scale
    logs = mp.fsum(mp.log(1 + shape * mp.mpf(float(v)) / s) for v in x)
    return -len(x) * log_scale - (1 + 1 / shape) * logs - shape**2 / (2 * mp.mpf("0.0625"))


@pytest.mark.parametrize("shape", [-0.6, -0.1, -1e-3, 1e-3, 0.4, 1.0])
def test_the_likelihood_is_its_definition(shape):
    x = excesses(-0.4)
    with mp.workdps(40):
        expected = float(exact(x, mp.mpf(shape), mp.mpf("0.3")))
    assert penalised(x, ONES, np.array([shape]), np.array([0.3]))[0] == approx(expected, rel=1e-12)


@pytest.mark.parametrize("shape", [-0.7, 0.0, 0.9])
def test_the_mode_has_no_slope(shape):
    x = excesses(shape)
    fit = fit_tail(0.0, x, ONES, 1000.0)
    with mp.workdps(30):
        place = (mp.mpf(fit.shape), mp.log(mp.mpf(fit.scale)))
        orders = (1, 0), (0, 1), (2, 0), (0, 2), (1, 1)
        *slope, aa, bb, ab = (mp.diff(lambda a, b: exact(x, a, b), place, n) for n in orders)
    assert max(abs(float(v)) for v in slope) < 1e-6
    assert float(aa) < 0.0 < float(aa * bb - ab**2)


@pytest.mark.simulation
@pytest.mark.parametrize("shape", [-0.3, 0.2])
def test_the_grid_is_the_integral(shape):
    """Moments against 400 by 400 points over a range that holds all; a rim holds a thousandth."""
    x = excesses(shape)
    grid = tails_of.grid_of(fit_tail(0.0, x, ONES, 1000.0))
    shapes, logs = np.meshgrid(np.linspace(-1.2, 1.6, 400), np.linspace(-3.5, 1.5, 400))
    height = penalised(x, ONES, shapes, logs)
    weight = np.exp(height - height.max())
    weight /= weight.sum()
    assert np.sum(grid.weight) == approx(1.0)
    for dense, coarse in ((shapes, grid.shape), (logs, np.log(grid.scale))):
        mean = float(np.sum(weight * dense))
        spread = math.sqrt(float(np.sum(weight * (dense - mean) ** 2)))
        assert np.sum(grid.weight * coarse) == approx(mean, abs=0.03 * spread)
        assert math.sqrt(np.sum(grid.weight * (coarse - mean) ** 2)) == approx(spread, rel=0.03)


def test_copies_are_weights_the_design_effect_undoes_them_and_units_are_those_of_the_scale():
    x = excesses(0.1)
    once = fit_tail(0.5, x, ONES, 1000.0)
    copies = fit_tail(0.5, np.repeat(x, 3), np.ones(150), 3000.0)
    weighted = fit_tail(0.5, x, 3.0 * ONES, 3000.0)
    undone = fit_tail(0.5, x, 3.0 * ONES, 3000.0, design_effect=3.0)
    moved = fit_tail(0.5, 1e6 * x, ONES, 1e3)
    for fit, scale, other in ((copies, 1, weighted), (undone, 1, once), (moved, 1e6, once)):
        assert fit.shape == approx(other.shape, abs=1e-9)
        assert fit.scale == approx(scale * other.scale, rel=1e-9)
    assert (undone.k, undone.mass) == approx((50.0, 0.05))
    assert abs(weighted.shape) > abs(once.shape)  # the penalty weighs less


def test_joints_and_turned_tied_and_steep_tails():
    y = drawn()
    tails, ordered = upper(y), np.sort(y)[::-1]
    assert [fit.joint for fit in tails.fits] == [ordered[30], ordered[50]]
    assert [fit.k for fit in tails.fits] == [30.0, 50.0]
    assert tails.mass == approx(0.03)
    lower, turned = fit_tails(TailScores("impostor", y), "lower"), upper(-y)
    assert lower.fits == turned.fits
    tail, other = lower.tail(), turned.tail()
    assert (tail.joint, tail.shape) == (-other.joint, other.shape)
    y = np.round(drawn(500), 1)
    values, counts = np.unique(y, return_counts=True)
    for copies, weighted in zip(upper(y).fits, upper(values, weights=counts * 1.0).fits,
        strict=True):  # fmt: skip
        assert (copies.joint, copies.k, copies.n) == (weighted.joint, weighted.k, weighted.n)
        assert copies.shape == approx(weighted.shape, abs=1e-9)
    # Of 400 scores 24 lie at 10, ..., 33; 10 each at 9, 8: 34 are nearer to 30 than 24 is not.
    y = np.concatenate([np.arange(10.0, 34.0), np.full(10, 9.0), np.full(10, 8.0), np.zeros(356)])
    assert [(fit.joint, fit.k) for fit in upper(y).fits] == [(8.5, 34.0), (4.0, 44.0)]
    tails = upper(np.linspace(0.0, 1.0, 1001))
    assert all(-0.95 <= fit.shape < -0.5 for fit in tails.fits)
    (notice,) = tails_of.steep_tails("client", tails, bounded=False)
    assert notice.category is br.ScaleWarning
    assert "bounds=(-1, 1)" in notice.message
    assert not tails_of.steep_tails("client", upper(drawn()), bounded=False)


def test_one_tail_has_the_mean_places_of_both():
    tails = upper(drawn())
    tail = tails.tail()
    for share in (1.0, 0.2, 0.02, 0.005):
        rate = 0.03 * share
        place = float(tail.joint + tail._distance(math.log(rate)))
        by_size = [fit.joint + stats.genpareto.isf(rate / fit.mass, fit.shape, scale=fit.scale)
            for fit in tails.fits]  # fmt: skip
        if share > 0.01:
            assert place == approx(np.mean(by_size), rel=1e-9)
    assert abs(place - np.mean(by_size)) < 0.5 * abs(np.subtract(*by_size))


@pytest.mark.parametrize(("y", "sizes", "words"), [
    (drawn(199), (30, 50), "at least 200 scores; got 199"),
    (drawn(300), (30, 100), "up to a quarter of the class, 75 for .* got 100"),
    (np.append(drawn(300), [np.inf] * 3), (30, 50), "3 of 303 scores are exactly there"),
    (np.repeat([0.0, 1.0, 2.0], 200), (30, 50), "different scores beyond its joint"),
    (np.append(np.full(300, 0.0), [1.0, 2.0]), (30, 50), "beyond its joint"),
])  # fmt: skip
def test_what_has_no_tail_says_why(y, sizes, words):
    with pytest.raises(br.InputError, match=words):
        upper(y, sizes)


def effect_of(y, labels):
    groups = groups_of(br.Scores([1.0, 2.0], y, impostor_groups=labels))
    return lambda beyond, which=1: _design_effect(groups, which,
        np.ones(beyond.size, dtype=bool), beyond)  # fmt: skip


def test_groups_that_repeat_a_score_are_worth_one_and_one_group_or_none_has_no_effect():
    y = np.repeat(np.random.default_rng(1).normal(size=400), 5)
    effect = effect_of(y, np.repeat(np.arange(400), 5))
    assert effect(y > 1.5) == approx(5.0, rel=0.01)
    fit = fit_tails(TailScores("impostor", y, None, effect), "upper", (100, 200)).fits[0]
    assert (fit.k, fit.n) == approx((20.0, 400.0), rel=0.01)
    y = np.linspace(0.0, 1.0, 20)
    single = effect_of(y, np.zeros(20, dtype=int))
    assert (single(y > 0.5), single(np.array([True, False]), 0)) == (1.0, 1.0)
    # Two groups of 2 scores, of which 2 and 0 are marked: 1/2 each way, twice as much as
    # alone.
    y = np.array([1.0, 1.0, 0.0, 0.0, 1.0, 0.0])
    # sums of (marked - 1/2) by group: 1, -1, 0; variance (1 + 1)/36 * 3/2, alone 1/4 / 6.
    assert effect_of(y, [0, 0, 1, 1, 2, 2])(y > 0.5) == approx((2.0 / 36.0 * 1.5) / (0.25 / 6.0))
