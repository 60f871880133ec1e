"""Kinds of tests; examples of docstrings run whatever the user's error state of numpy is."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

# Before numpy is imported: a second thread of BLAS waits more than it works, in workers most.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Docstrings are documentation, and what runs at night is a simulation too: too long."""
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            item.add_marker("docs")
        if item.get_closest_marker("nightly"):
            item.add_marker("simulation")


@pytest.fixture(autouse=True)
def _errors_of_numpy_raise(request: pytest.FixtureRequest) -> Iterator[None]:
    if isinstance(request.node, pytest.DoctestItem):
        with np.errstate(all="raise"):
            yield
    else:
        yield


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
