"""Worker processes end with the process that started them, however that one ends."""

from __future__ import annotations

import os
import signal
import threading
import time
from functools import cache

__all__ = ["end_with"]

#: Seconds between two looks.
_PAUSE = 0.5


@cache
def end_with(parent: int) -> None:
    """End this process once its parent has: a child that is orphaned has another one.

    Ctrl-C goes to all processes of a terminal; what becomes of a worker then, its parent says.
    A thread of the parent itself, and a worker of another machine, are left alone.
    """
    if os.name != "posix" or os.getppid() != parent:
        return
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PAUSE)
    os._exit(1)
