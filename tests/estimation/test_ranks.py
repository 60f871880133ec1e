"""The binormal ROC of ratings and ranks: its maximum, errors, invariance, tables and refusals."""

import math
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import betaroc as br
from helpers.commands import said
from helpers.files import write
from helpers.sets import summary_of

approx, ndtr = pytest.approx, stats.norm.cdf
RANKS = "rank-binormal"
#: Ratings of 109 CT images, Hanley and McNeil (1982), Radiology 143, table 1: abnormal, normal.
CLIENT, IMPOSTOR = [3, 2, 2, 11, 33], [33, 6, 6, 11, 2]
#: By scipy.optimize on the likelihood below, its errors by numeric differentiation.
A, B, AZ, LOGLIK = 1.6567822251, 0.7130022110, 0.9113311293, -123.6485531779
CUTS = [0.169768, 0.463215, 0.766860, 1.797938]
ERRORS = 0.310456, 0.215882, 0.029506


@pytest.fixture(scope="module")
def ct():
    return br.fit(br.Scores.from_counts(CLIENT, IMPOSTOR), RANKS)


def weighted(client, impostor):
    return br.Scores(*[range(1, 6)] * 2, client_weights=client, impostor_weights=impostor)


def likelihood(x):
    """Of (a, b, cut points), from the definition."""
    t = np.concatenate([[-np.inf], x[2:], [np.inf]])
    return CLIENT @ np.log(np.diff(ndtr(x[1] * t - x[0]))) + IMPOSTOR @ np.log(np.diff(ndtr(t)))


def gradient(x):
    steps = 1e-3 * np.eye(x.size)
    return np.array([
        (8.0 * (likelihood(x + d) - likelihood(x - d)) - likelihood(x + 2 * d)
         + likelihood(x - 2 * d)) / 12e-3 for d in steps
    ])  # fmt: skip


def of_roc(f):
    """a, b, A_z and their covariance, from the clients' mean and standard deviation."""
    mu, sigma = f.client.values[:2]
    a, b, root = mu / sigma, 1.0 / sigma, math.hypot(1.0, sigma)
    area = stats.norm.pdf(mu / root) * np.array([1.0 / root, -mu * sigma / root**3])
    rates = np.array([[b, -mu * b * b], [0.0, -b * b], area])
    return np.array([a, b, ndtr(mu / root)]), rates @ f.client.cov[:2, :2] @ rates.T


def test_ratings_of_hanley_and_mcneil_and_closed_forms(ct):
    values, cov = of_roc(ct)
    assert_allclose(values, [A, B, AZ], atol=1e-7)
    assert_allclose(np.sqrt(np.diag(cov)), ERRORS, atol=1e-6)
    law = ct.impostor.distribution
    assert_allclose(law.latent, CUTS, atol=1e-6)
    assert (law.mu, law.sigma, *law.scores) == (0.0, 1.0, 1.0, 2.0, 3.0, 4.0)
    assert ct.log_likelihood == approx(LOGLIK, abs=1e-9)
    assert (ct.converged, ct.n_free) == (True, 2)
    x = np.concatenate([values[:2], law.latent])
    assert np.max(np.abs(gradient(x))) < 1e-8
    hessian = np.array([(gradient(x + d) - gradient(x - d)) / 2e-4 for d in 1e-4 * np.eye(6)])
    assert_allclose(cov[:2, :2], np.linalg.inv(-hessian)[:2, :2], atol=1e-6)
    assert ct.model.auc() == approx(AZ, abs=1e-8)
    assert ct.model.auc() == approx(ct.model.generic().auc(), abs=1e-12)
    far = np.array([1e-6, 0.1, 0.9])
    assert_allclose(ct.model.roc().tpr(far), ndtr(A + B * stats.norm.ppf(far)), rtol=1e-6)
    assert len(ct.model.diagonal_crossings()) == 1
    assert ct.model.semi_derivatives() == (0.0, 0.0)  # as b < 1
    point = ct.at(3)
    assert_allclose([point.far, point.frr], [ndtr(-CUTS[2]), ndtr(B * CUTS[2] - A)], rtol=1e-5)


def test_between_and_beyond_the_places_scores_are_interpolated():
    law = br.RankNormal(1.0, 2.0, [0.0, 1.0, 3.0], [-1.0, 1.0, 2.0])
    at, latent = [-3.0, 0.5, 2.0, 6.0], np.array([-4.0, 0.0, 1.5, 5.0])
    assert_allclose(law.cdf(at), ndtr((latent - 1.0) / 2.0), rtol=1e-14)
    assert_allclose(law.ppf(law.cdf(at)), at, atol=1e-12)
    assert_allclose(law.pdf(at), stats.norm.pdf(latent, 1.0, 2.0) * [1.0, 2.0, 0.5, 1.0])
    u = ndtr(np.linspace(-8.0, 8.0, 200_001))
    assert law.mean == approx(np.sum(np.diff(u) * law.ppf(0.5 * (u[1:] + u[:-1]))), abs=1e-6)
    other = br.RankNormal(0.0, 1.0, [0.0, 1.0, 3.0], [-1.0, 1.5, 2.0])
    pair = br.ScoreModel(law, other)  # of two maps: no closed form
    u = (np.arange(20_000) + 0.5) / 20_000
    assert pair.auc() == approx(np.mean(other.cdf(law.ppf(u))), abs=1e-6)
    law = br.results.RankNormal(0.1, 1.0, scores=[0.2, 0.7], latent=[0.0, 1.0])
    assert law.cdf([-1.7e308, 1.7e308]).tolist() == [0.0, 1.0]


@pytest.mark.simulation
@pytest.mark.parametrize("pair", [
    weighted,
    lambda c, i: summary_of(br.Scores.from_counts(c, i)),
    lambda c, i: br.Scores.from_counts(c, i, [-7.0, 0.0, 0.1, 2.0, 2.5]),
])  # fmt: skip
def test_a_weight_is_a_number_of_trials_and_bins_are_ratings(ct, pair):
    assert_allclose(of_roc(br.fit(pair(CLIENT, IMPOSTOR), RANKS))[1], of_roc(ct)[1], rtol=1e-9)


def test_no_increasing_map_changes_it():
    rng = np.random.default_rng(2)
    marker = br.Scores(rng.lognormal(1.0, 0.8, 60), rng.lognormal(0.0, 0.6, 120))
    area = br.fit(marker, RANKS).interval("auc")
    for by in (np.log, np.cbrt, lambda x: np.arctan(x) - 1e3):
        again = br.fit(br.Scores(by(marker.client), by(marker.impostor)), RANKS).interval("auc")
        assert again.estimate == approx(area.estimate, abs=1e-10)
        assert again.low == approx(area.low, abs=1e-10)
    assert area.estimate == approx(br.interval(marker, "auc").estimate, abs=0.01)


@pytest.mark.simulation
def test_many_ranks_are_merged():
    rng = np.random.default_rng(4)
    scores = br.Scores(np.exp(rng.normal(1.5, 1.25, 100_000)), np.exp(rng.standard_normal(100_000)))
    f = br.fit(scores, RANKS)
    (a, b, _), cov = of_roc(f)
    assert 200 <= f.client.distribution.scores.size <= 400
    assert np.all(np.abs([a - 1.2, b - 0.8]) < 3.0 * np.sqrt(np.diag(cov))[:2])
    assert br.check_fit(f).verdict == "good"


def test_the_interval_of_the_area_is_on_the_probit_scale(ct):
    root = math.hypot(1.0, B)
    error = ERRORS[2] / stats.norm.pdf(A / root) * math.sqrt(51 / 50)
    ends = ndtr(A / root + stats.t.ppf([0.025, 0.975], 50) * error)
    interval = ct.interval("auc")
    assert_allclose([interval.low, interval.high], ends, atol=1e-5)
    band = ct.roc_band(far=[0.1])
    interval = ct.interval("tpr@far=0.1")
    assert_allclose([interval.low, interval.high], [band.low[0], band.high[0]], rtol=1e-6)


@pytest.mark.simulation
@pytest.mark.parametrize("places", [1.7e12 + np.arange(5.0), 5e-324 * np.arange(5.0)])
def test_numbers_of_the_roc_do_not_feel_the_scale_of_scores(ct, places):
    f = br.fit(br.Scores.from_counts(CLIENT, IMPOSTOR, places), RANKS)
    for stat in ("tpr@far=0.1", "eer", "min-cllr"):
        ends = [(i.low, i.estimate, i.high) for i in (f.interval(stat), ct.interval(stat))]
        assert_allclose(*ends, rtol=1e-9)
    assert "(61 to 89 %)" in str(f.summary())


@pytest.mark.simulation
def test_each_trial_moves_the_fit_as_one_more_of_its_kind_does(ct):
    from betaroc.inference.delta import trial_moves

    moves = trial_moves(ct, ct.scores)
    for which, counts in enumerate((CLIENT, IMPOSTOR)):
        for k in (0, 2, 4):
            ends = []
            for step in (1e-4, -1e-4):
                rows = [np.array(x, np.float64) for x in (CLIENT, IMPOSTOR)]
                rows[which][k] += step
                ends.append(br.fit(weighted(*rows), RANKS).client.values)
            slope = np.subtract(*ends) / 2e-4
            place = int(np.sum(counts[:k]))
            assert_allclose(moves[which][place][:2], slope, atol=1e-5)


@pytest.mark.simulation
def test_dependent_trials():
    rng = np.random.default_rng(8)
    person = rng.standard_normal((2, 150))
    x = np.digitize(person[0, :, None] + 1.2 + rng.standard_normal((150, 2)), [0, 0.8, 1.6, 2.4])
    y = np.digitize(person[1, :, None] + rng.standard_normal((150, 2)), [0, 0.8, 1.6, 2.4])
    a, b = (br.fit(br.Scores(x[:, k], y[:, k]), RANKS) for k in (0, 1))
    gap = br.difference(a, b, "auc", paired=True)
    counted = br.difference(a.scores, b.scores, "auc", paired=True)
    assert gap.estimate == approx(a.model.auc() - b.model.auc())
    assert gap.high - gap.low == approx(counted.high - counted.low, rel=0.15)
    names = np.repeat(np.arange(150), 2)
    twice = br.Scores(x.ravel(), y.ravel(), client_groups=names, impostor_groups=names + 150)
    ends = [br.fit(twice, RANKS).interval("auc", groups=groups) for groups in (True, False)]
    both, alone = (interval.high - interval.low for interval in ends)
    assert 1.1 < both / alone < 1.4  # of two with a correlation of .5: sqrt(1.5)


def test_rows_of_tables_are_no_pairs(ct):
    other = br.Scores.from_counts([4, 2, 3, 11, 31], [31, 7, 7, 10, 3])
    pairs = (ct.scores, other), (ct, br.fit(other, RANKS))
    for pair in pairs:
        with pytest.raises(br.InputError, match=r"a frequency table has none.*paired=False"):
            br.difference(*pair, "auc")
        assert not br.difference(*pair, "auc", paired=False).paired
    assert br.difference(ct.scores, ct.scores, "auc").estimate == 0.0


@pytest.mark.simulation
def test_pearson_of_continuous_scores_counts_in_quantile_bins():
    rng = np.random.default_rng(3)
    x, y = rng.normal(1.0, 1.3, 2000), rng.normal(size=2000)
    f = br.fit(br.Scores(np.exp(x), np.exp(y)), RANKS)
    edges = np.exp(np.quantile(np.r_[x, y], np.arange(1, 12) / 12, method="inverted_cdf"))
    edges, chi_square = [-np.inf, *edges, np.inf], 0.0
    for values, law in ((x, f.model.client), (y, f.model.impostor)):
        counts = np.diff(np.searchsorted(np.sort(np.exp(values)), edges, side="right"))
        expected = 2000 * np.diff(law.cdf(edges))
        chi_square += stats.chisquare(counts, expected, sum_check=False).statistic
    assert f"chi-square {chi_square:.4g}, 9 degrees of freedom" in br.check_fit(f).reason


@pytest.mark.simulation
def test_the_tables_of_a_physician(ct):
    text = " ".join(str(ct.summary()).split())
    for words in (
        "a 1.657 0.3105 b 0.713 0.2159 A_z 0.9113 (0.8355 to 0.9574) 0.02951",
        "Correlation of a and b 0.7054; no chi-square",
        "4 1.798 3.6 % 3.4 % 65 % 65 %", "10 % 77 % (61 to 89 %)",
    ):  # fmt: skip
        assert words in text
    assert br.check_fit(ct).verdict == "cannot tell"


def test_pearson_of_cells_that_expect_five():
    client, impostor = [20, 30, 40, 60, 150], [160, 70, 30, 25, 15]
    f = br.fit(br.Scores.from_counts(client, impostor), RANKS)
    chi_square = 0.0
    for counts, law in ((client, f.client), (impostor, f.impostor)):
        masses = np.diff(law.distribution.cdf([-np.inf, 1, 2, 3, 4, np.inf]))
        chi_square += stats.chisquare(counts, sum(counts) * masses, sum_check=False).statistic
    p = stats.chi2.sf(chi_square, 2)
    reason = br.check_fit(f).reason
    assert f"chi-square {chi_square:.4g}, 2 degrees of freedom, p = {p:.3g}" in reason
    odd = br.Scores.from_counts([100, 400, 20, 30, 400], [300, 20, 300, 200, 100])
    with pytest.warns(br.MisfitWarning, match="do not describe these scores"):
        f = br.fit(odd, RANKS)
    assert br.check_fit(f).verdict == "poor"


@pytest.mark.simulation
def test_the_command_compares_at_the_cut_points(tmp_path, capsys):
    """0.0057 is the largest of four distances at the cut points, not .5 within a rating."""
    sides = [np.repeat(np.arange(1, 6), counts) for counts in (CLIENT, IMPOSTOR)]
    files = " ".join(str(write(tmp_path / name, *sides)) for name in ("ct.csv", "again.csv"))
    out = said(capsys, f"fit {files} --family rank-binormal")
    assert (out.count("cannot tell"), out.count("0.0057")) == (4, 2)


COUNTS = br.Scores.from_counts
INPUT, DEGENERATE = br.InputError, br.DegenerateDataError
REFUSED = [
    *((COUNTS, (client, [3, 1], values), INPUT, why) for client, values, why in (
        ([3, -1], None, r"client must be whole numbers.*index 1: -1"),
        ([3, 1.5], None, r"client must be whole numbers.*index 1: 1\.5"),
        ([3, None], None, r"client must have no missing value; got None at index 1"),
        ([3, math.nan], None, r"client must be finite.*index 1"),
        ([1, 2, 3], None, "impostor must have a count for each of 3 values; got 2"),
        ([1, 2], [2, 1], "values must ascend.*index 1"))),
    *((br.fit, (COUNTS(*pair), RANKS), DEGENERATE, rf"{why}.*Give more trials.*empirical")
      for why, *pair in (
        ("two operating points", [5, 0], [9, 0]), ("two operating points", [5, 4], [2, 8]),
        ("separate the classes", [0, 0, 5], [5, 5, 0]),
        ("separate the classes", [9, 2, 0], [0, 3, 5]),
        ("grows for ever", [0, 0, 0, 5, 45], [20, 10, 5, 5, 10]),
        ("grows for ever.*empty cells", [17, 0, 0, 0, 33], [26, 4, 8, 3, 9]))),
    *((br.fit(COUNTS(CLIENT, IMPOSTOR, places), RANKS).interval, (stat,), INPUT,
       r"ROC alone.*Count: br\.interval") for places in (np.arange(1.0, 6.0), np.arange(5.0))
      for stat in ("far@threshold=3", "tpr@threshold=0", "tpr@threshold=-60", "threshold@far=0.1",
        "client-mean", "cllr", lambda model: model.at(3.0).far)),
    (br.RankNormal, (0.0, 1.0, [1.0, 1.0], [0.0, 1.0]), INPUT, "scores must ascend"),
    (br.RankNormal, (0.0, 1.0, [1.0, 2.0], [0.0, 1.0, 2.0]), INPUT, "as many as scores"),
    *((partial(br.fit, **options), (COUNTS(CLIENT, IMPOSTOR), RANKS), INPUT, "must be left out")
      for options in ({"tails": "both"}, {"resolution": 1.0})),
]  # fmt: skip


@pytest.mark.parametrize(("call", "args", "error", "why"), REFUSED)
def test_what_does_not_apply_is_refused_with_a_reason(call, args, error, why):
    with pytest.raises(error, match=why):
        call(*args)
