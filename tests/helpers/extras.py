"""Modules of extras: a test file that needs one skips with its name where it is not installed."""

from __future__ import annotations

from typing import Any

import pytest


def needs(module: str, extra: str) -> Any:
    """The module, or all tests of the file skip."""
    return pytest.importorskip(module, reason=f"needs {module}, of the extra [{extra}]")
