"""Signals, streams, memory and progress of a process.

Before a command works the process ends at once; while it works a first signal is an exception.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import FrameType
from typing import NoReturn, TextIO

from betaroc.core.errors import StudyError, refusal

#: Each with what Python does of itself.
_SIGNALS = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
#: Seconds between two looks.
_PAUSE = 0.5
#: Whether what is under way must be put in order, which a first signal begins.
_working = False


class _InterruptedError(KeyboardInterrupt):
    """Ctrl-C; of the class itself Python would end by the signal."""


def listen() -> None:
    """Handle the signals that the caller left as they are."""
    if threading.current_thread() is threading.main_thread():
        for number, usual in _SIGNALS.items():
            if signal.getsignal(number) is usual:
                signal.signal(number, _stop)


def hold_streams() -> None:
    """Keep descriptors of closed standard streams from files."""
    descriptor = os.open(os.devnull, os.O_RDWR)
    while descriptor <= 2:
        descriptor = os.open(os.devnull, os.O_RDWR)
    os.close(descriptor)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - to the end


def set_working(working: bool) -> None:
    """Whether a first signal is an exception from here on."""
    global _working  # noqa: PLW0603 - signals are the process's
    _working = working


def leave_if_stopped(code: object) -> None:
    """End here where a signal stopped the process."""
    for number in _SIGNALS:
        if signal.getsignal(number) is _stop:
            signal.signal(number, signal.SIG_IGN)
    if code in [128 + number for number in _SIGNALS]:
        with suppress(Exception):
            atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError, ValueError):
                stream.flush()
        os._exit(int(str(code)))


def _stop(number: int, _: FrameType | None) -> NoReturn:
    if _working:
        set_working(False)
        raise _InterruptedError if number == signal.SIGINT else SystemExit(128 + number)
    if number == signal.SIGINT:
        with suppress(OSError):
            os.write(2, b"betaroc: interrupted\n")
    os._exit(128 + number)


@cache
def end_with(parent: int) -> None:
    """End this process once its parent has ended."""
    if os.name != "posix" or os.getppid() != parent:
        return
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PAUSE)
    os._exit(1)


class _TimeoutError(BaseException):
    """Not to be caught by what tries again after any Exception."""


def check_time_limit() -> None:
    """Refuse a limit where no signal ends what runs."""
    main = threading.current_thread() is threading.main_thread()
    if not (main and hasattr(signal, "setitimer")):
        actual = "a thread" if hasattr(signal, "setitimer") else sys.platform
        rule = "be left out where no signal can stop a generator"
        raise refusal("timeout", rule, actual, "Take processes, on Linux or macOS.")


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise an error in what runs longer, and each second again until it ends."""
    if seconds is None:
        yield
        return

    def stop(*_: object) -> NoReturn:
        raise _TimeoutError

    usual = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    except _TimeoutError:
        text = f"a generator must return within {seconds:g} s, its timeout"
        raise StudyError(text) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, usual)


def shows_progress() -> bool:
    """Whether somebody sees a bar."""
    return _is_able(sys.stderr)


def shows_colours() -> bool:
    """Whether the terminal has colours and nobody asked for none."""
    return "NO_COLOR" not in os.environ and _is_able(sys.stdout)


def _is_able(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def free_memory() -> float:
    """Bytes that this process can take at most; inf if unknown."""
    free = [float("inf")]
    with suppress(OSError, ValueError, KeyError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        known = {name: int(rest.split()[0]) for name, rest in (line.split(":") for line in lines)}
        free.append(1024.0 * (known["MemAvailable"] + known["SwapFree"]))
    with suppress(OSError, ValueError):  # "max" where there is no limit
        free.append(float(int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii"))))
    with suppress(ImportError, OSError, ValueError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
            free.append(float(limit - pages * resource.getpagesize()))
    return max(min(free), 0.0)
