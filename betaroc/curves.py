"""The other axes of the same pair: error trade-off (DET) and precision against recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from betaroc import decisions
from betaroc._checks import choice, probability_array
from betaroc._thresholds import Thresholds
from betaroc._value import Value
from betaroc.distributions.base import Distribution, as_output
from betaroc.distributions.pairs import Pair, pair_of
from betaroc.measures import OperatingPoint, operating_point
from betaroc.roc import curve_thresholds

__all__ = ["Det", "PrecisionRecall"]


class _Curve(Value):
    client: Distribution
    impostor: Distribution
    prior: float
    is_generic: bool

    @property
    def _pair(self) -> Pair:
        return pair_of(self.client, self.impostor, generic=self.is_generic)

    def _points(self, t: Thresholds) -> OperatingPoint:
        pair = self._pair
        return operating_point(
            t, pair.far(t), pair.frr(t), pair.tpr(t), pair.tnr(t), prior=self.prior, unit=pair.unit
        )

    def points(self, n: int | None = None) -> OperatingPoint:
        """Operating points along the curve, FAR ascending.

        Parameters
        ----------
        n : int, optional
            About how many for continuous laws; samples yield every vertex.
        """
        return self._points(curve_thresholds(self._pair, n)[::-1])


@dataclass(frozen=True, eq=False, repr=False)
class Det(_Curve):
    """Detection error trade-off: FRR against FAR.

    Parameters
    ----------
    client, impostor : Distribution
        The two laws.
    scale : {"probit", "linear"}
        Axes of the picture: normal deviates (DET) or plain rates, which is what
        the papers on expected performance curves call ROC.
    prior : float
        P(client), carried into the points.
    name : str, optional
        For legends.
    is_generic : bool
        Whether the closed forms are left out.

    Notes
    -----
    On normal deviates a binormal pair is a straight line of slope
    -sigma_i / sigma_c.
    """

    client: Distribution
    impostor: Distribution
    scale: Literal["probit", "linear"] = "probit"
    prior: float = 0.5
    name: str | None = None
    is_generic: bool = False

    def __post_init__(self) -> None:
        choice(self.scale, ("probit", "linear"), "scale")

    def frr(self, far: npt.ArrayLike) -> Any:
        """FRR at the lowest threshold whose FAR is at most `far`."""
        x = probability_array(far, "far")
        t = decisions.at_far(self._pair, np.ravel(x))
        return as_output(self._pair.frr(t).reshape(x.shape))

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draw the curve; see :func:`betaroc.plot.plot_det`."""
        from betaroc.plot import plot_det

        return plot_det(self, ax=ax, **style)


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecall(_Curve):
    """Precision against recall, at the pair's prior.

    Parameters
    ----------
    client, impostor : Distribution
        The two laws.
    prior : float
        P(client).
    name : str, optional
        For legends.
    is_generic : bool
        Whether the closed forms are left out.

    Notes
    -----
    Precision is 0/0, nan, where nothing is accepted; at recall 0 a continuous
    pair has the limit that the ROC's slope at (0, 0) gives.
    """

    client: Distribution
    impostor: Distribution
    prior: float = 0.5
    name: str | None = None
    is_generic: bool = False

    def precision(self, recall: npt.ArrayLike) -> Any:
        """Precision at the threshold whose recall is nearest to `recall`."""
        from betaroc.ranking import precision_at

        y = probability_array(recall, "recall")
        values = [precision_at(self._pair, self.prior, float(r)) for r in np.ravel(y)]
        return as_output(np.array(values).reshape(y.shape))

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draw the curve; see :func:`betaroc.plot.plot_precision_recall`."""
        from betaroc.plot import plot_precision_recall

        return plot_precision_recall(self, ax=ax, **style)
