"""The page of several systems: which of them, at which threshold, and how sure that is."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from betaroc.cli.systems import SystemFiles, first_names
from betaroc.cli.systems_thresholds import (
    STATUSES,
    CheckedTest,
    DecidedSystem,
    SystemAnalysis,
    ways_html,
)
from betaroc.core.arrays import CLASSES
from betaroc.core.class_words import ClassWords, shared_words
from betaroc.core.errors import InputError
from betaroc.core.notices import quietly
from betaroc.core.terms import terms_of
from betaroc.data.scores import Scores
from betaroc.decision.decide import DecisionRequest
from betaroc.decision.decision_view import STATUS_COLOURS, shown_threshold
from betaroc.decision.status import AMBER, GREEN, RED
from betaroc.decision.ways import TARGET_RATES, rate_interval
from betaroc.inference.differences import Difference, difference
from betaroc.model.samples import empirical_model
from betaroc.rendering.numbers import counted, rate, rate_span, spaced, version, with_minus
from betaroc.rendering.page_frame import page_frame
from betaroc.rendering.systems_picture import (
    LogAxis,
    PlainAxis,
    Point,
    RateSpan,
    axis_labels,
    draw_map,
    draw_rate_strip,
    draw_roc,
)
from betaroc.rendering.tree import foreign
from betaroc.rendering.tree_html import html_of, status_icon, template
from betaroc.report.analysis import Analysis
from betaroc.report.page import explained, glossary_of, render_part
from betaroc.report.record import foot_words, question_of

if TYPE_CHECKING:
    from markupsafe import Markup

_SHORT = {GREEN: "relied on", AMBER: "not enough evidence", RED: "do not rely on"}
#: Of a page within a page: headings, and ids with what refers to them. In texts of the user's
#: every quotation mark is escaped, so that none of them is taken for an attribute.
_LEVELS = re.compile(r"(</?h)([1-4])\b")
_IDS = re.compile(r'(\s(?:id|for|aria-labelledby)="|\bhref="#|\sclip-path="url\(#)')
#: Up to so many systems have a picture each; of more so many rows stand open.
_PANELS, _ROWS = 8, 12
#: Points of a ROC.
_GRID = 300


def with_report(files: SystemFiles, analysis: Analysis) -> SystemAnalysis:
    """What the page knows of a system with its whole report."""
    return SystemAnalysis(
        files, analysis.dev.given, [part.given for part in analysis.tests], analysis.decision,
        analysis.checks, analysis.no_decision, tuple(n.message for n in analysis.notices),
        *render_part(analysis),
    )  # fmt: skip


def page_of_systems(systems: Sequence[SystemAnalysis], asked: DecisionRequest, terms: str) -> str:
    """The whole page, in the words of the user's field."""
    decided = [one for one in (system.decided for system in systems) if one is not None]
    page = _Page(sorted(decided, key=_place)) if decided else None
    ranks = {} if page is None else {one.name: k for k, one in enumerate(page.order)}
    parts = sorted(systems, key=lambda one: ranks.get(one.name, len(ranks)))
    places = {one.name: f"system{k}" for k, one in enumerate(parts, 1)}
    question = question_of(asked)
    body = template("systems.html.j2", "cli").render(
        page=page, parts=parts, places=places, version=version(), named=foreign,
        question=f"Which system, and {question[:1].lower()}{question[1:]}",
        systems=counted(len(systems), "system"),
    )  # fmt: skip
    sources = [one.source for system in systems for one in (system.dev, *system.tests)]
    names = [one.name for one in systems]
    names += [path for source in sources if source is not None for path in source.files]
    needed = explained(body).union(*(one.terms for one in parts))
    body += str(html_of([glossary_of(needed)]))
    body = _in_words(body, systems, terms, names)
    for one in parts:
        # A whole report stands one level down, with ids of its own.
        inner = _LEVELS.sub(lambda tag: f"{tag[1]}{int(tag[2]) + 2}", one.body)
        inner = _IDS.sub(rf"\g<1>{places[one.name]}-", inner)
        inner = inner or _in_words(ways_html(one), [one], terms, names)
        body = body.replace(f"<!-- {places[one.name]} -->", inner)
    foot = _in_words(foot_words(), systems, terms, names)
    return page_frame(f"betaroc: {counted(len(systems), 'system')}", body, foot)


def _in_words(
    html: str, systems: Sequence[SystemAnalysis], terms: str, names: Sequence[str]
) -> str:
    """In the words of the field and of the labels; names stay as they are."""
    from markupsafe import escape

    kept = {str(escape(form)) for name in names for form in foreign(name)}
    words = shared_words(one.words for one in systems)
    if words is not None:
        html = words.in_markup(html, kept)
        kept |= {str(escape(word)) for word in words}
    return terms_of(terms).said(html, kept)


def _place(one: DecidedSystem) -> tuple[int, bool, float]:
    """By status, tested ones first, then by what is left to compare: the other rate or the cost."""
    d, check = one.decision, one.check
    if d.target not in TARGET_RATES:
        value = d.interval.estimate if check is None else check.observed
    else:
        point = d.expected if check is None else check.point
        value = float(point.frr if d.target == "far" else point.far)
    return STATUSES.index(one.status), check is None, value


def _where(one: DecidedSystem) -> str:
    return "on test" if one.tests else "on dev"


class _Row(NamedTuple):
    """A row as shown."""

    rank: str
    name: str
    test: str
    status: str
    icon: Markup
    threshold: str
    strips: Sequence[Markup]
    rates: Sequence[tuple[str, str]]
    against: tuple[str, str]


class _Page:
    """Every value of the template; the first system is the one to take."""

    def __init__(self, order: Sequence[DecidedSystem]) -> None:
        self.order, self.first = order, order[0]
        self.words = shared_words(one.dev.words for one in order) or ClassWords()
        self.decision = self.first.decision
        self.is_rate, self.target = self.decision.target in TARGET_RATES, self.decision.target
        self.tested = any(one.tests for one in order)
        #: What stands beside each other: all, or those with a test where there are some.
        self.shown = [one for one in order if bool(one.tests) == self.tested]
        self.where = "on test" if self.tested else "on dev"
        self.confidence = f"{100.0 * self.decision.confidence:g} %"
        self.asked = f"{100.0 * self.decision.rate:g} %" if self.is_rate else ""
        self.differences = self._differences()
        rows = self._rows()
        last = len(rows) if self.few else _ROWS
        self.open, self.folded = rows[:last], rows[last:]

    # ---------------------------------------------------------------------- in words
    @property
    def counts(self) -> list[tuple[Markup, int, str]]:
        """How many systems have each status."""
        found = Counter(one.status for one in self.order)
        return [(status_icon(STATUS_COLOURS[s]), found[s], s) for s in STATUSES if found[s]]

    @property
    def colour(self) -> str:
        """Of the answer."""
        return STATUS_COLOURS[self.first.status]

    @property
    def icon(self) -> Markup:
        """Of the answer."""
        return status_icon(self.colour)

    @property
    def answer(self) -> tuple[str, str, str]:
        """The system to take, what it does, and what is known of the others."""
        shown = self.shown if self.first in self.shown else [self.first]
        alike = [one for one in shown if one.status == self.first.status]
        far, frr = self._rates(self.first)
        said = f"FAR {rate(far.value)}, FRR {rate(frr.value)} {_where(self.first)}"
        if len(alike) > 1:
            said += f", the lowest {self.compared} among {len(alike)} of this status"
        elif len(self.order) > 1 and self.first.status == GREEN:
            said += "; no other system can be relied on"
        if self.first.status != GREEN:
            said += ". No system can be relied on"
        head = f"threshold {self._threshold(self.first)}"
        return head, f"{said}.", " ".join(self._caveats(alike))

    def _caveats(self, alike: Sequence[DecidedSystem]) -> list[str]:
        found = []
        if self.first.status != GREEN:
            found.append((self.first.check or self.decision).reason)
        rivals = [one for one in alike[1:] if one.name in self.differences]
        near = [one.name for one in rivals if not _differs(self.differences[one.name])]
        if rivals and near:
            count = f"{len(near)} of the other {len(rivals)}" if len(rivals) > 1 else "The other"
            verb = "are" if len(near) > 1 else "is"
            found.append(f"{count} {verb} not shown to be worse: {first_names(near, 3)}.")
        elif rivals:
            every = len(rivals) == len(alike) - 1
            found.append(
                "Each of the others is shown to be worse."
                if every
                else f"{len(rivals)} of the others are shown to be worse."
            )
        if self.tested and len(alike) > 1:
            best = f"The best of {len(alike)} on one test set"
            found.append(f"{best} tends to look a little better than it is.")
        if not self.tested:
            found.append("No test set: what follows is expected from dev alone.")
        return found

    @property
    def compared(self) -> str:
        """What systems of one status are sorted by."""
        if not self.is_rate:
            return "cost" if self.target == "cost" else "HTER"
        return "FRR" if self.target == "far" else "FAR"

    @property
    def note(self) -> str:
        """How thresholds and intervals came."""
        found = "Each system has its own threshold, chosen on its own dev scores"
        if self.is_rate:
            hows = {one.decision.how for one in self.order}
            found += f": {self.target.upper()} at or below {self.asked}"
            found += f" with {self.confidence} confidence" if hows == {"guaranteed"} else ""
        found += f". Intervals of rates: exact, {self.confidence}, each by itself."
        if self.differences:
            paired = all(one.paired for one in self.differences.values())
            trials = "same test trials" if paired else "not the same test trials for all"
            found += (
                f" Differences to the first: {trials}, all intervals at once ({self.confidence});"
                " the first was picked on test, which the intervals do not count."
            )
        return found

    # -------------------------------------------------------------------- differences
    def _differences(self) -> dict[str, Difference]:
        """Of each system and the first on their first tests, in the rate that is no target.

        Each at its own threshold, which a shift of its scores puts at 0: x > t where x - t > 0.
        """
        others = [one for one in self.order[1:] if one.tests]
        if not (self.is_rate and self.first.tests and others):
            return {}
        level = 1.0 - (1.0 - self.decision.confidence) / len(others)
        stat = "frr" if self.target == "far" else "far"
        own, found = _shifted(self.first), {}
        for one in others:
            if not all(math.isfinite(x.decision.threshold) for x in (self.first, one)):
                continue
            found[one.name] = _difference(_shifted(one), own, stat, level)
        return found

    def _against(self, one: DecidedSystem) -> tuple[str, str]:
        if one is self.first:
            return "first", ""
        found = self.differences.get(one.name)
        if found is None:
            return "", ""
        said = "no difference shown"
        if _differs(found):
            said = "shown worse" if found.estimate > 0.0 else "shown better"
        ends = (f"{100.0 * x:+.2g}".replace("-", "\N{MINUS SIGN}") for x in (found.low, found.high))
        return said, f"{' to '.join(ends)} points"

    # --------------------------------------------------------------------- the table
    def _rows(self) -> list[_Row]:
        spans = {one.name: self._spans(one) for one in self.order}
        pairs = [pair for own in spans.values() for pair in own]
        far, frr = [pair[0].value for pair in pairs], [x for pair in pairs for x in pair[1]]
        if self.is_rate:
            own = far if self.target == "far" else frr
            own.append(self.decision.rate)
        self.axes = LogAxis.of(far), PlainAxis.of(frr)
        self.labels = [axis_labels(axis) for axis in self.axes]
        return [
            row
            for rank, one in enumerate(self.order, 1)
            for row in self._system_rows(rank, one, spans[one.name])
        ]

    def _system_rows(
        self, rank: int, one: DecidedSystem, spans: Sequence[tuple[RateSpan, RateSpan]]
    ) -> list[_Row]:
        """A row a test; one where there is none."""
        tests: Sequence[CheckedTest | None] = one.tests or [None]
        rows, several = [], len(tests) > 1
        for k, test in enumerate(tests):
            seen = spans[0] if test is None else spans[1 + k]
            status = one.decision.status if test is None else test.check.status
            rows.append(_Row(
                "" if k else str(rank), one.name, test.name if several and test else "",
                _SHORT[status], status_icon(STATUS_COLOURS[status]), self._threshold(one),
                [self._strip(j, spans[0], None if test is None else seen) for j in (0, 1)],
                [("no test", "")] * 2 if test is None and self.tested else
                [(rate(span.value), rate_span(span.low, span.high)) for span in seen],
                ("", "") if k else self._against(one),
            ))  # fmt: skip
        return rows

    def _strip(
        self, k: int, dev: tuple[RateSpan, RateSpan], test: tuple[RateSpan, RateSpan] | None
    ) -> Markup:
        """FAR or FRR of a row."""
        is_target = self.target == TARGET_RATES[k]
        seen = None if test is None else test[k]
        told = f"{TARGET_RATES[k].upper()} {rate(dev[k].value)} expected"
        told += "" if seen is None else f", {rate(seen.value)} observed"
        told += f"; target {self.asked}" * is_target
        target = self.decision.rate if is_target else None
        return draw_rate_strip(self.axes[k], "ic"[k], told, dev[k], seen, target)

    def _spans(self, one: DecidedSystem) -> list[tuple[RateSpan, RateSpan]]:
        """FAR and FRR as dev expects them, then as each test observes them."""
        d = one.decision
        sets = [(one.dev, d), *((test.scores, None) for test in one.tests)]
        found = []
        for scores, own in sets:
            pair = [
                RateSpan(*rate_interval(scores, kind, d.threshold, d.confidence))
                for kind in TARGET_RATES
            ]
            if own is not None and self.is_rate:
                k = TARGET_RATES.index(self.target)
                pair[k] = RateSpan(own.interval.estimate, own.interval.low, own.interval.high)
            found.append((pair[0], pair[1]))
        return found

    def _rates(self, one: DecidedSystem) -> tuple[RateSpan, RateSpan]:
        return self._spans(one)[1 if one.tests else 0]

    @staticmethod
    def _threshold(one: DecidedSystem) -> str:
        return with_minus(shown_threshold(one.decision))

    # ------------------------------------------------------------------- the pictures
    @property
    def few(self) -> bool:
        """Whether every system has a picture of its own."""
        return len(self.order) <= _PANELS

    @property
    def map(self) -> Markup:
        """All systems at their thresholds; beside tested ones none that was not."""
        points = []
        for one in self.shown:
            far, frr = self._rates(one)
            points.append(
                Point(far.value, frr.value, STATUS_COLOURS[one.status], foreign(one.name).short)
            )
        target = self.decision.rate if self.target == "far" else 0.0
        told = f"FRR against FAR of {len(points)} systems, each at its threshold, {self.where}"
        return draw_map(points, self.axes, target, told)

    @property
    def curves(self) -> list[tuple[str, str, Markup]]:
        """The ROC of each system among all, or of the first, and of which scores it is."""
        lines = {one.name: self._roc(one) for one in self.shown}
        axis, found = self.axes[0], []
        for one in self.order if self.few else self.shown[:1]:
            far, frr = self._rates(one)
            others = [line for name, line in lines.items() if name != one.name]
            target = self.decision.rate if self.target == "far" else 0.0
            told = f"ROC of {one.name} {_where(one)}, logarithmic FAR axis"
            own = lines.get(one.name) or self._roc(one)
            at = far.value, 1.0 - frr.value
            found.append((one.name, _where(one), draw_roc(axis, own, others, at, target, told)))
        return found

    def _roc(self, one: DecidedSystem) -> list[tuple[float, float]]:
        grid = np.geomspace(self.axes[0].start, 1.0, _GRID)
        seen = one.dev if one.test is None else one.test
        with quietly():
            tpr = np.asarray(empirical_model(seen).roc().tpr(grid))
        return list(zip(grid.tolist(), tpr.tolist(), strict=True))

    @property
    def sizes(self) -> list[tuple[str, str]]:
        """Scores of dev and of test where all systems have as many."""
        found = []
        for role, sets in (
            ("Dev", [one.dev for one in self.order]),
            ("Test", [test.scores for one in self.order for test in one.tests]),
        ):
            sizes = {(s.n_client, s.n_impostor) for s in sets}
            if len(sizes) == 1:
                both = zip(CLASSES, sizes.pop(), strict=True)
                told = (self.words.counted(who, n, spaced(n)) for who, n in both)
                found.append((role, ", ".join(told)))
            elif sizes:
                found.append((role, "of different sizes"))
        return found


def _shifted(one: DecidedSystem) -> Scores:
    """The first test's scores less the threshold, so that they are accepted above 0."""
    scores, t = one.tests[0].scores, one.decision.threshold
    return replace(scores, client=scores.client - t, impostor=scores.impostor - t)


def _difference(one: Scores, other: Scores, stat: str, level: float) -> Difference:
    """Of the same trials where they are the same, else of independent ones."""
    with quietly():
        try:
            return difference(one, other, stat, threshold=0.0, level=level)
        except InputError:
            return difference(one, other, stat, threshold=0.0, level=level, paired=False)


def _differs(found: Difference) -> bool:
    return found.low > 0.0 or found.high < 0.0
