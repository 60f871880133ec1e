"""Displays: the lines are those of the scores, of their fit and their band."""

import numpy as np
import pytest
from scipy.special import ndtri

import betaroc as br
from helpers.extras import needs

needs("sklearn", "sklearn")

from matplotlib import pyplot as plt  # noqa: E402
from sklearn.linear_model import LinearRegression, LogisticRegression  # noqa: E402
from sklearn.metrics import det_curve, roc_auc_score, roc_curve  # noqa: E402
from sklearn.model_selection import cross_validate  # noqa: E402
from sklearn.naive_bayes import GaussianNB  # noqa: E402

from betaroc.model.samples import empirical_model  # noqa: E402
from betaroc.sklearn import DetDisplay, EpcDisplay, RocDisplay  # noqa: E402

RNG = np.random.default_rng(1)
Y = np.tile([0, 1, 0], 60)
X = RNG.normal(size=(180, 2)) + Y[:, None]
MODEL = LogisticRegression().fit(X, Y)
SCORES = MODEL.decision_function(X)
RESULTS = cross_validate(GaussianNB(), X, Y, cv=3, return_estimator=True, return_indices=True)


def test_roc_and_det_are_scikit_learns():
    display = RocDisplay.from_estimator(MODEL, X, Y, family="normal")
    far, tpr, _ = roc_curve(Y, SCORES, drop_intermediate=False)
    drawn = display.line_.get_xydata()
    assert {*map(tuple, drawn)} == {*zip(far.tolist(), tpr.tolist(), strict=True)}
    assert display.line_.get_label() == f"LogisticRegression (AUC {roc_auc_score(Y, SCORES):.3f})"
    f = br.fit(br.Scores.from_labels(Y, SCORES), "normal")
    points = f.model.roc().points()
    assert np.array_equal(display.fitted_line_.get_xydata().T, [points.far, points.tpr])
    assert display.curves[0].fit.model.impostor == f.model.impostor
    assert display.curves[0].band is None
    display = DetDisplay.from_predictions(Y, SCORES, family=None, name="demo")
    far, frr, _ = det_curve(Y, SCORES)
    drawn = {*map(tuple, display.line_.get_xydata().round(9))}
    inside = (far > 0) & (frr > 0)
    known = zip(ndtri(far[inside]).round(9), ndtri(frr[inside]).round(9), strict=True)
    assert {*known} <= drawn
    assert display.fitted_line_ is None
    eer = empirical_model(display.curves[0].scores).eer().hter
    assert display.line_.get_label() == f"demo (EER {eer:.3f})"


@pytest.mark.simulation
@pytest.mark.parametrize("kind", [RocDisplay, DetDisplay])
def test_band_chance_and_axes(kind):
    _, ax = plt.subplots()
    display = kind.from_estimator(
        MODEL, X, Y, family=None, level=0.9, ax=ax, plot_chance_level=True
    )
    assert display.ax_ is ax
    (band,) = [one for one in ax.collections if one.get_gid() == "band"]
    assert band.get_label() == "90 % interval at each FAR"
    found = display.curves[0].band
    expected = br.roc_band(br.Scores.from_labels(Y, SCORES), far=found.alpha, level=0.9)
    assert np.array_equal(found.low, expected.low)
    (chance,) = [line for line in ax.lines if line.get_gid() == "chance"]
    assert chance.get_xydata()[0, 0] == (0.0 if kind is RocDisplay else -9.0)


def test_weights_labels_and_methods():
    weight = np.where(Y, 2, 1)
    named = np.array(["bona fide", "attack"])[Y]
    display = RocDisplay.from_predictions(
        named, -SCORES, pos_label="bona fide", sample_weight=weight, family=None
    )
    assert display.curves[0].scores.n_client == 120
    assert display.curves[0].scores.impostor_total == 120
    with pytest.raises(br.InputError, match="pos_label must say which label"):
        RocDisplay.from_predictions(named, SCORES)
    of_probabilities = RocDisplay.from_estimator(
        MODEL, X, Y, response_method="predict_proba", family=None
    )
    assert of_probabilities.curves[0].scores.client.max() < 1.0
    turned = RocDisplay.from_estimator(MODEL, X, Y, pos_label=0, family=None).curves[0].scores
    assert np.array_equal(turned.client, -SCORES[Y == 0])
    with pytest.raises(br.InputTypeError, match="estimator must give scores"):
        RocDisplay.from_estimator(LinearRegression().fit(X, Y), X, Y)


def test_every_fold_of_a_cross_validation():
    weights = np.arange(180) % 3 + 1
    display = RocDisplay.from_cv_results(RESULTS, X, Y, sample_weight=weights, terms="medical")
    assert display.ax_.get_ylabel() == "sensitivity"
    for k, rows in enumerate(RESULTS["indices"]["test"]):
        own = RESULTS["estimator"][k].predict_proba(X[rows])[:, 1]
        assert np.array_equal(display.curves[k].scores.client, own[Y[rows] == 1])
        auc = roc_auc_score(Y[rows], own, sample_weight=weights[rows])
        assert display.line_[k].get_label() == f"fold {k} (AUC {auc:.3f})"
    assert display.fitted_line_ == [None] * 3
    named = DetDisplay.from_cv_results(RESULTS, X, Y, name=list("abc"), family="normal")
    assert [line.get_label()[0] for line in named.line_] == list("abc")


def test_epc_takes_thresholds_from_dev():
    dev, test = slice(0, 90), slice(90, 180)
    sets = (X[dev], Y[dev], X[test], Y[test])
    display = EpcDisplay.from_estimator(
        MODEL, *sets, alpha=[0.2, 0.5, 0.8], level=0.9, replicates=100, rng=1, expected=True
    )
    curve = br.epc(
        br.Scores.from_labels(Y[dev], SCORES[dev]), br.Scores.from_labels(Y[test], SCORES[test]),
        alpha=[0.2, 0.5, 0.8],
    )  # fmt: skip
    assert np.array_equal(display.line_.get_xydata().T, [curve.alpha, curve.value])
    assert display.band.level == 0.9
    assert any(one.get_gid() == "band" for one in display.ax_.collections)
    assert "expected on dev" in display.ax_.get_legend().get_texts()[1].get_text()
    other = EpcDisplay.from_estimator(MODEL, *sets, measure="far", name="demo", ax=display.ax_)
    assert other.epc.measure == "far"
    assert other.line_.get_label() == "demo"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cv_results": {"estimator": []}}, "'indices' is missing"),
        ({"y": Y[:90]}, "y must have the label of every row .* got 90"),
        ({"name": ["a"]}, r"got .*a.* for 3 folds"),
    ],
)
def test_what_folds_are_not(options, words):
    with pytest.raises(br.BetarocError, match=words):
        RocDisplay.from_cv_results(**{"cv_results": RESULTS, "X": X, "y": Y, **options})


needs("sklearn", "sklearn")

from sklearn.base import BaseEstimator, ClassifierMixin  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402

from betaroc.sklearn import hter_scorer, weighted_error_scorer  # noqa: E402


class Says(ClassifierMixin, BaseEstimator):
    """It predicts the rows themselves."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


#: Of three impostors one is accepted, of two clients one is rejected.
LABELS, SAID = np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 0, 1])[:, None]


def test_by_hand_and_by_the_label_of_the_client():
    says = Says().fit(SAID, LABELS)
    for alpha in (0.0, 0.25, 1.0):
        expected = alpha / 3 + (1 - alpha) / 2
        assert weighted_error_scorer(alpha)(says, SAID, LABELS) == pytest.approx(-expected)
    assert hter_scorer(says, SAID, LABELS) == pytest.approx(-(1 / 3 + 1 / 2) / 2)
    weight = [1, 1, 2, 3, 1]  # FAR 2/4, FRR 3/4
    found = weighted_error_scorer(0.25)(says, SAID, LABELS, sample_weight=weight)
    assert found == pytest.approx(-(0.25 * 0.5 + 0.75 * 0.75))
    named = np.array(["genuine", "impostor"])
    says = Says().fit(SAID, named[LABELS])
    found = weighted_error_scorer(0.25, pos_label="genuine")(says, named[SAID], named[LABELS])
    assert found == pytest.approx(-(0.25 * 1 / 2 + 0.75 * 1 / 3))  # the classes are swapped
    with pytest.raises(ValueError, match="pos_label=client is not a valid label"):
        weighted_error_scorer(0.5, pos_label="client")(says, named[SAID], named[LABELS])


def test_what_is_refused():
    says = Says().fit(SAID, LABELS)
    with pytest.raises(br.InputError, match="alpha must be a fraction"):
        weighted_error_scorer(2)
    with pytest.raises(br.InputError, match="y_true must hold two classes"):
        hter_scorer(says, SAID, np.ones(5, int))
    with pytest.raises(br.InputError, match="the estimator predicts 7 too"):
        hter_scorer(says, np.full((5, 1), 7), LABELS)
