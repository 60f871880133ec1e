"""What ordinary pairs never reach: errors of constructors, slopes within bounds, moved samples."""

from __future__ import annotations

import math

import numpy as np
import pytest

import betaroc as br
from betaroc.core.quadrature import integrate_panels
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.empirical import _double, _ordered

B = br.Beta(2.0, 3.0)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: br.BetaMixture([0.5], [B, B]), br.InputError, "at least one; got 1 and 2"),
        (lambda: br.BetaMixture([], []), br.InputError, "got 0 and 0"),
        (lambda: br.BetaMixture([0.5, 0.5], [B, br.Normal(0, 1)]), br.InputTypeError, "number 1"),
        (lambda: br.BetaMixture([0.5, 0.4], [B, B]), br.InputError, "add up to 1; got 0.9"),
        (lambda: br.BetaMixture(0.5, [B]), br.InputTypeError, "weights must be a sequence"),
        (lambda: br.Rejecting(br.Empirical([0.1, 0.2]), 0.1), br.InputTypeError, "with a density"),
        (lambda: br.Rejecting(B, 1.0), br.InputError, "below 1, so that something is left"),
        (lambda: br.Spliced(br.Inflated(B, 0.1), lower=br.ParetoTail(0.05, 0.0, 1.0)),
         br.InputError, "no point mass at the end of a tail"),
    ],
)  # fmt: skip
def test_what_is_no_distribution(make, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make()


@pytest.mark.parametrize("bounds", [(-2.0, 2.5), None])
def test_slopes_of_a_tail_within_bounds_are_those_of_the_log_density(
    bounds: tuple[float, float] | None,
) -> None:
    law = br.Spliced(
        br.Normal(0.1, 0.3), br.ParetoTail(0.02, 0.1, 0.3), br.ParetoTail(0.03, -0.1, 0.2),
        bounds=bounds,
    )  # fmt: skip
    theta, step = np.array([law.ppf(0.004), law.ppf(0.4), law.isf(0.01)]), 1e-6
    near = [law._log_density(Thresholds.from_theta(theta + k * step)) for k in (1, -1)]
    slope = law._log_density_slope(Thresholds.from_theta(theta))
    np.testing.assert_allclose(slope, (near[0] - near[1]) / (2 * step), rtol=1e-7)


def test_point_masses_leave_the_slope_of_the_density() -> None:
    t = Thresholds.from_theta(np.array([0.2, 0.7]))
    for law in (br.Inflated(B, 0.1, 0.2), br.Rejecting(B, 0.3)):
        np.testing.assert_array_equal(law._log_density_slope(t), B._log_density_slope(t))
    assert br.Rejecting(B, 0.0).var == B.var
    assert br.Rejecting(B, 0.0).mean == B.mean


def test_moved_bins_are_a_sample_at_the_moved_places() -> None:
    binned = br.Binned([0.0, 0.25, 0.5, 1.0], [1, 2, 1])
    moved = br.Shifted(binned, 0.3, 2.0)
    places = binned.atoms.places
    inner = places[(places > 0.0) & (places < 1.0)]
    there = 1.0 / (1.0 + np.exp(-(2.0 * np.log(inner / (1.0 - inner)) + 0.3)))
    found = moved.atoms.places
    np.testing.assert_allclose(found[(found > 0.0) & (found < 1.0)], there, rtol=1e-12)
    np.testing.assert_array_equal(moved.atoms.masses, binned.atoms.masses)
    assert moved._parameters() == ()


@pytest.mark.simulation
def test_a_moved_pair_has_the_areas_of_the_pair() -> None:
    base = br.BetaMixture([0.4, 0.6], [br.Beta(2.0, 3.0), br.Beta(6.0, 1.2)])
    model = br.ScoreModel(br.Inflated(base, 0.2), br.Inflated(br.Beta(2, 5), 0.1))
    moved = model.shifted(0.4, 0.4, scale=1.5)
    assert moved.auc() == pytest.approx(model.auc(), rel=1e-12)
    assert moved.ks() == pytest.approx(model.ks(), rel=1e-10)
    assert moved.eer().far == pytest.approx(model.eer().far, rel=1e-10)
    assert moved.h_measure() == pytest.approx(model.h_measure(), rel=1e-8)
    both = (moved.ends().at_zero.semi_derivative, model.ends().at_zero.semi_derivative)
    assert both == pytest.approx((0.5, 0.5))
    grid = np.linspace(0.01, 0.9, 7)
    np.testing.assert_allclose(moved.roc().tpr(grid), model.roc().tpr(grid), rtol=1e-9)


def test_samples_and_distributions_moved_alike() -> None:
    """An area is a count: of a sample v Beta(1, 1), the mean of the scores before the move."""
    values = [0.2, 0.4, 0.9]
    model = br.ScoreModel(br.Empirical(values), br.Beta(1.0, 1.0)).shifted(0.5, 0.5, scale=0.7)
    assert model.auc() == pytest.approx(0.5, rel=1e-10)
    assert br.ScoreModel(br.Empirical(values), br.Empirical([0.3, 0.5])).shifted(
        1.0, 1.0
    ).auc() == pytest.approx(3 / 6)


def test_classes_that_share_no_score_are_told_apart() -> None:
    """Uniform on the scores below and above one half: no density lives where the other does."""
    model = br.ScoreModel(br.Normal(1e3, 1.0), br.Normal(-1e3, 1.0))
    assert (model.auc(), model.eer().hter, model.ks()) == (1.0, 0.0, 1.0)
    apart = br.ScoreModel(br.Beta(2, 2), br.Empirical([-0.5, -0.2]))
    assert (apart.auc(), apart.eer().hter, apart.ks()) == (1.0, 0.0, 1.0)


# ------------------------------------------------------------------------------ core
def test_the_rule_integrates_what_bends_and_gives_up_on_noise() -> None:
    assert integrate_panels(np.exp, np.array([0.0, 1.0])) == pytest.approx(math.e - 1, rel=1e-14)
    assert integrate_panels(np.sqrt, np.array([0.0, 1.0])) == pytest.approx(2 / 3, rel=1e-12)
    assert integrate_panels(np.exp, np.array([-math.inf, 0.0, 0.5, 1.0, math.inf])) == (
        pytest.approx(math.e - 1, rel=1e-14)
    )
    assert integrate_panels(np.exp, np.array([0.0])) == 0.0
    rng = np.random.default_rng(1)
    noise = integrate_panels(lambda u: 1.0 + rng.random(u.shape), np.array([0.0, 1.0]))
    assert noise == pytest.approx(1.5, abs=0.01)


def test_doubles_have_the_order_of_their_integers() -> None:
    tiny = np.array([5e-324, 1e-310, 1e-300, 1.0, np.nextafter(1.0, 2.0), 1e300, np.inf])
    x = np.concatenate([-tiny[::-1], [-0.0, 0.0], tiny])
    order = _ordered(x)
    assert np.all(order[1:] > order[:-1])
    np.testing.assert_array_equal(_double(order), x)
    assert order[-2] - _ordered(np.array([np.nextafter(1e300, 0.0)]))[0] == 1


@pytest.mark.parametrize("shift", [2.0, 12.0, 30.0])
def test_moments_near_one_are_those_near_zero_of_the_mirrored(shift: float) -> None:
    high, low = (
        br.Shifted(br.Beta(2.0, 3.0), shift, 1.3),
        br.Shifted(br.Beta(3.0, 2.0), -shift, 1.3),
    )
    assert high.var == pytest.approx(low.var, rel=1e-11, abs=0.0)
    assert high.mean == pytest.approx(1.0 - low.mean, rel=1e-14)


def test_moments_of_a_moved_score_off_the_unit_interval() -> None:
    """Of 3 s + 1 with s normal: mean 3 m + 1, variance 9 v."""
    mixture = br.NormalMixture([0.3, 0.7], [br.Normal(-1.0, 0.5), br.Normal(1.0, 2.0)])
    moved = br.Shifted(mixture, 1.0, 3.0)
    m = 0.3 * -1.0 + 0.7 * 1.0
    v = 0.3 * (0.25 + (1.0 + m) ** 2) + 0.7 * (4.0 + (1.0 - m) ** 2)
    assert (mixture.mean, mixture.var) == pytest.approx((m, v))
    assert (moved.mean, moved.var) == pytest.approx((3.0 * m + 1.0, 9.0 * v))


def test_far_out_the_widest_and_outermost_component_is_the_density() -> None:
    wide = br.NormalMixture([0.3, 0.7], [br.Normal(-1.0, 1.0), br.Normal(2.0, 1.0)])
    np.testing.assert_array_equal(wide._shares_at(0) > 0.0, [True, False])
    np.testing.assert_array_equal(wide._shares_at(1) > 0.0, [False, True])
    wider = br.NormalMixture([0.3, 0.7], [br.Normal(-1.0, 1.0), br.Normal(2.0, 3.0)])
    for end in (0, 1):
        np.testing.assert_array_equal(wider._shares_at(end) > 0.0, [False, True])
    for law, at in ((wide, -30.0), (wide, 30.0), (wider, -60.0)):
        t = Thresholds.from_theta(np.array([at]))
        near = [law._log_density(Thresholds.from_theta(np.array([at + h]))) for h in (1e-4, -1e-4)]
        slope = (near[0] - near[1]) / 2e-4
        np.testing.assert_allclose(law._log_density_slope(t), slope, rtol=1e-6)


def test_next_to_an_end_components_share_by_their_leading_terms() -> None:
    """At 0 the least a alone; of equal ones w/B(a, b)."""
    mixture = br.BetaMixture([0.2, 0.3, 0.5], [br.Beta(2, 1), br.Beta(2, 3), br.Beta(3, 1)])
    first, second, third = mixture._shares_at(0)
    assert third == 0.0
    assert first / second == pytest.approx(
        (0.2 / 0.5) / (0.3 * 12.0)
    )  # B(2, 1) = 1/2, B(2, 3) = 1/12
    top = mixture._shares_at(1)
    assert top[1] == 0.0
    assert top[0] / top[2] == pytest.approx((0.2 * 2.0) / (0.5 * 3.0))


def test_a_spread_that_doubles_cannot_hold_has_no_number() -> None:
    """exp(arcsinh(z) / 2e-13) is beyond 1e308 for all z above 1e-10."""
    wide = br.SinhArcsinh(location=1e300, scale=0.4, skewness=2.1, tail_weight=2e-13)
    assert wide.mean > 1e300
    assert np.isnan(wide.var)


def test_weights_of_nearly_one_are_weights() -> None:
    thirds = br.BetaMixture([1 / 3] * 3, [B, br.Beta(1, 2), br.Beta(4, 4)])
    assert thirds.cdf(1.0) == 1.0


def test_densities_that_doubles_do_not_hold_are_refused_by_integrals() -> None:
    def integrand(x: np.ndarray) -> np.ndarray:
        return np.exp(1e4 * x)

    with pytest.raises(br.FitError, match="doubles hold"):
        integrate_panels(integrand, np.array([0.0, 1.0]))
