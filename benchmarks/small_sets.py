"""Whether anything breaks on small sets: random calls of everything public, their errors counted.

    python benchmarks/small_sets.py [--calls N] [--seed S] [--only K] [--lenient] [--write]

One to ten scores a class: 0, 1, 1e-300, 1 - 2^-53, ties, ordinary ones, sometimes all equal;
every family, single and in pairs; weights, groups and ids sometimes. Call k of seed S draws from
default_rng([S, k]) alone, so that ``--only k`` repeats it. Counted are errors that are not
betaroc's own and warnings of foreign kinds, under ``numpy.seterr(all="raise")`` or, with
``--lenient``, numpy's own state with its warnings as errors; the goal is none of either.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import inspect
import os
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from _common import report, table

import betaroc as br
from betaroc.model.measures import MEASURES

#: Sets drawn for one call, until one is large enough for it.
TRIES = 4
SPECIAL = (0.0, 1.0, 1e-300, 1.0 - 2.0**-53)
SINGLE = ("beta", "normal", "logit-normal", "beta-mixture", "proper-beta", "dual-beta", "empirical",
          "sinh-arcsinh", "logit-sinh-arcsinh", "log-normal", "gamma", "auto", "best")  # fmt: skip
PAIRED = ("beta", "normal", "logit-normal", "beta-mixture", "sinh-arcsinh", "gamma", "empirical")
RULES: tuple[dict[str, Any], ...] = (
    {}, {}, {}, {"boundary": "inflate"}, {"boundary": "drop"}, {"boundary": "squeeze"},
    {"boundary": "matlab"}, {"boundary": "censor", "resolution": 0.01}, {"resolution": 0.1},
)  # fmt: skip
CRITERIA = ("weighted-error", "far", "frr", "precision", "recall", "eer", "f-measure",
            "weighted-precision-recall", "sensitivity", "specificity")  # fmt: skip
ERRORS_AND_WARNINGS = "a class of errors or warnings, which calls raise"
OF_NO_SCORES = "takes no scores: synthetic data of its own design, tests/test_study.py"
#: Public names that are not called here, and why.
LEFT_OUT = {
    "Design": OF_NO_SCORES, "Study": OF_NO_SCORES, "StudyResult": OF_NO_SCORES,
    "TailRow": "of classes of 250 scores: tests/fits/test_family_choice.py",
    "from_json": "takes no scores: generated values of every kind, tests/report/test_documents.py",
    "Shape": "a list of names", "Distribution": "the base of the distributions, called as theirs",
}  # fmt: skip


# -------------------------------------------------------------------------------- scores
def sample(rng: Any, n: int) -> list[float]:
    """Scores of one class."""
    kind = rng.integers(8)
    if kind == 0:
        return [float(rng.choice([*SPECIAL, 0.5]))] * n
    if kind == 1:
        return [float(rng.choice(SPECIAL)) for _ in range(n)]
    if kind == 2:
        return np.round(rng.random(n), 1).tolist()
    if kind == 3:
        return rng.normal(rng.normal(), 2.0, n).tolist()
    if kind == 4:
        near = rng.random() + 10.0 ** -rng.uniform(1, 15) * rng.normal(size=n)
        return np.clip(near, 0.0, 1.0).tolist()
    mixed = rng.random(n).tolist()
    return [float(rng.choice(SPECIAL)) if kind < 6 and rng.random() < 0.3 else x for x in mixed]


def draw_scores(rng: Any, n: tuple[int, int] | None = None) -> br.Scores:
    """Both classes, at times with weights, groups and ids."""
    if n is None:
        n = (int(rng.integers(1, 11)), int(rng.integers(1, 11)))
    more: dict[str, Any] = {}
    with_weights, with_groups, with_ids = rng.random(3) < (0.2, 0.2, 0.1)
    for who, size in zip(("client", "impostor"), n, strict=True):
        if with_weights:
            whole = rng.integers(0, 4, size).astype(float)
            whole[0] = 1.0
            more[f"{who}_weights"] = whole if rng.random() < 0.6 else whole + rng.random(size)
        if with_groups:
            more[f"{who}_groups"] = rng.integers(0, max(1, size // 2) + 1, size)
        if with_ids:
            more[f"{who}_ids"] = np.arange(size)
    return br.Scores(sample(rng, n[0]), sample(rng, n[1]), **more)


def frame_of(scores: br.Scores, **columns: Any) -> pd.DataFrame:
    """The rows of a set, clients first."""
    score = np.concatenate([scores.client, scores.impostor])
    label = np.repeat([1, 0], [scores.n_client, scores.n_impostor])
    return pd.DataFrame({"score": score, "label": label, **columns})


class Context:
    """What the calls of one set take, made when first asked for."""

    def __init__(self, rng: Any) -> None:
        self.rng = rng
        self.scores = draw_scores(rng)

    def pick(self, *options: Any) -> Any:
        """One of them."""
        return options[int(self.rng.integers(len(options)))]

    @property
    def level(self) -> float:
        """A level, now and then an extreme one."""
        return float(self.pick(0.95, 0.5, 0.9999))

    @property
    def rate(self) -> Any:
        """A rate, or several."""
        return self.pick(0.5, 0.1, 1e-6, 0.0, 1.0, [0.0, 0.2, 1.0])

    @property
    def place(self) -> Any:
        """A threshold, or several."""
        return self.pick(0.5, 0.0, 1.0, 1e-300, -np.inf, np.inf, np.nan, [0.1, 0.9])

    @property
    def other(self) -> br.Scores:
        """Scores of another system on as many trials."""
        return draw_scores(self.rng, (self.scores.n_client, self.scores.n_impostor))

    def fit(self, family: Any = None) -> br.Fit:
        """A fit by any family."""
        if family is None:
            family = self.pick(*SINGLE)
            if self.rng.random() < 0.3:
                family = (self.pick(*PAIRED), self.pick(*PAIRED))
        ruled = family in ("beta", "logit-normal", ("beta", "logit-normal"))
        rule = self.pick(*RULES) if ruled else {}
        tails = {"tails": self.pick("both", "upper", {"client": "lower"})}
        return br.fit(self.scores, family, **rule, **(tails if self.rng.random() < 0.05 else {}))

    def decision(self) -> Any:
        """A threshold by any way, for any target."""
        target = self.pick(
            {"far": 0.5}, {"frr": 0.4}, {"far": 0.01}, {"cost_fa": 2, "cost_fr": 1}, {"eer": True}
        )
        how = self.pick(None, None, "average", "model", "guaranteed", "tail")
        return br.decide(self.scores, **target, how=how, confidence=self.level)

    def bare(self, family: str) -> Any:
        """The fitted distribution of a class, without point masses."""
        found = self.fit(family).client.distribution
        return found.base if isinstance(found, br.Inflated) else found

    def model(self) -> br.ScoreModel:
        """The model of a fit."""
        return self.fit().model

    def side(self) -> Any:
        """What an expected performance curve takes."""
        return self.pick(self.scores, draw_scores(self.rng), self.fit, self.model, self.summary)

    def summary(self) -> br.ScoreSummary:
        """Sums and counts of the scores."""
        return br.summarize(frame_of(self.scores), bins=int(self.pick(16, 65536)))

    def epc(self, test: Any = None, **options: Any) -> br.Epc:
        """A curve of any criterion and measure."""
        criterion = self.pick(*CRITERIA)
        alpha = None if criterion == "eer" else self.pick([0.5], [0.0, 0.3, 1.0])
        sides = [s() if callable(s) else s for s in (self.side(), self.side())]
        if test is not None:
            sides[1] = test
        given = {"criterion": criterion, "measure": self.pick(*MEASURES), "alpha": alpha}
        return br.epc(*sides, **(given | options))

    def comparison(self) -> br.Comparison:
        """Of two systems on the same trials."""
        return br.compare(*self.curves(self.scores, self.other), **self.comparing())

    def systems(self) -> br.SystemsComparison:
        """Of two or three systems, two of them the same."""
        tests = [self.scores, self.other, self.other][: self.pick(2, 3)]
        named = dict(zip("ABC", self.curves(*tests), strict=False))
        return br.compare_systems(named, **self.comparing())

    def curves(self, *tests: br.Scores) -> list[br.Epc]:
        """Of one criterion and measure, a system a test set."""
        options = {
            "criterion": self.pick(*CRITERIA[:5]), "measure": self.pick(*MEASURES),
            "alpha": [0.2, 0.5],
        }  # fmt: skip
        return [br.epc(self.pick(self.scores, draw_scores(self.rng)), t, **options) for t in tests]

    def comparing(self) -> dict[str, Any]:
        """Options of both comparisons."""
        return {
            "resample": self.pick("both", "test"), "paired": bool(self.pick(True, False)),
            "level": self.level, "replicates": 20, "rng": 1,
        }  # fmt: skip

    def band(self) -> br.Band:
        """Of a curve, by each method."""
        return self.epc().band(
            self.level, resample=self.pick("both", "test"), replicates=20, rng=1,
            simultaneous=bool(self.pick(True, False)),
            method=self.pick("bootstrap", "delta", "exact"),
        )  # fmt: skip

    def covariate_fit(self) -> br.CovariateFit:
        """Beta regression on a number."""
        n = self.scores.n_client + self.scores.n_impostor
        frame = frame_of(self.scores, age=self.rng.normal(size=n))
        if self.rng.random() < 0.8:
            frame["score"] = np.clip(frame["score"], 1e-300, 1.0 - 2.0**-53)
        return br.fit_covariates(frame, "age")

    def inclusion(self) -> br.Inclusion:
        """Of two systems."""
        frame, other = frame_of(self.scores).rename(columns={"score": "a"}), self.other
        frame["b"] = np.concatenate([other.client, other.impostor])
        return br.inclusion(frame, folds=2, level=self.level, rng=1)

    def analysis(self) -> br.Analysis:
        """Of one set, at times with another."""
        test = self.pick(None, draw_scores(self.rng))
        return br.analyze(self.scores, test, family=self.pick("best", "auto", "normal"))

    def mixture(self) -> br.BetaMixture:
        """A typed mixture whose components have the scores for shapes."""
        shapes = [(1e3 * abs(x) + 1e-3, 3.0 * abs(x) + 1e-2) for x in self.scores.client[:3]]
        return br.BetaMixture([1.0 / len(shapes)] * len(shapes), [br.Beta(*s) for s in shapes])

    def normal_mixture(self) -> br.NormalMixture:
        """A typed mixture whose components have the scores for places and widths."""
        laws = [br.Normal(x, abs(x) + 1e-3) for x in self.scores.client[:3]]
        return br.NormalMixture([1.0 / len(laws)] * len(laws), laws)

    def families(self) -> br.FamilyComparison:
        """Of ten distinct scores a class, if they are distinct."""
        return br.compare_families(
            draw_scores(self.rng, (10, 10)), self.pick(None, ["beta", "normal"])
        )

    def forecast(self) -> br.EpcForecast:
        """Of a fit."""
        return br.epc_forecast(self.fit(), n_client=10, n_impostor=10, alpha=self.pick(0.5, [0.1]))

    def target_forecast(self) -> br.TargetForecast:
        """Of a fit, for a rate."""
        return br.epc_forecast(
            self.fit(), n_client=int(self.pick(1, 10)), n_impostor=int(self.pick(1, 7)),
            alpha=self.pick([0.5], [0.0, 0.1, 1.0]), criterion=self.pick("far", "recall"),
        )  # fmt: skip


# --------------------------------------------------------------------------------- calls
#: Statistics with a point.
STATISTICS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("auc", {}), ("partial-auc", {"between": (0.0, 0.1)}), ("tpr", {"far": 0.1}),
    ("far", {"threshold": 0.5}), ("frr", {"threshold": 0.5}), ("eer", {}),
    ("threshold", {"at": "eer"}), ("min-hter", {}), ("weighted-error", {"alpha": 0.3}),
    ("threshold", {"alpha": 0.3}), ("threshold", {"far": 0.1}), ("threshold", {"frr": 0.1}),
    ("ks", {}), ("h-measure", {}), ("average-precision", {}), ("far", {"at": "crossing"}),
    ("threshold", {"at": "crossing"}), ("exponent-at-zero", {}), ("exponent-at-one", {}),
    ("coefficient-at-zero", {}), ("coefficient-at-one", {}), ("f1", {"at": "max-f1"}),
    ("d-prime", {}), ("min-dcf", {}), ("precision", {"tpr": 0.5}), ("client-a", {}),
)  # fmt: skip


def _interval(c: Context, f: Any) -> Any:
    stat, point = c.pick(*STATISTICS)
    method = c.pick("delta", "delta", "bootstrap")
    return f.interval(stat, **point, level=c.level, method=method, replicates=20, rng=1)


def _of_scores(c: Context) -> Any:
    stat, point = c.pick(*STATISTICS)
    x = c.pick(c.scores, c.scores, c.summary())
    return br.interval(x, stat, **point, level=c.level, replicates=20, rng=1)


def _difference(c: Context) -> Any:
    stat, point = c.pick(*STATISTICS)
    one, other = c.pick((c.scores, c.scores), (c.fit(), c.fit()))
    paired = c.pick(True, False)
    options = {"level": c.level, "replicates": 20, "rng": 1}
    return br.difference(one, other, stat, **point, paired=paired, **options)


def _written(method: Callable[[Any], Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        method(Path(folder, "analysis.html"))


def _read(c: Context) -> br.Scores:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scores.csv")
        frame_of(c.scores).to_csv(path, index=False)
        return br.read_scores(path)


def _likelihood_ratio(c: Context) -> Any:
    restricted = c.fit(c.pick("dual-beta", "proper-beta", "beta"))
    return br.likelihood_ratio_test(
        restricted, c.fit(c.pick("beta", "beta-mixture")), replicates=19, rng=1
    )


#: How each public function is called.
FUNCTIONS: dict[str, Callable[[Context], Any]] = {
    "analyze": Context.analysis,
    "interval": _of_scores,
    "difference": _difference,
    "auc_interval": lambda c: br.auc_interval(
        c.scores, c.level, c.pick(None, "delong", "logit-delong", "newcombe")
    ),
    "auc_test": lambda c: br.auc_test(
        c.scores, c.pick(c.scores, c.other), bool(c.pick(True, False)), level=c.level
    ),
    "beta_auc": lambda c: br.beta_auc(*np.exp(c.rng.uniform(-12, 12, (4, 3)))),
    "beta_mle": lambda c: br.beta_mle(*br.mean_logs(np.clip(c.scores.client, 1e-300, 1 - 2**-53))),
    "check_fit": lambda c: br.check_fit(c.fit(), replicates=19, level=c.level, rng=1),
    "compare": Context.comparison,
    "compare_systems": Context.systems,
    "compare_families": Context.families,
    "epc": Context.epc,
    "epc_average": lambda c: br.epc_average(
        *(s() if callable(s) else s for s in (c.side(), c.side())),
        pair=c.pick("far-frr", "precision-recall"),
    ),
    "epc_cv": lambda c: br.epc_cv(
        c.scores, folds=int(c.pick(2, 5)), criterion=c.pick(*CRITERIA[:5]),
        measure=c.pick(*MEASURES), alpha=[0.1, 0.5], rng=1,
    ),
    "epc_forecast": Context.forecast,
    "fit": Context.fit,
    "fit_covariates": Context.covariate_fit,
    "fit_distribution": lambda c: br.fit_distribution(
        c.scores.client, c.pick("auto", *PAIRED), weights=c.scores.client_weights, **c.pick(*RULES)
    ),
    "fit_many": lambda c: br.fit_many(
        frame_of(c.scores, system="a"), family=c.pick("auto", *PAIRED[:3])
    ),
    "decide": Context.decision,
    "inclusion": Context.inclusion,
    "likelihood_ratio_test": _likelihood_ratio,
    "mean_logs": lambda c: br.mean_logs(c.scores.client),
    "plan_sample_size": lambda c: br.plan_sample_size(
        "auc", model=c.model(), width=c.pick(0.1, 0.01), method=c.pick("delta", "empirical")
    ),
    "read_scores": _read,
    "statistics": lambda _: br.statistics(),
    "roc_band": lambda c: br.roc_band(
        c.pick(c.scores, c.fit()), far=[0.01, 0.2], simultaneous=c.pick(True, False),
        level=c.level, replicates=20, rng=1,
    ),
    "sample_systems": lambda c: br.sample_systems({"a": c.model()}, 3, 4, rng=1),
    "solve_pair": lambda c: br.solve_pair(auc=float(c.model().auc())),
    "summarize": Context.summary,
}  # fmt: skip

#: How a value of each public class is come by.
NOUNS: dict[str, Callable[[Context], Any]] = {
    "Analysis": Context.analysis,
    "AucTest": FUNCTIONS["auc_test"],
    "Difference": _difference,
    "Band": Context.band,
    "Confusion": lambda c: c.scores.confusion(c.place),
    "Beta": lambda c: c.bare("beta"),
    "BetaMixture": Context.mixture,
    "NormalMixture": Context.normal_mixture,
    "Binned": lambda c: br.fit(c.summary(), "empirical").model.client,
    "ClassSummary": lambda c: c.summary().client,
    "Comparison": Context.comparison,
    "SystemsComparison": Context.systems,
    "CovariateFit": Context.covariate_fit,
    "DistributionFit": lambda c: c.fit().client,
    "Empirical": lambda c: br.Empirical(c.scores.client, c.scores.client_weights),
    "Epc": Context.epc,
    "EpcAverage": FUNCTIONS["epc_average"],
    "EpcCv": FUNCTIONS["epc_cv"],
    "EpcForecast": Context.forecast,
    "FamilyComparison": FUNCTIONS["compare_families"],
    "FamilyRow": lambda c: c.families().of("client")[0],
    "Fit": Context.fit,
    "FitCheck": FUNCTIONS["check_fit"],
    "Fusion": lambda c: c.inclusion().fusion,
    "Decision": FUNCTIONS["decide"],
    "DecisionCheck": lambda c: c.decision().check(c.scores),
    "Way": lambda c: c.decision().ways[0],
    "Inclusion": Context.inclusion,
    "Inflated": lambda c: br.Inflated(c.bare("beta"), 0.1, 0.2),
    "Rejecting": lambda c: br.Rejecting(c.bare("beta"), 0.1),
    "Interval": lambda c: _interval(c, c.fit()),
    "LikelihoodRatioTest": _likelihood_ratio,
    "Gamma": lambda c: c.bare("gamma"),
    "LogNormal": lambda c: c.bare("log-normal"),
    "LogitNormal": lambda c: c.bare("logit-normal"),
    "LogitSinhArcsinh": lambda c: c.bare("logit-sinh-arcsinh"),
    "SinhArcsinh": lambda c: c.bare("sinh-arcsinh"),
    "Normal": lambda c: c.fit("normal").client.distribution,
    "ParetoTail": lambda c: br.ParetoTail(0.05, 0.0, 0.5),
    "OperatingPoint": lambda c: c.fit().at_far(c.rate),
    "Roc": lambda c: c.model().roc(c.pick("client", "impostor")),
    "SampleSize": FUNCTIONS["plan_sample_size"],
    "ScoreModel": Context.model,
    "ScoreSummary": Context.summary,
    "Scores": lambda c: c.scores,
    "Spliced": lambda c: br.Spliced(c.bare("beta"), upper=br.ParetoTail(0.05, 0.0, 0.5)),
    "Shifted": lambda c: br.ScoreModel(c.bare("beta"), c.bare("beta")).shifted(0.3).client,
    "TargetCheck": lambda c: br.check_fit(c.fit(), far=0.4, replicates=9, rng=1).targets[0],
    "TargetForecast": Context.target_forecast,
    "Verdict": lambda c: next(iter(c.inclusion().verdict.values())),
}

#: How methods are called that need more than themselves: by class and name, or by name.
METHODS: dict[str, Callable[[Context, Any], Any]] = {
    **{n: lambda c, x, n=n: getattr(x, n)(c.place)
       for n in ("cdf", "sf", "logcdf", "logsf", "logpdf", "pdf", "far", "frr", "fmr", "fnmr",
                 "at", "posterior", "rate_error_at", "confusion")},
    "precision_at": lambda c, x: x.precision_at(c.pick(1, [1, 2])),
    **{n: lambda c, x, n=n: getattr(x, n)(c.rate)
       for n in ("ppf", "isf", "at_far", "at_frr", "threshold_at_far", "threshold_at_frr", "tpr",
                 "fpr", "slope", "threshold")},
    "sample": lambda c, x: x.sample(4, rng=1),
    "accept": lambda c, x: x.accept(c.place),
    "Decision.check": lambda c, x: x.check(c.scores),
    "ScoreModel.sample": lambda c, x: x.sample(4, 3, rng=1),
    "border_below": lambda c, x: x.border_below(0.5),
    "min_weighted_error": lambda c, x: x.min_weighted_error(c.pick(0.5, 0.0, 1.0)),
    "weighted_error": lambda c, x: x.weighted_error(c.pick(0.5, 0.0, 1.0)),
    "partial_auc": lambda c, x: x.partial_auc(*c.pick((0.0, 0.1), (0.5, 1.0)), standardized=True),
    "crossings": lambda c, x: x.crossings(c.model().roc(x.positive)),
    "dev_size": lambda c, x: x.dev_size(0.01),
    "of": lambda c, x: x.of(c.pick("client", "impostor")),
    "gain": lambda c, x: x.gain(c.pick("a", "b")),
    "to_json": lambda c, x: _written(x.to_json),
    "to_html": lambda c, x: _written(x.to_html),
    "contrast": lambda c, x: x.contrast("auc", {"age": 0.0}, {"age": 1.0}),
    "model": lambda c, x: x.model(age=0.5),
    "test": lambda c, x: x.test("age"),
    "Fit.interval": _interval,
    "CovariateFit.interval": lambda c, x: x.interval("auc", covariates={"age": 0.0}),
    "Fit.roc_band": lambda c, x: x.roc_band(
        c.level, far=c.pick(None, [0.0, 0.1]), simultaneous=bool(c.pick(True, False)),
        replicates=20, rng=1, method=c.pick("delta", "bootstrap"),
    ),
    "Fit.conf_int": lambda c, x: x.conf_int(c.level, c.pick("profile", "wald")),
    "DistributionFit.conf_int": lambda c, x: x.conf_int(c.level, c.pick("profile", "wald")),
    "Epc.band": lambda c, x: c.band(),
    "EpcAverage.interval": lambda _, x: x.interval(replicates=20, rng=1),
    "Epc.interval": lambda _, x: x.interval("area", replicates=20, rng=1),
    "eer": lambda c, x: x.eer(c.pick("nearest", "hull")),
    "h_measure": lambda c, x: x.h_measure(c.pick("beta22", "prior")),
    "generic": lambda c, x: (x.generic().auc(), x.generic().eer(), x.generic().ends()),
}  # fmt: skip
#: Methods and attributes that are not called here, and why.
METHODS_LEFT_OUT = {
    "Scores.from_labels": "a constructor; takes what Scores takes",
    "Scores.from_frame": "a constructor; takes what Scores takes",
}
#: Calls that take a tenth of a second and more are drawn less often.
SLOW = {
    "Analysis", "Inclusion", "Fusion", "Verdict", "FitCheck", "TargetCheck", "CovariateFit",
    "FamilyComparison", "FamilyRow", "LikelihoodRatioTest", "SampleSize",
}  # fmt: skip


class Call(NamedTuple):
    """A name, what it does, and how often it is drawn."""

    name: str
    run: Callable[[Context], Any]
    share: float


def members(kind: type[Any]) -> list[str]:
    """Public methods and properties of a class, but for those of str, tuple and their like."""
    own = {n for base in kind.__mro__ if base.__module__ != "builtins" for n in vars(base)}
    return [n for n in sorted(own) if not n.startswith("_") and callable_or_property(kind, n)]


def callable_or_property(kind: type[Any], name: str) -> bool:
    """Whether a name of a class is a method, or computed when it is asked for."""
    static = inspect.getattr_static(kind, name)
    return (
        inspect.isfunction(static)
        or isinstance(static, property | classmethod | staticmethod)
        or (type(static).__name__ == "cached_property")
    )


def _member(noun: Callable[[Context], Any], owner: str, name: str, c: Context) -> Any:
    value = noun(c)
    how = METHODS.get(f"{owner}.{name}", METHODS.get(name))
    static = inspect.getattr_static(type(value), name, None)
    if how is not None and inspect.isfunction(static):
        return how(c, value)
    found = getattr(value, name)
    return found() if inspect.ismethod(found) else found


def _written_down(noun: Callable[[Context], Any], c: Context) -> None:
    """What every value can: its words, equality and hash."""
    value = noun(c)
    repr(value), str(value), getattr(value, "_repr_html_", str)()
    if isinstance(value, br.Distribution | br.ScoreModel | br.Scores):
        hash(value)
    if value != copy.copy(value):
        raise AssertionError(f"{type(value).__name__} is not equal to its copy")


def calls() -> list[Call]:
    """Everything that is called, by name."""
    found = [Call(name, run, 4.0) for name, run in FUNCTIONS.items()]
    for owner, noun in NOUNS.items():
        kind = getattr(br, owner)
        names = [n for n in members(kind) if f"{owner}.{n}" not in METHODS_LEFT_OUT]
        share = 2.0 / (1 + len(names)) if owner in SLOW else 0.7
        found += [Call(f"{owner}.{n}", partial(_member, noun, owner, n), share) for n in names]
        found.append(Call(f"{owner} itself", partial(_written_down, noun), share))
    slow = {"analyze", "inclusion", "check_fit", "compare_families", "likelihood_ratio_test",
            "fit_covariates"}  # fmt: skip
    return [c._replace(share=0.5) if c.name in slow else c for c in found]


# ------------------------------------------------------------------------------ the search
class Outcome(NamedTuple):
    """Of one call: "done", "refused" by an error of betaroc's own, or what broke."""

    name: str
    kind: str
    what: str = ""


@contextlib.contextmanager
def state(*, strict: bool) -> Iterator[None]:
    """Foreign warnings are errors; numpy raises on every error of floating point if strict."""
    with warnings.catch_warnings(), np.errstate(**({"all": "raise"} if strict else {})):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", br.BetarocWarning)
        yield


def one_call(seed: int, k: int, every: list[Call], *, strict: bool, aloud: bool = False) -> Outcome:
    """Call k of a seed; `aloud` lets what it breaks be seen."""
    rng = np.random.default_rng([seed, k])
    shares = np.array([c.share for c in every])
    call = every[int(rng.choice(len(every), p=shares / shares.sum()))]
    try:
        with state(strict=strict):
            for _ in range(TRIES):
                # Many sets are too small for what is asked: refused, and another one drawn.
                with contextlib.suppress(br.BetarocError):
                    call.run(Context(rng))
                    return Outcome(call.name, "done")
            return Outcome(call.name, "refused")
    except Exception as error:  # what is looked for
        frames = traceback.extract_tb(error.__traceback__)
        own = [
            f for f in frames if f"betaroc{os.sep}" in f.filename and "benchmarks" not in f.filename
        ]
        last = own[-1] if own else frames[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        kind = "warning" if isinstance(error, Warning) else "error"
        if aloud:
            raise
        return Outcome(call.name, kind, f"{type(error).__name__}: {str(error)[:90]} ({place})")


def search(number: int, seed: int, *, strict: bool) -> list[tuple[int, Outcome]]:
    """So many calls."""
    every = calls()
    return [(k, one_call(seed, k, every, strict=strict)) for k in range(number)]


def main() -> None:
    """Search, and print what broke."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="one call, its error raised")
    parser.add_argument("--lenient", action="store_true", help="numpy's own error state")
    parser.add_argument("--write", action="store_true", help="write results/small_sets.md")
    given = parser.parse_args()
    if given.only is not None:
        print(one_call(given.seed, given.only, calls(), strict=not given.lenient, aloud=True))
        return
    start = time.perf_counter()
    found = search(given.calls, given.seed, strict=not given.lenient)
    minutes = (time.perf_counter() - start) / 60
    kinds = Counter(outcome.kind for _, outcome in found)
    names = Counter(outcome.name for _, outcome in found)
    broken: dict[str, list[int]] = {}
    for k, outcome in found:
        if outcome.what:
            broken.setdefault(f"{outcome.name} | {outcome.what}", []).append(k)
    numpy_state = "numpy's own state" if given.lenient else 'numpy.seterr(all="raise")'
    body = (
        f"{len(found)} calls of {len(names)} names, seed {given.seed}, {numpy_state}, foreign"
        f" warnings as errors: {kinds['done']} done, {kinds['refused']} refused by betaroc,"
        f" {kinds['error']} other errors, {kinds['warning']} foreign warnings (goals: 0 and 0)."
        f" {minutes:.0f} minutes."
    )
    if broken:
        lines = sorted(broken.items(), key=lambda pair: -len(pair[1]))
        body += "\n\n" + table(
            ["call", "what broke", "times", "first --only"],
            [[*key.split(" | ", 1), str(len(ks)), str(ks[0])] for key, ks in lines],
        )
    report("Random calls on small sets", body, "small_sets.md" if given.write else None)


if __name__ == "__main__":
    main()
