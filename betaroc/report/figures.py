"""The pictures of the report. No foreign text enters them: sets are called by their role."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import InputError
from betaroc.core.notices import quietly
from betaroc.core.terms import terms_of
from betaroc.distributions.base import Distribution
from betaroc.distributions.pictures import (
    bar_heights,
    density_of,
    plot_classes,
    score_frame,
    typical,
)
from betaroc.fits.fit import Fit
from betaroc.model.measures import OperatingPoint
from betaroc.rendering.curves import deviate, draw_power_law, in_det_frame
from betaroc.rendering.decision_picture import slider_positions
from betaroc.rendering.numbers import counted, level_words, number, spaced, threshold
from betaroc.rendering.picture_files import Moving, draw_moving_svg, draw_svg
from betaroc.rendering.style import CLIENT, GREY, IMPOSTOR, legend, legend_below
from betaroc.rendering.tree import Figure
from betaroc.report.first_screen import score_axis
from betaroc.report.record import AnalysisRecord
from betaroc.report.score_set import ScoreSet, is_modelled
from betaroc.report.summary import marked

#: A density may be infinite at an end; the frame is as high as what is counted needs.
_HEADROOM = 1.3
_BINS = 20
#: The smallest rate at which an end is drawn.
_FINEST = 1e-6
#: A narrow density may rise to so many bars.
_TALLEST = 1.6
#: So many test sets have curves of their own beside dev's.
_DRAWN = 8
#: One meaning each on the whole page: dashed is dev, solid is test, dotted is fitted; ink is of
#: both classes, a hue of one.
_INK = "#333333"
_DASHES, _DOTS = (0, (5, 3)), (0, (1, 1.5))
_FITTED = {"color": GREY, "linestyle": _DOTS, "linewidth": 1.6}
#: Who chose the thresholds of an expected performance curve: colour, width, name.
_CHOOSERS = {
    "scores": (_INK, 1.2, "by dev’s scores"),
    "model": (GREY, 2.0, "by dev’s fitted distributions"),
}


class _Slider(NamedTuple):
    """The thresholds that the page's slider moves over, and where the one decided stands."""

    thresholds: FloatArray
    home: int

    @classmethod
    def of(cls, analysis: AnalysisRecord) -> _Slider | None:
        """Of a report whose threshold was decided."""
        d = analysis.decision
        if d is None:
            return None
        _, thresholds, home = slider_positions(score_axis(analysis), d.threshold)
        return cls(thresholds, home)

    def rates(self, part: ScoreSet) -> OperatingPoint:
        """What the set counts at them."""
        return part.empirical.at(self.thresholds)


# ------------------------------------------------------------------------- histograms
def histogram_figures(analysis: AnalysisRecord) -> list[list[Figure]]:
    """For each class a row: dev, then every test set, on one scale."""
    parts = [part.scored for part in analysis.parts]
    limits = score_frame(*(s for p in parts for s in (p.scores.client, p.scores.impostor)))
    mark, slider = marked(analysis.points).expected.threshold, _Slider.of(analysis)
    return [
        [
            _histogram(part, parts[0], who, limits, _top(parts, who, limits), mark, slider)
            for part in parts
        ]
        for who in CLASSES
    ]


def _histogram(
    part: ScoreSet, dev: ScoreSet, who: str, limits: tuple[float, float], top: float, mark: float,
    slider: _Slider | None,
) -> Figure:  # fmt: skip
    law = _law_of(part, who)
    laws = [getattr(part.empirical, who), *filter(None, [law])]
    reference = _law_of(dev, who) if part is not dev else None
    marks = slider is None and limits[0] <= mark <= limits[1]

    def draw() -> Any:
        colour = CLIENT if who == "client" else IMPOSTOR
        ax = plot_classes(None, [laws], [{"color": colour}], bins=_BINS, limits=limits)
        for own in (one for one in ax.lines if one.get_marker() == "None"):
            own.set(linestyle=_DOTS, linewidth=1.6)  # fitted: no stem of a point mass
        if reference is not None:
            line = density_of(reference, *limits)
            ax.plot(line.x, line.y, color=GREY, linewidth=1.0, linestyle="--")
        if marks:
            ax.axvline(mark, color=_INK, linewidth=1.5)
        ax.set_ylim(0.0, top)
        return ax

    n = part.sizes[0 if who == "client" else 1]
    caption = f"{part.role}: {spaced(n)} {who} score{'s' * (n != 1)}"
    caption += "; dotted: fitted density" * (law is not None)
    if reference is not None:
        caption += "; dashed: dev’s"
    if marks:
        caption += f"; upright line: dev’s EER threshold {threshold(mark, math.nan, 4)}"
    moving = [] if slider is None else [Moving("h", slider.thresholds, None, slider.home)]
    caption += "; upright line: the threshold" * (slider is not None)
    svg, places = draw_moving_svg(draw, f"betaroc {part.role} {who}", moving)
    return Figure(svg, caption, places=places)


def _law_of(part: ScoreSet, who: str) -> Distribution | None:
    """A fitted distribution that has a density."""
    law: Distribution | None = None if part.fit is None else getattr(part.fit.model, who)
    return None if law is None or law.continuous is None else law


def _top(parts: Sequence[ScoreSet], who: str, limits: tuple[float, float]) -> float:
    """One height for a class: that of the tallest bar or bell of any set, and some room."""
    heights, bells = [], [0.0]
    edges = np.linspace(*limits, _BINS + 1)
    for part in parts:
        law = _law_of(part, who)
        heights.append(float(bar_heights(getattr(part.empirical, who), law, edges).max()))
        bells.append(typical(law))
    return _HEADROOM * max(*heights, min(max(bells), _TALLEST * max(heights)))


# ----------------------------------------------------------------------------- curves
_Place: TypeAlias = Callable[[OperatingPoint], tuple[Any, Any]]


def curve_figures(analysis: AnalysisRecord) -> list[Figure]:
    """ROC, on both scales, and DET of dev, beside those of each test set."""
    tests = tuple(enumerate(analysis.tests[:_DRAWN], start=1))
    return [figure for one in tests or (None,) for figure in _curves(analysis, one)]


def _curves(analysis: AnalysisRecord, test: tuple[int, ScoreSet] | None) -> list[Figure]:
    parts = [analysis.dev] if test is None else [analysis.dev, test[1]]
    role = "dev" if test is None else test[1].role
    slider = _Slider.of(analysis)
    dots = _dots_words(analysis, role, slider)

    def drawn(curve: str, place: _Place, words: str, **options: Any) -> Figure:
        which, moving = 0 if test is None else test[0], []
        if slider is not None:
            name = f"{curve}{options.get('scale', '')}"
            for k, part in zip((0, which), parts, strict=False):
                at = place(slider.rates(part))
                moving.append(Moving(f"{name}{k}", *at, slider.home, hollow=part is parts[0]))
        svg, places = _overlaid(analysis, parts, which, curve, place, options, moving)
        return Figure(svg, f"{words} {dots}", places=places)

    found = [
        drawn("roc", lambda p: (p.far, p.tpr), f"{role}, ROC: TPR against FAR."),
        drawn("roc", lambda p: (p.far, p.tpr), f"{role}, ROC with FAR on a log scale.",
              scale="log"),
    ]  # fmt: skip
    models = [part.empirical for part in parts]
    models += [part.fit.model for part in parts if part.fit is not None]
    points = (model.det().points() for model in models)
    if any(in_det_frame(p.far, p.frr) for p in points):
        words = f"{role}, DET: FRR against FAR on normal deviates."
        found.append(drawn("det", lambda p: (deviate(p.far), deviate(p.frr)), words))
    else:
        found.append(Figure(
            "", "No DET is drawn: on no curve is there a threshold with both FAR and FRR between"
            " 0.1 % and 95 %, which is what it would show.",
        ))  # fmt: skip
    return found


def _dots_words(analysis: AnalysisRecord, role: str, slider: _Slider | None) -> str:
    met = marked(analysis.points)
    place = threshold(met.expected.threshold, met.expected.logit_threshold, 4)
    words = "Dashed: dev’s scores" + f"; solid: {role}’s" * (role != "dev")
    words += "; dotted: fitted. " if is_modelled(analysis.dev) else ". "
    if slider is not None:
        words += "Dots, at the threshold, as counted: hollow, dev"
        return words + (f"; filled, {role}." if role != "dev" else ".")
    first = "by its fitted distributions" if met.chosen_by == "model" else "on its scores"
    words += f"Dots, all at dev’s EER threshold {place}: hollow, dev {first}"
    return words + (f"; filled, {role} as observed." if role != "dev" else ".")


def _overlaid(
    analysis: AnalysisRecord, parts: Sequence[ScoreSet], which: int, curve: str, place: _Place,
    options: Mapping[str, Any], moving: Sequence[Moving],
) -> tuple[str, Any]:  # fmt: skip
    met = marked(analysis.points)
    points = (met.expected, *met.observed[which : which + 1]) if which else (met.expected,)
    points = () if moving else points
    looks = ({"linestyle": _DASHES, "linewidth": 1.3}, {"linestyle": "-", "linewidth": 1.6})

    def draw() -> Any:
        ax: Any = None
        for part, look in zip(parts, looks, strict=False):
            ax = getattr(part.empirical, curve)().plot(
                ax, terms=analysis.terms, color=_INK, label=f"{part.role}, scores", **look,
                **options,
            )  # fmt: skip
            if part.fit is not None and is_modelled(part):
                ax = getattr(part.fit.model, curve)().plot(
                    ax, terms=analysis.terms, label=f"{part.role}, fitted", **_FITTED, **options
                )
        for k, point in enumerate(points):
            x, y = place(point)
            ax.plot(
                [x], [y], marker="o", markersize=6, color=_INK, markeredgewidth=1.3,
                markerfacecolor=_INK if k else "white", label="_nolegend_", zorder=5.0,
            )  # fmt: skip
        legend_below(ax, max(2, len(parts)))  # each set has a column
        return ax

    salt = "".join(map(str, options.values()))
    return draw_moving_svg(draw, f"betaroc {curve}{salt} {parts[-1].role}", moving)


# ------------------------------------------------------------------------------ ends
def end_figures(analysis: AnalysisRecord) -> list[Figure]:
    """Dev's fitted ROC near both ends, where it is a power of a rate."""
    dev = analysis.dev.scored
    if dev.fit is None or not is_modelled(dev):
        return []
    model, terms = dev.fit.model, terms_of(analysis.terms)
    rates, seen = np.geomspace(_FINEST, 1.0, 121), dev.empirical.det().points()
    low, high = model.at_frr(rates), model.at_far(rates)
    ends, found = model.ends(), []
    for where, end, x, y, names in (
        ("low", ends.at_zero, "frr", "tnr", (terms.frr.short, terms.tnr.short)),
        ("high", ends.at_one, "tpr", "far", (terms.tpr.short, terms.far.short)),
    ):
        if not (0.0 < end.exponent < math.inf and 0.0 < end.coefficient < math.inf):
            continue
        at = low if where == "low" else high
        curve, counts = ((getattr(p, x), getattr(p, y)) for p in (at, seen))
        draw = partial(draw_power_law, curve, counts, (end.coefficient, end.exponent), names)
        caption = (
            f"dev, {where} end of the thresholds: {y.upper()} against {x.upper()}, log scales."
            f" Dots: counted; dotted: fitted; line: the power law {number(end.coefficient, 4)}"
            f" {x.upper()}^{number(end.exponent, 4)}"
        )
        found.append(Figure(draw_svg(draw, f"betaroc end {where}"), caption))
    return found


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
        drawn += " Upright bands: a threshold there accepts or rejects everybody on dev."
    who = "Thresholds chosen by dev’s scores"
    if len(curves) > 1:
        who = "Narrow: thresholds chosen by dev’s scores; wide: by dev’s fitted distributions"
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
        ax = fit.plot("tails", level=level)
        for line in ax.lines:
            name = str(line.get_label())
            if name.endswith("fitted"):
                line.set_linestyle(_DOTS)
            elif name.endswith("without the tail"):
                line.set_linestyle("-.")
            elif line.get_marker() == "None":  # where a tail begins
                line.set_linestyle("-")
        legend(ax)
        legend_below(ax, None)
        return ax

    rates = "FMR and FNMR" if part.has_rejected else "FAR and FRR"
    what = (
        f"{role}, {rates} against the threshold, on a log scale down to a tenth of an expected"
        " score. Dots: counted"
    )
    if fit.client.tails or fit.impostor.tails:
        what += (
            "; dotted: fitted with tails; dash-dotted: the family without; upright: where a tail"
            f" begins; shaded: {level_words(level)} interval of the rate"
        )
    else:
        what += (
            "; dotted: fitted, without tails of their own, which says nothing of how wrong it is"
        )
    try:
        with quietly():  # the page says once what is of scores alone
            return Figure(draw_svg(draw, f"betaroc {role} tails"), what)
    except InputError as error:
        return Figure("", f"{role}: no picture of the tails. {error}")
