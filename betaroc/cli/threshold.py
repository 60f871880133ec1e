"""``betaroc threshold``: one threshold for a target, and what it may be relied on for."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import product
from shlex import quote

from betaroc.cli.inputs import files_of, option_of_guess, read_file
from betaroc.cli.messages import (
    ProgressBar,
    as_json,
    examples,
    in_terms,
    messages,
    named_files,
    say_warnings,
)
from betaroc.cli.options import form_options, score_options, terms_option
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
from betaroc.core.tables import listed_columns
from betaroc.core.terms import Terms, terms_of
from betaroc.core.text import listed
from betaroc.data.rows import FAIL
from betaroc.data.scores import Scores
from betaroc.decision.decide import Decision, DecisionCheck, checked_request, decide
from betaroc.decision.status import (
    AMBER,
    GREEN,
    RED,
    beyond_words,
    high_rate_words,
    mean_shown,
    remedy_words,
    shown_threshold,
    status_words,
)
from betaroc.decision.ways import HOW, TARGET_RATES, Way, rate_interval
from betaroc.estimation.families import BEST
from betaroc.rendering.numbers import (
    rate,
    rate_span,
    read_as,
    spaced,
    visible,
)
from betaroc.rendering.table_text import csv_table, latex_table
from betaroc.rendering.terminal import Strip, broken, paragraph, strip
from betaroc.report.score_set import decision_rates, of_total

__all__ = ["add_options", "run"]

#: Icon, the same without Unicode, and colour of each status.
_STATUS = {
    GREEN: ("✓", "[ok]", "32"), AMBER: ("▲", "[??]", "33"), RED: ("✗", "[no]", "31"),
}  # fmt: skip
#: Columns of a label of rates, and of a title of ways.
_LABEL, _TITLE = 27, 22


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
    score_options(parser, BEST, stream=False, dev="SCORES", test="TEST")
    parser.set_defaults(stream="never")


def run(arguments: argparse.Namespace) -> int | None:
    """Decide, check, and say it."""
    names = ("far", "frr", "cost_fa", "cost_fr", "prior", "eer", "how", "confidence")
    asked = {name: getattr(arguments, name) for name in names}
    request = checked_request(**asked)
    _refuse_several_files(arguments)
    systems = named_systems(arguments, tests=(0, 1))
    if systems:
        return run_systems(systems, arguments, request)
    files = {role: files_of(arguments, role) for role in ("dev", "test")}
    _refuse_the_same_file(files)
    rules = {name: getattr(arguments, name) for name in ("family", "boundary", "resolution")}
    with collected() as notices, ProgressBar(2) as step:
        with passed_on("dev: " if files["test"] else ""):
            dev = _scores(arguments.file, "a decision", arguments, step)
        test = None
        if files["test"]:
            with passed_on("test: "):
                test = _scores(arguments.test, "a check", arguments, step, is_test=True)
        decision = decide(dev, **asked, **rules)
        check = None if test is None else decision.check(test)
    status = decision.status if check is None else check.status
    said = messages(notices, arguments)
    if arguments.json:
        sys.stdout.write(as_json(decision_document(decision, check, dev, said)))
        return _code(arguments, status)
    if arguments.only is not None:
        sys.stdout.write(f"{decision.threshold!r}\n")
    elif arguments.csv or arguments.latex:
        ways = listed_columns(decision.to_frame()) | _observed(decision, test)
        sys.stdout.write(csv_table(ways) if arguments.csv else latex_table(ways))
    else:
        paths_told = named_files(arguments)
        called = {
            role: [visible(paths_told[path]) for path in paths] for role, paths in files.items()
        }
        lines = _screen(decision, check, dev, test, arguments, called)
        kept = [name for own in called.values() for name in own]
        told = in_terms("\n".join(lines), arguments, [*kept, *(dev.words or ())])
        sys.stdout.write("\n".join(line.rstrip() for line in told.split("\n")) + "\n")
    say_warnings([in_terms(one, arguments, words=dev.words) for one in said])
    return _code(arguments, status)


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


def _code(arguments: argparse.Namespace, status: str) -> int | None:
    return 1 if arguments.strict and status != GREEN else None


def _observed(d: Decision, test: Scores | None) -> dict[str, list[float]]:
    """Both rates of the test at every way's threshold, for tables of numbers."""
    if test is None:
        return {}
    return {
        f"{kind}_test": [
            rate_interval(test, kind, way.threshold, d.confidence)[0] if way.possible else math.nan
            for way in d.ways
        ]
        for kind in TARGET_RATES
    }


def _scores(
    path: str | None, what: str, arguments: argparse.Namespace, step: Callable[[], None], *,
    is_test: bool = False,
) -> Scores:  # fmt: skip
    """Scores of a file, as the numbers of the software that gave them."""
    return typed(read_file(path, arguments, step, is_test=is_test), what, arguments)


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
) -> list[str]:  # fmt: skip
    plain = not _shows("✓─●")
    blocks = [
        [_head(d, dev)],
        _status_lines(d, check, plain=plain),
        _rates(d, check, dev, test),
        [] if d.target not in TARGET_RATES else _strip(d, check, plain=plain),
        _ways(d, dev, test, terms_of(arguments.terms)),
        [*_read(dev, test, arguments, names), *_deploy(d, arguments)],
    ]
    return [line for block in blocks if block for line in [*block, ""]][:-1]


def _head(d: Decision, dev: Scores) -> str:
    how = "not guaranteed"
    if d.how == "guaranteed":
        how = f"guaranteed, {100 * d.confidence:g} % confidence"
    if not math.isfinite(d.threshold):
        return f"Threshold {d.threshold}     accept every score     {how}"
    threshold = shown_threshold(d.threshold, d.target, dev)
    return f"Threshold {threshold}     accept if score > {threshold}     {how}"


def _shows(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "utf-8")  # a stream in memory has none, and takes all
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _status_lines(d: Decision, check: DecisionCheck | None, *, plain: bool) -> list[str]:
    said, tested = d if check is None else check, check is not None
    icon, letters, colour = _STATUS[said.status]
    head = f"{letters if plain else icon} {status_words(said.status, tested=tested)}"
    if sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        head = f"\033[{colour}m{head}\033[0m"
    remedy = f"What would change it: {remedy_words(said.remedy, tested=tested)}"
    high = high_rate_words(d, [("test", check)])
    return [head, *paragraph(said.reason), *(paragraph(high) if high else []), *paragraph(remedy)]


def _rates(d: Decision, check: DecisionCheck | None, dev: Scores, test: Scores | None) -> list[str]:
    """Both rates, expected from dev and observed on test, with their counts."""
    words, rows = d.words or ClassWords(), []
    for row in decision_rates(d, [dev] if test is None else [dev, test]):
        decided = "accepted" if row.kind == "far" else "rejected"
        what = "of comparisons made" if row.made else f"{words.many(row.who)} {decided}"
        rows.append((f"{row.name}  {what}", row.cells))
    heads = ["expected, from dev", "observed, on test"][: len(rows[0][1])]
    lines = [_cells("", heads)]
    wide = [max(len(rate(cells[k].rate)) for _, cells in rows) for k in range(len(heads))]
    for label, cells in rows:
        shares = [f"{rate(one.rate):{n}}" for one, n in zip(cells, wide, strict=True)]
        around = [_around(one.low, one.high) for one in cells]
        columns = [f"{one} {two}" for one, two in zip(shares, around, strict=True)]
        stacked = [columns] if max(map(len, columns)) < _LABEL else [shares, around]
        names = [label] + [""] * len(stacked)
        if len(label) >= _LABEL:
            lines, names[0] = [*lines, label], ""
        stacked.append([of_total(one) for one in cells])
        lines += [_cells(*row) for row in zip(names, stacked, strict=True)]
    return lines if d.target in TARGET_RATES else [*lines, *_cost(d, check)]


def _around(low: float, high: float) -> str:
    return "(no interval)" if math.isnan(low) else f"({rate_span(low, high)})"


def _cost(d: Decision, check: DecisionCheck | None) -> list[str]:
    """What a trial costs, or the mean of both rates."""
    label = "cost  mean of a trial" if d.costs else "HTER  mean of both rates"
    shown = [mean_shown(d.costs, d.interval)]
    shown += [] if check is None else [mean_shown(d.costs, check)]
    return [_cells(label, [f"{mean} ({ends})" for mean, ends in shown])]


def _cells(label: str, cells: Sequence[str]) -> str:
    return f"{label:{_LABEL}}" + "".join(f"{cell:{_LABEL - 1}} " for cell in cells)


def _strip(d: Decision, check: DecisionCheck | None, *, plain: bool) -> list[str]:
    expected = d.interval.estimate
    rows: list[Strip] = [("dev", d.interval.low, expected, d.interval.high)]
    if check is not None:
        rows.append(("test", check.low, check.observed, check.high))
    return strip(d.target.upper(), rows, d.rate, plain=plain)


def _ways(d: Decision, dev: Scores, test: Scores | None, terms: Terms) -> list[str]:
    name = (terms.frr if d.target == "frr" else terms.far).short
    last = max(11, len(f" {terms.frr.short}, test"))
    middle = 21 - last
    lines = [f"{'Every way to choose':24}{'threshold':>11}{f'{name}, dev':>11}{'beyond':>{middle}}"]
    if test is not None:
        lines[0] += f"{f'{terms.far.short}, test':>12}{f'{terms.frr.short}, test':>{last}}"
    for way in sorted(d.ways, key=lambda one: one.how == "model"):
        title = f"{'>' if way is d.way else ' '} {_title(way, d)}"
        if not way.possible:
            lines += _wrapped(title, f"not possible: {way.why}")
            continue
        row = (
            f"{title:24}{shown_threshold(way.threshold, d.target, dev):>11}{rate(way.expected):>11}"
        )
        row += f"{beyond_words(way):>{middle}}"
        if test is not None:
            far, frr = (
                rate_interval(test, k, way.threshold, d.confidence)[0] for k in TARGET_RATES
            )
            row += f"{rate(far):>12}{rate(frr):>{last}}"
        said = [way.family] * (_title(way, d) == "fitted") + [way.why] * bool(way.why)
        if said:
            said = [f"    {line.strip()}" for line in paragraph(f"({'; '.join(said)})")]
        lines += [row, *said]
    return lines


def _wrapped(title: str, words: str) -> list[str]:
    """A title and, beside it, what does not fit in a row."""
    first, *rest = broken(words, 56)
    return [f"{title:23} {first}", *(f"{'':23} {line}" for line in rest)]


def _title(way: Way, d: Decision) -> str:
    if way.how == "guaranteed":
        return f"guaranteed, {100 * d.confidence:g} %"
    if way.how == "average":
        asked = f"{100 * d.rate:g} %"
        forms = f"at most {asked} on average", f"at most {asked} average", f"{asked} on average"
        return next((form for form in forms if len(form) <= _TITLE), "on average")
    if way.how in ("tail", "counted"):
        return {"tail": "by a tail", "counted": "counted on dev"}[way.how]
    fitted = f"fitted, {way.family}" if way.family else "by a fit"
    return fitted if len(fitted) <= _TITLE else "fitted"


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
    return _indented("Read", read)


def _deploy(d: Decision, arguments: argparse.Namespace) -> list[str]:
    kind = "" if d.dtype == "float64" else f" in {d.dtype}"
    lines = _indented("Deploy", [
        f"software that accepts score >= threshold{kind}: {d.threshold_for_greater_equal!r}",
        "betaroc threshold ... --json > decision.json     the whole decision",
    ])  # fmt: skip
    return lines + _command(arguments)


def _command(arguments: argparse.Namespace) -> list[str]:
    """The report of the same files, to be pasted."""
    usual = {
        "score": "score", "label": "label", "client_label": None, "format": None, "separator": None,
        "decimal": None, "columns": None, "key": None, "test_key": None, "missing": FAIL,
    }  # fmt: skip
    given = {"dev": arguments.file, "test": arguments.test}
    for start in ("", "test_"):
        own = (f"{start}{who}_file" for who in ("client", "impostor"))
        given |= {name: getattr(arguments, name) for name in own}
    given |= {n: getattr(arguments, n) for n in usual if getattr(arguments, n) != usual[n]}
    parts = [f"--{n.replace('_', '-')} {visible(quote(v))}" for n, v in given.items() if v]
    parts += [f"--id {visible(quote(column))}" for column in arguments.id or ()]
    if arguments.identities is not None:
        parts.append(f"--identities {' '.join(visible(quote(c)) for c in arguments.identities)}")
    if arguments.header is not None:
        parts.append("--header" if arguments.header else "--no-header")
    lines = ["betaroc report"]
    for part in [*parts, "-o report.html"]:
        if len(lines[-1]) + len(part) > 69:
            lines[-1] += " \\"
            lines.append(f"  {part}")
        else:
            lines[-1] += f" {part}"
    return [f"{'':8}{line}" for line in lines]


def _indented(title: str, texts: Sequence[str]) -> list[str]:
    lines = [line for text in texts for line in broken(text, 72)]
    return [f"{title if k == 0 else '':8}{line}" for k, line in enumerate(lines)]
