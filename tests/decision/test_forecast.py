"""Forecasts against mpmath, simulation, scaling laws and symmetries."""

import json
import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, stats

import betaroc as br
from betaroc.decision.forecast import CHERNOFF_VARIANCE
from helpers.kumaraswamy import Kumaraswamy
from helpers.places import REFERENCES

approx = pytest.approx
REFERENCE = json.loads((REFERENCES / "forecast.json").read_text(encoding="utf-8"))
LAWS = {"beta": br.Beta, "normal": br.Normal, "logit-normal": br.LogitNormal}
BELL = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
RESULTS = ("smooth_sd", "smooth_excess", "smooth_hter_sd", "empirical_sd",
    "empirical_excess", "empirical_hter_sd", "optimism")  # fmt: skip


def law(row):
    return LAWS[row[0]](row[1], row[2])


@pytest.mark.parametrize("case", REFERENCE["cases"], ids=lambda case: str(case["client"]))
def test_forecasts_of_mpmath(case):
    model = br.ScoreModel(law(case["client"]), law(case["impostor"]))
    asked = {key: case[key] for key in ("n_client", "n_impostor")} | {"alpha": [case["alpha"]]}
    for forecast in (br.epc_forecast(one, **asked) for one in (model, model.generic())):
        assert forecast.where.tolist() == ["interior"]
        for name in ("threshold", *RESULTS):
            expected = approx(float(case[name]), rel=1e-9, abs=1e-14)
            assert getattr(forecast, name)[0] == expected, name


@pytest.mark.nightly
def test_empirical_excess_and_optimism_are_met_from_below():
    """Simulated over forecast: .95 expected, with a Monte Carlo error of .05."""
    n, rng, theta, least = 1000, np.random.default_rng(51), np.empty(800), np.empty(800)
    for k in range(theta.size):
        scores = br.Scores(rng.beta(4, 2, n), rng.beta(2, 4, n))
        theta[k] = br.epc(scores, BELL, alpha=[0.5]).threshold[0]
        rejected, accepted = np.mean(scores.client <= theta[k]), np.mean(scores.impostor > theta[k])
        least[k] = 0.5 * (rejected + accepted)
    forecast = br.epc_forecast(BELL, n_client=n, n_impostor=n, alpha=[0.5])
    excess = 0.5 * (stats.beta(2, 4).sf(theta) + stats.beta(4, 2).cdf(theta)) - 0.1875  # at 1/2
    assert 0.8 <= excess.mean() / forecast.empirical_excess[0] <= 1.05
    assert 0.8 <= (0.1875 - least.mean()) / forecast.optimism[0] <= 1.05


def test_size_for_an_excess_is_the_inverse():
    model = br.ScoreModel(br.Beta(2.0, 0.8), br.Beta(0.8, 2.0))
    one = br.epc_forecast(model, n_client=100, n_impostor=300, alpha=[0.3, 0.5])
    for k, wanted in enumerate([0.002, 0.0001]):
        size = one.dev_size(wanted)
        for way, n_client, n_impostor in (("smooth", *size[:2]), ("empirical", *size[2:])):
            assert n_impostor[k] == approx(3 * n_client[k], abs=3)
            enough = br.epc_forecast(model, n_client=int(n_client[k]),
                n_impostor=int(n_impostor[k]), alpha=one.alpha)  # fmt: skip
            found = getattr(enough, f"{way}_excess")[k]
            # Rounding up adds at most one score to each class.
            assert wanted * (1 - 2 / n_client[k]) <= found <= wanted * (1 + 1e-9)
    same = one.dev_size(float(one.smooth_excess[0]))
    assert (same.smooth_client[0], same.smooth_impostor[0]) == (100, 300)


def test_reflection_swaps_the_classes():
    """1 - s: clients become impostors, alpha becomes 1 - alpha, FAR becomes FRR."""
    client, impostor = br.Beta(3.0, 2.0), br.Beta(2.0, 3.0)  # each the other's mirror
    model = br.ScoreModel(br.Inflated(client, 0.05, 0.2), br.Inflated(impostor, 0.1, 0.03))
    mirror = br.ScoreModel(br.Inflated(client, 0.03, 0.1), br.Inflated(impostor, 0.2, 0.05))
    alpha = np.array([0.2, 0.5, 0.6])
    one = br.epc_forecast(model, n_client=80, n_impostor=200, alpha=alpha)
    other = br.epc_forecast(mirror, n_client=200, n_impostor=80, alpha=1 - alpha)
    inside = one.where == "interior"
    assert inside.sum() >= 2
    assert_allclose(other.threshold[inside], 1 - one.threshold[inside], rtol=1e-12)
    for name in (*RESULTS, "least"):
        assert_allclose(getattr(other, name), getattr(one, name), rtol=1e-9, err_msg=name)


def test_chernoffs_constants():
    assert REFERENCE["total_probability"] == "1.0"
    assert float(REFERENCE["chernoff_variance"]) == CHERNOFF_VARIANCE
    # Janson, Louchard and Martin-Lof: E max(W(t) - t^2/2) = 0.99619301992836; t = 2^(-2/3) u.
    assert 3 * CHERNOFF_VARIANCE == approx(2 ** (-1 / 3) * 0.99619301992836, rel=1e-12)


def test_ends_of_the_scale_and_jumps_have_no_forecast():
    # Beta(2, 2) v Beta(1, 1): a hook at one; reject all is best for large alpha.
    model = br.ScoreModel(br.Beta(2.0, 2.0), br.Beta(1.0, 1.0))
    forecast = br.epc_forecast(model, n_client=40, n_impostor=40, alpha=[0.0, 0.3, 0.9, 1.0])
    assert forecast.where.tolist() == ["accept all", "interior", "reject all", "reject all"]
    ends = forecast.where != "interior"
    for name in RESULTS:
        assert_array_equal(np.isnan(getattr(forecast, name)), ends)
    assert_allclose(forecast.least[[0, 2, 3]], [0.0, 0.1, 0.0], atol=1e-12)
    assert_array_equal(np.isnan(forecast.dev_size(0.01).empirical_impostor), ends)
    text = forecast.summary()
    assert all(words in text for words in ("accept all", "reject all", "0.007"))
    assert "nan" not in text
    # Rejecting the zeros alone: impostors lose .5, clients .01; beyond, both laws are equal.
    base = br.Beta(2.0, 2.0)
    model = br.ScoreModel(br.Inflated(base, 0.01), br.Inflated(base, 0.5))
    forecast = br.epc_forecast(model, n_client=40, n_impostor=40, alpha=[0.5])
    assert (forecast.where.tolist(), forecast.threshold[0]) == (["jump"], 0.0)
    assert forecast.least[0] == approx(0.255, abs=1e-15)
    assert np.isnan(forecast.empirical_sd[0])
    assert "jump" in str(forecast)


def test_laws_outside_the_table_have_the_empirical_part_alone():
    class Unknown(Kumaraswamy):
        def _parameters(self):
            return ()

    models = (br.ScoreModel(law(3.0, 1.0), br.Beta(2.0, 3.0)) for law in (Unknown, br.Beta))
    one, other = (br.epc_forecast(m, n_client=50, n_impostor=40, alpha=[0.4]) for m in models)
    assert one.where.tolist() == ["interior"]
    for name in RESULTS:
        if name.startswith("smooth"):
            assert np.isnan(getattr(one, name)[0])
        else:
            assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-6)


BETA = br.ScoreModel(br.Beta(2.0, 1.0), br.Beta(1.0, 3.0))
NORMAL = br.ScoreModel(br.Normal(1.5, 1.0), br.Normal(0.0, 1.0))
UNIFORM = br.ScoreModel(br.Beta(1.0, 1.0), br.Beta(1.0, 1.0))
MOMENTS = ("far", "far_sd", "frr", "frr_sd", "hter", "hter_sd")


def forecast(model, criterion, m, n, alpha):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.ExtrapolationWarning)
        return br.epc_forecast(model, criterion=criterion, n_client=m, n_impostor=n, alpha=alpha)


@pytest.mark.parametrize(("n", "k"), [(9, 1), (50, 49)])
def test_many_clients_leave_the_beta_law_of_an_order_statistic(n, k):
    """The next client is next to the impostor that k others lie above."""
    found, law = forecast(UNIFORM, "far", 10**9, n, [k / n]), stats.beta(k + 1, n - k)
    assert (found.counted[0], found.far[0]) == (k / n, approx(law.mean(), rel=1e-6))
    assert found.far_sd[0] == approx(law.std(), rel=1e-6)
    # FRR = 1 - FAR where both laws are one.
    assert found.frr[0] == approx(1 - law.mean(), rel=1e-6)
    assert found.hter_sd[0] < 1e-8
    curved = forecast(BETA, "far", 10**9, n, [k / n])

    def frr(far):  # FAR = (1 - t)^3, FRR = t^2
        return float((1 - far ** (1 / 3)) ** 2)

    mean = law.expect(frr)
    assert curved.frr[0] == approx(mean, rel=2e-5)
    sd = math.sqrt(law.expect(lambda u: (frr(u) - mean) ** 2))
    assert curved.frr_sd[0] == approx(sd, rel=1e-4)


@pytest.mark.simulation
def test_ties_take_the_smaller_hter_then_the_lower_threshold():
    """1.5 of 6: FAR is counted at 2 of 6 if a client lies between both scores, FRR if two do; f of
    m lie in a gap of n with chance C(m - f + n, n) / C(m + n, n), both laws being one."""
    for name, f in (("far", 1), ("frr", 2)):
        share = math.comb(12 - f, 6) / math.comb(12, 6)
        plan = forecast(UNIFORM, name, 6, 6, [0.25])
        assert plan.counted[0] == approx((1 + share) / 6, rel=1e-6)
    mirrored = br.ScoreModel(br.Beta(3.0, 1.0), br.Beta(1.0, 2.0))
    one, other = forecast(BETA, "far", 7, 10, [0.35]), forecast(mirrored, "frr", 10, 7, [0.35])
    assert_allclose([one.frr_sd, one.hter], [other.far_sd, other.hter], rtol=2e-5)


@pytest.mark.parametrize(("n", "m"), [(4, 3), (6, 20)])
def test_no_impostor_above_by_quadrature(n, m):
    """Both uniform: x the largest impostor, z the first client above; nobody if there is none."""

    def moment(power):
        def of_x(x):
            alone = (1 - x) ** power * x**m
            beside = integrate.quad(lambda z: (1 - 0.5 * (x + z)) ** power * m
                * (1 - (z - x)) ** (m - 1), x, 1)[0]  # fmt: skip
            return float(n * x ** (n - 1) * (alone + beside))

        return float(integrate.quad(of_x, 0, 1, epsabs=1e-13)[0])

    found = forecast(UNIFORM, "far", m, n, [0.0])
    assert found.far[0] == approx(moment(1), rel=1e-7)
    assert found.far_sd[0] == approx(math.sqrt(moment(2) - moment(1) ** 2), rel=1e-6)


def test_all_beyond_and_complements():
    """Everybody is accepted; or the largest of all scores is the threshold."""
    found = forecast(UNIFORM, "far", 5, 7, [1.0])
    assert [getattr(found, name)[0] for name in MOMENTS] == [1.0, 0.0, 0.0, 0.0, 0.5, 0.0]
    other = forecast(UNIFORM, "frr", 5, 7, [1.0])
    assert other.frr[0] == approx(12 / 13, rel=1e-7)
    assert other.far_sd[0] == approx(stats.beta(12, 1).std(), rel=1e-6)
    alpha = [0.1, 0.25, 0.8]
    for name, of in (("specificity", "far"), ("recall", "frr")):
        one = forecast(NORMAL, name, 30, 40, alpha)
        other = forecast(NORMAL, of, 30, 40, [0.9, 0.75, 0.2])
        for moment in MOMENTS:
            assert_allclose(getattr(one, moment), getattr(other, moment), rtol=1e-12)
        assert_allclose(one.counted, 1 - other.counted, rtol=1e-12)
        assert_allclose(one.threshold, other.threshold, rtol=1e-9)


@pytest.mark.simulation
def test_planned_scores_that_speak_for_a_rate():
    plan = br.epc_forecast(NORMAL, criterion="frr", n_client=200, n_impostor=50, alpha=[0.05, 0.9])
    assert_allclose(plan.n_beyond, [10.0, 20.0])
    with pytest.warns(br.ExtrapolationWarning, match=r"FAR 0\.001 .* about 3000 would do"):
        br.epc_forecast(NORMAL, criterion="far", n_client=9, n_impostor=200, alpha=[0.001])
    with pytest.warns(br.ExtrapolationWarning, match="2 of 4 targets"):
        br.epc_forecast(NORMAL, criterion="far", n_client=9, n_impostor=20,
            alpha=[0.0, 0.01, 0.02, 1.0])  # fmt: skip
    weighted = br.epc_forecast(NORMAL, n_client=200, n_impostor=50, alpha=[0.5])
    # At .75 both rates are Phi(-.75); the impostors are fewer.
    assert weighted.n_beyond[0] == approx(50 * stats.norm.cdf(-0.75), rel=1e-9)
    assert weighted.to_frame()["n_beyond"].tolist() == weighted.n_beyond.tolist()
