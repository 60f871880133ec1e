"""One score set with all that is computed of it, and what thresholds of dev do on every set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from betaroc.core.errors import (
    BetarocWarning,
    InputError,
    MisfitWarning,
    ReversedScoresWarning,
    SameDataWarning,
    SmallSampleWarning,
)
from betaroc.core.local_files import file_names
from betaroc.core.notices import passed_on, quietly, warn
from betaroc.core.options import IntervalOptions
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import Value
from betaroc.core.vocabulary import TERMS, capital
from betaroc.data.scores import ScoreData, Scores
from betaroc.data.summary import ScoreSummary
from betaroc.decision.curve_view import curve_numbers
from betaroc.decision.epc import Epc, epc
from betaroc.estimation.estimate import SMALL_SAMPLE, reversed_scores
from betaroc.estimation.families import is_of_counts
from betaroc.fits.fit import Fit
from betaroc.inference.counted_scores import CountedScores
from betaroc.inference.interval import Band
from betaroc.inference.of_scores import interval_at
from betaroc.model.measures import OperatingPoint
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model
from betaroc.model.statistics import of_point
from betaroc.rendering.numbers import counted, extreme, number, percent, visible
from betaroc.report.curve_words import Certainty, certainty_of
from betaroc.report.intervals import Measured, SetIntervals, law_intervals, with_interval
from betaroc.report.quality import Distances, Quality

#: Characters of a name in a heading.
_NAME = 24


@dataclass(frozen=True, eq=False, repr=False)
class ScoreSet(Value):
    """A score set and what was computed of it.

    Parameters
    ----------
    role : str
        "dev", "test" or, of several, "test 1", "test 2" and so on.
    name : str
        Name of the score set, as it was given.
    scores : Scores
        The data; of a summary a weighted score a bin.
    fit : Fit or None
        None for a test set that cannot be fitted; a warning says why.
    empirical : ScoreModel
        The scores themselves as a pair of distributions.
    distances : Distances or None
        Of the fit from the scores; None without a fit.
    shift : tuple of float or None
        Two-sample Kolmogorov-Smirnov distances from dev, (client, impostor); None for dev.
    intervals : SetIntervals or None
        Of the numbers of the fit and of the scores.
    quality : Quality or None
        The check of the fit, families side by side, the audit of the ends; None where it was
        not asked for.
    summary : ScoreSummary or None
        The data where they were given as a summary.
    """

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
        """What was given: the scores, or their summary."""
        return self.scores if self.summary is None else self.summary

    def extremes(self, who: str) -> tuple[float, float]:
        """The least and the largest score of a class."""
        return self.given._extremes(who)

    @property
    def has_rejected(self) -> bool:
        """Whether there are trials without a score, which count as rejected."""
        return self.given.has_rejected

    @property
    def scored(self) -> ScoreSet:
        """The trials that have a score, and their fit: for what is said of scores alone."""
        if not self.has_rejected:
            return self
        scores, fit = self.scores._scored, None if self.fit is None else self.fit._scored
        return replace(self, scores=scores, fit=fit, empirical=empirical_model(scores, self.name))

    @cached_property
    def certainty(self) -> Certainty | None:
        """What the errors of the fit let one say of its curve; None without intervals."""
        if self.intervals is None or self.fit is None:
            return None
        return certainty_of(self.fit, self.intervals.level)

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of client and of impostor scores."""
        return self.given.n_client, self.given.n_impostor


#: Score sets and what they are called.
Named: TypeAlias = Sequence[tuple[ScoreSet, str]]


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


def names_of_files(parts: Iterable[ScoreSet]) -> dict[str, str]:
    """By path what a page or a document calls the files that were read."""
    sources = (part.scores.source for part in parts)
    return file_names(source.path for source in sources if source is not None)


def unscored_words(parts: Iterable[ScoreSet]) -> str:
    """How many trials have no score, and how many of them were left out as files were read."""
    sets = [part.scores for part in parts]
    absent = sum(one.n_client_rejected + one.n_impostor_rejected for one in sets)
    dropped = sum(one.source.n_dropped for one in sets if one.source is not None)
    told = [f"{counted(absent, 'trial')} without a score"] * bool(absent)
    told += [f"{counted(dropped, 'trial')} without a score left out"] * bool(dropped)
    return "; ".join(told) or "every trial has a score"


def is_modelled(part: ScoreSet) -> bool:
    """Whether distributions were fitted, other than the scores themselves."""
    fit = part.fit
    return fit is not None and bool(
        not is_of_counts(fit.family) or fit.client.tails or fit.impostor.tails
    )


def warn_of_test(given: ScoreData) -> None:
    """What test scores alone give away: reversed classes, few scores."""
    scores = given._as_scores()
    few = [
        f"only {number(total)} {who} score{'s' * (total != 1)}, fewer than {SMALL_SAMPLE}: a rate"
        f" counted on them moves in steps of 1/{number(total)}"
        for who, total in (("client", scores.client_total), ("impostor", scores.impostor_total))
        if total < SMALL_SAMPLE
    ]
    reversed_scores(*given._distributions)
    if few:
        warn(f"{'; '.join(few)}. Give more scores.", SmallSampleWarning)


def set_names(tests: Sequence[ScoreSet]) -> list[str]:
    """Roles of the test sets, of several with the names of their files where these differ."""
    names = []
    for part in tests:
        source = part.scores.source
        of_file = source is not None and Path(source.path).name == part.name
        text = visible(Path(part.name).stem if of_file else part.name)
        names.append(text if len(text) <= _NAME else f"{text[: _NAME - 3]}...")
    if len(tests) < 2 or len(set(names)) < len(names):
        return [part.role for part in tests]
    return [f"{part.role} ({name})" for part, name in zip(tests, names, strict=True)]


def misfit_words(part: ScoreSet) -> str:
    """That the fitted distributions do not describe these scores, as the fit says; else nothing."""
    said = () if part.fit is None else part.fit.notices
    return " ".join(capital(n.message) for n in said if n.category is MisfitWarning)


def apart_words(dev: ScoreSet) -> str:
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


def of_comparisons(text: str) -> str:
    """Rates of the trials that have a score by their own names."""
    return TERMS["matching"].said(text)


# ------------------------------------------------------------------- operating points
#: Rates that stand in the tables of operating points.
RATES = ("far", "frr", "hter", "f1")
#: Rates of comparisons made, by those of trials that they are where every trial has a score.
MADE = {"fmr": "far", "fnmr": "frr"}
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
    least, found = float(dev.empirical.frr(-np.inf)), []
    for one in _CHOICES:
        aim = target(one[0])
        if aim is not None and aim[0] == "frr" and aim[1] < least:
            warn(
                f"{dev.role}: no threshold has {one[1]}: {dev.scores.n_client_rejected} clients, a"
                f" share of {number(least, 3)}, have no score and are rejected by each. This"
                " operating point is left out.",
                BetarocWarning,
            )
        else:
            found.append(one)
    return found


def observed_points(
    dev: ScoreSet, tests: tuple[ScoreSet, ...], level: float
) -> tuple[ObservedPoint, ...]:
    """Every criterion's threshold, by dev's model and by dev's scores, on every set."""
    choosers: list[tuple[str, ScoreModel, Fit | None]] = [("scores", dev.empirical, None)]
    if dev.fit is not None and is_modelled(dev):
        choosers.insert(0, ("model", dev.fit.model, dev.fit))
    met, choices = [], _choices(dev)
    for chosen_by, model, fitted in choosers:
        with quietly():  # what the points rest on stands beside them
            points = [choose(model if fitted is None else fitted) for _, _, choose in choices]
        places = Thresholds.concatenate([_threshold(point) for point in points])
        seen = [[part.empirical._point(places)[k] for part in (dev, *tests)]
                for k in range(places.size)]  # fmt: skip
        ends = [_observed(part, [row[n] for row in seen], places, level)
                for n, part in enumerate(tests, start=1)]  # fmt: skip
        # A target rate is that of those who chose, no bound.
        by = " by dev's fit" if chosen_by == "model" else " at most on dev's scores"
        for k, (key, title, _) in enumerate(choices):
            by_laws = () if fitted is None else _expected(dev, fitted, places[k], level)
            met.append(
                ObservedPoint(
                    key, f"{title}{by}" if target(key) else title, chosen_by, points[k],
                    tuple(seen[k]),
                    by_laws, tuple(part[k] for part in ends),
                    () if fitted is None else _contradictions(fitted, key, points[k]),
                )
            )  # fmt: skip
    return tuple(met)


def _expected(dev: ScoreSet, fitted: Fit, t: Thresholds, level: float) -> tuple[Measured, ...]:
    """Intervals of the rates of a fit at a threshold, those of comparisons made too."""
    found = law_intervals(fitted, t, level)
    if not dev.has_rejected:
        return found
    scored = {m.key: m for m in law_intervals(fitted._scored, t, level)}
    return (*found, *(replace(scored[of], key=key) for key, of in MADE.items()))


def _contradictions(fitted: Fit, key: str, point: OperatingPoint) -> tuple[str, ...]:
    """Counts that speak against the fit at the rates of a point."""
    aim = target(key)
    solved = {} if aim is None else {aim[0].upper(): aim[1]}
    found = map(fitted._evidence.misfit, of_point(point, solved))
    return tuple(misfit.words(_percent_and) for misfit in found if misfit is not None)


def _percent_and(share: float) -> str:
    """A rate before a count."""
    return f"{percent(share)},"


def _observed(
    part: ScoreSet, points: list[OperatingPoint], t: Thresholds, level: float
) -> list[tuple[Measured, ...]]:
    """Intervals of the rates of a test set at dev's thresholds."""
    options = IntervalOptions(level)
    keys = rates_shown([part])
    rates = [[(key, rate_at(key, part.empirical, p)) for key in keys] for p in points]
    try:
        counted = {key: CountedScores(part.given) for key in RATES}
        counted |= {key: CountedScores(part.given._scored) for key in MADE if part.has_rejected}
    except InputError as error:
        return [tuple(Measured(k, v, why=str(error)) for k, v in row) for row in rates]
    return [
        tuple(
            with_interval(key, value, partial(interval_at, counted[key], of, t[[k]], options))
            for key, value in row
            for of in [MADE.get(key, key)]
        )
        for k, row in enumerate(rates)
    ]


def marked(points: Sequence[ObservedPoint]) -> ObservedPoint:
    """The threshold that stands for the others: dev's EER, of the fit where there is one."""
    return next(met for met in points if met.key == "eer")


def target(key: str) -> tuple[str, float] | None:
    """The rate that a criterion aims at, such as ("far", 0.01)."""
    name, _, rate = key.partition("=")
    return (name, float(rate)) if name in {"far", "frr"} else None


def _threshold(point: OperatingPoint) -> Thresholds:
    """The point's threshold as it was solved, finer than a double near 1."""
    t = Thresholds.from_theta(point.threshold)
    if np.isnan(point.logit_threshold):
        return t
    solved = Thresholds.from_logit(point.logit_threshold)
    return replace(t, complement=solved.complement, logit=solved.logit)


# ------------------------------------------------------- expected performance curves
_REPLICATES = 2000
BY = {"model": "by dev's fitted distributions", "scores": "on dev's scores"}


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
    choosers: list[tuple[str, Any]] = [("scores", dev.given)]
    if dev.fit is not None and is_modelled(dev):
        choosers.insert(0, ("model", dev.fit))
    found = []
    for part in tests:
        # These were said where the set was read and fitted.
        with passed_on(but=(SameDataWarning, ReversedScoresWarning)):
            with passed_on(f"{part.role}: "):
                curves = [(chosen_by, epc(given, part.given)) for chosen_by, given in choosers]
            bands = _bands(part.role, curves, level, rng)
        for (chosen_by, curve), band in zip(curves, bands, strict=True):
            found.append(ObservedCurve(part.role, chosen_by, curve, band))
    return tuple(found)


def _bands(
    role: str, curves: Sequence[tuple[str, Epc]], level: float, rng: Any
) -> Sequence[Band | None]:
    """The interval of each curve; none of any, and a warning, where one has none."""
    bands = []
    try:
        for chosen_by, curve in curves:
            with passed_on(f"{role}, thresholds {BY[chosen_by]}: "):
                band = curve.band(level, resample="test", replicates=_REPLICATES, rng=rng)
            bands.append(band)
    except InputError as error:
        message = f"{role}: no interval around its expected performance curves. "
        warn(message + error.template, BetarocWarning)
        return [None for _ in curves]
    return bands


# -------------------------------------------------------------------------------- shown
def observed_numbers(observed: ObservedCurve) -> dict[str, Any]:
    """The curve, its band and what the loss is made of."""
    split = observed.epc.loss_split()
    return {
        "set": observed.role, "chosen_by": observed.chosen_by,
        **curve_numbers(observed.epc, observed.band),
        "loss_split": {name: part.tolist() for name, part in split._asdict().items()},
    }  # fmt: skip
