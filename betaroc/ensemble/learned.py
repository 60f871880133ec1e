"""A fusion that learns its weights: which classifiers it can do without, and what each adds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, AnyArray, BoolArray, FloatArray, IntArray
from betaroc.core.errors import FitError, InputError, refusal
from betaroc.core.text import format_value
from betaroc.core.vocabulary import CLIENTS, IMPOSTORS
from betaroc.data.scores import Scores
from betaroc.decision.epc import dealt_folds
from betaroc.ensemble.fusion import correlations, logits
from betaroc.ensemble.trials import Systems
from betaroc.inference.auc import PairedAreas, paired_areas, placements, welch
from betaroc.inference.delta import student
from betaroc.rendering.nouns import Exportable
from betaroc.rendering.numbers import counted, level_words, number, rounded, visible

#: Penalty on the squared weights of standardised columns, over the number of trials.
_PENALTY = 1.0
#: Squared Newton decrement below which no step is left, and steps.
_SMALL, _STEPS = 1e-18, 100
#: A step may raise the loss by this much, which is rounding.
_ROUNDING = 1e-14
#: A gain in area below this is none, and a loss beyond it a loss.
MATTERS = 0.005
INCLUDE, ADDS_NOTHING, LEAVE_OUT = "include", "adds nothing", "leave out"
CANNOT_TELL = "cannot tell"
#: Folds of the gains, and trials (or groups) of each class in one at least.
LEAST_FOLDS, MOST_FOLDS, LEAST_TRIALS = 3, 10, 2
#: With fewer trials (or groups) of a class that rank otherwise DeLong's variance knows little; then
#: as many may go unseen as show in no sample of this size: the "rule of three", 3/n at .95.
_FEW = 5
#: From this correlation on the classifier most like another is named.
_ALIKE = 0.9
#: Below so many trials of a class the chance of a gain is that of normal classes, by so many draws.
_LARGE, _DRAWS = 400, 200


# ----------------------------------------------------------------------------- the columns
class FusionColumn(NamedTuple):
    """What a fusion sees of one classifier: a number per score."""

    system: str
    #: "score"; of scores in [0, 1] their "logit", and where they occur "zero" and "one".
    form: str
    #: The logit that stands for an exact 0 and for an exact 1: the mean of all others where these
    #: have columns of their own, else that of the nearest double.
    at_zero: float
    at_one: float

    def of(self, x: FloatArray) -> FloatArray:
        """The column of the classifier's scores."""
        if self.form in _ENDS:
            return np.asarray(1.0 * (x == _ENDS[self.form]))
        if self.form == "score":
            return x
        inside = logits(np.where((x > 0.0) & (x < 1.0), x, 0.5))
        return np.where(x <= 0.0, self.at_zero, np.where(x >= 1.0, self.at_one, inside))


_ENDS = {"zero": 0.0, "one": 1.0}


def columns_of(sides: Sequence[Systems]) -> list[FusionColumn]:
    """Those of all classifiers, alike for all sides."""
    pooled = np.concatenate([side.x for side in sides])
    weights = np.concatenate([side.weights for side in sides])
    result = []
    for name, x in zip(sides[0].names, pooled.T, strict=True):
        inside = (x > 0.0) & (x < 1.0)
        if not np.any(inside) or np.any((x < 0.0) | (x > 1.0)):
            result.append(FusionColumn(name, "score", math.nan, math.nan))
            continue
        values = logits(x[inside])
        mean = float(np.average(values, weights=weights[inside]))
        ends = {form: bool(np.any(x == end)) for form, end in _ENDS.items()}
        nearest = logits(np.nextafter([0.0, 1.0], 0.5)).tolist()
        at = (mean if seen else far for seen, far in zip(ends.values(), nearest, strict=True))
        logit = FusionColumn(name, "logit", *at)
        result += [logit, *(logit._replace(form=form) for form, seen in ends.items() if seen)]
    return result


def matrix_of(x: Any, columns: Sequence[FusionColumn], names: Sequence[str]) -> FloatArray:
    """The columns of scores that have one column per classifier."""
    x = np.asarray(x, dtype=float)
    return np.column_stack([column.of(x[:, names.index(column.system)]) for column in columns])


@dataclass(frozen=True, eq=False, repr=False)
class LogisticFusion(Exportable):
    """A weighted sum of the scores of some classifiers: their ridge-logistic fusion.

        fused = intercept + sum of weight * column

    The columns are the logits of classifiers in [0, 1], with columns for exact 0 and 1 where the
    learning trials had such scores, and the scores of others.

    Parameters
    ----------
    names : tuple of str
        The classifiers.
    columns : tuple of FusionColumn
        What it sees of them: system, form ("score", "logit", "zero" or "one"), and the logits that
        stand for an exact 0 and 1.
    weights : tuple of float
        One weight per column.
    intercept : float
        The fused score is the log odds of a client at the prior of the learning trials.

    Notes
    -----
    Made by :func:`inclusion`. It minimises the mean logistic loss plus sum(w^2)/(2 n) of the
    weights of standardised columns, n the number of trials.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
    >>> systems = {"one": model.sample(60, 60, rng=1), "two": model.sample(60, 60, rng=2)}
    >>> fusion = br.inclusion(systems).choice.fusion
    >>> fusion({"one": [0.2, 0.9], "two": [0.5, 0.8]}).round(3).tolist()
    [-2.022, 5.267]
    """

    names: tuple[str, ...]
    columns: tuple[FusionColumn, ...]
    weights: tuple[float, ...]
    intercept: float

    def __call__(self, rows: Any) -> FloatArray:
        """The fused score of each row.

        Parameters
        ----------
        rows : frame, mapping or array
            With a column of scores per classifier; of an array, in the order of `names`.

        Raises
        ------
        InputError
            For a column that lacks, is not of finite numbers, or leaves [0, 1] where the learning
            trials did not.
        """
        return linear(self._matrix(rows), np.array([self.intercept, *self.weights]))

    def _matrix(self, rows: Any) -> FloatArray:
        if isinstance(rows, list):
            rows = np.asarray(rows)
        if not isinstance(rows, np.ndarray):
            lacking = [name for name in self.names if name not in rows]
            if lacking:
                raise refusal("rows", f"have the column {lacking[0]!r}", "none of that name")
            rows = [rows[name] for name in self.names]
            if len({np.shape(column) for column in rows}) > 1:
                raise refusal("rows", "have columns of one length", "other lengths")
            rows = np.transpose([np.asarray(column) for column in rows])
        shape = f"an array of shape {rows.shape} of {rows.dtype}"
        if rows.ndim != 2 or rows.shape[1] != len(self.names) or rows.dtype.kind not in "fiub":
            raise refusal("rows", f"have {len(self.names)} columns of numbers", shape)
        unit = {column.system for column in self.columns if column.form == "logit"}
        for name, column in zip(self.names, rows.T, strict=True):
            rule, good = "be finite", np.isfinite(column)
            if name in unit:
                rule, good = "lie in [0, 1], as in learning", (column >= 0.0) & (column <= 1.0)
            checks.check_entries(column, ~good, f"scores of {format_value(name)}", rule)
        return matrix_of(rows, self.columns, self.names)

    def to_sklearn(self) -> Any:
        """The fusion as a fitted pipeline of scikit-learn.

        Returns
        -------
        sklearn.pipeline.Pipeline
            Of rows as above. Its `decision_function` is the fused score, its classes are False and
            True; `predict` is True above even odds, not above a threshold of :func:`decide`.

        Examples
        --------
        >>> import betaroc as br
        >>> model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
        >>> systems = {"one": model.sample(60, 60, rng=1), "two": model.sample(60, 60, rng=2)}
        >>> fusion = br.inclusion(systems).choice.fusion
        >>> fusion.to_sklearn().predict([[0.9, 0.9], [0.1, 0.1]]).tolist()
        [True, False]
        """
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import FunctionTransformer

        last = LogisticRegression()
        last.coef_, last.intercept_ = np.array([self.weights]), np.array([self.intercept])
        last.classes_, last.n_features_in_ = np.array([False, True]), len(self.weights)
        return make_pipeline(FunctionTransformer(self._matrix), last)


def linear(x: FloatArray, coefficients: FloatArray) -> FloatArray:
    """Intercept and weighted sum of columns."""
    # Summed a column at a time: equal rows get equal bits, which no matrix product grants.
    result = np.repeat(coefficients[0], len(x))
    for column, weight in zip(x.T, coefficients[1:], strict=True):
        if weight != 0.0:
            result += weight * column
    return result


# ------------------------------------------------------------------------------- learning
class Fusing(NamedTuple):
    """A fusion of some of the classifiers."""

    members: BoolArray
    #: Intercept and weights of standardised columns, 0 of those of others; their covariance.
    standard: FloatArray
    covariance: FloatArray
    #: The same of the columns as they are.
    coefficients: FloatArray


class Learner:
    """Ridge-logistic fusions of the classifiers, learned on some trials."""

    def __init__(self, systems: Systems, columns: Sequence[FusionColumn]) -> None:
        self.columns = columns
        self.client, weights = systems.is_client, systems.weights
        x = matrix_of(systems.x, columns, systems.names)
        self.owner = np.array([systems.names.index(column.system) for column in columns])
        self.size = float(np.sum(weights))
        self.copies = weights / np.mean(weights)
        self.prior = float(np.average(self.client, weights=weights))
        self.log_odds = math.log(self.prior) - math.log1p(-self.prior)
        largest = np.maximum(np.max(np.abs(x), axis=0), np.finfo(float).tiny)
        scaled = x / largest  # squares of 1e300 overflow
        mean = np.average(scaled, 0, weights)
        sd = np.sqrt(np.average((scaled - mean) ** 2, 0, weights))
        # A column that is constant here becomes 0 and so has no say.
        self.sd = np.where(np.ptp(scaled, axis=0) == 0.0, np.inf, largest * sd)
        self.mean = largest * mean
        self.design = np.column_stack([np.ones(len(x)), (x - self.mean) / self.sd])

    def fit(self, members: BoolArray, start: FloatArray | None = None) -> Fusing:
        """The fusion of some, from a place near it."""
        used = np.append(True, members[self.owner])
        if start is None:
            start = np.append(self.log_odds, np.zeros(self.owner.size))
        penalty = np.append(0.0, np.full(int(np.sum(used)) - 1, _PENALTY / self.size))
        b, covariance = np.zeros(used.size), np.zeros((used.size, used.size))
        b[used], curvature = _ridge(
            self.design[:, used], self.client, self.copies, penalty, start[used]
        )
        covariance[np.ix_(used, used)] = np.linalg.inv(curvature) / self.size
        weights = b[1:] / self.sd
        coefficients = np.append(b[0] - float(weights @ self.mean), weights)
        return Fusing(members, b, covariance, coefficients)

    def without(self, fusing: Fusing, left: int) -> Fusing:
        out = np.append(False, self.owner == left)
        moved = np.linalg.solve(fusing.covariance[np.ix_(out, out)], fusing.standard[out])
        start = fusing.standard - fusing.covariance[:, out] @ moved
        members = fusing.members & (np.arange(fusing.members.size) != left)
        return self.fit(members, np.where(out, 0.0, start))

    def elimination(self) -> list[Fusing]:
        """From one classifier to all: that of the least Wald statistic leaves first."""
        path = [self.fit(np.ones(self.owner[-1] + 1, dtype=np.bool_))]
        while np.sum(path[-1].members) > 1:
            present = np.flatnonzero(path[-1].members)[::-1].tolist()  # of equal ones the last
            path.append(self.without(path[-1], min(present, key=partial(self._wald, path[-1]))))
        return path[::-1]

    def _wald(self, fusing: Fusing, k: int) -> float:
        used = np.append(False, self.owner == k)
        b = fusing.standard[used]
        wald = b @ np.linalg.solve(fusing.covariance[np.ix_(used, used)], b) / b.size
        return round(float(wald), 9)

    def scores(self, systems: Systems, fusings: Sequence[Fusing]) -> list[Scores]:
        x = matrix_of(systems.x, self.columns, systems.names)
        return [systems.fused(linear(x, fusing.coefficients)) for fusing in fusings]


def _ridge(
    design: FloatArray, client: BoolArray, copies: FloatArray, penalty: FloatArray, b: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """One fusion and its curvature, by Newton's method from a place near it."""
    from scipy.special import expit

    def objective(b: FloatArray) -> float:
        eta = design @ b
        losses = np.logaddexp(0.0, np.where(client, -eta, eta))
        return float(np.mean(losses * copies)) + 0.5 * float(penalty @ b**2)

    now = objective(b)
    for _ in range(_STEPS):
        eta = design @ b
        share, rest = expit(eta), expit(-eta)
        slope = np.where(client, -rest, share) * copies @ design / len(design) + penalty * b
        rooted = design * np.sqrt(share * rest * copies)[:, None]
        curvature = rooted.T @ rooted / len(design) + np.diag(penalty)
        step = np.linalg.solve(curvature, slope)
        if slope @ step <= _SMALL:
            return np.asarray(b - step), curvature
        while (moved := objective(b - step)) > now * (1.0 + _ROUNDING):
            step = 0.5 * step
        b, now = b - step, moved
    raise FitError(
        f"a ridge-logistic fusion must converge; one did not in {_STEPS} steps. Leave out"
        " classifiers that repeat each other."
    )


# ------------------------------------------------------------------------------- the folds
def dealt(systems: Systems, folds: int, rng: Any) -> IntArray | None:
    """The fold of each row, clients first."""
    # None for fewer than 3.
    most = min(folds, MOST_FOLDS, fewest_trials(systems) // LEAST_TRIALS)
    for count in range(most, LEAST_FOLDS - 1, -1):
        try:
            result = dealt_folds(systems.scores(0), count, rng)
        except InputError:  # two columns of groups connect the trials into fewer blocks
            continue
        sizes = [
            np.unique(label[fold == k]).size
            for fold, labels in zip(result, _labels(systems), strict=True)
            for label in labels for k in range(count)
        ]  # fmt: skip
        if min(sizes) >= LEAST_TRIALS:
            return np.concatenate(result)
    return None


def fewest_trials(systems: Systems) -> int:
    """Trials, or groups, of the smaller class."""
    return min(
        size if getattr(systems, f"{who}_groups") is None else np.unique(label).size
        for who, size, labels in zip(CLASSES, systems.sizes, _labels(systems), strict=True)
        for label in labels
    )


def _labels(systems: Systems) -> list[list[AnyArray]]:
    groups = zip(systems.classes, (systems.client_groups, systems.impostor_groups), strict=True)
    labels = (np.arange(len(side)) if label is None else label for side, label in groups)
    return [list(np.atleast_2d(label.T)) for label in labels]


# ------------------------------------------------------------------------------- the gains
class LearnedGain(NamedTuple):
    """What one classifier adds to all others in a ridge-logistic fusion."""

    system: str
    #: Areas under the ROC of the fusion of all and of all others, means over the folds.
    with_it: float
    without: float
    #: with_it - without, and the ends of its interval; nan where it cannot be measured.
    estimate: float
    low: float
    high: float
    level: float
    #: The chance that it adds .005 or more, given the trials.
    probability: float
    #: "delong-folds"; "delong" of a fusion learned on dev; with "+unseen" where it is wider since
    #: fewer than 5 trials (or groups) of a class changed their place; "none" if not measured.
    method: str
    #: "include", "adds nothing", "leave out" or "cannot tell".
    word: str
    #: Folds of the mean; 1 for a fusion learned on dev, 0 where nothing could be measured.
    folds: int
    #: Trials of each class that rank otherwise with it, over all folds; of groups the groups.
    moved: tuple[int, int]
    #: How many times the trials would just decide if the estimate stayed what it is, which is an
    #: even chance as it varies; 1 where they do.
    needed: float
    #: The classifier most like it, and the correlation of both within the classes.
    nearest: str
    correlation: float
    #: Whether both have the same scores.
    copy: bool

    def _follows(self) -> dict[str, Any]:
        word = word_of(self.high, self.probability, self.level)
        return {"estimate": self.with_it - self.without, "word": word}


def word_of(high: float, probability: float, level: float) -> str:
    """The rule: the first that holds; nan holds of none."""
    if high < -MATTERS:
        return LEAVE_OUT
    if probability >= 2.0 * level - 1.0:
        return INCLUDE
    return ADDS_NOTHING if probability <= 2.0 - 2.0 * level else CANNOT_TELL


def learned_gains(
    systems: Systems, columns: Sequence[FusionColumn], folds: IntArray | None, dev: Systems | None,
    level: float,
) -> tuple[LearnedGain, ...]:  # fmt: skip
    """What each classifier adds to all others."""
    # None of the folds where there are too few trials: then nothing is measured.
    mates = _nearest(systems, columns)
    if folds is None or fewest_trials(systems) < LEAST_TRIALS:
        nothing = (*(math.nan,) * 5, level, math.nan, "none", CANNOT_TELL, 0, (0, 0), math.nan)
        return tuple(
            LearnedGain(n, *nothing, *m) for n, m in zip(systems.names, mates, strict=True)
        )
    by_fold = []
    for learn, observe, _ in systems.splits(folds, dev):
        learner = Learner(learn, columns)
        full = learner.fit(np.ones(len(systems.names), dtype=np.bool_))
        fusings = [full, *(learner.without(full, k) for k in range(len(systems.names)))]
        scores = learner.scores(observe, fusings)
        first, *rest = map(placements, scores)
        by_fold.append([paired_areas(first, second, scores[0]) for second in rest])
    few = dev is None and systems.independent and min(systems.sizes) < _LARGE
    drawn = _drawn_gains(systems, columns) if few else None
    return tuple(
        _learned_gain(name, [areas[k] for areas in by_fold], systems, level, dev is not None,
                      mates[k], None if drawn is None else drawn[k])
        for k, name in enumerate(systems.names)
    )  # fmt: skip


def _nearest(systems: Systems, columns: Sequence[FusionColumn]) -> list[tuple[str, float, bool]]:
    """The classifier most like each, their correlation, and whether it is a copy."""
    # Copies first, then by the correlation of the first columns.
    equal = np.array([[np.array_equal(a, b) for a in systems.x.T] for b in systems.x.T])
    firsts = [column for column in columns if column.form in ("score", "logit")]
    classes = systems.by_class(matrix_of(systems.x, firsts, systems.names))
    correlation = np.nan_to_num(correlations(classes))  # constant within both: like no other
    likeness = np.abs(correlation) + equal
    np.fill_diagonal(likeness, -1.0)
    return [
        (systems.names[k], float(correlation[j, k]), bool(equal[j, k]))
        for j, k in enumerate(np.argmax(likeness, axis=1))
    ]


def _drawn_gains(systems: Systems, columns: Sequence[FusionColumn]) -> FloatArray | None:
    """Gains by the Bayesian bootstrap, shape (classifiers, draws)."""
    # Two normal classes with one covariance: of Mahalanobis' distance D of their means, less what
    # D^2 has by chance, twice as much within a bootstrap, a fusion learned on n trials has the area
    # Phi(D^2 sqrt((n - p - 1)/n)/sqrt(2 (D^2 + p c))), c = 1/n_client + 1/n_impostor.
    from scipy.special import ndtr

    learner, rng = Learner(systems, columns), np.random.default_rng(0)
    x = learner.design[:, 1:]
    p, n = int(np.sum(np.isfinite(learner.sd))), learner.size
    masks = learner.client, ~learner.client
    sizes = [float(np.sum(learner.copies[mask])) for mask in masks]
    if n - p - 3.0 <= 0.0:
        return None
    means, scatter = [], np.zeros((_DRAWS, x.shape[1], x.shape[1]))
    for mask, size in zip(masks, sizes, strict=True):
        weights = rng.gamma(learner.copies[mask], size=(_DRAWS, int(np.sum(mask))))
        weights /= np.sum(weights, axis=1, keepdims=True)
        means.append(weights @ x[mask])
        products = (x[mask][:, :, None] * x[mask][:, None, :]).reshape(len(x[mask]), -1)
        second = (weights @ products).reshape(scatter.shape)
        scatter += size * (second - means[-1][:, :, None] * means[-1][:, None, :])
    apart = means[0] - means[1]
    inverse = np.linalg.inv(scatter / (n - 2.0) + 1e-10 * np.eye(x.shape[1]))
    direction = np.einsum("dij,dj->di", inverse, apart)
    whole = np.einsum("di,di->d", direction, apart)

    def area(square: FloatArray, columns: int) -> FloatArray:
        chance = columns * sum(1.0 / size for size in sizes)
        distance = np.maximum((n - columns - 3.0) / (n - 2.0) * square - 2.0 * chance, 0.0)
        learned = math.sqrt((n - columns - 1.0) / n / 2.0) * distance
        return np.asarray(ndtr(learned / np.sqrt(np.maximum(distance + chance, 1e-300))))

    gains = []
    for k in range(len(systems.names)):
        at = np.flatnonzero(learner.owner == k)
        part = direction[:, at, None]
        lost = part.mT @ np.linalg.solve(inverse[:, at[:, None], at], part)
        gains.append(area(whole, p) - area(whole - lost[:, 0, 0], p - at.size))
    return np.array(gains)


def _learned_gain(
    name: str, folds: Sequence[PairedAreas], systems: Systems, level: float, on_dev: bool,
    mate: tuple[str, float, bool], drawn: FloatArray | None,
) -> LearnedGain:  # fmt: skip
    """Mean of the folds, whose variances add up."""
    from scipy.special import ndtri, stdtr

    with_it, without, variance, freedom = mean_of_folds(folds)
    estimate, sd = with_it - without, math.sqrt(variance)
    clients, impostors = (sum(moved) for moved in zip(*(f.moved for f in folds), strict=True))
    method, unseen = "delong" if on_dev else "delong-folds", 0.0
    if min(clients, impostors) < _FEW and not mate[2]:
        unseen, method = -math.log1p(-level) / fewest_trials(systems), f"{method}+unseen"
    reach = student(freedom, level) * sd + unseen if sd > 0.0 else unseen
    low, high = max(estimate - reach, -1.0), min(estimate + reach, 1.0)
    if drawn is not None and min(with_it, without) < 1.0:
        centre, spread = float(np.mean(drawn)), float(np.std(drawn))
        probability = float(np.mean(drawn >= MATTERS))
    else:
        centre, spread = estimate, math.hypot(sd, unseen / float(ndtri(level)))
        probability = float(estimate >= MATTERS)
        if spread > 0.0:
            probability = float(stdtr(freedom, (estimate - MATTERS) / spread))
    word, needed = word_of(high, probability, level), 1.0
    if word == CANNOT_TELL:
        wanted, has = float(ndtri(2.0 * level - 1.0)) * spread, abs(centre - MATTERS)
        needed = max((wanted / has) ** 2, 1.0) if has > 0.0 else math.inf
    return LearnedGain(name, with_it, without, estimate, low, high, level, probability, method,
                       word, len(folds), (clients, impostors), needed, *mate)  # fmt: skip


def mean_of_folds(folds: Sequence[PairedAreas]) -> tuple[float, float, float, float]:
    """Means of both areas, and the variance of their difference with its freedom."""
    k = len(folds)
    variance, freedom = welch([f.variance for f in folds], [f.freedom for f in folds])
    area, other = math.fsum(f.area for f in folds) / k, math.fsum(f.other for f in folds) / k
    return area, other, variance / k**2, freedom


# ------------------------------------------------------------------------------- in words
def gain_sentence(gain: LearnedGain, sizes: tuple[int, int]) -> str:
    """What was measured, why it cannot be told, and what to do."""
    if gain.method == "none":
        return (
            f"what it adds to a learned fusion was not measured: that takes {LEAST_FOLDS} folds or"
            f" more with {LEAST_TRIALS} trials (or groups) of each class in each"
        )
    says = {
        INCLUDE: f"a learned fusion gains {MATTERS} or more by it",
        LEAVE_OUT: "a learned fusion loses by it",
        ADDS_NOTHING: f"a learned fusion of the others gains less than {MATTERS} by it",
    }.get(gain.word, f"whether a learned fusion gains {MATTERS} by it cannot be told")
    text = (
        f"{says} (probability of a gain so large {number(gain.probability, 2)}): AUC is"
        f" {gain.with_it:.4f} with it and {gain.without:.4f} without, {gain.estimate:+.4f}"
        f" ({gain.low:+.4f} to {gain.high:+.4f}) at {level_words(gain.level)}"
    )
    if gain.copy or (gain.word == ADDS_NOTHING and abs(gain.correlation) >= _ALIKE):
        alike = f"is most like it (correlation {gain.correlation:.3f} within the classes)"
        alike = "has the same scores" if gain.copy else alike
        text += f"; {visible(gain.nearest)} {alike}: drop one of the two, not both"
    elif gain.method.endswith("+unseen"):
        clients, impostors = map(counted, gain.moved, CLASSES)
        text += f"; too few trials (or groups) change their rank with it: {clients}, {impostors}"
    if 1.0 < gain.needed < math.inf:  # if the estimate stayed: as it varies, in half of the cases
        clients, impostors = (rounded(gain.needed * n, up=True, digits=2) for n in sizes)
        text += (
            f"; about {clients} {CLIENTS} and {impostors} {IMPOSTORS} would have an even chance"
            f" to tell a gain from less than {MATTERS:g}, if it is what was measured"
        )
    return text
