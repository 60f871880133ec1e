"""Bands of the ROC of a fit: TPR at each FAR, pointwise or all at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.options import IntervalOptions
from betaroc.core.resampling import streams
from betaroc.inference.delta import METHODS, near_of
from betaroc.inference.interval import Band
from betaroc.inference.nearby import slopes_of
from betaroc.inference.scores_beyond import SupportedPair, fewest, tell
from betaroc.inference.simultaneous import sup_t
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import of_point

__all__ = ["band_of_fit"]

#: FARs of a band.
_GRID = 201


def band_of_fit(
    f: SupportedPair, far: npt.ArrayLike | None, options: IntervalOptions, *, simultaneous: bool
) -> Band:
    """The band of the fitted ROC; `Fit.roc_band` documents it."""
    from scipy.special import ndtr

    options = options.by(METHODS)
    simultaneous = checks.flag(simultaneous, "simultaneous")
    level, replicates, rng = options.level, options.replicates, options.rng
    grid = np.linspace(0.0, 1.0, _GRID) if far is None else far
    x = np.atleast_1d(checks.rate_array(grid, "far"))
    near = near_of(f, groups=options.groups)
    small = near.small

    def tpr(away: FloatArray) -> FloatArray:
        return np.asarray(near.model(away).roc().tpr(x), dtype=np.float64)

    estimate = np.asarray(f.model.roc().tpr(x), dtype=np.float64)
    if options.method == "delta":
        place = _probits(f.model, x)
        inside = np.isfinite(place)
        changes = slopes_of(near.steps, lambda model: _probits(model, x))
        slopes = np.where(inside[:, None] & np.isfinite(changes), changes, 0.0)
        reach = (
            small.largest(slopes, level, replicates, rng)
            if simultaneous
            else small.reach(slopes, level)
        )
        away = reach * np.sqrt(np.sum(slopes**2, axis=1))
        low, high = (np.where(inside, ndtr(place + s * away), estimate) for s in (-1.0, 1.0))
    else:
        drawn = np.empty((replicates, x.size))
        for rows, stream in streams(replicates, rng):
            drawn[rows] = [tpr(one) for one in small.draw(stream, rows.stop - rows.start)]
        if simultaneous:
            low, high = np.clip(sup_t(drawn, estimate, level), 0.0, 1.0)
        else:
            low, high = np.quantile(drawn, [0.5 * (1.0 - level), 0.5 * (1.0 + level)], axis=0)
    nowhere = np.zeros(x.size, dtype=np.int64)
    count = replicates if options.method == "bootstrap" or simultaneous else 0
    asked = of_point(f.model.at_far(x), {"FAR": x})
    if far is not None:
        tell(f._evidence, asked)
    return Band(
        x, estimate, low, high, level, simultaneous, "fit", count, nowhere,
        n_beyond=fewest(f._evidence, asked),
    )  # fmt: skip


def _probits(model: ScoreModel, far: FloatArray) -> FloatArray:
    """Probit of TPR at each FAR, near 1 from the tail of FRR; infinite where TPR is 0 or 1."""
    from scipy.special import ndtri

    tpr = np.asarray(model.roc().tpr(far), dtype=np.float64)
    if any(law.atoms.places.size for law in (model.client, model.impostor)):
        return np.asarray(ndtri(tpr))
    frr = np.asarray(model.at_far(far).frr, dtype=np.float64)
    return np.asarray(np.where(tpr < 0.5, ndtri(tpr), -ndtri(frr)))
