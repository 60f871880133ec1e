"""Generated calls of everything public: a few hundred here, 20 000 at night."""

from __future__ import annotations

import inspect

import pytest

import betaroc as br
from helpers import wild_calls
from helpers.public import PUBLIC


def broken(seed: int, first: int, last: int) -> list[wild_calls.Outcome]:
    found = (wild_calls.one_call(seed, k) for k in range(first, last))
    return [one for one in found if one.kind not in wild_calls.IN_ORDER]


def test_every_public_name_is_called_or_listed_with_a_reason() -> None:
    called = {target.name.partition(".")[0] for target in wild_calls.targets()}
    for name in PUBLIC:
        value = getattr(br, name)
        if inspect.isclass(value) and issubclass(value, Exception):
            continue
        assert (name in called) != (name in wild_calls.NOT_CALLED), name


def test_every_argument_has_values_of_its_own() -> None:
    assert wild_calls.arguments_without_values() == []


def test_what_is_looked_for_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(br, "statistics", lambda: 1 / 0)
    found = wild_calls.one_call(0, 0, only="statistics")
    assert (found.kind, found.what) == ("broken", "ZeroDivisionError: division by zero")


@pytest.mark.simulation
def test_generated_calls() -> None:
    assert broken(0, 0, 150) == []


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(20))
def test_twenty_thousand_generated_calls(part: int) -> None:
    assert broken(2026, 1000 * part, 1000 * (part + 1)) == []
