"""The report, one self-contained page that asks the network for nothing: its first screen first.

No foreign text enters its pictures: sets are called by their role.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import BetarocError, InputError, MisfitWarning
from betaroc.core.notices import suppress_warnings
from betaroc.core.text import format_value, parse_number
from betaroc.core.vocabulary import (
    A_CLIENT,
    AN_IMPOSTOR,
    CLIENT,
    CLIENTS,
    DEFAULT,
    EER,
    EQUAL_ERROR_RATE,
    FALSE_ACCEPTANCE_RATE,
    FALSE_REJECTION_RATE,
    FAR,
    FRR,
    HALF_TOTAL_ERROR_RATE,
    HTER,
    IMPOSTOR,
    IMPOSTORS,
    RATE_NAMES,
    TNR,
    TPR,
    ClassWords,
    Vocabulary,
    short_name,
    template_of,
    worded,
)
from betaroc.data.scores import ScoreData
from betaroc.decision.decide import (
    DECIDED,
    STATUS_COLOURS,
    Decision,
    DecisionCheck,
    RateCell,
    RateRow,
    badness,
    decided,
    decision_rates,
    decision_view,
    high_rate_words,
    mean_shown,
    methods_grid,
    of_total,
    remedy_words,
    shown_threshold,
    status_words,
    worst_check,
)
from betaroc.decision.threshold_methods import (
    TARGET_RATES,
    Fitting,
    Target,
    checked_request,
    counted_rates,
    question_of,
)
from betaroc.estimation.families import family_text
from betaroc.model.measures import OperatingPoint
from betaroc.rendering.curves import GREY, INK, deviate, in_det_frame, legend, legend_below
from betaroc.rendering.decision_picture import (
    Panel,
    ScoreAxis,
    StripRow,
    axis_svg,
    panel_svg,
    shares,
    slider_positions,
    strip_place,
    strip_svg,
)
from betaroc.rendering.files import Moving, draw_moving_svg, draw_svg
from betaroc.rendering.numbers import (
    level_words,
    name_shown,
    rate,
    rate_span,
    spaced,
    version,
    visible,
    with_minus,
)
from betaroc.rendering.tree import Figure, Glossary, Node, Paragraph, Section, foreign, map_text
from betaroc.rendering.tree_html import html_of, page_frame, prose_of, template, tight, typeset
from betaroc.report import score_set, sections as views

if TYPE_CHECKING:
    from markupsafe import Markup

    from betaroc.report.analysis import Analysis

#: Rates up to which errors are outlined taller once more.
_SMALL = 0.12
#: Test sets that are drawn; of more, the one that the status is of.
_DRAWN = 2
#: Test sets that have a row.
_MOST = 12
#: Bars of fewer scores than so many, and of more.
_FEW, _BINS = 500, (25, 75)
#: A class's tallest bar is drawn at most so many times as tall as the other's.
_CUT = 6.0
#: Points of a fitted density.
_POINTS = 160


# ------------------------------------------------------------------------- its threshold
#: What a report asks where nothing else was asked for.
DEFAULT_TARGET = "far=0.01"
#: What may be given as a target.
AnalysisTarget = str | Mapping[str, float] | None
_TARGET_NAMES = ("precision", "ppv", "cost_fa", "cost_fr", "prior", "eer", "youden", *RATE_NAMES)


def request_of(target: AnalysisTarget, confidence: float) -> Target:
    """A target as `decide` takes it, from {"far": 0.01}, "far=0.01", "eer" and the like."""
    given, arguments = DEFAULT_TARGET if target is None else target, dict[str, Any]()
    if isinstance(given, Mapping):
        arguments = dict(given)
    elif isinstance(given, str) and given.strip() in ("eer", "youden"):
        arguments = {given.strip(): True}
    elif isinstance(given, str):
        items = [item.partition("=") for item in given.split(",")]
        names = [name.strip().replace("-", "_") for name, _, _ in items]
        with suppress(ValueError):
            numbers = [parse_number(value.strip()) for _, _, value in items]
            if len(set(names)) == len(names):
                arguments = dict(zip(names, numbers, strict=True))
    why = "Name one, such as far=0.01."
    try:
        if arguments and set(arguments) <= set(_TARGET_NAMES):
            return checked_request(**arguments, confidence=confidence)
    except BetarocError as error:
        why = str(error)
    raise InputError.about("target")(worded(
        "`target` must be far=RATE, frr=RATE, precision=SHARE, cost_fa=COST with cost_fr=COST,"
        f" or eer; got {format_value(given)}. {why}"
    ))  # fmt: skip


def decision_of(dev: ScoreData, asked: Target, fitting: Fitting) -> tuple[Decision | None, str]:
    """The threshold, or why there is none."""
    try:
        with suppress_warnings():  # what they say of dev, its fit has said
            return decided(dev, asked, fitting), ""
    except BetarocError as error:
        return None, getattr(error, "why", str(error))


def checks_of(d: Decision | None, tests: Sequence[Any]) -> tuple[DecisionCheck | None, ...]:
    """What every test set says of it; None where that cannot be had."""
    return tuple(score_set.tried(partial(d.check, test))[0] if d else None for test in tests)


# ---------------------------------------------------------------------------- the screen
def first_screen(analysis: Analysis) -> dict[str, Any]:
    """Every value that the top of the page shows."""
    total = len(analysis.tests)
    analysis = _worst(analysis) if total > _MOST else analysis
    asked = request_of(analysis.target or None, analysis.level)
    d, words = analysis.decision, analysis.words
    names, read = ["dev", *score_set.set_names(analysis.tests)], []
    for part, role in zip(analysis.parts, names, strict=True):
        sizes = zip(CLASSES, part.sizes, strict=True)
        n = part.scores.n_client_rejected + part.scores.n_impostor_rejected
        absent = f" and {spaced(n)} without a score, which are rejected" if n else ""
        read.append((role, [words.counted(who, m, spaced(m)) for who, m in sizes], absent))
    target = f"{short_name(asked.kind)} {100.0 * asked.rate:g} %"
    screen: dict[str, Any] = {
        "title": foreign(analysis.dev.name),
        "read": read,
        "version": version(),
        "question": question_of(asked),
        "absent": any(part.has_rejected for part in analysis.parts),
        "default": "" if analysis.target else f"No target was named, so it is the default, {target}"
        ". Another one:",
        "level": level_words(analysis.level),
        "decided": d is not None,
        "n_tests": len(analysis.tests),
        "more": total - len(analysis.tests),
    }  # fmt: skip
    if d is None:
        status = {"colour": "warn", "word": "No threshold", "reason": analysis.no_decision}
        status["remedy"] = "more scores, or another target."
        return screen | {"status": status, "picture": _picture(analysis, names, None, [])}
    rows = decision_rates(d, [part.given for part in analysis.parts])
    # Of several test sets the ways stand with what each does on the worst.
    k = worst_check(d, analysis.checks)[1] or 0 if len(analysis.tests) > 1 else 0
    check, role = (analysis.checks[k], names[k + 1]) if analysis.tests else (None, "")
    return screen | {
        "threshold": with_minus(shown_threshold(d)),
        "rule": _rule(d),
        "how": _how(d),
        "status": _status(analysis, d, names, total),
        "rates": _rates(analysis, d, rows, names),
        "cost": _cost(d, analysis.checks, names),
        "strip": _strip(analysis, d, rows, names),
        "picture": _picture(analysis, names, d, rows),
        "methods": html_of([Section("", (methods_grid(d, check, role, "used on this page"),))]),
        "exact": repr(d.threshold_for_greater_equal),
        "dtype": "" if d.dtype == "float64" else d.dtype,
    }


# --------------------------------------------------------------------------------- words
def _rule(d: Decision) -> str:
    if not math.isfinite(d.threshold):
        return "accept every score" if d.threshold < 0.0 else "reject every score"
    return "accept if score is above"


def _how(d: Decision) -> str:
    if d.how == "guaranteed":
        return f"guaranteed, {level_words(d.confidence)} confidence"
    by = {
        "average": f"expected at most {100.0 * d.rate:g} %, not guaranteed",
        "tail": "by a tail of dev’s scores, not guaranteed",
        "model": "by a fitted distribution, not guaranteed",
    }
    return by.get(d.how, "counted on dev, not guaranteed")


def _worst(analysis: Analysis) -> Analysis:
    ranks = [badness((check, -k)) for k, check in enumerate(analysis.checks)]
    keep = sorted(sorted(range(len(ranks)), key=ranks.__getitem__)[-_MOST:])
    tests, checks = zip(*((analysis.tests[k], analysis.checks[k]) for k in keep), strict=True)
    return replace(analysis, tests=tests, checks=checks)


def _status(analysis: Analysis, d: Decision, names: Sequence[str], total: int) -> dict[str, str]:
    said, k = worst_check(d, analysis.checks)
    tested, of = k is not None, ""
    if k is not None and len(analysis.tests) > 1:
        of = f"The worst of {total} test sets, {names[k + 1]}: "
    others = (p for p in zip(names[1:], analysis.checks, strict=False) if p[1] is not said)
    more = [high_rate_words(d.target, d.words, role, item.point) for role, item in others if item]
    return {
        "colour": STATUS_COLOURS[said.status],
        "word": status_words(said.status, tested=tested),
        "reason": f"{of}{template_of(said.reason)}{max(more, key=len, default='')}",
        "remedy": remedy_words(said.remedy, tested=bool(analysis.tests)),
    }


def decision_lines(analysis: Analysis) -> list[str]:
    """The same as text: question, threshold, status, why, and what would change it."""
    asked = request_of(analysis.target or None, analysis.level)
    d, names = analysis.decision, ["dev", *score_set.set_names(analysis.tests)]
    question = question_of(asked) + " (the default target)" * (not analysis.target)
    if d is None:
        return [question, f"No threshold: {analysis.no_decision}"]
    said = _status(analysis, d, names, len(analysis.tests))
    place = shown_threshold(d)
    return [
        f"{question} {place}: {_rule(d)}; {_how(d).replace('’', chr(39))}.",
        f"{said['word']}: {said['reason']}",
        f"What would change it: {said['remedy']}",
    ]


def decision_nodes(analysis: Analysis) -> list[Node]:
    """The threshold and its status by the worst test set, or why there is none."""
    d = analysis.decision
    if d is None:
        return [Paragraph(f"No threshold: {analysis.no_decision}")]
    check, k = worst_check(d, analysis.checks)
    role = "test" if k is None else analysis.tests[k].role
    return decision_view(d, check if isinstance(check, DecisionCheck) else None, role)


# --------------------------------------------------------------------------------- rates
def _told(cell: RateCell) -> dict[str, str]:
    around = "no interval" if math.isnan(cell.low) else rate_span(cell.low, cell.high)
    told = {"rate": rate(cell.rate), "around": around, "count": of_total(cell)}
    return {key: tight(text) for key, text in told.items()}


def _key(row: RateRow, k: int) -> str:
    return f"{DEFAULT.fill(row.name).lower()}{k}"


def _rates(
    analysis: Analysis, d: Decision, rows: Sequence[RateRow], names: Sequence[str]
) -> dict[str, Any]:
    words, several = analysis.words, len(analysis.tests) > 1
    cells = [
        [
            _told(cell)
            | {
                "aimed": row.kind == d.target and not row.made,
                "over": cell.low > d.rate,
                "key": _key(row, k),
            }
            for k, cell in enumerate(row.cells)
        ]
        for row in rows
    ]
    heads = [
        (row.name, "of comparisons" if row.made else f"{words.many(row.who)} {DECIDED[row.kind]}")
        for row in rows
    ]
    tags = [
        check and (STATUS_COLOURS[check.status], status_words(check.status, tested=True))
        for check in (None, *analysis.checks)
    ]
    by_set = list(zip(names, tags, zip(*cells, strict=True), strict=True))
    return {"several": several, "heads": heads, "cells": cells, "sets": by_set}


def _cost(d: Decision, checks: Sequence[DecisionCheck | None], names: Sequence[str]) -> list[str]:
    if d.target in TARGET_RATES:
        return []
    what = {"cost": "Mean cost of a trial", "precision": "Precision"}.get(
        d.target, f"Mean of both rates ({HTER})"
    )
    mean, ends = mean_shown(d.costs, d.interval)
    result = [f"{what}: {mean} expected from dev (interval {ends})"]
    for check, role in zip(checks, names[1:], strict=False):
        if check is not None:
            mean, ends = mean_shown(d.costs, check)
            result.append(f"{mean} observed{f' on {role}' * (len(checks) > 1)} (interval {ends})")
    return result


def _strip(analysis: Analysis, d: Decision, rows: Sequence[RateRow], names: Sequence[str]) -> str:
    if d.target not in TARGET_RATES:
        return ""
    row = next(item for item in rows if item.kind == d.target)
    short = [names[0], *(part.role for part in analysis.tests)]
    shown = [
        StripRow(role, *cell[:3], _key(row, k))
        for k, (role, cell) in enumerate(zip(short, row.cells, strict=True))
    ]
    told = ", ".join(f"{item.name} {rate(item.rate)}" for item in shown)
    alt = (
        f"{row.name} with {level_words(d.confidence)} intervals beside the target, logarithmic"
        f" axis: {told}; target {100.0 * d.rate:g} %"
    )
    return strip_svg(row.name, shown, d.rate, "i" if d.target == "far" else "c", alt)


# ------------------------------------------------------------------------------- picture
def _picture(
    analysis: Analysis, names: Sequence[str], d: Decision | None, rows: Sequence[RateRow]
) -> dict[str, Any]:
    parts = [part.scored for part in analysis.parts]
    drawn, mark = _drawn(analysis), None if d is None else d.threshold
    axis = score_axis(analysis)
    at = None if mark is None else float(axis.place(mark)) if mark > -math.inf else 0.0
    bins = _BINS[min(min(parts[k].sizes) for k in drawn) >= _FEW]
    panels = [_panel(parts[k], axis, bins, mark, at, fitted=k == 0) for k in drawn]
    tallest = [max(float(item.max(initial=0.0)) for item in both) for both in
               zip(*((p.client, p.impostor) for p in panels), strict=True)]  # fmt: skip
    highest = (min(tallest[0], _CUT * tallest[1]), min(tallest[1], _CUT * tallest[0]))
    many = analysis.words.many("client"), analysis.words.many("impostor")
    figures, small = [], []
    for k, panel in zip(drawn, panels, strict=True):
        rates = [] if d is None else [_told(row.cells[k])["rate"] for row in (rows[1], rows[0])]
        alt = f"{names[k]} scores: {many[0]} above the base line, {many[1]} below."
        if rates:
            alt += f" At the threshold {rates[0]} of {many[0]} rejected, {rates[1]} of {many[1]}"
            alt += " accepted."
        small.append(d is not None and max(row.cells[k].rate for row in rows[:2]) < _SMALL)
        figures.append({
            "name": names[k], "k": k, "rates": rates,
            "kind": "" if d is None else "observed" if k else "expected",
            "svg": panel_svg(
                panel, str(k), at, highest, many, alt, dashed=k == 0, told=k == 0,
                taller=small[-1],
            ),
            "fitted": panel.fitted is not None,
        })  # fmt: skip
    result = {
        "figures": figures, "axis": axis_svg(axis.ticks()), "low": len(drawn) > 2, "many": many,
        "logit": axis.logit, "left_out": len(parts) - len(drawn),
        "taller": any(small), "positions": "",
    }  # fmt: skip
    return result | _positions(analysis, d, rows, axis) if d is not None else result


def _drawn(analysis: Analysis) -> list[int]:
    d, drawn = analysis.decision, list(range(len(analysis.parts)))
    if d is not None and len(analysis.tests) > _DRAWN:
        return [0, 1 + (worst_check(d, analysis.checks)[1] or 0)]
    return drawn if d is not None else drawn[: 1 + _DRAWN]


def score_axis(analysis: Analysis) -> ScoreAxis:
    """The axis of the picture, along which the threshold moves."""
    parts = [analysis.parts[k].scored for k in _drawn(analysis)]
    samples = [getattr(part.scores, who) for part in parts for who in CLASSES]
    d = analysis.decision
    return ScoreAxis.of(np.concatenate(samples), None if d is None else d.threshold)


def _panel(
    part: score_set.ScoreSet, axis: ScoreAxis, bins: int, mark: float | None, at: float | None, *,
    fitted: bool,
) -> Panel:  # fmt: skip
    """Bars with an edge at the threshold, open below and closed above as what is accepted is."""
    edges = np.linspace(0.0, 100.0, bins + 1)
    scores = np.asarray(axis.score(edges))
    if mark is not None and at is not None and 0.0 < at < 100.0:
        left = min(max(round(bins * at / 100.0), 1), bins - 1)
        edges = np.append(
            np.linspace(0.0, at, left + 1), np.linspace(at, 100.0, bins - left + 1)[1:]
        )
        scores = np.asarray(axis.score(edges))
        scores[left] = mark
    heights = [
        shares(getattr(part.scores, who), getattr(part.scores, f"{who}_weights"), scores)
        / np.diff(edges)
        for who in CLASSES
    ]
    curves = _fitted(part, axis) if fitted else None
    return Panel(edges, heights[0], heights[1], curves)


def _fitted(
    part: score_set.ScoreSet, axis: ScoreAxis
) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    fit = part.modelled
    parts = [] if fit is None else [fit.model.client.continuous, fit.model.impostor.continuous]
    laws = [law for law in parts if law is not None]
    if len(laws) < 2:
        return None
    places = np.linspace(0.5, 99.5, _POINTS)
    x = np.asarray(axis.score(places))
    with np.errstate(invalid="ignore"):  # an infinite density where the axis stands still
        client, impostor = (
            np.nan_to_num(share * base.pdf(x) * axis.slope(x), posinf=1e9) for share, base in laws
        )
    return places, np.asarray(client), np.asarray(impostor)


# -------------------------------------------------------------------------------- slider
def _positions(
    analysis: Analysis, d: Decision, rows: Sequence[RateRow], axis: ScoreAxis
) -> dict[str, Any]:
    """What stands where at every position: counted rates, but for the threshold decided."""
    level, (texts, thresholds, home) = d.confidence, slider_positions(axis, d.threshold)
    texts[home] = shown_threshold(d)
    at, told, marks, flags = {}, {}, {}, {}
    told["t"], at["t"] = _indexed([with_minus(text) for text in texts])
    marks["x"] = [round(float(x), 2) for x in axis.place(np.maximum(thresholds, -1e300))]
    shares = []
    for row in rows:
        for k, part in enumerate(analysis.parts):
            key, data = _key(row, k), part.given._scored if row.made else part.given
            total, result = row.cells[k].total, counted_rates(data, row.kind, thresholds, level)
            cells = [RateCell(x, low, high, x * total, total) for x, low, high in
                     zip(*(column.tolist() for column in result), strict=True)]  # fmt: skip
            cells[home] = row.cells[k]
            for letter, what in (("v", "rate"), ("i", "around"), ("n", "count")):
                told[letter + key], at[letter + key] = _indexed([_told(c)[what] for c in cells])
            if not row.made:
                shares.append([cell.rate for cell in cells])
            if row.kind == d.target and not row.made:
                flags[f"over-{key}"] = _bits(cell.low > d.rate for cell in cells)
                for mark, field in (("mark", 0), ("low", 1), ("high", 2)):
                    marks[f"{mark}-{key}"] = [
                        round(strip_place(cell[field], d.rate), 2) for cell in cells
                    ]
    flags["large"] = _bits(max(column) >= _SMALL for column in zip(*shares, strict=True))
    flags["noreject"], flags["noaccept"] = (_bits(x < 8.0 for x in marks["x"]),
                                            _bits(x > 92.0 for x in marks["x"]))  # fmt: skip
    block = {"home": home, "at": at, "texts": told, "places": marks, "flags": flags}
    text = json.dumps(block, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    return {"home": home, "last": thresholds.size - 1, "positions": text}


def _indexed(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    place = {text: k for k, text in enumerate(dict.fromkeys(texts))}
    return list(place), [place[text] for text in texts]


def _bits(flags: Any) -> str:
    return "".join("1" if flag else "0" for flag in flags)


def render_report(analysis: Analysis) -> str:
    """The page as text; the same analysis gives the same text."""
    sections = [replace(item, folded=True) for item in sections_of(analysis, drawn=True)]
    body = html_of(sections)
    sections.append(glossary_of(explained(body)))
    whole = _body(analysis, sections, body + html_of(sections[-1:]))
    page = page_frame(f"betaroc: {foreign(analysis.dev.name).short}", whole, escape(FOOT))
    return page_in_terms(page, analysis.terms, analysis.words)


#: The last line of a page, before any field's words.
FOOT = (
    f"betaroc {version()}. {FAR}(θ) = P({IMPOSTOR} score > θ), {FRR}(θ) ="
    f" P({CLIENT} score ≤ θ), {TPR} = 1 − {FRR}, {TNR} = 1 − {FAR}."
)


def page_in_terms(page: str, terms: str, words: ClassWords) -> str:
    """The page in the words of the user's field."""
    escaped = ClassWords(*(escape(word) for word in words))
    return Vocabulary(checks.terms_of(terms), escaped).fill(page)


def in_field_words(analysis: Analysis) -> Callable[[str], str]:
    """How a text is said in the words of the user's field."""
    return Vocabulary(checks.terms_of(analysis.terms), analysis.words).fill


def contradicted_points(analysis: Analysis) -> tuple[list[score_set.Contradiction], list[str]]:
    """What test contradicts, and in words, which stand before anything that rests on dev."""
    rows = score_set.contradictions(analysis.dev, analysis.tests, analysis.points, analysis.level)
    names = dict(
        zip((p.role for p in analysis.tests), score_set.set_names(analysis.tests), strict=True)
    )
    return rows, score_set.contradiction_words(rows, names, analysis.level)


def render_part(analysis: Analysis) -> str:
    """First screen and main tables for a page of several, before any field's words."""
    sets = list(zip(analysis.parts, ["dev", *score_set.set_names(analysis.tests)], strict=True))
    points = views.points_section(analysis.points, sets, analysis.level)
    tables = Section("", (*views.measures_section(sets, ()).blocks, *points.blocks))
    return _body(analysis, [], html_of([tables]))


def _body(analysis: Analysis, sections: Sequence[Section], body: Markup) -> str:
    """What stands first, and the sections below it."""
    d, (rows, lines), (alarms, warnings) = (
        analysis.decision, contradicted_points(analysis), doubts(analysis),
    )  # fmt: skip
    page = template("page.html.j2", "report").render({
        "screen": first_screen(analysis), "far": FAR, "frr": FRR,
        "far_title": FALSE_ACCEPTANCE_RATE, "frr_title": FALSE_REJECTION_RATE,
        "contradicted": list(map(typeset, lines)),
        "elsewhere": d is not None and all(row.threshold != d.threshold for row in rows),
        "alarms": list(map(typeset, alarms)),
        "apart": typeset(analysis.dev.separation),
        "warnings": warnings,
        "contents": [(section.key, section.title) for section in sections],
        "places": json.dumps(dict(_places(sections)), separators=(",", ":")),
        "body": body,
    })  # fmt: skip
    return str(page)


def _places(nodes: Iterable[Any]) -> Iterator[tuple[str, tuple[float, ...]]]:
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
    poor = [status for status in analysis.dev.statuses if status.verdict == "poor"]
    return first or [
        f"dev: fit of the {p.of}: {p.verdict}. {template_of(p.words)}" for p in poor
    ], others


# ------------------------------------------------------------------------------ sections
#: What the terms of the page mean, each in a sentence.
_GLOSSARY = (
    ("threshold", "the score above which a trial is accepted: accepted if score > threshold"),
    (CLIENT, "a trial that should be accepted"),
    (IMPOSTOR, "a trial that should be rejected, such as an attack"),
    ("dev", "the development set: on it distributions are fitted and thresholds are chosen"),
    ("test", "scores that had no say in the threshold: what it does on them is observed"),
    ("expected", "what dev makes one expect at a threshold, before anything was seen of test"),
    ("observed", "what was counted at that threshold"),
    ("fitted", "by the distributions that make dev’s scores most likely"),
    (FAR, f"{FALSE_ACCEPTANCE_RATE}: the share of {IMPOSTORS} that are accepted"),
    (FRR, f"{FALSE_REJECTION_RATE}: the share of {CLIENTS} that are rejected"),
    ("FMR", f"false match rate: the {FAR} of the trials that have a score, the comparisons made"),
    ("FNMR", f"false non-match rate: the {FRR} of the trials that have a score"),
    (TPR, f"the share of {CLIENTS} that are accepted, 1 − {FRR}"),
    (TNR, f"the share of {IMPOSTORS} that are rejected, 1 − {FAR}"),
    (HTER, f"{HALF_TOTAL_ERROR_RATE}: the mean of {FAR} and {FRR}"),
    (EER, f"{EQUAL_ERROR_RATE}: {FAR} and {FRR} at the threshold where they are equal"),
    ("F1", f"the harmonic mean of precision ({CLIENTS} among the accepted) and recall ({TPR})"),
    ("ROC", f"the curve of {TPR} against {FAR} over all thresholds"),
    ("DET", f"the curve of {FRR} against {FAR} on scales of normal deviates"),
    ("AUC", f"area under the ROC: the chance that {A_CLIENT} scores above {AN_IMPOSTOR}"),
    ("KS", f"the largest difference of {TPR} and {FAR} over all thresholds"),
    ("alpha", f"how much {FAR} counts in the error that dev’s threshold makes smallest"),
    (
        "Expected performance curve",
        f"the {HTER} on test at the threshold of each alpha; short: EPC",
    ),
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
    text = DEFAULT.fill(prose_of(body))
    return frozenset(
        term for term, _ in _GLOSSARY if re.search(rf"\b{DEFAULT.fill(term)}s?\b", text)
    )


def glossary_of(terms: Container[str]) -> Section:
    """What these terms mean."""
    result = tuple(row for row in _GLOSSARY if row[0] in terms)
    words = f"{len(result)} terms of this page, a line each"
    return Section("Glossary", (Glossary(result),), words, "glossary", folded=True)


def sections_of(analysis: Analysis, *, drawn: bool = False) -> list[Section]:
    """All sections of an analysis in their order; pictures are for a page."""
    names = ["dev", *score_set.set_names(analysis.tests)]
    sets: score_set.NamedSets = list(zip(analysis.parts, names, strict=True))
    beta, level = analysis.beta, analysis.level
    pair = () if beta is None else (views.beta_pair_section(beta, analysis.dev),)
    sections = [
        views.measures_section(sets, curve_figures(analysis) if drawn else ()),
        views.points_section(analysis.points, sets, level),
        *([views.curves_section(analysis.curves, sets, drawn=drawn)] if analysis.curves else []),
        views.ends_section(sets, pair),
        views.checks_section(sets, analysis.seed, fit_figures(analysis) if drawn else ()),
        views.families_section(*sets[0], (views.parameters_section(sets),)),
        views.sensitivity_section(sets),
        views.read_section(sets, analysis.reason),
    ]
    return [section for section in sections if section.blocks]


# ------------------------------------------------------------------------------ pictures
#: So many test sets have curves beside dev's.
_CURVES = 8
#: One meaning each on the whole page: dashed is dev, solid is test, dotted is fitted.
_DASHES, _DOTS = (0, (5, 3)), (0, (1, 1.5))


def draw_curves(analysis: Analysis, curve: str) -> Any:
    """ROC or DET of dev, of its fit and of the test sets."""
    ax: Any = None
    for k, part in enumerate((analysis.dev, *analysis.tests[:_CURVES])):
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
    parts = [analysis.dev, *analysis.tests[:_CURVES]]
    d, moved = analysis.decision, list[OperatingPoint]()
    if d is not None:
        _, thresholds, home = slider_positions(score_axis(analysis), d.threshold)
        moved = [part.empirical.at(thresholds) for part in parts]
    text = "Dashed: dev’s scores" + "; solid: those of test" * (len(parts) > 1)
    text += "; dotted: dev’s fit" * (analysis.dev.modelled is not None)
    dots = f" Dots, at the threshold: hollow, dev{'; filled, test' * (len(parts) > 1)}."
    text += "." + dots * bool(moved)

    def drawn(curve: str, words: str, place: Callable[[OperatingPoint], tuple[Any, Any]]) -> Figure:
        def draw() -> Any:
            ax = draw_curves(analysis, curve)
            legend_below(ax, 2)
            return ax

        marks = [
            Moving(f"{curve}{k}", *place(points), home, hollow=k == 0)
            for k, points in enumerate(moved)
        ]
        svg, places = draw_moving_svg(draw, f"betaroc {curve}", marks)
        return Figure(svg, f"{words} {text}", places=places)

    roc = drawn("roc", f"ROC: {TPR} against {FAR}.", lambda p: (p.far, p.tpr))
    points = [part.empirical.det().points() for part in parts]
    if not any(in_det_frame(p.far, p.frr) for p in points):
        return [roc, Figure(
            "", f"No DET is drawn: on no curve is there a threshold with both {FAR} and"
            f" {FRR} between 0.1 % and 95 %, which is what it would show.",
        )]  # fmt: skip
    text = "Lines and dots as in the ROC."
    words = f"DET: {FRR} against {FAR} on scales that make normal scores straight lines."
    return [roc, drawn("det", words, lambda p: (deviate(p.far), deviate(p.frr)))]


def fit_figures(analysis: Analysis) -> list[Figure]:
    """Of dev its scores against the fitted distributions, and its rates down to few scores."""
    dev, fit = analysis.dev, analysis.dev.modelled
    if fit is None or dev.summary is not None:
        return []
    level, own = level_words(analysis.level), fit.client.tails or fit.impostor.tails
    logits = ", both as logits" * fit.model.client.on_unit
    rates = "FMR and FNMR" if dev.has_rejected else f"{FAR} and {FRR}"
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
        ax: Any = analysis.dev.scored.fit.plot(kind, level=analysis.level, terms=analysis.terms)  # type: ignore[union-attr]
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
        with suppress_warnings():  # the page says once what is of scores alone
            return Figure(draw_svg(draw, f"betaroc dev {kind}"), f"dev, {caption}")
    except InputError as error:
        return Figure("", f"dev: no {caption[:3]} picture. {error}")


# ------------------------------------------------------------------------ in a notebook
#: Thresholds and test sets that are shown.
_SHOWN, _TESTS = ("eer", "far=0.01", "frr=0.01"), 3


def analysis_block(of: Analysis) -> list[Node]:
    """The decision, what test contradicts, the curves, rates at some thresholds."""
    more = len(of.tests) - _TESTS
    sets = ", ".join(
        part.role if part.name in ("", part.role) else f"{part.role} {name_shown(part.name, 24)}"
        for part in of.parts[: 1 + _TESTS]
    ) + f" and {more} more test set{'s' * (more > 1)}" * (more > 0)  # fmt: skip
    points = [
        met for met in of.points
        if met.key in _SHOWN and met.chosen_by == of.points[0].chosen_by
    ]  # fmt: skip
    shown = [(part, part.role) for part in of.parts[: 1 + _TESTS]]
    tables = tuple(views.points_grids(points, shown))
    roles = ", ".join(part.role for part in of.parts)
    nodes = [
        *decision_nodes(of),
        Paragraph(f"Analysis, {family_text(of.family)}: {sets}"),
        *map(Paragraph, contradicted_points(of)[1][:_TESTS]),
        Figure(partial(draw_curves, of, "roc"), "", f"ROC: {TPR} against {FAR} of {roles}"),
        Section("Other thresholds", tables, folded=of.decision is not None),
    ]
    return [map_text(node, in_field_words(of)) for node in nodes]
