"""``betaroc completion``: completion of commands, options and files in a shell."""

from __future__ import annotations

import argparse
import sys
from typing import Any, cast

from betaroc.cli.messages import examples
from betaroc.estimation.families import AUTO, BEST, FAMILIES
from betaroc.model.statistics import STATISTICS

#: Placeholders of files and of folders in the options of every command.
_FILES = {"CONFIG", "DEV", "FILE", "KEY", "OUT", "SCORES", "TEST"}
_FOLDERS = {"FOLDER"}
#: Placeholders of names that are checked later than by the parser.
_NAMES = {"FAMILY": (AUTO, BEST, *FAMILIES), "STAT": tuple(STATISTICS)}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    examples(
        parser,
        'eval "$(betaroc completion bash)"',
        "betaroc completion bash > ~/.local/share/bash-completion/completions/betaroc",
        "betaroc completion zsh > ~/.zfunc/_betaroc",
    )
    parser.add_argument("shell", choices=("bash", "zsh"), metavar="SHELL", help="bash or zsh")


def run(arguments: argparse.Namespace) -> None:
    """Print what the shell reads."""
    import shtab

    parser = arguments.parser
    for command in parser.commands.values():
        command.learn()
        for action in cast(list[Any], command._actions):
            value = action.metavar
            places = {value} if isinstance(value, str) else set(value or ())
            if places & {*_FILES, *_FOLDERS}:
                action.complete = shtab.FILE if places & _FILES else shtab.DIRECTORY
            elif places & _NAMES.keys():
                action.choices = _NAMES[value]
    sys.stdout.write(shtab.complete(parser, arguments.shell) + "\n")
