"""Rates and thresholds in the tail: coverage, width and error, on distributions and real scores.

    python benchmarks/tails.py [--sets 500] [--data FOLDER --draws 40] [--write]

The impostors' upper tail by `br.fit(..., tails="upper")`, the interval of the
FAR at the threshold whose true FAR is 10/n, 1/n and 1/(10n), beside the exact binomial interval of
the same scores there; and the true FAR at the estimated threshold, as the root mean square of
log10(true / asked), beside that of the empirical threshold. Sets whose scores pile up at the end
have no tail and are refused; their cell says how many, and is not in the digest. With FOLDER, which
holds score files, see FILES, the held-out sets alone: populations of those files and of
scikit-learn, from which scores are drawn as if they were all that is known.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from _common import report, table
from scipy import stats
from scipy.special import betaincinv, expit, logit, ndtr

import betaroc as br

LEVEL = 0.95
SIZES = (500, 2000, 10_000)
TIMES = (10.0, 1.0, 0.1)
NAMES = ("10/n", "1/n", "1/(10n)")
#: Score files: its path, the kind of its impostors, the bounds of its scale.
UNIT = (0.0, 1.0)
FILES: dict[str, tuple[str, str, tuple[float, float] | None]] = {
    "ASV eval, nontargets": ("asvspoof19_asv/eval.csv.gz", "nontarget", None),
    "ASV eval, spoofs": ("asvspoof19_asv/eval.csv.gz", "spoof", None),
    "ASV eval, both": ("asvspoof19_asv/eval.csv.gz", "", None),
    "ASV dev, spoofs": ("asvspoof19_asv/dev.csv.gz", "spoof", None),
    "ECAPA dev": ("asvspoof19_ecapa_ctst/dev.csv.gz", "", (-1.0, 1.0)),
    "ECAPA eval": ("asvspoof19_ecapa_ctst/eval.csv.gz", "", (-1.0, 1.0)),
    "baseball": ("fivethirtyeight/mlb_games.csv.gz", "", UNIT),
    "basketball": ("fivethirtyeight/nba_games.csv.gz", "", UNIT),
    "football": ("fivethirtyeight/world_cup_matches_in_game_men.csv", "", UNIT),
    "fingerprints": ("pyeer_matchers/exp1.csv", "", None),
    "digits, LDA": ("sklearn_scores/digitspairs_lda/dev.csv.gz", "", UNIT),
    "digits, identities": ("sklearn_scores/digitsverif_mlp/dev.csv.gz", "", UNIT),
}
SETS: dict[str, Population] = {}
SET_SIZES = (200, 500, 1000, 2000)
#: "best" is fitted to one draw of so many; scores of a population beyond a rate, at least.
BEST_OF, LEAST = 2, 3.0
#: A set of fewer distinct values is rounded.
ROUNDED = 1000
QUANTILES = ("median", "90 %", "95 %", "root mean square", "over 3")
NOTE = (
    "{draws} draws a cell ({best} for best) from the linear interpolation of a set's order"
    " statistics, the truth counted on the set; cells with fewer than {least:g} scores of the set"
    " beyond the rate are left out. By how much the true rate at a threshold is off is max(r, 1/r)"
    " with r = true/asked, a rate of 0 taken as 1/1000 of the asked one: its median, 90 % and 95 %"
    " quantile over draws, exp of the root mean square of log r, and the share of draws with r"
    " over 3. The digests have their medians over cells (of over 3, coverage and width the mean),"
    " with the least and the largest. Coverage and width (over that of the exact binomial"
    " interval) are those of the tail's 95 % interval of the rate at the threshold whose true rate"
    " is asked for; the standard error of a coverage of .95 is .034 in a cell, .005 in the mean of"
    " 49. auto: beta for scores in [0, 1], normal for others."
)


class Law(NamedTuple):
    """A mixture on the logit: shares and distributions, some of them of scores in [0, 1]."""

    parts: tuple[tuple[float, Any, bool], ...]

    def sf(self, y: float) -> float:
        """P(beyond), on the logit."""
        return math.fsum(w * float(d.sf(expit(y) if unit else y)) for w, d, unit in self.parts)

    def isf(self, rate: float) -> float:
        """The place that has a rate beyond."""
        from scipy.optimize import brentq

        return float(brentq(lambda y: math.log(self.sf(y) or 1e-320) - math.log(rate), -30.0, 30.0))

    def at(self, u: np.ndarray, which: np.ndarray) -> np.ndarray:
        """Scores on the logit: quantiles of the part that each belongs to."""
        y = np.empty(u.size)
        for k, (_, d, unit) in enumerate(self.parts):
            mine = which == k
            x = d.isf(u[mine])
            y[mine] = logit(x) if unit else x
        return y

    def sample(self, n: int, rng: np.random.Generator, groups: int = 1) -> np.ndarray:
        """Scores on the logit; in groups of so many of latent correlation 1/2."""
        which = rng.choice(len(self.parts), size=n, p=[w for w, _, _ in self.parts])
        if groups == 1:
            return self.at(rng.random(n), which)
        shared = np.repeat(rng.normal(size=n // groups), groups)
        return self.at(ndtr(math.sqrt(0.5) * (shared + rng.normal(size=n))), which)


def one(d: Any, unit: bool = True) -> Law:
    """A single part."""
    return Law(((1.0, d, unit),))


def two(share: float, a: tuple[float, float], b: tuple[float, float]) -> Law:
    """Two beta distributions."""
    return Law(((share, stats.beta(*a), True), (1.0 - share, stats.beta(*b), True)))


LAWS = {
    "Beta(2, 8)": one(stats.beta(2.0, 8.0)),
    "logit-normal(-1, 1)": one(stats.norm(-1.0, 1.0), False),
    ".99 Beta(2, 8) + .01 Beta(6, 3)": two(0.99, (2, 8), (6, 3)),
    ".997 Beta(2, 8) + .003 Beta(6, 3)": two(0.997, (2, 8), (6, 3)),
    ".6 Beta(3, 15) + .4 Beta(9, 6)": two(0.6, (3, 15), (9, 6)),
    "t4 on the logit": one(stats.t(4.0, -1.0), False),
}
OTHERS = {
    "Beta(.5, 3)": one(stats.beta(0.5, 3.0)),
    "Beta(5, 2)": one(stats.beta(5.0, 2.0)),
    "logistic": one(stats.logistic(-1.0, 0.7), False),
    "Laplace": one(stats.laplace(-1.0, 0.8), False),
    "Gumbel": one(stats.gumbel_r(-1.0, 0.6), False),
    "t8": one(stats.t(8.0, -1.0), False),
    "skew normal 4": one(stats.skewnorm(4.0, -1.5, 1.2), False),
    ".9 Beta(2, 8) + .1 Beta(6, 3)": two(0.9, (2, 8), (6, 3)),
    ".98 Beta(2, 10) + .02 Beta(4, 4)": two(0.98, (2, 10), (4, 4)),
    "Weibull 1.5": one(stats.weibull_min(1.5, -2.0, 1.0), False),
}
ALL = LAWS | OTHERS


class Cell(NamedTuple):
    """What sets of one cell and rate said: shares, mean widths, squared errors."""

    missed_low: float
    missed_high: float
    width: float
    exact: float
    error: float
    empirical: float
    refused: int = 0

    @property
    def coverage(self) -> float:
        """Share of intervals that hold the true rate."""
        return 1.0 - self.missed_low - self.missed_high

    @property
    def ratio(self) -> float:
        """Mean width over that of the exact interval."""
        return self.width / self.exact

    @property
    def error_ratio(self) -> float:
        """Root mean square over the empirical one's."""
        return math.sqrt(self.error / self.empirical)


def exact_ends(k: int, n: int) -> tuple[float, float]:
    """Clopper and Pearson."""
    tail = 0.5 - 0.5 * LEVEL
    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, tail))
    return low, 1.0 if k == n else float(betaincinv(k + 1, n - k, 1.0 - tail))


def log_error(true: float, asked: float) -> float:
    """Squared log10 of a ratio; a FAR of 0 counts as a thousandth of the one asked for."""
    return math.log10(max(true, 1e-3 * asked) / asked) ** 2


def fit_of(y: np.ndarray, groups: np.ndarray | None = None) -> br.Fit:
    """A tail beyond the impostors' scores."""
    scores = br.Scores([0.0, 1.0], y, impostor_groups=groups)
    return br.fit(scores, "empirical", tails={"impostor": "upper"})


def tail_interval(fit: br.Fit, kind: str, place: float) -> tuple[float, float]:
    """Of the tail alone; where a place lies before the tail, of the counts."""
    try:
        found = fit.interval(kind, threshold=place, method="family", extrapolate=True)
    except br.InputError:
        found = fit.interval(kind, threshold=place, extrapolate=True)
    return found.low, found.high


def judged(
    y: np.ndarray,
    fit: br.Fit,
    rates: list[float],
    sf: Callable[[float], float],
    places: list[float],
) -> list[tuple[float, ...]]:
    """Of one set at each rate: misses, widths, squared errors."""
    ordered = np.sort(y)[::-1]
    found = []
    for rate, place in zip(rates, places, strict=True):
        true = sf(place)
        low, high = tail_interval(fit, "far", place)
        k = int(np.searchsorted(-ordered, -place))
        exact = exact_ends(k, y.size)
        met = sf(float(fit.at_far(rate).threshold))
        at = int(rate * y.size * (1.0 + 1e-12))
        counted = sf(0.5 * (ordered[at - 1] + ordered[at])) if at else sf(ordered[0])
        found.append((
            float(true < low), float(true > high), high - low, exact[1] - exact[0],
            log_error(met, rate), log_error(counted, rate),
        ))  # fmt: skip
    return found


def summed(found: list[list[tuple[float, ...]]], refused: int = 0) -> list[Cell]:
    """A cell a rate."""
    means = np.mean(np.array(found), axis=0) if found else np.full((len(TIMES), 6), np.nan)
    return [Cell(*row, refused=refused) for row in means.tolist()]


def simulated(job: tuple[str, int], sets: int, kind: str) -> list[Cell]:
    """All sets of one distribution and size: plain, grouped or of two decimals."""
    name, n = job
    law, found, refused = ALL[name], [], 0
    rates = [times / n for times in TIMES]
    places = [law.isf(rate) for rate in rates]
    if kind == "decimals":
        places = [float(logit((math.floor(100.0 * expit(p)) + 0.5) / 100.0)) for p in places]
    for seed in range(sets):
        rng = np.random.default_rng([18, n, seed, list(ALL).index(name)])
        y = law.sample(n, rng, 5 if kind == "groups" else 1)
        if kind == "decimals":
            with np.errstate(divide="ignore"):
                y = logit(np.round(expit(y), 2))
        groups = np.repeat(np.arange(n // 5), 5) if kind == "groups" else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of two clients, and of rates that are extrapolated
            try:
                fit = fit_of(y, groups)
            except br.InputError:
                refused += 1
                continue
            found.append(judged(y, fit, rates, law.sf, places))
    return summed(found, refused)


class Population(NamedTuple):
    """Score sets to draw from, both in order, and the bounds of their scale."""

    client: np.ndarray
    impostor: np.ndarray
    bounds: tuple[float, float] | None

    @staticmethod
    def draw(ordered: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
        """Scores by the linear interpolation of a set's order statistics."""
        return np.interp(rng.random(n) * (ordered.size - 1), np.arange(ordered.size), ordered)

    def rate(self, kind: str, place: float) -> float:
        """The true FAR or FRR at a threshold."""
        x = self.impostor if kind == "far" else self.client
        j = int(np.searchsorted(x, place, side="right")) - 1
        if 0 <= j < x.size - 1:
            below = (j + (place - x[j]) / (x[j + 1] - x[j])) / (x.size - 1)
        else:
            below = float(j >= 0)
        return 1.0 - below if kind == "far" else below

    def place(self, kind: str, rate: float) -> float:
        """The threshold with a true FAR or FRR."""
        x, share = (self.impostor, 1.0 - rate) if kind == "far" else (self.client, rate)
        return float(np.interp(share * (x.size - 1), np.arange(x.size), x))


def populations(folder: Path) -> dict[str, Population]:
    """The score files of a folder, and held-out scores of scikit-learn's data and models."""
    import pandas as pd

    made = {}
    for name, (file, kind, bounds) in FILES.items():
        frame = pd.read_csv(folder / file)
        of_kind = frame["label"].eq(0) & (frame["kind"].eq(kind) if kind else True)
        sides = (frame["label"].eq(1), of_kind)
        made[name] = Population(*(np.sort(frame.loc[k, "score"].to_numpy(float)) for k in sides),
                                bounds)  # fmt: skip
    return made | own_populations()


def own_populations() -> dict[str, Population]:
    """Classifiers of 2000 trials on 120 000 others, and pairs of digits."""
    from sklearn.datasets import load_digits, make_classification
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.neural_network import MLPClassifier
    from sklearn.svm import SVC

    made = {}
    models = {
        "logistic regression": LogisticRegression(), "naive Bayes": GaussianNB(),
        "forest": RandomForestClassifier(100, random_state=1),
        "boosting": HistGradientBoostingClassifier(random_state=1),
        "15 neighbours": KNeighborsClassifier(15), "network": MLPClassifier((30,), random_state=1),
        "support vectors": SVC(random_state=1),
    }  # fmt: skip
    x, y = make_classification(
        122_000, 12, n_informative=6, n_clusters_per_class=3, class_sep=0.8, random_state=44
    )
    for name, model in models.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the network's steps end before it converges
            model.fit(x[:2000], y[:2000])
        margin = name == "support vectors"
        of = model.decision_function(x[2000:]) if margin else model.predict_proba(x[2000:])[:, 1]
        client, impostor = (np.sort(of[y[2000:] == k]) for k in (1, 0))
        made[name] = Population(client, impostor, None if margin else UNIT)
    images, digits = load_digits(return_X_y=True)
    first, second = np.triu_indices(600, 1)
    same = digits[first] == digits[second]
    lengths = np.linalg.norm(images, axis=1)
    cosine = np.sum(images[first] * images[second], axis=1) / (lengths[first] * lengths[second])
    near = -np.linalg.norm(images[first] - images[second], axis=1)
    for name, of, bounds in (("cosines", cosine, UNIT), ("distances", near, None)):
        pair = (np.sort(of[same]), np.sort(of[~same]))
        made[f"digits, {name}"] = Population(*pair, bounds)
    return made


def one_draw(job: tuple[str, int, int]) -> list[tuple[str, str, int, float]]:
    """What each way makes of one draw: end, way or what of the interval, FAR or FRR, number."""
    name, n, seed = job
    population, found = SETS[name], []
    rng = np.random.default_rng([44, n, seed, list(SETS).index(name)])
    scores = br.Scores(*(population.draw(x, n, rng) for x in population[:2]))
    unit = {} if population.bounds in (None, UNIT) else {"bounds": population.bounds}
    fits: dict[str, Any] = {}
    for way in ("auto", "best")[: 1 + (seed % BEST_OF == 0)]:
        with contextlib.suppress(br.BetarocError):
            fits[way] = br.fit(scores, way)
    ends = (("far", "impostor", "upper", population.impostor, scores.impostor),
            ("frr", "client", "lower", population.client, scores.client))  # fmt: skip
    for kind, who, side, every, drawn in ends:
        sign = 1.0 if kind == "far" else -1.0
        top = sign * np.sort(sign * drawn)[::-1][:2]
        fits.pop("tail", None)
        with contextlib.suppress(br.BetarocError):
            fits["tail"] = br.fit(scores, "empirical", tails={who: side}, **unit)
        for times in (1, 2):
            rate = TIMES[times] / n
            if every.size * rate < LEAST:
                continue
            placed = {"counted": float(top.mean() if times == 1 else top[0])}
            for way, fit in fits.items():
                with contextlib.suppress(br.BetarocError):
                    point = getattr(fit, f"at_{kind}")(rate)
                    placed[way] = float(point.threshold)
            found += [(kind, way, times, population.rate(kind, t) / rate)
                      for way, t in placed.items()]  # fmt: skip
            if "tail" not in fits:
                found.append((kind, "refused", times, 1.0))
                continue
            place = population.place(kind, rate)
            true = population.rate(kind, place)
            low, high = tail_interval(fits["tail"], kind, place)
            exact = exact_ends(int(np.sum(sign * drawn > sign * place)), n)
            found += [(kind, "covered", times, float(low <= true <= high)),
                      (kind, "width", times, (high - low)
                       / (exact[1] - exact[0]))]  # fmt: skip
    return found


def quiet_draw(job: tuple[str, int, int]) -> list[tuple[str, str, int, float]]:
    """One draw without its warnings, which are that a rate is extrapolated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return one_draw(job)


Cells = dict[tuple[str, str, int, int], dict[str, list[float]]]


def drawn_cells(pool: ProcessPoolExecutor, draws: int) -> Cells:
    """What all draws of a set, end, size and rate gave."""
    jobs = [(name, n, k) for name in SETS for n in SET_SIZES for k in range(draws)]
    cells: Cells = {}
    for (name, n, _), found in zip(jobs, pool.map(quiet_draw, jobs, chunksize=5), strict=True):
        for kind, what, times, number in found:
            cell = cells.setdefault((name, kind, n, times), {})
            cell.setdefault(what, []).append(number)
    return cells


def of_sets(cells: Cells) -> str:
    """The tables of held-out sets: a digest, and one row per set, end, size and rate."""
    ways = ("counted", "tail", "best", "auto")
    rows: list[list[str]] = []
    every: dict[tuple[bool, str, int, str], dict[tuple[str, int], tuple[float, ...]]] = {}
    for (name, kind, n, times), cell in cells.items():
        row = [name, kind.upper(), str(n), NAMES[times], str(len(cell.get("refused", ())))]
        row += [f"{np.mean(cell[w]):.3f}" if w in cell else "" for w in ("covered", "width")]
        rounded = np.unique(SETS[name][kind == "far"]).size < ROUNDED
        for way in ways:
            of = every.setdefault((rounded, kind, times, way), {})
            if way not in cell:
                row.append("")
                continue
            off = np.exp(np.abs(np.log(np.maximum(cell[way], 1e-3))))
            cuts = (*np.quantile(off, [0.5, 0.9, 0.95]), math.exp(np.mean(np.log(off) ** 2) ** 0.5),
                    float(np.mean(np.array(cell[way]) > 3.0)))  # fmt: skip
            row.append(" / ".join(f"{c:.3g}" for c in cuts))
            held = ("covered", "width") if way == "tail" else ()
            of[name, n] = (*cuts, *(float(np.mean(cell[w])) for w in held))
        rows.append(row)
    head = ["rate", "at", "threshold by", "cells", *QUANTILES, "coverage", "width", "worst set, n"]
    digests = []
    for title, wanted in (("Scores of many values", False), ("Rounded scores", True)):
        lines = []
        for (rounded, kind, times, way), of in sorted(every.items()):
            if rounded is not wanted or not of:
                continue
            spans = [
                f"{(np.mean if k > 3 else np.median)(c):.3g} ({c.min():.3g} to {c.max():.3g})"
                for k, c in enumerate(np.array(list(of.values())).T)
            ]
            worst = ", ".join(map(str, max(of, key=lambda k: of[k][3])))
            spans += ["", ""] * (len(spans) == len(QUANTILES))
            lines.append([kind.upper(), NAMES[times], way, str(len(of)), *spans, worst])
        digests.append(f"## {title}\n\n{table(head, lines)}")
    cell_head = ["set", "rate", "n", "at", "refused", "coverage", "width", *ways]
    body = "\n\n".join([*digests, "## Each cell\n\n" + table(cell_head, rows)])
    return body.replace("1e+03", "1000")


def coverage_rows(cells: dict[tuple[str, int], list[Cell]]) -> list[list[str]]:
    """A row a distribution and size."""
    rows = []
    for (name, n), found in cells.items():
        row = [name, str(n)]
        for cell in found:
            row += [
                f"{cell.coverage:.3f} ({cell.missed_low:.3f}, {cell.missed_high:.3f})",
                f"{cell.ratio:.2f}", f"{cell.error_ratio:.2f}", f"{math.sqrt(cell.error):.2f}",
            ]  # fmt: skip
        rows.append([*row, str(found[0].refused)])
    return rows


HEAD = [
    "impostors", "n",
    *(f"{name}: {what}" for name in NAMES
      for what in ("coverage (below, above)", "width", "error", "rms")),
    "refused",
]  # fmt: skip


def digest(title: str, cells: dict[tuple[str, int], list[Cell]]) -> str:
    """Least and mean coverage, widths and errors."""
    rows = []
    for k, name in enumerate(NAMES):
        column = [found[k] for found in cells.values() if not found[k].refused]
        cover = [c.coverage for c in column]
        sides = max(max(c.missed_low, c.missed_high) for c in column)
        rows.append([
            name, f"{min(cover):.3f}", f"{np.mean(cover):.3f}", f"{max(cover):.3f}", f"{sides:.3f}",
            f"{max(c.ratio for c in column):.3f}", f"{np.mean([c.ratio for c in column]):.3f}",
            f"{max(c.error_ratio for c in column):.2f}",
            f"{np.mean([c.error_ratio for c in column]):.3f}",
            f"{max(math.sqrt(c.error) for c in column):.2f}",
        ])  # fmt: skip
    head = ["FAR", "least coverage", "mean", "most", "worst side", "widest", "mean width",
            "worst error", "mean error", "worst rms"]  # fmt: skip
    return f"{title}\n\n" + table(head, rows)


def timings() -> str:
    """Milliseconds of a fit and of one interval."""
    rows = []
    for n in (1000, 1_000_000):
        y = stats.logistic.rvs(size=n, random_state=1)
        laps = []
        for _ in range(7):
            start = time.perf_counter()
            fit = fit_of(y)
            middle = time.perf_counter()
            fit.interval("far", threshold=8.0, extrapolate=True)
            laps.append((middle - start, time.perf_counter() - middle))
        of_fit, of_interval = np.median(np.array(laps), axis=0) * 1e3
        rows.append([str(n), f"{of_fit:.1f}", f"{of_interval:.1f}"])
    return table(["scores", "fit of a tail, ms", "its first interval, ms"], rows)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=500)
    parser.add_argument("--data", type=Path, help="folder of score files: held-out sets alone")
    parser.add_argument("--draws", type=int, default=40, help="of each held-out set and size")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="keep the result")
    given = parser.parse_args()
    if given.data:
        SETS.update(populations(given.data))
        with ProcessPoolExecutor(given.workers) as pool:  # forked: they have the sets
            body = of_sets(drawn_cells(pool, given.draws))
        note = NOTE.format(draws=given.draws, best=-(-given.draws // BEST_OF), least=LEAST)
        name = "tails_sets.md" if given.write else None
        report("Thresholds in the tail of held-out sets", f"{note}\n\n{body}", name)
        return
    sides = math.sqrt(0.95 * 0.05 / given.sets)
    note = (
        f"{given.sets} sets a cell, standard error of a coverage of .95: {sides:.3f}. Width: mean"
        " over that of the exact binomial interval. Error: root mean square of log10(true FAR /"
        " asked) over that of the empirical threshold; rms: itself."
    )
    parts = []
    with ProcessPoolExecutor(given.workers) as pool:
        for title, laws, sizes, kind in (
            ("Six distributions", LAWS, SIZES, "plain"),
            ("Ten others, looked at when all was set", OTHERS, SIZES, "plain"),
            ("Groups of five, latent correlation 1/2", LAWS, (2000,), "groups"),
            ("Scores of two decimals, at thresholds between two", LAWS, (2000,), "decimals"),
        ):
            jobs = [(name, n) for n in sizes for name in laws]
            found = list(pool.map(partial(simulated, sets=given.sets, kind=kind), jobs))
            cells = dict(zip(jobs, found, strict=True))
            parts.append(digest(f"## {title}", cells) + "\n\n" + table(HEAD, coverage_rows(cells)))
            print(parts[-1], flush=True)
    body = "\n\n".join([note, *parts, "## Time\n\n" + timings()])
    report("Rates and thresholds in the tail", body, "tails.md" if given.write else None)


if __name__ == "__main__":
    main()
