"""``betaroc study``: the synthetic-data study of a TOML file, begun or gone on with."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from betaroc.cli.messages import as_json, examples, messages, say_warnings
from betaroc.cli.options import SEED, checked_page, page_option
from betaroc.core.errors import InputError
from betaroc.core.notices import collected
from betaroc.core.tables import listed_columns
from betaroc.core.text import shown
from betaroc.rendering.numbers import path_words
from betaroc.rendering.table_text import records
from betaroc.rendering.tree import Grid, Row, Words, apart, as_named
from betaroc.rendering.tree_text import text_of
from betaroc.studies.configuration import read_configuration
from betaroc.studies.result import StudyResult, read
from betaroc.studies.storage import Folder

#: Exit codes.
_DONE, _INCOMPLETE = 0, 3

_ATLAS = """\
atlas.toml, for example (beta distributions; n scores a class in each of 20 samples a cell):
  replicates = 20
  statistics = ["true.auc", "fit.auc", "fit.tpr@far=0.1"]

  [design.grid]
  a_c = [2.0, 4.0]
  b_c = 1.5
  a_i = 1.0
  b_i = 2.0
  n = [50, 500]

betaroc --help tells the exit codes."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc study atlas.toml",
        "betaroc study atlas.toml --workers 4 --folder results --html atlas.html",
        rest=_ATLAS,
    )
    option = parser.add_argument
    option("config", metavar="CONFIG", help="TOML file with design and statistics")
    option("--folder", metavar="FOLDER",
        help="folder of the results (default: the file's, else one called like the file); a study"
        " that was begun there is gone on with")  # fmt: skip
    option("--workers", type=int, metavar="K",
        help="worker processes, -1 for as many as processors (default: the file's, else"
        " 1)")  # fmt: skip
    option("--seed", type=int, metavar="N",
        help=f"seed of designs and samples (default: the file's, else {SEED})")  # fmt: skip
    option("--json", action="store_true", help="one JSON document on standard output")
    page_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the study of a configuration, say what came out; the exit code."""
    asked = read_configuration(arguments.config)
    _check_page(arguments, asked.folder)
    seed = next((k for k in (arguments.seed, asked.seed) if k is not None), SEED)
    if arguments.seed is not None and seed < 0:
        raise InputError.about("seed")(f"seed must be an int >= 0; got {seed}.")
    study = asked.study(folder=arguments.folder, workers=arguments.workers, seed=seed)
    try:
        with collected() as notices:
            result = study.run()
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(
            f"interrupted; {_kept(arguments.folder or asked.folder)}. Give the same command again"
            " to go on"
        ) from stop
    if arguments.html is not None:
        result.to_html(arguments.html)
    if arguments.json:
        sys.stdout.write(as_json(_document(result, seed)))
    else:
        sys.stdout.write(_text(result) + "\n")
    say_warnings(messages(notices, arguments))
    return _INCOMPLETE if result.failed else _DONE


def _check_page(arguments: argparse.Namespace, folder: str) -> None:
    """The page is in place before the work, and no part of the study."""
    checked_page(arguments, [arguments.config])
    if arguments.html is None:
        if arguments.force:
            raise InputError("--force must stand beside --html, the page it may replace.")
        return
    inside = Path(arguments.folder or folder).resolve()
    if Path(arguments.html).resolve().parent == inside:
        raise InputError(
            f"--html must lie outside the folder of the study; got {shown(arguments.html)}. Name"
            " another folder: that of a study holds nothing else."
        )


def _kept(folder: str) -> str:
    """What is there of a study that was interrupted."""
    there = Folder(folder)
    trials = read(folder).skipped if there.there else 0
    if not trials:
        return f"no part was finished yet, and no trial is kept in {shown(folder)}"
    parts = len(there.parts())
    return f"{trials} trials ({parts} finished parts) are kept in {shown(folder)}"


def _document(result: StudyResult, seed: int) -> dict[str, Any]:
    return {
        "folder": None if result.folder is None else result.folder.name,
        "seed": seed,
        "trials": result.rows,
        "computed": result.computed,
        "skipped": result.skipped,
        "failed": result.failed,
        "errors": result._failures(),
        "summary": records(listed_columns(result.summary())),
    }


def _text(result: StudyResult) -> str:
    counts = (
        f"{result.rows} trials in {path_words(str(result.folder))}: {result.computed} computed now,"
        f" {result.skipped} were there, {result.failed} failed"
    )
    rows = []
    for name, group in result.summary().groupby("statistic", sort=False):
        mean, error = group["mean"], group["mc_error"]
        numbers = (mean.min(), mean.median(), mean.max(), error.max())
        rows.append(Row((as_named(name), *map("{:.4g}".format, numbers))))
    head = ("mean of the cells", "least", "median", "largest", "MC error")
    table = apart(Grid(head, tuple(rows))) if rows else []
    failed = Words("\n".join(result._failure_lines()), "given")
    return text_of([*apart(Words(counts, "given")), *table, *apart(failed)])
