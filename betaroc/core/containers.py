"""From any sized container to a numpy array: nothing masked or missing is read."""

from __future__ import annotations

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


def _module(values: object) -> str:
    return type(values).__module__.partition(".")[0]


def _refuse_foreign(values: object, name: str) -> None:
    """What numpy would read wrongly or not at all."""
    if values is None:
        refuse_kind(values, name, "nothing", "Give the scores.")
    if isinstance(values, str | bytes | bytearray):
        refuse_kind(values, name, "text", "Files are read with read_scores(path).")
    if isinstance(values, np.ma.MaskedArray):
        refuse_kind(
            values, name, "a masked array", "Pass x.compressed(), which leaves out the masked."
        )
    if isinstance(values, dict | set | frozenset):
        refuse_kind(values, name, "an unordered collection", "Pass a list or an array.")
    if hasattr(values, "tocsr") and hasattr(values, "toarray"):
        refuse_kind(values, name, "a sparse container", "Pass x.toarray().ravel().")
    if hasattr(values, "collect") and not hasattr(values, "__len__"):
        refuse_kind(values, name, "a lazy frame", "Collect it, or use Scores.from_frame.")
    device = getattr(values, "device", "cpu")
    if _module(values) in {"torch", "cupy", "jax", "jaxlib"} and "cpu" not in str(device).lower():
        refuse_kind(values, name, f"an array on {shown(device)}", "Pass x.cpu().")
    if np.isscalar(values):
        raise InputError.about(name)(
            f"{name} must be a one-dimensional sequence of real numbers; got the single value"
            f" {shown(values)}. Pass [x]."
        )
    if not hasattr(values, "__len__") and not hasattr(values, "__array__"):
        refuse_kind(values, name, "an object without length", "Wrap a generator in list(...).")


def _missing(values: Any) -> BoolArray | None:
    """Where pandas, polars or pyarrow say NA; None if they cannot."""
    root = _module(values)
    if root == "pandas" and hasattr(values, "isna"):
        return np.asarray(values.isna(), dtype=bool)
    if root == "polars" and hasattr(values, "is_null"):
        return np.asarray(values.is_null(), dtype=bool)
    if root == "pyarrow" and hasattr(values, "is_null"):
        return np.asarray(values.is_null().to_pylist(), dtype=bool)
    return None


def _one_column(values: Any, name: str) -> Any:
    """The only column of a frame; anything else unchanged."""
    columns = getattr(values, "columns", None)
    if columns is None or _module(values) not in {"pandas", "polars", "pyarrow"}:
        return values
    if len(columns) != 1:
        refuse_kind(
            values, name, f"a frame of {len(columns)} columns", "Pass one of them, or from_frame."
        )
    root = _module(values)
    if root == "pandas":
        return values.iloc[:, 0]
    return values.column(0) if root == "pyarrow" else values.to_series(0)


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
    array = to_numpy(values, name)
    if array.ndim != 1:
        _refuse_shape(array, name)
    if array.size == 0:
        raise InputError.about(name)(
            f"{name} must hold at least one value; got 0. Check the selection."
        )
    return array


def to_numpy(values: Any, name: str) -> AnyArray:
    """numpy's reading of the object; whatever that raises is chained."""
    try:
        if _module(values) == "torch" and hasattr(values, "detach"):
            values = values.detach()
        mixed = isinstance(values, list | tuple) and len(set(map(type, values))) > 1
        array = np.asarray(values)
        return np.asarray(values, dtype=object) if mixed and array.ndim == 1 else array
    except RecursionError as error:
        raise InputTypeError.about(name)(
            f"{name} contains itself. Pass a flat list of numbers."
        ) from error
    except Exception as error:  # a foreign __array__ may raise anything at all; it is chained
        ragged = _first_ragged(values)
        if ragged is not None:
            raise InputTypeError.about(name)(
                f"{name} must be a flat sequence of real numbers; got nested items of different"
                f" lengths, first at index {ragged}: {shown(values[ragged])}. Flatten it."
            ) from error
        raise InputTypeError.about(name)(
            f"{name} must be readable as an array; a {type(values).__name__} raised"
            f" {type(error).__name__}: {shown(str(error), 120)}. Pass a list or a numpy array."
        ) from error


def _first_ragged(values: Any) -> int | None:
    if not isinstance(values, list | tuple) or not values:
        return None

    def width(item: Any) -> int:
        return len(item) if isinstance(item, list | tuple | np.ndarray) else -1

    first = width(values[0])
    return next((i for i, v in enumerate(values) if width(v) != first), None)


def _refuse_shape(array: AnyArray, name: str) -> NoReturn:
    if array.ndim == 0:
        raise InputError.about(name)(
            f"{name} must be one-dimensional; got a single value, shape (). Pass [x]."
        )
    hint = "Pass x.ravel()." if array.size == max(array.shape) else "Pass one column of it."
    raise InputError.about(name)(
        f"{name} must be one-dimensional; got an array of shape {array.shape}. {hint}"
    )
