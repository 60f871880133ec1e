"""The analysis in a few lines: dev, what its thresholds do on every test set, the curve.

First where test contradicts what dev makes one expect: rates at dev's thresholds, the worst first.
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
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import MisfitWarning
from betaroc.core.terms import TERMS
from betaroc.core.text import capital, sentence
from betaroc.core.thresholds import Thresholds
from betaroc.estimation.families import family_text
from betaroc.fits.check import FitStatus
from betaroc.fits.family_choice import FamilyComparison, tail_sentences
from betaroc.fits.fit import Fit
from betaroc.inference.counted_scores import CountedScores, whole_weights
from betaroc.model.measures import OperatingPoint
from betaroc.rendering.numbers import (
    extreme,
    level_words,
    number,
    percent,
    threshold,
    visible,
)
from betaroc.report.certainty import p_words
from betaroc.report.crossings import whole_curve_words
from betaroc.report.intervals import Measured
from betaroc.report.score_set import ObservedPoint, ScoreSet, is_modelled
from betaroc.report.verdicts import statuses_of

_NAME = 24
_RATES = ("far", "frr")
#: Criteria whose counts on dev are no minima, which flatter, but rates that were aimed at.
_AIMED = ("eer", "far", "frr")
#: Nodes of Gauss and Hermite for what varies on dev.
_NODES = 80
_OF = "of the trials that have a score,"
#: Where some trials have none.
OF_SCORED = (
    "Ends and shape are those of the curve of the trials that have a score, and rates named with"
    " them are of comparisons made."
)
CHECKED_SCORED = (
    "checks, tails and families are of the trials that have a score; rates asked are of all trials."
)


def summary_lines(
    dev: ScoreSet, tests: Sequence[ScoreSet], points: Sequence[ObservedPoint]
) -> list[str]:
    """What a reader who reads no further should know."""
    lines = [*filter(None, (_seen(dev), _apart_words(dev)))]
    if dev.fit is not None and is_modelled(dev):
        lines.append(f"By dev's fit, if its family is right: {_curve(dev)}")
        best = "" if dev.quality is None else dev.quality.recommended
        lines += [family_words(dev)] if best and best != dev.fit.family else []
    met = marked(points)
    names = set_names(tests)
    return lines + [_met(met, dev, name, k) for k, name in enumerate(names, start=1)]


def _curve(dev: ScoreSet) -> str:
    """What the curve of a fit does, where some trials have no score that of the others."""
    fit = cast(Fit, dev.scored.fit)
    whole = whole_curve_words(fit.model, dev.scored.scores, dev.scored.certainty)
    whole = f"{whole[:1].lower()}{whole[1:]}"
    return f"{_OF} {in_matching(whole)}" if dev.has_rejected else whole


def in_matching(text: str) -> str:
    """Rates of the trials that have a score by their own names."""
    return TERMS["matching"].said(text)


def family_tails(part: ScoreSet) -> list[str]:
    """What the recommended family of each class gains by a tail, on held-out scores."""
    families = None if part.quality is None else part.quality.families
    found = [] if families is None else tail_sentences(families.tails)
    return [in_matching(words) for words in found] if part.has_rejected else found


def first_lines(
    dev: ScoreSet, tests: Sequence[ScoreSet], points: Sequence[ObservedPoint], level: float
) -> list[str]:
    """What test contradicts, before anything that rests on dev."""
    names = dict(zip((part.role for part in tests), set_names(tests), strict=True))
    return contradiction_words(contradictions(dev, tests, points, level), names, level)


def alone(found: FamilyComparison) -> bool:
    """Whether one family of each class stands in the table, so that none was compared."""
    who = [row.who for row in found.rows]
    return len(who) == len(set(who))


def family_words(part: ScoreSet) -> str:
    """Whether another family than the fitted one is recommended, and why."""
    if part.quality is None or not part.quality.recommended:
        return ""
    found, best = part.quality.families, family_text(part.quality.recommended)
    fitted = family_text(part.fit.family) if part.fit is not None and is_modelled(part) else ""
    if found is None:
        why = capital(sentence(part.quality.uncompared))
        return (
            f"{part.role}: families were not compared: no distribution can be recommended on these"
            f" scores. {why}"
        )
    reason = sentence(found.reason)
    if not fitted:
        return f"{part.role}: recommended family {best}: {reason}"
    if best == fitted and alone(found):
        return f"{part.role}: {fitted}; no other family was compared."
    if best == fitted:
        # A fit that was chosen so has said why already.
        known = part.fit is not None and found.reason in part.fit.reason
        why = "." if known else f": {reason}"
        return f"{part.role}: the family fitted, {fitted}, is the recommended one{why}"
    return (
        f"{part.role}: another family is recommended, {best}; what stands here is of the one"
        f" fitted, {fitted}: {reason}"
    )


def short_verdict(part: ScoreSet) -> list[str]:
    """The verdicts alone, for the first lines."""
    found = [f"{one.of} {one.verdict}" for one in statuses(part)]
    return [f"{part.role}: fit of the {', of the '.join(found)}."] if found else []


def statuses(part: ScoreSet) -> list[FitStatus]:
    """The verdicts on a set; none where its fit was not to be checked."""
    if part.quality is None:
        return []
    return statuses_of(part.quality, part.scored.scores, part.distances)


def set_names(tests: Sequence[ScoreSet]) -> list[str]:
    """Roles of the test sets, of several with the names of their files where these differ."""
    names = [_stem(part) for part in tests]
    if len(tests) < 2 or len(set(names)) < len(names):
        return [part.role for part in tests]
    return [f"{part.role} ({name})" for part, name in zip(tests, names, strict=True)]


def _stem(part: ScoreSet) -> str:
    source = part.scores.source
    named = source is not None and Path(source.path).name == part.name
    text = visible(Path(part.name).stem if named else part.name)
    return text if len(text) <= _NAME else f"{text[: _NAME - 3]}..."


# ---------------------------------------------------------- what no score speaks for
def misfit_words(part: ScoreSet) -> str:
    """That the fitted distributions do not describe these scores, as the fit says; else nothing."""
    said = () if part.fit is None else part.fit.notices
    return " ".join(capital(n.message) for n in said if n.category is MisfitWarning)


def below_count(dev: ScoreSet, point: OperatingPoint) -> tuple[str, str, str]:
    """Of FAR, FRR and HTER of dev's fit where they are below one score: "below 1/270"."""
    n = dev.scores.impostor_total, dev.scores.client_total
    if dev.fit is not None:
        n = dev.fit._evidence.sizes[::-1]
    rates = float(point.far), float(point.frr)
    trivial = max(rates) == 1.0
    low = [rate * total < 1.0 - 1e-9 and not trivial for rate, total in zip(rates, n, strict=True)]
    far, frr = (f"below 1/{number(m)}" if is_low else "" for is_low, m in zip(low, n, strict=True))
    both = all(low) and point.hter * max(n) < 1.0 - 1e-9
    return far, frr, f"below 1/{number(max(n))}" if both else ""


def expected(dev: ScoreSet, point: OperatingPoint, *, why: bool = True) -> tuple[str, str, str]:
    """FAR, FRR and HTER of dev's distributions in per cent, said where no score speaks for them."""
    marks = below_count(dev, point)
    told = ": extrapolated, no score expected there" if why else ""
    rates = (point.far, point.frr, point.hter)
    far, frr, hter = (
        percent(float(rate)) + (f" ({mark}{told})" if mark else "")
        for rate, mark in zip(rates, marks, strict=True)
    )
    return far, frr, hter


def marked(points: Sequence[ObservedPoint]) -> ObservedPoint:
    """The threshold that stands for the others: dev's EER, of the fit where there is one."""
    return next(met for met in points if met.key == "eer")


def _seen(dev: ScoreSet) -> str:
    seen = f"AUC {number(dev.empirical.auc(), 4)} and EER {percent(dev.empirical.eer().hter)}"
    if dev.fit is None or not is_modelled(dev):
        return f"{seen} on dev's scores."
    model = dev.fit.model
    fitted = (
        f"{number(model.auc(), 4)} and {expected(dev, model.eer())[2]} by the fitted distributions"
    )
    return f"{seen} on dev's scores; {fitted}."


def _apart_words(dev: ScoreSet) -> str:
    """That no impostor scores above a client; else nothing."""
    highest, lowest = dev.extremes("impostor")[1], dev.extremes("client")[0]
    if highest >= lowest:
        return ""
    words = (
        f"Dev's scores separate the classes: no impostor lies above {extreme(highest)}, no client"
        f" below {extreme(lowest)}."
    )
    if is_modelled(dev):
        words += " Errors other than 0 at thresholds in between are those of the family fitted."
    return words


def _met(met: ObservedPoint, dev: ScoreSet, name: str, k: int) -> str:
    point, seen = met.expected, met.observed[k]
    place = threshold(point.threshold, point.logit_threshold, 4)
    by_model = met.chosen_by == "model"
    said = "expected" if by_model else "on dev"
    observed = f"{percent(seen.far)} observed", f"{percent(seen.frr)} observed"
    far, frr = expected(dev, point)[:2] if by_model else (percent(point.far), percent(point.frr))
    return (
        f"{name}: at dev's EER threshold {place}, FAR {far} {said}, {observed[0]};"
        f" FRR {frr} {said}, {observed[1]}."
    )


# ---------------------------------------------------------- where test contradicts dev
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


def contradiction_numbers(found: Sequence[Contradiction]) -> list[dict[str, object]]:
    """The same for JSON."""
    return [one._asdict() for one in found]
