"""Trials without a score count as rejected: as if their scores were far below every other."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.distributions.empirical import Empirical
from betaroc.model.samples import empirical_model
from helpers.cases import some

approx = pytest.approx
FAR_BELOW = -1e6
RNG = np.random.default_rng(3)
CLIENT, IMPOSTOR = np.round(RNG.beta(4, 2, 60), 2), np.round(RNG.beta(2, 4, 80), 2)
OTHER = br.Scores(RNG.beta(5, 2, 50), RNG.beta(2, 4, 70))


def both(client, impostor, absent, absent_impostor):
    """Scores that know their trials without a score, and the oracle."""
    low = np.full(absent, FAR_BELOW), np.full(absent_impostor, FAR_BELOW)
    return (br.Scores(client, impostor, n_client_rejected=absent,
                      n_impostor_rejected=absent_impostor),
            br.Scores(np.append(client, low[0]), np.append(impostor, low[1])))  # fmt: skip


DEV = both(CLIENT, IMPOSTOR, 5, 7)
TEST = both(CLIENT[:40], IMPOSTOR[:50], 4, 0)
ALPHA = np.linspace(0.45, 0.8, 8)


def test_rates_and_curves_of_all_trials_by_hand():
    scores = br.Scores([3, 4, 5], [1, 2, 3, 4], n_client_rejected=2, n_impostor_rejected=1)
    model = empirical_model(scores)
    for t, accepted, kept in ((-np.inf, 4, 3), (2.0, 2, 3), (3.0, 1, 2), (5.0, 0, 0)):
        assert (model.far(t), model.frr(t)) == (accepted / 5, float(1 - Fraction(kept, 5)))
        assert model.fmr(t) == approx(accepted / 4, rel=1e-15)
        assert model.fnmr(t) == approx((3 - kept) / 3, rel=1e-15)
    assert scores.confusion(3) == br.Scores([3, 4, 5, -9, -9], [1, 2, 3, 4, -9]).confusion(3)
    assert (scores.n_client, scores.client_total, scores.prior) == (3, 5.0, 0.5)
    # Clients 2 of 3, impostors 1 of 2 with a score: the ROC attains (1/2, 2/3).
    scores = br.Scores([0.9, 0.4], [0.5], n_client_rejected=1, n_impostor_rejected=1)
    model = empirical_model(scores)
    assert model.auc() == approx(3.5 / 6, rel=1e-15)
    assert model.roc().tpr([0.5, 0.75, 1.0]) == approx([2 / 3, 5 / 6, 1.0], rel=1e-15)
    assert model.partial_auc(0.5, 1.0, standardized=False) == approx(5 / 12, rel=1e-15)
    known = DEV[0]
    assert br.Scores.from_frame(known.to_frame(), missing="reject") == known
    assert br.from_json(known.to_json()) == known != br.Scores(CLIENT, IMPOSTOR)
    assert Empirical([0.2, -np.inf, 0.2]).sf(-np.inf) == approx(2 / 3)
    drawn = br.ScoreModel(br.Rejecting(br.Beta(2, 1), 0.5), br.Beta(1, 2)).sample(40, 5, rng=1)
    assert drawn.n_client + drawn.n_client_rejected == 40
    # Of Beta(2, 1) it is t^2, far below the rounding of FRR beside the share without a score.
    model = br.ScoreModel(br.Rejecting(br.Beta(2.0, 1.0), 0.3), br.Beta(1.0, 2.0))
    assert (model.fnmr(1e-100), model.frr(1e-100)) == (approx(1e-200, rel=1e-13), 0.3)


FARS = np.linspace(0.0, 1.0, 41)
OF_MODELS = {"average precision": lambda m: m.average_precision(), "h": lambda m: m.h_measure(),
    "partial": lambda m: m.partial_auc(0.0, 0.1), "f": lambda m: m.max_f(),
    "roc": lambda m: [*m.roc().tpr(FARS), *m.roc().fpr(FARS)]}  # fmt: skip
INTERVALS = ("far@threshold=0.5", "frr@threshold=0.5", "hter@threshold=0.5", "eer", "auc",
    "tpr@far=0.1", "threshold@far=0.1", "threshold@frr=0.2", "min-hter",
    "partial-auc@between=0,0.1")  # fmt: skip
OF_SCORES = {stat: lambda s, stat=stat: of_interval(br.interval(s, stat)) for stat in INTERVALS} | {
    "auc test": lambda s: br.auc_test(s, OTHER, paired=False),
    "difference": lambda s: br.difference(s, OTHER, "frr", threshold=0.5, paired=False),
    "bootstrap": lambda s: br.interval(s, "auc", method="bootstrap", replicates=50, rng=1),
    "roc band": lambda s: ends(br.roc_band(s, far=[0.1, 0.8])),
    "epc by cross-validation": lambda s: br.epc_cv(s, alpha=ALPHA).value.tolist(),
    "guaranteed": lambda s: br.decide(s, far=0.1, how="guaranteed").threshold,
    "decided": lambda s: br.decide(s, cost_fa=1.0, cost_fr=1.0).threshold}  # fmt: skip


def of_interval(found):
    return found.estimate, found.low, found.high, found.method


def ends(found):
    return [*found.low, *found.high]


@pytest.mark.parametrize("name", OF_MODELS)
def test_numbers_are_those_of_scores_far_below(name):
    one, other = (OF_MODELS[name](empirical_model(s)) for s in DEV)
    assert one == other if not isinstance(one, float) else one == approx(other, rel=1e-14)


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")  # the oracle has one more
@pytest.mark.parametrize("name", some(OF_SCORES, 3))
def test_what_is_counted_counts_them(name):
    one, other = map(OF_SCORES[name], DEV)
    assert one == other


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.SameDataWarning")
@pytest.mark.parametrize("criterion", ["weighted-error", "far", "recall"])
def test_curves_count_them(criterion):
    one, other = (br.epc(*sides, criterion=criterion, alpha=ALPHA)
        for sides in zip(DEV, TEST, strict=True))  # fmt: skip
    for name in ("value", "far", "frr", "expected", "threshold"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
    if criterion == "weighted-error":
        third, drawn = br.epc(OTHER, OTHER, alpha=ALPHA), {"replicates": 40, "rng": 1}
        for resample in ("both", "test"):
            bands = [ends(c.band(resample=resample, **drawn)) for c in (one, other)]
            assert bands[0] == bands[1]
        apart = [ends(br.compare(c, third, paired=False, **drawn)) for c in (one, other)]
        assert apart[0] == apart[1]


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")
def test_a_fit_keeps_the_share_as_a_parameter():
    """FRR = (r + n F(t)) / (r + n), and the share varies like a binomial one."""
    plain = br.Scores(CLIENT, IMPOSTOR[IMPOSTOR > 0])
    known = br.Scores(CLIENT, plain.impostor, n_client_rejected=4)
    f, g = br.fit(known, "beta"), br.fit(plain, "beta")
    t = np.array([0.2, 0.5, 0.8])
    assert f.model.frr(t) == approx((4 + 60 * g.model.frr(t)) / 64, rel=1e-14)
    assert f.model.fnmr(t) == approx(g.model.frr(t), rel=1e-13)
    assert f.model.far(t).tolist() == g.model.far(t).tolist()
    assert dict(f.client.params) == dict(g.client.params) | {"rejected": 4 / 64}
    assert f.client.std_errors["rejected"] == approx((4 / 64 * 60 / 64 / 64) ** 0.5)
    assert f.client.std_errors["a"] == g.client.std_errors["a"]
    own = 4 * np.log(4 / 64) + 60 * np.log(60 / 64)
    assert f.log_likelihood == approx(g.log_likelihood + own, rel=1e-12)
    assert f.model.auc() == approx(60 / 64 * g.model.auc(), rel=1e-12)
    assert br.from_json(f.to_json()) == f


def test_rates_near_the_share_without_a_score_and_thresholds_below_every_score():
    """Of 106 trials 7 have no score: an FRR of 8.25/106 rests on 1.25 scores, 7.5/106 on half."""
    client, impostor = (stats.norm.ppf((np.arange(n) + 0.5) / n) for n in (99, 30))
    f = br.fit(br.Scores(client + 3.0, impostor, n_client_rejected=7), "normal")
    assert f.at_frr(8.25 / 106).n_beyond[0] == approx(1.25)
    with pytest.warns(br.errors.ExtrapolationWarning, match=r"0\.5 are expected"):
        assert f.at_frr(7.5 / 106).extrapolated
    # Of 300 clients 30 have none: FRR 0.1 + 1/300 expects one below; FRR 0.101 expects 0.3.
    scores = br.Scores(np.arange(270.0), np.arange(-300.0, 0.0), n_client_rejected=30)
    f = br.fit(scores, "normal")
    words = "of 300 client trials .0.1 of them without a score. 0.3 are .* about 3000 would"
    with pytest.warns(br.errors.ExtrapolationWarning, match=words):
        f.at_frr(0.101)
    f.at_frr(0.11)
    # 30 of 300 may be 0.105 and more.
    rng = np.random.default_rng(3)
    scores = br.Scores(rng.normal(3, 1, 270), rng.normal(0, 1, 300), n_client_rejected=30)
    f = br.fit(scores, "normal")
    found = f.interval("threshold", frr=0.105, extrapolate=True)
    own = br.interval(scores, "threshold", frr=0.105)
    assert (found.low, found.high, found.method) == (-np.inf, own.high, "exact")
    with pytest.raises(br.InputError, match="no smooth function of their share"):
        f.interval("threshold", frr=0.105, method="family")


PLAIN = br.Scores(CLIENT, IMPOSTOR[IMPOSTOR > 0])
ABSENT = br.Scores(PLAIN.client, PLAIN.impostor, n_client_rejected=4, n_impostor_rejected=6)
OF_FITS = {"ends": lambda f: f.end_tests(),
    "check": lambda f: [(c := br.check_fit(f, replicates=19, rng=1)).ks, c.information,
    c.roc_distance, c.verdict], "shapes": lambda f: f.shape_probabilities(),
    "audit": lambda f: f.sensitivity(),
    "families": lambda f: br.compare_families(f.scores, ["beta", "logit-normal"])}  # fmt: skip


@pytest.fixture(scope="module")
def fits():
    """Of trials of which some have no score, and of the same scores alone."""
    return br.fit(ABSENT, "beta"), br.fit(PLAIN, "beta")


@pytest.mark.parametrize("name", some(OF_FITS, 3))
def test_what_is_said_of_scores_is_that_of_scores_alone(name, fits):
    with pytest.warns(br.errors.BetarocWarning, match="of the trials that have a score; 10 here"):
        found = OF_FITS[name](fits[0])
    assert OF_FITS[name](fits[1]) == found


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore:.*that have a score")
def test_rates_of_a_check_are_of_all_trials_and_those_of_comparisons_their_own(fits):
    """FRR 0.2 of 64 clients expects 12.8 of them beyond; the 4 without a score are among them."""
    own = {t.rate: t for t in br.check_fit(fits[0], far=0.2, frr=0.2, replicates=19).targets}
    default = br.check_fit(fits[0], replicates=19).targets
    assert own["frr"].expected == approx(0.2 * 64, rel=1e-12)
    assert own["frr"].observed == 4 + np.sum(PLAIN.client <= own["frr"].threshold)
    assert own["far"].observed == np.sum(PLAIN.impostor > own["far"].threshold)
    # Five expected scores of clients: 64 (0.2 - 4/64) = 8.8, but 64 (0.1 - 4/64) = 2.4.
    assert min(t.target for t in default if t.rate == "frr") == 0.2
    count = int(np.sum(PLAIN.impostor > 0.5))
    exact = stats.binomtest(count, PLAIN.n_impostor).proportion_ci(0.95, "exact")
    found = br.interval(ABSENT, "fmr", threshold=0.5)
    assert (found.low, found.high) == approx((exact.low, exact.high), rel=1e-9)
    assert found.estimate == approx(empirical_model(ABSENT).fmr(0.5), rel=1e-14)
    assert br.interval(ABSENT, "fnmr@fmr=0.1") == br.interval(PLAIN, "frr@far=0.1")
    assert fits[0].interval("fnmr@fmr=0.1") == fits[1].interval("frr@far=0.1")
    at = {"threshold": 0.4, "paired": False}
    one, two = (br.difference(s, OTHER, "fnmr", **at) for s in (ABSENT, PLAIN))
    assert one == two


def test_the_share_without_a_score_covaries_with_nothing():
    p = (np.arange(40) + 0.5) / 40
    scores = br.Scores(2.0 + p, p, n_client_rejected=10, n_impostor_rejected=5)
    f, g = (br.fit(x, "equal-variance-normal") for x in (scores, br.Scores(2.0 + p, p)))
    for name, own, other in (("own", f.client.cov, g.client.cov),
        ("shared", f.shared_cov, g.shared_cov)):  # fmt: skip
        expected = np.zeros((3, 3))
        expected[:2, :2], expected[2, 2] = other, 0.2 * 0.8 / 50 if name == "own" else 0.0
        np.testing.assert_allclose(own, expected, rtol=1e-9)


@pytest.mark.simulation
def test_a_tail_is_that_of_the_scores():
    """FAR = (1 - r) FMR with all its interval; a threshold of FAR x is that of FMR x / (1 - r)."""
    rng = np.random.default_rng(8)
    sample = rng.normal(2.0, 1.0, 250), rng.normal(0.0, 1.0, 380)
    known = br.Scores(*sample, n_client_rejected=10, n_impostor_rejected=20)
    f, g = (br.fit(s, "normal", tails="both") for s in (known, br.Scores(*sample)))
    made = 380 / 400
    one, two = (x.interval("far", threshold=2.5, method="integrated") for x in (f, g))
    assert one.method == two.method == "tail, integrated"
    for end in ("low", "estimate", "high"):
        assert getattr(one, end) == approx(made * getattr(two, end), rel=1e-12)
    rates = (f, 0.01), (g, 0.01 / made)
    one, two = (x.interval("threshold", far=rate, method="family") for x, rate in rates)
    assert (one.low, one.high) == approx((two.low, two.high), rel=1e-9)
    share = f.interval("frr", threshold=0.0, method="family")  # of clients, which varies most
    assert share.method == "delta, if the family is right"
    assert f.interval("fnmr", threshold=0.0) == g.interval("frr", threshold=0.0)
    assert br.from_json(f.to_json()) == f


def paired(seed, absent, other):
    """One system of the trials of all, shuffled, and the oracle of it, in order."""
    rng, given, low = np.random.default_rng(seed), {}, {}
    for who, true, lost in (("client", CLIENT, absent), ("impostor", IMPOSTOR, other)):
        values = np.round(true + rng.normal(0.0, 0.1, true.size), 2)
        ids, kept = np.array([f"{who}{k}" for k in range(true.size)]), np.arange(true.size)
        kept = rng.permutation(np.delete(kept, lost))
        given |= {who: values[kept], f"{who}_ids": ids[kept], f"n_{who}_rejected": len(lost)}
        values[lost] = FAR_BELOW
        low |= {who: values, f"{who}_ids": ids}
    return br.Scores(**given), br.Scores(**low)


ONE, TWO = paired(1, [1, 5, 9, 20], [3, 4]), paired(2, [5, 9, 33], [4, 70, 71])


@pytest.mark.simulation
@pytest.mark.parametrize("stat", ["eer", "auc", "frr@threshold=0.5"])
def test_trials_are_paired_by_ids(stat):
    """What only one system scored is a rejection of the other; their order is another."""
    one, two = (br.difference(*systems, stat) for systems in zip(ONE, TWO, strict=True))
    for end in ("estimate", "low", "high"):
        assert getattr(one, end) == approx(getattr(two, end), rel=1e-11, abs=1e-14)
