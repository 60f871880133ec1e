"""A value of every kind that users hold, with names and numbers that are hard to write."""

from __future__ import annotations

import math
import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import betaroc as br

#: What LaTeX and HTML must escape, and what old engines cannot set.
NAME = "50 % of a_b & <c> #1 $x$ ~ ^ \\ {é} θ 中"


def scores(n: int = 60, a: float = 4.0, b: float = 2.0, seed: int = 0, **options: Any) -> br.Scores:
    rng = np.random.default_rng([seed, n])
    return br.Scores(rng.beta(a, b, n), rng.beta(b, a, n + 5), **options)


def grouped() -> br.Scores:
    """Two columns of groups, ids of numbers, weights, single precision."""
    rng = np.random.default_rng(3)
    pairs = np.array([[f"p{k % 5}", f"é{k}"] for k in range(30)])
    client, impostor = (rng.beta(a, 6 - a, 30).astype(np.float32) for a in (4, 2))
    return br.Scores(
        client, impostor, client_groups=pairs, impostor_groups=pairs, client_ids=range(30),
        impostor_ids=range(30, 60), client_weights=rng.integers(1, 3, 30), name=NAME,
    )  # fmt: skip


@cache
def travellers() -> dict[str, Any]:
    """By a name each value; made once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        return _distributions() | _models() | _fits() | _decisions() | _large()


def _distributions() -> dict[str, Any]:
    beta, normal = br.Beta(2.0, 3.0), br.Normal(0.0, 1.0)
    tail = br.ParetoTail(0.01, 0.0, 0.25)
    return {
        "beta": beta, "normal": normal, "logit-normal": br.LogitNormal(0.1, 1.0),
        "log-normal": br.LogNormal(0.1, 1.0), "gamma": br.Gamma(2.0, 0.5),
        "sinh-arcsinh": br.SinhArcsinh(0.1, 1.0, 0.3, 0.8),
        "logit-sinh-arcsinh": br.LogitSinhArcsinh(0.1, 1.0, 0.3, 0.8),
        "rank-normal": br.RankNormal(0.1, 1.0, [0.2, 0.7], [0.0, 1.0]),
        "empirical": br.Empirical([0.1, 0.2, 0.2]), "weighted": br.Empirical([0.1, 0.2], [1, 2]),
        "binned": br.Binned([0.0, 0.5, 1.0], [3, 4]), "inflated": br.Inflated(beta, 0.1, 0.2),
        "rejecting": br.Rejecting(beta, 0.1), "absent": br.Empirical([0.1, -math.inf]),
        "beta mixture": br.BetaMixture((0.25, 0.75), (beta, br.Beta(5.0, 0.5))),
        "normal mixture": br.NormalMixture((0.5, 0.5), (normal, br.Normal(1.0, 2.0))),
        "tail": tail, "shifted": br.Shifted(normal, 1.0, 2.0),
        "spliced": br.Spliced(br.Beta(2.0, 8.0), upper=tail),
    }  # fmt: skip


def by_species() -> br.Decision:
    impostor, kinds = [k / 80 for k in range(80)], ["a"] * 40 + [NAME] * 40
    return br.decide(br.Scores([0.7, 0.8, 0.9], impostor, impostor_strata=kinds), far=0.1)


def _over_strata() -> dict[str, Any]:
    clients, impostors = [0.5, 0.7, 0.8, 0.9] * 3, [0.1, 0.2, 0.4, 0.6] * 6
    parts = ((clients[k:], impostors[: 24 - k] + [0.3] * k) for k in range(2))
    sides = [br.Scores(*x, impostor_strata=["a"] * 12 + [NAME] * 12) for x in parts]
    fits = br.fit(sides[0], "normal", by="stratum")
    curve = br.epc(*sides, over="worst", alpha=[0.5])
    weighted = fits.model_over({"a": 0.25, NAME: 0.75}).impostor
    compared = br.compare(curve, curve, resample="test", replicates=5, rng=1)
    return {
        "fits of strata": fits, "mixture of strata": weighted, "curve over strata": curve,
        "worst stratum": fits.model_over().impostor, "difference by stratum": compared.strata,
        "mean curve": br.mean_curve([br.Scores([2, 3], [1, 2]), br.Scores([4, 5], [0, 4.5])]),
        "trainings": br.variance_components(
            [sides[0], sides[0]._with(client=sides[0].client ** 2)], "auc"
        ),
        "audit": br.audit(*sides),
        "epsc": br.epsc(*sides, attack=NAME, omega=[0.0, 0.5], beta=[0.2, 0.5]),
        "categories": br.categories(*({"a": x, NAME: x} for x in sides)),
    }  # fmt: skip


def _models() -> dict[str, Any]:
    model = br.ScoreModel(br.Beta(0.47, 0.36), br.Beta(0.77, 1.91), prior=0.3, name=NAME)
    other = br.ScoreModel(br.Beta(3.0, 2.0), br.Beta(2.0, 4.0))
    return {
        "model": model, "generic": model.generic(), "roc": model.roc(), "det": model.det(),
        "precision-recall": model.precision_recall(), "ends": model.ends(),
        "hull": model.roc().hull(), "crossings": model.roc().crossings(other.roc()),
        "point": model.eer(), "points": model.at([0.1, 0.5, 0.9]), "far 0": model.at_far(0.0),
        "no points": other.diagonal_crossings(),
        **_over_strata(), "strata": by_species().strata, "unseen strata": by_species().unseen,
        "sample size": br.plan_sample_size("auc", model=other, width=0.05),
        "forecast": br.epc_forecast(other, n_client=50, n_impostor=60, alpha=[0.0, 0.5]),
        "target forecast": br.epc_forecast(
            other, n_client=50, n_impostor=60, alpha=[0.1, 0.5], criterion="far"
        ),
        "design": br.Design.grid({"a_c": [0.5, 2.0], "n": 100, "family": ["beta", "inf"]}),
        "epc of a model": br.epc(model, other, alpha=[0.2, 0.5]),
    }  # fmt: skip


def _fits() -> dict[str, Any]:
    dev = scores(name=NAME)
    fit = br.fit(dev)
    frame = pd.DataFrame({"score": np.r_[dev.client, dev.impostor]})
    frame["label"] = [1] * dev.n_client + [0] * dev.n_impostor
    frame["x"] = np.arange(len(frame)) % 7
    summary = br.summarize(frame)
    exact = br.Scores(np.r_[dev.client, 1.0, 1.0], np.r_[0.0, dev.impostor])
    names = ("normal", "beta-mixture", "proper-beta", "rank-binormal", "empirical")
    families = {name: br.fit(dev, name) for name in (*names, ("beta", "normal"))}
    return {f"fit {name}": value for name, value in families.items()} | {
        "scores": dev, "labels": br.Scores.from_labels([1, 1, 0, 0], [0, 1, 0.2, 0.3]),
        "grouped": grouped(), "fit": fit, "distribution fit": fit.client, "summary": summary,
        "fit of a summary": br.fit(summary), "class summary": summary.client,
        "inflated fit": br.fit(exact), "fit with tails": br.fit(scores(300), tails="upper"),
        "point of a fit": fit.at_far(1e-4), "sensitivity": fit.sensitivity(),
        "curve test": fit.curve_test(), "check": br.check_fit(fit, replicates=19, rng=1),
        "families": (families_ := br.compare_families(dev, ["beta", "normal"])),
        "family row": families_.rows[0],
        "tail row": br.TailRow(
            "client", "beta", "upper", 0.1, 0.2, 1.5, 0.01, 0.01, math.nan, math.inf
        ),
        "likelihood ratio": br.likelihood_ratio_test(
            families["proper-beta"], fit, replicates=19, rng=1
        ),
        "covariates": br.fit_covariates(frame, "x"),
    }  # fmt: skip


def tandem() -> br.Tandem:
    parts = scores(24, impostor_strata=["nontarget"] * 12 + [NAME] * 17, name=NAME)
    return br.tandem(br.Scores(parts.client, parts.impostor, name="cm"), parts, cm_threshold=0.4)


def _decisions() -> dict[str, Any]:
    dev, test = scores(), scores(seed=1)
    curve = br.epc(dev, test, alpha=[0.25, 0.5, 0.75])
    other = br.epc(scores(a=3.0), scores(a=3.0, seed=1), alpha=[0.25, 0.5, 0.75])
    decision = br.decide(scores(400, 6.0, 2.0), far=0.01, family="beta")
    return {
        "confusion": dev.confusion(0.5), "confusions": dev.confusion([0.2, 0.5]),
        "interval": br.interval(dev, "auc"), "auc test": br.auc_test(dev, test, paired=False),
        "difference": br.difference(dev, test, "auc", paired=False),
        "band": br.roc_band(dev, far=[0.1, 0.2]), "epc": curve,
        "decision curve": br.decision_curve({NAME: dev, "test": test}, [0.1, 0.5], prior=0.3),
        "bayes errors": br.bayes_error_curve(test, [0.0]),
        "epc band": curve.band(replicates=50, rng=1),
        "comparison": br.compare(curve, other, paired=False, replicates=50, rng=1),
        "systems": br.compare_systems(
            {"a": curve, "b": other, "c": curve}, paired=False, replicates=50, rng=1
        ),
        "average": br.epc_average(dev, test), "epc cv": br.epc_cv(dev, alpha=[0.2, 0.5], rng=1),
        "decision": decision, "decision check": decision.check(test),
        "costs": br.decide(dev, cost_fa=1.0, cost_fr=2.0, family="beta"),
        "way": decision.methods[0], "tandem": tandem(), "monitor": decision.monitor().update(test),
    }  # fmt: skip


def _large() -> dict[str, Any]:
    found = br.inclusion({"good_%": scores(), "fair & é": scores(a=3.0)}, alpha=[0.25, 0.75])
    return {
        "inclusion": found, "fusion": found.fusion, "choice": found.choice,
        "logistic fusion": found.choice.fusion,
        "analysis": br.analyze(scores(name=NAME), scores(seed=1), family="beta",
                               statistics=["tpr@far=0.01"],),
    }  # fmt: skip
