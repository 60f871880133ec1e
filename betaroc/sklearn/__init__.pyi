from betaroc.sklearn.classifier import ThresholdClassifier as ThresholdClassifier
from betaroc.sklearn.displays import DetDisplay as DetDisplay, RocDisplay as RocDisplay
from betaroc.sklearn.epc_display import EpcDisplay as EpcDisplay
from betaroc.sklearn.scorers import (
    hter_scorer as hter_scorer,
    weighted_error_scorer as weighted_error_scorer,
)
