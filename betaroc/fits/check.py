"""Can the fitted model be believed? Its distributions, their ROC, its rates at thresholds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import INSIDE, FloatArray
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.notices import public, quietly
from betaroc.core.options import MOST_TIMES
from betaroc.core.resampling import streams
from betaroc.core.special import rate_of_none
from betaroc.core.tables import Table, columns_from_rows, table_of
from betaroc.core.text import sentence
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import Result
from betaroc.data.groups import weights_of
from betaroc.data.scores import Scores, require_scores, tell_of_scored
from betaroc.distributions.base import Distribution
from betaroc.distributions.empirical import Empirical
from betaroc.distributions.inflated import MASSES
from betaroc.distributions.shifted import between_ends, bounds_of
from betaroc.distributions.spliced import Spliced
from betaroc.estimation.contract import ClassMaximum, Maximum, Parameters, SampleRows
from betaroc.estimation.estimate import Options, estimate_class, estimate_pair
from betaroc.estimation.families import FAMILIES
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.fits.target_checks import (
    WITHIN,
    GoodDownTo,
    Rates,
    TargetCheck,
    check_targets,
    good_down_to,
    rates_verdict,
    rates_words,
    refuse_fractional,
    targets_grid,
)
from betaroc.model.distances import roc_distance
from betaroc.model.model import ScoreModel
from betaroc.rendering.curves import draw_intervals
from betaroc.rendering.nouns import Noun
from betaroc.rendering.numbers import number
from betaroc.rendering.style import CLIENT, IMPOSTOR, Axes
from betaroc.rendering.tree import Cell, Grid, IntervalMark, Node, Row, Status, Words
from betaroc.rendering.tree_text import text_of

#: Step of the differences of a log density, in sizes of the parameter or spreads of the
#: distribution.
_STEP = 1e-4


def parameters_of(family: str, law: Distribution) -> Parameters:
    """Of one distribution, as a row."""
    rows = _rows(family, law)
    if rows is not None and rows.of is not None:
        return rows.of(law)
    return _columns([[p.value for p in law._parameters()]])


def refitted(
    families: tuple[str, str], laws: list[Distribution], samples: list[FloatArray]
) -> list[Parameters]:
    """Parameters of both classes of each row; of a family of both classes their joint maximum."""
    family = FAMILIES.get(families[0])
    if families[0] != families[1] or family is None or not family.of_pairs:
        return [_refitted(*each) for each in zip(families, laws, samples, strict=True)]
    rows = _rows(families[0], laws[0])
    if rows is None:
        return _one_by_one(families[0], laws, samples)
    found = [rows.fit(law, x) for law, x in zip(laws, samples, strict=True)]
    if family.join is None:
        return found
    found = [tuple(q.copy() for q in p) for p in found]
    for k in range(samples[0].shape[0]):
        classes = []
        for p, x in zip(found, samples, strict=True):
            values, weight = tuple(float(q[k, 0]) for q in p), float(x.shape[1])
            law, none = rows.law(*values), ((0.0,) * len(values),) * len(values)
            names = tuple(parameter.name for parameter in law._parameters())
            classes.append(ClassMaximum(Maximum(law, names, values, none, 0.0), weight, weight))
        joined = family.join(classes[0], classes[1])
        if joined is not None:
            for columns, e in zip(found, joined[:2], strict=True):
                for column, value in zip(columns, e.values, strict=True):
                    column[k] = value
    return found


def _refitted(family: str, law: Distribution, x: FloatArray) -> Parameters:
    """Parameters of one class of each row."""
    rows, bounds = _rows(family, law), bounds_of(law)
    if rows is not None:
        return rows.fit(law, x)
    with quietly():
        found = [estimate_class("sample", row, None, family, bounds=bounds) for row in x]
    return _columns([_row(law, one.distribution) for one in found])


def _rows(family: str, law: Distribution) -> SampleRows | None:
    known = family in FAMILIES and bounds_of(law) is None
    return FAMILIES[family].rows if known else None


def drawn_inside(
    law: Distribution, rng: np.random.Generator, shape: int | tuple[int, int]
) -> FloatArray:
    """Scores of a continuous distribution, none on an end of [0, 1] if that is its scale."""
    drawn = law._sample(shape, rng)
    # A draw that rounds to an end stands for the doubles beside it: the distribution has no mass
    # there.
    low, high = INSIDE if law.on_unit else bounds_of(law) or (-np.inf, np.inf)
    return np.asarray(np.clip(drawn, low, high))


# ---------------------------------------------------------------------- any other family
@dataclass(frozen=True)
class RowByRow:
    """A family by the public face of its law: rows of parameters, one distribution at a time."""

    law: Distribution

    def tails(self, p: Parameters, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        rows = np.broadcast_to(x, (p[0].shape[0], x.shape[1]))
        found = [(law.cdf(row), law.sf(row)) for law, row in zip(self._laws(p), rows, strict=True)]
        return np.stack([lower for lower, _ in found]), np.stack([upper for _, upper in found])

    def moments(self, p: Parameters, x: FloatArray, shares: FloatArray) -> FloatArray:
        """Products of the gradient's components and the second derivatives, by differences."""
        pairs = zip(self._laws(p), x, strict=True)
        return np.stack([_moments(law, row, shares) for law, row in pairs])

    def _laws(self, p: Parameters) -> list[Distribution]:
        names = [parameter.name for parameter in self.law._parameters()]
        return [self.law._replaced(dict(zip(names, row, strict=True))) for row in np.hstack(p)]


def _moments(law: Distribution, x: FloatArray, shares: FloatArray) -> FloatArray:
    """Means of d_j log f d_k log f + d_jk log f, in roots of the mean information of j and k."""
    own = law._parameters()
    steps = [_STEP * law._room(p) for p in own]
    t = Thresholds.from_theta(x)

    def at(**away: float) -> FloatArray:
        moved = {p.name: p.value + away.get(p.name, 0.0) for p in own}
        return np.asarray(law._replaced(moved)._log_pdf(t))

    def pair(j: int, k: int) -> FloatArray:
        sides = [
            one * other * at(**{own[j].name: one * steps[j], own[k].name: other * steps[k]})
            for one in (1.0, -1.0) for other in (1.0, -1.0)
        ]  # fmt: skip
        return np.asarray(sum(sides) / 4.0)

    centre = at()
    ends = [
        [at(**{p.name: side * step}) for side in (1.0, -1.0)]
        for p, step in zip(own, steps, strict=True)
    ]
    rise = [0.5 * (up - down) for up, down in ends]
    bend = [up - 2.0 * centre + down for up, down in ends]
    units = [math.sqrt(-float(second @ shares)) for second in bend]
    size = range(len(own))
    return np.array(
        [
            float((rise[j] * rise[k] + (bend[j] if j == k else pair(j, k))) @ shares)
            / (units[j] * units[k])
            for j in size for k in size if j <= k
        ]
    )  # fmt: skip


def _one_by_one(
    family: str, laws: list[Distribution], samples: list[FloatArray]
) -> list[Parameters]:
    """Each row fitted as scores of both classes, which says all that the family says of them."""
    rows: list[list[list[float]]] = [[], []]
    for client, impostor in zip(*samples, strict=True):
        with quietly():
            options = Options(bounds=bounds_of(laws[0]))
            pair = Scores._checked(client=client, impostor=impostor)
            found = estimate_pair(pair, (family, family), options)[0]
        for kept, law, one in zip(rows, laws, (found.client, found.impostor), strict=True):
            kept.append(_row(law, one.distribution))
    return [_columns(kept) for kept in rows]


def _row(law: Distribution, one: Distribution) -> list[float]:
    """The parameters of one distribution in the order of another's."""
    values = {p.name: p.value for p in one._parameters()}
    return [values[p.name] for p in law._parameters()]


def _columns(rows: list[list[float]]) -> Parameters:
    return tuple(np.array(rows).T[:, :, None])


# ----------------------------------------------------------------------
# Can the fitted model be believed? Its distributions, their ROC, its rates at thresholds.
#: Distance of a fitted ROC from the true one that matters.
TOLERANCE = 0.05
#: A curve within the tolerance beside a rate that is poor.
CURVE_ONLY = "good as a curve only"
#: Colours of the verdicts, the worst last, and signs of the whole.
VERDICTS = {
    "good": "good", CURVE_ONLY: "none", "not checked": "none", "cannot tell": "open",
    "poor": "poor",
}  # fmt: skip
_SIGNS = {"good": "good", "cannot tell": "warn", "poor": "bad"}
_TESTS = {
    "ks": "Kolmogorov–Smirnov", "cvm": "Cramér–von Mises", "ad": "Anderson–Darling",
    "information": "information matrix",
}  # fmt: skip
#: Scores per class that the null distribution is simulated with: beyond, it hardly changes. Of
#: weighted and rounded scores as many as there are distinct ones, so that weights cost no time.
_DRAWN, _DRAWN_AT_LEAST = 1000, 300
_NONE_GOOD = GoodDownTo(None, None)
#: Lines FAR + TPR = constant on which two ROCs are compared.
_ALONG = 1001


class FitTest(NamedTuple):
    """A statistic, and the share of simulated ones that are as large."""

    statistic: float
    p_value: float


class ClassTests(NamedTuple):
    """The same test of both classes."""

    client: FitTest
    impostor: FitTest


class RocDistance(NamedTuple):
    """How far the fitted ROC is from the scores', along FAR + TPR = constant."""

    #: Largest distance, and the mean one.
    sup: float
    mean: float
    #: How far an empirical ROC is from the true one: the `level` quantile of simulated distances.
    noise: float
    #: Interval of the distance between the fitted ROC and that of endless scores.
    low: float
    high: float
    #: Share of simulated distances as large as the largest.
    p_value: float

    def _follows(self) -> dict[str, Any]:
        return {"low": max(0.0, self.sup - self.noise), "high": self.sup + self.noise}


class FitStatus(NamedTuple):
    """A verdict, "good", "cannot tell", "poor" or "not checked"; of what, and the numbers.

    A curve that is good beside a rate that is not is "good as a curve only".
    """

    of: str
    verdict: str
    words: str

    def node(self, role: str = "") -> Status:
        """The verdict with its colour, of a set where there are several."""
        of = f"{role}: fit of the {self.of}" if role else f"Fit of the {self.of}"
        return Status(of, self.verdict, VERDICTS[self.verdict], self.words)


def statuses_beside(roc: FitStatus, rates: FitStatus) -> list[FitStatus]:
    """No verdict is good beside a rate that is poor."""
    if rates.verdict == "poor" and roc.verdict == "good":
        roc = roc._replace(verdict=CURVE_ONLY)
    return [roc, rates]


class RatesVerdict(NamedTuple):
    """Of the rates counted at a fit's own thresholds."""

    verdict: str
    reason: str


@dataclass(frozen=True, eq=False, repr=False)
class FitCheck(Result, Noun):
    """Whether a fit can be believed.

    Made by :func:`check_fit`.

    Parameters
    ----------
    ks, cvm, ad, information : ClassTests or None
        Kolmogorov-Smirnov, Cramer-von Mises, Anderson-Darling, information-matrix test; None
        where only rates were counted.
    roc_distance : RocDistance or None
        Of the fitted ROC from the empirical one.
    verdict : str
        Of the ROC curve alone. "good": the fitted curve is within the tolerance, whatever
        chance did; "poor": it is beyond; "cannot tell": its interval reaches across the
        tolerance, or only rates were counted.
    reason : str
        The numbers behind it.
    tolerance, level : float
        What was asked.
    replicates : int
        Simulated score sets; 0 where only rates were counted.
    targets : tuple of TargetCheck
        The rates that the fit has at its own thresholds, and the scores counted there; FAR
        first, large rates first.
    good_down_to : GoodDownTo
        `.far` and `.frr`: the smallest default target such that it and all larger ones are
        good, from 0.5 down; None where that one is not.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> scores = br.Scores(rng.beta(4, 2, 2000), rng.beta(2, 4, 2000))
    >>> found = br.check_fit(br.fit(scores), replicates=199, rng=1)
    >>> found.status, found.verdict, found.good_down_to.far
    ('good', 'good', 0.005)
    """

    ks: ClassTests | None
    cvm: ClassTests | None
    ad: ClassTests | None
    information: ClassTests | None
    roc_distance: RocDistance | None
    verdict: str
    reason: str
    tolerance: float
    level: float
    replicates: int
    targets: tuple[TargetCheck, ...] = ()
    good_down_to: GoodDownTo = _NONE_GOOD

    def to_frame(self) -> Table:
        """The tests as a table.

        Returns
        -------
        pandas.DataFrame
            A row a test and class: test ("ks", "cvm", "ad", "information", "roc_distance"), class
            ("both" of the last), statistic and p_value; none where only rates were counted.

        Examples
        --------
        >>> import numpy as np
        >>> import betaroc as br
        >>> rng = np.random.default_rng(1)
        >>> fit = br.fit(br.Scores(rng.beta(4, 2, 300), rng.beta(2, 4, 300)))
        >>> br.check_fit(fit, replicates=19, rng=1).to_frame()["test"].tolist()[::2]
        ['ks', 'cvm', 'ad', 'information', 'roc_distance']
        """
        rows: list[tuple[str, str, float, float]] = []
        for name in ("ks", "cvm", "ad", "information"):
            tests: ClassTests | None = getattr(self, name)
            if tests is not None:
                rows += [(name, who, *test) for who, test in tests._asdict().items()]
        far = self.roc_distance
        if far is not None:
            rows.append(("roc_distance", "both", far.sup, far.p_value))
        names = ("test", "class", "statistic", "p_value")
        return table_of(columns_from_rows(rows, names, ("test", "class")))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the rates counted at the fit's own thresholds over those that it expects.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw, a row for each target; a new figure if left out.

        Returns
        -------
        matplotlib Axes

        Notes
        -----
        The grey ground is within a factor of 3, which is good; a marker is hollow where the scores
        cannot tell.

        Examples
        --------
        >>> import numpy as np
        >>> import betaroc as br
        >>> rng = np.random.default_rng(1)
        >>> fit = br.fit(br.Scores(rng.beta(4, 2, 300), rng.beta(2, 4, 300)))
        >>> ax = br.check_fit(fit, far=[0.1, 0.01], replicates=19, rng=1).plot()
        >>> [text.get_text() for text in ax.get_yticklabels()]
        ['FAR 0.1', 'FAR 0.01']
        """
        marks = [
            IntervalMark(
                f"{t.rate.upper()} {t.target:g}", t.low * t.n / t.expected, t.observed / t.expected,
                t.high * t.n / t.expected, t.verdict != "cannot tell",
            )
            for t in self.targets
        ]  # fmt: skip
        colours = [IMPOSTOR if t.rate == "far" else CLIENT for t in self.targets]
        return draw_intervals(
            ax, marks, "rate counted over rate expected", colours=colours or [CLIENT],
            near=(1.0 / WITHIN, WITHIN), at=(1.0, "_nolegend_"), log=True,
        )  # fmt: skip

    @property
    def status(self) -> str:
        """The worst of all: "poor" if the curve or any target is, "good" if the curve is good.

        And some target of each class that was counted is good; else "cannot tell".

        Examples
        --------
        >>> import numpy as np
        >>> import betaroc as br
        >>> rng = np.random.default_rng(1)
        >>> few = br.Scores(rng.beta(4, 2, 30), rng.beta(2, 4, 30))
        >>> br.check_fit(br.fit(few), replicates=19, rng=1).status
        'cannot tell'
        """
        return max(self.verdict, self.rates.verdict, key=("good", "cannot tell", "poor").index)

    def _follows(self) -> dict[str, Any]:
        d, numbers = self.roc_distance, (0.0, self.tolerance, self.level)
        return {"verdict": "cannot tell" if d is None else _verdict(d, *numbers)[0]}

    @property
    def rates(self) -> RatesVerdict:
        """The verdict on the rates that were counted at the fit's own thresholds, and why."""
        return RatesVerdict(
            rates_verdict(self.targets), rates_words(self.targets, self.good_down_to)
        )

    def _tables(self, without: str = "") -> list[Node]:
        """The tests and the distance of the ROC, `without` what; the counts at thresholds."""
        shown: list[Node] = []
        if self.ks is not None:
            rows = (
                Row((title, *(
                    Cell(f"{number(t.statistic, 4)} (p {number(t.p_value, 3)})", "", t.statistic)
                    for t in getattr(self, key)
                )))
                for key, title in _TESTS.items()
            )  # fmt: skip
            head = f"test of the distributions{without}", "client", "impostor"
            shown.append(Grid(head, tuple(rows)))
        if self.roc_distance is not None:
            d = self.roc_distance
            shown.append(Words(
                f"ROC{without}: largest distance from that of the scores {number(d.sup, 3)}"
                f" (p {number(d.p_value, 3)}), mean distance {number(d.mean, 3)}."
            ))  # fmt: skip
        return shown + [targets_grid(self.targets)] * bool(self.targets)

    def _statuses(self) -> list[FitStatus]:
        """The verdicts on the curve and on the rates."""
        return statuses_beside(
            FitStatus("ROC", self.verdict, sentence(self.reason)),
            FitStatus("rates at a threshold", self.rates.verdict, sentence(self.rates.reason)),
        )

    def _view(self) -> list[Node]:
        whole = Status("", f"Fit: {self.status}", _SIGNS[self.status])
        return [whole, *(one.node() for one in self._statuses()), *self._tables()]

    def __str__(self) -> str:
        return text_of(self._view())


@public
def check_fit(
    f: PairEstimate,
    *,
    far: Rates = None,
    frr: Rates = None,
    replicates: int = 999,
    tolerance: float = TOLERANCE,
    level: float = 0.95,
    rng: Any = None,
) -> FitCheck:
    """Goodness of fit of both distributions, of the ROC, and of the rates at thresholds.

    Score sets of the fitted distributions are drawn, fitted again, and compared with their own
    fits: that is the null distribution, with the parameters estimated. And the scores are
    counted beyond the thresholds that the fit has for some rates.

    Parameters
    ----------
    f : Fit
        A fit of a parametric family, with or without point masses. With `far` or `frr` any
        fit: where nothing can be simulated, rates alone are counted.
    far, frr : float or array_like of float, optional
        Rates in (0, 1) at which to count. Where neither is given, .5, .2, .1, .05, .02, .01
        and so on of both classes, down to 5 expected scores (of groups, effective ones).
    replicates : int
        Simulated score sets, at least 19.
    tolerance : float
        Distance between two ROCs that does not matter to you; it judges the curve only.
    level : float
        Confidence level of the intervals of the distance and of the rates.
    rng : None, int, SeedSequence or Generator
        Source of randomness; a seed gives the same bytes everywhere.

    Returns
    -------
    FitCheck

    Raises
    ------
    InputError
        For a fit of cells, censored scores or a summary, unless `far` or `frr` is given; for
        fractional weights; if an option is out of range, as rates of 0 and 1 are.
    InputTypeError
        If `f` is no Fit, or of family "empirical" and neither `far` nor `frr` is given.
    FitError
        If a simulated score set has no fit.

    Notes
    -----
    Targets: [L, H], Clopper and Pearson's interval of the rate counted beyond the fit's own
    threshold, is divided by the rate asked (the fit's rate there, where a point mass spans the
    one asked). In this order: "poor" if [L, H] has no point in common with [1/1.25, 1.25], at
    any number of scores; "good", within a factor of 3, if it lies inside [1/3, 3]; else "cannot
    tell", with the number of scores that would (12.5 / rate for small rates and level 0.95: a
    fit that is right is then found good with probability .8). Trials in groups count as their
    effective number, and two groups or fewer cannot tell. A class whose distribution is its
    own scores placed the threshold by them: "cannot tell". Scores are counted as they are,
    also where the fit took them as rounded or moved them off 0 and 1 (dropped ones are left
    out); of a summary, the scores of the bin around a threshold widen the interval. Beyond the
    joint of a tail the scores themselves placed the threshold: "cannot tell". The simulation, and
    the distances, are of the distributions without their tails. Trials without a score count in the
    rates of targets; the simulation and the distances are of the trials that have one.

    Distances are the largest difference of both rates at once, along FAR + TPR = constant.
    The curve's verdict rests on the interval of the distance alone, [max(0, d - q), d + q] with
    q the quantile of the simulated distances of an empirical ROC from that of the distributions
    that made it (by the triangle inequality), and at least the rate that none of n scores
    leaves open, 1 - (1 - level)^(1/n): fits of separated classes make separated ones. The
    p-value takes the distances of refitted ROCs. Here trials are taken as independent. The
    verdict does not rest on p-values, because with 1e5 scores every family is rejected by them,
    with 30 none.

    p = (1 + number of simulated statistics >= the observed) / (1 + replicates). From 1000
    scores per class on, the null distribution is that of 1000, and of weighted or rounded scores
    that of as many as there are distinct ones, at least 300; statistics are scaled.
    Point masses fit by construction; the tests are of the scores between them.
    The information-matrix test compares the covariance of the scores' gradients with the
    information, which agree if the distribution is right; it is standardised by the simulation.
    Simulated sets are fitted again by maximum likelihood; mixtures by EM from the fit until a step
    gains less than 0.005 log-likelihood; families of your own set by set, which takes longer.

    References
    ----------
    Stute, W., Gonzalez Manteiga, W. and Presedo Quindimil, M. (1993), Bootstrap based
    goodness-of-fit tests. White, H. (1982), Maximum likelihood estimation of misspecified
    models.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> two_bumps = np.concatenate([rng.beta(2, 40, 500), rng.beta(40, 2, 500)])
    >>> scores = br.Scores(two_bumps, rng.beta(2, 4, 1000))
    >>> warnings.simplefilter("ignore", br.MisfitWarning)  # `fit` says it too
    >>> found = br.check_fit(br.fit(scores), far=0.01, frr=0.01, replicates=199, rng=1)
    >>> found.verdict
    'poor'
    >>> [(t.rate, t.expected, t.observed, t.verdict) for t in found.targets]
    [('far', 10.0, 7.0, 'cannot tell'), ('frr', 10.0, 0.0, 'poor')]
    """
    checks.instance(f, PairEstimate, "f", "br.fit(scores)", "Fit")
    replicates = checks.count(replicates, "replicates", 19)
    level, tolerance = checks.level(level), checks.fraction(tolerance, "tolerance")
    targets = check_targets(f, far, frr, level=level)
    asked = far is not None or frr is not None
    good = good_down_to(check_targets(f, level=level) if asked else targets)
    try:
        sides = _sides(f._scored)
    except (InputError, InputTypeError) as error:
        if not asked:
            raise
        none = (None, None, None, None, None)
        reason = f"only rates were counted: {error}"
        return FitCheck(*none, "cannot tell", reason, tolerance, level, 0, targets, good)
    tell_of_scored(f.scores, "what is simulated for a check")
    tests, distance = _simulated(sides, replicates, level, rng)
    verdict, reason = _verdict(distance, _unseen(sides, level), tolerance, level)
    if f.scores.has_rejected:
        reason = f"of the trials that have a score, {reason}"
    if f.client.tails or f.impostor.tails:
        reason = f"without its tails, {reason}"
    return FitCheck(
        tests[0], tests[1], tests[2], tests[3], distance, verdict, reason, tolerance, level,
        replicates, targets, good,
    )  # fmt: skip


def _simulated(
    sides: list[_Side], replicates: int, level: float, rng: Any
) -> tuple[list[ClassTests], RocDistance]:
    """The four tests of both classes, and the distance of the ROC."""
    laws, families = [side.law for side in sides], (sides[0].family, sides[1].family)
    fitted = [parameters_of(side.family, side.law) for side in sides]
    observed, here = _measured(sides, [side.seen for side in sides], fitted)
    simulated: list[list[FloatArray]] = [[], []]
    distances = []
    for rows, stream in streams(replicates, rng):
        drawn = [side.draw(stream, rows.stop - rows.start) for side in sides]
        again = refitted(families, laws, [sample.x for sample in drawn])
        statistics, away = _measured(sides, drawn, again)
        for kept, found in zip(simulated, statistics, strict=True):
            kept.append(found)
        distances.append(away)
    table = [np.concatenate(parts) for parts in simulated]
    tests = [_tests(o[0], t) for o, t in zip(observed, table, strict=True)]
    kinds = [ClassTests(a, b) for a, b in zip(*tests, strict=True)]
    return kinds, _roc_distance(here[0], np.concatenate(distances), sides, level)


def roc_distance_of(f: PairEstimate) -> float:
    """Largest distance of the fitted ROC from the empirical one along FAR + TPR = constant."""
    return _largest(_sides(f._scored))


def _largest(sides: list[_Side]) -> float:
    fitted, counted = (ScoreModel(*laws) for laws in zip(*(s.laws for s in sides), strict=True))
    return roc_distance(fitted, counted)


class _Sampled(NamedTuple):
    """Scores, rows sorted, how many copies of each column there are, and shares of point masses."""

    x: FloatArray
    copies: FloatArray
    masses: FloatArray

    @property
    def upto(self) -> FloatArray:
        """Share of the scores before each column, and in the end all."""
        counts = np.concatenate([[0.0], np.cumsum(self.copies)])
        return np.asarray(counts / counts[-1])


def _measured(
    sides: list[_Side], drawn: list[_Sampled], parameters: list[Parameters]
) -> tuple[list[FloatArray], FloatArray]:
    """Statistics of both classes of each row, and the distances of its ROC."""
    each = zip(sides, drawn, parameters, strict=True)
    return [side.statistics(rows, p) for side, rows, p in each], _distances(
        sides, drawn, parameters
    )


# ------------------------------------------------------------------------------ one class
@dataclass(frozen=True)
class _Side:
    """One class: its scores between the point masses, sorted, and its fitted distribution."""

    family: str
    #: The fitted distribution with its point masses, and that of the scores.
    laws: tuple[Distribution, Distribution]
    law: Distribution
    seen: _Sampled
    #: Shares of exact 0, of the distribution and of exact 1 among the scores.
    masses: FloatArray
    #: Scores between the point masses, and all.
    size: int
    total: int

    @classmethod
    def of(cls, result: Estimate, scores: Scores, who: str) -> _Side:
        low, high = (result.params.get(mass, 0.0) for mass in MASSES)
        rule = result.boundary
        if not result.names:
            raise InputTypeError.about("f")(
                f"f must be a fit of a parametric family; its {who} class is of family"
                f' {result.family!r}. Fit one, such as family="beta".'
            )
        if rule is not None and rule.policy not in ("inflate", "error", "drop"):
            raise InputError.about("f")(
                "f must be fitted to the scores themselves for a check; its boundary rule is"
                f" {rule.policy!r}. Fit with boundary=None, or give far= or frr= to count there."
            )
        values, copies = ordered(scores, who)
        inside = np.full(values.size, True)
        if rule is not None:
            inside = between_ends(result.distribution, values)
        masses, size = np.array([low, 1.0 - low - high, high]), round(np.sum(copies[inside]))
        law = result.distribution
        law = law.body if isinstance(law, Spliced) else law
        kept = inside if rule is not None and rule.policy == "drop" else np.full_like(inside, True)
        laws = law, Empirical._of_checked(values[kept], copies[kept])
        law = cast(tuple[float, Distribution], law.continuous)[1]
        seen = _Sampled(values[None, inside], copies[inside], masses[None, :])
        return cls(result.family, laws, law, seen, masses, size, round(size / masses[1]))

    @property
    def many(self) -> SampleRows | RowByRow:
        """How rows are measured; without `SampleRows` by the distribution alone."""
        return _rows(self.family, self.law) or RowByRow(self.law)

    def draw(self, rng: np.random.Generator, rows: int) -> _Sampled:
        """Samples of the fitted distribution."""
        distinct = 1 + int(np.count_nonzero(np.diff(self.seen.x)))
        n = min(self.size, max(distinct, _DRAWN_AT_LEAST), _DRAWN)
        x = np.sort(drawn_inside(self.law, rng, (rows, n)), axis=1)
        total = min(self.total, round(n / self.masses[1]))
        return _Sampled(x, np.ones(n), rng.multinomial(total, self.masses, rows) / total)

    def statistics(self, rows: _Sampled, p: Parameters) -> FloatArray:
        """KS, CvM and AD of each row's fit, scaled; then the information's moments."""
        below, above = self.many.tails(p, rows.x)
        n, upto = float(np.sum(rows.copies)), rows.upto
        shares, middle = rows.copies / n, 0.5 * (upto[1:] + upto[:-1])
        ks = np.max(np.maximum(upto[1:] - below, below - upto[:-1]), axis=1) * math.sqrt(n)
        cvm = n * ((below - middle) ** 2 + shares**2 / 12.0) @ shares
        with np.errstate(divide="ignore"):
            logs = middle * np.log(below) + (1.0 - middle) * np.log(above)
        ad = -n * (1.0 + 2.0 * logs @ shares)
        moments = self.many.moments(p, rows.x, shares) * math.sqrt(n)
        return np.column_stack([ks, cvm, ad, moments])


def _sides(f: PairEstimate) -> list[_Side]:
    scores = require_scores(f.scores, "a check of the fit")
    return [_Side.of(f.client, scores, "client"), _Side.of(f.impostor, scores, "impostor")]


def ordered(scores: Scores, who: str) -> tuple[FloatArray, FloatArray]:
    """The scores of a class that count, ascending, and how many copies of each there are."""
    refuse_fractional(scores, who)
    values, copies = getattr(scores, who), weights_of(scores, who)
    order = np.argsort(values, kind="stable")
    order = order[copies[order] > 0.0]
    return values[order], copies[order]


def _tests(observed: FloatArray, simulated: FloatArray) -> list[FitTest]:
    """KS, CvM, AD, and the quadratic form of the moments in their simulated covariance."""
    moments = simulated[:, 3:]
    centre = np.mean(moments, axis=0)
    inverse = np.linalg.pinv(np.atleast_2d(np.cov(moments, rowvar=False)))
    away = np.vstack([observed[None, 3:], moments]) - centre
    form = np.einsum("ij,jk,ik->i", away, inverse, away)
    columns = [(observed[k], simulated[:, k]) for k in range(3)] + [(form[0], form[1:])]
    return [FitTest(float(o), float((1 + np.sum(s >= o)) / (1 + s.size))) for o, s in columns]


# ------------------------------------------------------------------------------ the ROC
def _distances(
    sides: list[_Side], drawn: list[_Sampled], parameters: list[Parameters]
) -> FloatArray:
    """Of each row's empirical ROC: largest and mean from its fit, largest from the true one."""
    grid, along = _grid(sides), np.linspace(0.0, 2.0, _ALONG)
    fitted, found, true = [], [], []
    for side, rows, p in zip(sides, drawn, parameters, strict=True):
        beyond = rows.upto[-1] - rows.upto
        counted = np.stack([beyond[np.searchsorted(row, grid, side="right")] for row in rows.x])
        fitted.append(_stairs(rows.masses, side.many.tails(p, grid[None, :])[1]))
        found.append(_stairs(rows.masses, counted))
        true.append(_stairs(side.masses[None, :], np.asarray(side.law.sf(grid))[None, :]))
    distances = np.empty((fitted[0].shape[0], 3))
    for r in range(distances.shape[0]):
        heights = [
            np.interp(along, tpr[k] + far[k], tpr[k] - far[k])
            for (tpr, far), k in ((fitted, r), (found, r), (true, 0))
        ]
        gap = 0.5 * np.abs(heights[0] - heights[1])
        distances[r] = np.max(gap), np.mean(gap), 0.5 * np.max(np.abs(heights[1] - heights[2]))
    return distances


def _stairs(shares: FloatArray, rates: FloatArray) -> FloatArray:
    """Shares above the places of a grid, descending, of point masses and what lies between."""
    inner = shares[:, 2:] + shares[:, 1:2] * rates[:, ::-1]
    ends = np.zeros((inner.shape[0], 1))
    return np.hstack([ends, shares[:, 2:], inner, ends + 1.0])


def _grid(sides: list[_Side]) -> FloatArray:
    """Scores spread over both distributions and into their tails."""
    p = np.concatenate([np.geomspace(1e-5, 0.01, 16), np.linspace(0.01, 0.5, 64)[1:]])
    places = [np.concatenate([side.law.ppf(p), side.law.isf(p)]) for side in sides]
    return np.unique(np.concatenate(places))


def _roc_distance(
    here: FloatArray, simulated: FloatArray, sides: list[_Side], level: float
) -> RocDistance:
    # A smaller simulation has a larger noise, by the root of the sizes.
    n = [min(side.size, _DRAWN) / side.size for side in sides]
    shrink = math.sqrt(max(n))
    drawn = float(np.quantile(simulated[:, 2], level)) * shrink
    noise = max(drawn, _unseen(sides, level))
    p = float((1 + np.sum(simulated[:, 0] * shrink >= here[0])) / (1 + simulated.shape[0]))
    sup = _largest(sides)
    return RocDistance(sup, float(here[1]), noise, max(0.0, sup - noise), sup + noise, p)


def _unseen(sides: list[_Side], level: float) -> float:
    """The rate that none of the smaller class's scores leaves open.

    Distributions that are fitted to separated classes make separated ones: they vary by nothing.
    """
    return rate_of_none(min(side.total for side in sides), level)


def _verdict(d: RocDistance, unseen: float, tolerance: float, level: float) -> tuple[str, str]:
    numbers = (
        f"the fitted ROC is {d.sup:.3f} from the empirical one, {100 * level:g} % interval of the"
        f" distance from the true one {d.low:.3f} to {d.high:.3f} (an empirical ROC may be off by"
        f" {d.noise:.3f} by chance, p = {d.p_value:.3f}); tolerance {tolerance:g}"
    )
    if d.high <= tolerance:
        return "good", numbers
    if d.low > tolerance:
        return "poor", numbers
    # What chance does falls with the root of the number of scores, what none leaves open with it.
    times = d.noise / abs(tolerance - d.sup) if d.sup != tolerance else math.inf
    more = times if d.noise == unseen and d.sup < tolerance else times * times
    if more > MOST_TIMES:
        return "cannot tell", f"{numbers}; the distance is too near the tolerance"
    wanted = "a few more" if more < 1.05 else f"about {float(f'{more:.2g}'):g} times as many"
    return "cannot tell", f"{numbers}; {wanted} scores would tell"
