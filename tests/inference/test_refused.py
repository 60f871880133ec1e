"""What is refused of numbers of scores and fits, and what is said of it: one table."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import betaroc as br
from betaroc.model.samples import empirical_model
from helpers.commands import said
from helpers.files import write

CLIENT, IMPOSTOR = [k / 40 for k in range(12, 40)], [k / 40 for k in range(2, 30)]
SCORES, DEV = br.Scores(CLIENT, IMPOSTOR), br.Scores([-1, 0, 1, 3.0], [-3.0, -1, 0, 1])
#: Of equal shapes, mirrored: the EER is at 1/2, and the ROC crosses the diagonal at no threshold.
PAIR = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
FIT, COUNTS, CURVE = br.fit(SCORES), br.fit(SCORES, "empirical"), br.epc(PAIR, SCORES)
WAVE, TEN, FIVE = np.arange(30), np.arange(10.0), 90 + np.arange(10) // 2
APART = br.fit(br.Scores(0.75 + 0.03 * np.sin(WAVE), 0.25 + 0.03 * np.cos(WAVE)))
FRAME = pd.DataFrame({"score": [0.9, 0.2, 0.4], "label": [1, 0, 0], "claimed": ["s1", "s1", "s2"],
    "real": ["s1", "s2", "s1"], "number": [1, 2, 3], "trial": ["t1", "t2", "t3"]})  # fmt: skip
HALF_KNOWN = pd.DataFrame({"a": [1, 2, None], "b": 1}).convert_dtypes()
SUMMARY = br.summarize(pd.DataFrame({"score": [*CLIENT, *IMPOSTOR], "label": [1] * 28 + [0] * 28}),
    bins=64)  # fmt: skip
ABSENT = br.Scores(np.linspace(0.4, 0.9, 60), np.linspace(0.1, 0.6, 80), n_client_rejected=5)
GROUPED = br.Scores(TEN, TEN - 3.0, client_groups=FIVE, impostor_groups=FIVE)
LONELY = br.Scores(TEN, TEN - 3.0, client_groups=np.zeros(10, int), impostor_groups=FIVE)
BETA, LOGITS = np.random.default_rng(8).beta(2, 3, 30), br.Scores([-2.0, 0.5, 2.0], [-1.5, 0.0])


def two(**given):
    """Two trials of each class."""
    return br.Scores([1, 2], [0, 1.5], **given)


def of(scores, stat, **options):
    return lambda: br.interval(scores, stat, **options)


def gap(a, b, stat, **options):
    return lambda: br.difference(a, b, stat, **options)


def grouped(groups):
    return lambda: br.Scores([1.0, 2.0, 3.0], [0.0], client_groups=groups)


def framed(**options):
    return lambda: br.Scores.from_frame(FRAME, **options)


def areas(b, a=None):
    return lambda: br.auc_test(a or two(), b)


def conf_int(values, **options):
    return br.fit_distribution(values, **options).conf_int


def by_ids(ids):
    """Clients named c0, c1, ...; where fewer than five are named, one has no score."""
    return br.Scores(np.arange(len(ids)) + 3.0, [1, 2], client_ids=ids, impostor_ids=["i0", "i1"],
        n_client_rejected=int(len(ids) < 5), n_impostor_rejected=0)  # fmt: skip


def curves(a, b):
    """The comparison of the curves of five trials of which the impostors have these groups."""
    one, other = (br.epc(DEV, br.Scores([1.0, 2.0], [0.0, 1.5, 0.7], impostor_groups=groups),
        alpha=[0.5]) for groups in (a, b))  # fmt: skip
    return lambda: br.compare(one, other, replicates=2)


def far_band(scores, **options):
    curve = br.epc(DEV, scores, alpha=[0.5], measure="far")
    return lambda: curve.band(**options)


def rings(n, size, **options):
    """Each person claims to be the next one of a ring of this size."""
    real = np.arange(n)
    claimed = np.column_stack((size * (real // size) + (real + 1) % size, real))
    scores = br.Scores(real / n, real / n - 0.3, client_groups=real, impostor_groups=claimed)
    return lambda: br.epc_cv(scores, **options)


ASKED_WRONGLY = {
    "far=0.1. Leave": of(SCORES, "tpr@far=0.1", far=0.1),
    "A rate has its name": of(SCORES, "tpr@0.1"),
    "Did you mean 'auc'": of(SCORES, "aucc@0.1"),
    r"br.statistics\(\) lists all": of(SCORES, "zzzz"),
    "needs a point, one of .*; got far=0.1, frr=0.1": of(FIT, "tpr", far=0.1, frr=0.1),
    "what was asked for": of(SCORES, "far", far=0.1),
    "must be 'delta' for 'auc' of two models; got 'delong'": lambda: br.plan_sample_size(
        "auc", model=(PAIR, br.ScoreModel(br.Beta(3, 2), br.Beta(2, 4))), power=0.8,
        method="delong"),
    "Scores.from_frame": of(pd.DataFrame(), "eer"),
    r'br.interval\(scores, "eer"\)': of(COUNTS, "eer", method="delta"),
    'or take method="test"': lambda: CURVE.interval("area", method="both"),
    "between must be a fraction":
        lambda: CURVE.interval("area", method="test", between=(10, 90)),
    "must be of fitted distributions": of(SCORES, "client-a"),
    "two or more trials of each class to be drawn": of(br.Scores([1.0], [0, 2]), "d-prime"),
    "two or more trials of each class for a var": of(br.Scores([0.5], [0.1, 1]), "h-measure"),
    "two or more groups of each class": of(LONELY, "eer"),
    "whole numbers of copies": of(two(client_weights=[0.5, 1]), "eer"),
    "'h-measure' must be of scores; got a summary": of(SUMMARY, "h-measure"),
    "needs the scores themselves": lambda: br.roc_band(SUMMARY, simultaneous=True),
}  # fmt: skip
OF_FITS = {
    "method must be one of 'delta'": of(FIT, "auc", method="exact"),
    "classes that do not overlap": of(APART, "auc", method="family"),
    "'far@crossing' must be a finite number": of(FIT, "far", at="crossing"),
    r"cells .* \(interval\)\. Take method=\"wald\"": conf_int(BETA.round(1), resolution=0.1),
    r"a \+ b <= 1e\+08": conf_int(0.3 + 1e-6 * stats.norm.ppf(BETA)),
    r"beyond an edge \(censor\)":
        conf_int(np.append(BETA, 0.0), boundary="censor", resolution=0.01),
    "wald\", or groups=False": br.fit(GROUPED, "normal").conf_int,
    "the client class must have at least 2 groups": br.fit(LONELY, "normal").joint_cov,
}  # fmt: skip
OF_DIFFERENCES = {
    "same test trials": gap(SCORES, br.Scores(CLIENT[1:], IMPOSTOR), "eer"),
    "must be a number; got -inf": gap(SCORES, SCORES, "threshold", far=1),
    "paired must be False of a summary": gap(SUMMARY, SUMMARY, "eer"),
    "'auc' must be of scores; got a summary": gap(SUMMARY, SUMMARY, "auc", paired=False),
    "got 1 client trials": lambda: br.auc_interval(br.Scores([1], [0, 2])),
    "client class .* 2 groups": lambda: br.auc_interval(two(client_groups=["x"] * 2)),
    "trials as independent": lambda: br.auc_interval(GROUPED, method="newcombe"),
    "a has 2 client scores, b 3": areas(br.Scores([1, 2, 3], [0, 1.5])),
    "1 of 2 client weights differ, first 1.0 and 2.0": areas(two(client_weights=[1, 2])),
    "1 of 2 client_ids differ, first 'y' and 'z' at index 1":
        areas(two(client_ids=["x", "z"]), two(client_ids=["x", "y"])),
    "as many columns of client_ids in a as in b":
        areas(two(client_ids=["x", "y"]), two(client_ids=[["x", "y"], ["x", "z"]])),
}  # fmt: skip
OF_GROUPS = {
    r"shape \(3,\) or \(3, 2\); got shape \(3, 3\)": grouped([[1, 2, 3]] * 3),
    r"Pass np.column_stack\(\(first, second\)\)": grouped(np.ones((2, 3))),
    "must be one-dimensional": grouped(np.zeros((3, 2, 1))),
    "one entry per score; got 2 for 3 scores": grouped([["a", "b"]] * 2),
    "the two columns of client_groups must be of one kind": grouped([["a", 1]] * 3),
    "no missing": grouped(HALF_KNOWN),
    "Did you mean 'claimed'": framed(group="claim"),
    "one column or two different": framed(group=("claimed", "real", "trial")),
    "Name each column once": framed(group=("real", "real")),
    "weight must name one column; got": framed(weight=("number", "label")),
    "1 of 3 impostor_groups differ, first 'b' and 'c' at": curves(list("abb"), list("acb")),
    "columns of impostor_groups in epc_a as in epc_b": curves(list("abb"), [["a", "b"]] * 3),
    '20 trials of 5 groups. Take method="delta"':
        far_band(GROUPED, resample="test", method="exact"),
    "got scores as dev and scores as test": far_band(SCORES, method="delta"),
    "client groups, 2; got 5.* groups that trials connect count as one": rings(26, 13),
    "client groups, 1; got 2": rings(30, 30, folds=2),
}  # fmt: skip
OF_TRIALS_WITHOUT_A_SCORE = {
    "a has 5 client trials without a score": gap(ABSENT, ABSENT, "eer"),
    "frr must be at least 0.0769231": lambda: empirical_model(ABSENT).at_frr(0.01),
    'on by how="guaranteed"; it is not':
        lambda: br.decide(ABSENT, frr=0.1, how="guaranteed", family="normal"),
    "frr=0.05 must be possible to decide on": lambda: br.decide(ABSENT, frr=0.05, family="normal"),
    "n_impostor_rejected must be 0 where there are groups":
        lambda: two(client_groups=["a", "b"], n_impostor_rejected=1),
    "a fused score is of trials that": lambda: br.inclusion({"a": ABSENT, "b": ABSENT}),
    'terms="matching" must be left out': lambda: ABSENT.confusion(0.5).summary("matching"),
    'terms="matching" must be left out where': lambda: br.analyze(ABSENT, terms="matching"),
    "'fmr' is of comparisons made, and here": lambda: br.epc(ABSENT, ABSENT, criterion="fmr"),
    "Name both alike": of(ABSENT, "fnmr@far=0.1"),
    "1 of 3 client_ids of a are there twice":
        gap(by_ids(["c0", "c0", "c2"]), by_ids(["c0", "c1", "c2", "c3", "c4"]), "eer"),
    "a has no score for 2, and 1 trials without one":
        gap(by_ids(["c0", "c1", "c2"]), by_ids(["c0", "c1", "c2", "c3", "c4"]), "eer"),
    "weights of trials without a score must be 1": lambda: br.Scores.from_labels(
        [1, 1, 0], [0.5, np.nan, 0.2], weights=[1, 3, 1], missing="reject"),
    "without a score have no mean and no variance": of(ABSENT, "client-mean"),
    "without a score have no mean": of(ABSENT, "d-prime"),
}  # fmt: skip
OF_COSTS = {
    "in .0, 1.; got scores from -2 to 2. Calibrate": lambda: br.decision_curve(LOGITS),
    "at least": lambda: br.decision_curve({}),
    "names of text": lambda: br.bayes_error_curve({1: LOGITS, "1": LOGITS}),
    "normalized must be False": lambda: br.decision_curve(SCORES).plot(normalized=True),
    r"lie in .*inf": lambda: br.bayes_error_curve(SCORES, [np.inf]),
    "probability must": lambda: br.decision_curve(SCORES, [0.5, 1.0]),
    "prior": lambda: br.decision_curve({"a": SCORES, "b": br.Scores([0.4], [0.2, 0.3])}),
    "no likelihood ratio": of(ABSENT, "cllr"),
    "must be of scores; got a summary": of(SUMMARY, "min-cllr"),
    "Calibrate them on other scores": of(LOGITS, "net-benefit", probability=0.2),
    "iapmr": of(two(impostor_strata=["a", "b"]), "iapmr", threshold=1),
}  # fmt: skip
OF_A_WRONG_TYPE = {
    "mapping of names": lambda: br.bayes_error_curve([SCORES, SCORES]),
    r"a pair \(y_true": of(np.zeros(3), "eer"),
    "whose numbers have none": of(PAIR, "eer"),
    "between must be two numbers": of(SCORES, "partial-auc", between=0.9),
    "Did you mean 'far'": of(FIT, "tpr", fars=0.1),
    "name or a function": of(FIT, 3),
    "must return one number": of(FIT, lambda m: [1, 2]),
    "x must be Scores, a ScoreSummary or a Fit": lambda: br.roc_band(SCORES.client),
    "must both be scores": gap(SCORES, FIT, "eer"),
    "integers or text; got dtype object": grouped([["a", None]] * 3),
    r"Pass text, such as \('claimed'": framed(group=["claimed", "real"]),
}  # fmt: skip
TABLES = (ASKED_WRONGLY, OF_FITS, OF_DIFFERENCES, OF_GROUPS, OF_TRIALS_WITHOUT_A_SCORE, OF_COSTS)


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")
@pytest.mark.parametrize(("words", "call", "error"), [
    *((*row, br.InputError) for table in TABLES for row in table.items()),
    *((*row, br.InputTypeError) for row in OF_A_WRONG_TYPE.items())])  # fmt: skip
def test_what_is_refused_says_why(words, call, error):
    with pytest.raises(error, match=words) as caught:
        call()
    assert len(str(caught.value)) <= 600


@pytest.mark.simulation
def test_a_text_with_its_point_is_the_name_with_the_keyword():
    fit = br.fit(SCORES)
    for text, point in (("threshold@eer", {"at": "eer"}), ("threshold@at=eer", {"at": "eer"}),
        ("partial-auc@between=0,0.5", {"between": (0, 0.5)})):  # fmt: skip
        name = text.partition("@")[0]
        assert br.interval(SCORES, text) == br.interval(SCORES, name, **point)
        assert fit.interval(text) == fit.interval(name, **point)
    one = br.difference(fit, fit, "frr@far=0.25", paired=False)
    assert one == br.difference(fit, fit, "frr", far=0.25, paired=False)
    planned = br.plan_sample_size("frr@far=0.25", model=PAIR, width=0.1)
    assert planned == br.plan_sample_size("frr", far=0.25, model=PAIR, width=0.1)


@pytest.mark.simulation
def test_a_number_that_is_not_there_is_told_with_its_reason(tmp_path, capsys):
    fit = br.fit(SCORES, "beta")
    own, crossing = "client distribution is Beta, with client-a, client-b", "at no threshold"
    for stat, words in (("client-mu", own), ("frr@crossing", crossing)):
        with pytest.raises(br.InputError, match=words):
            fit.interval(stat)
        with pytest.warns(br.BetarocWarning, match=f"{stat} has no value for 2 of 2.*{words}"):
            table = br.fit_many([SCORES, SCORES], family="beta", statistics=[stat])
        assert table[stat].isna().all()
    file = write(tmp_path / "scores.csv", CLIENT, IMPOSTOR)
    out = said(capsys, f"fit {file} --statistic client-mu")
    assert f"No interval of fitted client-mu: the {own}" in out
