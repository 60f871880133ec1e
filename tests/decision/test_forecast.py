"""Forecasts against mpmath, simulation, scaling laws and symmetries."""

import json
import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, optimize, special, stats

import betaroc as br
from betaroc.decision.forecast import CHERNOFF_VARIANCE
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
@pytest.mark.parametrize("generic", [False, True])
def test_forecasts_of_mpmath(case, generic):
    model = br.ScoreModel(law(case["client"]), law(case["impostor"]))
    model = model.generic() if generic else model
    forecast = br.epc_forecast(model, n_client=case["n_client"], n_impostor=case["n_impostor"],
        alpha=[case["alpha"]])  # fmt: skip
    assert forecast.where.tolist() == ["interior"]
    for name in ("threshold", *RESULTS):
        found, expected = getattr(forecast, name)[0], float(case[name])
        assert found == approx(expected, rel=1e-9, abs=1e-14), name


def excess(theta):
    error = 0.5 * (stats.beta(2, 4).sf(theta) + stats.beta(4, 2).cdf(theta))
    return np.asarray(error - 0.1875)  # 3/16, at 1/2


@pytest.mark.simulation
@pytest.mark.parametrize(("n", "pairs"), [(200, 1000), (1000, 1000)])
def test_smooth_excess_is_met(n, pairs):
    """(t - t0)^2 of a normal error: the mean of 1000 has a relative error of .045."""
    rng, shapes = np.random.default_rng(50), []
    for a, b in ((4.0, 2.0), (2.0, 4.0)):
        scores = rng.beta(a, b, (pairs, n))
        shapes += [*br.beta_mle(np.log(scores).mean(axis=1), np.log1p(-scores).mean(axis=1))[:2]]
    a_c, b_c, a_i, b_i = shapes

    def ratio(y, k):
        x = special.expit(y)
        logs = (a_c[k] - a_i[k]) * math.log(x) + (b_c[k] - b_i[k]) * math.log1p(-x)
        return float(logs + special.betaln(a_i[k], b_i[k]) - special.betaln(a_c[k], b_c[k]))

    theta = np.array([special.expit(optimize.brentq(ratio, -3, 3, (k,))) for k in range(pairs)])
    forecast = br.epc_forecast(BELL, n_client=n, n_impostor=n, alpha=[0.5])
    assert excess(theta).mean() == approx(forecast.smooth_excess[0], rel=0.15)
    assert theta.std() == approx(forecast.smooth_sd[0], rel=4 * math.sqrt(0.5 / pairs))


@pytest.mark.simulation
@pytest.mark.parametrize(("n", "low"), [(200, 0.75), (1000, 0.8)])
def test_empirical_excess_and_optimism_are_met_from_below(n, low):
    """Simulated over forecast: .92 and .95 expected, with a Monte Carlo error of .05."""
    rng, theta, least = np.random.default_rng(51), np.empty(800), np.empty(800)
    for k in range(theta.size):
        scores = br.Scores(rng.beta(4, 2, n), rng.beta(2, 4, n))
        theta[k] = br.epc(scores, BELL, alpha=[0.5]).threshold[0]
        rejected, accepted = np.mean(scores.client <= theta[k]), np.mean(scores.impostor > theta[k])
        least[k] = 0.5 * (rejected + accepted)
    forecast = br.epc_forecast(BELL, n_client=n, n_impostor=n, alpha=[0.5])
    assert low <= excess(theta).mean() / forecast.empirical_excess[0] <= 1.05
    assert low <= (0.1875 - least.mean()) / forecast.optimism[0] <= 1.05


@pytest.mark.nightly
def test_hter_varies_at_first_order():
    """alpha .2, beta fits of 400 scores a class; 300 fits: the error of a deviation is .04."""
    rng, values = np.random.default_rng(52), []
    for _ in range(300):
        fit = br.fit(br.Scores(rng.beta(4, 2, 400), rng.beta(2, 4, 400)))
        values.append(br.epc(fit, BELL, alpha=[0.2]).value[0])
    forecast = br.epc_forecast(BELL, n_client=400, n_impostor=400, alpha=[0.2])
    assert np.std(values) == approx(forecast.smooth_hter_sd[0], rel=0.16)


def test_floor_of_a_wrong_family():
    """Beta laws nearest to clients .8 Beta(6, 2) + .2 Beta(2, 6), impostors Beta(2, 6)."""
    parts = ((0.8, 6.0, 2.0), (0.2, 2.0, 6.0))
    means = [sum(w * (special.psi(one) - special.psi(8.0)) for w, *ab in parts for one in [ab[k]])
        for k in (0, 1)]  # fmt: skip
    a, b, converged = br.beta_mle(*means)
    assert converged
    wrong = br.ScoreModel(br.Beta(a, b), br.Beta(2.0, 6.0)).min_weighted_error(0.5).threshold

    def error(t):
        frr = sum(w * stats.beta(a, b).cdf(t) for w, a, b in parts)
        return float(0.5 * (stats.beta(2, 6).sf(t) + frr))

    assert round(error(wrong) - optimize.minimize_scalar(error, (0.4, 0.5)).fun, 3) == 0.007
    assert "0.007" in br.epc_forecast(BELL, n_client=9, n_impostor=9).summary()


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
    same = one.dev_size(float(one.empirical_excess[1]))
    assert (same.empirical_client[1], same.empirical_impostor[1]) == (100, 300)


@pytest.mark.parametrize(("client", "impostor"), [
    (br.Beta(3.0, 0.7), br.Beta(0.5, 1.5)),
    (br.Normal(0.8, 0.3), br.Normal(0.3, 0.4)),
    (br.Inflated(br.Beta(3.0, 2.0), 0.05, 0.2), br.Inflated(br.Beta(2.0, 3.0), 0.1, 0.03)),
])  # fmt: skip
def test_reflection_swaps_the_classes(client, impostor):
    """1 - s: clients become impostors, alpha becomes 1 - alpha, FAR becomes FRR."""

    def mirrored(one):
        if isinstance(one, br.Inflated):
            return br.Inflated(mirrored(one.base), one.at_one, one.at_zero)
        return (br.Beta(one.b, one.a)
            if isinstance(one, br.Beta) else br.Normal(1 - one.mu, one.sigma))  # fmt: skip

    alpha = np.array([0.2, 0.5, 0.6])
    one = br.epc_forecast(br.ScoreModel(client, impostor), n_client=80, n_impostor=200, alpha=alpha)
    other = br.epc_forecast(br.ScoreModel(mirrored(impostor), mirrored(client)), n_client=200,
        n_impostor=80, alpha=1 - alpha)  # fmt: skip
    swapped = {"accept all": "reject all", "reject all": "accept all"}
    assert [swapped.get(where, where) for where in one.where] == other.where.tolist()
    inside = one.where == "interior"
    assert inside.sum() >= 2
    assert_allclose(other.threshold[inside], 1 - one.threshold[inside], rtol=1e-12)
    for name in (*RESULTS, "least"):
        assert_allclose(getattr(other, name), getattr(one, name), rtol=1e-9, err_msg=name)


def test_logit_normal_is_normal_on_the_logit_scale():
    unit = br.ScoreModel(br.LogitNormal(1.0, 0.8), br.LogitNormal(-1.0, 1.1))
    line = br.ScoreModel(br.Normal(1.0, 0.8), br.Normal(-1.0, 1.1))
    one, other = (br.epc_forecast(m, n_client=60, n_impostor=90) for m in (unit, line))
    for name in ("smooth", "empirical"):
        assert_allclose(getattr(one, f"{name}_logit_sd"), getattr(other, f"{name}_sd"), rtol=1e-9)
        assert_allclose(getattr(one, f"{name}_excess"), getattr(other, f"{name}_excess"), rtol=1e-9)
    assert np.isnan(other.smooth_logit_sd).all()
    inside = one.where == "interior"
    slope = one.threshold * (1 - one.threshold)  # d theta / d logit theta
    assert_allclose(one.smooth_sd[inside], (one.smooth_logit_sd * slope)[inside], rtol=1e-9)


@pytest.mark.parametrize("family", ["beta", "normal", "logit-normal"])
def test_a_fit_forecasts_as_its_model(family):
    rng = np.random.default_rng(53)
    client, impostor = rng.beta(3, 2, 80), rng.beta(2, 3, 90)
    if family == "beta":
        client[:5], impostor[:3], impostor[3:7] = 1.0, 0.0, 1.0
    with_masses = {"boundary": "inflate"} if family == "beta" else {}
    fit = br.fit(br.Scores(client, impostor), family, **with_masses)
    one, other = (br.epc_forecast(f, n_client=50, n_impostor=60) for f in (fit, fit.model))
    assert (one.fitted, other.fitted) == (True, False)
    for name in (*RESULTS, "threshold"):
        assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9)
    assert "fitted and taken as true" in str(one)


def test_smooth_parts_and_chernoffs_constants():
    """The central differences of the bands know the same error, to a per cent of an error."""
    from betaroc.decision.bands import threshold_error

    rng = np.random.default_rng(54)
    fit = br.fit(br.Scores(rng.beta(4, 2, 300), rng.beta(2, 4, 400)))
    alpha = np.array([0.3, 0.5, 0.7])
    forecast = br.epc_forecast(fit, n_client=300, n_impostor=400, alpha=alpha)
    error = threshold_error(fit, br.epc(fit, BELL, alpha=alpha))
    assert_allclose(np.sqrt((error.slope**2).sum(axis=1)), forecast.smooth_logit_sd, rtol=2e-3)
    # f_c/f_i = 1 at t0: Var t = sum of the score variances over (d log f_c/f_i / dt)^2.
    model = br.ScoreModel(br.Beta(4.0, 2.0), br.Normal(0.3, 0.2))
    forecast = br.epc_forecast(model, n_client=50, n_impostor=50, alpha=[0.5])
    t = float(forecast.threshold[0])
    z, both = (t - 0.3) / 0.2, special.psi(6.0)
    g = np.array([math.log(t) - special.psi(4.0) + both, math.log1p(-t) - special.psi(2.0) + both])
    tri = special.polygamma(1, [4.0, 2.0, 6.0])
    information = np.diag(tri[:2]) - tri[2]
    # Normal: (z / sigma)^2 sigma^2 + ((z^2 - 1) / sigma)^2 sigma^2 / 2
    variance = (g @ np.linalg.inv(information) @ g + z**2 + (z**2 - 1) ** 2 / 2) / 50
    slope = 3 / t - 1 / (1 - t) + z / 0.2
    assert forecast.smooth_sd[0] == approx(math.sqrt(variance) / slope, rel=1e-8)
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
    assert "accept all" in text
    assert "reject all" in text
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
    normal = br.Normal(1.0, 1.0)

    def passed_on(name):
        if name in {"support", "mean", "var"}:
            return property(lambda _: getattr(normal, name))
        return lambda _, *given, **options: getattr(normal, name)(*given, **options)

    names = {*br.Distribution.__abstractmethods__, "_inverse"}
    unknown = type("Unknown", (br.Distribution,), {name: passed_on(name) for name in names})()
    impostor = br.Normal(-1.0, 1.3)
    one, other = (br.epc_forecast(br.ScoreModel(law, impostor), n_client=50, n_impostor=40,
        alpha=[0.4]) for law in (unknown, normal))  # fmt: skip
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


@pytest.mark.parametrize(("n", "k"), [(9, 1), (20, 5), (300, 3), (50, 49)])
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


@pytest.mark.parametrize(("n", "k"), [(9, 1), (20, 5), (300, 3)])
def test_clients_elsewhere_leave_the_middle_of_two_order_statistics(n, k):
    """Of uniform scores, with clients within 1e-9 of 1."""
    found = forecast(br.ScoreModel(br.Beta(1e9, 1.0), br.Beta(1.0, 1.0)), "far", 1, n, [k / n])
    assert found.far[0] == approx((k + 0.5) / (n + 1), rel=1e-5)

    def covariance(i, j):
        return i * (n + 1 - j) / ((n + 1) ** 2 * (n + 2))

    variance = 0.25 * (covariance(k, k) + covariance(k + 1, k + 1) + 2 * covariance(k, k + 1))
    assert found.far_sd[0] == approx(math.sqrt(variance), rel=1e-5)


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
    # The lowest client, or everybody accepted where no impostor lies below it.
    other = forecast(UNIFORM, "frr", n, m, [0.0])

    def below(x):  # reflected: FRR half-way to the next impostor, or 0
        beside = integrate.quad(lambda z: 0.5 * (x + z) * m * (1 - (x - z)) ** (m - 1), 0, x)[0]
        return float(n * (1 - x) ** (n - 1) * beside)

    assert other.frr[0] == approx(integrate.quad(below, 0, 1)[0], rel=1e-7)


def test_all_beyond_and_complements():
    """Everybody is accepted; or the largest of all scores is the threshold."""
    found = forecast(UNIFORM, "far", 5, 7, [1.0])
    assert [getattr(found, name)[0] for name in MOMENTS] == [1.0, 0.0, 0.0, 0.0, 0.5, 0.0]
    other = forecast(UNIFORM, "frr", 5, 7, [1.0])
    assert other.frr[0] == approx(12 / 13, rel=1e-7)
    assert other.far_sd[0] == approx(stats.beta(12, 1).std(), rel=1e-6)
    alpha = [0.1, 0.25, 0.8]
    for name, of in (("specificity", "far"), ("recall", "frr"), ("sensitivity", "frr")):
        one = forecast(NORMAL, name, 30, 40, alpha)
        other = forecast(NORMAL, of, 30, 40, [0.9, 0.75, 0.2])
        for moment in MOMENTS:
            assert_allclose(getattr(one, moment), getattr(other, moment), rtol=1e-12)
        assert_allclose(one.counted, 1 - other.counted, rtol=1e-12)
        assert_allclose(one.threshold, other.threshold, rtol=1e-9)


@pytest.mark.simulation
def test_reflection_swaps_the_classes_target():
    """1 - s: clients become impostors and FAR becomes FRR; ties too, by their HTER."""
    mirrored = br.ScoreModel(br.Beta(3.0, 1.0), br.Beta(1.0, 2.0))
    for m, n in ((20, 50), (7, 10), (31, 9)):
        # Every second one is a tie; where no score lies beyond, rejecting all is no mirror of
        # accepting all.
        alpha = (np.arange(2, 2 * n - 2, 5) / (2 * n)).tolist()
        one, other = forecast(BETA, "far", m, n, alpha), forecast(mirrored, "frr", n, m, alpha)
        for a, b in (("far", "frr"), ("frr", "far"), ("hter", "hter")):
            for sd in ("", "_sd"):
                assert_allclose(getattr(one, a + sd), getattr(other, b + sd), rtol=2e-5, err_msg=a)
        assert_allclose(one.counted, other.counted, rtol=1e-9)


def simulated(model, criterion, m, n, alpha, reps):
    rng, found = np.random.default_rng(11), []
    for _ in range(reps):
        scores = br.Scores(model.client.sample(m, rng), model.impostor.sample(n, rng))
        curve = br.epc(scores, model, criterion=criterion, alpha=[alpha])
        found.append([curve.far[0], curve.frr[0], curve.value[0]])
    return np.array(found)


SIMULATED = [(BETA, "far", 20, 30, 0.1), (BETA, "far", 10, 10, 0.05), (NORMAL, "frr", 5, 50, 0.1),
    (NORMAL, "frr", 7, 7, 0.5), (BETA, "far", 7, 7, 0.5), (NORMAL, "frr", 10, 10, 0.95),
    (BETA, "far", 10, 10, 0.95), (NORMAL, "far", 4, 90, 0.03), (NORMAL, "recall", 50, 10, 0.95),
    (BETA, "specificity", 9, 9, 0.0), (NORMAL, "far", 50, 10, 0.05)]  # fmt: skip


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")
@pytest.mark.parametrize(("model", "criterion", "m", "n", "alpha"), [pytest.param(*c,
    marks=pytest.mark.nightly if k % 2 else ()) for k, c in enumerate(SIMULATED)])  # fmt: skip
def test_dev_sets_do_what_is_forecast(model, criterion, m, n, alpha):
    """600 dev sets: means to 4.5 errors, spreads to 20 % (their error is at most 5 %)."""
    values = simulated(model, criterion, m, n, alpha, 600)
    found = forecast(model, criterion, m, n, [alpha])
    for column, name in enumerate(("far", "frr", "hter")):
        own = values[:, column]
        error = own.std() / math.sqrt(own.size)
        assert abs(own.mean() - getattr(found, name)[0]) <= 4.5 * error + 1e-12, name
        assert own.std() == approx(getattr(found, f"{name}_sd")[0], rel=0.2, abs=1e-9)


@pytest.mark.simulation
def test_planned_scores_that_speak_for_a_rate():
    found = br.epc_forecast(NORMAL, criterion="frr", n_client=200, n_impostor=50, alpha=[0.05, 0.9])
    assert_allclose(found.n_beyond, [10.0, 20.0])
    with pytest.warns(br.ExtrapolationWarning, match=r"FAR 0\.001 .* about 3000 would do"):
        few = br.epc_forecast(NORMAL, criterion="far", n_client=9, n_impostor=200, alpha=[0.001])
    assert few.n_beyond[0] == approx(0.2)
    with pytest.warns(br.ExtrapolationWarning, match="2 of 4 targets"):
        br.epc_forecast(NORMAL, criterion="far", n_client=9, n_impostor=20,
            alpha=[0.0, 0.01, 0.02, 1.0])  # fmt: skip
    # What was not asked for says nothing aloud.
    assert br.epc_forecast(NORMAL, criterion="far", n_client=3, n_impostor=3).n_beyond[1] == 0.03
    weighted = br.epc_forecast(NORMAL, n_client=200, n_impostor=50, alpha=[0.5])
    # At .75 both rates are Phi(-.75); the impostors are fewer.
    assert weighted.n_beyond[0] == approx(50 * stats.norm.cdf(-0.75), rel=1e-9)
    assert weighted.to_frame()["n_beyond"].tolist() == weighted.n_beyond.tolist()
    fit = br.fit(br.Scores(np.linspace(0.3, 0.9, 40), np.linspace(0.1, 0.7, 30)))
    own = br.epc_forecast(fit, criterion="far", n_client=40, n_impostor=30, alpha=[0.1])
    assert own.fitted
    assert "fitted and taken as true" in str(own)
