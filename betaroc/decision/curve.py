"""A curve by Algorithms 1 and 2 of IDIAP-RR 03-85: thresholds chosen on dev, observed on test.

In Bengio, Mariethoz and Keller (2005) both are one: theta* = arg min C(V1, V2; alpha) on dev, which
is `chosen_on`, then V(theta*) on test; C is a name in :mod:`betaroc.model.criteria`, V in
:mod:`betaroc.model.measures`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from betaroc.core import checks, vocabulary
from betaroc.core.arrays import CLASSES, BoolArray, FloatArray
from betaroc.core.errors import BetarocError, InputError, TargetWarning, refusal
from betaroc.core.notices import suppress_warnings, warn
from betaroc.core.resampling import check_fractional_weights
from betaroc.core.text import alphas_words, is_fine
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import BIOMETRIC, CLIENT, FAR, FRR, HTER, IMPOSTOR, TNR, TPR, worded
from betaroc.data.groups import BareTrials, Groups, ScoredTrials, groups_of
from betaroc.data.scores import ScoreData, Scores
from betaroc.distributions.empirical import Empirical, decides_by_counts, is_binned, is_counted
from betaroc.fits.fit import StrataFits
from betaroc.inference import scores_beyond
from betaroc.inference.interval import Band
from betaroc.inference.scores_beyond import SampleSupport, SideInput, SupportedPair
from betaroc.inference.strata import POOLED, Over, model_over
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import MEASURES, measure_title, rate_terms
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model
from betaroc.rendering import numbers, tree
from betaroc.rendering.curves import PANELS, AlphaAxes, Axes, DrawnBand, draw_epc, draw_systems

if TYPE_CHECKING:
    from betaroc.decision.epc import Epc

#: The criterion alpha FAR + (1 - alpha) FRR, and the measure of that name.
WEIGHTED_ERROR = "weighted-error"
_AUTOMATIC_ALPHAS = 101
#: Alphas of an average, unless others are asked for.
_RANGE = (0.1, 0.9)
#: Alphas that agree to this are one alpha.
SAME_ALPHA = 1e-9
#: A target this near to a rate is met.
TARGET_MET = 1e-12
#: Criteria and measures that are an error rate of one class, or its complement.
ONE_CLASS_RATES = {
    "far": (FAR, False), "tnr": (FAR, True), "specificity": (FAR, True), "frr": (FRR, False),
    "tpr": (FRR, True), "recall": (FRR, True), "sensitivity": (FRR, True),
}  # fmt: skip


# ------------------------------------------------------------------------ the two steps
def chosen_on(dev: ScoreModel, criterion: str, alpha: FloatArray) -> Thresholds:
    """The threshold theta* that dev chooses for each alpha, the first step of both algorithms."""
    return CRITERIA[criterion].choose(dev._pair, dev.prior, alpha)


# --------------------------------------------------------------------------- the axis
def axes_of(e: Epc, scale: str, terms: str) -> tuple[AlphaAxes, bool]:
    """What stands at the axes of a curve, and whether the measure's is logarithmic."""
    log = checks.choice(scale, ("linear", "log"), "scale") == "log"
    row = MEASURES.get(e.measure)
    if log and row is not None and row.low < 0.0:
        rule = f'be "linear" for {e.measure!r}, which may be negative'
        raise refusal("scale", rule, '"log"', "Leave it out.")
    words = rate_terms(terms, e.dev._pair, e.test._pair)
    return CRITERIA[e.criterion].axes(e.measure, words.name), log


def draw_epcs(curves: Mapping[str, Epc], scale: str, terms: str) -> Axes:
    """One panel per curve; of many the best mean alone in ink."""
    first = next(iter(curves.values()))
    axes, log = axes_of(first, scale, terms)
    lines = [(numbers.visible(name), curve.value) for name, curve in curves.items()]
    if len(lines) > PANELS:
        sign = -1.0 if larger_is_better(first.measure) else 1.0
        lines.sort(key=lambda line: sign * float(np.mean(line[1])))
    return draw_systems(None, first.alpha, lines, axes, log=log)


def slotted_axes(e: Epc) -> AlphaAxes:
    """What stands at the axes of a curve, with slots for a sentence."""
    return CRITERIA[e.criterion].axes(e.measure)


def index_of_alpha(e: Epc, alpha: float | None) -> int:
    """Which of the curve's alphas it is; it may be left out of one."""
    if alpha is None and e.alpha.size == 1:
        return 0
    if alpha is None:
        ends = f"{e.alpha.size} from {float(e.alpha.min())!r} to {float(e.alpha.max())!r}"
        raise refusal("alpha", f"be given: the curve has {ends}", "none", "Name one of them.")
    wanted = checks.fraction(alpha, "alpha")
    place = int(np.argmin(np.abs(e.alpha - wanted)))
    if abs(e.alpha[place] - wanted) <= SAME_ALPHA:
        return place
    if CRITERIA[e.criterion].single:
        raise refusal("alpha", f"be left out: criterion {e.criterion!r} has none", repr(wanted))
    value = f"{wanted!r}, the nearest is {float(e.alpha[place])!r}"
    hint = "Take that, or give epc this alpha."
    raise refusal("alpha", f"be one of the {e.alpha.size} of the curve", value, hint)


def area_weights(alpha: FloatArray, low: float, high: float) -> FloatArray:
    """What each alpha's value weighs in the integral from low to high; 1 where low is high."""
    order = np.argsort(alpha, kind="stable")
    x = alpha[order]
    result = np.zeros(x.size)
    if low == high:
        result[order[np.searchsorted(x, low)]] = 1.0
        return result
    nodes = np.concatenate([[low], x[(x > low) & (x < high)], [high]])
    steps = np.diff(nodes)
    share = 0.5 * (np.append(steps, 0.0) + np.append(0.0, steps))
    right = np.clip(np.searchsorted(x, nodes, side="left"), 1, x.size - 1)
    width = x[right] - x[right - 1]
    of_right = (nodes - x[right - 1]) / np.where(width > 0.0, width, 1.0)
    np.add.at(result, order[right - 1], share * (1.0 - of_right))
    np.add.at(result, order[right], share * of_right)
    return result


def weighed(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Sums over alphas, the last axis; what has no weight may have no value."""
    counts = weights > 0.0
    return np.asarray(values[..., counts] @ weights[counts])


def warn_of_reach(dev: ScoreModel, criterion: str, alpha: FloatArray) -> None:
    """Warn of targets beyond every rate of dev, for which the nearest is taken."""
    reach = CRITERIA[criterion].reach(dev._pair, dev.prior)
    if reach is None:
        return
    beyond = np.flatnonzero((alpha < reach[0] - TARGET_MET) | (alpha > reach[1] + TARGET_MET))
    if beyond.size:
        warn(
            f"{beyond.size} of {alpha.size} targets are out of reach on dev, first"
            f" {criterion} {float(alpha[beyond[0]])!r} at index {beyond[0]}; thresholds reach"
            f" {reach[0]:.6g} to {reach[1]:.6g} there. The nearest one is taken.",
            TargetWarning,
        )


def checked_alphas(
    alpha: npt.ArrayLike | None, *, single: bool, criterion: str, name: str = "alpha"
) -> FloatArray:
    """The criterion's parameter as fractions; equally spaced where left out."""
    if single:
        if alpha is not None:
            raise InputError.about(name)(f"criterion {criterion!r} has no {name}: leave it out.")
        return np.array([0.5])
    if alpha is None:
        return np.linspace(0.0, 1.0, _AUTOMATIC_ALPHAS)
    values = np.atleast_1d(checks.rate_array(alpha, name))
    if values.ndim != 1 or values.size == 0:
        hint = f"Give such as {name}=[0.1, 0.5], or leave it out."
        raise refusal(name, "be a list of at least one fraction", f"shape {values.shape}", hint)
    return np.array(values)


# ---------------------------------------------------------------------- what is given
def side(
    value: SideInput | StrataFits, prior: float | None, over: Over = POOLED, name: str = ""
) -> ScoreModel:
    """One side as a model: empirical distributions for scores, the fitted model of a fit."""
    model = value.model if isinstance(value, SupportedPair) else value
    if isinstance(model, StrataFits):
        model = model.model_over(over)
    elif isinstance(model, ScoreData):
        model = empirical_model(model) if over == POOLED else model_over(model, over, f" of {name}")
    elif over != POOLED:
        rule, actual = "be pooled of a model or a fit of all", checks.format_value(over)
        remedy = 'Give scores with strata, or fits of them (`by="stratum"`).'
        raise refusal("over", rule, actual, worded(remedy))
    return model if prior is None else replace(model, prior=prior)


def support_of(value: SideInput | StrataFits, over: Over) -> SampleSupport | None:
    """What the data behind a side say of rates; over strata those of the one with the fewest."""
    if isinstance(value, StrataFits):
        return min((part._evidence for part in value.fits), key=lambda item: min(item.sizes))
    if over == POOLED or not isinstance(value, ScoreData):
        return scores_beyond.evidence_of(value)
    pieces = [piece for who in CLASSES if len(getattr(value.strata, who)) > 1
              for piece in value._pieces(who).values()]  # fmt: skip
    return min(map(SampleSupport, pieces), key=lambda item: min(item.sizes))


# ---------------------------------------------------------------------- what is drawn
def empirical_laws(model: ScoreModel, name: str) -> tuple[Empirical, Empirical]:
    """Both distributions of a side that can be resampled: scores with whole weights."""
    client, impostor = model.client, model.impostor
    if not is_counted(client) or not is_counted(impostor):
        _refuse_model(model, name)
    check_fractional_weights(client.weights, f"{name} {CLIENT}")
    check_fractional_weights(impostor.weights, f"{name} {IMPOSTOR}")
    return client, impostor


def _refuse_model(model: ScoreModel, name: str) -> NoReturn:
    kinds = f"{type(model.client).__name__} and {type(model.impostor).__name__} distributions"
    other = worded(' or take `resample="test"`') if name == "dev" else ""
    actual, hint = f"a model of {kinds}, which has no rows", f"Give Scores as {name} of epc{other}."
    raise refusal(name, "be scores to be resampled", actual, hint)


def observed_prior(e: Epc, name: str) -> bool:
    """Whether the prior of a side is the share of clients among its scores."""
    model, scores, fit = e._side(name)
    client, impostor = model.client, model.impostor
    if e.prior_given or not is_counted(client) or not is_counted(impostor):
        return False
    # A model, other than that of a summary, states its prior.
    if scores is None and fit is None and not is_binned(client):
        return False
    return model.prior == client.total / (client.total + impostor.total)


def side_trials(e: Epc, name: str) -> ScoredTrials:
    """The scores of an empirical side, with its groups if it has any."""
    model, scores, fit = e._side(name)
    if scores is not None:
        return scores._trials
    if fit is not None and isinstance(fit.scores, Scores):
        return fit.scores._trials
    if not decides_by_counts(model._pair):
        _refuse_model(model, name)
    laws = model._pair.client, model._pair.impostor
    return BareTrials(*(law.values for law in laws), *(law.weights for law in laws))


def side_groups(e: Epc, name: str, *, groups: bool) -> Groups | None:
    """What the trials of a side depend on; None where they are taken as independent."""
    _, scores, fit = e._side(name)
    data = fit.scores if scores is None and fit is not None else scores
    return groups_of(data) if groups else None


#: Measures as they stand in a sentence.
_SHORT = {"far": FAR, "frr": FRR, "tpr": TPR, "tnr": TNR, "hter": HTER, "mcc": "MCC"}


def inside(alpha: FloatArray, used: tuple[float, float]) -> BoolArray:
    """Which alphas lie in a range."""
    return np.asarray((alpha >= used[0] - SAME_ALPHA) & (alpha <= used[1] + SAME_ALPHA))


def larger_is_better(measure: str) -> bool:
    """The direction of a measure; a weighted error is better small."""
    known = MEASURES.get(measure)
    return known is not None and known.larger_is_better


def short_measure(measure: str) -> str:
    """A measure as it stands in a sentence."""
    return _SHORT.get(measure, measure_title(measure))


def area_range(e: Epc, low: float | None, high: float | None) -> tuple[float, float]:
    """The range of an area, inside that of the curve."""
    if CRITERIA[e.criterion].single:
        raise InputError(f"criterion {e.criterion!r} has no alpha, so its curve has no area.")
    first, last = float(e.alpha.min()), float(e.alpha.max())
    start, stop = checks.ascending(first if low is None else low, last if high is None else high)
    if start < first or stop > last:
        rule = f"satisfy {first!r} <= low < high <= {last!r}, the curve's own range of alpha"
        raise refusal("low and high", rule, f"low={start!r}, high={stop!r}", "Take a part of it.")
    return start, stop


def range_of(e: Epc, low: float | None, high: float | None) -> tuple[float, float]:
    """The alphas of the average: those asked for, else the curves' from 0.1 to 0.9."""
    if low is not None or high is not None:
        return area_range(e, low, high)
    first, last = float(e.alpha.min()), float(e.alpha.max())
    low, high = max(_RANGE[0], first), min(_RANGE[1], last)
    return (low, high) if low < high else (first, last)


# ------------------------------------------------------------------------- what is said
#: Test scores up to which an interval takes no time, and its level.
_MANY, _LEVEL = 20_000, 0.95
#: So many alphas are all shown, of more five.
_ALL, _FIVE = 11, 5
#: Sums of the same rates in another order are equal to this.
_NOTHING = 1e-12


def curve_view(
    e: Epc, around: Band | None = None, *, picture: bool = True, terms: str = BIOMETRIC
) -> list[tree.Node]:
    """What is shown of a curve."""
    axes = slotted_axes(e)
    grid = curve_grid(e, around)
    around = _quick_band(e) if around is None else around
    nodes: list[tree.Node] = [curve_answer(e)]
    nodes += [] if around is None else [tree.Paragraph(_interval_words(around))]
    nodes += [grid, *(tree.Paragraph(text) for text in (loss_words(e), *cautions(e)))]
    if axes.single or e.alpha.size == 1 or not picture:
        return nodes
    drawn = None
    if around is not None:  # undefined but at its alphas
        ends = dict(zip(around.alpha, zip(around.low, around.high, strict=True), strict=True))
        low, high = np.array([ends.get(a, (np.nan, np.nan)) for a in e.alpha]).T
        drawn = DrawnBand(low, high, f"{numbers.level_words(around.level)}, observed")
    named, _ = axes_of(e, "linear", terms)
    draw = partial(
        draw_epc, None, e.alpha, e.value, e.trivial, named, {}, band=drawn, expected=e.expected
    )
    nodes.append(tree.Figure(draw, "", f"{axes.measure} against {axes.alpha}"))
    return [*nodes, *_strata_nodes(e, terms)]


def _strata_nodes(e: Epc, terms: str) -> list[tree.Node]:
    curves = {} if e.test_scores is None else e.strata
    if not curves:
        return []
    # The mean over alpha, larger where it is worse.
    sign = 1.0 if larger_is_better(e.measure) else -1.0
    order = sorted(curves, key=lambda name: sign * float(np.nanmean(curves[name].value)))
    shown = {name: curves[name] for name in order[:PANELS]}
    rest = f", the {PANELS} costliest of {len(curves)}" * (len(curves) > PANELS)
    figure = tree.Figure(partial(draw_epcs, shown, "linear", terms), "", f"Each stratum{rest}")
    grid: Any = curves_view(shown)[1]
    grid = replace(grid, head=("stratum", *grid.head[1:]))
    return [tree.Section(f"Each stratum at these thresholds{rest}", (grid, figure), folded=True)]


def curve_answer(e: Epc) -> tree.Paragraph:
    """What was observed, between which values."""
    axes = slotted_axes(e)
    names = ((role, getattr(e, role).name) for role in ("dev", "test"))
    on = {role: f"{role} {numbers.name_shown(name)}" if name else role for role, name in names}
    known = e.value[np.isfinite(e.value)]
    reach = axes.span(np.min(known), np.max(known)) if known.size else "undefined"
    of = " of the worst stratum" if isinstance(e.over, str) else " of the mean over strata"
    if e.over == POOLED:
        many = 0 if e.test_scores is None else max(map(len, e.test_scores.strata))
        of = f" of the mixture of {many} strata" * (many > 1)
    what = f"{measure_title(e.measure)}{of} observed on {on['test']}"
    text = f"{what} at thresholds chosen for {e.criterion} on {on['dev']}"
    return tree.Paragraph(text, "answer", reach or axes.shown(known[0]))


def shown_places(alpha: FloatArray) -> list[int]:
    """Places of all alphas, ascending, or of five, such as 0.1, 0.3, ..."""
    order = np.argsort(alpha, kind="stable")
    if order.size > _ALL:
        some = np.arange(1, 2 * _FIVE, 2) * (order.size - 1) / (2.0 * _FIVE)
        order = order[np.rint(some).astype(np.int64)]
    return [*map(int, order)]


def curve_grid(e: Epc, around: Band | None = None) -> tree.Grid:
    """Some alphas with threshold, measure, both rates, and the scores that speak."""
    axes = slotted_axes(e)
    keep = curve_columns(e)
    if around is not None and around.alpha.size == e.alpha.size:
        keep |= {"low": around.low.tolist(), "high": around.high.tolist()}
    around = _quick_band(e) if around is None else around
    places = {} if around is None else {a: k for k, a in enumerate(around.alpha.tolist())}
    values, beyond = (e.value, e.expected, e.a_posteriori), e.n_beyond
    rates, threshold = (e.far, e.frr), e.threshold
    rejects = e.trivial & (np.asarray(e.dev._pair.frr(e.chosen)) == 1.0)
    rows = []
    for k in shown_places(e.alpha):
        j, (value, expected, best) = places.get(float(e.alpha[k])), (float(v[k]) for v in values)
        span = "" if around is None or j is None else axes.span(around.low[j], around.high[j])
        rows.append(tree.Row((
            "none" if axes.single else axes.alpha_shown(e.alpha[k]),
            numbers.rounded(math.inf if rejects[k] else float(threshold[k]), up=True),
            tree.Cell(axes.shown(expected), value=expected),
            tree.Cell(axes.shown(value), span, value),
            axes.shown(best),
            *(tree.rate_cell(float(part[k])) for part in rates),
            "" if beyond is None else numbers.spaced(beyond[k]),
        )))  # fmt: skip
    interval = "" if around is None else f"{numbers.level_words(around.level)} interval"
    observed = tree.Cell("observed, test", interval)
    head: tuple[tree.Cell | str, ...] = (
            axes.alpha_name or "alpha", "threshold", "expected, dev", observed, "test's own choice",
            FAR, FRR, "scores beyond")  # fmt: skip
    return tree.Grid(head, tuple(rows), kept=keep, typeset=True)


def _quick_band(e: Epc) -> Band | None:
    """The interval at some fixed thresholds, where it is there at once."""
    test = e.test_scores
    if test is None or test.n_client + test.n_impostor > _MANY or groups_of(test) is not None:
        return None
    try:
        with suppress_warnings():
            shown = shown_places(e.alpha)
            some = replace(e, alpha=e.alpha[shown], chosen=e.chosen[shown])
            method = "delta" if e.over == POOLED else "bootstrap"
            return some.band(_LEVEL, method=method, resample="test")
    except BetarocError:
        return None


# ------------------------------------------------------------------------------- words
def _interval_words(around: Band) -> str:
    level = numbers.level_words(around.level)
    each = "intervals, each alpha by itself"
    if around.simultaneous:
        each = "band of the whole curve at once"
    of = "of test at these very thresholds: how dev's choice would vary is not in it"
    if around.resample == "both":
        of = "of dev's choice and of test"
    replicates = f"; {numbers.counted(around.replicates, 'replicate')}" if around.replicates else ""
    sizes = zip(("dev", "test"), around.groups or (), strict=False)
    groups = [f"{n} groups of {role}" for role, n in sizes if n is not None]
    by = f"; {vocabulary.TRIALS} drawn by {' and '.join(groups)}" if groups else ""
    return f"{level} {each}, {of}{replicates}{by}."


def loss_words(e: Epc) -> str:
    """What was expected and observed at a middle alpha, and why they differ."""
    axes = slotted_axes(e)
    shown = shown_places(e.alpha)
    k = shown[len(shown) // 2]
    expected, value, best = (float(v[k]) for v in (e.expected, e.value, e.a_posteriori))
    at = "" if axes.single else f"At {axes.alpha_name} {axes.alpha_shown(e.alpha[k])}: "
    phrase = f"{at}{axes.shown(expected)} expected, {axes.shown(value)} observed"
    if math.isnan(value + expected + best) or abs(value - expected) <= _NOTHING:
        return f"{phrase}."

    def part(change: float) -> str:
        text = axes.change(change, unit=False)
        return f"{text} points" if axes.measure_is_rate else text

    phrase = f"{phrase}, a change of {part(value - expected)}"
    if e.criterion != WEIGHTED_ERROR or e.measure not in ("hter", WEIGHTED_ERROR, "dcf"):
        return f"{phrase}."
    less = "less" if best > expected else "more"
    than = "on dev" if e.dev_fit is None else "dev's fitted distributions say"
    parts = (
        (value - best, "test itself would choose another threshold"),
        (best - expected, f"the classes are {less} separable than {than}"),
    )
    why = [f"{part(change)} because {words}" for change, words in parts if abs(change) > _NOTHING]
    return f"{phrase}: {', '.join(why)}."


def cautions(e: Epc) -> list[str]:
    """The mean over alpha, trivial thresholds, and what is undefined."""
    axes = slotted_axes(e)
    lines = []
    mean = area_of(e)
    if not math.isnan(mean):
        low, high = numbers.number(float(e.alpha.min())), numbers.number(float(e.alpha.max()))
        lines.append(f"Mean over alpha from {low} to {high}: {axes.shown(mean)}.")
    if axes.alpha_is_rate:
        nearest = "The threshold whose rate on dev is nearest to alpha is taken, not the nearest at"
        lines.append(f"{nearest} most alpha: for a guarantee see br.decide.")
    accepts = np.asarray(e.dev.far(e.threshold)) == 1.0
    both = (vocabulary.ACCEPTED, accepts), (vocabulary.REJECTED, ~accepts)
    for verb, everybody in both:
        if np.any(e.trivial & everybody):
            where = "" if axes.single else f" {alphas_words(e.alpha[e.trivial & everybody])}"
            lines.append(f"Everybody of dev is {verb}{where}.")
    undefined = int(np.sum(np.isnan(e.value)))
    if undefined:
        lines.append(f"Undefined (0/0) on test at {undefined} of {e.alpha.size} alphas.")
    return lines


# ----------------------------------------------------------------------------- several
def curves_view(curves: Mapping[str, Epc]) -> list[tree.Node]:
    """One row per system: its mean over all alphas, and some of these."""
    first = next(iter(curves.values()))
    axes = slotted_axes(first)
    whole = first.alpha.size > 1
    places = shown_places(first.alpha)
    at = [f"at {axes.alpha_shown(first.alpha[k])}" if whole else "value" for k in places]
    keep: dict[str, list[Any]] = {"system": []}
    rows = []
    for name, e in curves.items():
        values = [*[float(np.mean(e.value))] * whole, *e.value[places].tolist()]
        rows.append(tree.Row((tree.as_named(name), *map(axes.shown, values))))
        keep["system"] += [name] * e.alpha.size
        for key, column in curve_columns(e).items():
            keep.setdefault(key, []).extend(column)
    what = f"{measure_title(first.measure)} observed on test at thresholds chosen for"
    head = ("system", *["mean"] * whole, *at)
    mean = f" Mean: over the {first.alpha.size} alphas." * whole
    return [
        tree.Paragraph(f"{what} {first.criterion} on dev.{mean}"),
        tree.Grid(head, tuple(rows), kept=keep, typeset=True),
        tree.Paragraph(
            "Which differences are more than chance: betaroc compare, br.compare_systems."
        ),
    ]


# ----------------------------------------------------------------------------- numbers
def curve_columns(e: Epc) -> dict[str, list[Any]]:
    """One entry per alpha; None as the alpha of a criterion without it."""
    columns = {name: values.tolist() for name, values in e._columns().items()}
    single = CRITERIA[e.criterion].single
    return columns | ({"alpha": [None]} if single else {})


def area_of(e: Epc) -> float:
    """The mean of the value over the curve's range; nan of one place or a coarse list."""
    return e.area() if np.ptp(e.alpha) > 0.0 and is_fine(e.alpha) else math.nan


def curve_numbers(e: Epc, around: Band | None = None) -> dict[str, Any]:
    """Arrays of one length, and how they were made."""
    interval = None
    if around is not None:
        names = ("level", "simultaneous", "resample", "replicates", "m")
        interval = {name: getattr(around, name).tolist() for name in ("low", "high")}
        interval |= fields_of(around, *names) | {"undefined": around.undefined.tolist()}
        interval |= {"groups": None if around.groups is None else list(around.groups)}
    return {
        **curve_columns(e), "band": interval, "area": area_of(e),
        **fields_of(e, "criterion", "measure"),
    }  # fmt: skip


def named_curves(curves: Mapping[str, Epc]) -> dict[str, Epc]:
    """The curves, their test sets called by the names of their systems."""
    return {name: replace(e, test=replace(e.test, name=name)) for name, e in curves.items()}


def average_words(e: Epc, used: tuple[float, float]) -> str:
    """The measure averaged over a range of alpha, as it stands in a sentence."""
    (low, high), measure = used, short_measure(e.measure)
    if CRITERIA[e.criterion].single:
        return measure
    where = f"averaged over alpha from {low:.6g} to {high:.6g}"
    return f"{measure} {f'at alpha {low:.6g}' if low == high else where}"


def better_word(measure: str) -> str:
    """Which values of a measure are better."""
    return "higher" if larger_is_better(measure) else "lower"
