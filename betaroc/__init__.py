"""Betaroc: what a classifier will do once its threshold is fixed.

Fit distributions to the client and impostor scores of a classifier; read off the
theoretical ROC, its behaviour at both ends of the threshold range and every
operating point, beside the empirical ones.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from betaroc.core.errors import __all__ as _errors

if TYPE_CHECKING:
    from betaroc import datasets as datasets, errors as errors, results as results
    from betaroc.data.read import read_scores
    from betaroc.data.scores import Scores
    from betaroc.data.summary import ScoreSummary, summarize
    from betaroc.decision.categories import categories
    from betaroc.decision.comparison import compare, compare_systems
    from betaroc.decision.decide import decide
    from betaroc.decision.epc import Epc, audit, epc, epc_average, epc_cv
    from betaroc.decision.epsc import epsc
    from betaroc.decision.forecast import epc_forecast
    from betaroc.decision.tandem import tandem
    from betaroc.decision.trainings import mean_curve, variance_components
    from betaroc.distributions.base import Distribution
    from betaroc.distributions.beta import Beta, Shape, beta_auc, beta_mle
    from betaroc.distributions.empirical import Binned, Empirical
    from betaroc.distributions.gamma import Gamma
    from betaroc.distributions.inflated import Inflated, Rejecting
    from betaroc.distributions.mixture import BetaMixture, NormalMixture
    from betaroc.distributions.normal import LogitNormal, LogNormal, Normal, SinhArcsinh
    from betaroc.distributions.shifted import Shifted
    from betaroc.distributions.spliced import ParetoTail, Spliced
    from betaroc.ensemble.inclusion import inclusion
    from betaroc.estimation.batch import mean_logs
    from betaroc.fits.check import check_fit
    from betaroc.fits.covariates import fit_covariates
    from betaroc.fits.family_choice import compare_families, likelihood_ratio_test
    from betaroc.fits.fit import Fit, fit, fit_distribution
    from betaroc.fits.many_fits import fit_many
    from betaroc.inference.auc import auc_interval
    from betaroc.inference.cost_curves import bayes_error_curve, decision_curve
    from betaroc.inference.differences import auc_test, difference
    from betaroc.inference.interval import Interval
    from betaroc.inference.intervals import interval, roc_band
    from betaroc.inference.strata import by_stratum
    from betaroc.model.measures import OperatingPoint
    from betaroc.model.model import ScoreModel
    from betaroc.model.roc import Roc
    from betaroc.model.samples import sample_systems
    from betaroc.model.statistics import statistics
    from betaroc.report.analysis import Analysis, analyze
    from betaroc.report.documents import from_json
    from betaroc.studies.design import Design
    from betaroc.studies.plan import plan_sample_size
    from betaroc.studies.solve import solve_pair
    from betaroc.studies.study import Study

__version__ = "0.3.0"

_HOMES = {
    "distributions.base": ("Distribution",),
    "distributions.beta": ("Beta", "Shape", "beta_auc", "beta_mle"),
    "distributions.empirical": ("Binned", "Empirical"),
    "distributions.inflated": ("Inflated", "Rejecting"),
    "distributions.gamma": ("Gamma",),
    "distributions.mixture": ("BetaMixture", "NormalMixture"),
    "distributions.normal": (
        "LogNormal", "LogitNormal", "LogitSinhArcsinh", "Normal", "SinhArcsinh",
    ),
    "distributions.rank_normal": ("RankNormal",),
    "distributions.shifted": ("Shifted",),
    "distributions.spliced": ("ParetoTail", "Spliced"),
    "distributions.strata": ("StrataMixture", "WorstStratum"),
    "data.read": ("read_scores",),
    "data.scores": ("Confusion", "Scores"),
    "data.summary": ("ClassSummary", "ScoreSummary", "summarize"),
    "model.measures": ("OperatingPoint",),
    "model.model": ("ScoreModel",),
    "model.roc": ("Roc",),
    "model.samples": ("sample_systems",),
    "model.statistics": ("statistics",),
    "estimation.batch": ("mean_logs",),
    "fits.many_fits": ("fit_many",),
    "inference.auc": ("auc_interval",),
    "inference.cost_curves": ("CostCurve", "bayes_error_curve", "decision_curve"),
    "inference.differences": ("AucTest", "Difference", "auc_test", "difference"),
    "inference.interval": ("Band", "Interval"),
    "inference.intervals": ("interval", "roc_band"),
    "inference.strata": ("StrataTable", "by_stratum"),
    "fits.check": ("FitCheck", "TargetCheck", "check_fit"),
    "fits.covariates": ("CovariateFit", "fit_covariates"),
    "fits.family_choice": (
        "FamilyComparison", "FamilyRow", "LikelihoodRatioTest", "TailRow", "compare_families",
        "likelihood_ratio_test",
    ),
    "fits.fit": ("DistributionFit", "Fit", "StrataFits", "fit", "fit_distribution"),
    "decision.comparison": (
        "Comparison", "StrataDifferences", "SystemsComparison", "compare", "compare_systems",
    ),
    "decision.decide": ("Decision", "DecisionCheck", "decide"),
    "decision.monitor": ("Monitor",),
    "decision.strata": ("UnseenStrata",),
    "decision.tandem": ("Tandem", "tandem"),
    "decision.trainings": ("VarianceComponents", "mean_curve", "variance_components"),
    "decision.threshold_methods": ("ThresholdMethod",),
    "decision.epc": (
        "Audit", "Epc", "EpcAverage", "EpcCv", "audit", "epc", "epc_average", "epc_cv",
    ),
    "decision.epsc": ("Epsc", "epsc"),
    "decision.categories": ("Categories", "categories"),
    "decision.forecast": ("EpcForecast", "TargetForecast", "epc_forecast"),
    "studies.design": ("Design",),
    "studies.plan": ("SampleSize", "plan_sample_size"),
    "studies.result": ("StudyResult",),
    "studies.solve": ("solve_pair",),
    "studies.study": ("Study",),
    "ensemble.fusion": ("Fusion",),
    "ensemble.choice": ("SetChoice",),
    "ensemble.inclusion": ("Inclusion", "inclusion"),
    "ensemble.learned": ("LogisticFusion",),
    "ensemble.rule": ("Verdict",),
    "report.analysis": ("Analysis", "analyze"),
    "report.documents": ("from_json",),
}  # fmt: skip
_HOMES["core.errors"] = tuple(_errors)
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Analysis", "Beta", "BetaMixture", "Binned", "Design", "Distribution", "Empirical", "Epc",
    "Fit", "Gamma", "Inflated", "Interval", "LogNormal", "LogitNormal", "Normal", "NormalMixture",
    "OperatingPoint", "ParetoTail", "Rejecting", "Roc", "ScoreModel", "ScoreSummary", "Scores",
    "Shape", "Shifted", "SinhArcsinh", "Spliced", "Study", "analyze", "auc_interval", "auc_test",
    "audit", "bayes_error_curve", "beta_auc", "beta_mle", "by_stratum", "categories", "check_fit",
    "compare", "compare_families", "compare_systems", "decide", "decision_curve", "difference",
    "epc", "epc_average", "epc_cv", "epc_forecast", "epsc", "fit", "fit_covariates",
    "fit_distribution", "fit_many", "from_json", "inclusion", "interval", "likelihood_ratio_test",
    "mean_curve", "mean_logs", "plan_sample_size", "read_scores", "roc_band", "sample_systems",
    "solve_pair", "statistics", "summarize", "tandem", "variance_components",
]  # fmt: skip

if TYPE_CHECKING:  # public too, and left out by `from betaroc import *`
    from betaroc.core.errors import *  # noqa: F403
    from betaroc.results import *  # noqa: F403

    __all__ += errors.__all__
    __all__ += results.__all__

#: Modules that pass on the names of rooms.
_MODULES = ("datasets", "errors", "results")


if not TYPE_CHECKING:  # a misspelt name is an error of a type checker

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return import_module(f"betaroc.{name}")
        if name not in _HOME:
            raise AttributeError(f"module 'betaroc' has no attribute {name!r}")
        value = getattr(import_module(f"betaroc.{_HOME[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES, *(name for name in globals() if name.startswith("__"))])
