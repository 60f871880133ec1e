"""What the set that br.inclusion chooses loses, of real and of simulated classifiers.

    python benchmarks/ensemble_sets.py [--draws N] [--write]

Real: eight classifiers of scikit-learn, each trained on some rows of 17 of its data sets; of the
others some are the trials, the rest says what is true. Four to eight of them stand for choice.
Simulated: normal scores. The loss is the AUC of the fusion of all less that of the set, both
learned on the trials; a gain the AUC of all less that of all others.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from _common import report, table
from sklearn import datasets
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from betaroc.ensemble.choice import choose_set, worth_of
from betaroc.ensemble.learned import Learner, columns_of, dealt, learned_gains
from betaroc.ensemble.trials import Systems
from betaroc.inference.auc import placements

SIZES = (50, 200, 1000)
#: Sizes of the gains, which are cheap.
GAIN_SIZES = (50, 100, 400)
SIMULATED = ("noise", "copies", "six", "suppressor", "complement")
ROWS = 24_000


class Run(NamedTuple):
    """What one set of trials gave, beside what is true."""

    loss: float
    kept: int
    share: float
    beyond_single: float
    auc_covered: bool
    loss_covered: bool
    names: tuple[str, ...]
    seconds: float


def classifiers() -> dict[str, Any]:
    """Eight of different kinds."""
    return {
        "logreg": make_pipeline(StandardScaler(), LogisticRegression()),
        "knn": make_pipeline(StandardScaler(), KNeighborsClassifier(9)),
        "tree": DecisionTreeClassifier(max_depth=5, random_state=0),
        "bayes": GaussianNB(), "forest": RandomForestClassifier(40, random_state=0),
        "mlp": make_pipeline(StandardScaler(), MLPClassifier((12,), max_iter=300, random_state=0)),
        "svm": make_pipeline(StandardScaler(), SVC()),
        "boosting": GradientBoostingClassifier(n_estimators=30, random_state=0),
    }  # fmt: skip


def features() -> Iterator[tuple[str, Any, Any, int]]:
    """Name, rows, labels, and how many rows train the classifiers."""
    rng = np.random.default_rng(0)
    x, digit = datasets.load_digits(return_X_y=True)
    x = x + rng.normal(0.0, 6.0, x.shape)
    groups = {"even": (0, 2, 4, 6, 8), "low": (0, 1, 2, 3, 4), "round": (0, 3, 6, 8, 9),
              "prime": (2, 3, 5, 7), "middle": (3, 4, 5, 6), "ends": (0, 1, 8, 9)}  # fmt: skip
    for name, members in groups.items():
        yield f"digits, {name}", x, np.isin(digit, members), 250
    x, y = datasets.load_breast_cancer(return_X_y=True)
    yield "breast cancer", x[:, [1, 4, 8, 9, 11, 14, 18]], y == 1, 120
    for k, (informative, clusters, apart, flips) in enumerate(
        [(3, 1, 0.6, 0.02), (6, 3, 0.9, 0.05), (10, 4, 1.0, 0.1), (4, 2, 0.5, 0.1)]
    ):
        x, y = datasets.make_classification(
            ROWS, 20, n_informative=informative, n_redundant=4, n_clusters_per_class=clusters,
            class_sep=apart, flip_y=flips, random_state=k,
        )  # fmt: skip
        yield f"clusters {k}", x, y == 1, 500
    yield "moons", *datasets.make_moons(ROWS, noise=0.45, random_state=1), 300
    yield "circles", *datasets.make_circles(ROWS, noise=0.25, factor=0.6, random_state=1), 300
    yield "spheres", *datasets.make_gaussian_quantiles(
        n_samples=ROWS, n_features=6, n_classes=2, random_state=1), 400  # fmt: skip
    yield "hastie", *datasets.make_hastie_10_2(ROWS, random_state=1), 500
    x = rng.uniform(-3.0, 3.0, (ROWS, 4))
    odds = 3.0 * np.sin(2.0 * x[:, 0]) * np.sign(x[:, 1]) + x[:, 2]
    yield "checkers", x, rng.random(ROWS) < 1.0 / (1.0 + np.exp(-odds)), 500
    x = rng.standard_t(3, (ROWS, 8))
    odds = 0.6 * np.sum(x[:, :4], axis=1)
    yield "heavy tails", x, rng.random(ROWS) < 1.0 / (1.0 + np.exp(-odds)), 300


def scored() -> dict[str, tuple[Any, Any, list[str]]]:
    """Of each data set the scores of all classifiers on rows that trained none."""
    result = {}
    for name, x, y, count in features():
        order, y = np.random.default_rng(5).permutation(len(y)), np.asarray(y) > 0
        learn, rest = order[:count], order[count:]
        columns = {}
        for called, model in classifiers().items():
            model.fit(x[learn], y[learn])
            columns[called] = (
                model.decision_function(x[rest]) if called == "svm"
                else model.predict_proba(x[rest])[:, 1]
            )  # fmt: skip
        result[name] = np.column_stack(list(columns.values())), y[rest], list(columns)
    return result


def simulated(kind: str, n: int, rng: np.random.Generator) -> Systems:
    """Normal scores of n trials per class."""
    side = np.repeat([0.5, -0.5], n)[:, None]

    def noise(columns: int) -> Any:
        return rng.normal(size=(2 * n, columns))

    seen = noise(1)
    x = {
        "noise": lambda: np.column_stack([1.2 * side + noise(3), noise(3)]),
        "copies": lambda: 2.0 * side + seen + 0.1 * noise(3),
        "six": lambda: 1.2 * side + noise(6),
        "suppressor": lambda: np.column_stack([
            1.4 * side + seen, 1.4 * side + seen + 0.15 * noise(1), seen + 0.3 * noise(1)]),
        "complement": lambda: np.column_stack([
            1.4 * side + seen, 1.4 * side - 0.5 * seen + 0.9 * noise(1),
            1.4 * side + seen + 0.3 * noise(1)]),
    }[kind]()  # fmt: skip
    return Systems(tuple(f"c{k}" for k in range(x.shape[1])), x[:n], x[n:])


def real_trials(
    scores: dict[str, Any], n: int, draws: int, fewest: int
) -> Iterator[tuple[Systems, Systems]]:
    """Trials and the rest, of every data set that has enough."""
    for x, y, names in scores.values():
        sides = np.flatnonzero(y), np.flatnonzero(~y)
        if 2.5 * n > min(map(len, sides)):
            continue
        for draw in range(draws):
            rng = np.random.default_rng([draw, n])
            of = np.sort(rng.permutation(len(names))[: rng.integers(fewest, len(names) + 1)])
            mixed = [rng.permutation(side) for side in sides]
            called = tuple(names[k] for k in of)
            yield (
                Systems(called, *(x[side[:n]][:, of] for side in mixed)),
                Systems(called, *(x[side[n:]][:, of] for side in mixed)),
            )


def areas(learn: Systems, observe: Systems, columns: Any, members: Any) -> list[float]:
    """On held-out trials, of fusions of some classifiers each."""
    learner = Learner(learn, columns)
    scores = learner.scores(observe, [learner.fit(each) for each in members])
    return [placements(each)[0] for each in scores]


def chosen(trials: Systems, rest: Systems) -> Run:
    """The set, and what it loses."""
    columns, folds = columns_of([trials]), dealt(trials, 5, None)
    start = time.process_time()
    found = choose_set(trials, None, columns, folds, worth_of(None), ("smallest", 0.005, 0.95))
    seconds = time.process_time() - start
    members = np.isin(trials.names, found.names)
    every, own = areas(trials, rest, columns, [np.ones_like(members), members])
    single = placements(rest.scores(trials.names.index(found.best_single)))[0]
    loss, auc = found.loss, found.auc
    return Run(
        every - own, len(found.names), len(found.names) / members.size, own - single,
        auc.low <= own <= auc.high, loss.low - 1e-12 <= every - own <= loss.high + 1e-12,
        found.names, seconds,
    )  # fmt: skip


def row(runs: list[Run]) -> list[str]:
    """Losses, sizes, coverage and seconds."""
    loss = np.array([run.loss for run in runs])
    shares = [np.mean(loss > 0.005), np.mean(loss > 0.01)]
    means = [np.mean([run[k] for run in runs]) for k in range(len(runs[0])) if k != 6]
    return [
        f"{len(runs)}", f"{means[0]:.4f}", *(f"{share:.3f}" for share in shares),
        f"{means[1]:.2f}", f"{means[2]:.2f}", f"{means[3]:.4f}", f"{means[4]:.3f}",
        f"{means[5]:.3f}", f"{means[6]:.1f}",
    ]  # fmt: skip


HEAD = ("draws", "mean loss", "above .005", "above .01", "size", "share of all",
        "beyond the best single", "AUC covered", "loss covered", "seconds")  # fmt: skip
#: What is counted of a simulated set: noise that joins, or a classifier without which it is wrong.
FLAGS: dict[str, tuple[str, Callable[[Run], bool]]] = {
    "noise": ("noise joins", lambda run: bool({"c3", "c4", "c5"} & set(run.names))),
    "suppressor": ("suppressor kept", lambda run: "c2" in run.names),
    "complement": ("complement kept", lambda run: "c1" in run.names),
}


def gains(pairs: Iterator[tuple[Systems, Systems]]) -> tuple[list[float], list[bool], list[str]]:
    """Probability, truth and word of every candidate."""
    chances, truths, words = list[float](), list[bool](), list[str]()
    for trials, rest in pairs:
        columns = columns_of([trials])
        k = len(trials.names)
        members = np.concatenate([np.ones((1, k), dtype=bool), ~np.eye(k, dtype=bool)])
        every, *others = areas(trials, rest, columns, members)
        for gain, other in zip(
            learned_gains(trials, columns, dealt(trials, 5, None), None, 0.95), others, strict=True
        ):
            chances.append(gain.probability)
            truths.append(every - other >= 0.005)
            words.append(gain.word)
    return chances, truths, words


def gain_row(pairs: Iterator[tuple[Systems, Systems]]) -> list[str]:
    """How many are told, how many of these rightly, and shares of true gains by probability."""
    chances, truths, words = map(np.array, gains(pairs))
    told = np.isin(words, ["include", "adds nothing", "leave out"])
    right = (words == "include") == truths
    bins = [(chances >= low) & (chances < high) for low, high in
            ((0.0, 0.1), (0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.1))]  # fmt: skip
    shares = [f"{np.mean(chances[b]):.2f}: {np.mean(truths[b]):.2f} of {np.sum(b)}" if b.any()
              else "" for b in bins]  # fmt: skip
    return [f"{told.size}", f"{np.mean(told):.2f}", f"{np.mean(right[told]):.3f}", *shares]


def main() -> None:
    """Run all cells."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    start, scores, draws = time.process_time(), scored(), given.draws
    real, made, told = [], [], []
    for n in SIZES:
        real.append([f"{n}", *row([chosen(*pair) for pair in real_trials(scores, n, draws, 4)])])
        print(real[-1], flush=True)
    for n in GAIN_SIZES:
        pairs = list(real_trials(scores, n, draws, 2))
        pairs += [(simulated(kind, n, np.random.default_rng([d, n])),
                   simulated(kind, 5000, np.random.default_rng(99)))
                  for kind in SIMULATED for d in range(draws)]  # fmt: skip
        told.append([f"{n}", *gain_row(iter(pairs))])
        print(told[-1], flush=True)
    for kind in SIMULATED:
        rest = simulated(kind, 20_000, np.random.default_rng(99))
        for n in SIZES:
            runs = [chosen(simulated(kind, n, np.random.default_rng([d, n])), rest)
                    for d in range(10 * draws if n < 1000 else 4 * draws)]  # fmt: skip
            what, flag = FLAGS.get(kind, ("", lambda run: False))
            made.append(
                [
                    kind,
                    f"{n}",
                    *row(runs),
                    f"{what} {np.mean([flag(run) for run in runs]):.2f}" if what else "",
                ]
            )
            print(made[-1], flush=True)
    minutes = (time.process_time() - start) / 60.0
    heads = "trials per class", *HEAD
    ends = ("0 to .1", "to .3", "to .5", "to .7", "to .9", "to 1")
    candidates = table(("trials per class", "candidates", "told", "right", *ends), told)
    body = (
        f"{minutes:.0f} minutes of processor time. The standard error of a share s of n is"
        " sqrt(s (1 - s)/n); draws of one data set share its rows.\n\n"
        f"## Real classifiers\n\n{table(heads, real)}\n\n"
        f"## Simulated classifiers\n\n{table(('what', *heads, 'joins'), made)}\n\n"
        "## Gains\n\nCandidates of both; a bin has its mean P, the share of true gains of .005 or"
        f" more, and how many.\n\n{candidates}"
    )
    report("Sets of classifiers", body, "ensemble_sets.md" if given.write else None)


if __name__ == "__main__":
    main()
