"""The table of families with their estimators, and which of them a call means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields
from functools import partial
from typing import NamedTuple, cast

import numpy as np

from betaroc.core.arrays import CLASSES, INSIDE, FloatArray, IntArray
from betaroc.core.checks import choice
from betaroc.core.errors import DegenerateDataError, FitError, InputError, ScaleWarning, refusal
from betaroc.core.notices import Notice
from betaroc.core.polygamma import beta_inverse_information, log1p_excess
from betaroc.core.special import HALF_LOG_TWO_PI, log_beta_ratio
from betaroc.core.text import format_value, parse_number
from betaroc.core.vocabulary import CLIENTS, DEFAULT, IMPOSTORS, worded
from betaroc.data.scores import ScoreData
from betaroc.data.sums import ClassSummary
from betaroc.distributions import beta, normal, rank_normal
from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import Beta
from betaroc.distributions.empirical import Empirical
from betaroc.distributions.gamma import Gamma, gamma_mle
from betaroc.distributions.inflated import base_of
from betaroc.estimation import batch, contract, mixture
from betaroc.estimation.contract import Data, Family, JointMle, MleResult, Parameters

AUTO, BEST = "auto", "best"
#: Scores of a smaller relative variance differ by rounding alone.
_LEAST_GAP = 1e-12


def _row_means(columns: Sequence[FloatArray], counts: IntArray | None) -> list[FloatArray]:
    if counts is None:
        return [np.mean(column, axis=1) for column in columns]
    total = np.maximum(np.sum(counts, axis=1), 1)
    return [counts.astype(np.float64) @ column / total for column in columns]


# ------------------------------------------------------------------------------- beta
def estimate_beta(sample: Data) -> MleResult:
    """The likeliest beta distribution of scores inside (0, 1)."""
    if sample.low == sample.high:
        raise contract.too_few_distinct(sample, "beta")
    g1, g2 = sample.mean_logs()
    result = beta.solve_one(g1, g2)
    top = None if result is None else beta.peak(result.a, result.b, g1, g2)
    if top is None or top.amplification > beta.ILL_CONDITIONED:
        # By what the scores are about their mean.
        result = beta.solve_centred(sample.centred(), result)
        if result is not None:
            top = beta.peak(result.a, result.b, g1, g2)._replace(norm=result.norm)
    if not (result and top and result.a + result.b <= beta.LARGEST_CONCENTRATION):
        raise DegenerateDataError(
            f"{sample.name}: a beta distribution is fitted while a + b <= 1e12; the {sample.n}"
            f" scores, between {sample.low!r} and {sample.high!r}, ask for more."
            + worded(' Use `family="logit-normal"` or "empirical".')
        )
    a, b, converged, iterations, _ = result
    covariance = np.array(((top.aa, top.ab), (top.ab, top.bb)))
    likelihood = sample.total * top.log_likelihood
    estimate = MleResult(Beta(a, b), covariance, likelihood, converged, iterations, top.norm)
    if not converged:
        covariance *= math.nan
        raise FitError(
            f"{sample.name}: the beta fit did not converge within {beta.MAX_ITERATIONS} steps;"
            f" gradient {top.norm:.3g} at a = {a!r}, b = {b!r}. The partial"
            " result is the error's .result. Please report these scores.",
            estimate,
        )
    return estimate


def _beta_of_rows(_: Distribution, x: FloatArray, counts: IntArray | None = None) -> Parameters:
    a, b, _converged = beta.beta_mle(*_row_means([np.log(x), np.log1p(-x)], counts))
    return a[:, None], b[:, None]


def _beta_moments(p: Parameters, x: FloatArray, shares: FloatArray) -> FloatArray:
    """Sample covariance of (log s, log(1 - s)) less the distribution's."""
    from scipy.special import polygamma

    u, v = (part - (part @ shares)[:, None] for part in (np.log(x), np.log1p(-x)))
    a, b = (q[:, 0] for q in p)
    common = polygamma(1, a + b)
    expected = (polygamma(1, a) - common, -common, polygamma(1, b) - common)
    result = (u * u @ shares, u * v @ shares, v * v @ shares)
    scale = (expected[0], np.sqrt(expected[0] * expected[2]), expected[2])
    return np.stack([(f - w) / s for f, w, s in zip(result, expected, scale, strict=True)], axis=1)


def _estimate_dual(sample: Data, free: int = 0) -> MleResult:
    """Clients Beta(p, 1), p = -1 / mean log s; impostors Beta(1, q)."""
    if sample.low == sample.high:
        raise contract.too_few_distinct(sample, "dual-beta")
    p = -1.0 / sample.mean_logs()[free]
    law, covariance = Beta(1.0, p) if free else Beta(p, 1.0), np.zeros((2, 2))
    covariance[free, free] = p * p
    log_likelihood = sample.total * (math.log(p) - 1.0 + 1.0 / p)
    return MleResult(law, covariance, log_likelihood, fixed=("ba"[free],))


def _dual_moments(p: Parameters, x: FloatArray, shares: FloatArray) -> FloatArray:
    free, logs = (p[0], np.log(x)) if np.all(p[1] == 1.0) else (p[1], np.log1p(-x))
    return ((free * logs) ** 2 @ shares / 2.0 - 1.0)[:, None]


def join_proper(client: MleResult, impostor: MleResult) -> JointMle | None:
    """The constrained maximum, if the free one is not proper."""
    classes = client, impostor
    free = [(item.values[0], item.values[1]) for item in classes]
    if _proper(*free):
        return None
    c, i = map(beta.ClassSums.at, *zip(*free, strict=True), [x.weight for x in classes])
    share = c.weight / (c.weight + i.weight)
    means = (share * np.array(c[1:]) + (1.0 - share) * np.array(i[1:])).tolist()
    pooled = beta.solve_one(*means)
    if pooled is None or not pooled.converged:
        raise FitError(
            f"the mean logarithms of both classes belong to no beta distribution: {c!r}, {i!r}."
            " Please report these scores."
        )
    norm = beta.peak(pooled.a, pooled.b, *means).norm
    both = beta.TiedSolution(pooled[:2], pooled[:2], pooled.iterations, norm)
    candidates = {(name,): beta.tied_mle(c, i, name) for name in "ab"} | {("a", "b"): both}

    def gains(pair: beta.TiedSolution) -> list[float]:
        return [
            s.weight * ((a - own_a) * s.mean_log + (b - own_b) * s.mean_log1m
                        - log_beta_ratio(a, b, own_a, own_b))
            for (a, b), (own_a, own_b), s in zip(pair[:2], free, (c, i), strict=True)
        ]  # fmt: skip

    proper = {ties: pair for ties, pair in candidates.items() if _proper(*pair[:2])}
    ties, best = max(proper.items(), key=lambda item: math.fsum(gains(item[1])))
    # Of (a_c, b_c, a_i, b_i) with the ties: C - C R' (R C R')^-1 R C, C that without them.
    whole = np.zeros((4, 4))
    whole[:2, :2] = beta_inverse_information(*best.client) / c.weight
    whole[2:, 2:] = beta_inverse_information(*best.impostor) / i.weight
    gone = np.hstack([np.eye(2), -np.eye(2)])[["ab".index(name) for name in ties]]
    lost = gone @ whole
    covariance = whole - lost.T @ np.linalg.solve(gone @ lost.T, lost)
    estimates = []
    for k, (e, gain) in enumerate(zip(classes, gains(best), strict=True)):
        (a, b), cut = best[:2][k], slice(2 * k, 2 * k + 2)
        matrix = e.covariance.copy()
        matrix[:2, :2] = covariance[cut, cut] * e.total
        estimates.append(e._replace(
            distribution=e.distribution._replaced({"a": a, "b": b}), covariance=matrix,
            log_likelihood=e.log_likelihood + gain, iterations=best.iterations,
            gradient_norm=best.gradient_norm,
        ))  # fmt: skip
    shared = np.zeros([len(e.names) for e in estimates])
    shared[:2, :2] = covariance[:2, 2:]
    return JointMle(estimates[0], estimates[1], contract.as_rows(shared), ties)


def _proper(client: beta.Shapes, impostor: beta.Shapes) -> bool:
    return client[0] >= impostor[0] and client[1] <= impostor[1]


# ------------------------------------------------------------------------------- normal
def estimate_normal(
    sample: Data, family: str = "normal", law: type[normal.NormalCoordinate] = normal.Normal
) -> MleResult:
    """Moments of the score, its logit or its logarithm."""
    if sample.low == sample.high:
        raise contract.too_few_distinct(sample, family)
    if law is normal.LogitNormal:
        mu, sigma, jacobian = sample.logit_moments()
    elif law is normal.LogNormal:
        mu, sigma = sample.rows().replace(np.log(sample.rows().values)).moments()
        jacobian = mu
    else:
        (mu, sigma), jacobian = sample.moments(), 0.0
    if not sigma > 0.0:
        raise contract.too_few_distinct(sample, family)
    mean_log = HALF_LOG_TWO_PI + 0.5 + math.log(sigma)
    likelihood = -sample.total * mean_log + -sample.total * jacobian
    covariance = normal.normal_inverse_information(sigma)
    return MleResult(law(mu, sigma), covariance, likelihood)


def _logit(x: FloatArray) -> FloatArray:
    inside = np.clip(x, *INSIDE)
    return np.asarray(np.log(inside) - np.log1p(-inside))


def _normal_of_rows(_: Distribution, x: FloatArray, counts: IntArray | None = None) -> Parameters:
    """Moments about one centre; nan of equal scores."""
    power = math.frexp(float(np.max(np.abs(x))))[1]
    y = np.ldexp(x, -power)
    centre, present = float(np.mean(y)), True if counts is None else counts > 0
    first, second = _row_means([y - centre, (y - centre) ** 2], counts)
    most = np.max(np.where(present, y, -np.inf), axis=1)
    least = np.min(np.where(present, y, np.inf), axis=1)
    spread = np.sqrt(np.maximum(second - first**2, 0.0))
    known = (most > least) & (spread > 0.0)
    result = (np.ldexp(q, power) for q in (centre + first, spread))
    return tuple(np.where(known, q, np.nan)[:, None] for q in result)


def _normal_moments(p: Parameters, x: FloatArray, shares: FloatArray) -> FloatArray:
    z = (x - p[0]) / p[1]
    return np.stack([z**3 @ shares, z**4 @ shares - 3.0], axis=1)


def join_spreads(client: MleResult, impostor: MleResult) -> JointMle:
    """sigma^2 = (n_c s_c^2 + n_i s_i^2)/(n_c + n_i)."""
    classes = client, impostor
    total = client.weight + impostor.weight
    sigma = math.hypot(*(math.sqrt(item.weight / total) * item.values[1] for item in classes))
    of_mean, of_spread = normal.normal_inverse_information(sigma).diagonal().tolist()
    spread, estimates = of_spread / total, []
    for item in classes:
        mu, single = item.values
        loss = HALF_LOG_TWO_PI + math.log(sigma) + 0.5 * (single / sigma) ** 2
        estimates.append(item._replace(
            distribution=normal.Normal(mu, sigma),
            covariance=np.diag([of_mean / item.weight, spread]) * item.total,
            log_likelihood=-item.weight * loss,
        ))  # fmt: skip
    return JointMle(estimates[0], estimates[1], ((0.0, 0.0), (0.0, spread)), ("sigma",))


# ------------------------------------------------------------------------------- skewed ones
def estimate_gamma(value: Data) -> MleResult:
    """By the mean, and log(mean) - mean log, the mean of z - log(1 + z), z = x/mean - 1."""
    sample = value.rows()
    mean, _ = sample.moments()
    away = sample.values / mean - 1.0
    excess = log1p_excess(away, np.log(sample.values) - math.log(mean))
    gap = -sample.mean(excess + away)
    if sample.low == sample.high or not gap > _LEAST_GAP:
        raise contract.too_few_distinct(sample, "gamma")
    law = gamma_mle(mean, gap)
    a, scale = law.shape, law.scale
    each = (a - 1.0) * (math.log(mean) - gap) - a - math.lgamma(a) - a * math.log(scale)
    return MleResult(law, law._unit_covariance(), sample.total * each)


def estimate_sinh_arcsinh(
    value: Data,
    near: Distribution | None = None,
    *,
    kind: type[normal.SinhArcsinh] = normal.SinhArcsinh,
) -> MleResult:
    """The maximum of scores, or of their logits."""
    sample = value.rows()
    name = "sinh-arcsinh" if kind is normal.SinhArcsinh else "logit-sinh-arcsinh"
    if sample.low == sample.high:
        raise contract.too_few_distinct(sample, name)
    y, jacobian = sample.values, 0.0
    if kind is normal.LogitSinhArcsinh:
        log, log1m = np.log(y), np.log1p(-y)
        y, jacobian = log - log1m, -sample.total * sample.mean(log + log1m)
    start = near if isinstance(near, normal.SinhArcsinh) else None
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        result = normal.sinh_arcsinh_mle(y, sample.weights, start)
    if result is None:
        raise FitError(
            f"{sample.name}: no {name} distribution of largest likelihood was found: it is flat, or"
            " grows towards a point mass, as of few or tied scores."
            + worded(' Use `family="normal"` or "empirical", or give more scores.')
        )
    values, covariance, likelihood, iterations, slope = result
    return MleResult(kind(*values), covariance, likelihood + jacobian, True, iterations, slope)


def estimate_empirical(sample: Data) -> MleResult:
    """The sample itself, without a likelihood."""
    return MleResult(sample.law(), np.empty((0, 0)), math.nan)


def join_ranks(client: MleResult, impostor: MleResult) -> JointMle:
    """The binormal ROC of two samples: clients a/b and 1/b on the impostors' scale."""
    samples = [cast(Empirical, item.distribution)._steps for item in (client, impostor)]
    scores, both = rank_normal.rank_cells(*samples)
    y, (likelihoods, _, gain, cov, _), steps = rank_normal.rank_normal_mle(both)
    places, norm, scale = (scores[:-1], y[2:]), math.sqrt(max(gain, 0.0)), np.exp([0.0, y[1]])
    client, impostor = (
        item._replace(
            distribution=rank_normal.RankNormal(*values, *places), iterations=steps,
            covariance=item.total * matrix, log_likelihood=likelihood, gradient_norm=norm,
        ) for item, values, matrix, likelihood in zip(
            (client, impostor), ((y[0], scale[1]), (0.0, 1.0)),
            (cov * np.outer(scale, scale), np.zeros((2, 2))), map(float, likelihoods), strict=True,
        )
    )  # fmt: skip
    impostor = impostor._replace(fixed=("mu", "sigma"))
    return JointMle(client, impostor, ((0.0, 0.0), (0.0, 0.0)), ())


# ------------------------------------------------------------------------------- the table
#: The wider distribution has more at either end.
_BY_SPREAD = {"at_zero": ("sigma", -1.0), "at_one": ("sigma", 1.0)}
FAMILIES: dict[str, Family] = {
    "beta": Family(
        estimate_beta, law=Beta, on_unit=True, summed=True, contains=("dual-beta", "proper-beta"),
        fit_rows=_beta_of_rows, moments=_beta_moments, systems=batch.beta_of_systems,
        decides={"at_zero": ("a", 1.0), "at_one": ("b", -1.0)},
    ),
    "normal": Family(
        estimate_normal, law=normal.Normal, summed=True, everywhere=True, decides=_BY_SPREAD,
        contains=("equal-variance-normal",), fit_rows=_normal_of_rows,
        moments=_normal_moments, systems=batch.normal_of_systems,
    ),
    "logit-normal": Family(
        partial(estimate_normal, family="logit-normal", law=normal.LogitNormal),
        law=normal.LogitNormal, on_unit=True, summed=True, decides=_BY_SPREAD,
        fit_rows=lambda law, x, counts=None: _normal_of_rows(law, _logit(x), counts),
        moments=lambda p, x, shares: _normal_moments(p, _logit(x), shares),
        systems=batch.logit_normal_of_systems,
    ),
    "beta-mixture": Family(
        partial(mixture.estimate_mixture, kind=mixture.BETA_KIND, single=estimate_beta),
        on_unit=True, sized=True, near=True, contains=("beta", "dual-beta", "proper-beta"),
        alone="beta",
        fit_rows=mixture.beta_mixture_of_rows, moments=mixture.beta_mixture_moments,
    ),
    "proper-beta": Family(
        estimate_beta, join=join_proper, on_unit=True, summed=True, concave=True,
        moments=_beta_moments,
    ),
    "dual-beta": Family(
        _estimate_dual, impostor=partial(_estimate_dual, free=1), on_unit=True, summed=True,
        moments=_dual_moments,
    ),
    "equal-variance-normal": Family(
        estimate_normal, join=join_spreads, summed=True, concave=True
    ),
    "normal-mixture": Family(
        partial(mixture.estimate_mixture, kind=mixture.NORMAL_KIND, single=estimate_normal),
        sized=True, near=True, contains=("normal", "equal-variance-normal"), alone="normal",
    ),
    "sinh-arcsinh": Family(
        estimate_sinh_arcsinh, near=True, law=normal.SinhArcsinh,
        contains=("normal", "equal-variance-normal"),
    ),
    "logit-sinh-arcsinh": Family(
        partial(estimate_sinh_arcsinh, kind=normal.LogitSinhArcsinh), near=True,
        law=normal.LogitSinhArcsinh, on_unit=True, contains=("logit-normal",),
    ),
    "log-normal": Family(
        partial(estimate_normal, family="log-normal", law=normal.LogNormal), law=normal.LogNormal,
        positive=True, decides=_BY_SPREAD,
    ),
    "gamma": Family(estimate_gamma, law=Gamma, positive=True),
    "rank-binormal": Family(
        estimate_empirical, join=join_ranks, law=rank_normal.RankNormal, summed=True, ranked=True
    ),
    "empirical": Family(estimate_empirical, summed=True, counted=True),
}  # fmt: skip

_ALIASES = {"binormal": "normal"}
#: The family of both classes, or those of clients and of impostors.
Names = str | tuple[str, str]
#: With a larger share of scores in [0, 1] the others are likely to be mistakes.
_MOSTLY = 0.95


# ------------------------------------------------------------------------------- names
def checked_pair(family: Names | Sequence[str], extra: Sequence[str] = ()) -> tuple[str, str]:
    """Names of both families; `extra` are names of choices, which stand alone."""
    if not isinstance(family, tuple | list):
        known = _ALIASES.get(family, family) if isinstance(family, str) else family
        name = choice(known, (*extra, *FAMILIES), "family")
        return name, name
    if len(family) != 2:
        rule, actual = "be one name or a pair of names (client, impostor)", list(family)
        remedy = 'Give two, such as ("beta", "beta-mixture").'
        raise refusal("family", rule, f"{len(family)}: {format_value(actual)}", remedy)
    for name in family:
        single = isinstance(name, str) and name in extra
        if not single and not FAMILIES[choice(name, tuple(FAMILIES), "family")].of_pairs:
            continue
        if single or family[0] != family[1]:
            kind = "chooses the families" if single else "is a family"
            other = "name both families" if single else '"beta" in its place'
            raise InputError.about("family")(
                f'"{name}" {kind} of both classes and must stand alone; got '
                + worded(f'`family={tuple(family)!r}`. Give `family="{name}"`, or {other}.')
            )
    return family[0], family[1]


def named(pair: tuple[str, str]) -> Names:
    """One name where both classes have one family."""
    return pair[0] if pair[0] == pair[1] else pair


def in_classes(family: Names) -> str:
    """One name, or "beta (clients), beta-mixture (impostors)"."""
    if isinstance(family, str):
        return family
    return f"{family[0]} ({CLIENTS}), {family[1]} ({IMPOSTORS})"


def family_text(family: Names) -> str:
    """As `in_classes`, in the default words."""
    return DEFAULT.fill(in_classes(family))


def names_of_text(text: str) -> Names:
    """A family as typed: "beta", or "beta,beta-mixture" for a pair."""
    parts = [part.strip() for part in text.split(",")]
    return named(checked_pair(parts if len(parts) > 1 else parts[0], (AUTO, BEST)))


def distribution_of_text(text: str) -> Distribution:
    """A distribution as typed, such as "beta:8,2"."""
    kinds = {name: row.law for name, row in FAMILIES.items() if row.of_density and row.law}
    forms = {name: ",".join(f.name for f in fields(kind)) for name, kind in kinds.items()}  # type: ignore[arg-type]
    family, _, numbers = text.partition(":")
    values: list[float] = []
    with suppress(ValueError):
        values = [parse_number(item) for item in numbers.split(",")]
    if family not in kinds or len(values) != len(forms[family].split(",")):
        rule = f"be one of {', '.join(map(':'.join, forms.items()))} in numbers, such as beta:8,2"
        raise refusal("a distribution", rule, format_value(text))
    return kinds[family](*values)


# ------------------------------------------------------------------- what rows of the table say
def rows_of_names(family: Names) -> list[Family]:
    """The rows of a family or of both."""
    names = (family,) if isinstance(family, str) else family
    return [FAMILIES[name] for name in names if name in FAMILIES]


def is_of_counts(family: Names) -> bool:
    """Whether both classes are taken as their scores."""
    rows = rows_of_names(family)
    return bool(rows) and all(row.counted for row in rows)


def planned_family(law: Distribution) -> str | None:
    """The family by which a distribution is fitted."""
    kind = type(base_of(law))
    rows = FAMILIES.items()
    return next((name for name, row in rows if row.law is kind and not row.ranked), None)


def has_shapes(family: Names) -> bool:
    """Whether both classes have free beta shapes."""
    rows = rows_of_names(family)
    return bool(rows) and all(row.law is Beta for row in rows)


def check_within(who: str, values: FloatArray, bounds: tuple[float, float]) -> None:
    """An error for scores outside the bounds."""
    low, high = bounds
    outside = (values < np.nextafter(low, -np.inf)) | (values > np.nextafter(high, np.inf))
    if np.any(outside):
        first = int(np.argmax(outside))
        raise InputError.about("bounds")(
            f"all {who} scores must lie in the bounds ({low:g}, {high:g}); got"
            f" {int(np.sum(outside))} outside, first index {first}, value {float(values[first])!r}."
        )


# -------------------------------------------------------------------------- "auto"
class Chosen(NamedTuple):
    """A family, why it was chosen, and notices."""

    family: str
    reason: str
    notices: list[Notice]


class Span(NamedTuple):
    """Scores of one class, and those outside [0, 1]."""

    name: str
    total: int
    outside: int
    first: tuple[int, float] | None = None


def score_span(name: str, side: FloatArray | ClassSummary) -> Span:
    """Of one class."""
    if isinstance(side, ClassSummary):
        return Span(name, side.n, side.n_outside)
    wrong = np.flatnonzero((side < 0.0) | (side > 1.0))
    first = (int(wrong[0]), float(side[wrong[0]])) if wrong.size else None
    return Span(name, side.size, wrong.size, first)


def spans_of(scores: ScoreData, *, named: bool = True) -> list[Span]:
    """Of both classes, or of several sets by name."""
    of = f" of {scores.name}" if named and scores.name else ""
    return [score_span(f"{who}{of}", getattr(scores, who)) for who in CLASSES]


def automatic(
    value: Sequence[ScoreData], asked: str = AUTO, bounds: tuple[float, float] | None = None
) -> Chosen:
    """Beta where every score lies in [0, 1] or has bounds, else normal."""
    if bounds is not None:
        low, high = value[0]._bounds_inside(bounds) or bounds
        reason = f"chosen because scores have bounds, {low:g} and {high:g}"
        return Chosen("beta", reason, [])
    several = len(value) > 1
    return chosen_of([s for scores in value for s in spans_of(scores, named=several)], asked)


def chosen_of(spans: Sequence[Span], asked: str = AUTO) -> Chosen:
    """By all scores of a call."""
    total, outside = sum(span.total for span in spans), sum(span.outside for span in spans)
    if not outside:
        return Chosen("beta", f"chosen because all {total} scores lie in [0, 1]", [])
    notices = []
    if total - outside >= _MOSTLY * total:
        worst, place = next(span for span in spans if span.outside), ""
        if worst.first is not None:
            place = f", first {worst.name} at index {worst.first[0]}: {worst.first[1]!r}"
        text = f"{outside} of {total} scores lie outside [0, 1]{place}; so " + worded(
            f'`family="{asked}"` takes normal distributions.'
        )
        text += " If they belong in [0, 1], correct those outside; else name a family"
        notices.append(Notice(ScaleWarning, text))
    reason = f"chosen because {outside} of {total} scores lie outside [0, 1]"
    return Chosen("normal", reason, notices)


def check_rule(chosen: Chosen, boundary: str | None, asked: str = AUTO) -> None:
    """A rule for scores of 0 and 1 needs scores in [0, 1]."""
    if chosen.family == "normal" and boundary is not None:
        raise InputError.about("boundary")(
            "boundary must be left out where scores lie outside [0, 1]: it is a rule for"
            + worded(f' distributions on [0, 1], and `family="{asked}"` takes normal here,')
            + f" {chosen.reason}. Correct these scores, or leave it out."
        )
