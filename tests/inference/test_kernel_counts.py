"""What counts say of rates and of strata, each formula written out."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import betaroc as br
from betaroc.core.vocabulary import FAR, FRR
from betaroc.inference import scores_beyond, strata
from betaroc.inference.delta import SmallSample
from betaroc.model.statistics import UsedRate

STEPS = [lead * 10.0**-k for k in range(1, 6) for lead in (5, 2, 1)]
RATES = [*((FAR, x) for x in (0.002, 0.03, 0.2, 0.97)), *((FRR, x) for x in (0.004, 0.9))]


def _ends(k, n, tail):
    low = stats.beta.ppf(tail, k, n - k + 1.0) if k else 0.0
    return low, stats.beta.ppf(1.0 - tail, k + 1.0, n - k)


@pytest.mark.parametrize("spread", [1.7, 0.55, 1.0])
@pytest.mark.parametrize(("name", "rate"), RATES)
def test_the_count_that_contradicts_a_rate_most(name, rate, spread):
    """Exact intervals beyond a factor of 1.25, from 5 scores to ten times, to rates of 0.1."""
    n, law, fitted = 400, stats.norm(1.0, 2.0), br.Normal(1.0, 2.0)
    x = 1.0 + spread * (law.ppf((np.arange(n) + 0.5) / n) - 1.0)
    support = scores_beyond.SampleSupport(br.Scores(x, x), (fitted, fitted))
    first, above, found = max(min(rate, 1.0 - rate), 5 / n), (rate < 0.5) == (name == FAR), []
    for r in [first, *(r for r in STEPS if first < r <= min(10.0 * first, 0.1))]:
        t = law.isf(r) if above else law.ppf(r)
        k = np.sum(x > t) if above else np.sum(x <= t)
        low, high = _ends(k, n, 0.005)
        if low > 1.25 * r or 1.25 * high < r:
            found.append((abs(k / n - r) / np.sqrt(r * (1.0 - r)), r, t, k))
    misfit = support.misfit(UsedRate(name, np.array([rate]), np.array([1.0 - rate])))
    assert (misfit is None) == (not found)
    if misfit:
        _, r, t, k = max(found)
        assert_allclose(misfit[2:], [r, above, t, r * n, k, n], rtol=1e-9)


def test_welchs_degrees_of_freedom_have_no_unit():
    sample = SmallSample(np.eye(3), np.array([0, 1, 1]), (9.0, 19.0), np.zeros(3))
    for unit in (1.0, 1e-90):
        slopes = unit * np.array([[2.0, 1.0, 1.0], [0.0, 3.0, 0.0], [0.0, 0.0, 0.0]])
        expected = [6.0**2 / (16.0 / 9.0 + 4.0 / 19.0), 19.0, np.inf]
        assert_allclose(sample.freedom_along(slopes), expected, rtol=1e-12)


@pytest.mark.parametrize("hits", [(3.0, 10.0, 1.0), (0.0, 0.0, 0.0), (40.0, 60.0, 9.0)])
def test_a_mean_of_shares_is_one_share_of_as_many_trials(hits):
    """V = sum w^2 q (1 - q)/n, q = (x + 1/2)/(n + 1), n* = p (1 - p)/V; of none its q."""
    x, n, w = np.array(hits), np.array([40.0, 60.0, 9.0]), np.array([0.3, 0.7, 0.0])
    q, mean = (x + 0.5) / (n + 1.0), w @ (x / n)
    p = mean if 0.0 < mean < 1.0 - 1e-12 else w @ q
    for inflation in (1.0, 2.5):
        size = min(p * (1.0 - p) / (w**2 @ (q * (1.0 - q) / n)), 100.0) / inflation
        low, high = _ends(mean * size, size, 0.025) if mean < 1.0 else (0.025 ** (1 / size), 1.0)
        for some in (slice(None), (slice(None), None)):
            found = strata.mean_share((x / n)[some], n[some], w, 0.025, inflation)
            assert_allclose(np.ravel(found), [mean, low, high], rtol=1e-9, atol=1e-15)


def test_the_most_of_four_strata_by_draws_and_one_rate_for_two():
    """The largest of all differences and deviations; chi square, or tables of few errors."""

    def of(hits, n):
        n = np.array(n)
        return strata.StratumCounts(np.array(hits) / n, n, np.full(n.size, np.nan), n)

    n = np.array([101.0, 81.0, 41.0, 61.0])
    p = [30.5, 8.5, 2.5, 5.5] / n
    logs, v, z = np.log(p), (1.0 - p) / (n * p), np.random.default_rng(5).normal(size=(40_000, 4))
    apart, x = np.sqrt(v / 2.0 + v.sum() / 16.0), z * np.sqrt(v)
    most = np.quantile(np.max((x - x.mean(axis=1, keepdims=True)) / apart, axis=1), 0.95)
    between, error = logs[0] - logs[1:], np.sqrt(v[0] + v[1:])
    largest, away = np.quantile(np.ptp(z, axis=1), 0.95) / math.sqrt(2.0), logs - logs.mean()
    found = of([30.0, 8.0, 2.0, 5.0], [100.0, 80.0, 40.0, 60.0]).differences(0.9)
    rows = (between, error, largest), (away, apart, most)
    for q, (value, e, reach) in zip(found, rows, strict=True):
        ends = np.max(value), np.max(value + 1.644854 * e)
        assert_allclose(np.log([q.estimate, q.high]), ends, rtol=1e-6)
        assert np.log(q.low) == pytest.approx(np.max(value - reach * e), abs=0.03)
    assert {q.high for q in of([0.0, 1.0], [10.0, 10.0]).differences(0.9)} == {math.inf}
    for hits, n in (([30.0, 8.0], [100.0, 80.0]), ([4.5, 1.0], [12.5, 30.0])):
        table = [hits, np.subtract(n, hits)]
        chi = stats.chi2_contingency(table, correction=False).pvalue
        assert of(hits, n).p_value() == pytest.approx(chi, rel=1e-12)
    exact = stats.hypergeom.sf(2, 61, 4, 12)  # 0.021, where chi square has 0.0042; 49/49 rounds
    assert of([3.0, 1.0], [12.0, 49.0]).p_value() == pytest.approx(exact, abs=0.006)
