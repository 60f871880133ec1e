"""``betaroc study``: the synthetic-data study of a TOML file, begun or continued."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial
from pathlib import Path

from betaroc.cli.messages import examples, messages, say
from betaroc.cli.options import PAGE, add, check_output, refuse, shared
from betaroc.core import tables, value
from betaroc.core.errors import refusal
from betaroc.core.notices import collected
from betaroc.core.text import format_value
from betaroc.rendering.tree_text import records
from betaroc.studies.result import read_study
from betaroc.studies.storage import Folder
from betaroc.studies.study import SEED, read_configuration

_ATLAS = """\
atlas.toml, for example (beta distributions; n scores per class in each of 20 samples per cell):
  replicates = 20
  statistics = ["true.auc", "fit.auc", "fit.tpr@far=0.1"]

  [design.grid]
  a_c = [2.0, 4.0]
  b_c = 1.5
  a_i = 1.0
  b_i = 2.0
  n = [50, 500]

betaroc --help lists the exit codes."""


def add_options(parser: ArgumentParser) -> None:
    """Declare the options."""
    examples(
        parser,
        "betaroc study atlas.toml",
        "betaroc study atlas.toml --workers 4 --folder results --html atlas.html",
        rest=_ATLAS,
    )
    option = partial(add, parser)
    option("config CONFIG", "TOML file with design and statistics")
    option("--folder FOLDER", "folder of the results, begun or continued (default: the file's)")
    option("--workers K", "processes, -1 as many as processors (default: the file's, else 1)")
    option("--seed N", f"seed of designs and samples (default: the file's, else {SEED})")
    shared(parser, "--json", "--html", "--force")


def run(arguments: Namespace) -> int:
    """Run the study of a configuration; the exit code."""
    given = arguments.folder, arguments.workers, arguments.seed
    study, folder, seed = read_configuration(arguments.config, *given)
    if arguments.html is None:
        refuse(arguments, ("force",), "stand beside --html, the page it may replace")
    else:
        check_output(arguments, "html", [arguments.config], PAGE)
        if Path(arguments.html).resolve().parent == Path(folder).resolve():
            rule = "lie outside the folder of the study, which holds nothing else"
            raise refusal("--html", rule, format_value(arguments.html), "Name another folder.")
    try:
        with collected() as notices:
            result = study.run()
    except KeyboardInterrupt as stop:
        parts = Folder(folder)
        trials = read_study(folder).skipped if parts.there else 0
        keep = f"; {trials} trials ({len(parts.parts()) if trials else 0} finished parts) are kept"
        raise KeyboardInterrupt(
            f"interrupted{keep} in {format_value(folder)}. Give the same command again to go on"
        ) from stop
    if arguments.html is not None:
        result.to_html(arguments.html)
    document = {
        "folder": None if result.folder is None else result.folder.name, "seed": seed,
        "trials": result.rows, **value.fields_of(result, "computed", "skipped", "failed"),
        "errors": result._failures(), "summary": records(tables.listed_columns(result.summary())),
    }  # fmt: skip
    say(arguments, lambda: document, result._view, messages(notices, arguments))
    return 3 if result.failed else 0
