"""The choice of a family for each class: likelihoods on one measure, and held-out scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from betaroc.core import checks, notices, resampling, tables
from betaroc.core.arrays import CLASSES, BoolArray, FloatArray, IntArray
from betaroc.core.errors import DegenerateDataError, FitError, InputError, InputTypeError, refusal
from betaroc.core.text import sentence, typed
from betaroc.core.value import Result, Value
from betaroc.core.vocabulary import CLASS_SLOTS, FAR, FRR, Sentence, members, template_of, worded
from betaroc.data import read, summary
from betaroc.data.groups import weights_of
from betaroc.data.scores import ScoreData, Scores, require_scores, tell_of_scored
from betaroc.distributions.base import Distribution
from betaroc.distributions.empirical import Empirical
from betaroc.distributions.inflated import base_of
from betaroc.distributions.shifted import bounds_of
from betaroc.estimation import contract, estimate, families
from betaroc.estimation.estimate import Bounds, Estimate, Options, PairEstimate
from betaroc.estimation.families import FAMILIES, Names, family_text, in_classes, named
from betaroc.fits.check import FitCheck, class_distance, drawn_inside
from betaroc.fits.tail_fits import ENDS, tail_of, unit_range
from betaroc.inference.delta import inner_trials
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model, roc_distance
from betaroc.rendering.nouns import Exportable, Readable
from betaroc.rendering.numbers import number, percent
from betaroc.rendering.tree import Cell, Grid, Group, Node, Paragraph, Row

#: Families of clients and of impostors, and rules that leave scores as they are.
Families = tuple[str, str]
_OF_SCORES = ("inflate", "error", "drop")
_FOLDS = 5
#: With a smaller share of distinct scores a mixture would chase the ties.
_DISTINCT = 0.5
#: Standard errors by which a family with more parameters must be better: see the Notes.
MARGIN = 0.5
#: Two-sided 5 % point of the standard normal distribution.
_Z = 1.959963984540054
#: Scores of a class from which on four fifths of them have a tail; scores expected beyond a rate.
_FEWEST_FOR_TAILS, _BEYOND = 250, 10.0
_BOTH = "both"
#: Mass of a distribution outside [0, 1] from which on it is told.
_OUTSIDE = 0.0005


def _contains(general: Families, restricted: Families) -> bool:
    return general != restricted and all(
        less == more or less in FAMILIES[more].contains
        for less, more in zip(restricted, general, strict=True)
    )


# ------------------------------------------------------------------------ nested families
@dataclass(frozen=True, eq=False, repr=False)
class LikelihoodRatioTest(Result, Exportable):
    """The test of a restricted family against a general one.

    Made by :func:`likelihood_ratio_test`.

    Parameters
    ----------
    restricted, general : str
        The families.
    statistic, p_value : float
        Twice the gain of log-likelihood, and the share of simulated statistics that are as large.
    replicates : int
        Simulated score sets.

    Examples
    --------
    >>> import betaroc as br
    >>> scores = br.datasets.load_liveness().dev
    >>> proper, free = br.fit(scores, "proper-beta"), br.fit(scores)
    >>> br.likelihood_ratio_test(proper, free, replicates=49, rng=1).statistic
    0.0
    """

    restricted: Names
    general: Names
    statistic: float
    p_value: float
    replicates: int


@notices.collect_warnings
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
    replicates, rng
        As of :func:`check_fit`.

    Returns
    -------
    LikelihoodRatioTest

    Raises
    ------
    InputError, InputTypeError
        If the general family does not contain the restricted, the scores or the rules for scores of
        0 and 1 differ, or scores were counted in cells or moved.
    FitError
        If a simulated score set has no fit of a family other than the mixture.

    Notes
    -----
    The null distribution is simulated and refitted: p = (1 + number as large) / (1 + replicates)
    (McLachlan 1987). Trials are taken as independent.

    Examples
    --------
    >>> import betaroc as br
    >>> scores = br.datasets.load_liveness().dev
    >>> proper, free = br.fit(scores, "proper-beta"), br.fit(scores)
    >>> br.likelihood_ratio_test(proper, free, replicates=49, rng=1).p_value
    1.0
    """
    for name, value in (("restricted", restricted), ("general", general)):
        checks.instance(value, PairEstimate, name, "br.fit(scores)", "Fit")
    replicates = checks.count(replicates, "replicates", 19)
    _check_nested(restricted, general)
    restricted, general = restricted._told_scored("a likelihood-ratio test"), general._scored
    statistic = 2.0 * (general.log_likelihood - restricted.log_likelihood)
    parts = restricted.client, restricted.impostor
    laws, sizes = [base_of(part.distribution) for part in parts], [*map(inner_trials, parts)]
    if any(abs(size - round(size)) > 1e-6 for size in sizes):
        total = f"totals of {parts[0].total_weight!r} and {parts[1].total_weight!r}"
        raise refusal("weights", "be whole numbers of copies to draw scores", total)
    drawn = np.empty(replicates)
    for rows, stream in resampling.streams(replicates, rng):
        for row in range(rows.start, rows.stop):
            sizes_of_laws = zip(laws, map(round, sizes), strict=True)
            sample = [drawn_inside(law, stream, size) for law, size in sizes_of_laws]
            with notices.suppress_warnings():
                drawn[row] = _gain(Scores(*sample), restricted, general)
    # Equal fits differ by rounding.
    slack = 1e-9 * abs(restricted.log_likelihood)
    p = (1 + int(np.sum(drawn >= statistic - slack))) / (1 + replicates)
    return LikelihoodRatioTest(restricted.family, general.family, statistic, p, replicates)


def _pair_of(f: PairEstimate) -> Families:
    return f.client.family, f.impostor.family


def _check_nested(restricted: PairEstimate, general: PairEstimate) -> None:
    first, second = _pair_of(restricted), _pair_of(general)
    if not _contains(second, first):
        hint = "They are not nested: use br.compare_families, whose Vuong z is for such families."
        if _contains(first, second):
            hint = "Give them in the other order."
        families = f"{family_text(restricted.family)} in {family_text(general.family)}"
        raise refusal("general", "be of a family that contains the restricted", families, hint)
    require_scores(general.scores, "a simulated likelihood-ratio test", rejected=True)
    if restricted.scores != general.scores:
        raise refusal("general", "be of the same scores", "others", "Fit one Scores twice.")
    for who in CLASSES:
        rules = [getattr(f, who).boundary for f in (restricted, general)]
        policies = [None if rule is None else rule.policy for rule in rules]
        if rules[0] != rules[1] or not {None, *_OF_SCORES}.issuperset(policies):
            rule = f"take {who} scores of 0 and 1 alike with restricted, none moved or in cells"
            actual = " and ".join(map(repr, policies))
            raise refusal("general", rule, actual, "Fit both with boundary=None.")


def _gain(scores: Scores, restricted: PairEstimate, general: PairEstimate) -> float:
    bounds = bounds_of(restricted.client.distribution)
    names, options = _pair_of(general), Options(bounds=bounds)
    less = estimate.estimate_pair(scores, _pair_of(restricted), options)[0].log_likelihood
    if not any(FAMILIES[name].sized for name in names):
        more = estimate.estimate_pair(scores, names, options)[0].log_likelihood
        return 2.0 * max(more - less, 0.0)
    more = 0.0
    for who, name in zip(CLASSES, names, strict=True):
        shares = [n for n in getattr(general, who).names if n.startswith("weight_")]
        size = 1 + len(shares) if FAMILIES[name].sized else None
        try:
            part = estimate.estimate_class(
                "sample", getattr(scores, who), None, name, components=size, bounds=bounds
            )
        except FitError as error:  # of mixtures what was found, if need be that of one component
            if isinstance(error, DegenerateDataError):
                raise
            part = cast(Estimate, error.result)
        more += part.log_likelihood
    return 2.0 * max(more - less, 0.0)


# ------------------------------------------------------------------------ held-out scores
class Folded(NamedTuple):
    """The scores of a class that are compared, and its folds."""

    who: str
    x: FloatArray
    #: As given: None where every score counts once.
    weights: FloatArray | None
    copies: FloatArray
    #: The group of each score, where there are groups.
    groups: IntArray | None
    #: Scores of exactly 0 or 1, which are not compared.
    at_ends: int
    fold: IntArray
    #: Of scores that are fitted and compared as counts in cells.
    resolution: float | None
    #: The range of all scores, where it is known.
    bounds: Bounds | None

    @classmethod
    def of(
        cls, scores: Scores, who: str, resolution: float | None, bounds: Bounds | None
    ) -> Folded:  # fmt: skip
        """The scores of a class, its folds drawn by groups where there are any."""
        values, weights = getattr(scores, who), getattr(scores, f"{who}_weights")
        groups, copies = getattr(scores, f"{who}_groups"), weights_of(scores, who)
        low, high = bounds or (-math.inf, math.inf)
        keep = (copies > 0.0) & (values > low) & (values < high)
        distinct, n = np.unique(values[keep]).size, int(np.sum(keep))
        if distinct < 2 * _FOLDS:
            ends = f", {values.size - n} lie at the ends" if n < values.size else ""
            rule = f"have at least {2 * _FOLDS} distinct {who} scores for its {_FOLDS} folds"
            raise refusal("scores", rule, f"{distinct}{ends}", "Give more, or name a family.")
        units, label = np.arange(n), None
        if groups is not None:
            first = groups if groups.ndim == 1 else groups[:, 0]
            units, label = np.unique(first[keep], return_inverse=True)
            if units.size < 2:
                rule, remedy = f"be 2 or more of {who} scores", "Name a family, or give no groups."
                raise refusal("groups", f"{rule}, of which whole ones are held out", "1", remedy)
        fold = np.random.default_rng(0).permutation(units.size) % _FOLDS
        return cls(
            who, values[keep], None if weights is None else weights[keep], copies[keep], label,
            int(np.sum((copies > 0.0) & ~keep)), fold if label is None else fold[label],
            resolution, bounds,
        )  # fmt: skip

    def part(self, keep: BoolArray | slice) -> tuple[FloatArray, FloatArray | None]:
        return self.x[keep], None if self.weights is None else self.weights[keep]

    def logs(self, law: Distribution, keep: BoolArray | slice = slice(None)) -> FloatArray:
        """Log densities of the scores, of cells the mean density within."""
        x, step = self.x[keep], self.resolution
        if step is None:
            return np.asarray(law.logpdf(x))
        _, low, high, place = contract.score_cells(x, step, law.support)
        return (contract.log_masses(low, high, law.support)(law) - np.log(high - low))[place]

    @property
    def total(self) -> float:
        return float(np.sum(self.copies))

    def sum(self, logs: FloatArray) -> float:
        return float(np.sum(self.copies * logs))

    def variance(self, difference: FloatArray) -> float:
        """Of the sum of the differences; of groups that of their sums."""
        away = difference - self.sum(difference) / self.total
        if self.groups is None:
            return float(np.sum(self.copies * away * away))
        sums = np.bincount(self.groups, self.copies * away)
        return math.fsum((sums * sums).tolist()) * sums.size / (sums.size - 1.0)


class Candidate(NamedTuple):
    """A family as it is ranked, of one class or of both."""

    name: str
    pair: Families
    fit: Estimate | PairEstimate
    #: Log densities of the scores of each class, and held out.
    logs: Sequence[FloatArray]
    held: Sequence[FloatArray]
    distance: float
    #: Of the other folds, fold by fold; of families of one class.
    laws: Sequence[Distribution] = ()


#: Families, the best held-out score first, with that score and its z to the first.
_Ranking = list[tuple[Candidate, float, float]]
#: Classes, families and reasons.
_LeftOut = list[tuple[str, str, str]]


def z_of(item: Sequence[FloatArray], best: Sequence[FloatArray], sides: Sequence[Folded]) -> float:
    """Sum of the differences over its standard error, variances class by class."""
    if not all(np.all(np.isfinite(x)) for x in (*item, *best)):  # a score that is impossible
        return -math.inf if all(np.all(np.isfinite(x)) for x in best) else 0.0
    gaps = [a - b for a, b in zip(item, best, strict=True)]
    total = math.fsum(s.sum(gap) for s, gap in zip(sides, gaps, strict=True))
    variance = math.fsum(s.variance(gap) for s, gap in zip(sides, gaps, strict=True))
    return total / math.sqrt(variance) if variance > 0.0 else 0.0


def mean_log(logs: Sequence[FloatArray], sides: Sequence[Folded]) -> float:
    """By all trials of the classes."""
    total = math.fsum(s.sum(x) for s, x in zip(sides, logs, strict=True))
    return total / math.fsum(s.total for s in sides)


def _candidates(
    side: Folded, names: Sequence[str], left_out: _LeftOut, *, named: bool
) -> list[Candidate]:
    result: list[Candidate] = []
    first: FitError | None = None
    for name in names:
        why = "" if named else _unsuited(side, name)
        if not why:
            try:
                result.append(_candidate(name, side))
            except FitError as error:
                first, why = first or error, str(error)
        left_out += [(side.who, name, why)] * bool(why)
    if first is not None and not result:
        raise first
    return result


def _unsuited(side: Folded, name: str) -> str:
    """Why a family that was not asked for is not tried on a class."""
    family = FAMILIES[name]
    if family.sized and np.unique(side.x).size < _DISTINCT * side.x.size:
        return "fewer than half of the scores are distinct"
    if side.at_ends and not family.on_unit:
        ends = " or ".join(f"{end:g}" for end in side.bounds or ())
        return f"{side.at_ends} scores are exactly {ends}, and it has no point masses there"
    return ""


def _scores_of(sides: Sequence[Folded], rows: Sequence[BoolArray | slice]) -> Scores:
    (client, first), (impostor, second) = (s.part(r) for s, r in zip(sides, rows, strict=True))
    return Scores._checked(
        client=client, impostor=impostor, client_weights=first, impostor_weights=second
    )


def _fitted(
    name: str, sides: Sequence[Folded], rows: Sequence[BoolArray | slice],
    near: Distribution | None = None,
) -> Estimate | PairEstimate:  # fmt: skip
    """A family on some of the scores of one class or both; maybe its component."""
    (side, *more), alone = sides, FAMILIES[name].alone
    if more:
        options = Options(bounds=side.bounds)
        return estimate.estimate_pair(_scores_of(sides, rows), (name, name), options)[0]
    fit = partial(
        estimate.estimate_class, side.who, *side.part(rows[0]), resolution=side.resolution,
        bounds=side.bounds,
    )  # fmt: skip
    try:
        return fit(name=name, near=near)
    except FitError:
        if near is None or not alone:
            raise
    return fit(name=alone)


def _candidate(name: str, *sides: Folded) -> Candidate:
    complete = _fitted(name, sides, [slice(None)] * len(sides))
    laws, rest = _laws(complete), []
    held = [np.empty(s.x.size) for s in sides]
    for k in range(_FOLDS):
        out = [s.fold == k for s in sides]
        rest.append(_laws(_fitted(name, sides, [~rows for rows in out], laws[0])))
        for s, values, rows, law in zip(sides, held, out, rest[k], strict=True):
            values[rows] = s.logs(law, rows)
    logs = [s.logs(law) for s, law in zip(sides, laws, strict=True)]
    if isinstance(complete, PairEstimate):
        distance = _distance(complete)
    else:
        distance = class_distance(complete, Empirical._of_checked(*sides[0].part(slice(None))))
    return Candidate(name, (name, name), complete, logs, held, distance, [law for law, *_ in rest])


def _pair_of_best(sides: Sequence[Folded], picks: Sequence[Candidate]) -> Candidate:
    client, impostor = (cast(Estimate, pick.fit) for pick in picks)
    pair = client.family, impostor.family
    model = ScoreModel(client.distribution, impostor.distribution)
    scores = _scores_of(sides, [slice(None)] * 2)
    fit = PairEstimate(model, scores, client, impostor, named(pair))
    logs, held = zip(*((pick.logs[0], pick.held[0]) for pick in picks), strict=True)
    return Candidate(family_text(named(pair)), pair, fit, logs, held, _distance(fit))


def _laws(fit: Estimate | PairEstimate) -> list[Distribution]:
    if isinstance(fit, Estimate):
        return [fit.distribution]
    return [fit.model.client, fit.model.impostor]


def _distance(f: PairEstimate) -> float:
    integral = all(law.whole for law in f.scores._distributions)
    rounded = any(item.boundary and item.boundary.resolution for item in (f.client, f.impostor))
    return math.nan if rounded or not integral else roc_distance(f.model, empirical_model(f.scores))


def _ranked(candidates: Sequence[Candidate], sides: Sequence[Folded]) -> tuple[_Ranking, Candidate]:
    order = sorted(candidates, key=lambda item: -mean_log(item.held, sides))
    first = order[0].held
    rows = [(c, mean_log(c.held, sides), z_of(c.held, first, sides)) for c in order]
    close = [item for item, _, z in rows if z >= -MARGIN]
    return rows, min(close, key=lambda item: item.fit.n_free)


# ------------------------------------------------------------------------ the comparison
@dataclass(frozen=True, eq=False, repr=False)
class FamilyRow(Exportable):
    """One family on the scores of one class, or of both.

    Parameters
    ----------
    who, family : str
        "client", "impostor" or, of a family of both classes, "both"; and its name.
    parameters : int
        Estimated parameters.
    log_likelihood, aic, bic : float
        Of densities by the score itself.
    held_out, held_out_z : float
        Mean log density of a score under fits of the other folds, and its difference to the best of
        the class in its standard errors.
    vuong : float
        Difference of log-likelihoods to the recommended family in standard errors; nan for the
        recommended one and nested ones.
    distance : float
        Largest distance of the fitted distribution function, of a family of both classes of the
        ROC, from that of the scores.
    outside : float
        Largest mass outside [0, 1]; nan unless all scores lie inside.

    Examples
    --------
    >>> import betaroc as br
    >>> scores = br.datasets.load_liveness().dev
    >>> [row.parameters for row in br.compare_families(scores, ["beta"]).rows]
    [2, 2]
    """

    who: str
    family: str
    parameters: int
    log_likelihood: float
    aic: float
    bic: float
    held_out: float
    held_out_z: float
    vuong: float
    distance: float
    outside: float

    def _follows(self) -> dict[str, Any]:
        return {"aic": 2.0 * self.parameters - 2.0 * self.log_likelihood}


@dataclass(frozen=True, eq=False, repr=False)
class TailRow(Exportable):
    """The best family of a class with and without a tail, on held-out scores.

    Parameters
    ----------
    who, family, side : str
        The class, its recommended family, and the end: "upper" of impostors, "lower" of clients.
    held_out, held_out_tail : float
        As of `FamilyRow`, without and with a tail.
    z : float
        What the tail gains, in its standard errors; -inf where it ends before a held-out score, inf
        where only the family without it does.
    rate : float
        A rate that ten scores are expected beyond.
    expected, observed, observed_tail : float
        Held-out scores beyond the other folds' thresholds for that rate: expected, and counted
        without and with a tail.

    Examples
    --------
    >>> import betaroc as br
    >>> row = br.compare_families(br.datasets.load_liveness().test, ["beta"]).tails[1]
    >>> row.who, row.side, row.observed
    ('impostor', 'upper', 16.0)
    """

    who: str
    family: str
    side: str
    held_out: float
    held_out_tail: float
    z: float
    rate: float
    expected: float
    observed: float
    observed_tail: float


@dataclass(frozen=True, eq=False, repr=False)
class FamilyComparison(tables.Tabular, Readable):
    """Families side by side, class by class, best held-out score first.

    Made by :func:`compare_families`.

    Parameters
    ----------
    rows : tuple of FamilyRow
        The families on clients, on impostors, and those of both classes.
    recommended : tuple of str
        Families of clients and of impostors.
    reason : str
        Why, and whether another is as good.
    roc_distance : float
        Largest distance of the recommended pair's ROC from the empirical one; nan where weights are
        no whole numbers of copies.
    left_out : tuple of (str, str, str)
        Class, family, and why it could not be fitted.
    tails : tuple of TailRow
        The best family of each class of 250 scores or more with and without a tail.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> br.compare_families(br.datasets.load_liveness().dev, ["beta", "normal"]).recommended
    ('beta', 'beta')
    """

    rows: tuple[FamilyRow, ...]
    recommended: tuple[str, str]
    reason: str
    roc_distance: float
    left_out: tuple[tuple[str, str, str], ...] = ()
    tails: tuple[TailRow, ...] = ()

    def _view(self) -> list[Node]:
        head = ("family", "held-out score", "its z", "Vuong z", "distance", "parameters", "AIC")
        rows: list[Row | Group] = []
        for who in (*CLASSES, _BOTH):
            of_class = self.of(who)
            title = "both classes" if who == _BOTH else CLASS_SLOTS[who][0]
            rows += [Group(title)] * bool(of_class)
            for row in of_class:
                picked = self.recommended
                if who in CLASSES:
                    picked = (self.recommended[CLASSES.index(who)],) * 2
                marks = ["recommended"] * (picked == (row.family, row.family))
                marks += [f"{percent(row.outside)} outside [0, 1]"] * (row.outside >= _OUTSIDE)
                numbers = row.held_out_z, row.vuong, row.distance
                rows.append(Row((
                    Cell(row.family, ", ".join(marks)), number(row.held_out, 4),
                    *("–" if math.isnan(v) else number(v, 3) for v in numbers),
                    number(row.parameters), f"{row.aic:.1f}",
                )))  # fmt: skip
        notes = [
            f"{CLASS_SLOTS[who][0]}: {name} is left out: {sentence(why)}"
            for who, name, why in self.left_out
        ]
        notes += map(_tail_sentence, self.tails)
        answer = Paragraph(sentence(self.reason), "answer", in_classes(named(self.recommended)))
        return [answer, Grid(head, tuple(rows)), *(Paragraph(note, "note") for note in notes)]

    def of(self, who: str) -> tuple[FamilyRow, ...]:
        """The rows of a class, the best held-out score first.

        Parameters
        ----------
        who : str
            "client", "impostor" or "both".

        Examples
        --------
        >>> import betaroc as br
        >>> scores = br.datasets.load_liveness().dev
        >>> len(br.compare_families(scores, ["beta", "normal"]).of("client"))
        2
        """
        checks.choice(who, ("client", "impostor", "both"), "who")
        return tuple(row for row in self.rows if row.who == who)

    def to_frame(self) -> tables.Table:
        """Return `table`.

        Examples
        --------
        >>> import betaroc as br
        >>> scores = br.datasets.load_liveness().dev
        >>> br.compare_families(scores, ["beta", "normal"]).to_frame()["class"].tolist()
        ['client', 'client', 'impostor', 'impostor']
        """
        return self.table

    @property
    def table(self) -> tables.Table:
        """The rows as a frame of the library of the scores: ``class``, ``family``, the numbers."""
        return self._table(_columns(FamilyRow, self.rows))

    @property
    def tail_table(self) -> tables.Table:
        """The rows of tails as such a frame."""
        return self._table(_columns(TailRow, self.tails))


def _columns(kind: type[Any], rows: Sequence[Value]) -> dict[str, list[Any]]:
    names = [field.name for field in fields(kind)]
    return {"class" if n == "who" else n: [getattr(row, n) for row in rows] for n in names}


def _tail_sentence(row: TailRow) -> str:
    rate, gained = FAR if row.side == "upper" else FRR, "gain" if row.z >= 0.0 else "loss"
    score = (
        f"has the held-out score {number(row.held_out_tail, 4)}, without {number(row.held_out, 4)}"
        f" (a {gained} of {number(abs(row.z), 3)} standard errors)"
    )
    if math.isinf(row.z):
        score = "ends before one of the held-out scores in a fold: they have no common measure"
    return (
        f"{CLASS_SLOTS[row.who][0]}: {row.family} with a tail at the {row.side} end {score}; beyond"
        f" its held-out threshold for {rate} {percent(row.rate)}, where {number(row.expected)} are"
        f" expected, {number(row.observed_tail)} were counted with it, {number(row.observed)}"
        " without."
    )


@notices.collect_warnings
def compare_families(
    scores: read.ScoresLike,
    families: Sequence[str] | None = None,
    *,
    bounds: tuple[float, float] | None = None,
) -> FamilyComparison:
    """Fit several families to each class and compare them on one measure.

    Parameters
    ----------
    scores : Scores, frame, (y_true, y_score) or path
        Both classes.
    families : sequence of str, optional
        Names of parametric families. Left out, of scores in [0, 1]: "beta", "normal",
        "logit-normal", "beta-mixture", "logit-sinh-arcsinh"; of others "normal", "normal-mixture",
        "sinh-arcsinh", and "log-normal" and "gamma" where all scores of both classes are positive.
    bounds : tuple of float, optional
        As in :func:`fit`.

    Returns
    -------
    FamilyComparison

    Raises
    ------
    InputError, InputTypeError
        If a family is unknown, named twice or cannot have these scores; if a class has fewer than
        10 distinct scores, or one group.
    FitError
        If no family can be fitted to a class.

    Warns
    -----
    BetarocWarning
        If some trials have no score, which are left out.

    Notes
    -----
    Log-likelihoods are of densities by the score, of the scores between 0 and 1 where some are
    exactly these. Held out: five folds in a fixed order, of whole groups where there are any (of
    two columns the first). A family with more parameters must be better by more than half a
    standard error, class by class: a class that is one beta distribution gets another family in 13
    % of sets. Vuong (1989) has the z of likelihoods.

    The family taken is compared with itself with a tail of its 30 and 50 most extreme scores, a
    family of both classes with the pair of the best, by the same folds.

    Examples
    --------
    >>> import betaroc as br
    >>> br.compare_families(br.datasets.load_liveness().dev).table["family"].tolist()[:5]
    ['logit-sinh-arcsinh', 'beta-mixture', 'logit-normal', 'beta', 'normal']
    """
    purpose = "a comparison of families"
    value = require_scores(read.as_scores(scores, "scores", "Scores"), purpose, rejected=True)
    tell_of_scored(value, purpose)
    ends = value._bounds_inside(None if bounds is None else checks.span(bounds, "bounds"))
    return _compared_in(value._scored, families, None, ends)


def best_comparison(
    scores: ScoreData, boundary: str | None, resolution: float | None, bounds: Bounds | None = None
) -> FamilyComparison | str:
    """What "best" rests on, or why families cannot be compared."""
    if isinstance(scores, summary.ScoreSummary):
        return "a summary keeps no single score, which a comparison needs"
    rows, names = scores._as_scores(), None
    if boundary is not None or resolution is not None:
        families.check_rule(families.automatic([scores], bounds=bounds), boundary, families.BEST)
        has = "censored" if boundary in ("censor", "matlab") else "on_unit"
        has = has if boundary else "of_density"
        usual = _usual(rows, _bounds_of(rows, bounds))
        names = [name for name in usual if getattr(FAMILIES[name], has)]
    try:
        cells = None if boundary is not None else resolution
        return _compared_in(rows._scored, names, cells, bounds)
    except (InputError, FitError) as error:
        return str(error)


def _compared_in(
    scores: Scores, request: Sequence[str] | None, resolution: float | None, bounds: Bounds | None
) -> FamilyComparison:
    bounds = _bounds_of(scores, bounds)
    names = _usual(scores, bounds) if request is None else _checked_names(request, bounds)
    pairs = [name for name in names if FAMILIES[name].of_pairs]
    alone = [name for name in names if name not in pairs]
    sides = [Folded.of(scores, who, resolution, bounds) for who in CLASSES]
    left_out: _LeftOut = []
    rows: list[FamilyRow] = []
    reasons: list[str] = []
    picks: list[Candidate] = []
    tails: list[TailRow] = []
    with notices.suppress_warnings():
        columns = [_candidates(side, alone, left_out, named=request is not None) for side in sides]
        joint = [_candidate(name, *sides) for name in pairs]
        for side, column in zip(sides, columns, strict=True):
            if column:
                ranking, best = _ranked(column, [side])
                rows += _rows(side.who, ranking, best, [side])
                reasons.append(f"{members(side.who)} {_reason(ranking, best)}")
                picks.append(best)
                tails += _tail_rows(side, best, left_out)
        pair = [_pair_of_best(sides, picks)] if len(picks) == 2 else []
        ranking, best = _ranked([*pair, *joint], sides)
    if joint:
        rows += [row for row in _rows(_BOTH, ranking, best, sides) if row.family in pairs]
        if any(best is item for item in pair):
            reasons.append(f"of both classes this pair before {' and '.join(pairs)}")
        else:
            reasons = [f"both classes {_reason(ranking, best)}"]
    reason = ", ".join(reasons)
    if not math.isnan(best.distance):
        reason += f"; the ROC of this pair is {best.distance:.3f} from the empirical one"
    keep, every = sum(s.x.size for s in sides), scores.n_client + scores.n_impostor
    reason += "" if keep == every else f" (of the {keep} scores between 0 and 1)"
    return FamilyComparison(
        tuple(rows), best.pair, Sentence(reason), best.distance, tuple(left_out), tuple(tails),
        library=scores.library,
    )  # fmt: skip


def _rows(who: str, ranking: _Ranking, best: Candidate, sides: Sequence[Folded]) -> list[FamilyRow]:
    rows, bounds = [], sides[0].bounds
    for item, mean, z in ranking:
        alike = item is best or _contains(item.pair, best.pair) or _contains(best.pair, item.pair)
        vuong = math.nan if alike else z_of(item.logs, best.logs, sides)
        f, outside = item.fit, math.nan
        if bounds is not None:
            low, high = np.nextafter(bounds[0], -np.inf), bounds[1]
            outside = max(float(law.cdf(low) + law.sf(high)) for law in _laws(f))
        rows.append(FamilyRow(
            who, item.name, f.n_free, f.log_likelihood, f.aic, f.bic, mean, z, vuong,
            item.distance, outside,
        ))  # fmt: skip
    return rows


def _tail_rows(side: Folded, item: Candidate, left_out: _LeftOut) -> list[TailRow]:
    if side.total < _FEWEST_FOR_TAILS or side.resolution is not None:
        return []
    rate, held, counted = _BEYOND / side.total, np.empty(side.x.size), [0.0, 0.0]
    upper = ENDS[side.who] == "upper"
    for k, law in enumerate(item.laws):
        out = side.fold == k
        try:
            tailed = tail_of(law, side.who, *side.part(~out), side.bounds)
        except (FitError, InputError) as error:
            left_out.append((side.who, f"{item.name} with a tail", str(error)))
            return []
        held[out] = tailed.logpdf(side.x[out])
        for which, tail in enumerate((law, tailed)):
            beyond = side.x[out] > tail.isf(rate) if upper else side.x[out] <= tail.ppf(rate)
            counted[which] += float(side.copies[out] @ beyond)
    before = item.held[0]
    ended = [bool(np.any(np.isneginf(logs))) for logs in (before, held)]
    z = math.inf * (ended[0] - ended[1]) if any(ended) else z_of([held], [before], [side])
    means = mean_log([before], [side]), mean_log([held], [side])
    return [TailRow(side.who, item.name, ENDS[side.who], *means, z, rate, _BEYOND, *counted)]


def _reason(ranking: _Ranking, best: Candidate) -> str:
    if len(ranking) == 1:
        return f"{best.name} (no other family was compared)"
    means = {item.name: f"{mean:.4f}" for item, mean, _ in ranking}
    text, (top, beside) = "best held-out score", [item.name for item, *_ in ranking[:2]]
    if best.name != top:
        beside = top
        text = "fewest parameters within half a standard error of the best held-out score"
    text += f": {means[best.name]} a score, {beside} {means[beside]}"
    rivals = [c.name for c, _, z in ranking if z > -_Z and c.name not in (best.name, top)]
    if rivals:
        text += f"; not distinguishable from the best at the 5 % level: {', '.join(rivals)}"
    return f"{best.name} ({text})"


# ------------------------------------------------------------------------ what is compared
def _bounds_of(scores: Scores, bounds: Bounds | None) -> Bounds | None:
    if bounds is None:
        return unit_range(scores)
    bounds = checks.span(bounds, "bounds")
    for who in CLASSES:
        ends = scores._bounds_inside(bounds) or bounds  # in their own scale
        families.check_within(who, scores._document_part(who), ends)
    return bounds


def _usual(scores: Scores, bounds: Bounds | None) -> list[str]:
    rows = {n: row for n, row in FAMILIES.items() if not row.counted and not row.of_pairs}
    if bounds is not None:
        return [n for n, row in rows.items() if row.on_unit or row.everywhere]
    positive = all(scores._extremes(who)[0] > 0.0 for who in CLASSES)
    return [n for n, row in rows.items() if not row.on_unit and (positive or not row.positive)]


def _checked_names(request: Sequence[str], bounds: Bounds | None) -> list[str]:
    if isinstance(request, str) or not isinstance(request, Sequence):
        raise refusal("families", "be a list of names", typed(request), kind=InputTypeError)
    parametric = tuple(n for n, row in FAMILIES.items() if not (row.counted or row.ranked))
    names = [checks.choice(name, parametric, "families") for name in request]
    if len(set(names)) < len(names) or not names:
        raise refusal("families", "name each family once", checks.format_value(names))
    bounded = [name for name in names if FAMILIES[name].on_unit]
    if bounded and bounds is None:
        remedy = worded("Leave it out, or give the range of scores, `bounds=(low, high)`.")
        raise refusal("scores", f"lie in [0, 1] for {bounded[0]!r}", "others", remedy)
    return names


def one_beta_suffices(
    comparison: FamilyComparison | None, check: FitCheck | None, uncompared: str
) -> tuple[str, str]:
    """Whether one beta distribution per class does."""
    reasons, doubts = [], []
    for who in CLASSES:
        rows = () if comparison is None else comparison.of(who)
        for row in [row for row in rows if families.has_shapes(row.family)][:1]:
            away, best = -row.held_out_z, rows[0].family
            words = f"{best} is better by {number(away, 2)} standard errors"
            if away <= MARGIN:
                words = f"it is within half a standard error of the best held-out score, {best}'s"
            words = "it has the best held-out score" if row is rows[0] else words
            reasons.append(f"for {members(who)} {words}")
            doubts.append(0 if away <= MARGIN else 2 if away > _Z else 1)
    if not reasons:
        reasons.append(f"families were not compared: {uncompared.rstrip('.')}")
        doubts.append(1)
    if check is not None:
        reasons.append(f"check of its ROC: {check.verdict}")
        for rate in [rate for rate in check.targets if rate.verdict == "poor"][:1]:
            reasons.append(
                f"{template_of(rate.name)} is poor: {rate.expected:.4g} scores expected,"
                f" {rate.observed:.6g} observed"
            )
        doubts.append({"good": 0, "poor": 2}.get(check.status, 1))
    return ("yes", "cannot tell", "no")[max(doubts)], Sentence("; ".join(reasons))
