"""What holds of every value of the core."""

from __future__ import annotations

import dataclasses
import importlib

from helpers.places import ROOT

ROOMS = ("distributions", "model", "estimation", "inference", "fits", "decision")


def test_every_value_is_frozen() -> None:
    found = 0
    for room in ROOMS:
        for path in sorted((ROOT / "betaroc" / room).glob("[!_]*.py")):
            module = importlib.import_module(f"betaroc.{room}.{path.stem}")
            for value in vars(module).values():
                if isinstance(value, type) and dataclasses.is_dataclass(value):
                    assert value.__dataclass_params__.frozen, value
                    found += 1
    assert found > 100
