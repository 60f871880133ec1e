"""Values as plain documents and back, directed by the types of their fields; and side by side.

A document holds what JSON holds without loss. Where a type leaves no doubt, things stand as a
reader expects them: a number, null for nan, ``"inf"``. Where it does, such as nan where None may
stand too, they carry what they are: ``{"float": "nan"}``. An array that stands there already is
named by its place: ``{"same as": "scores.client"}``. Reading makes nothing but the classes of a
table, through their constructors.
"""

from __future__ import annotations

import math
import re
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from betaroc.core import errors
from betaroc.core.errors import BetarocWarning, FileFormatError, InputTypeError
from betaroc.core.local_files import file_names
from betaroc.core.text import nearest, shown
from betaroc.core.value import Value
from betaroc.rendering.codecs import (
    NULL,
    AnyCodec,
    ArrayCodec,
    ChoiceCodec,
    Codec,
    EitherCodec,
    Kinds,
    Known,
    ManyCodec,
    MappingCodec,
    PlainCodec,
    RealCodec,
    TextCodec,
    Written,
    beside,
    checked,
    is_nan,
    made,
    refused,
    told_place,
)  # fmt: skip

#: Raised by one with every release that changes the fields of a kind.
FORMAT = 1
#: Keys of a document beside the fields.
ENVELOPE = ("betaroc", "format", "kind", "derived")


def document_of(value: Any) -> dict[str, Any]:
    """The fields of a value in plain form, its kind first."""
    done = Written()
    plain: dict[str, Any] = Record(type(value)).write(value, "", done)
    # Names instead of paths, which tell where on a machine its user keeps files.
    held = [record[part] for record, part in done.files]
    names = file_names(path for one in held for path in ([one] if isinstance(one, str) else one))
    for (record, part), one in zip(done.files, held, strict=True):
        record[part] = names[one] if isinstance(one, str) else [names[path] for path in one]
    return {"kind": type(value).__name__} | plain


def value_of(plain: Any, kinds: Kinds, kind: type) -> Any:
    """The value of a plain form."""
    return Record(kind).read(plain, "", Known(kinds))


def kinds_of(roots: Iterable[type]) -> dict[str, type]:
    """By name every class that stands in documents of these: they themselves, and their parts."""
    found: dict[str, type] = {}
    waiting = list(roots)
    while waiting:
        kind = waiting.pop()
        if found.get(kind.__name__) is kind or getattr(kind, "__abstractmethods__", None):
            continue
        if kind.__name__ in found:
            raise KeyError(f"two kinds are called {kind.__name__}")
        found[kind.__name__] = kind
        for codec in parts_of(kind).values():
            waiting += [part for record in _records(codec) for part in record.kinds]
    return dict(sorted(found.items()))


def _records(codec: Codec) -> Iterator[Record]:
    if isinstance(codec, Record):
        yield codec
    for part in codec.parts():
        yield from _records(part)


# ------------------------------------------------------------------ the fields of a class
@cache
def parts_of(kind: Any) -> dict[str, Codec]:
    """By name the codecs of what of a class stands in a document."""
    return {name: codec_of(hint) for name, hint in _hints(kind).items()}


def _hints(kind: type) -> dict[str, Any]:
    if issubclass(kind, Value):
        return kind._document_types()
    hints = get_type_hints(kind.__new__ if issubclass(kind, str) else kind)
    return {name: hint for name, hint in hints.items() if name != "return"}


@cache
def needed_of(kind: Any) -> tuple[str, ...]:
    """The parts that have no default."""
    if is_dataclass(kind):
        none = (MISSING, MISSING)
        optional = {f.name for f in fields(kind) if (f.default, f.default_factory) != none}
    else:
        optional = set(getattr(kind, "_field_defaults", ()))
    return tuple(name for name in parts_of(kind) if name not in optional | _unheld(kind))


def _unheld(kind: type) -> frozenset[str]:
    """What may be missing although the class has no such field."""
    held = {f.name for f in fields(kind)} if is_dataclass(kind) else set()
    return also_of(kind) - held


@cache
def also_of(kind: Any) -> frozenset[str]:
    """The parts that are written only where there is something."""
    return kind._also() if issubclass(kind, Value) else frozenset()


def content_of(value: Any) -> dict[str, Any]:
    """By name what of a value stands in a document."""
    kind: Any = type(value)
    if isinstance(value, Value):
        return {name: value._document_part(name) for name in parts_of(kind)}
    return {name: getattr(value, name) for name in parts_of(kind)}


def restored(kind: Any, content: dict[str, Any]) -> Any:
    """The value of a class with these parts."""
    return kind._restored(content) if issubclass(kind, Value) else kind(**content)


# ----------------------------------------------------------------------- from type to codec
_WHOLE = PlainCodec((int, np.integer), "a whole number", {"type": "integer"}, int)
_FLAG = PlainCodec((bool, np.bool_), "true or false", {"type": "boolean"}, bool)
_WORDS = PlainCodec((str,), "text", {"type": "string"}, str)
_SIMPLE: dict[Any, Codec] = {
    float: RealCodec(), int: _WHOLE, bool: _FLAG, str: _WORDS, type(None): NULL, Any: AnyCodec(),
}  # fmt: skip
_WARNINGS = ChoiceCodec(
    {
        name: kind
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, BetarocWarning)
    }
)


def unaliased(hint: Any) -> Any:
    """What a named alias stands for; numpy's NDArray is one from 2.5 on."""
    meant, given = getattr(get_origin(hint) or hint, "__value__", hint), get_args(hint)
    return meant[given] if given and meant is not hint else meant


@cache
def codec_of(hint: Any) -> Codec:
    """The codec of a type."""
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    hint = unaliased(hint)
    origin, given = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        values = tuple(kind for kind in given if isinstance(kind, type) and issubclass(kind, Value))
        others = tuple(codec_of(kind) for kind in given if kind not in values)
        options = others + ((Record(*values),) if values else ())
        return options[0] if len(options) == 1 else EitherCodec(options)
    if origin is tuple:
        repeated = given[-1] is Ellipsis
        return ManyCodec(tuple(map(codec_of, given[:1] if repeated else given)), repeated=repeated)
    if origin is np.ndarray:
        (scalar,) = get_args(given[1])
        scalar = get_origin(scalar) or scalar
        return ArrayCodec("" if scalar is Any else _KINDS[scalar])
    if origin is Literal:
        return ChoiceCodec({word: word for word in given})
    if origin is type:
        return _WARNINGS
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return MappingCodec(codec_of(given[1]))
    if hasattr(hint, "_of_text"):
        return TextCodec(hint)
    if issubclass(hint, Enum):
        return ChoiceCodec({member.value: member for member in hint})
    return Record(hint)


_KINDS = {np.float64: "f", np.signedinteger: "i", np.bool_: "b", np.str_: "U"}


class Record(Codec):
    """A class of named parts, or those that stand for their subclasses and name their kind."""

    def __init__(self, *kinds: type) -> None:
        self.kinds = kinds
        self.named = issubclass(kinds[0], Value)
        self.must = f"an object of kind {' or '.join(kind.__name__ for kind in kinds)}"

    def takes(self, value: Any) -> bool:
        return isinstance(value, self.kinds)

    def write(self, value: Any, at: str, done: Written) -> Any:
        kind: Any = type(value)
        if not kind.__module__.startswith("betaroc."):
            raise InputTypeError(
                f"what is written must be of a class of betaroc; {at or 'it'} is of"
                f" {shown(kind.__name__)}, which no other reader knows. Pickle it instead."
            )
        held = content_of(value)
        plain = {
            name: checked(codec, held[name], beside(at, name), done)
            for name, codec in parts_of(kind).items()
            if name not in also_of(kind) or _is_there(held[name])
        }
        nested = {name: v for name, v in plain.items() if isinstance(v, dict | list)}
        named = {"kind": kind.__name__} if self.named else {}
        record = named | {k: v for k, v in plain.items() if k not in nested} | nested
        files = kind._files if self.named else ()
        done.files += [(record, part) for part in files if part in record]
        return record

    def suits(self, plain: Any) -> bool:
        return isinstance(plain, dict) and not is_nan(plain)

    def read(self, plain: Any, at: str, known: Known) -> Any:
        if not self.suits(plain):
            refused(at, self.must, plain)
        kind = self._kind_of(plain, at, known)
        parts, needed = parts_of(kind), needed_of(kind)
        for name in plain:
            if name not in parts and not (self.named and name in ENVELOPE):
                raise FileFormatError(
                    f"{told_place(beside(at, name))} must be a field of {kind.__name__}, and there"
                    f" is none. {nearest(name, list(parts))}".rstrip()
                )
        for name in needed:
            if name not in plain:
                raise FileFormatError(
                    f"{told_place(beside(at, name))} must be there, {parts[name].must}; it is"
                    " missing. Write the document again with to_json, or mend it there."
                )
        known.deeper(at)
        content = {
            name: codec.read(plain[name], beside(at, name), known)
            for name, codec in parts.items()
            if name in plain
        }
        known.depth -= 1
        return made(lambda held: restored(kind, held), content, at)

    def _kind_of(self, plain: dict[str, Any], at: str, known: Known) -> type:
        if not self.named:
            return self.kinds[0]
        options = names_below(self.kinds, known.kinds)
        name = plain.get("kind")
        if not isinstance(name, str) or name not in options:
            refused(beside(at, "kind"), f"one of {', '.join(options)}", name)
        return known.kinds[name]

    def schema(self, kinds: Kinds) -> dict[str, Any]:
        names = names_below(self.kinds, kinds) if self.named else [self.kinds[0].__name__]
        refs = [{"$ref": f"#/$defs/{name}"} for name in names]
        return refs[0] if len(refs) == 1 else {"anyOf": refs}


def _is_there(value: Any) -> bool:
    return value is not None and not (isinstance(value, tuple | str) and not value)


def names_below(classes: tuple[type, ...], kinds: Kinds) -> list[str]:
    """The kinds that are of one of the classes."""
    return [name for name, one in kinds.items() if issubclass(one, classes)]


# ------------------------------------------------------------------------------- schema
def schema_of(kinds: Kinds) -> dict[str, Any]:
    """JSON schema of every document of these kinds."""
    values = [name for name, kind in kinds.items() if issubclass(kind, Value)]
    held = [
        {"properties": {"kind": {"const": name}, "content": {"$ref": f"#/$defs/{name}"}}}
        for name in values
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Results of betaroc",
        "type": "object",
        "properties": {"betaroc": {"type": "string"}, "format": {"const": FORMAT}},
        "required": ["betaroc", "format", "kind"],
        "if": {"required": ["content"]},
        "then": {"oneOf": held},
        "else": {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in values]},
        "$defs": _SHARED | {name: _schema_of(kind, kinds) for name, kind in kinds.items()},
    }


def _schema_of(kind: type, kinds: Kinds) -> dict[str, Any]:
    properties = {name: codec.schema(kinds) for name, codec in parts_of(kind).items()}
    needed = list(needed_of(kind))
    if issubclass(kind, Value):
        envelope = {"betaroc": {"type": "string"}, "format": {"const": FORMAT}}
        envelope |= {"derived": {"type": "object"}}
        properties = {"kind": {"const": kind.__name__}} | properties | envelope
        needed = ["kind", *needed]
    return {
        "type": "object",
        "properties": properties,
        "required": needed,
        "additionalProperties": False,
    }


def _entries(one: dict[str, Any]) -> dict[str, Any]:
    """An array: lists within each other, its values with their shape, or where it stands."""
    whole = {
        "values": {"type": "array", "items": one},
        "dtype": {"enum": ["float64", "float32", "float16", "int64", "bool", "str"]},
        "shape": {"type": "array", "items": {"type": "integer", "minimum": 0}},
    }
    rows = {"type": "array", "items": {"anyOf": [one, {"type": "array", "items": one}]}}
    same = {"type": "object", "properties": {"same as": {"type": "string"}}}
    return {
        "anyOf": [
            rows,
            {"type": "object", "properties": whole, "required": list(whole)}
            | {"additionalProperties": False},
            same | {"required": ["same as"], "additionalProperties": False},
        ]
    }


_NUMBER = {"anyOf": [{"type": ["number", "null"]}, {"enum": ["inf", "-inf"]}]}
_SHARED: dict[str, Any] = {
    "number": _NUMBER,
    "numbers": _entries({"$ref": "#/$defs/number"}),
    "whole numbers": _entries({"type": "integer"}),
    "flags": _entries({"type": "boolean"}),
    "texts": _entries({"type": "string"}),
    "entries": _entries({"type": ["number", "string", "boolean", "null"]}),
    "anything": {
        "anyOf": [
            {"type": ["number", "string", "boolean", "null"]},
            {"type": "object", "properties": {"float": {"enum": ["nan", "inf", "-inf"]}}}
            | {"required": ["float"], "additionalProperties": False},
            {"type": "array", "items": {"$ref": "#/$defs/anything"}},
        ]
    },
}


# ------------------------------------------------------------------------- side by side
#: What is not looked into.
_WHOLE_PARTS = (str, bool, int, float, np.generic, np.ndarray)
#: Names that trackers of experiments take.
_OTHER = re.compile(r"[^0-9A-Za-z_./-]+")


def flat(value: Any, between: str = "_") -> Iterator[tuple[str, Any]]:
    """Texts, numbers and arrays within a value, by the names that lead to them."""
    for name, part in _parts(value):
        if part is None or isinstance(part, _WHOLE_PARTS):
            yield name, part
        else:
            for further, held in flat(part, between):
                yield f"{name}{'' if further[:1] == '[' else between}{further}", held


def _parts(value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return ((str(name), part) for name, part in value.items())
    if isinstance(value, Value) or hasattr(value, "_fields"):
        also = value._also() if isinstance(value, Value) else ()
        return ((n, part) for n, part in content_of(value).items() if n not in also)
    if isinstance(value, list | tuple):
        return ((f"[{k}]", part) for k, part in enumerate(value))
    return ()


def table_columns(value: Any) -> dict[str, Any]:
    """The parts as columns: a row an entry where all arrays have one size, else one row."""
    parts = {name: part for name, part in flat(value) if "[" not in name}
    sizes = {part.size for part in parts.values() if isinstance(part, np.ndarray)}
    many = len(sizes) == 1
    size = sizes.pop() if many else 1
    return {
        name: _cells(part, size)
        for name, part in parts.items()
        if many or not isinstance(part, np.ndarray)
    }


def single_row(value: Any) -> dict[str, Any]:
    """The texts and numbers among the parts, without the arrays."""
    return {k: v for k, v in flat(value) if "[" not in k and not isinstance(v, np.ndarray)}


def _cells(value: Any, size: int) -> Any:
    if isinstance(value, str):
        return [str(value)] * size
    if isinstance(value, np.ndarray):
        return value.ravel()
    return np.broadcast_to(np.asarray(math.nan if value is None else value), size)


def metric_names(numbers: Iterable[tuple[str, Any]]) -> dict[str, float]:
    """Finite numbers by names of letters, digits, "_", "-", "." and "/"."""
    found: dict[str, float] = {}
    for name, value in numbers:
        if isinstance(value, str | np.ndarray | None) or not math.isfinite(value):
            continue
        plain = _OTHER.sub("_", name).strip("_") or "_"
        again = (f"{plain}_{k}" for k in range(2, len(found) + 3))
        found[plain if plain not in found else next(n for n in again if n not in found)] = float(
            value
        )
    return found
