"""Nothing public is left out of the search on small sets, and a short one finds nothing broken."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import betaroc as br
from helpers.cases import some
from helpers.places import benchmark
from helpers.public import PUBLIC


@pytest.fixture(scope="module")
def search() -> Any:
    return benchmark("small_sets")


def test_every_public_name_is_called_or_listed_with_a_reason(search: Any) -> None:
    called = {*search.FUNCTIONS, *search.NOUNS}
    for name in PUBLIC:
        value = getattr(br, name)
        if inspect.isclass(value) and issubclass(value, Exception):
            continue
        assert (name in called) != (name in search.LEFT_OUT), name
    assert called | set(search.LEFT_OUT) <= set(PUBLIC)
    assert all(search.LEFT_OUT.values())


def test_every_public_method_is_called_or_listed_with_a_reason(search: Any) -> None:
    names = {call.name for call in search.calls()}
    for owner in search.NOUNS:
        for member in search.members(getattr(br, owner)):
            name = f"{owner}.{member}"
            assert (name in names) != (name in search.METHODS_LEFT_OUT), name
            how = search.METHODS.get(name, search.METHODS.get(member))
            static = inspect.getattr_static(getattr(br, owner), member)
            if name in names and how is None and inspect.isfunction(static):
                _, *rest = inspect.signature(static).parameters.values()
                needed = [
                    p.name for p in rest if p.default is p.empty and p.kind < p.VAR_POSITIONAL
                ]
                assert needed == [], name


@pytest.mark.simulation
@pytest.mark.parametrize("k", some(range(6), 6))
def test_random_calls_on_small_sets(search: Any, k: int) -> None:
    """Only errors and warnings of betaroc's own; benchmarks/small_sets.py makes 5000 calls."""
    broken = [one for one in search.search(50, 100 + k, strict=True) if one[1].what]
    assert broken == []


def test_a_broken_call_is_seen(search: Any) -> None:
    """The search finds what it looks for: an error and a warning that are not betaroc's own."""

    def warns(_: Any) -> None:
        import warnings

        warnings.warn("foreign", UserWarning, stacklevel=1)

    for run, kind in ((lambda c: 1 / 0, "error"), (warns, "warning")):
        found = search.one_call(0, 0, [search.Call("one", run, 1.0)], strict=True)
        assert (found.name, found.kind) == ("one", kind)
