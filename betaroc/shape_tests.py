"""How sure one may be of a shape: categories of the laws, both ends of the ROC, its hooks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from betaroc import _checks
from betaroc._thresholds import FloatArray
from betaroc._value import Value
from betaroc.delta_bands import free_coordinates
from betaroc.distributions.beta import Beta
from betaroc.distributions.inflated import Inflated
from betaroc.errors import InputError

__all__ = [
    "CurveTest",
    "EndTest",
    "EndTests",
    "Hook",
    "curve_test",
    "end_tests",
    "shape_probabilities",
]

_QUADRANTS = {"U": (-1, -1), "reverse-J": (-1, 1), "J": (1, -1), "bell": (1, 1)}
_SHAPES = {
    "proper": (1, 1), "hook-at-one": (1, -1), "hook-at-zero": (-1, 1), "below": (-1, -1),
}  # fmt: skip


class EndTest(NamedTuple):
    """Whether a ROC is above, on or below the diagonal near one end."""

    #: "above", "below" or "undecided" at the level asked for.
    side: str
    #: Normal statistic, positive above; nan where point masses decide.
    z: float
    #: Two-sided, of the curve lying on the diagonal there.
    p_value: float


class EndTests(NamedTuple):
    """Both ends, named by the threshold."""

    at_zero: EndTest
    at_one: EndTest


class Hook(NamedTuple):
    """What of the fitted ROC lies below the diagonal at one end."""

    #: "at_zero" or "at_one".
    end: str
    #: Largest FAR - TPR.
    depth: float
    #: FAR between which it lies.
    far_low: float
    far_high: float
    #: Scores of the fit's size expected beyond the crossing.
    expected_scores: float


@dataclass(frozen=True, eq=False, repr=False)
class CurveTest(Value):
    """How likely each shape of the whole ROC is, and what the fitted one has below the diagonal.

    Made by `Fit.curve_test`.

    Parameters
    ----------
    probabilities : dict
        "proper", "hook-at-one", "hook-at-zero", "below": they add up to 1.
    hooks : tuple of Hook
        Of the fitted model; empty for a proper one.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> fit = br.fit(br.Scores(rng.beta(4, 2, 300), rng.beta(2, 4, 300)))
    >>> max(fit.curve_test().probabilities.items(), key=lambda item: item[1])[0]
    'proper'
    """

    probabilities: dict[str, float]
    hooks: tuple[Hook, ...]


def shape_probabilities(f: Any, *, groups: bool = True) -> dict[str, dict[str, float]]:
    """Probability of each shape of both beta laws; `Fit.shape_probabilities` documents it."""
    places, covariance = _coordinates(f, groups=groups)
    found = {}
    for k, who in enumerate(("client", "impostor")):
        part = [places[who, "a"], places[who, "b"]]
        index = [2 * k, 2 * k + 1]
        cov = covariance[np.ix_(index, index)]
        found[who] = {name: _quadrant(part, cov, signs) for name, signs in _QUADRANTS.items()}
    return found


def end_tests(f: Any, level: float, *, groups: bool = True) -> EndTests:
    """Tests at both ends; `Fit.end_tests` documents it."""
    level = _checks.level(level)
    means, covariance = _differences(f, groups=groups)
    tests = []
    # At zero the curve is above where impostors pile up, at one where clients do.
    for k, (end, above) in enumerate((("at_zero", -1.0), ("at_one", 1.0))):
        masses = _masses(f, end)
        if masses is None:
            tests.append(_by_laws(means[k] / math.sqrt(covariance[k, k]), level))
        else:
            tests.append(_by_masses(masses, above, level))
    return EndTests(tests[0], tests[1])


def curve_test(f: Any, *, groups: bool = True) -> CurveTest:
    """Shape of the whole curve; `Fit.curve_test` documents it."""
    if any(isinstance(r.distribution, Inflated) for r in (f.client, f.impostor)):
        raise InputError(
            "the statement on the whole curve is of beta laws without point masses; this fit has"
            " some. See end_tests() and the crossings of its model."
        )
    means, covariance = _differences(f, groups=groups)
    chances = {name: _quadrant(means, covariance, signs) for name, signs in _SHAPES.items()}
    return CurveTest(chances, tuple(_hooks(f)))


# ------------------------------------------------------------------------------ coordinates
def _coordinates(f: Any, *, groups: bool) -> tuple[dict[tuple[str, str], float], FloatArray]:
    """log a and log b of both laws, and their covariance in the order client, impostor."""
    for result in (f.client, f.impostor):
        law = result.distribution
        if not isinstance(law.base if isinstance(law, Inflated) else law, Beta):
            raise InputError(
                f"shapes are those of beta laws; this fit is of family {result.family!r}. Fit"
                ' family="beta".'
            )
    names, place, roots = free_coordinates(f, groups=groups)
    order, start = [], 0
    places = {}
    for who, own in zip(("client", "impostor"), names, strict=True):
        for name in ("a", "b"):
            at = start + own.index(name)
            places[who, name] = float(place[at])
            order.append(at)
        start += len(own)
    covariance = roots.T @ roots
    return places, np.asarray(covariance[np.ix_(order, order)])


def _differences(f: Any, *, groups: bool) -> tuple[list[float], FloatArray]:
    """log a_c/a_i and log b_i/b_c, positive where the ROC is above, with their covariance."""
    places, covariance = _coordinates(f, groups=groups)
    means = [
        places["client", "a"] - places["impostor", "a"],
        places["impostor", "b"] - places["client", "b"],
    ]
    map_ = np.array([[1.0, 0.0, -1.0, 0.0], [0.0, -1.0, 0.0, 1.0]])
    return means, np.asarray(map_ @ covariance @ map_.T)


def _quadrant(means: list[float], covariance: FloatArray, signs: tuple[int, int]) -> float:
    """P(both differences have these signs) of a bivariate normal law."""
    from scipy.stats import multivariate_normal

    s = np.array(signs, dtype=np.float64)
    sd = np.sqrt(np.diag(covariance))
    correlation = covariance[0, 1] / (sd[0] * sd[1]) * s[0] * s[1]
    matrix = np.array([[1.0, correlation], [correlation, 1.0]])
    at = s * np.array(means) / sd
    law = multivariate_normal(mean=np.zeros(2), cov=matrix, allow_singular=True)
    return float(np.clip(law.cdf(at), 0.0, 1.0))


# ------------------------------------------------------------------------------ the ends
def _by_laws(z: float, level: float) -> EndTest:
    from scipy.special import ndtr

    p = float(2.0 * ndtr(-abs(z)))
    return EndTest(_side(z, p, level), float(z), p)


def _side(sign: float, p: float, level: float) -> str:
    if p > 1.0 - level:
        return "undecided"
    return "above" if sign > 0.0 else "below"


def _masses(f: Any, end: str) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """(scores on the end, all scores) of both classes where any lies there."""
    found = []
    for result in (f.client, f.impostor):
        share, total = result.params.get(end, 0.0), result.total_weight
        counts = [share * total, total]
        if any(abs(n - round(n)) > 1e-6 for n in counts):
            raise InputError(
                "a test of masses counts scores; the weights must be whole numbers of copies, got a"
                f" total of {total!r} with {counts[0]!r} {end}."
            )
        found.append((round(counts[0]), round(total)))
    return (found[0], found[1]) if found[0][0] + found[1][0] else None


def _by_masses(
    masses: tuple[tuple[int, int], tuple[int, int]], above: float, level: float
) -> EndTest:
    """Fisher's exact test of equal masses."""
    from scipy.stats import fisher_exact

    (c, n_c), (i, n_i) = masses
    p = float(fisher_exact([[c, n_c - c], [i, n_i - i]]).pvalue)
    return EndTest(_side(above * (c / n_c - i / n_i), p, level), math.nan, p)


# ------------------------------------------------------------------------------ hooks
def _hooks(f: Any) -> list[Hook]:
    """Where the fitted curve is below the diagonal beside an end, and how deep."""
    model = f.model
    found = []
    crossings = model.diagonal_crossings()
    shape = model.global_shape()
    if shape not in ("hook-at-zero", "hook-at-one") or len(crossings) == 0:
        return []
    point = crossings[0]
    t = model._pair.ratio_roots(0.0)
    gap = model._pair.far(t) - model._pair.tpr(t)
    depth = float(np.max(gap, initial=0.0))
    n_c, n_i = f.client.total_weight, f.impostor.total_weight
    if shape == "hook-at-one":
        scores = n_c * float(point.tpr) + n_i * float(point.far)
        found.append(Hook("at_one", depth, 0.0, float(point.far), scores))
    else:
        scores = n_c * float(point.frr) + n_i * float(point.tnr)
        found.append(Hook("at_zero", depth, float(point.far), 1.0, scores))
    return found
