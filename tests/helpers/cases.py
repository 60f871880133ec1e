"""Many cases in one test: hundreds of names cost more than what is tested."""

import inspect
from contextlib import contextmanager
from functools import wraps

import pytest


@contextmanager
def case(name):
    """What fails within says for which case."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"case: {name}")
        raise


def some(rows, every):
    """All of these rows, one of so many in the inner loop."""
    return [pytest.param(*(row if isinstance(row, tuple) else (row,)), marks=()
        if k % every == 0 else pytest.mark.simulation) for k, row in enumerate(rows)]  # fmt: skip


def over(argument, table):
    """A test for each entry of a table, in one."""

    def decorate(test):
        @wraps(test)
        def every(**others):
            _each(test, argument, table, others)

        return _asks_for(every, test, argument)

    return decorate


def grouped(argument, groups):
    """A test for each entry of some tables, in one a table: "some" in the inner loop."""
    marks = {"some": (), "nightly": pytest.mark.nightly}
    names = [pytest.param(name, marks=marks.get(name, pytest.mark.simulation)) for name in groups]

    def decorate(test):
        @wraps(test)
        def every(group, **others):
            _each(test, argument, groups[group], others)

        return pytest.mark.parametrize("group", names)(_asks_for(every, test, argument, "group"))

    return decorate


def one_of(rows, every):
    """Groups of rows by their numbers: one of so many is "some"."""
    groups = {"some": {}, "others": {}}
    for k, row in enumerate(rows):
        groups["others" if k % every else "some"][str(k)] = row
    return groups


def _each(test, argument, table, others):
    for name, value in table.items():
        with case(name):
            test(**{argument: value}, **others)


def _asks_for(every, test, argument, *more):
    """What pytest gives: all that the test asks for but the argument, and more."""
    signature = inspect.signature(test)
    rest = [p for name, p in signature.parameters.items() if name != argument]
    rest += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in more]
    every.__signature__ = signature.replace(parameters=rest)
    return every
