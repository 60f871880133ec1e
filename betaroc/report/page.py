"""The report: one self-contained page that asks the network for nothing."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from betaroc.core import checks
from betaroc.decision.decide import Decision, DecisionCheck
from betaroc.decision.decision_view import decision_view
from betaroc.estimation.families import family_text
from betaroc.rendering.document import plain
from betaroc.rendering.files import page_target, write_whole
from betaroc.rendering.notebook import name_shown
from betaroc.rendering.numbers import version, visible
from betaroc.rendering.page_frame import page_frame
from betaroc.rendering.picture_files import can_draw, captions_alone
from betaroc.rendering.tree import (
    Figure,
    Glossary,
    Grid,
    Node,
    Section,
    Status,
    Words,
    foreign,
    retold,
)
from betaroc.rendering.tree_html import html_of, prose_of, template, typeset
from betaroc.rendering.tree_json import dict_of
from betaroc.report.beta_pair import beta_pair_section
from betaroc.report.contradictions import contradiction_words, contradictions, first_lines
from betaroc.report.curve_words import ends_section
from betaroc.report.figures import curve_figures, draw_curves, fit_figures
from betaroc.report.first_screen import decision_lines, first_screen
from betaroc.report.record import (
    decision_numbers,
    doubts,
    foot,
    page_in_terms,
    worst_check,
)
from betaroc.report.score_set import (
    Named,
    apart_words,
    set_names,
)
from betaroc.report.sections import (
    checks_section,
    curves_section,
    families_section,
    measures_section,
    parameters_section,
    points_grids,
    points_section,
    read_section,
    sensitivity_section,
)

if TYPE_CHECKING:
    from markupsafe import Markup

    from betaroc.report.analysis import Analysis


def write_report(analysis: Analysis, path: str | os.PathLike[str]) -> None:
    """Write the page, whole or not at all; see :meth:`betaroc.Analysis.to_html`."""
    page_target(path)  # before the work of drawing
    write_whole(path, render_report(analysis))


def render_report(analysis: Analysis) -> str:
    """The page as text; the same analysis gives the same text."""
    title = f"betaroc: {foreign(analysis.dev.name).short}"
    return page_frame(title, render_body(analysis), foot(analysis))


def report_document(analysis: Analysis) -> dict[str, Any]:
    """The page as an object of JSON: its first lines, then every section with all its numbers."""
    names = [visible(one) for one in analysis.names]
    kept = [*names, *analysis.words]

    def said(text: str) -> str:
        return checks.terms_of(analysis.terms).said(analysis.words.said(text, names), kept)

    with captions_alone():
        sections = sections_of(analysis, drawn=True)
        sections.append(glossary_of(explained(html_of(sections))))
    told: dict[str, Any] = plain({
        "betaroc": version(), "format": 1, "kind": "Report",
        "title": foreign(analysis.dev.name).whole,
        "answer": [said(line) for line in decision_lines(analysis)],
        "decision": decision_numbers(analysis),
        "contradicted": [said(one) for one in first_lines(
            analysis.dev, analysis.tests, analysis.points, analysis.level)],
        "warnings": [said(notice.message) for notice in analysis.notices],
        "sections": [dict_of(retold(one, said)) for one in sections],
    })  # fmt: skip
    return told


def render_body(analysis: Analysis) -> str:
    """What stands within the frame of a page."""
    sections = _sections(analysis)
    body = html_of(sections)
    glossary = glossary_of(explained(body))
    return _body(analysis, [*sections, glossary], body + html_of([glossary]))


def render_part(analysis: Analysis) -> tuple[str, frozenset[str]]:
    """First screen and main tables for a page of several, and the terms that these need."""
    sets = list(zip(analysis.parts, ["dev", *set_names(analysis.tests)], strict=True))
    points = points_section(analysis.points, sets, analysis.level)
    tables = html_of([Section("", (*measures_section(sets, ()).blocks, *points.blocks))])
    return _body(analysis, [], tables), explained(tables)


def _sections(analysis: Analysis) -> list[Section]:
    return [replace(one, folded=True) for one in sections_of(analysis, drawn=can_draw())]


def _body(analysis: Analysis, sections: Sequence[Section], body: Markup) -> str:
    page = template("page.html.j2", "report").render(_top(analysis, sections) | {"body": body})
    return page_in_terms(str(page), analysis)


def _top(analysis: Analysis, sections: Sequence[Section]) -> dict[str, Any]:
    """What stands first, and the sections below it."""
    of = analysis.dev, analysis.tests, analysis.points, analysis.level
    d, found, (alarms, warnings) = analysis.decision, contradictions(*of), doubts(analysis)
    return {
        "screen": first_screen(analysis),
        "contradicted": list(map(typeset, first_lines(*of))),
        "elsewhere": d is not None and all(one.threshold != d.threshold for one in found),
        "alarms": list(map(typeset, alarms)),
        "apart": typeset(apart_words(analysis.dev)),
        "warnings": [*warnings, *[_UNDRAWN] * (not can_draw())],
        "contents": [(section.key, section.title) for section in sections],
        "places": json.dumps(dict(_places(sections)), separators=(",", ":")),
    }


_UNDRAWN = (
    "The pictures of the sections below are missing: they need matplotlib, which cannot be"
    " imported here. Install it, and write the page again."
)


def _places(nodes: Iterable[Any]) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Where marks of pictures stand at every position of the slider."""
    for node in nodes:
        yield from getattr(node, "places", ())
        yield from _places(getattr(node, "blocks", ()))
        yield from _places(getattr(node, "items", ()) if node.tag == "figures" else ())


# ------------------------------------------------------------------------------ sections
#: What the terms of the page mean, each in a sentence.
_GLOSSARY = (
    ("threshold", "the score above which a trial is accepted: accepted if score > threshold"),
    ("client", "a trial that should be accepted"),
    ("impostor", "a trial that should be rejected, such as an attack"),
    ("dev", "the development set: on it distributions are fitted and thresholds are chosen"),
    ("test", "scores that had no say in the threshold: what it does on them is observed"),
    ("expected", "what dev makes one expect at a threshold, before anything was seen of test"),
    ("observed", "what was counted at that threshold"),
    ("fitted", "by the distributions that make dev’s scores most likely"),
    ("FAR", "false acceptance rate: the share of impostors that are accepted"),
    ("FRR", "false rejection rate: the share of clients that are rejected"),
    ("FMR", "false match rate: the FAR of the trials that have a score, the comparisons made"),
    ("FNMR", "false non-match rate: the FRR of the trials that have a score"),
    ("TPR", "the share of clients that are accepted, 1 − FRR"),
    ("TNR", "the share of impostors that are rejected, 1 − FAR"),
    ("HTER", "half total error rate: the mean of FAR and FRR"),
    ("EER", "equal error rate: FAR and FRR at the threshold where they are equal"),
    ("F1", "the harmonic mean of precision (clients among the accepted) and recall (TPR)"),
    ("ROC", "the curve of TPR against FAR over all thresholds"),
    ("DET", "the curve of FRR against FAR on scales of normal deviates"),
    ("AUC", "area under the ROC: the chance that a client scores above an impostor"),
    ("KS", "the largest difference of TPR and FAR over all thresholds"),
    ("alpha", "how much FAR counts in the error that dev’s threshold makes smallest"),
    ("Expected performance curve", "the HTER on test at the threshold of each alpha; short: EPC"),
    ("interval", "values that the scores do not contradict: of 95 %, it misses 1 in 20 times"),
    ("extrapolated", "less than one score is expected there: the family decides, not the data"),
    ("point mass", "a share of scores at exactly one value"),
    ("p-value", "how often chance alone would be as far off as what was seen, or farther"),
    ("cannot tell", "the scores are too few to say; more are needed"),
    ("held-out score", "mean log density of scores that took no part in the fit"),
    ("groups", "trials that depend on each other, such as those of one person"),
)


def explained(body: str) -> frozenset[str]:
    """The terms of the glossary that stand in HTML of ours."""
    text = prose_of(body)
    return frozenset(term for term, _ in _GLOSSARY if re.search(rf"\b{term}s?\b", text))


def glossary_of(terms: Container[str]) -> Section:
    """What these terms mean."""
    found = tuple(row for row in _GLOSSARY if row[0] in terms)
    words = f"{len(found)} terms of this page, a line each"
    return Section("Glossary", (Glossary(found),), words, "glossary", folded=True)


def sections_of(analysis: Analysis, *, drawn: bool = False) -> list[Section]:
    """All sections of an analysis in their order; pictures are for a page."""
    names = ["dev", *set_names(analysis.tests)]
    sets: Named = list(zip(analysis.parts, names, strict=True))
    beta, level = analysis.beta, analysis.level
    pair = () if beta is None else (beta_pair_section(beta, analysis.dev),)
    sections = [
        measures_section(sets, curve_figures(analysis) if drawn else ()),
        points_section(analysis.points, sets, level),
        *[curves_section(analysis.curves, sets, drawn=drawn)] * bool(analysis.curves),
        ends_section(sets, pair),
        checks_section(sets, level, analysis.seed, fit_figures(analysis) if drawn else ()),
        families_section(*sets[0], (parameters_section(sets),)),
        sensitivity_section(sets),
        read_section(sets, analysis.reason),
    ]
    return [section for section in sections if section.blocks]


# ------------------------------------------------------------------------ in a notebook
#: Thresholds and test sets that are shown.
_SHOWN, _TESTS = ("eer", "far=0.01", "frr=0.01"), 3


def analysis_block(of: Analysis) -> list[Node]:
    """What test contradicts, rates expected and observed at some thresholds, and the curves."""
    tests, terms = of.tests[:_TESTS], checks.terms_of(of.terms)
    called = {}
    for part in of.parts:
        given = name_shown(part.name, 24)
        called[part.role] = part.role if given in ("", part.role) else f"{part.role} {given}"
    wrong = contradictions(of.dev, of.tests, of.points, of.level)
    said = contradiction_words(wrong, called, of.level)
    if of.tests and not said:
        said = ["No rate on a test set is further from what dev expects than chance explains."]
    more = len(of.tests) - len(tests)
    sets = ", ".join(called[part.role] for part in (of.dev, *tests))
    sets += f" and {more} more test set{'s' * (more > 1)}" * (more > 0)
    by = of.points[0].chosen_by if of.points else ""
    points = [one for one in of.points if one.key in _SHOWN and one.chosen_by == by]
    about = Words(f"Analysis, {family_text(of.family)}: {sets}")
    doubts = [Words(terms.said(one, called.values())) for one in said[:_TESTS]]
    columns = [(part, part.role) for part in (of.dev, *tests)]
    tables = [
        retold(grid, lambda text: terms.said(text, of.names))
        for grid in points_grids(points, columns, of.level)
    ]
    axes = f"ROC: {terms.tpr.short} against {terms.far.short}"
    parts = ", ".join(part.role for part in of.parts)
    curves = Figure(partial(draw_curves, of, "roc"), "", f"{axes} of {parts}")
    if of.decision is None:
        return [about, *doubts, *tables, curves]
    *decided, _ = _decision_nodes(of, of.decision)
    # Threshold and status, what is said of them, then what is shown.
    answer, status, *said_of_it = (one for one in decided if isinstance(one, Words | Status))
    shown = (one for one in decided if isinstance(one, Grid | Figure))
    folded = Section("Other thresholds", tuple(tables), folded=True)
    return [answer, status, about, *said_of_it, *doubts[:1], *shown, curves, folded]


def _decision_nodes(of: Analysis, d: Decision) -> list[Node]:
    """The decision, with the check that stands for all, in the words of the reader's field."""
    found, k = worst_check(d, of.checks)
    check = found if isinstance(found, DecisionCheck) else None
    role = "test" if k is None else of.tests[k].role
    terms = checks.terms_of(of.terms)
    return [
        retold(one, lambda text: terms.said(text, of.names))
        for one in decision_view(d, check, role)
    ]
