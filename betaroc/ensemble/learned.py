"""The gain of a classifier in a learned fusion: area with it less area without it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import CLASSES, BoolArray, FloatArray, IntArray
from betaroc.core.errors import FitError, InputError
from betaroc.data.groups import weights_of
from betaroc.data.scores import Scores
from betaroc.ensemble.fusion import logits
from betaroc.ensemble.trials import Systems
from betaroc.inference.auc import PairedAreas, paired_areas, welch
from betaroc.inference.interval import Interval
from betaroc.inference.small_samples import student
from betaroc.rendering.numbers import counted, level_words, number, visible

#: Squared Newton decrements below which the matrix is kept, and below which no step is left.
_NEAR, _SMALL = 1e-6, 1e-18
_STEPS = 100
#: A step may raise the loss by this much, which is rounding.
_ROUNDING = 1e-14


class Standard:
    """Columns less their mean over their standard deviation in the trials given.

    A column that is constant there becomes 0 and so has no say.
    """

    def __init__(self, x: FloatArray, weights: FloatArray | None = None) -> None:
        self._largest = np.maximum(np.max(np.abs(x), axis=0), np.finfo(float).tiny)
        scaled = x / self._largest  # squares of 1e300 overflow
        constant = np.ptp(scaled, axis=0) == 0.0
        self._mean = np.average(scaled, 0, weights)
        variance = np.average((scaled - self._mean) ** 2, 0, weights)
        self._sd = np.where(constant, np.inf, np.sqrt(variance))

    def __call__(self, x: FloatArray) -> FloatArray:
        return np.asarray((x / self._largest - self._mean) / self._sd)


def linear(x: FloatArray, coefficients: FloatArray) -> FloatArray:
    """Intercept and weighted sum of columns, shape (subsets, n).

    Summed a column at a time: equal rows get equal bits, which no matrix product grants.
    """
    found = np.repeat(coefficients[:, :1], len(x), axis=1)
    for column, weight in zip(x.T, coefficients[:, 1:].T, strict=True):
        found += weight[:, None] * column
    return found


def _shares_and_losses(
    eta: FloatArray, client: BoolArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """P(client) and P(impostor), each from its own tail, and the losses."""
    small = np.exp(-np.abs(eta))
    near, up = 1.0 / (1.0 + small), eta >= 0.0
    far = small * near
    losses = np.log1p(small)
    losses += np.maximum(np.where(client, -eta, eta), 0.0)
    return np.where(up, near, far), np.where(up, far, near), losses


def ridge_path(
    x: FloatArray,
    client: BoolArray,
    subsets: BoolArray,
    strengths: Sequence[float],
    weights: FloatArray | None = None,
) -> FloatArray:
    """Intercept and weights of the fusion of every subset of the columns at every strength.

        least mean of log(1 + exp(-+ (b0 + x b))) + strength/2 |b|^2

    The penalty keeps them finite where the classes do not overlap; the intercept has none.

    Parameters
    ----------
    x : ndarray, shape (n, p)
        Standardised columns.
    client : ndarray of bool, shape (n,)
        Both classes must occur.
    subsets : ndarray of bool, shape (s, p)
        Columns that take part; weights of the others are 0.
    strengths : sequence of float, length k
        Of the penalty, positive, the strongest first; scikit-learn's C is 1/(n strength).
    weights : ndarray, shape (n,), optional
        How many trials each row stands for.

    Returns
    -------
    ndarray, shape (k, s, p + 1)
        To 1e-8 of weights of size 1.

    Notes
    -----
    Newton's method of all subsets side by side, each strength from where the last one ended. The
    second derivatives are kept once steps are small: that costs steps, not digits.
    """
    copies = np.ones(len(x)) if weights is None else weights / np.mean(weights)
    design = np.column_stack([np.ones(len(x)), x])
    free = np.column_stack([np.ones(len(subsets), dtype=bool), subsets])

    def at(b: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Shares of both classes, shape (subsets, n), and mean losses."""
        share, rest, losses = _shares_and_losses(b @ design.T, client)
        return share, rest, np.mean(losses * copies, axis=1)

    fusion = np.zeros(free.shape)
    fusion[:, 0] = np.log(np.sum(copies[client])) - np.log(np.sum(copies[~client]))
    share, rest, loss = at(fusion)
    curvature, stale, path = np.zeros((*free.shape, free.shape[1])), np.arange(len(free)), []
    for strength in strengths:
        ridge = np.full(free.shape[1], strength)
        ridge[0] = 0.0
        active = np.arange(len(free))
        for _ in range(_STEPS):
            for k in stale:
                w = share[k] * rest[k] * copies / len(x)
                curvature[k] = (design.T * w) @ design
            use, b = free[active], fusion[active]
            away = np.where(client, -rest[active], share[active]) * copies
            slope = np.where(use, away @ design / len(x) + ridge * b, 0.0)
            matrix = np.where(
                use[:, :, None] & use[:, None, :], curvature[active] + np.diag(ridge),
                np.eye(ridge.size),
            )  # fmt: skip
            step = np.linalg.solve(matrix, slope[:, :, None])[:, :, 0]
            decrement = np.sum(slope * step, axis=1)
            most = (loss[active] + 0.5 * np.sum(ridge * b * b, axis=1)) * (1.0 + _ROUNDING)
            for _ in range(_STEPS):  # half of a step that raises the objective, and so on
                moved = b - step
                shares, rests, losses = at(moved)
                worse = losses + 0.5 * np.sum(ridge * moved * moved, axis=1) > most
                if not np.any(worse):
                    break
                step[worse] *= 0.5
            fusion[active], loss[active] = moved, losses
            share[active], rest[active] = shares, rests
            stale, active = active[decrement > _NEAR], active[decrement > _SMALL]
            if not active.size:
                break
        else:
            raise FitError(
                f"a ridge-logistic fusion must converge; {active.size} of {len(free)} did not in"
                f" {_STEPS} steps. Leave out classifiers that repeat each other."
            )
        path.append(fusion.copy())
    return np.stack(path)


#: A gain in area below this is none, and a loss beyond it a loss.
MATTERS = 0.005
INCLUDE, ADDS_NOTHING, LEAVE_OUT = "include", "adds nothing", "leave out"
CANNOT_TELL = "cannot tell"
#: Penalties among which inner folds choose, from the strongest: scikit-learn's C is 1/(n strength).
STRENGTHS = (1.0, 0.1, 0.01, 0.001, 0.0001)
#: Folds of the nested fusion, and trials (or groups) of each class in one at least.
LEAST_FOLDS, MOST_FOLDS, LEAST_TRIALS = 3, 10, 2
#: With fewer trials (or groups) of a class that rank otherwise DeLong's variance knows little; then
#: as many may go unseen as show in no sample of this size: the "rule of three", 3/n at .95.
_FEW = 5
#: From this correlation on the classifier most like another is named.
_ALIKE = 0.9


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
    #: "delong-folds"; "delong" of a fusion learned on dev; "+unseen" where the interval is
    #: widened by what fewer than 5 trials (or groups) of a class that changed their place cannot
    #: tell;
    #: "none" where nothing could be measured.
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
        return {"estimate": self.with_it - self.without, "word": word_of(self.low, self.high)}

    @property
    def interval(self) -> Interval:
        """The estimate with its ends."""
        return Interval(self.estimate, self.low, self.high, self.level, self.method)


def word_of(low: float, high: float) -> str:
    """The rule: the first that holds; nan holds of none."""
    if low > 0.0:
        return INCLUDE
    if high < -MATTERS:
        return LEAVE_OUT
    return ADDS_NOTHING if high < MATTERS else CANNOT_TELL


# ----------------------------------------------------------------------------- the columns
def _columns(systems: Systems, dev: Systems | None) -> tuple[list[FloatArray], BoolArray]:
    """What the fusion sees of the trials and of dev, clients first, made alike.

    And whether a column belongs to a classifier, shape (classifiers, columns).
    """
    sides = [one for one in (systems, dev) if one is not None]
    both = [np.concatenate([one.client, one.impostor]) for one in sides]
    weights = np.concatenate([weights_of(one, who) for one in sides for who in CLASSES])
    made = [_of_one(column, weights) for column in np.concatenate(both).T]
    owner = np.repeat(np.arange(len(made)), [len(columns) for columns in made])
    matrix = np.column_stack([column for columns in made for column in columns])
    parts = [np.ascontiguousarray(part) for part in np.split(matrix, [len(both[0])])]
    return parts, owner == np.arange(len(made))[:, None]


def _of_one(x: FloatArray, weights: FloatArray) -> list[FloatArray]:
    """Logits of scores in [0, 1]; exact 0 and 1, which have none, by columns that say so."""
    if np.any((x < 0.0) | (x > 1.0)):
        return [x]
    inside = (x > 0.0) & (x < 1.0)
    if not np.any(inside):
        return [x]
    values = logits(np.where(inside, x, 0.5))
    values[~inside] = np.average(values[inside], weights=weights[inside])
    masses = [(x == end).astype(np.float64) for end in (0.0, 1.0)]
    return [values, *(mass for mass in masses if np.any(mass))]


# ------------------------------------------------------------------------------- the folds
def nested_folds(
    systems: Systems, folds: int, deal: Callable[[int], tuple[IntArray, IntArray]]
) -> tuple[IntArray, IntArray] | None:
    """As many folds as hold two rows, or groups, of each class each; None for fewer than 3."""
    most = min(folds, MOST_FOLDS, fewest_trials(systems) // LEAST_TRIALS)
    for count in range(most, LEAST_FOLDS - 1, -1):
        try:
            dealt = deal(count)
        except InputError:  # two columns of groups connect the trials into fewer blocks
            continue
        sizes = [
            np.unique(label[fold == k]).size
            for fold, labels in zip(dealt, _labels(systems), strict=True)
            for label in labels for k in range(count)
        ]  # fmt: skip
        if min(sizes) >= LEAST_TRIALS:
            return dealt
    return None


def fewest_trials(systems: Systems) -> int:
    """Trials, or groups, of the smaller class."""
    return min(
        size if getattr(systems, f"{who}_groups") is None else np.unique(label).size
        for who, size, labels in zip(CLASSES, systems.sizes, _labels(systems), strict=True)
        for label in labels
    )


def _labels(systems: Systems) -> list[list[npt.NDArray[np.generic]]]:
    """Of each class the columns of groups, or the rows themselves."""
    found = []
    for who in CLASSES:
        groups = getattr(systems, f"{who}_groups")
        labels = np.arange(len(getattr(systems, who))) if groups is None else groups
        found.append(list(np.atleast_2d(labels.T)))
    return found


class _Trials(NamedTuple):
    """Rows of both classes, clients first."""

    x: FloatArray
    client: BoolArray
    fold: IntArray
    weights: FloatArray

    @classmethod
    def of(
        cls, x: FloatArray, systems: Systems, folds: tuple[IntArray, IntArray] | None
    ) -> _Trials:
        """All of one fold where none are given."""
        client = np.repeat([True, False], [len(systems.client), len(systems.impostor)])
        fold = np.zeros(len(x), dtype=np.intp) if folds is None else np.concatenate(folds)
        return cls(x, client, fold, np.concatenate([weights_of(systems, who) for who in CLASSES]))

    @property
    def folds(self) -> range:
        return range(1 + int(self.fold.max()))

    def rows(self, which: BoolArray) -> _Trials:
        return _Trials._make(part[which] for part in self)

    def but(self, *left: int) -> _Trials:
        return self.rows(~np.isin(self.fold, left))

    def only(self, fold: int) -> _Trials:
        return self.rows(self.fold == fold)


# ----------------------------------------------------------------------------- the fusions
class _Path(NamedTuple):
    """Fusions of every subset at every strength, learned on some trials."""

    standard: Standard
    #: Shape (strengths, subsets, columns + 1).
    coefficients: FloatArray

    def losses(self, trials: _Trials) -> FloatArray:
        """Sum over trials of the loss, shape (strengths, subsets)."""
        x = self.standard(trials.x)
        return np.stack([
            np.sum(_shares_and_losses(linear(x, b), trials.client)[2] * trials.weights, axis=1)
            for b in self.coefficients
        ])  # fmt: skip

    def at(self, strength: IntArray, trials: _Trials) -> FloatArray:
        """Fused scores of every subset at its strength, shape (subsets, n)."""
        chosen = self.coefficients[strength, np.arange(strength.size)]
        return linear(self.standard(trials.x), chosen)


def _path(trials: _Trials, subsets: BoolArray) -> _Path:
    x, client, _, weights = trials
    standard = Standard(x, weights)
    return _Path(standard, ridge_path(standard(x), client, subsets, STRENGTHS, weights))


def _out_of_fold(trials: _Trials, subsets: BoolArray) -> FloatArray:
    """Nested scores of every trial, shape (subsets, n): its fold took no part in anything.

    What is learned without two folds serves the choice of strength for either of them.
    """
    losses = np.zeros((len(trials.folds), len(STRENGTHS), len(subsets)))
    for f in trials.folds:
        for g in range(f):
            path = _path(trials.but(f, g), subsets)
            losses[f] += path.losses(trials.only(g))
            losses[g] += path.losses(trials.only(f))
    found = np.empty((len(subsets), trials.client.size))
    for f in trials.folds:
        chosen = np.argmin(losses[f], axis=0)  # of equal ones the strongest
        found[:, trials.fold == f] = _path(trials.but(f), subsets).at(chosen, trials.only(f))
    return found


# ------------------------------------------------------------------------------- the gains
def learned_gains(
    systems: Systems, folds: tuple[IntArray, IntArray] | None, dev: Systems | None, level: float
) -> tuple[LearnedGain, ...]:
    """What each classifier adds to all others.

    Parameters
    ----------
    systems : Systems
        The trials.
    folds : tuple of ndarray of int, or None
        Of each client and impostor of the trials; where there is a dev set, of dev. None where
        there are too few for folds within folds: then nothing is measured.
    dev : Systems or None
        Trials on which the fusion is learned; all of the trials are then one fold.
    level : float
        Confidence of the intervals.
    """
    k = len(systems.names)
    (own, *others), owned = _columns(systems, dev)
    mates = _nearest(own, owned, systems)
    if folds is None or fewest_trials(systems) < LEAST_TRIALS:
        nothing = (*(math.nan,) * 5, level, "none", CANNOT_TELL, 0, (0, 0), math.nan)
        pairs = zip(systems.names, mates, strict=True)
        return tuple(LearnedGain(name, *nothing, *mate) for name, mate in pairs)
    subsets = np.concatenate([np.ones((1, k), dtype=bool), ~np.eye(k, dtype=bool)]) @ owned
    if dev is None:
        trials = _Trials.of(own, systems, folds)
        scores = _out_of_fold(trials, subsets)
    else:
        trials, learn = _Trials.of(own, systems, None), _Trials.of(others[0], dev, folds)
        losses = [_path(learn.but(f), subsets).losses(learn.only(f)) for f in learn.folds]
        chosen = np.argmin(np.sum(losses, axis=0), axis=0)
        scores = _path(learn, subsets).at(chosen, trials)
    each = [_fold_scores(systems, trials, f, scores) for f in trials.folds]
    return tuple(
        _gain(name, [paired_areas(fold[0], fold[j + 1]) for fold in each], systems, level,
              "delong-folds" if dev is None else "delong", mates[j])
        for j, name in enumerate(systems.names)
    )  # fmt: skip


def _nearest(
    x: FloatArray, owned: BoolArray, systems: Systems
) -> list[tuple[str, float, bool]]:  # fmt: skip
    """The classifier most like each within the classes, their correlation, whether it is a copy.

    Copies first, then by the correlation of the first columns.
    """
    both = np.concatenate([systems.client, systems.impostor])
    equal = np.array([[np.array_equal(a, b) for a in both.T] for b in both.T])
    first = x[:, np.argmax(owned, axis=1)]
    largest = np.max(np.abs(first), axis=0)  # squares of 1e300 overflow
    parts = np.split(first / np.where(largest, largest, 1.0), [len(systems.client)])
    centred = np.concatenate([
        (part - np.average(part, 0, w)) * np.sqrt(w)[:, None]
        for part, w in zip(parts, (weights_of(systems, who) for who in CLASSES), strict=True)
    ])  # fmt: skip
    size = np.sqrt(np.sum(centred**2, axis=0))
    size[size == 0.0] = math.inf  # constant within both classes: like no other
    correlation = centred.T @ centred / np.outer(size, size)
    likeness = np.abs(correlation) + equal
    np.fill_diagonal(likeness, -1.0)
    return [
        (systems.names[k], float(correlation[j, k]), bool(equal[j, k]))
        for j, k in enumerate(np.argmax(likeness, axis=1))
    ]


def _fold_scores(systems: Systems, trials: _Trials, fold: int, scores: FloatArray) -> list[Scores]:
    """Fused scores of the trials of one fold, of every subset."""
    cut, beside = len(systems.client), dict[str, Any]()
    inside = trials.fold == fold
    rows = inside[:cut], inside[cut:]
    for who, which in zip(CLASSES, rows, strict=True):
        for name in (f"{who}_groups", f"{who}_weights"):
            values = getattr(systems, name)
            beside[name] = None if values is None else values[which]
    return [
        Scores._checked(client=fused[:cut][rows[0]], impostor=fused[cut:][rows[1]], **beside)
        for fused in scores
    ]


def _gain(
    name: str, folds: Sequence[PairedAreas], systems: Systems, level: float, method: str,
    mate: tuple[str, float, bool],
) -> LearnedGain:  # fmt: skip
    """Mean of the folds, which share no trial: their variances add up."""
    k, (areas, others, variances, freedoms, changes) = len(folds), zip(*folds, strict=True)
    with_it, without = math.fsum(areas) / k, math.fsum(others) / k
    estimate = math.fsum(f.area - f.other for f in folds) / k
    variance, freedom = welch(variances, freedoms)
    reach = student(freedom, level) * math.sqrt(variance) / k if variance > 0.0 else 0.0
    clients, impostors = (sum(moved) for moved in zip(*changes, strict=True))
    unseen = 0.0
    if min(clients, impostors) < _FEW and not mate[2]:
        unseen, method = -math.log1p(-level) / fewest_trials(systems), f"{method}+unseen"
    low, high = max(estimate - reach - unseen, -1.0), min(estimate + reach + unseen, 1.0)
    word = word_of(low, high)
    needed = _needed(estimate, reach, unseen) if word == CANNOT_TELL else 1.0
    return LearnedGain(name, with_it, without, estimate, low, high, level, method, word, k,
                       (clients, impostors), needed, *mate)  # fmt: skip


def _needed(estimate: float, reach: float, unseen: float) -> float:
    """f such that reach/sqrt(f) + unseen/f is what parts the estimate from an answer."""
    margin = max(estimate, MATTERS - estimate)
    root = (reach + math.sqrt(reach**2 + 4.0 * unseen * margin)) / (2.0 * margin)
    return root**2


# ------------------------------------------------------------------------------- in words
def signed(estimate: float, low: float, high: float, digits: int = 4) -> str:
    """Estimate and interval, with their signs."""
    if math.isnan(estimate):
        return "not measured"
    ends = "" if math.isnan(low) else f" ({low:+.{digits}f} to {high:+.{digits}f})"
    return f"{estimate:+.{digits}f}{ends}"


def gain_sentence(gain: LearnedGain, sizes: tuple[int, int]) -> str:
    """What was measured, why it cannot be told, and what to do."""
    if gain.method == "none":
        return (
            "what it adds to a learned fusion was not measured: that takes"
            f" {LEAST_FOLDS} folds or more with {LEAST_TRIALS} trials (or groups) of each class in"
            f" each, {LEAST_FOLDS * LEAST_TRIALS} of each class at least"
        )
    size = (
        f"AUC is {gain.with_it:.4f} with it and {gain.without:.4f} without,"
        f" {signed(gain.estimate, gain.low, gain.high)} at {level_words(gain.level)}"
    )
    says = {
        INCLUDE: "a learned fusion gains by it",
        LEAVE_OUT: "a learned fusion loses by it",
        ADDS_NOTHING: f"a learned fusion of the others gains less than {MATTERS} by it",
    }.get(gain.word, "whether a learned fusion gains by it cannot be told")
    needed, would = trials_needed(gain, sizes), ""
    if needed is not None:  # if the estimate stayed: as it varies, in half of the cases
        would = (
            f"; about {needed[0]} clients and {needed[1]} impostors would have an even chance to"
            f" tell a gain from less than {MATTERS:g}, if it is what was measured"
        )
    return f"{says}: {size}{_why(gain)}{would}"


def _why(gain: LearnedGain) -> str:
    """Who carries what it says, and how little the trials show."""
    if gain.copy:
        return f"; it has the scores of {visible(gain.nearest)}: drop one of the two, not both"
    if gain.word == ADDS_NOTHING and abs(gain.correlation) >= _ALIKE:
        return (
            f"; {visible(gain.nearest)} is most like it (correlation"
            f" {gain.correlation:.3f} within the classes): drop one of the two, not both"
        )
    if gain.with_it == gain.without == 1.0:
        return "; with and without it all clients rank above all impostors of their fold"
    if gain.method.endswith("+unseen"):
        clients, impostors = map(counted, gain.moved, CLASSES)
        return f"; too few trials (or groups) change their rank with it: {clients}, {impostors}"
    return ""


def trials_needed(gain: LearnedGain, sizes: tuple[int, int]) -> tuple[str, str] | None:
    """Clients and impostors that would just do; None where these do, or nothing was measured."""
    if math.isnan(gain.needed) or gain.needed <= 1.0:
        return None
    clients, impostors = (_round_up(gain.needed * n) for n in sizes)
    return clients, impostors


def _round_up(n: float) -> str:
    """Two digits: more are not known."""
    step = 10 ** max(math.floor(math.log10(n)) - 1, 0)
    return number(math.ceil(n / step) * step, 12)
