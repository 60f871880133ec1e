"""``betaroc report``: an HTML page on dev and on the tests."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from betaroc.cli.inputs import chosen_words, files_of, read_file
from betaroc.cli.messages import ProgressBar, examples, in_options, say_warnings
from betaroc.cli.options import (
    fit_options_of,
    in_terms,
    interval_arguments,
    interval_options,
    refuse_page,
    score_options,
    statistic_option,
    tail_options,
    terms_option,
)
from betaroc.cli.systems import SystemFiles, named_systems, system_options
from betaroc.core.errors import InputError
from betaroc.core.notices import collected, keep
from betaroc.core.terms import terms_of
from betaroc.core.text import shown
from betaroc.estimation.families import AUTO, BEST
from betaroc.model.asking import askings
from betaroc.rendering.files import checked_target, write_whole
from betaroc.rendering.numbers import percent, threshold, visible
from betaroc.rendering.page_frame import page_frame
from betaroc.report.analysis import Analysis, analyze_stepwise
from betaroc.report.page import render_body
from betaroc.report.record import AnalysisRecord, foot, name, request_of
from betaroc.report.summary import marked, statuses

__all__ = ["add_options", "run"]

#: So many systems stand open on a page.
_OPEN = 8
#: Of a page within a page: headings, and ids with what refers to them.
_LEVELS, _IDS = (
    re.compile(r"(</?h)([1-5])\b"),
    re.compile(r'(\b(?:id|for|aria-labelledby)="|\bhref="#|url\(#)'),
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc report --dev dev.csv --test eval.csv -o report.html",
        "betaroc report --dev dev.csv --test a.csv b.csv --statistic tpr@far=0.01 -o report.html",
        "betaroc report --system mlp dev.csv eval.csv --system svm dev_b.csv eval_b.csv"
        " -o report.html",
        "betaroc report --dev big.parquet --test eval.parquet --stream always -o report.html",
    )
    option = parser.add_argument
    option("--dev", metavar="DEV", help="score file to fit")
    option("--test", nargs="+", action="extend", default=[], metavar="TEST",
        help="score files on which dev's thresholds are tried; may be repeated")  # fmt: skip
    system_options(parser)
    option("-o", "--output", required=True, metavar="OUT", help="HTML file to write")
    option("--force", action="store_true", help="replace OUT if it exists")
    option("--target", metavar="T",
        help="what the threshold is for: far=0.01, frr=0.01, eer, or cost_fa=10,cost_fr=1"
        " (default: far=0.01)")  # fmt: skip
    statistic_option(parser)
    interval_options(parser, "of every interval in the report")
    score_options(parser, "best", dev="DEV", test="TEST")
    tail_options(parser)
    terms_option(parser)


def run(arguments: argparse.Namespace) -> None:
    """Analyse, and write the page."""
    systems = named_systems(arguments)
    files = [path for one in systems for path in (one.dev, *one.tests)]
    if not systems:
        files = [path for role in ("dev", "test") for path in files_of(arguments, role)]
    refuse_page(arguments.output, files, force=arguments.force)
    level, seed = interval_arguments(arguments)
    askings(arguments.statistic, "statistic")
    request_of(arguments.target, level)
    if systems:
        _run_several(systems, arguments, level, seed)
        return
    tests: list[str | None] = [*arguments.test]
    tests += [None] * (arguments.test_client_file is not None)
    with ProgressBar(2 * (1 + len(tests)) + 1) as step:
        analysis = _analysis(arguments.dev, tests, arguments, step, level, seed)
        analysis.to_html(arguments.output)
        step()
    say_warnings(
        [in_terms(notice.message, arguments, words=analysis.words) for notice in analysis.notices]
    )
    print(f"wrote {visible(arguments.output)}", file=sys.stderr)


def _run_several(
    systems: Sequence[SystemFiles], arguments: argparse.Namespace, level: float, seed: int
) -> None:
    """One page: a table, then every system."""
    steps = 2 * sum(1 + len(one.tests) for one in systems) + 1
    analyses: dict[str, Analysis] = {}
    with ProgressBar(steps) as step:
        for system in systems:
            files = system.dev, system.tests
            analyses[system.name] = _analysis(*files, arguments, step, level, seed)
        checked_target(arguments.output)
        write_whole(arguments.output, _of_systems(analyses))
        step()
    for called, analysis in analyses.items():
        words = analysis.words
        say_warnings([
            f"{called}: {in_terms(notice.message, arguments, [called], words=words)}"
            for notice in analysis.notices
        ])  # fmt: skip
    print(f"wrote {visible(arguments.output)}", file=sys.stderr)


def _analysis(
    dev: str | None, tests: Sequence[str | None], arguments: argparse.Namespace,
    step: Callable[[], None], level: float, seed: int,
) -> Analysis:  # fmt: skip
    """Read, choose the family, analyse; every warning as text, once.

    Without a path the scores are those of two files.
    """
    names = _distinct([arguments.test_client_file if path is None else path for path in tests])
    with collected() as notices:
        own = read_file(dev, arguments, step)
        read = [read_file(path, arguments, step, is_test=True) for path in tests]
        named = dict(zip(names, read, strict=True))
        options = fit_options_of(arguments, arguments.family)
        analysis = analyze_stepwise(
            own, named, options, step, level=level, rng=seed, statistics=arguments.statistic,
            terms=arguments.terms, target=arguments.target,
        )  # fmt: skip
    chosen = arguments.family in (AUTO, BEST)
    found = replace(analysis, reason=analysis.reason if chosen else chosen_words(arguments.family))
    said = [n._replace(message=in_options(n.message, arguments)) for n in notices]
    keep(found, said)
    return found


def _distinct(paths: Sequence[str]) -> list[str]:
    """File names, or paths where names repeat."""
    if len({os.path.abspath(path) for path in paths}) < len(paths):
        raise InputError(
            f"--test must name each file once; got {shown(list(paths))}. Leave the second out."
        )
    names = [Path(path).name for path in paths]
    return names if len(set(names)) == len(names) else list(paths)


# --------------------------------------------------------------------- a page of several
def _of_systems(analyses: Mapping[str, AnalysisRecord]) -> str:
    """A table of all systems, then the page of each within one."""
    from markupsafe import escape

    first = next(iter(analyses.values()))
    rows = [
        row | {"place": f"system{k}"}
        for k, item in enumerate(analyses.items())
        for row in _system_rows(*item)
    ]
    checked = list(dict.fromkeys(of for row in rows for of in row["fit"]))
    kept = {str(escape(row[key])) for row in rows for key in ("system", "whole", "test")}
    table = terms_of(first.terms).said(_template().render(rows=rows, checked=checked), kept)
    parts = []
    for k, (system, analysis) in enumerate(analyses.items()):
        inner = _LEVELS.sub(lambda tag: f"{tag[1]}{int(tag[2]) + 1}", render_body(analysis))
        inner = _IDS.sub(rf"\g<1>system{k}-", inner)
        title = f"<summary><strong>{escape(name(system).whole)}</strong></summary>"
        state = " open" if len(analyses) <= _OPEN else ""
        parts.append(f'<details id="system{k}"{state}>\n{title}\n{inner}</details>\n')
    title = f"betaroc: {len(analyses)} systems"
    return page_frame(title, f"{table}\n{''.join(parts)}", foot(first))


def _template() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("betaroc", "cli"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template("systems.html.j2")


def _system_rows(system: str, analysis: AnalysisRecord) -> list[dict[str, Any]]:
    """A row a test; one without rates of test where there is none."""
    point, called = marked(analysis.points), name(system)
    dev = [percent(point.observed[0].far), percent(point.observed[0].frr)]
    common = {
        "system": called.short, "whole": called.whole,
        "fit": {one.of: one.verdict for one in statuses(analysis.dev)},
        "threshold": threshold(point.expected.threshold, point.expected.logit_threshold, 4),
    }  # fmt: skip
    seen = zip(analysis.tests, point.observed[1:], strict=True)
    rows = [
        {"test": name(part.name).short, "rates": [*dev, percent(at.far), percent(at.frr)]}
        for part, at in seen
    ]
    return [common | row for row in rows or [{"test": "none", "rates": [*dev, "", ""]}]]
