"""ROC, DET and EPC of estimators, in the manner of scikit-learn's displays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import _safe_indexing

from betaroc.core import containers, errors, notices
from betaroc.core.checks import flag, instance, level as checked_level, terms_of, weights_array
from betaroc.core.text import format_list, format_value
from betaroc.core.vocabulary import BIOMETRIC, Terms
from betaroc.data.scores import Scores
from betaroc.decision.epc import Epc, epc as expected_performance
from betaroc.decision.trainings import mean_curve
from betaroc.estimation.families import BEST, Names, family_text
from betaroc.fits.fit import Fit, fit
from betaroc.inference import interval, intervals
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model
from betaroc.rendering.curves import INK, Axes, draw_det, draw_rates, new_axes
from betaroc.sklearn.trials import labelled_scores, labels_of, scores_of_estimator

#: FARs of a band.
_PLACES = 201
#: Folds up to which each stands in the legend.
_LISTED = 4


class DisplayedCurve(NamedTuple):
    """What a display draws of one set of scores.

    Attributes
    ----------
    scores : Scores
        The scores.
    fit : Fit or None
        The fit of both classes whose curve is drawn, dashed.
    band : Band or None
        Intervals of TPR at FARs.
    """

    scores: Scores
    fit: Fit | None
    band: interval.Band | None


def displayed(scores: Scores, family: Names | None, level: float | None) -> DisplayedCurve:
    """Scores with their fit and band."""
    band = None
    if level is not None:
        far = np.geomspace(1.0 / scores.impostor_total, 1.0, _PLACES)
        band = intervals.roc_band(scores, far=far[:-1], level=checked_level(level))
    return DisplayedCurve(scores, None if family is None else fit(scores, family), band)


class _RateDisplay:
    _is_det = False
    mean_: interval.Band

    def __init__(self, curves: Sequence[DisplayedCurve]) -> None:
        self.curves = tuple(curves)

    # ------------------------------------------------------------------------------- made
    @classmethod
    @notices.collect_warnings
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: npt.ArrayLike,
        *,
        sample_weight: npt.ArrayLike | None = None,
        response_method: str = "auto",
        pos_label: object = None,
        name: str | None = None,
        family: Names | None = BEST,
        level: float | None = None,
        ax: Axes | None = None,
        plot_chance_level: bool = False,
        **style: Any,
    ) -> Self:
        """Draw the curve of a fitted estimator on rows that it never saw.

        Parameters
        ----------
        estimator : classifier
            Fitted, with `decision_function` or `predict_proba`.
        X, y : array_like
            Rows and their labels.
        sample_weight : array_like, shape (n,), optional
            Copies of each row.
        response_method, pos_label
            What gives scores, and the label of the client, as in `ThresholdClassifier`.
        name : str, optional
            For the legend; otherwise that of the estimator's class.
        family : str, pair of str or None
            Of the fit, as in :func:`betaroc.fit`; None draws none.
        level : float, optional
            Of a band around the counted curve at each FAR.
        ax : matplotlib Axes, optional
            Where to draw; otherwise a new figure of pyplot.
        plot_chance_level : bool
            The line of a classifier that knows nothing.
        **style
            Properties of the line, and `terms` of `plot`.

        Raises
        ------
        InputError
            If there are not two labels, one per row, scores are not finite, or an option is out of
            range.
        InputTypeError
            If the estimator gives no scores, or `ax` is not matplotlib's.
        sklearn.exceptions.NotFittedError
            If the estimator is not fitted.
        """
        scores = scores_of_estimator(
            estimator, X, y, sample_weight, response_method, pos_label, name
        )
        display = cls([displayed(scores, family, level)])
        return display.plot(ax, plot_chance_level=plot_chance_level, **style)

    @classmethod
    @notices.collect_warnings
    def from_predictions(
        cls,
        y_true: npt.ArrayLike,
        y_score: npt.ArrayLike,
        *,
        sample_weight: npt.ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
        family: Names | None = BEST,
        level: float | None = None,
        ax: Axes | None = None,
        plot_chance_level: bool = False,
        **style: Any,
    ) -> Self:
        """Draw the curve of labels and scores.

        Parameters
        ----------
        y_true, y_score : array_like, shape (n,)
            Labels, and scores that are higher for the client.
        name : str, optional
            For the legend, or "Classifier".
        sample_weight, pos_label, family, level, ax, plot_chance_level, **style
            As in `from_estimator`.
        """
        called = "Classifier" if name is None else name
        scores = labelled_scores(y_true, y_score, sample_weight, pos_label, called)
        display = cls([displayed(scores, family, level)])
        return display.plot(ax, plot_chance_level=plot_chance_level, **style)

    @classmethod
    @notices.collect_warnings
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: npt.ArrayLike,
        *,
        sample_weight: npt.ArrayLike | None = None,
        response_method: str = "auto",
        pos_label: object = None,
        name: Sequence[str] | None = None,
        family: Names | None = None,
        averaging: str | None = "vertical",
        level: float | None = None,
        ax: Axes | None = None,
        plot_chance_level: bool = False,
        **style: Any,
    ) -> Self:
        """Draw one curve per fold of a cross-validation, by its own estimator on its test rows.

        Over them their mean with its band, whose limits :func:`betaroc.mean_curve` tells.

        Parameters
        ----------
        cv_results : dict
            Of ``cross_validate(..., return_estimator=True, return_indices=True)``.
        X, y : array_like
            The rows and labels that were cross-validated.
        name : sequence of str, optional
            Of the folds, for the legend; otherwise their numbers.
        family : str, pair of str or None
            Of a fit to each fold; None draws none.
        averaging : str, optional
            Of the mean, "vertical" or "threshold"; None draws none.
        sample_weight, response_method, pos_label, level, ax, plot_chance_level, **style
            As in `from_estimator`.

        Returns
        -------
        RocDisplay or DetDisplay
            Drawn; its lines are lists, and `mean_` is the :class:`betaroc.Band` of the mean.
        """
        instance(cv_results, dict, "cv_results", "cross_validate(...)", "dict")
        missing = [key for key in ("estimator", "indices") if key not in cv_results]
        if missing:
            raise errors.InputError.about("cv_results")(
                f"cv_results must hold estimator and indices; {format_list(missing)} is missing."
                " Give the result of cross_validate(..., return_estimator=True,"
                " return_indices=True)."
            )
        estimators, tested = cv_results["estimator"], cv_results["indices"]["test"]
        names = [f"fold {k}" for k in range(len(tested))] if name is None else name
        if containers.width_of(names) != len(tested):
            actual = f"{format_value(name)} for {len(tested)} folds"
            raise errors.refusal("name", "have one text per fold", actual, "Give as many.")
        labels, weights = labels_of(y), None
        last = max(int(np.max(rows)) for rows in tested)
        if last >= labels.size:
            actual = f"{labels.size}, and the folds name row {last}"
            rule = "have the label of every row that was cross-validated"
            raise errors.refusal("y", rule, actual, "Pass all of them.")
        if sample_weight is not None:
            weights = weights_array(sample_weight, labels.size, "sample_weight")
        curves = []
        for estimator, rows, called in zip(estimators, tested, names, strict=True):
            copies = None if weights is None else weights[rows]
            scores = scores_of_estimator(
                estimator, _safe_indexing(X, rows), labels[rows], copies, response_method,
                pos_label, called,
            )  # fmt: skip
            curves.append(displayed(scores, family, level))
        averaged = averaging is not None and len(curves) > 1
        look = {"linewidth": 0.8, **style} if averaged else style
        display = cls(curves).plot(ax, plot_chance_level=plot_chance_level, **look)
        if averaging is not None and averaged:
            for line in display.line_ if len(curves) > _LISTED else ():
                line.set_label("_nolegend_")  # where the mean stands alone
            folds, kind = [curve.scores for curve in curves], "det" if cls._is_det else "roc"
            display.mean_ = mean_curve(folds, averaging=averaging, level=level or 0.95)
            words = {"terms": style.get("terms", BIOMETRIC), "label": "mean"}
            display.mean_.plot(display.ax_, kind=kind, color=INK, linewidth=2.0, **words)
        return display

    # ------------------------------------------------------------------------------- drawn
    def plot(
        self, ax: Axes | None = None, *, plot_chance_level: bool = False, terms: str = BIOMETRIC,
        **style: Any,
    ) -> Self:  # fmt: skip
        """Draw it and return it.

        Parameters
        ----------
        ax, plot_chance_level
            As in `from_estimator`.
        terms : str
            Words of the rates, as in :meth:`betaroc.Roc.plot`.
        **style
            Properties of the line of counts; its ``label`` replaces the name.
        """
        chance, words = flag(plot_chance_level, "plot_chance_level"), terms_of(terms)
        ax = new_axes(ax, square=True)
        lines: list[Any] = []
        fitted: list[Any] = []
        for scores, fitted_pair, band in self.curves:
            model = empirical_model(scores)
            look = {"label": f"{scores.name} {self._number(model)}", **style}
            lines.append(self._line(ax, model, look, words, chance=chance))
            colour = lines[-1].get_color()
            fitted.append(None)
            if fitted_pair is not None:
                name = f"fitted: {family_text(fitted_pair.family)}"
                look = {"color": colour, "linestyle": "--", "linewidth": 1.1}
                look["label"] = f"{name} {self._number(fitted_pair.model)}"
                fitted[-1] = self._line(ax, fitted_pair.model, look, words, chance=chance)
            if band is not None:
                band._fill(ax, colour, words)
        several = len(self.curves) > 1
        self.ax_, self.figure_ = ax, ax.figure
        self.line_ = lines if several else lines[0]
        self.fitted_line_ = fitted if several else fitted[0]
        return self

    def _number(self, model: ScoreModel) -> str:
        if self._is_det:
            return f"(EER {float(model.eer().hter):.3f})"
        return f"(AUC {float(model.auc()):.3f})"

    def _line(
        self, ax: Axes, model: ScoreModel, style: Mapping[str, Any], words: Terms, *, chance: bool
    ) -> Any:
        points, far = model.roc().points(), words.far.short
        if self._is_det:
            draw_det(ax, points.far, points.frr, (far, words.frr.short), style, chance=chance)
        else:
            draw_rates(
                ax, points.far, points.tpr, (far, words.tpr.short), style, corner="lower right",
                kind="roc", chance=(0.0, 1.0) if chance else None,
            )  # fmt: skip
        return [line for line in ax.lines if line.get_gid() == "curve"][-1]


class RocDisplay(_RateDisplay):
    """ROC of a classifier: TPR against FAR, counted and fitted, with a band where one is wanted.

    Made by `from_estimator`, `from_predictions` or `from_cv_results`.

    Parameters
    ----------
    curves : sequence of DisplayedCurve
        Scores, with a fit and a band or without.

    Attributes
    ----------
    curves : tuple of DisplayedCurve
        What is drawn: ``display.curves[0].fit`` is a :class:`betaroc.Fit`.
    ax_, figure_ : matplotlib Axes, Figure
        Where it is drawn.
    line_, fitted_line_ : matplotlib Line2D
        Of the counts and of the fit (None without one); lists where there are several curves.

    Notes
    -----
    The solid line joins the points of all thresholds, straight where scores tie; the dashed one is
    that of the fitted distributions. Both areas stand in the legend.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from betaroc.sklearn import RocDisplay
    >>> X, y = make_classification(400, random_state=1)
    >>> model = LogisticRegression().fit(X[:200], y[:200])
    >>> display = RocDisplay.from_estimator(model, X[200:], y[200:], family="normal", level=0.95)
    >>> display.curves[0].scores.name, display.ax_.get_ylabel()
    ('LogisticRegression', 'TPR')
    """


class DetDisplay(_RateDisplay):
    """DET of a classifier: FRR against FAR on normal deviates, counted and fitted.

    Made as :class:`RocDisplay`, with the same attributes.

    Parameters
    ----------
    curves : sequence of DisplayedCurve
        Scores, with a fit and a band or without.

    Notes
    -----
    Two normal distributions give a straight line. Equal error rates stand in the legend. Rates of
    0 and 1 lie outside the frame.

    Examples
    --------
    >>> from betaroc.sklearn import DetDisplay
    >>> labels, scores = [0] * 12 + [1] * 12, [1, 2, 3, 4] * 3 + [3, 4, 5, 6] * 3
    >>> DetDisplay.from_predictions(labels, scores, name="demo").line_.get_label()
    'demo (EER 0.250)'
    """

    _is_det = True


class EpcDisplay:
    """Errors on test at dev's thresholds, for every weight of both errors.

    Made by `from_estimator`.

    Parameters
    ----------
    epc : Epc
        The curve.
    band : Band, optional
        Around it.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes, Figure
        Where it is drawn.
    line_ : matplotlib Line2D
        The curve observed on test.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from betaroc.sklearn import EpcDisplay
    >>> X, y = make_classification(600, random_state=1)
    >>> model = LogisticRegression().fit(X[:200], y[:200])
    >>> display = EpcDisplay.from_estimator(model, X[200:400], y[200:400], X[400:], y[400:])
    >>> display.ax_.get_ylabel()
    'half total error rate on test'
    """

    def __init__(self, epc: Epc, band: interval.Band | None = None) -> None:
        self.epc = epc
        self.band = band

    @classmethod
    @notices.collect_warnings
    def from_estimator(
        cls,
        estimator: Any,
        X_dev: Any,
        y_dev: npt.ArrayLike,
        X_test: Any,
        y_test: npt.ArrayLike,
        *,
        criterion: str = "weighted-error",
        measure: str = "hter",
        alpha: npt.ArrayLike | None = None,
        level: float | None = None,
        replicates: int = 2000,
        rng: Any = None,
        response_method: str = "auto",
        pos_label: object = None,
        name: str | None = None,
        ax: Axes | None = None,
        **style: Any,
    ) -> Self:
        """Draw the curve of a fitted estimator, with thresholds from dev and errors on test.

        Parameters
        ----------
        estimator : classifier
            Fitted to neither set, with `decision_function` or `predict_proba`.
        X_dev, y_dev : array_like
            Rows and labels that choose the thresholds.
        X_test, y_test : array_like
            Rows and labels on which the errors are observed.
        criterion, measure, alpha
            As in :func:`betaroc.epc`.
        level : float, optional
            Of a band at each alpha, in which dev chooses again.
        replicates, rng
            Behind the band, as in :meth:`betaroc.Epc.band`.
        response_method, pos_label, name, ax
            As in `RocDisplay.from_estimator`.
        **style
            As in :meth:`betaroc.Epc.plot`.

        Raises
        ------
        InputError, InputTypeError, sklearn.exceptions.NotFittedError
            As in `RocDisplay.from_estimator`.
        """
        dev, test = (
            scores_of_estimator(estimator, X, y, None, response_method, pos_label, name)
            for X, y in ((X_dev, y_dev), (X_test, y_test))
        )
        curve = expected_performance(dev, test, criterion=criterion, measure=measure, alpha=alpha)
        band = None if level is None else curve.band(level, replicates=replicates, rng=rng)
        return cls(curve, band).plot(ax, **style)

    def plot(self, ax: Axes | None = None, **style: Any) -> Self:
        """Draw it and return it.

        Parameters
        ----------
        ax, **style
            As in :meth:`betaroc.Epc.plot`.

        Raises
        ------
        InputTypeError
            If `ax` is not matplotlib's.
        """
        ax = new_axes(ax)
        before = len(ax.lines)
        self.ax_ = self.epc.plot(ax, band=self.band, **style)
        self.figure_ = ax.figure
        self.line_ = ax.lines[before]
        return self
