"""Names of trials and of what they depend on: integers or text, one or two a score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from betaroc.core.arrays import AnyArray
from betaroc.core.containers import array_1d, as_narwhals, width_of
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.text import shown


def names_array(values: Any, n: int, name: str) -> AnyArray:
    """One name a score."""
    array = array_1d(values, name)
    if array.dtype.kind == "O" and all(isinstance(v, str) for v in array):
        array = array.astype(str)
    if array.dtype.kind not in "iuU":
        raise InputTypeError.about(name)(
            f"{name} must be integers or text; got dtype {array.dtype}, first {shown(array[0])}."
            " Convert with .astype(str)."
        )
    if array.size != n:
        raise InputError.about(name)(
            f"{name} must have one entry a score; got {array.size} for {n} scores."
            " Pass the entries of the same rows."
        )
    array = np.array(array, copy=True, order="C")
    array.flags.writeable = False
    return array


def name_columns(values: Any, n: int, name: str) -> AnyArray:
    """One name a score, shape (n,), or two, shape (n, 2)."""
    parts = _two_columns(values, n, name)
    if parts is None:
        return names_array(values, n, name)
    return stacked([names_array(part, n, name) for part in parts], name)


def stacked(parts: list[AnyArray], name: str) -> AnyArray:
    """The columns side by side; a label is the same thing in both, so they are of one kind."""
    if len(parts) == 1:
        return parts[0]
    joined = np.column_stack(parts)
    if {p.dtype.kind == "U" for p in parts} == {True, False} or joined.dtype.kind == "f":
        raise InputError(
            f"the two columns of {name} must be of one kind, since a label means the same in both;"
            f" got {parts[0].dtype} and {parts[1].dtype}. Convert both with .astype(str)."
        )
    joined.flags.writeable = False
    return joined


def _two_columns(values: Any, n: int, name: str) -> tuple[Any, Any] | None:
    """Both columns of what has two; None for what is left to one-dimensional reading."""
    frame = as_narwhals(values)
    if frame is not None:
        return (frame[:, 0], frame[:, 1]) if len(getattr(frame, "columns", ())) == 2 else None
    if isinstance(values, list | tuple) and values:
        widths = {width_of(v) for v in values}
        if widths == {2}:
            return [v[0] for v in values], [v[1] for v in values]
        if -1 in widths or len(widths) > 1:
            return None
        values = np.empty((len(values), *widths))
    if not isinstance(values, np.ndarray) or values.ndim != 2 or 1 in values.shape:
        return None
    if values.shape[1] != 2:
        hint = "one or two columns"
        if values.shape == (2, n):
            hint = "np.column_stack((first, second))"
        raise InputError.about(name)(
            f"{name} must have one row a score and one or two columns, shape ({n},) or ({n}, 2);"
            f" got shape {values.shape}. Pass {hint}."
        )
    return values[:, 0], values[:, 1]


def columns_beside(
    name: str, parts: Sequence[AnyArray | None], sizes: tuple[int, int]
) -> dict[str, AnyArray | list[Any]]:
    """The columns of what both classes have, or one of them."""
    wide = {2 if part is not None and part.ndim == 2 else 1 for part in parts}
    names = [name] if wide == {1} else [f"{name}_1", f"{name}_2"]
    found: dict[str, AnyArray | list[Any]] = {}
    for k, title in enumerate(names):
        columns = [None if p is None else p if p.ndim == 1 else p[:, k] for p in parts]
        if all(column is not None for column in columns):
            found[title] = np.concatenate(columns)  # type: ignore[arg-type]
        else:
            each = zip(columns, sizes, strict=True)
            found[title] = [v for c, n in each for v in ([None] * n if c is None else c.tolist())]
    return found
