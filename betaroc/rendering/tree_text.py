"""A tree in a terminal: plain characters, columns that line up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from betaroc.rendering.tree import (
    Bullets,
    Cell,
    Grid,
    Group,
    Name,
    Node,
    Row,
    Section,
    Status,
    Words,
)

__all__ = ["text_of"]

_SIGNS = str.maketrans({
    "’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "−": "-", "…": "...", "é": "e",
    "≤": "<=", "≥": ">=",
    "θ": "t", "ρ": "rho", "α": "alpha",
})  # fmt: skip


def text_of(sections: Iterable[Section]) -> str:
    """Sections with an empty line in between; pictures and legends are for pages."""
    return "\n\n".join(filter(None, map(_section, sections)))


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


def _section(section: Section) -> str:
    told = [(block, text) for block in section.blocks if (text := _block(block))]
    if not told:
        return ""
    title = _plain(f"{section.title}: {section.finding}" if section.finding else section.title)
    # A section within one stands apart, unless it is the first thing said.
    gaps = ["\n" * (k > 0 and isinstance(block, Section)) for k, (block, _) in enumerate(told)]
    body = [gap + text for gap, (_, text) in zip(gaps, told, strict=True)]
    return "\n".join([title, *body] if title else body)


def _block(node: Node) -> str:
    match node:
        case Section():
            return _section(node)
        case Grid():
            return _grid(node)
        case Words():
            return {"legend": "", "given": node.text}.get(node.kind, _plain(node.text))
        case Bullets():
            return "\n".join(map(_plain, node.items))
        case Status():
            words = f"{node.of}: {node.verdict}: {node.reason}"
            return _plain(f"{words} {node.change}".rstrip())
        case _:
            return ""


def _grid(grid: Grid) -> str:
    """Lines across the table stand out by their place; intervals stand in a column's cells."""
    texts = [[_cell(cell) for cell in row.cells] for row in grid.rows if isinstance(row, Row)]
    spans = [[_span(cell) for cell in row.cells] for row in grid.rows if isinstance(row, Row)]
    wide = [max([len(row[k]) for row in spans], default=0) for k in range(len(grid.head))]
    rows = [
        [f"{cell} {span.ljust(width)}" if width else cell
         for cell, span, width in zip(*both, wide, strict=True)]
        for both in zip(texts, spans, strict=True)
    ]  # fmt: skip
    lines = _columns([list(map(_cell, grid.head)), *rows], grid.words).split("\n")
    body = iter(lines[1:])
    told = [_group(row) if isinstance(row, Group) else next(body) for row in grid.rows]
    return "\n".join([lines[0], *told] if lines[0] else told)


def _group(group: Group) -> str:
    return "\n".join(f"  {_plain(text)}" for text in (group.title, group.note) if text)


def _cell(cell: Cell | Name | str) -> str:
    text = cell.text if isinstance(cell, Cell) else cell
    if isinstance(text, Name):  # the sign of a cut is ours
        return text.short if text.short == text.whole else text.short.replace("…", "...")
    return _plain(text)


def _span(cell: Cell | Name | str) -> str:
    return f"({_plain(cell.span)})" if isinstance(cell, Cell) and cell.span else ""


def _plain(text: str) -> str:
    return text.translate(_SIGNS)
