"""The columns of scores and labels in rows that are not in memory: what they must be."""

from __future__ import annotations

import math
import re
from functools import partial, reduce
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
    parts = source.each([score], partial(_unreadable, score=score), _both)
    n, bad, first = reduce(_both, parts, _NO_ROWS)
    if not bad and kind not in {*_TEXTS, "Object"}:
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


#: Rows, the wrong ones among them, and the first few of these.
_Wrong = tuple[int, int, list[Any]]
_NO_ROWS: _Wrong = 0, 0, []
_FEW = 3
#: Types of text.
_TEXTS = {"String", "Categorical", "Enum"}


def _both(one: _Wrong, other: _Wrong) -> _Wrong:
    return one[0] + other[0], one[1] + other[1], [*one[2], *other[2]][:_FEW]


def _unreadable(piece: Any, score: str) -> _Wrong:
    """By the type of the piece: a part may be of another than the whole says it is."""
    text = str(piece.collect_schema()[score]) in _TEXTS
    return _texts(piece, score) if text else _objects(piece, score)


def _texts(piece: Any, score: str) -> _Wrong:
    """Rows, values that do not read as numbers, and the first of them."""
    import narwhals as nw

    rows = piece.select(nw.col(score).cast(nw.String).alias("s"))
    reads = nw.col("s").str.contains(_NUMBER)
    wrong = rows.filter(~reads & ~nw.col("s").is_null())
    bad = _height(wrong)
    return _height(rows), bad, arrays_of(wrong.head(_FEW))["s"].tolist() if bad else []


def _height(rows: Any) -> int:
    import narwhals as nw

    return int(arrays_of(rows.select(nw.len().alias("n")))["n"][0])


def _objects(piece: Any, score: str) -> _Wrong:
    """Rows, values that neither are nor read as numbers nor are missing, and the first of them."""
    if is_lazy(piece):
        return 0, 0, []
    values = piece[score].to_list()
    strange = [v for v in values if not (isinstance(v, Number) or is_missing(v) or _reads(v))]
    return len(values), len(strange), strange[:_FEW]


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
    work = partial(_filtered, score=score, lost=lost)
    n, bad, first = reduce(_both, source.each([score], work, _both), _NO_ROWS)
    if bad:
        raise InputError(
            f"{source.name}column {shown(score)} must keep its identity as float64; {bad} of {n}"
            f" integers are beyond 2**53, such as {shown(first[0])}, and would be rounded. Subtract"
            " a constant or rank them first."
        )


def _filtered(piece: Any, score: str, lost: Any) -> _Wrong:
    wrong = piece.filter(lost)
    bad = _height(wrong)
    return _height(piece), bad, arrays_of(wrong.head(1))[score].tolist() if bad else []


def refuse_many_labels(source: Source, label: str) -> None:
    """Raise with the labels of most rows, counted on the engine."""
    nothing: _Tally = {}, False
    counted = source.each([label], partial(_counted_labels, label=label), _both_tallies)
    tally, more = reduce(_both_tallies, counted, nothing)
    parts = ", ".join(f"{shown(value, 24)} (count {n})" for value, n in list(tally.items())[:4])
    raise InputError(
        f"{source.name}column {shown(label)} must hold two labels; got"
        f" {'more than ' if more else ''}{len(tally)}: {parts} and others. Did you swap score and"
        " label?"
    )


#: Rows of the labels that most have, and whether there are more labels.
_Tally = tuple[dict[Any, int], bool]
_MOST = 1000


def _counted_labels(piece: Any, label: str) -> _Tally:
    import narwhals as nw

    rows = piece.select(nw.col(label).alias("label"))
    counts = rows.group_by("label").agg(nw.len().alias("n"))
    part = arrays_of(counts.sort("n", "label", descending=[True, False]).head(_MOST))
    tally = dict(zip(part["label"].tolist(), part["n"].tolist(), strict=True))
    return tally, len(tally) == _MOST


def _both_tallies(one: _Tally, other: _Tally) -> _Tally:
    labels = dict.fromkeys([*one[0], *other[0]])
    both = {k: one[0].get(k, 0) + other[0].get(k, 0) for k in labels}
    most = sorted(both.items(), key=lambda item: -item[1])[:_MOST]
    return dict(most), one[1] or other[1] or len(both) > _MOST
