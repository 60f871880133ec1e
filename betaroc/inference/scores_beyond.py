"""The scores that support a rate, and whether counts contradict it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.core import errors, notices, special
from betaroc.core.arrays import CLASSES, BoolArray, FloatArray
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import Value
from betaroc.core.vocabulary import CLIENT, FAR, FRR, IMPOSTOR, TNR, TPR, TRIALS
from betaroc.data.groups import Groups, ScoredTrials, groups_of
from betaroc.data.scores import ScoreData
from betaroc.data.summary import ScoreSummary
from betaroc.distributions import base, inflated, rank_normal, shifted
from betaroc.distributions.empirical import Empirical, is_counted
from betaroc.estimation.estimate import PairEstimate, give
from betaroc.model.measures import OperatingPoint
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import UsedRate


def rate_covariance(
    groups: Groups, laws: tuple[Empirical, Empirical], scores: ScoredTrials, t: Thresholds,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Covariance of FAR and FRR at each threshold and the share of clients; see `Groups.meat`."""
    from scipy.sparse import csr_array

    parts = []
    for law, values, rows in zip(laws, (scores.client, scores.impostor), groups.rows, strict=True):
        place = np.searchsorted(law._steps[0], values[rows])
        distinct, last = np.unique(law._index(t), return_inverse=True)
        parts.append((np.searchsorted(distinct, place, side="right"), np.ravel(last)))
    width = [int(p[1].max()) + 2 for p in parts]
    n = [law.total for law in laws]
    k, whole = t.size, n[0] + n[1]
    influence = np.zeros((sum(width), 2 * k + 1))
    frr, far = laws[0]._counts_at_most(t) / n[0], laws[1]._counts_above(t) / n[1]
    rejected = np.arange(width[0])[:, None] <= parts[0][1]
    accepted = np.arange(width[1])[:, None] > parts[1][1]
    grow = groups.factors()
    influence[width[0] :, :k] = grow[1] * (accepted - far) / n[1]
    influence[: width[0], k:-1] = grow[0] * (rejected - frr) / n[0]
    influence[: width[0], -1], influence[width[0] :, -1] = n[1] / whole**2, -n[0] / whole**2
    column = np.concatenate([parts[0][0], width[0] + parts[1][0]])
    rows = np.arange(column.size)
    cells = csr_array((np.ones(column.size), (rows, column)), shape=(column.size, sum(width)))
    meat = groups.meat(cells, groups.stratum())
    return influence.T @ meat[0] @ influence, influence.T @ meat[1] @ influence


# ------------------------------------------------------------------------ what counts are worth
def grouped_share(
    groups: Groups, which: int, beyond: FloatArray, n: float
) -> tuple[FloatArray, FloatArray]:
    """Shares of the scores of a class, and their variances between groups."""
    cut, size = groups.rows[0].size, groups.sizes[which] or 0
    mine = (slice(cut), slice(cut, None))[which]
    share = np.nansum(beyond * groups.copies[mine, None], axis=0) / n
    parts = np.zeros((groups.first.size, beyond.shape[1]))
    parts[mine] = np.nan_to_num(beyond - share) / n
    whole, twice = (np.diag(part) for part in groups.meat(parts))
    return share, np.where(whole > twice, whole - twice, whole) * size / (size - 1.0)


def effective_size(
    share: npt.ArrayLike, variance: npt.ArrayLike, n: Any, fewest: Any, freedom: Any, tail: float,
) -> FloatArray:  # fmt: skip
    """Independent scores of which a share varies as much (Korn and Graubard 1998).

        n / d,   d = V / (p (1 - p) / (n - 1)) >= 1,   times (t_(n-1) / t_f)^2

    with V the variance of the share p, f its degrees of freedom; `fewest` where p is 0 or 1.
    """
    from scipy.special import stdtrit

    share, variance = np.asarray(share, np.float64), np.asarray(variance, np.float64)
    alone = share * (1.0 - share) / (n - 1.0)
    ratio = np.divide(alone, variance, out=np.ones(share.shape), where=variance > alone)
    few = stdtrit(n - 1.0, tail) / stdtrit(np.minimum(freedom, n - 1.0), tail)
    inner = (share > 0.0) & (share < 1.0)
    return np.asarray(np.where(inner, n * ratio, fewest) * few * few)


#: Rates that count the trials without a score.
_LOWER = (FRR, TNR)
#: A number that expects fewer scores than this beyond it is extrapolated.
_ONE = 1.0
#: Scores that show a rate at least once with 95 % probability: ln(20) = 3.
SHOW = 3.0
#: Two-sided level of the count that contradicts a fit, ...
_LEVEL = 0.01
#: ... and the factor within which a rate is near the one counted.
_NEAR = 1.25
#: From this p value on nothing shows that the classes differ.
_EQUAL, _TWO_SIDED = 0.05, 0.025
#: Counts that may contradict expect so many scores; up to ten times the rate they help out, as
#: far as it is a tail.
_FEW, _DECADE, _TAIL = 5.0, 10.0, 0.1
#: 1, 2, 5 a decade, descending from one half.
_RATES = np.array([lead * 10.0**-k for k in range(1, 16) for lead in (5, 2, 1)])


class Misfit(NamedTuple):
    """A rate at which scores contradict the fitted distribution."""

    #: "client" or "impostor".
    who: str
    #: FAR, TNR, FRR or TPR, and its value by the distribution.
    name: str
    rate: float
    #: Whether the scores above the threshold were counted, or those at or below it.
    above: bool
    threshold: float
    #: Scores expected and observed there.
    expected: float
    observed: float
    total: float

    def words(self, say: Callable[[float], str] = "{:.3g}".format) -> str:
        where = "above" if self.above else "at or below"
        return (
            f"at {self.name} {say(self.rate)} {self.expected:.4g} of {self.total:.6g} {self.who}"
            f" scores are expected {where} {self.threshold:.6g}, {self.observed:.6g} were observed"
        )


@dataclass(frozen=True, eq=False, repr=False)
class SampleSupport(Value):
    """What the scores of a fit, or scores alone, say of rates."""

    data: ScoreData
    fitted: tuple[base.Distribution | None, base.Distribution | None] = (None, None)
    cells: tuple[float | None, float | None] = (None, None)
    dropped: tuple[bool, bool] = (False, False)
    grouped: bool = True

    @cached_property
    def groups(self) -> Groups | None:
        if not self.grouped:
            return None
        result = None if isinstance(self.data, ScoreSummary) else groups_of(self.data)
        return result if result is not None and result.dependent else None

    @cached_property
    def totals(self) -> tuple[float, float]:
        """Scores of each class, by their weights."""
        client, impostor = (float(getattr(self.data, f"{who}_total")) for who in CLASSES)
        return client - sum(self._left_out(0)), impostor - sum(self._left_out(1))

    def _left_out(self, who: int) -> tuple[float, float]:
        if not self.dropped[who]:
            return 0.0, 0.0
        return self.data._at_ends(CLASSES[who], shifted.score_range(self.fitted[who]))

    @cached_property
    def sizes(self) -> tuple[float, float]:
        """What varies by itself: groups where there are some, else scores."""
        if self.groups is None:
            return self.totals
        client, impostor = self.groups.sizes
        return float(client or self.totals[0]), float(impostor or self.totals[1])

    @cached_property
    def counts(self) -> tuple[Empirical, Empirical]:
        return self.data._distributions

    # ----------------------------------------------------------------- how many speak for it
    def beyond(self, asked: UsedRate) -> FloatArray:
        """Scores, or groups, expected beyond each rate: n min(rate, 1 - rate)."""
        scored = self.scored(asked)
        return np.asarray(self.sizes[asked.who] * np.minimum(scored.rate, scored.rest))

    def scored(self, asked: UsedRate) -> UsedRate:
        return less_absent(asked, self.absent(asked.who))

    def absent(self, who: int) -> float:
        return float(self.counts[who].rejected / self.totals[who])

    def extrapolated(self, asked: UsedRate) -> BoolArray:
        """Where less than one score is expected."""
        if self.fitted[asked.who] is None and not asked.solved:
            return np.zeros(np.shape(asked.rate), dtype=np.bool_)
        tail = self.scored(asked).tail
        return np.asarray(self.sizes[asked.who] * tail < _ONE * (1.0 - 1e-12))

    # ------------------------------------------------------------------ what contradicts it
    def misfit(self, asked: UsedRate) -> Misfit | None:
        """The count that contradicts the fit most at a rate, if any."""
        # The exact interval of level 0.99 has no point within a factor of 1.25 of the rate: at the
        # rate asked or the larger one that expects five scores, and up to ten times that within the
        # tail (0.1), for a single count of five cannot show that there are too few.
        tail, few, result = asked.tail, _FEW / self.sizes[asked.who], []
        for upper, side in ((True, asked.rate), (False, asked.rest)):
            here = tail[(tail == side) & (tail > 0.0)]
            if self.fitted[asked.who] is not None and here.size:
                first = max(float(np.min(here)), few)
                last = min(_DECADE * max(float(np.max(here)), few), _TAIL)
                rates = np.append(first, _RATES[(_RATES > first) & (_RATES <= last)])
                # Of an impostor FAR is the upper tail, of a client FRR the lower one.
                above = upper == (asked.name == FAR)
                result += self._contradictions(asked.who, rates[rates <= 0.5], above=above)
        return max(result, key=lambda pair: pair[0])[1] if result else None

    def _contradictions(
        self, who: int, rates: FloatArray, *, above: bool
    ) -> list[tuple[float, Misfit]]:
        law, total = self.fitted[who], self.totals[who]
        if law is None or not rates.size:
            return []
        invert = law._upper_quantile if above else law._lower_quantile
        t = self._countable(who, invert(rates, np.log(rates)))
        expected = (law._upper(t) if above else law._lower(t))[0]
        share = np.maximum(self.observed(who, t, above=above), 0.0) / total
        # An interval holds the share that was counted: near the expected one it contradicts none.
        away = (share > _NEAR * expected) | (share * _NEAR < expected)
        if not np.any(away):
            return []
        t, expected, share = t[away], expected[away], share[away]
        sizes = self.effective(who, t, 0.5 * _LEVEL, above=above)
        off = contradicted(*special.share_ends(share * sizes, sizes, 0.5 * _LEVEL), expected)
        with np.errstate(divide="ignore", invalid="ignore"):
            distances = np.abs(share - expected) / np.sqrt(expected * (1.0 - expected) / sizes)
        name = ((TPR, FAR) if above else (FRR, TNR))[who]
        rows = zip(distances[off], t.theta[off], expected[off], share[off], strict=True)
        return [
            (float(distance), Misfit(CLASSES[who], name, float(rate), above, float(place),
                                     float(rate * total), float(part * total), total))
            for distance, place, rate, part in rows
        ]  # fmt: skip

    def observed(self, who: int, t: Thresholds, *, above: bool) -> FloatArray:
        """Scores above each threshold, or at or below it."""
        counts, (zeros, ones) = self.counts[who], self._left_out(who)
        return counts._counts_above(t) - ones if above else counts._counts_at_most(t) - zeros

    def _countable(self, who: int, t: Thresholds) -> Thresholds:
        """Thresholds moved to edges of cells and borders of bins."""
        step = self.cells[who]
        if step is not None:
            ends = self.fitted[who].support  # type: ignore[union-attr]
            return Thresholds.from_theta(np.clip((np.floor(t.theta / step) + 0.5) * step, *ends))
        law = self.fitted[who]
        if law is not None and rank_normal.is_of_ranks(law):
            places = inflated.base_of(law).scores  # type: ignore[attr-defined]
            below = np.searchsorted(places, t.theta, side="right") - 1
            return Thresholds.from_theta(places[np.maximum(below, 0)])
        if isinstance(self.data, ScoreSummary):
            places = [self.data.border_below(x) if math.isfinite(x) else x for x in t.theta]
            return Thresholds.from_theta(np.array(places))
        return t

    def effective(self, who: int, t: Thresholds, tail: float, *, above: bool) -> FloatArray:
        """Independent scores of which the count beyond varies as much."""
        groups, total = self.groups, self.totals[who]
        size = None if groups is None else groups.sizes[who]
        if groups is None or size is None or size < 2:
            return np.full(t.shape, total if size is None else 1.0)
        law, values = self.counts[who], getattr(self.data, CLASSES[who])[groups.rows[who]]
        accepted = np.searchsorted(law._steps[0], values)[:, None] >= law._index(t)
        beyond = (accepted == above).astype(np.float64)
        if self.dropped[who]:
            beyond[~shifted.between_ends(self.fitted[who], values)] = np.nan
        # Where none or all of the scores are beyond, a group counts as one score.
        share, variance = grouped_share(groups, who, beyond, total)
        return effective_size(share, variance, total, min(total, size), size - 1.0, tail)


def contradicted(low: Any, high: Any, rate: Any) -> Any:
    """Whether the interval of a counted rate lies away from the expected one."""
    return (low > _NEAR * rate) | (high * _NEAR < rate)


def less_absent(asked: UsedRate, absent: float) -> UsedRate:
    """The rate and its complement without a share of absent scores."""
    if not absent:
        return asked
    low = asked.rate if asked.name == FRR else asked.rest
    left = np.where(low - absent > 1e-12, low - absent, 0.0)
    return asked._replace(rate=left) if asked.name == FRR else asked._replace(rest=left)


def may_be_equal(evidence: SampleSupport, model: ScoreModel) -> float:
    """The p-value of the Kolmogorov-Smirnov distance; 0 where classes differ."""
    from scipy.special import kolmogorov

    n, m = evidence.totals
    if evidence.groups is not None:
        t = Thresholds.from_theta(np.array([float(model.youden().thresholds.theta)]))
        n, m = (float(evidence.effective(k, t, _TWO_SIDED, above=bool(k))[0]) for k in (0, 1))
    p = float(kolmogorov(model.ks() * math.sqrt(n * m / (n + m))))
    return p if p > _EQUAL else 0.0


def tell_of_chance(name: str, evidence: SampleSupport, model: ScoreModel) -> None:
    """Warn of an optimum of classes that hardly differ."""
    p = may_be_equal(evidence, model)
    if p:
        client, impostor = evidence.sizes
        notices.warn(
            f"{name!r} is the best of many thresholds: of classes that hardly differ noise makes it"
            f" too good. {client:.6g} {CLIENT} and {impostor:.6g} {IMPOSTOR}"
            f" {'scores' if evidence.groups is None else 'groups'} do not show that they differ"
            f' (Kolmogorov-Smirnov, p = {p:.2g}). Give more scores, or take "auc".',
            errors.SmallSampleWarning,
        )


def needed(rate: float) -> str:
    """Scores that show a rate at least once with 95 % probability: 3/rate."""
    return about(SHOW / rate)


def about(n: float) -> str:
    """Two digits of a number of scores."""
    if n >= 1e9:
        return f"{n:.2g}" if math.isfinite(n) else "more than 1e308"
    return f"{float(f'{n:.2g}'):.0f}"


# -------------------------------------------------------------------------- of whom
def evidence_of_pair(pair: PairEstimate) -> SampleSupport:
    """What the scores of both classes say of their fit."""
    fits = (pair.client, pair.impostor)
    laws = [None if is_counted(f.distribution) else f.distribution for f in fits]
    rules = [f.boundary for f in fits]
    cells = [r.resolution if r is not None and r.policy == "interval" else None for r in rules]
    left = [r is not None and r.policy == "drop" for r in rules]
    return SampleSupport(pair.scores, (laws[0], laws[1]), (cells[0], cells[1]), (left[0], left[1]))


@dataclass(frozen=True, eq=False, repr=False)
class SupportedPair(PairEstimate):
    """Both classes estimated, with the support of their rates."""

    @cached_property
    def _evidence(self) -> SampleSupport:
        return evidence_of_pair(self)


#: What may stand on a side, as dev or as test.
SideInput = ScoreData | ScoreModel | SupportedPair


def evidence_of(value: SideInput) -> SampleSupport | None:
    """Of scores or a fit; None of a typed model."""
    if isinstance(value, SupportedPair):
        return value._evidence
    return None if isinstance(value, ScoreModel) else SampleSupport(value)


def fewest(evidence: SampleSupport, asked: Iterable[UsedRate]) -> FloatArray | None:
    """The fewest scores beyond some rates, if any."""
    result = [evidence.beyond(item) for item in asked]
    return np.minimum.reduce(np.broadcast_arrays(*result)) if result else None


# ------------------------------------------------------------------------ said to users
def stated(
    evidence: SampleSupport, point: OperatingPoint, asked: Sequence[UsedRate]
) -> OperatingPoint:
    """The point with the scores beyond both rates; it warns where there are none."""
    client, impostor = (evidence.beyond(item) for item in asked)
    beyond = np.logical_or(*(evidence.extrapolated(item) for item in asked))
    tell(evidence, asked)
    if np.ndim(point.threshold) == 0:
        return replace(point, n_beyond=(float(client), float(impostor)), extrapolated=bool(beyond))
    return replace(point, n_beyond=(client, impostor), extrapolated=beyond)


def tell(evidence: SampleSupport, asked: Sequence[UsedRate]) -> bool:
    """Warn of rates without scores and of contradicting counts."""
    beyond = _tell_extrapolated(evidence, asked)
    words = "; ".join(misfit.words() for misfit in map(evidence.misfit, asked) if misfit)
    if words:
        test = "(exact binomial test, level 0.01, by more than a factor of 1.25)"
        text = f"the fit is contradicted where it is asked: {words} {test}"
        give([notices.Notice(errors.MisfitWarning, text)])
    return beyond


def _tell_extrapolated(evidence: SampleSupport, asked: Sequence[UsedRate]) -> bool:
    numbers = [int(np.sum(evidence.extrapolated(item))) for item in asked]
    if not sum(numbers):
        return False

    def place(item: UsedRate) -> tuple[bool, float]:
        tail = evidence.scored(item).tail
        return not item.solved, float(np.nanmin(evidence.sizes[item.who] * tail))

    worst = min((item for item, many in zip(asked, numbers, strict=True) if many), key=place)
    who, scored = worst.who, evidence.scored(worst)
    n, absent = evidence.sizes[who], evidence.absent(who)
    k = int(np.nanargmin(scored.tail))
    small = scored.rate.flat[k] <= scored.rest.flat[k]
    left, tail = float(scored.tail.flat[k]), float((worst.rate if small else worst.rest).flat[k])
    name = worst.name if small else {FAR: TNR, FRR: TPR}[worst.name]
    several = "" if sum(numbers) == 1 else f"{sum(numbers)} rates are extrapolated, among them: "
    of = "scores" if n == evidence.totals[who] else "groups"
    among = f"{TRIALS} ({absent:.3g} of them without a score)" if absent else of
    rate = f"(rate - {absent:.3g})" if absent and name in _LOWER else "rate"
    ask = ""
    if n * (1.0 - absent) > 2.0:  # rates that expect a score on either side
        low, high = (absent, 0.0) if name in _LOWER else (0.0, absent)
        least = f"{low + 1 / n:.{6 if absent else 2}g}"
        ask = f", or ask for a rate between {least} and {1 - high - 1 / n:.6g}"
    notices.warn(
        f"{several}{name} {tail:.4g} is extrapolated: of {n:.6g} {(CLIENT, IMPOSTOR)[who]} {among}"
        f" {n * left:.2g} are expected beyond it, so no {of.removesuffix('s')} speaks for the"
        f" number; about {needed(left)} would (3/{rate}). Give more {of}{ask}.",
        errors.ExtrapolationWarning,
    )
    return True


# ------------------------------------------------------- a count against a rate that varies
#: Nodes of Gauss and Hermite.
_NODES = 80


@cache
def _nodes() -> tuple[FloatArray, FloatArray]:
    x, w = np.polynomial.hermite_e.hermegauss(_NODES)
    return x, w / w.sum()


def estimated_rates(estimate: float, low: float, high: float, level: float) -> FloatArray:
    """A rate as its interval lets it vary, normal in probits."""
    from scipy.special import ndtr, ndtri

    error = float(ndtri(high) - ndtri(low)) / (2.0 * float(ndtri(0.5 * (1.0 + level))))
    return np.asarray(ndtr(float(ndtri(estimate)) + error * _nodes()[0]))


def counted_rates_of(count: float, n: float) -> FloatArray:
    """A counted rate as its beta distribution (Jeffreys) lets it vary."""
    from scipy.special import betaincinv, ndtr

    return np.asarray(betaincinv(count + 0.5, n - count + 0.5, ndtr(_nodes()[0])))


def count_p_value(count: float, n: float, rates: FloatArray) -> float:
    """Two-sided p-value of a binomial count, averaged over rates."""
    from scipy.special import betainc, betaincc

    weights = _nodes()[1]
    more = float(weights @ betainc(count, n - count + 1.0, rates)) if count > 0.0 else 1.0
    fewer = float(weights @ betaincc(count + 1.0, n - count, rates)) if count < n else 1.0
    return min(2.0 * min(more, fewer), 1.0)
