"""Frames that Narwhals reads: their columns collected, or one pass over rows that are elsewhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, reduce
from typing import Any, NamedTuple, TypeVar

import numpy as np

from betaroc.core import checks, errors, notices, tables
from betaroc.core.arrays import AnyArray
from betaroc.core.names import names_array, stacked
from betaroc.core.text import did_you_mean, format_list, format_value, typed
from betaroc.core.vocabulary import worded
from betaroc.data import sums
from betaroc.distributions.empirical import Layout, bin_steps

_T = TypeVar("_T")
#: What two parts of the rows found, as one.
Merge = Callable[[_T, _T], _T]
#: Names of the errors that say that a worker or the way to it is gone, of Dask and Spark.
_LOST = {
    "KilledWorker", "CommClosedError", "CommError", "TimeoutError", "CancelledError",
    "FutureCancelledError", "Py4JNetworkError", "ConnectionRefusedError",
    "SparkConnectGrpcException",
}  # fmt: skip
#: Rows of memory at a time, and partitions whose sums a worker merges.
_SLICE, _TOGETHER = 1 << 20, 8
#: Roles of a single column.
_SINGLE = frozenset({"score", "label", "weight"})
#: Integers that may be beyond 2**53.
_LONG = {"Int64", "UInt64", "Int128", "UInt128"}
#: Labels, and names of strata, beyond which nothing is summed any more.
_MANY, MOST_STRATA = 16, 1000
#: What a label and up to two columns of strata are called for an engine.
_KEYS = ("label", "stratum", "other_stratum")

#: Groups by system and label beyond which the labels are counted before all groups are collected.
_MANY_GROUPS = 1 << 20
#: Rows of outermost bins beyond which each end is sorted by its engine.
_MANY_ROWS = 8 * sums.KEPT


def is_lazy(frame: Any) -> bool:
    """Whether a Narwhals frame is computed elsewhere."""
    import narwhals as nw

    return isinstance(frame, nw.LazyFrame)


def arrays_of(frame: Any) -> dict[str, Any]:
    """The columns of a Narwhals frame of few rows, as arrays; Polars streams."""
    name = frame.implementation.name.lower() if is_lazy(frame) else ""
    if name == "duckdb":  # needs neither pyarrow nor pandas
        columns: dict[str, Any] = dict(frame.to_native().fetchnumpy())
        for k, values in columns.items():
            if np.ma.isMaskedArray(values):  # numpy joins these without their masks
                lost = np.any(values.mask)
                columns[k] = np.array(values.tolist(), dtype=object) if lost else values.data
        return columns
    if name == "polars":
        import narwhals as nw

        frame = nw.from_native(frame.to_native().collect(engine="streaming"))
    elif name:
        frame = frame.collect()
    return {column: frame[column].to_numpy() for column in frame.columns}


@contextmanager
def engine_errors(score: str, label: str) -> Iterator[None]:
    """Errors of an engine as ours; squares may overflow."""
    try:
        with np.errstate(over="ignore"):
            yield
    except (errors.BetarocError, MemoryError):
        raise
    except Exception as error:  # engines raise whatever they like; it is chained
        kind, text = type(error).__name__, format_value(str(error), 200)
        if kind == "OutOfMemoryException" or "Cannot allocate memory" in str(error):
            raise MemoryError(str(error)) from error
        if kind in _LOST or isinstance(error, ConnectionError):
            raise errors.EngineError(
                f"the frame's engine must keep its workers; {kind}: {text}. Nothing was written:"
                " look for what ends the workers (memory, most often), then call again."
            ) from error
        raise errors.InputError(
            f"the frame's engine must be able to group column {format_value(score)} by column"
            f" {format_value(label)}; {kind}: {text}. Correct the frame's own steps."
        ) from error


class OpenedFrame(NamedTuple):
    """A frame whose columns are not read yet: as Narwhals holds it, or a Dask frame."""

    schema: Any
    library: tables.Library
    table: Any
    is_dask: bool = False

    @property
    def names(self) -> list[str]:
        return list(self.schema.names())

    def selected(self, columns: list[str]) -> Any:
        """These columns alone, in memory, as Narwhals holds them."""
        import narwhals as nw

        columns = list(dict.fromkeys(columns))
        if self.is_dask:
            return nw.from_native(self.table[columns].compute(), eager_only=True)
        table = self.table.select(columns)
        return table.collect() if is_lazy(table) else table

    def each(self, columns: list[str], work: Callable[[Any], _T], merge: Merge[_T]) -> Iterator[_T]:
        """What `work` finds in each piece; on Dask, merged by the workers in one order always."""
        columns = list(dict.fromkeys(columns))
        if self.is_dask:
            from dask.base import compute
            from dask.delayed import delayed

            pieces = self.table[columns].to_delayed()
            parts = [delayed(_work_on_partition)(piece, work, merge) for piece in pieces]
            while len(parts) > 1:
                groups = [parts[k : k + _TOGETHER] for k in range(0, len(parts), _TOGETHER)]
                parts = [delayed(reduce)(merge, group) for group in groups]
            return iter(compute(*parts))  # type: ignore[no-untyped-call]
        table = self.table.select(columns)
        if not is_lazy(table) and self.library == "polars":
            table = table.lazy()  # its own engine is the faster one
        if is_lazy(table):
            return map(work, [table])
        starts = range(0, max(len(table), 1), _SLICE)  # a slice even of no rows
        return (work(table[start : start + _SLICE]) for start in starts)


def _work_on_partition(rows: Any, work: Callable[[Any], _T], merge: Merge[_T]) -> _T:
    import narwhals as nw

    starts = range(0, max(len(rows), 1), _SLICE)
    pieces = (nw.from_native(rows.iloc[k : k + _SLICE], eager_only=True) for k in starts)
    with np.errstate(over="ignore"):
        return reduce(merge, map(work, pieces))


def opened(frame: Any, instead: str = "arrays, to Scores.from_labels") -> OpenedFrame:
    """Any frame that Narwhals reads, or a Dask frame."""
    import narwhals as nw
    from narwhals.dependencies import is_dask_dataframe
    from narwhals.exceptions import NarwhalsError

    try:
        native = nw.to_native(frame, pass_through=True)
        if is_dask_dataframe(native):
            schema = nw.from_native(native._meta, eager_only=True).schema
            return OpenedFrame(schema, "pandas", native, is_dask=True)
        table: Any = nw.from_native(frame)
        schema = table.collect_schema()
    except NarwhalsError as error:
        raise errors.InputError.about("frame")(
            f"frame must have readable, distinct columns; {type(error).__name__}:"
            f" {format_value(str(error), 160)}. Rename the columns first."
        ) from error
    except TypeError as error:
        raise errors.InputTypeError.about("frame")(
            "frame must be a frame that Narwhals reads (pandas, Polars, pyarrow, DuckDB, Dask,"
            f" PySpark) or {instead}; got {typed(frame)}. Give one."
        ) from error
    return OpenedFrame(schema, tables.library_of(table) or "pandas", table)


# ------------------------------------------------------------------- columns in memory
def frame_columns(
    frame: OpenedFrame, wanted: Mapping[str, str | tuple[str, str] | None], gaps: str | None = None
) -> dict[str, Any]:
    """The wanted columns, eager; missing values may be in that of `gaps` alone."""
    columns = {
        role: named_columns(value, role)
        for role, value in wanted.items()
        if value is not None or role in ("score", "label")
    }
    _check_absent(frame, [(role, name) for role, names in columns.items() for name in names])
    table = frame.selected([name for names in columns.values() for name in names])
    read: dict[str, Any] = {}
    for role, names in columns.items():
        for name in names if role not in (gaps, "stratum") else ():
            check_nulls(table[name], name)
        parts = [table[name].to_numpy() for name in names]
        if role == "stratum":
            read[role] = parts
            continue
        if len(parts) > 1:
            called = [f"column {format_value(name)}" for name in names]
            parts = [names_array(part, len(part), c) for part, c in zip(parts, called, strict=True)]
        read[role] = stacked(parts, f"group or id {format_value(names)}")
    return read


def _check_absent(frame: OpenedFrame, columns: list[tuple[str, str]]) -> None:
    present = frame.names
    for role, column in columns:
        if column not in present:
            raise errors.InputError.about(role)(
                worded(f"`{role}={format_value(column)}`")
                + f" must name a column of the frame; there are {format_list(present)}."
                f" {did_you_mean(column, [str(p) for p in present])}Pass " + worded(f"`{role}=...`")
            )


def named_columns(value: Any, role: str, *, single: bool | None = None) -> tuple[str, ...]:
    """The names of one column, or of two in a tuple."""
    single = role in _SINGLE if single is None else single
    names = value if isinstance(value, tuple) else (value,)
    if not all(isinstance(name, str) for name in names):
        rule = "be the name of a column, or a tuple of two"
        remedy = "Pass text, such as ('claimed', 'real'), or rename: frame.rename(columns=str)."
        raise errors.refusal(role, rule, typed(value), remedy, errors.InputTypeError)
    if len(names) != len(set(names)) or not 1 <= len(names) <= 2 - single:
        rule = "name one column" + ("" if single else " or two different ones")
        raise errors.refusal(role, rule, format_value(value), "Name each column once.")
    return names


def check_nulls(series: Any, name: str, rows: AnyArray | None = None) -> None:
    """Raise where a column has no value, in the rows in use."""
    gone = np.asarray(series.is_null().to_numpy(), dtype=bool)
    used = np.ones(gone.size, dtype=bool) if rows is None else rows
    places = np.flatnonzero(gone & used)
    if places.size:
        rows_shown = f"first in rows {format_list(places.tolist())} (counted from 0)"
        actual = f"{places.size} of {int(used.sum())} missing, {rows_shown}"
        called, rule = f"column {format_value(name)}", "have no missing value"
        raise errors.refusal(called, rule, actual, "Drop these rows first.")


# ------------------------------------------------------------- columns that are not in memory
def _check_lost_integers(
    frame: OpenedFrame, score: str, low: float = -math.inf, high: float = math.inf
) -> None:
    if str(frame.schema[score]) in _LONG and max(-low, high) >= checks.LARGEST_EXACT:
        raise errors.InputError(
            f"column {format_value(score)} must keep its identity as float64; integers from 2**53"
            " on are rounded. Subtract a constant or rank them first."
        )


def _check_labels(keys: Collection[tuple[Any, ...]], *columns: str) -> None:
    for k, column in enumerate(columns):
        most = MOST_STRATA if k else _MANY
        if len({key[k] for key in keys}) > most:
            rule = f"name at most {most} strata" if k else "hold two labels"
            raise errors.refusal(
                f"column {format_value(column)}", rule, f"more than {most}", "Is it another column?"
            )


def check_counts(score: str, rows: int, bad: int) -> None:
    """Refuse a frame without rows, and scores that are not finite."""
    if not rows:
        raise errors.InputError("frame must hold scores of both classes; it is empty. Give some.")
    if bad:
        raise errors.InputError(
            f"column {format_value(score)} must hold finite numbers; got {bad} missing,"
            f" NaN or infinite of {rows}. Drop these rows first."
        )


@contextmanager
def _pass_over(
    frame: OpenedFrame, score: str, label: str, *more: tuple[str, str]
) -> Iterator[None]:
    """Refuse missing columns, scores that are not numbers, what rounds; warn of float16."""
    with engine_errors(score, label):
        _check_absent(frame, [("score", score), ("label", label), *more])
        kind, called = frame.schema[score], f"column {format_value(score)}"
        if not kind.is_numeric():
            raise errors.InputTypeError(
                f"{called} must be numeric; its type is {kind}. Convert it."
            )
        if str(kind) == "Float16":
            message = f"{called}: float16 scores have 11 significant bits. Store them as float32."
            notices.warn(message, errors.PrecisionWarning)
        try:
            yield
        except (TypeError, ValueError) as error:
            if not isinstance(error, errors.BetarocError):
                _check_lost_integers(frame, score)  # pyarrow rounds none
            raise


# ---------------------------------------------------------------------------------- passes
def label_sums(
    frame: OpenedFrame, score: str, keys: Sequence[str], bins: int, layout: Layout
) -> sums.Labels:
    """Sums and counts of every label, or label and strata."""
    result: sums.Labels = {}
    work = partial(_piece_sums, score=score, keys=keys, bins=bins, layout=layout)
    with _pass_over(frame, score, keys[0], *(("stratum", name) for name in keys[1:])):
        for part in frame.each([score, *keys], work, sums.added):
            result = sums.added(result, part)
            _check_labels(result, *keys)
    low = min((item.of.minimum for item in result.values()), default=0.0)
    high = max((item.of.maximum for item in result.values()), default=0.0)
    _check_lost_integers(frame, score, low, high)
    return result


def _piece_sums(
    piece: Any, score: str, keys: Sequence[str], bins: int, layout: Layout
) -> sums.Labels:
    import narwhals as nw

    if is_lazy(piece):
        rows, names = _rows(piece, score, keys), _KEYS[: len(keys)]
        most = (_MANY + 1) * (bins + len(sums.KINDS)) * _MANY ** (len(keys) > 1)
        groups = arrays_of(_grouped(rows, bins, layout, names).head(most))
        columns = {name: np.asarray(column) for name, column in groups.items()}
        kinds = [columns.pop(name) for name in names]
        _check_labels(_distinct(kinds[0]), keys[0])
        if len(kinds[0]) == most:
            raise errors.refusal("bins", "be fewer for so many strata", str(bins))
        return sums.group_sums(columns, kinds, _extremes(rows, columns, kinds[0], names))
    values = piece[score].cast(nw.Float64).to_numpy().astype(np.float64, copy=False)
    places = sums.rows_by_key([piece[name].to_pandas() for name in keys])
    _check_labels(places, *keys)
    return sums.array_sums(values, places, bins, layout)


#: Sums and squares of each key.
_Squares = dict[tuple[Any, ...], tuple[float, float]]


def label_squares(
    frame: OpenedFrame, score: str, keys: Sequence[str], centres: dict[tuple[Any, ...], float]
) -> _Squares:
    """Sums and squares about the centre of each key: what is left of scores far from 0."""
    work = partial(_piece_squares, score=score, keys=keys, centres=centres)
    with engine_errors(score, keys[0]):
        return reduce(_added_squares, frame.each([score, *keys], work, _added_squares))


def _piece_squares(
    piece: Any, score: str, keys: Sequence[str], centres: dict[tuple[Any, ...], float]
) -> _Squares:
    import narwhals as nw

    rows, result = _rows(piece, score, keys), {}
    for key, centre in centres.items():
        away = nw.col("s") - centre
        of_key = [
            nw.col(name).is_null() if value is None else nw.col(name) == value
            for name, value in zip(_KEYS, key, strict=False)
        ]
        mine = rows.filter(*of_key).with_columns(away=away, square=away * away)
        sums = arrays_of(mine.select(nw.col("away").sum(), nw.col("square").sum()))
        result[key] = float(sums["away"][0] or 0.0), float(sums["square"][0] or 0.0)
    return result


def _added_squares(first: _Squares, second: _Squares) -> _Squares:
    return {k: (first[k][0] + total, first[k][1] + square) for k, (total, square) in second.items()}


#: Columns of groups.
_Groups = dict[str, AnyArray]


def system_groups(frame: OpenedFrame, system: str, score: str, label: str) -> _Groups:
    """Sums of every system, label and kind of score, as columns; a group in each piece it is in."""
    work = partial(_piece_groups, system=system, score=score, label=label)
    with _pass_over(frame, score, label, ("system", system)):
        result = _joined(*frame.each([system, score, label], work, _joined))
    _check_labels(_distinct(result["label"]), label)
    low = float(np.min(result["minimum"], initial=0.0))
    high = float(np.max(result["maximum"], initial=0.0))
    _check_lost_integers(frame, score, low, high)
    return result


def _piece_groups(piece: Any, system: str, score: str, label: str) -> _Groups:
    import narwhals as nw

    rows = _rows(piece, score, [label], nw.col(system).alias("system"))
    groups = _grouped(rows, 1, (0.0, 1.0), ("system", "label"))
    part = arrays_of(groups.head(_MANY_GROUPS))
    _check_labels(_distinct(part["label"]), label)
    return part if len(part["n"]) < _MANY_GROUPS else arrays_of(groups)


def _joined(*parts: _Groups) -> _Groups:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


# ----------------------------------------------------------------------- an engine's groups
def _rows(piece: Any, score: str, keys: Sequence[str], *more: Any) -> Any:
    """Label, strata and score, as `label`, `stratum`, `other_stratum` and `s`."""
    import narwhals as nw

    s = nw.col(score).cast(nw.Float64).alias("s")
    named = [nw.col(key).alias(name) for key, name in zip(keys, _KEYS, strict=False)]
    return piece.select(*more, *named, s)


def _extremes(
    rows: Any, columns: dict[str, AnyArray], labels: AnyArray, names: Sequence[str]
) -> dict[tuple[Any, ...], sums.Extremes]:
    import narwhals as nw

    s, finite = nw.col("s"), columns["bin"] < sums.KIND_STRIDE * sums.KINDS.index("bad")
    ends: list[tuple[Any, Any]] = []  # rows of a label that reach into its lower end, its upper
    many = 0
    for (label,), places in sums.rows_by_key([labels]).items():
        own = places[finite[places]]
        if label is None or not own.size:
            continue
        n, low, high = (columns[name][own] for name in ("n", "minimum", "maximum"))
        least, most = _reach(n, high), -_reach(n, -low)
        many += int(np.sum(n[(low <= least) | (high >= most)]))
        here = (nw.col("label") == label) & s.is_finite()
        ends.append((here & (s <= least), here & (s >= most)))
    if not ends:
        return {}

    def counted(condition: Any) -> Any:
        return rows.filter(condition).group_by(*names, "s").agg(nw.len().alias("n"))

    if many <= _MANY_ROWS:
        every = [end for both in ends for end in both]
        parts = [arrays_of(counted(nw.any_horizontal(*every, ignore_nulls=True)))]
    else:
        parts = [
            arrays_of(counted(end).sort("s", descending=upper).head(sums.KEPT))
            for both in ends for upper, end in zip((False, True), both, strict=True)
        ]  # fmt: skip
    result: dict[Any, dict[float, int]] = {}  # a value may stand in several parts
    for part in parts:
        each = (part[k].tolist() for k in (*names, "s", "n"))
        for *key, value, n in zip(*each, strict=True):
            result.setdefault(sums.key_of(key), {})[value] = min(int(n), sums.KEPT)
    return {
        key: sums.extremes_of(np.repeat(np.array(list(own)), list(own.values())))
        for key, own in result.items()
    }


def _reach(n: AnyArray, end: AnyArray) -> float:
    """Where the groups that end first hold all scores that may be kept."""
    order = np.argsort(end)
    last = int(np.searchsorted(np.cumsum(n[order]), sums.KEPT))
    return float(end[order[last]]) if last < end.size else np.inf


def _distinct(labels: AnyArray) -> set[tuple[Any]]:
    import pandas as pd

    return {*zip(sums.key_of(pd.unique(labels).tolist()), strict=True)}


def _grouped(rows: Any, bins: int, layout: Layout, keys: tuple[str, ...] = ("label",)) -> Any:
    import narwhals as nw

    raw, s, u = nw.col("raw"), nw.col("s"), nw.col("u")
    # No comparison: DuckDB decides it by a file's statistics, which leave NaN out.
    finite = raw.is_finite()
    code = {name: nw.lit(float(number)) for number, name in enumerate(sums.KINDS)}
    rows = rows.rename({"s": "raw"}).with_columns(
        s=nw.when(finite).then(raw).otherwise(nw.lit(0.0)),
        kind=nw.when(finite).then(code["inner"]).otherwise(code["bad"]),
    )
    for step in bin_steps(bins, layout, lambda x, *ends: x.clip(*ends), lambda x: x.sqrt()):
        rows = rows.with_columns(**step(nw.col))
    inside = (s > 0.0) & (s < 1.0)
    places = {"zero": finite & (s == 0.0), "one": s == 1.0, "outside": (s < 0.0) | (s > 1.0)}
    kind = nw.col("kind")
    for name, present in places.items():
        kind = nw.when(present).then(code[name]).otherwise(kind)
    rows = rows.with_columns(
        kind=kind, safe=nw.when(inside).then(s).otherwise(nw.lit(0.5)), square=s * s
    )
    safe = nw.col("safe")
    rows = rows.with_columns(
        bin=nw.col("bin").floor() + nw.col("kind") * float(sums.KIND_STRIDE),
        log=safe.log(), u=1.0 - safe,
    )  # fmt: skip
    # log(1 - s), also where s is tiny: log(u) (s / (1 - u)) with u = 1 - s as rounded.
    rows = rows.with_columns(log_u=u.log(), v=1.0 - u)
    stretched = nw.col("log_u") * (safe / nw.col("v"))
    rows = rows.with_columns(log1m=nw.when(u < 1.0).then(stretched).otherwise(0.0 - safe))
    rows = rows.with_columns(logit=nw.col("log") - nw.col("log1m"))
    rows = rows.with_columns(logit_square=nw.col("logit") * nw.col("logit"))
    totals = [nw.col(name).sum() for name in ("log", "log1m", "logit_square", "square")]
    return rows.group_by(*keys, "bin").agg(
        nw.len().alias("n"), s.min().alias("minimum"), s.max().alias("maximum"),
        s.sum().alias("total"), *totals,
    )  # fmt: skip
