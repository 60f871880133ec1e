"""Which tests run a line and what they cost, from one run of the suite under coverage."""

from __future__ import annotations

import collections
import functools
import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from coverage import CoverageData
from mutants import ROOT, Mutant

WORK = ROOT / "build" / "mutation"


def measure() -> None:
    """Run the suite once, with the name of the test beside each line that it runs."""
    WORK.mkdir(parents=True, exist_ok=True)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "-p",
        "no:cacheprovider",
        "-p",
        "costs",
    ]
    command += ["--cov=betaroc", "--cov-branch", "--cov-context=test", "--cov-report="]
    subprocess.run(command, cwd=ROOT, check=False, env=_environment())


def _environment() -> dict[str, str]:
    return {
        **os.environ, "PYTHONPATH": str(Path(__file__).parent),
        "BETAROC_COSTS": str(WORK / "costs.json"), "COVERAGE_FILE": str(WORK / ".coverage"),
    }  # fmt: skip


class Cover:
    """Tests by line; those that fail without any change are left out."""

    def __init__(self, rooms: Iterable[str]) -> None:
        self.rooms = frozenset(rooms)
        self._data = CoverageData(str(WORK / ".coverage"))
        self._data.read()
        #: Seconds of each test that passes.
        self.costs: dict[str, float] = json.loads((WORK / "costs.json").read_text(encoding="utf-8"))

    @functools.cache  # noqa: B019 - one object a process
    def _by_line(self, file: str) -> dict[int, set[str]]:
        measured = next((f for f in self._data.measured_files() if f.endswith(file)), file)
        found = self._data.contexts_by_lineno(measured)
        names = {line: {c.rpartition("|")[0] for c in contexts} for line, contexts in found.items()}
        return {line: tests & self.costs.keys() for line, tests in names.items()}

    def _of_lines(self, file: str, lines: Iterable[int]) -> set[str]:
        by_line = self._by_line(file)
        return set().union(*(by_line.get(line, set()) for line in lines))

    def _of_names(self, mutant: Mutant) -> set[str]:
        found = set()
        files = _files() if mutant.reach.everywhere else {mutant.file: _files()[mutant.file]}
        words = re.compile(r"\b(" + "|".join(map(re.escape, mutant.reach.names)) + r")\b")
        for file, text in files.items():
            if file == mutant.file or re.search(rf"import[^#]*?{words.pattern}", text):
                lines = [k for k, line in enumerate(text.splitlines(), 1) if words.search(line)]
                found |= self._of_lines(
                    file, [k for k in lines if file != mutant.file or k != mutant.line]
                )
        return found

    @functools.cached_property
    def breadth(self) -> collections.Counter[str]:
        """How many lines of the mutated rooms a test runs: the fewer, the more it is about each."""
        files = [file for file in _files() if file.split("/")[1] in self.rooms]
        return sum((self.inside(file) for file in files), collections.Counter())

    @functools.cache  # noqa: B019 - one object a process
    def inside(self, file: str) -> collections.Counter[str]:
        """How many lines of a file a test runs."""
        return collections.Counter(itertools.chain(*self._by_line(file).values()))

    def tests(self, mutant: Mutant) -> set[str]:
        """Those that could notice it."""
        found: set[str] = set()
        for first, last in mutant.reach.spans:
            found = found or self._of_lines(mutant.file, range(first, last + 1))
        if mutant.reach.names:
            found = self._of_names(mutant)
        return found


@functools.cache
def _files() -> dict[str, str]:
    paths = sorted((ROOT / "betaroc").rglob("*.py"))
    return {p.relative_to(ROOT).as_posix(): p.read_text(encoding="utf-8") for p in paths}
