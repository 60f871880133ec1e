"""Names of trials and of groups: integers or text, one or two per score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from betaroc.core import arrays, checks, containers, errors, text

_AS_TEXT = "Convert with .astype(str)."


def names_array(values: Any, n: int, name: str) -> arrays.AnyArray:
    """One name per score."""
    array = containers.array_1d(values, name)
    if array.dtype.kind == "O" and all(isinstance(v, str) for v in array):
        array = array.astype(str)
    if array.dtype.kind not in "iuU":
        actual = f"dtype {array.dtype}, first {text.format_value(array[0])}"
        raise errors.refusal(name, "be integers or text", actual, _AS_TEXT, errors.InputTypeError)
    if array.size != n:
        actual, remedy = f"{array.size} for {n} scores", "Pass the entries of the same rows."
        raise errors.refusal(name, "have one entry per score", actual, remedy)
    return checks.frozen(np.array(array, copy=True, order="C"))


def strata_array(values: Any, n: int, name: str) -> arrays.AnyArray:
    """One name of a stratum per row; empty text for none."""
    array, missing = containers.with_gaps(values, name)
    if np.any(missing):
        array = array.astype(object)
        array[missing] = ""
    return names_array(array, n, name)


def name_columns(values: Any, n: int, name: str) -> arrays.AnyArray:
    """One name per score, shape (n,), or two, shape (n, 2)."""
    parts = _two_columns(values, n, name)
    if parts is None:
        return names_array(values, n, name)
    return stacked([names_array(part, n, name) for part in parts], name)


def stacked(parts: list[arrays.AnyArray], name: str) -> arrays.AnyArray:
    """The columns side by side, which are of one kind."""
    if len(parts) == 1:
        return parts[0]
    joined = np.column_stack(parts)
    if {p.dtype.kind == "U" for p in parts} == {True, False} or joined.dtype.kind == "f":
        rule = "be of one kind, since a label means the same in both"
        actual = f"{parts[0].dtype} and {parts[1].dtype}"
        raise errors.refusal(f"the two columns of {name}", rule, actual, _AS_TEXT)
    return checks.frozen(joined)


def _two_columns(values: Any, n: int, name: str) -> tuple[Any, Any] | None:
    """Both columns; None of what is one-dimensional."""
    frame = containers.as_narwhals(values)
    if frame is not None:
        return (frame[:, 0], frame[:, 1]) if len(getattr(frame, "columns", ())) == 2 else None
    shape: tuple[int, ...] = values.shape if isinstance(values, np.ndarray) else ()
    if isinstance(values, list | tuple):
        widths = {containers.width_of(v) for v in values}
        if widths == {2}:
            return [v[0] for v in values], [v[1] for v in values]
        shape = (len(values), *widths) if len(widths) == 1 and -1 not in widths else ()
    if len(shape) != 2 or 1 in shape:
        return None
    if shape[1] != 2:
        rule = f"have one row per score and one or two columns, shape ({n},) or ({n}, 2)"
        columns = "np.column_stack((first, second))" if shape == (2, n) else "one or two columns"
        raise errors.refusal(name, rule, f"shape {shape}", f"Pass {columns}.")
    return values[:, 0], values[:, 1]


def columns_beside(
    name: str, parts: Sequence[arrays.AnyArray | None], sizes: tuple[int, int]
) -> dict[str, arrays.AnyArray]:
    """The columns of both classes; None where one has nothing."""
    wide = any(part is not None and part.ndim == 2 for part in parts)
    names = [f"{name}_1", f"{name}_2"] if wide else [name]
    return {
        title: np.concatenate([
            np.full(n, None) if part is None else part if part.ndim == 1 else part[:, k]
            for part, n in zip(parts, sizes, strict=True)
        ])
        for k, title in enumerate(names)
    }  # fmt: skip
