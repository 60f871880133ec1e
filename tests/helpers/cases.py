"""Many cases in one test: hundreds of names cost more than what is tested."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any

import pytest


@contextmanager
def case(name: object) -> Iterator[None]:
    """What fails within says for which case."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"case: {name}")
        raise


def some(rows: Iterable[Any], every: int) -> list[Any]:
    """All of these rows, one of so many in the inner loop."""
    return [
        pytest.param(
            *(row if isinstance(row, tuple) else (row,)),
            marks=() if k % every == 0 else pytest.mark.simulation,
        )
        for k, row in enumerate(rows)
    ]


def over(argument: str, table: Mapping[Any, Any]) -> Callable[[Callable[..., None]], Any]:
    """A test for each entry of a table, in one."""

    def decorate(test: Callable[..., None]) -> Any:
        @wraps(test)
        def every(**others: Any) -> None:
            _each(test, argument, table, others)

        return _asks_for(every, test, argument)

    return decorate


def grouped(
    argument: str, groups: Mapping[str, Mapping[str, Any]]
) -> Callable[[Callable[..., None]], Any]:
    """A test for each entry of some tables, in one a table: "some" in the inner loop."""
    marks = {"some": (), "nightly": pytest.mark.nightly}
    names = [pytest.param(name, marks=marks.get(name, pytest.mark.simulation)) for name in groups]

    def decorate(test: Callable[..., None]) -> Any:
        @wraps(test)
        def every(group: str, **others: Any) -> None:
            _each(test, argument, groups[group], others)

        return pytest.mark.parametrize("group", names)(_asks_for(every, test, argument, "group"))

    return decorate


def one_of(rows: Iterable[Any], every: int) -> dict[str, dict[str, Any]]:
    """Groups of rows by their numbers: one of so many is "some"."""
    groups: dict[str, dict[str, Any]] = {"some": {}, "others": {}}
    for k, row in enumerate(rows):
        groups["others" if k % every else "some"][str(k)] = row
    return groups


def _each(
    test: Callable[..., None], argument: str, table: Mapping[Any, Any], others: Mapping[str, Any]
) -> None:
    for name, value in table.items():
        with case(name):
            test(**{argument: value}, **others)


def _asks_for(every: Any, test: Callable[..., None], argument: str, *more: str) -> Any:
    """What pytest gives: all that the test asks for but the argument, and more."""
    signature = inspect.signature(test)
    rest = [p for name, p in signature.parameters.items() if name != argument]
    rest += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in more]
    every.__signature__ = signature.replace(parameters=rest)
    return every
