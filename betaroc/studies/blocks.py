"""A block of trials computed and made a part: what a worker does."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from betaroc.estimation.contract import SAFE_PRODUCT, product_of
from betaroc.estimation.families import has_shapes
from betaroc.studies.parameters import CellModel, setting
from betaroc.studies.statistics import StudyStatistic
from betaroc.studies.storage import ResultColumn, ResultColumns, as_parquet
from betaroc.studies.trials import Seed, Trial

#: Rules about scores of exactly 0 and 1 that say nothing where there are none.
_SILENT = (None, "inflate", "drop", "error")
#: Scores of a class from which a fit by itself has a faster way to its two sums.
_LONG = 1 << 14
#: Scores of a class that are summed together: much more leaves the cache, much less costs calls.
_HELD = 1 << 17
#: Factors of a product, and products in a row at least.
_FACTORS, _COLUMNS = 8, 8
#: Above this mean logarithm the rounding of products, at most 2**-53 a score, would show in the
#: 15th digit.
_LOSSY = -0.1
_BITS_OF_ONE = np.float64(1.0).view(np.uint64)


# ------------------------------------------------------------------------------- the fits
def draw_and_fit(trials: Sequence[Trial]) -> None:
    """Draw the samples of trials and fit those that are plain beta fits side by side.

    The others, and those whose two sums do not settle the fit, are left to `Trial.fit`.
    """
    groups: dict[tuple[int, int] | None, list[Trial]] = {}
    for trial in trials:
        here = trial.setting
        if has_shapes(here.family) and not here.step_known and here.boundary in _SILENT:
            groups.setdefault(here.sizes, []).append(trial)
    plain, g = [], []
    for sizes, group in groups.items():
        if sizes is not None and max(sizes) <= _LONG:
            plain += group
            g.append(_group_means(group, sizes))
    if not plain:
        return
    pairs = _shapes(*np.concatenate(g, axis=1)).reshape(-1, 4)
    settled: Any = np.isfinite(pairs).all(axis=1).tolist()
    for trial, known, result in zip(plain, settled, pairs.tolist(), strict=True):
        if known:
            trial.take_shapes(result)


def _group_means(group: Sequence[Trial], sizes: tuple[int, int]) -> FloatArray:
    """Mean logarithms of trials of equal sizes: client, impostor, client, ..."""
    means = np.empty((2, 2 * len(group)))
    step = min(len(group), max(1, _HELD // max(sizes)))
    rows, room = np.empty((2, step * max(sizes)))
    for first in range(0, len(group), step):
        drawn = [trial.drawn for trial in group[first : first + step]]
        for who, n in enumerate(sizes):
            shape = len(drawn), n
            x, here = (item[: len(drawn) * n] for item in (rows, room))
            np.concatenate([pair[who] for pair in drawn], out=x)
            part = slice(2 * first + who, 2 * (first + len(drawn)), 2)
            means[:, part] = _mean_logs(x.reshape(shape), here.reshape(shape))
    return means


def _shapes(g1: FloatArray, g2: FloatArray) -> FloatArray:
    """Rows a, b; nan where a sample has to be seen by itself."""
    with np.errstate(all="ignore"):
        a, b, converged = beta_mle(g1, g2)
        settled = converged & ~(errors_of_rows(a, b, g1, g2)[2] > ILL_CONDITIONED)
    return np.where(settled, np.stack([a, b]), np.nan).T


def _mean_logs(x: FloatArray, room: FloatArray) -> FloatArray:
    """Mean of log(x) and of log(1 - x) of every row; nan where scores are not inside (0, 1).

    As in `betaroc.estimation.contract`, but each row alone decides how it is summed.
    """
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        sums = np.stack([
            _sums(x, x, np.log),
            _sums(x, np.subtract(1.0, x, out=room), lambda rows: np.log1p(-rows)),
        ])  # fmt: skip
    # The bits of nan and of what has a sign are larger than those; 0 has no finite sum.
    inside = np.maximum.reduce(x.view(np.uint64), axis=1) < _BITS_OF_ONE
    return np.where(inside, sums / x.shape[1], np.nan)


def _sums(
    x: FloatArray, factors: FloatArray, plain: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """Row sums of logarithms, from those of products of a few factors where that loses nothing."""
    n = x.shape[1]
    if n < _FACTORS * _COLUMNS:
        return np.asarray(np.add.reduce(plain(x), axis=1))
    product = product_of(factors, _FACTORS)
    least = np.minimum.reduce(product, axis=1)
    total = np.add.reduce(np.log(product, out=product), axis=1)
    lost = ~((least >= SAFE_PRODUCT) & (total <= _LOSSY * n))
    if lost.any():
        total[lost] = np.add.reduce(plain(x[lost]), axis=1)
    return np.asarray(total)


# ---------------------------------------------------------------------------- the numbers
def _side(client: FloatArray, impostor: FloatArray, heavier: str, lighter: str) -> list[str | None]:
    """The side of the diagonal at an end; None for equal shapes, whose constants decide."""
    return [
        None if c == i else heavier if i < c else lighter
        for c, i in zip(client.tolist(), impostor.tolist(), strict=True)
    ]


def _areas(shapes: FloatArray) -> FloatArray:
    """AUC; a single pair, for which `beta_auc` has a way of its own, is not alone."""
    single = shapes.shape[1] == 1
    areas = np.asarray(beta_auc(*(np.repeat(shapes, 2, axis=1) if single else shapes)))
    return areas[:1] if single else areas


#: Statistics of many beta pairs from their shapes, rows a_c, b_c, a_i, b_i; None among the values
#: is left to the pair.
NUMBERS: dict[str, Callable[[FloatArray], Any]] = {
    "auc": _areas,
    "exponent-at-zero": lambda shapes: shapes[2] / shapes[0],
    "exponent-at-one": lambda shapes: shapes[3] / shapes[1],
    "side-at-zero": lambda shapes: _side(shapes[0], shapes[2], "above", "below"),
    "side-at-one": lambda shapes: _side(shapes[1], shapes[3], "below", "above"),
    **{f"{who}-{name}": itemgetter(2 * c + k)
       for c, who in enumerate(CLASSES) for k, name in enumerate("ab")},
}  # fmt: skip


#: Scores that are held at once.
_SCORES_HELD = 1 << 19
#: Lines that led to an error that are kept of it, the last ones.
_FRAMES = 8
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
    #: The cell at which it ended, if that is known, and how.
    cell: int | None = None
    why: str = ""


def part_of(block: Block, study: str, parent: int | None = None) -> Part:
    """The part of a block, columns where no text says whose file it is.

    One that the memory does not hold names its cell. A worker lives as long as its parent.
    """
    if parent is not None:
        end_with(parent)
    try:
        columns = computed(block)
        return Part(block.number, as_parquet(columns, study, block.number) if study else columns)
    except MemoryError:
        for cell, alone in cells_of(block):
            try:
                computed(alone)
            except MemoryError:
                return Part(block.number, None, cell, "MemoryError")
        return Part(block.number, None, None, "MemoryError")


def cells_of(block: Block) -> Iterator[tuple[int, Block]]:
    """Blocks of the trials of one cell each."""
    for cell in block.cells:
        trials = tuple(trial for trial in block.trials if trial[0] == cell)
        yield cell, replace(block, cells={cell: block.cells[cell]}, trials=trials)


@dataclass
class _Row:
    """A trial on its way into the table."""

    cell: int
    replicate: int
    trial: Trial | None
    values: dict[str, Entry]
    error: str = ""


def computed(block: Block) -> ResultColumns:
    """The columns of a block: a trial that fails has its error in place of numbers.

    Of the thousands of notices none is given.
    """
    with quietly():
        settings = {k: _tried(partial(setting, c, block.model)) for k, c in block.cells.items()}
        rows = []
        for cell, replicate in block.trials:
            (here, error), value = settings[cell], MappingProxyType(block.cells[cell])
            trial = None if here is None else Trial(value, cell, replicate, block.seed, here)
            rows.append(_Row(cell, replicate, trial, {}, error))
        shared: dict[tuple[int, str], Entry] = {}
        for some in _held(rows):
            if any(s.needs_fit for s in block.statistics):
                _fit_together(some)
            for statistic in block.statistics:
                _fill(statistic, [row for row in some if not row.error], shared)
            for row in some:
                row.trial = None  # and its scores
        return _columns(rows, block)


def _tried(function: Callable[[], Returned]) -> tuple[Returned | None, str]:
    """What a function returns, or its error in words: the study goes on."""
    try:
        return function(), ""
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - recorded
        return None, _words(error)


def _held(rows: Sequence[_Row]) -> list[list[_Row]]:
    """Rows in parts whose scores fit together into memory."""
    parts: list[list[_Row]] = [[]]
    held = 0
    for row in rows:
        sizes = None if row.trial is None else row.trial.setting.sizes
        held += 0 if sizes is None else sum(sizes)
        if held > _SCORES_HELD and parts[-1]:
            parts.append([])
            held = 0 if sizes is None else sum(sizes)
        parts[-1].append(row)
    return parts


def _fit_together(rows: Sequence[_Row]) -> None:
    """Batch fits of the rows that have samples; what fails there is left to each by itself."""
    drawn = []
    for row in rows:
        if row.trial is not None and row.trial.setting.sizes is not None:
            _, row.error = _tried(partial(getattr, row.trial, "drawn"))
            drawn += [] if row.error else [row.trial]
    draw_and_fit(drawn)


def _fill(
    statistic: StudyStatistic, rows: Sequence[_Row], shared: dict[tuple[int, str], Entry]
) -> None:
    """One statistic of some rows: of arrays of shapes where a batch found them, else of each.

    The true pair of a cell is one for all replicates.
    """
    if statistic.source == "fit" and statistic.stat in NUMBERS:
        fitted = [(row, row.trial.batch_shapes) for row in rows
                  if row.trial is not None and row.trial.batch_shapes is not None]  # fmt: skip
        if fitted:
            values = NUMBERS[statistic.stat](np.array([shapes for _, shapes in fitted]).T)
            for (row, _), value in zip(fitted, list(values), strict=True):
                if value is not None:
                    row.values[statistic.column] = value
    is_shared = statistic.source in ("true", "epc-true")
    for row in rows:
        key = (row.cell, statistic.column)
        if statistic.column in row.values or row.trial is None:
            continue
        if is_shared and key in shared:
            row.values[statistic.column] = shared[key]
            continue
        result, row.error = _tried(partial(statistic.of, row.trial))
        row.values |= result or {}
        if is_shared and result:
            shared[key] = result[statistic.column]


def _words(error: Exception) -> str:
    """An error as text; with the lines that led to it unless the package has said it all.

    Lines are counted from the head of their function, as its digest tells studies apart: folders
    and what stands around it do not matter.
    """
    text = f"{type(error).__name__}: {error}"
    if not isinstance(error, BetarocError):
        frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
        text = "\n".join([
            text, *(
                f"  in {code.co_name}, line {line - code.co_firstlineno + 1} of it,"
                f" {os.path.basename(code.co_filename)}"
                for code, line in frames[1:][-_FRAMES:]
            ),
        ])  # fmt: skip
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


# -------------------------------------------------------------------------------- columns
def _columns(rows: Sequence[_Row], block: Block) -> ResultColumns:
    """Rows as columns: cell, replicate, parameters, statistics, status, error."""
    result = {
        "cell": ResultColumn(int, [row.cell for row in rows]),
        "replicate": ResultColumn(int, [row.replicate for row in rows]),
    }
    for name, value in next(iter(block.cells.values())).items():
        result[name] = ResultColumn(type(value), [block.cells[row.cell][name] for row in rows])
    for statistic in block.statistics:
        kinds: dict[str, type[Any] | None] = {statistic.column: statistic.kind}
        if statistic.function is not None:  # its columns, and their kinds, are what it returned
            column = statistic.column
            kinds = {name: None for row in rows for name in row.values
                     if name == column or name.startswith(f"{column}.")}  # fmt: skip
        for name, kind in kinds.items():
            values = [None if row.error else row.values.get(name) for row in rows]
            result[name] = ResultColumn(kind or _kind(values, name, rows), values)
    result["status"] = ResultColumn(str, [_FAILED if row.error else _OK for row in rows])
    result["error"] = ResultColumn(str, [row.error for row in rows])
    return result


def _kind(values: list[Any], name: str, rows: Sequence[_Row]) -> type[Any] | None:
    """Of the values of a function; None where there are none."""
    kinds = {type(v) for v in values if v is not None}
    if len(kinds) > 1:
        k = next(k for k, v in enumerate(values) if isinstance(v, str))
        raise StudyError(
            f"statistic {name!r} must be a number in every trial or text in every trial; it is"
            f" {values[k]!r} in cell {rows[k].cell}, replicate {rows[k].replicate}, and a number"
            " in others. Return nan where there is no number."
        )
    return kinds.pop() if kinds else None
