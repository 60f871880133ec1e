"""A plugin of pytest: seconds of each test that passes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

_seconds: dict[str, float] = {}
_failed: set[str] = set()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _seconds[report.nodeid] = _seconds.get(report.nodeid, 0.0) + report.duration
    if not report.passed:
        _failed.add(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):  # workers tell the one that started them
        passed = {name: s for name, s in _seconds.items() if name not in _failed}
        Path(os.environ["BETAROC_COSTS"]).write_text(json.dumps(passed), encoding="utf-8")
