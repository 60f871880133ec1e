"""Tables as CSV and as LaTeX, and their cells as text."""

from __future__ import annotations

import csv
import io
import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from betaroc.core.vocabulary import DEFAULT
from betaroc.rendering.tree import (
    Cell,
    Content,
    Grid,
    Name,
    Node,
    Paragraph,
    Row,
    Section,
    Status,
    as_named,
)

#: What spreadsheets begin a formula with, some of them at double width too.
_FORMULAS = tuple("=+-@＝＋－＠")
_NUMBERS = int | float | np.integer | np.floating
#: Accents that LaTeX has for every letter, in its oldest encoding too, and letters that it has.
_ACCENTS = set("\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327")
_LETTERS = set("ßæÆøØœŒłŁåÅ")
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho varsigma sigma"
    " tau upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
_SIGNS = {
    **dict(zip("αβγδεζηθικλμνξπρςστυφχψωΓΔΘΛΞΠΣΥΦΨΩ",
               (rf"$\{name}$" for name in _GREEK.split()), strict=True)),
    "≤": r"$\leq$", "≥": r"$\geq$", "×": r"$\times$", "±": r"$\pm$", "−": "$-$",
    "–": "--", "—": "---", "·": r"$\cdot$", "∞": r"$\infty$", "°": r"$^\circ$",
    "‘": "`", "’": "'", "“": "``", "”": "''", "…": r"\ldots{}", "→": r"$\rightarrow$",
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "%": r"\%", "$": r"\$", "&": r"\&",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    "[": "{[}", "]": "{]}",
}  # fmt: skip


def kept_grid(nodes: Iterable[Node]) -> Grid:
    """The first table of a tree that files hold, else an empty table."""
    for node in nodes:
        grid = kept_grid(node.blocks) if isinstance(node, Section) else node
        if isinstance(grid, Grid) and grid.kept:
            return grid
    return Grid((), ())


def records(columns: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """The rows by the names of their columns, as JSON has them.

    Examples
    --------
    >>> records({"n": [1, 2], "rate": [0.5, 0.25]})
    [{'n': 1, 'rate': 0.5}, {'n': 2, 'rate': 0.25}]
    """
    lists = (
        column.tolist() if isinstance(column, np.ndarray) else column for column in columns.values()
    )
    return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]


def csv_table(columns: Mapping[str, Sequence[Any]]) -> str:
    """A line of names, then the rows; what is undefined is empty, and no text is a formula."""
    out = io.StringIO()
    rows = columns, *zip(*columns.values(), strict=True)
    csv.writer(out, lineterminator="\n").writerows(map(_csv_cell, row) for row in rows)
    return out.getvalue()


def _csv_cell(value: float | int | bool | str | None) -> str:
    """A number that reads back as it was, or a text that stays on its line."""
    if isinstance(value, str):
        plain = "".join(c if c.isprintable() else "?" for c in value)
        return f"'{plain}" if plain.lstrip().startswith(_FORMULAS) else plain
    if value is None or math.isnan(value):
        return ""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def upright(columns: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    """A single row as a column of names and one of values."""
    if len(columns) < 3 or any(len(values) != 1 for values in columns.values()):
        return columns
    return {"": list(columns), "value": [values[0] for values in columns.values()]}


def cell_of(value: Any) -> Cell | Name:
    """A number with six digits, anything else as it prints."""
    if not isinstance(value, _NUMBERS) or isinstance(value, bool):
        return as_named("" if value is None else str(value))
    text = f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
    return Cell("" if math.isnan(value) else text, value=float(value))


# ------------------------------------------------------------------------------- LaTeX
def latex_table(columns: Mapping[str, Sequence[Any]]) -> str:
    """A table with the rules of booktabs; a single row stands upright.

    Numbers have six digits. What LaTeX's oldest engine cannot set is written as its code point.
    """
    named = {name: [*map(cell_of, values)] for name, values in upright(columns).items()}
    numbers = (all(isinstance(cell, Cell) for cell in cells) for cells in named.values())
    rows = (map(_latex_number, row) for row in zip(*named.values(), strict=True))
    return _tabular(["r" if right else "l" for right in numbers], map(latex_text, named), rows)


def latex_grid(grid: Grid) -> str:
    """A table as it is read, or the columns that are kept of it, with the rules of booktabs."""
    if not grid.typeset:
        return latex_table(grid.kept)
    left = {0, *grid.words}
    rows = (map(_latex_cell, row.cells) for row in grid.rows if isinstance(row, Row))
    columns = ["l" if k in left else "r" for k in range(len(grid.head))]
    return _tabular(columns, map(_latex_cell, grid.head), rows)


def latex_comments(nodes: Iterable[Node]) -> str:
    """What is said beside a table, cautions among it, as comments of LaTeX."""
    texts = [
        node.verdict if isinstance(node, Status) else f"{node.lead} {node.text}"
        for node in nodes if isinstance(node, Status | Paragraph)
    ]  # fmt: skip
    lines = [line.strip() for text in texts for line in DEFAULT.fill(text).splitlines()]
    return "".join(f"% {line}\n" for line in lines if line)


def _tabular(columns: list[str], head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    first, *body = (" & ".join(cells) + r" \\" for cells in (head, *rows))
    start = rf"\begin{{tabular}}{{{''.join(columns) or 'l'}}}"
    lines = [start, r"\toprule", first, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def _latex_cell(content: Content) -> str:
    cell = content if isinstance(content, Cell) else Cell("")
    text = cell.text if isinstance(content, Cell) else content
    text = text.verdict if isinstance(text, Status) else text
    text = text.whole if isinstance(text, Name) else text
    return latex_text(f"{text} ({cell.span})" if cell.span else text)


def _latex_number(cell: Cell | Name) -> str:
    if isinstance(cell, Name):
        return latex_text(cell.whole)
    text = str(cell.text).replace("inf", r"\infty")
    if "e" in text:
        digits, _, power = text.partition("e")
        return rf"${digits} \cdot 10^{{{int(power)}}}$"
    return f"${text}$" if text.startswith("-") or "inf" in text else text


def latex_text(text: str) -> str:
    """The text so that any engine sets it."""
    normal = unicodedata.normalize("NFC", DEFAULT.fill(text))
    return "".join(map(_latex_character, " ".join(normal.split())))


def _latex_character(character: str) -> str:
    apart = unicodedata.normalize("NFD", character)
    accented = len(apart) == 2 and apart[0].isascii() and apart[1] in _ACCENTS
    latin = character < "\u0180" and (accented or character in _LETTERS)
    plain = " " <= character < "\x7f" or latin
    return _SIGNS.get(character, character if plain else rf"\texttt{{U+{ord(character):04X}}}")
