"""The error of "best" by all its families over that by the families of before, on real scores.

    python benchmarks/best_families.py [--draws 100] [--data FOLDER ...] [--write]

A population is a set of scores, linear between its order statistics; draws of 1000 scores a class
are fitted by "best" twice: with the families that it compares, and with beta, logit-normal,
beta-mixture and normal on [0, 1], normal alone elsewhere. Errors are of what the fitted model says
against what the population has: differences of AUC, EER, least HTER, TPR at FAR .1 and .01 and of
thresholds there. Then an increasing map is laid on both classes: how often the fitted EER moves by
less than half the length of the scores' own 95 % interval. Folders are looked for in examples/data
and in those given; exp is taken of standardised scores that are not in [0, 1].
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

import numpy as np
from _common import report, table

import betaroc as br
from betaroc.core.notices import suppress_warnings
from betaroc.fits import family_choice

N, LEVELS = 1000, 200_000
FARS = (0.1, 0.01)
STATISTICS = ("AUC", "EER", "HTER", "TPR .1", "TPR .01", "threshold .1", "threshold .01")
REAL = (
    "asvspoof19_asv/eval", "asvspoof19_ecapa_ctst/eval", "fivethirtyeight/mlb_games",
    "fivethirtyeight/nba_games", "fivethirtyeight/world_cup_matches_in_game_men",
)  # fmt: skip
MAPS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], Callable[[float, float], bool]]] = {
    "logit": (lambda x: np.log(x) - np.log1p(-x), lambda low, high: low > 0.0 and high < 1.0),
    "exp": (np.exp, lambda low, high: not 0.0 <= low <= high <= 1.0),
    "cube": (lambda x: x**3, lambda low, high: low > 0.0),
}
OWN = {
    "beta": (br.Beta(5.0, 2.0), br.Beta(2.0, 5.0)),
    "logit-normal": (br.LogitNormal(1.0, 1.0), br.LogitNormal(-1.0, 1.4)),
    "beta-mixture": (br.Beta(6.0, 3.0), br.BetaMixture((0.9, 0.1), (br.Beta(2, 8), br.Beta(6, 3)))),
    "normal": (br.Normal(2.0, 1.0), br.Normal(0.0, 1.3)),
}
Pair = tuple[np.ndarray, np.ndarray]


def populations(folders: list[Path]) -> Iterator[tuple[str, Pair]]:
    """Real scores that are there, and those of classifiers and of pairs of digits."""
    from sklearn.datasets import load_digits, make_classification
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.svm import SVC

    for name in REAL:
        found = [p for folder in folders for p in folder.glob(f"{name}.csv*")]
        if found:
            scores = br.read_scores(found[0])
            yield name, (scores.client, scores.impostor)
    x, y = make_classification(
        24_000, 20, n_informative=6, n_clusters_per_class=3, class_sep=0.8, flip_y=0.03,
        random_state=5,
    )  # fmt: skip
    makers = {
        "logistic margins": (LogisticRegression(), "decision_function"),
        "SVM decisions": (SVC(), "decision_function"),
        "GaussianNB posteriors": (GaussianNB(), "predict_proba"),
        "forest votes": (RandomForestClassifier(50, max_depth=12, random_state=1), "predict_proba"),
    }
    for name, (maker, method) in makers.items():
        scores = getattr(maker.fit(x[:4000], y[:4000]), method)(x[4000:])
        scores = scores[:, 1] if scores.ndim == 2 else scores
        yield name, (scores[y[4000:] == 1], scores[y[4000:] == 0])
    images, digit = load_digits(return_X_y=True)
    images = images / np.linalg.norm(images, axis=1, keepdims=True)
    first, second = np.random.default_rng(2).integers(0, len(digit), (2, 60_000))
    near, same = (
        -np.linalg.norm(images[first] - images[second], axis=1),
        digit[first] == digit[second],
    )
    keep = first != second
    yield "pairs of digits", (near[keep & same], near[keep & ~same])


def along(values: np.ndarray, u: np.ndarray) -> np.ndarray:
    """The linear interpolation of order statistics at levels."""
    return np.interp(u * (values.size - 1), np.arange(values.size), np.sort(values))


def numbers(model: br.ScoreModel) -> np.ndarray:
    """The statistics of a model."""
    at = [model.at_far(far) for far in FARS]
    hter = model.min_weighted_error(0.5).hter
    return np.array([
        model.auc(), model.eer().hter, hter, *(p.tpr for p in at), *(p.threshold for p in at),
    ])  # fmt: skip


def best(scores: br.Scores, *, before: bool = False) -> br.ScoreModel:
    """The model of the recommended families."""
    with suppress_warnings():
        if not before:
            return br.fit(scores, "best").model
        unit = min(map(np.min, (scores.client, scores.impostor))) >= 0.0
        unit = unit and max(map(np.max, (scores.client, scores.impostor))) <= 1.0
        names = ["beta", "normal", "logit-normal", "beta-mixture"] if unit else ["normal"]
        with patch.object(family_choice, "_usual", lambda *_, **__: names):
            return br.fit(scores, "best").model


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--data", type=Path, nargs="*", default=[])
    parser.add_argument("--write", action="store_true", help="write results/best_families.md")
    given = parser.parse_args()
    rows, moved, ratios, started = [], [], [], time.process_time()
    folders = [*given.data, Path(__file__).parents[1] / "examples" / "data"]
    for name, pair in [*populations(folders), *OWN.items()]:
        own = name in OWN
        levels = (np.arange(LEVELS) + 0.5) / LEVELS
        quantile = [x.ppf if own else (lambda u, x=x: along(x, u)) for x in pair]
        if own:
            truth = numbers(br.ScoreModel(*pair))
        else:
            truth = numbers(br.fit(br.Scores(*(q(levels) for q in quantile)), "empirical").model)
        errors, still = [], {kind: [] for kind in MAPS}
        for k in range(given.draws):
            rng = np.random.default_rng([44, k])
            scores = br.Scores(*(np.asarray(q(rng.random(N))) for q in quantile))
            found = best(scores)
            errors.append([numbers(found) - truth, numbers(best(scores, before=True)) - truth])
            low, high = (
                f([scores.client.min(), scores.impostor.min()])
                if f is min
                else f([scores.client.max(), scores.impostor.max()])
                for f in (min, max)
            )
            for kind, (change, possible) in MAPS.items():
                if not own and possible(low, high):
                    both = np.concatenate([scores.client, scores.impostor])
                    z = (both - both.mean()) / both.std() if kind == "exp" else both
                    other = best(br.Scores(*np.split(change(z), [N])))
                    length = br.interval(scores, "eer")
                    room = 0.5 * (length.high - length.low)
                    still[kind].append(abs(other.eer().hter - found.eer().hter) < room)
        rms = np.sqrt(np.mean(np.square(errors), axis=0))
        piles = max(float(np.mean(np.isin(x, [x.min(), x.max()]))) for x in pair) if not own else 0
        ratio = rms[0] / rms[1]
        if not own and piles < 0.01:
            ratios.append(ratio)
        rows.append([name + (" (piles)" if piles >= 0.01 else ""), *(f"{r:.2f}" for r in ratio)])
        kept = [f"{np.mean(v):.2f} of {len(v)}" if v else "" for v in still.values()]
        moved.append([name, *kept])
        print(rows[-1], moved[-1], flush=True)
    mean = np.exp(np.mean(np.log(ratios), axis=0))
    rows.append(["geometric mean of real sets without piles", *(f"{r:.2f}" for r in mean)])
    minutes = (time.process_time() - started) / 60
    body = "\n\n".join([
        f"{given.draws} draws of {N} scores a class; {minutes:.0f} minutes of processor time.",
        "## Root mean square error over that by the families of before\n\n"
        + table(["scores", *STATISTICS], rows),
        "## Share of draws whose EER stays under an increasing map\n\n"
        + table(["scores", *MAPS], [row for row in moved if any(row[1:])]),
    ])  # fmt: skip
    report('The families of "best"', body, "best_families.md" if given.write else None)


if __name__ == "__main__":
    main()
