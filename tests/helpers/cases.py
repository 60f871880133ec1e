"""Many cases in one test: hundreds of names cost more than what is tested."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any


@contextmanager
def case(name: object) -> Iterator[None]:
    """What fails within says for which case."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"case: {name}")
        raise


def over(argument: str, table: Mapping[str, Any]) -> Callable[[Callable[..., None]], Any]:
    """A test for each entry of a table, in one."""

    def decorate(test: Callable[..., None]) -> Any:
        @wraps(test)
        def every(**others: Any) -> None:
            for name, value in table.items():
                with case(name):
                    test(**{argument: value}, **others)

        signature = inspect.signature(test)
        rest = [p for name, p in signature.parameters.items() if name != argument]
        every.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
        return every

    return decorate
