"""Forecasts for a development set of a given size: how far its threshold errs, at what cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.errors import ExtrapolationWarning, InputTypeError, refusal
from betaroc.core.notices import collect_warnings, warn
from betaroc.core.tables import Table, Tabular
from betaroc.core.text import format_list
from betaroc.core.thresholds import Thresholds, choose
from betaroc.core.vocabulary import CLIENT, FAR, FRR, HTER, IMPOSTOR
from betaroc.decision.curve import ONE_CLASS_RATES, WEIGHTED_ERROR, checked_alphas, chosen_on
from betaroc.distributions.base import Distribution
from betaroc.distributions.pairs import Pair
from betaroc.fits.fit import DistributionFit, Fit
from betaroc.inference.scores_beyond import needed
from betaroc.model.criteria import CRITERIA
from betaroc.model.model import ScoreModel
from betaroc.rendering.nouns import Readable
from betaroc.rendering.tree import Grid, Node, Paragraph, Row, Section, apart

#: E Z^2 of Chernoff's Z = argmax(W(u) - u^2), W two-sided Brownian motion.
CHERNOFF_VARIANCE = 0.26355964129961019
#: A stationary point: the log-likelihood ratio is the wanted level to so much.
_AT_LEVEL = 1e-6
#: Counts that are whole but for rounding.
_ROUNDING = 1e-12
_SHOWN = (0.1, 0.3, 0.5, 0.7, 0.9)
_HEAD = ("alpha", "threshold", "least", "smooth sd", "excess", f"{HTER} sd",
         "empirical sd", "excess", f"{HTER} sd", "optimism")  # fmt: skip
_TARGET_HEAD = ("alpha", "threshold", "counted", FAR, "sd", FRR, "sd", HTER, "sd", "beyond")
_NO_COLUMN = ("model", "n_client", "n_impostor", "fitted", "criterion", "notices", "library")
#: An alpha is read as the decimal that was meant.
_DECIMALS = 10**9
_SHOWN_ROWS = 11
_CAVEAT = """\
sd: standard deviation of the threshold, on the score scale. excess: expected weighted error \
beyond the least. HTER sd: what that does to HTER. optimism: by how much the least error on the \
development scores falls short. All to first order, for large samples.
smooth: the threshold of a fit of the right family; of a wrong one the excess has a floor that no \
number of scores removes, such as 0.007 where clients are 0.8 Beta(6, 2) + 0.2 Beta(2, 6).
empirical: the threshold of least error on the scores; it needs no family."""

_TARGET_CAVEAT = """\
counted: the rate that dev itself will show. Means and standard deviations are over dev sets of \
this size, of the true rates at their thresholds, which test shows but for its own counting \
error. They hold for independent scores of these distributions without ties."""


class DevSize(NamedTuple):
    """Development scores that an expected excess needs; nan where undefined.

    Parameters
    ----------
    smooth_client, smooth_impostor : ndarray
        For the threshold of a fit of the right family.
    empirical_client, empirical_impostor : ndarray
        For the threshold of least error on the scores.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
    >>> forecast = br.epc_forecast(model, n_client=200, n_impostor=200, alpha=[0.5])
    >>> forecast.dev_size(0.001).smooth_client
    array([60.])
    """

    smooth_client: FloatArray
    smooth_impostor: FloatArray
    empirical_client: FloatArray
    empirical_impostor: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class _Forecast(Tabular, Readable):
    """A forecast for one dev size."""

    model: ScoreModel
    n_client: int
    n_impostor: int
    fitted: bool

    def to_frame(self) -> Table:
        """One row per alpha: the fields that have an entry for each.

        Examples
        --------
        >>> import betaroc as br
        >>> model = br.ScoreModel(br.Normal(1.0, 1.0), br.Normal(-1.0, 1.0))
        >>> forecast = br.epc_forecast(model, n_client=50, n_impostor=50, alpha=[0, 0.5])
        >>> forecast.to_frame()["where"].tolist()
        ['accept all', 'interior']
        """
        names = dict.fromkeys([*(item.name for item in fields(self)), "n_beyond"])
        return self._table({name: getattr(self, name) for name in names if name not in _NO_COLUMN})

    def summary(self) -> str:
        r"""A table at some alphas, with what it rests on.

        Examples
        --------
        >>> import betaroc as br
        >>> model = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
        >>> text = br.epc_forecast(model, n_client=200, n_impostor=200).summary()
        >>> text.splitlines()[3].split()[:3]
        ['alpha', 'threshold', 'least']
        """
        return str(self)

    def _nodes(self, criterion: str, table: Grid, caveat: str) -> list[Node]:
        taken = "fitted and taken as true" if self.fitted else "taken as true"
        lines = (
            f"Forecast for {self.n_client} {CLIENT} and {self.n_impostor} {IMPOSTOR} scores,"
            f" criterion {criterion}",
            f"{CLIENT} {self.model.client!r}, {IMPOSTOR} {self.model.impostor!r}, {taken}",
            *(notice.message for notice in self.notices),
        )
        return [Section("", tuple(map(Paragraph, lines))), *apart(table, Paragraph(caveat))]


@dataclass(frozen=True, eq=False, repr=False)
class EpcForecast(_Forecast):
    """The expected errors of thresholds chosen on a development set, and their cost.

    Made by :func:`epc_forecast`. Arrays have one entry per alpha; forecasts are nan where the
    optimum is no interior point.

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
        Standard deviation of the threshold of a fit of that size; nan for distributions without
        parameters.
    smooth_excess : ndarray
        Its expected weighted error beyond `least`.
    smooth_hter_sd : ndarray
        Standard deviation of HTER, to first order: 0 at alpha 1/2.
    empirical_sd, empirical_logit_sd, empirical_excess, empirical_hter_sd : ndarray
        The same for the threshold of least error on the scores.
    optimism : ndarray
        `least` minus the expected least error on the scores.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
    >>> br.epc_forecast(model, n_client=200, n_impostor=200, alpha=[0.5]).smooth_excess.round(6)
    array([0.000295])
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
        """Number of development scores that an expected excess needs, in the same proportion.

            smooth n ~ 1 / excess,   empirical n ~ excess^(-3/2)

        Parameters
        ----------
        excess : float
            Expected weighted error beyond the least, positive.

        Returns
        -------
        DevSize
            Rounded up, one entry per alpha, from the leading terms.

        Raises
        ------
        InputError, InputTypeError
            If `excess` is not positive and finite.

        Examples
        --------
        >>> import betaroc as br
        >>> model = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
        >>> forecast = br.epc_forecast(model, n_client=200, n_impostor=200, alpha=[0.5])
        >>> forecast.dev_size(0.001).empirical_client
        array([1692.])
        """
        excess = checks.positive(excess, "excess")
        with np.errstate(over="ignore"):  # more scores than can be counted: inf
            factors = self.smooth_excess / excess, (self.empirical_excess / excess) ** 1.5
            sizes = [factor * n for factor in factors for n in (self.n_client, self.n_impostor)]
        return DevSize(*(np.ceil(size * (1.0 - _ROUNDING)) for size in sizes))

    def _view(self) -> Sequence[Node]:
        rows: Sequence[int] = range(self.alpha.size)
        if self.alpha.size > len(_SHOWN):
            rows = sorted({int(np.argmin(np.abs(self.alpha - a))) for a in _SHOWN})
        table = Grid(_HEAD, tuple(map(self._row, rows)))
        return self._nodes(f"alpha {FAR} + (1 - alpha) {FRR}", table, _CAVEAT)

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
    """The expected rates on test of the threshold that dev counts for a target rate.

    Made by :func:`epc_forecast` with a rate of one class as `criterion`. Arrays have one entry per
    alpha.

    Parameters
    ----------
    model, n_client, n_impostor, fitted, library
        As of an `EpcForecast`.
    criterion : str
        "far", "frr", "recall", "sensitivity" or "specificity".
    alpha : ndarray
        The rate asked for.
    threshold, logit_threshold : ndarray
        The threshold of endless dev scores.
    counted : ndarray
        The rate that dev will count on average: the multiple of 1/n nearest to alpha.
    far, frr, hter : ndarray
        Expected true rates at dev's threshold.
    far_sd, frr_sd, hter_sd : ndarray
        Their standard deviations over dev sets.
    n_beyond : ndarray
        Dev scores of the class that speak for the rate, n min(alpha, 1 - alpha).

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
    >>> found = br.epc_forecast(model, criterion="far", n_client=500, n_impostor=100, alpha=[0.05])
    >>> round(float(found.far[0]), 4)
    0.0591
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

    def _view(self) -> Sequence[Node]:
        rows = np.linspace(0, self.alpha.size - 1, min(_SHOWN_ROWS, self.alpha.size))
        table = Grid(_TARGET_HEAD, tuple(self._row(int(k)) for k in np.unique(rows.round())))
        return self._nodes(self.criterion, table, _TARGET_CAVEAT)

    def _row(self, k: int) -> Row:
        rates = (self.far, self.far_sd, self.frr, self.frr_sd, self.hter, self.hter_sd)
        return Row((
            f"{self.alpha[k]:.4g}", f"{self.threshold[k]:.4g}", f"{self.counted[k]:.3g}",
            *(f"{part[k]:.{3 - n % 2}g}" for n, part in enumerate(rates)),
            f"{self.n_beyond[k]:.3g}",
        ))  # fmt: skip


def _target_rates(
    pair: Pair, criterion: str, alpha: FloatArray, sizes: tuple[int, int]
) -> FloatArray:
    """What dev counts, then mean and standard deviation of FAR, of FRR and of HTER, in rows."""
    (name, complement), result = ONE_CLASS_RATES[criterion], []
    for item in alpha.tolist():
        asked = Fraction(item).limit_denominator(_DECIMALS)
        t, weights, share = drawn_thresholds(pair, 1 - asked if complement else asked, sizes, name)
        far, frr = pair.far(t), pair.frr(t)
        rates = np.array([far, frr, 0.5 * (far + frr)])
        means = rates @ weights
        sds = np.sqrt((rates - means[:, None]) ** 2 @ weights)
        result.append([1.0 - share if complement else share, *np.ravel([means, sds], "F")])
    return np.array(result).T


def _planned_beyond(
    criterion: str, alpha: FloatArray, sizes: tuple[int, int], *, aloud: bool
) -> FloatArray:
    """Planned scores that speak for each rate; `aloud` warns of rates with less than one."""
    name, complement = ONE_CLASS_RATES[criterion]
    n, who = (sizes[1], "impostor") if name == FAR else (sizes[0], "client")
    tail = np.minimum(alpha, 1.0 - alpha)
    few = np.flatnonzero((n * tail < 1.0 - _ROUNDING) & (tail > 0.0))
    if aloud and few.size:  # rates of exactly 0 and 1 were not asked for
        k = few[np.argmin(tail[few])]
        several = f"{few.size} of {alpha.size} targets are such, among them: " * (few.size > 1)
        warn(
            f"{several}{criterion if complement else name} {alpha[k]:.4g} lies beyond the planned"
            f" scores: of {n} {who} scores {n * tail[k]:.2g} are expected beyond it, so that dev's"
            f" threshold is that of an extreme score; about {needed(float(tail[k]))} would do"
            " (3/rate). Plan with as many, or for a larger rate.",
            ExtrapolationWarning,
        )
    return np.asarray(n * tail)


@overload
def epc_forecast(
    fit: Fit | ScoreModel, *, n_client: int, n_impostor: int, alpha: npt.ArrayLike | None = None,
    criterion: Literal["weighted-error"] = ...,
) -> EpcForecast: ...  # fmt: skip
@overload
def epc_forecast(
    fit: Fit | ScoreModel, *, n_client: int, n_impostor: int, alpha: npt.ArrayLike | None = None,
    criterion: Literal["far", "frr", "recall", "sensitivity", "specificity"],
) -> TargetForecast: ...  # fmt: skip
@overload
def epc_forecast(
    fit: Fit | ScoreModel, *, n_client: int, n_impostor: int, alpha: npt.ArrayLike | None = None,
    criterion: str,
) -> EpcForecast | TargetForecast: ...  # fmt: skip
@collect_warnings
def epc_forecast(
    fit: Fit | ScoreModel,
    *,
    n_client: int,
    n_impostor: int,
    alpha: npt.ArrayLike | None = None,
    criterion: str = WEIGHTED_ERROR,
) -> EpcForecast | TargetForecast:
    """Forecast the errors of thresholds chosen on a development set of a given size.

    Of a target rate alpha, counted on n scores of its class, k = round(alpha n) lie beyond the
    threshold t, which is half-way from a score to the next one of either class:

        FAR of that score ~ Beta(k + 1, n - k),   E FRR(t) by quadrature over it and the gap

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
    alpha, criterion : optional
        As in :func:`epc`; the criterion is "weighted-error", "far", "frr", "recall", "sensitivity"
        or "specificity".

    Returns
    -------
    EpcForecast or TargetForecast
        The second for a rate.

    Raises
    ------
    InputError, InputTypeError
        If a size is below 1, alpha leaves [0, 1], is NaN or empty, a distribution has no density
        or, for a rate, a point mass, or the criterion has no forecast.

    Warns
    -----
    ExtrapolationWarning
        If less than one planned score is expected beyond a rate that alpha asks for.

    Notes
    -----
    Of a rate it is exact for independent scores of continuous distributions with the rules of
    `epc`; of ties it takes the mean number of scores in between. The covariance of the smooth
    threshold is the inverse expected information, of a `Fit` its own, scaled to the new sizes.

    In simulations the smooth excess agrees within a few per cent from n = 50 on; the empirical one
    is up to 20 % lower from n = 200 on, and 35 % at 50. A wrong family gives the smooth excess a
    floor.

    References
    ----------
    Kim and Pollard (1990), Cube root asymptotics. Janson, Louchard and Martin-Lof (2010), The
    maximum of Brownian motion with parabolic drift.

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
    criterion = checks.choice(criterion, tuple(CRITERIA), "criterion")
    alphas = checked_alphas(alpha, single=CRITERIA[criterion].single, criterion=criterion)
    pair = model._pair
    of_rate = criterion != WEIGHTED_ERROR
    if of_rate and criterion not in ONE_CLASS_RATES:
        rule = f"be weighted-error, or a rate of one class, {format_list(ONE_CLASS_RATES)}"
        raise refusal("criterion", rule, repr(criterion), "Simulate others with br.Study.")
    for which, law in (("client", model.client), ("impostor", model.impostor)):
        name = f"the {which} distribution"
        if law.continuous is None:
            hint = 'Fit a family, such as fit(scores, "beta").'
            raise refusal(name, "have a density", type(law).__name__, hint)
        if of_rate and law.atoms.places.size:
            rule = "have no point masses for a target rate"
            raise refusal(name, rule, f"{law!r:.80}", "Simulate it with br.Study.")
    fitted, library = isinstance(fit, Fit), fit.library if isinstance(fit, Fit) else None
    t = chosen_on(model, criterion, alphas)
    point = model._point(t)
    places = alphas, np.asarray(point.threshold), np.asarray(point.logit_threshold)
    if of_rate:
        rates = [*_target_rates(pair, criterion, alphas, sizes)]
        rates.append(_planned_beyond(criterion, alphas, sizes, aloud=alpha is not None))
        return TargetForecast(model, *sizes, fitted, criterion, *places, *rates, library=library)
    where = _where(pair, t, alphas)
    place = np.where(where == "interior", pair.coordinates(t), np.nan)
    parts = (fit.client, fit.impostor) if isinstance(fit, Fit) else (None, None)
    found = _expansion(pair, pair.place(place), alphas, sizes, parts)
    return EpcForecast(
        model, *sizes, fitted, *places,
        np.asarray(alphas * point.far + (1.0 - alphas) * point.frr), where, *found, library=library,
    )  # fmt: skip


def _where(pair: Pair, t: Thresholds, alpha: FloatArray) -> npt.NDArray[np.str_]:
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
    """Variance of the fitted log density at t, of one score; nan without parameters."""
    known = [p.name for p in law._parameters()]
    names = known if fit is None else list(fit.names)
    if not names or not set(names) <= set(known):
        return np.full(t.shape, np.nan)
    covariance = law._unit_covariance() if fit is None else fit.cov * fit.total_weight
    gradient = law._score(t)[[known.index(name) for name in names]]
    return np.asarray(np.einsum("ik,ij,jk->k", gradient, covariance, gradient))


#: Normal deviates, and logits of uniform shares: the trapezoidal rule errs by about 1e-7.
_DEVIATES, _LOGITS = np.arange(-6.6, 6.61, 0.6), np.arange(-18.0, 18.01, 0.75)
#: Nodes of Laguerre's rule for a gap in which one class alone may have a score.
_NODES = 14
#: A share of nobody that may be divided by.
_NOBODY = 1e-300
#: Thresholds with their probabilities.
ForecastPart = tuple[Thresholds, FloatArray]


def drawn_thresholds(
    pair: Pair, rate: Fraction, sizes: tuple[int, int], name: str
) -> tuple[Thresholds, FloatArray, float]:
    """Thresholds of dev sets for a rate (by `name`), their shares, the rate counted."""
    up = name == FAR
    laws = (pair.impostor, pair.client) if up else (pair.client, pair.impostor)
    n, m = sizes[::-1] if up else sizes
    dev = _Dev(_Side(laws[0], up), _Side(laws[1], up), n, m, pair.unit)
    k, rest = divmod(rate * n, 1)
    if 2 * rest == 1:
        parts, upper = dev.of_tie(k)
    else:
        k, upper = k + (2 * rest > 1), 0.0
        parts = dev.of_count(k)
    places, shares = zip(*parts, strict=True)
    share = np.concatenate(shares)
    return Thresholds.concatenate([*places]), share / np.sum(share), (k + upper) / n


class _Side(NamedTuple):
    """A distribution seen from one direction."""

    law: Distribution
    up: bool

    def beyond(self, t: Thresholds) -> tuple[FloatArray, FloatArray]:
        """What lies beyond, and its log."""
        return self.law._upper(t) if self.up else self.law._lower(t)

    def within(self, t: Thresholds) -> FloatArray:
        return (self.law._lower(t) if self.up else self.law._upper(t))[0]

    def place(self, share: FloatArray, rest: FloatArray) -> Thresholds:
        """Where so much lies beyond, and the rest not."""
        upper, lower = (share, rest) if self.up else (rest, share)
        with np.errstate(divide="ignore"):
            high = self.law._upper_quantile(upper, np.log(upper))
            low = self.law._lower_quantile(lower, np.log(lower))
        return choose(upper <= 0.5, high, low)

    def between(self, near: Thresholds, far: Thresholds) -> FloatArray:
        """What lies between two places, from the tails that keep its digits."""
        outer = self.beyond(near)[0] - self.beyond(far)[0]
        inner = self.within(far) - self.within(near)
        return np.maximum(np.where(self.beyond(near)[0] < 0.5, outer, inner), 0.0)


class _Dev(NamedTuple):
    """The class of the target, of n scores, and the other, of m."""

    own: _Side
    other: _Side
    n: int
    m: int
    unit: bool

    def of_count(self, k: int) -> list[ForecastPart]:
        """k scores are counted beyond."""
        if k == self.n and self.own.up:
            return [(_everybody(1), np.ones(1))]
        if k == self.n:  # all clients are rejected: the largest of all scores
            top = Thresholds.from_theta(np.array([np.inf]))
            return self._next(top, np.ones(1), k, np.array([self.m]), np.zeros(1), half=False)
        x, share = self._score(k)
        return self._next(x, share, k, np.full(share.size, self.m), np.zeros(share.size))

    def of_tie(self, k: int) -> tuple[list[ForecastPart], float]:
        """k and k + 1 are equally near: the smaller HTER on dev, then the lower threshold."""
        # That is k + 1 where enough of the others lie between both: a binomial number, in the gap
        # to the next score its conditional mean. And how often it is k + 1.
        fewest = -(-self.m // self.n) if self.own.up else self.m // self.n + 1
        last = k + 1 == self.n
        x, share = self._score(k)
        if last:
            inner, inside = _everybody(share.size), self.other.within(x)
        else:
            x, share, gaps = _with_gaps(x, share)
            rest = self.own.within(x) * np.exp(-gaps / (self.n - k - 1))
            inner = self.own.place(1.0 - rest, rest)
            inside = self.other.between(inner, x)
        many = _at_least(self.m, fewest, inside)
        mean = self.m * inside * _at_least(self.m - 1, fewest - 1, inside)
        with np.errstate(divide="ignore", invalid="ignore"):
            above = np.maximum(np.where(many > 0.0, mean / many, fewest), fewest)
            below = np.where(many < 1.0, (self.m * inside - mean) / (1.0 - many), 0.0)
        below = np.clip(below, 0.0, min(fewest, self.m) - 1.0)
        coarse = _LOGITS[::2]
        parts = self._next(x, share * (1.0 - many), k, self.m - below, inside, coarse)
        upper = float(np.sum(share * many))
        if last and self.own.up:
            return [*parts, (inner, share * many)], upper
        # Beyond the next own score the nearest of those that lie between both.
        nodes = np.repeat(np.arange(share.size), _NODES)
        inner, shares, gaps = _with_gaps(inner, share * many)
        moved = inside[nodes] * np.expm1(-gaps / above[nodes])
        if last:  # the largest of the others, above all clients
            return [*parts, (_Side(self.other.law, True).place(-moved, 1.0 + moved), shares)], upper
        left = np.clip(self.other.beyond(inner)[0] + moved, 0.0, 1.0)
        return [*parts, (self._middle(inner, self.other.place(left, 1.0 - left)), shares)], upper

    def _score(self, k: int) -> ForecastPart:
        """The score that k others lie beyond."""
        from scipy.special import betaincinv, ndtr

        z = _DEVIATES
        beyond = betaincinv(k + 1, self.n - k, ndtr(z))
        rest = betaincinv(self.n - k, k + 1, ndtr(-z))
        share = np.exp(-0.5 * z * z)
        return self.own.place(beyond, rest), share / np.sum(share)

    def _next(
        self, x: Thresholds, share: FloatArray, k: int, m: FloatArray, inside: FloatArray,
        logits: FloatArray = _LOGITS, *, half: bool = True,
    ) -> list[ForecastPart]:  # fmt: skip
        """Half-way to the next score beyond x, of k own and m others that are not `inside`."""
        from scipy.special import expit

        near, number = x, share.size
        node = np.tile(np.arange(logits.size), number)
        v, w = expit(logits)[node], expit(-logits)[node]
        places = np.repeat(np.arange(number), logits.size)
        x, m, free = x[places], m[places], np.maximum(1.0 - inside, _NOBODY)[places]
        weight = share[places] * v * w * (logits[1] - logits[0])
        (tail, log_tail), out = self.own.beyond(x), self.other.beyond(x)[0]
        parts = []
        with np.errstate(divide="ignore", invalid="ignore"):
            none = m * np.log1p(-np.minimum(out / free, 1.0))  # no other lies beyond
            if k:
                step = tail * np.expm1(np.log(w) / k)
                z = self.own.place(np.maximum(tail + step, 0.0), self.own.within(x) - step)
                passed = np.minimum(self.other.between(x, z) / free, 1.0)
                parts.append((z, weight * np.exp(m * np.log1p(-passed))))
            step = free * np.expm1(np.log1p(np.expm1(none) * v) / m)
            rest = np.minimum(self.other.within(x) - step, 1.0)
            z = self.other.place(np.maximum(out + step, 0.0), rest)
            weight = -weight * np.expm1(none)
            if k:
                weight = weight * np.exp(k * (self.own.beyond(z)[1] - log_tail))
            parts.append((z, weight))
        result = [(self._middle(x, z) if half else z, shares) for z, shares in parts]
        if k == 0:  # nobody above the largest score, everybody above -inf
            alone = near if self.own.up else _everybody(number)
            result.append((alone, share * np.exp(none[:: logits.size])))
        return result

    def _middle(self, x: Thresholds, z: Thresholds) -> Thresholds:
        theta = 0.5 * (x.theta + z.theta)
        if not self.unit:
            return Thresholds.from_theta(theta)
        complement = 0.5 * (x.complement + z.complement)
        with np.errstate(divide="ignore"):
            below, above = np.log(np.maximum(theta, 0.0)), np.log(np.maximum(complement, 0.0))
            return Thresholds(theta, complement, below - above)


def _everybody(size: int) -> Thresholds:
    return Thresholds.from_theta(np.full(size, -np.inf))


def _at_least(n: int, k: int, p: FloatArray) -> FloatArray:
    """P(Binomial(n, p) >= k)."""
    from scipy.special import bdtrc

    return np.asarray(np.ones(p.shape) if k <= 0 else bdtrc(k - 1, n, np.clip(p, 0.0, 1.0)))


def _with_gaps(x: Thresholds, share: FloatArray) -> tuple[Thresholds, FloatArray, FloatArray]:
    nodes, weights = np.polynomial.laguerre.laggauss(_NODES)
    places = np.repeat(np.arange(share.size), _NODES)
    return x[places], (share[:, None] * weights).ravel(), np.tile(nodes, share.size)
