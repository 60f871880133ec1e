"""The contract of one class's score distribution.

A distribution answers at :class:`~betaroc.core.thresholds.Thresholds`: both tails and their logs,
the density of its continuous part, both inverses. It declares its atoms and its tail at each end.
"""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import FloatArray, ScalarOrArray, as_output, elementwise
from betaroc.core.errors import FitError
from betaroc.core.notices import Notice
from betaroc.core.quadrature import integrate_panels
from betaroc.core.tables import Table, table_of
from betaroc.core.thresholds import BELOW_ONE, Thresholds, choose
from betaroc.core.value import Value
from betaroc.rendering.document import flat
from betaroc.rendering.nouns import Exportable

#: A tail and its log, or both tails; a value, gradient and Hessian; a function of the score.
TwoArrays = tuple[FloatArray, FloatArray]
Expansion = tuple[float, FloatArray, FloatArray]
PlaceFunction = Callable[[Thresholds], FloatArray]


@dataclass(frozen=True, eq=False, repr=False)
class Atoms(Value):
    """Point masses: distinct ascending places, and positive masses."""

    places: FloatArray
    masses: FloatArray

    def masses_at(self, t: Thresholds) -> FloatArray:
        if self.places.size == 0:
            return np.zeros(t.shape)
        index = np.minimum(np.searchsorted(self.places, t.theta), self.places.size - 1)
        short_of_one = (t.theta == 1.0) & (t.logit < np.inf)
        above_zero = (t.theta == 0.0) & (t.logit > -np.inf)
        here = (self.places[index] == t.theta) & ~short_of_one & ~above_zero
        return np.where(here, self.masses[index], 0.0)


@dataclass(frozen=True)
class Tail:
    """How a distribution's mass vanishes towards one end of its support, at `place`.

        order 1: P ~ exp(log_coefficient) d^rate, d the distance to the end (on the real line
        exp(-|u|), and times |u|^power)
        order k, with a width: log P ~ -|(u - centre) / width|^k / 2, u the score or its logit, or
        the logarithm of the distance to a finite end
        order -1: the same with k = 2 and u the log of the score
        order -2: P ~ exp(log_coefficient) |u|^-rate, u the score or its logit
        order 0: nothing but the atom

    Of two tails that of the smaller order is the heavier. `mass` is the atom at the end itself,
    `share` the mass of the continuous part.
    """

    place: float
    order: float
    rate: float = math.nan
    centre: float = 0.0
    width: float = math.nan
    log_coefficient: float = math.nan
    mass: float = 0.0
    share: float = 1.0
    power: float = 0.0


class Parameter(NamedTuple):
    """A parameter; ``scale`` is "plain", "log" of a positive one, else the name of its whole."""

    name: str
    value: float
    scale: str


#: Step of a derivative in a parameter, as a share of how far it may move.
_STEP = 1e-3
#: Depths between which information is integrated, by Gauss-Legendre rules of 16 points.
_DEPTHS = np.concatenate([np.linspace(0.05, 4.0, 20), np.geomspace(5.0, 60.0, 12)])
_DEEP = np.geomspace(65.0, 790.0, 30)
#: Logits around which distributions of small shapes bend, within a step of their quantiles.
BENDS = np.linspace(-40.0, 40.0, 41)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)

#: Numbers that are drawn in one call at most: a terabyte of them.
_MOST_DRAWN = 2**37
_NO_ATOMS = Atoms(np.empty(0), np.empty(0))


def just_below(t: Thresholds, *, unit: bool) -> Thresholds:
    """The next thresholds below; on [0, 1] as near as logits reach."""
    below, one = Thresholds.from_theta(np.nextafter(t.theta, -np.inf)), (t.theta == 1.0) & unit
    return choose(one, Thresholds.from_logit(np.full(t.shape, BELOW_ONE)), below)


def _places(x: npt.ArrayLike) -> Thresholds:
    return Thresholds.from_theta(checks.real_array(x, "x"))


class Distribution(Exportable, ABC):
    """Abstract base of the distributions of one class's scores; frozen, without data.

    ``on_unit`` tells whether its native coordinate is the logit or the score. Functions of scores
    or probabilities give a float for a number, else an array of its shape; nan gives nan. They
    raise InputTypeError for what is not numeric.

    Examples
    --------
    >>> from betaroc import Beta, Distribution
    >>> isinstance(Beta(2, 1), Distribution)
    True
    """

    on_unit: ClassVar[bool] = False

    def to_frame(self) -> Table:
        """The parameters as a table with the columns parameter and value.

        Examples
        --------
        >>> from betaroc import Beta
        >>> Beta(2.0, 0.5).to_frame().values.tolist()
        [['a', 2.0], ['b', 0.5]]
        """
        return table_of(self._columns())

    def _columns(self) -> dict[str, list[Any]]:
        rows = [(k, v) for k, v in flat(self, ".") if v is not None and not isinstance(v, str)]
        return {"parameter": [k for k, _ in rows], "value": [v for _, v in rows]}

    #: What was to be said when it was made, such as of scores in float16.
    notices: ClassVar[tuple[Notice, ...]] = ()

    # ------------------------------------------------------------- the contract
    @abstractmethod
    def _side(self, t: Thresholds, *, lower: bool) -> TwoArrays:
        """P(S <= theta), or P(S > theta), and its log."""

    @abstractmethod
    def _log_density(self, t: Thresholds) -> FloatArray:
        """Log density of the continuous part in the native coordinate."""

    @abstractmethod
    def _tails(self) -> tuple[Tail, Tail]:
        """The tails at the lower and at the upper end."""

    @property
    @abstractmethod
    def support(self) -> tuple[float, float]:
        """Closed range outside which there is no mass."""

    @property
    def mean(self) -> float:
        """Expected score."""
        return self._moments[0]

    @property
    def var(self) -> float:
        """Variance of the score."""
        return self._sd * self._sd

    @property
    def _sd(self) -> float:
        return self._moments[1]

    @property
    def _moments(self) -> tuple[float, float]:
        return self.mean, math.sqrt(self.var)

    def _integrated_moments(self) -> tuple[float, float]:
        """Moments by quadrature; nan where doubles do not hold them."""
        mean = sd = math.nan
        with np.errstate(over="ignore", invalid="ignore"), suppress(FitError):
            unit = float(np.ptp(self._landmarks(np.log([4.0])).theta)) or 1.0
            mean = unit * self._expected(lambda t: t.theta / unit)
            sd = unit * math.sqrt(self._expected(lambda t: ((t.theta - mean) / unit) ** 2))
        return mean, sd

    def _tail_quantile(self, p: FloatArray, log_p: FloatArray, *, lower: bool) -> Thresholds:
        """Where a tail has a mass of at most 1/2."""
        raise NotImplementedError

    # ------------------------------------------------ what few distributions need to change
    def _sample(self, size: Any, rng: np.random.Generator) -> FloatArray:
        """Independent scores: quantiles of uniform numbers."""
        p = np.asarray(1.0 - rng.random(size))
        return self._inverse(p, np.log(p), lower=True).theta

    def _lower(self, t: Thresholds) -> TwoArrays:
        return self._side(t, lower=True)

    def _upper(self, t: Thresholds) -> TwoArrays:
        return self._side(t, lower=False)

    def _lower_quantile(self, p: FloatArray, log_p: FloatArray) -> Thresholds:
        return self._inverse(p, log_p, lower=True)

    def _upper_quantile(self, p: FloatArray, log_p: FloatArray) -> Thresholds:
        return self._inverse(p, log_p, lower=False)

    def _inverse(self, p: FloatArray, log_p: FloatArray, *, lower: bool) -> Thresholds:
        """Where a tail has a mass; 1 - p is exact beyond 1/2."""
        far = np.asarray(p > 0.5)
        if not far.any():
            return self._tail_quantile(p, log_p, lower=lower)
        rest, columns = 1.0 - p[far], np.empty((3, *far.shape))
        with np.errstate(divide="ignore"):
            other = self._tail_quantile(rest, np.log(rest), lower=not lower)
        near = self._tail_quantile(p[~far], log_p[~far], lower=lower)
        for mask, t in ((far, other), (~far, near)):
            columns[:, mask] = t.theta, t.complement, t.logit
        return Thresholds(*columns)

    @property
    def atoms(self) -> Atoms:
        """Point masses; none for a continuous distribution."""
        return _NO_ATOMS

    @property
    def continuous(self) -> tuple[float, Distribution] | None:
        """Mass and distribution of the continuous part; None where there is none."""
        return 1.0, self

    @property
    def _scored(self) -> Distribution:
        """That of the trials that have a score."""
        return self

    #: Names and scales of the parameters that are fields of their own.
    _scales: ClassVar[tuple[tuple[str, str], ...]] = ()

    def __post_init__(self) -> None:
        for name, scale in self._scales:
            check = checks.positive if scale == "log" else checks.finite
            object.__setattr__(self, name, check(getattr(self, name), name))

    def _parameters(self) -> tuple[Parameter, ...]:
        """What determines the distribution; nothing of a sample."""
        return tuple([Parameter(k, getattr(self, k), scale) for k, scale in self._scales])

    def _replaced(self, values: Mapping[str, float]) -> Distribution:
        return replace(self, **values)  # type: ignore[type-var]

    # ------------------------------------------------------ what depends on its parameters
    def _log_likelihood(self, t: Thresholds) -> FloatArray:
        masses = self.atoms.masses_at(t)
        with np.errstate(divide="ignore"):
            return np.where(masses > 0.0, np.log(masses), self._log_pdf(t))

    def _score(self, t: Thresholds) -> FloatArray:
        """Derivatives of `_log_likelihood`, one row per parameter."""
        return self._differences(lambda law: law._log_likelihood(t), t.shape)

    def _scores_of(self, places: Sequence[float]) -> list[list[float]]:
        with np.errstate(all="ignore"):
            rows: list[list[float]] = self._score(Thresholds.from_theta(places)).tolist()
        return rows

    def _differences(
        self, likelihood: Callable[[Distribution], FloatArray], shape: tuple[int, ...]
    ) -> FloatArray:
        """Derivatives by central differences, one row per parameter."""
        parameters = self._parameters()
        result = np.zeros((len(parameters), *shape))
        for k, p in enumerate(parameters):
            step = _STEP * self._room(p)
            if step > 0.0:
                above, below, far_above, far_below = (
                    likelihood(self._replaced({p.name: p.value + times * step}))
                    for times in (1, -1, 2, -2)
                )
                result[k] = (8.0 * (above - below) - (far_above - far_below)) / (12.0 * step)
        return result

    def _room(self, item: Parameter) -> float:
        """How far a parameter may move."""
        if item.scale == "log":
            return item.value
        if item.scale != "plain":
            whole = math.fsum(p.value for p in self._parameters() if p.scale == item.scale)
            return min(item.value, 1.0 - whole)
        spread = self._sd if item.name != "skewness" else math.inf  # it has no unit
        return spread if 0.0 < spread < math.inf else max(abs(item.value), 1.0)

    def _unit_covariance(self) -> FloatArray:
        """Inverse expected information of one score, by quadrature."""
        inside = self if self.continuous is None else self.continuous[1]
        ends = inside._landmarks(_DEPTHS)
        places = np.unique(self._native(ends))
        places = places[np.isfinite(places)]
        half = 0.5 * np.diff(places)[:, None]
        y = (places[:-1, None] + half * (1.0 + _NODES)).ravel()
        t = self._at_native(y)
        weights = (half * _WEIGHTS).ravel() * np.exp(self._log_density(t))
        atoms = Thresholds.from_theta(self.atoms.places)
        scores = np.concatenate([self._score(t), self._score(atoms)], axis=1)
        information = (scores * np.concatenate([weights, self.atoms.masses])) @ scores.T
        known = np.diag(information) > 0.0  # but a share that nobody had
        result = np.zeros(information.shape)
        result[np.ix_(known, known)] = np.linalg.inv(information[np.ix_(known, known)])
        return result

    def _tail_rows(self, values: Mapping[str, FloatArray], t: Thresholds) -> TwoArrays:
        """P(S <= theta) and P(S > theta) in rows, of columns of parameters; `t` of (k,) or rows."""
        rows = max((column.shape[0] for column in values.values()), default=1)
        lower, upper = (np.empty(np.broadcast_shapes((rows, 1), t.theta.shape)) for _ in range(2))
        for k in range(len(lower)):
            row = {n: float(v[min(k, v.shape[0] - 1), 0]) for n, v in values.items()}
            item = self._replaced(row)
            here = t if t.theta.ndim < 2 else t[min(k, len(t.theta) - 1)]
            lower[k], upper[k] = item._lower(here)[0], item._upper(here)[0]
        return lower, upper

    def _expected(self, function: PlaceFunction, breaks: Thresholds | None = None) -> float:
        """Mean of a function that is smooth between quantiles and `breaks`."""
        atoms, part = self.atoms, self.continuous
        total = math.fsum(atoms.masses * function(Thresholds.from_theta(atoms.places)))
        if part is None:
            return total
        share, law = part
        points = law._native(law._landmarks(np.append(_DEPTHS, _DEEP)))
        edge = law._native(Thresholds.from_theta(np.array(law.support)))
        points = np.concatenate([points, edge, BENDS if law.on_unit else []])
        if breaks is not None:
            points = np.append(points, law._native(breaks))
        points = points[(points >= edge[0]) & (points <= edge[1]) & np.isfinite(points)]

        def integrand(y: FloatArray) -> FloatArray:
            t = law._at_native(y)
            with np.errstate(under="ignore"):
                return np.asarray(np.exp(law._log_density(t)) * function(t))

        return total + share * integrate_panels(integrand, np.unique(points))

    def _landmarks(self, depths: FloatArray) -> Thresholds:
        """Where P(S <= theta) or P(S > theta) is exp(-depth)."""
        with np.errstate(under="ignore"):
            p = np.exp(-depths)
        return Thresholds.concatenate(
            [self._inverse(p, -depths, lower=lower) for lower in (True, False)]
        )

    def _log_density_slope(self, t: Thresholds) -> FloatArray:
        centre, make = self._native(t), self._at_native
        step = 1e-5 * np.maximum(1.0, np.abs(centre))
        rise = self._log_pdf(make(centre + step)) - self._log_pdf(make(centre - step))
        return np.asarray(rise / (2.0 * step))

    def _log_pdf(self, t: Thresholds) -> FloatArray:
        """Log density in the score itself."""
        native = self._log_density(t)
        if not self.on_unit:
            return native
        with np.errstate(invalid="ignore"):
            inside = native - t.log_jacobian
        return np.where(np.isfinite(t.logit) | np.isnan(t.logit), inside, -np.inf)

    # ------------------------------------------------------------ public functions
    @elementwise
    def cdf(self, x: npt.ArrayLike) -> ScalarOrArray:
        """P(S <= x), the false rejection rate of a client distribution.

        Parameters
        ----------
        x : array_like
            Thresholds on the score scale; the result has their shape, and nan where they are nan.

        Examples
        --------
        >>> from betaroc import Beta
        >>> Beta(2, 1).cdf([-1.0, 0.5, 2.0])  # x^2
        array([0.  , 0.25, 1.  ])
        """
        return as_output(self._lower(_places(x))[0])

    @elementwise
    def sf(self, x: npt.ArrayLike) -> ScalarOrArray:
        """P(S > x), the false acceptance rate of an impostor distribution.

        Parameters
        ----------
        x : array_like
            As of :meth:`cdf`.

        Examples
        --------
        >>> from betaroc import Beta
        >>> round(Beta(2, 1).sf(0.5), 12)
        0.75
        """
        return as_output(self._upper(_places(x))[0])

    @elementwise
    def logcdf(self, x: npt.ArrayLike) -> ScalarOrArray:
        """log P(S <= x), finite where the probability underflows; -inf where there is no mass.

        Parameters
        ----------
        x : array_like
            As of :meth:`cdf`.

        Examples
        --------
        >>> from betaroc import Beta
        >>> round(Beta(2, 1).logcdf(1e-200), 6)  # 2 log x
        -921.034037
        """
        return as_output(self._lower(_places(x))[1])

    @elementwise
    def logsf(self, x: npt.ArrayLike) -> ScalarOrArray:
        """log P(S > x), finite where the probability underflows; -inf where there is no mass.

        Parameters
        ----------
        x : array_like
            As of :meth:`cdf`.

        Examples
        --------
        >>> from betaroc import Normal
        >>> round(Normal(0, 1).logsf(40.0), 6)
        -804.608442
        """
        return as_output(self._upper(_places(x))[1])

    @elementwise
    def logpdf(self, x: npt.ArrayLike) -> ScalarOrArray:
        """Log density of the continuous part.

        It is -inf outside the support and without a continuous part, inf at a pole.

        Parameters
        ----------
        x : array_like
            As of :meth:`cdf`.

        Examples
        --------
        >>> from betaroc import Beta
        >>> round(Beta(3, 1).logpdf(1e-200), 6)  # log 3 + 2 log x
        -919.935425
        """
        return as_output(self._log_pdf(_places(x)))

    @elementwise
    def pdf(self, x: npt.ArrayLike) -> ScalarOrArray:
        """Density of the continuous part; point masses are in `atoms`.

        It is per unit of score, 0 outside the support and inf at a pole.

        Parameters
        ----------
        x : array_like
            As of :meth:`cdf`.

        Examples
        --------
        >>> from betaroc import Beta
        >>> Beta(0.5, 1).pdf([0.0, 0.25])  # 1 / (2 sqrt(x))
        array([inf,  1.])
        """
        with np.errstate(over="ignore", under="ignore"):
            return as_output(np.exp(self._log_pdf(_places(x))))

    @elementwise
    def ppf(self, p: npt.ArrayLike) -> ScalarOrArray:
        """Lowest x with P(S <= x) >= p; the ends of the support at 0 and 1.

        Scores within 1e-16 of 1 round to 1.

        Parameters
        ----------
        p : array_like
            Probabilities in [0, 1]; the result has their shape, and nan where they are nan.

        Raises
        ------
        InputError, InputTypeError
            If a probability lies outside [0, 1], or is no number.

        Examples
        --------
        >>> from betaroc import Beta
        >>> Beta(2, 1).ppf([0.0, 0.25, 1.0])  # sqrt(p)
        array([0. , 0.5, 1. ])
        """
        return as_output(self._quantile(p, lower=True).theta)

    @elementwise
    def isf(self, p: npt.ArrayLike) -> ScalarOrArray:
        """Lowest x with P(S > x) <= p, exact through p = 1e-300; at 1 the lower end of the support.

        Parameters
        ----------
        p : array_like
            As of :meth:`ppf`.

        Examples
        --------
        >>> from betaroc import Normal
        >>> round(Normal(0, 1).isf(1e-300), 6)
        37.0471
        """
        return as_output(self._quantile(p, lower=False).theta)

    def sample(self, size: Any, rng: Any = None) -> FloatArray:
        """Draw independent scores.

        Parameters
        ----------
        size : int or tuple of int
            Shape of the result.
        rng : None, int, SeedSequence or Generator
            As of ``numpy.random.default_rng``.

        Returns
        -------
        ndarray, shape `size`
            Shapes far below 1 yield exact 0s and 1s.

        Raises
        ------
        InputError, InputTypeError
            If a length is no int >= 0, or `size` or `rng` of another kind.

        Examples
        --------
        >>> from betaroc import Beta
        >>> Beta(2, 1).sample((2, 3), rng=1).shape
        (2, 3)
        """
        shape = size if isinstance(size, tuple) else (size,)
        shape = tuple(checks.count(length, "size", 0) for length in shape)
        checks.count(math.prod(shape), "size", 0, _MOST_DRAWN)
        return self._sample(shape, checks.generator(rng))

    # ----------------------------------------------------------- shared by the rooms above
    def _quantile(self, p: npt.ArrayLike, *, lower: bool) -> Thresholds:
        value = checks.probability_array(p, "p")
        with np.errstate(divide="ignore"):
            log_p = np.log(value)
        return self._inverse(value, log_p, lower=lower)

    def _native(self, t: Thresholds) -> FloatArray:
        return t.logit if self.on_unit else t.theta

    def _at_native(self, y: FloatArray) -> Thresholds:
        return Thresholds.from_logit(y) if self.on_unit else Thresholds.from_theta(y)

    def _log_density_in(self, t: Thresholds, *, unit: bool) -> FloatArray:
        native = self._log_density(t)
        if unit == self.on_unit:
            return native
        return native + t.log_jacobian if unit else native - t.log_jacobian


# ----------------------------------------------------------------------
# Free coordinates of a law: real numbers that move it within its family.
_NUMBERS = ("plain", "log")
#: Where shares and their odds are rounding.
_LEAST, _MOST = sys.float_info.min, 600.0


class Free(NamedTuple):
    """Parameters that vary, their coordinates, and a row of derivatives per coordinate."""

    names: tuple[str, ...]
    place: FloatArray
    rates: FloatArray


def free(law: Distribution, among: Sequence[str], fixed: Sequence[str] = ()) -> Free:
    """Coordinates of parameters that are not `fixed`, nor shares of 0."""
    parameters = {p.name: p for p in law._parameters()}
    keep, place, rates = [], [], []
    for k, name in enumerate(among):
        value, scale = parameters[name].value, parameters[name].scale
        share = scale not in _NUMBERS
        if name in fixed or (share and value == 0.0):
            continue
        rate = np.zeros(len(among))
        if share:
            rest = 1.0 - math.fsum(p.value for p in parameters.values() if p.scale == scale)
            rate[[parameters[other].scale == scale for other in among]] = 1.0 / rest
            rate[k] += 1.0 / value
            place.append(math.log(value) - math.log(rest))
        elif scale == "log":
            rate[k] = 1.0 / value
            place.append(math.log(value))
        else:
            rate[k] = 1.0
            place.append(value)
        keep.append(name)
        rates.append(rate)
    return Free(tuple(keep), np.array(place), np.array(rates).reshape(len(keep), len(among)))


def moved(law: Distribution, names: Sequence[str], place: Sequence[float]) -> Distribution:
    """The distribution whose parameters `names` have these coordinates."""
    columns = value_columns(law, names, np.array([place]))
    return law._replaced({name: float(column[0, 0]) for name, column in columns.items()})


def value_columns(
    law: Distribution, names: Sequence[str], place: FloatArray
) -> dict[str, FloatArray]:
    """Columns of parameter values at rows of coordinates."""
    scales = {p.name: p.scale for p in law._parameters()}
    values = {}
    for name, y in zip(names, place.T[:, :, None], strict=True):
        most = np.inf if scales[name] in _NUMBERS else _MOST
        values[name] = y if scales[name] == "plain" else np.exp(np.minimum(y, most))
    for whole in {scales[name] for name in names} - set(_NUMBERS):
        odds = [name for name in names if scales[name] == whole]
        total = 1.0 + sum(values[name] for name in odds)
        # A share is positive, however far a draw may be.
        values |= {name: np.maximum(values[name] / total, _LEAST) for name in odds}
    return values


# ----------------------------------------------------------------------
# Newton's method upwards, for likelihoods that may have several maxima.
#: Curvatures below the first are taken as this, on a hill below the second: where two components
#: are nearly one the likelihood knows little, but where it is highest.
_FLAT, _FLAT_HILL = 1e-6, 1e-11
#: The likelihood is a sum of rounded terms: a step may lose this much of it, relatively.
_LOSS = 1e-13
_LAST_STEP = 1e-12


class Summit(NamedTuple):
    """A place, what a function is there, and the steps to it."""

    place: FloatArray
    value: float
    gradient: FloatArray
    hessian: FloatArray
    iterations: int = 0

    @property
    def norm(self) -> float:
        """Largest slope."""
        return float(np.max(np.abs(self.gradient)))


def climb(
    height: Callable[[FloatArray], Expansion], place: FloatArray, *,
    tiny: float, steps: int, reach: float = 1.0, halvings: int = 30,
) -> Summit:  # fmt: skip
    """The maximum uphill from a place; after a gradient of `tiny` one more step is taken."""
    at = Summit(place, *height(place))
    for iterations in range(1, steps + 1):
        if not (np.all(np.isfinite(at.hessian)) and np.all(np.isfinite(at.gradient))):
            break
        # Where the surface is no hill, its curvatures still say how far to go uphill.
        curvature, directions = np.linalg.eigh(-at.hessian)
        least = _FLAT_HILL if curvature[0] > 0.0 else _FLAT
        step = directions @ ((directions.T @ at.gradient) / np.maximum(np.abs(curvature), least))
        size = float(np.max(np.abs(step)))
        step *= min(1.0, reach / max(size, reach))
        tries = (at.place + step / 2.0**k for k in range(halvings))
        tried = (Summit(y, *height(y), iterations) for y in tries)
        floor = at.value - _LOSS * max(1.0, abs(at.value))
        higher = next((item for item in tried if item.value >= floor), None)
        last = at.norm <= tiny or size <= _LAST_STEP
        at = at if higher is None else higher
        if higher is None or last:
            break
    return at
