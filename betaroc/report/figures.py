"""The pictures of the report. No foreign text enters them: sets are called by their role."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from betaroc.analysis import Part
from betaroc.distributions import Distribution
from betaroc.plot import plot_density, plot_det, plot_histogram, plot_roc
from betaroc.plot.densities import span
from betaroc.plot.style import CLIENT, COLOURS, IMPOSTOR
from betaroc.plot.svg import draw_svg

__all__ = ["Figure", "curve_figures", "histogram_figures"]

#: A density may be infinite at an end; the frame is as high as what is counted needs.
_HEADROOM = 1.3
_BINS = 20


class Figure(NamedTuple):
    """An SVG element and what it shows, in words."""

    svg: str
    caption: str


def histogram_figures(parts: Sequence[Part]) -> list[list[Figure]]:
    """For each class a row: dev, then every test set, on one scale."""
    limits = span(*(s for p in parts for s in (p.scores.client, p.scores.impostor)))
    return [
        [_histogram(part, parts[0], who, limits, _top(parts, who, limits)) for part in parts]
        for who in ("client", "impostor")
    ]


def _histogram(part: Part, dev: Part, who: str, limits: tuple[float, float], top: float) -> Figure:
    scores, weights = _sample(part, who)
    law = None if part.fit is None else getattr(part.fit.model, who)
    fitted = law is not None and law.continuous is not None
    reference = _density_of(dev, who) if part is not dev else None

    def draw() -> Any:
        colour = CLIENT if who == "client" else IMPOSTOR
        ax = plot_histogram(scores, law, weights=weights, bins=_BINS, limits=limits, color=colour)
        if reference is not None:
            frame = ax.get_xlim()
            plot_density(reference, ax, color="#333333", linewidth=1.0, linestyle="--")
            ax.set_xlim(frame)
        ax.set_ylim(0.0, top)
        return ax

    caption = f"{part.role}: {scores.size} {who} scores" + (", fitted density" if fitted else "")
    if reference is not None:
        caption += "; dashed: dev’s fitted density"
    return Figure(draw_svg(draw, f"betaroc {part.role} {who}"), caption)


def _density_of(part: Part, who: str) -> Distribution | None:
    """The continuous part of a fitted law, as far as there is one."""
    law: Distribution | None = None if part.fit is None else getattr(part.fit.model, who)
    if law is None or law.continuous is None or law.continuous[0] < 1.0:
        return None
    return law


def _top(parts: Sequence[Part], who: str, limits: tuple[float, float]) -> float:
    """One height for a class: that of the tallest bar of any set, and some room."""
    heights = []
    width = (limits[1] - limits[0]) / _BINS
    for part in parts:
        scores, weights = _sample(part, who)
        law = None if part.fit is None else getattr(part.fit.model, who)
        keep = np.ones(scores.size, dtype=bool)
        if law is not None and law.continuous is not None:
            keep = ~np.isin(scores, law.atoms.places)
        mass = np.ones(scores.size) if weights is None else weights
        counted = np.histogram(scores[keep], _BINS, limits, weights=mass[keep])[0]
        heights.append(float(counted.max()) / float(mass.sum()) / width)
    return _HEADROOM * max(heights)


def _sample(part: Part, who: str) -> tuple[Any, Any]:
    return getattr(part.scores, who), getattr(part.scores, f"{who}_weights")


def curve_figures(parts: Sequence[Part]) -> list[Figure]:
    """ROC and DET, empirical and fitted of every set overlaid."""
    return [
        Figure(_overlaid(parts, plot_roc, "roc"), "ROC: TPR against FAR"),
        Figure(_overlaid(parts, plot_det, "det"), "DET: FRR against FAR on normal deviates"),
    ]


def _overlaid(parts: Sequence[Part], plot: Callable[..., Any], curve: str) -> str:
    def draw() -> Any:
        ax = None
        for k, part in enumerate(parts):
            colour = COLOURS[k % len(COLOURS)]
            ax = plot(
                getattr(part.empirical, curve)(), ax=ax, color=colour, linewidth=0.9, alpha=0.65,
                label=f"{part.role}, scores",
            )  # fmt: skip
            if part.fit is not None and part.fit.family != "empirical":
                ax = plot(
                    getattr(part.fit.model, curve)(), ax=ax, color=colour, linewidth=1.8,
                    linestyle="--", label=f"{part.role}, fitted",
                )  # fmt: skip
        return ax

    return draw_svg(draw, f"betaroc {curve}")
