"""The frame of every page: head, content policy, styles, the one script, foot.

A page asks the network for nothing. Its policy names the one style sheet and the one script by
their hashes, so that nothing else in it, wherever it came from, is applied or runs.
"""

from __future__ import annotations

import hashlib
import html
import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from betaroc.rendering.tree import Cell, Grid, Group, Name, Node, Row, Section
from betaroc.rendering.tree_html import html_of, template

_DRAWING = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
#: What matplotlib says once for all elements of a drawing, and the same as attributes of it.
_RULES = re.compile(r"<style\b[^>]*>[^<]*</style>")
_INHERITED = '<svg stroke-linejoin="round" stroke-linecap="butt" '
_STYLE = re.compile(r'(?<=\s)style="([^"<>]*)"')
#: The shorthand of a font: style, weight, size, families.
_FONT = re.compile(r"(?:(italic|oblique)\s+)?(?:(bold|[1-9]00)\s+)?([\d.]+(?:px)?)\s+(.+)")
_FONT_NAMES = ("font-style", "font-weight", "font-size", "font-family")


def page_frame(title: str, body: str, foot: str, *, script: bool = True) -> str:
    """A whole page.

    Parameters
    ----------
    title : str
        As text: escaped here.
    body, foot : str
        HTML of our own, in which foreign text is escaped.
    script : bool
        Whether the script stands in it: for sliders, and for what is folded when it is printed.
    """
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
{without_style_attributes(body)}</main>
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


# ------------------------------------------------------------------------ drawings of others
def without_style_attributes(body: str) -> str:
    """What drawings set by styles, which the policy of the page forbids, set by attributes."""
    return _DRAWING.sub(_by_attributes, body)


def _by_attributes(found: re.Match[str]) -> str:
    drawing, n_rules = _RULES.subn("", found[0])
    if n_rules:
        drawing = drawing.replace("<svg ", _INHERITED, 1)
    return _STYLE.sub(_attributes, drawing)


def _attributes(found: re.Match[str]) -> str:
    pairs = (item.split(":", 1) for item in found[1].split(";") if ":" in item)
    named = [(name.strip(), value.strip()) for name, value in pairs]
    return " ".join(
        f'{name}="{value}"' for pair in named for name, value in _longhand(*pair)
        # The page's own font, and its numerals, unless a drawing has mathematics.
        if (name, value[-10:]) != ("font-family", "sans-serif")
    )  # fmt: skip


def _longhand(name: str, value: str) -> list[tuple[str, str]]:
    """A font is no attribute, its parts are."""
    parts = _FONT.fullmatch(value) if name == "font" else None
    if parts is None:
        return [(name, value)]
    return [pair for pair in zip(_FONT_NAMES, parts.groups(), strict=True) if pair[1]]


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
