"""Bands of expected performance curves against row resampling, binomial laws and simulation."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, special, stats

import betaroc as br
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


TRUTH = br.ScoreModel(br.Normal(1.0, 1.0), br.Normal(-1.0, 1.3))


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
    band, theta = curve.band(replicates=600, rng=2), impostor.isf(v)
    frr = client.cdf(theta)
    of_dev = (client.pdf(theta) / impostor.pdf(theta)) ** 2 * v * (1 - v) / n_dev
    of_test = frr * (1 - frr) / n_test
    assert of_dev > 0.4 * of_test
    width = 2 * 1.96 * math.sqrt(of_dev + of_test)
    # A bootstrap quantile moves at the rate n^(-1/4): 15 % of the width.
    assert band.high[0] - band.low[0] == approx(width, rel=0.15)
    assert band.m == n_dev + 500


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


# Few scores make tests fast; which rates they speak for is tested elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::betaroc.core.errors.ExtrapolationWarning")

Z = stats.norm.ppf(0.975)
SAME = {"alpha": [0.2, 0.5, 0.8]}


def normal_fit(seed, clients, impostors):
    rng = np.random.default_rng(seed)
    return br.fit(br.Scores(rng.normal(1, 1, clients), rng.normal(-1, 1.3, impostors)), "normal")


def beta_fit(seed, clients, impostors):
    rng = np.random.default_rng(seed)
    return br.fit(br.Scores(rng.beta(4, 2, clients), rng.beta(2, 4, impostors)))


def on_logits(value, error):
    """value and its error to a 95 % interval, normal on the logit scale."""
    half = Z * error / (value * (1 - value))
    return special.expit(special.logit(value) - half), special.expit(special.logit(value) + half)


def assert_interval(band, expected, rtol=1e-6):
    assert_allclose(band.low, expected[0], rtol=rtol)
    assert_allclose(band.high, expected[1], rtol=rtol)


def test_errors_of_a_beta_and_a_normal_rate():
    """dF/da = Cov(1{S <= t}, log S), dF/db = Cov(1{S <= t}, log(1 - S)), by quadrature."""
    test = beta_fit(2, 70, 80)
    curve = br.epc(br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4)), test, measure="frr", **SAME)
    a, b = test.client.values
    law, both = stats.beta(a, b), special.psi(a + b)
    logs = (np.log, special.psi(a) - both), (lambda s: np.log1p(-s), special.psi(b) - both)
    errors = []
    for t in curve.threshold:
        g = [integrate.quad(lambda s, f=f, m=m: (f(s) - m) * law.pdf(s), 0, t)[0] for f, m in logs]
        errors.append(math.sqrt(np.array(g) @ test.client.cov @ np.array(g)))
    band = curve.band(resample="test", method="delta")
    assert_interval(band, on_logits(law.cdf(curve.threshold), np.array(errors)), 1e-5)
    # FAR = Phi(z), z = (mu - t)/sigma: Var FAR = phi(z)^2 (1 + z^2/2)/n.
    test, dev = normal_fit(1, 60, 90), br.ScoreModel(br.Normal(1, 1), br.Normal(-1, 1))
    curve = br.epc(dev, test, measure="far", **SAME)
    z = (test.impostor.params["mu"] - curve.threshold) / test.impostor.params["sigma"]
    error = stats.norm.pdf(z) * np.sqrt((1 + z**2 / 2) / 90)
    band = curve.band(resample="test", method="delta")
    # Central differences over .01 of an error: relative error 1e-5.
    assert_interval(band, on_logits(stats.norm.cdf(z), error), 1e-5)
    assert (band.replicates, band.m) == (0, None)


def test_error_of_both_sides():
    """FRR at dev's FAR = v: phi(u)^2 (Var t / sigma_c^2 + (1 + u^2/2)/n), u = (t - mu_c)/sigma_c,
    with Var t = sigma_i^2 (1 + z^2/2)/n_i of dev, t = mu_i + z sigma_i."""
    dev, test, v = normal_fit(3, 50, 90), normal_fit(4, 120, 30), np.array([0.02, 0.1, 0.4])
    curve = br.epc(dev, test, criterion="far", measure="frr", alpha=v)
    z, sigma = stats.norm.isf(v), test.client.params["sigma"]
    u = (curve.threshold - test.client.params["mu"]) / sigma
    of_dev = dev.impostor.params["sigma"] ** 2 * (1 + z**2 / 2) / 90 / sigma**2
    error = stats.norm.pdf(u) * np.sqrt(of_dev + (1 + u**2 / 2) / 120)
    expected = on_logits(stats.norm.cdf(u), error)
    assert_interval(curve.band(method="delta"), expected, 1e-4)


@pytest.mark.simulation
def test_simultaneous_reach_is_that_of_the_joint_law():
    """FAR at t1 and t2 of one normal fit: errors with correlation rho of (1, z/sqrt 2)."""
    test, dev = normal_fit(5, 40, 70), br.ScoreModel(br.Normal(1, 1), br.Normal(-1, 1))
    curve = br.epc(dev, test, measure="far", alpha=[0.02, 0.98])
    z = (test.impostor.params["mu"] - curve.threshold) / test.impostor.params["sigma"]
    parts = np.stack([np.ones(2), z / math.sqrt(2)], axis=1)
    parts /= np.linalg.norm(parts, axis=1, keepdims=True)
    draws = np.random.default_rng(6).standard_normal((400_000, 2)) @ parts.T
    reach = np.quantile(np.abs(draws).max(axis=1), 0.95)
    band = curve.band(resample="test", method="delta", simultaneous=True, replicates=40_000, rng=7)
    error = (np.abs(stats.norm.pdf(z)) * np.sqrt((1 + z**2 / 2) / 70)
        / (band.estimate * (1 - band.estimate)))  # fmt: skip
    found = (special.logit(band.high) - special.logit(band.estimate)) / error
    assert_allclose(found, reach, rtol=0.03)
    assert 2.05 < reach < 2.3


def test_a_simultaneous_band_is_no_narrower_than_a_pointwise_one():
    """Of 20 draws the 95 % quantile is often too small; of one place it is known."""
    dev, test = normal_fit(50, 100, 100), normal_fit(51, 150, 150)
    curve = br.epc(dev, test, alpha=[0.5, 0.500001])
    point, ends = curve.band(resample="test", method="delta"), []
    asked = {"resample": "test", "method": "delta"}
    for seed in range(6):
        whole = curve.band(simultaneous=True, replicates=20, rng=seed, **asked)
        # Equal but for rounding where one deviate rules.
        assert np.all(whole.low <= point.low + 1e-12)
        assert np.all(whole.high >= point.high - 1e-12)
        ends.append(float(whole.low[0]))
    assert len(set(ends)) > 1
    one = br.epc(dev, test, alpha=[0.5])
    alone, point = one.band(simultaneous=True, replicates=1, rng=1, **asked), one.band(**asked)
    assert_interval(alone, (point.low, point.high), 1e-14)


@pytest.mark.filterwarnings("ignore::betaroc.SameDataWarning")
def test_one_fit_on_both_sides_has_one_set_of_errors():
    """FRR at the threshold of FRR = v, of one fit: whatever its parameters, it is v."""
    fit, v = normal_fit(60, 50, 90), np.array([0.02, 0.1, 0.4])
    curve = br.epc(fit, fit, criterion="frr", measure="frr", alpha=v)
    for method in ("delta", "bootstrap"):
        band = curve.band(method=method, replicates=200, rng=1)
        # The bootstrap's thresholds are linear in the errors, its rates are not: second order.
        allowed = 1e-6 if method == "delta" else 0.2 * v
        assert np.all(np.abs(band.high - v) + np.abs(band.low - v) <= allowed)
    apart = br.epc(fit, normal_fit(60, 50, 91), criterion="frr", measure="frr", alpha=v)
    band = apart.band(method="delta")
    assert np.all(band.high - band.low > 0.5 * v)


def test_draws_of_a_normal_fit():
    """FRR = Phi((t - mu)/sigma) with mu and log sigma normal, drawn here on their own."""
    test, dev = normal_fit(8, 30, 40), br.ScoreModel(br.Normal(1, 1), br.Normal(-1, 1))
    curve = br.epc(dev, test, measure="frr", **SAME)
    band = curve.band(resample="test", replicates=6000, rng=1)
    mu, sigma = test.client.values
    rng = np.random.default_rng(9)
    mus = rng.normal(mu, sigma / math.sqrt(30), (200_000, 1))
    sigmas = sigma * np.exp(rng.normal(0, 1 / math.sqrt(60), (200_000, 1)))
    draws = stats.norm.cdf((curve.threshold - mus) / sigmas)
    # Standard error of a 2.5 % quantile of 6000 normal draws: .035 of a deviation.
    allowed = 4 * 0.035 * draws.std(axis=0)
    for found, share in ((band.low, 0.025), (band.high, 0.975)):
        assert np.all(np.abs(found - np.quantile(draws, share, axis=0)) <= allowed)
    assert_array_equal(band.undefined, 0)


def test_a_point_mass_varies_on_its_logit():
    """FRR just above 0 is the mass p: logit p -+ z / sqrt(n p (1 - p)), one zero in 40."""
    rng = np.random.default_rng(14)
    scores = br.Scores(np.r_[0.0, rng.beta(4, 2, 39)], rng.beta(2, 4, 50))
    test = br.fit(scores, boundary="inflate")
    dev = br.ScoreModel(br.Beta(60.0, 60.0), br.Beta(2.0, 600.0))  # a threshold near 0.03
    curve = br.epc(dev, test, measure="frr", alpha=[0.02])
    assert stats.beta(*test.client.values[:2]).cdf(curve.threshold[0]) < 1e-4
    p = 1 / 40
    half = Z / math.sqrt(40 * p * (1 - p))
    expected = special.expit([special.logit(p) - half, special.logit(p) + half])
    band = curve.band(resample="test", method="delta")
    assert_allclose([band.low[0], band.high[0]], expected, rtol=0.01)
    band = curve.band(resample="test", replicates=4000, rng=1)
    assert_allclose(special.logit([band.low[0], band.high[0]]), special.logit(expected),
        atol=4 * 0.043 * half / Z)  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize(("method", "pairs"), [("delta", 100), ("bootstrap", 30)])
def test_coverage_of_both_sides(method, pairs):
    """HTER, beta fits of 100 a class; three errors of .95 are allowed."""
    study, seeds = benchmark("coverage_smooth"), np.random.SeedSequence(1).spawn(pairs)
    hits = study.covered(study.Design("(4, 2) v (2, 4)", 100, method, 300), seeds)
    assert np.all(hits / pairs >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / pairs)), hits / pairs


@pytest.mark.parametrize("method", ["delta", "bootstrap"])
def test_ends_of_the_scale_and_undefined_measures(method):
    curve = br.epc(beta_fit(17, 50, 60), beta_fit(18, 70, 80), alpha=[0.0, 0.5, 1.0])
    band = curve.band(method=method, replicates=50, rng=1)
    assert band.low[0] == band.high[0] == band.low[2] == band.high[2] == 0.5
    assert band.low[1] < band.estimate[1] < band.high[1]
    # Nothing is accepted above 1: precision is 0/0.
    curve = br.epc(beta_fit(21, 50, 50), beta_fit(22, 50, 50), measure="precision", alpha=[0.5, 1])
    band = curve.band(method=method, replicates=40, rng=1)
    assert np.isnan([band.low[1], band.high[1]]).all()
    assert band.low[0] < band.high[0]


@pytest.mark.filterwarnings("ignore::betaroc.DiscretenessWarning")
def test_groups_of_a_fit_widen_its_band():
    """Every score four times: by groups only the 40 vary, and the errors are twice as large."""
    rng = np.random.default_rng(26)
    client, impostor = (np.tile(rng.normal(m, 1, 40), 4) for m in (1, -1))
    labels = np.tile(np.arange(40), 4)
    scores = br.Scores(client, impostor, client_groups=labels, impostor_groups=labels + 100)
    truth = br.ScoreModel(br.Normal(1, 1), br.Normal(-1, 1))
    curve = br.epc(truth, br.fit(scores, "normal"), alpha=[0.5])
    grouped, single = (curve.band(resample="test", method="delta", groups=groups)
        for groups in (True, False))  # fmt: skip
    width = [float(special.logit(b.high[0]) - special.logit(b.low[0])) for b in (grouped, single)]
    # The sandwich takes the sample's own fourth moments and 40/39: twice but for those.
    assert width[0] / width[1] == pytest.approx(2.0, rel=0.15)
    assert grouped.groups == (None, 80)
    drawn = curve.band(resample="test", replicates=400, rng=1)
    half = special.logit(drawn.high[0]) - special.logit(drawn.low[0])
    assert half == pytest.approx(width[0], rel=0.25)
