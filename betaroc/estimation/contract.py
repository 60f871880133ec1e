"""What an estimator gets and gives: samples, their sums, maxima, a row of the table of families."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from betaroc.core.arrays import BoolArray, FloatArray, IntArray
from betaroc.core.errors import DegenerateDataError, InputError
from betaroc.core.polygamma import log1p_excess_array
from betaroc.core.text import format_list
from betaroc.core.vocabulary import worded
from betaroc.data.summary import ScoreSummary
from betaroc.data.sums import ClassSummary
from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import Centred
from betaroc.distributions.empirical import Empirical, mean_of, scaled_moments

if TYPE_CHECKING:
    from betaroc.estimation.boundary import BoundaryRule

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
    """Sums of log(x) and of log(1 - x) of every row, in one pass and in bounded memory.

    If the scores are not ``known`` to lie inside (0, 1), finite sums of a row say that its do.
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
    """log(1 - x), which is accurate where x is tiny."""
    np.negative(x, out)
    return np.log1p(out, out)


def _log_sums(x: FloatArray, room: FloatArray, *, complements: bool) -> FloatArray:
    """Row sums of log(x) or log(1 - x), of products of so many scores as do not underflow."""
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
    """``factors`` in ``count`` equal parts, multiplied; what is left over is multiplied in."""
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
    """Scores of exactly 0 and of exactly 1, their weight, and in words where the first stands."""

    n_zero: int
    n_one: int
    zero: float
    one: float
    where: str = ""


class Sample(NamedTuple):
    """Scores of positive weight; ``name`` is what messages call them."""

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
        """A sample with its extremes, if not known; scores of weight 0 are left out."""
        places = None
        if weights is None:
            total = float(values.size)
        else:
            positive = weights > 0.0
            if not positive.all():
                places = np.flatnonzero(positive)
                values, weights = values[places], weights[places]
            total = math.fsum(weights.tolist())
        if extremes is None or places is not None:
            extremes = float(values.min()), float(values.max())
        low, high = extremes
        return cls(name, values, weights, total, low, high, places)

    def place(self, index: int) -> int:
        """Where the score stood before those of weight 0 were left out."""
        return index if self.places is None else int(self.places[index])

    def keep(self, mask: BoolArray) -> Sample:
        """The scores where ``mask`` is true."""
        weights = None if self.weights is None else self.weights[mask]
        return Sample.of(self.name, self.values[mask], weights)

    def replace(self, values: FloatArray) -> Sample:
        """The same weights on other values."""
        return Sample.of(self.name, values, self.weights)

    def weight_of(self, mask: BoolArray) -> float:
        """Total weight where ``mask`` is true."""
        if self.weights is None:
            return float(np.count_nonzero(mask))
        return math.fsum(self.weights[mask].tolist())

    def mean(self, values: FloatArray) -> float:
        """Weighted mean of ``values``."""
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
        """Mean of log(s) and of log(1 - s), to about 1e-15 relative."""
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
        excess = share * log1p_excess_array(away / m, log_ratio)
        excess1m = share * log1p_excess_array(-away / u, log_ratio1m)
        variance = float(np.sum(share * away * away))
        sums = (shift, float(excess.sum()), float(excess1m.sum()), variance)
        return Centred(m, u, *(part / self.total for part in sums))

    def moments(self) -> tuple[float, float]:
        """Mean and standard deviation (divisor n)."""
        mean, square, power = scaled_moments(self.values, self.weights, self.total)
        return mean, math.ldexp(math.sqrt(square), power)

    def logit_moments(self) -> tuple[float, float, float]:
        """Mean and standard deviation of logits, and the mean of log(s (1 - s))."""
        log, log1m = np.log(self.values), np.log1p(-self.values)
        mu, sigma = self.replace(log - log1m).moments()
        return mu, sigma, self.mean(log + log1m)

    def law(self) -> Distribution:
        return Empirical._of_checked(self.values, self.weights)

    def outside(self) -> tuple[int, str]:
        """How many scores lie outside [0, 1], and in words which."""
        wrong = np.flatnonzero((self.values < 0.0) | (self.values > 1.0))
        if not wrong.size:
            return 0, ""
        places = format_list(map(self.place, wrong.tolist()))
        return wrong.size, f", first {float(self.values[wrong[0]])!r}; indices {places}"


class MleResult(NamedTuple):
    """What an estimator returns; ``covariance`` is that of one unit of weight.

    Under a rule for scores of 0 and 1 `weight` is that of the scores that the continuous part was
    fitted to, `total` and `n` are the weight and the number of those that its precision rests on.
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
        """The same with the scores that it was fitted to."""
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

    ``impostor`` is the estimator of that class where it has another distribution, ``join``
    makes one pair of two estimates. A ``sized`` estimator takes `count`, a number of
    components, one that starts ``near`` takes `near`, the distribution of nearly the same
    sample; of a ``summed`` one sums are enough. ``law`` is what it is first of all for,
    ``alone`` the family of one component; ``everywhere`` is compared with distributions on [0,
    1] too; ``counted`` is the sample itself; ``concave`` pairs have a proper ROC; ``contains``
    names special cases; ``decides`` the parameter that decides each end, and the sign with
    which the clients' lifts the curve there.
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
        """Whether one density of each class, of as many parameters whatever the scores, is all."""
        return self.law is not None and not (self.of_pairs or self.sized)

    @property
    def censored(self) -> bool:
        """Whether scores beyond an edge may count as that alone."""
        return self.on_unit and self.summed and self.of_density

    @property
    def of_pairs(self) -> bool:
        """Whether the family says something only of both classes together."""
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
    """Sums and counts of a class, and how many scores of it count, between which extremes."""

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
        """Centred at the mean; what the sums of logs do not hold any more is refused."""
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
