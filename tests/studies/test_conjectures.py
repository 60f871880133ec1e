"""Conjectures on beta pairs: refutations by the package's other algorithms, and theorems."""

import csv
import itertools

import numpy as np
import pytest

import betaroc as br
from helpers.places import ROOT

with (ROOT / "studies" / "results" / "conjectures_searches.csv").open(encoding="utf-8") as file:
    ROWS = {row["conjecture"]: row for row in csv.DictReader(file)}
REFUTED = {"shallow", "eer", "height-depth", "side-eer", "side-depth", "side-mean"}
REFUTED.add("crossings-near")


def models(row):
    shapes = [float(shape) for shape in row["witness"].split()]
    return [
        br.ScoreModel(br.Beta(*shapes[k : k + 2]), br.Beta(*shapes[k + 2 : k + 4]))
        for k in range(0, len(shapes), 4)
    ]


def test_what_is_refuted_is_refuted_in_30_digits_and_what_is_proved_is_never_violated():
    assert {name for name, row in ROWS.items() if row["exact"]} == REFUTED
    assert all((float(row["exact"] or 0) < -1e-9) == (k in REFUTED) for k, row in ROWS.items())
    assert {name for name, row in ROWS.items() if row["violated"] == "0"} >= {*ROWS} - REFUTED


@pytest.mark.simulation
@pytest.mark.parametrize("name", sorted({*ROWS} - {"crossings", "crossings-near"}))
def test_the_numbers_of_a_witness_are_those_of_the_package(name):
    model, row = models(ROWS[name])[0], ROWS[name]
    expected = float(row["auc"]), float(row["eer"]), max(float(row["height"]), float(row["depth"]))
    numbers = model.auc(), model.eer().far, model.ks()
    np.testing.assert_allclose(numbers, expected, rtol=1e-5, atol=1e-9)


def test_two_rocs_cross_three_times():
    first, second = (model.roc() for model in models(ROWS["crossings-near"]))
    gaps = first.tpr(grid := np.linspace(0.001, 0.999, 999)) - second.tpr(grid)
    signs = [sign for sign, _ in itertools.groupby(np.sign(gaps[abs(gaps) > 1e-6]))]
    assert len(signs) >= 4


@pytest.mark.simulation
@pytest.mark.parametrize("model", [models(ROWS[name])[0] for name in ("eer", "side-depth")])
def test_an_epc_of_a_pair_has_one_valley_at_a_half(model):
    alpha = np.linspace(0.01, 0.99, 99)
    hter = br.epc(model, model, alpha=alpha).value
    assert np.all(np.diff(hter[:50]) <= 1e-12)
    assert np.all(np.diff(hter[49:]) >= -1e-12)
