"""The binormal ROC of ratings or ranks: its distributions, their pair and their maximum."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.checks import check_ascending, score_array
from betaroc.core.errors import DegenerateDataError, refusal
from betaroc.core.special import HALF_LOG_TWO_PI
from betaroc.core.thresholds import Thresholds
from betaroc.core.vocabulary import worded
from betaroc.distributions.base import Distribution, Tail, TwoArrays
from betaroc.distributions.inflated import base_of
from betaroc.distributions.normal import NormalCoordinate, NormalPair
from betaroc.distributions.pairs import Pair, closed_forms


class Knots:
    """The `Coordinate` that is linear between (score, latent) and, as steep as all, beyond."""

    bounds = None

    def __init__(self, scores: FloatArray, latent: FloatArray) -> None:
        self.scores, self.latent = scores, latent
        (low, *_, high), (first, *_, last) = 0.5 * scores, 0.5 * latent
        self.steep = float((last - first) / max(high - low, _LEAST))

    def of(self, t: Thresholds) -> FloatArray:
        return _along(t.theta, self.scores, self.latent, self.steep)

    def place(self, y: Any) -> Thresholds:
        return Thresholds.from_theta(_along(y, self.latent, self.scores, 1.0 / self.steep))

    def log_rise(self, t: Thresholds) -> FloatArray:
        between = np.diff(self.latent) / np.diff(self.scores)
        steep = np.concatenate([[self.steep], between, [self.steep]])
        return np.asarray(np.log(steep[np.searchsorted(self.scores, t.theta)]))

    def native_slope(self, t: Thresholds, slope: FloatArray) -> FloatArray:
        return np.asarray(slope * np.exp(self.log_rise(t)))


def _along(x: Any, places: FloatArray, values: FloatArray, steep: float) -> FloatArray:
    with np.errstate(over="ignore"):
        beyond = np.minimum(x - places[0], 0.0) + np.maximum(x - places[-1], 0.0)
        return np.asarray(np.interp(x, places, values) + steep * beyond)


@dataclass(frozen=True, eq=False, repr=False)
class RankNormal(NormalCoordinate):
    """Distribution of scores that an increasing map of ranks or ratings makes normal.

        F(s) = Phi((t(s) - mu) / sigma),   t(scores[k]) = latent[k], linear between

    Parameters
    ----------
    mu, sigma : float
        Mean and standard deviation on the latent scale.
    scores : array_like, shape (k,)
        Two or more finite, ascending.
    latent : array_like, shape (k,)
        Their places on the latent scale, ascending.

    Raises
    ------
    InputError, InputTypeError
        If scores or places do not ascend, differ in number or are no numbers; else as `Normal`.

    Notes
    -----
    Of family "rank-binormal" impostors have mu 0 and sigma 1, clients a/b and 1/b. Only its places
    are fitted: what lies between two scores is interpolated, beyond them with the slope of all.
    Where classes are far from binormal A_z is off: of 300 + 300 scores of a half-and-half mixture
    or a shifted t2 its 95 % intervals covered .79 and .77. See the picture and `check_fit`.

    References
    ----------
    Dorfman and Alf (1969), Maximum-likelihood estimation of parameters of signal-detection theory.

    Examples
    --------
    >>> from betaroc import RankNormal
    >>> law = RankNormal(0.0, 1.0, scores=[1, 2, 3], latent=[-1.0, 0.0, 1.959963984540054])
    >>> law.cdf(2.0), round(law.sf(3.0), 6)
    (0.5, 0.025)
    """

    scores: FloatArray
    latent: FloatArray

    _of_moments = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("scores", "latent"):
            object.__setattr__(self, name, score_array(getattr(self, name), name))
            check_ascending(getattr(self, name), name)
        if not self.scores.size == self.latent.size > 1:
            raise refusal("latent", "be as many as scores, at least 2", str(self.latent.size))

    @cached_property
    def coordinate(self) -> Any:  # type: ignore[override]
        return Knots(self.scores, self.latent)

    def _tails(self) -> tuple[Tail, Tail]:
        steep = self.coordinate.steep
        centres = (self.scores + (self.mu - self.latent) / steep).tolist()
        tails = (Tail(end, 2, centre=centres[k], width=self.sigma / steep)
                 for k, end in zip((0, -1), self.support, strict=True))  # fmt: skip
        return next(tails), next(tails)


def is_of_ranks(law: Distribution) -> bool:
    """Whether scores are known by their ranks only."""
    return isinstance(base_of(law), RankNormal)


def _forms(client: Distribution, impostor: Distribution) -> Pair:
    one, two = (vars(base_of(law)) for law in (client, impostor))
    alike = all(np.array_equal(one[name], two[name]) for name in ("scores", "latent"))
    return (NormalPair if alike else Pair)(client, impostor)


closed_forms(RankNormal, RankNormal, _forms)


# ------------------------------------------------------------------------- maximum likelihood
#: Up to so many distinct scores are ratings, and cells there are at most.
RATINGS, _CELLS = 20, 300
#: Newton steps and their least share, how far a step of mu and log sigma goes, twice the likelihood
#: that the last would gain, and the error of log sigma from which the likelihood is flat.
_STEPS, _LEAST_SHARE, _REACH, _TINY_GAIN, _FLAT = 60, 1e-12, 1.0, 1e-20, 3.0
_LEAST, _LOSS = 1e-300, 1e-13
#: Both log-likelihoods, a Newton step and what it gains, the covariance of (mu, log sigma), and
#: how the latent places follow these.
_Move = tuple[TwoArrays, FloatArray, float, FloatArray, FloatArray]


def rank_cells(client: TwoArrays, impostor: TwoArrays) -> tuple[FloatArray, FloatArray]:
    """The largest score of each cell, and the weights of both classes in it.

    Ratings are cells, more scores runs of one class, of these at most 300 of nearly equal mass.
    """
    values, where = np.unique(np.append(client[0], impostor[0]), return_inverse=True)
    parts = zip(np.split(where, [client[0].size]), (client[1], impostor[1]), strict=True)
    both = np.array([np.bincount(at, weights, values.size) for at, weights in parts], np.float64)
    if values.size <= RATINGS:
        return values, both
    mixed, of_client = np.all(both > 0.0, axis=0), both[0] > 0.0
    new = mixed[1:] | mixed[:-1] | (of_client[1:] != of_client[:-1])
    cell = np.append(0, np.cumsum(new))
    if cell[-1] >= _CELLS:
        mass = np.bincount(cell, np.mean(both / np.sum(both, axis=1, keepdims=True), axis=0))
        middle = np.cumsum(mass) - 0.5 * mass
        cell = np.unique((middle * _CELLS).astype(np.intp), return_inverse=True)[1][cell]
    last = np.append(np.diff(cell) > 0, True)
    return values[last], np.array([np.bincount(cell, part) for part in both])


def cell_masses(u: FloatArray) -> FloatArray:
    """Normal masses between places, each from the tail that has the digits."""
    from scipy.special import ndtr

    ends = np.concatenate([[-np.inf], u, [np.inf]])
    low, high = np.where(ends[:-1] > 0.0, (-ends[1:], -ends[:-1]), (ends[:-1], ends[1:]))
    return np.asarray(np.maximum(ndtr(high) - ndtr(low), _LEAST))


def _side(u: FloatArray, counts: FloatArray, *, expected: bool) -> tuple[Any, ...]:
    """Log-likelihood of counts between places, slopes, negative tridiagonal Hessian."""
    masses, density = cell_masses(u), np.exp(-0.5 * u * u - HALF_LOG_TWO_PI)
    share = counts / masses
    square = (float(np.sum(counts)) if expected else share) / masses
    slope = density * (share[:-1] - share[1:])
    diagonal = density**2 * (square[:-1] + square[1:]) + (0.0 if expected else u * slope)
    return counts @ np.log(masses), slope, diagonal, -density[:-1] * density[1:] * square[1:-1]


def _move(y: FloatArray, both: FloatArray, *, expected: bool = False) -> _Move:
    """From (mu, log sigma, places) by a bordered tridiagonal matrix; LinAlgError off a hill."""
    from scipy.linalg import solveh_banded

    t, b = y[2:], math.exp(-y[1])
    u = b * (t - y[0])
    value, slope, diagonal, beside = _side(u, both[0], expected=expected)
    other_value, other_slope, other_diagonal, other_beside = _side(t, both[1], expected=expected)
    rates = np.stack([np.full(t.size, -b), -u], axis=1)
    pull = diagonal[:, None] * rates
    pull[1:] += beside[:, None] * rates[:-1]
    pull[:-1] += beside[:, None] * rates[1:]
    inner, cross = rates.T @ pull, b * pull
    if not expected:
        bend = b * float(np.sum(slope))
        inner -= np.array([[0.0, bend], [bend, u @ slope]])
        cross[:, 1] += b * slope
    first, second = rates.T @ slope, other_slope + b * slope
    band = np.stack([np.append(0.0, other_beside + b * b * beside),
                     other_diagonal + b * b * diagonal])  # fmt: skip
    solved = solveh_banded(band, np.column_stack([second, cross]), check_finite=False)
    follow = solved[:, 1:]
    root = np.linalg.inv(np.linalg.cholesky(inner - cross.T @ follow))
    covariance = root.T @ root
    step = covariance @ (first - cross.T @ solved[:, 0])
    step = np.append(step, solved[:, 0] - follow @ step)
    return (value, other_value), step, np.append(first, second) @ step, covariance, follow


def rank_normal_mle(both: FloatArray) -> tuple[FloatArray, _Move, int]:
    """The maximum (mu, log sigma, places)."""
    from scipy.special import ndtri

    def move_at(y: FloatArray) -> _Move:
        with suppress(np.linalg.LinAlgError):
            return _move(y, both)
        return _move(y, both, expected=True)

    def none(why: str) -> DegenerateDataError:
        remedy = " Give more trials or finer ratings, or count:" + worded(' `family="empirical"`.')
        return DegenerateDataError(f"{why}.{remedy}")

    (first, last), (other_first, other_last) = (np.flatnonzero(n)[[0, -1]] for n in both)
    if both.shape[1] > 1 and (first >= other_last or other_first >= last):
        raise none("ratings or ranks that separate the classes have no binormal ROC but A_z 1 or 0")
    if both.shape[1] < 3:
        points = "two operating points, of three ratings or three runs of one class in the ranks"
        raise none(f"a binormal ROC needs {points}; got {both.shape[1]}")
    z = ndtri((np.cumsum(both, axis=1)[:, :-1] + 0.5) / (np.sum(both, axis=1)[:, None] + 1.0))
    with np.errstate(all="ignore"), suppress(np.linalg.LinAlgError, ValueError):
        sigma = np.std(z[1]) / np.std(z[0])
        mu = np.mean(z[1]) - sigma * np.mean(z[0])
        y = np.concatenate([[mu, np.log(sigma)], 0.5 * z[1] + 0.5 * (mu + sigma * z[0])])
        move = move_at(y)
        for iterations in range(_STEPS):
            (value, step, gain, covariance, _), share = move, 1.0
            if gain < _TINY_GAIN and covariance[1, 1] < _FLAT**2:
                return y, move, iterations
            step = step * min(1.0, _REACH / float(np.max(np.abs(step[:2]))))
            floor = float(np.sum(value) - _LOSS * np.abs(np.sum(value)))
            while share > _LEAST_SHARE:
                there = y + share * step
                after = move_at(there) if np.all(np.diff(there[2:]) > 0.0) else None
                if after is not None and np.sum(after[0]) >= floor:
                    break
                share *= 0.5
            else:
                break
            y, move = there, after
    why = "grows for ever: ratings of one class alone bend its curve to a corner (empty cells)"
    raise none(f"the likelihood of a binormal ROC {why}")


def rank_scores(law: RankNormal, samples: list[TwoArrays]) -> list[FloatArray]:
    """Derivatives of each trial's log-likelihood in the clients' (mu, sigma), places fitted too."""
    t, b = law.latent, 1.0 / law.sigma
    cells: list[IntArray] = [np.searchsorted(law.scores, values) for values, _ in samples]
    parts = zip(cells, samples, strict=True)
    both = np.array([np.bincount(cell, x[1], t.size + 1) for cell, x in parts], np.float64)
    follow, u = _move(np.append([law.mu, math.log(law.sigma)], t), both)[-1], b * (t - law.mu)
    moves, result = (-b * follow - np.stack([np.full(t.size, b), u], axis=1), -follow), []
    for cell, move, y in zip(cells, moves, (u, t), strict=True):
        density = np.exp(-0.5 * y * y - HALF_LOG_TWO_PI)
        rises = np.diff(np.pad(density[:, None] * move, ((1, 1), (0, 0))), axis=0)
        result.append((rises / cell_masses(y)[:, None])[cell] * [1.0, b])
    return result
