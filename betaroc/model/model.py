"""The pair of distributions of both classes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, FloatArray, ScalarOrArray, as_output, elementwise
from betaroc.core.errors import refusal
from betaroc.core.tables import Table, columns_from_rows, table_of
from betaroc.core.text import format_value
from betaroc.core.thresholds import Thresholds, mirror
from betaroc.data.scores import Scores
from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import Shape, has_shape
from betaroc.distributions.pairs import Pair, check_laws, pair_of
from betaroc.distributions.pictures import plot_classes
from betaroc.distributions.shifted import lies_on_unit, moved_law
from betaroc.model import areas, ends as _ends, operating_points
from betaroc.model.calibration import BayesError, class_probabilities
from betaroc.model.criteria import least_weighted_errors
from betaroc.model.ends import Ends, SemiDerivatives
from betaroc.model.measures import OperatingPoint, checked_cost, point_of
from betaroc.model.roc import Det, PrecisionRecall, Roc
from betaroc.model.roc_functions import (
    diagonal_crossings,
    global_shape,
    log_likelihood_ratio,
    posterior,
)
from betaroc.rendering.curves import Axes
from betaroc.rendering.nouns import Exportable

_GENERIC_SHAPES = (Shape.U, Shape.J, Shape.REVERSE_J, Shape.BELL)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreModel(Exportable):
    """The behaviour of a classifier at every threshold, from the distributions of its scores.

    Accept iff score > threshold, so that

        FRR(t) = P(C <= t) = client.cdf(t),   FAR(t) = P(I > t) = impostor.sf(t).

    Parameters
    ----------
    client, impostor : Distribution
        Distributions of both classes; any two kinds together.
    prior : float, optional
        P(client) in [0, 1], for precision and the like.
    name : str, optional
        For tables and legends.
    is_generic : bool, optional
        Whether the closed forms are left out; see :meth:`generic`.
    lower_is_client : bool, optional
        Whether the distributions are of -s of scores s of which clients have the lower ones, as of
        distances; thresholds, and scores given, are those of s.

    Notes
    -----
    Rates of beta pairs have relative error below 1e-12 for shapes in [0.05, 1e3], below 1e-9 in
    [1e-3, 1e6], in both tails through 1e-300. nan gives nan. Ties of a best threshold go to the
    smallest HTER, then to the lowest threshold.

    References
    ----------
    Omar, L. and Ivrissimtzis, I. (2019), Using theoretical ROC curves for analysing machine
    learning binary classifiers. Bengio, S., Keller, M. and Mariethoz, J. (2004), IDIAP-RR 03-85.

    Examples
    --------
    >>> from betaroc import Beta, ScoreModel
    >>> model = ScoreModel(Beta(0.47, 0.36), Beta(0.77, 1.91))
    >>> round(model.auc(), 4), model.global_shape()
    (0.7106, 'hook-at-zero')
    """

    client: Distribution
    impostor: Distribution
    prior: float = field(default=0.5, kw_only=True)
    name: str | None = field(default=None, kw_only=True)
    is_generic: bool = field(default=False, kw_only=True)
    _extra_fields = ("lower_is_client",)
    lower_is_client: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        check_laws(self.client, self.impostor)
        object.__setattr__(self, "prior", checks.prior(self.prior))
        checks.name_or_none(self.name)
        checks.flag(self.is_generic, "is_generic")
        checks.flag(self.lower_is_client, "lower_is_client")

    def to_frame(self) -> Table:
        """Return both distributions as a table, one row per parameter, of scores one per score.

        Returns
        -------
        pandas.DataFrame
            Columns class, distribution, parameter and value.

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> table = ScoreModel(Beta(4.0, 2.0), Beta(2.0, 4.0)).to_frame()
        >>> table.drop(columns="distribution").values.tolist()[:2]
        [['client', 'a', 4.0], ['client', 'b', 2.0]]
        """
        rows: list[tuple[str, str, str, float]] = []
        for who in CLASSES:
            law: Distribution = getattr(self, who)
            columns = law._columns()
            title = "value" if "value" in columns else next(iter(columns))
            parameters = columns.get("parameter", [title] * len(columns[title]))
            pairs = zip(parameters, columns[title], strict=True)
            scalars = ((name, float(value)) for name, value in pairs if np.ndim(value) == 0)
            rows += [(who, type(law).__name__, *pair) for pair in scalars]
        names = ("class", "distribution", "parameter", "value")
        return table_of(columns_from_rows(rows, names, names[:3]))

    @cached_property
    def _pair(self) -> Pair:
        return pair_of(self.client, self.impostor, generic=self.is_generic)

    @cached_property
    def _ks(self) -> float:
        return areas.ks(self._pair)

    @cached_property
    def _scored(self) -> ScoreModel:
        return replace(self, client=self.client._scored, impostor=self.impostor._scored)

    def generic(self) -> ScoreModel:
        """The same pair by quadrature, bracketed roots and enumeration alone.

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> model = ScoreModel(Beta(2, 1), Beta(1, 2))  # F_c = t^2, F_i = 1 - (1 - t)^2
        >>> round(model.generic().auc(), 12)
        0.833333333333
        """
        return replace(self, is_generic=True)

    # ------------------------------------------------------------------ other score sets
    def shifted(
        self, *, client: float = 0.0, impostor: float = 0.0, scale: float = 1.0
    ) -> ScoreModel:
        """Return the model after a shift of its scores.

            logit s' = scale logit s + shift    if both distributions lie in [0, 1]
            s' = scale s + shift                otherwise

        Parameters
        ----------
        client, impostor : float, optional
            Shift of each class.
        scale : float, optional
            Positive, of both classes.

        Returns
        -------
        ScoreModel
            Of the same families where these hold the moved distributions, else of `Shifted`.

        Examples
        --------
        >>> from betaroc import Normal
        >>> ScoreModel(Normal(1, 1), Normal(-1, 1)).shifted(impostor=0.5).impostor
        Normal(mu=-0.5, sigma=1.0)
        """
        logit = lies_on_unit(self.client) and lies_on_unit(self.impostor)
        shifts = checks.finite(client, "client"), checks.finite(impostor, "impostor")
        shifts = mirror(shifts[0], self.lower_is_client), mirror(shifts[1], self.lower_is_client)
        factor = checks.positive(scale, "scale")
        pairs = zip((self.client, self.impostor), shifts, strict=True)
        laws = [moved_law(law, shift, factor, logit=logit) for law, shift in pairs]
        return replace(self, client=laws[0], impostor=laws[1])

    def sample(self, n_client: int, n_impostor: int, *, rng: Any = None) -> Scores:
        """Draw independent scores of both classes; of several systems see :func:`sample_systems`.

        Parameters
        ----------
        n_client, n_impostor : int
            Number of scores of each class, at least 1.
        rng : None, int, SeedSequence or Generator
            Source of randomness; client scores are drawn first.

        Returns
        -------
        Scores

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> ScoreModel(Beta(5, 2), Beta(2, 5)).sample(30, 50, rng=1)
        <Scores 30 client in [0.308765, 0.951882], 50 impostor in [0.0222987, 0.578491]>
        """
        sizes = checks.count(n_client, "n_client"), checks.count(n_impostor, "n_impostor")
        source = checks.generator(rng)
        drawn = self.client.sample(sizes[0], source), self.impostor.sample(sizes[1], source)
        scores = Scores._of_trials(*drawn, self.name)
        return scores._with(lower_is_client=self.lower_is_client)

    # --------------------------------------------------------------------- rates
    @elementwise
    def far(self, t: npt.ArrayLike) -> ScalarOrArray:
        """False acceptance rate P(I > t), in its own tail.

        Parameters
        ----------
        t : array_like
            Thresholds on the score scale.

        Returns
        -------
        float or ndarray

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> ScoreModel(Beta(2, 1), Beta(1, 2)).far([0.0, 0.5, 1.0])  # (1 - t)^2
        array([1.  , 0.25, 0.  ])
        """
        return as_output(self._pair.far(self._inside(t, "t")))

    @elementwise
    def frr(self, t: npt.ArrayLike) -> ScalarOrArray:
        """False rejection rate P(C <= t); see `ScoreModel.far`."""
        return as_output(self._pair.frr(self._inside(t, "t")))

    @elementwise
    def fmr(self, t: npt.ArrayLike) -> ScalarOrArray:
        """False match rate FAR(t) / FAR(-inf), of those who have a score; see `ScoreModel.far`."""
        return self._scored.far(t)

    @elementwise
    def fnmr(self, t: npt.ArrayLike) -> ScalarOrArray:
        """False non-match rate, FRR(t) of those who have a score; see `ScoreModel.far`."""
        return self._scored.frr(t)

    def at(self, t: npt.ArrayLike) -> OperatingPoint:
        """The operating point, or an array of them, at thresholds: docs/theory.md, (1).

        Parameters
        ----------
        t : array_like
            Thresholds on the score scale.

        Returns
        -------
        OperatingPoint

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> ScoreModel(Beta(2, 1), Beta(1, 2)).at(0.5).hter
        0.25
        """
        return self._point(self._inside(t, "t"))

    def _inside(self, t: npt.ArrayLike, name: str) -> Thresholds:
        return Thresholds.from_theta(mirror(checks.real_array(t, name), self.lower_is_client))

    def _point(self, t: Thresholds) -> OperatingPoint:
        return point_of(self._pair, t, self.prior, self.lower_is_client)

    # ----------------------------------------------------------------- thresholds
    def at_far(self, x: npt.ArrayLike) -> OperatingPoint:
        """The operating point at the lowest threshold with FAR <= x.

        Parameters
        ----------
        x : array_like
            Fractions in [0, 1].

        Returns
        -------
        OperatingPoint
            Of the shape of `x`; ``logit_threshold`` is exact where the threshold rounds to 0 or 1.

        Notes
        -----
        FAR 1 gives accept all: the lower end of the support, -inf for samples and where the
        distribution has an atom there. FRR 1 gives reject all: the upper end of the support.
        Samples answer with the middle of a gap between scores.

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> round(ScoreModel(Beta(2, 1), Beta(1, 2)).at_far(0.01).threshold, 12)
        0.9
        """
        return self._point(self._reach(operating_points.at_far, x, "far"))

    def at_frr(self, x: npt.ArrayLike) -> OperatingPoint:
        """The operating point at the highest threshold with FRR <= x; see `ScoreModel.at_far`."""
        return self._point(self._reach(operating_points.at_frr, x, "frr"))

    @elementwise
    def threshold_at_far(self, x: npt.ArrayLike) -> ScalarOrArray:
        """The lowest threshold with FAR <= x; see `ScoreModel.at_far`."""
        return as_output(np.asarray(self.at_far(x).threshold))

    @elementwise
    def threshold_at_frr(self, x: npt.ArrayLike) -> ScalarOrArray:
        """The highest threshold with FRR <= x; see `ScoreModel.at_far`."""
        return as_output(np.asarray(self.at_frr(x).threshold))

    def _reach(
        self, how: Callable[[Pair, FloatArray], Thresholds], x: npt.ArrayLike, name: str
    ) -> Thresholds:
        target = checks.probability_array(x, name)
        return how(self._pair, np.ravel(target)).reshape(target.shape)

    def eer(self, method: Literal["nearest", "hull"] = "nearest") -> OperatingPoint:
        """Equal error rate: FAR = FRR.

        Parameters
        ----------
        method : {"nearest", "hull"}
            On steps: the threshold of smallest abs(FAR - FRR), with the HTER there, or the
            crossing of the ROC's convex hull; see ``RocHull.eer``.

        Returns
        -------
        OperatingPoint

        References
        ----------
        IDIAP-RR 03-85, (6) and (7).

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> round(ScoreModel(Beta(2, 1), Beta(1, 1)).eer().hter, 9)  # t^2 = 1 - t
        0.381966011
        """
        checks.choice(method, ("nearest", "hull"), "method")
        if method == "hull":
            return self.roc().hull().eer()
        return self._point(operating_points.equal_error(self._pair))

    def min_weighted_error(self, alpha: float) -> OperatingPoint:
        """The global minimiser of alpha FAR + (1 - alpha) FRR.

        Parameters
        ----------
        alpha : float
            Weight of FAR in [0, 1], read as the decimal that was meant.

        Returns
        -------
        OperatingPoint
            The value is ``.weighted_error(alpha)``.

        Notes
        -----
        Compared are the ends, the jumps and all places where the likelihood ratio is
        alpha / (1 - alpha): counts exactly, else to 1e-12 relative (docs/theory.md, (9)).

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> round(ScoreModel(Beta(2, 1), Beta(1, 2)).min_weighted_error(0.2).threshold, 9)
        0.2
        """
        weight = operating_points.exact_weight(checks.fraction(alpha, "alpha"))
        return self._point(least_weighted_errors(self._pair, [weight])[0])

    def min_dcf(
        self, cost_fa: float = 1.0, cost_fr: float = 1.0, *, prior: float | None = None
    ) -> OperatingPoint:
        """The global minimiser of cost_fr prior FRR + cost_fa (1 - prior) FAR.

        Parameters
        ----------
        cost_fa, cost_fr : float, optional
            Costs >= 0 of a false acceptance and of a false rejection, not both 0.
        prior : float, optional
            P(client) where it is used; the model's if left out.

        Returns
        -------
        OperatingPoint
            The value is its ``.dcf(cost_fa, cost_fr)``.

        References
        ----------
        IDIAP-RR 03-85, (4); docs/theory.md, (10).

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> round(ScoreModel(Beta(2, 1), Beta(1, 2)).min_dcf(cost_fa=1, cost_fr=4).threshold, 9)
        0.2
        """
        fa, fr = checked_cost(cost_fa, "cost_fa"), checked_cost(cost_fr, "cost_fr")
        if fa == 0.0 and fr == 0.0:
            raise refusal("cost_fa", "not be 0 where cost_fr is", "0 and 0")
        model = self if prior is None else replace(self, prior=prior)
        share = operating_points.exact_weight(model.prior)
        costs = Fraction(fa) * (1 - share), Fraction(fr) * share
        weight = costs[0] / sum(costs) if any(costs) else Fraction(1, 2)
        return model._point(least_weighted_errors(self._pair, [weight])[0])

    def actual_dcf(
        self, cost_fa: float = 1.0, cost_fr: float = 1.0, *, prior: float | None = None
    ) -> OperatingPoint:
        """The operating point for scores that are log-likelihood ratios.

            theta = log(cost_fa (1 - prior)) - log(cost_fr prior)

        Parameters
        ----------
        cost_fa, cost_fr, prior : float, optional
            As in :meth:`min_dcf`, costs > 0 and a prior strictly between 0 and 1.

        Returns
        -------
        OperatingPoint
            The value is its ``.dcf(cost_fa, cost_fr)``, which is that of :meth:`min_dcf` and what
            the calibration costs.

        References
        ----------
        Brummer, N. and du Preez, J. (2006), Application-independent evaluation.

        Examples
        --------
        >>> from betaroc import Normal, ScoreModel
        >>> model = ScoreModel(Normal(2, 2), Normal(-2, 2))  # their own log-likelihood ratio
        >>> round(model.actual_dcf(cost_fa=1, cost_fr=10, prior=0.01).threshold, 6)  # log(9.9)
        2.292535
        """
        fa, fr = checks.positive(cost_fa, "cost_fa"), checks.positive(cost_fr, "cost_fr")
        model = self if prior is None else replace(self, prior=prior)
        _check_inner(model.prior)
        odds = math.log1p(-model.prior) - math.log(model.prior)
        return model._point(Thresholds.from_theta(math.log(fa) - math.log(fr) + odds))

    def max_f(self, weight: float = 0.5) -> OperatingPoint:
        """The global maximiser of 1 / (weight / precision + (1 - weight) / recall).

        Parameters
        ----------
        weight : float, optional
            Weight of precision in [0, 1]; 0.5 gives F1.

        Returns
        -------
        OperatingPoint
            The value is ``.f(weight)``.

        References
        ----------
        Murphy, K. P. (2007), Performance evaluation of binary classifiers, (12) and (13).

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> point = ScoreModel(Beta(2, 1), Beta(1, 2)).max_f()  # t^2 - 3 t + 1 = 0
        >>> round(point.threshold, 9), round(point.f1, 9)
        (0.381966011, 0.763932023)
        """
        share = checks.fraction(weight, "weight")
        return self._point(operating_points.max_f(self._pair, share, self.prior))

    def youden(self) -> OperatingPoint:
        """The threshold of largest TPR - FAR, equally of smallest HTER.

        Returns
        -------
        OperatingPoint
            The value is ``.youden``; 0 for a ROC that is not above the diagonal.

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> round(ScoreModel(Beta(2, 1), Beta(1, 2)).youden().youden, 9)  # 2 t - 2 t^2
        0.5
        """
        return self.min_weighted_error(0.5)

    def break_even(self) -> OperatingPoint:
        """The threshold where precision equals recall, or is nearest to it.

        Returns
        -------
        OperatingPoint
            The value is ``.mean_precision_recall``.

        Notes
        -----
        Equal where prior FRR = (1 - prior) FAR. Thresholds that accept no client are left out.

        References
        ----------
        IDIAP-RR 03-85, (11) and (12).

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> round(ScoreModel(Beta(2, 1), Beta(1, 2)).break_even().precision, 9)
        0.75
        """
        return self._point(operating_points.break_even(self._pair, self.prior))

    # ------------------------------------------------------------ measures of the curve
    def auc(self) -> float:
        """Area under the ROC, P(C > I) + P(C = I)/2.

        Notes
        -----
        Relative error below 1e-12 for beta pairs, also where the area is 1e-100. Formulas:
        docs/theory.md, (7) and (8).

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> round(ScoreModel(Beta(2, 1), Beta(1, 2)).auc(), 12)  # 5/6
        0.833333333333
        """
        return self._pair.auc()

    def partial_auc(self, low: float, high: float, standardized: bool = False) -> float:
        """Area under TPR(FAR) for FAR in [low, high].

        Parameters
        ----------
        low, high : float
            Fractions, low < high.
        standardized : bool, optional
            McClish's rescaling, (1 + (area - chance) / (high - low - chance)) / 2 with
            chance = (high^2 - low^2) / 2: 1/2 on the diagonal, 1 for a perfect curve.

        Returns
        -------
        float

        References
        ----------
        McClish, D. K. (1989), Analyzing a portion of the ROC curve.

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> model = ScoreModel(Beta(2, 1), Beta(1, 2))  # TPR = 2 sqrt(FAR) - FAR
        >>> round(model.partial_auc(0, 0.25), 9), round(model.partial_auc(0, 0.25, True), 9)
        (0.135416667, 0.738095238)
        """
        low, high = checks.ascending(low, high)
        area = areas.partial_auc(self._pair, low, high)
        if not checks.flag(standardized, "standardized"):
            return area
        chance, full = 0.5 * (high - low) * (high + low), high - low
        return 0.5 * (1.0 + (area - chance) / (full - chance))

    def ks(self) -> float:
        """Kolmogorov-Smirnov distance sup abs(F_i - F_c), whichever class lies above.

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> round(ScoreModel(Beta(2, 1), Beta(1, 2)).ks(), 12)
        0.5
        """
        return self._ks

    def average_precision(self, points: int | None = None) -> float:
        """Precision averaged over recall.

        Parameters
        ----------
        points : int, optional
            Number >= 2 of equally spaced recall levels 0, ..., 1, each read at the nearest
            attainable recall; 11 is the papers' average. Left out: the integral over recall.

        Returns
        -------
        float

        References
        ----------
        IDIAP-RR 03-85, (13) and (14).

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> model = ScoreModel(Beta(2, 1), Beta(1, 2))  # precision (1 + t) / 2 at recall 1 - t^2
        >>> round(model.average_precision(), 9), round(model.average_precision(11), 9)
        (0.833333333, 0.822958792)
        """
        number = None if points is None else checks.count(points, "points", 2)
        return areas.average_precision(self._pair, self.prior, number)

    def h_measure(self, weights: str | tuple[float, float] = "beta22") -> float:
        """Hand's H-measure: the expected least loss when the costs are not known.

            H = 1 - L/L_max,   L = int Q(c) u(c) dc,
            Q(c) = min over theta of c (1 - prior) FAR + (1 - c) prior FRR

        with u the density of c, the share of a false acceptance in the cost, and L_max the same for
        accepting or rejecting everybody.

        Parameters
        ----------
        weights : str or tuple of float
            "beta22": u is Beta(2, 2). "prior": Beta(1 + prior, 2 - prior). Or the two shapes.

        Returns
        -------
        float
            From 0 (no better than without the score) to 1 (no error); relative accuracy of 1 - H
            about 1e-12.

        References
        ----------
        Hand, D. J. (2009), Measuring classifier performance.

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> model = ScoreModel(Beta(2, 1), Beta(1, 2))  # L = 1/10, L_max = 5/32
        >>> round(model.h_measure(), 12)
        0.36
        """
        _check_inner(self.prior)
        if isinstance(weights, tuple) and len(weights) == 2:
            a, b = (checks.positive(w, "weights") for w in weights)
        else:
            checks.choice(weights, ("beta22", "prior"), "weights")
            a, b = (2.0, 2.0) if weights == "beta22" else (1.0 + self.prior, 2.0 - self.prior)
        return areas.h_measure(self._pair, self.prior, (a, b))

    def cllr(self) -> float:
        """Cost of the scores as natural log likelihood ratios, in bits.

            Cllr = 1/2 E log2(1 + exp(-C)) + 1/2 E log2(1 + exp(I))

        Returns
        -------
        float
            From 0; 1 is what no scores cost, and above it the scores mislead.

        References
        ----------
        That of :meth:`actual_dcf`.

        Examples
        --------
        >>> from betaroc import Empirical, ScoreModel
        >>> ScoreModel(Empirical([0.0, 0.0]), Empirical([0.0])).cllr()
        1.0
        """
        return areas.cllr(self._pair)

    def min_cllr(self) -> float:
        """Cllr of the best increasing map of the scores to log likelihood ratios.

        Returns
        -------
        float
            In bits, from 0 (no error) to 1; :meth:`cllr` less it is the loss by calibration.

        Notes
        -----
        Of samples by pooled adjacent violators, which is too low for other scores; :func:`interval`
        corrects that. Else by the likelihood ratio on the hull of the ROC.

        Examples
        --------
        >>> from betaroc import Empirical, ScoreModel
        >>> model = ScoreModel(Empirical([1, 2, 3]), Empirical([0, 0, 1.5]))
        >>> round(model.min_cllr(), 6)  # one of each class in the block of 1 and 1.5
        0.333333
        """
        return areas.least_loss(self._pair, 0.5, areas.log_losses)

    def bayes_error(self, log_odds: npt.ArrayLike) -> BayesError:
        """Probability of an error at prior log odds, of log likelihood ratios and at the least.

            pi FRR(t) + (1 - pi) FAR(t),   pi = 1 / (1 + exp(-log_odds))

        at t = -log_odds, and the least over all t.

        Parameters
        ----------
        log_odds : array_like
            Natural log of P(client) / P(impostor).

        Returns
        -------
        BayesError
            ``.actual`` and ``.least``, of the shape of `log_odds`.

        References
        ----------
        Brummer, N. and de Villiers, E. (2013), The BOSARIS toolkit.

        Examples
        --------
        >>> from betaroc import Empirical, ScoreModel
        >>> ScoreModel(Empirical([-1, 2]), Empirical([-3, 1])).bayes_error(0.0)
        BayesError(actual=0.5, least=0.25)
        """
        odds = checks.real_array(log_odds, "log_odds")
        if not np.all(np.isfinite(odds)):
            raise refusal("log_odds", "be finite", format_value(log_odds))
        client, impostor = class_probabilities(odds)
        points = self.at(-odds), self._least_error(np.ravel(odds))
        errors = [client * np.reshape(p.frr, odds.shape) + impostor * np.reshape(p.far, odds.shape)
                  for p in points]  # fmt: skip
        return BayesError(*map(as_output, errors))

    def _least_error(self, log_odds: FloatArray) -> OperatingPoint:
        client, impostor = class_probabilities(log_odds)
        weights = [
            operating_points.exact_weight(i) if i < 0.5 else 1 - operating_points.exact_weight(c)
            for c, i in zip(client.tolist(), impostor.tolist(), strict=True)
        ]
        return self._point(least_weighted_errors(self._pair, weights))

    @elementwise
    def log_likelihood_ratio(self, scores: npt.ArrayLike) -> ScalarOrArray:
        """Natural log of f_c(s) / f_i(s), of the point masses at a score where there are some.

        Parameters
        ----------
        scores : array_like

        Returns
        -------
        float or ndarray, shape of `scores`
            -inf and inf outside the support of one class; nan outside that of both, but beyond the
            ends of [0, 1] the limit there.

        Examples
        --------
        >>> from betaroc import Normal, ScoreModel
        >>> ScoreModel(Normal(2, 2), Normal(-2, 2)).log_likelihood_ratio([-1, 0, 90]).tolist()
        [-1.0, 0.0, 90.0]
        """
        t = self._inside(scores, "scores")
        return as_output(log_likelihood_ratio(self._pair, t))

    @elementwise
    def posterior(self, scores: npt.ArrayLike) -> ScalarOrArray:
        """Probability of a client given the score: the pair's calibration map.

            P(client | s) = prior f_c(s) / (prior f_c(s) + (1 - prior) f_i(s))

        and of the point masses at a score where a distribution has one.

        Parameters
        ----------
        scores : array_like

        Returns
        -------
        float or ndarray, shape of `scores`
            Fractions; nan where neither distribution has a density.

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> ScoreModel(Beta(3, 2), Beta(2, 3)).posterior([0.25, 0.5]).tolist()  # s itself
        [0.25, 0.5]
        """
        t = self._inside(scores, "scores")
        return as_output(posterior(self._pair, self.prior, t))

    # -------------------------------------------------------------- ends and shape
    def ends(self) -> Ends:
        """Behaviour of the ROC near both ends of the threshold range.

            threshold near 0: F_i ~ K F_c^rho      threshold near 1: FAR ~ K TPR^rho

        Returns
        -------
        Ends
            ``.at_zero`` and ``.at_one``.

        Notes
        -----
        Beta pairs near 0: rho = a_i / a_c and K = (a_c B_c)^rho / (a_i B_i); near 1 the same with
        b. With atoms the semi-derivative is p_i / p_c, 0 or inf if one class has the atom alone.

        References
        ----------
        Omar and Ivrissimtzis, section 3.2, with its signs corrected; docs/theory.md, (4) and (5).

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> ScoreModel(Beta(2, 1), Beta(1, 1)).ends().at_zero  # F_i = F_c^(1/2)
        End(semi_derivative=inf, roc_slope=0.0, exponent=0.5, coefficient=1.0, side='above')
        """
        return _ends.ends(self._pair)

    def semi_derivatives(self) -> SemiDerivatives:
        """lim dF_i / dF_c at thresholds 0 and 1, as of :meth:`ends`.

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> ScoreModel(Beta(2, 1), Beta(1, 1)).semi_derivatives()  # dF_i / dF_c = 1 / (2 t)
        SemiDerivatives(at_zero=inf, at_one=0.5)
        """
        both = self.ends()
        return SemiDerivatives(both.at_zero.semi_derivative, both.at_one.semi_derivative)

    def diagonal_crossings(self) -> OperatingPoint:
        """Where the ROC crosses the diagonal, TPR = FAR with a change of side.

        Returns
        -------
        OperatingPoint
            Threshold ascending; empty where there are none. On the straight segment of an atom or a
            tie it has the segment's upper threshold.

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> ScoreModel(Beta(2, 2), Beta(1, 1)).diagonal_crossings().threshold  # 3 t^2 - 2 t^3 = t
        array([0.5])
        """
        result = [] if self.client == self.impostor else diagonal_crossings(self._pair)
        nothing = Thresholds.from_theta(np.empty(0))
        point = self._point(Thresholds.concatenate([nothing, *(c.threshold for c in result)]))
        on_segment = np.array([(c.accepted, c.rejected) for c in result]).reshape(-1, 2).T
        rates = np.array([point.far, point.frr, point.tpr, point.tnr])
        rates = np.where(np.isnan(on_segment[[0, 1, 0, 1]]), rates, on_segment[[0, 1, 0, 1]])
        lower = self.lower_is_client
        return OperatingPoint._of_rates(point.thresholds, list(rates), self.prior, lower)

    def inflections(self) -> OperatingPoint:
        """Where the curvature of the ROC changes sign: extremes of the likelihood ratio.

        Returns
        -------
        OperatingPoint
            Threshold ascending; empty where there are none.

        Notes
        -----
        Beta pairs: at most one, at logit t = log(a / b) with a, b the differences of
        the shapes, iff a b > 0 (docs/theory.md, (6)).

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> ScoreModel(Beta(2, 2), Beta(1, 1)).inflections().threshold
        array([0.5])
        """
        return self._point(self._pair.turning_points())

    def global_shape(self) -> str:
        """The shape of the whole curve in one word.

        Returns
        -------
        str
            ``"chance"`` (the diagonal), ``"proper"`` (above it everywhere), ``"below"``,
            ``"hook-at-zero"`` or ``"hook-at-one"`` (one crossing; below the diagonal near that
            end), ``"several-crossings"``.

        Notes
        -----
        Beta pairs: with a, b the differences of the shapes, client - impostor, proper iff
        a >= 0 >= b, and then concave; a hook iff ab > 0. Of other pairs ``"proper"`` says nothing
        of concavity; see ``roc().is_concave``.

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> ScoreModel(Beta(2, 1), Beta(1, 2)).global_shape()
        'proper'
        """
        return global_shape(self._pair)

    def shape_category(self, scheme: int | None = None) -> tuple[Shape, Shape] | None:
        """Shapes of the client and the impostor density.

        Parameters
        ----------
        scheme : {None, 9, 16}
            None: borders included. 16: the paper's four shapes per class. 9: its three, J and
            reverse-J both called J.

        Returns
        -------
        tuple of Shape, or None
            (client, impostor). None unless both are beta distributions (inflated or not), under a
            scheme off the borders a = 1 and b = 1.

        References
        ----------
        Omar and Ivrissimtzis, section 3.1, where J and reverse-J are swapped.

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> ScoreModel(Beta(0.47, 0.36), Beta(0.77, 1.91)).shape_category()
        (<Shape.U: 'U'>, <Shape.REVERSE_J: 'reverse-J'>)
        """
        plain = isinstance(scheme, int | float | np.number)
        if scheme is not None and not (plain and scheme in (9, 16)):
            raise refusal("scheme", "be None, 9 or 16", format_value(scheme))
        shapes = [_shape(law) for law in (self.client, self.impostor)]
        if scheme is not None:
            merged = {Shape.REVERSE_J: Shape.J} if scheme == 9 else {}
            shapes = [merged.get(s, s) if s in _GENERIC_SHAPES else None for s in shapes]
        client, impostor = shapes
        return None if client is None or impostor is None else (client, impostor)

    # ---------------------------------------------------------------------- curves
    def roc(self, positive: Literal["client", "impostor"] = "client") -> Roc:
        """The :class:`Roc`.

        Parameters
        ----------
        positive : {"client", "impostor"}
            Which class the axes call positive.

        Returns
        -------
        Roc

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> round(ScoreModel(Beta(2, 1), Beta(1, 2)).roc().tpr(0.25), 12)  # 2 sqrt(x) - x
        0.75
        """
        return Roc._of(self, positive=positive)

    def det(self, scale: Literal["probit", "linear"] = "probit") -> Det:
        """FRR against FAR on normal deviates, or on linear axes.

        Parameters
        ----------
        scale : {"probit", "linear"}
            Axes of the picture; the numbers are the same.

        Returns
        -------
        Det

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> round(ScoreModel(Beta(2, 1), Beta(1, 2)).det().frr(0.25), 12)  # (1 - sqrt(x))^2
        0.25
        """
        return Det._of(self, scale=scale)

    def _derived(self) -> dict[str, Any]:
        eer = self.eer()
        return {"auc": self.auc(), "eer": eer.hter, "eer_threshold": eer.threshold}

    def plot(self, ax: Axes | None = None, **style: Any) -> Axes:
        """Draw both densities, or histograms of scores; a point mass is a stem.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        **style
            Properties of the lines.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> ax = ScoreModel(Beta(5, 2), Beta(2, 5)).plot()
        >>> [text.get_text() for text in ax.get_legend().get_texts()]
        ['client', 'impostor']
        """
        classes = [(self.client,), (self.impostor,)]
        return plot_classes(ax, classes, CLASSES, style, lower=self.lower_is_client)

    def precision_recall(self) -> PrecisionRecall:
        """Precision against recall at the model's prior.

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> round(ScoreModel(Beta(2, 1), Beta(1, 2)).precision_recall().precision(0.75), 12)
        0.75
        """
        return PrecisionRecall._of(self)


def _check_inner(prior: float) -> None:
    if not 0.0 < prior < 1.0:
        raise refusal("prior", "lie strictly between 0 and 1", repr(prior))


def _shape(law: Distribution) -> Shape | None:
    base = law if law.continuous is None else law.continuous[1]
    return base.shape if has_shape(base) else None
