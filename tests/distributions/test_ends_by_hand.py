"""Ends of distributions, jumps there and pieces of samples, against formulas of their own."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.distributions.empirical import bin_of
from betaroc.distributions.pairs import sign_changes


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("shape", [-0.3, 0.0, 0.3])
def test_the_declared_tail_is_the_tail_far_out(side: int, shape: float) -> None:
    tail = br.ParetoTail(0.05, shape, 0.4)
    law = br.Spliced(br.Normal(0.7, 1.0), **{("lower", "upper")[side]: tail})
    declared = law._tails()[side]
    end, sign = law.support[side], (-1.0, 1.0)[side]
    u = sign * (30.0 if shape == 0.0 else 1e9) if math.isinf(end) else end - sign * 1e-6
    size = {0.3: math.log(abs(u)), 0.0: abs(u), -0.3: -math.log(1e-6)}[shape]
    log_tail = law.logsf(u) if side else law.logcdf(u)
    assert declared.log_coefficient - declared.rate * size == pytest.approx(log_tail, abs=1e-5)


def test_a_score_of_one_is_above_all_that_is_below() -> None:
    """Of Beta(1, 1/100) 69 % lie within one double of 1, and all of it below."""
    assert br.ScoreModel(br.Empirical([1.0]), br.Beta(1.0, 0.01)).auc() == pytest.approx(1.0)


def test_a_quantile_stays_on_the_mass_beside_a_tail_that_has_underflowed() -> None:
    """All but 10^-545 of the scores that are not 0 are below it."""
    law = br.Inflated(br.Normal(-50.0, 1.0), 0.2)
    for p in (0.2, 0.1, 1e-300):
        assert law.isf(p) == 0.0
    mirrored = br.Inflated(br.Normal(51.0, 1.0), 0.0, 0.2)
    for p in (0.2, 0.1, 1e-300):
        assert mirrored.ppf(p) == 1.0


def test_a_score_has_the_bin_of_its_place_on_four_scales() -> None:
    """Of [0, 1] a quarter, an eighth by either 16th root, of u/(1 + |u|) and u/(100 + |u|) each."""
    bins = 1_000_000
    s = np.array([-300.0, -1.0, 0.25, 0.7, 3.0, 500.0])
    inside = np.clip(s, 0.0, 1.0)
    ends = 0.25 * inside + 0.125 * inside ** (1 / 16) + 0.125 * (1.0 - (1.0 - inside) ** (1 / 16))
    whole = [0.125 * (1.0 + s / (scale + np.abs(s))) for scale in (1.0, 100.0)]
    places = (ends + whole[0] + whole[1]) * bins
    assert np.all(np.abs(bin_of(s, bins, None) - (places - 0.5)) <= 0.5 + 1e-6)


@pytest.mark.parametrize("upper", [False, True])
def test_many_quantiles_of_a_mixture_have_their_probabilities(upper: bool) -> None:
    law = br.NormalMixture([0.3, 0.7], [br.Normal(-2.0, 0.5), br.Normal(1.0, 1.5)])
    p = np.linspace(1e-6, 1.0 - 1e-6, 3001)
    x = law.isf(p) if upper else law.ppf(p)
    normals = stats.norm(-2.0, 0.5), stats.norm(1.0, 1.5)
    first, second = (one.sf(x) if upper else one.cdf(x) for one in normals)
    np.testing.assert_allclose(0.3 * first + 0.7 * second, p, rtol=1e-9)


def test_a_sign_that_changes_on_a_mesh_changes_there() -> None:
    mesh = np.array([-2.0, -1.0, 0.5, 1.0, 3.0])
    assert sign_changes(lambda u: (u - 0.5) * (u + 1.5), mesh, "x") == pytest.approx([-1.5, 0.5])
