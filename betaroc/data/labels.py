"""Labels of arrays and of files: which trials are clients, and the rows that hold them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.core import containers, errors, notices, vocabulary
from betaroc.core.arrays import CLASSES, AnyArray, BoolArray, FloatArray, IntArray
from betaroc.core.checks import SCORES_OF_LABELS, score_array
from betaroc.core.names import stacked
from betaroc.core.text import did_you_mean, format_list, format_value, typed
from betaroc.data.sums import is_missing

#: What to do with trials that have no score.
FAIL, DROP, REJECT = WAYS_OF_MISSING = ("fail", "drop", "reject")
#: The pairs that need no client_label: the larger is the client's.
KNOWN_LABELS = ({0.0, 1.0}, {-1.0, 1.0})
_TRUTHS = frozenset({"true", "false"})
#: Texts of a score that is not there; of a label, where "none" may be a class.
_NO_SCORE = {"", "na", "n/a", "nan", "null", "none", "nil", "?", "<na>", "."}
_NO_LABEL = {"na", "n/a", "nan", "null", "<na>"}
#: What other programs call the columns.
_CALLED = {"score": ("scores", "y_score"), "label": ("labels", "y_true")}
#: Identities in the header of bob.bio: of the reference and of the probe.
_BOB_BIO = ("bio_ref_subject_id", "probe_subject_id")
#: Fewer scores than these may be what they look like.
_ENOUGH = 10
#: What columns are called: a probability of some class, a class that was predicted, the true one.
_PROBABILITY = {"score", "prediction", "prediction_score", "confidence", "probability", "prob"}
_PREDICTED = {
    "predicted", "prediction", "pred", "predict", "y_pred", "predicted_label", "prediction_label",
    "predicted_class", "label",
}  # fmt: skip
_TRUE = {"actual", "truth", "true_label", "y_true", "ground_truth", "gold"}
#: Types of labels, and their words.
_TYPES: tuple[tuple[Any, str], ...] = (
    (bool | np.bool_, "bool"), (int | float | np.number, "number"), (str, "text"),
)  # fmt: skip


#: Whether the trials that are read may be of one class.
is_one_enough: ContextVar[bool] = ContextVar("betaroc one class", default=False)


def of_one_class(make: Callable[[], Any]) -> Any:
    """What makes scores may here make them of one class, for what counts that class alone."""
    context = copy_context()
    context.run(is_one_enough.set, True)
    return context.run(make)


# ------------------------------------------------------------------------------ two labels
def client_mask(
    labels: npt.ArrayLike, client_label: object, *, name: str = "y_true",
    scores: AnyArray | None = None, counts: Sequence[int] | AnyArray | None = None,
    several: bool = False,
) -> BoolArray:  # fmt: skip
    """True where the label is the client's; each stands for as many trials as ``counts`` says."""
    array = _label_array(labels, name)
    kinds, first, codes = np.unique(array, return_index=True, return_inverse=True)
    trials = np.bincount(codes, counts).astype(np.int64)
    order = np.argsort(first)
    swapped = kinds.size > 2 and scores is not None and looks_like_labels(scores)
    clients, _ = choose_client(
        kinds[order].tolist(), trials[order], client_label, name, swapped=swapped, several=several
    )
    mask = np.zeros(kinds.size, dtype=bool)
    mask[order] = clients
    return mask[codes]


def _label_array(labels: npt.ArrayLike, name: str) -> AnyArray:
    array = containers.array_1d(labels, name)
    mixed = array.dtype.kind == "O"
    lost = np.array([is_missing(v) for v in array]) if mixed else array != array
    if lost.any():
        at = np.flatnonzero(lost)
        actual = (
            f"{at.size} of {array.size} missing (None or NaN), first at {format_list(at.tolist())}"
        )
        raise errors.refusal(name, "have no missing label", actual, "Drop these rows first.")
    result: dict[str, str] = {}
    for index, item in enumerate(array if mixed else array[:1]):
        word = next((word for types, word in _TYPES if isinstance(item, types)), None)
        if word is None or np.iscomplexobj(item):
            decode = 'Decode them: np.char.decode(y, "ascii").'
            remedy = decode if isinstance(item, bytes) else "Pass two labels."
            rule, actual = "be text, numbers or booleans", f"{typed(item)} at {index}"
            raise errors.refusal(name, rule, actual, remedy, errors.InputTypeError)
        result.setdefault(word, f"{format_value(item)} ({word}) at {index}")
    if len(result) > 1:
        actual = f"mixed types: {', '.join(result.values())}"
        remedy = "Convert them to one type first."
        raise errors.refusal(name, "hold labels of one type", actual, remedy, errors.InputTypeError)
    return np.array(array.tolist()) if mixed else array


def label_key(token: str) -> object:
    """The number of a label in a file, if it is one, else its text."""
    text = token.strip(" \t")
    try:
        number = float(text)
    except ValueError:
        return text.lower() if text.lower() in _TRUTHS else text
    return number if np.isfinite(number) and text.isascii() and "_" not in text else text


def choose_client(
    labels: Sequence[Any], counts: Sequence[int] | AnyArray, client_label: object, name: str,
    *, places: Sequence[str] | None = None, swapped: bool = False, several: bool = False,
    identities: Sequence[str] = (),
) -> tuple[BoolArray, str | None]:  # fmt: skip
    """Which of some labels are the client's, and the one that was guessed.

    ``labels`` of a file are texts with the ``places`` where each first occurs. ``swapped``: the
    scores look like labels; ``several``: one may stand against the rest; ``identities``: two
    columns that are equal where a row is a client's.
    """
    in_file = places is not None
    error: Any = errors.FileFormatError if in_file else errors.InputError
    about = error if in_file else error.about(name)
    noun = f"{name}: labels" if in_file else name
    keys = [label_key(v) if in_file else v for v in labels]
    _check_unlike(labels, keys, places, about, noun)
    kinds = list(dict.fromkeys(keys))

    def tally() -> str:
        parts = []
        for kind in kinds[:4]:
            n = sum(int(c) for c, key in zip(counts, keys, strict=True) if key == kind)
            at = keys.index(kind)
            place = f", first in {places[at]}" if places else ""
            parts.append(f"{format_value(labels[at], 24)} (count {n}{place})")
        return ", ".join(parts) + (f" and {len(kinds) - 4} more" if len(kinds) > 4 else "")

    odd = swapped or any(isinstance(k, float) and not k.is_integer() for k in kinds)
    if len(kinds) > 2 and (odd or client_label is None or not several):
        do = "Keep the rows of two labels, or name the client's" + vocabulary.worded(
            " (`client_label= (--client-label)`): of Scores the others are strata of impostors."
        )
        if odd:
            do = "Are the scores and the labels swapped?"
        raise about(f"{name} must hold two labels; got {len(kinds)}: {tally()}. {do}")
    client, guessed = _client_kind(kinds, client_label, in_file)
    if client is None and client_label is None:
        known = "{0, 1}, {-1, 1} or true/false" if in_file else "{0, 1}, {False, True} or {-1, 1}"
        raise about(
            f"{noun} must be {known} unless"
            + vocabulary.worded(" `client_label= (--client-label)` says which is the client's; got")
            + f" {tally()}. Pass one of them."
        )
    alone = is_one_enough.get() and len(kinds) == 1
    if client is None and not alone:
        raise error.about("client_label")(
            vocabulary.worded("`client_label` must be one of the labels; got")
            + f" {format_value(client_label)}, but {name} holds {tally()}."
            f" {did_you_mean(client_label, [str(k) for k in kinds])}Give one of the same type."
        )
    mask = np.array([key == client for key in keys])
    if (mask.all() or not mask.any()) and not alone:
        missing = "impostor" if mask.any() else "client"
        value = f"all {sum(counts)} labels are {format_list(labels)}"
        if identities:
            rows = "no row has" if missing == "client" else "all rows have"
            value = f"{rows} one identity in {' and '.join(map(format_value, identities))}"
        raise about(
            f"{name} must hold both classes; there are no {missing} scores: {value}. Add some."
        )
    return mask, guessed


def _check_unlike(
    labels: Sequence[Any], keys: list[Any], places: Sequence[str] | None, about: Any, noun: str
) -> None:
    known: dict[str, str] = {}
    for at, (label, key) in enumerate(zip(labels, keys, strict=True)):
        if not isinstance(label, str):
            continue
        text = label.strip()
        if places and text.casefold() in _NO_LABEL:
            raise about(
                f"{noun} must not be missing; {places[at]} has {format_value(label)}. Give it."
            )
        first = known.setdefault(text, label)
        if first != label and (places is None or (isinstance(key, str) and key not in _TRUTHS)):
            where = f" in {places[at]}" if places else ""
            raise about(
                f"{noun} must not differ by blanks around them alone; {format_value(first)} and"
                f" {format_value(label)}{where} do. Write them alike."
            )


def _client_kind(kinds: list[Any], client_label: object, in_file: bool) -> tuple[Any, str | None]:
    if client_label is not None:
        if in_file:
            with suppress(ValueError):  # of thousands of digits
                client_label = label_key(str(client_label))
        for kind in kinds if np.isscalar(client_label) else ():
            if isinstance(kind, str) == isinstance(client_label, str) and kind == client_label:
                return kind, None
        return None, None
    texts = [kind for kind in kinds if isinstance(kind, str)]
    if not texts and any({float(k) for k in kinds} <= known for known in KNOWN_LABELS):
        return 1, None
    if not in_file or len(texts) < len(kinds):
        return None, None
    if set(texts) <= _TRUTHS:
        return "true", None
    guessed = vocabulary.client_word(texts) if len(texts) == 2 else None
    return guessed, guessed


# ------------------------------------------------------------------------------- strata
def strata_of(columns: Sequence[AnyArray], is_client: BoolArray) -> AnyArray:
    """The stratum of each row: of one column, or of the client's and the impostor's.

    Where both columns share names, an impostor's is the pair of the persons who are claimed and
    who claim, such as "F-M".
    """
    if len(columns) == 1:
        return columns[0]
    first, last = (column.astype(str) for column in columns)
    if {*np.unique(first)} & {*np.unique(last)} - {""}:
        pairs = np.char.add(np.char.add(first, "-"), last)
        last = np.where((first == "") | (last == ""), "", pairs)
    return np.where(is_client, first, last)


def check_named_strata(who: str, unnamed: int, n: int, error: Any) -> None:
    """All trials of a class have strata, or none."""
    if 0 < unnamed < n:
        rule, actual = f"be named for every {who} trial, or for none", f"{unnamed} of {n} without"
        raise errors.refusal("strata", rule, actual, "Name them.", error)


# --------------------------------------------------------------- what is no score of a client
def few_distinct(values: AnyArray) -> AnyArray:
    """The distinct values if they are few; three of them tell as much as all."""
    head = np.unique(values[:100])
    return head[:3] if head.size > 2 else np.unique(values)[:3]


def looks_like_labels(*parts: AnyArray) -> bool:
    """True if both values of {0, 1} or {-1, 1} occur and nothing else."""
    return {float(v) for values in parts for v in few_distinct(values)} in KNOWN_LABELS


def check_hard_labels(
    name: str, n: float, *parts: AnyArray, kind: type[errors.BetarocError] = errors.InputError
) -> None:
    """Raise where ten scores or more are all 0 or 1, or all -1 or 1, and both occur."""
    if n >= _ENOUGH and looks_like_labels(*parts):
        low = float(np.concatenate(parts).min())
        raise kind(
            f"{name} must be scores; got labels, since all {n:.15g} are {low:g} or 1, and between"
            f" two labels no threshold can be chosen. {SCORES_OF_LABELS}"
        )


def check_confidence(
    name: str, score: str, label: tuple[str, ...], present: Collection[str], n: float,
    *parts: AnyArray, kind: type[errors.BetarocError] = errors.InputError,
) -> None:  # fmt: skip
    """Raise where scores in [0.5, 1] are, by their columns, of the label predicted."""
    names = {column: str(column).casefold() for column in present if column != score}
    predicted = [column for column, word in names.items() if word in _PREDICTED]
    actual = {*label, *(column for column, word in names.items() if word in _TRUE)}
    if score.casefold() not in _PROBABILITY or not predicted or actual <= {*predicted}:
        return
    if n >= _ENOUGH and all(values.min() >= 0.5 and values.max() <= 1.0 for values in parts):
        raise kind(
            f"{name} must be the score of the client; beside {format_value(predicted[0])}, and with"
            f" all {n:.15g} values in [0.5, 1], it reads as the probability of the predicted label."
            " Where that is not the client's, take 1 - score; else rename the column."
        )


def check_labels_as_scores(client: FloatArray, impostor: FloatArray) -> None:
    """Raise where one side holds labels of the other."""
    labels = [looks_like_labels(client), looks_like_labels(impostor)]
    if client.size != impostor.size or sum(labels) != 1:
        return
    y, s = CLASSES if labels[0] else ("impostor", "client")

    raise errors.InputError(
        f"client and impostor must be the scores of two classes; {y} holds only labels, for the"
        f" {client.size} entries of the other. Use Scores.from_labels(y_true={y}, y_score={s})."
    )


def check_other_index(y_true: Any, **others: Any) -> None:
    """Refuse pandas Series whose indices differ."""
    index: Any = getattr(y_true, "index", None)
    for name, values in others.items():
        other: Any = getattr(values, "index", None)
        indexed = hasattr(index, "equals") and hasattr(other, "equals")
        if not indexed or len(index) != len(other) or index.equals(other):
            continue

        raise errors.InputError(
            f"y_true and {name} must have the same pandas index; they differ. Align them"
            " (s.loc[y.index]) or pass .to_numpy()."
        )


# ------------------------------------------------------------------------- without a score
def is_missing_word(score: str) -> bool:
    """Whether a text stands for a score that is not there."""
    return score.strip().lstrip("+-").casefold() in _NO_SCORE


def scores_or_nan(values: Any, name: str, missing: str) -> FloatArray:
    """Checked scores; a missing one is nan where it may be."""
    if missing == FAIL:
        return score_array(values, name)
    raw, lost = containers.with_gaps(values, name)
    if lost.all():
        raise errors.InputError(f"{name} must hold scores; all {lost.size} are missing. Add some.")
    present = raw[~lost]
    result = np.full(lost.size, np.nan)
    result[~lost] = score_array(present.tolist() if present.dtype.kind == "O" else present, name)
    return result


def missing_counts(absent: Sequence[int], n: int, missing: str) -> dict[str, int]:
    """What scores keep of trials that have none; of those dropped it is warned."""
    if missing == REJECT:
        return dict(zip(("n_client_rejected", "n_impostor_rejected"), absent, strict=True))
    if any(absent):
        notices.warn(
            f"dropped trials without a score: {sum(absent)} ({absent[0]} of {vocabulary.CLIENTS},"
            f" {absent[1]} of {vocabulary.IMPOSTORS}). Every rate is of the {n} others alone;"
            + vocabulary.worded(" with `missing='reject'` they count as rejected."),
            errors.MissingScoreWarning,
        )
    return {}


# ------------------------------------------------------------------------ columns of a file
class ColumnSpec(NamedTuple):
    """The columns of a call: score, label, and others by role.

    Of two labels clients are the rows where both are equal; without any, all rows are alike.
    """

    score: str | None = "score"
    label: tuple[str, ...] = ("label",)
    names: dict[str, tuple[str, ...]] = {}  # noqa: RUF012 - never written to
    missing: str = FAIL

    @property
    def named(self) -> list[str]:
        """The columns of groups and ids."""
        return list(dict.fromkeys(c for columns in self.names.values() for c in columns))

    @property
    def optional(self) -> set[str]:
        """The columns in which an entry may be empty: those of strata alone."""
        roles = [{*columns} for role, columns in self.names.items() if role != "stratum"]
        return {*self.names.get("stratum", ())}.difference(*roles, self.label)

    @property
    def roles(self) -> list[tuple[str, str]]:
        """Each column with its role: the score, labels, then the others."""
        roles = {column: role for role, columns in self.names.items() for column in columns}
        score = [] if self.score is None else [(self.score, "score")]
        return [*score, *((column, "label") for column in self.label), *roles.items()]

    @property
    def columns(self) -> list[str]:
        return [column for column, _ in self.roles]


def _written(asked: str, present: Collection[str]) -> str:
    """The column so called but for large letters, or by a common name."""
    if asked in present:
        return asked
    alike = [name for name in present if name.casefold() == asked.casefold()]
    alike = alike or [name for name in _CALLED.get(asked, ()) if name in present]
    return alike[0] if len(alike) == 1 else asked


def as_written(wanted: ColumnSpec, present: Collection[str]) -> tuple[ColumnSpec, tuple[str, ...]]:
    """The columns as a file calls them, with the options that would say the same."""
    score = None if wanted.score is None else _written(wanted.score, present)
    label = tuple(_written(column, present) for column in wanted.label)
    names = {r: tuple(_written(c, present) for c in columns) for r, columns in wanted.names.items()}
    if label == ("label",) and "label" not in present and {*_BOB_BIO} <= {*present}:
        label = _BOB_BIO
    stated = [f"score={score}"] * (score != wanted.score)
    stated += [f"label={','.join(label)}"] * (label != wanted.label)
    stated += [f"{r}={','.join(c)}" for r, c in names.items() if c != wanted.names[r]]
    return wanted._replace(score=score, label=label, names=names), tuple(stated)


def column_places(name: str, present: list[str], wanted: ColumnSpec) -> list[int]:
    """Where the wanted columns stand, each of which must stand once."""
    for column, role in wanted.roles:
        if column not in present:
            raise missing_column(name, role, column, present)
        if present.count(column) > 1:
            raise errors.FileFormatError(
                f"{name} must have distinct columns; {format_value(column)} occurs"
                f" {present.count(column)} times. Rename one of them."
            )
    return [present.index(column) for column in wanted.columns]


def missing_column(name: str, role: str, column: str, present: list[str]) -> errors.FileFormatError:
    """The error for a column that the header lacks."""
    remedy = f"{did_you_mean(column, present)}Pass `{role}=...`"
    if len(present) == 1:
        remedy += ", a file for each class by `client_file=` and `impostor_file=`, or `key=`"
    return errors.FileFormatError(
        f"{name} must have a column {format_value(column, 40)}; there are {format_list(present)}. "
        + vocabulary.worded(remedy)
    )


# --------------------------------------------------------------------------- rows of a file
class LabelTexts:
    """Each text of a label once, with its code and the place where it first occurs."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.first: list[int] = []

    def code(self, text: str, place: int) -> int:
        """The code of a text that is found there."""
        if text not in self.known:
            self.first.append(place)
        return self.known.setdefault(text, len(self.known))

    def coded(
        self, columns: Sequence[tuple[IntArray, Sequence[str]]], n: int, start: int
    ) -> IntArray:
        """Codes of `n` rows by a column, or by whether two are equal; else all are alike."""
        codes, kinds = columns[0] if columns else (np.zeros(n, dtype=np.int8), ["1"])
        if len(columns) == 2:
            first, second = (np.array(own, dtype=object)[which] for which, own in columns)
            codes, kinds = (first == second).astype(np.int8), ["0", "1"]
        if any(kind not in self.known for kind in kinds):
            for place in np.sort(np.unique(codes, return_index=True)[1]).tolist():
                self.code(kinds[codes[place]], start + place)
        small: Any = np.int8 if len(self.known) < 128 else np.int64
        return np.array([self.known.get(kind, -1) for kind in kinds], small)[codes]


@dataclass
class Rows:
    """Scores of a file or a part of it, each with the code of its label's text."""

    name: str
    unit: str
    labels: LabelTexts
    scores: AnyArray
    codes: IntArray
    wanted: ColumnSpec
    names: dict[str, AnyArray] = field(default_factory=dict)
    start: int = 0

    @property
    def tokens(self) -> list[str]:
        """The texts of labels that are known by now, by their codes."""
        return [*self.labels.known]

    def check_some(self) -> None:
        """Raise if there are none."""
        if not self.codes.size:
            raise errors.FileFormatError(f"{self.name} must hold scores; it has no rows. Add some.")

    def values(self) -> FloatArray:
        """The scores, checked; nan where they are missing and may be."""
        where = f" from row {self.start}" if self.start else ""
        try:
            return scores_or_nan(self.scores, f"{self.name}, scores{where}", self.wanted.missing)
        except errors.InputError as error:
            raise errors.FileFormatError(error.template) from error

    def clients(
        self, client_label: object, counts: IntArray, *, swapped: bool, several: bool = False
    ) -> tuple[BoolArray, str | None]:
        """Which texts are the clients', of so many rows each, and the one that was guessed."""
        label = self.wanted.label
        return choose_client(
            self.tokens, counts, client_label, self.name,
            places=[f"{self.unit} {k}" for k in self.labels.first], swapped=swapped,
            several=several,
            identities=label if len(label) == 2 else (),
        )  # fmt: skip

    def split(self, client_label: object) -> tuple[FloatArray, BoolArray, BoolArray, str | None]:
        """Scores, which rows and which texts are clients', and the text that was guessed."""
        self.check_some()
        values, counts = self.values(), np.bincount(self.codes, minlength=len(self.tokens))
        swapped = len(self.tokens) > 2 and looks_like_labels(values)
        mask, guessed = self.clients(client_label, counts, swapped=swapped, several=True)
        return values, mask[self.codes], mask, guessed

    def words(self, client: BoolArray) -> vocabulary.ClassWords | None:
        """What the classes are called, where these are words."""
        codes = (self.codes[int(np.argmax(own))] for own in (client, ~client))
        keys = [label_key(self.tokens[code]) for code in codes]
        return None if set(keys) <= _TRUTHS else vocabulary.words_of(*keys)

    def strata(self, clients: BoolArray) -> AnyArray | None:
        """The stratum of each row: of a column, or of two by class, else one of several labels."""
        columns = [self.names[c] for c in self.wanted.names.get("stratum", ())]
        if columns:
            return strata_of(columns, clients[self.codes])
        tokens = self.tokens
        others = {label_key(t) for t, mine in zip(tokens, clients, strict=True) if not mine}
        named = np.where(clients, "", np.array(tokens))
        return named[self.codes] if len(others) > 1 else None

    def joined(self) -> dict[str, AnyArray]:
        """The groups and ids, of one or two columns each."""
        return {
            f"{role}s": stacked([self.names[c] for c in columns], f"{role} of {self.name}")
            for role, columns in self.wanted.names.items()
            if role != "stratum"
        }


def whole(parts: Iterable[Rows]) -> Rows:
    """The rows of all parts of a file, of which there is one at least."""
    value = list(parts)
    last = value[-1]
    if len(value) == 1:
        return last
    names = {c: np.concatenate([p.names[c] for p in value if p.codes.size]) for c in last.names}
    scores, codes = (np.concatenate([getattr(p, k) for p in value]) for k in ("scores", "codes"))
    return replace(last, scores=scores, codes=codes, names=names, start=0)
