"""Sums and counts in bins of the scores of one label, and how they add up."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from operator import add
from typing import Any

import numpy as np

from betaroc.core.arrays import AnyArray, FloatArray, IntArray
from betaroc.core.tables import Table, table_of
from betaroc.distributions.empirical import Layout, bin_of
from betaroc.rendering import document, nouns

#: Inside (0, 1), exactly 0, exactly 1, outside [0, 1]; null, NaN or infinite.
KINDS = ("inner", "zero", "one", "outside", "bad")
#: Groups are numbered by bin plus this times the kind; more than there can be bins.
KIND_STRIDE = 1 << 21
#: Scores kept at either end of a class, each as it is.
KEPT = 1000
#: Scores are read again where less than this share of their squares about 0 is left about the mean.
_READ_AGAIN_BELOW = 1e-2


@dataclass(frozen=True, eq=False, repr=False)
class ClassSummary(nouns.Exportable):
    """What is kept of the scores of one class.

    Parameters
    ----------
    n, n_zero, n_one, n_outside : int
        Scores; those of exactly 0, exactly 1, and outside [0, 1].
    minimum, maximum : float
        Extremes.
    inner_minimum, inner_maximum : float
        Extremes of the scores inside (0, 1); 2 and -1 where there are none.
    mean, square : float
        Mean, and sum of squared departures from it.
    log, log1m, logit_square : float
        Sums of log s, of log(1 - s) and of logit(s)**2 over the scores inside (0, 1).
    bins, counts : ndarray of int
        Bins that hold scores, ascending, and how many.
    mean_rest : float, optional
        What rounding took from `mean`; no part of equality.
    lowest, highest : ndarray
        The 1000 smallest scores, ascending, and the 1000 largest, descending.

    Examples
    --------
    >>> import betaroc as br
    >>> one = br.summarize(br.Scores([0.9, 0.7], [0.0]).to_frame())
    >>> one.client.n, one.impostor.n_zero
    (2, 1)
    """

    n: int
    n_zero: int
    n_one: int
    n_outside: int
    minimum: float
    maximum: float
    inner_minimum: float
    inner_maximum: float
    mean: float
    square: float
    log: float
    log1m: float
    logit_square: float
    bins: IntArray
    counts: IntArray
    _same_length = ("bins", "counts")
    _extra_fields = ("mean_rest",)
    mean_rest: float = field(default=0.0, compare=False, repr=False)
    lowest: FloatArray = field(default_factory=partial(np.empty, 0), repr=False)
    highest: FloatArray = field(default_factory=partial(np.empty, 0), repr=False)

    def to_frame(self) -> Table:
        """The counts, extremes and sums in a row, without the bins.

        Examples
        --------
        >>> import betaroc as br
        >>> one = br.summarize(br.Scores([0.9, 0.7], [0.0]).to_frame())
        >>> one.client.to_frame()["maximum"].tolist()
        [0.9]
        """
        return table_of({name: [part] for name, part in document.single_row(self).items()})

    def _follows(self) -> dict[str, Any]:
        return {"n": int(np.sum(self.counts))}

    @property
    def n_inside(self) -> int:
        """Scores strictly inside (0, 1)."""
        return self.n - self.n_zero - self.n_one - self.n_outside

    def _merged(self, *others: ClassSummary) -> ClassSummary:
        parts = [part for part in (self, *others) if part.n]
        if len(parts) < 2:
            return parts[0] if parts else self
        n, mean, rest, square = (
            getattr(parts[0], name) for name in ("n", "mean", "mean_rest", "square")
        )
        for part in parts[1:]:
            away = (part.mean - mean) + (part.mean_rest - rest)
            square = square + part.square + away * away * (n * (part.n / (n + part.n)))
            n += part.n
            mean, rest = _two_parts(mean, rest + away * (part.n / n))
        bins, counts = _counts_added(*[(part.bins, part.counts) for part in parts])
        columns = {name: [getattr(part, name) for part in parts] for name in _JOINED}
        return ClassSummary(
            **{name: _JOINED[name](column) for name, column in columns.items()}, mean=mean,
            mean_rest=rest, square=square, bins=bins, counts=counts,
            lowest=_smallest(np.concatenate([part.lowest for part in parts])),
            highest=-_smallest(-np.concatenate([part.highest for part in parts])),
        )  # fmt: skip


#: How parts become one in what needs no other number.
_JOINED: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("n", "n_zero", "n_one", "n_outside", "log", "log1m", "logit_square"), sum),
    **dict.fromkeys(("minimum", "inner_minimum"), min),
    **dict.fromkeys(("maximum", "inner_maximum"), max),
}
#: The smallest scores, ascending, and the largest, descending.
Extremes = tuple[FloatArray, FloatArray]


def extremes_of(values: FloatArray) -> Extremes:
    """The smallest and the largest scores that are kept."""
    return _smallest(values), -_smallest(-values)


def _smallest(values: FloatArray) -> FloatArray:
    return np.sort(np.partition(values, KEPT)[:KEPT] if values.size > KEPT else values)


def _two_parts(mean: float, more: float) -> tuple[float, float]:
    total = mean + more
    part = total - mean
    rest = (mean - (total - part)) + (more - part)
    return total, rest if math.isfinite(rest) else 0.0


_NONE = np.zeros(0, dtype=np.int64)
_NO_SCORES = ClassSummary(
    n=0, n_zero=0, n_one=0, n_outside=0, minimum=math.inf, maximum=-math.inf, inner_minimum=2.0,
    inner_maximum=-1.0, mean=0.0, square=0.0, log=0.0, log1m=0.0, logit_square=0.0, bins=_NONE,
    counts=_NONE,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class LabelSums:
    """The finite scores of one label, and how many others there are."""

    of: ClassSummary = _NO_SCORES
    raw: float = 0.0
    bad: int = 0

    @property
    def rows(self) -> int:
        """Rows with this label, usable or not."""
        return self.of.n + self.bad

    @property
    def cancelled(self) -> bool:
        """Whether too little is left of the squares, or they are beyond doubles."""
        square = self.of.square
        return not square >= _READ_AGAIN_BELOW * self.raw or math.isinf(square)

    def about(self, total: float, square: float) -> LabelSums:
        """With mean and square from sums about the mean as it was found first."""
        away = total / self.of.n
        left = max(square - total * away, 0.0)
        square = left if math.isfinite(left) else math.inf
        mean, rest = _two_parts(self.of.mean, away)
        return replace(
            self, of=replace(self.of, mean=mean, mean_rest=rest, square=square), raw=square
        )

    def __add__(self, other: LabelSums) -> LabelSums:
        return LabelSums(self.of._merged(other.of), self.raw + other.raw, self.bad + other.bad)


#: Of every label with the names of its strata, if any; what is missing is None.
Labels = dict[tuple[Any, ...], LabelSums]


def is_missing(label: object) -> bool:
    """None, NaN, pandas' NA and NaT."""
    import pandas as pd

    return bool(pd.api.types.is_scalar(label) and pd.isna(label))


def key_of(labels: Iterable[Any]) -> tuple[Any, ...]:
    """Labels as every engine says them: missing ones are None, decimals floats."""
    return tuple(
        None if is_missing(label) else float(label) if isinstance(label, Decimal) else label
        for label in labels
    )


def rows_by_key(columns: Sequence[Any]) -> dict[tuple[Any, ...], IntArray]:
    """The places of each label with the names of its strata, ascending."""
    import pandas as pd

    places, total = np.zeros(len(columns[0]), dtype=np.int64), 1
    parts: list[tuple[IntArray, tuple[Any, ...]]] = []
    for column in columns:
        codes, kinds = pd.factorize(column)
        parts.append((codes, (*key_of(pd.Index(kinds).tolist()), None)))  # at -1 the missing one
        size = len(kinds) + 1
        places, total = places * size + codes + 1, total * size
    order = np.argsort(places.astype(np.min_scalar_type(total)), kind="stable")
    pieces = np.split(order, np.flatnonzero(np.diff(places[order])) + 1)
    return {
        tuple(kinds[codes[own[0]]] for codes, kinds in parts): own for own in pieces if own.size
    }


def added(first: dict[Any, Any], second: dict[Any, Any], merge: Any = add) -> dict[Any, Any]:
    """The sums of two parts, key by key."""
    return first | {k: merge(first[k], sums) if k in first else sums for k, sums in second.items()}


def _counts_added(*parts: tuple[IntArray, IntArray]) -> tuple[IntArray, IntArray]:
    bins, counts = (np.concatenate(arrays).astype(np.int64) for arrays in zip(*parts, strict=True))
    total = np.bincount(bins, counts)  # doubles, exact to 2**53
    places = np.flatnonzero(total)
    return places, total[places].astype(np.int64)


# ------------------------------------------------------------------------- from an engine's groups
def group_sums(
    columns: dict[str, AnyArray], keys: Sequence[AnyArray], extremes: Mapping[Any, Extremes]
) -> Labels:
    """Of groups by key and bin, with KIND_STRIDE times the kind added to the bin."""
    return {
        key: _one_label({name: column[rows] for name, column in columns.items()}, extremes.get(key))
        for key, rows in rows_by_key(keys).items()
    }


def _one_label(part: dict[str, AnyArray], extremes: Extremes | None) -> LabelSums:
    n = part["n"].astype(np.int64)
    kind, place = np.divmod(part["bin"].astype(np.int64), KIND_STRIDE)
    _, zero, one, outside, bad = (int(np.sum(n[kind == code])) for code in range(len(KINDS)))
    used, inner = kind < KINDS.index("bad"), kind == KINDS.index("inner")
    if not np.any(used):
        return LabelSums(bad=bad)
    total = int(np.sum(n[used]))
    low, high = float(np.min(part["minimum"][used])), float(np.max(part["maximum"][used]))
    share, sums, squares = n[used].astype(np.float64), part["total"][used], part["square"][used]
    with np.errstate(over="ignore", invalid="ignore"):
        means = sums / share
        mean = _sum(sums) / total
        within = np.maximum(squares - sums * means, 0.0)
        within = np.where(np.isfinite(squares), within, np.inf)
        square = _sum(within) + _sum(share * (means - mean) ** 2)
        raw = _sum(squares)
    if low == high:
        mean, square, raw = low, 0.0, 0.0
    places, counts = _counts_added((place[used], n[used]))

    sums_inside: Any = {k: math.fsum(part[k][inner]) for k in ("log", "log1m", "logit_square")}
    lowest, highest = extremes or (np.empty(0), np.empty(0))
    result = ClassSummary(
        n=total, n_zero=zero, n_one=one, n_outside=outside, minimum=low, maximum=high,
        inner_minimum=float(np.min(part["minimum"][inner], initial=2.0)),
        inner_maximum=float(np.max(part["maximum"][inner], initial=-1.0)),
        mean=mean, square=square, **sums_inside, bins=places, counts=counts,
        lowest=lowest, highest=highest,
    )  # fmt: skip
    return LabelSums(result, raw, bad)


def _sum(x: FloatArray) -> float:
    try:
        return math.fsum(x)
    except (OverflowError, ValueError):
        return float(np.sum(x))


# --------------------------------------------------------------------------- from rows in memory
def array_sums(s: FloatArray, keys: Mapping[Any, IntArray], bins: int, layout: Layout) -> Labels:
    """Of scores in memory, of each key with its rows."""
    return {key: _values_sums(s[rows], bins, layout) for key, rows in keys.items()}


def _values_sums(scores: FloatArray, bins: int, layout: Layout) -> LabelSums:
    values = scores[np.isfinite(scores)]
    bad = scores.size - values.size
    if values.size == 0:
        return LabelSums(bad=bad)

    places = bin_of(values, bins, layout)
    if values.size < bins:
        occupied, counts = np.unique(places, return_counts=True)
    else:
        counts = np.bincount(places, minlength=bins)
        occupied = np.flatnonzero(counts)
        counts = counts[occupied]
    low, high = float(values.min()), float(values.max())
    zero, one = (int(np.count_nonzero(values == end)) for end in (0.0, 1.0))
    inner = values[(values > 0.0) & (values < 1.0)]
    log, log1m = np.log(inner), np.log1p(-inner)
    logit = log - log1m
    mean, rest, square, raw = _moments(values) if low < high else (low, 0.0, 0.0, 0.0)
    lowest, highest = extremes_of(values)
    result = ClassSummary(
        n=values.size, n_zero=zero, n_one=one, n_outside=values.size - inner.size - zero - one,
        minimum=low, maximum=high,
        inner_minimum=float(np.min(inner, initial=2.0)),
        inner_maximum=float(np.max(inner, initial=-1.0)),
        mean=mean, mean_rest=rest, square=square, log=float(np.sum(log)),
        log1m=float(np.sum(log1m)), logit_square=float(np.dot(logit, logit)),
        bins=occupied, counts=counts,
        lowest=lowest, highest=highest,
    )  # fmt: skip
    return LabelSums(result, raw, bad)


def _moments(values: FloatArray) -> tuple[float, float, float, float]:
    """Mean and what rounding takes from it, squares about it, and about the first mean."""
    with np.errstate(over="ignore"):
        centre = float(np.mean(values))
        centre = centre if math.isfinite(centre) else 0.0
        away = values - centre
        total, raw = float(np.sum(away)), float(np.dot(away, away))
    square = max(raw - total * (total / values.size), 0.0) if math.isfinite(raw) else math.inf
    return *_two_parts(centre, total / values.size), square, raw
