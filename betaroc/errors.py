"""Errors and warnings of betaroc."""

from betaroc.core.errors import *  # noqa: F403
from betaroc.core.errors import __all__ as __all__  # noqa: PLC0414
