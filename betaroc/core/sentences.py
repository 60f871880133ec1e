"""Sentences in which the terms of Python keep their places, so that the command line has its own.

``worded('Use `family="beta"`.')`` is the text without the backticks, and knows where it speaks of
an argument. Only words of the package itself stand between backticks: what users gave is added
with ``+``, which keeps the places.
"""

from __future__ import annotations

import re
from collections.abc import Callable


class Term(str):
    """An argument as Python writes it, with its value where one is meant; or a Python remedy."""

    __slots__ = ()

    def __add__(self, other: str) -> Sentence:
        return Sentence(self, other)

    def __radd__(self, other: str) -> Sentence:
        return Sentence(other, self)

    @property
    def name(self) -> str:
        """What stands before the sign of equality."""
        return self.partition("=")[0]

    @property
    def value(self) -> str:
        """What stands behind it."""
        return self.partition("=")[2]


class Sentence(str):
    """Text that knows which of its parts are terms; everywhere else a ``str`` like any other.

    Parameters
    ----------
    *parts : str
        Text, terms and sentences, in their order.
    """

    __slots__ = ("parts",)
    parts: tuple[str, ...]

    def __new__(cls, *parts: str) -> Sentence:
        self = super().__new__(cls, "".join(parts))
        nested = (part.parts if isinstance(part, Sentence) else (part,) for part in parts)
        self.parts = tuple(part for several in nested for part in several)
        return self

    def __add__(self, other: str) -> Sentence:
        return Sentence(self, other)

    def __radd__(self, other: str) -> Sentence:
        return Sentence(other, self)

    def said(self, words: Callable[[Term], str]) -> Sentence:
        """The same with other words for its terms."""
        return Sentence(*(words(p) if isinstance(p, Term) else p for p in self.parts))

    def replaced(self, old: str, new: str) -> Sentence:
        """The same with ``new`` for ``old`` between the terms."""
        return Sentence(*(p if isinstance(p, Term) else p.replace(old, new) for p in self.parts))

    def renamed(self, old: str, new: str) -> Sentence:
        """The same with ``new`` where ``old`` comes first between the terms."""
        places = (k for k, p in enumerate(self.parts) if old in p and not isinstance(p, Term))
        at = next(places, None)
        told = [p.replace(old, new, 1) if k == at else p for k, p in enumerate(self.parts)]
        return Sentence(*told)


def for_readers(text: str) -> str:
    """Without the sentences that hold a term, which speak to who makes the call."""
    if not isinstance(text, Sentence):
        return text
    told = re.split(r"(?<=[.!?]) ", text.said(lambda _: Term("\0")))
    return " ".join(one for one in told if "\0" not in one)


def worded(text: str) -> Sentence:
    """The text with a term wherever it has something between backticks."""
    pieces = text.split("`")
    return Sentence(*(Term(p) if k % 2 else p for k, p in enumerate(pieces) if p))
