"""Figures of expected performance curves: bob.measure, mpmath, dense oracles, rows, memory. The
references are those of reference/make_bob_epc.py and reference/make_epc_thresholds.py."""

import json
import math
import random
import tracemalloc
import warnings
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

import betaroc as br
from helpers.places import REFERENCES

BOB = json.loads((REFERENCES / "bob_epc.json").read_text())
SMOOTH = json.loads((REFERENCES / "epc_thresholds.json").read_text())


def drawn(row):
    """Dev impostors, dev clients, test impostors, test clients, as make_bob_epc.py draws them."""
    uniform, rules = random.Random(row["seed"]).random, [(min, row["k"]), (max, row["m"])] * 2
    return [np.array([pick([uniform() for _ in range(count)]) for _ in range(size)])
        for size, (pick, count) in zip(row["sizes"], rules, strict=True)]  # fmt: skip


class Bob:
    """One set of bob_epc.json beside our curve of the same scores."""

    def __init__(self, row):
        self.row = row
        samples = drawn(row)
        assert [math.fsum(s) for s in samples] == row["sums"]
        self.impostor, self.client = samples[:2]
        dev, test = br.Scores(self.client, self.impostor), br.Scores(*samples[:1:-1])
        self.curve = br.epc(dev, test, alpha=row["alpha"])

    def errors(self, k):
        """(FA, FR) on dev: theirs by score >= threshold, ours by score > threshold."""
        theirs, ours = self.row["threshold"][k], self.curve.threshold[k]
        return ((int(np.sum(self.impostor >= theirs)), int(np.sum(self.client < theirs))),
            (int(np.sum(self.impostor > ours)), int(np.sum(self.client <= ours))))  # fmt: skip

    def criterion(self, k, errors):
        alpha = Fraction(self.row["alpha"][k]).limit_denominator(10**9)
        far = Fraction(errors[0], self.impostor.size)
        return alpha * far + (1 - alpha) * Fraction(errors[1], self.client.size)


@pytest.fixture(scope="module")
def bobs():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.ReversedScoresWarning)  # one of the sets is
        return [Bob(row) for row in BOB["sets"]]


@pytest.mark.simulation
def test_hter_is_bob_measures(bobs):
    """Their HTER at every alpha where both chose the same decisions on dev: 826 of 829."""
    compared = 0
    for bob in bobs:
        same = [k for k in range(bob.curve.alpha.size) if len(set(bob.errors(k))) == 1]
        assert_allclose(bob.curve.value[same], np.array(bob.row["hter"])[same], rtol=0, atol=1e-15)
        compared += len(same)
    assert (compared, sum(bob.curve.alpha.size for bob in bobs)) == (826, 829)


@pytest.mark.simulation
def test_threshold_is_bob_measures(bobs):
    """The midpoint of the same gap; to accept all, their smallest score for our -inf."""
    for bob in bobs:
        for k, ours in enumerate(bob.curve.threshold):
            theirs, (before, after) = bob.row["threshold"][k], bob.errors(k)
            if before == after and before[1] == 0 and before[0] == bob.impostor.size:
                assert ours == -math.inf
                assert theirs == min(bob.impostor.min(), bob.client.min())
            elif before == after:
                assert ours == pytest.approx(theirs, rel=1e-15)


@pytest.mark.simulation
def test_where_bob_measure_differs_both_minimise(bobs):
    """Exact ties on dev: they take the last minimiser, we the one with the least HTER."""
    differing = []
    for bob in bobs:
        for k, alpha in enumerate(bob.row["alpha"]):
            theirs, ours = bob.errors(k)
            if theirs != ours:
                assert bob.criterion(k, theirs) == bob.criterion(k, ours)
                differing.append((bob.row["seed"], alpha, theirs, ours))
    assert differing == [
        (1, 0.4, (12, 0), (7, 2)),  # of 25 impostors and 15 clients
        (2, 1.0, (0, 27), (0, 23)),
        (5, 0.75, (15, 338), (18, 329)),
    ]


BEYOND = pytest.mark.filterwarnings("ignore::betaroc.core.errors.TargetWarning")
CRITERIA = ("weighted-error", "far", "frr", "precision", "f-measure", "weighted-precision-recall")


def smooth_model(row):
    law = {"beta": br.Beta, "normal": br.Normal}[row["family"]]
    return br.ScoreModel(law(*row["client"]), law(*row["impostor"]), prior=row["prior"])


def smooth_cases():
    for row in SMOOTH["pairs"]:
        for criterion in CRITERIA:
            entries = [e for e in row["entries"] if e["criterion"] == criterion]
            if entries:
                yield pytest.param(row, entries,
                    id=f"{row['client']}-{row['impostor']}-{criterion}")  # fmt: skip


def check_thresholds(row, entries):
    """The logit within 1e-12 max(1, abs): 1e-12 relative in theta and in 1 - theta. Every root here
    is well conditioned: the worst slope moves it by 1e-14."""
    model = smooth_model(row)
    points = br.epc(model, br.ScoreModel(model.client, model.impostor, prior=model.prior),
        criterion=entries[0]["criterion"], alpha=[e["alpha"] for e in entries]).points  # fmt: skip
    place = points.logit_threshold if row["family"] == "beta" else points.threshold
    for k, entry in enumerate(entries):
        if entry["kind"] == "interior":
            expected = float(entry["y"])
            assert abs(place[k] - expected) <= 1e-12 * max(1.0, abs(expected)), entry
        elif entry["kind"] == "accept-all":
            assert (points.far[k], points.frr[k]) == (1.0, 0.0), entry
        elif entry["kind"] == "reject-all":
            assert (points.far[k], points.frr[k]) == (0.0, 1.0), entry
        else:
            # The supremum lies at the upper end, where no threshold attains it.
            assert points.precision[k] == pytest.approx(float(entry["precision"]), rel=1e-11)
            assert 0.0 < points.tpr[k] < 1e-9, entry


@pytest.mark.simulation
@BEYOND
@pytest.mark.parametrize(("row", "entries"), list(smooth_cases()))
def test_smooth_thresholds_to_1e_12(row, entries):
    check_thresholds(row, entries)


@BEYOND
@pytest.mark.parametrize(("client", "impostor", "criterion", "alpha"), [
    # S_c / S_i falls to 0: so does precision.
    (br.Normal(-0.25, 1.0), br.Normal(-0.25, 3.5), "precision", 0.0),
    (br.Beta(2.0, 120.0), br.Beta(4.0, 3.0), "precision", 0.0),
    # S_c / S_i rises to infinity: F at alpha = 1 is precision and rises to 1.
    (br.Normal(-0.68, 0.93), br.Normal(-0.94, 0.91), "f-measure", 1.0),
    (br.Beta(0.83, 1.11), br.Beta(1.7, 1.32), "f-measure", 1.0),
])  # fmt: skip
def test_limits_are_met_within_1e_12(client, impostor, criterion, alpha):
    model = br.ScoreModel(client, impostor)
    points = br.epc(model, br.ScoreModel(client, impostor), criterion=criterion,
        alpha=[alpha, 0.2]).points  # fmt: skip
    assert abs(points.precision[0] - alpha) <= 1e-12


CLIENTS, IMPOSTORS = 7_000, 56_573
REPLICATES = 10_000


@pytest.fixture(scope="module")
def large():
    rng = np.random.default_rng(63_573)
    dev = br.Scores(rng.normal(1.0, 1.0, 5_000), rng.normal(-1.0, 1.2, 20_000))
    return br.epc(dev, br.Scores(rng.normal(1.0, 1.1, CLIENTS), rng.normal(-1.0, 1.2, IMPOSTORS)))


def rows_at_most(rng, scores, thresholds, replicates):
    """Share of drawn rows at or below each threshold; the cell of a row is found once."""
    distinct, place = np.unique(thresholds, return_inverse=True)
    cells = np.searchsorted(distinct, scores, side="left")  # thresholds below the score
    shares = np.empty((replicates, thresholds.size))
    for r in range(replicates):
        rows = rng.integers(scores.size, size=scores.size)
        counts = np.bincount(cells[rows], minlength=distinct.size + 1)
        shares[r] = np.cumsum(counts)[place] / scores.size
    return shares


@pytest.mark.simulation
def test_quantiles_of_10_000_replicates_equal_row_resampling(large):
    """63 573 rows, 101 alphas, 1500 row replicates. A 2.5 % quantile of m normal draws has the
    standard error sqrt(.025 .975 / m) / .0584 sd, .069 sd for the rows and .027 sd for the 10 000:
    .074 together. Neighbouring alphas share most of their rows, so that four errors hold for all
    202 quantiles."""
    band, rng = large.band(resample="test", replicates=REPLICATES, rng=5), np.random.default_rng(6)
    frr = rows_at_most(rng, large.test_scores.client, large.threshold, 1500)
    far = 1.0 - rows_at_most(rng, large.test_scores.impostor, large.threshold, 1500)
    rows = 0.5 * (far + frr)
    sd = rows.std(axis=0)
    assert sd.min() > 0.0
    low, high = np.quantile(rows, [0.025, 0.975], axis=0)
    assert np.max(np.abs(band.low - low) / sd) <= 4 * 0.074
    assert np.max(np.abs(band.high - high) / sd) <= 4 * 0.074


@pytest.mark.parametrize("simultaneous", [False, pytest.param(True, marks=pytest.mark.simulation)])
def test_memory_of_a_band_is_replicates_times_alphas(large, simultaneous):
    """No array of rows times replicates (636 MB even in bytes): a few of replicates x alphas.
    Pointwise the replicates and little else; simultaneous five arrays of their size."""
    large.band(resample="test", replicates=10, rng=1)  # imports
    tracemalloc.start()
    try:
        large.band(resample="test", replicates=REPLICATES, simultaneous=simultaneous, rng=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    doubles = REPLICATES * large.alpha.size * 8
    assert peak <= 6 * doubles
    assert 6 * doubles < 0.08 * (CLIENTS + IMPOSTORS) * REPLICATES


ORACLE_POINTS, CHUNK = 1_000_000, 50_000
ORACLE_ALPHAS = np.array([0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97])


def oracle_models():
    beta, normal, inflated = br.Beta, br.Normal, br.Inflated
    return [
        br.ScoreModel(beta(0.47, 0.36), beta(0.77, 1.91), prior=0.3),  # U, reverse-J
        br.ScoreModel(beta(0.61, 0.27), beta(0.14, 1.12), prior=0.1),  # U, reverse-J
        br.ScoreModel(beta(3.0, 0.5), beta(0.6, 2.5), prior=0.6),  # J, reverse-J
        br.ScoreModel(beta(30.0, 10.0), beta(12.0, 25.0), prior=0.2),  # bells
        br.ScoreModel(beta(6.0, 5.0), beta(2.0, 3.0), prior=0.12),  # bells with a hook
        br.ScoreModel(normal(1.0, 1.0), normal(-1.0, 1.5), prior=0.4),
        br.ScoreModel(normal(0.5, 2.0), normal(0.0, 1.0), prior=0.15),
        br.ScoreModel(inflated(beta(2.0, 0.8), 0.02, 0.1), inflated(beta(0.8, 2.0), 0.15, 0.01)),
    ]


def oracle_thresholds(model):
    if not model.client.on_unit:
        return np.linspace(-12.0, 14.0, ORACLE_POINTS)
    logit = np.linspace(-45.0, 36.0, ORACLE_POINTS)
    ends = [-math.inf, 0.0, np.nextafter(1.0, 0.0), 1.0]
    return np.concatenate([ends, 1.0 / (1.0 + np.exp(-logit))])


def losses(model, far, tpr):
    """To be minimised; a row per alpha, nan where precision is 0/0."""
    accepted = model.prior * tpr
    called, alpha = accepted + (1.0 - model.prior) * far, ORACLE_ALPHAS[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        precision, f = accepted / called, accepted / (alpha * called + (1.0 - alpha) * model.prior)
    return {"precision": np.abs(precision - alpha), "weighted-precision-recall": -(alpha * precision
        + (1.0 - alpha) * tpr), "f-measure": np.where(np.isnan(precision), np.nan, -f)}  # fmt: skip


@pytest.mark.nightly
@BEYOND
@pytest.mark.parametrize("model", oracle_models(), ids=lambda m: f"{m.client!r}-{m.impostor!r}")
def test_no_threshold_of_a_million_is_better(model):
    """Precision, alpha P + (1 - alpha) R and F: nowhere better than ours by more than 1e-12."""
    thresholds = oracle_thresholds(model)
    mirror = br.ScoreModel(model.impostor, model.client)  # its FAR is our TPR, from its own tail
    best = {}
    for start in range(0, thresholds.size, CHUNK):
        t = thresholds[start : start + CHUNK]
        for name, rows in losses(model, model.far(t), mirror.far(t)).items():
            least = np.nanmin(rows, axis=1, initial=math.inf)
            best[name] = np.minimum(best.get(name, least), least)
    other = br.ScoreModel(model.client, model.impostor, prior=model.prior)
    for name, least in best.items():
        points = br.epc(model, other, criterion=name, alpha=ORACLE_ALPHAS).points
        ours = np.diagonal(losses(model, np.asarray(points.far), np.asarray(points.tpr))[name])
        assert np.all(ours <= least + 1e-12), (name, ours - least)
