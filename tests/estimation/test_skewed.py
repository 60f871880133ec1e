"""Log-normal, gamma and sinh-arcsinh fits, and any range of scores by `bounds`."""

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize, stats

import betaroc as br

approx = pytest.approx
TRUE = br.SinhArcsinh(1.0, 2.0, 0.5, 0.7)


@pytest.mark.simulation
@pytest.mark.parametrize("n", [30, 5000])
def test_the_penalised_likelihood_is_the_largest_that_a_simplex_finds(n):
    x = TRUE.sample(n, rng=n)

    def loss(p):
        law = br.SinhArcsinh(p[0], np.exp(p[1]), p[2], np.exp(p[3]))
        return -float(np.sum(law.logpdf(x))) + p[2] ** 2 / 50.0 + p[3] ** 2 / 8.0

    fit = br.fit_distribution(x, "sinh-arcsinh")
    own = list(fit.params.values())
    place = np.array([own[0], np.log(own[1]), own[2], np.log(own[3])])
    options, start = {"maxiter": 20_000, "xatol": 1e-9, "fatol": 1e-12}, [0.5, 0.5, 0.2, -0.1]
    found = optimize.minimize(loss, start, method="Nelder-Mead", options=options)
    assert loss(place) <= found.fun + 1e-8
    assert_allclose(place, found.x, rtol=1e-3, atol=1e-4)
    assert fit.log_likelihood == approx(float(np.sum(fit.distribution.logpdf(x))), rel=1e-12)


def test_skewed_families_by_hand():
    x = stats.gamma(2.5, scale=3.0).rvs(300, random_state=3)
    fit = br.fit_distribution(x, "gamma")
    shape, _, scale = stats.gamma.fit(x, floc=0)
    assert fit.values == approx((shape, scale), rel=1e-9)
    assert fit.log_likelihood == approx(stats.gamma.logpdf(x, shape, 0, scale).sum())
    # gap = -log(1 - e^2)/2 of x = 1 -+ e, and shape ~ 1/(2 gap) + 1/6 to order gap.
    e = 1e-4
    gap = -0.5 * np.log1p(-e * e)
    fit = br.fit_distribution(np.tile([1.0 - e, 1.0 + e], 10), "gamma")
    assert fit.params["shape"] == approx(0.5 / gap + 1.0 / 6.0, rel=1e-7)
    for shape, between in ((0.4, (900.0,)), (250.0, (2500.0,)), (250.0, (0, 1.0))):
        with mpmath.workdps(30):
            exact = float(mpmath.log(mpmath.gammainc(shape, *between) / mpmath.gamma(shape)))
        law = br.Gamma(shape, 1.0)
        log = law.logsf if len(between) == 1 else law.logcdf
        assert log(between[-1]) == approx(exact, rel=1e-12)
    x = np.exp(np.random.default_rng(2).normal(1.0, 2.0, 200))
    fit, known = br.fit_distribution(x, "log-normal"), br.fit_distribution(np.log(x), "normal")
    assert fit.params == approx(known.params)
    assert fit.log_likelihood == approx(known.log_likelihood - np.sum(np.log(x)))
    x = TRUE.sample(100, rng=1)
    one, other = (br.fit_distribution(y, "sinh-arcsinh") for y in (x, 1e6 * x - 3e6))
    a, b = list(one.params.values()), list(other.params.values())
    assert_allclose([1e6 * a[0] - 3e6, 1e6 * a[1], *a[2:]], b, rtol=1e-7)
    # F = Phi(sinh(delta arcsinh(u) - epsilon)), by scipy's normal and by differences.
    x, h = np.linspace(-9.0, 40.0, 50), 1e-5

    def upper(y):
        return stats.norm.sf(np.sinh(0.7 * np.arcsinh((y - 1.0) / 2.0) - 0.5))

    assert_allclose(TRUE.sf(x), upper(x), rtol=1e-13)
    assert_allclose(TRUE.pdf(x), (upper(x - h) - upper(x + h)) / (2 * h), rtol=1e-5)


@pytest.mark.parametrize(
    "family", ["beta", *(pytest.param(f, marks=pytest.mark.simulation) for f in (
        "logit-normal", "beta-mixture", "logit-sinh-arcsinh", "proper-beta", "best"))]
)  # fmt: skip
def test_any_range_has_what_the_unit_interval_has(family):
    """Scores 2 s - 1 in (-1, 1): rates are those of s, thresholds 2 t - 1, the likelihood's
    Jacobian is a half a score."""
    rng = np.random.default_rng(3)
    client, impostor = rng.beta(5, 2, 120), rng.beta(2, 5, 150)
    unit = br.fit(br.Scores(client, impostor), family)
    fit = br.fit(br.Scores(2.0 * client - 1.0, 2.0 * impostor - 1.0), family, bounds=(-1, 1))
    assert fit.family == unit.family
    near = {"rel": 1e-9, "abs": 1e-12}
    assert fit.log_likelihood == approx(unit.log_likelihood - 270 * np.log(2.0), **near)
    assert fit.model.auc() == approx(unit.model.auc(), **near)
    one, other = fit.at_far(0.05), unit.at_far(0.05)
    assert one.tpr == approx(other.tpr, **near)
    assert one.threshold == approx(2.0 * other.threshold - 1.0, **near)
    a, b = (f.interval("tpr", far=0.1, method="delta") for f in (fit, unit))
    assert (a.low, a.high) == approx((b.low, b.high), rel=1e-6)


def test_point_masses_stand_at_the_bounds():
    values = [-1.0, -1.0, -0.2, 0.1, 0.3, 0.6, 0.7, 0.8, 0.9, 1.0]
    with pytest.warns(br.BoundaryWarning, match=r"2 exactly -1\.0 and 1 exactly 1\.0"):
        fit = br.fit_distribution(values, bounds=(-1, 1))
    assert fit.distribution.atoms.places.tolist() == [-1.0, 1.0]
    assert fit.distribution.cdf([-1.1, -1.0]).tolist() == [0.0, approx(0.2)]
    assert fit.distribution.sf([0.999999999, 1.0]) == approx([0.1, 0.0], abs=1e-6)
