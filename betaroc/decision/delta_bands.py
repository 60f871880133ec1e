"""Intervals of a curve by the delta method, and replicates of a test side that is a fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.options import IntervalOptions
from betaroc.core.thresholds import Thresholds
from betaroc.data.groups import units_of
from betaroc.decision.curve import Curve, empirical_laws, observed_prior, side_trials
from betaroc.decision.resample_threshold import ResampledDev, ThresholdError
from betaroc.distributions.base import Distribution, value_columns
from betaroc.inference.delta import covariance_roots, free_coordinates, slopes_along
from betaroc.inference.drawn_scores import gaussian_reach
from betaroc.inference.scores_beyond import rate_covariance
from betaroc.model.measures import OperatingPoint

#: What is drawn again.
RESAMPLE = ("both", "test")
_METHODS = ("bootstrap", "exact", "delta")

#: Step of the differences in a rate, as a share of its distance from 0 and 1.
_RATE_STEP = 1e-4
#: A variance below this share of its first part is rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class BandOptions(IntervalOptions):
    """What a band is asked for besides; `Epc.band` documents each."""

    resample: str = "both"
    simultaneous: bool = False
    stratified: bool = True
    m: int | None = None
    #: What callers call `resample`.
    resample_argument: str = "resample"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.choice(self.resample, RESAMPLE, "resample")
        checks.choice(self.method, _METHODS, "method")
        for name in ("simultaneous", "stratified"):
            object.__setattr__(self, name, checks.flag(getattr(self, name), name))
        if self.m is not None:
            object.__setattr__(self, "m", checks.count(self.m, "m", 2))


@dataclass(frozen=True)
class FittedTest:
    """The two distributions of a fit as a point with a normal error, in free coordinates.

    Positive parameters are taken as logarithms, point masses as log(mass / rest), so that
    no step leaves the family; a mass that nobody had stays 0.

    Parameters
    ----------
    laws : tuple of Distribution
        Client and impostor, at the estimates.
    names : tuple of tuple of str
        Parameters of each distribution that vary.
    place : ndarray, shape (parameters,)
        Coordinates of the clients' distribution, then of the impostors'.
    roots : ndarray, shape (rank, parameters)
        Their change with one standard error along each root of the covariance.
    prior : float
        P(client).
    trials : float
        Trials whose share of clients the prior is; 0 where the prior is a given number.
    shared : bool
        Whether dev is the same fit: then one set of errors moves both sides.
    """

    laws: tuple[Distribution, Distribution]
    names: tuple[tuple[str, ...], tuple[str, ...]]
    place: FloatArray
    roots: FloatArray
    prior: float
    trials: float
    shared: bool = False

    def rates(self, z: FloatArray, t: Thresholds) -> tuple[FloatArray, ...]:
        """FAR, FRR, TPR and TNR of distributions z standard errors away, a row for each of z."""
        at = self.place + z @ self.roots
        cut = len(self.names[0])
        client, impostor = (
            law._tail_rows(value_columns(law, names, place), t)
            for law, names, place in zip(
                self.laws, self.names, (at[:, :cut], at[:, cut:]), strict=True
            )
        )
        (frr, tpr), (tnr, far) = client, impostor
        return far, frr, tpr, tnr

    def values(
        self, e: Curve, rng: np.random.Generator, size: int,
        again: ResampledDev | ThresholdError | None, *, stratified: bool,
    ) -> FloatArray:  # fmt: skip
        """The measure at drawn parameters, at the curve's thresholds or at those drawn again."""
        z = rng.standard_normal((size, self.roots.shape[0]))
        if again is None:
            t = e.chosen
        elif self.shared and isinstance(again, ThresholdError):
            t = _stacked(e, (again.at(one) for one in z))
        else:
            t = _stacked(e, (again.draw(rng) for _ in z))
        priors = np.full(size, self.prior)
        if not stratified and self.trials > 0.0:
            trials = round(self.trials)
            priors = rng.binomial(trials, self.prior, size) / trials
        values = e._at_rates(self.rates(z, t), priors)
        if again is None:
            return values
        return shrunk(e, again, values, lambda: e._at_rates(self.rates(z, e.chosen), priors))


def shrunk(
    e: Curve,
    again: ResampledDev | ThresholdError,
    moved: FloatArray,
    fixed: Callable[[], FloatArray],
) -> FloatArray:
    """Of replicates the part that is due to their thresholds as large as with all dev scores."""
    # At its own optimum every departure is a loss, which endless dev scores would not have.
    share = np.where(e._stationary, -again.shrink, again.shrink)
    if np.all(share == 1.0):
        return moved
    return np.where(share == 1.0, moved, (1.0 - share) * fixed() + share * moved)


def _stacked(e: Curve, chosen: Iterable[Thresholds | None]) -> Thresholds:
    """Thresholds of the replicates, a row each; nan where a class was not drawn at all."""
    rows = [
        np.full((3, e.alpha.size), np.nan) if t is None else [t.theta, t.complement, t.logit]
        for t in chosen
    ]
    return Thresholds(*np.swapaxes(np.array(rows), 0, 1))


# ------------------------------------------------------------------------- free coordinates
def fitted_test(e: Curve, *, groups: bool = True) -> FittedTest | None:
    """Test's fit as what varies; None where test is anything but a fit of continuous distributions.

    Both distributions vary together where the fit's scores carry `groups`.
    """
    fit = e.test_fit
    if fit is None or e.test.client.continuous is None or e.test.impostor.continuous is None:
        return None
    names, place, roots = free_coordinates(fit, groups=groups)
    observed = not e.prior_given and e.test.prior == fit.model.prior
    trials = fit.client.total_weight + fit.impostor.total_weight if observed else 0.0
    laws, shared = (e.test.client, e.test.impostor), e.dev_fit is not None and e.dev_fit == fit
    return FittedTest(laws, names, place, roots, e.test.prior, trials, shared)


# ---------------------------------------------------------------------------- delta method
def delta_interval(
    e: Curve, test: FittedTest, again: ThresholdError | None, o: BandOptions
) -> tuple[FloatArray, FloatArray]:
    """Normal intervals from the derivatives of the curve in all that varies."""
    changes = _changes(e, test, again, stratified=o.stratified)
    reach = gaussian_reach(changes, o) if o.simultaneous else o.deviate
    return _interval(e, reach * np.sqrt(np.sum(changes**2, axis=1)))


def _changes(
    e: Curve, test: FittedTest, again: ThresholdError | None, *, stratified: bool
) -> FloatArray:
    """Change of the measure with one standard error of each independent source, a column each."""
    own = np.eye(test.roots.shape[0])
    still = np.zeros(own.shape[0])

    def moved(z: FloatArray, chosen: Thresholds, prior: float) -> FloatArray:
        return np.asarray(e._at_rates(test.rates(z[None], chosen), np.array([prior]))[0])

    def of_laws(z: FloatArray) -> FloatArray:
        return moved(z, e.chosen, test.prior)

    if again is None:
        parts = [slopes_along(own, of_laws)]
    elif test.shared:
        at = again.at
        parts = [slopes_along(own, lambda z: moved(z, at(z), test.prior))]
    else:
        at, others = again.at, np.eye(again.slope.shape[1])
        parts = [slopes_along(own, of_laws)]
        parts.append(slopes_along(others, lambda z: moved(still, at(z), test.prior)))
    if not stratified and test.trials > 0.0:
        error = float(np.sqrt(test.prior * (1.0 - test.prior) / test.trials))
        one = np.eye(1)
        parts.append(slopes_along(one, lambda z: moved(still, e.chosen, test.prior + error * z[0])))
    return np.concatenate(parts, axis=1)


def _interval(e: Curve, reach: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Value -+ reach, on the logit scale for fractions, within the range for others."""
    v = e.value
    bottom, top = e._range
    if (bottom, top) != (0.0, 1.0):
        return np.maximum(v - reach, bottom), np.minimum(v + reach, top)
    spread = v * (1.0 - v)
    inside = spread > 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        factor = np.exp(np.where(inside, reach / np.where(inside, spread, 1.0), 0.0))
        low, high = v / (v + (1.0 - v) * factor), v / (v + (1.0 - v) / factor)
    return np.where(inside, low, v), np.where(inside, high, v)


def delta_scores_interval(e: Curve, o: BandOptions) -> tuple[FloatArray, FloatArray]:
    """Normal intervals of a curve whose test side is scores; nan where the measure is undefined.

    From the derivatives of the measure in both rates and an observed prior.
    """
    from scipy.special import ndtr, stdtrit

    scores = side_trials(e, "test")
    found = units_of(scores, groups=o.groups)
    laws = empirical_laws(e.test, "test")
    gradient = _gradient(e, observed=observed_prior(e, "test"))
    parts = rate_covariance(found, laws, scores, e.chosen, stratified=o.stratified)
    whole, twice = (gradient @ part @ gradient.T for part in parts)
    variance, most = np.diag(whole - twice), np.diag(whole)
    # V1 + V2 - V12 may come out negative: then V12 is left out.
    error = np.sqrt(np.where(variance > _ROUNDING * most, variance, np.maximum(most, 0.0)))
    reach = gaussian_reach(covariance_roots(whole - twice).T, o) if o.simultaneous else o.deviate
    sizes = [size for size in found.sizes if size is not None]
    if sizes:
        # Student's t in place of the normal distribution, for variances between few groups.
        reach = -float(stdtrit(min(sizes) - 1, ndtr(-reach)))
    return _interval(e, reach * error)


def _gradient(e: Curve, *, observed: bool) -> FloatArray:
    """Change of the measure at each threshold with FAR and FRR there, and with the prior.

    A rate of 0 or 1 does not vary; where the measure is undefined nothing does.
    """
    k, point = e.alpha.size, e.points
    rates = [np.array(point.far), np.array(point.frr), np.full(k, point.prior)]
    found = np.zeros((k, 2 * k + 1))
    for which, rate in enumerate(rates if observed else rates[:2]):
        step = _RATE_STEP * np.minimum(rate, 1.0 - rate)
        ends = []
        for sign in (1.0, -1.0):
            far, frr, prior = (r + sign * step if n == which else r for n, r in enumerate(rates))
            moved = OperatingPoint(point.threshold, far, frr, float(prior[0]))
            ends.append(e._measured(moved))
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = (ends[0] - ends[1]) / (2.0 * step)
        slope = np.where((step > 0.0) & np.isfinite(slope), slope, 0.0)
        found[np.arange(k), 2 * k if which == 2 else which * k + np.arange(k)] = slope
    return found
