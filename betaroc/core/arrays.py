"""Arrays as this package types and returns them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = [
    "INSIDE", "AnyArray", "BoolArray", "FloatArray", "IntArray", "ScalarOrArray", "as_output",
]  # fmt: skip

FloatArray = npt.NDArray[np.float64]
#: Counts and indices, of any width.
IntArray = npt.NDArray[np.signedinteger[Any]]
BoolArray = npt.NDArray[np.bool_]
AnyArray = npt.NDArray[Any]
#: What a function of a number or of an array of them returns.
ScalarOrArray = float | FloatArray
#: The least and the largest double strictly inside (0, 1) of full precision.
INSIDE = (float(np.finfo(np.float64).tiny), 1.0 - 2.0**-53)


def as_output(value: FloatArray) -> ScalarOrArray:
    """A float for a scalar, the array otherwise."""
    return float(value) if value.ndim == 0 else value
