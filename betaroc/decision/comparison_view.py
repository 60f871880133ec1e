"""What is said of a comparison: its verdict in a sentence, tables, pictures, and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.containers import width_of
from betaroc.core.errors import InputError
from betaroc.core.text import alphas_words, shown
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import BIOMETRIC
from betaroc.decision.curve import axes_of, larger_is_better, short_measure
from betaroc.decision.curve_view import curve_columns, some_alphas
from betaroc.model.criteria import CRITERIA
from betaroc.rendering.alphas import draw_epc
from betaroc.rendering.notebook import name_shown
from betaroc.rendering.numbers import counted, level_words, number
from betaroc.rendering.style import Axes
from betaroc.rendering.table_text import records
from betaroc.rendering.tree import Cell, Figure, Grid, Group, Node, Row, Section, Words, foreign

if TYPE_CHECKING:
    from betaroc.decision.comparison import (
        AlphaRange,
        Comparison,
        ProportionTest,
        SystemsComparison,
    )
    from betaroc.decision.epc import Epc

#: Measures that weigh the errors of both classes: the count of all errors says something of them.
OF_ALL_ERRORS = ("hter", "weighted-error", "dcf", "accuracy", "youden")
#: Measures that are a rate of one class, and the rate that they leave out.
_OTHER_RATE = {
    "far": "frr", "tnr": "frr", "specificity": "frr", "frr": "far", "tpr": "far", "recall": "far",
    "sensitivity": "far",
}  # fmt: skip

#: So many ranges of alphas, and systems, are named one by one; rows of a table.
_RANGES, _NAMED, _ROWS = 4, 4, 30


def comparison_view(c: Comparison) -> list[Node]:
    """The verdict, both values and their difference at some alphas, what was drawn, the band."""
    axes, _ = axes_of(c.first, "linear", BIOMETRIC)
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
    axes, _ = axes_of(c.first, "linear", BIOMETRIC)
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
        for k in _shown(c)
    )  # fmt: skip
    return Grid(head, rows, (4,), comparison_columns(c), typeset=True)


def _shown(c: Comparison) -> list[int]:
    order = np.argsort(c.alpha, kind="stable")
    places: list[int] = order[some_alphas(order.size)].tolist()
    return places


def _caution_words(c: Comparison) -> list[str]:
    """What was drawn, what one rate leaves out, and what is undefined."""
    lines = [drawn_words(c, c.differences.shape[0])]
    left_out = _OTHER_RATE.get(c.first.measure)
    if left_out is not None:
        shown = _shown(c)
        k = shown[len(shown) // 2]
        axes, _ = axes_of(c.first, "linear", BIOMETRIC)
        at = "" if axes.single else f" at {axes.alpha_name} {axes.alpha_shown(c.alpha[k])}"
        rates = (float(getattr(e, left_out)[k]) for e in (c.first, c.second))
        both = (f"{100.0 * rate:.3g} % for {name_shown(name, 24)}"
                for rate, name in zip(rates, c.names, strict=True))  # fmt: skip
        lines.append(
            f"{axes.measure} alone is judged. The {left_out.upper()} at the same thresholds"
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
    return [(k, c.proportion_test(None if alone else float(c.alpha[k]))) for k in _shown(c)]


def _proportion_tests(c: Comparison) -> Section:
    axes, _ = axes_of(c.first, "linear", BIOMETRIC)
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
def both_names(names: tuple[str, str], given: Sequence[str] | None) -> tuple[str, str]:
    """What the systems are called: as given, else as they are called without."""
    if given is None:
        return names
    if width_of(given) != 2 or not all(isinstance(one, str) for one in given):
        raise InputError.about("names")(
            f"names must be those of the two systems; got {shown(given)}. Give two, such as"
            ' names=("A", "B").'
        )
    return given[0], given[1]


def verdict_words(of: Comparison, names: tuple[str, str]) -> str:
    """The area, which alone may name a better system; then single alphas, by the whole band."""
    start = "at these two thresholds, " if of.resample == "test" else ""
    parts = [_area_words(of, names), _band_words(of, names)]
    text = start + "; ".join(part for part in parts if part)
    return text[0].upper() + text[1:] if start else text


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
    found = of.ranges
    if not found:
        return f"{start} at no single alpha"
    measure, way = short_measure(of.first.measure), way_words(of.first.measure)
    parts = []
    for system, name in zip("ab", names, strict=True):
        own = [one for one, who in zip(found, of.ranges_better, strict=True) if who == system]
        if own:
            parts.append(f"{_ranges_words(of.alpha, own)} ({way} {measure}: {name})")
    return f"{start} {' and '.join(parts)}"


def _ranges_words(alpha: FloatArray, found: list[AlphaRange]) -> str:
    """Ranges of one system; of many only between which alphas they lie."""
    inside = [alpha[(alpha >= one.low) & (alpha <= one.high)] for one in found]
    if len(found) <= _RANGES:
        return " and ".join(alphas_words(part) for part in inside)
    low, high = found[0].low, found[-1].high
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
    told = f"{number} of {pairs} differences are shown" if number else "no difference is shown"
    return (
        f"{start}no best system can be named: {_named([best, *rivals])} cannot be told apart by the"
        f" {what}, of which {best} has the {way.replace('er', 'est')}, {mean}; {told} ({at_once})"
    )


def _named(names: Sequence[str]) -> str:
    """Some names, and how many more."""
    if len(names) > _NAMED:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def systems_view(c: SystemsComparison) -> Sequence[Node]:
    """The verdict, the ranking, what was drawn, and the curves of the best."""
    first = c.curves[0]
    axes, _ = axes_of(first, "linear", BIOMETRIC)
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

    def draw() -> Axes | None:
        ax = None
        for k in best:
            ax = draw_epc(ax, first.alpha, c.curves[k].value, whole, axes, {"label": called[k]})
        return ax

    about = f"{axes.measure} against {axes.alpha} of {len(best)} of {len(called)} systems"
    return [*nodes, Figure(draw, "", about)]


def systems_grid(c: SystemsComparison) -> Grid:
    """The ranking, of many systems the best."""
    axes, _ = axes_of(c.curves[0], "linear", BIOMETRIC)
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
