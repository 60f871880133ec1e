"""Errors of a fit, and intervals of any number of its model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from betaroc.core import checks, thresholds
from betaroc.core.arrays import CLASSES, BoolArray, FloatArray, IntArray
from betaroc.core.errors import InputError, refusal
from betaroc.core.options import IntervalOptions
from betaroc.core.special import bracketed_root, interval_end, log_beta_ratio
from betaroc.core.value import Result
from betaroc.core.vocabulary import worded
from betaroc.data.groups import groups_of
from betaroc.data.scores import Scores, require_scores
from betaroc.distributions import beta, normal, shifted
from betaroc.distributions.base import Distribution, Free, free, moved
from betaroc.distributions.inflated import MASSES, REJECTED, base_of
from betaroc.distributions.rank_normal import RankNormal, is_of_ranks, rank_scores
from betaroc.estimation import contract, families
from betaroc.estimation.estimate import Estimate, PairEstimate
from betaroc.inference.interval import Interval, Limits, from_log, from_logit
from betaroc.inference.scores_beyond import SampleSupport, fewest, tell, tell_of_chance
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import STATISTICS, StatisticSpec


def block_diag(*blocks: FloatArray) -> FloatArray:
    """Matrices along a diagonal."""
    from scipy import linalg

    return np.asarray(linalg.block_diag(*blocks))


def joint_cov(fit: PairEstimate, *, groups: bool = True) -> FloatArray:
    """Covariance of both classes' parameters; see `Fit.joint_cov`."""
    results = fit.client, fit.impostor
    units = groups_of(fit.scores) if checks.flag(groups, "groups") else None
    covariance, cut = block_diag(*(r.cov for r in results)), len(results[0].names)
    if fit.shared_cov is not None:
        covariance[:cut, cut:] = fit.shared_cov
        covariance[cut:, :cut] = covariance[:cut, cut:].T
    if units is None or not all(result.names for result in results):
        return covariance
    scores = require_scores(fit.scores, "the errors of groups")
    # Not a number where no double holds the products, as of scores of 1e-300.
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        sums = np.tile(np.eye(len(covariance)), 2)
        return np.asarray(sums @ units.covariance(*trial_moves(fit, scores)) @ sums.T)


# ------------------------------------------------------------ scores of single observations
def trial_moves(fit: PairEstimate, scores: Scores) -> list[FloatArray]:
    """How far each trial moves the parameters of both classes, shape (n, p)."""
    cut, cov = len(fit.client.names), joint_cov(fit, groups=False)
    if is_of_ranks(fit.model.client):  # impostors move the clients' parameters
        law = cast(RankNormal, base_of(fit.model.client))
        return [part @ cov[:2] for part in rank_scores(law, scores._counted)]
    rows = zip((fit.client, fit.impostor), scores._weighted, (cov[:cut], cov[cut:]), strict=True)
    return [observation_scores(result, *sample) @ part for result, sample, part in rows]


def observation_scores(
    result: Estimate, values: FloatArray, weights: FloatArray | None
) -> FloatArray:
    """Derivative of each score's log-likelihood in the parameters, shape (n, p)."""
    if not result.names:
        actual, remedy = f"family {result.family!r}", "Fit a parametric family."
        raise refusal("a fit", "have parameters to have a covariance", actual, remedy)
    law, rule = result.distribution, result.boundary
    if rule is not None and rule.policy == "squeeze":
        n = float(values.size) if weights is None else math.fsum(weights.tolist())
        low, high = shifted.score_range(law)
        values = low + ((values - low) * (n - 1.0) + 0.5 * (high - low)) / n
    keep, answer = undropped(result, values), np.zeros((values.size, len(result.names)))
    keep &= True if weights is None else weights > 0.0
    if in_cells(result):
        distinct, place = np.unique(values[keep], return_inverse=True)
        likelihood = _cell_log_likelihood(result, distinct)
        scores = law._differences(likelihood, distinct.shape)[:, np.ravel(place)]
    else:
        scores = law._score(thresholds.Thresholds.from_theta(values[keep]))
    names = [p.name for p in law._parameters()]
    answer[keep] = scores[[names.index(name) for name in result.names]].T
    return answer


def undropped(result: Estimate, values: FloatArray) -> BoolArray:
    """Observations that were not dropped."""
    return shifted.between_ends(result.distribution, values) | (_policy_in_force(result) != "drop")


def _policy_in_force(result: Estimate) -> str | None:
    """The rule for 0 and 1 where it changes the likelihood of a score."""
    rule = result.boundary
    if rule is None:
        return None
    touched = rule.policy not in {"censor", "matlab"} or rule.n_censored_low + rule.n_censored_high
    return rule.policy if touched else None


def in_cells(result: Estimate) -> bool:
    """Whether some scores count by the probability of a cell."""
    return _policy_in_force(result) in {"censor", "matlab", "interval"}


def _cell_log_likelihood(
    result: Estimate, values: FloatArray
) -> Callable[[Distribution], FloatArray]:
    policy, support = _policy_in_force(result), result.distribution.support
    resolution = (result.boundary and result.boundary.resolution) or 0.0
    if policy == "interval":
        _, low, high, place = contract.score_cells(values, resolution, support)
        logs = contract.log_masses(low, high, support)
        return lambda law: logs(law)[place]
    first, last = shifted.score_range(result.distribution)
    share = resolution / (last - first)
    edges = (share, 1.0 - share) if policy == "censor" else contract.MATLAB_EDGES
    least, most = (first + (last - first) * edge for edge in edges)
    below = values <= least if policy == "censor" else values < least
    above = values >= most if policy == "censor" else values > most

    def at(law: Distribution) -> FloatArray:
        answer = np.asarray(law.logpdf(np.clip(values, least, most)))
        return np.where(below, law.logcdf(least), np.where(above, law.logsf(most), answer))

    return at


# ----------------------------------------------------------------- roots of the covariance
def covariance_roots(covariance: FloatArray) -> FloatArray:
    """Vectors whose outer products sum to the covariance, made positive semidefinite."""
    # Of the correlations, so that coordinates in large units do not drown the others.
    scale = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    safe = np.where(scale > 0.0, scale, 1.0)
    values, vectors = np.linalg.eigh(covariance / np.outer(safe, safe))
    keep = values > 1e-14 * np.max(values, initial=0.0)
    return np.asarray((vectors[:, keep] * np.sqrt(values[keep])).T * scale)


# ------------------------------------------------------------------------------- few scores
#: Shapes beyond which cumulants cancel and a beta distribution is normal to this share.
_NEARLY_NORMAL = 1e3
#: Beyond this shape the cumulants of log s and log(1 - s) cancel, and what is made of them is at
#: its limit to 1e-7: that of a gamma distribution, or of a normal one.
_LARGEST = 1e7


def inner_trials(result: Estimate) -> float:
    """Trials of a distribution that lie on no point mass."""
    shares = [result.params.get(name, 0.0) for name in MASSES]
    return float(_scored_trials(result) * (1.0 - math.fsum(shares)))


def _scored_trials(result: Estimate) -> float:
    return float(result.total_weight * (1.0 - result.params.get(REJECTED, 0.0)))


def freedom_of(trials: float, fixed: Sequence[str] = ()) -> float:
    """Degrees of freedom of so many trials, at least of two."""
    # Where the other shape is fixed that of a logarithm is 1/sqrt(n), and nothing is estimated.
    return math.inf if fixed else max(trials, 2.0) - 1.0


def _stretch_of(freedom: float) -> float:
    """From the divisor n to n - 1."""
    return math.sqrt(1.0 + 1.0 / freedom)


def _check_light(result: Estimate) -> None:
    """Errors need more than one trial."""
    trials = inner_trials(result)
    if not trials > 1.0:
        rule = "have a total weight above 1 between the point masses: weights are numbers of trials"
        raise refusal("a fit", rule, f"{trials:.6g}", "Give the weights as frequencies.")


def student(freedom: float, level: float) -> float:
    """How many standard errors an interval reaches."""
    from scipy.special import stdtrit

    return -float(stdtrit(freedom, 0.5 * (1.0 - level)))


class SmallSample(NamedTuple):
    """The errors of a fit of few scores."""

    #: Of the covariance with the divisor n - 1 in place of n.
    roots: FloatArray
    #: The class that each root belongs to.
    owner: IntArray
    freedom: tuple[float, ...]
    #: Of the coordinates, to first order.
    bias: FloatArray

    def reach(self, slopes: FloatArray, level: float) -> FloatArray:
        """Errors that an interval reaches; slopes on the last axis."""
        from scipy.special import stdtrit

        return np.asarray(-stdtrit(self.freedom_along(slopes), 0.5 * (1.0 - level)))

    def freedom_along(self, slopes: FloatArray) -> FloatArray:
        """Welch's (V_c + V_i)^2/(V_c^2/(n_c - 1) + V_i^2/(n_i - 1)); infinite of no variance."""
        parts = self.variances(slopes)
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = parts / np.max(parts, axis=-1, keepdims=True)  # squares that do not underflow
            below = np.sum(parts**2 / np.array(self.freedom), axis=-1)
            freedom = np.sum(parts, axis=-1) ** 2 / below
        return np.where(np.isnan(freedom), math.inf, freedom)

    def shift(self, slopes: FloatArray) -> float:
        if not np.any(self.bias):
            return 0.0
        return float(slopes @ np.linalg.lstsq(self.roots.T, self.bias, rcond=None)[0])

    def draw(self, stream: np.random.Generator, size: int) -> FloatArray:
        """Drawn errors of all coordinates, one row per draw."""
        z = stream.standard_normal((size, self.roots.shape[0]))
        return np.asarray((z / self._errors(stream, size)[:, self.owner]) @ self.roots - self.bias)

    def largest(self, slopes: FloatArray, options: IntervalOptions) -> float:
        """Quantile of the largest studentised departure of many numbers."""
        variances = self.variances(slopes)
        moving = np.sum(variances, axis=1) > 0.0
        slopes, variances = slopes[moving], variances[moving]
        if not slopes.size:
            return 0.0
        single = float(np.max(self.reach(slopes, options.level)))
        if 1 in slopes.shape:
            return single

        def draw(rng: np.random.Generator, size: int) -> FloatArray:
            z = rng.standard_normal((size, self.roots.shape[0]))
            error = np.sqrt(self._errors(rng, size) ** 2 @ variances.T)
            return np.asarray(np.max(np.abs(z @ slopes.T) / error, axis=1))

        # The draws of a smaller quantile are unlucky.
        return max(single, float(np.quantile(options.replicated(draw), options.level)))

    def variances(self, slopes: FloatArray) -> FloatArray:
        """Of each class, on a last axis in place of the roots."""
        return np.asarray(slopes**2 @ (self.owner[:, None] == np.arange(len(self.freedom))))

    def _errors(self, stream: np.random.Generator, size: int) -> FloatArray:
        """Each class's estimated error over the true one."""
        ratios = [
            stream.chisquare(freedom, size) / freedom if math.isfinite(freedom) else np.ones(size)
            for freedom in self.freedom
        ]
        return np.sqrt(np.stack(ratios, axis=1))


def gaussian_reach(changes: FloatArray, options: IntervalOptions) -> float:
    """`SmallSample.largest` of numbers whose errors are known."""
    k = changes.shape[1]
    errors = SmallSample(np.eye(k), np.zeros(k, np.intp), (math.inf,), np.zeros(k))
    return errors.largest(changes, options)


def _bias(result: Estimate, names: tuple[str, ...]) -> FloatArray:
    """First-order bias of log a and log b, of log sigma; else 0."""
    from scipy.special import psi

    n, base = inner_trials(result), base_of(result.distribution)
    biases: dict[str, float] = {}
    if beta.has_shape(base):
        shapes = [name for name in ("a", "b") if name in names]
        biases = dict(zip(shapes, shape_bias(base.a, base.b, shapes) / n, strict=True))
    elif normal.has_spread(base):
        # n times the variance over sigma^2 is chi-squared with n - 1 degrees of freedom.
        biases["sigma"] = 0.5 * float(psi(0.5 * freedom_of(n)) - math.log(0.5 * max(n, 2.0)))
    return np.array([biases.get(name, 0.0) for name in names])


def shape_bias(a: float, b: float, free: Sequence[str]) -> FloatArray:
    """n times the bias of the logarithms of the free shapes (Cox and Snell 1968), to 1e-7."""
    second, third, _ = _cumulants(a, b)
    index = [("a", "b").index(name) for name in free]
    inverse = np.linalg.inv(second[np.ix_(index, index)])
    inner = third[np.ix_(index, index, index)]
    bias = -0.5 * np.einsum("rs,stu,tu->r", inverse, inner, inverse)
    # The logarithm is concave: its bias is smaller by half the variance.
    return np.asarray(bias - 0.5 * np.diag(inverse))


def shape_corrections(a: float, b: float) -> tuple[float, float]:
    """n times the excess over 1 of the mean profile deviances of a and b (Lawley 1956)."""
    # Of a canonical exponential family with cumulants k of its sufficient statistics
    # (3 rho13^2 + 2 rho23^2 - 3 rho4)/12, of both shapes less that of the other one alone. A
    # concentrated distribution has 11/6, a normal sigma's.
    if min(a, b) > _NEARLY_NORMAL and a + b > _NEARLY_NORMAL**2:
        return 11.0 / 6.0, 11.0 / 6.0
    second, third, fourth = _cumulants(a, b)
    inverse = np.linalg.inv(second)
    rho4 = np.einsum("ijkl,ij,kl->", fourth, inverse, inverse)
    traces = np.einsum("ijk,ij->k", third, inverse)
    rho13 = traces @ inverse @ traces
    rho23 = np.einsum("ijk,lmn,il,jm,kn->", third, third, inverse, inverse, inverse)
    both = float(3.0 * rho13 + 2.0 * rho23 - 3.0 * rho4) / 12.0
    k = [0, 1]
    variance, skew, kurtosis = second[k, k], third[k, k, k], fourth[k, k, k, k]
    of_a, of_b = (5.0 * skew**2 / variance - 3.0 * kurtosis) / (12.0 * variance**2)
    return both - float(of_b), both - float(of_a)


def _cumulants(a: float, b: float) -> list[FloatArray]:
    """Second to fourth cumulants of (log s, log(1 - s)), times the shapes."""
    from scipy.special import polygamma

    a, b = min(a, _LARGEST), min(b, _LARGEST)
    shares, result = np.array([a, b]) / (a + b), []
    for order in (1, 2, 3):
        x = np.array([a, b, a + b])
        # x^(m + 1) psi_m(x) without overflow at small x.
        head = (-1.0) ** (order + 1) * math.factorial(order)
        of_a, of_b, total = head + x ** (order + 1) * polygamma(order, x + 1.0)
        array = np.asarray(-total)
        for _ in range(order + 1):
            array = np.multiply.outer(array, shares)
        array[(0,) * (order + 1)] += of_a
        array[(1,) * (order + 1)] += of_b
        result.append(array)
    return result


# -------------------------------------------------------------------------- models near a fit
_T = TypeVar("_T", bound=Result)
#: The ways to an interval of a fit, the best first.
METHODS = ("delta", "bootstrap")
#: Fractions nearer than this to 0 or 1 have no logit to speak of.
_LOST = 1e-12
#: An error this small is the rounding of differences.
_STILL = 1e-9
#: Rates that are 1 less another.
_COMPLEMENTS = {
    "tpr": "frr", "recall": "frr", "sensitivity": "frr", "tnr": "far", "specificity": "far",
}  # fmt: skip
#: Step of the differences, in standard errors.
STEP = 0.01
#: Models a step forward and a step back along each root of a covariance.
Steps = Sequence[tuple[ScoreModel, ScoreModel]]


@dataclass(frozen=True, eq=False)
class PerturbedModels:
    """A fit, the errors of its parameters, and models a step away."""

    fit: PairEstimate
    groups: bool
    #: Whether what varies is of the ROC alone, not of single scores.
    of_roc: bool = False

    @cached_property
    def base(self) -> ScoreModel:
        """What is varied; of ranks on the latent scale, which has all digits."""
        model = self.fit.model
        return _on_latent(model) if is_of_ranks(model.client) else model

    @cached_property
    def _parts(self) -> tuple[Free, Free]:
        results = self.fit.client, self.fit.impostor
        if not self.of_roc and is_of_ranks(self.fit.model.client):
            rule = "be asked of its ROC alone: places on the latent scale have errors of their own"
            raise refusal("a fit of ranks", rule, "a threshold", "Count: br.interval(scores, ...).")
        for who, result in zip(CLASSES, results, strict=True):
            known = {p.name for p in result.distribution._parameters()}
            if not result.names or not set(result.names) <= known:
                raise refusal(
                    "a fit whose errors are asked for", "have parameters to vary in both classes",
                    f"{', '.join(result.names) or 'none'} of the {who} family {result.family!r}",
                    'Ask the scores: br.interval(scores, "eer"), br.epc(dev, scores).band().',
                )  # fmt: skip
        client, impostor = (free(r.distribution, r.names, r.fixed) for r in results)
        return client, impostor

    @property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self._parts[0].names, self._parts[1].names

    @cached_property
    def place(self) -> FloatArray:
        return np.concatenate([part.place for part in self._parts])

    @cached_property
    def roots(self) -> FloatArray:
        """The change with one standard error along each root, in rows."""
        fit, results = self.fit, (self.fit.client, self.fit.impostor)
        for who, result in zip(CLASSES, results, strict=True):
            if not np.all(np.isfinite(result.cov)):
                actual = f"{who} {result.distribution!r:.60}"
                remedy = worded('Give scores themselves, or where it is dev\'s `resample="test"`.')
                raise refusal("the fit", "have a finite covariance to vary", actual, remedy)
        if (self.groups and groups_of(fit.scores) is not None) or fit.shared_cov is not None:
            roots = covariance_roots(joint_cov(fit, groups=self.groups))
        else:
            roots = block_diag(*(covariance_roots(np.array(r.cov)) for r in results))
        return np.asarray(roots @ block_diag(*(part.rates for part in self._parts)).T)

    @cached_property
    def small(self) -> SmallSample:
        """The errors as few scores let them be known."""
        # Classes that vary together, by groups or by a shared parameter, have one number of degrees
        # of freedom, the smaller, and no correction of bias.
        results, roots = (self.fit.client, self.fit.impostor), self.roots
        for result in results:
            _check_light(result)
        units = groups_of(self.fit.scores) if self.groups else None
        trials = [inner_trials(result) for result in results]
        if units is not None or self.fit.shared_cov is not None:
            sizes = trials if units is None else [n for n in units.sizes if n is not None]
            freedom = freedom_of(min(sizes))
            # Errors between groups have G/(G - 1) already.
            stretch = 1.0 if units is not None else _stretch_of(freedom)
            none = np.zeros(self.place.size)
            return SmallSample(roots * stretch, np.zeros(len(roots), np.intp), (freedom,), none)
        owner = np.where(np.any(roots[:, len(self.names[0]) :] != 0.0, axis=1), 1, 0)
        freedoms = tuple(freedom_of(n, r.fixed) for n, r in zip(trials, results, strict=True))
        stretches = np.array([_stretch_of(f) for f in freedoms])
        bias = np.concatenate([_bias(*item) for item in zip(results, self.names, strict=True)])
        # Beyond one standard error the expansion says no more than that.
        error = np.sqrt(np.sum(roots**2, axis=0))
        bias = np.clip(bias, -error, error)
        return SmallSample(roots * stretches[owner, None], owner, freedoms, bias)

    @cached_property
    def steps(self) -> Steps:
        result = models_near(self.model, self.small.roots)
        for model in (model for pair in result for model in pair):
            model._pair.bracketed_as(self.base._pair)
        return result

    def laws(self, away: FloatArray) -> tuple[Distribution, Distribution]:
        names, values = self.names, (self.place + away).tolist()
        client, impostor = self.base.client, self.base.impostor
        cut = len(names[0])
        if np.any(away[:cut]):
            client = moved(client, names[0], values[:cut])
        if np.any(away[cut:]):
            impostor = moved(impostor, names[1], values[cut:])
        return client, impostor

    def model(self, away: FloatArray) -> ScoreModel:
        return ScoreModel(*self.laws(away), prior=self.fit.model.prior)

    def slopes(self, of: Callable[[ScoreModel], FloatArray]) -> FloatArray:
        """Changes of numbers with one standard error along each root, on the last axis."""
        return _slopes([(of(forward), of(back)) for forward, back in self.steps])

    def drawn(
        self, of: Callable[[ScoreModel], Any], options: IntervalOptions, *columns: int
    ) -> FloatArray:
        """Numbers of the models at drawn parameters, a row per replicate."""

        def draw(rng: np.random.Generator, size: int) -> list[Any]:
            return [of(self.model(away)) for away in self.small.draw(rng, size)]

        return options.replicated(draw, *columns)


def models_near(moved: Callable[[FloatArray], ScoreModel], roots: FloatArray) -> Steps:
    """The models a step forward and back along each root."""
    return [(moved(STEP * r), moved(-STEP * r)) for r in roots]


def slopes_along(roots: FloatArray, of: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Changes of numbers along each root, on the last axis."""
    return _slopes([(of(STEP * r), of(-STEP * r)) for r in roots])


def _slopes(ends: Sequence[tuple[Any, Any]]) -> FloatArray:
    with np.errstate(invalid="ignore"):
        changes = [(forward - back) / (2.0 * STEP) for forward, back in ends]
    return np.stack(changes, axis=-1)


def near_of(
    fit: PairEstimate, *, groups: bool, of: Callable[[ScoreModel], Any] | None = None
) -> PerturbedModels:
    """The models near a fit, kept with it."""
    if fit.tied and fit.model.client == fit.model.impostor:
        rule = "differ between the classes to have errors"
        remedy = "Take the intervals of" + worded(' `family="beta"`.')
        raise refusal("the likeliest proper pair", rule, "one distribution for both", remedy)
    of_roc = of is not None and (
        not is_of_ranks(fit.model.client)
        or np.allclose(*(of(_on_latent(fit.model, unit)) for unit in (1.0, 1e300)))
    )
    key, new = (f"nearby {of_roc}", groups), PerturbedModels(fit, groups, of_roc)
    result: PerturbedModels = fit._kept.setdefault(key, new)
    return result


def _on_latent(model: ScoreModel, unit: float = 1.0) -> ScoreModel:
    """The model of other scores of the same ranks."""

    def mapped(law: Any) -> Any:
        if not isinstance(law, RankNormal):
            return replace(law, base=mapped(law.base))
        return replace(law, scores=unit * (law.latent - (unit > 1.0) * 0.5772))

    return replace(model, client=mapped(model.client), impostor=mapped(model.impostor))


# --------------------------------------------------------------------- intervals of a number
class Delta(NamedTuple):
    """A statistic with its slopes, on a scale where its error is nearly normal."""

    estimate: float
    #: The estimate on that scale.
    place: float
    #: Its change with one standard error along each root of the covariance, on that scale.
    slopes: FloatArray
    #: Back from the scale.
    back: Callable[[float], float]

    @property
    def error(self) -> float:
        return math.sqrt(math.fsum(self.slopes**2))

    def interval(self, level: float, reach: float | None = None, shift: float = 0.0) -> Interval:
        """Estimate less a shift -+ so many errors, z where left out, on the scale."""
        away = (student(math.inf, level) if reach is None else reach) * self.error
        low, high = self.back(self.place - shift - away), self.back(self.place - shift + away)
        return Interval(self.estimate, low, high, level, "delta")


def supported(result: _T, spec: StatisticSpec, *systems: tuple[SampleSupport, ScoreModel]) -> _T:
    """A number with the scores that speak for it; it warns where there are none."""
    beyond, flags = [], []
    for evidence, model in systems:
        asked = spec.rates(model)
        least = fewest(evidence, asked)
        beyond += [] if least is None else [float(least)]
        flags.append(tell(evidence, asked))
        if spec.optimum:
            tell_of_chance(str(spec), evidence, model)
    support: dict[str, Any] = {"n_beyond": min(beyond, default=None), "extrapolated": any(flags)}
    return replace(result, **support)


def bare_interval(f: PairEstimate, spec: StatisticSpec, options: IntervalOptions) -> Interval:
    """The interval of a statistic of a fit."""
    options = options.by(METHODS)
    if options.method != "bootstrap":
        return delta_intervals(f, spec, groups=options.groups)(options.level)
    near = near_of(f, groups=options.groups, of=spec.number)
    model = near.base
    estimate = _finite(spec, model, spec.value(model))
    # Only thresholds have more digits on their scale than the number itself.
    to, back = _scale("threshold" if spec.row.scale == "threshold" else "plain", spec, model)
    values = near.drawn(lambda model: to(spec.value(model)), options)
    gone = int(np.sum(~np.isfinite(values)))
    if gone:
        rule, actual = "be a number at all drawn parameters", f"none at {gone} of {values.size}"
        raise refusal(repr(str(spec)), rule, actual, "Take another statistic.")
    low, high = np.quantile(values, [options.tail, 1.0 - options.tail])
    return Interval(estimate, back(float(low)), back(float(high)), options.level, "bootstrap")


def delta_intervals(
    f: PairEstimate, spec: StatisticSpec, *, groups: bool
) -> Callable[[float], Interval]:
    """The interval of a statistic of a fit at any level."""
    near = near_of(f, groups=groups, of=spec.number)
    client = near.base.client
    other = _COMPLEMENTS.get(spec.name)
    if other and spec.number(near.base) > 0.5:  # near 1 the other rate has the digits
        rest = StatisticSpec(other, STATISTICS[other], spec.where)
        rest_at = delta_intervals(f, rest, groups=groups)
        return lambda level: _complement(rest_at(level))
    of_share = spec.name == "threshold" and spec.where.point in ("frr", "tpr")
    if of_share and client._scored is not client:
        rule = "be of scores where some clients have none: it is no smooth function of their share"
        remedy = "Ask the scores: br.interval(scores, ...)."
        raise refusal(repr(str(spec)), rule, "a family", remedy)
    result, small = delta(spec, near.base, near.steps), near.small
    shift = small.shift(result.slopes) if spec.row.scale in ("log", "threshold") else 0.0
    return lambda level: result.interval(level, float(small.reach(result.slopes, level)), shift)


def _complement(rest: Interval) -> Interval:
    return replace(rest, estimate=1.0 - rest.estimate, low=1.0 - rest.high, high=1.0 - rest.low)


def delta(spec: StatisticSpec, model: ScoreModel, steps: Steps) -> Delta:
    """A statistic of a model, with its slopes along the steps."""
    row, value = spec.row, spec.value(model)
    estimate = _finite(spec, model, value)
    to, from_scale = _scale(row.scale, spec, model)
    ends = [(to(spec.value(forward)), to(spec.value(back))) for forward, back in steps]
    result = Delta(estimate, to(value), _slopes(ends), from_scale)
    # A double next to 1 has lost the digits of its distance from 1; an error rate has all near 0.
    fraction, least = row.scale in ("probit", "partial"), 0.0 if row.better == "lower" else _LOST
    share = (estimate - row.low) / (row.high - row.low) if fraction else 0.5
    if not least < share < 1.0 - _LOST or not result.error < math.inf:
        rule = "lie inside its range to have a derivative"
        remedy = "That of classes that do not overlap, or are one, does not."
        raise refusal(repr(str(spec)), rule, repr(estimate), remedy)
    if not result.error > _STILL * max(1.0, abs(result.place)):
        rule, actual = "vary with the parameters to have an error", f"{estimate!r} of all of them"
        raise refusal(repr(str(spec)), rule, actual, "Take another statistic.")
    return result


def _finite(spec: StatisticSpec, model: ScoreModel, value: Any) -> float:
    estimate = spec.as_number(value)
    if not math.isfinite(estimate):
        why = spec.absence(model)
        actual = f"{estimate!r}{why and f': {why}'}"
        raise refusal(repr(str(spec)), "be a finite number for the fitted model", actual, "")
    return estimate


def _scale(
    name: str, spec: StatisticSpec, model: ScoreModel
) -> tuple[Callable[[Any], float], Callable[[float], float]]:
    from scipy.special import ndtr, ndtri

    if name == "threshold" and model._pair.unit:
        return lambda point: float(point.logit_threshold), from_logit
    if name == "threshold":
        return lambda point: float(point.thresholds.theta), float
    if name == "log":
        return lambda x: math.log(x) if spec.as_number(x) > 0.0 else -math.inf, from_log
    if name == "probit":
        low, width = spec.row.low, spec.row.high - spec.row.low
        return (
            lambda x: float(ndtri(min(max((spec.as_number(x) - low) / width, 0.0), 1.0))),
            lambda y: low + width * float(ndtr(y)),
        )
    if name == "partial":
        # Its lower end is that of a TPR of 0: the scale is that of the mean TPR of the range.
        rest = 2.0 - spec.where.value[0] - spec.where.value[1]
        return (
            lambda x: -float(ndtri(min(rest * (1.0 - float(x)), 1.0))),
            lambda y: 1.0 - float(ndtr(-y)) / rest,
        )
    return spec.as_number, lambda y: min(max(y, spec.row.low), spec.row.high)


# -------------------------------------------------------------------- intervals of parameters
PARAMETER_METHODS = ("profile", "wald")
#: Beyond this concentration the beta deviance cancels too many digits.
_CONCENTRATED = 1e8
#: Logits of shares this far away are all that doubles have.
_FARTHEST = 700.0


def grouped_conf_int(f: PairEstimate, options: IntervalOptions) -> dict[str, dict[str, Interval]]:
    """Intervals of both classes; `Fit.conf_int` documents it."""
    # A family of a density of its own has Wald's, as does one beside another that has a profile.
    options = options.by(PARAMETER_METHODS)
    results = {"client": f.client, "impostor": f.impostor}
    units = groups_of(f.scores) if options.groups else None
    if units is None:
        differ, answer = f.client.family != f.impostor.family, {}
        for who, fit in results.items():
            row = families.FAMILIES[fit.family]
            by_wald = not _has_sums(fit) and (differ or row.of_density or row.ranked)
            answer[who] = conf_int(fit, replace(options, method="wald") if by_wald else options)
        return answer
    if options.method == "profile":
        raise InputError.about("method")(
            'method="profile" takes trials as independent, and these scores carry groups. Take'
            ' method="wald", or groups=False.'
        )
    errors, answer = iter(np.sqrt(np.diag(joint_cov(f))).tolist()), {}
    for (who, result), size in zip(results.items(), units.sizes, strict=True):
        freedom = freedom_of(inner_trials(result) if size is None else size)
        of_class = {name: next(errors) for name in result.names}
        # Errors between groups have G/(G - 1) already.
        ends = _wald(result, of_class, options.level, freedom, 1.0)
        answer[who] = _intervals(result, ends, options)
    return answer


def conf_int(fit: Estimate, options: IntervalOptions) -> dict[str, Interval]:
    """The interval of each parameter; `DistributionFit.conf_int` documents it."""
    options = options.by(PARAMETER_METHODS)
    _check_light(fit)
    if options.method == "wald":
        freedom = freedom_of(inner_trials(fit), fit.fixed)
        ends = _wald(fit, fit.std_errors, options.level, freedom, _stretch_of(freedom))
    else:
        _check_profile(fit)
        ends = _profile(fit, options.level)
    return _intervals(fit, ends, options)


def _intervals(
    fit: Estimate, ends: dict[str, Limits], options: IntervalOptions
) -> dict[str, Interval]:
    level, method = options.level, str(options.method)
    return {name: Interval(fit.params[name], *ends[name], level, method) for name in fit.names}


def _has_sums(fit: Estimate) -> bool:
    base = base_of(fit.distribution)
    return beta.has_shape(base) or normal.has_spread(base)


def _check_profile(fit: Estimate) -> None:
    """Refuse censored and rounded scores, of which a fit keeps no sums."""
    a, b = fit.params.get("a", 1.0), fit.params.get("b", 1.0)
    if not _has_sums(fit):
        why = f"needs a beta, normal or logit-normal distribution; got family {fit.family!r}"
    elif in_cells(fit):
        why = f"needs single scores; some lie in cells or beyond an edge ({_policy_in_force(fit)})"
    elif fit.tied:
        why = f"takes the classes one by one, and these distributions share {', '.join(fit.tied)}"
    elif a + b > _CONCENTRATED:
        why = f"needs a + b <= {_CONCENTRATED:g}; got a={a!r}, b={b!r}"
    else:
        return
    raise InputError.about("method")(f'method="profile" {why}. Take method="wald".')


# ------------------------------------------------------------------------------ profile
def _profile(fit: Estimate, level: float) -> dict[str, Limits]:
    # That of chi-squared for a point mass, exact for normal distributions and for a single shape,
    # with Lawley's correction of the mean for two shapes.
    from scipy.special import chdtri

    fall, params, n = float(chdtri(1.0, 1.0 - level)), dict(fit.params), inner_trials(fit)
    totals = dict.fromkeys(MASSES, _scored_trials(fit)) | {REJECTED: fit.total_weight}
    ends = {
        name: _share_ends(params[name], fall / (2.0 * total))
        for name, total in totals.items() if name in params
    }  # fmt: skip
    if "a" in params and fit.fixed:
        # 2 n p/estimate is chi-squared with 2 n degrees of freedom.
        shape = "a" if "b" in fit.fixed else "b"
        low, high = _scale_ends(1.0, _scale_deviance(2.0 * n, 2.0 * n, level) / (2.0 * n))
        ends |= {name: (params[name], params[name]) for name in fit.fixed}
        ends[shape] = params[shape] / high**2, params[shape] / low**2
    elif "a" in params:
        a, b = params["a"], params["b"]
        # Where the correction is as large as what it corrects, the expansion says no more.
        of_a, of_b = (fall * (1.0 + min(c / n, 1.0)) for c in shape_corrections(a, b))
        ends |= {"a": _shape_ends(a, b, of_a / n), "b": _shape_ends(b, a, of_b / n)}
    if "mu" in params:
        mu, sigma, freedom = params["mu"], params["sigma"], freedom_of(n)
        reach = student(freedom, level) * sigma / math.sqrt(freedom)
        ends["mu"] = (mu - reach, mu + reach)
        ends["sigma"] = _scale_ends(sigma, _scale_deviance(n, n - 1.0, level) / n)
    return ends


def _shape_ends(a: float, b: float, fall: float) -> Limits:
    """Shapes a' with 2 [l(a, b) - max over b' of l(a', b')] = fall, per score."""
    _, mean_log, mean_log1m = beta.ClassSums.at(a, b)

    def excess(log_ratio: float) -> float:
        if log_ratio == 0.0:
            return -fall
        other = a * math.exp(log_ratio)
        best = beta.best_partner(other, mean_log1m)
        gain = (other - a) * mean_log + (best - b) * mean_log1m
        return 2.0 * (log_beta_ratio(other, best, a, b) - gain) - fall

    def end(step: float) -> float:
        while excess(step) < 0.0:
            step *= 1.5
        return a * from_log(interval_end(excess, 0.0, step, what="end of a profile interval"))

    return end(-math.sqrt(fall)), end(math.sqrt(fall))


def _scale_deviance(size: float, freedom: float, level: float) -> float:
    """The exact quantile of size (r - 1 - log r) with size r chi-squared."""
    from scipy.special import chdtr, chdtri

    def excess(q: float) -> float:
        if q == 0.0:
            return -level
        small, large = _ratios(q / size)
        return float(chdtr(freedom, size * large) - chdtr(freedom, size * small)) - level

    high = float(chdtri(1.0, 1.0 - level))
    while excess(high) < 0.0:
        high *= 2.0
    return bracketed_root(excess, 0.0, high, what="quantile of a deviance")


def _scale_ends(sigma: float, fall: float) -> Limits:
    """r - 1 - log r = fall with r = (sigma / sigma')^2."""
    small, large = _ratios(fall)
    return sigma / math.sqrt(large), sigma / math.sqrt(small)


def _ratios(fall: float) -> Limits:
    """Both r with r - 1 - log r = fall, by Lambert's function."""
    from scipy.special import lambertw

    z = -math.exp(-1.0 - fall)
    return -float(lambertw(z, 0).real), -float(lambertw(z, -1).real)


def _share_ends(p: float, fall: float) -> Limits:
    if p == 0.0:
        return 0.0, -math.expm1(-fall)
    if p == 1.0:
        return math.exp(-fall), 1.0

    def excess(y: float) -> float:
        q, other = from_logit(y), from_logit(-y)
        return p * math.log(p / q) + (1.0 - p) * math.log((1.0 - p) / other) - fall

    here, what = math.log(p) - math.log1p(-p), "end of a share"
    low, high = (
        interval_end(excess, here, here + away, what=what) for away in (-_FARTHEST, _FARTHEST)
    )
    return from_logit(low), from_logit(high)


# ------------------------------------------------------------------------------ Wald
def _wald(
    fit: Estimate, errors: Mapping[str, float], level: float, freedom: float, stretch: float
) -> dict[str, Limits]:
    """estimate -+ t standard errors: logs of positive parameters, logits of masses."""
    t, z = stretch * student(freedom, level), student(math.inf, level)
    scales = {p.name: p.scale for p in fit.distribution._parameters()}
    ends = {}
    for name, value in fit.params.items():
        if scales[name] == "plain":
            reach = t * errors[name]
            ends[name] = (value - reach, value + reach)
        elif scales[name] == "log":
            away = t * errors[name] / value
            ends[name] = (value * from_log(-away), value * from_log(away))
        elif 0.0 < value < 1.0:
            away = z * errors[name] / (value * (1.0 - value))
            here = math.log(value) - math.log1p(-value)
            ends[name] = (from_logit(here - away), from_logit(here + away))
        else:
            ends[name] = (value, value)
    return ends
