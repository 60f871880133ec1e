"""Each figure and each table of the papers is one call away.

Usage: python 13_figures_of_the_papers.py [FOLDER]

Draws Figures 2, 3, 4 and 6 of Bengio, Keller and Mariethoz for the systems of
11_central_experiment.py: A and B verify speakers, C and D categorize texts. `print_calls`, which
docs/papers.md runs, makes every call, on their scores and on some beside this script.
"""

from __future__ import annotations

import itertools
import runpy
import sys
from functools import partial
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

import betaroc as br

HERE = Path(__file__).parent
COLORS = "#0072B2", "#D55E00"
PAPERS = {
    "Omar and Ivrissimtzis": {
        "Table 1": "fit.client.params, fit.impostor.params",
        "Fig. 2": 'fit.plot("histogram")',
        "Fig. 3": "fit.model.plot()",
        "Fig. 4, above": 'counted.roc(positive="impostor").plot()',
        "Fig. 4, below": 'fit.model.roc(positive="impostor").plot()',
    },
    "Murphy": {
        "Tables 1 to 3": 'scores.confusion(0.5).summary("ml")',
        "Figs. 1, 2": "counted.roc().plot(points=counted.eer())",
        "Fig. 3": "counted.precision_recall().plot()",
        "Tables 4, 5": "br.OperatingPoint(0.5, far=0, frr=1/9, prior=0.9).mutual_information",
    },
    "Report": {
        "Fig. 1": 'on_a.det(scale="linear").plot()',
        "Fig. 2": 'on_a.det().plot(points=br.epc(*a, criterion="eer").points)',
        "Fig. 3": 'on_c.precision_recall().plot(points=br.epc(*c, criterion="break-even").points)',
        "Fig. 4": "br.epc(*a).plot()",
        "Fig. 5": 'br.epc(*a, criterion="far", measure="hter").plot()',
        "Fig. 6": 'br.epc(*a, criterion="frr", measure="frr").plot_expected()',
        "Table 2, G": 'br.epc_average(*c, "precision-recall")',
        "Table 2, E": "br.epc(*c, **both).area()",
        "Table 3": 'br.epc(*a, criterion="far", measure="hter").area(0, 0.1, normalize=False)',
    },
    "Paper": {
        "Figs. 1, 2": 'on_a.det(scale="linear").plot(points=br.epc(*a, criterion="eer").points)',
        "Figs. 3, 4": "br.epc(*a).plot()",
        "Fig. 5": 'br.epc(*c, criterion="weighted-precision-recall", measure="f1").plot()',
        "Fig. 6": 'plt.stairs(*br.compare(one(*a), one(*b), resample="test").histogram())',
        "Fig. 7": 'br.epc(*a).plot(band=br.epc(*a).band(resample="test"))',
        "Fig. 8": 'br.compare(br.epc(*a), br.epc(*b), resample="test").plot()',
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
    names = systems() | {"br": br, "plt": plt, "scores": scores, "fit": br.fit(scores)}
    names["one"] = partial(br.epc, alpha=[0.5])
    names["both"] = {"criterion": "weighted-precision-recall", "measure": "mean-precision-recall"}
    tests = {"counted": scores, "on_a": names["a"][1], "on_c": names["c"][1]}
    names |= {name: br.fit(test, "empirical").model for name, test in tests.items()}
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
            points = br.epc(*sides, criterion="break-even").points
            model.precision_recall().plot(left, points=points, **style)
            options = {"criterion": "weighted-precision-recall", "measure": "f1"}
            expected = br.epc(*sides, criterion="precision", measure="precision")
        else:
            points = br.epc(*sides, criterion="eer").points
            model.det().plot(left, points=points, **style)
            options = {}
            expected = br.epc(*sides, criterion="frr", measure="frr")
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
