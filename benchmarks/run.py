"""Every timed benchmark, one after another, and all goals in one table.

    python benchmarks/run.py [--write] [SUBJECT ...]

About a quarter of an hour for all of them; --write puts the tables into results/.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context

from _common import Goal, report, table

SUBJECTS = (
    "imports", "fits", "beta_auc", "empirical", "epc", "memory", "read_csv", "languages", "study",
)  # fmt: skip


def summary(goals: list[Goal]) -> str:
    """What was to be reached, and what was."""
    rows = [[goal.what, goal.wanted, goal.measured, goal.verdict] for goal in goals]
    return table(["what", "goal", "measured", "verdict"], rows)


def goals_of(name: str, *, write: bool) -> list[Goal]:
    """Run one subject."""
    found: list[Goal] = import_module(name).main(write=write)
    return found


def main() -> None:
    """Run the subjects; each prints its tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write results/*.md")
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=", ".join(SUBJECTS))
    given = parser.parse_args()
    unknown = set(given.subjects) - set(SUBJECTS)
    if unknown:
        parser.error(f"no such subject: {', '.join(sorted(unknown))}; there are {SUBJECTS}")
    chosen = tuple(given.subjects) or SUBJECTS
    goals = []
    for name in chosen:
        # A process of its own: what is left in memory, and the allocator, would change the next.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
            goals += alone.submit(goals_of, name, write=given.write).result()
    whole = given.write and chosen == SUBJECTS
    report("Goals", summary(goals), "goals.md" if whole else None)


if __name__ == "__main__":
    main()
