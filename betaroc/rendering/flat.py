"""The parts of a value laid side by side: columns of a table, and numbers by name."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from betaroc.core.value import Value
from betaroc.rendering.document import content_of

__all__ = ["flat", "metric_names", "single_row", "table_columns"]

#: What is not looked into.
_SIMPLE = (str, bool, int, float, np.generic, np.ndarray)
#: Names that trackers of experiments take.
_OTHER = re.compile(r"[^0-9A-Za-z_./-]+")


def flat(value: Any, between: str = "_") -> Iterator[tuple[str, Any]]:
    """Texts, numbers and arrays within a value, by the names that lead to them."""
    for name, part in _parts(value):
        if part is None or isinstance(part, _SIMPLE):
            yield name, part
        else:
            for further, held in flat(part, between):
                yield f"{name}{'' if further[:1] == '[' else between}{further}", held


def _parts(value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return ((str(name), part) for name, part in value.items())
    if isinstance(value, Value) or hasattr(value, "_fields"):
        also = value._also() if isinstance(value, Value) else ()
        return ((n, part) for n, part in content_of(value).items() if n not in also)
    if isinstance(value, list | tuple):
        return ((f"[{k}]", part) for k, part in enumerate(value))
    return ()


def table_columns(value: Any) -> dict[str, Any]:
    """The parts as columns: a row an entry where all arrays have one size, else one row."""
    parts = {name: part for name, part in flat(value) if "[" not in name}
    sizes = {part.size for part in parts.values() if isinstance(part, np.ndarray)}
    many = len(sizes) == 1
    size = sizes.pop() if many else 1
    return {
        name: _cells(part, size)
        for name, part in parts.items()
        if many or not isinstance(part, np.ndarray)
    }


def single_row(value: Any) -> dict[str, Any]:
    """The texts and numbers among the parts, without the arrays."""
    return {k: v for k, v in flat(value) if "[" not in k and not isinstance(v, np.ndarray)}


def _cells(value: Any, size: int) -> Any:
    if isinstance(value, str):
        return [str(value)] * size
    if isinstance(value, np.ndarray):
        return value.ravel()
    return np.broadcast_to(np.asarray(math.nan if value is None else value), size)


def metric_names(numbers: Iterable[tuple[str, Any]]) -> dict[str, float]:
    """Finite numbers by names of letters, digits, "_", "-", "." and "/"."""
    found: dict[str, float] = {}
    for name, value in numbers:
        if isinstance(value, str | np.ndarray | None) or not math.isfinite(value):
            continue
        plain = _OTHER.sub("_", name).strip("_") or "_"
        again = (f"{plain}_{k}" for k in range(2, len(found) + 3))
        found[plain if plain not in found else next(n for n in again if n not in found)] = float(
            value
        )
    return found
