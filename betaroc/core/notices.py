"""Notices: kept in a context variable, warned once at the edge of a call."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import NamedTuple, ParamSpec, TypeVar

import numpy as np

from betaroc.core import errors, vocabulary

_P = ParamSpec("_P")
_R = TypeVar("_R")
#: Two names of one argument.
_LEVEL = ("level", "confidence")
#: What makes a value, which keeps its notices itself.
_MAKERS = ("__init__", "__post_init__")
#: Files whose lines are not the user's: the package's, and what runs its context managers.
_OURS = (str(Path(__file__).parents[1]) + os.sep, contextlib.__file__)


class Notice(NamedTuple):
    """A warning as a value.

    Attributes
    ----------
    category : type
        The class of the warning.
    message : str
        Its text.
    """

    category: type[errors.BetarocWarning]
    message: str


_open: ContextVar[list[Notice] | None] = ContextVar("betaroc notices", default=None)


def warn(message: str, category: type[errors.BetarocWarning]) -> None:
    """Say it once to the call under way, else to the user."""
    notice, notices = Notice(category, vocabulary.Sentence(message)), _open.get()
    if notices is None:
        # Warn at the line of the caller outside this package.
        level, frame = 1, sys._getframe()
        while frame.f_back is not None and frame.f_code.co_filename.startswith(_OURS):
            frame, level = frame.f_back, level + 1
        warnings.warn(notice.message, notice.category, stacklevel=level)
    elif notice not in notices:
        notices.append(notice)


@contextmanager
def collected() -> Iterator[list[Notice]]:
    """The notices of the block, which go no further."""
    notices: list[Notice] = []
    before = _open.set(notices)
    try:
        with np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"):
            yield notices
    finally:
        _open.reset(before)


@contextmanager
def forward_warnings(
    prefix: str = "", *, but: tuple[type[errors.BetarocWarning], ...] = ()
) -> Iterator[list[Notice]]:
    """The notices of the block, which go on."""
    notices: list[Notice] = []
    try:
        with collected() as notices:
            yield notices
    finally:
        for notice in notices:
            if not issubclass(notice.category, but):
                warn(prefix + vocabulary.template_of(notice.message), notice.category)


#: Without notices: of a trial fit that is for no use of its own.
suppress_warnings = collected


def collect_warnings(function: Callable[_P, _R], *, method: bool = False) -> Callable[_P, _R]:
    """Collect the notices of a call for its result, and warn at the user's line."""
    # ``level`` and ``confidence`` are one argument.
    code = function.__code__
    taken = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    own, other = _LEVEL if "level" in taken else _LEVEL[::-1]
    other = other if own in taken else ""
    makes = function.__name__ in _MAKERS

    @wraps(function)
    def inner(*args: _P.args, **options: _P.kwargs) -> _R:
        if other in options:
            if own in options:
                raise errors.InputTypeError.about(other)(
                    f"{other} must not stand beside {own}, the same argument. Leave one out."
                )
            options[own] = options.pop(other)
        if method and _open.get() is not None:
            return function(*args, **options)
        with forward_warnings() as notices:
            result = function(*args, **options)
        if notices:
            keep(args[0] if makes else result, notices)
        return result

    return inner


def keep(result: object, notices: Iterable[Notice]) -> None:
    """The result keeps these notices, if it has a place and none yet."""
    if notices and getattr(result, "notices", None) == ():
        object.__setattr__(result, "notices", tuple(notices))
