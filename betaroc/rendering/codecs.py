"""How things of one type stand in a document, and are read from it again."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from betaroc.core.errors import BetarocError, FileFormatError, InputTypeError
from betaroc.core.text import listed, shown
from betaroc.rendering.json_forms import read_array, write_array

_DEEPEST = 40
_WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}

Kinds = Mapping[str, type]


@dataclass
class Written:
    """Arrays that stand in a document already, and where; records with paths, and which parts."""

    arrays: dict[int, tuple[Any, str]] = field(default_factory=dict)
    files: list[tuple[dict[str, Any], str]] = field(default_factory=list)


@dataclass
class Known:
    """What a reader may make, and the arrays it has made."""

    kinds: Kinds
    arrays: dict[str, Any] = field(default_factory=dict)
    depth: int = 0

    def deeper(self, at: str) -> None:
        """One level of nesting."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise FileFormatError(
                f"{at[:80]} must be nested at most {_DEEPEST} deep; it is deeper. Nothing that"
                " betaroc writes is."
            )


def refused(at: str, must: str, given: object) -> NoReturn:
    """The error of a place in a document."""
    must = must if len(must) <= 140 else f"{must[:137]}..."
    raise FileFormatError(
        f"{told_place(at)} must be {must}; got {shown(given)}. Write the document again with"
        " to_json, or mend it there."
    )


def told_place(at: str) -> str:
    """A place as a message shows it."""
    return (at or "the document") if len(at) <= 120 else f"...{at[-117:]}"


def beside(at: str, name: str) -> str:
    """The place of a part."""
    return f"{at}.{name}" if at else name


# ------------------------------------------------------------------------------ codecs
class Codec(ABC):
    """How things of one type stand in a document."""

    must: str = ""

    @abstractmethod
    def takes(self, value: Any) -> bool:
        """Whether a value is of this type."""

    @abstractmethod
    def write(self, value: Any, at: str, done: Written) -> Any:
        """The plain form of a value."""

    @abstractmethod
    def suits(self, plain: Any) -> bool:
        """Whether a plain form is one of this type, by its outside."""

    @abstractmethod
    def read(self, plain: Any, at: str, known: Known) -> Any:
        """The value of a plain form."""

    @abstractmethod
    def schema(self, kinds: Kinds) -> dict[str, Any]:
        """What JSON schema says of the plain form."""

    def parts(self) -> Iterator[Codec]:
        """Codecs within."""
        return iter(())


class PlainCodec(Codec):
    """What stands in JSON as it is."""

    def __init__(
        self, python: tuple[type, ...], must: str, schema: dict[str, Any], make: Any
    ) -> None:
        self.python, self.must, self._schema, self._make = python, must, schema, make

    def takes(self, value: Any) -> bool:
        return isinstance(value, self.python) and (
            bool in self.python or not isinstance(value, bool | np.bool_)
        )

    def write(self, value: Any, at: str, done: Written) -> Any:
        return None if value is None else self._make(value)

    def suits(self, plain: Any) -> bool:
        return self.takes(plain)

    def read(self, plain: Any, at: str, known: Known) -> Any:
        if not self.suits(plain):
            refused(at, self.must, plain)
        return plain

    def schema(self, kinds: Kinds) -> dict[str, Any]:
        return self._schema


NULL = PlainCodec((type(None),), "null", {"type": "null"}, None)


class RealCodec(Codec):
    """A double."""

    must = 'a number, "inf", "-inf" or null for undefined'

    def takes(self, value: Any) -> bool:
        kinds = float | int | np.floating | np.integer
        return isinstance(value, kinds) and not isinstance(value, bool)

    def write(self, value: Any, at: str, done: Written) -> Any:
        number = float(value)
        if math.isfinite(number):
            return number
        return None if math.isnan(number) else ("inf" if number > 0.0 else "-inf")

    def suits(self, plain: Any) -> bool:
        return plain is None or plain in ("inf", "-inf") or type(plain) in (int, float)

    def read(self, plain: Any, at: str, known: Known) -> Any:
        if not isinstance(plain, str | int | float | None) or not self.suits(plain):
            refused(at, self.must, plain)
        if isinstance(plain, str) or plain is None:
            return _WORDS[plain or "nan"]
        try:
            number = float(plain)
        except OverflowError:
            number = math.inf
        if math.isinf(number):
            refused(at, f"{self.must}, of what doubles can hold", plain)
        return number

    def schema(self, kinds: Kinds) -> dict[str, Any]:
        return {"$ref": "#/$defs/number"}


class ChoiceCodec(Codec):
    """One of a few words, or the member of an enum."""

    def __init__(self, members: Mapping[Any, Any]) -> None:
        self.members = dict(members)
        self.must = f"one of {listed(self.members)}"

    def takes(self, value: Any) -> bool:
        return any(type(value) is type(m) and value == m for m in self.members.values())

    def write(self, value: Any, at: str, done: Written) -> Any:
        return next(plain for plain, member in self.members.items() if member == value)

    def suits(self, plain: Any) -> bool:
        return isinstance(plain, str) and plain in self.members

    def read(self, plain: Any, at: str, known: Known) -> Any:
        if not self.suits(plain):
            refused(at, self.must, plain)
        return self.members[plain]

    def schema(self, kinds: Kinds) -> dict[str, Any]:
        return {"enum": list(self.members)}


class ArrayCodec(Codec):
    """An array; a large one that stands there already is named by its place."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.must = "a list of " + {
            "f": 'numbers, "inf", "-inf" or null', "i": "whole numbers",
            "b": "true and false", "U": "texts", "": "one type",
        }[kind]  # fmt: skip

    def takes(self, value: Any) -> bool:
        kinds = {"i": "iu", "": "iubfU"}.get(self.kind, self.kind)
        return isinstance(value, np.ndarray) and value.dtype.kind in kinds

    def write(self, value: Any, at: str, done: Written) -> Any:
        held, place = done.arrays.get(id(value), (None, ""))
        if held is value:
            return {"same as": place}
        if value.size >= 32:
            done.arrays[id(value)] = value, at
        return write_array(value, self.kind)

    def suits(self, plain: Any) -> bool:
        return isinstance(plain, list) or (isinstance(plain, dict) and set(plain) in _ARRAY_KEYS)

    def read(self, plain: Any, at: str, known: Known) -> Any:
        if isinstance(plain, dict) and set(plain) == {"same as"}:
            place = plain["same as"]
            found = known.arrays.get(place) if isinstance(place, str) else None
            if found is None or not self.takes(found):
                refused(beside(at, "same as"), "the place of an array before it", place)
            return found
        if not self.suits(plain):
            refused(at, self.must, plain)
        known.arrays[at] = found = read_array(plain, self.kind, at, self.must, refused)
        return found

    def schema(self, kinds: Kinds) -> dict[str, Any]:
        return {"$ref": f"#/$defs/{_ARRAY_NAMES[self.kind]}"}


_ARRAY_KEYS = ({"same as"}, {"values", "dtype", "shape"})
_ARRAY_NAMES = {"f": "numbers", "i": "whole numbers", "b": "flags", "U": "texts", "": "entries"}


class ManyCodec(Codec):
    """A tuple of one type, or of one type each."""

    must = "a list"

    def __init__(self, items: tuple[Codec, ...], *, repeated: bool) -> None:
        self.items, self.repeated = items, repeated
        if not repeated:
            self.must = f"a list of {len(items)}"

    def takes(self, value: Any) -> bool:
        if not isinstance(value, tuple):
            return False
        return self.repeated or len(value) == len(self.items)

    def _each(self, size: int) -> tuple[Codec, ...]:
        return self.items * size if self.repeated else self.items

    def write(self, value: Any, at: str, done: Written) -> Any:
        pairs = zip(value, self._each(len(value)), strict=True)
        return [checked(codec, v, f"{at}[{k}]", done) for k, (v, codec) in enumerate(pairs)]

    def suits(self, plain: Any) -> bool:
        return isinstance(plain, list) and (self.repeated or len(plain) == len(self.items))

    def read(self, plain: Any, at: str, known: Known) -> Any:
        if not self.suits(plain):
            refused(at, self.must, plain)
        pairs = zip(plain, self._each(len(plain)), strict=True)
        return tuple(c.read(p, f"{at}[{k}]", known) for k, (p, c) in enumerate(pairs))

    def schema(self, kinds: Kinds) -> dict[str, Any]:
        each = [item.schema(kinds) for item in self.items]
        if self.repeated:
            return {"type": "array", "items": each[0]}
        return {"type": "array", "prefixItems": each, "minItems": len(each), "maxItems": len(each)}

    def parts(self) -> Iterator[Codec]:
        return iter(self.items)


class MappingCodec(Codec):
    """Things by name."""

    must = "an object"

    def __init__(self, item: Codec) -> None:
        self.item = item

    def takes(self, value: Any) -> bool:
        return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)

    def write(self, value: Any, at: str, done: Written) -> Any:
        return {k: checked(self.item, v, beside(at, k), done) for k, v in value.items()}

    def suits(self, plain: Any) -> bool:
        return isinstance(plain, dict)

    def read(self, plain: Any, at: str, known: Known) -> Any:
        if not self.suits(plain):
            refused(at, self.must, plain)
        return {k: self.item.read(v, beside(at, k), known) for k, v in plain.items()}

    def schema(self, kinds: Kinds) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": self.item.schema(kinds)}

    def parts(self) -> Iterator[Codec]:
        yield self.item


class EitherCodec(Codec):
    """One of several types, which their plain forms tell apart."""

    def __init__(self, options: tuple[Codec, ...]) -> None:
        self.options = options
        self.must = ", or ".join(option.must for option in options if option is not NULL)
        self.optional = NULL in options
        if self.optional:
            self.must += ", or null"

    def takes(self, value: Any) -> bool:
        return any(option.takes(value) for option in self.options)

    def write(self, value: Any, at: str, done: Written) -> Any:
        option = next(option for option in self.options if option.takes(value))
        plain = option.write(value, at, done)
        if plain is None and value is not None and self.optional:
            return {"float": "nan"}
        return plain

    def suits(self, plain: Any) -> bool:
        return is_nan(plain) or any(option.suits(plain) for option in self.options)

    def read(self, plain: Any, at: str, known: Known) -> Any:
        if plain is None and self.optional:
            return None
        if self.optional and is_nan(plain):
            return math.nan
        found = [option for option in self.options if option.suits(plain)]
        if not found:
            refused(at, self.must, plain)
        return found[0].read(plain, at, known)

    def schema(self, kinds: Kinds) -> dict[str, Any]:
        of = [option.schema(kinds) for option in self.options]
        if self.optional and any(isinstance(option, RealCodec) for option in self.options):
            of.append({"const": {"float": "nan"}})
        return {"anyOf": of}

    def parts(self) -> Iterator[Codec]:
        return iter(self.options)


def is_nan(plain: Any) -> bool:
    """Whether nan stands where null would be None."""
    return isinstance(plain, dict) and plain == {"float": "nan"}


class TextCodec(Codec):
    """What has a text that it can be read from."""

    must = "text"

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def takes(self, value: Any) -> bool:
        return isinstance(value, self.kind)

    def write(self, value: Any, at: str, done: Written) -> Any:
        return value._to_text()

    def suits(self, plain: Any) -> bool:
        return isinstance(plain, str)

    def read(self, plain: Any, at: str, known: Known) -> Any:
        if not isinstance(plain, str):
            refused(at, self.must, plain)
        return made(self.kind._of_text, plain, at)

    def schema(self, kinds: Kinds) -> dict[str, Any]:
        return {"type": "string"}


class AnyCodec(Codec):
    """Of no stated type: numbers, texts, flags, None and lists of them."""

    must = "a number, text, true, false, null or a list of these"

    def takes(self, value: Any) -> bool:
        if isinstance(value, list):
            return all(map(self.takes, value))
        return value is None or isinstance(value, bool | int | float | str | np.generic)

    def write(self, value: Any, at: str, done: Written) -> Any:
        if isinstance(value, list):
            return [self.write(one, at, done) for one in value]
        plain = value.item() if isinstance(value, np.generic) else value
        if isinstance(plain, float) and not math.isfinite(plain):
            return {"float": next(w for w, x in _WORDS.items() if repr(x) == repr(float(plain)))}
        return plain

    def suits(self, plain: Any) -> bool:
        return not isinstance(plain, dict) or set(plain) == {"float"}

    def read(self, plain: Any, at: str, known: Known) -> Any:
        if isinstance(plain, list):
            known.deeper(at)
            found = [self.read(one, f"{at}[{k}]", known) for k, one in enumerate(plain)]
            known.depth -= 1
            return found
        if isinstance(plain, dict):
            word = plain.get("float")
            if len(plain) > 1 or not isinstance(word, str) or word not in _WORDS:
                refused(at, self.must, plain)
            return _WORDS[word]
        if isinstance(plain, float) and math.isinf(plain):
            refused(at, "a number that doubles can hold", plain)
        return plain

    def schema(self, kinds: Kinds) -> dict[str, Any]:
        return {"$ref": "#/$defs/anything"}


def made(make: Any, content: Any, at: str) -> Any:
    """What a constructor makes, or its error with the place."""
    try:
        return make(content)
    except FileFormatError:
        raise
    except BetarocError as error:
        raise FileFormatError(f"{told_place(at) or 'the document'}: {error}"[:400]) from error
    except (TypeError, ValueError, ArithmeticError, LookupError) as error:
        raise FileFormatError(
            f"{told_place(at) or 'the document'} must hold fields that go together; they do not:"
            f" {shown(str(error))}. Write the document again with to_json."
        ) from error


def checked(codec: Codec, value: Any, at: str, done: Written) -> Any:
    """The plain form of a value, which is of the type that its field states."""
    if not codec.takes(value):
        raise InputTypeError(
            f"{at} must be {codec.must or 'of its type'} to be written; got {shown(value)} of type"
            f" {type(value).__name__}. Pickle it instead."
        )
    return codec.write(value, at, done)
