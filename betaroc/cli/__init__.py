"""The command line: ``betaroc fit``, ``report``, ``epc``, ``compare``, ``study``, ``ensemble``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from betaroc.cli.classifiers import inclusion_of_files
from betaroc.cli.inputs import chosen_words, family_of, read_file
from betaroc.cli.options import (
    BAD_INPUT,
    SEED,
    as_options,
    band_arguments,
    interval_arguments,
    parser_of,
    system_names,
)
from betaroc.cli.study import run_study
from betaroc.core.errors import (
    BetarocError,
    DuplicateWarning,
    FitError,
    InputError,
    OutputError,
    ReversedScoresWarning,
)
from betaroc.core.notices import Notice, collected, keep, passed_on, warn
from betaroc.core.text import shown
from betaroc.data.scores import ScoreData
from betaroc.decision.comparison import Comparison, compare
from betaroc.decision.epc import Epc, epc
from betaroc.decision.pictures import draw_both
from betaroc.ensemble.sentences import inclusion_numbers
from betaroc.estimation.families import AUTO, BEST, Names, family_text
from betaroc.fits.estimate import fit
from betaroc.rendering.files import checked_target
from betaroc.rendering.numbers import path_words, visible
from betaroc.rendering.picture_files import picture_format, save_picture
from betaroc.report.analysis import Analysis, Judge, analyze_stepwise, fitted_set
from betaroc.report.compare import System, comparison_csv, comparison_numbers, comparison_text
from betaroc.report.epc import epc_csv, epc_numbers, epc_text
from betaroc.report.intervals import coarse_words
from betaroc.report.numbers import as_json, set_numbers
from betaroc.report.score_set import ScoreSet, warn_of_test
from betaroc.report.summary import mismatch_words
from betaroc.report.text import set_text

__all__ = ["main"]

DONE, FIT_FAILED, INTERRUPTED = 0, 1, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; by default those of the process.

    Returns
    -------
    int
        Exit code: 0 done, 1 the fit is impossible, 2 usage, input or output, 3 study with failed
        trials, 130 interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):  # a stream of the caller's own making
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    runs = {"fit": _fit, "report": _report, "epc": _epc, "compare": _compare, "study": _study,
            "ensemble": _ensemble}  # fmt: skip
    arguments = parser_of(runs).parse_args(argv)
    try:
        code: int | None = arguments.run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt as stop:
        _complain(str(stop) or "interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _discard_stdout()
        return BAD_INPUT
    except MemoryError as error:
        _complain(_memory_words(arguments, error))
        return BAD_INPUT
    except BetarocError as error:
        _complain(str(error), "--resample" if arguments.run is _compare else "--band")
        return FIT_FAILED if isinstance(error, FitError) else BAD_INPUT
    except OSError as error:  # of stdout; all others became BetarocErrors where they arose
        _discard_stdout()
        _complain(f"the standard output must be writable; the system says: {error.strerror}")
        return BAD_INPUT
    return code or DONE


def _memory_words(arguments: argparse.Namespace, error: MemoryError) -> str:
    """That the memory did not hold the call, and what would be held."""
    said = f" ({shown(str(error), 100)[1:-1]})" if str(error) else ""
    if arguments.run is _study:
        do = "Run it again to go on, with fewer --workers; or begin it with a smaller block"
    else:
        ways = {
            "stream": "--stream always for Parquet files", "replicates": "fewer --replicates",
            "systems": "fewer classifiers",
        }  # fmt: skip
        possible = [way for name, way in ways.items() if hasattr(arguments, name)]
        do = f"Pass {' or '.join(possible)}, or a random part of the rows"
    return f"the memory must hold the scores and what is computed; it does not{said}. {do}."


def _complain(message: str, resample: str = "--band") -> None:
    with suppress(OSError):
        print(f"betaroc: {visible(as_options(message, resample))}", file=sys.stderr)


def _discard_stdout() -> None:
    """What is still buffered must not fail a second time when the process ends."""
    with suppress(OSError, AttributeError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# --------------------------------------------------------------------------- commands
def _fit(arguments: argparse.Namespace) -> None:
    level, seed = interval_arguments(arguments)
    with collected() as notices, _Progress(2) as step:
        read = read_file(arguments.scores, arguments, step)
        judge = Judge(level, seed, checks=arguments.check)
        part = fitted_set("scores", read, _options(arguments, arguments.family), judge)
        reason = (part.fit and part.fit.reason) or chosen_words(arguments.family)
        step()
    messages = [*_messages(notices), *filter(None, [mismatch_words(part)])]
    if arguments.json:
        sys.stdout.write(as_json(_fit_document(part, reason, messages)))
    else:
        sys.stdout.write(set_text(part, reason) + "\n")
        _warn(messages)


def _fit_document(part: ScoreSet, reason: str, messages: list[str]) -> dict[str, Any]:
    numbers = set_numbers(part)
    rest = (
        "name", "source", "n_client", "n_impostor", "summary", "empirical", "distances",
        "intervals", "confidence", "fit_quality", "families", "sensitivity",
    )  # fmt: skip
    return {
        **numbers["fit"],
        "reason": reason,
        **{key: numbers[key] for key in rest if key in numbers},
        "warnings": messages,
    }


def _report(arguments: argparse.Namespace) -> None:
    _refuse_output(arguments.output, [arguments.dev, *arguments.test], force=arguments.force)
    _page_name(arguments.output)
    level, seed = interval_arguments(arguments)
    with _Progress(2 * (1 + len(arguments.test)) + 1) as step:
        analysis = _analysis(arguments, step, level, seed)
        analysis.to_html(arguments.output)
        step()
    _warn([notice.message for notice in analysis.notices])
    print(f"wrote {visible(arguments.output)}", file=sys.stderr)


def _epc(arguments: argparse.Namespace) -> None:
    banded = band_arguments(arguments)
    seed = None if banded is None else banded["rng"]
    paths = [arguments.dev, arguments.test]
    _checked_picture(arguments, paths)
    with collected() as notices, _Progress(3) as step:
        dev = read_file(arguments.dev, arguments, step, named=arguments.band == "both")
        test = read_file(arguments.test, arguments, step)
        with passed_on("dev and test: "):
            family, reason = family_of(arguments.family, [dev, test])
        curve, family, reason = _curve(arguments, family, reason, dev, test, "")
        band = None if banded is None else curve.band(**banded)
        seed = None if band is None or band.replicates == 0 else seed
        if arguments.output is not None:
            draw = partial(curve.plot, band=band, expected=True, a_posteriori=True)
            save_picture(draw, arguments.output)
        step()
    messages = _messages(notices)
    if arguments.json:
        numbers = epc_numbers(curve, dev, test, band)
        if band is not None:
            numbers["band"]["seed"] = seed
        chosen = {"family": family, "reason": _chosen_by(family, reason), "warnings": messages}
        sys.stdout.write(as_json(numbers | chosen))
        return
    if arguments.csv:
        messages += coarse_words([("dev", dev), ("test", test)])
        sys.stdout.write(epc_csv(curve, dev, test, band, seed))
    else:
        by = _chosen_words(family, reason)
        sys.stdout.write(epc_text(curve, dev, test, by, band, seed) + "\n")
    _warn(messages)


def _compare(arguments: argparse.Namespace) -> None:
    names = system_names(arguments)
    _checked_picture(arguments, [*arguments.dev, *arguments.test])
    level, seed = interval_arguments(arguments)
    if arguments.unpaired and arguments.id is not None:
        raise InputError(
            "--id says which trials of two systems belong together; with --unpaired none do. Leave"
            " one of them out."
        )
    if arguments.measure is None:
        weighted = arguments.criterion == "weighted-error"
        arguments.measure = "weighted-error" if weighted else "hter"
    with collected() as notices, _Progress(6) as step:
        files = zip(arguments.dev, arguments.test, strict=True)
        read = [
            [
                read_file(dev, arguments, step, named=arguments.resample == "both"),
                read_file(test, arguments, step),
            ]
            for dev, test in files
        ]
        if not arguments.unpaired:
            _refuse_other_trials(arguments.test, [test for _, test in read])
        if read[0] == read[1]:
            warn(
                "both systems have the same scores on dev and on test: this is one system given"
                " twice. Name the files of the other.",
                DuplicateWarning,
            )
        chosen = [family_of(arguments.family, pair) for pair in read]  # each on its own scale
        found = [
            _curve(arguments, *pair, dev, test, f"{name}: ")
            for name, pair, (dev, test) in zip(names, chosen, read, strict=True)
        ]
        curves = [curve for curve, _, _ in found]
        chosen = [(family, reason) for _, family, reason in found]
        comparison = _compared(arguments, curves, level, seed)
        step()
        if arguments.output is not None:
            shapes = [visible(name) for name in names]
            save_picture(partial(draw_both, comparison, names=shapes), arguments.output)
        step()
    messages = _messages(notices)
    systems = [System(name, *pair) for name, pair in zip(names, read, strict=True)]
    if arguments.json:
        further = {
            "seed": seed,
            "families": [family for family, _ in chosen],
            "reasons": [_chosen_by(*pair) for pair in chosen],
            "warnings": messages,
        }
        sys.stdout.write(as_json(comparison_numbers(comparison, systems) | further))
        return
    if arguments.csv:
        sides = [(f"{s.name}, {r}", getattr(s, r)) for s in systems for r in ("dev", "test")]
        messages += coarse_words(sides)
        sys.stdout.write(comparison_csv(comparison, systems, seed))
    else:
        by = [_chosen_words(*pair) for pair in chosen]
        sys.stdout.write(comparison_text(comparison, systems, by, seed) + "\n")
    _warn(messages)


def _study(arguments: argparse.Namespace) -> int:
    return run_study(arguments, SEED)


def _ensemble(arguments: argparse.Namespace) -> None:
    _checked_picture(arguments, [*arguments.scores, *arguments.dev])
    with collected() as notices, _Progress(3) as step:
        result = inclusion_of_files(arguments, step)
        if arguments.output is not None:
            save_picture(lambda: result.plot().axes[0], arguments.output)
        step()
    messages = _messages(notices)
    if arguments.json:
        further = {"seed": arguments.seed, "warnings": messages}
        sys.stdout.write(as_json(inclusion_numbers(result) | further))
        return
    sys.stdout.write(f"{result}\n")
    _warn(messages)


def _curve(
    arguments: argparse.Namespace,
    family: Names,
    reason: str,
    dev: ScoreData,
    test: ScoreData,
    prefix: str,
) -> tuple[Epc, Names, str]:
    """The curve of one system, by its scores or by their fit; the family fitted and why."""
    with passed_on(f"{prefix}dev: "):
        fitted = fit(dev, **_options(arguments, family))
    # The fit has said it of dev; of test it is said below.
    with passed_on(prefix, but=(ReversedScoresWarning,)):
        curve = epc(
            dev if family == "empirical" else fitted,
            test,
            criterion=arguments.criterion,
            measure=arguments.measure,
            alpha=arguments.alpha,
        )
    with passed_on(f"{prefix}test: "):
        warn_of_test(test)
    return curve, fitted.family, fitted.reason if family == BEST else reason


def _chosen_by(family: Names, reason: str) -> str:
    return "dev's scores themselves" if family == "empirical" else reason


def _chosen_words(family: Names, reason: str) -> str:
    own = _chosen_by(family, reason)
    if family == "empirical":
        return own
    single = isinstance(family, str)
    return (
        f"a {family} fit of dev, {reason}" if single else f"{family_text(family)} of dev, {reason}"
    )


# ------------------------------------------------------------------------ two systems
def _compared(
    arguments: argparse.Namespace, curves: Sequence[Epc], level: float, seed: int
) -> Comparison:
    """The comparison as it was asked for."""
    return compare(
        *curves, resample=arguments.resample, paired=not arguments.unpaired, level=level,
        replicates=arguments.replicates, rng=seed,
    )  # fmt: skip


def _refuse_other_trials(paths: Sequence[str], tests: Sequence[ScoreData]) -> None:
    """Paired decisions need one list of trials; here the files are named."""
    for who in ("client", "impostor"):
        first, second = (getattr(scores, f"n_{who}") for scores in tests)
        if first != second:
            raise InputError(
                "both --test files must hold the same trials in one order;"
                f" {path_words(paths[0])} has {first} {who} scores, {path_words(paths[1])}"
                f" {second}. Keep the common trials, or pass --unpaired if the systems judged"
                " different ones."
            )


def _messages(notices: Sequence[Notice]) -> list[str]:
    return [as_options(notice.message) for notice in notices]


def _warn(messages: Sequence[str]) -> None:
    for message in messages:
        print(f"warning: {visible(message)}", file=sys.stderr)


def _analysis(
    arguments: argparse.Namespace, step: Callable[[], None], level: float, seed: int
) -> Analysis:
    """Read, choose the family, analyse; every warning as text, once."""
    names = _distinct(arguments.test)
    with collected() as notices:
        dev = read_file(arguments.dev, arguments, step)
        tests = [read_file(path, arguments, step) for path in arguments.test]
        named = dict(zip(names, tests, strict=True))
        options = _options(arguments, arguments.family)
        analysis = analyze_stepwise(dev, named, options, step, level=level, rng=seed)
    chosen = arguments.family in (AUTO, BEST)
    found = replace(analysis, reason=analysis.reason if chosen else chosen_words(arguments.family))
    keep(found, [notice._replace(message=as_options(notice.message)) for notice in notices])
    return found


def _options(arguments: argparse.Namespace, family: Names) -> dict[str, Any]:
    return {
        "family": family,
        "boundary": arguments.boundary,
        "resolution": arguments.resolution,
    }


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


def _checked_picture(arguments: argparse.Namespace, inputs: Sequence[str]) -> None:
    """The picture's name and place, before any work."""
    if arguments.output is None:
        if arguments.force:
            raise InputError("--force must stand beside -o, the file it may replace. Add -o OUT.")
        return
    picture_format(arguments.output)
    _refuse_output(arguments.output, inputs, force=arguments.force)


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
