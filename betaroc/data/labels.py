"""Which trials are clients: two labels, of arrays and of files, and the rows that hold them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import CLASSES, AnyArray, BoolArray, FloatArray, IntArray
from betaroc.core.checks import SCORES_OF_LABELS, score_array
from betaroc.core.containers import array_1d, as_narwhals, with_gaps
from betaroc.core.errors import (
    BetarocError,
    FileFormatError,
    InputError,
    InputTypeError,
    MissingScoreWarning,
)
from betaroc.core.names import stacked
from betaroc.core.notices import warn
from betaroc.core.text import listed, nearest, number, shown
from betaroc.core.vocabulary import ClassWords, client_word, worded, words_of

#: The pairs that need no client_label: the larger is the client's.
WORDS = frozenset({"true", "false"})
#: Why two labels are neither one class nor two.
PADDED = (
    "labels must not differ by the blanks around them alone; {} do. Write them alike, such as"
    " without blanks."
)
#: Fewer scores than these may be what they look like.
_ENOUGH = 10
#: What columns are called: a probability of some class, a class that was predicted, the true one.
_PROBABILITY = {"score", "prediction", "prediction_score", "confidence", "probability", "prob"}
_PREDICTED = {
    "predicted", "prediction", "pred", "predict", "y_pred", "predicted_label", "prediction_label",
    "predicted_class", "label",
}  # fmt: skip
_TRUE = {"actual", "truth", "true_label", "y_true", "ground_truth", "gold"}
KNOWN_LABELS = ({0.0, 1.0}, {-1.0, 1.0})


def client_mask(
    labels: npt.ArrayLike,
    client_label: object,
    *,
    name: str = "y_true",
    scores: AnyArray | None = None,
    counts: Sequence[int] | AnyArray | None = None,
) -> BoolArray:
    """True where the label is the client's.

    ``scores`` are only looked at to tell whether the two were swapped. Each label stands for one
    trial, or for as many as ``counts`` says.
    """
    array = array_1d(labels, name)
    if array.dtype.kind == "O":
        array = _one_type(array, name)
    if array.dtype.kind == "S":
        raise InputTypeError.about(name)(
            f"{name} must be text, numbers or booleans; got {array.size} bytes, first"
            f" {shown(array[0])} at 0."
            ' Decode them: np.char.decode(y, "ascii").'
        )
    if array.dtype.kind not in "biufUT":
        raise InputTypeError.about(name)(
            f"{name} must be text, numbers or booleans; got {shown(array[0])} at 0 (dtype"
            f" {array.dtype}, {array.size} values). Pass two labels."
        )
    if array.dtype.kind == "f" and np.isnan(array).any():
        at = np.flatnonzero(np.isnan(array))
        raise InputError.about(name)(
            f"{name} must have no missing label; got {at.size} NaN of {array.size}, first at"
            f" positions {listed(at.tolist())}. Drop these rows first."
        )
    kinds, first, ones = np.unique(array, return_index=True, return_counts=True)
    trials = ones if counts is None else np.bincount(np.searchsorted(kinds, array), counts)
    order = np.argsort(first)
    found = [kinds[i].item() for i in order]
    tally = [int(trials[i]) for i in order]
    where = [int(first[i]) for i in order]
    _refuse_padded(found, name)
    if len(found) > 2:
        _refuse_many(found, tally, where, name, scores)
    client = _client_among(found, tally, client_label, name)
    mask = np.asarray(array == client)
    _refuse_one_class(mask, found, sum(tally), name)
    return mask


def _refuse_padded(found: Sequence[object], name: str) -> None:
    known: dict[str, str] = {}
    for label in found:
        if isinstance(label, str) and known.setdefault(label.strip(), label) != label:
            both = f"{shown(known[label.strip()], 60)} and {shown(label, 60)}"
            raise InputError.about(name)(f"{name}: {PADDED.format(both)}")


def _refuse_one_class(mask: BoolArray, found: Sequence[object], n: int, name: str) -> None:
    """Raise unless both classes occur."""
    if mask.all() or not mask.any():
        missing = "impostor" if mask.any() else "client"
        raise InputError.about(name)(
            f"{name} must name both classes; there are no {missing} scores: all {n} labels are"
            f" {listed(found)}. Add the trials of the other class."
        )


def label_key(token: str) -> object:
    """What a label in a file stands for: its number if it is one, else its text."""
    text = token.strip(" \t")
    try:
        number = float(text)
    except ValueError:
        return text.lower() if text.lower() in WORDS else text
    return number if np.isfinite(number) and text.isascii() and "_" not in text else text


def looks_like_labels(*parts: AnyArray) -> bool:
    """True if both values of {0, 1} or {-1, 1} occur and nothing else."""
    return {float(v) for values in parts for v in few_distinct(values)} in KNOWN_LABELS


def refuse_hard_labels(
    name: str, n: float, *parts: AnyArray, kind: type[BetarocError] = InputError
) -> None:
    """Raise where ten scores or more are all 0 or 1, or all -1 or 1, and both occur."""
    if n >= _ENOUGH and looks_like_labels(*parts):
        low = min(float(values.min()) for values in parts)
        raise kind(
            f"{name} must be scores; got labels, since all {n:.15g} are {low:g} or 1, and between"
            f" two labels no threshold can be chosen. {SCORES_OF_LABELS}"
        )


def refuse_confidence(
    name: str, score: str, label: tuple[str, ...], present: Collection[str], n: float,
    *parts: AnyArray, kind: type[BetarocError] = InputError,
) -> None:  # fmt: skip
    """Raise where the columns, and scores that all lie in [0.5, 1], are of the label predicted."""
    names = {column: str(column).casefold() for column in present if column != score}
    predicted = [column for column, word in names.items() if word in _PREDICTED]
    actual = {*label, *(column for column, word in names.items() if word in _TRUE)}
    if score.casefold() not in _PROBABILITY or not predicted or actual <= {*predicted}:
        return
    if n >= _ENOUGH and all(values.min() >= 0.5 and values.max() <= 1.0 for values in parts):
        column = next((one for one in predicted if one not in label), predicted[0])
        raise kind(
            f"{name} must be the score of the client; beside {shown(column)}, and with all"
            f" {n:.15g} values in [0.5, 1], it reads as the probability of the predicted label."
            f" Where {shown(column)} is not the client's, take 1 - score (of Weka's -distribution,"
            " the client's column); a score of the client needs another name."
        )


def few_distinct(values: AnyArray) -> AnyArray:
    """The distinct values if they are few; three of them tell as much as all."""
    head = np.unique(values[:100])
    return head[:3] if head.size > 2 else np.unique(values)[:3]


def _one_type(array: AnyArray, name: str) -> AnyArray:
    """Objects of one kind (text, numbers or booleans) as an array of that kind."""
    groups: dict[str, tuple[int, object]] = {}
    for index, item in enumerate(array):
        if item is None or type(item).__name__ in {"NAType", "NaTType"}:
            gone = sum(v is None or type(v).__name__ in {"NAType", "NaTType"} for v in array)
            raise InputError.about(name)(
                f"{name} must have no missing label; got {shown(item)} at position {index} ({gone}"
                f" of {array.size} missing). Drop these rows first."
            )
        groups.setdefault(_kind(item, index, name), (index, item))
    if len(groups) > 1:
        parts = ", ".join(f"{shown(v)} ({k}) at {i}" for k, (i, v) in groups.items())
        raise InputTypeError.about(name)(
            f"{name} must hold labels of one type; got mixed types: {parts}."
            " Convert them to one type first."
        )
    return np.array(array.tolist())


def _kind(item: object, index: int, name: str) -> str:
    if isinstance(item, bool | np.bool_):
        return "bool"
    if isinstance(item, int | float | np.integer | np.floating):
        return "number"
    if isinstance(item, str):
        return "text"
    if isinstance(item, bytes):
        raise InputTypeError.about(name)(
            f"{name} must be text, numbers or booleans; got bytes, first {shown(item)} at {index}."
            ' Decode them: [v.decode("ascii") for v in y].'
        )
    raise InputTypeError.about(name)(
        f"{name} must be text, numbers or booleans; got {shown(item)} of type"
        f" {type(item).__name__} at {index}. Pass two labels."
    )


def _refuse_many(
    found: list[Any], tally: list[int], where: list[int], name: str, scores: AnyArray | None
) -> NoReturn:
    n = sum(tally)
    odd = [i for i, v in enumerate(found) if isinstance(v, float) and not v.is_integer()]
    swapped = scores is not None and looks_like_labels(scores)
    if odd or swapped:
        i = odd[0] if odd else 2
        hint = (
            "The scores hold two values: y and scores are swapped."
            if swapped
            else ("Did you swap y and scores? Soft labels must be cut into two classes first.")
        )
        raise InputError.about(name)(
            f"{name} must hold two labels; label {shown(found[i])} at {where[i]} is not one of two"
            f" classes ({len(found)} distinct values in {n}). {hint}"
        )
    parts = ", ".join(f"{shown(v, 24)} (count {c})" for v, c in zip(found[:4], tally, strict=False))
    more = f" and {len(found) - 4} more" if len(found) > 4 else ""
    raise InputError.about(name)(
        f"{name} must hold two labels; got {len(found)}: {parts}{more}. For one against the rest"
        f" pass the booleans y == {shown(found[0], 24)}."
    )


def _client_among(found: list[Any], tally: list[int], client_label: object, name: str) -> object:
    parts = ", ".join(f"{shown(v, 40)} (count {c})" for v, c in zip(found, tally, strict=True))
    if client_label is not None:
        for value in found if np.isscalar(client_label) else ():
            if isinstance(value, str) == isinstance(client_label, str) and value == client_label:
                return value
        raise InputError.about("client_label")(
            f"client_label must be one of the labels; got {shown(client_label)}, but {name} holds"
            f" {parts}. Give one of them, of the same type."
        )
    numbers = set() if isinstance(found[0], str) else {float(v) for v in found}
    if numbers and any(numbers <= known for known in KNOWN_LABELS):
        return type(found[0])(1)
    raise InputError.about(name)(
        f"{name} must be {{0, 1}}, {{False, True}} or {{-1, 1}} unless"
        + worded(" `client_label=` says which label is the client's; got")
        + f" {parts}. Pass"
        + worded(" `client_label=` one of them.")
    )


def refuse_labels_as_scores(client: FloatArray, impostor: FloatArray) -> None:
    """One side that holds labels of the other."""
    if client.size != impostor.size:
        return
    labels = [looks_like_labels(client), looks_like_labels(impostor)]
    if sum(labels) != 1:
        return
    who = "client" if labels[0] else "impostor"
    values = sorted(set((client if labels[0] else impostor).tolist()))
    y, s = CLASSES if labels[0] else ("impostor", "client")
    raise InputError(
        f"client and impostor must be the scores of two classes; {who} holds only {values} and has"
        f" the {client.size} entries of the other, like labels."
        f" Use Scores.from_labels(y_true={y}, y_score={s})."
    )


def refuse_other_index(y_true: Any, **others: Any) -> None:
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


def no_rows(name: str) -> FileFormatError:
    """The error for a file without rows."""
    return FileFormatError(f"{name} must hold scores; it has no rows. Export again.")


#: What to do with trials that have no score.
FAIL, DROP, REJECT = WAYS_OF_MISSING = ("fail", "drop", "reject")
_MISSING_WORDS = {"", "na", "n/a", "nan", "null", "none", "nil", "?", "<na>", "."}
#: Texts that stand for no label; "none" may be a class.
_NO_LABEL = {"na", "n/a", "nan", "null", "<na>"}


def is_missing_word(score: str) -> bool:
    """Whether a text stands for a score that is not there."""
    return score.strip().lstrip("+-").casefold() in _MISSING_WORDS


def scores_or_nan(values: Any, name: str, missing: str) -> FloatArray:
    """Checked scores; a missing one is nan where it may be."""
    if missing == FAIL:
        return score_array(values, name)
    raw, lost = with_gaps(values, name)
    if lost.all():
        raise InputError(f"{name} must hold scores; all {lost.size} are missing. Export again.")
    there = raw[~lost]
    found = np.full(lost.size, np.nan)
    found[~lost] = score_array(there.tolist() if there.dtype.kind == "O" else there, name)
    return found


def account_of(absent: Sequence[int], n: int, missing: str) -> dict[str, int]:
    """What scores keep of the clients and impostors that have none; those dropped are told."""
    if missing == REJECT:
        return dict(zip(("n_client_rejected", "n_impostor_rejected"), absent, strict=True))
    if any(absent):
        warn(
            f"dropped trials without a score: {sum(absent)} ({absent[0]} of clients, {absent[1]} of"
            f" impostors). Every rate is of the {n} others alone;"
            + worded(" with `missing='reject'` they count as rejected."),
            MissingScoreWarning,
        )
    return {}


class Wanted(NamedTuple):
    """The columns of a call: score, label, and those of ``group`` and ``id`` by role.

    Of two labels clients are the rows where both are equal; without any, all rows are alike. A key
    has no scores.
    """

    score: str = "score"
    label: tuple[str, ...] = ("label",)
    names: dict[str, tuple[str, ...]] = {}  # noqa: RUF012 - never written to
    missing: str = FAIL
    scored: bool = True

    @property
    def named(self) -> dict[str, str]:
        """Role of each further column, by its name."""
        return {column: role for role, columns in self.names.items() for column in columns}

    @property
    def roles(self) -> list[tuple[str, str]]:
        """Each column with its role: the score, labels, then the others."""
        score = [(self.score, "score")] if self.scored else []
        return [*score, *((column, "label") for column in self.label), *self.named.items()]

    @property
    def columns(self) -> list[str]:
        """These columns."""
        return [column for column, _ in self.roles]


def as_written(wanted: Wanted, present: Sequence[str]) -> tuple[Wanted, tuple[str, ...]]:
    """Score and label as one column is called but for large and small letters.

    With the options that would say the same.
    """
    roles = [("score", wanted.score)] * wanted.scored + [("label", one) for one in wanted.label]
    found = {asked: written(asked, present) for _, asked in roles}
    label = tuple(found[one] for one in wanted.label)
    other = wanted._replace(score=found.get(wanted.score, wanted.score), label=label)
    stated = [f"score={other.score}"] * (other.score != wanted.score)
    stated += [f"label={','.join(label)}"] * (label != wanted.label)
    return other, tuple(stated)


def written(asked: str, present: Sequence[str]) -> str:
    """What a column is called: otherwise in large and small letters, or by a common name."""
    if asked in present:
        return asked
    alike = [name for name in present if name.casefold() == asked.casefold()]
    alike = alike or [name for name in _CALLED.get(asked, ()) if name in present]
    return alike[0] if len(alike) == 1 else asked


#: What other programs call the columns.
_CALLED = {"score": ("scores", "y_score"), "label": ("labels", "y_true")}


def missing_column(name: str, role: str, column: str, present: list[str]) -> FileFormatError:
    """The error for a column that the header lacks."""
    with suppress(ValueError):
        if len(present) == 1 and math.isfinite(number(present[0])):
            return FileFormatError(
                f"{name} must have scores and labels; it is one column of numbers. "
                + worded("Name the files of both classes by `client_file=...` and"
                         " `impostor_file=...`, or that of the labels by `key=...`.")
            )  # fmt: skip
    return FileFormatError(
        f"{name} must have a column {shown(column, 40)}; there are {listed(present)}."
        f" {nearest(column, present)}Pass "
        + worded(f"`{role}=... (--{role})`." if role in {"score", "label"} else f"`{role}=...`")
    )


@dataclass
class LabelTexts:
    """The texts of a file's labels, and in which line or row each first occurs."""

    name: str
    unit: str
    tokens: list[str]
    first: list[int]
    #: The label that was taken for the client's by its word alone.
    guessed: str | None = field(default=None, init=False)
    #: The two columns that are equal where a row is a client's, instead of labels.
    identities: tuple[str, ...] = field(default=(), init=False)

    @property
    def counts(self) -> IntArray:
        """How often each text occurs."""
        raise NotImplementedError

    def _are_scores_labels(self) -> bool:
        """Whether the scores look like labels."""
        raise NotImplementedError

    def clients(self, client_label: object) -> BoolArray:
        """Which texts are the clients'."""
        for token, first in zip(self.tokens, self.first, strict=True):
            if token.strip().casefold() in _NO_LABEL:
                raise FileFormatError(
                    f"{self.name}, {self.unit} {first}: the label must not be missing; got"
                    f" {shown(token)}. Give it, or remove the {self.unit}."
                )
        keys = [label_key(token) for token in self.tokens]
        self._refuse_padded(keys)
        kinds = list(dict.fromkeys(keys))
        if len(kinds) > 2:
            self._refuse_many(kinds, keys)
        client = self._client(kinds, keys, client_label)
        mask = np.array([key == client for key in keys])
        if mask.all() or not mask.any():
            self._refuse_one_class("impostor" if mask.any() else "client")
        return mask

    def _refuse_padded(self, keys: list[object]) -> None:
        """Raise where texts differ by the blanks around them alone, as arrays of them do."""
        known: dict[object, int] = {}
        for at, key in enumerate(keys):
            before = known.setdefault(key, at)
            if before != at and isinstance(key, str) and key not in WORDS:
                one, other = (f"{shown(self.tokens[k], 60)} ({self.unit} {self.first[k]})"
                              for k in (before, at))  # fmt: skip
                raise FileFormatError(f"{self.name}: " + PADDED.format(f"{one} and {other}"))

    def _client(self, kinds: list[object], keys: list[object], client_label: object) -> object:
        if client_label is None:
            numbers = {k for k in kinds if isinstance(k, float)}
            if any(numbers <= known for known in KNOWN_LABELS) and len(numbers) == len(kinds):
                return 1.0
            if set(kinds) <= WORDS:
                return "true"
            texts = [kind for kind in kinds if isinstance(kind, str)]
            self.guessed = client_word(texts) if len(texts) == len(kinds) == 2 else None
            if self.guessed is not None:
                return self.guessed
            raise FileFormatError(
                f"{self.name}: labels must be {{0, 1}}, {{-1, 1}} or true/false unless"
                + worded(" `client_label= (--client-label)` says which is the client's; got")
                + f" {self._tally(kinds, keys)}. Pass one of them."
            )
        wanted: object = None
        if isinstance(client_label, str | int | float | np.generic):
            with suppress(ValueError):  # of thousands of digits
                wanted = label_key(str(client_label))
        if wanted in kinds:
            return wanted
        raise FileFormatError.about("client_label")(
            f"{self.name}: "
            + worded("`client_label`")
            + f" must be one of the labels; got {shown(client_label)}, the"
            f" file holds {self._tally(kinds, keys)}."
            f" {nearest(client_label, [str(k) for k in kinds])}".rstrip()
        )

    def _tally(self, kinds: list[object], keys: list[object]) -> str:
        parts = []
        for kind in kinds[:4]:
            total = sum(int(c) for c, key in zip(self.counts, keys, strict=True) if key == kind)
            token = self.tokens[keys.index(kind)]
            first = f"{self.unit} {self.first[keys.index(kind)]}"
            parts.append(f"{shown(token, 24)} (count {total}, first in {first})")
        more = f" and {len(kinds) - 4} more" if len(kinds) > 4 else ""
        return ", ".join(parts) + more

    def _refuse_many(self, kinds: list[object], keys: list[object]) -> NoReturn:
        odd = any(isinstance(k, float) and not k.is_integer() for k in kinds)
        hint = (
            "Are the score and the label column swapped?"
            if odd or self._are_scores_labels()
            else ("Keep the rows of two labels, or recode one against the rest.")
        )
        raise FileFormatError(
            f"{self.name}: labels must be of two kinds; got {len(kinds)}:"
            f" {self._tally(kinds, keys)}. {hint}"
        )

    def _refuse_one_class(self, missing: str) -> NoReturn:
        said = f"all {self.counts.sum()} labels are {listed(self.tokens)}"
        if self.identities:
            rows = "no row has" if missing == "client" else "all rows have"
            said = f"{rows} one identity in {' and '.join(map(shown, self.identities))}"
        raise FileFormatError(
            f"{self.name} must hold both classes; there are no {missing} scores: {said}. Add the"
            " other class's trials."
        )


@dataclass
class Rows(LabelTexts):
    """Scores of a file, or of a part of it, in order and, for each, the code of its label's text.

    ``first`` holds, for each text, the line or row where it first occurs; ``names`` the
    further columns that were asked for, by name. The codes of a part are those of the whole file.
    """

    scores: AnyArray
    codes: IntArray
    names: dict[str, AnyArray] = field(default_factory=dict)
    missing: str = FAIL

    @property
    def counts(self) -> IntArray:
        """How often each text of a label occurs."""
        return np.bincount(self.codes, minlength=len(self.tokens))

    def _are_scores_labels(self) -> bool:
        return looks_like_labels(self.scores)

    def split(self, client_label: object) -> tuple[FloatArray, BoolArray]:
        """The scores, and which are clients; a missing one is nan where it may be."""
        if not self.codes.size:
            raise no_rows(self.name)
        values = self.values()
        client = np.flatnonzero(self.clients(client_label))
        return values, np.logical_or.reduce([self.codes == code for code in client])

    def values(self) -> FloatArray:
        """The scores as doubles, checked."""
        try:
            return scores_or_nan(self.scores, f"{self.name}, scores", self.missing)
        except InputError as error:
            raise FileFormatError(error.template) from error

    def words(self, client: BoolArray) -> ClassWords | None:
        """The words of both classes, where their labels are some."""
        codes = (self.codes[int(np.argmax(own))] for own in (client, ~client))
        keys = [label_key(self.tokens[code]) for code in codes]
        return None if set(keys) <= WORDS else words_of(*keys)

    def joined(self, role: str, columns: tuple[str, ...]) -> AnyArray:
        """One or two columns of names."""
        return stacked([self.names[c] for c in columns], f"{role} of {self.name}")


def whole(parts: Iterable[Rows]) -> Rows:
    """The rows of all parts of a file, of which there is one at least."""
    given = list(parts)
    last = given[-1]
    if len(given) == 1:
        return last
    names = {c: np.concatenate([p.names[c] for p in given if p.codes.size]) for c in last.names}
    scores, codes = (np.concatenate([getattr(p, k) for p in given]) for k in ("scores", "codes"))
    return replace(last, scores=scores, codes=codes, names=names)
