"""Score distributions that depend on covariates: a beta regression for each class."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from betaroc.core import checks, errors, formulas, notices, tables
from betaroc.core.arrays import CLASSES, BoolArray, FloatArray
from betaroc.core.text import format_list, format_value, typed
from betaroc.core.value import Named, Result, Value
from betaroc.data import designs, labels
from betaroc.data.designs import Covariate, DesignMatrix
from betaroc.data.frames import frame_columns, named_columns, opened
from betaroc.data.groups import groups_of
from betaroc.data.scores import Scores
from betaroc.distributions.beta import LARGEST_CONCENTRATION, Beta, beta_mle
from betaroc.estimation.contract import BoundaryRule
from betaroc.estimation.estimate import few_scores, give, reversed_scores
from betaroc.inference.delta import Delta, block_diag, covariance_roots, delta, models_near
from betaroc.inference.interval import Interval, difference_ends
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import PointArguments, StatisticSpec, parse_statistic
from betaroc.rendering.nouns import Exportable

if TYPE_CHECKING:
    from statsmodels.othermod.betareg import BetaModel

_POLICIES = ("error", "drop", "squeeze")
#: Gradients of the mean log-likelihood: near enough for Newton's steps, and 0 but for rounding.
_NEAR, _TINY = 1e-4, 1e-9
_STEPS = 200
_EPS = float(np.finfo(np.float64).eps)
#: No mean is nearer to 0 or 1 than doubles are.
_LARGEST_LOGIT = 700.0
#: Log-likelihoods of nested fits that agree to this are equal.
_EQUAL = 1e-9
#: Step of differences along a scale, which is smooth.
_STEP = 1e-5
#: Share of its range from which an interval outside the data says nothing.
_WHOLE = 0.99


# ------------------------------------------------------------------------ one class
@dataclass(frozen=True, eq=False, repr=False)
class RegressionFit(Value):
    """The beta regression of one class.

    Parameters
    ----------
    mean_names, precision_names : tuple of str
        Columns of the two designs.
    coefficients, std_errors : tuple of float
        Coefficients of the mean, then of the precision, and their errors.
    log_likelihood : float
        Of densities by the score.
    n : int
        Trials that took part.
    converged : bool
        False only in an error's result.
    iterations, gradient_norm : int, float
        Steps, and the largest component of the gradient of the mean log-likelihood.
    boundary : BoundaryRule
        The rule for scores of exactly 0 and 1.
    """

    mean_names: tuple[str, ...]
    precision_names: tuple[str, ...]
    coefficients: tuple[float, ...]
    std_errors: tuple[float, ...]
    log_likelihood: float
    n: int
    converged: bool
    iterations: int
    gradient_norm: float
    boundary: BoundaryRule

    @property
    def mean(self) -> Mapping[str, float]:
        """Coefficients of the logit of the mean."""
        values = self.coefficients[: len(self.mean_names)]
        return Named(zip(self.mean_names, values, strict=True))

    @property
    def precision(self) -> Mapping[str, float]:
        """Coefficients of the logarithm of the precision a + b."""
        values = self.coefficients[len(self.mean_names) :]
        return Named(zip(self.precision_names, values, strict=True))


def regression(
    who: str, scores: Scores, matrices: list[DesignMatrix], rule: BoundaryRule
) -> tuple[RegressionFit, FloatArray, FloatArray, FloatArray]:
    """The maximum of sum log f(y; mu phi, (1 - mu) phi), logit mu = x beta, log phi = z gamma."""
    # Beside it the information and each trial's derivatives in orthonormal columns, and the way
    # back.
    from statsmodels.othermod import betareg

    y, (mean, precision) = getattr(scores, who), matrices
    names = mean.names + precision.names
    if y.size < len(names):
        actual = f"{y.size} of {who}s for {len(names)} ({format_list(names, 6)})"
        remedy = "Give a shorter formula."
        raise errors.refusal("frame", "have as many trials as coefficients", actual, remedy)
    columns, triangles = [], []
    for design in matrices:
        design.refuse_undetermined(who)
        # Columns of mean square 1, so that units and zero points of covariates do not matter.
        units = np.max(np.abs(design.rows[who]), axis=0)
        q, r = np.linalg.qr(design.rows[who] / units)
        columns.append(np.ascontiguousarray(q * math.sqrt(y.size)))
        triangles.append(np.linalg.inv(r * units / math.sqrt(y.size)))
    model = betareg.BetaModel(y, columns[0], exog_precision=columns[1])
    back = block_diag(*triangles)
    with np.errstate(all="ignore"):
        place, steps = _search(model)
        concentration = float(np.exp(np.max(columns[1] @ place[len(mean.names) :])))
        norm = float(np.max(np.abs(model.score(place)))) / y.size
        information = -np.asarray(model.hessian(place))
        rises = zip(model.score_factor(place), columns, strict=True)
        rows = np.hstack([rise[:, None] * q for rise, q in rises])
        height = float(model.loglike(place))
    runaway = _is_point(model, place)
    converged = norm <= _TINY + 8.0 * _EPS * concentration and not runaway
    converged = converged and bool(np.linalg.eigvalsh(information)[0] > 0.0)
    result = RegressionFit(
        mean.names, precision.names, tuple((back @ place).tolist()), (math.nan,) * len(names),
        height, y.size, converged, steps, norm, rule,
    )  # fmt: skip
    if runaway:
        raise errors.DegenerateDataError(
            f"{who}: the likelihood has no maximum: at some covariates the distribution becomes"
            " a point. Give a shorter formula, of the precision first.", result,
        )  # fmt: skip
    if not converged:
        raise errors.FitError(
            f"{who}: the search ended after {steps} steps with a gradient of {norm:.3g} instead of"
            " 0. Give a shorter formula, or covariates on another scale.", result,
        )  # fmt: skip
    return result, information, rows, back


def _search(model: BetaModel) -> tuple[FloatArray, int]:
    from scipy.optimize import minimize

    y, n = model.endog, model.endog.size
    a, b, present = beta_mle(np.mean(np.log(y)), np.mean(np.log1p(-y)))
    a, b = (a, b) if present else (1.0, 1.0)
    start = np.concatenate([
        (np.log(a) - np.log(b)) * model.exog.mean(axis=0),
        np.log(a + b) * model.exog_precision.mean(axis=0),
    ])  # fmt: skip

    def fall(place: FloatArray) -> float:
        height = float(model.loglike(place)) / n
        return -height if math.isfinite(height) else math.inf

    def slope(place: FloatArray) -> FloatArray:
        return np.asarray(-np.nan_to_num(model.score(place)) / n)

    def bend(place: FloatArray, *, observed: bool = False) -> FloatArray:
        return np.asarray(-np.nan_to_num(model.hessian(place, observed=observed)) / n)

    def stop(place: FloatArray) -> None:
        if _is_point(model, place):
            raise StopIteration

    result = minimize(
        fall, start, method="trust-exact", jac=slope, hess=bend, callback=stop,
        options={"gtol": _NEAR, "max_trust_radius": 20.0, "maxiter": _STEPS},
    )  # fmt: skip
    place, steps = result.x, int(result.nit)
    norm = np.max(np.abs(slope(place)))
    while steps < _STEPS:
        step = np.linalg.lstsq(bend(place, observed=True), slope(place), rcond=None)[0]
        closer = place - step
        smaller = np.max(np.abs(slope(closer)))
        if not (smaller < norm and math.isfinite(fall(closer))):
            break
        place, norm, steps = closer, smaller, steps + 1
    return np.asarray(place), steps


def _is_point(model: BetaModel, place: FloatArray) -> bool:
    cut = model.exog.shape[1]
    logit, log_precision = model.exog @ place[:cut], model.exog_precision @ place[cut:]
    concentrated = np.max(log_precision) > math.log(LARGEST_CONCENTRATION)
    return bool(concentrated or np.max(np.abs(logit)) > _LARGEST_LOGIT)


# ------------------------------------------------------------------------ tests of terms
class ChiSquared(NamedTuple):
    """A statistic that is chi-squared where the hypothesis holds."""

    statistic: float
    degrees: int
    p_value: float

    @classmethod
    def of(cls, statistic: float, degrees: int) -> ChiSquared:
        """With its p-value."""
        from scipy.special import chdtrc

        return cls(statistic, degrees, float(chdtrc(degrees, statistic)))


@dataclass(frozen=True, eq=False, repr=False)
class TermTest(Value):
    """Whether terms of a formula matter.

    Parameters
    ----------
    terms : tuple of str
        The terms left out, their interactions included.
    method : str
        "likelihood-ratio", or "wald" where trials depend on groups.
    both : ChiSquared
        Of both classes together.
    client, impostor : ChiSquared or None
        Of each class alone; None if its formula has none of the terms.

    Examples
    --------
    >>> from betaroc.fits.covariates import ChiSquared, TermTest
    >>> found = ChiSquared(3.84, 1, 0.05)
    >>> TermTest(("sharpening",), "likelihood-ratio", found, None, found).p_value
    0.05
    """

    terms: tuple[str, ...]
    method: str
    both: ChiSquared
    client: ChiSquared | None
    impostor: ChiSquared | None

    @property
    def p_value(self) -> float:
        """Of both classes together."""
        return self.both.p_value


# ------------------------------------------------------------------------ both classes
@dataclass(frozen=True, eq=False, repr=False)
class CovariateFit(Result, Exportable):
    """Distributions of both classes that depend on covariates.

    Made by :func:`fit_covariates`.

    Parameters
    ----------
    formula, precision, client_formula : str
        As of :func:`fit_covariates`.
    client, impostor : RegressionFit
        Coefficients of each class.
    scores : Scores
        The scores as fitted, after the rule for 0 and 1.
    covariates : tuple of Covariate
        The columns that the formulas use.
    prior : float
        Observed share of clients among all rows.
    roots : ndarray, shape (rank, coefficients)
        Vectors whose outer products sum to `cov`.

    Examples
    --------
    >>> import betaroc as br
    >>> frame = br.datasets.load_liveness().dev.to_frame()
    >>> frame["x"] = frame.index % 20
    >>> fit = br.fit_covariates(frame, "x")
    >>> fit.converged, fit.client.n, list(fit.client.mean)
    (True, 180, ['Intercept', 'x'])
    """

    formula: str
    precision: str
    client_formula: str | None
    client: RegressionFit
    impostor: RegressionFit
    scores: Scores
    covariates: tuple[Covariate, ...]
    prior: float
    roots: FloatArray

    @property
    def log_likelihood(self) -> float:
        """Sum over the classes, of densities by the score."""
        return self.client.log_likelihood + self.impostor.log_likelihood

    @property
    def aic(self) -> float:
        """2 k - 2 log-likelihood, k coefficients of both classes."""
        return 2.0 * self._coefficients.size - 2.0 * self.log_likelihood

    @property
    def converged(self) -> bool:
        """Whether both classes are at their maximum."""
        return self.client.converged and self.impostor.converged

    @cached_property
    def cov(self) -> FloatArray:
        """Covariance of all coefficients: the clients' mean and precision, the impostors'."""
        return checks.frozen(self.roots.T @ self.roots)

    @property
    def _formulas(self) -> tuple[str, str, str, str]:
        clients = self.client_formula
        return clients or self.formula, clients or self.precision, self.formula, self.precision

    @cached_property
    def _designs(self) -> dict[str, list[DesignMatrix]]:
        shared = self.client_formula is None
        return designs.designs_of(self._formulas, self.covariates, self.scores, shared=shared)

    @property
    def _classes(self) -> dict[str, RegressionFit]:
        return {"client": self.client, "impostor": self.impostor}

    @property
    def _coefficients(self) -> FloatArray:
        return np.array([*self.client.coefficients, *self.impostor.coefficients])

    def to_frame(self) -> tables.Table:
        """A frame, one row per coefficient.

        Columns class, part ("mean" on the logit scale, "precision" on the log scale), term,
        estimate, std_error, z and two-sided p_value. The library is that of the frame that was
        fitted.

        Examples
        --------
        >>> import betaroc as br
        >>> frame = br.datasets.load_liveness().dev.to_frame()
        >>> br.fit_covariates(frame, "1").to_frame()["part"].tolist()
        ['mean', 'precision', 'mean', 'precision']
        """
        from scipy.special import ndtr

        rows = []
        for who, part in self._classes.items():
            kinds = ["mean"] * len(part.mean_names) + ["precision"] * len(part.precision_names)
            names = (*part.mean_names, *part.precision_names)
            for cells in zip(kinds, names, part.coefficients, part.std_errors, strict=True):
                z = cells[2] / cells[3] if cells[3] > 0.0 else math.nan
                rows.append((who, *cells, z, 2.0 * float(ndtr(-abs(z)))))
        texts = ("class", "part", "term")
        names = (*texts, "estimate", "std_error", "z", "p_value")
        return tables.table_of(tables.columns_from_rows(rows, names, texts), self.scores.library)

    def model(self, *, prior: float | None = None, **covariates: Any) -> ScoreModel:
        """The two distributions at values of the covariates.

            a = mu phi,  b = (1 - mu) phi,   logit mu = x beta,  log phi = z gamma

        Parameters
        ----------
        prior : float, optional
            P(client); the observed share of clients among all rows where left out.
        **covariates : float, str or bool
            One value for every covariate of the formulas.

        Returns
        -------
        ScoreModel
            Named after the values.

        Raises
        ------
        InputError, InputTypeError
            If a covariate is missing or unknown, a category is none of those fitted, or values lie
            outside the data: take `interval` there.

        Notes
        -----
        Values lie outside the data where a number is beyond those of the trials of a class, or
        where their row has more than twice the largest leverage of any trial (Montgomery, Peck and
        Vining 2012, 3.8).

        Examples
        --------
        >>> import betaroc as br
        >>> frame = br.datasets.load_liveness().dev.to_frame()
        >>> frame["x"] = frame.index % 20
        >>> round(br.fit_covariates(frame, "x").model(x=5).auc(), 3)
        0.937
        """
        place, _, words = self._place(covariates)
        if words:
            remedy = "Ask interval(stat, covariates=...) for single numbers."
            raise errors.refusal("covariates", "lie inside the data for a model", words, remedy)
        name = ", ".join(f"{k}={v}" for k, v in covariates.items()) or None
        return _model(place, self._prior(prior), name)

    def interval(
        self,
        stat: str | Callable[[ScoreModel], float],
        *given: Any,
        covariates: Mapping[str, Any] | None = None,
        level: float = 0.95,
        prior: float | None = None,
        **point: Unpack[PointArguments],
    ) -> Interval:
        """Confidence interval of a number of the model at values of the covariates.

            T^-1(T(g) -+ z sd),   sd^2 = sum over the roots r of the covariance of (dT(g)/dr)^2

        with the covariance of the coefficients, times n/(n - k) for the n trials and k coefficients
        of each class.

        Parameters
        ----------
        stat, threshold, far, frr, tpr, alpha, between, at, probability, log_odds
            A number, and where it is taken, as in `Fit.interval`.
        covariates : mapping, optional
            One value for every covariate of the formulas; left out where there are none.
        level : float
            Confidence level.
        prior : float, optional
            As in `model`.

        Returns
        -------
        Interval

        Raises
        ------
        InputError
            As in `Fit.interval`, if covariates are missing or unknown, or if values outside the
            data give an interval of more than 99 % of the statistic's range.
        InputTypeError
            As in `model` and `Fit.interval`.

        Warns
        -----
        ExtrapolationWarning
            If values lie outside the data (then `extrapolated`).

        Notes
        -----
        The bias from few trials is not removed: docs/covariates.md has simulated coverage.

        Examples
        --------
        >>> import betaroc as br
        >>> frame = br.datasets.load_liveness().dev.to_frame()
        >>> frame["x"] = frame.index % 20
        >>> round(br.fit_covariates(frame, "x").interval("auc", covariates={"x": 5}).low, 4)
        0.9071
        """
        spec, level = parse_statistic(stat, given, **point), checks.level(level)
        place, rates, words = self._place({} if covariates is None else covariates)
        part = _delta(spec, place, self._moves(rates), self._prior(prior))
        result = _checked_interval(part, level, repr(str(spec)), words)
        return _warn_outside(result, words) if words else result

    def contrast(
        self,
        stat: str | Callable[[ScoreModel], float],
        first: Mapping[str, Any],
        second: Mapping[str, Any],
        *given: Any,
        level: float = 0.95,
        prior: float | None = None,
        **point: Unpack[PointArguments],
    ) -> Interval:
        """Difference of a number between two values of the covariates, second minus first.

            d -+ z sd,   d = g2 - g1,   sd^2 = sum over the roots r of (dg2/dr - dg1/dr)^2

        with the covariance of `interval`. Outside the data, with the distances l and u of each
        number from the ends of its own interval and their correlation c (Zou and Donner 2008):

            d - sqrt(l2^2 + u1^2 - 2 c l2 u1),   d + sqrt(u2^2 + l1^2 - 2 c u2 l1)

        Parameters
        ----------
        first, second : mapping
            Two different sets of values, each of every covariate.
        threshold, far, frr, tpr, alpha, between, at, probability, log_odds
        stat, level, prior
            As in `interval`.

        Returns
        -------
        Interval

        Raises
        ------
        InputError, InputTypeError
            As in `interval`, or if both sets of values are the same.

        Warns
        -----
        ExtrapolationWarning
            If either set of values lies outside the data (then `extrapolated`).

        Examples
        --------
        >>> import betaroc as br
        >>> frame = br.datasets.load_liveness().dev.to_frame()
        >>> frame["x"] = frame.index % 20
        >>> change = br.fit_covariates(frame, "x").contrast("auc", {"x": 1}, {"x": 19})
        >>> round(change.low, 4), round(change.high, 4)
        (-0.1005, 0.0124)
        """
        spec, level = parse_statistic(stat, given, **point), checks.level(level)
        (start, of_start, off), (end, of_end, beyond) = self._place(first), self._place(second)
        if np.array_equal(start, end):
            actual, remedy = format_value(dict(second)), "For the number itself use interval."
            raise errors.refusal("second", "be different from first", actual, remedy)
        moves, prior = self._moves(np.vstack([of_start, of_end])), self._prior(prior)
        one, two = _delta(spec, start, moves[:, :4], prior), _delta(spec, end, moves[:, 4:], prior)
        change, name = two.estimate - one.estimate, repr(str(spec))
        words = "; ".join(dict.fromkeys(w for w in (off, beyond) if w))
        if not words:
            slopes = _plain_slopes(two) - _plain_slopes(one)
            return Delta(change, change, slopes, float).interval(level)
        second_interval = _checked_interval(two, level, name, beyond)
        first_interval = _checked_interval(one, level, name, off)
        # Of two numbers whose intervals need not be symmetric.
        shared = float(one.slopes @ two.slopes) / (one.error * two.error)
        down, up = difference_ends(second_interval, first_interval, shared)
        result = Interval(change, change - down, change + up, level, "square-and-add")
        least, most = one.back(-math.inf), one.back(math.inf)
        _check_whole(result, least - most, most - least, f"a change of {name}", words)
        return _warn_outside(result, words)

    def test(self, *terms: str) -> TermTest:
        """Whether terms matter, in mean and precision, in both classes together and in each alone.

            2 [l(with) - l(without)], chi-squared with as many degrees as coefficients left out

        or, where trials carry groups, Wald's statistic b' V^-1 b of these coefficients with V the
        sandwich covariance.

        Parameters
        ----------
        *terms : str
            Terms as the formulas have them, such as "C(camera)", left out at once with their
            interactions.

        Returns
        -------
        TermTest

        Raises
        ------
        InputError
            If no formula has such a term, one of them has no intercept, or there are fewer groups
            than coefficients.
        FitError
            If the fit without the terms does not converge.

        Examples
        --------
        >>> import betaroc as br
        >>> frame = br.datasets.load_liveness().dev.to_frame()
        >>> frame["x"] = frame.index % 20
        >>> br.fit_covariates(frame, "x").test("x").both.degrees
        2
        """
        parts = [formulas.right_side(text, "formula", "") for text in self._formulas]
        present = list(dict.fromkeys(n for part in parts for n in formulas.term_names(part)))
        if not terms or not present:
            remedy = f"The formulas have {format_list(present) or 'none'}."
            raise errors.refusal("terms", "be one or more of a formula", "none", remedy)
        names = tuple(checks.choice(formulas.spelled(t), present, "terms") for t in terms)
        shorter, lost = zip(*(formulas.without(part, names) for part in parts), strict=True)
        for text, part, gone in zip(self._formulas, parts, lost, strict=True):
            if gone and not formulas.has_intercept(part):
                raise errors.refusal("formula", "have an intercept to be tested", repr(text))
        tested = tuple(dict.fromkeys(name for part in lost for name in part))
        if groups_of(self.scores) is not None:
            return self._wald(tested, lost)
        each: list[ChiSquared | None] = [None, None]
        matrices = designs.designs_of(
            tuple(map(formulas.as_text, shorter)), self.covariates, self.scores,
            shared=self.client_formula is None,
        )  # fmt: skip
        for k, (who, full) in enumerate(self._classes.items()):
            if not lost[2 * k] + lost[2 * k + 1]:
                continue
            rest = regression(who, self.scores, matrices[who], full.boundary)[0]
            gain = 2.0 * (full.log_likelihood - rest.log_likelihood)
            if gain < -_EQUAL * (full.n + abs(full.log_likelihood)):
                raise errors.FitError(
                    f"{who}: the fit without {format_list(names)} is better than the fit with it."
                    " Give covariates on another scale.", full,
                )  # fmt: skip
            degrees = len(full.coefficients) - len(rest.coefficients)
            each[k] = ChiSquared.of(max(gain, 0.0), degrees)
        tests = [item for item in each if item is not None]
        joint = ChiSquared.of(math.fsum(t.statistic for t in tests), sum(t.degrees for t in tests))
        return TermTest(tested, "likelihood-ratio", joint, *each)

    def _wald(self, tested: tuple[str, ...], lost: Sequence[list[str]]) -> TermTest:
        places: list[list[int]] = [[], []]
        start = 0
        for k, terms in enumerate(lost):
            design = self._designs[CLASSES[k // 2]][k % 2]
            places[k // 2] += [start + column for column in design.terms(terms)]
            start += len(design.names)

        def statistic(where: list[int]) -> ChiSquared:
            deviations = np.sqrt(np.diag(self.cov)[where])
            scaled = self.cov[np.ix_(where, where)] / np.outer(deviations, deviations)
            if not np.all(deviations > 0.0) or np.linalg.eigvalsh(scaled)[0] < 1e-12:
                actual = f"too few for {len(where)} together"
                raise errors.refusal("groups", "determine errors", actual, "Test fewer terms.")
            t = self._coefficients[where] / deviations
            return ChiSquared.of(float(t @ np.linalg.solve(scaled, t)), len(where))

        client, impostor = (statistic(where) if where else None for where in places)
        return TermTest(tested, "wald", statistic(places[0] + places[1]), client, impostor)

    def _moves(self, rates: FloatArray) -> FloatArray:
        """Roots of the covariance of numbers with these rates of change, no more than numbers."""
        grow: list[float] = []
        for who, part in self._classes.items():
            n, k = part.n, len(part.coefficients)
            if n <= k:
                actual, remedy = f"{n} trials for {k}", "Give more, or a shorter formula."
                raise errors.refusal(who, "have more trials than coefficients", actual, remedy)
            grow += [math.sqrt(n / (n - k))] * k
        return np.asarray(np.linalg.qr(self.roots * grow @ rates.T, mode="r"))

    def _prior(self, prior: Any) -> float:
        return self.prior if prior is None else checks.prior(prior)

    def _place(self, value: Mapping[str, Any]) -> tuple[FloatArray, FloatArray, str]:
        """Logit mu and log phi of both classes, their rates of change, and what lies outside."""
        if not isinstance(value, Mapping):
            rule, remedy = "be a mapping of names to values", "Give such as {'sharpening': 0.5}."
            raise errors.refusal("covariates", rule, typed(value), remedy, errors.InputTypeError)
        matrices = self._designs
        categories: dict[str, tuple[Any, ...]] = {}
        for part in (*matrices["client"], *matrices["impostor"]):
            categories |= part.categories
        values = designs.checked_values(value, self.covariates, categories)
        rows = {who: [design.row(values) for design in matrices[who]] for who in CLASSES}
        rates = block_diag(*(row[None, :] for who in CLASSES for row in rows[who]))
        result = designs.outside(values, rows, matrices)
        more = f" and {len(result) - 2} more" if len(result) > 2 else ""
        return rates @ self._coefficients, rates, "; ".join(result[:2]) + more


# ------------------------------------------------------------------------ numbers of a place
def _model(place: FloatArray, prior: float, name: str | None = None) -> ScoreModel:
    laws = []
    for logit, log_precision in (place[:2], place[2:]):
        with np.errstate(over="ignore", under="ignore"):
            a, b = (
                float(np.exp(log_precision - np.logaddexp(0.0, side))) for side in (-logit, logit)
            )
        if not (0.0 < a < math.inf and 0.0 < b < math.inf):
            actual, remedy = f"a={a!r}, b={b!r}", "Take values nearer to those of the trials."
            raise errors.refusal("covariates", "give shapes that doubles hold", actual, remedy)
        laws.append(Beta(a, b))
    return ScoreModel(laws[0], laws[1], prior=prior, name=name)


def _delta(spec: StatisticSpec, place: FloatArray, roots: FloatArray, prior: float) -> Delta:
    near = models_near(lambda away: _model(place + away, prior), roots)
    return delta(spec, _model(place, prior), near)


def _plain_slopes(part: Delta) -> FloatArray:
    h = _STEP * max(1.0, abs(part.place))
    return part.slopes * (part.back(part.place + h) - part.back(part.place - h)) / (2.0 * h)


# ------------------------------------------------------------------------ outside the data
def _checked_interval(part: Delta, level: float, name: str, words: str) -> Interval:
    result = part.interval(level)
    if words:
        _check_whole(result, part.back(-math.inf), part.back(math.inf), name, words)
    return result


def _check_whole(interval: Interval, least: float, most: float, name: str, words: str) -> None:
    """Refuse an interval of the whole range, of positive numbers v by v/(1 + v)."""
    low, high = interval.low, interval.high
    if most == math.inf and least > -math.inf:
        low, high, least, most = (1.0 - 1.0 / (1.0 + v) for v in (low, high, least, most))
    if least > -math.inf and min(high, most) - max(low, least) > _WHOLE * (most - least):
        raise errors.InputError(
            f"{name} cannot be told there: its {100.0 * interval.level:g} % interval,"
            f" {interval.low:.3g} to {interval.high:.3g}, covers more than {100.0 * _WHOLE:g} % of"
            f" its range. Outside the data: {words}. Take values inside, or give trials there."
        )


def _warn_outside(result: Interval, words: str) -> Interval:
    notices.warn(
        f"covariates outside the data: {words}. The regression is only continued there. Take values"
        " inside, or give trials there.", errors.ExtrapolationWarning,
    )  # fmt: skip
    return replace(result, extrapolated=True)


# ------------------------------------------------------------------------ from a frame
@notices.collect_warnings
def fit_covariates(
    frame: Any,
    formula: str,
    *,
    precision: str = "1",
    client_formula: str | None = None,
    score: str = "score",
    label: str = "label",
    client_label: object = None,
    group: str | tuple[str, str] | None = None,
    boundary: str | None = None,
) -> CovariateFit:
    """Fit a beta regression to each class: a ROC at each value of the covariates.

        score ~ Beta(mu phi, (1 - mu) phi),   logit mu = x beta,   log phi = z gamma

    with x the columns of `formula`, z those of `precision`, and coefficients of each class's own.

    Parameters
    ----------
    frame : frame
        Whatever Narwhals reads: pandas, Polars, pyarrow, DuckDB, Dask; one row per trial.
    formula : str
        Right-hand side for the mean in the columns of the frame, such as ``"C(camera) +
        sharpening"``, ``"bs(sharpening, df=4)"`` or ``"1"``, as formulaic reads it, with the
        functions of docs/covariates.md; no other code is run.
    precision : str
        Right-hand side for the precision phi = a + b.
    client_formula : str, optional
        Right-hand side for the clients' mean and precision where it differs: ``"1"`` if the
        covariates are of the impostors alone.
    score, label : str
        Column names.
    client_label : object, optional
        As in `Scores.from_labels`.
    group : str or (str, str), optional
        Column name, or two: trials that share a label depend on each other; errors, intervals and
        tests are those of the sandwich covariance.
    boundary : str, optional
        What becomes of scores of exactly 0 and 1. Left out or ``"error"``: refuse them.
        ``"drop"``: leave their rows out. ``"squeeze"``: fit (s (n - 1) + 1/2) / n in each class of
        n, inconsistent for shapes below 1/2.

    Returns
    -------
    CovariateFit

    Raises
    ------
    InputError, InputTypeError
        For a formula that is none, names no column or has other code; missing or infinite values;
        scores outside [0, 1], or of exactly 0 or 1 without `boundary`; a covariate that does not
        vary in a class, collinear columns, a category without trials in a class, fewer trials than
        coefficients; and whatever `Scores.from_frame` refuses.
    DegenerateDataError
        If there is no maximum: a distribution becomes a point, as of equal scores in a category.
    FitError
        If the search ended before the maximum.

    Warns
    -----
    SmallSampleWarning
        If a class has fewer than ten trials.
    ReversedScoresWarning
        If impostors score higher than clients.

    Notes
    -----
    The likelihood and its derivatives are those of statsmodels' BetaModel. Weights are not taken:
    repeat the row.

    References
    ----------
    Ferrari, S. and Cribari-Neto, F. (2004), Beta regression for modelling rates and proportions.
    Smithson, M. and Verkuilen, J. (2006), A better lemon squeezer?

    Examples
    --------
    >>> import betaroc as br, pandas as pd
    >>> frame = pd.DataFrame({"label": [1, 0] * 20, "camera": ["A", "A", "B", "B"] * 10})
    >>> frame["score"] = [0.5, 0.2, 0.8, 0.7, 0.9, 0.4, 0.6, 0.3] * 5
    >>> fit = br.fit_covariates(frame, "camera")
    >>> [round(fit.model(camera=c).auc(), 3) for c in "AB"]
    [0.965, 0.796]
    """
    if boundary is not None:
        boundary = checks.choice(boundary, _POLICIES, "boundary")
    value = opened(frame)
    roles = {"score": score, "label": label, **({} if group is None else {"group": group})}
    fixed_columns = [column for role, name in roles.items() for column in named_columns(name, role)]
    if not set(fixed_columns) <= set(value.names):
        frame_columns(value, roles)  # raises, and says what there is
    texts = {"formula": formula, "precision": precision}
    texts |= {} if client_formula is None else {"client_formula": client_formula}
    parsed = {name: formulas.right_side(text, name, score) for name, text in texts.items()}
    used = {
        name: formulas.formula_columns(terms, name, value.names, (score, label))
        for name, terms in parsed.items()
    }
    of_impostors = [*used["formula"], *used["precision"]]
    of_clients = used.get("client_formula", of_impostors)
    names = list(dict.fromkeys([*of_impostors, *of_clients]))
    table = value.selected([*fixed_columns, *names])
    every = Scores.from_frame(
        table, score=score, label=label, client_label=client_label, group=group
    )  # fmt: skip
    scores, keep, rules = _inside(replace(every, library=value.library), boundary)
    mask = labels.client_mask(frame_columns(opened(table), {"label": label})["label"], client_label)
    covariates = []
    for name in names:
        rows = mask & (name in of_clients), ~mask & (name in of_impostors)
        values, levels = designs.read_column(table[name], name, rows[0] | rows[1])
        parts = [values[r][k] if r.any() else values[r] for r, k in zip(rows, keep, strict=True)]
        covariates.append(Covariate(name, parts[0], parts[1], levels))
    mean, spread, *second = (formulas.as_text(terms) for terms in parsed.values())
    formula_texts = (*(second or (mean,)), *(second or (spread,)), mean, spread)
    matrices = designs.designs_of(formula_texts, tuple(covariates), scores, shared=not second)
    fits, information, rises, back = zip(
        *(regression(who, scores, matrices[who], rule)
          for who, rule in zip(CLASSES, rules, strict=True)), strict=True,
    )  # fmt: skip
    roots = _coefficient_roots(information, rises, scores) @ block_diag(*back).T
    deviations = np.split(np.hypot.reduce(roots, axis=0), [len(fits[0].coefficients)])
    client, impostor = (
        replace(part, std_errors=tuple(error.tolist()))
        for part, error in zip(fits, deviations, strict=True)
    )
    reversed_scores(*scores._scored._distributions)
    give([n for who in CLASSES for n in few_scores(who, getattr(scores, who).size)])
    return CovariateFit(
        mean, spread, next(iter(second), None), client, impostor, scores, tuple(covariates),
        every.prior, checks.frozen(roots),
    )  # fmt: skip


def _inside(
    scores: Scores, boundary: str | None
) -> tuple[Scores, list[BoolArray], list[BoundaryRule]]:
    classes = [scores.client, scores.impostor]
    remedy = "Map all scores into [0, 1] by one fixed map."
    for who, v in zip(CLASSES, classes, strict=True):
        checks.check_entries(v, (v < 0.0) | (v > 1.0), f"{who} scores", "lie in [0, 1]", remedy)
    ends = [(int(np.sum(v == 0.0)), int(np.sum(v == 1.0))) for v in classes]
    if boundary in (None, "error") and np.any(ends):
        actual = " and ".join(
            f"{zero} {who} scores of exactly 0 and {top} of exactly 1"
            for who, (zero, top) in zip(CLASSES, ends, strict=True)
        )
        remedy = "Pass boundary='drop', or 'squeeze', which is inconsistent."
        raise errors.refusal("scores", "lie strictly between 0 and 1", actual, remedy)
    parts: dict[str, Any] = {"name": scores.name, "library": scores.library}
    keep, rules = [], []
    for who, v, met_ends in zip(CLASSES, classes, ends, strict=True):
        inside = (v > 0.0) & (v < 1.0) | (boundary != "drop")
        if not inside.any():
            raise errors.InputError(f"no {who} score is left strictly between 0 and 1 of {v.size}.")
        fitted = (v * (v.size - 1.0) + 0.5) / v.size if boundary == "squeeze" else v
        counts = {"n_dropped": int(np.sum(~inside)), "n_moved": int(np.sum(fitted != v))}
        rules.append(BoundaryRule(boundary or "error", *met_ends, **counts))
        keep.append(inside)
        groups = getattr(scores, f"{who}_groups")
        parts[who] = fitted[inside]
        parts[f"{who}_groups"] = None if groups is None else groups[inside]
    return Scores._checked(**parts), keep, rules


def _coefficient_roots(
    information: Sequence[FloatArray], rises: Sequence[FloatArray], scores: Scores
) -> FloatArray:
    covariance = block_diag(*(np.asarray(np.linalg.inv(item)) for item in information))
    groups = groups_of(scores)
    if groups is not None:
        for who, size in zip(CLASSES, groups.sizes, strict=True):
            if size is not None and size < 2:
                actual = f"all {getattr(scores, who).size} {who} trials in one"
                raise errors.refusal("group", "name 2 groups or more", actual, "Leave it out.")
        covariance = covariance @ groups.covariance(rises[0], rises[1]) @ covariance
    return np.asarray(covariance_roots(covariance))
