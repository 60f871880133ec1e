"""The options that several commands share, and what they must be before any work is done."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from betaroc.cli.inputs import STREAMED, family_option
from betaroc.core import checks
from betaroc.core.errors import InputError, OutputError
from betaroc.core.text import shown
from betaroc.data.read import FORMATS
from betaroc.estimation.boundary import POLICIES
from betaroc.estimation.families import FAMILIES, Names
from betaroc.rendering.files import checked_target
from betaroc.rendering.picture_files import picture_format

__all__ = [
    "LEVEL", "SEED", "checked_picture", "fit_options_of", "interval_arguments", "interval_options",
    "picture_options", "refuse_output", "score_options", "statistic_option", "tail_options",
]  # fmt: skip

#: What intervals take unasked.
LEVEL, SEED = 0.95, 0


def interval_options(parser: argparse.ArgumentParser, of: str) -> None:
    """Those of intervals. Unasked they stay None: the command says what they need."""
    option = parser.add_argument
    option("--level", type=float, metavar="L", help=f"confidence level {of} (default: {LEVEL})")
    option("--seed", type=int, metavar="N",
        help=f"seed by which trials are resampled (default: {SEED}, so a call can be"
        " repeated)")  # fmt: skip
    option("--group", nargs="+", metavar="COLUMN",
        help="one or two columns of groups of trials that depend on each other, such as claimed"
        " real of 4col files: the trials of a group are resampled together")  # fmt: skip


def statistic_option(parser: argparse.ArgumentParser) -> None:
    """Numbers by name."""
    parser.add_argument("--statistic", action="append", default=[], metavar="STAT",
        help="a number of the fit and of the scores, with its interval, such as tpr@far=0.01,"
        " partial-auc@between=0,0.1 or threshold@eer; may be repeated. br.statistics() names them"
        " all")  # fmt: skip


def picture_options(parser: argparse.ArgumentParser) -> None:
    """The picture of a command."""
    parser.add_argument("-o", "--output", metavar="OUT", help="picture to write, .svg or .png")
    parser.add_argument("--force", action="store_true", help="replace OUT if it exists")


def score_options(parser: argparse.ArgumentParser, family: str, *, stream: bool = True) -> None:
    """Those of score files and of their fits."""
    option = parser.add_argument
    option("--family", default=family, type=family_option, metavar="FAMILY",
        help="family of both classes, or of clients and of impostors with a comma between, such as"
        " beta,beta-mixture (default: %(default)s). One of"
        f" {', '.join(FAMILIES)}; empirical is the scores themselves. auto is beta where every"
        " score of the call, of several systems each by itself, lies in [0, 1], else normal; best"
        " is the pair that br.compare_families recommends for the scores fitted. The output says"
        " which was chosen, and why")  # fmt: skip
    option("--score", default="score", metavar="COLUMN", help="column of the scores")
    option("--label", default="label", metavar="COLUMN", help="column of the labels")
    option("--client-label", metavar="LABEL", help="label of the clients")
    option("--format", choices=FORMATS,
        help="format of the files (default: what their content shows)")  # fmt: skip
    option("--boundary", choices=POLICIES,
        help="what to do with scores of exactly 0 and 1 (default: inflate, with a"
        " warning)")  # fmt: skip
    option("--resolution", type=float, metavar="R", help="scores were rounded to multiples of R")
    if not stream:
        return
    option("--stream", choices=("auto", "always", "never"), default="auto",
        help="read files in pieces and keep sums and counts in bins instead of rows, in"
        f" bounded memory: always, never, or where a file has more than {STREAMED / 1e6:g} million"
        " rows and nothing asked for needs them (default: auto)")  # fmt: skip


def tail_options(parser: argparse.ArgumentParser) -> None:
    """Those of tails."""
    option = parser.add_argument
    option("--tails", nargs="+", metavar="END",
        help="ends where a tail of the most extreme scores takes the place of the family: both,"
        " upper or lower; or of a class alone, such as impostor=upper client=lower, the ends that"
        " FAR and FRR rest on")  # fmt: skip
    option("--tail-sizes", nargs="+", type=int, metavar="K",
        help="scores beyond the joint of a tail (default: 30 and 50)")  # fmt: skip
    option("--bounds", nargs=2, type=float, metavar=("LOW", "HIGH"),
        help="ends of the range that scores can have, such as -1 1 of cosines: tails are on the"
        " logit between them")  # fmt: skip


# ------------------------------------------------------------------------ before any work
def interval_arguments(arguments: argparse.Namespace) -> tuple[float, int]:
    """Level and seed, checked before anything is read."""
    level = LEVEL if arguments.level is None else checks.level(arguments.level)
    seed = SEED if arguments.seed is None else checks.count(arguments.seed, "seed", 0)
    return level, seed


def fit_options_of(arguments: argparse.Namespace, family: Names) -> dict[str, Any]:
    """What a fit is made with."""
    rule = {name: getattr(arguments, name) for name in ("boundary", "resolution", "tail_sizes")}
    bounds = None if arguments.bounds is None else tuple(arguments.bounds)
    return {"family": family, **rule, "tails": _tails_of(arguments.tails), "bounds": bounds}


def _tails_of(words: Sequence[str] | None) -> str | dict[str, str] | None:
    """One word for both classes, or a word a class."""
    if words is None or (len(words) == 1 and "=" not in words[0]):
        return None if words is None else words[0]
    pairs = [word.partition("=")[::2] for word in words]
    if any(not end for _, end in pairs) or len(dict(pairs)) < len(pairs):
        raise InputError(
            "--tails must be one of both, upper and lower, or name a class once each, such as"
            f" impostor=upper client=lower; got {shown(' '.join(words))}."
        )
    return dict(pairs)


def checked_picture(arguments: argparse.Namespace, inputs: Sequence[str]) -> None:
    """The picture's name and place, before any work."""
    if arguments.output is None:
        if arguments.force:
            raise InputError("--force must stand beside -o, the file it may replace. Add -o OUT.")
        return
    picture_format(arguments.output)
    refuse_output(arguments.output, inputs, force=arguments.force)


def refuse_output(output: str, inputs: Sequence[str], *, force: bool) -> None:
    """Nothing is overwritten unasked, and score files never."""
    checked_target(output)
    if not os.path.lexists(output):
        return
    for path in inputs:
        with suppress(OSError):
            if os.path.samefile(output, path):
                raise InputError(
                    f"-o must not be a score file; got {shown(output)}, which is read as"
                    f" {shown(path)}. Name another file."
                )
    if not force:
        raise OutputError(
            f"-o must be a new file; {shown(output)} exists and is untouched. Name another file,"
            " or pass --force to replace it."
        )
