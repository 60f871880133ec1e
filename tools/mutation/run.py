"""Mutation testing of the numerical core: which of the drawn changes no test notices.

    python tools/mutation/run.py                  # goes on where it stopped
    python tools/mutation/run.py --fresh          # forgets what was found (--seed N: another draw)
    python tools/mutation/run.py --again          # survivors alone, after new tests
    python tools/mutation/run.py --unchanged      # no change: what noticed one must pass

The first call runs the suite once under coverage, to know which tests run which line. What was
found stands in results.csv, why survivors live in survivors.csv, what is drawn in settings.toml.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import csv
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

RESULTS = HERE / "results.csv"
FIELDS = (
    "number", "file", "line", "column", "definition", "operator", "occurrence", "before", "after",
    "outcome", "test", "tried", "seconds",
)  # fmt: skip
KILLED = {"killed", "timeout", "died"}
Row = dict[str, Any]
NOTHING: Row = {"test": "", "tried": 0, "seconds": 0, "before": "", "after": ""}
#: Seconds by the clock after which a mutant that waits for something is stopped.
PATIENCE = 180


def rows() -> list[Row]:
    if not RESULTS.exists():
        return []
    with RESULTS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(found: Iterable[Row]) -> None:
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, FIELDS, lineterminator="\n")
        table.writeheader()
        table.writerows(sorted(found, key=lambda row: int(row["number"])))


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

    def _tests(self, mutant: Mutant) -> list[str]:
        """First those that are about the file, are cheap, or noticed others of its changes."""
        known, costs, breadth = self.kills[mutant.file], self.cover.costs, self.cover.breadth
        inside = self.cover.inside(mutant.file)
        own = "tests/" + mutant.file.split("/")[1]

        def rank(test: str) -> tuple[float, str]:
            about = inside[test] ** 2 / breadth[test] if breadth[test] else 0.0
            about *= (1 + 5 * known[test]) * (2 if test.startswith(own) else 1)
            return -about / (costs[test] + 0.2), test

        return sorted(self.cover.tests(mutant), key=rank)

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

    def run(self, queue: Iterable[tuple[Row, Mutant | None, list[str] | None]]) -> Iterator[Row]:
        waiting = iter(queue)
        more = True
        while more or self.running:
            while more and len(self.running) < self.jobs:
                following = next(waiting, None)
                if following is None:
                    more = False
                    break
                row, mutant, tests = following
                tests = self._tests(mutant) if tests is None and mutant is not None else tests or []
                if tests:
                    self._start(row, mutant, tests)
                else:
                    yield row | {"outcome": "no test"} | NOTHING | _text(mutant)
            yield from self._ended()
            time.sleep(0.05)
        shutil.rmtree(self.folder, ignore_errors=True)


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


def first_run(settings: dict[str, Any], jobs: int) -> None:
    """Those drawn and not yet tried; what is no Python is no mutant."""
    done = rows()
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
            write(done)
        said = [row[name] for name in ("number", "outcome", "file", "line", "test", "seconds")]
        print(len(done), *said, flush=True)


def again(settings: dict[str, Any], jobs: int) -> None:
    """Survivors, found again by what they change."""
    done = {int(row["number"]): row for row in rows()}
    places: dict[tuple[str, ...], list[Mutant]] = collections.defaultdict(list)
    for mutant in draw(settings):
        places[mutant.file, mutant.definition, mutant.operator].append(mutant)

    def queue() -> Iterator[tuple[Row, Mutant, None]]:
        for number, row in list(done.items()):
            if row["outcome"] in KILLED:
                continue
            near = places[row["file"], row["definition"], row["operator"]]
            for mutant in sorted(near, key=lambda m: abs(m.line - int(row["line"]))):
                if difference(mutant.source, mutant.code())[1] == row["after"]:
                    yield described(number, mutant), mutant, None
                    break
            else:
                print("gone:", row["file"], row["line"], row["before"])

    for row in Runner(settings, jobs).run(queue()):
        done[int(row["number"])] = row
        write(done.values())
        print(
            *(row[name] for name in ("number", "outcome", "file", "line", "test", "seconds")),
            flush=True,
        )


def unchanged(settings: dict[str, Any], jobs: int) -> int:
    """The tests that noticed a change, without any."""
    tests = sorted({row["test"] for row in rows() if row["outcome"] in KILLED} - {""})
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
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--budget", type=float, help="seconds of a mutant, in place of the settings'"
    )
    parser.add_argument("--seed", type=int, help="another draw, afresh")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--again", action="store_true", help="survivors alone")
    what.add_argument("--fresh", action="store_true", help="forget what was found")
    what.add_argument("--unchanged", action="store_true", help="no change: the tests must pass")
    options = parser.parse_args()
    settings = tomllib.loads((HERE / "settings.toml").read_text(encoding="utf-8"))
    settings |= {k: v for k in ("budget", "seed") if (v := getattr(options, k)) is not None}
    if options.fresh or options.seed is not None:
        RESULTS.unlink(missing_ok=True)
    if not (cover.WORK / "costs.json").exists():
        cover.measure()
    attempt.warm()
    if options.unchanged:
        return unchanged(settings, options.jobs)
    (again if options.again else first_run)(settings, options.jobs)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
