"""Score sets drawn from models: their laws, their dependence, their reproducibility."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.special import betainc
from scipy.stats import kendalltau, kstest, spearmanr

import betaroc as br

BETA = br.ScoreModel(br.Beta(0.8, 0.5), br.Beta(0.6, 2.0), prior=0.9, name="beta")
NORMAL = br.ScoreModel(br.Normal(1.0, 1.5), br.Normal(0.0, 1.0))
LOGIT = br.ScoreModel(br.LogitNormal(1.0, 1.0), br.LogitNormal(0.0, 2.0))
SYSTEMS = {"A": BETA, "B": NORMAL, "C": LOGIT}
R = np.array([[1.0, 0.7, -0.3], [0.7, 1.0, 0.1], [-0.3, 0.1, 1.0]])


N = 20_000
#: Four standard errors of Kendall's tau: its variance is at most that of independence,
#: 2 (2n + 5) / (9 n (n - 1)), up to a factor 2.3 for normal pairs.
ATOL_TAU = 4.0 * math.sqrt(2.3 * 2.0 * (2 * N + 5) / (9.0 * N * (N - 1)))


@pytest.mark.simulation
def test_rank_correlations_are_those_of_the_copula():
    """tau = 2/pi asin(r), Spearman 6/pi asin(r/2) (Joe 2014, section 4.3)."""
    frame = br.sample_systems(SYSTEMS, N, N, correlation=(R, 0.4), rng=4)
    assert list(frame.columns) == ["label", *SYSTEMS]
    assert frame["label"].tolist() == [1] * N + [0] * N
    for name, model in SYSTEMS.items():
        assert kstest(frame[name][:N], model.client.cdf).pvalue > 0.005
        assert kstest(frame[name][N:], model.impostor.cdf).pvalue > 0.005
    for rows, matrix in ((slice(N), R), (slice(N, None), np.full((3, 3), 0.4))):
        for i, j in ((0, 1), (0, 2), (1, 2)):
            x, y = frame.iloc[rows, i + 1], frame.iloc[rows, j + 1]
            tau = 2.0 / math.pi * math.asin(matrix[i, j])
            assert kendalltau(x, y).statistic == pytest.approx(tau, abs=ATOL_TAU)
            rho = 6.0 / math.pi * math.asin(matrix[i, j] / 2.0)
            assert spearmanr(x, y).statistic == pytest.approx(rho, abs=4.0 / math.sqrt(N))


def test_ranks_are_equal_reversed_or_independent_and_trials_do_not_depend():
    two = {"A": BETA, "B": NORMAL}
    frame = br.sample_systems(two, 500, 500, correlation=(1.0, -1.0), rng=6)
    together = frame[:500].rank()
    np.testing.assert_array_equal(together["A"], together["B"])
    opposed = frame[500:].rank()
    np.testing.assert_array_equal(opposed["A"], 501.0 - opposed["B"])
    frame = br.sample_systems(SYSTEMS, N, 10, rng=5)
    assert abs(kendalltau(frame["A"][:N], frame["B"][:N]).statistic) < ATOL_TAU
    assert abs(kendalltau(frame["A"][: N - 1], frame["A"][1:N]).statistic) < ATOL_TAU


@pytest.mark.simulation
def test_scores_are_taken_from_their_own_tail():
    """Near 1 scores round to 1 with the chance of 1 - S ~ Beta(0.01, 50) below 2^-54, no sooner."""
    model = br.ScoreModel(br.Beta(1, 1), br.Beta(50, 0.01))
    frame = br.sample_systems({"A": model, "B": BETA}, 1, 2000, rng=1)
    share = float(np.mean(frame["A"][1:] == 1.0))
    assert share == pytest.approx(betainc(0.01, 50.0, 2.0**-54), abs=4.0 * math.sqrt(0.25 / 2000))
    # Below the doubles' range next to 0 the mirrored law underflows alike.
    mirror = br.ScoreModel(br.Beta(1, 1), br.Beta(0.01, 50))
    low = br.sample_systems({"A": mirror}, 1, 2000, rng=1)["A"][1:]
    share = float(np.mean(low < 1e-100))
    assert share == pytest.approx(betainc(0.01, 50.0, 1e-100), abs=4.0 * math.sqrt(0.25 / 2000))


def test_the_same_seed_gives_the_same_frame_and_bytes_whatever_the_prior():
    named = pd.DataFrame(R, index=list("ABC"), columns=list("ABC"))
    one, *others = (
        br.sample_systems(SYSTEMS, 30, 40, correlation=r, rng=9)
        for r in (R, R.tolist(), named, (R, R))
    )
    for other in others:
        pd.testing.assert_frame_equal(one, other, check_exact=True)
    # It differs from its transpose by rounding.
    rounded = np.corrcoef(np.random.default_rng(0).normal(size=(3, 20)))
    assert len(br.sample_systems(SYSTEMS, 3, 3, correlation=rounded, rng=1)) == 6
    one, two = BETA.sample(50, 60, rng=7), BETA.sample(50, 60, rng=np.random.default_rng(7))
    assert one == two
    other = br.ScoreModel(BETA.client, BETA.impostor, prior=0.1, name="beta")
    assert other.sample(50, 60, rng=7) == one
    scores = BETA.sample(4000, 3000, rng=1)
    assert kstest(scores.client, BETA.client.cdf).pvalue > 0.01
    assert kstest(scores.impostor, BETA.impostor.cdf).pvalue > 0.01
