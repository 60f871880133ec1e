"""What all values share: equality by content, arrays too, and a repr to paste back."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np


def _same(first: Any, second: Any) -> bool:
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        one, two = np.asarray(first), np.asarray(second)
        if one.shape != two.shape or (one.dtype.kind == "f") != (two.dtype.kind == "f"):
            return False
        return bool(np.array_equal(one, two, equal_nan=one.dtype.kind == "f"))
    if isinstance(first, float) and isinstance(second, float):
        return first == second or (first != first and second != second)
    return type(first) is type(second) and bool(first == second)


def _paste(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return repr(value.tolist())
    if isinstance(value, np.generic):
        return repr(value.item())
    return repr(value)


class Value:
    """Base of the frozen dataclasses: compares by content, nan equal to nan.

    Only fields with ``compare=True`` take part; only those with ``repr=True``
    and a value other than their default are shown.
    """

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(
            _same(getattr(self, f.name), getattr(other, f.name))
            for f in fields(self)  # type: ignore[arg-type]
            if f.compare
        )

    def __hash__(self) -> int:
        content = []
        for f in fields(self):  # type: ignore[arg-type]
            value = getattr(self, f.name)
            if f.compare:
                content.append(value.tobytes() if isinstance(value, np.ndarray) else value)
        return hash((type(self), *content))

    def __repr__(self) -> str:
        shown = []
        for f in fields(self):  # type: ignore[arg-type]
            value = getattr(self, f.name)
            if f.repr and not _same(value, f.default):
                shown.append(f"{f.name}={_paste(value)}")
        return f"{type(self).__name__}({', '.join(shown)})"
