"""Where a threshold fixed on development scores lands when attacks are sharpened.

Usage: python 04_empirical_and_theoretical_roc.py [FOLDER]

Left, the development scores and the two distributions fitted to them; right, their
empirical and theoretical ROCs beside those of a test set whose impostors were
sharpened. The dots are one and the same threshold. (The picture of the README.)
"""

from __future__ import annotations

import sys
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

import betaroc as br

DATA = Path(__file__).parent / "data" / "liveness_cross_logreg"
DEV, TEST = "#333333", "#7a4fa3"


def draw_scores(ax: Axes, fit: br.Fit, threshold: float) -> None:
    fit.plot("histogram", ax)
    laws = {"clients": fit.model.client, "impostors": fit.model.impostor}
    labels = [f"{which}: beta({law.a:.2f}, {law.b:.2f})" for which, law in laws.items()]
    ax.axvline(threshold, ymax=0.78, color=DEV, ls=":", lw=1.2)
    ax.annotate(f"threshold {threshold:.2f}", (threshold, 5.55), ha="center")
    ax.set(xlim=(0, 1), ylim=(0, 7), xlabel="score", ylabel="density", title="development scores")
    ax.legend(ax.containers, labels, frameon=False, loc="upper center")


def draw_roc(ax: Axes, scores: br.Scores, name: str, color: str, threshold: float) -> None:
    empirical, beta = (br.fit(scores, family).model for family in ("empirical", "beta"))
    empirical.roc().plot(ax, color=color, linewidth=0.9, alpha=0.55, label="_nolegend_")
    landed = empirical.at(threshold)
    label = f"{name}: AUC {beta.auc():.2f}, dot: FAR {landed.far:.0%}"
    beta.roc().plot(ax, color=color, linewidth=2, label=label)
    ax.plot(landed.far, landed.tpr, "o", color=color, ms=7)


def main(folder: str = ".") -> None:
    dev = br.read_scores(DATA / "dev.csv")
    test = br.read_scores(DATA / "test_sharpen0.20.csv")
    fit = br.fit(dev)
    threshold = fit.at_far(0.05).threshold

    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw_scores(left, fit, threshold)
    draw_roc(right, dev, "development", DEV, threshold)
    draw_roc(right, test, "sharpened test", TEST, threshold)
    right.set(xlim=(-0.01, 1), ylim=(0, 1.01), aspect="equal")
    right.set(xlabel="false acceptance rate", ylabel="true positive rate")
    right.set_title("ROC: empirical (thin), theoretical (thick)")
    right.legend(frameon=False, loc="lower right", handlelength=1, fontsize=9)
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(Path(folder, "liveness_roc.png"), dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
