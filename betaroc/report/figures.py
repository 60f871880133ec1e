"""The pictures of the sections. No foreign text enters them: sets are called by their role."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from betaroc.core.errors import InputError
from betaroc.core.notices import quietly
from betaroc.model.measures import OperatingPoint
from betaroc.rendering.curves import deviate, in_det_frame
from betaroc.rendering.decision_picture import slider_positions
from betaroc.rendering.numbers import level_words, threshold
from betaroc.rendering.picture_files import Moving, draw_moving_svg, draw_svg
from betaroc.rendering.style import GREY, INK, legend, legend_below
from betaroc.rendering.tree import Figure
from betaroc.report.first_screen import score_axis
from betaroc.report.score_set import ScoreSet, is_modelled, marked

if TYPE_CHECKING:
    from betaroc.report.analysis import Analysis

#: So many test sets have curves beside dev's.
_DRAWN = 8
#: One meaning each on the whole page: dashed is dev, solid is test, dotted is fitted.
_DASHES, _DOTS = (0, (5, 3)), (0, (1, 1.5))


def draw_curves(analysis: Analysis, curve: str) -> Any:
    """ROC or DET of dev, of its fit and of the test sets."""
    ax: Any = None
    for k, part in enumerate(_parts(analysis)):
        # The first test set in ink; others are not told apart by a hue, which is a class.
        look = {"color": GREY if k > 1 else INK, "linewidth": 1.0 if k > 1 else 1.5,
                "linestyle": "-" if k else _DASHES}  # fmt: skip
        ax = getattr(part.empirical, curve)().plot(
            ax, terms=analysis.terms, label=part.role, **look
        )
    fit = analysis.dev.fit
    if fit and is_modelled(analysis.dev):
        getattr(fit.model, curve)().plot(
            ax, terms=analysis.terms, label="dev, fitted", color=GREY, linestyle=_DOTS,
            linewidth=1.6,
        )  # fmt: skip
    return ax


def _parts(analysis: Analysis) -> list[ScoreSet]:
    return [analysis.dev, *analysis.tests[:_DRAWN]]


def curve_figures(analysis: Analysis) -> list[Figure]:
    """ROC and DET of dev, of its fit and of the test sets, with marks that the slider moves."""
    parts = _parts(analysis)
    d, met, moved = analysis.decision, marked(analysis.points), list[OperatingPoint]()
    if d is not None:
        _, thresholds, home = slider_positions(score_axis(analysis), d.threshold)
        moved = [part.empirical.at(thresholds) for part in parts]
    point = met.expected
    place = threshold(point.threshold, point.logit_threshold, 4)
    dots = "the threshold" if moved else f"dev’s EER threshold {place}"
    told = "Dashed: dev’s scores" + "; solid: those of test" * (len(parts) > 1)
    told += "; dotted: dev’s fit" * (analysis.dev.fit is not None and is_modelled(analysis.dev))
    told += f". Dots, at {dots}: hollow, dev{'; filled, test' * (len(parts) > 1)}."

    def drawn(curve: str, words: str, place: Callable[[OperatingPoint], tuple[Any, Any]]) -> Figure:
        def draw() -> Any:
            ax = draw_curves(analysis, curve)
            for k, point in enumerate(() if moved else (met.expected, *met.observed[1:2])):
                x, y = place(point)
                ax.plot(
                    [x], [y], marker="o", markersize=6, color=INK, markeredgewidth=1.3,
                    markerfacecolor=INK if k else "white", label="_nolegend_", zorder=5.0,
                )  # fmt: skip
            legend_below(ax, 2)
            return ax

        marks = [
            Moving(f"{curve}{k}", *place(points), home, hollow=k == 0)
            for k, points in enumerate(moved)
        ]
        svg, places = draw_moving_svg(draw, f"betaroc {curve}", marks)
        return Figure(svg, f"{words} {told}", places=places)

    roc = drawn("roc", "ROC: TPR against FAR.", lambda p: (p.far, p.tpr))
    points = [part.empirical.det().points() for part in parts]
    if not any(in_det_frame(p.far, p.frr) for p in points):
        return [roc, Figure(
            "", "No DET is drawn: on no curve is there a threshold with both FAR and FRR between"
            " 0.1 % and 95 %, which is what it would show.",
        )]  # fmt: skip
    words = "DET: FRR against FAR on scales that make normal scores straight lines."
    return [roc, drawn("det", words, lambda p: (deviate(p.far), deviate(p.frr)))]


def fit_figures(analysis: Analysis) -> list[Figure]:
    """Of dev its scores against the fitted distributions, and its rates down to few scores."""
    dev = analysis.dev
    if dev.fit is None or dev.summary is not None or not is_modelled(dev):
        return []
    level, own = level_words(analysis.level), dev.fit.client.tails or dev.fit.impostor.tails
    logits = ", both as logits" * dev.fit.model.client.on_unit
    rates = "FMR and FNMR" if dev.has_rejected else "FAR and FRR"
    kinds = {
        "pp": "P–P: probability by the fitted distribution against the share of the scores;"
        f" shaded: {level} at each score by itself",
        "qq": f"Q–Q: scores against the quantiles of the fitted distribution{logits}; shaded:"
        f" {level} at each score by itself",
        "tails": f"{rates} against the threshold, log scale. Dots: counted; dotted: fitted"
        + (f" with tails; dash-dotted: without; shaded: {level} interval" if own else ""),
    }
    return [_of_fit(analysis, kind, caption) for kind, caption in kinds.items()]


def _of_fit(analysis: Analysis, kind: str, caption: str) -> Figure:
    def draw() -> Any:
        ax: Any = analysis.dev.scored.fit.plot(kind, level=analysis.level)  # type: ignore[union-attr]
        if kind == "tails":
            for line in ax.lines:
                name = str(line.get_label())
                if name.endswith("fitted"):
                    line.set_linestyle(_DOTS)
                elif name.endswith("without the tail"):
                    line.set_linestyle("-.")
            legend(ax)
        legend_below(ax, None if kind == "tails" else 1)
        return ax

    try:
        with quietly():  # the page says once what is of scores alone
            return Figure(draw_svg(draw, f"betaroc dev {kind}"), f"dev, {caption}")
    except InputError as error:
        return Figure("", f"dev: no {caption[:3]} picture. {error}")
