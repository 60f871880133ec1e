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


def measure(tests: Iterable[str] = ()) -> None:
    """Run the suite, or new tests beside it, with the name of the test beside each line it runs."""
    WORK.mkdir(parents=True, exist_ok=True)
    tests, here = list(tests), str(Path(__file__).parent)
    number = len(list(WORK.glob("costs*.json")))
    files = {
        "PYTHONPATH": here, "BETAROC_COSTS": str(WORK / f"costs{number}.json"),
        "COVERAGE_FILE": str(WORK / f".coverage{number}"),
    }  # fmt: skip
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "costs"]
    command += ["-n", "0" if tests else "2", "--cov=betaroc", "--cov-branch"]
    command += ["--cov-context=test", "--cov-report=", *tests]
    subprocess.run(command, cwd=ROOT, check=False, env=os.environ | files)


class Cover:
    """Tests by line; those that fail without any change are left out."""

    def __init__(self, rooms: Iterable[str]) -> None:
        self.rooms = frozenset(rooms)
        self._data = [CoverageData(str(path)) for path in sorted(WORK.glob(".coverage*"))]
        for data in self._data:
            data.read()
        #: Seconds of each test that passes.
        self.costs: dict[str, float] = {}
        for path in sorted(WORK.glob("costs*.json")):
            self.costs |= json.loads(path.read_text(encoding="utf-8"))

    @functools.cache  # noqa: B019 - one object a process
    def _by_line(self, file: str) -> dict[int, set[str]]:
        found: dict[int, set[str]] = collections.defaultdict(set)
        for data in self._data:
            measured = next((f for f in data.measured_files() if f.endswith(file)), file)
            for line, contexts in data.contexts_by_lineno(measured).items():
                found[line] |= {c.rpartition("|")[0] for c in contexts} & self.costs.keys()
        return found

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
