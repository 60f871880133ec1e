"""How values are shown in messages."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

#: Where an object lies in memory, which differs from run to run.
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")


def shown(value: object, width: int = 60) -> str:
    """``repr(value)`` on one line, without an address, cut at ``width`` characters."""
    if isinstance(value, np.generic):
        value = value.item()
    try:
        text = _ADDRESS.sub("", " ".join(repr(value).split()))
    except Exception:  # noqa: BLE001 - of ten thousand digits, or what has no repr: the kind is said
        text = f"<{type(value).__name__}>"
    return text if len(text) <= width else text[: width - 3] + "..."


def listed(values: Iterable[object], limit: int = 5, width: int = 24) -> str:
    """The first few values with repr, and how many were left out."""
    items = list(values)
    text = ", ".join(shown(v, width) for v in items[:limit])
    more = len(items) - limit
    return f"{text} and {more} more" if more > 0 else text


#: Other names of what has one name here; for a criterion what it comes down to.
_SYNONYMS = {
    "fmr": "far", "fpr": "far", "apcer": "far", "bpcer": "frr", "fnmr": "frr", "fnr": "frr",
    "tar": "tpr", "tmr": "tpr", "ppv": "precision", "f": "f1", "f-measure": "f1", "acer": "hter",
    "hter": "weighted-error", "f1": "f-measure", "dcf": "weighted-error",
    "gaussian": "normal", "binormal": "normal",
}  # fmt: skip


def nearest(value: object, options: Sequence[str]) -> str:
    """``Did you mean 'beta'? `` or nothing."""
    wanted = value if isinstance(value, str) else shown(value)
    folded = {o.strip().casefold(): o for o in options}
    known = _SYNONYMS.get(wanted.strip().casefold())
    if known in folded and wanted.strip().casefold() not in folded:
        return f"Did you mean {shown(folded[known])}? "
    close = difflib.get_close_matches(wanted.strip().casefold(), list(folded), n=1, cutoff=0.5)
    if not close:
        return ""
    found = folded[close[0]]
    blank = " (it has blanks around it)" if found != found.strip() else ""
    return f"Did you mean {shown(found)}{blank}? "


# ------------------------------------------------------------------ alphas of a curve
#: Alphas no farther apart than this stand for what lies between them.
FINE = 0.02 + 1e-9
#: So many alphas are named one by one.
_NAMED = 12


def is_fine(alpha: npt.ArrayLike) -> bool:
    """Whether the alphas are so near to each other that a range may be said of them."""
    return bool(np.all(np.diff(np.sort(np.asarray(alpha, dtype=np.float64))) <= FINE))


def alphas_words(alpha: npt.ArrayLike) -> str:
    """Neighbouring alphas in words: a range of a fine grid, else each or their number."""
    ordered = np.unique(np.asarray(alpha, dtype=np.float64))
    low, high = _number(float(ordered[0])), _number(float(ordered[-1]))
    if ordered.size == 1:
        return f"at alpha {low}"
    if is_fine(ordered):
        return f"for alpha from {low} to {high}"
    if ordered.size > _NAMED:
        return f"at each of the {ordered.size} alphas given between {low} and {high}"
    *first, last = [_number(float(a)) for a in ordered]
    return f"at alpha {', '.join(first)} and {last}"


def _number(value: float) -> str:
    return f"{value:.6g}"


def respelled(
    text: str, pattern: re.Pattern[str], word: Callable[[re.Match[str], str], str]
) -> str:
    """A text with other words; columns of tables stay, as far as blanks allow."""
    return "\n".join(_respelled_line(line, pattern, word) for line in text.split("\n"))


def _respelled_line(
    line: str, pattern: re.Pattern[str], word: Callable[[re.Match[str], str], str]
) -> str:
    said, owed, end = "", 0, 0
    for found in pattern.finditer(line):
        before, owed = _narrowed(line[end : found.start()], owed)
        new, room = word(found, line), len(before) - len(before.rstrip(" ")) - 2
        growth = len(new) - len(found[0])
        if room <= 0 or growth > room:
            owed += growth
        else:
            before = before[:-growth] if growth > 0 else before + " " * -growth
        said, end = said + before + new, found.end()
    return said + _narrowed(line[end:], owed)[0]


def _narrowed(text: str, owed: int) -> tuple[str, int]:
    """Fewer blanks between columns for a word that has grown, and what is still owed."""

    def run(blanks: re.Match[str]) -> str:
        nonlocal owed
        change = min(owed, len(blanks[0]) - 2)
        owed -= change
        return " " * (len(blanks[0]) - change)

    return re.sub(" {2,}", run, text) if owed else text, owed
