"""An expected performance curve as numbers, as a table and as comma-separated values."""

from __future__ import annotations

import csv
import io
import math
import sys
from typing import Any

import numpy as np

from betaroc._words import shown
from betaroc.analysis.format import number, percent, threshold
from betaroc.analysis.text import columns
from betaroc.criteria import CRITERIA
from betaroc.expected_performance import Epc
from betaroc.measures import MEASURES, OperatingPoint
from betaroc.scores import Scores

__all__ = ["epc_csv", "epc_numbers", "epc_text"]

_ARRAYS = ("alpha", "threshold", "value", "expected", "a_posteriori", "far", "frr", "trivial")
#: Rows of the table for people.
_ROWS = 11


def epc_numbers(epc: Epc, dev: Scores, test: Scores) -> dict[str, Any]:
    """Arrays of one length, and what they were computed from."""
    arrays = {name: getattr(epc, name).tolist() for name in _ARRAYS}
    return {
        **arrays,
        "area": _area(epc),
        "criterion": epc.criterion,
        "measure": epc.measure,
        "dev": _source(dev, epc.dev.prior),
        "test": _source(test, epc.test.prior),
    }


def _source(scores: Scores, prior: float) -> dict[str, Any]:
    source = scores.source
    return {
        "name": scores.name,
        "source": None if source is None else {"path": source.path, "format": source.format},
        "n_client": scores.n_client,
        "n_impostor": scores.n_impostor,
        "prior": prior,
    }


def _area(epc: Epc) -> float:
    """The mean of the value over the curve's own range; nan where that is one place."""
    return epc.area() if np.ptp(epc.alpha) > 0.0 else math.nan


# ------------------------------------------------------------------------------ table
def epc_text(epc: Epc, dev: Scores, test: Scores, chosen_by: str) -> str:
    """About eleven alphas, the trivial zones in words, the area."""
    criterion = f"criterion: {epc.criterion}"
    if not CRITERIA[epc.criterion].single:
        criterion += f" ({_axis(epc)})"
    head = [
        "thresholds chosen on dev, errors met on test; accepted if score > threshold",
        _read("dev", dev),
        _read("test", test),
        f"thresholds from {chosen_by}",
        criterion,
        f"measure: {epc.measure} ({_title(epc)})",
    ]
    return "\n\n".join(["\n".join(head), _table(epc), "\n".join(_closing(epc))])


def _read(role: str, scores: Scores) -> str:
    source = scores.source
    name = "" if source is None else f" {shown(source.path)} ({source.format}),"
    return f"{role}:{name} {scores.n_client} client and {scores.n_impostor} impostor scores"


def _axis(epc: Epc) -> str:
    axis = CRITERIA[epc.criterion].axis
    return axis if axis.startswith("alpha") else f"alpha: {axis}"


def _title(epc: Epc) -> str:
    measure = MEASURES.get(epc.measure)
    return "weighted error" if measure is None else measure.title


def _table(epc: Epc) -> str:
    single = CRITERIA[epc.criterion].single
    rows = [["alpha", "threshold", "promised on dev", "met on test", "test's own", "FAR", "FRR"]]
    order = np.argsort(epc.alpha, kind="stable")
    shown_ones = np.linspace(0, order.size - 1, min(_ROWS, order.size)).round().astype(np.intp)
    points, expected, value, own = epc.points, epc.expected, epc.value, epc.a_posteriori
    for k in order[shown_ones]:
        point = points[k]
        rows.append(
            [
                "none" if single else number(float(epc.alpha[k])),
                _threshold(point),
                *(_value(epc, float(values[k])) for values in (expected, value, own)),
                percent(point.far),
                percent(point.frr),
            ]
        )
    return columns(rows)


def _threshold(point: OperatingPoint) -> str:
    if point.threshold >= sys.float_info.max:  # of a law without an upper end
        return "reject all"
    return threshold(point.threshold, point.logit_threshold)


def _value(epc: Epc, value: float) -> str:
    measure = MEASURES.get(epc.measure)
    rate = measure is None or (measure.low, measure.high) == (0.0, 1.0)
    return percent(value) if rate else number(value)


def _closing(epc: Epc) -> list[str]:
    lines = [f"trivial: {'; '.join(_zones(epc)) or 'nowhere'}"]
    if np.ptp(epc.alpha) > 0.0:
        low, high = number(float(epc.alpha.min())), number(float(epc.alpha.max()))
        area = _value(epc, _area(epc))
        lines.append(f"mean of {epc.measure} on test, alpha from {low} to {high}: {area}")
    undefined = int(np.sum(np.isnan(epc.value)))
    if undefined:
        lines.append(f"undefined (0/0) on test at {undefined} of {epc.alpha.size} alphas")
    return lines


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
            low, high = number(float(alpha[start])), number(float(alpha[stop - 1]))
            where = f"at alpha {low}" if low == high else f"for alpha from {low} to {high}"
            verb = "accepted" if kind[start] == 1 else "rejected"
            zones.append(f"everybody of dev is {verb} {where}")
    return zones


# -------------------------------------------------------------------------------- csv
def epc_csv(epc: Epc, dev: Scores, test: Scores) -> str:
    """One row an alpha; what is undefined is empty, and no text cell is a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [_text("" if s.source is None else s.source.path) for s in (dev, test)]
    writer.writerow([*_ARRAYS, "criterion", "measure", "dev", "test"])
    arrays = [getattr(epc, name).tolist() for name in _ARRAYS]
    for row in zip(*arrays, strict=True):
        writer.writerow([*map(_cell, row), epc.criterion, epc.measure, *names])
    return out.getvalue()


def _cell(value: float | bool) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if math.isnan(value) else repr(value)


def _text(value: str) -> str:
    """A cell that no spreadsheet computes and that stays on its line."""
    plain = "".join(c if c.isprintable() else "?" for c in value)
    return f"'{plain}" if plain.lstrip()[:1] in ("=", "+", "-", "@") else plain
