"""Every picture by its name, from the room of its noun: a new one joins by standing there."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from helpers.places import ROOT

PICTURES: dict[str, Callable[..., Any]] = {
    name: picture
    for path in sorted((ROOT / "betaroc").glob("*/pictures.py"))
    for module in [import_module(f"betaroc.{path.parent.name}.pictures")]
    for name, picture in vars(module).items()
    if name.startswith("plot_") and picture.__module__ == module.__name__
}
plot = SimpleNamespace(**PICTURES)
