"""Studies written down as TOML."""

from __future__ import annotations

import functools
import operator
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from betaroc.core import checks
from betaroc.core.errors import InputError, InputTypeError, refusal
from betaroc.core.local_files import read_toml
from betaroc.core.text import listed, nearest, shown
from betaroc.studies.design import Design
from betaroc.studies.study import Study

_KEYS = ("folder", "replicates", "seed", "workers", "block", "statistics", "design")
_KINDS = ("grid", "sobol", "latin-hypercube")
_POINTS = "points"


class Configuration(NamedTuple):
    """What a configuration asks for; the command line may say otherwise."""

    statistics: Any
    tables: Mapping[str, Any]
    folder: str
    replicates: int
    seed: int | None
    workers: int
    block: int | None

    def study(self, *, folder: str | None, workers: int | None, seed: int) -> Study:
        """The study, with what the command line says; designs are drawn by the same seed."""
        designs = []
        for kind, table in self.tables.items():  # their product, in their order
            ranges = {name: value for name, value in table.items() if name != _POINTS}
            draw = Design.sobol if kind == "sobol" else Design.latin_hypercube
            grid = kind == "grid"
            designs.append(Design.grid(table) if grid else draw(ranges, table[_POINTS], rng=seed))
        return Study(
            functools.reduce(operator.mul, designs),
            self.statistics,
            folder=self.folder if folder is None else folder,
            workers=self.workers if workers is None else workers,
            rng=seed,
            replicates=self.replicates,
            block=self.block,
        )


def read_configuration(path: str | os.PathLike[str]) -> Configuration:
    """Read a study from a TOML file; a folder that it does not name is called like the file.

    Folders are from where the file is, and below.
    """
    result = read_toml(Path(path), "the configuration", "Name the TOML file of a study.")
    _refuse_unknown(result, _KEYS, "")
    for key in ("statistics", "design"):
        if key not in result:
            raise InputError(
                f"{shown(str(path))} must have {key}; it has {listed(result) or 'nothing'}."
                ' Such as statistics = ["fit.auc"] and a table [design.grid].'
            )
    folder = result.get("folder", Path(path).stem)
    if not isinstance(folder, str) or not folder:
        raise refusal("folder", "be text", shown(folder), "Name a folder.", InputTypeError)
    statistics, design = result["statistics"], result["design"]
    if not isinstance(statistics, list | dict) or not statistics:
        raise InputTypeError.about("statistics")(
            "statistics must be a list of names, or a table of columns; got"
            f' {shown(statistics)}. Such as statistics = ["fit.auc", "true.auc"].'
        )
    if not isinstance(design, dict) or not design:
        raise InputTypeError.about("design")(
            f"design must have tables, whose product is taken; got {shown(design)}. Write"
            " [design.grid], [design.sobol] or [design.latin-hypercube]."
        )
    _refuse_unknown(design, _KINDS, "design")
    for kind, table in design.items():
        if not isinstance(table, dict):
            raise InputTypeError(f"design.{kind} must be a table; got {shown(table)}.")
        if kind != "grid":
            checks.count(table.get(_POINTS), f"design.{kind}.{_POINTS}")
    seed, block = result.get("seed"), result.get("block")
    return Configuration(
        statistics,
        design,
        _below(Path(path), folder),
        checks.count(result.get("replicates", 1), "the number of replicates"),
        None if seed is None else checks.count(seed, "seed", 0),
        result.get("workers", 1),
        None if block is None else checks.count(block, "block"),
    )


def _below(path: Path, folder: str) -> str:
    """A folder as the working directory sees it; none that the configuration does not lie above."""
    try:
        home, place = path.parent.resolve(), (path.parent / folder).resolve()
    except (OSError, RuntimeError, ValueError):  # no path of this system: said where it is made
        return folder
    if home not in place.parents:
        raise InputError.about("folder")(
            f"the folder that {shown(path.name)} names must lie beside it or below; got"
            f" {shown(folder)}. Name one there, or pass --folder to write elsewhere."
        )
    return folder if home == Path.cwd() else str(path.parent / folder)


def _refuse_unknown(result: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in result:
        if key not in known:
            intended = f"Did you mean [design.{key}]?" if key in _KINDS else nearest(key, known)
            raise InputError(
                f"{where or 'the configuration'} must have keys of {listed(known, 8)}; got"
                f" {where + '.' if where else ''}{key}. {intended}".rstrip()
            )
