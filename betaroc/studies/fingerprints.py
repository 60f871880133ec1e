"""What tells functions apart: their code and what they carry along."""

from __future__ import annotations

import dataclasses
import dis
import functools
import hashlib
from collections.abc import Mapping
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

_PLAIN = (type(None), type(...), bool, int, float, complex, str, bytes)
_CONSTANT = (*_PLAIN, np.generic)


def fingerprint(function: Any) -> str:
    """The name of a function and a digest, the same in every process of one version of Python.

    The digest is of its code, its defaults, the variables that it closes over, what a partial
    binds, and the attributes of an object that is called. Of the global names that it reads count
    constants (numbers, text, booleans, None, tuples of them) and, by their own digests, functions
    of the same module; other objects and functions of other modules are not looked into, nor is a
    name that it assigns itself.
    """
    named = function.func if isinstance(function, functools.partial) else function
    name = getattr(named, "__qualname__", type(named).__qualname__)
    content = repr(_Reader().everything(function)).encode("utf-8", "backslashreplace")
    return f"function {name} {_digest(content)[:16]}"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class _Reader:
    """Contents of a function and of those of its module that it leads to, each read once."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, FunctionType]] = []

    def everything(self, function: Any) -> list[Any]:
        """The function first, then the others by name: the order of finding them may change."""
        first = self._content(function, ())
        others: list[Any] = []
        seen: set[tuple[str, int]] = set()
        while self._waiting:
            name, one = self._waiting.pop()
            if (name, id(one)) not in seen:
                seen.add((name, id(one)))
                others.append((name, self._content(one, ())))
        return [first, *sorted(others, key=repr)]

    def _content(self, value: Any, above: tuple[int, ...]) -> tuple[Any, ...]:
        """A value as nested tuples of text, without addresses and orders that change."""
        kind = type(value).__qualname__
        if isinstance(value, _PLAIN):
            return kind, repr(value)
        if isinstance(value, type | ModuleType | BuiltinFunctionType | np.ufunc):
            return kind, str(getattr(value, "__module__", "")), str(value.__name__)
        if id(value) in above:
            return kind, "itself"
        # Held while they are read: the identity of what is gone may be another's.
        found = [*_parts(value), *self._constants(value)]
        parts = [self._content(part, (*above, id(value))) for part in found]
        unordered = isinstance(value, set | frozenset)
        return kind, *(sorted(parts, key=repr) if unordered else parts)

    def _constants(self, value: Any) -> list[Any]:
        """Global names that a function reads, with their values; its neighbours are to wait."""
        if not isinstance(value, FunctionType):
            return []
        held: list[Any] = []
        for name in _globals_of(value.__code__):
            one = value.__globals__.get(name, ...)
            if one is not ... and _is_constant(one):
                held += [name, one]
            elif isinstance(one, FunctionType) and one.__globals__ is value.__globals__:
                self._waiting.append((name, one))
        return held


def _globals_of(code: CodeType) -> list[str]:
    """Names that code, and what is defined in it, reads of its module and does not assign."""
    read, assigned, left = set[str](), set[str](), [code]
    while left:
        here = left.pop()
        left += [one for one in here.co_consts if isinstance(one, CodeType)]
        for step in dis.get_instructions(here):
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                read.add(str(step.argval))
            elif step.opname == "STORE_GLOBAL":
                assigned.add(str(step.argval))
    return sorted(read - assigned)


def _is_constant(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    return isinstance(value, _CONSTANT)


def _parts(value: Any) -> list[Any]:
    """What a value is made of; of an object its attributes."""
    if isinstance(value, FunctionType):
        cells = [_of_cell(cell) for cell in value.__closure__ or ()]
        return [value.__code__, value.__defaults__, value.__kwdefaults__, *cells]
    if isinstance(value, CodeType):
        return [value.co_code, value.co_names, value.co_varnames, *value.co_consts]
    if isinstance(value, functools.partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, MethodType):
        return [value.__func__, value.__self__]
    if isinstance(value, np.ndarray | np.generic):
        whole = np.asarray(value)
        held = whole.tolist() if whole.dtype.hasobject else _digest(whole.tobytes())
        return [whole.dtype.str, whole.shape, held]
    if isinstance(value, Mapping):
        return [part for item in value.items() for part in item]
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    called = [vars(kind).get("__call__") for kind in type(value).__mro__]
    return [*(c for c in called if isinstance(c, FunctionType)), *_attributes(value)]


def _attributes(value: Any) -> list[Any]:
    """Names and values of the attributes of an object, without what it has cached."""
    if dataclasses.is_dataclass(value):
        held = {one.name: getattr(value, one.name, None) for one in dataclasses.fields(value)}
    else:
        held = {
            name: part for name, part in getattr(value, "__dict__", {}).items()
            if not isinstance(getattr(type(value), name, None), functools.cached_property)
        }  # fmt: skip
    return [part for item in held.items() for part in item]


def _of_cell(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # a name that is not bound yet
        return None
