"""Curves of classes with and without point masses against polylines of their own formulas."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import spatial, stats

import betaroc as br

#: Of each class the continuous share, its two shapes and the point masses, -inf of no score.
MIXED = {
    "inflated": ((0.8, 3, 2, {0: 0.1, 1: 0.1}), (0.6, 2, 3, {0: 0.2, 1: 0.2})),
    "scored": ((1.0, 3, 2, {}), (0.0, 1, 1, {0.2: 0.25, 0.4: 0.5, 0.7: 0.25})),
    "scores": ((0.0, 1, 1, {0.3: 0.25, 0.6: 0.5, 0.9: 0.25}), (1.0, 2, 3, {})),
    "crossing": ((1.0, 1.2, 0.6, {}), (1.0, 3, 4, {})),
    "absent": ((0.765, 2, 1.5, {-np.inf: 0.15, 0: 0.085}), (0.7, 1, 2, {-np.inf: 0.3})),
}  # fmt: skip


def _law(share, a, b, masses):
    if not share:
        return br.Empirical(np.repeat([*masses], [int(4 * m) for m in masses.values()]))
    absent = masses.get(-np.inf, 0.0)
    ends = [masses.get(end, 0.0) / (1.0 - absent) for end in (0, 1)]
    law = br.Inflated(br.Beta(a, b), *ends) if any(ends) else br.Beta(a, b)
    return br.Rejecting(law, absent) if absent else law


@pytest.mark.parametrize("name", MIXED)
def test_what_a_curve_is_at_a_polyline(name):
    """Its points from (0, 0) on: thresholds from 1 down to 0, before and at each mass."""
    places = sorted({place for law in MIXED[name] for place in law[3] if place >= 0.0})
    t = np.sin(np.linspace(0.0, 0.5 * np.pi, 4001)) ** 2
    t = np.sort(np.concatenate([t, np.repeat(places, 1 + ~np.isin(places, t))]))[::-1]
    accepts = np.isin(t, places) & (np.append(t[1:], np.nan) != t)  # the second one, just below

    def above(share, a, b, masses):
        rate = share * stats.beta.sf(t, a, b)
        for place, mass in masses.items():
            rate += mass * ((t < place) | ((t == place) & accepts))
        return np.concatenate([[0.0], rate, [1.0]])

    tpr, far = (above(*law) for law in MIXED[name])
    t = np.concatenate([[np.inf], t, [-np.inf]])
    model = br.ScoreModel(*(_law(*law) for law in MIXED[name]), prior=0.3)
    x = np.array([0.013, 0.11, 0.23, 0.31, 0.47, 0.55, 0.61, 0.83, 0.94])
    turned = model.roc(positive="impostor")
    for curve, a, b in ((model.roc(), far, tpr), (turned, 1.0 - tpr[::-1], 1.0 - far[::-1])):
        assert_allclose(curve.tpr(x), np.interp(x, a, b), atol=2e-6)
        assert_allclose(curve.fpr(x), np.interp(x, b, a), atol=2e-6)
        k = np.searchsorted(a, x)  # at the end of the step that holds x
        assert_allclose(curve.slope(x), (b[k] - b[k - 1]) / (a[k] - a[k - 1]), rtol=0.02)
    gap = (tpr - far)[keep := np.abs(tpr - far) > 1e-12]
    k, y = np.flatnonzero(gap[1:] * gap[:-1] < 0.0), far[keep]
    at = y[k] + gap[k] / (gap[k] - gap[k + 1]) * (y[k + 1] - y[k])
    assert_allclose(np.ravel(model.diagonal_crossings().far)[::-1], at, atol=1e-6)
    hull = spatial.ConvexHull(np.stack([[*far, 1.0], [*tpr, 0.0]], axis=1)).volume
    area = 0.5 * np.diff(far) @ (tpr[1:] + tpr[:-1])
    assert model.roc().is_concave == (hull < area + 1e-9)
    if name == "scored":  # the others take long
        assert model.roc().hull().auc() == pytest.approx(hull, abs=1e-6)
    with np.errstate(invalid="ignore"):
        p = np.nan_to_num(0.3 * tpr / (0.3 * tpr + 0.7 * far))
    middle = np.where(t[1:] == t[:-1], p[1:], 0.5 * (p[1:] + p[:-1]))  # a mass counts as a whole
    middle[-1] = 0.3  # of trials without a score
    inner = np.mean(np.interp(0.13 + 0.44 * (np.arange(40_000) + 0.5) / 40_000, far, tpr))
    assert_allclose([model.auc(), model.partial_auc(0.13, 0.57)], [area, 0.44 * inner], atol=1e-5)
    assert model.average_precision() == pytest.approx(np.diff(tpr) @ middle, abs=1e-4)
    far, tpr, p, t = far[:-1], tpr[:-1], p[:-1], t[:-1]  # what thresholds attain
    assert model.ks() == pytest.approx(np.max(np.abs(tpr - far)), abs=1e-7)
    for weight in (0.2, 0.9):
        point, some = model.max_f(weight), tpr > 0.0
        best = 1.0 / (weight / point.precision + (1.0 - weight) / point.tpr)
        f = 1.0 / (weight / p[some] + (1.0 - weight) / tpr[some])
        assert best == pytest.approx(np.max(f), abs=1e-6)
    for rate in (0.16, 0.27, 0.77, 0.99):
        low, high = np.flatnonzero(far <= rate)[-1], np.flatnonzero(1.0 - tpr <= rate)[0]
        for point, k in ((model.at_far(rate), low), (model.at_frr(rate), high)):
            places = [max(point.threshold, 0.0), point.far, point.tpr]
            assert_allclose(places, [t[k], far[k], tpr[k]], atol=3e-3)


def test_a_dent_between_falling_slopes_and_ends_by_width_then_by_centre():
    """Slopes 1.8, 0.8, 1.0 and 0.4 are no hull; the wider class is the heavier at both ends."""
    counts = np.arange(4.0, 0.0, -1.0)
    client, impostor = np.repeat(counts, [9, 4, 5, 2]), np.repeat(counts, 5)
    assert not br.Roc(br.Empirical(client), br.Empirical(impostor)).is_concave
    for client, impostor, one, zero in (
        ((1, 1), (0, 1), (0.0, 1.0, "above"), (np.inf, 1.0, "above")),
        ((0, 1), (1, 1), (np.inf, 1.0, "below"), (0.0, 1.0, "below")),
        ((0, 2), (1, 1), (0.0, 4.0, "above"), (0.0, 4.0, "below")),
        ((0, 1), (5, 2), (np.inf, 0.25, "below"), (np.inf, 0.25, "above")),
    ):
        ends = br.ScoreModel(br.Normal(*client), br.Normal(*impostor)).ends()
        for end, expected in ((ends.at_one, one), (ends.at_zero, zero)):
            assert (end.semi_derivative, end.exponent, end.side) == expected
