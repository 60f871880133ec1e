"""Forecasts against mpmath, simulation, scaling laws and symmetries."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import optimize, special, stats

import betaroc as br
from betaroc.core.arrays import FloatArray
from betaroc.decision.forecast import CHERNOFF_VARIANCE
from helpers.places import REFERENCES

REFERENCE = json.loads((REFERENCES / "forecast.json").read_text(encoding="utf-8"))
LAWS = {"beta": br.Beta, "normal": br.Normal, "logit-normal": br.LogitNormal}
BELL = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
RESULTS = (
    "smooth_sd", "smooth_excess", "smooth_hter_sd", "empirical_sd", "empirical_excess",
    "empirical_hter_sd", "optimism",
)  # fmt: skip


def law(row: list[Any]) -> br.Distribution:
    return LAWS[row[0]](row[1], row[2])


@pytest.mark.parametrize("case", REFERENCE["cases"], ids=lambda case: str(case["client"]))
@pytest.mark.parametrize("generic", [False, True])
def test_forecasts_of_mpmath(case: dict[str, Any], generic: bool) -> None:
    model = br.ScoreModel(law(case["client"]), law(case["impostor"]))
    model = model.generic() if generic else model
    forecast = br.epc_forecast(
        model, n_client=case["n_client"], n_impostor=case["n_impostor"], alpha=[case["alpha"]]
    )
    assert forecast.where.tolist() == ["interior"]
    for name in ("threshold", *RESULTS):
        found, expected = getattr(forecast, name)[0], float(case[name])
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-14), name


def test_constants_of_chernoffs_distribution() -> None:
    assert REFERENCE["total_probability"] == "1.0"
    assert float(REFERENCE["chernoff_variance"]) == CHERNOFF_VARIANCE
    # Janson, Louchard and Martin-Lof: E max(W(t) - t^2/2) = 0.99619301992836; t = 2^(-2/3) u.
    assert 3 * CHERNOFF_VARIANCE == pytest.approx(2 ** (-1 / 3) * 0.99619301992836, rel=1e-12)


def excess(theta: FloatArray) -> FloatArray:
    error = 0.5 * (stats.beta(2, 4).sf(theta) + stats.beta(4, 2).cdf(theta))
    return np.asarray(error - 0.1875)  # 3/16, at 1/2


@pytest.mark.simulation
@pytest.mark.parametrize(("n", "pairs"), [(200, 1000), (1000, 1000)])
def test_smooth_excess_is_met(n: int, pairs: int) -> None:
    """(t - t0)^2 of a normal error: the mean of 1000 has a relative error of .045."""
    rng = np.random.default_rng(50)
    shapes = []
    for a, b in ((4.0, 2.0), (2.0, 4.0)):
        scores = rng.beta(a, b, (pairs, n))
        shapes += [*br.beta_mle(np.log(scores).mean(axis=1), np.log1p(-scores).mean(axis=1))[:2]]
    a_c, b_c, a_i, b_i = shapes

    def ratio(y: float, k: int) -> float:
        x = special.expit(y)
        logs = (a_c[k] - a_i[k]) * math.log(x) + (b_c[k] - b_i[k]) * math.log1p(-x)
        return float(logs + special.betaln(a_i[k], b_i[k]) - special.betaln(a_c[k], b_c[k]))

    theta = np.array([special.expit(optimize.brentq(ratio, -3, 3, (k,))) for k in range(pairs)])
    forecast = br.epc_forecast(BELL, n_client=n, n_impostor=n, alpha=[0.5])
    assert excess(theta).mean() == pytest.approx(forecast.smooth_excess[0], rel=0.15)
    assert theta.std() == pytest.approx(forecast.smooth_sd[0], rel=4 * math.sqrt(0.5 / pairs))


@pytest.mark.simulation
@pytest.mark.parametrize(("n", "low"), [(200, 0.75), (1000, 0.8)])
def test_empirical_excess_and_optimism_are_met_from_below(n: int, low: float) -> None:
    """Simulated over forecast: .92 and .95 expected, with a Monte Carlo error of .05."""
    rng = np.random.default_rng(51)
    theta, least = np.empty(800), np.empty(800)
    for k in range(theta.size):
        scores = br.Scores(rng.beta(4, 2, n), rng.beta(2, 4, n))
        theta[k] = br.epc(scores, BELL, alpha=[0.5]).threshold[0]
        rejected, accepted = np.mean(scores.client <= theta[k]), np.mean(scores.impostor > theta[k])
        least[k] = 0.5 * (rejected + accepted)
    forecast = br.epc_forecast(BELL, n_client=n, n_impostor=n, alpha=[0.5])
    assert low <= excess(theta).mean() / forecast.empirical_excess[0] <= 1.05
    assert low <= (0.1875 - least.mean()) / forecast.optimism[0] <= 1.05


@pytest.mark.simulation
def test_hter_varies_at_first_order() -> None:
    """alpha .2, beta fits of 400 scores a class; 300 fits: the error of a deviation is .04."""
    rng = np.random.default_rng(52)
    values = []
    for _ in range(300):
        fit = br.fit(br.Scores(rng.beta(4, 2, 400), rng.beta(2, 4, 400)))
        values.append(br.epc(fit, BELL, alpha=[0.2]).value[0])
    forecast = br.epc_forecast(BELL, n_client=400, n_impostor=400, alpha=[0.2])
    assert np.std(values) == pytest.approx(forecast.smooth_hter_sd[0], rel=0.16)


def test_floor_of_a_wrong_family() -> None:
    """Beta laws nearest to clients .8 Beta(6, 2) + .2 Beta(2, 6), impostors Beta(2, 6)."""
    parts = ((0.8, 6.0, 2.0), (0.2, 2.0, 6.0))
    means = [
        sum(w * (special.psi(one) - special.psi(8.0)) for w, *ab in parts for one in [ab[k]])
        for k in (0, 1)
    ]
    a, b, converged = br.beta_mle(*means)
    assert converged
    wrong = br.ScoreModel(br.Beta(a, b), br.Beta(2.0, 6.0)).min_weighted_error(0.5).threshold

    def error(t: float) -> float:
        frr = sum(w * stats.beta(a, b).cdf(t) for w, a, b in parts)
        return float(0.5 * (stats.beta(2, 6).sf(t) + frr))

    least = optimize.minimize_scalar(error, (0.4, 0.5)).fun
    assert round(error(wrong) - least, 3) == 0.007
    assert "0.007" in br.epc_forecast(BELL, n_client=9, n_impostor=9).summary()


def test_size_for_an_excess_is_the_inverse() -> None:
    model = br.ScoreModel(br.Beta(2.0, 0.8), br.Beta(0.8, 2.0))
    one = br.epc_forecast(model, n_client=100, n_impostor=300, alpha=[0.3, 0.5])
    for k, wanted in enumerate([0.002, 0.0001]):
        size = one.dev_size(wanted)
        for way, n_client, n_impostor in (("smooth", *size[:2]), ("empirical", *size[2:])):
            assert n_impostor[k] == pytest.approx(3 * n_client[k], abs=3)
            enough = br.epc_forecast(
                model, n_client=int(n_client[k]), n_impostor=int(n_impostor[k]), alpha=one.alpha
            )
            found = getattr(enough, f"{way}_excess")[k]
            # Rounding up adds at most one score to each class.
            assert wanted * (1 - 2 / n_client[k]) <= found <= wanted * (1 + 1e-9)
    same = one.dev_size(float(one.smooth_excess[0]))
    assert (same.smooth_client[0], same.smooth_impostor[0]) == (100, 300)
    same = one.dev_size(float(one.empirical_excess[1]))
    assert (same.empirical_client[1], same.empirical_impostor[1]) == (100, 300)


@pytest.mark.parametrize(("client", "impostor"), [
    (br.Beta(3.0, 0.7), br.Beta(0.5, 1.5)), (br.Normal(0.8, 0.3), br.Normal(0.3, 0.4)),
    (br.Inflated(br.Beta(3.0, 2.0), 0.05, 0.2), br.Inflated(br.Beta(2.0, 3.0), 0.1, 0.03)),
])  # fmt: skip
def test_reflection_swaps_the_classes(client: br.Distribution, impostor: br.Distribution) -> None:
    """1 - s: clients become impostors, alpha becomes 1 - alpha, FAR becomes FRR."""

    def mirrored(one: Any) -> br.Distribution:
        if isinstance(one, br.Inflated):
            return br.Inflated(mirrored(one.base), one.at_one, one.at_zero)
        return (
            br.Beta(one.b, one.a) if isinstance(one, br.Beta) else br.Normal(1 - one.mu, one.sigma)
        )

    alpha = np.array([0.2, 0.5, 0.6])
    one = br.epc_forecast(br.ScoreModel(client, impostor), n_client=80, n_impostor=200, alpha=alpha)
    other = br.epc_forecast(
        br.ScoreModel(mirrored(impostor), mirrored(client)),
        n_client=200, n_impostor=80, alpha=1 - alpha,
    )  # fmt: skip
    swapped = {"accept all": "reject all", "reject all": "accept all"}
    assert [swapped.get(where, where) for where in one.where] == other.where.tolist()
    inside = one.where == "interior"
    assert inside.sum() >= 2
    np.testing.assert_allclose(other.threshold[inside], 1 - one.threshold[inside], rtol=1e-12)
    for name in (*RESULTS, "least"):
        np.testing.assert_allclose(
            getattr(other, name), getattr(one, name), rtol=1e-9, err_msg=name
        )


def test_logit_normal_is_normal_on_the_logit_scale() -> None:
    unit = br.ScoreModel(br.LogitNormal(1.0, 0.8), br.LogitNormal(-1.0, 1.1))
    line = br.ScoreModel(br.Normal(1.0, 0.8), br.Normal(-1.0, 1.1))
    one, other = (br.epc_forecast(m, n_client=60, n_impostor=90) for m in (unit, line))
    for name in ("smooth", "empirical"):
        np.testing.assert_allclose(
            getattr(one, f"{name}_logit_sd"), getattr(other, f"{name}_sd"), rtol=1e-9
        )
        np.testing.assert_allclose(
            getattr(one, f"{name}_excess"), getattr(other, f"{name}_excess"), rtol=1e-9
        )
    assert np.isnan(other.smooth_logit_sd).all()
    inside = one.where == "interior"
    slope = one.threshold * (1 - one.threshold)  # d theta / d logit theta
    np.testing.assert_allclose(
        one.smooth_sd[inside], (one.smooth_logit_sd * slope)[inside], rtol=1e-9
    )


@pytest.mark.parametrize("family", ["beta", "normal", "logit-normal"])
def test_a_fit_forecasts_as_its_model(family: str) -> None:
    rng = np.random.default_rng(53)
    client, impostor = rng.beta(3, 2, 80), rng.beta(2, 3, 90)
    if family == "beta":
        client[:5], impostor[:3], impostor[3:7] = 1.0, 0.0, 1.0
    with_masses = {"boundary": "inflate"} if family == "beta" else {}
    fit = br.fit(br.Scores(client, impostor), family, **with_masses)
    one, other = (br.epc_forecast(f, n_client=50, n_impostor=60) for f in (fit, fit.model))
    assert (one.fitted, other.fitted) == (True, False)
    for name in (*RESULTS, "threshold"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9)
    assert "fitted and taken as true" in str(one)


def test_smooth_part_is_the_threshold_error_of_a_fit() -> None:
    """The central differences of the bands know the same error, to a per cent of an error."""
    from betaroc.decision.bands import threshold_error

    rng = np.random.default_rng(54)
    fit = br.fit(br.Scores(rng.beta(4, 2, 300), rng.beta(2, 4, 400)))
    alpha = np.array([0.3, 0.5, 0.7])
    forecast = br.epc_forecast(fit, n_client=300, n_impostor=400, alpha=alpha)
    error = threshold_error(fit, br.epc(fit, BELL, alpha=alpha))
    np.testing.assert_allclose(
        np.sqrt((error.slope**2).sum(axis=1)), forecast.smooth_logit_sd, rtol=2e-3
    )


def test_ends_of_the_scale_have_no_forecast() -> None:
    # Beta(2, 2) v Beta(1, 1): a hook at one; reject all is best for large alpha.
    model = br.ScoreModel(br.Beta(2.0, 2.0), br.Beta(1.0, 1.0))
    forecast = br.epc_forecast(model, n_client=40, n_impostor=40, alpha=[0.0, 0.3, 0.9, 1.0])
    assert forecast.where.tolist() == ["accept all", "interior", "reject all", "reject all"]
    ends = forecast.where != "interior"
    for name in RESULTS:
        np.testing.assert_array_equal(np.isnan(getattr(forecast, name)), ends)
    np.testing.assert_allclose(forecast.least[[0, 2, 3]], [0.0, 0.1, 0.0], atol=1e-12)
    size = forecast.dev_size(0.01)
    np.testing.assert_array_equal(np.isnan(size.empirical_impostor), ends)
    text = forecast.summary()
    assert "accept all" in text
    assert "reject all" in text
    assert "nan" not in text


def test_an_optimum_at_a_point_mass_is_a_jump() -> None:
    # Rejecting the zeros alone: impostors lose .5, clients .01; beyond, both laws are equal.
    base = br.Beta(2.0, 2.0)
    model = br.ScoreModel(br.Inflated(base, 0.01), br.Inflated(base, 0.5))
    forecast = br.epc_forecast(model, n_client=40, n_impostor=40, alpha=[0.5])
    assert forecast.where.tolist() == ["jump"]
    assert forecast.threshold[0] == 0.0
    assert forecast.least[0] == pytest.approx(0.255, abs=1e-15)
    assert np.isnan(forecast.empirical_sd[0])
    assert "jump" in str(forecast)


def test_laws_outside_the_table_have_the_empirical_part_alone() -> None:
    normal = br.Normal(1.0, 1.0)

    def passed_on(name: str) -> Any:
        if name in {"support", "mean", "var"}:
            return property(lambda _: getattr(normal, name))
        return lambda _, *given, **options: getattr(normal, name)(*given, **options)

    names = {*br.Distribution.__abstractmethods__, "_inverse"}
    own = {name: passed_on(name) for name in names}
    unknown = type("Unknown", (br.Distribution,), own)()
    impostor = br.Normal(-1.0, 1.3)
    one, other = (
        br.epc_forecast(br.ScoreModel(law, impostor), n_client=50, n_impostor=40, alpha=[0.4])
        for law in (unknown, normal)
    )
    assert one.where.tolist() == ["interior"]
    for name in RESULTS:
        if name.startswith("smooth"):
            assert np.isnan(getattr(one, name)[0])
        else:
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-6)


def test_two_families_on_one_scale() -> None:
    """f_c/f_i = 1 at t0: Var t = sum of the score variances over (d log f_c/f_i / dt)^2."""
    model = br.ScoreModel(br.Beta(4.0, 2.0), br.Normal(0.3, 0.2))
    forecast = br.epc_forecast(model, n_client=50, n_impostor=50, alpha=[0.5])
    t = float(forecast.threshold[0])
    z = (t - 0.3) / 0.2
    both = special.psi(6.0)
    g = np.array([math.log(t) - special.psi(4.0) + both, math.log1p(-t) - special.psi(2.0) + both])
    tri = special.polygamma(1, [4.0, 2.0, 6.0])
    information = np.diag(tri[:2]) - tri[2]
    # Normal: (z / sigma)^2 sigma^2 + ((z^2 - 1) / sigma)^2 sigma^2 / 2
    variance = (g @ np.linalg.inv(information) @ g + z**2 + (z**2 - 1) ** 2 / 2) / 50
    slope = 3 / t - 1 / (1 - t) + z / 0.2
    assert forecast.smooth_sd[0] == pytest.approx(math.sqrt(variance) / slope, rel=1e-8)
