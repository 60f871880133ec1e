"""A countermeasure in front of a verifier: costs of misses, nontargets and spoofs together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from betaroc.core import checks, notices, resampling, tables
from betaroc.core.arrays import CLASSES, FloatArray, IntArray
from betaroc.core.errors import refusal
from betaroc.core.options import IntervalOptions
from betaroc.data.groups import units_of, weights_of
from betaroc.data.scores import Scores, require_scores
from betaroc.distributions.empirical import EmpiricalPair
from betaroc.inference import differences, drawn_scores, interval, paired_trials
from betaroc.model.dataset_checks import check_sense
from betaroc.model.measures import checked_cost
from betaroc.rendering import curves, nouns, tree
from betaroc.rendering.numbers import number, rate

#: The population of spoofs, after targets (0) and nontargets (1).
_SPOOF = 2
#: Draws of half the trials. A minimum is too low by c n^(-2/3), that of a half by as much more.
_HALVES, _HALF = 200, 2.0 ** (2.0 / 3.0)
#: Trials drawn at once, times replicates. Numbers that agree to this are equal.
_AT_ONCE, _TIE = 2_000_000, 1e-12
#: How often each trial of the countermeasure and of the verifier is drawn.
Drawn = tuple[FloatArray, ...]


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
class Tandem(tables.Tabular, nouns.Readable):
    """A countermeasure and a verifier in tandem, made by :func:`tandem`.

    :func:`interval` takes it with "t-dcf" (at `cm_threshold`), "min-t-dcf" or "t-eer", and
    :func:`difference` two of them, of two countermeasures with one verifier.

    Parameters
    ----------
    cm, asv : Scores
        Paired trials stand in the verifier's order.
    nontarget, cm_threshold, asv_threshold, legacy, joint, paired
        As in :func:`tandem`.
    priors, costs : tuple of float
        Of targets, nontargets and spoofs.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> kinds = ["nontarget", "A07"]
    >>> asv = br.Scores([3, 4], [1, 3.5], impostor_strata=kinds)
    >>> cm = br.Scores([1, 2], [2, 1.5], impostor_strata=kinds)
    >>> br.tandem(cm, asv).min_point.cm_threshold
    1.75
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
        return np.nan if self.cm_threshold is None else self._point(self.cm_threshold).t_dcf

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
        return TandemPoint(*self._points[:, _least(self._points[-1])].tolist())

    @cached_property
    def t_eer_point(self) -> TandemPoint:
        """The pair of thresholds whose three rates, of products, differ least at the most."""
        cm_at, asv_at, *_ = self._balance(self._whole).tolist()
        return replace(self, joint=False, asv_threshold=asv_at)._point(cm_at)

    def _point(self, t: float) -> TandemPoint:
        return TandemPoint(*self._at(self._whole, np.array([t]))[:, 0].tolist())

    def to_frame(self) -> tables.Table:
        """The t-DCF and the rates of both systems together at each threshold of the countermeasure.

        Columns cm_threshold (from accepting all to rejecting all), asv_threshold, frr, far,
        far_spoof and t_dcf.

        Examples
        --------
        >>> import betaroc as br
        >>> kinds = ["nontarget", "A07"]
        >>> asv = br.Scores([3, 4], [1, 3.5], impostor_strata=kinds)
        >>> cm = br.Scores([1, 2], [2, 1.5], impostor_strata=kinds)
        >>> br.tandem(cm, asv).to_frame()["t_dcf"].round(3).tolist()
        [1.0, 1.627, 0.627, 1.881]
        """
        return self._table(dict(zip(TandemPoint._fields, self._points, strict=True)))

    def plot(self, ax: curves.Axes | None = None, **style: Any) -> curves.Axes:
        """Draw the t-DCF against the threshold of the countermeasure, with its least value.

        Parameters
        ----------
        ax, **style : optional
            As in :meth:`betaroc.ScoreModel.plot`.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> import betaroc as br
        >>> kinds = ["nontarget", "A07"]
        >>> asv = br.Scores([3, 4], [1, 3.5], impostor_strata=kinds)
        >>> ax = br.tandem(br.Scores([1, 2], [2, 1.5], impostor_strata=kinds), asv).plot()
        >>> ax.get_ylabel()
        'normalised t-DCF'
        """
        ax, empty = curves.begun(ax)
        x, *_, y = self._points[:, 1:]
        line = curves.draw_curve(ax, x, y, style)
        at, *_, least = self.min_point
        label = f"least: {number(least, 4)} at {number(at, 4)}"
        ax.plot(at, least, "o", color=line.get_color(), label=label)
        frame = (None, (0.0, min(3.0, 1.1 * float(np.max(y))))) if empty else None
        names = "threshold of the countermeasure", "normalised t-DCF"
        return curves.finished(ax, *names, frame=frame, loc="best")

    def _grid(self) -> tree.Grid:
        return self._view()[1]  # type: ignore[return-value]

    def _metrics(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("t_dcf", "min_t_dcf", "t_eer")}

    _derived = _metrics

    def _view(self) -> list[tree.Node]:
        ways = ("products of the rates of both", "counted on the same trials")
        rows = {"least t-DCF": self.min_point}
        if self.cm_threshold is not None:
            rows["threshold named"] = self._point(self.cm_threshold)
        rows["t-EER"] = self.t_eer_point
        if self.paired:  # the same threshold by the other way
            second = replace(self, joint=not self.joint)._point(self.min_point.cm_threshold)
            rows[f"at that threshold, {ways[not self.joint]}"] = second
        head = ("", f"{'legacy ' * self.legacy}t-DCF", "CM threshold", "ASV threshold",
                "targets rejected", "nontargets accepted", "spoofs accepted")  # fmt: skip
        cells = (tree.Row((name, *(number(x, 4) for x in (p[5], *p[:2])), *map(rate, p[2:5])))
                 for name, p in rows.items())  # fmt: skip
        text = f"Least t-DCF {number(self.min_t_dcf, 4)}, on the scores that chose its threshold;"
        text += f" its rates are {ways[self.joint]}. t-EER {rate(self.t_eer)}, at other thresholds"
        text += " of both; its rates are products."
        return [tree.Paragraph(text, "answer"), tree.Grid(head, tuple(cells))]

    # ------------------------------------------------------------------------- rates
    @cached_property
    def _sides(self) -> list[tuple[FloatArray, IntArray]]:
        return [_side(scores._trials, self.nontarget) for scores in (self.cm, self.asv)]

    @cached_property
    def _whole(self) -> Drawn:
        """How often each trial of both systems is counted: once, or as its weight says."""
        cm, asv = ([weights_of(s._trials, who) for who in CLASSES] for s in (self.cm, self.asv))
        return np.append(*cm), np.append(*asv)

    @cached_property
    def _places(self) -> list[FloatArray]:
        """Thresholds of both; of the verifier between targets and nontargets, or the one named."""
        sides = self.cm, self.asv, self.asv._pieces("impostor")[self.nontarget]
        places = [EmpiricalPair(*side._distributions).candidates.theta for side in sides]
        at = self.asv_threshold
        return places if at is None else [*places[:2], np.array([at])]

    @cached_property
    def _points(self) -> FloatArray:
        """A column for each threshold of the countermeasure, from accepting all."""
        return self._at(self._whole, self._places[0])

    def _at(self, drawn: Drawn, t: FloatArray) -> FloatArray:
        """Points at ascending thresholds of the countermeasure, in columns, of trials so often."""
        (cm, kinds), (asv, population) = self._sides
        alone = _rates(asv, population, drawn[1], self._places[2])
        k = _least(np.abs(alone[0] - alone[1]), alone[0] + alone[1])
        alone, place = alone[:, [k]], self._places[2][k]
        if self.joint:
            rates = _rates(np.where(asv > place, cm, -np.inf), kinds, drawn[0], t)
        else:
            rates = _products(_rates(cm, kinds // 2, drawn[0], t), alone)
        parts = np.multiply(self.priors, self.costs)[:, None]
        always = self.legacy * np.sum(parts[:2] * alone[:2], axis=0)
        default = np.minimum(parts[0], np.sum(parts * alone, axis=0)) - always
        with np.errstate(divide="ignore", invalid="ignore"):
            costs = (np.sum(parts * rates, axis=0) - always) / default
        return np.stack([t, np.full(t.size, place), *rates, costs])

    def _balance(self, drawn: Drawn) -> FloatArray:
        """The pair of thresholds whose rates differ least at the most, and its rates."""
        (cm, kinds), (asv, population), (s, t, _) = *self._sides, self._places
        first, second = _rates(cm, kinds // 2, drawn[0], s), _rates(asv, population, drawn[1], t)
        # 2 FRR - FAR - FAR_spoof grows with the threshold of the countermeasure: its change of
        # sign for each of the verifier's.
        low, high = np.zeros(t.size, np.intp), np.full(t.size, s.size - 1)
        for _ in range(s.size.bit_length()):
            middle = (low + high) // 2
            miss, *others = _products(first[:, middle], second)
            below = 2.0 * miss < np.sum(others, axis=0)
            low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
        near = _products(first[:, [high, np.maximum(high - 1, 0)]], second[:, None])
        # Where a miss differs by more than all at a pair that is known, no pair is better.
        bound = np.min(np.max(np.abs(near[0] - near[1:]), axis=0), axis=0)
        j = np.flatnonzero(~(bound > np.min(np.ptp(near, axis=0)) + _TIE))
        rates = _products(first[:, None], second[:, j, None])
        row, k = divmod(_least(np.ptp(rates, axis=0)), s.size)
        return np.array([s[k], t[j[row]], *rates[:, row, k]])

    # --------------------------------------------------------------------- intervals
    def _drawn(
        self, of: Callable[[Drawn], Any], options: IntervalOptions, share: float = 1.0
    ) -> FloatArray:
        asv, cm = self.asv._trials, self.cm._trials
        trials: Any = [paired_trials.joint_trials(asv, cm)] if self.paired else [asv, cm]
        rows = []
        for (_, kinds), part in zip(self._sides[::-1], trials, strict=False):
            units = units_of(part, groups=options.groups)
            if units.sizes[1] is None:  # trials are drawn within their population
                role, kinds = units.role.copy(), kinds[len(part.client) + units.rows[1]]
                role[units.first[units.rows[0].size :]] |= kinds << 4
                units = replace(units, role=role)
            rows.append(drawn_scores.BootstrapRows.of(part, units))
        step = max(1, _AT_ONCE // max(part.size for part in rows))

        def block(rng: np.random.Generator, size: int) -> list[Any]:
            few = (min(step, size - start) for start in range(0, size, step))
            drawn = ([np.concatenate(x.draw(rng, n, share), axis=1) for x in rows] for n in few)
            return [of((part[-1], part[0])) for parts in drawn for part in zip(*parts, strict=True)]

        return np.asarray(options.replicated(block))

    def _replicates(
        self, stat: str, point: object, options: IntervalOptions
    ) -> tuple[float, FloatArray, IntervalOptions]:
        """A number, a minimum corrected, its replicates, and how they were made."""
        at = {"t-dcf": self.cm_threshold, "min-t-dcf": self.min_point.cm_threshold, "t-eer": 0.0}
        if point or at[checks.choice(stat, tuple(at), "stat")] is None:
            raise refusal("stat", "be at a cm_threshold", repr(stat), "Give the tandem one.")
        for name, data in (("cm", self.cm), ("asv", self.asv)):
            drawn_scores.check_still(data, name, groups=options.groups)
        options = options.by(("half-sample" if stat == "min-t-dcf" else "bootstrap",))
        t, places = np.array([at[stat]]), self._places[0]

        def of(drawn: Drawn) -> Any:
            return np.mean(self._balance(drawn)[2:] if stat == "t-eer" else self._at(drawn, t)[5])

        value, values = float(of(self._whole)), self._drawn(of, options)
        if stat == "min-t-dcf":
            few = replace(options, replicates=_HALVES)
            half = self._drawn(lambda drawn: np.min(self._at(drawn, places)[5]), few, 0.5)
            more = (value - float(np.nanmean(half))) / _HALF
            noise = np.random.default_rng(options.rng).standard_normal(values.size)
            value, values = value + more, values + more * (1.0 + 0.5 * noise)
        return value, values, options

    def _interval_of(
        self, stat: str, argument: object, point: object, options: IntervalOptions
    ) -> interval.Interval:
        value, drawn, options = self._replicates(stat, argument or point, options)
        return drawn_scores.interval_of_replicates(value, drawn, options, stat)

    def _difference_of(
        self, other: Tandem, stat: str, argument: object, point: object,
        options: IntervalOptions, *, paired: bool,
    ) -> differences.Difference:  # fmt: skip
        sides = options.halves()
        if paired:
            sides = (replace(options, rng=resampling.seed_sequence(options.rng)),) * 2
            if self.asv != other.asv:
                raise refusal("a and b", "have one verifier", "two", "Take paired=False.")
            paired_trials.check_other_trials(self.cm, other.cm, ("a", "b"), groups=options.groups)
        value, drawn, _ = self._replicates(stat, argument or point, sides[0])
        less, others, options = other._replicates(stat, argument or point, sides[1])
        return differences.of_replicates(value - less, drawn - others, options, stat)


def _side(scores: Scores, nontarget: str) -> tuple[FloatArray, IntArray]:
    """Clients are targets; of impostors one stratum is nontargets, all others are spoofs."""
    population = np.repeat([0, _SPOOF], [scores.n_client, scores.n_impostor])
    if scores.impostor_strata is not None:
        population[scores.n_client :] -= scores.impostor_strata.astype(str) == nontarget
    return np.append(scores.client, scores.impostor), population


def _rates(values: FloatArray, kinds: IntArray, drawn: FloatArray, t: FloatArray) -> FloatArray:
    """Shares at ascending thresholds: of the first kind rejected, of the last two accepted."""
    width, last = t.size + 1, int(kinds.max())
    place = np.searchsorted(t, values) + width * kinds
    counts = np.bincount(place, drawn, width * (last + 1)).reshape(-1, width)
    below = np.cumsum(counts[[0, last - 1, last]], axis=1)
    rates, total = below[:, :-1], below[:, -1:]
    rates[1:] = total[1:] - rates[1:]
    with np.errstate(invalid="ignore"):  # nan of a population of which nobody was drawn
        return np.asarray(rates / total)


def _products(cm: FloatArray, asv: FloatArray) -> FloatArray:
    """The three rates of two systems that are independent within each population."""
    return np.array([cm[0] + cm[1] * asv[0], cm[1] * asv[1], cm[2] * asv[2]])


def _least(values: FloatArray, total: FloatArray | float = 0.0) -> int:
    """Where an array is least, but for rounding; of several where the total is."""
    return int(np.argmin(np.round(values / _TIE) + 0.1 * total))


# -------------------------------------------------------------------------- the same trials
def _same_trials(cm: Scores, asv: Scores, nontarget: str, *, common: bool) -> tuple[Scores, Scores]:
    """Both systems trial by trial as the verifier has them, by their ids if both have some."""
    ids = [[getattr(s, f"{who}_ids") for who in CLASSES] for s in (cm, asv)]
    if any(part is None for side in ids for part in side):
        paired_trials.check_other_trials(cm, asv, ("cm", "asv"), groups=True)
        return cm._with(impostor_strata=asv.impostor_strata), asv
    # A trial is known by its id, and as bona fide or as a spoof.
    ours, theirs = (
        [*zip(_side(s, nontarget)[1] // _SPOOF, map(str, np.concatenate(x).tolist()), strict=True)]
        for s, x in zip((cm, asv), ids, strict=True)
    )
    place = {key: k for k, key in enumerate(ours)}
    rows = np.array([place.get(key, -1) for key in theirs])
    keep, shared = rows >= 0, len(place.keys() & {*theirs})
    once = len(place) == len(ours) and shared == np.sum(keep)
    if not (once and (common or len(ours) == len(theirs) == shared)):
        actual = f"{shared} distinct ids and kinds of {len(ours)} in cm and {len(theirs)} in asv"
        raise refusal("ids", "name the same trials", actual, "Take common=True or paired=False.")
    kinds = ("", "_weights", "_groups", "_ids", "_strata")
    asv = asv._with(**{who + name: getattr(asv, who + name)[part]
                       for who, part in zip(CLASSES, np.split(keep, [asv.n_client]), strict=True)
                       for name in kinds if getattr(asv, who + name) is not None})  # fmt: skip
    client, impostor = np.split(np.append(cm.client, cm.impostor)[rows[keep]], [asv.n_client])
    return asv._with(client=client, impostor=impostor, name=cm.name, source=None), asv


@notices.collect_warnings
def tandem(
    cm: Scores,
    asv: Scores,
    *,
    nontarget: str = "nontarget",
    cm_threshold: float | None = None,
    asv_threshold: float | None = None,
    priors: tuple[float, float, float] = (0.9405, 0.0095, 0.05),
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
        Count both decisions on the same trials, which assumes no independence.
    paired : bool
        Whether both scored the same trials, joined by ids and by whether they are spoofs, or
        without ids in one order; else the systems are drawn independently.
    common : bool
        Leave out trials that only one of them has.

    Returns
    -------
    Tandem

    Raises
    ------
    InputError, InputTypeError
        If a population is empty, trials differ, priors or costs are out of range, C1 is negative
        (such a verifier costs more than rejecting all) or the t-DCF has no normaliser.

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
    >>> kinds = ["nontarget", "A07"]
    >>> asv = br.Scores([3, 4], [1, 3.5], impostor_strata=kinds)
    >>> cm = br.Scores([1, 2], [2, 0.5], impostor_strata=kinds)
    >>> br.tandem(cm, asv, cm_threshold=1).t_dcf
    0.627
    """
    named = {"legacy": legacy, "joint": joint, "paired": paired, "common": common}
    legacy, joint, paired, common = (checks.flag(x, name) for name, x in named.items())
    for name, data in (("asv", asv), ("cm", cm)):
        require_scores(data, "a tandem", name=name, rejected=not paired)
        check_sense(data, name)
        for who in CLASSES:
            resampling.check_fractional_weights(getattr(data, f"{who}_weights"), who, "in a tandem")
    if joint and not paired:
        raise refusal("joint", "be False of different trials", "True", "Give the same trials.")
    nontarget = checks.choice(nontarget, tuple(asv.strata.impostor) or (nontarget,), "nontarget")
    if paired:
        cm, asv = _same_trials(cm, asv, nontarget, common=common)
    kinds, ours = asv.strata.impostor.keys(), cm.strata.impostor.keys()
    if ours == {nontarget} or ours - kinds or not (kinds > {nontarget} and asv.n_client):
        raise refusal("impostor_strata", "be nontargets and spoofs", str([*ours]), "Name them.")
    shares: Any = tuple(checks.rates_1d(priors, "priors").tolist())
    if len(shares) != 3 or abs(sum(shares) - 1.0) > 1e-9:
        raise refusal("priors", "be three fractions that sum to 1", checks.format_value(shares))
    amounts = {"cost_fr": cost_fr, "cost_fa": cost_fa, "cost_spoof": cost_spoof}
    costs: Any = tuple([checked_cost(cost, name) for name, cost in amounts.items()])
    thresholds = {"cm_threshold": cm_threshold, "asv_threshold": asv_threshold}
    at = [None if t is None else checks.finite(t, name) for name, t in thresholds.items()]
    result = Tandem(cm, asv, nontarget, at[0], at[1], shares, costs, legacy, joint, paired)
    # The countermeasure that accepts all leaves the errors of the verifier.
    miss, accepted, c2 = np.multiply(shares, costs) * result._points[2:5, 0]
    c0, c1 = miss + accepted, shares[0] * costs[0] - miss - accepted
    if not (c1 >= 0.0 and min(c1, c2) + c0 * (not legacy) > 0.0):
        actual = f"C0 = {c0:.4g}, C1 = {c1:.4g}, C2 = {c2:.4g}"
        raise refusal("costs", "make C1 >= 0 and the normaliser > 0", actual, "Take other priors.")
    return tables.in_library(result, asv)
