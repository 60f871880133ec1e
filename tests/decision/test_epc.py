"""Expected performance curves against brute force, oracles and theorems."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import betaroc as br
from betaroc.model.criteria import CRITERIA

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


class Enumeration:
    """Every threshold that decides differently, with its rates as fractions."""

    def __init__(self, scores):
        client, impostor = scores.client.tolist(), scores.impostor.tolist()
        places = sorted(set(client) | set(impostor))
        middles = [(a + b) / 2 for a, b in itertools.pairwise(places)]
        self.thresholds = [-math.inf, *middles, places[-1]]
        self.far = [Fraction(sum(s > t for s in impostor), len(impostor)) for t in self.thresholds]
        self.frr = [Fraction(sum(s <= t for s in client), len(client)) for t in self.thresholds]
        self.prior = Fraction(len(client), len(client) + len(impostor))
        self.precisions = [self.precision(k) for k in range(len(self.thresholds))]

    def precision(self, k):
        true = self.prior * (1 - self.frr[k])
        called = true + (1 - self.prior) * self.far[k]
        return true / called if called else None

    def criterion(self, name, k, alpha):
        """The value to be minimised, None where it is 0/0."""
        far, frr, precision = self.far[k], self.frr[k], self.precisions[k]
        if name == "weighted-error":
            return alpha * far + (1 - alpha) * frr
        if name == "eer":
            return abs(far - frr)
        rates = {"far": far, "frr": frr, "specificity": 1 - far}
        rates |= {"recall": 1 - frr, "sensitivity": 1 - frr}
        if name in rates:
            return abs(rates[name] - alpha)
        if precision is None:
            return None
        if name == "precision":
            return abs(precision - alpha)
        if name == "break-even":
            # Accepting impostors alone, both are 0: no balance, left out like 0/0.
            return abs(precision - (1 - frr)) if frr < 1 else None
        if name == "weighted-precision-recall":
            return -(alpha * precision + (1 - alpha) * (1 - frr))
        if name == "f-measure":
            if precision == 0 or frr == 1:
                return None
            return alpha / precision + (1 - alpha) / (1 - frr)
        raise AssertionError(name)

    def best(self, name, alpha):
        """Smallest criterion, then smallest HTER, then lowest threshold."""
        ranked = [(value, self.far[k] + self.frr[k], self.thresholds[k]) for k in range(len(
            self.thresholds)) if (value := self.criterion(name, k, alpha)) is not None]  # fmt: skip
        return min(ranked)[2]


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::betaroc.core.errors.TargetWarning")
@pytest.mark.parametrize("criterion", CRITERIA)
def test_empirical_thresholds_equal_enumeration(criterion):
    alphas = [0.5] if CRITERIA[criterion].single else ALPHAS
    given = {} if CRITERIA[criterion].single else {"alpha": ALPHAS}
    sets = [Enumeration(tied_scores(seed)) for seed in range(60)]
    for seed in range(60):
        curve = br.epc(tied_scores(seed), tied_scores(seed + 1000), criterion=criterion, **given)
        exact = [Fraction(alpha).limit_denominator(10**9) for alpha in alphas]
        best = [sets[seed].best(criterion, alpha) for alpha in exact]
        assert curve.threshold.tolist() == best, seed


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
