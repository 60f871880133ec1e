"""One analysis and its page, for all tests of reports."""

import pytest

import betaroc as br
from betaroc.report.page import render_report
from helpers.places import DATA

LIVENESS = DATA / "liveness_cross_logreg"


@pytest.fixture(scope="session")
def analysis():
    dev = br.read_scores(LIVENESS / "dev.csv")
    return br.analyze(dev, br.read_scores(LIVENESS / "test_sharpen0.40.csv"), family="beta")


@pytest.fixture(scope="session")
def text(analysis):
    return render_report(analysis)
