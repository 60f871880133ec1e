"""``betaroc compare``: systems on test, by thresholds of dev."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from betaroc.cli.curves import SystemCurve, curve_of, curve_options
from betaroc.cli.inputs import family_of
from betaroc.cli.messages import ProgressBar, examples, messages, say
from betaroc.cli.options import (
    checked_picture,
    interval_arguments,
    interval_options,
    score_options,
    tail_options,
)
from betaroc.cli.systems import (
    LONGEST,
    SystemFiles,
    default_names,
    named_systems,
    read_systems,
    reading_words,
    refuse_other_numbers,
    system_options,
)
from betaroc.core.class_words import shared_words
from betaroc.core.errors import DuplicateWarning, InputError
from betaroc.core.notices import collected, warn
from betaroc.core.tables import listed_columns
from betaroc.core.text import shown
from betaroc.decision.comparison import Comparison, compare
from betaroc.decision.curve_difference import short_measure, way_words
from betaroc.decision.systems import SystemsComparison, compare_systems
from betaroc.model.criteria import CRITERIA
from betaroc.rendering.numbers import counted, level_words, number, path_words, visible
from betaroc.rendering.picture_files import save_picture
from betaroc.rendering.style import legend_below, stacked_axes
from betaroc.rendering.table_text import records
from betaroc.rendering.tree import Column, Grid, Section, Words, apart, as_named, recorded
from betaroc.report.compare import (
    System,
    comparison_arrays,
    comparison_columns,
    comparison_numbers,
    comparison_told,
    design_numbers,
    drawn_words,
)
from betaroc.report.epc import (
    alphas_given,
    axis_words,
    measure_words,
    path_of,
    value_text,
)
from betaroc.report.intervals import coarse_words

#: More groups than this are told in JSON alone.
_GROUPS = 8


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc compare --dev dev.csv dev_b.csv --test eval.csv eval_b.csv --name A B -o c.svg",
        "betaroc compare --dev dev.csv dev_b.csv --test eval.csv eval_b.csv --resample test --json",
        "betaroc compare --system mlp dev.csv eval.csv --system svm dev_b.csv eval_b.csv --csv",
    )
    option = parser.add_argument
    for role, verb in (("dev", "choose on"), ("test", "meet, the same trials in one order")):
        parser.add_argument(
            f"--{role}", nargs="+", action="extend", default=[], metavar=role.upper(),
            help=f"two files: scores of the first and of the second system to {verb}"
            + ("; with --unpaired the same file may serve both" if role == "dev" else ""),
        )  # fmt: skip
    option("--name", nargs="+", action="extend", metavar="NAME",
        help="two names of the systems (default: what tells the paths of their files"
        " apart)")  # fmt: skip
    system_options(parser)
    option("--resample", choices=("both", "test"), default="both",
        help="both: dev too is drawn, and its thresholds chosen, again; test: at these very"
        " thresholds as they are (default: %(default)s)")  # fmt: skip
    option("--unpaired", action="store_true",
        help="the systems judge different test trials, which are drawn independently")  # fmt: skip
    interval_options(parser, "of the intervals and the band of the difference")
    option("--replicates", type=int, metavar="N",
        help="bootstrap replicates (default: 2000; 400 where a fit is made in each)")  # fmt: skip
    curve_options(parser, "weighted-error, with another criterion hter")
    score_options(parser, "empirical")
    tail_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Compare, and say or draw it."""
    files = _files_of(arguments)
    checked_picture(arguments, [path for one in files for path in (one.dev, *one.tests)])
    level, seed = interval_arguments(arguments)
    if arguments.unpaired and arguments.id is not None:
        raise InputError(
            "--id says which trials of the systems belong together; with --unpaired none do. Leave"
            " one of them out."
        )
    if arguments.measure is None:
        weighted = arguments.criterion == "weighted-error"
        arguments.measure = "weighted-error" if weighted else "hter"
    with collected() as notices, ProgressBar(2 * len(files) + 2) as step:
        named = arguments.resample == "both"
        read = list(read_systems(files, arguments, step, dev_named=named))
        systems = [System(one.name, one.dev, one.tests[0]) for one in read]
        if not arguments.unpaired:
            names = [path_words(one.tests[0]) for one in files]
            refuse_other_numbers(names, [one.test for one in systems])
        _warn_of_same(systems)
        found = []
        for system in systems:  # each on its own scale
            chosen = family_of(arguments.family, system[1:])
            prefix = f"{visible(system.name)}: "
            found.append(curve_of(arguments, chosen, system.dev, system.test, prefix))
        options = {
            "resample": arguments.resample, "paired": not arguments.unpaired, "level": level,
            "replicates": arguments.replicates, "rng": seed,
        }  # fmt: skip
        curves = [one.curve for one in found]
        comparison: Comparison | SystemsComparison
        if len(files) == 2:
            with _naming_the_systems(systems):
                comparison = compare(curves[0], curves[1], **options)
        else:
            by_name = {one.name: curve for one, curve in zip(systems, curves, strict=True)}
            comparison = compare_systems(by_name, **options)
        step()
        if arguments.output is not None:
            style = {"scale": "log" if arguments.log else "linear", "terms": arguments.terms}
            draw: Any = partial(comparison.plot, **style)
            if isinstance(comparison, Comparison):
                names = [visible(system.name) for system in systems]
                draw = partial(draw_both, comparison, names, **style)
            save_picture(draw, arguments.output)
        step()
    said = messages(notices, arguments)
    if arguments.csv:
        sides = [(f"{s.name}, {r}", getattr(s, r)) for s in systems for r in ("dev", "test")]
        said += coarse_words(sides)
    _say(comparison, systems, found, arguments, seed, said)


@contextmanager
def _naming_the_systems(systems: Sequence[System]) -> Iterator[None]:
    """Errors call both by their names."""
    try:
        yield
    except InputError as error:
        said = error.sentence
        for argument, system in zip(("epc_a", "epc_b"), systems, strict=True):
            said = said.replaced(argument, visible(system.name))
        raise error.reworded(said) from error


def _say(
    comparison: Comparison | SystemsComparison, systems: Sequence[System],
    found: Sequence[SystemCurve], arguments: argparse.Namespace, seed: int, said: Sequence[str],
) -> None:  # fmt: skip
    """The comparison in the form that was asked for."""
    by = [one.chosen_words for one in found]
    further = {
        "seed": seed,
        "families": [one.family for one in found],
        "reasons": [one.chosen_by for one in found],
        "warnings": said,
    }
    if isinstance(comparison, Comparison):
        document = partial(comparison_numbers, comparison, systems)
        kept = comparison_arrays(comparison, [system.name for system in systems])
        if arguments.csv:
            kept = comparison_columns(comparison, systems, seed)
        tree = partial(comparison_told, comparison, systems, by, seed, kept)
    else:
        document = partial(_ranking_numbers, comparison, systems)
        tree = partial(_ranking_told, comparison, systems, by, seed)
    names = [system.name for system in systems]
    words = shared_words(one.words for system in systems for one in (system.dev, system.test))
    say(arguments, lambda: document() | further, tree, said, names, words)


def draw_both(comparison: Comparison, names: Sequence[str], scale: str, terms: str) -> Any:
    """Both curves above, their difference below, on one figure; the upper axes."""
    upper, lower = stacked_axes()
    comparison.plot(upper, names=names, scale=scale, terms=terms).set_xlabel("")
    comparison.plot_difference(lower, names=names, terms=terms)
    legend_below(upper, None, also=lower)
    return upper


def _warn_of_same(systems: Sequence[System]) -> None:
    for k, one in enumerate(systems):
        for other in systems[:k]:
            if one[1:] == other[1:]:
                who = (
                    "both systems have"
                    if len(systems) == 2
                    else (f"{visible(other.name)} and {visible(one.name)} have")
                )
                warn(
                    f"{who} the same scores on dev and on test: this is one system given"
                    " twice. Name the files of the other.",
                    DuplicateWarning,
                )


def _files_of(arguments: argparse.Namespace) -> list[SystemFiles]:
    """The systems of the call: any number by --system, two by --dev and --test."""
    found = named_systems(arguments, tests=(1, 1))
    if not found:
        names = _two_names(arguments)
        return [
            SystemFiles(name, dev, (test,))
            for name, dev, test in zip(names, arguments.dev, arguments.test, strict=True)
        ]
    if len(found) < 2:
        raise InputError(
            f"--system must name at least two systems; got {shown(found[0].name)} alone. Name the"
            " other, or see betaroc epc."
        )
    return found


def _two_names(arguments: argparse.Namespace) -> tuple[str, str]:
    """Two names, after the files of both systems were found to be two and two."""
    for role in ("dev", "test"):
        paths = getattr(arguments, role)
        if len(paths) != 2:
            raise InputError(
                f"--{role} must name two score files, one a system; got {len(paths)}:"
                f" {shown(paths)}. Scores are those of one system: give each its own file."
            )
        with suppress(OSError):  # a file that cannot be looked at is refused when it is read
            if os.path.samefile(*paths) and not (role == "dev" and arguments.unpaired):
                raise InputError(
                    f"--{role} must name two different files, one a system; got {shown(paths[0])}"
                    " for both. A system does not differ from itself: name the other's scores"
                    + (", or pass --unpaired for one system on two test sets." if role == "dev"
                       else ".")
                )  # fmt: skip
    names = arguments.name
    if names is None:  # what tells their dev files apart, else their tests; of long ones a letter
        made = (default_names(paths) for paths in (arguments.dev, arguments.test))
        names = next(filter(_are_names, made), ["A", "B"])
    if len(names) != 2 or not _are_names(names):
        raise InputError(
            f"--name must give two different names of at most {LONGEST} characters, one a system;"
            f" got {shown(names)}. Give two, such as --name mlp svm."
        )
    return names[0], names[1]


def _are_names(names: Sequence[str]) -> bool:
    shapes = {visible(name).strip() for name in names}
    return len(shapes) == len(names) and all(0 < len(shape) <= LONGEST for shape in shapes)


# ------------------------------------------------------------------- three systems and more
def _ranking_numbers(found: SystemsComparison, systems: Sequence[System]) -> dict[str, Any]:
    """The ranking, every pair, the curves, and what they were computed from."""
    e = found.curves[0]
    single = CRITERIA[e.criterion].single
    return {
        "verdict": found.verdict,
        "ranking": records(listed_columns(found.to_frame())),
        "groups_alike": [list(group) for group in found.groups_alike],
        "pairs": records(listed_columns(found.pairs)),
        "alpha": alphas_given(e),
        "curves": {
            name: {
                "threshold": curve.threshold.tolist(), "value": curve.value.tolist(),
                "band_low": found.band_low[k].tolist(), "band_high": found.band_high[k].tolist(),
            }
            for k, (name, curve) in enumerate(zip(found.names, found.curves, strict=True))
        },
        "mean_alpha": [None, None] if single else list(found.alpha_range),
        **design_numbers(found, systems, found.curves),
        "replicates": found.replicates,
    }  # fmt: skip


def _ranking_told(
    found: SystemsComparison, systems: Sequence[System], chosen_by: Sequence[str], seed: int
) -> list[Section]:
    """What was read, the ranking, the verdict, and what the columns mean."""
    head = ["thresholds chosen on dev, errors observed on test; accepted if score > threshold"]
    for system, by in zip(systems, chosen_by, strict=True):
        files = " and ".join(path_words(path_of(one)) for one in (system.dev, system.test))
        sizes = f"{system.test.n_client} client and {system.test.n_impostor} impostor scores"
        head.append(f"{visible(system.name)}: {files} ({sizes}); thresholds from {by}")
    e = found.curves[0]
    head += [
        reading_words((one.name, side) for one in systems for side in (one.dev, one.test)),
        f"criterion: {e.criterion}{axis_words(e)}",
        f"measure: {measure_words(e)}, {way_words(e.measure)} is better",
        "paired: all systems judge the same trials, in the order of the files"
        if found.paired
        else "unpaired: sets of trials of each system, drawn independently",
        _interval_words(found, seed),
    ]
    read, findings = (Words("\n".join(lines), "given") for lines in (head, _findings(found)))
    return apart(read, _table(found, systems), findings)


def _interval_words(found: SystemsComparison, seed: int) -> str:
    pairs = counted(found.first.size, "pair")
    start = f"intervals: {level_words(found.level)} for all {pairs} at once"
    drawn = drawn_words(found, found.replicates, seed)
    return f"{start}{', at these very thresholds' * (found.resample == 'test')}, {drawn}"


def _table(found: SystemsComparison, systems: Sequence[System]) -> Grid:
    """A row a system, with its files."""
    table, by_name = dict(listed_columns(found.to_frame())), {one.name: one for one in systems}
    for role in ("dev", "test"):
        table[role] = [path_of(getattr(by_name[name], role)) for name in table["system"]]
    heads = {
        "rank": "", "system": "system", "better_than": "better than", "worse_than": "worse than",
        "mean": f"mean {short_measure(found.curves[0].measure)}",
        "groups": "groups" if _few(found) else None,
    }  # fmt: skip
    forms = {"mean": partial(value_text, found.curves[0])}
    table["system"] = list(map(as_named, table["system"]))
    columns = [Column(key, heads.get(key), forms.get(key, str)) for key in table]
    return recorded(columns, zip(*table.values(), strict=True))


def _few(found: SystemsComparison) -> bool:
    return len(found.groups_alike) <= _GROUPS


def _findings(found: SystemsComparison) -> list[str]:
    lines = [found.verdict]
    if not CRITERIA[found.curves[0].criterion].single:
        low, high = found.alpha_range
        lines.append(f"mean: over alpha from {number(low)} to {number(high)}")
    lines.append("better than, worse than: so many systems from which it is shown to differ")
    if _few(found):
        lines.append("groups: systems with a letter in common cannot be told apart")
    return lines
