"""Argument checks: each returns the checked value and refuses in the form of `refusal`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import CLASSES, AnyArray, BoolArray, FloatArray, are_of
from betaroc.core.containers import array_1d, refuse_kind, to_numpy, width_of
from betaroc.core.errors import InputError, InputTypeError, PrecisionWarning, refusal
from betaroc.core.notices import warn
from betaroc.core.text import did_you_mean, format_list, format_value, typed
from betaroc.core.vocabulary import TERMS, Terms, name_among

#: What to do with labels in the place of scores.
SCORES_OF_LABELS = (
    "Pass predict_proba(X)[:, 1] or decision_function(X) instead of predict(X); a fully grown tree"
    " gives labels by each, so limit its depth."
)
#: What to do with values of another type, in any library.
_TO_NUMBERS = "Convert them to numbers (float64) first."

_T = TypeVar("_T")
#: Up to here every integer has a float64 of its own.
LARGEST_EXACT = 2**53
#: From here on integers and fractions are rounded to no double.
_TOO_LARGE = 2**1024 - 2**970
#: Of weights, whose squares and sums doubles hold.
_MOST_COPIES = 1e100
#: What to do where a number is out of its range.
GIVE, _A_FRACTION = "Give such a value.", "Give a fraction, such as 0.95."
#: What float() may take and is no real number here.
_NOT_REAL = (bool, np.bool_, complex, np.complexfloating, str, bytes, np.ndarray)


def choice(value: object, options: Sequence[str], name: str, source: str = "") -> str:
    """One of the named options; `source` says where all are listed."""
    if isinstance(value, str) and (among := name_among(value, options)) in options:
        return str(among)
    kind = InputError if isinstance(value, str) else InputTypeError
    remedy = (did_you_mean(value, options) + source).strip() or "Give one of them."
    raise refusal(name, f"be one of {format_list(options, 12)}", format_value(value), remedy, kind)


def terms_of(name: object) -> Terms:
    """The words of the field of that name."""
    return TERMS[choice(name, tuple(TERMS), "terms")]


def instance(value: object, kind: type[_T], name: str, result: str, noun: str = "") -> _T:
    """The value, if of that class; `noun` is what users call it."""
    if isinstance(value, kind):
        return value
    noun = noun or kind.__name__.removesuffix("Record")  # what a noun holds, called by the noun
    rule = f"be {'an' if noun[0] in 'AEIO' else 'a'} {noun}"
    raise refusal(name, rule, typed(value), f"Make one with {result}.", InputTypeError)


def flag(value: object, name: str) -> bool:
    """True or False, nothing that merely counts as either."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise refusal(name, "be True or False", format_value(value), GIVE, InputTypeError)


def name_or_none(value: object, remedy: str = GIVE) -> str | None:
    """A name, which may be left out."""
    if value is None or isinstance(value, str):
        return value
    raise refusal("name", "be text or None", typed(value), remedy, InputTypeError)


def _single(value: Any) -> Any:
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value


def _number(
    value: object, name: str, rule: str, holds: Callable[[float], bool], remedy: str = ""
) -> float:
    if type(value) is not float:
        single = _single(value)
        with suppress(TypeError, ValueError, OverflowError):
            value = single if isinstance(single, _NOT_REAL) else float(single)
        if not isinstance(value, float):
            raise refusal(name, rule, typed(single), "Give one number.", InputTypeError)
    if not holds(value):
        percent = f"Did you mean {value / 100.0!r}?" if 2.0 <= value <= 100.0 else _A_FRACTION
        raise refusal(name, rule, repr(value), remedy or percent)
    return value


def finite(value: object, name: str) -> float:
    """A finite real number."""
    return _number(value, name, "be a finite number", math.isfinite, GIVE)


def positive(value: object, name: str) -> float:
    """A finite number above 0."""
    return _number(value, name, "be a finite number > 0", lambda x: 0.0 < x < math.inf, GIVE)


def fraction(value: object, name: str, rule: str = "be a fraction in [0, 1]") -> float:
    """A number in [0, 1]."""
    return _number(value, name, rule, lambda x: 0.0 <= x <= 1.0)


def complement(value: object, name: str) -> float:
    """One less a fraction as decimals: of 0.9 it is 0.1."""
    return float(1 - Fraction(repr(fraction(value, name))))


def ascending(low: object, high: object) -> tuple[float, float]:
    """Two fractions, the first less than the second."""
    first, second = fraction(low, "low"), fraction(high, "high")
    if not first < second:
        raise refusal("low", "be less than high", f"low={first!r}, high={second!r}")
    return first, second


def span(value: Any, name: str) -> tuple[float, float]:
    """Two finite numbers in their order."""
    if width_of(value) != 2:
        kind = InputTypeError if width_of(value) < 0 else InputError
        raise refusal(name, "be two numbers, (low, high)", typed(value), kind=kind)
    low, high = finite(value[0], f"{name}[0]"), finite(value[1], f"{name}[1]")
    if not low < high:
        raise refusal(name, "be (low, high) with low < high", f"({low!r}, {high!r})")
    return low, high


def prior(value: object, name: str = "prior") -> float:
    """The probability of a client, in [0, 1]."""
    return fraction(value, name, "be the probability of a client, in [0, 1]")


def level(value: object, name: str = "level") -> float:
    """A confidence level, strictly between 0 and 1."""
    rule = "be a confidence level strictly between 0 and 1"
    return _number(value, name, rule, lambda x: 0.0 < x < 1.0)


def count(value: object, name: str, minimum: int = 1, most: int | None = LARGEST_EXACT) -> int:
    """A whole number within bounds; ``most`` may be None."""
    rule = f"be an int >= {minimum}"
    single = _single(value)
    if isinstance(single, bool | np.bool_) or not isinstance(single, int | np.integer):
        number = _number(single, name, rule, lambda _: True)
        hint = f"Did you mean {round(number)}?" if math.isfinite(number) else "Give an int."
        raise refusal(name, rule, format_value(single), hint)
    if single < minimum or (most is not None and single > most):
        rule += f" and <= {most}" if single >= minimum else ""
        raise refusal(name, rule, format_value(single))
    return int(single)


def counts(value: Any, name: str, minimum: int = 1) -> tuple[int, ...]:
    """One whole number or several, each of at least ``minimum``."""
    several = value.ravel() if isinstance(value, np.ndarray) else value
    if not isinstance(several, list | tuple | set | range | np.ndarray):
        return (count(value, name, minimum),)
    if not len(several):
        raise refusal(name, "hold a number", "none", "Leave it out.")
    return tuple(count(number, name, minimum) for number in several)


def randomness(rng: Any) -> Any:
    """A source of randomness, as it is."""
    if rng is None or isinstance(rng, np.random.SeedSequence | np.random.Generator):
        return rng
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool):
        return count(rng, "rng", 0, None)
    rule = "be None, an int >= 0, a numpy SeedSequence or a numpy Generator"
    raise refusal("rng", rule, typed(rng), "Give a seed, such as rng=1.", InputTypeError)


def generator(rng: Any) -> np.random.Generator:
    """A generator of that randomness."""
    return np.random.default_rng(randomness(rng))


# ------------------------------------------------------------------------------ arrays
def check_entries(
    array: AnyArray, bad: BoolArray, name: str, rule: str, remedy: str = "Give such values."
) -> None:
    """Refuse an array with bad entries: how many, and the first."""
    places = np.flatnonzero(bad)
    if places.size:
        first = int(places[0])
        number = format_value(array.flat[first])
        actual = f"{places.size} of {array.size} that are not, first at index {first}: {number}"
        raise refusal(name, rule, actual, remedy)


def check_ascending(array: FloatArray, name: str) -> None:
    """Refuse numbers that do not ascend, at the first that does not."""
    still = np.append(False, np.diff(array) <= 0.0)
    check_entries(array, still, name, "ascend", "Sort them, each once.")


def score_array(values: Any, name: str, *, absent: bool = False) -> FloatArray:
    """Finite scores as a read-only contiguous float64 array."""
    array = _float64(array_1d(values, name), name)
    known = np.isfinite(array)
    if absent and np.any(known):
        known |= array == -np.inf
    remedy = "Nothing is dropped unasked: remove or replace these trials first."
    check_entries(array, ~known, name, "be finite", remedy)
    return array


def kept_scores(array: FloatArray, name: str, *, absent: bool = False) -> FloatArray:
    """The array itself, read-only, of scores that nobody else holds."""
    checked = score_array(array, name, absent=absent)
    return frozen(array) if array.dtype == np.float64 else checked


def frozen(array: AnyArray) -> AnyArray:
    """The same array, made read-only."""
    array.flags.writeable = False
    return array


def _float64(array: AnyArray, name: str) -> FloatArray:
    if array.dtype.kind == "O":
        array = _from_objects(array, name)
    kind, width = array.dtype.kind, array.dtype.itemsize
    if kind not in "iuf":
        _refuse_dtype(array, name)
    if kind == "f" and width == 2:
        message = f"{name}: float16 scores have 11 significant bits. Store them as float32."
        warn(message, PrecisionWarning)
    with np.errstate(over="ignore", under="ignore"):
        result = np.array(array, dtype=np.float64, order="C", copy=True)
    if kind in "iu" and width == 8:
        _check_identity(array, name)
    if kind == "f" and width > 8:
        same = (result == 0.0) & (array != 0) | (result == 1.0) & (array != 1)
        lost = same | np.isinf(result) & np.isfinite(array)
        rule = "be apart from 0, 1 and inf as float64"
        check_entries(array, lost, name, rule, "Pass 1 - score or logits.")
    return frozen(result)


def _check_identity(array: AnyArray, name: str) -> None:
    """Refuse integers that float64 rounds."""
    lost = np.zeros(array.size, dtype=bool)
    for k in np.flatnonzero((array > LARGEST_EXACT) | (array < -LARGEST_EXACT)):
        lost[k] = int(float(int(array[k]))) != int(array[k])
    remedy = "Integers beyond 2**53 are rounded: subtract a constant or rank them first."
    check_entries(array, lost, name, "be exact as float64", remedy)


def _from_objects(array: AnyArray, name: str) -> AnyArray:
    if array.size and all(isinstance(item, bool | np.bool_) for item in array):
        _refuse_dtype(array.astype(bool), name)
    unreal = [k for k, item in enumerate(array) if not _is_real(item)]
    if unreal:
        item = array[unreal[0]]
        place = f"at index {unreal[0]} ({len(unreal)} of {array.size} are no numbers)"
        if item is None or type(item).__name__ in {"NAType", "NaTType"}:
            actual = f"{format_value(item)} {place}"
            raise refusal(name, "have no missing value", actual, "Drop these rows first.")
        remedy = "Flatten it." if width_of(item) >= 0 else "Convert all items with float(...)."
        if isinstance(item, complex | np.complexfloating):
            remedy = "Pass the real part, x.real."
        raise refusal(name, "hold real numbers", f"{typed(item)} {place}", remedy, InputTypeError)
    exact = (int, Fraction)
    large = [isinstance(item, exact) and not -_TOO_LARGE < item < _TOO_LARGE for item in array]
    remedy = "Numbers beyond 1.8e308 are too large: rescale the scores."
    check_entries(array, np.array(large, dtype=bool), name, "be finite as float64", remedy)
    integers = np.array([isinstance(item, int | np.integer) for item in array], dtype=bool)
    _check_identity(np.where(integers, array, 0).astype(object), name)
    return array.astype(np.float64)


def _is_real(item: object) -> bool:
    if isinstance(item, Decimal):
        return not item.is_snan()
    unreal = bool | np.bool_ | complex | np.complexfloating
    return isinstance(item, Real | np.number) and not isinstance(item, unreal)


#: By the kind of a dtype what its values are, and what to do with them.
_NO_NUMBERS = {
    "b": ("boolean decisions", "Did you swap labels and scores? " + SCORES_OF_LABELS),
    "U": ("text", _TO_NUMBERS), "T": ("text", _TO_NUMBERS), "S": ("bytes", _TO_NUMBERS),
    "c": ("complex numbers", "Pass the real part, x.real."),
    "M": ("dates", "Scores are numbers: pass another column."),
    "m": ("time spans", "Scores are numbers: pass another column."),
    "V": ("records", "Pass one of the fields."),
}  # fmt: skip


def _refuse_dtype(array: AnyArray, name: str) -> NoReturn:
    kind = array.dtype.kind
    what, remedy = _NO_NUMBERS.get(kind, ("what is read as no numbers", _TO_NUMBERS))
    if kind == "b" and "weight" in name:
        what, remedy = "booleans", _TO_NUMBERS
    first = str(array[0]) if kind in "mM" else array[0]
    actual = (
        f"{what} (dtype {array.dtype}, {array.size} values), first {format_value(first)} at index 0"
    )
    raise refusal(name, "be real numbers", actual, remedy, InputTypeError)


def probability_array(values: npt.ArrayLike, name: str) -> FloatArray:
    """Numbers in [0, 1] of any shape; NaN passes."""
    array = real_array(values, name)
    with np.errstate(invalid="ignore"):
        outside = (array < 0.0) | (array > 1.0)
    check_entries(array, outside, name, "be fractions in [0, 1]", "Divide percentages by 100.")
    return array


def rate_array(values: npt.ArrayLike, name: str) -> FloatArray:
    """Rates in [0, 1] that are asked of data."""
    array = probability_array(values, name)
    check_entries(array, np.isnan(array), name, "be fractions in [0, 1]", "Leave them out.")
    return array


def rates_1d(values: npt.ArrayLike, name: str) -> FloatArray:
    """One rate in [0, 1], or a list of them."""
    array = np.atleast_1d(rate_array(values, name))
    if array.ndim > 1 or not array.size:
        rule = "be one fraction or a list of them"
        raise refusal(name, rule, f"an array of shape {array.shape}", "Pass x.ravel().")
    return array


def real_array(values: Any, name: str) -> FloatArray:
    """Real numbers of any shape; NaN and inf pass."""
    if isinstance(values, np.ma.MaskedArray):
        refuse_kind(values, name, "a masked array", "Pass x.filled(np.nan).")
    array = to_numpy(values, name)
    if array.dtype.kind == "O" and array.size:
        array = _from_objects(array.reshape(-1), name).reshape(array.shape)
    if array.size and array.dtype.kind not in "iuf":
        _refuse_dtype(array.reshape(-1), name)
    return np.asarray(array, dtype=np.float64)


def weights_array(values: Any, n: int, name: str) -> FloatArray:
    """``n`` finite weights >= 0, not all zero, read-only."""
    array = _float64(array_1d(values, name), name)
    if array.size != n:
        actual, remedy = f"{array.size} weights for {n} scores", "Pass those of the same rows."
        raise refusal(name, "have one weight per score", actual, remedy)
    for bad, rule, remedy in (
        (~np.isfinite(array), "be finite", "Give a frequency, or 0 to leave a trial out."),
        (array < 0.0, "be >= 0", "A weight k stands for k equal trials."),
        (array > _MOST_COPIES, f"be <= {_MOST_COPIES:g}", "Divide all weights by one number."),
    ):
        check_entries(array, bad, name, rule, remedy)
    if not array.any():
        classes = [c for c in CLASSES if c in name] or CLASSES
        actual = f"0 for all {n} of the {' and '.join(classes)} scores"
        raise refusal(name, "have a sum > 0", actual, "Give at least one positive weight.")
    return array


def dtype_as(dtype: object, *samples: FloatArray) -> str:
    """The dtype that was named, if all scores are of it."""
    name = choice(dtype, ("float64", "float32", "float16"), "dtype")
    return name if all(are_of(name, values) for values in samples) else "float64"
