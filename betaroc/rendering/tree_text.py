"""A tree in a terminal: plain characters, columns that line up, rates on a log scale."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from textwrap import wrap

from betaroc.rendering.numbers import decades_of, log_share
from betaroc.rendering.tree import (
    Bullets,
    Cell,
    Content,
    Grid,
    Group,
    Name,
    Node,
    Row,
    Section,
    Status,
    Words,
)

_SIGNS = str.maketrans({
    "’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "−": "-", "…": "...", "é": "e",
    "≤": "<=", "≥": ">=",
    "θ": "t", "ρ": "rho", "α": "alpha",
})  # fmt: skip


#: Columns of a terminal, and of what stands below a row.
_WIDE, _BELOW = 80, 4


def text_of(sections: Iterable[Section], *, wrapped: bool = False) -> str:
    """Sections with an empty line in between; pictures and legends are for pages.

    Where it is to be `wrapped`, paragraphs are lines of a terminal, indented below a heading; what
    is given and has no heading stays as it is.
    """
    return "\n\n".join(filter(None, (_section(one, wrapped) for one in sections)))


def _columns(rows: Sequence[Sequence[str]], words: Sequence[int]) -> str:
    """Rows with the first column, and those of words, to the left and the others to the right."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    left = {0, *words}
    return "\n".join(
        ("  " + "  ".join(
            cell.ljust(width) if k in left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        )).rstrip()
        for row in rows
    )  # fmt: skip


def _section(section: Section, wrapped: bool) -> str:
    title = _plain(f"{section.title}: {section.finding}" if section.finding else section.title)
    inset = "  " * bool(title)
    told = [(one, text) for one in section.blocks if (text := _block(one, wrapped, inset))]
    if not told:
        return ""
    # A section within one stands apart, unless it is the first thing said.
    gaps = ["\n" * (k > 0 and isinstance(block, Section)) for k, (block, _) in enumerate(told)]
    body = [gap + text for gap, (_, text) in zip(gaps, told, strict=True)]
    return "\n".join([title, *body] if title else body)


def _block(node: Node, wrapped: bool, inset: str) -> str:
    match node:
        case Section():
            return _section(node, wrapped)
        case Grid():
            return _fixed(node) if node.widths else _grid(node)
        case Words():
            return _words(node, wrapped, inset)
        case Bullets():
            items = [_cell(item) for item in node.items]
            lines = (broken(item, _WIDE - 2) if wrapped else [item] for item in items)
            return "\n".join(map("\n  ".join, lines))
        case Status():
            words = ": ".join(filter(None, (node.of, node.verdict, node.reason)))
            return _plain(f"{words} {node.change}".rstrip())
        case _:
            return ""


def _words(node: Words, wrapped: bool, inset: str) -> str:
    if node.kind == "legend":
        return ""
    text, given = f"{node.lead} {node.text}" if node.lead else node.text, node.kind == "given"
    text = text if given else _plain(text)
    if not wrapped or (given and not inset):
        return text
    return "\n".join(inset + line for line in broken(text, _WIDE - 2 - len(inset)))


def _grid(grid: Grid) -> str:
    """Lines across the table stand out by their place; intervals stand in a column's cells."""
    texts = [[_cell(cell) for cell in row.cells] for row in grid.rows if isinstance(row, Row)]
    spans = [[_around(cell) for cell in row.cells] for row in grid.rows if isinstance(row, Row)]
    wide = [max([len(row[k]) for row in spans], default=0) for k in range(len(grid.head))]
    rows = [
        [f"{cell} {span.ljust(width)}" if width else cell
         for cell, span, width in zip(*both, wide, strict=True)]
        for both in zip(texts, spans, strict=True)
    ]  # fmt: skip
    lines = _columns([list(map(_cell, grid.head)), *rows], grid.words).split("\n")
    body = iter(lines[1:])
    texts = [
        [f"  {_plain(text)}" for text in (row.title, row.note) if text]
        if isinstance(row, Group) else [next(body)]
        for row in grid.rows
    ]  # fmt: skip
    return "\n".join([*filter(None, lines[:1]), *(line for part in texts for line in part)])


def _fixed(grid: Grid) -> str:
    """Columns of given widths; what is said of a row stands below it."""
    rows = [Row(grid.head)] * any(grid.head) + list(grid.rows)
    told = [row.cells for row in rows if isinstance(row, Row)]
    beside = [
        max((len(_cell(row[k])) for row in told if k < len(row) and _span(row[k])), default=0)
        for k in range(len(grid.widths))
    ]
    lines: list[str] = []
    for row in rows:
        if isinstance(row, Row):
            lines += _lines(grid, row.cells, beside)
        else:
            below = broken(_plain(row.note), _WIDE - _BELOW)
            lines += [" " * _BELOW + line for line in below]
    return "\n".join(line.rstrip() for line in lines)


def _lines(grid: Grid, cells: Sequence[Content], beside: Sequence[int]) -> list[str]:
    """A row, words broken where they must be, spans below where one of them has no room."""
    size, left = len(cells), {0, *grid.words}
    widths = list(grid.widths[:size])
    if size < len(grid.widths):
        widths[-1], left = _WIDE - sum(widths[:-1]) + 1, left | {size - 1}
    ends = [k in left and (k + 1 in left or k + 1 == size) for k in range(size)]  # with a blank
    alone = len(_cell(cells[0])) > widths[0] - (1 in grid.words)
    stacks = [["" if alone else _cell(cells[0])]]
    parts = [  # texts as wide as others that have a span beside them, spans, notes
        (_cell(cell).ljust(width if _span(cell) else 0), _span(cell), getattr(cell, "note", ""))
        for cell, width in zip(cells, beside, strict=False)
    ]
    fits = all(
        len(f"{text} {span}".rstrip()) < width
        for k, ((text, span, _), width) in enumerate(zip(parts, widths, strict=True))
        if k and k in left and span
    )
    for k, (text, span, note) in enumerate(parts[1:], 1):
        told = [f"{text} {span}".rstrip(), note] if fits else [text, span, note]
        stacks.append([
            line for one in told if one
            for line in (broken(one, widths[k] - 1) if k in left else [one])
        ])  # fmt: skip
    lines = [
        "".join(
            f"{text:{width - 1}} " if end else f"{text:{'' if k in left else '>'}{width}}"
            for k, (text, width, end) in enumerate(zip(line, widths, ends, strict=True))
        )
        for line in zip_longest(*stacks, fillvalue="")
    ]
    return [_cell(cells[0])] * alone + lines


def _cell(cell: Content) -> str:
    text = cell.verdict if isinstance(cell, Status) else cell
    text = text.text if isinstance(text, Cell) else text
    if isinstance(text, Name):  # the sign of a cut is ours
        return text.short if text.short == text.whole else text.short.replace("…", "...")
    return _plain(text)


def _span(cell: Content) -> str:
    return f"({_plain(cell.span)})" if isinstance(cell, Cell) and cell.span else ""


def _around(cell: Content) -> str:
    """The span and the note together."""
    beside = [one for one in (cell.span, cell.note) if one] if isinstance(cell, Cell) else []
    return f"({_plain(', '.join(beside))})" if beside else ""


def _plain(text: str) -> str:
    return text.translate(_SIGNS)


#: Where the strip begins, and its columns.
_START, _WIDTH = 14, 48

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
    decades = decades_of([value for _, _, value, _ in rows] + [target or 1.0])

    def place(rate: float) -> int:
        return _START + round(_WIDTH * log_share(rate, decades))

    head = [" "] * (_START + _WIDTH + 8)
    _write(head, 0, name)
    for k in range(0, decades + 1, -(-decades // 4)):
        text = f"{10.0 ** (2 - k):g}" if k else "100 %"
        _write(head, place(10.0**-k) - (2 if k else 3), text)
    lines = ["".join(head).rstrip()]
    for k, (who, low, value, high) in enumerate(rows):
        line = [" "] * (_START + _WIDTH + 3)
        _write(line, 0, who)
        for power in range(decades + 1):
            line[place(10.0**-power)] = "."
        middle = place(value)
        if not math.isnan(low):
            first = place(low)
            middle = max(middle, first + (value > low))
            last = max(place(high), middle + 1)
            bar = "-" * (last - first - 1)
            _write(line, first, f"[{bar}]" if plain else f"├{bar}┤".replace("-", "─"))
        line[middle] = "o" if k == 0 else "*" if plain else "●"
        lines.append("".join(line).rstrip())
    if target is not None:
        lines.append(" " * place(target) + f"target {100.0 * target:g} %")
    return lines


def _write(line: list[str], at: int, text: str) -> None:
    line[at : at + len(text)] = list(text)
