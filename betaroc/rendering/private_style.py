"""Matplotlib's settings for one drawing, which nobody else sees.

``matplotlib.rcParams`` is one mapping for the whole process, read while artists are
made and again while they are drawn: to change it, even for a moment, changes the
pictures of other threads. Here it is left as it is. While a drawing is under way,
its lookups ask a context variable first, which is set in the drawing's thread alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

__all__ = ["private_style"]

_own: ContextVar[Mapping[str, Any] | None] = ContextVar("betaroc style", default=None)
_lock = threading.Lock()
#: Drawings under way.
_drawings: set[object] = set()


@contextmanager
def private_style(settings: Mapping[str, Any]) -> Iterator[None]:
    """Matplotlib's defaults with these settings, whatever the user's are, in this thread."""
    import matplotlib as mpl

    defaults: Any = mpl.rcParamsDefault
    drawing, before = object(), _own.set({**dict(dict.items(defaults)), **settings})
    _ask(_drawings.add, drawing)
    try:
        yield
    finally:
        _ask(_drawings.remove, drawing)
        _own.reset(before)


def _ask(change: Callable[[object], None], drawing: object) -> None:
    """Lookups ask the context from the first drawing that begins to the last that ends."""
    import matplotlib as mpl

    with _lock:
        change(drawing)
        # The class alone changes: what the mapping holds stays as it is for all who look.
        mpl.rcParams.__class__ = _asking() if _drawings else mpl.RcParams


@cache
def _asking() -> type[Any]:
    from matplotlib import RcParams

    class Asking(RcParams):
        """The settings of the drawing of this thread, else everybody's."""

        def __getitem__(self, key: Any) -> Any:
            own = _own.get()
            if own is None or key not in own:
                # Not super(): the class may have changed back meanwhile.
                return RcParams.__getitem__(self, key)
            return own[key]

    return Asking
