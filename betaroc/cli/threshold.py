"""``betaroc threshold``: one threshold for a target, and what it may be relied on for."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from shlex import quote
from typing import Any

from betaroc.cli.inputs import files_of, option_of_guess, read_file
from betaroc.cli.messages import (
    ProgressBar,
    examples,
    in_terms,
    messages,
    named_files,
    say,
    say_warnings,
)
from betaroc.cli.options import LEVEL, bounds_option, form_options, score_options, terms_option
from betaroc.cli.systems import named_systems, system_options
from betaroc.cli.systems_thresholds import (
    decision_document,
    run_systems,
    typed,
)
from betaroc.core.class_words import ClassWords
from betaroc.core.errors import InputError
from betaroc.core.local_files import STDIN
from betaroc.core.notices import collected, passed_on
from betaroc.core.process import shows_colours
from betaroc.core.tables import listed_columns
from betaroc.core.terms import terms_of
from betaroc.core.text import listed
from betaroc.core.value import fields_of
from betaroc.data.scores import Scores
from betaroc.decision.decide import Decision, DecisionCheck, checked_request, decide
from betaroc.decision.status import (
    AMBER,
    GREEN,
    RED,
    mean_shown,
    said_nodes,
    shown_threshold,
    status_words,
    ways_grid,
)
from betaroc.decision.ways import HOW, TARGET_RATES, rate_interval
from betaroc.estimation.families import BEST
from betaroc.rendering.numbers import read_as, spaced, visible
from betaroc.rendering.tree import (
    Cell,
    Grid,
    Group,
    Row,
    Section,
    Words,
    apart,
    as_named,
    rate_cell,
)
from betaroc.rendering.tree_text import Strip, strip
from betaroc.report.score_set import decision_rates, of_total

#: Icon, the same without Unicode, and colour of each status.
_STATUS = {
    GREEN: ("✓", "[ok]", "32"), AMBER: ("▲", "[??]", "33"), RED: ("✗", "[no]", "31"),
}  # fmt: skip


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc threshold dev.csv --far 0.01 --test eval.csv",
        "betaroc threshold dev.csv --frr 0.05 --how average",
        "betaroc threshold dev.csv --cost-fa 10 --cost-fr 1 --prior 0.9",
        "betaroc threshold dev.csv --far 0.01 --print threshold",
        "betaroc threshold --far 0.01 --system mlp dev.csv eval.csv"
        " --system svm dev_b.csv eval_b.csv",
    )
    option = parser.add_argument
    option("file", nargs="*", metavar="SCORES",
        help="score file of dev, which the threshold is chosen on; - is the standard"
        " input")  # fmt: skip
    system_options(parser)
    option("--far", type=float, metavar="R", help="false acceptance rate that must not be passed")
    option("--frr", type=float, metavar="R", help="false rejection rate that must not be passed")
    option("--cost-fa", type=float, metavar="C", help="cost of a false acceptance")
    option("--cost-fr", type=float, metavar="C", help="cost of a false rejection")
    option("--prior", type=float, metavar="P",
        help="share of clients where the system will run (default: dev's)")  # fmt: skip
    option("--eer", action="store_true", help="the threshold of the equal error rate")
    option("--how", choices=HOW, metavar="WAY",
        help="guaranteed, average, tail or model; of costs and the EER counted or model (default:"
        " the first that is possible)")  # fmt: skip
    option("--confidence", type=float, default=0.95, metavar="C",
        help="of the guarantee and of all intervals (default: %(default)s)")  # fmt: skip
    option("--test", metavar="TEST", help="score file on which the threshold is tried")
    option("--dtype", choices=("float64", "float32", "float16"), default="float64",
        help="numbers of the software that gives the scores: a file's decimals are read as the"
        " nearest of them, and Deploy is the next above (default: %(default)s)")  # fmt: skip
    option("--group", nargs="+", metavar="COLUMN",
        help="one or two columns of groups of trials that depend on each other")  # fmt: skip
    form = form_options(parser, "a way to choose")
    form.add_argument("--print", choices=("threshold",), dest="only",
        help="the threshold alone, with all its digits")  # fmt: skip
    option("--strict", action="store_true",
        help="exit code 1 unless the threshold can be relied on")  # fmt: skip
    terms_option(parser)
    bounds_option(parser)
    score_options(parser, BEST, stream=False, dev="SCORES", test="TEST")
    parser.set_defaults(stream="never")


def run(arguments: argparse.Namespace) -> int | None:
    """Decide, check, and say it."""
    names = ("far", "frr", "cost_fa", "cost_fr", "prior", "eer", "how", "confidence")
    asked = fields_of(arguments, *names)
    request = checked_request(**asked)
    _refuse_several_files(arguments)
    systems = named_systems(arguments, tests=(0, 1))
    if systems:
        return run_systems(systems, arguments, request)
    files = {role: files_of(arguments, role) for role in ("dev", "test")}
    _refuse_the_same_file(files)
    rules = fields_of(arguments, "family", "boundary", "resolution", "bounds")
    with collected() as notices, ProgressBar(2) as step:
        with passed_on("dev: " if files["test"] else ""):
            dev = typed(read_file(arguments.file, arguments, step), "a decision", arguments)
        test = None
        if files["test"]:
            with passed_on("test: "):
                read = read_file(arguments.test, arguments, step, is_test=True)
                test = typed(read, "a check", arguments)
        decision = decide(dev, **asked, **rules)
        check = None if test is None else decision.check(test)
    status = decision.status if check is None else check.status
    code = 1 if arguments.strict and status != GREEN else None
    said = messages(notices, arguments)
    warned = [in_terms(one, arguments, words=dev.words) for one in said]
    if arguments.only is not None and not arguments.json:
        sys.stdout.write(f"{decision.threshold!r}\n")
        say_warnings(warned)
        return code
    told = named_files(arguments)
    called = {role: [visible(told[path]) for path in paths] for role, paths in files.items()}
    say(
        arguments,
        lambda: decision_document(decision, check, dev, said),
        lambda: _screen(decision, check, dev, test, arguments, called),
        warned,
        [*(name for own in called.values() for name in own), *(dev.words or ())],
        wrapped=True,
    )
    return code


def _refuse_several_files(arguments: argparse.Namespace) -> None:
    """One file without an option, which is dev's."""
    files = arguments.file
    if len(files) > 1:
        first, second = (visible(quote(path)) for path in files[:2])
        raise InputError(
            f"SCORES must be one file, dev's; got {len(files)}: {listed(files)}. Name a test by"
            f" --test {second}, or several systems by --system NAME {first} --system NAME {second}."
        )
    arguments.file = files[0] if files else None


def _refuse_the_same_file(files: Mapping[str, Sequence[str]]) -> None:
    for path, other in product(files["dev"], files["test"]):
        same = path == other == STDIN
        with suppress(OSError):  # of a file that is not there: said where it is read
            same = same or os.path.samefile(path, other)
        if same:
            raise InputError(
                "--test must be another file than dev's: a threshold looks better on the scores"
                " that chose it. Name trials that took no part in choosing it, or leave --test out."
            )


# ------------------------------------------------------------------------------- text
def _screen(
    d: Decision, check: DecisionCheck | None, dev: Scores, test: Scores | None,
    arguments: argparse.Namespace, names: Mapping[str, Sequence[str]],
) -> list[Section]:  # fmt: skip
    plain = not _shows("✓─●")
    picture = [_strip(d, check, plain=plain)] if d.target in TARGET_RATES else []
    kind = "" if d.dtype == "float64" else f" in {d.dtype}"
    deploy = [
        f"software that accepts score >= threshold{kind}: {d.threshold_for_greater_equal!r}",
        "betaroc threshold ... --json > decision.json     the whole decision",
    ]
    listed_rows = [
        Row((title * (k == 0), as_named(text)))
        for title, texts in (("Read", _read(dev, test, arguments, names)), ("Deploy", deploy))
        for k, text in enumerate(texts)
    ]
    listed_grid = Grid(("", ""), tuple(listed_rows), (1,), widths=(8, 73))
    return [
        Section("", (Words(_head(d, dev), "given"),)),
        _status(d, check, plain=plain),
        Section("", (_rates(d, check, dev, test),)),
        *apart(*picture),
        Section("", (_ways(d, dev, test, arguments),)),
        Section("", (listed_grid, _command(arguments))),
    ]


def _head(d: Decision, dev: Scores) -> str:
    how = "not guaranteed"
    if d.how == "guaranteed":
        how = f"guaranteed, {100 * d.confidence:g} % confidence"
    if not math.isfinite(d.threshold):
        every = "accept" if d.threshold < 0.0 else "reject"
        return f"Threshold {d.threshold}     {every} every score     {how}"
    threshold = shown_threshold(d.threshold, d.target, dev)
    return f"Threshold {threshold}     accept if score > {threshold}     {how}"


def _shows(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "utf-8")  # a stream in memory has none, and takes all
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _status(d: Decision, check: DecisionCheck | None, *, plain: bool) -> Section:
    said, tested = d if check is None else check, check is not None
    icon, letters, colour = _STATUS[said.status]
    head = f"{letters if plain else icon} {status_words(said.status, tested=tested)}"
    if shows_colours():
        head = f"\033[{colour}m{head}\033[0m"
    nodes = said_nodes(said, tested=tested)
    return Section(head, tuple(replace(one, kind="given") for one in nodes))


def _rates(d: Decision, check: DecisionCheck | None, dev: Scores, test: Scores | None) -> Grid:
    """Both rates, expected from dev and observed on test, with their counts."""
    words, rows = d.words or ClassWords(), []
    for row in decision_rates(d, [dev] if test is None else [dev, test]):
        decided = "accepted" if row.kind == "far" else "rejected"
        what = "of comparisons made" if row.made else f"{words.many(row.who)} {decided}"
        cells = (rate_cell(*one[:3], "no interval", of_total(one)) for one in row.cells)
        rows.append(Row((as_named(f"{row.name}  {what}"), *cells)))
    head = ("", "expected, from dev", "observed, on test")[: len(rows[0].cells)]
    if d.target not in TARGET_RATES:
        label = "cost  mean of a trial" if d.costs else "HTER  mean of both rates"
        means = (d.interval, check)[: len(head) - 1]
        shown = (mean_shown(d.costs, one) for one in means if one is not None)
        rows.append(Row((label, *(f"{mean} ({ends})" for mean, ends in shown))))
    return Grid(head, tuple(rows), (1, 2), widths=(27,) * len(head))


def _strip(d: Decision, check: DecisionCheck | None, *, plain: bool) -> Words:
    rows: list[Strip] = [("dev", d.interval.low, d.interval.estimate, d.interval.high)]
    if check is not None:
        rows.append(("test", check.low, check.observed, check.high))
    return Words("\n".join(strip(d.target.upper(), rows, d.rate, plain=plain)), "given")


def _ways(d: Decision, dev: Scores, test: Scores | None, arguments: argparse.Namespace) -> Grid:
    """The table of ways in 80 columns: without intervals, and below a way what is said of it."""
    grid = ways_grid(d, lambda threshold: shown_threshold(threshold, d.target, dev), test)
    rows: list[Row | Group] = []
    for row in (row for row in grid.rows if isinstance(row, Row)):
        cells = [cell.text if isinstance(cell, Cell) else cell for cell in row.cells]
        rows.append(Row((f"{'>' if row.chosen else ' '} {cells[0]}", *cells[1:4], *cells[6:])))
        if isinstance(row.cells[0], Cell) and row.cells[0].note:
            rows.append(Group("", f"({row.cells[0].note})"))
    table = arguments.csv or arguments.latex
    kept: dict[str, Any] = listed_columns(d.to_frame()) if table else {}
    if table and test is not None:
        for kind in TARGET_RATES:
            kept[f"{kind}_test"] = [
                rate_interval(test, kind, way.threshold, d.confidence)[0] if way.possible
                else math.nan for way in d.ways
            ]  # fmt: skip
    head = [cell.text if isinstance(cell, Cell) else cell for cell in grid.head]
    dev_head = "FRR, dev" if d.target == "frr" else "FAR, dev"
    head = ["Every way to choose", "threshold", dev_head, "beyond", *head[6:]]
    last = max(11, len(f" {terms_of(arguments.terms).frr.short}, test"))
    widths = (26, 11, 11, 20 - last, 12, last)
    return Grid(tuple(head), tuple(rows), kept=kept, widths=widths[: len(head)])


def _read(
    dev: Scores, test: Scores | None, arguments: argparse.Namespace,
    names: Mapping[str, Sequence[str]],
) -> list[str]:  # fmt: skip
    """The files, the columns, and which label is the client's."""
    words = dev.words or ClassWords()
    own = (
        f"{', '.join(names['dev'])}"
        f" {words.counted('client', dev.n_client, spaced(dev.n_client))},"
        f" {words.counted('impostor', dev.n_impostor, spaced(dev.n_impostor))}"
    )
    if test is not None:
        own += f"; {', '.join(names['test'])} {spaced(test.n_client)}, {spaced(test.n_impostor)}"
    form = "" if dev.source is None else dev.source.format
    guessed = None if dev.source is None else dev.source.guessed
    told = read_as(form)
    if form.startswith(("csv", "tsv", "text", "jsonl", "parquet", "arrow")):
        named = dict(one.split("=", 1) for one in dev.source.guesses) if dev.source else {}
        labels = arguments.identities or [named.get("label", arguments.label)]
        score = named.get("score", arguments.score)
        told = f"columns {', '.join(map(visible, [score, *labels]))}"
        if dev.words is not None:
            told += f'; label "{dev.words.client}" = client'
        told += " (guessed: --client-label)" * (guessed is not None)
    read = [own, told]
    for role, scores in (("", dev), ("test: ", test)):
        source = None if scores is None else scores.source
        if source is not None and source.guesses:
            read.append(f"{role}guessed: {visible(' '.join(map(option_of_guess, source.guesses)))}")
        if scores is not None and scores.has_rejected:
            read.append(f"{role}{scores._rejected_words()}")
    return read


def _command(arguments: argparse.Namespace) -> Words:
    """The report of the same files for the same target, to be pasted."""
    names = ("far", "frr", "cost_fa", "cost_fr", "prior")
    target = [f"{n}={getattr(arguments, n)!r}" for n in names if getattr(arguments, n) is not None]
    given = {"dev": arguments.file, "test": arguments.test, "target": ",".join(target) or "eer"}
    given |= {"group": arguments.group, "level": arguments.confidence}
    usual: dict[str, Any] = {"target": "far=0.01", "level": LEVEL}
    parser = argparse.ArgumentParser(add_help=False)
    score_options(parser, BEST, stream=False, dev="DEV", test="TEST")
    bounds_option(parser)
    terms_option(parser)
    for action in parser._actions:
        given[action.dest] = getattr(arguments, action.dest)
        usual[action.dest] = action.default
    given["header"] = None
    parts = [] if arguments.header is None else ["--header" if arguments.header else "--no-header"]
    for name, value in given.items():
        if value is not None and value != usual.get(name):
            words = value if isinstance(value, list | tuple) else [value]
            option, quoted = f"--{name.replace('_', '-')}", [visible(quote(str(w))) for w in words]
            parts += [f"{option} {w}" for w in quoted] if name == "id" else [
                f"{option} {' '.join(quoted)}"
            ]  # fmt: skip
    lines = ["betaroc report"]
    for part in [*parts, "-o report.html"]:
        if len(lines[-1]) + len(part) > 69:
            lines[-1] += " \\"
            lines.append(f"  {part}")
        else:
            lines[-1] += f" {part}"
    return Words("\n".join(f"{'':8}{line}" for line in lines), "given")
