"""What the two classes are called where their labels are words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from betaroc.core.errors import InputTypeError
from betaroc.core.text import respelled, shown

#: Of each word of clients the words of impostors that leave no doubt which class is which.
_PAIRS = {
    "client": {"impostor", "imposter"},
    "genuine": {"impostor", "imposter", "attack", "spoof", "fake", "forgery", "deepfake"},
    "bona fide": {"attack", "spoof", "fake", "deepfake", "morph", "presentation attack"},
    "bonafide": {"attack", "spoof", "fake", "deepfake", "morph", "presentation attack"},
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
    """The words of both classes, in the singular.

    Examples
    --------
    >>> words = ClassWords("bona fide", "attack")
    >>> words.counted("impostor", 181), words.counted("impostor", 1), words.many("client")
    ('181 attacks', '1 attack', 'bona fide')
    >>> ClassWords("ham", "spam").counted("impostor", 7)
    '7 spam trials'
    """

    client: str = "client"
    impostor: str = "impostor"

    def one(self, who: str) -> str:
        """One of a class, ``who`` being "client" or "impostor"."""
        word = self._of(who)
        known = _folded(word) in _MANY or _folded(word) in _ALONE
        return word if known else f"{word} trial"

    def many(self, who: str) -> str:
        """Several of a class."""
        word = self._of(who)
        plural = _MANY.get(_folded(word))
        if plural is not None:
            return plural if word.islower() else plural.capitalize()
        return word if _folded(word) in _ALONE else f"{word} trials"

    def counted(self, who: str, n: float, shown: str | None = None) -> str:
        """A number of a class; ``shown`` is how the number is written."""
        text = f"{round(n):d}" if shown is None else shown
        return f"{text} {self.one(who) if round(n) == 1 else self.many(who)}"

    def said(self, text: str, keep: Iterable[str] = ()) -> str:
        """A finished text of the package in these words.

        Parameters
        ----------
        text : str
            That speaks of clients and impostors.
        keep : iterable of str
            Names that the user gave, which stand as they are.

        Examples
        --------
        >>> ClassWords("bona fide", "attack").said("200 client scores; an impostor of 9 impostors")
        '200 bona fide scores; an attack of 9 attacks'
        """
        if self == ClassWords():
            return text
        kept = tuple(sorted({name for name in keep if name}, key=len, reverse=True))
        return respelled(text, _pattern(kept), self._word)

    def in_markup(self, page: str, keep: Iterable[str] = ()) -> str:
        """A page in these words: what stands between its tags, but for styles and pictures."""
        from markupsafe import escape

        if self == ClassWords():
            return page
        escaped, kept = ClassWords(*(str(escape(word)) for word in self)), list(keep)
        return "".join(
            part if part.startswith("<") else escaped.said(part, kept)
            for part in _MARKUP.split(page)
        )

    def _word(self, found: re.Match[str], _line: str) -> str:
        if found["kept"] or found["whose"]:
            return found[0]
        who = found["who"].lower()
        if found["s"]:
            new = self.many(who)
        elif found["one"] and found["noun"] is None:
            new = self.one(who)
        else:
            new = self._of(who)
        if found["who"][0].isupper():
            new = new[:1].upper() + new[1:]
        before = found["one"] or ""
        if before.strip().lower() in ("a", "an"):
            before = before[0] + ("n" if new[:1].lower() in "aeiou" else "") + " "
        return f"{before}{new}"

    def _of(self, who: str) -> str:
        return str(getattr(self, who))


#: Tags, and what is no prose: styles, scripts, code and pictures.
_MARKUP = re.compile(
    r"(<style\b.*?</style>|<script\b.*?</script>|<svg\b.*?</svg>|<code\b.*?</code>|<[^>]*>)",
    re.DOTALL,
)


@lru_cache(maxsize=64)
def _pattern(kept: tuple[str, ...]) -> re.Pattern[str]:
    """A class in prose: not in an option, an attribute or a path, nor whose a label is."""
    names = rf"(?<!\w)(?:{'|'.join(map(re.escape, kept))})(?!\w)" if kept else r"(?!)"
    return re.compile(
        rf"(?P<kept>{names})|(?P<one>\b(?:[Aa]n?|[Nn]o|[Oo]ne|[Ee]ach|[Ee]very|1) )?"
        r"(?<![\w./\\=\"-])(?P<who>[Cc]lient|[Ii]mpostor)(?P<s>s?)(?![\w/\\=\"-]|\.\w)"
        r"(?P<whose>['’]|&#39;)?"
        r"(?P<noun>(?= (?:scores?|trials?|class(?:es)?|distributions?|fit|side|tail)\b))?"
    )


def class_words(given: object) -> ClassWords | None:
    """The words of both classes, checked; None for those of the package."""
    if given is None:
        return None
    pair = tuple(given) if isinstance(given, tuple | list) else ()
    if len(pair) != 2 or not all(isinstance(word, str) for word in pair):
        raise InputTypeError.about("words")(
            f"words must be two texts, the client's and the impostor's; got {shown(given)}. Give"
            ' such as ("bona fide", "attack").'
        )
    return ClassWords(*pair)


def shared_words(given: Iterable[ClassWords | None]) -> ClassWords:
    """The words that all score sets of a text have; else those of the package."""
    found = set(given)
    only = found.pop() if len(found) == 1 else None
    return ClassWords() if only is None else only


def words_of(client: object, impostor: object) -> ClassWords | None:
    """The labels of both classes where they are words that can be shown."""
    if not (_is_word(client) and _is_word(impostor)):
        return None
    return ClassWords(str(client).strip(), str(impostor).strip())


def client_word(labels: list[str]) -> str | None:
    """Which of two words is the client's where the field leaves no doubt; else None."""
    found = [
        one for one, other in (labels, labels[::-1])
        if _folded(other) in _PAIRS.get(_folded(one), ())
    ]  # fmt: skip
    return found[0] if len(found) == 1 else None


def is_class_word(label: str) -> bool:
    """Whether a label is a number or a word of the field for one of two classes."""
    known = {"0", "1", "-1", "true", "false", "human", *_PAIRS}.union(*_PAIRS.values())
    return _folded(label) in known or label.strip() in known


def _is_word(label: object) -> bool:
    text = label.strip() if isinstance(label, str) else ""
    return 0 < len(text) <= _LONGEST and text.isprintable() and any(c.isalpha() for c in text)


def _folded(word: str) -> str:
    return " ".join(word.casefold().replace("_", " ").replace("-", " ").split())
