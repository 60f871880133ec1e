"""Maximum likelihood of two beta distributions whose ROC is concave: a_c >= a_i and b_c <= b_i.

The log-likelihood is concave and the constraint is convex, so the maximum is that of one of
four problems: free, with a common a, with a common b, with one distribution for both; among those
that obey the constraint it is the likeliest.

With the shape a common to both, weights W_k and mean logarithms g1_k, g2_k, the sum of

    W_k [(a - 1) g1_k + (b_k - 1) g2_k - log B(a, b_k)]

is concave in (a, b_c, b_i). Its maximum is found by Newton's method in the logarithms of the
three, with capped, halved steps. Two distributions that share b are the mirror of two that
share a.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.checks import choice
from betaroc.core.errors import FitError, InputError
from betaroc.core.polygamma import beta_inverse_information, information_terms, phi_tau_of
from betaroc.core.special import bracketed_root, log_beta, log_beta_ratio
from betaroc.distributions.beta import Beta
from betaroc.estimation.beta import BETA_ROWS, beta_tails, estimate_beta
from betaroc.estimation.contract import (
    ClassMaximum,
    Family,
    Joined,
    Maximum,
    SampleRows,
    as_rows,
)
from betaroc.estimation.newton import LARGEST_CONCENTRATION, solve_one

Shapes = tuple[float, float]

_MAX_ITERATIONS = 200
_STEP_CAP = 2.0
#: Newton converges quadratically: after a step this small nothing is left to gain.
_LAST_STEP = 1e-8
_NOISE = 8.0 * 2.0**-52
_LARGEST = 1e150
#: For changes of log a up to this the other shape follows about linearly.
_STEADY = 0.5


class ClassSums(NamedTuple):
    """What the likelihood of one class needs."""

    #: Number of trials.
    weight: float
    #: Means of log s and of log(1 - s); negative.
    mean_log: float
    mean_log1m: float

    @classmethod
    def at(cls, a: float, b: float, weight: float = 1.0) -> ClassSums:
        """The sums whose estimate is Beta(a, b): psi(a) - psi(a + b), psi(b) - psi(a + b)."""
        phi_a, phi_b, phi_s = (phi_tau_of(x)[0] for x in (a, b, a + b))
        return cls(
            weight, phi_a - phi_s - math.log1p(b / a), phi_b - phi_s - math.log1p(a / b)
        )  # fmt: skip


class TiedSolution(NamedTuple):
    """Where Newton's method stopped."""

    #: (a, b) of both distributions; one of the two is the same number.
    client: tuple[float, float]
    impostor: tuple[float, float]
    converged: bool
    #: Evaluations of the step.
    iterations: int
    #: Largest derivative of the mean log-likelihood by the logarithm of a shape: of the shared
    #: one over all trials, of the others over those of their class.
    gradient_norm: float
    #: Of all trials of both classes.
    log_likelihood: float


class _Terms(NamedTuple):
    """One class at a point: minus its mean score, and its information."""

    r1: float
    r2: float
    of_a: float
    of_b: float
    coupling: float
    det: float
    quiet1: float
    quiet2: float


def tied_mle(client: ClassSums, impostor: ClassSums, shared: str = "a") -> TiedSolution:
    """The most likely pair of beta distributions with one shape in common.

        sum_k W_k [g1_k - psi(a) + psi(a + b_k)] = 0,   g2_k = psi(b_k) - psi(a + b_k)

    Parameters
    ----------
    client, impostor : ClassSums
        Weight, mean of log s and mean of log(1 - s) of each class. The means must be those of
        some beta law: exp(mean_log) + exp(mean_log1m) < 1.
    shared : str
        "a" or "b".

    Returns
    -------
    TiedSolution
        With ``converged`` false, and the place where it stopped, if the maximum was not reached.

    Raises
    ------
    InputError
        If a weight is not positive, or means are those of no beta distribution with a + b <= 1e12.

    Notes
    -----
    The maximum exists and is unique where that of each class alone does. Two doubles cannot hold
    what a concentrated class says: the relative error of a shape is about 1e-16 (a + b).

    Examples
    --------
    >>> import math
    >>> from betaroc.estimation.proper_beta import ClassSums, tied_mle
    >>> power = ClassSums(100, -0.5, -1.5)  # mean logs of Beta(2, 1): -1/2 and -(1 + 1/2)
    >>> found = tied_mle(power, ClassSums(100, -1.0, -1.0), "b")  # and of Beta(1, 1)
    >>> [round(x, 9) for x in (*found.client, *found.impostor)], found.converged
    ([2.0, 1.0, 1.0, 1.0], True)
    """
    choice(shared, ("a", "b"), "shared")
    classes = [client, impostor]
    if shared == "b":
        classes = [ClassSums(s.weight, s.mean_log1m, s.mean_log) for s in classes]
    own = [_own(who, s) for who, s in zip(CLASSES, classes, strict=True)]
    a, others, converged, iterations, norm = _solve(classes, own)
    value = math.fsum(
        s.weight * math.fsum(((a - 1.0) * s.mean_log, (b - 1.0) * s.mean_log1m, -log_beta(a, b)))
        for s, b in zip(classes, others, strict=True)
    )
    pairs = [(a, b) if shared == "a" else (b, a) for b in others]
    return TiedSolution(pairs[0], pairs[1], converged, iterations, norm, value)


def _own(who: str, sums: ClassSums) -> tuple[float, float]:
    """The most likely distribution of one class."""
    weight, g1, g2 = sums
    if not 0.0 < weight < math.inf:
        raise InputError(f"the weight of the {who} class must be positive; got {weight!r}.")
    found = solve_one(g1, g2) if g1 < 0.0 and g2 < 0.0 else None
    if found is None or not found.converged or found.a + found.b > LARGEST_CONCENTRATION:
        raise InputError(
            f"the mean logarithms of the {who} class must be those of a beta distribution with a"
            " + b <= 1e12"
            f" (two or more distinct scores inside (0, 1)); got {g1!r} and {g2!r}."
        )
    return found.a, found.b


def _solve(
    classes: list[ClassSums], own: list[tuple[float, float]]
) -> tuple[float, list[float], bool, int, float]:
    total = sum(s.weight for s in classes)
    share = [s.weight / total for s in classes]
    a, others = _start(classes, own, share)
    place = [a, *others]
    old, steps, slope, last, norm = place, [0.0] * 3, math.inf, False, math.inf
    for iteration in range(1, _MAX_ITERATIONS + 1):
        a = place[0]
        terms = [_terms(a, b, s) for b, s in zip(place[1:], classes, strict=True)]
        # Minus the derivatives by the logarithms, per trial of all.
        gradient = [
            a * sum(w * t.r1 for w, t in zip(share, terms, strict=True)),
            *(w * b * t.r2 for w, b, t in zip(share, place[1:], terms, strict=True)),
        ]
        along = -sum(g * step for g, step in zip(gradient, steps, strict=True))
        if not (last or along > -slope):
            steps, slope = [0.5 * step for step in steps], 0.5 * slope
            place = _moved(old, steps)
            continue
        norm = max(
            abs(gradient[0]), *(abs(g) / w for g, w in zip(gradient[1:], share, strict=True))
        )
        noise = sum(w * t.quiet1 for w, t in zip(share, terms, strict=True))
        quiet = abs(gradient[0]) <= a * noise and all(abs(t.r2) <= t.quiet2 for t in terms)
        if last or quiet:
            return a, place[1:], True, iteration, norm
        steps = _newton(place, terms, share)
        size = max(abs(step) for step in steps)
        last = size <= _LAST_STEP
        if size > _STEP_CAP:
            steps = [step * _STEP_CAP / size for step in steps]
        slope = -sum(g * step for g, step in zip(gradient, steps, strict=True))
        old, place = place, _moved(place, steps)
        if not max(place) < _LARGEST:
            return a, old[1:], False, iteration, norm
    return place[0], place[1:], False, _MAX_ITERATIONS, norm


def _moved(place: list[float], steps: list[float]) -> list[float]:
    return [x * math.exp(step) for x, step in zip(place, steps, strict=True)]


def _terms(a: float, b: float, s: ClassSums) -> _Terms:
    (phi_a, tau_a), (phi_b, tau_b), (phi_s, tau_s) = (phi_tau_of(x) for x in (a, b, a + b))
    r1 = phi_a - phi_s - math.log1p(b / a) - s.mean_log
    r2 = phi_b - phi_s - math.log1p(a / b) - s.mean_log1m
    quiet = _NOISE * (abs(phi_a) - s.mean_log), _NOISE * (abs(phi_b) - s.mean_log1m)
    return _Terms(r1, r2, *information_terms(a, b, tau_a, tau_b, tau_s), *quiet)


def _newton(place: list[float], terms: list[_Terms], share: list[float]) -> list[float]:
    """The step in the logarithms: the two free shapes eliminated from the arrow matrix."""
    pairs = list(zip(share, terms, strict=True))
    curvature = sum(w * t.det / t.of_b for w, t in pairs)
    move = -sum(w * (t.r1 + t.coupling / t.of_b * t.r2) for w, t in pairs) / curvature
    others = [(t.coupling * move - t.r2) / t.of_b for t in terms]
    return [d / x for d, x in zip((move, *others), place, strict=True)]


def _start(
    classes: list[ClassSums], own: list[tuple[float, float]], share: list[float]
) -> tuple[float, list[float]]:
    """The classes' own log a, weighted with what they know of it; then about the best b of each."""
    terms = [_terms(a, b, s) for (a, b), s in zip(own, classes, strict=True)]
    known = [w * a * a * t.det / t.of_b for (a, _), t, w in zip(own, terms, share, strict=True)]
    place = sum(k * math.log(a) for (a, _), k in zip(own, known, strict=True)) / sum(known)
    others = []
    for (a, b), t, s in zip(own, terms, classes, strict=True):
        step = place - math.log(a)
        if abs(step) <= _STEADY:
            others.append(b * math.exp(step * t.coupling / t.of_b * a / b))
        else:
            others.append(best_partner(math.exp(place), s.mean_log1m, b))
    return math.exp(place), others


def best_partner(a: float, mean_log1m: float, start: float) -> float:
    """The b with psi(b) - psi(a + b) = mean log(1 - s); the left side rises with b."""

    def excess(log_b: float) -> float:
        b = math.exp(log_b)
        return phi_tau_of(b)[0] - phi_tau_of(a + b)[0] - math.log1p(a / b) - mean_log1m

    here = math.log(start)
    low, high, step = here, here, 0.5
    while excess(low) > 0.0:
        low, step = low - step, 2.0 * step
    step = 0.5
    while excess(high) < 0.0:
        high, step = high + step, 2.0 * step
    return math.exp(bracketed_root(excess, low, high, what="best partner of a shape"))


def join_proper(client: ClassMaximum, impostor: ClassMaximum) -> Joined | None:
    """The constrained maximum; None where the free one is proper already."""
    free = _shapes(client.estimate), _shapes(impostor.estimate)
    if _proper(*free):
        return None
    sums = ClassSums.at(*free[0], client.weight), ClassSums.at(*free[1], impostor.weight)
    candidates = _candidates(*sums)
    proper = [pair for pair in candidates if _proper(*pair[1][:2])]

    def gain(pair: tuple[Any, TiedSolution]) -> float:
        """Log-likelihood less that of the free maximum."""
        return math.fsum(
            s.weight * _change(new, old)
            for new, old, s in zip(pair[1][:2], free, sums, strict=True)
        )

    ties, best = max(proper, key=gain)
    # One that stopped early might have been the likeliest.
    best = best._replace(converged=all(c.converged for _, c in candidates))
    joined = _joined(best, ties, (client, impostor), free)
    if not best.converged:
        raise FitError(
            "the proper beta fit did not converge; gradient"
            f" {best.gradient_norm:.3g} at clients {best.client!r}, impostors {best.impostor!r}."
            " The clients' partial result is the error's .result. Please report these scores.",
            joined.client,
        )
    return joined


def _shapes(estimate: Maximum) -> Shapes:
    return estimate.values[0], estimate.values[1]


def _proper(client: Shapes, impostor: Shapes) -> bool:
    return client[0] >= impostor[0] and client[1] <= impostor[1]


def _candidates(
    client: ClassSums, impostor: ClassSums
) -> list[tuple[tuple[str, ...], TiedSolution]]:
    found: list[tuple[tuple[str, ...], TiedSolution]] = [
        ((name,), tied_mle(client, impostor, name)) for name in ("a", "b")
    ]
    total = client.weight + impostor.weight
    share = client.weight / total
    pooled = solve_one(
        share * client.mean_log + (1.0 - share) * impostor.mean_log,
        share * client.mean_log1m + (1.0 - share) * impostor.mean_log1m,
    )
    if pooled is None:
        raise FitError(
            "the proper beta fit has no solution for one distribution of both classes, whose"
            " mean logarithms"
            f" belong to no beta distribution: {client!r}, {impostor!r}. Please report these"
            " scores."
        )
    both, how = pooled[:2], (pooled.converged, pooled.iterations, pooled.gradient_norm)
    return [*found, (("a", "b"), TiedSolution(both, both, *how, math.nan))]


def _change(new: Shapes, free: Shapes) -> float:
    """Change of a class's mean log-likelihood from its free maximum: minus a divergence."""
    sums = ClassSums.at(*free)
    gain = (new[0] - free[0]) * sums.mean_log + (new[1] - free[1]) * sums.mean_log1m
    return gain - log_beta_ratio(*new, *free)


def _joined(
    c: TiedSolution, ties: tuple[str, ...], classes: tuple[ClassMaximum, ...],
    free: tuple[Shapes, Shapes],
) -> Joined:  # fmt: skip
    covariance = _covariance(c, ties, (classes[0].weight, classes[1].weight))
    estimates = []
    for k, (one, old) in enumerate(zip(classes, free, strict=True)):
        e, new = one.estimate, (c.client, c.impostor)[k]
        matrix = np.array(e.covariance)
        matrix[:2, :2] = covariance[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] * one.total
        law, values = e.distribution._replaced({"a": new[0], "b": new[1]}), (*new, *e.values[2:])
        likelihood = e.log_likelihood + one.weight * _change(new, old)
        estimates.append(e._replace(
            distribution=law, values=values, covariance=as_rows(matrix), log_likelihood=likelihood,
            converged=c.converged, iterations=c.iterations, gradient_norm=c.gradient_norm,
        ))  # fmt: skip
    sizes = [len(e.names) for e in estimates]
    shared = np.zeros(sizes)
    shared[:2, :2] = covariance[:2, 2:]
    return Joined(estimates[0], estimates[1], as_rows(shared), ties)


def _covariance(c: TiedSolution, tied: tuple[str, ...], weights: Shapes) -> FloatArray:
    """Of (a_c, b_c, a_i, b_i) with the ties: C - C R' (R C R')^-1 R C, C that without them."""
    whole = np.zeros((4, 4))
    whole[:2, :2] = beta_inverse_information(*c.client) / weights[0]
    whole[2:, 2:] = beta_inverse_information(*c.impostor) / weights[1]
    rows = {"a": [1.0, 0.0, -1.0, 0.0], "b": [0.0, 1.0, 0.0, -1.0]}
    ties = np.array([rows[name] for name in tied])
    gone = ties @ whole
    return np.asarray(whole - gone.T @ np.linalg.solve(ties @ gone.T, gone))


PROPER_BETA = Family(
    estimate_beta, on_unit=True, join=join_proper, summed=True, concave=True,
    rows=SampleRows(Beta, BETA_ROWS.fit, beta_tails, BETA_ROWS.moments),
)  # fmt: skip
