"""Kinds of tests; examples of docstrings run whatever the user's error state of numpy is."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

# Before numpy is imported: a second thread of BLAS waits more than it works, in workers most.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest

PACKAGE = Path(__file__).parent / "betaroc"
Wrapper = Generator[None, Any, Any]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Wrapper:
    """Collected tests all live on: nobody looks for garbage among them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Wrapper:
    """Only the package has examples in docstrings, and none where no pages are asked for."""
    found = yield
    wanted = file_path.is_relative_to(PACKAGE) and "not docs" not in parent.config.option.markexpr
    return found if wanted else [x for x in found if type(x) is pytest.Module]  # no doctests


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Docstrings are documentation, and what runs at night is a simulation too: too long."""
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            item.add_marker("docs")
        if item.get_closest_marker("nightly"):
            item.add_marker("simulation")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Wrapper:
    """Errors of numpy raise in examples of docstrings."""
    if not isinstance(item, pytest.DoctestItem):
        return (yield)
    with np.errstate(all="raise"):
        return (yield)


def pytest_runtest_teardown() -> None:
    """No figure stays open."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
