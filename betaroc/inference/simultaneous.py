"""Ends of a band, at each point of a curve or for all of it at once: from replicates or slopes."""

from __future__ import annotations

from typing import Any

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.resampling import streams

__all__ = ["gaussian_reach", "percentile_band", "pointwise", "sup_t"]

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


def pointwise(
    values: FloatArray, estimate: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Percentiles of the replicates at each point, those that are nan left out."""
    tail = 0.5 * (1.0 - level)
    low, high = (np.array(estimate, dtype=np.float64) for _ in range(2))
    for k in range(estimate.size):
        kept = values[~np.isnan(values[:, k]), k]
        defined = kept.size > 0 and not np.isnan(estimate[k])
        low[k], high[k] = np.quantile(kept, [tail, 1.0 - tail]) if defined else (np.nan, np.nan)
    return low, high


def sup_t(values: FloatArray, estimate: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """estimate -+ c sd, c the quantile of the largest standardised deviation of a replicate."""
    gone = np.isnan(values)
    kept = np.where(gone, estimate, values)
    n = np.maximum(np.sum(~gone, axis=0), 1)
    deviation = kept - estimate
    sd = np.sqrt(np.nansum(deviation**2, axis=0) / n)
    moving = sd > 0.0
    reach = 0.0
    if np.any(moving):
        largest = np.nanmax(np.abs(deviation[:, moving]) / sd[moving], axis=1)
        reach = float(np.quantile(largest, level))
    return estimate - reach * sd, estimate + reach * sd


def gaussian_reach(
    changes: FloatArray, error: FloatArray, level: float, replicates: int, rng: Any
) -> float:
    """Quantile of the largest standardised deviation of the Gaussian process."""
    from scipy.special import ndtri

    moving = error > 0.0
    if not np.any(moving):
        return 0.0
    one = float(ndtri(0.5 * (1.0 + level)))
    unit = changes[moving] / error[moving, None]
    if unit.shape[0] == 1 or unit.shape[1] == 1:
        return one
    largest = np.empty(replicates)
    for rows, stream in streams(replicates, rng):
        z = stream.standard_normal((rows.stop - rows.start, unit.shape[1]))
        largest[rows] = np.max(np.abs(z @ unit.T), axis=1)
    # The draws of a quantile that is no larger than that of one place are unlucky.
    return max(one, float(np.quantile(largest, level)))
