"""Tests of shapes: categories, ends of the ROC, its hooks, and what counts say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from betaroc.core import checks, thresholds, vocabulary
from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import InputError, refusal
from betaroc.core.polygamma import beta_information
from betaroc.core.special import beta_lower, beta_upper, log_beta_ratio, share_ends
from betaroc.data.groups import Groups, ensure_psd, groups_of
from betaroc.distributions import base, beta, shifted
from betaroc.distributions.inflated import MASSES, base_of
from betaroc.estimation.estimate import Estimate, PairEstimate
from betaroc.estimation.families import FAMILIES, has_shapes, in_classes
from betaroc.fits.check import LOW_RATE, misfit_words
from betaroc.inference.delta import in_cells, inner_trials, joint_cov, observation_scores
from betaroc.inference.scores_beyond import evidence_of_pair
from betaroc.model.improper_regions import Hook, hooks_of
from betaroc.rendering.nouns import Exportable
from betaroc.rendering.numbers import number, percent

CONTRADICTED, CANNOT_TELL = "contradicted", "cannot tell"
#: Rates of clients and of impostors beyond a threshold, towards each end.
_RATES = {"at_zero": (vocabulary.FRR, vocabulary.TNR), "at_one": (vocabulary.TPR, vocabulary.FAR)}
#: Both classes are counted beyond so many scores of the one that thins out there.
_EXTREMES = (5, 20, 100)
#: One-sided level of Fisher's test.
_LEVEL = 0.025


# ------------------------------------------------------------------------ what counts say


def counts_at_end(f: PairEstimate, end: str, side: str, *, groups: bool = True) -> str:
    """Why counts contradict the side of a fitted ROC near an end, or cannot tell; else ""."""
    # By Fisher's exact test (one-sided, level 0.025) of the scores beyond the 5th, 20th and 100th
    # most extreme score of the class that has the larger share there by the fit.
    evidence, upper = replace(evidence_of_pair(f), grouped=groups), end == "at_one"
    if not all(law.whole for law in evidence.counts):
        return "the counts cannot tell: weights are no numbers of copies"
    larger = int(upper == (side == "below"))
    # Up to the crossing next to the end, or past it where the curve takes the other side there.
    crossings = f.model.diagonal_crossings()
    rates = crossings.far[::-1] if upper else crossings.frr
    first = int(getattr(f.model.ends(), end).side not in (side, "on"))
    scores = evidence.totals[larger] * float([*rates, 1.0, 1.0][first])
    if scores < _EXTREMES[0]:
        many = number(scores, 2)
        words = f"{many} score{'s' * (many != '1')} expected where the fitted ROC"
        return f"the counts cannot tell: {words} is {side} the diagonal"
    places, copies = evidence.counts[larger]._steps
    inside = shifted.between_ends(evidence.fitted[larger], places) | (not evidence.dropped[larger])
    order = slice(None, None, -1 if upper else 1)
    places, beyond = places[inside][order], np.cumsum(copies[inside][order])
    wanted = [k for k in _EXTREMES if k <= scores]
    extremes = places[np.minimum(np.searchsorted(beyond, wanted), places.size - 1)]
    t = thresholds.Thresholds.from_theta(np.nextafter(extremes, -math.inf) if upper else extremes)
    counts, sizes, shares = [], [], []
    for who in (1 - larger, larger):
        shares.append(evidence.observed(who, t, above=upper) / evidence.totals[who])
        sizes.append(np.rint(evidence.effective(who, t, _LEVEL, above=upper)))
        counts.append(np.rint(shares[-1] * sizes[-1]))
    p = [  # of Fisher's one-sided test
        chance_of_as_many(count, size + other, count + extreme, size)
        for count, extreme, size, other in zip(*counts, *sizes, strict=True)
    ]
    k = int(np.argmin(p))
    if p[k] >= _LEVEL:
        return ""
    low, high = (percent(float(e[k])) for e in share_ends(counts[0], sizes[0], _LEVEL))
    more, less = (percent(float(share[k])) for share in shares)
    names, interval = _RATES[end], f"{low.removesuffix(' %')} to {high}"
    words = f"{names[1 - larger]} {more} ({interval}) counted at {names[larger]} {less}"
    return f"{CONTRADICTED} by the scores: {words}"


def poorly_fitted(f: PairEstimate, end: str, *, groups: bool = True) -> str:
    """The class whose counts contradict the family towards an end; or ""."""
    evidence = replace(evidence_of_pair(f), grouped=groups)
    for who, name in enumerate(CLASSES):
        towards = (end == "at_one") == (name == "impostor")
        if misfit_words(evidence, who, LOW_RATE if towards else 1.0 - LOW_RATE):
            return name
    return ""


def counted_hooks(f: PairEstimate, *, groups: bool = True) -> tuple[Hook, ...]:
    """The stretches of a fitted ROC below the diagonal, with what counts say of them."""
    hooks = []
    for hook in hooks_of(f.model, f.client.total_weight, f.impostor.total_weight):
        words = hook.counts
        if hook.seen and hook.end in _RATES:
            words = vocabulary.Sentence(counts_at_end(f, hook.end, "below", groups=groups))
        hooks.append(hook._replace(counts=words))
    return tuple(hooks)


# ------------------------------------------------------------------------ tests of one number
#: Differences smaller than this are corrected as neighbouring ones are.
_NEAR = 0.02
#: How far these neighbours are, in standard errors.
_NEIGHBOUR = 0.1
#: Counts this many standard deviations from their mean have no probability left.
_REACH = 40.0
#: From so many on a hypergeometric number is normal to 1e-5 of its chance.
_DENSE = 1e5

#: Shapes of a fitted beta distribution, or mu and sigma of a normal one, and the trials behind it.
Law = tuple[float, float, float]


class ZTest(NamedTuple):
    """How far the clients' number is above the impostors'."""

    #: Standard normal where they are equal: the quantile of the one-sided p-value.
    z: float
    #: Two-sided.
    p_value: float
    #: How it was found: "likelihood", "wald", "variance ratio", "counts", "score".
    method: str

    def times(self, sign: float) -> ZTest:
        """The same, or that of the impostors over the clients."""
        return self._replace(z=sign * self.z)


def _normal(z: float, method: str) -> ZTest:
    from scipy.special import ndtr

    return ZTest(float(z), float(2.0 * ndtr(-abs(z))), method)


def _from_log_tails(lower: float, upper: float, p: float, method: str) -> ZTest:
    """z from the logs of both tails, with a two-sided p."""
    from scipy.special import ndtri_exp

    z = float(ndtri_exp(lower)) if lower <= upper else -float(ndtri_exp(upper))
    return ZTest(z, min(1.0, p), method)


def wald_test(difference: float, variance: float, freedom: float) -> ZTest:
    """difference / sqrt(variance), by Student's t."""
    from scipy.special import ndtri, stdtr

    t = difference / math.sqrt(variance)
    if not math.isfinite(freedom):
        return _normal(t, "wald")
    one_sided = float(stdtr(freedom, -abs(t)))
    return ZTest(math.copysign(-float(ndtri(one_sided)), t), 2.0 * one_sided, "wald")


def signed_root_test(client: Law, impostor: Law, shared: str) -> ZTest:
    """The modified signed root of the likelihood ratio of a shared shape, "a" or "b".

        r* = r + log(u/r)/r,   r = sign(d) sqrt(2 [l(free) - l(shared)]),
        u = d sqrt(|J(free)| / |J'(shared)|),   d = a_c - a_i

    with J the information in all four shapes, J' that in the three of the tie (Barndorff-Nielsen
    1991).
    """
    laws = _shared_first((client, impostor), shared)
    root, wald = _roots(laws)
    if abs(root) >= _NEAR:
        return _normal(root + math.log(wald / root) / root, "likelihood")
    # The correction is smooth where both roots vanish: the mean of those on either side.
    variance = 0.0  # of the difference of the logs of the shared shape
    for a, b, weight in laws:
        _, of_b, _, det = beta_information(a, b)
        variance += of_b / (det * weight * a * a)
    step = _NEIGHBOUR * math.sqrt(variance)
    for side in (-0.5 * step, 0.5 * step):
        away = zip(laws, (math.exp(side), math.exp(-side)), strict=True)
        r, u = _roots([(a * x, b, w) for (a, b, w), x in away])
        root += 0.5 * math.log(u / r) / r
    return _normal(root, "likelihood")


def _shared_first(laws: Sequence[Law], shared: str) -> list[Law]:
    return [(a, b, w) if shared == "a" else (b, a, w) for a, b, w in laws]


def _roots(laws: list[Law]) -> tuple[float, float]:
    """r and u, of distributions whose first shape is shared."""
    sums = [beta.ClassSums.at(*law) for law in laws]
    result = beta.tied_mle(sums[0], sums[1], "a")
    fall = logs = curvature = 0.0
    for law, s, (a, b) in zip(laws, sums, (result.client, result.impostor), strict=True):
        own_a, own_b, weight = law
        gain = (a - own_a) * s.mean_log + (b - own_b) * s.mean_log1m
        fall += 2.0 * weight * (log_beta_ratio(a, b, own_a, own_b) - gain)
        _, of_b, _, det = beta_information(a, b)
        logs += math.log(beta_information(own_a, own_b)[3]) - math.log(of_b) + math.log(weight)
        curvature += weight * det / of_b
    difference = laws[0][0] - laws[1][0]
    root = math.copysign(math.sqrt(max(fall, 0.0)), difference)
    return root, difference * math.exp(0.5 * (logs - math.log(curvature)))


def variance_ratio_test(client: tuple[float, float], impostor: tuple[float, float]) -> ZTest:
    """The F test of equal variances of normal distributions, each as sigma and its trials."""
    (s_c, n_c), (s_i, n_i) = client, impostor
    d, e = n_c - 1.0, n_i - 1.0
    if min(d, e) <= 0.0:
        raise refusal("weights", "have a total weight above 1 per class", f"{n_c!r} and {n_i!r}")
    # d F / (d F + e) is beta with shapes d/2 and e/2; its logit is a double where F is none.
    log_ratio = 2.0 * (math.log(s_c) - math.log(s_i)) + math.log(n_c) - math.log(n_i)
    at = thresholds.Thresholds.from_logit(np.array([log_ratio]))
    lower, upper = (float(tail(0.5 * d, 0.5 * e, at)[1][0]) for tail in (beta_lower, beta_upper))
    return _from_log_tails(lower, upper, 2.0 * math.exp(min(lower, upper)), "variance ratio")


def pooled_t_test(client: Law, impostor: Law) -> ZTest:
    """Student's test of equal means under one variance."""
    (mu_c, s_c, n_c), (mu_i, s_i, n_i) = client, impostor
    freedom = n_c + n_i - 2.0
    variance = (n_c * s_c * s_c + n_i * s_i * s_i) / freedom
    return wald_test(mu_c - mu_i, variance * (1.0 / n_c + 1.0 / n_i), freedom)


def fisher_midp(client: tuple[int, int], impostor: tuple[int, int]) -> ZTest:
    """Fisher's test of equal shares with half the probability of what was seen (mid-p)."""
    # See Lancaster (1961); Hirji, Tan and Elashoff (1991).
    (c, n_c), (i, n_i) = client, impostor
    k, p = hypergeometric(n_c + n_i, c + i, n_c)
    if not k[0] <= c <= k[-1]:
        return ZTest(-math.inf if c < k[0] else math.inf, 0.0, "counts")
    chance = p[k == c][0]
    alike = np.isclose(p, chance, rtol=1e-7, atol=0.0)
    two = float(np.sum(p[(p < chance) & ~alike]) + 0.5 * np.sum(p[alike]))
    with np.errstate(divide="ignore"):
        lower, upper = (float(np.log(np.sum(p[side]) + 0.5 * chance)) for side in (k < c, k > c))
    return _from_log_tails(lower, upper, two, "counts")


def chance_of_as_many(count: float, total: float, marked: float, drawn: float) -> float:
    """P(X >= count) of a hypergeometric number, or nearly."""
    from scipy.special import ndtr

    mean, spread = _moments(total, marked, drawn)
    if spread > _DENSE:
        return float(ndtr((mean - count + 0.5) / spread))
    k, p = hypergeometric(total, marked, drawn)
    return float(np.sum(p[k >= count]))


def _moments(total: float, marked: float, drawn: float) -> tuple[float, float]:
    mean = marked * drawn / total
    variance = mean * (1.0 - drawn / total) * (total - marked) / max(total - 1.0, 1.0)
    return mean, math.sqrt(variance)


def hypergeometric(total: float, marked: float, drawn: float) -> tuple[FloatArray, FloatArray]:
    """Numbers near the mean, and their probabilities; without the slow import of scipy.stats."""
    mean, spread = _moments(total, marked, drawn)
    low = max(0, marked + drawn - total, math.floor(mean - _REACH * spread - _REACH))
    high = min(marked, drawn, math.ceil(mean + _REACH * spread + _REACH))
    k = np.arange(low, high + 1.0)
    rise = (marked - k) * (drawn - k) / ((k + 1.0) * (total - marked - drawn + k + 1.0))
    logs = np.concatenate([[0.0], np.cumsum(np.log(rise[:-1]))])
    p = np.exp(logs - np.max(logs))
    return k, p / np.sum(p)


# ------------------------------------------------------------ trials that depend on groups
def score_test(parts: Sequence[FloatArray], groups: Groups) -> ZTest:
    """z of parts of each trial at the number that both classes share (Boos 1992)."""
    client, impostor = (part[rows] for part, rows in zip(parts, groups.rows, strict=True))
    copies = _copies(groups)
    difference = float(client @ copies[0]) - float(impostor @ copies[1])
    columns = np.concatenate([client, -impostor])[:, None]
    variance = float(ensure_psd(*groups.meat(columns))[0, 0])
    return _normal(difference / math.sqrt(variance) if variance > 0.0 else 0.0, "score")


def _copies(groups: Groups) -> tuple[FloatArray, FloatArray]:
    copies, cut = groups.copies * groups.multiplicity[groups.first], groups.rows[0].size
    return copies[:cut], copies[cut:]


def share_parts(
    marks: Sequence[FloatArray], weights: Sequence[float], groups: Groups
) -> list[FloatArray]:
    """(x - p)/n of each row, x whether it is counted, p the pooled share."""
    rows = zip(marks, groups.rows, _copies(groups), strict=True)
    pooled = math.fsum(float(x[row] @ copies) for x, row, copies in rows) / math.fsum(weights)
    return [(x - pooled) / n for x, n in zip(marks, weights, strict=True)]


def _shape_parts(
    laws: Sequence[Law], shared: str, scores: Sequence[FloatArray]
) -> list[FloatArray]:
    """[s_a - s_b I_ab/I_bb] / (n [I_aa - I_ab^2/I_bb]) of each trial, at the shared shape."""
    sums = [beta.ClassSums.at(*law) for law in _shared_first(laws, shared)]
    result, parts = beta.tied_mle(sums[0], sums[1], "a"), []
    for s, (a, b), each in zip(sums, (result.client, result.impostor), scores, strict=True):
        score = each if shared == "a" else each[:, ::-1]
        away = score + np.subtract(s[1:], beta.ClassSums.at(a, b, s[0])[1:])
        _, of_b, coupling, det = beta_information(a, b)
        part = (away[:, 0] + coupling / of_b * away[:, 1]) / (s[0] * det / of_b)
        parts.append(np.nan_to_num(part))
    return parts


# ------------------------------------------------------------------------ what is said of a shape
_QUADRANTS = {"U": (-1, -1), "reverse-J": (-1, 1), "J": (1, -1), "bell": (1, 1)}
_SHAPES = {
    "proper": (1, 1), "hook-at-one": (1, -1), "hook-at-zero": (-1, 1), "below": (-1, -1),
}  # fmt: skip
#: Of tails of an order: whether a larger exponent, or width, of clients lifts the lower end.
_LIFTS: dict[float, float] = {1: 1.0, 2: -1.0}
_MASS_SIGNS = {"at_zero": -1.0, "at_one": 1.0}
#: Beyond this concentration the likelihood of a tie cancels too many digits.
_CONCENTRATED = 1e8
#: How far along the edge of the hypothesis the worst case of "no crossing" is looked for.
_ALONG = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
#: Departures beyond this have no probability left in doubles.
_FARTHEST = 37.0
_NOTHING = 1e-150
#: Of the thresholds, whatever the scale of the scores.
_ENDS = ("low", "high")


def p_words(p: float) -> str:
    """A p-value."""
    return f"p = {number(p, 2)}" if p > 0.0 else "p below 1e-300"


class EndTest(NamedTuple):
    """Whether a ROC is above, on or below the diagonal near one end."""

    #: "above", "below" or "cannot tell" at the level asked for; "contradicted" where counts of
    #: the scores exclude the side that the fit has.
    side: str
    #: Standard normal where the curve lies on the diagonal; positive above. Nan, as is the
    #: p-value, where the side is contradicted or a class does not follow the family.
    z: float
    #: Two-sided, of the curve lying on the diagonal there.
    p_value: float
    #: "likelihood" (shapes), "variance ratio" (spreads), "counts" (masses); with groups "score";
    #: "wald" of scores in cells.
    method: str
    #: What the side rests on, or what contradicts it; empty where it cannot be told by the test.
    note: str = ""

    def __str__(self) -> str:
        if math.isnan(self.p_value):
            return self.note
        of = " the side of" if self.side == CANNOT_TELL else ""
        note = f" {vocabulary.template_of(self.note)}" if self.note else ""
        text = f"{self.side}{of} the diagonal{note} (p = {self.p_value:.2g}, by {self.method})"
        return vocabulary.Sentence(text)


class EndTests(NamedTuple):
    """Both ends, named by the threshold."""

    at_zero: EndTest
    at_one: EndTest

    def __str__(self) -> str:
        return "\n".join(f"at the {_ENDS[k]} end {test}" for k, test in enumerate(self))


@dataclass(frozen=True, eq=False, repr=False)
class CurveTest(Exportable):
    """How likely each shape of the whole ROC is, and what the fitted one has below the diagonal.

    Made by `Fit.curve_test`.

    Parameters
    ----------
    probabilities : dict
        "proper", "hook-at-one", "hook-at-zero", "below": they add up to 1. Empty with point masses.
    hooks : tuple of Hook
        Every stretch of the fitted ROC below the diagonal.
    p_proper, p_no_crossing : float
        p-values of the curve being above the diagonal at both ends, and of both ends on one side.
    level : float
        Confidence of the words in `finding`.
    where_seen : dict
        The same probabilities of two normal distributions where there are scores; else empty.
    contradiction : str
        Why there is no answer; then there are no probabilities, and p-values are nan.

    Examples
    --------
    >>> import betaroc as br
    >>> round(br.fit(br.datasets.load_liveness().dev).curve_test().probabilities["proper"], 3)
    1.0
    """

    probabilities: dict[str, float]
    hooks: tuple[Hook, ...]
    p_proper: float
    p_no_crossing: float
    level: float = 0.95
    where_seen: dict[str, float] = field(default_factory=dict)
    contradiction: str = ""

    @property
    def finding(self) -> str:
        """The finding on the curve below the diagonal, in words."""
        visible = [hook for hook in self.hooks if hook.seen]
        counts = "".join(f"; {hook.counts}" for hook in visible if hook.counts)
        if self.contradiction:
            return self.contradiction
        if not self.hooks:
            return "no part of the fitted ROC is below the diagonal"
        if not visible:
            return "below the diagonal only where less than one score is expected: no finding"
        if all(hook.end == "between" for hook in visible):
            return (
                "below the diagonal between two crossings, which the tests of the ends do not see"
            )
        if self.p_proper > 1.0 - self.level:
            return f"below the diagonal where scores are, but not beyond chance{counts}"
        holds = "if each class follows its fitted distribution"
        return f"below the diagonal where scores are, and beyond chance {holds}{counts}"

    def __str__(self) -> str:
        lines = [self.finding]
        likely = [f"{k} {v:.3f}" for k, v in self.probabilities.items() if v >= 0.0005]
        if likely:
            lines.append(f"probability: {', '.join(likely)}")
        if not self.contradiction:
            lines.append(
                f"p of a proper curve {self.p_proper:.2g}, of no crossing {self.p_no_crossing:.2g}"
            )
        return "\n".join([*lines, *map(str, self.hooks)])


def untested_ends(f: PairEstimate) -> str:
    """Why the ends of a fit are not tested; "" if they are."""
    row = FAMILIES[f.family] if isinstance(f.family, str) else None
    if row is not None and row.of_density:
        laws = (base_of(f.client.distribution), base_of(f.impostor.distribution))
        if row.decides or all(tail.order in _LIFTS for law in laws for tail in law._tails()):
            return ""
    decided = checks.format_list([name for name, row in FAMILIES.items() if row.decides])
    family = in_classes(f.family) + (f", {f.reason}" if f.reason else "")
    return (
        f"the ends are tested of fits of family {decided} and of others with one density per class"
        f" and tails that are powers or Gaussians; this one is of family {family}"
    )


def shape_probabilities(f: PairEstimate, *, groups: bool = True) -> dict[str, dict[str, float]]:
    """Probability of each shape of both distributions; `Fit.shape_probabilities` documents it."""
    if not has_shapes(f.family):
        raise InputError(
            "shapes are those of beta distributions; this fit is of family"
            f' {in_classes(f.family)}. Fit family="beta".'
        )
    f = f._told_scored("a probability of shapes")
    covariance, start, answer = _covariance(f, groups=groups), 0, {}
    for who, result in (("client", f.client), ("impostor", f.impostor)):
        shapes = np.array(result.values[:2])
        cov = covariance[start : start + 2, start : start + 2] / np.outer(shapes, shapes)
        errors = np.sqrt(np.maximum(np.diag(cov), 0.0))
        if not np.all(errors > 0.0):
            actual = f"{who}s with a={shapes[0]:g}, b={shapes[1]:g}"
            raise refusal("f", "have variances of its shapes that are not lost in rounding", actual)
        z = (np.log(shapes) / errors).tolist()
        answer[who] = quadrant_shares(z, cov[0, 1] / math.sqrt(cov[0, 0] * cov[1, 1]))
        start += len(result.names)
    return answer


def _covariance(f: PairEstimate, *, groups: bool) -> FloatArray:
    covariance = joint_cov(f, groups=groups)
    if not np.all(np.isfinite(covariance)):
        actual = f"{f.client.distribution!r:.50} and {f.impostor.distribution!r:.50}"
        raise refusal("f", "have a finite covariance of its parameters", actual)
    return covariance


# ------------------------------------------------------------------------------ the ends
#: A difference of the distributions, and its gradient by all parameters, the clients' first.
_Contrast = tuple[float, FloatArray]


@dataclass(frozen=True)
class FittedEnds:
    """A fit whose ends can be tested."""

    fit: PairEstimate
    covariance: FloatArray
    #: What trials depend on, where that is to count.
    groups: Groups | None

    @classmethod
    def of(cls, f: PairEstimate, *, groups: bool) -> FittedEnds:
        if why := untested_ends(f):
            raise InputError(f"{why}. Fit one of these, or look at model.ends().")
        f = f._told_scored("a test of the ends")
        result = groups_of(f.scores) if checks.flag(groups, "groups") else None
        return cls(f, _covariance(f, groups=groups), result)

    @property
    def _results(self) -> tuple[Estimate, Estimate]:
        return self.fit.client, self.fit.impostor

    def tests(self, level: float) -> EndTests:
        """Both ends at a level, where the scores do not contradict them."""
        return EndTests(*(self._judged(end, level) for end in MASSES))

    def _judged(self, end: str, level: float) -> EndTest:
        test, groups = self.test(end), self.groups is not None
        if test.p_value > 1.0 - level:
            return EndTest(CANNOT_TELL, *test)
        side = "above" if test.z > 0.0 else "below"
        if self._has_mass(end) or self.fit.scores is None:  # counts themselves; expected fits
            return EndTest(side, *test)
        sentence, family = vocabulary.Sentence, f"one {self.fit.client.family} distribution"
        silent = EndTest(CANNOT_TELL, math.nan, math.nan, test.method)
        counts = counts_at_end(self.fit, end, side, groups=groups)
        if counts.startswith(CONTRADICTED):
            return silent._replace(side=CONTRADICTED, note=sentence(counts))
        if who := poorly_fitted(self.fit, end, groups=groups):
            many = vocabulary.members(who)
            note = f"the family does not describe these {many}: {side} the diagonal only if the"
            return silent._replace(note=sentence(f"{note} {many} follow {family}"))
        note = f"if the {vocabulary.CLIENTS} follow {family}, the {vocabulary.IMPOSTORS} another"
        return EndTest(side, *test, sentence(note + (counts and f"; {counts}")))

    def curve(self, level: float) -> CurveTest:
        """The shape of the whole curve at a level."""
        hooks = counted_hooks(self.fit, groups=self.groups is not None)
        tests, against = self.tests(level), {h.end: h.counts for h in hooks if h.contradicted}
        notes = {
            name: test.note if math.isnan(test.p_value) else against.get(end, "")
            for name, end, test in zip(_ENDS, MASSES, tests, strict=True)
        }
        parts = (f"at the {k} end {vocabulary.template_of(x)}" for k, x in notes.items() if x)
        if words := vocabulary.Sentence("; ".join(parts)):
            return CurveTest({}, hooks, math.nan, math.nan, level, contradiction=words)
        masses = any(map(self._has_mass, MASSES))
        if not masses and {name for name, _ in self._rule.values()} == {"sigma"}:
            return self._curve_of_spreads(hooks, level)
        z = [test.z for test in tests]
        rho = self._correlation(*(self._deciding(end)[1] for end in MASSES))
        shares = {} if masses else quadrant_shares(z, rho, _SHAPES)
        return CurveTest(shares, hooks, _p_both_above(z, rho), _p_same_side(z, rho), level)

    def test(self, end: str) -> ZTest:
        """How far the curve is above the diagonal there."""
        if self._has_mass(end):
            return self._mass_test(end)
        name, sign = self._rule.get(end, ("", 1.0))
        values, weights = [r.params for r in self._results], [*map(inner_trials, self._results)]
        # Where the estimates do not determine the likelihood, or its digits are gone.
        sums = (v.get("a", 0.0) + v.get("b", 0.0) for v in values)
        if not name or any(map(in_cells, self._results)) or max(sums) > _CONCENTRATED:
            return self._by_errors(self._deciding(end))
        if name == "sigma":
            spreads = [(v["sigma"], w) for v, w in zip(values, weights, strict=True)]
            if self.groups is None:
                return variance_ratio_test(*spreads).times(sign)
            squares = [1.0 + v["sigma"] * self._scores(k)[:, 1] for k, v in enumerate(values)]
            shared = math.fsum(n * s * s for s, n in spreads) / math.fsum(n for _, n in spreads)
            parts = [  # (z^2 - 1)/(2 n) of each trial, at the shared sigma
                np.nan_to_num((z * s * s / shared - 1.0) / (2.0 * n))
                for z, (s, n) in zip(squares, spreads, strict=True)
            ]
        else:
            laws = [(v["a"], v["b"], w) for v, w in zip(values, weights, strict=True)]
            if self.groups is None:
                return signed_root_test(laws[0], laws[1], name).times(sign)
            parts = _shape_parts(laws, name, [self._scores(k) for k in (0, 1)])
        return score_test(parts, self.groups).times(sign)

    def _scores(self, k: int) -> FloatArray:
        """Each score's derivatives by both parameters; nan on the ends."""
        result, who = self._results[k], CLASSES[k]
        x, weights = getattr(self.fit.scores, who), getattr(self.fit.scores, f"{who}_weights")
        answer = np.array(observation_scores(result, x, weights)[:, :2])
        if result.boundary is not None and result.boundary.policy != "squeeze":
            answer[~shifted.between_ends(result.distribution, x)] = np.nan
        return answer

    def _mass_test(self, end: str) -> ZTest:
        sign, weights = _MASS_SIGNS[end], [r.total_weight for r in self._results]
        if self.groups is not None:
            place = float(MASSES.index(end))
            values = (getattr(self.fit.scores, who) for who in CLASSES)
            marks = [(x == place).astype(np.float64) for x in values]
            return score_test(share_parts(marks, weights, self.groups), self.groups).times(sign)
        shares = (r.params.get(end, 0.0) for r in self._results)
        numbers = [n for p, total in zip(shares, weights, strict=True) for n in (p * total, total)]
        if max(abs(n - round(n)) for n in numbers) > 1e-6:
            raise refusal("weights", "be whole numbers of copies", checks.format_list(numbers))
        client, total, impostor, other = map(round, numbers)
        return fisher_midp((client, total), (impostor, other)).times(sign)

    def _has_mass(self, end: str) -> bool:
        return any(r.params.get(end, 0.0) > 0.0 for r in self._results)

    @property
    def _rule(self) -> dict[str, tuple[str, float]]:
        return dict(FAMILIES[self.fit.client.family].decides or {})

    def _deciding(self, end: str) -> _Contrast:
        if self._has_mass(end):
            return self._contrast(end, _MASS_SIGNS[end])
        if self._rule:
            return self._contrast(*self._rule[end])
        which = MASSES.index(end)
        first, second = (r.distribution._tails()[which].order for r in self._results)
        if first != second:
            actual = f"orders {first:g} and {second:g} {end}"
            raise refusal("f", "have tails of one kind", actual, "Look at model.ends().")

        def of(law: base.Distribution) -> FloatArray:
            tail = law._tails()[which]
            return np.asarray(np.log(tail.rate if tail.order == 1 else tail.width))

        side, difference, gradient = _LIFTS[first] * (1.0 - 2.0 * which), 0.0, []
        for result, sign in zip(self._results, (side, -side), strict=True):
            law = result.distribution
            names = [p.name for p in law._parameters()]
            rates = law._differences(of, ())[[names.index(name) for name in result.names]]
            difference += sign * float(of(law))
            gradient.append(sign * rates)
        return difference, np.concatenate(gradient)

    def _contrast(self, parameter: str, sign: float, *, log: bool | None = None) -> _Contrast:
        log, difference = parameter not in (*MASSES, "mu") if log is None else log, 0.0
        gradient = []
        for result, side in zip(self._results, (sign, -sign), strict=True):
            value = result.params.get(parameter, 0.0)
            slope = side / value if log else side
            gradient.append(slope * (np.array(result.names, dtype=object) == parameter))
            difference += side * (math.log(value) if log else value)
        return difference, np.concatenate(gradient)

    def _correlation(self, left: FloatArray, right: FloatArray) -> float:
        errors = [math.sqrt(float(g @ self.covariance @ g)) for g in (left, right)]
        covariance = float(left @ self.covariance @ right)
        # One by one: the product of two small variances is no double.
        return max(-1.0, min(1.0, covariance / errors[0] / errors[1]))

    def _by_errors(self, contrast: _Contrast) -> ZTest:
        difference, gradient = contrast
        sizes = [] if self.groups is None else [n for n in self.groups.sizes if n is not None]
        freedom = min(sizes, default=math.inf) - 1.0  # of the class with fewer groups
        return wald_test(difference, float(gradient @ self.covariance @ gradient), freedom)

    def _curve_of_spreads(self, hooks: tuple[Hook, ...], level: float) -> CurveTest:
        from scipy.special import chdtrc, ndtr, ndtri

        spread, means = self.test("at_one"), self._contrast("mu", 1.0)
        widths = self._contrast("sigma", 1.0, log=False)
        if self.groups is None:
            laws = [(r.params["mu"], r.params["sigma"], r.total_weight) for r in self._results]
            z, rho = pooled_t_test(laws[0], laws[1]).z, 0.0
        else:
            z = self._by_errors(means).z
            rho = self._correlation(means[1], self._contrast("sigma", 1.0)[1])
        beyond = z - rho * max(-_FARTHEST, min(_FARTHEST, spread.z))
        p = spread.p_value
        if beyond < 0.0:
            p = float(chdtrc(2.0, spread.z**2 + beyond**2 / (1.0 - rho**2)))
        less, more = float(ndtr(-spread.z)), float(ndtr(spread.z))
        shares = {"proper": 0.0, "hook-at-one": less, "hook-at-zero": more, "below": 0.0}
        # Where scores are: mu + u sigma of the clients less that of the impostors, u to the last.
        reach = max(-float(ndtri(1.0 / max(r.total_weight for r in self._results))), 0.0)
        pair = [(means[0] + u * widths[0], means[1] + u * widths[1]) for u in (-reach, reach)]
        ends = [d / math.sqrt(float(g @ self.covariance @ g)) for d, g in pair]
        seen = quadrant_shares(ends, self._correlation(pair[0][1], pair[1][1]), _SHAPES)
        return CurveTest(shares, hooks, p, spread.p_value, level, seen)


# ------------------------------------------------------------------------ of two normal numbers
def _p_both_above(z: list[float], correlation: float) -> float:
    """P(min(N_1, N_2) <= min(z)): largest, of all curves above at both ends, for the diagonal."""
    from scipy.special import ndtr

    least, alone = min(z), float(ndtr(min(z)))
    return min(max(2.0 * alone - _both_below(least, least, correlation), alone), 1.0)


def _p_same_side(z: list[float], correlation: float) -> float:
    """Largest chance of ends this far on opposite sides."""
    from scipy.special import ndtr

    far = max(min(z[0], -z[1]), min(-z[0], z[1]))
    if far <= 0.0:
        return 1.0
    alone = float(ndtr(-far))
    chances = (
        _both_below(d - far, -far, -correlation) + _both_below(-d - far, -far, -correlation)
        for d in _ALONG
    )
    return min(max(alone, *chances), 2.0 * alone)


def quadrant_shares(
    z: list[float], correlation: float, quadrants: dict[str, tuple[int, int]] = _QUADRANTS
) -> dict[str, float]:
    """P(N_1 + z_1 and N_2 + z_2 have these signs)."""
    return {
        name: _both_below(one * z[0], two * z[1], one * two * correlation)
        for name, (one, two) in quadrants.items()
    }


def _both_below(x: float, y: float, correlation: float) -> float:
    """P(N_1 <= x, N_2 <= y) of two standard normal numbers, by Owen's function."""
    from scipy.special import ndtr, owens_t

    correlation = max(-1.0, min(1.0, correlation))  # rounding leaves more
    rest = math.sqrt((1.0 - correlation) * (1.0 + correlation))
    if rest == 0.0:
        equal = correlation > 0.0
        return float(ndtr(min(x, y)) if equal else max(ndtr(y) - ndtr(-x), 0.0))
    # 0 is on the positive side of both: any tiny number stands for it.
    at = [max(-_FARTHEST, min(_FARTHEST, v)) or _NOTHING for v in (x, y)]
    total = -0.5 * (at[0] * at[1] < 0.0)
    for first, second in (at, at[::-1]):
        slope = (second - correlation * first) / rest / first
        total += 0.5 * ndtr(first) - owens_t(first, slope)
    return float(min(max(total, 0.0), 1.0))
