"""The pair of laws as users hold it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from betaroc import decisions, ranking
from betaroc import ends as _ends
from betaroc._checks import choice, count, fraction, probability_array, real_array
from betaroc._checks import prior as checked_prior
from betaroc._thresholds import Thresholds
from betaroc._value import Value
from betaroc.curves import Det, PrecisionRecall
from betaroc.distributions.base import Distribution, as_output
from betaroc.distributions.beta import Beta, Shape
from betaroc.distributions.pairs import Pair, pair_of
from betaroc.ends import Ends, SemiDerivatives
from betaroc.errors import InputError, InputTypeError
from betaroc.measures import OperatingPoint, checked_cost, operating_point
from betaroc.roc import Roc

__all__ = ["ScoreModel"]

_GENERIC_SHAPES = (Shape.U, Shape.J, Shape.REVERSE_J, Shape.BELL)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreModel(Value):
    """What a classifier does at every threshold, from the laws of its two score classes.

    Accept iff score > threshold, so that

        FRR(t) = P(C <= t) = client.cdf(t),   FAR(t) = P(I > t) = impostor.sf(t).

    Parameters
    ----------
    client, impostor : Distribution
        Laws of the genuine and the impostor scores; any two kinds together.
    prior : float, optional
        P(client), for precision, accuracy and the like.
    name : str, optional
        For tables and legends.

    Raises
    ------
    InputTypeError
        If a law is not a Distribution.
    InputError
        If `prior` is not a fraction.

    Notes
    -----
    A frozen value that knows no data: compares by content, hashable. Closed
    forms are used where two laws have them; :meth:`generic` leaves them out.

    Examples
    --------
    >>> from betaroc import Beta
    >>> model = ScoreModel(Beta(0.47, 0.36), Beta(0.77, 1.91))
    >>> round(model.auc(), 4), model.global_shape()
    (0.7106, 'hook-at-zero')
    """

    client: Distribution
    impostor: Distribution
    prior: float = field(default=0.5, kw_only=True)
    name: str | None = field(default=None, kw_only=True)
    is_generic: bool = field(default=False, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        for which in ("client", "impostor"):
            law = getattr(self, which)
            if not isinstance(law, Distribution):
                raise InputTypeError(
                    f"{which} must be a distribution such as Beta(a, b); got"
                    f" {type(law).__name__}. For scores use betaroc.fit(Scores(...)) or Empirical."
                )
        object.__setattr__(self, "prior", checked_prior(self.prior))

    @property
    def _pair(self) -> Pair:
        cached = self.__dict__.get("_pair_cache")
        if cached is None:
            cached = pair_of(self.client, self.impostor, generic=self.is_generic)
            self.__dict__["_pair_cache"] = cached
        return cached

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k != "_pair_cache"}

    def generic(self) -> ScoreModel:
        """The same pair on the generic algorithms: the oracle of the closed forms."""
        return ScoreModel(
            self.client, self.impostor, prior=self.prior, name=self.name, is_generic=True
        )

    # --------------------------------------------------------------------- rates
    def far(self, t: npt.ArrayLike) -> Any:
        """False acceptance rate P(I > t), in its own tail.

        Parameters
        ----------
        t : array_like
            Thresholds; NaN propagates.

        Returns
        -------
        float or ndarray, shape of `t`
            Fraction in [0, 1].
        """
        return as_output(self._pair.far(Thresholds.from_theta(real_array(t, "t"))))

    def frr(self, t: npt.ArrayLike) -> Any:
        """False rejection rate P(C <= t), in its own tail."""
        return as_output(self._pair.frr(Thresholds.from_theta(real_array(t, "t"))))

    def at(self, t: npt.ArrayLike) -> OperatingPoint:
        """The operating point, or an array of them, at thresholds `t`."""
        return self._point(Thresholds.from_theta(real_array(t, "t")))

    def _point(self, t: Thresholds) -> OperatingPoint:
        p = self._pair
        return operating_point(
            t, p.far(t), p.frr(t), p.tpr(t), p.tnr(t), prior=self.prior, unit=p.unit
        )

    # ----------------------------------------------------------------- thresholds
    def at_far(self, x: npt.ArrayLike) -> OperatingPoint:
        """The operating point at the lowest threshold with FAR <= x.

        Parameters
        ----------
        x : array_like
            Fractions in [0, 1].
        """
        return self._point(self._reach(decisions.at_far, x))

    def at_frr(self, x: npt.ArrayLike) -> OperatingPoint:
        """The operating point at the highest threshold with FRR <= x."""
        return self._point(self._reach(decisions.at_frr, x))

    def threshold_at_far(self, x: npt.ArrayLike) -> Any:
        """The lowest threshold with FAR <= x; :meth:`at_far` keeps its logit too."""
        return as_output(self._reach(decisions.at_far, x).theta)

    def threshold_at_frr(self, x: npt.ArrayLike) -> Any:
        """The highest threshold with FRR <= x; :meth:`at_frr` keeps its logit too."""
        return as_output(self._reach(decisions.at_frr, x).theta)

    def _reach(self, how: Any, x: npt.ArrayLike) -> Thresholds:
        target = probability_array(x, "x")
        t = how(self._pair, np.ravel(target))
        return Thresholds(*(v.reshape(target.shape) for v in (t.theta, t.complement, t.logit)))

    def eer(self, method: Literal["nearest", "hull"] = "nearest") -> OperatingPoint:
        """Equal error rate: FAR = FRR.

        Parameters
        ----------
        method : {"nearest", "hull"}
            On steps, where the two never meet: the threshold of smallest
            abs(FAR - FRR), the value being the HTER there (IDIAP-RR 03-85, (7)),
            or the crossing of the ROC's convex hull, reached by randomising.

        Returns
        -------
        OperatingPoint
            Read the rate off as ``.hter``.
        """
        choice(method, ("nearest", "hull"), "method")
        if method == "hull":
            return self.roc().hull().eer()
        pair = self._pair
        root = decisions.balanced(pair)
        if root is None:
            root = decisions.nearest_balance(pair, lambda t: pair.far(t) - pair.frr(t))
        return self._point(root)

    def min_weighted_error(self, alpha: float) -> OperatingPoint:
        """The global minimiser of alpha FAR + (1 - alpha) FRR.

        Parameters
        ----------
        alpha : float
            Weight of FAR in [0, 1], read as the decimal that was meant.

        Notes
        -----
        Candidates are the ends of the scale, the jumps and all places where the
        likelihood ratio equals alpha / (1 - alpha); ties go to the smallest
        HTER, then the lowest threshold.
        """
        weight = decisions.exact_weight(fraction(alpha, "alpha"))
        return self._point(decisions.weighted_error(self._pair, weight, 1 - weight))

    def min_dcf(self, cost_fa: float = 1.0, cost_fr: float = 1.0) -> OperatingPoint:
        """The global minimiser of cost_fr prior FRR + cost_fa (1 - prior) FAR.

        Raises
        ------
        InputError
            If a cost is negative or both are 0.
        """
        fa, fr = checked_cost(cost_fa, "cost_fa"), checked_cost(cost_fr, "cost_fr")
        prior = decisions.exact_weight(self.prior)
        if fa == 0.0 and fr == 0.0:
            raise InputError(
                "cost_fa and cost_fr must not both be 0: every threshold would be best."
                " Give at least one positive cost."
            )
        weights = Fraction(fa) * (1 - prior), Fraction(fr) * prior
        return self._point(decisions.weighted_error(self._pair, *weights))

    def max_f(self, weight: float = 0.5) -> OperatingPoint:
        """The global maximiser of 1 / (weight / precision + (1 - weight) / recall).

        Parameters
        ----------
        weight : float
            Weight of precision in [0, 1]; 0.5 gives F1.
        """
        return self._point(decisions.max_f(self._pair, fraction(weight, "weight"), self.prior))

    def youden(self) -> OperatingPoint:
        """The threshold of largest TPR - FAR, equally of smallest HTER."""
        return self.min_weighted_error(0.5)

    def break_even(self) -> OperatingPoint:
        """The threshold where precision equals recall, or is nearest to it."""
        return self._point(decisions.break_even(self._pair, self.prior))

    # ------------------------------------------------------------ measures of the curve
    def auc(self) -> float:
        """Area under the ROC, P(C > I) + P(C = I)/2.

        Notes
        -----
        Beta pairs: trapezoid rule in logit coordinates; binormal pairs: normal
        cdf; atoms: sums. Relative error below 1e-12.
        """
        return self._pair.auc()

    def partial_auc(self, low: float, high: float, standardized: bool = False) -> float:
        """Area under TPR(FAR) for FAR in [low, high].

        Parameters
        ----------
        low, high : float
            Fractions, low < high.
        standardized : bool
            McClish's rescaling: 1/2 on the diagonal, 1 for a perfect curve.

        Raises
        ------
        InputError
            If not 0 <= low < high <= 1.
        """
        low, high = fraction(low, "low"), fraction(high, "high")
        if not low < high:
            raise InputError(f"low must be below high; got low={low!r}, high={high!r}.")
        area = ranking.partial_auc(self._pair, low, high)
        if not standardized:
            return area
        chance, full = 0.5 * (high - low) * (high + low), high - low
        return 0.5 * (1.0 + (area - chance) / (full - chance))

    def ks(self) -> float:
        """Kolmogorov-Smirnov distance sup abs(F_i - F_c), whichever class lies above."""
        return ranking.ks(self._pair)

    def average_precision(self, points: int | None = None) -> float:
        """Precision averaged over recall.

        Parameters
        ----------
        points : int, optional
            Number of equally spaced recall levels 0, ..., 1 at whose nearest
            attainable recall precision is read (11: IDIAP-RR 03-85, (13));
            left out: the integral of precision over recall.
        """
        number = None if points is None else count(points, "points", 2)
        return ranking.average_precision(self._pair, self.prior, number)

    # -------------------------------------------------------------- ends and shape
    def ends(self) -> Ends:
        """Behaviour of the ROC near both ends of the threshold range.

        Returns
        -------
        Ends
            ``.at_zero`` and ``.at_one``, each with semi_derivative, roc_slope,
            exponent, coefficient and side of the diagonal.

        Notes
        -----
        Beta pairs near 0: F_i ~ K F_c^rho with rho = a_i / a_c and
        K = (a_c B_c)^rho / (a_i B_i); near 1 the same of the upper tails with b.
        With atoms the end is the straight segment: p_i / p_c. Normal laws have
        no coefficient (nan).

        References
        ----------
        Omar and Ivrissimtzis, section 3.2, with its signs corrected.
        """
        return _ends.ends(self._pair)

    def semi_derivatives(self) -> SemiDerivatives:
        """lim dF_i / dF_c at thresholds 0 and 1: 0.0, inf, or the constant where exponents tie."""
        both = self.ends()
        return SemiDerivatives(both.at_zero.semi_derivative, both.at_one.semi_derivative)

    def diagonal_crossings(self) -> OperatingPoint:
        """Where the ROC crosses the diagonal, an array of points, possibly empty.

        Notes
        -----
        On the straight segment of an atom or a tie no threshold attains the
        crossing: FAR = TPR there is given with the segment's upper threshold.
        """
        found = [] if self.client == self.impostor else _ends.crossings(self._pair)
        nowhere = Thresholds.from_theta(np.empty(0))
        point = self._point(Thresholds.concatenate([nowhere, *(c.threshold for c in found)]))
        rate = np.array([c.rate for c in found])
        attained = np.isnan(rate)
        return OperatingPoint(
            point.threshold,
            np.where(attained, point.far, rate),
            np.where(attained, point.frr, 1.0 - rate),
            self.prior,
            point.logit_threshold,
            np.where(attained, point.tpr, rate),
            np.where(attained, point.tnr, 1.0 - rate),
        )

    def inflections(self) -> OperatingPoint:
        """Where the curvature of the ROC changes sign, an array of points, possibly empty."""
        return self._point(self._pair.turning_points())

    def global_shape(self) -> str:
        """One word for the whole curve.

        Returns
        -------
        str
            ``"chance"`` (the diagonal), ``"proper"`` (above the diagonal
            everywhere), ``"below"`` (below everywhere), ``"hook-at-zero"`` or
            ``"hook-at-one"`` (one crossing; below the diagonal near that end of
            the threshold range), ``"several-crossings"``.

        Notes
        -----
        Beta pairs: with a, b the differences of the shapes, client - impostor,
        the signs of a and b decide: proper iff a >= 0 >= b, and then concave;
        hooked iff ab > 0. Binormal pairs: hooked iff the sigmas differ. For
        other pairs ``"proper"`` speaks of the diagonal alone; see
        ``roc().is_concave``.
        """
        return _ends.global_shape(self._pair)

    def shape_category(self, scheme: int | None = None) -> tuple[Shape, Shape] | None:
        """Shapes of the client and the impostor density.

        Parameters
        ----------
        scheme : {None, 9, 16}
            None: the shapes as they are, borders included. 16: the paper's four
            shapes a class. 9: its three, J and reverse-J both called J.

        Returns
        -------
        tuple of Shape, or None
            (client, impostor). None unless both are beta laws (inflated or
            not), and under a scheme for a law on a border (a = 1 or b = 1).

        Raises
        ------
        InputError
            For another scheme.

        References
        ----------
        Omar and Ivrissimtzis, section 3.1; "respectively" there has J and
        reverse-J swapped.
        """
        if scheme not in (None, 9, 16):
            raise InputError(f"scheme must be None, 9 or 16; got {scheme!r}.")
        shapes = [_shape(law) for law in (self.client, self.impostor)]
        if scheme is not None:
            merged = {Shape.REVERSE_J: Shape.J} if scheme == 9 else {}
            shapes = [merged.get(s, s) if s in _GENERIC_SHAPES else None for s in shapes]
        client, impostor = shapes
        return None if client is None or impostor is None else (client, impostor)

    # ---------------------------------------------------------------------- curves
    def roc(self, positive: Literal["client", "impostor"] = "client") -> Roc:
        """The ROC; see :class:`Roc` for the two orientations."""
        return Roc(self.client, self.impostor, positive, self.prior, self.name, self.is_generic)

    def det(self, scale: Literal["probit", "linear"] = "probit") -> Det:
        """FRR against FAR on normal deviates, or on linear axes."""
        return Det(self.client, self.impostor, scale, self.prior, self.name, self.is_generic)

    def precision_recall(self) -> PrecisionRecall:
        """Precision against recall at the model's prior."""
        return PrecisionRecall(self.client, self.impostor, self.prior, self.name, self.is_generic)


def _shape(law: Distribution) -> Shape | None:
    base = law if law.continuous is None else law.continuous[1]
    return base.shape if isinstance(base, Beta) else None
