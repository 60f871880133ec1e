"""Newton's method upwards, for likelihoods that may have several maxima."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray

#: Curvatures below the first are taken as this, on a hill below the second: where two components
#: are nearly one the likelihood knows little, but where it is highest.
_FLAT, _FLAT_HILL = 1e-6, 1e-11
#: The likelihood is a sum of rounded terms: a step may lose this much of it, relatively.
_NOISE = 1e-13
_LAST_STEP = 1e-12


class Summit(NamedTuple):
    """A place, what a function of it is there, and the steps that led to it."""

    place: FloatArray
    value: float
    gradient: FloatArray
    hessian: FloatArray
    iterations: int = 0

    @property
    def norm(self) -> float:
        """Largest slope."""
        return float(np.max(np.abs(self.gradient)))


def climb(
    height: Callable[[FloatArray], tuple[float, FloatArray, FloatArray]], place: FloatArray, *,
    tiny: float, steps: int, reach: float = 1.0, halvings: int = 30,
) -> Summit:  # fmt: skip
    """The maximum uphill from a place, by a function's value, gradient and Hessian.

    Steps are at most `reach` long. After a gradient of `tiny` one more step has all digits.
    """
    at = Summit(place, *height(place))
    for iterations in range(1, steps + 1):
        if not (np.all(np.isfinite(at.hessian)) and np.all(np.isfinite(at.gradient))):
            break
        # Where the surface is no hill, its curvatures still say how far to go uphill.
        curvature, directions = np.linalg.eigh(-at.hessian)
        least = _FLAT_HILL if curvature[0] > 0.0 else _FLAT
        step = directions @ ((directions.T @ at.gradient) / np.maximum(np.abs(curvature), least))
        size = float(np.max(np.abs(step)))
        step *= min(1.0, reach / max(size, reach))
        tries = (at.place + step / 2.0**k for k in range(halvings))
        tried = (Summit(y, *height(y), iterations) for y in tries)
        floor = at.value - _NOISE * max(1.0, abs(at.value))
        higher = next((item for item in tried if item.value >= floor), None)
        last = at.norm <= tiny or size <= _LAST_STEP
        at = at if higher is None else higher
        if higher is None or last:
            break
    return at
