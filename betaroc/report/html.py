"""The report: one self-contained page that asks the network for nothing and runs no script."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from betaroc.rendering.files import checked_target, write_whole

if TYPE_CHECKING:
    from betaroc.report.analysis import Analysis

__all__ = ["render_report", "write_report"]


def render_report(analysis: Analysis) -> str:
    """The page as text; the same analysis gives the same text."""
    from pathlib import Path

    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from betaroc.report.page import page

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("page.html.j2").render(page(analysis))


def write_report(analysis: Analysis, path: str | os.PathLike[str]) -> None:
    """Write the page, whole or not at all; see :meth:`Analysis.to_html`."""
    checked_target(path)  # before the work of drawing
    write_whole(path, render_report(analysis))
