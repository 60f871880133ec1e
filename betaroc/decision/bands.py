"""Bands around an expected performance curve: resampled test decisions, resampled choices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.errors import InputError, SmallSampleWarning
from betaroc.core.notices import warn
from betaroc.core.resampling import Cells, checked_rng, class_sizes, streams
from betaroc.core.special import share_ends
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import Result
from betaroc.decision.delta_bands import FittedTest, delta_interval, fitted_test
from betaroc.decision.epc import Epc
from betaroc.decision.sides import (
    Rechoice,
    empirical_laws,
    group_counts,
    grouped_side,
    observed_prior,
    rechoice,
    side_trials,
)
from betaroc.decision.threshold_error import ThresholdError
from betaroc.distributions.empirical import Empirical, cells_of
from betaroc.inference.groups import GroupedCounts, GroupedSide, Groups, groups_of
from betaroc.inference.rate_errors import delta_scores_interval
from betaroc.model.measures import MEASURES, OperatingPoint

__all__ = [
    "checked_replicates",
    "Band",
    "band",
    "fixed_values",
    "grouped_values",
    "measured",
    "pointwise",
]

_RESAMPLE = ("both", "test")
#: Entries, replicates times alphas, that are kept at once.
_LARGEST_TABLE = 2**28
_METHODS = ("bootstrap", "exact", "delta")

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
class Band(Result):
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
        Bootstrap replicates, or draws of the sup-t process; 0 where none were needed.
    undefined : ndarray of int, shape (k,)
        Replicates in which the measure was 0/0: they are left out.
    m : int, optional
        Dev scores, or groups of them, drawn in each replicate; None where dev is held fixed.
    groups : tuple, optional
        Number of groups of dev and of test that varied as a whole, None for a side of
        independent trials or held fixed; None where neither side has groups.
    n_beyond : ndarray, shape (k,), optional
        Scores (groups, where trials depend on each other by them) that speak for each point;
        None where it speaks of no rate of scores.

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
    groups: tuple[int | None, int | None] | None = None
    n_beyond: FloatArray | None = None


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
    groups: bool,
    rng: Any,
) -> Band:
    """The band of a curve; `Epc.band` documents it."""
    level, rng = checks.level(level), checked_rng(rng)
    checks.choice(resample, _RESAMPLE, "resample")
    checks.choice(method, _METHODS, "method")
    replicates = checked_replicates(replicates, e.alpha.size)
    simultaneous = checks.flag(simultaneous, "simultaneous")
    stratified, groups = checks.flag(stratified, "stratified"), checks.flag(groups, "groups")
    m = None if m is None else checks.count(m, "m", 2)
    fitted = fitted_test(e, groups=groups)
    _refuse_sides(e, fitted, method, resample)
    _refuse_useless_m(m, method, resample)
    if fitted is None:
        empirical_laws(e.test, "test")
    if method == "exact":
        _refuse_dependent(e, groups=groups)
        return _exact_band(
            e, level, resample=resample, simultaneous=simultaneous, stratified=stratified
        )
    again = None
    if resample == "both":
        again = rechoice(e, m, stratified=stratified, groups=groups)
    undefined = np.zeros(e.alpha.size, dtype=np.int64)
    if method == "delta":
        low, high = _delta_ends(
            e, fitted, level, again if isinstance(again, ThresholdError) else None,
            simultaneous=simultaneous, stratified=stratified, replicates=replicates,
            groups=groups, rng=rng,
        )  # fmt: skip
        replicates = replicates if simultaneous else 0
    else:
        draw = _draw_of(e, fitted, again, stratified=stratified, groups=groups)
        values = np.empty((replicates, e.alpha.size))
        for rows, stream in streams(replicates, rng):
            values[rows] = draw(stream, rows.stop - rows.start)
        ends = _sup_t(e, values, level) if simultaneous else pointwise(values, e.value, level)
        bottom, top = _range(e.measure)
        low, high = np.maximum(ends[0], bottom), np.minimum(ends[1], top)
        undefined = np.sum(np.isnan(values), axis=0)
    if fitted is None:
        _warn_of_no_width(e, low, high, groups=groups)
    return Band(
        e.alpha, e.value, low, high, level, simultaneous, resample, replicates, undefined,
        again.m if isinstance(again, Rechoice) else None,
        group_counts(e, resample, groups=groups), e.n_beyond,
    )  # fmt: skip


def _draw_of(
    e: Epc, fitted: FittedTest | None, again: Rechoice | ThresholdError | None,
    *, stratified: bool, groups: bool,
) -> Callable[[np.random.Generator, int], FloatArray]:  # fmt: skip
    """What makes a block of replicates, a row each."""
    if fitted is not None:
        return lambda rng, size: fitted.values(e, rng, size, again, stratified=stratified)
    side = grouped_side(e, "test", stratified, groups=groups)
    if again is not None:
        return lambda rng, size: _rechosen_values(e, rng, size, again, side, stratified=stratified)
    if side is None:
        return lambda rng, size: fixed_values(e, rng, size, stratified=stratified)
    cells = side.cells((side, e.chosen))
    return lambda rng, size: grouped_values(e, cells.draw(rng, size)[0])


def checked_replicates(replicates: object, alphas: int) -> int:
    """A count whose table of replicates and alphas fits into memory."""
    number = checks.count(replicates, "replicates")
    if number * alphas > _LARGEST_TABLE:
        raise InputError(
            f"replicates must be at most {_LARGEST_TABLE // alphas} for {alphas} alphas, a table of"
            f" {_LARGEST_TABLE / 2**27:g} GB; got {number}. Take fewer."
        )
    return number


def _warn_of_no_width(e: Epc, low: FloatArray, high: FloatArray, *, groups: bool) -> None:
    """Errors that never happened leave nothing to vary, which is no certainty."""
    point = e.points
    decided = ((point.far == 0.0) | (point.far == 1.0)) & ((point.frr == 0.0) | (point.frr == 1.0))
    trivial = decided & (point.far + point.frr == 1.0)
    bare = np.flatnonzero((low == high) & ~trivial)
    if bare.size:
        known = e.measure in _ONE_RATE and _dependent(e, groups=groups) is None
        exact = '; method="exact" with resample="test" has one' if known else ""
        warn(
            f"the interval has no width at {bare.size} of {e.alpha.size} alphas, first at"
            f" {float(e.alpha[bare[0]])!r}: the test scores hold no error there, which says"
            f" nothing of those to come{exact}.",
            SmallSampleWarning,
        )


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


def grouped_values(e: Epc, drawn: GroupedCounts) -> FloatArray:
    """The measure of drawn groups; nan where a class is empty."""
    values = measured(e, drawn.rejected, drawn.accepted, drawn.clients, drawn.impostors)
    values[drawn.lost] = np.nan
    return values


def _rechosen_values(
    e: Epc,
    rng: np.random.Generator,
    size: int,
    again: Rechoice | ThresholdError,
    side: GroupedSide | None,
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
    rejected, accepted = (np.zeros((size, 2 * k), dtype=np.int64) for _ in range(2))
    lost = np.zeros(size, dtype=np.bool_)
    for row in range(size):
        chosen = again.draw(rng)
        lost[row] = chosen is None
        t = Thresholds.concatenate([e.chosen, e.chosen if chosen is None else chosen])
        if side is not None:
            drawn = side.draw(rng)
            lost[row] |= drawn is None
            if drawn is not None:
                rejected[row], accepted[row] = drawn[0].counts_at_most(t), drawn[1].counts_above(t)
                sizes[0][row], sizes[1][row] = (law.total for law in drawn)
            continue
        client, impostor = (cells_of(law, t) for law in laws)
        one = sizes[0][[row]], sizes[1][[row]]
        rejected[row], accepted[row] = (x[0] for x in _errors(rng, client, impostor, *one))
    fixed = measured(e, rejected[:, :k], accepted[:, :k], *sizes)
    moved = measured(e, rejected[:, k:], accepted[:, k:], *sizes)
    # At its own optimum every departure is a loss, which endless dev scores would not have.
    share = np.where(e._stationary, -again.shrink, again.shrink)
    values = np.where(share == 1.0, moved, (1.0 - share) * fixed + share * moved)
    values[lost] = np.nan
    return values


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
    priors = shares if observed_prior(e, "test") else np.full(shares.shape, e.test.prior)
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


def _sup_t(e: Epc, values: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """estimate -+ c sd, c the quantile of the largest standardised deviation."""
    estimate = e.value
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


def _exact_band(
    e: Epc, level: float, *, resample: str, simultaneous: bool, stratified: bool
) -> Band:
    """Clopper and Pearson's interval of one binomial rate at fixed thresholds."""
    if e.measure not in _ONE_RATE or resample != "test" or simultaneous or not stratified:
        raise InputError(
            'method="exact" needs resample="test", simultaneous=False, stratified=True and a'
            f" measure that is one rate ({checks.listed(tuple(_ONE_RATE), 12)}); got"
            f" resample={resample!r}, simultaneous={simultaneous!r}, stratified={stratified!r},"
            f' measure {e.measure!r}. Take method="bootstrap".'
        )
    client, impostor = empirical_laws(e.test, "test")
    rejected = np.rint(client.counts_at_most(e.chosen)).astype(np.int64)
    accepted = np.rint(impostor.counts_above(e.chosen)).astype(np.int64)
    hits, n = _ONE_RATE[e.measure](rejected, accepted, round(client.total), round(impostor.total))
    low, high = share_ends(hits, n, 0.5 * (1.0 - level))
    nowhere = np.zeros(e.alpha.size, dtype=np.int64)
    return Band(
        e.alpha, e.value, low, high, level, False, resample, 0, nowhere, n_beyond=e.n_beyond
    )


def _delta_ends(
    e: Epc, fitted: FittedTest | None, level: float, again: ThresholdError | None,
    *, simultaneous: bool, stratified: bool, replicates: int, groups: bool, rng: Any,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Normal intervals from the errors of fits, or of the rates of scores at fixed thresholds."""
    if fitted is None:
        return delta_scores_interval(
            e, side_trials(e, "test"), level, groups=groups, observed=observed_prior(e, "test"),
            simultaneous=simultaneous, stratified=stratified, replicates=replicates, rng=rng,
        )  # fmt: skip
    return delta_interval(
        e, fitted, level, again=again, simultaneous=simultaneous, stratified=stratified,
        replicates=replicates, rng=rng,
    )  # fmt: skip


# ------------------------------------------------------------------------------- conditions
def _kind(e: Epc, name: str, fitted: FittedTest | None) -> str:
    """What a side was given as: scores, a fit whose parameters vary, or a model."""
    laws = getattr(e, name).client, getattr(e, name).impostor
    if all(isinstance(law, Empirical) for law in laws):
        return "scores"
    varies = getattr(e, f"{name}_fit") is not None if name == "dev" else fitted is not None
    return "a fit" if varies else "a model"


def _refuse_sides(e: Epc, fitted: FittedTest | None, method: str, resample: str) -> None:
    """A side that is to vary has a sampling error; the delta method needs it to be smooth."""
    names = ("dev", "test") if resample == "both" else ("test",)
    kinds = {name: _kind(e, name, fitted) for name in names}
    models = [name for name, kind in kinds.items() if kind == "a model"]
    fixed = ' or take resample="test"' if models == ["dev"] else ""
    if method == "delta" and resample == "both" and set(kinds.values()) != {"a fit"}:
        ways = [] if models else ['method="bootstrap"']
        ways += [] if "test" in models else ['resample="test"']
        take = f"Take {' or '.join(ways)}, or give" if ways else "Give"
        got = " and ".join(f"{kind} as {name}" for name, kind in kinds.items())
        raise InputError(
            'method="delta" with resample="both" needs fits on both sides: a choice among scores'
            f" has no derivative, a model no sampling error; got {got}. {take} br.fit of the"
            " scores as both sides of epc."
        )
    if models:
        law = getattr(e, models[0])
        raise InputError(
            f"{' and '.join(models)} must be scores or a fit to have a band; got a model of"
            f" {type(law.client).__name__} and {type(law.impostor).__name__} laws, which has no"
            f" sampling error. Give Scores, or br.fit of them, as {' and '.join(models)} of epc"
            f"{fixed}."
        )
    if fitted is not None and method == "exact":
        raise InputError(
            "method must be one of 'bootstrap' and 'delta' where test is a fit; got 'exact', which"
            " counts decisions. Give the scores as test of epc."
        )


def _refuse_useless_m(m: int | None, method: str, resample: str) -> None:
    if m is not None and (resample == "test" or method != "bootstrap"):
        raise InputError(
            'm is the number of dev scores drawn in each replicate and needs method="bootstrap"'
            f' and resample="both"; got m={m!r} with method={method!r}, resample={resample!r}.'
            " Leave m out."
        )


def _dependent(e: Epc, *, groups: bool) -> Groups | None:
    """The groups of test, if trials depend on each other by them."""
    found = groups_of(side_trials(e, "test")) if groups else None
    return found if found is not None and found.dependent else None


def _refuse_dependent(e: Epc, *, groups: bool) -> None:
    found = _dependent(e, groups=groups)
    if found is not None:
        raise InputError(
            'method="exact" needs independent trials; the test scores carry groups:'
            f' {found.first.size} trials hang on {found.units} groups. Take method="delta" with'
            ' resample="test", method="bootstrap", or groups=False if the trials do not depend on'
            " each other."
        )
