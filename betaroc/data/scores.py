"""Scores: the client and impostor scores of one classifier, as a frozen value."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from betaroc.core import arrays, checks, notices, tables, vocabulary
from betaroc.core.arrays import CLASSES, AnyArray, BoolArray, FloatArray, IntArray, as_output
from betaroc.core.containers import array_1d, with_gaps
from betaroc.core.errors import BetarocWarning, InputError, InputTypeError, ScaleWarning, refusal
from betaroc.core.names import columns_beside, name_columns, names_array, strata_array
from betaroc.core.text import format_value
from betaroc.core.thresholds import mirror
from betaroc.core.value import Value
from betaroc.data import frames, labels
from betaroc.distributions.empirical import Empirical
from betaroc.distributions.pictures import plot_classes
from betaroc.rendering import curves, nouns
from betaroc.rendering.numbers import extreme, number, read_as, spaced
from betaroc.rendering.tree import Grid, Name, Node, Paragraph, Row, RowCells, foreign, map_text

#: The path of what `Scores.from_counts` made.
TABLE = "frequency table"


@dataclass(frozen=True, eq=False, repr=False)
class ScoreSource(Value):
    """Where scores were read from; only `path` and `format` are compared.

    Parameters
    ----------
    path : str
        The path as given; in documents the file's name, with folders if these are needed.
    format : str
        The format of the content, such as ``"csv"`` or ``"4col, gzip"``.
    order : str, optional
        A digest of the order of clients and impostors, and of which trials have no score.
    guessed : str, optional
        The label that was taken for the client's by its word.
    guesses : tuple of str, optional
        What else was guessed, each as the option that says the same: ``"separator=semicolon"``.
    further : tuple of str, optional
        The file of the impostors, or the key.
    n_dropped : int, optional
        Trials that were left out for want of a score.
    """

    path: str
    format: str
    _extra_fields = ("order", "guessed", "guesses", "further", "n_dropped")
    _files = ("path", "further")
    order: str | None = field(default=None, compare=False, repr=False)
    guessed: str | None = field(default=None, compare=False, repr=False)
    guesses: tuple[str, ...] = field(default=(), compare=False, repr=False)
    further: tuple[str, ...] = field(default=(), compare=False, repr=False)
    n_dropped: int = field(default=0, compare=False, repr=False)

    @property
    def files(self) -> tuple[str, ...]:
        """Every path."""
        return self.path, *self.further

    def named(self, names: Mapping[str, str]) -> ScoreSource:
        """The same, with names instead of paths."""
        return replace(self, path=names[self.path], further=tuple(names[f] for f in self.further))


def checked_beside(value: Mapping[str, Any], sizes: Mapping[str, int]) -> dict[str, Any]:
    """Weights, groups, ids and strata of each class, checked; strata of rejected trials too."""
    result = {}
    kinds = {"weights": checks.weights_array, "groups": name_columns, "ids": name_columns}
    for key, check in (kinds | {"strata": names_array}).items():
        for who, n in sizes.items():
            name = f"{who}_{key}"
            values = value.get(name)
            if key == "strata":
                n += rejected_counts(value)[f"n_{who}_rejected"]
            result[name] = None if values is None else check(values, n, name)
            if key == "strata" and np.any(result[name] == ""):
                raise refusal(name, "be names", "an empty text", "Name every stratum.")
    return result


def _by_stratum(content: dict[str, Any], who: str) -> dict[str, Any]:
    """Numbers of rejected trials by stratum as the strata of these, behind those of the scores."""
    rejected, strata = content[f"n_{who}_rejected"], content[f"{who}_strata"]
    if not isinstance(rejected, Mapping):
        return {}
    name = f"n_{who}_rejected"
    counts = [checks.count(n, name, 0) for n in rejected.values()]
    if strata is None:
        rule, remedy = f"be a number without {who}_strata", f"Give {who}_strata."
        raise refusal(name, rule, "numbers by stratum", remedy)
    names = np.repeat(np.array([*rejected]), counts)
    strata = array_1d(strata, f"{who}_strata")
    return {name: sum(counts), f"{who}_strata": np.concatenate([strata, names])}


def rejected_counts(content: Mapping[str, Any]) -> dict[str, int]:
    """The trials of each class without a score, checked: they have no group."""
    grouped = any(content.get(f"{who}_groups") is not None for who in CLASSES)
    result = {}
    for who in CLASSES:
        name = f"n_{who}_rejected"
        result[name] = checks.count(content.get(name, 0), name, 0)
        if result[name] and grouped:
            remedy = vocabulary.worded("Leave the groups out, or these trials (`missing='drop'`).")
            raise refusal(name, "be 0 where there are groups", str(result[name]), remedy)
    return result


def lengthened(column: AnyArray | None, n: int, fill: Any) -> AnyArray | None:
    """A column with an entry for each trial without a score."""
    if column is None or not n:
        return column
    return np.concatenate([column, np.full((n, *column.shape[1:]), fill)])


def _absent(data: object) -> int:
    return sum(getattr(data, f"n_{who}_rejected", 0) for who in CLASSES)


def tell_of_scored(data: object, noun: str) -> None:
    """Of what is of scores alone where some trials have none."""
    absent = _absent(data)
    if absent:
        message = f"{noun} is of the trials that have a score; {absent} here have none."
        notices.warn(message, BetarocWarning)


def check_rejected(data: object, noun: str, do: str = "Leave them out") -> None:
    """Trials without a score, for what cannot count them as rejected."""
    absent = _absent(data)
    if absent:
        raise InputError(
            f"{noun} is of trials that have a score; {absent} here have none."
            + vocabulary.worded(f" {do} (`missing='drop'`).")
        )


_COUNTS = ("true_accepts", "false_accepts", "true_rejects", "false_rejects")
_RATES = {"far", "frr", "tpr", "tnr"}
_OF_COMPARISONS = {"fmr", "fnmr", "tmr", "tnmr"}
_OF_TRIALS = (
    _RATES | {word for word, rate in vocabulary.ALIASES.items() if rate in _RATES} - _OF_COMPARISONS
)
#: The scores of a class, and how often each counts; none counts once.
Weighted = tuple[FloatArray, "FloatArray | None"]


@dataclass(frozen=True, eq=False, repr=False)
class Confusion(tables.Framed, nouns.Exportable):
    """Counts of a confusion matrix at one or several thresholds, made by `Scores.confusion`.

    Parameters
    ----------
    true_accepts, false_accepts, true_rejects, false_rejects : int, float or ndarray
        Clients and impostors accepted, impostors and clients rejected; sums of weights.
    of_trials : bool
        Whether rates are of trials, some without a score, not of comparisons made. No part of
        equality.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> br.Scores([3, 4, 5], [1, 2, 3, 4]).confusion(3).false_accepts
    1
    """

    true_accepts: Any
    false_accepts: Any
    true_rejects: Any
    false_rejects: Any
    _extra_fields = ("of_trials",)
    of_trials: bool = field(default=False, compare=False, repr=False)
    _same_length = _COUNTS

    @classmethod
    def _document_types(cls) -> dict[str, Any]:
        return super()._document_types() | dict.fromkeys(_COUNTS, int | float | AnyArray)

    def _derived(self) -> dict[str, Any]:
        return {"far": self.far, "frr": self.frr}

    @property
    def far(self) -> Any:
        """Share of the impostors accepted."""
        return as_output(self.false_accepts / np.asarray(self.false_accepts + self.true_rejects))

    @property
    def frr(self) -> Any:
        """Share of the clients rejected."""
        return as_output(self.false_rejects / np.asarray(self.false_rejects + self.true_accepts))

    def summary(self, terms: str = vocabulary.BIOMETRIC) -> str:
        """Return the counts and both rates in the words of a field, one line per threshold.

        Parameters
        ----------
        terms : str
            "biometric", "matching", "pad" or "ml".

        Returns
        -------
        str

        Raises
        ------
        InputError
            If `terms` is unknown, or "matching" where some trials have no score.

        Examples
        --------
        >>> import betaroc as br
        >>> br.Scores([3, 4], [1, 2]).confusion(2.5).summary("matching")
        'true matches 2, false matches 0, true non-matches 2, false non-matches 0; FMR 0, FNMR 0'
        """
        words = checks.terms_of(terms)
        if self.of_trials and words.name == "matching":
            raise InputError.about("terms")(
                'terms="matching" must be left out where trials without a score count as rejected:'
                " FMR and FNMR are rates of comparisons made. Take another field's words."
            )
        columns = [np.ravel(getattr(self, name)).tolist() for name in (*_COUNTS, "far", "frr")]
        lines = []
        for *counts, far, frr in zip(*columns, strict=True):
            named = zip(words.counts, counts, strict=True)
            line = ", ".join(f"{noun} {count:.15g}" for noun, count in named)
            lines.append(f"{line}; {words.far.short} {far:.6g}, {words.frr.short} {frr:.6g}")
        return "\n".join(lines)


def _running(weights: AnyArray) -> FloatArray:
    return np.concatenate([[0.0], np.cumsum(weights)])


def _whole(counts: FloatArray) -> Any:
    result: AnyArray = np.asarray(counts)
    if np.all(result == np.rint(result)):
        result = result.astype(np.int64)
    return result if result.ndim else result.item()


def check_words_of_comparisons(stat: object, *scores: object) -> None:
    """FMR and FNMR of scores of which some trials have none: FAR and FRR have other numbers."""
    named = _words_of(stat) & _OF_COMPARISONS
    if named and _some_rejected(scores):
        raise InputError.about(min(named) if stat in named else "stat")(
            f"{min(named)!r} is of comparisons made, and here some trials have no score. Ask for"
            " far or frr, or for the scores alone" + vocabulary.worded(" (`missing='drop'`).")
        )


def of_comparisons(stat: object, points: Iterable[str], *value: Any) -> tuple[Any, ...]:
    """Scores or fits; the trials that have a score where rates of comparisons are named."""
    words = _words_of(stat) | {*points}
    named, mixed = words & _OF_COMPARISONS, words & _OF_TRIALS
    if not named or not _some_rejected(value):
        return value
    if mixed:
        raise InputError.about("stat")(
            f"{min(named)!r} is of comparisons made and {min(mixed)!r} of all trials, some without"
            " a score. Name both alike, such as fnmr@fmr=0.01 or frr@far=0.01."
        )
    return tuple([getattr(item, "_scored", item) for item in value])


def _words_of(stat: object) -> set[str]:
    return set(re.split("[@=]", stat)) if isinstance(stat, str) else set()


def _some_rejected(value: Iterable[object]) -> bool:
    return any(getattr(getattr(x, "scores", x), "has_rejected", False) for x in value)


def _class_words(value: object) -> vocabulary.ClassWords | None:
    if value is None:
        return None
    pair = tuple(value) if isinstance(value, tuple | list) else ()
    if len(pair) != 2 or not all(isinstance(word, str) for word in pair):
        rule, remedy = "be two texts", 'Give such as ("bona fide", "attack").'
        raise refusal("words", rule, format_value(value), remedy, InputTypeError)
    return vocabulary.ClassWords(*pair)


class Strata(NamedTuple):
    """Names of strata of each class, with their numbers of trials."""

    client: dict[str, int]
    impostor: dict[str, int]

    def _beside(self, who: str) -> tuple[str, ...]:
        """The classes that a stratum of one is of: both where both have strata of these names."""
        return CLASSES if self.client.keys() == self.impostor.keys() else (who,)


class ScoreData(tables.Tabular, nouns.Exportable, ABC):
    """The scores of one classifier: every one (`Scores`), or sums and counts (`ScoreSummary`)."""

    name: str | None
    source: ScoreSource | None
    words: vocabulary.ClassWords | None = None
    n_client_rejected = n_impostor_rejected = 0
    lower_is_client: bool = False

    @property
    def n_client(self) -> int:
        """Number of client scores; trials without one do not count here."""
        return self._size("client")

    @property
    def n_impostor(self) -> int:
        """Number of impostor scores; trials without one do not count here."""
        return self._size("impostor")

    @abstractmethod
    def _size(self, who: str) -> int:
        """Number of scores of a class."""

    @property
    def has_rejected(self) -> bool:
        """Whether there are trials without a score, which count as rejected."""
        return self.n_client_rejected + self.n_impostor_rejected > 0

    @property
    def client_total(self) -> float:
        """Sum of the client weights, their number without weights; trials without a score too."""
        return self._total("client")

    @property
    def impostor_total(self) -> float:
        """Sum of the impostor weights, their number without weights; trials without a score too."""
        return self._total("impostor")

    def _total(self, who: str) -> float:
        return float(getattr(self, f"n_{who}"))

    @property
    def prior(self) -> float:
        """The observed, weighted share of clients."""
        return self.client_total / (self.client_total + self.impostor_total)

    @property
    def strata(self) -> Strata:
        """The names of the strata of each class, with their numbers of trials."""
        return Strata(*map(self._stratum_sizes, CLASSES))

    @abstractmethod
    def _stratum_sizes(self, who: str) -> dict[str, int]:
        """Of a class."""

    @abstractmethod
    def _pieces(self, who: str) -> Mapping[str, ScoreData]:
        """The scores of each stratum of a class, beside all of the other class, or its namesake."""

    @property
    @abstractmethod
    def _distributions(self) -> tuple[Empirical, Empirical]:
        """Of clients and of impostors, as the scores are."""

    def plot(self, ax: curves.Axes | None = None, *, bins: int = 20, **style: Any) -> curves.Axes:
        """Draw a histogram of each class, whose area is the share of scores.

        Parameters
        ----------
        ax : optional
            As in :meth:`betaroc.ScoreModel.plot`.
        bins : int
            Number of bars, over [0, 1] or, where scores lie outside, over their range.
        **style
            ``color`` and ``label`` of the bars of both classes.

        Examples
        --------
        >>> import betaroc as br
        >>> len(br.Scores([0.9, 0.7, 0.4], [0.1, 0.5]).plot(bins=10).patches)
        20
        """
        words = vocabulary.shared_words([self.words])
        classes = [(law,) for law in self._distributions]
        names, lower = [*map(vocabulary.DEFAULT.fill, words)], self.lower_is_client
        return plot_classes(ax, classes, names, style, bins=bins, lower=lower)

    def _read_from(self, source: ScoreSource) -> Self:
        result = copy(self)
        object.__setattr__(result, "source", source)
        return result

    def _bounds_inside(self, bounds: tuple[float, float] | None) -> tuple[float, float] | None:
        """Bounds of -s of lower scores of clients; unasked those of distances in [0, 1]."""
        if bounds is None and self.lower_is_client:
            spans = [self._extremes(who) for who in CLASSES]
            return (-1.0, 0.0) if all(-1.0 <= a and b <= 0.0 for a, b in spans) else None
        ends = bounds and (mirror(bounds[1], True), mirror(bounds[0], True))
        return ends if self.lower_is_client else bounds

    @property
    def _trials(self) -> ScoreData:
        """Every trial, at -inf where it has no score: for what counts and ranks them only."""
        return self

    @property
    def _scored(self) -> ScoreData:
        return self

    @abstractmethod
    def _as_scores(self) -> Scores:
        """Itself; of a summary a weighted score a bin, on the upper border of both classes."""

    @abstractmethod
    def _extremes(self, who: str) -> tuple[float, float]:
        """The least and the largest score of a class."""

    @abstractmethod
    def _numbers(self, who: str) -> tuple[int | None, int, int]:
        """Numbers of different scores of each class, None if unknown, and of exact 0 and 1."""

    def _metrics(self) -> dict[str, Any]:
        rejected = [f"n_{who}_rejected" for who in CLASSES] if self.has_rejected else []
        names = ("n_client", "n_impostor", *rejected, "prior")
        return {name: getattr(self, name) for name in names}

    def _view(self) -> list[Node]:
        return scores_view(self)

    @abstractmethod
    def _at_ends(self, who: str, ends: tuple[float, float]) -> tuple[float, float]:
        """Scores of a class at or beyond both ends, by their weights."""


def require_scores(
    scores: ScoreData, noun: str, *, name: str = "scores",
    hint: str = "For labels and scores use Scores.from_labels.", rejected: bool = False,
) -> Scores:  # fmt: skip
    """Every score, for what a summary cannot answer; `what` begins the error's sentence."""
    if isinstance(scores, Scores):
        if not rejected:
            check_rejected(scores, noun)
        return scores
    if isinstance(scores, ScoreData):
        raise InputError(
            f"{noun} must have every score; got a summary, which keeps sums and counts in bins."
            + vocabulary.worded(" `Take Scores: all rows, or a random part of them.`")
        )
    raise refusal(name, "be Scores", type(scores).__name__, hint, InputTypeError)


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Scores(ScoreData):
    """The scores of one classifier: two samples on one scale, higher is more client-like.

    Any finite real scores are legal, equal ones too. Arrays are copied, float64 and read-only.

    Parameters
    ----------
    client, impostor : array_like of float
        Scores of each class: lists, numpy, pandas, Polars or pyarrow.
    client_weights, impostor_weights : array_like of float, optional
        One per score: weight k stands for k equal trials.
    client_groups, impostor_groups : array_like of int or str, shape (n,) or (n, 2), optional
        Trials that share a label (a person, a session) depend on each other. Two columns where a
        trial depends on two, such as the claimed and the real identity.
    client_ids, impostor_ids : array_like of int or str, shape (n,) or (n, 2), optional
        The trial of each score, by which paired comparisons are checked.
    client_strata, impostor_strata : array_like of int or str, shape (n,), optional
        The kind of each trial, of which :func:`by_stratum` gives the rates: a species of attack, a
        demographic group, a site.
    name : str, optional
        Name of the classifier.
    n_client_rejected, n_impostor_rejected : int or mapping
        Trials without a score (failures to acquire), which count as rejected at every threshold.
        With strata one number for each, ``{"print": 3}``.
    source : ScoreSource, optional
        The file that was read.
    words : ClassWords, optional
        ``(client, impostor)``: names of the classes, such as ``("bona fide", "attack")``.
    dtype : str, optional
        "float64", "float32" or "float16": that of the system, for
        `Decision.threshold_for_greater_equal`. Default: that of the arrays.
    library : str, optional
        "pandas", "polars" or "pyarrow", for tables. Default: that of what was given, else pandas.
    lower_is_client : bool
        Whether clients have the lower scores, as of distances: accepted is what is below a
        threshold, which has the scale of the scores, as has everything shown. Inside all is of -s:
        `client`, `impostor`, and fitted distributions.

    Raises
    ------
    InputError
        For NaN, infinite or missing scores, an empty class, two-dimensional arrays, integers
        that float64 would round, negative weights, ten or more scores that are all 0 or 1, or all
        -1 or 1, groups of text and numbers, or groups beside trials without a score.
    InputTypeError
        For booleans, text, complex numbers, dates, masked or sparse arrays, generators.

    Notes
    -----
    `source`, `words`, `dtype` and `library` are no part of equality. float16 gives a
    `PrecisionWarning`. A label of a group names one thing in both classes and columns: the row
    ``["s1", "s2"]`` shares a person with ``["s2", "s3"]``. Two columns are an array, a frame or a
    list of pairs.

    Examples
    --------
    >>> import betaroc as br
    >>> scores = br.Scores([0.9, 0.7, 0.4], [0.1, 0.5])
    >>> scores.n_client, scores.n_impostor, scores.prior
    (3, 2, 0.6)
    """

    client: FloatArray
    impostor: FloatArray
    client_weights: FloatArray | None = None
    impostor_weights: FloatArray | None = None
    client_groups: AnyArray | None = None
    impostor_groups: AnyArray | None = None
    client_ids: AnyArray | None = None
    impostor_ids: AnyArray | None = None
    client_strata: AnyArray | None = None
    impostor_strata: AnyArray | None = None
    name: str | None = None
    n_client_rejected: int = 0
    n_impostor_rejected: int = 0
    source: ScoreSource | None = field(default=None, compare=False, repr=False)
    words: vocabulary.ClassWords | None = field(default=None, compare=False, repr=False)
    _extra_fields = ("source", "words", "dtype", "lower_is_client")
    dtype: str = field(default="float64", compare=False, repr=False)
    lower_is_client: bool = False

    def __init__(
        self,
        client: npt.ArrayLike,
        impostor: npt.ArrayLike,
        *,
        client_weights: npt.ArrayLike | None = None,
        impostor_weights: npt.ArrayLike | None = None,
        client_groups: npt.ArrayLike | None = None,
        impostor_groups: npt.ArrayLike | None = None,
        client_ids: npt.ArrayLike | None = None,
        impostor_ids: npt.ArrayLike | None = None,
        client_strata: npt.ArrayLike | None = None,
        impostor_strata: npt.ArrayLike | None = None,
        name: str | None = None,
        n_client_rejected: int | Mapping[Any, int] = 0,
        n_impostor_rejected: int | Mapping[Any, int] = 0,
        source: ScoreSource | None = None,
        words: vocabulary.ClassWords | None = None,
        dtype: str | None = None,
        library: tables.Library | None = None,
        lower_is_client: bool = False,
    ) -> None:
        checks.name_or_none(name, "Weights, groups and ids are keywords.")
        c, i = checks.score_array(client, "client"), checks.score_array(impostor, "impostor")
        labels.check_labels_as_scores(c, i)
        in_use = tables.library_of(client) or tables.library_of(impostor)
        kind = arrays.dtype_of(client, impostor) if dtype is None else checks.dtype_as(dtype, c, i)
        lower = _checked_sense(lower_is_client, c, i)
        content: dict[str, Any] = {
            "client": mirror(c, lower), "impostor": mirror(i, lower), "lower_is_client": lower,
            "name": name, "source": source, "dtype": kind,
            "words": _class_words(words), "library": tables.checked_library(library) or in_use,
        }  # fmt: skip
        others: dict[str, Any] = {
            "client_weights": client_weights, "impostor_weights": impostor_weights,
            "client_groups": client_groups, "impostor_groups": impostor_groups,
            "client_ids": client_ids, "impostor_ids": impostor_ids,
            "client_strata": client_strata, "impostor_strata": impostor_strata,
            "n_client_rejected": n_client_rejected, "n_impostor_rejected": n_impostor_rejected,
        }  # fmt: skip
        for who in CLASSES:
            others |= _by_stratum(others, who)
        content |= others | checked_beside(others, {"client": c.size, "impostor": i.size})
        self.__setstate__(content | rejected_counts(content))
        labels.check_hard_labels(
            "client and impostor", self.client_total + self.impostor_total, c, i
        )

    @classmethod
    def _document_types(cls) -> dict[str, Any]:
        return super()._document_types() | {"dtype": Literal["float32", "float16"] | None}

    def _document_part(self, name: str) -> Any:
        if name == "dtype":
            return None if self.dtype == "float64" else self.dtype
        value = super()._document_part(name)
        return mirror(value, self.lower_is_client and name in CLASSES)

    def _told_parts(self) -> dict[str, Any]:
        return {name: self._document_part(name) for name in super()._told_parts()}

    @classmethod
    def _restored(cls, content: dict[str, Any]) -> Scores:
        dtype = content.pop("dtype", None)
        samples = {who: checks.kept_scores(content[who], who) for who in CLASSES}
        for who, values in samples.items() if dtype else ():
            if not arrays.are_of(dtype, values):
                raise refusal(who, f"hold numbers of {dtype}", "others", "Leave dtype out.")
        sizes = {who: values.size for who, values in samples.items()}
        keep: dict[str, Any] = {"dtype": dtype} if dtype else {}
        lower = content.get("lower_is_client", False)
        content |= {who: mirror(values, lower) for who, values in samples.items()}
        return cls._checked(**content | checked_beside(content, sizes) | keep)

    def __setstate__(self, state: dict[str, Any]) -> None:
        for key, value in state.items():
            object.__setattr__(
                self, key, checks.frozen(value) if isinstance(value, np.ndarray) else value
            )

    def __repr__(self) -> str:
        text = self._constructor_repr()
        if text is not None:
            return text
        named = f"{format_value(self.name)}: " if self.name else ""
        spans = []
        for who in CLASSES:
            values, absent = self._document_part(who), getattr(self, f"n_{who}_rejected")
            ends = f"[{values.min():.6g}, {values.max():.6g}]"
            without = f" and {absent} without a score" * bool(absent)
            strata = checks.format_list([*getattr(self.strata, who)], 3, 24)
            without += f" of strata {strata}" * bool(strata)
            spans.append(f"{values.size} {who} in {ends}{without}")
        return f"<Scores {named}{', '.join(spans)}>"

    def to_frame(self) -> tables.Table:
        """Return the trials as a table, clients first, which :meth:`from_frame` reads back.

        Columns score, label (1 of a client, 0 of an impostor) and, where there are any, weight,
        group (or group_1 and group_2), id and stratum. Trials without a score have nan and come
        last in their class.

        Examples
        --------
        >>> import betaroc as br
        >>> scores = br.Scores([0.9, 0.4], [0.1], client_groups=["a", "b"], impostor_groups=["a"])
        >>> br.Scores.from_frame(scores.to_frame(), group="group") == scores
        True
        """
        absent = {"client": self.n_client_rejected, "impostor": self.n_impostor_rejected}
        sizes = self.n_client + absent["client"], self.n_impostor + absent["impostor"]
        filled = [np.append(self._document_part(w), np.full(n, np.nan)) for w, n in absent.items()]
        columns: dict[str, Any] = {"score": np.concatenate(filled)}
        columns["label"] = np.repeat([1, 0], sizes)
        for key, fill in (("weights", 1.0), ("groups", None), ("ids", None), ("strata", None)):
            parts = [
                lengthened(getattr(self, f"{who}_{key}"), 0 if key == "strata" else n, fill)
                for who, n in absent.items()
            ]
            if any(part is not None for part in parts):
                columns |= columns_beside("stratum" if key == "strata" else key[:-1], parts, sizes)
        return self._table(columns)

    def _size(self, who: str) -> int:
        return int(getattr(self, who).size)

    def _total(self, who: str) -> float:
        weights = getattr(self, f"{who}_weights")
        value = getattr(self, f"n_{who}") if weights is None else float(np.sum(weights))
        return float(value) + float(getattr(self, f"n_{who}_rejected"))

    @cached_property
    def _distributions(self) -> tuple[Empirical, Empirical]:
        client, impostor = self._trials._weighted
        return Empirical._of_checked(*client), Empirical._of_checked(*impostor)

    @property
    def _scored(self) -> Scores:
        if not self.has_rejected:
            return self
        content: dict[str, Any] = {"n_client_rejected": 0, "n_impostor_rejected": 0}
        for who in CLASSES:
            strata = getattr(self, f"{who}_strata")
            if strata is not None:
                content[f"{who}_strata"] = strata[: getattr(self, f"n_{who}")]
        return self._with(**content)

    @cached_property
    def _trials(self) -> Scores:
        if not self.has_rejected:
            return self
        content: dict[str, Any] = {}
        for who in CLASSES:
            n, content[f"n_{who}_rejected"] = getattr(self, f"n_{who}_rejected"), 0
            for key, fill in (("", -np.inf), ("_weights", 1.0), ("_ids", "")):
                content[who + key] = lengthened(getattr(self, who + key), n, fill)
        return self._with(**content)

    def _with(self, **content: Any) -> Scores:
        return self._checked(**{f.name: getattr(self, f.name) for f in fields(self)} | content)

    def _as_scores(self) -> Scores:
        return self

    def _extremes(self, who: str) -> tuple[float, float]:
        values: FloatArray = getattr(self, who)
        return float(values.min()), float(values.max())

    def _at_ends(self, who: str, ends: tuple[float, float]) -> tuple[float, float]:
        values, weights = self._counted[who == "impostor"]
        low, high = values <= ends[0], values >= ends[1]
        return float(np.sum(weights[low])), float(np.sum(weights[high]))

    def _numbers(self, who: str) -> tuple[int | None, int, int]:
        values: FloatArray = self._document_part(who)
        distinct = self._distributions[who == "impostor"].atoms.places.size
        return distinct, int(np.sum(values == 0.0)), int(np.sum(values == 1.0))

    def _stratum_sizes(self, who: str) -> dict[str, int]:
        return {name: rows.size for name, rows in self._rows_of_strata[who].items()}

    @cached_property
    def _rows_of_strata(self) -> dict[str, dict[str, IntArray]]:
        """The names of the strata of both classes, as they first occur, with the places of each."""
        result: dict[str, dict[str, IntArray]] = {who: {} for who in CLASSES}
        for who in CLASSES:
            labels = getattr(self, f"{who}_strata")
            if labels is None:
                continue
            kinds, first, codes = np.unique(labels, return_index=True, return_inverse=True)
            places = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
            weights = getattr(self, f"{who}_weights")
            counted = np.ones(codes.size, dtype=np.bool_)  # a weight is a number of trials
            if weights is not None:
                counted[: weights.size] = weights > 0.0
            result[who] = {
                str(kinds[k]): places[k] for k in np.argsort(first) if np.any(counted[places[k]])
            }
        return result

    @cached_property
    def _known_pieces(self) -> dict[str, dict[str, Scores]]:
        return {}

    def _pieces(self, who: str) -> dict[str, Scores]:
        if who in self._known_pieces:
            return self._known_pieces[who]
        classes = self.strata._beside(who)
        pieces: dict[str, Scores] = dict.fromkeys(getattr(self.strata, who), self)
        for kind in classes:
            for name, rows in self._rows_of_strata[kind].items():
                with_score = rows[rows < getattr(self, f"n_{kind}")]
                columns = (kind + key for key in ("", "_weights", "_groups", "_ids"))
                own = {c: v[with_score] for c in columns if (v := getattr(self, c)) is not None}
                own[f"{kind}_strata"] = getattr(self, f"{kind}_strata")[rows]
                own[f"n_{kind}_rejected"] = rows.size - with_score.size
                pieces[name] = pieces[name]._with(**own)
        if len(classes) == 1:  # the other class is sorted once
            for piece in pieces.values():
                laws: list[Any] = list(self._distributions)
                which = CLASSES.index(who)
                values, weights = piece._trials._weighted[which]
                laws[which] = Empirical._of_checked(values, weights)
                vars(piece)["_distributions"] = tuple(laws)
        self._known_pieces[who] = pieces
        return pieces

    def confusion(self, threshold: npt.ArrayLike) -> Confusion:
        """The counts of a confusion matrix at a threshold, accepted if score > threshold.

        Parameters
        ----------
        threshold : array_like
            Thresholds; infinities reject and accept all.

        Returns
        -------
        Confusion
            Counts, or sums of weights, in the shape of `threshold`. Scikit-learn's
            ``confusion_matrix(y, score > threshold)`` is ``[[true_rejects, false_accepts],
            [false_rejects, true_accepts]]``.

        Raises
        ------
        InputError, InputTypeError
            If a threshold is nan or no number.

        Examples
        --------
        >>> import betaroc as br
        >>> br.Scores([3, 4, 5], [1, 2, 3, 4]).confusion(3)
        Confusion(true_accepts=2, false_accepts=1, true_rejects=3, false_rejects=1)
        """
        t = checks.real_array(threshold, "threshold")
        checks.check_entries(t, np.isnan(t), "threshold", "be numbers")
        place, rejected, accepted = mirror(t, self.lower_is_client), [], []
        for values, weights in self._trials._counted:
            order = np.argsort(values, kind="stable")
            upto = _running(weights[order])
            at_most = upto[np.searchsorted(values[order], place, side="right")]
            rejected.append(_whole(at_most))
            accepted.append(_whole(upto[-1] - at_most))
        result = Confusion(accepted[0], accepted[1], rejected[1], rejected[0])
        return tables.in_library(replace(result, of_trials=self.has_rejected), self)

    def precision_at(self, k: npt.ArrayLike) -> Any:
        """Precision at k: the share of clients among the k highest scores.

        Parameters
        ----------
        k : array_like
            Whole numbers from 1 to the number of scores; weights are copies.

        Returns
        -------
        float or ndarray, shape of `k`
            Fraction in [0, 1]; the mean over all orders of equal scores. It has no interval.

        Raises
        ------
        InputError, InputTypeError
            If `k` is none such.

        Examples
        --------
        >>> import betaroc as br
        >>> scores = br.Scores([5, 4, 3], [4, 2])
        >>> scores.precision_at([1, 2, 3, 5]).round(6).tolist()  # at 2 the second is either of two
        [1.0, 0.75, 0.666667, 0.6]
        """
        (client, weights), (impostor, others) = self._trials._counted
        distinct, where = np.unique(-np.append(client, impostor), return_inverse=True)
        of_clients = np.bincount(where[: client.size], weights, distinct.size)
        total = _running(np.bincount(where, np.append(weights, others), distinct.size))
        wanted = checks.real_array(k, "k")
        whole = (wanted >= 1) & (wanted <= total[-1]) & (wanted == np.rint(wanted))
        rule = f"be a whole number from 1 to {total[-1]:.15g}, the number of scores"
        checks.check_entries(wanted, ~whole, "k", rule)
        return as_output(np.interp(wanted, total, _running(of_clients)) / wanted)

    @property
    def _weighted(self) -> tuple[Weighted, Weighted]:
        return (self.client, self.client_weights), (self.impostor, self.impostor_weights)

    @property
    def _counted(self) -> list[tuple[FloatArray, FloatArray]]:
        """The scores of both classes with their weights, ones where there are none."""
        return [(v, np.ones(v.size) if w is None else w) for v, w in self._weighted]

    @classmethod
    def from_labels(
        cls,
        y_true: npt.ArrayLike,
        y_score: npt.ArrayLike,
        *,
        client_label: object = None,
        weights: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
        ids: npt.ArrayLike | None = None,
        strata: npt.ArrayLike | None = None,
        name: str | None = None,
        missing: str = labels.FAIL,
        lower_is_client: bool = False,
    ) -> Scores:
        """Scores from one array of labels and one of scores, in their order.

        Parameters
        ----------
        y_true : array_like
            Two labels: numbers, booleans or text, also categorical.
        y_score : array_like of float
            One score per label.
        client_label : object, optional
            The client's label; None only for {0, 1}, {False, True} and {-1, 1}, where it is 1. Of
            more than two labels, all others are the impostors' and, without `strata`, their strata.
        weights, groups, ids, strata, name, lower_is_client : optional
            As in `Scores`, one per label.
        missing : {"fail", "drop", "reject"}
            Trials whose score is nan or None are an error, left out with a
            `MissingScoreWarning`, or counted as rejected.

        Returns
        -------
        Scores

        Raises
        ------
        InputError
            For one class, labels that need `client_label` or were swapped with the scores,
            lengths or pandas indices that differ.
        InputTypeError
            For labels of mixed types or bytes, and whatever `Scores` refuses.

        Examples
        --------
        >>> import betaroc as br
        >>> br.Scores.from_labels(["bona fide", "attack"], [0.8, 0.3], client_label="bona fide")
        Scores(client=[0.8], impostor=[0.3])
        """
        beside = {"weights": weights, "groups": groups, "ids": ids, "strata": strata}
        labels.check_other_index(y_true, y_score=y_score, **beside)
        columns: dict[str, Any] = {
            "label": y_true, "score": y_score, "weight": weights, "group": groups, "id": ids,
            "stratum": None if strata is None else [strata],
        }  # fmt: skip
        called = {"label": "y_true", "score": "y_score", "stratum": "strata"}
        called = {role: f"{role}s" for role in columns} | called
        library = tables.library_of(y_score) or tables.library_of(y_true)
        name = checks.name_or_none(name)
        return cls._split(columns, called, client_label, missing, name=name, library=library,
                          lower_is_client=lower_is_client)  # fmt: skip

    @classmethod
    def from_counts(
        cls, client: npt.ArrayLike, impostor: npt.ArrayLike, values: npt.ArrayLike | None = None,
        *, name: str | None = None,
    ) -> Scores:  # fmt: skip
        """Scores from a frequency table: how many trials of each class have each rating.

        Parameters
        ----------
        client, impostor : array_like of int
            Whole numbers from 0 to 1e8, one per rating.
        values : array_like of float, optional
            The ratings, ascending; 1, 2, ... where left out.
        name : str, optional
            As in `Scores`.

        Returns
        -------
        Scores
            One score per trial, in no order: of two tables no trials are paired.

        Raises
        ------
        InputError, InputTypeError
            If a cell is missing, negative or not whole, rows have different lengths, or ratings do
            not ascend.

        Examples
        --------
        >>> import betaroc as br
        >>> br.Scores.from_counts(client=[0, 1, 2], impostor=[2, 1, 0])
        Scores(client=[2.0, 3.0, 3.0], impostor=[1.0, 1.0, 2.0])
        """
        rows = [checks.score_array(*row) for row in ((client, "client"), (impostor, "impostor"))]
        known = np.arange(1.0, rows[0].size + 1.0) if values is None else values
        places = checks.score_array(known, "values")
        checks.check_ascending(places, "values")
        for who, row in zip(CLASSES, rows, strict=True):
            bad = (row < 0.0) | (row > 1e8) | (row != np.rint(row))
            checks.check_entries(row, bad, who, "be whole numbers of trials from 0 to 1e8")
            if row.size != places.size:
                raise refusal(who, f"have a count for each of {places.size} values", str(row.size))
        scores = cls(*(np.repeat(places, row.astype(np.int64)) for row in rows), name=name)
        return scores._read_from(ScoreSource(TABLE, "counts"))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        score: str = "score",
        label: str = "label",
        client_label: object = None,
        weight: str | None = None,
        group: str | tuple[str, str] | None = None,
        id: str | tuple[str, str] | None = None,  # noqa: A002 - the name of the public surface
        stratum: str | tuple[str, str] | None = None,
        missing: str = labels.FAIL,
        lower_is_client: bool = False,
    ) -> Scores:
        """Scores from the columns of a frame, in the order of its rows.

        Parameters
        ----------
        frame : frame
            Whatever Narwhals reads: pandas, Polars, pyarrow, DuckDB, Dask; eager or lazy. Only the
            named columns are collected.
        score, label, weight : str, optional
            Column names.
        group, id : str or (str, str), optional
            Column name, or the names of two columns.
        stratum : str or (str, str), optional
            Column name, or those of the clients' and of the impostors' column. Where the two share
            values, they are groups of persons claimed and claiming: an impostor's stratum is the
            pair, such as "F-M".
        client_label, missing, lower_is_client : optional
            As in `from_labels`.

        Returns
        -------
        Scores

        Raises
        ------
        InputError, InputTypeError
            For a missing column, missing values, probabilities of the predicted label, and
            whatever `from_labels` refuses.

        Examples
        --------
        >>> import pandas as pd
        >>> import betaroc as br
        >>> frame = pd.DataFrame({"label": [1, 0, 1], "p": [0.7, 0.2, 0.9]})
        >>> br.Scores.from_frame(frame, score="p")
        Scores(client=[0.7, 0.9], impostor=[0.2])
        """
        wanted = {"score": score, "label": label, "weight": weight, "group": group, "id": id}
        wanted["stratum"] = stratum
        value = frames.opened(frame)
        data = frames.frame_columns(value, wanted, None if missing == labels.FAIL else "score")
        called = {role: f"column {format_value(name)}" for role, name in wanted.items()}
        scores = cls._split(data, called, client_label, missing, library=value.library,
                            lower_is_client=lower_is_client)  # fmt: skip
        parts = map(scores._document_part, CLASSES)
        n = scores.client_total + scores.impostor_total
        labels.check_confidence(
            f"column {format_value(score)}", score, (label,), value.names, n, *parts
        )
        return scores

    @classmethod
    def _split(
        cls, data: Mapping[str, Any], called: Mapping[str, str], client_label: object,
        missing: str, **content: Any,
    ) -> Scores:  # fmt: skip
        checks.choice(missing, labels.WAYS_OF_MISSING, "missing")
        named, scores = called["score"], data["score"]
        raw = array_1d(scores, named) if missing == labels.FAIL else with_gaps(scores, named)[0]
        comparable = raw if raw.dtype.kind in "biuf" else None
        mask = labels.client_mask(
            data["label"], client_label, name=called["label"], scores=comparable, several=True
        )
        values = labels.scores_or_nan(scores, named, missing)
        if mask.size != values.size:
            actual = f"{mask.size} labels and {values.size} scores"
            raise refusal(f"{called['label']} and {named}", "have one length", actual)
        columns = {
            f"{role}s": name_columns(data[role], mask.size, called[role])
            for role in ("group", "id") if data.get(role) is not None
        }  # fmt: skip
        if data.get("stratum") is not None:
            parts = [strata_array(c, mask.size, called["stratum"]) for c in data["stratum"]]
            columns["strata"] = labels.strata_of(parts, mask)
        if data.get("weight") is not None:
            weights = checks.weights_array(data["weight"], mask.size, called["weight"])
            lost = np.isnan(values)
            for who, own in (("client", mask & ~lost), ("impostor", ~mask & ~lost)):
                if own.any() and not weights[own].any():
                    actual = f"0 for all of the {who} class, so no {who} scores"
                    rule = "have a sum > 0 in both classes"
                    raise refusal(called["weight"], rule, actual)
            other = weights[lost & (weights != 1.0)]
            if missing == labels.REJECT and other.size:
                raise InputError.about("missing")(
                    f"weights of trials without a score must be 1; got {float(other[0])!r}. Repeat"
                    + vocabulary.worded(" these rows, or leave them out (`missing='drop'`).")
                )
            columns["weights"] = weights
        texts = array_1d(data["label"], "labels")
        words = vocabulary.words_of(*(texts[int(np.argmax(own))] for own in (mask, ~mask)))
        by_label = np.unique(texts[~mask]).size > 1  # one label against the rest
        if by_label and "strata" not in columns:
            columns["strata"] = np.where(mask, "", texts.astype(str))
        content |= {"dtype": arrays.dtype_of(raw), "words": None if by_label else words}
        return cls._of_rows(values, mask, named, missing, columns, **content)

    @classmethod
    def _of_rows(
        cls, values: FloatArray, is_client: BoolArray, named: str, missing: str,
        columns: Mapping[str, AnyArray], *, error: Any = InputError, **content: Any,
    ) -> Scores:  # fmt: skip
        """Of rows that may lack a score, and strata that one of the classes may lack."""
        lost = np.isnan(values)
        content["lower_is_client"] = _checked_sense(content["lower_is_client"], values[~lost])
        for who, own in (("client", is_client), ("impostor", ~is_client)):
            chosen = own & ~lost
            if not (chosen.any() or labels.is_one_enough.get()):
                raise error(f"{named} must be of both classes; every {who} one is missing. Add.")
            content |= {f"{who}_{k}": part[chosen] for k, part in columns.items() if chosen.any()}
            if missing == labels.REJECT and "strata" in columns:
                ordered = np.concatenate([np.flatnonzero(own & part) for part in (~lost, lost)])
                content[f"{who}_strata"] = columns["strata"][ordered]
            strata = np.asarray(content.get(f"{who}_strata", ()))
            unnamed = int(np.count_nonzero(strata == ""))
            labels.check_named_strata(who, unnamed, strata.size, error)
            if unnamed:  # the column is of the other class alone
                del content[f"{who}_strata"]
            content[who] = mirror(values[chosen], content["lower_is_client"])
        without = [int(np.count_nonzero(lost & own)) for own in (is_client, ~is_client)]
        result = cls._checked(
            **content | labels.missing_counts(without, int(np.sum(~lost)), missing)
        )
        total = result.client_total + result.impostor_total
        labels.check_hard_labels(named, total, *map(result._document_part, CLASSES), kind=error)
        return result

    @classmethod
    def _of_trials(cls, client: FloatArray, impostor: FloatArray, name: str | None) -> Scores:
        """Scores of drawn trials, of which those at -inf have none."""
        content: dict[str, Any] = {"client": client, "impostor": impostor, "name": name}
        for who in CLASSES:
            absent = content[who] == -np.inf
            if np.all(absent):
                raise InputError(f"a {who} must have a score; none drawn has. Draw more.")
            content |= {who: content[who][~absent], f"n_{who}_rejected": int(np.sum(absent))}
        return cls._checked(**content)

    @classmethod
    def _checked(cls, **content: Any) -> Scores:
        scores = object.__new__(cls)
        absent = {f.name: None if f.default is MISSING else f.default for f in fields(cls)}
        scores.__setstate__(absent | content | rejected_counts(content))
        return scores


def _checked_sense(value: object, *parts: FloatArray) -> bool:
    """Whether clients have the lower scores; a warning of negative distances."""
    lower, below = checks.flag(value, "lower_is_client"), sum(int(np.sum(x < 0.0)) for x in parts)
    if lower and below:
        text = f"{below} distances are negative, and taken as they are. Of similarities leave"
        notices.warn(text + vocabulary.worded(" `lower_is_client` out."), ScaleWarning)
    return lower


#: What a row says of a class.
CLASS_HEAD = ("class", "scores", "distinct", "lowest", "highest", "exactly 0", "exactly 1")


def read_words(data: ScoreData) -> str:
    """The format that was read, and how many trials; how many more were left out."""
    rows = data.n_client + data.n_impostor + data.n_client_rejected + data.n_impostor_rejected
    source, told = data.source, f"{rows} rows"
    if source is None:
        return f"not from a file; {told}"
    told += f", {source.n_dropped} more left out" * bool(source.n_dropped)
    return f"{read_as(source.format, source.guessed, source.guesses)}; {told}"


def source_rows(data: ScoreData, file: Name) -> list[RowCells]:
    """The file; of each class the numbers of scores, distinct ones, the range, those at 0 and 1."""
    rows: list[RowCells] = [(file, read_words(data))]
    for who in CLASSES:
        n, weight, absent = (
            getattr(data, name) for name in (f"n_{who}", f"{who}_total", f"n_{who}_rejected")
        )
        count = spaced(n) + f" (weight {number(weight - absent)})" * (weight - absent != n)
        count += f" and {absent} without" * bool(absent)
        distinct, *exact = data._numbers(who)
        different = "–" if distinct is None else spaced(distinct)
        ends = map(extreme, sorted(mirror(x, data.lower_is_client) for x in data._extremes(who)))
        rows.append((vocabulary.CLASS_SLOTS[who][0], count, different, *ends, *map(str, exact)))
    return rows


def scores_view(data: ScoreData) -> list[Node]:
    """The numbers of scores, what was read, and a row per class."""
    words = vocabulary.shared_words([data.words])
    source, name = data.source, foreign(data.name or "")
    sizes = {"client": data.n_client, "impostor": data.n_impostor}
    told = " and ".join(words.counted(who, n, spaced(n)) for who, n in sizes.items())
    file = name if source is None else foreign(Path(source.path).name)
    rows = tuple(map(Row, source_rows(data, file)))
    grid = map_text(
        Grid(CLASS_HEAD, rows), vocabulary.Vocabulary(vocabulary.DEFAULT.terms, words).fill
    )
    return [Paragraph(f"{name.short}: " * bool(name.short) + told, "answer"), grid]
