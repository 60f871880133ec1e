"""The options that several commands share, and their checks."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from betaroc.core import checks, errors
from betaroc.core.text import format_value, parse_number
from betaroc.core.vocabulary import BIOMETRIC, RATES, TERMS
from betaroc.data.labels import FAIL, WAYS_OF_MISSING
from betaroc.data.text_layouts import DECIMALS, FORMATS, SEPARATORS
from betaroc.estimation import contract, families
from betaroc.rendering.files import checked_target, picture_format

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
    """A name of the call in the UTF-8 that was typed."""
    if not any("\udc80" <= sign <= "\udcff" for sign in text):
        return text
    return os.fsencode(text).decode("utf-8", "surrogateescape")


def _family(text: str) -> families.Names:
    try:
        return families.names_of_text(text)
    except errors.InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


#: Types by placeholder; any other stands for a text as it is.
_TYPES: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("A", "C", "HIGH", "L", "LOW", "P", "R", "W"), parse_number),
    **dict.fromkeys(("BYTES", "K", "N"), int),
    **dict.fromkeys(("CLAIMED", "COLUMN", "LABEL", "NAME", "NAME,NAME,..."), utf8),
    "FAMILY": _family,
}
_REPEATED = {"action": "append"}
#: By heading of the help the options that commands share: usage, what it is, and settings.
_SHARED: dict[str, tuple[tuple[Any, ...], ...]] = {
    "": (
        ("--level/--confidence L", f"confidence level of intervals (default: {LEVEL})"),
        ("--statistic STAT", "such as tpr@far=0.01; may be repeated; br.statistics() has all",
         {"action": "append", "default": []}),
        ("--json", "one JSON document on standard output"),
        ("--csv", "a table on standard output"),
        ("--latex", "the same as a LaTeX table of booktabs"),
        ("-o/--output OUT", "picture to write: .svg, .png, .pdf"),
        ("--force", "replace the output if it exists"),
        ("--html FILE", "self-contained page to write, .html"),
        ("--family FAMILY", "family of both, or CLIENT,IMPOSTOR: auto (beta where all scores of the"
         " call lie in [0, 1], else normal), best (as br.compare_families recommends),"
         f" {', '.join(families.FAMILIES)} (the scores themselves); default: %(default)s"),
    ),
    "several systems": (
        ("--system NAME ...", "its name, its dev scores, then those of its tests; may be repeated",
         {"action": "append", "metavar": ("NAME", "FILE"), "type": None}),
        ("--systems FILE", "folder with one folder NAME per system (dev.*, test*.*), or a TOML"
         ' file with tables [systems.NAME] with dev = "..." and test = "..." or a list'),
    ),
    FURTHER: (
        ("--seed N", f"seed by which trials are resampled (default: {SEED})"),
        ("--group COLUMN ...", "one or two columns of groups of trials that depend on each other"),
        ("--boundary POLICY", "rule for scores of 0 and 1: %(choices)s (default: inflate, warns)",
         {"choices": contract.POLICIES}),
        ("--resolution R", "scores were rounded to multiples of R"),
        ("--bounds LOW HIGH", "ends of the range of scores, for the families of [0, 1]"),
        ("--tails END ...", "ends with a fitted tail: both, upper, lower, or impostor=upper"
         " client=lower"),
        ("--tail-sizes K ...", "extreme scores that a tail is fitted to (default: 30 50)"),
        ("--stream WHEN", "keep sums and counts instead of rows: %(choices)s (default: auto, where"
         f" more than {STREAMED} rows are not needed)",
         {"choices": ("auto", "always", "never"), "default": "auto"}),
        ("--terms FIELD", "words of the rates: "
         + ", ".join(f"{name} ({t.far.short}, {t.frr.short})" for name, t in TERMS.items()),
         {"choices": tuple(TERMS), "default": BIOMETRIC}),
    ),
    READING: (
        ("--score COLUMN", "column of the scores", {"default": "score"}),
        ("--label COLUMN", "column of the labels, in the key if any", {"default": "label"}),
        ("--client-label LABEL", "label of the clients; each of several others is a stratum"),
        ("--lower-is-client", "scores are distances: clients have the lower ones"),
        ("--stratum COLUMN ...", "species of attack or sites: one column, or one per class"),
        ("--identities CLAIMED REAL", "two columns instead of labels, equal for clients"),
        ("--id COLUMN", "column of the trial, for keys and pairs; may be repeated", _REPEATED),
        ("--key KEY", "file with the class of each trial: two or three columns, or a table"),
        ("--key-label COLUMN", "column of the key that says the class, or its number from 1"),
        ("--key-id COLUMN", "column of the key that names the trial; may be repeated", _REPEATED),
        ("--test-key KEY", "key of the test files (default: --key)"),
        ("--client-file FILE", "instead of SCORES or --dev: scores of clients, one per line"),
        ("--impostor-file FILE", "and those of impostors"),
        ("--test-client-file FILE", "instead of --test: scores of clients"),
        ("--test-impostor-file FILE", "and those of impostors"),
        ("--format FORMAT", "one of %(choices)s", {"choices": FORMATS}),
        ("--separator SIGN", f"separator: {', '.join(SEPARATORS)} (any white space) or a sign"),
        ("--decimal SIGN", f"decimal sign: {' or '.join(DECIMALS)}"),
        ("--columns NAME,NAME,...", "names of all columns of a file without a header"),
        ("--header", "whether the first line names the columns; else they are numbers, from 1",
         {"action": argparse.BooleanOptionalAction, "default": None}),
        ("--missing WHAT", "trials without a score: %(choices)s (default: %(default)s)",
         {"choices": WAYS_OF_MISSING, "default": FAIL}),
        ("--max-size BYTES", "largest score file (default: 1 GiB after gzip, else 64 GiB)"),
        ("--max-rows N", "most rows of a score file (default: 250 million in memory)"),
    ),
}  # fmt: skip


def add(parser: Any, usage: str, text: str, **settings: Any) -> None:
    """Declare an option by its usage: flags, then placeholders, of which "..." allows several.

    Placeholders say the type (`_TYPES`); without one it is a switch.
    """
    flags, *places = usage.split()
    several = places[-1:] == ["..."]
    places = places[: len(places) - several]
    usual: dict[str, Any] = {"action": "store_true"}
    if places:
        metavar = places[0] if len(places) == 1 else tuple(places)
        usual = {"metavar": metavar, "type": _TYPES.get(places[0])}
    if several or len(places) > 1:
        usual["nargs"] = "+" if several else len(places)
    parser.add_argument(*flags.split("/"), help=text, **usual | settings)


def shared(parser: Any, *names: str) -> None:
    """Declare options of the table, under their headings."""
    for title, rows in _SHARED.items():
        for usage, text, *settings in rows:
            if re.split("[/ ]", usage)[0] in names:
                add(group(parser, title), usage, text, **dict(*settings))


def group(parser: Any, title: str = FURTHER) -> Any:
    """The group of options under a heading."""
    groups = (group for group in parser._action_groups if group.title == title)
    return parser if not title else next(groups, None) or parser.add_argument_group(title)


def adders(parser: argparse.ArgumentParser) -> tuple[Callable[..., None], Callable[..., None]]:
    """`add` for the options of a help, and for further ones."""
    return partial(add, parser), partial(add, group(parser))


def rate_options(parser: argparse.ArgumentParser) -> None:
    """The rates that a threshold may keep."""
    for (name, *others), text in zip(RATES, _RATES, strict=True):
        add(parser, f"--{name} R", f"{text}; also --{', --'.join(others)}")
        for other in others:
            add(parser, f"--{other} R", argparse.SUPPRESS)


def over_option(parser: argparse.ArgumentParser, what: str, **settings: Any) -> None:
    """What a number is over, where trials have strata."""
    usage = f"{what}, or of their mean by weights: print=0.8,replay=0.2"
    add(parser, "--over WHAT", usage, type=words_or_weights, **settings)


def words_or_weights(words: str) -> str | dict[str, float]:
    """A text as it is, or weights such as print=0.8,replay=0.2."""
    pairs = [item.rpartition("=") for item in words.split(",")]
    try:
        return {utf8(name.strip()): parse_number(weight) for name, _, weight in pairs}
    except ValueError:
        return words


def form_options(parser: argparse.ArgumentParser) -> Any:
    """Forms other than text."""
    form = parser.add_mutually_exclusive_group()
    shared(form, "--json", "--csv", "--latex")
    return form


def score_options(
    parser: argparse.ArgumentParser, family: str | None, *, dev: bool = True, test: bool = True,
    summed: bool = True, bounds: bool = True,
) -> None:  # fmt: skip
    """Options of score files and, with a family, of their fits."""
    before = set(parser._actions)
    absent = ("--client-file", "--impostor-file") * (not dev)
    absent += ("--test-client-file", "--test-impostor-file") * (not test)
    names = (usage.split()[0] for usage, *_ in _SHARED[READING])
    shared(parser, *(name for name in names if name not in absent))
    if family is not None:
        shared(parser, "--family", "--boundary", "--resolution", *["--bounds"] * bounds,
               *["--tails", "--tail-sizes", "--stream"] * summed)  # fmt: skip
    parser.set_defaults(family=family)
    added = {action.dest: action.default for action in parser._actions if action not in before}
    parser.set_defaults(reading=added)
    shared(parser, "--terms")


# ------------------------------------------------------------------------ before any work
def given_options(arguments: argparse.Namespace, names: Sequence[str]) -> list[str]:
    """Those of some options that the call gives."""
    usual: dict[str, Any] = {name: [] for name in ("file", "dev", "test", "statistic")}
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
    value = given_options(arguments, names)
    if value:
        raise errors.InputError(f"{', '.join(value)} must {must}. {remedy}")


def interval_arguments(arguments: argparse.Namespace) -> tuple[float, int]:
    """Level and seed, checked before anything is read."""
    level, seed = arguments.level, getattr(arguments, "seed", None)
    return (LEVEL if level is None else checks.level(level),
            SEED if seed is None else checks.count(seed, "seed", 0))  # fmt: skip


def fit_options_of(arguments: argparse.Namespace, family: families.Names) -> dict[str, Any]:
    """What a fit is made with."""
    rule = {name: getattr(arguments, name) for name in ("boundary", "resolution", "tail_sizes")}
    bounds = None if arguments.bounds is None else tuple(arguments.bounds)
    tails: Any = " ".join(arguments.tails or ()) or None
    if tails is not None and "=" in tails:
        tails = dict(word.partition("=")[::2] for word in arguments.tails)
    return {"family": family, **rule, "tails": tails, "bounds": bounds}


def check_picture(arguments: argparse.Namespace, inputs: Sequence[str]) -> None:
    """Check the picture's name and place."""
    if arguments.output is None:
        names = ["log"] if getattr(arguments, "html", None) else ["force", "log"]
        refuse(arguments, names, "stand beside -o, the picture it is about", "Add -o OUT.")
    else:
        picture_format(arguments.output)
        check_output(arguments, "output", inputs)


def check_output(
    arguments: argparse.Namespace, name: str, inputs: Sequence[str], ends: Sequence[str] = ()
) -> None:
    """Refuse to overwrite unasked; a page has a page's name."""
    output, option = getattr(arguments, name), option_of(name)
    checked_target(output)
    rule = ""
    exists = os.path.exists(output)
    if exists and any(os.path.exists(x) and os.path.samefile(output, x) for x in inputs):
        rule = "not be a score file of the call"
    elif ends and Path(output).suffix.lower() not in ends:
        rule = f"be a file that ends in {' or '.join(ends)}"
    if rule:
        raise errors.refusal(option, rule, format_value(output), "Name another file.")
    if os.path.lexists(output) and not arguments.force:
        actual, remedy = f"{format_value(output)}, which exists", "Pass --force to replace it."
        raise errors.refusal(option, "be a new file", actual, remedy, errors.OutputError)
