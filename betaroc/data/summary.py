"""Scores as sums and counts in bins: of any frame, mergeable, small."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.core import checks, local_files, notices, tables, text, vocabulary
from betaroc.core.arrays import CLASSES, FloatArray, IntArray
from betaroc.core.errors import FileFormatError, InputError, PrecisionWarning, refusal
from betaroc.core.names import strata_array
from betaroc.data import frames, labels, read, text_layouts
from betaroc.data.scores import ScoreData, Scores, ScoreSource
from betaroc.data.sums import ClassSummary, Labels, added, array_sums, rows_by_key
from betaroc.distributions.empirical import MOST_BINS, Binned, Layout, bin_edges
from betaroc.rendering.document import single_row
from betaroc.rendering.numbers import extreme, number, percent, read_as


def _file_sums(
    file: read.OpenedFile, client_label: object, bins: int, layout: Layout
) -> tuple[dict[str, Any], str | None]:
    sums: Labels = {}
    counts, some = np.zeros(0, dtype=np.int64), set[float]()
    with np.errstate(over="ignore"):  # of squares
        for part in file.parts():
            here = np.bincount(part.codes, minlength=len(part.tokens))
            counts = here + np.pad(counts, (0, here.size - counts.size))
            if len(some) < 3:
                some |= set(labels.few_distinct(part.scores).tolist())
            if len({labels.label_key(token) for token in part.tokens}) <= 2 and part.codes.size:
                values = part.values()
                columns = [part.names[c] for c in part.wanted.names.get("stratum", ())]
                keys = rows_by_key([part.codes, *columns])
                sums = added(sums, array_sums(values, keys, bins, layout))
        if not counts.sum():
            part.check_some()
        client, guessed = part.clients(client_label, counts, swapped=some in labels.KNOWN_LABELS)
    return _classes(sums, client, f"strata of {file.name}", FileFormatError), guessed


def _classes(sums: Labels, client: Any, called: str, error: Any) -> dict[str, Any]:
    keys, result = [*sums], dict[str, Any]()
    is_client = np.array([bool(client[key[0]]) for key in keys])
    names = [strata_array(column, len(keys), called) for column in [*zip(*keys, strict=True)][1:]]
    strata = labels.strata_of(names, is_client) if names else np.zeros(len(keys), dtype=str)
    for who, of in zip(CLASSES, (is_client, ~is_client), strict=True):
        named: dict[str, ClassSummary] = {}
        for k in np.flatnonzero(of).tolist():
            part = {str(strata[k]): sums[keys[k]].of}
            named = added(named, part, ClassSummary._merged)
        first, *others = named.values()
        result[who] = first._merged(*others)
        unnamed = 0 if "" not in named else named.pop("").n
        labels.check_named_strata(who, unnamed, result[who].n, error)
        result[f"{who}_strata"] = {
            name: replace(named[name], lowest=np.empty(0), highest=np.empty(0))
            for name in sorted(named)
        } or None
    return result


_BINS = 65_536


@dataclass(frozen=True, eq=False, repr=False)
class ScoreSummary(ScoreData):
    """Both classes as sums and binned counts, of any number of rows.

    Made by :func:`summarize`, taken wherever scores are, unless every score is needed; those of
    one layout add up with ``+``.

    Parameters
    ----------
    client, impostor : ClassSummary
        The two classes.
    n_bins : int
        Bins of the layout.
    layout : tuple of float, optional
        (low, high) of equal bins; None for that of :func:`summarize`.
    name : str, optional
        Name of the classifier.
    source : ScoreSource, optional
        The file that was summarized; no part of equality.
    client_strata, impostor_strata : mapping of str to ClassSummary, optional
        The strata of each class, by name; they keep no extremes.
    library : str, optional
        As of `Scores`.

    Examples
    --------
    >>> import betaroc as br
    >>> one = br.summarize(br.Scores([0.9, 0.7], [0.1]).to_frame())
    >>> (one + one).n_client
    4
    """

    client: ClassSummary
    impostor: ClassSummary
    n_bins: int = _BINS
    layout: Layout = None
    name: str | None = None
    client_strata: Mapping[str, ClassSummary] | None = None
    impostor_strata: Mapping[str, ClassSummary] | None = None
    _extra_fields = ("source",)
    source: ScoreSource | None = field(default=None, compare=False, repr=False)
    dtype = "float64"

    def __post_init__(self) -> None:
        sides = self.client, self.impostor
        if np.union1d(sides[0].bins, sides[1].bins).size == 2:
            ends = [np.ravel(part) for side in sides for part in (side.lowest, side.highest)]
            labels.check_hard_labels("scores of a summary", self.n_client + self.n_impostor, *ends)

    def __repr__(self) -> str:
        named = f"{text.format_value(self.name)}: " if self.name else ""
        return (
            f"<ScoreSummary {named}{self.n_client} client and {self.n_impostor} impostor scores in"
            f" {self.n_bins} bins>"
        )

    def to_frame(self) -> tables.Table:
        """Return the counts, extremes and sums, one row per class.

        Columns class, n, n_zero, n_one, n_outside, minimum, maximum and the sums.

        Examples
        --------
        >>> import betaroc as br
        >>> one = br.summarize(br.Scores([0.9, 0.7], [0.0]).to_frame())
        >>> one.to_frame()[["class", "n", "maximum"]].values.tolist()
        [['client', 2, 0.9], ['impostor', 1, 0.0]]
        """
        rows = [{"class": who} | single_row(getattr(self, who)) for who in CLASSES]
        return self._table({name: [row[name] for row in rows] for name in rows[0]})

    def _stratum_sizes(self, who: str) -> dict[str, int]:
        return {name: part.n for name, part in (getattr(self, f"{who}_strata") or {}).items()}

    def _pieces(self, who: str) -> dict[str, ScoreSummary]:
        pieces = {}
        for name in getattr(self.strata, who):
            sides = {
                kind: getattr(self, f"{kind}_strata")[name] for kind in self.strata._beside(who)
            }
            pieces[name] = copy(self)
            sides["client_strata"] = sides["impostor_strata"] = None
            vars(pieces[name]).update(sides, _range=self._range)  # of one range all have one grid
        return pieces

    def _size(self, who: str) -> int:
        return int(getattr(self, who).n)

    @cached_property
    def _distributions(self) -> tuple[Binned, Binned]:
        laws, (lower, upper, counts) = [], self._cells
        for of_class in counts:
            keep = of_class > 0
            places = np.unique(np.concatenate([lower[keep], upper[keep]]))
            masses = np.zeros(places.size - 1)
            masses[np.searchsorted(places, upper[keep]) - 1] = of_class[keep]
            laws.append(Binned(places, masses))
        return laws[0], laws[1]

    def _extremes(self, who: str) -> tuple[float, float]:
        item: ClassSummary = getattr(self, who)
        return item.minimum, item.maximum

    def _numbers(self, who: str) -> tuple[int | None, int, int]:
        side: ClassSummary = getattr(self, who)
        return None, side.n_zero, side.n_one

    def _at_ends(self, who: str, ends: tuple[float, float]) -> tuple[float, float]:
        item: ClassSummary = getattr(self, who)
        return float(item.n_zero), float(item.n_one)

    @property
    def rate_error(self) -> tuple[float, float]:
        """The most that FAR and FRR can be off at a threshold that is no bin's border."""
        client, impostor = (float(np.max(counts, initial=0)) for counts in self._shared)
        return impostor / self.n_impostor, client / self.n_client

    @property
    def is_coarse(self) -> bool:
        """Whether more than 1 % of a class and 100 scores share a bin, exact 0 and 1 apart."""
        far, frr = self.rate_error
        return frr > max(0.01, 100 / self.n_client) or far > max(0.01, 100 / self.n_impostor)

    def rate_error_at(self, threshold: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        """The most that FAR and FRR can be off at some thresholds; 0 at borders of bins.

        Parameters
        ----------
        threshold : array_like
            Thresholds; nan has the error nan.

        Returns
        -------
        far, frr : ndarray
            Share of impostors, and of clients, in the bin of each threshold.

        Raises
        ------
        InputError, InputTypeError
            If they are not numbers.

        Examples
        --------
        >>> import betaroc as br
        >>> summary = br.summarize(br.Scores([0.3], [0.1]).to_frame(), bins=8, layout=(0.0, 1.0))
        >>> [e.item() for e in summary.rate_error_at(0.26)]  # bins of 1/8
        [0.0, 1.0]
        """
        theta = checks.real_array(threshold, "threshold")
        cells = self._cells
        k = np.minimum(np.searchsorted(cells.upper, theta), cells.upper.size - 1)
        inside = (cells.lower[k] < theta) & (theta < cells.upper[k])
        client, impostor = (
            np.where(np.isnan(theta), np.nan, np.where(inside, c[k], 0)) for c in cells.counts
        )
        return impostor / self.n_impostor, client / self.n_client

    def border_below(self, threshold: float) -> float:
        """The lower border of the bin that holds a threshold, where counted rates are exact.

        Parameters
        ----------
        threshold : float
            A threshold, finite.

        Returns
        -------
        float
            At most `threshold`: itself in a bin without scores, unless above all of them.

        Raises
        ------
        InputError, InputTypeError
            If `threshold` is no finite number.

        Examples
        --------
        >>> import betaroc as br
        >>> summary = br.summarize(br.Scores([0.4], [0.1]).to_frame(), bins=8, layout=(0.0, 1.0))
        >>> round(summary.border_below(0.45), 6)  # bins of 1/8
        0.375
        """
        threshold, cells = checks.finite(threshold, "threshold"), self._cells
        k = min(int(np.searchsorted(cells.upper, threshold)), cells.upper.size - 1)
        return float(min(cells.lower[k], threshold))

    @property
    def auc_error(self) -> float:
        """The most that the AUC of the counts can be off: half the pairs that share a bin."""
        client, impostor = self._shared
        return 0.5 * float(np.sum((client / self.n_client) * (impostor / self.n_impostor)))

    @cached_property
    def _range(self) -> tuple[float, float]:
        sides = self.client, self.impostor
        return min(side.minimum for side in sides), max(side.maximum for side in sides)

    @property
    def _shared(self) -> tuple[IntArray, IntArray]:
        """Counts of both classes in cells of more than one double."""
        lower, upper, counts = self._cells
        client, impostor = counts[:, np.nextafter(lower, np.inf) < upper]
        return client, impostor

    @cached_property
    def _cells(self) -> _Cells:
        sides = (self.client, self.impostor)
        low, high = self._range
        upper = np.minimum(bin_edges(self.n_bins, self.layout), high)
        counts = np.zeros((2, self.n_bins), dtype=np.int64)
        for row, side in zip(counts, sides, strict=True):
            row[side.bins] = side.counts
        if low == 0.0:
            upper, counts = _cut(upper, counts, 0.0, 0.0, [s.n_zero for s in sides])
        if high == 1.0:
            below = [s.n - s.n_one for s in sides]
            upper, counts = _cut(upper, counts, 1.0, np.nextafter(1.0, 0.0), below)
        lowest = np.nextafter(low, -np.inf)
        lower = np.maximum(np.concatenate([[lowest], upper[:-1]]), lowest)
        keep = counts.any(axis=0)
        return _Cells(lower[keep], upper[keep], counts[:, keep])

    def _as_scores(self) -> Scores:
        result: dict[str, Any] = {}
        for who, counts in zip(CLASSES, self._cells.counts, strict=True):
            result[who] = self._cells.upper[counts > 0]
            result[f"{who}_weights"] = counts[counts > 0].astype(np.float64)
        return Scores._checked(**result, name=self.name, source=self.source, library=self.library)

    def __radd__(self, other: object) -> ScoreSummary:
        return self if other == 0 else NotImplemented  # what sum() begins with

    def __add__(self, other: object) -> ScoreSummary:
        if not isinstance(other, ScoreSummary):
            return NotImplemented
        first, second = ((part.n_bins, part.layout) for part in (self, other))
        if first != second:
            rule, actual = "have one number of bins and one layout", f"{first!r} and {second!r}"
            raise refusal("summaries", rule, actual, "Pass both the same.")
        strata: dict[str, Any] = {}
        for name in (f"{who}_strata" for who in CLASSES):
            one, two = (getattr(part, name) or {} for part in (self, other))
            if bool(one) != bool(two):
                raise refusal("summaries", f"both have {name}, or neither", "one", "Pass stratum=.")
            strata[name] = dict(sorted(added(one, two, ClassSummary._merged).items())) or None
        return ScoreSummary(
            self.client._merged(other.client), self.impostor._merged(other.impostor), *first,
            self.name if self.name == other.name else None, **strata,
            source=self.source if self.source == other.source else None,
            library=tables.first_library((self, other)),
        )  # fmt: skip


class _Cells(NamedTuple):
    """Cells (lower, upper] that hold scores, ascending, and how many of clients and impostors."""

    lower: FloatArray
    upper: FloatArray
    counts: IntArray


def _cut(
    upper: FloatArray, counts: IntArray, inside: float, border: float, upto: list[int]
) -> tuple[FloatArray, IntArray]:
    """With a further border, up to which each class has so many scores."""
    k = int(np.searchsorted(upper, inside))
    if border in upper[max(k - 1, 0) : k + 1]:
        return upper, counts
    low = np.array(upto) - counts[:, :k].sum(axis=1)
    counts = np.insert(counts, k, low, axis=1)
    counts[:, k + 1] -= low
    return np.insert(upper, k, border), counts


@notices.collect_warnings
def summarize(
    frame_or_path: Any,
    *,
    score: str = "score",
    label: str = "label",
    client_label: object = None,
    bins: int = _BINS,
    layout: Layout = None,
    max_size: int | None = None,
    stratum: str | tuple[str, str] | None = None,
) -> ScoreSummary:
    """Sums, extremes and counts in bins of both classes, in one pass over a frame or a file.

    Parameters
    ----------
    frame_or_path : frame, str or Path
        Any frame that Narwhals reads (pandas, Polars, pyarrow, DuckDB, Dask, PySpark): of a lazy
        one only groups by label and bin are collected. A file is read in parts, as by
        `read_scores`.
    score, label : str
        Columns.
    client_label : optional
        As in `Scores.from_labels`.
    bins : int
        Bins of the layout, 8 to 1048576.
    layout : tuple of float, optional
        (low, high) of equal bins, of which the outermost hold the scores beyond. Default: a quarter
        of the bins uniform on [0, 1], one finer and finer towards 0 and 1, and two on the whole
        line, of the scales 1 and 100.
    max_size : int, optional
        As in `read_scores`.
    stratum : str or (str, str), optional
        Column of the strata, or those of clients and of impostors, as `Scores.from_frame`.

    Returns
    -------
    ScoreSummary
        Its rates are exact at the bins' borders, in between off by at most `rate_error`.

    Raises
    ------
    InputError, InputTypeError
        Missing columns, values or labels, NaN or infinite scores, integers from 2**53 on, labels
        beyond two, one class; a layout that doubles cannot hold; a step that an engine cannot do.
    EngineError
        Workers that are lost for good.
    ScoreFileNotFoundError, FileFormatError, MissingDependencyError
        As of `read_scores`.

    Warns
    -----
    PrecisionWarning
        If the scores are float16, or bins are wide for them (`ScoreSummary.is_coarse`).

    Notes
    -----
    Counts are the same on every engine, since bins come from correctly rounded operations only;
    sums agree to rounding. Scores far from 0 for their spread are read a second time on engines
    that sum squares about 0.

    Examples
    --------
    >>> import betaroc as br
    >>> br.summarize(br.Scores([0.9, 0.7, 0.4], [0.1, 0.5]).to_frame()).n_client
    3
    """
    if isinstance(frame_or_path, str | os.PathLike):
        result = summarize_file(
            frame_or_path, score=score, label=label, client_label=client_label, bins=bins,
            layout=layout, max_size=max_size, stratum=stratum,
        )  # fmt: skip
    else:
        bins, layout = _checked_layout(bins, layout)
        if max_size is not None:
            checks.count(max_size, "max_size")
        wanted = read.column_spec(score, label, {"stratum": stratum})
        frames.named_columns(label, "label")  # one, by which an engine groups
        with frames.engine_errors(score, label):
            frame = frames.opened(frame_or_path, "the path of a file")
        keys = (label, *wanted.names.get("stratum", ()))
        result = _of_frame(frame, score, keys, client_label, bins, layout)
    _warn_of_bins(result)
    return result


def summarize_file(
    path: str | os.PathLike[str], *, score: str = "score", label: str | tuple[str, str] = "label",
    client_label: object = None, bins: int = _BINS, layout: Layout = None,
    stratum: str | tuple[str, str] | None = None, **reading: Any,
) -> ScoreSummary:  # fmt: skip
    """As `summarize` of a path, with the options of `read_scores`; wide bins are not warned of."""
    bins, layout = _checked_layout(bins, layout)
    wanted = read.column_spec(score, label, {"stratum": stratum})
    options = text_layouts.TextOptions(**reading).checked()
    local = local_files.regular_file(path)
    name = text.format_value(local.name)
    with local_files.of_the_system(name):
        file = read.open_file(local, name, wanted, client_label, options)
        classes, guessed = _file_sums(file, client_label, bins, layout)
    source = ScoreSource(os.fspath(path), file.kind, guessed=guessed, guesses=file.guesses)
    return ScoreSummary(**classes, n_bins=bins, layout=layout, source=source)


def summarize_finest(path: str | os.PathLike[str], **reading: Any) -> ScoreSummary:
    """As `summarize_file`, in equal bins between the extremes where these are finer."""
    best = summarize_file(path, **reading)
    low, high = best._range
    if best.is_coarse and low < high and math.isfinite(high - low):
        with notices.suppress_warnings():
            even = summarize_file(path, **reading, layout=(low, high))
        best = min(best, even, key=lambda summary: max(summary.rate_error))
    _warn_of_bins(best)
    return best


def _checked_layout(bins: Any, layout: Any) -> tuple[int, Layout]:
    bins = checks.count(bins, "bins", 8, MOST_BINS)
    if layout is not None:
        low, high = checks.span(layout, "layout")
        if not (math.isfinite(high - low) and math.isfinite(bins / (high - low))):
            rule = "be of a width that doubles can hold and divide by"
            raise refusal("layout", rule, repr(layout), "Take the scores' range.")
        layout = low, high
    return bins, layout


# ------------------------------------------------------------------------------ of a frame
def _of_frame(
    frame: frames.OpenedFrame, score: str, keys: tuple[str, ...], client_label: object,
    bins: int, layout: Layout,
) -> ScoreSummary:  # fmt: skip
    sums = frames.label_sums(frame, score, keys, bins, layout)
    rows = sum(part.rows for part in sums.values())
    frames.check_counts(score, rows, sum(part.bad for part in sums.values()))
    counts: dict[Any, int] = {}
    for key, part in sums.items():
        counts[key[0]] = counts.get(key[0], 0) + part.rows
    called = f"column {text.format_value(keys[0])}"
    if None in counts:
        actual = f"{counts[None]} of {rows} null or NaN"
        raise refusal(called, "have no missing label", actual, "Drop these rows first.")
    with suppress(TypeError):  # engines group in any order; what has no order is no label
        counts = dict(sorted(counts.items(), key=lambda item: (type(item[0]).__name__, item[0])))
    mask = labels.client_mask([*counts], client_label, name=called, counts=[*counts.values()])
    centres = {key: part.of.mean for key, part in sums.items() if part.cancelled}
    if centres:
        squares = frames.label_squares(frame, score, keys, centres)
        sums |= {key: sums[key].about(*about) for key, about in squares.items()}
    client = dict(zip(counts, mask.tolist(), strict=True))
    classes = _classes(sums, client, f"column {text.format_value(keys[-1])}", InputError)
    return ScoreSummary(**classes, n_bins=bins, layout=layout, library=frame.library)


def _warn_of_bins(result: ScoreSummary) -> None:
    if not result.is_coarse:
        return
    (far, frr), (low, high) = result.rate_error, result._range
    notices.warn(
        f"bins are wide for these scores: {frr:.2%} of the {vocabulary.CLIENTS} and {far:.2%} of"
        f" the {vocabulary.IMPOSTORS} share one, and counted rates are off by so much within it."
        f" Unless these scores are equal, pass layout=({low!r}, {high!r}).",
        PrecisionWarning,
    )


# ------------------------------------------------------------------------- in words
def summary_words(value: ScoreData) -> str:
    """What bins, or trials without a score, do to rates and area; else nothing."""
    if value.has_rejected:
        return (
            f"{value.n_client_rejected} {vocabulary.CLIENT} and {value.n_impostor_rejected}"
            f" {vocabulary.IMPOSTOR} {vocabulary.TRIALS} without a score count as"
            f" {vocabulary.REJECTED}: {vocabulary.FAR} and {vocabulary.FRR} are of"
            f" {vocabulary.TRIALS}, FMR and FNMR of comparisons made"
        )
    if not isinstance(value, ScoreSummary):
        return ""
    far, frr = value.rate_error
    return (
        f"counted in {value.n_bins} bins: rates are exact at their borders; in between"
        f" {vocabulary.FAR} is off by at most {percent(far)}, {vocabulary.FRR} by {percent(frr)} of"
        f" all trials, the AUC of the scores by {number(value.auc_error, 2)}"
    )


def file_words(role: str, scores: ScoreData) -> str:
    """What was read for a role."""
    source, coarse, name = scores.source, summary_words(scores), ""
    if source is not None:
        form = read_as(source.format, source.guessed, source.guesses)
        name = f" {', '.join(map(local_files.shown_path, source.files))} ({form}),"
    sizes = f"{scores.n_client} {vocabulary.CLIENT} and {scores.n_impostor}"
    sizes += f" {vocabulary.IMPOSTOR} scores"
    return f"{role}:{name} {sizes}{coarse and f'; {coarse}'}"


def summary_numbers(value: ScoreData) -> dict[str, Any]:
    """The same as the entry ``summary``, or the numbers of trials without a score."""
    if not isinstance(value, ScoreSummary):
        names = ("n_client_rejected", "n_impostor_rejected") if value.has_rejected else ()
        return {name: getattr(value, name) for name in names}
    far, frr = value.rate_error

    off = {"far": far, "frr": frr, "auc": value.auc_error}
    return {"summary": {"bins": value.n_bins, "layout": value.layout, "error": off}}


def separation_words(value: ScoreData, *, fitted: bool) -> str:
    """That no impostor scores above a client; else nothing."""
    more = " Errors other than 0 at thresholds in between are those of the family fitted."
    highest, lowest = value._extremes("impostor")[1], value._extremes("client")[0]
    return "" if highest >= lowest else (
        f"Dev's scores separate the classes: no {vocabulary.ONE_IMPOSTOR} lies above"
        f" {extreme(highest)}, no {vocabulary.ONE_CLIENT} below {extreme(lowest)}.{more * fitted}"
    )  # fmt: skip
