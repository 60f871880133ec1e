"""A result as a small tree, which :mod:`tree_text` and :mod:`tree_html` show."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, ClassVar, NamedTuple, TypeAlias, TypeVar, cast

from betaroc.rendering.numbers import rate, rate_span, visible, with_minus

#: Characters of a foreign name and of a path that are shown, and of either that are kept.
_SHOWN, _PATH, _KEPT = 32, 60, 2000
#: Of so many things a finding speaks.
_SAID = 3
#: What of a node is no text that is read.
_FIXED = {"svg", "markup", "places", "kind", "colour", "key", "kept"}


class Name(NamedTuple):
    """A text of the user's, short and whole."""

    short: str
    whole: str


def as_named(text: str) -> Name:
    """A text of the user's, whole."""
    return Name(visible(text), text)


def foreign(text: str, *, path: bool = False) -> Name:
    """A text of the user's, printable and cut."""
    whole, width = visible(text), _PATH if path else _SHOWN
    keep = whole if len(whole) <= _KEPT else whole[: _KEPT - 1] + "…"
    tail = width - 1 if path else width // 3
    cut = f"{whole[: width - 1 - tail]}…{whole[-tail:]}"
    return Name(whole if len(whole) <= width else cut, keep)


@dataclass(frozen=True)
class Cell:
    """A number and its interval, as words and numbers; a note."""

    text: str | Name
    span: str = ""
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    note: str = ""


def quantity(
    value: float, say: Callable[[float], str], low: float = math.nan, high: float = math.nan, *,
    text: str = "",
) -> Cell:  # fmt: skip
    """A number as `say` says it, and its interval."""
    first, last = say(low), say(high)
    if last.endswith(" %"):
        first = first.removesuffix(" %")
    span = "" if math.isnan(low) and math.isnan(high) else f"{first} to {last}"
    return Cell(text or say(value), span + _outside(value, low, high), value, low, high)


def _outside(value: float, low: float, high: float) -> str:
    return ", outside" * (value < low - 1e-9 * abs(low) or value > high + 1e-9 * abs(high))


def signed_cell(value: float, low: float, high: float, digits: int = 4) -> Cell:
    """A difference with its interval, all with their signs."""
    if math.isnan(value):
        return Cell("not measured")
    item, *ends = (with_minus(f"{x:+.{digits}f}") for x in (value, low, high))
    return Cell(item, "" if math.isnan(low) else " to ".join(ends), value, low, high)


def rate_cell(
    value: float, low: float = math.nan, high: float = math.nan, without: str = "", note: str = ""
) -> Cell:
    """A rate with its interval, or why it has none."""
    span = without if math.isnan(low) else rate_span(low, high) + _outside(value, low, high)
    return Cell(rate(value), span, value, low, high, note=note)


class Tagged:
    """A node with its tag."""

    tag: ClassVar[str]

    def __init_subclass__(cls) -> None:
        cls.tag = cls.__name__.lower()


@dataclass(frozen=True)
class Row(Tagged):
    """Cells of a table; the first names the row, the `chosen` row stands out.

    The last cell of a short row reaches to the end.
    """

    cells: tuple[Content, ...]
    chosen: bool = False


@dataclass(frozen=True)
class Group(Tagged):
    """A line across a table."""

    title: str
    note: str = ""


@dataclass(frozen=True)
class Grid(Tagged):
    """A table; `words` are the columns of words.

    `kept` is for CSV and LaTeX, with all digits; LaTeX shows a `typeset` table as it is read.
    """

    head: tuple[Cell | Name | str, ...]
    rows: tuple[Row | Group, ...]
    words: tuple[int, ...] = ()
    kept: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    typeset: bool = False


class Column(NamedTuple):
    """The key of a column, its head if shown, the format of its values."""

    key: str
    head: str | None = None
    say: Callable[[Any], str] = str


def recorded(
    columns: Sequence[Column], rows: Iterable[Sequence[Any]], words: Sequence[int] = ()
) -> Grid:
    """Rows of values for people and for files."""
    table = [
        [value if isinstance(value, Cell | Name | str) else Cell(column.say(value), value=value)
         for column, value in zip(columns, row, strict=True)]
        for row in rows
    ]  # fmt: skip
    seen = [k for k, column in enumerate(columns) if column.head is not None]
    head = tuple(columns[k].head or "" for k in seen)
    body = tuple(Row(tuple(row[k] for k in seen)) for row in table)
    keep: dict[str, list[Any]] = {column.key: [] for column in columns}
    for row in table:
        for column, cell in zip(columns, row, strict=True):
            whole = getattr(cell, "whole", cell)  # of a name
            keep[column.key].append(cell.value if isinstance(cell, Cell) else whole)
    return Grid(head, body, tuple(words), keep)


T = TypeVar("T")
#: A row before it stands in a table.
RowCells: TypeAlias = tuple[Cell | Name | str, ...]


def grouped(
    parts: Sequence[tuple[T, str]],
    head: Sequence[str],
    rows_of: Callable[[T], Iterable[RowCells | Group]],
    words: Sequence[int] = (),
) -> Grid:
    """The rows of every part under its name."""
    several = len(parts) > 1
    rows: list[Row | Group] = []
    for part, name in parts:
        before = (name,) * several
        for row in rows_of(part):
            rows.append(row if isinstance(row, Group) else Row((*before, *row)))
            before = before if isinstance(row, Group) else ("",) * several
    return Grid((*["set"] * several, *head), tuple(rows), tuple(k + several for k in words))


def first_n(words: Iterable[str], sep: str = ", ") -> str:
    """The first three, and how many more there are."""
    result = list(words)
    more = len(result) - _SAID
    return sep.join([*result[:_SAID], *[f"{more} more"] * (more > 0)])


@dataclass(frozen=True)
class Paragraph(Tagged):
    """A paragraph, its `lead` in bold; a "note" is small, an "answer" has a large lead.

    A "legend" is for pages; "given" texts are the user's.
    """

    text: str
    kind: str = ""
    lead: str = ""


@dataclass(frozen=True)
class Bullets(Tagged):
    """Statements that stand side by side."""

    items: tuple[Name | str, ...]


class IntervalMark(NamedTuple):
    """A number with its interval, hollow unless `sure`."""

    label: str
    low: float
    value: float
    high: float
    sure: bool = True


class Strip(NamedTuple):
    """Rates beside a target."""

    name: str
    rows: tuple[IntervalMark, ...]
    target: float


@dataclass(frozen=True)
class Figure(Tagged):
    """A picture, as SVG or as what draws it, and its caption.

    `places` are its marks at every slider position, `strip` is for terminals.
    """

    svg: str | Callable[[], Any]
    caption: str
    alt: str = ""
    places: tuple[tuple[str, tuple[float, ...]], ...] = ()
    strip: Strip | None = None


@dataclass(frozen=True)
class Figures(Tagged):
    """Pictures side by side."""

    items: tuple[Figure, ...]


@dataclass(frozen=True)
class Status(Tagged):
    """A verdict, why, and what would change it."""

    of: str
    verdict: str
    colour: str
    reason: str = ""
    change: str = ""


@dataclass(frozen=True)
class Glossary(Tagged):
    """Terms and what they mean, for a page."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Html(Tagged):
    """A part of a page that is no tree."""

    markup: str


@dataclass(frozen=True)
class Section(Tagged):
    """A heading and its blocks; a `folded` one says its `finding`."""

    title: str
    blocks: tuple[Node, ...]
    finding: str = ""
    key: str = ""
    folded: bool = False


def map_text(node: T, say: Callable[[str], str]) -> T:
    """A node in the words of `say`, but for texts of the user's."""
    changed: Any = node
    if isinstance(node, str):
        changed = say(node)
    elif isinstance(node, Strip):
        changed = node._replace(name=say(node.name))
    elif isinstance(node, tuple) and not isinstance(node, Name):
        changed = tuple(map_text(part, say) for part in node)
    elif is_dataclass(node) and not isinstance(node, type):
        texts = (item.name for item in fields(node) if item.name not in _FIXED)
        changed = replace(node, **{name: map_text(getattr(node, name), say) for name in texts})
    return cast(T, changed)


def apart(*nodes: Node) -> list[Section]:
    """Sections without a heading, one for each."""
    return [Section("", (node,)) for node in nodes]


#: What a table holds at one place.
Content: TypeAlias = Cell | Name | Status | str
Node = Grid | Paragraph | Bullets | Figure | Figures | Status | Glossary | Html | Section
