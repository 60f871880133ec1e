"""What an analysis found, as data: of it its text, its JSON and its page are made."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from betaroc.core.class_words import ClassWords, shared_words
from betaroc.core.errors import BetarocError, InputError
from betaroc.core.notices import quietly
from betaroc.core.sentences import worded
from betaroc.core.terms import BIOMETRIC, Terms, terms_of
from betaroc.core.text import shown
from betaroc.core.value import Result
from betaroc.data.scores import ScoreData, Scores
from betaroc.data.summary import ScoreSummary
from betaroc.decision.decide import (
    Decision,
    DecisionCheck,
    DecisionRequest,
    checked_request,
    decided,
)
from betaroc.decision.status import AMBER, GREEN, RED, Said, decision_block
from betaroc.decision.ways import TARGET_RATES, Fitting, Way
from betaroc.estimation.families import Names, family_text
from betaroc.model.measures import OperatingPoint
from betaroc.rendering.notebook import (
    FoldedTable,
    NotebookBlock,
    Shown,
    Trace,
    draw_square,
    name_shown,
    rate_cell,
)
from betaroc.rendering.numbers import level_words, rounded, version
from betaroc.rendering.tree import Name, foreign
from betaroc.report.beta_pair import BetaPairFit
from betaroc.report.intervals import Measured
from betaroc.report.observed_curves import ObservedCurve
from betaroc.report.score_set import ObservedPoint, ScoreSet, is_modelled
from betaroc.report.summary import contradiction_words, contradictions

__all__ = [
    "DEFAULT_TARGET", "AnalysisRecord", "AnalysisTarget", "analysis_block", "check_numbers",
    "checks_of", "decision_numbers", "decision_of", "foot", "name", "page_in_terms", "path_shown",
    "request_of", "target_text", "told_decision", "worst_check",
]  # fmt: skip

#: What a report asks where nothing else was asked for.
DEFAULT_TARGET = "far=0.01"
#: What may be given as a target.
AnalysisTarget = str | Mapping[str, float] | None
_TARGET_NAMES = ("far", "frr", "cost_fa", "cost_fr", "prior", "eer")


@dataclass(frozen=True, eq=False, repr=False)
class AnalysisRecord(Result):
    """The fields of :class:`betaroc.Analysis`."""

    dev: ScoreSet
    tests: tuple[ScoreSet, ...]
    points: tuple[ObservedPoint, ...]
    curves: tuple[ObservedCurve, ...]
    level: float
    family: Names
    reason: str
    seed: int | None = None
    beta: BetaPairFit | None = None
    terms: str = BIOMETRIC
    decision: Decision | None = None
    checks: tuple[DecisionCheck | None, ...] = ()
    undecided: str = ""
    target: str = ""

    @property
    def parts(self) -> tuple[ScoreSet, ...]:
        """Dev, then the tests."""
        return (self.dev, *self.tests)

    @property
    def words(self) -> ClassWords:
        """What the classes are called in every set."""
        return shared_words(part.given.words for part in self.parts)

    @property
    def names(self) -> list[str]:
        """What the user called the sets and their files: no words of ours."""
        sources = (part.given.source for part in self.parts)
        return [*(p.name for p in self.parts), *(s.path for s in sources if s is not None)]


# ------------------------------------------------------------------------- foreign names
def name(text: str) -> Name:
    """Nothing that does not print, nothing that breaks the layout."""
    return foreign(text)


def path_shown(text: str) -> Name:
    """A path: of a long one the end, where the file is named."""
    return foreign(text, path=True)


def page_in_terms(page: str, analysis: AnalysisRecord) -> str:
    """The page in the words of the user's field; its style and foreign names stay as they are."""
    from markupsafe import escape

    shown = (made(given) for given in analysis.names for made in (name, path_shown))
    kept = {str(escape(form)) for one in shown for form in one}
    terms = terms_of(analysis.terms)
    page = analysis.words.in_markup(page, kept)
    kept |= {str(escape(word)) for word in analysis.words}
    parts = re.split(r"(<style>.*?</style>)", page, flags=re.DOTALL)
    return "".join(p if p.startswith("<style>") else terms.said(p, kept) for p in parts)


def foot(analysis: AnalysisRecord) -> str:
    """The last line of a page."""
    told = (
        f"betaroc {version()}. FAR(θ) = P(impostor score &gt; θ), FRR(θ) = P(client score ≤ θ),"
        " TPR = 1 − FRR, TNR = 1 − FAR."
    )
    return page_in_terms(told, analysis)


# ------------------------------------------------------------------------- its threshold
def request_of(target: AnalysisTarget, confidence: float) -> DecisionRequest:
    """A target as `decide` takes it, from {"far": 0.01}, "far=0.01", "eer" and the like."""
    if target is None:
        target = DEFAULT_TARGET
    if not isinstance(target, str | Mapping):
        raise _refused(target)
    given = _parsed(target) if isinstance(target, str) else dict(target)
    if not given or not set(given) <= set(_TARGET_NAMES):
        raise _refused(target)
    try:
        return checked_request(**given, confidence=confidence)
    except BetarocError as error:
        raise InputError.about("target")(
            worded(f"`target` must be one that can be decided on; got {shown(target)}: {error}")
        ) from error


def _parsed(text: str) -> dict[str, Any]:
    """Of "far=0.01" or "cost_fa=10,cost_fr=1"."""
    if text.strip() == "eer":
        return {"eer": True}
    found: dict[str, Any] = {}
    for item in text.split(","):
        name, _, value = (part.strip() for part in item.partition("="))
        try:
            found[name.replace("-", "_")] = float(value)
        except ValueError:
            raise _refused(text) from None
    return found


def _refused(target: object) -> InputError:
    return InputError.about("target")(
        worded(
            "`target` must be far=RATE, frr=RATE, cost_fa=COST with cost_fr=COST, or eer; got"
            f" {shown(target)}. Name one, such as far=0.01."
        )
    )


def target_text(asked: DecisionRequest) -> str:
    """A target in one short text, which `request_of` reads."""
    if asked.kind in TARGET_RATES:
        return f"{asked.kind}={asked.rate!r}"
    if asked.costs is None:
        return "eer"
    prior = "" if asked.prior is None else f",prior={asked.prior!r}"
    return f"cost_fa={asked.costs[0]!r},cost_fr={asked.costs[1]!r}{prior}"


def decision_of(
    dev: ScoreData, asked: DecisionRequest, fitting: Fitting
) -> tuple[Decision | None, str]:
    """The threshold, or why there is none."""
    if isinstance(dev, ScoreSummary):
        return None, "A threshold is decided on the scores themselves; of dev a summary was given."
    try:
        with quietly():  # what they say of dev, its fit has said
            return decided(dev._as_scores(), asked, fitting), ""
    except BetarocError as error:
        return None, str(error)


def checks_of(d: Decision | None, tests: Sequence[ScoreData]) -> tuple[DecisionCheck | None, ...]:
    """What every test set says of it; None where that cannot be had."""
    found: list[DecisionCheck | None] = []
    for test in tests:
        try:
            with quietly():
                found.append(d.check(test) if d and isinstance(test, Scores) else None)
        except BetarocError:
            found.append(None)
    return tuple(found)


def worst_check(
    d: Decision, checks: Sequence[DecisionCheck | None]
) -> tuple[Decision | DecisionCheck, int | None]:
    """Whose status stands for all: that of a test set, by its place, or the decision's own."""
    order = (GREEN, AMBER, RED)
    there = [(check, k) for k, check in enumerate(checks) if check is not None]
    if not there:
        return d, None
    return max(there, key=lambda pair: (order.index(pair[0].status), -pair[1]))


# ------------------------------------------------------------------------------ in JSON
def decision_numbers(analysis: AnalysisRecord) -> dict[str, Any]:
    """What was decided and what each test set says of it, for readers of JSON."""
    d, target = analysis.decision, analysis.target
    asked = {"target": target or DEFAULT_TARGET, "default": not target}
    if d is None:
        return {"asked": asked, "undecided": analysis.undecided}
    said, _ = worst_check(d, analysis.checks)
    seen = [None if check is None else check_numbers(check) for check in analysis.checks]
    return {"asked": asked} | told_decision(d, said) | {"tests": seen}


def told_decision(d: Decision, said: Decision | DecisionCheck) -> dict[str, Any]:
    """Threshold, rates and ways, and what is said of them in the end."""
    return {
        "threshold": d.threshold,
        "threshold_for_greater_equal": d.threshold_for_greater_equal,
        "target": d.target,
        "rate": None if math.isnan(d.rate) else d.rate,
        "how": d.how,
        "confidence": d.confidence,
        "expected": {"far": d.expected.far, "frr": d.expected.frr, "prior": d.expected.prior},
        "interval": [d.interval.low, d.interval.high],
        "status": said.status,
        "reason": said.reason,
        "remedy": said.remedy,
        "needed": d.needed,
        "ways": [{name: getattr(way, name) for name in Way.__dataclass_fields__} for way in d.ways],
    }


def check_numbers(check: DecisionCheck) -> dict[str, Any]:
    """What a test set says."""
    return {
        "observed": check.observed, "low": check.low, "high": check.high,
        "verdict": check.verdict, "status": check.status, "reason": check.reason,
        "far": check.point.far, "frr": check.point.frr,
    }  # fmt: skip


# ------------------------------------------------------------------------ in a notebook
#: Thresholds and test sets that are shown; scores up to which their curve takes no time, and
#: points of the fitted one.
_SHOWN, _TESTS = ("eer", "far=0.01", "frr=0.01"), 3
_MANY, _POINTS = 100_000, 64


def analysis_block(of: AnalysisRecord) -> NotebookBlock:
    """What test contradicts, rates expected and observed at some thresholds, and the curves."""
    tests, terms = of.tests[:_TESTS], terms_of(of.terms)
    called = {part.role: _called(part) for part in of.parts}
    wrong = contradictions(of.dev, of.tests, of.points, of.level)
    said = contradiction_words(wrong, called, of.level)
    if of.tests and not said:
        said = ["No rate on a test set is further from what dev expects than chance explains."]
    more = len(of.tests) - len(tests)
    sets = ", ".join(called[part.role] for part in (of.dev, *tests))
    sets += f" and {more} more test set{'s' * (more > 1)}" * (more > 0)
    by = of.points[0].chosen_by if of.points else ""
    points = [one for one in of.points if one.key in _SHOWN and one.chosen_by == by]
    heading = f"Analysis, {family_text(of.family)}: {sets}"
    sentences = [("", terms.said(one, called.values())) for one in said[:_TESTS]]
    heads = ["threshold of", "", f"{level_words(of.level)} intervals", terms.far.short,
             terms.frr.short]  # fmt: skip
    rows = [row for one in points for row in _rows(one, tests, terms)]
    block = NotebookBlock(heading, "", "", "", sentences, heads, rows, _rocs(of.dev, tests, terms))
    return block if of.decision is None else _with_decision(block, of, of.decision)


def _with_decision(block: NotebookBlock, of: AnalysisRecord, d: Decision) -> NotebookBlock:
    """The decision with the check that stands for all first, the other thresholds folded."""
    found, k = worst_check(d, of.checks)
    check = found if isinstance(found, DecisionCheck) else None
    first = decision_block(d, Said(found.status, found.reason, found.remedy), check)
    terms = terms_of(of.terms)
    role = "" if k is None else of.tests[k].role

    def said(text: str) -> str:
        return terms.said(text.replace("observed, test", f"observed, {role}"), ())

    return first._replace(
        heading=terms.said(first.heading),
        sentences=[
            ("", block.heading),
            *((lead, terms.said(text, of.names)) for lead, text in first.sentences),
            *block.sentences[:1],
        ],
        heads=[said(head) for head in first.heads],
        rows=[[said(str(row[0])), *row[1:]] for row in first.rows],
        folded=FoldedTable("Other thresholds", block.heads, block.rows),
        picture=first.picture + block.picture,
    )


def _called(part: ScoreSet) -> str:
    given = name_shown(part.name, 24)
    return part.role if given in ("", part.role) else f"{part.role} {given}"


def _rows(met: ObservedPoint, tests: Sequence[ScoreSet], terms: Terms) -> list[list[Shown | str]]:
    """Of a threshold what dev makes one expect, and what each test set has."""
    title = terms.said(met.title.split(",")[0].split(" (")[0])
    place = rounded(float(met.expected.threshold), up=not met.key.startswith("frr"))
    rows: list[list[Shown | str]] = [[title, place, "dev, expected"]]
    rows[0] += _pair(met.expected, met.expected_intervals)
    for test, at, own in zip(tests, met.observed[1:], met.observed_intervals, strict=False):
        rows.append(["", "", f"{test.role}, observed", *_pair(at, own)])
    return rows


def _pair(point: OperatingPoint, intervals: Sequence[Measured]) -> list[Shown]:
    """FAR and FRR, with their intervals where there are some."""
    ends = {one.key: (one.low, one.high) for one in intervals}
    nothing = math.nan, math.nan
    return [rate_cell(float(getattr(point, k)), *ends.get(k, nothing)) for k in ("far", "frr")]


def _rocs(dev: ScoreSet, tests: Sequence[ScoreSet], terms: Terms) -> str:
    lines = []
    if dev.fit is not None and is_modelled(dev):
        fitted = dev.fit.model.roc().points(_POINTS)
        lines.append(Trace("dev, fitted", fitted.far, fitted.tpr, "dotted"))
    for k, part in enumerate((dev, *tests)):
        if sum(part.sizes) <= _MANY or part.summary is not None:
            points = part.empirical.roc().points()
            look = "dashed" if k == 0 else "solid" if k == 1 else "thin"
            lines.append(Trace(part.role, points.far, points.tpr, look))
    about = ", ".join(part.role for part in (dev, *tests))
    axes = terms.far.short, terms.tpr.short
    return draw_square(lines, axes, f"ROC: {axes[1]} against {axes[0]} of {about}")
