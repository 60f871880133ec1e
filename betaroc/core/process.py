"""How Ctrl-C and a termination end the process of a command: at any moment, without a traceback.

Before a command works nothing is at stake and the process ends at once. While it works an
exception goes the ordinary way, so that what is half done is put in order; a second signal does
not wait for that. What is finished is not taken back. Worker processes end with the one that
started them, however that one ends.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from functools import cache
from types import FrameType
from typing import NoReturn

__all__ = ["begin_work", "end_with", "end_work", "leave_if_stopped", "listen"]

#: Each with what Python does of itself.
_SIGNALS = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
#: Seconds between two looks.
_PAUSE = 0.5
#: Whether what is under way must be put in order, which a first signal begins.
_working = False


class _InterruptedError(KeyboardInterrupt):
    """Ctrl-C; Python would end by the signal, not by an exit code, after the class itself."""


def listen() -> None:
    """Handle the signals of this process, but for those that its caller ignores or handles."""
    if threading.current_thread() is threading.main_thread():
        for number, usual in _SIGNALS.items():
            if signal.getsignal(number) is usual:
                signal.signal(number, _stop)


def begin_work() -> None:
    """From here on a first signal is an exception."""
    global _working  # noqa: PLW0603 - signals are the process's
    _working = True


def end_work() -> None:
    """From here on a signal ends the process at once."""
    global _working  # noqa: PLW0603 - signals are the process's
    _working = False


def leave_if_stopped(code: object) -> None:
    """End here where a signal stopped the process, whose modules may be half loaded.

    Otherwise its work is done, and no signal disturbs how Python ends.
    """
    for number in _SIGNALS:
        if signal.getsignal(number) is _stop:
            signal.signal(number, signal.SIG_IGN)
    if code in [128 + number for number in _SIGNALS]:
        with suppress(Exception):
            atexit._run_exitfuncs()
        _exit(int(str(code)))


def _stop(number: int, _: FrameType | None) -> NoReturn:
    if _working:
        end_work()
        raise _InterruptedError if number == signal.SIGINT else SystemExit(128 + number)
    if number == signal.SIGINT:
        with suppress(OSError):
            os.write(2, b"betaroc: interrupted\n")
    os._exit(128 + number)


def _exit(code: int) -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
    os._exit(code)


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
