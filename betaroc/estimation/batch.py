"""What beta fits need of many samples at once: the two mean logarithms of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc.core.checks import real_array
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.notices import public
from betaroc.core.text import shown
from betaroc.core.thresholds import FloatArray
from betaroc.estimation.sums import log1m, row_sums

__all__ = ["mean_logs", "ragged_mean_logs"]

#: Scores of short samples that are put side by side.
_GROUP = 1 << 15
#: Samples from this size on are summed by themselves, where products save logarithms.
_LONG = 1 << 14


@public
def mean_logs(x: npt.ArrayLike, axis: int | None = -1) -> tuple[Any, Any]:
    """Mean of log(x) and of log(1 - x): the statistics that `beta_mle` takes.

        mean_log = (1/n) sum_i log(x_i),   mean_log1m = (1/n) sum_i log(1 - x_i)

    Parameters
    ----------
    x : array_like
        Scores strictly between 0 and 1, of any shape, one sample along `axis`.
    axis : int, optional
        The axis of a sample's scores; None for all scores as one sample.

    Returns
    -------
    mean_log, mean_log1m : float or ndarray
        Both negative, of the shape of `x` without `axis`; floats for one sample.

    Raises
    ------
    InputError
        If scores are 0, 1, nan or outside [0, 1] (counted, with the first index), a sample has no
        scores, or there is no such axis.
    InputTypeError
        If `x` is not numeric, or `axis` neither an int nor None.

    Notes
    -----
    One pass in less than 1 MB beside the scores (of a copy, where `axis` is not the last one in
    memory or `x` not of doubles), one logarithm for up to 64 scores. The relative error is at
    most about 1e-15, whatever the scores: products that could underflow get fewer factors, and
    where the mean is above -0.3 each score gets its logarithm, since 1 - x and products round by
    2**-53 of 1.

    Scores of exactly 0 and 1 have no logarithm and nothing is clipped here: `fit_distribution`
    has rules for them.

    References
    ----------
    Omar, L. and Ivrissimtzis, I., Using theoretical ROC curves for analysing
    machine learning binary classifiers, section 3 (the model).

    Examples
    --------
    A thousand fits without a loop; here three, of one sample and its mirror image:

    >>> import numpy as np
    >>> import betaroc as br
    >>> one = np.array([0.1, 0.2, 0.25, 0.3, 0.4, 0.45, 0.5, 0.6, 0.7, 0.85])
    >>> a, b, converged = br.beta_mle(*br.mean_logs([one, one, 1.0 - one]))
    >>> a.round(6).tolist(), b.round(6).tolist(), converged.all().item()
    ([1.860003, 1.860003, 2.381092], [2.381092, 2.381092, 1.860003], True)
    """
    array = real_array(x, "x")
    rows, shape = _rows(array, axis)
    sums = row_sums(rows, known=False)
    if not np.isfinite(sums).all():
        raise InputError(f"x must lie strictly between 0 and 1; {_counted(array)} {_ADVICE}")
    means = [(one / rows.shape[1]).reshape(shape) for one in sums]
    if shape == ():
        return float(means[0]), float(means[1])
    return means[0], means[1]


def _rows(x: FloatArray, axis: object) -> tuple[FloatArray, tuple[int, ...]]:
    """One sample a row, and the shape of the result."""
    if axis is not None and (isinstance(axis, bool) or not isinstance(axis, int | np.integer)):
        raise InputTypeError(
            f"axis must be an int or None; got {shown(axis)} of type {type(axis).__name__}."
            " Give the axis along which a sample's scores lie."
        )
    if axis is not None and not -x.ndim <= axis < x.ndim:
        raise InputError(
            f"axis must name one of the {x.ndim} axes of x; got {axis} for the shape {x.shape}."
            " Leave it out for the last, or pass None for all scores as one sample."
        )
    moved = x.reshape(-1) if axis is None else np.moveaxis(x, int(axis), -1)
    n, shape = moved.shape[-1], moved.shape[:-1]
    if n == 0:
        raise InputError(
            f"x must have at least one score in a sample; got the shape {x.shape} and axis={axis}."
            " Leave out empty samples, or pass another axis."
        )
    return np.ascontiguousarray(moved).reshape(math.prod(shape), n), shape


_ADVICE = (
    "Nothing is clipped: leave these scores out, or use fit_distribution, which has rules for 0"
    " and 1."
)


def _all_inside(x: FloatArray) -> bool:
    least, most = np.minimum.reduce(x, axis=None), np.maximum.reduce(x, axis=None)
    return bool(least > 0.0 and most < 1.0)


def _counted(x: FloatArray) -> str:
    """How many scores are of which kind, and the first."""
    kinds = {
        "exactly 0": x == 0.0, "exactly 1": x == 1.0, "nan": np.isnan(x),
        "outside [0, 1]": (x < 0.0) | (x > 1.0),
    }  # fmt: skip
    counts = [f"{np.count_nonzero(mask)} are {kind}" for kind, mask in kinds.items() if mask.any()]
    bad = np.flatnonzero(~((x > 0.0) & (x < 1.0)))
    place = tuple(int(k) for k in np.unravel_index(int(bad[0]), x.shape))
    index = place[0] if len(place) == 1 else place
    first = float(x[place])
    return f"of {x.size} scores {', '.join(counts)}, first at index {index}: {first!r}."


def ragged_mean_logs(samples: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """`mean_logs` of samples of different lengths, many short ones side by side.

    ``samples`` are vectors of doubles, none empty, strictly inside (0, 1); an InputError names the
    sample by its number.
    """
    means = np.empty((2, len(samples)))
    group: list[int] = []
    held = 0
    for k, sample in enumerate(samples):
        if sample.size >= _LONG:
            _refuse_sample(sample, k)
            means[:, k : k + 1] = np.stack(row_sums(sample[np.newaxis])) / sample.size
            continue
        group.append(k)
        held += sample.size
        if held >= _GROUP:
            means[:, group] = _group_means([samples[i] for i in group], group)
            group, held = [], 0
    if group:
        means[:, group] = _group_means([samples[i] for i in group], group)
    return means[0], means[1]


def _group_means(samples: list[FloatArray], numbers: list[int]) -> FloatArray:
    sizes = np.array([s.size for s in samples])
    together = np.concatenate(samples)
    if not (sizes.all() and _all_inside(together)):
        for sample, number in zip(samples, numbers, strict=True):
            _refuse_sample(sample, number)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    room = np.empty_like(together)
    sums = np.empty((2, sizes.size))
    np.add.reduceat(np.log(together, out=room), starts, out=sums[0])
    np.add.reduceat(log1m(together, room), starts, out=sums[1])
    return np.asarray(sums / sizes)


def _refuse_sample(x: FloatArray, number: int) -> None:
    if x.size == 0:
        raise InputError(f"sample {number} must have scores; it is empty. Leave it out.")
    if not _all_inside(x):
        raise InputError(
            f"sample {number} must lie strictly between 0 and 1; {_counted(x)} {_ADVICE}"
        )
