"""A block of trials computed and made a part: what a worker does."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from betaroc.core.errors import BetarocError, StudyError
from betaroc.core.notices import quietly
from betaroc.core.process import end_with
from betaroc.studies.batches import NUMBERS, draw_and_fit, shapes_of
from betaroc.studies.parameters import CellModel, setting
from betaroc.studies.statistics import StudyStatistic
from betaroc.studies.storage import as_parquet
from betaroc.studies.trials import Seed, Trial

#: Scores that are held at once.
_SCORES_HELD = 1 << 19
#: Lines that led to an error that are kept of it, the last ones.
_FRAMES = 8
_OK, _FAILED = "ok", "failed"

Entry = float | str
Result = TypeVar("Result")


class ResultColumn(NamedTuple):
    """Values of one kind, None for those that a failed trial lacks."""

    #: None where all lack.
    kind: type[Any] | None
    values: list[Any]


ResultColumns = dict[str, ResultColumn]


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


def part_of(block: Block, study: str) -> Part:
    """The part of a block, columns where no text says whose file it is.

    One that the memory does not hold is told by its cell.
    """
    try:
        columns = computed(block)
        content = as_parquet(columns, study, block.number) if study else columns
        return Part(block.number, content)
    except MemoryError:
        return Part(block.number, None, _hungry_cell(block), "MemoryError")


def part_of_worker(block: Block, study: str, parent: int, mark: Path | None = None) -> Part:
    """What a worker does, as long as its parent lives.

    With a place for a mark, each cell is computed by itself before, and there stands which.
    """
    end_with(parent)
    if mark is not None:
        for cell, alone in _cells_of(block):
            with suppress(OSError):  # the parent may be on another machine
                mark.write_text(str(cell))
            with suppress(MemoryError):
                computed(alone)
        with suppress(OSError):
            mark.unlink()
    return part_of(block, study)


def _cells_of(block: Block) -> Iterator[tuple[int, Block]]:
    """Blocks of the trials of one cell each."""
    for cell in block.cells:
        trials = tuple(one for one in block.trials if one[0] == cell)
        yield cell, replace(block, cells={cell: block.cells[cell]}, trials=trials)


def _hungry_cell(block: Block) -> int | None:
    """The first cell that the memory does not hold by itself; None if it is all of them."""
    for cell, alone in _cells_of(block):
        try:
            computed(alone)
        except MemoryError:
            return cell
    return None


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
            (here, error), given = settings[cell], MappingProxyType(block.cells[cell])
            trial = None if here is None else Trial(given, cell, replicate, block.seed, here)
            rows.append(_Row(cell, replicate, trial, {}, error))
        true: dict[tuple[int, str], Entry] = {}
        for some in _held(rows):
            _fill(some, block.statistics, true)
            for row in some:
                row.trial = None  # and its scores
        return _columns(rows, block)


def _tried(function: Callable[[], Result]) -> tuple[Result | None, str]:
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


def _fill(
    rows: Sequence[_Row], statistics: Sequence[StudyStatistic], true: dict[tuple[int, str], Entry]
) -> None:
    """All statistics of some rows, column by column."""
    if any(s.needs_fit for s in statistics):
        _fit_together([row for row in rows if row.trial is not None])
    for statistic in statistics:
        going = [row for row in rows if not row.error]
        if statistic.source in ("true", "fit") and statistic.stat in NUMBERS:
            going = _at_once(statistic, going, true)
        for row in going:
            _one(statistic, row, true)


def _fit_together(rows: Sequence[_Row]) -> None:
    """Batch fits of the rows that have samples; what fails there is left to each by itself."""
    drawn = []
    for row in rows:
        trial = row.trial
        if trial is None or trial.setting.sizes is None:
            continue
        _, row.error = _tried(partial(getattr, trial, "drawn"))
        if not row.error:
            drawn.append(trial)
    draw_and_fit(drawn)


def _at_once(
    statistic: StudyStatistic, rows: Sequence[_Row], true: dict[tuple[int, str], Entry]
) -> list[_Row]:
    """Fill in what arrays give; the rows that are left to be seen one by one."""
    first: dict[Any, _Row] = {}
    for row in rows:
        if statistic.source == "true":
            if (row.cell, statistic.column) not in true:
                first.setdefault(row.cell, row)
        else:
            first[row.cell, row.replicate] = row
    ready = []
    for row in first.values():
        shapes = None if row.trial is None else shapes_of(row.trial, statistic.source)
        if shapes is not None:
            ready.append((row, shapes))
    if ready:
        found = NUMBERS[statistic.stat](np.array([shapes for _, shapes in ready]).T)
        values = found.tolist() if isinstance(found, np.ndarray) else found
        for (row, _), value in zip(ready, values, strict=True):
            if value is None:
                continue
            if statistic.source == "true":
                true[row.cell, statistic.column] = value
            else:
                row.values[statistic.column] = value
    return [row for row in rows if statistic.column not in row.values]


def _one(statistic: StudyStatistic, row: _Row, true: dict[tuple[int, str], Entry]) -> None:
    """One statistic of one row; its error, if it has one."""
    # The true pair of a cell is one for all replicates.
    shared = statistic.source in ("true", "epc-true")
    key = (row.cell, statistic.column)
    if shared and key in true:
        row.values[statistic.column] = true[key]
        return
    assert row.trial is not None  # noqa: S101 - a row without one has an error
    found, row.error = _tried(partial(statistic.of, row.trial))
    if found is None:
        return
    row.values.update(found)
    if shared:
        true[key] = found[statistic.column]


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
    found: ResultColumns = {
        "cell": ResultColumn(int, [row.cell for row in rows]),
        "replicate": ResultColumn(int, [row.replicate for row in rows]),
    }
    for name, value in next(iter(block.cells.values())).items():
        found[name] = ResultColumn(type(value), [block.cells[row.cell][name] for row in rows])
    for name, kind in _names(rows, block.statistics).items():
        values = [None if row.error else row.values.get(name) for row in rows]
        found[name] = ResultColumn(kind or _kind(values, name, rows), values)
    found["status"] = ResultColumn(str, [_FAILED if row.error else _OK for row in rows])
    found["error"] = ResultColumn(str, [row.error for row in rows])
    return found


def _names(
    rows: Sequence[_Row], statistics: Sequence[StudyStatistic]
) -> dict[str, type[Any] | None]:
    """Columns in the order in which they were asked for, and the kind of those that have one."""
    seen: dict[str, type[Any] | None] = {}
    for statistic in statistics:
        if statistic.function is None:
            seen[statistic.column] = statistic.kind
            continue
        for row in rows:
            for name in row.values:
                if name == statistic.column or name.startswith(f"{statistic.column}."):
                    seen.setdefault(name, None)
    return seen


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
