"""Beta fits of many trials side by side, and numbers of many beta pairs at once.

What a trial gets depends on no other trial of its batch: every step works on each by itself, so
that the same bytes come out of any division into blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.distributions.beta import beta_auc, has_shape
from betaroc.estimation.beta import ILL_CONDITIONED, beta_mle, errors_of_rows
from betaroc.estimation.contract import SAFE_PRODUCT, product_of
from betaroc.estimation.families import has_shapes
from betaroc.studies.trials import Trial

#: Rules about scores of exactly 0 and 1 that say nothing where there are none.
_SILENT = (None, "inflate", "drop", "error")
#: Scores of a class from which a fit by itself has a faster way to its two sums.
_LONG = 1 << 14
#: Scores of a class that are summed together: much more leaves the cache, much less costs calls.
_HELD = 1 << 17
#: Factors of a product, and products in a row at least.
_FACTORS, _COLUMNS = 8, 8
#: Above this mean logarithm the rounding of products, at most 2**-53 a score, would show in the
#: 15th digit.
_LOSSY = -0.1
_BITS_OF_ONE = np.float64(1.0).view(np.uint64)


# ------------------------------------------------------------------------------- the fits
def draw_and_fit(trials: Sequence[Trial]) -> None:
    """Draw the samples of trials and fit those that are plain beta fits side by side.

    The others, and those whose two sums do not settle the fit, are left to `Trial.fit`.
    """
    groups: dict[tuple[int, int] | None, list[Trial]] = {}
    for trial in trials:
        here = trial.setting
        if has_shapes(here.family) and not here.step_known and here.boundary in _SILENT:
            groups.setdefault(here.sizes, []).append(trial)
    plain, g = [], []
    for sizes, group in groups.items():
        if sizes is not None and max(sizes) <= _LONG:
            plain += group
            g.append(_group_means(group, sizes))
    if not plain:
        return
    pairs = _shapes(*np.concatenate(g, axis=1)).reshape(-1, 4)
    settled: Any = np.isfinite(pairs).all(axis=1).tolist()
    for trial, known, found in zip(plain, settled, pairs.tolist(), strict=True):
        if known:
            trial.take_shapes(found)


def _group_means(group: Sequence[Trial], sizes: tuple[int, int]) -> FloatArray:
    """Mean logarithms of trials of equal sizes: client, impostor, client, ..."""
    means = np.empty((2, 2 * len(group)))
    step = min(len(group), max(1, _HELD // max(sizes)))
    rows, room = np.empty((2, step * max(sizes)))
    for first in range(0, len(group), step):
        drawn = [trial.drawn for trial in group[first : first + step]]
        for who, n in enumerate(sizes):
            shape = len(drawn), n
            x, here = (one[: len(drawn) * n] for one in (rows, room))
            np.concatenate([pair[who] for pair in drawn], out=x)
            part = slice(2 * first + who, 2 * (first + len(drawn)), 2)
            means[:, part] = _mean_logs(x.reshape(shape), here.reshape(shape))
    return means


def _shapes(g1: FloatArray, g2: FloatArray) -> FloatArray:
    """Rows a, b; nan where a sample has to be seen by itself."""
    with np.errstate(all="ignore"):
        a, b, converged = beta_mle(g1, g2)
        settled = converged & ~(errors_of_rows(a, b, g1, g2)[2] > ILL_CONDITIONED)
    return np.where(settled, np.stack([a, b]), np.nan).T


def _mean_logs(x: FloatArray, room: FloatArray) -> FloatArray:
    """Mean of log(x) and of log(1 - x) of every row; nan where scores are not inside (0, 1).

    As in `betaroc.estimation.contract`, but each row alone decides how it is summed.
    """
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        sums = np.stack([
            _sums(x, x, np.log),
            _sums(x, np.subtract(1.0, x, out=room), lambda rows: np.log1p(-rows)),
        ])  # fmt: skip
    # The bits of nan and of what has a sign are larger than those; 0 has no finite sum.
    inside = np.maximum.reduce(x.view(np.uint64), axis=1) < _BITS_OF_ONE
    return np.where(inside, sums / x.shape[1], np.nan)


def _sums(
    x: FloatArray, factors: FloatArray, plain: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """Row sums of logarithms, from those of products of a few factors where that loses nothing."""
    n = x.shape[1]
    if n < _FACTORS * _COLUMNS:
        return np.asarray(np.add.reduce(plain(x), axis=1))
    product = product_of(factors, _FACTORS)
    least = np.minimum.reduce(product, axis=1)
    total = np.add.reduce(np.log(product, out=product), axis=1)
    lost = ~((least >= SAFE_PRODUCT) & (total <= _LOSSY * n))
    if lost.any():
        total[lost] = np.add.reduce(plain(x[lost]), axis=1)
    return np.asarray(total)


# ---------------------------------------------------------------------------- the numbers
def shapes_of(trial: Trial, source: str) -> Sequence[float] | None:
    """a_c, b_c, a_i, b_i of a batch fit or of a true beta pair; None of what is neither."""
    if source == "fit":
        return trial.batch_shapes
    client, impostor = trial.model.client, trial.model.impostor
    if not (has_shape(client) and has_shape(impostor)) or trial.model.is_generic:
        return None
    return client.a, client.b, impostor.a, impostor.b


def _side(client: FloatArray, impostor: FloatArray, heavier: str, lighter: str) -> list[str | None]:
    """The side of the diagonal at an end; None for equal shapes, whose constants decide."""
    return [
        None if c == i else heavier if i < c else lighter
        for c, i in zip(client.tolist(), impostor.tolist(), strict=True)
    ]


def _areas(shapes: FloatArray) -> FloatArray:
    """AUC; a single pair, for which `beta_auc` has a way of its own, is not alone."""
    single = shapes.shape[1] == 1
    areas = np.asarray(beta_auc(*(np.repeat(shapes, 2, axis=1) if single else shapes)))
    return areas[:1] if single else areas


#: Statistics of many beta pairs from their shapes, rows a_c, b_c, a_i, b_i; None among the values
#: is left to the pair.
NUMBERS: dict[str, Callable[[FloatArray], Any]] = {
    "auc": _areas,
    "exponent-at-zero": lambda shapes: shapes[2] / shapes[0],
    "exponent-at-one": lambda shapes: shapes[3] / shapes[1],
    "side-at-zero": lambda shapes: _side(shapes[0], shapes[2], "above", "below"),
    "side-at-one": lambda shapes: _side(shapes[1], shapes[3], "below", "above"),
    **{f"{who}-{name}": itemgetter(2 * c + k)
       for c, who in enumerate(CLASSES) for k, name in enumerate("ab")},
}  # fmt: skip
