"""Forecasts of target rates against order statistics, quadrature, reflection and simulation."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import betaroc as br

BETA = br.ScoreModel(br.Beta(2.0, 1.0), br.Beta(1.0, 3.0))
NORMAL = br.ScoreModel(br.Normal(1.5, 1.0), br.Normal(0.0, 1.0))
UNIFORM = br.ScoreModel(br.Beta(1.0, 1.0), br.Beta(1.0, 1.0))
MOMENTS = ("far", "far_sd", "frr", "frr_sd", "hter", "hter_sd")


def forecast(model: br.ScoreModel, criterion: str, m: int, n: int, alpha: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.ExtrapolationWarning)
        return br.epc_forecast(model, criterion=criterion, n_client=m, n_impostor=n, alpha=alpha)


@pytest.mark.parametrize(("n", "k"), [(9, 1), (20, 5), (300, 3), (50, 49)])
def test_many_clients_leave_the_beta_law_of_an_order_statistic(n: int, k: int) -> None:
    """The next client is next to the impostor that k others lie above."""
    found = forecast(UNIFORM, "far", 10**9, n, [k / n])
    law = stats.beta(k + 1, n - k)
    assert found.counted[0] == k / n
    assert found.far[0] == pytest.approx(law.mean(), rel=1e-6)
    assert found.far_sd[0] == pytest.approx(law.std(), rel=1e-6)
    # FRR = 1 - FAR where both laws are one.
    assert found.frr[0] == pytest.approx(1 - law.mean(), rel=1e-6)
    assert found.hter_sd[0] < 1e-8
    curved = forecast(BETA, "far", 10**9, n, [k / n])

    def frr(far: float) -> float:  # FAR = (1 - t)^3, FRR = t^2
        return float((1 - far ** (1 / 3)) ** 2)

    mean = law.expect(frr)
    assert curved.frr[0] == pytest.approx(mean, rel=2e-5)
    sd = math.sqrt(law.expect(lambda u: (frr(u) - mean) ** 2))
    assert curved.frr_sd[0] == pytest.approx(sd, rel=1e-4)


@pytest.mark.parametrize(("n", "k"), [(9, 1), (20, 5), (300, 3)])
def test_clients_elsewhere_leave_the_middle_of_two_order_statistics(n: int, k: int) -> None:
    """Of uniform scores, with clients within 1e-9 of 1."""
    model = br.ScoreModel(br.Beta(1e9, 1.0), br.Beta(1.0, 1.0))
    found = forecast(model, "far", 1, n, [k / n])
    assert found.far[0] == pytest.approx((k + 0.5) / (n + 1), rel=1e-5)

    def covariance(i: int, j: int) -> float:
        return i * (n + 1 - j) / ((n + 1) ** 2 * (n + 2))

    variance = 0.25 * (covariance(k, k) + covariance(k + 1, k + 1) + 2 * covariance(k, k + 1))
    assert found.far_sd[0] == pytest.approx(math.sqrt(variance), rel=1e-5)


@pytest.mark.parametrize(("n", "m"), [(4, 3), (6, 20)])
def test_no_impostor_above_by_quadrature(n: int, m: int) -> None:
    """Both uniform: x the largest impostor, z the first client above; nobody if there is none."""

    def moment(power: int) -> float:
        def of_x(x: float) -> float:
            alone = (1 - x) ** power * x**m
            beside = integrate.quad(
                lambda z: (1 - 0.5 * (x + z)) ** power * m * (1 - (z - x)) ** (m - 1), x, 1
            )[0]
            return float(n * x ** (n - 1) * (alone + beside))

        return float(integrate.quad(of_x, 0, 1, epsabs=1e-13)[0])

    found = forecast(UNIFORM, "far", m, n, [0.0])
    assert found.far[0] == pytest.approx(moment(1), rel=1e-7)
    assert found.far_sd[0] == pytest.approx(math.sqrt(moment(2) - moment(1) ** 2), rel=1e-6)
    # The lowest client, or everybody accepted where no impostor lies below it.
    other = forecast(UNIFORM, "frr", n, m, [0.0])

    def below(x: float) -> float:  # reflected: FRR half-way to the next impostor, or 0
        beside = integrate.quad(lambda z: 0.5 * (x + z) * m * (1 - (x - z)) ** (m - 1), 0, x)[0]
        return float(n * (1 - x) ** (n - 1) * beside)

    assert other.frr[0] == pytest.approx(integrate.quad(below, 0, 1)[0], rel=1e-7)


def test_all_beyond() -> None:
    """Everybody is accepted; or the largest of all scores is the threshold."""
    found = forecast(UNIFORM, "far", 5, 7, [1.0])
    assert [getattr(found, name)[0] for name in MOMENTS] == [1.0, 0.0, 0.0, 0.0, 0.5, 0.0]
    other = forecast(UNIFORM, "frr", 5, 7, [1.0])
    assert other.frr[0] == pytest.approx(12 / 13, rel=1e-7)
    assert other.far_sd[0] == pytest.approx(stats.beta(12, 1).std(), rel=1e-6)


@pytest.mark.simulation
def test_reflection_swaps_the_classes() -> None:
    """1 - s: clients become impostors and FAR becomes FRR; ties too, by their HTER."""
    mirrored = br.ScoreModel(br.Beta(3.0, 1.0), br.Beta(1.0, 2.0))
    for m, n in ((20, 50), (7, 10), (31, 9)):
        # Every second one is a tie; where no score lies beyond, rejecting all is no mirror of
        # accepting all.
        alpha = (np.arange(2, 2 * n - 2, 5) / (2 * n)).tolist()
        one = forecast(BETA, "far", m, n, alpha)
        other = forecast(mirrored, "frr", n, m, alpha)
        for a, b in (("far", "frr"), ("frr", "far"), ("hter", "hter")):
            for sd in ("", "_sd"):
                np.testing.assert_allclose(
                    getattr(one, a + sd), getattr(other, b + sd), rtol=2e-5, err_msg=a
                )
        np.testing.assert_allclose(one.counted, other.counted, rtol=1e-9)


def test_complements_are_the_same_thresholds() -> None:
    alpha = [0.1, 0.25, 0.8]
    for name, of in (("specificity", "far"), ("recall", "frr"), ("sensitivity", "frr")):
        one = forecast(NORMAL, name, 30, 40, alpha)
        other = forecast(NORMAL, of, 30, 40, [0.9, 0.75, 0.2])
        for moment in MOMENTS:
            np.testing.assert_allclose(getattr(one, moment), getattr(other, moment), rtol=1e-12)
        np.testing.assert_allclose(one.counted, 1 - other.counted, rtol=1e-12)
        np.testing.assert_allclose(one.threshold, other.threshold, rtol=1e-9)


def simulated(model: br.ScoreModel, criterion: str, m: int, n: int, alpha: float, reps: int) -> Any:
    rng = np.random.default_rng(11)
    found = []
    for _ in range(reps):
        scores = br.Scores(model.client.sample(m, rng), model.impostor.sample(n, rng))
        curve = br.epc(scores, model, criterion=criterion, alpha=[alpha])
        found.append([curve.far[0], curve.frr[0], curve.value[0]])
    return np.array(found)


SIMULATED = [
    (BETA, "far", 20, 30, 0.1), (BETA, "far", 10, 10, 0.05), (NORMAL, "frr", 5, 50, 0.1),
    (NORMAL, "frr", 7, 7, 0.5), (BETA, "far", 7, 7, 0.5), (NORMAL, "frr", 10, 10, 0.95),
    (BETA, "far", 10, 10, 0.95), (NORMAL, "far", 4, 90, 0.03), (NORMAL, "recall", 50, 10, 0.95),
    (BETA, "specificity", 9, 9, 0.0), (NORMAL, "far", 50, 10, 0.05),
]  # fmt: skip


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")
@pytest.mark.parametrize(
    ("model", "criterion", "m", "n", "alpha"),
    [pytest.param(*c, marks=pytest.mark.nightly if k % 2 else ()) for k, c in enumerate(SIMULATED)],
)
def test_dev_sets_do_what_is_forecast(model, criterion, m, n, alpha) -> None:
    """600 dev sets: means to 4.5 errors, spreads to 20 % (their error is at most 5 %)."""
    values = simulated(model, criterion, m, n, alpha, 600)
    found = forecast(model, criterion, m, n, [alpha])
    for column, name in enumerate(("far", "frr", "hter")):
        own = values[:, column]
        error = own.std() / math.sqrt(own.size)
        assert abs(own.mean() - getattr(found, name)[0]) <= 4.5 * error + 1e-12, name
        assert own.std() == pytest.approx(getattr(found, f"{name}_sd")[0], rel=0.2, abs=1e-9)


@pytest.mark.simulation
def test_planned_scores_that_speak_for_a_rate() -> None:
    found = br.epc_forecast(NORMAL, criterion="frr", n_client=200, n_impostor=50, alpha=[0.05, 0.9])
    np.testing.assert_allclose(found.n_beyond, [10.0, 20.0])
    with pytest.warns(br.ExtrapolationWarning, match=r"FAR 0\.001 .* about 3000 would do"):
        few = br.epc_forecast(NORMAL, criterion="far", n_client=9, n_impostor=200, alpha=[0.001])
    assert few.n_beyond[0] == pytest.approx(0.2)
    with pytest.warns(br.ExtrapolationWarning, match="2 of 4 targets"):
        br.epc_forecast(
            NORMAL, criterion="far", n_client=9, n_impostor=20, alpha=[0.0, 0.01, 0.02, 1.0]
        )
    # What was not asked for says nothing aloud.
    assert br.epc_forecast(NORMAL, criterion="far", n_client=3, n_impostor=3).n_beyond[1] == 0.03
    weighted = br.epc_forecast(NORMAL, n_client=200, n_impostor=50, alpha=[0.5])
    # At .75 both rates are Phi(-.75); the impostors are fewer.
    assert weighted.n_beyond[0] == pytest.approx(50 * stats.norm.cdf(-0.75), rel=1e-9)
    assert weighted.to_frame()["n_beyond"].tolist() == weighted.n_beyond.tolist()
    fit = br.fit(br.Scores(np.linspace(0.3, 0.9, 40), np.linspace(0.1, 0.7, 30)))
    own = br.epc_forecast(fit, criterion="far", n_client=40, n_impostor=30, alpha=[0.1])
    assert own.fitted
    assert "fitted and taken as true" in str(own)
