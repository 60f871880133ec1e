"""A tree in a terminal and as Markdown, and its tables as CSV and LaTeX."""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.vocabulary import DEFAULT
from betaroc.rendering import tree

_ASCII = str.maketrans({
    "’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "−": "-", "…": "...", "é": "e",
    "≤": "<=", "≥": ">=",
    "θ": "t", "ρ": "rho", "α": "alpha", "\u2068": "", "\u2069": "",
})  # fmt: skip
#: Sign of a status, the same in ASCII, and its colour.
_STATUS = {
    "good": ("✓", "[ok]", "32"), "warn": ("▲", "[??]", "33"), "bad": ("✗", "[no]", "31"),
}  # fmt: skip
#: Stands for a space where no line may end.
_HELD = "\x1f"
#: A column of words is not made narrower than this.
_NARROWEST = 12


class Terminal(NamedTuple):
    """Columns, signs and colours of a terminal."""

    width: int = 80
    signs: bool = False
    colours: bool = False


def text_of(nodes: Iterable[tree.Node], terminal: Terminal | None = None) -> str:
    """Nodes with an empty line in between."""
    terminal = terminal or Terminal(get_terminal_size().columns)
    lines: list[str] = []
    before: tree.Node | None = None
    for node in nodes:
        text = _node(tree.map_text(node, DEFAULT.fill), terminal, "")
        if text:
            follows = isinstance(before, tree.Status | tree.Paragraph)
            tight = follows and isinstance(node, tree.Paragraph)
            tight = tight and getattr(before, "kind", "") != "answer"
            lines += ["", text] if lines and not tight else [text]
            before = node
    return "\n".join(lines)


def broken(text: str, width: int) -> list[str]:
    """A text in lines that keep numbers with their units."""
    joined = re.sub(r"(?<=\d) (?=\d{3}\b)| (?=%)| (?==)|(?<==) ", _HELD, text)
    lines = wrap(joined, max(width, 8), break_on_hyphens=False, break_long_words=False)
    return [line.replace(_HELD, " ") for line in lines]


def _node(node: tree.Node, terminal: Terminal, inset: str) -> str:
    room = terminal.width - 2 - len(inset)
    match node:
        case tree.Section():
            return _section(node, terminal)
        case tree.Grid():
            return "\n".join(line.rstrip() for line in _grid(node, terminal.width))
        case tree.Paragraph(kind="legend"):
            return ""
        case tree.Paragraph():
            text = node.text if node.kind == "given" else _plain(node.text)
            lead = f"{_plain(node.lead)}{' ' * (3 if node.kind == 'answer' else 1)}"
            text = lead * bool(node.lead) + text
            if node.kind == "given" and not inset:
                return text
            return "\n".join(inset + line for one in text.split("\n") for line in broken(one, room))
        case tree.Bullets():
            items = ("\n  ".join(broken(_cell(item), room)) for item in node.items)
            return "\n".join(items)
        case tree.Status(of=""):
            sign, letters, colour = _STATUS[node.colour]
            head = f"{sign if terminal.signs else letters} {_plain(node.verdict)}"
            return f"\033[{colour}m{head}\033[0m" if terminal.colours else head
        case tree.Status():
            words = ": ".join(filter(None, (node.of, node.verdict, node.reason)))
            return "\n".join(broken(_plain(f"{words} {node.change}".rstrip()), room))
        case tree.Figure(strip=tree.Strip() as strip):
            return "\n".join(_strip(strip, signs=terminal.signs))
        case _:
            return ""


def _section(section: tree.Section, terminal: Terminal) -> str:
    title = _plain(f"{section.title}: {section.finding}" if section.finding else section.title)
    body: list[str] = []
    for block in section.blocks:
        text = _node(block, terminal, "  " * bool(title))
        # A section within one stands apart, unless it is the first thing said.
        body += ["\n" * (isinstance(block, tree.Section) and bool(body)) + text] * bool(text)
    return "\n".join([*broken(title, terminal.width), *body] if title and body else body)


# ------------------------------------------------------------------------------ tables
def _grid(grid: tree.Grid, width: int) -> list[str]:
    for beside in (3, 2, 1, 0):
        lines = _table(grid, width, beside)
        if lines is not None:
            return lines
    heads, lines = [_texts(cell, 0, 3)[0] for cell in grid.head], []
    for row in grid.rows:
        if isinstance(row, tree.Group):
            lines += _across(row, width)
            continue
        for k, (head, cell) in enumerate(zip(heads, row.cells, strict=False)):
            words = ": ".join(filter(None, (head, _texts(cell, 0, 3)[0])))
            lines += [" " * (2 + 2 * (k > 0)) + line for line in broken(words, width - 4)]
    return lines


def _table(grid: tree.Grid, width: int, beside: int) -> list[str] | None:
    size, left, room = len(grid.head), {0, *grid.words}, width - 2 * len(grid.head)
    rows = [row.cells for row in grid.rows if isinstance(row, tree.Row)]
    spans = [max([0, *(len(_around(row[k], beside)) for row in rows if k < len(row))])
             for k in range(size)]  # fmt: skip
    heads = [_texts(cell, 0, min(beside, 1)) for cell in grid.head]
    body = [[_texts(*cell, beside) for cell in zip(row, spans, strict=False)] for row in rows]
    # The last cell of a short row reaches to the end.
    narrow = [row[: len(row) - (len(row) < size)] for row in body]
    least = [max([0, *(len(line) for row in narrow for texts in row[k : k + 1] for line in texts)])
             for k in range(size)]  # fmt: skip
    for broad in (10**6, 8):  # heads in one line each, or in words
        words = [[word for text in texts for word in broken(text, broad)] for texts in heads]
        widths = [max([few, *map(len, texts)]) for few, texts in zip(least, words, strict=True)]
        if sum(widths) <= room or beside > 1:
            break
    if sum(widths) > room and beside < 2:
        widest = max(left, key=widths.__getitem__)
        widths[widest] = max(_NARROWEST, widths[widest] - (sum(widths) - room))
    if sum(widths) > room:
        return None
    lines = _row(heads, widths, left, "  ", width) if any(map("".join, heads)) else []
    cells = iter(body)
    for row in grid.rows:
        if isinstance(row, tree.Group):
            lines += _across(row, width)
        else:
            lines += _row(next(cells), widths, left, "> " if row.chosen else "  ", width)
    return lines


def _row(
    cells: Sequence[Sequence[str]], widths: Sequence[int], left: set[int], mark: str, width: int
) -> list[str]:
    rooms = list(widths[: len(cells)])
    if len(cells) < len(widths):
        rooms[-1], left = width - 2 * len(cells) - sum(rooms[:-1]), left | {len(cells) - 1}
    stacks = [
        [part for text in texts for part in (broken(text, room) if len(text) > room else [text])]
        for texts, room in zip(cells, rooms, strict=True)
    ]
    lines = [
        "  ".join(f"{text:{'<' if k in left else '>'}{room}}"
                  for k, (text, room) in enumerate(zip(line, rooms, strict=True)))
        for line in zip_longest(*stacks, fillvalue="")
    ]  # fmt: skip
    return [mark + lines[0], *("  " + line for line in lines[1:])]


def _across(group: tree.Group, width: int) -> list[str]:
    texts = filter(None, (group.title, group.note))
    return ["  " + line for text in texts for line in broken(_plain(text), width - 2)]


def _texts(cell: tree.Content, room: int, beside: int) -> list[str]:
    span, note = (cell.span, cell.note) if isinstance(cell, tree.Cell) else ("", "")
    below = ([note], [span, note], [note], [])[beside]
    first = f"{_cell(cell)} {_around(cell, beside).ljust(room)}"
    return [first if room else first.rstrip(), *(_plain(text) for text in below if text)]


def _around(cell: tree.Content, beside: int) -> str:
    texts = [cell.span, cell.note][: max(beside - 1, 0)] if isinstance(cell, tree.Cell) else []
    text = ", ".join(filter(None, texts))
    return f"({_plain(text)})" if text else ""


def _cell(content: tree.Content) -> str:
    text = _text_of_cell(content)
    if isinstance(text, tree.Name):  # the sign of a cut is ours
        return text.short if text.short == text.whole else text.short.replace("…", "...")
    return _plain(text)


def _text_of_cell(content: tree.Content) -> tree.Name | str:
    text = content.verdict if isinstance(content, tree.Status) else content
    return text.text if isinstance(text, tree.Cell) else text


def _plain(text: str) -> str:
    return text.translate(_ASCII)


# ----------------------------------------------------------------------------- Markdown
def markdown_of(nodes: Iterable[tree.Node]) -> str:
    """Nodes with an empty line in between; pictures are left out."""
    texts = (_markdown(tree.map_text(node, DEFAULT.fill)) for node in nodes)
    return "\n\n".join(filter(None, texts))


def _markdown(node: tree.Node) -> str:
    match node:
        case tree.Section():
            head = f"### {_escaped(node.title)}" * bool(node.title)
            return "\n\n".join(filter(None, (head, markdown_of(node.blocks))))
        case tree.Grid():
            n = len(node.head)
            rows: list[Sequence[tree.Content]] = [node.head, ("---",) * n]
            rows += [row.cells if isinstance(row, tree.Row) else (row.title,) for row in node.rows]
            texts = [[_escaped(_texts(cell, 0, 3)[0]) for cell in row] for row in rows]
            return "\n".join(f"| {' | '.join(row)}{' |' * (n + 1 - len(row))}" for row in texts)
        case tree.Paragraph() if node.kind != "legend":
            return f"**{_escaped(node.lead)}** " * bool(node.lead) + _escaped(node.text)
        case tree.Bullets():
            return "\n".join(f"- {_escaped(_cell(item))}" for item in node.items)
        case tree.Status():
            words = ": ".join(filter(None, (node.of, node.verdict, node.reason)))
            return f"{_STATUS.get(node.colour, ' ')[0]} **{_escaped(words)}**"
    return ""


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|~!&@])", r"\\\1", " ".join(text.split()))


# ------------------------------------------------------------------------------- strips
#: Where the strip begins, and its columns.
_START, _WIDTH = 14, 48


def _strip(strip: tree.Strip, *, signs: bool) -> list[str]:
    """Rates with intervals on a log scale."""
    rates = [rate for rate in (*(row.value for row in strip.rows), strip.target) if rate >= 1e-12]
    decades = max(4, math.ceil(-math.log10(min(rates, default=1.0)) - 1e-9))

    def place(rate: float) -> int:
        share = 1.0 + math.log10(rate) / decades if rate > 0.0 else 0.0
        return _START + round(_WIDTH * min(max(share, 0.0), 1.0))

    powers = range(0, decades + 1, -(-decades // 4))
    scale = [(place(10.0**-k) - 2, f"{10.0 ** (2 - k):g}") for k in powers if k]
    lines = [_written((0, strip.name), (place(1.0) - 3, "100 %"), *scale)]
    for row in strip.rows:
        marks, middle = [(place(10.0**-k), ".") for k in range(decades + 1)], place(row.value)
        if not math.isnan(row.low):
            first = place(row.low)
            middle = max(middle, first + (row.value > row.low))
            bar = "-" * (max(place(row.high), middle + 1) - first - 1)
            marks.append((first, f"├{bar}┤".replace("-", "─") if signs else f"[{bar}]"))
        dot = "o" if not row.sure else "●" if signs else "*"
        lines.append(_written((0, row.label), *marks, (middle, dot)))
    return [*lines, _written((place(strip.target), f"target {100.0 * strip.target:g} %"))]


def _written(*marks: tuple[int, str]) -> str:
    line = [" "] * (_START + _WIDTH + 30)
    for at, text in marks:
        line[at : at + len(text)] = text
    return "".join(line).rstrip()


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
_LATEX = {
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


def kept_grid(nodes: Iterable[tree.Node]) -> tree.Grid:
    """The first table that files hold."""
    for node in nodes:
        grid = kept_grid(node.blocks) if isinstance(node, tree.Section) else node
        if isinstance(grid, tree.Grid) and grid.kept:
            return grid
    return tree.Grid((), ())


def records(columns: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """The rows by the names of their columns."""
    lists = (
        column.tolist() if isinstance(column, np.ndarray) else column for column in columns.values()
    )
    return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]


def csv_table(columns: Mapping[str, Sequence[Any]]) -> str:
    """A line of names, then the rows; no text is a formula."""
    out = io.StringIO()
    rows = columns, *zip(*columns.values(), strict=True)
    csv.writer(out, lineterminator="\n").writerows(map(_csv_cell, row) for row in rows)
    return out.getvalue()


def _csv_cell(value: float | int | bool | str | None) -> str:
    if isinstance(value, str):
        plain = "".join(c if c.isprintable() else "?" for c in value)
        return f"'{plain}" if plain.lstrip().startswith(_FORMULAS) else plain
    if value is None or math.isnan(value):
        return ""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def upright(columns: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    """A single row as names and values."""
    if len(columns) < 3 or any(len(values) != 1 for values in columns.values()):
        return columns
    return {"": list(columns), "value": [values[0] for values in columns.values()]}


def cell_of(value: Any) -> tree.Cell | tree.Name:
    """A number with six digits, else text."""
    if not isinstance(value, _NUMBERS) or isinstance(value, bool):
        return tree.as_named("" if value is None else str(value))
    text = f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
    return tree.Cell("" if math.isnan(value) else text, value=float(value))


# ------------------------------------------------------------------------------- LaTeX
def latex_table(columns: Mapping[str, Sequence[Any]]) -> str:
    """A table of booktabs; a single row stands upright."""
    named = {name: [*map(cell_of, values)] for name, values in upright(columns).items()}
    numbers = (all(isinstance(cell, tree.Cell) for cell in cells) for cells in named.values())
    rows = (map(_latex_number, row) for row in zip(*named.values(), strict=True))
    return _tabular(["r" if right else "l" for right in numbers], map(latex_text, named), rows)


def latex_grid(grid: tree.Grid) -> str:
    """A table as it is read, or its kept columns."""
    if not grid.typeset:
        return latex_table(grid.kept)
    left = {0, *grid.words}
    rows = (map(_latex_cell, row.cells) for row in grid.rows if isinstance(row, tree.Row))
    columns = ["l" if k in left else "r" for k in range(len(grid.head))]
    return _tabular(columns, map(_latex_cell, grid.head), rows)


def latex_comments(nodes: Iterable[tree.Node]) -> str:
    """The text around a table, as comments."""
    texts = [
        node.verdict if isinstance(node, tree.Status) else f"{node.lead} {node.text}"
        for node in nodes if isinstance(node, tree.Status | tree.Paragraph)
    ]  # fmt: skip
    lines = [line.strip() for text in texts for line in DEFAULT.fill(text).splitlines()]
    return "".join(f"% {line}\n" for line in lines if line)


def _tabular(columns: list[str], head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    first, *body = (" & ".join(cells) + r" \\" for cells in (head, *rows))
    start = rf"\begin{{tabular}}{{{''.join(columns) or 'l'}}}"
    lines = start, r"\toprule", first, r"\midrule", *body, r"\bottomrule", r"\end{tabular}", ""
    return "\n".join(lines)


def _latex_cell(content: tree.Content) -> str:
    text, span = _text_of_cell(content), content.span if isinstance(content, tree.Cell) else ""
    text = text.whole if isinstance(text, tree.Name) else text
    return latex_text(f"{text} ({span})" if span else text)


def _latex_number(cell: tree.Cell | tree.Name) -> str:
    if isinstance(cell, tree.Name):
        return latex_text(cell.whole)
    text = str(cell.text).replace("inf", r"\infty")
    digits, exponent, power = text.partition("e")
    if exponent:
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
    return _LATEX.get(character, character if plain else rf"\texttt{{U+{ord(character):04X}}}")
