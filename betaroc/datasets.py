"""Real scores that come with the package."""

from betaroc.data.datasets import *  # noqa: F403
from betaroc.data.datasets import __all__ as __all__  # noqa: PLC0414
