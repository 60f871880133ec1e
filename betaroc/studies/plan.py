"""How many scores a wanted statement needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias, Unpack

import numpy as np

from betaroc.core import checks
from betaroc.core.errors import ExtrapolationWarning, InputError, InputTypeError, SmallSampleWarning
from betaroc.core.notices import public, warn
from betaroc.core.options import POWER, IntervalOptions
from betaroc.core.tables import Framed
from betaroc.core.vocabulary import CLIENT, FAR, FRR, IMPOSTOR
from betaroc.distributions.base import Distribution
from betaroc.fits.fit import Fit
from betaroc.inference.delta import METHODS
from betaroc.inference.intervals import BOTH, is_of_scores
from betaroc.inference.of_scores import methods_of
from betaroc.inference.scores_beyond import SHOW, about, needed
from betaroc.model.asking import Asking, PointArguments, asking
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import STATISTICS
from betaroc.rendering.nouns import Noun
from betaroc.rendering.numbers import spaced
from betaroc.rendering.tree import Node, Section, Words, apart
from betaroc.rendering.tree_text import text_of
from betaroc.studies.plan_goals import (
    MOST_SCORES,
    SIDES,
    area_width,
    difference_goal,
    fewest_scores,
    gap_width,
    shape_chance,
    side_chance,
    stat_width,
    tail_width,
)

_SHAPES = {
    "client-shape": ("client",), "impostor-shape": ("impostor",), "shapes": ("client", "impostor"),
}  # fmt: skip
_GAP = "epc-gap"
_WIDTHS = {"delong": area_width, "logit-delong": area_width, "tail": tail_width}
_METHODS = ("delta", *_WIDTHS)
_MEASURES = ("hter", "weighted-error")
_NAMES = "br.statistics() lists numbers, the text of plan_sample_size the rest."
_THRESHOLDS = ("smooth", "empirical")
_LEVEL = 0.95
#: What decides a side or a shape.
_TESTS = dict.fromkeys(SIDES, "end test") | dict.fromkeys(_SHAPES, "fitted shape")
#: Below this the expansions have been seen to be good, but no more than that.
_FEW = 30


#: What a plan takes as true: a pair, that of a fit, or those of two systems.
PlannedModel: TypeAlias = ScoreModel | Fit | Sequence[ScoreModel | Fit]


@dataclass(frozen=True, eq=False, repr=False)
class SampleSize(Framed, Noun):
    """Scores that a wanted statement needs.

    Made by :func:`plan_sample_size`; printed in words.

    Parameters
    ----------
    stat : str
        What is planned; of a function its name.
    at : str
        Where, such as "far=0.01" or "eer"; empty without a point.
    n_client, n_impostor : int
        Scores of each class. For "epc-gap" of dev, and as many of test.
    wanted : float
        The width, or the chance, asked for.
    level : float
        Confidence level of the interval or of the test.
    ratio : float
        Impostor scores for each client score.
    method : str
        "delta", "delong", "logit-delong", "tail"; "end test", "fitted shape"; "smooth" or
        "empirical" of the thresholds of an EPC gap.
    model : ScoreModel or tuple of ScoreModel
        The distributions, taken as true.
    estimate : float
        The statistic of the distributions; the exponent of a side, nan of shapes.
    width : float
        Full width that so many scores give on average; nan where chances are planned.
    power : float
        Chance to be right that so many scores give; nan where widths are planned.
    measure : str
        Of an EPC gap; else empty.
    n_beyond : float, optional
        Planned scores that speak for the number, n min(rate, 1 - rate) of the rates it rests on;
        None where it speaks of no rate.
    n_needed : float, optional
        Scores of the class `needed_of` that would show that rate at least once with 95 %
        probability, 3/rate; None where it speaks of no rate.
    needed_of : str
        "client" or "impostor": the class of the rate that fewest planned scores speak for.
    correlation : float
        Of the errors of two systems whose difference is planned; else nan.
    library : str, optional
        That of the scores: what tables are frames of.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
    >>> size = br.plan_sample_size("auc", model=model, width=0.05)
    >>> size.n_client, size.n_impostor, round(size.width, 4)
    (279, 279, 0.0499)
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

    @property
    def extrapolated(self) -> bool:
        """Whether less than one of the planned scores is expected beyond the number."""
        return self.n_beyond is not None and self.n_beyond < 1.0

    def summary(self) -> str:
        """The answer in words, and what it rests on.

        Returns
        -------
        str

        Examples
        --------
        >>> import betaroc as br
        >>> model = br.ScoreModel(br.Beta(2.0, 1.0), br.Beta(1.2, 2.0))
        >>> print(br.plan_sample_size("side-at-zero", model=model).summary())
        side-at-zero: 112 client and 112 impostor scores
        found with probability 0.8 (wanted 0.8) by the end test at level 0.95
        taken as true: Beta(a=2, b=1) v Beta(a=1.2, b=2)
        """
        return text_of([Section("", tuple(map(Words, self._lines())))])

    def _view(self) -> Sequence[Node]:
        """What to collect, and what that rests on."""
        each = ", of each system" if isinstance(self.model, tuple) else ""
        both = " of dev and as many of test" if self.measure else ""
        collect = (
            f"Collect {spaced(self.n_client)} {CLIENT} and {spaced(self.n_impostor)} {IMPOSTOR}"
            f" scores{both}{each}"
        )
        return [*apart(Words(collect)), Section("", tuple(map(Words, self._lines())))]

    def _lines(self) -> list[str]:
        what = f"{self.stat}@{self.at}" if self.at else self.stat
        sizes = f"{self.n_client} {CLIENT} and {self.n_impostor} {IMPOSTOR} scores"
        models = self.model if isinstance(self.model, tuple) else (self.model,)
        laws = " and ".join(f"{_words(m.client)} v {_words(m.impostor)}" for m in models)
        if self.stat == _GAP:
            sizes += " of dev and as many of test" + (", of each system" if len(models) > 1 else "")
            what = f"{what}, {self.measure}, {self.method} thresholds"
        elif len(models) > 1:
            what = f"difference of two systems in {what}, first less second: {self.estimate:.4g}"
            sizes += f" of each system, errors of correlation {self.correlation:.3g}"
        if math.isnan(self.power):
            one = len(models) == 1 and self.stat != _GAP
            number = f"{what} = {self.estimate:.4g}" if one else what
            reached = f"{100 * self.level:g} % interval {self.width:.4g} wide on average"
            reached += f" (wanted {self.wanted:g})"
            how = f" by {self.method}" if self.stat != _GAP else ""
            lines = [f"{number}: {sizes}", f"{reached}{how}"]
        else:
            two = not math.isnan(self.correlation)
            test = f" interval at level {self.level:g}" if two else ""
            test = f" at level {self.level:g}" if self.stat in SIDES else test
            lines = [
                f"{what}: {sizes}",
                f"found with probability {self.power:.4g} (wanted {self.wanted:g})"
                f" by the {self.method}{test}",
            ]
        if self.extrapolated:
            lines.append(
                f"extrapolated: {self.n_beyond:.2g} {self.needed_of} scores expected beyond it, so"
                f" the plan rests on the family; about {about(self.n_needed or math.inf)} would"
                " speak for it (3/rate)"
            )
        lines.append(f"taken as true: {laws}")
        return lines

    def __str__(self) -> str:
        """The summary."""
        return self.summary()


@public
def plan_sample_size(
    stat: str | Callable[[ScoreModel], float],
    *given: Any,
    model: PlannedModel,
    width: float | None = None,
    level: float = _LEVEL,
    ratio: float = 1.0,
    power: float | None = None,
    method: str = "delta",
    measure: str | None = None,
    thresholds: str | None = None,
    correlation: float | None = None,
    **point: Unpack[PointArguments],
) -> SampleSize:
    """The fewest scores of which an interval has the wanted width, or a verdict is right.

        beta:   Cov(a, b) = I^-1/n,  I = diag(psi'(a), psi'(b)) - psi'(a + b)
        normal: Var mu = sigma^2/n,  Var log sigma = 1/(2 n)
        mean width = mean over 2 d fits, sqrt(d) errors away along the roots of Cov, of the width
        DeLong:  E Var A = x/m + y/n + 2 (A (1 - A) - x - y)/(m n),  x = Var F_i(C), y = Var F_c(I)

    Parameters
    ----------
    stat : str or callable
        A name of :func:`statistics`, with its point by a keyword or behind "@", or a function of a
        `ScoreModel`: planned by the width of its interval. "side-at-zero", "side-at-one": the side
        of the diagonal on which the ROC begins or ends, by the chance that `Fit.end_tests` finds
        it. "client-shape", "impostor-shape", "shapes" (both): by the chance that the fitted `Shape`
        is the true one. "epc-gap": the value of an expected performance curve on test less that
        expected on dev, by the width of its interval.
    model : ScoreModel, Fit, or two of them
        The distributions, taken as true; of a fit its model. Two: the difference of two systems, of
        "epc-gap" on independent trials.
    width : float
        Full width wanted, in the statistic's own unit.
    level : float
        Confidence level of the interval or of the test of an end; shapes have none.
    ratio : float
        Impostor scores for each client score. The smaller class has the number of scores that is
        found, the other is rounded up.
    power : float
        Chance wanted of a side or a shape, 0.8 where left out; of a difference, in place of a
        width, the chance that its interval leaves out 0.
    method : str
        "delta": the interval of a fit; of a model that is one, whose scores will answer too, at
        least as wide as theirs ("family and scores"), and where they answer by draws or not at all
        "if the family is right". For "auc" also "delong" and "logit-delong", those of
        `auc_interval`, which need no family. "tail", of a rate at a threshold and of the threshold
        of a rate: the interval of a fit with tails (`fit`), or of the count that is expected where
        no tail answers, which rest on no family either.
    measure : str
        Of "epc-gap": "hter" (if left out) or "weighted-error".
    thresholds : str
        Of "epc-gap": dev's thresholds, and what is expected there, are those of a fit ("smooth",
        if left out) or of the scores ("empirical"). Test is scores.
    correlation : float
        Of a difference: that of the errors of both numbers, 0 (if left out) on independent trials;
        what pilot trials have is in `Difference.correlation`.
    threshold, far, frr, tpr, alpha, between, at : optional
        Where the statistic is taken, as in `Fit.interval`; of "epc-gap" ``alpha=``.

    Returns
    -------
    SampleSize
        Printed in words.

    Raises
    ------
    InputError
        If `stat` is unknown, the point, `width`, `power`, `measure` or `thresholds` is missing,
        out of range or given where it is not used, the statistic is nan or has no derivative at
        these distributions, a distribution has no Fisher information, no size decides (an exponent
        of 1, a shape on a border), or a class would need more than 1e9 scores.
    InputTypeError
        If `stat`, `model` or a number is of another type.

    Warns
    -----
    SmallSampleWarning
        If a class needs fewer than 30 scores.
    ExtrapolationWarning
        If fewer than one of the planned scores is expected beyond a rate that the statistic
        rests on.

    Notes
    -----
    Nothing is drawn: the width is computed as `Fit.interval` computes it, at a fit whose estimates
    are the distributions and whose covariance is that of so many scores (Student's t with Welch's
    degrees of freedom, the scales of the interval), and averaged over fits nearby to second
    order, which at 30 scores makes up to 6 % (where one of them has no such width, not averaged).
    The first-order (2 z)^2 (V_c + V_i/ratio)/width^2
    is the limit for narrow intervals. The distributions are taken as true: plan with distributions
    at the edge of what is thought possible too.

    A side: of two normal distributions the test is an F test, and its power is exact. Of beta
    distributions the z of the test is taken as normal with its mean and spread over fits nearby. A
    shape: log a and log b are taken as normal with the bias of maximum likelihood and covariance
    I^-1/(n a b).

    An EPC gap, dev and test of the sizes found: at the threshold of least weighted error t, with
    weights w of the measure, to first order,

        Var(gap) = D + P,   D = sum w^2 rate (1 - rate)/n of test at t
        P = the same of dev (empirical), or the delta variance of the fitted rates at t (smooth)

    since an error of the threshold is in both values. The difference of two systems has D and
    the variance of the measure due to the threshold (`epc_forecast`) of each; this is the spread
    of the difference over dev and test sets, wider than `compare`, which holds thresholds
    fixed. An empirical threshold moves like n^(-1/3): off alpha = 1/2 such a difference needs
    many scores.

    From a fit the scores' own width is that of the quantiles of its distributions; of 400 scores
    simulated intervals were up to 11 % wider (EER, TPR at FAR .1), of 2000 up to 7 %.

    Of a tail the width is that of the medians of the 30 and 50 most extreme scores; the
    distributions matter by their tails alone.

    Simulated at 27 plans, widths and chances were met within 5 %, numbers of scores within 9 %; of
    16 hard ones two are farther off: the interval of an end's coefficient with 20 scores is a
    quarter wider, and the difference of two systems at empirical thresholds with 220 scores has
    7 % less spread than planned (docs/validation.md).

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988); Stroud, A. H. (1971), Approximate calculation of
    multiple integrals.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
    >>> print(br.plan_sample_size("tpr", far=0.1, model=model, width=0.1, ratio=2))
    tpr@far=0.1 = 0.6903: 379 client and 758 impostor scores
    95 % interval 0.09991 wide on average (wanted 0.1) by delta
    taken as true: Beta(a=4, b=2) v Beta(a=2, b=4)
    >>> br.plan_sample_size("side-at-zero", model=model, power=0.9).n_client
    84
    >>> other = br.ScoreModel(br.Beta(3.0, 2.0), br.Beta(2.0, 4.0))
    >>> plan = br.plan_sample_size("auc", model=(model, other), power=0.8, correlation=0.5)
    >>> plan.n_client, round(plan.estimate, 4)
    (120, 0.0635)
    """
    systems = model if isinstance(model, tuple | list) else (model,)
    return plan_when_read(
        len(systems), lambda: systems, stat, given, point, width=width, level=level, ratio=ratio,
        power=power, method=method, measure=measure, thresholds=thresholds,
        correlation=correlation,
    )  # fmt: skip


def plan_when_read(
    count: int, read: Callable[[], Sequence[Any]], stat: Any, given: tuple[Any, ...] = (),
    point: Any = None, *, width: Any = None, level: float = _LEVEL, ratio: Any = 1.0,
    power: Any = None, method: str = "delta", measure: str | None = None,
    thresholds: str | None = None, correlation: Any = None,
) -> SampleSize:  # fmt: skip
    """As `plan_sample_size`; what needs no model is refused before so many are read."""
    name, asked = _asked(stat, given, point or {})
    if not 1 <= count <= (1 if asked is None else 2):
        raise InputError(
            f"two models are for the difference of two systems in a number; got {count} for"
            f" {name!r}. Give one model."
        )
    kind = "difference" if count == 2 else "width"
    kind = "gap" if name == _GAP else "chance" if asked is None else kind
    _refuse_unused(name, kind, method, width=width, power=power, measure=measure,
                   thresholds=thresholds, correlation=correlation)  # fmt: skip
    by_chance = kind == "chance" or power is not None
    options = IntervalOptions(level, groups=False)
    wanted = _power(name, kind, options, power) if by_chance else checks.positive(width, "width")
    r, planned, share = math.nan, "", _ratio(ratio)
    if kind == "gap":
        planned = checks.choice(measure or "hter", _MEASURES, "measure")
        method = checks.choice(thresholds or "smooth", _THRESHOLDS, "thresholds")
    if kind == "difference":
        r = 0.0 if correlation is None else checks.finite(correlation, "correlation")
        if not -1.0 <= r <= 1.0:
            raise InputError.about("correlation")(
                f"correlation must lie in [-1, 1]; got {r!r}. Give that of the errors of both"
                " numbers, such as Difference.correlation of pilot trials."
            )
    systems = read()
    models = tuple(map(_model_of, systems))
    if method == METHODS[0] and asked is not None and all(isinstance(s, Fit) for s in systems):
        method = _method_of_fits(asked)
    options = replace(options, method=method)
    if not by_chance:
        _refuse_wide(name, asked, wanted, models[0])
    if name in SIDES:
        goal = side_chance(name, models[0], options)
    elif name in _SHAPES:
        goal = shape_chance(_SHAPES[name], models[0])
    elif kind == "gap":
        goal = gap_width(models, asked.where.value, options, planned)
    elif kind == "difference":
        goal = difference_goal(asked, models, options, r, by_chance=by_chance)
    else:
        goal = _WIDTHS.get(method, stat_width)(asked, models[0], options)
    sizes, reached = fewest_scores(goal, wanted, share)
    result = SampleSize(
        stat=name,
        at="" if asked is None else str(asked.where)[1:],
        n_client=sizes[0],
        n_impostor=sizes[1],
        estimate=goal.estimate,
        width=math.nan if by_chance else reached,
        wanted=wanted,
        level=options.level,
        ratio=float(share),
        power=reached if by_chance else math.nan,
        method=_TESTS.get(name, method),
        model=models[0] if len(models) == 1 else models,
        measure=planned,
        correlation=r,
    )
    if not goal.exact and min(sizes) < _FEW:
        warn(
            f"{name}: {sizes[0]} {CLIENT} and {sizes[1]} {IMPOSTOR} scores; the expansions behind a"
            f" plan are good from {_FEW} scores of a class on. Simulate, or take more.",
            SmallSampleWarning,
        )
    return result if asked is None else _supported(result, asked, models)


def _supported(found: SampleSize, asked: Asking, models: tuple[ScoreModel, ...]) -> SampleSize:
    """With the planned scores that speak for the number; a warning where none would."""
    sizes = {FRR: found.n_client, FAR: found.n_impostor}
    rates = [one for m in models for one in asked.rates(m) if not np.isnan(one.tail)]
    if not rates:
        return found
    least = min(rates, key=lambda one: sizes[one.name] * float(one.tail))
    tail, who = float(least.tail), ("client", "impostor")[least.who]
    beyond = sizes[least.name] * tail
    if beyond < 1.0 and found.method != _THRESHOLDS[1]:
        warn(
            f"{found.stat}: of the {sizes[least.name]} {who} scores planned {beyond:.2g} are"
            f" expected beyond {least.name} {float(least.rate):.4g}: no score would speak for the"
            " number, its width is that of distributions taken as true. About"
            f" {needed(tail)} scores would (3/rate). Plan with as many, or for a larger rate.",
            ExtrapolationWarning,
        )
    return replace(found, n_beyond=beyond, n_needed=SHOW / tail, needed_of=who)


def _words(law: Distribution) -> str:
    own = ", ".join(f"{p.name}={p.value:.4g}" for p in law._parameters())
    return f"{type(law).__name__}({own})" if own else checks.shown(law)


# ---------------------------------------------------------------------------------- checks
def _asked(stat: Any, value: tuple[Any, ...], point: Any) -> tuple[str, Any]:
    """The name of what is planned, and the statistic; sides and shapes are none."""
    if not isinstance(stat, str):
        result = asking(stat, value, **point)
        return f"{result.name}(model)", result
    own, at, behind = stat.partition("@")
    name = checks.choice(own, (*STATISTICS, *SIDES, *_SHAPES, _GAP), "stat", _NAMES)
    if name in STATISTICS:
        return name, asking(stat, value, **point)
    got = [behind] * bool(at) + [*map(checks.shown, value)]
    got += [f"{k}={checks.shown(v)}" for k, v in point.items()]
    if name == _GAP:  # at one alpha: the point of a weighted error
        if len(got) != 1 or (not at and "alpha" not in point):
            raise InputError(f"{_GAP!r} needs its point, alpha=; got {', '.join(got) or 'none'}.")
        weighted = asking(f"weighted-error@{behind}" if at else "weighted-error", (), **point)
        return name, Asking(_GAP, STATISTICS["weighted-error"], weighted.where)
    if got:
        raise InputError(f"{name!r} is taken at no point; got {', '.join(got)}. Leave it out.")
    return name, None


def _power(name: str, kind: str, options: IntervalOptions, power: Any) -> float:
    """The chance wanted; above what a test of that level finds where there is nothing."""
    if name in _SHAPES and options.level != _LEVEL:
        raise InputError(
            f"{name!r} has no level: the category fitted is right or wrong; got"
            f" level={options.level!r}. Leave it out, and give the probability as power."
        )
    floor = options.tail if kind == "difference" or name in SIDES else 0.0
    must = f"be a probability strictly between {floor:.4g} and 1"
    wanted = checks.fraction(POWER if power is None else power, "power", must)
    if not floor < wanted < 1.0:
        raise InputError(f"power must {must}; got {power!r}. Give a fraction, such as 0.8.")
    return wanted


def _method_of_fits(asked: Asking) -> str:
    """Fits have scores, which will answer too."""
    if is_of_scores(asked) and methods_of(asked)[0] not in ("smoothed", "bootstrap"):
        return BOTH
    return f"{METHODS[0]}, if the family is right"


def _refuse_unused(name: str, kind: str, method: str, **given: Any) -> None:
    used = {
        "width": ("width",), "chance": ("power",), "gap": ("width", "measure", "thresholds"),
        "difference": ("width", "power", "correlation"),
    }[kind]  # fmt: skip
    for option, value in given.items():
        if value is not None and option not in used:
            raise InputError(
                f"{name!r} is planned by {checks.listed(used)}; got {option}="
                f"{checks.shown(value)}. Leave it out."
            )
    goals = [option for option in used[:2] if option in ("width", "power")]
    present = [option for option in goals if given[option] is not None]
    if kind != "chance" and len(present) != 1:
        raise InputError(
            f"{name!r} needs a {' or a '.join(goals)}; got {checks.listed(present) or 'none'}. A"
            " width is the full width of its interval."
        )
    methods = {"difference": ("delta",)}.get(kind, _METHODS if name == "auc" else ("delta", "tail"))
    if checks.choice(method, _METHODS, "method") not in methods:
        raise InputError.about("method")(
            f"method must be {checks.listed(methods)} for {name!r}"
            f"{' of two models' * (kind == 'difference')}; got {method!r}. Leave it out."
        )


def _ratio(ratio: Any) -> Fraction:
    """Read as the decimal that was meant."""
    value = Fraction(checks.positive(ratio, "ratio"))
    share = (
        value.limit_denominator(10**9) if value >= 1 else 1 / (1 / value).limit_denominator(10**9)
    )
    if not Fraction(1, MOST_SCORES) < share < MOST_SCORES:
        raise InputError.about("ratio")(
            f"ratio must be impostor scores for each client score; got {ratio!r}, beyond 1e9 to 1."
        )
    return share


def _model_of(system: Any) -> ScoreModel:
    model = system.model if isinstance(system, Fit) else system
    if isinstance(system, Fit):
        system._tell_misfit()
    if not isinstance(model, ScoreModel):
        raise InputTypeError.about("model")(
            f"model must be a ScoreModel or a fit; got {type(system).__name__}. Plan from"
            " distributions, such as those fitted to first scores: model=fit(scores)."
        )
    return model


def _refuse_wide(name: str, asked: Asking | None, wanted: float, model: ScoreModel) -> None:
    scale = "plain" if asked is None or name == _GAP else asked.row.scale
    unit = scale in ("probit", "partial") or (scale == "threshold" and model._pair.unit)
    largest = 2.0 if name == _GAP else 1.0 if unit else math.inf
    if not wanted < largest:
        raise InputError.about("width")(
            f"width must be less than the range of {name!r}, {largest:g}; got {wanted!r}. Give the"
            " full width in the unit of the statistic, such as 0.05."
        )
