"""``betaroc selftest``: numbers of this machine beside references of many more digits."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from betaroc.cli.messages import ProgressBar, examples, say
from betaroc.cli.options import form_options, terms_option
from betaroc.cli.reference_checks import CHECKS, Error, digits_of, errors_of_row
from betaroc.rendering.numbers import counted, spaced, version
from betaroc.rendering.tree import Column, Name, Section, Words, apart, recorded

#: Exit codes.
_PASSED, _FAILED = 0, 1


class _Group(NamedTuple):
    """The numbers of one kind and range, beside their references."""

    what: str
    region: str
    numbers: int
    worst: float
    median: float
    required: int
    #: The number that is off most, and the arguments it is of.
    number: str
    arguments: Sequence[Any]

    @property
    def passed(self) -> bool:
        return self.worst >= self.required


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc selftest",
        "betaroc selftest --json",
        rest="Exit code 0: every number has the digits required; 1: some have fewer.",
    )
    form_options(parser, "a kind of number and range")
    terms_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compute what there are references of, and say the digits reached; the exit code."""
    references = _references()
    order = list(CHECKS)
    blocks = sorted(references["blocks"], key=lambda block: order.index(block["check"]))
    with ProgressBar(len(blocks)) as step:
        groups = [_judged(block, step) for block in blocks]
    passed = all(group.passed for group in groups)
    import scipy

    versions = {
        "python": platform.python_version(),
        "betaroc": version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "platform": platform.platform(),
        "machine": platform.machine(),
        "byte order": sys.byteorder,
    }
    say(
        arguments,
        lambda: {
            "passed": passed,
            "groups": [group._asdict() | {"passed": group.passed} for group in groups],
            "references": references["source"],
            "versions": versions,
        },
        lambda: _told(groups, references["source"], versions),
    )
    return _PASSED if passed else _FAILED


def _references() -> dict[str, Any]:
    """What tests/reference/make_selftest.py wrote: where it is from, and blocks of rows."""
    return dict(json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8")))


def _judged(block: Mapping[str, Any], step: Any) -> _Group:
    """A number that cannot be computed at all has no digit."""
    check, found = CHECKS[block["check"]], []
    for row in block["rows"]:
        arguments = row[: check.arguments]
        try:
            errors = list(errors_of_row(check, row))
        except Exception as error:  # noqa: BLE001  what is broken may raise anything
            errors = [Error(type(error).__name__, float("inf"))]
        found += [(one, arguments) for one in errors]
    worst, arguments = max(found, key=lambda pair: pair[0].value)
    middle = median(one.value for one, _ in found)
    step()
    return _Group(
        check.title, block["region"], len(found), digits_of(worst.value), digits_of(middle),
        block["digits"], worst.number, arguments,
    )  # fmt: skip


def _told(
    groups: Sequence[_Group], source: Mapping[str, Any], versions: Mapping[str, str]
) -> list[Section]:
    """The table, the verdict, and on what machine."""
    total = spaced(sum(group.numbers for group in groups))
    rows = []
    for k, group in enumerate(groups):
        again = k > 0 and groups[k - 1].what == group.what
        what = Name("" if again else group.what, group.what)
        rows.append((what, *group[1:6], "" if group.passed else "missed"))
    table = replace(recorded(_COLUMNS, rows), words=(1,))
    of = ", ".join(f"{name} {text}" for name, text in versions.items() if name != "byte order")
    return apart(
        Words(f"{total} numbers beside references ({source['what']}); correct decimal digits:"),
        table,
        Words("\n".join(_findings(groups)), "given"),
        Words(of, "given"),
    )


def _digits(value: float) -> str:
    return f"{max(value, 0.0):.1f}"


_COLUMNS = (
    Column("number", "number"), Column("region", "for"), Column("numbers", "n"),
    Column("worst", "worst", _digits), Column("median", "median", _digits),
    Column("required", "required"), Column("verdict", ""),
)  # fmt: skip


def _findings(groups: Sequence[_Group]) -> list[str]:
    """What is missed, and by which number."""
    missed = [group for group in groups if not group.passed]
    if not missed:
        return ["Every number has the digits required."]
    rows = counted(len(missed), "row")
    lines = [f"Fewer digits than required in {rows}: please report it, with this text."]
    for group in missed:
        lines.append(f"{group.what}, {group.region}: {group.number} of {group.arguments}")
    return lines
