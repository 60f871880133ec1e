"""What few scores do to a fit: errors of estimated errors, the bias of maximum likelihood."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray, IntArray
from betaroc.core.errors import InputError
from betaroc.core.options import IntervalOptions
from betaroc.core.special import bracketed_root
from betaroc.core.vocabulary import worded
from betaroc.data.groups import groups_of
from betaroc.distributions.base import Distribution, Free, free, moved
from betaroc.distributions.beta import has_shape
from betaroc.distributions.inflated import MASSES, REJECTED, base_of
from betaroc.distributions.normal import has_spread
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.inference.sandwich import joint_cov
from betaroc.inference.simultaneous import largest_reach

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
