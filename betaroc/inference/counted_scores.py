"""Scores as counts: exact bounds of a rate and of a threshold, likelihood intervals of a point."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from betaroc.core.arrays import CLASSES, BoolArray, FloatArray, IntArray
from betaroc.core.errors import InputError
from betaroc.core.resampling import refuse_fractional_weights
from betaroc.core.special import interval_end, least_whole, share_ends
from betaroc.core.thresholds import Thresholds
from betaroc.core.vocabulary import worded
from betaroc.data.groups import refuse_one_group
from betaroc.data.scores import ScoreData, Scores
from betaroc.distributions.empirical import EmpiricalPair
from betaroc.inference.interval import Limits
from betaroc.inference.scores_beyond import Evidence
from betaroc.model.asking import Asking
from betaroc.model.measures import OperatingPoint
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model
from betaroc.model.statistics import Where, point_at

#: Thresholds that are looked at.
_MOST = 4000
#: Standard errors of a step that ties make, from which on it counts.
_COARSE = 0.5
#: For the log of 0, of which there are no counts or no likelihood.
_NEVER = 1e280
#: Places between the ends of an error at which a measure of it is looked at.
_BETWEEN = 65


def whole_weights(scores: ScoreData) -> bool:
    """Whether the weights are numbers of copies, which can be drawn and counted."""
    if not isinstance(scores, Scores):
        return True
    given = (scores.client_weights, scores.impostor_weights)
    return all(w is None or bool(np.all(w == np.floor(w))) for w in given)


def number_of_scores(asking: Asking, model: ScoreModel) -> float:
    """A statistic of scores as a model; refuses nan, and infinite moments."""
    estimate = asking.number(model)
    moment = asking.row.is_parameter or asking.name == "d-prime"
    absent = moment and any(law._scored is not law for law in (model.client, model.impostor))
    if math.isnan(estimate) or (absent and math.isinf(estimate)):
        do = " Take another point."
        if absent:
            do = " Trials without a score have no mean and no variance:" + worded(
                " leave them out (`missing='drop'`), or take another statistic."
            )
        raise InputError(
            f"the statistic must be a number of the scores; {str(asking)!r} is {estimate!r}.{do}"
        )
    return estimate


@dataclass(frozen=True)
class RateLine:
    """Points of the square of rates that one number tells apart, such as FAR = FRR.

    Parameters
    ----------
    far, frr : callable
        Both rates for that number.
    place : callable
        The number of an operating point near the line.
    most : float
        Its largest value.
    share : float, optional
        Of a line through the origin, FAR over FRR; else one of them is fixed.
    """

    far: Callable[[FloatArray], FloatArray]
    frr: Callable[[FloatArray], FloatArray]
    place: Callable[[OperatingPoint], float]
    most: float = 1.0
    share: float | None = None

    def likeliest(self, far: FloatArray, frr: FloatArray, sizes: tuple[float, float]) -> FloatArray:
        """The number of the point that is likeliest given counts at some thresholds."""
        if self.share is not None:
            return _likeliest(frr * sizes[0], far * sizes[1], *sizes, self.share)
        return frr if self.has_far else far

    @property
    def has_far(self) -> bool:
        """Whether FAR is what is fixed."""
        return self.share is None and np.ndim(self.far(np.zeros(1))) == 0


@dataclass(frozen=True, eq=False)
class CountedScores:
    """The counts of both classes at every threshold, and how many trials they are worth.

    Parameters
    ----------
    data : Scores or ScoreSummary
        The scores.
    groups : bool
        Whether groups vary as wholes.
    """

    data: ScoreData
    groups: bool = True

    def __post_init__(self) -> None:
        for who in CLASSES:
            weights = getattr(self.data, f"{who}_weights", None)  # none of a summary
            refuse_fractional_weights(weights, who, "to be counted")
        if self.groups and isinstance(self.data, Scores):
            refuse_one_group(self.data, "scores")

    @cached_property
    def evidence(self) -> Evidence:
        """What the scores say of rates."""
        return Evidence(self.data, grouped=self.groups)

    @cached_property
    def model(self) -> ScoreModel:
        """The scores as a pair."""
        return empirical_model(self.data)

    @property
    def pair(self) -> EmpiricalPair:
        """Every decision that they allow."""
        return self.model._pair  # type: ignore[return-value]

    @cached_property
    def _found(self) -> dict[Where | Asking | str, Any]:
        return {}

    def at(self, where: Where) -> OperatingPoint:
        """The operating point of the scores at a place."""
        if where not in self._found:
            self._found[where] = point_at(self.model, where)
        return self._found[where]  # type: ignore[no-any-return]

    def at_best(self, asking: Asking) -> OperatingPoint:
        """The point that is best by a statistic."""
        if asking.words not in self._found:
            self._found[asking.words] = asking.optimum.point(self.model, asking.where)
        return self._found[asking.words]  # type: ignore[no-any-return]

    def number(self, asking: Asking) -> float:
        """A statistic of the scores; refuses nan."""
        if asking not in self._found:
            self._found[asking] = number_of_scores(asking, self.model)
        return self._found[asking]  # type: ignore[no-any-return]

    def worth(self, t: Thresholds, tail: float) -> tuple[float, float]:
        """Independent clients and impostors that the counts at a threshold are worth."""
        t = Thresholds(*(np.atleast_1d(part) for part in (t.theta, t.complement, t.logit)))
        client = self.evidence.effective(0, t, tail, above=False)
        impostor = self.evidence.effective(1, t, tail, above=True)
        return float(client[0]), float(impostor[0])

    # -------------------------------------------------------------------- at a threshold
    def rates_at(self, t: Thresholds, tail: float) -> tuple[Limits, Limits]:
        """Clopper and Pearson's ends of FAR and of FRR at one threshold."""
        clients, impostors = self.worth(t, tail)
        far, frr = (float(np.ravel(rate(t))[0]) for rate in (self.pair.far, self.pair.frr))
        ends = [share_ends(r * n, n, tail) for r, n in ((far, impostors), (frr, clients))]
        low_high = [(float(np.ravel(a)[0]), float(np.ravel(b)[0])) for a, b in ends]
        return low_high[0], low_high[1]

    # ------------------------------------------------------------------ where a rate is
    def threshold_of(self, who: int, rate: float, tail: float) -> Limits:
        """Ends of the threshold at which a class has a share beyond, whatever its distribution.

        Of n scores Binomial(n, rate) lie beyond it, so that it is between two of them. Beyond is
        above for impostors, at or below for clients.
        """
        values = self.evidence.counts[who]._steps[0]
        if who:
            values = values[::-1]
        t = self.at(Where("far" if who else "frr", rate))
        n = max(math.floor(self.worth(t.thresholds, tail)[who]), 1)
        beyond = self._beyond(who)
        total = float(beyond[-1])
        fewest, most = (_binomial_quantile(p, n, rate) for p in (tail, 1.0 - tail))
        few, many = math.floor(fewest / n * total), math.ceil(most / n * total)
        # The first scores, from the end, up to which there are so many.
        inner = int(np.searchsorted(beyond, few)) if few else values.size
        outer = int(np.searchsorted(beyond, many, side="right"))
        near, far = values[inner : inner + 1], values[outer : outer + 1]
        low, high = (far, near) if who else (near, far)
        # All thresholds between two scores decide alike.
        own = self.gap_of(float(t.threshold))
        return (min(own[0], float(low[0]) if low.size else -math.inf),
                max(own[1], float(high[0]) if high.size else math.inf))  # fmt: skip

    def _beyond(self, who: int) -> FloatArray:
        """Clients from the lowest score upwards, or impostors from the highest downwards."""
        if f"beyond {who}" not in self._found:
            masses = self.evidence.counts[who]._steps[1]
            self._found[f"beyond {who}"] = np.cumsum(masses[::-1] if who else masses)
        return self._found[f"beyond {who}"]  # type: ignore[no-any-return]

    # ------------------------------------------------------------------------ likelihood
    def likelihood_ends(self, line: RateLine, at: OperatingPoint, level: float) -> Limits:
        """Ends of the number that tells points of a line apart, by the likelihood of the counts.

        min over t of 2 n_c K(FRR(t), frr(e)) + 2 n_i K(FAR(t), far(e)) <= chi^2 quantile,
        K(p, q) = p log(p/q) + (1 - p) log((1 - p)/(1 - q)): of all thresholds at which the true
        rates may lie on the line. Where a rate is fixed and scores tie, the true one may be
        anywhere in the step between two thresholds.
        """
        from scipy.special import xlogy

        sizes, most = self._sizes(at, level), _quantile(level)
        gaps = self._window(line, sizes, most)
        e, deviances = self._likeliest(line, sizes, gaps)
        best = int(np.argmin(deviances))
        if deviances[best] > most:  # a level so low that no point of the line is likely enough
            return (float(line.place(at)),) * 2
        possible = np.flatnonzero(deviances <= most)
        if possible.size > _MOST:  # not too many where scores are dense
            some = np.rint(np.linspace(0, possible.size - 1, _MOST)).astype(np.intp)
            possible = np.union1d(possible[some], [best])
        far, frr = (rate[possible] for rate in self._stepped(line, gaps))
        # Impostors accepted and rejected, clients rejected and accepted: a row each.
        shares = np.array([far, 1.0 - far, frr, 1.0 - frr])
        counts = np.array([[sizes[1]], [sizes[1]], [sizes[0]], [sizes[0]]]) * shares
        largest = np.sum(xlogy(counts, shares), axis=0)

        def excess(e: float) -> float:
            """The deviance at the gap where these rates are likeliest, beyond the most."""
            true_far, true_frr = float(line.far(np.array(e))), float(line.frr(np.array(e)))
            rates = (true_far, 1.0 - true_far, true_frr, 1.0 - true_frr)
            # No count forbids a rate of 0, only counts above 0.
            logs = [math.log(rate) if rate > 0.0 else -_NEVER for rate in rates]
            return 2.0 * max(float(np.min(largest - np.array(logs) @ counts)), 0.0) - most

        inside, what = min(max(float(e[best]), 0.0), line.most), "end of a likelihood interval"
        low, high = (interval_end(excess, inside, end, what=what) for end in (0.0, line.most))
        return low, high

    def threshold_ends(self, line: RateLine, at: OperatingPoint, level: float) -> Limits:
        """Ends of the threshold whose true rates lie on a line, which they may anywhere on it.

        Parameters
        ----------
        line : RateLine
            The line.
        at : OperatingPoint
            Where it is by the scores.
        level : float
            Confidence.
        """
        places = self.pair.gaps.places
        sizes, most = self._sizes(at, level), _quantile(level)
        gaps = self._window(line, sizes, most)
        kept = gaps.start + np.flatnonzero(self._likeliest(line, sizes, gaps)[1] <= most)
        kept = np.union1d(kept, self.tied(line, at, level))
        low, high = self.gap_of(float(at.threshold))
        if kept.size:
            low = min(low, -math.inf if kept[0] == 0 else float(places[kept[0] - 1]))
            high = max(high, math.inf if kept[-1] == places.size else float(places[kept[-1]]))
        return low, high

    def _sizes(self, at: OperatingPoint, level: float) -> tuple[float, float]:
        return self.worth(at.thresholds, 0.5 * (1.0 - level))

    @cached_property
    def _descending(self) -> FloatArray:
        return -self.pair.gaps.far

    def _off(self, share: float) -> FloatArray:
        """FRR times a share less FAR, ascending along the gaps."""
        if f"off {share!r}" not in self._found:
            self._found[f"off {share!r}"] = share * self.pair.gaps.frr - self.pair.gaps.far
        return self._found[f"off {share!r}"]  # type: ignore[no-any-return]

    def _window(self, line: RateLine, sizes: tuple[float, float], most: float) -> slice:
        """The gaps outside of which the rates lie too far off a line to be likely.

        Pinsker's inequality: 2 n K(p, q) >= 4 n (p - q)^2, of both classes at least
        4 (FAR - k FRR)^2/(1/n_i + k^2/n_c) beside a line through the origin.
        """
        if line.share is not None:
            k = line.share
            rising, centre = self._off(k), 0.0
            away = math.sqrt(0.25 * most * (1.0 / sizes[1] + k * k / sizes[0]))
            # As far from what is nearest to the line, where ties leave nothing on it.
            crossing = int(np.searchsorted(rising, 0.0))
            away += float(np.min(np.abs(rising[max(crossing - 1, 0) : crossing + 1])))
        elif line.has_far:
            rising, centre = self._descending, -float(line.far(np.array(0.0)))
            away = math.sqrt(most / (4.0 * sizes[1]))
        else:
            rising, centre = self.pair.gaps.frr, float(line.frr(np.array(0.0)))
            away = math.sqrt(most / (4.0 * sizes[0]))
        first = int(np.searchsorted(rising, centre - away))
        last = int(np.searchsorted(rising, centre + away, "right"))
        # A step reaches to the next gap.
        return slice(max(first - 2, 0), last + 2)

    def _likeliest(
        self, line: RateLine, sizes: tuple[float, float], gaps: slice
    ) -> tuple[FloatArray, FloatArray]:
        """At each gap the likeliest point of a line, and its deviance."""
        far, frr = self._stepped(line, gaps)
        e = line.likeliest(far, frr, sizes)
        return e, _deviance(far, frr, sizes, line, e)

    @cached_property
    def _steps(self) -> tuple[FloatArray, FloatArray]:
        """FAR one gap below each, FRR one gap above."""
        gaps = self.pair.gaps
        return np.concatenate([[1.0], gaps.far[:-1]]), np.concatenate([gaps.frr[1:], [1.0]])

    def _stepped(self, line: RateLine, gaps: slice) -> tuple[FloatArray, FloatArray]:
        """Both rates at each gap; of the one that is fixed the nearest in the step to the next."""
        far, frr = self.pair.gaps.far[gaps], self.pair.gaps.frr[gaps]
        below, above = (step[gaps] for step in self._steps)
        if line.share is not None:
            return far, frr
        if line.has_far:
            return np.clip(float(line.far(np.array(0.0))), far, below), frr
        return far, np.clip(float(line.frr(np.array(0.0))), frr, above)

    def tied(self, line: RateLine, at: OperatingPoint, level: float) -> IntArray:
        """The gaps that may be the point's, where ties make steps of a standard error's size.

        None where scores are dense, or lie in the bins of a summary: then a point of the line is
        the true one.
        """
        if not isinstance(self.data, Scores):
            return np.empty(0, dtype=np.intp)
        sizes, z = self._sizes(at, level), math.sqrt(_quantile(level))
        gaps = self._window(line, sizes, z * z)
        e, deviances = self._likeliest(line, sizes, gaps)
        k = 1.0 if line.share is None else line.share
        all_far, all_frr = self.pair.gaps.far[gaps], self.pair.gaps.frr[gaps]
        off = np.abs(all_far - k * all_frr)
        own = int(np.argmin(deviances if line.share is None else off))
        far, frr = float(line.far(e[own])), float(line.frr(e[own]))
        parts = far * (1.0 - far) / sizes[1], k * k * frr * (1.0 - frr) / sizes[0]
        units = [1.0 / size for size in self.evidence.sizes]
        below, above = (step[gaps] for step in self._steps)
        jumps = below - all_far, k * (above - all_frr)
        if line.share is None:
            which = 0 if line.has_far else 1
            error, jump, unit = math.sqrt(parts[which]), jumps[which], units[1 - which]
        else:
            error, jump, unit = math.sqrt(sum(parts)), jumps[0] + jumps[1], units[1] + k * units[0]
        possible = deviances <= z * z
        if line.share is not None:
            possible |= off <= off[own] + z * error
        possible[own] = True
        found = np.flatnonzero(possible)
        coarse = float(np.max(jump[found])) > max(_COARSE * error, 1.5 * unit)
        return gaps.start + found if coarse else found[:0]

    def gap_of(self, t: float) -> Limits:
        """The scores between which a threshold lies."""
        places = self.pair.gaps.places
        k = int(np.searchsorted(places, t, side="right"))
        low = -math.inf if k == 0 else float(places[k - 1])
        return low, math.inf if k == places.size else float(places[k])

    def measured(
        self, line: RateLine, ends: Limits, measure: Callable[[OperatingPoint], FloatArray],
        prior: float,
    ) -> Limits:  # fmt: skip
        """Least and largest value of a measure between two points of a line."""
        e = np.linspace(*ends, _BETWEEN)
        far, frr = (np.broadcast_to(rate(e), e.shape) for rate in (line.far, line.frr))
        values = measure(OperatingPoint(np.full(e.shape, np.nan), far, frr, prior))
        return float(np.nanmin(values)), float(np.nanmax(values))


def _quantile(level: float) -> float:
    """Of chi-squared with one degree of freedom."""
    from scipy.special import ndtri

    return float(ndtri(0.5 * (1.0 + level))) ** 2


def _deviance(
    far: FloatArray, frr: FloatArray, sizes: tuple[float, float], line: RateLine, e: FloatArray
) -> FloatArray:
    clients, impostors = sizes
    own = clients * _divergence(frr, line.frr(e)) + impostors * _divergence(far, line.far(e))
    return np.asarray(2.0 * own)


def _divergence(p: FloatArray, q: FloatArray) -> FloatArray:
    from scipy.special import rel_entr

    return np.asarray(rel_entr(p, q) + rel_entr(1.0 - p, 1.0 - q))


def _likeliest(
    rejected: FloatArray, accepted: FloatArray, clients: float, impostors: float, share: float
) -> FloatArray:
    """The FRR e for which r of n clients and a of m impostors are likeliest if FAR = k e.

    r/e - (n - r)/(1 - e) + a/e - k (m - a)/(1 - k e) = 0.
    """
    k, both = share, rejected + accepted
    square = k * (clients + impostors)
    linear = both * (1.0 + k) + (clients - rejected) + k * (impostors - accepted)
    root = np.sqrt(np.maximum(linear**2 - 4.0 * square * both, 0.0))
    found = 2.0 * both / np.where(linear + root > 0.0, linear + root, 1.0)
    kept: BoolArray = both > 0.0
    return np.where(kept, np.clip(found, 0.0, min(1.0, 1.0 / k)), 0.0)


def _binomial_quantile(p: float, n: int, rate: float) -> int:
    """The fewest k with P(Binomial(n, rate) <= k) >= p."""
    from scipy.special import betainc  # where n is beyond 32 bits too

    return least_whole(lambda k: bool(betainc(n - k, k + 1, 1.0 - rate) >= p), -1, n)
