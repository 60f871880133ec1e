"""The tail of one class from few of its scores: penalised likelihood, joints, excesses."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import BoolArray, FloatArray
from betaroc.core.errors import FitError, InputError, ScaleWarning, refusal
from betaroc.core.notices import Notice
from betaroc.core.special import bracketed_root
from betaroc.core.value import Value
from betaroc.core.vocabulary import worded
from betaroc.distributions.base import Expansion, TwoArrays, climb
from betaroc.distributions.spliced import ParetoTail, log1p_share

#: Standard deviation of the normal penalty of the shape, about 0.
PRIOR_DEVIATION = 0.25
#: Where the mode is looked for first: shapes, and logs of the scale about that of the mean.
_SHAPES = np.arange(-8, 13) / 10.0
_SCALES = np.linspace(-0.8, 0.8, 17)
_NEWTON_STEPS = 100
#: Of the height's gradient for each score; shapes nearer to the steepest are the steepest.
_TINY_GRADIENT, _BORDER = 1e-11, 1e-9
#: No tail ends more sharply: at -1 it is uniform, beyond it the likelihood has no bound.
STEEPEST = -0.95
#: The grid: points of the shape and of the log scale, and how many deviations it reaches.
_SIZE = (41, 31)
_REACH = 4.5
#: A grid whose rim holds more than this share of the weight is widened.
_RIM = 0.001
_WIDENED = 6


@dataclass(frozen=True, eq=False, repr=False)
class TailFit(Value):
    """A tail by its exceedances over one joint, turned to be the upper one.

    `weights` count the scores at each of the `excesses`, `n` the class over the design effect.
    """

    joint: float
    excesses: FloatArray
    weights: FloatArray
    n: float
    shape: float
    scale: float
    design_effect: float = 1.0

    @cached_property
    def kept(self) -> dict[str, Any]:
        return {}

    @property
    def k(self) -> float:
        """Scores beyond the joint, over the design effect."""
        return float(np.sum(self.weights)) / self.design_effect

    @property
    def mass(self) -> float:
        """Share of the scores beyond the joint."""
        return self.k / self.n


class TailGrid(NamedTuple):
    """Shapes, scales and their weights, of sum 1."""

    shape: FloatArray
    scale: FloatArray
    weight: FloatArray


def penalised(
    excesses: FloatArray, weights: FloatArray, shape: FloatArray, log_scale: FloatArray
) -> FloatArray:
    """-k log s - (1 + 1/shape) sum log(1 + shape x/s) - shape^2/(2 0.25^2)."""
    k = float(np.sum(weights))
    u = excesses * np.exp(-log_scale)[..., None]
    z = shape[..., None] * u
    inside = (np.min(z, axis=-1, initial=0.0) > -1.0) & (shape >= STEEPEST)
    result = -k * log_scale - (1.0 + shape) * ((u * log1p_share(z)) @ weights)
    return np.where(inside, result, -np.inf) - 0.5 * (shape / PRIOR_DEVIATION) ** 2


def fit_tail(
    joint: float, excesses: FloatArray, weights: FloatArray, n: float, design_effect: float = 1.0
) -> TailFit:
    """The mode; the design effect divides the likelihood alone."""
    shared = weights / design_effect
    centre = math.log(float(excesses @ weights) / float(np.sum(weights)))
    shape, log_scale = (a.ravel() for a in np.meshgrid(_SHAPES, centre + _SCALES, indexing="ij"))
    best = int(np.argmax(penalised(excesses, shared, shape, log_scale)))

    def height(place: FloatArray) -> Expansion:
        value = float(penalised(excesses, shared, *place[:, None])[0])
        return value, *_derivatives(excesses, shared, place)

    def excess(log_scale: float) -> float:
        return float(_derivatives(excesses, shared, np.array([STEEPEST, log_scale]))[0][1])

    k, start = float(np.sum(shared)), np.array([shape[best], log_scale[best]])
    with np.errstate(all="ignore"):  # beyond the end of a tail there is no likelihood
        top = climb(height, start, tiny=_TINY_GRADIENT * k, steps=_NEWTON_STEPS)
        mode = top.place.tolist()
        if mode[0] < STEEPEST + _BORDER:  # along the border of the steepest shape
            least = math.log(-STEEPEST * float(np.max(excesses))) + _BORDER
            mode = [STEEPEST, bracketed_root(excess, least, least + 50.0, what="scale of a tail")]
        elif not top.norm <= math.sqrt(_TINY_GRADIENT) * k:
            raise FitError(
                "the penalised likelihood of a tail must have a maximum; none was found from"
                f" {k:g} scores in {_NEWTON_STEPS} steps, at shape {mode[0]:.6g}."
            )
    return TailFit(
        joint, excesses, weights, n / design_effect, mode[0], math.exp(mode[1]), design_effect
    )


def grid_of(fit: TailFit) -> TailGrid:
    """Shapes and scales about the mode, weighted."""
    weights = fit.weights / fit.design_effect
    centre = np.array([fit.shape, math.log(fit.scale)])
    curvature = 1.0 / PRIOR_DEVIATION**2 + fit.k / (1.0 + max(fit.shape, -0.3)) ** 2
    spread = np.array([1.0 / math.sqrt(curvature), math.sqrt(2.0 / fit.k)])
    for _ in range(_WIDENED):
        ends = zip(centre, _REACH * spread, _SIZE, strict=True)
        sides = [np.linspace(c - r, c + r, m) for c, r, m in ends]
        shape, log_scale = np.meshgrid(*sides, indexing="ij")
        height = penalised(fit.excesses, weights, shape, log_scale)
        weight = np.exp(height - np.max(height))
        weight /= np.sum(weight)
        rim = float(np.sum(weight) - np.sum(weight[1:-1, 1:-1]))
        if rim < _RIM:
            break
        centre = np.array([np.sum(weight * shape), np.sum(weight * log_scale)])
        spread = 1.5 * spread
    return TailGrid(shape.ravel(), np.exp(log_scale.ravel()), weight.ravel())


def _derivatives(excesses: FloatArray, weights: FloatArray, place: FloatArray) -> TwoArrays:
    """Slope and curvature in shape and log scale."""
    shape = float(place[0])
    u = excesses * math.exp(-float(place[1]))
    z = shape * u
    first = float(weights @ (u / (1.0 + z)))
    second = float(weights @ ((u / (1.0 + z)) ** 2))
    bend, bent = _bend(z)
    penalty = 1.0 / PRIOR_DEVIATION**2
    slope = [
        float(weights @ (u * u * bend)) - first - penalty * shape,
        (1.0 + shape) * first - float(np.sum(weights)),
    ]
    mixed = first - (1.0 + shape) * second
    curvature = [
        [float(weights @ (u**3 * bent)) + second - penalty, mixed],
        [mixed, -(1.0 + shape) * float(weights @ (u / (1.0 + z) ** 2))],
    ]
    return np.array(slope), np.array(curvature)


def _bend(z: FloatArray) -> TwoArrays:
    """h(z) = (log(1 + z) - z/(1 + z))/z^2 and its derivative."""
    near = np.abs(z) < 0.02
    far = np.where(near, 1.0, z)
    h = (np.log1p(far) - far / (1.0 + far)) / far**2
    slope = 1.0 / (far * (1.0 + far) ** 2) - 2.0 * h / far
    series = np.polynomial.Polynomial([(-1.0) ** j * (j + 1.0) / (j + 2.0) for j in range(10)])
    return np.where(near, series(z), h), np.where(near, series.deriv()(z), slope)


# ----------------------------------------------------------------------
# The tail of one class from few of its scores: joints, excesses, and one tail of several sizes.
#: Scores that a tail is fitted to, whatever their number in all.
SIZES = (30, 50)
#: A tail needs so many scores in its class, and so many beyond its joint.
FEWEST, FEWEST_BEYOND = 200, 20
#: Of them at least so many different ones, and at most this share of the class.
_DISTINCT, _SHARE = 5, 0.25
#: One tail of several sizes has their mean thresholds at these shares of its mass.
_MATCHED = (0.2, 0.02)
_BENDS = (-20.0, 20.0)

#: By how much more the share of these scores varies than that of as many independent ones.
Effect = Callable[[BoolArray], float]


class TailScores(NamedTuple):
    """One class on the coordinate: places and their copies."""

    who: str
    places: FloatArray
    weights: FloatArray | None = None
    design: Effect | None = None
    #: Scores of the class, where only its extreme ones are here.
    total: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Tails(Value):
    """Tails of one end of one class, one per number of scores, turned."""

    side: str
    n: float
    fits: tuple[TailFit, ...]
    sizes: tuple[int, ...] = SIZES

    @property
    def sign(self) -> float:
        return 1.0 if self.side == "upper" else -1.0

    @property
    def mass(self) -> float:
        """Share of the scores beyond the farthest joint."""
        return min(fit.mass for fit in self.fits)

    def turned_place(self, log_rate: float) -> float:
        places = [
            fit.joint + float(ParetoTail(fit.mass, fit.shape, fit.scale)._distance(log_rate))
            for fit in self.fits
        ]
        return math.fsum(places) / len(places)

    def tail(self) -> ParetoTail:
        """One tail with the mean places at its joint, 1/5 and 1/50 of its mass."""
        log_mass = math.log(self.mass)
        joint = self.turned_place(log_mass)
        near, far = (self.turned_place(log_mass + math.log(p)) - joint for p in _MATCHED)
        depths = [-math.log(p) for p in _MATCHED]

        def off(shape: float) -> float:
            """From the ratio of the places."""
            flat = abs(shape) < 1e-9
            first, second = depths if flat else (math.expm1(shape * depth) for depth in depths)
            return math.log(second / first) - math.log(far / near)

        shape = bracketed_root(off, *_BENDS, what="shape of a tail")
        unit = ParetoTail(self.mass, shape, 1.0)
        scale = near / float(unit._distance(log_mass + math.log(_MATCHED[0])))
        return ParetoTail(self.mass, shape, scale, self.sign * joint)


def fit_tails(one: TailScores, side: str, sizes: Sequence[int] = SIZES) -> Tails:
    """The tails of one class at one end, one per size.

    The joint is the next score, of tied ones half a step off.
    """
    values = one.places if side == "upper" else -one.places
    weights = one.weights
    if weights is not None:
        values, weights = values[weights > 0.0], weights[weights > 0.0]
    n = one.total or float(values.size if weights is None else np.sum(weights))
    name = f"the {side} tail of {one.who}"
    if n < FEWEST:
        remedy = "Without it counted rates have exact intervals: leave this tail out."
        rule = f"be fitted to a class of at least {FEWEST} scores"
        raise refusal(name, rule, f"{n:g}", remedy)
    worst = max(sizes)
    if worst > _SHARE * n:
        raise InputError.about("tail_sizes")(
            worded("`tail_sizes=` must hold numbers of scores up to a quarter of the class,")
            + f" {_SHARE * n:g} for {name}; got {worst}."
        )
    extreme, copies = _extremes(values, weights, float(max(sizes)))
    if math.isinf(extreme[0]):
        raise InputError(
            f"{name} must thin out towards its end to be fitted; {copies[0]:g} of {n:g} scores"
            " are exactly there. Leave this tail out, or count: br.interval(scores, "
            + ('"far", threshold=...).' if side == "upper" else '"frr", threshold=...).')
        )
    fits = []
    for size in sizes:
        cut, joint = _joint(name, extreme, copies, size)
        beyond = one.places > joint if side == "upper" else one.places < -joint
        deff = 1.0 if one.design is None else one.design(beyond)
        if cut < _DISTINCT or math.isinf(joint):
            remedy = "Leave this tail out and count, or give scores with more digits."
            rule = f"have at least {_DISTINCT} different scores beyond its joint"
            raise refusal(name, rule, f"{cut} among {copies[:cut].sum():g}", remedy)
        fits.append(fit_tail(joint, extreme[:cut] - joint, copies[:cut], n, deff))
    return Tails(side, n, tuple(fits), tuple(sizes))


def _extremes(values: FloatArray, weights: FloatArray | None, size: float) -> TwoArrays:
    count = min(values.size, int(2.0 * size) + 2)
    while True:
        place = values.size - count
        cut = values[np.argpartition(values, place)[place]] if place else -np.inf
        keep = np.flatnonzero(values >= cut)
        copies = np.ones(keep.size) if weights is None else weights[keep]
        result, which = np.unique(values[keep], return_inverse=True)
        counts = np.asarray(np.bincount(which.ravel(), copies), np.float64)
        enough = result.size > 2 and np.sum(counts[1:]) >= 2.0 * size
        if enough or count == values.size:
            return result[::-1], counts[::-1]
        count = min(2 * count, values.size)


def _joint(name: str, values: FloatArray, copies: FloatArray, size: int) -> tuple[int, float]:
    """Number of distinct values beyond the joint, and its place."""
    upto = np.cumsum(copies)
    exact = int(np.searchsorted(upto, size * (1.0 - 1e-12)))
    if not np.any(copies[: exact + 1] > 1.0):
        return exact + 1, float(values[exact + 1])
    enough = np.flatnonzero(upto[:-1] >= FEWEST_BEYOND)
    if enough.size == 0:
        rule = f"have at least {FEWEST_BEYOND} scores beyond its joint"
        raise refusal(name, rule, f"{values.size} places for all", "Leave this tail out.")
    last = int(enough[np.argmin(np.abs(upto[enough] - size))])
    return last + 1, float(0.5 * (values[last] + values[last + 1]))


def steep_tails(who: str, tails: Tails, *, bounded: bool) -> list[Notice]:
    """A notice of shapes beyond two deviations."""
    worst = max((fit.shape for fit in tails.fits), key=abs)
    if abs(worst) <= 2.0 * PRIOR_DEVIATION:
        return []
    why = "it ends soon, before the end of the range of scores: look at the most extreme ones"
    if worst > 0.0:
        why = "it hardly thins out, as where a few scores are of another kind: look at them"
    elif not bounded:
        why = "it ends soon. If scores have ends, as cosines have -1 and 1, give"
        why += worded(" `bounds=(-1, 1)`")
    text = (
        f"the {tails.side} tail of {who} has shape {worst:.2g}, more than"
        f" {2.0 * PRIOR_DEVIATION:g} from 0, where few tails are: "
    )
    return [Notice(ScaleWarning, text + why)]
