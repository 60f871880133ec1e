"""From any sized container to a numpy array: nothing masked or missing is read."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from typing import Any, NoReturn

import numpy as np

from betaroc.core.arrays import AnyArray, BoolArray
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.text import listed, shown


def refuse_kind(values: object, name: str, what: str, do: str) -> NoReturn:
    """Raise InputTypeError for an object of a kind that is not read."""
    raise InputTypeError.about(name)(
        f"{name} must be a one-dimensional sequence of real numbers; got {what}"
        f" ({type(values).__name__}). {do}"
    )


def as_narwhals(values: object) -> Any:
    """The frame or column as Narwhals holds it; None of what is neither."""
    if values is None or isinstance(values, np.ndarray | list | tuple | str | dict):
        return None  # most of what is given: Narwhals need not be loaded
    import narwhals as nw

    held = nw.from_native(values, allow_series=True, pass_through=True)
    return held if isinstance(held, nw.DataFrame | nw.LazyFrame | nw.Series) else None


def _refuse_foreign(values: object, name: str) -> None:
    """What numpy would read wrongly or not at all."""
    if values is None:
        refuse_kind(values, name, "nothing", "Give the scores.")
    if isinstance(values, str | bytes | bytearray | os.PathLike):
        refuse_kind(values, name, "text", "Files are read with read_scores(path).")
    if isinstance(values, memoryview):
        refuse_kind(values, name, "a view of memory", "Pass np.asarray(x).")
    if isinstance(values, np.ma.MaskedArray):
        refuse_kind(
            values, name, "a masked array", "Pass x.compressed(), which leaves out the masked."
        )
    if isinstance(values, dict | set | frozenset):
        refuse_kind(values, name, "an unordered collection", "Pass a list or an array.")
    if hasattr(values, "tocsr") and hasattr(values, "toarray"):
        refuse_kind(values, name, "a sparse container", "Pass x.toarray().ravel().")
    if hasattr(values, "data_vars"):
        refuse_kind(values, name, "a data set", 'Pass one of its variables, such as x["score"].')
    if hasattr(values, "collect") and not hasattr(values, "__len__"):
        refuse_kind(values, name, "a lazy frame", "Collect it, or use Scores.from_frame.")
    device = getattr(values, "device", "cpu")
    if "cpu" not in str(device).lower():
        refuse_kind(values, name, f"an array on {shown(device)}", "Pass x.cpu().")
    if np.isscalar(values):
        raise InputError.about(name)(
            f"{name} must be a one-dimensional sequence of real numbers; got the single value"
            f" {shown(values)}. Pass [x]."
        )
    if not hasattr(values, "__len__") and not hasattr(values, "__array__"):
        refuse_kind(values, name, "an object without length", "Wrap a generator in list(...).")


def _missing(values: Any) -> BoolArray | None:
    """Where pandas, Polars or pyarrow say NA; None if they cannot."""
    column = as_narwhals(values)
    if column is not None:
        return np.asarray(column.is_null().to_numpy(), dtype=bool)
    # Arrays and indexes of pandas, arrays of pyarrow: Narwhals holds none of them.
    asked = getattr(values, "isna", getattr(values, "is_null", None))
    if not callable(asked):
        return None
    with suppress(NotImplementedError):  # an index of several levels
        return np.asarray(asked(), dtype=bool)
    return None


def _one_column(values: Any, name: str) -> Any:
    """The only column of a frame; anything else unchanged."""
    frame = as_narwhals(values)
    columns = getattr(frame, "columns", None)
    if columns is None:
        return values
    if len(columns) != 1:
        refuse_kind(
            values, name, f"a frame of {len(columns)} columns", "Pass one of them, or from_frame."
        )
    return frame.get_column(columns[0])


def array_1d(values: Any, name: str) -> AnyArray:
    """Any one-dimensional sized container as a numpy array, never reading masked or missing."""
    _refuse_foreign(values, name)
    values = _one_column(values, name)
    gone = _missing(values)
    if gone is not None and gone.ndim == 1 and gone.any():
        at = np.flatnonzero(gone)
        raise InputError.about(name)(
            f"{name} must have no missing value; got {at.size} of {gone.size} missing (NA, null or"
            f" NaN), first at positions {listed(at.tolist())}. Drop these rows first."
        )
    return _flat(values, name)


def with_gaps(values: Any, name: str) -> tuple[AnyArray, BoolArray]:
    """As `array_1d`, and where a value is missing: None, NA, null or nan."""
    _refuse_foreign(values, name)
    values = _one_column(values, name)
    array, gone = _flat(values, name), _missing(values)
    if gone is None:
        gone = np.zeros(array.size, dtype=bool)
    if array.dtype.kind == "f":
        return array, gone | np.isnan(array)
    if array.dtype.kind != "O":
        return array, gone
    empty = [v is None or (isinstance(v, float) and math.isnan(v)) for v in array]
    return array, gone | np.array(empty, dtype=bool)


def _flat(values: Any, name: str) -> AnyArray:
    array = to_numpy(values, name)
    if array.ndim == 0 and array.dtype.kind == "O":
        refuse_kind(values, name, "what numpy reads as one value", "Pass list(x).")
    if array.ndim != 1:
        if array.ndim == 0:
            raise InputError.about(name)(
                f"{name} must be one-dimensional; got a single value, shape (). Pass [x]."
            )
        hint = "Pass x.ravel()." if array.size == max(array.shape) else "Pass one column of it."
        raise InputError.about(name)(
            f"{name} must be one-dimensional; got an array of shape {array.shape}. {hint}"
        )
    if hasattr(values, "__len__") and len(values) != array.size:
        raise InputTypeError.about(name)(
            f"{name} must be readable as an array; got an object of type {type(values).__name__}"
            f" whose length is {len(values)} but whose array has {array.size} values. Pass a list"
            " or a numpy array."
        )
    if array.size == 0:
        raise InputError.about(name)(
            f"{name} must hold at least one value; got 0. Check the selection."
        )
    return array


def to_numpy(values: Any, name: str) -> AnyArray:
    """numpy's reading of the object; whatever that raises is chained."""
    try:
        if callable(getattr(values, "detach", None)):  # a tensor with a gradient
            values = values.detach()
        mixed = isinstance(values, list | tuple) and len(set(map(type, values))) > 1
        array = np.asarray(values)
        return np.asarray(values, dtype=object) if mixed and array.ndim == 1 else array
    except RecursionError as error:
        raise InputTypeError.about(name)(
            f"{name} must be a flat sequence of real numbers; got a {type(values).__name__} that"
            " contains itself. Pass a list of numbers."
        ) from error
    except Exception as error:  # a foreign __array__ may raise anything at all; it is chained
        ragged = _first_ragged(values)
        if ragged is not None:
            raise InputTypeError.about(name)(
                f"{name} must be a flat sequence of real numbers; got nested items of different"
                f" lengths, first at index {ragged}: {shown(values[ragged])}. Flatten it."
            ) from error
        raise InputTypeError.about(name)(
            f"{name} must be readable as an array; got an object of type {type(values).__name__},"
            f" which raised {type(error).__name__}: {shown(str(error), 140)}. Pass a list or a"
            " numpy array, of a tensor x.detach().cpu().float().numpy()."
        ) from error


def _first_ragged(values: Any) -> int | None:
    if not isinstance(values, list | tuple) or not values:
        return None
    first = width_of(values[0])
    return next((i for i, v in enumerate(values) if width_of(v) != first), None)


def width_of(item: Any) -> int:
    """The entries of a list or an array; -1 of what is one thing."""
    many = isinstance(item, list | tuple) or (isinstance(item, np.ndarray) and item.ndim > 0)
    return len(item) if many else -1
