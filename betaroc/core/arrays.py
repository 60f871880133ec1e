"""Arrays as this package types and returns them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = [
    "AnyArray", "BoolArray", "FloatArray", "IntArray", "ScalarOrArray", "as_output",
]  # fmt: skip

FloatArray = npt.NDArray[np.float64]
#: Counts and indices, of any width.
IntArray = npt.NDArray[np.signedinteger[Any]]
BoolArray = npt.NDArray[np.bool_]
AnyArray = npt.NDArray[Any]
#: What a function of a number or of an array of them returns.
ScalarOrArray = float | FloatArray


def as_output(value: FloatArray) -> ScalarOrArray:
    """A float for a scalar, the array otherwise."""
    return float(value) if value.ndim == 0 else value
