"""Expected performance curves against brute force, oracles and theorems."""

import math
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
    for seed in range(60):
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
