"""Both rates of several systems as plain SVG: a strip a rate, one map of all, a ROC each.

Positions are shares of the picture in per cent, so that text keeps its size at any width; colours
are those of the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from markupsafe import Markup

#: Rates below this stand at the end of an axis.
_LEAST = 1e-6
#: Of the height of a strip, in per cent: where dev's and the test's interval run.
_DEV, _TEST = 30, 70
#: A square of this side holds the curves.
_SIDE = 1000.0


class RateSpan(NamedTuple):
    """A rate and both ends of its interval."""

    value: float
    low: float
    high: float


class Point(NamedTuple):
    """A system on the map: its rates, its status ("good", "warn", "bad") and its name."""

    x: float
    y: float
    status: str
    name: str


class LogAxis(NamedTuple):
    """Rates from a power of ten to 1."""

    start: float

    @classmethod
    def of(cls, rates: Iterable[float]) -> LogAxis:
        """Down to the decade of the smallest above 0; two decades at least."""
        least = min((rate for rate in rates if rate >= _LEAST), default=0.1)
        return cls(10.0 ** min(math.floor(math.log10(least)), -2))

    def place(self, rate: float) -> float:
        """Per cent of the width."""
        if not rate > self.start:
            return 0.0
        return 100.0 * (1.0 - math.log10(rate) / math.log10(self.start))

    @property
    def ticks(self) -> list[float]:
        """Powers of ten, five at most."""
        decades = round(-math.log10(self.start))
        return [10.0**-k for k in range(0, decades + 1, math.ceil((decades + 1) / 5))]


class PlainAxis(NamedTuple):
    """Rates from 0 to a round share."""

    end: float

    @classmethod
    def of(cls, rates: Iterable[float]) -> PlainAxis:
        """Up to a round share above all of them."""
        most = max((rate for rate in rates if math.isfinite(rate)), default=1.0)
        rounds = (m * 10.0**-k for k in range(6, 0, -1) for m in (1, 2, 3, 4, 6, 8))
        return cls(next((end for end in rounds if end >= most), 1.0))

    def place(self, rate: float) -> float:
        """Per cent of the width."""
        return 100.0 * min(max(rate / self.end, 0.0), 1.0)

    @property
    def ticks(self) -> list[float]:
        """Three or four of them."""
        steps = 3 if f"{self.end:.0e}"[0] in "36" else 2
        return [self.end * k / steps for k in range(steps + 1)]


Axis = LogAxis | PlainAxis


def axis_labels(axis: Axis) -> Markup:
    """The numbers of an axis, above a column of strips."""
    marks = (
        f'<text x="{axis.place(tick):.3f}%" y="12" text-anchor="middle">{text}</text>'
        for tick, text in _labelled(axis)
    )
    return _markup(['<svg class="sx" aria-hidden="true">', *marks, "</svg>"])


def draw_rate_strip(
    axis: Axis,
    kind: str,
    told: str,
    dev: RateSpan,
    test: RateSpan | None,
    target: float | None = None,
) -> Markup:
    """A rate on dev and on a test with their intervals; `kind` "c" or "i" is the class's colour.

    Beyond a target the ground is grey.
    """
    parts = [f'<svg class="sx" role="img" aria-label="{_escaped(told)}">']
    if target is not None:
        at = axis.place(target)
        parts.append(_beyond(at))
    parts += _interval(axis, f"iv-{kind} dev", f"pt-{kind} d", dev, _DEV)
    if test is not None:
        parts += _interval(axis, f"iv-{kind}", f"pt-{kind}", test, _TEST)
    if target is not None:
        parts.append(f'<line class="tgt" x1="{at:.3f}%" x2="{at:.3f}%" y1="-4" y2="100%"/>')
    return _markup([*parts, "</svg>"])


def draw_map(points: Sequence[Point], axes: tuple[Axis, Axis], target: float, told: str) -> Markup:
    """Every system at its rates, by the shape of its status; the first is named."""
    across, up = axes
    parts = [f'<svg class="sc" role="img" aria-label="{_escaped(told)}">']
    if target > 0.0:
        at = across.place(target)
        parts.append(_beyond(at))
        parts.append(f'<line class="tgt" x1="{at:.3f}%" x2="{at:.3f}%" y1="0" y2="100%"/>')
    parts += _frame(across, up)
    for point in reversed(points):
        x, y = across.place(point.x), 100.0 - up.place(point.y)
        parts.append(
            f'<svg class="mk" x="{x:.3f}%" y="{y:.3f}%"><title>{_escaped(point.name)}</title>'
            f"{_MARKS[point.status]}</svg>"
        )
    first = points[0]
    x, y = across.place(first.x), 100.0 - up.place(first.y)
    anchor, dx = ("end", -9) if x > 60.0 else ("start", 9)
    parts.append(f'<text class="st6 h" x="{x:.3f}%" y="{y:.3f}%" dx="{dx}" dy="-6"'
                 f' text-anchor="{anchor}">{_escaped(first.name)}</text>')  # fmt: skip
    return _markup([*parts, "</svg>"])


_MARKS = {
    "good": '<circle class="i-good" r="5"/>',
    "warn": '<path class="i-warn mw" d="M0 -6L6 5H-6z"/>',
    "bad": '<path class="mb" d="M-4 -4L4 4M4 -4L-4 4"/>',
}


def draw_roc(
    axis: LogAxis, first: Sequence[tuple[float, float]],
    others: Sequence[Sequence[tuple[float, float]]], at: tuple[float, float], target: float,
    told: str,
) -> Markup:  # fmt: skip
    """TPR against FAR: one system in ink with its threshold's point, the others in grey."""
    up = PlainAxis(1.0)
    parts = [f'<svg class="sq" role="img" aria-label="{_escaped(told)}">', *_frame(axis, up)]
    side = f'viewBox="0 0 {_SIDE:.0f} {_SIDE:.0f}" preserveAspectRatio="none"'
    parts.append(f'<svg class="cut" width="100%" height="100%" {side}>')
    parts += (f'<path class="ghost" d="{_path(axis, line)}"/>' for line in others)
    parts += [f'<path class="cv" d="{_path(axis, first)}"/>', "</svg>"]
    if target > 0.0:
        x = axis.place(target)
        parts.append(f'<line class="tgt" x1="{x:.3f}%" x2="{x:.3f}%" y1="0" y2="100%"/>')
    x, y = axis.place(at[0]), 100.0 - up.place(at[1])
    parts.append(f'<circle class="dot" r="5" cx="{x:.3f}%" cy="{y:.3f}%"/>')
    return _markup([*parts, "</svg>"])


def _beyond(at: float) -> str:
    """The ground beyond a target."""
    return f'<rect class="overz" x="{at:.3f}%" y="0" width="{100.0 - at:.3f}%" height="100%"/>'


def _interval(axis: Axis, line: str, mark: str, span: RateSpan, y: int) -> Iterator[str]:
    if math.isfinite(span.low) and math.isfinite(span.high):
        ends = (axis.place(end) for end in (span.low, span.high))
        yield '<line class="{}" x1="{:.3f}%" x2="{:.3f}%" y1="{}%" y2="{}%"/>'.format(
            line, *ends, y, y
        )
    if math.isfinite(span.value):
        yield f'<circle class="{mark}" r="4.5" cx="{axis.place(span.value):.3f}%" cy="{y}%"/>'


def _frame(across: Axis, up: Axis) -> Iterator[str]:
    """Grid lines with their numbers, and the ground line."""
    for tick, text in _labelled(across):
        x = f"{across.place(tick):.3f}%"
        yield f'<line class="grid" x1="{x}" x2="{x}" y1="0" y2="100%"/>'
        yield f'<text x="{x}" y="100%" dy="16" text-anchor="middle">{text}</text>'
    for tick, text in _labelled(up):
        y = f"{100.0 - up.place(tick):.3f}%"
        yield f'<line class="grid" x1="0" x2="100%" y1="{y}" y2="{y}"/>'
        yield f'<text x="-7" y="{y}" dy=".35em" text-anchor="end">{text}</text>'
    yield '<line class="base" x1="0" x2="100%" y1="100%" y2="100%"/>'


def _labelled(axis: Axis) -> list[tuple[float, str]]:
    """The unit stands at the largest."""
    last = max(axis.ticks)
    return [(t, f"{100.0 * t:.4g}" + "\N{NO-BREAK SPACE}%" * (t == last)) for t in axis.ticks]


def _path(axis: LogAxis, line: Sequence[tuple[float, float]]) -> str:
    """A line without the points between two others of its height."""
    scale = _SIDE / 100.0
    shown: list[tuple[str, str]] = []
    for x, y in line:
        place = f"{scale * axis.place(x):.0f}", f"{_SIDE * (1.0 - y):.0f}"
        if len(shown) > 1 and shown[-1][1] == shown[-2][1] == place[1]:
            shown.pop()
        shown.append(place)
    return "M" + "L".join(f"{x} {y}" for x, y in shown)


def _escaped(text: str) -> str:
    from markupsafe import escape

    return str(escape(text))


def _markup(parts: Iterable[str]) -> Markup:
    from markupsafe import Markup

    return Markup("".join(parts))  # noqa: S704 - what others wrote is escaped above
