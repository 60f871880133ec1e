"""What is said and shown of curves and their comparisons: sentences, tables, pictures, numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.containers import width_of
from betaroc.core.errors import BetarocError, refusal
from betaroc.core.notices import quietly
from betaroc.core.text import FINE, alphas_words, is_fine, shown
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import BIOMETRIC, FAR, FRR, capital, short_name
from betaroc.data.groups import groups_of
from betaroc.decision.bands import BandOptions, band
from betaroc.decision.curve import (
    ONE_CLASS_RATES,
    WEIGHTED_ERROR,
    EpcBase,
    axes_of,
    larger_is_better,
    short_measure,
    slotted_axes,
)
from betaroc.inference.interval import Band
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import measure_title
from betaroc.rendering.curves import DrawnBand, draw_epc
from betaroc.rendering.numbers import counted, level_words, name_shown, number, rounded, spaced
from betaroc.rendering.style import Axes
from betaroc.rendering.table_text import records
from betaroc.rendering.tree import (
    Cell,
    Figure,
    Grid,
    Group,
    Node,
    Row,
    Section,
    Words,
    as_named,
    foreign,
    rate_cell,
)

if TYPE_CHECKING:
    from betaroc.decision.comparison import (
        AlphaRange,
        Comparison,
        ProportionTest,
        SystemsComparison,
    )
    from betaroc.decision.epc import Epc

#: Test scores up to which an interval takes no time, and its level.
_MANY, _LEVEL = 20_000, 0.95
#: So many alphas are all shown, of more five.
_ALL, _FIVE = 11, 5
#: Sums of the same rates in another order are equal to this.
_NOTHING = 1e-12


def curve_view(e: Epc, around: Band | None = None, *, picture: bool = True) -> list[Node]:
    """The range of the observed measure, its table, why it is not what was expected, and both."""
    axes = slotted_axes(e)
    grid = curve_grid(e, around)
    around = _quick_band(e) if around is None else around
    nodes: list[Node] = [curve_answer(e)]
    nodes += [] if around is None else [Words(_interval_words(around))]
    nodes += [grid, *(Words(text) for text in (loss_words(e), *cautions(e)))]
    if axes.single or e.alpha.size == 1 or not picture:
        return nodes
    drawn = None
    if around is not None:  # undefined but at its alphas
        ends = dict(zip(around.alpha, zip(around.low, around.high, strict=True), strict=True))
        low, high = np.array([ends.get(a, (np.nan, np.nan)) for a in e.alpha]).T
        drawn = DrawnBand(low, high, f"{level_words(around.level)}, observed")
    named, _ = axes_of(e, "linear", BIOMETRIC)
    draw = partial(
        draw_epc, None, e.alpha, e.value, e.trivial, named, {}, band=drawn, expected=e.expected
    )
    return [*nodes, Figure(draw, "", f"{axes.measure} against {axes.alpha}")]


def curve_answer(e: EpcBase) -> Words:
    """What was observed, between which values."""
    axes = slotted_axes(e)
    names = {role: getattr(e, role).name for role in ("dev", "test")}
    on = {role: f"{role} {name_shown(name)}" if name else role for role, name in names.items()}
    known = e.value[np.isfinite(e.value)]
    reach = axes.span(np.min(known), np.max(known)) if known.size else "undefined"
    what = f"{measure_title(e.measure)} observed on {on['test']}"
    text = f"{what} at thresholds chosen for {e.criterion} on {on['dev']}"
    return Words(text, "answer", reach or axes.shown(known[0]))


def shown_places(alpha: FloatArray) -> list[int]:
    """Places of all alphas, ascending, where they are few, else of five, such as 0.1, 0.3, ..."""
    order = np.argsort(alpha, kind="stable")
    if order.size > _ALL:
        some = np.arange(1, 2 * _FIVE, 2) * (order.size - 1) / (2.0 * _FIVE)
        order = order[np.rint(some).astype(np.int64)]
    places: list[int] = order.tolist()
    return places


def curve_grid(e: Epc, around: Band | None = None) -> Grid:
    """Some alphas, each with its threshold, the measure, both rates, and the scores that speak."""
    axes = slotted_axes(e)
    keep = curve_columns(e)
    if around is not None and around.alpha.size == e.alpha.size:
        keep |= {"low": around.low.tolist(), "high": around.high.tolist()}
    around = _quick_band(e) if around is None else around
    places = {} if around is None else {a: k for k, a in enumerate(around.alpha.tolist())}
    values, result, beyond = (e.value, e.expected, e.a_posteriori), e._rates_made, e.n_beyond
    rates, threshold = (e.far, e.frr, *result.values()), e.threshold
    rejects = e.trivial & (np.asarray(e.dev._pair.frr(e.chosen)) == 1.0)
    rows = []
    for k in shown_places(e.alpha):
        j, (value, expected, best) = places.get(float(e.alpha[k])), (float(v[k]) for v in values)
        span = "" if around is None or j is None else axes.span(around.low[j], around.high[j])
        rows.append(Row((
            "none" if axes.single else axes.alpha_shown(e.alpha[k]),
            "reject all" if rejects[k] else rounded(float(threshold[k]), up=True),
            Cell(axes.shown(expected), value=expected),
            Cell(axes.shown(value), span, value),
            axes.shown(best),
            *(rate_cell(float(part[k])) for part in rates),
            "" if beyond is None else spaced(beyond[k]),
        )))  # fmt: skip
    interval = "" if around is None else f"{level_words(around.level)} interval"
    observed = Cell("observed, test", interval)
    head: tuple[Cell | str, ...] = (
            axes.alpha_name or "alpha", "threshold", "expected, dev", observed, "test's own choice",
            FAR, FRR, *map(str.upper, result), "scores beyond")  # fmt: skip
    return Grid(head, tuple(rows), kept=keep, typeset=True)


def _quick_band(e: EpcBase) -> Band | None:
    """The interval at some fixed thresholds, where it is there at once."""
    test = e.test_scores
    if test is None or test.n_client + test.n_impostor > _MANY or groups_of(test) is not None:
        return None
    try:
        with quietly():
            shown = shown_places(e.alpha)
            some = replace(e, alpha=e.alpha[shown], chosen=e.chosen[shown])
            return band(some, BandOptions(_LEVEL, "delta", resample="test"))
    except BetarocError:
        return None


# ------------------------------------------------------------------------------- words
def _interval_words(around: Band) -> str:
    """Which interval it is, and what varied in it."""
    level = level_words(around.level)
    what = f"{level} intervals, each alpha by itself"
    if around.simultaneous:
        what = f"{level} band of the whole curve at once"
    units = "scores" if around.groups is None or around.groups[0] is None else "groups"
    of = "of test at these very thresholds: how dev's choice would vary is not in it"
    if around.resample == "both":
        drawn = "" if around.m is None else f" ({around.m} {units} per replicate)"
        of = f"of dev's choice{drawn} and of test"
    replicates = f"; {counted(around.replicates, 'replicate')}" if around.replicates else ""
    numbers = zip(("dev", "test"), around.groups or (), strict=False)
    groups = [f"{n} groups of {role}" for role, n in numbers if n is not None]
    by = f"; trials drawn by {' and '.join(groups)}" if groups else ""
    return f"{what}, {of}{replicates}{by}."


def loss_words(e: EpcBase) -> str:
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
    threshold = (
        "none because of the threshold, which is as good as test's own"
        if abs(value - best) <= _NOTHING
        else f"{part(value - best)} because test itself would choose another threshold"
    )
    less = "less" if best > expected else "more"
    than = "on dev" if e.dev_fit is None else "dev's fitted distributions say"
    separability = (
        "none because of the classes, which are as well separable as before"
        if abs(best - expected) <= _NOTHING
        else f"{part(best - expected)} because the classes are {less} separable than {than}"
    )
    return f"{phrase}: {threshold}, {separability}."


def cautions(e: Epc) -> list[str]:
    """The mean over alpha or why there is none, trivial thresholds, and what is undefined."""
    axes = slotted_axes(e)
    lines = []
    if np.ptp(e.alpha) > 0.0:
        low, high = number(float(e.alpha.min())), number(float(e.alpha.max()))
        lines.append(f"Mean over alpha from {low} to {high}: {axes.shown(area_of(e))}.")
        if not is_fine(e.alpha):
            gap = number(float(np.max(np.diff(np.sort(e.alpha)))), 3)
            lines[-1] = (
                f"Mean over alpha: left out, since the {e.alpha.size} alphas are up to {gap} apart;"
                f" it needs gaps of at most {number(FINE, 3)}."
            )
    if axes.alpha_is_rate:
        lines.append(
            "The threshold whose rate on dev is nearest to alpha is taken, not the nearest at most"
            " alpha: for a guarantee see br.decide."
        )
    order = np.argsort(e.alpha, kind="stable")
    accepts = np.asarray(e.dev.far(e.threshold[order])) == 1.0
    kind = np.where(e.trivial[order], np.where(accepts, 1, 2), 0)
    starts = np.flatnonzero(np.diff(kind, prepend=-1) != 0)
    for start, stop in zip(starts, [*starts[1:], kind.size], strict=True):
        if kind[start]:
            where = "" if axes.single else f" {alphas_words(e.alpha[order][start:stop])}"
            verb = "accepted" if kind[start] == 1 else "rejected"
            lines.append(f"Everybody of dev is {verb}{where}.")
    undefined = int(np.sum(np.isnan(e.value)))
    if undefined:
        lines.append(f"Undefined (0/0) on test at {undefined} of {e.alpha.size} alphas.")
    return lines


# ----------------------------------------------------------------------------- several
def curves_view(curves: Mapping[str, Epc]) -> list[Node]:
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
        rows.append(Row((as_named(name), *map(axes.shown, values))))
        keep["system"] += [name] * e.alpha.size
        for key, column in curve_columns(e).items():
            keep.setdefault(key, []).extend(column)
    what = f"{measure_title(first.measure)} observed on test at thresholds chosen for"
    head = ("system", *["mean"] * whole, *at)
    mean = f" Mean: over the {first.alpha.size} alphas." * whole
    return [
        Words(f"{what} {first.criterion} on dev.{mean}"),
        Grid(head, tuple(rows), kept=keep, typeset=True),
        Words("Which differences are more than chance: betaroc compare, br.compare_systems."),
    ]


# ----------------------------------------------------------------------------- numbers
def curve_columns(e: Epc) -> dict[str, list[Any]]:
    """One entry per alpha; None as the alpha of a criterion without it."""
    columns = {name: values.tolist() for name, values in e._columns().items()}
    single = CRITERIA[e.criterion].single
    return columns | ({"alpha": [None]} if single else {})


def area_of(e: Epc) -> float:
    """The mean of the value over the curve's own range; nan of one place or a coarse list."""
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


#: Measures that weigh the errors of both classes: the count of all errors says something of them.
OF_ALL_ERRORS = ("hter", "weighted-error", "dcf", "accuracy", "youden")

#: So many ranges of alphas, and systems, are named one by one; rows of a table.
_RANGES, _NAMED, _ROWS = 4, 4, 30


def comparison_view(c: Comparison) -> list[Node]:
    """The verdict, both values and their difference at some alphas, what was drawn, the band."""
    axes = slotted_axes(c.first)
    first, second = (name_shown(name, 24) for name in c.names)
    nodes: list[Node] = [Words(f"{verdict_words(c, (first, second))}."), comparison_grid(c)]
    nodes += map(Words, _caution_words(c))
    nodes += [_proportion_tests(c)] * (c.first.measure in OF_ALL_ERRORS)
    if axes.single or c.alpha.size == 1:
        return nodes
    about = f"{axes.measure}, {first} less {second}, against {axes.alpha}"
    return [*nodes, Figure(partial(c.plot_difference, names=(first, second)), "", about)]


def comparison_grid(c: Comparison) -> Grid:
    """Some alphas, each with both values, their difference, and who is better by the band."""
    axes = slotted_axes(c.first)
    named: tuple[Any, ...] = ("none named", *map(foreign, c.names))
    each = f"{level_words(c.level)}{', each alpha by itself' * (c.alpha.size > 1)}"
    head = (axes.alpha_name or "alpha", *named[1:], Cell("difference", each),
            Cell("better", "all alphas at once" * (c.alpha.size > 1)))  # fmt: skip
    rows = tuple(
        Row((
            "none" if axes.single else axes.alpha_shown(c.alpha[k]),
            axes.shown(c.first.value[k]),
            axes.shown(c.second.value[k]),
            Cell(axes.change(c.difference[k]), axes.changes(c.low[k], c.high[k]),
                 float(c.difference[k]), float(c.low[k]), float(c.high[k])),
            named[c.better[k]],
        ))
        for k in shown_places(c.alpha)
    )  # fmt: skip
    return Grid(head, rows, (4,), comparison_columns(c), typeset=True)


def _caution_words(c: Comparison) -> list[str]:
    """What was drawn, what one rate leaves out, and what is undefined."""
    lines = [drawn_words(c, c.differences.shape[0])]
    if c.first.measure in ONE_CLASS_RATES:
        left_out = "frr" if ONE_CLASS_RATES[c.first.measure][0] == FAR else "far"
        shown = shown_places(c.alpha)
        k = shown[len(shown) // 2]
        axes = slotted_axes(c.first)
        at = "" if axes.single else f" at {axes.alpha_name} {axes.alpha_shown(c.alpha[k])}"
        rates = (float(getattr(e, left_out)[k]) for e in (c.first, c.second))
        both = (f"{100.0 * rate:.3g} % for {name_shown(name, 24)}"
                for rate, name in zip(rates, c.names, strict=True))  # fmt: skip
        lines.append(
            f"{axes.measure} alone is judged. The {short_name(left_out)} at the same thresholds"
            f"{at} is {' and '.join(both)}: a system is better where neither rate is higher."
        )
    undefined = int(np.sum(np.isnan(c.difference)))
    if undefined:
        lines.append(f"Undefined (0/0) at {undefined} of {c.alpha.size} alphas.")
    return lines


def drawn_words(c: Comparison | SystemsComparison, replicates: int) -> str:
    """What varied in the replicates, and which trials the systems share."""
    trials = "the same test trials of all systems" if c.paired else "test trials of each system"
    by = ""
    if c.groups is not None:
        numbers = " and ".join(str(n) for n in dict.fromkeys(c.groups) if n is not None)
        by = f" by {numbers} groups"
    start = f"Intervals by {counted(replicates, 'replicate')}, each of which draws"
    if c.resample == "test":
        return (
            f"{start} {trials}{by} at these very thresholds: what other dev scores would choose is"
            " not in them."
        )
    dev = "the same dev trials of all systems" if c.dev_paired else "dev trials of each system"
    return f"{start} {dev}, chooses thresholds again, and draws {trials}{by}."


def proportion_tests(c: Comparison) -> list[tuple[int, ProportionTest]]:
    """By place at the alphas of the table, where the measure is of the errors of both classes."""
    if c.first.measure not in OF_ALL_ERRORS:
        return []
    alone = CRITERIA[c.first.criterion].single
    return [
        (k, c.proportion_test(None if alone else float(c.alpha[k]))) for k in shown_places(c.alpha)
    ]


def _proportion_tests(c: Comparison) -> Section:
    axes = slotted_axes(c.first)
    rows = []
    for k, test in proportion_tests(c):
        errors = (f"{e} of {n}" for e, n in zip(test.errors, test.trials, strict=True))
        numbers = number(test.statistic, 3), number(test.p_value, 3)
        alpha = "none" if axes.single else axes.alpha_shown(c.alpha[k])
        rows.append(Row((alpha, *errors, *numbers)))
    why = "all decisions are taken as independent of each other"
    if c.groups is not None:
        why += " and groups are ignored: the interval above is the one to quote"
    elif c.paired:
        why = "it is too cautious for paired trials: the interval above is the one to quote"
    names = (foreign(name) for name in c.names)
    heads = (Cell(name, "errors") for name in names)
    grid = Grid((axes.alpha_name or "alpha", *heads, "z", "p"), tuple(rows))
    title = "Proportion test on all errors at these two thresholds"
    return Section(title, (grid,), why, folded=True)


# -------------------------------------------------------------------------- in words
def both_names(names: tuple[str, str], value: Sequence[str] | None) -> tuple[str, str]:
    """What the systems are called: as given, else as they are called without."""
    if value is None:
        return names
    if width_of(value) != 2 or not all(isinstance(item, str) for item in value):
        hint = 'Give two, such as names=("A", "B").'
        raise refusal("names", "be those of the two systems", shown(value), hint)
    return value[0], value[1]


def verdict_words(of: Comparison, names: tuple[str, str]) -> str:
    """The area, which alone may name a better system; then single alphas, by the whole band."""
    start = "at these two thresholds, " if of.resample == "test" else ""
    text = start + "; ".join(filter(None, [_area_words(of, names), _band_words(of, names)]))
    return capital(text) if start else text


def _area_words(of: Comparison, names: tuple[str, str]) -> str:
    """The difference averaged over alpha, and what may be said of it."""
    measure, where = short_measure(of.first.measure), where_words(of.first, of.alpha_range)
    mean = of.mean_difference
    why = of.cannot_tell
    if why:
        return (
            f"cannot tell which of {names[0]} and {names[1]} has the {way_words(of.first.measure)}"
            + (f" {measure}{where}: {why}")
        )
    interval = f"{level_words(of.level)} interval {mean.low:.3g} to {mean.high:.3g}"
    if mean.low <= 0.0 <= mean.high:
        return (
            f"no better system can be named: {measure}{where}, {names[0]} - {names[1]}, is"
            f" {mean.estimate:.3g} ({interval}, which holds 0)"
        )
    better = names[0] if of.better_on_average == "a" else names[1]
    return (
        f"{better} is better: {measure}{where}, {names[0]} - {names[1]}, is {mean.estimate:.3g}"
        f" ({interval})"
    )


def _band_words(of: Comparison, names: tuple[str, str]) -> str:
    """Where the simultaneous band excludes 0; nothing where there is but one alpha."""
    if of.alpha.size == 1 or of.too_few:
        return ""
    start = f"the simultaneous {level_words(of.level)} band of the difference excludes 0"
    result = of.ranges
    if not result:
        return f"{start} at no single alpha"
    measure, way = short_measure(of.first.measure), way_words(of.first.measure)
    parts = []
    for system, name in zip("ab", names, strict=True):
        own = [item for item, who in zip(result, of.ranges_better, strict=True) if who == system]
        if own:
            parts.append(f"{_ranges_words(of.alpha, own)} ({way} {measure}: {name})")
    return f"{start} {' and '.join(parts)}"


def _ranges_words(alpha: FloatArray, result: list[AlphaRange]) -> str:
    """Ranges of one system; of many only between which alphas they lie."""
    inside = [alpha[(alpha >= item.low) & (alpha <= item.high)] for item in result]
    if len(result) <= _RANGES:
        return " and ".join(alphas_words(part) for part in inside)
    low, high = result[0].low, result[-1].high
    among = int(((alpha >= low) & (alpha <= high)).sum())
    return (
        f"at {sum(part.size for part in inside)} of the {among} alphas from {low:.6g} to {high:.6g}"
    )


def where_words(e: Epc, used: tuple[float, float]) -> str:
    """Which average it is."""
    if CRITERIA[e.criterion].single:
        return ""
    low, high = used
    if low == high:
        return f" at alpha {low:.6g}"
    return f" averaged over alpha from {low:.6g} to {high:.6g}"


def way_words(measure: str) -> str:
    """Which values of a measure are better."""
    return "higher" if larger_is_better(measure) else "lower"


# ------------------------------------------------------------------- any number of systems
def systems_verdict(c: SystemsComparison, names: Sequence[str]) -> str:
    """One sentence: whether a best system is shown, and how many differences are."""
    e, by = c.curves[0], dict(zip(c.names, names, strict=True))
    what, way = f"{short_measure(e.measure)}{where_words(e, c.alpha_range)}", way_words(e.measure)
    start = "At these very thresholds, " if c.resample == "test" else ""
    ranking, pairs = [by[name] for name in c.ranking], c.first.size
    if c.cannot_tell:
        return (
            f"{start}cannot tell which of {_named(ranking)} has the {way} {what}: {c.cannot_tell}"
        )
    at_once = f"{level_words(c.level)} " + (
        "interval of the difference" if pairs == 1
        else f"intervals of all {pairs} differences at once"
    )  # fmt: skip
    best, others = ranking[0], len(ranking) - 1
    rivals = [by[name] for name in c.ranking[1:] if (c.ranking[0], name) not in c.shown]
    mean = f"{c.mean[c._order[0]]:.3g}"
    if not rivals:
        than = ranking[1] if others == 1 else f"each of the {others} others"
        return f"{start}{best} is better than {than}: its {what} is {mean} ({at_once})"
    number = len(c.shown)
    text = f"{number} of {pairs} differences are shown" if number else "no difference is shown"
    return (
        f"{start}no best system can be named: {_named([best, *rivals])} cannot be told apart by the"
        f" {what}, of which {best} has the {way.replace('er', 'est')}, {mean}; {text} ({at_once})"
    )


def _named(names: Sequence[str]) -> str:
    """Some names, and how many more."""
    if len(names) > _NAMED:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def systems_view(c: SystemsComparison) -> Sequence[Node]:
    """The verdict, the ranking, what was drawn, and the curves of the best."""
    first = c.curves[0]
    axes = slotted_axes(first)
    called = [name_shown(name, 24) for name in c.names]
    if len({*called}) < len(called):  # without their middles they are the same
        called = [name_shown(f"{k} {name}", 24) for k, name in enumerate(c.names, 1)]
    nodes: list[Node] = [
        Words(f"{systems_verdict(c, called)}."), systems_grid(c),
        Words(drawn_words(c, c.replicates)),
    ]  # fmt: skip
    if axes.single or first.alpha.size == 1:
        return nodes
    best, whole = c._order[:_NAMED], np.zeros(first.alpha.size, dtype=bool)
    drawn, _ = axes_of(first, "linear", BIOMETRIC)

    def draw() -> Axes | None:
        ax = None
        for k in best:
            ax = draw_epc(ax, first.alpha, c.curves[k].value, whole, drawn, {"label": called[k]})
        return ax

    about = f"{axes.measure} against {axes.alpha} of {len(best)} of {len(called)} systems"
    return [*nodes, Figure(draw, "", about)]


def systems_grid(c: SystemsComparison) -> Grid:
    """The ranking, of many systems the best."""
    axes = slotted_axes(c.curves[0])
    ranks = c._ranks()
    rows: list[Row | Group] = [
        Row((foreign(name), Cell(axes.shown(mean), value=float(mean)), str(better),
             str(worse), letters))
        for _, name, mean, better, worse, letters in zip(*ranks.values(), strict=True)
    ]  # fmt: skip
    left = [Group(f"{len(rows) - _ROWS} more systems")] * (len(rows) > _ROWS)
    head = ("system", f"mean {axes.measure}", "shown better than", "shown worse than",
            "same letter: not told apart")  # fmt: skip
    return Grid(head, (*rows[:_ROWS], *left), (4,), ranks, typeset=True)


# ----------------------------------------------------------------------------- numbers
def comparison_columns(c: Comparison) -> dict[str, list[Any]]:
    """One entry per alpha."""
    called = (None, *c.names)
    ends = ("difference", "low", "high", "significant", "band_low", "band_high")
    first, second = curve_columns(c.first), curve_columns(c.second)
    return {
        "alpha": first["alpha"],
        "threshold_a": first["threshold"], "threshold_b": second["threshold"],
        "value_a": first["value"], "value_b": second["value"],
        **{name: getattr(c, name).tolist() for name in ends},
        "better": [called[k] for k in c.better],
    }  # fmt: skip


def comparison_numbers(c: Comparison) -> dict[str, Any]:
    """Arrays of one length, where the systems differ, and how it was judged."""
    single, order = CRITERIA[c.first.criterion].single, np.sort(c.alpha)
    by_letter, better = dict(zip("ab", c.names, strict=True)), c.better_on_average
    ranges = []
    for run, system in zip(c.ranges, c.ranges_better, strict=True):
        ends = (None, None) if single else (run.low, run.high)
        alphas = [None] if single else order[(order >= run.low) & (order <= run.high)].tolist()
        ranges.append({"low": ends[0], "high": ends[1], "alphas": alphas,
                       "better": by_letter[system]})  # fmt: skip
    tests = [{"alpha": None if single else float(c.alpha[k]), **test._asdict()}
             for k, test in proportion_tests(c)]  # fmt: skip
    return {
        "verdict": c.verdict,
        "mean_difference": {
            **fields_of(c.mean_difference, "estimate", "low", "high", "level", "method"),
            "alpha": [None, None] if single else list(c.alpha_range),
            "better": None if better is None else by_letter[better],
        },
        **comparison_columns(c),
        "ranges": ranges,
        "proportion_test": tests or None,
        **design_numbers(c, c.first.criterion, c.first.measure),
        "names": list(c.names),
        "replicates": c.differences.shape[0],
    }


def design_numbers(
    c: Comparison | SystemsComparison, criterion: str, measure: str
) -> dict[str, Any]:
    """What was compared and how."""
    return {
        "criterion": criterion, "measure": measure, "larger_is_better": larger_is_better(measure),
        **fields_of(c, "level", "resample", "paired", "dev_paired"),
        "groups": None if c.groups is None else list(c.groups), "smallest": c.smallest._asdict(),
    }  # fmt: skip


def systems_numbers(c: SystemsComparison) -> dict[str, Any]:
    """The ranking, every pair, the curves, and how they were judged."""
    e = c.curves[0]
    single = CRITERIA[e.criterion].single
    curves = {
        name: {
            **{key: curve_columns(curve)[key] for key in ("threshold", "value")},
            "band_low": low.tolist(), "band_high": high.tolist(),
        }
        for name, curve, low, high in zip(c.names, c.curves, c.band_low, c.band_high, strict=True)
    }  # fmt: skip
    return {
        "verdict": c.verdict,
        "ranking": records(c._ranks()),
        "groups_alike": [list(group) for group in c.groups_alike],
        "pairs": records(c._pairs()),
        "alpha": curve_columns(e)["alpha"],
        "curves": curves,
        "mean_alpha": [None, None] if single else list(c.alpha_range),
        **design_numbers(c, e.criterion, e.measure),
        "names": list(c.names),
        "replicates": c.replicates,
    }
