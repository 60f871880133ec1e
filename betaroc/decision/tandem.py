"""A countermeasure in front of a verifier: costs of misses, nontargets and spoofs together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, BoolArray, FloatArray, IntArray
from betaroc.core.errors import refusal
from betaroc.core.notices import collect_warnings
from betaroc.core.options import IntervalOptions
from betaroc.core.resampling import check_fractional_weights, seed_sequence
from betaroc.core.tables import Table, Tabular, in_library
from betaroc.core.vocabulary import worded
from betaroc.data.groups import ScoredTrials, units_of, weights_of
from betaroc.data.scores import Scores, require_scores
from betaroc.distributions.empirical import gap_places
from betaroc.inference import drawn_scores
from betaroc.inference.differences import Difference, of_replicates
from betaroc.inference.interval import Interval
from betaroc.inference.paired_trials import check_other_trials, joint_trials
from betaroc.model.measures import checked_cost
from betaroc.model.statistics import PointArguments
from betaroc.rendering import curves
from betaroc.rendering.nouns import Exportable
from betaroc.rendering.numbers import number, rate
from betaroc.rendering.tree import Grid, Node, Paragraph, Row
from betaroc.rendering.tree_text import text_of

#: Of targets, nontargets and spoofs in the ASVspoof challenges.
ASVSPOOF_PRIORS = (0.9405, 0.0095, 0.05)
#: The populations by their numbers.
_TARGET, _NONTARGET, _SPOOF = range(3)
_STATISTICS = ("t-dcf", "min-t-dcf", "t-eer")
#: A minimum is too low by c n^(-2/3), that of half as many trials by this many times as much.
_HALF = 2.0 ** (2.0 / 3.0)
#: Trials drawn at once, times replicates. Numbers that agree to this are equal.
_AT_ONCE, _TIE = 2_000_000, 1e-12
#: Draws of half the trials. Thresholds to either side that a t-EER looks at, in sqrt(number).
_HALVES, _REACH = 200, 5.0
#: How often each trial of the countermeasure and of the verifier is drawn, a row per replicate.
Drawn = tuple[IntArray, IntArray]


class TandemPoint(NamedTuple):
    """Thresholds of both systems, rates of both together, and their normalised t-DCF."""

    cm_threshold: float
    asv_threshold: float
    #: Targets rejected, nontargets and spoofs accepted.
    frr: float
    far: float
    far_spoof: float
    t_dcf: float


@dataclass(frozen=True, eq=False, repr=False)
class Tandem(Tabular, Exportable):
    """A countermeasure and a verifier in tandem, made by :func:`tandem`.

    :func:`interval` takes it with "t-dcf" (at `cm_threshold`), "min-t-dcf" or "t-eer", and
    :func:`difference` two of them, of two countermeasures with one verifier.

    Parameters
    ----------
    cm, asv : Scores
        The countermeasure and the verifier; paired trials stand in the verifier's order.
    nontarget : str
        The stratum of the impostors who make no effort.
    cm_threshold, asv_threshold : float or None
        Thresholds that were named.
    priors, costs : tuple of float
        Of targets, nontargets and spoofs.
    legacy, joint, paired : bool
        As in :func:`tandem`.
    library : str, optional
        What tables are frames of.

    Examples
    --------
    >>> import betaroc as br
    >>> strata = ["nontarget", "nontarget", "A07", "A07"]
    >>> asv = br.Scores([3, 4, 5], [0, 1, 3.5, 4.5], impostor_strata=strata)
    >>> cm = br.Scores([1, 2, 3], [2, 3, 0, 1.5], impostor_strata=strata)
    >>> best = br.tandem(cm, asv).min_point
    >>> round(best.t_dcf, 4), best.cm_threshold
    (0.3762, 1.75)
    """

    cm: Scores
    asv: Scores
    nontarget: str
    cm_threshold: float | None
    asv_threshold: float | None
    priors: tuple[float, float, float]
    costs: tuple[float, float, float]
    legacy: bool = False
    joint: bool = False
    paired: bool = True

    @property
    def t_dcf(self) -> float:
        """The normalised t-DCF at `cm_threshold`; nan where none was named."""
        return math.nan if self.cm_threshold is None else self._point(-1).t_dcf

    @property
    def min_t_dcf(self) -> float:
        """The least normalised t-DCF on these scores, which is below that of trials to come."""
        return self.min_point.t_dcf

    @property
    def t_eer(self) -> float:
        """The mean of the three rates of `t_eer_point`."""
        return float(np.mean(self.t_eer_point[2:5]))

    @property
    def min_point(self) -> TandemPoint:
        """Both thresholds and the rates at the least t-DCF."""
        return self._point(self._best)

    @cached_property
    def t_eer_point(self) -> TandemPoint:
        """The pair of thresholds whose three rates, of products, differ least at the most."""
        cm, asv = self._sides
        bona_fide, spoof, shares, values = self._balance(self._whole, slice(None))
        miss, *others = values[0]
        # Where one of these differs by more than all at a pair that is known, no pair is better.
        most = np.min(np.ptp(values[0], axis=0)) + _TIE
        j = np.flatnonzero(np.max(np.abs(miss - others), axis=0) <= most)
        j = np.unique(j % asv.places.size)
        rates = _products(bona_fide[:, 0], spoof[:, 0], shares[:, :, 0, j, None])
        apart = np.ptp(rates, axis=0)
        row, k = np.unravel_index(_least(apart.ravel()), apart.shape)
        cm_at, asv_at = float(cm.places[k]), float(asv.places[j[row]])
        return replace(self, joint=False, cm_threshold=cm_at, asv_threshold=asv_at)._point(-1)

    def _point(self, k: int) -> TandemPoint:
        rates, costs, _, threshold = self._counted
        return TandemPoint(
            *map(float, (self._places[k], threshold[0], *rates[:, 0, k], costs[0, k]))
        )

    def to_frame(self) -> Table:
        """The t-DCF and the rates of both systems together at each threshold of the countermeasure.

        Returns
        -------
        DataFrame
            Columns cm_threshold (from accepting all to rejecting all), asv_threshold, frr, far,
            far_spoof and t_dcf.

        Examples
        --------
        >>> import betaroc as br
        >>> strata = ["nontarget", "nontarget", "A07", "A07"]
        >>> asv = br.Scores([3, 4, 5], [0, 1, 3.5, 4.5], impostor_strata=strata)
        >>> cm = br.Scores([1, 2, 3], [2, 3, 0, 1.5], impostor_strata=strata)
        >>> table = br.tandem(cm, asv).to_frame()
        >>> table[["cm_threshold", "t_dcf"]].round(4).values.tolist()[1:4]
        [[0.5, 0.5], [1.25, 0.8762], [1.75, 0.3762]]
        """
        rows = zip(*map(self._point, range(self._sides[0].places.size)), strict=True)
        return self._table(dict(zip(TandemPoint._fields, rows, strict=True)))

    def plot(self, ax: curves.Axes | None = None, **style: Any) -> curves.Axes:
        """Draw the t-DCF against the threshold of the countermeasure, with its least value.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        **style
            Properties of the line.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import betaroc as br
        >>> strata = ["nontarget", "nontarget", "A07", "A07"]
        >>> asv = br.Scores([3, 4, 5], [0, 1, 3.5, 4.5], impostor_strata=strata)
        >>> cm = br.Scores([1, 2, 3], [2, 3, 0, 1.5], impostor_strata=strata)
        >>> ax = br.tandem(cm, asv).plot()
        >>> ax.get_xlabel(), ax.get_ylabel()
        ('threshold of the countermeasure', 'normalised t-DCF')
        """
        ax, empty = curves.begun(ax)
        x, y = self._sides[0].places[1:], self._counted[1][0, 1:]
        line = curves.draw_curve(ax, x, y[: x.size], style)
        at, *_, least = self.min_point
        label = f"least: {number(least, 4)} at {number(at, 4)}"
        ax.plot(at, least, "o", color=line.get_color(), label=label)
        frame = (None, (0.0, min(3.0, 1.1 * float(np.max(y))))) if empty else None
        names = "threshold of the countermeasure", "normalised t-DCF"
        return curves.finished(ax, *names, frame=frame, loc="best")

    def __str__(self) -> str:
        return text_of(self._view())

    def _grid(self) -> Grid:
        return self._view()[1]  # type: ignore[return-value]

    def _metrics(self) -> dict[str, Any]:
        return self._derived()

    def _derived(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("t_dcf", "min_t_dcf", "t_eer")}

    def _view(self) -> list[Node]:
        ways = ("products of the rates of both", "counted on the same trials")
        rows = [("least t-DCF", self.min_point), ("t-EER", self.t_eer_point)]
        if self.cm_threshold is not None:
            rows.insert(1, ("threshold named", self._point(-1)))
        if self.paired:  # the same threshold by the other way
            at = self.min_point.cm_threshold
            second = replace(self, cm_threshold=at, joint=not self.joint)
            rows.append((f"least t-DCF, {ways[second.joint]}", second._point(-1)))
        cells = [(*(number(x, 4) for x in (*p[5:], *p[:2])), *map(rate, p[2:5])) for _, p in rows]
        grid = Grid(
            ("", f"{'legacy ' * self.legacy}t-DCF", "CM threshold", "ASV threshold",
             "targets rejected", "nontargets accepted", "spoofs accepted"),
            tuple(Row((name, *row)) for (name, _), row in zip(rows, cells, strict=True)),
        )  # fmt: skip
        answer = (
            f"Least t-DCF {number(self.min_t_dcf, 4)}, on the scores that chose its threshold;"
            f" t-EER {rate(self.t_eer)}. Rates: {ways[self.joint]}."
        )
        return [Paragraph(answer, "answer"), grid]

    # ------------------------------------------------------------------------- rates
    @cached_property
    def _sides(self) -> tuple[_Side, _Side]:
        """The countermeasure and the verifier."""
        return _Side.of(self.cm._trials, self.nontarget), _Side.of(self.asv._trials, self.nontarget)

    @cached_property
    def _places(self) -> FloatArray:
        """Every threshold of the countermeasure, last the one that was named."""
        named = [] if self.cm_threshold is None else [self.cm_threshold]
        return np.append(self._sides[0].places, named)

    @cached_property
    def _whole(self) -> Drawn:
        """Every trial once, or as often as its weight says."""
        cm, asv = (np.concatenate([weights_of(s._trials, who) for who in CLASSES])[None]
                   for s in (self.cm, self.asv))  # fmt: skip
        return cm.astype(np.int64), asv.astype(np.int64)

    @cached_property
    def _counted(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        return self._at(self._whole, self._places)

    @cached_property
    def _best(self) -> int:
        """The place of the least t-DCF."""
        return int(_least(self._counted[1][0, : self._sides[0].places.size]))

    def _at(
        self, drawn: Drawn, t: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Rates of both systems and t-DCFs at thresholds, a row per replicate.

        Of the verifier the shares of each population rejected and accepted, and its threshold.
        """
        cm, asv = self._sides
        places = np.array([self.asv_threshold], dtype=np.float64)
        if self.asv_threshold is None:
            places = _places(asv.values[asv.population != _SPOOF])
        shares = np.array([asv.shares(drawn[1], places, k) for k in range(3)])
        miss, fa = shares[_TARGET, 0], shares[_NONTARGET, 1]
        at = _least(np.abs(miss - fa), miss + fa)
        shares = np.take_along_axis(shares, at[None, None, :, None], axis=3)
        if self.joint:
            passed = asv.values > places[at, None]
            accepted = np.array([cm.shares(drawn[0], t, k, passed=passed) for k in range(3)])
            rates = np.stack([accepted[_TARGET, 0], accepted[_NONTARGET, 1], accepted[_SPOOF, 1]])
        else:
            rates = _products(*cm.both(drawn[0], t), shares)
        return rates, self._costs(rates, shares), shares, places[at]

    def _costs(self, rates: FloatArray, shares: FloatArray) -> FloatArray:
        """Normalised t-DCFs of rates."""
        always, c1, c2 = self._constants(shares)
        shift = -always if self.legacy else 0.0
        costs = np.tensordot(np.multiply(self.priors, self.costs), rates, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((costs + shift) / (always + shift + np.minimum(c1, c2)))

    def _constants(self, shares: FloatArray) -> FloatArray:
        """C0, C1 and C2."""
        target, non, spoof = np.multiply(self.priors, self.costs)
        always = target * shares[_TARGET, 0] + non * shares[_NONTARGET, 1]
        return np.array([always, target - always, spoof * shares[_SPOOF, 1]])

    def _balance(
        self, drawn: Drawn, near: slice
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Shares of both systems at all thresholds, and rates where misses are near the others.

        For each threshold of the verifier at both sides of where 2 FRR - FAR - FAR_spoof, which
        grows with the threshold of the countermeasure, changes its sign.
        """
        (cm, asv), high = self._sides, self._sides[0].places.size - 1
        bona_fide, spoof = cm.both(drawn[0], cm.places)
        shares = np.array([asv.shares(drawn[1], asv.places[near], k) for k in range(3)])
        low, k = np.zeros(shares.shape[2:], np.intp), np.full(shares.shape[2:], high)
        row = np.arange(len(k))[:, None]
        for _ in range(high.bit_length()):
            middle = (low + k) // 2
            miss, *others = _products(bona_fide[:, row, middle], spoof[:, row, middle], shares)
            above = 2.0 * miss >= np.sum(others, axis=0)
            low, k = np.where(above, low, np.minimum(middle + 1, k)), np.where(above, middle, k)
        k = np.stack([k, np.maximum(k - 1, 0)])
        values = np.moveaxis(_products(bona_fide[:, row, k], spoof[:, row, k], shares), 2, 0)
        return bona_fide, spoof, shares, values.reshape(len(row), 3, -1)

    # --------------------------------------------------------------------- intervals
    def _drawn(
        self, of: Callable[[Drawn], FloatArray], options: IntervalOptions, share: float = 1.0
    ) -> FloatArray:
        """A number of replicates, each with a share of the trials."""
        cm, asv = self.cm._trials, self.asv._trials
        trials: list[ScoredTrials] = [joint_trials(asv, cm)] if self.paired else [asv, cm]
        rows = [side.rows(part, groups=options.groups)
                for side, part in zip(self._sides[::-1], trials, strict=False)]  # fmt: skip
        step = max(1, _AT_ONCE // max(part.size for part in rows))

        def block(rng: np.random.Generator, size: int) -> FloatArray:
            few = (min(step, size - start) for start in range(0, size, step))
            drawn = ([np.concatenate(x.draw(rng, n, share), axis=1) for x in rows] for n in few)
            return np.concatenate([of((part[-1], part[0])) for part in drawn])

        return options.replicated(block)

    def _equal(self, drawn: Drawn) -> FloatArray:
        """The t-EER of replicates, near that of the scores."""
        places = self._sides[1].places
        at = int(np.searchsorted(places, self.t_eer_point.asv_threshold))
        reach = math.ceil(_REACH * math.sqrt(places.size))
        values = self._balance(drawn, slice(max(at - reach, 0), at + reach + 1))[-1]
        best = np.argmin(np.ptp(values, axis=1), axis=1)
        return np.asarray(np.mean(values, axis=1)[np.arange(best.size), best])

    def _replicates(self, stat: str, options: IntervalOptions) -> tuple[float, FloatArray]:
        """A number, a minimum corrected, and its replicates."""
        if stat == "t-eer":
            return self.t_eer, self._drawn(self._equal, options)
        t, least = self._places[[-1 if stat == "t-dcf" else self._best]], self._sides[0].places
        values = self._drawn(lambda drawn: self._at(drawn, t)[1][:, 0], options)
        if stat == "t-dcf":
            return self.t_dcf, values
        few = replace(options, replicates=_HALVES)
        half = self._drawn(lambda drawn: np.min(self._at(drawn, least)[1], axis=1), few, 0.5)
        more = (self.min_t_dcf - float(np.nanmean(half))) / _HALF
        noise = np.random.default_rng(options.rng).standard_normal(values.size)
        return self.min_t_dcf + more, values + more * (1.0 + 0.5 * noise)

    def _checked(self, stat: object, point: object, options: IntervalOptions) -> IntervalOptions:
        checks.choice(stat, _STATISTICS, "stat")
        if point or (stat == "t-dcf" and self.cm_threshold is None):
            rule = "have the threshold that the tandem has, and no other point"
            remedy = worded("Give `tandem(..., cm_threshold=)`.")
            raise refusal("stat", rule, repr(stat), remedy)
        drawn_scores.check_still(self.cm, "cm", groups=options.groups)
        drawn_scores.check_still(self.asv, "asv", groups=options.groups)
        options = options.by(("half-sample" if stat == "min-t-dcf" else "bootstrap",))
        return replace(options, rng=seed_sequence(options.rng))

    def _interval_of(
        self, stat: Any, argument: tuple[Any, ...], point: PointArguments, options: IntervalOptions
    ) -> Interval:
        options = self._checked(stat, argument or point, options)
        return drawn_scores.interval_of_replicates(*self._replicates(stat, options), options, stat)

    def _difference_of(
        self, other: Tandem, stat: Any, argument: tuple[Any, ...], point: PointArguments,
        options: IntervalOptions, *, paired: bool,
    ) -> Difference:  # fmt: skip
        for part in (self, other):
            options = part._checked(stat, argument or point, options)
        sides, first, second = (options, options), self, other
        if not paired:
            sides = options.halves()
        else:
            named = all(x.paired and x.asv.client_ids is not None for x in (first, second))
            if first.asv != second.asv and named:
                first = first._among(second.asv)
                second = second._among(first.asv)
            if first.asv != second.asv:
                remedy = "Give both one verifier, or take paired=False."
                raise refusal("a and b", "have the same scores of a verifier", "others", remedy)
            check_other_trials(first.cm, second.cm, ("a", "b"), groups=options.groups)
        value, drawn = first._replicates(stat, sides[0])
        less, others = second._replicates(stat, sides[1])
        return of_replicates(value - less, drawn - others, options, stat)

    def _among(self, asv: Scores) -> Tandem:
        """On the trials that another verifier's scores have too."""
        cm, asv = _same_trials(self.cm, asv, self.nontarget, common=True)
        return replace(self, cm=cm, asv=asv)


class _Side(NamedTuple):
    """The trials of a system, clients first."""

    values: FloatArray
    population: IntArray
    places: FloatArray

    @classmethod
    def of(cls, scores: Scores, nontarget: str) -> _Side:
        """Clients are targets; of impostors one stratum is nontargets, all others are spoofs."""
        kinds, named = np.full(scores.impostor.size, _SPOOF), scores.impostor_strata
        if named is not None:
            kinds[named.astype(str) == nontarget] = _NONTARGET
        values = np.concatenate([scores.client, scores.impostor])
        return cls(values, np.append(np.full(scores.client.size, _TARGET), kinds), _places(values))

    def rows(self, trials: ScoredTrials, *, groups: bool) -> drawn_scores.BootstrapRows:
        """What is drawn: groups as wholes, else trials within their population."""
        units = units_of(trials, groups=groups)
        if units.sizes[1] is None:
            role, impostors = units.role.copy(), units.rows[1] + len(trials.client)
            spoof = self.population[impostors] == _SPOOF
            role[units.first[units.rows[0].size :][spoof]] |= 1 << 4
            units = replace(units, role=role)
        return drawn_scores.BootstrapRows.of(trials, units)

    def shares(
        self, drawn: IntArray, t: FloatArray, *populations: int, passed: BoolArray | None = None
    ) -> FloatArray:
        """Shares of populations rejected and accepted at thresholds, a row per replicate.

        Those that have not `passed` are rejected.
        """
        rows = np.isin(self.population, populations)
        drawn, values = drawn[:, rows], self.values[rows]
        order = np.argsort(values, kind="stable")
        below = drawn_scores.counts_below(
            (drawn if passed is None else drawn * passed[:, rows])[:, order]
        )
        above = below[:, -1:] - below[:, np.searchsorted(values[order], t, side="right")]
        total = np.sum(drawn, axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):  # nan of a population of which nobody was drawn
            return np.asarray(np.stack([total - above, above]) / total)

    def both(self, drawn: IntArray, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Of a countermeasure, to which targets and nontargets are bona fide, and of spoofs."""
        return self.shares(drawn, t, _TARGET, _NONTARGET), self.shares(drawn, t, _SPOOF)


def _products(cm: FloatArray, spoof: FloatArray, asv: FloatArray) -> FloatArray:
    """The three rates of two systems that are independent within each population."""
    miss = cm[0] + cm[1] * asv[_TARGET, 0]
    return np.stack([miss, cm[1] * asv[_NONTARGET, 1], spoof[1] * asv[_SPOOF, 1]])


def _places(values: FloatArray) -> FloatArray:
    """Thresholds: accept all, between neighbouring scores, reject all."""
    places = np.unique(values[values > -np.inf])
    return gap_places(np.append(-np.inf, places), np.append(places, np.inf), at_edges=False)


def _least(values: FloatArray, total: FloatArray | float = 0.0) -> IntArray:
    """Where a row is least, but for rounding; of several where the total is."""
    return np.asarray(np.argmin(np.round(values / _TIE) + 0.1 * total, axis=-1))


# -------------------------------------------------------------------------- the same trials
def _same_trials(cm: Scores, asv: Scores, nontarget: str, *, common: bool) -> tuple[Scores, Scores]:
    """Both systems trial by trial as the verifier has them, by their ids if both have some."""
    sides = [[getattr(s, f"{who}_ids") for who in CLASSES] for s in (cm, asv)]
    if any(ids is None for side in sides for ids in side):
        if common:
            raise refusal("common", "be False without ids", "True", "Give ids to both.")
        check_other_trials(cm, asv, ("cm", "asv"), groups=True)
        return cm._with(impostor_strata=asv.impostor_strata), asv
    ours, theirs = ([*map(str, np.concatenate(side).tolist())] for side in sides)
    place = {key: k for k, key in enumerate(ours)}
    rows = np.array([place.get(key, -1) for key in theirs])
    keep, shared = rows >= 0, len(place.keys() & {*theirs})
    alone = len(ours) - shared, len(theirs) - shared
    if shared < np.sum(keep) or len(place) < len(ours):
        raise refusal("ids", "name each trial of a system once", "one twice", "Name them apart.")
    if any(alone) and not (common and shared):
        actual = f"{alone[0]} that only cm has, {alone[1]} that only asv has, {shared} of both"
        remedy = worded("Take `common=True` for the last, or `paired=False`.")
        raise refusal("cm and asv", "have the same trials", actual, remedy)
    of_cm, of_asv = (_Side.of(s, nontarget).population for s in (cm, asv))
    if nontarget not in cm.strata.impostor:  # clients are bona fide
        of_asv = of_asv & _SPOOF
    differ = np.flatnonzero(keep & (of_cm[rows] != of_asv))
    if differ.size:
        actual = f"{differ.size} that are not, first {theirs[differ[0]]!r}"
        rule, remedy = "have each trial in one population", "Label them alike in both."
        raise refusal("cm and asv", rule, actual, remedy)
    joined, content = dict[str, Any](), dict[str, Any]()
    values = np.concatenate([cm.client, cm.impostor])[rows]
    for who, part in zip(CLASSES, (slice(asv.n_client), slice(asv.n_client, None)), strict=True):
        joined[who] = values[part][keep[part]]
        for name in (f"{who}{key}" for key in ("", "_weights", "_groups", "_ids", "_strata")):
            column = getattr(asv, name)
            content[name] = None if column is None else column[keep[part]]
    asv = asv._with(**content) if any(alone) else asv
    return asv._with(**joined, name=cm.name, source=None), asv


@collect_warnings
def tandem(
    cm: Scores,
    asv: Scores,
    *,
    nontarget: str = "nontarget",
    cm_threshold: float | None = None,
    asv_threshold: float | None = None,
    priors: tuple[float, float, float] = ASVSPOOF_PRIORS,
    cost_fr: float = 1.0,
    cost_fa: float = 10.0,
    cost_spoof: float = 10.0,
    legacy: bool = False,
    joint: bool = False,
    paired: bool = True,
    common: bool = False,
) -> Tandem:
    """The t-DCF and t-EER of a countermeasure in front of a speaker verifier.

        t-DCF(s) = cost_fr pi_tar FRR + cost_fa pi_non FAR + cost_spoof pi_spoof FAR_spoof
                 = C0 + C1 P_miss(s) + C2 P_fa(s),   normalised by C0 + min(C1, C2),

    with the rates of both together, where a trial is accepted if both accept it: P_miss (targets
    and nontargets together) and P_fa of the countermeasure at its threshold s, the verifier at its
    own, independent in each population:

        FRR = P_miss + (1 - P_miss) P_miss,asv,  FAR = (1 - P_miss) P_fa,non,asv,
        FAR_spoof = P_fa P_fa,spoof,asv

    Parameters
    ----------
    cm, asv : Scores
        The countermeasure and the verifier, clients the targets. Of the verifier's impostors the
        stratum `nontarget` are nontargets, all other strata spoofs. The countermeasure has the same
        strata, or bona fide trials as clients and spoofs alone as impostors.
    nontarget : str
        The stratum of impostors who make no effort.
    cm_threshold : float, optional
        Where the countermeasure accepts, for the actual t-DCF.
    asv_threshold : float, optional
        That of the verifier; left out, that of its EER between targets and nontargets.
    priors : (float, float, float)
        Of targets, nontargets and spoofs, which sum to 1; those of the ASVspoof challenges.
    cost_fr, cost_fa, cost_spoof : float
        Of a target rejected, a nontarget and a spoof accepted, at least 0.
    legacy : bool
        The t-DCF of ASVspoof 2019: C1 P_miss + C2 P_fa, normalised by min(C1, C2).
    joint : bool
        Count both decisions on the same trials, which assumes no independence; another number.
    paired : bool
        Whether both scored the same trials, joined by ids, or without ids in one order; else the
        systems are drawn independently.
    common : bool
        Leave out trials that only one of them has.

    Returns
    -------
    Tandem

    Raises
    ------
    InputError
        If a population is empty, trials differ, priors or costs are out of range, C1 is negative
        (such a verifier costs more than rejecting all) or the t-DCF has no normaliser.
    InputTypeError
        If `cm` or `asv` are no scores.

    Notes
    -----
    Of :func:`interval` and :func:`difference`: the trials of each population, or groups as wholes,
    are drawn for both systems at once, and with them the verifier's EER threshold unless one is
    named. The least t-DCF on the same scores is too low; ``"half-sample"`` adds
    c = (m - m_half)/2^(2/3), m_half the mean minimum of draws of half as many trials, and counts
    c/2 as an error. The t-EER is of rates multiplied: of the attainable pairs of thresholds the one
    whose three rates differ least at the most, their mean.

    References
    ----------
    Kinnunen and others (2020), Tandem assessment of spoofing countermeasures and automatic speaker
    verification, equations (9) to (11). Kinnunen and others (2023), t-EER.

    Examples
    --------
    >>> import betaroc as br
    >>> strata = ["nontarget", "nontarget", "A07", "A07"]
    >>> asv = br.Scores([3, 4, 5], [0, 1, 3.5, 4.5], impostor_strata=strata)
    >>> cm = br.Scores([1, 2, 3], [2, 3, 0, 1.5], impostor_strata=strata)
    >>> br.tandem(cm, asv, cm_threshold=0.5).point.far_spoof
    0.5
    """
    named = {"legacy": legacy, "joint": joint, "paired": paired, "common": common}
    legacy, joint, paired, common = (checks.flag(x, name) for name, x in named.items())
    for name, data in (("asv", asv), ("cm", cm)):
        require_scores(data, "a tandem", name=name, rejected=not paired)
    strata, ours = asv.strata.impostor, cm.strata.impostor
    rule, remedy = "be nontargets and spoofs", "Name spoofs alike in both."
    if len(strata) < 2:
        actual = checks.format_list(strata) or "none"
        raise refusal("impostor_strata of asv", rule, actual, "Give each impostor its kind.")
    nontarget = checks.choice(nontarget, tuple(strata), "nontarget")
    if ours and (not ours.keys() - {nontarget} or ours.keys() - strata):
        raise refusal("impostor_strata of cm", rule, checks.format_list(ours), remedy)
    for who in CLASSES:
        for data in (cm, asv):
            check_fractional_weights(getattr(data, f"{who}_weights"), who, "in a tandem")
    if joint and not paired:
        raise refusal("joint", "be False of different trials", "True", "Give the same trials.")
    if paired:
        cm, asv = _same_trials(cm, asv, nontarget, common=common)
    shares = checks.rates_1d(priors, "priors").tolist()
    if len(shares) != 3 or abs(math.fsum(shares) - 1.0) > 1e-9:
        raise refusal("priors", "be three fractions that sum to 1", checks.format_value(shares))
    target, zero_effort, spoof = shares
    costs = {"cost_fr": cost_fr, "cost_fa": cost_fa, "cost_spoof": cost_spoof}
    fr, fa, fa_spoof = (checked_cost(cost, name) for name, cost in costs.items())
    cm_threshold, asv_threshold = (
        None if t is None else checks.finite(t, f"{name}_threshold")
        for name, t in (("cm", cm_threshold), ("asv", asv_threshold))
    )
    result = Tandem(
        cm, asv, nontarget, cm_threshold, asv_threshold, (target, zero_effort, spoof),
        (fr, fa, fa_spoof), legacy, joint, paired,
    )  # fmt: skip
    always, c1, c2 = result._constants(result._counted[2]).ravel().tolist()
    if c1 < 0.0 or min(c1, c2) + always * (not legacy) <= 0.0:
        actual = f"C0 = {always:.4g}, C1 = {c1:.4g}, C2 = {c2:.4g}"
        rule = "make C1 >= 0 and the normaliser of the t-DCF > 0"
        raise refusal("priors and costs", rule, actual, "Take others, or another asv_threshold.")
    return in_library(result, asv)
