"""Results in a notebook: their tree in a style of its own, and its small pictures.

Everything is of the block alone: no script, no style attribute, no picture from elsewhere. Texts
and curves have the colour of the page around, marks a tone that stands on white and on black.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.rendering.numbers import decades_of, log_share, visible
from betaroc.rendering.table_text import shown_cell, upright
from betaroc.rendering.tree import (
    Cell,
    Figure,
    Grid,
    Group,
    Name,
    Node,
    Row,
    Section,
    Strip,
    Words,
    as_named,
)
from betaroc.rendering.tree_html import html_of

_ROWS, _COLUMNS = 12, 12
#: Characters of a name; of a longer one the middle is left out.
_NAME = 40
#: Tones of what is no text.
CLIENT, IMPOSTOR = "#2f80c8", "#d9701a"
_STYLE = (
    ".betaroc{font:14px/1.45 system-ui,sans-serif;font-variant-numeric:tabular-nums lining-nums;"
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
    ".betaroc svg text{font-size:11px;fill:currentColor}"
    ".betaroc summary{cursor:pointer}"
)


def html_block(nodes: Sequence[Node]) -> str:
    """What a notebook shows of a result, all its texts escaped."""
    body = html_of([Section("", tuple(nodes))])
    return f'<div class="betaroc">\n<style>{_STYLE}</style>\n{body}</div>'


def table_nodes(columns: Mapping[str, Sequence[Any]], caption: str) -> list[Node]:
    """A small table of numbers and texts."""
    named = upright(columns)
    rows = list(zip(*named.values(), strict=True))
    more: list[str] = ["…"] * (len(named) > _COLUMNS)
    shown = [Row((*(_cell(value) for value in row[:_COLUMNS]), *more)) for row in rows[:_ROWS]]
    left = [Group(f"{len(rows) - _ROWS} more rows")] * (len(rows) > _ROWS)
    words = [
        k for k, column in enumerate(list(named.values())[:_COLUMNS])
        if not all(shown_cell(value)[1] for value in column)
    ]  # fmt: skip
    head: tuple[Name | str, ...] = (*map(as_named, list(named)[:_COLUMNS]), *more)
    return [Words(caption), Grid(head, (*shown, *left), tuple(words))]


def _cell(value: Any) -> Cell | Name:
    text, is_number = shown_cell(value)
    return Cell(text, value=value) if is_number else as_named(text)


# ------------------------------------------------------------------------------- texts
def name_shown(name: str, width: int = _NAME) -> str:
    """A foreign name on one line that turns no text around it, without its middle where long."""
    text = visible(name)
    if len(text) > width:
        text = f"{text[: width // 2]}…{text[-(width - width // 2 - 1) :]}"
    return text if text.isascii() else f"\u2068{text}\u2069"


# ---------------------------------------------------------------------------- pictures
class Trace(NamedTuple):
    """A curve, and how it is drawn: "solid", "dashed", "dotted" or "thin"."""

    label: str
    x: FloatArray
    y: FloatArray
    look: str = "solid"


class _Box(NamedTuple):
    """Where data lie on a picture, in pixels."""

    left: float
    top: float
    width: float
    height: float
    x: tuple[float, float]
    y: tuple[float, float]

    def at(self, x: Any, y: Any) -> tuple[FloatArray, FloatArray]:
        """Pixels of data; what lies outside is at the border."""
        across = (np.clip(x, *self.x) - self.x[0]) / (self.x[1] - self.x[0])
        up = (np.clip(y, *self.y) - self.y[0]) / (self.y[1] - self.y[0])
        return self.left + self.width * across, self.top + self.height * (1.0 - up)


_LOOKS = {
    "solid": 'stroke-width="2"',
    "dashed": 'stroke-width="1.75" stroke-dasharray="5 3"',
    "dotted": 'stroke-width="1.5" stroke-dasharray="1 3" stroke-linecap="round"',
    "thin": 'stroke-width="1"',
}
#: Pixels between two points that are drawn of a curve.
_STEP = 1.5
#: Pixels of a key and of a line of it.
_KEY, _LINE = 130, 16


def draw_square(lines: Sequence[Trace], axes: tuple[str, str], description: str) -> Figure:
    """One rate against another in a square, the chance line dotted, the key beside."""
    box = _Box(34, 8, 140, 140, (0.0, 1.0), (0.0, 1.0))
    chance = f'<path d="M34 148L174 8" {_LOOKS["dotted"]} stroke="currentColor" opacity=".5"/>'
    names = f'<text x="174" y="163" text-anchor="end">{escape(axes[0])}, 100 %</text>'
    names += '<text x="34" y="163" text-anchor="middle">0</text>'
    names += '<text x="30" y="14" text-anchor="end">100</text>'
    names += '<text x="24" y="78" text-anchor="middle" transform="rotate(-90 24 78)">'
    names += f"{escape(axes[1])}</text>"
    return _drawing(
        184 + _KEY, 168, _frame(box) + chance + names + _curves(lines, box), description
    )


def draw_alphas(
    lines: Sequence[Trace], axes: tuple[str, str], description: str, *,
    band: tuple[FloatArray, FloatArray, FloatArray] | None = None, band_label: str = "",
    per_cent: bool = True,
) -> Figure:  # fmt: skip
    """Curves over a range from 0 to 1, with a grey band where one is given, the key beside.

    A band of fewer places than the curves have is drawn as bars.
    """
    values = [line.y for line in lines] + ([] if band is None else [*band[1:]])
    known = np.concatenate([np.ravel(v) for v in values])
    known = known[np.isfinite(known)]
    low, high = _ends(known)
    box = _Box(44, 20, 210, 110, (0.0, 1.0), (low, high))
    inside = f'<text x="44" y="11">{escape(axes[1])}</text>'
    inside += '<text x="44" y="144" text-anchor="middle">0</text>'
    inside += '<text x="254" y="144" text-anchor="middle">1</text>'
    inside += f'<text x="149" y="144" text-anchor="middle">{escape(axes[0])}</text>'
    scale = 100.0 if per_cent else 1.0
    top = f"{high * scale:.3g}{' %' if per_cent else ''}"
    inside += f'<text x="40" y="26" text-anchor="end">{_minus(top)}</text>'
    inside += f'<text x="40" y="130" text-anchor="end">{_minus(f"{low * scale:.3g}")}</text>'
    if low < 0.0 < high:
        _, zero = box.at(0.0, 0.0)
        inside += f'<path d="M44 {_px(zero)}H254" stroke="currentColor" opacity=".5"/>'
    key = [*lines]
    if band is not None:
        bars = band[0].size < max(line.x.size for line in lines)
        inside += _band(band, box, bars=bars)
        key.append(Trace(band_label, np.empty(0), np.empty(0), "band"))
    return _drawing(264 + _KEY, 150, _frame(box) + inside + _curves(key, box), description)


def draw_strip(strip: Strip, colour: str, description: str) -> Figure:
    """Rates with their intervals on a log scale beside a target."""
    _, rows, target = strip
    height = 32 + 18 * len(rows)
    foot = height - 16
    number = decades_of([target, *(x for row in rows for x in (row.low, row.value))])

    def place(rate: float) -> str:
        return _px(36.0 + 240.0 * log_share(rate, number))

    texts = [
        f'<text x="0" y="{19 + 18 * k}">{escape(row.label)}</text>' for k, row in enumerate(rows)
    ]
    texts += [
        f'<text x="{place(10.0**-k)}" y="{height - 2}" text-anchor="middle">'
        f"{f'{10.0 ** (2 - k):g}' if 0 < k < 6 else f'1e{2 - k}' if k else '100 %'}</text>"
        for k in reversed(range(0, number + 1, -(-number // 5)))
    ]
    at = place(target)
    texts.append(f'<text x="{at}" y="9" text-anchor="middle">target</text>')
    marks = [f'<path d="M36 {foot}H276M{at} 12V{foot}" stroke="currentColor" fill="none"/>']
    for k, row in enumerate(rows):
        y, dashes = 15 + 18 * k, ' stroke-dasharray="4 3"' if row.hollow else ""
        if math.isfinite(row.low):
            ends = f"M{place(row.low)} {y}H{place(row.high)}"
            marks.append(f'<path d="{ends}" stroke="{colour}" stroke-width="2"{dashes}/>')
        marks.append(_dot(place(row.value), y, colour, filled=not row.hollow))
    return replace(_drawing(296, height, "".join(texts + marks), description), strip=strip)


class IntervalMark(NamedTuple):
    """A number with its interval, filled where it tells."""

    label: str
    low: float
    value: float
    high: float
    sure: bool = True


def draw_spans(
    rows: Sequence[IntervalMark], axis: str, description: str, *,
    ends: tuple[float, float] | None = None,
) -> Figure:  # fmt: skip
    """Numbers with their intervals, a row each, beside 0 or between given ends of the scale."""
    given = np.array([x for row in rows for x in (row.low, row.value, row.high)])
    low, high = _ends(given[np.isfinite(given)]) if ends is None else ends
    height, left, width = 18 * len(rows), 150, 230

    def place(x: float) -> str:
        return _px(left + width * (min(max(x, low), high) - low) / (high - low))

    parts = []
    if low < 0.0 < high:
        zero = f"M{place(0.0)} 2V{height + 6}"
        parts.append(f'<path d="{zero}" stroke="currentColor" {_LOOKS["dotted"]}/>')
    for k, row in enumerate(rows):
        y = 13 + 18 * k
        parts.append(f'<text x="142" y="{y + 4}" text-anchor="end">{escape(row.label)}</text>')
        if math.isfinite(row.low) and math.isfinite(row.high):
            line = f"M{place(row.low)} {y}H{place(row.high)}"
            parts.append(f'<path d="{line}" stroke="currentColor" stroke-width="2"/>')
        if math.isfinite(row.value):
            parts.append(_dot(place(row.value), y, "currentColor", filled=row.sure))
    foot = height + 6
    parts.append(f'<path d="M{left} {foot}h{width}" stroke="currentColor" opacity=".6"/>')
    for x, anchor in ((low, "start"), (high, "end")):
        at = f'x="{place(x)}" y="{foot + 14}" text-anchor="{anchor}"'
        parts.append(f"<text {at}>{_minus(f'{x:.4g}')}</text>")
    middle = _px(left + width / 2)
    parts.append(f'<text x="{middle}" y="{foot + 28}" text-anchor="middle">{escape(axis)}</text>')
    return _drawing(left + width + 12, foot + 34, "".join(parts), description)


def _dot(x: str, y: int, colour: str, *, filled: bool) -> str:
    look = f'fill="{colour if filled else "none"}" stroke="{colour}" stroke-width="2"'
    return f'<circle cx="{x}" cy="{y}" r="4" {look}/>'


def _drawing(width: int, height: int, inside: str, description: str) -> Figure:
    svg = (
        f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img"'
        f' font-size="11" fill="currentColor">{inside}</svg>'
    )
    return Figure(svg, "", description)


def _frame(box: _Box) -> str:
    return (
        f'<path d="M{_px(box.left)} {_px(box.top)}v{_px(box.height)}h{_px(box.width)}"'
        ' fill="none" stroke="currentColor" opacity=".6"/>'
    )


def _curves(lines: Sequence[Trace], box: _Box) -> str:
    """The curves, and beside them what each is."""
    parts = []
    x = box.left + box.width + 12
    named = 0
    for line in lines:
        y = box.top + 8 + _LINE * named
        mark = f"M{_px(x)} {_px(y)}h22" if line.label else ""
        named += bool(line.label)
        if line.look == "band":
            look = 'stroke="#808080" stroke-opacity=".35" stroke-width="10"'
            parts.append(f'<path d="{mark}" {look}/>')
        else:
            look = f'fill="none" stroke="currentColor" {_LOOKS[line.look]}'
            parts.append(f'<path d="{_path(line, box)}{mark}" {look}/>')
        if line.label:
            words = escape(line.label)
            parts.append(f'<text x="{_px(x + 28)}" y="{_px(y + 4)}">{words}</text>')
    return "".join(parts)


def _path(line: Trace, box: _Box) -> str:
    """Straight pieces through as many points as are seen, broken where there is no value."""
    known = np.isfinite(line.x) & np.isfinite(line.y)
    pieces = np.split(np.arange(known.size), np.flatnonzero(np.diff(known)) + 1)
    return "".join(
        _piece(*box.at(line.x[piece], line.y[piece]))
        for piece in pieces
        if piece.size and known[piece[0]]
    )


def _piece(x: FloatArray, y: FloatArray) -> str:
    """One point in each stretch of the curve, its first and its last among them."""
    along = np.cumsum(np.hypot(np.diff(x, prepend=x[:1]), np.diff(y, prepend=y[:1])))
    keep = np.diff(np.floor(along / _STEP), prepend=-1.0) > 0.0
    keep[-1] = True
    return "M" + "L".join(f"{_px(a)} {_px(b)}" for a, b in zip(x[keep], y[keep], strict=True))


def _band(band: tuple[FloatArray, FloatArray, FloatArray], box: _Box, *, bars: bool) -> str:
    x, low, high = (part[np.isfinite(band[1] + band[2])] for part in band)
    (across, lower), (_, upper) = box.at(x, low), box.at(x, high)
    if bars:
        ends = zip(across, lower, upper, strict=True)
        path = "".join(f"M{_px(a)} {_px(b)}V{_px(c)}" for a, b, c in ends)
        return f'<path d="{path}" stroke="#808080" stroke-opacity=".5" stroke-width="8"/>'
    if not x.size:
        return ""
    path = _piece(np.append(across, across[::-1]), np.append(lower, upper[::-1]))
    return f'<path d="{path}Z" fill="#808080" fill-opacity=".3"/>'


def _ends(values: FloatArray) -> tuple[float, float]:
    """Round ends of a scale that holds 0 and all values."""
    if not values.size:
        return 0.0, 1.0
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    low, high = 0.0 - _rounded_up(-low), _rounded_up(high)
    return (0.0, 1.0) if low == high else (low, high)


def _rounded_up(value: float) -> float:
    """The next of 1, 1.5, 2, 3, 5 and 8 times a power of ten."""
    if value <= 0.0:
        return 0.0
    unit = 10.0 ** math.floor(math.log10(value))
    steps = (s * unit for s in (1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 10.0))
    return next((step for step in steps if value <= step * (1.0 + 1e-9)), 10.0 * unit)


def _px(value: Any) -> str:
    return f"{float(value):.1f}".removesuffix(".0")


def _minus(text: str) -> str:
    return text.replace("-", "\u2212")
