"""Trials that depend on each other: reading groups, drawing by them, variances that hold."""

import math

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import betaroc as br
from betaroc.core.thresholds import Thresholds
from betaroc.data.groups import groups_of, units_of
from betaroc.distributions.base import Distribution
from betaroc.inference.auc import covariance_of_means
from betaroc.inference.delta import observation_scores
from helpers.extras import needs
from helpers.places import DATA
from helpers.robust import robust_cov

approx = pytest.approx
pl = needs("polars", "polars")
pa = needs("pyarrow", "parquet")
pq = needs("pyarrow.parquet", "parquet")

DEV = br.Scores(np.linspace(-1.0, 3.0, 200), np.linspace(-3.0, 1.0, 200))
ALPHAS = np.array([0.25, 0.5, 0.75])
PAIRS = [["s1", "s1"], ["s1", "s2"], ["s2", "s1"]]


def made(client, impostor, groups, others, **more):
    return br.Scores(client, impostor, client_groups=groups, impostor_groups=others, **more)


def near(found, ends, allowed):
    assert np.all(np.abs(np.subtract((found.low, found.high), ends)) <= allowed)


def one_column(rng, people, each, spread):
    """Each person has an effect on client trials and, correlated, on impostor trials."""
    effect = rng.normal(0, spread, (2, people))
    effect[1] = 0.5 * effect[0] + math.sqrt(0.75) * effect[1]
    client, impostor = np.repeat(np.arange(people), each), np.repeat(np.arange(people), 2 * each)
    scores = 1 + effect[0, client] + rng.normal(0, 1, client.size)
    return made(scores, -1 + effect[1, impostor] + rng.normal(0, 1, 2 * client.size), client,
        impostor)  # fmt: skip


def two_columns(rng, people, each, spread):
    """Person p claims to be p + 1, p + 1 + step, ...; both persons have an effect."""
    effect = rng.normal(0, spread, (3, people))
    effect[1] = 0.5 * effect[0] + math.sqrt(0.75) * effect[1]
    real, step = np.repeat(np.arange(people), each), (people - 1) // each
    claimed = (real + np.tile(1 + step * np.arange(each), people)) % people
    scores = 1 + effect[2, real] + rng.normal(0, 1, real.size)
    others = -1 + effect[0, claimed] + effect[1, real] + rng.normal(0, 1, real.size)
    return made(scores, others, np.column_stack((real, real)), np.column_stack((claimed, real)))


def robust_rates(scores, threshold, *, groups=True):
    """Covariance of FAR and FRR."""
    rejected, accepted = scores.client <= threshold, scores.impostor > threshold
    parts = [(0.0 * rejected, 1.0 * accepted), (1.0 * rejected, 0.0 * accepted)]
    return covariance_of_means(units_of(scores, groups=groups), parts)


def test_files_and_frames_give_groups_and_ids_which_are_kept(tmp_path):
    frame = pd.DataFrame({"score": [0.9, 0.2, 0.4], "label": [1, 0, 0],
        "claimed": ["s1", "s1", "s2"], "real": ["s1", "s2", "s1"], "number": [1, 2, 3],
        "trial": ["t1", "t2", "t3"]})  # fmt: skip
    ids = {"client_ids": ["t1"], "impostor_ids": ["t2", "t3"]}
    expected = made([0.9], [0.2, 0.4], PAIRS[:1], PAIRS[1:], **ids)
    frame.to_csv(tmp_path / "scores.csv", index=False)
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "scores.parquet")
    for suffix, numbers in (("csv", ["2", "3"]), ("parquet", [2, 3])):
        path, both = tmp_path / f"scores.{suffix}", {"group": ("claimed", "real"), "id": "trial"}
        assert br.read_scores(path, **both) == expected
        assert br.read_scores(path, group="number").impostor_groups.tolist() == numbers
    for kind in (frame, pl.from_pandas(frame).lazy(), pa.Table.from_pandas(frame)):
        assert br.Scores.from_frame(kind, **both) == expected
    path = tmp_path / "columns"
    path.write_text("s1 m7 s1 p1 0.9\ns1 m7 s2 p2 0.2\ns2 m7 s1 p3 0.4\n")
    scores = br.read_scores(path, group=("claimed", "real"), id="probe")
    assert (scores.impostor_groups.tolist(), [*scores.impostor_ids]) == (PAIRS[1:], ["p2", "p3"])
    assert br.read_scores(path, group="model").client_groups == np.array(["m7"])
    path.with_suffix(".csv").write_text("score,label,who\n0.9,1,a\n0.1,0, \n")
    gaps = {"score": [0.9, 0.2], "label": [1, 0], "real": ["a", None], "x": [0.5, 1.5]}
    pq.write_table(pa.table(gaps), path.with_suffix(".parquet"))
    for suffix, group, words in (("", "label", "there are 'claimed', 'model', 'real', 'probe'"),
        (".csv", "claim", r"must have a column 'claim'.*Pass group=\.\.\.$"),
        (".csv", "who", "line 3: column 'who' must not be missing"),
        (".parquet", "real", "column 'real' must have no missing value"),
        (".parquet", "x", "column 'x' must be integers or text")):  # fmt: skip
        with pytest.raises(br.FileFormatError, match=words):
            br.read_scores(path.with_suffix(suffix), group=group)
    scores = made([3.0], [1.0, 2.0], PAIRS[:1], PAIRS[1:])
    assert scores.impostor_groups.tolist() == PAIRS[1:]
    assert not scores.impostor_groups.flags.writeable
    assert eval(repr(scores), {"Scores": br.Scores}) == scores
    assert scores != made([3.0], [1.0, 2.0], PAIRS[:1], PAIRS[:2])
    # 26 people, each its own target and claimed to be by others: one label space.
    path, group = DATA / "bob_verif" / "scores-dev.4col.txt", ("claimed", "real")
    found = groups_of(br.read_scores(path, group=group))
    assert (found.labels, found.sizes) == (26, (26, 26))


def test_rates_of_independent_trials_and_of_no_variance():
    scores = two_columns(np.random.default_rng(3), 12, 4, 0.5)
    far, frr = (scores.impostor > 0.0).mean(), (scores.client <= 0.0).mean()
    expected = np.diag([far * (1 - far) / scores.n_impostor, frr * (1 - frr) / 48])
    assert_allclose(robust_rates(scores, 0.0, groups=False), expected, rtol=1e-12, atol=1e-18)
    # Two trials a pair that agree, four pairs that do not: V1 = V2 = 0 < V12, of 2 * 1/2 / 8 each.
    labels, hits = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], [0, 1, 1, 0]
    assert robust_rates(made([1.0], hits * 2, None, labels * 2), 0.5)[0, 0] == 0.0


def brute_weights(rng, scores):
    """Weights of all trials of one group bootstrap, by the words of the docstring."""
    places, columns = {}, {}
    for who in ("client", "impostor"):
        groups = getattr(scores, f"{who}_groups")
        columns[who] = list(groups.T if groups.ndim == 2 else [groups])
        for number, column in enumerate(columns[who]):
            for label in set(column.tolist()):
                places.setdefault(label, set()).add((who, number))
    weight = dict.fromkeys(places, 0)
    for kind in {frozenset(p) for p in places.values()}:
        among = [label for label, p in places.items() if p == kind]
        for k in rng.integers(len(among), size=len(among)):
            weight[among[k]] += 1
    found = []
    for who in ("client", "impostor"):
        rows = zip(*(column.tolist() for column in columns[who]), strict=True)
        found.append(np.array([math.prod(weight[x] for x in set(row)) for row in rows], float))
    return found[0], found[1]


def brute_values(scores, curve, replicates):
    """HTERs of drawn rows."""
    rng, values = np.random.default_rng(77), np.empty((replicates, curve.alpha.size))
    wrong = scores.client[:, None] <= curve.threshold, scores.impostor[:, None] > curve.threshold
    for r in range(replicates):
        w_c, w_i = brute_weights(rng, scores)
        values[r] = 0.5 * (w_c @ wrong[0] / w_c.sum() + w_i @ wrong[1] / w_i.sum())
    return values


@pytest.mark.simulation
@pytest.mark.parametrize("crossed", [False, True])
def test_copies_in_a_group_add_nothing(crossed):
    """Every trial three times under one label is the trial once, and so is a weight of three."""
    scores = two_columns(np.random.default_rng(7), 20, 4, 0.7)
    parts, groups = (scores.client, scores.impostor), (np.arange(80), np.arange(80, 160))
    if crossed:
        groups = scores.client_groups, scores.impostor_groups
    one = made(*parts, *groups)
    weighted = made(*parts, *groups, client_weights=[3] * 80, impostor_weights=[3] * 80)
    copied = made(*(np.repeat(x, 3, axis=0) for x in (*parts, *groups)))
    for three in (weighted, copied):
        assert_allclose(robust_rates(three, 0.5), robust_rates(one, 0.5), rtol=1e-12, atol=1e-18)
        curves = [br.epc(DEV, s, alpha=ALPHAS) for s in (three, one)]
        bands = [c.band(resample="test", method="delta", simultaneous=True, rng=1) for c in curves]
        assert_allclose(*((b.low, b.high) for b in bands), rtol=1e-9)
        bands = [c.band(resample="test", replicates=3000, rng=k) for k, c in enumerate(curves)]
        # two quantiles of 3000 replicates: .07 sd, .018 widths; HTER moves by steps of 1/160
        allowed = np.maximum(0.08 * (bands[1].high - bands[1].low), (1 + 1e-9) / 160)
        near(bands[0], (bands[1].low, bands[1].high), allowed)


def test_groups_of_one_class_alone_and_m():
    """FAR of grouped impostors, FRR of single clients: the delta method's sum of variances."""
    scores = one_column(np.random.default_rng(11), 30, 6, 1.0)
    half = made(scores.client, scores.impostor, None, scores.impostor_groups)
    curve = br.epc(DEV, half, alpha=[0.5])
    band = curve.band(resample="test", replicates=2000, level=0.6826894921, rng=1)
    cov = robust_rates(half, curve.threshold[0])
    # one sd either side; 30/29 is the factor of the variance, .03 the Monte Carlo error of width
    sd = 0.5 * math.sqrt(cov[0, 0] * 29 / 30 + cov[1, 1])
    assert (band.high[0] - band.low[0]) / 2 == approx(sd, rel=0.08)
    assert band.groups == (None, 30)
    rng = np.random.default_rng(9)
    curve = br.epc(one_column(rng, 30, 4, 0.5), one_column(rng, 30, 4, 0.5), alpha=[0.5])
    assert curve.band(replicates=2, rng=1).m == round(30 / 30**0.25)
    assert curve.band(replicates=2, rng=1, groups=False).m == round(360 / 120**0.25)


def test_delta_bands_by_hand():
    """logit FAR -+ t sd / (FAR (1 - FAR)); 4 groups of 5, hits 1, 2, 3, 4."""
    delta, hits = {"resample": "test", "method": "delta"}, np.tril(np.ones((4, 5)))
    scores = made([2.0, 3.0], hits.ravel() * 4.0 - 2.0, None, np.repeat([1, 2, 3, 4], 5))
    curve, sums = br.epc(DEV, scores, alpha=[0.5], measure="far"), (np.arange(1, 5) - 2.5) / 20
    band, single = curve.band(**delta), curve.band(**delta, groups=False)
    reach = stats.t.ppf(0.975, 3) * math.sqrt(4 / 3 * (sums**2).sum()) / 0.25
    ends = [1 / (1 + math.exp(side * reach)) for side in (1, -1)]
    assert [band.low[0], band.high[0]] == approx(ends, rel=1e-9)
    reach = stats.norm.ppf(0.975) * math.sqrt(0.25 / 20) / 0.25
    assert (single.low[0], single.groups) == (approx(1 / (1 + math.exp(reach)), rel=1e-9), None)
    test = made([2.0, 5.0], [-3.0, -2.0, -2.5, -4.0], None, ["a", "a", "b", "c"])
    curve = br.epc(DEV, test, alpha=[0.2, 0.8], measure="far")
    with pytest.warns(br.SmallSampleWarning, match=r"at 2 of 2 alphas, .* those to come\.$"):
        band = curve.band(**delta)  # "exact" is not for groups
    assert np.all((band.low == 0.0) & (band.high == 0.0))
    single = made([1.0, 2.0], [0.0, 1.5], None, ["a", "b"])
    band = br.epc(DEV, single, alpha=[0.5], measure="far").band(resample="test", method="exact")
    assert band.high[0] > band.low[0]


def beta_sample(seed, n=150):
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 25, n)
    shift = rng.normal(0, 0.8, 25)[groups]
    return 1 / (1 + np.exp(-shift - rng.normal(0.3, 1.0, n))), groups


RULES = [{"boundary": "inflate"}, {"boundary": "squeeze"}, {"boundary": "matlab"},
    {"boundary": "censor", "resolution": 0.05}, {"resolution": 0.02}]  # fmt: skip


@pytest.mark.parametrize("family", ["beta", "logit-normal", "normal"])
def test_scores_of_observations_are_differences_of_the_log_density(family):
    values, _ = beta_sample(16)
    weights = np.random.default_rng(1).integers(1, 4, values.size).astype(float)
    fit = br.fit_distribution(values, family, weights=weights)
    closed = observation_scores(fit, values, weights)
    by_differences = Distribution._score(fit.distribution, Thresholds.from_theta(values)).T
    assert_allclose(closed, by_differences, rtol=1e-7, atol=1e-8)
    assert_allclose(weights @ closed, 0.0, atol=1e-9)


@pytest.mark.simulation
@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("family", ["beta", "logit-normal"])
def test_scores_of_observations_sum_to_zero_under_every_rule(family, rule):
    values, _ = beta_sample(17)
    values[:6], values[6:9] = 0.0, 1.0
    fit = br.fit_distribution(values, family, **rule)
    scores = observation_scores(fit, values, None)
    assert_allclose(scores.sum(axis=0) / np.sqrt((scores**2).sum(axis=0)), 0.0, atol=1e-8)
    if rule != {"boundary": "matlab"}:  # a score censored at 2**-511 outweighs all others
        # The outer products of the scores are near the information.
        ratio = np.diag(robust_cov(fit, values)) / np.diag(fit.cov)
        assert np.all((ratio > 0.2) & (ratio < 5.0))


@pytest.mark.simulation
def test_robust_covariances_are_those_of_statsmodels_and_by_hand():
    sm = pytest.importorskip("statsmodels.api")
    values, groups = beta_sample(18)
    fit, total = br.fit_distribution(values, "normal"), np.unique(groups).size
    both = np.column_stack((groups, np.random.default_rng(1).integers(100, 114, values.size)))
    mean = sm.OLS(values, np.ones(values.size))
    for labels, factor in ((groups, total / (total - 1)), (both, 14 / 13)):
        kinds = {"groups": labels, "use_correction": False}
        cov = factor * mean.fit(cov_type="cluster", cov_kwds=kinds).cov_params()[0, 0]
        assert robust_cov(fit, values, groups=labels)[0, 0] == approx(cov, rel=1e-10)
    plain = mean.fit(cov_type="HC0").cov_params()[0, 0]
    assert robust_cov(fit, values)[0, 0] == approx(plain, rel=1e-10)
    # Of a beta fit: at the maximum the means are the digamma differences.
    values, groups = beta_sample(19)
    fit, s = br.fit_distribution(values), np.column_stack([np.log(values), np.log1p(-values)])
    s -= s.mean(axis=0)
    sums = np.array([s[groups == g].sum(axis=0) for g in np.unique(groups)])
    expected = len(sums) / (len(sums) - 1) * fit.cov @ sums.T @ sums @ fit.cov
    assert_allclose(robust_cov(fit, values, groups=groups), expected, rtol=1e-9)


def test_both_classes_covary_through_common_groups():
    client, groups = beta_sample(20)
    impostor = 0.9 * client**1.5
    fit = br.fit(made(client, impostor, groups, groups), "normal")
    cov, single = fit.joint_cov(), fit.joint_cov(groups=False)
    assert_allclose(cov[:2, :2], robust_cov(fit.client, client, groups=groups), rtol=1e-10)
    sums = [np.bincount(groups, x - x.mean()) for x in (client, impostor)]
    total = np.unique(groups).size
    # covariance of two means: sum of products of group sums / n^2
    assert cov[0, 2] == approx(total / (total - 1) * sums[0] @ sums[1] / client.size**2, rel=1e-9)
    assert_array_equal(single[:2, :2], fit.client.cov)
    assert_array_equal(single[:2, 2:], 0.0)
    assert_array_equal(br.fit(br.Scores(client, impostor), "normal").joint_cov(), single)


@pytest.mark.simulation
@pytest.mark.parametrize("make", [one_column, two_columns])
def test_paired_differences_are_those_of_drawn_rows(make):
    rng = np.random.default_rng(23)
    a = make(rng, 24, 5, 0.8)
    # Some people without clients, groups of different sizes.
    kept = np.arange(a.n_client) % 7 > 0
    kept &= a.client_groups.reshape(a.n_client, -1)[:, 0] % 5 > 0
    a = made(a.client[kept], a.impostor, a.client_groups[kept], a.impostor_groups)
    noise = [rng.normal(0.1, 0.5, x.size) for x in (a.client, a.impostor)]
    b = made(a.client - noise[0], a.impostor + noise[1], a.client_groups, a.impostor_groups)
    one, other = (br.epc(DEV, s, alpha=ALPHAS) for s in (a, b))
    result = br.compare(one, other, resample="test", replicates=1500, rng=1)
    values = brute_values(a, one, 500)
    values -= brute_values(b, other, 500)  # the same seed: the same draws
    allowed = 4.5 * math.hypot(0.119, 0.069) * values.std(axis=0)  # errors of the quantiles
    near(result, np.quantile(values, [0.025, 0.975], axis=0), allowed)
    assert result.groups == (24, 24)
    bare = br.epc(DEV, br.Scores(b.client, b.impostor), alpha=ALPHAS)
    unpaired = br.compare(one, bare, resample="test", paired=False, replicates=300, rng=1)
    assert unpaired.groups == (24, None)
    assert np.all(unpaired.high - unpaired.low > result.high - result.low)


def test_groups_of_either_system_hold_for_both():
    """Clients' groups from one, impostors' from the other: as if both had both."""
    whole = one_column(np.random.default_rng(30), 20, 4, 0.8)
    noise = np.random.default_rng(31).normal(0, 0.5, 240)
    values = ((whole.client, whole.impostor),
        (whole.client + noise[:80], whole.impostor + noise[80:]))  # fmt: skip
    groups = {"client_groups": whole.client_groups}, {"impostor_groups": whole.impostor_groups}
    parts = [br.epc(DEV, br.Scores(*v, **g), alpha=ALPHAS)
        for v, g in zip(values, groups, strict=True)]  # fmt: skip
    both = [br.epc(DEV, br.Scores(*v, **groups[0], **groups[1]), alpha=ALPHAS) for v in values]
    one, other, swapped = (br.compare(*curves, replicates=300, rng=1)
        for curves in (parts, both, parts[::-1]))  # fmt: skip
    assert one.groups == other.groups == swapped.groups == (20, 20)
    assert_array_equal(one.differences, other.differences)
    assert_array_equal(one.differences, -swapped.differences)


def test_folds_keep_connected_people_together():
    """Blocks of three people who claim to be each other; then 26 people in two rings."""

    def rings(people, size):
        real = np.arange(people)
        claimed = size * (real // size) + (real + 1) % size
        parts = np.linspace(0.5, 2.0, people), np.linspace(-1.0, 1.0, people)
        return made(*parts, real, np.column_stack((claimed, real)))

    curve = br.epc_cv(rings(18, 3), folds=3, alpha=[0.5], rng=1)
    blocks = curve.client_folds.reshape(6, 3)
    assert np.all(blocks == blocks[:, :1])
    assert_array_equal(curve.client_folds, curve.impostor_folds)
    assert np.bincount(blocks[:, 0]).tolist() == [2, 2, 2]
    assert br.epc_cv(rings(26, 13), folds=2, alpha=[0.5]).threshold.shape == (2, 1)
