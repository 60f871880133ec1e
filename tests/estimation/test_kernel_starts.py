"""Starts, grids and borders by hand: what begins elsewhere ends at the same place, or later."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import betaroc as br
from betaroc.distributions import beta
from betaroc.estimation import estimate, families, mixture, tails
from betaroc.estimation.contract import Sample

#: Of five scores, in the middle of their weights, the component of three that is cut out for each.
KINDS = ["00000", "22222", "00002", "02222", "00012", "01222", "00122", "00122"]


def test_mixtures_start_from_these_shares_of_the_scores():
    """Binomial ones by height, cut ones with a leak, and bumps beside binomial ones."""
    height, weights = np.array([0.0, 0.3, 0.5, 0.7, 0.9]), np.array([1.0, 1.0, 2.0, 1.0, 1.0])
    single = SimpleNamespace(distribution=br.Beta(1.0, 1.0), values=(2.0, 3.0))
    starts = list(mixture._first_shares(height, weights, single, 3))
    height[0], k = 1e-6, np.arange(3)[:, None]
    two, ends = np.stack([1.0 - height, height]), 4.0 * height * (1.0 - height)
    expected = [stats.binom.pmf(k, 2, height), [*((1.0 - ends) * two), ends]]
    for kind, leak in zip(KINDS, [0.001] * 2 + [0.05] * 6, strict=True):
        expected.append(np.where(k == [*map(int, kind)], 1.0 - leak, 0.5 * leak))
    expected += [[*((1.0 - bump) * two), bump] for bump in 0.05 + 0.85 * np.eye(5)]
    for start, share in zip(starts, expected, strict=True):
        assert_allclose(start, share, rtol=1e-9)
    of_beta, of_normal = mixture.BETA_KIND, mixture.NORMAL_KIND
    assert (of_beta.cap(single), of_normal.cap(None), of_normal.narrow(3, 0.25)) == (6e4, 100, 4)
    assert (of_normal.place(3.0, 0.25), of_beta.place(1.0, 3.0)) == (3.0, 0.25)
    for share, a, regular in ((0.05, 2.0, True), (0.049, 2.0, False), (0.05, 7.1, False)):
        point = np.array([[share, 1.0 - share], [a, 2.0], [3.0, 2.0]])
        assert mixture._regular(of_beta, point, 100.0, 10.0) is regular


def test_shapes_start_where_their_rough_digammas_are_right():
    """log(x - 1/2), or of small shapes -1/x, has these means of logarithms at a and b."""
    for a, b in ((1.0, 1.0), (2.0, 7.0), (30.0, 4.0), (0.3, 0.1), (0.05, 0.84), (1e-4, 2.0)):
        rough = (lambda x: -1.0 / x) if min(a, b) < 0.5 else (lambda x: math.log(x - 0.5))
        g = rough(a) - rough(a + b), rough(b) - rough(a + b)
        for logs in (g, np.array(g)[:, None]):
            gap = -np.expm1(max(g)) - np.exp(min(g))
            assert_allclose(np.ravel(beta._start(*logs, min(logs), gap)), [a, b], rtol=1e-11)
    sums = beta.ClassSums.at(2.0, 3.0)
    for shared in ("a", "b"):  # one step that is nothing, and a look at what it left
        result = beta.tied_mle(sums, sums._replace(weight=5.0), shared)
        assert (result.iterations, result.gradient_norm < 1e-14) == (2, True)
    p = np.array([1e-280, 0.04, 0.49, 0.8, 0.82, 1.0])  # of Beta(2, 1) their roots, to 0.9
    logits = [np.log(x / (1.0 - x)) for x in np.sqrt(p[1:4])]
    assert_allclose(beta._usual_quantiles(2.0, 1.0, p), [np.nan, *logits, np.nan, np.nan])


def test_roots_of_concave_curves_start_on_their_asymptotes(monkeypatch):
    monkeypatch.setattr(beta, "_level_root", lambda a, b, level, y: y)
    for sign in (1.0, -1.0):
        assert beta.concave_roots(2 * sign, 3 * sign, -4 * sign) == [-2.0, 4 / 3]
        assert beta.concave_roots(2 * sign, 3 * sign, -3.3 * sign) == []  # the top is -3.365
        for a, b, roots in ((3.0, -2.0, [0.75, -0.5]), (-2.0, 3.0, [-0.75, 0.5])):
            levels = (1.5 * sign, -1.5 * sign)
            assert [beta.concave_roots(a * sign, b * sign, x)[0] for x in levels] == roots
        assert beta.concave_roots(3 * sign, -3 * sign, 1.5 * sign) == [0.5]
        for a, b, turn in ((2 * sign, 0.0, -1.0), (0.0, 2 * sign, 1.0)):
            (y,) = beta.concave_roots(a, b, -3.0 * sign)
            assert 2.0 * math.log1p(math.exp(turn * y)) == pytest.approx(3.0, rel=1e-14)
            assert beta.concave_roots(a, b, 3.0 * sign) == []


def test_grids_and_scores_of_a_tail():
    """4.5 deviations about the mode, once wider by a half; twice as many scores and two more."""
    p = (np.arange(40) + 0.5) / 40
    for x, wider in ((stats.expon.ppf(p), 1.0), (p, 1.5)):
        fit = tails.fit_tail(0.0, x, np.ones(40), 400.0, 2.0)
        grid = tails.grid_of(fit)
        bend = 16.0 + 20.0 / (1.0 + max(fit.shape, -0.3)) ** 2
        for q, n, half in ((grid.shape, 41, bend**-0.5), (np.log(grid.scale), 31, 0.1**0.5)):
            steps = np.diff(np.unique(np.round(q, 10)))
            assert_allclose(steps, np.full(n - 1, 4.5 * wider * half / (n // 2)), rtol=1e-7)
        if wider == 1.0:
            assert_allclose([grid.shape[635], grid.scale[635]], [fit.shape, fit.scale])
        assert grid.weight.sum() == pytest.approx(1.0, rel=1e-14)
    values = np.random.default_rng(3).permutation(500.0 + np.arange(500))
    top, copies = tails._extremes(values, None, 30.0)
    assert (top.tolist(), set(copies)) == ([999.0 - k for k in range(62)], {1.0})
    coarse = np.floor(values / 7.0)  # whole ties: beside the largest at least 2 * 30
    top, copies = tails._extremes(coarse, np.full(500, 0.5), 30.0)
    assert copies.tolist() == [0.5 * np.sum(coarse == x) for x in top]
    assert np.sum(copies[1:]) >= 60.0


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_odd_scores_by_the_gap_to_the_next_ten(side):
    """P(gap) = (1 + gap/k)^-k in units of their mean log excess: 1/400 at 8.2 units of ten."""

    def told(away, r, copies=1):
        others = np.repeat(np.exp(-r * np.arange(20 // copies)), copies)
        scores = np.concatenate([others, -others, [0.0, 0.0], [side * away]]) + 3.0
        return len(estimate.outliers(br.Scores([1.0, 2.0, 3.0], scores)))

    for r, copies, excess in ((0.06, 1, 5.5), (0.11, 2, 3.0)):
        border = math.exp(r * excess * 10.0 * (400.0**0.1 - 1.0))
        assert [told(x * border, r, copies) for x in (0.99, 1.01)] == [0, 1]
    assert [told(*x) for x in ((4.9, 0.001), (5.1, 0.001), (49, 0.5), (51, 0.5))] == [0, 1, 0, 1]
    for odd, rest, many in ((0.0, 1.0, 0), (0.0, 1.001, 1), (-1.0, 1.0, 1), (0.5, 1.0, 1)):
        scores = np.append(1.0 - 1e-4 * np.arange(1, 10), [odd, rest])  # 0 and 1 are ends
        scores = scores if side > 0.0 else 1.0 - scores
        assert len(estimate.outliers(br.Scores(scores, [0.1, 0.2]))) == many
    for n, distinct, many in ((30, 14, 1), (30, 15, 0), (29, 1, 0), (90, 44, 1)):
        ties = 0.1 + 0.01 * (np.arange(n) % distinct)
        assert len(estimate.tied("x", np.append(ties, [0.0, 1.0] * 50), on_unit=True)) == many
        assert len(estimate.tied("x", ties, on_unit=False)) == many
    for free, p in ((0, -1.0 / np.mean(np.log(ties))), (1, -1.0 / np.mean(np.log1p(-ties)))):
        top = families._estimate_dual(Sample.of("x", ties, None), free)
        shapes = (1.0, p) if free else (p, 1.0)
        assert top.log_likelihood == pytest.approx(stats.beta.logpdf(ties, *shapes).sum())
