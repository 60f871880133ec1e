"""Rates of one in a thousand from 2000 impostors: counted, by a family, by a tail.

Usage: python 09_tails.py [FOLDER]

A detector of synthetic speech gives cosines. Of the impostors in its file 2000 are drawn, and
the threshold for three FARs is found from them: as counted, by one normal distribution, and by a
tail of the 30 and 50 largest scores. Then the FAR is counted that each threshold has among all the
others.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

import betaroc as br

DATA = Path(__file__).parent / "data" / "asvspoof19_ecapa_ctst"
RATES = (0.01, 0.001, 0.0001)
IMPOSTORS = 2000


def main(folder: str = ".") -> None:
    every = br.read_scores(DATA / "dev.csv.gz")
    order = np.random.default_rng(3).permutation(every.n_impostor)
    drawn, others = np.split(every.impostor[order], [IMPOSTORS])
    scores = br.Scores(every.client, drawn)
    counted = br.fit(scores, "empirical")
    normal = br.fit(scores, "normal")
    ends = {"impostor": "upper", "client": "lower"}
    tailed = br.fit(scores, "empirical", tails=ends, bounds=(-1, 1))

    print("FAR asked  by            threshold  95 % interval     FAR among the others")
    for far in RATES:
        for name, f in (("counts", counted), ("normal", normal), ("tail", tailed)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # said below: 0.2 scores are expected at 0.0001
                threshold = float(f.at_far(far).threshold)
                words = "" if name == "counts" else interval_words(f, far)
            print(
                f"{far:<9g}  {name:12}  {threshold:9.3f}  {words:16}"
                f"  {np.mean(others > threshold):.2g}"
            )

    figure = tailed.plot("tails").figure
    figure.savefig(Path(folder, "tails.png"), dpi=130, metadata={"Software": None})


def interval_words(f: br.Fit, far: float) -> str:
    """The interval of the threshold."""
    found = f.interval("threshold", far=far)
    return f"{found.low:.3f} to {found.high:.3f}"


if __name__ == "__main__":
    main(*sys.argv[1:])
