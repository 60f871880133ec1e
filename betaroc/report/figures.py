"""The pictures of the report. No foreign text enters them: sets are called by their role."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from betaroc.core.errors import InputError
from betaroc.core.notices import quietly
from betaroc.distributions.base import Distribution
from betaroc.fits.fit import Fit
from betaroc.fits.pictures import bar_heights, density_of, plot_histogram, span, typical
from betaroc.model.measures import OperatingPoint
from betaroc.rendering.curves import deviate, in_det_frame
from betaroc.rendering.numbers import counted, level_words, threshold
from betaroc.rendering.picture_files import draw_svg
from betaroc.rendering.style import CLIENT, COLOURS, IMPOSTOR, legend, legend_below
from betaroc.rendering.tree import Figure
from betaroc.report.record import AnalysisRecord
from betaroc.report.score_set import ScoreSet, is_modelled
from betaroc.report.summary import marked

__all__ = [
    "curve_figures",
    "epc_figures",
    "histogram_figures",
    "probability_figures",
    "tail_figures",
]

#: A density may be infinite at an end; the frame is as high as what is counted needs.
_HEADROOM = 1.3
_BINS = 20
#: A narrow density may rise to so many bars.
_TALLEST = 1.6
#: With more sets than this the legend names each once.
_FEW_SETS = 3
_DARK = "#333333"
#: Who chose the thresholds of an expected performance curve: colour, width, name.
_CHOOSERS = {
    "scores": (COLOURS[2], 1.0, "by dev’s scores"),
    "model": (COLOURS[7], 1.9, "by dev’s fitted distributions"),
}


# ------------------------------------------------------------------------- histograms
def histogram_figures(analysis: AnalysisRecord) -> list[list[Figure]]:
    """For each class a row: dev, then every test set, on one scale."""
    parts = [part.scored for part in analysis.parts]
    limits = span(*(s for p in parts for s in (p.scores.client, p.scores.impostor)))
    mark = marked(analysis.points).expected.threshold
    return [
        [_histogram(part, parts[0], who, limits, _top(parts, who, limits), mark) for part in parts]
        for who in ("client", "impostor")
    ]


def _histogram(
    part: ScoreSet, dev: ScoreSet, who: str, limits: tuple[float, float], top: float, mark: float
) -> Figure:
    scores, weights = _sample(part, who)
    law = None if part.fit is None else getattr(part.fit.model, who)
    fitted = law is not None and law.continuous is not None
    reference = _law_of(dev, who) if part is not dev else None
    marks = limits[0] <= mark <= limits[1]

    def draw() -> Any:
        colour = CLIENT if who == "client" else IMPOSTOR
        ax = plot_histogram(scores, law, weights=weights, bins=_BINS, limits=limits, color=colour)
        if reference is not None:
            line = density_of(reference, *limits)
            ax.plot(line.x, line.y, color=_DARK, linewidth=1.0, linestyle="--")
        if marks:
            ax.axvline(mark, color=_DARK, linewidth=1.1, linestyle=":")
        ax.set_ylim(0.0, top)
        return ax

    n = part.sizes[0 if who == "client" else 1]
    caption = f"{part.role}: {n} {who} scores" + (", fitted density" if fitted else "")
    if reference is not None:
        caption += "; dashed: dev’s fitted density"
    if marks:
        caption += f"; dotted line: dev’s EER threshold {threshold(mark, math.nan, 4)}"
    return Figure(draw_svg(draw, f"betaroc {part.role} {who}"), caption)


def _law_of(part: ScoreSet, who: str) -> Distribution | None:
    """A fitted distribution that has a density."""
    law: Distribution | None = None if part.fit is None else getattr(part.fit.model, who)
    return None if law is None or law.continuous is None else law


def _top(parts: Sequence[ScoreSet], who: str, limits: tuple[float, float]) -> float:
    """One height for a class: that of the tallest bar or bell of any set, and some room."""
    heights, bells = [], [0.0]
    edges = np.linspace(*limits, _BINS + 1)
    for part in parts:
        scores, weights = _sample(part, who)
        law = None if part.fit is None else getattr(part.fit.model, who)
        heights.append(float(bar_heights(scores, weights, law, edges).max()))
        bells.append(typical(law))
    return _HEADROOM * max(*heights, min(max(bells), _TALLEST * max(heights)))


def _sample(part: ScoreSet, who: str) -> tuple[Any, Any]:
    return getattr(part.scores, who), getattr(part.scores, f"{who}_weights")


# ----------------------------------------------------------------------------- curves
def curve_figures(analysis: AnalysisRecord) -> list[Figure]:
    """ROC and DET, empirical and fitted of every set overlaid."""
    parts = analysis.parts
    dots = _dots_words(analysis)
    roc = Figure(
        _overlaid(analysis, "roc", lambda p: (p.far, p.tpr)),
        f"ROC: TPR against FAR. {dots}",
    )
    models = [part.empirical for part in parts]
    models += [part.fit.model for part in parts if part.fit is not None]
    points = (model.det().points() for model in models)
    if not any(in_det_frame(p.far, p.frr) for p in points):
        return [
            roc,
            Figure(
                "",
                "No DET is drawn: on no curve is there a threshold with both FAR and FRR between"
                " 0.1 % and 95 %, which is what it would show.",
            ),
        ]
    det = Figure(
        _overlaid(analysis, "det", lambda p: (deviate(p.far), deviate(p.frr))),
        f"DET: FRR against FAR on normal deviates. {dots}",
    )
    return [roc, det]


def _dots_words(analysis: AnalysisRecord) -> str:
    met = marked(analysis.points)
    place = threshold(met.expected.threshold, met.expected.logit_threshold, 4)
    words = "Thin: scores" + ("; dashed: fitted. " if is_modelled(analysis.dev) else ". ")
    first = "by its fitted distributions" if met.chosen_by == "model" else "on its scores"
    words += f"Dots, all at dev’s EER threshold {place}: dev {first}"
    return words + ("; each test set as observed." if analysis.tests else ".")


def _overlaid(
    analysis: AnalysisRecord, curve: str, place: Callable[[OperatingPoint], tuple[Any, Any]]
) -> str:
    parts, met = analysis.parts, marked(analysis.points)
    each = len(parts) <= _FEW_SETS
    points = (met.expected, *met.observed[1:])

    def draw() -> Any:
        ax: Any = None
        for k, part in enumerate(parts):
            colour = COLOURS[k % len(COLOURS)]
            ax = getattr(part.empirical, curve)().plot(
                ax, terms=analysis.terms, color=colour, linewidth=0.9, alpha=0.65,
                label=f"{part.role}, scores" if each else part.role,
            )  # fmt: skip
            if part.fit is not None and is_modelled(part):
                ax = getattr(part.fit.model, curve)().plot(
                    ax, terms=analysis.terms, color=colour, linewidth=1.8, linestyle="--",
                    label=f"{part.role}, fitted" if each else "_nolegend_",
                )  # fmt: skip
        for k, point in enumerate(points):
            x, y = place(point)
            ax.plot(
                [x], [y], marker="o", markersize=5, color=COLOURS[k % len(COLOURS)],
                markeredgecolor="white", markeredgewidth=0.7, label="_nolegend_", zorder=5.0,
            )  # fmt: skip
        columns = max(2, len(parts)) if each else 4  # of few sets, each has a column
        legend_below(ax, columns, width=None if each else 1.8)
        return ax

    return draw_svg(draw, f"betaroc {curve}")


# ------------------------------------------------------- expected performance curves
def epc_figures(analysis: AnalysisRecord) -> dict[str, Figure]:
    """Of every test set what dev's thresholds were expected to do and did, on one scale."""
    tops = [float(np.nanmax([met.epc.value, met.epc.expected])) for met in analysis.curves]
    tops += [float(np.nanmax(met.band.high)) for met in analysis.curves if met.band is not None]
    return {part.role: _epc_figure(analysis, part, 1.05 * max(tops)) for part in analysis.tests}


def _epc_figure(analysis: AnalysisRecord, part: ScoreSet, top: float) -> Figure:
    curves = [met for met in analysis.curves if met.role == part.role]

    def draw() -> Any:
        ax: Any = None
        for met in curves:
            colour, width, name = _CHOOSERS[met.chosen_by]
            ax = met.epc.plot(
                ax, band=met.band, expected=True, color=colour, linewidth=width, label=name,
                terms=analysis.terms,
            )  # fmt: skip
        for artist in (*ax.lines, *ax.collections, *ax.patches):  # the caption tells the rest
            if artist.get_label() not in {name for _, _, name in _CHOOSERS.values()}:
                artist.set_label("_nolegend_")
        ax.set_ylim(0.0, top)
        legend(ax)
        legend_below(ax, len(curves))
        return ax

    bands = [met.band for met in curves if met.band is not None]
    drawn = " No interval; a warning above says why."
    if bands:
        drawn = f" Shaded: {level_words(analysis.level)} interval at each alpha, thresholds as they"
        groups = bands[0].groups
        drawn += " are" if groups is None else f" are, trials drawn by {groups[1]} groups"
        drawn += f"; {counted(bands[0].replicates, 'replicate')}"
        drawn += "." if analysis.seed is None else f", seed {analysis.seed}."
    if any(met.epc.trivial.any() for met in curves):
        drawn += " Grey: a threshold there accepts or rejects everybody on dev."
    who = "Thin: thresholds chosen by dev’s scores"
    if len(curves) > 1:
        who += "; thick: by dev’s fitted distributions"
    caption = (
        f"{part.role}: HTER against alpha. Solid: observed on {part.role}; dashed: expected. {who}."
    )
    return Figure(draw_svg(draw, f"betaroc epc {part.role}"), caption + drawn)


# ------------------------------------------------------------------ scores against distributions
def probability_figures(analysis: AnalysisRecord) -> dict[str, list[Figure]]:
    """Of every set with fitted distributions a P-P and a Q-Q picture."""
    return {
        part.role: [_probability(part, kind, analysis.level) for kind in ("pp", "qq")]
        for part in _of_every_score(analysis)
    }


def tail_figures(analysis: AnalysisRecord) -> dict[str, list[Figure]]:
    """Of every such set its rates down to less than a score."""
    return {part.role: [_tails(part, analysis.level)] for part in _of_every_score(analysis)}


def _of_every_score(analysis: AnalysisRecord) -> list[ScoreSet]:
    return [p for p in analysis.parts if p.fit is not None and is_modelled(p) and p.summary is None]


def _probability(part: ScoreSet, kind: str, level: float) -> Figure:
    fit, role = cast(Fit, part.scored.fit), part.role

    def draw() -> Any:
        ax = fit.plot(kind, level=level)
        legend_below(ax, 1)
        return ax

    what = {
        "pp": "P–P: probability by the fitted distribution against the share of the scores",
        "qq": "Q–Q: scores against the quantiles of the fitted distribution",
    }[kind]
    try:
        svg = draw_svg(draw, f"betaroc {role} {kind}")
    except InputError as error:
        return Figure("", f"{role}: no {what[:3]} picture. {error}")
    if kind == "qq" and fit.model.client.on_unit:
        what += ", both as logits"
    return Figure(svg, f"{role}, {what}; shaded: {level_words(level)} at each score by itself")


def _tails(part: ScoreSet, level: float) -> Figure:
    fit, role = cast(Fit, part.fit), part.role

    def draw() -> Any:
        return fit.plot("tails", level=level)

    rates = "FMR and FNMR" if part.has_rejected else "FAR and FRR"
    what = (
        f"{role}, {rates} against the threshold, on a log scale down to a tenth of an expected"
        " score. Dots: counted"
    )
    if fit.client.tails or fit.impostor.tails:
        what += (
            "; solid: fitted with tails; dashed: the family without; dotted: where a tail begins;"
            f" shaded: {level_words(level)} interval of the rate"
        )
    else:
        what += "; solid: fitted, without tails of their own, which says nothing of how wrong it is"
    try:
        with quietly():  # the page says once what is of scores alone
            return Figure(draw_svg(draw, f"betaroc {role} tails"), what)
    except InputError as error:
        return Figure("", f"{role}: no picture of the tails. {error}")
