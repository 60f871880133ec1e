"""What a development set of a given size will do: how far its threshold errs, at what cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputTypeError, refusal
from betaroc.core.notices import collect_warnings
from betaroc.core.tables import Table, Tabular
from betaroc.core.thresholds import Thresholds
from betaroc.core.vocabulary import CLIENT, FAR, FRR, HTER, IMPOSTOR
from betaroc.decision.curve import WEIGHTED_ERROR, checked_alphas, chosen_on
from betaroc.distributions.base import Distribution
from betaroc.distributions.pairs import Pair
from betaroc.fits.fit import DistributionFit, Fit
from betaroc.model.model import ScoreModel
from betaroc.rendering.nouns import Exportable
from betaroc.rendering.tree import Grid, Node, Paragraph, Row, Section, apart
from betaroc.rendering.tree_text import text_of

#: E Z^2 of Chernoff's Z = argmax(W(u) - u^2), W two-sided Brownian motion.
CHERNOFF_VARIANCE = 0.26355964129961019
#: A stationary point: the log-likelihood ratio is the wanted level to so much.
_AT_LEVEL = 1e-6
#: Counts that are whole but for rounding.
_ROUNDING = 1e-12
_SHOWN = (0.1, 0.3, 0.5, 0.7, 0.9)
_HEAD = ("alpha", "threshold", "least", "smooth sd", "excess", f"{HTER} sd",
         "empirical sd", "excess", f"{HTER} sd", "optimism")  # fmt: skip
_NO_COLUMN = ("model", "n_client", "n_impostor", "fitted", "criterion", "notices", "library")
_CAVEAT = """\
sd: standard deviation of the threshold, on the score scale. excess: expected weighted error \
beyond the least. HTER sd: what that does to HTER. optimism: by how much the least error on the \
development scores falls short. All to first order, for large samples.
smooth: the threshold of a fit of the right family; of a wrong one the excess has a floor that no \
number of scores removes, such as 0.007 where clients are 0.8 Beta(6, 2) + 0.2 Beta(2, 6).
empirical: the threshold of least error on the scores; it needs no family."""


class DevSize(NamedTuple):
    """Development scores that an expected excess needs, whole numbers; nan where undefined.

    Parameters
    ----------
    smooth_client, smooth_impostor : ndarray
        For the threshold of a fit of the right family.
    empirical_client, empirical_impostor : ndarray
        For the threshold of least error on the scores.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Normal(1.0, 1.0), br.Normal(-1.0, 1.0))
    >>> forecast = br.epc_forecast(model, n_client=100, n_impostor=200, alpha=[0.5])
    >>> size = forecast.dev_size(float(forecast.smooth_excess[0]) / 10)
    >>> size.smooth_client, size.smooth_impostor
    (array([1000.]), array([2000.]))
    """

    smooth_client: FloatArray
    smooth_impostor: FloatArray
    empirical_client: FloatArray
    empirical_impostor: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class _Forecast(Tabular, Exportable):
    """A forecast for one dev size."""

    model: ScoreModel
    n_client: int
    n_impostor: int
    fitted: bool

    def to_frame(self) -> Table:
        """One row per alpha.

        Returns
        -------
        DataFrame
            Of the library of the scores of a fit, else of pandas: alpha, threshold and
            logit_threshold, the forecasts by the names of the fields, and n_beyond.

        Examples
        --------
        >>> import betaroc as br
        >>> model = br.ScoreModel(br.Normal(1.0, 1.0), br.Normal(-1.0, 1.0))
        >>> frame = br.epc_forecast(model, n_client=50, n_impostor=50, alpha=[0, 0.5]).to_frame()
        >>> frame["where"].tolist()
        ['accept all', 'interior']
        """
        names = dict.fromkeys([*(item.name for item in fields(self)), "n_beyond"])
        return self._table({name: getattr(self, name) for name in names if name not in _NO_COLUMN})


@dataclass(frozen=True, eq=False, repr=False)
class EpcForecast(_Forecast):
    """How far thresholds chosen on a development set will err, and what that costs.

    Made by :func:`epc_forecast`, which has the formulas; printed as a table. Arrays of
    shape (k,), one entry per alpha; everything but `threshold`, `logit_threshold`,
    `least` and `where` is nan where the optimum is no interior point.

    Parameters
    ----------
    model : ScoreModel
        The distributions, taken as true.
    n_client, n_impostor : int
        Size of the development set.
    fitted : bool
        Whether the distributions are estimates.
    alpha : ndarray
        Weight of FAR.
    threshold, logit_threshold : ndarray
        The best threshold of the distributions; the logit nan off the [0, 1] scale.
    least : ndarray
        Weighted error there.
    where : ndarray of str
        "interior", "accept all", "reject all", or "jump": at a point mass.
    smooth_sd, smooth_logit_sd : ndarray
        Standard deviation of the threshold of a fit of that size; nan for distributions other than
        beta, normal and logit-normal, with point masses at 0 and 1 or without.
    smooth_excess : ndarray
        Its expected weighted error beyond `least`.
    smooth_hter_sd : ndarray
        Standard deviation of HTER due to it, to first order: 0 at alpha 1/2.
    empirical_sd, empirical_logit_sd, empirical_excess, empirical_hter_sd : ndarray
        The same for the threshold of least error on the scores.
    optimism : ndarray
        `least` minus the expected least error on the scores themselves.
    library : str, optional
        "pandas", "polars" or "pyarrow": of which the table is a frame, as of `Scores`.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
    >>> forecast = br.epc_forecast(model, n_client=200, n_impostor=200, alpha=[0.5])
    >>> forecast.to_frame().loc[0, ["threshold", "smooth_excess"]].round(6).tolist()
    [0.5, 0.000295]
    """

    alpha: FloatArray
    threshold: FloatArray
    logit_threshold: FloatArray
    least: FloatArray
    where: npt.NDArray[np.str_]
    smooth_sd: FloatArray
    smooth_logit_sd: FloatArray
    smooth_excess: FloatArray
    smooth_hter_sd: FloatArray
    empirical_sd: FloatArray
    empirical_logit_sd: FloatArray
    empirical_excess: FloatArray
    empirical_hter_sd: FloatArray
    optimism: FloatArray

    @property
    def n_beyond(self) -> FloatArray:
        """Planned scores that speak for each threshold, in the class with fewer."""
        pair, t = self.model._pair, chosen_on(self.model, WEIGHTED_ERROR, self.alpha)
        clients = self.n_client * np.minimum(pair.frr(t), pair.tpr(t))
        impostors = self.n_impostor * np.minimum(pair.far(t), pair.tnr(t))
        return np.asarray(np.minimum(clients, impostors))

    def dev_size(self, excess: float) -> DevSize:
        """Development scores that an expected excess needs, classes in the given proportion.

            smooth n ~ 1 / excess,   empirical n ~ excess^(-3/2)

        Parameters
        ----------
        excess : float
            Expected weighted error beyond the least, positive.

        Returns
        -------
        DevSize
            Rounded up, one entry per alpha; inversions of the leading terms.

        Raises
        ------
        InputError
            If `excess` is not positive and finite.
        InputTypeError
            If `excess` is not a number.

        Examples
        --------
        >>> import betaroc as br
        >>> model = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
        >>> forecast = br.epc_forecast(model, n_client=200, n_impostor=200, alpha=[0.5])
        >>> size = forecast.dev_size(0.001)
        >>> size.smooth_client, size.empirical_client
        (array([60.]), array([1692.]))
        """
        excess = checks.positive(excess, "excess")
        with np.errstate(over="ignore"):  # more scores than can be counted: inf
            factors = self.smooth_excess / excess, (self.empirical_excess / excess) ** 1.5
            sizes = [factor * n for factor in factors for n in (self.n_client, self.n_impostor)]
        return DevSize(*(np.ceil(size * (1.0 - _ROUNDING)) for size in sizes))

    def summary(self) -> str:
        r"""A table at some alphas, with what it rests on.

        Returns
        -------
        str

        Examples
        --------
        >>> import betaroc as br
        >>> model = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
        >>> text = br.epc_forecast(model, n_client=200, n_impostor=200).summary()
        >>> print("\n".join(line[2:55].rstrip() for line in text.splitlines()[3:7]))
        alpha  threshold   least  smooth sd   excess  HTER sd
        0.1         0.25  0.0773      0.023   0.0006    0.022
        0.3       0.3956   0.162      0.014  0.00043    0.007
        0.5          0.5   0.188      0.011   0.0003        0
        """
        return text_of(self._view())

    def __str__(self) -> str:
        return self.summary()

    def _view(self) -> Sequence[Node]:
        rows: Sequence[int] = range(self.alpha.size)
        if self.alpha.size > len(_SHOWN):
            rows = sorted({int(np.argmin(np.abs(self.alpha - a))) for a in _SHOWN})
        lines = (
            f"Forecast for {self.n_client} {CLIENT} and {self.n_impostor} {IMPOSTOR} scores,"
            f" criterion alpha {FAR} + (1 - alpha) {FRR}",
            f"{CLIENT} {self.model.client!r}, {IMPOSTOR} {self.model.impostor!r},"
            f" {'fitted and ' * self.fitted}taken as true",
            *(notice.message for notice in self.notices),
        )
        table = Grid(_HEAD, tuple(map(self._row, rows)))
        return [Section("", tuple(map(Paragraph, lines))), *apart(table, Paragraph(_CAVEAT))]

    def _row(self, k: int) -> Row:
        start = (f"{self.alpha[k]:.4g}", f"{self.threshold[k]:.4g}", f"{self.least[k]:.3g}")
        if self.where[k] != "interior":
            return Row((*start, str(self.where[k]), *[""] * 6))
        shown = (
            self.smooth_sd, self.smooth_excess, self.smooth_hter_sd, self.empirical_sd,
            self.empirical_excess, self.empirical_hter_sd, self.optimism,
        )  # fmt: skip
        return Row((*start, *(f"{part[k]:.2g}" for part in shown)))


@dataclass(frozen=True, eq=False, repr=False)
class TargetForecast(_Forecast):
    """What the threshold that a dev set counts for a target rate will do on test.

    Read from documents that earlier versions wrote; none is made any more. Arrays of shape (k,),
    one entry per alpha.

    Parameters
    ----------
    model : ScoreModel
        The distributions, taken as true.
    n_client, n_impostor : int
        Size of the development set.
    fitted : bool
        Whether the distributions are estimates.
    criterion : str
        "far", "frr", "recall", "sensitivity" or "specificity".
    alpha : ndarray
        The rate asked for.
    threshold, logit_threshold : ndarray
        Where the distributions have it: the threshold of endless dev scores.
    counted : ndarray
        The criterion's rate that dev will count at its threshold, on average: the multiple of 1/n
        that is nearest to alpha.
    far, frr, hter : ndarray
        Expected true rates at dev's threshold.
    far_sd, frr_sd, hter_sd : ndarray
        Their standard deviations over dev sets.
    n_beyond : ndarray
        Dev scores of the class that speak for the rate, n min(alpha, 1 - alpha).
    library : str, optional
        That of the scores of a fit: what tables are frames of.

    Examples
    --------
    >>> import betaroc as br
    >>> import numpy as np
    >>> model, one = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0)), np.array([0.05])
    >>> saved = br.results.TargetForecast(model, 100, 500, False, "far", one, *[one] * 9, 100 * one)
    >>> saved.to_frame()["n_beyond"].tolist()
    [5.0]
    """

    criterion: str
    alpha: FloatArray
    threshold: FloatArray
    logit_threshold: FloatArray
    counted: FloatArray
    far: FloatArray
    far_sd: FloatArray
    frr: FloatArray
    frr_sd: FloatArray
    hter: FloatArray
    hter_sd: FloatArray
    n_beyond: FloatArray


@collect_warnings
def epc_forecast(
    fit: Fit | ScoreModel,
    *,
    n_client: int,
    n_impostor: int,
    alpha: npt.ArrayLike | None = None,
) -> EpcForecast:
    """What a development set of a given size will do to the thresholds chosen on it.

    Of the least weighted error, with C(t) = alpha FAR + (1 - alpha) FRR, its minimum t0, r the
    log-likelihood ratio and s^2 = alpha^2 f_i(t0)/n_impostor + (1 - alpha)^2 f_c(t0)/n_client:

        C''(t0) = (1 - alpha) f_c(t0) r'(t0),   excess = E C(t) - C(t0) = C'' E (t - t0)^2 / 2
        smooth:     Var t = grad r' Cov grad r / r'^2                            ~ 1/n
        empirical:  E (t - t0)^2 = k^2 E Z^2,  k = (2 s / C'')^(2/3)             ~ n^(-2/3)
        optimism:   C(t0) - E min C_n = s sqrt(k) E max(W(u) - u^2)              ~ n^(-2/3)

    W is two-sided Brownian motion, Z where W(u) - u^2 is largest, E Z^2 = 0.26355964.

    Parameters
    ----------
    fit : Fit or ScoreModel
        The distributions, taken as true; densities are needed.
    n_client, n_impostor : int
        Independent scores of the development set.
    alpha : array_like, shape (k,), optional
        Fractions in [0, 1]; 101 equally spaced ones where left out.

    Returns
    -------
    EpcForecast

    Raises
    ------
    InputError
        If a size is below 1, alpha leaves [0, 1], is NaN or empty, or a distribution has no
        density.
    InputTypeError
        If `fit` is neither a fit nor a model.

    Notes
    -----
    Of a target rate that dev counts no forecast is needed: of n scores of its class k lie beyond
    the threshold, and the rate of a score that k others lie beyond is Beta(k + 1, n - k).

    Of the smooth threshold the covariance is the inverse expected information, of a `Fit` its own
    scaled to the new sizes; nan for other distributions, at an end of the scale and at a point
    mass.

    Simulated: the smooth excess is met within a few per cent from n = 50; the empirical one is up
    to 20 % lower at n from 200 to 1000 and 35 % at 50, the optimism 6 to 14 % and 20 %. If the
    family is wrong the smooth excess has a floor.

    References
    ----------
    Kim, J. and Pollard, D. (1990), Cube root asymptotics. Janson, S., Louchard, G. and Martin-Lof,
    A. (2010), The maximum of Brownian motion with parabolic drift.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
    >>> forecast = br.epc_forecast(model, n_client=1000, n_impostor=1000, alpha=[0.5])
    >>> float(round(forecast.empirical_excess[0] / forecast.smooth_excess[0], 1))
    24.0
    """
    model = fit.model if isinstance(fit, Fit) else fit
    if isinstance(fit, Fit):
        fit._tell_misfit()
    if not isinstance(model, ScoreModel):
        hint = "For scores, fit them first: epc_forecast(fit(scores), ...)."
        raise refusal("fit", "be a fit or a ScoreModel", type(fit).__name__, hint, InputTypeError)
    sizes = checks.count(n_client, "n_client"), checks.count(n_impostor, "n_impostor")
    alphas, pair = checked_alphas(alpha, single=False, criterion=WEIGHTED_ERROR), model._pair
    for which, law in (("client", model.client), ("impostor", model.impostor)):
        name = f"the {which} distribution"
        if law.continuous is None:
            hint = 'Fit a family, such as fit(scores, "beta").'
            raise refusal(name, "have a density", type(law).__name__, hint)
    t = chosen_on(model, WEIGHTED_ERROR, alphas)
    point = model._point(t)
    where = _where(pair, t, alphas)
    place = np.where(where == "interior", pair.coordinates(t), np.nan)
    parts = (fit.client, fit.impostor) if isinstance(fit, Fit) else (None, None)
    forecasts = _expansion(pair, pair.place(place), alphas, sizes, parts)
    return EpcForecast(
        model, *sizes, isinstance(fit, Fit), alphas, np.asarray(point.threshold),
        np.asarray(point.logit_threshold),
        np.asarray(alphas * point.far + (1.0 - alphas) * point.frr), where, *forecasts,
        library=fit.library if isinstance(fit, Fit) else None,
    )  # fmt: skip


def _where(pair: Pair, t: Thresholds, alpha: FloatArray) -> npt.NDArray[np.str_]:
    """What kind of point each optimum is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        level = np.log(alpha) - np.log1p(-alpha)
        miss = np.abs(pair.log_ratio(t) - level)
        slope = pair._slope("client", t) - pair._slope("impostor", t)
        stationary = (miss <= _AT_LEVEL * (1.0 + np.abs(level))) & (slope > 0.0)
    far, frr = pair.far(t), pair.frr(t)
    ends = [stationary, (far == 1.0) & (frr == 0.0), (far == 0.0) & (frr == 1.0)]
    return np.select(ends, ["interior", "accept all", "reject all"], "jump")


def _expansion(
    pair: Pair, t: Thresholds, alpha: FloatArray, sizes: tuple[int, int],
    fits: tuple[DistributionFit | None, DistributionFit | None],
) -> list[FloatArray]:  # fmt: skip
    """The forecasts in the order of the fields, from derivatives in the working coordinate."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        densities = [
            np.exp(law._log_density_in(t, unit=pair.unit)) for law in (pair.client, pair.impostor)
        ]
        slope = pair._slope("client", t) - pair._slope("impostor", t)
        curvature = (1.0 - alpha) * densities[0] * slope
        information = sum(
            _score_variance(law, fit, t) / n
            for law, fit, n in zip((pair.client, pair.impostor), fits, sizes, strict=True)
        )
        noise = (1.0 - alpha) ** 2 * densities[0] / sizes[0]
        noise = np.sqrt(noise + alpha**2 * densities[1] / sizes[1])
        scale = np.cbrt(2.0 * noise / curvature) ** 2
        # (f_c - f_i)/2, as the densities are at a stationary point.
        of_hter = 0.5 * densities[1] * np.abs(2.0 * alpha - 1.0) / (1.0 - alpha)
        jacobian = t.theta * t.complement if pair.unit else np.ones(t.shape)
        result = []
        for sd in (np.sqrt(information) / slope, scale * np.sqrt(CHERNOFF_VARIANCE)):
            logit = sd if pair.unit else np.full(t.shape, np.nan)
            result += [sd * jacobian, logit, 0.5 * curvature * sd**2, of_hter * sd]
        return [*result, 3.0 * CHERNOFF_VARIANCE * noise * np.sqrt(scale)]


# --------------------------------------------------------------------------- information
def _score_variance(law: Distribution, fit: DistributionFit | None, t: Thresholds) -> FloatArray:
    """Variance of the fitted log density at t, of one score; nan for what has no parameters."""
    known = [p.name for p in law._parameters()]
    names = known if fit is None else list(fit.names)
    if not names or not set(names) <= set(known):
        return np.full(t.shape, np.nan)
    covariance = law._unit_covariance() if fit is None else fit.cov * fit.total_weight
    gradient = law._score(t)[[known.index(name) for name in names]]
    return np.asarray(np.einsum("ik,ij,jk->k", gradient, covariance, gradient))
