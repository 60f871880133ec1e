"""Tables as CSV and as LaTeX, and their cells as text."""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from betaroc.rendering.tree import Cell, Content, Grid, Name, Node, Row, Section, Status

#: Accents that LaTeX has for every letter, in its oldest encoding too.
_ACCENTS = {
    "\u0300", "\u0301", "\u0302", "\u0303", "\u0304", "\u0306", "\u0307", "\u0308", "\u030a",
    "\u030b", "\u030c", "\u0327",
}  # fmt: skip
_LETTERS = set("ßæÆøØœŒłŁåÅ")
_GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER (\w+)")
#: Greek letters that LaTeX spells otherwise, or takes from the Latin alphabet.
_SPELT = {"LAMDA": "lambda", "FINAL SIGMA": "varsigma"}
_COMMANDS = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
    "lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi",
    "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi",
    "Omega",
}  # fmt: skip
_SIGNS = {"≤": r"$\leq$", "≥": r"$\geq$", "×": r"$\times$", "±": r"$\pm$", "−": "$-$",
          "–": "--", "—": "---", "·": r"$\cdot$", "∞": r"$\infty$", "°": r"$^\circ$",
          "‘": "`", "’": "'", "“": "``", "”": "''", "…": r"\ldots{}", "→": r"$\rightarrow$",
          "\xa0": "~"}  # fmt: skip


#: What spreadsheets begin a formula with, some of them at double width too.
_FORMULAS = tuple("=+-@＝＋－＠")


def kept_grid(nodes: Iterable[Node]) -> Grid:
    """The first table of a tree that files hold, else an empty table."""
    for node in nodes:
        grid = kept_grid(node.blocks) if isinstance(node, Section) else node
        if isinstance(grid, Grid) and grid.kept:
            return grid
    return Grid((), ())


def csv_table(columns: Mapping[str, Sequence[Any]]) -> str:
    """A line of names, then the rows; what is undefined is empty, and no text is a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(_plain_text, columns))
    for row in zip(*columns.values(), strict=True):
        writer.writerow([_plain_text(v) if isinstance(v, str) else _csv_cell(v) for v in row])
    return out.getvalue()


def records(columns: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """The rows by the names of their columns, as JSON has them.

    Examples
    --------
    >>> records({"n": [1, 2], "rate": [0.5, 0.25]})
    [{'n': 1, 'rate': 0.5}, {'n': 2, 'rate': 0.25}]
    """
    lists = (one.tolist() if isinstance(one, np.ndarray) else one for one in columns.values())
    return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]


def _csv_cell(value: float | int | bool | str | None) -> str:
    """A number that reads back as it was, a word, or nothing."""
    if isinstance(value, bool):
        return str(value).lower()
    if value is None or isinstance(value, str):
        return value or ""
    return "" if math.isnan(value) else repr(value)


def _plain_text(value: str) -> str:
    """A cell that no spreadsheet computes and that stays on its line."""
    plain = "".join(c if c.isprintable() else "?" for c in value)
    return f"'{plain}" if plain.lstrip().startswith(_FORMULAS) else plain


def latex_table(columns: Mapping[str, Sequence[Any]]) -> str:
    """A table with the rules of booktabs; a single row stands upright.

    Numbers have six digits. What LaTeX's oldest engine cannot set is written as its code point.
    """
    import pandas as pd

    named = upright(columns)
    cells = {
        latex_text(name): [_latex_cell(value) for value in values] for name, values in named.items()
    }
    frame = pd.DataFrame(cells, dtype=object)
    right = "".join("r" if all(map(_is_number, values)) else "l" for values in named.values())
    style = frame.style.hide(axis="index")
    return str(style.to_latex(hrules=True, column_format=right or "l"))


def latex_grid(grid: Grid) -> str:
    """A table as it is read, or the columns that are kept of it, with the rules of booktabs."""
    if not grid.typeset:
        return latex_table(grid.kept)
    rows = [grid.head, *(row.cells for row in grid.rows if isinstance(row, Row))]
    head, *body = (" & ".join(map(_latex_content, cells)) + r" \\" for cells in rows)
    left = {0, *grid.words}
    columns = "".join("l" if k in left else "r" for k in range(len(grid.head)))
    start = rf"\begin{{tabular}}{{{columns}}}"
    lines = [start, r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def _latex_content(content: Content) -> str:
    cell = content if isinstance(content, Cell) else Cell("")
    text = cell.text if isinstance(content, Cell) else content
    text = text.verdict if isinstance(text, Status) else text
    text = text.whole if isinstance(text, Name) else text
    return latex_text(f"{text} ({cell.span})" if cell.span else text)


def upright(columns: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    """A single row as a column of names and one of values."""
    if len(columns) < 3 or any(len(values) != 1 for values in columns.values()):
        return columns
    return {"": list(columns), "value": [values[0] for values in columns.values()]}


def _is_number(value: Any) -> bool:
    kinds = int | float | np.integer | np.floating
    return isinstance(value, kinds) and not isinstance(value, bool)


def shown_cell(value: Any) -> tuple[str, bool]:
    """A cell as text, and whether it is a number."""
    return _cell(value), _is_number(value)


def _cell(value: Any) -> str:
    """A number with six digits, anything else as it prints."""
    if value is None or (_is_number(value) and math.isnan(value)):
        return ""
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    return str(value)


def _latex_cell(value: Any) -> str:
    if isinstance(value, float | np.floating) and math.isinf(value):
        return r"$\infty$" if value > 0.0 else r"$-\infty$"
    text = _cell(value)
    if _is_number(value) and "e" in text:
        digits, _, power = text.partition("e")
        return rf"${digits} \cdot 10^{{{int(power)}}}$"
    return f"${text}$" if _is_number(value) and text.startswith("-") else latex_text(text)


_ASCII = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "%": r"\%", "$": r"\$", "&": r"\&",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    "[": "{[}", "]": "{]}",
}  # fmt: skip


def latex_text(text: str) -> str:
    """The text so that any engine sets it."""
    return "".join(map(_latex_character, " ".join(unicodedata.normalize("NFC", text).split())))


def _latex_character(character: str) -> str:
    if " " <= character < "\x7f":
        return _ASCII.get(character, character)
    if character in _SIGNS:
        return _SIGNS[character]
    apart = unicodedata.normalize("NFD", character)
    if character in _LETTERS or (len(apart) == 2 and apart[0].isascii() and apart[1] in _ACCENTS):
        return character if character < "\u0180" else _code_point(character)
    found = _GREEK.fullmatch(unicodedata.name(character, ""))
    if found:
        word = _SPELT.get(found[2], found[2].lower())
        word = word.capitalize() if found[1] == "CAPITAL" else word
        if word in _COMMANDS:
            return rf"$\{word}$"
    return _code_point(character)


def _code_point(character: str) -> str:
    return rf"\texttt{{U+{ord(character):04X}}}"
