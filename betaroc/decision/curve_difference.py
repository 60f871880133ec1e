"""The difference of two curves as a record: which system it names as better, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import BoolArray, FloatArray
from betaroc.core.containers import width_of
from betaroc.core.errors import InputError
from betaroc.core.tables import Table, Tabular
from betaroc.core.text import alphas_words, shown
from betaroc.core.value import travelling
from betaroc.decision.comparison_draws import Smallest
from betaroc.decision.curve import SAME_ALPHA
from betaroc.decision.epc import Epc
from betaroc.inference.interval import Interval
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import MEASURES, measure_title
from betaroc.rendering.numbers import level_words

#: Share of the replicates that must have a value.
MOST = 0.9
_SHORT = {"far": "FAR", "frr": "FRR", "tpr": "TPR", "tnr": "TNR", "hter": "HTER", "mcc": "MCC"}

#: So many ranges of alphas are named one by one.
_RANGES = 4


class AlphaRange(NamedTuple):
    """Neighbouring alphas at which the simultaneous band of a difference excludes 0."""

    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class CurveDifference(Tabular):
    """The difference of two curves: the fields of :class:`betaroc.Comparison`."""

    first: Epc
    second: Epc
    resample: str
    paired: bool
    dev_paired: bool | None
    level: float
    mean_difference: Interval
    alpha_range: tuple[float, float]
    low: FloatArray
    high: FloatArray
    band_low: FloatArray
    band_high: FloatArray
    _travels = travelling("differences")
    differences: FloatArray = field(compare=False, repr=False)
    smallest: Smallest
    groups: tuple[int | None, ...] | None = None

    @property
    def alpha(self) -> FloatArray:
        """The criterion's parameter."""
        return self.first.alpha

    @property
    def difference(self) -> FloatArray:
        """Value of the first curve minus value of the second."""
        return np.asarray(self.first.value - self.second.value)

    def to_frame(self) -> Table:
        """The difference at each alpha, with its interval and the band of all alphas.

        Returns
        -------
        DataFrame
            Of the library of the scores. Columns alpha, a and b (the values of both curves),
            difference, low, high, band_low, band_high, better (1 for a, 2 for b, 0 where none is
            named) and, where scores speak for the thresholds, n_beyond.

        Examples
        --------
        >>> import betaroc as br
        >>> dev = br.Scores([2, 3, 4], [0, 1, 2])
        >>> curve = br.epc(dev, br.Scores([3, 4, 5], [0, 1, 2]), alpha=[0.5])
        >>> br.compare(curve, curve, replicates=50, rng=1).to_frame()["difference"].tolist()
        [0.0]
        """
        columns: dict[str, Any] = {
            "alpha": self.alpha, "a": self.first.value, "b": self.second.value,
            "difference": self.difference, "low": self.low, "high": self.high,
            "band_low": self.band_low, "band_high": self.band_high, "better": self.better,
        }  # fmt: skip
        beyond = self.n_beyond
        return self._table(columns if beyond is None else {**columns, "n_beyond": beyond})

    @property
    def n_beyond(self) -> FloatArray | None:
        """Scores that speak for the thresholds at each alpha, of the curve with fewer."""
        found = [own for e in (self.first, self.second) if (own := e.n_beyond) is not None]
        return np.minimum.reduce(found) if found else None

    @property
    def significant(self) -> BoolArray:
        """Where the interval of this alpha by itself excludes 0.

        Of many alphas some do by chance; what may be said of single alphas is in `ranges`.
        """
        if self.too_few:
            return np.zeros(self.alpha.size, dtype=np.bool_)
        return np.asarray((self.low > 0.0) | (self.high < 0.0))

    @property
    def better(self) -> npt.NDArray[np.int8]:
        """At each alpha 1 where the simultaneous band names system a as better, 2 for b, else 0."""
        if self.too_few or self._lost > (1.0 - MOST) * self.differences.shape[0]:
            return np.zeros(self.alpha.size, dtype=np.int8)
        above, below = self.band_low > 0.0, self.band_high < 0.0
        first, second = (above, below) if self._larger else (below, above)
        return np.where(first, 1, np.where(second, 2, 0)).astype(np.int8)

    @property
    def better_on_average(self) -> str | None:
        """The system that the interval of `mean_difference` names, "a" or "b"; None: neither."""
        mean = self.mean_difference
        if self.cannot_tell or mean.low <= 0.0 <= mean.high:
            return None
        return "a" if (mean.low > 0.0) == self._larger else "b"

    @property
    def ranges(self) -> tuple[AlphaRange, ...]:
        """The longest runs of alphas at which the simultaneous band names one better system.

        First and last alpha of each, which system in `ranges_better`. A run holds neighbours among
        the alphas of the curves; what lies between two of them was not looked at.
        """
        return tuple(run for run, _ in self._runs)

    @property
    def ranges_better(self) -> tuple[str, ...]:
        """The better system of each of the `ranges`, "a" or "b"."""
        return tuple(system for _, system in self._runs)

    @property
    def _runs(self) -> tuple[tuple[AlphaRange, str], ...]:
        order = np.argsort(self.alpha, kind="stable")
        alpha, who = self.alpha[order], self.better[order]
        starts = np.flatnonzero(np.diff(who, prepend=np.int8(-1)) != 0)
        ends = np.append(starts[1:], who.size) - 1
        return tuple(
            (AlphaRange(float(alpha[i]), float(alpha[j])), "ab"[who[i] - 1])
            for i, j in zip(starts.tolist(), ends.tolist(), strict=True)
            if who[i]
        )

    @property
    def too_few(self) -> str:
        """Why these trials are too few to name a better system; empty where they are not."""
        return self.smallest.too_few

    @property
    def _lost(self) -> int:
        """Replicates without a difference at some alpha of the range."""
        values = self.differences[:, inside(self.alpha, self.alpha_range)]
        return int(np.sum(np.any(np.isnan(values), axis=1)))

    @property
    def cannot_tell(self) -> str:
        """Why nothing can be said of the average; empty where something can."""
        measure = short_measure(self.first.measure)
        mean, replicates = self.mean_difference, self.differences.shape[0]
        lost = self._lost
        if self.too_few:
            return self.too_few
        if np.isnan(mean.estimate):
            return f"the {measure} is undefined (0/0) at some of these alphas"
        if lost > (1.0 - MOST) * replicates:
            return f"{lost} of {replicates} replicates have no {measure}, or no fit"
        if mean.low == mean.high == 0.0:
            alike = int(np.sum(np.all(self.differences == 0.0, axis=1)))
            if alike == replicates:
                return "both err alike in every replicate, so that nothing tells them apart"
            return f"both err alike in {alike} of {replicates} replicates"
        return ""

    @property
    def names(self) -> tuple[str, str]:
        """The names of the test sets, or A and B where they do not tell the systems apart."""
        return called(self.first, self.second, ("A", "B"))

    @property
    def _larger(self) -> bool:
        return larger_is_better(self.first.measure)


def called(first: Epc, second: Epc, otherwise: tuple[str, str]) -> tuple[str, str]:
    """The names of the test sets, else of dev, where they tell the systems apart."""
    a, b = (e.test.name or e.dev.name for e in (first, second))
    return (a, b) if a and b and a != b else otherwise


def inside(alpha: FloatArray, used: tuple[float, float]) -> BoolArray:
    """Which alphas lie in a range."""
    return np.asarray((alpha >= used[0] - SAME_ALPHA) & (alpha <= used[1] + SAME_ALPHA))


# -------------------------------------------------------------------------- in words
def larger_is_better(measure: str) -> bool:
    """The direction of a measure; a weighted error is better small."""
    known = MEASURES.get(measure)
    return known is not None and known.larger_is_better


def short_measure(measure: str) -> str:
    """A measure as it stands in a sentence."""
    return _SHORT.get(measure, measure_title(measure))


def both_names(names: tuple[str, str], given: Sequence[str] | None) -> tuple[str, str]:
    """What the systems are called: as given, else as they are called without."""
    if given is None:
        return names
    if width_of(given) != 2 or not all(isinstance(one, str) for one in given):
        raise InputError.about("names")(
            f"names must be those of the two systems; got {shown(given)}. Give two, such as"
            ' names=("A", "B").'
        )
    return given[0], given[1]


def verdict_words(of: CurveDifference, names: tuple[str, str]) -> str:
    """The area, which alone may name a better system; then single alphas, by the whole band."""
    start = "at these two thresholds, " if of.resample == "test" else ""
    parts = [_area_words(of, names), _band_words(of, names)]
    text = start + "; ".join(part for part in parts if part)
    return text[0].upper() + text[1:] if start else text


def _area_words(of: CurveDifference, names: tuple[str, str]) -> str:
    """The difference averaged over alpha, and what may be said of it."""
    measure, where = short_measure(of.first.measure), where_words(of.first, of.alpha_range)
    mean = of.mean_difference
    why = of.cannot_tell
    if why:
        return (
            f"cannot tell which of {names[0]} and {names[1]} has the {way_words(of.first.measure)}"
            + (f" {measure}{where}: {why}")
        )
    interval = f"{level_words(of.level)} interval {mean.low:.3g} to {mean.high:.3g}"
    if mean.low <= 0.0 <= mean.high:
        return (
            f"no better system can be named: {measure}{where}, {names[0]} - {names[1]}, is"
            f" {mean.estimate:.3g} ({interval}, which holds 0)"
        )
    better = names[0] if of.better_on_average == "a" else names[1]
    return (
        f"{better} is better: {measure}{where}, {names[0]} - {names[1]}, is {mean.estimate:.3g}"
        f" ({interval})"
    )


def _band_words(of: CurveDifference, names: tuple[str, str]) -> str:
    """Where the simultaneous band excludes 0; nothing where there is but one alpha."""
    if of.alpha.size == 1 or of.too_few:
        return ""
    start = f"the simultaneous {level_words(of.level)} band of the difference excludes 0"
    found = of.ranges
    if not found:
        return f"{start} at no single alpha"
    measure, way = short_measure(of.first.measure), way_words(of.first.measure)
    parts = []
    for system, name in zip("ab", names, strict=True):
        own = [one for one, who in zip(found, of.ranges_better, strict=True) if who == system]
        if own:
            parts.append(f"{_ranges_words(of.alpha, own)} ({way} {measure}: {name})")
    return f"{start} {' and '.join(parts)}"


def _ranges_words(alpha: FloatArray, found: list[AlphaRange]) -> str:
    """Ranges of one system; of many only between which alphas they lie."""
    inside = [alpha[(alpha >= one.low) & (alpha <= one.high)] for one in found]
    if len(found) <= _RANGES:
        return " and ".join(alphas_words(part) for part in inside)
    low, high = found[0].low, found[-1].high
    among = int(((alpha >= low) & (alpha <= high)).sum())
    return (
        f"at {sum(part.size for part in inside)} of the {among} alphas from {low:.6g} to {high:.6g}"
    )


def where_words(e: Epc, used: tuple[float, float]) -> str:
    """Which average it is."""
    if CRITERIA[e.criterion].single:
        return ""
    low, high = used
    if low == high:
        return f" at alpha {low:.6g}"
    return f" averaged over alpha from {low:.6g} to {high:.6g}"


def way_words(measure: str) -> str:
    """Which values of a measure are better."""
    return "higher" if larger_is_better(measure) else "lower"
