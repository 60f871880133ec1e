"""What dev's thresholds do on the test sets: points, curves, and what contradicts dev.

A contradiction holds the count of errors K on test against its distribution where dev and test are
draws of the same two distributions. Given a rate p it is binomial; p varies by the error of the
fit, on the scale of normal deviates as its interval does, or, counted k of n on dev, as
Beta(k + 1/2, n - k + 1/2):

    p-value = 2 min(P(K <= observed), P(K >= observed)), at most 1
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import (
    BetarocWarning,
    InputError,
    ReversedScoresWarning,
    SameDataWarning,
)
from betaroc.core.notices import passed_on, quietly, warn
from betaroc.core.options import IntervalOptions
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import Value
from betaroc.decision.epc import Epc, epc
from betaroc.fits.fit import Fit
from betaroc.inference.interval import Band
from betaroc.inference.intervals import interval_of_fit
from betaroc.inference.of_scores import CountedScores, interval_at, whole_weights
from betaroc.model.asking import asking
from betaroc.model.measures import OperatingPoint
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import of_point
from betaroc.rendering.numbers import level_words, number, percent, threshold
from betaroc.report.score_set import Measured, ScoreSet, p_words, set_names, with_interval

#: Rates that stand in the tables of operating points.
RATES = ("far", "frr", "hter", "f1")
#: Rates of comparisons made, by those of trials that they are where every trial has a score.
MADE = {"fmr": "far", "fnmr": "frr"}
BY = {"model": "by dev's fitted distributions", "scores": "on dev's scores"}


# ------------------------------------------------------------------- operating points
@dataclass(frozen=True, eq=False, repr=False)
class ObservedPoint(Value):
    """A threshold chosen on dev, and the rates it leads to.

    Parameters
    ----------
    key : str
        Short name of the criterion, such as "eer" or "far=0.01".
    title : str
        The criterion in words.
    chosen_by : {"model", "scores"}
        Whether dev's fitted model or dev's scores chose the threshold.
    expected : OperatingPoint
        The point in the pair of distributions that chose it.
    observed : tuple of OperatingPoint
        Rates of the scores at that threshold: dev first, then every test set.
    expected_intervals : tuple of Measured
        Of "far", "frr", "hter" and "f1" at that threshold by the distributions, whose parameters
        vary; empty where the scores chose it.
    observed_intervals : tuple of tuple of Measured
        Of the observed rates, for every test set; those of dev chose the threshold, or were
        fitted, and have none.
    contradicted_by : tuple of str
        Counts of dev's scores that contradict the fitted distributions at these rates.
    """

    key: str
    title: str
    chosen_by: str
    expected: OperatingPoint
    observed: tuple[OperatingPoint, ...]
    expected_intervals: tuple[Measured, ...] = ()
    observed_intervals: tuple[tuple[Measured, ...], ...] = ()
    contradicted_by: tuple[str, ...] = ()


_Choice = Callable[[Any], OperatingPoint]
_CHOICES: tuple[tuple[str, str, _Choice], ...] = (
    ("eer", "equal error rate, FAR = FRR", lambda m: m.eer()),
    ("min-hter", "smallest HTER (Youden, KS)", lambda m: m.youden()),
    (
        "min-weighted-error=0.9",
        "smallest weighted error, FAR counts nine times",
        lambda m: m.min_weighted_error(0.9),
    ),
    (
        "min-weighted-error=0.1",
        "smallest weighted error, FRR counts nine times",
        lambda m: m.min_weighted_error(0.1),
    ),
    ("far=0.01", "FAR 1 %", lambda m: m.at_far(0.01)),
    ("far=0.001", "FAR 0.1 %", lambda m: m.at_far(0.001)),
    ("frr=0.01", "FRR 1 %", lambda m: m.at_frr(0.01)),
    ("max-f1", "largest F1", lambda m: m.max_f()),
)


def target(key: str) -> tuple[str, float] | None:
    """The rate that a criterion aims at, such as ("far", 0.01)."""
    name, _, rate = key.partition("=")
    return (name, float(rate)) if name in {"far", "frr"} else None


def marked(points: Sequence[ObservedPoint]) -> ObservedPoint:
    """The threshold that stands for the others: dev's EER, of the fit where there is one."""
    return next(met for met in points if met.key == "eer")


def rates_shown(parts: Sequence[ScoreSet]) -> tuple[str, ...]:
    """Rates in the tables: those of comparisons made too where some trials have no score."""
    far, frr, *rest = RATES
    return (far, frr, *MADE, *rest) if any(p.has_rejected for p in parts) else RATES


def rate_at(key: str, model: ScoreModel, point: OperatingPoint) -> float:
    """A rate of a point of the model; FMR and FNMR are of the trials that have a score."""
    if key in MADE:
        return float(getattr(model._scored._pair, MADE[key])(point.thresholds))
    return float(getattr(point, key))


def _choices(dev: ScoreSet) -> list[tuple[str, str, _Choice]]:
    """The criteria, without a target that no threshold reaches, which is said."""
    least, choices = float(dev.empirical.frr(-np.inf)), []
    for choice in _CHOICES:
        aim = target(choice[0])
        if aim is not None and aim[0] == "frr" and aim[1] < least:
            warn(
                f"{dev.role}: no threshold has {choice[1]}: {dev.scores.n_client_rejected} clients,"
                f" a share of {number(least, 3)}, have no score and are rejected by each. This"
                " operating point is left out.",
                BetarocWarning,
            )
        else:
            choices.append(choice)
    return choices


def observed_points(
    dev: ScoreSet, tests: tuple[ScoreSet, ...], level: float
) -> tuple[ObservedPoint, ...]:
    """Every criterion's threshold, by dev's model and by dev's scores, on every set."""
    rows, choices = list[ObservedPoint](), _choices(dev)
    for fitted in filter(None, (dev.modelled, dev.empirical)):
        model = fitted if isinstance(fitted, Fit) else None
        with quietly():  # what the points rest on stands beside them
            points = [choose(fitted) for _, _, choose in choices]
        places = Thresholds.concatenate([point.thresholds for point in points])
        seen = [part.empirical._point(places) for part in (dev, *tests)]
        ends = [_observed(part, at, level) for part, at in zip(tests, seen[1:], strict=True)]
        # A target rate is that of those who chose, no bound.
        by = " by dev's fit" if model else " at most on dev's scores"
        for k, (key, title, _) in enumerate(choices):
            rows.append(ObservedPoint(
                key, f"{title}{by}" if target(key) else title, "model" if model else "scores",
                points[k], tuple(at[k] for at in seen),
                () if model is None else _expected(dev, model, places[k], level),
                tuple(row[k] for row in ends),
                () if model is None else _contradictions(model, key, points[k]),
            ))  # fmt: skip
    return tuple(rows)


def _expected(dev: ScoreSet, fit: Fit, t: Thresholds, level: float) -> tuple[Measured, ...]:
    """Intervals of the rates of a fit at a threshold, those of comparisons made too."""
    rates = _rates_of_fit(fit, t, level)
    if not dev.has_rejected:
        return rates
    scored = {m.key: m for m in _rates_of_fit(fit._scored, t, level)}
    return (*rates, *(replace(scored[of], key=key) for key, of in MADE.items()))


def _rates_of_fit(fit: Fit, t: Thresholds, level: float) -> tuple[Measured, ...]:
    point, options, rates = fit.model._point(t), IntervalOptions(level), []
    for key in RATES:
        value = float(getattr(point, key))
        why = "" if 0.0 < value < 1.0 else f"it is {number(value)} by the distributions"
        # That of accepting all is below every score.
        stat = asking(key, (), threshold=float(np.nan_to_num(t.theta)))
        if not why and not math.isclose(stat.number(fit.model), value, rel_tol=1e-6):
            why = "its threshold is nearer to the end of the scale than a double can say"
        interval = partial(interval_of_fit, fit, stat, options)
        rates.append(with_interval(key, value, interval, why))
    return tuple(rates)


def _contradictions(fit: Fit, key: str, point: OperatingPoint) -> tuple[str, ...]:
    """Counts that speak against the fit at the rates of a point."""
    aim = target(key)
    solved = {} if aim is None else {aim[0].upper(): aim[1]}
    misfits = map(fit._evidence.misfit, of_point(point, solved))
    return tuple(
        misfit.words(lambda share: f"{percent(share)},") for misfit in misfits
        if misfit is not None
    )  # fmt: skip


def _observed(part: ScoreSet, points: OperatingPoint, level: float) -> list[tuple[Measured, ...]]:
    """Intervals of the rates of a test set at dev's thresholds."""
    options, t = IntervalOptions(level), points.thresholds
    rates = [
        [(key, rate_at(key, part.empirical, points[k])) for key in rates_shown([part])]
        for k in range(t.size)
    ]
    try:
        counted = {key: CountedScores(part.given) for key in RATES}
        counted |= {key: CountedScores(part.given._scored) for key in MADE if part.has_rejected}
    except InputError as error:
        return [tuple(Measured(key, v, why=str(error)) for key, v in row) for row in rates]
    return [
        tuple(
            with_interval(key, v, partial(interval_at, counted[key], MADE.get(key, key), t[[k]],
                                          options))
            for key, v in row
        )
        for k, row in enumerate(rates)
    ]  # fmt: skip


# ------------------------------------------------------- expected performance curves
_REPLICATES = 2000


@dataclass(frozen=True, eq=False, repr=False)
class ObservedCurve(Value):
    """HTER on a test set at the thresholds that dev chose for each weighted error.

    Parameters
    ----------
    role : str
        The test set, such as "test" or "test 2".
    chosen_by : {"model", "scores"}
        Whether dev's fitted model or dev's scores chose the thresholds.
    epc : Epc
        The curve.
    band : Band or None
        Its pointwise interval at these thresholds; None where the test scores cannot be
        resampled, as with fractional weights: a warning says why.
    """

    role: str
    chosen_by: str
    epc: Epc
    band: Band | None


def observed_curves(
    dev: ScoreSet, tests: Sequence[ScoreSet], level: float, rng: Any
) -> tuple[ObservedCurve, ...]:
    """Of every test set, by dev's model where there is one and by dev's scores."""
    fit = dev.modelled
    choosers: list[tuple[str, Any]] = [] if fit is None else [("model", fit)]
    choosers.append(("scores", dev.given))
    rows = []
    for part in tests:
        # These were said where the set was read and fitted.
        with passed_on(but=(SameDataWarning, ReversedScoresWarning)):
            curves, bands = list[tuple[str, Epc]](), list[Band | None]()
            with passed_on(f"{part.role}: "):
                for chosen_by, chooser in choosers:
                    curves.append((chosen_by, epc(chooser, part.given)))
            try:
                for chosen_by, curve in curves:
                    with passed_on(f"{part.role}, thresholds {BY[chosen_by]}: "):
                        bands.append(curve.band(
                            level, resample="test", replicates=_REPLICATES, rng=rng
                        ))  # fmt: skip
            except InputError as error:
                message = f"{part.role}: no interval around its expected performance curves. "
                warn(message + error.template, BetarocWarning)
                bands = [None for _ in curves]
        for (chosen_by, curve), band in zip(curves, bands, strict=True):
            rows.append(ObservedCurve(part.role, chosen_by, curve, band))
    return tuple(rows)


# ---------------------------------------------------------------- what contradicts dev
#: Criteria whose counts on dev are no minima, which flatter, but rates that were aimed at.
_AIMED = ("eer", "far", "frr")
#: Nodes of Gauss and Hermite for what varies on dev.
_NODES = 80


class Contradiction(NamedTuple):
    """A rate that was expected by dev and not observed on test."""

    #: Test set, criterion of the threshold, and which rate.
    role: str
    key: str
    title: str
    threshold: float
    logit_threshold: float
    rate: str
    expected: float
    expected_low: float
    expected_high: float
    observed: float
    observed_low: float
    observed_high: float
    p_value: float
    #: The rate counted on dev, and the p-value of the one observed beside it.
    on_dev: float
    on_dev_p_value: float
    #: Whether the fit alone is contradicted: counts of dev agree with test.
    of_fit: bool = False
    #: How many rates were compared.
    looks: int = 0


def contradictions(
    dev: ScoreSet, tests: Sequence[ScoreSet], points: Sequence[ObservedPoint], level: float
) -> list[Contradiction]:
    """All that stand at the level for all comparisons together (Bonferroni), the worst first.

    Expected are the rates of dev's fit, those counted on dev where nothing was fitted.
    """
    by = "model" if dev.modelled else "scores"
    compared = [
        row
        for met in points
        if met.chosen_by == by and (by == "model" or met.key.partition("=")[0] in _AIMED)
        for k, part in enumerate(tests, start=1)
        if whole_weights(part.scores)
        for name in ("far", "frr")
        if (row := _compared(met, dev, part, k, name, level)) is not None
    ]
    least = (1.0 - level) / max(len(compared), 1)
    rows = [
        row._replace(of_fit=row.on_dev_p_value > least, looks=len(compared))
        for row in compared if row.p_value <= least
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (row.p_value, -abs(row.observed - row.expected)))


def _compared(
    met: ObservedPoint, dev: ScoreSet, part: ScoreSet, k: int, name: str, level: float
) -> Contradiction | None:
    """One rate on one test set; None where there is nothing to compare."""
    at = met.expected
    expected, observed, on_dev = (
        float(getattr(point, name)) for point in (at, met.observed[k], met.observed[0])
    )
    low, high, looks = math.nan, math.nan, []
    if met.chosen_by == "model":
        ends = _interval(met.expected_intervals, name)
        if ends.why or not 0.0 < expected < 1.0:
            return None
        low, high = ends.low, ends.high
        looks = [(expected, _fitted_rates(ends, level))]
    if whole_weights(dev.scores):
        n = _size(dev, name, at.thresholds, level)
        looks.append((on_dev, _counted_rates(on_dev * n, n)))
    if not looks:
        return None
    size, counted = _size(part, name, at.thresholds, level), _interval(
        met.observed_intervals[k - 1], name
    )  # fmt: skip
    # The rate of a summary is taken as much nearer to what was expected as its bins leave open.
    off = 0.0 if part.summary is None else max(part.summary.rate_error)
    p = [
        _p_value((observed + max(-off, min(off, near - observed))) * size, size, rates)
        for near, rates in looks
    ]
    return Contradiction(
        part.role, met.key, met.title, float(at.threshold), float(at.logit_threshold), name,
        expected, low, high, observed, counted.low, counted.high, p[0], on_dev, p[-1],
    )  # fmt: skip


def _interval(rates: Sequence[Measured], name: str) -> Measured:
    missing = Measured(name, math.nan, why="there is none")
    return next((m for m in rates if m.key == name), missing)


def _size(part: ScoreSet, name: str, t: Thresholds, level: float) -> float:
    """Trials of the class; of groups as many independent ones as they are worth there."""
    counted = CountedScores(part.given)
    return counted.worth(t, 0.5 * (1.0 - level))[0 if name == "frr" else 1]


@cache
def _nodes() -> tuple[FloatArray, FloatArray]:
    """Normal deviates and their weights."""
    x, w = np.polynomial.hermite_e.hermegauss(_NODES)
    return x, w / w.sum()


def _fitted_rates(ends: Measured, level: float) -> FloatArray:
    """Rates of the fit as they vary, at the nodes."""
    from scipy.special import ndtr, ndtri

    low, high = float(ndtri(ends.low)), float(ndtri(ends.high))
    error = (high - low) / (2.0 * float(ndtri(0.5 * (1.0 + level))))
    return np.asarray(ndtr(float(ndtri(ends.estimate)) + error * _nodes()[0]))


def _counted_rates(count: float, n: float) -> FloatArray:
    """Rates of which so many of n were counted, at the nodes."""
    from scipy.special import betaincinv, ndtr

    return np.asarray(betaincinv(count + 0.5, n - count + 0.5, ndtr(_nodes()[0])))


def _p_value(count: float, n: float, rates: FloatArray) -> float:
    from scipy.special import betainc, betaincc

    weights = _nodes()[1]
    more = float(weights @ betainc(count, n - count + 1.0, rates)) if count > 0.0 else 1.0
    fewer = float(weights @ betaincc(count + 1.0, n - count, rates)) if count < n else 1.0
    return min(2.0 * min(more, fewer), 1.0)


def contradiction_words(
    rows: Sequence[Contradiction], names: dict[str, str], level: float
) -> list[str]:
    """A line for each test set that contradicts dev, with the worst of its rates."""
    worst: dict[str, Contradiction] = {}
    for row in sorted(rows, key=lambda row: row.of_fit):
        worst.setdefault(row.role, row)
    lines = []
    for role, row in worst.items():
        rate, place = row.rate.upper(), threshold(row.threshold, row.logit_threshold, 4)
        by = "" if math.isnan(row.expected_low) else " by its fit"
        n = sum((other.role, other.of_fit) == (role, row.of_fit) for other in rows)
        counted = f", {percent(row.on_dev)} counted on dev" * row.of_fit
        lines.append(
            f"{names[role]} contradicts {'the fit, not dev' if row.of_fit else 'dev'}: at dev's"
            f" threshold {place} ({row.title.split(' (')[0]}) {rate}"
            f" {percent(row.expected)}{_ends(row.expected_low, row.expected_high)} expected{by},"
            f" {percent(row.observed)}{_ends(row.observed_low, row.observed_high)} observed"
            f"{counted} ({p_words(row.p_value)}; {n} such rates on {names[role]}, at"
            f" {level_words(level)} confidence for all {row.looks} comparisons together)."
        )
    return lines


def _ends(low: float, high: float) -> str:
    return "" if math.isnan(low) else f" ({percent(low).removesuffix(' %')} to {percent(high)})"


def first_lines(
    dev: ScoreSet, tests: Sequence[ScoreSet], points: Sequence[ObservedPoint], level: float
) -> list[str]:
    """What test contradicts, before anything that rests on dev."""
    names = dict(zip((part.role for part in tests), set_names(tests), strict=True))
    return contradiction_words(contradictions(dev, tests, points, level), names, level)
