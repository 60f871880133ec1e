"""A block of trials computed and made a part: what a worker does."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import BetarocError, StudyError
from betaroc.core.notices import quietly
from betaroc.core.process import end_with
from betaroc.distributions.beta import beta_auc
from betaroc.estimation.beta import ILL_CONDITIONED, beta_mle, errors_of_rows
from betaroc.studies.parameters import CellModel, cell_spec
from betaroc.studies.statistics import StudyStatistic
from betaroc.studies.storage import ResultColumns, as_parquet
from betaroc.studies.trials import Seed, Trial

#: Scores that are held at once.
_SCORES_HELD = 1 << 19
_OK, _FAILED = "ok", "failed"

Entry = float | str
Returned = TypeVar("Returned")


@dataclass(frozen=True)
class Block:
    """Consecutive trials, with all that is needed to compute them elsewhere."""

    number: int
    #: The cells that it touches, by number.
    cells: Mapping[int, dict[str, Any]]
    #: Cell and replicate of each trial.
    trials: tuple[tuple[int, int], ...]
    statistics: tuple[StudyStatistic, ...]
    seed: Seed
    model: CellModel | None


class Part(NamedTuple):
    """What became of a block."""

    number: int
    #: Of a file, or columns; None where the process could not finish it.
    content: bytes | ResultColumns | None
    #: How it ended if it could not.
    why: str = ""


def part_of(block: Block, study: str, parent: int | None = None) -> Part:
    """The part of a block, columns where no text says whose file it is.

    A worker lives as long as its parent.
    """
    if parent is not None:
        end_with(parent)
    try:
        columns = _computed(block)
        return Part(block.number, as_parquet(columns, study, block.number) if study else columns)
    except MemoryError:
        return Part(block.number, None, "MemoryError")


@dataclass
class _Row:
    """A trial on its way into the table."""

    cell: int
    replicate: int
    trial: Trial
    values: dict[str, Entry]
    error: str = ""


def _computed(block: Block) -> ResultColumns:
    """The columns of a block: a trial that fails has its error in place of numbers.

    Of the thousands of notices none is given.
    """
    with quietly():
        specs: dict[int, tuple[Any, str]] = {
            k: _tried(partial(cell_spec, cell, block.model)) for k, cell in block.cells.items()
        }
        rows, held = [], 0
        chunks: dict[int, list[_Row]] = {}
        for cell, replicate in block.trials:
            spec, error = specs[cell]
            values = MappingProxyType(block.cells[cell])
            trial = Trial(values, cell, replicate, block.seed, spec)
            rows.append(_Row(cell, replicate, trial, {}, error))
            if spec is not None:
                held += sum(spec.sizes or ())
                chunks.setdefault(held // _SCORES_HELD, []).append(rows[-1])
        shared: dict[tuple[int, str], Any] = {}
        for chunk in chunks.values():
            if any(s.needs_fit for s in block.statistics):
                _fit_together(chunk)
            for statistic in block.statistics:
                _fill(statistic, [row for row in chunk if not row.error], shared)
            for row in chunk:
                del row.trial  # and its scores
        return _columns(rows, block)


def _tried(function: Callable[[], Returned]) -> tuple[Returned | None, str]:
    """What a function returns, or its error in words: the study goes on."""
    try:
        return function(), ""
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - recorded
        return None, _words(error)


def _words(error: Exception) -> str:
    """An error as text; with the line that raised it unless the package has said it all.

    The line is counted from the head of its function, whose digest tells studies apart.
    """
    text = f"{type(error).__name__}: {error}"
    if not isinstance(error, BetarocError):
        frame, line = list(traceback.walk_tb(error.__traceback__))[-1]
        code = frame.f_code
        text += f"\n  in {code.co_name}, line {line - code.co_firstlineno + 1} of it,"
        text += f" {os.path.basename(code.co_filename)}"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


# ------------------------------------------------------------------------------- the fits
def _fit_together(rows: Sequence[_Row]) -> None:
    """Plain beta fits side by side; what their two sums do not settle is left to `Trial.fit`."""
    plain = []
    for row in rows:
        if row.trial.spec.sizes is not None:
            _, row.error = _tried(partial(getattr, row.trial, "drawn"))
            if not row.error and row.trial.spec.is_plain:
                plain.append(row.trial)
    fit_together(plain)


def fit_together(trials: Sequence[Trial]) -> None:
    """Give trials the shapes of their fits, as far as the mean logarithms settle them."""
    with np.errstate(all="ignore"):
        means = [
            (np.add.reduce(np.log(x)) / x.size, np.add.reduce(np.log1p(-x)) / x.size)
            for trial in trials for x in trial.drawn
        ]  # fmt: skip
        logs = np.array(means).reshape(-1, 2).T
        a, b, converged = beta_mle(*logs)
        settled = converged & ~(errors_of_rows(a, b, *logs)[2] > ILL_CONDITIONED)
    shapes = np.stack([a, b], axis=1).reshape(-1, 4).tolist()
    for trial, pair, known in zip(trials, shapes, settled.reshape(-1, 2).tolist(), strict=True):
        trial.batch_shapes = pair if all(known) else None


# ---------------------------------------------------------------------------- the numbers
def _areas(shapes: FloatArray) -> FloatArray:
    """AUC; a single pair, for which `beta_auc` has a way of its own, is not alone."""
    twice = np.concatenate([shapes, shapes[:, :1]], axis=1)
    return np.asarray(beta_auc(*twice))[:-1]


#: Statistics of many beta pairs from their shapes, rows a_c, b_c, a_i, b_i.
_NUMBERS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "auc": _areas,
    "exponent-at-zero": lambda shapes: shapes[2] / shapes[0],
    "exponent-at-one": lambda shapes: shapes[3] / shapes[1],
    **{f"{who}-{name}": itemgetter(2 * c + k)
       for c, who in enumerate(CLASSES) for k, name in enumerate("ab")},
}  # fmt: skip


def _fill(
    statistic: StudyStatistic, rows: Sequence[_Row], shared: dict[tuple[int, str], Any]
) -> None:
    """One statistic of some rows: of arrays of shapes where a batch found them, else of each.

    The true pair of a cell is one for all replicates.
    """
    column = statistic.column
    batch = [row for row in rows if row.trial.batch_shapes is not None]
    if batch and statistic.source == "fit" and statistic.stat in _NUMBERS:
        values = _NUMBERS[statistic.stat](np.array([row.trial.batch_shapes for row in batch]).T)
        for row, value in zip(batch, values.tolist(), strict=True):
            row.values[column] = value
    for row in rows:
        if column in row.values:
            continue
        result = shared.get((row.cell, column))
        if result is None:
            result, row.error = _tried(partial(statistic.of, row.trial))
        row.values |= result or {}
        if statistic.source in ("true", "epc-true"):
            shared[row.cell, column] = result


# -------------------------------------------------------------------------------- columns
def _columns(rows: Sequence[_Row], block: Block) -> ResultColumns:
    """Rows as columns: cell, replicate, parameters, statistics, status, error."""
    result: dict[str, tuple[type[Any] | None, list[Any]]] = {
        "cell": (int, [row.cell for row in rows]),
        "replicate": (int, [row.replicate for row in rows]),
    }
    for name, value in next(iter(block.cells.values())).items():
        result[name] = type(value), [block.cells[row.cell][name] for row in rows]
    for statistic in block.statistics:
        column, names = statistic.column, [statistic.column]
        if statistic.function is not None:  # its columns, and their kinds, are what it returned
            names = [name for row in rows for name in row.values
                     if name == column or name.startswith(f"{column}.")]  # fmt: skip
        for name in dict.fromkeys(names):
            values = [None if row.error else row.values.get(name) for row in rows]
            kind = _kind(values, name) if statistic.function is not None else statistic.kind
            result[name] = kind, values
    result["status"] = str, [_FAILED if row.error else _OK for row in rows]
    result["error"] = str, [row.error for row in rows]
    return result


def _kind(values: list[Any], name: str) -> type[Any] | None:
    """Of the values of a function; None where there are none."""
    kinds = {type(v) for v in values if v is not None}
    if len(kinds) > 1:
        raise StudyError(
            f"statistic {name!r} must be a number in every trial or text in every trial; it is"
            f" {next(v for v in values if isinstance(v, str))!r} in one and a number in another."
            " Return nan where there is no number."
        )
    return kinds.pop() if kinds else None
