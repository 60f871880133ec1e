"""A figure as reproducible SVG that can stand inside a page."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

from betaroc.rendering.private_style import private_style

__all__ = ["draw_svg"]

_PAGE_STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "font.family": ["sans-serif"],
    "font.size": 9.0,
    "axes.edgecolor": "#555555",
    "axes.labelcolor": "#222222",
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "path.simplify": True,
}
_WITHOUT = dict.fromkeys(("Date", "Creator", "Format", "Type"))


def draw_svg(draw: Callable[[], Any], salt: str) -> str:
    """The ``<svg>`` element of the axes that ``draw`` returns.

    Matplotlib's own defaults are used whatever the user's settings are, ids
    depend on ``salt`` and the content alone, and no date is written, so the
    same data give the same bytes.
    """
    with private_style({**_PAGE_STYLE, "svg.hashsalt": salt}):
        figure = draw().figure
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata=_WITHOUT)
    body = text.getvalue()
    box = re.search(r'viewBox="([^"]+)"', body)
    inner = body[body.index("<defs>") : body.rindex("</svg>")]
    # Ids of groups are never referred to and would stand twice on the page.
    inner = re.sub(r'<g id="[^"]*"', "<g", inner)
    view = "" if box is None else box.group(1)
    return (
        f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="{view}" role="img">'
        f"{inner.rstrip()}</svg>"
    )
