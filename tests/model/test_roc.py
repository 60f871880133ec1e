"""The ROC and its other axes: samples against scikit-learn, orientation, hull, DET, precision."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from scipy.spatial import ConvexHull

import betaroc as br
from betaroc import Beta, Empirical, ScoreModel
from betaroc.distributions.inflated import Inflated
from betaroc.model.samples import largest_distance
from helpers.cases import over
from helpers.extras import needs
from helpers.families import CLOSED_PAIRS, model

metrics = needs("sklearn.metrics", "test")

#: scikit-learn divides cumulated counts, as here: one rounding.
RTOL_SAME_COUNTS = 1e-15
#: Sums of areas in another order.
RTOL_SUM = 1e-13


def tied_samples():
    rng = np.random.default_rng(77)
    rows = []
    for k in range(40):
        c = np.round(rng.normal(0.5, 0.6, rng.integers(1, 60)), 1 if k % 2 else 2)
        i = np.round(rng.normal(0.0, 0.6, rng.integers(1, 80)), 1 if k % 2 else 2)
        rows.append((c, i))
    return rows


each_sample = over("sample", dict(enumerate(tied_samples())))


def pooled(sample):
    c, i = sample
    return np.r_[np.ones(c.size), np.zeros(i.size)], np.r_[c, i]


def pair_of(sample, **options):
    return br.ScoreModel(br.Empirical(sample[0]), br.Empirical(sample[1]), **options)


@pytest.mark.simulation
@each_sample
def test_empirical_curves_and_areas_are_scikit_learns(sample):
    """Same points; score >= t there is score > t' here, t' in the gap just below t."""
    y, s = pooled(sample)
    fpr, tpr, thresholds = metrics.roc_curve(y, s, drop_intermediate=False)
    pair = pair_of(sample)
    points = pair.roc().points()
    np.testing.assert_allclose(points.far, fpr, rtol=RTOL_SAME_COUNTS)
    np.testing.assert_allclose(points.tpr, tpr, rtol=RTOL_SAME_COUNTS)
    np.testing.assert_allclose(pair.det().points().frr, 1.0 - tpr, atol=RTOL_SAME_COUNTS)
    assert np.all(points.threshold[1:] < thresholds[1:])
    assert np.all(points.threshold[1:-1] >= thresholds[2:])
    assert pair.auc() == pytest.approx(metrics.roc_auc_score(y, s), rel=RTOL_SUM)
    share = pair.partial_auc(0.0, 0.3, standardized=True)
    assert share == pytest.approx(metrics.roc_auc_score(y, s, max_fpr=0.3), rel=1e-12)
    pair = pair_of(sample, prior=sample[0].size / y.size)
    expected = metrics.average_precision_score(y, s)
    assert pair.average_precision() == pytest.approx(expected, rel=RTOL_SUM)
    assert pair.generic().average_precision() == pytest.approx(expected, rel=1e-12)
    precision, recall, _ = metrics.precision_recall_curve(y, s)
    points = pair.precision_recall().points()
    # scikit-learn adds the point (recall 0, precision 1) where nothing is accepted.
    np.testing.assert_allclose(points.recall[1:], recall[:-1][::-1], rtol=RTOL_SAME_COUNTS)
    np.testing.assert_allclose(points.precision[1:], precision[:-1][::-1], rtol=1e-14)
    assert math.isnan(points.precision[0])


def test_orientation_of_a_smooth_pair_and_its_corners():
    pair = model("beta U", "beta bell")
    x = np.array([1e-6, 0.01, 0.2, 0.5, 0.8, 0.99])
    y = pair.roc().tpr(x)
    np.testing.assert_allclose(pair.roc("impostor").tpr(1.0 - y), 1.0 - x, rtol=1e-9)
    np.testing.assert_allclose(
        pair.roc("impostor").slope(1.0 - y), 1.0 / pair.roc().slope(x), rtol=1e-7
    )
    np.testing.assert_allclose(pair.roc().fpr(y), x, rtol=1e-9)
    np.testing.assert_allclose(pair.det().frr(x), 1.0 - y, rtol=1e-9)
    semi = pair.semi_derivatives()
    assert pair.roc("impostor").slope([0.0, 1.0]).tolist() == [semi.at_zero, semi.at_one]
    np.testing.assert_allclose(pair.far(pair.roc().threshold(x)), x, rtol=1e-9)
    roc = br.ScoreModel(br.Beta(3.0, 2.0), br.Beta(2.0, 4.0)).roc()
    x = np.array([1e-300, 1e-100, 1e-10])
    # K1 = (b_c B_c)^2 / (b_i B_i) with B_c = 1/12, B_i = 1/20: TPR = (FAR / K1)^(2/4).
    k1 = (2.0 / 12.0) ** 2 / (4.0 / 20.0)
    np.testing.assert_allclose(roc.tpr(x)[:2], np.sqrt(x[:2] / k1), rtol=1e-9)
    np.testing.assert_allclose(roc.fpr(roc.tpr(x)), x, rtol=1e-9)
    np.testing.assert_allclose(roc.slope(x)[:2], 0.5 * roc.tpr(x)[:2] / x[:2], rtol=1e-9)


@pytest.mark.simulation
@pytest.mark.parametrize("names", [
    pytest.param(names, id=" v ".join(names), marks=[pytest.mark.nightly] if k % 3 else [])
    for k, names in enumerate(CLOSED_PAIRS)])  # fmt: skip
def test_hull_is_concave_and_above_the_curve(names):
    pair, rejecting = model(*names), "rejecting" in " ".join(names)
    for roc in (pair.roc(), pair.roc("impostor")):
        hull = roc.hull()
        points = hull.points(6000)
        along, up = (
            (points.far, points.tpr) if roc.positive == "client" else (points.frr, points.tnr)
        )
        # Where trials have no score thresholds attain less than [0, 1]; a straight end, or a jump
        # at 0 or 1, is the rest.
        x = np.linspace(along[0], along[-1], 101)
        above = hull.tpr(x)
        assert np.all(above >= roc.tpr(x) - 1e-12)
        assert np.all(np.diff(above[1:-1] if rejecting else above, 2) <= 1e-9)
        assert hull.auc() >= roc.auc() - 1e-14
        along, up = np.append(along, 1.0), np.append(up, 1.0)
        trapezoid = float(np.sum(0.5 * np.diff(along) * (up[1:] + up[:-1])))
        assert hull.auc() == pytest.approx(trapezoid, abs=3e-4)
        assert roc.is_concave == (len(hull.starts) == 0)
    eer = pair.eer("hull")
    assert eer.far == pytest.approx(eer.frr, abs=1e-9)
    crossing = pair.eer()
    assert eer.hter <= max(crossing.far, crossing.frr) + 1e-9
    if not rejecting:
        assert eer.hter <= crossing.hter + 1e-9


@pytest.mark.parametrize(
    "names", [one for one in CLOSED_PAIRS if "rejecting" in " ".join(one)], ids=" v ".join
)
def test_hull_of_the_part_that_thresholds_attain(names):
    """scipy's convex hull of (0, 0), (FAR, 0) and the points; beyond it the straight end."""
    pair = model(*names)
    points = pair.roc().points(4000)
    last = points[-1]
    corners = np.column_stack([points.far, points.tpr])
    around = np.vstack([corners, [last.far, 0.0], [0.0, 0.0]])
    straight = 0.5 * (1.0 - last.far) * (last.tpr + 1.0)
    area = ConvexHull(around).volume + straight
    assert pair.roc().hull().auc() == pytest.approx(area, abs=1e-6)
    assert (last.tpr < 1.0) or (last.far < 1.0)


def test_hulls_of_a_proper_pair_and_of_one_below_the_diagonal():
    laws, x = (br.Beta(3.0, 2.0), br.Beta(2.0, 4.0)), np.linspace(0.0, 1.0, 11)
    roc = br.ScoreModel(*laws).roc()
    assert (len(roc.hull().starts), roc.is_concave) == (0, True)
    np.testing.assert_array_equal(roc.hull().tpr(x), roc.tpr(x))
    below = br.ScoreModel(*laws[::-1]).roc().hull()
    np.testing.assert_allclose(below.tpr(x), x, atol=1e-14)
    assert below.auc() == pytest.approx(0.5, rel=1e-12)


def polyline(client, impostor):
    """The attainable points, FAR ascending."""
    corners = [(Fraction(0), Fraction(0))]
    for place in sorted({*client, *impostor}, reverse=True):
        far, tpr = (
            Fraction(sum(s >= place for s in scores), len(scores)) for scores in (impostor, client)
        )
        corners.append((far, tpr))
    return corners


def heights(curve, x):
    """Of the curve at x: two where it is vertical."""
    found = []
    for (x0, y0), (x1, y1) in pairwise(curve):
        if x0 <= x <= x1:
            found += [y0, y1] if x0 == x1 else [y0 + (y1 - y0) * (x - x0) / (x1 - x0)]
    return found


def leaders(one, two):
    """Who is the higher, from the limits at both ends of each stretch between corners."""
    places = sorted({x for x, _ in one} | {x for x, _ in two})
    found = []
    for low, high in pairwise(places):
        differences = (
            max(heights(one, low)) - max(heights(two, low)),
            min(heights(one, high)) - min(heights(two, high)),
        )
        for d in differences:
            if d != 0 and (not found or found[-1] != (1 if d > 0 else 2)):
                found.append(1 if d > 0 else 2)
    return tuple(found) or (0,)


def roc_of(client, impostor):
    return ScoreModel(Empirical(client), Empirical(impostor)).roc()


# The first four: a root at a corner, none near FAR = 1, the limit from below of a jump, a jump of
# both curves at one FAR.
CASES = [
    ([7, 0, 1, 2, 6, 3], [2, 1, 3, 7, 1, 1, 0], [0, 6, 6], [5]),
    ([1, 1, 0], [0, 1], [1, 1, 1, 2, 2], [1, 1, 2]),
    ([2, 7, 5, 0], [6, 5, 3], [0, 3, 5], [0, 1, 6, 4]),
    ([3, 1, 0, 5, 5, 6, 3], [6, 0, 5], [0, 1], [0, 3, 2, 5, 0, 2]),
]
RNG = np.random.default_rng(4)
CASES += [[RNG.integers(0, 7, n).tolist() for n in RNG.integers(1, 8, 4)] for _ in range(20)]


@pytest.mark.simulation
def test_crossings_of_samples_are_those_of_exact_polylines():
    for a, b, c, d in CASES:
        one, two = polyline(a, b), polyline(c, d)
        found = roc_of(a, b).crossings(roc_of(c, d))
        assert found.leaders == leaders(one, two), (a, b, c, d)
        for point in zip(found.far.tolist(), found.tpr.tolist(), strict=True):
            far, tpr = (Fraction(x).limit_denominator(10**6) for x in point)
            for curve in (one, two):
                assert min(heights(curve, far)) <= tpr <= max(heights(curve, far)), (a, b, c, d)


@pytest.mark.simulation
@pytest.mark.parametrize(("away", "crossings"), [(1e-6, 2), (-1e-6, 0)])
def test_two_crossings_close_together(away, crossings):
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


@pytest.mark.parametrize("shapes", [(2.02, 3.01), (0.5, 0.5)])
@pytest.mark.parametrize(("n", "digits"), [(1, 2), (2, 17), (511, 17), (513, 2), (3000, 17)])
def test_it_is_the_distance_of_kolmogorov(n, shapes, digits):
    drawn = np.random.default_rng(n).beta(2.0, 3.0, n)
    x = np.sort(np.clip(np.round(drawn, digits), 1e-9, 1.0 - 1e-9))
    upto = np.arange(1, n + 1) / n
    expected = stats.kstest(x, stats.beta(*shapes).cdf).statistic
    assert largest_distance(Beta(*shapes), x, upto, upto - 1.0 / n) == pytest.approx(
        expected, rel=1e-12, abs=1e-15
    )


def test_jumps_of_the_distribution_count():
    """A mass of a half at 1 where no score lies: just below 1 all scores are passed."""
    law, places = Inflated(Beta(1.0, 1.0), at_one=0.5), np.array([0.5, 1.0])
    found = largest_distance(law, places, np.array([1.0, 1.0]), np.array([0.0, 1.0]))
    assert found == pytest.approx(0.75, rel=1e-15)
    quarter = largest_distance(law, places, np.array([0.25, 1.0]), np.array([0.0, 0.25]))
    assert quarter == pytest.approx(0.25, rel=1e-15)
