"""One analysis and its page, and pages without pictures, for all tests of reports."""

from __future__ import annotations

import pytest

import betaroc as br
from betaroc.report.page import render_report
from helpers.places import DATA

LIVENESS = DATA / "liveness_cross_logreg"


@pytest.fixture(scope="session")
def analysis() -> br.Analysis:
    dev = br.read_scores(LIVENESS / "dev.csv")
    return br.analyze(dev, br.read_scores(LIVENESS / "test_sharpen0.40.csv"), family="beta")


@pytest.fixture(scope="session")
def text(analysis: br.Analysis) -> str:
    return render_report(analysis)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """As short a check as can be, where it is not the matter."""
    monkeypatch.setattr("betaroc.report.quality.CHECK_REPLICATES", 19)


@pytest.fixture
def panel_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pictures but those of expected performance: drawing takes time and shows nothing new."""
    monkeypatch.setattr("betaroc.report.page.histogram_figures", lambda analysis: [[], []])
    monkeypatch.setattr("betaroc.report.page.curve_figures", lambda analysis: [])
    monkeypatch.setattr("betaroc.report.page.probability_figures", lambda analysis: {})
