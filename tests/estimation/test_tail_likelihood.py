"""Tails against mpmath's derivative-free arithmetic, a dense grid, and copies of scores."""

from __future__ import annotations

import math

import mpmath as mp  # type: ignore[import-untyped]
import numpy as np
import pytest
from scipy import stats

from betaroc.estimation.tails import fit_tail, grid_of, penalised

ONES = np.ones(50)


def drawn(shape: float, seed: int = 1) -> np.ndarray:
    return np.sort(stats.genpareto.rvs(shape, scale=0.4, size=50, random_state=seed))


def exact(x: np.ndarray, shape: mp.mpf, log_scale: mp.mpf) -> mp.mpf:
    """The penalised likelihood by its definition."""
    s = mp.e**log_scale
    logs = mp.fsum(mp.log(1 + shape * mp.mpf(float(v)) / s) for v in x)
    return -len(x) * log_scale - (1 + 1 / shape) * logs - shape**2 / (2 * mp.mpf("0.0625"))


@pytest.mark.parametrize("shape", [-0.6, -0.1, -1e-3, 1e-3, 0.4, 1.0])
def test_the_likelihood_is_its_definition(shape: float) -> None:
    x = drawn(-0.4)
    at = (np.array([shape]), np.array([0.3]))
    with mp.workdps(40):
        expected = float(exact(x, mp.mpf(shape), mp.mpf("0.3")))
    assert penalised(x, ONES, *at)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("shape", [-0.7, -0.2, 0.0, 0.3, 0.9])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_mode_has_no_slope(shape: float, seed: int) -> None:
    x = drawn(shape, seed)
    fit = fit_tail(0.0, x, ONES, 1000.0)
    with mp.workdps(30):
        place = (mp.mpf(fit.shape), mp.log(mp.mpf(fit.scale)))
        slope = [mp.diff(lambda a, b: exact(x, a, b), place, n) for n in ((1, 0), (0, 1))]
        bend = [mp.diff(lambda a, b: exact(x, a, b), place, n) for n in ((2, 0), (0, 2), (1, 1))]
    assert all(abs(float(one)) < 1e-6 for one in slope)
    assert float(bend[0]) < 0.0 < float(bend[0] * bend[1] - bend[2] ** 2)


@pytest.mark.simulation
@pytest.mark.parametrize("shape", [-0.3, 0.2])
def test_the_grid_is_the_integral(shape: float) -> None:
    """Moments against 400 by 400 points over a range that holds all; a rim holds a thousandth."""
    x = drawn(shape)
    grid = grid_of(fit_tail(0.0, x, ONES, 1000.0))
    shapes, logs = np.meshgrid(np.linspace(-1.2, 1.6, 400), np.linspace(-3.5, 1.5, 400))
    height = penalised(x, ONES, shapes, logs)
    weight = np.exp(height - height.max())
    weight /= weight.sum()
    assert np.sum(grid.weight) == pytest.approx(1.0)
    for dense, coarse in ((shapes, grid.shape), (logs, np.log(grid.scale))):
        mean = float(np.sum(weight * dense))
        spread = math.sqrt(float(np.sum(weight * (dense - mean) ** 2)))
        assert np.sum(grid.weight * coarse) == pytest.approx(mean, abs=0.03 * spread)
        variance = np.sum(grid.weight * (coarse - mean) ** 2)
        assert math.sqrt(variance) == pytest.approx(spread, rel=0.03)


def test_copies_are_weights_and_the_design_effect_undoes_them() -> None:
    x = drawn(0.1)
    once = fit_tail(0.5, x, ONES, 1000.0)
    copies = fit_tail(0.5, np.repeat(x, 3), np.ones(150), 3000.0)
    weighted = fit_tail(0.5, x, 3.0 * ONES, 3000.0)
    undone = fit_tail(0.5, x, 3.0 * ONES, 3000.0, design_effect=3.0)
    assert copies.shape == pytest.approx(weighted.shape, abs=1e-9)
    assert copies.scale == pytest.approx(weighted.scale, rel=1e-9)
    assert (undone.shape, undone.scale) == pytest.approx((once.shape, once.scale), rel=1e-9)
    assert (undone.k, undone.mass) == pytest.approx((50.0, 0.05))
    assert abs(weighted.shape) > abs(once.shape)  # the penalty weighs less


def test_units_of_the_coordinate_are_those_of_the_scale() -> None:
    x = drawn(0.2)
    one, other = fit_tail(0.0, x, ONES, 1e3), fit_tail(0.0, 1e6 * x, ONES, 1e3)
    assert other.shape == pytest.approx(one.shape, abs=1e-9)
    assert other.scale == pytest.approx(1e6 * one.scale, rel=1e-9)
