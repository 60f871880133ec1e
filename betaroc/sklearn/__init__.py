"""The door to scikit-learn: a classifier that decides for a target, displays, scorers.

Needs scikit-learn: ``pip install "betaroc[sklearn]"``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "DetDisplay": "displays", "EpcDisplay": "displays", "RocDisplay": "displays",
    "ThresholdClassifier": "classifier", "hter_scorer": "scorers",
    "weighted_error_scorer": "scorers",
}  # fmt: skip
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'betaroc.sklearn' has no attribute {name!r}")
    try:
        value = getattr(import_module(f"betaroc.sklearn.{_HOME[name]}"), name)
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] != "sklearn":
            raise
        from betaroc.core.errors import MissingDependencyError

        raise MissingDependencyError(
            f"betaroc.sklearn.{name} needs scikit-learn, which is not installed."
            ' pip install "betaroc[sklearn]"'
        ) from error
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
