"""What a score file says about the classifier behind it.

Usage: python 01_fit_a_score_file.py [SCORES [FOLDER]]

Fits a beta law to each class, prints the numbers of the theoretical ROC and
saves its picture to FOLDER (default: the current one).
"""

from __future__ import annotations

import sys
from pathlib import Path

import betaroc as br

DATA = Path(__file__).parent / "data"


def main(scores: str = "", folder: str = ".") -> None:
    fit = br.fit(br.read_scores(scores or DATA / "liveness_cross_logreg" / "dev.csv"))
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

    print(f"\nshapes (client, impostor): {' / '.join(model.shape_category())}")
    print(f"the whole curve: {model.global_shape()}")
    ends = model.ends()
    zero, one = ends.at_zero, ends.at_one
    law = f"{zero.coefficient:.3g} F_c^{zero.exponent:.3g}"
    print(f"threshold to 0: F_i ~ {law}, {zero.side} the diagonal")
    law = f"{one.coefficient:.3g} TPR^{one.exponent:.3g}"
    print(f"threshold to 1: FAR ~ {law}, {one.side} the diagonal")

    figure = model.roc().plot().figure
    figure.savefig(Path(folder, "roc.png"), dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
