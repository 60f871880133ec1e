"""The report: one self-contained page that asks the network for nothing."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from betaroc.rendering.files import checked_target, write_whole
from betaroc.rendering.numbers import version, visible
from betaroc.rendering.page_frame import page_frame
from betaroc.rendering.tree import Figure, Section
from betaroc.rendering.tree_html import html_of, typeset
from betaroc.report.beta_pair import beta_pair_section
from betaroc.report.figures import (
    curve_figures,
    epc_figures,
    histogram_figures,
    probability_figures,
    tail_figures,
)
from betaroc.report.observed_curves import curves_section
from betaroc.report.page_quality import (
    checks_section,
    families_section,
    sensitivity_section,
    tails_section,
    worst,
)
from betaroc.report.record import AnalysisRecord, name, page_in_terms
from betaroc.report.score_set import ScoreSet
from betaroc.report.sections import (
    Named,
    ends_section,
    measures_section,
    parameters_section,
    points_section,
    read_section,
    scores_section,
)
from betaroc.report.summary import (
    first_lines,
    mismatch_words,
    set_names,
    statuses,
    summary_lines,
)

__all__ = ["foot", "render_body", "render_report", "sections_of", "write_report"]


def write_report(analysis: AnalysisRecord, path: str | os.PathLike[str]) -> None:
    """Write the page, whole or not at all; see :meth:`betaroc.Analysis.to_html`."""
    checked_target(path)  # before the work of drawing
    write_whole(path, render_report(analysis))


def render_report(analysis: AnalysisRecord) -> str:
    """The page as text; the same analysis gives the same text."""
    title = f"betaroc: {name(analysis.dev.name).short}"
    return page_frame(title, render_body(analysis), page_in_terms(foot(), analysis))


def render_body(analysis: AnalysisRecord) -> str:
    """What stands within the frame of a page."""
    return page_in_terms(str(_template().render(_top(analysis))), analysis)


def foot() -> str:
    """The last line of a page."""
    return (
        f"betaroc {version()}. FAR(θ) = P(impostor score &gt; θ), FRR(θ) = P(client score ≤ θ),"
        " TPR = 1 − FRR, TNR = 1 − FAR."
    )


@cache
def _template() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("page.html.j2")


def _top(analysis: AnalysisRecord) -> dict[str, Any]:
    """What stands first, and the sections below it."""
    dev, tests, points = analysis.dev, analysis.tests, analysis.points
    names = ["dev", *set_names(tests)]
    sections = sections_of(analysis, drawn=True)
    return {
        "title": name(dev.name),
        "contradicted": list(map(typeset, first_lines(dev, tests, points, analysis.level))),
        "alarm": typeset(mismatch_words(dev)),
        "headline": list(map(typeset, summary_lines(dev, tests, points))),
        "statuses": [
            _status(part, role) for part, role in zip(analysis.parts, names, strict=True)
            if statuses(part)
        ],
        "warnings": [visible(notice.message) for notice in analysis.notices],
        "contents": [(section.key, section.title) for section in sections],
        "body": html_of(sections),
    }  # fmt: skip


def _status(part: ScoreSet, role: str) -> dict[str, Any]:
    """The verdicts on a set's fit: colours, the words that stand for them, the numbers."""
    found = statuses(part)
    return {
        "role": role,
        "colour": worst(found)[1],
        "statuses": [{"of": one.of, "verdict": one.verdict} for one in found],
        "words": [one.words[:1].upper() + one.words[1:] for one in found],
    }


# ------------------------------------------------------------------------------ sections
def sections_of(analysis: AnalysisRecord, *, drawn: bool = False) -> list[Section]:
    """All sections of an analysis in their order; pictures are for a page."""
    names = ["dev", *set_names(analysis.tests)]
    sets: Named = list(zip(analysis.parts, names, strict=True))
    histograms: list[list[Figure]] = [[], []]
    beside, tails = (probability_figures(analysis), tail_figures(analysis)) if drawn else ({}, {})
    if drawn:
        histograms = histogram_figures(analysis)
    beta = analysis.beta
    pair = () if beta is None else (beta_pair_section(beta, analysis.dev),)
    sections = [
        *[scores_section(sets, histograms)] * drawn,
        measures_section(sets, curve_figures(analysis) if drawn else ()),
        points_section(analysis.points, sets, analysis.level),
        *[
            curves_section(analysis.curves, sets, epc_figures(analysis) if drawn else None)
        ] * bool(analysis.curves),
        ends_section(sets, pair),
        tails_section(sets, tails),
        checks_section(sets, analysis.level, analysis.seed, beside),
        families_section(*sets[0], (parameters_section(sets),)),
        sensitivity_section(sets),
        read_section(sets, analysis.reason),
    ]  # fmt: skip
    return [section for section in sections if section.blocks]
