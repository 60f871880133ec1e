"""Thresholds chosen again: from drawn trials, or along the errors of a fit's parameters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray, IntArray
from betaroc.core.errors import FitError, InputError
from betaroc.core.notices import quietly
from betaroc.core.resampling import refuse_fractional_weights
from betaroc.core.thresholds import Thresholds
from betaroc.core.vocabulary import worded
from betaroc.data.scores import Scores
from betaroc.decision.curve import WEIGHTED_ERROR, EpcBase, observed_prior, side_trials
from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import has_shape
from betaroc.distributions.empirical import Drawn, _decisive, decides_by_counts, gap_places
from betaroc.distributions.inflated import Rejecting
from betaroc.distributions.normal import has_spread
from betaroc.distributions.pairs import Pair, pair_of
from betaroc.distributions.shifted import bounds_of
from betaroc.estimation.families import FAMILIES
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.fits.fit import fit
from betaroc.fits.tail_fits import tails_again
from betaroc.inference.delta import free_coordinates, laws_at, slopes_along
from betaroc.inference.drawn_scores import Counts, DrawnRows, SortedRows, counts_below
from betaroc.model import operating_points
from betaroc.model.criteria import CRITERIA

#: Doubles hold all whole numbers up to this.
_WHOLE = 2.0**53
#: Logits of the shares at which both distributions of a fit are looked at: 5e-8 to 1 - 5e-8.
_SHARES = np.linspace(-16.8, 16.8, 200)
Refits = list[Distribution | None]

#: Criteria whose empirical minimiser moves like n**(-1/3), not n**(-1/2).
_CUBE_ROOT = frozenset({WEIGHTED_ERROR, "weighted-precision-recall", "f-measure"})


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
        """A row per replicate, from how often each row of dev is drawn; nan for an empty class."""
        counts = self.rows.sorted_counts(drawn)
        below = [counts_below(part) for part in counts]
        sizes = below[0][:, -1], below[1][:, -1]
        rejected = below[0][:, self.gaps[0]].astype(np.float64)
        accepted = (sizes[1][:, None] - below[1][:, self.gaps[1]]).astype(np.float64)
        order = np.argsort(self.alpha, kind="stable")
        chosen = np.empty((sizes[0].size, order.size), dtype=np.intp)
        for j, alpha in enumerate(self.alpha[order].tolist()):
            far, frr = _costs(alpha, *sizes)
            chosen[:, j] = np.argmin(accepted * far + rejected * frr, axis=1)
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
        result = gap_places(low, high, at_edges=self.at_edges)
        return np.asarray(result[np.cumsum(first) - 1].reshape(chosen.shape))


def _costs(alpha: float, clients: IntArray, impostors: IntArray) -> tuple[FloatArray, FloatArray]:
    """Cost of an accepted impostor and of a rejected client, a row per replicate.

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
    """Any criterion among scores, one replicate at a time; an observed prior may vary."""

    rows: SortedRows
    e: EpcBase
    varies: bool = True

    def thresholds(self, drawn: Counts) -> FloatArray:
        """See `LeastWeightedError.thresholds`."""
        # The pair's own kind: counts in bins choose edges, not the middle of gaps.
        pair, choose = type(self.e.dev._pair), CRITERIA[self.e.criterion].choose
        masses, places = [], []
        for part, scores in zip(self.rows.sorted_counts(drawn), self.rows.scores, strict=True):
            starts = np.flatnonzero(np.concatenate([[True], scores[1:] != scores[:-1]]))
            masses.append(np.add.reduceat(part, starts, axis=1))
            places.append(scores[starts])
        theta = np.full((drawn[0].shape[0], self.e.alpha.size), np.nan)
        for row, both in enumerate(zip(*masses, strict=True)):
            n, m = (int(np.sum(mass)) for mass in both)
            if n and m:
                laws = (
                    Drawn(place[mass > 0], mass[mass > 0].astype(np.float64))
                    for place, mass in zip(places, both, strict=True)
                )
                prior = n / (n + m) if self.varies else self.e.dev.prior
                theta[row] = choose(pair(*laws), prior, self.e.alpha).theta
        return theta


# ------------------------------------------------------------------------------ of fits
@dataclass(frozen=True)
class ThresholdError:
    """Thresholds to first order: chosen + slope @ z with standard normal z, on logits if `unit`."""

    chosen: Thresholds
    slope: FloatArray
    unit: bool

    def draw(self, rng: np.random.Generator, size: int) -> Thresholds:
        """Thresholds of other dev sets of that size, a row each."""
        return self.at(rng.standard_normal((size, self.slope.shape[1])))

    def at(self, z: FloatArray) -> Thresholds:
        """Thresholds z standard errors away from the estimates, a row for each of z."""
        move = z @ self.slope.T
        place = (self.chosen.logit if self.unit else self.chosen.theta) + move
        moved = Thresholds.from_logit(place) if self.unit else Thresholds.from_theta(place)
        names = ("theta", "complement", "logit")
        pairs = ((getattr(moved, name), getattr(self.chosen, name)) for name in names)
        return Thresholds(*(np.where(move != 0.0, *pair) for pair in pairs))


def threshold_error(fit: PairEstimate, e: EpcBase, *, groups: bool = True) -> ThresholdError:
    """The error of the thresholds of a curve whose dev side is a fit, from its covariance.

    Of both classes together where the fit's scores carry `groups`.
    """
    laws = fit.model.client, fit.model.impostor
    unit = pair_of(*laws).unit
    names, place, roots = free_coordinates(fit, groups=groups)

    def at(away: FloatArray) -> FloatArray:
        pair = pair_of(*laws_at(laws, names, place + away))
        t = CRITERIA[e.criterion].choose(pair, e.dev.prior, e.alpha)
        return t.logit if unit else t.theta

    slope = slopes_along(roots, at)
    inside = np.isfinite(e.chosen.logit if unit else e.chosen.theta)
    inside &= np.all(np.isfinite(slope), axis=1)
    return ThresholdError(e.chosen, np.where(inside[:, None], slope, 0.0), unit)


@dataclass(frozen=True, eq=False)
class RefitResampler:
    """Each class fitted again, as it was fitted, and thresholds chosen from the fits.

    The least weighted error of continuous distributions is sought on a grid of their quantiles
    and refined where the likelihood ratio, between two of them, passes what balances the costs;
    every other choice is `CRITERIA`'s own.
    """

    e: EpcBase
    fit: PairEstimate
    scores: Scores

    def thresholds(self, drawn: Counts) -> FloatArray:
        """See `LeastWeightedError.thresholds`; nan too where drawn scores have no fit."""
        theta = np.full((drawn[0].shape[0], self.e.alpha.size), np.nan)
        known = [np.sum(part, axis=1) > 0 for part in drawn]
        with quietly():
            laws = self._laws(drawn)
        for row, (client, impostor) in enumerate(zip(*laws, strict=True)):
            if client is None or impostor is None or not (known[0][row] and known[1][row]):
                continue
            prior = self.e.dev.prior
            if not self.e.prior_given:
                counts = [float(part[row].sum()) for part in drawn]
                prior = counts[0] / sum(counts)
            theta[row] = _decisive(self._chosen(pair_of(client, impostor), prior))
        return theta

    # ------------------------------------------------------------------------------- fits
    def _laws(self, drawn: Counts) -> tuple[Refits, Refits]:
        """Of the trials that have a score, which come first, beside the share of the others."""
        if not self.scores.has_rejected:
            return self._scored_laws(drawn)
        sizes = self.scores.n_client, self.scores.n_impostor
        shares = [
            (np.sum(part[:, n:], axis=1) / np.sum(part, axis=1)).tolist()
            for part, n in zip(drawn, sizes, strict=True)
        ]
        laws = self._scored_laws((drawn[0][:, : sizes[0]], drawn[1][:, : sizes[1]]))
        result: tuple[Refits, Refits] = [], []
        for both, own, absent in zip(result, laws, shares, strict=True):
            for law, share in zip(own, absent, strict=True):
                both.append(None if law is None else Rejecting(law, share))
        return result

    def _scored_laws(self, drawn: Counts) -> tuple[Refits, Refits]:
        """From sums where sums are all that the families need, else one fit per replicate."""
        by_sums = [
            self._of_sums(getattr(self.fit, who), getattr(self.scores, who), part)
            for who, part in zip(CLASSES, drawn, strict=True)
        ]
        if by_sums[0] is not None and by_sums[1] is not None:
            return by_sums[0], by_sums[1]
        rule = self.fit.client.boundary or self.fit.impostor.boundary
        options: dict[str, Any] = {"bounds": bounds_of(self.fit.client.distribution)}
        if rule is not None:
            options["boundary"] = None if rule.policy in ("inflate", "interval") else rule.policy
            options["resolution"] = rule.resolution
        laws: tuple[Refits, Refits] = [], []
        for both in zip(*drawn, strict=True):
            keep = [np.flatnonzero(counts) for counts in both]
            values, weights = (
                [x[k] for x, k in zip(of, keep, strict=True)]
                for of in ((self.scores.client, self.scores.impostor), both)
            )
            try:
                again = fit(
                    Scores(*values, client_weights=weights[0], impostor_weights=weights[1]),
                    self.fit.family, **options,
                ).model  # fmt: skip
                pair: tuple[Any, ...] = tuple(
                    tails_again(getattr(self.fit, who), getattr(again, who), x, w)
                    for who, x, w in zip(CLASSES, values, weights, strict=True)
                )
            except (FitError, InputError):  # too few distinct scores, or none
                pair = None, None
            for own, law in zip(laws, pair, strict=True):
                own.append(law)
        return laws

    def _of_sums(self, result: Estimate, values: FloatArray, drawn: IntArray) -> Refits | None:
        """One class by itself; None where its family, rule or tails need the scores."""
        rule, row = result.boundary, FAMILIES.get(str(result.family))
        plain = rule is None or (rule.resolution is None and not (rule.n_zero or rule.n_one))
        if row is None or row.drawn is None or row.law is None or row.of_pairs:
            return None
        if not plain or result.tails or bounds_of(result.distribution) is not None:
            return None
        answer = np.hstack(row.drawn(values, drawn))
        known = np.all(np.isfinite(answer), axis=1)
        return [
            row.law(*shapes) if present else None
            for shapes, present in zip(answer.tolist(), known.tolist(), strict=True)
        ]

    # ------------------------------------------------------------------------- thresholds
    @cached_property
    def _grid(self) -> tuple[FloatArray, Thresholds]:
        """Quantiles of both distributions of the fit, in the pair's own coordinate."""
        pair = self.e.dev._pair
        parts = []
        for law in (pair.client, pair.impostor):
            low = _SHARES[_SHARES < 0.0]
            share = 1.0 / (1.0 + np.exp(-low))
            parts += [law._lower_quantile(share, np.log(share)),
                      law._upper_quantile(share, np.log(share))]  # fmt: skip
        t = Thresholds.concatenate(parts)
        u = np.unique(pair.coordinates(t))
        u = u[np.isfinite(u)]
        return u, pair.place(u)

    def _chosen(self, pair: Pair, prior: float) -> Thresholds:
        laws = (x.base if isinstance(x, Rejecting) else x for x in (pair.client, pair.impostor))
        smooth = all(has_shape(law) or has_spread(law) for law in laws)
        if self.e.criterion != WEIGHTED_ERROR or not smooth or self._grid[0].size < 2:
            return CRITERIA[self.e.criterion].choose(pair, prior, self.e.alpha)
        # The least weighted error of two densities: the best of a grid, moved to where it is flat.
        u, t = self._grid
        ends = pair.accept_all, pair.reject_all
        far, frr = pair.far(t), pair.frr(t)
        most, least = (float(np.ravel(rate(ends[0]))[0]) for rate in (pair.far, pair.frr))
        x, y = np.concatenate([[most], far, [0.0]]), np.concatenate([[least], frr, [1.0]])
        best = np.argmin(self.e.alpha[:, None] * x + (1.0 - self.e.alpha)[:, None] * y, axis=1)
        ratio = pair.log_ratio(t)
        with np.errstate(divide="ignore"):
            wanted = np.log(self.e.alpha) - np.log1p(-self.e.alpha)
        inner = np.clip(best - 1, 0, u.size - 1)
        place = u[inner].copy()
        for first in (inner - 1, inner):  # the likelihood ratio passes the level upwards
            k = np.clip(first, 0, u.size - 2)
            rise = ratio[k + 1] - ratio[k]
            with np.errstate(invalid="ignore", divide="ignore"):
                share = (wanted - ratio[k]) / rise
            passes = (rise > 0.0) & (share >= 0.0) & (share <= 1.0)
            place = np.where(passes, u[k] + np.where(passes, share, 0.0) * (u[k + 1] - u[k]), place)
        result = pair.place(place)
        for at, end in ((0, ends[0]), (x.size - 1, ends[1])):
            chosen = best == at
            result = Thresholds(*(
                np.where(chosen, np.ravel(getattr(end, name))[0], getattr(result, name))
                for name in ("theta", "complement", "logit")
            ))  # fmt: skip
        return result


# ------------------------------------------------------------------------ dev drawn again
Resampler = RefitResampler | LeastWeightedError | OtherCriterion


def resampler(e: EpcBase, name: str = "the curve", *, varies: bool = True) -> Resampler:
    """What chooses dev's thresholds from drawn trials."""
    pair = e.dev._pair
    if not decides_by_counts(pair):
        return _refitting(e, name)
    rows = SortedRows.of(side_trials(e, "dev"))
    if e.criterion == WEIGHTED_ERROR:
        return LeastWeightedError(rows, e.alpha, pair.at_edges)
    return OtherCriterion(rows, e, varies and observed_prior(e, "dev"))


def _refitting(e: EpcBase, name: str) -> RefitResampler:
    """Of a curve whose dev side is a fit of scores."""
    scores = None if e.dev_fit is None else e.dev_fit.scores
    if e.dev_fit is None or not isinstance(scores, Scores):
        what = "a model" if e.dev_fit is None else "a fit of a summary"
        raise InputError.about("resample")(
            worded(f'`resample="both"` draws dev again; the dev side of {name} is {what},')
            + " which has no trials. Give epc the dev Scores, br.fit of them or the ScoreSummary"
            + worded(' itself, or take `resample="test"`: these two thresholds.')
        )
    for who in CLASSES:
        weights = getattr(scores, f"{who}_weights")
        refuse_fractional_weights(weights, f"the dev side of {name} {who}")
    return RefitResampler(e, e.dev_fit, scores)


def dev_size(e: EpcBase, rows: DrawnRows) -> tuple[int, int]:
    """Dev scores or groups to draw, all of them where the plain bootstrap is consistent; of all."""
    sizes, total = rows.units, sum(rows.units)
    if (of := rows.groups) is not None:
        sizes, total = (round(of.units_of(0)), round(of.units_of(1))), of.units
    return (round(total / min(sizes) ** 0.25) if e.criterion in _CUBE_ROOT else total), total
