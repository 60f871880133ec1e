"""A page of several verdicts: the question, a row each, pictures, folded sections, no script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from betaroc.rendering.page_frame import page_frame
from betaroc.rendering.tree import Cell, Figures, Name, Section
from betaroc.rendering.tree_html import html_of, template

__all__ = ["ResultPage", "VerdictRow", "page_of"]


class VerdictRow(NamedTuple):
    """What is said of one of several, with its icon: "good", "warn", "bad" or "none"."""

    name: Name | str
    word: str
    icon: str
    cells: Sequence[Cell | str] = ()


class ResultPage(NamedTuple):
    """What stands on the page, in its order."""

    title: str
    #: What the page is of, and what stands beside it.
    kind: str
    about: Sequence[str]
    question: str
    lead: Sequence[str]
    alarms: Sequence[str] = ()
    heads: Sequence[str] = ()
    verdicts: Sequence[VerdictRow] = ()
    figures: Figures | None = None
    sections: Sequence[Section] = ()


def page_of(page: ResultPage, body_said: Any, foot: str) -> str:
    """The whole page; `body_said` puts its body into the words of the user's field."""
    top = Section("", () if page.figures is None else (page.figures,))
    body = template("result.html.j2").render(
        kind=page.kind, about=page.about, question=page.question, lead=page.lead,
        alarms=page.alarms, heads=page.heads, rows=page.verdicts, sections=page.sections,
        top=html_of([top]) if page.figures is not None else "", body=html_of(page.sections),
    )  # fmt: skip
    return page_frame(page.title, body_said(body), foot, script=False)
