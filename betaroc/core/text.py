"""Values as text in messages."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from betaroc.core.vocabulary import RATE_NAMES, RATES, SYNONYMS, template_of

#: How alike a suggestion must be, and by how much more than what else could be meant.
_ALIKE, _TIE = 0.5, 0.15
#: Where an object lies in memory, which differs from run to run.
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")


def format_value(value: object, width: int = 60) -> str:
    """``repr(value)`` on one line, without an address, cut at ``width``."""
    if isinstance(value, np.generic):
        value = value.item()
    try:
        text = _ADDRESS.sub("", " ".join(repr(value).split()))
    except Exception:  # noqa: BLE001 - of ten thousand digits, or what has no repr: the kind is said
        text = f"<{type(value).__name__}>"
    return text if len(text) <= width else text[: width - 3] + "..."


def typed(value: object) -> str:
    """The value as it is shown, and its type."""
    return f"{format_value(value)} of type {type(value).__name__}"


def format_list(values: Iterable[object], limit: int = 5, width: int = 24) -> str:
    """The first few values with repr, and how many were left out."""
    items = list(values)
    text = ", ".join(format_value(v, width) for v in items[:limit])
    more = len(items) - limit
    return f"{text} and {more} more" if more > 0 else text


def sentence(text: str) -> str:
    """With its full stop, and its slots."""
    text = template_of(text)
    return text if text.endswith(".") else f"{text}."


#: For a criterion what it comes down to, and other names of what has one name here.
_COMES_TO = {
    "f": "f1", "f-measure": "f1", "f1": "f-measure", "hter": "weighted-error",
    "acer": "weighted-error", "ber": "weighted-error", "dcf": "weighted-error",
    "gaussian": "normal", "binormal": "normal",
}  # fmt: skip


def did_you_mean(value: object, options: Sequence[str], *, alike: float = _ALIKE) -> str:
    """``Did you mean 'beta'? `` or nothing."""
    wanted = (value if isinstance(value, str) else format_value(value)).strip().casefold()
    folded = {o.strip().casefold(): o for o in options}
    word = wanted.lstrip("-")
    start = wanted.removesuffix(word)
    same = (start + name for name in (*SYNONYMS.get(word, ()), _COMES_TO.get(word, word)))
    result = next((name for name in same if name in folded), None)
    if result is None and word not in SYNONYMS:
        result = _close(wanted, [*folded, *(start + name for name in RATE_NAMES)], start, alike)
    if result not in folded:
        return ""
    intended = folded[result]
    blank = " (it has blanks around it)" if intended != intended.strip() else ""
    return f"Did you mean {format_value(intended)}{blank}? "


def _close(wanted: str, names: Sequence[str], start: str, least: float) -> str | None:
    """The name most alike; none between two rates."""
    alike = {name: difflib.SequenceMatcher(None, name, wanted).ratio() for name in names}
    best = max(alike, key=alike.__getitem__)
    rivals = [name for name, ratio in alike.items() if ratio > alike[best] - _TIE]
    rows = {SYNONYMS.get(name.removeprefix(start)) for name in rivals} & {*RATES}
    return None if alike[best] < least or len(rows) > 1 else best


def parse_number(text: str) -> float:
    """The number of a text, in which "1 %" is 0.01."""
    share = text.strip().removesuffix("%").rstrip()
    return float(text if share == text.strip() else f"{share}e-2")


# ------------------------------------------------------------------ alphas of a curve
#: Alphas no farther apart than this stand for what lies between them.
FINE = 0.02 + 1e-9
#: So many alphas are named one by one.
_NAMED = 12


def is_fine(alpha: npt.ArrayLike) -> bool:
    """Whether the alphas are described by their range."""
    return bool(np.all(np.diff(np.sort(np.asarray(alpha, dtype=np.float64))) <= FINE))


def alphas_words(alpha: npt.ArrayLike) -> str:
    """Alphas in words: a range, each, or their number."""
    ordered = np.unique(np.asarray(alpha, dtype=np.float64))
    *first, last = [f"{a:.6g}" for a in ordered.tolist()]
    if not first:
        return f"at alpha {last}"
    if is_fine(ordered):
        return f"for alpha from {first[0]} to {last}"
    if ordered.size > _NAMED:
        return f"at each of the {ordered.size} alphas given between {first[0]} and {last}"
    return f"at alpha {', '.join(first)} and {last}"
