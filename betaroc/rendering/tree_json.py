"""A tree as JSON: what is said and shown, and beside its text every number that a cell has."""

from __future__ import annotations

import math
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
    Html,
    Name,
    Node,
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
    blocks = [part for block in section.blocks for part in _blocks_of(block)]
    return _without_empty(
        kind="section", title=section.title, finding=section.finding, key=section.key
    ) | {"blocks": blocks}


def _blocks_of(block: Node) -> list[_Object]:
    """One object, or one for each picture of several that stand beside each other."""
    match block:
        case Figures():
            return [part for figure in block.items for part in _blocks_of(figure)]
        case Section():
            return [dict_of(block)]
        case Grid():
            columns = [_text(cell.text if isinstance(cell, Cell) else cell) for cell in block.head]
            table = {"kind": "table", "columns": columns, "rows": [*map(_row, block.rows)]}
            return [table | ({"records": records(block.kept)} if block.kept else {})]
        case Words():
            fields = {"lead": block.lead, "text": block.text, "role": block.kind}
            return [_without_empty(kind="words", **fields)]
        case Bullets():
            return [{"kind": "bullets", "items": [*map(_text, block.items)]}]
        case Figure():
            return [_without_empty(kind="figure", caption=block.caption, shows=block.alt)]
        case Status():
            return [_status(block)]
        case Glossary():
            return [{"kind": "glossary", "terms": dict(block.items)}]
        case Html():
            return []


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


def _status(status: Status) -> _Object:
    return _without_empty(
        kind="status", of=status.of, verdict=status.verdict, reason=status.reason,
        change=status.change,
    )  # fmt: skip


def _text(text: Name | str) -> str:
    """A name of the user's whole."""
    return text.whole if isinstance(text, Name) else text


def _without_empty(**texts: str) -> _Object:
    return {name: text for name, text in texts.items() if text}
