"""What a score file says about the classifier behind it.

Usage: python 01_fit_a_score_file.py [SCORES [FOLDER]] [--family FAMILY]

Fits a distribution to each class (beta where every score lies in [0, 1], else normal;
"best": what suits each class; or the family named), prints the numbers of the
theoretical ROC and saves its picture to FOLDER (default: the current one).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import betaroc as br

SCORES = Path(__file__).parent / "data" / "liveness_cross_logreg" / "dev.csv"
FAMILIES = ("auto", "best", "beta", "normal", "logit-normal")


def main() -> None:
    parser = argparse.ArgumentParser(description="What a score file says about its classifier.")
    parser.add_argument("scores", nargs="?", default=str(SCORES), metavar="SCORES")
    parser.add_argument("folder", nargs="?", default=".", metavar="FOLDER")
    parser.add_argument("--family", choices=FAMILIES, default="auto", help="of each class")
    given = parser.parse_args()
    try:
        scores = br.read_scores(given.scores)
        describe(br.fit(scores, given.family), Path(given.folder))
    except br.BetarocError as error:
        sys.exit(str(error))


def describe(fit: br.Fit, folder: Path) -> None:
    model = fit.model
    print(fit.summary())

    eer, best = model.eer(), model.youden()
    print(f"\nAUC {model.auc():.4f}")
    print(f"equal error rate {eer.hter:.4f} at threshold {eer.threshold:.4f}")
    print(f"smallest HTER {best.hter:.4f} at threshold {best.threshold:.4f}")
    for far in (0.1, 0.01, 0.001):
        point = model.at_far(far)
        print(f"FAR {far:<5} needs threshold {point.threshold:.4f} and rejects", end=" ")
        print(f"{point.frr:.1%} of the clients")

    shapes = model.shape_category()
    if shapes:
        print(f"\nshapes (client, impostor): {' / '.join(shapes)}")
    print(f"the whole curve: {model.global_shape()}")
    ends = model.ends()
    zero, one = ends.at_zero, ends.at_one
    low, high = power(zero.coefficient, zero.exponent), power(one.coefficient, one.exponent)
    print(f"lowest thresholds: F_i ~ {low.format('F_c')}, {zero.side} the diagonal")
    print(f"highest thresholds: FAR ~ {high.format('TPR')}, {one.side} the diagonal")

    figure = fit.plot(band=fit.roc_band()).figure
    figure.savefig(folder / "roc.png", dpi=150, metadata={"Software": None})


def power(coefficient: float, exponent: float) -> str:
    """Normal distributions have an exponent but no coefficient."""
    known = coefficient == coefficient
    return f"{coefficient:.3g} {{}}^{exponent:.3g}" if known else f"{{}}^{exponent:.3g}"


if __name__ == "__main__":
    main()
