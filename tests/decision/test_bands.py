"""Bands of expected performance curves against row resampling, binomial laws and simulation."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import betaroc as br
from betaroc.decision.bands import threshold_error
from helpers.places import benchmark

approx = pytest.approx

# Few scores make tests fast; which rates they speak for is tested elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::betaroc.core.errors.ExtrapolationWarning")

ALPHAS = np.linspace(0.2, 0.8, 13)


def normal_scores(rng, clients, impostors):
    return br.Scores(np.round(rng.normal(0.8, 1.0, clients), 2),
        np.round(rng.normal(-0.8, 1.2, impostors), 2))  # fmt: skip


@pytest.fixture(scope="module")
def sides():
    rng = np.random.default_rng(11)
    return normal_scores(rng, 300, 500), normal_scores(rng, 700, 1300)


@pytest.mark.simulation
def test_one_rate_has_the_quantiles_of_its_binomial_law(sides):
    dev, test = sides
    curve = br.epc(dev, test, measure="far", alpha=ALPHAS)
    band = curve.band(resample="test", replicates=40_000, rng=4)
    law, step = stats.binom(test.n_impostor, curve.far), 1.0 / test.n_impostor
    # Monte Carlo error of a quantile here: .014 sd <= .25 of a step; so one step away at most.
    assert np.all(np.abs(band.low - law.ppf(0.025) * step) <= step * (1 + 1e-9))
    assert np.all(np.abs(band.high - law.ppf(0.975) * step) <= step * (1 + 1e-9))


@pytest.mark.parametrize(("measure", "n"), [("far", 35), ("frr", 25), ("tpr", 25), ("tnr", 35)])
def test_exact_interval_is_clopper_and_pearsons(measure, n):
    rng = np.random.default_rng(5)
    dev, test = normal_scores(rng, 30, 40), normal_scores(rng, 25, 35)
    curve = br.epc(dev, test, measure=measure, alpha=[0.0, 0.3, 0.5, 1.0])
    band = curve.band(0.9, resample="test", method="exact")
    for k, value in enumerate(curve.value):
        result = stats.binomtest(round(value * n), n).proportion_ci(0.9, "exact")
        assert band.low[k] == approx(result.low, abs=1e-12)
        assert band.high[k] == approx(result.high, abs=1e-12)
    assert band.replicates == 0


TRUTH, SAME_TRUTH = (br.ScoreModel(br.Normal(1.0, 1.0), br.Normal(-1.0, 1.3)) for _ in range(2))


def drawn_scores(rng, n):
    return br.Scores(rng.normal(1.0, 1.0, n), rng.normal(-1.0, 1.3, n))


@pytest.mark.nightly
def test_bands_cover():
    """HTER against the weighted error at fixed thresholds and at chosen ones: .95 of 60 pairs."""
    study = benchmark("coverage_epc")
    design = study.Design("normal", 200, 60, 60, 400, 150)
    hits = study.covered(design, np.random.SeedSequence(22).spawn(60), 0)
    assert np.all(hits / 60 >= 0.95 - 3 * 0.028), hits / 60


@pytest.mark.simulation
def test_variance_of_a_target_rate_is_the_sum_of_its_two_parts():
    """V = FRR at dev's FAR = v: Var V = (f_c/f_i)^2 v (1 - v)/n_dev + FRR (1 - FRR)/n_test."""
    rng = np.random.default_rng(6)
    n_dev, n_test, v = 4000, 2000, 0.1
    client, impostor = stats.norm(1.0, 1.0), stats.norm(-1.0, 1.3)
    dev = br.Scores(client.rvs(500, random_state=rng), impostor.rvs(n_dev, random_state=rng))
    test = br.Scores(client.rvs(n_test, random_state=rng), impostor.rvs(500, random_state=rng))
    curve = br.epc(dev, test, criterion="far", measure="frr", alpha=[v])
    band, theta = curve.band(replicates=1500, rng=2), impostor.isf(v)
    frr = client.cdf(theta)
    of_dev = (client.pdf(theta) / impostor.pdf(theta)) ** 2 * v * (1 - v) / n_dev
    of_test = frr * (1 - frr) / n_test
    assert of_dev > 0.4 * of_test
    width = 2 * 1.96 * math.sqrt(of_dev + of_test)
    # A bootstrap quantile moves at the rate n^(-1/4): 15 % of the width.
    assert band.high[0] - band.low[0] == approx(width, rel=0.15)
    assert band.m == n_dev + 500


def test_error_of_a_fitted_threshold_is_the_delta_methods():
    """Normal, FAR = v: theta = mu + z sigma, so Var theta = sigma^2 (1 + z^2 / 2) / n."""
    rng = np.random.default_rng(30)
    fit = br.fit(br.Scores(rng.normal(1.0, 1.0, 70), rng.normal(-1.0, 1.3, 90)), "normal")
    v = np.array([0.01, 0.1, 0.5])
    curve = br.epc(fit, br.Scores([1.0, 2.0], [0.0, 1.0, 0.5]), criterion="far", alpha=v)
    error, sigma, z = threshold_error(curve), fit.impostor.params["sigma"], stats.norm.isf(v)
    expected = sigma**2 * (1 + z**2 / 2) / 90
    assert_allclose((error.slope**2).sum(axis=1), expected, rtol=1e-6)
    drawn = error.draw(rng, 4000).theta
    assert_allclose(drawn.var(axis=0), expected, rtol=5 * math.sqrt(2 / 4000))


@pytest.mark.simulation
def test_ends_of_the_scale_and_replicates_without_a_value():
    rng = np.random.default_rng(33)
    dev = br.Scores(np.r_[rng.beta(3, 2, 60), 1.0, 1.0], np.r_[rng.beta(2, 3, 60), 0.0])
    fit, test = br.fit(dev, boundary="inflate"), br.Scores(rng.beta(3, 2, 50), rng.beta(2, 3, 60))
    band = br.epc(fit, test, alpha=[0.0, 0.5, 1.0]).band(replicates=300, rng=1)
    assert band.m is None
    assert np.all(band.high >= band.low)
    assert band.high[0] == band.low[0] == 0.5  # accept all: every impostor, no client lost
    assert band.high[1] > band.low[1]
    dev = br.Scores([1.0, 2.0, 3.0], [0.0, 1.0, 2.0])
    test = br.Scores([0.0, 1.0, 2.6], [0.0, 1.0, 2.0])
    curve = br.epc(dev, test, measure="precision", alpha=[0.6, 0.9])
    with pytest.warns(br.SmallSampleWarning, match="no width at 2 of 2 alphas, first at 0.6"):
        band = curve.band(resample="test", replicates=9000, rng=1)
    # threshold 2.5: nothing accepted when 2.6 is not drawn, (2/3)^3 = 8/27 of the replicates
    assert curve.threshold.tolist() == [2.5, 2.5]
    assert_allclose(band.undefined / 9000, 8 / 27, atol=4 * math.sqrt(8 / 27 * 19 / 27 / 9000))
    assert_array_equal(band.low, 1.0)
    assert_array_equal(band.high, 1.0)


@pytest.mark.filterwarnings("ignore:the interval has no width")
def test_default_m_is_smaller_where_the_plain_bootstrap_fails(sides):
    total = 800
    for criterion, expected in (("weighted-error", round(800 / 300**0.25)), ("frr", total)):
        assert br.epc(*sides, criterion=criterion).band(replicates=1, rng=1).m == expected
    assert br.epc(*sides).band(resample="test", replicates=1, rng=1).m is None


def test_reversed_scores_and_bands_that_need_no_width():
    right, wrong = SEPARATED, br.Scores(SEPARATED.impostor, SEPARATED.client)
    for sides, name in (((wrong, right), "dev"), ((right, wrong), "test")):
        with pytest.warns(br.ReversedScoresWarning, match=rf"^{name}: .*AUC 0\.0000") as caught:
            br.epc(*sides, alpha=[0.5])
        assert len(caught) == 1
    curve = br.epc(TRUTH, SEPARATED, alpha=[0.0, 1.0])  # thresholds -inf and inf
    band = curve.band(resample="test", replicates=20, rng=1)
    assert band.low.tolist() == band.high.tolist() == [0.5, 0.5]
    dev, test = br.Scores([2.0, 3.0], [0.0, 5.0]), br.Scores([1.0, 2.0], [0.5, 1.0])
    curve = br.epc(dev, test, measure="precision", alpha=[1.0])
    band = curve.band(resample="test", replicates=50, simultaneous=True, rng=1)
    assert np.isnan([band.estimate[0], band.low[0], band.high[0]]).all()
    assert band.undefined.tolist() == [50]


@pytest.mark.parametrize(("measure", "alpha", "client", "fixed", "departure"), [
    ("frr", 0.5, [1.0, 3.0] * 100, 0.0, 0.4),
    ("weighted-error", 0.5, [1.0, 3.0] * 100, 0.25, 0.05),
    ("dcf", 1 / 3, [1.0, 3.0, 3.0, 3.0] * 50, 0.8 / 3, 0.1),
])  # fmt: skip
def test_departures_are_those_of_all_dev_scores(measure, alpha, client, fixed, departure):
    """Thresholds .5 and 2.5 are equally good on dev: of m = 400/200^(1/4) scores either is chosen,
    and departures count (m/400)^(1/3). FAR on test is 1/2 or 0, FRR 0 or .4; the weighted error
    and the cost, which are the criterion itself, depart the other way."""
    dev = br.Scores(client, [0.0, 2.0] * 100)
    test = br.Scores([2.0, 4.0], [-1.0, 2.0], client_weights=[400_000, 600_000],
        impostor_weights=[250_000, 250_000])  # fmt: skip
    band = br.epc(dev, test, measure=measure, alpha=[alpha]).band(replicates=200, rng=1)
    assert (band.m, band.estimate[0]) == (106, approx(fixed))
    assert band.high[0] == approx(fixed + departure * (106 / 400) ** (1 / 3), abs=0.003)


SEPARATED = br.Scores([2.0, 3.0, 4.0], [0.0, 0.5, 1.0])


@pytest.mark.parametrize(("method", "simultaneous"), [("bootstrap", True), ("delta", False)])
def test_an_interval_without_width_is_no_certainty(method, simultaneous):
    arguments = {"resample": "test", "method": method, "replicates": 20, "rng": 1,
                 "simultaneous": simultaneous}  # fmt: skip
    dev = br.Scores([1.4, 2.0], [0.2, 1.6])
    hter = br.epc(dev, SEPARATED, alpha=[0.0, 0.5, 1.0])
    # Thresholds 0.8, 0.8 and 1.8: the impostor at 1.0 is accepted, or nobody judged wrongly.
    assert hter.value.tolist() == [1 / 6, 1 / 6, 0.0]
    with pytest.warns(br.SmallSampleWarning, match=r"at 1 of 3 alphas, first at 1\.0: ") as caught:
        hter.band(**arguments)
    assert len(caught) == 1
    assert "exact" not in str(caught[0].message)
    frr = br.epc(dev, SEPARATED, alpha=[0.5], measure="frr")
    with pytest.warns(br.SmallSampleWarning, match='method="exact" with resample="test" has one'):
        frr.band(**arguments)
    exact = frr.band(resample="test", method="exact")
    # Three of three: (1 - high)^3 = 0.025.
    assert exact.high[0] == approx(1 - 0.025 ** (1 / 3), rel=1e-12)


@pytest.mark.simulation
@pytest.mark.nightly
def test_a_measure_at_its_own_optimum_is_covered_by_little_dev():
    # Dev's error is all there is: 100 scores a class on dev, 5000 on test, 60 sets. Taking the
    # departures as they come covers .6 to .85 of the time. Coverage of .95 has an sd of .028.
    # At alpha = .5 the weighted error is the HTER.
    asked, hits = {"alpha": [0.3, 0.5], "measure": "weighted-error"}, np.zeros(2)
    true = br.epc(TRUTH, SAME_TRUTH, **asked).value
    for seed in range(60):
        rng = np.random.default_rng(seed)
        dev, test = (drawn_scores(rng, n) for n in (100, 5000))
        band = br.epc(dev, test, **asked).band(replicates=200, rng=seed)
        hits += (band.low <= true) & (true <= band.high)
    assert np.all(hits / 60 >= 0.95 - 3 * 0.028)
