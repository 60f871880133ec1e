"""Bands around an expected performance curve: resampled test decisions, resampled choices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc import _checks
from betaroc._thresholds import FloatArray, Thresholds
from betaroc._value import Value
from betaroc.criteria import CRITERIA
from betaroc.distributions.empirical import Empirical, EmpiricalPair
from betaroc.errors import InputError
from betaroc.expected_performance import Epc
from betaroc.measures import MEASURES, OperatingPoint
from betaroc.model import ScoreModel
from betaroc.resampling import (
    Cells,
    IntArray,
    cells_of,
    class_sizes,
    draw_law,
    refuse_fractional_weights,
    streams,
)
from betaroc.threshold_error import ThresholdError, threshold_error

__all__ = ["Band", "band", "empirical_laws", "measured", "observed_prior", "pointwise"]

_RESAMPLE = ("both", "test")
_METHODS = ("bootstrap", "exact")

#: Criteria whose empirical minimiser moves like n**(-1/3), not n**(-1/2).
_CUBE_ROOT = frozenset({"weighted-error", "weighted-precision-recall", "f-measure"})

#: Measures that are one rate of one class: whether errors or successes are counted, and of whom.
_ONE_RATE: dict[str, Callable[[IntArray, IntArray, int, int], tuple[IntArray, int]]] = {
    "far": lambda rejected, accepted, clients, impostors: (accepted, impostors),
    "tnr": lambda rejected, accepted, clients, impostors: (impostors - accepted, impostors),
    "frr": lambda rejected, accepted, clients, impostors: (rejected, clients),
    "tpr": lambda rejected, accepted, clients, impostors: (clients - rejected, clients),
}
_ONE_RATE["specificity"] = _ONE_RATE["tnr"]
_ONE_RATE["recall"] = _ONE_RATE["sensitivity"] = _ONE_RATE["tpr"]


@dataclass(frozen=True, eq=False, repr=False)
class Band(Value):
    """A curve with an interval at each of its points.

    Parameters
    ----------
    alpha : ndarray, shape (k,)
        The criterion's parameter.
    estimate : ndarray, shape (k,)
        The curve.
    low, high : ndarray, shape (k,)
        Ends of the intervals, nan where the measure is undefined.
    level : float
        Confidence level.
    simultaneous : bool
        Whether `level` holds for the whole curve at once or for each point.
    resample : str
        "test" or "both": what varied.
    replicates : int
        Bootstrap replicates, 0 for the exact interval.
    undefined : ndarray of int, shape (k,)
        Replicates in which the measure was 0/0: they are left out.
    m : int, optional
        Dev scores drawn in each replicate; None where dev is held fixed.

    Examples
    --------
    >>> import betaroc as br
    >>> curve = br.epc(
    ...     br.Scores([3, 4, 5], [1, 2, 3]), br.Scores([2, 4, 6], [0, 1, 3]), alpha=[0.5]
    ... )
    >>> band = curve.band(resample="test", replicates=1000, rng=1)
    >>> band.estimate.round(3).tolist(), band.low.tolist(), band.high.round(3).tolist()
    ([0.333], [0.0], [0.667])
    """

    alpha: FloatArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    simultaneous: bool
    resample: str
    replicates: int
    undefined: npt.NDArray[np.int64]
    m: int | None = None


def band(
    e: Epc,
    level: float,
    *,
    resample: str,
    replicates: int,
    simultaneous: bool,
    stratified: bool,
    m: int | None,
    method: str,
    rng: Any,
) -> Band:
    """The band of a curve; `Epc.band` documents it."""
    level = _checks.level(level)
    _checks.choice(resample, _RESAMPLE, "resample")
    _checks.choice(method, _METHODS, "method")
    replicates = _checks.count(replicates, "replicates")
    empirical_laws(e.test, "test")
    if method == "exact":
        return _exact_band(e, level, resample=resample, simultaneous=simultaneous)
    again = _rechoice(e, m, stratified=stratified) if resample == "both" else None
    if again is None and m is not None:
        raise InputError(
            'm is the number of dev scores drawn in each replicate and needs resample="both"; got'
            f" m={m!r} with resample={resample!r}. Leave m out."
        )
    values = np.empty((replicates, e.alpha.size))
    for rows, stream in streams(replicates, rng):
        size = rows.stop - rows.start
        if again is None:
            values[rows] = fixed_values(e, stream, size, stratified=stratified)
        else:
            values[rows] = _rechosen_values(e, stream, size, again, stratified=stratified)
    estimate = e.value
    low, high = (_sup_t if simultaneous else pointwise)(values, estimate, level)
    undefined = np.sum(np.isnan(values), axis=0)
    if simultaneous:
        bottom, top = _range(e.measure)
        low, high = np.maximum(low, bottom), np.minimum(high, top)
    drawn = again.m if isinstance(again, _Rechoice) else None
    return Band(
        e.alpha, estimate, low, high, level, bool(simultaneous), resample, replicates, undefined,
        drawn,
    )  # fmt: skip


def _range(measure: str) -> tuple[float, float]:
    """The measure's values; a weighted error is a fraction."""
    known = MEASURES.get(measure)
    return (0.0, 1.0) if known is None else (known.low, known.high)


# ------------------------------------------------------------------------------- replicates
def fixed_values(e: Epc, rng: np.random.Generator, size: int, *, stratified: bool) -> FloatArray:
    """The measure of the resampled test decisions at the curve's own thresholds."""
    laws = empirical_laws(e.test, "test")
    client, impostor = (cells_of(law, e.chosen) for law in laws)
    sizes = class_sizes(rng, size, client.total, impostor.total, stratified=stratified)
    rejected, accepted = _errors(rng, client, impostor, *sizes)
    return measured(e, rejected, accepted, *sizes)


def _rechosen_values(
    e: Epc,
    rng: np.random.Generator,
    size: int,
    again: _Rechoice | ThresholdError,
    *,
    stratified: bool,
) -> FloatArray:
    """The measure at thresholds that each replicate chooses again.

    With fewer dev scores than there were, the part of a replicate that is due to
    its thresholds is larger than in truth and shrunk.
    """
    laws = empirical_laws(e.test, "test")
    clients, impostors = (round(law.total) for law in laws)
    sizes = class_sizes(rng, size, clients, impostors, stratified=stratified)
    k = e.alpha.size
    rejected, accepted = (np.empty((size, 2 * k), dtype=np.int64) for _ in range(2))
    lost = np.zeros(size, dtype=np.bool_)
    for row in range(size):
        chosen = again.draw(rng)
        lost[row] = chosen is None
        t = Thresholds.concatenate([e.chosen, e.chosen if chosen is None else chosen])
        client, impostor = (cells_of(law, t) for law in laws)
        one = sizes[0][[row]], sizes[1][[row]]
        rejected[row], accepted[row] = (x[0] for x in _errors(rng, client, impostor, *one))
    fixed = measured(e, rejected[:, :k], accepted[:, :k], *sizes)
    moved = measured(e, rejected[:, k:], accepted[:, k:], *sizes)
    shrink = again.shrink
    values = moved if shrink == 1.0 else (1.0 - shrink) * fixed + shrink * moved
    values[lost] = np.nan
    return values


@dataclass(frozen=True)
class _Rechoice:
    """Dev's thresholds chosen again from m of its scores.

    The thresholds of m scores depart further than those of all n, by (n/m) to the
    power of the rate, for which `shrink` makes up.
    """

    e: Epc
    client: Empirical
    impostor: Empirical
    m: int
    stratified: bool

    @property
    def total(self) -> int:
        return round(self.client.total + self.impostor.total)

    @property
    def shrink(self) -> float:
        rate = 1.0 / 3.0 if self.e.criterion in _CUBE_ROOT else 0.5
        return float((self.m / self.total) ** rate)

    def draw(self, rng: np.random.Generator) -> Thresholds | None:
        """One choice; None if a class was not drawn at all."""
        prior = self.e.dev.prior
        if self.stratified:
            share = self.m / self.total
            clients = max(1, round(share * self.client.total))
            impostors = max(1, round(share * self.impostor.total))
        else:
            clients = int(rng.binomial(self.m, self.client.total / self.total))
            impostors = self.m - clients
            if clients == 0 or impostors == 0:
                return None
            prior = clients / self.m if observed_prior(self.e.dev) else prior
        client = draw_law(rng, self.client, clients)
        pair = EmpiricalPair(client, draw_law(rng, self.impostor, impostors))
        return CRITERIA[self.e.criterion].choose(pair, prior, self.e.alpha)


def _rechoice(e: Epc, m: int | None, *, stratified: bool) -> _Rechoice | ThresholdError:
    """What makes dev's thresholds vary: its scores, or the errors of its fit."""
    fitted = e.dev_fit is not None and not isinstance(e.dev._pair, EmpiricalPair)
    if not fitted:
        client, impostor = empirical_laws(e.dev, "dev")
        return _Rechoice(e, client, impostor, _dev_size(e, m, client, impostor), stratified)
    if m is not None:
        raise InputError(
            f"m is a number of dev scores to draw, but dev is a fit, which varies by the errors of"
            f" its parameters; got m={m!r}. Leave m out."
        )
    return threshold_error(e.dev_fit, e.criterion, e.dev.prior, e.alpha, e.chosen)


def _errors(
    rng: np.random.Generator, client: Cells, impostor: Cells, clients: IntArray, impostors: IntArray
) -> tuple[IntArray, IntArray]:
    """Clients rejected and impostors accepted at each threshold, a row a replicate."""
    rejected = client.draw(rng, clients)
    return rejected, impostors[:, None] - impostor.draw(rng, impostors)


def measured(
    e: Epc, rejected: IntArray, accepted: IntArray, clients: IntArray, impostors: IntArray
) -> FloatArray:
    """The curve's measure of error counts, a row a replicate; nan for an empty class."""
    c, i = clients[:, None], impostors[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        far, frr = accepted / i, rejected / c
        tpr, tnr = (c - rejected) / c, (i - accepted) / i
    # A prior that was observed varies with the class sizes.
    shares = clients / (clients + impostors)
    priors = shares if observed_prior(e.test) else np.full(shares.shape, e.test.prior)
    values = np.empty(rejected.shape)
    for prior in np.unique(priors):
        rows = priors == prior
        point = OperatingPoint(
            np.nan, far[rows], frr[rows], float(prior), tpr=tpr[rows], tnr=tnr[rows]
        )
        values[rows] = e._measured(point)
    return values


# ------------------------------------------------------------------------------- intervals
def pointwise(
    values: FloatArray, estimate: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Percentiles of the replicates at each point, those that are nan left out."""
    tail = 0.5 * (1.0 - level)
    low, high = (np.array(estimate, dtype=np.float64) for _ in range(2))
    for k in range(estimate.size):
        kept = values[~np.isnan(values[:, k]), k]
        defined = kept.size > 0 and not np.isnan(estimate[k])
        low[k], high[k] = np.quantile(kept, [tail, 1.0 - tail]) if defined else (np.nan, np.nan)
    return low, high


def _sup_t(values: FloatArray, estimate: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """estimate -+ c sd, c the quantile of the largest standardised deviation."""
    gone = np.isnan(values)
    kept = np.where(gone, estimate, values)
    n = np.maximum(np.sum(~gone, axis=0), 1)
    deviation = kept - estimate
    sd = np.sqrt(np.nansum(deviation**2, axis=0) / n)
    moving = sd > 0.0
    reach = 0.0
    if np.any(moving):
        largest = np.nanmax(np.abs(deviation[:, moving]) / sd[moving], axis=1)
        reach = float(np.quantile(largest, level))
    return estimate - reach * sd, estimate + reach * sd


def _exact_band(e: Epc, level: float, *, resample: str, simultaneous: bool) -> Band:
    """Clopper and Pearson's interval of one binomial rate at fixed thresholds."""
    if e.measure not in _ONE_RATE or resample != "test" or simultaneous:
        raise InputError(
            'method="exact" needs resample="test", simultaneous=False and a measure that is one'
            f" rate ({_checks.listed(tuple(_ONE_RATE), 12)}); got resample={resample!r},"
            f' simultaneous={simultaneous!r}, measure {e.measure!r}. Take method="bootstrap".'
        )
    from scipy.special import betaincinv

    client, impostor = empirical_laws(e.test, "test")
    rejected = np.rint(client.counts_at_most(e.chosen)).astype(np.int64)
    accepted = np.rint(impostor.counts_above(e.chosen)).astype(np.int64)
    hits, n = _ONE_RATE[e.measure](rejected, accepted, round(client.total), round(impostor.total))
    tail = 0.5 * (1.0 - level)
    some, missing = np.maximum(hits, 1), np.maximum(n - hits, 1)
    low = np.where(hits > 0, betaincinv(some, n - some + 1, tail), 0.0)
    high = np.where(hits < n, betaincinv(n - missing + 1, missing, 1.0 - tail), 1.0)
    nowhere = np.zeros(e.alpha.size, dtype=np.int64)
    return Band(e.alpha, e.value, low, high, level, False, resample, 0, nowhere)


# ------------------------------------------------------------------------------- conditions
def empirical_laws(model: ScoreModel, name: str) -> tuple[Empirical, Empirical]:
    """Both laws of a side that can be resampled: scores with whole weights."""
    client, impostor = model.client, model.impostor
    if not isinstance(client, Empirical) or not isinstance(impostor, Empirical):
        kinds = f"{type(client).__name__} and {type(impostor).__name__} laws"
        other = ' or take resample="test"' if name == "dev" else ""
        raise InputError(
            f"{name} must be scores to be resampled; got a model of {kinds}, which has no rows to"
            f" draw. Give Scores as {name} of epc{other}."
        )
    refuse_fractional_weights(client, f"{name} client")
    refuse_fractional_weights(impostor, f"{name} impostor")
    return client, impostor


def observed_prior(model: ScoreModel) -> bool:
    """Whether the prior is the share of clients among the scores."""
    client, impostor = model.client, model.impostor
    if not isinstance(client, Empirical) or not isinstance(impostor, Empirical):
        return False
    return model.prior == client.total / (client.total + impostor.total)


def _dev_size(e: Epc, m: int | None, client: Empirical, impostor: Empirical) -> int:
    """Dev scores to draw: all of them where the plain bootstrap is consistent."""
    total = round(client.total + impostor.total)
    if m is None:
        smaller = min(client.total, impostor.total)
        return round(total / smaller**0.25) if e.criterion in _CUBE_ROOT else total
    m = _checks.count(m, "m", 2)
    if m > total:
        raise InputError(
            f"m must be at most the number of dev scores, {total}; got m={m}. Take m={total} for"
            " the plain bootstrap, or leave m out."
        )
    return m
