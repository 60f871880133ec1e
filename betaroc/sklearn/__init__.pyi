from betaroc.sklearn.classifier import ThresholdClassifier as ThresholdClassifier
from betaroc.sklearn.displays import (
    DetDisplay as DetDisplay,
    EpcDisplay as EpcDisplay,
    RocDisplay as RocDisplay,
)
from betaroc.sklearn.scorers import (
    hter_scorer as hter_scorer,
    weighted_error_scorer as weighted_error_scorer,
)
