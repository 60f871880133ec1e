"""Small cases whose numbers are counted or derived beside them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import spatial, stats

import betaroc as br
from betaroc import Beta, Empirical, Inflated, Normal, ScoreModel
from betaroc.distributions.pairs import pair_of
from betaroc.model.areas import precision_at
from betaroc.model.ends import shape_of_ends
from betaroc.model.improper_regions import hooks_of
from betaroc.model.operating_points import exact_weight
from betaroc.model.samples import roc_distance
from helpers.cases import over, some

INF = math.inf
RISING = ScoreModel(Beta(2, 1), Beta(1, 1), prior=0.25)  # TPR = 1 - theta^2, FAR = 1 - theta
CUBE = ScoreModel(Beta(3.0, 1.0), Beta(1.0, 1.0))  # TPR = 1 - (1 - FAR)^3
WIDE = ScoreModel(Normal(1.0, 2.0), Normal(0.0, 1.0))
HALVED = Inflated(Beta(1.0, 0.01), 0.25, 0.25)
LOW = ScoreModel(
    br.BetaMixture([0.4, 0.6], [Beta(1.5, 2.0), Beta(5.0, 2.0)]),
    br.BetaMixture([0.3, 0.7], [Beta(0.5, 2.0), Beta(2.0, 6.0)]),
)
#: Both densities are 1 at score 0; at 1 the one with Beta(3, 1) alone is not 0.
ONES = [br.BetaMixture([0.5, 0.5], [Beta(1, 2), other]) for other in (Beta(3, 1), Beta(2, 2))]
STEEP = ScoreModel(Empirical([0.2, 0.6, 0.8, 0.9]), Empirical([0.1, 0.5])).roc()
TIES = ScoreModel(Empirical([0.5, 0.9]), Empirical([0.1, 0.5, 0.5, 0.7])).roc()
INSIDE = ScoreModel(Beta(2.0, 2.0), Normal(0.5, 1.0))
LAST = 1.0 - 2.0**-53  # the double before it is 0.69 of a logit below
Z = (math.log(LAST) + 53 * math.log(2.0)) / 6.0
TINY = 5e-324**0.01  # F(x) = x^a
PARETO = [
    br.Spliced(Beta(1, 1), lower=br.ParetoTail(0.25, -0.125, 1.0),
               upper=br.ParetoTail(0.109375, 0.0, scale)) for scale in (0.125, 0.125 * 0.875)
]  # fmt: skip


def of(client, impostor, weights=None, prior=0.5):
    return ScoreModel(Empirical(client, weights), Empirical(impostor, weights), prior=prior)


def eer(found):
    return found.far, found.frr, found.threshold


def hulls(model):
    """FAR and FRR of the EER of the hull, in both orientations."""
    found = [model.roc(positive=who).hull().eer() for who in ("client", "impostor")]
    return [rate for point in found for rate in (point.far, point.frr)]


def part(low, high):
    """Area under CUBE, by powers: h - (1 - (1 - h)^4) / 4 from 0 to h."""
    ends = [-np.expm1(4.0 * np.log1p(-x)) if x < 1 else 1.0 for x in (low, high)]
    return (high - low) - (ends[1] - ends[0]) / 4.0


def concave(client, impostor):
    pair = Inflated(Normal(0.5, 1.0), client), Inflated(Normal(0.5, 1.0), impostor)
    return ScoreModel(*pair).roc().is_concave


def power_of(a, w):
    """c of F ~ c theta^a next to 0, of a share w of Beta(a, 2)."""
    return w / (a * math.gamma(a) * math.gamma(2.0) / math.gamma(a + 2.0))


#: What is found, what it must be, to which relative error.
BY_HAND = {
    "EER: FAR 4/10, FRR 2/10 below .5, 3/10 and 5/10 above: the smaller sum": (
        lambda: eer(of([0.1] * 2 + [0.5] * 3 + [0.9] * 5, [0.1] * 6 + [0.5] + [0.9] * 3).eer()),
        (0.4, 0.2, 0.3), 1e-12),
    "EER: FAR 1/2 v FRR 1/4, then 3/4: both clients at .5 go at once": (
        lambda: eer(of([0.3, 0.5, 0.5, 0.95], [0.1, 0.2, 0.8, 0.9], [2.0] * 4).eer()),
        (0.5, 0.25, 0.4), 0.0),
    "EER of a hull: between (0, 1/2) and (1/2, 1) FAR is u/2 and FRR (1 - u)/2": (
        lambda: hulls(of([0.2, 0.4, 0.8, 0.9], [0.1, 0.15, 0.3, 0.5])), [0.25] * 4, 1e-9),
    "EER between two atoms: from all accepted to (.1, .3), FAR = 1 - .9 u and FRR = .3 u": (
        lambda: hulls(ScoreModel(Inflated(Beta(2, 2), 0.3), Inflated(Beta(2, 2), 0.9))),
        [0.25] * 4, 1e-9),
    "a shift of a class": (
        lambda: (WIDE.shifted(impostor=0.5).client, WIDE.shifted(client=0.5).impostor,
                 WIDE.shifted(client=0.5).client, WIDE.shifted(scale=2.0).client),
        (WIDE.client, WIDE.impostor, Normal(1.5, 2.0), Normal(2.0, 4.0)), 0.0),
    "the exponent of the least a": (lambda: LOW.ends().at_zero.exponent, 1.0 / 3.0, 1e-12),
    "the ratio of leading terms, c_i / c_c^rho": (
        lambda: LOW.ends().at_zero.coefficient,
        power_of(0.5, 0.3) / power_of(1.5, 0.4) ** (1.0 / 3.0), 1e-12),
    "a partial area next to 0, 3 x to first order": (
        lambda: CUBE.partial_auc(0.0, 1e-9), 1.5e-18, 1e-8),
    "partial areas of powers": (
        lambda: [CUBE.partial_auc(0.0, 0.1), CUBE.partial_auc(0.2, 0.7)],
        [part(0.0, 0.1), part(0.2, 0.7)], 1e-8),
    "the distance of TPR = sqrt(x) and x: half of sqrt(1 + 4 s) - 1 - s at s = FAR + TPR = 3/4": (
        lambda: roc_distance(*(ScoreModel(Beta(1, 1), Beta(1, b)) for b in (2, 1))),
        pytest.approx(0.125, abs=1e-5), 0.0),
    "verticals count by their top: TPR at FAR 0 is P(C > max I)": (
        lambda: (STEEP.tpr(0.0), STEEP.fpr(0.75), STEEP.fpr(0.8)), (0.75, 0.0, 0.5), 0.0),
    "ties are straight: corners (0, 0), (0, .5), (.25, .5), (.75, 1), (1, 1)": (
        lambda: [*TIES.tpr([0.0, 0.125, 0.25, 0.5, 0.75, 0.9]), *TIES.fpr([0.5, 0.75, 1.0])],
        [0.5, 0.5, 0.5, 0.75, 1, 1, 0.0, 0.5, 0.75], 1e-12),
    "a class that ends inside the other's support leaves flat parts": (
        lambda: [v for far, near in [(INSIDE.far(1.0), INSIDE.far(0.0))] for roc in [INSIDE.roc()]
                 for v in (roc.tpr(0.5 * far), roc.tpr(far), roc.tpr(near), roc.slope(0.5 * far),
                           roc.slope(1.0 - 0.5 * (1.0 - near)))],
        [0.0, 0.0, 1.0, 0.0, 0.0], 1e-12),
    "sides of both ends are the shape": (
        lambda: [shape_of_ends(float(zero), float(one)) for zero, one in (
            (0, 0), (1, 1), (1, 0), (-1, -1), (0, -1), (-1, 1), (1, -1))],
        ["chance", "proper", "proper", "below", "below", "hook-at-zero", "hook-at-one"], 0.0),
    "a weight is the decimal that was meant": (
        lambda: [exact_weight(x) for x in (
            0.1, 1 / 3, 0.0, 1.0, 1e-12, 1.0 - 1e-12, 0.123456789, 1 / 13, 1 / 3000, 1e-9)],
        [Fraction(1, 10), Fraction(1, 3), 0, 1, Fraction(1, 10**12), 1 - Fraction(1, 10**12),
         Fraction(123456789, 10**9), Fraction(1, 13), Fraction(1, 3000), Fraction(1, 10**9)], 0.0),
    "precision where nothing is accepted: slope 2, precision 2 p/(2 p + 1 - p)": (
        lambda: [precision_at(RISING._pair, 0.25, 0.0), RISING.precision_recall().precision(0.0)],
        [0.5 / 1.25] * 2, 1e-9),
    "curves end on the side of their other end": (
        lambda: (ScoreModel(*ONES).ends().at_zero.semi_derivative,
                 ScoreModel(*ONES).ends().at_zero.side, ScoreModel(*ONES).ends().at_one.side),
        (1.0, "on", "above"), 0.0),
    "and dip everywhere or nowhere": (
        lambda: [(h.end, h.far_low, h.far_high)
                 for pair in (ONES, ONES[::-1]) for h in hooks_of(ScoreModel(*pair), 10, 10)],
        [("everywhere", 0.0, 1.0)], 0.0),
    "sides change on the diagonal: TPR, FAR are 1/2, 1/2 above .2": (
        lambda: [x.tolist() for x in (lambda c: (c.threshold, c.far, c.tpr))(
            of([0.2, 0.3], [0.1, 0.4]).diagonal_crossings())], [[0.25], [0.5], [0.5]], 0.0),
    "slope 1 everywhere but at masses inside, whose ratio is 1, 2 or 1/2": (
        lambda: [concave(0.2, 0.2), concave(0.4, 0.2), concave(0.2, 0.4)],
        [True, False, False], 0.0),
    "average precision: the share of clients among the scores at or above each client": (
        lambda: of([0.2, 0.6, 0.9], [0.1, 0.4, 0.7]).average_precision(),
        (1 / 1 + 2 / 3 + 3 / 5) / 3, 1e-12),
    "between two doubles is no tie": (
        lambda: [f(m) for m in (ScoreModel(Empirical([5e-324]), Beta(0.01, 1.0)),)
                 for f in (ScoreModel.auc, lambda m: m.partial_auc(0.0, 1.0))], [TINY] * 2, 1e-12),
    "nor next to 1": (
        lambda: [ScoreModel(Empirical([LAST]), br.LogitNormal(0.0, 6.0)).auc(),
                 ScoreModel(Empirical([LAST]), br.LogitNormal(0.0, 6.0)).partial_auc(0.0, 1.0),
                 ScoreModel(br.LogitNormal(0.0, 6.0), Empirical([LAST])).auc()],
        [stats.norm.cdf(Z), stats.norm.cdf(Z), stats.norm.sf(Z)], 1e-12),
    "FRR = 1/4 + F(t)/2 = 1/2 with F(t) = 1 - (1 - t)^0.01: 1 - t = 2^-100, no double": (
        lambda: [v for p in [ScoreModel(HALVED, Beta(1.0, 1.0)).at_frr([0.5, 0.9])]
                 for v in (*p.threshold, *p.frr, p.far[0])],
        [LAST, LAST, 0.5, 0.75, 2.0**-100], 1e-12),
    "KS of two tails: m (e^(-x/s) - e^(-x/(r s))) is largest where e^(-x/s) = r^(r/(1-r)) = r^7": (
        lambda: ScoreModel(*PARETO).ks(), 0.109375 * (0.875**7 - 0.875**8), 1e-9),
    "log(s^3 (1 - s)^-1 B(2, 4)/B(5, 3)) = level of (5, 3) v (2, 4)": (
        lambda: [1.0 + stats.beta(5, 3).logpdf(s) - stats.beta(2, 4).logpdf(s) - level
                 for level in (-4.0, 0.0, 2.5)
                 for s in pair_of(Beta(5, 3), Beta(2, 4)).ratio_roots(level).theta],
        [1.0] * 3, 1e-12),
    "variances beyond doubles are infinite, their roots are not": (
        lambda: [v for u in (1.0, 2.0**530, 2.0**1010)
                 for law in [Empirical([1.0 * u, 2.0 * u, 4.0 * u], [2.0, 1.0, 1.0])]
                 for v in (law.mean / u, law.var, law._sd / u)],
        [2.0, 1.5, math.sqrt(1.5), 2.0, INF, math.sqrt(1.5), 2.0, INF, math.sqrt(1.5)], 1e-15),
    "and of many quantiles": (
        lambda: br.LogitNormal(0.3, 1.2)._sd,
        np.std(br.LogitNormal(0.3, 1.2).ppf((np.arange(200_000) + 0.5) / 200_000)), 1e-6),
    "of a mixture that of its parts and means": (
        lambda: br.NormalMixture((0.25, 0.75), (Normal(0.0, 1e200), Normal(4e200, 2e200)))._sd,
        math.sqrt(0.25 * 1 + 0.75 * 4 + 3.0) * 1e200, 1e-12),
}  # fmt: skip


@over("row", BY_HAND)
def test_numbers_by_hand(row):
    found, expected, rel = row
    assert found() == (pytest.approx(expected, rel=rel, abs=0.0) if rel else expected)


@pytest.mark.parametrize(("sample", "alpha"), [("client", 0.55), ("impostor", 0.6)])
def test_a_precision_is_met_while_the_sample_stands_still(sample, alpha):
    """pi TPR = P (pi TPR + (1 - pi) FAR): a quantile of the other class between two scores."""
    laws = Empirical([0.2, 0.5, 0.7]), Beta(4, 3)
    model = ScoreModel(*laws[:: 1 if sample == "client" else -1])
    curve = br.epc(model, model, criterion="precision", alpha=[alpha])
    t = float(curve.threshold[0])
    both = float(np.mean(np.array([0.2, 0.5, 0.7]) > t)), stats.beta(4, 3).sf(t)
    tpr, far = both[:: 1 if sample == "client" else -1]
    assert tpr / (tpr + far) == pytest.approx(alpha, rel=1e-9)


@pytest.mark.parametrize("alpha", [0.2, 0.5, 0.8])
def test_the_best_threshold_of_inflated_pairs_weighs_the_densities_of_all_scores(alpha):
    """Where alpha f_i = (1 - alpha) f_c, each density that of its share between the masses."""
    client, impostor = Inflated(Beta(3, 2), 0.3), Inflated(Beta(2, 3), 0.0, 0.1)
    t = ScoreModel(client, impostor).min_weighted_error(alpha).threshold
    f_c, f_i = 0.7 * stats.beta(3, 2).pdf(t), 0.9 * stats.beta(2, 3).pdf(t)
    assert alpha * f_i == pytest.approx((1 - alpha) * f_c, rel=1e-9)


@over("seed", {seed: seed for seed in range(5)})
def test_fractional_weights_never_give_a_rate_beyond_1(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    law = br.Empirical(rng.normal(0, 1, n), rng.random(n))
    below, above = law.cdf(np.sort(law.values)), law.sf(np.sort(law.values))
    assert np.all(np.diff(below) >= 0)
    assert np.all(np.diff(above) <= 0)
    assert max(below.max(), above.max()) <= 1.0
    model = br.ScoreModel(law, br.Empirical([0.0, 1.0, 2.0]))
    assert model.at(-99.0).tpr == 1.0
    dev = br.ScoreModel(br.Empirical([1, 2, 3], [0.3, 0.2, 0.1]), br.Empirical([4, 5, 6]))
    curve = br.epc(dev, RISING, alpha=[0.1])  # accepts all, which is trivial
    assert (curve.threshold.tolist(), curve.trivial.tolist()) == ([-np.inf], [True])


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.ReversedScoresWarning")
def test_a_long_convex_chain_ended_by_a_lower_point():
    # Two vertices of the hull only: each pass over such a chain may drop a single point.
    client = np.arange(400.0) * 2
    weights = np.sort(np.random.default_rng(1).integers(1, 1000, 400))
    scores = br.Scores(client, [*(client - 1), 9e4], impostor_weights=[*weights, 10_000_000])
    curve = br.epc(scores, br.ScoreModel(br.Normal(1, 1), br.Normal(0, 1)), alpha=[0.3, 0.6, 0.9])
    law = ScoreModel(Empirical(client), Empirical(scores.impostor, scores.impostor_weights))
    places = law.at([-np.inf, *np.unique([*scores.client, *scores.impostor])])
    for alpha, t in zip(curve.alpha, curve.threshold, strict=True):
        best = np.min(places.weighted_error(alpha))
        assert law.at(t).weighted_error(alpha) == pytest.approx(best, rel=1e-14)


@pytest.mark.parametrize(
    ("client", "impostor"),
    [(br.Normal(0.25, 1), br.Normal(-0.25, 1)), (br.Beta(3, 2), br.Beta(2, 2.02))],
)
def test_a_precision_of_1_that_comes_late(client, impostor):
    # S_c / S_i rises to infinity so slowly that the rates underflow first: no threshold whose
    # rates are doubles has a higher precision than the last.
    model = br.ScoreModel(client, impostor)
    other = br.ScoreModel(client, impostor)
    curve = br.epc(model, other, criterion="precision", measure="precision", alpha=[0.9, 1.0])
    assert curve.value[1] > curve.value[0]
    places = client.isf(np.geomspace(1e-14, 1e-3, 400))
    tpr, far = client.logsf(places), impostor.logsf(places)
    assert curve.value[1] >= np.max(1 / (1 + np.exp(far - tpr))) - 1e-12


RNG = np.random.default_rng(2)
CLIENT, IMPOSTOR = RNG.normal(2.0, 1.0, 50), RNG.normal(0.0, 1.0, 60)


@pytest.mark.parametrize("power", some([-1000, 530, 664, 1010], 4))
def test_the_distance_of_the_means_has_no_unit(power):
    one, found = (br.interval(br.Scores(CLIENT * u, IMPOSTOR * u), "d-prime", replicates=99, rng=1)
        for u in (1.0, 2.0**power))  # fmt: skip
    spread = math.sqrt((CLIENT.var() + IMPOSTOR.var()) / 2)
    apart = (CLIENT.mean() - IMPOSTOR.mean()) / spread
    assert (one.estimate, found.estimate) == pytest.approx((apart, apart), rel=1e-9)
    assert found.low == pytest.approx(one.low, rel=1e-9)


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
