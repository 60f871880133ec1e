"""The beta maximum: certified digits, fast paths, many at once."""

import importlib
import json
import math
import tracemalloc

import mpmath as mp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.special import digamma

import betaroc as br
from betaroc.core import polygamma
from betaroc.estimation import contract as sums
from betaroc.estimation.families import FAMILIES
from helpers.cases import over
from helpers.places import REFERENCES

approx = pytest.approx
newton = importlib.import_module("betaroc.distributions.beta")
TABLE = json.loads((REFERENCES / "beta_mle.json").read_text())
TERMS = json.loads((REFERENCES / "polygamma.json").read_text())
quietly = pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")


def distance(value, exact):
    """Relative error; the certified decimals have more digits than a double."""
    return float(abs((mp.mpf(float(value)) - mp.mpf(exact)) / mp.mpf(exact)))


def test_polygamma_is_relatively_accurate():
    x = np.array([float.fromhex(row[0]) for row in TABLE["polygamma"]])
    for row, *values in zip(TABLE["polygamma"], *polygamma.phi_tau(x), strict=True):
        assert max(map(distance, values, row[1:])) <= 1e-14
    assert list(polygamma._PHI_TERMS) == TERMS["phi"]["terms"]
    assert list(polygamma._TAU_TERMS) == TERMS["tau"]["terms"]
    assert max(TERMS[name]["error"] for name in ("phi", "tau")) <= 5e-17


def test_large_narrow_and_few_scores():
    x = np.clip(np.random.default_rng(9).beta(0.02, 0.6, 150_000), 1e-300, 1.0 - 2.0**-53)
    fit, plain = br.fit_distribution(x), br.fit_distribution(x, weights=np.ones(x.size))
    assert fit.values == approx(plain.values, rel=1e-12)
    # Samples that differ by 1e-9 relative, on both sides of where the equations change.
    base = np.linspace(-1.0, 1.0, 41)
    for width in (0.02, 0.0241, 0.03, 0.0476, 0.05):
        first, second = (br.fit_distribution(0.5 + width * k * base) for k in (1, 1 + 1e-9))
        assert first.values == approx(second.values, rel=1e-8)
    with pytest.warns(br.SmallSampleWarning, match="sample: only 2 scores"):
        fit = br.fit_distribution([0.4, 0.6])
    assert fit.params["a"] == approx(fit.params["b"], rel=1e-13)

    x = np.random.default_rng(0).beta(7.0, 2.75, 200)
    x[3] = 5e-324
    with pytest.warns(br.InfluenceWarning, match="5e-324 alone moves a") as caught:
        br.fit_distribution(x)
    assert caught[0].filename == __file__


def shapes_of_scipys_failures(k, rng):
    """Sets on which scipy's fit raises or returns negative shapes in 64 % of cases."""
    return (0.05, 0.2)[k % 2], (5.0, 50.0, 1e4)[k % 3], 10


@pytest.mark.simulation
@quietly
@over("drawn", {
    "random": (2000, 500, lambda k, r: (*np.exp(r.uniform(-3.0, 6.9, 2)), r.integers(3, 301))),
    "small and skewed": (400, 150, shapes_of_scipys_failures),
    "scipy issue 22328": (22328, 50, lambda k, rng: (1.0, 2.0, 10)),
})  # fmt: skip
def test_random_sets_all_converge(drawn):
    seed, many, shapes = drawn
    rng = np.random.default_rng(seed)
    for k in range(many):
        x = rng.beta(*shapes(k, rng))
        inside = np.unique(x[(x > 0.0) & (x < 1.0)])
        if inside.size >= 2 and inside.max() > 1e-9:
            fit = br.fit_distribution(x)
            assert fit.converged
            assert fit.gradient_norm <= 1e-9


def exact_means(distinct, counts):
    """Both mean logarithms of scores that repeat, at 40 digits."""
    with mp.workdps(40):
        pairs = [(int(k), mp.mpf(float(v))) for k, v in zip(counts, distinct, strict=True)]
        return [mp.fsum(k * log(v) for k, v in pairs) / sum(k for k, _ in pairs)
            for log in (mp.log, lambda v: mp.log1p(-v))]  # fmt: skip


def kinds():
    """Fifty distinct scores of every kind that could lose digits, and single ones."""
    rng = np.random.default_rng(1)
    far, near = np.exp(rng.uniform(-740.0, -30.0, 40)), 1.0 - np.exp(rng.uniform(-36.0, -20.0, 10))
    # One score, over and over: every rounding repeats. exp(-0.3) is where products begin.
    single = (1 / 3, 0.2591, 0.2592, 0.7407, 0.7409, 2.0**-53, 5e-324)
    return {
        "U": np.clip(rng.beta(0.47, 0.36, 50), 1e-300, 1 - 2.0**-53),
        "both ends": np.concatenate([far, near]),
        "underflow of a few": np.exp(-rng.uniform(1.0, 2.0, 50) * np.array([400] + [1] * 49)),
        **{repr(x): np.array([x]) for x in single},
    }


@pytest.mark.simulation
@over("distinct", kinds())
def test_fifteen_digits_of_large_samples_whatever_the_scores(distinct):
    drawn = np.random.default_rng(2).integers(0, distinct.size, 150_001)
    x, exact = distinct[drawn], exact_means(distinct, np.bincount(drawn, minlength=distinct.size))
    for means in (sums.Sample.of("", x, None).mean_logs(), br.mean_logs(x)):
        assert max(map(distance, means, exact)) <= 1e-15


def test_mean_logs_of_kinds_rows_axes_and_their_memory():
    """Scores of 1/2, of 1e-200 (no two can be multiplied), of 1 - 1e-12 (none need be), of 1/2."""
    parts, many = [0.5, 1e-200, 1.0 - 1e-12, 0.5], 5 * sums._BLOCK
    means = br.mean_logs(np.repeat(parts, many))
    assert max(map(distance, means, exact_means(parts, [many] * 4))) <= 1e-15
    rng = np.random.default_rng(3)
    for shape in ((3, 1), (40, 63), (2, 70_001)):
        x = rng.random(shape) * 0.98 + 0.01
        for means, logs in zip(br.mean_logs(x), (np.log(x), np.log1p(-x)), strict=True):
            assert means == approx([math.fsum(row) / shape[1] for row in logs], rel=1e-15)
    x = np.random.default_rng(4).random((5, 6, 7)) * 0.98 + 0.01
    for axis in (0, 1, -1, None):
        for means, logs in zip(br.mean_logs(x, axis), (np.log(x), np.log1p(-x)), strict=True):
            assert_allclose(means, logs.mean(axis=axis), rtol=1e-14)
    same = br.mean_logs(np.asfortranarray(x[:, ::-1]), axis=1)
    assert_allclose(same, br.mean_logs(x, axis=1), rtol=1e-14)
    assert br.mean_logs(np.empty((0, 3)))[0].shape == (0,)
    x = np.random.default_rng(5).random(1_000_000) * 0.98 + 0.01
    tracemalloc.start()
    br.mean_logs(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000


def exact_statistics(a, b):
    """Mean logarithms of Beta(a, b) to double precision, also where digammas nearly cancel."""
    with mp.workdps(40):
        a, b = mp.mpf(float(a)), mp.mpf(float(b))
        whole = mp.psi(0, a + b)
        return float(mp.psi(0, a) - whole), float(mp.psi(0, b) - whole)


@pytest.mark.parametrize("start", [(1e-3, 1e3), (1e3, 1e-3), (1e6, 1e6)])
def test_newton_finds_back_from_a_bad_start(start, monkeypatch):
    """Mean logs psi(2) - psi(5) and psi(3) - psi(5) are those of Beta(2, 3)."""
    monkeypatch.setattr(newton, "_start", lambda *_: start)
    solution = newton.solve_one(*(float(digamma(s) - digamma(5)) for s in (2, 3)))
    assert solution[:2] == approx((2.0, 3.0), rel=1e-12)


def test_steps_of_arrays_end_where_the_guarded_ones_of_one_sample_do():
    """The safeguarded method of one sample is the oracle; all shapes that occur."""
    a, b = np.exp(np.random.default_rng(7).uniform(math.log(2e-3), math.log(1e5), (2, 150)))
    g = np.array([exact_statistics(*shapes) for shapes in zip(a, b, strict=True)]).T
    *batch, converged = br.beta_mle(*g)
    assert converged.all()
    guarded = np.array([newton.solve_one(*pair)[:2] for pair in g.T.tolist()]).T
    amplified = 1.0 + a + b + 1.0 / a + 1.0 / b
    for first, other, true in zip(batch, guarded, (a, b), strict=True):
        assert np.all(np.abs(first / true - 1.0) <= 1e-14 * amplified)
        assert np.all(np.abs(other / true - 1.0) <= 1e-14 * amplified)


def test_batch_takes_any_shape_and_says_where_there_is_no_law():
    g1 = np.array([[-1.0, np.nan, math.log(0.5)], [0.5, -np.inf, -1e-300]])
    a, b, converged = br.beta_mle(g1, np.array([-1.0, -1.0, math.log(0.5)]))
    assert a.shape == b.shape == converged.shape == (2, 3)
    assert converged.tolist() == [[True, False, False], [False, False, False]]
    assert np.isnan(a[~converged]).all()
    assert a[0, 0] == approx(1.0, rel=1e-13)
    assert tuple(map(type, br.beta_mle(-1.0, -1.0))) == (float, float, bool)
    n, rng = 2 * newton._LANES + 77, np.random.default_rng(8)
    g1, g2 = np.log(rng.uniform(0.05, 0.4, (2, n)))
    lost = rng.random(n) < 0.01
    g1[lost] = rng.choice([np.nan, 0.0, 1.0, -np.inf, -1e-320], lost.sum())
    a, b, converged = br.beta_mle(g1, g2)
    assert np.array_equal(converged, ~lost)
    assert np.isnan([a[lost], b[lost]]).all()
    for k in [*range(0, n, 1009), newton._LANES - 1, newton._LANES, n - 1]:
        if not lost[k]:
            assert br.beta_mle(g1[k], g2[k])[:2] == approx((a[k], b[k]), rel=1e-12)


P = (np.arange(40_000) + 0.5) / 40_000


def moments(family, parameters, x):
    columns = tuple(np.array([[p]]) for p in parameters)
    return FAMILIES[family].moments(columns, x[None], np.full(x.size, 1.0 / x.size))[0]


def test_moments_of_each_family_by_hand():
    x = stats.gamma(3.0).ppf(P)
    values = moments("normal", (float(np.mean(x)), float(np.std(x))), x)
    assert_allclose(values, [stats.skew(x), stats.kurtosis(x)], rtol=1e-9)
    # Beta(1, 1): var log s = 1, cov = 1 - pi^2/6.
    x, common = stats.beta(2.0, 3.0).ppf(P), 1.0 - np.pi**2 / 6.0
    cov = np.cov(np.log(x), np.log1p(-x), bias=True)
    expected = [cov[0, 0] - 1.0, cov[0, 1] - common, cov[1, 1] - 1.0]
    assert_allclose(moments("beta", (1.0, 1.0), x), expected, rtol=1e-9)
    # s^p has -p log s exponential, of mean square 2; of the impostors the same of 1 - s.
    x = stats.beta(2.0, 1.0).ppf(P)
    expected = 0.5 * float(np.mean((5.0 * np.log(x)) ** 2)) - 1.0
    assert moments("dual-beta", (5.0, 1.0), x) == approx([expected], rel=1e-9)
    assert moments("dual-beta", (1.0, 5.0), 1.0 - x) == approx([expected], rel=1e-6)
    # Equal components share each score: each has its share of the products of Beta(2, 3).
    y = stats.beta(1.0, 1.0).ppf(P)
    parts = moments("beta-mixture", (0.3, 2.0, 3.0, 2.0, 3.0), y).reshape(2, 3)
    assert_allclose(parts[0] / parts[1], 3.0 / 7.0, rtol=1e-9)
    # psi(2) - psi(5) = -(1/2 + 1/3 + 1/4), and var log s of Beta(2, 3) is 1/4 + 1/9 + 1/16.
    expected = np.mean((np.log(y) + 13.0 / 12.0) ** 2) - (1.0 / 4.0 + 1.0 / 9.0 + 1.0 / 16.0)
    assert parts[:, 0].sum() == approx(expected, rel=1e-9)
