"""Thresholds chosen again: from drawn trials, or along the errors of a fit's parameters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.errors import InputError
from betaroc.core.thresholds import Thresholds
from betaroc.decision.curve import (
    WEIGHTED_ERROR,
    Curve,
    empirical_laws,
    grouped_side,
    observed_prior,
    side_trials,
)
from betaroc.distributions.empirical import Drawn, Empirical, decides_by_counts, gap_places
from betaroc.distributions.pairs import pair_of
from betaroc.estimation.record import PairEstimate
from betaroc.inference.delta import free_coordinates, laws_at, slopes_along
from betaroc.inference.drawn_scores import Counts, GroupedSide, SortedRows, counts_below
from betaroc.model import operating_points
from betaroc.model.criteria import CRITERIA

#: Doubles hold all whole numbers up to this.
_WHOLE = 2.0**53
#: Numbers of one table of criteria: what stays in a processor's cache.
_TABLE = 2**14
#: Criteria whose empirical minimiser moves like n**(-1/3), not n**(-1/2).
_CUBE_ROOT = frozenset({WEIGHTED_ERROR, "weighted-precision-recall", "f-measure"})


def _choice(e: Curve, drawn: tuple[Empirical, Empirical], *, varies: bool = True) -> Thresholds:
    """What the curve's criterion chooses on drawn distributions; an observed prior may vary."""
    prior = e.dev.prior
    if varies and observed_prior(e, "dev"):
        prior = drawn[0].total / (drawn[0].total + drawn[1].total)
    # The pair's own kind: counts in bins choose edges, not the middle of gaps.
    return CRITERIA[e.criterion].choose(type(e.dev._pair)(*drawn), prior, e.alpha)


@dataclass(frozen=True, eq=False)
class LeastWeightedError:
    """The least alpha FAR + (1 - alpha) FRR among scores.

    A threshold can be best only in a gap right above a score of impostors and right below the
    next score of clients: of all others a neighbour has one error less and the other no more,
    whatever the counts of a replicate are.
    """

    rows: SortedRows
    alpha: FloatArray
    at_edges: bool

    @classmethod
    def of(cls, e: Curve) -> LeastWeightedError:
        """Of a curve whose dev side is scores."""
        at_edges = decides_by_counts(e.dev._pair) and e.dev._pair.at_edges
        return cls(SortedRows.of(side_trials(e, "dev")), e.alpha, at_edges)

    @cached_property
    def gaps(self) -> tuple[IntArray, IntArray]:
        """Clients and impostors below each gap, accept all and reject all included; ascending."""
        client, impostor = self.rows.scores
        below = np.searchsorted(impostor, client, side="left")
        first = np.flatnonzero(np.diff(below, prepend=0) > 0)
        absent = [[np.searchsorted(rows, -np.inf, side="right")] for rows in (client, impostor)]
        return (
            np.concatenate([absent[0], first, [client.size]]),
            np.concatenate([absent[1], below[first], [impostor.size]]),
        )

    def thresholds(self, drawn: Counts) -> FloatArray:
        """See `ChosenAgain`."""
        counts = self.rows.sorted_counts(drawn)
        below = [counts_below(part) for part in counts]
        sizes = below[0][:, -1], below[1][:, -1]
        rejected = below[0][:, self.gaps[0]].astype(np.float64)
        accepted = (sizes[1][:, None] - below[1][:, self.gaps[1]]).astype(np.float64)
        order = np.argsort(self.alpha, kind="stable")
        chosen = np.empty((sizes[0].size, order.size), dtype=np.intp)
        step = max(1, _TABLE // rejected.shape[1])
        costs = [_costs(a, *sizes) for a in self.alpha[order].tolist()]
        for start in range(0, sizes[0].size, step):
            part = slice(start, start + step)
            own = [(far[part], frr[part]) for far, frr in costs]
            chosen[part] = _least(accepted[part], rejected[part], own)
        theta = np.empty(chosen.shape)
        theta[:, order] = self._places(counts, chosen)
        theta[(sizes[0] == 0) | (sizes[1] == 0)] = np.nan
        return theta

    def _places(self, counts: Counts, chosen: IntArray) -> FloatArray:
        """The middle between the drawn scores on both sides of each chosen gap."""
        first = np.ones(chosen.shape, dtype=np.bool_)
        first[:, 1:] = chosen[:, 1:] != chosen[:, :-1]
        row, gap = np.nonzero(first)[0], chosen[first]
        low, high = np.full(gap.size, -np.inf), np.full(gap.size, np.inf)
        for part, scores, places in zip(counts, self.rows.scores, self.gaps, strict=True):
            last, following = _neighbours(part, row, places[gap])
            padded = np.concatenate([[-np.inf], scores, [np.inf]])
            low, high = np.maximum(low, padded[last + 1]), np.minimum(high, padded[following + 1])
        found = gap_places(low, high, at_edges=self.at_edges)
        return np.asarray(found[np.cumsum(first) - 1].reshape(chosen.shape))


def _costs(alpha: float, clients: IntArray, impostors: IntArray) -> tuple[FloatArray, FloatArray]:
    """Cost of an accepted impostor and of a rejected client, a row a replicate.

    Whole numbers, so that equal criteria are equal sums, and such that of these the one of the
    least HTER is smallest; where doubles cannot hold them, alpha and 1 - alpha alone.
    """
    weight = operating_points.exact_weight(alpha)
    p, q = weight.numerator, weight.denominator
    n, m = clients.astype(np.float64), impostors.astype(np.float64)
    if p == 0:  # the fewest rejected clients, among these the fewest accepted impostors
        costs = np.ones(n.size), m + 1.0
    elif p == q:
        costs = n + 1.0, np.ones(n.size)
    else:
        common = np.maximum(np.gcd(clients, impostors), 1)
        n, m = n / common, m / common
        most = n * m * common
        beyond = 2.0 * most + 1.0
        tie = 1.0
        if np.any((q * beyond + 2.0) * most >= _WHOLE):
            beyond, tie = np.ones(n.size), 0.0
        costs = (p * beyond + tie) * n, ((q - p) * beyond + tie) * m
    return costs[0][:, None], costs[1][:, None]


def _least(
    accepted: FloatArray, rejected: FloatArray, costs: list[tuple[FloatArray, FloatArray]]
) -> IntArray:
    """In each row the lowest gap of least cost, for costs by ascending alpha.

    A larger alpha never takes a lower gap: those of the alphas between two are between theirs.
    """
    rows, gaps = accepted.shape
    found = np.empty((rows, len(costs)), dtype=np.intp)
    open_ = [(0, len(costs), 0, gaps)]
    while open_:
        first, stop, low, high = open_.pop()
        if first == stop:
            continue
        middle = (first + stop) // 2
        cost = accepted[:, low:high] * costs[middle][0]
        cost += rejected[:, low:high] * costs[middle][1]
        best = low + np.argmin(cost, axis=1)
        found[:, middle] = best
        open_.append((first, middle, low, int(best.max()) + 1))
        open_.append((middle + 1, stop, int(best.min()), high))
    return found


def _neighbours(drawn: IntArray, row: IntArray, below: IntArray) -> tuple[IntArray, IntArray]:
    """The last drawn place with less than `below` before it, and the first after it.

    -1 and the number of places where there is none.
    """
    n = drawn.shape[1]
    last, following = below - 1, below.copy()
    for at, step in ((last, -1), (following, 1)):
        away = np.arange(at.size)
        while away.size:
            inside = (at[away] >= 0) & (at[away] < n)
            away = away[inside]
            away = away[drawn[row[away], at[away]] == 0]
            at[away] += step
    return last, following


@dataclass(frozen=True, eq=False)
class OtherCriterion:
    """Any criterion among scores, one replicate at a time."""

    rows: SortedRows
    e: Curve

    @classmethod
    def of(cls, e: Curve) -> OtherCriterion:
        """Of a curve whose dev side is scores."""
        return cls(SortedRows.of(side_trials(e, "dev")), e)

    @cached_property
    def starts(self) -> list[IntArray]:
        """The first row of each distinct score."""
        return [
            np.flatnonzero(np.concatenate([[True], scores[1:] != scores[:-1]]))
            for scores in self.rows.scores
        ]

    def thresholds(self, drawn: Counts) -> FloatArray:
        """See `ChosenAgain`."""
        counts = self.rows.sorted_counts(drawn)
        masses = [
            np.add.reduceat(part, starts, axis=1)
            for part, starts in zip(counts, self.starts, strict=True)
        ]
        theta = np.full((drawn[0].shape[0], self.e.alpha.size), np.nan)
        for row, both in enumerate(zip(*masses, strict=True)):
            if both[0].any() and both[1].any():
                theta[row] = self._chosen(both).theta
        return theta

    def _chosen(self, masses: Counts) -> Thresholds:
        return _choice(self.e, (self._law(0, masses[0]), self._law(1, masses[1])))

    def _law(self, which: int, mass: IntArray) -> Drawn:
        kept = np.flatnonzero(mass)
        places = self.rows.scores[which][self.starts[which][kept]]
        return Drawn(places, mass[kept].astype(np.float64))


# ---------------------------------------------------------------- one replicate at a time
@dataclass(frozen=True)
class ResampledDev:
    """Dev's thresholds chosen again from m of its scores, or of their groups.

    The thresholds of m scores depart further than those of all n, by (n/m) to the
    power of the rate, for which `shrink` makes up.
    """

    e: Curve
    client: Empirical
    impostor: Empirical
    m: int
    stratified: bool
    side: GroupedSide | None = None

    @property
    def total(self) -> int:
        if self.side is not None:
            return self.side.groups.units
        return round(self.client.total + self.impostor.total)

    @property
    def shrink(self) -> float:
        rate = 1.0 / 3.0 if self.e.criterion in _CUBE_ROOT else 0.5
        return float((self.m / self.total) ** rate)

    def draw(self, rng: np.random.Generator) -> Thresholds | None:
        """One choice; None if a class was not drawn at all."""
        share = self.m / self.total
        if self.side is not None:
            drawn = self.side.draw(rng, share)
            return None if drawn is None else _choice(self.e, drawn)
        if self.stratified:
            clients = max(1, round(share * self.client.total))
            impostors = max(1, round(share * self.impostor.total))
        else:
            clients = int(rng.binomial(self.m, self.client.total / self.total))
            impostors = self.m - clients
            if clients == 0 or impostors == 0:
                return None
        both = self.client._draw(rng, clients), self.impostor._draw(rng, impostors)
        return _choice(self.e, both, varies=not self.stratified)


def resample_threshold(
    e: Curve, m: int | None, *, stratified: bool, groups: bool
) -> ResampledDev | ThresholdError:
    """What makes dev's thresholds vary: its scores, or the errors of its fit."""
    fit = e.dev_fit
    if fit is None or decides_by_counts(e.dev._pair):
        client, impostor = empirical_laws(e.dev, "dev")
        side = grouped_side(e, "dev", stratified, groups=groups)
        units = (client.total, impostor.total, client.total + impostor.total)
        if side is not None:
            of = side.groups
            units = of.units_of(0), of.units_of(1), float(of.units)
        m = _dev_size(e, m, *units, "scores" if side is None else "groups")
        return ResampledDev(e, client, impostor, m, stratified, side)
    if m is not None:
        raise InputError.about("m")(
            f"m is a number of dev scores to draw, but dev is a fit, which varies by the errors of"
            f" its parameters; got m={m!r}. Leave m out."
        )
    return threshold_error(fit, e.criterion, e.dev.prior, e.alpha, e.chosen, groups=groups)


def _dev_size(
    e: Curve, m: int | None, clients: float, impostors: float, both: float, what: str
) -> int:
    """Dev scores or groups to draw: all of them where the plain bootstrap is consistent."""
    total = round(both)
    if m is None:
        smaller = min(clients, impostors)
        return round(total / smaller**0.25) if e.criterion in _CUBE_ROOT else total
    m = checks.count(m, "m", 2)
    if m > total:
        raise InputError.about("m")(
            f"m must be at most the number of dev {what}, {total}; got m={m}. Take m={total} for"
            " the plain bootstrap, or leave m out."
        )
    return m


# ------------------------------------------------------------------------------ of fits
@dataclass(frozen=True)
class ThresholdError:
    """Thresholds to first order: chosen + slope @ z with standard normal z.

    Parameters
    ----------
    chosen : Thresholds
        At the estimates.
    slope : ndarray, shape (k, parameters)
        Change with one standard error along each root of the covariance, on the
        logit scale where `unit`; 0 where the threshold is an end of the scale.
    unit : bool
        Whether scores live on [0, 1].
    """

    chosen: Thresholds
    slope: FloatArray
    unit: bool
    #: A fit's own errors are those of its own sample size.
    shrink: float = 1.0

    def draw(self, rng: np.random.Generator) -> Thresholds:
        """Thresholds of another dev set of that size."""
        return self.at(np.asarray(rng.standard_normal(self.slope.shape[1])))

    def at(self, z: FloatArray) -> Thresholds:
        """Thresholds z standard errors away from the estimates."""
        move = self.slope @ z
        moving = move != 0.0
        place = _coordinate(self.chosen, self.unit) + move
        moved = Thresholds.from_logit(place) if self.unit else Thresholds.from_theta(place)
        return Thresholds(
            np.where(moving, moved.theta, self.chosen.theta),
            np.where(moving, moved.complement, self.chosen.complement),
            np.where(moving, moved.logit, self.chosen.logit),
        )


def _coordinate(t: Thresholds, unit: bool) -> FloatArray:
    return t.logit if unit else t.theta


def threshold_error(
    fit: PairEstimate,
    criterion: str,
    prior: float,
    alpha: FloatArray,
    chosen: Thresholds,
    *,
    groups: bool = True,
) -> ThresholdError:
    """The error of dev's thresholds from the covariance of the fit's parameters.

    Of both classes together where the fit's scores carry `groups`.
    """
    laws = fit.model.client, fit.model.impostor
    unit = pair_of(*laws).unit
    names, place, roots = free_coordinates(fit, groups=groups)

    def at(away: FloatArray) -> FloatArray:
        pair = pair_of(*laws_at(laws, names, place + away))
        return _coordinate(CRITERIA[criterion].choose(pair, prior, alpha), unit)

    slope = slopes_along(roots, at)
    inside = np.isfinite(_coordinate(chosen, unit)) & np.all(np.isfinite(slope), axis=1)
    return ThresholdError(chosen, np.where(inside[:, None], slope, 0.0), unit)
