"""What every pair of laws must do: closed form = generic = dense oracle."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, ndtr, ndtri

import betaroc as br
from betaroc.distributions.pairs import Pair
from helpers.cases import grouped, one_of
from helpers.families import CLOSED_PAIRS, PAIRS, model, pairs_of_names

#: A closed form against quadrature or a bracketed root of the same quantity.
RTOL_CLOSED_FORM = 1e-10
#: Trapezoids along a curve of 4000 points.
ATOL_TRAPEZOID = 2e-5
#: Rates that are equal up to the rounding of differences of rates.
ATOL_RATE = 1e-12

ALPHAS = (0.0, 0.05, 0.1, 0.3, 0.5, 0.75, 0.9, 1.0)
LEVELS = np.array([0.0, 1e-6, 0.01, 0.1, 0.3, 0.5, 0.8, 0.99, 1.0])


def point(p):
    return np.array([p.far, p.frr, p.tpr, p.tnr])


def of_ends(m):
    ends = m.ends().at_zero, m.ends().at_one
    return [v for e in ends for v in (e.semi_derivative, e.roc_slope, e.exponent, e.coefficient)]


#: Name -> answer of a model.
ANSWERS = {
    "far": lambda m: m.far([-0.2, 0.0, 0.1, 0.4, 0.5, 0.9, 1.0, 1.3]),
    "frr": lambda m: m.frr([-0.2, 0.0, 0.1, 0.4, 0.5, 0.9, 1.0, 1.3]),
    "at": lambda m: point(m.at([0.0, 0.2, 0.7])).ravel(),
    "frr at far": lambda m: m.at_far(LEVELS).frr,
    "far at frr": lambda m: m.at_frr(np.maximum(LEVELS, m.frr(-np.inf))).far,
    "auc": lambda m: m.auc(),
    "partial auc": lambda m: [m.partial_auc(0.0, 0.1), m.partial_auc(0.2, 0.7, True)],
    "eer": lambda m: point(m.eer()),
    "ks": lambda m: m.ks(),
    "youden": lambda m: point(m.youden()),
    "weighted error": lambda m: [point(m.min_weighted_error(w))[:2] for w in ALPHAS],
    "min dcf": lambda m: point(m.min_dcf(1.0, 10.0)),
    "max f": lambda m: [m.max_f().f1, m.max_f(0.2).f(0.2)],
    "break even": lambda m: point(m.break_even()),
    "crossings": lambda m: m.diagonal_crossings().far,
    "inflections": lambda m: point(m.inflections()).ravel(),
    "global shape": lambda m: m.global_shape(),
    "ends": of_ends,
    "sides": lambda m: f"{m.ends().at_zero.side}, {m.ends().at_one.side}",
    "average precision": lambda m: [m.average_precision(), m.average_precision(11)],
    "roc": lambda m: [f(LEVELS) for f in (m.roc().tpr, m.roc().fpr, m.roc().slope)],
    "reflected": lambda m: [
        f(LEVELS) for r in [m.roc("impostor")] for f in (r.tpr, r.fpr, r.slope)
    ],
    "concave": lambda m: str(m.roc().is_concave),
    "hull": lambda m: m.roc().hull().tpr([0.05, 0.4, 0.9]),
    "hull eer": lambda m: m.eer("hull").hter,
}


def agree(first, second):
    if isinstance(first, str):
        assert first == second
    else:
        assert_allclose(first, second, rtol=RTOL_CLOSED_FORM, atol=ATOL_RATE)


@cache
def generic(client, impostor):
    return model(client, impostor).generic()


#: A row of five by day, of each pair other answers; all at night.
CLOSED = one_of(itertools.product(ANSWERS, CLOSED_PAIRS), 13)
AT_NIGHT = [k for k in CLOSED["others"] if int(k) % 5 != 1]
CLOSED["nightly"] = {k: CLOSED["others"].pop(k) for k in AT_NIGHT}


@grouped("row", CLOSED)
def test_closed_forms_equal_the_generic_algorithms(row):
    answer, names = row
    pair, other = model(*names), generic(*names)
    assert type(pair._pair) is not Pair
    assert type(other._pair) is Pair
    agree(ANSWERS[answer](pair), ANSWERS[answer](other))


def swapped(pair):
    return br.ScoreModel(pair.impostor, pair.client, prior=1.0 - pair.prior)


_PLACES = np.concatenate([expit(np.linspace(-40.0, 36.0, 10_000)), np.linspace(-7.0, 7.0, 10_000)])


@cache
def dense(pair):
    """Twenty thousand thresholds, and all jumps from both sides."""
    places = np.concatenate([pair.client.atoms.places, pair.impostor.atoms.places])
    jumps = [places, np.nextafter(places, -np.inf), [-np.inf, np.inf]]
    return pair.at(np.unique(np.concatenate([_PLACES, *jumps])))


def corners(pair):
    """FAR and TPR to (1, 1), which no threshold attains where trials have no score."""
    probes = dense(pair)[::-1]
    return np.append(probes.far, 1.0), np.append(probes.tpr, 1.0)


each_pair = pairs_of_names(PAIRS)


@pytest.mark.simulation
@each_pair
def test_thresholds_chosen_beat_every_probe(names):
    pair = model(*names)
    probes = dense(pair)
    for alpha in ALPHAS:
        best = pair.min_weighted_error(alpha)
        value, least = best.weighted_error(alpha), np.min(probes.weighted_error(alpha))
        assert value <= least * (1.0 + 1e-9) + 1e-15
        assert value >= least - 1e-5  # probes are 0.0014 apart: the curvature term is below this
        if best.threshold >= 1.0 - 2.0**-53 and best.logit_threshold < math.inf:
            continue  # the limit at 1 from below, which no double attains
        assert_allclose(point(pair.at(best.threshold))[:2], point(best)[:2], rtol=0, atol=1e-9)
    assert pair.min_dcf(1.0, 4.0).dcf(1.0, 4.0) <= np.min(probes.dcf(1.0, 4.0)) + ATOL_RATE
    assert pair.youden().youden >= np.max(probes.youden) - ATOL_RATE
    for weight in (0.2, 0.5, 0.9):
        assert pair.max_f(weight).f(weight) >= np.nanmax(probes.f(weight)) - ATOL_RATE
    gap = np.max(np.abs(probes.tpr - probes.far))
    assert pair.ks() == pytest.approx(gap, abs=1e-5)
    assert pair.ks() >= gap - ATOL_RATE
    eer = pair.eer()
    assert abs(eer.far - eer.frr) <= np.min(np.abs(probes.far - probes.frr)) + ATOL_RATE
    if all(law.continuous == (1.0, law) for law in (pair.client, pair.impostor)):
        assert eer.far == pytest.approx(eer.frr, rel=1e-11)


@pytest.mark.simulation
@each_pair
def test_curves_and_areas_are_those_of_the_attainable_points(names):
    pair = model(*names)
    probes, at = dense(pair), np.array([0.003, 0.02, 0.11, 0.26, 0.37, 0.52, 0.73, 0.94])
    for roc, x, y in (
        (pair.roc(), *corners(pair)),
        (pair.roc("impostor"), np.append(0.0, probes.frr), np.append(0.0, probes.tnr)),
    ):
        # Thresholds are 0.0014 apart and logits 0.0076: the steepest curve moves this much.
        for values, of, to in ((roc.tpr(at), x, y), (roc.fpr(at), y, x)):
            assert np.all(values >= np.interp(at - 1e-3, of, to) - 1e-3)
            assert np.all(values <= np.interp(at + 1e-3, of, to) + 1e-3)
        # tpr is the top and fpr the left end: a pair of lower and upper inverses.
        # At a jump of one law the other's quantile may round to the wrong side.
        near = 0.0 if pair._pair.discrete else 1e-12
        assert np.all(roc.tpr(np.minimum(roc.fpr(at) + near, 1.0)) >= at - 1e-9)
        assert np.all(roc.fpr(np.maximum(roc.tpr(at) - near, 0.0)) <= at + 1e-9)
    (far, tpr), area = corners(pair), pair.auc()
    trapezoid = float(np.sum(0.5 * np.diff(far) * (tpr[1:] + tpr[:-1])))
    assert area == pytest.approx(trapezoid, abs=ATOL_TRAPEZOID)
    assert pair.roc().auc() == area
    assert pair.roc("impostor").auc() == pytest.approx(area, rel=1e-12)
    assert swapped(pair).auc() == pytest.approx(1.0 - area, abs=1e-12)
    chance, full = 0.5 * (0.3**2 - 0.05**2), 0.25
    expected = 0.5 * (1.0 + (pair.partial_auc(0.05, 0.3) - chance) / (full - chance))
    assert pair.partial_auc(0.05, 0.3, standardized=True) == pytest.approx(expected, rel=1e-12)


def test_a_crossing_far_beyond_two_narrow_laws():
    # F_c = F_i where (t - mu_c) / sigma_c = (t - mu_i) / sigma_i.
    client, impostor = br.Normal(0.3, 5e-10), br.Normal(-7.3e-8, 2.9e-8)
    crossing = br.ScoreModel(client, impostor).diagonal_crossings()
    expected = (0.3 * 2.9e-8 - -7.3e-8 * 5e-10) / (2.9e-8 - 5e-10)
    assert crossing.threshold == pytest.approx([expected], rel=1e-12)


def signs_of(height, scale):
    """Without those that rounding may have made."""
    signs = np.sign(np.where(np.abs(height) > 1e-11 * scale, height, 0.0))
    return signs[signs != 0.0]


@pytest.mark.simulation
@each_pair
def test_crossings_and_shape_against_signs_on_the_dense_grid(names):
    pair = model(*names)
    probes, crossings, ends = dense(pair), pair.diagonal_crossings(), pair.ends()
    assert_allclose(crossings.far, crossings.tpr, atol=ATOL_RATE)
    assert_allclose(crossings.frr, 1.0 - crossings.tpr, atol=ATOL_RATE)
    place = crossings.threshold
    assert np.all(np.diff(place) >= 0.0)
    if names[0] == names[1]:
        assert (place.size, pair.global_shape()) == (0, "chance")
        assert pair.auc() == pytest.approx(0.5)
        return
    upper = probes.tpr + probes.far <= 1.0
    signs = signs_of(
        np.where(upper, probes.tpr - probes.far, probes.tnr - probes.frr),
        np.where(upper, probes.tpr + probes.far, probes.tnr + probes.frr),
    )
    # Probes reach 1e-17 and 1 - 2e-16; tails of two kinds may cross once more beyond.
    reached = probes.threshold[np.isfinite(probes.threshold)]
    within = (place > reached.min()) & (place < reached.max())
    inside = (place > 1e-16) & (place < 1.0 - 1e-14)
    visible = np.where(np.isfinite(crossings.logit_threshold), inside, within)
    assert np.count_nonzero(visible) == np.count_nonzero(np.diff(signs))
    if np.all(visible):
        shapes = {
            (0, 1): "proper",
            (0, -1): "below",
            (1, 1): "hook-at-one",
            (1, -1): "hook-at-zero",
        }
        assert pair.global_shape() == shapes.get((place.size, signs[0]), "several-crossings")
        for end, sign in ((ends.at_zero, signs[0]), (ends.at_one, signs[-1])):
            assert end.side == ("above" if sign > 0.0 else "below")


@each_pair
def test_slopes_at_the_ends_are_the_semi_derivatives(names):
    pair = model(*names)
    zero, one = pair.ends().at_zero, pair.ends().at_one
    semi = zero.semi_derivative, one.semi_derivative
    assert pair.semi_derivatives() == semi
    reflected, upright = pair.roc("impostor"), pair.roc()
    assert (reflected.slope(0.0), reflected.slope(1.0)) == semi
    assert (upright.slope(0.0), upright.slope(1.0)) == (one.roc_slope, zero.roc_slope)
    for end in (zero, one):
        both = end.semi_derivative, end.roc_slope
        assert math.prod(both) == pytest.approx(1.0) or set(both) == {0.0, math.inf}


@pairs_of_names(
    [p for p in PAIRS if "empirical" not in p[0] + p[1] and "inflated" not in p[0] + p[1]]
)
def test_slope_is_the_derivative_and_the_density_ratio(names):
    pair, h = model(*names), 1e-5
    x = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    for roc in (pair.roc(), pair.roc("impostor")):
        rise = (roc.tpr(x + h) - roc.tpr(x - h)) / (2.0 * h)
        # Corners where one law's support ends have two slopes.
        support = [*pair.client.support, *pair.impostor.support]
        smooth = ~(np.isin(roc.threshold(x), support) | (roc.tpr(x) > 1.0 - 1e-3))
        assert_allclose(roc.slope(x)[smooth], rise[smooth], rtol=1e-5, atol=1e-9)


def random_beta_pairs(n):
    rng = np.random.default_rng(33)
    for k in range(n):
        a_c, b_c, a_i, b_i = np.exp(rng.uniform(math.log(0.2), math.log(9.0), 4)).round(3).tolist()
        a_i = a_c if k % 5 == 1 or k % 25 == 3 else a_i
        yield a_c, b_c, a_i, b_c if k % 5 == 2 or k % 25 == 3 else b_i


def theorem(a, b):
    """Shape, crossings, sides at zero and at one from the signs of the differences."""
    if a == 0.0 and b == 0.0:
        return "chance", 0, "on", "on"
    if a >= 0.0 >= b or a <= 0.0 <= b:
        side = "above" if a >= 0.0 >= b else "below"
        return ("proper" if side == "above" else side), 0, side, side
    if a > 0.0:
        return "hook-at-one", 1, "above", "below"
    return "hook-at-zero", 1, "below", "above"


@pytest.mark.simulation
@grouped("shapes", one_of(random_beta_pairs(150), 6))
def test_the_two_ends_decide_the_whole_curve(shapes):
    a_c, b_c, a_i, b_i = shapes
    pair = br.ScoreModel(br.Beta(a_c, b_c), br.Beta(a_i, b_i))
    shape, crossings, *sides = theorem(a_c - a_i, b_c - b_i)
    ends, places = pair.ends(), pair.diagonal_crossings()
    assert pair.global_shape() == shape
    assert (len(places), len(pair.inflections())) == (crossings, crossings)
    assert [ends.at_zero.side, ends.at_one.side] == sides
    assert pair.roc().is_concave == (shape in ("proper", "chance"))


BINORMAL = [(1.0, 1.0, 0.0, 2.0), (0.5, 2.0, 0.0, 1.0), (1.5, 1.0, 0.2, 1.0), (-1.0, 0.5, 0.0, 3.0)]


@pytest.mark.parametrize("kind", [br.Normal, br.LogitNormal])
@pytest.mark.parametrize("numbers", BINORMAL)
def test_binormal_formulas(kind, numbers):
    mu_c, sigma_c, mu_i, sigma_i = numbers
    pair = br.ScoreModel(kind(mu_c, sigma_c), kind(mu_i, sigma_i))
    place = "threshold" if kind is br.Normal else "logit_threshold"
    a, b = (mu_c - mu_i) / sigma_c, sigma_i / sigma_c
    x = np.array([1e-9, 0.01, 0.2, 0.6, 0.99])
    assert_allclose(pair.roc().tpr(x), ndtr(a + b * ndtri(x)), rtol=1e-9)
    centre = (mu_c * sigma_i + mu_i * sigma_c) / (sigma_c + sigma_i)
    assert getattr(pair.eer(), place) == pytest.approx(centre, abs=1e-12)
    for end in (pair.ends().at_zero, pair.ends().at_one):
        assert (end.exponent, end.coefficient) == pytest.approx((1 / b**2, math.nan), nan_ok=True)
    if b == 1.0:
        assert pair.global_shape() == "proper"
        assert pair.eer("hull") == pair.eer()
        assert (len(pair.diagonal_crossings()), len(pair.inflections())) == (0, 0)
        return
    crossing, turn = pair.diagonal_crossings()[0], pair.inflections()[0]
    assert getattr(crossing, place) == pytest.approx(mu_i - sigma_i * a / (1.0 - b))
    assert getattr(turn, place) == pytest.approx(mu_i - sigma_i * a * b / (1.0 - b * b))
    assert pair.global_shape() == ("hook-at-zero" if b < 1.0 else "hook-at-one")
    assert pair.semi_derivatives() == ((0.0, 0.0) if b < 1.0 else (math.inf, math.inf))


@pytest.mark.parametrize(("pc", "pi"), [((0.1, 0.2), (0.3, 0.05)), ((0.0, 0.2), (0.3, 0.0))])
def test_inflated_pairs(pc, pi):
    """Straight segments at the ends: (0, 0)-(p1i, p1c) and (1-p0i, 1-p0c)-(1, 1)."""
    c, i = br.Beta(2.0, 1.5), br.Beta(0.8, 2.0)
    pair = br.ScoreModel(br.Inflated(c, *pc), br.Inflated(i, *pi))
    (p0c, p1c), (p0i, p1i) = pc, pi
    if p1i > 0.0:
        assert pair.roc().tpr(p1i / 3.0) == pytest.approx(p1c / 3.0)
    if p0i > 0.0:
        assert pair.roc().tpr(1.0 - p0i / 4.0) == pytest.approx(1.0 - p0c / 4.0)
    for value, i, c in zip(pair.semi_derivatives(), pi, pc, strict=True):
        assert value == pytest.approx(math.inf if c == 0.0 else i / c)


def test_areas_and_equal_errors_of_mixed_pairs():
    values = np.array([0.15, 0.4, 0.4, 0.62, 0.93])
    laws = [br.Beta(2.0, 3.0), br.Normal(0.4, 0.5), br.LogitNormal(-0.3, 1.0)]
    for law in (*laws, br.Inflated(br.Beta(2.0, 3.0), 0.1, 0.2)):
        pair = br.ScoreModel(br.Empirical(values), law)
        assert pair.auc() == pytest.approx(np.mean(law.cdf(values)), rel=1e-14)
        assert swapped(pair).auc() == pytest.approx(np.mean(law.sf(values)), rel=1e-14)
    # FRR is 1/4 on [.1, .3), 1/2 on [.3, .5); FAR = (1 - t)^2 is .49 at .3: the jump decides.
    eer = br.ScoreModel(br.Empirical([0.1, 0.3, 0.5, 0.9]), br.Beta(1.0, 2.0)).eer()
    assert eer.threshold == pytest.approx(0.3, abs=1e-15)
    assert eer.hter == pytest.approx((0.49 + 0.5) / 2, rel=1e-12)
    eer = br.ScoreModel(br.Empirical([0.1, 0.2, 0.5, 0.9]), br.Beta(1.0, 2.0)).eer()
    assert (eer.threshold, eer.far) == pytest.approx((1.0 - math.sqrt(0.5), 0.5), rel=1e-12)


@pytest.mark.parametrize("names", [
    ("beta U", "beta bell"), ("empirical", "empirical weighted"), ("empirical", "beta U"),
    ("inflated beta", "normal"),
])  # fmt: skip
def test_nan_and_shapes(names):
    pair, table = model(*names), np.array([[0.2, math.nan], [0.5, 1.0]])
    functions = [pair.far, pair.frr, pair.threshold_at_far, pair.threshold_at_frr]
    functions += [f for r in (pair.roc(), pair.roc("impostor")) for f in (r.tpr, r.fpr, r.slope)]
    for function in functions:
        out = function(table)
        assert_array_equal(np.isnan(out), np.isnan(table))
        assert type(function(0.25)) is float
        assert math.isnan(function(math.nan))
        assert_array_equal(out[1], function([0.5, 1.0]))
    for function, bad in itertools.product(functions[2:], (-0.1, 1.1)):
        with pytest.raises(br.InputError):
            function(bad)
    assert pair.at(table).hter.shape == (2, 2)
