"""The base of all values: equality by content, and a repr to paste back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from inspect import isfunction
from typing import Any, ClassVar, NoReturn, Self, get_type_hints

import numpy as np

from betaroc.core.notices import Notice, collect_warnings

#: A repr is one line of at most so many characters.
REPR_LIMIT = 199
#: What of a value is told in a summary, in characters.
_TOLD = 48
#: Arrays with more entries are longer.
_PASTE_LIMIT = 100
#: They compare by value: 1 is 1.0.
_NUMBERS = (int, float, np.number, np.bool_)


def is_same(first: Any, second: Any) -> bool:
    """Whether two parts are equal, entry by entry; nan is nan."""
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        one, two = np.asarray(first), np.asarray(second)
        of_floats = one.dtype.kind == "f"
        alike = one.shape == two.shape and of_floats == (two.dtype.kind == "f")
        return alike and bool(np.array_equal(one, two, equal_nan=of_floats))
    if isinstance(first, _NUMBERS) and isinstance(second, _NUMBERS):
        return bool(first == second or (first != first and second != second))
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(is_same(first[k], second[k]) for k in first)
    if type(first) is not type(second):
        return isinstance(first, str) and isinstance(second, str) and first == second
    if isinstance(first, tuple):
        return len(first) == len(second) and all(map(is_same, first, second))
    return bool(first == second)


class Named(dict[str, float]):
    """Numbers by their names, in order, which nobody writes to."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError(f"{type(self).__name__} is read-only. Change a copy: dict(x).")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[Named], tuple[dict[str, float]]]:
        return Named, (dict(self),)


#: Where the reprs of tuples, and of named ones that write none of their own, come from.
_OF_TUPLES = ("", "collections")


def fields_of(noun: object, *names: str) -> dict[str, Any]:
    """Some of the attributes of an object, by name."""
    return {name: getattr(noun, name) for name in names}


def constructor_repr(value: Any) -> str | None:
    """What makes the value again, if it fits on a line."""
    if isinstance(value, np.ndarray):
        return _short(repr(value.tolist())) if value.size <= _PASTE_LIMIT else None
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, Value) and type(value).__repr__ is Value.__repr__:
        return value._constructor_repr()
    if isinstance(value, tuple) and getattr(type(value).__repr__, "__module__", "") in _OF_TUPLES:
        parts = [constructor_repr(part) for part in value]
        if any(part is None for part in parts):
            return None
        if not hasattr(value, "_fields"):
            return _short(f"({', '.join(map(str, parts))}{',' * (len(value) == 1)})")
        held = ", ".join(f"{name}={part}" for name, part in zip(value._fields, parts, strict=True))
        return _short(f"{type(value).__name__}({held})")
    return _short(repr(value))


def _short(text: str) -> str | None:
    return None if len(text) > REPR_LIMIT or text[:1] == "<" or "\n" in text else text


def summarized(kind: str, parts: Mapping[str, Any]) -> str:
    """A line of what fits, numbers and texts first."""
    told = [f"{name}{_told(value)}" for name, value in parts.items() if value is not None]
    told.sort(key=lambda text: "=" not in text.partition(":")[0])
    line = f"<{kind} {', '.join(told)}>"
    while len(line) > REPR_LIMIT:
        told.pop()
        line = f"<{kind} {', '.join([*told, '...'])}>"
    return line


def _told(value: Any) -> str:
    if isinstance(value, float):
        return f"={value:.6g}"
    if isinstance(value, np.ndarray):
        return f": {value.size} values"
    if isinstance(value, Value):
        return f": {type(value).__name__}"
    text = constructor_repr(value)
    if text is not None and len(text) <= _TOLD:
        return f"={text}"
    if isinstance(value, str):
        return f"={value[: _TOLD - 5] + '...'!r}"
    return f": {len(value)}" if isinstance(value, tuple | Mapping) else f": {type(value).__name__}"


def _hashed(value: Any) -> Any:
    """What hashes alike where values are equal."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "fiub":
            return tuple(value.ravel().tolist())
        numbers = value.astype(np.float64) + 0.0
        return np.where(np.isnan(numbers), np.nan, numbers).tobytes()
    if isinstance(value, tuple):
        return tuple(map(_hashed, value))
    if isinstance(value, Mapping):
        return frozenset((key, _hashed(part)) for key, part in value.items())
    if isinstance(value, _NUMBERS) and value != value:
        return "nan"
    return value


#: Special methods that make or compute.
_SPECIAL = frozenset(
    {"__init__", "__post_init__", "__add__", "__call__", "__getitem__", "__iter__"}
)


def _from_outside(member: Any) -> Any:
    """A method as it is called from outside; else None."""
    if isfunction(member):
        return collect_warnings(member, method=True)
    if isinstance(member, classmethod | staticmethod):
        return type(member)(collect_warnings(member.__func__, method=True))
    if isinstance(member, property) and member.fget is not None:
        return property(collect_warnings(member.fget, method=True), doc=member.__doc__)
    if isinstance(member, cached_property):
        member.func = collect_warnings(member.func, method=True)
    return None


class Value:
    """Base of the frozen dataclasses, which compare by content, nan equal to nan.

    The repr makes the value again if it fits on a line.
    """

    #: What no comparison sees and documents (`betaroc.rendering.document`) hold nevertheless.
    _extra_fields: ClassVar[tuple[str, ...]] = ()
    #: Parts, and parts of parts, that are arrays of one length, as all are that stand over `alpha`.
    _same_length: ClassVar[tuple[str, ...]] = ()
    #: Parts that are paths, or tuples of paths: in documents files are called by their names.
    _files: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def _document_types(cls) -> dict[str, Any]:
        """By name the types of what a document holds."""
        hints, also = get_type_hints(cls), cls._also()
        names = [f.name for f in fields(cls) if f.compare or f.name in also]  # type: ignore[arg-type]
        return {name: hints[name] for name in names}

    @classmethod
    def _also(cls) -> frozenset[str]:
        """What a document may leave out."""
        return frozenset(
            name for kind in cls.__mro__ for name in vars(kind).get("_extra_fields", ())
        )

    def _document_part(self, name: str) -> Any:
        value = getattr(self, name)
        return None if name == "lower_is_client" and not value else value

    def _follows(self) -> dict[str, Any]:
        """Parts that follow from the others."""
        return {}

    @classmethod
    def _restored(cls, content: dict[str, Any]) -> Self:
        argument = {f.name for f in fields(cls) if f.init}  # type: ignore[arg-type]
        result = cls(**{name: value for name, value in content.items() if name in argument})
        for name in content.keys() - argument:
            object.__setattr__(result, name, content[name])
        return result

    def __init_subclass__(cls, *, notices: bool = True, **options: Any) -> None:
        """Public methods give their notices once, in numpy's own error state."""
        super().__init_subclass__(**options)
        for name, member in list(vars(cls).items()) if notices else ():
            if not name.startswith("_") or name in _SPECIAL:
                changed = _from_outside(member)
                if changed is not None:
                    setattr(cls, name, changed)

    def __getstate__(self) -> dict[str, Any]:
        """What pickles and copies hold: nothing cached."""
        kind = type(self)
        return {
            name: getattr(self, name)
            for name in vars(self)
            if not isinstance(getattr(kind, name, None), cached_property)
        }

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(
            is_same(getattr(self, f.name), getattr(other, f.name))
            for f in fields(self)  # type: ignore[arg-type]
            if f.compare
        )

    def __hash__(self) -> int:
        compared = (f.name for f in fields(self) if f.compare)  # type: ignore[arg-type]
        return hash((type(self), *(_hashed(getattr(self, name)) for name in compared)))

    def __repr__(self) -> str:
        return self._constructor_repr() or summarized(type(self).__name__, self._told_parts())

    def _told_parts(self) -> dict[str, Any]:
        held = {f.name: (getattr(self, f.name), f.default) for f in fields(self) if f.repr}  # type: ignore[arg-type]
        return {name: value for name, (value, usual) in held.items() if not is_same(value, usual)}

    def _constructor_repr(self) -> str | None:
        parts = []
        for name, value in self._told_parts().items():
            text = constructor_repr(value)
            if text is None:
                return None
            parts.append(f"{name}={text}")
        return _short(f"{type(self).__name__}({', '.join(parts)})")


@dataclass(frozen=True, eq=False, repr=False)
class Result(Value):
    """A value that keeps its warnings in ``notices``."""

    _extra_fields: ClassVar[tuple[str, ...]] = ("notices",)
    notices: tuple[Notice, ...] = field(default=(), init=False, compare=False, repr=False)
