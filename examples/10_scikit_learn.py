"""A classifier of scikit-learn with a threshold for FAR 5 %, and its displays.

Usage: python 10_scikit_learn.py [FOLDER]

Digits from 0 to 9: odd ones are clients. A third of the rows fits a logistic regression and decides
its threshold by cross-validation; of the others ROC, DET and expected performance are drawn.
"""

from __future__ import annotations

import sys
from pathlib import Path

from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from betaroc.sklearn import DetDisplay, EpcDisplay, RocDisplay, ThresholdClassifier


def main(folder: str = ".") -> None:
    digits = load_digits()
    X, X_rest, y, y_rest = train_test_split(
        digits.data, digits.target % 2, train_size=1 / 3, random_state=1
    )
    X_dev, X_test, y_dev, y_test = train_test_split(X_rest, y_rest, train_size=0.5, random_state=1)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    classifier = ThresholdClassifier(model, far=0.05).fit(X, y)
    predicted = classifier.predict(X_rest)
    decision = classifier.decision_
    print(f"accept above {decision.threshold:.2f}: {decision.how}, {decision.status}")
    print(f"FAR on the other rows: {(predicted[y_rest == 0] == 1).mean():.3f}")
    print(f"FRR on the other rows: {(predicted[y_rest == 1] == 0).mean():.3f}")

    figure, axes = plt.subplots(1, 3, figsize=(12.6, 3.9), layout="constrained")
    named = {"name": "logistic"}
    RocDisplay.from_estimator(
        classifier, X_rest, y_rest, level=0.95, ax=axes[0], plot_chance_level=True, **named
    )
    DetDisplay.from_estimator(
        classifier, X_rest, y_rest, family="normal", level=0.95, ax=axes[1], **named
    )
    sets = (X_dev, y_dev, X_test, y_test)
    EpcDisplay.from_estimator(
        classifier, *sets, level=0.95, replicates=500, rng=1, ax=axes[2], expected=True, **named
    )
    axes[2].set_ylim(0.0, 0.6)
    figure.savefig(Path(folder, "sklearn_displays.png"), dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
