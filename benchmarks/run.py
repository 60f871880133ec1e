"""Every timed benchmark, one after another: ``python benchmarks/run.py [--write]``."""

from __future__ import annotations

import argparse

import epc


def main() -> None:
    """Run the subjects; each prints its tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write results/*.md")
    given = parser.parse_args()
    for subject in (epc,):
        subject.main(write=given.write)


if __name__ == "__main__":
    main()
