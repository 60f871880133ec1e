"""What curves, comparisons, decisions and forecasts refuse: the call, its arguments, the words."""

import dataclasses
import math
from functools import partial

import numpy as np
import pytest

import betaroc as br
from helpers.sets import summary_of

pytestmark = pytest.mark.filterwarnings("ignore::betaroc.core.errors.BetarocWarning")
RNG = np.random.default_rng(28)


def draw(n, m, **more):
    return br.Scores(RNG.beta(6, 2, n), RNG.beta(2, 8, m), **more)


DEV, TEST, MANY = draw(30, 40), draw(25, 35), draw(300, 1000)
FEW = br.Scores([1.0, 2.0, 3.0], [0.0, 0.5, 1.5, 2.5])
GROUPED = br.Scores([1.0, 2.0, 3.0], [0.0, 0.5, 1.5, 2.5], client_groups=["a", "a", "b"])
EMPTY_FOLD = br.Scores([1.0, 2.0, 3.0], [0.0, 0.5], client_weights=[1.0, 0.0, 1.0])
HALVES = br.Scores([2.0, 3.0], [0.5, 1.0], impostor_weights=[1.0, 0.5])
THIRDS = br.Scores([2.0, 3.0, 4.0], [0.0, 1.0, 2.5], client_weights=[0.5, 1.0, 1.0])
PLAIN, LINE = br.Scores([2.0, 3.0], [0.5, 1.0]), br.Scores([50.0, 98.0, 99.5], np.arange(100.0))
STRATA = draw(50, 50, impostor_strata=["a"] * 25 + ["b"] * 25)
HALF = {"precision": 0.9, "prior": 0.5}
MODEL = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
NORMAL = br.ScoreModel(br.Normal(1.5, 1.0), br.Normal(0.0, 1.0))
MASSES = br.ScoreModel(br.Inflated(br.Beta(2.0, 1.0), at_one=0.1), br.Beta(1.0, 2.0))
FIT = br.fit(draw(40, 40))
STRANGE = dataclasses.replace(FIT, client=dataclasses.replace(FIT.client, names=("p", "q")))
BROKEN = dataclasses.replace(FIT,
    impostor=dataclasses.replace(FIT.impostor, cov=np.diag([math.inf, 1.0])))  # fmt: skip
COARSE, FINE = br.epc(DEV, TEST, alpha=[0.1, 0.3, 0.5, 0.7, 0.9]), br.epc(DEV, TEST)
POINT = br.epc(DEV, TEST, criterion="eer")
SUMMARY = summary_of(TEST)
OTHER = br.epc(DEV, TEST, measure="far", alpha=[0.1, 0.3, 0.5, 0.7, 0.9])
OF_FIT = br.epc(DEV, FIT)


def band(dev, test, **options):
    return br.epc(dev, test, alpha=[0.2, 0.5]).band(**options)


def proportion(curve, *alpha, resample="both"):
    return br.compare(curve, curve, resample=resample, replicates=5, rng=1).proportion_test(*alpha)


def replaced(**wrong):
    return dataclasses.replace(br.decide(MANY, far=0.1, family="beta"), **wrong)


epc = partial(br.epc, DEV, TEST)
decide, guarantee = partial(br.decide, MANY), partial(br.decide, LINE, how="guaranteed")
forecast = partial(br.epc_forecast, NORMAL, n_client=5, n_impostor=5)
average = partial(br.epc_average, MODEL, MODEL)
systems = br.compare_systems
ROWS = [
    # --- curves
    (epc, (), {"criterion": "weighted-eror"}, "weighted-error"),
    (epc, (), {"criterion": "far", "measure": "weighted-error"}, "whose alpha it shares"),
    (epc, (), {"criterion": "eer", "alpha": [0.5]}, "has no alpha"),
    (COARSE.interval, ("value",), {}, "alpha must be given"),
    (COARSE.interval, ("value",), {"alpha": 0.31}, "nearest is 0.3"),
    (COARSE.interval, ("area",), {"alpha": 0.3}, "takes between= and nothing else"),
    (COARSE.interval, ("area",), {"between": (0.5, 0.95)}, "low and high must satisfy"),
    (br.difference, (COARSE, OTHER, "area"), {}, "must have one measure"),
    # --- bands
    (FINE.band, (), {"method": "delta"}, 'dev and scores as test. Take method="bootstrap" or'),
    (FINE.band, (), {"method": "exact", "resample": "test"}, "a measure that is one rate"),
    (FINE.band, (), {"replicates": 2**28 // 101 + 1}, "at most 2657776 for 101 alphas, a"),
    (band, (PLAIN, HALVES), {"resample": "test"}, "index 1: 0.5. Leave the test impostor"),
    (band, (HALVES, PLAIN), {}, "dev impostor weights"),
    (band, (DEV, MODEL), {"resample": "test"}, "Give Scores, or br.fit of them, as test of epc."),
    (band, (MODEL, FIT), {}, 'br.fit of them, as dev of epc or take resample="test"'),
    (band, (FIT, TEST), {"method": "delta"}, "got a fit as dev and scores as test"),
    (band, (DEV, MODEL), {"method": "delta"}, "needs fits on both sides: a choice among scores"),
    (OF_FIT.band, (), {"method": "exact", "resample": "test"}, "'delta' where test is a fit"),
    (band, (MODEL, STRANGE), {"resample": "test"}, "got p, q of the client family 'beta'"),
    (band, (MODEL, BROKEN), {"resample": "test"}, "finite covariance to vary"),
    # --- audits, averages and folds
    (br.audit, (DEV, TEST, "frr"), {}, "criterion must be given for 'frr'"),
    (br.audit, (DEV, TEST, "frr"), {"criterion": "far"}, "alpha must be given for 'far'"),
    *((br.mean_curve, (curves,), {}, "two or more Scores, or two or more Epc")
        for curves in ([FEW], [FEW, COARSE], FEW)),
    (average, (), {"low": 0.5, "high": 0.5}, "low must be less than high; got low=0.5, high=0.5"),
    (br.epc_average, (MODEL, TEST), {"replicates": 5}, "dev must be scores"),
    (br.epc_average, (DEV, THIRDS), {"replicates": 5}, "whole numbers of copies"),
    (br.epc_cv, (FEW,), {"folds": 4}, "at most the number of client scores, 3; got 4"),
    (br.epc_cv, (GROUPED,), {"folds": 3}, "at most the number of client groups, 2; got 3"),
    (br.epc_cv, (EMPTY_FOLD,), {"folds": 2}, "weights must have a sum > 0; got 0"),
    # --- comparisons
    (br.compare, (COARSE, br.epc(DEV, SUMMARY, alpha=COARSE.alpha)), {},
        "the test side of epc_b is a summary"),
    (proportion, (POINT, 0.3), {}, "alpha must be left out: criterion 'eer' has none"),
    (proportion, (COARSE,), {}, "alpha must be given: the curve has 5"),
    *((proportion, (br.epc(DEV, TEST, measure=name, alpha=[0.5]), 0.5), {"resample": resample},
        f"'accuracy', 'youden'; got curves of '{name}'") for name in ("f1", "far")
        for resample in ("test", "both")),
    (systems, ({"a": COARSE},), {}, "at least two systems; got 1"),
    (systems, ({"a": COARSE, "x": br.epc(DEV, draw(20, 35), alpha=COARSE.alpha)},), {},
        "'a' has 25 client scores, 'x' 20"),
    (systems, ({"a": COARSE, "x": br.epc(DEV, TEST, criterion="far")},), {},
        "'a' has 'weighted-error', 'x' 'far'"),
    # --- decisions
    (decide, (), {}, "exactly one target must be given"),
    (decide, (), {"far": 0.1, "frr": 0.1}, "got far and frr"),
    (decide, (), {"cost_fa": 1}, "cost_fr must stand beside"),
    (decide, (), {"far": 0.1, "how": "counted"}, "how must be one of"),
    (decide, (), {"far": 0.1, "confidence": 95}, "Did you mean 0.95"),
    (decide, (), {"far": 0.1, "confidence": 1 - 1e-15}, "at most 1 - 1e-12"),
    *((decide, (), {"precision": x}, "above 0, at most 1") for x in (0.0, 1.1, np.nan)),
    # Of the highest three two are clients; no threshold has more.
    (br.decide, (br.Scores([7.0, 8.0], [9.0, 1.0, 2.0]),),
        {"precision": 0.7, "how": "counted"}, "highest counted is 66.66 %, at the threshold 4.5"),
    (decide, (), {"precision": 0.9, "prior": 1.0}, "prior must be strictly between 0 and 1"),
    (br.decide, (br.Scores([1.0] * 9, [1.0] * 9),), HALF, "best lower bound is"),
    (br.decide, (br.Scores([1.0], [0.0]),), HALF, "bound is 2.500 %"),
    (br.decide, (THIRDS,), {"ppv": 0.9}, "whole numbers"),
    (br.decide, (STRATA,), HALF | {"over": "worst"}, "Decide far= over them; with prior="),
    (decide, (), {"far": 0.1, "family": "normal", "boundary": "inflate"}, "must be left out"),
    (decide, (), {"far": 0.1, "family": "beta", "resolution": -1.0}, "resolution must"),
    (replaced, (), {"threshold": 7.0}, "methods"),
    (guarantee, (), {"frr": 1.0},
        "strictly between 0 and 1; got 1.0. No sample shows a rate of 0; 1 % is 0.01."),
    (guarantee, (), {"far": 5}, "Did you mean 0.05"),
    (guarantee, (), {"far": 5e-324, "family": "normal"}, "6.06e+323 impostors needed"),
    (guarantee, (), {"frr": 0.1}, "29 clients needed, dev has 3"),
    # --- forecasts
    (forecast, (), {"criterion": "eer"}, "rate of one class"),
    (br.epc_forecast, (MASSES,), {"criterion": "far", "n_client": 5,
        "n_impostor": 5}, "client distribution must have no point masses"),
    (br.epc_forecast, (br.fit(DEV, "empirical"),), {"n_client": 3,
        "n_impostor": 3}, "the client distribution must have a density"),
]  # fmt: skip
KINDS = [
    (br.epc, (DEV, [0.1, 0.2]), {}, "test must be Scores"),
    (br.epc_cv, (MODEL,), {}, ""),
    (br.epc_average, (MODEL, TEST),
        {"method": "test", "replicates": 5, "rng": "x"}, "rng must be"),
    (systems, ({"a": 3, "b": COARSE},), {}, "the curve of 'a' must be"),
    (systems, ({1: COARSE, 2: COARSE},), {}, "names of text"),
    (br.epc_forecast, (FEW,),
        {"n_client": 3, "n_impostor": 3}, "got Scores. For scores, fit them first"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "call", "args", "options", "words"), [*((br.InputError, *row)
    for row in ROWS), *((br.InputTypeError, *row) for row in KINDS)])  # fmt: skip
def test_what_is_refused(error, call, args, options, words):
    with pytest.raises(error) as caught:
        call(*args, **options)
    assert words in str(caught.value)
    assert len(str(caught.value)) <= 400


@pytest.mark.parametrize(("first", "second", "text"), [
    ({}, {"client": [1.0, 2.0]}, "epc_a has 3 client scores, epc_b 2"),
    ({}, {"measure": "f1"}, "one measure; epc_a has 'hter', epc_b 'f1'"),
    ({}, {"alpha": [0.3, 0.6]}, "equal alphas; epc_a has 2 from 0.3 to 0.5, epc_b 2 from 0.3"),
    ({}, {"prior": 0.1}, "one test prior; epc_a has 0.6, epc_b 0.1"),
    ({}, {"impostor_weights": [1, 0.5]}, "whole numbers of copies"),
    ({"client_ids": ["x", "y", "z"]}, {"client_ids": ["x", "z", "y"]},
        "2 of 3 client_ids differ, first 'y' and 'z' at index 1"),
])  # fmt: skip
def test_curves_that_cannot_be_paired(first, second, text):
    curves = []
    for more in (first, second):
        sides = {key: more[key] for key in more if key.startswith(("client", "impostor"))}
        options = {"alpha": [0.3, 0.5]} | {k: v for k, v in more.items() if k not in sides}
        given = {"client": [1.0, 2.5, 3.0], "impostor": [0.0, 2.0]} | sides
        dev = br.Scores([2.0, 3.0, 1.0], [0.0, 1.0])
        curves.append(br.epc(dev, br.Scores(**given), **options))
    with pytest.raises(br.InputError, match=text):
        br.compare(*curves, replicates=5)
    if " scores, " in text:
        assert br.compare(*curves, paired=False, replicates=5).low.shape == (2,)
