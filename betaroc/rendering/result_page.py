"""A page of several verdicts: the question, a row each, pictures, folded sections, no script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from betaroc.rendering.page_frame import page_frame
from betaroc.rendering.tree import Grid, Node, Row, Section
from betaroc.rendering.tree_html import html_of, template

__all__ = ["ResultPage", "page_of", "verdict_nodes"]

#: Verdicts that are seen at once.
_SEEN = 12


class ResultPage(NamedTuple):
    """What stands on the page, in its order."""

    title: str
    #: What the page is of, and what stands beside it.
    kind: str
    about: Sequence[str]
    question: str
    #: The answer: sentences, verdicts, pictures.
    top: Sequence[Node]
    sections: Sequence[Section]


def verdict_nodes(head: Sequence[str], rows: Sequence[Row]) -> Sequence[Node]:
    """The first verdicts, and the others folded."""
    words = tuple(range(len(head)))
    first, others = (Grid(tuple(head), tuple(part), words) for part in (rows[:_SEEN], rows[_SEEN:]))
    folded = Section(f"{len(others.rows)} more", (others,), folded=True)
    return [first] * bool(first.rows) + [folded] * bool(others.rows)


def page_of(page: ResultPage, body_said: Any, foot: str) -> str:
    """The whole page; `body_said` puts its body into the words of the user's field."""
    body = template("result.html.j2").render(
        page=page, top=html_of([Section("", tuple(page.top))]), body=html_of(page.sections)
    )
    return page_frame(page.title, body_said(body), foot, script=False)
