"""Run the Python blocks of Markdown pages and put what they print beneath them.

A page is executed from top to bottom in one namespace, in a temporary folder
that holds a copy of ``examples/data``; warnings are errors. A block is

* fenced as ``python`` (shown), or an HTML comment ``<!-- python ... -->`` (hidden),

and what it prints stands right after it, either fenced as ``text`` or, where it
prints Markdown such as a table, between ``<!-- begin output -->`` and
``<!-- end output -->``. A block that prints must have such a place; no number
in it is typed by hand. ``python docs/build.py [PAGE ...]`` rewrites the pages;
the tests check that this would change nothing.

A page that needs pictures, or results of a study, names the scripts that make them:
``<!-- made by: SCRIPT [ARGUMENT ...] -->``, paths from the root of the project. They are
run first for a page that is named, so that one command makes it from scratch.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[1]

_BLOCK = re.compile(
    r"^(?:```python\n(?P<shown>.*?)^```$|<!-- python\n(?P<hidden>.*?)^-->$)"
    r"(?P<place>\n+(?:```text\n(?P<text>.*?)^```$"
    r"|<!-- begin output -->\n(?P<markdown>.*?)^<!-- end output -->$))?",
    re.MULTILINE | re.DOTALL,
)
_MADE_BY = re.compile(r"^<!-- made by: (.*) -->$", re.MULTILINE)


class PageError(Exception):
    """A page that cannot be run."""


def pages() -> list[Path]:
    """The README and every page of the documentation."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def regenerated(page: Path) -> str:
    """The text of a page with the printed results as they come out now."""
    source = page.read_text(encoding="utf-8")
    if not _BLOCK.search(source):
        return source
    namespace: dict[str, object] = {"__name__": "__page__"}

    def run(block: re.Match[str]) -> str:
        kind = "hidden" if block["shown"] is None else "shown"
        line = source.count("\n", 0, block.start(kind))
        # Blank lines put the page's own line numbers into tracebacks.
        code = compile("\n" * line + block[kind], str(page), "exec", dont_inherit=True)
        out = io.StringIO()
        narrow = mock.patch.dict(os.environ, {"COLUMNS": "100"})
        with contextlib.redirect_stdout(out), narrow:
            exec(code, namespace)
        return _with_output(block, out.getvalue(), f"{page.name}, line {line}")

    os.environ.setdefault("MPLBACKEND", "Agg")
    with _scratch_folder(), warnings.catch_warnings():
        warnings.simplefilter("error")
        return _BLOCK.sub(run, source)


def _with_output(block: re.Match[str], printed: str, where: str) -> str:
    if block["place"] is None:
        if printed:
            raise PageError(f"{where}: the block prints, but no output block follows it")
        return block[0]
    if not printed:
        raise PageError(f"{where}: an output block follows, but nothing is printed")
    printed = "\n".join(part.rstrip() for part in printed.rstrip().split("\n")) + "\n"
    kind = "markdown" if block["text"] is None else "text"
    if kind == "markdown":  # a table needs an empty line on either side
        printed = f"\n{printed}\n"
    start, end = (position - block.start() for position in block.span(kind))
    return block[0][:start] + printed + block[0][end:]


@contextlib.contextmanager
def _scratch_folder() -> Iterator[None]:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples" / "data", Path(folder, "examples", "data"))
        before = Path.cwd()
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def makers(page: Path) -> list[list[str]]:
    """The scripts, with their arguments, that make what a page shows beside its own blocks."""
    return [shlex.split(line) for line in _MADE_BY.findall(page.read_text(encoding="utf-8"))]


def _make(page: Path) -> None:
    found = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    environment = {"MPLBACKEND": "Agg", **os.environ, "PYTHONPATH": found}
    for command in makers(page):
        subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, check=True)


def main(arguments: list[str]) -> None:
    """Make and rewrite the pages named, or rewrite all."""
    sys.path.insert(0, str(ROOT))
    named = [Path(name).resolve() for name in arguments]
    missing = [str(page) for page in named if not page.is_file()]
    if missing:
        sys.exit(f"{__doc__}\nno such page: {', '.join(missing)}")
    for page in named:
        _make(page)
    for page in named or pages():
        before, after = page.read_text(encoding="utf-8"), regenerated(page)
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(f"rewritten: {page}")


if __name__ == "__main__":
    main(sys.argv[1:])
