"""What is kept of a guaranteed FAR by classifiers of scikit-learn, in simulation.

    python benchmarks/sklearn_thresholds.py [--draws 1000] [--sets 75] [--workers 2] [--write]

(a) `decide(how="guaranteed")` handed to scikit-learn's own FixedThresholdClassifier (score >=
threshold) by `threshold_for_greater_equal`: five distributions of impostors, continuous and
rounded, float32 and float64. Which scores it accepts is asked of its `predict`; how probable
these are is known. (b) `ThresholdClassifier`, whose threshold comes from out-of-fold scores and
whose model is fitted again: five models; the true FAR is that of a large fresh sample.

The standard error of a share p of k draws is sqrt(p (1 - p) / k).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from _common import report, table
from joblib import Parallel, delayed
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

import betaroc as br
from betaroc.sklearn import ThresholdClassifier

CONFIDENCE = 0.95


# --------------------------------------------------------- (a) scikit-learn's own classifier
class Column(ClassifierMixin, BaseEstimator):
    """Its scores are the column that it gets."""

    def fit(self, X: Any, y: Any) -> Column:  # noqa: N803 - scikit-learn's name
        """Learn the labels."""
        self.classes_, self.n_features_in_ = np.unique(y), 1
        return self

    def decision_function(self, X: Any) -> Any:  # noqa: N803
        """The column."""
        return np.asarray(X)[:, 0]


class Impostors(NamedTuple):
    """A distribution of scores, and how wide the steps of rounded ones are."""

    distribution: Any
    step: float


DISTRIBUTIONS = {
    "Beta(2, 8)": Impostors(stats.beta(2, 8), 0.02),
    "Beta(0.5, 0.8)": Impostors(stats.beta(0.5, 0.8), 0.02),
    "normal": Impostors(stats.norm(), 0.1),
    "exponential": Impostors(stats.expon(), 0.1),
    "Student t, 3 degrees": Impostors(stats.t(3), 0.25),
}
SIZES = ((0.05, 100), (0.01, 300), (0.01, 1000))


def fixed_classifier(threshold: float, dtype: Any) -> FixedThresholdClassifier:
    """scikit-learn's, at a threshold."""
    found = FixedThresholdClassifier(
        Column(), threshold=threshold, response_method="decision_function"
    )
    return found.fit(np.array([[0], [1]], dtype), [0, 1])


def accepted_share(
    classifier: Any, threshold: float, given: Impostors, tied: bool, dtype: Any
) -> float:
    """Probability that it accepts an impostor, by its answers and the known distribution."""
    law, step = given
    if tied:  # every score that can occur near the threshold
        around = np.round(threshold / step) + np.arange(-5, 6)
        answers = classifier.predict((around * step).astype(dtype)[:, None])
        first = around[np.argmax(answers)] if answers.any() else around[-1] + 1
        if not np.array_equal(answers, around >= first) or answers[0]:
            raise RuntimeError(f"not a threshold: {answers}")
        return float(law.sf((first - 0.5) * step))
    kind = np.dtype(dtype).type
    at = kind(threshold)
    near = np.array([np.nextafter(at, kind(-np.inf)), at, np.nextafter(at, kind(np.inf))])
    answers = classifier.predict(near[:, None])
    first = near[np.argmax(answers)]
    below = float(np.nextafter(first, kind(-np.inf)))
    return float(law.sf(below + 0.5 * (float(first) - below)))


def handed_over(
    name: str, tied: bool, dtype: Any, far: float, n: int, draws: int
) -> tuple[float, float]:
    """Shares of draws that keep the FAR: by the threshold for >=, and by the threshold itself."""
    given = DISTRIBUTIONS[name]
    kept = np.zeros((draws, 2), bool)
    seed = [list(DISTRIBUTIONS).index(name), tied, np.dtype(dtype).itemsize, n, round(1e6 * far)]
    for k, stream in enumerate(np.random.SeedSequence(seed).spawn(draws)):
        rng = np.random.default_rng(stream)
        scores = given.distribution.rvs(n, random_state=rng)
        if tied:
            scores = np.round(scores / given.step) * given.step
        clients = np.array([scores.max() + 1.0, scores.max() + 2.0])
        data = br.Scores(clients.astype(dtype), scores.astype(dtype))
        # Scores outside [0, 1] are refused by "beta" at once: the other ways take time.
        d = br.decide(data, far=far, how="guaranteed", confidence=CONFIDENCE, family="beta")
        for column, threshold in enumerate((d.threshold_for_greater_equal, d.threshold)):
            classifier = fixed_classifier(threshold, dtype)
            kept[k, column] = accepted_share(classifier, threshold, given, tied, dtype) <= far
    return float(kept[:, 0].mean()), float(kept[:, 1].mean())


# ---------------------------------------------------------------- (b) ThresholdClassifier
MODELS: dict[str, Callable[[], Any]] = {
    "logistic regression": LogisticRegression,
    "random forest, 50 trees": lambda: RandomForestClassifier(50, random_state=0),
    "gradient boosting, 50 trees": lambda: GradientBoostingClassifier(
        n_estimators=50, random_state=0
    ),
    "SVM, decision function": SVC,
    "naive Bayes": GaussianNB,
}
#: FAR and rows of each class; the slow models have no third.
CELLS = ((0.05, 100), (0.02, 300), (0.05, 300))
SLOW = ("random forest, 50 trees", "gradient boosting, 50 trees")
FRESH = 10_000


def rows(rng: Any, n: int, client: bool) -> Any:
    """Clients around (1, 1, 0, 0, 0); impostors around 0 and, one in five, (-1, 2, 0, 0, 0)."""
    X = rng.normal(size=(n, 5))  # noqa: N806
    if client:
        X[:, :2] += 1.0
    else:
        other = rng.random(n) < 0.2
        X[other, :2] += (-1.0, 2.0)
    return X


class Found(NamedTuple):
    """True FARs of the sets of a cell."""

    refitted: Any
    prefit: Any


def true_fars(model: str, far: float, n: int, sets: range) -> Found:
    """True FAR of each set: fitted again to all rows, and with a model that saw none of them."""
    seed = [list(MODELS).index(model), n, round(1e6 * far)]
    found = np.empty((2, len(sets)))
    streams = np.random.SeedSequence(seed).spawn(sets.stop)
    for column, k in enumerate(sets):
        rng = np.random.default_rng(streams[k])
        first, second = (
            np.vstack([rows(rng, n, client=False), rows(rng, n, client=True)]) for _ in range(2)
        )
        y = np.repeat([0, 1], n)
        fresh = rows(rng, FRESH, client=False)
        asked = {"far": far, "how": "guaranteed", "family": "empirical"}
        own = ThresholdClassifier(MODELS[model](), random_state=k, **asked).fit(first, y)
        apart = ThresholdClassifier(own.estimator_, cv="prefit", **asked).fit(second, y)
        found[:, column] = own.predict(fresh).mean(), apart.predict(fresh).mean()
    return Found(*found)


# -------------------------------------------------------------------------------- tables
def percent(share: float) -> str:
    """In per cent."""
    return f"{100 * share:.1f}"


#: Distribution, whether rounded, dtype, FAR and n; model, FAR and n.
HANDED_OVER = [
    (name, tied, dtype, far, n)
    for name in DISTRIBUTIONS
    for tied in (False, True)
    for dtype in (np.float64, np.float32)
    for far, n in SIZES
]
REFITTED = [(name, *cell) for name in MODELS for cell in CELLS[: 2 if name in SLOW else 3]]


def body(shares: Any, truths: list[Found], draws: int) -> str:
    """Both tables in Markdown."""
    first = [
        [name, "rounded" if tied else "continuous", np.dtype(dtype).name, f"{far:g}", str(n),
         percent(kept), percent(itself)]
        for (name, tied, dtype, far, n), (kept, itself) in zip(HANDED_OVER, shares, strict=True)
    ]  # fmt: skip
    second = [
        [model, f"{far:g}", str(n), str(found.refitted.size),
         *(percent(np.mean(f <= far)) for f in found),
         *(f"{np.mean(f):.4f}" for f in found)]
        for (model, far, n), found in zip(REFITTED, truths, strict=True)
    ]  # fmt: skip
    least, overall = min(kept for kept, _ in shares), float(np.mean([kept for kept, _ in shares]))
    return "\n\n".join(
        [
            "Shares in per cent; FAR guaranteed with 95 % confidence.",
            "## scikit-learn's own FixedThresholdClassifier",
            f"Kept: true FAR at or below the target, {draws} draws a line (standard error"
            f" {percent((0.95 * 0.05 / draws) ** 0.5)}). The last column hands over the threshold"
            " itself, which accepts scores that tie with it."
            f" Least of all lines {percent(least)}, over all lines {percent(overall)}.",
            table(
                ["impostors", "scores", "dtype", "FAR", "n", "kept", "the threshold itself: kept"],
                first,
            ),
            "## ThresholdClassifier",
            f"Sets of n rows a class; true FAR on {FRESH} fresh impostors (standard error of a"
            f" share kept {percent((0.95 * 0.05 / truths[0].refitted.size) ** 0.5)}). Fitted"
            ' again: cv=5, shuffled. Prefit: cv="prefit" on as many rows that the model never saw.',
            table(
                ["model", "FAR", "n", "sets", "fitted again: kept", "prefit: kept",
                 "fitted again: mean true FAR", "prefit: mean true FAR"],
                second,
            ),
        ]
    )  # fmt: skip


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--sets", type=int, default=75)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write results/sklearn_thresholds.md")
    options = parser.parse_args()
    parallel = Parallel(n_jobs=options.workers)
    shares = parallel(delayed(handed_over)(*cell, options.draws) for cell in HANDED_OVER)
    sets = range(options.sets)
    truths = parallel(delayed(true_fars)(*cell, sets) for cell in REFITTED)
    text = body(shares, truths, options.draws)
    file = "sklearn_thresholds.md" if options.write else None
    report("Thresholds in scikit-learn", text, file)


if __name__ == "__main__":
    main()
