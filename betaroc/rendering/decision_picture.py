"""The picture of a threshold as plain SVG: scores of both classes, rates on a logarithmic strip.

Positions are in per cent of the width, curves in an inner drawing that is stretched, so that text
keeps its size at any width. Nothing has a style of its own: the classes are those of page.css.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.rendering.numbers import with_minus

#: Positions of the slider, that of the threshold among them.
POSITIONS = 401
#: The inner drawing has so many units either way, and so many stay free above and below.
_SIDE, _ROOM = 1000.0, 20.0
#: Scores so near 0 or 1 only their logits tell apart.
_NEAR = 0.01
#: The share of scores that may lie beyond either end of the axis.
_OUTSIDE = 0.0005
#: Errors are drawn so many times taller once more where they are small.
TALLER = 10.0
#: Where a class may be named, and how wide its name is, in per cent.
_PLACES, _WIDE = (0.0, 18.0, 36.0, 54.0, 72.0, 84.0), 16.0
#: The strip begins at 10 to this power per cent, or 1.3 decades below that of its target.
_LEAST, _BELOW = -2.3, 1.3
#: Numbers nearer to its start, in per cent, begin at their tick: left of it stands a name.
_FIRST = 6.0
_TOP, _LINE = 14.0, 17.0


class Tick(NamedTuple):
    """A place of an axis in per cent, and what stands there."""

    at: float
    text: str


class Panel(NamedTuple):
    """Scores of one set: densities of both classes on the axis, which edges divide."""

    #: In per cent of the width, one more than heights.
    edges: FloatArray
    client: FloatArray
    impostor: FloatArray
    #: Where fitted distributions were drawn: places, heights of clients, heights of impostors.
    fitted: tuple[FloatArray, FloatArray, FloatArray] | None = None


# -------------------------------------------------------------------------------- axis
class ScoreAxis(NamedTuple):
    """Where scores stand: evenly between two of them, or evenly by their logits.

    Examples
    --------
    >>> axis = ScoreAxis(0.0, 2.0, logit=False)
    >>> float(axis.place(0.5)), float(axis.score(25.0)), [tick.text for tick in axis.ticks()]
    (25.0, 0.5, ['0', '0.5', '1', '1.5', '2'])
    """

    low: float
    high: float
    logit: bool

    @classmethod
    def of(cls, scores: FloatArray, mark: float | None) -> ScoreAxis:
        """All but the outermost scores, and the mark; by logits where most lie next to 0 or 1."""
        marks = [x for x in (mark,) if x is not None and math.isfinite(x)]
        low, high = float(scores.min()), float(scores.max())
        on_unit = 0.0 <= low and high <= 1.0
        if on_unit and np.mean(np.minimum(scores, 1.0 - scores) < _NEAR) > 0.5:
            inner, marks = (
                [math.log(x) - math.log1p(-x) for x in places if 0.0 < x < 1.0]
                for places in (scores, marks)
            )
            if inner:
                return cls(*_limits(np.array(inner), marks, 0.02, 0.1), logit=True)
        if on_unit and high - low > 0.5:
            return cls(0.0, 1.0, logit=False)
        return cls(*_limits(scores, marks, 0.03, 0.0), logit=False)

    def place(self, score: Any) -> Any:
        """In per cent of the width, at most at its ends."""
        share = (self._scaled(score) - self.low) / (self.high - self.low)
        return np.clip(100.0 * share, 0.0, 100.0)

    def score(self, place: Any) -> Any:
        """The score at a place."""
        x = self.low + (self.high - self.low) * np.asarray(place) / 100.0
        return 1.0 / (1.0 + np.exp(-x)) if self.logit else x

    def slope(self, score: FloatArray) -> FloatArray:
        """How far scores move in one per cent of the width."""
        one = (self.high - self.low) / 100.0
        return one * score * (1.0 - score) if self.logit else np.full(score.shape, one)

    def _scaled(self, score: Any) -> Any:
        if not self.logit:
            return np.asarray(score, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(score) - np.log1p(-np.asarray(score))

    def text(self, score: float) -> str:
        """A score in as many digits as tell its neighbours on a slider apart."""
        if self.logit:
            near = min(score, 1.0 - score)
            return f"{score:.{min(3 - math.floor(math.log10(near)), 15) if near > 0.0 else 1}f}"
        step = (self.high - self.low) / 400.0
        return f"{score:.{max(1 - math.floor(math.log10(step)), 0)}f}"

    def ticks(self) -> list[Tick]:
        """Four to seven numbers."""
        if not self.logit:
            step = _step((self.high - self.low) / 4.5)
            first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
            scores = [k * step for k in range(first, last + 1)]
            shown = (with_minus(f"{x:.6g}") if abs(x) > 1e-12 else "0" for x in scores)
            return [Tick(float(self.place(x)), text) for x, text in zip(scores, shown, strict=True)]
        found: list[Tick] = []
        for score, text in _LOGIT_TICKS:
            x = float((self._scaled(score) - self.low) / (self.high - self.low)) * 100.0
            if 0.0 <= x <= 100.0:
                found.append(Tick(x, text))
        step = max(math.ceil(len(found) / 7), 1)
        middle = next((k for k, one in enumerate(found) if one.text == "0.5"), 0)
        return found[middle % step :: step]


def slider_positions(axis: ScoreAxis, threshold: float) -> tuple[list[str], FloatArray, int]:
    """Thresholds along the axis as text and as numbers, and where the one decided stands."""
    places = np.linspace(0.0, 100.0, POSITIONS)
    texts = [axis.text(float(x)) for x in axis.score(places)]
    home = int(np.argmin(np.abs(places - float(axis.place(threshold)))))
    home = 0 if threshold == -math.inf else home
    thresholds = np.array([float(text) for text in texts])  # as they are shown
    thresholds[home] = threshold
    return texts, thresholds, home


def _limits(
    values: FloatArray, marks: Sequence[float], share: float, least: float
) -> tuple[float, float]:
    """Nearly all values and all marks, with some room on both sides."""
    inner = (float(x) for x in np.quantile(values, [_OUTSIDE, 1.0 - _OUTSIDE]))
    ends = [*inner, *marks]
    room = share * (max(ends) - min(ends)) + least
    room = room or 0.5 * max(abs(ends[0]), 1.0)
    return min(ends) - room, max(ends) + room


#: From the middle outwards in steps that look alike on the logit scale.
_LOGIT_TICKS = [
    *((10.0**-k, f"{10.0**-k:.{k}f}" if k < 5 else f"1e\u2212{k}") for k in range(12, 0, -1)),
    (0.5, "0.5"),
    *((1.0 - 10.0**-k, f"0.{'9' * k}" if k < 6 else f"1\u22121e\u2212{k}") for k in range(1, 13)),
]


def _step(width: float) -> float:
    """The nearest of 1, 2, 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(width))
    return min((m * power for m in (1.0, 2.0, 5.0, 10.0)), key=lambda one: abs(one - width))


# --------------------------------------------------------------------------- histograms
def shares(values: FloatArray, weights: FloatArray | None, edges: FloatArray) -> FloatArray:
    """The share of scores between edges, open below and closed above; the ends take all beyond."""
    order = np.argsort(values, kind="stable")
    total = np.arange(1.0, values.size + 1.0) if weights is None else np.cumsum(weights[order])
    upto = np.searchsorted(values[order], edges[1:-1], side="right")
    sums = np.concatenate([[0.0], np.where(upto > 0, total[upto - 1], 0.0), total[-1:]])
    return np.asarray(np.diff(sums) / total[-1])


def panel_svg(
    panel: Panel, key: str, at: float | None, highest: tuple[float, float],
    names: tuple[str, str], alt: str, *, dashed: bool, taller: bool, told: bool,
) -> str:  # fmt: skip
    """Clients upwards, impostors downwards, errors filled dark, and the threshold.

    Parameters
    ----------
    panel : Panel
        What is drawn.
    key : str
        Tells the panels of a page apart.
    at : float or None
        The threshold in per cent of the width.
    highest : tuple of float
        The tallest bars of both classes that share this scale.
    names : tuple of str
        Of clients and of impostors.
    alt : str
        What the picture shows.
    dashed : bool
        Whether it is of dev.
    taller : bool
        Whether the errors are small enough to be outlined once more, taller.
    told : bool
        Whether the sides of the threshold are named.
    """
    unit = (_SIDE - 2.0 * _ROOM) / (sum(highest) or 1.0)
    base = _ROOM + unit * highest[0]
    dev, line = " dev" if dashed else "", f"{base / 10.0:.2f}%"
    drawn = ("c", -unit * panel.client), ("i", unit * panel.impostor)
    bars = [(side, heights, _steps(panel.edges, base, heights)) for side, heights in drawn]
    inner = [f'<path class="f-{side}" d="{path}Z"/>' for side, _, path in bars]
    if at is not None:
        # Both sides of the threshold.
        clips = (
            f'<defs><clipPath id="left{key}"><rect x="0" y="0" width="{at:.2f}%" height="1000"'
            f' data-place="width:x"/></clipPath><clipPath id="right{key}"><rect x="{at:.2f}%" y="0"'
            ' width="100%" height="1000" data-place="x:x"/></clipPath></defs>'
        )
        inner = [clips, *inner]
        inner += [f'<path class="e-{s}" {_clipped(s, key)} d="{path}Z"/>' for s, _, path in bars]
    inner += [f'<path class="o-{side}{dev}" d="{path}"/>' for side, _, path in bars]
    if at is not None:
        inner.append(f'<g class="magg{"" if taller else " gone"}" data-flag="gone:large">')
        inner += [
            f'<path class="o-{side} mag{dev}" {_clipped(side, key)}'
            f' d="{_steps(panel.edges, base, TALLER * heights)}"/>'
            for side, heights, _ in bars
        ]
        inner.append("</g>")
    if panel.fitted is not None:
        places, *curves = panel.fitted
        inner += [
            f'<path class="fitl" d="{_curve(places, base, sign * unit * heights)}"/>'
            for sign, heights in zip((-1.0, 1.0), curves, strict=True)
        ]
    mark = ""
    if at is not None:
        mark = f'<line class="thl" y1="-2" y2="100%" x1="{at:.2f}%" x2="{at:.2f}%"'
        mark += ' data-place="x1:x x2:x"/>' + (_side_names(panel, at, highest) if told else "")
    return (
        f'<svg class="pl" role="img" aria-label="{html.escape(alt)}">'
        f'<svg viewBox="0 0 1000 1000" preserveAspectRatio="none">{"".join(inner)}</svg>'
        f'<line class="base" x1="0" x2="100%" y1="{line}" y2="{line}"/>'
        f"{mark}{_class_names(panel, at, base, unit, names)}</svg>"
    )


def _clipped(side: str, key: str) -> str:
    """Clients err to the left of the threshold, impostors to the right."""
    return f'clip-path="url(#{"left" if side == "c" else "right"}{key})"'


def _steps(edges: FloatArray, base: float, heights: FloatArray) -> str:
    """The outline of bars from the base line."""
    points, last = [f"M{10.0 * edges[0]:.1f} {base:.1f}"], base
    for k, height in enumerate(heights):
        y = min(max(base + height, -_ROOM), _SIDE + _ROOM)  # beyond the frame nothing is seen
        if y != last:
            points.append(f"H{10.0 * edges[k]:.1f}V{y:.1f}")
            last = y
    points.append(f"H{10.0 * edges[-1]:.1f}V{base:.1f}")
    return "".join(points)


def _curve(places: FloatArray, base: float, heights: FloatArray) -> str:
    inside = np.clip(np.nan_to_num(base + heights, nan=base), -_ROOM, _SIDE + _ROOM)
    pairs = (f"{10.0 * x:.1f} {y:.1f}" for x, y in zip(places, inside, strict=True))
    return "M" + "L".join(pairs)


def _side_names(panel: Panel, at: float, highest: tuple[float, float]) -> str:
    """Reject and accept, where no bar is in the way."""
    near = _tallest(panel.edges, panel.client, at - 12.0, at + 12.0)
    y = "12" if near < 0.75 * highest[0] else "99%"
    return "".join(
        f'<text class="h{gone}" x="{at:.2f}%" dx="{dx}" y="{y}" text-anchor="{anchor}"'
        f' data-narrow data-place="x:x" data-flag="gone:no{word}">{word}</text>'
        for word, dx, anchor, gone in (
            ("reject", -8, "end", _out(at)),
            ("accept", 8, "start", _out(100.0 - at)),
        )
    )


def _out(room: float) -> str:
    """Where a side has no room for its name, or none on a printed page."""
    return " gone" if room < 8.0 else " tight" if room < 14.0 else ""


def _class_names(
    panel: Panel, at: float | None, base: float, unit: float, names: tuple[str, str]
) -> str:
    """Both classes beside the base line, where their bars are lowest."""
    found = []
    for heights, name, style, sign in (
        (panel.client, names[0], "tc", -1.0), (panel.impostor, names[1], "ti", 1.0),
    ):  # fmt: skip
        free = [x for x in _PLACES if at is None or not x - 2.0 < at < x + _WIDE]
        x = min(free or _PLACES, key=lambda x: (_tallest(panel.edges, heights, x, x + _WIDE), x))
        y = base + sign * unit * _tallest(panel.edges, heights, x, x + _WIDE)
        y = min(max(y, 40.0), _SIDE - 40.0)
        x, anchor = (100.0, "end") if x == _PLACES[-1] else (x, "start")
        found.append(
            f'<text class="h {style}" x="{x:.0f}%" y="{y / 10.0:.2f}%" text-anchor="{anchor}"'
            f' dy="{-6 if sign < 0 else 15}">{html.escape(name)}</text>'
        )
    return "".join(found)


def _tallest(edges: FloatArray, heights: FloatArray, low: float, high: float) -> float:
    """The tallest bar between two places."""
    within = (edges[1:] > low) & (edges[:-1] < high)
    return float(heights.max(initial=0.0, where=within))


def axis_svg(ticks: Sequence[Tick]) -> str:
    """The axis below the panels."""
    marks = "".join(
        f'<line class="base" x1="{at:.2f}%" x2="{at:.2f}%" y1="0" y2="4"/>'
        f'<text x="{at:.2f}%" y="17" text-anchor="{_anchor(at)}">{text}</text>'
        for at, text in ticks
    )
    return (
        '<svg class="ax" aria-hidden="true"><line class="base" x1="0" x2="100%" y1="0" y2="0"/>'
        f"{marks}</svg>"
    )


def _anchor(at: float) -> str:
    return "start" if at < 2.0 else "end" if at > 98.0 else "middle"


# -------------------------------------------------------------------------------- strip
class StripRow(NamedTuple):
    """A rate of a set with its interval, as fractions; the key is that of its places."""

    name: str
    rate: float
    low: float
    high: float
    key: str


def _start(target: float) -> float:
    """Where the strip of a target begins, as a power of ten per cent."""
    return min(_LEAST, math.floor(math.log10(100.0 * target) + 1e-9) - _BELOW)


def strip_place(rate: float, target: float) -> float:
    """The place of a rate in per cent of the width; beyond the scale its ends."""
    start = _start(target)
    power = math.log10(100.0 * rate) if rate > 0.0 else start
    return min(max((power - start) / (2.0 - start), 0.0), 1.0) * 100.0


def strip_svg(name: str, rows: Sequence[StripRow], target: float, side: str, alt: str) -> str:
    """Rates with their intervals on a logarithmic axis, beside the target.

    Parameters
    ----------
    name : str
        Of the rate.
    rows : sequence of StripRow
        Dev first, which is hollow and dashed.
    target : float
        The rate asked for, beyond which the ground is grey.
    side : str
        "c" or "i": whose rate it is.
    alt : str
        What the picture shows.
    """
    foot, at = _TOP + _LINE * len(rows) + 6.0, strip_place(target, target)
    parts = [
        f'<rect class="overz" x="{at:.2f}%" y="{_TOP:g}" height="{foot - _TOP:g}"'
        f' width="{100.0 - at:.2f}%"/>'
    ]
    for k, row in enumerate(rows):
        y, dev = _TOP + _LINE * k + 11.0, k == 0
        low, high = ((x if math.isfinite(x) else row.rate) for x in (row.low, row.high))
        parts.append(
            f'<line class="iv-{side}{" dev" if dev else ""}" x1="{strip_place(low, target):.2f}%"'
            f' x2="{strip_place(high, target):.2f}%" y1="{y:g}" y2="{y:g}"'
            f' data-place="x1:low-{row.key} x2:high-{row.key}"/>'
            f'<text x="-8" y="{y:g}" dy=".34em" text-anchor="end">{html.escape(row.name)}</text>'
            f'<circle class="pt-{side}{" d" if dev else ""}" r="4.5" cy="{y:g}"'
            f' cx="{strip_place(row.rate, target):.2f}%" data-place="cx:mark-{row.key}"/>'
        )
    asked = f"target {100.0 * target:g}\u00a0%"
    side_of = ("end", -5) if at > 70.0 else ("start", 5)
    parts.append(
        f'<line class="tgt" x1="{at:.2f}%" x2="{at:.2f}%" y1="{_TOP - 4:g}" y2="{foot:g}"/>'
        f'<text class="ink" x="{at:.2f}%" dx="{side_of[1]}" y="{_TOP - 5:g}"'
        f' text-anchor="{side_of[0]}">{asked}</text>'
        f'<line class="base" x1="0" x2="100%" y1="{foot:g}" y2="{foot:g}"/>'
        f'<text x="-8" y="{foot + 16:g}" text-anchor="end">{name}</text>'
    )
    first = math.ceil(_start(target))
    for power in range(2, first - 1, (first - 3) // 5):
        x, text = strip_place(10.0 ** (power - 2), target), f"{10.0**power:g}{' %' * (power == 2)}"
        parts.append(
            f'<line class="base" x1="{x:.2f}%" x2="{x:.2f}%" y1="{foot:g}" y2="{foot + 4:g}"/>'
            f'<text x="{x:.2f}%" y="{foot + 16:g}"'
            f' text-anchor="{"start" if x < _FIRST else _anchor(x)}">{text}</text>'
        )
    inner = "".join(parts)
    return f'<svg role="img" height="{foot + 20:g}" aria-label="{html.escape(alt)}">{inner}</svg>'
