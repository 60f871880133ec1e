"""Results of a study."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.errors import BetarocWarning
from betaroc.core.notices import warn
from betaroc.core.text import format_value
from betaroc.core.value import Result
from betaroc.rendering import tree
from betaroc.rendering.curves import draw_intervals
from betaroc.rendering.files import page_target, write_whole
from betaroc.rendering.numbers import number, spaced, version, visible
from betaroc.rendering.tree_html import page_of, verdict_nodes
from betaroc.studies.storage import Folder

if TYPE_CHECKING:
    import pandas as pd

_INDEX = ("cell", "replicate")
_LAST = ("status", "error")
_SUMMED = ("replicates", "mean", "mc_error", "sd")
#: Errors that are shown of a study; the table has all of them.
_ERRORS_SHOWN = 3
#: Values of a text of which shares are given.
_MOST_VALUES = 32


@dataclass(frozen=True, eq=False, repr=False)
class StudyResult(Result):
    """Results of a study.

    Parameters
    ----------
    folder : Path or None
        Where the parts are; None in memory.
    names : tuple of str
        The parameters of the design.
    rows : int
        Trials of the whole study: cells times replicates.
    computed : int
        Trials that this run computed.
    skipped : int
        Trials that were there already.
    memory : object or None
        The parts that no folder keeps; no part of equality.

    Examples
    --------
    >>> import betaroc as br
    >>> design = {"a_c": [2.0, 3.0], "b_c": 1.0, "a_i": 1.0, "b_i": 2.0}
    >>> br.Study(design, ["true.auc"]).run().computed
    2
    """

    folder: Path | None
    names: tuple[str, ...]
    rows: int
    computed: int = field(default=0, compare=False)
    skipped: int = field(default=0, compare=False)
    memory: Folder | None = field(default=None, compare=False, repr=False)

    @property
    def _store(self) -> Folder:
        return self.memory or Folder(self.folder)

    @cached_property
    def _status(self) -> list[str]:
        table = self._store.table(["status"])
        return [] if table is None else table["status"].tolist()

    @property
    def failed(self) -> int:
        """Trials that have an error in place of numbers."""
        return self._status.count("failed")

    @property
    def missing(self) -> int:
        """Trials that are not there yet."""
        return self.rows - len(self._status)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per trial, in the order of cell and replicate.

        Columns ``cell``, ``replicate``, the parameters, the statistics (nan of a failed trial),
        ``status`` ("ok" or "failed") and ``error``.

        Raises
        ------
        StudyError
            If a part is damaged.

        Examples
        --------
        >>> import betaroc as br
        >>> pair = {"law": "normal", "mu_c": [1, 2], "sigma_c": 1, "mu_i": 0, "sigma_i": 1}
        >>> frame = br.Study(pair, ["true.eer"]).run().to_frame()
        >>> frame[["cell", "mu_c", "true.eer"]].round(6).values.tolist()  # Phi(-1/2), Phi(-1)
        [[0.0, 1.0, 0.308538], [1.0, 2.0, 0.158655]]
        """
        import pandas as pd

        frame = self._store.table()
        if frame is None:
            return pd.DataFrame({name: [] for name in (*_INDEX, *self.names, *_LAST)})
        # A column that the first parts lack is appended; what is last stays last.
        for name in frame.columns[frame.isna().all()]:
            frame[name] = np.nan
        return frame[[name for name in frame.columns if name not in _LAST] + list(_LAST)]

    def summary(self, quantiles: Sequence[float] = (0.025, 0.5, 0.975)) -> pd.DataFrame:
        """Each statistic of each cell over its replicates; of text the share of each value.

            mc_error = sd / sqrt(replicates)

        Parameters
        ----------
        quantiles : sequence of float
            Fractions in [0, 1].

        Returns
        -------
        pandas.DataFrame
            A row per cell and statistic: ``cell``, the parameters, ``statistic``, ``replicates``
            with a value, ``mean``, ``mc_error``, ``sd``, and quantiles such as ``q0.025``.

        Raises
        ------
        InputError, StudyError
            If a quantile lies outside [0, 1], or a part is damaged.

        Warns
        -----
        BetarocWarning
            If a text has more than 32 values, and is left out.

        Notes
        -----
        Failed trials and nan do not count. A value of a text has a row ``statistic=value``, whose
        mean is its share.

        References
        ----------
        Morris, T., White, I. and Crowther, M. (2019), Using simulation studies to evaluate
        statistical methods, Statistics in Medicine 38, table 6.

        Examples
        --------
        >>> import betaroc as br
        >>> design = {"a_c": 3.0, "b_c": 1.0, "a_i": 1.0, "b_i": 3.0, "n": 200}
        >>> row = br.Study(design, ["fit.auc"], replicates=50, rng=1).run().summary().iloc[0]
        >>> round(float(row["mean"]), 2)  # AUC 19/20
        0.95
        """
        import pandas as pd

        levels = [checks.fraction(q, "quantiles") for q in quantiles]
        frame = self.to_frame()
        keep = (*_INDEX, *self.names, *_LAST)
        values = pd.DataFrame(_numbers_of(frame.drop(columns=[n for n in keep if n in frame])))
        heads = [*_SUMMED, *(f"q{q:g}" for q in levels)]
        if values.empty:
            return pd.DataFrame(columns=["cell", *self.names, "statistic", *heads])
        # A row per cell and statistic, the statistics changing first.
        each = values.assign(cell=frame["cell"]).melt("cell", None, "statistic", "error")
        groups = each.groupby(["cell", "statistic"], sort=False)["error"]  # no statistic's name
        sheets = [groups.count(), groups.mean(), groups.sem(), groups.std()]
        sheets += [groups.quantile(q) for q in levels]
        table = pd.DataFrame(dict(zip(heads, sheets, strict=True))).reset_index()
        return frame[["cell", *self.names]].drop_duplicates("cell").merge(table, on="cell")

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write the results as one self-contained page.

        Parameters
        ----------
        path : str or path-like
            Written whole or not at all; outside the folder of the study.

        Raises
        ------
        OutputError, StudyError
            If it cannot be written, and no file changes, or a part is damaged.

        Examples
        --------
        >>> import tempfile
        >>> import betaroc as br
        >>> design = {"a_c": [2.0, 3.0], "b_c": 1.0, "a_i": 1.0, "b_i": 2.0}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     br.Study(design, "true.auc").run().to_html(f"{folder}/study.html")
        """
        page_target(path)
        write_whole(path, study_page(self))

    def _view(self) -> list[tree.Node]:
        counts, failed = tree.Paragraph(self._counts(), "given"), "\n".join(self._failure_lines())
        verdicts = _verdicts(self, self.summary())
        return [*tree.apart(counts), *verdicts, *tree.apart(tree.Paragraph(failed, "given"))]

    def __str__(self) -> str:
        return "\n".join([self._counts(), *self._failure_lines()])

    def __repr__(self) -> str:
        return f"<StudyResult {self._counts()}>"

    def _counts(self) -> str:
        counts = {"failed": self.failed, "missing": self.missing}
        rest = "".join(f", {count} {word}" for word, count in counts.items() if count)
        text = f"{self.rows} trials in {place_words(self.folder)}: {self.computed} computed now"
        return f"{text}, {self.skipped} were there{rest}"

    def _failures(self) -> list[dict[str, Any]]:
        table = self._store.table([*_INDEX, *self.names, *_LAST]) if self.failed else None
        if table is None:
            return []
        rows: list[dict[str, Any]] = table[table["status"] == "failed"].to_dict("records")
        return rows[:_ERRORS_SHOWN]

    def _failure_lines(self) -> list[str]:
        lines = [
            f"failed: cell {failure['cell']}, replicate {failure['replicate']}"
            f" ({', '.join(f'{name} {_shown_value(failure[name])}' for name in self.names)}):"
            f" {visible(failure['error'].partition(chr(10))[0])}"
            for failure in self._failures()
        ]
        if self.failed > _ERRORS_SHOWN:
            lines.append(f"and {self.failed - _ERRORS_SHOWN} more; the column error has them all")
        return lines


def place_words(folder: Path | None) -> str:
    """Where the parts of a study are."""
    return "memory" if folder is None else format_value(str(folder))


def _numbers_of(frame: Any) -> dict[str, FloatArray]:
    """Columns as numbers; text as a column of 0 and 1 per value, nan where it lacks."""
    import pandas as pd

    result: dict[str, FloatArray] = {}
    for name in frame.columns:
        column = frame[name].astype(object)
        texts = column[column.map(lambda value: isinstance(value, str))]
        if texts.empty:
            result[name] = frame[name].to_numpy(dtype=np.float64)
        elif (count := texts.nunique()) > _MOST_VALUES:
            warn(
                f"{format_value(name)} has {count} values, more than the {_MOST_VALUES} of which"
                " summary gives shares, and is left out. Count it in to_frame().",
                BetarocWarning,
            )
        else:
            shares = pd.get_dummies(texts, prefix=name, prefix_sep="=", dtype=np.float64)
            result |= shares.reindex(frame.index).items()
    return result


def read_study(folder: Any) -> StudyResult:
    """As `Study.open`."""
    where = Folder(folder)
    manifest = where.manifest()
    rows = manifest["cells"] * manifest["replicates"]
    result = StudyResult(where.path.resolve(), tuple(manifest["names"]), rows)
    return replace(result, skipped=len(result._status))


# --------------------------------------------------------------------------------- a page
#: Statistics that are drawn, cells of each, and rows of the table of cells.
_DRAWN, _CELLS_SHOWN, _ROWS_SHOWN = 8, 40, 200
#: Characters beside a row, and Monte Carlo errors of an interval of 95 %.
_LABEL, _ERRORS = 22, 1.96


def study_page(result: StudyResult) -> str:
    """The page: trials, and each statistic over the cells."""
    manifest, table = result._store.manifest(), result.summary()
    cells, replicates = int(manifest["cells"]), int(manifest["replicates"])
    first = table.head(1)
    varying = [name for name in result.names if not table[name].isin(first[name]).all()]
    name = tree.foreign("in memory" if result.folder is None else result.folder.name)
    trials = f"{spaced(cells)} cell{'s' * (cells > 1)} with {spaced(replicates)}"
    trials += f" replicate{'s' * (replicates > 1)}{' each' * (cells > 1)}"
    verb = "vary" if len(varying) > 1 else "varies"
    varied = f"{', '.join(map(visible, varying)) or 'no parameter'} {verb}"
    counts = {
        "are not computed yet: run the study again": result.missing,
        "failed, and are left out of what is below": result.failed,
    }
    alarms = [f"{spaced(n)} trials {words}." for words, n in counts.items() if n]
    alarms += [visible(notice.message) for notice in result.notices]
    complete = f"{spaced(result.rows - sum(counts.values()))} trials have their numbers."
    groups = list(table.groupby("statistic", sort=False))[:_DRAWN]
    return page_of(
        f"betaroc: study {name.short}", "Study", [name.short],
        f"What do {spaced(result.rows)} simulated trials say?",
        [*(tree.Paragraph(line, "lead") for line in (f"{trials}; {varied}.", complete)),
         *(tree.Paragraph(line, "warn lead") for line in alarms), *_verdicts(result, table),
         tree.Figures(tuple(_figure(varying, str(name), group) for name, group in groups))],
        _sections(result, manifest, table, name.whole), f"betaroc {version()}.",
    )  # fmt: skip


def _verdicts(result: StudyResult, table: pd.DataFrame) -> Sequence[tree.Node]:
    manifest, rows = result._store.manifest(), []
    cells = int(manifest["cells"])
    for name, group in table.groupby("statistic", sort=False):
        complete = int((group["replicates"] == int(manifest["replicates"])).sum())
        words = "all" if complete == cells else f"{spaced(complete)} of"
        icon = "good" if complete == cells else "warn"
        mean, error = group["mean"], group["mc_error"].max()
        numbers = [number(float(x), 4) for x in (mean.min(), mean.median(), mean.max())]
        rows.append(tree.Row((
            tree.foreign(str(name)), tree.Status("", f"{words} {spaced(cells)} complete", icon),
            *numbers, "" if np.isnan(error) else number(error, 2),
        )))  # fmt: skip
    head = ("statistic", "of the cells", "least mean", "median", "largest",
            "largest Monte Carlo error")  # fmt: skip
    return verdict_nodes(head, rows)


def _figure(varying: Sequence[str], name: str, group: pd.DataFrame) -> tree.Figure:
    shown, marks = tree.foreign(name).short, []
    for row in group.head(_CELLS_SHOWN).to_dict("records"):
        cell = ", ".join(f"{key} {_shown_value(row[key])}" for key in varying)
        label = visible(cell or f"cell {row['cell']}")
        label = label if len(label) <= _LABEL else f"{label[: _LABEL - 1]}…"
        spread = 0.0 if np.isnan(row["mc_error"]) else _ERRORS * row["mc_error"]
        ends = row["mean"] - spread, row["mean"], row["mean"] + spread
        marks.append(tree.IntervalMark(label, *ends))
    caption = f"{shown}: mean of each cell, 95 % Monte Carlo interval"
    if len(group) > _CELLS_SHOWN:
        caption += f"; the first {_CELLS_SHOWN} of {spaced(len(group))} cells"
    about = f"Means of {shown} in {len(marks)} cells"
    return tree.Figure(partial(draw_intervals, None, marks, shown), caption, about)


def _sections(
    result: StudyResult, manifest: Mapping[str, Any], table: pd.DataFrame, folder: str
) -> list[tree.Section]:
    heads, left = tuple(map(str, table.columns)), len(table) - _ROWS_SHOWN
    cells = table.head(_ROWS_SHOWN).itertuples(index=False)
    rows = tuple(tree.Row(tuple(map(_shown_value, row))) for row in cells)
    each: list[tree.Node] = [tree.Grid(heads, rows, (heads.index("statistic"),))]
    if left > 0:
        more = f"{spaced(left)} more rows: .summary() has all of them."
        each.append(tree.Paragraph(more, "note"))
    read = [f"folder: {folder}", f"statistics: {', '.join(manifest['statistics'])}"]
    read += [f"{name}: {manifest[name]}" for name in ("betaroc", "numpy", "scipy", "block")]
    parts: list[tuple[str, str, str, list[tree.Node]]] = [
        ("Each cell", f"{spaced(len(table))} rows", "cells", each),
        ("What was read", f"{spaced(result.rows - result.missing)} trials of a folder", "read",
         [tree.Bullets(tuple(map(visible, read)))]),
    ]  # fmt: skip
    if result.failed:
        lines = tree.Bullets(tuple(result._failure_lines()))
        parts.insert(1, ("What failed", f"{spaced(result.failed)} trials", "failed", [lines]))
    return [tree.Section(title, tuple(blocks), finding, key, folded=True)
            for title, finding, key, blocks in parts]  # fmt: skip


def _shown_value(value: Any) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else number(value, 4)
    return visible(str(value))
