"""How values are shown in messages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

import numpy as np


def shown(value: object, width: int = 60) -> str:
    """``repr(value)`` on one line, cut at ``width`` characters."""
    if isinstance(value, np.generic):
        value = value.item()
    text = " ".join(repr(value).split())
    return text if len(text) <= width else text[: width - 3] + "..."


def listed(values: Iterable[object], limit: int = 5, width: int = 24) -> str:
    """The first few values with repr, and how many were left out."""
    items = list(values)
    text = ", ".join(shown(v, width) for v in items[:limit])
    more = len(items) - limit
    return f"{text} and {more} more" if more > 0 else text


def nearest(value: object, options: Sequence[str]) -> str:
    """``Did you mean 'beta'? `` or nothing."""
    wanted = str(value)
    folded = {o.strip().casefold(): o for o in options}
    close = difflib.get_close_matches(wanted.strip().casefold(), list(folded), n=1, cutoff=0.5)
    if not close:
        return ""
    found = folded[close[0]]
    blank = " (it has blanks around it)" if found != found.strip() else ""
    return f"Did you mean {shown(found)}{blank}? "
