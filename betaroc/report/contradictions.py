"""Where test contradicts what dev makes one expect: rates at dev's thresholds, the worst first.

The count of errors K on test is held against its distribution where dev and test are draws of the
same two distributions. Given a rate p it is binomial; p varies by the error of the fit, on the
scale of normal deviates as its interval does, or, counted k of n on dev, as Beta(k + 1/2,
n - k + 1/2):

    p-value = 2 min(P(K <= observed), P(K >= observed)), at most 1
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.thresholds import Thresholds
from betaroc.inference.counted_scores import CountedScores, whole_weights
from betaroc.rendering.numbers import level_words, percent, threshold
from betaroc.report.curve_words import p_words
from betaroc.report.intervals import Measured
from betaroc.report.score_set import ObservedPoint, ScoreSet, is_modelled, set_names

_RATES = ("far", "frr")
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
    by = "model" if is_modelled(dev) else "scores"
    looked = [
        made
        for met in points
        if met.chosen_by == by and (by == "model" or met.key.partition("=")[0] in _AIMED)
        for k, part in enumerate(tests, start=1)
        if whole_weights(part.scores)
        for name in _RATES
        if (made := _compared(met, dev, part, k, name, level)) is not None
    ]
    least = (1.0 - level) / max(len(looked), 1)
    found = [
        one._replace(of_fit=one.on_dev_p_value > least, looks=len(looked))
        for one in looked if one.p_value <= least
    ]  # fmt: skip
    return sorted(found, key=lambda one: (one.p_value, -abs(one.observed - one.expected)))


def _compared(
    met: ObservedPoint, dev: ScoreSet, part: ScoreSet, k: int, name: str, level: float
) -> Contradiction | None:
    """One rate on one test set; None where there is nothing to compare."""
    expected, observed = (float(getattr(p, name)) for p in (met.expected, met.observed[k]))
    own, on_dev = _interval(met.observed_intervals[k - 1], name), getattr(met.observed[0], name)
    low, high, looks = math.nan, math.nan, []
    if met.chosen_by == "model":
        ends = _interval(met.expected_intervals, name)
        if ends is None or ends.why or not 0.0 < expected < 1.0:
            return None
        low, high = ends.low, ends.high
        looks = [(expected, _fitted_rates(ends, level))]
    if whole_weights(dev.scores):
        n = _size(dev, name, met.expected.thresholds, level)
        looks.append((float(on_dev), _counted_rates(on_dev * n, n)))
    if not looks:
        return None
    size = _size(part, name, met.expected.thresholds, level)
    p = [_p_value(_nearer(observed, near, part) * size, size, rates) for near, rates in looks]
    bounds = (math.nan, math.nan) if own is None or own.why else (own.low, own.high)
    at = met.expected
    return Contradiction(
        part.role, met.key, met.title, float(at.threshold), float(at.logit_threshold), name,
        expected, low, high, observed, bounds[0], bounds[1], p[0], float(on_dev), p[-1],
    )  # fmt: skip


def _interval(found: Sequence[Measured], name: str) -> Measured | None:
    return next((m for m in found if m.key == name), None)


def _nearer(observed: float, expected: float, part: ScoreSet) -> float:
    """The rate of a summary by as much nearer to what was expected as its bins leave open."""
    if part.summary is None:
        return observed
    off = max(part.summary.rate_error)
    return observed + max(-off, min(off, expected - observed))


def _size(part: ScoreSet, name: str, t: Thresholds, level: float) -> float:
    """Trials of the class; of groups as many independent ones as they are worth there."""
    counted = CountedScores(part.given)
    return counted.worth(t, 0.5 * (1.0 - level))[0 if name == "frr" else 1]


# ------------------------------------------------------------------------------ p-values
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


# ------------------------------------------------------------------------------- in words
def contradiction_words(
    found: Sequence[Contradiction], names: dict[str, str], level: float
) -> list[str]:
    """A line for each test set that contradicts dev, with the worst of its rates."""
    worst: dict[str, Contradiction] = {}
    for one in sorted(found, key=lambda one: one.of_fit):
        worst.setdefault(one.role, one)
    return [_line(one, found, names[role], level) for role, one in worst.items()]


def _line(one: Contradiction, found: Sequence[Contradiction], name: str, level: float) -> str:
    rate, place = one.rate.upper(), threshold(one.threshold, one.logit_threshold, 4)
    by = "" if math.isnan(one.expected_low) else " by its fit"
    n = sum((other.role, other.of_fit) == (one.role, one.of_fit) for other in found)
    said = "the fit, not dev" if one.of_fit else "dev"
    counted = f", {percent(one.on_dev)} counted on dev" * one.of_fit
    return (
        f"{name} contradicts {said}: at dev's threshold {place} ({one.title.split(' (')[0]}) {rate}"
        f" {percent(one.expected)}{_ends(one.expected_low, one.expected_high)} expected{by},"
        f" {percent(one.observed)}{_ends(one.observed_low, one.observed_high)} observed{counted}"
        f" ({p_words(one.p_value)}; {n} such rates on {name}, at {level_words(level)} confidence"
        f" for all {one.looks} comparisons together)."
    )


def _ends(low: float, high: float) -> str:
    return "" if math.isnan(low) else f" ({percent(low).removesuffix(' %')} to {percent(high)})"


def first_lines(
    dev: ScoreSet, tests: Sequence[ScoreSet], points: Sequence[ObservedPoint], level: float
) -> list[str]:
    """What test contradicts, before anything that rests on dev."""
    names = dict(zip((part.role for part in tests), set_names(tests), strict=True))
    return contradiction_words(contradictions(dev, tests, points, level), names, level)
