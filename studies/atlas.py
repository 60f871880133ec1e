"""An atlas of the parameter space of beta pairs, made by three studies.

Usage: python studies/atlas.py [--pictures FOLDER] [--tables FOLDER] [--work FOLDER]
                               [--workers K] [--quick]

1. plane: for three impostor laws, clients at a grid of differences a = a_c - a_i,
   b = b_c - b_i: the statement on the whole curve, AUC, depth below the diagonal.
2. pairs: a Sobol sequence over four shapes from 0.1 to 10: how often which curve, and
   how deep a hook is at which AUC.
3. thresholds: weighted error beyond the least, of thresholds from the scores themselves
   and from fitted beta laws, against the number of scores; for beta laws, and for a
   client that is a mixture, which no beta law fits.

docs/atlas.md shows the tables (CSV) and pictures. With --work the parts of the studies
stay, and a run that was stopped goes on where it was. --quick is a small one, for tests.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import betaroc as br

HERE = Path(__file__).resolve().parent
SEED = 20261122

#: Impostor laws of the plane.
IMPOSTORS = {"U": (0.5, 0.5), "reverse-J": (0.5, 2.0), "bell": (3.0, 5.0)}
SHAPES = ("below", "hook-at-zero", "hook-at-one", "proper")
COLOURS = ("#e8b4a8", "#f3dfa2", "#cfc6e6", "#bfdcc4")

#: Pairs whose thresholds are chosen, and the weight of FAR.
LAWS = {
    "(4, 2) v (2, 4)": ((4.0, 2.0), (2.0, 4.0), 0.5),
    "SLR within, 0": ((3.27, 0.67), (0.71, 5.04), 0.5),
    "SLR cross, 0": ((0.47, 0.36), (0.77, 1.91), 0.75),
    "mixture v (2, 6)": (None, (2.0, 6.0), 0.5),
}
SIZES = (50, 100, 200, 500, 1000, 2000, 5000)

#: Table 1 of Omar and Ivrissimtzis: the client, then the impostors sharpened by 0, 1, 5, 50.
TABLE_1 = run_path(str(HERE.parent / "examples" / "omar_table1.py"))["TABLE_1"]


# ---------------------------------------------------------------------------- the studies
def shifted_client(cell: dict[str, Any]) -> br.ScoreModel:
    """The pair at a place of the plane."""
    a, b = IMPOSTORS[cell["impostor"]]
    return br.ScoreModel(br.Beta(a + cell["a"], b + cell["b"]), br.Beta(a, b))


def plane(n: int, **options: Any) -> pd.DataFrame:
    """AUC, the curve in a word and its depth below the diagonal, over the plane."""
    tables = []
    for name, (a, b) in IMPOSTORS.items():
        steps = [shape * np.linspace(-0.95, 2.0, n) for shape in (a, b)]
        design = br.Design.grid({"impostor": name, "a": steps[0].tolist(), "b": steps[1].tolist()})
        asked = {"curve": "true.global-shape"}
        tables.append(studied(f"plane-{name}", design, asked, model=shifted_client, **options))
    return pd.concat(tables, ignore_index=True)


def pairs(n: int, **options: Any) -> pd.DataFrame:
    """The same of pairs all over the space."""
    ranges = dict.fromkeys(("a_c", "b_c", "a_i", "b_i"), (0.1, 10.0, "log"))
    asked = {"curve": curve_without_theorem}
    return studied("pairs", br.Design.sobol(ranges, n, rng=SEED), asked, **options)


def curve_without_theorem(trial: Any) -> str:
    """The curve in a word by its crossings, as of any two laws."""
    return trial.model.generic().global_shape()


def studied(
    name: str, design: br.Design, asked: dict[str, Any], *, work: Path, workers: int, **options: Any
) -> Any:
    """Results of a study of true pairs."""
    asked = {"auc": "true.auc", "depth": "true.hook-depth", **asked}
    study = br.Study(design, asked, folder=work / name, workers=workers, rng=SEED, **options)
    return finished(study)


def finished(study: br.Study) -> pd.DataFrame:
    result = study.run()
    if result.failed:
        sys.exit(f"{result.failed} trials failed: see the column error in {result.folder}")
    return result.to_frame()


def law_pair(cell: dict[str, Any]) -> br.ScoreModel:
    """The pair of a name; the mixture has a fifth of its clients among the impostors."""
    client, impostor, _ = LAWS[cell["pair"]]
    if client is None:
        mixture = br.BetaMixture([0.8, 0.2], [br.Beta(6.0, 2.0), br.Beta(2.0, 6.0)])
        return br.ScoreModel(mixture, br.Beta(*impostor))
    return br.ScoreModel(br.Beta(*client), br.Beta(*impostor))


def thresholds(sizes: tuple[int, ...], replicates: int, work: Path, workers: int) -> pd.DataFrame:
    """Mean excess of both kinds of threshold, with its Monte Carlo error."""
    tables = []
    for name, (_, _, alpha) in LAWS.items():
        design = br.Design.grid(
            {"pair": name, "n": list(sizes), "alpha": alpha, "measure": "weighted-error",
             "family": "beta", "prior": 0.5}
        )  # fmt: skip
        asked = [f"epc-{source}.value" for source in ("true", "fit", "empirical")]
        study = br.Study(
            design, asked, model=law_pair, replicates=replicates,
            folder=work / f"thresholds-{name}", workers=workers, rng=SEED,
        )  # fmt: skip
        tables.append(excess_table(name, alpha, finished(study)))
    return pd.concat(tables, ignore_index=True)


def excess_table(name: str, alpha: float, frame: pd.DataFrame) -> pd.DataFrame:
    rows = []
    model = law_pair({"pair": name})
    for n, part in frame.groupby("n"):
        row = {"pair": name, "alpha": alpha, "n": n, "least": part["epc-true.value"].iloc[0]}
        forecast = br.epc_forecast(model, n_client=n, n_impostor=n, alpha=[alpha])
        for source, kind in (("empirical", "empirical"), ("fit", "smooth")):
            excess = part[f"epc-{source}.value"] - part["epc-true.value"]
            row[kind] = excess.mean()
            row[f"{kind}_error"] = excess.std() / np.sqrt(len(excess))
            row[f"{kind}_forecast"] = float(getattr(forecast, f"{kind}_excess")[0])
        rows.append(row)
    return pd.DataFrame(rows)


# ----------------------------------------------------------------------------- the tables
def sign_table(frame: pd.DataFrame) -> pd.DataFrame:
    """How often each curve goes with each pair of signs of a and b."""
    signs = [
        np.where(frame[f"{s}_c"] > frame[f"{s}_i"], f"{s} > 0", f"{s} < 0") for s in ("a", "b")
    ]
    both = pd.Series([", ".join(pair) for pair in zip(*signs, strict=True)], name="signs")
    return pd.crosstab(both, frame["curve"]).reset_index()


def hook_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Share and depth of hooks, by AUC."""
    rows = []
    edges = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0]
    for low, high in itertools.pairwise(edges):
        inside = frame[(frame["auc"] >= low) & (frame["auc"] < high)]
        hooked = inside[inside["curve"].str.startswith("hook")]
        if hooked.empty:
            continue
        depth = hooked["depth"].quantile([0.5, 0.9, 1.0]).tolist()
        rows.append([low, high, len(inside), len(hooked) / len(inside), *depth])
        rows[-1].append(float(np.mean(hooked["depth"] < 0.01)))
    names = ["auc_from", "auc_to", "pairs", "hooked", "depth_median", "depth_90", "depth_most"]
    return pd.DataFrame(rows, columns=[*names, "shallow"])


# --------------------------------------------------------------------------- the pictures
def bare(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)


def plane_axes(ax: Axes) -> None:
    """The plane of a and b with its quadrants."""
    ax.axhline(0.0, color="0.4", lw=0.8)
    ax.axvline(0.0, color="0.4", lw=0.8)
    ax.set(xlabel="a = a_c − a_i", ylabel="b = b_c − b_i")
    bare(ax)


def fill_regions(ax: Axes, x: np.ndarray, y: np.ndarray, codes: pd.DataFrame) -> None:
    """Numbers of four words as colours."""
    norm = BoundaryNorm(np.arange(-0.5, 4.0), 4)
    ax.pcolormesh(x, y, codes, cmap=ListedColormap(COLOURS), norm=norm, rasterized=True)


def marks_of(words: tuple[str, ...]) -> list[Line2D]:
    """Their marks in a legend."""
    pairs = zip(words, COLOURS, strict=True)
    return [Line2D([], [], ls="", marker="s", ms=9, color=c, label=word) for word, c in pairs]


def published_pairs() -> dict[str, np.ndarray]:
    """a and b of Table 1, by sharpening."""
    return {
        name: np.array([(client[0] - i[0], client[1] - i[1]) for i in impostors]).T
        for name, (client, *impostors) in TABLE_1.items()
    }


def draw_plane(frame: pd.DataFrame, path: Path) -> None:
    figure = Figure(figsize=(12, 4.3), layout="constrained")
    by_impostor = frame.groupby("impostor", sort=False)
    for ax, (name, part) in zip(figure.subplots(1, 3), by_impostor, strict=True):
        a_i, b_i = IMPOSTORS[name]
        grids = {column: part.pivot_table(column, "b", "a") for column in ("auc", "depth")}
        code = part.assign(code=part["curve"].map({s: k for k, s in enumerate(SHAPES)}))
        regions = code.pivot_table("code", "b", "a")
        a, b = regions.columns.to_numpy(), regions.index.to_numpy()
        fill_regions(ax, a, b, regions)
        areas = ax.contour(a, b, grids["auc"], [0.1, 0.3, 0.5, 0.7, 0.9, 0.97], colors="0.25",
                           linewidths=0.9)  # fmt: skip
        ax.clabel(areas, fmt="AUC %g", fontsize=7)
        hooked = regions.isin([1, 2]).to_numpy()
        depth = np.where(hooked, grids["depth"], np.nan)
        lines = ax.contour(a, b, depth, [0.01, 0.1], colors="#b3261e", linewidths=1.0,
                           linestyles="--")  # fmt: skip
        ax.clabel(lines, fmt="%g deep", fontsize=7)
        plane_axes(ax)
        ax.set(title=f"impostor Beta({a_i:g}, {b_i:g}), {name}")
        ax.set(xlim=(a[0], a[-1]), ylim=(b[0], b[-1]))
    figure.legend(handles=marks_of(SHAPES), loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def draw_pairs(frame: pd.DataFrame, path: Path) -> None:
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for name, places in published_pairs().items():
        left.plot(*places, "o-", ms=4, lw=1, label=name)
    for x, y, word in ((0.6, 0.8, "hook at one"), (0.01, 0.8, "below"), (0.6, 0.1, "proper"),
                       (0.01, 0.1, "hook\nat zero")):  # fmt: skip
        left.text(x, y, word, transform=left.transAxes, color="0.4")
    plane_axes(left)
    left.set_yscale("symlog", linthresh=1.0)
    left.set(xlim=(-0.75, 4.8), ylim=(-40, 3))
    left.set_title("the pairs of Omar and Ivrissimtzis,\nsharpening 0 to 50 along each line")
    left.legend(frameon=False, fontsize=8, loc="center right")
    hooked = frame[frame["curve"].str.startswith("hook") & (frame["auc"] > 0.5)]
    for word, colour in (("hook-at-zero", "#b58900"), ("hook-at-one", "#6c5fb0")):
        part = hooked[hooked["curve"] == word]
        right.plot(part["auc"], part["depth"], ".", ms=2.5, color=colour, label=word)
    right.set_yscale("log")
    right.set(ylim=(1e-8, 1), xlabel="AUC", ylabel="depth below the diagonal")
    right.set_title("improper regions of random pairs,\nshapes from 0.1 to 10")
    right.legend(frameon=False, markerscale=4)
    bare(right)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def draw_thresholds(frame: pd.DataFrame, path: Path) -> None:
    figure = Figure(figsize=(12, 3.8), layout="constrained")
    axes = figure.subplots(1, len(LAWS), sharey=True)
    for ax, (name, part) in zip(axes, frame.groupby("pair", sort=False), strict=True):
        for kind, colour, label in (("empirical", "#D55E00", "from the scores"),
                                    ("smooth", "#0072B2", "from fitted beta laws")):  # fmt: skip
            ax.errorbar(part["n"], part[kind], 1.96 * part[f"{kind}_error"], fmt="o", ms=4,
                        color=colour, label=label)  # fmt: skip
            ax.plot(part["n"], part[f"{kind}_forecast"], color=colour, lw=1)
        ax.set(xscale="log", yscale="log", title=f"{name}, α = {part['alpha'].iloc[0]:g}")
        ax.set_xlabel("scores a class")
        bare(ax)
    axes[0].set_ylabel("weighted error beyond the least")
    axes[0].legend(frameon=False, fontsize=8, loc="lower left")
    figure.savefig(path, dpi=110, metadata={"Software": None})


def options(description: str) -> argparse.Namespace:
    """The options of an atlas; folders of tables and pictures are made."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--pictures", type=Path, default=HERE.parent / "docs" / "img")
    parser.add_argument("--tables", type=Path, default=HERE / "results")
    parser.add_argument("--work", type=Path)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    chosen = parser.parse_args()
    for folder in (chosen.tables, chosen.pictures):
        folder.mkdir(parents=True, exist_ok=True)
    return chosen


def write_tables(tables: dict[str, pd.DataFrame], folder: Path, atlas: str) -> None:
    for name, table in tables.items():
        table.to_csv(folder / f"{atlas}_{name}.csv", index=False, float_format="%.6g")


def main() -> None:
    chosen = options("Make the atlas: tables and pictures.")
    with tempfile.TemporaryDirectory() as temporary:
        where = {"work": chosen.work or Path(temporary), "workers": chosen.workers}
        grid, sobol = (5, 16) if chosen.quick else (61, 4096)
        sizes, replicates = ((50, 200), 4) if chosen.quick else (SIZES, 1000)
        everywhere = pairs(sobol, **where)
        across = plane(grid, **where)
        excess = thresholds(sizes, replicates, **where)
    tables = {"signs": sign_table(everywhere), "hooks": hook_table(everywhere), "excess": excess}
    write_tables(tables, chosen.tables, "atlas")
    draw_plane(across, chosen.pictures / "atlas_plane.png")
    draw_pairs(everywhere, chosen.pictures / "atlas_pairs.png")
    draw_thresholds(excess, chosen.pictures / "atlas_thresholds.png")


if __name__ == "__main__":
    main()
