"""Fits with tails of few extreme scores at their ends, and what a fit depends on there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, cast

import numpy as np

from betaroc.core import checks, tables
from betaroc.core.arrays import CLASSES, BoolArray, FloatArray
from betaroc.core.errors import BetarocError, refusal
from betaroc.core.notices import Notice, suppress_warnings
from betaroc.core.text import format_value, sentence
from betaroc.core.thresholds import Coordinate, Thresholds, softplus
from betaroc.core.vocabulary import CLIENT, IMPOSTOR, capital, worded
from betaroc.data import summary, sums
from betaroc.data.groups import Groups, ensure_psd, groups_of, weights_of
from betaroc.data.scores import ScoreData, Scores, require_scores
from betaroc.distributions import base, beta, inflated, shifted
from betaroc.distributions.spliced import Spliced
from betaroc.estimation import contract, families, tails as tail_estimates
from betaroc.estimation.estimate import Estimate, Options, PairEstimate, estimate_pair
from betaroc.estimation.tails import SIZES, TailFit, TailScores, fit_tails
from betaroc.inference import delta, scores_beyond
from betaroc.rendering.nouns import Readable
from betaroc.rendering.numbers import counted, number
from betaroc.rendering.tree import Bullets, Grid, Node, Paragraph, Row

#: The ends that FRR and FAR rest on.
ENDS = {"client": "lower", "impostor": "upper"}
#: Shapes nearer to -1 have no information to speak of.
_REGULAR = -0.4
#: A tail of a summary looks at twice as many scores as it has, for ties.
_MOST_OF_SUMMARY = 400
_SIDES: dict[str, tuple[str, ...]] = {
    "lower": ("lower",), "upper": ("upper",), "both": ("lower", "upper"),
}  # fmt: skip


# ------------------------------------------------------------------------ what is asked for
class TailRequest(NamedTuple):
    """Which ends of which class have tails, of how many scores, on which coordinate."""

    client: tuple[str, ...]
    impostor: tuple[str, ...]
    sizes: tuple[int, ...] = SIZES
    bounds: tuple[float, float] | None = None

    @classmethod
    def of(
        cls, tails: str | Mapping[str, str] | None, sizes: int | Sequence[int] | None = None,
        bounds: tuple[float, float] | None = None,
    ) -> TailRequest | None:  # fmt: skip
        """What was asked for, checked: one word for both classes, a word per class, or nothing."""
        if tails is None:
            if sizes is None:
                return None
            remedy = worded('Say `tails="both"`, or leave it out.')
            raise refusal(
                "tail_sizes", "stand beside tails", f"{format_value(sizes)} alone", remedy
            )
        value = tails if isinstance(tails, Mapping) else dict.fromkeys(CLASSES, tails)
        valid = all(isinstance(word, str) and word in _SIDES for word in value.values())
        if not value or not valid or not {*value} <= {*CLASSES}:
            rule = 'be "both", "upper", "lower" or a dict of "client" and "impostor" with these'
            raise refusal("tails", rule, format_value(tails), "Give one, or leave it out.")
        if sizes is not None:
            sizes = checks.counts(sizes, "tail_sizes", tail_estimates.FEWEST_BEYOND)
        client, impostor = (_SIDES[value[who]] if who in value else () for who in CLASSES)
        return cls(client, impostor, sizes or SIZES, bounds)


def sides_of(pair: PairEstimate) -> dict[str, str] | None:
    """The ends of a fit that have tails, as they are asked for."""
    words = {sides: word for word, sides in _SIDES.items()}
    sides = {who: tuple(tail.side for tail in getattr(pair, who).tails) for who in CLASSES}
    return {who: words[has] for who, has in sides.items() if has} or None


def check_tails(pair: PairEstimate, noun: str) -> None:
    """Refuse a fit with tails."""
    if pair.client.tails or pair.impostor.tails:
        remedy = worded("Fit the scores without `tails=`.")
        raise refusal("f", f"be without tails for {noun}", "tails", remedy)


# ------------------------------------------------------------------------ fits with tails
def with_tails(pair: PairEstimate, request: TailRequest) -> tuple[PairEstimate, list[Notice]]:
    """A pair with tails of its most extreme scores, and notices."""
    if isinstance(pair.scores, summary.ScoreSummary) and max(request.sizes) > _MOST_OF_SUMMARY:
        rule = f"be at most {_MOST_OF_SUMMARY} of a summary, which keeps {sums.KEPT} extreme scores"
        raise refusal("tail_sizes", rule, str(max(request.sizes)), "Fit the scores.")
    (client, first), (impostor, second) = (_class_with_tails(pair, who, request) for who in CLASSES)
    model = replace(pair.model, client=client.distribution, impostor=impostor.distribution)
    return replace(pair, model=model, client=client, impostor=impostor), first + second


def unit_range(scores: ScoreData) -> tuple[float, float] | None:
    """[0, 1] where the scores of both classes lie in it."""
    lows, highs = zip(*(scores._extremes(who) for who in CLASSES), strict=True)
    return (0.0, 1.0) if min(lows) >= 0.0 and max(highs) <= 1.0 else None


def _class_with_tails(
    pair: PairEstimate, who: str, request: TailRequest
) -> tuple[Estimate, list[Notice]]:
    estimate, scores, sides = getattr(pair, who), pair.scores, getattr(request, who)
    if not sides:
        return estimate, []
    body = estimate.distribution
    bounds = None if body.on_unit else request.bounds or unit_range(scores)
    coordinate = Coordinate(bounds, body.on_unit)
    samples = {side: tail_scores(scores, who, estimate, coordinate, side) for side in sides}
    fitted = [fit_tails(samples[side], side, request.sizes) for side in sides]
    law = Spliced(body, bounds=coordinate.bounds, **{item.side: item.tail() for item in fitted})
    likelihood = _log_likelihood(estimate, law, samples)
    result = replace(estimate, distribution=law, tails=tuple(fitted), log_likelihood=likelihood)
    if estimate.names:  # mass, shape and scale of each tail: blocks, as if independent
        parameters = {p.name: p.value for p in law._parameters()}
        names = (*estimate.names, *(n for n in parameters if n not in estimate.names))
        blocks = [np.mean([_tail_covariance(fit) for fit in item.fits], axis=0) for item in fitted]
        cov = delta.block_diag(estimate.cov, *blocks)
        result = replace(result, names=names, values=tuple(parameters[n] for n in names), cov=cov)
    bounded = coordinate.on_unit or coordinate.bounds is not None
    steep = (tail_estimates.steep_tails(who, item, bounded=bounded) for item in fitted)
    return result, [notice for notices in steep for notice in notices]


def tail_scores(
    scores: ScoreData, who: str, estimate: Estimate, coordinate: Coordinate, side: str
) -> TailScores:
    """The scores that the fit took, where tails are straight; of a summary those of a side."""
    weights, total, groups, design = None, None, None, None
    if isinstance(scores, summary.ScoreSummary):
        item, total = getattr(scores, who), estimate.total_weight
        values = item.highest if side == "upper" else item.lowest
    else:
        rows = require_scores(scores, "a tail")
        values, weights = getattr(rows, who), getattr(rows, f"{who}_weights")
        groups = groups_of(rows)
    keep = delta.undropped(estimate, values)
    values, weights = values[keep], None if weights is None else weights[keep]
    if coordinate.bounds is not None:
        families.check_within(who, values, coordinate.bounds)
    which = CLASSES.index(who)
    if groups is not None:
        design = partial(_design_effect, groups, which, keep)
    y = coordinate.of(Thresholds.from_theta(values))
    return TailScores(who, y, weights, design, total)


def _design_effect(groups: Groups, which: int, keep: BoolArray, beyond: BoolArray) -> float:
    """Variance of the share beyond over that of independent scores; at least 1."""
    if (groups.sizes[which] or 0) < 2:
        return 1.0
    every = np.zeros((keep.size, 1))
    every[keep, 0] = beyond
    n = float(np.sum(np.split(groups.copies, [groups.rows[0].size])[which]))
    (share,), (variance,) = scores_beyond.grouped_share(groups, which, every[groups.rows[which]], n)
    return max(1.0, float(variance * n / (share * (1.0 - share))))


def _log_likelihood(estimate: Estimate, law: Spliced, samples: Mapping[str, TailScores]) -> float:
    """That of the body, rescaled between the joints and replaced beyond."""
    result, inner = estimate.log_likelihood, estimate.total_weight
    if math.isnan(result):  # a body of counts has no density
        return result

    def gain(t: Thresholds) -> FloatArray:
        return law._log_likelihood(t) - law.body._log_likelihood(t)

    for side, item in samples.items():
        sign, joint = 1.0 if side == "upper" else -1.0, getattr(law, side).joint
        out = sign * item.places > sign * joint
        each = gain(law.coordinate.place(item.places[out]))
        weights = np.ones(each.size) if item.weights is None else item.weights[out]
        result += math.fsum((weights * each).tolist())
        inner -= float(np.sum(weights))
    middle = law._lower_quantile(np.array([0.5]), np.log([0.5]))
    return result + inner * float(gain(middle)[0])


def _tail_covariance(fit: TailFit) -> FloatArray:
    """Of mass, shape and scale: (1 + c)/k ((1 + c, -s), (-s, 2 s^2)) with the penalty of c."""
    k, room = fit.k / fit.design_effect, 1.0 + max(fit.shape, _REGULAR)
    cov = np.array([[room, -fit.scale], [-fit.scale, 2.0 * fit.scale * fit.scale]]) * room / k
    information = np.linalg.inv(cov)
    information[0, 0] += tail_estimates.PRIOR_DEVIATION**-2
    result = np.zeros((3, 3))
    result[0, 0] = fit.mass * (1.0 - fit.mass) / fit.n
    result[1:, 1:] = np.linalg.inv(information)
    return result


def tails_again(
    estimate: Estimate, body: base.Distribution, values: FloatArray, weights: FloatArray | None
) -> base.Distribution:
    """Another body with the tails that an estimate has, of other scores."""
    if not estimate.tails:
        return body
    law = cast(Spliced, inflated.base_of(estimate.distribution))
    y, fitted = law.coordinate.of(Thresholds.from_theta(values)), {}
    for item in estimate.tails:

        def effect(_beyond: BoolArray, design_effect: float = item.fits[0].design_effect) -> float:
            return design_effect  # that of the fit: groups are not at hand

        sample = TailScores(estimate.family, y, weights, effect)
        fitted[item.side] = fit_tails(sample, item.side, item.sizes).tail()
    return Spliced(body, bounds=law.bounds, **fitted)


def tail_of(
    body: base.Distribution, who: str, values: FloatArray, weights: FloatArray | None,
    bounds: tuple[float, float] | None,
) -> Spliced:  # fmt: skip
    """A distribution with the tail that its class's rate rests on."""
    coordinate = Coordinate(None if body.on_unit else bounds, body.on_unit)
    y = coordinate.of(Thresholds.from_theta(values))
    item = fit_tails(TailScores(who, y, weights), ENDS[who])
    return Spliced(body, bounds=coordinate.bounds, **{item.side: item.tail()})


# ------------------------------------------------------------------------ the audit of the ends
_EPSILONS = (1e-3, 1e-6, 1e-9, 1e-12)
#: Share of the scores whose part of a statistic is stated.
_SMALLEST = 0.01
#: Errors beyond which extreme scores do not follow the distribution.
_FAR = 3.0
#: Steps of a mean over quantiles.
_STEPS = 1000
#: A share of the sums that fit the distributions, carried by the extreme 1 % of a class: of a pure
#: power tail it is 0.01 (1 + log 100) = 5.6 %.
_CARRIED = 0.1
#: Relative change of a shape by another rule that is worth a table.
_MOVED = 0.1
#: How near to 0 or 1 a score is within reach of the usual rules.
_REACH = 1e-3


class PolicyRow(NamedTuple):
    """The fit under one rule for scores near 0 and 1."""

    #: Name of the rule, with its edge where it has one.
    policy: str
    #: Shapes of both distributions.
    client_a: float
    client_b: float
    impostor_a: float
    impostor_b: float
    #: Exponents of the ROC at both ends, nan where point masses decide.
    exponent_at_zero: float
    exponent_at_one: float
    auc: float


class TailCheck(NamedTuple):
    """One end of one class: what its most extreme scores say without the rest."""

    #: "client" or "impostor"; "at_zero" or "at_one".
    who: str
    end: str
    #: The fitted exponent of the tail: a at zero, b at one.
    fitted: float
    #: Hill's estimate from the most extreme scores (nan where they are equal), the number of
    #: these, and its distance in its errors.
    hill: float
    scores: int
    z: float
    #: Share of the sum of log s (or log(1 - s)) that the extreme 1 % of the scores carry.
    carried: float
    #: Hill's exponent that the fitted distribution itself has over the same share of scores.
    expected: float

    @property
    def far(self) -> bool:
        """Whether Hill's exponent is more than 3 errors from the fitted one."""
        return abs(self.z) > _FAR

    @property
    def departs(self) -> bool:
        """Whether it is that far from what the fitted distribution has over this share, too."""
        gap = abs(self.hill - self.expected) / self.expected
        return self.far and abs(self.z) * gap > _FAR * abs(self.hill - self.fitted) / self.fitted


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(tables.Tabular, Readable):
    """What moves when the rule for the ends does.

    Made by `Fit.sensitivity`.

    Parameters
    ----------
    policies : tuple of PolicyRow
        The fit as it is, then under other rules.
    refused : tuple of str
        Rules under which these scores have no fit, with the reason.
    tails : tuple of TailCheck
        Both ends of both classes.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> fit = br.fit(br.datasets.load_liveness().dev)
    >>> [row.policy for row in fit.sensitivity().policies][:3]
    ['as fitted', 'squeeze', 'censor 0.001']
    """

    policies: tuple[PolicyRow, ...]
    refused: tuple[str, ...]
    tails: tuple[TailCheck, ...]

    def _view(self) -> list[Node]:
        ranges = []
        for title, name in (("AUC", "auc"), ("exponent at zero", "exponent_at_zero"),
                            ("at one", "exponent_at_one")):  # fmt: skip
            values = [v for row in self.policies if not math.isnan(v := getattr(row, name))]
            span = f"{min(values):.4g} to {max(values):.4g}" if values else "decided by masses"
            ranges.append(f"{title} {span}")
        head = Paragraph(f"over {len(self.policies)} rules: {', '.join(ranges)}")
        departing = tuple(capital(sentence(words)) for words in tail_words(self))
        return [head, *self._tables(), *[Bullets(departing)] * bool(departing)]

    def _tables(self) -> list[Node]:
        def shown(value: float, digits: int) -> str:
            return "–" if math.isnan(value) else number(value, digits)

        rules = Grid(
            ("rule", f"{CLIENT} a", "b", f"{IMPOSTOR} a", "b", "exponent at 0", "at 1", "AUC"),
            tuple(Row((row[0], *(shown(v, 4) for v in row[1:]))) for row in self.policies),
        )  # fmt: skip
        tails = Grid(
            ("class", "end", "fitted exponent", "Hill’s", "that of the fit", "from scores", "z",
             "carried by the extreme 1 %"),
            tuple(
                Row((
                    tail.who, tail.end.replace("_", " "), number(tail.fitted, 4),
                    shown(tail.hill, 4), shown(tail.expected, 4), number(tail.scores),
                    shown(tail.z, 3), f"{100.0 * tail.carried:.3g} %",
                ))
                for tail in self.tails
            ),
            (1,),
        )  # fmt: skip
        refused = (Paragraph(f"No fit under {sentence(words)}", "note") for words in self.refused)
        return [rules, tails, *refused]

    def to_frame(self) -> tables.Table:
        """The policies as a frame, one per row.

        Examples
        --------
        >>> import betaroc as br
        >>> br.fit(br.datasets.load_liveness().dev).sensitivity().to_frame().shape[1]
        8
        """
        return self._table(tables.columns_from_rows(self.policies, PolicyRow._fields, ("policy",)))


def tail_words(audit: Sensitivity | None) -> list[str]:
    """What Hill's estimates far from the fit say."""
    sentences = []
    for tail in () if audit is None else (tail for tail in audit.tails if tail.far):
        end, expected = {"at_zero": "0", "at_one": "1"}[tail.end], number(tail.expected, 3)
        says = (
            f"over this share of scores the fitted distribution has {expected} itself, so they say"
            f" nothing against it; they are too far from {end} to show the exponent there"
        )
        if tail.departs:
            reach, size = f"less far towards {end}", "large"
            if tail.hill < tail.expected:
                reach, size = f"nearer to {end}", "small"
            says = (
                f"the extreme scores reach {reach} than the fitted distribution has them (its own"
                f" Hill exponent over this share is {expected}), and rates that it gives beyond"
                f" them are too {size}"
            )
        sentences.append(
            f"{tail.who} scores near {end}: Hill's exponent {number(tail.hill, 3)} from the"
            f" {tail.scores} most extreme, fitted exponent {number(tail.fitted, 3)}, z ="
            f" {number(tail.z, 3)}: {says}"
        )
    return sentences


def sensitivity(
    f: PairEstimate, resolution: float | None = None, *, groups: bool = True
) -> Sensitivity:
    """The audit of a beta fit; `Fit.sensitivity` documents it."""
    checks.flag(groups, "groups")
    if not families.has_shapes(f.family) or shifted.bounds_of(f.client.distribution):
        actual, remedy = f"one of family {families.in_classes(f.family)}", 'Fit family="beta".'
        raise refusal("f", "be a beta fit on [0, 1] for the audit of its ends", actual, remedy)
    check_tails(f, "the audit of the ends")
    require_scores(f.scores, "Hill's exponent", rejected=True)
    f = f._told_scored("the audit of the ends")
    rule = f.client.boundary or contract.BoundaryRule("inflate")
    if resolution is None and rule.policy == "censor":
        resolution = rule.resolution
    rules = {name: Options(name) for name in ("inflate", "squeeze")}
    rules |= {f"censor {e:g}": Options("censor", e) for e in _EPSILONS}
    rules |= {name: Options(name) for name in ("drop", "matlab")}
    if resolution is not None:
        resolution = checks.positive(resolution, "resolution")
        rules[f"cells of {resolution:g}"] = Options(resolution=resolution)
    rules.pop(rule.policy, None)
    rows, refused = [_row("as fitted", f)], []
    for name, options in rules.items():
        with suppress_warnings():
            try:
                rows.append(_row(name, estimate_pair(f.scores, ("beta", "beta"), options)[0]))
            except BetarocError as error:
                refused.append(f"{name}: {error}")
    scores = require_scores(f.scores, "Hill's exponent")
    depending = groups_of(scores) if groups else None
    tails = [_tail(getattr(f, who), scores, who, end, depending)
             for who in CLASSES for end in inflated.MASSES]  # fmt: skip
    return Sensitivity(tuple(rows), tuple(refused), tuple(tails), library=f.library)


def _row(policy: str, f: PairEstimate) -> PolicyRow:
    shapes, exponents, ends = [], [], f.model.ends()
    for result in (f.client, f.impostor):
        law = cast(beta.Beta, inflated.base_of(result.distribution))
        shapes += [law.a, law.b]
    for name in inflated.MASSES:
        decided = any(r.params.get(name, 0.0) > 0.0 for r in (f.client, f.impostor))
        exponents.append(math.nan if decided else float(getattr(ends, name).exponent))
    return PolicyRow._make([policy, *shapes, *exponents, float(f.model.auc())])


def _tail(
    estimate: Estimate, scores: Scores, who: str, end: str, groups: Groups | None
) -> TailCheck:
    x, weights, lower = getattr(scores, who), weights_of(scores, who), end == "at_zero"
    place = np.flatnonzero((x > 0.0) & (x < 1.0) & (weights > 0.0))
    place = place[np.argsort(x[place] if lower else -x[place], kind="stable")]
    logs: FloatArray = np.log(x[place]) if lower else np.log1p(-x[place])
    w = weights[place]
    upto = np.cumsum(w)
    total = float(upto[-1])

    def first(count: float) -> FloatArray:
        """Of each score the copies among the first `count` of all."""
        return np.asarray(np.clip(count - (upto - w), 0.0, w))

    law = cast(beta.Beta, inflated.base_of(estimate.distribution))
    exponent = float(law.a if lower else law.b)
    k = max(1, min(max(2, math.ceil(math.sqrt(total))), math.ceil(total) - 1))
    copies = first(k)
    # The score after them, from which their distances are taken.
    away = logs[min(int(np.searchsorted(upto, k, side="right")), logs.size - 1)] - logs
    spread = float(copies @ away) / k if total > 2.0 else 0.0
    hill = 1.0 / spread if spread > 0.0 else math.nan
    error = exponent / math.sqrt(k)
    if groups is not None:  # the deviation of a sum over trials that depend on each other
        which, parts = CLASSES.index(who), np.zeros(x.size)
        parts[place] = copies / w * (exponent * away - 1.0)
        columns = [np.zeros(rows.size) for rows in groups.rows]
        columns[which] = parts[groups.rows[which]]
        variance = float(ensure_psd(*groups.meat(np.concatenate(columns)[:, None]))[0, 0])
        error = max(error, exponent / k * math.sqrt(max(variance, 0.0)))
    carried = float(first(max(1, math.ceil(_SMALLEST * total))) @ logs) / float(w @ logs)
    # Expected is 1 / mean of log q(share) - log q(p) over p < share, q the distance of a quantile:
    # by the middles of equal steps, which are short of the mean by log(2) / 2 of a step.
    p = np.append((np.arange(_STEPS) + 0.5) / _STEPS, 1.0) * min(k / total, 1.0 - 1e-9)
    logit = (law._lower_quantile if lower else law._upper_quantile)(p, np.log(p)).logit
    distances = -softplus(-logit if lower else logit)
    expected = 1.0 / float(distances[-1] - np.mean(distances[:-1]))
    return TailCheck(who, end, exponent, hill, k, (hill - exponent) / error, carried, expected)


def reasons_to_audit(scores: Scores, audit: Sensitivity) -> tuple[str, ...]:
    """Whether what is done near 0 and 1 matters here."""
    values = np.concatenate([scores.client, scores.impostor])
    reasons = []
    ends = int(np.sum((values == 0.0) | (values == 1.0)))
    if ends:
        reasons.append(f"{counted(ends, 'score')} of exactly 0 or 1")
    # The rule that changes a shape most, where that is worth a table.
    fitted, *others = audit.policies
    moves = [
        (abs(new / old - 1.0), row.policy)
        for row in others for new, old in zip(row[1:5], fitted[1:5], strict=True)
        if old > 0.0 and math.isfinite(new)
    ]  # fmt: skip
    change, policy = max(moves, default=(0.0, ""))
    if change > _MOVED and np.any((values < _REACH) | (values > 1.0 - _REACH)):
        reasons.append(f"the rule {policy} changes a shape by {100.0 * change:.0f} %")
    worst = max(audit.tails, key=lambda tail: tail.carried)
    if worst.carried > _CARRIED:
        reasons.append(
            f"the extreme 1 % of the {worst.who} scores {worst.end.replace('_', ' ')} carry"
            f" {100.0 * worst.carried:.0f} % of the sum that fits the distribution there (of a"
            " pure power tail 5.6 %)"
        )
    return tuple(reasons)
