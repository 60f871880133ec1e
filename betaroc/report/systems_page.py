"""The page of several systems: their view, then the first screen and main tables of each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from betaroc.core import checks
from betaroc.core.vocabulary import shared_words
from betaroc.data.scores import ScoreData
from betaroc.decision.decide import Decision, DecisionCheck, DecisionRequest
from betaroc.rendering.numbers import counted, version
from betaroc.rendering.page_frame import ResultPage, page_of
from betaroc.rendering.tree import Html, Node, Section, Words, foreign, retold
from betaroc.rendering.tree_html import html_of
from betaroc.report.analysis import Analysis
from betaroc.report.page import explained, glossary_of, render_part
from betaroc.report.record import question_of
from betaroc.report.system_thresholds import (
    CheckedTest,
    DecidedSystem,
    compared,
    ranked,
    sizes_words,
    system_section,
    systems_view,
)


class SystemPart(NamedTuple):
    """What a page of several knows of a system: its threshold or why it has none."""

    name: str
    dev: ScoreData
    tests: Sequence[tuple[str, ScoreData]]
    decision: Decision | None
    checks: Sequence[DecisionCheck | None]
    why: str
    warnings: tuple[str, ...]
    analysis: Analysis | None = None

    @property
    def decided(self) -> DecidedSystem | None:
        """Its threshold with what its tests say; None where there is none."""
        if self.decision is None:
            return None
        tests = tuple(
            CheckedTest(Path(path).name if test.source is None else test.source.path, test, check)
            for (path, test), check in zip(self.tests, self.checks, strict=True)
            if check is not None
        )
        return DecidedSystem(self.name, self.dev, self.decision, tests)


def part_of(name: str, paths: Sequence[str], analysis: Analysis) -> SystemPart:
    """What the page knows of an analysed system."""
    tests = [(path, part.given) for path, part in zip(paths, analysis.tests, strict=True)]
    warnings = tuple(notice.message for notice in analysis.notices)
    return SystemPart(name, analysis.dev.given, tests, analysis.decision, analysis.checks,
                      analysis.no_decision, warnings, analysis)  # fmt: skip


def page_of_systems(
    parts: Sequence[SystemPart], request: DecisionRequest, terms: str, rng: Any
) -> str:
    """The whole page, in the words of the user's field."""
    systems = ranked([part.decided for part in parts if part.decided is not None])
    places = {system.name: k for k, system in enumerate(systems)}
    sources = [side.source for part in parts for side in (part.dev, *(t for _, t in part.tests))]
    names = [part.name for part in parts]
    names += [path for source in sources if source is not None for path in source.files]
    names = [form for name in names for form in (name, *foreign(name), *foreign(name, path=True))]
    field, words = checks.terms_of(terms), shared_words(part.dev.words for part in parts)

    def say(text: str) -> str:
        return field.said(words.said(text, names), [*names, *words])

    top: list[Node] = []
    if systems:
        comparison = compared(systems, request.confidence, rng)
        top = [retold(node, say) for node in systems_view(systems, comparison)]
    sections, known = [], frozenset[str]()
    order = sorted(parts, key=lambda part: places.get(part.name, len(parts)))
    for k, part in enumerate(order, 1):
        section, found = _section(part, f"system{k}")
        sections.append(retold(section, say))
        known |= found
    sections.append(glossary_of(explained(html_of([Section("", tuple(top)), *sections])) | known))
    many, question = counted(len(parts), "system"), question_of(request)
    page = ResultPage(
        f"betaroc: {many}", many, sizes_words(systems),
        say(f"Which system, and {question[:1].lower()}{question[1:]}"), top,
        [*sections[:-1], retold(sections[-1], say)],
    )  # fmt: skip
    return page_of(page, say(f"betaroc {version()}. {_FOOT}"), script=True)


_FOOT = "FAR(θ) = P(impostor score > θ), FRR(θ) = P(client score ≤ θ), TPR = 1 − FRR."
_WHOLE = Words("`betaroc report --dev DEV --test TEST -o OUT` writes its whole report.", "note")


def _section(part: SystemPart, key: str) -> tuple[Section, frozenset[str]]:
    """A system by itself, and the terms that need a line of the glossary."""
    system = part.decided
    if system is None:
        return Section(foreign(part.name).short, (Words(part.why),), "", key, folded=True), (
            frozenset()
        )  # fmt: skip
    if part.analysis is None:
        section = system_section(system, key)
        return Section(section.title, (*section.blocks, _WHOLE), section.finding, key,
                       folded=True), frozenset()  # fmt: skip
    body, terms = render_part(part.analysis)
    # One level down, with ids of its own: what a user named is escaped and holds no tag.
    for level in (3, 2, 1):
        body = body.replace(f"<h{level}", f"<h{level + 2}").replace(
            f"</h{level}>", f"</h{level + 2}>"
        )
    for side in ("left", "right"):
        for before in ('id="', 'clip-path="url(#'):
            body = body.replace(f"{before}{side}", f"{before}{key}-{side}")
    return system_section(system, key, (Html(body), _WHOLE)), terms
