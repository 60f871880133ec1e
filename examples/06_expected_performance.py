"""Two systems: the order of their ROCs and the order that fixed thresholds reach.

Usage: python 06_expected_performance.py [FOLDER]

Two classifiers of the same images: A is a neural network, B a support vector
machine. Draws their ROCs on the test set with the points that dev's thresholds
reach, their expected performance curves, and the FAR that was expected on dev
against the one observed on test.
"""

from __future__ import annotations

import sys
from pathlib import Path

from matplotlib.figure import Figure

import betaroc as br

DATA = Path(__file__).parent / "data"
SYSTEMS = {"A, network": "liveness_within_mlp", "B, SVM": "liveness_within_svmdecision"}
COLORS = {"A, network": "#0072B2", "B, SVM": "#D55E00"}
SHARPENING = "0.20"


def main(folder: str = ".") -> None:
    figure = Figure(figsize=(11.5, 3.8), layout="constrained")
    left, middle, right = figure.subplots(1, 3, width_ratios=(1, 1.35, 1))
    print("system      AUC     EER     least HTER  HTER test area")
    for number, (name, folder_name) in enumerate(SYSTEMS.items()):
        dev = br.read_scores(DATA / folder_name / "dev.csv")
        test = br.read_scores(DATA / folder_name / f"test_sharpen{SHARPENING}.csv")
        model = br.fit(test, family="empirical").model
        curve, one = br.epc(dev, test), br.epc(dev, test, alpha=[0.5])
        numbers = (model.auc(), model.eer().hter, model.youden().hter, one.value[0], curve.area())
        print(f"{name:10}  " + "  ".join(f"{x:.4f}" for x in numbers))
        style = {"label": name, "color": COLORS[name]}
        model.roc().plot(left, **style)
        left.plot(one.far, 1 - one.frr, "os"[number], color=COLORS[name], ms=6, mec="white")
        curve.plot(middle, **style)
        middle.plot(one.alpha, one.value, "os"[number], color=COLORS[name], ms=6, mec="white")
        br.epc(dev, test, criterion="far", measure="far").plot_expected(right, **style)
    left.set(title="ROCs on test; dots: dev's at alpha 0.5", xlabel="FAR", ylabel="TPR")
    middle.set(
        title="Observed on test with dev's thresholds",
        xlabel="alpha, the weight of FAR against FRR",
        ylabel="HTER on test",
    )
    right.set(
        title="FAR: expected and observed", xlabel="expected on dev", ylabel="observed on test"
    )
    for ax in (left, middle, right):
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(Path(folder, "liveness_epc.png"), dpi=130, metadata={"Software": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
