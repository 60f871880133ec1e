"""The options that several commands share, and what they must be before any work is done."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from betaroc.cli.inputs import STREAMED, family_option
from betaroc.core import checks
from betaroc.core.errors import InputError, OutputError
from betaroc.core.terms import BIOMETRIC, TERMS
from betaroc.core.text import RATES, SYNONYMS, number, shown
from betaroc.data.rows import FAIL, WAYS_OF_MISSING
from betaroc.data.text_files import DECIMALS, FORMATS, SEPARATORS
from betaroc.estimation.boundary import POLICIES
from betaroc.estimation.families import FAMILIES, Names
from betaroc.rendering.files import checked_target
from betaroc.rendering.picture_files import picture_format

#: What intervals take unasked.
LEVEL, SEED = 0.95, 0
#: What each rate of a decision is.
_KEPT = (
    "false acceptance rate that must not be passed, such as 0.01 or 1%%",
    "false rejection rate that must not be passed",
    "share of clients accepted at least, 1 - FRR",
    "share of impostors rejected at least, 1 - FAR",
)


def rate_options(parser: argparse.ArgumentParser) -> None:
    """The rates that a threshold may keep, by their names in every field."""
    for row, what in zip(RATES, _KEPT, strict=True):
        for name in row:
            told = f"{what}; also --{', --'.join(row[1:])}" if name == row[0] else argparse.SUPPRESS
            parser.add_argument(f"--{name}", type=number, metavar="R", help=told)


def level_option(parser: argparse.ArgumentParser, of: str, name: str = "level") -> None:
    """The confidence, by either name."""
    parser.add_argument(
        *(f"--{one}" for one in SYNONYMS[name]), dest=name, type=number, metavar="L",
        help=f"confidence level {of} (default: {LEVEL})",
    )  # fmt: skip


def interval_options(parser: argparse.ArgumentParser, of: str) -> None:
    """Those of intervals. Unasked they stay None: the command says what they need."""
    option = parser.add_argument
    level_option(parser, of)
    option("--seed", type=int, metavar="N",
        help=f"seed by which trials are resampled (default: {SEED}, so a call can be"
        " repeated)")  # fmt: skip
    option("--group", nargs="+", metavar="COLUMN",
        help="one or two columns of groups of trials that depend on each other, such as claimed"
        " real of 4col files: the trials of a group are resampled together")  # fmt: skip


#: Bootstrap replicates of a band unasked. A choice of dev made again costs more than test's counts.
_REPLICATES = {"test": 10_000, "both": 1000}


def band_options(parser: argparse.ArgumentParser) -> None:
    """Those of a band of a curve."""
    option = parser.add_argument
    option("--band", choices=("test", "both"),
        help="interval of the curve: test resamples the test trials at dev's thresholds as they"
        " are; both also lets dev choose again")  # fmt: skip
    interval_options(parser, "of the band")
    option("--replicates", type=int, metavar="N",
        help="bootstrap replicates (default:"
        f" {_REPLICATES['test']} for --band test, {_REPLICATES['both']} for --band"
        " both)")  # fmt: skip
    option("--method", choices=("bootstrap", "delta", "exact"),
        help="how the band is found (default: bootstrap); exact is Clopper and Pearson's for a"
        " measure that is one rate, with --band test: the one to take where no error was"
        " seen")  # fmt: skip
    option("--simultaneous", action="store_true",
        help="one band for the whole curve instead of an interval at each alpha")  # fmt: skip


def band_arguments(arguments: argparse.Namespace, systems: int) -> dict[str, Any] | None:
    """What the band is made with; options of a band that was not asked for are refused."""
    if arguments.band is None:
        names = ("level", "seed", "group", "replicates", "method", "simultaneous")
        given = ((name, getattr(arguments, name)) for name in names)
        asked = [f"--{name}" for name, value in given if value is not None and value is not False]
        if asked:
            raise InputError(
                f"{' '.join(asked)} must stand beside --band, whose interval it is about; there is"
                " none. Add --band test or --band both, or leave it out."
            )
        return None
    if systems > 1:
        raise InputError(
            f"--band must stand with one system; the call has {systems}. Draw it of each, or see"
            " what differs with betaroc compare."
        )
    if arguments.method == "exact" and (arguments.seed, arguments.replicates) != (None, None):
        raise InputError(
            "--method exact draws nothing, so that --seed and --replicates have no meaning beside"
            " it. Leave them out."
        )
    level, seed = interval_arguments(arguments)
    number = arguments.replicates
    return {
        "level": level, "resample": arguments.band, "simultaneous": arguments.simultaneous,
        "replicates": _REPLICATES[arguments.band] if number is None else number,
        "method": arguments.method or "bootstrap", "rng": seed,
    }  # fmt: skip


def statistic_option(parser: argparse.ArgumentParser) -> None:
    """Numbers by name."""
    parser.add_argument("--statistic", action="append", default=[], metavar="STAT",
        help="a number of the fit and of the scores, with its interval, such as tpr@far=0.01,"
        " partial-auc@between=0,0.1 or threshold@eer; may be repeated. br.statistics() names them"
        " all")  # fmt: skip


def terms_option(parser: argparse.ArgumentParser) -> None:
    """The words of the user's field."""
    parser.add_argument("--terms", choices=tuple(TERMS), default=BIOMETRIC,
        help="words of the rates in what is printed and drawn: "
        + ", ".join(f"{name} ({t.far.short}, {t.frr.short})" for name, t in TERMS.items())
        + " (default: %(default)s). JSON and CSV keep their keys; options and statistics are named"
        " in any of them")  # fmt: skip


def form_options(parser: argparse.ArgumentParser, row: str) -> Any:
    """Other forms than text, of which a call has one; the group, for further ones."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON document on standard output")
    form.add_argument("--csv", action="store_true", help=f"one row {row} on standard output")
    form.add_argument("--latex", action="store_true",
        help=f"a LaTeX table of booktabs, one row {row}, on standard output")  # fmt: skip
    return form


def picture_options(parser: argparse.ArgumentParser) -> None:
    """The picture of a command."""
    parser.add_argument("-o", "--output", metavar="OUT", help="picture to write: .svg, .png, .pdf")
    parser.add_argument("--force", action="store_true", help="replace OUT if it exists")


def score_options(
    parser: argparse.ArgumentParser, family: str, *, stream: bool = True, dev: str = "",
    test: str = "",
) -> None:  # fmt: skip
    """Those of score files and of their fits; ``dev`` and ``test`` may be a file a class."""
    reading_options(parser, {"": dev, "test-": test})
    option = parser.add_argument
    option("--family", default=family, type=family_option, metavar="FAMILY",
        help="family of both classes, or of clients and of impostors with a comma between, such as"
        " beta,beta-mixture (default: %(default)s). One of"
        f" {', '.join(FAMILIES)}; empirical is the scores themselves. auto is beta where every"
        " score of the call, of several systems each by itself, lies in [0, 1], else normal; best"
        " is the pair that br.compare_families recommends for the scores fitted. The output says"
        " which was chosen, and why")  # fmt: skip
    option("--boundary", choices=POLICIES,
        help="what to do with scores of exactly 0 and 1 (default: inflate, with a"
        " warning)")  # fmt: skip
    option("--resolution", type=number, metavar="R", help="scores were rounded to multiples of R")
    if not stream:
        return
    option("--stream", choices=("auto", "always", "never"), default="auto",
        help="read files in pieces and keep sums and counts in bins instead of rows, in"
        f" bounded memory: always, never, or where a file has more than {STREAMED / 1e6:g} million"
        " rows and nothing asked for needs them (default: auto)")  # fmt: skip


def reading_options(parser: argparse.ArgumentParser, one: Mapping[str, str]) -> None:
    """How files are read; where several are named, the same holds for each.

    ``one`` says instead of what, by the start of their names, files of one class may stand.
    """
    group = parser.add_argument_group(
        "reading files", "what is left out the content of a file decides, and the output says"
    )
    option = group.add_argument
    option("--score", default="score", metavar="COLUMN", help="column of the scores")
    option("--label", default="label", metavar="COLUMN",
        help="column of the labels, of the key where there is one")  # fmt: skip
    option("--client-label", metavar="LABEL", help="label of the clients")
    option("--identities", nargs=2, metavar=("CLAIMED", "REAL"),
        help="instead of labels: clients are the rows where both columns are equal")  # fmt: skip
    option("--id", action="append", metavar="COLUMN",
        help="column that names the trial, for a key and for paired systems; twice where two"
        " columns do")  # fmt: skip
    option("--key", metavar="KEY",
        help="file that says of each trial which class it is of: trial, or enrol and test, then"
        " target or nontarget; a table; a protocol of ASVspoof")  # fmt: skip
    option("--key-label", metavar="COLUMN",
        help="column of the key that says the class (default: that of --label); a number, from 1,"
        " without a header")  # fmt: skip
    option("--key-id", action="append", metavar="COLUMN",
        help="column of the key that names the trial (default: that of --id), likewise; twice where"
        " two do")  # fmt: skip
    option("--test-key", metavar="KEY", help="key of the test files (default: --key)")
    for start, instead in one.items():
        if instead:
            option(f"--{start}client-file", metavar="FILE",
                help=f"instead of {instead}: the scores of clients, one a line in the last"
                " column")  # fmt: skip
            option(f"--{start}impostor-file", metavar="FILE", help="and those of impostors")
    option("--format", choices=FORMATS, metavar="FORMAT", help=f"one of {', '.join(FORMATS)}")
    option("--separator", metavar="SIGN",
        help=f"of columns: {', '.join(SEPARATORS)}, or the sign; space is any white"
        " space")  # fmt: skip
    option("--decimal", metavar="SIGN", help=f"of decimals: {' or '.join(DECIMALS)}")
    option("--columns", metavar="NAME,NAME,...",
        help="names of all columns in their order, of a file without a header")  # fmt: skip
    option("--header", action=argparse.BooleanOptionalAction, default=None,
        help="the first line names the columns, or is a trial: columns without a name are called"
        " by their number, from 1")  # fmt: skip
    option("--missing", choices=WAYS_OF_MISSING, default=FAIL,
        help="trials without a score (empty, NA, nan): an error, left out, or counted as rejected"
        " (default: %(default)s)")  # fmt: skip
    option("--max-size", type=int, metavar="BYTES",
        help="of a score file at most (default: 1 GiB that gzip expands to, 64 GiB of"
        " others)")  # fmt: skip
    option("--max-rows", type=int, metavar="N",
        help="of a score file at most (default: 250 million where rows are held)")  # fmt: skip


def tail_options(parser: argparse.ArgumentParser) -> None:
    """Those of tails."""
    option = parser.add_argument
    option("--tails", nargs="+", metavar="END",
        help="ends where a tail of the most extreme scores takes the place of the family: both,"
        " upper or lower; or of a class alone, such as impostor=upper client=lower, the ends that"
        " FAR and FRR rest on")  # fmt: skip
    option("--tail-sizes", nargs="+", type=int, metavar="K",
        help="scores beyond the joint of a tail (default: 30 and 50)")  # fmt: skip
    bounds_option(parser)


def bounds_option(parser: argparse.ArgumentParser) -> None:
    """The range of scores."""
    parser.add_argument("--bounds", nargs=2, type=number, metavar=("LOW", "HIGH"),
        help="ends of the range that scores can have, such as -1 1 of cosines: families are then"
        " those of [0, 1], and tails are on the logit between them")  # fmt: skip


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
        if arguments.force and getattr(arguments, "html", None) is None:
            raise InputError("--force must stand beside -o, the file it may replace. Add -o OUT.")
        if getattr(arguments, "log", False):
            raise InputError("--log must stand beside -o, whose picture it is about. Add -o OUT.")
        return
    picture_format(arguments.output)
    refuse_output(arguments.output, inputs, force=arguments.force)


def page_option(parser: argparse.ArgumentParser, *, force: bool = True) -> None:
    """The page of a command, and whether it may replace one."""
    parser.add_argument("--html", metavar="FILE",
        help="self-contained page to write, .html")  # fmt: skip
    if force:
        parser.add_argument("--force", action="store_true", help="replace FILE if it exists")


def checked_page(arguments: argparse.Namespace, inputs: Sequence[str]) -> None:
    """The page's name and place, before any work."""
    if arguments.html is not None:
        refuse_page(arguments.html, inputs, force=arguments.force, option="--html")


def refuse_output(output: str, inputs: Sequence[str], *, force: bool, option: str = "-o") -> None:
    """Nothing is overwritten unasked, and score files never."""
    checked_target(output)
    if not os.path.lexists(output):
        return
    for path in inputs:
        with suppress(OSError):
            if os.path.samefile(output, path):
                raise InputError(
                    f"{option} must not be a score file; got {shown(output)}, which is read as"
                    f" {shown(path)}. Name another file."
                )
    if not force:
        raise OutputError(
            f"{option} must be a new file; {shown(output)} exists and is untouched. Name another"
            " file, or pass --force to replace it."
        )


def refuse_page(
    output: str, inputs: Sequence[str], *, force: bool, option: str = "-o", json: bool = False
) -> None:
    """A page is HTML, or JSON where it may be, in a new file; standard output carries none."""
    refuse_output(output, inputs, force=force, option=option)
    if Path(output).suffix.lower() not in (".html", ".htm", *[".json"] * json):
        ends, what = (".html, .htm or .json", "HTML or JSON") if json else (".html or .htm", "HTML")
        raise InputError(
            f"{option} must be a file that ends in {ends}; got {shown(output)}. Name it so:"
            f" the page is {what}."
        )
