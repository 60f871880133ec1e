"""Scores grouped by label and bin: a frame on its own engine, a Parquet file in batches."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc._layout import Layout, bin_expression, bin_of
from betaroc._thresholds import FloatArray
from betaroc._words import listed, nearest, shown
from betaroc.errors import (
    FileFormatError,
    InputError,
    InputTypeError,
    MissingDependencyError,
    PrecisionWarning,
    ScoreFileNotFoundError,
    warn,
)

__all__ = ["Groups", "file_groups", "frame_groups", "label_squares"]

IntArray = npt.NDArray[np.int64]
#: Rows of a file in memory at once.
_BATCH = 1 << 20
_SUMS = ("zero", "one", "outside", "log", "log1m", "logit2", "total", "square")


class Groups(dict[str, Any]):
    """Columns of the groups (label, bin): sums of what is counted and added up.

    `total` and `square` are about `centre`, a score near those of the group or 0. Bin -1 holds
    what is not finite.
    """


# -------------------------------------------------------------------------------- frames
def frame_groups(frame: Any, score: str, label: str, bins: int, layout: Layout) -> Groups:
    """The frame grouped by label and bin on its own engine."""
    import narwhals as nw

    with _engine():
        rows, half = _rows(nw, frame, score, label)
        grouped = _collected(_grouped(nw, rows, bins, layout))
    if half:
        _warn_of_half(score)
    columns = {name: grouped[name].to_numpy() for name in grouped.columns}
    return Groups(columns | {"centre": np.zeros(columns["n"].size)})


def label_squares(frame: Any, score: str, label: str, centres: list[float]) -> Groups:
    """Sums and squares about some centres, of each label: what is left of scores far from 0."""
    import narwhals as nw

    with _engine():
        rows, _ = _rows(nw, frame, score, label)
        away = {f"total{k}": nw.col("s") - c for k, c in enumerate(centres)}
        away |= {f"square{k}": (nw.col("s") - c) * (nw.col("s") - c) for k, c in enumerate(centres)}
        sums = [nw.col(name).sum() for name in away]
        grouped = _collected(rows.with_columns(**away).group_by("label").agg(*sums))
    return Groups({name: grouped[name].to_numpy() for name in grouped.columns})


@contextmanager
def _engine() -> Iterator[None]:
    """Errors of an engine as ours; squares may overflow, and Narwhals' plans are not news here."""
    from narwhals.exceptions import NarwhalsError

    try:
        with warnings.catch_warnings(), np.errstate(over="ignore"):
            warnings.filterwarnings("ignore", "Dask support is moving", FutureWarning)
            # A thread of the engine does not see numpy's error state.
            warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning)
            yield
    except NarwhalsError as error:
        raise InputError(
            f"the frame's engine must group it; {type(error).__name__}: {shown(str(error), 160)}"
        ) from error


def _collected(table: Any) -> Any:
    return table.collect() if hasattr(table, "collect") else table


def _rows(nw: Any, frame: Any, score: str, label: str) -> tuple[Any, bool]:
    """Label and score, as `label` and `s`; whether the scores are float16."""
    try:
        table: Any = nw.from_native(frame)
        schema = table.collect_schema()
    except TypeError as error:
        raise InputTypeError(
            "the argument must be a frame that Narwhals reads (pandas, Polars, pyarrow, DuckDB,"
            f" Dask, PySpark) or a path; got {shown(frame)} of type {type(frame).__name__}."
        ) from error
    _refuse_missing_columns(list(schema.names()), score, label)
    if not schema[score].is_numeric():
        raise InputTypeError(
            f"column {shown(score)} must be numeric; its type is {schema[score]}. Convert it to"
            " float64 first."
        )
    rows = table.select(nw.col(label).alias("label"), nw.col(score).cast(nw.Float64).alias("s"))
    return rows, str(schema[score]) == "Float16"


def _warn_of_half(score: str) -> None:
    """Ties of float16 scores are of the format's making."""
    warn(
        f"column {shown(score)}: float16 scores have 11 significant bits; ties are of the format's"
        " making. Store scores as float32 or float64.",
        PrecisionWarning,
    )


def _refuse_missing_columns(present: list[str], score: str, label: str) -> None:
    for role, column in (("score", score), ("label", label)):
        if column not in present:
            raise InputError(
                f"{role}={shown(column)} must name a column; there are {listed(present)}."
                f" {nearest(column, present)}Pass {role}=..."
            )


def _grouped(nw: Any, rows: Any, bins: int, layout: Layout) -> Any:
    s = nw.col("s")

    def at_least(x: Any, least: float) -> Any:
        return nw.when(x > least).then(x).otherwise(nw.lit(least))

    place = bin_expression(s, bins, layout, at_least, lambda x: x.sqrt()).floor()
    place = at_least(nw.when(place < bins - 1.0).then(place).otherwise(nw.lit(bins - 1.0)), 0.0)
    finite = (s > -math.inf) & (s < math.inf)
    inside = (s > 0.0) & (s < 1.0)
    # log(1 - s), also where s is tiny: log(u) (s / (1 - u)) with u = 1 - s as rounded.
    safe = nw.when(inside).then(s).otherwise(nw.lit(0.5))
    u = 1.0 - safe
    log1m = nw.when(u < 1.0).then(u.log() * (safe / (1.0 - u))).otherwise(-safe)
    log = safe.log()
    rows = rows.with_columns(
        bin=nw.when(finite).then(place).otherwise(nw.lit(-1.0)),
        missing=s.is_null().cast(nw.Int64),
        zero=(s == 0.0).cast(nw.Int64), one=(s == 1.0).cast(nw.Int64),
        outside=((s < 0.0) | (s > 1.0)).cast(nw.Int64),
        log=nw.when(inside).then(log).otherwise(nw.lit(0.0)),
        log1m=nw.when(inside).then(log1m).otherwise(nw.lit(0.0)),
        logit2=nw.when(inside).then((log - log1m) * (log - log1m)).otherwise(nw.lit(0.0)),
        total=s, square=s * s,
    )  # fmt: skip
    return rows.group_by("label", "bin").agg(
        nw.len().alias("n"), s.min().alias("low"), s.max().alias("high"),
        *(nw.col(name).sum() for name in ("missing", *_SUMS)),
    )  # fmt: skip


# --------------------------------------------------------------------------------- files
def file_groups(path: Path, score: str, label: str, bins: int, layout: Layout) -> Groups:
    """Batches of a Parquet file, each grouped, then put together."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingDependencyError(
            'reading Parquet needs pyarrow, which is not installed. pip install "betaroc[parquet]"'
        ) from error
    name = shown(str(path))
    _refuse_other_files(path, name)
    parts = []
    try:
        with pq.ParquetFile(path) as file:
            _refuse_missing_columns(list(file.schema_arrow.names), score, label)
            kind = file.schema_arrow.field(score).type
            if not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
                raise InputTypeError(
                    f"{name}: column {shown(score)} must be numeric; its type is {kind}. Convert it"
                    " to float64 when writing."
                )
            if pa.types.is_float16(kind):
                _warn_of_half(score)
            for batch in file.iter_batches(batch_size=_BATCH, columns=[score, label]):
                codes, values = batch.column(label).dictionary_encode(), batch.column(score)
                parts += _batch_groups(
                    values.to_numpy(zero_copy_only=False).astype(np.float64),
                    values.is_null().to_numpy(zero_copy_only=False),
                    codes.indices.fill_null(len(codes.dictionary)).to_numpy(zero_copy_only=False),
                    [*codes.dictionary.to_pylist(), None],
                    bins, layout,
                )  # fmt: skip
    except (pa.ArrowException, OSError) as error:
        raise FileFormatError(
            f"{name} must be intact Parquet: {shown(str(error), 140)}. Copy or export it again."
        ) from error
    return Groups({k: np.concatenate([p[k] for p in parts]) for k in parts[0]} if parts else {})


def _refuse_other_files(path: Path, name: str) -> None:
    if not path.exists():
        raise ScoreFileNotFoundError(
            f"the path must be a Parquet file; there is none at {name}. Check the name and the"
            " folder."
        )
    if not path.is_file():
        raise FileFormatError(f"the path must be one Parquet file; {name} is none. Name a file.")
    with path.open("rb") as raw:
        head = raw.read(4)
    if head != b"PAR1":
        raise FileFormatError(
            f"summarize reads Parquet only; {name} starts with {head!r} instead of b'PAR1'. Read"
            " text with read_scores, or pass a frame of it."
        )


def _batch_groups(
    s: FloatArray,
    null: npt.NDArray[np.bool_],
    codes: IntArray,
    labels: list[Any],
    bins: int,
    layout: Layout,
) -> list[Groups]:
    """The groups of one batch in memory, a list entry a label."""
    groups = []
    finite = np.isfinite(s)
    for code, label in enumerate(labels):
        rows = codes == code
        lost = rows & ~finite
        if np.any(lost):
            groups.append(_unusable(label, int(np.sum(lost)), int(np.sum(null[rows]))))
        if np.any(rows & finite):
            groups.append(_label_groups(s[rows & finite], label, bins, layout))
    return groups


def _label_groups(values: FloatArray, label: Any, bins: int, layout: Layout) -> Groups:
    place = bin_of(values, bins, layout)
    n = np.bincount(place, minlength=bins)
    occupied = np.flatnonzero(n)
    order = np.argsort(place, kind="stable")
    starts = np.concatenate([[0], np.cumsum(n[occupied])[:-1]])
    ordered = values[order]
    inside = (values > 0.0) & (values < 1.0)
    safe = np.where(inside, values, 0.5)
    log, log1m = (np.where(inside, f, 0.0) for f in (np.log(safe), np.log1p(-safe)))
    with np.errstate(over="ignore"):
        mean = float(np.mean(values))
        centre = mean if math.isfinite(mean) else 0.0
        away = values - centre
        sums: dict[str, Any] = {
            "zero": values == 0.0, "one": values == 1.0,
            "outside": (values < 0.0) | (values > 1.0),
            "log": log, "log1m": log1m, "logit2": (log - log1m) ** 2,
            "total": away, "square": away * away,
        }  # fmt: skip
        columns: dict[str, Any] = {
            k: np.bincount(place, sums[k], minlength=bins)[occupied] for k in _SUMS
        }
    columns |= {"bin": occupied, "n": n[occupied], "missing": np.zeros(occupied.size)}
    columns |= {
        "low": np.minimum.reduceat(ordered, starts),
        "high": np.maximum.reduceat(ordered, starts),
        "centre": np.full(occupied.size, centre),
        "label": np.full(occupied.size, label),
    }
    return Groups(columns)


def _unusable(label: Any, bad: int, missing: int) -> Groups:
    """One group that says what a batch must not hold."""
    columns = {name: np.zeros(1) for name in (*_SUMS, "low", "high", "centre")}
    return Groups(
        columns
        | {"bin": np.array([-1.0]), "n": np.array([bad])}
        | {"missing": np.array([missing]), "label": np.array([label])}
    )
