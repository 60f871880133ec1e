"""Intervals of a curve whose test side is a fit: its parameters vary, not its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from betaroc.core.resampling import streams
from betaroc.core.thresholds import FloatArray, Thresholds
from betaroc.decision.epc import Epc
from betaroc.decision.threshold_error import ThresholdError
from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import Beta
from betaroc.distributions.coordinates import moved
from betaroc.distributions.inflated import MASSES, Inflated, base_of
from betaroc.distributions.logit_normal import LogitNormal
from betaroc.distributions.normal import Normal
from betaroc.inference.parameter_errors import free_coordinates
from betaroc.model.measures import MEASURES, OperatingPoint

__all__ = [
    "FittedTest",
    "delta_interval",
    "fitted_test",
    "free_coordinates",
    "measure_interval",
    "sup_t_reach",
]

#: Step of the differences, in standard errors: rates are smooth, and known to 1e-12.
_STEP = 0.01


class _Choice(Protocol):
    """What makes dev's thresholds vary."""

    @property
    def shrink(self) -> float: ...

    def draw(self, rng: np.random.Generator) -> Thresholds | None: ...


@dataclass(frozen=True)
class FittedTest:
    """The two laws of a fit as a point with a normal error, in free coordinates.

    Positive parameters are taken as logarithms, point masses as log(mass / rest), so that
    no step leaves the family; a mass that nobody had stays 0.

    Parameters
    ----------
    laws : tuple of Distribution
        Client and impostor, at the estimates.
    names : tuple of tuple of str
        Parameters of each law that vary.
    place : ndarray, shape (parameters,)
        Coordinates of the clients' law, then of the impostors'.
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

    def rates(self, z: FloatArray, t: Thresholds) -> FloatArray:
        """FAR, FRR, TPR and TNR of the laws z standard errors away, a row for each row of z."""
        at = self.place + z @ self.roots
        cut = len(self.names[0])
        frr, tpr = _tails(self.laws[0], self.names[0], at[:, :cut], t)
        tnr, far = _tails(self.laws[1], self.names[1], at[:, cut:], t)
        return np.array([far, frr, tpr, tnr])

    def values(
        self,
        e: Epc,
        rng: np.random.Generator,
        size: int,
        again: _Choice | None,
        *,
        stratified: bool,
    ) -> FloatArray:
        """The measure at drawn parameters, at the curve's thresholds or at those drawn again.

        Where fewer dev scores are drawn than there were, the part of a replicate that is
        due to its thresholds is shrunk.
        """
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
        values = self.measured(e, self.rates(z, t), priors)
        if again is None:
            return values
        share = np.where(e._stationary, -again.shrink, again.shrink)
        if np.all(share == 1.0):
            return values
        fixed = self.measured(e, self.rates(z, e.chosen), priors)
        return np.asarray((1.0 - share) * fixed + share * values)

    @staticmethod
    def measured(e: Epc, rates: FloatArray, priors: FloatArray) -> FloatArray:
        """The curve's measure of FAR, FRR, TPR and TNR, a row a prior."""
        values = np.empty(rates.shape[1:])
        for prior in np.unique(priors):
            rows = priors == prior
            far, frr, tpr, tnr = rates[:, rows]
            values[rows] = e._measured(OperatingPoint(np.nan, far, frr, prior, tpr=tpr, tnr=tnr))
        return values


def _stacked(e: Epc, chosen: Iterable[Thresholds | None]) -> Thresholds:
    """Thresholds of the replicates, a row each; nan where a class was not drawn at all."""
    rows = [
        np.full((3, e.alpha.size), np.nan) if t is None else [t.theta, t.complement, t.logit]
        for t in chosen
    ]
    return Thresholds(*np.swapaxes(np.array(rows), 0, 1))


def _tails(
    law: Distribution, names: tuple[str, ...], place: FloatArray, t: Thresholds
) -> tuple[FloatArray, FloatArray]:
    """P(S <= t) and P(S > t), a row for each row of free coordinates.

    Many laws of a family at once: each tail to about 1e-14, without its logarithm.
    """
    base = base_of(law)
    if type(base) not in _TAILS:
        return _tails_one_by_one(law, names, place, t)
    plain = {p.name for p in law._parameters() if p.scale == "plain"}
    columns = zip(names, place.T[:, :, None], strict=True)
    given = {n: x if n in plain else np.exp(x) for n, x in columns}
    lower, upper = _TAILS[type(base)](base, given, t)
    if not isinstance(law, Inflated):
        return lower, upper
    odds = [given.get(n, np.zeros((1, 1))) for n in MASSES]
    rest = 1.0 / (1.0 + odds[0] + odds[1])
    above, reached = t.theta >= 0.0, (t.logit == np.inf) | (t.theta > 1.0)
    lower = rest * (lower + odds[0] * above + odds[1] * reached)
    upper = rest * (upper + odds[0] * ~above + odds[1] * ~reached)
    return np.minimum(lower, 1.0), np.minimum(upper, 1.0)


def _tails_one_by_one(
    law: Distribution, names: tuple[str, ...], place: FloatArray, t: Thresholds
) -> tuple[FloatArray, FloatArray]:
    shape = np.broadcast_shapes((place.shape[0], 1), t.theta.shape)
    lower, upper = np.empty(shape), np.empty(shape)
    for k, row in enumerate(place):
        one = moved(law, names, row.tolist())
        here = t if t.theta.ndim < 2 else t[k]
        lower[k], upper[k] = one._lower(here)[0], one._upper(here)[0]
    return lower, upper


def _beta_tails(
    law: Any, values: dict[str, FloatArray], t: Thresholds
) -> tuple[FloatArray, FloatArray]:
    from scipy.special import betainc

    a, b = values.get("a", law.a), values.get("b", law.b)
    with np.errstate(under="ignore"):
        lower = betainc(a, b, np.clip(t.theta, 0.0, 1.0))
        return lower, betainc(b, a, np.clip(t.complement, 0.0, 1.0))


def _normal_tails(
    law: Any, values: dict[str, FloatArray], t: Thresholds
) -> tuple[FloatArray, FloatArray]:
    from scipy.special import ndtr

    place = t.logit if law.on_unit else t.theta
    z = (place - values.get("mu", law.mu)) / values.get("sigma", law.sigma)
    return ndtr(z), ndtr(-z)


_Tails = Callable[[Any, dict[str, FloatArray], Thresholds], tuple[FloatArray, FloatArray]]
_TAILS: dict[type[Distribution], _Tails] = {
    Beta: _beta_tails,
    Normal: _normal_tails,
    LogitNormal: _normal_tails,
}


# ------------------------------------------------------------------------- free coordinates
def fitted_test(e: Epc, *, groups: bool = True) -> FittedTest | None:
    """Test's fit as what varies; None where test is anything but a fit of continuous laws.

    Both laws vary together where the fit's scores carry `groups`.
    """
    fit = e.test_fit
    if fit is None or e.test.client.continuous is None or e.test.impostor.continuous is None:
        return None
    names, place, roots = free_coordinates(fit, groups=groups)
    observed = not e.prior_given and e.test.prior == fit.model.prior
    trials = fit.client.total_weight + fit.impostor.total_weight if observed else 0.0
    return FittedTest(
        (e.test.client, e.test.impostor),
        names,
        place,
        roots,
        e.test.prior,
        trials,
        e.dev_fit is not None and e.dev_fit == fit,
    )


# ---------------------------------------------------------------------------- delta method
def delta_interval(
    e: Epc,
    test: FittedTest,
    level: float,
    *,
    again: ThresholdError | None,
    simultaneous: bool,
    stratified: bool,
    replicates: int,
    rng: Any,
) -> tuple[FloatArray, FloatArray]:
    """Normal intervals from the derivatives of the curve in all that varies."""
    from scipy.special import ndtri

    changes = _changes(e, test, again, stratified=stratified)
    error = np.sqrt(np.sum(changes**2, axis=1))
    reach = float(ndtri(0.5 * (1.0 + level)))
    if simultaneous:
        reach = sup_t_reach(changes, error, level, replicates, rng)
    return measure_interval(e, reach * error)


def _changes(
    e: Epc, test: FittedTest, again: ThresholdError | None, *, stratified: bool
) -> FloatArray:
    """Change of the measure with one standard error of each independent source, a column each."""
    still = np.zeros(test.roots.shape[0])

    def moved(z: FloatArray, chosen: Thresholds, prior: float) -> FloatArray:
        return np.asarray(test.measured(e, test.rates(z[None], chosen), np.array([prior]))[0])

    def of_laws(z: FloatArray) -> FloatArray:
        return moved(z, e.chosen, test.prior)

    if again is None:
        parts = [_slopes(of_laws, still.size)]
    elif test.shared:
        at = again.at
        parts = [_slopes(lambda z: moved(z, at(z), test.prior), still.size)]
    else:
        at = again.at
        parts = [_slopes(of_laws, still.size)]
        parts.append(_slopes(lambda z: moved(still, at(z), test.prior), again.slope.shape[1]))
    if not stratified and test.trials > 0.0:
        error = float(np.sqrt(test.prior * (1.0 - test.prior) / test.trials))
        parts.append(_slopes(lambda z: moved(still, e.chosen, test.prior + error * z[0]), 1))
    return np.concatenate(parts, axis=1)


def _slopes(value: Callable[[FloatArray], FloatArray], rank: int) -> FloatArray:
    """Derivatives in each of the standardised coordinates, by central differences."""
    steps = _STEP * np.eye(rank)
    return np.stack([(value(z) - value(-z)) / (2.0 * _STEP) for z in steps], axis=1)


def sup_t_reach(
    changes: FloatArray, error: FloatArray, level: float, replicates: int, rng: Any
) -> float:
    """Quantile of the largest standardised deviation of the Gaussian process."""
    from scipy.special import ndtri

    moving = error > 0.0
    if not np.any(moving):
        return 0.0
    one = float(ndtri(0.5 * (1.0 + level)))
    unit = changes[moving] / error[moving, None]
    if unit.shape[0] == 1 or unit.shape[1] == 1:
        return one
    largest = np.empty(replicates)
    for rows, stream in streams(replicates, rng):
        z = stream.standard_normal((rows.stop - rows.start, unit.shape[1]))
        largest[rows] = np.max(np.abs(z @ unit.T), axis=1)
    # The draws of a quantile that is no larger than that of one place are unlucky.
    return max(one, float(np.quantile(largest, level)))


def measure_interval(e: Epc, reach: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Value -+ reach, on the logit scale for fractions, within the range for others."""
    v = e.value
    known = MEASURES.get(e.measure)
    bottom, top = (0.0, 1.0) if known is None else (known.low, known.high)
    if (bottom, top) != (0.0, 1.0):
        return np.maximum(v - reach, bottom), np.minimum(v + reach, top)
    spread = v * (1.0 - v)
    inside = spread > 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        factor = np.exp(np.where(inside, reach / np.where(inside, spread, 1.0), 0.0))
        low, high = v / (v + (1.0 - v) * factor), v / (v + (1.0 - v) / factor)
    return np.where(inside, low, v), np.where(inside, high, v)
