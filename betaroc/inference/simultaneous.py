"""Ends from replicates or slopes: of one number, of each point of a curve, of all at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError, SmallSampleWarning
from betaroc.core.notices import warn
from betaroc.core.options import IntervalOptions
from betaroc.inference.interval import Interval, Limits

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
    kept = max(1, int(np.ceil(level * depth.size - _SAME)))
    cut = np.sort(depth)[depth.size - kept]
    low, high = np.full(known.size, np.nan), np.full(known.size, np.nan)
    for k, n in enumerate(known.tolist()):
        if n:
            off = min(int(min(cut, 1.0) * n + _SAME), (n - 1) // 2)
            low[k], high[k] = ordered[off, k], ordered[n - 1 - off, k]
    return low, high


def percentiles(values: FloatArray, options: IntervalOptions, name: str) -> tuple[Limits, int]:
    """Quantiles of the replicates that have a value, and how many have none."""
    kept = values[~np.isnan(values)]
    failed = int(values.size - kept.size)
    if not kept.size:
        raise InputError(
            f"{name!r} must have a value in the replicates; it has in none of {values.size}. Give"
            " more scores, or take another statistic."
        )
    if failed:
        warn(
            f"{name!r} has no value in {failed} of {values.size} replicates, which are left out of"
            " its interval. Give more scores.",
            SmallSampleWarning,
        )
    # Replicates are steps, thresholds among them infinite: no value between two.
    low, high = np.quantile(kept, [options.tail, 1.0 - options.tail], method="inverted_cdf")
    return (float(low), float(high)), failed


def interval_of_replicates(
    estimate: float, values: FloatArray, options: IntervalOptions, name: str,
    n_beyond: float | None = None,
) -> Interval:  # fmt: skip
    """The percentile interval of a number."""
    ends, failed = percentiles(values, options, name)
    return Interval(
        estimate, *ends, options.level, str(options.method), n_beyond=n_beyond, failed=failed
    )


def pointwise(
    values: FloatArray, estimate: FloatArray, options: IntervalOptions
) -> tuple[FloatArray, FloatArray]:
    """Percentiles of the replicates at each point, those that are nan left out."""
    low, high = (np.array(estimate, dtype=np.float64) for _ in range(2))
    shares = [options.tail, 1.0 - options.tail]
    for k in range(estimate.size):
        kept = values[~np.isnan(values[:, k]), k]
        defined = kept.size > 0 and not np.isnan(estimate[k])
        low[k], high[k] = np.quantile(kept, shares) if defined else (np.nan, np.nan)
    return low, high


def band_of_replicates(
    values: FloatArray, estimate: FloatArray, options: IntervalOptions, bounds: Limits, *,
    simultaneous: bool,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Percentiles at each point, or estimate -+ c sd for all at once; within the range."""
    ends = (_sup_t if simultaneous else pointwise)(values, estimate, options)
    return np.maximum(ends[0], bounds[0]), np.minimum(ends[1], bounds[1])


def _sup_t(
    values: FloatArray, estimate: FloatArray, options: IntervalOptions
) -> tuple[FloatArray, FloatArray]:
    """c is the quantile of the largest standardised deviation of a replicate."""
    gone = np.isnan(values)
    kept = np.where(gone, estimate, values)
    n = np.maximum(np.sum(~gone, axis=0), 1)
    deviation = kept - estimate
    sd = np.sqrt(np.nansum(deviation**2, axis=0) / n)
    moving = sd > 0.0
    reach = 0.0
    if np.any(moving):
        largest = np.nanmax(np.abs(deviation[:, moving]) / sd[moving], axis=1)
        reach = float(np.quantile(largest, options.level))
    return estimate - reach * sd, estimate + reach * sd


def gaussian_reach(changes: FloatArray, options: IntervalOptions) -> float:
    """Quantile of the largest standardised deviation of the Gaussian process."""
    error = np.sqrt(np.sum(changes**2, axis=1))
    moving = error > 0.0
    if not np.any(moving):
        return 0.0
    unit = changes[moving] / error[moving, None]
    if 1 in unit.shape:
        return options.deviate

    def draw(rng: np.random.Generator, size: int) -> FloatArray:
        z = rng.standard_normal((size, unit.shape[1]))
        return np.asarray(np.max(np.abs(z @ unit.T), axis=1))

    return largest_reach(draw, options.deviate, options)


def largest_reach(
    draw: Callable[[np.random.Generator, int], Any], one: float, options: IntervalOptions
) -> float:
    """Quantile of drawn largest deviations, and no less than that of one place."""
    # The draws of a smaller quantile are unlucky.
    return max(one, float(np.quantile(options.replicated(draw), options.level)))
