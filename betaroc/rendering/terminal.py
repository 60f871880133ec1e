"""A decision on a terminal of 80 columns: paragraphs, rates on a log scale."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from textwrap import wrap

__all__ = ["Strip", "broken", "strip"]

#: Where the strip begins, its columns, and the decades below 100 % that it has at least.
_START, _WIDTH, _DECADES = 14, 48, 4

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
    rates = [value for _, _, value, _ in rows] + [1.0 if target is None else target]
    least = min(rate for rate in rates if rate > 1e-12)
    decades = max(_DECADES, math.ceil(-math.log10(least) - 1e-9))
    head = [" "] * (_START + _WIDTH + 8)
    _write(head, 0, name)
    for k in range(0, decades + 1, -(-decades // _DECADES)):
        text = f"{10.0 ** (2 - k):g}" if k else "100 %"
        _write(head, _place(10.0**-k, decades) - (2 if k else 3), text)
    lines = ["".join(head).rstrip()]
    for k, (who, low, value, high) in enumerate(rows):
        line = [" "] * (_START + _WIDTH + 2)
        _write(line, 0, who)
        for power in range(decades + 1):
            line[_place(10.0**-power, decades)] = "."
        middle = _place(value, decades)
        if not math.isnan(low):
            first = _place(low, decades)
            middle = max(middle, first + (value > low))
            last = max(_place(high, decades), middle + 1)
            for at in range(first, last + 1):
                line[at] = "-" if plain else "─"
            line[first], line[last] = ("[", "]") if plain else ("├", "┤")
        line[middle] = "o" if k == 0 else "*" if plain else "●"
        lines.append("".join(line).rstrip())
    if target is not None:
        lines.append(" " * _place(target, decades) + f"target {100.0 * target:g} %")
    return lines


def _write(line: list[str], at: int, text: str) -> None:
    line[at : at + len(text)] = list(text)


def _place(value: float, decades: int) -> int:
    """The column of a rate; beyond the scale its ends."""
    above = 0.0 if value <= 0.0 else math.log10(value) + decades
    return _START + round(_WIDTH * min(max(above / decades, 0.0), 1.0))
