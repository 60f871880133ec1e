"""A tree as JSON: what is said and shown, and beside its text every number that a cell has."""

from __future__ import annotations

import math
from typing import Any

from betaroc.rendering.table_text import records
from betaroc.rendering.tree import (
    Bullets,
    Cell,
    Content,
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
)

#: By kind of thing the texts of an object, and what they are called where that is another name.
_TEXTS = {
    "section": {"title": "title", "finding": "finding", "key": "key"},
    "words": {"lead": "lead", "text": "text", "kind": "role"},
    "figure": {"caption": "caption", "alt": "shows"},
    "status": {"of": "of", "verdict": "verdict", "reason": "reason", "change": "change"},
    "cell": {"span": "interval", "note": "note"},
    "group": {"title": "group", "note": "note"},
}


def dict_of(section: Section) -> dict[str, Any]:
    """A section with its blocks, each of which has the kind of thing that it is.

    Examples
    --------
    >>> from betaroc.rendering.tree import Words
    >>> dict_of(Section("Scores", (Words("Two files."),), "200 clients"))["blocks"]
    [{'kind': 'words', 'text': 'Two files.'}]
    """
    return _objects(section)[0]


def _objects(node: Node) -> list[dict[str, Any]]:
    """One object, of several pictures beside each other one each, of markup none."""
    made: dict[str, Any] = {"kind": node.tag} | _texts(node, node.tag)
    match node:
        case Figures():
            return [part for figure in node.items for part in _objects(figure)]
        case Html():
            return []
        case Section():
            made["blocks"] = [part for block in node.blocks for part in _objects(block)]
        case Grid():
            columns = [_text(cell.text if isinstance(cell, Cell) else cell) for cell in node.head]
            made = {"kind": "table", "columns": columns, "rows": [*map(_row, node.rows)]}
            made |= {"records": records(node.kept)} if node.kept else {}
        case Bullets():
            made["items"] = [*map(_text, node.items)]
        case Glossary():
            made["terms"] = dict(node.items)
    return [made]


def _row(row: Row | Group) -> dict[str, Any]:
    if isinstance(row, Group):
        return _texts(row, "group")
    return {"cells": [*map(_cell, row.cells)]} | ({"chosen": True} if row.chosen else {})


def _cell(cell: Content) -> dict[str, Any]:
    if isinstance(cell, Status):
        return _objects(cell)[0]
    if not isinstance(cell, Cell):
        return {"text": _text(cell)}
    numbers = {"value": cell.value, "low": cell.low, "high": cell.high, "n_beyond": cell.n_beyond}
    known = {k: v for k, v in numbers.items() if v is not None and not math.isnan(v)}
    return {"text": _text(cell.text)} | _texts(cell, "cell") | known


def _text(text: Name | str) -> str:
    """A name of the user's whole."""
    return text.whole if isinstance(text, Name) else text


def _texts(part: Any, kind: str) -> dict[str, Any]:
    """The texts that are not empty."""
    texts = {name: getattr(part, field) for field, name in _TEXTS.get(kind, {}).items()}
    return {name: text for name, text in texts.items() if text}
