"""How often the tests of a fit reject a true hypothesis, and how well fits find the true laws."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from _common import table
from scipy.special import ndtri

import betaroc as br

Shapes = tuple[float, float, float, float]

SIZES = (30, 100)
#: Pairs of which a part is true: equal a, equal b, a calibrated score.
TIED = {
    "equal a, bell": (3.0, 2.0, 3.0, 4.0),
    "equal a, U": (0.5, 0.4, 0.5, 0.9),
    "equal b, bell": (4.0, 3.0, 2.0, 3.0),
    "equal b, U": (0.9, 0.5, 0.4, 0.5),
}
CALIBRATED = ((1.0, 1.0), (0.5, 2.0), (3.0, 3.0))
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
    """Score sets of beta laws, none of them at 0 or 1."""
    rng = np.random.default_rng([seed, *n])
    low, high = 1e-300, 1.0 - 2.0**-53
    for _ in range(sets):
        client, impostor = (
            np.clip(rng.beta(s[2 * k], s[2 * k + 1], n[k]), low, high) for k in (0, 1)
        )
        yield br.Scores(client, impostor)


# ------------------------------------------------------------------------------ the tests
def test_sizes(sets: int) -> str:
    """Shares of true hypotheses rejected at .05."""
    rows = [*_ends(sets), *_areas(sets), *_calibrations(sets), *_checks(max(20, sets // 10))]
    return (
        "Share of score sets in which a true hypothesis is rejected at .05; goal .04 to .06, what"
        " misses it has a star. In brackets the Monte Carlo standard error of a share of .05.\n\n"
        + table(["test", "laws", *(f"{n} a class" for n in SIZES)], rows)
    )


def _shown(share: float, tried: int) -> str:
    star = "" if 0.04 <= share <= 0.06 else " *"
    return f"{share:.3f}{star} ({np.sqrt(0.05 * 0.95 / tried):.4f})"


def _ends(sets: int) -> Iterator[list[str]]:
    for number, (law, shapes) in enumerate(TIED.items()):
        end = "at_zero" if law.startswith("equal a") else "at_one"
        line = ["end_tests, " + end, law]
        for n in SIZES:
            values = [
                getattr(fit_of(s).end_tests(), end).p_value
                for s in score_sets(shapes, (n, n), sets, number)
            ]
            line.append(_shown(float(np.mean(np.array(values) <= 0.05)), sets))
        yield line


def _areas(sets: int) -> Iterator[list[str]]:
    for area in (0.76, 0.92):
        # Both systems are N(.8 shift, 1) v N(0, 1).
        shift = float(ndtri(area)) * math.sqrt(2.0) / 0.8
        for paired in (True, False):
            line = [f"auc_test, {'paired' if paired else 'independent'}", f"normal, AUC {area:g}"]
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
            yield line


def _calibrations(sets: int) -> Iterator[list[str]]:
    for p, q in CALIBRATED:
        line = ["calibration_test", f"posterior of Beta({p:g}, {q:g})"]
        for n in SIZES:
            rng = np.random.default_rng([n, int(10 * p), int(10 * q)])
            count = 0
            for _ in range(sets):
                score = np.clip(rng.beta(p, q, 2 * n), 1e-300, 1.0 - 2.0**-53)
                client = rng.random(2 * n) < score
                while min(client.sum(), (~client).sum()) < 5:
                    client = rng.random(2 * n) < score
                fit = fit_of(br.Scores(score[client], score[~client]))
                count += fit.calibration_test().p_value <= 0.05
            line.append(_shown(count / sets, sets))
        yield line


def _checks(sets: int) -> Iterator[list[str]]:
    names = {"ks": "Kolmogorov-Smirnov", "cvm": "Cramer-von Mises", "ad": "Anderson-Darling",
             "information": "information matrix"}  # fmt: skip
    for number, (law, shapes) in enumerate(CHECKED.items()):
        count = {name: np.zeros(len(SIZES)) for name in names}
        for column, n in enumerate(SIZES):
            for k, scores in enumerate(score_sets(shapes, (n, n), sets, 100 + number)):
                found = br.check_fit(fit_of(scores), replicates=REPLICATES, rng=k)
                for name in names:
                    tests = getattr(found, name)
                    count[name][column] += sum(t.p_value <= 0.05 for t in tests)
        for name, words in names.items():
            shares = count[name] / (2 * sets)
            yield [f"check_fit, {words}", law, *(_shown(float(v), 2 * sets) for v in shares)]


# ------------------------------------------------------------------------------- recovery
def recovery(sets: int) -> str:
    """Bias and error of shapes and area: of exact scores and of scores with one decimal."""
    rows = []
    for number, (law, shapes) in enumerate(RECOVERED.items()):
        for n in (100, 1000):
            ways = {"exact": [], "one decimal, resolution=0.1": [], "one decimal, squeezed": []}
            found: dict[str, list[npt.NDArray[np.float64]]] = ways
            for scores in score_sets(shapes, (n, n), sets, 200 + number):
                rounded = br.Scores(np.round(scores.client, 1), np.round(scores.impostor, 1))
                for way, fit in zip(
                    found,
                    (
                        fit_of(scores),
                        fit_of(rounded, resolution=0.1),
                        fit_of(rounded, boundary="squeeze"),
                    ),
                    strict=True,
                ):
                    laws = fit.client.distribution, fit.impostor.distribution
                    own = [laws[0].a, laws[0].b, laws[1].a, laws[1].b, br.beta_auc(
                        laws[0].a, laws[0].b, laws[1].a, laws[1].b)]  # fmt: skip
                    found[way].append(np.array(own, dtype=np.float64))
            truth = np.array([*shapes, br.beta_auc(*shapes)])
            for way, values in found.items():
                away = np.array(values) / truth - 1.0
                bias, error = np.mean(away, axis=0), np.sqrt(np.mean(away**2, axis=0))
                cells = [f"{b:+.3f} ({e:.3f})" for b, e in zip(bias, error, strict=True)]
                rows.append([law, str(n), way, *cells])
    return (
        f"Mean of estimate/truth - 1, in brackets its root mean square; {sets} score sets a line,"
        " so that a mean has a standard error of the bracket over the root of that number.\n\n"
        + table(["laws", "n a class", "scores", "a client", "b client", "a impostor",
                 "b impostor", "AUC"], rows)
    )  # fmt: skip
