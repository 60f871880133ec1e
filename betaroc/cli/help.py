"""``betaroc help``: what a score file looks like, and the options that say how it is read."""

from __future__ import annotations

import argparse
import sys

from betaroc.cli import call, messages, options


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    messages.examples(parser, "betaroc help files")
    parser.add_argument("topic", choices=("files",), metavar="TOPIC", help="files")


def run(_: argparse.Namespace) -> None:
    """Print the topic."""
    parser = call.Parser(prog="betaroc COMMAND", description=call.FILES, add_help=False, usage="")
    options.reading_options(parser)
    sys.stdout.write(parser.format_help().partition("\n\n")[2])
