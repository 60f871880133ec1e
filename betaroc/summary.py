"""Scores as sums and counts in bins: of any frame, mergeable, small."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc import _checks
from betaroc._labels import client_mask
from betaroc._layout import Layout, bin_edges
from betaroc._one_pass import Groups, file_groups, frame_groups, label_squares
from betaroc._thresholds import FloatArray
from betaroc._value import Value
from betaroc._words import shown
from betaroc.distributions.binned import Binned
from betaroc.errors import InputError, InputTypeError
from betaroc.model import ScoreModel

__all__ = ["ClassSummary", "ScoreSummary", "summarize"]

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
_BINS = 65_536
#: Squares about 0 of which less than this share is left about the mean have cancelled.
_KEPT = 1e-2


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
    """Both classes as sums and binned counts, of any number of rows.

    Made by :func:`summarize`; summaries of one layout add up with ``+``. `epc` takes it as
    either side, its bands choose thresholds at borders of bins, and `model` is a
    ScoreModel of binned laws for everything else that takes a model. A summary cannot be
    fitted yet.

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
    """Sums, extremes and counts in bins of both classes, in one pass over a frame or Parquet file.

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
        Missing columns, one column for both, null, NaN or infinite scores and missing labels
        (counted), labels beyond two, one class; a layout without width or too wide for doubles.
    InputTypeError
        No frame, or scores that are not numbers.
    ScoreFileNotFoundError, FileFormatError, MissingDependencyError
        No such file; one that is no readable Parquet (text is read by `read_scores`); no
        pyarrow to read it.

    Warns
    -----
    PrecisionWarning
        If the scores are float16.

    Notes
    -----
    The bin of a score comes from correctly rounded operations only, so counts are the same on
    every engine; sums agree to rounding. Scores of a frame that are far from 0 for their
    spread are read a second time, for sums of squares that do not cancel.

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
    layout = _layout(layout, bins)
    _refuse_one_column(score, label)
    is_file = isinstance(frame_or_path, str | os.PathLike)
    if is_file:
        groups = file_groups(Path(frame_or_path), score, label, bins, layout)
    else:
        groups = frame_groups(frame_or_path, score, label, bins, layout)
    _refuse_bad_rows(groups, score, label)
    found = [_one_class(groups, rows) for rows in _masks(groups, label, client_label)]
    parts = [one for one, _ in found]
    if not is_file and any(lost for _, lost in found):
        again = label_squares(frame_or_path, score, label, [one.mean for one in parts])
        masks = _masks(again, label, client_label)
        parts = [
            _about_the_mean(one, again, masks[k], k) if found[k][1] else one
            for k, one in enumerate(parts)
        ]
    return ScoreSummary(parts[0], parts[1], bins, layout)


def _layout(given: Any, bins: int) -> Layout:
    if given is None:
        return None
    if not isinstance(given, tuple) or len(given) != 2:
        raise InputTypeError(
            f"layout must be None or a tuple (low, high); got {shown(given)} of type"
            f" {type(given).__name__}. Take layout=(0.0, 1.0) for equal bins on [0, 1]."
        )
    low, high = _checks.finite(given[0], "layout[0]"), _checks.finite(given[1], "layout[1]")
    if not low < high:
        raise InputError(f"layout must have low < high; got {given!r}. Take the scores' range.")
    if not (math.isfinite(high - low) and math.isfinite(bins / (high - low))):
        raise InputError(
            f"layout must be of a width that doubles can hold and divide by; got {given!r}. Take"
            " the scores' range, or leave layout out."
        )
    return low, high


def _refuse_one_column(score: object, label: object) -> None:
    for given, name in ((score, "score"), (label, "label")):
        if not isinstance(given, str):
            raise InputTypeError(
                f"{name} must be the name of a column; got {shown(given)} of type"
                f" {type(given).__name__}. Pass text."
            )
    if score == label:
        raise InputError(
            f"score and label must name two columns; both are {shown(score)}."
            " Name the column of each."
        )


# ------------------------------------------------------------------------------ both classes
def _masks(groups: Groups, label: str, client_label: object) -> list[BoolArray]:
    """The rows of clients and of impostors."""
    mask = client_mask(groups["label"], client_label, name=f"column {shown(label)}")
    return [mask, ~mask]


def _refuse_bad_rows(groups: Groups, score: str, label: str) -> None:
    if not groups or groups["n"].size == 0:
        raise InputError("the frame must hold scores of both classes; it has no rows.")
    n = groups["n"].astype(np.int64)
    bad = groups["bin"] < 0.0
    if np.any(bad):
        lost, missing = int(np.sum(n[bad])), int(np.sum(groups["missing"][bad]))
        raise InputError(
            f"column {shown(score)} must hold finite numbers; got {missing} missing and"
            f" {lost - missing} NaN or infinite of {int(np.sum(n))}. Drop these rows first."
        )
    gone = np.array([_is_na(v) or v != v for v in groups["label"].tolist()])
    if np.any(gone):
        raise InputError(
            f"column {shown(label)} must have no missing label; got {int(np.sum(n[gone]))} of"
            f" {int(np.sum(n))} null or NaN. Drop these rows first."
        )


def _is_na(value: object) -> bool:
    return value is None or type(value).__name__ in {"NAType", "NaTType"}


def _one_class(groups: Groups, rows: BoolArray) -> tuple[ClassSummary, bool]:
    """The class, and whether its squares are too large for what is left of them."""
    part = {name: column[rows] for name, column in groups.items() if name != "label"}
    n = part["n"].astype(np.float64)
    total = int(np.sum(part["n"]))
    origin = float(part["centre"][0])
    with np.errstate(over="ignore", invalid="ignore"):
        means = (part["centre"] - origin) + part["total"] / n
        mean = _sum(n * means) / total
        within = part["square"] - part["total"] * (part["total"] / n)
        within = np.where(np.isfinite(part["square"]), np.maximum(within, 0.0), np.inf)
        square = _sum(within) + _sum(n * (means - mean) ** 2)
        lost = not square >= _KEPT * _sum(part["square"]) or math.isinf(square)
    mean += origin
    places, back = np.unique(part["bin"].astype(np.int64), return_inverse=True)
    counts = np.zeros(places.size, dtype=np.int64)
    np.add.at(counts, back, part["n"].astype(np.int64))
    zero, one, outside = (int(np.sum(part[name])) for name in ("zero", "one", "outside"))
    log, log1m, logit_square = (math.fsum(part[name]) for name in ("log", "log1m", "logit2"))
    low, high = float(np.min(part["low"])), float(np.max(part["high"]))
    if low == high:
        mean, square, lost = low, 0.0, False
    return ClassSummary(
        total, zero, one, outside, low, high, mean, square, log, log1m, logit_square,
        places, counts,
    ), lost  # fmt: skip


def _sum(x: FloatArray) -> float:
    """The sum, infinite where it is beyond the largest double."""
    try:
        return math.fsum(x)
    except (OverflowError, ValueError):
        return float(np.sum(x))


def _about_the_mean(one: ClassSummary, part: Groups, rows: BoolArray, k: int) -> ClassSummary:
    """The class with mean and square from sums about its mean as it was found first."""
    away, square = float(part[f"total{k}"][rows][0]), float(part[f"square{k}"][rows][0])
    square = max(square - away * (away / one.n), 0.0) if math.isfinite(square) else math.inf
    return replace(one, mean=one.mean + away / one.n, square=square)
