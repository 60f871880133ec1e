"""Mutation testing of the numerical core: which of the drawn changes no test notices.

    python tools/mutation/run.py                  # goes on where it stopped
    python tools/mutation/run.py --fresh          # forgets what was found (--seed N: another draw)
    python tools/mutation/run.py --again [FILE ...]    # survivors alone, by new tests alone
    python tools/mutation/run.py --unchanged      # no change: what noticed one must pass

The first call runs the suite once under coverage, to know which tests run which line. What was
found stands in results_*.csv, why survivors live in survivors.csv, what is drawn in settings.toml.
"""

from __future__ import annotations

import argparse
import collections
import compileall
import contextlib
import csv
import itertools
import json
import os
import shutil
import signal
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import attempt  # noqa: E402
import cover  # noqa: E402
from mutants import Mutant, difference, draw  # noqa: E402

FIELDS = (
    "number", "file", "line", "column", "definition", "operator", "occurrence", "before", "after",
    "outcome", "test", "tried", "seconds",
)  # fmt: skip
Row = dict[str, Any]
#: What is told of a mutant, the mutant (None: no change), its tests (None: by the map of lines).
Task = tuple[Row, Mutant | None, list[str] | None]
KILLED = {"killed", "timeout", "died"}
NOTHING: Row = {"test": "", "tried": 0, "seconds": 0, "before": "", "after": ""}
#: Seconds by the clock after which a mutant that waits for something is stopped.
PATIENCE = 180


def rows(results: Path) -> list[Row]:
    if not results.exists():
        return []
    with results.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(results: Path, found: Iterable[Row]) -> None:
    whole = results.with_suffix(".part")
    with whole.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, FIELDS, lineterminator="\n")
        table.writeheader()
        table.writerows(sorted(found, key=lambda row: int(row["number"])))
    whole.replace(results)  # whoever stops this finds all rows so far


class Runner:
    """Some mutants at a time, each in a fork of this process."""

    def __init__(self, settings: dict[str, Any], jobs: int) -> None:
        self.settings, self.jobs, self.cover = settings, jobs, cover.Cover(settings["rooms"])
        self.kills: dict[str, collections.Counter[str]] = collections.defaultdict(
            collections.Counter
        )
        self.folder = cover.WORK / f"run-{os.getpid()}"
        self.folder.mkdir(parents=True)
        self.running: dict[int, tuple[Row, Path, float]] = {}

    def tests(self, mutant: Mutant) -> list[str]:
        """By turns those that run much of the file and those that run little else.

        Cheap ones first, those of the same room, and those that noticed other changes of the file.
        """
        known, costs, breadth = self.kills[mutant.file], self.cover.costs, self.cover.breadth
        inside = self.cover.inside(mutant.file)
        room = "tests/" + mutant.file.split("/")[1]

        def ranked(power: int) -> list[str]:
            def rank(test: str) -> tuple[float, str]:
                about = inside[test] ** power / max(breadth[test], 1)
                about *= (1 + 5 * known[test]) * (2 if test.startswith(room) else 1)
                return -about / (costs[test] + 0.2), test

            return sorted(self.cover.tests(mutant), key=rank)

        turns = itertools.chain.from_iterable(zip(ranked(2), ranked(1), strict=True))
        own = list(dict.fromkeys(turns))
        return own if mutant.definition else [*self.settings["always"], *own]

    def _start(self, row: Row, mutant: Mutant | None, tests: list[str]) -> None:
        answer = self.folder / f"{row['number']}.json"
        child = os.fork()
        if child == 0:
            try:
                attempt.run(mutant, tests, self.cover.costs, self.settings, answer)
            finally:
                os._exit(1)
        self.running[child] = (row, answer, time.monotonic())

    def _ended(self) -> Iterator[Row]:
        """Rows of the children that have ended; those that wait for ever are stopped."""
        for child, (row, answer, begun) in list(self.running.items()):
            ended, _ = os.waitpid(child, os.WNOHANG)
            if not ended and time.monotonic() - begun < PATIENCE:
                continue
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            if not ended:
                os.waitpid(child, 0)
            del self.running[child]
            found = {"outcome": "timeout" if not ended else "died"} | NOTHING
            if answer.exists():
                found = json.loads(answer.read_text(encoding="utf-8"))
                answer.unlink()
            shutil.rmtree(answer.with_suffix(".tmp"), ignore_errors=True)
            if found["outcome"] == "killed":
                self.kills[row["file"]][found["test"]] += 1
            yield row | found

    def run(self, queue: Iterable[Task]) -> Iterator[Row]:
        """Rows as they come; whatever ends this ends the children too."""
        try:
            yield from self._rows(iter(queue))
        finally:
            for child in self.running:
                os.killpg(child, signal.SIGKILL)
            shutil.rmtree(self.folder, ignore_errors=True)

    def _rows(self, waiting: Iterator[Task]) -> Iterator[Row]:
        more = True
        while more or self.running:
            while more and len(self.running) < self.jobs:
                following = next(waiting, None)
                if following is None:
                    more = False
                    break
                row, mutant, tests = following
                tests = self.tests(mutant) if tests is None and mutant is not None else tests or []
                if tests:
                    self._start(row, mutant, tests)
                else:
                    yield row | {"outcome": "no test"} | NOTHING | _text(mutant)
            yield from self._ended()
            time.sleep(0.05)


def _text(mutant: Mutant | None) -> Row:
    """What stands there before and after the change."""
    if mutant is None:
        return {}
    before, after = difference(mutant.source, mutant.code())
    return {"before": before, "after": after}


def described(number: int, mutant: Mutant) -> Row:
    return {
        "number": number, "file": mutant.file, "line": mutant.line, "column": mutant.column,
        "definition": mutant.definition, "operator": mutant.operator,
        "occurrence": mutant.occurrence,
    }  # fmt: skip


def first_run(settings: dict[str, Any], results: Path, jobs: int) -> None:
    """Those drawn and not yet tried; what is no Python is no mutant."""
    done = rows(results)
    tried = {int(row["number"]) for row in done}
    runner = Runner(settings, jobs)

    def queue() -> Iterator[tuple[Row, Mutant, None]]:
        for number, mutant in enumerate(draw(settings)):
            if len(done) + len(runner.running) >= settings["drawn"]:
                return
            if number not in tried:
                yield described(number, mutant), mutant, None

    for row in runner.run(queue()):
        if row["outcome"] != "no Python":
            done.append(row)
            write(results, done)
        said = [row[name] for name in ("number", "outcome", "file", "line", "test", "seconds")]
        print(len(done), *said, flush=True)


def _same(row: Row, near: list[Mutant]) -> Mutant | None:
    """The mutant of a row, in its place or where the file has moved it."""
    for mutant in near:
        place = (mutant.line, mutant.column, mutant.occurrence)
        if place == tuple(int(row[name]) for name in ("line", "column", "occurrence")):
            lines = mutant.source.splitlines()
            if not row["before"] or lines[mutant.line - 1].strip() == row["before"]:
                return mutant
    for mutant in sorted(near, key=lambda m: abs(m.line - int(row["line"]))):
        if difference(mutant.source, mutant.code())[1] == row["after"]:
            return mutant
    return None


def again(settings: dict[str, Any], results: Path, jobs: int, tests: list[str]) -> None:
    """Survivors, found again by what they change; of these files of tests alone, if any."""
    done = {int(row["number"]): row for row in rows(results)}
    places: dict[tuple[str, ...], list[Mutant]] = collections.defaultdict(list)
    for mutant in draw(settings):
        places[mutant.file, mutant.definition, mutant.operator].append(mutant)
    runner = Runner(settings, jobs)

    def queue() -> Iterator[Task]:
        for number, row in list(done.items()):
            if row["outcome"] in KILLED:
                continue
            near = places[row["file"], row["definition"], row["operator"]]
            mutant = _same(row, near)
            if mutant is None:
                print("gone:", row["file"], row["line"], row["before"])
                continue
            own = [t for t in runner.tests(mutant) if not tests or t.partition("::")[0] in tests]
            if own:
                yield described(number, mutant), mutant, own

    for row in runner.run(queue()):
        if tests and row["outcome"] not in KILLED:
            continue
        done[int(row["number"])] = row
        write(results, done.values())
        print(
            *(row[name] for name in ("number", "outcome", "file", "line", "test", "seconds")),
            flush=True,
        )


def unchanged(settings: dict[str, Any], results: Path, jobs: int) -> int:
    """The tests that noticed a change, without any."""
    tests = sorted({row["test"] for row in rows(results) if row["outcome"] in KILLED} - {""})
    parts = [[t for t in tests if "::" in t][k::jobs] for k in range(jobs)]
    patient = settings | {"budget": 1e9, "slow": 600}
    queue = [({"number": k, "file": ""}, None, part) for k, part in enumerate(parts)]
    bad = [row for row in Runner(patient, jobs).run(queue) if row["outcome"] != "survived"]
    print(f"{len(tests)} tests, {bad or 'all pass'}")
    return len(bad)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--draw", default="all", help="which of the settings' draws")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--budget", type=float, help="seconds of a mutant, in place of the settings'"
    )
    parser.add_argument("--seed", type=int, help="another draw, afresh")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--again", action="store_true", help="survivors alone")
    what.add_argument("--fresh", action="store_true", help="forget what was found")
    what.add_argument("--unchanged", action="store_true", help="no change: the tests must pass")
    parser.add_argument("tests", nargs="*", help="new files of tests, to be tried --again alone")
    options = parser.parse_args()
    settings = tomllib.loads((HERE / "settings.toml").read_text(encoding="utf-8"))
    results = HERE / f"results_{options.draw}.csv"
    settings |= settings["draws"][options.draw]
    if options.again and settings.get("fair"):
        parser.error(
            f"draw {options.draw!r} is not tried again: its share would be a fair one no more"
        )
    settings |= {k: v for k in ("budget", "seed") if (v := getattr(options, k)) is not None}
    if options.fresh or options.seed is not None:
        results.unlink(missing_ok=True)
    if not list(cover.WORK.glob("costs*.json")):
        cover.measure()
    if options.tests:
        cover.measure(options.tests)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for folder in ("betaroc", "tests"):  # so that no child does
        compileall.compile_dir(str(HERE.parents[1] / folder), quiet=2)
    attempt.warm()
    if options.unchanged:
        return unchanged(settings, results, options.jobs)
    if options.again:
        again(settings, results, options.jobs, options.tests)
    else:
        first_run(settings, results, options.jobs)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
