"""Designs: the parameters of the cells of a study."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError, InputTypeError, refusal
from betaroc.core.text import format_list, format_value, typed
from betaroc.rendering.nouns import Exportable

if TYPE_CHECKING:
    import pandas as pd

#: Cells up to which a design is shown to be pasted back.
_SHOWN = 8
#: Characters of its names, where there are more.
_NAMED = 120
_TAGS = ("log", "int")
#: Points of a Sobol sequence at most, 30 bits.
_MOST_POINTS = 2**30
#: Beyond the whole numbers that a column of results holds.
_WHOLE = 2**63


@dataclass(frozen=True, eq=False, repr=False)
class Design(Exportable):
    """Cells of a study: one value of each parameter in each.

    Made by :meth:`grid`, :meth:`sobol` and :meth:`latin_hypercube`. ``design * other`` pairs every
    cell with every cell of the other, which changes first.

    Parameters
    ----------
    names : tuple of str
        The parameters.
    columns : tuple of tuple
        The values of each, cell by cell: numbers (whole ones of 64 bits), text or booleans, one
        kind per column.

    Examples
    --------
    >>> import betaroc as br
    >>> shapes = br.Design.sobol({"a_c": (0.2, 5, "log"), "b_c": (0.2, 5, "log")}, 8, rng=1)
    >>> len(shapes * br.Design.grid({"n": [50, 500]}))
    16
    """

    names: tuple[str, ...]
    columns: tuple[tuple[Any, ...], ...]

    def __post_init__(self) -> None:
        for part in ("names", "columns"):
            if not isinstance(value := getattr(self, part), tuple | list):
                raise refusal(part, "be a tuple", typed(value), kind=InputTypeError)
        names = tuple(self.names)
        if not names or len(names) != len(self.columns):
            actual = f"{len(names)} names and {len(self.columns)} columns"
            raise refusal("a design", "have at least one parameter, a column for each", actual)
        for name in names:
            if not isinstance(name, str) or not name.strip():
                rule = "be text, such as 'a_c'"
                raise refusal("the names of a design", rule, typed(name), kind=InputTypeError)
            checked_text(name, "the name of a parameter")
        if twice := _repeated(names):
            do = "Leave it out of one of the parts."
            raise refusal("each parameter", "occur once in a design", f"{twice} twice", do)
        columns = tuple(_column(c, n) for c, n in zip(self.columns, names, strict=True))
        lengths = {len(column) for column in columns}
        if len(lengths) > 1:
            raise refusal("all columns of a design", "be as long", f"lengths {sorted(lengths)}")
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "columns", columns)

    # ------------------------------------------------------------------------ makers
    @classmethod
    def grid(cls, levels: Mapping[str, Any]) -> Design:
        """Every combination of levels, the last parameter's changing first.

        Parameters
        ----------
        levels : mapping of str to sequence
            The levels of each parameter, numbers, text or booleans, or a single value.

        Returns
        -------
        Design

        Examples
        --------
        >>> Design.grid({"n": [50, 500], "family": ["beta", "normal"]}).cell(1)
        {'n': 50, 'family': 'normal'}
        """
        columns = []
        for name, values in _mapping(levels, "levels", '{"n": [50, 500]}').items():
            single = isinstance(values, str | bool | int | float | np.generic)
            single |= isinstance(values, np.ndarray) and not values.ndim
            column = _column([values] if single else values, name)
            if twice := _repeated(column):
                do = "Leave one out, or take replicates= of the study."
                raise refusal(f"the levels of {name!r}", "be distinct", f"{twice} twice", do)
            columns.append(column)
        return cls(tuple(levels), tuple(zip(*itertools.product(*columns), strict=True)))

    @classmethod
    def sobol(cls, ranges: Mapping[str, Any], n: int, *, rng: Any = None) -> Design:
        """Points of a scrambled Sobol sequence: even in every margin and pair of parameters.

        Parameters
        ----------
        ranges : mapping of str to tuple
            (low, high), (low, high, "log") even in the logarithm, with "int" for whole numbers,
            each as likely.
        n : int
            Points, a power of two.
        rng : None, int, SeedSequence or Generator
            Source of the scrambling; a resumed study needs the same design, so give a seed.

        Returns
        -------
        Design

        References
        ----------
        Owen, A. (1998), Scrambling Sobol' and Niederreiter-Xing points, Journal of Complexity 14.

        Examples
        --------
        >>> design = Design.sobol({"a_c": (1.0, 3.0), "n": (10, 1000, "log", "int")}, 4, rng=1)
        >>> sorted(int(2 * (a - 1)) for a in design.columns[0]), type(design.cell(0)["n"]).__name__
        ([0, 1, 2, 3], 'int')
        """
        n = checks.count(n, "n")
        if n & (n - 1) or n > _MOST_POINTS:
            near = [min(k << (n.bit_length() - 1), _MOST_POINTS) for k in (1, 2)]
            do = f"Take {near[0]} or {near[1]}, or Design.latin_hypercube."
            noun = "the points of a Sobol sequence"
            raise refusal(noun, "be a power of two, up to 2**30", str(n), do)

        from scipy.stats import qmc

        rng = checks.generator(rng)
        return _points(
            ranges, lambda d: qmc.Sobol(d, scramble=True, rng=rng).random_base2(n.bit_length() - 1)
        )

    @classmethod
    def latin_hypercube(cls, ranges: Mapping[str, Any], n: int, *, rng: Any = None) -> Design:
        """Points that fall once into each of n equal parts of every parameter's range.

        Parameters
        ----------
        ranges : mapping of str to tuple
            As in :meth:`sobol`.
        n : int
            Points, any number.
        rng : None, int, SeedSequence or Generator
            As in :meth:`sobol`.

        Returns
        -------
        Design

        References
        ----------
        McKay, M., Beckman, R. and Conover, W. (1979), A comparison of three methods for
        selecting values of input variables, Technometrics 21.

        Examples
        --------
        >>> design = Design.latin_hypercube({"a_c": (0.0, 5.0)}, 5, rng=1)
        >>> sorted(int(a) for a in design.columns[0])
        [0, 1, 2, 3, 4]
        """
        n, rng = checks.count(n, "n"), checks.generator(rng)

        from scipy.stats import qmc

        return _points(ranges, lambda d: qmc.LatinHypercube(d, rng=rng).random(n))

    # ------------------------------------------------------------------------ what is there
    def __len__(self) -> int:
        return len(self.columns[0])

    def __mul__(self, other: object) -> Design:
        if not isinstance(other, Design):
            return NotImplemented
        mine, theirs = len(self), len(other)
        outer = [tuple(v for v in column for _ in range(theirs)) for column in self.columns]
        return Design(self.names + other.names, (*outer, *(c * mine for c in other.columns)))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for values in zip(*self.columns, strict=True):
            yield dict(zip(self.names, values, strict=True))

    def __repr__(self) -> str:
        text = self._constructor_repr() if len(self) <= _SHOWN else None
        names = ", ".join(self.names)
        return text or f"<Design of {len(self)} cells: {names:.{_NAMED}}>"

    def cell(self, k: int) -> dict[str, Any]:
        """The parameters of one cell, by name.

        Parameters
        ----------
        k : int
            Its number, from 0.

        Returns
        -------
        dict

        Examples
        --------
        >>> Design.grid({"a_c": [0.5, 2.0], "n": 100}).cell(1)
        {'a_c': 2.0, 'n': 100}
        """
        k = checks.count(k, "k", 0)
        if k >= len(self):
            raise refusal("k", f"be the number of a cell, below {len(self)}", str(k))
        return {name: column[k] for name, column in zip(self.names, self.columns, strict=True)}

    def to_frame(self) -> pd.DataFrame:
        """The cells as a pandas table: a row per cell, in order, a column per parameter.

        Examples
        --------
        >>> Design.grid({"n": [50, 500]}).to_frame()["n"].tolist()
        [50, 500]
        """
        import pandas as pd

        return pd.DataFrame(dict(zip(self.names, self.columns, strict=True)))

    def _digest(self) -> str:
        """What tells designs apart, to the last bit of every value."""
        text = json.dumps([self.names, self.columns], separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8")).hexdigest()


def as_design(value: Any) -> Design:
    """A design, or a mapping as a grid."""
    if isinstance(value, Design):
        return value
    if isinstance(value, Mapping):
        return Design.grid(value)
    rule = "be a Design or a mapping of names to levels"
    raise refusal("design", rule, typed(value), kind=InputTypeError)


# ---------------------------------------------------------------------------------- checks
def _mapping(value: Any, name: str, such_as: str) -> Mapping[Any, Any]:
    if isinstance(value, Mapping) and value:
        return value
    rule = "be a mapping of at least one parameter"
    kind = InputError if isinstance(value, Mapping) else InputTypeError
    raise refusal(name, rule, typed(value), f"Give one such as {such_as}.", kind)


def _repeated(values: Iterable[Any]) -> str:
    return format_list(value for value, many in Counter(values).items() if many > 1)


_KINDS = {bool: "booleans", float: "numbers", str: "text"}


def _column(values: Any, name: object) -> tuple[Any, ...]:
    item = isinstance(values, str | bytes | Set | Mapping)
    if item or np.ndim(values) == 0 or not isinstance(values, Iterable):
        actual = f"{typed(values)} for {name!r}"
        raise refusal("levels", "be sequences", actual, "Give a list.", InputTypeError)
    plain = [_python(v) for v in values]
    if not plain:
        raise refusal(repr(name), "have at least one level", "none", "Give one, or leave it.")
    for place, value in enumerate(plain):
        at = f"{typed(value)} at index {place} of {name!r}"
        if not isinstance(value, bool | int | float | str):
            raise refusal("levels", "be numbers, text or booleans", at, kind=InputTypeError)
        if isinstance(value, float) and not math.isfinite(value):
            raise refusal("levels", "be finite", at, "Leave it out.")
        if type(value) is int and not -_WHOLE <= value < _WHOLE:
            raise refusal("whole numbers", "fit into 64 bits", at, "Give a float.")
        if isinstance(value, str):
            checked_text(value, f"{name!r} at index {place}")
    kinds = {float if type(v) in (int, float) else type(v) for v in plain}
    if len(kinds) > 1:
        words = " and ".join(sorted(_KINDS[kind] for kind in kinds))
        actual, noun = f"{words}: {format_value(plain)}", f"the levels of {name!r}"
        raise refusal(noun, "be of one kind", actual, "Take two parameters.", InputTypeError)
    if kinds == {float} and not all(type(v) is int for v in plain):
        return tuple(float(v) for v in plain)
    return tuple(plain)


def _python(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return value if kind is bool else getattr(kind, f"__{kind.__name__}__")(value)
    return value


def checked_text(text: str, noun: str) -> str:
    """Text that a file can hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        actual = f"{format_value(text)}, with half a surrogate pair at place {error.start}"
        raise refusal(noun, "be text that UTF-8 can hold", actual, "Leave it out.") from error
    return text


def _points(value: Any, units: Callable[[int], FloatArray]) -> Design:
    ranges = _mapping(value, "ranges", '{"a_c": (0.2, 5.0, "log")}')
    checked = [_range(name, values) for name, values in ranges.items()]
    columns = []
    for (low, high, log, integer), unit in zip(checked, units(len(checked)).T, strict=True):
        ends = np.array([low, high + integer])
        first, last = np.log(ends) if log else ends
        values = first + unit * (last - first)
        values = np.exp(values) if log else values
        values = np.clip(np.floor(values) if integer else values, low, high).tolist()
        columns.append(tuple(map(int, values)) if integer else tuple(values))
    return Design(tuple(ranges), tuple(columns))


def _range(name: object, values: Any) -> tuple[float, float, bool, bool]:
    """Ends of a parameter, whether it is even in the logarithm, and whether whole."""
    parts = list(values) if isinstance(values, tuple | list) else []
    if len(parts) < 2 or any(tag not in _TAGS for tag in parts[2:]):
        name, rule = f"the range of {format_value(name)}", 'be (low, high), then "log" or "int"'
        raise refusal(name, rule, f"{values!r:.60}", "Take Design.grid.", InputTypeError)
    low, high = (checks.finite(parts[k], f"{name} {end}") for k, end in enumerate(("low", "high")))
    log, integer = "log" in parts[2:], "int" in parts[2:]
    must = "" if low < high else "low < high"
    must = 'low > 0 with "log"' if log and not low > 0.0 else must
    must = 'whole ends with "int"' if integer and not (low % 1.0 == high % 1.0 == 0.0) else must
    if must:
        actual = f"low={low!r}, high={high!r} for {name!r}"
        raise refusal("a range", f"have {must}", actual, "Take Design.grid for one value.")
    return low, high, log, integer
