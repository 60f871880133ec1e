"""Scores: the client and impostor scores of one classifier, as a frozen value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import AnyArray, FloatArray
from betaroc.core.checks import frozen, score_array, weights_array
from betaroc.core.containers import array_1d, as_narwhals
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.names import name_columns
from betaroc.core.sentences import worded
from betaroc.core.tables import Library, Tabular, checked_library, library_of
from betaroc.core.text import shown
from betaroc.core.value import Value
from betaroc.data.frames import frame_columns, opened
from betaroc.data.labels import client_mask, looks_like_labels
from betaroc.distributions.empirical import Empirical

__all__ = ["ScoreData", "ScoreSource", "Scores", "require_scores"]

#: Above this many scores the repr is a summary, not something to paste back.
_PASTE_LIMIT = 50


@dataclass(frozen=True, eq=False, repr=False)
class ScoreSource(Value):
    """Where scores were read from.

    Parameters
    ----------
    path : str
        The path as it was given.
    format : str
        The format that the content showed, such as ``"csv"`` or ``"4col, gzip"``.
    order : str, optional
        A digest of the order in which clients and impostors come; no part of equality.
    """

    path: str
    format: str
    order: str | None = field(default=None, compare=False, repr=False)


class ScoreData(Tabular, ABC):
    """The scores of one classifier, whatever is kept of them.

    Notes
    -----
    `Scores` keep every one, a `ScoreSummary` sums and counts in bins. What needs every score
    takes `require_scores` of them, what counts at thresholds their distributions.
    """

    name: str | None
    source: ScoreSource | None

    @property
    @abstractmethod
    def n_client(self) -> int:
        """Number of client scores."""

    @property
    @abstractmethod
    def n_impostor(self) -> int:
        """Number of impostor scores."""

    @property
    @abstractmethod
    def client_total(self) -> float:
        """Sum of the client weights, their number without weights."""

    @property
    @abstractmethod
    def impostor_total(self) -> float:
        """Sum of the impostor weights, their number without weights."""

    @property
    def prior(self) -> float:
        """The observed, weighted share of clients."""
        return self.client_total / (self.client_total + self.impostor_total)

    @property
    @abstractmethod
    def _distributions(self) -> tuple[Empirical, Empirical]:
        """Of clients and of impostors, as the scores are."""

    @abstractmethod
    def _as_scores(self) -> Scores:
        """Itself; of a summary a weighted score a bin, on the upper border of both classes."""

    @abstractmethod
    def _extremes(self, who: str) -> tuple[float, float]:
        """The least and the largest score of a class."""

    @abstractmethod
    def _at_ends(self, who: str) -> tuple[float, float]:
        """Scores of a class of exactly 0 and of exactly 1, by their weights."""


def require_scores(
    scores: ScoreData,
    what: str,
    *,
    name: str = "scores",
    kinds: str = "Scores",
    hint: str = "For labels and scores use Scores.from_labels.",
) -> Scores:
    """Every score, for what a summary cannot answer; `what` begins the error's sentence."""
    if isinstance(scores, Scores):
        return scores
    if isinstance(scores, ScoreData):
        raise InputError(
            f"{what} must have every score; got a summary of {scores.n_client} client and"
            f" {scores.n_impostor} impostor scores, which keeps sums and counts in bins only."
            + worded(" `Take Scores: all rows, or a random part of them.`")
        )
    raise InputTypeError.about(name)(f"{name} must be {kinds}; got {type(scores).__name__}. {hint}")


def refuse_few(scores: Scores, name: str, purpose: str) -> None:
    """A class of one trial does not vary."""
    for who in ("client", "impostor"):
        total = float(getattr(scores, f"{who}_total"))
        if total < 2.0:
            raise InputError.about(name)(
                f"{name} must hold two or more trials of each class {purpose}; got"
                f" {total:g} {who} trials. Give more."
            )


def refuse_one_group(scores: Scores, name: str) -> None:
    """All trials of a class in one group do not tell how groups vary."""
    for who in ("client", "impostor"):
        groups = getattr(scores, f"{who}_groups")
        if groups is not None and any(np.unique(c).size < 2 for c in np.atleast_2d(groups.T)):
            raise InputError.about(name)(
                f"{name} must hold two or more groups of each class to vary; all {who} trials share"
                " one. Give trials of more, or take groups=False."
            )


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Scores(ScoreData):
    """The scores of one classifier: two samples on one scale, higher is more client-like.

    Any finite real scores are legal, equal ones included. Arrays are copied,
    read-only, float64 and keep their order.

    Parameters
    ----------
    client, impostor : array_like of float
        One-dimensional scores of each class: lists, numpy, pandas, Polars or pyarrow.
    client_weights, impostor_weights : array_like of float, optional
        Frequencies, one a score: weight k stands for k equal trials.
    client_groups, impostor_groups : array_like of int or str, shape (n,) or (n, 2), optional
        Trials that share a label depend on each other (a person, a session). Two columns
        where a trial depends on two things, such as the claimed and the real identity.
    client_ids, impostor_ids : array_like of int or str, shape (n,) or (n, 2), optional
        Which trial a score belongs to, so that paired comparisons can be checked.
    name : str, optional
        Name of the classifier, for tables and pictures.
    source : ScoreSource, optional
        Path and format of the file that `read_scores` read; no part of equality.
    library : str, optional
        "pandas", "polars" or "pyarrow": of which library the tables are frames that are made of
        what is computed of these scores. Left out, that of the column of clients, or of the frame
        that :meth:`from_frame` read; pandas where there was none. No part of equality.

    Raises
    ------
    InputError
        For NaN, infinite or missing scores, an empty class, two-dimensional arrays, integers
        that float64 would round, negative weights, labels given as a class of scores, or two
        columns of groups of which one is text and one is not.
    InputTypeError
        For booleans, text, complex numbers, dates, masked or sparse arrays, generators.

    Notes
    -----
    float32 converts exactly; float16 gives a `PrecisionWarning`. Scores compare by
    content, pickle, copy, and up to 50 of them have a repr to paste back.

    A label of a group names one thing wherever it stands: in both classes and in both
    columns. Person ``"s1"`` who claims to be ``"s2"`` has the row ``["s1", "s2"]``, and it
    shares a person with ``["s2", "s3"]``. Give different things different labels, such as
    ``"person 1"`` and ``"image 1"``. Two columns are the columns of one array
    (``np.column_stack``), a frame of two columns, or a list of pairs.

    Examples
    --------
    >>> import betaroc as br
    >>> scores = br.Scores([0.9, 0.7, 0.4], [0.1, 0.5])
    >>> scores.n_client, scores.n_impostor, scores.prior
    (3, 2, 0.6)
    >>> scores
    Scores(client=[0.9, 0.7, 0.4], impostor=[0.1, 0.5])
    """

    client: FloatArray
    impostor: FloatArray
    client_weights: FloatArray | None = None
    impostor_weights: FloatArray | None = None
    client_groups: AnyArray | None = None
    impostor_groups: AnyArray | None = None
    client_ids: AnyArray | None = None
    impostor_ids: AnyArray | None = None
    name: str | None = None
    source: ScoreSource | None = field(default=None, compare=False, repr=False)
    #: The dtype in which scores came, which is that of the system that gives them.
    _dtype: ClassVar[str] = "float64"

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
        name: str | None = None,
        source: ScoreSource | None = None,
        library: Library | None = None,
    ) -> None:
        c, i = score_array(client, "client"), score_array(impostor, "impostor")
        _refuse_labels_as_scores(c, i)
        content: dict[str, Any] = {
            "client": c, "impostor": i, "name": _name(name), "source": source,
            "library": checked_library(library) or library_of(client) or library_of(impostor),
            **_dtype_of(client, impostor),
        }  # fmt: skip
        for key, given, n in (
            ("client_weights", client_weights, c.size),
            ("impostor_weights", impostor_weights, i.size),
        ):
            content[key] = None if given is None else weights_array(given, n, key)
        for key, given, n in (
            ("client_groups", client_groups, c.size),
            ("impostor_groups", impostor_groups, i.size),
            ("client_ids", client_ids, c.size),
            ("impostor_ids", impostor_ids, i.size),
        ):
            content[key] = None if given is None else name_columns(given, n, key)
        self.__setstate__(content)

    def __setstate__(self, state: dict[str, Any]) -> None:
        for key, value in state.items():
            object.__setattr__(self, key, frozen(value) if isinstance(value, np.ndarray) else value)

    def __repr__(self) -> str:
        if self.n_client + self.n_impostor <= _PASTE_LIMIT:
            return super().__repr__()
        named = f"{self.name!r}: " if self.name else ""
        return f"<Scores {named}{_span('client', self.client)}, {_span('impostor', self.impostor)}>"

    @property
    def n_client(self) -> int:
        """Number of client scores."""
        return self.client.size

    @property
    def n_impostor(self) -> int:
        """Number of impostor scores."""
        return self.impostor.size

    @property
    def client_total(self) -> float:
        """Sum of the client weights, their number without weights."""
        return _total(self.client, self.client_weights)

    @property
    def impostor_total(self) -> float:
        """Sum of the impostor weights, their number without weights."""
        return _total(self.impostor, self.impostor_weights)

    @property
    def _distributions(self) -> tuple[Empirical, Empirical]:
        client = Empirical._of_checked(self.client, self.client_weights)
        return client, Empirical._of_checked(self.impostor, self.impostor_weights)

    def _as_scores(self) -> Scores:
        return self

    def _extremes(self, who: str) -> tuple[float, float]:
        values: FloatArray = getattr(self, who)
        return float(values.min()), float(values.max())

    def _at_ends(self, who: str) -> tuple[float, float]:
        values, weights = getattr(self, who), getattr(self, f"{who}_weights")
        weights = np.ones(values.size) if weights is None else weights
        return float(np.sum(weights[values == 0.0])), float(np.sum(weights[values == 1.0]))

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
        name: str | None = None,
    ) -> Scores:
        """Scores from one array of labels and one of scores.

        Parameters
        ----------
        y_true : array_like
            Two labels: numbers, booleans or text, also categorical.
        y_score : array_like of float
            One score a label.
        client_label : object, optional
            The client's label; None only for {0, 1}, {False, True} and {-1, 1}, where it is 1.
        weights, groups, ids, name : optional
            As in `Scores`, one a label.

        Returns
        -------
        Scores
            Both classes, in the order given.

        Raises
        ------
        InputError
            For one class only, more than two labels, labels that need `client_label`, labels
            and scores that were swapped, lengths or pandas indices that differ.
        InputTypeError
            For labels of mixed types or bytes, and whatever `Scores` refuses.

        Examples
        --------
        >>> import betaroc as br
        >>> br.Scores.from_labels([0, 1, 1], [0.2, 0.6, 0.9])
        Scores(client=[0.6, 0.9], impostor=[0.2])
        >>> br.Scores.from_labels(["bona fide", "attack"], [0.8, 0.3], client_label="bona fide")
        Scores(client=[0.8], impostor=[0.3])
        """
        _refuse_other_index(y_true, y_score=y_score, weights=weights, groups=groups, ids=ids)
        return cls._split(
            y_true,
            y_score,
            client_label,
            {"weights": weights, "groups": groups, "ids": ids},
            {"label": "y_true", "score": "y_score", "weights": "weights"},
            {"name": name, "library": library_of(y_score) or library_of(y_true)},
        )

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
    ) -> Scores:
        """Scores from the columns of a frame.

        Tables of what is computed of them are frames of its library: pandas, Polars or pyarrow,
        pandas for any other engine.

        Parameters
        ----------
        frame : frame
            Whatever Narwhals reads: pandas, Polars, pyarrow, DuckDB, Dask; eager or lazy.
            Only the named columns are collected.
        score, label : str
            Column names.
        client_label : object, optional
            As in `from_labels`.
        weight : str, optional
            Column name.
        group, id : str or (str, str), optional
            Column name, or the names of two columns.

        Returns
        -------
        Scores
            Both classes, in the order of the rows.

        Raises
        ------
        InputError
            For a missing column (the present ones and the nearest name are given), missing
            values (their positions), and whatever `from_labels` refuses.
        InputTypeError
            For an object that is no frame, and columns of text.

        Examples
        --------
        >>> import pandas as pd
        >>> import betaroc as br
        >>> frame = pd.DataFrame({"label": [1, 0, 1], "p": [0.7, 0.2, 0.9]})
        >>> br.Scores.from_frame(frame, score="p")
        Scores(client=[0.7, 0.9], impostor=[0.2])
        """
        wanted = {"score": score, "label": label, "weight": weight, "group": group, "id": id}
        given = opened(frame)
        data = frame_columns(given, {k: v for k, v in wanted.items() if v is not None})
        return cls._split(
            data["label"],
            data["score"],
            client_label,
            {"weights": data.get("weight"), "groups": data.get("group"), "ids": data.get("id")},
            {k: f"column {shown(wanted[s])}" for k, s in _COLUMN_OF.items()},
            {"library": given.library},
        )

    @classmethod
    def _split(
        cls,
        labels: npt.ArrayLike,
        scores: npt.ArrayLike,
        client_label: object,
        extras: dict[str, Any],
        called: dict[str, str],
        kept: dict[str, str | None],
    ) -> Scores:
        raw = array_1d(scores, called["score"])
        comparable = raw if raw.dtype.kind in "biuf" else None
        mask = client_mask(labels, client_label, name=called["label"], scores=comparable)
        values = score_array(scores, called["score"])
        if mask.size != values.size:
            raise InputError(
                f"{called['label']} and {called['score']} must have one length; got {mask.size}"
                f" labels and {values.size} scores. Pass both from the same rows."
            )
        parts: dict[str, Any] = dict(kept)
        weights = extras["weights"]
        if weights is not None:
            weights = weights_array(weights, mask.size, called["weights"])
            for who, chosen in (("client", mask), ("impostor", ~mask)):
                if not weights[chosen].any():
                    raise InputError(
                        f"{called['weights']} must have a sum > 0 in both classes; all"
                        f" {int(chosen.sum())} weights of the {who} class are 0, so there are no"
                        f" {who} scores. Give one of them a positive weight."
                    )
                parts[f"{who}_weights"] = weights[chosen]
        for key in ("groups", "ids"):
            if extras[key] is not None:
                given = name_columns(extras[key], mask.size, called.get(key, key))
                parts[f"client_{key}"], parts[f"impostor_{key}"] = given[mask], given[~mask]
        parts |= _dtype_of(raw)
        return cls._checked(client=values[mask], impostor=values[~mask], **parts)

    @classmethod
    def _checked(cls, **content: Any) -> Scores:
        """Scores of values that were checked already."""
        scores = object.__new__(cls)
        absent = {f.name: None if f.default is MISSING else f.default for f in fields(cls)}
        scores.__setstate__(absent | content)
        return scores


_COLUMN_OF = {
    "label": "label", "score": "score", "weights": "weight", "groups": "group", "ids": "id",
}  # fmt: skip


def _dtype_of(*given: Any) -> dict[str, str]:
    """The widest dtype of arrays of floats, where it is not that of anything else."""
    known = [one.dtype for one in given if isinstance(getattr(one, "dtype", None), np.dtype)]
    floats = [one for one in known if one.kind == "f"]
    if len(floats) < len(given):
        return {}
    widest = str(np.result_type(*floats))
    return {"_dtype": widest} if widest in ("float16", "float32") else {}


def _name(name: object) -> str | None:
    if name is not None and not isinstance(name, str):
        raise InputTypeError.about("name")(
            f"name must be text or None; got {shown(name)} of type {type(name).__name__}."
            " Weights, groups and ids are keywords."
        )
    return name


def _total(scores: FloatArray, weights: FloatArray | None) -> float:
    return float(scores.size) if weights is None else float(np.sum(weights))


def _span(who: str, scores: FloatArray) -> str:
    return f"{scores.size} {who} in [{scores.min():.6g}, {scores.max():.6g}]"


def _refuse_labels_as_scores(client: FloatArray, impostor: FloatArray) -> None:
    if client.size != impostor.size:
        return
    labels = [looks_like_labels(client), looks_like_labels(impostor)]
    if sum(labels) != 1:
        return
    who = "client" if labels[0] else "impostor"
    values = sorted(set((client if labels[0] else impostor).tolist()))
    y, s = ("client", "impostor") if labels[0] else ("impostor", "client")
    raise InputError(
        f"client and impostor must be the scores of two classes; {who} holds only {values} and has"
        f" the {client.size} entries of the other, like labels."
        f" Use Scores.from_labels(y_true={y}, y_score={s})."
    )


def _refuse_other_index(y_true: Any, **others: Any) -> None:
    """Two pandas Series whose indices differ are not row by row the same trials."""
    index = _pandas_index(y_true)
    for name, values in others.items():
        other = _pandas_index(values)
        if index is None or other is None or len(index) != len(other) or index.equals(other):
            continue
        at = next(i for i, (a, b) in enumerate(zip(index, other, strict=True)) if a != b)
        raise InputError(
            f"y_true and {name} must have the same pandas index; they differ, first at position"
            f" {at}: {shown(index[at])} and {shown(other[at])}. Align them first (s.loc[y.index])"
            " or pass .to_numpy()."
        )


def _pandas_index(values: Any) -> Any:
    column = as_narwhals(values)
    if column is None:
        return None
    import narwhals as nw

    return nw.maybe_get_index(column)
