"""Which densities stand in Fig. 3 of Omar and Ivrissimtzis.

Usage: python 02_omar_figure_3.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from omar_table1 import TABLE_1, models

CLIENT = "#0072B2"
IMPOSTORS = ("#f2b46d", "#e8833a", "#c8452b", "#7d1d1d")


def main(folder: str = ".") -> None:
    x = np.linspace(0.0, 1.0, 1001)[1:-1]
    figure = Figure(figsize=(10, 2.9), layout="constrained")
    axes = figure.subplots(1, 4, sharey=True)
    for ax, classifier in zip(axes, TABLE_1, strict=True):
        pairs = models(classifier)
        for (amount, model), color in zip(pairs.items(), IMPOSTORS, strict=True):
            label = f"impostor, sharpened {amount}"
            ax.plot(x, model.impostor.pdf(x), color=color, lw=1.4, label=label)
        ax.plot(x, pairs[0].client.pdf(x), color=CLIENT, lw=2.2, label="client")
        ax.set(title=classifier, xlim=(0, 1), ylim=(0, 5), xlabel="score", xticks=[0, 0.5, 1])
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("density")
    handles, labels = axes[0].get_legend_handles_labels()
    order = [-1, *range(len(handles) - 1)]
    figure.legend(
        [handles[k] for k in order], [labels[k] for k in order],
        loc="outside lower center", ncols=5, frameon=False,
    )  # fmt: skip
    figure.savefig(Path(folder, "omar_figure_3.png"), dpi=130, metadata={"Software": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
