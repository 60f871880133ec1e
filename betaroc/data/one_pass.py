"""One pass over rows: grouped by label and bin on their own engine, or in slices of memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import AnyArray, BoolArray
from betaroc.core.errors import BetarocError, InputTypeError
from betaroc.core.tables import library_of
from betaroc.core.text import shown
from betaroc.data.engines import (
    SLICE,
    PartitionedSource,
    Source,
    arrays_of,
    as_ours,
    dask_frame,
    dask_schema,
    frame_error,
    is_lazy,
    partitions_of,
)
from betaroc.data.frames import (
    checked_schema,
    refuse_lost_integers,
    refuse_many_labels,
    refuse_text,
)
from betaroc.data.sums import (
    KEPT,
    KIND_STRIDE,
    KINDS,
    Extremes,
    Labels,
    added,
    array_sums,
    extremes_of,
    group_sums,
    is_missing,
)
from betaroc.distributions.empirical import Layout, bin_steps

#: Called with the rows done and the rows to do, all passes together.
Progress = Callable[[int, int], object]
#: Labels beyond which nothing is summed any more.
_MANY = 16
#: Groups by system and label beyond which the labels are counted before all groups are collected.
_MANY_GROUPS = 1 << 20
#: Rows of outermost bins beyond which each end is sorted by its engine.
_MANY_ROWS = 8 * KEPT


def frame_source(frame: Any, score: str, label: str, *, instead: str) -> Source:
    """A frame that Narwhals reads: a lazy one as it is, one in memory in slices.

    `instead` is what the caller takes in place of a frame.
    """
    import narwhals as nw

    named = partial(frame_error, score, label)
    with as_ours(named):
        partitioned = dask_frame(frame)
        if partitioned is not None:
            parts = partial(partitions_of, partitioned)
            return PartitionedSource(dask_schema(partitioned), parts, named, library="pandas")
        try:
            table: Any = nw.from_native(frame)
        except TypeError as error:
            raise InputTypeError.about("frame")(
                "frame must be a frame that Narwhals reads (pandas, Polars, pyarrow, DuckDB,"
                f" Dask, PySpark) or {instead}; got {shown(frame)} of type"
                f" {type(frame).__name__}. Give one of them."
            ) from error
        library = library_of(table) or "pandas"
        if not is_lazy(table) and library == "polars":
            table = table.lazy()  # its own engine is the faster one
        schema = table.collect_schema()

    def pieces(columns: list[str]) -> Iterator[Any]:
        wanted = table.select(columns)
        if is_lazy(wanted):
            yield wanted
        else:
            starts = range(0, max(len(wanted), 1), SLICE)  # a slice even of no rows
            yield from (wanted[start : start + SLICE] for start in starts)

    return Source(schema, pieces, named, library=library)


# ---------------------------------------------------------------------------------- passes
def label_sums(
    source: Source,
    score: str,
    label: str,
    bins: int,
    layout: Layout,
    progress: Progress | None = None,
) -> Labels:
    """Sums and counts of every label."""
    found: Labels = {}
    work = partial(_piece_sums, score=score, label=label, bins=bins, layout=layout)
    with as_ours(source.error):
        checked_schema(source, score, label)
        with _as_numbers(source, score):
            for part in source.each([score, label], work, _added):
                if part is None or len(found := added(found, part)) > _MANY:
                    refuse_many_labels(source, label)
                if progress is not None and source.rows is not None:
                    progress(sum(one.rows for one in found.values()), source.rows)
        low = min((one.of.minimum for one in found.values()), default=0.0)
        high = max((one.of.maximum for one in found.values()), default=0.0)
        refuse_lost_integers(source, score, low, high)
    return found


@contextmanager
def _as_numbers(source: Source, score: str) -> Iterator[None]:
    """What is said where an engine cannot make doubles of the scores."""
    try:
        yield
    except BetarocError:
        raise
    except (TypeError, ValueError):
        refuse_lost_integers(source, score)  # pyarrow rounds none
        refuse_text(source, score)  # a part of another type than the frame says
        raise


def _piece_sums(piece: Any, score: str, label: str, bins: int, layout: Layout) -> Labels | None:
    """The sums of a piece; None for labels without end."""
    if is_lazy(piece):
        rows = _rows(piece, score, label)
        most = (_MANY + 1) * (bins + len(KINDS))
        columns = arrays_of(_grouped(rows, bins, layout).head(most))
        labels = columns.pop("label")
        if len(labels) >= most or len(_distinct(labels)) > _MANY:
            return None
        columns = {name: np.asarray(column) for name, column in columns.items()}
        return group_sums(columns, labels.tolist(), _extremes(rows, columns, labels.tolist()))
    import narwhals as nw

    scores = piece[score]
    masks = _masks(piece[label])
    if len(masks) > _MANY:
        return None
    values = scores.cast(nw.Float64).to_numpy().astype(np.float64, copy=False)
    null = scores.is_null().to_numpy().astype(bool, copy=False)
    return array_sums(values, null, masks, bins, layout)


def label_squares(
    source: Source,
    score: str,
    label: str,
    centres: dict[Any, float],
    progress: Progress | None = None,
) -> dict[Any, tuple[float, float]]:
    """Sums and squares about the centre of each label: what is left of scores far from 0."""
    found = 0, dict.fromkeys(centres, (0.0, 0.0))
    work = partial(_piece_squares, score=score, label=label, centres=centres)
    with as_ours(source.error):
        for part in source.each([score, label], work, _added_squares):
            found = _added_squares(found, part)
            if progress is not None and source.rows is not None:
                progress(source.rows + found[0], 2 * source.rows)
    return found[1]


#: Rows, and sums and squares of each label.
_Squares = tuple[int, dict[Any, tuple[float, float]]]


def _piece_squares(piece: Any, score: str, label: str, centres: dict[Any, float]) -> _Squares:
    import narwhals as nw

    s = nw.col("s")
    away = {f"total{k}": s - c for k, c in enumerate(centres.values())}
    rows = _rows(piece, score, label).with_columns(**away)
    square = {f"square{k}": nw.col(name) * nw.col(name) for k, name in enumerate(away)}
    sums = [nw.len().alias("n"), *(nw.col(name).sum() for name in (*away, *square))]
    columns = arrays_of(rows.with_columns(**square).group_by("label").agg(*sums))
    of_row = columns["label"].tolist()
    found = dict.fromkeys(centres, (0.0, 0.0))
    for k, of_label in enumerate(centres):
        if of_label in of_row:
            row = of_row.index(of_label)
            found[of_label] = float(columns[f"total{k}"][row]), float(columns[f"square{k}"][row])
    return int(np.sum(columns["n"])), found


def _added_squares(one: _Squares, other: _Squares) -> _Squares:
    both = {k: (one[1][k][0] + v[0], one[1][k][1] + v[1]) for k, v in other[1].items()}
    return one[0] + other[0], both


def system_groups(source: Source, system: str, score: str, label: str) -> dict[str, AnyArray]:
    """Sums of every system, label and kind of score, as columns; a group in each piece it is in."""
    parts: list[_Groups] = []
    labels: set[Any] = set()
    work = partial(_piece_groups, system=system, score=score, label=label)
    with as_ours(source.error):
        checked_schema(source, score, label, system=system)
        with _as_numbers(source, score):
            for part in source.each([system, score, label], work, _merged_groups):
                if part is None or len(labels := labels | _distinct(part["label"])) > _MANY:
                    refuse_many_labels(source, label)
                else:
                    parts.append(part)
        found = _joined(parts)
        low = float(np.min(found["minimum"], initial=0.0))
        high = float(np.max(found["maximum"], initial=0.0))
        refuse_lost_integers(source, score, low, high)
    return found


#: Columns of groups.
_Groups = dict[str, AnyArray]


def _piece_groups(piece: Any, system: str, score: str, label: str) -> _Groups | None:
    """The groups of a piece; None for labels without end."""
    import narwhals as nw

    rows = piece.select(
        nw.col(system).alias("system"), nw.col(label).alias("label"),
        nw.col(score).cast(nw.Float64).alias("s"),
    )  # fmt: skip
    groups = _grouped(rows, 1, (0.0, 1.0), ("system", "label"))
    part = arrays_of(groups.head(_MANY_GROUPS))
    if len(_distinct(part["label"])) > _MANY:
        return None
    return part if len(part["n"]) < _MANY_GROUPS else arrays_of(groups)


def _joined(parts: list[_Groups]) -> _Groups:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _merged_groups(one: _Groups | None, other: _Groups | None) -> _Groups | None:
    """The groups of both, each once; None for labels without end."""
    import narwhals as nw

    if one is None or other is None:
        return None
    both = nw.from_dict(_joined([one, other]), backend="pandas")  # as partitions are
    keys = ["system", "label", "bin"]
    sums = [nw.col(name).sum() for name in one if name not in (*keys, "minimum", "maximum")]
    ends = nw.col("minimum").min(), nw.col("maximum").max()
    found = arrays_of(both.group_by(keys).agg(*sums, *ends))
    return found if len(_distinct(found["label"])) <= _MANY else None


def _added(one: Labels | None, other: Labels | None) -> Labels | None:
    """The sums of both; None if there are labels without end."""
    if one is None or other is None:
        return None
    both = added(one, other)
    return both if len(both) <= _MANY else None


# ----------------------------------------------------------------------- an engine's groups
def _rows(piece: Any, score: str, label: str) -> Any:
    """Label and score, as `label` and `s`."""
    import narwhals as nw

    return piece.select(nw.col(label).alias("label"), nw.col(score).cast(nw.Float64).alias("s"))


class _Reach(NamedTuple):
    """How far into a label's scores the extremes may reach from either end."""

    label: Any
    least: float
    most: float

    def rows(self, *, lower: bool = True, upper: bool = True) -> Any:
        import narwhals as nw

        s = nw.col("s")
        sides = [s <= self.least] * lower + [s >= self.most] * upper
        return (nw.col("label") == self.label) & s.is_finite() & _any(sides)


def _extremes(rows: Any, columns: dict[str, AnyArray], labels: list[Any]) -> dict[Any, Extremes]:
    """The smallest and largest scores of each label, from the rows of its outermost bins."""
    import narwhals as nw

    finite = columns["bin"] < KIND_STRIDE * KINDS.index("bad")
    codes: dict[Any, list[int]] = {}
    for row, value in enumerate(labels):
        if finite[row] and not is_missing(value):
            codes.setdefault(value, []).append(row)
    reaches, many = [], 0
    for label, own in codes.items():
        n, low, high = (columns[name][own] for name in ("n", "minimum", "maximum"))
        reaches.append(_Reach(label, _reach(n, high), -_reach(n, -low)))
        many += int(np.sum(n[(low <= reaches[-1].least) | (high >= reaches[-1].most)]))
    if not reaches:
        return {}
    if many <= _MANY_ROWS:
        found = rows.filter(_any([one.rows() for one in reaches]))
        parts = [arrays_of(found.group_by("label", "s").agg(nw.len().alias("n")))]
    else:
        parts = [
            arrays_of(
                rows.filter(one.rows(lower=lower, upper=not lower)).group_by("label", "s")
                .agg(nw.len().alias("n")).sort("s", descending=not lower).head(KEPT)
            )
            for one in reaches for lower in (True, False)
        ]  # fmt: skip
    return _kept(parts)


def _any(conditions: list[Any]) -> Any:
    import narwhals as nw

    return nw.any_horizontal(*conditions, ignore_nulls=True)


def _reach(n: AnyArray, end: AnyArray) -> float:
    """Where the groups that end first hold all scores that may be kept."""
    order = np.argsort(end)
    last = int(np.searchsorted(np.cumsum(n[order]), KEPT))
    return float(end[order[last]]) if last < end.size else np.inf


def _kept(parts: list[dict[str, AnyArray]]) -> dict[Any, Extremes]:
    """Of values and how often each occurs; a value may stand in several parts."""
    found: dict[Any, dict[float, int]] = {}
    for part in parts:
        for label, value, n in zip(*(part[k].tolist() for k in ("label", "s", "n")), strict=True):
            found.setdefault(label, {})[value] = min(int(n), KEPT)
    return {
        label: extremes_of(np.repeat(np.array(list(own)), list(own.values())))
        for label, own in found.items()
    }


def _distinct(labels: AnyArray) -> set[Any]:
    """The labels that occur; missing ones are None."""
    return {None if is_missing(v) else v for v in labels.tolist()}


def _grouped(rows: Any, bins: int, layout: Layout, keys: tuple[str, ...] = ("label",)) -> Any:
    """Groups by label and bin; steps are short, since some engines write an operand out twice."""
    import narwhals as nw

    raw, s, u = nw.col("raw"), nw.col("s"), nw.col("u")
    # No comparison: DuckDB decides it by a file's statistics, which leave NaN out.
    finite = raw.is_finite()
    code = {name: nw.lit(float(number)) for number, name in enumerate(KINDS)}
    rows = rows.rename({"s": "raw"}).with_columns(
        s=nw.when(finite).then(raw).otherwise(nw.lit(0.0)),
        kind=nw.when(finite).then(code["inner"]).otherwise(code["bad"]),
    )
    for step in bin_steps(bins, layout, lambda x, *ends: x.clip(*ends), lambda x: x.sqrt()):
        rows = rows.with_columns(**step(nw.col))
    inside = (s > 0.0) & (s < 1.0)
    places = {"zero": finite & (s == 0.0), "one": s == 1.0, "outside": (s < 0.0) | (s > 1.0)}
    kind = nw.when(raw.is_null()).then(code["missing"]).otherwise(nw.col("kind"))
    for name, there in places.items():
        kind = nw.when(there).then(code[name]).otherwise(kind)
    rows = rows.with_columns(
        kind=kind,
        safe=nw.when(inside).then(s).otherwise(nw.lit(0.5)),
        square=s * s,
    )
    safe = nw.col("safe")
    rows = rows.with_columns(
        bin=nw.col("bin").floor() + nw.col("kind") * float(KIND_STRIDE),
        log=safe.log(), u=1.0 - safe,
    )  # fmt: skip
    # log(1 - s), also where s is tiny: log(u) (s / (1 - u)) with u = 1 - s as rounded.
    rows = rows.with_columns(log_u=u.log(), v=1.0 - u)
    stretched = nw.col("log_u") * (safe / nw.col("v"))
    rows = rows.with_columns(log1m=nw.when(u < 1.0).then(stretched).otherwise(0.0 - safe))
    rows = rows.with_columns(logit=nw.col("log") - nw.col("log1m"))
    rows = rows.with_columns(logit_square=nw.col("logit") * nw.col("logit"))
    sums = [nw.col(name).sum() for name in ("log", "log1m", "logit_square", "square")]
    return rows.group_by(*keys, "bin").agg(
        nw.len().alias("n"), s.min().alias("minimum"), s.max().alias("maximum"),
        s.sum().alias("total"), *sums,
    )  # fmt: skip


# ---------------------------------------------------------------------------- rows in memory
def _masks(labels: Any) -> list[tuple[Any, BoolArray]]:
    """Every label with the mask of its rows; more than _MANY without masks."""
    if len(labels) == 0:
        return []
    values = labels.to_numpy() if labels.dtype.is_numeric() else None
    if values is not None and values.dtype.kind in "iuf" and values.size:
        ends = [values.min(), values.max()]  # two labels, without a search
        masks = [(end.item(), values == end) for end in ends[: 1 + bool(ends[0] != ends[1])]]
        if sum(np.count_nonzero(mask) for _, mask in masks) == values.size:
            return masks
    null = labels.is_null().to_numpy().astype(bool, copy=False)
    found = [(None, null)] if null.any() else []
    kept = [v for v in labels.unique().to_list() if not is_missing(v)]
    if len(kept) > _MANY:
        return [(v, null) for v in kept]
    found += [(v, (labels == v).fill_null(False).to_numpy().astype(bool)) for v in kept]
    nan = ~np.any([mask for _, mask in found], axis=0)
    return [*found, (None, nan)] if nan.any() else found
