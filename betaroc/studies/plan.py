"""Numbers of scores that a statement needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias, Unpack

import numpy as np

from betaroc.core import checks, vocabulary
from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import (
    ExtrapolationWarning,
    InputError,
    InputTypeError,
    SmallSampleWarning,
    refusal,
)
from betaroc.core.notices import collect_warnings, suppress_warnings, warn
from betaroc.core.options import POWER, IntervalOptions
from betaroc.core.special import least_whole, share_ends
from betaroc.core.tables import Framed
from betaroc.core.text import typed
from betaroc.core.thresholds import Coordinate, Thresholds
from betaroc.core.vocabulary import CLIENT, FAR, FRR, IMPOSTOR, RATE_NAMES
from betaroc.data.scores import Scores
from betaroc.decision.forecast import epc_forecast
from betaroc.decision.threshold_methods import (
    checked_request,
    fewest_of_order,
    needed_for_guarantee,
)
from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import has_shape
from betaroc.distributions.inflated import MASSES, base_of
from betaroc.distributions.normal import has_spread
from betaroc.distributions.spliced import Spliced
from betaroc.estimation.families import named, planned_family
from betaroc.estimation.tails import FEWEST, SIZES, TailScores, fit_tails
from betaroc.fits.fit import DistributionFit, Fit
from betaroc.fits.shape_tests import FittedEnds, quadrant_shares
from betaroc.inference.delta import (
    METHODS,
    PerturbedModels,
    bare_interval,
    delta,
    models_near,
    student,
)
from betaroc.inference.interval import Interval, Limits, difference_ends
from betaroc.inference.intervals import (
    BOTH,
    is_of_scores,
    surely_beyond,
    tail_rate_ends,
    tail_threshold_ends,
)
from betaroc.inference.of_scores import bare_interval_of_scores, methods_of
from betaroc.inference.scores_beyond import SHOW, about, needed
from betaroc.inference.strata import MOST_STRATA, POOLED, WORST, checked_weights, mean_share
from betaroc.model.criteria import CRITERIA
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import STATISTICS, StatisticArguments, StatisticSpec, parse_statistic
from betaroc.rendering.nouns import Exportable
from betaroc.rendering.numbers import spaced
from betaroc.rendering.tree import Node, Paragraph, Section, apart
from betaroc.rendering.tree_text import text_of

#: Client and impostor scores.
Sizes = tuple[int, int]
#: What a plan takes as true: a pair, that of a fit, or those of two systems.
PlannedModel: TypeAlias = ScoreModel | Fit | Sequence[ScoreModel | Fit]
#: Ends by the name of their statistic, and classes by that of their shape.
SIDES = dict(zip(("side-at-zero", "side-at-one"), MASSES, strict=True))
_SHAPES = {"client-shape": CLASSES[:1], "impostor-shape": CLASSES[1:], "shapes": CLASSES}
_GAP, _GUARANTEE, _CLAIM = "epc-gap", "guarantee", "claim"
#: What takes its point as another statistic does.
_POINT_OF = {_GAP: ("weighted-error", ("alpha",)), _GUARANTEE: ("threshold", RATE_NAMES)}
#: What decides a side or a shape.
_TESTS = dict.fromkeys(SIDES, "end test") | dict.fromkeys(_SHAPES, "fitted shape")
#: What each kind of goal is planned by.
_USED = {
    "width": ("width",), "chance": ("power",), _GAP: ("width", "measure", "thresholds"),
    "difference": ("width", "power", "correlation"), _GUARANTEE: ("strata",),
    "strata": ("width", "strata", "over"), _CLAIM: ("at_most", "power", "strata"),
}  # fmt: skip
_METHODS = "delta", "delong", "tail"
_CHOICES = {"measure": ("hter", "weighted-error"), "thresholds": ("smooth", "empirical")}
_LEVEL = 0.95
#: Below this the expansions have been seen to be good, but no more than that.
_FEW = 30
#: Fractions nearer than this to 0 or 1 have no error to speak of.
_LOST = 1e-12
#: Scores of the smaller class, a variance needs two; where the search begins; and at most.
_LEAST, _START, MOST_SCORES = 2, 200, 10**9
#: Scores of a class of which an interval is counted.
_COUNTED = 5000
#: Longest step of the search, as a logarithm.
_FAR = math.log(64.0)
#: The class, and the end of it, that a rate speaks of.
_TAIL_OF = {"far": (1, "upper"), "tnr": (1, "upper"), "frr": (0, "lower"), "tpr": (0, "lower")}
#: What a rate leaves, which is small where it is near 1.
_COMPLEMENT = {"tnr": "far", "tpr": "frr"}
#: Scores at the end that a tail is fitted to, with those that its joint needs, and their draws.
_KEPT, _DRAWS = 2 * max(SIZES) + 2, 16
#: Drawn counts of strata, over which the width of the interval of the worst is averaged.
_COUNTS = 5000


# ------------------------------------------------------------------------------- the answer
@dataclass(frozen=True, eq=False, repr=False)
class SampleSize(Framed, Exportable):
    """Scores that a wanted statement needs, made by :func:`plan_sample_size`.

    Parameters
    ----------
    stat, at : str
        What is planned, and where, such as "far=0.01".
    n_client, n_impostor : int
        Scores of each class. For "epc-gap" of dev, and as many of test.
    wanted : float
        The width, or the chance, asked for; of a guarantee the rate.
    level, ratio, measure, correlation, at_most, strata : optional
        As in :func:`plan_sample_size`; nan or empty where not used.
    method : str
        A method, a test, "smooth" or "empirical" thresholds, "claim" or "worst stratum".
    model : ScoreModel or tuple of ScoreModel
        The distributions, taken as true; none of a guarantee.
    estimate : float
        The statistic of the distributions; the exponent of a side, nan of shapes.
    width, power : float
        Mean full width, or chance to be right; nan of the other.
    n_beyond, n_needed : float, optional
        Planned scores beyond the rate that the number rests on, and 3/rate, which would support
        it; None without such a rate.
    needed_of : str
        The class of that rate.
    terms : str
        The field in whose words it is shown, which no document holds.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
    >>> size = br.plan_sample_size("auc", model=model, width=0.05)
    >>> size.n_client, round(size.width, 4)
    (279, 0.0499)
    """

    stat: str
    at: str
    n_client: int
    n_impostor: int
    wanted: float
    level: float
    ratio: float
    method: str
    model: ScoreModel | tuple[ScoreModel, ...]
    estimate: float = math.nan
    width: float = math.nan
    power: float = math.nan
    measure: str = ""
    n_beyond: float | None = None
    n_needed: float | None = None
    needed_of: str = ""
    correlation: float = math.nan
    strata: int = 1
    at_most: float = math.nan
    terms: str = field(default=vocabulary.BIOMETRIC, compare=False, repr=False)

    @property
    def extrapolated(self) -> bool:
        """Whether less than one planned score is expected beyond the number."""
        return self.n_beyond is not None and self.n_beyond < 1.0

    def summary(self) -> str:
        """Return the answer in words, with what it rests on.

        Examples
        --------
        >>> import betaroc as br
        >>> model = br.ScoreModel(br.Beta(2.0, 1.0), br.Beta(1.2, 2.0))
        >>> br.plan_sample_size("side-at-zero", model=model).summary().splitlines()[0]
        'side-at-zero: 112 client and 112 impostor scores'
        """
        return text_of([Section("", tuple(Paragraph(self._say(line)) for line in self._lines()))])

    def _view(self) -> Sequence[Node]:
        each = ", of each system" * (self.stat != _GUARANTEE and isinstance(self.model, tuple))
        collect = Paragraph(f"Collect {self._sizes(spaced)}{each}")
        return [*apart(collect), Section("", tuple(map(Paragraph, self._lines())))]

    def _sizes(self, write: Callable[[int], str] = str) -> str:
        classes = (self.n_client, CLIENT), (self.n_impostor, IMPOSTOR)
        sizes = " and ".join(f"{write(n)} {who}" for n, who in classes if n) + " scores"
        if self.strata > 1:
            n = max(*classes)[0] if self.stat == _GUARANTEE else classes[_TAIL_OF[self.stat][0]][0]
            sizes += f", {write(n // self.strata)} of each of {self.strata} strata"
        return sizes + " of dev and as many of test" * bool(self.measure)

    def _lines(self) -> list[str]:
        models = self.model if isinstance(self.model, tuple) else (self.model,)
        planned, sizes = f"{self.stat}@{self.at}" if self.at else self.stat, self._sizes()
        chance = f"with probability {self.power:.4g} (wanted {self.wanted:g})"
        how, of_interval = f" by {self.method}", ""
        if self.stat == _GUARANTEE:
            each = " for each stratum" * (self.strata > 1)
            sure = f"true rate at most {self.wanted:g}{each} with confidence {self.level:g}"
            return [f"{planned}: {sizes}", f"{sure}, whatever the distributions are"]
        if self.stat == _GAP:
            planned, how = f"{planned}, {self.measure}, {self.method} thresholds", ""
        elif len(models) > 1:
            planned = f"difference of two systems in {planned}, first less second:"
            planned += f" {self.estimate:.4g}"
            sizes += f" of each system, errors of correlation {self.correlation:.3g}"
            of_interval = " interval"
        elif self.method not in _TESTS.values():
            planned += f" = {self.estimate:.4g}"
        if self.method == _CLAIM:
            reached = f"shown to be at most {self.at_most:g} {chance} by bounds of confidence"
            reached += f" {self.level:g}"
        elif math.isnan(self.power):
            reached = f"{100 * self.level:g} % interval {self.width:.4g} wide on average"
            reached += f" (wanted {self.wanted:g}){how}"
        else:
            level = f" at level {self.level:g}" if of_interval or self.stat in SIDES else ""
            reached = f"found {chance} by the {self.method}{of_interval}{level}"
        lines = [f"{planned}: {sizes}", reached]
        if self.extrapolated:
            lines.append(
                f"extrapolated: {self.n_beyond:.2g} {vocabulary.CLASS_SLOTS[self.needed_of][0]}"
                " scores expected beyond it, so the plan rests on the family; about"
                f" {about(self.n_needed or math.inf)} would speak for it (3/rate)"
            )
        laws = " and ".join(f"{law_words(m.client)} v {law_words(m.impostor)}" for m in models)
        return [*lines, f"taken as true: {laws}"]

    def __str__(self) -> str:
        return self.summary()


def law_words(law: Distribution) -> str:
    """A distribution with its parameters to four digits."""
    numbers = ", ".join(f"{p.name}={p.value:.4g}" for p in law._parameters())
    return f"{type(law).__name__}({numbers})" if numbers else checks.format_value(law)


@collect_warnings
def plan_sample_size(
    stat: str | Callable[[ScoreModel], float],
    *given: Any,
    model: PlannedModel = (),
    width: float | None = None,
    level: float = _LEVEL,
    ratio: float = 1.0,
    power: float | None = None,
    method: str = "delta",
    measure: str | None = None,
    thresholds: str | None = None,
    correlation: float | None = None,
    strata: int | None = None,
    over: str | Mapping[str, float] | None = None,
    at_most: float | None = None,
    terms: str = vocabulary.BIOMETRIC,
    **point: Unpack[StatisticArguments],
) -> SampleSize:
    """Compute the fewest scores for an interval of the wanted width, or for a right verdict.

        beta:   Cov(a, b) = I^-1/n,  I = diag(psi'(a), psi'(b)) - psi'(a + b)
        normal: Var mu = sigma^2/n,  Var log sigma = 1/(2 n)
        mean width = mean over 2 d fits, sqrt(d) errors away along the roots of Cov, of the width
        DeLong:  E Var A = x/m + y/n + 2 (A (1 - A) - x - y)/(m n),  x = Var F_i(C), y = Var F_c(I)

    Parameters
    ----------
    stat : str or callable
        A name of :func:`statistics`, with its point by a keyword or behind "@", or a function of a
        `ScoreModel`: planned by the width of its interval, as is "epc-gap", the value of an EPC on
        test less that expected on dev. "side-at-zero", "side-at-one": by the chance that
        `Fit.end_tests` finds the side. "client-shape", "impostor-shape", "shapes": by the chance
        that the fitted `Shape` is the true one. "guarantee": scores from which :func:`decide`
        guarantees a threshold of ``far=`` or ``frr=``, without a model.
    model : ScoreModel, Fit, or two of them
        The distributions, taken as true. Two: the difference of two systems.
    width : float
        Full width wanted, in the statistic's own unit.
    level : float
        Of the interval or of the test of an end; shapes have none.
    ratio : float
        Impostor scores per client score. The number found is that of the smaller class; the other
        is rounded up.
    power : float
        Chance wanted of a side or a shape, 0.8 by default; of a difference, in place of a width,
        the chance that its interval leaves out 0.
    method : str
        "delta": the interval of a fit; where the model is a fit, at least as wide as that of its
        scores ("family and scores"), if they answer without draws. "delong", of "auc", needs no
        family. "tail", of a rate at a threshold or the reverse: the interval of a fit with tails,
        or of the count where no tail answers.
    measure : str
        Of "epc-gap": "hter" (if left out) or "weighted-error".
    thresholds : str
        Of "epc-gap": dev's thresholds and expected values are those of a fit ("smooth", if left
        out) or of the scores ("empirical"). Test is scores.
    correlation : float
        Of the errors of both numbers of a difference, 0 if left out; pilot trials have it in
        `Difference.correlation`.
    strata : int
        Strata of the class of a rate at a threshold, or of a guarantee: each has as many scores,
        and the rate of the model.
    over : {"worst", "pooled"} or mapping
        As in :func:`interval`: the worst stratum (if left out), or the mean of as many by weights.
    at_most : float
        In place of a width: the largest FAR or FRR at a threshold claimed for each stratum,
        planned by the chance (`power`) that `StrataTable.claim` supports it.
    terms : str
        Words of its text, as in :meth:`betaroc.Roc.plot`.
    threshold, far, frr, tpr, alpha, between, at, probability, log_odds : optional
    prior, cost_fa, cost_fr : optional
        Where the statistic is taken, as in `Fit.interval`; of "epc-gap" ``alpha=``.

    Returns
    -------
    SampleSize

    Raises
    ------
    InputError, InputTypeError
        If `stat` is unknown, an option is missing, out of range or not used, the statistic is nan
        or has no derivative, a distribution has no Fisher information, no size decides (an exponent
        of 1, a shape on a border), or a class would need more than 1e9 scores.

    Warns
    -----
    SmallSampleWarning
        If a class needs fewer than 30 scores.
    ExtrapolationWarning
        If less than one planned score is expected beyond a rate of the statistic.

    Notes
    -----
    The side of two normal distributions has the exact power of an F test; of beta distributions z
    is taken as normal. Of a shape log a and log b are normal with the bias of maximum likelihood
    and covariance I^-1/(n a b).

    An EPC gap at the threshold of least weighted error t, with weights w of the measure, to first
    order:

        Var(gap) = D + P,   D = sum w^2 rate (1 - rate)/n of test at t
        P = the same of dev (empirical), or the delta variance of the fitted rates at t (smooth)

    Simulated widths and chances agree within 5 %, those from a fit within 11 %.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988).

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
    >>> size = br.plan_sample_size("tpr", far=0.1, model=model, width=0.1, ratio=2)
    >>> size.n_client, size.n_impostor
    (379, 758)
    """
    systems = model if isinstance(model, tuple | list) else (model,)
    plan = plan_when_read(
        len(systems), lambda: systems, stat, given, point, level=level, ratio=ratio, method=method,
        width=width, power=power, measure=measure, thresholds=thresholds, correlation=correlation,
        strata=strata, over=over, at_most=at_most,
    )  # fmt: skip
    return replace(plan, terms=checks.terms_of(terms).name)


def plan_when_read(
    count: int, read: Callable[[], Sequence[Any]], stat: Any, given: tuple[Any, ...] = (),
    point: Any = None, *, level: float = _LEVEL, ratio: Any = 1.0, method: str = "delta",
    **options: Any,
) -> SampleSize:  # fmt: skip
    """As `plan_sample_size`; what needs no model is refused before scores are read."""
    name, spec = _asked(stat, given, point or {})
    kind = _kind_of(name, spec, count, options)
    asked = _checked_options(name, kind, count, method, options)
    strata, weights = strata_and_weights(asked)
    interval = IntervalOptions(level, groups=False)
    if kind == _GUARANTEE:
        return planned_guarantee(spec, interval.level, strata)
    by_chance = kind in ("chance", _CLAIM) or "power" in asked
    if by_chance:
        wanted = _power(name, kind, interval, asked.get("power", POWER))
    else:
        wanted = checks.positive(asked["width"], "width")
    share, measure, correlation = _ratio(ratio), "", math.nan
    if kind == _GAP:
        measure, method = asked.get("measure", "hter"), asked.get("thresholds", "smooth")
    if kind == "difference":
        correlation = asked.get("correlation", 0.0)
    systems = read()
    models = tuple(map(_model_of, systems))
    if kind == _CLAIM:
        return planned_claim(spec, models[0], interval.level, strata, asked, wanted, share)
    if kind == "strata":
        method = "worst stratum" if weights is None else "mean of strata"
    elif method == METHODS[0] and spec is not None and all(isinstance(s, Fit) for s in systems):
        own = is_of_scores(spec) and methods_of(spec)[0] not in ("smoothed", "bootstrap")
        method = BOTH if own else f"{METHODS[0]}, if the family is right"
    interval = replace(interval, method=method)
    if not by_chance:
        _check_wide(name, spec, wanted, models[0])
    if kind == "strata":
        goal = strata_width(spec, models[0], interval, strata, weights)
    elif kind == "difference":
        goal = difference_goal(spec, models, interval, correlation, by_chance=by_chance)
    else:
        goal = goal_of_pair(name, spec, models[0], interval, measure)
    sizes, reached = fewest_scores(goal, wanted, share)
    plan = SampleSize(
        name, "" if spec is None else str(spec.where)[1:], *sizes, wanted, interval.level, share,
        _TESTS.get(name, method), models[0] if len(models) == 1 else models, goal.estimate,
        math.nan if by_chance else reached, reached if by_chance else math.nan,
        measure, correlation=correlation, strata=strata,
    )  # fmt: skip
    if not goal.exact and min(sizes) < _FEW:
        warn(
            f"{name}: {sizes[0]} {CLIENT} and {sizes[1]} {IMPOSTOR} scores; the expansions behind a"
            f" plan are good from {_FEW} scores of a class on. Simulate, or take more.",
            SmallSampleWarning,
        )
    return plan if spec is None else _supported(plan, spec, models)


def _kind_of(name: str, spec: Any, count: int, options: dict[str, Any]) -> str:
    if options.get("over") == POOLED:  # of the mixture, whatever its strata are
        options |= {"over": None, "strata": None}
    if spec is None or name in _POINT_OF:
        return name if spec else "chance"
    if count == 2:
        return "difference"
    if options.get("at_most") is not None:
        return _CLAIM
    return "width" if options.get("over") is options.get("strata") is None else "strata"


def goal_of_pair(
    name: str, spec: Any, model: ScoreModel, options: IntervalOptions, measure: str
) -> Goal:
    """The goal of one pair without strata."""
    if name in SIDES:
        return side_chance(name, model, options)
    if name in _SHAPES:
        return shape_chance(_SHAPES[name], model)
    if name == _GAP:
        return gap_width(model, spec.where.value, options, measure)
    width = {"delong": area_width, "tail": tail_width}.get(str(options.method), stat_width)
    return width(spec, model, options)


def planned_guarantee(spec: StatisticSpec, level: float, strata: int) -> SampleSize:
    """The fewest scores from which `decide` guarantees a rate for each stratum."""
    target = checked_request(**spec.where.keywords, confidence=level)
    n = strata * needed_for_guarantee(target.rate, level)
    if n > MOST_SCORES:
        rule = "be one that 1e9 scores of a class can guarantee"
        raise refusal(target.kind, rule, repr(target.rate), "Plan for a larger rate.")
    sizes = (0, n) if target.kind == "far" else (n, 0)
    return SampleSize(
        _GUARANTEE, f"{target.kind}={target.rate!r}", *sizes, target.rate, level, 1.0,
        "guaranteed", (), target.rate, strata=strata,
    )  # fmt: skip


def planned_claim(
    spec: StatisticSpec, model: ScoreModel, level: float, strata: int, asked: dict[str, Any],
    wanted: float, ratio: float,
) -> SampleSize:  # fmt: skip
    """The fewest scores from which `StrataTable.claim` supports a rate of each stratum."""
    from scipy.stats import binom

    rate, (who, _) = _error_rate(spec, model, "at_most")
    claimed = checks.fraction(asked["at_most"], "at_most")
    if spec.name in _COMPLEMENT or not rate < claimed < 1.0:
        rule = f"be above the rate of the model, {rate:.4g}, and below 1"
        raise refusal("at_most", rule, f"{claimed!r} for {str(spec)!r}", "Plan another rate.")

    def reached(errors: int) -> tuple[int, float]:
        """The fewest scores of which so many errors keep the claim."""
        n = fewest_of_order(errors + 1, claimed, level)
        return strata * n, float(binom.cdf(errors, n, rate)) ** strata

    most = int(claimed * MOST_SCORES / strata)
    if reached(most)[1] < wanted:
        raise refusal("at_most", "be shown by 1e9 scores of a class", repr(claimed), "Claim less.")
    n, power = reached(least_whole(lambda errors: reached(errors)[1] >= wanted, -1, most))
    other = math.ceil(round(n / ratio if who else n * ratio, 6))
    return SampleSize(
        spec.name, str(spec.where)[1:], *((other, n) if who else (n, other)), wanted, level, ratio,
        _CLAIM, model, rate, power=power, strata=strata, at_most=claimed,
    )  # fmt: skip


def _supported(plan: SampleSize, spec: StatisticSpec, models: tuple[ScoreModel, ...]) -> SampleSize:
    """With the planned scores that support the number; it warns where none would."""
    sizes = {FRR: plan.n_client, FAR: plan.n_impostor}
    rates = [rate for m in models for rate in spec.rates(m) if not np.isnan(rate.tail)]
    if not rates:
        return plan
    least = min(rates, key=lambda rate: sizes[rate.name] * float(rate.tail))
    tail, who = float(least.tail), ("client", "impostor")[least.who]
    beyond = sizes[least.name] * tail
    if beyond < 1.0 and plan.method != _CHOICES["thresholds"][1]:
        warn(
            f"{plan.stat}: of the {sizes[least.name]} {vocabulary.CLASS_SLOTS[who][0]} scores"
            f" planned {beyond:.2g} are expected beyond {least.name} {float(least.rate):.4g}: no"
            " score would speak for the number, its width is that of distributions taken as true."
            f" About {needed(tail)} scores would (3/rate). Plan with as many or a larger rate.",
            ExtrapolationWarning,
        )
    return replace(plan, n_beyond=beyond, n_needed=SHOW / tail, needed_of=who)


# ---------------------------------------------------------------------------------- checks
def _asked(stat: Any, value: tuple[Any, ...], point: Any) -> tuple[str, Any]:
    """The name of what is planned, and its statistic if any."""
    if not isinstance(stat, str):
        spec = parse_statistic(stat, value, **point)
        return f"{spec.name}(model)", spec
    base, at, behind = stat.partition("@")
    hint = "br.statistics() lists numbers, the text of plan_sample_size the rest."
    name = checks.choice(base, (*STATISTICS, *_TESTS, *_POINT_OF), "stat", hint)
    if name in STATISTICS:
        return name, parse_statistic(stat, value, **point)
    values = map(checks.format_value, (*value, *point.values()))
    got = ", ".join([behind] * bool(at) + [*values]) or "none"
    if name in _POINT_OF:
        base, rates = _POINT_OF[name]
        if not {behind.partition("=")[0], *point}.intersection(rates):
            raise InputError(f"{name!r} needs a point, such as {name}@{rates[0]}=0.01; got {got}.")
        spec = parse_statistic(f"{base}{at}{behind}", value, **point)
        return name, StatisticSpec(name, spec.row, spec.where)
    if got != "none":
        raise InputError(f"{name!r} is taken at no point; got {got}. Leave it out.")
    return name, None


def _power(name: str, kind: str, options: IntervalOptions, power: Any) -> float:
    """The chance wanted, above what a test of that level finds where there is nothing."""
    if name in _SHAPES and options.level != _LEVEL:
        raise refusal("level", f"be left out for {name!r}", repr(options.level), "Leave it out.")
    floor = options.tail if kind == "difference" or name in SIDES else 0.0
    must = f"be a probability strictly between {floor:.4g} and 1"
    wanted = checks.fraction(power, "power", must)
    if not floor < wanted < 1.0:
        raise refusal("power", must, repr(power), "Give a fraction, such as 0.8.")
    return wanted


def _checked_options(
    name: str, kind: str, count: int, method: str, options: Mapping[str, Any]
) -> dict[str, Any]:
    fitting = {"difference": 2, _GUARANTEE: 0}.get(kind, 1)
    if count != fitting:
        rule = f"be {('left out', 'one')[fitting]} for {name!r}"
        raise refusal("model", rule, str(count), "A difference takes two.")
    used = _USED[kind]
    present = {option: value for option, value in options.items() if value is not None}
    for option, words in _CHOICES.items():
        if option in present and option in used:
            present[option] = checks.choice(present[option], words, option)
    if "correlation" in present and "correlation" in used:
        present["correlation"] = checks.finite(present["correlation"], "correlation")
        if not -1.0 <= present["correlation"] <= 1.0:
            raise refusal("correlation", "lie in [-1, 1]", repr(present["correlation"]))
    for option, value in present.items():
        if option not in used:
            rule = f"be left out: {name!r} is planned by {checks.format_list(used)}"
            actual = f"{option}={checks.format_value(value)}"
            raise refusal(option, rule, actual, "Leave it out.")
    goals = [option for option in used if option in ("width", "power")]
    chosen = [option for option in goals if option in present]
    if kind not in ("chance", _CLAIM, _GUARANTEE) and len(chosen) != 1:
        actual = checks.format_list(chosen) or "none"
        raise refusal(name, f"have a {' or a '.join(goals)}", actual, "Give one of them.")
    methods: tuple[str, ...] = _METHODS[:1]
    if kind == "width":
        methods = _METHODS[:2] if name == "auc" else _METHODS[::2]
    if checks.choice(method, _METHODS, "method") not in methods:
        rule = f"be {checks.format_list(methods)} for {name!r}" + " of two models" * (count - 1)
        raise refusal("method", rule, repr(method))
    return present


def strata_and_weights(asked: Mapping[str, Any]) -> tuple[int, FloatArray | None]:
    """How many strata there are, and weights of their mean."""
    strata, over = asked.get("strata"), asked.get("over", WORST)
    if over != WORST:
        names = tuple(map(str, over)) if isinstance(over, Mapping) else ()
        weights = checked_weights(over, names)
        if strata in (None, weights.size):
            return weights.size, weights
        raise refusal("over", f"have a weight for each of {strata} strata", str(weights.size))
    several = strata is not None or "over" in asked
    return checks.count(strata or 0, "strata", 2, MOST_STRATA) if several else 1, None


def _ratio(ratio: Any) -> float:
    share = checks.positive(ratio, "ratio")
    if not MOST_SCORES * min(share, 1.0 / share) > 1.0:
        raise refusal("ratio", "be impostor scores per client score, up to 1e9", repr(ratio))
    return share


def _model_of(system: Any) -> ScoreModel:
    if isinstance(system, Fit):
        system._tell_misfit()
    model = system.model if isinstance(system, Fit) else system
    if not isinstance(model, ScoreModel):
        do = "Fit scores first: model=fit(scores)."
        raise refusal("model", "be a ScoreModel or a fit", typed(system), do, InputTypeError)
    return model


def _check_wide(name: str, spec: StatisticSpec | None, wanted: float, model: ScoreModel) -> None:
    scale = "plain" if spec is None or name == _GAP else spec.row.scale
    unit = scale in ("probit", "partial") or (scale == "threshold" and model._pair.unit)
    largest = 2.0 if name == _GAP else 1.0 if unit else math.inf
    if spec is not None and spec.row.unit == "cost":
        largest = spec.row.high
    if not wanted < largest:
        raise refusal("width", f"be less than the range of {name!r}, {largest:g}", repr(wanted))


# --------------------------------------------------------------------------------- the search
@dataclass(frozen=True)
class Goal:
    """What to plan for: a width, or a chance."""

    # Widths shrink like 1/sqrt(n); the probit of a chance is about a constant and a multiple of
    # sqrt(n).

    #: The statistic of the distributions; nan of shapes.
    estimate: float
    #: The width, or the chance, that so many scores give.
    reached: Callable[[Sizes], float]
    by_chance: bool = False
    #: Whether what is reached holds for any number of scores.
    exact: bool = False

    def lacking(self, reached: float, wanted: float) -> float:
        """About the logarithm of how many times as many scores it takes."""
        from scipy.special import ndtri

        if self.by_chance:
            return float(ndtri(wanted) - ndtri(reached))
        return 2.0 * math.log(reached / wanted) if reached > 0.0 else -math.inf


def fewest_scores(goal: Goal, wanted: float, ratio: float) -> tuple[Sizes, float]:
    """The fewest scores of the smaller class; the other is rounded up."""
    # The next size is what the goal says is lacking, but ever longer steps off the last one, so
    # that the answer is soon between two sizes; then their middle.

    def sizes(k: int) -> Sizes:
        more = math.ceil(round(k * max(ratio, 1.0 / ratio), 6))  # the decimal that was meant
        return (k, more) if ratio >= 1.0 else (more, k)

    most, step, reached = int(MOST_SCORES * min(ratio, 1.0 / ratio)), 1, dict[int, float]()
    low, high, k = _LEAST - 1, most + 1, min(_START, most)
    while high - low > 1:
        reached[k] = goal.reached(sizes(k))
        if math.isnan(reached[k]):
            actual = f"nan at {sizes(k)[0]} client and {sizes(k)[1]} impostor scores"
            raise refusal("the width", "be a number", actual, "Plan another statistic.")
        miss = goal.lacking(reached[k], wanted)
        low, high = (k, high) if miss > 0.0 else (low, k)
        guess = math.ceil(k * math.exp(max(-_FAR, min(_FAR, miss))))
        k = max(guess, low + step) if miss > 0.0 else min(guess, high - step)
        k, step = k if low < k < high else (low + high) // 2, 2 * step
    if high > most:
        raise InputError(
            f"not reachable: {sizes(most)[0]} client and {sizes(most)[1]} impostor scores give"
            f" {reached[most]:.4g}, where {wanted!r} is wanted; plans end at 1e9 scores of a class."
            " Ask for less."
        )
    return sizes(high), reached[high]


# ------------------------------------------------------------------------------ expected fits
def expected_fit(model: ScoreModel, sizes: Sizes) -> Fit:
    """A fit whose estimates are the distributions, with the errors of so many scores."""
    # The covariance is the inverse Fisher information of each class over its scores, the prior that
    # of the model.
    parts = []
    for who, law, n in zip(CLASSES, (model.client, model.impostor), sizes, strict=True):
        family = planned_family(law)
        if family is None:
            raise InputError(
                "the distributions must have a Fisher information (beta, normal, logit-normal, with"
                f" point masses or without) to plan a fit; the {who} distribution is a"
                f' {type(law).__name__}. Give the model of such a fit; for "auc" take'
                ' method="delong", for "epc-gap" thresholds="empirical", which need none.'
            )
        parameters, cov = {p.name: p.value for p in law._parameters()}, law._unit_covariance() / n
        names, values = tuple(parameters), tuple(parameters.values())
        parts.append(DistributionFit(family, law, names, values, cov, math.nan, n, float(n)))
    nothing: Any = None
    client, impostor = parts
    return Fit(model, nothing, client, impostor, named((client.family, impostor.family)))


def mean_over_fits(of: Callable[[Fit], float], fit: Fit) -> tuple[float, float]:
    """Mean and standard deviation over fits of that size, to second order."""
    # The 2 d fits that are sqrt(d) errors away along the roots of the covariance of d parameters,
    # about the estimates with their first-order bias: Stroud's cubature of degree 3. Where a fit
    # nearby has no such number, the number of the expected one, and nan.
    near, sizes = PerturbedModels(fit, groups=False), (fit.client.n, fit.impostor.n)
    away = math.sqrt(len(near.roots))
    places = [near.small.bias + side * root for root in near.roots for side in (away, -away)]
    try:
        values = np.array([of(expected_fit(near.model(place), sizes)) for place in places])
    except (InputError, OverflowError):
        return of(fit), math.nan
    if not np.all(np.isfinite(values)):
        return of(fit), math.nan
    return float(np.mean(values)), float(np.std(values))


# ------------------------------------------------------------------------------- intervals
def _ends_of_scores(
    spec: StatisticSpec, model: ScoreModel, options: IntervalOptions, sizes: Sizes
) -> Limits:
    """Ends of the interval of scores at the quantiles of both distributions."""
    # Of more than are counted at once the ends of fewer, nearer by the root of their share.
    share = min(1.0, _COUNTED / max(sizes))
    counts = (max(round(share * n), _LEAST) for n in sizes)
    laws = zip((model.client, model.impostor), counts, strict=True)
    with suppress_warnings():
        scores = Scores(*(law.ppf((np.arange(n) + 0.5) / n) for law, n in laws))
        interval = bare_interval_of_scores(scores, spec, replace(options, method=None))
    low, high = (
        interval.estimate + math.sqrt(share) * (e - interval.estimate)
        for e in (interval.low, interval.high)
    )
    return low, high


def stat_width(spec: StatisticSpec, model: ScoreModel, options: IntervalOptions) -> Goal:
    """Mean width of `Fit.interval` by the delta method, to second order."""
    # Of a plan from a fit at least the width of the scores' own interval.
    by_delta = replace(options, method=METHODS[0])

    def width(fit: Fit) -> float:
        try:
            interval = bare_interval(fit, spec, by_delta)
        except OverflowError:
            return math.inf
        return float(interval.high - interval.low)

    def reached(sizes: Sizes) -> float:
        mean = mean_over_fits(width, expected_fit(model, sizes))[0]
        if options.method != BOTH:
            return mean
        low, high = _ends_of_scores(spec, model, options, sizes)
        return max(mean, high - low)

    return Goal(bare_interval(expected_fit(model, (1000, 1000)), spec, by_delta).estimate, reached)


def difference_goal(
    spec: StatisticSpec, models: tuple[ScoreModel, ...], options: IntervalOptions,
    correlation: float, *,
    by_chance: bool,
) -> Goal:  # fmt: skip
    """Width of the interval of `difference` at the expected fits."""
    # Or the chance that it leaves 0 out on the side where the truth is: the difference over its
    # error is taken as normal.
    from scipy.special import ndtr

    first, second = (spec.number(model) for model in models)
    gap = first - second
    if not math.isfinite(gap):
        actual = f"{first!r} and {second!r}"
        raise refusal(f"{spec}", "be finite for both models", actual, "Plan another statistic.")
    if by_chance and gap == 0.0:
        raise InputError(
            "impossible because the systems do not differ: no size tells them apart in"
            f" {str(spec)!r}. Plan the width of the interval."
        )

    def interval(model: ScoreModel, sizes: Sizes) -> Interval:
        by_delta = replace(options, method=METHODS[0])
        result = bare_interval(expected_fit(model, sizes), spec, by_delta)
        if options.method != BOTH:
            return result
        low, high = _ends_of_scores(spec, model, options, sizes)
        return replace(result, low=min(result.low, low), high=max(result.high, high))

    def reached(sizes: Sizes) -> float:
        first, second = (interval(model, sizes) for model in models)
        down, up = difference_ends(first, second, correlation)
        if not by_chance:
            return down + up
        apart, z = first.estimate - second.estimate, options.deviate
        away = down if apart > 0.0 else up
        return 1.0 if away == 0.0 else float(ndtr(z * abs(apart) / away - z))

    return Goal(gap, reached, by_chance)


# ---------------------------------------------------------------------------- DeLong's variance
def area_width(_: StatisticSpec, model: ScoreModel, options: IntervalOptions) -> Goal:
    """Mean width of `auc_interval` by DeLong's variance."""
    area = float(model.auc())
    if not _LOST < area < 1.0 - _LOST:
        raise refusal("the area", "lie inside (0, 1)", repr(area), "Take classes that overlap.")
    parts = area_variances(model)

    def reached(sizes: Sizes) -> float:
        reach = student(math.inf, options.level) * math.sqrt(mean_area_variance(parts, sizes))
        return min(area, reach) + min(1.0 - area, reach)  # the ends are cut to [0, 1]

    return Goal(area, reached)


# ---------------------------------------------------------------------------------- strata
def _error_rate(
    spec: StatisticSpec, model: ScoreModel, argument: str
) -> tuple[float, tuple[int, str]]:
    """The error rate that a rate at a threshold is or leaves, its class and its end."""
    if spec.name not in _TAIL_OF or spec.where.point != "threshold":
        also = ', and of "threshold" at one of these rates' * (argument == "method")
        rule = f'be left out, except for "far", "frr", "tpr" and "tnr" at a threshold{also}'
        raise refusal(argument, rule, f"{str(spec)!r}", "Leave it out.")
    name = _COMPLEMENT.get(spec.name, spec.name)
    rate = parse_statistic(name, (), **spec.where.keywords).number(model)
    if not 0.0 < rate < 1.0:
        rule = "be planned where scores of the model lie"
        raise refusal(f"{spec}", rule, f"a rate of {rate!r}", "Give another point.")
    return rate, _TAIL_OF[name]


def strata_width(
    spec: StatisticSpec, model: ScoreModel, options: IntervalOptions, count: int,
    weights: FloatArray | None,
) -> Goal:  # fmt: skip
    """Mean width of `interval` of one rate over strata, of counts at shuffled quantiles."""
    from scipy.stats import binom

    rate, (who, _) = _error_rate(spec, model, "strata")
    tail, draws = options.tail, max(_COUNTS // count, _DRAWS)
    each = np.tile((np.arange(draws) + 0.5) / draws, (count, 1))
    places = np.random.default_rng(0).permuted(each, axis=1)

    def reached(sizes: Sizes) -> float:
        n = sizes[who] // count
        if n == 0:
            return 1.0
        hits = binom.ppf(places, n, rate)
        if weights is not None:
            _, low, high = mean_share(hits / n, np.full((count, 1), n), weights, tail)
            return float(np.mean(high - low))
        most, every = np.max(hits, axis=0), np.sum(hits, axis=0)
        (least, _), (all_least, _) = (
            share_ends(most, n, 0.5 * tail / count), share_ends(every, count * n, 0.5 * tail)
        )  # fmt: skip
        return float(np.mean(share_ends(most, n, tail)[1] - np.maximum(least, all_least)))

    return Goal(spec.number(model), reached, exact=True)


# ---------------------------------------------------------------------------------- tails
def tail_width(spec: StatisticSpec, model: ScoreModel, options: IntervalOptions) -> Goal:
    """Mean width of the interval of a fit with tails, over draws of extreme scores."""
    # The hull of that of the tail, whose sizes disagree in draws as they do in scores, and of the
    # exact one of the count; nearer to the body, and of too few scores, that of the expected count.
    (name, argument, *_), of_threshold = spec.where, spec.name == "threshold"
    if of_threshold and name in _TAIL_OF:
        (who, side), value = _TAIL_OF[name], float(argument)
        rate = 1.0 - value if name in _COMPLEMENT else value
    else:
        rate, (who, side) = _error_rate(spec, model, "method")
        value = float(argument)
    from scipy.stats import binom

    law = (model.client, model.impostor)[who]
    on = law.coordinate if isinstance(law, Spliced) else Coordinate(None, law.on_unit)
    lower, level = side == "lower", options.level
    waits = np.random.default_rng(0).exponential(size=(_DRAWS, _KEPT)).cumsum(axis=1)

    def counted(n: int, shares: FloatArray) -> Limits:
        """The exact interval of the count; of a threshold scores that surely enclose it."""
        near = n * rate < shares.size - 1 and rate <= shares[-1]
        if not of_threshold:
            count = np.count_nonzero(shares <= rate) if near else n * rate
            low, high = share_ends(np.array(float(count)), np.array(float(n)), options.tail)
            return float(low), float(high)
        ranks = binom.ppf([options.tail, 1.0 - options.tail], n, rate) + np.array([0.0, 1.0])
        inside = ranks[1] < shares.size
        places = shares[ranks.astype(int) - 1] if inside else ranks / n
        ends = law._quantile(places, lower=lower).theta
        if ranks[0] == 0.0:  # no score lies beyond it
            ends[0] = -math.inf if lower else math.inf
        return float(np.min(ends)), float(np.max(ends))

    def drawn(n: int, shares: FloatArray) -> Limits:
        extreme = on.of(law._quantile(shares, lower=lower))
        tails = fit_tails(TailScores(CLASSES[who], extreme, total=float(n)), side)
        if not surely_beyond(tails, rate, level):
            return counted(n, shares)
        if of_threshold:
            ends = on.place(np.array(tail_threshold_ends(tails, rate, level))).theta.tolist()
        else:
            place = float(on.of(Thresholds.from_theta(np.array(value))))
            ends = tail_rate_ends(tails, place, level)
        both = *counted(n, shares), *ends
        finite = [end for end in both if math.isfinite(end)]
        return min(finite), max(finite)

    def reached(sizes: Sizes) -> float:
        n = sizes[who]
        draws = [drawn(n, shares / n) for shares in waits if n >= FEWEST]
        return float(np.mean([high - low for low, high in draws or [counted(n, np.empty(0))]]))

    return Goal(spec.number(model), reached)


def mean_area_variance(parts: tuple[float, float, float], sizes: Sizes) -> float:
    """Mean of DeLong's variance, from `area_variances`."""
    #     E Var A = x/m + y/n + 2 (v - x - y)/(m n),
    #     x = Var F_i(C), y = Var F_c(I), v = A (1 - A) - P(C = I)/4
    # with ties counting one half.
    (x, y, v), (m, n) = parts, sizes
    return x / m + y / n + 2.0 * max(v - x - y, 0.0) / (m * n)


def area_variances(model: ScoreModel) -> tuple[float, float, float]:
    """Var F_i(C), Var F_c(I), and the variance of a comparison."""
    pair, area = model._pair, float(model.auc())

    def middle(rate: Callable[[Thresholds], FloatArray], t: Thresholds) -> FloatArray:
        return 0.5 * (rate(t) + rate(pair.just_below_any(t)))

    sides = (pair.client, pair.far), (pair.impostor, pair.frr)
    x, y = (_variance(pair, law, partial(middle, rate)) for law, rate in sides)
    client, impostor = model.client.atoms, model.impostor.atoms
    _, mine, theirs = np.intersect1d(client.places, impostor.places, return_indices=True)
    ties = math.fsum(client.masses[mine] * impostor.masses[theirs])
    return x, y, area * (1.0 - area) - 0.25 * ties


def _variance(pair: Any, law: Distribution, of: Callable[[Thresholds], FloatArray]) -> float:
    """Var of(S): `of` may bend at quantiles of the other class, jump at atoms."""
    breaks = [Thresholds.from_theta(pair.atom_places)]
    if law.continuous is not None:
        breaks.append(pair.place(pair.panels(law.continuous[1], -math.inf, math.inf)))
    places = Thresholds.concatenate(breaks)
    square = law._expected(lambda t: of(t) ** 2, places)
    return max(square - law._expected(of, places) ** 2, 0.0)


# --------------------------------------------------------------------------------- the gap
def gap_width(model: ScoreModel, alpha: float, options: IntervalOptions, measure: str) -> Goal:
    """Width of the interval of an EPC's loss from dev to test."""
    # The value observed on test less that expected on dev: the threshold's error is in both.
    by_far, by_frr = (0.5, 0.5) if measure == "hter" else (alpha, 1.0 - alpha)
    forecast = epc_forecast(model, n_client=1, n_impostor=1, alpha=[alpha])
    if forecast.where[0] != "interior":
        actual = f"{str(forecast.where[0])!r} at alpha = {alpha!r}"
        raise refusal("the threshold", "lie inside the scale", actual, "Give another alpha.")
    t = CRITERIA["weighted-error"].choose(model._pair, model.prior, np.array([alpha]))
    smooth = options.method == "smooth"
    rates = [float(rate(t)[0]) for rate in (model._pair.far, model._pair.frr)]

    def value(other: ScoreModel) -> float:
        return by_far * float(other._pair.far(t)[0]) + by_frr * float(other._pair.frr(t)[0])

    def reached(sizes: Sizes) -> float:
        far, frr = (rate * (1.0 - rate) for rate in rates)
        on_test = by_frr * by_frr * frr / sizes[0] + by_far * by_far * far / sizes[1]
        on_dev = on_test
        if smooth:
            near = PerturbedModels(expected_fit(model, sizes), groups=False)
            steps = models_near(near.model, near.roots)
            on_dev = delta(parse_statistic(value), model, steps).error ** 2
        return 2.0 * student(math.inf, options.level) * math.sqrt(on_test + on_dev)

    if smooth:
        expected_fit(model, (1000, 1000))  # refuses distributions without information
    return Goal(0.0, reached)


# --------------------------------------------------------------------------------- chances
def side_chance(end: str, model: ScoreModel, options: IntervalOptions) -> Goal:
    """Chance that `Fit.end_tests` finds the side; the exponent is not 1."""
    # Of normal distributions by the F distribution.
    from scipy.special import fdtr, fdtri

    laws = model.client, model.impostor
    families = {planned_family(law) for law in laws}
    if len(families) > 1 or None in families or any(getattr(x, SIDES[end], 0.0) for x in laws):
        raise InputError(
            f"{end!r} is planned for two beta, two normal or two logit-normal distributions without"
            f" point masses at that end; got {model.client!r:.60} and {model.impostor!r:.60}. Give"
            " the model of such a fit."
        )
    exponent = float(getattr(model.ends(), SIDES[end]).exponent)
    if exponent == 1.0:
        raise InputError(
            f"impossible because the exponent is 1: no size decides {end!r} of {model.client!r} and"
            f" {model.impostor!r}. Plan the width of another statistic."
        )
    if not has_spread(base_of(model.client)):
        return Goal(exponent, partial(side_found, end, model, options), by_chance=True)
    spreads = [float(base_of(law).sigma) for law in laws]  # type: ignore[attr-defined]
    shares = [1.0 - math.fsum(law.atoms.masses) for law in laws]
    small = 0 if spreads[0] < spreads[1] else 1
    ratio = spreads[1 - small] / spreads[small]

    def reached(sizes: Sizes) -> float:
        inner = [n * share - 1.0 for n, share in zip(sizes, shares, strict=True)]
        if min(inner) <= 0.0:
            return 0.0
        freedom = inner[small], inner[1 - small]
        return float(fdtr(*freedom, fdtri(*freedom, options.tail) * ratio**2))

    return Goal(exponent, reached, by_chance=True, exact=True)


def side_found(end: str, model: ScoreModel, options: IntervalOptions, sizes: Sizes) -> float:
    """The test's z as a normal number: mean and spread over fits of that size."""
    from scipy.special import ndtr

    sign = 1.0 if getattr(model.ends(), SIDES[end]).side == "above" else -1.0
    mean, sd = mean_over_fits(
        lambda fit: FittedEnds.of(fit, groups=False).test(SIDES[end]).z, expected_fit(model, sizes)
    )
    sd = 1.0 if math.isnan(sd) else sd
    return float(ndtr((sign * mean - student(math.inf, options.level)) / sd))


def shape_chance(classes: tuple[str, ...], model: ScoreModel) -> Goal:
    """Chance that the fitted shapes are the true ones."""
    # log a and log b are two normal numbers with the bias of maximum likelihood.
    for who in classes:
        law = getattr(model, who)
        base = base_of(law)
        if not has_shape(base):
            raise refusal("shapes", "be of beta distributions", f"{law!r:.60}", "Fit these.")
        if 1.0 in (base.a, base.b):
            raise InputError(
                f"impossible because the {who} distribution {law!r:.60} lies on the border of"
                " shapes (a = 1 or b = 1): no size decides. Plan an interval instead."
            )

    def reached(sizes: Sizes) -> float:
        fit = expected_fit(model, sizes)
        near = PerturbedModels(fit, groups=False)
        bias = near.small.bias
        chance = 1.0
        for who in classes:
            part, start = getattr(fit, who), 0 if who == "client" else len(near.names[0])
            shapes = part.values[:2]
            covariance = part.cov[:2, :2] / np.outer(shapes, shapes)
            sd = np.sqrt(np.diag(covariance))
            z = (np.log(shapes) + bias[start : start + 2]) / sd
            shares = quadrant_shares(z.tolist(), float(covariance[0, 1] / sd[0] / sd[1]))
            chance *= shares[base_of(part.distribution).shape.value]  # type: ignore[attr-defined]
        return chance

    return Goal(math.nan, reached, by_chance=True)
