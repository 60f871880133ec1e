"""What is given in the place of something else: every argument of every public function."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest

import betaroc as br
from helpers.cases import case
from helpers.hostile import OK, SCORES, NoRepr, Y, refused, spoken

TWO = br.Scores(OK, SCORES[Y == 0])
OTHER = br.Scores(OK[::-1] * 0.99, SCORES[Y == 0] * 0.98)
MODEL = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5))
FIT = br.fit(TWO, "beta")
DECISION = br.decide(TWO, far=0.2, how="average")
CURVE, CURVE_B = br.epc(TWO, OTHER, alpha=[0.3, 0.5]), br.epc(OTHER, TWO, alpha=[0.3, 0.5])
FRAME = pd.DataFrame({"score": SCORES, "label": Y, "z": SCORES[::-1], "system": "a"})
WIDE = pd.DataFrame({"a": SCORES, "b": SCORES**2, "label": Y})
NEVER = {"folder": "never-made"}


#: What is none of the things that are asked for.
JUNK = {
    "an object": object(), "a list": [1.0, 2.0], "nothing": [], "a dict": {"a": 1},
    "a frame": pd.DataFrame({"q": [1.0]}), "bytes": b"x", "no repr": NoRepr(), "a class": dict,
    "a matrix": np.ones((2, 2)), "masked": np.ma.masked_array([1.0, 2.0], [1, 0]), "complex": 1j,
    "digits": 10**5000, "nested": [[1], [2]], "texts": ("a", "b"), "a long text": "x" * 1000,
    "an empty text": "", "a NUL": "a\0b", "a newline": "a\nb", "NaN": float("nan"), "-1": -1,
    "inf": float("inf"), "True": True, "a range": range(2), "a set": {1},
}  # fmt: skip

#: Arguments that take data: whatever stands above is refused. None where it is a choice.
DATA = {
    "scores of fit": br.fit,
    "dev of epc": lambda x: br.epc(x, TWO),
    "test of epc": lambda x: br.epc(TWO, x),
    "epc_a of compare": lambda x: br.compare(x, CURVE),
    "epc_b of compare": lambda x: br.compare(CURVE, x),
    "curves of compare_systems": br.compare_systems,
    "a curve of compare_systems": lambda x: br.compare_systems({"a": x, "b": CURVE_B}),
    "scores of decide": lambda x: br.decide(x, far=0.1),
    "dev of analyze": lambda x: br.analyze(x, family="beta"),
    "test of analyze": lambda x: br.analyze(TWO, x, family="beta"),
    "x of interval": lambda x: br.interval(x, "auc"),
    "a of difference": lambda x: br.difference(x, TWO, "auc"),
    "b of difference": lambda x: br.difference(TWO, x, "auc"),
    "f of check_fit": br.check_fit,
    "scores of compare_families": br.compare_families,
    "scores of auc_interval": br.auc_interval,
    "a of auc_test": lambda x: br.auc_test(x, TWO),
    "b of auc_test": lambda x: br.auc_test(TWO, x),
    "dev of epc_average": lambda x: br.epc_average(x, TWO),
    "scores of epc_cv": br.epc_cv,
    "fit of epc_forecast": lambda x: br.epc_forecast(x, n_client=20, n_impostor=20),
    "restricted of likelihood_ratio_test": lambda x: br.likelihood_ratio_test(x, FIT),
    "general of likelihood_ratio_test": lambda x: br.likelihood_ratio_test(FIT, x),
    "model of plan_sample_size": lambda x: br.plan_sample_size("auc", model=x, width=0.1),
    "x of roc_band": br.roc_band,
    "models of sample_systems": lambda x: br.sample_systems(x, 10, 10),
    "frame of from_frame": br.Scores.from_frame,
    "frame of fit_covariates": lambda x: br.fit_covariates(x, "z"),
    "frame of summarize": br.summarize,
    "frame of fit_many": br.fit_many,
    "frame of inclusion": br.inclusion,
    "text of from_json": br.from_json,
    "path of read_scores": br.read_scores,
    "client of ScoreModel": lambda x: br.ScoreModel(x, br.Beta(1, 2)),
    "base of Inflated": lambda x: br.Inflated(x, 0.1, 0.0),
    "base of Shifted": lambda x: br.Shifted(x, 0.1),
    "base of Rejecting": lambda x: br.Rejecting(x, 0.1),
    "body of Spliced": br.Spliced,
    "components of BetaMixture": lambda x: br.BetaMixture((0.5, 0.5), x),
    "design of Study": lambda x: br.Study(x, ["fit.auc"], **NEVER),
    "check of a decision": DECISION.check,
}

#: Arguments that take a word, a number or a list of them: what is taken is named.
CHOICES = {
    "family": (lambda x: br.fit(TWO, x), set()),
    "boundary": (lambda x: br.fit(TWO, boundary=x), set()),
    "resolution": (lambda x: br.fit(TWO, resolution=x), set()),
    "components": (lambda x: br.fit(TWO, "beta-mixture", components=x), set()),
    "tails": (lambda x: br.fit(TWO, "beta", tails=x), set()),
    "families": (lambda x: br.compare_families(TWO, x), set()),
    "stat of interval": (lambda x: br.interval(TWO, x), {"a class"}),
    "level": (lambda x: br.interval(TWO, "auc", level=x), set()),
    "method": (lambda x: br.interval(TWO, "auc", method=x), set()),
    "far": (lambda x: br.interval(TWO, "tpr", far=x), set()),
    "threshold": (lambda x: br.interval(TWO, "tpr", threshold=x), {"-1"}),
    "at": (lambda x: br.interval(TWO, "tpr", at=x), set()),
    "between": (lambda x: br.interval(TWO, "partial-auc", between=x), set()),
    "alpha of interval": (lambda x: br.interval(TWO, "weighted-error", alpha=x), set()),
    "alpha of epc": (lambda x: br.epc(TWO, OTHER, alpha=x), {"a range"}),
    "criterion": (lambda x: br.epc(TWO, OTHER, criterion=x), set()),
    "measure": (lambda x: br.epc(TWO, OTHER, measure=x), set()),
    "prior": (lambda x: br.epc(TWO, OTHER, prior=x), set()),
    "replicates": (lambda x: CURVE.band(replicates=x), set()),
    "rng": (lambda x: CURVE.band(replicates=10, rng=x), {"digits"}),
    "folds": (lambda x: br.epc_cv(TWO, folds=x), set()),
    "how": (lambda x: br.decide(TWO, far=0.2, how=x), set()),
    "confidence": (lambda x: br.decide(TWO, far=0.2, confidence=x), set()),
    "cost_fa": (lambda x: br.decide(TWO, cost_fa=x, cost_fr=1.0), set()),
    "region": (lambda x: br.inclusion(WIDE, region=x, family="normal"), set()),
    "systems": (lambda x: br.inclusion(WIDE, systems=x, family="normal"), {"texts"}),
    "formula": (lambda x: br.fit_covariates(FRAME, x), set()),
    "score": (lambda x: br.Scores.from_frame(FRAME, score=x), set()),
    "label": (lambda x: br.Scores.from_frame(FRAME, label=x), set()),
    "client_label": (lambda x: br.Scores.from_frame(FRAME, client_label=x), {"True"}),
    "group": (lambda x: br.Scores.from_frame(FRAME, group=x), set()),
    "weight": (lambda x: br.Scores.from_frame(FRAME, weight=x), set()),
    "bins": (lambda x: br.summarize(FRAME, bins=x), set()),
    "layout": (lambda x: br.summarize(FRAME, layout=x), {"a list"}),
    "groups": (lambda x: br.Scores(OK, OK, client_groups=x, impostor_groups=x), set()),
    "ids": (lambda x: br.Scores(OK, OK, client_ids=x), set()),
    "n_client_rejected": (lambda x: br.Scores(OK, OK, n_client_rejected=x), {"digits"}),
    "a": (lambda x: br.Beta(x, 1.0), set()),
    "mu": (lambda x: br.Normal(x, 1.0), {"-1"}),
    "sigma": (lambda x: br.Normal(0.0, x), set()),
    "at_zero": (lambda x: br.Inflated(br.Beta(2, 3), x), set()),
    "edges": (lambda x: br.Binned(x, [1, 2]), set()),
    "counts": (lambda x: br.Binned([0.0, 0.5, 1.0], x), {"a list", "a range"}),
    "weights": (lambda x: br.BetaMixture(x, (br.Beta(1, 2), br.Beta(2, 3))), set()),
    "size": (lambda x: br.Beta(2, 3).sample(x), {"nothing"}),
    "positive": (lambda x: MODEL.roc(x), set()),
    "auc of solve_pair": (lambda x: br.solve_pair(auc=x, shapes=("U", "U")), set()),
    "statistics of fit_many": (lambda x: br.fit_many(FRAME, statistics=x), {"nothing"}),
    "statistics of Study": (lambda x: br.Study(MODEL, x, **NEVER), set()),
}


@pytest.mark.parametrize("entry", DATA)
def test_what_is_no_data(entry):
    for name, junk in JUNK.items():
        if entry == "path of read_scores" and name == "an empty text":
            continue  # the working folder, which is refused as such in test_hostile_files
        with case(name):
            refused(partial(DATA[entry], junk), br.BetarocError)


@pytest.mark.parametrize("entry", CHOICES)
def test_what_is_no_value_of_an_argument(entry):
    call, taken = CHOICES[entry]
    for name, junk in JUNK.items():
        if name in taken:
            continue
        with case(name):
            refused(partial(call, junk), br.BetarocError)


INPUT, TYPE = br.InputError, br.InputTypeError
ARGUMENTS = {
    "E10 no alpha": (lambda: br.epc(TWO, OTHER, alpha=[]), INPUT, "alpha", ("(0,)",)),
    "E10 an alpha of 1.5": (lambda: br.epc(TWO, OTHER, alpha=[0.1, 1.5]), INPUT, "alpha",
        ("1 of 2", "index 1", "1.5")),
    "E10 an alpha of NaN": (lambda: br.epc(TWO, OTHER, alpha=[0.1, np.nan]), INPUT, "alpha",
        ("1 of 2", "index 1")),
    "E10 an alpha below 0": (lambda: br.epc(TWO, OTHER, alpha=-1e-9), INPUT, "alpha", ("-1e-09",)),
    "E11 95": (lambda: FIT.conf_int(level=95), INPUT, "level", ("95.0", "Did you mean 0.95?")),
    "E11 95 of a band": (lambda: CURVE.band(level=95), INPUT, "level", ("Did you mean 0.95?",)),
    "E11 95 of compare": (lambda: br.compare(CURVE, CURVE_B, level=95), INPUT, "level",
        ("Did you mean 0.95?",)),
    "E11 99.9": (lambda: br.interval(TWO, "auc", level=99.9), INPUT, "level", ("0.999",)),
    "E11 1": (lambda: br.roc_band(TWO, level=1), INPUT, "level", ("1.0", "strictly")),
    "E11 0": (lambda: br.auc_interval(TWO, 0), INPUT, "level", ("0.0",)),
    "E11 a confidence of 95": (lambda: br.decide(TWO, far=0.2, confidence=95), INPUT, "confidence",
        ("0.95",)),
    "E11 text": (lambda: br.auc_interval(TWO, "0.95"), TYPE, "level", ("'0.95'", "str")),
    "E14 0": (lambda: CURVE.band(replicates=0), INPUT, "replicates", (">= 1", "0")),
    "E14 -5": (lambda: CURVE.band(replicates=-5), INPUT, "replicates", ("-5",)),
    "E14 2.5": (lambda: CURVE.band(replicates=2.5), INPUT, "replicates", ("int", "2.5")),
    "E14 999.0": (lambda: CURVE.band(replicates=999.0), INPUT, "replicates", ("mean 999?",)),
    "E14 True": (lambda: CURVE.band(replicates=True), TYPE, "replicates", ("True",)),
    "E14 of check_fit": (lambda: br.check_fit(FIT, replicates=0), INPUT, "replicates", ("0",)),
    "E14 of interval": (lambda: br.interval(TWO, "eer", replicates=0), INPUT, "replicates",
        (">= 1",)),
    "E14 of a test": (lambda: br.likelihood_ratio_test(FIT, FIT, replicates=0), INPUT, "replicates",
        ("0",)),
    "E15 a prior of 1.2": (lambda: br.epc(TWO, OTHER, prior=1.2), INPUT, "prior", ("1.2",)),
    "E15 a prior of 30": (lambda: br.epc(TWO, OTHER, prior=30), INPUT, "prior", ("mean 0.3?",)),
    "E15 of a model": (lambda: br.ScoreModel(br.Beta(1, 2), br.Beta(2, 1), prior=-0.1), INPUT,
                       "prior", ("-0.1",)),
    "E15 a cost below 0": (lambda: br.decide(TWO, cost_fa=-1, cost_fr=1), INPUT, "cost_fa",
        ("-1",)),
    "E15 costs of 0": (lambda: br.decide(TWO, cost_fa=0, cost_fr=0), INPUT, "cost_f", ()),
    "E15 one cost": (lambda: br.decide(TWO, cost_fa=1), INPUT, "cost_fr", ("both",)),
    "E15 a cost of NaN": (lambda: br.decide(TWO, cost_fa=np.nan, cost_fr=1), INPUT, "cost_fa",
        ("nan",)),
    "E15 dcf": (lambda: MODEL.min_dcf(cost_fa=-1), INPUT, "cost_fa", ("-1",)),
    "a target of 5": (lambda: br.decide(TWO, far=5), INPUT, "far", ("5.0", "0.05")),
    "a target of 0": (lambda: br.decide(TWO, far=0), INPUT, "far", ("0",)),
    "two targets": (lambda: br.decide(TWO, far=0.1, frr=0.1), INPUT, "far", ()),
    "no target": (lambda: br.decide(TWO), INPUT, "far", ()),
    "a range upside down": (lambda: br.interval(TWO, "partial-auc", between=(0.2, 0.1)), INPUT,
        "between", ("0.2",)),
    "F14 more hits than trials": (lambda: br.Scores([0.5], [0.5], n_client_rejected=-1), INPUT,
        "n_client_rejected", ("-1",)),
    "F14 a rate of a class that is empty": (lambda: br.Scores([], [0.5]), INPUT, "client", ()),
    "A05 one above 1": (lambda: br.fit(br.Scores(np.r_[OK, 1.2], OK), "beta"), INPUT, "client",
        ("1.2", "1 of 41", "indices 40")),
    "A05 one below 0": (lambda: br.fit(br.Scores(OK, np.r_[-1e-9, OK]), "beta"), INPUT, "impostor",
        ("-1e-09",)),
    "A06 per cent": (lambda: br.fit(br.Scores(OK * 100, OK * 60), "beta"), INPUT, "client",
        ("100",)),
    "A06 of one class": (lambda: br.fit_distribution(OK * 100, "beta"), INPUT, "sample",
        ("100", "40 of 40")),
    "A19 log odds": (lambda: br.fit(br.Scores(np.log(OK / (1 - OK)), -OK), "beta"), INPUT, "client",
        ("normal",)),
    "A19 logit-normal": (lambda: br.fit(br.Scores(OK * 3, OK), "logit-normal"), INPUT, "client",
        ()),
}  # fmt: skip


@pytest.mark.parametrize("group", sorted({name[:3] for name in ARGUMENTS}))
def test_arguments_that_cannot_be(group):
    for name, (call, error, argument, words) in ARGUMENTS.items():
        if name.startswith(group):
            with case(name):
                text = refused(call, error, *words)
                assert re.search(rf"(?<!\w){argument}", text), text


IMPOSSIBLE = {
    "A09 all rounded to 1": lambda: br.fit_distribution(np.ones(20), "beta"),
    "A13 beyond 1e12": lambda: br.fit_distribution(0.3 + 1e-13 * np.arange(20), "beta"),
    "A14 nearly equal": lambda: br.fit_distribution([0.5, 0.5, 0.5000001], "beta"),
    "C02 one score": lambda: br.fit_distribution([0.4], "beta"),
    "C02 equal scores": lambda: br.fit_distribution([0.4] * 5, "normal"),
    "F19 stops early": lambda: br.fit_distribution([0.4] * 5, "logit-normal"),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
@pytest.mark.filterwarnings("ignore::betaroc.core.errors.SmallSampleWarning")
@pytest.mark.filterwarnings("ignore::betaroc.core.errors.BoundaryWarning")
@pytest.mark.filterwarnings("ignore::betaroc.core.errors.InfluenceWarning")
def test_where_no_estimate_is(name):
    """An error that says so, or an estimate that converged with a + b at most 1e12."""
    try:
        found = IMPOSSIBLE[name]()
    except br.FitError as error:
        spoken(error, "sample")
        return
    assert found.converged
    assert sum(found.params.values()) <= 1e12


def test_paths_of_documents(tmp_path):
    for bad in (tmp_path, tmp_path / "none.json", "\0", "x" * 5000):
        refused(partial(br.from_json, bad), br.BetarocError)
