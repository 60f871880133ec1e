"""What all tests share: no window is opened."""

import os

import pytest

os.environ["MPLBACKEND"] = "Agg"
os.environ["COLUMNS"] = "1000"  # a line of text is a line of the terminal


@pytest.fixture
def few(monkeypatch):
    """As short a check as can be, where it is not the matter."""
    monkeypatch.setattr("betaroc.report.score_set.CHECK_REPLICATES", 19)


@pytest.fixture
def panel_alone(monkeypatch):
    """No pictures but those of expected performance: drawing takes time and shows nothing new."""
    monkeypatch.setattr("betaroc.report.page.curve_figures", lambda analysis: [])
    monkeypatch.setattr("betaroc.report.page.fit_figures", lambda analysis: [])
