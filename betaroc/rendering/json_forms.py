"""What JSON can hold: plain forms, and its text, strict to read."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from betaroc.core.errors import FileFormatError
from betaroc.core.text import shown

#: Levels of a document at most.
DEEPEST = 40


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
            f"the text must be nested at most {DEEPEST} deep, as betaroc writes; it is"
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
