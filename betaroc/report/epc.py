"""An expected performance curve as numbers, as a table and as comma-separated values."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from betaroc.core.arrays import IntArray
from betaroc.core.text import FINE, alphas_words, is_fine
from betaroc.core.value import fields_of
from betaroc.data.scores import ScoreData
from betaroc.decision.epc import Epc
from betaroc.inference.interval import Band
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import is_rate, measure_title
from betaroc.rendering.numbers import (
    counted,
    level_words,
    number,
    path_words,
    percent,
    read_as,
    threshold,
)
from betaroc.rendering.table_text import in_each_row
from betaroc.rendering.tree import Grid, Row, Section, Words, apart
from betaroc.report.intervals import summary_numbers, summary_words

_ARRAYS = ("alpha", "threshold", "value", "expected", "a_posteriori", "far", "frr", "trivial",
           "n_beyond")  # fmt: skip
#: Rows of the table for people.
_ROWS = 11


def epc_numbers(
    epc: Epc, dev: ScoreData, test: ScoreData, band: Band | None = None
) -> dict[str, Any]:
    """Arrays of one length, and what they were computed from."""
    return {
        **epc_arrays(epc),
        "band": None if band is None else band_numbers(band),
        "area": _area(epc),
        **fields_of(epc, "criterion", "measure"),
        **_made_numbers(epc),
        "dev": source_numbers(dev, epc.dev.prior),
        "test": source_numbers(test, epc.test.prior),
    }


def _made_numbers(epc: Epc) -> dict[str, list[float]]:
    """Rates on test of comparisons made, where they are not those of trials."""
    return {name: rate.tolist() for name, rate in epc._rates_made.items()}


def epc_arrays(epc: Epc) -> dict[str, list[Any]]:
    """The curve, one entry an alpha."""
    arrays = {name: getattr(epc, name) for name in _ARRAYS}
    if arrays["n_beyond"] is None:  # of typed models
        arrays["n_beyond"] = np.full(epc.alpha.size, np.nan)
    return {
        **{name: values.tolist() for name, values in arrays.items()},
        "alpha": alphas_given(epc),
    }


def alphas_given(epc: Epc) -> list[Any]:
    """The alphas; None for a criterion that has none."""
    return [None] if CRITERIA[epc.criterion].single else list(epc.alpha.tolist())


def band_numbers(band: Band) -> dict[str, Any]:
    """The interval at each alpha and how it was made."""
    return {
        "low": band.low.tolist(),
        "high": band.high.tolist(),
        **fields_of(band, "level", "simultaneous", "resample", "replicates", "m"),
        "undefined": band.undefined.tolist(),
        "groups": None if band.groups is None else list(band.groups),
    }


def source_numbers(scores: ScoreData, prior: float) -> dict[str, Any]:
    """What was read, with the share of clients that counts."""
    source = scores.source
    return {
        "name": scores.name,
        "source": None if source is None else fields_of(source, "path", "format"),
        **fields_of(scores, "n_client", "n_impostor"),
        **summary_numbers(scores),
        "prior": prior,
    }


def path_of(scores: ScoreData) -> str:
    """The file that was read; of scores that are of none nothing."""
    return "" if scores.source is None else scores.source.path


def _area(epc: Epc) -> float:
    """The mean of the value over the curve's own range; nan of one place or a coarse list."""
    return epc.area() if np.ptp(epc.alpha) > 0.0 and is_fine(epc.alpha) else math.nan


# ------------------------------------------------------------------------------ table
def epc_told(
    epc: Epc, dev: ScoreData, test: ScoreData, chosen_by: str, band: Band | None,
    seed: int | None, kept: Mapping[str, Sequence[Any]],
) -> list[Section]:  # fmt: skip
    """About eleven alphas, the trivial zones in words, the area; of a band its ends."""
    head = [
        "thresholds chosen on dev, errors observed on test; accepted if score > threshold",
        read_words("dev", dev),
        read_words("test", test),
        f"thresholds from {chosen_by}",
        f"criterion: {epc.criterion}{axis_words(epc)}",
        f"measure: {measure_words(epc)}",
    ]
    if band is not None:
        head.append(_band_words(band, seed))
    read, closing = (Words("\n".join(lines), "given") for lines in (head, _closing(epc)))
    return apart(read, replace(_table(epc, band), kept=kept), closing)


def read_words(role: str, scores: ScoreData) -> str:
    """What was read for a role."""
    source = scores.source
    name = ""
    if source is not None:
        told = read_as(source.format, source.guessed, source.guesses)
        name = f" {path_words(source.path)} ({told}),"
    coarse = summary_words(scores)
    return (
        f"{role}:{name} {scores.n_client} client and {scores.n_impostor} impostor scores"
        f"{coarse and f'; {coarse}'}"
    )


def axis_words(epc: Epc) -> str:
    """What alpha is; nothing for a criterion without it."""
    if CRITERIA[epc.criterion].single:
        return ""
    axis = CRITERIA[epc.criterion].axis
    if axis.startswith("alpha"):
        return f" ({axis})"
    return (
        f" (alpha: {axis}; the rate nearest to it on dev, not the nearest at most it: for a"
        " guarantee see br.decide)"
    )


def measure_words(epc: Epc) -> str:
    """The measure's name, and in words where they say more."""
    title = measure_title(epc.measure)
    return title if title == epc.measure else f"{epc.measure} ({title})"


def _band_words(band: Band, seed: int | None) -> str:
    kind = "of the whole curve at once" if band.simultaneous else "at each alpha by itself"
    units = "scores" if band.groups is None or band.groups[0] is None else "groups"
    varied = (
        "test alone, dev's thresholds as they are"
        if band.resample == "test"
        else "dev's choice and test"
        if band.m is None
        else f"dev's choice ({band.m} {units} a replicate) and test"
    )
    if band.replicates == 0:
        kind += ", computed without resampling"
        return f"band: {level_words(band.level)} {kind}{_groups_words(band)}"
    drawn = "" if seed is None else f", seed {seed}"
    return (
        f"band: {level_words(band.level)} {kind}; resampled: {varied};"
        f" {counted(band.replicates, 'replicate')}{drawn}{_groups_words(band)}"
    )


def _groups_words(band: Band) -> str:
    numbers = zip(("dev", "test"), band.groups or (), strict=False)
    drawn = [f"{number} groups of {role}" for role, number in numbers if number is not None]
    return f"; trials drawn by {' and '.join(drawn)}" if drawn else ""


def spread(size: int, rows: int = _ROWS) -> IntArray:
    """About so many of the places 0 ... size - 1, evenly spread, both ends among them."""
    return np.linspace(0, size - 1, min(rows, size)).round().astype(np.intp)


def _table(epc: Epc, band: Band | None) -> Grid:
    ends = [] if band is None else ["low", "high"]
    head = ["alpha", "threshold", "expected on dev", "observed on test", *ends, "test's own"]
    made = epc._rates_made
    rows = []
    order = np.argsort(epc.alpha, kind="stable")
    points = epc.points
    arrays = [epc.expected, epc.value, epc.a_posteriori]
    if band is not None:
        arrays[2:2] = [band.low, band.high]
    for k in order[spread(order.size)]:
        point = points[k]
        values = (value_text(epc, float(values[k])) for values in arrays)
        rates = (point.far, point.frr, *(float(rates[k]) for rates in made.values()))
        place = threshold(point.threshold, point.logit_threshold)
        if point.threshold >= sys.float_info.max:  # of a distribution without an upper end
            place = "reject all"
        rows.append(Row((alpha_text(epc, k), place, *values, *map(percent, rates))))
    return Grid((*head, "FAR", "FRR", *map(str.upper, made)), tuple(rows))


def alpha_text(epc: Epc, k: int) -> str:
    """One alpha; none where the criterion has none."""
    return "none" if CRITERIA[epc.criterion].single else number(float(epc.alpha[k]))


def value_text(epc: Epc, value: float) -> str:
    """A value of the measure: a rate in per cent."""
    return percent(value) if is_rate(epc.measure) else number(value)


def _closing(epc: Epc) -> list[str]:
    zones = "; ".join(_zones(epc))
    lines = [f"trivial: {zones}" if zones else "no threshold accepts or rejects everyone"]
    if np.ptp(epc.alpha) > 0.0:
        lines.append(_area_words(epc))
    undefined = int(np.sum(np.isnan(epc.value)))
    if undefined:
        lines.append(f"undefined (0/0) on test at {undefined} of {epc.alpha.size} alphas")
    return lines


def _area_words(epc: Epc) -> str:
    if not is_fine(epc.alpha):
        gap = number(float(np.max(np.diff(np.sort(epc.alpha)))), 3)
        return (
            f"mean of {epc.measure} over alpha: left out, since the {epc.alpha.size} alphas are up"
            f" to {gap} apart; it needs gaps of at most {number(FINE, 3)}"
        )
    low, high = number(float(epc.alpha.min())), number(float(epc.alpha.max()))
    area = value_text(epc, _area(epc))
    return f"mean of {epc.measure} on test, alpha from {low} to {high}: {area}"


def _zones(epc: Epc) -> list[str]:
    """Runs of alpha where dev's threshold decides without looking at the score."""
    order = np.argsort(epc.alpha, kind="stable")
    alpha, trivial = epc.alpha[order], epc.trivial[order]
    accepts = np.asarray(epc.dev.far(epc.threshold[order])) == 1.0
    kind = np.where(trivial, np.where(accepts, 1, 2), 0)
    starts = np.nonzero(np.diff(kind, prepend=-1) != 0)[0]
    zones = []
    for start, stop in zip(starts, [*starts[1:], kind.size], strict=True):
        if kind[start]:
            single = CRITERIA[epc.criterion].single
            where = "" if single else f" {alphas_words(alpha[start:stop])}"
            verb = "accepted" if kind[start] == 1 else "rejected"
            zones.append(f"everybody of dev is {verb}{where}")
    return zones


# -------------------------------------------------------------------------------- csv
def epc_columns(
    epc: Epc, dev: ScoreData, test: ScoreData, band: Band | None = None, seed: int | None = None
) -> dict[str, list[Any]]:
    """One row an alpha, and in each how its band was made and what was read."""
    made = ("level", "resample", "simultaneous", "replicates")
    fixed = {name: getattr(band, name, None) for name in made}
    fixed |= {"seed": seed, "criterion": epc.criterion, "measure": epc.measure}
    fixed |= {"dev": path_of(dev), "test": path_of(test)}
    none = [math.nan] * epc.alpha.size
    ends = _ends(band) or {"low": none, "high": none}
    return in_each_row(epc_arrays(epc) | ends, fixed) | _made_numbers(epc)


def epc_few_columns(epc: Epc, band: Band | None = None) -> dict[str, list[Any]]:
    """One row an alpha, with the ends of the band where there is one."""
    held = epc_arrays(epc)
    names = ("alpha", "threshold", "value", "expected", "far", "frr")
    return {name: held[name] for name in names} | _made_numbers(epc) | _ends(band)


def _ends(band: Band | None) -> dict[str, list[Any]]:
    return {} if band is None else {"low": band.low.tolist(), "high": band.high.tolist()}
