"""A picture as a file of its own, there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from betaroc.core.errors import InputError, OutputError
from betaroc.core.text import shown
from betaroc.rendering.files import checked_target, write_whole
from betaroc.rendering.private_style import private_style
from betaroc.rendering.svg import draw_svg

__all__ = ["picture_format", "save_picture"]

_PROLOGUE = '<?xml version="1.0" encoding="utf-8"?>\n'


def picture_format(path: str | os.PathLike[str]) -> str:
    """The kind of picture that the name of a file asks for, "svg" or "png"."""
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in ("svg", "png"):
        raise InputError(
            f"a picture must be a file that ends in .svg or .png; got {shown(str(path))}."
            " Name it so."
        )
    return kind


def save_picture(draw: Callable[[], Any], path: str | os.PathLike[str]) -> None:
    """Write the figure of the axes that ``draw`` returns; the same data give the same bytes."""
    if picture_format(path) == "svg":
        svg = draw_svg(draw, "betaroc").replace(
            "<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1
        )
        write_whole(path, f"{_PROLOGUE}{svg}\n")
    else:
        _save_png(draw, checked_target(path))


def _save_png(draw: Callable[[], Any], target: Path) -> None:
    beside = target.parent / f".betaroc-{secrets.token_hex(8)}.tmp"
    try:
        with private_style({}):
            draw().figure.savefig(beside, format="png", dpi=160, metadata={"Software": None})
        os.replace(beside, target)
    except OSError as error:
        raise OutputError(
            f"the output must be writable; {shown(str(target))}: {error.strerror or error}. What"
            " was there before is untouched. Name a file in a folder that exists and has room."
        ) from error
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()
