"""Speed beside R and Octave, where these are installed: a beta fit, an empirical ROC and its AUC.

    python benchmarks/languages.py [--write]

Each language times its own calls after it has started and read the scores, in processor time;
blocks of both alternate, and the ratio is the median over the rounds.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from _common import Goal, command, table

import betaroc as br

ROUNDS = 5
FITS, SCORES = 1000, 100_000

R_TIMED = """
seconds <- function(f, k) {{ f(); t <- proc.time(); for (i in 1:k) f(); d <- proc.time() - t;
  cat((d[["user.self"]] + d[["sys.self"]]) / k, "\\n") }}
x <- scan("{folder}/x.txt", quiet = TRUE)
{case}
"""
OCTAVE_TIMED = """
warning("off", "all");
x = load("{folder}/x.txt");
{case}
f(); t = cputime(); for i = 1:k, f(); end; printf("%.17g\\n", (cputime() - t) / k);
"""
#: What a peer is, its command, what must be there, its case; of x the scores, of y the labels.
PEERS = {
    "beta fit": {
        "R fitdistrplus::fitdist": (
            "Rscript", 'library(fitdistrplus)',
            'suppressMessages(library(fitdistrplus)); seconds(function() fitdist(x, "beta"), 20)',
        ),
        "R MASS::fitdistr": (
            "Rscript", 'library(MASS)',
            'library(MASS); m <- mean(x); v <- var(x); k <- m * (1 - m) / v - 1;'
            ' seconds(function() suppressWarnings(fitdistr(x, "beta", start = list(shape1 = m * k,'
            " shape2 = (1 - m) * k))), 20)",
        ),
        "Octave betafit": (
            "octave", "pkg load statistics; betafit([0.2; 0.4; 0.7]);",
            "pkg load statistics; f = @() betafit(x); k = 20;",
        ),
    },
    "corners of the empirical ROC, AUC": {
        "R pROC::roc": (
            "Rscript", "library(pROC)",
            'suppressMessages(library(pROC)); y <- scan("{folder}/y.txt", quiet = TRUE);'
            " seconds(function() auc(roc(y, x, quiet = TRUE, direction = '<')), 3)",
        ),
    },
}  # fmt: skip


def call(program: str, script: str) -> list[str]:
    """How a program runs a script."""
    return [program, "-e", script] if program == "Rscript" else [program, "--eval", script]


def absent(program: str, probe: str) -> str:
    """Why a peer is not there; empty if it is."""
    if shutil.which(program) is None:
        return f"{program} is not installed"
    done = subprocess.run(call(program, probe), capture_output=True, check=False)  # noqa: S603
    return "" if done.returncode == 0 else "the package is not installed"


def seconds_of(program: str, script: str) -> float:
    """What the script prints of its own time."""
    done = subprocess.run(  # noqa: S603 - scripts of this file
        call(program, script), capture_output=True, text=True, check=True
    )
    return float(done.stdout.split()[-1])


def ours(case: Callable[[], object], many: int) -> float:
    """Processor seconds of one call."""
    case()
    start = time.process_time()
    for _ in range(many):
        case()
    return (time.process_time() - start) / many


def corners_and_auc(scores: br.Scores) -> Callable[[], object]:
    """The corners of the ROC and the area, from the scores on."""

    def case() -> object:
        model = br.fit(scores, "empirical").model
        return model.auc(), model.roc().corners()

    return case


def rows(folder: Path) -> list[list[str]]:
    """Every peer of every subject."""
    rng = np.random.default_rng(1)
    sample = rng.beta(0.47, 0.36, FITS)
    scores = br.Scores(rng.beta(4, 2, SCORES // 10), rng.beta(2, 4, SCORES - SCORES // 10))
    values = np.concatenate([scores.client, scores.impostor])
    labels = np.repeat([1, 0], [scores.n_client, scores.n_impostor])
    subjects = {
        "beta fit": (sample, None, lambda: br.fit_distribution(sample).cov, 500),
        "corners of the empirical ROC, AUC": (values, labels, corners_and_auc(scores), 5),
    }
    found = []
    for name, (x, y, case, many) in subjects.items():
        np.savetxt(folder / "x.txt", x, fmt="%.17g")
        if y is not None:
            np.savetxt(folder / "y.txt", y, fmt="%d")
        for peer, (program, probe, text) in PEERS[name].items():
            what = [f"{name}, n = {x.size}", peer]
            why = absent(program, probe)
            if why:
                found.append([*what, why, "", ""])
                continue
            form = R_TIMED if program == "Rscript" else OCTAVE_TIMED
            script = form.format(folder=folder, case=text.format(folder=folder))
            pairs = [(seconds_of(program, script), ours(case, many)) for _ in range(ROUNDS)]
            ratio = statistics.median(theirs / own for theirs, own in pairs)
            theirs, own = (statistics.median(side) for side in zip(*pairs, strict=True))
            found.append([*what, f"{1e3 * theirs:.3f}", f"{1e3 * own:.3f}", f"{ratio:.0f}"])
    return found


def run() -> tuple[str, list[Goal]]:
    """The table; no goals were set."""
    with tempfile.TemporaryDirectory() as folder:
        head = ["subject", "peer", "peer, ms", "betaroc, ms", "peer's time over ours"]
        return table(head, rows(Path(folder))), []


def main(write: bool | None = None) -> list[Goal]:
    """Print the table."""
    return command(__doc__, "R and Octave: speed", "languages.md", run, write)


if __name__ == "__main__":
    main()
