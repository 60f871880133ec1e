"""What an analysis found, as data: of it its text, its JSON and its page are made."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from betaroc.core.class_words import ClassWords, shared_words
from betaroc.core.terms import BIOMETRIC, Terms, terms_of
from betaroc.core.value import Result
from betaroc.estimation.families import Names, family_text
from betaroc.model.measures import OperatingPoint
from betaroc.rendering.notebook import (
    NotebookBlock,
    Shown,
    Trace,
    draw_square,
    name_shown,
    rate_cell,
)
from betaroc.rendering.numbers import level_words, rounded
from betaroc.rendering.tree import Name, foreign
from betaroc.report.beta_pair import BetaPairFit
from betaroc.report.contradictions import contradiction_words, contradictions
from betaroc.report.intervals import Measured
from betaroc.report.observed_curves import ObservedCurve
from betaroc.report.score_set import ObservedPoint, ScoreSet, is_modelled

__all__ = ["AnalysisRecord", "analysis_block", "name", "page_in_terms", "path_shown"]


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
    return NotebookBlock(
        f"Analysis, {family_text(of.family)}: {sets}",
        sentences=[("", terms.said(one, called.values())) for one in said[:_TESTS]],
        heads=["threshold of", "", f"{level_words(of.level)} intervals", terms.far.short,
               terms.frr.short],
        rows=[row for one in points for row in _rows(one, tests, terms)],
        picture=_rocs(of.dev, tests, terms),
    )  # fmt: skip


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
