"""Arrays as this package types and returns them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, Protocol, overload

import numpy as np
import numpy.typing as npt

#: Both classes, in the order in which every pair of them stands.
CLASSES = ("client", "impostor")
FloatArray = npt.NDArray[np.float64]
#: Counts and indices, of any width.
IntArray = npt.NDArray[np.signedinteger[Any]]
BoolArray = npt.NDArray[np.bool_]
AnyArray = npt.NDArray[Any]
#: What a function of a number or of an array of them returns.
ScalarOrArray = float | FloatArray
#: The least and the largest double strictly inside (0, 1) of full precision.
INSIDE = (float(np.finfo(np.float64).tiny), 1.0 - 2.0**-53)
P = ParamSpec("P")


class _SupportsArray(Protocol):
    def __array__(self) -> AnyArray: ...


class _Function(Protocol[P]):
    @overload
    def __call__(self, x: float | np.number[Any], /) -> float: ...
    @overload
    def __call__(self, x: Sequence[Any] | _SupportsArray, /) -> FloatArray: ...
    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> ScalarOrArray: ...


class _Method(Protocol[P]):
    def __get__(self, instance: Any, owner: Any = None, /) -> _Function[P]: ...


def elementwise(method: Callable[Concatenate[Any, P], ScalarOrArray]) -> _Method[P]:
    """Tell type checkers: a float for a number, an array for an array."""
    return method


def as_output(value: FloatArray) -> ScalarOrArray:
    """A float for a scalar, the array otherwise."""
    return float(value) if value.ndim == 0 else value


def are_of(dtype: str, values: FloatArray) -> bool:
    """Whether all are numbers of a dtype."""
    with np.errstate(over="ignore"):
        return bool(np.all(values.astype(dtype) == values))


def dtype_of(*value: Any) -> str:
    """The widest dtype of arrays of floats, else float64."""
    known = [item.dtype for item in value if isinstance(getattr(item, "dtype", None), np.dtype)]
    floats = [item for item in known if item.kind == "f"]
    widest = str(np.result_type(*floats)) if len(floats) == len(value) else ""
    return widest if widest in ("float16", "float32") else "float64"
