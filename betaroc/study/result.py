"""What a study found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from betaroc import _checks
from betaroc._value import Value
from betaroc._words import shown
from betaroc.study.storage import Folder

__all__ = ["StudyResult", "read"]

_INDEX = ("cell", "replicate")
_LAST = ("status", "error")


@dataclass(frozen=True, eq=False, repr=False)
class StudyResult(Value):
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

    def to_frame(self) -> Any:
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

    def summary(self, quantiles: Sequence[float] = (0.025, 0.5, 0.975)) -> Any:
        """Each numeric statistic of each cell over its replicates.

            mc_error = sd / sqrt(replicates)

        Parameters
        ----------
        quantiles : sequence of float
            Fractions in [0, 1].

        Returns
        -------
        pandas.DataFrame
            A row a cell and statistic: ``cell``, the parameters, ``statistic``, ``replicates``
            that have a number, ``mean``, ``mc_error`` of the mean, ``sd`` (divisor one less), and a
            column a quantile, such as ``q0.025``.

        Raises
        ------
        InputError
            If a quantile lies outside [0, 1].
        StudyError
            If a part is damaged.

        Notes
        -----
        Failed trials and nan are left out and not counted. Text has no summary: count it
        in :meth:`to_frame`.

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

        levels = [_checks.fraction(q, "quantiles") for q in quantiles]
        frame = self.to_frame()
        keep = (*_INDEX, *self.names, *_LAST)
        names = [
            name for name in frame.columns
            if name not in keep and pd.api.types.is_numeric_dtype(frame[name])
        ]  # fmt: skip
        rows = []
        for cell, group in frame.groupby("cell", sort=True):
            head = {"cell": cell} | {name: group[name].iloc[0] for name in self.names}
            for name in names:
                rows.append(head | {"statistic": name} | _summed(group[name].to_numpy(), levels))
        columns = ["cell", *self.names, "statistic", "replicates", "mean", "mc_error", "sd"]
        return pd.DataFrame(rows, columns=[*columns, *(f"q{q:g}" for q in levels)])

    def __str__(self) -> str:
        text = f"{self.rows} trials in {shown(str(self.folder))}"
        text += f": {self.computed} computed now, {self.skipped} were there"
        rest = [f"{n} {word}" for n, word in ((self.failed, "failed"), (self.missing, "missing"))
                if n]  # fmt: skip
        return text + (", " + ", ".join(rest) if rest else "")

    def __repr__(self) -> str:
        return f"<StudyResult {self}>"


def _summed(values: Any, levels: Sequence[float]) -> dict[str, float]:
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    n = known.size
    nan = float("nan")
    with np.errstate(invalid="ignore"):
        # About the first value: what does not vary has exactly itself as mean.
        base = float(known[0]) if n and np.isfinite(known).all() else 0.0
        sd = float(np.std(known - base, ddof=1)) if n > 1 else nan
        mean = base + float(np.mean(known - base)) if n else nan
        cuts = np.quantile(known, levels) if n and levels else np.full(len(levels), nan)
    found = {"replicates": n, "mean": mean, "mc_error": sd / n**0.5 if n else nan, "sd": sd}
    return found | {f"q{q:g}": float(v) for q, v in zip(levels, cuts, strict=True)}


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
    >>> from betaroc.study import read
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
