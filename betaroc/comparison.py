"""Where two systems differ along their expected performance curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc import _checks
from betaroc._thresholds import FloatArray, Thresholds
from betaroc._value import Value
from betaroc.bands import checked_replicates, fixed_values, grouped_values, measured, pointwise
from betaroc.distributions.binned import Binned
from betaroc.distributions.empirical import Empirical
from betaroc.errors import InputError, InputTypeError
from betaroc.expected_performance import Epc
from betaroc.grouping import GroupedSide, Groups, ThresholdCells, groups_of
from betaroc.measures import OperatingPoint
from betaroc.paired_trials import joint_trials, refuse_other_trials
from betaroc.resampling import IntArray, streams
from betaroc.sides import empirical_laws, grouped_side, side_trials

__all__ = ["Comparison", "Histogram", "ProportionTest", "compare"]

#: Measures a + b FAR + c FRR: their differences hang on the trials that two systems judge apart.
_LINEAR = frozenset({
    "far", "frr", "tpr", "tnr", "recall", "sensitivity", "specificity", "hter", "dcf", "accuracy",
    "youden", "weighted-error",
})  # fmt: skip
#: Alphas that agree to this are one alpha.
_SAME_ALPHA = 1e-9


class Histogram(NamedTuple):
    """Bootstrap differences counted in bins."""

    #: Replicates in each bin.
    counts: npt.NDArray[np.int64]
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
class Comparison(Value):
    """The difference of two expected performance curves with its intervals.

    Parameters
    ----------
    first, second : Epc
        The curves.
    paired : bool
        Whether both judge the same trials.
    level : float
        Confidence level of each interval.
    low, high : ndarray, shape (k,)
        Ends of the intervals of the difference, nan where it is undefined.
    differences : ndarray, shape (replicates, k)
        Bootstrap differences; no part of equality.
    groups : tuple, optional
        Number of groups of both test sides that were drawn as a whole, None for a side of
        independent trials; None where neither side has groups.

    Examples
    --------
    >>> import betaroc as br
    >>> dev = br.Scores([2, 3, 4], [0, 1, 2])
    >>> good = br.epc(dev, br.Scores([3, 4, 5], [0, 1, 2]), alpha=[0.5])
    >>> poor = br.epc(dev, br.Scores([1, 1.4, 9], [0, 1, 3]), alpha=[0.5])
    >>> br.compare(good, poor, replicates=200, rng=1).difference.round(3).tolist()
    [-0.333]
    """

    first: Epc
    second: Epc
    paired: bool
    level: float
    low: FloatArray
    high: FloatArray
    differences: FloatArray = field(compare=False, repr=False)
    groups: tuple[int | None, int | None] | None = None

    @property
    def alpha(self) -> FloatArray:
        """The criterion's parameter."""
        return self.first.alpha

    @property
    def difference(self) -> FloatArray:
        """Value of the first curve minus value of the second."""
        return np.asarray(self.first.value - self.second.value)

    @property
    def significant(self) -> npt.NDArray[np.bool_]:
        """Where the interval excludes 0."""
        return np.asarray((self.low > 0.0) | (self.high < 0.0))

    @property
    def sign(self) -> npt.NDArray[np.int64]:
        """1 where the first curve is higher, -1 where it is lower, 0 where that is not certain."""
        return (self.low > 0.0).astype(np.int64) - (self.high < 0.0)

    @property
    def ranges(self) -> tuple[tuple[float, float], ...]:
        """First and last alpha of each longest run of significant differences of one sign.

        A run holds neighbours among the alphas of the curves; what lies between two of them
        was not looked at.
        """
        order = np.argsort(self.alpha, kind="stable")
        alpha, sign = self.alpha[order], self.sign[order]
        starts = np.flatnonzero(np.diff(sign, prepend=2) != 0)
        ends = np.append(starts[1:], sign.size) - 1
        runs = zip(starts.tolist(), ends.tolist(), strict=True)
        return tuple((float(alpha[a]), float(alpha[b])) for a, b in runs if sign[a] != 0)

    def histogram(self, alpha: float, bins: int = 50) -> Histogram:
        """Histogram of the bootstrap differences at one alpha.

        Parameters
        ----------
        alpha : float
            One of the curve's.
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
        values = self.differences[:, self._place(alpha)]
        counts, edges = np.histogram(values[~np.isnan(values)], bins=_checks.count(bins, "bins"))
        return Histogram(counts.astype(np.int64), edges)

    def proportion_test(self, alpha: float) -> ProportionTest:
        """The papers' standard proportion test on the classification error at one alpha.

            z = (p1 - p2) / sqrt(p (1 - p) (1/n1 + 1/n2)),   p = (e1 + e2) / (n1 + n2)

        Parameters
        ----------
        alpha : float
            One of the curve's.

        Returns
        -------
        ProportionTest
            By ``statsmodels.stats.proportion.proportions_ztest``; z = 0 and p = 1
            where both systems err nowhere or everywhere.

        Raises
        ------
        InputError
            If `alpha` is not one of the curve's.

        Notes
        -----
        It takes the two sets of decisions as independent, also where the trials are the
        same: on paired trials it is too cautious for systems that err together. It counts
        errors, whatever the curve's measure is. It ignores groups, as the papers do: where
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
        from statsmodels.stats.proportion import proportions_ztest

        place = self._place(alpha)
        (e1, n1), (e2, n2) = (_errors(e, place) for e in (self.first, self.second))
        if e1 + e2 in {0, n1 + n2}:
            return ProportionTest(0.0, 1.0, (e1, e2), (n1, n2))
        statistic, p_value = proportions_ztest([e1, e2], [n1, n2])
        return ProportionTest(float(statistic), float(p_value), (e1, e2), (n1, n2))

    def plot(self, ax: Any = None, **names: Any) -> Any:
        """Draw both curves and where they differ; see :func:`betaroc.plot.plot_comparison`.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        **names
            Passed on: ``names``, what the systems are called.

        Returns
        -------
        matplotlib Axes
        """
        from betaroc.plot import plot_comparison

        return plot_comparison(self, ax=ax, **names)

    def _place(self, alpha: float) -> int:
        wanted = _checks.fraction(alpha, "alpha")
        place = int(np.argmin(np.abs(self.alpha - wanted)))
        nearest = float(self.alpha[place])
        if abs(nearest - wanted) > _SAME_ALPHA:
            raise InputError(
                f"alpha must be one of the {self.alpha.size} at which the curves were computed; got"
                f" {wanted!r}, the nearest is {nearest!r}. Take that, or give epc this alpha."
            )
        return place


def compare(
    epc_a: Epc,
    epc_b: Epc,
    *,
    paired: bool = True,
    level: float = 0.95,
    replicates: int = 10_000,
    groups: bool = True,
    rng: Any = None,
) -> Comparison:
    """Test at each alpha whether two systems differ, their thresholds held fixed.

    The interval holds the quantiles (1 -+ level)/2 of V_a - V_b over bootstrap
    replicates of the test trials (percentile test).

    Parameters
    ----------
    epc_a, epc_b : Epc
        Curves of one criterion, one measure and equal alphas, test sides from scores.
    paired : bool
        Both systems judge the same trials, given in the same order: trials are
        resampled with both decisions. Else the test sets are resampled independently.
    level : float
        Confidence level of each interval.
    replicates : int
        Bootstrap replicates, at least 1.
    groups : bool
        Where the test scores carry groups, trials are drawn by their groups, as in
        `Epc.band`; paired, a group that is drawn brings both decisions on all its trials.
        `False` takes trials as independent.
    rng : None, int, SeedSequence or Generator
        Source of randomness; a seed gives the same bytes everywhere.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        If the curves differ in criterion, measure or alpha, a test side is a model or has
        fractional weights, paired trials differ in number, weights, prior, groups or ids, or
        `level` or `replicates` is out of range.
    InputTypeError
        If a curve is no Epc or `rng` no source of randomness.

    Notes
    -----
    Class sizes are fixed, but vary with groups that are drawn. A pair of thresholds leaves
    four kinds of trial (accepted by both, one, the other, none), whose multinomial counts
    are drawn, of measures linear in FAR and FRR those of the trials judged apart: each alpha
    by itself, so the intervals are pointwise; groups are drawn once for all alphas. The
    thresholds' own uncertainty is not in them. Ids and groups are compared where both systems
    have them, and the order of the labels where both were read from files; beyond that the
    order is trusted, and groups of a class that one system has hold for both.

    References
    ----------
    Bengio, S., Mariethoz, J. and Keller, M. (2005), The expected performance
    curve, section 5, Figures 6 and 8.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> dev = br.Scores(rng.normal(1, 1, 300), rng.normal(-1, 1, 300))
    >>> client, impostor = rng.normal(1, 1, 400), rng.normal(-1, 1, 400)
    >>> good = br.epc(dev, br.Scores(client, impostor), alpha=[0.25, 0.5, 0.75])
    >>> noise = rng.normal(0, 1, (2, 400))
    >>> poor = br.epc(dev, br.Scores(client + noise[0], impostor + noise[1]), alpha=good.alpha)
    >>> br.compare(good, poor, replicates=1000, rng=1).ranges
    ((0.25, 0.75),)
    """
    _refuse_different_curves(epc_a, epc_b)
    level = _checks.level(level)
    replicates = checked_replicates(replicates, epc_a.alpha.size)
    paired, groups = _checks.flag(paired, "paired"), _checks.flag(groups, "groups")
    for e, name in ((epc_a, "epc_a"), (epc_b, "epc_b")):
        empirical_laws(e.test, f"the test side of {name}")
        if paired and isinstance(e.test.client, Binned):
            raise InputError(
                f"paired=True needs the trials themselves; the test side of {name} is a summary,"
                " which has none. Give Scores, or take paired=False."
            )
    draw, known = (_paired if paired else _unpaired)(epc_a, epc_b, groups=groups)
    values = np.empty((replicates, epc_a.alpha.size))
    for rows, stream in streams(replicates, rng):
        values[rows] = draw(stream, rows.stop - rows.start)
    low, high = pointwise(values, np.asarray(epc_a.value - epc_b.value), level)
    return Comparison(epc_a, epc_b, paired, level, low, high, values, known)


_Draw = Callable[[np.random.Generator, int], FloatArray]
_Counts = tuple[int | None, int | None]


def _unpaired(a: Epc, b: Epc, *, groups: bool) -> tuple[_Draw, _Counts | None]:
    """Each test side drawn by itself, and its number of groups."""
    sides = [grouped_side(e, "test", True, groups=groups) for e in (a, b)]
    counts = [None if side is None else side.groups.labels for side in sides]
    known = None if counts == [None, None] else (counts[0], counts[1])
    cells = [
        None if side is None else side.cells((side, e.chosen))
        for e, side in zip((a, b), sides, strict=True)
    ]

    def one(e: Epc, own: ThresholdCells | None, rng: np.random.Generator, size: int) -> FloatArray:
        if own is None:
            return fixed_values(e, rng, size, stratified=True)
        return grouped_values(e, own.draw(rng, size)[0])

    return lambda rng, size: one(a, cells[0], rng, size) - one(b, cells[1], rng, size), known


def _paired(a: Epc, b: Epc, *, groups: bool) -> tuple[_Draw, _Counts | None]:
    """Both decisions on each trial drawn together, by the groups that either system knows."""
    _refuse_unpaired(a, b, groups=groups)
    trials = joint_trials(side_trials(a, "test"), side_trials(b, "test"))
    known = groups_of(trials) if groups else None
    return _paired_draw(a, b, known), None if known is None else (known.labels, known.labels)


def _paired_draw(a: Epc, b: Epc, known: Groups | None) -> _Draw:
    """Both decisions on each trial drawn together."""
    if known is None:
        joint = _JointCells.of(a, b)
        return lambda rng, size: joint.differences(a, b, rng, size)
    both = [
        GroupedSide.of(known, empirical_laws(e.test, "test"), side_trials(e, "test"),
                       stratified=True)
        for e in (a, b)
    ]  # fmt: skip
    cells = both[0].cells((both[0], a.chosen), (both[1], b.chosen))

    def draw(rng: np.random.Generator, size: int) -> FloatArray:
        one, other = cells.draw(rng, size)
        return grouped_values(a, one) - grouped_values(b, other)

    return draw


# ------------------------------------------------------------------------- paired trials
@dataclass(frozen=True)
class _JointCells:
    """Trials of one class by both decisions: rejected by both, accepted by b, by a, by both."""

    #: For each alpha its place among the distinct pairs of thresholds.
    place: npt.NDArray[np.intp]
    #: Counts, shape (distinct, 4), of each class.
    client: IntArray
    impostor: IntArray

    @classmethod
    def of(cls, a: Epc, b: Epc) -> _JointCells:
        """Both decisions on each trial, counted."""
        (client_a, impostor_a), (client_b, impostor_b) = (
            empirical_laws(e.test, "test") for e in (a, b)
        )
        index = [law._index(a.chosen) for law in (client_a, impostor_a)]
        index += [law._index(b.chosen) for law in (client_b, impostor_b)]
        _, first, place = np.unique(
            np.stack(index, axis=1), axis=0, return_index=True, return_inverse=True
        )
        t_a, t_b = a.chosen[first], b.chosen[first]
        client = _decisions(client_a, client_b, t_a, t_b)
        return cls(np.ravel(place), client, _decisions(impostor_a, impostor_b, t_a, t_b))

    def differences(self, a: Epc, b: Epc, rng: np.random.Generator, size: int) -> FloatArray:
        """V_a - V_b of resampled trials, a row a replicate."""
        if a.measure in _LINEAR:
            return self._linear(a, rng, size)
        c, i = (_drawn(rng, counts, size) for counts in (self.client, self.impostor))
        rejected, accepted = (c[0] + c[1], c[0] + c[2]), (i[2] + i[3], i[1] + i[3])
        sizes = [np.full(size, np.sum(counts[0])) for counts in (self.client, self.impostor)]
        values = [
            measured(e, r[:, self.place], s[:, self.place], sizes[0], sizes[1])
            for e, r, s in zip((a, b), rejected, accepted, strict=True)
        ]
        return values[0] - values[1]

    def _linear(self, e: Epc, rng: np.random.Generator, size: int) -> FloatArray:
        """The same where the measure is linear in both rates: only trials judged apart count."""
        far, frr = _slopes(e)
        found = np.zeros((size, self.place.size))
        for slope, counts, sign in ((frr, self.client, 1.0), (far, self.impostor, -1.0)):
            if np.any(slope):
                together = counts[:, 0] + counts[:, 3]
                apart = np.stack([counts[:, 1], counts[:, 2], together], axis=1)
                one, other, _ = _drawn(rng, apart, size)
                share = (one - other) / np.sum(counts[0])
                found += sign * slope * share[:, self.place]
        return found


def _slopes(e: Epc) -> tuple[FloatArray, FloatArray]:
    """Change of a linear measure with FAR and with FRR at each alpha."""
    zero, one = np.zeros(e.alpha.size), np.ones(e.alpha.size)
    rates = ((zero, zero), (one, zero), (zero, one))
    base, far, frr = (
        e._measured(OperatingPoint(np.nan, rate[0], rate[1], e.test.prior)) for rate in rates
    )
    return far - base, frr - base


def _drawn(rng: np.random.Generator, counts: IntArray, size: int) -> list[IntArray]:
    """Multinomial counts of each column, shape (size, rows): binomial given those before."""
    left = np.sum(counts, axis=1)
    rest = np.repeat(left[:, None], size, axis=1)
    found = []
    for column in counts.T[:-1]:
        share = column / np.maximum(left, 1)
        found.append(rng.binomial(rest, share[:, None]))
        rest, left = rest - found[-1], left - column
    return [drawn.T for drawn in (*found, rest)]


def _decisions(a: Empirical, b: Empirical, t_a: Thresholds, t_b: Thresholds) -> IntArray:
    """Trials of one class in the four cells, a row for each pair of thresholds."""
    step_a, step_b = (np.searchsorted(law._steps[0], law.values).astype(np.int32) for law in (a, b))
    counts = []
    for i, j in zip(a._index(t_a), b._index(t_b), strict=True):
        by_a, by_b = step_a >= i, step_b >= j
        both, one, other = (_weight(a, rows) for rows in (by_a & by_b, by_a, by_b))
        counts.append([a.total - one - other + both, other - both, one - both, both])
    return np.asarray(np.rint(counts), dtype=np.int64)


def _weight(law: Empirical, rows: npt.NDArray[np.bool_]) -> float:
    return float(np.count_nonzero(rows) if law.weights is None else np.sum(law.weights[rows]))


# ----------------------------------------------------------------------------- conditions
def _refuse_different_curves(a: Epc, b: Epc) -> None:
    for e, name in ((a, "epc_a"), (b, "epc_b")):
        if not isinstance(e, Epc):
            raise InputTypeError(
                f"{name} must be an Epc; got {type(e).__name__}. Make it with br.epc(dev, test)."
            )
    for name in ("criterion", "measure"):
        one, other = getattr(a, name), getattr(b, name)
        if one != other:
            raise InputError(
                f"the curves must have one {name}; epc_a has {one!r}, epc_b {other!r}. Compute"
                f" both with the same {name}."
            )
    one, other = a.alpha, b.alpha
    if not np.array_equal(one, other):
        raise InputError(
            f"the curves must have equal alphas; epc_a has {one.size} from {float(one[0])!r} to"
            f" {float(one[-1])!r}, epc_b {other.size} from {float(other[0])!r} to"
            f" {float(other[-1])!r}. Compute both with the same alpha."
        )


def _refuse_unpaired(a: Epc, b: Epc, *, groups: bool) -> None:
    refuse_other_trials(
        side_trials(a, "test"), side_trials(b, "test"), ("epc_a", "epc_b"), groups=groups
    )
    if a.test.prior != b.test.prior:
        raise InputError(
            f"paired curves must have one test prior; epc_a has {a.test.prior!r}, epc_b"
            f" {b.test.prior!r}. Give epc the same prior."
        )


def _errors(e: Epc, place: int) -> tuple[int, int]:
    """Wrong decisions and trials on test at one alpha."""
    client, impostor = empirical_laws(e.test, "test")
    t = e.chosen[[place]]
    wrong = client.counts_at_most(t)[0] + impostor.counts_above(t)[0]
    return round(float(wrong)), round(client.total + impostor.total)
