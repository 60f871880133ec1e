"""Typical use, in which mypy --strict and pyright find nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import betaroc as br
import betaroc.errors
from betaroc import Beta, Normal, ScoreModel, Scores
from betaroc.datasets import load_liveness
from betaroc.errors import BetarocError, InputError
from betaroc.results import Band, Comparison, Decision, DecisionCheck, Difference, DistributionFit
from betaroc.sklearn import (
    EpcDisplay,
    RocDisplay,
    ThresholdClassifier,
    hter_scorer,
    weighted_error_scorer,
)

Floats = npt.NDArray[np.float64]


def distributions(x: Floats) -> float:
    client = Beta(4.0, 2.0)
    assert_type(client.cdf(0.5), float)
    assert_type(client.cdf(x), Floats)
    assert_type(client.sf([0.1, 0.2]), Floats)
    assert_type(client.logpdf(np.float64(0.5)), float)
    assert_type(client.pdf((0, 1)), Floats)
    assert_type(client.shape, br.Shape)
    assert_type(br.beta_auc(4, 2, 2, 4), float)
    median: float = client.ppf(0.5)
    upper: Floats = client.isf(np.geomspace(1e-9, 1.0, 10))
    drawn = client.sample(10, rng=1)
    low, high = client.support
    return round(Normal(0, 1).logcdf(-40), 3) + median + float(upper[0] + drawn.mean()) + low - high


def rates(model: ScoreModel, t: Floats) -> None:
    assert_type(model.far(0.5), float)
    assert_type(model.frr(t), Floats)
    assert_type(model.far(t=0.5), float | Floats)
    assert_type(model.threshold_at_far(0.01), float)
    assert_type(model.threshold_at_frr([0.01, 0.1]), Floats)
    assert_type(model.at_far(0.01), br.OperatingPoint)
    assert_type(model.auc(), float)
    roc = model.roc()
    assert_type(roc.tpr(0.01), float)
    assert_type(roc.slope(t), Floats)
    assert_type(model.det().frr(0.1), float)
    assert_type(model.precision_recall().precision([0.1, 0.9]), Floats)
    assert_type(model.eer(), br.OperatingPoint)


def fits(scores: Scores) -> dict[str, float]:
    fit = br.fit(scores, family="beta")
    assert_type(fit, br.Fit)
    assert_type(fit.client, DistributionFit)
    assert_type(fit.model, ScoreModel)
    assert_type(fit.client.cov, Floats)
    assert_type(fit.params["client-a"], float)
    assert_type(fit.at_far(0.01), br.OperatingPoint)
    assert_type(fit.interval("auc"), br.Interval)
    assert_type(fit.roc_band(), Band)
    tails = br.fit(scores, ("beta", "empirical"), tails={"impostor": "upper"})
    print(fit.summary(), tails.aic - fit.aic, br.check_fit(fit).verdict)
    best = br.compare_families(scores)
    print(
        best.recommended, best.reason, br.fit_distribution([0.1, 0.4, 0.7], "normal").params["mu"]
    )
    return {name: value + fit.client.std_errors[name] for name, value in fit.client.params.items()}


def decisions(scores: Scores, test: Scores, path: Path) -> bool:
    decision = br.decide(scores, far=0.05, confidence=0.9)
    assert_type(decision, Decision)
    assert_type(decision.threshold, float)
    check = decision.check(test)
    assert_type(check, DecisionCheck)
    decision.to_json(path)
    if isinstance(br.from_json(path), Decision):
        print(decision.status, decision.reason, decision.needed)
    print(check.verdict, decision.accept([0.1, 0.9]))
    interval = br.interval(scores, "tpr", far=0.01)
    assert_type(interval.low, float)
    assert_type(br.difference(scores, test, "auc", paired=False), Difference)
    return interval.low < interval.estimate < interval.high


def curves(dev: Scores, test: Scores) -> Comparison:
    curve = br.epc(dev, test, criterion="far", alpha=np.linspace(0, 1, 11))
    assert_type(curve, br.Epc)
    assert_type(curve.value, Floats)
    curve.plot()
    analysis = br.analyze(dev, {"other": test}, family="beta")
    analysis.to_html("page.html")
    return br.compare(curve, br.epc(br.fit(dev), test), replicates=500, rng=1)


def estimators(model: Any, rows: Floats, labels: npt.NDArray[np.int64]) -> float:
    classifier = ThresholdClassifier(model, far=0.05, cv=3).fit(rows, labels)
    assert_type(classifier, ThresholdClassifier)
    assert_type(classifier.decision_, Decision)
    assert_type(classifier.predict_proba(rows), Floats)
    assert_type(classifier.scores_, Scores)
    RocDisplay.from_predictions(labels, classifier.decision_function(rows)).plot()
    assert_type(EpcDisplay.from_estimator(model, rows, labels, rows, labels).epc, br.Epc)
    assert_type(weighted_error_scorer(0.3)(model, rows, labels), float)
    return hter_scorer(model, rows, labels)


def errors() -> None:
    dev = load_liveness(sharpened=0.4).dev
    try:
        fits(br.datasets.load_faces().dev if len(dev.client) > 9 else dev)
    except InputError as error:
        print(error, isinstance(error, br.errors.BetarocError), br.InputError, br.Decision)
    except (BetarocError, betaroc.errors.StudyError):
        raise
