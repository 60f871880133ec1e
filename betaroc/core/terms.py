"""The words of the user's field for the rates: biometric, matching, pad, ml.

The package speaks of FAR, FRR, TPR, TNR, HTER and EER. A reader of another field knows the same
numbers by other names: :meth:`Terms.said` puts them into what is read, and :func:`known` takes
them where a number is named. Attributes, columns and keys of JSON keep one name each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypedDict

from betaroc.core import checks
from betaroc.core.text import SYNONYMS, respelled

BIOMETRIC = "biometric"


class Word(NamedTuple):
    """What a rate is called: on axes and in columns, and in full."""

    short: str
    title: str


@dataclass(frozen=True)
class Terms:
    """What the numbers of a threshold are called in a field.

    Parameters
    ----------
    name : str
        As users give it.
    about : str
        What the field decides, in a line.
    far, frr, tpr, tnr, hter, eer : Word
        The share of impostors accepted, of clients rejected, of clients accepted and of impostors
        rejected; the mean of the first two; the rate at which they are equal.
    counts : tuple of str
        Clients and impostors accepted, impostors and clients rejected.

    Examples
    --------
    >>> TERMS["matching"].said("HTER, FAR and FRR at the EER")
    'HTER, FMR and FNMR at the EER'
    """

    name: str
    about: str
    far: Word
    frr: Word
    tpr: Word
    tnr: Word
    hter: Word
    eer: Word
    counts: tuple[str, str, str, str]

    def said(self, text: str, keep: Iterable[str] = ()) -> str:
        """A text of the package in the words of the field.

        Parameters
        ----------
        text : str
            In the package's own words.
        keep : iterable of str
            Names that the user gave, which stand as they are.
        """
        if self.name == BIOMETRIC:
            return text
        # Who calls a system FAR reads of it by the rate's word; else the rates would have none.
        names = {name for name in keep if name and name.lower() not in _OWN_WORDS}
        kept = tuple(sorted(names, key=len, reverse=True))
        pattern = _pattern(kept)
        return respelled(text, pattern, self._word)

    def _word(self, found: re.Match[str], text: str) -> str:
        if found["kept"]:
            return found["kept"]
        own = _OWN_WORDS[found["word"].lower()]
        word = getattr(self, own)[found["word"].lower() == getattr(TERMS[BIOMETRIC], own).title]
        if found["word"][:1].isupper() and word[:1].islower():
            word = word[0].upper() + word[1:]
        # What has no word, such as 1 - BPCER, stands in brackets within a sentence.
        expression = " " in word and word == getattr(self, own).short
        word = f"({word})" if expression and found[0] != text else word
        return word + found["plural"]


_HTER, _EER = Word("HTER", "half total error rate"), Word("EER", "equal error rate")
#: Every vocabulary by name; docs/conventions.md cites where each is from.
TERMS: dict[str, Terms] = {
    terms.name: terms
    for terms in (
        Terms(
            BIOMETRIC,
            "whether a claimed identity is accepted",
            Word("FAR", "false acceptance rate"),
            Word("FRR", "false rejection rate"),
            Word("TPR", "true positive rate"),
            Word("TNR", "true negative rate"),
            _HTER,
            _EER,
            ("true accepts", "false accepts", "true rejects", "false rejects"),
        ),
        Terms(
            "matching",
            "whether two samples are of one person: rates of the comparisons made",
            Word("FMR", "false match rate"),
            Word("FNMR", "false non-match rate"),
            Word("TMR", "true match rate"),
            Word("TNMR", "true non-match rate"),
            _HTER,
            _EER,
            ("true matches", "false matches", "true non-matches", "false non-matches"),
        ),
        Terms(
            "pad",
            "whether a presentation is bona fide: impostors are attacks of one species",
            Word("APCER", "attack presentation classification error rate"),
            Word("BPCER", "bona fide presentation classification error rate"),
            Word("1 - BPCER", "share of bona fide presentations accepted"),
            Word("1 - APCER", "share of attack presentations rejected"),
            Word("ACER", "average classification error rate"),
            Word("D-EER", "detection equal error rate"),
            (
                "bona fide presentations accepted",
                "attack presentations accepted",
                "attack presentations rejected",
                "bona fide presentations rejected",
            ),
        ),
        Terms(
            "ml",
            "whether an item is of the positive class, which the clients are",
            Word("FPR", "false positive rate"),
            Word("FNR", "false negative rate"),
            Word("TPR", "true positive rate"),
            Word("TNR", "true negative rate"),
            Word("BER", "balanced error rate"),
            _EER,
            ("true positives", "false positives", "true negatives", "false negatives"),
        ),
    )
}

_RATES = ("far", "frr", "tpr", "tnr", "hter", "eer")
#: The package's own words, small, and the rate of each.
_OWN_WORDS = {word.lower(): rate for rate in _RATES for word in getattr(TERMS[BIOMETRIC], rate)}
#: Words of the fields that are taken for a statistic, a measure, a criterion, a point or an
#: argument, and the one name of each.
ALIASES = {name: row[0] for name, row in SYNONYMS.items() if name not in (row[0], "confidence")}
#: The rates that are one less a rate of errors.
COMPLEMENTS = {"tpr": "frr", "tnr": "far"}


class RateArguments(TypedDict, total=False):
    """The keywords that are other names of a rate."""

    fpr: float
    fmr: float
    apcer: float
    fnr: float
    fnmr: float
    bpcer: float
    recall: float
    sensitivity: float
    tar: float
    gar: float
    tmr: float
    tnr: float
    specificity: float
    tnmr: float


@lru_cache(maxsize=64)
def _pattern(kept: tuple[str, ...]) -> re.Pattern[str]:
    names = rf"(?<!\w)(?:{'|'.join(map(re.escape, kept))})(?!\w)" if kept else r"(?!)"
    own = TERMS[BIOMETRIC]
    short = "|".join(getattr(own, rate).short for rate in _RATES)
    # A title may begin a sentence or the heading of a table.
    titles = "|".join(
        f"(?i:{title[0]}){title[1:]}" for title in (getattr(own, rate).title for rate in _RATES)
    )
    # Of a rate in an identifier, such as FAR_1, nothing is said.
    return re.compile(rf"(?P<kept>{names})|\b(?P<word>{short}|{titles})(?P<plural>s?)\b")


def terms_of(name: str) -> Terms:
    """The vocabulary of that name.

    Raises
    ------
    InputError
        If there is none such.
    """
    return TERMS[checks.choice(name, tuple(TERMS), "terms")]


def canonical(name: object) -> object:
    """The one name of a number that was named in the words of a field; else what was given."""
    return ALIASES.get(name, name) if isinstance(name, str) else name


def name_among(name: str, options: Sequence[str]) -> str:
    """The name of the same number that is among the options; else what was given."""
    return next((word for word in (name, *SYNONYMS.get(name, ())) if word in options), name)


def known(value: object, options: Sequence[str], name: str, source: str = "") -> str:
    """:func:`checks.choice`, of which the fields' words are taken too."""
    found = name_among(value, options) if isinstance(value, str) else value
    return checks.choice(found, options, name, source)
