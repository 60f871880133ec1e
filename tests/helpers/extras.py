"""Modules of extras: a test file that needs one skips with its name where it is not installed."""

import pytest


def needs(module, extra):
    """The module, or all tests of the file skip."""
    return pytest.importorskip(module, reason=f"needs {module}, of the extra [{extra}]")
