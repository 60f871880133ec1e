"""The receiver operating characteristic of a pair, as a function and as points."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import CLASSES, FloatArray, ScalarOrArray, as_output, elementwise
from betaroc.core.checks import choice, flag, instance, prior as checked_prior, probability_array
from betaroc.core.errors import refusal
from betaroc.core.tables import Table
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import BIOMETRIC
from betaroc.distributions.base import Distribution
from betaroc.distributions.empirical import Corners, decides_by_counts
from betaroc.distributions.pairs import Pair, check_laws, pair_of
from betaroc.model import operating_points, roc_functions
from betaroc.model.areas import partial_auc, precision_at
from betaroc.model.measures import OperatingPoint, curve_table, point_of, rate_terms
from betaroc.model.roc_functions import RocCrossings, chords_of, crossings_of, is_concave
from betaroc.rendering.curves import Axes, deviate, draw_det, draw_points, draw_rates
from betaroc.rendering.nouns import Exportable

if TYPE_CHECKING:
    from betaroc.model.model import ScoreModel

#: Where a log axis begins for a curve that goes on for ever.
_LEAST_DRAWN = 1e-4


class Curve(Exportable):
    """What every curve of a pair of distributions has."""

    client: Distribution
    impostor: Distribution
    prior: float
    is_generic: bool
    _extra_fields = ("lower_is_client",)
    lower_is_client: bool

    def __post_init__(self) -> None:
        flag(self.lower_is_client, "lower_is_client")
        check_laws(self.client, self.impostor)
        object.__setattr__(self, "prior", checked_prior(self.prior))
        flag(self.is_generic, "is_generic")

    @classmethod
    def _of(cls, model: ScoreModel, **option: Any) -> Self:
        shared = fields_of(model, "prior", "name", "is_generic", "lower_is_client")
        make: Any = cls
        curve: Self = make(model.client, model.impostor, **shared, **option)
        vars(curve)["_pair"] = model._pair
        return curve

    @cached_property
    def _pair(self) -> Pair:
        return pair_of(self.client, self.impostor, generic=self.is_generic)

    @property
    def _upward(self) -> bool:
        """Whether x grows as thresholds fall."""
        return True

    def _at(self, t: Thresholds) -> OperatingPoint:
        return point_of(self._pair, t, self.prior, self.lower_is_client)

    def _mapped(
        self, values: npt.ArrayLike, name: str, function: Callable[..., FloatArray], **options: Any
    ) -> ScalarOrArray:
        x = probability_array(values, name)
        return as_output(function(self._pair, np.ravel(x), **options).reshape(x.shape))

    def to_frame(self) -> Table:
        """The points of the curve as a table.

        Returns
        -------
        pandas.DataFrame
            Columns threshold, far, frr, tpr and precision.

        Examples
        --------
        >>> from betaroc import Empirical, ScoreModel
        >>> ScoreModel(Empirical([0.3, 0.7]), Empirical([0.1])).det().to_frame()["frr"].tolist()
        [1.0, 0.5, 0.0, 0.0]
        """
        return curve_table(self.points())

    def points(self, n: int | None = None) -> OperatingPoint:
        """Operating points along the curve, FAR ascending, with ``positive="impostor"`` FRR.

        Parameters
        ----------
        n : int, optional
            How many (default 800), spread into both tails; jumps are always among them.

        Returns
        -------
        OperatingPoint

        Examples
        --------
        >>> from betaroc import Empirical, Roc
        >>> Roc(Empirical([0.3, 0.7]), Empirical([0.1])).points().tpr
        array([0. , 0.5, 1. , 1. ])
        """
        t = roc_functions.curve_thresholds(self._pair, n)
        return self._at(t[::-1] if self._upward else t)


@dataclass(frozen=True, eq=False, repr=False)
class Roc(Curve):
    """ROC of a pair of distributions, exact at every point.

    With ``positive="client"``, x = FAR and y = TPR; with ``positive="impostor"``, x = F_c(theta)
    and y = F_i(theta), the reflection of the former in the anti-diagonal.

    Parameters
    ----------
    client, impostor, prior, name, is_generic, lower_is_client
        As of a :class:`ScoreModel`.
    positive : {"client", "impostor"}
        Which class the axes call positive.

    Notes
    -----
    Distributions with atoms, and samples, give the polyline through the attainable points; on a
    vertical segment y is its top. x = 1e-300 is as exact as x = 0.1.

    References
    ----------
    Omar and Ivrissimtzis, section 3.2; its Fig. 4 has ``positive="impostor"``.

    Examples
    --------
    >>> from betaroc import Beta, Roc
    >>> round(Roc(Beta(2.0, 1.0), Beta(1.0, 1.0)).tpr(0.5), 12)  # 1 - (1 - FAR)^2
    0.75
    """

    client: Distribution
    impostor: Distribution
    positive: Literal["client", "impostor"] = "client"
    prior: float = 0.5
    name: str | None = None
    is_generic: bool = False
    lower_is_client: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        choice(self.positive, CLASSES, "positive")

    @property
    def _upward(self) -> bool:
        return self.positive == "client"

    # ------------------------------------------------------------ the curve as a function
    @elementwise
    def tpr(self, fpr: npt.ArrayLike) -> ScalarOrArray:
        """Height of the curve, the top where it is vertical.

        Parameters
        ----------
        fpr : array_like
            Fractions in [0, 1].

        Returns
        -------
        float or ndarray, shape of `fpr`
            TPR; of the impostor's curve TNR.

        Examples
        --------
        >>> from betaroc import Empirical, Roc
        >>> Roc(Empirical([0.3, 0.6, 0.9, 0.9]), Empirical([0.1, 0.3])).tpr([0.0, 0.25, 0.5])
        array([0.75 , 0.875, 1.   ])
        """
        return self._mapped(fpr, "fpr", roc_functions.height, upward=self._upward)

    @elementwise
    def fpr(self, tpr: npt.ArrayLike) -> ScalarOrArray:
        """The smallest x at which the curve reaches a height.

        Parameters
        ----------
        tpr : array_like
            Fractions in [0, 1].

        Returns
        -------
        float or ndarray, shape of `tpr`
            FAR; of the impostor's curve FRR.

        Examples
        --------
        >>> from betaroc import Beta, Roc
        >>> round(Roc(Beta(2, 1), Beta(1, 2)).fpr(0.75), 12)  # TPR = 2 sqrt(FAR) - FAR
        0.25
        """
        return self._mapped(tpr, "tpr", roc_functions.leftmost, upward=self._upward)

    @elementwise
    def slope(self, fpr: npt.ArrayLike) -> ScalarOrArray:
        """dTPR / dFPR, of the segment to the right where the curve has a corner.

            slope = f_c / f_i at the threshold, f_i / f_c for ``positive="impostor"``

        Parameters
        ----------
        fpr : array_like
            Fractions in [0, 1].

        Returns
        -------
        float or ndarray, shape of `fpr`
            In [0, inf]; at 0 and 1 the one-sided limits, with ``positive="impostor"`` the paper's
            semi-derivatives.

        References
        ----------
        Omar and Ivrissimtzis, section 3.2; docs/theory.md, (2).

        Examples
        --------
        >>> from betaroc import Beta, Roc
        >>> Roc(Beta(2, 1), Beta(1, 1)).slope([0.0, 0.5, 1.0])  # 2 (1 - FAR)
        array([2., 1., 0.])
        """
        return self._mapped(fpr, "fpr", roc_functions.slope, upward=self._upward)

    @elementwise
    def threshold(self, fpr: npt.ArrayLike) -> ScalarOrArray:
        """The lowest threshold with FAR <= fpr.

        Parameters
        ----------
        fpr : array_like
            Fractions in [0, 1].

        Returns
        -------
        float or ndarray, shape of `fpr`
            Of the impostor's curve the highest with FRR <= fpr.

        Examples
        --------
        >>> from betaroc import Beta, Roc
        >>> round(Roc(Beta(2, 1), Beta(1, 2)).threshold(0.25), 12)  # (1 - t)^2 = 1/4
        0.5
        """
        reach = operating_points.at_far if self._upward else operating_points.at_frr
        return self._mapped(fpr, "fpr", lambda pair, x: reach(pair, x).theta)

    # ----------------------------------------------------------------- as a whole
    def auc(self) -> float:
        """Area under the curve; see `ScoreModel.auc`."""
        return self._pair.auc()

    @property
    def is_concave(self) -> bool:
        """Whether the curve is its own convex hull ("proper" in the strict sense)."""
        return is_concave(self._pair)

    def hull(self) -> RocHull:
        """The least concave curve above this one, attained by randomising thresholds.

        Returns
        -------
        RocHull
            Without chords if the curve is concave.

        Examples
        --------
        >>> from betaroc import Beta, Roc
        >>> round(Roc(Beta(2, 2), Beta(1, 1)).hull().ends[0].far, 9)  # 3 FAR^2 - 2 FAR^3, dented
        0.75
        """
        return RocHull(self, *map(self._at, chords_of(self._pair)))

    def corners(self) -> OperatingPoint:
        """The points at which the curve of two samples turns; it is straight between them.

        Returns
        -------
        OperatingPoint
            x ascending.

        Examples
        --------
        >>> from betaroc import Empirical, Roc
        >>> Roc(Empirical([0.3, 0.7]), Empirical([0.1])).corners().tpr
        array([0., 1., 1.])
        """
        pair = pair_of(self.client, self.impostor) if self.is_generic else self._pair
        if not decides_by_counts(pair):
            kinds = f"{type(self.client).__name__} and {type(self.impostor).__name__}"
            raise refusal("corners()", "be of two samples", kinds, "Take points(n).")
        step = -1 if self._upward else 1
        at = Corners(*(column[::step] for column in pair.corners))
        rates, lower = (at.far, at.frr, at.tpr, at.tnr), self.lower_is_client
        t = Thresholds.from_both(at.theta, np.full(at.theta.shape, np.nan))
        return OperatingPoint._of_rates(t, rates, self.prior, lower)

    def crossings(self, other: Roc) -> RocCrossings:
        """Where this curve and another meet and change places.

        Parameters
        ----------
        other : Roc
            Another curve; each has its own score scale.

        Returns
        -------
        RocCrossings

        Notes
        -----
        Curves that touch within a relative 1e-11 do not cross; of a stretch on which they are one
        the middle counts. A bend that spans less than 1/4 in the log odds of FAR can hide two.

        Examples
        --------
        >>> from betaroc import Beta, Roc
        >>> found = Roc(Beta(2, 2), Beta(1, 1)).crossings(Roc(Beta(1, 1), Beta(1, 1)))
        >>> found.far.round(12).tolist(), found.leaders  # 3 x^2 - 2 x^3 = x
        ([0.5], (2, 1))
        """
        return crossings_of(self._pair, instance(other, Roc, "other", "model.roc()")._pair)

    def plot(
        self, ax: Axes | None = None, *, scale: str = "linear", terms: str = BIOMETRIC,
        points: OperatingPoint | None = None, **style: Any,
    ) -> Axes:  # fmt: skip
        """Draw the curve, the chance line beside it.

        Parameters
        ----------
        ax : optional
            As in :meth:`betaroc.ScoreModel.plot`.
        scale : str
            Of the horizontal axis, "linear" or "log", from the smallest rate of scores, or 0.01 %.
        terms : str
            Words of the axes: "biometric" (FAR, TPR), "matching" (FMR, TMR), "pad" (APCER,
            1 - BPCER) or "ml" (FPR, TPR).
        points : OperatingPoint, optional
            Drawn as circles: ``br.epc(dev, test).points`` are those of dev's thresholds on test.
        **style
            Properties of the line, such as ``color`` or ``label`` (default: the curve's name).

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> import betaroc as br
        >>> roc = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5)).roc()
        >>> ax = roc.plot(scale="log", terms="matching")
        >>> ax.get_xscale(), ax.get_xlabel()
        ('log', 'FMR')
        """
        log = choice(scale, ("linear", "log"), "scale") == "log"
        words = rate_terms(terms, self._pair)
        p, style = self.points(), {"label": self.name, **style}
        x, y, kind, axes = p.far, p.tpr, "roc", (words.far.short, words.tpr.short)
        if not self._upward:
            x, y, kind, axes = p.frr, p.tnr, "impostor-roc", ("F_c", "F_i")
        least = None
        if log:
            inner = x[(x > 0.0) & (x < 1.0)]
            least = float(np.min(inner, initial=1.0))
            if not inner.size or (least < _LEAST_DRAWN and not self._pair.discrete):
                least = _LEAST_DRAWN
        ax = draw_rates(
            ax, x, y, axes, style, corner="lower right", kind=kind, chance=(0.0, 1.0), least=least
        )
        return _circled(ax, points, ("far", "tpr") if self._upward else ("frr", "tnr"))


@dataclass(frozen=True, eq=False, repr=False)
class RocHull(Exportable):
    """The least concave curve above a ROC, with chords over its dents; see :meth:`Roc.hull`.

    A point on a chord takes one of its two thresholds at random.

    Parameters
    ----------
    roc : Roc
        The curve.
    starts, ends : OperatingPoint
        Both ends of each chord, FAR ascending: exact tangent points, jumps or corners.

    Examples
    --------
    >>> from betaroc import Beta, Roc
    >>> len(Roc(Beta(2, 1), Beta(1, 2)).hull().starts)
    0
    """

    roc: Roc
    starts: OperatingPoint
    ends: OperatingPoint

    @elementwise
    def tpr(self, fpr: npt.ArrayLike) -> ScalarOrArray:
        """Height of the hull, as :meth:`Roc.tpr`.

        Parameters
        ----------
        fpr : array_like
            Fractions in [0, 1].

        Returns
        -------
        float or ndarray

        Examples
        --------
        >>> from betaroc import Beta, Roc
        >>> round(Roc(Beta(2, 2), Beta(1, 1)).hull().tpr(0.5), 9)  # chord of slope 9/8
        0.5625
        """
        x = np.asarray(probability_array(fpr, "fpr"))
        y = np.asarray(self.roc.tpr(x))
        for start, end in zip(self.starts, self.ends, strict=True):
            (x_0, y_0), (x_1, y_1) = (start.far, start.tpr), (end.far, end.tpr)
            if not self.roc._upward:
                (x_0, y_0), (x_1, y_1) = (end.frr, end.tnr), (start.frr, start.tnr)
            inside = (x > x_0) & (x < x_1)
            y = np.where(inside, y_0 + (y_1 - y_0) * (x - x_0) / (x_1 - x_0), y)
        return as_output(y)

    def auc(self) -> float:
        """Area under the hull: the curve's own, and what lies between it and the chords.

        Examples
        --------
        >>> from betaroc import Beta, Roc
        >>> round(Roc(Beta(2, 2), Beta(1, 1)).hull().auc(), 9)  # 283/512
        0.552734375
        """
        pair = self.roc._pair
        return self.roc.auc() + math.fsum(
            0.5 * (end.far - start.far) * (start.tpr + end.tpr)
            - partial_auc(pair, start.far, end.far)
            for start, end in zip(self.starts, self.ends, strict=True)
        )

    def to_frame(self) -> Table:
        """The points of the hull as a table, as :meth:`Roc.to_frame`.

        Examples
        --------
        >>> from betaroc import Empirical, Roc
        >>> Roc(Empirical([0.3, 0.7]), Empirical([0.1])).hull().to_frame()["tpr"].max().item()
        1.0
        """
        return curve_table(self.points())

    def points(self, n: int | None = None) -> OperatingPoint:
        """Return points along the hull, with the ends of the chords.

        Parameters
        ----------
        n : int, optional
            As in :meth:`Roc.points`.

        Returns
        -------
        OperatingPoint

        Examples
        --------
        >>> from betaroc import Beta, Roc
        >>> far = Roc(Beta(2, 2), Beta(1, 1)).hull().points().far
        >>> round(float(far[far > 0.0][0]), 9)  # the chord starts at 0
        0.75
        """
        along = self.roc.points(n)
        keep = np.ones(len(along), dtype=bool)
        for start, end in zip(self.starts, self.ends, strict=True):
            keep &= (along.far <= start.far) | (along.far > end.far) | (along.tpr >= end.tpr)
        parts = [along[keep], self.starts, self.ends]
        t = Thresholds.concatenate([p.thresholds for p in parts])
        names = ("far", "frr", "tpr", "tnr")
        rates = [np.concatenate([getattr(p, name) for p in parts]) for name in names]
        whole = OperatingPoint._of_rates(t, rates, self.roc.prior, self.roc.lower_is_client)
        order = np.lexsort((whole.tpr, whole.far))
        return whole[order if self.roc._upward else order[::-1]]

    def eer(self) -> OperatingPoint:
        """Where the hull meets FAR = FRR; on a chord by randomising its two thresholds.

        Returns
        -------
        OperatingPoint
            The rate is its ``.hter``; on a chord it has the upper threshold.

        Examples
        --------
        >>> from betaroc import Beta, Roc
        >>> round(Roc(Beta(2, 2), Beta(1, 1)).hull().eer().hter, 9)  # 9/8 x = 1 - x
        0.470588235
        """
        for start, end in zip(self.starts, self.ends, strict=True):
            if start.far <= start.frr and end.far >= end.frr:
                return self._mixture(start, end)
        root = self.roc._pair.balance_root()
        if root is not None:
            return self.roc._at(root)
        vertices = self.points()
        gap = vertices.far - vertices.frr
        if not self.roc._upward:
            vertices, gap = vertices[::-1], gap[::-1]
        k = max(1, int(np.argmax(gap >= 0.0)))
        return self._mixture(vertices[k - 1], vertices[k])

    def _mixture(self, start: OperatingPoint, end: OperatingPoint) -> OperatingPoint:
        before, after = start.frr - start.far, end.far - end.frr
        share = before / (before + after) if before + after > 0.0 else 0.0
        rate = float(start.far + share * (end.far - start.far))
        keep = float(start.tpr + share * (end.tpr - start.tpr))
        return replace(start, far=rate, frr=rate, tpr=keep, tnr=keep)


# ------------------------------------------------------- the other axes of the same pair
@dataclass(frozen=True, eq=False, repr=False)
class Det(Curve):
    """Detection error trade-off: FRR against FAR.

    Parameters
    ----------
    client, impostor, prior, name, is_generic, lower_is_client
        As of a :class:`ScoreModel`.
    scale : {"probit", "linear"}
        Axes of the picture: normal deviates, on which a binormal pair is a line of slope
        -sigma_i / sigma_c, or plain rates.

    References
    ----------
    Martin, A. et al. (1997), The DET curve in assessment of detection task performance.

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
    lower_is_client: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        choice(self.scale, ("probit", "linear"), "scale")

    @elementwise
    def frr(self, far: npt.ArrayLike) -> ScalarOrArray:
        """FRR at the lowest threshold with FAR <= far.

        Parameters
        ----------
        far : array_like
            Fractions in [0, 1].

        Returns
        -------
        float or ndarray

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> ScoreModel(Beta(2, 1), Beta(1, 2)).det().frr([0.0, 0.25, 1.0])  # (1 - sqrt(FAR))^2
        array([1.  , 0.25, 0.  ])
        """
        return self._mapped(far, "far", lambda pair, x: pair.frr(operating_points.at_far(pair, x)))

    def plot(
        self, ax: Axes | None = None, *, terms: str = BIOMETRIC,
        points: OperatingPoint | None = None, **style: Any,
    ) -> Axes:  # fmt: skip
        """Draw FRR against FAR, on the axes of ``scale``, in which the line data are.

        Parameters
        ----------
        ax, terms, points, **style
            As in :meth:`betaroc.Roc.plot`.
        """
        words = rate_terms(terms, self._pair)
        p, style = self.points(), {"label": self.name, **style}
        axes = words.far.short, words.frr.short
        if self.scale == "probit":
            ax = draw_det(ax, p.far, p.frr, axes, style)
        else:
            ax = draw_rates(
                ax, p.far, p.frr, axes, style, corner="upper right", kind="linear-det",
                chance=(1.0, 0.0),
            )  # fmt: skip
        scale = deviate if self.scale == "probit" else np.asarray
        return _circled(ax, points, ("far", "frr"), scale)


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecall(Curve):
    """Precision against recall, at the pair's prior.

        precision = prior TPR / (prior TPR + (1 - prior) FAR),   recall = TPR

    Parameters
    ----------
    client, impostor, prior, name, is_generic, lower_is_client
        As of a :class:`ScoreModel`.

    References
    ----------
    IDIAP-RR 03-85, (8) and (9).

    Examples
    --------
    >>> from betaroc import Beta, ScoreModel
    >>> round(ScoreModel(Beta(2, 1), Beta(1, 1), prior=0.5).precision_recall().precision(0.75), 12)
    0.6
    """

    client: Distribution
    impostor: Distribution
    prior: float = 0.5
    name: str | None = None
    is_generic: bool = False
    lower_is_client: bool = False

    @elementwise
    def precision(self, recall: npt.ArrayLike) -> ScalarOrArray:
        """Precision at the threshold of the nearest recall at which somebody is accepted.

        Parameters
        ----------
        recall : array_like
            Fractions in [0, 1].

        Returns
        -------
        float or ndarray

        Notes
        -----
        At recall 0 a continuous pair has the limit s prior / (s prior + 1 - prior), s the ROC's
        slope at (0, 0).

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

    def plot(
        self, ax: Axes | None = None, *, points: OperatingPoint | None = None, **style: Any
    ) -> Axes:
        """Draw precision against recall.

        Parameters
        ----------
        ax, points, **style
            As in :meth:`betaroc.Roc.plot`.
        """
        p, style = self.points(), {"label": self.name, **style}
        known, axes = ~np.isnan(p.precision), ("recall", "precision")
        x, y = p.recall[known], p.precision[known]
        ax = draw_rates(ax, x, y, axes, style, corner="lower left")
        return _circled(ax, points, axes)


def _circled(
    ax: Axes, points: OperatingPoint | None, axes: tuple[str, str],
    scale: Callable[[Any], FloatArray] = np.asarray,
) -> Axes:  # fmt: skip
    """The axes, with operating points as circles where there are some."""
    if points is not None:
        p = instance(points, OperatingPoint, "points", "br.epc(dev, test).points")
        draw_points(ax, *(scale(getattr(p, name)) for name in axes))
    return ax
