"""A classifier of scikit-learn that accepts above a decided threshold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from inspect import signature
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn import frozen, get_config, model_selection
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from betaroc.core import checks, errors, notices
from betaroc.core.arrays import CLASSES, AnyArray, FloatArray
from betaroc.core.names import strata_array
from betaroc.core.resampling import check_fractional_weights
from betaroc.core.text import format_list, format_value
from betaroc.data.scores import Scores
from betaroc.decision.decide import Decision, decide
from betaroc.decision.threshold_methods import AMBER, GREEN, checked_request
from betaroc.estimation.families import AUTO, BEST, Names, checked_pair
from betaroc.sklearn import trials

_PREFIT = "prefit"
#: What `decide` is asked, beside the family.
_ASKED = ("far", "frr", "cost_fa", "cost_fr", "prior", "eer", "how", "confidence")
#: Ways of which the order of scores alone says whether they are possible.
_OF_RANKS = ("guaranteed", "average")
#: What a decision by out-of-fold scores says of the model that uses it.
_OUT_OF_FOLD = "Dev are out-of-fold scores, not those of the model fitted again to all rows"
_MEASURED = "for it the bound was measured on some models, not guaranteed"
_APART = 'rows that the model never saw as the dev set (cv="prefit")'


_Method = TypeVar("_Method", bound=Callable[..., FloatArray])


def _where_estimator_has(name: str) -> Callable[[_Method], _Method]:
    """Show a method where the estimator has it."""

    def check(self: Any) -> bool:
        getattr(getattr(self, "estimator_", self.estimator), name)
        return True

    return available_if(check)


class ThresholdClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A binary classifier with one threshold, decided for a target on out-of-fold scores.

    A row is of the client's class if and only if its score is above ``decision_.threshold``, that
    of :func:`betaroc.decide` for cross-validated scores; then the estimator is fitted to all rows.

    Parameters
    ----------
    estimator : classifier
        Of two classes, with `decision_function` or `predict_proba`.
    far, frr, cost_fa, cost_fr, prior, eer, how, confidence, family
        As in :func:`betaroc.decide`: exactly one target.
    cv : int, splitter, iterable or "prefit"
        Folds of out-of-fold scores. An integer makes stratified folds that keep `groups` whole, an
        iterable gives pairs of arrays (train, test). With "prefit" the estimator is fitted already
        and stays so, and `fit` gets the dev set.
    pos_label : optional
        The label of the client; 1 of {0, 1}, {-1, 1} and booleans, of others the larger one as in
        scikit-learn, with a warning.
    response_method : {"auto", "decision_function", "predict_proba"}
        What gives scores; "auto" takes the first that there is.
    n_jobs : int, optional
        Folds at a time, as in scikit-learn.
    random_state : int or RandomState, optional
        Shuffles the rows before an integer `cv` makes folds; otherwise they keep their order.

    Attributes
    ----------
    decision_ : Decision
        The threshold, its method and its status.
    scores_ : Scores
        The out-of-fold scores, of "prefit" those of the dev set.
    estimator_ : classifier
        The estimator fitted to all rows.
    classes_, pos_label_
        Both labels, and the client's.
    response_method_ : str
        The method that gives scores.
    n_features_in_, feature_names_in_
        Of `estimator_`, where it has them.

    Notes
    -----
    **The bound is measured, not guaranteed**: scores of the estimator fitted to all rows are
    distributed a little differently from the out-of-fold ones. Simulated shares:
    docs/validation.md. With ``cv="prefit"``, on data that the model never saw, the guarantee of
    :func:`betaroc.decide` holds.

    scikit-learn accepts score >= threshold: `to_fixed` gives a classifier of its own.

    Weight k is k copies of a row. Weights go to the estimator where its `fit` takes them, or, with
    metadata routing, requests them.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from betaroc.sklearn import ThresholdClassifier
    >>> X, y = make_classification(2000, class_sep=2.0, random_state=1)
    >>> classifier = ThresholdClassifier(GaussianNB(), far=0.05, family="empirical").fit(X, y)
    >>> classifier.decision_.how, classifier.decision_.status
    ('guaranteed', 'not enough evidence')
    """

    def __init__(
        self,
        estimator: Any,
        *,
        far: float | None = None,
        frr: float | None = None,
        cost_fa: float | None = None,
        cost_fr: float | None = None,
        prior: float | None = None,
        eer: bool = False,
        how: str | None = None,
        confidence: float = 0.95,
        family: Names = BEST,
        cv: Any = 5,
        pos_label: object = None,
        response_method: str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.far = far
        self.frr = frr
        self.cost_fa = cost_fa
        self.cost_fr = cost_fr
        self.prior = prior
        self.eer = eer
        self.how = how
        self.confidence = confidence
        self.family = family
        self.cv = cv
        self.pos_label = pos_label
        self.response_method = response_method
        self.n_jobs = n_jobs
        self.random_state = random_state

    # ------------------------------------------------------------------------------- fit
    def fit(
        self,
        X: Any,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
        strata: npt.ArrayLike | None = None,
        **params: Any,
    ) -> Self:
        """Decide on out-of-fold scores, then fit the estimator to all rows.

        Parameters
        ----------
        X : array_like or frame, shape (n, ...)
            Rows, as the estimator takes them.
        y : array_like, shape (n,)
            One of two labels per row.
        sample_weight : array_like, shape (n,), optional
            Copies of each row: whole numbers for a rate.
        groups : array_like, shape (n,) or (n, 2), optional
            Which rows depend on each other, for the splitter and for the decision.
        strata : array_like, shape (n,), optional
            Species of attack, group or site of each row, empty in a class without them: a rate is
            then kept for each stratum of its class.
        **params
            What metadata routing hands on to the estimator and the splitter.

        Raises
        ------
        InputError
            Before anything is fitted: if there is not exactly one target in its range, a guarantee
            needs more scores, `y` has not two labels, weights are not whole, or `cv` does not suit.
            After it: if no other way can meet the target.
        InputTypeError
            If the estimator gives no scores.
        sklearn.exceptions.NotFittedError
            If `cv` is "prefit" and the estimator is not fitted.
        """
        with notices.forward_warnings():
            self._fit(X, y, sample_weight, groups, strata, params)
        return self

    def _fit(
        self, X: Any, y: Any, weight: Any, groups: Any, strata: Any, params: dict[str, Any]
    ) -> None:
        method = trials.response_method_of(self.estimator, self.response_method)
        checked_pair(self.family, (AUTO, BEST))
        checked_request(**{name: getattr(self, name) for name in _ASKED})
        X, y = indexable(X, y)
        named = trials.labels_of(y)
        labels = trials.two_labels(np.unique(named), self.pos_label, guess=True)
        clients = labels.clients(named)
        fit_params, split_params = self._routed(weight, groups, params)
        copies = None
        if weight is not None:
            if not np.any(np.asarray(weight) != 0):
                rule, remedy = "be above zero somewhere", "Give the copies of each row."
                raise errors.refusal("sample_weight", rule, f"{named.size} zeros", remedy)
            copies = checks.weights_array(weight, named.size, "sample_weight")
        names = None if strata is None else strata_array(strata, named.size, "strata")
        splits = self._splits(X, y, clients, groups, split_params)
        rows = np.arange(named.size)
        if splits is not None:
            rows = np.concatenate([test for _, test in splits])

        def scores_of(values: AnyArray) -> Scores:
            return Scores.from_labels(
                named[rows], values, client_label=labels.client,
                weights=None if copies is None else copies[rows],
                groups=None if groups is None else np.asarray(groups)[rows],
                strata=None if names is None else names[rows],
            )  # fmt: skip

        self._refuse_early(scores_of(rows + named.size * clients[rows]))
        if splits is None:
            self.estimator_ = self.estimator
            values = trials.client_scores(self.estimator, X, method, labels)
        else:
            values = trials.out_of_fold(
                self.estimator, X, y, splits, method, labels, fit_params, self.n_jobs
            )
        self.scores_ = scores_of(values)
        self.decision_: Decision = decide(self.scores_, **self._asked())
        if splits is not None:
            self.estimator_ = clone(self.estimator).fit(X, y, **fit_params)
            self.decision_ = _of_another_model(self.decision_)
        self.pos_label_, self.response_method_ = labels.client, method
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))

    def _asked(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in (*_ASKED, "family")}

    def _refuse_early(self, ranks: Scores) -> None:
        if self.far is not None or self.frr is not None:
            for who in CLASSES:
                check_fractional_weights(getattr(ranks, f"{who}_weights"), who, "for a decision")
        if self.how in _OF_RANKS:
            with notices.suppress_warnings():
                decide(ranks, **{**self._asked(), "family": "empirical"})

    # ---------------------------------------------------------------------- folds, routing
    def _splits(
        self, X: Any, y: Any, clients: AnyArray, groups: Any, params: dict[str, Any]
    ) -> list[trials.RowSplit] | None:
        """The folds; None of a fitted estimator."""
        cv, named = self.cv, isinstance(self.cv, str | bytes)
        if named and cv == _PREFIT:
            check_is_fitted(self.estimator)
            return None
        if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
            folds = {"n_splits": checks.count(cv, "cv", 2)}
            if self.random_state is not None:
                folds |= {"shuffle": True, "random_state": self.random_state}
            if groups is not None and np.ndim(groups) != 1:
                rule = "be a splitter or an iterable of folds where groups have two columns"
                remedy = "Give folds that keep both apart."
                raise errors.refusal("cv", rule, f"cv={cv}", remedy)
            splitter = StratifiedKFold if groups is None else StratifiedGroupKFold
            pairs = splitter(**folds).split(X, y, groups)
        elif cv is None or (hasattr(cv, "split") and not named):
            pairs = check_cv(cv, y, classifier=True).split(X, y, **params)
        elif isinstance(cv, Iterable) and not named:
            pairs = cv
        else:
            rule = 'be an int, a splitter, an iterable or "prefit"'
            raise errors.refusal("cv", rule, format_value(cv), "Give one of them.")
        return trials.checked_splits(pairs, clients)

    def _routed(
        self, weight: Any, groups: Any, params: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=weight, groups=groups, **params)
            return dict(routed.estimator.fit), dict(routed.splitter.split)
        if params:
            raise errors.InputError(
                f"fit must get X, y, sample_weight and groups alone; got {format_list(params)}. For"
                " more switch metadata routing on:"
                " sklearn.set_config(enable_metadata_routing=True)."
            )
        split = {} if groups is None else {"groups": groups}
        if weight is None or isinstance(self.cv, str):
            return {}, split
        if "sample_weight" in signature(self.estimator.fit).parameters:
            return {"sample_weight": weight}, split
        notices.warn(
            f"{type(self.estimator).__name__}.fit takes no sample_weight: the weights serve the"
            " decision alone. With metadata routing a pipeline hands them on.",
            errors.BetarocWarning,
        )
        return {}, split

    def get_metadata_routing(self) -> MetadataRouter:
        """What metadata goes where: the user guide of scikit-learn on metadata routing.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
            `sample_weight`, `groups` and `strata` are used here; the estimator's `fit` and the
            splitter's `split` get what they request.
        """
        fit_of = MethodMapping().add(caller="fit", callee="fit")
        split_of = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(estimator=self.estimator, method_mapping=fit_of)
        return router.add(splitter=self.cv, method_mapping=split_of)

    # --------------------------------------------------------------------------- predictions
    @property
    def classes_(self) -> AnyArray:
        """Both labels, as the estimator has them."""
        return np.asarray(self.estimator_.classes_)

    def predict(self, X: Any) -> AnyArray:
        """Labels: the client's where the score is above the threshold.

        Parameters
        ----------
        X : array_like or frame, shape (n, ...)
            Rows, as the estimator takes them.

        Returns
        -------
        ndarray, shape (n,)
            Labels of `classes_`.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If :meth:`fit` has not been called.
        """
        check_is_fitted(self, "decision_")
        client = self.pos_label_
        other = next(label for label in self.classes_.tolist() if label != client)
        labels = trials.TwoLabels(other, client)
        values = trials.client_scores(self.estimator_, X, self.response_method_, labels)
        return labels.of(self.decision_.accept(values), self.classes_)

    def to_fixed(self) -> model_selection.FixedThresholdClassifier:
        """Return a classifier of scikit-learn alone, of the same predictions.

        It accepts score >= threshold: its threshold is the next number above, in the dtype of the
        scores that decided.

        Returns
        -------
        sklearn.model_selection.FixedThresholdClassifier
            Fitted: it holds `estimator_`, frozen.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If :meth:`fit` has not been called.

        Examples
        --------
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from betaroc.sklearn import ThresholdClassifier
        >>> X, y = make_classification(2000, class_sep=2.0, random_state=1)
        >>> classifier = ThresholdClassifier(GaussianNB(), far=0.05, family="empirical").fit(X, y)
        >>> bool((classifier.to_fixed().predict(X) == classifier.predict(X)).all())
        True
        """
        model = frozen.FrozenEstimator(self._fitted())
        at = self.decision_.threshold_for_greater_equal
        fixed = model_selection.FixedThresholdClassifier(
            model, threshold=at, response_method=self.response_method_, pos_label=self.pos_label_
        )
        fixed.estimator_ = model
        return fixed

    @_where_estimator_has("predict_proba")
    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of the estimator; no threshold takes part."""
        return self._fitted().predict_proba(X)

    @_where_estimator_has("predict_log_proba")
    def predict_log_proba(self, X: Any) -> FloatArray:
        """Logarithms of its probabilities; no threshold takes part."""
        return self._fitted().predict_log_proba(X)

    @_where_estimator_has("decision_function")
    def decision_function(self, X: Any) -> FloatArray:
        """Scores of the estimator; no threshold takes part."""
        return self._fitted().decision_function(X)

    def _fitted(self) -> Any:
        check_is_fitted(self, "decision_")
        return self.estimator_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = get_tags(self.estimator).input_tags
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = own.sparse
        tags.input_tags.pairwise = own.pairwise
        return tags


def _of_another_model(decision: Decision) -> Decision:
    """The decision for the model that was fitted again."""
    status, remedy, measured = decision.status, decision.remedy, ""
    if status == GREEN:
        status, remedy, measured = AMBER, f"{_APART}; {remedy}", f": {_MEASURED}"
    reason = f"{decision.reason} {_OUT_OF_FOLD}{measured}."
    result = replace(decision, status=status, reason=reason, remedy=remedy)
    object.__setattr__(result, "notices", decision.notices)
    return result
