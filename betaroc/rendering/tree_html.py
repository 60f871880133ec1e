"""A tree as HTML, every text escaped, and the frame of every page.

The policy of a page allows its style sheet and its script alone, by their hashes.
"""

from __future__ import annotations

import hashlib
import html
import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from betaroc.core.vocabulary import template_of
from betaroc.rendering import files, numbers
from betaroc.rendering.curves import CLIENT, GREY, IMPOSTOR
from betaroc.rendering.tree import Cell, Figure, Grid, Group, Name, Node, Row, Section, map_text

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

_POWER = re.compile(r"\^(-?[0-9.]+(?:e[+-]?[0-9]+)?|ρ)")
_MINUS = re.compile(r"(?<![\w.-])-(?=\d|inf\b)|(?<=\de)-(?=\d)|(?<=\d )-(?= \d)")
_INDEX = re.compile(r"\bdF_([ic])\b")
#: A count stands before the word for what is counted; digits of names do not.
_COUNT = re.compile(r"(?<![\w.,/(-])\d{5,}(?= [a-z\U0010e000-\U0010e0ff])")
#: What drawings are coloured with, and the tokens of a page, which know light and dark.
_TOKENS = {
    CLIENT.lower(): "cl", IMPOSTOR.lower(): "im", GREY: "fit", "#ffffff": "bg", "#e4e4e4": "hair",
    "#000000": "ink", "#222222": "ink", "#333333": "ink", "#444444": "mut", "#555555": "mut",
}  # fmt: skip
_COLOUR = re.compile(r"(?<=: )#[0-9a-f]{6}\b")
#: What matplotlib says once for all elements of a drawing, and the same as attributes of it.
_RULES = re.compile(r"<style\b[^>]*>[^<]*</style>")
_INHERITED = '<svg stroke-linejoin="round" stroke-linecap="butt" '
_NAMESPACE = ' xmlns:xlink="http://www.w3.org/1999/xlink"'
_STYLE = re.compile(r'(?<=\s)style="([^"<>]*)"')
_PAIR = re.compile(r"([\w-]+):\s*([^;]+)")
#: The shorthand of a font, which is no attribute: style, weight, size, families.
_FONT = re.compile(r"\bfont: (?:(italic|oblique) )?(?:(bold|[1-9]00) )?([\d.]+(?:px)?) ([^;\">]+)")
#: The sign of each status, each with its own outline; pages have other tones for light and dark.
_WHITE = 'fill="none" stroke="#fff" stroke-width="3.2"'
_ICONS = {
    "good": '<circle class="i-good" fill="#128a62" cx="18" cy="18" r="17"/>'
    f'<path class="i-gl" {_WHITE} d="M10 18.5l5.5 5.5L26 12.5"/>',
    "warn": '<path class="i-warn i-edge" fill="#b98500" d="M18 2L35 33H1z"/>'
    f'<path class="i-gd" {_WHITE} d="M18 13v9M18 27.5v.2"/>',
    "bad": '<path class="i-bad" fill="#d9394a" d="M11 1h14l10 10v14L25 35H11L1 25V11z"/>'
    f'<path class="i-gl" {_WHITE} d="M12 12l12 12M24 12L12 24"/>',
    "none": '<circle class="i-none" fill="none" stroke="#808080" stroke-width="5" cx="18" cy="18"'
    ' r="14"/>',
}


def html_of(sections: Sequence[Section], depth: int = 2) -> Markup:
    """The sections, their headings of that depth."""
    from markupsafe import Markup

    sections = map_text(tuple(sections), template_of)
    # The template escapes what it is given.
    return Markup(template("tree.html.j2").render(sections=sections, depth=depth))  # noqa: S704


def prose_of(body: str) -> str:
    """The text of our HTML."""
    return re.sub(r"<svg\b.*?</svg>|<[^>]*>", " ", body, flags=re.DOTALL)


def tight(text: str) -> str:
    """A text whose per cent signs stay on its line."""
    return text.replace("'", "’").replace(" %", "\u00a0%")


def typeset(text: str) -> Markup:
    """Words with powers, indices and signs as printed."""
    from markupsafe import Markup, escape

    safe = str(escape(tight(text)))
    safe = _COUNT.sub(lambda result: numbers.spaced(int(result[0])), safe)
    safe = _MINUS.sub("\u2212", safe)
    safe = _POWER.sub(r"<sup>\1</sup>", safe)
    return Markup(_INDEX.sub(r"dF<sub>\1</sub>", safe))  # noqa: S704 - escaped above


def status_icon(colour: str) -> Markup:
    """The sign of a status."""
    from markupsafe import Markup

    sign = f'<svg width="18" height="18" viewBox="0 0 36 36" aria-hidden="true">{_ICONS[colour]}'
    return Markup(f"{sign}</svg>")  # noqa: S704 - our own


def _drawn(figure: Figure) -> Markup:
    from markupsafe import Markup, escape

    alt, svg = escape(figure.alt or figure.caption), figure.svg
    if not isinstance(svg, str):
        svg = files.draw_svg(svg, figure.alt, sized=True)
        svg = svg.replace(_NAMESPACE, "").replace("xlink:href", "href")
    svg = svg.replace('role="img"', f'role="img" aria-label="{alt}"', 1)
    svg = _COLOUR.sub(lambda c: f"var(--{_TOKENS[c[0]]})" if c[0] in _TOKENS else c[0], svg)
    svg, n_rules = _RULES.subn("", svg)
    if n_rules:
        svg = svg.replace("<svg ", _INHERITED, 1)
    svg = _FONT.sub(r"font-style: \1; font-weight: \2; font-size: \3; font-family: \4", svg)
    return Markup(_STYLE.sub(_attributes, svg))  # noqa: S704


def _attributes(result: re.Match[str]) -> str:
    return " ".join(
        f'{name}="{value}"' for name, value in _PAIR.findall(result[1])
        if value.strip() and (name, value[-10:]) != ("font-family", "sans-serif")
    )  # fmt: skip


@cache
def template(name: str, room: str = "rendering") -> Template:
    """A strict template of a room, which escapes."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup, escape

    environment = Environment(
        loader=PackageLoader("betaroc", room), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {"drawn": _drawn, "icon": status_icon, "typeset": typeset}
    # The line of a name may end after an underscore rather than within a word.
    environment.filters["breakable"] = lambda name: escape(name).replace("_", "_" + Markup("<wbr>"))
    return environment.get_template(name)


def page_frame(title: str, body: str, foot: str, *, script: bool = True) -> str:
    """A whole page of a title, a body and a foot."""
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
    return f"sha256-{b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"


# ------------------------------------------------------------------------ a page of results
#: Rows that are seen at once.
_SEEN = 12


def verdict_nodes(head: Sequence[Cell | Name | str], rows: Sequence[Row | Group]) -> Sequence[Node]:
    """The first verdicts, and the others folded."""
    words = tuple(range(len(head)))
    first, others = (Grid(tuple(head), tuple(part), words) for part in (rows[:_SEEN], rows[_SEEN:]))
    folded = Section(f"{len(others.rows)} more", (others,), folded=True)
    return [first] * bool(first.rows) + [folded] * bool(others.rows)


def page_of(
    title: str, kind: str, about: Sequence[str], question: str, top: Sequence[Node],
    sections: Sequence[Section], foot: str, *, script: bool = False,
) -> str:  # fmt: skip
    """The whole page: question, answer, sections."""
    words = {"kind": kind, "about": about, "question": question, "sections": sections}
    answer, body = html_of([Section("", tuple(top))]), html_of(sections)
    whole = template("result.html.j2").render(page=words, top=answer, body=body)
    return page_frame(title, whole, html.escape(foot), script=script)
