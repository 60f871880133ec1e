"""The average of two antagonist rates, targets out of reach, scales that differ."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

import betaroc as br
from betaroc.model.samples import empirical_model
from helpers.cases import case

approx = pytest.approx
MODELS = {
    "bell": br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4)),
    "U": br.ScoreModel(br.Beta(0.6, 0.4), br.Beta(0.5, 0.9)),
    "binormal": br.ScoreModel(br.Normal(1, 1), br.Normal(0, 1), prior=0.3),
    "logit-normal": br.ScoreModel(br.LogitNormal(1, 1), br.LogitNormal(0, 1), prior=0.8),
}

# Mean of V over [0, 1] by hand: thresholds and rates are those of dev = test.
IDENTITIES = {
    "sensitivity-specificity": lambda m: 0.5 * (m.auc() + 0.5),
    "far-frr": lambda m: 0.5 * (1.5 - m.auc()),
    "precision-recall": lambda m: 0.5 * (m.average_precision() + 0.5 + m.prior**2 / 4.0),
}


@pytest.mark.simulation
@pytest.mark.parametrize(("name", "pair"), [
    ("bell", "sensitivity-specificity"), ("U", "far-frr"), ("binormal", "precision-recall"),
    ("logit-normal", "precision-recall"),
])  # fmt: skip
def test_the_identities_of_the_a_posteriori_average(name, pair):
    # The ROCs are concave, so precision rises with the threshold; the quadrature asks for 1e-9.
    model = MODELS[name]
    average = br.epc_average(model, model, pair)
    assert average.average == approx(IDENTITIES[pair](model), abs=2e-9)
    assert average.average == approx(0.5 * (average.first + average.second), rel=1e-15)


def brute_mean(dev, test, criterion, low, high):
    """The mean of V over the targets: the nearest rate changes at midpoints of dev's rates."""

    def rates(scores, t):
        far = Fraction(int(np.sum(scores.impostor > t)), scores.n_impostor)
        frr = Fraction(int(np.sum(scores.client <= t)), scores.n_client)
        accepted = int(np.sum(scores.client > t)) + int(np.sum(scores.impostor > t))
        precision = Fraction(int(np.sum(scores.client > t)), accepted) if accepted else None
        return {"far": far, "frr": frr, "sensitivity": 1 - frr, "specificity": 1 - far,
            "recall": 1 - frr, "precision": precision}  # fmt: skip

    places = sorted({*dev.client.tolist(), *dev.impostor.tolist()})
    gaps = [-np.inf, *((a + b) / 2 for a, b in itertools.pairwise(places)), places[-1]]
    on_dev = [(rates(dev, t), t) for t in gaps]
    on_dev = [(r, t) for r, t in on_dev if r[criterion] is not None]
    levels = sorted({r[criterion] for r, _ in on_dev})
    edges = [low, *((a + b) / 2 for a, b in itertools.pairwise(levels)), high]
    edges = [min(max(e, low), high) for e in edges]
    other = {"far": "frr", "frr": "far", "precision": "recall", "recall": "precision"}
    other |= {"sensitivity": "specificity", "specificity": "sensitivity"}
    total = Fraction(0)
    for level, start, stop in zip(levels, edges[:-1], edges[1:], strict=True):
        if stop == start:
            continue
        ties = [(r["far"] + r["frr"], t) for r, t in on_dev if r[criterion] == level]
        met = rates(test, min(ties)[1])
        total += (stop - start) * (met[criterion] + met[other[criterion]]) / 2
    return total / (high - low)


@pytest.mark.parametrize(("seed", "pair"), list(enumerate(IDENTITIES)))
def test_scores_are_summed_exactly(seed, pair):
    rng = np.random.default_rng(seed)
    dev, test = (br.Scores(np.round(rng.normal(1, 1, 17), 1), np.round(rng.normal(-1, 1, 23), 1))
        for _ in range(2))  # fmt: skip
    # The lowest test score is a client above all of dev, so that precision is defined throughout.
    test = br.Scores([*test.client, 9.0], test.impostor)
    first, second = {"far-frr": ("far", "frr")}.get(pair, pair.split("-"))
    low, high = Fraction(1, 10), Fraction(3, 4)
    average = br.epc_average(dev, test, pair, low=0.1, high=0.75)
    assert average.first == approx(float(brute_mean(dev, test, first, low, high)), rel=1e-12)
    assert average.second == approx(float(brute_mean(dev, test, second, low, high)), rel=1e-12)


def test_laws_on_dev_and_scores_on_test_are_summed_exactly():
    # FAR = (1 - t)^2 and FRR = t^2 on dev, so that precision is (1 + t)/2 at prior 1/2.
    dev, rng = br.ScoreModel(br.Beta(2, 1), br.Beta(1, 2)), np.random.default_rng(4)
    test = br.Scores(rng.beta(2, 1, 40), rng.beta(1, 2, 30))
    edges = np.concatenate([[0.0], np.sort(np.concatenate([test.client, test.impostor])), [1.0]])
    far = np.mean(test.impostor[:, None] > edges[:-1], axis=0)
    tpr = np.mean(test.client[:, None] > edges[:-1], axis=0)
    hter, errors = (far + 1 - tpr) / 2, br.epc_average(dev, test)
    # A stretch of thresholds [a, b) is that of targets (1 - b)^2 to (1 - a)^2, a^2 to b^2.
    assert errors.first == approx(-np.sum(np.diff((1 - edges) ** 2) * hter), rel=1e-12)
    assert errors.second == approx(np.sum(np.diff(edges**2) * hter), rel=1e-12)
    assert errors.undefined == 0.0
    # The prior of test is 4/7; targets below 1/2 accept all; nothing is accepted above the last.
    v = (tpr[:-1] * 4 / (tpr[:-1] * 4 + far[:-1] * 3) + tpr[:-1]) / 2
    one, widths = br.epc_average(dev, test, "precision-recall"), np.diff(edges[:-1]) / 2
    kept = 0.5 + np.sum(widths)
    assert one.first == approx((0.5 * v[0] + np.sum(widths * v)) / kept, rel=1e-12)
    recall = -np.diff(1 - edges[:-1] ** 2)
    assert one.second == approx(np.sum(recall * v) / np.sum(recall), rel=1e-12)
    assert one.undefined == approx(np.mean((1 - kept, 1 - edges[-2] ** 2)), abs=1e-12)


MIXED = br.ScoreModel(br.Beta(3, 2), br.Empirical([0.1, 0.2, 0.4, 0.8]), prior=0.3)
DEV = {
    "atoms": br.ScoreModel(br.Inflated(br.Normal(0.6, 0.8), 0.1, 0.2), br.Normal(0.1, 0.5)),
    "mixed": MIXED,
    "wide": br.ScoreModel(br.Normal(0, 100), br.Normal(-1, 90)),
}
RNG = np.random.default_rng(2)
# Far from 0 both tails of the tight laws underflow: the edge of 0/0 is nowhere declared.
TIGHT = br.ScoreModel(br.Normal(0.6, 0.3), br.Normal(0.3, 0.2))
TEST = {"sample": br.Scores(RNG.beta(4, 2, 30), RNG.beta(2, 4, 40)), "mixed": MIXED, "tight": TIGHT}


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore::betaroc.TargetWarning")
@pytest.mark.parametrize("of_dev", [
    "atoms", *(pytest.param(name, marks=pytest.mark.nightly) for name in ("mixed", "wide"))
])  # fmt: skip
def test_every_mix_of_sides_agrees_with_a_fine_grid(of_dev):
    alpha = (np.arange(4001) + 0.5) / 4001
    thresholds = [br.epc(DEV[of_dev], DEV[of_dev], criterion=name, alpha=alpha).threshold
        for name in ("precision", "recall")]  # fmt: skip
    for of_test, test in TEST.items():
        average = br.epc_average(DEV[of_dev], test, "precision-recall")
        judge = empirical_model(test) if isinstance(test, br.Scores) else test
        grid = [judge.at(t).mean_precision_recall for t in thresholds]
        with case(of_test):
            first = [float(np.nanmean(values)) for values in grid]
            assert [average.first, average.second] == approx(first, abs=3e-4)
            assert average.undefined == approx(np.mean(np.isnan(grid)), abs=3e-4)


def test_targets_out_of_reach_are_named_and_others_quiet():
    # Precision of dev: 3/6 accepting all, 3/4 above 2, 1 above 3.
    dev, test = br.Scores([2.5, 4, 5], [1, 2, 3]), br.Scores([2, 4, 6], [0, 1, 3])
    text = (
        "2 of 3 targets are out of reach on dev, first precision 0.1 at index 0; thresholds reach"
        " 0.5 to 1 there. The nearest one is taken.")  # fmt: skip
    with pytest.warns(br.TargetWarning) as caught:
        curve = br.epc(dev, test, criterion="precision", alpha=[0.1, 0.8, 0.2])
    assert [str(w.message) for w in caught] == [text]
    assert curve.reachable == (0.5, 1.0)
    highest = br.Scores([2.0, 3.0], [0.0, 1.0, 4.0])  # two of three at most
    with pytest.warns(br.TargetWarning, match="1 of 2 .* first precision 0.9 at index 1"):
        br.epc(highest, test, criterion="precision", alpha=[0.5, 0.9])
    br.epc(dev, test, criterion="precision")
    br.epc(dev, test, criterion="precision", alpha=[0.5, 1.0])
    assert br.epc(dev, test).reachable is None
    # A concave ROC: precision rises from the prior to 1, a limit that counts as reached.
    model = MODELS["binormal"]
    low, high = br.epc(model, model, criterion="precision", alpha=[0.5]).reachable
    assert low == approx(0.3, abs=1e-12)
    assert high == approx(1.0, abs=1e-9)


def test_other_scales_are_named():
    rng = np.random.default_rng(1)
    c, i, d, j = (rng.normal(mu, 1, 50) for mu in (1, -1, 1, -1))
    for change, text in (
        (lambda x: 100 * x, "90 % of the impostor scores"),
        (lambda x: x + 40, "90 % of the impostor scores"),
        (lambda x: 1 / (1 + np.exp(-x)), "all of test lies in"),
    ):
        with pytest.warns(br.ScaleWarning, match=text):
            br.epc(br.Scores(c, i), br.Scores(change(d), change(j)))
        with pytest.warns(br.ScaleWarning):
            br.epc(br.Scores(change(c), change(i)), br.Scores(d, j))
    # A shift of conditions is no other scale.
    for change in (lambda x: 3 * x, lambda x: x + 1.5, lambda x: x[:5]):
        br.epc(br.Scores(c, i), br.Scores(change(d), change(j)))


def test_precisions_between_scores_by_hand():
    # FAR is 1/4 from 0.4 to 0.8; precision 1/2 there means 0.3 TPR = 0.7/4, TPR = 7/12.
    model = br.ScoreModel(br.Beta(3, 2), br.Empirical([0.1, 0.2, 0.4, 0.8]), prior=0.3)
    curve = br.epc(model, model, criterion="precision", measure="precision", alpha=[0.5])
    assert curve.value[0] == approx(0.5, rel=1e-14)
    assert (curve.far[0], curve.frr[0]) == (0.25, approx(5 / 12, rel=1e-13))
    # F = 4 x^3 - 3 x^4 is 5/12 at the threshold.
    x = curve.threshold[0]
    assert 4 * x**3 - 3 * x**4 == approx(5 / 12, rel=1e-13)
    # Least precision: just below 0.8, where TPR is 1 - F(0.8) = 0.1808.
    low = 0.3 * 0.1808 / (0.3 * 0.1808 + 0.7 * 0.25)
    assert curve.reachable == (approx(low, rel=1e-13), 1.0)
    # Recall on dev is 0, 1/2 or 1: targets below 1/4 reject all, where precision is 0/0.
    scores = br.Scores([3, 4], [1, 2])
    average = br.epc_average(scores, scores, "precision-recall")
    # Recall 1/2 (targets 1/4 to 3/4) and 1: precision is 1 at both thresholds of least HTER.
    assert average.second == approx((0.5 * 0.75 + 0.25 * 1.0) / 0.75, rel=1e-15)
    assert average.undefined == approx(0.5 * 0.25, rel=1e-15)
