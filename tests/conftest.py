"""What all tests share: no window is opened, and figures do not pile up."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

os.environ["MPLBACKEND"] = "Agg"

# The generators of reference numbers need packages that the tests do not.
collect_ignore_glob = ["reference/*"]


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
