"""A decision on a terminal of 80 columns: paragraphs, rates on a log scale."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from textwrap import wrap

__all__ = ["Strip", "broken", "strip"]

#: Where the strip begins, and columns of a decade.
_START, _DECADE = 14, 12
_DECADES = (0.01, 0.1, 1.0, 10.0, 100.0)

#: Stands for a space where no line may end.
_HELD = "\x1f"

#: Name, low, rate and high, as fractions.
Strip = tuple[str, float, float, float]


def broken(text: str, width: int) -> list[str]:
    """A text in lines; neither numbers with their units nor words with hyphens are broken."""
    held = re.sub(r"(?<=\d) (?=\d{3}\b)| (?=%)| (?==)|(?<==) ", _HELD, text)
    return [line.replace(_HELD, " ") for line in wrap(held, width, break_on_hyphens=False)]


def strip(name: str, rows: Sequence[Strip], target: float | None, *, plain: bool) -> list[str]:
    """Rates with their intervals on one log scale; o of dev, a dot of test; nan where none is."""
    head = [" "] * (_START + 4 * _DECADE + 8)
    _write(head, 0, name)
    for k, share in enumerate(_DECADES):
        text = "100 %" if share == 100.0 else f"{share:g}"
        _write(head, _START + k * _DECADE - (3 if share == 100.0 else 2), text)
    lines = ["".join(head).rstrip()]
    for k, (who, low, value, high) in enumerate(rows):
        line = [" "] * (_START + 4 * _DECADE + 2)
        _write(line, 0, who)
        for decade in range(5):
            line[_START + decade * _DECADE] = "."
        middle = _place(value)
        if not math.isnan(low):
            first = _place(low)
            middle = max(middle, first + (value > low))
            last = max(_place(high), middle + 1)
            for at in range(first, last + 1):
                line[at] = "-" if plain else "─"
            line[first], line[last] = ("[", "]") if plain else ("├", "┤")
        line[middle] = "o" if k == 0 else "*" if plain else "●"
        lines.append("".join(line).rstrip())
    if target is not None:
        lines.append(" " * _place(target) + f"target {100.0 * target:g} %")
    return lines


def _write(line: list[str], at: int, text: str) -> None:
    line[at : at + len(text)] = list(text)


def _place(value: float) -> int:
    """The column of a rate; beyond the scale its ends."""
    decades = 0.0 if value <= 0.0 else math.log10(100.0 * value) + 2.0
    return _START + round(_DECADE * min(max(decades, 0.0), 4.0))
