"""Expected performance curves of an analysis: each choice of dev observed on each test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from betaroc.core.errors import BetarocWarning, InputError, ReversedScoresWarning, SameDataWarning
from betaroc.core.notices import passed_on, warn
from betaroc.core.value import Value
from betaroc.decision.epc import Epc, epc
from betaroc.inference.interval import Band
from betaroc.rendering.numbers import level_words, number, percent
from betaroc.rendering.tree import Cell, Figure, Figures, Grid, Node, Row, Section, Words, quantity
from betaroc.report.epc import band_numbers, epc_arrays
from betaroc.report.score_set import Named, ScoreSet, is_modelled
from betaroc.report.summary import below_count

#: Where tables give the curve's values, and the one of the sentence.
ALPHAS = (0.1, 0.25, 0.5, 0.75, 0.9)
_MIDDLE = 0.5
_REPLICATES = 2000
#: Sums of the same rates in another order are equal to this.
_NOTHING = 1e-12
_WHO = {"model": "thresholds by dev's fitted distributions", "scores": "thresholds by dev's scores"}


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
            with passed_on(f"{role}, {_WHO[chosen_by]}: "):
                band = curve.band(level, resample="test", replicates=_REPLICATES, rng=rng)
            bands.append(band)
    except InputError as error:
        message = f"{role}: no interval around its expected performance curves. "
        warn(message + error.sentence, BetarocWarning)
        return [None for _ in curves]
    return bands


# -------------------------------------------------------------------------------- numbers
def curve_numbers(met: ObservedCurve) -> dict[str, Any]:
    """The curve, its band and what the loss is made of."""
    split = met.epc.loss_split()
    return {
        "set": met.role,
        "chosen_by": met.chosen_by,
        "criterion": met.epc.criterion,
        "measure": met.epc.measure,
        **epc_arrays(met.epc),
        "loss_split": {
            "threshold": split.threshold.tolist(), "separability": split.separability.tolist(),
        },
        "band": None if met.band is None else band_numbers(met.band),
        "area": met.epc.area(),
    }  # fmt: skip


# ---------------------------------------------------------------------------------- words
def curves_section(
    curves: Sequence[ObservedCurve], sets: Named, figures: Mapping[str, Figure] | None = None
) -> Section:
    """What dev's thresholds were expected to do and did, for every alpha."""
    (dev, _), *tests = sets
    told: list[Node] = [Words(
        "For each alpha dev chose the threshold of the smallest alpha FAR + (1 − alpha) FRR; the"
        " curves show the HTER, the mean of FAR and FRR, that dev expected at that threshold and"
        " the one it observed on the test scores.", "legend",
    )]  # fmt: skip
    for part, name in tests:
        drawn: list[Node] = [Figures((figures[part.role],))] if figures else []
        own = [both for met in curves if met.role == part.role for both in _curve(met, dev)]
        told.append(Section(name, (*drawn, *own)))
    told.append(Words(
        "Interval: of the HTER at these very thresholds, from the test decisions alone; how dev’s"
        " choice would vary is not in it. Own: the HTER at the threshold that the same rule would"
        " choose on the test set itself, for an alpha other than 0.5 not the smallest HTER. The"
        " change is observed minus expected in percentage points; the part of the threshold is"
        " observed minus own, that of the classes own minus expected.", "legend",
    ))  # fmt: skip
    finding = ""
    if curves:
        first = [met for met in curves if met.chosen_by == curves[0].chosen_by]
        places = [_place(met.epc, _MIDDLE) for met in first]
        highest = max(zip(first, places, strict=True), key=lambda p: float(p[0].epc.value[p[1]]))
        curve, k = highest[0].epc, highest[1]
        named = {part.role: name for part, name in tests}
        finding = (
            f"at alpha {number(_MIDDLE)} HTER {percent(float(curve.expected[k]))} expected,"
            f" {percent(float(curve.value[k]))} observed on {named[highest[0].role]}"
            + ", the highest"
            * (len(first) > 1)
        )
    return Section("Expected performance curves", tuple(told), finding, "epc")


def _curve(met: ObservedCurve, dev: ScoreSet) -> tuple[Section, Words]:
    """Expected, observed with its interval, and test's own, at a few alphas; why they differ."""
    curve, band = met.epc, met.band
    nothing = np.full(curve.alpha.size, np.nan)
    low, high = (nothing, nothing) if band is None else (band.low, band.high)
    rows = []
    for alpha in ALPHAS:
        k = _place(curve, alpha)
        seen, first, last, own = (
            float(values[k]) for values in (curve.value, low, high, curve.a_posteriori)
        )
        observed = Cell(percent(seen), "no interval", seen)
        if band is not None:
            observed = quantity(seen, percent, first, last)
        rows.append(Row((number(alpha), _expected(met, dev, k), observed, percent(own))))
    ends = "" if band is None else f", {level_words(band.level)} interval"
    head = ("alpha", "expected", f"observed{ends}", "own")
    who = "by dev’s fitted distributions" if met.chosen_by == "model" else "on dev’s scores"
    return Section(f"Thresholds chosen {who}", (Grid(head, tuple(rows)),)), Words(loss_words(met))


def _expected(met: ObservedCurve, dev: ScoreSet, k: int) -> str:
    """What dev's distributions expected, said where none of dev's scores speak for it."""
    value = percent(float(met.epc.expected[k]))
    if met.chosen_by != "model":
        return value
    mark = below_count(dev, met.epc.dev._point(met.epc.chosen[[k]])[0])[2]
    return f"{value} ({mark})" if mark else value


def _place(curve: Epc, alpha: float) -> int:
    return int(np.argmin(np.abs(curve.alpha - alpha)))


def loss_words(met: ObservedCurve) -> str:
    """What was expected and observed at alpha 0.5, and why they differ."""
    curve = met.epc
    k = _place(curve, _MIDDLE)
    expected, value = float(curve.expected[k]), float(curve.value[k])
    split = curve.loss_split()
    misplaced, apart = float(split.threshold[k]), float(split.separability[k])
    who = "dev's fitted distributions" if met.chosen_by == "model" else "dev's scores"
    own = "than those distributions say" if met.chosen_by == "model" else "than on dev"
    opening = f"Thresholds by {who}, alpha {number(_MIDDLE)}: HTER {percent(expected)} expected,"
    opening += f" {percent(value)} observed on {met.role}"
    if abs(value - expected) <= _NOTHING:
        return f"{opening}: it is what was expected."
    less = "less" if apart > 0.0 else "more"
    threshold = (
        "no part of it because of the threshold, which is as good as this set's own"
        if abs(misplaced) <= _NOTHING
        else f"{_points(misplaced)} because the threshold is not the best for this set"
    )
    separability = (
        "none because of the classes, which are as well separable as before"
        if abs(apart) <= _NOTHING
        else f"{_points(apart)} because the classes are {less} separable {own}"
    )
    return f"{opening}, a change of {_points(value - expected)}: {threshold}, {separability}."


def _points(change: float) -> str:
    """Percentage points with their sign."""
    return f"{100.0 * change:+.3g} points"
