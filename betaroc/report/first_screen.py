"""What a report says first: the threshold, what it will do, what it did, how far to trust it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import BetarocError, InputError
from betaroc.core.notices import quietly
from betaroc.core.text import number, shown
from betaroc.core.vocabulary import BIOMETRIC, RATE_NAMES, TERMS, worded
from betaroc.data.scores import ScoreData
from betaroc.decision.decide import (
    Decision,
    DecisionCheck,
    DecisionRequest,
    checked_request,
    decided,
)
from betaroc.decision.decision_view import (
    STATUS_COLOURS,
    RateCell,
    RateRow,
    decision_rates,
    mean_shown,
    of_total,
    remedy_words,
    shown_threshold,
    status_words,
    ways_grid,
)
from betaroc.decision.status import DECIDED, high_rate_words
from betaroc.decision.ways import TARGET_RATES, Fitting, counted_rates
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
from betaroc.rendering.numbers import level_words, rate, rate_span, spaced, version, with_minus
from betaroc.rendering.tree import Section, foreign
from betaroc.rendering.tree_html import html_of, tight
from betaroc.report.numbers import check_numbers, told_decision
from betaroc.report.score_set import ScoreSet, set_names

if TYPE_CHECKING:
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


def request_of(target: AnalysisTarget, confidence: float) -> DecisionRequest:
    """A target as `decide` takes it, from {"far": 0.01}, "far=0.01", "eer" and the like."""
    target, arguments = DEFAULT_TARGET if target is None else target, dict[str, Any]()
    if isinstance(target, Mapping):
        arguments = dict(target)
    elif isinstance(target, str) and target.strip() in ("eer", "youden"):
        arguments = {target.strip(): True}
    elif isinstance(target, str):
        items = [[part.strip() for part in item.partition("=")] for item in target.split(",")]
        try:
            arguments = {name.replace("-", "_"): number(value) for name, _, value in items}
        except ValueError:
            arguments = {}
        arguments = arguments if len(arguments) == len(items) else {}
    if not arguments or not set(arguments) <= set(_TARGET_NAMES):
        raise InputError.about("target")(worded(
            "`target` must be far=RATE, frr=RATE, precision=SHARE, cost_fa=COST with cost_fr=COST,"
            f" or eer; got {shown(target)}. Name one, such as far=0.01."
        ))  # fmt: skip
    try:
        return checked_request(**arguments, confidence=confidence)
    except BetarocError as error:
        raise InputError.about("target")(
            worded(f"`target` must be one that can be decided on; got {shown(target)}: {error}")
        ) from error


def target_text(asked: DecisionRequest) -> str:
    """A target in one short text, which `request_of` reads."""
    prior = "" if asked.prior is None else f",prior={asked.prior!r}"
    if asked.kind in (*TARGET_RATES, "precision"):
        return f"{asked.kind}={asked.rate!r}{prior}"
    if asked.costs is None:
        return "eer"
    return f"cost_fa={asked.costs[0]!r},cost_fr={asked.costs[1]!r}{prior}"


def question_of(asked: DecisionRequest) -> str:
    """What the page answers."""
    if asked.kind in TARGET_RATES:
        return f"Which threshold keeps {asked.kind.upper()} at or below {100.0 * asked.rate:g} %?"
    if asked.kind == "precision":
        return f"Which threshold has a precision of at least {100.0 * asked.rate:g} % on dev?"
    if asked.costs is None:
        return "At which threshold are FAR and FRR equal?"
    fa, fr = asked.costs
    return f"Which threshold costs least, {fa:g} a false acceptance and {fr:g} a false rejection?"


def decision_of(
    dev: ScoreData, asked: DecisionRequest, fitting: Fitting
) -> tuple[Decision | None, str]:
    """The threshold, or why there is none."""
    try:
        with quietly():  # what they say of dev, its fit has said
            return decided(dev, asked, fitting), ""
    except BetarocError as error:
        return None, getattr(error, "why", str(error))


def checks_of(d: Decision | None, tests: Sequence[Any]) -> tuple[DecisionCheck | None, ...]:
    """What every test set says of it; None where that cannot be had."""
    results: list[DecisionCheck | None] = []
    for test in tests:
        try:
            with quietly():
                results.append(None if d is None else d.check(test))
        except BetarocError:
            results.append(None)
    return tuple(results)


def worst_check(
    d: Decision, checks: Sequence[DecisionCheck | None]
) -> tuple[Decision | DecisionCheck, int | None]:
    """Whose status stands for all: that of a test set, by its place, or the decision's own."""
    made = [(check, k) for k, check in enumerate(checks) if check is not None]
    if not made:
        return d, None
    return max(made, key=lambda pair: (*_badness(pair[0]), -pair[1]))


def _badness(check: DecisionCheck | None) -> tuple[int, float]:
    """The worse the greater."""
    if check is None:
        return -1, 0.0
    return list(STATUS_COLOURS).index(check.status), check.observed


def decision_numbers(analysis: Analysis) -> dict[str, Any]:
    """What was decided and what each test set says of it, for readers of JSON."""
    d, target = analysis.decision, analysis.target
    asked = {"target": target or DEFAULT_TARGET, "default": not target}
    if d is None:
        return {"asked": asked, "no_decision": analysis.no_decision}
    said, _ = worst_check(d, analysis.checks)
    tests = [None if check is None else check_numbers(check) for check in analysis.checks]
    return {"asked": asked} | told_decision(d, said) | {"tests": tests}


# ---------------------------------------------------------------------------- the screen
def first_screen(analysis: Analysis) -> dict[str, Any]:
    """Every value that the top of the page shows."""
    total = len(analysis.tests)
    analysis = _worst(analysis) if total > _MOST else analysis
    asked = request_of(analysis.target or None, analysis.level)
    d, words = analysis.decision, analysis.words
    names, read = ["dev", *set_names(analysis.tests)], []
    for part, role in zip(analysis.parts, names, strict=True):
        sizes = zip(CLASSES, part.sizes, strict=True)
        n = part.scores.n_client_rejected + part.scores.n_impostor_rejected
        absent = f" and {spaced(n)} without a score, which are rejected" if n else ""
        read.append((role, [words.counted(who, m, spaced(m)) for who, m in sizes], absent))
    target, terms = f"{asked.kind.upper()} {100.0 * asked.rate:g} %", TERMS[BIOMETRIC]
    explained = [
        (term.short, f"{term.title}: share of {words.many(who)} {decided}")
        for term, who, decided in (
            (terms.far, "impostor", "accepted"), (terms.frr, "client", "rejected")
        )
    ]  # fmt: skip
    if any(part.has_rejected for part in analysis.parts):
        explained.append(("FMR, FNMR", "the same shares of the trials that have a score"))
    screen: dict[str, Any] = {
        "title": foreign(analysis.dev.name),
        "read": read,
        "version": version(),
        "question": question_of(asked),
        "terms": explained,
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
        "ways": html_of([Section("", (ways_grid(d, check, role, "used on this page"),))]),
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
    """Of many test sets those that are worst."""
    order = sorted(
        range(len(analysis.tests)), key=lambda k: _badness(analysis.checks[k]), reverse=True
    )[:_MOST]  # fmt: skip
    tests, checks = zip(
        *((analysis.tests[k], analysis.checks[k]) for k in sorted(order)), strict=True
    )
    return replace(analysis, tests=tests, checks=checks)


def _status(analysis: Analysis, d: Decision, names: Sequence[str], total: int) -> dict[str, str]:
    """The one status: of several test sets that of the worst."""
    said, k = worst_check(d, analysis.checks)
    tested, of = k is not None, ""
    if k is not None and len(analysis.tests) > 1:
        of = f"The worst of {total} test sets, {names[k + 1]}: "
    others = (p for p in zip(names[1:], analysis.checks, strict=False) if p[1] is not said)
    more = [high_rate_words(d.target, d.words, role, one.point) for role, one in others if one]
    return {
        "colour": STATUS_COLOURS[said.status],
        "word": status_words(said.status, tested=tested),
        "reason": f"{of}{said.reason}{max(more, key=len, default='')}",
        "remedy": remedy_words(said.remedy, tested=bool(analysis.tests)),
    }


def decision_lines(analysis: Analysis) -> list[str]:
    """The same as text: question, threshold, status, why, and what would change it."""
    asked = request_of(analysis.target or None, analysis.level)
    d, names = analysis.decision, ["dev", *set_names(analysis.tests)]
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


# --------------------------------------------------------------------------------- rates
def _told(cell: RateCell) -> dict[str, str]:
    around = "no interval" if math.isnan(cell.low) else rate_span(cell.low, cell.high)
    told = {"rate": rate(cell.rate), "around": around, "count": of_total(cell)}
    return {key: tight(text) for key, text in told.items()}


def _key(row: RateRow, k: int) -> str:
    return f"{row.name.lower()}{k}"


def _rates(
    analysis: Analysis, d: Decision, rows: Sequence[RateRow], names: Sequence[str]
) -> dict[str, Any]:
    """Of one test a row a rate; of several a row a set."""
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
    status = [None, *analysis.checks, *[None] * len(names)][: len(names)]
    tags = [
        None
        if check is None
        else (STATUS_COLOURS[check.status], status_words(check.status, tested=True))
        for check in status
    ]
    by_set = list(zip(names, tags, zip(*cells, strict=True), strict=True))
    return {"several": several, "heads": heads, "cells": cells, "sets": by_set}


def _cost(d: Decision, checks: Sequence[DecisionCheck | None], names: Sequence[str]) -> list[str]:
    """What a trial costs, or the mean of both rates, on dev and on each test set."""
    if d.target in TARGET_RATES:
        return []
    what = {"cost": "Mean cost of a trial", "precision": "Precision"}.get(
        d.target, "Mean of both rates (HTER)"
    )
    mean, ends = mean_shown(d.costs, d.interval)
    found = [f"{what}: {mean} expected from dev (interval {ends})"]
    for check, role in zip(checks, names[1:], strict=False):
        if check is not None:
            mean, ends = mean_shown(d.costs, check)
            found.append(f"{mean} observed{f' on {role}' * (len(checks) > 1)} (interval {ends})")
    return found


def _strip(analysis: Analysis, d: Decision, rows: Sequence[RateRow], names: Sequence[str]) -> str:
    """The target's rate on a logarithmic axis."""
    if d.target not in TARGET_RATES:
        return ""
    row = next(one for one in rows if one.kind == d.target)
    short = [names[0], *(part.role for part in analysis.tests)]
    shown = [
        StripRow(role, *cell[:3], _key(row, k))
        for k, (role, cell) in enumerate(zip(short, row.cells, strict=True))
    ]
    told = ", ".join(f"{one.name} {rate(one.rate)}" for one in shown)
    alt = (
        f"{row.name} with {level_words(d.confidence)} intervals beside the target, logarithmic"
        f" axis: {told}; target {100.0 * d.rate:g} %"
    )
    return strip_svg(row.name, shown, d.rate, "i" if d.target == "far" else "c", alt)


# ------------------------------------------------------------------------------- picture
def _picture(
    analysis: Analysis, names: Sequence[str], d: Decision | None, rows: Sequence[RateRow]
) -> dict[str, Any]:
    """Scores of dev and of the tests on one axis, and the slider that moves along it."""
    parts = [part.scored for part in analysis.parts]
    drawn, mark = _drawn(analysis), None if d is None else d.threshold
    axis = score_axis(analysis)
    at = None if mark is None else float(axis.place(mark)) if mark > -math.inf else 0.0
    bins = _BINS[min(min(parts[k].sizes) for k in drawn) >= _FEW]
    panels = [_panel(parts[k], axis, bins, mark, at, fitted=k == 0) for k in drawn]
    tallest = [max(float(one.max(initial=0.0)) for one in both) for both in
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
    found = {
        "figures": figures, "axis": axis_svg(axis.ticks()), "low": len(drawn) > 2, "many": many,
        "logit": axis.logit, "left_out": len(parts) - len(drawn),
        "taller": any(small), "positions": "",
    }  # fmt: skip
    return found | _positions(analysis, d, rows, axis) if d is not None else found


def _drawn(analysis: Analysis) -> list[int]:
    """Which sets: all of a few, else dev and the one that the status is of."""
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
    part: ScoreSet, axis: ScoreAxis, bins: int, mark: float | None, at: float | None, *,
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


def _fitted(part: ScoreSet, axis: ScoreAxis) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Both fitted densities along the axis."""
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
            total, found = row.cells[k].total, counted_rates(data, row.kind, thresholds, level)
            cells = [RateCell(x, low, high, x * total, total) for x, low, high in
                     zip(*(column.tolist() for column in found), strict=True)]  # fmt: skip
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
    """Each text once, and which stands at every position."""
    place = {text: k for k, text in enumerate(dict.fromkeys(texts))}
    return list(place), [place[text] for text in texts]


def _bits(flags: Any) -> str:
    return "".join("1" if flag else "0" for flag in flags)
