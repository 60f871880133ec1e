"""Argument checks: each returns the checked value, and all speak one form.

What must hold, what was given (count, first place, value), where, what to do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import CLASSES, AnyArray, FloatArray, are_of
from betaroc.core.containers import array_1d, refuse_kind, to_numpy, width_of
from betaroc.core.errors import InputError, InputTypeError, PrecisionWarning
from betaroc.core.notices import warn
from betaroc.core.text import listed, nearest, shown

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
#: Of weights, whose squares and sums doubles hold.
_MOST_COPIES = 1e100


def choice(value: object, options: Sequence[str], name: str, source: str = "") -> str:
    """One of the named options; `source` says where all of them are listed."""
    if isinstance(value, str) and value in options:
        return str(value)
    kind = InputError if isinstance(value, str) else InputTypeError
    raise kind.about(name)(
        f"{name} must be one of {listed(options, 12)}; got {shown(value)}."
        f" {(nearest(value, options) + source).strip() or 'Give one of them.'}"
    )


def instance(value: object, kind: type[_T], name: str, made: str, noun: str = "") -> _T:
    """The value, if it is of that class; `made` says how one is, `noun` what users call it."""
    if isinstance(value, kind):
        return value
    noun = noun or kind.__name__.removesuffix("Record")  # what a noun holds, called by the noun
    raise InputTypeError.about(name)(
        f"{name} must be {'an' if noun[0] in 'AEIO' else 'a'} {noun}; got {shown(value)} of type"
        f" {type(value).__name__}. Make one with {made}."
    )


def flag(value: object, name: str) -> bool:
    """True or False, nothing that merely counts as either."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise InputTypeError.about(name)(
        f"{name} must be True or False; got {shown(value)}. Give one of them."
    )


def _real(value: object, name: str, must: str) -> float:
    """A Python float of one real number that is no bool, text or array."""
    if type(value) is float:
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool | np.bool_ | complex | np.complexfloating | str | bytes):
        kind = type(value).__name__
        raise InputTypeError.about(name)(
            f"{name} {must}; got {shown(value)} of type {kind}. Give one number."
        )
    if isinstance(value, np.ndarray | list | tuple | dict | set):
        raise InputTypeError.about(name)(
            f"{name} {must}; got a {type(value).__name__}, {shown(value)}. Give one number."
        )
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError) as error:
        raise InputTypeError.about(name)(
            f"{name} {must}; got {shown(value)} of type {type(value).__name__}. Give one number."
        ) from error


def finite(value: object, name: str) -> float:
    """A finite real number."""
    must = "must be a finite number"
    number = _real(value, name, must)
    if not math.isfinite(number):
        raise InputError.about(name)(f"{name} {must}; got {number!r}. Give a finite value.")
    return number


def positive(value: object, name: str) -> float:
    """A finite number above 0, such as the shape of a distribution."""
    must = "must be a finite number > 0"
    number = _real(value, name, must)
    if not (math.isfinite(number) and number > 0.0):
        raise InputError.about(name)(f"{name} {must}; got {number!r}. Give a positive value.")
    return number


def fraction(value: object, name: str, must: str = "must be a fraction in [0, 1]") -> float:
    """A number in [0, 1]."""
    number = _real(value, name, must)
    if not 0.0 <= number <= 1.0:
        raise InputError.about(name)(f"{name} {must}; got {number!r}. {_percent(number)}")
    return number


def complement(value: object, name: str) -> float:
    """One less a fraction, as decimals: of 0.9 it is 0.1, the double nearest to what was meant.

    1 - 0.9 would be 0.09999999999999998, and 1 - 0.999999 off by 3e-11 of what is left.
    """
    return float(1 - Fraction(repr(fraction(value, name))))


def _percent(number: float) -> str:
    if 2.0 <= number <= 100.0:
        return f"Did you mean {number / 100.0!r}?"
    return "Give a fraction, such as 0.95."


def ascending(low: object, high: object) -> tuple[float, float]:
    """Two fractions, the first less than the second."""
    one, other = fraction(low, "low"), fraction(high, "high")
    if not one < other:
        raise InputError.about("low")(
            f"low must be less than high; got low={one!r}, high={other!r}."
        )
    return one, other


def span(value: Any, name: str) -> tuple[float, float]:
    """Two finite numbers in their order, such as the ends of an axis."""
    must = f"{name} must be two numbers, (low, high)"
    if width_of(value) < 0:
        raise InputTypeError.about(name)(
            f"{must}; got {shown(value)} of type {type(value).__name__}. Give a tuple of them."
        )
    if len(value) != 2:
        raise InputError.about(name)(f"{must}; got {len(value)}: {shown(value)}. Give both.")
    low, high = finite(value[0], f"{name}[0]"), finite(value[1], f"{name}[1]")
    if not low < high:
        raise InputError.about(name)(
            f"{name} must be (low, high) with low < high; got ({low!r}, {high!r})."
        )
    return low, high


def prior(value: object, name: str = "prior") -> float:
    """The probability of a client, in [0, 1]."""
    return fraction(value, name, "must be the probability of a client, in [0, 1]")


def level(value: object, name: str = "level") -> float:
    """A confidence level, strictly between 0 and 1."""
    must = "must be a confidence level strictly between 0 and 1"
    number = _real(value, name, must)
    if not 0.0 < number < 1.0:
        raise InputError.about(name)(f"{name} {must}; got {number!r}. {_percent(number)}")
    return number


def count(value: object, name: str, minimum: int = 1, most: int | None = LARGEST_EXACT) -> int:
    """A whole number of at least ``minimum``, and at most ``most`` unless that is None."""
    must = f"must be an int >= {minimum}"
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        number = _real(value, name, must)
        hint = f"Did you mean {round(number)}?" if math.isfinite(number) else "Give an int."
        raise InputError.about(name)(f"{name} {must}; got {shown(value)}. {hint}")
    if value < minimum:
        raise InputError.about(name)(f"{name} {must}; got {shown(value)}. Give a larger count.")
    if most is not None and value > most:
        raise InputError.about(name)(
            f"{name} {must} and <= {most}; got {shown(int(value))}. Give a smaller count."
        )
    return int(value)


def counts(value: Any, name: str, minimum: int = 1) -> tuple[int, ...]:
    """One whole number or several, each of at least ``minimum``."""
    several = value.ravel() if isinstance(value, np.ndarray) else value
    if not isinstance(several, list | tuple | set | range | np.ndarray):
        return (count(value, name, minimum),)
    found = tuple(count(one, name, minimum) for one in several)
    if not found:
        raise InputError.about(name)(f"{name} must hold a number; got none. Leave it out.")
    return found


def randomness(rng: Any) -> Any:
    """Where randomness comes from, as it is, whether it will be asked or not."""
    if rng is None or isinstance(rng, np.random.SeedSequence | np.random.Generator):
        return rng
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool):
        return count(rng, "rng", 0, None)
    raise InputTypeError.about("rng")(
        "rng must be None, an int >= 0, a numpy SeedSequence or a numpy Generator; got"
        f" {shown(rng)} of type {type(rng).__name__}. Give a seed, such as rng=1."
    )


def generator(rng: Any) -> np.random.Generator:
    """A generator of that randomness."""
    return np.random.default_rng(randomness(rng))


def score_array(values: Any, name: str, *, absent: bool = False) -> FloatArray:
    """Finite scores as a read-only contiguous float64 array, order kept.

    float32 and smaller integers convert exactly, float16 with a
    PrecisionWarning; the input is never written to and never shared. With `absent`
    scores may be -inf, which no threshold accepts.
    """
    array = _float64(array_1d(values, name), name)
    _refuse_nonfinite(array, name, absent=absent)
    return array


def kept_scores(array: FloatArray, name: str, *, absent: bool = False) -> FloatArray:
    """The array itself, read-only, if it is one of scores: of arrays that nobody else holds."""
    checked = score_array(array, name, absent=absent)
    if array.dtype != np.float64:
        return checked
    array.flags.writeable = False
    return array


def frozen(array: AnyArray) -> AnyArray:
    """The same array, made read-only."""
    array.flags.writeable = False
    return array


def _float64(array: AnyArray, name: str) -> FloatArray:
    kind = array.dtype.kind
    if kind == "O":
        array = _from_objects(array, name)
        kind = array.dtype.kind
    if kind not in "iuf":
        _refuse_dtype(array, name)
    if kind in "iu":
        _refuse_lost_integers(array, name)
    if array.dtype.itemsize == 2 and kind == "f":
        distinct = np.unique(array).size
        warn(
            f"{name}: float16 scores have 11 significant bits, {distinct} distinct values of"
            f" {array.size}; ties are of the format's making. Store scores as float32 or float64.",
            PrecisionWarning,
        )
    with np.errstate(over="ignore", under="ignore"):
        result = np.array(array, dtype=np.float64, order="C", copy=True)
    if array.dtype.itemsize > 8 and kind == "f":
        _refuse_rounded(array, result, name)
    return frozen(result)


def _from_objects(array: AnyArray, name: str) -> AnyArray:
    if array.size and all(isinstance(item, bool | np.bool_) for item in array):
        _refuse_dtype(array.astype(bool), name)
    bad = [i for i, item in enumerate(array) if not _is_real(item)]
    if bad:
        _refuse_object(array, bad, name)
    try:
        result = np.array([float(item) for item in array], dtype=np.float64)
    except OverflowError as error:
        _raise_too_large(array, name, error)
    integers = [i for i, item in enumerate(array) if isinstance(item, int | np.integer)]
    _refuse_lost(array, [i for i in integers if int(array[i]) != int(result[i])], name)
    return result


def _is_real(item: object) -> bool:
    from decimal import Decimal
    from numbers import Real

    unreal = bool | np.bool_ | complex | np.complexfloating
    if isinstance(item, Decimal):
        return not item.is_snan()
    return isinstance(item, Real | np.number) and not isinstance(item, unreal)


def _refuse_object(array: AnyArray, bad: list[int], name: str) -> NoReturn:
    """Of objects that are no real numbers the first, with how many there are."""
    first, item = bad[0], array[bad[0]]
    kind, many = type(item).__name__, f"{len(bad)} of {array.size}"
    if item is None or kind in {"NAType", "NaTType"}:
        raise InputError.about(name)(
            f"{name} must have no missing value; got {shown(item)} at index {first} ({many} are no"
            " numbers). Drop these rows first."
        )
    hints = {list: "Flatten it.", tuple: "Flatten it.", np.ndarray: "Flatten it."}
    hints |= dict.fromkeys((complex, np.complex128, np.complex64), "Pass the real part, x.real.")
    raise InputTypeError.about(name)(
        f"{name} must hold real numbers; got {shown(item)} of type {kind} at index {first} ({many}"
        f" are no numbers). {hints.get(type(item), 'Convert all items with float(...).')}"
    )


def _raise_too_large(array: AnyArray, name: str, error: Exception) -> NoReturn:
    def is_too_large(item: Any) -> bool:
        try:
            float(item)
        except OverflowError:
            return True
        return False

    large = [i for i, item in enumerate(array) if is_too_large(item)]
    raise InputError.about(name)(
        f"{name} must fit float64; got {shown(array[large[0]])} at index {large[0]}, too large for"
        f" it ({len(large)} of {array.size}). Rescale the scores."
    ) from error


def _refuse_lost(array: AnyArray, lost: Sequence[int], name: str) -> None:
    if len(lost):
        raise InputError.about(name)(
            f"{name} must keep their identity as float64; the integer {shown(array[lost[0]])} at"
            f" index {lost[0]} is beyond 2**53 and would be rounded ({len(lost)} of"
            f" {array.size}). Subtract a constant or rank them first."
        )


def _refuse_lost_integers(array: AnyArray, name: str) -> None:
    if array.dtype.itemsize < 8:
        return
    large = np.flatnonzero(
        (array > LARGEST_EXACT) | (array < -LARGEST_EXACT if array.dtype.kind == "i" else 0)
    )
    lost = [i for i in large.tolist() if int(float(int(array[i]))) != int(array[i])]
    _refuse_lost(array, lost, name)


def _refuse_dtype(array: AnyArray, name: str) -> NoReturn:
    words = {
        "b": ("boolean decisions", "Did you swap labels and scores? " + SCORES_OF_LABELS),
        "U": ("text", _TO_NUMBERS),
        "T": ("text", _TO_NUMBERS),
        "S": ("bytes", _TO_NUMBERS),
        "c": ("complex numbers", "Pass the real part, x.real."),
        "M": ("dates", "Scores are numbers: pass another column."),
        "m": ("time spans", "Scores are numbers: pass another column."),
        "V": ("records", "Pass one of the fields."),
    }
    if "weight" in name:
        words["b"] = ("booleans", _TO_NUMBERS)
    what, do = words.get(array.dtype.kind, ("what is read as no numbers", _TO_NUMBERS))
    first = str(array[0]) if array.dtype.kind in "mM" else array[0]
    raise InputTypeError.about(name)(
        f"{name} must be real numbers; got {what} (dtype {array.dtype}, {array.size} values), first"
        f" {shown(first)} at index 0. {do}"
    )


def _refuse_rounded(wide: AnyArray, narrow: FloatArray, name: str) -> None:
    same = (narrow == 0.0) & (wide != 0) | (narrow == 1.0) & (wide != 1)
    changed = np.flatnonzero(same | np.isinf(narrow) & np.isfinite(wide))
    if changed.size:
        index = int(changed[0])
        raise InputError.about(name)(
            f"{name} must keep 0, 1 and inf apart as float64; {changed.size} of {wide.size} values"
            f" become exactly {narrow[index]!s}, first at index {index}:"
            f" {str(wide[index])[:60]}. Pass 1 - score or logits."
        )


def _refuse_nonfinite(array: FloatArray, name: str, *, absent: bool = False) -> None:
    known = np.isfinite(array)
    if absent and np.any(known):
        known |= array == -np.inf
    if known.all():
        return
    bad = np.flatnonzero(~known)
    index = int(bad[0])
    kind = "NaN" if math.isnan(array[index]) else repr(float(array[index]))
    raise InputError.about(name)(
        f"{name} must be finite; score {index} is {kind} ({bad.size} of {array.size} are NaN or"
        " infinite). Nothing is dropped unasked: remove or replace these trials first."
    )


def probability_array(values: npt.ArrayLike, name: str) -> FloatArray:
    """Numbers in [0, 1] of any shape; NaN is let through, it propagates."""
    array = real_array(values, name)
    with np.errstate(invalid="ignore"):
        outside = np.flatnonzero((array < 0.0) | (array > 1.0))
    if outside.size:
        index = int(outside[0])
        raise InputError.about(name)(
            f"{name} must be fractions in [0, 1]; {outside.size} of {array.size} are outside, first"
            f" at index {index}: {float(array.flat[index])!r}. Divide percentages by 100."
        )
    return array


def rate_array(values: npt.ArrayLike, name: str) -> FloatArray:
    """Rates in [0, 1] that are asked of data, of any shape; NaN asks for nothing."""
    array = probability_array(values, name)
    unknown = np.flatnonzero(np.isnan(array))
    if unknown.size:
        raise InputError.about(name)(
            f"{name} must be fractions in [0, 1]; {unknown.size} of {array.size} are NaN, first at"
            f" index {int(unknown[0])}. Leave them out."
        )
    return array


def rates_1d(values: npt.ArrayLike, name: str) -> FloatArray:
    """One rate in [0, 1] that is asked of data, or a list of them."""
    array = np.atleast_1d(rate_array(values, name))
    if array.ndim > 1:
        raise InputError.about(name)(
            f"{name} must be one fraction or a list of them; got an array of shape {array.shape}."
            " Pass x.ravel()."
        )
    if not array.size:
        raise InputError.about(name)(f"{name} must hold at least one fraction; got none.")
    return array


def real_array(values: Any, name: str) -> FloatArray:
    """Real numbers of any shape, such as thresholds; NaN and inf are let through."""
    if isinstance(values, np.ma.MaskedArray):
        refuse_kind(values, name, "a masked array", "Pass x.filled(np.nan).")
    array = to_numpy(values, name)
    if array.dtype.kind == "O" and array.size:
        array = _from_objects(array.reshape(-1), name).reshape(array.shape)
    if array.size and array.dtype.kind not in "iuf":
        _refuse_dtype(array.reshape(-1), name)
    return np.asarray(array, dtype=np.float64)


def weights_array(values: Any, n: int, name: str) -> FloatArray:
    """``n`` finite weights >= 0, not all zero, as a read-only float64 array."""
    array = _float64(array_1d(values, name), name)
    if array.size != n:
        raise InputError.about(name)(
            f"{name} must have one weight a score; got {array.size} weights for {n} scores."
            " Pass the weights of the same rows."
        )
    _refuse_nonfinite_weight(array, name)
    negative = np.flatnonzero(array < 0.0)
    if negative.size:
        index = int(negative[0])
        raise InputError.about(name)(
            f"{name} must be >= 0; {name}[{index}] = {float(array[index])!r} < 0"
            f" ({negative.size} of {n} are negative). A weight k stands for k equal trials."
        )
    if array.max() > _MOST_COPIES:
        raise InputError.about(name)(
            f"{name} must be <= {_MOST_COPIES:g}; got {float(array.max())!r}. A weight k stands for"
            " k equal trials: divide all weights by one number."
        )
    if not array.any():
        named = [c for c in CLASSES if c in name]
        classes = f"the {named[0]} class has" if named else "the client and impostor classes have"
        raise InputError.about(name)(
            f"{name} must have a sum > 0; all {n} are 0, so {classes} total weight 0."
            " Give at least one positive weight."
        )
    return array


def _refuse_nonfinite_weight(array: FloatArray, name: str) -> None:
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        index = int(bad[0])
        raise InputError.about(name)(
            f"{name} must be finite; {name}[{index}] is {float(array[index])!r} ({bad.size} of"
            f" {array.size} are NaN or infinite). Give a frequency, or 0 to leave a trial out."
        )


def dtype_as(dtype: object, *samples: FloatArray) -> str:
    """The dtype that was named; doubles where not all scores are numbers of it."""
    name = str(choice(dtype, ("float64", "float32", "float16"), "dtype"))
    return name if all(are_of(name, values) for values in samples) else "float64"
