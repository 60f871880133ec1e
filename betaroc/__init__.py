"""Betaroc: what a classifier will do once its threshold is fixed.

Fit a distribution to the client and to the impostor scores of a classifier;
read off the theoretical ROC, its behaviour at both ends of the threshold range
and every operating point, beside the empirical ones.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from betaroc.core.errors import (
        BetarocError as BetarocError,
        BetarocWarning as BetarocWarning,
        BoundaryWarning as BoundaryWarning,
        DegenerateDataError as DegenerateDataError,
        DiscretenessWarning as DiscretenessWarning,
        DuplicateWarning as DuplicateWarning,
        EngineError as EngineError,
        ExtrapolationWarning as ExtrapolationWarning,
        FileFormatError as FileFormatError,
        FitError as FitError,
        InfluenceWarning as InfluenceWarning,
        InputError as InputError,
        InputTypeError as InputTypeError,
        MisfitWarning as MisfitWarning,
        MissingDependencyError as MissingDependencyError,
        MissingScoreWarning as MissingScoreWarning,
        OutputError as OutputError,
        PrecisionWarning as PrecisionWarning,
        ReversedScoresWarning as ReversedScoresWarning,
        SameDataWarning as SameDataWarning,
        ScaleWarning as ScaleWarning,
        ScoreFileNotFoundError as ScoreFileNotFoundError,
        SmallSampleWarning as SmallSampleWarning,
        StudyError as StudyError,
        TargetWarning as TargetWarning,
    )
    from betaroc.data import datasets as datasets
    from betaroc.data.accepted import Confusion as Confusion
    from betaroc.data.read import read_scores
    from betaroc.data.scores import Scores
    from betaroc.data.summary import ScoreSummary, summarize
    from betaroc.data.sums import ClassSummary as ClassSummary
    from betaroc.decision.averages import EpcAverage as EpcAverage, epc_average
    from betaroc.decision.comparison import Comparison as Comparison, compare
    from betaroc.decision.cross_validation import EpcCv as EpcCv, epc_cv
    from betaroc.decision.decide import (
        Decision as Decision,
        DecisionCheck as DecisionCheck,
        decide,
    )
    from betaroc.decision.epc import Epc, epc
    from betaroc.decision.forecast import EpcForecast as EpcForecast, epc_forecast
    from betaroc.decision.systems import (
        SystemsComparison as SystemsComparison,
        compare_systems,
    )
    from betaroc.decision.target_forecast import TargetForecast as TargetForecast
    from betaroc.decision.ways import Way as Way
    from betaroc.distributions.base import Distribution
    from betaroc.distributions.beta import Beta, Shape, beta_auc
    from betaroc.distributions.binned import Binned
    from betaroc.distributions.empirical import Empirical
    from betaroc.distributions.gamma import Gamma
    from betaroc.distributions.inflated import Inflated, Rejecting
    from betaroc.distributions.logit_normal import LogitNormal, LogNormal
    from betaroc.distributions.mixture import BetaMixture, NormalMixture
    from betaroc.distributions.normal import Normal
    from betaroc.distributions.pareto_tail import ParetoTail
    from betaroc.distributions.shifted import Shifted
    from betaroc.distributions.sinh_arcsinh import LogitSinhArcsinh as LogitSinhArcsinh, SinhArcsinh
    from betaroc.distributions.spliced import Spliced
    from betaroc.ensemble.fusion import Fusion as Fusion
    from betaroc.ensemble.inclusion import Inclusion as Inclusion, inclusion
    from betaroc.ensemble.rule import Verdict as Verdict
    from betaroc.estimation.batch import mean_logs
    from betaroc.estimation.newton import beta_mle
    from betaroc.fits.check import FitCheck as FitCheck, check_fit
    from betaroc.fits.covariates import CovariateFit as CovariateFit, fit_covariates
    from betaroc.fits.estimate import fit, fit_distribution
    from betaroc.fits.family_choice import (
        FamilyComparison as FamilyComparison,
        FamilyRow as FamilyRow,
        TailRow as TailRow,
        compare_families,
    )
    from betaroc.fits.fit import DistributionFit as DistributionFit, Fit
    from betaroc.fits.many_fits import fit_many
    from betaroc.fits.nested import (
        LikelihoodRatioTest as LikelihoodRatioTest,
        likelihood_ratio_test,
    )
    from betaroc.fits.target_checks import TargetCheck as TargetCheck
    from betaroc.inference.auc import AucTest as AucTest, auc_interval, auc_test
    from betaroc.inference.differences import Difference as Difference, difference
    from betaroc.inference.interval import Band as Band, Interval
    from betaroc.inference.intervals import interval
    from betaroc.inference.roc_bands import roc_band
    from betaroc.model.measures import OperatingPoint
    from betaroc.model.model import ScoreModel
    from betaroc.model.roc import Roc
    from betaroc.model.samples import sample_systems
    from betaroc.model.statistics import statistics
    from betaroc.report.analysis import Analysis, analyze
    from betaroc.report.documents import from_json
    from betaroc.studies.design import Design
    from betaroc.studies.plan import SampleSize as SampleSize, plan_sample_size
    from betaroc.studies.result import StudyResult as StudyResult
    from betaroc.studies.solve import solve_pair
    from betaroc.studies.study import Study

__version__ = "0.2.0"

_HOMES = {
    "core.errors": (
        "BetarocError", "BetarocWarning", "BoundaryWarning", "DegenerateDataError",
        "DiscretenessWarning", "DuplicateWarning", "EngineError", "ExtrapolationWarning",
        "FileFormatError", "FitError", "InfluenceWarning", "InputError", "InputTypeError",
        "MisfitWarning", "MissingDependencyError", "MissingScoreWarning", "OutputError",
        "PrecisionWarning",
        "ReversedScoresWarning", "SameDataWarning", "ScaleWarning", "ScoreFileNotFoundError",
        "SmallSampleWarning", "StudyError", "TargetWarning",
    ),
    "distributions.base": ("Distribution",),
    "distributions.beta": ("Beta", "Shape", "beta_auc"),
    "distributions.binned": ("Binned",),
    "data.accepted": ("Confusion",),
    "distributions.empirical": ("Empirical",),
    "distributions.inflated": ("Inflated", "Rejecting"),
    "distributions.gamma": ("Gamma",),
    "distributions.logit_normal": ("LogNormal", "LogitNormal"),
    "distributions.mixture": ("BetaMixture", "NormalMixture"),
    "distributions.normal": ("Normal",),
    "distributions.pareto_tail": ("ParetoTail",),
    "distributions.shifted": ("Shifted",),
    "distributions.sinh_arcsinh": ("LogitSinhArcsinh", "SinhArcsinh"),
    "distributions.spliced": ("Spliced",),
    "data.read": ("read_scores",),
    "data.scores": ("Scores",),
    "data.summary": ("ClassSummary", "ScoreSummary", "summarize"),
    "model.measures": ("OperatingPoint",),
    "model.model": ("ScoreModel",),
    "model.roc": ("Roc",),
    "model.samples": ("sample_systems",),
    "model.statistics": ("statistics",),
    "estimation.batch": ("mean_logs",),
    "fits.many_fits": ("fit_many",),
    "estimation.newton": ("beta_mle",),
    "inference.auc": ("AucTest", "auc_interval", "auc_test"),
    "inference.differences": ("Difference", "difference"),
    "inference.interval": ("Band", "Interval"),
    "inference.intervals": ("interval",),
    "inference.roc_bands": ("roc_band",),
    "fits.check": ("FitCheck", "TargetCheck", "check_fit"),
    "fits.covariates": ("CovariateFit", "fit_covariates"),
    "fits.estimate": ("fit", "fit_distribution"),
    "fits.family_choice": ("FamilyComparison", "FamilyRow", "TailRow", "compare_families"),
    "fits.fit": ("DistributionFit", "Fit"),
    "fits.nested": ("LikelihoodRatioTest", "likelihood_ratio_test"),
    "decision.averages": ("EpcAverage", "epc_average"),
    "decision.comparison": ("Comparison", "compare"),
    "decision.systems": ("SystemsComparison", "compare_systems"),
    "decision.cross_validation": ("EpcCv", "epc_cv"),
    "decision.decide": ("Decision", "DecisionCheck", "decide"),
    "decision.ways": ("Way",),
    "decision.epc": ("Epc", "epc"),
    "decision.forecast": ("EpcForecast", "epc_forecast"),
    "decision.target_forecast": ("TargetForecast",),
    "studies.design": ("Design",),
    "studies.plan": ("SampleSize", "plan_sample_size"),
    "studies.result": ("StudyResult",),
    "studies.solve": ("solve_pair",),
    "studies.study": ("Study",),
    "ensemble.fusion": ("Fusion",),
    "ensemble.inclusion": ("Inclusion", "inclusion"),
    "ensemble.rule": ("Verdict",),
    "report.analysis": ("Analysis", "analyze"),
    "report.documents": ("from_json",),
}  # fmt: skip
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Analysis", "Beta", "BetaMixture", "Binned", "Design", "Distribution", "Empirical", "Epc",
    "Fit", "Gamma", "Inflated", "Interval", "LogNormal", "LogitNormal", "Normal", "NormalMixture",
    "OperatingPoint", "ParetoTail", "Rejecting", "Roc", "ScoreModel", "ScoreSummary", "Scores",
    "Shape", "Shifted", "SinhArcsinh", "Spliced", "Study", "analyze", "auc_interval", "auc_test",
    "beta_auc", "beta_mle", "check_fit", "compare", "compare_families", "compare_systems", "decide",
    "difference", "epc", "epc_average", "epc_cv", "epc_forecast", "fit", "fit_covariates",
    "fit_distribution", "fit_many", "from_json", "inclusion", "interval",
    "likelihood_ratio_test", "mean_logs", "plan_sample_size", "read_scores", "roc_band",
    "sample_systems", "solve_pair", "statistics", "summarize",
]  # fmt: skip

#: What functions return and nobody constructs: `betaroc.results`.
_RESULTS = (
    "AucTest", "Band", "ClassSummary", "Comparison", "Confusion", "CovariateFit", "Decision",
    "DecisionCheck", "Difference", "DistributionFit", "EpcAverage", "EpcCv", "EpcForecast",
    "FamilyComparison", "FamilyRow", "FitCheck", "Fusion", "Inclusion",
    "LikelihoodRatioTest", "LogitSinhArcsinh", "SampleSize", "StudyResult", "SystemsComparison",
    "TailRow", "TargetCheck", "TargetForecast", "Verdict", "Way",
)  # fmt: skip
#: Modules under a name of their own.
_ROOMS = {"datasets": "data.datasets", "errors": "core.errors"}


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"betaroc.{_ROOMS[name]}")
    if name == "results":
        return _results()
    if name not in _HOME:
        raise AttributeError(f"module 'betaroc' has no attribute {name!r}")
    value = getattr(import_module(f"betaroc.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def _results() -> ModuleType:
    """The results as a module, made when it is first asked for."""
    module = ModuleType("betaroc.results", "What the functions of betaroc return.")
    vars(module).update({name: __getattr__(name) for name in _RESULTS}, __all__=list(_RESULTS))
    globals()["results"] = module
    return module


def __dir__() -> list[str]:
    return sorted(
        [*__all__, *_ROOMS, "results", *(name for name in globals() if name.startswith("__"))]
    )
