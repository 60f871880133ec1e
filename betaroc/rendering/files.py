"""Files that are there whole or not at all, and pictures under private settings.

All threads share ``matplotlib.rcParams``: during a drawing its lookups first ask a context
variable of the drawing's thread.
"""

from __future__ import annotations

import io
import os
import re
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputTypeError, OutputError, refusal
from betaroc.core.text import format_value, typed


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write bytes, or text as UTF-8, whole or not at all."""
    target = checked_target(path)
    beside = target.parent / f".betaroc-{secrets.token_hex(8)}.tmp"
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(beside, target.stat().st_mode & 0o777)
        os.replace(beside, target)
    except OSError as error:
        value = f"{format_value(str(path))}: {error.strerror or error}"
        remedy = "What was there before is untouched. Name a file in a folder that has room."
        raise refusal("the output", "be writable", value, remedy, OutputError) from error
    finally:
        with suppress(OSError):
            beside.unlink()


def append_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text behind what the file holds, whole or not at all."""
    target = checked_target(path)
    write_whole(target, (target.read_bytes() if target.exists() else b"") + text.encode("utf-8"))


def page_target(path: str | os.PathLike[str]) -> Path:
    """As :func:`checked_target`, of an HTML page."""
    target = checked_target(path)
    if target.suffix.lower() not in ("", ".html", ".htm"):
        rule = "end in .html or .htm: the page is HTML"
        raise refusal("path", rule, format_value(str(path)), "Name it so.")
    return target


def checked_target(path: str | os.PathLike[str]) -> Path:
    """The file of a path, if it can be written."""
    if not isinstance(path, str | os.PathLike):
        remedy = "Pass text or a pathlib.Path."
        raise refusal("path", "be the path of a file", typed(path), remedy, InputTypeError)
    value, remedy = format_value(str(path)), "Name another file."
    try:
        target = Path(os.fsdecode(os.fspath(path))).resolve()
        is_new, regular, folder = not target.exists(), target.is_file(), target.parent
    except (OSError, RuntimeError, ValueError) as error:  # loops of links, NUL, endless names
        value += f": {getattr(error, 'strerror', None) or error}"
        rule = "be a path of this system"
        raise refusal("the output", rule, value, remedy, OutputError) from error
    for holds, rule in (
        (folder.is_dir(), "be in a folder that exists"),
        (os.access(folder, os.W_OK | os.X_OK), "be in a folder that is not write-protected"),
        (is_new or regular, "be a regular file or a new one"),
        (is_new or os.access(target, os.W_OK), "be a file that is not write-protected"),
    ):
        if not holds:
            raise refusal("the output", rule, value, remedy, OutputError)
    return target


_PROLOGUE = '<?xml version="1.0" encoding="utf-8"?>\n'
_PAGE_STYLE: dict[str, Any] = {
    "svg.fonttype": "none", "font.family": ["sans-serif"], "font.size": 10.0,
    "axes.edgecolor": "#555555", "axes.labelcolor": "#222222",
    "xtick.color": "#444444", "ytick.color": "#444444", "path.simplify": True,
}  # fmt: skip
_WITHOUT = dict.fromkeys(("Date", "Creator", "Format", "Type"))

_own: ContextVar[Mapping[str, Any] | None] = ContextVar("betaroc style", default=None)
_lock = threading.Lock()
#: Drawings under way.
_drawings: set[object] = set()


# ------------------------------------------------------------------------------ files
def picture_format(path: str | os.PathLike[str]) -> str:
    """The kind of a picture: "svg", "png" or "pdf"."""
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in ("svg", "png", "pdf"):
        rule = "be a file that ends in .svg, .png or .pdf"
        raise refusal("a picture", rule, format_value(str(path)), "Name it so.")
    return kind


def save_picture(draw: Callable[[], Any], path: str | os.PathLike[str]) -> None:
    """Write the figure of the axes that ``draw`` returns, reproducibly."""
    kind = picture_format(path)
    if kind == "svg":
        svg = draw_svg(draw, "betaroc").replace(
            "<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1
        )
        write_whole(path, f"{_PROLOGUE}{svg}\n")
    else:
        target, image = checked_target(path), io.BytesIO()
        with private_style({}):
            # Neither says by what or when it was written.
            unsaid = {"Software"} if kind == "png" else {"Creator", "Producer", "CreationDate"}
            draw().figure.savefig(image, format=kind, dpi=160, metadata=dict.fromkeys(unsaid))
        write_whole(target, image.getvalue())


def draw_svg(draw: Callable[[], Any], salt: str, *, sized: bool = False) -> str:
    """The ``<svg>`` of the axes that ``draw`` returns, ``sized`` or not."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    with private_style({**_PAGE_STYLE, "svg.hashsalt": salt}):
        # Not savefig, which draws all for nothing before it draws to lay out what was drawn.
        text = io.StringIO()
        canvas: Any = FigureCanvasSVG(draw().figure)
        canvas.print_svg(text, metadata=_WITHOUT)
    body = text.getvalue()
    view = body.split('viewBox="', 1)[1].split('"', 1)[0]
    inner = body[body.index("<defs>") : body.rindex("</svg>")]
    # Ids of groups are never referred to and would stand twice on the page.
    inner = re.sub(r'<g id="[^"]*"', "<g", inner)
    # A name with quotation marks is no attribute.
    inner = re.sub(r">[^<]+<", lambda text: text[0].replace('"', "&quot;"), inner)
    width = f' width="{float(view.split()[2]):.0f}"' if sized else ""
    return (
        f'<svg xmlns:xlink="http://www.w3.org/1999/xlink"{width} viewBox="{view}" role="img">'
        f"{inner.rstrip()}</svg>"
    )


#: The key of a point that a slider moves, its places, that at first, and whether it is hollow.
Moving = tuple[str, FloatArray, FloatArray, int, bool]


def draw_moving_svg(
    draw: Callable[[], Any], salt: str, marks: Sequence[Moving]
) -> tuple[str, tuple[tuple[str, tuple[float, ...]], ...]]:
    """As :func:`draw_svg` with marks, and their places in per cent."""
    axes: list[Any] = []

    def kept() -> Any:
        axes.append(draw())
        return axes[0]

    svg = draw_svg(kept, salt)
    if not marks:
        return svg, ()
    ax, drawn, places = axes[0], "", list[tuple[str, tuple[float, ...]]]()
    for key, x, y, home, hollow in marks:
        points = np.stack([np.clip(x, *ax.get_xlim()), np.clip(y, *ax.get_ylim())], axis=1)
        shares = ax.transAxes.inverted().transform(ax.transData.transform(points))
        left, up = 100.0 * np.clip(shares.T, 0.0, 1.0)
        across, down = left.round(2).tolist(), (100.0 - up).round(2).tolist()
        places += [(f"{key}x", tuple(across)), (f"{key}y", tuple(down))]
        drawn += (
            f'<circle class="mvd{" d" * hollow}" r="4" cx="{across[home]}%" cy="{down[home]}%"'
            f' data-place="cx:{key}x cy:{key}y"/>'
        )
    (wide, high), box = 72.0 * ax.figure.get_size_inches(), ax.get_position()
    inner = (
        f'<svg class="mv" x="{box.x0 * wide:.2f}" y="{(1.0 - box.y1) * high:.2f}"'
        f' width="{box.width * wide:.2f}" height="{box.height * high:.2f}">{drawn}</svg>'
    )
    return f"{svg.removesuffix('</svg>')}{inner}</svg>", tuple(places)


# --------------------------------------------------------------------------- settings
def is_private() -> bool:
    """Whether this thread draws for a file."""
    return _own.get() is not None


@contextmanager
def private_style(settings: Mapping[str, Any]) -> Iterator[None]:
    """Matplotlib's defaults with these settings, in this thread."""
    import matplotlib as mpl

    defaults: Any = mpl.rcParamsDefault
    drawing, before = object(), _own.set({**dict(dict.items(defaults)), **settings})
    # Lookups ask the context from the first drawing that begins to the last that ends. The class
    # alone changes: what the mapping holds stays as it is for all who look.
    with _lock:
        _drawings.add(drawing)
        mpl.rcParams.__class__ = _asking()
    try:
        yield
    finally:
        with _lock:
            _drawings.remove(drawing)
            mpl.rcParams.__class__ = _asking() if _drawings else mpl.RcParams
        _own.reset(before)


@cache
def _asking() -> type[Any]:
    from matplotlib import RcParams

    class Asking(RcParams):
        """The settings of the drawing of this thread."""

        def __getitem__(self, key: Any) -> Any:
            own = _own.get()
            if own is None or key not in own:
                # Not super(): the class may have changed back meanwhile.
                return RcParams.__getitem__(self, key)
            return own[key]

    return Asking
