"""Where two or more systems differ along their expected performance curves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import BoolArray, FloatArray, IntArray
from betaroc.core.containers import width_of
from betaroc.core.errors import InputTypeError, refusal
from betaroc.core.notices import collect_warnings
from betaroc.core.options import IntervalOptions
from betaroc.core.tables import Table, Tabular, first_library
from betaroc.core.text import alphas_words, format_list, format_value
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import BIOMETRIC, DEFAULT, FAR, FRR, TRIALS, capital
from betaroc.decision import curve
from betaroc.decision.bands import RESAMPLE, Plan, Smallest, check_large_table, plan_of
from betaroc.decision.epc import Epc, check_different
from betaroc.inference.drawn_scores import band_of_replicates, percentile_band, pointwise
from betaroc.inference.interval import Interval
from betaroc.rendering import curves as pictures, tree
from betaroc.rendering.curves import Axes
from betaroc.rendering.nouns import Exportable
from betaroc.rendering.numbers import counted, level_words, name_shown, number, visible
from betaroc.rendering.tree import Cell, Figure, Grid, Group, Node, Paragraph, Row, foreign
from betaroc.rendering.tree_text import records

#: Bootstrap replicates where none are given: of scores, and where a fit is made in each.
REPLICATES, REPLICATES_OF_FITS = 2000, 400
#: Share of the replicates that must have a value.
MOST = 0.9


class Histogram(NamedTuple):
    """Bootstrap differences counted in bins."""

    #: Replicates in each bin.
    counts: IntArray
    #: Ends of the bins, one more than bins.
    edges: FloatArray


class ProportionTest(NamedTuple):
    """Two-proportion z-test on the error counts of two systems."""

    #: z, positive where the first system errs more often.
    statistic: float
    #: Two-sided.
    p_value: float
    #: Errors of both systems, false acceptances and false rejections together.
    errors: tuple[int, int]
    #: Trials of both systems.
    trials: tuple[int, int]


class AlphaRange(NamedTuple):
    """Neighbouring alphas at which the band of a difference excludes 0."""

    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class StrataDifferences(Tabular, Exportable):
    """The difference of two systems in each stratum, at the thresholds chosen over all of them.

    `Comparison.strata`; the intervals hold for all strata at once.

    Parameters
    ----------
    stratum : tuple of str
        The names.
    difference, low, high : ndarray
        The measure of system a minus that of b, averaged over alpha, with its interval.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> s = br.Scores([2, 3, 4], [0, 1, 2, 3], impostor_strata=list("aabb"))
    >>> curve = br.epc(s, br.Scores([2, 3], [1, 2], impostor_strata=list("ab")), over="worst")
    >>> br.compare(curve, curve, replicates=20, rng=1).strata.stratum
    ('a', 'b')
    """

    stratum: tuple[str, ...]
    difference: FloatArray
    low: FloatArray
    high: FloatArray
    _same_length = ("difference", "low", "high")

    def to_frame(self) -> Table:
        """One row per stratum: stratum, difference, low and high.

        Examples
        --------
        >>> import betaroc as br
        >>> s = br.Scores([2, 3, 4], [0, 1, 2, 3], impostor_strata=list("aabb"))
        >>> curve = br.epc(s, br.Scores([2, 3], [1, 2], impostor_strata=list("ab")), over="worst")
        >>> br.compare(curve, curve, replicates=20, rng=1).strata.to_frame()["stratum"].tolist()
        ['a', 'b']
        """
        return self._table(fields_of(self, "stratum", "difference", "low", "high"))

    @property
    def worst(self) -> tuple[str, float, float, float]:
        """Where system a is worst beside b: the largest difference, with its ends."""
        k = int(np.argmax(self.difference))
        ends = float(np.max(self.low)), float(np.max(self.high))
        return self.stratum[k], float(self.difference[k]), *ends


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Tabular, Exportable):
    """The difference of two curves with its intervals.

    Parameters
    ----------
    first, second : Epc
        The curves of systems a and b.
    resample, level
        As in :func:`compare`.
    paired, dev_paired : bool
        Whether both share the test trials, and the dev trials; None where dev was held fixed.
    mean_difference : Interval
        The difference averaged over `alpha_range`.
    alpha_range : tuple of float
        Alphas of the average and of the band.
    low, high : ndarray, shape (k,)
        Ends of the interval at each alpha by itself, nan where undefined.
    band_low, band_high : ndarray, shape (k,)
        Ends of the simultaneous band; nan outside `alpha_range`.
    differences : ndarray, shape (replicates, k)
        Bootstrap differences, no part of equality.
    smallest : Smallest
        The fewest independent trials, or groups, of a drawn class, and how many are needed to name
        a better system.
    groups : tuple, optional
        Number of groups of each test side that were drawn as a whole.
    strata : StrataDifferences, optional
        Of curves over strata the difference in each.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> data = br.datasets.load_liveness()
    >>> curve = br.epc(data.dev, data.test, alpha=[0.5])
    >>> br.compare(curve, curve, replicates=50, rng=1).smallest.n
    180
    """

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
    _extra_fields = ("differences",)
    differences: FloatArray = field(compare=False, repr=False)
    smallest: Smallest
    groups: tuple[int | None, ...] | None = None
    strata: StrataDifferences | None = None
    _same_length = ("first.alpha", "low", "high", "band_low", "band_high", "differences")

    @property
    def alpha(self) -> FloatArray:
        """The criterion's parameter."""
        return self.first.alpha

    @property
    def difference(self) -> FloatArray:
        """Value of the first curve minus value of the second."""
        return np.asarray(self.first.value - self.second.value)

    def to_frame(self) -> Table:
        """The difference at each alpha, with its interval and the band.

        Columns alpha, a and b (the values of both curves), difference, low, high, band_low,
        band_high, better (1 for a, 2 for b, else 0), and n_beyond where it is known.

        Examples
        --------
        >>> import betaroc as br
        >>> data = br.datasets.load_liveness()
        >>> curve = br.epc(data.dev, data.test, alpha=[0.5])
        >>> br.compare(curve, curve, replicates=50, rng=1).to_frame()["difference"].tolist()
        [0.0]
        """
        columns = {"alpha": self.alpha, "a": self.first.value, "b": self.second.value}
        names = ["difference", "low", "high", "band_low", "band_high", "better"]
        names += ["n_beyond"] * (self.n_beyond is not None)
        return self._table(columns | fields_of(self, *names))

    @property
    def n_beyond(self) -> FloatArray | None:
        """Scores that speak for each threshold, of the curve with fewer."""
        result = [own for e in (self.first, self.second) if (own := e.n_beyond) is not None]
        return np.minimum.reduce(result) if result else None

    @property
    def significant(self) -> BoolArray:
        """Where the interval of an alpha by itself excludes 0, of many at some by chance."""
        if self.too_few:
            return np.zeros(self.alpha.size, dtype=np.bool_)
        return np.asarray((self.low > 0.0) | (self.high < 0.0))

    @property
    def better(self) -> npt.NDArray[np.int8]:
        """1 at each alpha at which the simultaneous band names system a, 2 for b, else 0."""
        if self.too_few or self._lost > (1.0 - MOST) * self.differences.shape[0]:
            return np.zeros(self.alpha.size, dtype=np.int8)
        first, second = _in_favour(self.first.measure, self.band_low, self.band_high)
        return np.where(first, 1, np.where(second, 2, 0)).astype(np.int8)

    @property
    def better_on_average(self) -> str | None:
        """The system that the interval of `mean_difference` names: "a", "b" or None."""
        mean = self.mean_difference
        if self.cannot_tell or mean.low <= 0.0 <= mean.high:
            return None
        return "ba"[int(_in_favour(self.first.measure, mean.low, mean.high)[0])]

    @property
    def ranges(self) -> tuple[AlphaRange, ...]:
        """Ends of each run of alphas at which the simultaneous band names one system."""
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
        """Why trials are too few to name a better system, or empty."""
        return self.smallest.too_few

    @property
    def _lost(self) -> int:
        """Replicates without a difference at some alpha of the range."""
        return _without(self.differences, self.alpha, self.alpha_range)

    @property
    def cannot_tell(self) -> str:
        """Why the average cannot be compared, or empty."""
        mean, replicates = self.mean_difference, self.differences.shape[0]
        why = _unknown(self.smallest, self.first.measure, [mean.estimate], self._lost, replicates)
        if why or mean.low != 0.0 or mean.high != 0.0:
            return why
        alike = int(np.sum(np.all(self.differences == 0.0, axis=1)))
        many = "every replicate" if alike == replicates else f"{alike} of {replicates} replicates"
        return f"both err alike in {many}"

    @property
    def names(self) -> tuple[str, str]:
        """The names of the test sets, or A and B where they are equal."""
        return called(self.first, self.second, ("A", "B"))

    def _metrics(self) -> dict[str, Any]:
        mean, name = self.mean_difference, "mean_difference"
        ends = {f"{name}_low": mean.low, f"{name}_high": mean.high}
        return {name: mean.estimate, "level": self.level, **ends}

    def __str__(self) -> str:
        return self.verdict

    def _view(self) -> Sequence[Node]:
        axes = curve.slotted_axes(self.first)
        first, second = (name_shown(name, 24) for name in self.names)
        nodes: list[Node] = [Paragraph(f"{self._verdict_of((first, second))}."), self._grid()]
        nodes.append(Paragraph(drawn_words(self, self.differences.shape[0])))
        if self.first.measure in curve.ONE_CLASS_RATES:
            other = FRR if curve.ONE_CLASS_RATES[self.first.measure][0] == FAR else FAR
            words = f"{axes.measure} alone is judged: a system is better where its {other} at the"
            nodes.append(Paragraph(f"{words} same thresholds is no higher."))
        undefined = int(np.sum(np.isnan(self.difference)))
        if undefined:
            nodes.append(Paragraph(f"Undefined (0/0) at {undefined} of {self.alpha.size} alphas."))
        if self.strata is not None:
            nodes += _strata_nodes(self.strata, (first, second))
        if axes.single or self.alpha.size == 1:
            return nodes
        about = f"{axes.measure}, {first} less {second}, against {axes.alpha}"
        return [*nodes, Figure(partial(self.plot_difference, names=(first, second)), "", about)]

    def _grid(self) -> Grid:
        axes, several = curve.slotted_axes(self.first), self.alpha.size > 1
        named: tuple[Any, ...] = ("none named", *map(foreign, self.names))
        each = f"{level_words(self.level)}{', each alpha by itself' * several}"
        head = (axes.alpha_name or "alpha", *named[1:], Cell("difference", each),
                Cell("better", "all alphas at once" * several))  # fmt: skip
        rows = tuple(
            Row((
                "none" if axes.single else axes.alpha_shown(self.alpha[k]),
                axes.shown(self.first.value[k]), axes.shown(self.second.value[k]),
                Cell(axes.change(self.difference[k]), axes.changes(self.low[k], self.high[k]),
                     float(self.difference[k]), float(self.low[k]), float(self.high[k])),
                named[self.better[k]],
            ))
            for k in curve.shown_places(self.alpha)
        )  # fmt: skip
        return Grid(head, rows, (4,), self._columns(), typeset=True)

    def _columns(self) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {"alpha": curve.curve_columns(self.first)["alpha"]}
        for name in ("threshold", "value"):
            for e, system in ((self.first, "a"), (self.second, "b")):
                columns[f"{name}_{system}"] = getattr(e, name).tolist()
        for name in ("difference", "low", "high", "significant", "band_low", "band_high"):
            columns[name] = getattr(self, name).tolist()
        return columns | {"better": [(None, *self.names)[k] for k in self.better]}

    @property
    def verdict(self) -> str:
        """One sentence: the average over alpha, which may name a better system, then alphas.

        Examples
        --------
        >>> import betaroc as br
        >>> data = br.datasets.load_liveness()
        >>> curve = br.epc(data.dev, data.test, alpha=[0.5])
        >>> br.compare(curve, curve, replicates=50, rng=1).verdict[:11]
        'cannot tell'
        """
        return DEFAULT.fill(self._verdict_of(self.names))

    def histogram(self, alpha: float | None = None, bins: int = 50) -> Histogram:
        """Histogram of the bootstrap differences at one alpha, where these have a value.

        Parameters
        ----------
        alpha : float, optional
            One of the curve's; may be left out where it has but one.
        bins : int
            Equal bins from the smallest to the largest difference.

        Returns
        -------
        Histogram

        Raises
        ------
        InputError
            If `alpha` is not one of the curve's or `bins` is less than 1.

        Examples
        --------
        >>> import betaroc as br
        >>> data = br.datasets.load_liveness()
        >>> curve = br.epc(data.dev, data.test, alpha=[0.5])
        >>> br.compare(curve, curve, replicates=50, rng=1).histogram(bins=4).counts.sum().item()
        50
        """
        values = self.differences[:, curve.index_of_alpha(self.first, alpha)]
        values, bins = values[~np.isnan(values)], checks.count(bins, "bins")
        most = np.max(np.abs(values), initial=0.0)
        # Differences a few digits apart are equal ones, which numpy gives a range of length 1.
        if values.size and np.ptp(values) <= bins * np.spacing(most):
            values = np.full(values.size, values[0])
        counts, edges = np.histogram(values, bins)
        return Histogram(counts.astype(np.int64), edges)

    def proportion_test(self, alpha: float | None = None) -> ProportionTest:
        """The papers' proportion test of the classification error at one alpha.

            z = (p1 - p2) / sqrt(p (1 - p) (1/n1 + 1/n2)),   p = (e1 + e2) / (n1 + n2)

        Parameters
        ----------
        alpha : float, optional
            As in `histogram`.

        Returns
        -------
        ProportionTest
            Two-sided; z = 0 and p = 1 where both make no error, or err everywhere.

        Raises
        ------
        InputError
            If `alpha` is not one of the curve's, or the measure is none of "hter",
            "weighted-error", "dcf", "accuracy", "youden".

        Notes
        -----
        Too cautious for systems that err together, too bold for groups.

        References
        ----------
        Bengio, Keller and Mariethoz (2004), IDIAP-RR 03-85, footnote 3.

        Examples
        --------
        >>> import betaroc as br
        >>> dev = br.Scores([2, 3, 4], [0, 1, 2])
        >>> good, poor = (br.epc(dev, br.Scores(x, [0, 1, 2]), alpha=[0.5]) for x in ([3], [1]))
        >>> round(br.compare(good, poor, replicates=50, rng=1).proportion_test().p_value, 4)
        0.4652
        """
        from scipy.special import ndtr

        if self.first.measure not in OF_ALL_ERRORS:
            rule = f"be of counted errors, {checks.format_list(OF_ALL_ERRORS)}"
            hint = "Read the difference, .low and .high."
            raise refusal("measure", rule, f"curves of {self.first.measure!r}", hint)
        place = curve.index_of_alpha(self.first, alpha)
        counts = []
        for e in (self.first, self.second):
            (client, impostor), t = curve.empirical_laws(e.test, "test"), e.chosen[[place]]
            wrong = client._counts_at_most(t)[0] + impostor._counts_above(t)[0]
            counts.append((round(float(wrong)), round(client.total + impostor.total)))
        (e1, n1), (e2, n2) = counts
        if e1 + e2 in {0, n1 + n2}:
            return ProportionTest(0.0, 1.0, (e1, e2), (n1, n2))
        p = (e1 + e2) / (n1 + n2)
        z = (e1 / n1 - e2 / n2) / math.sqrt(p * (1.0 - p) * (1.0 / n1 + 1.0 / n2))
        return ProportionTest(z, float(2.0 * ndtr(-abs(z))), (e1, e2), (n1, n2))

    def plot(
        self,
        ax: Axes | None = None,
        *,
        names: Sequence[str] | None = None,
        scale: str = "linear",
        terms: str = BIOMETRIC,
    ) -> Axes:
        """Draw both curves, the alphas at which they differ shaded.

        Parameters
        ----------
        ax, scale, terms : optional
            As in :meth:`betaroc.Epc.plot`.
        names : sequence of two str, optional
            The systems; left out, those of `Comparison.names`.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        InputError
            If `names` are not two.

        Examples
        --------
        >>> import betaroc as br
        >>> data = br.datasets.load_liveness()
        >>> curve = br.epc(data.dev, data.test, alpha=[0.4, 0.6])
        >>> br.compare(curve, curve, replicates=50, rng=1).plot().get_ylabel()
        'half total error rate on test'
        """
        better = self._better(names)
        axes, log = curve.axes_of(self.first, scale, terms)
        values = self.first.value, self.second.value
        return pictures.draw_comparison(ax, self.alpha, values, better, axes, log=log)

    def plot_difference(
        self, ax: Axes | None = None, *, names: Sequence[str] | None = None, terms: str = BIOMETRIC
    ) -> Axes:
        """Draw the difference with its interval and, dotted, the simultaneous band.

        Parameters
        ----------
        ax, names, terms : optional
            As in :meth:`plot`.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> import betaroc as br
        >>> data = br.datasets.load_liveness()
        >>> curve = br.epc(data.dev, data.test, alpha=[0.4, 0.6])
        >>> br.compare(curve, curve, replicates=50, rng=1).plot_difference().get_ylabel()
        'difference in half total error rate'
        """
        return pictures.draw_difference(
            ax, self.alpha, self.difference, (self.low, self.high), (self.band_low, self.band_high),
            self._better(names), curve.axes_of(self.first, "linear", terms)[0],
        )  # fmt: skip

    def _better(self, names: Sequence[str] | None) -> pictures.Better:
        both: Any = self.names if names is None else names
        if width_of(both) != 2 or not all(isinstance(item, str) for item in both):
            hint = 'Give two, such as names=("A", "B").'
            raise refusal("names", "be those of the two systems", format_value(names), hint)
        return pictures.Better(self.better, (both[0], both[1]), self.level)

    def _verdict_of(self, names: tuple[str, str]) -> str:
        start = "at these two thresholds, " if self.resample == "test" else ""
        text = start + "; ".join(filter(None, [self._area_words(names), self._band_words(names)]))
        return capital(text) if start else text

    def _area_words(self, names: tuple[str, str]) -> str:
        what, (a, b) = curve.average_words(self.first, self.alpha_range), names
        mean, who = self.mean_difference, self.better_on_average
        if self.cannot_tell:
            better = curve.better_word(self.first.measure)
            return f"cannot tell which of {a} and {b} has the {better} {what}: {self.cannot_tell}"
        start = f"{a if who == 'a' else b} is better" if who else "no better system can be named"
        return (
            f"{start}: {what}, {a} - {b}, is {mean.estimate:.3g} ({level_words(self.level)}"
            f" interval {mean.low:.3g} to {mean.high:.3g}{'' if who else ', which holds 0'})"
        )

    def _band_words(self, names: tuple[str, str]) -> str:
        if self.alpha.size == 1 or self.too_few:
            return ""
        start = f"the simultaneous {level_words(self.level)} band of the difference excludes 0"
        if not self._runs:
            return f"{start} at no single alpha"
        measure, where = self.first.measure, []
        measure = f"{curve.better_word(measure)} {curve.short_measure(measure)}"
        for run, system in self._runs[:_RANGES]:
            alpha = self.alpha[(self.alpha >= run.low) & (self.alpha <= run.high)]
            where.append(f"{alphas_words(alpha)} ({measure}: {names['ab'.index(system)]})")
        more = len(self._runs) - _RANGES
        return f"{start} {' and '.join(where)}{f' and {more} more ranges' if more > 0 else ''}"


@collect_warnings
def compare(
    epc_a: Epc,
    epc_b: Epc,
    *,
    resample: str = "both",
    paired: bool = True,
    level: float = 0.95,
    low: float | None = None,
    high: float | None = None,
    replicates: int | None = None,
    groups: bool = True,
    rng: Any = None,
) -> Comparison:
    """Test whether two systems differ, averaged over alpha and at single alphas.

    Intervals are the quantiles (1 -+ level)/2 of V_a - V_b in replicates that draw dev, choose both
    thresholds again, and draw test. The simultaneous band cuts off equally many replicates at both
    ends of every alpha, so that `level` of them lie inside everywhere.

    Parameters
    ----------
    epc_a, epc_b : Epc
        Curves of one criterion, one measure and equal alphas, test sides from scores.
    resample : str
        "both": dev and test. "test": the papers' test of these two thresholds.
    paired : bool
        Both judge the same test trials in one order; else test sets are drawn independently.
    level : float
        Confidence level of each interval and of the band.
    low, high : float, optional
        Range of alpha of the average and of the band; 0.1 to 0.9, or what the curves have.
    replicates : int, optional
        Left out, 2000; 400 where a dev side is a fit, which each makes again.
    groups, rng
        As in :meth:`Epc.band`.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError, InputTypeError
        If the curves differ in criterion, measure or alpha, a drawn side has no trials or
        fractional weights, paired trials do not match, or an argument is out of range.

    Notes
    -----
    Dev trials are shared (`Comparison.dev_paired`) where numbers, ids, groups and order allow it. A
    replicate counts where its measure is not 0/0, no class is empty and a fit exists. No system is
    named with fewer than 10 trials, or groups, in a class of dev, or 20 of test.

    Thresholds among scores move like n**(-1/3), where the bootstrap is not consistent; in
    simulations the interval with dev and test drawn keeps its level (docs/validation.md).

    References
    ----------
    Bengio, Mariethoz and Keller (2005), section 5, Figures 6 and 8 (``resample="test"``).

    Examples
    --------
    >>> import betaroc as br
    >>> data = [br.datasets.load_liveness(name) for name in ("logreg", "forest")]
    >>> logreg, forest = (br.epc(d.dev, d.test, alpha=[0.5]) for d in data)
    >>> br.compare(logreg, forest, resample="test", replicates=200, rng=1).better_on_average
    'a'
    """
    for e, name in ((epc_a, "epc_a"), (epc_b, "epc_b")):
        checks.instance(e, Epc, name, "br.epc(dev, test)")
    paired, names = checks.flag(paired, "paired"), called(epc_a, epc_b, ("epc_a", "epc_b"))
    check_different(epc_a, epc_b, names)
    used = curve.range_of(epc_a, low, high)
    plan, values, options = _drawn(
        (epc_a, epc_b), names, epc_a.alpha.size, resample, paired, level, replicates, groups, rng
    )
    differences = values[:, 0] - values[:, 1]
    estimate = epc_a.value - epc_b.value
    ends, band = pointwise(differences, estimate, options), np.full((2, estimate.size), np.nan)
    at = curve.inside(epc_a.alpha, used) & ~np.isnan(estimate)
    if np.any(at):
        band[:, at] = _at_once(differences[:, at], estimate[at], options, systems=2)
    mean, means = _means(epc_a.alpha, used, estimate[None], differences[:, None])
    limits = pointwise(means, mean, options)
    drawn = "dev and test drawn again" if resample == "both" else "test drawn again"
    average = Interval(float(mean[0]), float(limits[0][0]), float(limits[1][0]), options.level,
                       f"percentile, {drawn}")  # fmt: skip
    strata = None
    if plan.curves > 2:
        strata = _strata_differences((epc_a, epc_b), values[:, 2:], used, options)
    return Comparison(
        epc_a, epc_b, resample, paired, plan.dev_paired, options.level, average, used,
        *ends, band[0], band[1], differences, plan.smallest, plan.groups,
        strata, library=first_library((epc_a, epc_b)),
    )  # fmt: skip


def _strata_nodes(s: StrataDifferences, names: tuple[str, str]) -> list[Node]:
    order = np.argsort(-s.difference, kind="stable")
    ends = zip(s.difference, s.low, s.high, strict=True)
    cells = [tree.quantity(x, number, low, high) for x, low, high in ends]
    rows = tuple(Row((foreign(s.stratum[k]), cells[k])) for k in order)
    grid = Grid(("stratum", f"{names[0]} less {names[1]}, all strata at once"), rows)
    return [tree.Section("Strata, averaged over alpha", (grid,), folded=len(rows) > _ROWS)]


def _strata_differences(
    curves: Sequence[Epc], values: FloatArray, used: tuple[float, float], options: IntervalOptions
) -> StrataDifferences:
    names, others = (tuple(e.strata) for e in curves)
    if names != others:
        actual = f"{format_list(names)} and {format_list(others)}"
        raise refusal("the test sides", "have the same strata to be compared over them", actual)
    half = len(names)
    alone = np.stack([part.value for e in curves for part in e.strata.values()])
    mean, means = _means(curves[0].alpha, used, alone, values)
    mean, apart = mean[:half] - mean[half:], means[:, :half] - means[:, half:]
    ends = _at_once(apart, mean, options, systems=half)
    return StrataDifferences(names, mean, *ends, library=curves[0].library)


# ------------------------------------------------------------------- any number of systems
@dataclass(frozen=True, eq=False, repr=False)
class SystemsComparison(Tabular, Exportable):
    """Systems in their order, and which of their differences are shown.

    Made by :func:`compare_systems`; k systems have p = k (k - 1) / 2 pairs.

    Parameters
    ----------
    names, curves : tuple
        What the systems are called, and their curves.
    resample, paired, dev_paired, alpha_range, smallest, groups, library
        As of a `Comparison`.
    level, replicates
        As in :func:`compare_systems`.
    mean : ndarray, shape (k,)
        The measure of each system, averaged.
    first, second : ndarray of int, shape (p,)
        Places of the systems of each pair.
    low, high : ndarray, shape (p,)
        Ends of the intervals of ``mean[first] - mean[second]``.
    band_low, band_high : ndarray, shape (k, a)
        Ends of the band of each curve minus the mean of all, for all systems and alphas at once;
        nan outside `alpha_range`.
    lost : int
        Replicates in which a system has no value at some alpha.

    Examples
    --------
    >>> import betaroc as br
    >>> data = br.datasets.load_liveness()
    >>> curve = br.epc(data.dev, data.test, alpha=[0.5])
    >>> br.compare_systems({"a": curve, "b": curve}, replicates=50, rng=1).shown
    ()
    """

    names: tuple[str, ...]
    curves: tuple[Epc, ...]
    resample: str
    paired: bool
    dev_paired: bool | None
    level: float
    alpha_range: tuple[float, float]
    mean: FloatArray
    first: IntArray
    second: IntArray
    low: FloatArray
    high: FloatArray
    band_low: FloatArray
    band_high: FloatArray
    replicates: int
    lost: int
    smallest: Smallest
    groups: tuple[int | None, ...] | None = None
    _same_length = ("first", "low", "high")

    def _follows(self) -> dict[str, Any]:
        pairs = np.array([*combinations(range(len(self.curves)), 2)], dtype=np.int64)
        pairs = pairs.reshape(-1, 2)
        return {"first": pairs[:, 0], "second": pairs[:, 1]}

    def __repr__(self) -> str:
        best = format_value(self.ranking[0], 40)
        return (
            f"<SystemsComparison of {len(self.names)} systems: {best} first,"
            f" {len(self.shown)} of {self.first.size} differences shown>"
        )

    def __str__(self) -> str:
        return self.verdict

    def _metrics(self) -> dict[str, Any]:
        means = {f"mean/{name}": value for name, value in zip(self.names, self.mean, strict=True)}
        return {"level": self.level, "shown": len(self.shown), **means}

    # ------------------------------------------------------------------------- the order
    @property
    def difference(self) -> FloatArray:
        """Mean of the first system minus that of the second, of each pair."""
        return np.asarray(self.mean[self.first] - self.mean[self.second])

    @property
    def ranking(self) -> tuple[str, ...]:
        """The names, the best mean first; what is not `shown` may be chance."""
        return tuple(self.names[k] for k in self._order)

    @property
    def shown(self) -> tuple[tuple[str, str], ...]:
        """Pairs (better, worse) whose interval, of all pairs at once, excludes 0."""
        beats = self._beats
        return tuple(
            (self.names[i], self.names[j]) for i in self._order for j in self._order if beats[i, j]
        )

    @property
    def cannot_tell(self) -> str:
        """Why no difference can be shown; empty where some can."""
        measure = self.curves[0].measure
        return _unknown(self.smallest, measure, self.mean, self.lost, self.replicates)

    @property
    def _order(self) -> IntArray:
        larger = curve.larger_is_better(self.curves[0].measure)
        return np.argsort(-self.mean if larger else self.mean, kind="stable")

    @property
    def _beats(self) -> BoolArray:
        k = len(self.names)
        result = np.zeros((k, k), dtype=np.bool_)
        if self.cannot_tell:
            return result
        better, worse = _in_favour(self.curves[0].measure, self.low, self.high)
        result[self.first[better], self.second[better]] = True
        result[self.second[worse], self.first[worse]] = True
        return result

    # -------------------------------------------------------------------------- in words
    @property
    def verdict(self) -> str:
        """Whether a best system is shown, and how many differences are.

        Examples
        --------
        >>> import betaroc as br
        >>> data = br.datasets.load_liveness()
        >>> curve = br.epc(data.dev, data.test, alpha=[0.5])
        >>> br.compare_systems({"a": curve, "b": curve}, replicates=50, rng=1).verdict[:14]
        'no best system'
        """
        return DEFAULT.fill(systems_verdict(self, self.names))

    # ------------------------------------------------------------------------- as tables
    def to_frame(self) -> Table:
        """Return the ranking: one row per system, the best first.

        Columns rank, system, mean, better_than and worse_than (how many systems it is shown to be
        better or worse than).

        Examples
        --------
        >>> import betaroc as br
        >>> data = br.datasets.load_liveness()
        >>> curve = br.epc(data.dev, data.test, alpha=[0.5])
        >>> same = br.compare_systems({"a": curve, "b": curve}, replicates=50, rng=1)
        >>> same.to_frame()["better_than"].tolist()
        [0, 0]
        """
        return self._table(self._ranks())

    def _ranks(self) -> dict[str, list[Any]]:
        beats, order = self._beats, self._order
        return {
            "rank": list(range(1, len(self.names) + 1)), "system": list(self.ranking),
            "mean": self.mean[order].tolist(), "better_than": beats.sum(axis=1)[order].tolist(),
            "worse_than": beats.sum(axis=0)[order].tolist(),
        }  # fmt: skip

    @property
    def pairs(self) -> Table:
        """All differences: one row per pair.

        Columns first, second, difference (of the means), low, high and better (a name where the
        difference is shown).
        """
        return self._table(self._pairs())

    def _pairs(self) -> dict[str, list[Any]]:
        beats = self._beats
        pairs = list(zip(self.first.tolist(), self.second.tolist(), strict=True))
        better = [
            self.names[i] if beats[i, j] else self.names[j] if beats[j, i] else "" for i, j in pairs
        ]
        return {
            "first": [self.names[i] for i, _ in pairs],
            "second": [self.names[j] for _, j in pairs],
            "difference": self.difference.tolist(), "low": self.low.tolist(),
            "high": self.high.tolist(), "better": better,
        }  # fmt: skip

    def plot(
        self, ax: Axes | None = None, *, scale: str = "linear", terms: str = BIOMETRIC
    ) -> Axes:
        """Draw all curves, the best in ink; on a new figure up to 8 systems have one panel each.

        Parameters
        ----------
        ax, scale, terms : optional
            As in :meth:`Comparison.plot`.

        Returns
        -------
        Axes
            Of several the first.
        """
        axes, log = curve.axes_of(self.curves[0], scale, terms)
        lines = [(self.names[k], self.curves[k].value) for k in self._order]
        return pictures.draw_systems(ax, self.curves[0].alpha, lines, axes, log=log)

    def _view(self, terms: str = BIOMETRIC) -> Sequence[Node]:
        first = self.curves[0]
        axes, called = curve.slotted_axes(first), [name_shown(name, 24) for name in self.names]
        nodes: list[Node] = [Paragraph(f"{systems_verdict(self, called)}."), self._grid()]
        nodes.append(Paragraph(drawn_words(self, self.replicates)))
        if axes.single or first.alpha.size == 1:
            return nodes
        lines = [(called[k], self.curves[k].value) for k in self._order]
        drawn, _ = curve.axes_of(first, "linear", terms)
        draw = partial(pictures.draw_systems, None, first.alpha, lines, drawn)
        return [*nodes, Figure(draw, "", f"{axes.measure} against {axes.alpha} of all systems")]

    def _grid(self) -> Grid:
        axes, ranks = curve.slotted_axes(self.curves[0]), self._ranks()
        rows: list[Row | Group] = [
            Row((foreign(name), Cell(axes.shown(mean), value=float(mean)), str(better), str(worse)))
            for _, name, mean, better, worse in zip(*ranks.values(), strict=True)
        ]
        left = [Group(f"{len(rows) - _ROWS} more systems")] * (len(rows) > _ROWS)
        head = ("system", f"mean {axes.measure}", "shown better than", "shown worse than")
        return Grid(head, (*rows[:_ROWS], *left), (), ranks, typeset=True)


@collect_warnings
def compare_systems(
    curves: Mapping[str, Epc],
    *,
    resample: str = "both",
    paired: bool = True,
    level: float = 0.95,
    low: float | None = None,
    high: float | None = None,
    replicates: int | None = None,
    groups: bool = True,
    rng: Any = None,
) -> SystemsComparison:
    """Test which systems differ, averaged over alpha, all pairs judged at once.

    With D_q the difference of pair q averaged over alpha, D*_q that of a replicate of
    :func:`compare` and s_q^2 the mean of (D*_q - D_q)^2, all intervals together are

        D_q -+ c s_q,   c the quantile `level` of max over all pairs q of |D*_q - D_q| / s_q

    each no narrower than its own percentile interval; the band alike, of V_s(alpha) minus the mean
    over systems. Of two systems it is :func:`compare`.

    Parameters
    ----------
    curves : mapping of str to Epc
        At least two curves of one criterion, one measure and equal alphas, by name.
    resample, paired, level, low, high, replicates, groups, rng
        As of :func:`compare`; `level` is that of all intervals together.

    Returns
    -------
    SystemsComparison

    Raises
    ------
    InputError, InputTypeError
        As of :func:`compare`; for fewer than two curves.

    Notes
    -----
    Of equal systems any difference is shown with probability about 1 - level. Neighbours whose
    difference is not shown may stand in either order.

    References
    ----------
    Westfall, P. H. and Young, S. S. (1993), Resampling-based multiple testing.

    Examples
    --------
    >>> import betaroc as br
    >>> data = {name: br.datasets.load_liveness(name) for name in ("logreg", "forest")}
    >>> curves = {name: br.epc(d.dev, d.test, alpha=[0.5]) for name, d in data.items()}
    >>> br.compare_systems(curves, resample="test", replicates=200, rng=1).ranking
    ('logreg', 'forest')
    """
    paired, (names, epcs) = checks.flag(paired, "paired"), _checked(curves)
    used, alpha = curve.range_of(epcs[0], low, high), epcs[0].alpha
    called_so = [format_value(name, 40) for name in names]
    plan, values, options = _drawn(
        epcs, called_so, len(names) * alpha.size, resample, paired, level, replicates, groups, rng
    )
    own = np.stack([e.value for e in epcs])
    mean, means = _means(alpha, used, own, values[:, : len(names)])
    first, second = (np.array(k) for k in zip(*combinations(range(len(names)), 2), strict=True))
    apart, gaps, k = means[:, first] - means[:, second], mean[first] - mean[second], len(names)
    ends = pointwise(apart, gaps, options)
    if k > 2:
        ends = _at_once(apart, gaps, options, systems=k)
    band = np.full((2, *own.shape), np.nan)
    at = curve.inside(alpha, used) & ~np.any(np.isnan(own), axis=0)
    if np.any(at):
        part, centre = values[:, : len(names), at], own[:, at] - np.mean(own[:, at], axis=0)
        part = part - np.mean(part, axis=1, keepdims=True)
        result = _at_once(part.reshape(len(part), -1), centre.ravel(), options, systems=k)
        band[:, :, at] = np.reshape(result, (2, *centre.shape))
    lost = _without(values[:, : len(names)], alpha, used)
    return SystemsComparison(
        names, epcs, resample, paired, plan.dev_paired, options.level, used, mean,
        first, second, *ends, band[0], band[1], options.replicates, lost, plan.smallest,
        plan.groups, library=first_library(epcs),
    )  # fmt: skip


# --------------------------------------------------------------------- what both do
def _drawn(
    curves: Sequence[Epc], names: Sequence[str], columns: int, resample: str, paired: bool,
    level: float, replicates: int | None, groups: bool, rng: Any,
) -> tuple[Plan, FloatArray, IntervalOptions]:  # fmt: skip
    """The values of all curves in the replicates, of shape (replicates, systems, alphas)."""
    checks.choice(resample, RESAMPLE, "resample")
    number = REPLICATES if replicates is None else replicates
    options = IntervalOptions(level, resample, number, groups, rng)
    plan = plan_of(curves, options, paired=paired, names=names)
    if replicates is None and plan.fitted:
        options = replace(options, replicates=REPLICATES_OF_FITS)
    check_large_table(options.replicates, columns * plan.curves // len(curves))
    values = options.replicated(
        lambda rng, n: np.stack(plan.values(rng, n), axis=1), plan.curves, curves[0].alpha.size
    )
    return plan, values, options


def _unknown(
    smallest: Smallest, measure: str, means: npt.ArrayLike, lost: int, replicates: int
) -> str:
    measure = curve.short_measure(measure)
    if smallest.too_few:
        return smallest.too_few
    if np.any(np.isnan(means)):
        return f"the {measure} is undefined (0/0) at some of these alphas"
    words = f"{lost} of {replicates} replicates have no {measure}, or no fit"
    return words if lost > (1.0 - MOST) * replicates else ""


def _in_favour(measure: str, low: Any, high: Any) -> tuple[Any, Any]:
    above, below = low > 0.0, high < 0.0
    return (above, below) if curve.larger_is_better(measure) else (below, above)


def _without(values: FloatArray, alpha: FloatArray, used: tuple[float, float]) -> int:
    missing = np.isnan(values[..., curve.inside(alpha, used)])
    return int(np.sum(np.any(missing.reshape(len(values), -1), axis=1)))


def _means(
    alpha: FloatArray, used: tuple[float, float], estimate: FloatArray, values: FloatArray
) -> tuple[FloatArray, FloatArray]:
    weights = curve.area_weights(alpha, *used)
    weights /= np.sum(weights)
    return curve.weighed(estimate, weights), curve.weighed(values, weights)


def called(first: Epc, second: Epc, otherwise: tuple[str, str]) -> tuple[str, str]:
    """The names of the test sets, else of dev, where they differ."""
    a, b = (e.test.name or e.dev.name for e in (first, second))
    return (a, b) if a and b and a != b else otherwise


def _at_once(
    values: FloatArray, estimate: FloatArray, options: IntervalOptions, *, systems: int
) -> tuple[FloatArray, FloatArray]:
    """Ends for all columns together, at none narrower than for it alone; of two by ranks."""
    own, everywhere = pointwise(values, estimate, options), (-np.inf, np.inf)
    low, high = (
        percentile_band(values, options.level) if systems == 2
        else band_of_replicates(values, estimate, options, everywhere, simultaneous=True)
    )  # fmt: skip
    return np.fmin(low, own[0]), np.fmax(high, own[1])


def _checked(curves: Mapping[str, Epc]) -> tuple[tuple[str, ...], tuple[Epc, ...]]:
    if not isinstance(curves, Mapping):
        rule, hint = "be a mapping of names to curves", 'Such as {"mlp": br.epc(dev, test), ...}.'
        raise refusal("curves", rule, f"a {type(curves).__name__}", hint, InputTypeError)
    if len(curves) < 2:
        hint = "A difference needs two: name another system."
        raise refusal("curves", "be those of at least two systems", str(len(curves)), hint)
    shown, first = [format_value(name, 40) for name in curves], next(iter(curves.values()))
    for (name, e), text in zip(curves.items(), shown, strict=True):
        if not isinstance(name, str) or not name.strip():
            hint = "Call every system something."
            raise refusal("curves", "have names of text", text, hint, InputTypeError)
        checks.instance(e, Epc, f"the curve of {text}", "br.epc(dev, test)")
        check_different(first, e, (shown[0], text))
    return tuple(curves), tuple(curves.values())


#: Measures that weigh the errors of both classes: the count of all errors says something of them.
OF_ALL_ERRORS = "hter", "weighted-error", "dcf", "accuracy", "youden"

#: So many ranges of alphas, and systems, are named one by one; rows of a table.
_RANGES, _NAMED, _ROWS = 4, 4, 30


def drawn_words(c: Comparison | SystemsComparison, replicates: int) -> str:
    """What varied in the replicates, and which trials are shared."""
    of_all, of_each = f"{TRIALS} of all systems", f"{TRIALS} of each system"
    trials = f"the same test {of_all}" if c.paired else f"test {of_each}"
    numbers = " and ".join(str(n) for n in dict.fromkeys(c.groups or ()) if n is not None)
    by = f" by {numbers} groups" if numbers else ""
    start = f"Intervals by {counted(replicates, 'replicate')}, each of which draws"
    if c.resample == "test":
        return (
            f"{start} {trials}{by} at these very thresholds: what other dev scores would choose is"
            " not in them."
        )
    dev = f"the same dev {of_all}" if c.dev_paired else f"dev {of_each}"
    return f"{start} {dev}, chooses thresholds again, and draws {trials}{by}."


def draw_both(c: Comparison, scale: str, terms: str) -> Axes:
    """Both curves above, their difference below, on one figure; the upper axes."""
    upper, lower = pictures.stacked_axes()
    names = [visible(name) for name in c.names]
    c.plot(upper, names=names, scale=scale, terms=terms).set_xlabel("")
    c.plot_difference(lower, names=names, terms=terms)
    pictures.legend_below(upper, None, also=lower)
    return upper


# -------------------------------------------------------------------------- in words
# ------------------------------------------------------------------- any number of systems
def systems_verdict(c: SystemsComparison, names: Sequence[str]) -> str:
    """What `SystemsComparison.verdict` says."""
    e, by = c.curves[0], dict(zip(c.names, names, strict=True))
    what, way = curve.average_words(e, c.alpha_range), curve.better_word(e.measure)
    start = "At these very thresholds, " if c.resample == "test" else ""
    ranking, pairs = [by[name] for name in c.ranking], c.first.size
    if c.cannot_tell:
        which = _named(ranking)
        return f"{start}cannot tell which of {which} has the {way} {what}: {c.cannot_tell}"
    every = "interval of the difference"
    if pairs > 1:
        every = f"intervals of all {pairs} differences at once"
    at_once = f"{level_words(c.level)} {every}"
    best, others = ranking[0], len(ranking) - 1
    rivals = [by[name] for name in c.ranking[1:] if (c.ranking[0], name) not in c.shown]
    mean = f"{c.mean[c._order[0]]:.3g}"
    if not rivals:
        than = ranking[1] if others == 1 else f"each of the {others} others"
        return f"{start}{best} is better than {than}: its {what} is {mean} ({at_once})"
    number = len(c.shown)
    text = f"{number} of {pairs} differences are shown" if number else "no difference is shown"
    return (
        f"{start}no best system can be named: {_named([best, *rivals])} cannot be told apart by the"
        f" {what}, of which {best} has the {way.replace('er', 'est')}, {mean}; {text} ({at_once})"
    )


def _named(names: Sequence[str]) -> str:
    if len(names) > _NAMED:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return f"{', '.join(names[:-1])} and {names[-1]}"


# ----------------------------------------------------------------------------- numbers
def comparison_numbers(c: Comparison | SystemsComparison) -> dict[str, Any]:
    """What was compared and how: two systems by alpha, more by rank and pair."""
    first = c.first if isinstance(c, Comparison) else c.curves[0]
    numbers = {
        "verdict": c.verdict, "names": [*c.names], **fields_of(first, "criterion", "measure"),
        **fields_of(c, "level", "resample", "paired", "dev_paired"), "range": [*c.alpha_range],
    }  # fmt: skip
    if isinstance(c, SystemsComparison):
        tables = {"ranking": records(c._ranks()), "pairs": records(c._pairs())}
        return numbers | tables | {"replicates": c.replicates}
    mean = fields_of(c.mean_difference, "estimate", "low", "high", "level", "method")
    mean["better"] = dict(zip("ab", c.names, strict=True)).get(c.better_on_average or "")
    return numbers | {"mean_difference": mean, **c._columns(), "replicates": len(c.differences)}
