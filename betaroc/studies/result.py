"""What a study found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.errors import BetarocWarning
from betaroc.core.notices import warn
from betaroc.core.text import shown
from betaroc.core.value import Result
from betaroc.rendering.numbers import visible
from betaroc.studies.storage import Folder

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["StudyResult", "read"]

_INDEX = ("cell", "replicate")
_LAST = ("status", "error")
_SUMMED = ("replicates", "mean", "mc_error", "sd")
#: Errors that are shown of a study; the table has all of them.
_ERRORS_SHOWN = 3
#: Values of a text of which shares are given.
_MOST_VALUES = 32


@dataclass(frozen=True, eq=False, repr=False)
class StudyResult(Result):
    """Results of a study as its folder holds them.

    Parameters
    ----------
    folder : Path
        Where the parts are.
    names : tuple of str
        The parameters of the design.
    rows : int
        Trials of the whole study: cells times replicates.
    computed : int
        Trials that this run computed.
    skipped : int
        Trials that were there already.

    Examples
    --------
    >>> import tempfile
    >>> import betaroc as br
    >>> folder = tempfile.TemporaryDirectory()
    >>> design = {"a_c": [2.0, 3.0], "b_c": 1.0, "a_i": 1.0, "b_i": 2.0}
    >>> result = br.Study(design, ["true.auc"], folder=folder.name).run()
    >>> result.computed, result.skipped, result.failed, result.missing
    (2, 0, 0, 0)
    >>> result.to_frame()["true.auc"].round(6).tolist()
    [0.833333, 0.9]
    >>> folder.cleanup()
    """

    folder: Path
    names: tuple[str, ...]
    rows: int
    computed: int = field(default=0, compare=False)
    skipped: int = field(default=0, compare=False)

    @cached_property
    def _status(self) -> list[str]:
        table = Folder(self.folder).table(["status"])
        return [] if table is None else table.column("status").to_pylist()

    @property
    def failed(self) -> int:
        """Trials that have an error in place of numbers."""
        return self._status.count("failed")

    @property
    def missing(self) -> int:
        """Trials that are not there yet."""
        return self.rows - len(self._status)

    def to_frame(self) -> pd.DataFrame:
        """All trials that are there, a row each.

        Returns
        -------
        pandas.DataFrame
            In the order of cell and replicate: ``cell``, ``replicate``, the parameters, the
            statistics, ``status`` ("ok" or "failed") and ``error``, its text. The statistics of a
            failed trial are nan.

        Raises
        ------
        StudyError
            If a part is damaged.

        Examples
        --------
        >>> import tempfile
        >>> import betaroc as br
        >>> pair = {"law": "normal", "mu_c": [1, 2], "sigma_c": 1, "mu_i": 0, "sigma_i": 1}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     frame = br.Study(pair, ["true.eer"], folder=folder).run().to_frame()
        >>> frame[["cell", "mu_c", "true.eer"]].round(6).values.tolist()  # Phi(-1/2), Phi(-1)
        [[0.0, 1.0, 0.308538], [1.0, 2.0, 0.158655]]
        """
        import pandas as pd

        table = Folder(self.folder).table()
        if table is None:
            return pd.DataFrame({name: [] for name in (*_INDEX, *self.names, *_LAST)})
        # A column that the first parts lack is appended; what is last stays last.
        frame = table.to_pandas()
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
            A row a cell and statistic: ``cell``, the parameters, ``statistic``, ``replicates``
            that have a value, ``mean``, ``mc_error`` of the mean, ``sd`` (divisor one less), and a
            column a quantile, such as ``q0.025``.

        Raises
        ------
        InputError
            If a quantile lies outside [0, 1].
        StudyError
            If a part is damaged.

        Warns
        -----
        BetarocWarning
            If a text has more than 32 values: it is left out.

        Notes
        -----
        Failed trials and nan are left out and not counted. Text has a row for each value that it
        takes in the study, called ``statistic=value``: 1 where it is that and 0 where it is
        another, so that the mean is a share. So are means of booleans, which are 0 and 1.

        References
        ----------
        Morris, T., White, I. and Crowther, M. (2019), Using simulation studies to evaluate
        statistical methods, Statistics in Medicine 38, table 6.

        Examples
        --------
        >>> import tempfile
        >>> import betaroc as br
        >>> design = {"a_c": 3.0, "b_c": 1.0, "a_i": 1.0, "b_i": 3.0, "n": 200}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     study = br.Study(design, ["fit.auc"], folder=folder, replicates=50, rng=1)
        ...     row = study.run().summary().iloc[0]
        >>> bool(abs(row["mean"] - 0.95) < 4 * row["mc_error"]), int(row["replicates"])  # AUC 19/20
        (True, 50)
        """
        import pandas as pd

        levels = [checks.fraction(q, "quantiles") for q in quantiles]
        frame = self.to_frame()
        keep = (*_INDEX, *self.names, *_LAST)
        sought = _numbers_of(frame.drop(columns=[name for name in keep if name in frame]))
        names = list(sought)
        heads = [*_SUMMED, *(f"q{q:g}" for q in levels)]
        if not names:
            return pd.DataFrame(columns=["cell", *self.names, "statistic", *heads])
        _, first, cells = np.unique(
            frame["cell"].to_numpy(), return_index=True, return_inverse=True
        )
        place = cells, frame["replicate"].to_numpy(dtype=np.intp)
        sheets = [_summed(values, place, levels) for values in sought.values()]
        # A row a cell and statistic, the statistics changing first.
        found = frame[["cell", *self.names]].iloc[np.repeat(first, len(names))]
        found = found.reset_index(drop=True)
        found["statistic"] = np.tile(np.array(names, dtype=object), len(first))
        for k, column in enumerate(heads):
            found[column] = np.stack([sheet[k] for sheet in sheets], axis=1).ravel()
        found["replicates"] = found["replicates"].astype(np.int64)
        return found

    def __str__(self) -> str:
        return "\n".join([self._counts(), *self._failure_lines()])

    def __repr__(self) -> str:
        return f"<StudyResult {self._counts()}>"

    def _counts(self) -> str:
        text = f"{self.rows} trials in {shown(str(self.folder))}"
        text += f": {self.computed} computed now, {self.skipped} were there"
        rest = [f"{n} {word}" for n, word in ((self.failed, "failed"), (self.missing, "missing"))
                if n]  # fmt: skip
        return text + (", " + ", ".join(rest) if rest else "")

    def _failures(self) -> list[dict[str, Any]]:
        """The first trials that failed, and why."""
        if not self.failed:
            return []
        table = Folder(self.folder).table([*_INDEX, *_LAST])
        lost = np.flatnonzero([one == "failed" for one in self._status])[:_ERRORS_SHOWN]
        rows: list[dict[str, Any]] = table.take(lost).select([*_INDEX, "error"]).to_pylist()
        return rows

    def _failure_lines(self) -> list[str]:
        """The first of them for a reader, and how many there are beside."""
        lines = [
            f"failed: cell {one['cell']}, replicate {one['replicate']}:"
            f" {visible(one['error'].partition(chr(10))[0])}"
            for one in self._failures()
        ]
        if self.failed > _ERRORS_SHOWN:
            lines.append(f"and {self.failed - _ERRORS_SHOWN} more; the column error has them all")
        return lines


def _numbers_of(frame: Any) -> dict[str, FloatArray]:
    """Columns as numbers; text as one column of 0 and 1 for each value, nan where it lacks."""
    found: dict[str, FloatArray] = {}
    for name in frame.columns:
        column = frame[name].to_numpy(dtype=object)
        texts = sorted({v for v in column if isinstance(v, str)})
        if not texts:
            found[name] = frame[name].to_numpy(dtype=np.float64)
        elif len(texts) > _MOST_VALUES:
            warn(
                f"{shown(name)} has {len(texts)} values, more than the {_MOST_VALUES} of which"
                " summary gives shares, and is left out. Count it in to_frame().",
                BetarocWarning,
            )
        else:
            lacking = np.array([not isinstance(v, str) for v in column])
            for text in texts:
                found[f"{name}={text}"] = np.where(lacking, np.nan, column == text)
    return found


def _summed(values: FloatArray, place: tuple[Any, Any], levels: Sequence[float]) -> FloatArray:
    """Count, mean, its error, spread and quantiles (rows) of every cell (columns).

    `place` is the cell and the replicate of each value; nan is left out.
    """
    table = np.full([int(np.max(k, initial=-1)) + 1 for k in place], np.nan)
    table[place] = values
    table.sort(axis=1)  # nan last
    counts = np.count_nonzero(~np.isnan(table), axis=1)
    found = np.full((len(_SUMMED) + len(levels), len(table)), np.nan)
    found[0] = counts
    for n in np.unique(counts[counts > 0]).tolist():
        here = counts == n
        known = table[here, :n]
        # About one of the values: what does not vary has exactly itself as mean.
        base = np.where(np.isfinite(known).all(axis=1), known[:, 0], 0.0)[:, None]
        with np.errstate(invalid="ignore"):
            found[1, here] = base[:, 0] + np.mean(known - base, axis=1)
            if n > 1:
                found[3, here] = np.std(known - base, ddof=1, axis=1)
            found[len(_SUMMED) :, here] = np.quantile(known, levels, axis=1)
    found[2] = found[3] / np.sqrt(np.maximum(counts, 1))
    return found


def read(folder: Any) -> StudyResult:
    """What a folder holds of a study, finished or not, without its code.

    Parameters
    ----------
    folder : str or PathLike
        The folder that the study was given.

    Returns
    -------
    StudyResult
        With nothing computed.

    Raises
    ------
    StudyError
        If it is no folder of a study.

    Examples
    --------
    >>> import tempfile
    >>> import betaroc as br
    >>> from betaroc.studies.result import read
    >>> design = {"a_c": 2.0, "b_c": 1.0, "a_i": 1.0, "b_i": 2.0}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = br.Study(design, ["true.auc"], folder=folder).run()
    ...     read(folder).to_frame()["true.auc"].round(6).tolist()
    [0.833333]
    """
    where = Folder(folder)
    manifest = where.manifest()
    rows = manifest["cells"] * manifest["replicates"]
    result = StudyResult(where.path.resolve(), tuple(manifest["names"]), rows)
    there = len(result._status)
    return StudyResult(result.folder, result.names, rows, 0, there)
