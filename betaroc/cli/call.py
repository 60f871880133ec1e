"""A call: its parser, and how it ends."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

from betaroc.cli.messages import examples, in_options, remark
from betaroc.core import errors, process, text, vocabulary
from betaroc.rendering.numbers import version, visible

#: Exit codes; a command may have others.
DONE, FIT_FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130
#: What needs less memory, by the option that a command has.
_LESS_MEMORY = {"workers": "fewer --workers", "stream": "--stream always",
                "replicates": "fewer --replicates", "systems": "fewer classifiers"}  # fmt: skip
#: Groups of options that --help leaves to --help-all, as `options` calls them.
_LEFT_OUT = ("further options", "reading files")

_REST = """\
A score file has a header line score,label with label 1 for clients and 0 (or -1) for impostors;
other columns and labels are named by options. Its separator, its decimals and formats without
a header are found from its content, and the output says what was found.
Higher scores are more client-like; accepted is what is greater than the threshold.

betaroc COMMAND --help shows the options and examples of a command.

exit codes: 0 done, 1 the fit is impossible or a self-test missed digits,
2 usage, input or output, 3 study with failed trials, 130 interrupted,
143 terminated"""


class Parser(argparse.ArgumentParser):
    """Of all commands, or of one that is loaded when called."""

    #: Of all: the parsers of the commands by name. Of one: what loads it.
    commands: Mapping[str, Parser]
    load: Callable[[], Any] | None = None

    def __init__(self, **options: Any) -> None:
        raw = argparse.RawDescriptionHelpFormatter
        super().__init__(formatter_class=raw, allow_abbrev=False, **options)

    def learn(self) -> None:
        """Load the command, once: its options and its examples."""
        if self.load is None:
            return
        command, self.load = self.load(), None
        command.add_options(self)
        self.set_defaults(run=command.run)
        places = [str(action.metavar or action.dest) for action in self._get_positional_actions()]
        self.usage = " ".join([self.prog, "[options]", *places])
        if any(group.title in _LEFT_OUT for group in self._action_groups):
            self.add_argument("--help-all", action=_HelpAll, help="all options")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Learn, then parse; what is left over is an error."""
        self.learn()
        parsed, left = super().parse_known_args(args, namespace)
        if left:
            options = [option for action in self._actions for option in action.option_strings]
            hint = ". Name score files by --dev and --test" if "--dev" in options else ""
            if left[0].startswith("-"):
                hint = f". {text.did_you_mean(left[0].partition('=')[0], options)}".rstrip(" .")
            self.error(f"unrecognized arguments: {' '.join(left)}{hint}")
        return parsed, left

    def print_help(self, file: Any = None) -> None:
        """The options that most calls need."""
        for group in self._action_groups:
            for action in group._group_actions if group.title in _LEFT_OUT else ():
                action.help = argparse.SUPPRESS
        super().print_help(file)

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is not None and file is sys.stdout:
            file.write(message)
        else:
            super()._print_message(message, file)

    def error(self, message: str) -> NoReturn:
        """On lines that hold nothing a terminal would obey."""
        if message.endswith(": COMMAND"):
            message = "a command must be given; betaroc --help names them, betaroc demo is a start"
        short = re.sub(r"'[^']{61,}'", lambda value: f"{value[0][:57]}...", message)
        remark(f"{self.prog}: {visible(short)}\n{self.prog} --help shows the options")
        self.exit(BAD_INPUT)


class _HelpAll(argparse._HelpAction):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        argparse.ArgumentParser.print_help(parser)
        parser.exit()


def call(
    argv: Sequence[str] | None, commands: Mapping[str, str], load: Callable[[str], Any]
) -> int:
    """Run a command and say what went wrong; the exit code."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):  # a stream of the caller's own making
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    arguments, message, code = argparse.Namespace(), "", BAD_INPUT
    try:
        try:
            arguments = _parser_of(commands, load).parse_args(argv)
        except SystemExit:  # a help that nobody can read is an error of the standard output
            if sys.stdout is not None:
                sys.stdout.flush()
            raise
        if sys.stdout is None:  # closed by the caller
            message = "the standard output must be writable; it is closed. Open it."
        else:
            process.set_working(True)
            code = arguments.run(arguments) or DONE
            sys.stdout.flush()
    except KeyboardInterrupt as stop:
        message, code = str(stop) or "interrupted", INTERRUPTED
    except MemoryError as error:
        remedies = [way for option, way in _LESS_MEMORY.items() if hasattr(arguments, option)]
        message = (
            f"the memory must hold the scores and what is computed; the system says:"
            f" {str(error) or 'no'}. Pass {' or '.join([*remedies, 'a random part of the rows'])}."
        )
    except errors.BetarocError as error:
        message = in_options(error.template, arguments, error.argument)
        code = FIT_FAILED if isinstance(error, errors.FitError) else BAD_INPUT
    except OSError as error:  # of stdout; all others became BetarocErrors where they arose
        # What is still buffered must not fail a second time when the process ends.
        with suppress(OSError, AttributeError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = BAD_INPUT
        if not isinstance(error, BrokenPipeError):  # of which nobody would read
            message = f"the standard output must be writable; the system says: {error.strerror}"
    finally:
        process.set_working(False)
    if message:
        remark(f"betaroc: {visible(vocabulary.DEFAULT.fill(message))}")
    return code


def _parser_of(commands: Mapping[str, str], load: Callable[[str], Any]) -> Parser:
    parser = Parser(
        prog="betaroc", description="From score files to theoretical ROCs and what they say."
    )
    examples(
        parser,
        "betaroc demo",
        "betaroc threshold dev.csv --far 0.01 --test eval.csv",
        "betaroc report --dev dev.csv --test eval.csv -o report.html",
        "betaroc plan tpr@far=0.01 --width 0.1 --from dev.csv",
        rest=_REST,
    )
    parser.add_argument("--version", action="version", version=f"betaroc {version()}")
    rows = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, summary in commands.items():
        row = rows.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        row.load = partial(load, name)
    parser.commands = rows.choices
    parser.set_defaults(parser=parser)
    return parser
