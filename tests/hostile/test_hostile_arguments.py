"""What is given in the place of something else: every argument of every public function."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest

import betaroc as br
from helpers.cases import case, some
from helpers.hostile import OK, SCORES, NoRepr, Y, refused

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
    "curves of compare_systems": br.compare_systems,
    "a curve of compare_systems": lambda x: br.compare_systems({"a": x, "b": CURVE_B}),
    "scores of decide": lambda x: br.decide(x, far=0.1),
    "dev of analyze": lambda x: br.analyze(x, family="beta"),
    "x of interval": lambda x: br.interval(x, "auc"),
    "a of difference": lambda x: br.difference(x, TWO, "auc"),
    "f of check_fit": br.check_fit,
    "scores of compare_families": br.compare_families,
    "a of auc_test": lambda x: br.auc_test(x, TWO),
    "dev of epc_average": lambda x: br.epc_average(x, TWO),
    "scores of epc_cv": br.epc_cv,
    "fit of epc_forecast": lambda x: br.epc_forecast(x, n_client=20, n_impostor=20),
    "restricted of likelihood_ratio_test": lambda x: br.likelihood_ratio_test(x, FIT),
    "model of plan_sample_size": lambda x: br.plan_sample_size("auc", model=x, width=0.1),
    "x of roc_band": br.roc_band,
    "models of sample_systems": lambda x: br.sample_systems(x, 10, 10),
    "frame of from_frame": br.Scores.from_frame,
    "frame of fit_covariates": lambda x: br.fit_covariates(x, "z"),
    "frame of summarize": br.summarize,
    "frame of fit_many": br.fit_many,
    "text of from_json": br.from_json,
    "path of read_scores": br.read_scores,
    "client of ScoreModel": lambda x: br.ScoreModel(x, br.Beta(1, 2)),
    "base of Rejecting": lambda x: br.Rejecting(x, 0.1),
    "body of Spliced": br.Spliced,
    "components of BetaMixture": lambda x: br.BetaMixture((0.5, 0.5), x),
    "design of Study": lambda x: br.Study(x, ["fit.auc"], **NEVER),
    "check of a decision": DECISION.check,
}

#: Arguments that take a word, a number or a list of them: what is taken is named.
CHOICES = {
    "family": (lambda x: br.fit(TWO, x), set()),
    "stat of interval": (lambda x: br.interval(TWO, x), {"a class"}),
    "level": (lambda x: br.interval(TWO, "auc", level=x), set()),
    "method": (lambda x: br.interval(TWO, "auc", method=x), set()),
    "far": (lambda x: br.interval(TWO, "tpr", far=x), set()),
    "threshold": (lambda x: br.interval(TWO, "tpr", threshold=x), {"-1"}),
    "alpha of epc": (lambda x: br.epc(TWO, OTHER, alpha=x), {"a range"}),
    "criterion": (lambda x: br.epc(TWO, OTHER, criterion=x), set()),
    "measure": (lambda x: br.epc(TWO, OTHER, measure=x), set()),
    "paired": (lambda x: br.auc_test(TWO, OTHER, x), {"True"}),
    "replicates": (lambda x: CURVE.band(replicates=x), set()),
    "rng": (lambda x: CURVE.band(replicates=10, rng=x), {"digits"}),
    "how": (lambda x: br.decide(TWO, far=0.2, how=x), set()),
    "confidence": (lambda x: br.decide(TWO, far=0.2, confidence=x), set()),
    "region": (lambda x: br.inclusion(WIDE, region=x, family="normal"), set()),
    "systems": (lambda x: br.inclusion(WIDE, systems=x, family="normal"), {"texts"}),
    "formula": (lambda x: br.fit_covariates(FRAME, x), set()),
    "client_label": (lambda x: br.Scores.from_frame(FRAME, client_label=x), {"True"}),
    "weight": (lambda x: br.Scores.from_frame(FRAME, weight=x), set()),
    "bins": (lambda x: br.summarize(FRAME, bins=x), set()),
    "layout": (lambda x: br.summarize(FRAME, layout=x), {"a list"}),
    "groups": (lambda x: br.Scores(OK, OK, client_groups=x, impostor_groups=x), set()),
    "n_client_rejected": (lambda x: br.Scores(OK, OK, n_client_rejected=x), {"digits"}),
    "a": (lambda x: br.Beta(x, 1.0), set()),
    "sigma": (lambda x: br.Normal(0.0, x), set()),
    "edges": (lambda x: br.Binned(x, [1, 2]), set()),
    "weights": (lambda x: br.BetaMixture(x, (br.Beta(1, 2), br.Beta(2, 3))), set()),
    "size": (lambda x: br.Beta(2, 3).sample(x), {"nothing"}),
    "auc of solve_pair": (lambda x: br.solve_pair(auc=x, shapes=("U", "U")), set()),
    "statistics of Study": (lambda x: br.Study(MODEL, x, **NEVER), set()),
}


@pytest.mark.parametrize("entry", some(DATA, 4))
def test_what_is_no_data(entry):
    for name, junk in JUNK.items():
        if entry == "path of read_scores" and name == "an empty text":
            continue  # the working folder, which is refused as such in test_hostile_files
        with case(name):
            refused(partial(DATA[entry], junk), br.BetarocError)


@pytest.mark.parametrize("entry", some(CHOICES, 4))
def test_what_is_no_value_of_an_argument(entry):
    call, taken = CHOICES[entry]
    for name in JUNK.keys() - taken:
        with case(name):
            refused(partial(call, JUNK[name]), br.BetarocError)


@pytest.mark.parametrize(("call", "argument", "words"), [
    (lambda: FIT.conf_int(level=95), "level", ("95.0", "Did you mean 0.95?")),
    (lambda: CURVE.band(replicates=2.5), "replicates", ("int", "2.5")),
    (lambda: br.epc(TWO, OTHER, prior=30), "prior", ("mean 0.3?",)),
    (lambda: br.epc(TWO, OTHER, alpha=[0.1, 1.5]), "alpha", ("1 of 2", "index 1", "1.5")),
    (lambda: br.fit(br.Scores(np.r_[OK, 1.2], OK), "beta"), "client", ("1.2", "1 of 41")),
])  # fmt: skip
def test_what_a_message_says(call, argument, words):
    text = refused(call, br.InputError, *words)
    assert re.search(rf"(?<!\w){argument}", text), text
