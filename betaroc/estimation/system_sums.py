"""The sums of many systems side by side: of a frame's groups, or of scores in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc.core.errors import InputError
from betaroc.core.text import shown
from betaroc.core.thresholds import FloatArray
from betaroc.data.labels import client_mask
from betaroc.data.one_pass import frame_source, system_groups
from betaroc.data.sums import KIND_STRIDE, KINDS, is_missing
from betaroc.estimation.batch import ragged_mean_logs

__all__ = ["ClassColumns", "class_columns", "system_columns"]

AnyArray = npt.NDArray[Any]
#: Scores of single systems that are put together at a time.
_CHUNK = 1 << 20
_INNER, _ZERO, _ONE, _OUTSIDE = (float(KINDS.index(k)) for k in ("inner", "zero", "one", "outside"))


@dataclass(frozen=True)
class ClassColumns:
    """One class of every system: an entry a system.

    `log`, `log1m`, `logit_square` (about the mean logit), `inner_low` and `inner_high` are of the
    `inner` scores, strictly inside (0, 1); all else of all `n`. `kept` and `logit_kept` are the
    least shares of the sums of squares that are left about a mean; 1 where they were summed there.
    """

    n: FloatArray
    zero: FloatArray
    one: FloatArray
    outside: FloatArray
    low: FloatArray
    high: FloatArray
    inner_low: FloatArray
    inner_high: FloatArray
    mean: FloatArray
    square: FloatArray
    log: FloatArray
    log1m: FloatArray
    logit_square: FloatArray
    kept: FloatArray
    logit_kept: FloatArray
    #: Whether the scores are there to be asked again.
    from_rows: bool = field(default=False, kw_only=True)

    @property
    def inner(self) -> FloatArray:
        """Scores strictly inside (0, 1)."""
        return self.n - self.zero - self.one - self.outside


# ------------------------------------------------------------------------------- of a frame
def system_columns(
    frame: Any, system: str, score: str, label: str, client_label: object
) -> tuple[list[Any], ClassColumns, ClassColumns]:
    """Names of the systems, ascending, and both classes."""
    source = frame_source(
        frame, score, label, instead="a mapping or sequence of Scores or ScoreSummary"
    )
    groups = system_groups(source, system, score, label)
    kind = groups["bin"] // KIND_STRIDE
    _refuse_bad(groups, kind, {"score": score, "label": label, "system": system})
    names, of_system = _named(groups, system)
    mask = client_mask(
        groups["label"], client_label, name=f"column {shown(label)}", counts=groups["n"]
    )
    both = [_of_groups(groups, kind, of_system, names.size, rows) for rows in (mask, ~mask)]
    return names.tolist(), both[0], both[1]


def _named(groups: dict[str, AnyArray], system: str) -> tuple[AnyArray, npt.NDArray[np.intp]]:
    """Names of the systems, ascending, and that of each group by its place."""
    try:
        return np.unique(groups["system"], return_inverse=True)
    except TypeError as error:
        kinds = Counter(type(v).__name__ for v in groups["system"].tolist())
        raise InputError(
            f"column {shown(system)} must hold names of one type; got"
            f" {', '.join(sorted(kinds))}. Convert it to text first."
        ) from error


def _refuse_bad(groups: dict[str, AnyArray], kind: FloatArray, columns: dict[str, str]) -> None:
    n = groups["n"]
    rows = int(np.sum(n))
    if not rows:
        raise InputError("the frame must hold scores of both classes; it has no rows.")
    bad, missing = (int(np.sum(n[kind == KINDS.index(k)])) for k in ("bad", "missing"))
    if bad or missing:
        raise InputError(
            f"column {shown(columns['score'])} must hold finite numbers; got {missing} missing and"
            f" {bad} NaN or infinite of {rows}. Drop these rows first."
        )
    for name in ("label", "system"):
        gone = np.array([is_missing(v) for v in groups[name].tolist()])
        if gone.any():
            raise InputError(
                f"column {shown(columns[name])} must have no missing {name}; got"
                f" {int(np.sum(n[gone]))} of {rows} null or NaN. Drop these rows first."
            )


def _of_groups(
    groups: dict[str, AnyArray],
    kind: FloatArray,
    of_system: npt.NDArray[np.intp],
    systems: int,
    rows: npt.NDArray[np.bool_],
) -> ClassColumns:
    place, kind = of_system[rows], kind[rows]
    part = {k: v[rows] for k, v in groups.items() if k not in ("system", "label", "bin")}
    inner = kind == _INNER

    def total(values: FloatArray, keep: npt.NDArray[np.bool_] | None = None) -> FloatArray:
        at, of = (place, values) if keep is None else (place[keep], values[keep])
        return np.asarray(np.bincount(at, of, minlength=systems), dtype=np.float64)

    def extreme(name: str, keep: npt.NDArray[np.bool_], empty: float) -> FloatArray:
        found = np.full(systems, empty)
        (np.minimum if empty > 0.0 else np.maximum).at(found, place[keep], part[name][keep])
        return found

    n, whole = total(part["n"]), np.ones(kind.size, dtype=bool)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        mean = total(part["total"]) / n
        own = part["total"] / part["n"]
        square = total(np.maximum(part["square"] - part["total"] * own, 0.0))
        square = square + total(part["n"] * (own - mean[place]) ** 2)
        raw = total(part["square"])
        log, log1m, raw_logit = (total(part[k], inner) for k in ("log", "log1m", "logit_square"))
        logit_square = raw_logit - (log - log1m) ** 2 / total(part["n"], inner)
        kept = np.where(raw > 0.0, square / raw, 1.0)
        logit_kept = np.where(raw_logit > 0.0, logit_square / raw_logit, 1.0)
    zero, one, outside = (total(part["n"], kind == k) for k in (_ZERO, _ONE, _OUTSIDE))
    return ClassColumns(
        n, zero, one, outside,
        extreme("minimum", whole, np.inf), extreme("maximum", whole, -np.inf),
        extreme("minimum", inner, 2.0), extreme("maximum", inner, -1.0),
        mean, square, log, log1m, logit_square, kept, logit_kept,
    )  # fmt: skip


# ----------------------------------------------------------------------- of scores in memory
def class_columns(samples: Sequence[FloatArray], *, unit: bool, squares: bool) -> ClassColumns:
    """One class of systems whose scores are in memory, checked and without weights.

    Of laws on the unit interval the logarithms, of others mean and square; of logits too only
    with `squares`. What is not wanted is nan.
    """
    parts, first = [], 0
    while first < len(samples):
        size, last = samples[first].size, first + 1
        while last < len(samples) and size + samples[last].size <= _CHUNK:
            size, last = size + samples[last].size, last + 1
        parts.append(_of_samples(samples[first:last], unit=unit, squares=squares))
        first = last
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return ClassColumns(*columns, from_rows=True)


def _of_samples(
    samples: Sequence[FloatArray], *, unit: bool, squares: bool
) -> tuple[FloatArray, ...]:
    sizes = np.array([x.size for x in samples])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    x = np.concatenate(samples)
    low, high = np.minimum.reduceat(x, starts), np.maximum.reduceat(x, starts)
    counts, kept = [np.zeros(sizes.size)] * 3, list(samples)
    inner_low, inner_high = low, high
    if low.min() <= 0.0 or high.max() >= 1.0:
        there = (x == 0.0, x == 1.0, (x < 0.0) | (x > 1.0))
        counts = [np.add.reduceat(t, starts, dtype=np.float64) for t in there]
        kept = [s[(s > 0.0) & (s < 1.0)] for s in samples]
        inner_low = np.array([s.min() if s.size else 2.0 for s in kept])
        inner_high = np.array([s.max() if s.size else -1.0 for s in kept])
    nothing, ones = np.full(sizes.size, np.nan), np.ones(sizes.size)
    logs = _logs(kept, squares=squares) if unit else (nothing, nothing, nothing)
    moments = (nothing, nothing) if unit else _moments(x, starts, sizes, low, high)
    return (
        sizes.astype(np.float64), *counts, low, high, inner_low, inner_high, *moments, *logs,
        ones, ones,
    )  # fmt: skip


def _moments(
    x: FloatArray,
    starts: npt.NDArray[np.intp],
    sizes: npt.NDArray[np.intp],
    low: FloatArray,
    high: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Mean and sum of squares about it, scaled against overflow."""
    _, exponent = np.frexp(np.maximum(np.abs(low), np.abs(high)))
    y = np.ldexp(x, -np.repeat(exponent, sizes))
    mean = np.add.reduceat(y, starts) / sizes
    away = y - np.repeat(mean, sizes)
    residual = np.add.reduceat(away, starts)
    square = np.add.reduceat(away * away, starts) - residual * residual / sizes
    with np.errstate(over="ignore"):
        return np.ldexp(mean, exponent), np.ldexp(square, 2 * exponent)


def _logs(samples: Sequence[FloatArray], *, squares: bool) -> tuple[FloatArray, ...]:
    """Sums of log, of log(1 - s) and of squared logits about their mean; 0 of no scores."""
    sizes = np.array([s.size for s in samples])
    found = np.zeros((3, sizes.size))
    some = np.flatnonzero(sizes)
    full = [s for s in samples if s.size]
    if full:
        found[:2, some] = np.stack(ragged_mean_logs(full)) * sizes[some]
    if squares:
        for k, s in zip(some, full, strict=True):
            logit = np.log(s) - np.log1p(-s)
            away = logit - logit.mean()
            found[2, k] = np.dot(away, away) - away.sum() ** 2 / s.size
    return found[0], found[1], found[2]
