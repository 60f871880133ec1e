"""Figures of expected performance curves: bob.measure, mpmath, memory."""

import json
import math
import random
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose

import betaroc as br
from helpers.places import REFERENCES

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
CRITERIA = ("weighted-error", "far", "frr", "precision", "f-measure", "weighted-precision-recall")


@pytest.mark.simulation
@BEYOND
@pytest.mark.parametrize("criterion", CRITERIA)
def test_smooth_thresholds_to_1e_12(criterion):
    """The logit within 1e-12 max(1, abs): 1e-12 relative in theta and in 1 - theta. Every root here
    is well conditioned: the worst slope moves it by 1e-14."""
    for row in SMOOTH["pairs"]:
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
