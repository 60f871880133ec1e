"""What a score file holds: scores, and labels still as text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

import numpy as np

from betaroc.core.arrays import AnyArray, BoolArray, FloatArray, IntArray
from betaroc.core.checks import score_array
from betaroc.core.errors import FileFormatError, InputError
from betaroc.core.sentences import Term, worded
from betaroc.core.text import listed, nearest, shown
from betaroc.data.labels import KNOWN_LABELS, WORDS, label_key, looks_like_labels
from betaroc.data.names import stacked


class Wanted(NamedTuple):
    """The columns of a call: score, label, and those of ``group`` and ``id`` by role."""

    score: str = "score"
    label: str = "label"
    names: dict[str, tuple[str, ...]] = {}  # noqa: RUF012 - never written to

    @property
    def named(self) -> dict[str, str]:
        """Role of each further column, by its name."""
        return {column: role for role, columns in self.names.items() for column in columns}


def missing_column(name: str, role: str, column: str, present: list[str]) -> FileFormatError:
    """The error for a column that the header lacks."""
    return FileFormatError(
        f"{name} must have a column {shown(column, 40)}; there are {listed(present)}."
        f" {nearest(column, present)}Pass "
        + worded(f"`{role}=... (--{role})`." if role in {"score", "label"} else f"`{role}=...`")
    )


@dataclass
class Rows:
    """Scores of a file in its order and, for each, the code of its label's text.

    ``first`` holds, for each text, the line or row where it first occurs; ``names`` the
    further columns that were asked for, by name.
    """

    name: str
    unit: str
    scores: AnyArray
    codes: IntArray
    tokens: list[str]
    first: list[int]
    names: dict[str, AnyArray] = field(default_factory=dict)

    def split(self, client_label: object) -> tuple[FloatArray, BoolArray]:
        """The scores, and which are clients."""
        if not self.codes.size:
            raise FileFormatError(f"{self.name} must hold scores; it has no rows. Export again.")
        try:
            values = score_array(self.scores, f"{self.name}, scores")
        except InputError as error:
            raise FileFormatError(error.sentence) from error
        keys = [label_key(token) for token in self.tokens]
        kinds = list(dict.fromkeys(keys))
        if len(kinds) > 2:
            self._refuse_many(kinds, keys)
        client = self._client(kinds, keys, client_label)
        is_client = np.array([key == client for key in keys])[self.codes]
        if is_client.all() or not is_client.any():
            self._refuse_one_class("impostor" if is_client.any() else "client", kinds)
        return values, is_client

    def joined(self, role: str, columns: tuple[str, ...]) -> AnyArray:
        """One or two columns of names."""
        return stacked([self.names[c] for c in columns], f"{role} of {self.name}")

    def _client(self, kinds: list[object], keys: list[object], client_label: object) -> object:
        if client_label is None:
            numbers = {k for k in kinds if isinstance(k, float)}
            if any(numbers <= known for known in KNOWN_LABELS) and len(numbers) == len(kinds):
                return 1.0
            if set(kinds) <= WORDS:
                return "true"
            raise FileFormatError(
                f"{self.name}: labels must be {{0, 1}}, {{-1, 1}} or true/false unless"
                + worded(" `client_label= (--client-label)` says which is the client's; got")
                + f" {self._tally(kinds, keys)}. Pass one of them."
            )
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
        counts = np.bincount(self.codes, minlength=len(keys))
        parts = []
        for kind in kinds[:4]:
            total = sum(int(c) for c, key in zip(counts, keys, strict=True) if key == kind)
            token = self.tokens[keys.index(kind)]
            first = f"{self.unit} {self.first[keys.index(kind)]}"
            parts.append(f"{shown(token, 24)} (count {total}, first in {first})")
        more = f" and {len(kinds) - 4} more" if len(kinds) > 4 else ""
        return ", ".join(parts) + more

    def _refuse_many(self, kinds: list[object], keys: list[object]) -> NoReturn:
        odd = any(isinstance(k, float) and not k.is_integer() for k in kinds)
        binary = looks_like_labels(self.scores)
        hint = (
            "Are the score and the label column swapped?"
            if odd or binary
            else ("Keep the rows of two labels, or recode one against the rest.")
        )
        raise FileFormatError(
            f"{self.name}: labels must be of two kinds; got {len(kinds)}:"
            f" {self._tally(kinds, keys)}. {hint}"
        )

    def _refuse_one_class(self, missing: str, kinds: list[object]) -> NoReturn:
        raise FileFormatError(
            f"{self.name} must hold both classes; there are no {missing} scores: all"
            f" {self.codes.size} labels are {listed(self.tokens)}. Add the other class's trials."
        )
