"""Intervals of one number, and bands of a curve."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from betaroc.core import checks, tables
from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.vocabulary import BIOMETRIC, FAR, Terms, Vocabulary
from betaroc.rendering import curves, nouns, tree
from betaroc.rendering.numbers import level_words, number

#: Beyond it the exponential function leaves the doubles.
_LARGEST = math.log(sys.float_info.max)

#: Fewer scores beyond a number make its interval rough.
_SPARSE = 5.0

#: Low and high end of an interval.
Limits = tuple[float, float]


def is_sparse(n_beyond: float | None) -> bool:
    """Whether few scores speak for a number."""
    return n_beyond is not None and n_beyond < _SPARSE


@dataclass(frozen=True, eq=False, repr=False)
class Interval(tables.Framed, nouns.Exportable):
    """A confidence interval of one number.

    Parameters
    ----------
    estimate : float
        The number.
    low, high : float
        The ends.
    level : float
        The confidence asked for.
    method : str
        How the ends were found.
    n_beyond : float, optional
        Scores (groups, of dependent trials) that speak for the number; None of no rate.
    extrapolated : bool
        Whether less than one score is expected where it was read off a distribution.
    failed : int
        Replicates of a bootstrap without a value.
    sparse : bool
        Whether `n_beyond` is below five: the interval is rough.
    library : str, optional
        "pandas", "polars" or "pyarrow", which makes its tables.

    Examples
    --------
    >>> import betaroc as br
    >>> br.auc_interval(br.Scores([2, 3, 4, 5], [0, 1, 2.5, 3.5])).estimate
    0.8125
    """

    estimate: float
    low: float
    high: float
    level: float
    method: str
    n_beyond: float | None = None
    extrapolated: bool = False
    failed: int = 0
    sparse: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "sparse", is_sparse(self.n_beyond))

    def __str__(self) -> str:
        """The number with its interval, in a line."""
        estimate, low, high = (number(x, 4) for x in (self.estimate, self.low, self.high))
        if math.isnan(self.low) and math.isnan(self.high):
            return estimate
        more = ", extrapolated" * self.extrapolated
        return f"{estimate} ({low} to {high}, {level_words(self.level)} {self.method}{more})"

    def plot(self, ax: curves.Axes | None = None, *, label: str = "", **style: Any) -> curves.Axes:
        """Draw the interval as a row below those of the axes.

        Parameters
        ----------
        ax : optional
            As in :meth:`betaroc.ScoreModel.plot`.
        label : str
            What stands beside the row.
        **style
            Properties of the line and of the marker, which is hollow of an extrapolated number.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> import betaroc as br
        >>> ax = br.auc_interval(br.Scores([2, 3, 4, 5], [0, 1, 2.5, 3.5])).plot(label="AUC")
        >>> [text.get_text() for text in ax.get_yticklabels()]
        ['AUC']
        """
        mark = tree.IntervalMark(label, self.low, self.estimate, self.high, not self.extrapolated)
        words = f"{level_words(self.level)} interval"
        return curves.draw_intervals(ax, [mark], words, **curves.line_style(style))


@dataclass(frozen=True, eq=False, repr=False)
class Band(tables.Framed, nouns.Exportable):
    """A curve with an interval at each of its points.

    Parameters
    ----------
    alpha : ndarray, shape (k,)
        The criterion's parameter.
    estimate, low, high : ndarray, shape (k,)
        The curve and the ends of the intervals, nan where the measure is undefined.
    simultaneous : bool
        Whether `level` holds for the whole curve at once or for each point.
    resample : str
        "test", "both" or "trainings of ROCs" or "of EPCs": what varied.
    replicates : int
        Bootstrap replicates, or draws of the sup-t process; 0 where none were needed.
    undefined : ndarray of int, shape (k,)
        Replicates in which the measure was 0/0; they are left out.
    m : int, optional
        Dev scores, or groups, drawn in each replicate; None where dev is held fixed.
    groups : tuple, optional
        Groups of dev and of test, or trainings, that varied as wholes; None of independent trials.
    level, n_beyond, library : optional
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> br.roc_band(br.Scores([2, 3, 4, 5], [0, 1, 2.5, 3.5]), far=[0.5]).estimate.tolist()
    [1.0]
    """

    alpha: FloatArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    simultaneous: bool
    resample: str
    replicates: int
    undefined: IntArray
    m: int | None = None
    groups: tuple[int | None, int | None] | None = None
    n_beyond: FloatArray | None = None

    def plot(
        self, ax: curves.Axes | None = None, *, kind: str = "roc", terms: str = BIOMETRIC,
        **style: Any,
    ) -> curves.Axes:  # fmt: skip
        """Draw the curve and its band.

        Parameters
        ----------
        ax : optional
            As in :meth:`betaroc.ScoreModel.plot`.
        kind : str
            How a ROC is drawn: "roc" or "det".
        terms : str
            Words of the rates, as in :meth:`betaroc.Roc.plot`.
        **style
            Properties of the line, whose ``color`` the band has too.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> import betaroc as br
        >>> ax = br.roc_band(br.Scores([0.9, 0.7, 0.4, 0.6], [0.1, 0.5, 0.3])).plot()
        >>> ax.get_legend().get_texts()[0].get_text()
        '95 % interval at each FAR'
        """
        if self._is_of_roc:
            field = checks.terms_of(terms)
            axes, names = ((field.far.short, y.short) for y in (field.tpr, field.frr))
            style = {"color": curves.COLOURS[0], **curves.line_style(style)}
            if checks.choice(kind, ("roc", "det"), "kind") == "det":
                ax = curves.draw_det(ax, self.alpha, 1.0 - self.estimate, names, style)
                return self._fill(ax, style["color"], field)
            ax = curves.draw_rates(
                ax, self.alpha, self.estimate, axes, style, corner="lower right", kind="roc",
                chance=(0.0, 1.0),
            )  # fmt: skip
            return self._fill(ax, style["color"], field)
        words = curves.AlphaAxes("alpha", "measure", False, False, self.alpha.size == 1)
        curve = self.alpha, self.estimate, np.zeros(self.alpha.size, dtype=bool)
        return curves.draw_epc(ax, *curve, words, style, band=self._drawn)

    @property
    def _is_of_roc(self) -> bool:
        return self.resample not in ("test", "both", "trainings of EPCs")

    @property
    def _drawn(self) -> curves.DrawnBand:
        if self.resample.startswith("trainings") and self.groups:
            words = f"{level_words(self.level)} interval of the mean of {self.groups[1]} trainings"
        elif self._is_of_roc:
            where = "everywhere at once" if self.simultaneous else f"at each {FAR}"
            words = f"{level_words(self.level)} interval {where}"
        else:
            kind = "simultaneous" if self.simultaneous else "pointwise"
            dev = "fixed thresholds" if self.resample == "test" else "dev chosen again"
            words = f"{level_words(self.level)} {kind}, {dev}"
        return curves.DrawnBand(self.low, self.high, words)

    def _fill(self, ax: curves.Axes, colour: Any, field: Terms) -> curves.Axes:
        look = {"color": colour, "label": Vocabulary(field).fill(self._drawn.words)}
        curves.draw_rate_band(ax, self.alpha, (1.0 - self.high, 1.0 - self.low), look)
        return ax


def root_of_squares(one: float, two: float, r: float) -> float:
    """The root of two squared distances, less what both share."""
    if math.isinf(one) or math.isinf(two):
        return math.inf
    return math.sqrt(max(one * one + two * two - 2.0 * r * one * two, 0.0))


def difference_ends(one: Interval, two: Interval, r: float) -> Limits:
    """The ends of a difference of numbers whose errors have a correlation."""
    down = root_of_squares(one.estimate - one.low, two.high - two.estimate, r)
    return down, root_of_squares(one.high - one.estimate, two.estimate - two.low, r)


def from_log(y: float) -> float:
    """exp(y), without overflow."""
    return math.inf if y > _LARGEST else math.exp(y)


def from_logit(y: float) -> float:
    """1/(1 + exp(-y)), without overflow."""
    if y < 0.0:
        odds = math.exp(y)
        return odds / (1.0 + odds)
    return 1.0 / (1.0 + math.exp(-y))
