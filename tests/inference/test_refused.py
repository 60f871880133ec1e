"""What is refused of numbers of scores and fits, and what is said of it: one table. Statistics
asked for by text, and numbers that are not there."""

import math
import pathlib
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import betaroc as br
from betaroc.cli import main
from betaroc.model.samples import empirical_model
from helpers.robust import robust_cov

CLIENT, IMPOSTOR = [k / 40 for k in range(12, 40)], [k / 40 for k in range(2, 30)]
SCORES, DEV = br.Scores(CLIENT, IMPOSTOR), br.Scores([-1, 0, 1, 3.0], [-3.0, -1, 0, 1])
#: Of equal shapes, mirrored: the EER is at 1/2, and the ROC crosses the diagonal at no threshold.
PAIR = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
OTHER = br.ScoreModel(br.Beta(3.0, 2.0), br.Beta(2.0, 4.0))
FIT, COUNTS, CURVE = br.fit(SCORES), br.fit(SCORES, "empirical"), br.epc(PAIR, SCORES)
WAVE = np.sin(np.arange(30)), np.cos(np.arange(30))
APART = br.fit(br.Scores(0.75 + 0.03 * WAVE[0], 0.25 + 0.03 * WAVE[1]))
FRAME = pd.DataFrame({"score": [0.9, 0.2, 0.4], "label": [1, 0, 0], "claimed": ["s1", "s1", "s2"],
    "real": ["s1", "s2", "s1"], "number": [1, 2, 3], "trial": ["t1", "t2", "t3"]})  # fmt: skip
HALF_KNOWN = pd.DataFrame({"a": [1, 2, None], "b": 1}).convert_dtypes()
SUMMARY = br.summarize(pd.DataFrame({"score": [*CLIENT, *IMPOSTOR], "label": [1] * 28 + [0] * 28}),
    bins=64)  # fmt: skip
TEN = np.arange(10.0)


def two(**given):
    """Two trials of each class."""
    return br.Scores([1, 2], [0, 1.5], **given)


def some_absent(clients, impostors, n=5, **given):
    """Scores beside trials without one."""
    rng = np.random.default_rng(3)
    return br.Scores(rng.beta(4, 2, clients), rng.beta(2, 4, impostors),
        n_client_rejected=n, **given)  # fmt: skip


def by_ids(ids):
    """Clients named c0, c1, ...; where fewer than five are named, one has no score."""
    return br.Scores(np.arange(len(ids)) + 3.0, [1, 2], client_ids=ids, impostor_ids=["i0", "i1"],
        n_client_rejected=int(len(ids) < 5), n_impostor_rejected=0)  # fmt: skip


def curve(groups):
    """The curve of five trials of which the impostors have these groups."""
    return br.epc(DEV, br.Scores([1.0, 2.0], [0.0, 1.5, 0.7], impostor_groups=groups), alpha=[0.5])


def rings(n, size):
    """Each person claims to be the next one of a ring of this size."""
    real = np.arange(n)
    claimed = size * (real // size) + (real + 1) % size
    return br.Scores(np.linspace(0.5, 2.0, n), np.linspace(-1.0, 1.0, n), client_groups=real,
        impostor_groups=np.column_stack((claimed, real)))  # fmt: skip


def far_curve(**given):
    return br.epc(DEV, br.Scores(TEN, TEN - 3.0, **given), alpha=[0.5], measure="far")


def refused(words, call, *given, error=br.InputError, **named):
    return pytest.param(partial(call, *given, **named), error, words, id=words[:40])


ABSENT = some_absent(60, 80)
ONE_GROUP, FIVE_GROUPS = np.zeros(10, int), 90 + np.arange(10) // 2
GROUPED = br.Scores(TEN, TEN - 3.0, client_groups=FIVE_GROUPS, impostor_groups=FIVE_GROUPS)
LONELY = br.Scores(TEN, TEN - 3.0, client_groups=ONE_GROUP, impostor_groups=FIVE_GROUPS)
CURVES = curve(["a", "b", "b"]), curve([["a", "a"], ["a", "b"], ["a", "b"]])
OBJECTS, TYPE = np.array([[1, 2]] * 3, dtype=np.uint64).astype(object), br.InputTypeError
BETA = np.random.default_rng(8).beta(2, 3, 30)
groups = partial(br.Scores, [1.0, 2.0, 3.0], [0.0])
frame = partial(br.Scores.from_frame, FRAME)
areas = partial(br.auc_test, two())
unpaired = partial(br.difference, paired=False)
same = partial(br.compare, replicates=2)

ASKED_WRONGLY = [refused("far=0.1. Leave", br.interval, SCORES, "tpr@far=0.1", far=0.1),
    refused("A rate has its name", br.interval, SCORES, "tpr@0.1"),
    refused("Did you mean 'auc'", br.interval, SCORES, "aucc@0.1"), refused("between must be",
    br.interval, SCORES, "partial-auc@between=0:0.1"), refused(r"br.statistics\(\) lists all",
    br.interval, SCORES, "zzzz"), refused(r"br.statistics\(\) lists numbers", br.plan_sample_size,
    "zzzz", model=PAIR, width=0.1), refused("taken at no point; got far=0.1",
    br.plan_sample_size, "side-at-zero@far=0.1", model=PAIR), refused(
    "must be 'delta' for 'auc' of two models; got 'delong'", br.plan_sample_size, "auc", model=(
    PAIR, OTHER), power=0.8, method="delong"), refused(r'br.interval\(scores, "eer"\)', br.interval,
    COUNTS, "eer", method="delta"), refused("read_scores", br.interval, pathlib.Path("a"), "eer",
    error=br.ScoreFileNotFoundError), refused(r"a pair \(y_true", br.interval, np.zeros(3), "eer",
    error=TYPE), refused("x must be Scores", br.interval, np.zeros(3), "eer", error=TYPE), refused(
    "Scores.from_frame", br.interval, pd.DataFrame(), "eer"), refused("whose numbers have none",
    br.interval, PAIR, "eer", error=TYPE), refused('or take method="test"', CURVE.interval,
    "area", method="both"), refused('or take resample="test"', CURVE.band, resample="both"),
    refused("between must be a fraction", CURVE.interval, "area", method="test", between=(10, 90)),
    refused("between must be", CURVE.interval, "area", method="test", between=0.9, error=TYPE),
    refused("what was asked for", br.interval, SCORES, "far", far=0.1),
    refused("must be of fitted distributions", br.interval, SCORES, "client-a"), refused(
    "method must be one of", br.interval, SCORES, "eer", method="delta"), refused("two or more",
    br.interval, br.Scores([1.0], [0, 2]), "d-prime"), refused("whole numbers of copies",
    br.interval, two(client_weights=[0.5, 1]), "eer"), refused("needs the scores themselves",
    br.interval, SUMMARY, "h-measure"), refused("needs the scores themselves", br.roc_band,
    SUMMARY, simultaneous=True), refused("must be Scores", br.roc_band, SCORES.client, error=TYPE),
    *(refused("two or more trials of each class", br.interval, br.Scores([0.5], [0.1, 0.6]), stat)
    for stat in ("partial-auc@between=0,0.1", "average-precision", "h-measure")),
    *(refused("two or more groups", br.interval, two(impostor_groups=["a", "a"]), stat)
    for stat in ("partial-auc@between=0,0.1", "average-precision", "h-measure")),
    *(refused("two or more groups of each class", br.interval, LONELY, stat)
    for stat in ("eer", "frr@threshold=0.5", "min-hter"))]  # fmt: skip
OF_FITS = [refused("got far=0.1, frr=0.1", FIT.interval, "tpr", far=0.1, frr=0.1),
    refused("Did you mean 'far'", FIT.interval, "tpr", fars=0.1, error=TYPE),
    refused("Did you mean 'level'", FIT.interval, "auc", levle=0.9, error=TYPE),
    refused("Did you mean 'eer'", FIT.interval, "tpr", at="ere"),
    refused("name or a function", FIT.interval, 3, error=TYPE), refused("method must be one of",
    FIT.interval, "auc", method="exact"), refused("far must", FIT.roc_band, far=[1.5]),
    refused("must have parameters to vary", COUNTS.interval, "auc", method="delta"),
    refused("classes that do not overlap", APART.interval, "auc", method="family"),
    refused("must return one number", FIT.interval, lambda m: "a", error=TYPE),
    refused("must return one number", FIT.interval, lambda m: [1, 2], error=TYPE),
    refused(r"two numbers, \(low, high\)", FIT.interval, "partial-auc", between=2, error=TYPE),
    refused("far must", FIT.interval, "tpr", far=[0.1, 0.2], error=(br.InputError, TYPE)),
    refused("finite number", FIT.interval, "far", at="crossing"), refused("NaN|nan",
    FIT.at_far, math.nan), refused("NaN|nan", FIT.at_frr, [0.1, math.nan]), refused("NaN|nan",
    FIT.roc_band, far=[0.1, math.nan]), refused("NaN|nan", FIT.interval, "tpr", far=math.nan),
    refused("method must be one of", br.fit_distribution(BETA).conf_int, method="bootstrap"),
    refused('Take method="wald"', br.fit_distribution(BETA.round(1), resolution=0.1).conf_int),
    refused(r"a \+ b <= 1e\+08", br.fit_distribution(0.3 + 1e-6 * stats.norm.ppf(BETA)).conf_int),
    refused(r'beyond an edge \(censor\)\. Take method="wald"', br.fit_distribution(np.append(BETA,
    0.0), boundary="censor", resolution=0.01).conf_int), refused("groups=False", br.fit(GROUPED,
    "normal").conf_int), refused("got family 'empirical'", robust_cov, br.fit_distribution(BETA,
    "empirical"), BETA), refused("the client class must have at least 2 groups",
    br.fit(LONELY, "normal").joint_cov)]  # fmt: skip
OF_DIFFERENCES = [refused("one kind", br.difference, SCORES, FIT, "eer", error=TYPE),
    refused("same test trials", br.difference, SCORES, br.Scores(CLIENT[1:], IMPOSTOR), "eer"),
    refused("fitted distributions", br.difference, SCORES, SCORES, "client-a"),
    refused("must be a number; got -inf", br.difference, SCORES, SCORES, "threshold", far=1),
    refused("method must be one of 'delong', 'bootstrap'", br.difference, SCORES, SCORES, "auc",
    method="newcombe"), refused("must be False of a summary.* a is one", br.difference, SUMMARY,
    SUMMARY, "eer"), refused("needs the scores themselves", unpaired, SUMMARY, SUMMARY, "auc"),
    refused("needs the scores themselves", unpaired, SUMMARY, SUMMARY, "h-measure"),
    refused("two or more groups", unpaired, two(client_groups=["a", "a"]), SCORES, "eer"),
    refused("method must be one of", br.auc_interval, SCORES, method="hanley"),
    refused("must be Scores; got list", br.auc_interval, [1, 2], error=TYPE),
    refused("got 1 client trials", br.auc_interval, br.Scores([1], [0, 2])),
    refused("at least 2 groups", br.auc_interval, two(client_groups=["x", "x"])),
    refused("at least 2 groups", br.auc_interval, br.Scores([3, 4], [1, 2], client_groups=[0, 0])),
    refused("trials as independent", br.auc_interval, GROUPED, method="newcombe"),
    refused("a has 2 client scores, b 3", areas, br.Scores([1, 2, 3], [0, 1.5])), refused(
    "1 of 2 client weights differ, first 1.0 and 2.0 at index 1", areas, two(client_weights=[1,
    2])), refused("1 of 2 client_ids differ, first 'y' and 'z' at index 1", br.auc_test, two(
    client_ids=["x", "y"], impostor_ids=[1, 2]), two(client_ids=["x", "z"], impostor_ids=[1, 2])),
    refused(r"1 of 2 impostor_ids differ, first \['x', 'z'\] and \['q', 'z'\] at in", br.auc_test,
    two(impostor_ids=[["x", "y"], ["x", "z"]]), two(impostor_ids=[["x", "y"], ["q", "z"]])),
    refused("as many columns of client_ids in a as in b", br.auc_test,
    two(client_ids=["x", "y"]), two(client_ids=[["x", "y"], ["x", "z"]]))]  # fmt: skip
OF_GROUPS = [refused(r"shape \(3,\) or \(3, 2\); got shape \(3, 3\)", groups,
    client_groups=[[1, 2, 3]] * 3), refused(r"Pass np.column_stack\(\(first, second\)\)",
    groups, client_groups=(np.arange(3), np.arange(3))), refused("Pass np.column_stack",
    groups, client_groups=np.ones((2, 3))), refused("must be one-dimensional", groups,
    client_groups=np.zeros((3, 2, 1))), refused("one entry per score; got 2 for 3 scores", groups,
    client_groups=[["a", "b"]] * 2), refused("the two columns of client_groups must be of one kind",
    groups, client_groups=[["a", 1]] * 3), refused("integers or text; got dtype object",
    groups, client_groups=[["a", None]] * 3, error=TYPE), refused("got dtype float64", groups,
    client_groups=np.ones((3, 2)), error=TYPE), refused("must be integers or text", groups,
    client_groups=OBJECTS, error=TYPE), refused("no missing", groups, client_groups=HALF_KNOWN),
    refused("Did you mean 'claimed'", frame, group="claim"), refused("Did you mean 'real'", frame,
    group=("claimed", "reel")), refused("one column or two different", frame, group=("claimed",
    "real", "trial")), refused("Name each column once", frame, group=("real", "real")),
    refused(r"Pass text, such as \('claimed'", frame, group=["claimed", "real"], error=TYPE),
    refused("weight must name one column; got", frame, weight=("number", "label")),
    refused("must be of one kind", frame, group=("claimed", "number")),
    refused("column 'real' must have no missing .* rows 1 ", br.Scores.from_frame,
    FRAME.assign(real=["s1", None, "s1"]), group=("claimed", "real")),
    refused("1 of 3 impostor_groups differ, first 'b' and 'c' at", same, CURVES[0],
    curve(["a", "c", "b"])), refused("of impostor_groups in epc_a as in epc_b", same, *CURVES),
    refused(r"first \['a', 'b'\] and \['a', 'c'\] at index 1", same, CURVES[1], curve([["a", "a"],
    ["a", "c"], ["a", "b"]])), refused('20 trials of 5 groups. Take method="delta"',
    far_curve(client_groups=FIVE_GROUPS, impostor_groups=FIVE_GROUPS).band, resample="test",
    method="exact"), refused("got scores as dev and scores as test", far_curve().band,
    method="delta"), refused("the impostor class must have at least 2 groups",
    far_curve(impostor_groups=ONE_GROUP).band, resample="test", method="delta"),
    refused(r"client groups, 2; got 5\. .* groups that trials connect count as one", br.epc_cv,
    rings(26, 13)), refused(r"client groups, 1; got 2\. .* groups that trials connect", br.epc_cv,
    rings(30, 30), folds=2)]  # fmt: skip
FIVE = by_ids(["c0", "c1", "c2", "c3", "c4"])
MATCHING = 'terms="matching" must be left out where trials without a score count as rejected'
OF_TRIALS_WITHOUT_A_SCORE = [refused("a has 5 client trials without a score", br.difference, ABSENT,
    ABSENT, "eer"), refused("a has 5 client trials without a score", br.auc_test, ABSENT, ABSENT),
    refused("frr must be at least 0.0769231", empirical_model(ABSENT).at_frr, 0.01),
    refused('on by how="guaranteed"; it is not', br.decide, ABSENT, frr=0.1,
    how="guaranteed", family="normal"),
    refused("must be possible to decide on; it is not", br.decide, ABSENT, frr=0.05,
    family="normal"),
    refused("n_impostor_rejected must be 0 where there are groups", two, client_groups=["a", "b"],
    n_impostor_rejected=1), refused("a fused score is of trials that", br.inclusion,
    {"a": ABSENT, "b": ABSENT}), refused(MATCHING, br.analyze, ABSENT, terms="matching"),
    refused(MATCHING, ABSENT.confusion(0.5).summary, "matching"), refused(MATCHING,
    empirical_model(ABSENT).roc().plot, terms="matching"), refused(MATCHING, br.epc(ABSENT, SCORES,
    alpha=[0.5]).plot, terms="matching"), refused("of comparisons made, and here", br.analyze,
    ABSENT, statistics="fmr@threshold=0.5"), refused("of comparisons made, and here", br.epc,
    ABSENT, ABSENT, criterion="fmr", alpha=[0.1]), refused("Name both alike", br.interval, ABSENT,
    "fnmr@far=0.1"), refused("Name both alike", br.fit(ABSENT, "normal").interval, "fmr", frr=0.2),
    refused("1 of 3 client_ids of a are there twice", br.difference, by_ids(["c0", "c0", "c2"]),
    FIVE, "eer"), refused("a has no score for 2, and 1 trials without one", br.difference,
    by_ids(["c0", "c1", "c2"]), FIVE, "eer"), refused("weights of trials without a score must be 1",
    br.Scores.from_labels, [1, 1, 0], [0.5, np.nan, 0.2], weights=[1, 3, 1], missing="reject"),
    refused("n_client_rejected must be an int >= 0; got -1", two, n_client_rejected=-1), refused(
    "got 0.5. Did you mean 0?", two, n_client_rejected=0.5), refused("values must be finite",
    br.Empirical, [-np.inf]), *(refused("without a score have no mean and no variance", br.interval,
    ABSENT, stat) for stat in ("client-mean", "client-var", "d-prime"))]  # fmt: skip


@pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")
@pytest.mark.parametrize(("call", "error", "words"), [*ASKED_WRONGLY, *OF_FITS, *OF_DIFFERENCES,
    *OF_GROUPS, *OF_TRIALS_WITHOUT_A_SCORE])  # fmt: skip
def test_what_is_refused_says_why(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert 0 < len(str(caught.value)) <= 600


@pytest.mark.simulation
def test_a_text_with_its_point_is_the_name_with_the_keyword():
    fit = br.fit(SCORES)
    points = [("frr@far=0.25", {"far": 0.25}),
        ("threshold@eer", {"at": "eer"}), ("threshold@at=eer", {"at": "eer"}),
        ("partial-auc@between=0,0.5", {"between": (0, 0.5)})]  # fmt: skip
    for text, point in points:
        name, own = text.partition("@")[0], {"replicates": 50, "rng": 1}
        assert br.interval(SCORES, text, **own) == br.interval(SCORES, name, **point, **own)
        assert fit.interval(text) == fit.interval(name, **point)
        assert br.difference(fit, fit, text, paired=False) == br.difference(fit, fit, name,
            paired=False, **point)  # fmt: skip
        if "at" not in point and "between" not in point:  # areas take seconds to plan
            planned = br.plan_sample_size(text, model=PAIR, width=0.1)
            assert planned == br.plan_sample_size(name, model=PAIR, width=0.1, **point)
    gap = br.plan_sample_size("epc-gap@alpha=0.2", model=PAIR, width=0.1)
    assert gap == br.plan_sample_size("epc-gap", model=PAIR, width=0.1, alpha=0.2)


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
    file = tmp_path / "scores.csv"
    rows = [*(f"{x},1" for x in CLIENT), *(f"{x},0" for x in IMPOSTOR)]
    file.write_text("\n".join(["score,label", *rows]), encoding="utf-8")
    assert main(["fit", str(file), "--statistic", "client-mu"]) in (0, None)
    assert f"No interval of fitted client-mu: the {own}" in capsys.readouterr().out
