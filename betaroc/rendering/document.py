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
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cache, partial, reduce
from typing import Any, Literal, NamedTuple, NoReturn, Union, get_args, get_origin, get_type_hints

import numpy as np

from betaroc.core import errors
from betaroc.core.arrays import AnyArray
from betaroc.core.errors import BetarocError, BetarocWarning, FileFormatError, InputTypeError
from betaroc.core.local_files import file_names
from betaroc.core.text import listed, nearest, shown
from betaroc.core.value import Value, is_same
from betaroc.rendering.json_forms import DEEPEST, plain as plain_form

#: Raised by one with every release that changes the fields of a kind.
FORMAT = 1
#: Keys of a document beside the fields.
ENVELOPE = ("betaroc", "format", "kind", "derived")
_LARGEST = sys.float_info.max
#: Of an array in a document: its axes, their entries, letters of texts as long as the longest.
_MOST_AXES, _MOST_ENTRIES, _MOST_LETTERS = 4, 2**31, 10**9
#: From this size on an array that stands in a document already is named by its place.
_LARGE = 32

Kinds = Mapping[str, type]


def document_of(value: Any) -> dict[str, Any]:
    """The fields of a value in plain form, its kind first."""
    state = EncodeState()
    plain: dict[str, Any] = Record(type(value)).write(value, "", state)
    # Names instead of paths, which tell where on a machine its user keeps files.
    places = [(record, part, record[part]) for record, part in state.files]
    names = file_names(
        path for *_, paths in places for path in ([paths] if isinstance(paths, str) else paths)
    )
    for record, part, paths in places:
        many = not isinstance(paths, str)
        record[part] = [names[path] for path in paths] if many else names[paths]
    return {"kind": type(value).__name__} | plain


def value_of(plain: Any, kinds: Kinds, kind: type) -> Any:
    """The value of a plain form."""
    return Record(kind).read(plain, "", DecodeState(kinds))


def kinds_of(roots: Iterable[type]) -> dict[str, type]:
    """By name every class that stands in documents of these: they themselves, and their parts."""
    kinds: dict[str, type] = {}
    waiting = list(roots)
    while waiting:
        kind = waiting.pop()
        if kinds.get(kind.__name__) is kind or getattr(kind, "__abstractmethods__", None):
            continue
        if kind.__name__ in kinds:
            raise KeyError(f"two kinds are called {kind.__name__}")
        kinds[kind.__name__] = kind
        codecs = list(parts_of(kind).values())
        for codec in codecs:  # which grows
            codecs += codec.parts
            waiting += codec.kinds if isinstance(codec, Record) else ()
    return dict(sorted(kinds.items()))


@dataclass
class EncodeState:
    """Arrays that stand in a document already, and where; records with paths, and which parts."""

    arrays: dict[int, tuple[Any, str]] = field(default_factory=dict)
    files: list[tuple[dict[str, Any], str]] = field(default_factory=list)


@dataclass
class DecodeState:
    """What a reader may make, and the arrays it has made."""

    kinds: Kinds
    arrays: dict[str, Any] = field(default_factory=dict)
    depth: int = 0

    def deeper(self, at: str) -> None:
        """One level of nesting."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise FileFormatError(
                f"{at[:80]} must be nested at most {DEEPEST} deep; it is deeper. Nothing that"
                " betaroc writes is."
            )


def refused(at: str, must: str, given: object) -> NoReturn:
    """The error of a place in a document."""
    must = must if len(must) <= 140 else f"{must[:137]}..."
    raise FileFormatError(
        f"{format_json_path(at)} must be {must}; got {shown(given)}. Write the document again with"
        " to_json, or mend it there."
    )


def format_json_path(at: str) -> str:
    """A place as a message shows it."""
    return (at or "the document") if len(at) <= 120 else f"...{at[-117:]}"


def join_path(at: str, name: str) -> str:
    """The place of a part."""
    return f"{at}.{name}" if at else name


# ------------------------------------------------------------------------------ codecs
class Codec:
    """How things of one type stand in a document; these stand in JSON as they are.

    Parameters
    ----------
    must : str
        What a plain form must be.
    python : type
        Of the values; the first makes them plain.
    parts : tuple of Codec, optional
        Of what is within.
    """

    def __init__(self, must: str, *python: Any, parts: tuple[Codec, ...] = ()) -> None:
        self.must, self.python, self.parts = must, python, parts

    def takes(self, value: Any) -> bool:
        """Whether a value is of this type."""
        truth = isinstance(value, bool | np.bool_) and bool not in self.python
        return isinstance(value, self.python) and not truth

    def suits(self, plain: Any) -> bool:
        """Whether a plain form is one of this type, by its outside."""
        return self.takes(plain)

    def write(self, value: Any, at: str, state: EncodeState) -> Any:
        """The plain form of a value, which is of the type that its field states."""
        if not self.takes(value):
            raise InputTypeError(
                f"{at} must be {self.must} to be written; got {shown(value)} of type"
                f" {type(value).__name__}. Pickle it instead."
            )
        return self._write(value, at, state)

    def read(self, plain: Any, at: str, state: DecodeState) -> Any:
        """The value of a plain form."""
        if not self.suits(plain):
            refused(at, self.must, plain)
        return self._read(plain, at, state)

    def _write(self, value: Any, at: str, state: EncodeState) -> Any:
        return None if value is None else self.python[0](value)

    def _read(self, plain: Any, at: str, state: DecodeState) -> Any:
        return plain


class RealCodec(Codec):
    """A double."""

    def suits(self, plain: Any) -> bool:
        if type(plain) in (int, float):
            return not abs(plain) > _LARGEST
        return plain is None or plain in ("inf", "-inf")

    def _write(self, value: Any, at: str, state: EncodeState) -> Any:
        return plain_form(float(value))

    def _read(self, plain: Any, at: str, state: DecodeState) -> Any:
        return float("nan" if plain is None else plain)


class ChoiceCodec(Codec):
    """One of a few words, or the member of an enum."""

    def __init__(self, members: Mapping[str, Any]) -> None:
        super().__init__(f"one of {listed(members)}")
        self.members = members

    def takes(self, value: Any) -> bool:
        return any(type(value) is type(m) and value == m for m in self.members.values())

    def suits(self, plain: Any) -> bool:
        return isinstance(plain, str) and plain in self.members

    def _write(self, value: Any, at: str, state: EncodeState) -> Any:
        return next(plain for plain, member in self.members.items() if member == value)

    def _read(self, plain: Any, at: str, state: DecodeState) -> Any:
        return self.members[plain]


class ManyCodec(Codec):
    """A tuple of one type, or of one type each."""

    def __init__(self, parts: tuple[Codec, ...], *, repeated: bool) -> None:
        must = "a list" if repeated else f"a list of {len(parts)}"
        super().__init__(must, tuple, parts=parts)
        self.repeated = repeated

    def takes(self, value: Any) -> bool:
        return isinstance(value, tuple) and (self.repeated or len(value) == len(self.parts))

    def suits(self, plain: Any) -> bool:
        return isinstance(plain, list) and self.takes(tuple(plain))

    def _each(self, values: Any, at: str) -> Iterator[tuple[Codec, Any, str]]:
        codecs = self.parts * len(values) if self.repeated else self.parts
        for k, (codec, value) in enumerate(zip(codecs, values, strict=True)):
            yield codec, value, f"{at}[{k}]"

    def _write(self, value: Any, at: str, state: EncodeState) -> Any:
        return [codec.write(part, place, state) for codec, part, place in self._each(value, at)]

    def _read(self, plain: Any, at: str, state: DecodeState) -> Any:
        parts = self._each(plain, at)
        return tuple(codec.read(part, place, state) for codec, part, place in parts)


class MappingCodec(Codec):
    """Things by name."""

    def __init__(self, item: Codec) -> None:
        super().__init__("an object", Mapping, parts=(item,))
        self.item = item

    def takes(self, value: Any) -> bool:
        return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)

    def _write(self, value: Any, at: str, state: EncodeState) -> Any:
        return {k: self.item.write(v, join_path(at, k), state) for k, v in value.items()}

    def _read(self, plain: Any, at: str, state: DecodeState) -> Any:
        return {k: self.item.read(v, join_path(at, k), state) for k, v in plain.items()}


class EitherCodec(Codec):
    """One of several types, which their plain forms tell apart."""

    def __init__(self, parts: tuple[Codec, ...]) -> None:
        self.optional = NULL in parts
        must = [part.must for part in parts if part is not NULL]
        super().__init__(", or ".join(must + ["null"] * self.optional), parts=parts)

    def takes(self, value: Any) -> bool:
        return any(part.takes(value) for part in self.parts)

    def suits(self, plain: Any) -> bool:
        return (self.optional and is_nan(plain)) or any(part.suits(plain) for part in self.parts)

    def _write(self, value: Any, at: str, state: EncodeState) -> Any:
        plain = next(part for part in self.parts if part.takes(value)).write(value, at, state)
        return {"float": "nan"} if self.optional and plain is None is not value else plain

    def _read(self, plain: Any, at: str, state: DecodeState) -> Any:
        if self.optional and is_nan(plain):
            return math.nan
        if plain is None and self.optional:
            return None
        return next(part for part in self.parts if part.suits(plain)).read(plain, at, state)


def is_nan(plain: Any) -> bool:
    """Whether nan stands where null would be None."""
    return isinstance(plain, dict) and plain == {"float": "nan"}


class TextCodec(Codec):
    """What has a text that it can be read from."""

    def suits(self, plain: Any) -> bool:
        return isinstance(plain, str)

    def _write(self, value: Any, at: str, state: EncodeState) -> Any:
        return value._to_text()

    def _read(self, plain: Any, at: str, state: DecodeState) -> Any:
        return construct(self.python[0]._of_text, plain, at)


class AnyCodec(Codec):
    """Of no stated type: numbers, texts, flags, None and lists of them."""

    def takes(self, value: Any) -> bool:
        if isinstance(value, list):
            return all(map(self.takes, value))
        return value is None or isinstance(value, self.python)

    def suits(self, plain: Any) -> bool:
        if isinstance(plain, dict):
            return plain in _FLOATS
        return not (isinstance(plain, float) and math.isinf(plain))

    def _write(self, value: Any, at: str, state: EncodeState) -> Any:
        if isinstance(value, list):
            return [self._write(part, at, state) for part in value]
        plain = value.item() if isinstance(value, np.generic) else value
        if isinstance(plain, float) and not math.isfinite(plain):
            return {"float": repr(float(plain))}
        return plain

    def _read(self, plain: Any, at: str, state: DecodeState) -> Any:
        if isinstance(plain, list):
            state.deeper(at)
            values = [self.read(part, f"{at}[{k}]", state) for k, part in enumerate(plain)]
            state.depth -= 1
            return values
        return float(plain["float"]) if isinstance(plain, dict) else plain


_FLOATS = [{"float": word} for word in ("nan", "inf", "-inf")]


def construct(make: Any, content: Any, at: str) -> Any:
    """What a constructor makes, or its error with the place."""
    try:
        return make(content)
    except FileFormatError:
        raise
    except BetarocError as error:
        raise FileFormatError(f"{format_json_path(at)}: {error}"[:400]) from error
    except (TypeError, ValueError, ArithmeticError, LookupError) as error:
        raise FileFormatError(
            f"{format_json_path(at)} must hold fields that go together; they do not:"
            f" {shown(str(error))}. Write the document again with to_json."
        ) from error


NULL = Codec("null", type(None))
WHOLE = Codec("a whole number", int, np.integer)
FLAG = Codec("true or false", bool, np.bool_)
TEXT = Codec("text", str)
REAL = RealCodec(
    'a number that doubles can hold, "inf", "-inf" or null for undefined',
    float, int, np.floating, np.integer,
)  # fmt: skip
ANYTHING = AnyCodec(
    "a number that doubles can hold, text, true, false, null or a list of these",
    bool, int, float, str, np.generic,
)  # fmt: skip


# ------------------------------------------------------------------------------ arrays
class Entries(NamedTuple):
    """Entries of arrays of a kind: how errors call them, and of JSON each."""

    must: str
    codec: Codec
    dtype: str = ""
    json: tuple[type, ...] = ()


_ENTRIES = {
    "f": Entries('numbers, "inf", "-inf" or null', REAL, "float64", (float, int)),
    "i": Entries("whole numbers", WHOLE, "int64", (int,)),
    "b": Entries("true and false", FLAG, "bool", (bool,)),
    "U": Entries("texts", TEXT, "str", (str,)),
    "": Entries("one type", Codec("")),
}
_LETTERS = {"float64": "f", "float32": "f", "float16": "f", "int64": "i", "bool": "b", "str": "U"}


class ArrayCodec(Codec):
    """An array as lists within each other; a large one that stands there already by its place."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"a list of {_ENTRIES[kind].must}")
        self.kind = kind

    def takes(self, value: Any) -> bool:
        kinds = {"i": "iu", "": "iubfU"}.get(self.kind, self.kind)
        return isinstance(value, np.ndarray) and value.dtype.kind in kinds

    def suits(self, plain: Any) -> bool:
        keys = set(plain) if isinstance(plain, dict) else None
        return isinstance(plain, list) or keys in ({"same as"}, {"values", "dtype", "shape"})

    def _write(self, value: Any, at: str, state: EncodeState) -> Any:
        known, place = state.arrays.get(id(value), (None, ""))
        if known is value:
            return {"same as": place}
        if value.size >= _LARGE:
            state.arrays[id(value)] = value, at
        letter = "i" if value.dtype.kind == "u" else value.dtype.kind
        dtype = value.dtype.name if letter == "f" else _ENTRIES[letter].dtype
        follows = dtype == "float64" if self.kind == "f" else letter in "iUb"
        lists = value.ndim > 0 if value.size else value.shape == (0,) and self.kind
        array = value if follows and lists else value.ravel()
        values = array.tolist()
        if letter == "f" and not np.isfinite(array).all():
            values = plain_form(values)
        if follows and lists:
            return values
        return {"values": values, "dtype": dtype, "shape": list(value.shape)}

    def _read(self, plain: Any, at: str, state: DecodeState) -> Any:
        if isinstance(plain, list):
            flat, shape = self._flat(plain, at)
            kinds = set(map(type, flat))
            kind = self.kind or next((k for k in "ibU" if kinds <= {*_ENTRIES[k].json}), "f")
            array = self._array(flat, kind, at, state).reshape(shape)
        elif "same as" in plain:
            place = plain["same as"]
            known = state.arrays.get(place) if isinstance(place, str) else None
            if not self.takes(known):
                refused(join_path(at, "same as"), "the place of an array before it", place)
            return known
        else:
            array = self._shaped(at=at, state=state, **plain)
        state.arrays[at] = array
        return array

    def _shaped(self, values: Any, dtype: Any, shape: Any, at: str, state: DecodeState) -> AnyArray:
        """An array of which neither dtype nor shape follow from lists."""
        letter = _LETTERS.get(dtype) if isinstance(dtype, str) else None
        if letter is None or self.kind not in ("", letter):
            refused(f"{at}.dtype", "the dtype of such an array", dtype)
        whole = isinstance(shape, list) and len(shape) <= _MOST_AXES
        whole = whole and all(type(n) is int and n >= 0 for n in shape)
        whole = whole and math.prod(max(n, 1) for n in shape) < _MOST_ENTRIES
        if not isinstance(values, list) or not whole or math.prod(shape) != len(values):
            refused(f"{at}.shape", "the shape of its values", shape)
        array = self._array(values, letter, f"{at}.values", state).reshape(shape)
        with np.errstate(over="ignore"):  # beyond a narrow type is infinity
            return array.astype(dtype) if letter == "f" else array

    def _flat(self, plain: list[Any], at: str) -> tuple[list[Any], tuple[int, ...]]:
        """All entries, and the shape of the lists that hold them."""
        shape: tuple[int, ...] = (len(plain),)
        while plain and isinstance(plain[0], list) and len(shape) < _MOST_AXES:
            width = len(plain[0])
            for k, row in enumerate(plain):
                if not isinstance(row, list) or len(row) != width:
                    refused(f"{at}[{k}]", f"a list of {width}, as the first is", row)
            plain, shape = [v for row in plain for v in row], (*shape, width)
        return plain, shape

    def _array(self, flat: list[Any], kind: str, at: str, state: DecodeState) -> AnyArray:
        """Entries of one kind, each of them checked."""
        entries = _ENTRIES[kind]
        plain = set(map(type, flat)) <= {*entries.json}
        if not plain or (kind == "f" and math.inf in map(abs, flat)):
            flat = [entries.codec.read(v, f"{at}[{k}]", state) for k, v in enumerate(flat)]
        if kind == "U" and len(flat) * max(map(len, flat), default=0) > _MOST_LETTERS:
            wide = f"{self.must}, of which each takes the room of the longest"
            refused(at, wide, f"{len(flat)} texts")
        try:
            return np.array(flat, dtype=entries.dtype)
        except OverflowError:
            refused(at, f"{self.must}, of 64 bits each", max(flat, key=abs))


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
    optional, also = set(getattr(kind, "_field_defaults", ())), also_of(kind)
    if is_dataclass(kind):
        none, names = (MISSING, MISSING), {f.name for f in fields(kind)}
        needed = {f.name for f in fields(kind) if (f.default, f.default_factory) == none}
        optional = (names | also) - needed
    return tuple(name for name in parts_of(kind) if name not in optional)


@cache
def also_of(kind: Any) -> frozenset[str]:
    """The parts that are written only where there is something."""
    return kind._also() if issubclass(kind, Value) else frozenset()


def to_fields(value: Any) -> dict[str, Any]:
    """By name what of a value stands in a document."""
    kind: Any = type(value)
    part_of = value._document_part if isinstance(value, Value) else partial(getattr, value)
    return {name: part_of(name) for name in parts_of(kind)}


# ----------------------------------------------------------------------- from type to codec
_SIMPLE: dict[Any, Codec] = {
    float: REAL, int: WHOLE, bool: FLAG, str: TEXT, type(None): NULL, Any: ANYTHING,
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
        return TextCodec("text", hint)
    if issubclass(hint, Enum):
        return ChoiceCodec({member.value: member for member in hint})
    return Record(hint)


_KINDS = {np.float64: "f", np.signedinteger: "i", np.bool_: "b", np.str_: "U"}


#: What numbers are called that lie in [0, 1], and that are not negative, wherever they stand.
_FRACTIONS = frozenset({
    "prior", "far", "frr", "tpr", "tnr", "p_value", "level", "confidence", "far_low", "far_high",
    "p_proper", "p_no_crossing", "largest_at", "depth_at",
})  # fmt: skip
_COUNTS = frozenset({
    "n", "replicates", "undefined", "failed", "lost", "folds", "iterations", "total_weight",
    "absent", "needed", "moved", "counts", "bins", "sup", "noise",
})  # fmt: skip
LOW_ENDS = frozenset({"low", "band_low", "far_low"})
#: Relative and absolute: what other processors round otherwise.
_ROUNDING, _LEAST = 1e-9, 1e-15


class Record(Codec):
    """A class of named parts, or those that stand for their subclasses and name their kind."""

    def __init__(self, *kinds: type) -> None:
        super().__init__(f"an object of kind {' or '.join(k.__name__ for k in kinds)}", *kinds)
        self.kinds = kinds
        self.named = issubclass(kinds[0], Value)

    def suits(self, plain: Any) -> bool:
        return isinstance(plain, dict) and not is_nan(plain)

    def _write(self, value: Any, at: str, state: EncodeState) -> Any:
        kind: Any = type(value)
        if not kind.__module__.startswith("betaroc."):
            raise InputTypeError(
                f"what is written must be of a class of betaroc; {at or 'it'} is of"
                f" {shown(kind.__name__)}, which no other reader knows. Pickle it instead."
            )
        content = {
            name: part
            for name, part in to_fields(value).items()
            if name not in also_of(kind)
            or (part if isinstance(part, str | tuple) else part is not None)
        }
        parts = parts_of(kind)
        plain = {k: parts[k].write(v, join_path(at, k), state) for k, v in content.items()}
        nested = {name: v for name, v in plain.items() if isinstance(v, dict | list)}
        named = {"kind": kind.__name__} if self.named else {}
        record = named | {k: v for k, v in plain.items() if k not in nested} | nested
        files = kind._files if self.named else ()
        state.files += [(record, part) for part in files if part in record]
        return record

    def _read(self, plain: Any, at: str, state: DecodeState) -> Any:
        kind: Any = self.kinds[0]
        if self.named:
            options = names_below(self.kinds, state.kinds)
            name = plain.get("kind")
            if not isinstance(name, str) or name not in options:
                refused(join_path(at, "kind"), f"one of {', '.join(options)}", name)
            kind = state.kinds[name]
        parts = parts_of(kind)
        for name in plain:
            if name not in parts and not (self.named and name in ENVELOPE):
                raise FileFormatError(
                    f"{format_json_path(join_path(at, name))} must be a field of {kind.__name__},"
                    f" and there is none. {nearest(name, list(parts))}".rstrip()
                )
        for name in needed_of(kind):
            if name not in plain:
                refused(join_path(at, name), f"there, {parts[name].must}", None)
        state.deeper(at)
        content = {
            name: codec.read(plain[name], join_path(at, name), state)
            for name, codec in parts.items()
            if name in plain
        }
        state.depth -= 1
        make = kind._restored if self.named else lambda content: kind(**content)
        return construct(partial(consistent, content, at), construct(make, content, at), at)


def consistent(content: dict[str, Any], at: str, made: Any) -> Any:
    """The value of a document whose numbers and lengths can be, and which holds what follows."""
    alike: tuple[str, ...] = getattr(made, "_same_length", ())
    if not alike and isinstance(content.get("alpha"), np.ndarray):
        names = (k for k, part in content.items() if isinstance(part, np.ndarray))
        alike = ("alpha", *(name for name in names if not name.endswith("_folds")))
    arrays = {name: reduce(getattr, name.split("."), made) for name in alike}
    sizes = {name: np.shape(part)[-1:] for name, part in arrays.items() if part is not None}
    for name, size in sizes.items():
        if size != sizes[alike[0]]:
            refused(join_path(at, name), f"as long as {alike[0]}, {sizes[alike[0]]}", size)
    for name, part in content.items():
        low, high = span_of(name)
        parts = part if isinstance(part, tuple) else (part,)
        numbers = [np.asarray(n) for n in parts if isinstance(n, int | float | np.ndarray)]
        if low == 0.0 and any(np.any((n < low) | (n > high)) for n in numbers):
            refused(join_path(at, name), f"from {low:g} to {high:g}", part)
        upper = f"{name.removesuffix('low')}high"
        ends = name in LOW_ENDS and part is not None and content.get(upper) is not None
        if ends and np.any(np.asarray(part) > content[upper]):
            refused(join_path(at, name), f"at most {upper}", part)
    follows = {name: getattr(made, name) for name in content if isinstance(made, Value)}
    follows |= getattr(made, "_follows", dict)()
    for name, part in content.items():
        if name in follows and not agrees(part, follows[name]):
            refused(join_path(at, name), f"{shown(follows[name])}, which follows", part)
    return made


def span_of(name: str) -> tuple[float, float]:
    """Least and largest of the numbers that are called so, wherever they stand."""
    low = 0.0 if name in _FRACTIONS | _COUNTS or name.startswith("n_") else -math.inf
    return low, 1.0 if name in _FRACTIONS else math.inf


def agrees(stored: Any, follows: Any) -> bool:
    """Whether a part is what the others come to, but for rounding on another machine."""
    if isinstance(follows, float | np.ndarray):
        if stored is None or np.shape(stored) != np.shape(follows) or is_same(stored, follows):
            return is_same(stored, follows)
        with np.errstate(all="ignore"):
            return np.allclose(stored, follows, _ROUNDING, _LEAST, equal_nan=True)
    if type(stored) is type(follows) and type(follows) is not str and isinstance(follows, str):
        stored, follows = stored.__getnewargs__(), follows.__getnewargs__()
    if isinstance(follows, Value) and type(stored) is type(follows):
        stored, follows = to_fields(stored), to_fields(follows)
    if isinstance(follows, Mapping) and isinstance(stored, Mapping):
        return {*stored} == {*follows} and all(agrees(stored[k], follows[k]) for k in follows)
    if isinstance(follows, tuple) and isinstance(stored, tuple):
        return len(stored) == len(follows) and all(map(agrees, stored, follows))
    return bool(stored == follows)


def names_below(classes: tuple[type, ...], kinds: Kinds) -> list[str]:
    """The kinds that are of one of the classes."""
    return [name for name, kind in kinds.items() if issubclass(kind, classes)]


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
        return ((n, part) for n, part in to_fields(value).items() if n not in also)
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
