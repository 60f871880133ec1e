"""From any sized container to a numpy array without missing entries."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from typing import Any, NoReturn

import numpy as np

from betaroc.core.arrays import AnyArray, BoolArray
from betaroc.core.errors import InputTypeError, refusal
from betaroc.core.text import format_list, format_value, typed

_SEQUENCE = "be a one-dimensional sequence of real numbers"
#: Of kinds of objects what they are called, and what to do with them.
_FOREIGN: tuple[tuple[Any, str, str], ...] = (
    (type(None), "nothing", "Give the scores."),
    (str | bytes | bytearray | os.PathLike, "text", "Files are read with read_scores(path)."),
    (memoryview, "a view of memory", "Pass np.asarray(x)."),
    (np.ma.MaskedArray, "a masked array", "Pass x.compressed(), which leaves out the masked."),
    (dict | set | frozenset, "an unordered collection", "Pass a list or an array."),
)


def refuse_kind(values: object, name: str, noun: str, remedy: str) -> NoReturn:
    """Raise InputTypeError for a kind that is not read."""
    actual = f"{noun} ({type(values).__name__})"
    raise refusal(name, _SEQUENCE, actual, remedy, InputTypeError)


def as_narwhals(values: object) -> Any:
    """The frame or column of Narwhals, else None."""
    if values is None or isinstance(values, np.ndarray | list | tuple | str | dict):
        return None  # most of what is given: Narwhals need not be loaded
    import narwhals as nw

    held = nw.from_native(values, allow_series=True, pass_through=True)
    return held if isinstance(held, nw.DataFrame | nw.LazyFrame | nw.Series) else None


def _check_foreign(values: object, name: str) -> None:
    """Refuse what numpy would read wrongly."""
    device = getattr(values, "device", "cpu")
    foreign = [(isinstance(values, kind), what, remedy) for kind, what, remedy in _FOREIGN]
    lazy = hasattr(values, "collect") and not hasattr(values, "__len__")
    foreign += [
        (hasattr(values, "tocsr"), "a sparse container", "Pass x.toarray().ravel()."),
        (hasattr(values, "data_vars"), "a data set", "Pass one of its variables, x[name]."),
        (lazy, "a lazy frame", "Collect it, or use Scores.from_frame."),
        ("cpu" not in str(device).lower(), f"an array on {format_value(device)}", "Pass x.cpu()."),
    ]
    for holds, what, remedy in foreign:
        if holds:
            refuse_kind(values, name, what, remedy)
    if np.isscalar(values):
        raise refusal(name, _SEQUENCE, f"the single value {format_value(values)}", "Pass [x].")
    if not hasattr(values, "__len__") and not hasattr(values, "__array__"):
        refuse_kind(values, name, "an object without length", "Wrap a generator in list(...).")


def _missing(values: Any) -> BoolArray | None:
    column = as_narwhals(values)
    if column is not None:
        return np.asarray(column.is_null().to_numpy(), dtype=bool)
    # Arrays and indexes of pandas, arrays of pyarrow: Narwhals holds none of them.
    is_missing = getattr(values, "isna", getattr(values, "is_null", None))
    if callable(is_missing):
        with suppress(NotImplementedError):  # an index of several levels
            return np.asarray(is_missing(), dtype=bool)
    return None


def _one_column(values: Any, name: str) -> Any:
    frame = as_narwhals(values)
    columns = getattr(frame, "columns", None)
    if columns is None:
        return values
    if len(columns) != 1:
        what = f"a frame of {len(columns)} columns"
        refuse_kind(values, name, what, "Pass one of them, or from_frame.")
    return frame.get_column(columns[0])


def array_1d(values: Any, name: str) -> AnyArray:
    """Any one-dimensional sized container as a numpy array."""
    _check_foreign(values, name)
    values = _one_column(values, name)
    gone = _missing(values)
    if gone is not None and gone.ndim == 1 and gone.any():
        at = np.flatnonzero(gone)
        places = format_list(at.tolist())
        actual = f"{at.size} of {gone.size} missing (NA, null or NaN), first at positions {places}"
        raise refusal(name, "have no missing value", actual, "Drop these rows first.")
    return _flat(values, name)


def with_gaps(values: Any, name: str) -> tuple[AnyArray, BoolArray]:
    """As `array_1d`, and where a value is missing."""
    _check_foreign(values, name)
    values = _one_column(values, name)
    array, gone = _flat(values, name), _missing(values)
    if gone is None:
        gone = np.zeros(array.size, dtype=bool)
    if array.dtype.kind == "O":
        gone = gone | [v is None or (isinstance(v, float) and math.isnan(v)) for v in array]
    return array, gone | np.isnan(array) if array.dtype.kind == "f" else gone


def _flat(values: Any, name: str) -> AnyArray:
    array = to_numpy(values, name)
    if array.ndim == 0 and array.dtype.kind == "O":
        refuse_kind(values, name, "what numpy reads as one value", "Pass list(x).")
    if array.ndim != 1:
        remedy = "Pass one column of it."
        if array.size == max(array.shape, default=1):
            remedy = "Pass x.ravel()." if array.ndim else "Pass [x]."
        raise refusal(name, "be one-dimensional", f"an array of shape {array.shape}", remedy)
    if hasattr(values, "__len__") and len(values) != array.size:
        actual = f"{typed(values)} whose length is {len(values)}, read as {array.size} values"
        raise refusal(name, "be readable as an array", actual, "Pass a list.", InputTypeError)
    if array.size == 0:
        raise refusal(name, "hold at least one value", "0", "Check the selection.")
    return array


def to_numpy(values: Any, name: str) -> AnyArray:
    """numpy's reading of the object; its errors are chained."""
    try:
        if callable(getattr(values, "detach", None)):  # a tensor with a gradient
            values = values.detach()
        mixed = isinstance(values, list | tuple) and len(set(map(type, values))) > 1
        array = np.asarray(values)
        return np.asarray(values, dtype=object) if mixed and array.ndim == 1 else array
    except Exception as error:  # a foreign __array__ may raise anything at all; it is chained
        rule, remedy = "be a flat sequence of real numbers", "Flatten it."
        actual = f"an object of type {type(values).__name__}"
        items = values if isinstance(values, list | tuple) else ()
        ragged = [k for k, v in enumerate(items) if width_of(v) != width_of(items[0])]
        if isinstance(error, RecursionError):
            actual += " that contains itself"
        elif ragged:
            item = f"first at index {ragged[0]}: {format_value(values[ragged[0]])}"
            actual = f"nested items of different lengths, {item}"
        else:
            rule = "be readable as an array"
            actual += f", which raised {type(error).__name__}: {format_value(str(error), 140)}"
            remedy = "Pass a list or a numpy array, of a tensor x.detach().cpu().float().numpy()."
        raise refusal(name, rule, actual, remedy, InputTypeError) from error


def width_of(item: Any) -> int:
    """The entries of a list or an array; else -1."""
    many = isinstance(item, list | tuple) or (isinstance(item, np.ndarray) and item.ndim > 0)
    return len(item) if many else -1
