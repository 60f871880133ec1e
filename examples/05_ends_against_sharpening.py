"""How the two ends of the ROC change as impostors sharpen their images.

Usage: python 05_ends_against_sharpening.py [FOLDER]

Prints and draws, for four classifiers, the end exponents of the fitted pairs:
a_i / a_c at threshold 0 and b_i / b_c at threshold 1. The curve is above the
diagonal at 0 if the former is below 1, and at 1 if the latter is above 1. The
bars are 95 % intervals from the standard errors of the fits, which allow for
chance but not for a wrong distribution.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

from matplotlib.figure import Figure

import betaroc as br

DATA = Path(__file__).parent / "data"
SETS = ("within_logreg", "cross_logreg", "within_mlp", "cross_mlp")
COLORS = ("#0072B2", "#56B4E9", "#D55E00", "#E69F00")
AMOUNTS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def exponent(client: br.DistributionFit, impostor: br.DistributionFit, shape: str) -> tuple:
    """The ratio of two shapes, and the factor that its 95 % interval extends both ways."""
    ratio = impostor.params[shape] / client.params[shape]
    relative = [fit.std_errors[shape] / fit.params[shape] for fit in (client, impostor)]
    return ratio, math.exp(1.96 * math.hypot(*relative))


def rows(name: str) -> list[tuple]:
    found = []
    for amount in AMOUNTS:
        scores = br.read_scores(DATA / f"liveness_{name}" / f"test_sharpen{amount:.2f}.csv")
        # Each class by itself: past 0.5 the attacks beat the clients, and br.fit would warn.
        client, impostor = map(br.fit_distribution, (scores.client, scores.impostor))
        model = br.ScoreModel(client.distribution, impostor.distribution)
        steps = br.ScoreModel(br.Empirical(scores.client), br.Empirical(scores.impostor))
        at_zero, at_one = (exponent(client, impostor, shape) for shape in ("a", "b"))
        found.append((amount, model, steps, at_zero, at_one))
    return found


def main(folder: str = ".") -> None:
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    axes = figure.subplots(1, 3)
    print("set            sharpening  exponent at 0  exponent at 1  AUC (beta)  AUC (steps)  curve")
    for k, (name, color) in enumerate(zip(SETS, COLORS, strict=True)):
        found = rows(name)
        for amount, model, steps, at_zero, at_one in found:
            ends = f"{at_zero[0]:13.3f}  {at_one[0]:13.3f}"
            areas = f"{model.auc():10.3f}  {steps.auc():11.3f}"
            print(f"{name:13}  {amount:10.1f}  {ends}  {areas}  {model.global_shape()}")
        x = [row[0] + 0.012 * (k - 1.5) for row in found]
        for ax, column in ((axes[0], 3), (axes[1], 4)):
            y = [row[column][0] for row in found]
            below = [row[column][0] * (1 - 1 / row[column][1]) for row in found]
            above = [row[column][0] * (row[column][1] - 1) for row in found]
            ax.errorbar(x, y, (below, above), color=color, marker="o", ms=3.5, lw=1.2, label=name)
        axes[2].plot(x, [row[1].auc() for row in found], color=color, lw=1.2)
        axes[2].plot(x, [row[2].auc() for row in found], "o", color=color, ms=3.5)
    for ax, level, title in zip(
        axes,
        (1.0, 1.0, 0.5),
        (
            "threshold near 0: a_i / a_c\n(below 1: above the diagonal)",
            "threshold near 1: b_i / b_c\n(above 1: above the diagonal)",
            "AUC\n(lines: beta fits, dots: scores)",
        ),
        strict=True,
    ):
        ax.axhline(level, color="0.6", ls="--", lw=0.9)
        ax.set(title=title, xlabel="sharpening of the attacks")
        ax.spines[["top", "right"]].set_visible(False)
    for ax in axes[:2]:
        ax.set_yscale("log")
        ticks = [0.25, 0.5, 1, 2, 4, 8] if ax is axes[1] else [0.5, 1, 2, 4]
        ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.minorticks_off()
    axes[0].legend(frameon=False)
    figure.savefig(Path(folder, "liveness_ends.png"), dpi=130, metadata={"Software": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
