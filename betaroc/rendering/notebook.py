"""Results in a notebook: their tree in a style of its own.

Everything is of the block alone: no script, no style attribute, no picture from elsewhere. Texts
have the colour of the page around, and each class a tone that stands on white and on black.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from betaroc.core.vocabulary import DEFAULT
from betaroc.rendering.numbers import visible
from betaroc.rendering.table_text import cell_of, upright
from betaroc.rendering.tree import Cell, Grid, Group, Node, Row, Section, Words, as_named
from betaroc.rendering.tree_html import html_of

_ROWS, _COLUMNS = 12, 12
#: Characters of a name; of a longer one the middle is left out.
_NAME = 40
_STYLE = (
    ".betaroc{--cl:#2f80c8;--im:#d9701a;--fit:#808080;--hair:#80808040;--bg:none;"
    "--ink:currentColor;--mut:currentColor;font:14px/1.45 system-ui,sans-serif;"
    "font-variant-numeric:tabular-nums lining-nums;"
    "max-width:760px;color:inherit;display:flex;flex-wrap:wrap;gap:4px 28px;align-items:center}"
    ".betaroc>p,.betaroc>details{flex:1 0 100%;margin:0}"
    ".betaroc b{font-weight:650}"
    ".betaroc .answer b{font-size:22px}"
    ".betaroc .tag{display:flex;gap:8px;align-items:center}"
    ".betaroc .scroll{overflow-x:auto;max-width:100%}"
    ".betaroc figure{margin:0;max-width:100%}"
    ".betaroc table{border-collapse:collapse;margin:6px 0;border:0}"
    ".betaroc tr,.betaroc th,.betaroc td{background:none;border:0;font-weight:400;text-align:left;"
    "padding:3px 18px 3px 0;white-space:nowrap}"
    ".betaroc .wide{white-space:normal}"
    ".betaroc td:has(.ci){font-weight:650}"
    ".betaroc .ci{font-weight:400;padding-left:.5em}"
    # Numbers alone stand below each other.
    ".betaroc table:not(:has(.ci)) :is(th,td):not(.text,:first-child){text-align:right}"
    ".betaroc svg{flex:none;max-width:100%;height:auto}"
    ".betaroc figure svg{fill:currentColor}"
    ".betaroc summary{cursor:pointer}"
)


def html_block(nodes: Sequence[Node]) -> str:
    """What a notebook shows of a result, all its texts escaped."""
    body = html_of([Section("", tuple(nodes))])
    return DEFAULT.fill(f'<div class="betaroc">\n<style>{_STYLE}</style>\n{body}</div>')


def table_nodes(columns: Mapping[str, Sequence[Any]], caption: str) -> list[Node]:
    """A small table of numbers and texts."""
    named = upright(columns)
    size = max((len(column) for column in named.values()), default=0)
    cells = [[*map(cell_of, column[:_ROWS])] for column in list(named.values())[:_COLUMNS]]
    words = [k for k, column in enumerate(cells) if not all(isinstance(c, Cell) for c in column)]
    more: list[str] = ["…"] * (len(named) > _COLUMNS)
    rows = [Row((*row, *more)) for row in zip(*cells, strict=True)]
    left = [Group(f"{size - _ROWS} more rows")] * (size > _ROWS)
    head: tuple[Any, ...] = (*map(as_named, list(named)[:_COLUMNS]), *more)
    return [Words(caption), Grid(head, (*rows, *left), tuple(words))]


# ------------------------------------------------------------------------------- texts
def name_shown(name: str, width: int = _NAME) -> str:
    """A foreign name on one line that turns no text around it, without its middle where long."""
    text = visible(name)
    if len(text) > width:
        text = f"{text[: width // 2]}…{text[-(width - width // 2 - 1) :]}"
    return text if text.isascii() else f"\u2068{text}\u2069"
