"""Where two systems differ along their expected performance curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.errors import InputError
from betaroc.core.notices import public
from betaroc.core.options import IntervalOptions
from betaroc.core.tables import first_library
from betaroc.core.terms import BIOMETRIC
from betaroc.decision.bands import refuse_large_table
from betaroc.decision.comparison_draws import Plan, plan_of
from betaroc.decision.comparison_view import OF_ALL_ERRORS, comparison_grid, comparison_view
from betaroc.decision.curve import area_weights, axes_of, empirical_laws, index_of_alpha
from betaroc.decision.curve_difference import (
    CurveDifference,
    both_names,
    called,
    inside,
    verdict_words,
)
from betaroc.decision.curve_intervals import refuse_different
from betaroc.decision.delta_bands import RESAMPLE
from betaroc.decision.epc import Epc
from betaroc.inference.interval import Interval
from betaroc.inference.simultaneous import percentile_band, pointwise
from betaroc.rendering.alphas import Better, draw_comparison, draw_difference, draw_replicates
from betaroc.rendering.nouns import Noun
from betaroc.rendering.style import Axes
from betaroc.rendering.tree import Grid, Node

#: Bootstrap replicates where none are given: of scores, and where a fit is made in each.
REPLICATES, REPLICATES_OF_FITS = 2000, 400
#: Alphas of the average, unless others are asked for.
_RANGE = (0.1, 0.9)


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


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(CurveDifference, Noun):
    """The difference of two expected performance curves with its intervals.

    Parameters
    ----------
    first, second : Epc
        The curves of systems a and b.
    resample : str
        "both": dev and test were drawn again, and thresholds chosen again. "test": test alone, so
        that all that is said is of these two thresholds.
    paired : bool
        Whether both judge the same test trials.
    dev_paired : bool or None
        Whether both chose their thresholds on the same dev trials; None where dev was held fixed.
    level : float
        Confidence level of each interval, of the band, and of the interval of the mean.
    mean_difference : Interval
        The difference averaged over alpha from ``alpha_range[0]`` to ``alpha_range[1]``.
    alpha_range : tuple of float
        Alphas of the average and of the band.
    low, high : ndarray, shape (k,)
        Ends of the interval of the difference at each alpha by itself, nan where undefined.
    band_low, band_high : ndarray, shape (k,)
        Ends of the simultaneous band; nan outside `alpha_range`.
    differences : ndarray, shape (replicates, k)
        Bootstrap differences; no part of equality.
    smallest : Smallest
        The fewest independent trials, or groups of them, of a class that was drawn, by what is
        needed to name a better system: 10 of dev, 20 of test.
    groups : tuple, optional
        Number of groups of both test sides that were drawn as a whole, None for a side of
        independent trials; None where neither side has groups.
    library : str, optional
        That of the scores: what tables are frames of.

    Examples
    --------
    >>> import betaroc as br
    >>> dev = br.Scores([2, 3, 4], [0, 1, 2])
    >>> good = br.epc(dev, br.Scores([3, 4, 5], [0, 1, 2]), alpha=[0.5])
    >>> poor = br.epc(dev, br.Scores([1, 1.4, 9], [0, 1, 3]), alpha=[0.5])
    >>> result = br.compare(good, poor, replicates=200, rng=1)
    >>> result.difference.round(3).tolist(), result.smallest.n
    ([-0.333], 3)
    """

    _same_length = ("first.alpha", "low", "high", "band_low", "band_high", "differences")

    def _metrics(self) -> dict[str, Any]:
        mean = self.mean_difference
        ends = {"low": mean.low, "high": mean.high}
        found = {f"mean_difference_{name}": value for name, value in ends.items()}
        return {"mean_difference": mean.estimate, "level": self.level} | found

    def __str__(self) -> str:
        return self.verdict

    def _view(self) -> Sequence[Node]:
        return comparison_view(self)

    def _grid(self) -> Grid:
        return comparison_grid(self)

    @property
    def verdict(self) -> str:
        """One sentence: the average over alpha, which alone may name a better system, then alphas.

        The systems are called by the names of their test scores, else A and B.

        Examples
        --------
        >>> import betaroc as br
        >>> dev = br.Scores([2, 3, 4], [0, 1, 2])
        >>> curve = br.epc(dev, br.Scores([3, 4, 5], [0, 1, 2]), alpha=[0.5])
        >>> br.compare(curve, curve, replicates=50, rng=1).verdict[:44]
        'cannot tell which of A and B has the lower H'
        """
        return verdict_words(self, self.names)

    def histogram(self, alpha: float | None = None, bins: int = 50) -> Histogram:
        """Histogram of the bootstrap differences at one alpha.

        Parameters
        ----------
        alpha : float, optional
            One of the curve's; may be left out where it has but one, as of criterion "eer".
        bins : int
            Number of equal bins between the smallest and the largest difference.

        Returns
        -------
        Histogram
            Counts and edges; replicates without a value are left out.

        Raises
        ------
        InputError
            If `alpha` is not one of the curve's or `bins` is less than 1.

        References
        ----------
        Bengio, Mariethoz and Keller (2005), Figure 6.

        Examples
        --------
        >>> import betaroc as br
        >>> dev = br.Scores([2, 3, 4], [0, 1, 2])
        >>> good = br.epc(dev, br.Scores([3, 4, 5], [0, 1, 2]), alpha=[0.5])
        >>> poor = br.epc(dev, br.Scores([1, 1.4, 9], [0, 1, 3]), alpha=[0.5])
        >>> result = br.compare(good, poor, replicates=200, rng=1).histogram(0.5, bins=4)
        >>> int(result.counts.sum()), result.edges.size
        (200, 5)
        """
        values = self.differences[:, index_of_alpha(self.first, alpha)]
        values, bins = values[~np.isnan(values)], checks.count(bins, "bins")
        ends = float(np.min(values, initial=np.inf)), float(np.max(values, initial=-np.inf))
        near = ends[0] <= ends[1] <= ends[0] + bins * float(np.spacing(np.max(np.abs(ends))))
        # Differences a few digits apart are equal ones, which numpy gives a range of length 1.
        around = (ends[0] - 0.5, ends[0] + 0.5) if near else None
        counts, edges = np.histogram(values, bins, around)
        return Histogram(counts.astype(np.int64), edges)

    def proportion_test(self, alpha: float | None = None) -> ProportionTest:
        """The papers' standard proportion test on the classification error at one alpha.

            z = (p1 - p2) / sqrt(p (1 - p) (1/n1 + 1/n2)),   p = (e1 + e2) / (n1 + n2)

        Parameters
        ----------
        alpha : float, optional
            One of the curve's; may be left out where it has but one, as of criterion "eer".

        Returns
        -------
        ProportionTest
            Two-sided; z = 0 and p = 1 where both systems make no error, or err everywhere.

        Raises
        ------
        InputError
            If `alpha` is not one of the curve's, or the measure is not of the errors of both
            classes: "hter", "weighted-error", "dcf", "accuracy", "youden".

        Notes
        -----
        It takes the two sets of decisions as independent, also where the trials are the
        same: on paired trials it is too cautious for systems that err together. It counts
        the errors of both classes together, at these two thresholds as they are, whatever was
        drawn for the intervals (`resample`). It ignores groups, as the papers do: where
        trials depend on each other its p-value is too small, and the intervals of the
        comparison are to be read instead.

        References
        ----------
        Bengio, Keller and Mariethoz (2004), IDIAP-RR 03-85, footnote 3.

        Examples
        --------
        >>> import betaroc as br
        >>> dev = br.Scores([2, 3, 4], [0, 1, 2])
        >>> good = br.epc(dev, br.Scores([3, 4, 5], [0, 1, 2]), alpha=[0.5])
        >>> poor = br.epc(dev, br.Scores([1, 1.4, 9], [0, 1, 3]), alpha=[0.5])
        >>> result = br.compare(good, poor, replicates=200, rng=1).proportion_test(0.5)
        >>> result.errors, result.trials, round(result.p_value, 4)
        ((1, 3), (6, 6), 0.2207)
        """
        from scipy.special import ndtr

        if self.first.measure not in OF_ALL_ERRORS:
            raise InputError(
                f"the measure must be of counted errors, {checks.listed(OF_ALL_ERRORS)}, for a"
                f" test of two proportions; got curves of {self.first.measure!r}. Read its"
                " difference, .low and .high, or compare curves of one of these measures."
            )
        place = index_of_alpha(self.first, alpha)
        (e1, n1), (e2, n2) = (_errors(e, place) for e in (self.first, self.second))
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
        """Draw both expected performance curves, the alphas in which they differ shaded.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        names : sequence of two str, optional
            What the systems are called; those of the test sets where they differ, else A and B.
        scale : str
            Of the measure's axis, "linear" or "log"; on that a value of 0 lies below the frame.
        terms : str
            Words of the rates, as in :meth:`betaroc.Roc.plot`.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        InputError
            If `names` are not two.

        Notes
        -----
        Where the simultaneous band of the difference excludes 0 the ground has the colour and the
        hatch of the better system, and the legend names it. The ground ends beside an alpha where
        the next is farther than 0.02 away. Fewer than twelve alphas have markers.

        References
        ----------
        Bengio, S., Mariethoz, J. and Keller, M. (2005), The expected performance
        curve, Figures 6 and 8.

        Examples
        --------
        >>> import betaroc as br
        >>> dev = br.Scores([2, 3, 4] * 7, [0, 1, 2] * 7)
        >>> good = br.epc(dev, br.Scores([3, 4, 5] * 7, [0, 1, 2] * 7), alpha=[0.4, 0.6])
        >>> poor = br.epc(dev, br.Scores([1, 1.4, 9] * 7, [0, 1, 3] * 7), alpha=[0.4, 0.6])
        >>> ax = br.compare(good, poor, resample="test", replicates=200, rng=1).plot()
        >>> [text.get_text() for text in ax.figure.legends[0].get_texts()]
        ['A', 'B', 'A better (95 %)']
        """
        better = self._better(names)
        axes, log = axes_of(self.first, scale, terms)
        values = self.first.value, self.second.value
        return draw_comparison(ax, self.alpha, values, better, axes, log=log)

    def plot_difference(
        self,
        ax: Axes | None = None,
        *,
        names: Sequence[str] | None = None,
        terms: str = BIOMETRIC,
    ) -> Axes:
        """Draw the difference of both curves with its interval and the line of no difference.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        names, terms
            As in :meth:`plot`.

        Returns
        -------
        matplotlib Axes

        Notes
        -----
        The value of the first system minus that of the second, with its interval at each alpha and
        between dotted lines the simultaneous band, where that excludes 0 on a ground of the colour
        and the hatch of the better one. A value that is 0/0 is a gap.

        Examples
        --------
        >>> import betaroc as br
        >>> dev = br.Scores([2, 3, 4], [0, 1, 2])
        >>> good = br.epc(dev, br.Scores([3, 4, 5], [0, 1, 2]), alpha=[0.4, 0.6])
        >>> poor = br.epc(dev, br.Scores([1, 1.4, 9], [0, 1, 3]), alpha=[0.4, 0.6])
        >>> br.compare(good, poor, replicates=200, rng=1).plot_difference().get_ylabel()
        'difference in half total error rate'
        """
        return draw_difference(
            ax, self.alpha, self.difference, (self.low, self.high), (self.band_low, self.band_high),
            self._better(names), axes_of(self.first, "linear", terms)[0],
        )  # fmt: skip

    def plot_histogram(
        self,
        alpha: float | None = None,
        ax: Axes | None = None,
        *,
        bins: int = 50,
        names: Sequence[str] | None = None,
        terms: str = BIOMETRIC,
    ) -> Axes:
        """Draw the bootstrap differences at one alpha, the interval's ends and zero marked.

        Parameters
        ----------
        alpha : float, optional
            One of the curves'; may be left out where they have but one.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        bins : int
            Number of bars.
        names, terms
            As in :meth:`plot`.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        InputError
            If `alpha` is not one of the curves', `bins` is less than 1 or `names` are not two.

        Examples
        --------
        >>> import betaroc as br
        >>> dev = br.Scores([2, 3, 4], [0, 1, 2])
        >>> good = br.epc(dev, br.Scores([3, 4, 5], [0, 1, 2]), alpha=[0.5])
        >>> poor = br.epc(dev, br.Scores([1, 1.4, 9], [0, 1, 3]), alpha=[0.5])
        >>> ax = br.compare(good, poor, replicates=200, rng=1).plot_histogram(0.5, bins=4)
        >>> sum(int(bar.get_height()) for bar in ax.patches)
        200
        """
        counts, edges = self.histogram(alpha, bins)
        place = index_of_alpha(self.first, alpha)
        estimate, low, high = (float(v[place]) for v in (self.difference, self.low, self.high))
        return draw_replicates(
            ax, counts, edges, (estimate, low, high), self._better(names),
            axes_of(self.first, "linear", terms)[0], float(self.alpha[place]),
        )  # fmt: skip

    def _better(self, names: Sequence[str] | None) -> Better:
        return Better(self.better, both_names(self.names, names), self.level)


@public
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
    """Whether two systems differ, averaged over alpha and at single alphas.

    Every replicate draws dev again and chooses both systems' thresholds again, then draws
    test again: V_a - V_b of the replicates has the quantiles (1 -+ level)/2 as its interval
    (percentile bootstrap), at each alpha and averaged over alpha. The simultaneous band cuts
    off equally many replicates at both ends of every alpha, as many as leave `level` of the
    replicates inside everywhere.

    Parameters
    ----------
    epc_a, epc_b : Epc
        Curves of one criterion, one measure and equal alphas, test sides from scores.
    resample : str
        "both": dev and test, so that the interval is of the difference between two systems
        whose thresholds are chosen on so many dev trials. "test": the papers' test of these
        two thresholds, dev's choice held fixed.
    paired : bool
        Both systems judge the same test trials, given in the same order: trials are
        resampled with both decisions. Else the test sets are resampled independently.
    level : float
        Confidence level of each interval and of the band.
    low, high : float, optional
        Range of alpha of the average and of the band, in [0, 1], cut to that of the curves. Left
        out: 0.1 and 0.9, or all alphas where the curves have none between them
        (`Comparison.alpha_range` says which).
    replicates : int, optional
        Bootstrap replicates, at least 1. Left out: 2000; 400 where a dev side is a fit, which
        ``resample="both"`` makes again in each.
    groups : bool
        Where scores carry groups, trials are drawn by their groups, as in `Epc.band`; paired,
        a group that is drawn brings both systems' scores of all its trials. `False` takes
        trials as independent.
    rng : None, int, SeedSequence or Generator
        Source of randomness; a seed gives the same bytes everywhere.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        If the curves differ in criterion, measure or alpha, a test side is a model or has
        fractional weights, a dev side is a typed model or a fit of a summary and
        ``resample="both"``, paired trials differ in number, weights, prior, groups or ids, or
        an argument is out of range.
    InputTypeError
        If a curve is no Epc or `rng` no source of randomness.

    Notes
    -----
    Class sizes are fixed, but vary with groups that are drawn. Dev and test are drawn
    independently. Dev trials are shared (`Comparison.dev_paired`) where both dev sides have
    equally many of each class, equal ids and groups where both have them, and one order of
    labels where both were read from files; else each system's are drawn by themselves, as the
    bins of a summary are. To share draws of trials that are not the same does no harm: their
    scores do not vary together. Ids and groups of test are compared where both systems have
    them, and the order of the labels where both were read from files; beyond that the order
    is trusted, and groups of a class that one system has hold for both.

    Among scores every threshold of a replicate is the criterion's own, ties included; only of
    equal weighted errors of very many scores, whose products doubles do not hold, the lower
    threshold is taken and not that of the lower HTER. A fit is made again from every draw: the
    least weighted error of beta, normal and logit-normal fits is found to a hundredth of a
    threshold's standard error, other criteria exactly and slowly.

    A replicate counts only at alphas where its measure is not 0/0, and not at all if a class
    is empty or a fit does not exist. With fewer than 10 trials, or groups, in a class of
    a dev side that is drawn, or 20 of test, the intervals are too short and no system is named.

    Thresholds chosen among scores move like n**(-1/3), where the bootstrap is not consistent: its
    replicates are not centred on the difference, and spread too far. The percentile interval of
    dev and test drawn together keeps its level in the simulations of docs/validation.md, often
    with much to spare.

    References
    ----------
    Bengio, S., Mariethoz, J. and Keller, M. (2005), The expected performance
    curve, section 5, Figures 6 and 8 (``resample="test"``). Kim, J. and Pollard, D. (1990), Cube
    root asymptotics.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> truth = [rng.normal(mu, 1, n) for n in (300, 400) for mu in (1, -1)]
    >>> good = br.epc(br.Scores(*truth[:2]), br.Scores(*truth[2:]), measure="weighted-error")
    >>> noisy = [x + rng.normal(0, 1, x.size) for x in truth]
    >>> poor = br.epc(br.Scores(*noisy[:2]), br.Scores(*noisy[2:]), measure="weighted-error")
    >>> result = br.compare(good, poor, replicates=500, rng=1)
    >>> result.better_on_average, result.dev_paired, result.mean_difference.high < 0
    ('a', True, True)
    """
    for e, name in ((epc_a, "epc_a"), (epc_b, "epc_b")):
        checks.instance(e, Epc, name, "br.epc(dev, test)")
    names = called(epc_a, epc_b, ("epc_a", "epc_b"))
    refuse_different(epc_a, epc_b, names)
    checks.choice(resample, RESAMPLE, "resample")
    used, paired = range_of(epc_a, low, high), checks.flag(paired, "paired")
    number = REPLICATES if replicates is None else replicates
    options = IntervalOptions(level, resample, number, groups, rng)
    if replicates is not None:
        refuse_large_table(options.replicates, epc_a.alpha.size)
    plan = plan_of((epc_a, epc_b), options, paired=paired, names=names)
    if replicates is None:
        if plan.fitted:
            options = replace(options, replicates=REPLICATES_OF_FITS)
        refuse_large_table(options.replicates, epc_a.alpha.size)
    values = options.replicated(plan.differences, epc_a.alpha.size)
    return judged(epc_a, epc_b, values, plan, options, used)


def judged(
    a: Epc, b: Epc, values: FloatArray, plan: Plan, options: IntervalOptions,
    used: tuple[float, float],
) -> Comparison:  # fmt: skip
    """The intervals of replicates of the difference, a row each; `used` is a range of alpha."""
    estimate = np.asarray(a.value - b.value)
    ends, band = pointwise(values, estimate, options), np.full((2, estimate.size), np.nan)
    at = inside(a.alpha, used) & ~np.isnan(estimate)
    if np.any(at):
        low, high = percentile_band(values[:, at], options.level)
        # At no alpha narrower than the intervals.
        band[:, at] = np.fmin(low, ends[0][at]), np.fmax(high, ends[1][at])
    mean = _mean(values, estimate, area_weights(a.alpha, *used), options)
    return Comparison(
        a, b, plan.resample, plan.paired, plan.dev_paired, options.level, mean, used, *ends,
        band[0], band[1], values, plan.smallest, plan.groups, library=first_library((a, b)),
    )  # fmt: skip


def range_of(e: Epc, low: float | None, high: float | None) -> tuple[float, float]:
    """The alphas of the average: what is asked for and the curves have."""
    asked = low is not None or high is not None
    low, high = checks.ascending(
        _RANGE[0] if low is None else low, _RANGE[1] if high is None else high
    )
    first, last = float(e.alpha.min()), float(e.alpha.max())
    if max(low, first) < min(high, last):
        return max(low, first), min(high, last)
    if asked:
        raise InputError(
            f"low and high must hold some of the curves' alphas, {first!r} to {last!r}; got"
            f" low={low!r}, high={high!r}. Leave them out, or give epc these alphas."
        )
    return first, last


def _mean(
    values: FloatArray, estimate: FloatArray, weights: FloatArray, options: IntervalOptions
) -> Interval:
    """The difference averaged over a range of alpha."""
    counts = weights > 0.0
    weights = weights[counts] / np.sum(weights)
    mean, means = estimate[counts] @ weights, values[:, counts] @ weights
    low, high = pointwise(means[:, None], np.array([mean]), options)
    drawn = "dev and test drawn again" if options.method == "both" else "test drawn again"
    name = f"percentile, {drawn}"
    return Interval(float(mean), float(low[0]), float(high[0]), options.level, name)


# ----------------------------------------------------------------------------- conditions


def _errors(e: Epc, place: int) -> tuple[int, int]:
    """Wrong decisions and trials on test at one alpha."""
    client, impostor = empirical_laws(e.test, "test")
    t = e.chosen[[place]]
    wrong = client._counts_at_most(t)[0] + impostor._counts_above(t)[0]
    return round(float(wrong)), round(client.total + impostor.total)
