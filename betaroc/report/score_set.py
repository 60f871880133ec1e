"""Score sets, what is computed of them, and dev's thresholds on test sets.

A contradiction holds the count of errors K on test against its distribution if dev and test are
drawn alike. Given a rate p it is binomial; p varies by the error of the
fit on the scale of normal deviates or, counted k of n on dev, as Beta(k + 1/2, n - k + 1/2):

    p-value = 2 min(P(K <= observed), P(K >= observed)), at most 1
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from betaroc.core import arrays, errors, vocabulary
from betaroc.core.notices import forward_warnings, suppress_warnings, warn
from betaroc.core.options import IntervalOptions
from betaroc.core.text import sentence
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import Value
from betaroc.core.vocabulary import FAR, FRR
from betaroc.data.groups import groups_of
from betaroc.data.scores import ScoreData, Scores
from betaroc.data.summary import ScoreSummary, separation_words
from betaroc.decision.epc import Epc, epc
from betaroc.distributions.shifted import bounds_of
from betaroc.estimation.families import Names, has_shapes, in_classes, is_of_counts, named
from betaroc.fits import check, curve_words, family_choice, shape_tests
from betaroc.fits.check import Distances, FitCheck, FitStatus, GoodDownTo, TargetCheck
from betaroc.fits.fit import DistributionFit, Fit
from betaroc.fits.tail_fits import Sensitivity, reasons_to_audit, sensitivity
from betaroc.inference import of_scores
from betaroc.inference.interval import Band, Interval
from betaroc.inference.intervals import interval_of_fit
from betaroc.inference.of_scores import CountedScores, whole_weights
from betaroc.inference.scores_beyond import count_p_value, counted_rates_of, estimated_rates
from betaroc.model.measures import OperatingPoint
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model
from betaroc.model.statistics import StatisticSpec, parse_statistic, rates_of_point
from betaroc.rendering.numbers import level_words, number, percent, threshold, visible
from betaroc.rendering.tree import Cell, Node, Paragraph, quantity

# ------------------------------------------------------------------------------ intervals
#: The FAR at which the TPR stands in tables, and the names of that and of the EER's threshold.
LOW_FAR = 0.01
TPR_AT_LOW_FAR = f"tpr@far={LOW_FAR:g}"
EER_THRESHOLD = "threshold@eer"
_OF_BOTH = ("auc", "eer", EER_THRESHOLD, TPR_AT_LOW_FAR, "ks")
_OF_ENDS = ("exponent-at-zero", "exponent-at-one", "coefficient-at-zero", "coefficient-at-one")
#: Why a coefficient has no interval: there is none.
NO_POWER_LAW = "there is no such power law"


@dataclass(frozen=True, eq=False, repr=False)
class Measured(Value):
    """A number with its interval, or why it has none."""

    key: str
    estimate: float
    low: float = math.nan
    high: float = math.nan
    method: str = ""
    why: str = ""
    n_beyond: float | None = None
    extrapolated: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class SetIntervals(Value):
    """Intervals of one set."""

    level: float
    model: tuple[Measured, ...]
    scores: tuple[Measured, ...]
    client: tuple[Measured, ...]
    impostor: tuple[Measured, ...]
    groups: int | None = None
    asked: tuple[StatisticSpec, ...] = ()


def with_interval(
    key: str, estimate: float, interval: Callable[[], Interval], why: str = "", *,
    aloud: bool = False,
) -> Measured:  # fmt: skip
    """The number and its interval, or `why` not."""
    if why or not math.isfinite(estimate):
        return Measured(key, estimate, why=why or "it is no finite number")
    try:
        with forward_warnings() if aloud else suppress_warnings():
            i = interval()
    except errors.BetarocError as error:
        return Measured(key, estimate, why=str(error))
    return Measured(key, i.estimate, i.low, i.high, i.method, "", i.n_beyond, i.extrapolated)


def intervals_of(
    data: ScoreData, fit: Fit | None, empirical: ScoreModel, level: float, *,
    asked: Sequence[StatisticSpec] = (), rng: Any = 0,
) -> SetIntervals:  # fmt: skip
    """Every interval of a score set."""
    groups, options = groups_of(data), IntervalOptions(level, rng=rng)
    more = tuple(stat for stat in asked if str(stat) not in (*_OF_BOTH, *_OF_ENDS))
    of_scores = tuple(
        _measured(data, empirical, stat, options, aloud=fit is None and stat in more)
        for stat in (*map(parse_statistic, _OF_BOTH), *more)
    )
    of_fit, client, impostor = list[Measured](), tuple[Measured, ...](), tuple[Measured, ...]()
    if fit is not None:
        for stat in (*map(parse_statistic, (*_OF_BOTH, *_OF_ENDS)), *more):
            of = fit._scored if str(stat) in _OF_ENDS else fit
            of_fit.append(_measured(of, of.model, stat, options, aloud=stat in more))
        # Profile intervals where the estimates determine the likelihood, else Wald's.
        ends, why = tried(partial(fit.conf_int, level))
        if ends is None:
            ends, why = tried(partial(fit.conf_int, level, "wald"))
        client, impostor = (
            parameters_of(getattr(fit, who), ends and ends.get(who), why) for who in arrays.CLASSES
        )
    labels = None if groups is None or not groups.dependent else groups.labels
    return SetIntervals(level, tuple(of_fit), of_scores, client, impostor, labels, more)


def _measured(
    of: Fit | ScoreData, model: ScoreModel, stat: StatisticSpec, options: IntervalOptions, *,
    aloud: bool,
) -> Measured:  # fmt: skip
    key, value, why = str(stat), math.nan, ""
    lower, stat = model.lower_is_client, stat.inside(model.lower_is_client)
    find: Any = interval_of_fit if isinstance(of, Fit) else of_scores.interval_of_scores
    if not isinstance(of, Fit) and not stat.row.of_scores:
        why = "it is a number of fitted distributions, which scores by themselves do not have"
    else:
        with suppress(errors.BetarocError):
            value = stat.number(model)
    if math.isnan(value) and not why:
        why = NO_POWER_LAW if key in _OF_ENDS else stat.absence(model)
    elif key.startswith("exponent") and value in (0.0, 1.0, math.inf):
        why = "the kind of the tails or a point mass decides it, not the parameters"
    elif key in _OF_ENDS and not 0.0 < value < math.inf:
        why = "it is beyond the doubles"
    result = with_interval(key, value, partial(find, of, stat, options), why, aloud=aloud)
    return stat.outside(result, lower)


def parameters_of(
    law: DistributionFit, intervals: Mapping[str, Interval] | None, why: str = ""
) -> tuple[Measured, ...]:
    """Every parameter but an absent point mass."""
    rows = []
    for name, value in law.params.items():
        if name.startswith("at_") and value == 0.0:
            continue
        i = None if intervals is None else intervals.get(name)
        if i is None:
            rows += [Measured(name, value, why=why)] * (intervals is None)
        elif math.isinf(i.high) and (math.isinf(i.low) or i.low == 0.0):
            reason = "its interval is the whole range: the scores say nothing of it"
            rows.append(Measured(name, value, why=reason))
        else:
            none = "it has no finite standard error" if math.isnan(i.low + i.high) else ""
            rows.append(Measured(name, value, i.low, i.high, i.method, none))
    return tuple(rows)


def measured_cell(m: Measured | None, say: Callable[[float], str], text: str) -> Cell:
    """A number with its interval, if any."""
    if m is None or m.why:
        return Cell(text, "" if m is None else "no interval")
    cell = quantity(m.estimate, say, m.low, m.high, text=text)
    return replace(cell, span=f"{cell.span}, extrapolated") if m.extrapolated else cell


# ------------------------------------------------------------ whether the fit can be believed
#: Score sets simulated for a check: p-values in steps of 1/200.
CHECK_REPLICATES = 199
_NONE_GOOD = GoodDownTo(None, None)


@dataclass(frozen=True, eq=False, repr=False)
class Quality(Value):
    """What speaks for and against a fit."""

    check: FitCheck | None = None
    unchecked: str = ""
    families: family_choice.FamilyComparison | None = None
    uncompared: str = ""
    recommended: Names = ""
    audit: Sensitivity | None = None
    unaudited: str = ""
    called_for: tuple[str, ...] = ()
    level: float | None = None
    bin_error: tuple[float, float] | None = None
    targets: tuple[TargetCheck, ...] = ()
    good_down_to: GoodDownTo = _NONE_GOOD


def quality_of(
    value: ScoreData, fit: Fit | None, level: float, rng: Any, *, choose: bool = True,
    compared: family_choice.FamilyComparison | str | None = None,
) -> Quality:  # fmt: skip
    """Checks of a fit, or why there are none."""
    fitted: Any = fit
    summary = value if isinstance(value, ScoreSummary) else None
    rows = "" if summary is None else "it needs every score, which a summary does not keep"
    unfitted = "no distributions were fitted" if fit is None else ""
    copies = "" if rows or whole_weights(value) else "weights are no whole numbers of copies"
    tested, unchecked = tried(
        partial(check.check_fit, fitted, replicates=CHECK_REPLICATES, level=level, rng=rng),
        unfitted or rows or copies,
    )
    # The rates of a fit that cannot be simulated; none where weights are no counts.
    targets = () if tested is None else tested.targets
    if tested is None:
        targets = tried(partial(check.check_targets, fitted, level=level), unfitted)[0] or ()
    families: family_choice.FamilyComparison | None = None
    uncompared, best = rows, cast(Names, "")
    if not choose:
        uncompared = "a family is chosen on dev, and serves all sets"
    elif not rows:
        if isinstance(compared, family_choice.FamilyComparison):
            families = compared
        else:
            bounds = None if fit is None else bounds_of(fit.client.distribution)
            bounds = bounds and value._bounds_inside(bounds)
            comparison = partial(family_choice.compare_families, value, bounds=bounds)
            families, uncompared = tried(comparison, compared or "")
        best = "empirical" if families is None else named(families.recommended)
    shapeless = ""
    if fit is not None and not has_shapes(fit.family):
        shapeless = f"only beta fits can be; these are of {in_classes(fit.family)}"
    audit, unaudited = tried(partial(sensitivity, fitted), rows or unfitted or shapeless or copies)
    called = () if audit is None else reasons_to_audit(value._as_scores(), audit)
    of_summary = summary is not None and fit is not None
    return Quality(
        tested, unchecked, families, uncompared, best, audit, unaudited, called,
        level if of_summary else None,
        summary.rate_error if summary is not None and of_summary else None,
        targets, check.good_down_to(targets),
    )  # fmt: skip


def tried(make: Callable[[], Any], why: str = "") -> tuple[Any, str]:
    """What was made, or why not."""
    if why:
        return None, why
    try:
        with suppress_warnings():
            return make(), ""
    except errors.BetarocError as error:
        return None, str(error)


# ------------------------------------------------------------------------------- the set
@dataclass(frozen=True, eq=False, repr=False)
class ScoreSet(Value):
    """A score set and what was computed of it; `shift` is from dev."""

    role: str
    name: str
    scores: Scores
    fit: Fit | None
    empirical: ScoreModel
    distances: Distances | None
    shift: tuple[float, float] | None = None
    intervals: SetIntervals | None = None
    quality: Quality | None = None
    summary: ScoreSummary | None = None

    @property
    def given(self) -> ScoreData:
        return self.scores if self.summary is None else self.summary

    @property
    def has_rejected(self) -> bool:
        """Whether there are trials without a score."""
        return self.given.has_rejected

    @property
    def separation(self) -> str:
        """That its scores separate the classes, if so."""
        return separation_words(self.given, fitted=self.modelled is not None)

    @property
    def modelled(self) -> Fit | None:
        """The fit, unless it is of counts."""
        fit = self.fit
        if fit is None or (
            is_of_counts(fit.family) and not fit.client.tails and not fit.impostor.tails
        ):
            return None
        return fit

    @property
    def scored(self) -> ScoreSet:
        """The trials that have a score, and their fit."""
        if not self.has_rejected:
            return self
        scores, fit = self.scores._scored, None if self.fit is None else self.fit._scored
        return replace(self, scores=scores, fit=fit, empirical=empirical_model(scores, self.name))

    @cached_property
    def curve_tests(self) -> curve_words.CurveTests | None:
        """What the errors of the fit say of its curve."""
        if self.intervals is None or self.fit is None:
            return None
        return curve_words.curve_tests(self.fit, self.intervals.level)

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of client and of impostor scores."""
        return self.given.n_client, self.given.n_impostor

    @property
    def statuses(self) -> list[FitStatus]:
        """The verdicts on ROC and rates."""
        quality = self.quality
        if quality is None:
            return []
        if quality.check is not None:
            return quality.check._statuses()
        rates = check.rates_status(quality.targets, quality.good_down_to)
        if quality.bin_error is None or self.distances is None:
            roc = FitStatus("ROC", "not checked", sentence(quality.unchecked))
            return [roc, *[rates] * bool(quality.targets)]
        # Of counts by what chance and bins allow in general; a ROC is off by no more than rates.
        off, bins = self.distances.roc, max(quality.bin_error)
        noise = max(check.chance_distances(self.scored.scores, quality.level or 0.95))
        words = (
            f"the fitted ROC is {off:.4f} from the one counted (by chance {noise:.4f}, within bins"
            f" {bins:.4f} more); tolerance {check.TOLERANCE:g}. No p-values and no pictures of"
            " single scores: they need every score, which a summary does not keep."
        )
        roc = FitStatus("ROC", check.distance_verdict(off, noise, bins), words)
        return check.statuses_beside(roc, rates)


# ------------------------------------------------------------------------------- several
#: Score sets and what they are called.
NamedSets: TypeAlias = Sequence[tuple[ScoreSet, str]]
#: Characters of a name in a heading.
_NAME = 24


def set_names(tests: Sequence[ScoreSet]) -> list[str]:
    """Roles of the test sets, with the names of their files."""
    names = []
    for part in tests:
        source = part.scores.source
        of_file = source is not None and Path(source.path).name == part.name
        text = visible(Path(part.name).stem if of_file else part.name)
        names.append(text if len(text) <= _NAME else f"{text[: _NAME - 3]}...")
    if len(tests) < 2 or len(set(names)) < len(names):
        return [part.role for part in tests]
    return [f"{part.role} ({name})" for part, name in zip(tests, names, strict=True)]


def notes_by_set(sets: NamedSets, notes: Callable[[ScoreSet], list[str]]) -> list[Node]:
    """Notes on each set; what holds for all once."""
    roles: dict[str, list[str]] = {}
    for part, role in sets:
        for words in notes(part):
            roles.setdefault(words, []).append(role)
    notes_of = ("" if len(of) == len(sets) else f"{', '.join(of)}: " for of in roles.values())
    lines = (f"{role}{words}" for role, words in zip(notes_of, roles, strict=True))
    return [Paragraph(vocabulary.capital(sentence(line)), "note") for line in lines]


def without_interval(part: ScoreSet, *, ends: bool = False) -> list[str]:
    """What has no interval, and why."""
    reasons: dict[str, list[str]] = {}
    of = part.intervals
    for who in () if of is None else ("model", "scores", *arrays.CLASSES):
        for m in getattr(of, who):
            in_tables = (who, m.key) == (
                "scores",
                "ks",
            ) or m.why == NO_POWER_LAW  # the tables say so
            if m.why and not in_tables and ends == (who == "model" and m.key in _OF_ENDS):
                name = m.key.replace("-at-zero", " at the low end")
                name = name.replace("-at-one", " at the high end")
                reasons.setdefault(m.why, []).append(f"{who.replace('model', 'fitted')} {name}")
    return [f"no interval of {', '.join(names)}: {why}" for why, names in reasons.items()]


# ------------------------------------------------------------------------- what was read
#: Rates that stand in the tables of operating points.
SHOWN_RATES = ("far", "frr")
#: Rates of comparisons made, by those of trials that they are where every trial has a score.
MADE = {"fmr": "far", "fnmr": "frr"}
BY = {"model": "by dev's fitted distributions", "scores": "on dev's scores"}


# ------------------------------------------------------------------- operating points
@dataclass(frozen=True, eq=False, repr=False)
class ObservedPoint(Value):
    """A threshold of dev, its rates there and on every set."""

    key: str
    title: str
    chosen_by: str
    expected: OperatingPoint
    observed: tuple[OperatingPoint, ...]
    expected_intervals: tuple[Measured, ...] = ()
    observed_intervals: tuple[tuple[Measured, ...], ...] = ()
    contradicted_by: tuple[str, ...] = ()


_CHOICES: tuple[tuple[str, str, str, tuple[float, ...]], ...] = (
    ("eer", f"{vocabulary.EQUAL_ERROR_RATE}, {FAR} = {FRR}", "eer", ()),
    ("min-hter", f"smallest {vocabulary.HTER} (Youden, KS)", "youden", ()),
    ("min-weighted-error=0.9", f"smallest weighted error, {FAR} counts nine times",
     "min_weighted_error", (0.9,)),
    ("min-weighted-error=0.1", f"smallest weighted error, {FRR} counts nine times",
     "min_weighted_error", (0.1,)),
    ("far=0.01", f"{FAR} 1 %", "at_far", (0.01,)),
    ("far=0.001", f"{FAR} 0.1 %", "at_far", (0.001,)),
    ("frr=0.01", f"{FRR} 1 %", "at_frr", (0.01,)),
    ("max-f1", "largest F1", "max_f", ()),
)  # fmt: skip


def target(key: str) -> tuple[str, float] | None:
    """The rate that a criterion aims at."""
    name, _, rate = key.partition("=")
    return (name, float(rate)) if name in {"far", "frr"} else None


def rates_shown(parts: Sequence[ScoreSet]) -> tuple[str, ...]:
    """Rates in the tables."""
    return (*SHOWN_RATES, *MADE) if any(p.has_rejected for p in parts) else SHOWN_RATES


def rate_at(key: str, model: ScoreModel, point: OperatingPoint) -> float:
    """A rate of a point; FMR and FNMR are of scored trials."""
    if key in MADE:
        return float(getattr(model._scored._pair, MADE[key])(point.thresholds))
    return float(getattr(point, key))


def observed_points(
    dev: ScoreSet, tests: tuple[ScoreSet, ...], level: float
) -> tuple[ObservedPoint, ...]:
    """The thresholds of all criteria on every set."""
    # A target that no threshold reaches is left out, which is said.
    least = float(dev.empirical.client.cdf(-np.inf))
    rows, choices = list[ObservedPoint](), [*_CHOICES]
    for choice in _CHOICES:
        if choice[2] == "at_frr" and choice[3][0] < least:
            choices.remove(choice)
            rejected = f"{dev.scores.n_client_rejected} {vocabulary.CLIENTS}"
            warn(
                f"{dev.role}: no threshold has {choice[1]}: {rejected}, a share of"
                f" {number(least, 3)}, have no score and are {vocabulary.REJECTED} by each. This"
                " operating point is left out.",
                errors.BetarocWarning,
            )
    for fitted in filter(None, (dev.modelled, dev.empirical)):
        model = fitted if isinstance(fitted, Fit) else None
        with suppress_warnings():  # what the points rest on stands beside them
            points = [getattr(fitted, name)(*aim) for _, _, name, aim in choices]
        places = Thresholds.concatenate([point.thresholds for point in points])
        seen = [part.empirical._point(places) for part in (dev, *tests)]
        ends = [_observed(part, at, level) for part, at in zip(tests, seen[1:], strict=True)]
        # A target rate is that of those who chose, no bound.
        by = " by dev's fit" if model else " at most on dev's scores"
        for k, (key, title, *_) in enumerate(choices):
            aim, expected, against = target(key), tuple[Measured, ...](), list[str]()
            if model is not None:
                expected = _expected(dev, model, places[k], level)
                solved = {} if aim is None else {vocabulary.RATE_SLOT[aim[0]]: aim[1]}
                for misfit in map(model._evidence.misfit, rates_of_point(points[k], solved)):
                    if misfit is not None:
                        against.append(misfit.words(lambda share: f"{percent(share)},"))
            rows.append(ObservedPoint(
                key, vocabulary.Sentence(title + by * bool(aim)), "model" if model else "scores",
                points[k], tuple(at[k] for at in seen), expected, tuple(row[k] for row in ends),
                tuple(against),
            ))  # fmt: skip
    return tuple(rows)


def _expected(dev: ScoreSet, fit: Fit, t: Thresholds, level: float) -> tuple[Measured, ...]:
    options, result, rates = IntervalOptions(level), MADE if dev.has_rejected else {}, []
    for key in (*SHOWN_RATES, *result):
        of, name = (fit._scored if key in result else fit), result.get(key, key)
        value = float(getattr(of.model._point(t), name))
        why = "" if 0.0 < value < 1.0 else f"it is {number(value)} by the distributions"
        # That of accepting all is below every score.
        stat = parse_statistic(name, (), threshold=float(np.nan_to_num(t.theta)))
        if not why and not math.isclose(stat.number(of.model), value, rel_tol=1e-6):
            why = "its threshold is nearer to the end of the scale than a double can say"
        interval = partial(interval_of_fit, of, stat, options)
        rates.append(with_interval(key, value, interval, why))
    return tuple(rates)


def _observed(part: ScoreSet, points: OperatingPoint, level: float) -> list[tuple[Measured, ...]]:
    t, counts, why, rows = points.thresholds, dict[str, Any](), "", []
    keys, options = rates_shown([part]), IntervalOptions(level)
    try:
        for key in keys:
            counts[key] = CountedScores(part.given._scored if key in MADE else part.given)
    except errors.InputError as error:
        why = str(error)
    for k in range(t.size):
        row = []
        for key in keys:
            value = rate_at(key, part.empirical, points[k])
            rate = MADE.get(key, key)
            count: Any = counts.get(key)
            interval = partial(of_scores.interval_at, count, rate, t[[k]], options)
            row.append(with_interval(key, value, interval, why))
        rows.append(tuple(row))
    return rows


# ------------------------------------------------------- expected performance curves
_REPLICATES = 2000


@dataclass(frozen=True, eq=False, repr=False)
class ObservedCurve(Value):
    """HTER of a test set at dev's thresholds, with its band."""

    role: str
    chosen_by: str
    epc: Epc
    band: Band | None


def observed_curves(
    dev: ScoreSet, tests: Sequence[ScoreSet], level: float, rng: Any
) -> tuple[ObservedCurve, ...]:
    """The curves of every test set."""
    fit = dev.modelled
    choosers: list[tuple[str, Any]] = [] if fit is None else [("model", fit)]
    choosers.append(("scores", dev.given))
    rows = []
    for part in tests:
        # These were said where the set was read and fitted.
        with forward_warnings(but=(errors.SameDataWarning, errors.ReversedScoresWarning)):
            with forward_warnings(f"{part.role}: "):
                curves = [(chosen_by, epc(chooser, part.given)) for chosen_by, chooser in choosers]
            bands = list[Band | None]()
            try:
                for chosen_by, curve in curves:
                    with forward_warnings(f"{part.role}, thresholds {BY[chosen_by]}: "):
                        band = curve.band(level, resample="test", replicates=_REPLICATES, rng=rng)
                        bands.append(band)
            except errors.InputError as error:
                message = f"{part.role}: no interval around its expected performance curves. "
                warn(message + error.template, errors.BetarocWarning)
                bands = [None for _ in curves]
        rows += [ObservedCurve(part.role, *curve, band)
                 for curve, band in zip(curves, bands, strict=True)]  # fmt: skip
    return tuple(rows)


# ---------------------------------------------------------------- what contradicts dev
#: Criteria whose counts on dev are no minima, which flatter, but rates that were aimed at.
_AIMED = ("eer", "far", "frr")


class Contradiction(NamedTuple):
    """A rate expected by dev and not observed on test."""

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
    """All that stand at the joint level (Bonferroni), the worst first."""
    by = "model" if dev.modelled else "scores"
    compared = [
        row
        for met in points
        if met.chosen_by == by and (by == "model" or met.key.partition("=")[0] in _AIMED)
        for k, part in enumerate(tests, start=1)
        if whole_weights(part.scores)
        for name in SHOWN_RATES
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
    """One rate on one test set, if it can be compared."""
    at = met.expected
    expected, observed, on_dev = (
        float(getattr(point, name)) for point in (at, met.observed[k], met.observed[0])
    )
    low, high, looks = math.nan, math.nan, []
    if met.chosen_by == "model":
        ends = met.expected_intervals[SHOWN_RATES.index(name)]
        if ends.why or not 0.0 < expected < 1.0:
            return None
        low, high = ends.low, ends.high
        looks = [(expected, estimated_rates(expected, low, high, level))]
    if whole_weights(dev.scores):
        n = _size(dev, name, at.thresholds, level)
        looks.append((on_dev, counted_rates_of(on_dev * n, n)))
    if not looks:
        return None
    size = _size(part, name, at.thresholds, level)
    counted = met.observed_intervals[k - 1][SHOWN_RATES.index(name)]
    # The rate of a summary is taken as much nearer to what was expected as its bins leave open.
    off = 0.0 if part.summary is None else max(part.summary.rate_error)
    p = [
        count_p_value((observed + max(-off, min(off, near - observed))) * size, size, rates)
        for near, rates in looks
    ]
    return Contradiction(
        part.role, met.key, met.title, float(at.threshold), float(at.logit_threshold), name,
        expected, low, high, observed, counted.low, counted.high, p[0], on_dev, p[-1],
    )  # fmt: skip


def _size(part: ScoreSet, name: str, t: Thresholds, level: float) -> float:
    counted = CountedScores(part.given)
    return counted.worth(t, 0.5 * (1.0 - level))[0 if name == "frr" else 1]


def contradiction_words(
    rows: Sequence[Contradiction], names: dict[str, str], level: float
) -> list[str]:
    """A line for each test set that contradicts dev."""
    worst: dict[str, Contradiction] = {}
    for row in sorted(rows, key=lambda row: row.of_fit):
        worst.setdefault(row.role, row)
    lines = []
    for role, row in worst.items():
        rate, place = (
            vocabulary.short_name(row.rate),
            threshold(row.threshold, row.logit_threshold, 4),
        )
        by = "" if math.isnan(row.expected_low) else " by its fit"
        n = sum((other.role, other.of_fit) == (role, row.of_fit) for other in rows)
        counted = f", {percent(row.on_dev)} counted on dev" * row.of_fit
        lines.append(
            f"{names[role]} contradicts {'the fit, not dev' if row.of_fit else 'dev'}: at dev's"
            f" threshold {place} ({vocabulary.template_of(row.title).split(' (')[0]}) {rate}"
            f" {percent(row.expected)}{_ends(row.expected_low, row.expected_high)} expected{by},"
            f" {percent(row.observed)}{_ends(row.observed_low, row.observed_high)} observed"
            f"{counted} ({shape_tests.p_words(row.p_value)}; {n} such rates on {names[role]}, at"
            f" {level_words(level)} confidence for all {row.looks} comparisons together)."
        )
    return lines


def _ends(low: float, high: float) -> str:
    return "" if math.isnan(low) else f" ({percent(low).removesuffix(' %')} to {percent(high)})"
