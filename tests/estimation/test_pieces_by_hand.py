"""Pieces of estimators against formulas and symmetries of their own."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

import betaroc as br
from betaroc.estimation import beta as newton, boundary as likelihood, mixture
from betaroc.estimation.beta import beta_tails
from betaroc.estimation.families import FAMILIES, has_shapes
from betaroc.estimation.mixture import _NORMAL_KIND
from betaroc.estimation.record import Estimate

P = (np.arange(60) + 0.5) / 60
TWO = np.r_[stats.norm(-2.0, 0.5).ppf(P[::2]), stats.norm(1.0, 1.2).ppf(P)]


@pytest.mark.parametrize(("a", "b"), [(2.0, 3.0), (0.01, 30.0), (1e-4, 2.0), (40.0, 0.3)])
def test_both_tails_are_scipys(a: float, b: float) -> None:
    """Left of the mean, right of it, and right of a mean near 0."""
    x = np.array([1e-12, 1e-5, 9e-4, 2e-3, 0.3, 0.7, 0.999])
    below, above = beta_tails((np.array([[a]]), np.array([[b]])), x[None, :])
    np.testing.assert_allclose(below[0], stats.beta(a, b).cdf(x), rtol=1e-11)
    np.testing.assert_allclose(above[0], stats.beta(a, b).sf(x), rtol=1e-9)


@pytest.mark.parametrize("start", [(1e-3, 1e3), (1e3, 1e-3), (1e6, 1e6), (0.01, 5.0), (50.0, 1.0)])
def test_newton_finds_back_from_a_bad_start(
    start: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mean logs psi(2) - psi(5) and psi(3) - psi(5) are those of Beta(2, 3)."""
    monkeypatch.setattr(newton, "_start", lambda g1, g2: start)
    found = newton.solve_one(*(float(special.digamma(s) - special.digamma(5)) for s in (2, 3)))
    assert found is not None
    assert (found.a, found.b) == pytest.approx((2.0, 3.0), rel=1e-12)


# ------------------------------------------------------------------------------- mixtures
def test_standard_errors_of_a_mixture_have_the_unit_of_its_scores() -> None:
    """Of 10 x + 3 ten times those of x; shares have none."""
    found = [br.fit_distribution(x, "normal-mixture") for x in (TWO, 10.0 * TWO + 3.0)]
    one, ten = (dict(zip(f.names, f.std_errors.values(), strict=True)) for f in found)
    for name, error in one.items():
        assert ten[name] == pytest.approx((1.0 if "weight" in name else 10.0) * error, rel=1e-5)


def test_of_many_scores_the_maximum_beside_that_of_their_quantiles_is_the_maximum(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = br.fit_distribution(TWO, "normal-mixture")
    monkeypatch.setattr(mixture, "_MANY_SCORES", 50)
    monkeypatch.setattr(mixture, "_QUANTILES", 45)
    found = br.fit_distribution(TWO, "normal-mixture")
    assert found.params == pytest.approx(plain.params, rel=1e-7)
    assert isinstance(found.iterations, int)


def test_a_component_has_at_least_five_scores() -> None:
    def point(share: float) -> mixture._Point:
        two = np.array([0.0, 1.0])
        return mixture._Point(_NORMAL_KIND, np.array([share, 1.0 - share]), two, two + 1.0)

    for share, wanted in ((0.05, True), (0.049, False), (0.951, False), (0.5, True)):
        assert mixture._regular(point(share), 100.0, np.inf) is wanted


@pytest.mark.parametrize("family", ["beta-mixture", "normal-mixture"])
def test_a_mixture_has_two_components_of_five_scores_each(family: str) -> None:
    x = np.r_[stats.beta(2, 9).ppf(P), stats.beta(9, 2).ppf(P)]
    assert len(br.fit_distribution(x, family).distribution.components) == 2
    with pytest.raises(br.DegenerateDataError, match=r"at least 10 scores.*got 9"):
        br.fit_distribution(np.linspace(0.1, 0.8, 9), family)


# -------------------------------------------------------------------------------- families
def test_only_beta_distributions_have_free_shapes() -> None:
    assert {name for name, row in FAMILIES.items() if row.shapes} == {"beta"}
    assert not has_shapes("normal")


def test_a_closed_form_leaves_no_gradient() -> None:
    for family in ("normal", "logit-normal"):
        assert br.fit_distribution(P, family).gradient_norm == 0.0


@pytest.mark.parametrize("boundary", ["drop", "inflate"])
def test_concentrated_scores_beside_zeros_and_ones_are_fitted_from_their_sums(
    boundary: str,
) -> None:
    """Within 1/300 of one half sums lose six digits, and the zeros and ones none more."""
    near = 0.5 + 1e-3 * stats.norm().ppf(P)
    scores = br.Scores(np.r_[near, 1.0, 1.0], np.r_[0.0, near - 0.01])
    frame = pd.DataFrame(
        {"score": np.r_[scores.client, scores.impostor], "label": np.repeat([1, 0], [62, 61])}
    )
    found, exact = (br.fit(x, "beta", boundary=boundary) for x in (br.summarize(frame), scores))
    for who in ("client", "impostor"):
        one, other = (getattr(f, who).params for f in (found, exact))
        assert one == pytest.approx(other, rel=1e-6)


def test_a_maximum_that_is_not_reached_to_the_last_digits_names_another_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(likelihood, "_TINY_GRADIENT", -1.0)
    with pytest.raises(br.FitError, match='Try boundary="inflate"') as caught:
        br.fit_distribution(np.round(stats.beta(2, 3).ppf(P), 1), "beta", resolution=0.1)
    assert not caught.value.result.converged


def test_an_estimate_that_was_typed_is_at_rest() -> None:
    none = ((0.0, 0.0), (0.0, 0.0))
    typed = Estimate("normal", br.Normal(0, 1), ("mu", "sigma"), (0.0, 1.0), none, 0.0, 3, 3.0)
    assert (typed.converged, typed.iterations, typed.gradient_norm) == (True, 0, 0.0)


def test_a_shape_that_is_held_is_not_free() -> None:
    """Of a dual beta one shape a class; of a beta both."""
    scores = br.Scores(stats.beta(4, 1).ppf(P), stats.beta(1, 3).ppf(P))
    assert [getattr(br.fit(scores, "dual-beta"), who).n_free for who in ("client", "impostor")] == [
        1, 1
    ]  # fmt: skip
    assert br.fit(scores, "beta").client.n_free == 2
