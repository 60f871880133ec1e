"""The words of the user's field, and the slots that sentences have for them.

A slot, as in ``f"the {FAR} target holds for {IMPOSTORS}"``, is a character of its own, which
:class:`Vocabulary` fills where the sentence is shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypedDict

BIOMETRIC = "biometric"
#: Slots of the rates, short, and of their titles.
FAR, FRR, TPR, TNR, HTER, EER = map(chr, range(0x10E000, 0x10E006))
_RATE_NAMES = ("far", "frr", "tpr", "tnr", "hter", "eer")
RATE_SLOT = dict(zip(_RATE_NAMES, (FAR, FRR, TPR, TNR, HTER, EER), strict=True))
_TITLES = [chr(0x10E010 + k) for k in range(len(_RATE_NAMES))]
FALSE_ACCEPTANCE_RATE, FALSE_REJECTION_RATE, TRUE_POSITIVE_RATE, TRUE_NEGATIVE_RATE = _TITLES[:4]
HALF_TOTAL_ERROR_RATE, EQUAL_ERROR_RATE = _TITLES[4:]
TITLE_SLOT = dict(zip(_RATE_NAMES, _TITLES, strict=True))
#: Slots of the classes: before a noun ("client scores"), for one, with its article, for several.
CLIENT, ONE_CLIENT, A_CLIENT, CLIENTS = map(chr, range(0x10E020, 0x10E024))
IMPOSTOR, ONE_IMPOSTOR, AN_IMPOSTOR, IMPOSTORS = map(chr, range(0x10E028, 0x10E02C))
CLASS_SLOTS = {
    "client": (CLIENT, ONE_CLIENT, A_CLIENT, CLIENTS),
    "impostor": (IMPOSTOR, ONE_IMPOSTOR, AN_IMPOSTOR, IMPOSTORS),
}
#: Slots of what else a field calls by a word of its own.
ACCEPT, ACCEPTED, REJECT, REJECTED, FALSE_ACCEPTANCE, FALSE_REJECTION = map(
    chr, range(0x10E030, 0x10E036)
)
TRIAL, TRIALS, SCORE, PRECISION, DEVICE, DISTANCE = map(chr, range(0x10E036, 0x10E03C))
#: From the slot of a word to that of the same word where it begins a sentence.
_CAPITAL = 0x40
_SLOTS = range(0x10E000, 0x10E000 + _CAPITAL)
#: What stands around an argument of Python, or a remedy in Python.
_ARGUMENT_START, ARGUMENT_END = "\U0010e0f0", "\U0010e0f1"
_ARGUMENT = re.compile(f"{_ARGUMENT_START}(.*?){ARGUMENT_END}")

#: What the rates are called in every field. A row is one number, first as it is called here: what
#: takes arguments, options, points and statistics by other names, and what suggests them, asks it.
RATES = (
    ("far", "fpr", "fmr", "apcer", "fpf"),
    ("frr", "fnr", "fnmr", "bpcer", "fnf"),
    ("tpr", "recall", "sensitivity", "tar", "gar", "tmr", "tpf"),
    ("tnr", "specificity", "tnmr", "tnf"),
)
RATE_NAMES = tuple(name for row in RATES for name in row)
#: The row of every name; those of other numbers too.
SYNONYMS = {
    name: row
    for row in (
        ("far", "iapar", "iapmr"), *RATES, ("hter", "acer", "ber"), ("eer", "d-eer"),
        ("precision", "ppv"), ("level", "confidence"),
    )
    for name in row
}  # fmt: skip
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
    fpf: float
    fnr: float
    fnmr: float
    bpcer: float
    fnf: float
    recall: float
    sensitivity: float
    tar: float
    gar: float
    tmr: float
    tpf: float
    tnr: float
    specificity: float
    tnmr: float
    tnf: float


class Word(NamedTuple):
    """A rate, short and in full."""

    short: str
    title: str


@dataclass(frozen=True)
class Terms:
    """The words of a field for rates and counts."""

    name: str
    about: str
    far: Word
    frr: Word
    tpr: Word
    tnr: Word
    hter: Word
    eer: Word
    counts: tuple[str, str, str, str]
    #: Of classes whose labels are no words.
    classes: tuple[str, str] = ("client", "impostor")
    #: In the order of the slots, from ACCEPT on.
    nouns: tuple[str, ...] = (
        "accept", "accepted", "reject", "rejected", "false acceptance", "false rejection",
        "trial", "trials", "score", "precision", "sensor",
    )  # fmt: skip


_HTER, _EER = Word("HTER", "half total error rate"), Word("EER", "equal error rate")
_TPR, _TNR = Word("TPR", "true positive rate"), Word("TNR", "true negative rate")
_BER = Word("BER", "balanced error rate")
_COUNTS = "true positives", "false positives", "true negatives", "false negatives"
_CALLS = (
    "call positive", "called positive", "call negative", "called negative", "false positive",
    "false negative",
)  # fmt: skip
#: Every vocabulary by name; docs/conventions.md cites where each is from.
TERMS: dict[str, Terms] = {terms.name: terms for terms in (
    Terms(BIOMETRIC, "whether a claimed identity is accepted",
          Word("FAR", "false acceptance rate"), Word("FRR", "false rejection rate"),
          _TPR, _TNR, _HTER, _EER,
          ("true accepts", "false accepts", "true rejects", "false rejects")),
    Terms("matching", "whether two samples are of one person: rates of the comparisons made",
          Word("FMR", "false match rate"), Word("FNMR", "false non-match rate"),
          Word("TMR", "true match rate"), Word("TNMR", "true non-match rate"), _HTER, _EER,
          ("true matches", "false matches", "true non-matches", "false non-matches")),
    Terms("pad", "whether a presentation is bona fide: impostors are attacks of one species",
          Word("APCER", "attack presentation classification error rate"),
          Word("BPCER", "bona fide presentation classification error rate"),
          Word("1 - BPCER", "share of bona fide presentations accepted"),
          Word("1 - APCER", "share of attack presentations rejected"),
          Word("ACER", "average classification error rate"),
          Word("D-EER", "detection equal error rate"),
          ("bona fide presentations accepted", "attack presentations accepted",
           "attack presentations rejected", "bona fide presentations rejected")),
    Terms("ml", "whether an item is of the positive class, which the clients are",
          Word("FPR", "false positive rate"), Word("FNR", "false negative rate"),
          _TPR, _TNR, _BER, _EER, _COUNTS, ("positive", "negative"),
          (*_CALLS, "item", "items", "score", "precision", "source")),
    Terms("medical", "whether a subject has the condition, as the cases have and the controls not",
          Word("FPF", "false positive fraction, 1 - specificity"),
          Word("FNF", "false negative fraction, 1 - sensitivity"),
          Word("sensitivity", "sensitivity"), Word("specificity", "specificity"),
          _BER, _EER, _COUNTS, ("case", "control"),
          (*_CALLS, "subject", "subjects", "marker", "PPV", "assay")),
)}  # fmt: skip


def canonical(name: object) -> object:
    """The one name of a number."""
    return ALIASES.get(name, name) if isinstance(name, str) else name


def name_among(name: str, options: Sequence[str]) -> str:
    """The name of the same number among the options."""
    return next((word for word in (name, *SYNONYMS.get(name, ())) if word in options), name)


_ATTACKS = {"attack", "spoof", "fake", "deepfake", "morph", "presentation attack"}
#: Of each word of clients the words of impostors that leave no doubt which class is which.
_PAIRS = {
    "client": {"impostor", "imposter"},
    "genuine": {"impostor", "imposter", "attack", "spoof", "fake", "forgery", "deepfake"},
    "bona fide": _ATTACKS,
    "bonafide": _ATTACKS,
    "live": {"attack", "spoof", "fake"},
    "real": {"attack", "spoof", "fake", "deepfake"},
    "target": {"nontarget", "non target"},
    "mated": {"nonmated", "non mated"},
    "match": {"nonmatch", "non match"},
    "positive": {"negative"},
    "pos": {"neg"},
}
#: Of several; whatever is not here is called trials of its word.
_MANY = {
    "attack": "attacks", "case": "cases", "client": "clients", "control": "controls",
    "deepfake": "deepfakes", "fake": "fakes", "forgery": "forgeries", "imposter": "imposters",
    "impostor": "impostors", "match": "matches", "morph": "morphs", "negative": "negatives",
    "non match": "non-matches", "non target": "non-targets", "nonmatch": "nonmatches",
    "nontarget": "nontargets", "positive": "positives", "presentation attack":
    "presentation attacks", "spoof": "spoofs", "target": "targets",
}  # fmt: skip
#: Adjectives that stand for one and for several.
_ALONE = {"bona fide", "bonafide", "genuine", "mated", "non mated", "nonmated"}
_LONGEST = 24


class ClassWords(NamedTuple):
    """The words of both classes, in the singular; left out, those of the field.

    Examples
    --------
    >>> words = ClassWords("bona fide", "attack")
    >>> words.counted("impostor", 181), words.many("client")
    ('181 attacks', 'bona fide')
    """

    client: str = CLIENT
    impostor: str = IMPOSTOR

    def one(self, who: str) -> str:
        """One of a class."""
        word = str(getattr(self, who))
        if word == CLASS_SLOTS[who][0]:
            return CLASS_SLOTS[who][1]
        known = _folded(word) in _MANY or _folded(word) in _ALONE
        return word if known else f"{word} {TRIAL}"

    def many(self, who: str) -> str:
        """Several of a class."""
        word = str(getattr(self, who))
        if word == CLASS_SLOTS[who][0]:
            return CLASS_SLOTS[who][3]
        plural = _MANY.get(_folded(word))
        if plural is not None:
            return plural if word.islower() else plural.capitalize()
        return word if _folded(word) in _ALONE else f"{word} {TRIALS}"

    def counted(self, who: str, n: float, shown: str | None = None) -> str:
        """A number of a class; ``shown`` is how it is written."""
        text = f"{round(n):d}" if shown is None else shown
        return f"{text} {self.one(who) if round(n) == 1 else self.many(who)}"


def shared_words(value: Iterable[ClassWords | None]) -> ClassWords:
    """The words that all score sets have, else the field's."""
    result = set(value)
    only = result.pop() if len(result) == 1 else None
    return ClassWords() if only is None else only


def words_of(client: object, impostor: object) -> ClassWords | None:
    """The labels of both classes where they are words."""
    if not (_is_word(client) and _is_word(impostor)):
        return None
    return ClassWords(str(client).strip(), str(impostor).strip())


def client_word(labels: list[str]) -> str | None:
    """Which of two words is the client's; None in doubt."""
    result = [
        first for first, second in (labels, labels[::-1])
        if _folded(second) in _PAIRS.get(_folded(first), ())
    ]  # fmt: skip
    return result[0] if len(result) == 1 else None


def is_class_word(label: str) -> bool:
    """Whether a label is a number or a word for a class."""
    known = {"0", "1", "-1", "true", "false", "human", *_PAIRS}.union(*_PAIRS.values())
    return _folded(label) in known or label.strip() in known


def _is_word(label: object) -> bool:
    text = label.strip() if isinstance(label, str) else ""
    return 0 < len(text) <= _LONGEST and text.isprintable() and any(c.isalpha() for c in text)


def _folded(word: str) -> str:
    return " ".join(word.casefold().replace("_", " ").replace("-", " ").split())


def capital(text: str) -> str:
    """The first letter as at the beginning of a sentence."""
    first = text[:1]
    if first and ord(first) in _SLOTS:
        return chr(ord(first) + _CAPITAL) + text[1:]
    return first.upper() + text[1:]


def is_slot(character: str) -> bool:
    """Whether it is a slot or a mark of an argument."""
    return 0x10E000 <= ord(character) < 0x10E100


def members(who: str, n: float = 2) -> str:
    """The slot of so many "client" or "impostor" scores."""
    return CLASS_SLOTS[who][1 if n == 1 else 3]


def short_name(name: str) -> str:
    """The slot of a rate; of another measure its name in capitals."""
    return RATE_SLOT.get(name, name.upper())


class Vocabulary(NamedTuple):
    """The words of a field and of the labels of both classes."""

    terms: Terms
    words: ClassWords = ClassWords()

    def fill(self, text: str) -> str:
        """The text with these words in its slots."""
        text = template_of(text)
        if text in CLASS_SLOTS:  # the head of a row or column
            text = CLASS_SLOTS[text][0]
        if text.isascii():
            return text
        table = _slots(self)
        filled = text.translate(table)
        return filled.strip("()") if text in RATE_SLOT.values() else filled


@lru_cache(maxsize=64)
def _slots(vocabulary: Vocabulary) -> dict[int, str]:
    terms, words = vocabulary
    if words == ClassWords():
        words = ClassWords(*terms.classes)
    table = {ord(ACCEPT) + k: noun for k, noun in enumerate(terms.nouns)}
    table[ord(DISTANCE)] = "distance" if table[ord(SCORE)] == "score" else table[ord(SCORE)]
    for rate in _RATE_NAMES:
        short, title = getattr(terms, rate)
        # What has no word, such as 1 - BPCER, stands in brackets within a sentence.
        table[ord(RATE_SLOT[rate])] = f"({short})" if " " in short else short
        table[ord(TITLE_SLOT[rate])] = title
    for who, slots in CLASS_SLOTS.items():
        single = words.one(who)
        article = "an" if single[:1].lower() in "aeiou" else "a"
        forms = getattr(words, who), single, f"{article} {single}", words.many(who)
        table |= zip(map(ord, slots), (form.translate(table) for form in forms), strict=True)
    capitals = {slot + _CAPITAL: capital(word) for slot, word in table.items()}
    return table | capitals | {ord(_ARGUMENT_START): "", ord(ARGUMENT_END): ""}


#: What stands where nobody names a field.
DEFAULT = Vocabulary(TERMS[BIOMETRIC])
#: What rates are called where they are of the comparisons made, of trials that have a score.
_OF_COMPARISONS = {
    slot: word for slot, word in _slots(Vocabulary(TERMS["matching"])).items()
    if slot % _CAPITAL < ord(CLIENT) % _CAPITAL
}  # fmt: skip


def in_matching_rates(text: str) -> str:
    """The template with FMR for FAR and FNMR for FRR."""
    return template_of(text).translate(_OF_COMPARISONS)


class Sentence(str):
    """A text in the default words, with its template."""

    __slots__ = ("template",)
    template: str

    def __new__(cls, template: str) -> Sentence:
        self = super().__new__(cls, DEFAULT.fill(template))
        self.template = template_of(template)
        return self


def template_of(text: str) -> str:
    """The text with slots and marked arguments."""
    return text.template if isinstance(text, Sentence) else text


def worded(text: str) -> str:
    """The text with marks in place of backticks."""
    return re.sub("`([^`]*)`", rf"{_ARGUMENT_START}\1{ARGUMENT_END}", text)


def with_arguments(template: str, words: Callable[[str], str]) -> str:
    """The text with other words for the arguments."""
    return _ARGUMENT.sub(lambda result: words(result[1]), template)


def for_readers(text: str) -> str:
    """Without the sentences that name an argument."""
    sentences = re.split(r"(?<=[.!?]) ", with_arguments(template_of(text), lambda _: "\0"))
    return " ".join(sentence for sentence in sentences if "\0" not in sentence)
