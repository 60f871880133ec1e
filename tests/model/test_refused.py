"""What models, points and curves refuse, and what is said of it: one table."""

import math
from functools import partial

import numpy as np
import pandas as pd
import pytest

import betaroc as br
from betaroc.model.roc import Det, PrecisionRecall
from betaroc.model.statistics import parse_statistic

PAIR = br.ScoreModel(br.Beta(3.0, 2.0), br.Beta(2.0, 5.0))
TINY = br.ScoreModel(br.Beta(2, 3), br.Beta(1e-200, 1e-200))
CERTAIN = br.ScoreModel(br.Beta(2, 1), br.Beta(1, 2), prior=1.0)
POINT = br.OperatingPoint(0.5, 0.1, 0.2, prior=0.25)
#: Log likelihood ratios: what they cost is known at a threshold without data.
CALIBRATED = br.ScoreModel(br.Normal(2.0, 2.0), br.Normal(-2.0, 2.0))
R = np.array([[1.0, 0.8, 0.6], [0.8, 1.0, 0.3], [0.6, 0.3, 1.0]])
SYSTEMS = dict.fromkeys("ABC", PAIR)
TYPE, ANY = br.InputTypeError, (br.InputError, br.InputTypeError)


def refused(words, call, *given, error=br.InputError, **named):
    return pytest.param(partial(call, *given, **named), error, words, id=words[:40])


def drawn(words, models=SYSTEMS, n=2, m=2, **options):
    return refused(words, br.sample_systems, models, n, m, **options)


turned = pd.DataFrame(R, index=list("CBA"), columns=list("CBA"))

OF_POINTS = [
    refused("taken at no point; got 0.1. Leave it out", parse_statistic, "auc", (0.1,), error=TYPE),
    refused("taken at no point; got far=0.1. Leave it out", parse_statistic, "auc", (), far=0.1),
    refused("needs a point, one of threshold= far=", parse_statistic, "tpr", (0.1,), error=ANY),
    refused(r"needs a point, one of between=; got \(0.0, 0.1\)", parse_statistic, "partial-auc",
            ((0.0, 0.1),), error=ANY),
    refused(r"between must be two numbers, \(low, high\); got 0.1", parse_statistic, "partial-auc",
            (), between=0.1, error=TYPE),
    refused(r"with low < high; got \(0.2, 0.1\)", parse_statistic, "partial-auc", (),
            between=(0.2, 0.1)),
    *(refused(words, parse_statistic, text) for text, words in (
        ("auc@prior=0.1", "does not depend on prior"), ("cllr@threshold=1", "taken at no point"),
        ("net-benefit@probability=1", r"probability must lie in \[0, 1\)"),
        ("min-dcf@cost_fa=0,cost_fr=0", "cost_fa must not be 0 where cost_fr is"),
        ("dcf@threshold=0,prior=2", "prior must be a fraction"),
        ("bayes-error", "needs a point"))),
    refused(r"must have one shape; got threshold \(2,\)", br.OperatingPoint, [0.1, 0.2],
            [0.1, 0.2, 0.3], [0.1, 0.2], 0.5),
    *(refused("cost_f. must", POINT.dcf, *costs)
      for costs in ((-1.0, 1.0), (1.0, math.nan), (math.inf, 1.0))),
]  # fmt: skip
OF_MODELS = [
    refused("cost_fa must not be 0 where", PAIR.min_dcf, 0.0, 0.0),
    refused("must be fractions .* index 0: 1.5", PAIR.at_far, 1.5),
    refused("must be fractions .* index 1: -0.1", PAIR.threshold_at_frr, [0.1, -0.1]),
    refused("Did you mean 'client'", PAIR.roc, "Client"),
    refused("scheme must be None, 9 or 16", PAIR.shape_category, 10),
    *(refused("weights", PAIR.h_measure, weights)
      for weights in ("beta11", (0.0, 1.0), (1.0, math.nan))),
    refused("strictly between 0 and 1", CERTAIN.h_measure),
    refused("prior must lie strictly between 0 and 1", CALIBRATED.actual_dcf, prior=1.0),
    refused("at must be a point that scores decide", br.interval, br.Scores([1, 2], [0, 1.5]),
            "threshold", at="actual-dcf"),
    refused("Give a prior above 0", br.epc, br.Scores([3, 4, 5], [1, 2, 3]),
            br.Scores([2, 4, 6], [0, 1, 3]), criterion="f-measure", prior=0.0),
    refused("Give shapes nearer to 1", br.plan_sample_size, "auc", model=TINY, width=0.1),
    *(refused("impostor must be a distribution; got 2 of type int", curve, br.Beta(2.0, 1.0), 2,
              error=TYPE) for curve in (br.Roc, Det, PrecisionRecall)),
    *(refused("prior must be the probability of a client", curve, br.Beta(2.0, 1.0),
              br.Beta(1.0, 2.0), prior=1.5) for curve in (br.Roc, Det, PrecisionRecall)),
]  # fmt: skip
OF_SAMPLES = [
    drawn("at least one ScoreModel", {}),
    drawn(r"models\['A'\] must be a ScoreModel", {"A": br.Beta(1, 1)}, error=TYPE),
    drawn("none empty or \"label\"; got 'label'", {"label": PAIR}),
    drawn(r"must lie in \[-1, 1\]; got 1.1", correlation=1.1),
    drawn("at least -1/2; got a smallest", correlation=-0.6),
    drawn(r"3 x 3 matrix for 3 systems; got shape \(2, 2", correlation=np.eye(2)),
    drawn(r"diagonal of 1; got 0.9 at entry \(0, 0\)", correlation=R * 0.9),
    drawn(r"symmetric; got .* at entry \(0, 1\)", correlation=R + np.triu(R, 1) * 0.1),
    drawn("the systems in their order", correlation=turned),
    drawn("correlation of the impostor trials must", correlation=(0.1, -0.6)),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "words"), [*OF_POINTS, *OF_MODELS, *OF_SAMPLES])
def test_what_is_refused_says_why(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert 0 < len(str(caught.value)) <= 400
