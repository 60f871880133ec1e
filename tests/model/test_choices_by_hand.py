"""Chosen thresholds whose rates a hand computes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from scipy.spatial import ConvexHull

import betaroc as br
from betaroc.model.criteria import hull_vertices
from betaroc.model.operating_points import exact_weight, nearest_balance


@pytest.mark.parametrize(("sample", "alpha"), [("client", 0.55), ("impostor", 0.6)])
def test_a_precision_is_met_while_the_sample_stands_still(sample: str, alpha: float) -> None:
    """pi TPR = P (pi TPR + (1 - pi) FAR): a quantile of the other class between two scores."""
    counted, smooth = br.Empirical([0.2, 0.5, 0.7]), br.Beta(4, 3)
    model = br.ScoreModel(counted, smooth) if sample == "client" else br.ScoreModel(smooth, counted)
    curve = br.epc(model, model, criterion="precision", alpha=[alpha])
    t = float(curve.threshold[0])
    share, rate = float(np.mean(np.array([0.2, 0.5, 0.7]) > t)), stats.beta(4, 3).sf(t)
    tpr, far = (share, rate) if sample == "client" else (rate, share)
    assert tpr / (tpr + far) == pytest.approx(alpha, rel=1e-9)


def test_without_impostors_every_precision_is_one() -> None:
    model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4), prior=1.0)
    with pytest.warns(br.TargetWarning, match="thresholds reach 1 to 1 there"):
        curve = br.epc(model, model, criterion="precision", alpha=[0.5])
    assert curve.threshold.shape == (1,)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_scan_finds_the_lower_left_hull(seed: int) -> None:
    """As Qhull finds it, from the point of least y to that of least x."""
    rng = np.random.default_rng(seed)
    x, y = np.sort(rng.random(60))[::-1] ** 2, np.sort(rng.random(60)) ** 2
    found = hull_vertices(x, y)
    corner = np.array([[2.0, 2.0], [2.0, y[0]], [x[-1], 2.0]])
    hull = ConvexHull(np.concatenate([np.column_stack([x, y]), corner])).vertices
    np.testing.assert_array_equal(found, np.sort(hull[hull < 60]))


def test_a_point_on_the_diagonal_is_where_sides_change() -> None:
    """TPR, FAR: 1, 1/2 above .1; 1/2, 1/2 above .2; 0, 1/2 above .3."""
    model = br.ScoreModel(br.Empirical([0.2, 0.3]), br.Empirical([0.1, 0.4]))
    found = model.diagonal_crossings()
    assert (found.threshold.tolist(), found.far.tolist(), found.tpr.tolist()) == (
        [0.25], [0.5], [0.5]
    )  # fmt: skip


def test_of_rates_equally_far_apart_the_smaller_ones_are_taken() -> None:
    """FAR 1/2 v FRR 1/4, then 3/4: both clients at .5 go at once."""
    weights = [2.0] * 4
    client, impostor = [0.3, 0.5, 0.5, 0.95], [0.1, 0.2, 0.8, 0.9]
    model = br.ScoreModel(br.Empirical(client, weights), br.Empirical(impostor, weights))
    found = model.eer()
    assert (found.far, found.frr, found.threshold) == (0.5, 0.25, 0.4)
    (t,) = nearest_balance(model._pair, lambda _, far, frr: far - frr).theta.ravel()
    assert t == 0.4


def test_a_weight_is_the_fraction_that_was_meant() -> None:
    for p, q in ((1, 3), (1, 13), (1, 3000), (2999, 3000), (1, 10**9)):
        assert exact_weight(p / q) == Fraction(p, q)
    assert exact_weight(1e-12) == Fraction(1, 10**12)
