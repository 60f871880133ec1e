"""Cllr, Bayes errors, net benefit, predictive values and costs: peers' numbers, hand, intervals."""

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

import betaroc as br
from betaroc.inference.of_scores import CountedScores, losses_of
from betaroc.model.calibration import pav
from betaroc.model.samples import empirical_model
from betaroc.model.statistics import parse_statistic

approx = pytest.approx
ROOT = Path(__file__).parents[2]
PEERS = json.loads((ROOT / "tests" / "reference" / "likelihood_ratios.json").read_text())
RNG = np.random.default_rng(52)
SCORES = br.Scores(RNG.normal(1.0, 1.4, 90), RNG.normal(-1.0, 1.4, 110))
OTHER = br.Scores(SCORES.client + RNG.normal(0, 0.7, 90), SCORES.impostor + RNG.normal(0, 0.7, 110))
SHARES = br.Scores(expit(SCORES.client), expit(SCORES.impostor))


def sets():
    for name, case in PEERS["pyllr"].items():
        yield pytest.param(br.Scores(case["target"], case["nontarget"]), case, id=name)
    for name, case in PEERS["sets"].items():
        yield pytest.param(br.read_scores(ROOT / case["file"]), case, id=name.partition("/")[0])


@pytest.mark.parametrize(("scores", "case"), [*sets()])
def test_the_numbers_of_pyllr(scores, case):
    # pyllr.cllr(tar, non), pyllr.min_cllr, pyllr.pav_rocch.ROCCH(pav).EER(), .Bayes_error_rate(plo)
    model, odds = empirical_model(scores), np.array(case["plo"])
    assert model.cllr() == approx(case["cllr"], rel=1e-12, abs=1e-12)
    assert model.min_cllr() == approx(case["min_cllr"], abs=1e-12)
    assert model.eer("hull").hter == approx(case["rocch_eer"], abs=1e-8)
    errors = model.bayes_error(odds)
    assert errors.least == approx(case["bayes_error_min"], abs=1e-12)
    # pyllr accepts a score that equals the threshold.
    curve = br.bayes_error_curve(scores, np.nextafter(odds, np.inf))
    assert curve.actual[0] == approx(case["bayes_error_actual"], abs=1e-12)
    assert curve.best[0] == approx(case["bayes_error_min"], abs=1e-12)
    assert curve.default == approx([1 / (1 + math.exp(abs(x))) for x in odds])
    for k in (0, 4, 9):
        spec = parse_statistic("min-bayes-error", log_odds=odds[k])
        assert spec.number(model) == approx(case["bayes_error_min"][k], abs=1e-12)
        spec = parse_statistic("bayes-error", log_odds=odds[k])
        assert spec.number(model) == approx(float(errors.actual[k]), abs=1e-15)


def asvspoof():
    asv = PEERS["asvspoof5"]["asv"]
    strata = ["nontarget"] * len(asv["nontarget"]) + ["spoof"] * len(asv["spoof"])
    return br.Scores(asv["target"], asv["nontarget"] + asv["spoof"], impostor_strata=strata)


EVEN = {"nontarget": 0.5, "spoof": 0.5}
COSTS = {"prior": 0.9, "cost_fa": {"nontarget": 10, "spoof": 20}, "over": EVEN}


def test_the_a_dcf_of_asvspoof():
    # a_dcf.calculate_a_dcf(scores, cost_model): pi .9, .05, .05 and C 1, 10, 20
    case, scores = PEERS["asvspoof5"], asvspoof()
    result = br.interval(scores, "a-dcf", **COSTS)
    assert result.estimate == approx(case["min_adcf_default_costs"], abs=1e-12)
    assert result.low < result.estimate < result.high
    actual = br.interval(scores, "a-dcf", threshold=case["threshold"], **COSTS)
    assert actual.estimate == approx(result.estimate, abs=1e-12)
    # Ptar .9405, Pnon .0095, Pspoof .05, Cmiss 1, Cfa and Cfa_spoof 10
    weights = {"nontarget": 0.0095 / 0.0595, "spoof": 0.05 / 0.0595}
    second = br.interval(scores, "a-dcf", prior=0.9405, cost_fa=10, over=weights)
    assert second.estimate == approx(case["min_adcf_asv_alone"], abs=1e-12)
    attack = br.interval(scores, "iapmr", threshold=0.66, over={"spoof": 1})
    assert attack.estimate == np.mean(np.array(case["asv"]["spoof"]) > 0.66)
    gap = br.difference(scores, scores, "a-dcf", **COSTS)
    assert (gap.estimate, gap.significant) == (0.0, False)
    # Another system on the same trials errs with it.
    shifted = scores._with(client=scores.client - 0.3)
    paired, apart = (
        br.difference(scores, shifted, "a-dcf", paired=p, **COSTS) for p in (True, False)
    )
    assert 0.3 < paired.correlation < 1.0
    assert paired.high - paired.low < apart.high - apart.low


def test_each_system_may_have_its_own_costs_of_strata_refused():
    scores = asvspoof()
    with pytest.raises(br.InputError, match="a cost per stratum"):
        br.interval(scores, "a-dcf", cost_fa={"spoof": 10}, over=EVEN)
    with pytest.raises(br.InputTypeError, match="cost_fa must be a finite number"):
        br.interval(scores, "dcf", threshold=1, cost_fa={"nontarget": 1, "spoof": 2}, over=EVEN)


def welch(parts):
    """The mean of two means, its error and Welch's degrees of freedom, few where few vary."""
    variances = [np.var(x, ddof=1) / x.size / 4 for x in parts]
    squares = [(x - np.mean(x)) ** 2 for x in parts]
    few = [min(s.size - 1, np.sum(s) ** 2 / np.sum(s**2)) for s in squares]
    below = sum(v**2 / n for v, n in zip(variances, few, strict=True))
    mean = sum(float(np.mean(x)) for x in parts) / 2
    return mean, math.sqrt(sum(variances)), sum(variances) ** 2 / below


@pytest.mark.simulation
def test_cllr_is_a_t_interval_of_its_logarithm():
    losses = [np.log2(1 + np.exp(s * x)) for s, x in ((-1, SCORES.client), (1, SCORES.impostor))]
    mean, error, freedom = welch(losses)
    factor = math.exp(stats.t(freedom).ppf(0.975) * error / mean)
    result = br.interval(SCORES, "cllr")
    assert [result.estimate, result.low, result.high] == approx(
        [mean, mean / factor, mean * factor], rel=1e-12
    )
    # As many copies, in groups of their own, say no more.
    twice = br.Scores(
        np.repeat(SCORES.client, 4), np.repeat(SCORES.impostor, 4),
        client_groups=np.repeat(np.arange(90), 4), impostor_groups=np.repeat(np.arange(90, 200), 4),
    )  # fmt: skip
    grouped, alone = br.interval(twice, "cllr"), br.interval(twice, "cllr", groups=False)
    assert grouped.high - grouped.low == approx(result.high - result.low, rel=0.06)
    assert alone.high - alone.low == approx((result.high - result.low) / 2, rel=0.06)
    for name in ("min-cllr", "calibration-loss", "min-bayes-error@log_odds=0",
                 "ppv@threshold=0", "npv@threshold=0", "lr+@threshold=0"):  # fmt: skip
        same, one = br.interval(twice, name), br.interval(SCORES, name)
        assert same.high - same.low == approx(one.high - one.low, rel=0.15)


def test_what_is_least_on_the_same_scores():
    apart = br.Scores([1.0, 2, 3, 4, 5], [-1.0, -2, -3, -4])  # few trials carry the loss
    assert br.interval(apart, "calibration-loss").low == 0.0
    with pytest.warns(br.errors.ScaleWarning, match="cost more than none"):
        assert br.interval(br.Scores([6, 7, -5, 9.0], [-4.0, 5, -6, -7]), "cllr").estimate > 1.0
    # The corrected number is the estimate; the plain one that of the model.
    plain = empirical_model(SCORES).min_cllr()
    result = br.interval(SCORES, "min-cllr")
    assert plain < result.estimate
    assert result.low < result.estimate < result.high
    loss = br.interval(SCORES, "calibration-loss")
    cllr = empirical_model(SCORES).cllr()
    assert loss.estimate == approx(cllr - result.estimate, abs=1e-12)
    assert br.interval(SCORES, "min-cllr") == result
    # The mean of what each score costs is the number itself.
    counted = CountedScores(SCORES)
    for text in ("cllr", "min-cllr", "calibration-loss"):
        share, *parts = losses_of(counted, parse_statistic(text))[:3]
        masses = [law._steps[1] / law.total for law in counted.evidence.counts]
        assert sum(p @ m for p, m in zip(parts, masses, strict=True)) == approx(share, abs=1e-12)


def test_an_error_at_rare_odds_is_no_worse_than_without_scores():
    """Of 100 and 100 normal scores: the least cost at that prior, at most the prior, corrected."""
    rng, prior = np.random.default_rng(1), 1 / (1 + math.exp(3))
    scores = br.Scores(rng.normal(2, 1, 100), rng.normal(0, 1, 100))
    result = br.interval(scores, "min-bayes-error", log_odds=-3)
    cost = br.interval(scores, "min-dcf", prior=prior)
    assert (result.low, result.high) == approx((cost.low, prior), rel=1e-9)
    assert cost.estimate < result.estimate <= prior * (1 + 1e-12)
    assert br.interval(scores, "min-dcf", prior=0).high == 0.0


def test_quotients_over_strata_are_of_the_mean_far():
    rng, kinds = np.random.default_rng(0), np.repeat(["a", "b"], 200)
    impostor = np.append(rng.normal(-2, 1, 200), rng.normal(1.5, 1, 200))
    scores = br.Scores(rng.normal(3, 1, 200), impostor, impostor_strata=kinds)
    tpr = np.mean(scores.client > 1)
    far = 0.9 * np.mean(impostor[:200] > 1) + 0.1 * np.mean(impostor[200:] > 1)
    over = {"a": 0.9, "b": 0.1}
    assert br.interval(scores, "ppv", threshold=1, prior=0.1, over=over).estimate == approx(
        0.1 * tpr / (0.1 * tpr + 0.9 * far)
    )
    assert br.interval(scores, "lr+", threshold=1, over=over).estimate == approx(tpr / far)


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.SmallSampleWarning")
def test_classes_apart_and_classes_of_one_score():
    apart, tied = br.Scores([5.0] * 30, [-5.0] * 40), br.Scores([0.5] * 30, [0.5] * 40)
    with pytest.warns(br.errors.SmallSampleWarning, match="cost the same"):
        result = br.interval(apart, "min-cllr")
    assert (result.estimate, result.low) == (0.0, 0.0)
    # Both errors at the upper end of none of 30 and of 40.
    frr, far = (1 - 0.025 ** (1 / n) for n in (30, 40))
    blocks = [(frr, 1 - far), (1 - frr, far)]
    cost = sum(c * math.log2((c + i) / c) + i * math.log2((c + i) / i) for c, i in blocks) / 2
    assert result.high == approx(cost, rel=1e-12)
    assert br.interval(tied, "min-cllr").estimate == 1.0
    assert br.interval(tied, "min-bayes-error", log_odds=0).estimate == 0.5
    assert br.interval(apart, "cllr").estimate == approx(math.log2(1 + math.exp(-5)), rel=1e-14)
    assert br.fit(SCORES, "normal").log_likelihood_ratio([-1e200, 1e200]).size == 2


@pytest.mark.parametrize(("scores", "stat", "point"), [
    (SCORES, "ppv", {"threshold": 0.3}), (SCORES, "npv", {"threshold": 0.3}),
    (SCORES, "npv", {"far": 0.2}), (SHARES, "net-benefit", {"probability": 0.3}),
])  # fmt: skip
def test_the_prevalence_of_a_cohort_varies_too(scores, stat, point):
    model = empirical_model(scores)
    sampled, fixed = (br.interval(scores, stat, **point, prior=p) for p in (None, model.prior))
    assert sampled.estimate == fixed.estimate
    assert "sampled prevalence" in sampled.method
    assert "at prevalence 0.45" in fixed.method
    # Clopper and Pearson's ends of 90 of 200 move the number by the rest of the squares.
    ends = stats.beta.ppf([0.025, 0.975], [90, 91], [111, 110])
    moved = [parse_statistic(stat, **point, prior=p).number(model) for p in ends]
    down, up = sampled.estimate - min(moved), max(moved) - sampled.estimate
    expected = (
        math.hypot(sampled.estimate - fixed.low, down),
        math.hypot(fixed.high - sampled.estimate, up),
    )
    assert (sampled.estimate - sampled.low, sampled.high - sampled.estimate) == approx(expected)


def test_predictive_values_and_open_quotients_by_hand():
    scores = br.Scores([1, 2, 3, 4], [0, 1, 2, 5.5])  # above 2.5: 2 of 4 and 1 of 4
    model = empirical_model(scores)

    def number(stat, **point):
        return parse_statistic(stat, threshold=2.5, **point).number(model)

    assert [number("ppv"), number("npv"), number("lr+"), number("lr-")] == approx(
        [2 / 3, 3 / 5, 2.0, 2 / 3]
    )
    assert number("ppv", prior=0.1) == approx(0.05 / (0.05 + 0.9 * 0.25))
    assert number("npv", prior=0.1) == approx(0.9 * 0.75 / (0.9 * 0.75 + 0.05))
    assert (number("ppv", prior=0.0), number("ppv", prior=1.0)) == (0.0, 1.0)
    assert number("dcf", prior=0.1, cost_fa=10, cost_fr=2) == approx(2 * 0.05 + 10 * 0.9 * 0.25)
    assert number("dcf", cost_fa=0) == approx(0.25)
    dear = br.interval(scores, "dcf", threshold=-1, cost_fa=10, prior=0.1)
    assert dear.low < dear.estimate == 9.0 < dear.high <= 10.0
    scores = br.Scores([1.0, 2, 3, 4], [0.0] * 9)
    result = br.interval(scores, "lr+", threshold=1.5)
    low = stats.beta.ppf(0.025, 3, 2) / (1 - 0.025 ** (1 / 9))
    assert (result.estimate, result.high) == (math.inf, math.inf)
    assert result.low == approx(low, rel=1e-12)
    assert br.interval(scores, "lr-", threshold=0.5).low == 0.0
    with pytest.raises(br.InputError, match="the difference must be a number"):
        br.difference(scores, scores, "lr+", threshold=1.5)
    with pytest.raises(br.InputError, match="must be a number of the scores; got nan"):
        br.interval(scores, "lr+", threshold=9)


@pytest.mark.parametrize("text", [
    "dcf@threshold=0.3,prior=0.01,cost_fa=10", "min-dcf@prior=0.01,cost_fr=2.5", "cllr",
    "tpr@min-dcf,cost_fa=10", "precision@far=0.1,prior=0.2", "bayes-error@log_odds=-1",
    "partial-auc@between=0,0.1", "a-dcf@threshold=0.5", "a-dcf@prior=0.9",
])  # fmt: skip
def test_a_text_comes_back(text):
    assert str(parse_statistic(text)) == text
    assert parse_statistic(str(parse_statistic(text))) == parse_statistic(text)


ROWS = ("cllr", "min-cllr", "calibration-loss", "bayes-error@log_odds=1", "lr+@threshold=0",
        "min-bayes-error@log_odds=-1", "ppv@threshold=0", "npv@far=0.2", "lr-@threshold=0",
        "a-dcf@threshold=0,prior=0.1,cost_fa=3")  # fmt: skip


@pytest.mark.simulation
@pytest.mark.parametrize("row", ROWS)
def test_every_row_has_a_difference_and_is_of_fits(row):
    gap, back = br.difference(SCORES, OTHER, row), br.difference(OTHER, SCORES, row)
    assert gap.estimate == approx(-back.estimate, abs=1e-12)
    assert gap.low <= gap.estimate <= gap.high
    one, two = (br.interval(s, row) for s in (SCORES, OTHER))
    assert gap.high - gap.low < (one.high - one.low) + (two.high - two.low)
    fit = br.fit(SCORES, "normal")
    result = fit.interval(row)
    assert result.low < parse_statistic(row).number(fit.model) < result.high


def test_fits_and_extreme_odds():
    model = br.ScoreModel(br.Normal(2, 2), br.Normal(-2, 2))  # its own log likelihood ratio
    assert model.log_likelihood_ratio([-700.0, 0.5, 700.0]) == approx([-700.0, 0.5, 700.0])
    quadrature = stats.norm(2, 2).expect(lambda s: np.log2(1 + np.exp(-s)), lb=-20, ub=30)
    assert model.cllr() == approx(quadrature, abs=1e-8)
    assert model.min_cllr() == approx(model.cllr(), rel=1e-10)
    beta = br.fit(SHARES, "beta")
    x = np.array([1e-300, 0.5, 1 - 1e-16])
    law = [stats.beta(d.a, d.b).logpdf(x[:2]) for d in (beta.model.client, beta.model.impostor)]
    assert beta.log_likelihood_ratio(x)[:2] == approx(law[0] - law[1], rel=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.all(np.isfinite(beta.log_likelihood_ratio(x)))
        errors = model.bayes_error([-60.0, 60.0])
    assert errors.least == approx([math.exp(-60)] * 2, rel=1e-9)
    assert np.isposinf(br.ScoreModel(br.Beta(2, 2), br.Empirical([2])).log_likelihood_ratio(0.5))


REFERENCE = json.loads(
    (Path(__file__).parents[1] / "reference" / "likelihood_ratios.json").read_text()
)
TOYS = REFERENCE["pyllr"]


@pytest.mark.parametrize("name", TOYS)
def test_the_map_is_that_of_pyllr(name):
    case = TOYS[name]
    blocks = pav(br.Empirical(case["target"]), br.Empirical(case["nontarget"]))
    assert blocks.log_ratio == pytest.approx(case["pav_llr"], abs=1e-12)
    assert blocks.client.tolist() == case["pav_targets"]
    assert blocks.impostor.tolist() == case["pav_nontargets"]


def test_counts_equal_ratios_and_trials_without_a_score_make_blocks():
    # Ratios 0.5, 1/2, 1/2 of classes of 4 and 8: with floats 1/3 three ways.
    client, impostor = br.Empirical([1, 2, 2, 3]), br.Empirical([1, 1, 2, 2, 2, 2, 3, 3])
    counted = br.Empirical([1, 2, 3], [1, 2, 1]), br.Empirical([3, 2, 1], [2, 4, 2])
    for pair in ((client, impostor), counted):
        blocks = pav(*pair)
        assert (blocks.low, blocks.high) == ([1], [3])
        assert (blocks.client, blocks.impostor) == ([4], [8])
    blocks = pav(br.Empirical([-np.inf, 2.0]), br.Empirical([-np.inf, -np.inf, 1.0]))
    assert blocks.high.tolist() == [1.0, 2.0]
    assert blocks.block_of(np.array([-np.inf, 1.0, 1.5, 2.0])).tolist() == [0, 0, 1, 1]
