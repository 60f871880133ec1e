"""Betaroc: what a classifier will do once its threshold is fixed.

Fit a distribution to the client and to the impostor scores of a classifier;
read off the theoretical ROC, its behaviour at both ends of the threshold range
and every operating point, beside the empirical ones.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from betaroc.adequacy import FitCheck, TargetCheck, check_fit
    from betaroc.analysis import Analysis, analyze
    from betaroc.auc_intervals import AucTest, auc_interval, auc_test
    from betaroc.averages import EpcAverage, epc_average
    from betaroc.bands import Band
    from betaroc.batch_statistics import mean_logs
    from betaroc.comparison import Comparison, compare
    from betaroc.covariates import CovariateFit, fit_covariates
    from betaroc.cross_validation import EpcCv, epc_cv
    from betaroc.distributions import (
        Beta,
        BetaMixture,
        Binned,
        Distribution,
        Empirical,
        Inflated,
        LogitNormal,
        Normal,
        Shape,
        Shifted,
        beta_auc,
    )
    from betaroc.ensemble import Fusion, Inclusion, Verdict, inclusion
    from betaroc.errors import (
        BetarocError,
        BetarocWarning,
        BoundaryWarning,
        DegenerateDataError,
        DiscretenessWarning,
        DuplicateWarning,
        EngineError,
        ExtrapolationWarning,
        FileFormatError,
        FitError,
        InfluenceWarning,
        InputError,
        InputTypeError,
        MisfitWarning,
        MissingDependencyError,
        OutputError,
        PrecisionWarning,
        ReversedScoresWarning,
        SameDataWarning,
        ScaleWarning,
        ScoreFileNotFoundError,
        SmallSampleWarning,
        StudyError,
        TargetWarning,
    )
    from betaroc.expected_performance import Epc, epc
    from betaroc.family_choice import FamilyComparison, FamilyRow, compare_families
    from betaroc.fitting import DistributionFit, Fit, beta_mle, fit, fit_distribution
    from betaroc.forecast import EpcForecast, epc_forecast
    from betaroc.guarantee import GuaranteedThreshold, guaranteed_threshold
    from betaroc.intervals import Interval
    from betaroc.io import read_scores
    from betaroc.many_fits import fit_many
    from betaroc.measures import OperatingPoint
    from betaroc.model import ScoreModel
    from betaroc.nested import LikelihoodRatioTest, likelihood_ratio_test
    from betaroc.pair_solving import solve_pair
    from betaroc.planning import SampleSize, plan_sample_size
    from betaroc.roc import Roc
    from betaroc.samples import sample_systems
    from betaroc.scores import Scores
    from betaroc.study import Design, Study, StudyResult
    from betaroc.summary import ClassSummary, ScoreSummary, summarize

__version__ = "0.1.0"

_ROOMS = {
    "adequacy": ("FitCheck", "TargetCheck", "check_fit"),
    "analysis": ("Analysis", "analyze"),
    "auc_intervals": ("AucTest", "auc_interval", "auc_test"),
    "averages": ("EpcAverage", "epc_average"),
    "bands": ("Band",),
    "batch_statistics": ("mean_logs",),
    "comparison": ("Comparison", "compare"),
    "covariates": ("CovariateFit", "fit_covariates"),
    "many_fits": ("fit_many",),
    "cross_validation": ("EpcCv", "epc_cv"),
    "distributions": (
        "Beta", "BetaMixture", "Binned", "Distribution", "Empirical", "Inflated", "LogitNormal",
        "Normal", "Shape", "Shifted", "beta_auc",
    ),
    "ensemble": ("Fusion", "Inclusion", "Verdict", "inclusion"),
    "expected_performance": ("Epc", "epc"),
    "errors": (
        "BetarocError", "BetarocWarning", "BoundaryWarning", "DegenerateDataError",
        "DiscretenessWarning", "DuplicateWarning", "EngineError",
        "ExtrapolationWarning", "FileFormatError", "FitError", "InfluenceWarning", "InputError",
        "InputTypeError", "MisfitWarning", "MissingDependencyError",
        "OutputError", "PrecisionWarning", "ReversedScoresWarning", "SameDataWarning",
        "ScaleWarning", "ScoreFileNotFoundError", "SmallSampleWarning", "StudyError",
        "TargetWarning",
    ),
    "family_choice": ("FamilyComparison", "FamilyRow", "compare_families"),
    "fitting": ("DistributionFit", "Fit", "beta_mle", "fit", "fit_distribution"),
    "forecast": ("EpcForecast", "epc_forecast"),
    "guarantee": ("GuaranteedThreshold", "guaranteed_threshold"),
    "intervals": ("Interval",),
    "io": ("read_scores",),
    "measures": ("OperatingPoint",),
    "model": ("ScoreModel",),
    "nested": ("LikelihoodRatioTest", "likelihood_ratio_test"),
    "planning": ("SampleSize", "plan_sample_size"),
    "pair_solving": ("solve_pair",),
    "roc": ("Roc",),
    "samples": ("sample_systems",),
    "scores": ("Scores",),
    "study": ("Design", "Study", "StudyResult"),
    "summary": ("ClassSummary", "ScoreSummary", "summarize"),
}  # fmt: skip
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "Analysis", "AucTest", "Band", "Beta", "BetaMixture", "BetarocError", "BetarocWarning",
    "Binned", "BoundaryWarning", "ClassSummary", "Comparison", "CovariateFit",
    "DegenerateDataError", "Design", "DiscretenessWarning", "Distribution", "DistributionFit",
    "DuplicateWarning", "Empirical", "EngineError", "Epc", "EpcAverage", "EpcCv", "EpcForecast",
    "ExtrapolationWarning", "FamilyComparison", "FamilyRow", "FileFormatError", "Fit", "FitCheck",
    "FitError", "Fusion", "GuaranteedThreshold", "Inclusion", "Inflated", "InfluenceWarning",
    "InputError", "InputTypeError", "Interval", "LikelihoodRatioTest", "LogitNormal",
    "MisfitWarning", "MissingDependencyError",
    "Normal", "OperatingPoint", "OutputError", "PrecisionWarning", "ReversedScoresWarning", "Roc",
    "SameDataWarning", "SampleSize", "ScaleWarning", "ScoreFileNotFoundError", "ScoreModel",
    "ScoreSummary", "Scores", "Shape", "Shifted", "SmallSampleWarning", "Study", "StudyError",
    "StudyResult", "TargetCheck", "TargetWarning", "Verdict", "analyze", "auc_interval", "auc_test",
    "beta_auc", "beta_mle", "check_fit", "compare", "compare_families", "epc", "epc_average",
    "epc_cv", "epc_forecast", "fit", "fit_covariates", "fit_distribution", "fit_many",
    "guaranteed_threshold", "inclusion", "likelihood_ratio_test", "mean_logs", "plan_sample_size",
    "read_scores", "sample_systems", "solve_pair", "summarize",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "errors":
        return import_module("betaroc.errors")
    if name not in _HOME:
        raise AttributeError(f"module 'betaroc' has no attribute {name!r}")
    value = getattr(import_module(f"betaroc.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "errors", *(name for name in globals() if name.startswith("__"))])
