"""Whether a model needs what a smaller one lacks: nested families, and calibrated scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import DegenerateDataError, FitError, InputError
from betaroc.core.notices import public, quietly
from betaroc.core.polygamma import phi_tau_of
from betaroc.core.resampling import streams
from betaroc.core.special import log_beta_ratio
from betaroc.core.value import Result
from betaroc.data.groups import groups_of
from betaroc.data.scores import Scores, require_scores
from betaroc.distributions.beta import Beta, has_shape
from betaroc.distributions.inflated import base_of
from betaroc.distributions.mixture import BetaMixture
from betaroc.distributions.shifted import Shifted, bounds_of
from betaroc.estimation.estimate import Options, estimate_class, estimate_pair
from betaroc.estimation.families import FAMILIES, Names, family_text
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.fits.refits import drawn_inside
from betaroc.inference.sandwich import joint_cov
from betaroc.inference.small_samples import inner_trials
from betaroc.rendering.nouns import Noun

#: Families of clients and of impostors.
Families = tuple[str, str]


def nested(one: Families, other: Families) -> bool:
    """Whether one of two pairs of families contains the other."""
    return _contains(one, other) or _contains(other, one)


def _contains(general: Families, restricted: Families) -> bool:
    """Whether each class's family is that of the other or contains it, and not all are equal."""
    return general != restricted and all(
        less == more or less in FAMILIES[more].contains
        for less, more in zip(restricted, general, strict=True)
    )


def _pair_of(f: PairEstimate) -> Families:
    return f.client.family, f.impostor.family


@dataclass(frozen=True, eq=False, repr=False)
class LikelihoodRatioTest(Result, Noun):
    """Whether the scores ask for more than the restricted family.

    Made by :func:`likelihood_ratio_test`.

    Parameters
    ----------
    restricted, general : str
        The families.
    statistic : float
        Twice the gain of log-likelihood.
    p_value : float
        Share of simulated statistics that are as large.
    replicates : int
        Simulated score sets.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> scores = br.Scores(rng.beta(4, 2, 200), rng.beta(2, 4, 200))
    >>> proper, free = br.fit(scores, "proper-beta"), br.fit(scores)
    >>> br.likelihood_ratio_test(proper, free, replicates=49, rng=1).statistic
    0.0
    """

    restricted: Names
    general: Names
    statistic: float
    p_value: float
    replicates: int


@public
def likelihood_ratio_test(
    restricted: PairEstimate, general: PairEstimate, *, replicates: int = 199, rng: Any = None
) -> LikelihoodRatioTest:
    """Test a family against one that contains it.

        2 [l(general) - l(restricted)], beside that of score sets drawn from the restricted fit

    Parameters
    ----------
    restricted, general : Fit
        Fits of the same scores: "dual-beta" or "proper-beta" in "beta", any of these in
        "beta-mixture", and the same class by class, as "beta" in ("beta", "beta-mixture").
    replicates : int
        Simulated score sets, at least 19.
    rng : None, int, SeedSequence or Generator
        Source of randomness; a seed gives the same bytes everywhere.

    Returns
    -------
    LikelihoodRatioTest

    Raises
    ------
    InputError
        If neither family contains the other, the order is the wrong one, the scores differ, were
        counted in cells or moved, or the rules for scores of 0 and 1 differ.
    InputTypeError
        If an argument is no Fit.
    FitError
        If a simulated score set has no fit of a family other than the mixture.

    Notes
    -----
    The usual chi-squared limit holds for none of these but the dual pair: a constraint that just
    binds and a component without weight lie on the border of the parameters. So the null
    distribution is simulated and refitted, p = (1 + number as large) / (1 + replicates). Point
    masses are the same in both families; simulated are the scores between them. A simulated class
    without a mixture that is likelier than one beta distribution counts as that distribution.
    Trials are taken as independent. Families that do not contain each other are compared by
    `compare_families`.

    References
    ----------
    McLachlan, G. J. (1987), On bootstrapping the likelihood ratio test statistic for the number
    of components in a normal mixture.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> scores = br.Scores(rng.beta(4, 2, 200), rng.beta(2, 4, 200))
    >>> warnings.simplefilter("ignore", br.MisfitWarning)  # of the smaller family
    >>> test = br.likelihood_ratio_test(
    ...     br.fit(scores, "dual-beta"), br.fit(scores), replicates=49, rng=1
    ... )
    >>> test.p_value
    0.02
    """
    for name, value in (("restricted", restricted), ("general", general)):
        checks.instance(value, PairEstimate, name, "br.fit(scores)", "Fit")
    replicates = checks.count(replicates, "replicates", 19)
    _refuse_strangers(restricted, general)
    restricted, general = restricted._told_scored("a likelihood-ratio test"), general._scored
    statistic = 2.0 * (general.log_likelihood - restricted.log_likelihood)
    laws = [base_of(r.distribution) for r in (restricted.client, restricted.impostor)]
    sizes = [_inner(restricted, who) for who in CLASSES]
    drawn = np.empty(replicates)
    for rows, stream in streams(replicates, rng):
        for row in range(rows.start, rows.stop):
            sample = [drawn_inside(law, stream, n) for law, n in zip(laws, sizes, strict=True)]
            drawn[row] = _gain(Scores(*sample), restricted, general)
    # Equal fits differ by rounding.
    slack = 1e-9 * abs(restricted.log_likelihood)
    larger = int(np.sum(drawn >= statistic - slack))
    return LikelihoodRatioTest(
        restricted.family, general.family, statistic, (1 + larger) / (1 + replicates), replicates
    )


def _refuse_strangers(restricted: PairEstimate, general: PairEstimate) -> None:
    one, other = _pair_of(restricted), _pair_of(general)
    if not _contains(other, one):
        hint = (
            "Give them in the other order."
            if _contains(one, other)
            else "They are not nested: use br.compare_families, whose Vuong z is for such families."
        )
        raise InputError(
            "the general family must contain the restricted; got"
            f" {family_text(restricted.family)} in {family_text(general.family)}. {hint}"
        )
    require_scores(general.scores, "a simulated likelihood-ratio test", rejected=True)
    if restricted.scores != general.scores:
        raise InputError(
            "both fits must be of the same scores; these differ. Fit one Scores twice."
        )
    for result in (restricted.client, restricted.impostor, general.client, general.impostor):
        rule = result.boundary
        if rule is not None and rule.policy not in ("inflate", "error", "drop"):
            raise InputError(
                "both fits must be of the scores themselves; the boundary rule of one is"
                f" {rule.policy!r}. Fit with boundary=None."
            )
    for who in CLASSES:
        rules = [getattr(f, who).boundary for f in (restricted, general)]
        if rules[0] != rules[1]:
            raise InputError(
                f"both fits must have treated {who} scores of 0 and 1 alike; their rules are"
                f" {rules[0]!r} and {rules[1]!r}. Fit both with one boundary."
            )


def _inner(f: PairEstimate, who: str) -> int:
    """Trials between the point masses."""
    result = getattr(f, who)
    count = inner_trials(result)
    if abs(count - round(count)) > 1e-6:
        raise InputError.about("weights")(
            f"weights must be whole numbers of copies to draw {who} scores; their total is"
            f" {result.total_weight!r}."
        )
    return round(count)


def _gain(scores: Scores, restricted: PairEstimate, general: PairEstimate) -> float:
    """Twice what the general family gains on scores drawn from the restricted one."""
    options = Options(bounds=bounds_of(restricted.client.distribution))
    with quietly():
        less = estimate_pair(scores, _pair_of(restricted), options)[0].log_likelihood
        if not any(FAMILIES[name].sized for name in _pair_of(general)):
            more = estimate_pair(scores, _pair_of(general), options)[0].log_likelihood
        else:
            classes = (scores.client, general.client), (scores.impostor, general.impostor)
            more = math.fsum(_largest(x, own) for x, own in classes)
    # Equal fits differ by rounding.
    return 2.0 * max(more - less, 0.0)


def _largest(sample: FloatArray, like: Estimate) -> float:
    """The largest likelihood found with so many components, where need be that of one."""
    law, components = like.distribution, None
    if FAMILIES[like.family].sized is not None:
        inner = base_of(law.base if isinstance(law, Shifted) else law)
        components = len(cast(BetaMixture, inner).components)
    try:
        found = estimate_class(
            "sample", sample, None, like.family, components=components, bounds=bounds_of(law)
        )
        return found.log_likelihood
    except DegenerateDataError:
        raise
    except FitError as error:
        return float(cast(Estimate, error.result).log_likelihood)


# ------------------------------------------------------- whether a score is a probability
class CalibrationTest(NamedTuple):
    """Whether the posterior of the fitted pair is the score itself."""

    #: Wald's chi-squared with three degrees of freedom.
    statistic: float
    p_value: float
    #: a_c - a_i and b_i - b_c: both 1 for a calibrated score.
    slope_at_zero: float
    slope_at_one: float
    #: Log-odds of the posterior at a score of 1/2: 0 for a calibrated score.
    intercept: float


def calibration_test(f: PairEstimate) -> CalibrationTest:
    """Wald's test of a fit; `Fit.calibration_test` documents it."""
    c, i = f.client.distribution, f.impostor.distribution
    if not (has_shape(c) and has_shape(i)):
        raise InputError(
            "the test of calibration is of beta distributions without point masses; got"
            f" {c!r:.50} and {i!r:.50}. Look at model.posterior(scores)."
        )
    prior = f.model.prior
    if not 0.0 < prior < 1.0:
        raise InputError(f"the fit must have a prior inside (0, 1); got {prior!r}.")
    at_zero, at_one = c.a - i.a, i.b - c.b
    level = log_beta_ratio(i.a, i.b, c.a, c.b) + math.log(prior) - math.log1p(-prior)
    # At a score of 1/2 both logarithms are -log 2.
    intercept = level - (at_zero - at_one) * math.log(2.0)
    away = np.array([at_zero - 1.0, at_one - 1.0, level])
    own, other = _gradient(c), _gradient(i)
    rates = np.array(
        [[1.0, 0.0, -1.0, 0.0], [0.0, -1.0, 0.0, 1.0], [-own[0], -own[1], other[0], other[1]]]
    )
    covariance = rates @ _covariance(f) @ rates.T
    # The share of clients was observed: its log-odds have an error of their own.
    covariance[2, 2] += 1.0 / f.client.total_weight + 1.0 / f.impostor.total_weight
    statistic = float(away @ np.linalg.solve(covariance, away))
    from scipy.special import chdtrc

    return CalibrationTest(
        statistic, float(chdtrc(3.0, statistic)), float(at_zero), float(at_one), float(intercept)
    )


def _gradient(law: Beta) -> tuple[float, float]:
    """Derivatives of log B(a, b): psi(a) - psi(a + b) and psi(b) - psi(a + b)."""
    a, b = law.a, law.b
    phi = [phi_tau_of(x)[0] for x in (a, b, a + b)]
    return phi[0] - phi[2] - math.log1p(b / a), phi[1] - phi[2] - math.log1p(a / b)


def _covariance(f: PairEstimate) -> FloatArray:
    """Of (a_c, b_c, a_i, b_i), with groups where the scores carry them."""
    if groups_of(f.scores) is not None:
        return np.asarray(joint_cov(f))
    cov = np.zeros((4, 4))
    cov[:2, :2], cov[2:, 2:] = f.client.cov, f.impostor.cov
    return cov
