"""A tree as JSON: what is said and shown, and beside its text every number that a cell has."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from betaroc.rendering.table_text import records
from betaroc.rendering.tree import (
    Bullets,
    Cell,
    Content,
    Figure,
    Figures,
    Glossary,
    Grid,
    Group,
    Name,
    Row,
    Section,
    Status,
    Words,
)

_Object = dict[str, Any]


def dict_of(section: Section) -> _Object:
    """A section with its blocks, each of which has the kind of thing that it is.

    Examples
    --------
    >>> dict_of(Section("Scores", (Words("Two files."),), "200 clients"))["blocks"]
    [{'kind': 'words', 'text': 'Two files.'}]
    """
    blocks = [one for block in section.blocks for one in _blocks_of(block)]
    return _without_empty(
        kind="section", title=section.title, finding=section.finding, key=section.key
    ) | {"blocks": blocks}


def _blocks_of(block: Any) -> list[_Object]:
    """One object, or one for each picture of several that stand beside each other."""
    if isinstance(block, Figures):
        return [_figure(one) for one in block.items]
    return [_FORMS[type(block)](block)]


def _grid(grid: Grid) -> _Object:
    columns = [_text(one.text if isinstance(one, Cell) else one) for one in grid.head]
    table = {"kind": "table", "columns": columns, "rows": [_row(row) for row in grid.rows]}
    return table | ({"records": records(grid.kept)} if grid.kept else {})


def _row(row: Row | Group) -> _Object:
    if isinstance(row, Group):
        return _without_empty(group=row.title, note=row.note)
    cells = [_cell(one) for one in row.cells]
    return {"cells": cells} | ({"chosen": True} if row.chosen else {})


def _cell(cell: Content) -> _Object:
    if isinstance(cell, Status):
        return _status(cell)
    if not isinstance(cell, Cell):
        return {"text": _text(cell)}
    numbers = {"value": cell.value, "low": cell.low, "high": cell.high, "n_beyond": cell.n_beyond}
    known = {k: v for k, v in numbers.items() if v is not None and not math.isnan(v)}
    said = _without_empty(interval=cell.span, note=cell.note)
    return {"text": _text(cell.text)} | said | known


def _words(words: Words) -> _Object:
    return _without_empty(kind="words", lead=words.lead, text=words.text, role=words.kind)


def _bullets(bullets: Bullets) -> _Object:
    return {"kind": "bullets", "items": [_text(one) for one in bullets.items]}


def _figure(figure: Figure) -> _Object:
    return _without_empty(kind="figure", caption=figure.caption, shows=figure.alt)


def _status(status: Status) -> _Object:
    return _without_empty(
        kind="status", of=status.of, verdict=status.verdict, reason=status.reason,
        change=status.change,
    )  # fmt: skip


def _glossary(glossary: Glossary) -> _Object:
    terms: Sequence[tuple[str, str]] = glossary.items
    return {"kind": "glossary", "terms": dict(terms)}


_FORMS: dict[type, Callable[[Any], _Object]] = {
    Grid: _grid, Words: _words, Bullets: _bullets, Figure: _figure, Status: _status,
    Glossary: _glossary, Section: dict_of,
}  # fmt: skip


def _text(text: Name | str) -> str:
    """A name of the user's whole."""
    return text.whole if isinstance(text, Name) else text


def _without_empty(**texts: str) -> _Object:
    return {name: text for name, text in texts.items() if text}
