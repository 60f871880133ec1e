"""What JSON can hold: plain forms, arrays as lists among them, and its text, strict to read."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np

from betaroc.core.arrays import AnyArray
from betaroc.core.errors import FileFormatError
from betaroc.core.text import shown


def plain(value: Any) -> Any:
    """What JSON can hold: infinities are "inf" and "-inf", what is undefined is None."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return float(value) if math.isfinite(value) else ("inf" if value > 0.0 else "-inf")
    return value


def json_text(document: Any) -> str:
    """The text of what :func:`plain` returned, indented but for lists without parts."""
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
    """The document of a text, of which nothing is left in doubt."""
    try:
        return json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refused)
    except json.JSONDecodeError as error:
        raise FileFormatError(
            f"the text must be JSON; it is not at line {error.lineno}, column {error.colno}:"
            f" {error.msg}. Was it cut short?"
        ) from error
    except RecursionError as error:
        raise FileFormatError(
            "the text must be nested as deep as betaroc writes, a few dozen levels at most; it is"
            " nested far deeper. Read another."
        ) from error
    except FileFormatError:
        raise
    except ValueError as error:  # whole numbers of thousands of digits
        raise FileFormatError(
            f"the text must hold numbers of ordinary length; got {shown(str(error))}."
        ) from error


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, n in counts.items() if n > 1)
        raise FileFormatError(
            f"a key must stand once in an object; {shown(twice)} stands twice. Leave one out."
        )
    return found


def _refused(word: str) -> NoReturn:
    raise FileFormatError(
        f'undefined must be written null, infinities "inf" and "-inf"; got {word}. Write the'
        " document again with to_json."
    )


# ------------------------------------------------------------------------------ arrays
_PLAIN = {"f": "float64", "i": "int64", "b": "bool", "U": "str"}
_TYPES: dict[str, set[type]] = {"f": {float, int}, "i": {int}, "b": {bool}, "U": {str}}
_SPECIAL: dict[Any, float] = {None: math.nan, "inf": math.inf, "-inf": -math.inf}
#: Of an array in a document: its axes, their entries, letters of texts as long as the longest.
_MOST_AXES, _MOST_ENTRIES, _MOST_LETTERS = 4, 2**31, 10**9
Refuse = Callable[[str, str, object], NoReturn]


def write_array(array: AnyArray, kind: str) -> Any:
    """Lists within each other; with dtype and shape where these do not follow from it."""
    letter = "i" if array.dtype.kind == "u" else array.dtype.kind
    dtype = array.dtype.name if letter == "f" else _PLAIN[letter]
    follows = dtype == "float64" if kind == "f" else letter in "iUb"
    lists = array.ndim > 0 if array.size else array.shape == (0,) and kind
    if follows and lists:
        return _listed(array, letter)
    return {"values": _listed(array.ravel(), letter), "dtype": dtype, "shape": list(array.shape)}


def _listed(array: AnyArray, letter: str) -> list[Any]:
    if letter == "f" and not np.isfinite(array).all():
        flat = [_word(v) for v in array.ravel().tolist()]
        boxed = np.empty(len(flat), dtype=object)
        boxed[:] = flat
        return list(boxed.reshape(array.shape).tolist())
    return list(array.tolist())


def _word(value: float) -> float | str | None:
    if math.isfinite(value):
        return value
    return None if math.isnan(value) else ("inf" if value > 0.0 else "-inf")


def read_array(plain: Any, kind: str, at: str, must: str, refuse: Refuse) -> AnyArray:
    """The array of what :func:`write_array` wrote."""
    if isinstance(plain, list):
        flat, shape = _flat(plain, at, refuse)
        return _of_kind(flat, kind or _kind_of(flat), at, must, refuse).reshape(shape)
    flat, shape, dtype = plain["values"], plain["shape"], plain["dtype"]
    letters = {"float64": "f", "float32": "f", "float16": "f", "int64": "i", "bool": "b"}
    letter = (letters | {"str": "U"}).get(dtype) if isinstance(dtype, str) else None
    if letter is None or (kind and kind != letter):
        refuse(f"{at}.dtype", "the dtype of such an array", dtype)
    whole = isinstance(shape, list) and len(shape) <= _MOST_AXES
    whole = whole and all(type(n) is int and 0 <= n < _MOST_ENTRIES for n in shape)
    if not isinstance(flat, list) or not whole or math.prod(shape) != len(flat):
        refuse(f"{at}.shape", "the shape of its values", shape)
    found = _of_kind(flat, letter, f"{at}.values", must, refuse).reshape(shape)
    if letter != "f":
        return found
    with np.errstate(over="ignore"):  # beyond a narrow type is infinity
        return found.astype(dtype)


def _flat(plain: list[Any], at: str, refuse: Refuse) -> tuple[list[Any], tuple[int, ...]]:
    """All entries, and the shape of the lists that hold them."""
    shape: tuple[int, ...] = (len(plain),)
    while plain and isinstance(plain[0], list) and len(shape) < _MOST_AXES:
        width = len(plain[0])
        for k, row in enumerate(plain):
            if not isinstance(row, list) or len(row) != width:
                refuse(f"{at}[{k}]", f"a list of {width}, as the first is", row)
        plain, shape = [v for row in plain for v in row], (*shape, width)
    return plain, shape


def _kind_of(flat: list[Any]) -> str:
    kinds = set(map(type, flat))
    return next((letter for letter in "ibU" if kinds <= _TYPES[letter]), "f")


def _of_kind(flat: list[Any], kind: str, at: str, must: str, refuse: Refuse) -> AnyArray:
    """Entries of one kind, each of them checked."""
    if not set(map(type, flat)) <= _TYPES[kind]:
        flat = [_entry(v, kind, f"{at}[{k}]", must, refuse) for k, v in enumerate(flat)]
    elif kind == "f" and math.inf in map(abs, flat):
        k = next(k for k, v in enumerate(flat) if math.isinf(v))
        refuse(f"{at}[{k}]", "a number that doubles can hold", flat[k])
    dtype: Any = np.str_ if kind == "U" else _PLAIN[kind]
    if kind == "U" and len(flat) * max(map(len, flat), default=0) > _MOST_LETTERS:
        refuse(at, f"{must}, of which each takes the room of the longest", f"{len(flat)} texts")
    try:
        return np.array(flat, dtype=dtype)
    except OverflowError:
        refuse(at, f"{must}, of 64 bits each", max(flat, key=abs))


def _entry(value: Any, kind: str, at: str, must: str, refuse: Refuse) -> Any:
    if kind == "f" and (value is None or isinstance(value, str)) and value in _SPECIAL:
        return _SPECIAL[value]
    if type(value) not in _TYPES[kind] or (kind == "f" and abs(value) == math.inf):
        refuse(at, f"of {must}", value)
    return value
