"""Beta regression of each class: statsmodels' likelihood, brought to its maximum and checked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import DegenerateDataError, FitError, InputError
from betaroc.core.text import listed
from betaroc.core.value import Named, Result, Value
from betaroc.data.designs import Covariate, DesignMatrix, designs_of
from betaroc.data.scores import Scores
from betaroc.estimation.boundary import BoundaryRule
from betaroc.estimation.newton import LARGEST_CONCENTRATION, beta_mle

_STEPS = 100
_HALVINGS = 40
#: After a step this small in orthonormal coordinates nothing is left to gain.
_LAST_STEP = 1e-8
#: A gradient of the mean log-likelihood that is 0 but for rounding.
_TINY_GRADIENT = 1e-9
#: Differences of the log-likelihood below this share of it are rounding.
_ROUNDING = 1e-11
_EPS = float(np.finfo(np.float64).eps)
#: No mean is nearer to 0 or 1 than doubles are.
_LARGEST_LOGIT = 700.0


class BetaRegression(Protocol):
    """What is asked of statsmodels' ``BetaModel``."""

    #: Scores, and the columns of the mean and of the precision.
    endog: FloatArray
    exog: FloatArray
    exog_precision: FloatArray

    def loglike(self, params: FloatArray) -> float:
        """The log-likelihood."""

    def score(self, params: FloatArray) -> FloatArray:
        """Its gradient."""

    def score_factor(self, params: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Derivatives by both linear predictors, an entry a trial."""

    def hessian(self, params: FloatArray, observed: bool | None = None) -> FloatArray:
        """Its second derivatives."""

    def fit(self, start_params: FloatArray, **options: Any) -> Any:
        """Its own search, with ``params`` in the result."""


class Regression(NamedTuple):
    """Where the likelihood of one class is largest, or where the search for it ended.

    ``back`` leads from the orthonormal coordinates, in which the search goes on, to the
    coefficients; ``information`` (of all trials) and ``scores`` (a row a trial, the derivatives
    of its log density) are in the orthonormal ones.
    """

    coefficients: FloatArray
    log_likelihood: float
    converged: bool
    iterations: int
    gradient_norm: float
    back: FloatArray
    information: FloatArray
    scores: FloatArray
    #: Whether a distribution became more concentrated than any that is told apart from a point.
    runaway: bool


def regress(y: FloatArray, x: FloatArray, z: FloatArray) -> Regression:
    """The maximum of sum log f(y; mu phi, (1 - mu) phi), logit mu = x beta, log phi = z gamma.

    The columns of x and z are made orthonormal first, so that neither the units nor the zero
    points of the covariates matter.
    """
    with np.errstate(all="ignore"):
        return _regress(y, x, z)


def _regress(y: FloatArray, x: FloatArray, z: FloatArray) -> Regression:
    from statsmodels.othermod.betareg import BetaModel

    (qx, rx), (qz, rz) = _orthonormal(x), _orthonormal(z)
    model: BetaRegression = BetaModel(y, qx, exog_precision=qz)
    best = _best(model, _starts(model, y, qx, qz))
    k = qx.shape[1]
    back = np.zeros((best.place.size, best.place.size))
    back[:k, :k], back[k:, k:] = np.linalg.inv(rx), np.linalg.inv(rz)
    of_mean, of_precision = model.score_factor(best.place)
    scores = np.hstack([of_mean[:, None] * qx, of_precision[:, None] * qz])
    return Regression(
        back @ best.place,
        float(model.loglike(best.place)),
        best.converged,
        best.steps,
        best.norm,
        back,
        -np.asarray(model.hessian(best.place)),
        scores,
        best.runaway,
    )


def _orthonormal(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Columns of mean square 1 that span the same, and the triangle that leads back."""
    units = np.max(np.abs(x), axis=0)
    q, r = np.linalg.qr(x / units)
    root = np.sqrt(x.shape[0])
    return np.ascontiguousarray(q * root), r * units / root


def _starts(
    model: BetaRegression, y: FloatArray, qx: FloatArray, qz: FloatArray
) -> Iterator[FloatArray]:
    """statsmodels' own maximum, and one distribution for all trials."""
    try:
        # Whether it converged is found out here. Its own start warns of weights that are singular.
        result = model.fit(
            _of_logits(y, qx, qz), method="bfgs", maxiter=200, disp=False, skip_hessian=True,
            warn_convergence=False,
        )  # fmt: skip
        theirs = np.asarray(result.params, dtype=np.float64)
    except (ArithmeticError, ValueError, np.linalg.LinAlgError):
        theirs = np.array([np.nan])
    if np.all(np.isfinite(theirs)):
        yield theirs
    a, b, there = beta_mle(np.mean(np.log(y)), np.mean(np.log1p(-y)))
    a, b = (a, b) if there else (1.0, 1.0)
    constants = np.log(a) - np.log(b), np.log(a + b)
    yield np.concatenate([c * q.mean(axis=0) for c, q in zip(constants, (qx, qz), strict=True)])


def _of_logits(y: FloatArray, qx: FloatArray, qz: FloatArray) -> FloatArray:
    """Least squares of the logits, and the one precision whose variance is that about them."""
    from scipy.special import expit, logit

    mean = qx.T @ logit(y) / y.size
    of_trial = expit(qx @ mean)
    ratio = np.mean(of_trial * (1.0 - of_trial)) / np.mean((y - of_trial) ** 2)
    precision = np.log(np.clip(ratio - 1.0, 0.1, 1e6))
    return np.concatenate([mean, precision * qz.mean(axis=0)])


class _Point(NamedTuple):
    place: FloatArray
    converged: bool
    steps: int
    norm: float
    height: float
    runaway: bool


def _best(model: BetaRegression, starts: Iterator[FloatArray]) -> _Point:
    """The first search that ends at a maximum, else the one that came highest."""
    found = []
    for start in starts:
        found.append(_climb(model, start))
        if found[-1].converged:
            break
    return max(found, key=lambda p: (p.converged, not math.isnan(p.height), p.height))


def _climb(model: BetaRegression, place: FloatArray) -> _Point:
    """Newton's method with halved steps; scoring where the likelihood is not concave."""
    n, last, norm = model.endog.size, False, np.inf
    height, taken = model.loglike(place), 0
    while taken < _STEPS:
        taken += 1
        gradient = np.asarray(model.score(place)) / n
        norm = float(np.max(np.abs(gradient)))
        if last or not np.isfinite(norm) or _runaway(model, place):
            break
        step = _step(model, place, gradient)
        last = bool(np.max(np.abs(step)) <= _LAST_STEP)
        lowest = height - _rounding(model, place, height)
        for _ in range(_HALVINGS):
            higher = model.loglike(place + step)
            if higher >= lowest:
                break
            step = 0.5 * step
        else:
            break
        place, height = place + step, higher
    runaway = _runaway(model, place)
    concentration = float(np.exp(np.max(_log_precision(model, place))))
    tiny = norm <= _TINY_GRADIENT + 8.0 * _EPS * concentration
    converged = bool(tiny) and not runaway and _is_maximum(model, place)
    return _Point(place, converged, taken, norm, float(height), runaway)


def _rounding(model: BetaRegression, place: FloatArray, height: float) -> float:
    """What two equal log-likelihoods may differ by."""
    from scipy.special import gammaln

    terms = np.sum(np.abs(gammaln(np.exp(_log_precision(model, place)))))
    return float(_ROUNDING * (model.endog.size + abs(height)) + 8.0 * _EPS * terms)


def _step(model: BetaRegression, place: FloatArray, gradient: FloatArray) -> FloatArray:
    n = model.endog.size
    for observed in (True, False):
        information = -np.asarray(model.hessian(place, observed=observed)) / n
        try:
            np.linalg.cholesky(information)
            return np.asarray(np.linalg.solve(information, gradient))
        except np.linalg.LinAlgError:
            continue
    return gradient


def _is_maximum(model: BetaRegression, place: FloatArray) -> bool:
    return bool(np.linalg.eigvalsh(-np.asarray(model.hessian(place)))[0] > 0.0)


def _log_precision(model: BetaRegression, place: FloatArray) -> FloatArray:
    return np.asarray(model.exog_precision @ place[model.exog.shape[1] :])


def _runaway(model: BetaRegression, place: FloatArray) -> bool:
    """Whether a distribution is next to a point, so that there is no maximum."""
    logit = model.exog @ place[: model.exog.shape[1]]
    concentrated = np.max(_log_precision(model, place)) > np.log(LARGEST_CONCENTRATION)
    return bool(concentrated or np.max(np.abs(logit)) > _LARGEST_LOGIT)


# ------------------------------------------------------------------------ the two classes
@dataclass(frozen=True, eq=False, repr=False)
class RegressionFit(Value):
    """The beta regression of one class.

    Parameters
    ----------
    mean_names, precision_names : tuple of str
        Columns of the two designs.
    coefficients, std_errors : tuple of float
        Coefficients of the mean, then of the precision, and their errors.
    log_likelihood : float
        Of densities by the score.
    n : int
        Trials that took part.
    converged : bool
        Always true in a result that was returned.
    iterations : int
        Newton steps after statsmodels' search.
    gradient_norm : float
        Largest component of the gradient of the mean log-likelihood by the coefficients of
        orthonormal columns.
    boundary : BoundaryRule
        The rule for scores of exactly 0 and 1, and whom it met.
    """

    mean_names: tuple[str, ...]
    precision_names: tuple[str, ...]
    coefficients: tuple[float, ...]
    std_errors: tuple[float, ...]
    log_likelihood: float
    n: int
    converged: bool
    iterations: int
    gradient_norm: float
    boundary: BoundaryRule

    @property
    def mean(self) -> Mapping[str, float]:
        """Coefficients of the logit of the mean."""
        own = self.coefficients[: len(self.mean_names)]
        return Named(zip(self.mean_names, own, strict=True))

    @property
    def precision(self) -> Mapping[str, float]:
        """Coefficients of the logarithm of the precision a + b."""
        own = self.coefficients[len(self.mean_names) :]
        return Named(zip(self.precision_names, own, strict=True))


def regression(
    who: str, scores: Scores, designs: list[DesignMatrix], rule: BoundaryRule
) -> Regression:
    """The maximum of one class, or an error that carries what was found."""
    y = getattr(scores, who)
    names = designs[0].names + designs[1].names
    if y.size < len(names):
        raise InputError(
            f"{who}: there must be at least as many trials as coefficients; got {y.size} trials for"
            f" {len(names)} ({listed(names, 6)}). Give a shorter formula."
        )
    for design in designs:
        design.refuse_undetermined(who)
    found = regress(y, designs[0].rows[who], designs[1].rows[who])
    if found.converged:
        return found
    partial = result_of(found, designs, np.full(len(names), math.nan), rule)
    if found.runaway:
        raise DegenerateDataError(
            f"{who}: the likelihood has no maximum: at some covariates the distribution becomes"
            " a point"
            f" (a + b beyond 1e12, or a mean of 0 or 1), as where a category has equal scores;"
            f" got {y.size} trials. Give a shorter formula, of the precision first.",
            partial,
        )
    raise FitError(
        f"{who}: the search ended after {found.iterations} Newton steps with a gradient of"
        f" {found.gradient_norm:.3g} instead of 0. Give a shorter formula, or covariates on another"
        " scale.",
        partial,
    )


def result_of(
    found: Regression, designs: list[DesignMatrix], errors: FloatArray, rule: BoundaryRule
) -> RegressionFit:
    """A regression as users hold it."""
    return RegressionFit(
        designs[0].names, designs[1].names, tuple(found.coefficients.tolist()),
        tuple(errors.tolist()), found.log_likelihood, found.scores.shape[0], found.converged,
        found.iterations, found.gradient_norm, rule,
    )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class CovariateEstimate(Result):
    """The regressions of both classes: the fields of :class:`betaroc.CovariateFit`."""

    formula: str
    precision: str
    client_formula: str | None
    client: RegressionFit
    impostor: RegressionFit
    scores: Scores
    covariates: tuple[Covariate, ...]
    prior: float
    roots: FloatArray

    @property
    def log_likelihood(self) -> float:
        """Sum over the classes, of densities by the score."""
        return self.client.log_likelihood + self.impostor.log_likelihood

    @property
    def aic(self) -> float:
        """2 k - 2 log-likelihood, k coefficients of both classes."""
        k = len(self.client.coefficients) + len(self.impostor.coefficients)
        return 2.0 * k - 2.0 * self.log_likelihood

    @property
    def converged(self) -> bool:
        """Whether both classes are at their maximum; always true in a result that was returned."""
        return self.client.converged and self.impostor.converged

    @cached_property
    def cov(self) -> FloatArray:
        """Covariance of all coefficients: the clients' mean and precision, the impostors'."""
        matrix = np.asarray(self.roots.T @ self.roots)
        matrix.flags.writeable = False
        return matrix

    @property
    def _formulas(self) -> tuple[str, str, str, str]:
        """Of the clients' mean and precision, of the impostors'."""
        other = self.client_formula
        client = (self.formula, self.precision) if other is None else (other, other)
        return (*client, self.formula, self.precision)

    @cached_property
    def _designs(self) -> dict[str, list[DesignMatrix]]:
        shared = self.client_formula is None
        return designs_of(self._formulas, self.covariates, self.scores, shared=shared)

    @property
    def _coefficients(self) -> FloatArray:
        return np.array([*self.client.coefficients, *self.impostor.coefficients])
