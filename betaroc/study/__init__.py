"""Synthetic-data studies: designs over parameters, repeated trials, results that resume."""

from __future__ import annotations

from betaroc.study.design import Design
from betaroc.study.result import StudyResult, read
from betaroc.study.running import Study
from betaroc.study.trials import Trial

__all__ = ["Design", "Study", "StudyResult", "Trial", "read"]
