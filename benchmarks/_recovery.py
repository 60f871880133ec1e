"""How often the tests of a fit reject a true hypothesis, and how well fits find the truth."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator

import numpy as np
from _common import table
from scipy.special import ndtri

import betaroc as br

Shapes = tuple[float, float, float, float]
Job = Callable[[str, int], list[list[str]]]

SIZES = (30, 100)
#: Pairs of which a part is true: equal a, equal b.
TIED = {
    "equal a, bell": (3.0, 2.0, 3.0, 4.0),
    "equal a, U": (0.5, 0.4, 0.5, 0.9),
    "equal b, bell": (4.0, 3.0, 2.0, 3.0),
    "equal b, U": (0.9, 0.5, 0.4, 0.5),
}
CHECKED: dict[str, Shapes] = {"bell": (4.0, 2.0, 2.0, 4.0), "U": (0.8, 0.4, 0.4, 0.8)}
RECOVERED: dict[str, Shapes] = {
    "bell (5, 2) v (2, 5)": (5.0, 2.0, 2.0, 5.0),
    "J (2, .6) v (.6, 2)": (2.0, 0.6, 0.6, 2.0),
    "U (.8, .3) v (.3, .8)": (0.8, 0.3, 0.3, 0.8),
    "U (.24, .5) v (.13, .4)": (0.24, 0.5, 0.13, 0.4),
}
REPLICATES = 99


def fit_of(scores: br.Scores, **options: object) -> br.Fit:
    """A fit, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        return br.fit(scores, **options)  # type: ignore[arg-type]


def score_sets(s: Shapes, n: tuple[int, int], sets: int, seed: int) -> Iterator[br.Scores]:
    """Score sets of beta distributions, none of them at 0 or 1."""
    rng = np.random.default_rng([seed, *n])
    low, high = 1e-300, 1.0 - 2.0**-53
    for _ in range(sets):
        client, impostor = (
            np.clip(rng.beta(s[2 * k], s[2 * k + 1], n[k]), low, high) for k in (0, 1)
        )
        yield br.Scores(client, impostor)


# ------------------------------------------------------------------------------ the tests
def size_jobs(sets: int) -> list[tuple[Job, str, int]]:
    """What to run for the rows of the table of sizes: a function, its pairs, its score sets."""
    jobs: list[tuple[Job, str, int]] = [(ends, law, sets) for law in TIED]
    jobs += [(areas, kind, sets) for kind in ("paired", "independent")]
    return jobs + [(checks, law, max(20, sets // 10)) for law in CHECKED]


def size_text(rows: list[list[str]]) -> str:
    """The table of sizes."""
    return (
        "Share of score sets in which a true hypothesis is rejected at .05; goal .04 to .06, what"
        " misses it has a star, and a second one if it misses it by more than two standard errors."
        " In brackets the Monte Carlo standard error of a share of .05.\n\n"
        + table(["test", "distributions", *(f"{n} a class" for n in SIZES)], rows)
    )


def _shown(share: float, tried: int) -> str:
    away = max(0.04 - share, share - 0.06)
    error = np.sqrt(0.05 * 0.95 / tried)
    star = "" if away <= 0.0 else " \\*" if away <= 2.0 * error else " \\*\\*"
    return f"{share:.3f}{star} ({error:.4f})"


def ends(law: str, sets: int) -> list[list[str]]:
    """Fit.end_tests where the distributions share the shape that it asks about."""
    end = "at_zero" if law.startswith("equal a") else "at_one"
    line = ["end_tests, " + end, law]
    for n in SIZES:
        values = [
            getattr(fit_of(s).end_tests(), end).p_value
            for s in score_sets(TIED[law], (n, n), sets, list(TIED).index(law))
        ]
        line.append(_shown(float(np.mean(np.array(values) <= 0.05)), sets))
    return [line]


def areas(kind: str, sets: int) -> list[list[str]]:
    """auc_test of two normal systems with the same area."""
    rows, paired = [], kind == "paired"
    for area in (0.76, 0.92):
        # Both systems are N(.8 shift, 1) v N(0, 1).
        shift = float(ndtri(area)) * math.sqrt(2.0) / 0.8
        line = [f"auc_test, {kind}", f"normal, AUC {area:g}"]
        for n in SIZES:
            rng = np.random.default_rng([n, int(paired), int(100 * area)])
            count = 0
            for _ in range(sets):
                common = rng.normal(size=(2, n)) + np.array([[shift], [0.0]])
                pair = [0.8 * common + 0.6 * rng.normal(size=(2, n)) for _ in range(2)]
                if not paired:
                    pair[1] = rng.normal(size=(2, n)) + 0.8 * np.array([[shift], [0.0]])
                count += br.auc_test(*(br.Scores(*x) for x in pair), paired).p_value <= 0.05
            line.append(_shown(count / sets, sets))
        rows.append(line)
    return rows


def checks(law: str, sets: int) -> list[list[str]]:
    """check_fit of the right distributions; both classes are counted."""
    names = {"ks": "Kolmogorov-Smirnov", "cvm": "Cramer-von Mises", "ad": "Anderson-Darling",
             "information": "information matrix"}  # fmt: skip
    count = {name: np.zeros(len(SIZES)) for name in names}
    for column, n in enumerate(SIZES):
        seed = 100 + list(CHECKED).index(law)
        for k, scores in enumerate(score_sets(CHECKED[law], (n, n), sets, seed)):
            found = br.check_fit(fit_of(scores), replicates=REPLICATES, rng=k)
            for name in names:
                count[name][column] += sum(t.p_value <= 0.05 for t in getattr(found, name))
    rows = []
    for name, words in names.items():
        shares = count[name] / (2 * sets)
        shown = [_shown(float(v), 2 * sets) for v in shares]
        rows.append([f"check_fit, {words}", law, *shown])
    return rows


# ------------------------------------------------------------------------------- recovery
def recovery_jobs(sets: int) -> list[tuple[Job, str, int]]:
    """What to run for the rows of the table of recovery."""
    return [(recovered, law, max(20, sets // 25)) for law in RECOVERED]


def recovered(law: str, sets: int) -> list[list[str]]:
    """Bias and error of shapes and area: of exact scores and of scores with one decimal."""
    rows, shapes = [], RECOVERED[law]
    truth = np.array([*shapes, br.beta_auc(*shapes)])
    for n in (100, 1000):
        found: dict[str, list[list[float]]] = {
            "exact": [], "one decimal, resolution=0.1": [], "one decimal, squeezed": [],
        }  # fmt: skip
        for scores in score_sets(shapes, (n, n), sets, 200 + list(RECOVERED).index(law)):
            rounded = br.Scores(np.round(scores.client, 1), np.round(scores.impostor, 1))
            fits = (
                fit_of(scores),
                fit_of(rounded, resolution=0.1),
                fit_of(rounded, boundary="squeeze"),
            )
            for way, fit in zip(found, fits, strict=True):
                own = [r.params[name] for r in (fit.client, fit.impostor) for name in "ab"]
                found[way].append([*own, br.beta_auc(*own)])
        for way, values in found.items():
            away = np.array(values) / truth - 1.0
            bias, error = np.mean(away, axis=0), np.sqrt(np.mean(away**2, axis=0))
            cells = [f"{b:+.3f} ({e:.3f})" for b, e in zip(bias, error, strict=True)]
            rows.append([law, str(n), way, *cells])
    return rows


def recovery_text(rows: list[list[str]], sets: int) -> str:
    """The table of recovery."""
    return (
        f"Mean of estimate/truth - 1, in brackets its root mean square; {max(20, sets // 25)} score"
        " sets a line, so that a mean has a standard error of the bracket over the root of that"
        " number. One decimal: the scores rounded to 0, 0.1, ..., 1, fitted by the likelihood of"
        " their cells (`resolution=0.1`) and as (s (n - 1) + 1/2)/n (`boundary=\"squeeze\"`).\n\n"
        + table(["distributions", "n a class", "scores", "a client", "b client", "a impostor",
                 "b impostor", "AUC"], rows)
    )  # fmt: skip
