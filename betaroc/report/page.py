"""The report, one self-contained page, its first screen first."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from betaroc.core import arrays, checks, errors, notices, vocabulary
from betaroc.core.text import format_value, parse_number
from betaroc.core.thresholds import Thresholds
from betaroc.core.vocabulary import CLIENT, CLIENTS, FAR, FRR, HTER, IMPOSTOR, IMPOSTORS, TPR
from betaroc.data.scores import ScoreData
from betaroc.decision import decide, strata, threshold_methods
from betaroc.decision.decide import Decision, DecisionCheck, RateRow
from betaroc.decision.threshold_methods import TARGET_RATES, Fitting, Target
from betaroc.estimation.families import in_classes
from betaroc.model.measures import OperatingPoint
from betaroc.rendering import decision_picture, files, numbers, tree
from betaroc.rendering.curves import GREY, INK, deviate, in_det_frame, legend_below
from betaroc.rendering.decision_picture import Panel, ScoreAxis
from betaroc.rendering.numbers import level_words, rate, with_minus
from betaroc.rendering.tree import Figure, Glossary, IntervalMark, Node, Paragraph, Section
from betaroc.rendering.tree_html import html_of, page_frame, prose_of, template, tight, typeset
from betaroc.report import score_set, sections as views

if TYPE_CHECKING:
    from markupsafe import Markup

    from betaroc.report.analysis import Analysis

#: Rates up to which errors are outlined taller once more.
_SMALL = 0.12
#: Test sets that are drawn; of more, the one that the status is of.
_DRAWN = 2
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
_TARGET_NAMES = {"precision", "ppv", "cost_fa", "cost_fr", "prior", "eer", "youden"}


def request_of(target: AnalysisTarget, confidence: float) -> Target:
    """A target as `decide` takes it."""
    target, why = DEFAULT_TARGET if target is None else target, "Name one, such as far=0.01."
    arguments: dict[str, Any] = dict(target) if isinstance(target, Mapping) else {}
    items = [item.partition("=") for item in target.split(",")] if isinstance(target, str) else []
    with suppress(ValueError):
        for name, sign, value in items:
            number = parse_number(value.strip()) if sign else True
            arguments[name.strip().replace("-", "_")] = number
    is_known = arguments.keys() <= _TARGET_NAMES.union(vocabulary.RATE_NAMES)
    try:
        if arguments and is_known and len(arguments) >= len(items):
            return threshold_methods.checked_request(**arguments, confidence=confidence)
    except errors.BetarocError as error:
        why = str(error)
    raise errors.InputError.about("target")(vocabulary.worded(
        "`target` must be far=RATE, frr=RATE, precision=SHARE, cost_fa=COST with cost_fr=COST,"
        f" or eer; got {format_value(target)}. {why}"
    ))  # fmt: skip


def decision_of(dev: ScoreData, asked: Target, fitting: Fitting) -> tuple[Decision | None, str]:
    """The threshold, or why there is none."""
    try:
        with notices.suppress_warnings():  # what they say of dev, its fit has said
            return decide.decided(dev, asked, fitting), ""
    except errors.BetarocError as error:
        return None, getattr(error, "why", str(error))


def checks_of(d: Decision | None, tests: Sequence[Any]) -> tuple[DecisionCheck | None, ...]:
    """What every test set says of it, if anything."""
    return tuple(score_set.tried(partial(d.check, test))[0] if d else None for test in tests)


# ---------------------------------------------------------------------------- the screen
def first_screen(analysis: Analysis) -> dict[str, Any]:
    """The values of the page's top."""
    request = request_of(analysis.target or None, analysis.level)
    d, words = analysis.decision, analysis.words
    names, read = ["dev", *score_set.set_names(analysis.tests)], []
    for part, role in zip(analysis.parts, names, strict=True):
        sizes = zip(arrays.CLASSES, part.sizes, strict=True)
        n = part.scores.n_client_rejected + part.scores.n_impostor_rejected
        absent = f" and {numbers.spaced(n)} without one, which are {vocabulary.REJECTED}" * bool(n)
        read.append((role, [words.counted(who, m, numbers.spaced(m)) for who, m in sizes], absent))
    target = f"{vocabulary.short_name(request.kind)} {100.0 * request.rate:g} %"
    screen: dict[str, Any] = {
        "title": tree.foreign(analysis.dev.name),
        "read": read,
        "version": numbers.version(),
        "question": threshold_methods.question_of(request),
        "absent": any(part.has_rejected for part in analysis.parts),
        "default": "" if analysis.target else f"No target was named, so it is the default, {target}"
        ". Another one:",
        "level": level_words(analysis.level),
        "decided": d is not None,
        "n_tests": len(analysis.tests),
    }  # fmt: skip
    if d is None:
        status = {"colour": "warn", "word": "No threshold", "reason": analysis.no_decision}
        status["remedy"] = "more scores, or another target."
        return screen | {"status": status, "picture": _picture(analysis, names, None, [])}
    rows = decide.decision_rates(d, [part.given for part in analysis.parts])
    # Of several test sets the ways stand with what each does on the worst.
    k = decide.worst_check(d, analysis.checks)[1] or 0 if len(analysis.tests) > 1 else 0
    check, role = (analysis.checks[k], names[k + 1]) if analysis.tests else (None, "")
    methods = decide.methods_grid(d, check, role, "used on this page")
    return screen | {
        "threshold": with_minus(decide.shown_threshold(d)),
        "rule": decide.rule_words(d),
        "how": _how(d),
        "status": _status(analysis, d, names),
        "rates": _rates(analysis, d, rows, names),
        "cost": _cost(d, analysis.checks, names),
        "strip": _strip(analysis, d, rows, names),
        "picture": _picture(analysis, names, d, rows),
        "methods": html_of([Section("", (methods,))]),
        "exact": repr(d.threshold_for_greater_equal),
        "lower": d.lower_is_client,
        "dtype": "" if d.dtype == "float64" else d.dtype,
    }


# --------------------------------------------------------------------------------- words
def _how(d: Decision) -> str:
    by = {
        "guaranteed": f"guaranteed, {level_words(d.confidence)} confidence",
        "average": f"expected at most {100.0 * d.rate:g} %, not guaranteed",
        "tail": "by a tail of dev’s scores, not guaranteed",
        "model": "by a fitted distribution, not guaranteed",
    }
    return by.get(d.how, "counted on dev, not guaranteed")


def _status(analysis: Analysis, d: Decision, names: Sequence[str]) -> dict[str, str]:
    judged, k = decide.worst_check(d, analysis.checks)
    of = ""
    if k is not None and len(analysis.tests) > 1:
        of = f"The worst of {len(analysis.tests)} test sets, {names[k + 1]}: "
    more = [
        decide.high_rate_words(d.target, d.words, role, check.point)
        for role, check in zip(names[1:], analysis.checks, strict=False)
        if check is not None and check is not judged
    ]
    return {
        "colour": decide.STATUS_COLOURS[judged.status],
        "word": decide.status_words(judged.status, tested=k is not None),
        "reason": f"{of}{vocabulary.template_of(judged.reason)}{max(more, key=len, default='')}",
        "remedy": decide.remedy_words(judged.remedy, tested=bool(analysis.tests)),
    }


def decision_lines(analysis: Analysis) -> list[str]:
    """The same as text."""
    request = request_of(analysis.target or None, analysis.level)
    d, names = analysis.decision, ["dev", *score_set.set_names(analysis.tests)]
    question = threshold_methods.question_of(request)
    question += " (the default target)" * (not analysis.target)
    if d is None:
        return [question, f"No threshold: {analysis.no_decision}"]
    status = _status(analysis, d, names)
    place = decide.shown_threshold(d)
    return [
        f"{question} {place}: {decide.rule_words(d)}; {_how(d).replace('’', chr(39))}.",
        f"{status['word']}: {status['reason']}",
        f"What would change it: {status['remedy']}",
    ]


def decision_nodes(analysis: Analysis) -> list[Node]:
    """The threshold and its status by the worst test set."""
    d = analysis.decision
    if d is None:
        return [Paragraph(f"No threshold: {analysis.no_decision}")]
    check, k = decide.worst_check(d, analysis.checks)
    role = "test" if k is None else analysis.tests[k].role
    return decide.decision_view(d, check if isinstance(check, DecisionCheck) else None, role)


# --------------------------------------------------------------------------------- rates
def _cell_texts(cell: strata.RateCell) -> dict[str, str]:
    shown = decide.shown_cell(cell)
    texts = {"rate": shown.text, "around": shown.span, "count": shown.note}
    return {key: tight(str(text)) for key, text in texts.items()}


def _key(row: RateRow, k: int | str) -> str:
    return f"{vocabulary.DEFAULT.fill(row.name).lower()}{k}"


def _rates(
    analysis: Analysis, d: Decision, rows: Sequence[RateRow], names: Sequence[str]
) -> dict[str, Any]:
    heads, cells = [], []
    for row in [*decide.worst_rows(d, analysis.checks), *rows]:
        aimed = row.kind == d.target and not row.made
        kind = "stays" * row.worst  # the slider moves no stratum
        heads.append((kind, row.name, row.what))
        cells.append([
            _cell_texts(cell) | {"key": _key(row, k), "aimed": aimed, "fixed": row.worst}
            | {"kind": f"{kind}{' over' * (aimed and cell.low > d.rate)}"}
            for k, cell in enumerate(row.cells)
        ])  # fmt: skip
    tags: list[tuple[str, str] | None] = [None] * len(names)
    for k, check in enumerate(analysis.checks, start=1):
        if check is not None:
            word = decide.status_words(check.status, tested=True)
            tags[k] = decide.STATUS_COLOURS[check.status], word
    by_set = list(zip(names, tags, zip(*cells, strict=True), strict=True))
    return {"several": len(analysis.tests) > 1, "heads": heads, "cells": cells, "sets": by_set}


def _cost(d: Decision, checks: Sequence[DecisionCheck | None], names: Sequence[str]) -> list[str]:
    result, titles = [], {"cost": "Mean cost", HTER: f"Mean of both rates ({HTER})"}
    for name, note, ((mean, span), *tests) in decide.beside_rates(d, checks):
        title = titles.get(name, f"{vocabulary.capital(vocabulary.PRECISION)} {note}")
        result.append(f"{title}: {mean} expected from dev (interval {span})")
        roles = (role for role, check in zip(names[1:], checks, strict=False) if check is not None)
        for (mean, span), role in zip(tests, roles, strict=True):
            on = f" on {role}" * (len(checks) > 1)
            result.append(f"{mean} observed{on} (interval {span})")
    return result


def _strip(analysis: Analysis, d: Decision, rows: Sequence[RateRow], names: Sequence[str]) -> str:
    if d.target not in TARGET_RATES:
        return ""
    row = next(item for item in rows if item.kind == d.target)
    short = [names[0], *(part.role for part in analysis.tests)]
    cells = zip(short, row.cells, strict=True)
    shown = [IntervalMark(role, cell.low, cell.rate, cell.high) for role, cell in cells]
    rates = ", ".join(f"{mark.label} {rate(mark.value)}" for mark in shown)
    alt = (
        f"{row.name} with {level_words(d.confidence)} intervals beside the target, logarithmic"
        f" axis: {rates}; target {100.0 * d.rate:g} %"
    )
    side = "i" if d.target == "far" else "c"
    return decision_picture.strip_svg(row.name, shown, d.rate, side, _key(row, ""), alt)


# ------------------------------------------------------------------------------- picture
def _picture(
    analysis: Analysis, names: Sequence[str], d: Decision | None, rows: Sequence[RateRow]
) -> dict[str, Any]:
    parts = [part.scored for part in analysis.parts]
    drawn, mark = _drawn(analysis), None if d is None else d._inside
    axis = score_axis(analysis)
    at = None if mark is None else float(axis.place(mark)) if mark > -math.inf else 0.0
    bins = _BINS[min(min(parts[k].sizes) for k in drawn) >= _FEW]
    panels = [_panel(parts[k], axis, bins, mark, at, fitted=k == 0) for k in drawn]
    client = max(float(panel.client.max()) for panel in panels)
    impostor = max(float(panel.impostor.max()) for panel in panels)
    highest = min(client, _CUT * impostor), min(impostor, _CUT * client)
    many = analysis.words.many("client"), analysis.words.many("impostor")
    figures, any_taller = [], False
    for k, panel in zip(drawn, panels, strict=True):
        alt = f"{names[k]} scores: {many[0]} above the base line, {many[1]} below."
        rates, taller = list[str](), False
        if d is not None:
            cells = [row.cells[k] for row in (rows[1], rows[0])]
            rates = [_cell_texts(cell)["rate"] for cell in cells]
            taller = max(cell.rate for cell in cells) < _SMALL
            alt += f" At the threshold {rates[0]} of {many[0]} {vocabulary.REJECTED}, {rates[1]}"
            alt += f" of {many[1]} {vocabulary.ACCEPTED}."
        any_taller |= taller
        svg = decision_picture.panel_svg(
            panel, str(k), at, highest, many, alt, dashed=k == 0, told=k == 0, taller=taller
        )
        kind = "" if d is None else "observed" if k else "expected"
        figures.append({"name": names[k], "k": k, "rates": rates, "kind": kind, "svg": svg,
                        "fitted": panel.fitted is not None})  # fmt: skip
    result = {
        "figures": figures, "axis": decision_picture.axis_svg(axis.ticks()),
        "low": len(drawn) > 2, "many": many, "logit": axis.logit,
        "left_out": len(parts) - len(drawn), "taller": any_taller, "positions": "",
    }  # fmt: skip
    return result | _positions(analysis, d, rows, axis) if d is not None else result


def _drawn(analysis: Analysis) -> list[int]:
    d, drawn = analysis.decision, list(range(len(analysis.parts)))
    if d is not None and len(analysis.tests) > _DRAWN:
        return [0, 1 + (decide.worst_check(d, analysis.checks)[1] or 0)]
    return drawn if d is not None else drawn[: 1 + _DRAWN]


def score_axis(analysis: Analysis) -> ScoreAxis:
    """The axis of the picture."""
    parts = [analysis.parts[k].scored for k in _drawn(analysis)]
    samples = [getattr(part.scores, who) for part in parts for who in arrays.CLASSES]
    d = analysis.decision
    axis = ScoreAxis.of(np.concatenate(samples), None if d is None else d._inside)
    return axis._replace(lower=analysis.dev.given.lower_is_client)


def _panel(
    part: score_set.ScoreSet, axis: ScoreAxis, bins: int, mark: float | None, at: float | None, *,
    fitted: bool,
) -> Panel:  # fmt: skip
    edges, left = np.linspace(0.0, 100.0, bins + 1), -1
    if at is not None and 0.0 < at < 100.0:
        left = min(max(round(bins * at / 100.0), 1), bins - 1)
        edges = np.append(
            np.linspace(0.0, at, left + 1), np.linspace(at, 100.0, bins - left + 1)[1:]
        )
    scores = np.asarray(axis.score(edges))
    if left > 0:
        scores[left] = mark
    heights = []
    for who in arrays.CLASSES:
        values, weights = (getattr(part.scores, f"{who}{end}") for end in ("", "_weights"))
        heights.append(decision_picture.shares(values, weights, scores) / np.diff(edges))
    return Panel(edges, heights[0], heights[1], _fitted(part, axis) if fitted else None)


def _fitted(
    part: score_set.ScoreSet, axis: ScoreAxis
) -> tuple[arrays.FloatArray, arrays.FloatArray, arrays.FloatArray] | None:
    model = None if part.modelled is None else part.modelled.model
    bases = (model.client.continuous, model.impostor.continuous) if model else ()
    places, curves = np.linspace(0.5, 99.5, _POINTS), list[arrays.FloatArray]()
    x = np.asarray(axis.score(places))
    for share, base in filter(None, bases):
        with np.errstate(invalid="ignore"):  # an infinite density where the axis stands still
            curves.append(np.nan_to_num(share * base.pdf(x) * axis.slope(x), posinf=1e9))
    return (places, curves[0], curves[1]) if len(curves) == 2 else None


# -------------------------------------------------------------------------------- slider
def _positions(
    analysis: Analysis, d: Decision, rows: Sequence[RateRow], axis: ScoreAxis
) -> dict[str, Any]:
    texts, thresholds, home = decision_picture.slider_positions(axis, d._inside)
    texts[home] = decide.shown_threshold(d)
    columns, flags, largest = {"t": list(map(with_minus, texts))}, {}, np.zeros(len(texts))
    places = {"x": axis.place(np.maximum(thresholds, -1e300)).round(2).tolist()}
    for row in rows:
        for k, part in enumerate(analysis.parts):
            key, data = _key(row, k), part.given._scored if row.made else part.given
            total = row.cells[k].total
            counted = threshold_methods.counted_rates(data, row.kind, thresholds, d.confidence)
            ends = zip(*(column.tolist() for column in counted), strict=True)
            cells = [strata.RateCell(x, low, high, x * total, total) for x, low, high in ends]
            cells[home] = row.cells[k]
            shown = list(map(_cell_texts, cells))
            for letter, what in (("v", "rate"), ("i", "around"), ("n", "count")):
                columns[letter + key] = [text[what] for text in shown]
            if row.made:
                continue
            largest = np.maximum(largest, [cell.rate for cell in cells])
            if row.kind == d.target:
                flags[f"over-{key}"] = _bits(cell.low > d.rate for cell in cells)
                for mark, name in (("mark", "rate"), ("low", "low"), ("high", "high")):
                    values = (getattr(cell, name) for cell in cells)
                    across = (decision_picture.strip_place(x, d.rate) for x in values)
                    places[f"{mark}-{key}"] = [round(x, 2) for x in across]
    flags["large"] = _bits(largest >= _SMALL)
    flags["noreject"] = _bits(x < 8.0 for x in places["x"])
    flags["noaccept"] = _bits(x > 92.0 for x in places["x"])
    distinct = {key: list(dict.fromkeys(column)) for key, column in columns.items()}
    at = {}
    for key, column in columns.items():
        index = {text: k for k, text in enumerate(distinct[key])}
        at[key] = [index[text] for text in column]
    block = {"home": home, "at": at, "texts": distinct, "places": places, "flags": flags}
    text = json.dumps(block, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    return {"home": home, "last": thresholds.size - 1, "positions": text}


def _bits(flags: Iterable[bool]) -> str:
    return "".join("1" if flag else "0" for flag in flags)


def render_report(analysis: Analysis) -> str:
    """The page as text."""
    sections = [replace(item, folded=True) for item in sections_of(analysis, drawn=True)]
    body = html_of(sections)
    sections.append(glossary_of(body))
    page_body = _body(analysis, sections, body + html_of(sections[-1:]))
    page = page_frame(f"betaroc: {tree.foreign(analysis.dev.name).short}", page_body, escape(FOOT))
    return page_in_terms(page, analysis.terms, analysis.words)


#: The last line of a page, before any field's words.
FOOT = (
    f"betaroc {numbers.version()}. {FAR} = P({IMPOSTOR} {vocabulary.ACCEPTED}), {FRR} ="
    f" P({CLIENT} {vocabulary.REJECTED}), {TPR} = 1 − {FRR}, {vocabulary.TNR} = 1 − {FAR}."
)


def page_in_terms(page: str, terms: str, words: vocabulary.ClassWords) -> str:
    """The page in the words of the user's field."""
    escaped = vocabulary.ClassWords(*(escape(word) for word in words))
    return vocabulary.Vocabulary(checks.terms_of(terms), escaped).fill(page)


def contradicted_points(analysis: Analysis) -> tuple[list[score_set.Contradiction], list[str]]:
    """What test contradicts, as rows and in words."""
    rows = score_set.contradictions(analysis.dev, analysis.tests, analysis.points, analysis.level)
    names = dict(
        zip((p.role for p in analysis.tests), score_set.set_names(analysis.tests), strict=True)
    )
    return rows, score_set.contradiction_words(rows, names, analysis.level)


def render_part(analysis: Analysis) -> str:
    """First screen and main tables for a page of several."""
    sets = list(zip(analysis.parts, ["dev", *score_set.set_names(analysis.tests)], strict=True))
    points = views.points_section(analysis.points, sets, analysis.level)
    tables = Section("", (*views.measures_section(sets, ()).blocks, *points.blocks))
    return _body(analysis, [], html_of([tables]))


def _body(analysis: Analysis, sections: Sequence[Section], body: Markup) -> str:
    d, (rows, lines), (alarms, warnings) = (
        analysis.decision, contradicted_points(analysis), doubts(analysis),
    )  # fmt: skip
    page = template("page.html.j2", "report").render({
        "screen": first_screen(analysis), "far": FAR, "frr": FRR,
        "far_title": vocabulary.FALSE_ACCEPTANCE_RATE, "frr_title": vocabulary.FALSE_REJECTION_RATE,
        "contradicted": list(map(typeset, lines)), "accepted": vocabulary.ACCEPTED,
        "rejected": vocabulary.REJECTED, "trial": vocabulary.TRIAL,
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
    """That the fit is poor; every other warning."""
    first, others = list[str](), list[str]()
    for notice in analysis.notices:
        of_dev = notice.category is errors.MisfitWarning and notice.message.startswith("dev: ")
        (first if of_dev else others).append(numbers.visible(notice.message))
    poor = [
        f"dev: fit of the {status.of}: poor. {vocabulary.template_of(status.words)}"
        for status in analysis.dev.statuses
        if status.verdict == "poor"
    ]
    return first or poor, others


# ------------------------------------------------------------------------------ sections
#: What the terms of the page mean, each in a sentence.
_GLOSSARY = (
    ("threshold", f"the {vocabulary.SCORE} beyond which to {vocabulary.ACCEPT}"),
    (CLIENT, f"a {vocabulary.TRIAL} that should be {vocabulary.ACCEPTED}"),
    (IMPOSTOR, f"a {vocabulary.TRIAL} that should be {vocabulary.REJECTED}"),
    ("dev", "the development set: on it distributions are fitted and thresholds are chosen"),
    ("test", "scores that had no say in the threshold: what it does on them is observed"),
    ("expected", "what dev makes one expect at a threshold, before anything was seen of test"),
    ("observed", "what was counted at that threshold"),
    ("fitted", "by the distributions that make dev’s scores most likely"),
    (FAR, f"{vocabulary.FALSE_ACCEPTANCE_RATE}: share of {IMPOSTORS} {vocabulary.ACCEPTED}"),
    (FRR, f"{vocabulary.FALSE_REJECTION_RATE}: share of {CLIENTS} {vocabulary.REJECTED}"),
    (
        "FMR",
        f"false match rate: the {FAR} of the {vocabulary.TRIALS} that have a score, the"
        " comparisons made",
    ),
    ("FNMR", f"false non-match rate: the {FRR} of the {vocabulary.TRIALS} that have a score"),
    (TPR, f"the share of {CLIENTS} {vocabulary.ACCEPTED}, 1 − {FRR}"),
    (vocabulary.TNR, f"the share of {IMPOSTORS} {vocabulary.REJECTED}, 1 − {FAR}"),
    (HTER, f"{vocabulary.HALF_TOTAL_ERROR_RATE}: the mean of {FAR} and {FRR}"),
    (vocabulary.EER, f"the rate at the threshold where {FAR} and {FRR} are equal (equal error)"),
    ("F1", f"the harmonic mean of {vocabulary.PRECISION} and {TPR}"),
    ("ROC", f"the curve of {TPR} against {FAR} over all thresholds"),
    ("DET", f"the curve of {FRR} against {FAR} on scales of normal deviates"),
    ("AUC", f"area under the ROC: how often a {CLIENT} {vocabulary.SCORE} is the better of a pair"),
    ("KS", f"the largest difference of {TPR} and {FAR} over all thresholds"),
    ("alpha", f"how much {FAR} counts in the error that dev’s threshold makes smallest"),
    ("Expected performance curve", f"EPC: {HTER} on test at the threshold of each alpha"),
    ("interval", "values that the scores do not contradict: of 95 %, it misses 1 in 20 times"),
    ("extrapolated", "less than one score is expected there: the family decides, not the data"),
    ("point mass", "a share of scores at exactly one value"),
    ("p-value", "how often chance alone would be as far off as what was seen, or farther"),
    ("cannot tell", "the scores are too few to say; more are needed"),
    ("held-out score", "mean log density of scores that took no part in the fit"),
    ("groups", f"{vocabulary.TRIALS} that depend on each other, such as those of one person"),
)


def glossary_of(body: str) -> Section:
    """The terms that stand in our HTML."""
    fill = vocabulary.DEFAULT.fill
    text = fill(prose_of(body))
    rows = tuple(row for row in _GLOSSARY if re.search(rf"\b{fill(row[0])}s?\b", text))
    words = f"{len(rows)} terms of this page, one per line"
    return Section("Glossary", (Glossary(rows),), words, "glossary", folded=True)


def sections_of(analysis: Analysis, *, drawn: bool = False) -> list[Section]:
    """All sections in their order; pictures are for a page."""
    names = ["dev", *score_set.set_names(analysis.tests)]
    sets: score_set.NamedSets = list(zip(analysis.parts, names, strict=True))
    beta, level = analysis.beta, analysis.level
    pair = () if beta is None else (views.beta_pair_section(beta, analysis.dev),)
    d, sections = analysis.decision, list[Section]()
    if d is not None:
        tables = [d.strata, *(None if check is None else check.strata for check in analysis.checks)]
        named = list(zip(names, tables, strict=True))
        sections = [strata.strata_section(named, d.rate, d.unseen)]
    sections += [
        views.measures_section(sets, curve_figures(analysis) if drawn else ()),
        views.points_section(analysis.points, sets, level),
        *views.curves_sections(analysis.curves, sets, analysis.terms, drawn=drawn),
        views.ends_section(sets, pair),
        *views.strata_sections(sets, analysis.terms, drawn=drawn),
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
    """ROC or DET of dev, its fit and the test sets."""
    ax: Any = None
    for k, part in enumerate((analysis.dev, *analysis.tests[:_CURVES])):
        # The first test set in ink; others are not told apart by a hue, which is a class.
        look = {"color": GREY if k > 1 else INK, "linewidth": 1.0 if k > 1 else 1.5}
        look |= {"linestyle": "-" if k else _DASHES, "label": part.role, "terms": analysis.terms}
        ax = getattr(part.empirical, curve)().plot(ax, **look)
    if analysis.dev.modelled:
        look = {"color": GREY, "linestyle": _DOTS, "linewidth": 1.6, "terms": analysis.terms}
        getattr(analysis.dev.modelled.model, curve)().plot(ax, label="dev, fitted", **look)
    legend_below(ax, 2)
    return ax


def curve_figures(analysis: Analysis) -> list[Figure]:
    """ROC and DET with marks that the slider moves."""
    parts = [analysis.dev, *analysis.tests[:_CURVES]]
    d, several, moved, home = analysis.decision, len(parts) > 1, list[OperatingPoint](), 0
    if d is not None:
        _, thresholds, home = decision_picture.slider_positions(score_axis(analysis), d._inside)
        moved = [part.empirical._point(Thresholds.from_theta(thresholds)) for part in parts]
    text = "Dashed: dev’s scores" + "; solid: those of test" * several
    text += "; dotted: dev’s fit" * (analysis.dev.modelled is not None)
    dots = f" Dots, at the threshold: hollow, dev{'; filled, test' * several}."
    captions = {
        "roc": f"ROC: {TPR} against {FAR}. {text}.{dots * bool(moved)}",
        "det": f"DET: {FRR} against {FAR} on scales that make normal scores straight lines."
        " Lines and dots as in the ROC.",
    }
    points, figures = [part.empirical.det().points() for part in parts], []
    if not any(in_det_frame(p.far, p.frr) for p in points):
        del captions["det"]
        figures.append(Figure("", f"No DET is drawn: no threshold has both {FAR} and {FRR} between"
                              " 0.1 % and 95 %, which is what it would show."))  # fmt: skip
    for curve, caption in captions.items():
        marks = []
        for k, at in enumerate(moved):
            x, y = (at.far, at.tpr) if curve == "roc" else (deviate(at.far), deviate(at.frr))
            marks.append((f"{curve}{k}", x, y, home, k == 0))
        draw = partial(draw_curves, analysis, curve)
        svg, places = files.draw_moving_svg(draw, f"betaroc {curve}", marks)
        figures.append(Figure(svg, caption, places=places))
    return figures


def fit_figures(analysis: Analysis) -> list[Figure]:
    """Dev's scores and rates against its fit."""
    dev, fit = analysis.dev, analysis.dev.modelled
    if fit is None or dev.summary is not None:
        return []
    level, tails = level_words(analysis.level), fit.client.tails or fit.impostor.tails
    logits = ", both as logits" * fit.model.client.on_unit
    rates = "FMR and FNMR" if dev.has_rejected else f"{FAR} and {FRR}"
    kinds = {
        "pp": "P–P: probability by the fitted distribution against the share of the scores;"
        f" shaded: {level} at each score by itself",
        "qq": f"Q–Q: scores against the quantiles of the fitted distribution{logits}; shaded:"
        f" {level} at each score by itself",
        "tails": f"{rates} against the threshold, log scale. Dots: counted; dotted: fitted"
        + (f" with tails; dash-dotted: without; shaded: {level} interval" if tails else ""),
    }

    def draw(kind: str) -> Any:
        ax: Any = fit._scored.plot(kind, level=analysis.level, terms=analysis.terms)
        for line in ax.lines if kind == "tails" else ():
            name = str(line.get_label())
            if name.endswith("fitted"):
                line.set_linestyle(_DOTS)
            elif name.endswith("without the tail"):
                line.set_linestyle("-.")
        legend_below(ax, None if kind == "tails" else 1)
        return ax

    figures = []
    for kind, caption in kinds.items():
        try:
            with notices.suppress_warnings():  # the page says once what is of scores alone
                svg = files.draw_svg(partial(draw, kind), f"betaroc dev {kind}")
            figures.append(Figure(svg, f"dev, {caption}"))
        except errors.InputError as error:
            figures.append(Figure("", f"dev: no {caption[:3]} picture. {error}"))
    return figures


# ------------------------------------------------------------------------ in a notebook
#: Thresholds and test sets that are shown.
_SHOWN, _TESTS = ("eer", "far=0.01", "frr=0.01"), 3


def analysis_block(of: Analysis) -> list[Node]:
    """Decision, contradictions, curves, rates."""
    parts, more = of.parts[: 1 + _TESTS], len(of.tests) - _TESTS
    sets = ", ".join(
        part.role + f" {numbers.name_shown(part.name, 24)}" * (part.name not in ("", part.role))
        for part in parts
    )
    sets += f" and {more} more test set{'s' * (more > 1)}" * (more > 0)
    points = [
        met for met in of.points
        if met.key in _SHOWN and met.chosen_by == of.points[0].chosen_by
    ]  # fmt: skip
    tables = tuple(views.points_grids(points, [(part, part.role) for part in parts], of.level))
    roles = ", ".join(part.role for part in of.parts)
    return [
        *decision_nodes(of),
        Paragraph(f"Analysis, {in_classes(of.family)}: {sets}"),
        *map(Paragraph, contradicted_points(of)[1][:_TESTS]),
        Figure(partial(draw_curves, of, "roc"), "", f"ROC: {TPR} against {FAR} of {roles}"),
        Section("Other thresholds", tables, folded=of.decision is not None),
    ]
