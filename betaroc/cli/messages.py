"""The output of the command line, in the form asked for."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from shlex import quote
from shutil import get_terminal_size
from typing import Any

from betaroc.core import local_files, process, vocabulary
from betaroc.core.notices import Notice
from betaroc.rendering import files, numbers, tree_html, tree_text
from betaroc.rendering.document import json_text, plain
from betaroc.rendering.tree import Node, Paragraph, map_text

#: What the help of a command ends with.
_MORE = "betaroc --help describes score files and exit codes."

#: Terms of Python that are no option and its value here.
_OTHERWISE = {
    "Give Scores, or take": "Pass --stream never or",
    "Give epc the ScoreSummary itself, a fit of Scores,": "Pass --family empirical,",
    "Fit Scores (all rows, or a random part of them)": "Pass --stream never or a part of the rows",
    "Take Scores: all rows, or a random part of them.": "Pass --stream never.",
    "header=True": "--header",
    "header=False": "--no-header",
    "paired=True": "a paired comparison",
    ", or take paired=False": ", or take --unpaired",
    "paired=False": "--unpaired",
    'nan_policy="omit"': "--missing drop",
}


#: Arguments that name the score files of one system.
FILE_ARGUMENTS = ("file", "dev", "test", "client_file", "impostor_file", "test_client_file",
         "test_impostor_file")  # fmt: skip


def named_files(arguments: argparse.Namespace, further: Iterable[str] = ()) -> dict[str, str]:
    """By path what results call the score files of a call."""
    names = (*FILE_ARGUMENTS, "files", "pilot", "system_files")
    value = (getattr(arguments, name, None) or [] for name in names)
    paths = (path for item in value for path in ([item] if isinstance(item, str) else item))
    return local_files.file_names([*paths, *further])


def examples(parser: argparse.ArgumentParser, *lines: str, rest: str = _MORE) -> None:
    """Whole lines of a shell, which the help ends with."""
    parser.epilog = "\n".join(["examples:", *(f"  {line}" for line in lines), "", rest])


def in_options(message: str, arguments: argparse.Namespace, argument: str | None = None) -> str:
    """A message with options in place of the arguments of functions.

    ``argument`` is the one that an error is about.
    """
    template = vocabulary.template_of(message)
    value = argument is not None and getattr(arguments, argument, None) is not None
    if value and template.startswith(f"{argument} must "):
        template = vocabulary.worded(f"`{argument}`") + template.removeprefix(f"{argument}")
    unended = template.endswith(f"=...{vocabulary.ARGUMENT_END}")
    text = vocabulary.with_arguments(template, partial(_option, arguments=arguments))
    return f"{text} COLUMN." if unended else text


def _option(term: str, arguments: argparse.Namespace) -> str:
    name, _, value = term.partition("=")
    if name == "resample":
        name, value = name if hasattr(arguments, name) else "band", value.strip('"')
    if term in _OTHERWISE or not hasattr(arguments, name):
        return _OTHERWISE.get(term, term)
    option = f"--{name.replace('_', '-')}"
    value = quote(value[1:-1]) if value[:1] == value[-1:] == "'" else value
    return option if value.startswith(("...", " (")) or not value else f"{option} {value}"


def messages(notices: list[Notice], arguments: argparse.Namespace) -> list[str]:
    """The texts of notices, which are taken out."""
    texts = [in_options(notice.message, arguments) for notice in notices]
    notices.clear()
    return texts


# ------------------------------------------------------------------------- what was found
def say(
    arguments: argparse.Namespace, document: Callable[[], Any], tree: Callable[[], Sequence[Node]],
    warned: Sequence[str] = (), words: vocabulary.ClassWords | None = None, *,
    about: Sequence[str] = (), page: tuple[str, str, str] | None = None,
) -> None:  # fmt: skip
    """The result as JSON, text, CSV or LaTeX; then the warnings.

    First as a page with a title, a kind and a question where --html names one; `about` is what was
    read.
    """
    spoken = partial(in_terms, arguments=arguments, words=words)
    if page is not None and arguments.html is not None:
        nodes, foot = [map_text(node, spoken) for node in tree()], f"betaroc {numbers.version()}."
        title, kind, question = page
        html = tree_html.page_of(f"betaroc: {title}", kind, about, question, nodes, [], foot)
        files.write_whole(arguments.html, html)
    if getattr(arguments, "markdown", None):
        summary = tree_text.markdown_of(map_text(node, spoken) for node in tree())
        files.append_text(arguments.markdown, f"{summary}\n\n")
    if arguments.json:
        sys.stdout.write(json_text(plain(document())))
        return
    sections = [*tree(), *[Paragraph("\n".join(about), "given")] * bool(about)]
    grid = tree_text.kept_grid(sections)
    if grid.kept and getattr(arguments, "csv", False):
        sys.stdout.write(tree_text.csv_table(grid.kept))
    elif grid.kept and getattr(arguments, "latex", False):
        comments = tree_text.latex_comments(map_text(section, spoken) for section in sections)
        sys.stdout.write(comments + tree_text.latex_grid(map_text(grid, spoken)))
    else:
        signs = (sys.stdout.encoding or "utf-8").lower().startswith("utf")  # in memory: all
        terminal = tree_text.Terminal(get_terminal_size().columns, signs, process.shows_colours())
        text = tree_text.text_of([map_text(section, spoken) for section in sections], terminal)
        sys.stdout.write("".join(f"{line.rstrip()}\n" for line in text.split("\n")))
    say_warnings(map(spoken, warned))


def in_terms(
    text: str, arguments: argparse.Namespace, words: vocabulary.ClassWords | None = None
) -> str:  # fmt: skip
    """A text in the words of field, classes and options."""
    terms = vocabulary.TERMS[getattr(arguments, "terms", vocabulary.BIOMETRIC)]
    text = in_options(text, arguments)
    return vocabulary.Vocabulary(terms, words or vocabulary.ClassWords()).fill(text)


def say_warnings(texts: Iterable[str]) -> None:
    """Print warnings, one per line."""
    for text in texts:
        remark(f"warning: {numbers.visible(vocabulary.DEFAULT.fill(text))}")


def remark(line: str) -> None:
    """A line on standard error, if it is open."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(line, file=sys.stderr)


@contextmanager
def progress_bar(total: int) -> Iterator[Callable[[], object]]:
    """A bar on a terminal, once the work has taken a second."""
    if not process.shows_progress():
        yield lambda: None
        return
    from tqdm import tqdm

    with tqdm(total=total, unit="step", delay=1.0, leave=False, file=sys.stderr) as bar:
        yield bar.update
