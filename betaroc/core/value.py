"""What all values share: equality by content, arrays too, and a repr to paste back."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from inspect import isfunction
from typing import Any

import numpy as np

from betaroc.core.notices import Notice, constructor, edge

#: Arrays with more entries are shown by their ends, not to be pasted back.
_PASTE_LIMIT = 500
#: Of larger arrays the first entries are compared first.
_FIRST_LOOK = 64


def _same(first: Any, second: Any) -> bool:
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        one, two = np.asarray(first), np.asarray(second)
        if one.shape != two.shape or (one.dtype.kind == "f") != (two.dtype.kind == "f"):
            return False
        nan = one.dtype.kind == "f"
        if one.size > _FIRST_LOOK and not np.array_equal(one.flat[:8], two.flat[:8], equal_nan=nan):
            return False
        return bool(np.array_equal(one, two, equal_nan=nan))
    if type(first) is tuple and type(second) is tuple:
        return len(first) == len(second) and all(map(_same, first, second))
    if isinstance(first, float) and isinstance(second, float):
        return first == second or (first != first and second != second)
    return type(first) is type(second) and bool(first == second)


def _paste(value: Any) -> str:
    if isinstance(value, np.ndarray):
        if value.size > _PASTE_LIMIT:
            first, last = (value.flat[k].item() for k in (0, -1))
            return f"<{value.size} values, {first!r} to {last!r}>"
        return repr(value.tolist())
    if isinstance(value, np.generic):
        return repr(value.item())
    if type(value) is tuple:
        return f"({', '.join(map(_paste, value))}{',' * (len(value) == 1)})"
    return repr(value)


def _hashed(value: Any) -> Any:
    """What hashes alike where values are equal: nan is nan, -0.0 is 0.0."""
    if isinstance(value, np.ndarray):
        return (value + 0.0).tobytes() if value.dtype.kind == "f" else value.tobytes()
    if type(value) is tuple:
        return tuple(map(_hashed, value))
    if isinstance(value, float) and value != value:
        return "nan"
    return value


#: Special methods that compute.
_SPECIAL = frozenset({"__add__", "__call__", "__getitem__", "__iter__"})


def _at_edge(member: Any) -> Any:
    """A member of a class as one that may be called from outside; None where it is no method."""
    if isfunction(member):
        return edge(member)
    if isinstance(member, classmethod | staticmethod):
        return type(member)(edge(member.__func__))
    if isinstance(member, property) and member.fget is not None:
        return property(edge(member.fget), doc=member.__doc__)
    if isinstance(member, cached_property):
        member.func = edge(member.func)
    return None


class Value:
    """Base of the frozen dataclasses: compares by content, nan equal to nan.

    Only fields with ``compare=True`` take part; only those with ``repr=True``
    and a value other than their default are shown.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """Public methods have numpy's own error state and give their notices once."""
        super().__init_subclass__(**options)
        for name, member in list(vars(cls).items()):
            if name in ("__init__", "__post_init__"):
                setattr(cls, name, constructor(member))
            elif not name.startswith("_") or name in _SPECIAL:
                changed = _at_edge(member)
                if changed is not None:
                    setattr(cls, name, changed)

    def __getstate__(self) -> dict[str, Any]:
        """What pickles and copies hold: not what is cached, which is made again."""
        kind = type(self)
        return {
            name: value
            for name, value in vars(self).items()
            if not isinstance(getattr(kind, name, None), cached_property)
        }

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(
            _same(getattr(self, f.name), getattr(other, f.name))
            for f in fields(self)  # type: ignore[arg-type]
            if f.compare
        )

    def __hash__(self) -> int:
        content = []
        for f in fields(self):  # type: ignore[arg-type]
            value = getattr(self, f.name)
            if f.compare:
                content.append(_hashed(value))
        return hash((type(self), *content))

    def __repr__(self) -> str:
        shown = []
        for f in fields(self):  # type: ignore[arg-type]
            value = getattr(self, f.name)
            if f.repr and not _same(value, f.default):
                shown.append(f"{f.name}={_paste(value)}")
        return f"{type(self).__name__}({', '.join(shown)})"


@dataclass(frozen=True, eq=False, repr=False)
class Result(Value):
    """A value that keeps what was to be said when it was made, in ``notices``."""

    notices: tuple[Notice, ...] = field(default=(), init=False, compare=False, repr=False)
