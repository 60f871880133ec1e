"""The paper's whole analysis on scores that can be had: four classifiers, two protocols.

Usage: python 07_liveness_case_study.py [FOLDER]

Prints the fitted distributions (as Table 1 of Omar and Ivrissimtzis) and what the fitted ROCs do
at their two ends, with confidence; draws the histograms with the distributions over them (as
their Figs. 2 and 3) and the empirical and theoretical ROCs (as their Fig. 4).
docs/case_study.md reads the numbers.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from matplotlib import colormaps
from matplotlib.figure import Figure

import betaroc as br

DATA = Path(__file__).parent / "data"
CLASSIFIERS = ("logreg", "mlp", "forest", "svmdecision")
SETS = [f"{protocol}_{name}" for protocol in ("within", "cross") for name in CLASSIFIERS]
AMOUNTS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
IMPOSTORS = [colormaps["YlOrRd"](0.4 + 0.12 * k) for k in range(len(AMOUNTS))]
#: The forest counts votes of 100 trees; decision values of the SVM are not confined to [0, 1].
OPTIONS = {"forest": {"resolution": 0.01}, "svmdecision": {"family": "normal"}}


def fitted(name: str, amount: float) -> br.Fit:
    scores = br.read_scores(DATA / f"liveness_{name}" / f"test_sharpen{amount:.2f}.csv")
    with warnings.catch_warnings():  # strong sharpening reverses the classes: the table shows it
        warnings.simplefilter("ignore", br.ReversedScoresWarning)
        return br.fit(scores, **OPTIONS.get(name.split("_")[1], {}))


def print_laws(fits: dict[str, list[br.Fit]]) -> None:
    print(
        "distributions: shapes (a, b) of beta distributions, (mu, sigma) of normal ones"
        " (svmdecision)"
    )
    print("set                 client      " + "".join(f"imp {a:<10}" for a in AMOUNTS))
    for name, found in fits.items():
        laws = [found[0].client, *(fit.impostor for fit in found)]
        pairs = [", ".join(f"{value:.2f}" for value in law.params.values()) for law in laws]
        print(f"{name:18}  " + "".join(f"{pair:14}" for pair in pairs))


def print_ends(fits: dict[str, list[br.Fit]]) -> None:
    print(
        "\nset                sharpened  exponents at 0, 1  sides (95 %)              AUC    curve"
    )
    for name, found in fits.items():
        for amount, fit in zip(AMOUNTS, found, strict=True):
            ends, tests = fit.model.ends(), fit.end_tests()
            sides = f"{tests.at_zero.side}, {tests.at_one.side}"
            exponents = f"{ends.at_zero.exponent:6.2f}, {ends.at_one.exponent:5.2f}"
            curve = fit.model.global_shape()
            print(f"{name:18} {amount:9.1f}  {exponents:>17}  {sides:24}  "
                  f"{fit.model.auc():.3f}  {curve}")  # fmt: skip


def draw_histograms(fits: dict[str, list[br.Fit]], path: Path) -> None:
    figure = Figure(figsize=(12, 12.5), layout="constrained")
    rows = figure.subplots(len(SETS), len(AMOUNTS))
    for row, (name, found) in zip(rows, fits.items(), strict=True):
        limits = (-2.8, 2.8) if name.endswith("svmdecision") else (0.0, 1.0)
        top = 1.1 if name.endswith("svmdecision") else 6.0
        for ax, fit in zip(row, found, strict=True):
            fit.plot("histogram", ax).get_legend().remove()
            ax.set(xlim=limits, ylim=(0, top), xlabel="", ylabel="", yticks=[])
            ax.spines[["top", "right", "left"]].set_visible(False)
            ax.set_xticks([-2, 0, 2] if limits[0] < 0 else [0, 0.5, 1])
            ax.tick_params(labelsize=8)
        row[0].set_ylabel(name.replace("_", "\n"), rotation=0, ha="right", va="center")
    for ax, amount in zip(rows[0], AMOUNTS, strict=True):
        ax.set_title(f"sharpened {amount:g}", fontsize=9)
    labels = ["clients", "impostors"]
    figure.legend(rows[0][0].containers, labels, loc="outside lower center", ncols=2, frameon=False)
    figure.savefig(path, dpi=100, metadata={"Software": None})


def draw_rocs(fits: dict[str, list[br.Fit]], path: Path) -> None:
    figure = Figure(figsize=(11, 11.5), layout="constrained")
    axes = figure.subplots(4, len(CLASSIFIERS), sharex=True, sharey=True)
    for k, (name, found) in enumerate(fits.items()):
        upper = 2 * (k // len(CLASSIFIERS))
        column = axes[upper : upper + 2, k % len(CLASSIFIERS)]
        for fit, amount, color in zip(found, AMOUNTS, IMPOSTORS, strict=True):
            steps = br.ScoreModel(
                br.Empirical(fit.scores.client), br.Empirical(fit.scores.impostor)
            )
            for ax, model in zip(column, (steps, fit.model), strict=True):
                roc = model.roc(positive="impostor")
                roc.plot(ax, color=color, linewidth=1.3, label=f"sharpened {amount:g}")
        for ax, kind in zip(column, ("empirical", "theoretical"), strict=True):
            ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xlabel="", ylabel="", aspect="equal")
            ax.set_title(f"{name}, {kind}", fontsize=9)
            ax.spines[["top", "right"]].set_visible(False)
            if ax.get_legend() is not None:
                ax.get_legend().remove()
    handles, labels = axes[0, 0].get_legend_handles_labels()
    drawn = [(h, text) for h, text in zip(handles, labels, strict=True) if "sharpened" in text]
    figure.legend(*zip(*drawn, strict=True), loc="outside lower center", ncols=6, frameon=False)
    for ax in axes[-1]:
        ax.set_xlabel("clients called impostors, F_c", fontsize=9)
    for ax in axes[:, 0]:
        ax.set_ylabel("impostors detected, F_i", fontsize=9)
    figure.savefig(path, dpi=90, metadata={"Software": None})


def main(folder: str = ".") -> None:
    fits = {name: [fitted(name, amount) for amount in AMOUNTS] for name in SETS}
    print_laws(fits)
    print_ends(fits)
    draw_histograms(fits, Path(folder, "case_study_histograms.png"))
    draw_rocs(fits, Path(folder, "case_study_rocs.png"))


if __name__ == "__main__":
    main(*sys.argv[1:])
