"""The picture of a threshold as SVG: scores of both classes, rates on a strip.

Positions are in per cent of the width; the classes are those of page.css.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.thresholds import mirror
from betaroc.core.vocabulary import ACCEPT, REJECT
from betaroc.rendering.numbers import with_minus
from betaroc.rendering.tree import IntervalMark

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
#: Numbers of an axis are at least so far apart, in per cent.
_GAP = 9.0


#: A place of an axis in per cent, and what stands there.
Tick = tuple[float, str]


class Panel(NamedTuple):
    """Densities of both classes between edges."""

    #: In per cent of the width, one more than heights.
    edges: FloatArray
    client: FloatArray
    impostor: FloatArray
    #: Where fitted distributions were drawn: places, heights of clients, heights of impostors.
    fitted: tuple[FloatArray, FloatArray, FloatArray] | None = None

    def tallest(self, who: str, low: float, high: float) -> float:
        """The tallest bar between two places."""
        within = (self.edges[1:] > low) & (self.edges[:-1] < high)
        return float(getattr(self, who).max(initial=0.0, where=within))


# -------------------------------------------------------------------------------- axis
class ScoreAxis(NamedTuple):
    """Where scores stand: evenly, or by their logits."""

    low: float
    high: float
    logit: bool
    #: Whether they are of -s, which numbers are not.
    lower: bool = False

    @classmethod
    def of(cls, scores: FloatArray, mark: float | None) -> ScoreAxis:
        """The axis of nearly all scores and the mark."""
        from scipy.special import logit

        low, high = float(scores.min()), float(scores.max())
        on_unit, at = 0.0 <= low and high <= 1.0, np.nan if mark is None else mark
        if on_unit and np.mean(np.minimum(scores, 1.0 - scores) < _NEAR) > 0.5:
            inner = logit(scores[(scores > 0.0) & (scores < 1.0)])
            if inner.size:
                return cls(*_limits(inner, float(logit(at)), 0.02, 0.1), logit=True)
        if on_unit and high - low > 0.5:
            return cls(0.0, 1.0, logit=False)
        return cls(*_limits(scores, at, 0.03, 0.0), logit=False)

    def place(self, score: Any) -> Any:
        return np.clip(self._place(score), 0.0, 100.0)

    def _place(self, score: Any) -> Any:
        from scipy.special import logit

        scaled = logit(score) if self.logit else np.asarray(score, dtype=np.float64)
        return 100.0 * (scaled - self.low) / (self.high - self.low)

    def score(self, place: Any) -> Any:
        x = self.low + (self.high - self.low) * np.asarray(place) / 100.0
        return 1.0 / (1.0 + np.exp(-x)) if self.logit else x

    def slope(self, score: FloatArray) -> FloatArray:
        """How far scores move in one per cent."""
        item = (self.high - self.low) / 100.0
        return item * score * (1.0 - score) if self.logit else np.full(score.shape, item)

    def text(self, score: float) -> str:
        """A score in digits that tell its neighbours apart."""
        if self.logit:
            near = min(score, 1.0 - score)
            return f"{score:.{min(3 - math.floor(math.log10(near)), 15) if near > 0.0 else 1}f}"
        step = (self.high - self.low) / 400.0
        return f"{mirror(score, self.lower):.{max(1 - math.floor(math.log10(step)), 0)}f}"

    def ticks(self) -> list[Tick]:
        """Four to seven numbers."""
        from matplotlib.ticker import MaxNLocator

        marks = _LOGIT_TICKS
        if not self.logit:
            scores = MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(self.low, self.high)
            shown = ((x, mirror(x, self.lower)) for x in scores)
            marks = [(x, with_minus(f"{y:.6g}") if abs(y) > 1e-12 else "0") for x, y in shown]
        placed = [(float(self._place(score)), text) for score, text in marks]
        inside = [tick for tick in placed if -1e-9 <= tick[0] <= 100.0 + 1e-9]
        gap = float(np.diff([at for at, _ in inside]).min(initial=100.0))
        step = max(math.ceil(len(inside) / 7), math.ceil(_GAP / gap))
        middle = next((k for k, (_, text) in enumerate(inside) if text == "0.5"), 0)
        return inside[middle % step :: step]


def slider_positions(axis: ScoreAxis, threshold: float) -> tuple[list[str], FloatArray, int]:
    """Thresholds as text and numbers, and the decided one's place."""
    places = np.linspace(0.0, 100.0, POSITIONS)
    texts = [axis.text(float(x)) for x in axis.score(places)]
    home = int(np.argmin(np.abs(places - float(axis.place(threshold)))))
    home = 0 if threshold == -math.inf else home
    shown = np.array([float(text) for text in texts])
    thresholds = np.array(mirror(shown, axis.lower))  # as they are shown
    thresholds[home] = threshold
    return texts, thresholds, home


def _limits(values: FloatArray, mark: float, share: float, least: float) -> tuple[float, float]:
    ends = [float(x) for x in np.quantile(values, [_OUTSIDE, 1.0 - _OUTSIDE])]
    ends += [mark] if math.isfinite(mark) else []
    room = share * (max(ends) - min(ends)) + least or 0.5 * max(abs(ends[0]), 1.0)
    return min(ends) - room, max(ends) + room


#: From the middle outwards in steps that look alike on the logit scale.
_LOGIT_TICKS = [
    *((10.0**-k, f"{10.0**-k:.{k}f}" if k < 5 else f"1e\u2212{k}") for k in range(12, 0, -1)),
    (0.5, "0.5"),
    *((1.0 - 10.0**-k, f"0.{'9' * k}" if k < 6 else f"1\u22121e\u2212{k}") for k in range(1, 13)),
]


# --------------------------------------------------------------------------- histograms
def shares(values: FloatArray, weights: FloatArray | None, edges: FloatArray) -> FloatArray:
    """The share of scores between edges, open below and closed above."""
    inside = np.clip(values, edges[0], edges[-1])
    sums = np.histogram(-inside, -edges[::-1], weights=weights)[0][::-1]
    return np.asarray(sums / sums.sum())


def panel_svg(
    panel: Panel, key: str, at: float | None, highest: tuple[float, float],
    names: tuple[str, str], alt: str, *, dashed: bool, taller: bool, told: bool,
) -> str:  # fmt: skip
    """Clients upwards, impostors downwards, and the threshold."""
    unit = (_SIDE - 2.0 * _ROOM) / (sum(highest) or 1.0)
    base = _ROOM + unit * highest[0]
    dev, line, mark = " dev" if dashed else "", f"{base / 10.0:.2f}%", ""
    heights = {"c": base - unit * panel.client, "i": base + unit * panel.impostor}
    paths = {side: _steps(panel.edges, base, y) for side, y in heights.items()}
    inner = [f'<path class="f-{side}" d="{path}Z"/>' for side, path in paths.items()]
    outlines = [f'<path class="o-{side}{dev}" d="{path}"/>' for side, path in paths.items()]
    if at is not None:
        # Clients err to the left of the threshold, impostors to the right.
        size = 'height="1000" data-place'
        for side, rect in (
            ("left", f'x="0" y="0" width="{at:.2f}%" {size}="width:x"'),
            ("right", f'x="{at:.2f}%" y="0" width="100%" {size}="x:x"'),
        ):
            inner.insert(0, f'<clipPath id="{side}{key}"><rect {rect}/></clipPath>')
        outlines.append(f'<g class="magg{"" if taller else " gone"}" data-flag="gone:large">')
        for side, path in paths.items():
            errors = f'clip-path="url(#{"left" if side == "c" else "right"}{key})"'
            inner.append(f'<path class="e-{side}" {errors} d="{path}Z"/>')
            tall = _steps(panel.edges, base, base + TALLER * (heights[side] - base))
            outlines.append(f'<path class="o-{side} mag{dev}" {errors} d="{tall}"/>')
        outlines.append("</g>")
        mark = f'<line class="thl" y1="-2" y2="100%" x1="{at:.2f}%" x2="{at:.2f}%"'
        mark += ' data-place="x1:x x2:x"/>' + (_side_names(panel, at, highest) if told else "")
    if panel.fitted is not None:
        places, *curves = panel.fitted
        for sign, curve in zip((-1.0, 1.0), curves, strict=True):
            points = zip(10.0 * places, _within(base + sign * unit * curve), strict=True)
            outlines.append(
                f'<path class="fitl" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in points)}"/>'
            )
    return (
        f'<svg class="pl" role="img" aria-label="{html.escape(alt)}">'
        '<svg viewBox="0 0 1000 1000" preserveAspectRatio="none">'
        f"{''.join([*inner, *outlines])}</svg>"
        f'<line class="base" x1="0" x2="100%" y1="{line}" y2="{line}"/>'
        f"{mark}{_class_names(panel, at, base, unit, names)}</svg>"
    )


def _within(y: FloatArray) -> FloatArray:
    return np.clip(y, -_ROOM, _SIDE + _ROOM)


def _steps(edges: FloatArray, base: float, y: FloatArray) -> str:
    bars = "".join(
        f"V{top:.1f}H{10.0 * x:.1f}" for top, x in zip(_within(y), edges[1:], strict=True)
    )
    return f"M{10.0 * edges[0]:.1f} {base:.1f}{bars}V{base:.1f}"


def _side_names(panel: Panel, at: float, highest: tuple[float, float]) -> str:
    y = "12" if panel.tallest("client", at - 12.0, at + 12.0) < 0.75 * highest[0] else "99%"
    sides = (REJECT, -8, "end", at), (ACCEPT, 8, "start", 100.0 - at)
    return "".join(
        f'<text class="h{_out(room)}" x="{at:.2f}%" dx="{dx}" y="{y}" text-anchor="{anchor}"'
        f' data-narrow data-place="x:x" data-flag="gone:no{word}">{word}</text>'
        for word, dx, anchor, room in sides
    )


def _out(room: float) -> str:
    return " gone" if room < 8.0 else " tight" if room < 14.0 else ""


def _class_names(
    panel: Panel, at: float | None, base: float, unit: float, names: tuple[str, str]
) -> str:
    texts = ""
    for who, name, style, sign in (
        ("client", names[0], "tc", -1.0), ("impostor", names[1], "ti", 1.0),
    ):  # fmt: skip
        tops = {x: panel.tallest(who, x, x + _WIDE) for x in _PLACES}
        free = [x for x in _PLACES if at is None or not x - 2.0 < at < x + _WIDE]
        x = min(free or _PLACES, key=tops.__getitem__)
        y = min(max(base + sign * unit * tops[x], 40.0), _SIDE - 40.0)
        place = 'x="100%" text-anchor="end"' if x == _PLACES[-1] else f'x="{x:.0f}%"'
        texts += (
            f'<text class="h {style}" {place} y="{y / 10.0:.2f}%" dy="{-6 if sign < 0 else 15}">'
            f"{html.escape(name)}</text>"
        )
    return texts


def axis_svg(ticks: Sequence[Tick]) -> str:
    """The axis below the panels."""
    line = '<line class="base" x1="0" x2="100%" y1="0" y2="0"/>'
    return f'<svg class="ax" aria-hidden="true">{line}{_ticks(ticks, 0.0, 17.0, 2.0)}</svg>'


def _ticks(ticks: Iterable[Tick], y: float, foot: float, first: float) -> str:
    return "".join(
        f'<line class="base" x1="{at:.2f}%" x2="{at:.2f}%" y1="{y:g}" y2="{y + 4:g}"/>'
        f'<text x="{at:.2f}%" y="{foot:g}" text-anchor='
        f'"{"start" if at < first else "end" if at > 98.0 else "middle"}">{text}</text>'
        for at, text in ticks
    )


# -------------------------------------------------------------------------------- strip
def _start(target: float) -> float:
    return min(_LEAST, math.floor(math.log10(100.0 * target) + 1e-9) - _BELOW)


def strip_place(rate: float, target: float) -> float:
    """The place of a rate in per cent of the width."""
    start = _start(target)
    power = math.log10(100.0 * rate) if rate > 0.0 else start
    return min(max((power - start) / (2.0 - start), 0.0), 1.0) * 100.0


def strip_svg(
    name: str, rows: Sequence[IntervalMark], target: float, side: str, key: str, alt: str
) -> str:
    """Rates with their intervals beside the target; ``key`` names their places."""
    foot, at = _TOP + _LINE * len(rows) + 6.0, strip_place(target, target)
    parts = [
        f'<rect class="overz" x="{at:.2f}%" y="{_TOP:g}" height="{foot - _TOP:g}"'
        f' width="{100.0 - at:.2f}%"/>'
    ]
    for k, row in enumerate(rows):
        y, dev, dot = _TOP + _LINE * k + 11.0, "" if k else " dev", "" if k else " d"
        low, middle, high = (
            strip_place(x if math.isfinite(x) else row.value, target)
            for x in (row.low, row.value, row.high)
        )
        parts.append(
            f'<line class="iv-{side}{dev}" x1="{low:.2f}%" x2="{high:.2f}%" y1="{y:g}" y2="{y:g}"'
            f' data-place="x1:low-{key}{k} x2:high-{key}{k}"/>'
            f'<text x="-8" y="{y:g}" dy=".34em" text-anchor="end">{html.escape(row.label)}</text>'
            f'<circle class="pt-{side}{dot}" r="4.5" cy="{y:g}" cx="{middle:.2f}%"'
            f' data-place="cx:mark-{key}{k}"/>'
        )
    anchor, dx = ("end", -5) if at > 70.0 else ("start", 5)
    first = math.ceil(_start(target))
    ticks = (
        (strip_place(10.0 ** (power - 2), target), f"{10.0**power:g}{' %' * (power == 2)}")
        for power in range(2, first - 1, (first - 3) // 5)
    )
    parts.append(
        f'<line class="tgt" x1="{at:.2f}%" x2="{at:.2f}%" y1="{_TOP - 4:g}" y2="{foot:g}"/>'
        f'<text class="ink" x="{at:.2f}%" dx="{dx}" y="{_TOP - 5:g}" text-anchor="{anchor}">'
        f"target {100.0 * target:g}\u00a0%</text>"
        f'<line class="base" x1="0" x2="100%" y1="{foot:g}" y2="{foot:g}"/>'
        f'<text x="-8" y="{foot + 16:g}" text-anchor="end">{name}</text>'
    )
    inner = "".join(parts) + _ticks(ticks, foot, foot + 16.0, _FIRST)
    return f'<svg role="img" height="{foot + 20:g}" aria-label="{html.escape(alt)}">{inner}</svg>'
