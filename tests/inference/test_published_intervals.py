"""Intervals and tests that another package gives for published data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import betaroc as br

PROC: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "reference/proc.json").read_text(encoding="utf-8")
)
MARKERS = ("s100b", "ndka", "wfns")


def marker(name: str) -> br.Scores:
    """A marker of the aSAH data; poor outcomes are the clients."""
    poor, x = np.array(PROC["poor"], dtype=bool), np.array(PROC[name])
    return br.Scores(x[poor], x[~poor])


def test_intervals_of_areas_are_those_of_proc() -> None:
    for name in MARKERS:
        for level in (0.95, 0.9):
            found = br.interval(marker(name), "auc", level=level, method="delong")
            ends = [found.low, found.estimate, found.high]
            assert ends == pytest.approx(PROC[f"{name}, {level:g}"], rel=1e-13)
    # As published (Robin et al., 2011, doi:10.1186/1471-2105-12-77): 0.7314, 0.6301 to 0.8326.
    found = br.auc_interval(marker("s100b"), method="delong")
    shown = [f"{x:.4f}" for x in (found.estimate, found.low, found.high)]
    assert shown == ["0.7314", "0.6301", "0.8326"]


def test_tests_of_areas_are_those_of_proc() -> None:
    for row in PROC["tests"]:
        pair = marker(row["a"]), marker(row["b"])
        found = br.auc_test(*pair, paired=row["paired"])
        ends = [found.p_value, found.difference.low, found.difference.high]
        numbers = [found.statistic, *(ends if row["paired"] else [])]
        assert numbers == pytest.approx(row["found"], rel=1e-12), row
        if row["paired"]:
            same = br.difference(*pair, "auc")
            assert [same.p_value, same.low, same.high] == ends
