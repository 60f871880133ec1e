"""Decisions on samples against enumeration in exact fractions; on smooth laws against the table."""

from fractions import Fraction

import numpy as np
import pytest

import betaroc as br
from helpers import enumeration as en
from helpers.cases import grouped, one_of
from helpers.enumeration import decimal, enumerate_thresholds, first_best, middle, weighted

ALPHAS = (0.0, 0.3, 0.5, 1.0)


def samples(n):
    """Small sets with many ties: one decimal, few values, integer and fractional weights."""
    rng = np.random.default_rng(20241)
    models = []
    for k in range(n):
        size_c, size_i = rng.integers(1, 13, 2)
        c = np.round(rng.normal(0.4, 0.5, size_c), 1)
        i = np.round(rng.normal(0.0, 0.5, size_i), 1)
        weights = [None, None]
        if k % 3 == 1:
            weights = [rng.integers(0, 4, s) for s in (size_c, size_i)]
        if k % 3 == 2:
            weights = [rng.integers(1, 9, s) / 4.0 for s in (size_c, size_i)]
        for w in weights:
            if w is not None and not np.any(w):
                w[:] = 1
        laws = (br.Empirical(*law) for law in zip((c, i), weights, strict=True))
        models.append(br.ScoreModel(*laws, prior=(0.5, 0.3, 0.75)[k % 5 % 3]))
    return models


SAMPLES = samples(75)
each_sample = grouped("pair", one_of(SAMPLES, 20))


def agrees(point, row):
    assert point.threshold == row.threshold
    assert point.far == pytest.approx(float(row.far), rel=1e-15, abs=1e-300)
    assert point.frr == pytest.approx(float(row.frr), rel=1e-15, abs=1e-300)


@each_sample
def test_weighted_errors_by_enumeration(pair):
    rows = enumerate_thresholds(pair)
    for alpha in ALPHAS:
        agrees(pair.min_weighted_error(alpha), first_best(rows, weighted(alpha)))
    agrees(pair.youden(), first_best(rows, weighted(0.5)))
    prior = decimal(pair.prior)
    for fa, fr in ((10, 1), (1, 0)):

        def dcf(r, fa=fa, fr=fr):
            return fa * (1 - prior) * r.far + fr * prior * r.frr

        agrees(pair.min_dcf(fa, fr), first_best(rows, dcf))


@each_sample
def test_balances_f_measures_and_targets_by_enumeration(pair):
    rows = enumerate_thresholds(pair)
    agrees(pair.eer(), first_best(rows, lambda r: abs(r.far - r.frr)))
    agrees(pair.break_even(), first_best(rows, en.imbalance(decimal(pair.prior))))
    for weight in (0.5, 0.2):
        agrees(pair.max_f(weight), first_best(rows, en.minus_f(weight, decimal(pair.prior))))
    for x in (0.0, 0.25, 1 / 3, 1.0):
        lowest = next(r for r in rows if float(r.far) <= x)
        highest = next(r for r in reversed(rows) if float(r.frr) <= x)
        agrees(pair.at_far(x), lowest)
        agrees(pair.at_frr(x), highest)


@each_sample
def test_hull_equal_error_by_enumeration(pair):
    """The least max over mixtures of two thresholds of FAR = FRR."""
    rows = enumerate_thresholds(pair)
    best = Fraction(1)
    for one in rows:
        for two in rows:
            before, after = one.frr - one.far, two.far - two.frr
            if before >= 0 and after >= 0:
                share = before / (before + after) if before + after else Fraction(0)
                best = min(best, one.far + share * (two.far - one.far))
    assert pair.eer("hull").hter == pytest.approx(float(best), abs=1e-13)


@each_sample
def test_eleven_point_average_precision_by_enumeration(pair):
    """IDIAP-RR 03-85, (13)-(14): precision where recall is nearest to 0, .1, ..., 1."""
    rows, prior = enumerate_thresholds(pair), decimal(pair.prior)
    total = Fraction(0)
    for k in range(11):
        target = Fraction(k, 10)

        def distance(r, target=target):
            return None if en.precision(r, prior) is None else abs(1 - r.frr - target)

        found = en.precision(first_best(rows, distance), prior)
        assert found is not None
        total += found
    assert pair.average_precision(11) == pytest.approx(float(total / 11), rel=1e-13)


def two(client, impostor):
    return br.ScoreModel(br.Empirical(client), br.Empirical(impostor))


NEXT = float(np.nextafter(0.3, 1.0))
AWKWARD = {
    "adjacent doubles": two([NEXT, 0.9], [0.1, 0.3]),
    "smallest denormals": two([5e-324, 1e-323], [0.0, 5e-324]),
    "signed zeros": two([-0.0, 0.5], [0.0, -1.0]),
    "largest doubles": two([1e308, 1.7e308], [-1.7e308, 1e308]),
    "next to one": two([1.0, 1.0 - 2**-53], [1.0 - 2**-53, 0.5]),
    "all equal": two([0.5, 0.5], [0.5, 0.5, 0.5]),
    "reversed": two([0.2], [0.7]),
}


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_scores_by_enumeration(name):
    pair = AWKWARD[name]
    rows = enumerate_thresholds(pair)
    for alpha in ALPHAS:
        agrees(pair.min_weighted_error(alpha), first_best(rows, weighted(alpha)))
    agrees(pair.eer(), first_best(rows, lambda r: abs(r.far - r.frr)))
    agrees(pair.max_f(), first_best(rows, en.minus_f(0.5, Fraction(1, 2))))
    for x in (0.0, 0.5, 1.0):
        agrees(pair.at_far(x), next(r for r in rows if r.far <= x))
        agrees(pair.at_frr(x), next(r for r in reversed(rows) if r.frr <= x))
    points = pair.roc().points()
    assert points.threshold.tolist() == [r.threshold for r in reversed(rows)]
    for row in rows:
        agrees(pair.at(row.threshold), row)


def test_alpha_is_a_decimal_and_ties_go_to_the_smaller_hter_then_the_lower_threshold():
    """alpha = 0.3: 0.3 * 7/10 = 0.7 * 3/10 exactly; doubles break the tie, decimals do not."""
    client = [0.2, 0.2, 0.2, *[0.9] * 7]
    impostor = [0.5, *[0.1] * 9]
    pair = two(client, impostor)
    rows = enumerate_thresholds(pair)
    for alpha in np.linspace(0.0, 1.0, 21).tolist():
        agrees(pair.min_weighted_error(alpha), first_best(rows, weighted(alpha)))
    # alpha = 0: every threshold with FRR = 0 is tied; the smallest HTER is just below 0.6.
    pair = two([0.6, 0.8], [0.1, 0.3, 0.7])
    assert pair.min_weighted_error(0.0).threshold == middle(0.3, 0.6)
    # alpha = 1: FAR = 0 above 0.7; 0.75 rejects fewest clients.
    assert pair.min_weighted_error(1.0).threshold == middle(0.7, 0.8)
    # HTER 1/4 on both sides of [0.3, 0.5]: the lower threshold.
    tied = two([0.3, 0.6], [0.1, 0.5])
    assert tied.youden().threshold == middle(0.1, 0.3)


@pytest.mark.parametrize("alpha", [0.2, 0.5, 0.7])
def test_reversed_pair_accepts_all_or_none(alpha):
    point = br.ScoreModel(br.Beta(2.0, 4.0), br.Beta(4.0, 2.0)).min_weighted_error(alpha)
    assert point.weighted_error(alpha) == min(alpha, 1.0 - alpha)
    assert point.threshold == (0.0 if alpha <= 0.5 else 1.0)


def test_one_tied_exponent_has_a_trivial_zone():
    """b = 0, a = 1: interior iff t < log C with C = B_i / B_c = (1/1) / (1/2) = 2."""
    pair = br.ScoreModel(br.Beta(2.0, 1.0), br.Beta(1.0, 1.0))
    edge = 2.0 / 3.0  # logit = log 2
    assert pair.min_weighted_error(edge + 1e-6).threshold == 1.0
    inner = pair.min_weighted_error(0.6)
    assert inner.threshold == pytest.approx(0.6 / 0.4 / 2.0, rel=1e-12)  # f_c/f_i = 2 theta
