"""A band that holds whole replicates of a curve, not one of its points at a time."""

from __future__ import annotations

import numpy as np

from betaroc.core.thresholds import FloatArray

__all__ = ["percentile_band"]

#: Quotients of counts that agree to this are one.
_SAME = 1e-9


def percentile_band(values: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Percentiles of each column, so far out that `level` of the rows lie between all of them.

    One and the same number of replicates, or share of those that are defined, is cut off at
    both ends of every column: as many as possible.

    Parameters
    ----------
    values : ndarray, shape (replicates, k)
        Replicates of a curve, nan where undefined: there a row leaves no band.
    level : float
        Share of the rows, in (0, 1).

    Returns
    -------
    low, high : ndarray, shape (k,)
        nan of a column without a value.
    """
    ordered = np.sort(values, axis=0)  # nan last
    known = np.sum(~np.isnan(values), axis=0)
    depth = np.full(values.shape[0], np.inf)
    for k, n in enumerate(known.tolist()):
        column, given = ordered[:n, k], ~np.isnan(values[:, k])
        own = values[given, k]
        upto = np.searchsorted(column, own, side="right")
        beyond = n - np.searchsorted(column, own, side="left")
        depth[given] = np.minimum(depth[given], (np.minimum(upto, beyond) - 1) / n)
    # The largest cut that still keeps enough rows.
    kept = int(np.ceil(level * depth.size - _SAME))
    cut = np.sort(depth)[depth.size - kept]
    low, high = np.full(known.size, np.nan), np.full(known.size, np.nan)
    for k, n in enumerate(known.tolist()):
        if n:
            off = min(int(min(cut, 1.0) * n + _SAME), (n - 1) // 2)
            low[k], high[k] = ordered[off, k], ordered[n - 1 - off, k]
    return low, high
