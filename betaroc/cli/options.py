"""The options that several commands share, and what they must be before any work is done."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from betaroc.core import checks
from betaroc.core.errors import InputError, OutputError
from betaroc.core.terms import BIOMETRIC, TERMS
from betaroc.core.text import RATES, SYNONYMS, number, shown
from betaroc.data.labels import FAIL, WAYS_OF_MISSING
from betaroc.data.text_files import DECIMALS, FORMATS, SEPARATORS
from betaroc.estimation.boundary import POLICIES
from betaroc.estimation.families import FAMILIES, Names, names_of_text
from betaroc.rendering.files import checked_target
from betaroc.rendering.picture_files import picture_format

#: Ends of the names of pages.
PAGE = (".html", ".htm")
#: What intervals take unasked.
LEVEL, SEED = 0.95, 0
#: Files with more rows than this are streamed unasked.
STREAMED = 5_000_000
#: Headings of the options that a help leaves to ``--help-all``.
FURTHER, READING = "further options", "reading files"
_RATES = ("false acceptance rate to keep, such as 0.01 or 1%%", "false rejection rate to keep",
          "share of clients accepted at least", "share of impostors rejected at least")  # fmt: skip


def utf8(text: str) -> str:
    """A name of the call in the UTF-8 that was typed, whatever the locale knows."""
    if not any("\udc80" <= sign <= "\udcff" for sign in text):
        return text
    return os.fsencode(text).decode("utf-8", "surrogateescape")


#: Types by placeholder; any other stands for a text as it is.
_TYPES: dict[str, Callable[[str], Any]] = {}
_TYPES |= dict.fromkeys(("A", "C", "HIGH", "L", "LOW", "P", "R", "W"), number)
_TYPES |= dict.fromkeys(("BYTES", "K", "N"), int)
_TYPES |= dict.fromkeys(("CLAIMED", "COLUMN", "LABEL", "NAME", "NAME,NAME,..."), utf8)


def add(parser: Any, usage: str, told: str, **how: Any) -> None:
    """Declare an option by its usage: flags, then placeholders, of which "..." allows several.

    Placeholders say the type (`_TYPES`); without one it is a switch.
    """
    flags, *places = usage.split()
    several = places[-1:] == ["..."]
    places = places[: len(places) - several]
    if not places:
        how = {"action": "store_true"} | how
    else:
        how = {"metavar": places[0] if len(places) == 1 else tuple(places)} | how
        how.setdefault("type", _TYPES.get(places[0]))
        if several or len(places) > 1:
            how = {"nargs": "+" if several else len(places)} | how
    parser.add_argument(*flags.split("/"), help=told, **how)


def further(parser: argparse.ArgumentParser, title: str = FURTHER) -> Any:
    """The group of options that a help leaves out, made where there is none yet."""
    there = (group for group in parser._action_groups if group.title == title)
    return next(there, None) or parser.add_argument_group(title)


def rate_options(parser: argparse.ArgumentParser) -> None:
    """The rates that a threshold may keep, by their names in every field."""
    for (name, *others), what in zip(RATES, _RATES, strict=True):
        add(parser, f"--{name} R", f"{what}; also --{', --'.join(others)}")
        for other in others:
            add(parser, f"--{other} R", argparse.SUPPRESS)


def level_option(parser: Any, of: str, name: str = "level") -> None:
    """The confidence, by either name."""
    flags = "/".join(f"--{word}" for word in SYNONYMS[name])
    add(parser, f"{flags} L", f"confidence level {of} (default: {LEVEL})", dest=name)


def group_option(parser: Any, use: str) -> None:
    """Columns of groups of trials."""
    add(parser, "--group COLUMN ...",
        f"one or two columns of groups of trials that depend on each other: {use}")  # fmt: skip


def interval_options(parser: Any, of: str) -> None:
    """Those of intervals. Unasked they stay None: the command says what they need."""
    level_option(parser, of)
    add(further(parser), "--seed N", f"seed by which trials are resampled (default: {SEED})")
    group_option(further(parser), "those of a group are resampled together")


def statistic_option(parser: Any) -> None:
    """Numbers by name."""
    add(parser, "--statistic STAT",
        "a number with its interval, such as tpr@far=0.01 or threshold@eer; may be repeated."
        " br.statistics() names all", action="append", default=[])  # fmt: skip


def form_options(parser: argparse.ArgumentParser, row: str) -> Any:
    """Other forms than text, of which a call has one; the group, for further ones."""
    form = parser.add_mutually_exclusive_group()
    add(form, "--json", "one JSON document on standard output")
    add(form, "--csv", f"one row {row} on standard output")
    add(form, "--latex", "the same as a LaTeX table of booktabs")
    return form


def picture_options(parser: Any) -> None:
    """The picture of a command."""
    add(parser, "-o/--output OUT", "picture to write: .svg, .png, .pdf")
    add(parser, "--force", "replace OUT if it exists")


def score_options(
    parser: argparse.ArgumentParser, family: str, *, dev: str = "", test: str = "",
    summed: bool = True, bounds: bool = True,
) -> None:  # fmt: skip
    """Those of score files and of their fits; ``dev`` and ``test`` may be one file per class.

    Where a command takes sums of files it takes tails too.
    """
    before = set(parser._actions)
    reading_options(parser, {"": dev, "test-": test})
    add(parser, "--family FAMILY",
        "family of both classes, or CLIENT,IMPOSTOR: auto (beta where all scores of the call lie in"
        " [0, 1], else normal), best (as br.compare_families recommends),"
        f" {', '.join(FAMILIES)} (the scores themselves); default: %(default)s",
        default=family, type=family_option)  # fmt: skip
    rare = partial(add, further(parser))
    rare("--boundary POLICY", "of scores of exactly 0 and 1: %(choices)s (default: inflate, warns)",
         choices=POLICIES)  # fmt: skip
    rare("--resolution R", "scores were rounded to multiples of R")
    if bounds:
        rare("--bounds LOW HIGH", "ends of the range of scores, such as -1 1 of cosines: families"
             " are then those of [0, 1]")  # fmt: skip
    if summed:
        rare("--tails END ...", "ends where the most extreme scores take the place of the family:"
             " both, upper, lower, or impostor=upper client=lower")  # fmt: skip
        rare("--tail-sizes K ...", "scores beyond the joint of a tail (default: 30 50)")
        rare("--stream WHEN", "keep sums and counts in bins instead of rows: %(choices)s (default:"
             f" auto, where more than {STREAMED} rows are not needed)",
             choices=("auto", "always", "never"), default="auto")  # fmt: skip
    added = {one.dest: one.default for one in parser._actions if one not in before}
    parser.set_defaults(reading=added)
    terms = ", ".join(f"{name} ({t.far.short}, {t.frr.short})" for name, t in TERMS.items())
    rare("--terms FIELD", f"words of the rates in what is printed and drawn: {terms}",
         choices=tuple(TERMS), default=BIOMETRIC)  # fmt: skip


def family_option(text: str) -> Names:
    """What stands behind --family."""
    try:
        return names_of_text(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def reading_options(parser: argparse.ArgumentParser, instead: Mapping[str, str]) -> None:
    """How files are read; where several are named, the same holds for each.

    ``instead`` names, by the start of their options, what files of one class stand for.
    """
    option = partial(add, further(parser, READING))
    option("--score COLUMN", "column of the scores", default="score")
    option("--label COLUMN", "column of the labels, of the key where there is one", default="label")
    option("--client-label LABEL", "label of the clients")
    option("--identities CLAIMED REAL", "instead of labels: of clients both columns are equal")
    option("--id COLUMN", "column of the trial, for keys and paired systems; twice for two columns",
           action="append")  # fmt: skip
    option("--key KEY", "file of the class of each trial: trial, or enrol and test, then target or"
           " nontarget; a table; a protocol of ASVspoof")  # fmt: skip
    option("--key-label COLUMN", "column of the key that says the class (default: --label); a"
           " number, from 1, without a header")  # fmt: skip
    option("--key-id COLUMN", "column of the key that names the trial (default: --id); may be"
           " twice", action="append")  # fmt: skip
    option("--test-key KEY", "key of the test files (default: --key)")
    for start, file in instead.items():
        if file:
            told = f"instead of {file}: scores of clients, one per line in the last column"
            option(f"--{start}client-file FILE", told)
            option(f"--{start}impostor-file FILE", "and those of impostors")
    option("--format FORMAT", "one of %(choices)s", choices=FORMATS)
    option("--separator SIGN", f"of columns: {', '.join(SEPARATORS)} (any white space) or the sign")
    option("--decimal SIGN", f"of decimals: {' or '.join(DECIMALS)}")
    option("--columns NAME,NAME,...", "names of all columns of a file without a header")
    option("--header", "whether the first line names the columns; else they are numbers, from 1",
           action=argparse.BooleanOptionalAction, default=None)  # fmt: skip
    option("--missing WHAT", "trials without a score (empty, NA, nan): %(choices)s (default:"
           " %(default)s); reject counts them", choices=WAYS_OF_MISSING, default=FAIL)  # fmt: skip
    option("--max-size BYTES", "of a score file (default: 1 GiB that gzip expands to, else 64 GiB)")
    option("--max-rows N", "of a score file (default: 250 million where rows are held)")


# ------------------------------------------------------------------------ before any work
def given_options(arguments: argparse.Namespace, names: Sequence[str]) -> list[str]:
    """Those of some options that the call gives, as they are typed."""
    usual: dict[str, Any] = {"dev": [], "test": [], "statistic": []}
    usual |= getattr(arguments, "reading", {})
    values = {name: getattr(arguments, name, None) for name in names}
    return [option_of(name) for name, value in values.items()
            if value is not None and value is not False and value != usual.get(name)]  # fmt: skip


def option_of(name: str) -> str:
    """The option of an argument's name."""
    named = {"file": "SCORES", "output": "-o", "pilot": "--from", "only": "--print"}
    return named.get(name) or f"--{name.replace('_', '-')}"


def refuse(
    arguments: argparse.Namespace, names: Sequence[str], must: str, remedy: str = "Leave it out."
) -> None:
    """Options that the call gives where they have no meaning."""
    given = given_options(arguments, names)
    if given:
        raise InputError(f"{', '.join(given)} must {must}. {remedy}")


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
        names = ["log"] if getattr(arguments, "html", None) else ["force", "log"]
        refuse(arguments, names, "stand beside -o, the picture it is about", "Add -o OUT.")
        return
    picture_format(arguments.output)
    refuse_output(arguments.output, inputs, force=arguments.force)


def refuse_output(
    output: str, inputs: Sequence[str], *, force: bool, option: str = "-o",
    ends: tuple[str, ...] = (),
) -> None:  # fmt: skip
    """Nothing is overwritten unasked, score files never; a page says by its name what it is."""
    checked_target(output)
    if os.path.lexists(output):
        for path in inputs:
            if is_same_file(output, path):
                raise InputError(
                    f"{option} must not be a score file; got {shown(output)}, which is read as"
                    f" {shown(path)}. Name another file."
                )
        if not force:
            raise OutputError(
                f"{option} must be a new file; {shown(output)} exists and is untouched. Name"
                " another file, or pass --force to replace it."
            )
    if ends and Path(output).suffix.lower() not in ends:
        raise InputError(
            f"{option} must be a file that ends in {' or '.join(ends)}; got {shown(output)}. Name"
            " it so."
        )


def is_same_file(path: str, other: str) -> bool:
    """Whether both name one file; what is not there is refused where it is read."""
    with suppress(OSError):
        return os.path.samefile(path, other)
    return False
