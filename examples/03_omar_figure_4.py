"""What the theoretical ROCs of Omar and Ivrissimtzis (Fig. 4, bottom) do near threshold 0.

Usage: python 03_omar_figure_4.py [FOLDER]

The axes are the paper's: the impostor is the positive class. The second row
shows the lower left corner, thresholds near 0, on logarithmic axes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from matplotlib.figure import Figure
from omar_table1 import TABLE_1, models

IMPOSTORS = ("#f2b46d", "#e8833a", "#c8452b", "#7d1d1d")


def main(folder: str = ".") -> None:
    figure = Figure(figsize=(10, 5.6), layout="constrained")
    axes = figure.subplots(2, 4)
    for (top, bottom), classifier in zip(axes.T, TABLE_1, strict=True):
        for (amount, model), color in zip(models(classifier).items(), IMPOSTORS, strict=True):
            points = model.roc(positive="impostor").points()
            top.plot(points.frr, points.tnr, color=color, lw=1.4, label=f"sharpened {amount}")
            bottom.loglog(points.frr, points.tnr, color=color, lw=1.4)
        top.plot([0, 1], [0, 1], color="0.6", ls="--", lw=0.9, label="no discrimination")
        bottom.plot([1e-8, 1], [1e-8, 1], color="0.6", ls="--", lw=0.9)
        top.set(title=classifier, xlim=(0, 1), ylim=(0, 1.01), aspect="equal")
        top.set(xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
        bottom.set(xlim=(1e-8, 1), ylim=(1e-8, 1.5), aspect="equal")
        bottom.set_xlabel("clients called impostors")
        bottom.set_xticks([1e-8, 1e-4, 1])
        bottom.set_yticks([1e-8, 1e-4, 1])
        bottom.minorticks_off()
    axes[0, 0].set_ylabel("impostors detected")
    axes[1, 0].set_ylabel("the same, logarithmic")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False)
    figure.savefig(Path(folder, "omar_figure_4.png"), dpi=130, metadata={"Software": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
