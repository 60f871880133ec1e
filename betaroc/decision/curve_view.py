"""A curve as a tree: expected beside observed at some alphas, why they differ, cautions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from betaroc.core.arrays import IntArray
from betaroc.core.errors import BetarocError
from betaroc.core.notices import quietly
from betaroc.core.text import FINE, alphas_words, is_fine
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import BIOMETRIC
from betaroc.data.groups import groups_of
from betaroc.decision.bands import BandOptions, band
from betaroc.decision.curve import WEIGHTED_ERROR, Curve, axes_of
from betaroc.inference.interval import Band
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import measure_title
from betaroc.rendering.alphas import DrawnBand, draw_epc
from betaroc.rendering.notebook import name_shown
from betaroc.rendering.numbers import counted, level_words, number, rounded, spaced
from betaroc.rendering.tree import Cell, Figure, Grid, Node, Row, Words, as_named, rate_cell

if TYPE_CHECKING:
    from betaroc.decision.epc import Epc

#: Test scores up to which an interval takes no time, and its level.
_MANY, _LEVEL = 20_000, 0.95
#: So many alphas are all shown, of more five.
_ALL, _FIVE = 11, 5
#: Sums of the same rates in another order are equal to this.
_NOTHING = 1e-12


def curve_view(e: Epc, around: Band | None = None, *, picture: bool = True) -> list[Node]:
    """The range of the observed measure, its table, why it is not what was expected, and both."""
    axes, _ = axes_of(e, "linear", BIOMETRIC)
    order = np.argsort(e.alpha, kind="stable")
    grid = curve_grid(e, around)
    around = _quick_band(e, order[some_alphas(order.size)]) if around is None else around
    nodes: list[Node] = [curve_answer(e)]
    nodes += [] if around is None else [Words(_band_words(around))]
    nodes += [grid, *(Words(text) for text in (loss_words(e), *cautions(e)))]
    if axes.single or e.alpha.size == 1 or not picture:
        return nodes
    drawn = None
    if around is not None:  # undefined but at its alphas
        ends = dict(zip(around.alpha, zip(around.low, around.high, strict=True), strict=True))
        low, high = np.array([ends.get(a, (np.nan, np.nan)) for a in e.alpha]).T
        drawn = DrawnBand(low, high, f"{level_words(around.level)}, observed")
    draw = partial(
        draw_epc, None, e.alpha, e.value, e.trivial, axes, {}, band=drawn, expected=e.expected
    )
    return [*nodes, Figure(draw, "", f"{axes.measure} against {axes.alpha}")]


def curve_answer(e: Curve) -> Words:
    """What was observed, between which values."""
    axes, _ = axes_of(e, "linear", BIOMETRIC)
    names = {role: getattr(e, role).name for role in ("dev", "test")}
    on = {role: f"{role} {name_shown(name)}" if name else role for role, name in names.items()}
    known = e.value[np.isfinite(e.value)]
    reach = axes.span(np.min(known), np.max(known)) if known.size else "undefined"
    what = f"{measure_title(e.measure)} observed on {on['test']}"
    text = f"{what} at thresholds chosen for {e.criterion} on {on['dev']}"
    return Words(text, "answer", reach or axes.shown(known[0]))


def some_alphas(size: int) -> IntArray:
    """Places of all alphas where they are few, else of five, 0.1, 0.3, ... of the usual ones."""
    if size <= _ALL:
        return np.arange(size)
    return np.rint(np.arange(1, 2 * _FIVE, 2) * (size - 1) / (2.0 * _FIVE)).astype(np.int64)


def curve_grid(e: Epc, around: Band | None = None) -> Grid:
    """Some alphas, each with its threshold, the measure, both rates, and the scores that speak."""
    axes, _ = axes_of(e, "linear", BIOMETRIC)
    order = np.argsort(e.alpha, kind="stable")
    kept = curve_columns(e)
    if around is not None and around.alpha.size == e.alpha.size:
        kept |= {"low": around.low.tolist(), "high": around.high.tolist()}
    around = _quick_band(e, order[some_alphas(order.size)]) if around is None else around
    places = {} if around is None else {a: k for k, a in enumerate(around.alpha.tolist())}
    values, made, beyond = (e.value, e.expected, e.a_posteriori), e._rates_made, e.n_beyond
    rates, threshold = (e.far, e.frr, *made.values()), e.threshold
    rejects = e.trivial & (np.asarray(e.dev._pair.frr(e.chosen)) == 1.0)
    rows = []
    for k in order[some_alphas(order.size)].tolist():
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
            "FAR", "FRR", *map(str.upper, made), "scores beyond")  # fmt: skip
    return Grid(head, tuple(rows), kept=kept, typeset=True)


def _quick_band(e: Curve, shown: IntArray) -> Band | None:
    """The interval at some fixed thresholds, where it is there at once."""
    test = e.test_scores
    if test is None or test.n_client + test.n_impostor > _MANY or groups_of(test) is not None:
        return None
    try:
        with quietly():
            some = replace(e, alpha=e.alpha[shown], chosen=e.chosen[shown])
            return band(some, BandOptions(_LEVEL, "delta", resample="test"))
    except BetarocError:
        return None


# ------------------------------------------------------------------------------- words
def _band_words(around: Band) -> str:
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


def loss_words(e: Curve) -> str:
    """What was expected and observed at a middle alpha, and why they differ."""
    axes, _ = axes_of(e, "linear", BIOMETRIC)
    shown = np.argsort(e.alpha, kind="stable")[some_alphas(e.alpha.size)]
    k = shown[shown.size // 2]
    expected, value, best = (float(v[k]) for v in (e.expected, e.value, e.a_posteriori))
    at = "" if axes.single else f"At {axes.alpha_name} {axes.alpha_shown(e.alpha[k])}: "
    said = f"{at}{axes.shown(expected)} expected, {axes.shown(value)} observed"
    if math.isnan(value + expected + best) or abs(value - expected) <= _NOTHING:
        return f"{said}."

    def part(change: float) -> str:
        text = axes.change(change, unit=False)
        return f"{text} points" if axes.measure_is_rate else text

    said = f"{said}, a change of {part(value - expected)}"
    if e.criterion != WEIGHTED_ERROR or e.measure not in ("hter", WEIGHTED_ERROR, "dcf"):
        return f"{said}."
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
    return f"{said}: {threshold}, {separability}."


def cautions(e: Epc) -> list[str]:
    """The mean over alpha or why there is none, trivial thresholds, and what is undefined."""
    axes, _ = axes_of(e, "linear", BIOMETRIC)
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
    axes, _ = axes_of(first, "linear", BIOMETRIC)
    whole = first.alpha.size > 1
    places = np.argsort(first.alpha, kind="stable")[some_alphas(first.alpha.size)]
    at = [f"at {axes.alpha_shown(first.alpha[k])}" if whole else "value" for k in places]
    kept: dict[str, list[Any]] = {"system": []}
    rows = []
    for name, e in curves.items():
        values = [*[float(np.mean(e.value))] * whole, *e.value[places].tolist()]
        rows.append(Row((as_named(name), *map(axes.shown, values))))
        kept["system"] += [name] * e.alpha.size
        for key, column in curve_columns(e).items():
            kept.setdefault(key, []).extend(column)
    what = f"{measure_title(first.measure)} observed on test at thresholds chosen for"
    head = ("system", *["mean"] * whole, *at)
    mean = f" Mean: over the {first.alpha.size} alphas." * whole
    return [
        Words(f"{what} {first.criterion} on dev.{mean}"),
        Grid(head, tuple(rows), kept=kept, typeset=True),
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
