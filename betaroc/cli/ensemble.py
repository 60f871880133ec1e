"""``betaroc ensemble``: which classifiers join an ensemble, and why."""

from __future__ import annotations

import argparse
from typing import Any

from betaroc.cli.classifiers import inclusion_of_files
from betaroc.cli.messages import ProgressBar, examples, messages, say
from betaroc.cli.options import (
    checked_page,
    checked_picture,
    level_option,
    page_option,
    picture_options,
    score_options,
    terms_option,
)
from betaroc.core.notices import collected
from betaroc.core.text import number
from betaroc.data.beside import ScoreSource
from betaroc.ensemble.inclusion_view import inclusion_numbers, inclusion_page
from betaroc.rendering.files import write_whole
from betaroc.rendering.numbers import path_words, read_as
from betaroc.rendering.picture_files import save_picture
from betaroc.rendering.tree import Words, apart


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc ensemble table.csv --systems cnn svm lr --region 0 0.1 -o ensemble.svg",
        "betaroc ensemble cnn.csv svm.csv --name cnn svm --html ensemble.html",
    )
    option = parser.add_argument
    option("files", nargs="+", metavar="FILE",
        help="one table with a column a classifier, or one score file a classifier, the same trials"
        " in one order; read as any score file is")  # fmt: skip
    option("--systems", nargs="+", action="extend", metavar="COLUMN",
        help="columns of the classifiers (default: all numeric ones beside the"
        " labels)")  # fmt: skip
    option("--name", nargs="+", action="extend", metavar="NAME",
        help="names of the classifiers of several files (default: the files')")  # fmt: skip
    option("--dev", nargs="+", action="extend", default=[], metavar="DEV",
        help="other trials, given alike, on which weights and thresholds of the fused scores are"
        " learned (default: other folds)")  # fmt: skip
    option("--region", nargs=2, type=number, default=[0.0, 1.0], metavar=("LOW", "HIGH"),
        help="FARs that matter (default: 0 1)")  # fmt: skip
    option("--folds", type=int, default=5, metavar="K", help="folds (default: %(default)s)")
    option("--ends", type=number, default=0.1, metavar="R",
        help="largest target of the low-FAR and of the high-FAR end (default:"
        " %(default)s)")  # fmt: skip
    option("--omit-missing", action="store_true",
        help="leave out rows of a table that lack a score")  # fmt: skip
    level_option(parser, "of verdicts and intervals")
    option("--seed", type=int, metavar="N",
        help="seed by which trials are dealt to folds (default: in turn)")  # fmt: skip
    option("--group", nargs="+", metavar="COLUMN",
        help="one or two columns of groups of trials that depend on each other: intervals and folds"
        " allow for it")  # fmt: skip
    option("--json", action="store_true", help="one JSON document on standard output")
    picture_options(parser)
    page_option(parser, force=False)
    terms_option(parser)
    score_options(parser, "auto", stream=False)


def run(arguments: argparse.Namespace) -> None:
    """Judge the classifiers, and say or draw it."""
    inputs = [*arguments.files, *arguments.dev]
    checked_picture(arguments, inputs)
    checked_page(arguments, inputs)
    with collected() as notices, ProgressBar(3) as step:
        result, words, sources = inclusion_of_files(arguments, step)
        if arguments.output is not None:
            save_picture(lambda: result.plot(terms=arguments.terms).axes[0], arguments.output)
        step()
    said = messages(notices, arguments)
    read = [
        f"{path_words(one.path)} ({read_as(one.format, one.guessed, one.guesses)})"
        for one in sources
    ]
    if arguments.html is not None:
        page = inclusion_page(result, read=read, words=words, terms=arguments.terms)
        write_whole(arguments.html, page)
    further = {"seed": arguments.seed, "read": list(map(_read, sources)), "warnings": said}
    say(
        arguments,
        lambda: inclusion_numbers(result) | further,
        lambda: [*apart(Words("\n".join(read), "given")), *result._view()],
        said,
        result.names,
        words,
    )


def _read(source: ScoreSource) -> dict[str, Any]:
    """How a file was read, and what of it was guessed."""
    return {
        "path": source.path, "format": source.format, "guessed": source.guessed,
        "guesses": list(source.guesses),
    }  # fmt: skip
