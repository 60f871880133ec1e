"""What an import costs: whole processes in turn, as ratios to `import numpy`.

python benchmarks/imports.py [--write]
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

from _common import Goal, command, table, version

ROUNDS = 15
FIRST_FIT = (
    "import betaroc; betaroc.fit_distribution([0.1, 0.4, 0.5, 0.7, 0.2, 0.3, 0.6, 0.8, 0.9, 0.35])"
)
CASES = {
    "python": "",
    "import numpy": "import numpy",
    "import betaroc": "import betaroc",
    "import betaroc and a first fit": FIRST_FIT,
    "import scipy.stats": "import scipy.stats",
    "import sklearn.metrics": "import sklearn.metrics",
    "import statsmodels.api": "import statsmodels.api",
}
PEERS = {"import sklearn.metrics": "scikit-learn", "import statsmodels.api": "statsmodels"}


def seconds(code: str) -> float:
    """Processor time of a process that runs the code."""
    root = str(Path(__file__).resolve().parents[1])
    env = os.environ | {"PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
    before = os.times()
    subprocess.run([sys.executable, "-c", code], check=True, env=env)  # noqa: S603 - our own
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def run() -> tuple[str, list[Goal]]:
    """The table, and the goals."""
    there = {name: code for name, code in CASES.items() if version(PEERS.get(name, "numpy"))}
    times: dict[str, list[float]] = {name: [] for name in there}
    for turn in range(ROUNDS + 1):
        for name, code in there.items():
            took = seconds(code)
            if turn:
                times[name].append(took)
    middle = {name: statistics.median(values) for name, values in times.items()}
    base = middle["import numpy"]
    rows = [[name, f"{1e3 * t:.0f}", f"{t / base:.2f}"] for name, t in middle.items()]
    rows += [[name, "not installed", ""] for name in CASES if name not in there]
    whole = middle["import betaroc"] / base
    first = middle["import betaroc and a first fit"] / middle["import scipy.stats"]
    goals = [
        Goal("import betaroc", "import numpy", whole, at_most=1.15),
        Goal("import and a first fit", "import scipy.stats", first, at_most=0.5),
    ]
    return table(["process", "ms of processor time", "over import numpy"], rows), goals


def main(write: bool | None = None) -> list[Goal]:
    """Print the table."""
    return command(__doc__, "Imports", "imports.md", run, write)


if __name__ == "__main__":
    main()
