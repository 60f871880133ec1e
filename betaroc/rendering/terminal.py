"""A decision on a terminal of 80 columns: rates, thresholds, rates on a log scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from textwrap import wrap

__all__ = ["Strip", "count", "interval", "paragraph", "rate", "rounded", "strip"]

#: Where the strip begins, and columns of a decade.
_START, _DECADE = 14, 12
_DECADES = (0.01, 0.1, 1.0, 10.0, 100.0)

#: Name, low, rate and high, as fractions.
Strip = tuple[str, float, float, float]


def rate(value: float, *, unit: bool = True) -> str:
    """A rate in per cent, two digits counted from the nearer end."""
    share = 100.0 * value
    near = min(share, 100.0 - share)
    if math.isnan(share) or near <= 0.0:
        text = "undefined" if math.isnan(share) else f"{share:.0f}"
    else:
        lead = math.floor(math.log10(float(f"{near:.1e}")))
        text = f"{share:.{max((1 if share <= 50.0 else 0) - lead, 0)}f}"
    return f"{text} %" if unit and not math.isnan(share) else text


def interval(low: float, high: float) -> str:
    """Both ends, with the unit once."""
    return f"{rate(low, unit=False)} to {rate(high)}"


def count(n: float) -> str:
    """A whole number, from ten thousand on with a space between thousands."""
    text = f"{round(n):d}"
    return f"{round(n):,d}".replace(",", " ") if len(text) > 4 else text


def rounded(threshold: float, *, up: bool) -> str:
    """Four digits of a threshold, rounded so that a copied value does not break the target."""
    if not math.isfinite(threshold):
        return "accept all" if threshold < 0.0 else "reject all"
    context = Context(prec=4, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    found = context.create_decimal(Decimal(threshold))
    return format(found, "f") if 1e-4 <= abs(found) < 1e6 or not found else str(found)


def paragraph(text: str) -> list[str]:
    """A text in lines of 78 columns, indented."""
    return [f"  {line}" for line in wrap(text, 76)]


def strip(name: str, rows: Sequence[Strip], target: float | None, *, plain: bool) -> list[str]:
    """Rates with their intervals on one log scale; o of dev, a dot of test."""
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
        first = _place(low)
        middle = max(_place(value), first + (value > low))
        ends = first, max(_place(high), middle + 1)
        for at in range(ends[0], ends[1] + 1):
            line[at] = "-" if plain else "─"
        line[ends[0]], line[ends[1]] = ("[", "]") if plain else ("├", "┤")
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
