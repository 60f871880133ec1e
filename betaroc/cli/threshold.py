"""``betaroc threshold``: one threshold for a target, and what it may be relied on for."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from betaroc.cli.inputs import read_file
from betaroc.cli.messages import ProgressBar, messages, say_warnings
from betaroc.cli.options import score_options
from betaroc.core.errors import InputError
from betaroc.core.notices import collected
from betaroc.data.scores import Scores, require_scores
from betaroc.decision.decide import Decision, DecisionCheck, decide
from betaroc.decision.ways import HOW, Way, rate_interval
from betaroc.estimation.families import BEST
from betaroc.rendering.numbers import visible
from betaroc.rendering.terminal import (
    Strip,
    count,
    interval,
    paragraph,
    rate,
    rounded,
    strip,
)
from betaroc.report.numbers import as_json

__all__ = ["add_options", "run"]

#: Icon, the same without Unicode, colour and words of each status.
_STATUS = {
    "can be relied on": ("✓", "[ok]", "32", "Can be relied on"),
    "not enough evidence": ("▲", "[??]", "33", "Not enough evidence"),
    "do not rely on it": ("✗", "[no]", "31", "Do not rely on it"),
}
_NAMES = {"average": "at most the target on average", "counted": "counted on dev"}
_LABEL = 27


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    option = parser.add_argument
    option("file", metavar="SCORES", help="score file of dev, which the threshold is chosen on")
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
    option("--group", nargs="+", metavar="COLUMN",
        help="one or two columns of groups of trials that depend on each other")  # fmt: skip
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON document on standard output")
    form.add_argument("--print", choices=("threshold",), dest="only",
        help="the threshold alone, with all its digits")  # fmt: skip
    option("--strict", action="store_true",
        help="exit code 1 unless the threshold can be relied on")  # fmt: skip
    score_options(parser, BEST, stream=False)
    parser.set_defaults(stream="never")


def run(arguments: argparse.Namespace) -> int | None:
    """Decide, check, and say it."""
    _refuse_the_same_file(arguments)
    with collected() as notices, ProgressBar(2) as step:
        dev = require_scores(read_file(arguments.file, arguments, step), "a decision")
        test = None
        if arguments.test is not None:
            test = require_scores(read_file(arguments.test, arguments, step), "a check")
        names = ("far", "frr", "cost_fa", "cost_fr", "prior", "eer", "how", "confidence", "family")
        decision = decide(dev, **{name: getattr(arguments, name) for name in names})
        check = None if test is None else decision.check(test)
    status = decision.status if check is None else check.status
    if arguments.only is not None:
        sys.stdout.write(f"{decision.threshold!r}\n")
    elif arguments.json:
        sys.stdout.write(as_json(_document(decision, check, messages(notices, arguments))))
    else:
        lines = _screen(decision, check, dev, test, arguments)
        sys.stdout.write("\n".join(line.rstrip() for line in lines) + "\n")
        say_warnings(messages(notices, arguments))
    return 1 if arguments.strict and status != "can be relied on" else None


def _refuse_the_same_file(arguments: argparse.Namespace) -> None:
    same = arguments.test is not None and os.path.realpath(arguments.test) == os.path.realpath(
        arguments.file
    )
    if same:
        raise InputError(
            "--test must be another file than dev's: a threshold looks better on the scores that"
            " chose it. Name trials that took no part in choosing it, or leave --test out."
        )


# ------------------------------------------------------------------------------- text
def _screen(
    d: Decision, check: DecisionCheck | None, dev: Scores, test: Scores | None,
    arguments: argparse.Namespace,
) -> list[str]:  # fmt: skip
    plain = not _shows("✓─●≤")
    up = d.target != "frr"
    threshold = rounded(d.threshold, up=up)
    how = f"guaranteed, {100 * d.confidence:g} % confidence" if d.how == "guaranteed" else (
        "not guaranteed"
    )  # fmt: skip
    lines = [
        f"Threshold {threshold}     accept if score > {threshold}     {how}",
        "",
        *_status_lines(d, check, plain=plain),
        "",
        *_rates(d, dev, test),
        "",
    ]
    if d.target in ("far", "frr"):
        lines += [*_strip(d, check, plain=plain), ""]
    lines += [*_ways(d, test), ""]
    lines += [f"Read    {_read(arguments.file, dev)}"]
    if test is not None:
        lines.append(f"        {_read(arguments.test, test)}")
    lines.append(
        f"Deploy  software that accepts score >= threshold: {d.threshold_for_greater_equal!r}"
    )
    return lines


def _shows(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _status_lines(d: Decision, check: DecisionCheck | None, *, plain: bool) -> list[str]:
    status = d.status if check is None else check.status
    icon, letters, colour, words = _STATUS[status]
    if check is None and status == "can be relied on":
        words += ", not tested"
    head = f"{letters if plain else icon} {words}"
    if sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        head = f"\033[{colour}m{head}\033[0m"
    reason = d.reason[:1].upper() + d.reason[1:] + "."
    if check is not None:
        reason += f" {check.reason[:1].upper()}{check.reason[1:]}."
    would = "other trials than dev's, a new sensor or model; trials that share a person."
    if d.needed is not None:
        would = f"{count(d.needed)} trials of the class for a guarantee."
    if check is None:
        would = f"a test set from where it will run; {would}"
    return [head, *paragraph(reason), *paragraph(f"What would change it: {would}")]


def _rates(d: Decision, dev: Scores, test: Scores | None) -> list[str]:
    """Both rates, expected from dev and observed on test, with their counts."""
    blank = "" if test is None else "observed, on test"
    lines = [f"{'':{_LABEL}}{'expected, from dev':{_LABEL}}{blank}"]
    for kind, what in (("far", "impostors accepted"), ("frr", "clients rejected")):
        own, low, high = rate_interval(dev, kind, d.threshold, d.confidence)
        counts = own
        if kind == d.target:
            own, low, high = getattr(d.expected, kind), d.interval.low, d.interval.high
        cells = [f"{rate(own)} ({interval(low, high)})"]
        below = [_of(dev, kind, counts)]
        if test is not None:
            seen = rate_interval(test, kind, d.threshold, d.confidence)
            cells.append(f"{rate(seen[0])} ({interval(*seen[1:])})")
            below.append(_of(test, kind, seen[0]))
        label = f"{kind.upper()}  {what}"
        lines.append(f"{label:{_LABEL}}" + "".join(f"{cell:{_LABEL}}" for cell in cells))
        lines.append(" " * _LABEL + "".join(f"{cell:{_LABEL}}" for cell in below))
    return lines


def _of(scores: Scores, kind: str, share: float) -> str:
    total = scores.impostor_total if kind == "far" else scores.client_total
    return f"{count(share * total)} of {count(total)}"


def _strip(d: Decision, check: DecisionCheck | None, *, plain: bool) -> list[str]:
    expected = d.interval.estimate
    rows: list[Strip] = [("dev", d.interval.low, expected, d.interval.high)]
    if check is not None:
        rows.append(("test", check.low, check.observed, check.high))
    return strip(d.target.upper(), rows, d.rate, plain=plain)


def _ways(d: Decision, test: Scores | None) -> list[str]:
    name = "FRR" if d.target == "frr" else "FAR"
    tail = "   FAR, test  FRR, test" if test is not None else ""
    lines = [f"{'Every way to choose':24}{'threshold':>11}{f'{name}, dev':>11}{'beyond':>10}{tail}"]
    for way in d.ways:
        mark = ">" if way.how == d.how else " "
        title = f"{mark} {_title(way, d)}"
        if not way.possible:
            lines += _wrapped(title, f"not possible: {way.why}")
            continue
        row = f"{title:24}{rounded(way.threshold, up=d.target != 'frr'):>11}"
        row += f"{rate(way.expected):>11}{count(way.n_beyond):>10}"
        if test is not None:
            far, frr = (rate_interval(test, k, way.threshold, 0.95)[0] for k in ("far", "frr"))
            row += f"{rate(far):>12}{rate(frr):>11}"
        lines.append(row)
        said = [way.family] * (_title(way, d) == "fitted") + [way.why] * bool(way.why)
        if said:
            lines += [f"    {line.strip()}" for line in paragraph(f"({'; '.join(said)})")]
    return lines


def _wrapped(title: str, words: str) -> list[str]:
    """A title and, beside it, what does not fit in a row."""
    from textwrap import wrap

    first, *rest = wrap(words, 54)
    return [f"{title:24} {first}", *(f"{'':24} {line}" for line in rest)]


def _title(way: Way, d: Decision) -> str:
    if way.how == "guaranteed":
        return f"guaranteed, {100 * d.confidence:g} %"
    if way.how == "average":
        return f"at most {100 * d.rate:g} % on average"[:22]
    if way.how == "tail":
        return "by a tail"
    fitted = f"fitted, {way.family}"
    return _NAMES.get(way.how, fitted if len(fitted) <= 22 else "fitted")


def _read(path: str, scores: Scores) -> str:
    return (
        f"{visible(Path(path).name)} {count(scores.n_client)} clients,"
        f" {count(scores.n_impostor)} impostors"
    )


# ------------------------------------------------------------------------------- JSON
def _document(d: Decision, check: DecisionCheck | None, said: Sequence[str]) -> dict[str, Any]:
    """The decision as numbers and text."""
    return {
        "threshold": d.threshold,
        "threshold_for_greater_equal": d.threshold_for_greater_equal,
        "target": d.target,
        "rate": None if math.isnan(d.rate) else d.rate,
        "how": d.how,
        "confidence": d.confidence,
        "expected": {"far": d.expected.far, "frr": d.expected.frr, "prior": d.expected.prior},
        "interval": [d.interval.low, d.interval.high],
        "status": d.status if check is None else check.status,
        "reason": d.reason,
        "needed": d.needed,
        "ways": [
            {name: getattr(way, name) for name in Way.__dataclass_fields__} for way in d.ways
        ],
        "test": None if check is None else {
            "observed": check.observed, "low": check.low, "high": check.high,
            "verdict": check.verdict, "reason": check.reason, "far": check.point.far,
            "frr": check.point.frr,
        },
        "warnings": list(said),
    }  # fmt: skip
