"""Input and output of estimators: samples, their sums, maxima, the rows of the table of families.

Scores of exactly 0 and 1, which have no density, and rounded ones need a rule; it stands, with its
counts, in the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import BoolArray, FloatArray, IntArray
from betaroc.core.checks import choice, finite, positive
from betaroc.core.errors import DegenerateDataError, FitError, InputError, refusal
from betaroc.core.polygamma import log1p_excess
from betaroc.core.text import format_list
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import Value
from betaroc.core.vocabulary import worded
from betaroc.data.summary import ScoreSummary
from betaroc.data.sums import ClassSummary
from betaroc.distributions.base import Distribution, Expansion, climb, free, moved
from betaroc.distributions.beta import Centred
from betaroc.distributions.empirical import Empirical, mean_of, scaled_moments
from betaroc.distributions.inflated import Inflated

#: Scores in memory at once, with their complements.
_BLOCK = 1 << 16
#: Up to here the calls cost more than the logarithms.
_SMALL = 1 << 14
#: Factors of a product at most, and products in a row at least.
_FACTORS, _COLUMNS = 64, 64
#: A product below this may have lost digits to underflow.
SAFE_PRODUCT = 1e-280
#: Above this mean logarithm, the 2**-52 a score that rounding of 1 - x and of products can cost
#: would show in the 15th digit.
_LOSSY = -0.3
_BITS_OF_ONE = np.float64(1.0).view(np.uint64)


def row_sums(x: FloatArray, known: bool = True) -> tuple[FloatArray, FloatArray]:
    """Sums of log(x) and of log(1 - x) of every row, in bounded memory.

    If scores are not ``known`` to lie inside (0, 1), finite sums say so.
    """
    rows, n = x.shape
    sums = np.empty((2, rows))
    step = max(1, _BLOCK // n)
    room = np.empty(min(step * n, _BLOCK))

    def of_block(block: FloatArray) -> list[FloatArray]:
        # Whether all are in [0, 1): the bits of nan and of what has a sign are larger than those.
        if not known and np.maximum.reduce(block.view(np.uint64), axis=None) >= _BITS_OF_ONE:
            return [np.full(block.shape[0], np.nan)] * 2
        buffer = room[: block.size].reshape(block.shape)
        return [_log_sums(block, buffer, complements=kind) for kind in (False, True)]

    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        for first in range(0, rows, step):
            some = x[first : first + step]
            if n <= _BLOCK:
                sums[:, first : first + step] = of_block(some)
            else:
                parts = [of_block(some[:, i : i + _BLOCK]) for i in range(0, n, _BLOCK)]
                columns = np.array(parts)[:, :, 0].T.tolist()
                sums[:, first] = [math.fsum(column) for column in columns]
    return sums[0], sums[1]


def log1m(x: FloatArray, out: FloatArray) -> FloatArray:
    """log(1 - x), also of tiny x."""
    np.negative(x, out)
    return np.log1p(out, out)


def _log_sums(x: FloatArray, room: FloatArray, *, complements: bool) -> FloatArray:
    """Row sums of logs, by products."""
    n = x.shape[1]
    count = min(_FACTORS, n // _COLUMNS)
    factors = np.subtract(1.0, x, out=room) if complements and count > 1 else x
    while count > 1:
        product = product_of(factors, count)
        if np.minimum.reduce(product, axis=None) >= SAFE_PRODUCT:
            total = np.add.reduce(np.log(product, out=product), axis=1)
            if np.maximum.reduce(total) <= _LOSSY * n:
                return np.asarray(total)
            break
        count //= 2
    logs = log1m(x, room) if complements else np.log(x, out=room)
    return np.asarray(np.add.reduce(logs, axis=1))


def product_of(factors: FloatArray, count: int) -> FloatArray:
    """``factors`` in ``count`` equal parts, multiplied, and the rest."""
    rows, n = factors.shape
    columns = n // count
    size = count * columns
    product = np.multiply.reduce(factors[:, :size].reshape(rows, count, columns), axis=1)
    if size < n:
        product[:, : n - size] *= factors[:, size:]
    return np.asarray(product)


# ----------------------------------------------------------------------
# What an estimator gets and gives, and what the table of families says about it.
#: A column vector of each parameter of many fits.
Parameters = tuple[FloatArray, ...]
Matrix = tuple[tuple[float, ...], ...]


def as_rows(matrix: FloatArray) -> Matrix:
    """The rows of a matrix as tuples."""
    return tuple(tuple(row) for row in matrix.tolist())


class AtEnds(NamedTuple):
    """Scores of exactly 0 and 1, their weight, and where the first stands."""

    n_zero: int
    n_one: int
    zero: float
    one: float
    where: str = ""


class Sample(NamedTuple):
    """Scores of positive weight, and what messages call them."""

    name: str
    values: FloatArray
    weights: FloatArray | None
    total: float
    low: float
    high: float
    places: IntArray | None = None

    @classmethod
    def of(
        cls, name: str, values: FloatArray, weights: FloatArray | None,
        extremes: tuple[float, float] | None = None,
    ) -> Sample:  # fmt: skip
        """A sample without its scores of weight 0."""
        places = None
        if weights is not None and not np.all(weights > 0.0):
            places = np.flatnonzero(weights > 0.0)
            values, weights = values[places], weights[places]
        total = float(values.size) if weights is None else math.fsum(weights.tolist())
        if extremes is None or places is not None:
            extremes = float(values.min()), float(values.max())
        return cls(name, values, weights, total, *extremes, places)

    def place(self, index: int) -> int:
        return index if self.places is None else int(self.places[index])

    def keep(self, mask: BoolArray) -> Sample:
        weights = None if self.weights is None else self.weights[mask]
        return Sample.of(self.name, self.values[mask], weights)

    def replace(self, values: FloatArray) -> Sample:
        """The same weights on other values."""
        return Sample.of(self.name, values, self.weights)

    def weight_of(self, mask: BoolArray) -> float:
        weights = None if self.weights is None else self.weights[mask].tolist()
        return float(np.count_nonzero(mask)) if weights is None else math.fsum(weights)

    def mean(self, values: FloatArray) -> float:
        return mean_of(values, self.weights, self.total)

    @property
    def n(self) -> int:
        return self.values.size

    def rows(self) -> Sample:
        return self

    def ends(self) -> AtEnds:
        zero, item = self.values == 0.0, self.values == 1.0
        counts = int(np.count_nonzero(zero)), int(np.count_nonzero(item))
        where = f"first at index {self.place(int(np.argmax(zero | item)))}"
        return AtEnds(*counts, self.weight_of(zero), self.weight_of(item), where)

    def inside(self) -> Sample:
        mask = (self.values != 0.0) & (self.values != 1.0)
        if not mask.any():
            return self._replace(values=self.values[mask], weights=None, total=0.0)
        return self.keep(mask)

    def mean_logs(self) -> tuple[float, float]:
        """Mean of log(s) and of log(1 - s)."""
        if self.weights is None and self.n > _SMALL:
            sums = [float(part[0]) for part in row_sums(self.values[np.newaxis])]
        else:
            logs = np.empty((2, self.n))
            np.log(self.values, logs[0])
            log1m(self.values, logs[1])
            if self.weights is not None:
                logs *= self.weights
            sums = np.add.reduce(logs, 1).tolist()
        return sums[0] / self.total, sums[1] / self.total

    def centred(self) -> Centred:
        """What a concentrated beta distribution is fitted by."""
        x, m = self.values, float(np.average(self.values, weights=self.weights))
        u, away = 1.0 - m, x - m
        share = 1.0 if self.weights is None else self.weights
        first = share * away
        shift = mean_of(first, None, 1.0)
        log_ratio, log_ratio1m = np.log(x) - math.log(m), np.log1p(-x) - math.log(u)
        excess = share * log1p_excess(away / m, log_ratio)
        excess1m = share * log1p_excess(-away / u, log_ratio1m)
        variance = float(np.sum(share * away * away))
        sums = (shift, float(excess.sum()), float(excess1m.sum()), variance)
        return Centred(m, u, *(part / self.total for part in sums))

    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation (divisor n)."""
        mean, square, power = scaled_moments(self.values, self.weights, self.total)
        return mean, math.ldexp(math.sqrt(square), power)

    def logit_moments(self) -> tuple[float, float, float]:
        """Moments of logits, and the mean of log(s (1 - s))."""
        log, log1m = np.log(self.values), np.log1p(-self.values)
        mu, sigma = self.replace(log - log1m).moments()
        return mu, sigma, self.mean(log + log1m)

    def law(self) -> Distribution:
        return Empirical._of_checked(self.values, self.weights)

    def outside(self) -> tuple[int, str]:
        """How many scores lie outside [0, 1], and which."""
        wrong = np.flatnonzero((self.values < 0.0) | (self.values > 1.0))
        if not wrong.size:
            return 0, ""
        places = format_list(map(self.place, wrong.tolist()))
        return wrong.size, f", first {float(self.values[wrong[0]])!r}; indices {places}"


class MleResult(NamedTuple):
    """What an estimator returns; ``covariance`` is that of one unit of weight.

    `weight` is that of the scores of the continuous part, its precision rests on `total` and `n`.
    """

    distribution: Distribution
    covariance: FloatArray
    log_likelihood: float
    converged: bool = True
    iterations: int = 0
    gradient_norm: float = 0.0
    #: Parameters that the family holds fixed.
    fixed: tuple[str, ...] = ()
    weight: float = math.nan
    total: float = math.nan
    n: int = 0
    rule: BoundaryRule | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple([p.name for p in self.distribution._parameters()])

    @property
    def values(self) -> tuple[float, ...]:
        return tuple([p.value for p in self.distribution._parameters()])

    def resting_on(self, sample: Data, rule: BoundaryRule | None = None) -> MleResult:
        return self._replace(weight=sample.total, total=sample.total, n=sample.n, rule=rule)


class JointMle(NamedTuple):
    """Two estimates that share parameters."""

    client: MleResult
    impostor: MleResult
    #: Covariance of the clients' parameters (rows) with the impostors'.
    shared_cov: Matrix
    #: Parameters of one value in both.
    tied: tuple[str, ...]


@dataclass(frozen=True)
class Family:
    """A row of the table of families.

    ``impostor`` is the estimator of that class where it has another, ``join`` makes a pair of two
    estimates. A ``sized`` estimator takes `count`, a ``near`` one starts at a distribution; a
    ``summed`` one takes sums. ``law`` is its distribution, ``alone`` the family of one component;
    ``everywhere`` is compared on [0, 1] too; ``counted`` is the sample itself, of a ``ranked`` one
    only ranks are fitted; ``concave`` pairs have a proper ROC; ``contains`` names special cases;
    ``decides`` the parameter of each end, and the sign with which the clients' lifts the curve
    there.
    """

    estimate: Callable[..., MleResult]
    on_unit: bool = False
    positive: bool = False
    impostor: Callable[[Data], MleResult] | None = None
    join: Callable[[MleResult, MleResult], JointMle | None] | None = None
    sized: bool = False
    near: bool = False
    summed: bool = False
    law: type[Distribution] | None = None
    alone: str = ""
    everywhere: bool = False
    counted: bool = False
    concave: bool = False
    ranked: bool = False
    contains: tuple[str, ...] = ()
    decides: Mapping[str, tuple[str, float]] | None = None
    #: Of a distribution near by and samples, the rows of a matrix or the scores of one with how
    #: often each row drew them: columns in the order of `Distribution._parameters`, nan where there
    #: is no fit. Else one sample after another.
    fit_rows: Callable[..., Parameters] | None = None
    #: Of such rows products of the likelihood's gradient less what they should be, a column each;
    #: the last argument is the share of each score of a row. Else by differences.
    moments: Callable[[Parameters, FloatArray, FloatArray], FloatArray] | None = None
    #: From one class of the sums of many systems (`ClassColumns`), its name, and the rule for
    #: scores of 0 and 1 to `ClassEstimates`.
    systems: Any = None

    @property
    def of_density(self) -> bool:
        """Whether one density of each class is all."""
        return self.law is not None and not (self.of_pairs or self.sized)

    @property
    def censored(self) -> bool:
        return self.on_unit and self.summed and self.of_density

    @property
    def of_pairs(self) -> bool:
        return self.impostor is not None or self.join is not None


def too_few_distinct(sample: Data, family: str) -> DegenerateDataError:
    """The error for a sample of equal scores."""
    return DegenerateDataError(
        f"{sample.name}: a {family} distribution needs at least 2 distinct scores; got"
        f" {sample.n}, all equal to {sample.low!r}. The likelihood is unbounded."
        + worded(' Give more scores, or use `family="empirical"`.')
    )


# ----------------------------------------------------------------------
# A class known by its summary, as estimators see it.
#: Rules that counts and sums of the scores inside (0, 1) are enough for.
SUMMED_POLICIES = ("inflate", "error", "drop")
#: Sums of squares of which less than this share is left about the mean have lost their digits.
CANCELLED = 1e-8
#: Mean squares below this have lost their digits to underflow.
LEAST_SQUARE = 1e-290
#: Two sums of doubles tell beta distributions apart to about 1e-14 (a + b): up to this a + b.
LARGEST_SUMMED = 1e6


class Sums(NamedTuple):
    """Sums and counts of a class, and its extremes."""

    name: str
    of: ClassSummary
    empirical: Distribution
    n: int
    low: float
    high: float

    @property
    def total(self) -> float:
        return float(self.n)

    def rows(self) -> Sample:
        raise InputError(
            f"{self.name}: this rule for rounded or extreme scores needs every score, and a summary"
            " keeps sums and counts in bins only. "
            + worded("`Fit Scores (all rows, or a random part of them)`, or leave `resolution=`")
            + f" out and take boundary None or {format_list(SUMMED_POLICIES)}."
        )

    def ends(self) -> AtEnds:
        zero, item = self.of.n_zero, self.of.n_one
        return AtEnds(zero, item, float(zero), float(item))

    def inside(self) -> Sums:
        of = self.of
        return self._replace(n=of.n_inside, low=of.inner_minimum, high=of.inner_maximum)

    def mean_logs(self) -> tuple[float, float]:
        return self.of.log / self.n, self.of.log1m / self.n

    def centred(self) -> Centred:
        """Centred at the mean, if the sums hold that."""
        mean, variance = self.moments()
        if self.of.n != self.n:
            # Without the scores of exactly 0 and 1.
            inner = (self.of.n * self.of.mean - self.of.n_one) / self.n
            left = self.of.square + self.of.n * self.of.mean**2 - self.of.n_one
            mean, variance = inner, left / self.n - inner * inner
        else:
            variance *= variance
        if not variance > mean * (1.0 - mean) / LARGEST_SUMMED:
            raise self._too_concentrated(f" (a + b > {LARGEST_SUMMED:g})")
        g1, g2 = self.mean_logs()
        u = 1.0 - mean  # exact from 1/2 on
        return Centred(mean, u, 0.0, g1 - math.log(mean), g2 - math.log(u), variance)

    def moments(self) -> tuple[float, float]:
        mean_square = self.of.square / self.n
        tiny = self.low < self.high and mean_square < LEAST_SQUARE
        if tiny or not math.isfinite(mean_square):
            raise InputError(
                f"{self.name}: squares of the scores, from {self.low!r} to {self.high!r}, are"
                " beyond what doubles hold. Multiply the scores by a constant, or fit Scores."
            )
        return self.of.mean, math.sqrt(mean_square)

    def logit_moments(self) -> tuple[float, float, float]:
        g1, g2 = self.mean_logs()
        square = self.of.logit_square / self.n
        variance = square - (g1 - g2) ** 2
        if not variance > CANCELLED * square:
            raise self._too_concentrated()
        return g1 - g2, math.sqrt(variance), g1 + g2

    def _too_concentrated(self, limit: str = "") -> InputError:
        return InputError(
            f"{self.name}: the {self.n} scores, between {self.low!r} and {self.high!r}, are too"
            f" concentrated for the sums of a summary{limit}. Fit Scores."
        )

    def law(self) -> Distribution:
        return self.empirical

    def outside(self) -> tuple[int, str]:
        return self.of.n_outside, ""


def summed_class(scores: ScoreSummary, who: str) -> Sums:
    """One class of a summary."""
    of: ClassSummary = getattr(scores, who)
    empirical = scores._distributions[who == "impostor"]
    return Sums(who, of, empirical, of.n, of.minimum, of.maximum)


#: One class as an estimator sees it: its scores, or the sums of a summary.
Data = Sample | Sums


# ----------------------------------------------------------------------
# Maxima without a closed form, and cells of rounded scores.
_FIRST, _SECOND = 2e-3, 1e-2
_NEWTON_STEPS = 200
_TINY_GRADIENT = 1e-9
#: Whitened coordinates beyond this mean a likelihood without maximum.
_FAR = 100.0
#: Curvature below this is rounding: the likelihood is flat, its maximum at infinity.
_FLAT = 1e-6
#: Gauss's rule is used at this many half-widths from the ends of the support, ...
_REMOTE = 10.0
#: ... where the log density changes by no more than this within the cell.
_FLAT_CELL = 0.5


def score_cells(
    values: FloatArray, step: float, support: tuple[float, float]
) -> tuple[FloatArray, FloatArray, FloatArray, IntArray]:
    """Distinct cells k step -+ step/2: k, both ends, and that of each score."""
    last = np.ceil(support[1] / step + 0.5) - 1
    index, place = np.unique(np.minimum(np.rint(values / step), last), return_inverse=True)
    low, high = (np.clip((index + side) * step, *support) for side in (-0.5, 0.5))
    return index, low, high, np.ravel(place)


def log_masses(
    low: FloatArray, high: FloatArray, support: tuple[float, float]
) -> Callable[[Any], FloatArray]:
    """log P(low < S <= high) of each cell."""
    nodes, node_weights = np.polynomial.legendre.leggauss(5)
    half, middle = 0.5 * (high - low), 0.5 * (high + low)
    points = middle + np.outer(nodes, half)
    remote = np.minimum(middle - support[0], support[1] - middle) >= _REMOTE * half
    inside, ends = Thresholds.from_theta(points[:, remote]), Thresholds.from_theta([low, high])

    def at(law: Any) -> FloatArray:
        logs = np.empty_like(half)
        narrow = remote.copy()
        densities = law._log_pdf(inside)
        top = densities.max(axis=0)
        with np.errstate(under="ignore", invalid="ignore"):
            mean = 0.5 * node_weights @ np.exp(densities - top)
            logs[remote] = top + np.log(mean) + np.log(2.0 * half[remote])
            narrow[remote] = top - densities.min(axis=0) <= _FLAT_CELL
        wide = ~narrow
        if np.any(wide):
            below, above = law._lower(ends[:, wide])[0], law._upper(ends[:, wide])[0]
            smaller = np.where(below[1] < above[0], below[1] - below[0], above[0] - above[1])
            with np.errstate(divide="ignore"):
                logs[wide] = np.log(np.maximum(smaller, 0.0))
        return logs

    return at


def maximise(
    likelihood: Callable[[Any], float], start: Distribution, total: float, name: str
) -> MleResult:
    """The likeliest distribution, with the observed information."""
    names = [p.name for p in start._parameters()]
    point = free(start, names)
    scale = np.linalg.cholesky(point.rates @ start._unit_covariance() @ point.rates.T)

    def law(y: FloatArray) -> Distribution:
        return moved(start, names, (point.place + scale @ y).tolist())

    def mean(y: FloatArray) -> float:
        if not np.all(np.abs(y) < _FAR):
            return -math.inf
        value = likelihood(law(y)) / total
        return value if math.isfinite(value) else -math.inf

    top = climb(
        lambda y: _derivatives(mean, y), np.zeros(len(names)),
        tiny=_TINY_GRADIENT / 100, steps=_NEWTON_STEPS, reach=0.5,
    )  # fmt: skip
    best, information = law(top.place), -top.hessian
    known = np.all(np.isfinite(top.gradient)) and np.all(np.isfinite(information))
    if not (known and np.all(np.linalg.eigvalsh(information) > _FLAT)):
        raise DegenerateDataError(
            f"{name}: this likelihood has no maximum: it still grows at {best!r}. Use a finer"
            " resolution, more scores, or" + worded(' `family="empirical"`.')
        )
    root = np.linalg.solve(free(best, names).rates, scale)
    covariance = root @ np.linalg.inv(information) @ root.T
    norm = float(np.abs(np.linalg.solve(scale.T, top.gradient)).max())
    reached = top.norm <= _TINY_GRADIENT
    estimate = MleResult(best, covariance, total * top.value, reached, top.iterations, norm)
    if not estimate.converged:
        raise FitError(
            f"{name}: the likelihood's maximum was not reached to the last digits; gradient"
            f" {norm:.3g} at {best!r}. The partial result is the error's .result."
            + worded(' Try `boundary="inflate"`.'),
            estimate,
        )
    return estimate


def _derivatives(mean: Callable[[FloatArray], float], y: FloatArray) -> Expansion:
    """Value, gradient and Hessian by central differences."""
    centre, along = mean(y), np.eye(y.size)

    def change(h: FloatArray, near: float, sign: float) -> float:
        first, second = (mean(y + k * h) + sign * mean(y - k * h) for k in (1, 2))
        return near * first - second

    def second(d: FloatArray) -> float:
        return (change(_SECOND * d, 16.0, 1.0) - 30.0 * centre) / (12.0 * _SECOND**2)

    gradient = np.array([change(_FIRST * d, 8.0, -1.0) for d in along]) / (12.0 * _FIRST)
    hessian = np.diag([second(d) for d in along])
    for i, j in zip(*np.triu_indices(y.size, 1), strict=True):
        mixed = second(along[i] + along[j]) - second(along[i] - along[j])
        hessian[i, j] = hessian[j, i] = 0.25 * mixed
    return centre, gradient, hessian


# ----------------------------------------------------------------------
# What is done with scores of exactly 0 and 1, and with rounded scores.
POLICIES = ("inflate", "error", "drop", "squeeze", "censor", "matlab")
#: Where Matlab's betafit censors: sqrt(realmin) and 1 - eps/2.
MATLAB_EDGES = (2.0**-511, 1.0 - 2.0**-53)


@dataclass(frozen=True, eq=False, repr=False)
class BoundaryRule(Value):
    """The rule for scores of exactly 0 and 1 that a fit obeyed, and its counts.

    Parameters
    ----------
    policy : str
        That of `fit`, or ``"interval"`` (rounded scores).
    n_zero, n_one, n_dropped : int
        Scores of exactly 0, of exactly 1, and left out.
    n_moved : int
        Scores squeezed, or off the grid of the resolution.
    n_censored_low, n_censored_high : int
        Scores that count as "not above" and "above" an edge.
    resolution : float or None
        The resolution given.
    """

    policy: str
    n_zero: int = 0
    n_one: int = 0
    n_dropped: int = 0
    n_moved: int = 0
    n_censored_low: int = 0
    n_censored_high: int = 0
    resolution: float | None = None


#: The finest resolution whose cells have ends of their own up to 1.
_FINEST = 2.0**-51
#: Rules that met no score: values are not changed, so one of each is enough.
_UNMET = {policy: BoundaryRule(policy) for policy in POLICIES}


def check_request(
    boundary: str | None, resolution: float | None, family: str, row: Family
) -> float | None:
    """The resolution, if both options suit the family."""
    if boundary is not None:
        boundary = choice(boundary, POLICIES, "boundary")
    if not row.on_unit and (boundary is not None or not (resolution is None or row.of_density)):
        value = "boundary" if boundary is not None else "resolution"
        raise InputError.about(value)(
            worded(f'{value} must be left out for `family="{family}"`: rules for scores of 0 and 1')
            + " belong to distributions on [0, 1] (beta, logit-normal), cells to families of one"
            " density. Leave it out, or change family."
        )
    if resolution is not None:
        if boundary not in (None, "censor"):
            rule, actual = 'be given alone or with `boundary="censor"`', f'`boundary="{boundary}"`'
            raise refusal("resolution", worded(rule), worded(actual), "Leave one of the two out.")
        check = finite if row.on_unit else positive
        resolution = check(resolution, "resolution")
        if row.on_unit and not 0.0 < resolution < 0.5:
            remedy = "Scores of two decimals have" + worded(" `resolution=0.01`.")
            rule = "lie strictly between 0 and 0.5"
            raise refusal("resolution", rule, repr(resolution), remedy)
    elif boundary == "censor":
        raise InputError.about("boundary")(
            worded('`boundary="censor"` must come with `resolution=eps`')
            + ", the precision of the scores; got none."
        )
    edges = boundary in ("censor", "matlab")
    if (edges and not row.censored) or (resolution is not None and not row.of_density):
        raise InputError.about("family")(
            worded(f'`family="{family}"` has no likelihood of rounded or censored scores; got')
            + worded(f" `boundary={boundary!r}`, `resolution={resolution!r}`. Leave them out,")
            + worded(f' or use `family="{"beta" if row.on_unit else "normal"}"`.')
        )
    return resolution


def estimate_on_unit(sample: Data, family: Family, policy: str, step: float | None) -> MleResult:
    """An estimate that obeys the rule."""
    if policy in ("censor", "matlab"):
        return _censor(sample.rows(), family, policy, step or 0.0)
    if policy == "squeeze":
        return _squeeze(sample.rows(), family)
    if sample.low > 0.0 and sample.high < 1.0:
        return family.estimate(sample).resting_on(sample, _UNMET[policy])
    ends, inside, n = sample.ends(), sample.inside(), sample.n
    if policy == "error":
        raise InputError(
            worded(f'{sample.name} must lie strictly between 0 and 1 with `boundary="error"`; got')
            + f" {ends.n_zero} scores of exactly 0 and {ends.n_one} of exactly 1 among {n}"
            f"{f', {ends.where}' if ends.where else ''}. Leave boundary out to fit point masses."
        )
    if inside.n == 0 or inside.low == inside.high:
        left = "none is" if inside.n == 0 else f"{inside.n} of one value are"
        raise DegenerateDataError(
            f"{sample.name}: at least 2 distinct scores must lie strictly between 0 and 1;"
            f" {ends.n_zero} of {n} are exactly 0, {ends.n_one} of {n} exactly 1,"
            f" {left} inside." + worded(' Fit 1 - score or logits, or use `family="empirical"`.')
        )
    rule = BoundaryRule(policy, ends.n_zero, ends.n_one)
    base = family.estimate(inside).resting_on(inside, rule)
    if policy == "drop":
        return base._replace(rule=replace(rule, n_dropped=ends.n_zero + ends.n_one))
    # Point masses with their observed shares beside the distribution of the rest.
    total, weights = sample.total, (ends.zero, ends.one, inside.total)
    shares, covariance = np.array(weights[:2]) / total, np.pad(base.covariance, (0, 2))
    covariance /= inside.total / total
    covariance[-2:, -2:] = np.diag(shares) - np.outer(shares, shares)
    masses = math.fsum(w * math.log(w / total) for w in weights if w > 0.0)
    return base._replace(
        distribution=Inflated(base.distribution, *shares.tolist()), covariance=covariance,
        total=total, n=n, log_likelihood=base.log_likelihood + masses,
    )  # fmt: skip


def _squeeze(sample: Sample, family: Family) -> MleResult:
    """(s (n - 1) + 1/2) / n, for compatibility only."""
    ends, n = sample.ends(), sample.total
    if not n > 1.0:
        raise InputError(
            worded(f'{sample.name}: `boundary="squeeze"` needs a total weight above 1; got {n!r}.')
            + " Weights are frequencies: a weight k stands for k equal trials."
        )
    moved = sample.replace((sample.values * (n - 1.0) + 0.5) / n)
    count = int(np.count_nonzero(moved.values != sample.values))
    rule = BoundaryRule("squeeze", ends.n_zero, ends.n_one, n_moved=count)
    return family.estimate(moved).resting_on(sample, rule)


def _censor(sample: Sample, family: Family, policy: str, step: float) -> MleResult:
    """Scores at or beyond an edge say only that."""
    ends, values, n = sample.ends(), sample.values, sample.n
    if policy == "matlab":
        edges = MATLAB_EDGES
        low, high = values < edges[0], values > edges[1]
    else:
        edges = step, 1.0 - step
        low, high = values <= edges[0], values >= edges[1]
    n_low, n_high = int(np.count_nonzero(low)), int(np.count_nonzero(high))
    rule = BoundaryRule(
        policy, ends.n_zero, ends.n_one, n_censored_low=n_low, n_censored_high=n_high,
        resolution=None if policy == "matlab" else step,
    )  # fmt: skip
    if n_low == n_high == 0:
        return family.estimate(sample).resting_on(sample, rule)
    rest = ~(low | high)
    if len(np.unique(values[rest])) + (n_low > 0) + (n_high > 0) < 3:
        raise DegenerateDataError(
            f"{sample.name}: too little is left to fit: {n_low} of {n} scores are censored at"
            f" {edges[0]!r} and {n_high} at {edges[1]!r}. Give a smaller resolution."
        )
    inside = sample.keep(rest) if rest.any() else None
    at = Thresholds.from_theta(values[rest])
    below, above = sample.weight_of(low), sample.weight_of(high)

    def likelihood(law: Any) -> float:
        parts = [inside.total * inside.mean(law._log_pdf(at))] if inside is not None else []
        parts += [below * law.logcdf(edges[0])] if below else []
        parts += [above * law.logsf(edges[1])] if above else []
        return math.fsum(parts)

    start = family.estimate(sample.replace(np.clip(values, *edges))).distribution
    return maximise(likelihood, start, sample.total, sample.name).resting_on(sample, rule)


def estimate_in_cells(sample: Sample, family: Family, step: float) -> MleResult:
    """Of rounded scores, by the probabilities of cells."""
    support = (0.0 if family.on_unit or family.positive else -math.inf,
               1.0 if family.on_unit else math.inf)  # fmt: skip
    finest = _FINEST * max(1.0, abs(sample.low), abs(sample.high))
    if step < finest:
        least = f"be at least {finest:.2g}, twice the distance of doubles"
        raise refusal("resolution", least, repr(step), "Leave it out.")
    ends = sample.ends() if family.on_unit else AtEnds(0, 0, 0.0, 0.0)
    values, n = sample.values, sample.n
    result, low, high, place = score_cells(values, step, support)
    middle = np.clip(result * step, *support)[place]
    rule = BoundaryRule(
        "interval", ends.n_zero, ends.n_one, resolution=step,
        n_moved=int(np.count_nonzero(np.abs(values - middle) > 1e-6 * step)),
    )  # fmt: skip
    counts = np.bincount(place, weights=sample.weights, minlength=result.size).astype(np.float64)
    inner = (low > support[0]) & (high < support[1])
    if result[-1] - result[0] < 2 or not np.any(inner):
        at_ends = f" ({ends.n_zero} exactly 0, {ends.n_one} exactly 1)" * family.on_unit
        raise DegenerateDataError(
            f"{sample.name}: the resolution must be finer than the spread of the scores; with"
            + worded(f" `resolution={step!r}` the {n} scores{at_ends}")
            + f" fill {result.size} cell(s). Pass a finer resolution."
        )
    logs = log_masses(low, high, support)
    away = 0.25 * step
    start = family.estimate(sample.replace(np.clip(middle, support[0] + away, support[1] - away)))
    return maximise(
        lambda law: float(counts @ logs(law)), start.distribution, sample.total, sample.name
    ).resting_on(sample, rule)
