"""Small parts of the numerical core, each beside its definition."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize, stats

import betaroc as br
from betaroc.core.vocabulary import FAR, FRR
from betaroc.estimation.batch import _refuse
from betaroc.inference import scores_beyond, strata
from betaroc.inference.delta import SmallSample, _cell_log_likelihood, _scale
from betaroc.inference.drawn_scores import _bandwidth
from betaroc.model.statistics import UsedRate, parse_statistic

LINE = br.ScoreModel(br.Beta(2, 1), br.Beta(1, 1))  # TPR = 1 - t^2, FAR = 1 - t


@pytest.mark.parametrize("scores", [[0.0, 1.0, 2.0, 10.0], [0.0, 1.0, 2.0, 3.0]])
def test_the_noise_of_smoothed_scores_has_silvermans_width(scores):
    """0.9 min(sd, IQR / 1.349) n^(-1/5) of copies, without trials that have no score."""
    values, weights = np.array([-np.inf, *scores]), np.array([3.0, 2.0, 2.0, 2.0, 2.0])
    sample = np.repeat(scores, 2)
    quarters = np.diff(sample[[1, 5]]).item()
    least = min(np.std(sample), quarters / (2.0 * stats.norm.ppf(0.75)))
    assert _bandwidth(values, weights) == pytest.approx(0.9 * least * 8**-0.2, rel=1e-3)


@pytest.mark.parametrize("stat", ["partial-auc", "auc", "exponent-at-zero"])
def test_a_scale_and_its_inverse(stat):
    points = {"between": (0.1, 0.4)} if stat == "partial-auc" else {}
    spec = parse_statistic(stat, (), **points)
    to, back = _scale(spec.row.scale, spec, LINE)
    for x in (0.55, 0.75, 0.9):
        assert back(to(x)) == pytest.approx(x, rel=1e-12)


def test_scores_at_an_edge_are_censored_by_the_rule_and_resolutions_have_a_unit():
    x = np.array([0.0, 0.01, 0.011, 0.5, 0.99, 1.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.3])
    law = br.Beta(2.0, 3.0)
    fit = br.fit_distribution(x, "beta", boundary="censor", resolution=0.01)
    found = _cell_log_likelihood(fit, x)(law)
    wanted = [*[law.logcdf(0.01)] * 2, law.logpdf(0.011), law.logpdf(0.5), *[law.logsf(0.99)] * 2]
    assert found[:6] == pytest.approx(wanted)
    x[[1, 4]] = 2.0**-511, 1.0 - 2.0**-53  # the edges of MATLAB, which are scores themselves
    found = _cell_log_likelihood(br.fit_distribution(x, "beta", boundary="matlab"), x)(law)
    wanted = [law.logcdf(x[1]), law.logpdf(x[1]), law.logpdf(x[4]), law.logsf(x[4])]
    assert found[[0, 1, 4, 5]] == pytest.approx(wanted)
    x = np.round(np.linspace(-0.8, 0.6, 40) ** 3, 2)
    fit = br.fit_distribution(x, "beta", resolution=0.01, bounds=(-1.0, 1.0))
    assert fit.boundary.resolution == pytest.approx(0.01)


@pytest.mark.parametrize("alpha", [0.5, 0.9])
def test_the_best_precision_and_recall_are_where_their_slopes_agree(alpha):
    """P = (1 + t)/(2 + t) at even classes, R = 1 - t^2: alpha/(2 + t)^2 = (1 - alpha) 2 t."""
    t = optimize.brentq(lambda t: alpha / (2.0 + t) ** 2 - (1.0 - alpha) * 2.0 * t, 0.0, 1.0)
    e = br.epc(LINE, LINE, criterion="weighted-precision-recall", alpha=[alpha], prior=0.5)
    assert e.threshold == pytest.approx([t], rel=1e-9)


def test_a_first_reason_of_a_system_stands():
    reason = np.array(["", "no scores", ""], dtype=object)
    _refuse(reason, np.array([True, True, False]), "client")
    assert reason[0].startswith("client: too concentrated")
    assert reason[1:].tolist() == ["no scores", ""]


def test_a_tail_has_the_design_effect_of_its_own_scores():
    """The lowest clients come in pairs of one person, all others alone."""
    rng = np.random.default_rng(1)
    low, rest = np.repeat(rng.uniform(0.0, 0.2, 40), 2), rng.uniform(0.3, 1.0, 320)
    people = np.r_[np.repeat(np.arange(40), 2), np.arange(40, 360)]
    scores = br.Scores(np.r_[low, rest], rng.beta(2, 5, 300), client_groups=people)
    effects = [
        br.fit(scores, "beta", tails={"client": side}, tail_sizes=40).client.tails[0].fits[0]
        for side in ("lower", "upper")
    ]
    assert [fit.design_effect for fit in effects] == pytest.approx([1.9, 1.0], abs=0.11)


def test_an_interval_says_that_a_score_may_be_a_code():
    scores = br.Scores([-999.0, *np.linspace(0.2, 1.0, 40)], np.linspace(0.0, 0.8, 40))
    with pytest.warns(br.errors.InfluenceWarning, match=r"a score is -999\.0"):
        br.interval(scores, "far", threshold=0.5)


def test_a_sinh_arcsinh_tail_of_a_normal_distribution_has_its_width():
    law = br.SinhArcsinh(0.3, 2.0, 0.0, 1.0)
    assert [(t.order, t.centre, t.width) for t in law._tails()] == [(2.0, 0.3, 2.0)] * 2


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")
def test_a_decision_that_accepts_all_has_a_document():
    lax = br.decide(br.Scores([0.0, 0.0], [0.0]), cost_fa=0.02, cost_fr=1.0, family="empirical")
    assert (lax.threshold, br.from_json(lax.to_json())) == (-np.inf, lax)


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
