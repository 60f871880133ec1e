"""A family of one distribution and one row: Kumaraswamy's, and the logit-normal by a new name."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate, stats

import betaroc as br
from betaroc.core.thresholds import Thresholds
from betaroc.estimation.contract import Family
from betaroc.estimation.families import FAMILIES
from helpers.kumaraswamy import KUMARASWAMY, Kumaraswamy
from helpers.sets import summary_of

approx = pytest.approx
CLIENT, IMPOSTOR = Kumaraswamy(3.0, 1.5), Kumaraswamy(1.5, 3.0)
OTHER = br.Scores(CLIENT.sample(50, rng=3), IMPOSTOR.sample(60, rng=4))
SCORES = br.Scores(CLIENT.sample(150, rng=1), IMPOSTOR.sample(200, rng=2))
KNOWN = [br.LogitNormal(1.0, 1.2).sample(60, rng=1), br.LogitNormal(-1.0, 0.8).sample(80, rng=2)]
SAME = br.Scores([*KNOWN[0], 1.0], [*KNOWN[1], 0.0])


class Own(br.LogitNormal):
    """The same law."""


def _estimate(sample):
    known = FAMILIES["logit-normal"].estimate(sample)
    return known._replace(distribution=Own(*known.values))


@pytest.fixture(autouse=True)
def _rows(monkeypatch):
    monkeypatch.setitem(FAMILIES, "kumaraswamy", KUMARASWAMY)
    monkeypatch.setitem(FAMILIES, "own", Family(_estimate, on_unit=True))


@pytest.fixture
def fit(_rows):
    return br.fit(SCORES, "kumaraswamy")


@pytest.mark.parametrize(("ask", "words"), [
    (lambda own: own.end_tests(), "own"),
    (lambda own: own.shape_probabilities(), "own"),
    (lambda own: own.sensitivity(), "own"),
    (lambda own: br.likelihood_ratio_test(own, own, replicates=19), "own"),
    (lambda own: br.fit(own.scores, "own", resolution=0.01), "own"),
    (lambda own: br.fit(summary_of(SCORES), "own"), "must have every score; got a summary"),
    (lambda own: br.solve_pair(auc=0.9, family="own"), "family must be one of"),
])  # fmt: skip
def test_what_only_some_families_have_is_refused_by_name(ask, words):
    own = br.fit(SAME, "own", boundary="inflate")
    with pytest.raises(br.InputError, match=words):
        ask(own)


def test_a_summary_is_fitted_where_the_family_says_that_sums_are_enough(monkeypatch):
    monkeypatch.setitem(FAMILIES, "own", Family(_estimate, on_unit=True, summed=True))
    values = br.fit(summary_of(SCORES), "own").client.values
    assert values == approx(br.fit(SCORES, "own").client.values)


def test_generic_scores_and_information_are_those_of_calculus():
    """b times -log(1 - S^a) is exponential: the information of b is 1/b^2; of a by quadrature."""
    law = Kumaraswamy(2.0, 3.0)

    def by_a(x):
        power = x**law.a
        return 1 / law.a + math.log(x) - (law.b - 1) * power * math.log(x) / (1 - power)

    by_b = 1 / law.b + math.log(1 - 0.3**law.a)
    score = law._score(Thresholds.from_theta(np.array([0.3])))[:, 0]
    assert_allclose(score, [by_a(0.3), by_b], rtol=1e-9)
    information = np.linalg.inv(law._unit_covariance())
    assert information[1, 1] == approx(1 / law.b**2, rel=1e-7)
    of_a = integrate.quad(lambda x: by_a(x) ** 2 * float(law.pdf(x)), 0, 1)[0]
    assert information[0, 0] == approx(of_a, rel=1e-6)


def test_a_family_of_a_density_has_intervals_of_its_standard_errors(fit):
    """Log b -+ t sqrt(n/(n - 1)) standard errors, with no sums that a profile would take."""
    b, result = fit.conf_int()["client"]["b"], fit.client
    n = result.n
    away = stats.t(n - 1).ppf(0.975) * math.sqrt(n / (n - 1)) * result.std_errors["b"] / b.estimate
    assert (b.low, b.high) == approx(b.estimate * np.exp([-away, away]), rel=1e-9)
    assert b.method == "wald"
    # The lower tail is x^a: log a by its standard errors, as two estimates apart.
    tests, results = fit.end_tests(), (fit.client, fit.impostor)
    for end, name, sign in (("at_zero", "a", 1), ("at_one", "b", -1)):
        logs = [math.log(r.params[name]) for r in results]
        errors = [r.std_errors[name] / r.params[name] for r in results]
        z = sign * (logs[0] - logs[1]) / math.hypot(*errors)
        assert getattr(tests, end).z == approx(z, rel=1e-6)
    assert (tests.at_zero.side, tests.at_one.side, fit.curve_test().hooks) == ("above", "above", ())


@pytest.mark.simulation
@pytest.mark.parametrize("ask", [
    lambda f: br.plan_sample_size("eer", model=f.model, width=0.1).n_client,
    lambda f: br.plan_sample_size("side-at-zero", model=f.model, power=0.9).n_client,
    lambda f: br.plan_sample_size("epc-gap", model=f.model, width=0.1, alpha=0.5).n_client,
    lambda f: br.epc_forecast(f.model, n_client=50, n_impostor=50, alpha=[0.5]).optimism[0],
    lambda f: br.epc(f, OTHER, alpha=[0.3]).band(replicates=50, rng=1).low[0],
    lambda f: br.fit_many({"a": SCORES}, family="kumaraswamy")["client_a"][0],
    lambda f: br.fit(SCORES, ("kumaraswamy", "beta")).interval("auc").low,
    lambda f: br.difference(f, br.fit(SCORES), "eer", paired=True).high,
])  # fmt: skip
def test_it_is_taken_as_any_other(fit, ask):
    assert 0.0 < float(ask(fit)) < math.inf
