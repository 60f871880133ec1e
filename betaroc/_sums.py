"""Sums and counts in bins of the scores of one label, and how they add up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc._layout import Layout, bin_of
from betaroc._thresholds import FloatArray

__all__ = ["FAR", "KINDS", "LabelSums", "added", "array_sums", "group_sums", "is_missing"]

IntArray = npt.NDArray[np.int64]
#: Groups of one bin apart by kind: the bin's number has FAR times the kind added.
FAR = 1 << 21
#: Inside (0, 1), exactly 0, exactly 1, outside [0, 1]; NaN or infinite; null.
KINDS = ("inner", "zero", "one", "outside", "bad", "missing")
#: Squares about 0 of which less than this share is left about the mean have cancelled.
_KEPT = 1e-2


@dataclass(frozen=True, eq=False)
class LabelSums:
    """What is kept of the scores of one label; `n` are finite, `bad` and `missing` are not.

    The mean is `mean` and a small `rest`, so that means far from 0 are told apart; `square` is
    about it, and `raw` is the sum of squares it was taken from. `inner_low` and
    `inner_high` are 2 and -1 where no score lies inside (0, 1).
    """

    n: int = 0
    zero: int = 0
    one: int = 0
    outside: int = 0
    low: float = math.inf
    high: float = -math.inf
    inner_low: float = 2.0
    inner_high: float = -1.0
    mean: float = 0.0
    square: float = 0.0
    log: float = 0.0
    log1m: float = 0.0
    logit2: float = 0.0
    bins: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    counts: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    raw: float = 0.0
    bad: int = 0
    missing: int = 0
    rest: float = 0.0

    @property
    def rows(self) -> int:
        """Rows with this label, usable or not."""
        return self.n + self.bad + self.missing

    @property
    def cancelled(self) -> bool:
        """Whether too little is left of the squares, or they are beyond doubles."""
        return not self.square >= _KEPT * self.raw or math.isinf(self.square)

    def about(self, total: float, square: float) -> LabelSums:
        """With mean and square from sums about the mean as it was found first."""
        left = max(square - total * (total / self.n), 0.0)
        square = left if math.isfinite(square) else math.inf
        return replace(self, rest=total / self.n, square=square, raw=square)

    def __add__(self, other: LabelSums) -> LabelSums:
        n = self.n + other.n
        if not (self.n and other.n):
            more = other if other.n else self
            return replace(more, bad=self.bad + other.bad, missing=self.missing + other.missing)
        away = (other.mean - self.mean) + (other.rest - self.rest)
        between = away * away * (self.n * (other.n / n))
        bins, counts = _counts_added((self.bins, self.counts), (other.bins, other.counts))
        return LabelSums(
            n,
            self.zero + other.zero,
            self.one + other.one,
            self.outside + other.outside,
            min(self.low, other.low),
            max(self.high, other.high),
            min(self.inner_low, other.inner_low),
            max(self.inner_high, other.inner_high),
            self.mean,
            self.square + other.square + between,
            self.log + other.log,
            self.log1m + other.log1m,
            self.logit2 + other.logit2,
            bins,
            counts,
            self.raw + other.raw,
            self.bad + other.bad,
            self.missing + other.missing,
            self.rest + away * (other.n / n),
        )


#: Of every label; missing labels are None.
Labels = dict[Any, LabelSums]


def is_missing(label: object) -> bool:
    """None, NaN, pandas' NA and NaT."""
    return label is None or type(label).__name__ in {"NAType", "NaTType"} or label != label


def _key(label: Any) -> Any:
    """The label as every engine says it: missing ones are None, decimals floats."""
    if is_missing(label):
        return None
    return float(label) if isinstance(label, Decimal) else label


def added(one: Labels, other: Labels) -> Labels:
    """The sums of two parts of a frame, label by label."""
    return one | {k: one[k] + sums if k in one else sums for k, sums in other.items()}


def _counts_added(*parts: tuple[IntArray, IntArray]) -> tuple[IntArray, IntArray]:
    bins = np.concatenate([p[0] for p in parts]).astype(np.int64)
    places, back = np.unique(bins, return_inverse=True)
    counts = np.zeros(places.size, dtype=np.int64)
    np.add.at(counts, back, np.concatenate([p[1] for p in parts]).astype(np.int64))
    return places, counts


# ------------------------------------------------------------------------- from an engine's groups
def group_sums(columns: dict[str, npt.NDArray[Any]], labels: Sequence[Any]) -> Labels:
    """Of groups by label and bin, with FAR times the kind added to the bin."""
    codes: dict[Any, int] = {}
    of_row = [codes.setdefault(_key(v), len(codes)) for v in labels]
    order = np.array(of_row)
    return {
        label: _one_label({name: column[order == code] for name, column in columns.items()})
        for label, code in codes.items()
    }


def _one_label(part: dict[str, npt.NDArray[Any]]) -> LabelSums:
    n = part["n"].astype(np.int64)
    kind, place = np.divmod(part["bin"].astype(np.int64), FAR)
    rows = {name: int(np.sum(n[kind == code])) for code, name in enumerate(KINDS)}
    used, inner = kind < KINDS.index("bad"), kind == KINDS.index("inner")
    lost = LabelSums(bad=rows["bad"], missing=rows["missing"])
    if not np.any(used):
        return lost
    total = int(np.sum(n[used]))
    low, high = float(np.min(part["low"][used])), float(np.max(part["high"][used]))
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
    log, log1m, logit2 = (math.fsum(part[k][inner]) for k in ("log", "log1m", "logit2"))
    places, counts = _counts_added((place[used], n[used]))
    return lost + LabelSums(
        total, rows["zero"], rows["one"], rows["outside"], low, high,
        float(np.min(part["low"][inner], initial=2.0)),
        float(np.max(part["high"][inner], initial=-1.0)),
        mean, square, log, log1m, logit2, places, counts, raw,
    )  # fmt: skip


def _sum(x: FloatArray) -> float:
    """The sum, infinite where it is beyond the largest double."""
    try:
        return math.fsum(x)
    except (OverflowError, ValueError):
        return float(np.sum(x))


# --------------------------------------------------------------------------- from rows in memory
def array_sums(
    s: FloatArray,
    null: npt.NDArray[np.bool_],
    labels: Iterable[tuple[Any, npt.NDArray[np.bool_]]],
    bins: int,
    layout: Layout,
) -> Labels:
    """Of scores in memory, each label with the mask of its rows."""
    found: Labels = {}
    for label, rows in labels:
        values = s[rows]
        finite = np.isfinite(values)
        if finite.all():
            sums = _values_sums(values, bins, layout)
        else:
            missing = int(np.count_nonzero(null[rows]))
            bad = values.size - int(np.count_nonzero(finite)) - missing
            sums = _values_sums(values[finite], bins, layout)
            sums = replace(sums, bad=bad, missing=missing)
        found = added(found, {_key(label): sums})
    return found


def _values_sums(values: FloatArray, bins: int, layout: Layout) -> LabelSums:
    if values.size == 0:
        return LabelSums()
    counts = np.bincount(bin_of(values, bins, layout), minlength=bins)
    occupied = np.flatnonzero(counts)
    low, high = float(values.min()), float(values.max())
    if low > 0.0 and high < 1.0:
        zero = one = outside = 0
        inner = values
    else:
        zero, one = (int(np.count_nonzero(values == end)) for end in (0.0, 1.0))
        inner = values[(values > 0.0) & (values < 1.0)]
        outside = values.size - inner.size - zero - one
    log, log1m = np.log(inner), np.log1p(-inner)
    logs = float(np.sum(log)), float(np.sum(log1m))
    logit = np.subtract(log, log1m, out=log)
    with np.errstate(over="ignore"):
        mean = float(np.mean(values))
        centre = mean if math.isfinite(mean) else 0.0
        away = values - centre
        total, raw = float(np.sum(away)), float(np.dot(away, away))
    square = max(raw - total * (total / values.size), 0.0) if math.isfinite(raw) else math.inf
    rest = total / values.size
    if low == high:
        centre, rest, square, raw = low, 0.0, 0.0, 0.0
    return LabelSums(
        values.size, zero, one, outside, low, high,
        float(np.min(inner, initial=2.0)), float(np.max(inner, initial=-1.0)),
        centre, square, *logs, float(np.dot(logit, logit)), occupied, counts[occupied], raw,
        rest=rest,
    )  # fmt: skip
