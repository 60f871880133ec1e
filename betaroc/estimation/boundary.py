"""What is done with scores of exactly 0 and 1, and with rounded scores.

A distribution with a density has no mass at 0 or 1, so such scores need a rule. The rule
is never silent: it stands, with its counts, in the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.checks import choice, finite, positive
from betaroc.core.errors import DegenerateDataError, FitError, InputError, refusal
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import Value
from betaroc.core.vocabulary import worded
from betaroc.distributions.base import Distribution, Expansion, climb, free, moved
from betaroc.distributions.inflated import Inflated
from betaroc.estimation.contract import AtEnds, Data, Family, MleResult, Sample

Likelihood = Callable[[Any], float]
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
    """Distinct cells k step -+ step/2, cut to the support, that hold scores: k and both ends.

    Last which of them each score lies in.
    """
    last = np.ceil(support[1] / step + 0.5) - 1
    index, place = np.unique(np.minimum(np.rint(values / step), last), return_inverse=True)
    low, high = (np.clip((index + side) * step, *support) for side in (-0.5, 0.5))
    return index, low, high, np.ravel(place)


def log_masses(
    low: FloatArray, high: FloatArray, support: tuple[float, float]
) -> Callable[[Any], FloatArray]:
    """log P(low < S <= high) of each cell: by Gauss's rule where the density hardly changes."""
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


def maximise(likelihood: Likelihood, start: Distribution, total: float, name: str) -> MleResult:
    """The distribution of largest likelihood, with the observed information as its precision."""
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
    if not (np.all(np.isfinite(top.gradient)) and np.all(np.isfinite(information))):
        raise DegenerateDataError(
            f"{name}: this likelihood has no maximum: it grows without end. Use a finer"
            " resolution or more scores."
        )
    if not np.all(np.linalg.eigvalsh(information) > _FLAT):
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
    """Value, gradient, Hessian: central differences of fourth order, mixed ones by diagonals."""
    centre, along = mean(y), np.eye(y.size)

    def change(h: FloatArray, near: float, sign: float) -> float:
        return near * (mean(y + h) + sign * mean(y - h)) - (
            mean(y + 2 * h) + sign * mean(y - 2 * h)
        )

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
    """The rule for scores of exactly 0 and 1 that a fit obeyed, and whom it met.

    Parameters
    ----------
    policy : str
        ``"inflate"``, ``"error"``, ``"drop"``, ``"squeeze"``, ``"censor"``, ``"matlab"``
        or ``"interval"`` (rounded scores).
    n_zero, n_one : int
        Scores of exactly 0 and of exactly 1.
    n_dropped : int
        Scores left out.
    n_moved : int
        Scores changed: by squeezing, or because they lie off the grid of the resolution.
    n_censored_low, n_censored_high : int
        Scores that count only as "not above" and "above" an edge.
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
    """The resolution, if it and ``boundary`` make sense together and for this family."""
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
    """An estimate of scores in [0, 1] that obeys the rule."""
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
    """(s (n - 1) + 1/2) / n with n the total weight, for compatibility only."""
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
    """Rounded scores: the probability of the cell k step +- step/2, cut to the support."""
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
