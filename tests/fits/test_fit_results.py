"""Both classes, the other families, the result objects, and what a bad argument gets."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import betaroc as br
from betaroc import InputError, ReversedScoresWarning, SmallSampleWarning
from betaroc.estimation.families import FAMILIES

approx = pytest.approx
RNG = np.random.default_rng(17)
CLIENT, IMPOSTOR = RNG.beta(5.0, 2.0, 60), RNG.beta(2.0, 4.0, 90)
SCORES = br.Scores(CLIENT, IMPOSTOR, name="demo")


#: Families of one sample; the others are of pairs. Mixtures take their time.
SINGLE = [pytest.param(name, marks=[pytest.mark.simulation] if "mixture" in name else [])
    for name, row in sorted(FAMILIES.items()) if not row.of_pairs]  # fmt: skip


@pytest.mark.parametrize("family", SINGLE)
def test_weights_are_copies_in_every_family(family):
    k = np.arange(60) % 4
    weighted = br.fit_distribution(CLIENT, family, weights=k)
    copies = br.fit_distribution(np.repeat(CLIENT, k), family)
    # A mixture's maximum is flat, as is that of a skewness: the rounding of sums is magnified.
    rtol = {"beta-mixture": 1e-8, "sinh-arcsinh": 1e-11}.get(family, 1e-12)
    assert weighted.values == approx(copies.values, rel=rtol)
    assert_allclose(weighted.cov, copies.cov, rtol=10.0 * rtol)
    assert weighted.log_likelihood == approx(copies.log_likelihood, rel=1e-12, nan_ok=True)
    t = np.linspace(0.0, 1.0, 11)
    assert_allclose(*(weighted.distribution.cdf(t), copies.distribution.cdf(t)), rtol=10.0 * rtol)
    assert (weighted.n, weighted.total_weight) == (45, 90.0)


def test_fits_are_two_fits_and_a_model():
    fit = br.fit(SCORES)
    assert fit.client == br.fit_distribution(CLIENT)
    assert fit.impostor == br.fit_distribution(IMPOSTOR)
    assert fit.model == br.ScoreModel(fit.client.distribution, fit.impostor.distribution,
        prior=60 / 150, name="demo")  # fmt: skip
    assert fit.converged
    total = fit.client.log_likelihood + fit.impostor.log_likelihood
    assert (fit.log_likelihood, fit.aic) == (total, approx(2 * 4 - 2 * total, rel=1e-14))
    assert fit.bic == approx(2 * math.log(60) + 2 * math.log(90) - 2 * total, rel=1e-14)
    fit = br.fit_distribution([0.3] * 20, "empirical")
    assert fit.distribution == br.Empirical([0.3] * 20)
    assert (dict(fit.params), dict(fit.std_errors), fit.cov.shape) == ({}, {}, (0, 0))
    assert math.isnan(fit.aic)
    ends = br.Scores([*np.linspace(0.3, 0.9, 16), 1.0, 1.0, 1.0, 1.0], np.linspace(0, 0.6, 20))
    fit = br.fit(ends, "beta", boundary="inflate")
    assert list(fit.params)[2:5] == ["client-at-zero", "client-at-one", "impostor-a"]
    assert fit.params["client-at-one"] == 0.2  # 4 of 20
    assert_array_equal(fit.joint_cov()[:4, :4], fit.client.cov)
    assert_array_equal(fit.joint_cov()[4:, 4:], fit.impostor.cov)


def test_reversed_few_and_outside_scores_are_told():
    with pytest.warns(ReversedScoresWarning, match="or lower by lower_is_client") as caught:
        fit = br.fit(br.Scores(IMPOSTOR, CLIENT))
    assert (len(caught), caught[0].filename) == (1, __file__)
    assert fit.client.values == br.fit_distribution(IMPOSTOR).values
    with pytest.warns(SmallSampleWarning) as caught:
        br.fit(br.Scores([0.6, 0.7, 0.9], [0.1, 0.3, 0.4, 0.5]))
    assert "client: only 3 scores" in str(caught[0].message)
    assert "impostor: only 4 scores" in str(caught[0].message)
    br.fit_distribution([0.6, 0.7, 0.9], weights=[4, 3, 3])  # ten trials
    x = CLIENT.copy()
    x[[3, 20]] = 1.2, -0.5
    with pytest.raises(InputError, match=r"client must lie in \[0, 1\].*2 of 60 .*indices 3, 20"):
        br.fit(br.Scores(x, IMPOSTOR), "beta")


@pytest.mark.parametrize(("family", "names"), [
    (("beta", "normal"), ["client-a", "client-b", "impostor-mu", "impostor-sigma"]),
    ("empirical", []),
])  # fmt: skip
def test_params_of_both_classes(family, names):
    fit = br.fit(br.Scores(np.linspace(0.3, 0.9, 30), np.linspace(0.1, 0.6, 40)), family)
    assert list(fit.params) == names
    assert list(fit.params.values()) == [*fit.client.values, *fit.impostor.values]
    for name, value in fit.params.items():
        assert fit.interval(name).estimate == value
    with pytest.raises(TypeError, match="read-only"):
        fit.params["client-a"] = 1.0  # type: ignore[index]


def test_the_posterior_is_bayess_rule():
    t = np.array([1e-12, 0.1, 0.4, 0.77, 1 - 1e-12])
    for client, impostor, laws in ((br.Beta(2.5, 0.7),
        br.Beta(0.6, 2), (stats.beta(2.5, 0.7), stats.beta(0.6, 2))),
        (br.Normal(1, 2), br.Normal(0, 1), (stats.norm(1, 2), stats.norm(0, 1)))):  # fmt: skip
        model = br.ScoreModel(client, impostor, prior=0.2)
        own, other = 0.2 * laws[0].pdf(t), 0.8 * laws[1].pdf(t)
        assert model.posterior(t) == approx(own / (own + other), rel=1e-12)
    assert isinstance(model.posterior(0.5), float)
    assert math.isnan(model.posterior(math.nan))
    samples = br.ScoreModel(br.Empirical([1, 2, 2]), br.Empirical([2, 3]), prior=0.3)
    assert samples.posterior([1, 2, 3]).tolist() == approx([1.0, 4 / 11, 0.0])
    assert np.isnan(samples.posterior(1.5))
    mixed = br.ScoreModel(br.Beta(3, 2), br.Normal(0, 1))
    assert mixed.posterior([-1.0, 2.0]).tolist() == [0.0, 0.0]
    assert br.ScoreModel(br.Normal(0, 1), br.Beta(3, 2)).posterior(2.0) == 1.0
