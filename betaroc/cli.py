"""The command line: ``betaroc fit``, ``betaroc report`` and ``betaroc epc``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from betaroc._words import shown
from betaroc.analysis import Analysis, Part, analyze_quietly, fitted_part
from betaroc.analysis.epc import epc_csv, epc_numbers, epc_text
from betaroc.analysis.format import version, visible
from betaroc.analysis.numbers import as_json, part_numbers
from betaroc.analysis.output import checked_target
from betaroc.analysis.parts import Note, noted
from betaroc.analysis.text import part_text
from betaroc.criteria import CRITERIA
from betaroc.errors import BetarocError, FitError, InputError, OutputError
from betaroc.expected_performance import epc
from betaroc.fitting import fit
from betaroc.fitting.boundary import POLICIES
from betaroc.fitting.estimate import FAMILIES
from betaroc.io import FORMATS, read_scores
from betaroc.measures import MEASURES
from betaroc.plot import plot_epc
from betaroc.plot.files import picture_format, save_picture
from betaroc.scores import Scores

__all__ = ["main"]

DONE, FIT_FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130

_EXAMPLES = """examples:
  betaroc fit dev.csv
  betaroc fit scores.tsv --label class --client-label genuine --family normal
  betaroc fit dev.csv --json
  betaroc report --dev dev.csv --test eval1.csv eval2.csv -o report.html
  betaroc epc --dev dev.csv --test eval.csv -o epc.svg
  betaroc epc --dev dev.csv --test eval.csv --criterion far --measure frr --alpha 0.01 0.05

A score file has a header line score,label with label 1 for clients and 0 (or -1) for impostors;
other columns and labels are named by the options. The 2-, 4- and 5-column text of bob.measure
needs none. Higher scores are more client-like; accepted is what is greater than the threshold.

exit codes: 0 done, 1 the fit is impossible, 2 usage, input or output, 130 interrupted"""


class _Parser(argparse.ArgumentParser):
    """Argument errors on lines that hold nothing a terminal would obey."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(BAD_INPUT, f"{self.prog}: {visible(message)}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; by default those of the process.

    Returns
    -------
    int
        Exit code: 0 done, 1 the fit is impossible, 2 usage, input or output, 130 interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):  # a stream of the caller's own making
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    arguments = _parser().parse_args(argv)
    try:
        arguments.run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _discard_stdout()
        return BAD_INPUT
    except BetarocError as error:
        _complain(str(error))
        return FIT_FAILED if isinstance(error, FitError) else BAD_INPUT
    except OSError as error:  # of stdout; all others became BetarocErrors where they arose
        _discard_stdout()
        _complain(f"the standard output must be writable; the system says: {error.strerror}")
        return BAD_INPUT
    return DONE


def _complain(message: str) -> None:
    with suppress(OSError):
        print(f"betaroc: {visible(message)}", file=sys.stderr)


def _discard_stdout() -> None:
    """What is still buffered must not fail a second time when the process ends."""
    with suppress(OSError, AttributeError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# -------------------------------------------------------------------------- arguments
def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="betaroc",
        description="From score files to theoretical ROCs and what they say.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"betaroc {version()}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    fit = _command(commands, "fit", "fit both classes of a score file and describe the ROC", _fit)
    fit.add_argument("scores", metavar="SCORES", help="score file")
    fit.add_argument("--json", action="store_true", help="one JSON document on standard output")
    report = _command(commands, "report", "write a self-contained HTML report", _report)
    report.add_argument("--dev", required=True, metavar="DEV", help="score file to fit")
    report.add_argument(
        "--test", nargs="+", action="extend", default=[], metavar="TEST",
        help="score files on which dev's thresholds are met; may be repeated",
    )  # fmt: skip
    report.add_argument("-o", "--output", required=True, metavar="OUT", help="HTML file to write")
    report.add_argument("--force", action="store_true", help="replace OUT if it exists")
    curve = _command(commands, "epc", "choose thresholds on dev, meet their errors on test", _epc)
    _epc_options(curve)
    for command, family in ((fit, "auto"), (report, "auto"), (curve, "empirical")):
        _shared_options(command, family)
    return parser


def _epc_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dev", required=True, metavar="DEV", help="scores to choose on")
    parser.add_argument("--test", required=True, metavar="TEST", help="scores to meet")
    parser.add_argument(
        "--criterion", default="weighted-error", choices=tuple(CRITERIA), metavar="C",
        help=f"what a threshold is chosen for: {', '.join(CRITERIA)} (default: weighted-error)",
    )  # fmt: skip
    measures = (*MEASURES, "weighted-error")
    parser.add_argument(
        "--measure", default="hter", choices=measures, metavar="M",
        help=f"what is met: {', '.join(measures)} (default: hter)",
    )  # fmt: skip
    parser.add_argument(
        "--alpha", nargs="+", action="extend", type=float, metavar="A",
        help="the criterion's weights or targets in [0, 1] (default: 0, 0.01, ..., 1)",
    )  # fmt: skip
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON document on standard output")
    form.add_argument("--csv", action="store_true", help="one row an alpha on standard output")
    parser.add_argument("-o", "--output", metavar="OUT", help="picture to write, .svg or .png")
    parser.add_argument("--force", action="store_true", help="replace OUT if it exists")


def _command(
    commands: Any, name: str, what: str, run: Callable[[argparse.Namespace], None]
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=what,
        description=what[0].upper() + what[1:] + ".",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(run=run)
    return parser


def _shared_options(parser: argparse.ArgumentParser, family: str) -> None:
    parser.add_argument(
        "--family", default=family,
        choices=("auto", *FAMILIES),
        help="law to fit (default: %(default)s); auto is beta where every score of the call lies"
        " in [0, 1], else normal; empirical is the scores themselves",
    )  # fmt: skip
    parser.add_argument("--score", default="score", metavar="COLUMN", help="column of the scores")
    parser.add_argument("--label", default="label", metavar="COLUMN", help="column of the labels")
    parser.add_argument("--client-label", metavar="LABEL", help="label of the clients")
    parser.add_argument(
        "--format", choices=FORMATS,
        help="format of the files (default: what their content shows)",
    )  # fmt: skip
    parser.add_argument(
        "--boundary", choices=POLICIES,
        help="what to do with scores of exactly 0 and 1 (default: inflate, with a warning)",
    )  # fmt: skip
    parser.add_argument(
        "--resolution", type=float, metavar="R", help="scores were rounded to multiples of R"
    )


# --------------------------------------------------------------------------- commands
def _fit(arguments: argparse.Namespace) -> None:
    notes: list[Note] = []
    with noted(notes), _Progress(2) as step:
        read = _read(arguments.scores, arguments, step)
        family, reason = _family(arguments.family, [read])
        part = fitted_part("scores", read, _options(arguments, family), notes)
        step()
    messages = [note.message for note in notes]
    if arguments.json:
        sys.stdout.write(as_json(_fit_document(part, reason, messages)))
    else:
        sys.stdout.write(part_text(part, reason) + "\n")
        _warn(messages)


def _fit_document(part: Part, reason: str, messages: list[str]) -> dict[str, Any]:
    numbers = part_numbers(part)
    rest = ("name", "source", "n_client", "n_impostor", "empirical", "distances")
    return {
        **numbers["fit"],
        "reason": reason,
        **{key: numbers[key] for key in rest},
        "warnings": messages,
    }


def _report(arguments: argparse.Namespace) -> None:
    _refuse_output(arguments.output, [arguments.dev, *arguments.test], force=arguments.force)
    _page_name(arguments.output)
    with _Progress(2 * (1 + len(arguments.test)) + 1) as step:
        analysis = _analysis(arguments, step)
        analysis.to_html(arguments.output)
        step()
    _warn(analysis.warnings)
    print(f"wrote {visible(arguments.output)}", file=sys.stderr)


def _epc(arguments: argparse.Namespace) -> None:
    paths = [arguments.dev, arguments.test]
    if arguments.output is not None:
        picture_format(arguments.output)
        _refuse_output(arguments.output, paths, force=arguments.force)
    notes: list[Note] = []
    with noted(notes), _Progress(3) as step:
        dev, test = [_read(path, arguments, step) for path in paths]
        family, reason = _family(arguments.family, [dev, test])
        if family == "empirical":
            reason = "dev's scores themselves"
        with noted(notes, "dev: "):
            fitted = fit(dev, **_options(arguments, family))
        curve = epc(
            dev if family == "empirical" else fitted,
            test,
            criterion=arguments.criterion,
            measure=arguments.measure,
            alpha=arguments.alpha,
        )
        if arguments.output is not None:
            draw = partial(plot_epc, curve, expected=True, a_posteriori=True)
            save_picture(draw, arguments.output)
        step()
    messages = [note.message for note in notes]
    if arguments.json:
        numbers = epc_numbers(curve, dev, test)
        chosen = {"family": family, "reason": reason, "warnings": messages}
        sys.stdout.write(as_json(numbers | chosen))
        return
    if arguments.csv:
        sys.stdout.write(epc_csv(curve, dev, test))
    else:
        by = reason if family == "empirical" else f"a {family} fit of dev, {reason}"
        sys.stdout.write(epc_text(curve, dev, test, by) + "\n")
    _warn(messages)


def _warn(messages: Sequence[str]) -> None:
    for message in messages:
        print(f"warning: {visible(message)}", file=sys.stderr)


def _analysis(arguments: argparse.Namespace, step: Callable[[], None]) -> Analysis:
    """Read, choose the family, analyse; every warning as text, once."""
    notes: list[Note] = []
    names = _distinct(arguments.test)
    with noted(notes):
        dev, *tests = [_read(path, arguments, step) for path in (arguments.dev, *arguments.test)]
    family, reason = _family(arguments.family, [dev, *tests])
    named = dict(zip(names, tests, strict=True))
    analysis, found = analyze_quietly(dev, named, _options(arguments, family), step)
    messages = tuple(note.message for note in (*notes, *found))
    return replace(analysis, reason=reason, warnings=messages)


def _options(arguments: argparse.Namespace, family: str) -> dict[str, Any]:
    return {
        "family": family,
        "boundary": arguments.boundary,
        "resolution": arguments.resolution,
    }


def _read(path: str, arguments: argparse.Namespace, step: Callable[[], None]) -> Scores:
    scores = read_scores(
        path,
        score=arguments.score,
        label=arguments.label,
        client_label=arguments.client_label,
        format=arguments.format,
    )
    step()
    return scores


def _family(asked: str, read: Sequence[Scores]) -> tuple[str, str]:
    """The family and why; only here is one chosen, and it is said."""
    if asked != "auto":
        return asked, f"asked for with --family {asked}"
    outside = sum(int(((x < 0.0) | (x > 1.0)).sum()) for s in read for x in (s.client, s.impostor))
    total = sum(s.n_client + s.n_impostor for s in read)
    if outside:
        return "normal", f"chosen because {outside} of {total} scores lie outside [0, 1]"
    return "beta", f"chosen because all {total} scores lie in [0, 1]"


def _distinct(paths: Sequence[str]) -> list[str]:
    """File names, or paths where names repeat."""
    if len({os.path.abspath(path) for path in paths}) < len(paths):
        raise InputError(
            f"--test must name each file once; got {shown(list(paths))}. Leave the second out."
        )
    names = [Path(path).name for path in paths]
    return names if len(set(names)) == len(names) else list(paths)


def _page_name(output: str) -> None:
    """A report is one HTML page in a file; standard output carries none."""
    if Path(output).suffix.lower() not in (".html", ".htm"):
        raise InputError(
            f"-o must be a file that ends in .html or .htm; got {shown(output)}. Name it so: the"
            " report is an HTML page."
        )


def _refuse_output(output: str, inputs: Sequence[str], *, force: bool) -> None:
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


class _Progress:
    """A bar on a terminal, once the work has taken a second."""

    def __init__(self, total: int) -> None:
        self._bar: Any = None
        if sys.stderr is not None and sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(total=total, delay=1.0, leave=False, file=sys.stderr, unit="step")

    def __enter__(self) -> Callable[[], None]:
        return self._step

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def _step(self) -> None:
        if self._bar is not None:
            self._bar.update()
