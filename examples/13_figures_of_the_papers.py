"""Each figure and each table of the papers is one call away.

Usage: python 13_figures_of_the_papers.py [FOLDER]

Draws Figures 2 to 6 of Bengio, Keller and Mariethoz for the systems of 11_central_experiment.py:
A and B verify speakers, C and D categorize texts. `print_calls`, which docs/papers.md runs, makes
every call, on their scores and on some beside this script.
"""

from __future__ import annotations

import itertools
import runpy
import sys
from functools import partial
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

import betaroc as br

HERE = Path(__file__).parent
COLORS = "#0072B2", "#D55E00"
PAPERS = {
    "Omar and Ivrissimtzis": {
        "Table 1": 'br.fit_distribution(scores.client, "beta")',
        "Fig. 2": 'fit.plot("histogram")',
        "Fig. 3": "fit.model.plot()",
        "Fig. 4": 'fit.model.roc(positive="impostor").plot()',
    },
    "Murphy": {
        "Tables 1 to 3": 'scores.confusion(0.5).summary("ml")',
        "Fig. 1": "counted.model.roc().plot()",
        "Fig. 2": "counted.model.roc().plot(points=counted.eer())",
        "Fig. 3": "counted.model.precision_recall().plot()",
        "Tables 4, 5": "br.OperatingPoint(0.5, far=0, frr=1/9, prior=0.9).mutual_information",
    },
    "Report": {
        "Figs. 1, 2": 'counted.model.det().plot(points=br.epc(*a, criterion="eer").points)',
        "Fig. 3": "counted.model.precision_recall().plot()",
        "Fig. 4": 'br.compare(br.epc(*a), br.epc(*b), resample="test").plot()',
        "Fig. 5": 'br.epc(*a, criterion="far", measure="hter").plot()',
        "Fig. 6": 'br.epc(*c, criterion="precision", measure="precision").plot_expected()',
        "Table 2": 'br.epc_average(*c, "precision-recall")',
        "Table 3": 'br.epc(*a, criterion="far", measure="hter").area(0, 0.1, normalize=False)',
    },
    "Paper": {
        "Figs. 1, 2": "counted.model.roc().plot()",
        "Figs. 3, 4": "br.epc(*a).plot()",
        "Fig. 5": 'br.epc(*c, criterion="weighted-precision-recall", measure="f1").plot()',
        "Fig. 6": 'plt.stairs(*br.compare(one(*a), one(*b), resample="test").histogram())',
        "Fig. 7": 'br.epc(*a).plot(band=br.epc(*a).band(resample="test"))',
    },
}


def systems() -> dict[str, tuple[br.Scores, br.Scores]]:
    """Dev and test of four systems."""
    made = runpy.run_path(str(HERE / "11_central_experiment.py"))
    speakers = made["drawn"]((made["A"], made["B"]), [(1000, 1000)] * 2, seed=0)
    texts = made["drawn"]((made["C"], made["D"]), made["DOCUMENTS"], seed=0)
    return dict(zip("abcd", speakers + texts, strict=True))


def print_calls() -> None:
    """The table of the page; each call is made."""
    scores = br.read_scores(HERE / "data" / "liveness_within_mlp" / "dev.csv")
    counted = br.fit(scores, "empirical")
    names = systems() | {"br": br, "plt": plt, "scores": scores, "counted": counted}
    names |= {"fit": br.fit(scores), "one": partial(br.epc, alpha=[0.5])}
    print("| figure or table | call |\n|---|---|")
    with mpl.rc_context({"backend": "agg"}):
        for paper, calls in PAPERS.items():
            for name, call in calls.items():
                eval(call, names)  # noqa: S307 - the calls above
                plt.close("all")
                print(f"| {paper}, {name} | `{call}` |")


def draw(path: Path) -> None:
    figure = Figure(figsize=(12, 7.5), layout="constrained")
    rows = figure.subplots(2, 3)
    for (name, sides), color in zip(systems().items(), itertools.cycle(COLORS)):
        is_text, style = name in "cd", {"label": name.upper(), "color": color}
        model = br.fit(sides[1], "empirical").model
        left, middle, right = rows[int(is_text)]
        if is_text:
            point = br.epc(*sides, criterion="break-even").points
            model.precision_recall().plot(left, **style)
            left.plot(point.recall, point.precision, "o", color=color)
            options = {"criterion": "weighted-precision-recall", "measure": "f1"}
            expected = br.epc(*sides, criterion="precision", measure="precision")
        else:
            points = br.epc(*sides, criterion="eer").points
            model.det().plot(left, points=points, **style)
            options = {}
            expected = br.epc(
                *sides, criterion="far", measure="far", alpha=np.linspace(0, 0.5, 101)
            )
        br.epc(*sides, **options).plot(middle, **style)
        expected.plot_expected(right, **style)
    titles = "circles: at the thresholds of dev", "expected performance curves", "target and test"
    for axes in rows:
        for ax, title in zip(axes, titles, strict=True):
            ax.set_title(title)
            ax.legend(frameon=False)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def main(folder: str = ".") -> None:
    draw(Path(folder, "central.png"))


if __name__ == "__main__":
    main(*sys.argv[1:])
