"""Errors of a fit, of groups and of few scores, and intervals of any number of its model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from betaroc.core.arrays import CLASSES, BoolArray, FloatArray, IntArray
from betaroc.core.checks import flag
from betaroc.core.errors import InputError
from betaroc.core.options import IntervalOptions
from betaroc.core.special import bracketed_root
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import Result
from betaroc.core.vocabulary import worded
from betaroc.data.groups import groups_of
from betaroc.data.scores import require_scores
from betaroc.distributions.base import Distribution, Free, Parameter, free, moved
from betaroc.distributions.beta import has_shape
from betaroc.distributions.inflated import MASSES, REJECTED, base_of
from betaroc.distributions.normal import has_spread
from betaroc.distributions.shifted import between_ends, score_range
from betaroc.estimation.boundary import MATLAB_EDGES, ScoreCells, log_masses
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.inference.drawn_scores import largest_reach
from betaroc.inference.interval import Interval, from_log, from_logit
from betaroc.inference.scores_beyond import (
    Evidence,
    fewest,
    tell,
    tell_of_chance,
)
from betaroc.model.asking import Asking, as_number
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import STATISTICS, Where, frr_at

#: Step of the differences, in standard deviations of one observation's information.
_STEP = 1e-3


def joint_cov(fit: PairEstimate, *, groups: bool = True) -> FloatArray:
    """Covariance of the clients' parameters, then the impostors'; see `Fit.joint_cov`."""
    results = fit.client, fit.impostor
    found = groups_of(fit.scores) if flag(groups, "groups") else None
    sizes = [len(result.names) for result in results]
    own = np.zeros((sum(sizes), sum(sizes)))
    own[: sizes[0], : sizes[0]], own[sizes[0] :, sizes[0] :] = (r.cov for r in results)
    if fit.shared_cov is not None:
        own[: sizes[0], sizes[0] :] = fit.shared_cov
        own[sizes[0] :, : sizes[0]] = own[: sizes[0], sizes[0] :].T
    if found is None or not all(sizes):
        return own
    scores = require_scores(fit.scores, "the errors of groups")
    samples = ((scores.client, scores.client_weights), (scores.impostor, scores.impostor_weights))
    parts = [observation_scores(r, *sample) for r, sample in zip(results, samples, strict=True)]
    # Not a number where no double holds the products, as of scores of 1e-300.
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return np.asarray(own @ found.covariance(parts[0], parts[1]) @ own)


# ------------------------------------------------------------ scores of single observations
def observation_scores(
    result: Estimate, values: FloatArray, weights: FloatArray | None
) -> FloatArray:
    """Derivative of each observation's log-likelihood in the parameters, shape (n, p)."""
    if not result.names:
        raise InputError(
            worded(f'a covariance needs parameters; got a fit of `family="{result.family}"`, which')
            + " has none. Fit a parametric family, or resample the scores."
        )
    values = _as_fitted(result, values, weights)
    if in_cells(result):
        return difference_scores(result, values)
    law = result.distribution
    kept = undropped(result, values)
    names = [p.name for p in law._parameters()]
    found = np.zeros((values.size, len(result.names)))
    scores = law._score(Thresholds.from_theta(values[kept]))
    found[kept] = scores[[names.index(name) for name in result.names]].T
    return found


def undropped(result: Estimate, values: FloatArray) -> BoolArray:
    """The observations that the boundary rule did not drop."""
    return between_ends(result.distribution, values) | (policy_in_force(result) != "drop")


def policy_in_force(result: Estimate) -> str | None:
    """The rule for 0 and 1 where it changes the likelihood of a score."""
    rule = result.boundary
    if rule is None or (
        rule.policy in {"censor", "matlab"} and rule.n_censored_low + rule.n_censored_high == 0
    ):
        return None
    return rule.policy


def in_cells(result: Estimate) -> bool:
    """Whether some scores count by the probability of a cell or of what lies beyond an edge."""
    return policy_in_force(result) in {"censor", "matlab", "interval"}


def _as_fitted(result: Estimate, values: FloatArray, weights: FloatArray | None) -> FloatArray:
    """The scores that the distribution was fitted to."""
    if result.boundary is None or result.boundary.policy != "squeeze":
        return values
    n = float(values.size) if weights is None else math.fsum(weights.tolist())
    low, high = score_range(result.distribution)
    return low + ((values - low) * (n - 1.0) + 0.5 * (high - low)) / n


# ---------------------------------------------------------------------------- differences
def difference_scores(result: Estimate, values: FloatArray) -> FloatArray:
    """The same for any family and rule, by central differences of fourth order."""
    distinct, place = np.unique(values, return_inverse=True)
    likelihood = _each_log_likelihood(result, distinct)
    at = np.array(result.values)
    steps = _STEP * np.sqrt(np.diag(result.cov) * result.total_weight)
    found = np.zeros((distinct.size, at.size))
    parameters = {p.name: p for p in result.distribution._parameters()}
    for k, (name, step) in enumerate(zip(result.names, steps.tolist(), strict=True)):
        if step == 0.0:  # held fixed, or a mass that nobody had
            continue
        step = min(step, _room(name, parameters))

        def change(times: int, name: str = name, at: float = at[k], step: float = step) -> Any:
            laws = [
                result.distribution._replaced({name: at + side * step}) for side in (times, -times)
            ]
            return likelihood(laws[0]) - likelihood(laws[1])

        found[:, k] = (8.0 * change(1) - change(2)) / (12.0 * step)
    return found[np.ravel(place)]


def _room(name: str, parameters: Mapping[str, Parameter]) -> float:
    """A tenth of the way to where a parameter may not be."""
    _, value, scale = parameters[name]
    if scale == "plain":
        return math.inf
    if scale == "log":
        return 0.1 * value
    rest = 1.0 - math.fsum(p.value for p in parameters.values() if p.scale == scale)
    return 0.1 * min(value, rest)


def _each_log_likelihood(
    result: Estimate, values: FloatArray
) -> Callable[[Distribution], FloatArray]:
    """What one observation of each value adds to the log-likelihood, for any distribution."""
    policy, ends = policy_in_force(result), score_range(result.distribution)
    if policy == "interval":
        step: float = result.boundary.resolution  # type: ignore[union-attr,assignment]
        support = result.distribution.support
        _, low, high, place = ScoreCells.of(values, step, support)
        logs = log_masses(low, high, support)
        return lambda law: logs(law)[place]
    if policy in {"censor", "matlab"}:
        return _censored_log_likelihood(values, policy, result.boundary.resolution, ends)  # type: ignore[union-attr]
    kept = undropped(result, values)
    t = Thresholds.from_theta(values[kept])

    def at(law: Distribution) -> FloatArray:
        found = np.zeros(values.size)
        found[kept] = law._log_likelihood(t)
        return found

    return at


def _censored_log_likelihood(
    values: FloatArray,
    policy: str,
    resolution: float | None,
    ends: tuple[float, float] = (0.0, 1.0),
) -> Callable[[Distribution], FloatArray]:
    width, edge = ends[1] - ends[0], (resolution or 0.0) / (ends[1] - ends[0])
    near = (edge, 1.0 - edge) if policy == "censor" else MATLAB_EDGES
    low, high = (ends[0] + width * share for share in near)
    below = values <= low if policy == "censor" else values < low
    above = values >= high if policy == "censor" else values > high
    inside = ~(below | above)

    def at(law: Any) -> FloatArray:
        found = np.empty(values.size)
        found[inside] = law.logpdf(values[inside])
        found[below], found[above] = law.logcdf(low), law.logsf(high)
        return found

    return at


# ----------------------------------------------------------------------
ParameterNames = tuple[tuple[str, ...], tuple[str, ...]]


class FreeFit(NamedTuple):
    """Parameters of both distributions that vary, their coordinates, and the roots of their errors.

    ``place`` holds the clients' coordinates, then the impostors'; ``roots`` their change
    with one standard error along each root of the covariance, a row each.
    """

    names: ParameterNames
    place: FloatArray
    roots: FloatArray


def free_coordinates(fit: PairEstimate, *, groups: bool) -> FreeFit:
    """The free coordinates of a fit; groups move both classes together."""
    results = fit.client, fit.impostor
    for who, result in zip(CLASSES, results, strict=True):
        known = {p.name for p in result.distribution._parameters()}
        if not result.names or not set(result.names) <= known:
            raise InputError(
                "a fit whose errors are asked for must have parameters to vary (beta, normal,"
                f" logit-normal, mixtures) in both classes; the {who} class is of family"
                f" {result.family!r} with parameters {', '.join(result.names) or 'none'}. Fit it"
                " with one of these, or ask the scores themselves: br.interval(scores,"
                ' "eer"), br.epc(dev, scores).band().'
            )
    parts = [_free(result) for result in results]
    client, impostor = (part.rates for part in parts)
    rate = np.zeros(np.add(client.shape, impostor.shape))
    rate[: client.shape[0], : client.shape[1]] = client
    rate[client.shape[0] :, client.shape[1] :] = impostor
    place = np.concatenate([part.place for part in parts])
    errors = joint_roots(fit, groups=groups) @ rate.T
    return FreeFit((parts[0].names, parts[1].names), place, np.asarray(errors))


def _free(result: Estimate) -> Free:
    return free(result.distribution, result.names, result.fixed)


def laws_at(
    laws: Sequence[Distribution], names: ParameterNames, place: FloatArray
) -> tuple[Distribution, Distribution]:
    """Both distributions at other coordinates."""
    cut = len(names[0])
    values = place[:cut].tolist(), place[cut:].tolist()
    client, impostor = (moved(*one) for one in zip(laws, names, values, strict=True))
    return client, impostor


def joint_roots(fit: PairEstimate, *, groups: bool) -> FloatArray:
    """Roots of the covariance of the clients' and the impostors' parameters, a row each."""
    for who, result in (("client", fit.client), ("impostor", fit.impostor)):
        if not np.all(np.isfinite(result.cov)):
            raise InputError(
                "the fit must have a finite covariance to vary; got"
                f" {who} {result.distribution!r:.60}. Where it is dev's take"
                + worded(' `resample="test"`, or give the scores themselves.')
            )
    together = groups and groups_of(fit.scores) is not None
    if together or fit.shared_cov is not None:
        return covariance_roots(joint_cov(fit, groups=groups))
    sizes = [len(fit.client.names), len(fit.impostor.names)]
    parts = [covariance_roots(np.array(result.cov)) for result in (fit.client, fit.impostor)]
    return np.concatenate(
        [np.pad(parts[0], ((0, 0), (0, sizes[1]))), np.pad(parts[1], ((0, 0), (sizes[0], 0)))]
    )


def covariance_roots(covariance: FloatArray) -> FloatArray:
    """Vectors whose outer products sum to the covariance, or to the nearest without negative parts.

    Of the correlations, so that coordinates in large units do not drown the others.
    """
    scale = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    safe = np.where(scale > 0.0, scale, 1.0)
    values, vectors = np.linalg.eigh(covariance / np.outer(safe, safe))
    kept = values > 1e-14 * np.max(values, initial=0.0)
    return np.asarray((vectors[:, kept] * np.sqrt(values[kept])).T * scale)


#: Shapes beyond which cumulants cancel and a beta distribution is normal to this share.
_NEARLY_NORMAL = 1e3
#: Beyond this shape the cumulants of log s and log(1 - s) cancel, and what is made of them is at
#: its limit to 1e-7: that of a gamma distribution, or of a normal one.
_LARGEST = 1e7


def inner_trials(result: Estimate) -> float:
    """Trials of a fitted distribution that lie on no point mass."""
    shares = [result.params.get(name, 0.0) for name in MASSES]
    return float(scored_trials(result) * (1.0 - math.fsum(shares)))


def scored_trials(result: Estimate) -> float:
    """Trials that have a score."""
    return float(result.total_weight * (1.0 - result.params.get(REJECTED, 0.0)))


def freedom_of(trials: float, fixed: Sequence[str] = ()) -> float:
    """Degrees of freedom of an error that so many trials estimate: at least those of two.

    Where the other shape is fixed that of a logarithm is 1/sqrt(n), and nothing is estimated.
    """
    return math.inf if fixed else max(trials, 2.0) - 1.0


def stretch_of(freedom: float) -> float:
    """From the divisor n to n - 1."""
    return math.sqrt(1.0 + 1.0 / freedom)


def refuse_light(result: Estimate) -> None:
    """Errors need more than one trial, and a weight is a number of trials."""
    trials = inner_trials(result)
    if not trials > 1.0:
        raise InputError(
            "an interval needs a total weight above 1 between the point masses: weights are numbers"
            f" of trials; got {trials:.6g}. Give the weights as frequencies."
        )


def student(freedom: float, level: float) -> float:
    """How many standard errors an interval of this level reaches."""
    from scipy.special import stdtrit

    return -float(stdtrit(freedom, 0.5 * (1.0 - level)))


# ------------------------------------------------------------------------- errors of a fit
class SmallSample(NamedTuple):
    """The errors of a fit, as few scores let them be known.

    ``roots`` are those of the covariance with the divisor n - 1 in place of n; ``owner`` says
    which class each belongs to, ``freedom`` how well each class knows its errors; ``bias`` is
    that of the coordinates, to first order.
    """

    roots: FloatArray
    owner: IntArray
    freedom: tuple[float, ...]
    bias: FloatArray

    def reach(self, slopes: FloatArray, level: float) -> FloatArray:
        """Errors that an interval reaches; slopes on the last axis."""
        from scipy.special import stdtrit

        return np.asarray(-stdtrit(self.freedom_along(slopes), 0.5 * (1.0 - level)))

    def freedom_along(self, slopes: FloatArray) -> FloatArray:
        """Welch's degrees of freedom; infinite where nothing varies.

        (V_c + V_i)^2/(V_c^2/(n_c - 1) + V_i^2/(n_i - 1))
        """
        parts = self.variances(slopes)
        largest = np.max(parts, axis=-1)
        moving = largest > 0.0
        parts = parts / np.where(moving, largest, 1.0)[..., None]
        below = np.sum(parts**2 / np.array(self.freedom), axis=-1)
        finite = moving & (below > 0.0)
        freedom = np.sum(parts, axis=-1) ** 2 / np.where(finite, below, 1.0)
        return np.where(finite, freedom, math.inf)

    def shift(self, slopes: FloatArray) -> float:
        """First-order bias of a number with these slopes along the roots."""
        if not np.any(self.bias):
            return 0.0
        along = np.linalg.lstsq(self.roots.T, self.bias, rcond=None)[0]
        return float(slopes @ along)

    def draw(self, stream: np.random.Generator, size: int) -> FloatArray:
        """Errors of all coordinates: Student's in each class, less the bias; a row a draw."""
        z = stream.standard_normal((size, self.roots.shape[0]))
        return np.asarray((z / self._errors(stream, size)[:, self.owner]) @ self.roots - self.bias)

    def largest(self, slopes: FloatArray, options: IntervalOptions) -> float:
        """Quantile of the largest studentised departure of many numbers, a row of slopes each."""
        variances = self.variances(slopes)
        moving = np.sum(variances, axis=1) > 0.0
        slopes, variances = slopes[moving], variances[moving]
        if not slopes.size:
            return 0.0

        def draw(rng: np.random.Generator, size: int) -> FloatArray:
            z = rng.standard_normal((size, self.roots.shape[0]))
            error = np.sqrt(self._errors(rng, size) ** 2 @ variances.T)
            return np.asarray(np.max(np.abs(z @ slopes.T) / error, axis=1))

        return largest_reach(draw, float(np.max(self.reach(slopes, options.level))), options)

    def variances(self, slopes: FloatArray) -> FloatArray:
        """Of each class, on a last axis in place of the roots."""
        parts = [
            np.sum(slopes[..., self.owner == k] ** 2, axis=-1) for k in range(len(self.freedom))
        ]
        return np.stack(parts, axis=-1)

    def _errors(self, stream: np.random.Generator, size: int) -> FloatArray:
        """Each class's error as it would be estimated, in terms of the true one."""
        ratios = [
            stream.chisquare(freedom, size) / freedom if math.isfinite(freedom) else np.ones(size)
            for freedom in self.freedom
        ]
        return np.sqrt(np.stack(ratios, axis=1))


def small_sample(fit: PairEstimate, errors: FreeFit, *, groups: bool) -> SmallSample:
    """The errors of both classes of a fit.

    Classes that vary together, by groups or by a shared parameter, have one common number of
    degrees of freedom, the smaller, and no correction of bias.
    """
    results = fit.client, fit.impostor
    for result in results:
        refuse_light(result)
    roots, cut = errors.roots, len(errors.names[0])
    found = groups_of(fit.scores) if groups else None
    trials = [inner_trials(result) for result in results]
    if found is not None or fit.shared_cov is not None:
        sizes = trials if found is None else [n for n in found.sizes if n is not None]
        freedom = freedom_of(min(sizes))
        # Errors between groups have G/(G - 1) already.
        stretch = 1.0 if found is not None else stretch_of(freedom)
        none = np.zeros(errors.place.size)
        return SmallSample(roots * stretch, np.zeros(roots.shape[0], np.intp), (freedom,), none)
    owner = np.where(np.any(roots[:, cut:] != 0.0, axis=1), 1, 0)
    freedoms = tuple(freedom_of(n, one.fixed) for n, one in zip(trials, results, strict=True))
    stretches = np.array([stretch_of(f) for f in freedoms])
    bias = np.concatenate([_bias(*one) for one in zip(results, errors.names, strict=True)])
    # Beyond one standard error the expansion says no more than that.
    error = np.sqrt(np.sum(roots**2, axis=0))
    bias = np.clip(bias, -error, error)
    return SmallSample(roots * stretches[owner, None], owner, freedoms, bias)


# ------------------------------------------------------------------------------------ bias
def _bias(result: Estimate, names: tuple[str, ...]) -> FloatArray:
    """First-order bias of the coordinates: of log a and log b, of log sigma; else 0."""
    law, n = result.distribution, inner_trials(result)
    base = base_of(law)
    found: dict[str, float] = {}
    if has_shape(base):
        shapes = [name for name in ("a", "b") if name in names]
        found = dict(zip(shapes, shape_bias(base.a, base.b, shapes) / n, strict=True))
    elif has_spread(base) and "sigma" in names:
        from scipy.special import psi

        # n times the variance over sigma^2 is chi-squared with n - 1 degrees of freedom.
        found["sigma"] = 0.5 * float(psi(0.5 * freedom_of(n)) - math.log(0.5 * max(n, 2.0)))
    return np.array([found.get(name, 0.0) for name in names])


def shape_bias(a: float, b: float, free: Sequence[str]) -> FloatArray:
    """n times the bias of the logarithms of the free shapes (Cox and Snell 1968), to 1e-7."""
    second, third, _ = _cumulants(a, b)
    index = [("a", "b").index(name) for name in free]
    if not index:
        return np.empty(0)
    inverse = np.linalg.inv(second[np.ix_(index, index)])
    inner = third[np.ix_(index, index, index)]
    bias = -0.5 * np.einsum("rs,stu,tu->r", inverse, inner, inverse)
    # The logarithm is concave: its bias is smaller by half the variance.
    return np.asarray(bias - 0.5 * np.diag(inverse))


# --------------------------------------------------------------------------- corrections
def shape_corrections(a: float, b: float) -> tuple[float, float]:
    """n times what the mean of the profile deviance of a, and of b, exceeds 1 by (Lawley 1956).

    Of a canonical exponential family with cumulants k of its sufficient statistics
    (3 rho13^2 + 2 rho23^2 - 3 rho4)/12, of both shapes less that of the other one alone. A
    concentrated distribution has 11/6, a normal sigma's.
    """
    if min(a, b) > _NEARLY_NORMAL and a + b > _NEARLY_NORMAL**2:
        return 11.0 / 6.0, 11.0 / 6.0
    second, third, fourth = _cumulants(a, b)
    inverse = np.linalg.inv(second)
    rho4 = np.einsum("ijkl,ij,kl->", fourth, inverse, inverse)
    traces = np.einsum("ijk,ij->k", third, inverse)
    rho13 = traces @ inverse @ traces
    rho23 = np.einsum("ijk,lmn,il,jm,kn->", third, third, inverse, inverse, inverse)
    both = float(3.0 * rho13 + 2.0 * rho23 - 3.0 * rho4) / 12.0
    alone = [
        (5.0 * third[k, k, k] ** 2 / second[k, k] - 3.0 * fourth[k, k, k, k])
        / (12.0 * second[k, k] ** 2)
        for k in (0, 1)
    ]
    return both - float(alone[1]), both - float(alone[0])


def _cumulants(a: float, b: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Second to fourth cumulants of (log s, log(1 - s)), times the shapes: free of scale."""
    from scipy.special import polygamma

    a, b = min(a, _LARGEST), min(b, _LARGEST)
    found = []
    for order in (1, 2, 3):
        # x^(m + 1) psi_m(x) without overflow at small x.
        head = (-1.0) ** (order + 1) * math.factorial(order)
        own, other, total = (
            head + x ** (order + 1) * float(polygamma(order, x + 1.0)) for x in (a, b, a + b)
        )
        shares = np.array([a / (a + b), b / (a + b)])
        array = np.asarray(-total)
        for _ in range(order + 1):
            array = np.multiply.outer(array, shares)
        array[(0,) * (order + 1)] += own
        array[(1,) * (order + 1)] += other
        found.append(array)
    return found[0], found[1], found[2]


def scale_deviance(size: float, freedom: float, level: float) -> float:
    """The exact quantile q of size (r - 1 - log r) where size r is chi-squared.

    Of a normal sigma r = (estimate/sigma)^2 and n r has n - 1 degrees of freedom.
    """
    from scipy.special import chdtr, chdtri, lambertw

    def excess(q: float) -> float:
        if q == 0.0:
            return -level
        z = -math.exp(-1.0 - q / size)
        large, small = (-float(lambertw(z, k).real) for k in (-1, 0))
        return float(chdtr(freedom, size * large) - chdtr(freedom, size * small)) - level

    high = float(chdtri(1.0, 1.0 - level))
    while excess(high) < 0.0:
        high *= 2.0
    return bracketed_root(excess, 0.0, high, what="quantile of a deviance")


# ----------------------------------------------------------------------
_T = TypeVar("_T", bound=Result)
#: The ways to an interval of a fit, the best first.
METHODS = ("delta", "bootstrap")
#: Fractions nearer than this to 0 or 1 have no logit to speak of.
_LOST = 1e-12
#: An error this small is the rounding of differences.
_STILL = 1e-9
#: How far from the median thresholds are looked for, and by what steps, in normal deviates.
_FARTHEST = 6.0
_STRIDE = 0.25
#: Rates that are 1 less another.
_COMPLEMENTS = {
    "tpr": "frr", "recall": "frr", "sensitivity": "frr", "tnr": "far", "specificity": "far",
}  # fmt: skip
#: Step of the differences, in standard errors.
STEP = 0.01
#: Models a step forward and a step back along each root of a covariance.
Steps = Sequence[tuple[ScoreModel, ScoreModel]]


@dataclass(frozen=True, eq=False)
class Nearby:
    """A fit, the errors of its parameters, and the models a step of these away.

    Parameters
    ----------
    fit : PairEstimate
        The fit.
    groups : bool
        Whether its groups vary as wholes.
    """

    fit: PairEstimate
    groups: bool

    @cached_property
    def errors(self) -> FreeFit:
        """The free coordinates and the roots of their covariance."""
        return free_coordinates(self.fit, groups=self.groups)

    @cached_property
    def small(self) -> SmallSample:
        """The errors as few scores let them be known."""
        return small_sample(self.fit, self.errors, groups=self.groups)

    @cached_property
    def steps(self) -> Steps:
        """The models a step forward and a step back along each root."""
        found = models_near(self.model, self.small.roots)
        for model in (model for pair in found for model in pair):
            model._pair.bracketed_as(self.fit.model._pair)
        return found

    def model(self, away: FloatArray) -> ScoreModel:
        """The model whose coordinates are off by so much."""
        laws = (self.fit.client.distribution, self.fit.impostor.distribution)
        moved = laws_at(laws, self.errors.names, self.errors.place + away)
        return ScoreModel(*moved, prior=self.fit.model.prior)

    def drawn(
        self, of: Callable[[ScoreModel], Any], options: IntervalOptions, *columns: int
    ) -> FloatArray:
        """Numbers of the models at drawn parameters, a row a replicate."""

        def draw(rng: np.random.Generator, size: int) -> list[Any]:
            return [of(self.model(away)) for away in self.small.draw(rng, size)]

        return options.replicated(draw, *columns)


def models_near(moved: Callable[[FloatArray], ScoreModel], roots: FloatArray) -> Steps:
    """The models a step forward and a step back along each root."""
    return [(moved(STEP * r), moved(-STEP * r)) for r in roots]


def slopes_of(steps: Steps, of: Callable[[ScoreModel], FloatArray]) -> FloatArray:
    """Changes of numbers with one standard error along each root, on the last axis."""
    return _slopes([(of(forward), of(back)) for forward, back in steps])


def slopes_along(roots: FloatArray, of: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """The same of numbers that are given off by so much."""
    return _slopes([(of(STEP * r), of(-STEP * r)) for r in roots])


def _slopes(ends: list[tuple[FloatArray, FloatArray]]) -> FloatArray:
    with np.errstate(invalid="ignore"):
        changes = [(forward - back) / (2.0 * STEP) for forward, back in ends]
    return np.stack(changes, axis=-1)


def nearby(fit: PairEstimate, *, groups: bool) -> Nearby:
    """What is near a fit, kept with it."""
    found: Nearby = fit._kept.setdefault(("nearby", groups), Nearby(fit, groups))
    return found


# ------------------------------------------------------------------------- the intervals
class Delta(NamedTuple):
    """A statistic with its slopes, on the scale on which its error is nearly normal."""

    estimate: float
    #: The estimate on that scale.
    place: float
    #: Its change with one standard error along each root of the covariance, on that scale.
    slopes: FloatArray
    #: Back from the scale.
    back: Callable[[float], float]

    @property
    def error(self) -> float:
        """The standard error on the scale."""
        return math.sqrt(math.fsum(self.slopes**2))

    def interval(self, level: float) -> Interval:
        """Estimate -+ z errors on the scale."""
        return self.around(0.0, student(math.inf, level), level)

    def around(self, shift: float, reach: float, level: float) -> Interval:
        """Estimate less a shift -+ so many errors on the scale."""
        centre, away = self.place - shift, reach * self.error
        low, high = self.back(centre - away), self.back(centre + away)
        return Interval(self.estimate, low, high, level, "delta")


def supported(found: _T, asking: Asking, *systems: tuple[Evidence, ScoreModel]) -> _T:
    """A number of a system, or of two, with the scores that speak for it; a warning of none."""
    beyond, flags = [], []
    for evidence, model in systems:
        asked = asking.rates(model)
        least = fewest(evidence, asked)
        beyond += [] if least is None else [float(least)]
        flags.append(tell(evidence, asked))
        if asking.row.optimum:
            tell_of_chance(str(asking), evidence, model)
    support: dict[str, Any] = {"n_beyond": min(beyond, default=None), "extrapolated": any(flags)}
    return replace(found, **support)


def near_of(f: PairEstimate, *, groups: bool) -> Nearby:
    """What is near a fit whose classes differ."""
    if f.tied and f.model.client == f.model.impostor:
        raise InputError(
            "the likeliest proper pair is one distribution for both classes here, whose errors"
            " know no"
            f" difference between them; shared are {', '.join(f.tied)}. Take the intervals of"
            + worded(' `family="beta"`.')
        )
    return nearby(f, groups=groups)


def bare_interval(f: PairEstimate, asking: Asking, options: IntervalOptions) -> Interval:
    """The interval of a statistic of a fit, whatever data are behind it."""
    options = options.by(METHODS)
    if options.method == "bootstrap":
        return _drawn_interval(near_of(f, groups=options.groups), asking, options)
    return delta_intervals(f, asking, groups=options.groups)(options.level)


def delta_intervals(
    f: PairEstimate, asking: Asking, *, groups: bool
) -> Callable[[float], Interval]:
    """The interval of a statistic of a fit at any level."""
    near, client = near_of(f, groups=groups), f.model.client
    other = _COMPLEMENTS.get(asking.name)
    if other and asking.number(f.model) > 0.5:  # near 1 the other rate has the digits
        rest = delta_intervals(f, Asking(other, STATISTICS[other], asking.where), groups=groups)
        return lambda level: _complement(rest(level))
    of_frr = asking.name == "threshold" and asking.where.point in ("frr", "tpr")
    if of_frr and client._scored is not client:  # no smooth function of the share without a score
        return lambda level: _where_rate_ends(f, asking, level, groups=groups)
    found = delta(asking, f.model, near.steps)
    biased = asking.row.scale in ("log", "threshold")
    shift = near.small.shift(found.slopes) if biased else 0.0
    return lambda level: found.around(shift, float(near.small.reach(found.slopes, level)), level)


def _complement(rest: Interval) -> Interval:
    ends = 1.0 - rest.high, 1.0 - rest.low
    return Interval(1.0 - rest.estimate, *ends, rest.level, rest.method)


def _where_rate_ends(f: PairEstimate, asking: Asking, level: float, *, groups: bool) -> Interval:
    """The thresholds of which the interval of FRR holds the one that was asked for."""
    from scipy.special import ndtr, ndtri

    asked, scored, estimate = frr_at(asking.where), f.model.client._scored, asking.number(f.model)

    def place(z: float) -> float:
        return float(scored.ppf(ndtr(z)))

    def end(side: str, way: float, beyond: float) -> float:
        """The first place on the way out at which the interval of the rate ends at it."""

        def gap(z: float) -> float:
            at = Asking("frr", STATISTICS["frr"], Where("threshold", place(z)))
            return float(getattr(delta_intervals(f, at, groups=groups)(level), side)) - asked

        last = min(max(float(ndtri(scored.cdf(estimate))), -_FARTHEST), _FARTHEST)
        while abs(last + way) <= _FARTHEST:
            z = last + way
            if way * gap(z) >= 0.0:
                return place(bracketed_root(gap, *sorted((last, z)), what="a threshold"))
            last = z
        return beyond

    low, high = end("high", -_STRIDE, -math.inf), end("low", _STRIDE, scored.support[1])
    return Interval(estimate, low, high, level, "delta")


def _drawn_interval(near: Nearby, asking: Asking, options: IntervalOptions) -> Interval:
    """Quantiles of a statistic at drawn parameters."""
    model = near.fit.model
    estimate = _estimate(asking, model, asking.value(model))
    # Only thresholds have more digits on their scale than the number itself.
    own = asking.row.scale if asking.row.scale == "threshold" else "plain"
    to, back = _scale(own, asking, model)
    values = near.drawn(lambda model: to(asking.value(model)), options)
    gone = int(np.sum(~np.isfinite(values)))
    if gone:
        raise InputError(
            f"the statistic must be a number at all drawn parameters; {asking.name!r} is not"
            f" at {gone} of {options.replicates}. Take another statistic."
        )
    low, high = np.quantile(values, [options.tail, 1.0 - options.tail])
    return Interval(estimate, back(float(low)), back(float(high)), options.level, "bootstrap")


def delta(asking: Asking, model: ScoreModel, steps: Steps) -> Delta:
    """A statistic of a model, and of those a step along each root of a covariance away."""
    row, value = asking.row, asking.value(model)
    estimate = _estimate(asking, model, value)
    to, back = _scale(row.scale, asking, model)

    def place(near: ScoreModel) -> float:
        return to(asking.value(near))

    slopes = [(place(forward) - place(backward)) / (2.0 * STEP) for forward, backward in steps]
    found = Delta(estimate, to(value), np.array(slopes), back)
    # A double next to 1 has lost the digits of its distance from 1; an error rate has all near 0.
    fraction, least = row.scale in ("probit", "partial"), 0.0 if row.better == "lower" else _LOST
    share = (estimate - row.low) / (row.high - row.low) if fraction else 0.5
    if not least < share < 1.0 - _LOST or not found.error < math.inf:
        raise InputError(
            f"{asking.name!r} must lie inside its range to have a derivative; it is"
            f" {estimate!r}, as of classes that do not overlap, or are one."
        )
    if not found.error > _STILL * max(1.0, abs(found.place)):
        raise InputError(
            f"{asking.name!r} must vary with the parameters to have an error; it is"
            f" {estimate!r} whatever they are, as a number of shapes that both classes share."
        )
    return found


def _estimate(asking: Asking, model: ScoreModel, value: Any) -> float:
    estimate = as_number(asking.row, value)
    if not math.isfinite(estimate):
        why = asking.absence(model)
        raise InputError(
            "the statistic must be a finite number for the fitted model;"
            f" {str(asking)!r} is {estimate!r}{why and f': {why}'}."
        )
    return estimate


def _scale(
    name: str, asking: Asking, model: ScoreModel
) -> tuple[Callable[[Any], float], Callable[[float], float]]:
    """Where the error is nearly normal: there from a statistic's value, and back to a number."""
    from scipy.special import ndtr, ndtri

    row = asking.row
    if name == "threshold" and model._pair.unit:
        return lambda point: float(point.logit_threshold), from_logit
    if name == "threshold":
        return lambda point: float(point.threshold), float
    if name == "probit":
        low, width = row.low, row.high - row.low

        def share(x: Any) -> float:
            return min(max((as_number(row, x) - low) / width, 0.0), 1.0)

        return lambda x: float(ndtri(share(x))), lambda y: low + width * float(ndtr(y))
    if name == "partial":
        # Its lower end is that of a TPR of 0: the scale is that of the mean TPR of the range.
        rest = 2.0 - asking.where.value[0] - asking.where.value[1]
        return (
            lambda x: -float(ndtri(min(rest * (1.0 - float(x)), 1.0))),
            lambda y: 1.0 - float(ndtr(-y)) / rest,
        )
    if name == "log":
        return lambda x: math.log(x) if as_number(row, x) > 0.0 else -math.inf, from_log
    return lambda x: as_number(row, x), float
