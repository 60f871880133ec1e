"""The other axes of the same pair: error trade-off (DET) and precision against recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import ScalarOrArray, as_output, elementwise
from betaroc.core.checks import choice, probability_array
from betaroc.core.terms import BIOMETRIC
from betaroc.distributions.base import Distribution
from betaroc.model import operating_points
from betaroc.model.areas import precision_at
from betaroc.model.measures import rate_terms
from betaroc.model.roc import Curve
from betaroc.rendering.curves import draw_det, draw_rates
from betaroc.rendering.style import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Det(Curve):
    """Detection error trade-off: FRR against FAR.

    Parameters
    ----------
    client, impostor : Distribution
        The two distributions.
    scale : {"probit", "linear"}
        Axes of the picture: normal deviates (DET) or plain rates, which is what
        the papers on expected performance curves call ROC.
    prior : float
        P(client), carried into the points.
    name : str, optional
        For legends.
    is_generic : bool
        Whether the closed forms are left out.

    Raises
    ------
    InputError, InputTypeError
        For another `scale`.

    Notes
    -----
    On normal deviates a binormal pair is a straight line of slope
    -sigma_i / sigma_c.

    References
    ----------
    Martin, A. et al. (1997), The DET curve in assessment of detection task
    performance, Eurospeech.

    Examples
    --------
    >>> from betaroc import Normal, ScoreModel
    >>> round(ScoreModel(Normal(0, 1), Normal(-1.644853627, 1)).det().frr(0.05), 6)
    0.5
    """

    client: Distribution
    impostor: Distribution
    scale: Literal["probit", "linear"] = "probit"
    prior: float = 0.5
    name: str | None = None
    is_generic: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        choice(self.scale, ("probit", "linear"), "scale")

    @elementwise
    def frr(self, far: npt.ArrayLike) -> ScalarOrArray:
        """FRR at the lowest threshold whose FAR is at most `far`.

        Parameters
        ----------
        far : array_like
            Fractions in [0, 1]; NaN propagates.

        Returns
        -------
        float or ndarray, shape of `far`
            Fraction in [0, 1].

        Raises
        ------
        InputError
            If a fraction lies outside [0, 1].
        InputTypeError
            If `far` is not numeric.

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> ScoreModel(Beta(2, 1), Beta(1, 2)).det().frr([0.0, 0.25, 1.0])  # (1 - sqrt(FAR))^2
        array([1.  , 0.25, 0.  ])
        """
        return self._mapped(
            far, "far", lambda x: self._pair.frr(operating_points.at_far(self._pair, x))
        )

    def plot(self, ax: Axes | None = None, *, terms: str = BIOMETRIC, **style: Any) -> Axes:
        """Draw FRR against FAR, on normal deviates or, of ``scale == "linear"``, as plain rates.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        terms : str
            Words of the axes: "biometric", "matching", "pad" or "ml".
        **style
            Properties of the line.

        Returns
        -------
        matplotlib Axes

        Notes
        -----
        Line data are normal deviates of the rates (rates 0 and 1, at infinity, are drawn outside
        the frame). The frame reaches from 0.1 %, or from half of the smallest rate that a sample
        can show, to 95 %; a further curve widens it.
        """
        words = rate_terms(terms, self._pair)
        p, style = self.points(), {"label": self.name, **style}
        axes = words.far.short, words.frr.short
        if self.scale == "probit":
            return draw_det(ax, p.far, p.frr, axes, style)
        return draw_rates(
            ax, p.far, p.frr, axes, style, corner="upper right", kind="linear-det",
            chance=(1.0, 0.0),
        )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecall(Curve):
    """Precision against recall, at the pair's prior.

        precision = prior TPR / (prior TPR + (1 - prior) FAR),   recall = TPR

    Parameters
    ----------
    client, impostor : Distribution
        The two distributions.
    prior : float
        P(client).
    name : str, optional
        For legends.
    is_generic : bool
        Whether the closed forms are left out.

    Notes
    -----
    Points that accept nothing have precision 0/0, nan; :meth:`precision` has the
    limit there, which the ROC's slope at (0, 0) gives.

    References
    ----------
    IDIAP-RR 03-85, (8) and (9).

    Examples
    --------
    >>> from betaroc import Beta, ScoreModel
    >>> curve = ScoreModel(Beta(2, 1), Beta(1, 1), prior=0.5).precision_recall()
    >>> round(curve.precision(0.75), 12)  # TPR = 3/4 at FAR = 1/2
    0.6
    """

    client: Distribution
    impostor: Distribution
    prior: float = 0.5
    name: str | None = None
    is_generic: bool = False

    @elementwise
    def precision(self, recall: npt.ArrayLike) -> ScalarOrArray:
        """Precision at the threshold whose recall is nearest to `recall`.

        Parameters
        ----------
        recall : array_like
            Fractions in [0, 1].

        Returns
        -------
        float or ndarray, shape of `recall`
            Fraction in [0, 1].

        Raises
        ------
        InputError
            If a fraction lies outside [0, 1].
        InputTypeError
            If `recall` is not numeric.

        Notes
        -----
        At recall 0 a continuous pair has the limit s prior / (s prior + 1 - prior), s
        the ROC's slope at (0, 0). Samples answer at the nearest recall at which somebody
        is accepted; ties go to the smaller HTER, then to the lower threshold.

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> curve = ScoreModel(Beta(2, 1), Beta(1, 2)).precision_recall()
        >>> curve.precision([0.0, 0.75, 1.0])
        array([1.  , 0.75, 0.5 ])
        """
        y = probability_array(recall, "recall")
        values = [precision_at(self._pair, self.prior, float(r)) for r in np.ravel(y)]
        return as_output(np.array(values).reshape(y.shape))

    def plot(self, ax: Axes | None = None, **style: Any) -> Axes:
        """Draw precision against recall.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        **style
            Properties of the line.

        Returns
        -------
        matplotlib Axes
        """
        points, style = self.points(), {"label": self.name, **style}
        x, y = points.recall, points.precision
        known, axes = ~np.isnan(y), ("recall", "precision")
        return draw_rates(ax, x[known], y[known], axes, style, corner="lower left")
