"""Values as plain documents and back, by the types of their fields.

nan is null, or ``{"float": "nan"}`` where None may stand; an array that stands there already is
``{"same as": "scores.client"}``. Reading makes only classes of a table.
"""

from __future__ import annotations

import json
import math
import sys
import types
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cache, partial, reduce
from typing import Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

import numpy as np

from betaroc.core import errors, local_files, tables, vocabulary
from betaroc.core.arrays import AnyArray
from betaroc.core.errors import FileFormatError, refusal
from betaroc.core.text import did_you_mean, format_list, format_value, typed
from betaroc.core.value import Value, is_same

#: Raised by one with every release that changes the fields of a kind.
FORMAT = 2
#: Levels of a document at most.
DEEPEST = 40
#: Keys of a document beside the fields.
ENVELOPE = ("betaroc", "format", "kind", "derived")
_LARGEST = sys.float_info.max
#: Of an array in a document: its axes, their entries, letters of texts as long as the longest.
_MOST_AXES, _MOST_ENTRIES, _MOST_LETTERS = 4, 2**31, 10**9
#: From this size on an array that stands in a document already is named by its place.
_LARGE = 32

Kinds = Mapping[str, type]


# ------------------------------------------------------------------------ JSON and its text
def plain(value: Any) -> Any:
    """What JSON can hold of a value."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, str):
        return vocabulary.DEFAULT.fill(value)
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return float(value) if math.isfinite(value) else ("inf" if value > 0.0 else "-inf")
    return value


def json_text(document: Any) -> str:
    """The text of a document, indented."""
    return _lines(document, "\n") + "\n"


def _lines(value: Any, newline: str) -> str:
    deeper = newline + "  "
    if isinstance(value, dict) and value:
        rows = [f"{json.dumps(key)}: {_lines(item, deeper)}" for key, item in value.items()]
        return f"{{{deeper}{f',{deeper}'.join(rows)}{newline}}}"
    if isinstance(value, list) and not set(map(type, value)).isdisjoint((dict, list)):
        return f"[{deeper}{f',{deeper}'.join(_lines(item, deeper) for item in value)}{newline}]"
    return json.dumps(value, allow_nan=False)


def parsed(text: str) -> Any:
    """The document of a text."""
    rule = f"be nested at most {DEEPEST} deep"
    try:
        return json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refuse_word)
    except FileFormatError:
        raise
    except RecursionError as error:
        raise refusal("the text", rule, "one nested far deeper", kind=FileFormatError) from error
    except json.JSONDecodeError as error:
        at = f"an error at line {error.lineno}, column {error.colno}: {error.msg}"
        remedy = "Was it cut short?"
        raise refusal("the text", "be JSON", at, remedy, FileFormatError) from error
    except ValueError as error:  # whole numbers of thousands of digits
        rule = "hold numbers of ordinary length"
        raise refusal("the text", rule, format_value(str(error)), kind=FileFormatError) from error


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        rule, remedy = "stand once in an object", "Leave one out."
        raise refusal("a key", rule, f"{format_value(twice)} twice", remedy, FileFormatError)
    return unique


def _refuse_word(word: str) -> NoReturn:
    rule, remedy = 'be written null, infinities "inf" and "-inf"', "Write it again with to_json."
    raise refusal("undefined", rule, word, remedy, FileFormatError)


# --------------------------------------------------------------------- whole documents
def document_of(value: Any) -> dict[str, Any]:
    """The fields of a value in plain form."""
    state = _State()
    record: dict[str, Any] = _write_record(value, "", state)
    # Names instead of paths, which tell where on a machine its user keeps files.
    places = [(holder, part, holder[part]) for holder, part in state.files]
    names = local_files.file_names(
        path for *_, paths in places for path in ([paths] if isinstance(paths, str) else paths)
    )
    for holder, part, paths in places:
        many = not isinstance(paths, str)
        holder[part] = [names[path] for path in paths] if many else names[paths]
    return {"kind": type(value).__name__} | record


def value_of(document: Any, kinds: Kinds, kind: type) -> Any:
    """The value of a plain form."""
    return read(codec_of(kind), document, "", _State(kinds))


def kinds_of(roots: Iterable[type]) -> dict[str, type]:
    """By name every class that stands in documents of these."""
    kinds: dict[str, type] = {}
    waiting = list(roots)
    while waiting:
        kind = waiting.pop()
        if kinds.get(kind.__name__) is kind or getattr(kind, "__abstractmethods__", None):
            continue
        if kind.__name__ in kinds:
            raise KeyError(f"two kinds are called {kind.__name__}")
        kinds[kind.__name__] = kind
        codecs = list(document_parts(kind).values())
        for codec in codecs:  # which grows
            codecs += codec.parts
            waiting += codec.python if codec.form == "record" else ()
    return dict(sorted(kinds.items()))


@dataclass
class _State:
    kinds: Kinds = field(default_factory=dict)
    arrays: dict[Any, Any] = field(default_factory=dict)
    files: list[tuple[dict[str, Any], str]] = field(default_factory=list)
    depth: int = 0

    def deeper(self, at: str) -> None:
        """One level of nesting."""
        self.depth += 1
        if self.depth > DEEPEST:
            rule = f"be nested at most {DEEPEST} deep"
            raise refusal(at[:80], rule, "what is deeper", kind=FileFormatError)


def refuse_field(at: str, must: str, value: object) -> NoReturn:
    """Raise the error of a place in a document."""
    must = must if len(must) <= 140 else f"{must[:137]}..."
    remedy = "Write the document again with to_json, or mend it there."
    raise refusal(format_json_path(at), f"be {must}", format_value(value), remedy, FileFormatError)


def format_json_path(at: str) -> str:
    """A place as a message shows it."""
    return (at or "the document") if len(at) <= 120 else f"...{at[-117:]}"


def join_path(at: str, name: str) -> str:
    """The place of a part."""
    return f"{at}.{name}" if at else name


def construct(make: Any, content: Any, at: str) -> Any:
    """What a constructor makes, or its error with the place."""
    try:
        return make(content)
    except FileFormatError:
        raise
    except errors.BetarocError as error:
        raise FileFormatError(f"{format_json_path(at)}: {error}"[:400]) from error
    except (TypeError, ValueError, ArithmeticError, LookupError) as error:
        rule, kind = "hold fields that go together", FileFormatError
        raise refusal(format_json_path(at), rule, format_value(str(error)), kind=kind) from error


# ------------------------------------------------------------------------------ codecs
@dataclass(frozen=True, eq=False)
class Codec:
    """How things of one type stand in a document."""

    form: str
    must: str
    python: tuple[Any, ...] = ()
    parts: tuple[Codec, ...] = ()
    members: Mapping[str, Any] = field(default_factory=dict)
    kind: str = ""

    @property
    def named(self) -> bool:
        """Whether a record names its kind."""
        return issubclass(self.python[0], Value)

    @property
    def optional(self) -> bool:
        """Whether null may stand there for None."""
        return NULL in self.parts


NULL = Codec("scalar", "null", (type(None),))
WHOLE = Codec("scalar", "a whole number", (int, np.integer))
FLAG = Codec("scalar", "true or false", (bool, np.bool_))
TEXT = Codec("scalar", "text", (str,))
REAL = Codec(
    "real", 'a number that doubles can hold, "inf", "-inf" or null for undefined',
    (float, int, np.floating, np.integer),
)  # fmt: skip
ANYTHING = Codec(
    "anything", "a number that doubles can hold, text, true, false, null or a list of these",
    (type(None), bool, int, float, str, np.generic),
)  # fmt: skip
_SIMPLE: dict[Any, Codec] = {
    float: REAL, int: WHOLE, bool: FLAG, str: TEXT, type(None): NULL, Any: ANYTHING,
}  # fmt: skip
_FLOATS = [{"float": word} for word in ("nan", "inf", "-inf")]
#: Of the entries of each kind of array what errors call them, their codec and dtype, and how JSON
#: has them.
_ENTRIES: dict[str, tuple[str, Codec, str, set[type]]] = {
    "f": ('numbers, "inf", "-inf" or null', REAL, "float64", {float, int}),
    "i": ("whole numbers", WHOLE, "int64", {int}),
    "b": ("true and false", FLAG, "bool", {bool}),
    "U": ("texts", TEXT, "str", {str}),
    "": ("one type", ANYTHING, "", set()),
}
_LETTERS = {"float64": "f", "float32": "f", "float16": "f", "int64": "i", "bool": "b", "str": "U"}
_ARRAYS = {np.float64: "f", np.signedinteger: "i", np.bool_: "b", np.str_: "U", Any: ""}


def unaliased(hint: Any) -> Any:
    """What a named alias stands for."""
    alias, arguments = getattr(get_origin(hint) or hint, "__value__", hint), get_args(hint)
    return alias[arguments] if arguments and alias is not hint else alias


@cache
def codec_of(hint: Any) -> Codec:
    """The codec of a type."""
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    hint = unaliased(hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        values = tuple(k for k in arguments if isinstance(k, type) and issubclass(k, Value))
        options = tuple(codec_of(kind) for kind in arguments if kind not in values)
        options += (_record(*values),) if values else ()
        must = [part.must for part in options if part is not NULL] + ["null"] * (NULL in options)
        return options[0] if len(options) == 1 else Codec("either", ", or ".join(must), (), options)
    if origin is tuple and arguments[-1] is Ellipsis:
        return Codec("many", "a list", (tuple,), (codec_of(arguments[0]),))
    if origin is tuple:
        parts = tuple(map(codec_of, arguments))
        return Codec("each", f"a list of {len(parts)}", (tuple,), parts)
    if origin is np.ndarray:
        (scalar,) = get_args(arguments[1])
        kind = _ARRAYS[get_origin(scalar) or scalar]
        return Codec("array", f"a list of {_ENTRIES[kind][0]}", (np.ndarray,), kind=kind)
    if origin is Literal:
        return _choice({word: word for word in arguments})
    if origin is type:
        kinds = {name: k for name, k in vars(errors).items() if isinstance(k, type)}
        return _choice({n: k for n, k in kinds.items() if issubclass(k, errors.BetarocWarning)})
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return Codec("mapping", "an object", (Mapping,), (codec_of(arguments[1]),))
    if hasattr(hint, "_of_text"):
        return Codec("text", "text", (hint,))
    if issubclass(hint, Enum):
        return _choice({member.value: member for member in hint})
    return _record(hint)


def _choice(members: Mapping[str, Any]) -> Codec:
    return Codec("choice", f"one of {format_list(members)}", members=members)


def _record(*kinds: type) -> Codec:
    must = f"an object of kind {' or '.join(kind.__name__ for kind in kinds)}"
    return Codec("record", must, kinds)


def is_nan(document: Any) -> bool:
    """Whether nan stands where null would be None."""
    return isinstance(document, dict) and document == _FLOATS[0]


def _takes(codec: Codec, value: Any) -> bool:
    if codec.form == "either":
        return any(_takes(part, value) for part in codec.parts)
    if codec.form == "choice":
        return any(type(value) is type(m) and value == m for m in codec.members.values())
    if codec.form == "anything" and isinstance(value, list):
        return all(_takes(codec, part) for part in value)
    if codec.form == "array":
        kinds = {"i": "iu", "": "iubfU"}.get(codec.kind, codec.kind)
        return isinstance(value, np.ndarray) and value.dtype.kind in kinds
    if codec.form == "mapping":
        return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)
    if codec.form == "each" and isinstance(value, tuple) and len(value) != len(codec.parts):
        return False
    truth = isinstance(value, bool | np.bool_) and bool not in codec.python
    return isinstance(value, codec.python) and not truth


def _suits(codec: Codec, document: Any) -> bool:
    kind = type(document)
    match codec.form:
        case "real":
            small = kind in (int, float) and not abs(document) > _LARGEST
            return small or document is None or document in ("inf", "-inf")
        case "choice":
            return kind is str and document in codec.members
        case "text":
            return kind is str
        case "many" | "each":
            return kind is list and _takes(codec, tuple(document))
        case "either":
            undefined = codec.optional and is_nan(document)
            return undefined or any(_suits(part, document) for part in codec.parts)
        case "anything" if kind is dict:
            return document in _FLOATS
        case "anything":
            return not (kind is float and math.isinf(document))
        case "array":
            keys = ({"same as"}, {"values", "dtype", "shape"})
            return kind is list or (kind is dict and set(document) in keys)
        case "record":
            return kind is dict and not is_nan(document)
    return _takes(codec, document)


def write(codec: Codec, value: Any, at: str, state: _State) -> Any:
    """The plain form of a value of the type."""
    if not _takes(codec, value):
        rule, remedy = f"be {codec.must} to be written", "Pickle it instead."
        raise refusal(at, rule, typed(value), remedy, errors.InputTypeError)
    match codec.form:
        case "real":
            return plain(float(value))
        case "choice":
            return next(word for word, member in codec.members.items() if member == value)
        case "many" | "each":
            parts = codec.parts * len(value) if codec.form == "many" else codec.parts
            both = enumerate(zip(parts, value, strict=True))
            return [write(part, v, f"{at}[{k}]", state) for k, (part, v) in both]
        case "mapping":
            part = codec.parts[0]
            return {k: write(part, v, join_path(at, k), state) for k, v in value.items()}
        case "either":
            part = next(part for part in codec.parts if _takes(part, value))
            document = write(part, value, at, state)
            undefined = codec.optional and document is None and value is not None
            return {"float": "nan"} if undefined else document
        case "text":
            return value._to_text()
        case "anything":
            if isinstance(value, list):
                return [write(codec, part, at, state) for part in value]
            scalar = value.item() if isinstance(value, np.generic) else value
            finite = not isinstance(scalar, float) or math.isfinite(scalar)
            return scalar if finite else {"float": repr(float(scalar))}
        case "array":
            return _write_array(codec, value, at, state)
        case "record":
            return _write_record(value, at, state)
    return None if value is None else codec.python[0](value)


def read(codec: Codec, document: Any, at: str, state: _State) -> Any:
    """The value of a plain form."""
    if not _suits(codec, document):
        refuse_field(at, codec.must, document)
    match codec.form:
        case "real":
            return float("nan" if document is None else document)
        case "choice":
            return codec.members[document]
        case "many" | "each":
            parts = codec.parts * len(document) if codec.form == "many" else codec.parts
            both = enumerate(zip(parts, document, strict=True))
            return tuple(read(part, d, f"{at}[{k}]", state) for k, (part, d) in both)
        case "mapping":
            part = codec.parts[0]
            return {k: read(part, d, join_path(at, k), state) for k, d in document.items()}
        case "either":
            if codec.optional and (document is None or is_nan(document)):
                return None if document is None else math.nan
            part = next(part for part in codec.parts if _suits(part, document))
            return read(part, document, at, state)
        case "text":
            return construct(codec.python[0]._of_text, document, at)
        case "anything" if isinstance(document, list):
            state.deeper(at)
            values = [read(codec, part, f"{at}[{k}]", state) for k, part in enumerate(document)]
            state.depth -= 1
            return values
        case "anything" if isinstance(document, dict):
            return float(document["float"])
        case "array" | "record":
            return _READERS[codec.form](codec, document, at, state)
    return document


# ------------------------------------------------------------------------------ arrays
def _write_array(codec: Codec, value: AnyArray, at: str, state: _State) -> Any:
    known, place = state.arrays.get(id(value), (None, ""))
    if known is value:
        return {"same as": place}
    if value.size >= _LARGE:
        state.arrays[id(value)] = value, at
    letter = "i" if value.dtype.kind == "u" else value.dtype.kind
    dtype = value.dtype.name if letter == "f" else _ENTRIES[letter][2]
    follows = dtype == "float64" if codec.kind == "f" else letter in "iUb"
    lists = value.ndim > 0 if value.size else value.shape == (0,) and codec.kind
    array = value if follows and lists else value.ravel()
    values = array.tolist()
    if letter == "f" and not np.isfinite(array).all():
        values = plain(values)
    if follows and lists:
        return values
    return {"values": values, "dtype": dtype, "shape": list(value.shape)}


def _read_array(codec: Codec, document: Any, at: str, state: _State) -> Any:
    if isinstance(document, list):
        flat, shape = _flat_list(document, at)
        kinds = set(map(type, flat))
        kind = codec.kind or next((k for k in "ibU" if kinds <= _ENTRIES[k][3]), "f")
        array = _entries(codec, flat, kind, at, state).reshape(shape)
    elif "same as" in document:
        place = document["same as"]
        known = state.arrays.get(place) if isinstance(place, str) else None
        if known is None or not _takes(codec, known):
            refuse_field(join_path(at, "same as"), "the place of an array before it", place)
        return known
    else:
        array = _shaped(codec, at=at, state=state, **document)
    state.arrays[at] = array
    return array


def _shaped(codec: Codec, values: Any, dtype: Any, shape: Any, at: str, state: _State) -> AnyArray:
    letter = _LETTERS.get(dtype) if isinstance(dtype, str) else None
    if letter is None or codec.kind not in ("", letter):
        refuse_field(f"{at}.dtype", "the dtype of such an array", dtype)
    whole = isinstance(shape, list) and len(shape) <= _MOST_AXES
    whole = whole and all(type(n) is int and n >= 0 for n in shape)
    whole = whole and math.prod(max(n, 1) for n in shape) < _MOST_ENTRIES
    if not isinstance(values, list) or not whole or math.prod(shape) != len(values):
        refuse_field(f"{at}.shape", "the shape of its values", shape)
    array = _entries(codec, values, letter, f"{at}.values", state).reshape(shape)
    with np.errstate(over="ignore"):  # beyond a narrow type is infinity
        return array.astype(dtype) if letter == "f" else array


def _flat_list(document: list[Any], at: str) -> tuple[list[Any], tuple[int, ...]]:
    shape: tuple[int, ...] = (len(document),)
    while document and isinstance(document[0], list) and len(shape) < _MOST_AXES:
        shape = *shape, len(document[0])
        for k, row in enumerate(document):
            if not isinstance(row, list) or len(row) != shape[-1]:
                refuse_field(f"{at}[{k}]", f"a list of {shape[-1]}, as the first is", row)
        document = [v for row in document for v in row]
    return document, shape


def _entries(codec: Codec, flat: list[Any], kind: str, at: str, state: _State) -> AnyArray:
    _, entry, dtype, json_types = _ENTRIES[kind]
    exact = set(map(type, flat)) <= json_types
    if not exact or (kind == "f" and math.inf in map(abs, flat)):
        flat = [read(entry, v, f"{at}[{k}]", state) for k, v in enumerate(flat)]
    if kind == "U" and len(flat) * max(map(len, flat), default=0) > _MOST_LETTERS:
        wide = f"{codec.must}, of which each takes the room of the longest"
        refuse_field(at, wide, f"{len(flat)} texts")
    try:
        return np.array(flat, dtype=dtype)
    except OverflowError:
        refuse_field(at, f"{codec.must}, of 64 bits each", max(flat, key=abs))


# ------------------------------------------------------------------ the fields of a class
@cache
def document_parts(kind: Any) -> dict[str, Codec]:
    """By name the codecs of the parts of a class."""
    return {name: codec_of(hint) for name, hint in hints_of(kind).items()}


def hints_of(kind: type) -> dict[str, Any]:
    """By name the types of the same."""
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
    return tuple(name for name in document_parts(kind) if name not in optional)


@cache
def also_of(kind: Any) -> frozenset[str]:
    """The parts that may be absent."""
    return kind._also() if issubclass(kind, Value) else frozenset()


def to_fields(value: Any) -> dict[str, Any]:
    """By name the parts of a value."""
    kind: Any = type(value)
    part_of = value._document_part if isinstance(value, Value) else partial(getattr, value)
    return {name: part_of(name) for name in document_parts(kind)}


def _write_record(value: Any, at: str, state: _State) -> dict[str, Any]:
    kind: Any = type(value)
    if not kind.__module__.startswith("betaroc."):
        what, rule = at or "what is written", "be of a class of betaroc, which readers know"
        remedy, error = "Pickle it instead.", errors.InputTypeError
        raise refusal(what, rule, format_value(kind.__name__), remedy, error)
    parts, record = document_parts(kind), {}
    for name, part in to_fields(value).items():
        present = part if isinstance(part, str | tuple) else part is not None
        if present or name not in also_of(kind):
            record[name] = write(parts[name], part, join_path(at, name), state)
    # What is short stands first.
    nested = {name: v for name, v in record.items() if isinstance(v, dict | list)}
    named = {"kind": kind.__name__} if issubclass(kind, Value) else {}
    record = named | {k: v for k, v in record.items() if k not in nested} | nested
    state.files += [(record, part) for part in getattr(kind, "_files", ()) if part in record]
    return record


def _read_record(codec: Codec, document: dict[str, Any], at: str, state: _State) -> Any:
    kind: Any = codec.python[0]
    if codec.named:
        options = names_below(codec.python, state.kinds)
        name = document.get("kind")
        if not isinstance(name, str) or name not in options:
            refuse_field(join_path(at, "kind"), f"one of {', '.join(options)}", name)
        kind = state.kinds[name]
    parts = document_parts(kind)
    for name in document:
        if name not in parts and not (codec.named and name in ENVELOPE):
            raise FileFormatError(
                f"{format_json_path(join_path(at, name))} must be a field of {kind.__name__},"
                f" and there is none. {did_you_mean(name, list(parts))}".rstrip()
            )
    for name in needed_of(kind):
        if name not in document:
            refuse_field(join_path(at, name), f"there, {parts[name].must}", None)
    state.deeper(at)
    content = {
        name: read(codec, document[name], join_path(at, name), state)
        for name, codec in parts.items()
        if name in document
    }
    state.depth -= 1
    make = kind._restored if codec.named else lambda content: kind(**content)
    return construct(partial(consistent, content, at), construct(make, content, at), at)


_READERS = {"array": _read_array, "record": _read_record}
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


def consistent(content: dict[str, Any], at: str, result: Any) -> Any:
    """The value, if its numbers and lengths agree."""
    alike: tuple[str, ...] = getattr(result, "_same_length", ())
    if not alike and isinstance(content.get("alpha"), np.ndarray):
        names = (k for k, part in content.items() if isinstance(part, np.ndarray))
        alike = ("alpha", *(name for name in names if not name.endswith("_folds")))
    arrays = {name: reduce(getattr, name.split("."), result) for name in alike}
    sizes = {name: np.shape(part)[-1:] for name, part in arrays.items() if part is not None}
    for name, size in sizes.items():
        if size != sizes[alike[0]]:
            refuse_field(join_path(at, name), f"as long as {alike[0]}, {sizes[alike[0]]}", size)
    for name, part in content.items():
        low, high = span_of(name)
        parts = part if isinstance(part, tuple) else (part,)
        numbers = [np.asarray(n) for n in parts if isinstance(n, int | float | np.ndarray)]
        if low == 0.0 and any(np.any((n < low) | (n > high)) for n in numbers):
            refuse_field(join_path(at, name), f"from {low:g} to {high:g}", part)
        upper = f"{name.removesuffix('low')}high"
        ends = name in LOW_ENDS and part is not None and content.get(upper) is not None
        if ends and np.any(np.asarray(part) > content[upper]):
            refuse_field(join_path(at, name), f"at most {upper}", part)
    follows = {name: getattr(result, name) for name in content if isinstance(result, Value)}
    follows |= getattr(result, "_follows", dict)()
    for name, part in content.items():
        if name in follows and not agrees(part, follows[name]):
            refuse_field(join_path(at, name), f"{format_value(follows[name])}, which follows", part)
    return result


def span_of(name: str) -> tuple[float, float]:
    """Least and largest of the numbers of a name."""
    low = 0.0 if name in _FRACTIONS | _COUNTS or name.startswith("n_") else -math.inf
    return low, 1.0 if name in _FRACTIONS else math.inf


def agrees(stored: Any, follows: Any) -> bool:
    """Whether two parts agree but for rounding."""
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


def flat(value: Any, between: str = "_") -> Iterator[tuple[str, Any]]:
    """Texts, numbers and arrays within a value, by name."""
    for name, part in _parts(value):
        if part is None or isinstance(part, _WHOLE_PARTS):
            yield name, part
        else:
            for further, held in flat(part, between):
                yield f"{name}{'' if further[:1] == '[' else between}{further}", held


def readable(value: Any) -> Any:
    """A value as nested dictionaries and lists."""
    if value is None or isinstance(value, _WHOLE_PARTS):
        return value
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return list(map(readable, value))
    return {name: readable(part) for name, part in _parts(value)}


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
    """The parts as columns; arrays of one size have rows."""
    parts = {name: part for name, part in flat(value) if "[" not in name}
    sizes = {part.size for part in parts.values() if isinstance(part, np.ndarray)}
    size = sizes.pop() if len(sizes) == 1 else 1
    parts = single_row(value) if sizes else parts  # arrays of several sizes
    return {
        name: part.ravel() if isinstance(part, np.ndarray) else tables.cells(part, size)
        for name, part in parts.items()
    }


def single_row(value: Any) -> dict[str, Any]:
    """The texts and numbers among the parts."""
    return {k: v for k, v in flat(value) if "[" not in k and not isinstance(v, np.ndarray)}
