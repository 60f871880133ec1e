"""Typical use, in which mypy --strict and pyright find nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import betaroc as br
from betaroc import Beta, ScoreModel, Scores
from betaroc.results import Band, Comparison, Decision, DecisionCheck, Difference, DistributionFit
from betaroc.sklearn import EpcDisplay, ThresholdClassifier, weighted_error_scorer

Floats = npt.NDArray[np.float64]


def distributions(x: Floats) -> float:
    client = Beta(4.0, 2.0)
    assert_type(client.cdf(0.5), float)
    assert_type(client.cdf(x), Floats)
    assert_type(client.sf([0.1, 0.2]), Floats)
    assert_type(client.logpdf(np.float64(0.5)), float)
    assert_type(client.pdf((0, 1)), Floats)
    assert_type(client.cdf(client.sample(10, rng=1)), Floats)
    assert_type(client.shape, br.Shape)
    low, high = client.support
    return br.beta_auc(4, 2, 2, 4) + low - high


def rates(model: ScoreModel, t: Floats) -> None:
    assert_type(model.far(0.5), float)
    assert_type(model.frr(t), Floats)
    assert_type(model.far(t=0.5), float | Floats)
    assert_type(model.threshold_at_frr([0.01, 0.1]), Floats)
    assert_type(model.at_far(0.01), br.OperatingPoint)
    assert_type(model.auc() + model.roc().tpr(0.01) + model.det().frr(0.1), float)
    assert_type(model.precision_recall().precision([0.1, 0.9]), Floats)


def fits(scores: Scores) -> dict[str, float]:
    fit = br.fit(scores, family="beta")
    assert_type(fit, br.Fit)
    assert_type(fit.client, DistributionFit)
    assert_type(fit.client.cov, Floats)
    assert_type(fit.interval("auc"), br.Interval)
    assert_type(fit.roc_band(), Band)
    tails = br.fit(scores, ("beta", "empirical"), tails={"impostor": "upper"})
    print(fit.summary(), tails.aic - fit.aic, br.check_fit(fit).verdict)
    print(br.compare_families(scores).recommended, br.fit_distribution([0.1, 0.7], "normal").params)
    return {name: value + fit.client.std_errors[name] for name, value in fit.client.params.items()}


def decisions(scores: Scores, test: Scores, path: Path) -> bool:
    decision = br.decide(scores, far=0.05, confidence=0.9)
    assert_type(decision, Decision)
    assert_type(decision.check(test), DecisionCheck)
    decision.to_json(path)
    if isinstance(br.from_json(path), Decision):
        print(decision.status, decision.reason, decision.accept([0.1, 0.9]))
    interval = br.interval(scores, "tpr", far=0.01)
    assert_type(br.difference(scores, test, "auc", paired=False), Difference)
    return interval.low < interval.estimate < interval.high


def curves(dev: Scores, test: Scores) -> Comparison:
    curve = br.epc(dev, test, criterion="far", alpha=np.linspace(0, 1, 11))
    assert_type(curve.value, Floats)
    br.analyze(dev, {"other": test}, family="beta").to_html("page.html")
    assert_type(br.interval(curve, "area"), br.Interval)
    return br.compare(curve, br.epc(br.fit(dev), test), replicates=500, rng=1)


def estimators(model: Any, rows: Floats, labels: npt.NDArray[np.int64]) -> float:
    classifier = ThresholdClassifier(model, far=0.05, cv=3).fit(rows, labels)
    assert_type(classifier.decision_, Decision)
    assert_type(classifier.predict_proba(rows), Floats)
    assert_type(classifier.scores_, Scores)
    assert_type(EpcDisplay.from_estimator(model, rows, labels, rows, labels).epc, br.Epc)
    return weighted_error_scorer(0.3)(model, rows, labels)
