"""What a score file holds: scores, and labels still as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, NoReturn

import numpy as np

from betaroc.core.arrays import AnyArray, BoolArray, FloatArray, IntArray
from betaroc.core.checks import score_array
from betaroc.core.class_words import ClassWords, client_word, words_of
from betaroc.core.containers import with_gaps
from betaroc.core.errors import FileFormatError, InputError, MissingScoreWarning
from betaroc.core.names import stacked
from betaroc.core.notices import warn
from betaroc.core.sentences import Term, worded
from betaroc.core.text import listed, nearest, shown
from betaroc.data.labels import KNOWN_LABELS, PADDED, WORDS, label_key, looks_like_labels


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
            + Term("client_label")
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
            raise FileFormatError(error.sentence) from error

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
