"""Expected performance curves against brute force, oracles and theorems."""

import json
import math
import random
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import betaroc as br
from betaroc.model.criteria import CRITERIA
from helpers.enumeration import (
    decimal,
    enumerate_thresholds,
    first_best,
    imbalance,
    minus_f,
    precision,
    weighted,
)
from helpers.places import REFERENCES

# Small random sets are reversed now and then.
pytestmark = pytest.mark.filterwarnings("ignore::betaroc.core.errors.ReversedScoresWarning",
    "ignore::betaroc.core.errors.ExtrapolationWarning")  # fmt: skip

ALPHAS = [0.0, 0.1, 0.25, 0.3, 1 / 3, 0.5, 0.6, 0.75, 0.9, 1.0]


def tied_scores(seed, n=40):
    """Scores with many ties, within and between the classes."""
    rng = np.random.default_rng(seed)
    clients, decimals = int(rng.integers(5, n - 5)), int(rng.integers(1, 3))
    return br.Scores(np.round(rng.normal(0.3, 1.0, clients), decimals),
        np.round(rng.normal(-0.3, 1.0, n - clients), decimals))  # fmt: skip


def criterion_of(name, alpha, prior):
    """What is least at the threshold that is chosen; None where it is 0/0."""
    rates = {"far": lambda r: r.far, "frr": lambda r: r.frr, "specificity": lambda r: 1 - r.far,
        "recall": lambda r: 1 - r.frr, "sensitivity": lambda r: 1 - r.frr,
        "precision": lambda r: precision(r, prior)}  # fmt: skip
    if name in rates:
        return lambda r: None if (x := rates[name](r)) is None else abs(x - alpha)

    def mean(r):
        p = precision(r, prior)
        return None if p is None else -(alpha * p + (1 - alpha) * (1 - r.frr))

    return {"weighted-error": weighted(alpha), "eer": lambda r: abs(r.far - r.frr),
        "break-even": imbalance(prior), "f-measure": minus_f(alpha, prior),
        "weighted-precision-recall": mean}[name]  # fmt: skip


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::betaroc.core.errors.TargetWarning")
@pytest.mark.parametrize("criterion", CRITERIA)
def test_empirical_thresholds_equal_enumeration(criterion):
    single = CRITERIA[criterion].single
    for seed in range(20):
        dev, test = tied_scores(seed), tied_scores(seed + 1000)
        curve = br.epc(dev, test, criterion=criterion, **({} if single else {"alpha": ALPHAS}))
        rows = enumerate_thresholds(br.ScoreModel(*map(br.Empirical, (dev.client, dev.impostor))))
        prior = Fraction(dev.n_client, dev.n_client + dev.n_impostor)
        best = [first_best(rows, criterion_of(criterion, decimal(alpha), prior)).threshold
            for alpha in ([0.5] if single else ALPHAS)]  # fmt: skip
        assert curve.threshold.tolist() == best, seed


@pytest.mark.simulation
def test_thresholds_in_closed_form():
    """a = -b: logit theta = (logit w - log C) / a, here with C = 1 by symmetry."""
    model = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
    alphas = np.array([0.1, 0.25, 0.5, 0.75, 0.9])
    curve, expected = br.epc(model, model, alpha=alphas), np.log(alphas / (1.0 - alphas)) / 2.0
    assert_allclose(curve.points.logit_threshold, expected, rtol=1e-12, atol=1e-15)
    # m(w) = min C_w is concave and at most min(w, 1 - w).
    model = br.ScoreModel(br.Beta(0.47, 0.36), br.Beta(0.77, 1.91))
    curve = br.epc(model, model, measure="weighted-error")
    value, alpha = curve.value, curve.alpha
    assert np.all(np.diff(value, 2) <= 1e-12)
    assert np.all(value <= np.minimum(alpha, 1.0 - alpha) + 1e-15)
    # Accept-all is best for all weights up to the hull's: .34401 for this pair.
    assert alpha[curve.trivial & (alpha < 0.5)].max() == 0.34
    # Of impostors Beta(1, q) the threshold of FAR x has 1 - t = x^(1/q): at x = 1e-9, q = 0.5
    # the logit is log((1 - 1e-18)/1e-18) = 18 log 10, where the double is 1.
    dev = br.ScoreModel(br.Beta(1, 0.4), br.Beta(1, 0.5))
    curve = br.epc(dev, dev, criterion="far", measure="far", alpha=[1e-9, 0.5])
    assert curve.threshold[0] == 1.0
    assert_allclose(curve.logit_threshold, [18.0 * math.log(10.0), math.log(3.0)], rtol=1e-12)


def test_sides_priors_values_and_losses():
    scores = br.Scores([0.2, 0.6, 0.9], [0.1, 0.3, 0.4])
    fitted = br.fit(br.Scores(*(np.random.default_rng(0).beta(*ab, 200)
        for ab in ((3, 2), (2, 3)))))  # fmt: skip
    curve = br.epc(fitted, scores, alpha=[0.5])
    assert curve.threshold[0] == fitted.model.youden().threshold
    assert curve.far[0] == np.mean(scores.impostor > curve.threshold[0])
    assert br.epc(scores, fitted, alpha=[0.5]).far[0] == fitted.model.far(0.5)
    # The criterion takes dev's prior, the measure test's, and prior= overrides both.
    dev, test = tied_scores(5), tied_scores(6)
    asked = {"criterion": "f-measure", "measure": "f1", "alpha": [0.5]}
    own, both = br.epc(dev, test, **asked), br.epc(dev, test, prior=0.5, **asked)
    assert (own.dev.prior, own.test.prior) == (dev.prior, test.prior)
    assert both.dev.prior == both.test.prior == 0.5
    with pytest.warns(br.SameDataWarning, match="dev and test are the same data"):
        br.epc(dev, dev)
    curve = br.epc(dev, test)
    far = np.mean(test.impostor[:, None] > curve.threshold, axis=0)
    frr = np.mean(test.client[:, None] <= curve.threshold, axis=0)
    assert_array_equal([curve.far, curve.frr, curve.value], [far, frr, 0.5 * (far + frr)])
    split = curve.loss_split()
    assert_allclose(split.threshold + split.separability, curve.value - curve.expected, atol=1e-15)
    assert_array_equal(split.threshold, curve.value - curve.a_posteriori)
    assert curve.area(0.2, 0.7, normalize=False) == pytest.approx(0.5 * curve.area(0.2, 0.7))
    # 0 to .5 to 1 between .25 and .75: trapezoids of width .25 on halves of the neighbours.
    parts = br.epc(dev, test, alpha=[0.0, 0.5, 1.0])
    assert parts.area(0.25, 0.75) == pytest.approx(parts.value @ [0.125, 0.75, 0.125], rel=1e-14)


@pytest.mark.simulation
def test_what_was_lost_on_test_is_told_by_its_parts():
    """Dev's threshold at 1/2 is 2.5, where it errs on one of three impostors: HTER 1/6."""
    dev = br.Scores([3.0, 4.0, 5.0] * 4, [1.0, 2.0, 3.0] * 4)
    for client, impostor, words in (
        # At 2.5 one client and one impostor of three err: 1/3; at its own 1.5 or 3.5 one: 1/6.
        ([2, 4, 6], [0, 1, 3], "17 % expected, 33 % observed, a change of +17 points: +17 points"
         " because test itself would choose another threshold"),
        # Two impostors of three err, no client: 1/3; at 3.75 one of each, at 4.75 two clients.
        ([3, 4, 5], [1, 3.5, 4.5], "+17 points because the classes are less separable than on dev"),
        ([3, 4, 5], [0, 1, 2], "\u221217 points because the classes are more separable than"),
    ):  # fmt: skip
        curve = br.epc(dev, br.Scores(client * 4, impostor * 4), alpha=[0.5])
        assert words in curve._repr_html_().replace("\u00a0", " ")


BOB = json.loads((REFERENCES / "bob_epc.json").read_text())
SMOOTH = json.loads((REFERENCES / "epc_thresholds.json").read_text())


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::betaroc.core.errors.ReversedScoresWarning")
def test_threshold_and_hter_are_bob_measures():
    """The midpoint of the same gap, and the HTER there, at 826 of 829 alphas; to accept all, their
    smallest score for our -inf. Scores are drawn as make_bob_epc.py draws them."""
    compared = 0
    for row in BOB["sets"]:
        uniform, rules = random.Random(row["seed"]).random, [(min, row["k"]), (max, row["m"])] * 2
        impostor, client, *test = (
            np.array([pick([uniform() for _ in range(count)]) for _ in range(size)])
            for size, (pick, count) in zip(row["sizes"], rules, strict=True))  # fmt: skip
        curve = br.epc(br.Scores(client, impostor), br.Scores(*test[::-1]), alpha=row["alpha"])
        for k, (ours, theirs) in enumerate(zip(curve.threshold, row["threshold"], strict=True)):
            # FA and FR on dev: theirs by score >= threshold, ours by score > threshold.
            errors = np.sum(impostor > ours), np.sum(client <= ours)
            if errors != (np.sum(impostor >= theirs), np.sum(client < theirs)):
                continue
            compared += 1
            assert_allclose(curve.value[k], row["hter"][k], rtol=0, atol=1e-15)
            if errors == (impostor.size, 0):
                assert (ours, theirs) == (-math.inf, min(impostor.min(), client.min()))
            else:
                assert ours == pytest.approx(theirs, rel=1e-15)
    assert (compared, sum(len(row["alpha"]) for row in BOB["sets"])) == (826, 829)


BEYOND = pytest.mark.filterwarnings("ignore::betaroc.core.errors.TargetWarning")
SMOOTH_CRITERIA = (
    "weighted-error",
    "far",
    "frr",
    "precision",
    "f-measure",
    "weighted-precision-recall",
)


@pytest.mark.simulation
@BEYOND
@pytest.mark.parametrize("criterion", SMOOTH_CRITERIA)
def test_smooth_thresholds_to_1e_12(criterion):
    """The logit within 1e-12 max(1, abs): 1e-12 relative in theta and in 1 - theta. Every root here
    is well conditioned: the worst slope moves it by 1e-14."""
    for row in SMOOTH["pairs"][SMOOTH_CRITERIA.index(criterion) % 2 :: 2]:
        entries = [e for e in row["entries"] if e["criterion"] == criterion]
        if not entries:
            continue
        law = {"beta": br.Beta, "normal": br.Normal}[row["family"]]
        one, two = (br.ScoreModel(law(*row["client"]), law(*row["impostor"]), prior=row["prior"])
            for _ in range(2))  # fmt: skip
        points = br.epc(one, two, criterion=criterion, alpha=[e["alpha"] for e in entries]).points
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


@pytest.mark.simulation
@pytest.mark.parametrize("simultaneous", [False, True])
def test_memory_of_a_band_is_replicates_times_alphas(simultaneous):
    """No array of rows times replicates, even in bytes: a few of replicates x alphas. Pointwise the
    replicates and little else; simultaneous five arrays of their size."""
    rng, rows, replicates = np.random.default_rng(63_573), 60_000, 2_000
    dev = br.Scores(rng.normal(1.0, 1.0, 5_000), rng.normal(-1.0, 1.2, 20_000))
    test = br.Scores(rng.normal(1.0, 1.1, rows // 6), rng.normal(-1.0, 1.2, rows - rows // 6))
    curve = br.epc(dev, test)
    curve.band(resample="test", replicates=10, rng=1)  # imports
    tracemalloc.start()
    try:
        curve.band(resample="test", replicates=replicates, simultaneous=simultaneous, rng=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    doubles = replicates * curve.alpha.size * 8
    assert peak <= 6 * doubles
    assert 6 * doubles < 0.1 * rows * replicates
