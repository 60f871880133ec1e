"""What ``betaroc study`` does and says."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from betaroc._words import shown
from betaroc.analysis.format import path_words, visible
from betaroc.analysis.numbers import as_json
from betaroc.errors import InputError
from betaroc.study.configuration import read_configuration
from betaroc.study.result import StudyResult

__all__ = ["run_study"]

#: Exit codes.
_DONE, _INCOMPLETE = 0, 3
#: Errors that are shown of a study; the table has all of them.
_ERRORS_SHOWN = 3


def run_study(arguments: argparse.Namespace, seed: int) -> int:
    """Run the study of a configuration, say what came out; the exit code.

    ``seed`` is the one to take where neither the command line nor the configuration has one.
    """
    asked = read_configuration(arguments.config)
    if arguments.seed is not None:
        if arguments.seed < 0:
            raise InputError(f"--seed must be an int >= 0; got {arguments.seed}.")
        seed = arguments.seed
    elif asked.seed is not None:
        seed = asked.seed
    study = asked.study(folder=arguments.folder, workers=arguments.workers, seed=seed)
    try:
        result = study.run()
    except KeyboardInterrupt as stop:
        folder = arguments.folder or asked.folder
        raise KeyboardInterrupt(
            f"interrupted; finished parts are kept in {shown(folder)}. Give the same command again"
            " to go on"
        ) from stop
    if arguments.json:
        sys.stdout.write(as_json(_document(result, seed)))
    else:
        sys.stdout.write(_text(result) + "\n")
    return _INCOMPLETE if result.failed else _DONE


def _failures(frame: Any) -> list[dict[str, Any]]:
    """The first trials that failed, and why."""
    lost = frame[frame["status"] == "failed"].head(_ERRORS_SHOWN)
    return [
        {"cell": int(cell), "replicate": int(replicate), "error": error}
        for cell, replicate, error in zip(
            lost["cell"], lost["replicate"], lost["error"], strict=True
        )
    ]


def _document(result: StudyResult, seed: int) -> dict[str, Any]:
    rows = result.summary().to_dict(orient="records")
    return {
        "folder": str(result.folder),
        "seed": seed,
        "trials": result.rows,
        "computed": result.computed,
        "skipped": result.skipped,
        "failed": result.failed,
        "errors": _failures(result.to_frame()),
        "summary": [{key: _python(value) for key, value in row.items()} for row in rows],
    }


def _python(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _text(result: StudyResult) -> str:
    lines = [
        f"{result.rows} trials in {path_words(str(result.folder))}: {result.computed} computed now,"
        f" {result.skipped} were there, {result.failed} failed"
    ]
    table = result.summary()
    width = max([len(name) for name in table["statistic"]] + [len("mean of the cells")])
    if len(table):
        head = f"{'mean of the cells':<{width}} {'least':>10} {'median':>10} {'largest':>10}"
        lines += ["", f"{head} {'MC error':>10}"]
    for name, group in table.groupby("statistic", sort=False):
        mean, error = group["mean"], group["mc_error"]
        numbers = (mean.min(), mean.median(), mean.max(), error.max())
        lines.append(f"{visible(name):<{width}} " + " ".join(f"{v:>10.4g}" for v in numbers))
    if result.failed:
        lines.append("")
        for one in _failures(result.to_frame()):
            first = one["error"].partition("\n")[0]
            where = f"cell {one['cell']}, replicate {one['replicate']}"
            lines.append(f"failed: {where}: {visible(first)}")
        if result.failed > _ERRORS_SHOWN:
            lines.append(f"and {result.failed - _ERRORS_SHOWN} more; the column error has them all")
    return "\n".join(lines)
