"""Alphas in words: a range only of a fine grid."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["FINE", "alphas_words", "is_fine"]

#: Alphas no farther apart than this stand for what lies between them.
FINE = 0.02 + 1e-9
#: So many alphas are named one by one.
_NAMED = 12


def is_fine(alpha: npt.ArrayLike) -> bool:
    """Whether the alphas are so near to each other that a range may be said of them."""
    return bool(np.all(np.diff(np.sort(np.asarray(alpha, dtype=np.float64))) <= FINE))


def alphas_words(alpha: npt.ArrayLike) -> str:
    """Neighbouring alphas in words: a range of a fine grid, else each or their number."""
    ordered = np.unique(np.asarray(alpha, dtype=np.float64))
    low, high = _number(float(ordered[0])), _number(float(ordered[-1]))
    if ordered.size == 1:
        return f"at alpha {low}"
    if is_fine(ordered):
        return f"for alpha from {low} to {high}"
    if ordered.size > _NAMED:
        return f"at each of the {ordered.size} alphas given between {low} and {high}"
    *first, last = [_number(float(a)) for a in ordered]
    return f"at alpha {', '.join(first)} and {last}"


def _number(value: float) -> str:
    return f"{value:.6g}"
