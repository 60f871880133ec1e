"""Classes that the functions of betaroc return and nobody constructs."""

from betaroc.data.scores import Confusion
from betaroc.data.sums import ClassSummary
from betaroc.decision.categories import Categories
from betaroc.decision.comparison import Comparison, StrataDifferences, SystemsComparison
from betaroc.decision.decide import Decision, DecisionCheck
from betaroc.decision.epc import Audit, EpcAverage, EpcCv
from betaroc.decision.epsc import Epsc
from betaroc.decision.forecast import EpcForecast, TargetForecast
from betaroc.decision.monitor import Monitor
from betaroc.decision.strata import UnseenStrata
from betaroc.decision.tandem import Tandem
from betaroc.decision.threshold_methods import ThresholdMethod
from betaroc.decision.trainings import VarianceComponents
from betaroc.distributions.normal import LogitSinhArcsinh
from betaroc.distributions.rank_normal import RankNormal
from betaroc.distributions.strata import StrataMixture, WorstStratum
from betaroc.ensemble.choice import SetChoice
from betaroc.ensemble.fusion import Fusion
from betaroc.ensemble.inclusion import Inclusion
from betaroc.ensemble.learned import LogisticFusion
from betaroc.ensemble.rule import Verdict
from betaroc.fits.check import FitCheck, TargetCheck
from betaroc.fits.covariates import CovariateFit
from betaroc.fits.family_choice import FamilyComparison, FamilyRow, LikelihoodRatioTest, TailRow
from betaroc.fits.fit import DistributionFit, StrataFits
from betaroc.inference.cost_curves import CostCurve
from betaroc.inference.differences import AucTest, Difference
from betaroc.inference.interval import Band
from betaroc.inference.strata import StrataTable
from betaroc.studies.plan import SampleSize
from betaroc.studies.result import StudyResult

__all__ = [
    "AucTest", "Audit", "Band", "Categories", "ClassSummary", "Comparison", "Confusion",
    "CostCurve", "CovariateFit", "Decision", "DecisionCheck", "Difference", "DistributionFit",
    "EpcAverage", "EpcCv", "EpcForecast", "Epsc", "FamilyComparison", "FamilyRow", "FitCheck",
    "Fusion", "Inclusion", "LikelihoodRatioTest", "LogisticFusion", "LogitSinhArcsinh", "Monitor",
    "RankNormal", "SampleSize", "SetChoice", "StrataDifferences", "StrataFits", "StrataMixture",
    "StrataTable", "StudyResult", "SystemsComparison", "TailRow", "Tandem", "TargetCheck",
    "TargetForecast", "ThresholdMethod", "UnseenStrata", "VarianceComponents", "Verdict",
    "WorstStratum",
]  # fmt: skip
