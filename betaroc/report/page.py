"""The report: one self-contained page that asks the network for nothing.

No foreign text enters its pictures: sets are called by their role.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from betaroc.core import checks
from betaroc.core.errors import InputError, MisfitWarning
from betaroc.core.notices import quietly
from betaroc.core.vocabulary import ClassWords, Vocabulary
from betaroc.decision.decide import DecisionCheck
from betaroc.decision.decision_view import decision_view
from betaroc.estimation.families import family_text
from betaroc.model.measures import OperatingPoint
from betaroc.rendering.curves import deviate, in_det_frame
from betaroc.rendering.decision_picture import slider_positions
from betaroc.rendering.document import plain
from betaroc.rendering.files import page_target, write_whole
from betaroc.rendering.notebook import name_shown
from betaroc.rendering.numbers import extreme, level_words, threshold, version, visible
from betaroc.rendering.page_frame import page_frame
from betaroc.rendering.picture_files import (
    Moving,
    can_draw,
    captions_alone,
    draw_moving_svg,
    draw_svg,
)
from betaroc.rendering.style import GREY, INK, legend, legend_below
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
from betaroc.report.curve_words import beta_pair_section, ends_section
from betaroc.report.first_screen import (
    decision_lines,
    decision_numbers,
    first_screen,
    score_axis,
    worst_check,
)
from betaroc.report.observed import contradiction_words, contradictions, first_lines, marked
from betaroc.report.score_set import Named, ScoreSet, set_names
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
    return page_frame(title, render_body(analysis), page_in_terms(FOOT, analysis))


#: The last line of a page, before any field's words.
FOOT = (
    f"betaroc {version()}. FAR(θ) = P(impostor score &gt; θ), FRR(θ) = P(client score ≤ θ),"
    " TPR = 1 − FRR, TNR = 1 − FAR."
)


def page_in_terms(page: str, analysis: Analysis) -> str:
    """The page in the words of the user's field; its style and foreign names stay as they are."""
    from markupsafe import escape

    shown = (foreign(name, path=path) for name in analysis.names for path in (False, True))
    kept = {str(escape(form)) for one in shown for form in one}
    terms = checks.terms_of(analysis.terms)
    page = analysis.words.in_markup(page, kept)
    kept |= {str(escape(word)) for word in analysis.words}
    parts = re.split(r"(<style>.*?</style>)", page, flags=re.DOTALL)
    words = ClassWords(*(str(escape(word)) for word in analysis.words))
    parts = [Vocabulary(terms, words).fill(part) for part in parts]
    return "".join(p if p.startswith("<style>") else terms.said(p, kept) for p in parts)


def in_field_words(analysis: Analysis) -> Callable[[str], str]:
    """How a text is said in the words of the user's field."""
    names = [visible(name) for name in analysis.names]
    field = checks.terms_of(analysis.terms)
    return lambda text: field.said(analysis.words.said(text, names), [*names, *analysis.words])


def report_document(analysis: Analysis) -> dict[str, Any]:
    """The page as an object of JSON: its first lines, then every section with all its numbers."""
    say = in_field_words(analysis)
    with captions_alone():
        sections = sections_of(analysis, drawn=True)
        sections.append(glossary_of(explained(html_of(sections))))
    document: dict[str, Any] = plain({
        "betaroc": version(), "format": 1, "kind": "Report",
        "title": foreign(analysis.dev.name).whole,
        "answer": [say(line) for line in decision_lines(analysis)],
        "decision": decision_numbers(analysis),
        "contradicted": [say(line) for line in contradicted_lines(analysis)],
        "warnings": [say(notice.message) for notice in analysis.notices],
        "sections": [dict_of(retold(section, say)) for section in sections],
    })  # fmt: skip
    return document


def contradicted_lines(analysis: Analysis) -> list[str]:
    """What test contradicts, before anything that rests on dev."""
    return first_lines(analysis.dev, analysis.tests, analysis.points, analysis.level)


def render_body(analysis: Analysis) -> str:
    """What stands within the frame of a page."""
    drawn = sections_of(analysis, drawn=can_draw())
    sections = [replace(section, folded=True) for section in drawn]
    body = html_of(sections)
    glossary = glossary_of(explained(body))
    return _body(analysis, [*sections, glossary], body + html_of([glossary]))


def render_part(analysis: Analysis) -> tuple[str, frozenset[str]]:
    """First screen and main tables for a page of several, and the terms that these need."""
    sets = list(zip(analysis.parts, ["dev", *set_names(analysis.tests)], strict=True))
    points = points_section(analysis.points, sets, analysis.level)
    tables = html_of([Section("", (*measures_section(sets, ()).blocks, *points.blocks))])
    return _body(analysis, [], tables), explained(tables)


_UNDRAWN = (
    "The pictures of the sections below are missing: they need matplotlib, which cannot be"
    " imported here. Install it, and write the page again."
)


def _body(analysis: Analysis, sections: Sequence[Section], body: Markup) -> str:
    """What stands first, and the sections below it."""
    d, (alarms, warnings) = analysis.decision, doubts(analysis)
    rows = contradictions(analysis.dev, analysis.tests, analysis.points, analysis.level)
    page = template("page.html.j2", "report").render({
        "screen": first_screen(analysis),
        "contradicted": list(map(typeset, contradicted_lines(analysis))),
        "elsewhere": d is not None and all(row.threshold != d.threshold for row in rows),
        "alarms": list(map(typeset, alarms)),
        "apart": typeset(apart_words(analysis.dev)),
        "warnings": [*warnings, *[_UNDRAWN] * (not can_draw())],
        "contents": [(section.key, section.title) for section in sections],
        "places": json.dumps(dict(_places(sections)), separators=(",", ":")),
        "body": body,
    })  # fmt: skip
    return page_in_terms(str(page), analysis)


def _places(nodes: Iterable[Any]) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Where marks of pictures stand at every position of the slider."""
    for node in nodes:
        yield from getattr(node, "places", ())
        yield from _places(getattr(node, "blocks", ()))
        yield from _places(getattr(node, "items", ()) if node.tag == "figures" else ())


def doubts(analysis: Analysis) -> tuple[list[str], list[str]]:
    """That the fit does not describe dev's scores, or else is poor; every other warning."""
    first, others = list[str](), list[str]()
    for notice in analysis.notices:
        of_dev = notice.category is MisfitWarning and notice.message.startswith("dev: ")
        (first if of_dev else others).append(visible(notice.message))
    poor = [one for one in analysis.dev.statuses if one.verdict == "poor"]
    return first or [f"dev: fit of the {p.of}: {p.verdict}. {p.words}" for p in poor], others


def apart_words(dev: ScoreSet) -> str:
    """That no impostor scores above a client; else nothing."""
    highest, lowest = dev.given._extremes("impostor")[1], dev.given._extremes("client")[0]
    if highest >= lowest:
        return ""
    words = (
        f"Dev's scores separate the classes: no impostor lies above {extreme(highest)}, no client"
        f" below {extreme(lowest)}."
    )
    if dev.modelled:
        words += " Errors other than 0 at thresholds in between are those of the family fitted."
    return words


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
        *([curves_section(analysis.curves, sets, drawn=drawn)] if analysis.curves else []),
        ends_section(sets, pair),
        checks_section(sets, level, analysis.seed, fit_figures(analysis) if drawn else ()),
        families_section(*sets[0], (parameters_section(sets),)),
        sensitivity_section(sets),
        read_section(sets, analysis.reason),
    ]
    return [section for section in sections if section.blocks]


# ------------------------------------------------------------------------------ pictures
#: So many test sets have curves beside dev's.
_DRAWN = 8
#: One meaning each on the whole page: dashed is dev, solid is test, dotted is fitted.
_DASHES, _DOTS = (0, (5, 3)), (0, (1, 1.5))


def draw_curves(analysis: Analysis, curve: str) -> Any:
    """ROC or DET of dev, of its fit and of the test sets."""
    ax: Any = None
    for k, part in enumerate((analysis.dev, *analysis.tests[:_DRAWN])):
        # The first test set in ink; others are not told apart by a hue, which is a class.
        look = {"color": GREY if k > 1 else INK, "linewidth": 1.0 if k > 1 else 1.5,
                "linestyle": "-" if k else _DASHES}  # fmt: skip
        ax = getattr(part.empirical, curve)().plot(
            ax, terms=analysis.terms, label=part.role, **look
        )
    if analysis.dev.modelled:
        getattr(analysis.dev.modelled.model, curve)().plot(
            ax, terms=analysis.terms, label="dev, fitted", color=GREY, linestyle=_DOTS,
            linewidth=1.6,
        )  # fmt: skip
    return ax


def curve_figures(analysis: Analysis) -> list[Figure]:
    """ROC and DET of dev, of its fit and of the test sets, with marks that the slider moves."""
    parts = [analysis.dev, *analysis.tests[:_DRAWN]]
    d, met, moved = analysis.decision, marked(analysis.points), list[OperatingPoint]()
    if d is not None:
        _, thresholds, home = slider_positions(score_axis(analysis), d.threshold)
        moved = [part.empirical.at(thresholds) for part in parts]
    point = met.expected
    place = threshold(point.threshold, point.logit_threshold, 4)
    dots = "the threshold" if moved else f"dev’s EER threshold {place}"
    told = "Dashed: dev’s scores" + "; solid: those of test" * (len(parts) > 1)
    told += "; dotted: dev’s fit" * (analysis.dev.modelled is not None)
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
    dev, fit = analysis.dev, analysis.dev.modelled
    if fit is None or dev.summary is not None:
        return []
    level, own = level_words(analysis.level), fit.client.tails or fit.impostor.tails
    logits = ", both as logits" * fit.model.client.on_unit
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


# ------------------------------------------------------------------------ in a notebook
#: Thresholds and test sets that are shown.
_SHOWN, _TESTS = ("eer", "far=0.01", "frr=0.01"), 3


def analysis_block(of: Analysis) -> list[Node]:
    """The decision, what test contradicts, the curves, rates at some thresholds."""
    tests, names = of.tests[:_TESTS], {}
    for part in of.parts:
        given = name_shown(part.name, 24)
        names[part.role] = part.role if given in ("", part.role) else f"{part.role} {given}"
    rows = contradictions(of.dev, of.tests, of.points, of.level)
    lines = contradiction_words(rows, names, of.level)[:_TESTS]
    if of.tests and not lines:
        lines = ["No rate on a test set is further from what dev expects than chance explains."]
    more = len(of.tests) - len(tests)
    sets = ", ".join(names[part.role] for part in (of.dev, *tests))
    sets += f" and {more} more test set{'s' * (more > 1)}" * (more > 0)
    about = Words(f"Analysis, {family_text(of.family)}: {sets}")
    points = [
        met for met in of.points
        if met.key in _SHOWN and met.chosen_by == of.points[0].chosen_by
    ]  # fmt: skip
    columns = [(part, part.role) for part in (of.dev, *tests)]
    tables, roles = points_grids(points, columns, of.level), ", ".join(p.role for p in of.parts)
    curves = Figure(partial(draw_curves, of, "roc"), "", f"ROC: TPR against FAR of {roles}")
    nodes: list[Node] = [about, *map(Words, lines), *tables, curves]
    d = of.decision
    if d is not None:
        check, k = worst_check(d, of.checks)
        role = "test" if k is None else of.tests[k].role
        *decided, _ = decision_view(d, check if isinstance(check, DecisionCheck) else None, role)
        # Threshold and status, what is said of them, then what is shown.
        words = [node for node in decided if isinstance(node, Words | Status)]
        shown = [node for node in decided if isinstance(node, Grid | Figure)]
        others = Section("Other thresholds", tuple(tables), folded=True)
        nodes = [*words[:2], about, *words[2:], *map(Words, lines[:1]), *shown, curves, others]
    field = checks.terms_of(of.terms)
    return [retold(node, lambda text: field.said(text, [*of.names, *names.values()]))
            for node in nodes]  # fmt: skip
