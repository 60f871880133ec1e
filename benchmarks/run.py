"""Every timed benchmark, one after another, and all goals in one table.

    python benchmarks/run.py [--write] [SUBJECT ...]

About a quarter of an hour for all of them; --write puts the tables into results/.
"""

from __future__ import annotations

import argparse

import beta_auc
import empirical
import epc
import fits
import imports
import languages
import memory
from _common import Goal, report, table

SUBJECTS = {
    "imports": imports,
    "fits": fits,
    "beta_auc": beta_auc,
    "empirical": empirical,
    "epc": epc,
    "memory": memory,
    "languages": languages,
}


def summary(goals: list[Goal]) -> str:
    """What was to be reached, and what was."""
    rows = [[goal.what, goal.wanted, goal.measured, goal.verdict] for goal in goals]
    return table(["what", "goal", "measured", "verdict"], rows)


def main() -> None:
    """Run the subjects; each prints its tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write results/*.md")
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=", ".join(SUBJECTS))
    given = parser.parse_args()
    unknown = set(given.subjects) - set(SUBJECTS)
    if unknown:
        parser.error(f"no such subject: {', '.join(sorted(unknown))}; there are {list(SUBJECTS)}")
    chosen = given.subjects or list(SUBJECTS)
    goals = [goal for name in chosen for goal in SUBJECTS[name].main(write=given.write)]
    whole = given.write and chosen == list(SUBJECTS)
    report("Goals", summary(goals), "goals.md" if whole else None)


if __name__ == "__main__":
    main()
