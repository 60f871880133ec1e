"""The frame of every page: head, content policy, styles, the one script, foot.

A page asks the network for nothing. Its policy names the one style sheet and the one script by
their hashes, so that nothing else in it, wherever it came from, is applied or runs.
"""

from __future__ import annotations

import hashlib
import html
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from betaroc.rendering.tree import Cell, Grid, Group, Name, Node, Row, Section
from betaroc.rendering.tree_html import html_of, template


def page_frame(title: str, body: str, foot: str, *, script: bool = True) -> str:
    """A whole page of a title in text, and of body and foot in HTML, their foreign text escaped."""
    style, code = _text_of("page.css"), _text_of("page.js") if script else ""
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_hash_of(style)}';"
        f" script-src {repr(_hash_of(code)) if code else repr('none')};"
        " base-uri 'none'; form-action 'none'"
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{html.escape(title)}</title>
<style>{style}</style>
</head>
<body>
<main class="wrap">
{body}</main>
<footer class="wrap foot">{foot}</footer>
{f"<script>{code}</script>{chr(10)}" if code else ""}</body>
</html>
"""


@cache
def _text_of(name: str) -> str:
    return "\n" + Path(__file__).with_name(name).read_text(encoding="utf-8")


def _hash_of(text: str) -> str:
    """As a content policy names what it allows."""
    return f"sha256-{b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"


# ------------------------------------------------------------------------ a page of results
#: Rows that are seen at once.
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


def verdict_nodes(head: Sequence[Cell | Name | str], rows: Sequence[Row | Group]) -> Sequence[Node]:
    """The first verdicts, and the others folded."""
    words = tuple(range(len(head)))
    first, others = (Grid(tuple(head), tuple(part), words) for part in (rows[:_SEEN], rows[_SEEN:]))
    folded = Section(f"{len(others.rows)} more", (others,), folded=True)
    return [first] * bool(first.rows) + [folded] * bool(others.rows)


def page_of(page: ResultPage, foot: str, *, script: bool = False) -> str:
    """The whole page."""
    body = template("result.html.j2").render(
        page=page, top=html_of([Section("", tuple(page.top))]), body=html_of(page.sections)
    )
    return page_frame(page.title, body, html.escape(foot), script=script)
