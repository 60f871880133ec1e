"""Scores as sums and counts in bins: one pass over any frame, mergeable, small."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc import _checks
from betaroc._labels import client_mask
from betaroc._layout import Layout, bin_edges, bin_expression, bin_of
from betaroc._thresholds import FloatArray
from betaroc._value import Value
from betaroc._words import listed, nearest, shown
from betaroc.distributions.binned import Binned
from betaroc.errors import FileFormatError, InputError, InputTypeError, MissingDependencyError
from betaroc.model import ScoreModel

__all__ = ["ClassSummary", "ScoreSummary", "summarize"]

IntArray = npt.NDArray[np.int64]
_BINS = 65_536
#: Rows of a file in memory at once.
_BATCH = 1 << 20
_CLASSES = ("client", "impostor")


@dataclass(frozen=True, eq=False, repr=False)
class ClassSummary(Value):
    """What is kept of the scores of one class.

    Parameters
    ----------
    n : int
        Scores.
    n_zero, n_one, n_outside : int
        Scores of exactly 0, exactly 1, and outside [0, 1].
    minimum, maximum : float
        Extremes.
    mean, square : float
        Mean, and sum of squared departures from it.
    log, log1m, logit_square : float
        Sums of log s, of log(1 - s) and of logit(s)**2 over the scores inside (0, 1).
    bins, counts : ndarray of int
        Bins that hold scores, ascending, and how many.

    Examples
    --------
    >>> import betaroc as br
    >>> import pandas as pd
    >>> one = br.summarize(pd.DataFrame({"score": [0.9, 0.7, 0.0], "label": [1, 1, 0]}))
    >>> one.client.n, one.client.maximum, one.impostor.n_zero, one.client.counts.tolist()
    (2, 0.9, 1, [1, 1])
    """

    n: int
    n_zero: int
    n_one: int
    n_outside: int
    minimum: float
    maximum: float
    mean: float
    square: float
    log: float
    log1m: float
    logit_square: float
    bins: IntArray
    counts: IntArray

    def _merged(self, other: ClassSummary) -> ClassSummary:
        n = self.n + other.n
        away = other.mean - self.mean
        bins, place = np.unique(np.concatenate([self.bins, other.bins]), return_inverse=True)
        counts = np.zeros(bins.size, dtype=np.int64)
        np.add.at(counts, place, np.concatenate([self.counts, other.counts]))
        return ClassSummary(
            n,
            self.n_zero + other.n_zero,
            self.n_one + other.n_one,
            self.n_outside + other.n_outside,
            min(self.minimum, other.minimum),
            max(self.maximum, other.maximum),
            self.mean + away * (other.n / n),
            self.square + other.square + away * away * (self.n * (other.n / n)),
            self.log + other.log,
            self.log1m + other.log1m,
            self.logit_square + other.logit_square,
            bins,
            counts,
        )


@dataclass(frozen=True, eq=False, repr=False)
class ScoreSummary(Value):
    """Both classes as sums and binned counts: all that fits and curves need of any number of rows.

    Made by :func:`summarize`; summaries of one layout add up with ``+``.

    Parameters
    ----------
    client, impostor : ClassSummary
        The two classes.
    n_bins : int
        Bins of the layout.
    layout : tuple of float, optional
        (low, high) of equal bins; None for the layout that suits any score.
    name : str, optional
        Name of the classifier.

    Examples
    --------
    >>> import betaroc as br
    >>> frame = {"score": [0.9, 0.7, 0.4, 0.1, 0.5], "label": [1, 1, 1, 0, 0]}
    >>> import pandas as pd
    >>> one = br.summarize(pd.DataFrame(frame))
    >>> both = one + one
    >>> both.n_client, both.n_impostor, both.model.auc() == one.model.auc()
    (6, 4, True)
    """

    client: ClassSummary
    impostor: ClassSummary
    n_bins: int = _BINS
    layout: Layout = None
    name: str | None = None

    def __repr__(self) -> str:
        named = f"{self.name!r}: " if self.name else ""
        return (
            f"<ScoreSummary {named}{self.n_client} client and {self.n_impostor} impostor scores in"
            f" {self.n_bins} bins>"
        )

    @property
    def n_client(self) -> int:
        """Number of client scores."""
        return self.client.n

    @property
    def n_impostor(self) -> int:
        """Number of impostor scores."""
        return self.impostor.n

    @property
    def prior(self) -> float:
        """Share of clients."""
        return self.n_client / (self.n_client + self.n_impostor)

    @property
    def model(self) -> ScoreModel:
        """The binned laws of both classes, with the share of clients as prior."""
        return ScoreModel(
            self._law(self.client), self._law(self.impostor), prior=self.prior, name=self.name
        )

    @property
    def rate_error(self) -> tuple[float, float]:
        """The most that FAR and FRR can be off at a threshold that is no bin's border."""
        largest = [int(s.counts.max()) / s.n for s in (self.impostor, self.client)]
        return largest[0], largest[1]

    def _law(self, one: ClassSummary) -> Binned:
        """Occupied bins; the outermost edges are finite although their bins are not."""
        edges = bin_edges(self.n_bins, self.layout)
        top = max(self.client.maximum, self.impostor.maximum)
        upper = np.minimum(edges, top)
        lowest = np.nextafter(min(self.client.minimum, self.impostor.minimum), -np.inf)
        lower = np.concatenate([[lowest], np.maximum(upper[:-1], lowest)])[one.bins]
        places = np.unique(np.concatenate([lower, upper[one.bins]]))
        counts = np.zeros(places.size - 1)
        counts[np.searchsorted(places, upper[one.bins]) - 1] = one.counts
        return Binned(places, counts)

    def __add__(self, other: object) -> ScoreSummary:
        if not isinstance(other, ScoreSummary):
            return NotImplemented
        for what, one, two in (
            ("number of bins", self.n_bins, other.n_bins),
            ("layout", self.layout, other.layout),
        ):
            if one != two:
                raise InputError(
                    f"summaries must have one {what} to be added; got {one!r} and {two!r}."
                    " Summarize both with the same bins= and layout=."
                )
        return ScoreSummary(
            self.client._merged(other.client),
            self.impostor._merged(other.impostor),
            self.n_bins,
            self.layout,
            self.name,
        )


def summarize(
    frame_or_path: Any,
    *,
    score: str = "score",
    label: str = "label",
    client_label: object = None,
    bins: int = _BINS,
    layout: Layout = None,
) -> ScoreSummary:
    """One pass over a frame or a Parquet file: sums, extremes and counts in bins of both classes.

    Parameters
    ----------
    frame_or_path : frame, str or Path
        Any frame that Narwhals reads, eager or lazy (pandas, Polars, pyarrow, DuckDB, Dask,
        PySpark): it is grouped by label and bin on its own engine, and only the groups are
        collected. A Parquet file is read in batches.
    score, label : str
        Columns.
    client_label : optional
        The label of the clients; None only for {0, 1}, {False, True} and {-1, 1}.
    bins : int
        Bins of the layout, 8 to 1048576.
    layout : tuple of float, optional
        (low, high): equal bins between, scores beyond in the outermost. Left out: a quarter of
        the bins uniform on [0, 1], one finer and finer towards 0 and 1, and two on the whole
        line, of the scales 1 and 100.

    Returns
    -------
    ScoreSummary
        Rates are exact at the bins' borders; in between they are off by at most its
        `rate_error`.

    Raises
    ------
    InputError
        Missing columns, null, NaN or infinite scores (counted), labels beyond two, one class.
    InputTypeError
        No frame, or scores that are not numbers.
    FileFormatError, MissingDependencyError
        A file that is no readable Parquet; no pyarrow to read it.

    Notes
    -----
    The bin of a score comes from correctly rounded operations only, so counts are the same on
    every engine; sums agree to rounding.

    Examples
    --------
    >>> import betaroc as br
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"score": [0.9, 0.7, 0.4, 0.1, 0.5], "label": [1, 1, 1, 0, 0]})
    >>> summary = br.summarize(frame)
    >>> br.epc(summary, summary.model, alpha=[0.5]).value.round(4).tolist()  # FAR 0, FRR 1/3
    [0.1667]
    """
    bins = _checks.count(bins, "bins", 8)
    if bins > 1 << 20:
        raise InputError(f"bins must be at most 1048576; got {bins}. Take fewer.")
    layout = _layout(layout)
    if isinstance(frame_or_path, str | Path):
        groups = _file_groups(Path(frame_or_path), score, label, bins, layout)
    else:
        groups = _frame_groups(frame_or_path, score, label, bins, layout)
    return _summary(groups, score, label, client_label, bins, layout)


def _layout(given: Any) -> Layout:
    if given is None:
        return None
    if not isinstance(given, tuple) or len(given) != 2:
        raise InputTypeError(
            f"layout must be None or a tuple (low, high); got {shown(given)} of type"
            f" {type(given).__name__}. Take layout=(0.0, 1.0) for equal bins on [0, 1]."
        )
    low, high = (float(v) for v in given)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(
            f"layout must have low < high, both finite; got {given!r}. Take the scores' range."
        )
    return low, high


# ------------------------------------------------------------------------------ one pass
class _Groups(dict[str, Any]):
    """Columns of the groups (label, bin): label, bin, and what `_aggregates` names."""


def _frame_groups(frame: Any, score: str, label: str, bins: int, layout: Layout) -> _Groups:
    """The frame grouped by label and bin on its own engine."""
    import narwhals as nw
    from narwhals.exceptions import NarwhalsError

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
    try:
        grouped = _grouped(nw, table, score, label, bins, layout)
        if isinstance(grouped, nw.LazyFrame):
            grouped = grouped.collect()
    except NarwhalsError as error:
        raise InputError(
            f"the frame's engine must group it; {type(error).__name__}: {shown(str(error), 160)}"
        ) from error
    return _Groups({name: grouped[name].to_numpy() for name in grouped.columns})


def _refuse_missing_columns(present: list[str], score: str, label: str) -> None:
    for role, column in (("score", score), ("label", label)):
        if column not in present:
            raise InputError(
                f"{role}={shown(column)} must name a column; there are {listed(present)}."
                f" {nearest(column, present)}Pass {role}=..."
            )


def _grouped(nw: Any, table: Any, score: str, label: str, bins: int, layout: Layout) -> Any:
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
    rows = table.select(nw.col(label).alias("label"), nw.col(score).cast(nw.Float64).alias("s"))
    rows = rows.with_columns(
        bin=nw.when(finite).then(place).otherwise(nw.lit(-1.0)),
        missing=s.is_null().cast(nw.Int64),
        zero=(s == 0.0).cast(nw.Int64), one=(s == 1.0).cast(nw.Int64),
        outside=((s < 0.0) | (s > 1.0)).cast(nw.Int64),
        log=nw.when(inside).then(log).otherwise(nw.lit(0.0)),
        log1m=nw.when(inside).then(log1m).otherwise(nw.lit(0.0)),
        logit2=nw.when(inside).then((log - log1m) * (log - log1m)).otherwise(nw.lit(0.0)),
        square=s * s,
    )  # fmt: skip
    return rows.group_by("label", "bin").agg(
        nw.len().alias("n"), nw.col("missing").sum(), nw.col("zero").sum(), nw.col("one").sum(),
        nw.col("outside").sum(), s.min().alias("low"), s.max().alias("high"),
        s.sum().alias("total"), nw.col("square").sum(), nw.col("log").sum(),
        nw.col("log1m").sum(), nw.col("logit2").sum(),
    )  # fmt: skip


def _file_groups(path: Path, score: str, label: str, bins: int, layout: Layout) -> _Groups:
    """Batches of a Parquet file, each grouped, then put together."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingDependencyError(
            'reading Parquet needs pyarrow, which is not installed. pip install "betaroc[parquet]"'
        ) from error
    name = shown(str(path))
    if not path.is_file():
        raise FileFormatError(f"the path must be a Parquet file; there is none at {name}.")
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
            for batch in file.iter_batches(batch_size=_BATCH, columns=[score, label]):
                codes = batch.column(label).dictionary_encode()
                values = batch.column(score)
                parts += _batch_groups(
                    values.to_numpy(zero_copy_only=False).astype(np.float64),
                    int(values.null_count),
                    codes.indices.to_numpy(zero_copy_only=False),
                    codes.dictionary.to_pylist(),
                    bins, layout,
                )  # fmt: skip
    except (pa.ArrowException, OSError) as error:
        raise FileFormatError(
            f"{name} must be intact Parquet: {shown(str(error), 140)}. Copy or export it again."
        ) from error
    return _Groups({k: np.concatenate([p[k] for p in parts]) for k in parts[0]} if parts else {})


def _batch_groups(
    s: FloatArray, missing: int, codes: IntArray, labels: list[Any], bins: int, layout: Layout
) -> list[_Groups]:
    """The groups of one batch in memory, a list entry a label; bin -1 holds what is not finite."""
    if np.any(np.isnan(codes)):
        raise InputError(
            "the label column must have no missing value; got"
            f" {int(np.sum(np.isnan(codes)))} in one batch. Drop these rows first."
        )
    groups = []
    for code, label in enumerate(labels):
        values = s[codes == code]
        finite = np.isfinite(values)
        if not np.all(finite):
            return [_unusable(label, int(np.sum(~finite)), missing)]
        place = bin_of(values, bins, layout)
        n = np.bincount(place, minlength=bins)
        occupied = np.flatnonzero(n)
        order = np.argsort(place, kind="stable")
        starts = np.concatenate([[0], np.cumsum(n[occupied])[:-1]])
        ordered = values[order]
        inside = (values > 0.0) & (values < 1.0)
        safe = np.where(inside, values, 0.5)
        log, log1m = (np.where(inside, f, 0.0) for f in (np.log(safe), np.log1p(-safe)))
        sums: dict[str, Any] = {
            "zero": values == 0.0, "one": values == 1.0, "total": values,
            "outside": (values < 0.0) | (values > 1.0), "square": values * values,
            "log": log, "log1m": log1m, "logit2": (log - log1m) ** 2,
        }  # fmt: skip
        columns: dict[str, Any] = {
            k: np.bincount(place, v, minlength=bins)[occupied] for k, v in sums.items()
        }
        columns |= {"bin": occupied, "n": n[occupied], "missing": np.zeros(occupied.size)}
        columns |= {
            "low": np.minimum.reduceat(ordered, starts),
            "high": np.maximum.reduceat(ordered, starts),
            "label": np.full(occupied.size, label),
        }
        groups.append(_Groups(columns))
    return groups


def _unusable(label: Any, bad: int, missing: int) -> _Groups:
    """One group that says what a batch must not hold."""
    named = ("zero", "one", "outside", "low", "high", "total", "square", "log", "log1m", "logit2")
    columns = {name: np.zeros(1) for name in named}
    return _Groups(
        columns
        | {"bin": np.array([-1.0]), "n": np.array([max(bad, missing)])}
        | {"missing": np.array([missing]), "label": np.array([label])}
    )


# ------------------------------------------------------------------------------ both classes
def _summary(
    groups: _Groups, score: str, label: str, client_label: object, bins: int, layout: Layout
) -> ScoreSummary:
    if not groups or groups["n"].size == 0:
        raise InputError("the frame must hold scores of both classes; it has no rows.")
    _refuse_bad_scores(groups, score)
    mask = client_mask(groups["label"], client_label, name=f"column {shown(label)}")
    parts = [_one_class(groups, rows) for rows in (mask, ~mask)]
    return ScoreSummary(parts[0], parts[1], bins, layout)


def _refuse_bad_scores(groups: _Groups, score: str) -> None:
    bad = groups["bin"] < 0.0
    if np.any(bad):
        n, missing = int(np.sum(groups["n"][bad])), int(np.sum(groups["missing"][bad]))
        raise InputError(
            f"column {shown(score)} must hold finite numbers; got {missing} missing and"
            f" {n - missing} NaN or infinite of {int(np.sum(groups['n']))}. Drop these rows first."
        )


def _one_class(groups: _Groups, rows: npt.NDArray[np.bool_]) -> ClassSummary:
    part = {name: column[rows] for name, column in groups.items() if name != "label"}
    n = part["n"].astype(np.float64)
    total = int(np.sum(part["n"]))
    mean = math.fsum(part["total"]) / total
    centres = part["total"] / n
    within = np.maximum(part["square"] - part["total"] * centres, 0.0)
    square = math.fsum(within) + math.fsum(n * (centres - mean) ** 2)
    places, back = np.unique(part["bin"].astype(np.int64), return_inverse=True)
    counts = np.zeros(places.size, dtype=np.int64)
    np.add.at(counts, back, part["n"].astype(np.int64))
    zero, one, outside = (int(np.sum(part[name])) for name in ("zero", "one", "outside"))
    log, log1m, logit_square = (math.fsum(part[name]) for name in ("log", "log1m", "logit2"))
    low, high = float(np.min(part["low"])), float(np.max(part["high"]))
    return ClassSummary(
        total, zero, one, outside, low, high, mean, square, log, log1m, logit_square, places, counts
    )
