"""A call: the parser, which loads no command but the one called, and how the call ends."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import Any, NoReturn

from betaroc.cli.messages import complain, examples, in_options, remark
from betaroc.core.errors import BetarocError, FitError
from betaroc.core.process import allow_progress, begin_work, end_work
from betaroc.core.text import nearest, shown
from betaroc.rendering.numbers import version, visible

#: Exit codes; a command may have others.
DONE, FIT_FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130

#: Bytes of memory for a byte of a score file: measured on CSV and Parquet, read and fitted.
_TIMES = 10

#: Options that hold names of what is in files, and no path.
_NAMES = ("score", "label", "client_label", "identities", "id", "columns", "group", "name")

_FILES = """\
A score file has a header line score,label with label 1 for clients and 0 (or -1) for impostors;
other columns and labels are named by the options. Its separator, its decimals and formats without
a header are told by its content; "reading files" in the help of a command names what says them.
Higher scores are more client-like; accepted is what is greater than the threshold.

betaroc COMMAND --help shows the options and examples of a command.

exit codes: 0 done, 1 the fit is impossible or a self-test missed digits,
2 usage, input or output, 3 study with failed trials, 130 interrupted,
143 terminated"""


class _Parser(argparse.ArgumentParser):
    """Argument errors on lines that hold nothing a terminal would obey."""

    #: By name the parsers of the commands.
    commands: Mapping[str, _CommandParser] = MappingProxyType({})

    def __init__(self, **options: Any) -> None:
        raw = argparse.RawDescriptionHelpFormatter
        super().__init__(formatter_class=raw, allow_abbrev=False, **options)

    def _print_message(self, message: str, file: Any = None) -> None:
        """As argparse, which holds its tongue where the standard output cannot be written."""
        if file is not None and file is sys.stdout:
            file.write(message)
        else:
            super()._print_message(message, file)

    def error(self, message: str) -> NoReturn:
        if message.endswith(": COMMAND"):
            message = "a command must be given; betaroc --help names them, betaroc demo is a start"
        said = re.sub(r"'[^']{61,}'", lambda value: f"{value[0][:57]}...", message)
        remark(f"{self.prog}: {visible(said)}\n{self.prog} --help shows the options")
        self.exit(BAD_INPUT)


class _CommandParser(_Parser):
    """The parser of a command, which learns its options when it is called."""

    load: Callable[[], Any]
    _learned = False

    def learn(self) -> None:
        """Load the command, once: its options and its examples."""
        if self._learned:
            return
        self._learned = True
        command = self.load()
        command.add_options(self)
        self.set_defaults(run=command.run)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Learn, then parse; what is left over is an error of this command."""
        self.learn()
        found, left = super().parse_known_args(args, namespace)
        if left:
            self.error(f"unrecognized arguments: {' '.join(left)}{self._meant(left[0])}")
        return found, left

    def _meant(self, left: str) -> str:
        """What to write instead: the option of that name nearly, or those that name files."""
        options = [one for action in self._actions for one in action.option_strings]
        if left.startswith("-"):
            return f". {nearest(left.partition('=')[0], options)}".rstrip(" .")
        return ". Name score files by --dev and --test" if "--dev" in options else ""


def call(
    argv: Sequence[str] | None, commands: Mapping[str, str], load: Callable[[str], Any]
) -> int:
    """Run one of the commands and say what went wrong; the exit code."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):  # a stream of the caller's own making
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    arguments = argparse.Namespace()
    try:
        arguments = _parsed(_parser_of(commands, load), argv)
        if sys.stdout is None:  # closed by the caller
            complain(
                "the standard output must be writable; it is closed. Open it, or name /dev/null."
            )
            return BAD_INPUT
        allow_progress(not getattr(arguments, "json", False))
        begin_work()
        code: int | None = arguments.run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt as stop:
        complain(str(stop) or "interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # nobody reads any more, nor would a message help
        _discard_stdout()
        return BAD_INPUT
    except MemoryError as error:
        complain(_memory_words(arguments, error))
        return BAD_INPUT
    except BetarocError as error:
        complain(in_options(error.sentence, arguments, error.argument))
        return FIT_FAILED if isinstance(error, FitError) else BAD_INPUT
    except OSError as error:  # of stdout; all others became BetarocErrors where they arose
        _discard_stdout()
        complain(f"the standard output must be writable; the system says: {error.strerror}")
        return BAD_INPUT
    finally:
        end_work()
        allow_progress(True)
    return code or DONE


def _parsed(parser: _Parser, argv: Sequence[str] | None) -> argparse.Namespace:
    """The options; a help that nobody can read any more is an error of the standard output."""
    try:
        return _with_names(parser.parse_args(argv))
    except SystemExit:
        if sys.stdout is not None:
            sys.stdout.flush()
        raise


def _with_names(arguments: argparse.Namespace) -> argparse.Namespace:
    """The options, with names of columns, labels and systems in the UTF-8 that was typed.

    Where the locale knows ASCII alone Python holds other bytes as surrogates; paths need them.
    """
    for option, value in vars(arguments).items():
        if option in _NAMES or (option == "systems" and isinstance(value, list)):
            setattr(arguments, option, _typed(value))
    for named in getattr(arguments, "system", None) or ():
        named[0] = _typed(named[0])
    return arguments


def _typed(value: Any) -> Any:
    if isinstance(value, list):
        return [_typed(item) for item in value]
    if not isinstance(value, str) or not any("\udc80" <= sign <= "\udcff" for sign in value):
        return value
    return os.fsencode(value).decode("utf-8", "surrogateescape")


def _parser_of(commands: Mapping[str, str], load: Callable[[str], Any]) -> _Parser:
    parser = _Parser(
        prog="betaroc",
        description="From score files to theoretical ROCs and what they say.",
    )
    examples(
        parser,
        "betaroc demo",
        "betaroc threshold dev.csv --far 0.01 --test eval.csv",
        "betaroc report --dev dev.csv --test eval.csv -o report.html",
        "betaroc plan tpr@far=0.01 --width 0.1 --from dev.csv",
        rest=_FILES,
    )
    parser.add_argument("--version", action="version", version=f"betaroc {version()}")
    rows = parser.add_subparsers(
        title="commands", required=True, metavar="COMMAND", parser_class=_CommandParser
    )
    for name, what in commands.items():
        row = rows.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.")
        row.load = partial(load, name)
    parser.commands = rows.choices
    parser.set_defaults(parser=parser)
    return parser


def _memory_words(arguments: argparse.Namespace, error: MemoryError) -> str:
    """That the memory did not hold the call, and what would be held."""
    said = f" ({shown(str(error), 100)[1:-1]})" if str(error) else ""
    if hasattr(arguments, "workers"):
        do = "Run it again to go on, with fewer --workers; or begin it with a smaller block"
    else:
        ways = {
            "stream": "--stream always", "replicates": "fewer --replicates",
            "systems": "fewer classifiers",
        }  # fmt: skip
        possible = [way for name, way in ways.items() if hasattr(arguments, name)]
        do = f"Pass {' or '.join(possible)}, or a random part of the rows"
    size = _bytes_of(vars(arguments).values())
    much = ""
    if size:
        about = max(1, round(_TIMES * size / 1e6))
        much = f", of which the files have {size} bytes and take about {about} MB or more"
    return f"the memory must hold the scores{much}, and what is computed; it does not{said}. {do}."


def _bytes_of(values: Iterable[Any]) -> int:
    """What the files that options name have in all."""
    size = 0
    for value in values:
        if isinstance(value, list | tuple):
            size += _bytes_of(value)
        elif isinstance(value, str):
            with suppress(OSError, ValueError):
                size += os.path.getsize(value) * os.path.isfile(value)
    return size


def _discard_stdout() -> None:
    """What is still buffered must not fail a second time when the process ends."""
    with suppress(OSError, AttributeError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
