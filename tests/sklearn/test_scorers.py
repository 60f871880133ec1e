"""Scorers: the weighted error of the predicted labels, by hand and in scikit-learn's searches."""

import pickle

import numpy as np
import pytest

import betaroc as br
from helpers.extras import needs

needs("sklearn", "sklearn")

from sklearn.base import BaseEstimator, ClassifierMixin  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.metrics import balanced_accuracy_score  # noqa: E402

from betaroc.sklearn import hter_scorer, weighted_error_scorer  # noqa: E402


class Says(ClassifierMixin, BaseEstimator):
    """It predicts the rows themselves."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


#: Of three impostors one is accepted, of two clients one is rejected.
Y, SAID = np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 0, 1])[:, None]


def test_by_hand():
    says = Says().fit(SAID, Y)
    for alpha in (0.0, 0.25, 1.0):
        expected = alpha / 3 + (1 - alpha) / 2
        assert weighted_error_scorer(alpha)(says, SAID, Y) == pytest.approx(-expected)
    assert hter_scorer(says, SAID, Y) == pytest.approx(-(1 / 3 + 1 / 2) / 2)
    weight = [1, 1, 2, 3, 1]  # FAR 2/4, FRR 3/4
    found = weighted_error_scorer(0.25)(says, SAID, Y, sample_weight=weight)
    assert found == pytest.approx(-(0.25 * 0.5 + 0.75 * 0.75))


def test_the_client_has_its_label():
    named = np.array(["genuine", "impostor"])
    says = Says().fit(SAID, named[Y])
    found = weighted_error_scorer(0.25, pos_label="genuine")(says, named[SAID], named[Y])
    assert found == pytest.approx(-(0.25 * 1 / 2 + 0.75 * 1 / 3))  # the classes are swapped
    with pytest.raises(ValueError, match="pos_label=client is not a valid label"):
        weighted_error_scorer(0.5, pos_label="client")(says, named[SAID], named[Y])


@pytest.mark.simulation
def test_half_total_error_is_that_of_scikit_learn():
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=200)
    X = rng.normal(size=(200, 1)) + y[:, None]
    model = LogisticRegression().fit(X, y)
    assert hter_scorer(model, X, y) == pytest.approx(
        balanced_accuracy_score(y, model.predict(X)) - 1
    )
    again = pickle.loads(pickle.dumps(weighted_error_scorer(0.1)))
    assert again(model, X, y) == weighted_error_scorer(0.1)(model, X, y)


def test_what_is_refused():
    says = Says().fit(SAID, Y)
    with pytest.raises(br.InputError, match="alpha must be a fraction"):
        weighted_error_scorer(2)
    with pytest.raises(br.InputError, match="y_true must hold two classes"):
        hter_scorer(says, SAID, np.ones(5, int))
    with pytest.raises(br.InputError, match="the estimator predicts 7 too"):
        hter_scorer(says, np.full((5, 1), 7), Y)
