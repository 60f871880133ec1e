"""Which of four liveness classifiers join an ensemble, and what each adds.

Usage: python 08_ensemble.py [FOLDER]

The classifiers judge the same images across subjects, attacks sharpened by 0.2; thresholds
are chosen on the development images. Prints the set, the verdicts and their reasons, and draws
the theoretical ROCs with the hull of all beside the measured gains.
"""

from __future__ import annotations

import sys
from pathlib import Path

import betaroc as br

DATA = Path(__file__).parent / "data"
#: The forest's scores are shares of the votes of 100 trees.
CLASSIFIERS = ("logreg", "mlp", "forest", "svmdecision")


def scores(part: str) -> dict[str, br.Scores]:
    files = {name: DATA / f"liveness_cross_{name}" / f"{part}.csv" for name in CLASSIFIERS}
    return {name: br.read_scores(path) for name, path in files.items()}


def main(folder: str = ".") -> None:
    result = br.inclusion(
        scores("test_sharpen0.20"), dev=scores("dev"), resolution={"forest": 0.01}
    )
    print(result)
    result.plot().savefig(Path(folder, "ensemble.png"), dpi=160, metadata={"Software": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
