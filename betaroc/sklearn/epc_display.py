"""Expected performance curve of an estimator, in the manner of scikit-learn's displays."""

from __future__ import annotations

from typing import Any, Self

import numpy.typing as npt

from betaroc.core.notices import public
from betaroc.decision.epc import Epc, epc as expected_performance
from betaroc.inference.interval import Band
from betaroc.rendering.style import Axes, new_axes
from betaroc.sklearn.trials import scores_of_estimator


class EpcDisplay:
    """Errors on test at thresholds that dev chose, for every weight of both errors.

    Made by `from_estimator`.

    Parameters
    ----------
    epc : Epc
        The curve.
    band : Band, optional
        Around it.

    Attributes
    ----------
    epc, band
        As given.
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

    def __init__(self, epc: Epc, band: Band | None = None) -> None:
        self.epc = epc
        self.band = band

    @classmethod
    @public
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
        """Of a fitted estimator, with thresholds from dev and errors on test.

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
            Of a band at each alpha, in which dev chooses again; none where left out.
        replicates, rng
            Behind the band, as in :meth:`betaroc.Epc.band`.
        response_method : {"auto", "decision_function", "predict_proba"}
            What gives scores; "auto" takes the first of both that there is.
        pos_label : optional
            The label of the client; as in `ThresholdClassifier`.
        name : str, optional
            For the legend; that of the estimator's class where left out.
        ax : matplotlib Axes, optional
            Where to draw; a new figure of pyplot where left out.
        **style
            As in :meth:`betaroc.Epc.plot`: ``expected=True``, ``a_posteriori=True``, and properties
            of the line.

        Returns
        -------
        EpcDisplay
            Drawn.

        Raises
        ------
        InputError
            If the labels are not two, rows and labels differ in number, scores are not finite, or
            an option is out of range.
        InputTypeError
            If the estimator gives no scores, or `ax` is not matplotlib's.
        sklearn.exceptions.NotFittedError
            If the estimator is not fitted.
        """
        dev, test = (
            scores_of_estimator(estimator, X, y, None, response_method, pos_label, name)
            for X, y in ((X_dev, y_dev), (X_test, y_test))
        )
        curve = expected_performance(dev, test, criterion=criterion, measure=measure, alpha=alpha)
        band = None if level is None else curve.band(level, replicates=replicates, rng=rng)
        return cls(curve, band).plot(ax, **style)

    def plot(self, ax: Axes | None = None, **style: Any) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure of pyplot where left out.
        **style
            As in :meth:`betaroc.Epc.plot`.

        Returns
        -------
        EpcDisplay
            Itself, with `ax_`, `figure_` and `line_`.

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
