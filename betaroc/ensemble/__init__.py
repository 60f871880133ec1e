"""Ensembles: which classifiers to join, by their theoretical ROCs and by the measured gain."""

from __future__ import annotations

from betaroc.ensemble.fusion import Fusion
from betaroc.ensemble.learned import LearnedGain
from betaroc.ensemble.result import Inclusion, inclusion
from betaroc.ensemble.rule import Verdict

__all__ = ["Fusion", "Inclusion", "LearnedGain", "Verdict", "inclusion"]
