"""The columns of scores and labels in rows that are not in memory: what they must be."""

from __future__ import annotations

import math
import re
from numbers import Number
from typing import Any

from betaroc.core.checks import LARGEST_EXACT
from betaroc.core.errors import InputError, InputTypeError, PrecisionWarning
from betaroc.core.notices import warn
from betaroc.core.sentences import Term
from betaroc.core.text import listed, nearest, shown
from betaroc.data.engines import Source, arrays_of, is_lazy
from betaroc.data.sums import is_missing

__all__ = ["checked_schema", "refuse_lost_integers", "refuse_many_labels", "refuse_text"]

#: What reads as a number, in the regular expressions of every engine.
_NUMBER = r"^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$"
#: Integers that may be beyond 2**53.
_LONG = {"Int64", "UInt64", "Int128", "UInt128"}


def checked_schema(source: Source, score: str, label: str, **more: str) -> None:
    """Refuse missing columns and scores that are not numbers; warn of float16."""
    present = list(source.schema.names())
    for role, column in {"score": score, "label": label, **more}.items():
        if column not in present:
            raise InputError.about(role)(
                source.name + Term(f"{role}={shown(column)}") + f" must name a column; there are"
                f" {listed(present)}. {nearest(column, present)}Pass " + Term(f"{role}=...")
            )
    kind = source.schema[score]
    if not kind.is_numeric():
        refuse_text(source, score)
        raise InputTypeError(
            f"{source.name}column {shown(score)} must be numeric; its type is {kind}. Convert it to"
            " float64 first."
        )
    if str(kind) == "Float16":
        warn(
            f"column {shown(score)}: float16 scores have 11 significant bits; ties are of the"
            " format's making. Store scores as float32 or float64.",
            PrecisionWarning,
        )


def refuse_text(source: Source, score: str) -> None:
    """Raise where scores are text or other objects, counted on the engine."""
    kind = str(source.schema[score])
    n = bad = 0
    first: list[Any] = []
    for piece in source.pieces([score]):
        if kind in {"String", "Categorical", "Enum"}:
            rows, wrong, some = _texts(piece, score)
        else:
            rows, wrong, some = _objects(piece, score)
        n, bad, first = n + rows, bad + wrong, [*first, *some]
    if not bad and kind not in {"String", "Object", "Categorical", "Enum"}:
        return
    said = (
        f"{bad} of {n} values are no numbers, such as {listed(first, 3)}"
        if bad
        else (f"all {n} values read as numbers")
    )
    raise InputTypeError(
        f"{source.name}column {shown(score)} must be numeric; its type is {kind}, and {said}."
        f" {'Correct these rows and convert' if bad else 'Convert'} the column to float64 first."
    )


def _texts(piece: Any, score: str) -> tuple[int, int, list[Any]]:
    """Rows, values that do not read as numbers, and the first of them."""
    import narwhals as nw

    rows = piece.select(nw.col(score).cast(nw.String).alias("s"))
    reads = nw.col("s").str.contains(_NUMBER)
    wrong = rows.filter(~reads & ~nw.col("s").is_null())
    bad = _height(wrong)
    return _height(rows), bad, arrays_of(wrong.head(3))["s"].tolist() if bad else []


def _height(rows: Any) -> int:
    import narwhals as nw

    return int(arrays_of(rows.select(nw.len().alias("n")))["n"][0])


def _objects(piece: Any, score: str) -> tuple[int, int, list[Any]]:
    """Rows, values that neither are nor read as numbers nor are missing, and the first of them."""
    if not is_lazy(piece):
        return _strangers(piece[score].to_list())
    if not piece.implementation.is_dask():
        return 0, 0, []
    from dask.base import compute
    from dask.delayed import delayed

    parts = compute(*(delayed(_strangers)(part) for part in piece.to_native()[score].to_delayed()))  # type: ignore[no-untyped-call]
    return (
        sum(n for n, _, _ in parts),
        sum(bad for _, bad, _ in parts),
        [value for _, _, first in parts for value in first],
    )


def _strangers(values: Any) -> tuple[int, int, list[Any]]:
    """How many values, how many strangers among them, and the first three."""
    strange = [v for v in values if not (isinstance(v, Number) or is_missing(v) or _reads(v))]
    return len(values), len(strange), strange[:3]


def _reads(value: object) -> bool:
    return isinstance(value, str) and re.match(_NUMBER, value) is not None


def refuse_lost_integers(
    source: Source, score: str, low: float = -math.inf, high: float = math.inf
) -> None:
    """Raise where integers are beyond 2**53, counted if the extremes as doubles reach there."""
    import narwhals as nw

    kind = source.schema[score]
    if str(kind) not in _LONG or (-LARGEST_EXACT < low and high < LARGEST_EXACT):
        return
    lost = nw.col(score) > nw.lit(LARGEST_EXACT, kind)
    if kind.is_signed_integer():
        lost = lost | (nw.col(score) < nw.lit(-LARGEST_EXACT, kind))
    n = bad = 0
    first: list[Any] = []
    for piece in source.pieces([score]):
        wrong = piece.filter(lost)
        rows, some = _height(piece), _height(wrong)
        n, bad = n + rows, bad + some
        if some and not first:
            first = arrays_of(wrong.head(1))[score].tolist()
    if bad:
        raise InputError(
            f"{source.name}column {shown(score)} must keep its identity as float64; {bad} of {n}"
            f" integers are beyond 2**53, such as {shown(first[0])}, and would be rounded. Subtract"
            " a constant or rank them first."
        )


def refuse_many_labels(source: Source, label: str) -> None:
    """Raise with the labels of most rows, counted on the engine."""
    import narwhals as nw

    tally: dict[Any, int] = {}
    more = 0
    for piece in source.pieces([label]):
        rows = piece.select(nw.col(label).alias("label"))
        counts = rows.group_by("label").agg(nw.len().alias("n"))
        part = arrays_of(counts.sort("n", "label", descending=[True, False]).head(1000))
        for one, n in zip(part["label"].tolist(), part["n"].tolist(), strict=True):
            tally[one] = tally.get(one, 0) + n
        more += len(part["n"]) == 1000
    most = sorted(tally.items(), key=lambda item: -item[1])
    parts = ", ".join(f"{shown(value, 24)} (count {n})" for value, n in most[:4])
    raise InputError(
        f"{source.name}column {shown(label)} must hold two labels; got"
        f" {'more than ' if more else ''}{len(most)}: {parts} and others. Did you swap score and"
        " label?"
    )
