"""Numbers of the papers, and of what is wrong in them, from sources that are not this package.

The sources are the printed tables, hand computation, and multiple precision (mpmath)
or scipy's own beta distribution, called here.
"""

import math

import mpmath as mp
import numpy as np
import pytest
from scipy.special import betainc, ndtr

import betaroc as br
from helpers.places import ROOT, script

# Omar and Ivrissimtzis, Table 1, row by row as printed: client, imp0, imp1, imp5, imp50.
PRINTED = {
    "SLR cross": "0.47, 0.36  0.77, 1.91  0.59, 1.36  0.34, 0.70  0.22, 0.39",
    "SLR within": "3.27, 0.67  0.71, 5.04  0.57, 5.39  0.30, 4.26  0.13, 1.39",
    "ANN cross": "0.61, 0.27  0.18, 1.66  0.18, 1.63  0.17, 1.38  0.14, 1.12",
    "ANN within": "1.47, 0.29  0.24, 17.5  0.23, 17.8  0.21, 14.2  0.17, 1.79",
}
AMOUNTS = (0, 1, 5, 50)
TABLE_1 = {
    name: [tuple(map(float, cell.split(", "))) for cell in row.split("  ")]
    for name, row in PRINTED.items()
}
PAIRS = [(name, amount) for name in TABLE_1 for amount in AMOUNTS]


def shapes(name, amount):
    return TABLE_1[name][0], TABLE_1[name][1 + AMOUNTS.index(amount)]


def model(name, amount):
    client, impostor = shapes(name, amount)
    return br.ScoreModel(br.Beta(*client), br.Beta(*impostor))


def cdf(theta, law):
    return mp.betainc(*law, 0, theta, regularized=True)


def root(f, low, high):
    return mp.findroot(f, (low, high), solver="anderson", tol=1e-25)


@pytest.fixture(autouse=True)
def _digits():
    with mp.workdps(25):
        yield


@pytest.mark.simulation
def test_the_central_experiment_reaches_what_its_distributions_say():
    """Thresholds half way between the means: of test itself, a posteriori, then of dev."""
    made = script(ROOT / "examples" / "11_central_experiment.py")
    ways = made.curves(made.drawn((made.A, made.B), [(100_000, 100_000)] * 2, seed=1))
    b = ndtr(-0.9)
    expected = [[ndtr(-1.1), b], [(ndtr(-0.1) + ndtr(-2.1)) / 2, b]]
    found = [[curve.value[0] for curve in way] for way in ways]
    assert found == pytest.approx(np.array(expected), abs=0.004)


def test_the_example_holds_the_printed_table_of_shapes_as_the_paper_says_them():
    assert script(ROOT / "examples" / "omar_table1.py").TABLE_1 == TABLE_1
    # Section 3.1: clients U in cross-subject, J within; impostors U for SLR cross 5 and 50.
    for name, amount in PAIRS:
        client, impostor = model(name, amount).shape_category()
        assert client == ("U" if "cross" in name else "J")
        u_shaped = name == "SLR cross" and amount in (5, 50)
        assert impostor == ("U" if u_shaped else "reverse-J")  # the paper's "J-shaped", E10


@pytest.mark.parametrize(
    ("amount", "threshold", "depth"), [(0, 0.0195, 0.0144), (1, 7.1e-4, 0.0014)]
)
def test_the_two_hooks(amount, threshold, depth):
    client, impostor = shapes("SLR cross", amount)
    expected = root(lambda t: cdf(t, client) - cdf(t, impostor), threshold / 1.1, threshold * 1.1)
    found = model("SLR cross", amount).diagonal_crossings()
    assert len(found) == 1
    assert found.threshold[0] == pytest.approx(float(expected), rel=1e-11)
    assert found.threshold[0] == pytest.approx(threshold, rel=0.01)
    grid = np.geomspace(1e-9, threshold, 4001)
    deepest = np.max(betainc(*client, grid) - betainc(*impostor, grid))
    reverse = br.ScoreModel(br.Beta(*impostor), br.Beta(*client)).youden().youden
    assert reverse == pytest.approx(deepest, rel=1e-5)
    assert reverse == pytest.approx(depth, rel=0.03)


def murphy(clients, impostors):
    prior = len(clients) / (len(clients) + len(impostors))
    return br.ScoreModel(br.Empirical(clients), br.Empirical(impostors), prior=prior)


CLASSIFIER_1 = murphy([0.9, 0.8, 0.7, 0.6, 0.5], [0.4, 0.3, 0.2, 0.1])
CLASSIFIER_2 = murphy([0.9, 0.8, 0.7, 0.6, 0.2], [0.6, 0.3, 0.2, 0.1])


def counts(pair, theta):
    point = pair.at(theta)
    return 5 * point.tpr, 4 * point.far


def test_murphy_tables_1_and_2_areas_and_f1():
    # (TP, FP), counted in the printed tables with the rule of the text, s > theta.
    for pair, middle in ((CLASSIFIER_1, (4, 0)), (CLASSIFIER_2, (4, 1))):
        assert counts(pair, 0.0) == pytest.approx((5, 4))
        assert counts(pair, 0.5) == pytest.approx(middle)
        assert counts(pair, 1.0) == (0, 0)
    # E24: the printed column theta = 0.5 of Table 1 is s >= theta.
    assert counts(CLASSIFIER_1, np.nextafter(0.5, 0)) == (5, 0)
    # Table 2, client by client: impostors below 4, 4, 4 and 3 + 1/2 (a tie), and 1 + 1/2.
    assert CLASSIFIER_2.auc() == (4 * 3 * 2 + 7 + 3) / (2 * 20)
    assert CLASSIFIER_1.auc() == 1.0
    # E26: a constant score attains two points.
    constant = murphy([0.5] * 5, [0.5] * 4)
    points = constant.roc().points()
    assert sorted(zip(points.far, points.tpr, strict=True)) == [(0.0, 0.0), (1.0, 1.0)]
    assert constant.auc() == 0.5
    # (14): 2e-4 / (1 + 1e-4) = 0.00019998, which is 0.02 %, not 0.2 % (E27).
    everything = br.OperatingPoint(threshold=0.0, far=1.0, frr=0.0, prior=1e-4)
    assert everything.f1 == pytest.approx(2e-4 / 1.0001, rel=1e-14)
    assert round(everything.f1, 8) == 0.00019998


@pytest.mark.parametrize(
    ("cells", "printed", "exact"),
    [
        # Table 4 (estimates in rows, E28): TP, FP, FN, TN; Table 5 as printed; then exactly:
        # accuracy, precision, recall, F, mutual information in nats, by (16) below.
        ((0.90, 0.1, 0.00, 0.0), (0.9, 0.9, 1.0, 0.947, 0), (0.9, 0.9, 1, 18 / 19)),
        ((0.80, 0.0, 0.10, 0.1), (0.9, 1.0, 0.888, 0.941, 0.1865), (0.9, 1, 8 / 9, 16 / 17)),
        ((0.78, 0.0, 0.12, 0.1), (0.88, 1.0, 0.8667, 0.9286, 0.1735), (0.88, 1, 13 / 15, 13 / 14)),
    ],
)
def test_murphy_table_5(cells, printed, exact):
    tp, fp, fn, tn = cells
    p = br.OperatingPoint(threshold=math.nan, far=fp / (fp + tn), frr=fn / (tp + fn), prior=tp + fn)
    margins = ((tp + fp, tp + fn), (tp + fp, fp + tn), (fn + tn, tp + fn), (fn + tn, fp + tn))
    information = sum(
        c * math.log(c / (row * column)) for c, (row, column) in zip(cells, margins, strict=True)
        if c > 0
    )  # fmt: skip
    found = (p.accuracy, p.precision, p.recall, p.f1, p.mutual_information)
    np.testing.assert_allclose(found, (*exact, information), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found, printed, atol=1e-3)  # 0.888 is 8/9 cut off, not rounded


def test_each_committed_picture_is_drawn_by_a_script():
    files = [p for folder in ("docs", "examples", "studies") for p in (ROOT / folder).glob("*.py")]
    scripts = "".join(p.read_text(encoding="utf-8") for p in files)
    pictures = sorted(p.name for p in (ROOT / "docs" / "img").iterdir())
    assert pictures
    assert [name for name in pictures if f'"{name}"' not in scripts] == []
