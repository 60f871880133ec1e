"""Where a threshold chosen on development scores lands when attacks are sharpened.

Usage: python 04_empirical_and_theoretical_roc.py [FOLDER]

Left, the development scores and the two distributions fitted to them; right, the empirical
(thin) and fitted (thick) ROCs of two test sets: of one the impostors were sharpened. The
dots are the threshold that `decide` chose on development scores. (The picture of the tutorial.)
"""

from __future__ import annotations

import sys
from pathlib import Path

from matplotlib.figure import Figure

import betaroc as br


def main(folder: str = ".") -> None:
    plain, sharpened = br.datasets.load_liveness(), br.datasets.load_liveness(sharpened=0.4)
    decision = br.decide(plain.dev, far=0.05)
    auc = br.interval(plain.dev, "auc").estimate

    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    br.fit(plain.dev).plot("histogram", left)
    left.axvline(decision.threshold, ymax=0.78, color="#333333", ls=":", lw=1.2)
    left.annotate(f"threshold {decision.threshold:.3f}", (decision.threshold, 5.6), ha="center")
    left.set(xlim=(0, 1), ylim=(0, 7), xlabel="score", ylabel="density")
    left.set_title(f"development scores, AUC {auc:.3f}")
    numbers = [f"AUC {auc:.3f}", f"threshold {decision.threshold:.3f}"]
    sets = (("test", plain.test, "#333333"), ("sharpened test", sharpened.test, "#7a4fa3"))
    for name, scores, color in sets:
        empirical, fitted = (br.fit(scores, family).model for family in ("empirical", "beta"))
        far = decision.check(scores).observed
        empirical.roc().plot(right, color=color, lw=0.9, alpha=0.55, label="_nolegend_")
        fitted.roc().plot(right, color=color, lw=2, label=f"{name}, dot: FAR {far:.3f}")
        right.plot(far, empirical.at(decision.threshold).tpr, "o", color=color, ms=7)
        numbers.append(f"FAR {far:.3f}")
    right.set(xlim=(-0.01, 1), ylim=(0, 1.01), aspect="equal")
    right.set(xlabel="false acceptance rate", ylabel="true positive rate")
    right.set_title("ROC: empirical (thin), fitted (thick)")
    right.legend(frameon=False, loc="lower right", handlelength=1, fontsize=9)
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
    metadata = {"Software": None, "Description": "; ".join(numbers)}  # what the tests compare
    figure.savefig(Path(folder, "liveness_roc.png"), dpi=150, metadata=metadata)


if __name__ == "__main__":
    main(*sys.argv[1:])
