"""One mutant in a process of its own, forked from one that has loaded all but the package."""

from __future__ import annotations

import importlib
import itertools
import json
import os
import resource
import signal
import time
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
from mutants import ROOT, Mutant, difference

#: What the package and its tests load; threads of other libraries do not survive a fork.
WARM = (
    "numpy", "scipy.stats", "scipy.optimize", "scipy.special", "scipy.integrate",
    "scipy.interpolate", "pandas", "formulaic", "statsmodels.api", "doctest",
    "mpmath", "hypothesis", "matplotlib.figure", "narwhals", "jinja2",
)  # fmt: skip
#: Files of tests a call of pytest, and tests of each: most mutants fall to the first few.
CALLS, OF_EACH = (3, 6, 12), 15
MEMORY = 6 << 30


def warm() -> None:
    for name in WARM:
        importlib.import_module(name)


def _install(file: str, code: str) -> None:
    """Let the import system find the changed text in place of the file's."""
    path, plain = str(ROOT / file), SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, name: str) -> CodeType | None:
        if self.path == path:
            return compile(code, path, "exec", dont_inherit=True)
        return plain(self, name)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]


class Watcher:
    """A plugin of pytest that notes what fails first and stops when the time is up."""

    def __init__(self, settings: dict[str, Any], costs: dict[str, float], answer: Path) -> None:
        self.settings, self.costs, self.answer = settings, costs, answer
        self.outcome, self.test, self.tried, self.over = "survived", "", 0, False
        self.before, self.after = "", ""
        self.begun = time.process_time()
        signal.signal(signal.SIGPROF, self._late)
        self._allow("")

    def _allow(self, test: str) -> None:
        self.current = test
        limit = self.settings["slow"] + self.settings["times"] * self.costs.get(test, 1.0)
        signal.setitimer(signal.ITIMER_PROF, limit)

    def _late(self, *_: Any) -> None:
        self.note("timeout", self.current)
        self.write()
        os._exit(0)

    def note(self, outcome: str, test: str) -> None:
        if self.outcome == "survived":
            self.outcome, self.test = outcome, test

    def write(self) -> None:
        seconds = round(time.process_time() - self.begun, 2)
        found = {
            "outcome": self.outcome, "test": self.test, "tried": self.tried, "seconds": seconds,
            "before": self.before, "after": self.after,
        }  # fmt: skip
        self.answer.write_text(json.dumps(found), encoding="utf-8")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.tried += 1
        self._allow(nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.note("killed", report.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.note("killed", report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        done = yield
        self._allow("")
        if time.process_time() - self.begun > self.settings["budget"]:
            self.over = True
            item.session.shouldstop = "the time of this mutant is up"
        return done


def _calls(tests: list[str]) -> Iterator[list[str]]:
    """The first tests of the first files, of the next, and all others: files take time to load."""
    files: dict[str, list[str]] = {}
    for test in tests:
        files.setdefault(test.partition("::")[0], []).append(test)
    names, done = iter(files), set()
    for many in CALLS:
        chunk = [t for name in itertools.islice(names, many) for t in files[name][:OF_EACH]]
        if chunk:
            yield chunk
        done.update(chunk)
    if rest := [test for test in tests if test not in done]:
        yield rest


def run(
    mutant: Mutant | None,
    tests: list[str],
    costs: dict[str, float],
    settings: dict[str, Any],
    answer: Path,
) -> None:
    """In the child: try the tests, write what happened, and end the process."""
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.chdir(ROOT)
    watcher = Watcher(settings, costs, answer)
    if mutant is not None:
        code = mutant.code()
        watcher.before, watcher.after = difference(mutant.source, code)
        try:
            compile(code, mutant.file, "exec", dont_inherit=True)
        except SyntaxError:
            watcher.note("no Python", "")
        _install(mutant.file, code)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    # Plain asserts: pytest's own loader, which rewrites them, would read the unchanged file.
    options = ["-x", "-q", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:faulthandler"]
    options += [f"--basetemp={answer.with_suffix('.tmp')}"]
    for chunk in _calls(tests):
        if watcher.over or watcher.outcome != "survived":
            break
        end = pytest.main([*options, *chunk], plugins=[watcher])
        if end not in {
            pytest.ExitCode.OK,
            pytest.ExitCode.TESTS_FAILED,
            pytest.ExitCode.INTERRUPTED,
        }:
            watcher.note(f"error {int(end)}", chunk[0])
    signal.setitimer(signal.ITIMER_PROF, 0)
    watcher.write()
    os._exit(0)
