"""Thresholds on the data sets that come with scikit-learn, beside its TunedThresholdClassifierCV.

    python benchmarks/sklearn_study.py [--splits 9] [--workers 2] [--write]

Half of the rows decide, the other half is held out, in random stratified splits. Three goals: FAR
at most .05 (scikit-learn: the largest TPR among thresholds whose FAR is at most .05), the least
cost where a false acceptance costs 5 and a false rejection 1, the least HTER (balanced accuracy).
Both see the same folds; betaroc's thresholds are those of `ThresholdClassifier(..., family="best")`
with each `how`, of which the out-of-fold scores and the model fitted again are the same.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from _common import report, table
from joblib import Parallel, delayed
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    StratifiedKFold,
    TunedThresholdClassifierCV,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import betaroc as br
from betaroc.sklearn import ThresholdClassifier

FAR = 0.05
COSTS = (5.0, 1.0)
Rows = tuple[Any, Any]


def _digits(impostors: tuple[int, ...], clients: tuple[int, ...]) -> Rows:
    X, y = load_digits(return_X_y=True)  # noqa: N806
    kept = np.isin(y, impostors + clients)
    return X[kept], np.isin(y[kept], clients).astype(int)


def _diabetes() -> Rows:
    X, y = load_diabetes(return_X_y=True)  # noqa: N806
    return X, (y > np.median(y)).astype(int)


def _of_three(load: Callable[..., Rows], client: int, impostors: tuple[int, ...]) -> Rows:
    X, y = load(return_X_y=True)  # noqa: N806
    kept = np.isin(y, (*impostors, client))
    return X[kept], (y[kept] == client).astype(int)


SETS: dict[str, Callable[[], Rows]] = {
    "breast cancer: benign": lambda: load_breast_cancer(return_X_y=True),
    "diabetes: above the median": _diabetes,
    "digits: 8 against 3": lambda: _digits((3,), (8,)),
    "digits: 9 against 4": lambda: _digits((4,), (9,)),
    "digits: odd against even": lambda: _digits((0, 2, 4, 6, 8), (1, 3, 5, 7, 9)),
    "iris: virginica against versicolor": lambda: _of_three(load_iris, 2, (1,)),
    "wine: second against others": lambda: _of_three(load_wine, 1, (0, 2)),
}
MODELS: dict[str, Callable[[], Any]] = {
    "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "forest": lambda: RandomForestClassifier(50, random_state=0),
}
WAYS = ("default", "average", "tail", "model")


def rates(y: Any, predicted: Any) -> tuple[float, float]:
    """FAR and FRR of labels."""
    return float(np.mean(predicted[y == 0] == 1)), float(np.mean(predicted[y == 1] == 0))


def tpr_at_far(y: Any, predicted: Any) -> float:
    """TPR where FAR is at most the target; else worse than any, and less so nearer to it."""
    far, frr = rates(np.asarray(y), np.asarray(predicted))
    return 1.0 - frr if far <= FAR else -far


def mean_cost(y: Any, predicted: Any) -> float:
    """Cost of a trial."""
    y, predicted = np.asarray(y), np.asarray(predicted)
    return float(COSTS[0] * np.mean((y == 0) & (predicted == 1))
                 + COSTS[1] * np.mean((y == 1) & (predicted == 0)))  # fmt: skip


SCORINGS = {
    "far": make_scorer(tpr_at_far),
    "cost": make_scorer(mean_cost, greater_is_better=False),
    "hter": "balanced_accuracy",
}


def one_split(rows: Rows, model: str, seed: int) -> dict[tuple[str, str], tuple[float, float]]:
    """Held-out FAR and FRR by goal and way."""
    X, X_test, y, y_test = train_test_split(  # noqa: N806
        *rows, test_size=0.5, stratify=rows[1], random_state=seed
    )
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    found = {}
    for goal, scoring in SCORINGS.items():
        peer = TunedThresholdClassifierCV(MODELS[model](), scoring=scoring, cv=folds)
        found[goal, "scikit-learn"] = rates(y_test, peer.fit(X, y).predict(X_test))
    own = ThresholdClassifier(MODELS[model](), far=FAR, cv=folds, pos_label=1).fit(X, y)
    held_out = getattr(own, own.response_method_)(X_test)
    held_out = held_out[:, 1] if held_out.ndim == 2 else held_out
    thresholds = {("far", way.how): way.threshold for way in own.decision_.methods}
    thresholds["far", "default"] = own.decision_.threshold
    for goal, asked in (
        ("cost", {"cost_fa": COSTS[0], "cost_fr": COSTS[1]}),
        ("hter", {"eer": True}),
    ):
        ways = br.decide(own.scores_, **asked).methods
        thresholds |= {(goal, way.how): way.threshold for way in ways}
    for key, threshold in thresholds.items():
        found[key] = (np.nan, np.nan)
        if not np.isnan(threshold):
            found[key] = rates(y_test, (held_out > threshold).astype(int))
    return found


def cell(name: str, model: str, seeds: range) -> dict[tuple[str, str], Any]:
    """Held-out FARs and FRRs of splits, shape (splits, 2), by goal and way."""
    rows = SETS[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        every = [one_split(rows, model, seed) for seed in seeds]
    return {key: np.array([one[key] for one in every]) for key in every[0]}


def of_far(found: Any) -> str:
    """Mean FAR, mean FRR and the share of splits that keep the target, in per cent."""
    far, frr = found.T
    if np.isnan(far).any():
        return f"not possible in {np.isnan(far).sum()} splits"
    return f"{100 * far.mean():.1f} / {100 * frr.mean():.1f} / {100 * np.mean(far <= FAR):.0f}"


def of_loss(found: Any, weights: tuple[float, float]) -> str:
    """Mean of the weighted rates."""
    if np.isnan(found).any():
        return f"not possible in {np.isnan(found[:, 0]).sum()} splits"
    return f"{float(np.mean(found @ np.array(weights))):.4f}"


CELLS = [(name, model) for name in SETS for model in MODELS]


def body(found: list[dict[tuple[str, str], Any]]) -> str:
    """All cells."""
    first, second = [], []
    for (name, model), one in zip(CELLS, found, strict=True):
        y = SETS[name]()[1]
        share = float(np.mean(y))
        costs = (COSTS[0] * (1.0 - share), COSTS[1] * share)
        sizes = f"{np.sum(y == 0) // 2}"
        ways = ("scikit-learn", *WAYS)
        first.append([name, model, sizes, *(of_far(one["far", way]) for way in ways)])
        second.append(
            [name, model,
             *(of_loss(one["cost", way], costs) for way in ("scikit-learn", "counted", "model")),
             *(of_loss(one["hter", w], (0.5, 0.5)) for w in ("scikit-learn", "counted", "model"))]
        )  # fmt: skip
    return "\n\n".join(
        [
            f"{len(found[0]['far', 'default'])} splits a line; these overlap, so their means vary"
            " more than those of as many new sets.",
            "## FAR at most .05",
            "Held-out FAR / FRR / share of splits in which the held-out FAR is at most 5 %, all in"
            " per cent. n: impostors that decide. Default: guaranteed with 95 % confidence from 59"
            " impostors, else average.",
            table(["data", "model", "n", "TunedThresholdClassifierCV", *WAYS], first),
            "## Costs 5 and 1, and HTER",
            "Held-out mean cost of a trial, then held-out HTER (betaroc: threshold of the EER).",
            table(
                ["data", "model", "cost: scikit-learn", "cost: counted", "cost: model",
                 "HTER: scikit-learn", "HTER: counted", "HTER: model"],
                second,
            ),
        ]
    )  # fmt: skip


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=9)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write results/sklearn_study.md")
    options = parser.parse_args()
    splits = range(options.splits)
    parallel = Parallel(n_jobs=options.workers)
    text = body(parallel(delayed(cell)(*one, splits) for one in CELLS))
    title = "Thresholds beside TunedThresholdClassifierCV"
    report(title, text, "sklearn_study.md" if options.write else None)


if __name__ == "__main__":
    main()
