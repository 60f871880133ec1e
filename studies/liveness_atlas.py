"""A dense study of the liveness pipeline: shapes, ends and ROC over its parameters.

Usage: python studies/liveness_atlas.py [--pictures FOLDER] [--tables FOLDER] [--work FOLDER]
                                        [--workers K] [--quick]

20 amounts of sharpening by attackers, 8 levels of the camera's noise, 8 of the recapture's blur, 8
capacities of the classifier (logistic regression by its C, a network by its hidden units), and
digits of test that are those of training ("within") or others ("cross"): 20 480 cells of some 450
clients and 450 attacks. Cells that differ in sharpening alone, a path, have the same classifier,
images and noise; paths are drawn independently, from 1797 images. Claims of Omar and
Ivrissimtzis are counted.

docs/liveness_atlas.md shows the tables (CSV) and pictures. With --work the parts of the study stay,
and a run that was stopped goes on where it was. --quick is a small one, for tests.
"""

from __future__ import annotations

import re
import tempfile
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any

import atlas
import numpy as np
import pandas as pd
from liveness import SEED, camera, digits, recapture, trained, unsharp
from matplotlib import colormaps
from matplotlib.colors import Normalize, SymLogNorm
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import betaroc as br

PATH = ["protocol", "noise", "blur", "capacity"]
DESIGN = {
    "protocol": ["within", "cross"],
    "noise": [0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0],
    "blur": [0.36, 0.4, 0.42, 0.45, 0.48, 0.52, 0.58, 0.7],
    "capacity": ["C=0.01", "C=0.1", "C=1", "C=10", "2 units", "5 units", "10 units", "20 units"],
    # Among them those of the shipped sets (0 to 1) and of Omar and Ivrissimtzis (0, 1, 5, 50).
    "sharpening": [0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.5,
                   2.0, 3.0, 5.0, 15.0, 50.0],
}  # fmt: skip
QUICK = {"noise": [0.1, 1.0], "blur": [0.42, 0.52], "capacity": ["C=1", "10 units"],
         "sharpening": [0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 5.0, 50.0]}  # fmt: skip
#: Counted AUC from which a classifier resists: all sets of Omar and Ivrissimtzis are above.
RESISTS = 0.6
BETA_SHAPES = ("U", "reverse-J", "J", "bell")
SIDES = ("above", "below", "cannot tell", "contradicted", "misfit")
COUNTED = ("below", "both", "neither", "above")


# ------------------------------------------------------------------------------- the study
@lru_cache(maxsize=1)
def attacked(protocol: str, noise: float, blur: float, capacity: str) -> tuple[Any, ...]:
    """A trained classifier, its scores of clients, the recaptures to attack it with, a seed."""
    seed = zlib.crc32(f"{protocol} {noise} {blur} {capacity}".encode())
    rng = np.random.default_rng([SEED, seed])
    order = rng.permutation(len(digits()[1]))
    images, known = (part[order] for part in digits())
    train = np.arange(len(known)) < len(known) // 2
    if protocol == "cross":
        train = np.isin(known, rng.permutation(10)[:5])
    if capacity.startswith("C="):
        model: Any = LogisticRegression(C=float(capacity[2:]), max_iter=5000)
    else:
        units = int(capacity.removesuffix(" units"))
        model = MLPClassifier((units,), solver="lbfgs", alpha=1.0, random_state=seed)
    score = trained(
        make_pipeline(StandardScaler(), model),
        camera(images[train][::2], rng, noise),
        camera(recapture(images[train][1::2], blur), rng, noise),
    )
    clients = score(camera(images[~train][::2], rng, noise))
    return score, clients, recapture(images[~train][1::2], blur), seed


def scores_of(cell: dict[str, Any], rng: np.random.Generator) -> br.Scores:  # noqa: ARG001
    """The scores of a cell, whose random numbers are those of its path."""
    score, clients, recaptures, seed = attacked(*(cell[name] for name in PATH))
    shown = unsharp(recaptures, cell["sharpening"])
    captures = camera(shown, np.random.default_rng([SEED, seed, 1]), cell["noise"])
    return br.Scores(clients, score(captures))


def tests(trial: Any) -> dict[str, Any]:
    """Sides of the ends by their tests, how sure shapes are, and the bound of distances.

    Sides hold at 95 %; they are "misfit" where counts contradict the family in that tail. The
    bound is that of one-sided distances of two samples at 97.5 % (Smirnov).
    """
    fit, scores = trial.fit, trial.scores
    results = {
        end: "misfit" if np.isnan(test.p_value) and test.side == "cannot tell" else test.side
        for end, test in fit.end_tests()._asdict().items()
    }
    try:
        chances = fit.shape_probabilities()
    except br.BetarocError:  # variances are lost in rounding
        chances = {"client": {"": np.nan}, "impostor": {"": np.nan}}
    results |= {f"sure_{who[0]}": max(chance.values()) for who, chance in chances.items()}
    exact = np.isin(np.concatenate([scores.client, scores.impostor]), [0.0, 1.0])
    room = 1 / scores.n_client + 1 / scores.n_impostor
    return results | {"exact": exact.sum(), "bound": np.sqrt(-0.5 * np.log(0.025) * room)}


STATISTICS = {
    "a_c": "fit.client-a", "b_c": "fit.client-b", "a_i": "fit.impostor-a", "b_i": "fit.impostor-b",
    "auc": "empirical.auc", "fit_auc": "fit.auc", "curve": "fit.global-shape",
    "below": "empirical.hook-depth", "above": "empirical.max-youden",
    "tnr": "empirical.tnr@frr=0.05", "tpr": "empirical.tpr@far=0.05",
    "tail": "empirical.far@threshold=0.5", "tests": tests,
}  # fmt: skip


def run(design: dict[str, Any], work: Path, workers: int) -> pd.DataFrame:
    """The results, with what they say of each cell in words; cells that failed have nan."""
    study = br.Study(
        br.Design.grid(design), STATISTICS, generator=scores_of, folder=work / "liveness",
        workers=workers, rng=SEED,
    )  # fmt: skip
    frame = study.run().to_frame()
    frame.index = frame["cell"] // len(design["sharpening"])  # the path
    for who in ("c", "i"):
        places = 2 * (frame[f"a_{who}"] > 1) + (frame[f"b_{who}"] > 1)
        frame[f"shape_{who}"] = np.array(BETA_SHAPES)[places]
    seen = [frame[side] > frame["tests.bound"] for side in ("above", "below")]
    frame["counted"] = np.select(
        [seen[0] & seen[1], seen[0], seen[1]], ["both", "above", "below"], "neither"
    )
    frame["a"], frame["b"] = (frame[f"{s}_c"] - frame[f"{s}_i"] for s in ("a", "b"))
    return frame


# ------------------------------------------------------------------------------ the tables
def share_of(holds: pd.Series) -> dict[str, float]:
    """The share of cases, with the standard error of a ratio of sums over paths, its index."""
    by_path = holds.groupby(level=0)
    k, n = by_path.sum(), by_path.size()
    share = k.sum() / n.sum()
    error = np.sqrt(np.sum((k - share * n) ** 2)) / n.sum()
    return {"holds": k.sum(), "cases": n.sum(), "share": share, "error": error}


def claim_table(done: pd.DataFrame) -> pd.DataFrame:
    """In how many cases each claim of the paper holds."""
    calm = done[done["auc"] >= RESISTS]
    plain = calm[calm["sharpening"] == 0]
    cross, within = (plain[plain["protocol"] == name] for name in ("cross", "within"))
    several = calm.groupby(level=0).size() > 1
    first, last = (getattr(calm.groupby(level=0), name)()[several] for name in ("first", "last"))
    network = cross["capacity"].str.endswith("units")

    steps = done["auc"][done["sharpening"].isin([0, 0.2, 0.4, 0.6, 0.8, 1, 5, 50])]
    falls = steps.groupby(level=0).diff().dropna() <= 0
    claims = [
        ("1.1", "quite common ... to be under the diagonal near 0 or 1",
         "the test says so, where it can",
         (calm["tests.at_zero"] == "below") | (calm["tests.at_one"] == "below")),
        ("2", "increasing difficulty", "AUC rises at none of 0, 0.2, ..., 1, 5, 50",
         falls.groupby(level=0).all()),
        ("3.1", "either J-shaped or U-shaped", "no bell",
         (calm["shape_c"] != "bell") & (calm["shape_i"] != "bell")),
        ("3.1", "U-shaped in both cross-subject ... cases", "clients", cross["shape_c"] == "U"),
        ("3.1", "J-shaped in both within-subject", "clients", within["shape_c"] == "J"),
        ("3.1", "α is always less than 1", "a_i < 1", calm["a_i"] < 1),
        ("3.1", "decreases with sharpening", "a_i falls", last["a_i"] < first["a_i"]),
        ("3.1", "β in most cases is greater than 1", "b_i > 1", calm["b_i"] > 1),
        ("3.1", "closer to a U-shaped distribution", "b_i falls", last["b_i"] < first["b_i"]),
        ("3.1", "their tail increases with sharpening", "more impostors above 1/2",
         last["tail"] > first["tail"]),
        ("3.2", "stays above the diagonal near 0", "by the fit: a_c > a_i", calm["a"] > 0),
        ("3.2", "SLR classifiers ... on unseen faces", "a_c < a_i: logistic, cross, unsharpened",
         cross["a"][~network] < 0),
        ("3.2", "an effective attacking technique", "near 0: TNR at FRR 5 % falls",
         last["tnr"] < first["tnr"]),
        ("3.2", "in all cases ... above the diagonal", "by the fit, near 1: b_c < b_i",
         calm["b"] < 0),
        ("3.2", "the effectiveness of the sharpening attack", "near 1: TPR at FAR 5 % falls",
         last["tpr"] < first["tpr"]),
    ]  # fmt: skip
    rows = []
    for *words, holds in claims:
        count = share_of(holds)
        verdict = ("seldom", "often", "supported")[sum(count["share"] >= x for x in (0.5, 0.95))]
        rows.append(dict(zip(("section", "paper", "counted"), words, strict=True)) | count)
        rows[-1]["verdict"] = verdict
    return pd.DataFrame(rows)


def end_table(done: pd.DataFrame) -> pd.DataFrame:
    """What the fit and the test say of each end, by sharpening, where classifiers resist or not."""
    tables = []
    by = [done["sharpening"], (done["auc"] >= RESISTS).rename("resists")]
    for end, above in (("at_zero", done["a"] > 0), ("at_one", done["b"] < 0)):
        sides = pd.crosstab(by, done[f"tests.{end}"]).reindex(columns=SIDES, fill_value=0)
        sides["fit_above"] = above.groupby(by).sum()
        sides["exact_scores"] = (done["tests.exact"] > 0).groupby(by).sum()
        tables.append(sides.reset_index().assign(end=end))
    return pd.concat(tables, ignore_index=True)


def shape_table(rows: pd.DataFrame, who: str, *names: str) -> pd.DataFrame:
    """How many fits of a class have which shape, and how many of these are sure at 95 %."""
    by = [rows[name] for name in names]
    table = pd.crosstab(by, rows[f"shape_{who}"]).reindex(columns=BETA_SHAPES, fill_value=0)
    table["sure"] = (rows[f"tests.sure_{who}"] >= 0.95).groupby(by).sum()
    return table.reset_index()


def tables_of(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    done = frame[frame["status"] == "ok"]
    counted = pd.crosstab(done["curve"], done["counted"]).reindex(columns=COUNTED, fill_value=0)
    against = done[["tests.at_zero", "tests.at_one"]].eq("contradicted").any(axis=1)
    counted["end_contradicted"] = against.groupby(done["curve"]).sum()
    middle = done.groupby(["sharpening", "blur"])[["auc", "fit_auc", "a", "b", "a_i", "b_i"]]
    return {
        "claims": claim_table(done), "ends": end_table(done), "curves": counted.reset_index(),
        "clients": shape_table(done[done["sharpening"] == 0], "c", "protocol", "capacity"),
        "impostors": shape_table(done, "i", "protocol", "sharpening"),
        "medians": middle.median().reset_index(),
    }  # fmt: skip


# ---------------------------------------------------------------------------- the pictures
def most_common(
    frame: pd.DataFrame, name: str, words: tuple[str, ...], index: str, columns: str
) -> pd.DataFrame:
    """Which of the words most cells have, as its number."""
    by = [frame[index], frame[columns]]
    counts = pd.crosstab(by, frame[name]).reindex(columns=list(words), fill_value=0)
    codes = counts.to_numpy().argmax(1)
    return counts.reset_index().assign(code=codes).pivot_table("code", index, columns)


def label_levels(ax: Any, x: pd.Index, y: pd.Index, shown: tuple[float, ...]) -> None:
    """Axes of levels at equal steps; of x only some have their number."""
    places = [k for k, level in enumerate(x) if level in shown]
    ax.set_xticks(places, [f"{x[k]:g}" for k in places])
    ax.set_yticks(range(len(y)), [f"{level:g}" for level in y])
    ax.tick_params(labelsize=7)


def draw_clients(frame: pd.DataFrame, path: Path) -> None:
    """Shapes of clients over blur and noise, a panel per capacity and protocol."""
    plain = frame[frame["sharpening"] == 0]
    figure = Figure(figsize=(13, 4), layout="constrained")
    panels = figure.subplots(2, plain["capacity"].nunique(), sharex=True, sharey=True).flat
    by = plain.groupby(["protocol", "capacity"], sort=False)
    for ax, (names, part) in zip(panels, by, strict=True):
        codes = most_common(part, "shape_c", BETA_SHAPES, "noise", "blur")
        atlas.fill_regions(ax, *map(np.arange, codes.shape[::-1]), codes)
        label_levels(ax, codes.columns, codes.index, tuple(codes.columns[::2]))
        ax.set_title(", ".join(names), fontsize=9)
    figure.supxlabel("blur of the recapture", fontsize=9)
    figure.supylabel("noise of the camera", fontsize=9)
    marks = atlas.marks_of(BETA_SHAPES)
    figure.legend(handles=marks, loc="outside upper center", ncols=4, frameon=False)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def draw_surfaces(frame: pd.DataFrame, path: Path) -> None:
    """What most cells are, and medians, over sharpening and blur."""
    figure = Figure(figsize=(13, 7), layout="constrained")
    above, below = figure.subplots(2, 3, sharex=True, sharey=True)
    maps = (("shape_i", BETA_SHAPES, "impostors: shape"), ("curve", atlas.SHAPES, "ROC by the fit"),
            ("counted", COUNTED, "ROC as counted, against the diagonal"))  # fmt: skip
    for ax, (name, words, title) in zip(above, maps, strict=True):
        codes = most_common(frame, name, words, "blur", "sharpening")
        atlas.fill_regions(ax, *map(np.arange, codes.shape[::-1]), codes)
        marks = atlas.marks_of(words)
        ax.legend(handles=marks, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4,
                  frameon=False, fontsize=8, columnspacing=1, handletextpad=0.1)  # fmt: skip
        ax.set_title(title, fontsize=10, pad=22)
    surfaces = (
        ("auc", "counted AUC", (0.1, 0.3, 0.5, 0.7, 0.9), Normalize(0, 1)),
        ("a", "a = a_c − a_i", (-10, -1, 0, 0.5, 1), SymLogNorm(0.3, vmin=-10, vmax=10)),
        ("b", "b = b_c − b_i", (-10, -1, 0, 0.1), SymLogNorm(0.3, vmin=-10, vmax=10)),
    )
    for ax, (name, title, levels, norm) in zip(below, surfaces, strict=True):
        table = frame.pivot_table(name, "blur", "sharpening", "median")
        x, y = map(np.arange, table.shape[::-1])
        ax.pcolormesh(x, y, table, cmap="RdBu", norm=norm, rasterized=True)
        lines = ax.contour(x, y, table, levels, colors="0.2", linewidths=0.9)
        ax.clabel(lines, fmt="%g", fontsize=7)
        ax.set_title(f"median of {title}", fontsize=10)
    for ax in (*above, *below):
        label_levels(ax, table.columns, table.index, (0, 0.2, 0.4, 0.6, 0.8, 1, 2, 5, 50))
    figure.supxlabel("amount of sharpening", fontsize=9)
    figure.supylabel("blur of the recapture", fontsize=9)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def draw_paths(frame: pd.DataFrame, path: Path) -> None:
    """Medians in the plane of a and b along sharpening, beside Table 1."""
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    kind = np.where(frame["capacity"].str.endswith("units"), "networks", "logistic regression")
    for ax, (title, part) in zip(figure.subplots(1, 2), frame.groupby(kind), strict=True):
        atlas.plane_axes(ax)
        for name, (a, b) in atlas.published_pairs().items():
            if name.startswith("ANN") == (title == "networks"):
                ax.plot(a, b, "s--", ms=4, lw=1, color="0.5")
                ax.annotate(name, (a[0], b[0]), (5, -9), textcoords="offset points",
                            fontsize=7, color="0.4")  # fmt: skip
        blurs = part["blur"].unique()
        for blur, colour in zip(
            blurs, colormaps["viridis"](np.linspace(0, 0.9, len(blurs))), strict=True
        ):
            line = part[part["blur"] == blur].groupby("sharpening")[["a", "b"]].median()
            ax.plot(line["a"], line["b"], ".-", color=colour, lw=1, label=f"blur {blur:g}")
            ax.plot(*line.iloc[0], "o", ms=6, color=colour)
        ax.set_xscale("symlog", linthresh=1.0)
        ax.set_yscale("symlog", linthresh=1.0)
        ax.set(xlim=(-30, 30), ylim=(-300, 10), title=title)
    ax.legend(frameon=False, fontsize=7, loc="lower left")
    figure.savefig(path, dpi=110, metadata={"Software": None})


# ------------------------------------------------------------------------------- the page
def committed(name: str) -> pd.DataFrame:
    path = Path(__file__).parent / "results" / f"liveness_atlas_{name}.csv"
    return pd.read_csv(path, dtype={"section": str})


def size_text() -> str:
    cells = int(committed("curves")[list(COUNTED)].to_numpy().sum())
    paths = committed("clients")[list(BETA_SHAPES)].to_numpy().sum()
    zero = committed("ends").query("end == 'at_zero' and resists")
    return (
        f"{cells} score sets, {paths} paths. On {zero[list(SIDES)].to_numpy().sum()} the classifier"
        " *works*: its counted AUC is at least 0.6 (the least of the paper's fits: 0.67)."
    )


def clients_text() -> str:
    clients = committed("clients")
    shapes = clients[list(BETA_SHAPES)]
    of, total = shapes.sum() / shapes.to_numpy().sum(), shapes.to_numpy().sum()
    clients["share"] = clients["U"] / shapes.sum(axis=1)
    by = pd.concat(clients.groupby(key)["share"].mean() for key in ("capacity", "protocol"))
    return (
        f"Clients are J in {of['J']:.0%}, bell in {of['bell']:.0%} and U in {of['U']:.0%} of the"
        f" paths ({clients['sure'].sum() / total:.0%} of the shapes are sure at 95 %): little blur"
        f" makes bells, and U comes with capacity, {by['C=0.01']:.0%} at C = 0.01 and"
        f" {by['20 units']:.0%} at 20 units, and with unseen subjects, {by['cross']:.0%} (within"
        f" {by['within']:.0%})."
    )


def curves_text() -> str:
    frame, ends = committed("curves"), committed("ends")
    counted = frame.set_index("curve")[list(COUNTED)]
    proper, below = counted.loc["proper"], counted.loc["below"]
    alike = proper["above"] + below["below"]
    opposite = proper["below"] + proper["both"] + below["above"] + below["both"]
    hooks = counted[counted.index.str.startswith("hook")]
    lines = [
        "Where both fitted ends lie on one side, the"
        " [theorem](theory.md#the-two-ends-decide-the-whole-curve) puts the whole curve there: so"
        f" do the counts in {alike} of {proper.sum() + below.sum()} sets, on the other side in"
        f" {opposite}; the rest cannot tell. Of {hooks.to_numpy().sum()} fits that cross the"
        f" diagonal {hooks['both'].sum()} are seen on both sides; counts contradict one end"
        f" of {frame['end_contradicted'].sum()}."
    ]
    amounts = committed("impostors").groupby("sharpening")[list(BETA_SHAPES)].sum()
    amounts = amounts.div(amounts.sum(axis=1), axis=0)
    lines.append(
        f"Impostors go from reverse-J ({amounts['reverse-J'][0.0]:.0%} without sharpening) over U"
        f" (at most {amounts['U'].max():.0%}, at {amounts['U'].idxmax():g}) to J"
        f" ({amounts['J'][50.0]:.0%} at 50)."
    )
    for end, word in (("at_zero", "0"), ("at_one", "1")):
        rows = ends[(ends["end"] == end) & ends["resists"]]
        sides = rows[list(SIDES)].sum()
        share = sides / sides.sum()
        lines.append(
            f"Near threshold {word}, of classifiers that work,"
            f" {1 - rows['fit_above'].sum() / sides.sum():.1%} of the fits are below the diagonal;"
            f" the tests say above in {share['above']:.0%}, below in {share['below']:.1%}, nothing"
            f" in {share['cannot tell']:.0%}, and in {share['misfit']:.0%} that the family does not"
            " describe this tail."
        )
    return "\n".join(lines)


def paths_text() -> str:
    medians = committed("medians").set_index("sharpening")
    least, usual = (medians[medians["blur"] == blur] for blur in (0.36, 0.45))
    return (
        f"Paths rise, as the paper's do from the first amount to the last: b at blur 0.45 from"
        f" {usual['b'][0.0]:.2f} to"
        f" {usual['b'][1.0]:.2f} at sharpening 1. They turn left, towards below the diagonal (a"
        f" from {usual['a'][0.0]:.2f} to {usual['a'][1.0]:.2f}), but for the least blur, where the"
        f" classifier hardly works (AUC {least['auc'][0.0]:.2f}) and a rises"
        f" ({least['a'][0.0]:.2f} to {least['a'][1.0]:.2f}), as in all four of the"
        " paper (by .04 to .58)."
    )


def claims_table() -> str:
    lines = ["| section | the paper | counted | share | cases | |", "| --- " * 6 + "|"]
    for r in committed("claims").itertuples():
        counted = re.sub(r"_(.)", r"<sub>\1</sub>", r.counted)
        share = f"{r.share:.1%} ± {r.error:.1%}"
        cells = (r.section, f"“{r.paper}”", counted, share, str(r.cases), r.verdict)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    chosen = atlas.options("Make the liveness atlas: tables and pictures.")
    with tempfile.TemporaryDirectory() as temporary:
        design = DESIGN | (QUICK if chosen.quick else {})
        frame = run(design, chosen.work or Path(temporary), chosen.workers)
    atlas.write_tables(tables_of(frame), chosen.tables, "liveness_atlas")
    done = frame[frame["status"] == "ok"]
    draw_clients(done, chosen.pictures / "liveness_atlas_clients.png")
    draw_surfaces(done, chosen.pictures / "liveness_atlas_surfaces.png")
    draw_paths(done, chosen.pictures / "liveness_atlas_paths.png")


if __name__ == "__main__":
    main()
