"""The classifier with a decided threshold: scores, rule, what it hands on, what it refuses."""

import pickle
import warnings

import numpy as np
import pytest

import betaroc as br
from helpers.extras import needs

needs("sklearn", "sklearn")

from joblib import parallel_config  # noqa: E402
from sklearn import config_context  # noqa: E402
from sklearn.base import BaseEstimator, ClassifierMixin, clone  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.linear_model import LinearRegression, LogisticRegression  # noqa: E402
from sklearn.model_selection import (  # noqa: E402
    FixedThresholdClassifier,
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB  # noqa: E402
from sklearn.neighbors import KNeighborsClassifier  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.svm import SVC  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

from betaroc.sklearn import ThresholdClassifier  # noqa: E402


class Column(ClassifierMixin, BaseEstimator):
    """Its scores are the first column, as it is."""

    def fit(self, X, y):
        self.classes_, self.n_features_in_ = np.unique(y), np.shape(X)[1]
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0]

    def predict(self, X):
        return self.classes_[(self.decision_function(X) >= 0).astype(int)]


def rows(n=400, seed=1, features=2):
    """N(0, 1) and N(1.5, 1) in each feature; a third are clients."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 3 == 0).astype(int)
    return rng.normal(size=(n, features)) + 1.5 * y[:, None], y


def quick(estimator=None, **options):
    target = {} if {"far", "frr", "cost_fa", "eer"} & set(options) else {"far": 0.1}
    own = LogisticRegression() if estimator is None else estimator
    return ThresholdClassifier(own, **{"family": "empirical", **target, **options})


def test_scores_are_those_of_cross_val_predict_and_a_client_is_above_the_threshold():
    X, y = rows()
    found = quick().fit(X, y)
    own = cross_val_predict(LogisticRegression(), X, y, cv=5, method="decision_function")
    expected = br.Scores.from_labels(y, own)
    assert np.array_equal(np.sort(found.scores_.client), np.sort(expected.client))
    assert np.array_equal(np.sort(found.scores_.impostor), np.sort(expected.impostor))
    assert found.decision_.threshold == br.decide(expected, far=0.1, family="empirical").threshold
    assert np.array_equal(found.estimator_.coef_, LogisticRegression().fit(X, y).coef_)
    # Impostors 0 to 99: FAR .1 on average leaves 9 above; what ties with the threshold is out.
    X = np.r_[np.arange(100.0), np.arange(95.0, 145.0)][:, None]
    y = np.r_[np.zeros(100, int), np.ones(50, int)]
    found = quick(Column(), how="average").fit(X, y)
    assert found.decision_.threshold == 90.0  # k + 1 = floor(.1 x 101) = 10: 9 above the tenth
    assert found.predict([[90.0], [90.5], [91.0]]).tolist() == [0, 1, 1]


@pytest.mark.parametrize(("estimator", "method"), [
    (SVC(kernel="precomputed"), "decision_function"),
    (make_pipeline(StandardScaler(), GaussianNB()), "predict_proba"),
])  # fmt: skip
def test_estimators_of_either_method(estimator, method):
    X, y = rows(120)
    if getattr(estimator, "kernel", "") == "precomputed":
        X = X @ X.T
    found = quick(estimator).fit(X, y)
    assert found.response_method_ == method
    expected = cross_val_predict(estimator, X, y, cv=5, method=method)
    expected = expected[:, 1] if method == "predict_proba" else expected
    assert sorted(found.scores_.client) == sorted(expected[y == 1])
    scores = getattr(found, method)(X)
    scores = scores[:, 1] if method == "predict_proba" else scores
    assert np.array_equal(found.predict(X) == 1, scores > found.decision_.threshold)
    assert found.score(X, y) == np.mean(found.predict(X) == y)


def test_response_method_and_costs_are_obeyed():
    X, y = rows(120)
    costs = quick(cost_fa=5, cost_fr=1).fit(X, y).decision_
    assert (costs.how, costs.costs, costs.expected.prior) == ("counted", (5.0, 1.0), 1 / 3)
    found = quick(response_method="predict_proba").fit(X, y)
    assert 0.0 < found.decision_.threshold < 1.0
    assert not hasattr(quick(GaussianNB()), "decision_function")
    assert np.array_equal(found.decision_function(X), found.estimator_.decision_function(X))


@pytest.mark.simulation
def test_kinds_of_cv():
    X, y = rows(90)
    whole = quick(cv=3).fit(X, y).scores_
    assert quick(cv=StratifiedKFold(3)).fit(X, y).scores_ == whole
    assert quick(cv=list(StratifiedKFold(3).split(X, y))).fit(X, y).scores_ == whole
    with parallel_config(backend="threading"):
        assert quick(cv=3, n_jobs=2).fit(X, y).scores_ == whole
    shuffled = [quick(cv=3, random_state=seed).fit(X, y).scores_ for seed in (0, 0, 1)]
    assert shuffled[0] == shuffled[1] != shuffled[2]
    folds = StratifiedKFold(3, shuffle=True, random_state=1)
    assert shuffled[2] == quick(cv=folds).fit(X, y).scores_


def test_prefit_takes_the_estimator_as_it_is():
    X, y = rows(200)
    fitted = LogisticRegression().fit(X[:100], y[:100])
    found = quick(fitted, cv="prefit").fit(X[100:], y[100:])
    assert found.estimator_ is fitted
    dev = br.Scores.from_labels(y[100:], fitted.decision_function(X[100:]))
    assert found.scores_ == dev
    with pytest.raises(NotFittedError):
        quick(cv="prefit").fit(X, y)


def test_a_rate_is_kept_for_each_stratum_of_its_class():
    X, y = rows(300)
    strata = np.where(y == 1, "", np.where(np.arange(300) % 5, "print", "replay"))
    found = quick(cv="prefit", estimator=Column().fit(X, y)).fit(X, y, strata=strata)
    scores = br.Scores(X[y == 1, 0], X[y == 0, 0], impostor_strata=strata[y == 0])
    assert found.decision_.threshold == br.decide(scores, far=found.far).threshold
    shuffled = StratifiedKFold(3, shuffle=True, random_state=1)
    folds = quick(cv=shuffled).fit(X, y, strata=strata.tolist())
    assert folds.scores_.strata == found.scores_.strata


@pytest.mark.simulation
def test_groups_go_to_the_folds_and_to_the_decision():
    X, y = rows(300)
    groups = np.arange(300) // 3  # each has one client and two impostors
    found = quick(cv=5, how="average").fit(X, y, groups=groups)
    folds = list(StratifiedGroupKFold(5).split(X, y, groups))
    assert found.scores_ == quick(cv=folds).fit(X, y, groups=groups).scores_
    order = np.concatenate([test for _, test in folds])
    assert np.array_equal(found.scores_.impostor_groups, groups[order][y[order] == 0])
    assert found.decision_.expected == br.decide(found.scores_, far=0.1, how="average").expected
    pairs = quick(cv=list(KFold(3).split(X))).fit(X, y, groups=np.column_stack([groups, groups]))
    assert pairs.scores_.client_groups.shape == (100, 2)


@pytest.mark.simulation
def test_weights_are_copies_for_both():
    X, y = rows(90)
    weight = np.where(np.arange(90) % 2, 1, 3)
    folds = StratifiedKFold(3, shuffle=True, random_state=1)
    found = quick(cv=folds, how="average").fit(X, y, sample_weight=weight)
    order = np.concatenate([test for _, test in folds.split(X, y)])
    assert np.array_equal(found.scores_.client_weights, weight[order][y[order] == 1])
    whole = LogisticRegression().fit(X, y, weight)
    assert np.array_equal(found.estimator_.coef_, whole.coef_)
    with pytest.warns(br.BetarocWarning, match=r"KNeighborsClassifier\.fit takes no sample_weight"):
        quick(KNeighborsClassifier()).fit(X, y, sample_weight=weight)


@pytest.mark.simulation
def test_metadata_is_routed():
    X, y = rows(90)
    weight, groups = np.where(np.arange(90) % 2, 1, 3), np.arange(90) // 3
    with config_context(enable_metadata_routing=True):
        asks = LogisticRegression().set_fit_request(sample_weight=True)
        own = quick(asks, cv=GroupKFold(3)).set_fit_request(sample_weight=True, groups=True)
        found = own.fit(X, y, sample_weight=weight, groups=groups)
        lazy = quick(LogisticRegression().set_fit_request(sample_weight=False), cv=3)
        plain = lazy.fit(X, y, sample_weight=weight)
    assert np.array_equal(found.estimator_.coef_, LogisticRegression().fit(X, y, weight).coef_)
    assert np.array_equal(plain.estimator_.coef_, LogisticRegression().fit(X, y).coef_)
    folds = list(GroupKFold(3).split(X, y, groups))
    by_hand = quick(cv=folds).fit(X, y, sample_weight=weight, groups=groups)
    assert found.scores_ == by_hand.scores_


@pytest.mark.simulation
@pytest.mark.parametrize("pair", [(-1, 1), (3, 7), ("a", "b")])
def test_labels_of_two_kinds(pair):
    X, y = rows(90)
    named = np.array(pair)[y]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = quick().fit(X, named)
    assert [w.filename for w in said] == [__file__] * (pair != (-1, 1))  # which label was guessed
    assert found.pos_label_ == pair[1]
    assert (found.scores_.words is None) == (pair[0] != "a")
    assert found.decision_.threshold == quick().fit(X, y).decision_.threshold
    assert np.array_equal(found.predict(X), np.array(pair)[quick().fit(X, y).predict(X)])
    other = quick(pos_label=pair[0]).fit(X, named)
    mirrored = br.Scores(-found.scores_.impostor, -found.scores_.client)
    assert other.decision_.threshold == br.decide(mirrored, far=0.1).threshold


@pytest.mark.simulation
def test_a_good_citizen():
    X, y = rows(90)
    own = quick(frr=0.2, cv=3, confidence=0.9)
    assert clone(own).get_params() | {"estimator": None} == own.get_params() | {"estimator": None}
    found = own.fit(X, y)
    assert np.array_equal(pickle.loads(pickle.dumps(found)).predict(X), found.predict(X))
    grid = GridSearchCV(quick(cv=2), {"estimator__C": [0.1, 1.0], "far": [0.1, 0.2]}, cv=2)
    assert set(grid.fit(X, y).best_params_) == {"estimator__C", "far"}


@pytest.mark.nightly
def test_checks_of_estimators_as_of_scikit_learns_own():
    """At a threshold other than the estimator's own, predict cannot agree with it: as there."""

    def failed(estimator):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = check_estimator(estimator, on_fail=None, on_skip=None)
        # Before scikit-learn 1.7 weights are compared with repeated rows that fall in other folds.
        names = {one["check_name"] for one in found if one["status"] == "failed"}
        return {name for name in names if "check_sample_weight_equivalence" not in name}

    base = LogisticRegression()
    assert failed(quick(base, far=0.3)) <= failed(FixedThresholdClassifier(base, threshold=1.0))


class Untouched(Column):
    """It must not be fitted."""

    def fit(self, X, y, sample_weight=None):
        raise AssertionError("work was begun")


@pytest.mark.parametrize(
    ("options", "message", "argument"),
    [
        ({"far": None}, "exactly one target must be given", None),
        ({"far": 0.01, "how": "guaranteed"}, "299 impostors needed, dev has 60", "how"),
        ({"cv": 1}, "cv must be an int >= 2", "cv"),
        ({"cv": [1.0, 2.0]}, "cv must give pairs of rows", "cv"),
        ({"cv": RepeatedStratifiedKFold(n_splits=2, n_repeats=2)}, "test a row once", "cv"),
        ({"cv": [(np.arange(0, 90, 3), np.arange(1, 90, 3))]}, "leave both classes", "cv"),
        ({"response_method": "predict_proba"}, "has no such method", "estimator"),
        ({"pos_label": 2}, "pos_label must be one of the labels", "pos_label"),
    ],
)
def test_what_is_refused_before_any_work(options, message, argument):
    X, y = rows(90)
    with pytest.raises(br.BetarocError, match=message) as caught:
        quick(Untouched(), **options).fit(X, y)
    assert caught.value.argument == argument


OF_OTHER_LABELS = quick(LogisticRegression().fit(rows(90)[0], rows(90)[1] + 1), cv="prefit")


@pytest.mark.parametrize(
    ("own", "given", "message"),
    [
        (quick(LinearRegression()), {}, "decision_function or predict_proba"),
        (quick(Untouched()), {"y": np.arange(90) % 3}, "Only binary classification"),
        (quick(Untouched()), {"sample_weight": np.zeros(90)}, "above zero somewhere"),
        (quick(Untouched()), {"groups": np.zeros((90, 2))}, "groups have two columns"),
        (quick(), {"colour": np.ones(90)}, "switch metadata routing on"),
        (OF_OTHER_LABELS, {}, "classes_ are 1, 2"),
    ],
)  # fmt: skip
def test_data_that_are_refused(own, given, message):
    X, y = rows(90)
    kind = br.InputTypeError if "predict_proba" in message else br.InputError
    with pytest.raises(kind, match=message):
        own.fit(X, **{"y": y} | given)


def test_notices_are_at_the_users_line_once():
    X, y = rows(90)
    with pytest.warns(br.BetarocWarning) as said:
        quick(Column(), cv=3).fit(X.astype(np.float16), y)
    assert [w.category for w in said] == [br.PrecisionWarning]
    assert said[0].filename == __file__


@pytest.mark.simulation
def test_only_a_model_that_gave_the_scores_has_the_guarantee():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(800, 3)), rng.integers(0, 2, 800)
    X[:, 0] += y
    told = quick().fit(X[:400], y[:400]).decision_
    assert told.reason.endswith("the bound was measured on some models, not guaranteed.")
    model = LogisticRegression().fit(X[:400], y[:400])
    apart = quick(model, cv="prefit").fit(X[400:], y[400:]).decision_
    assert (told.status, apart.status) == ("not enough evidence", "can be relied on")


@pytest.mark.simulation
def test_a_threshold_of_no_use_stays_so_though_fitted_again():
    class Backwards(LogisticRegression):
        def decision_function(self, X):
            return -super().decision_function(X)

    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(400, 2)), np.repeat([0, 1], 200)
    X[200:, 0] += 4
    with pytest.warns(br.errors.ReversedScoresWarning):
        found = ThresholdClassifier(Backwards(), far=0.1, family="normal").fit(X, y).decision_
    assert (found.how, found.status) == ("guaranteed", "do not rely on it")


class Rounded(Column):
    """Scores with ties, in the dtype of the rows."""

    def decision_function(self, X):
        return np.asarray(X)[:, 0].round(1)


@pytest.mark.simulation
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("pos_label", [0, 1])
def test_scikit_learn_s_own_classifier_decides_alike(dtype, pos_label):
    X, y = rows()
    X = X.astype(dtype)
    for estimator, cv in ((Rounded(), 5), (Rounded().fit(X, y), "prefit"), (GaussianNB(), 5)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", br.BetarocWarning)
            found = quick(estimator, cv=cv, pos_label=pos_label).fit(X, y)
        fixed = found.to_fixed()
        assert isinstance(fixed, FixedThresholdClassifier)
        again = pickle.loads(pickle.dumps(fixed))
        refitted = clone(fixed).fit(X[:50], y[:50])  # what is frozen stays
        for other in (fixed, again, refitted):
            assert (other.predict(X) == found.predict(X)).all()
    # a score that is the threshold itself is not accepted
    at = np.full((1, 2), quick(Rounded(), cv=5).fit(X, y).decision_.threshold, dtype)
    assert at.dtype == dtype
    assert quick(Rounded()).fit(X, y).to_fixed().predict(at) == [0]
    with pytest.raises(NotFittedError):
        quick(Rounded()).to_fixed()
