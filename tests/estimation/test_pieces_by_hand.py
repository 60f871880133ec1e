"""Pieces of estimators against formulas and symmetries of their own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

import betaroc as br
from betaroc.distributions import beta as newton
from betaroc.estimation import boundary as likelihood, mixture

P = (np.arange(60) + 0.5) / 60
TWO = np.r_[stats.norm(-2.0, 0.5).ppf(P[::2]), stats.norm(1.0, 1.2).ppf(P)]


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
        return mixture._Point(mixture.NORMAL_KIND, np.array([share, 1.0 - share]), two, two + 1.0)

    for share, wanted in ((0.05, True), (0.049, False), (0.951, False), (0.5, True)):
        assert mixture._regular(point(share), 100.0, np.inf) is wanted


# -------------------------------------------------------------------------------- families


def test_a_maximum_that_is_not_reached_to_the_last_digits_names_another_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(likelihood, "_TINY_GRADIENT", -1.0)
    with pytest.raises(br.FitError, match='Try boundary="inflate"') as caught:
        br.fit_distribution(np.round(stats.beta(2, 3).ppf(P), 1), "beta", resolution=0.1)
    assert not caught.value.result.converged
