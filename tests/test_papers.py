"""Numbers of the papers, and of what is wrong in them, from sources that are not this package.

The sources are the printed tables, hand computation, and multiple precision (mpmath)
or scipy's own beta distribution, called here.
"""

import math
import re

import mpmath as mp
import numpy as np
import pytest
from scipy.special import betainc

import betaroc as br
from helpers.places import ROOT, script

PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")

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


def log_share(y, a, b):
    """Density of the logit of a beta score, times dy."""
    log_x, log_1x = -mp.log1p(mp.exp(-y)), -mp.log1p(mp.exp(y))
    return mp.exp(a * log_x + b * log_1x) / mp.beta(a, b)


def cdf(theta, law):
    return mp.betainc(*law, 0, theta, regularized=True)


def root(f, low, high):
    return mp.findroot(f, (low, high), solver="anderson", tol=1e-25)


@pytest.fixture(autouse=True)
def _digits():
    with mp.workdps(25):
        yield


def test_the_example_and_the_page_hold_the_printed_table():
    namespace = {}
    exec(re.search(r"```python\n(.*?)```", PAGE, re.S)[1], namespace)
    example = script(ROOT / "examples" / "omar_table1.py")
    assert example.TABLE_1 == namespace["TABLE_1"] == TABLE_1


@pytest.mark.parametrize(("name", "amount"), PAIRS)
def test_ends_follow_from_the_printed_shapes(name, amount):
    (a1, b1), (a2, b2) = shapes(name, amount)
    ends, log_beta = model(name, amount).ends(), lambda a, b: mp.log(mp.beta(a, b))
    # F ~ theta^a / (a B(a, b)) near 0, and its mirror near 1, so F_i = K F_c^(a2/a1).
    for end, (p1, p2) in ((ends.at_zero, (a1, a2)), (ends.at_one, (b1, b2))):
        rho = mp.mpf(p2) / p1
        log_k = rho * (mp.log(p1) + log_beta(a1, b1)) - mp.log(p2) - log_beta(a2, b2)
        assert end.exponent == pytest.approx(float(rho), rel=1e-14)
        assert end.coefficient == pytest.approx(float(mp.exp(log_k)), rel=1e-12)
    # Section 3.2: "apart from the two exceptions of cross-validated SLR ... 0 and 1, we have
    # alpha_1 > alpha_2"; "in all cases the left semi-derivative is 0".
    hooked = name == "SLR cross" and amount in (0, 1)
    assert ends.at_zero.semi_derivative == (0.0 if hooked else math.inf)
    assert ends.at_zero.side == ("below" if hooked else "above")
    assert (ends.at_one.semi_derivative, ends.at_one.side) == (0.0, "above")
    assert model(name, amount).global_shape() == ("hook-at-zero" if hooked else "proper")


def test_shapes_as_the_paper_says_them():
    # Section 3.1: clients U in cross-subject, J within; impostors U for SLR cross 5 and 50.
    for name, amount in PAIRS:
        client, impostor = model(name, amount).shape_category()
        assert client == ("U" if "cross" in name else "J")
        u_shaped = name == "SLR cross" and amount in (5, 50)
        assert impostor == ("U" if u_shaped else "reverse-J")  # the paper's "J-shaped", E10


# AUC to five digits, from the integral of f_i (1 - F_c) in multiple precision:
# mp.quad(lambda y: log_share(y, *impostor) * (1 - cdf(sigmoid(y), client)), range of y),
# recomputed below for one pair of each column.
AUC = {
    "SLR cross": (0.71062, 0.70418, 0.69333, 0.66792),
    "SLR within": (0.99519, 0.99702, 0.99759, 0.98613),
    "ANN cross": (0.93044, 0.92950, 0.92395, 0.92413),
    "ANN within": (0.99918, 0.99924, 0.99904, 0.98351),
}


@pytest.mark.parametrize(("name", "amount"), PAIRS)
def test_e7_areas(name, amount):
    assert round(model(name, amount).auc(), 5) == AUC[name][AMOUNTS.index(amount)]


@pytest.mark.parametrize(
    ("name", "none", "most", "meet"),
    [
        ("SLR cross", 7.4e-10, 1.5e-3, 0.291),
        ("SLR within", 0.192, 0.631, 0.0101),
        ("ANN cross", 0.026, 0.054, 0.0923),
        ("ANN within", 0.290, 0.274, 3.1e-7),
    ],
)
def test_e5_sharpening_steepens_the_rise(name, none, most, meet):
    client, imp0 = shapes(name, 0)
    _, imp50 = shapes(name, 50)
    # The threshold with F_c = 1e-6, where F_c = theta^a / (a B) (1 + O(theta)) starts the search.
    start = (mp.mpf(10) ** -6 * client[0] * mp.beta(*client)) ** (1 / mp.mpf(client[0]))
    theta = mp.findroot(lambda t: cdf(t, client) / mp.mpf(10) ** -6 - 1, start)
    for impostor, amount, rounded in ((imp0, 0, none), (imp50, 50, most)):
        expected = float(cdf(theta, impostor))
        assert expected == pytest.approx(rounded, rel=0.04)
        found = model(name, amount).roc(positive="impostor").tpr(1e-6)
        assert found == pytest.approx(expected, rel=1e-11)
    both = br.ScoreModel(br.Beta(*imp0), br.Beta(*imp50)).diagonal_crossings()
    assert len(both) == 1
    theta = mp.mpf(both.threshold[0])
    assert cdf(theta, imp0) == pytest.approx(cdf(theta, imp50), rel=1e-12)
    assert float(cdf(theta, client)) == pytest.approx(meet, rel=0.01)


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


def test_murphy_tables_1_and_2_count_by_count():
    # (TP, FP), counted in the printed tables with the rule of the text, s > theta.
    for pair, middle in ((CLASSIFIER_1, (4, 0)), (CLASSIFIER_2, (4, 1))):
        assert counts(pair, 0.0) == pytest.approx((5, 4))
        assert counts(pair, 0.5) == pytest.approx(middle)
        assert counts(pair, 1.0) == (0, 0)
    # E24: the printed column theta = 0.5 of Table 1 is s >= theta.
    assert counts(CLASSIFIER_1, np.nextafter(0.5, 0)) == (5, 0)


def test_murphy_areas():
    # Table 2, client by client: impostors below 4, 4, 4 and 3 + 1/2 (a tie), and 1 + 1/2.
    assert CLASSIFIER_2.auc() == (4 * 3 * 2 + 7 + 3) / (2 * 20)
    assert CLASSIFIER_1.auc() == 1.0
    # E26: a constant score attains two points.
    constant = murphy([0.5] * 5, [0.5] * 4)
    points = constant.roc().points()
    assert sorted(zip(points.far, points.tpr, strict=True)) == [(0.0, 0.0), (1.0, 1.0)]
    assert constant.auc() == 0.5


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


def test_murphy_f1_of_a_rare_class():
    # (14): 2e-4 / (1 + 1e-4) = 0.00019998, which is 0.02 %, not 0.2 % (E27).
    everything = br.OperatingPoint(threshold=0.0, far=1.0, frr=0.0, prior=1e-4)
    assert everything.f1 == pytest.approx(2e-4 / 1.0001, rel=1e-14)
    assert round(everything.f1, 8) == 0.00019998


def test_each_committed_picture_is_drawn_by_a_script():
    files = [p for folder in ("docs", "examples", "studies") for p in (ROOT / folder).glob("*.py")]
    files.append(ROOT / "tests" / "helpers" / "house.py")
    scripts = "".join(p.read_text(encoding="utf-8") for p in files)
    pictures = sorted(p.name for p in (ROOT / "docs" / "img").iterdir())
    assert pictures
    assert [name for name in pictures if f'"{name}"' not in scripts] == []
