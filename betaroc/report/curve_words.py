"""What a fitted curve does, as sure as the errors of the fit let one say it.

A side, or a shape, is stated if its probability reaches the level, or its p-value 1 - level, and
with that number. Else it cannot be told, and about so many scores would tell it:

    n wanted = n ((z of the level + z of POWER) / z)^2,   z that of the least certain sign
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from betaroc.core.errors import BetarocError
from betaroc.core.options import MOST_TIMES, POWER
from betaroc.core.text import sentence
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import TERMS, capital
from betaroc.data.groups import groups_of
from betaroc.data.scores import Scores
from betaroc.estimation.families import has_shapes, is_of_counts, rows_of_names
from betaroc.fits.counted_ends import CONTRADICTED, EndCounts, counted_hooks, counts_at_end
from betaroc.fits.fit import Fit
from betaroc.fits.shape_tests import CurveTest, EndTests, ends_are_tested, untested_ends
from betaroc.model.improper_regions import gaps
from betaroc.model.measures import OperatingPoint
from betaroc.model.model import ScoreModel
from betaroc.rendering.numbers import level_words, number, percent, threshold
from betaroc.rendering.tree import Bullets, Cell, Node, RowCells, Section, Words, few, grouped
from betaroc.report.intervals import NO_POWER_LAW, measured_cell, named_end

if TYPE_CHECKING:
    from betaroc.report.score_set import Named, ScoreSet

_NOT_COMPUTED = "its uncertainty was not computed"
_REVERSED = " If lower scores mean client, pass 1 - score or -score."
#: Probabilities nearer to 0 and 1 are shown as such.
_UNLIKELY = 0.0005
_ENDS = {"at_zero": "at the low thresholds", "at_one": "at the high thresholds"}
_PLACES = _ENDS | {"between": "between two crossings", "everywhere": "throughout"}
#: Shapes of the whole curve: where it lies, and where each end is above the diagonal.
_WHOLE = {
    "chance": "is the diagonal, chance at every threshold: the two distributions are the same",
    "proper": "lies above the diagonal",
    "below": "lies below the diagonal",
    "hook-at-zero": "lies below the diagonal at the low thresholds",
    "hook-at-one": "lies below the diagonal at the high thresholds",
    "several-crossings": "crosses the diagonal several times",
}
_ABOVE = ({"proper", "hook-at-one"}, {"proper", "hook-at-zero"})
_HOOKS = {"hook-at-zero": "at_zero", "hook-at-one": "at_one"}
_SHAPES = {
    "U": "most scores near both ends",
    "bell": "one interior peak",
    "J": "scores pile up at 1",
    "reverse-J": "scores pile up at 0",
}
#: Shapes with a > 1, and with b > 1.
_RISING = ({"J", "bell"}, {"reverse-J", "bell"})


# ----------------------------------------------------------------------- how sure a fit is
class Certainty(NamedTuple):
    """The tests of a fit at a level; None where there is none, and why."""

    level: float
    ends: EndTests | None
    curve: CurveTest | None
    shapes: Mapping[str, Mapping[str, float]] | None
    #: Scores of each class, and whether they depend on groups.
    sizes: tuple[float, float]
    grouped: bool
    #: Both classes share what makes the curve concave, whatever the scores.
    concave: bool
    why: str
    #: What counts say of the sides of a fit whose ends are not tested, by end.
    counts: Mapping[str, EndCounts] = MappingProxyType({})

    @property
    def against(self) -> str:
        """Why the fitted curve is not to be believed near an end; empty where nothing says so."""
        if self.curve is not None:
            return self.curve.contradiction
        words = {end: counts.words for end, counts in self.counts.items() if counts.contradicted}
        return "; ".join(f"{_PLACES[end]} {found}" for end, found in words.items())

    @property
    def whole(self) -> Mapping[str, float]:
        """Probabilities of the whole curve, of normal distributions where scores are."""
        return {} if self.curve is None else self.curve.where_seen or self.curve.probabilities

    @property
    def where(self) -> str:
        """Of which thresholds `whole` speaks."""
        seen = self.curve is not None and bool(self.curve.where_seen)
        return "wherever there are scores" if seen else "everywhere"

    def wanted(self, z: float, *, two_sided: bool = False) -> str:
        """How many scores would tell what is z standard errors away now."""
        from scipy.special import ndtri

        tail = (1.0 - self.level) / (2.0 if two_sided else 1.0)
        goal = float(ndtri(1.0 - tail) + ndtri(POWER))
        times = (goal / z) ** 2 if z else math.inf
        if times > MOST_TIMES:
            return f"more than {number(MOST_TIMES)} times as many scores would be needed"
        client, impostor = (float(f"{times * n:.2g}") for n in self.sizes)
        more = f" in {number(times, 2)} times as many groups" if self.grouped else ""
        return (
            f"about {client:.0f} clients and {impostor:.0f} impostors{more} would tell in"
            f" {number(10.0 * POWER)} of 10 cases"
        )


def certainty_of(fit: Fit, level: float) -> Certainty:
    """What may be said of a fit at a level."""
    fit = fit._scored
    groups = groups_of(fit.scores)
    none = Certainty(
        level, None, None, None, (fit.client.total_weight, fit.impostor.total_weight),
        groups is not None and groups.dependent,
        all(row.concave for row in rows_of_names(fit.family)), "",
    )  # fmt: skip
    if not ends_are_tested(fit.family):
        ends = fit.model.ends()
        counts = {
            end: counts_at_end(fit, end, side)
            for end, side in (("at_zero", ends.at_zero.side), ("at_one", ends.at_one.side))
            if side != "on" and not is_of_counts(fit.family)
        }
        return none._replace(counts=counts)
    try:
        shapes = fit.shape_probabilities() if has_shapes(fit.family) else None
        return none._replace(ends=fit.end_tests(level), curve=fit.curve_test(level), shapes=shapes)
    except BetarocError as error:
        return none._replace(why=str(error))


def p_words(p: float) -> str:
    """A p-value."""
    return f"p = {number(p, 2)}" if p > 0.0 else "p below 1e-300"


def chance_words(p: float) -> str:
    """A probability, three digits after the point."""
    if p >= 1.0 - _UNLIKELY:
        return "above 0.999"
    return f"{p:.3f}" if p >= _UNLIKELY else "below 0.001"


def _likely(probabilities: Mapping[str, float], say: Callable[[str], str] = str) -> str:
    """What is worth a word, the most probable first."""
    kept = sorted(probabilities.items(), key=lambda item: -item[1])
    return ", ".join(f"{chance_words(p)} {say(key)}" for key, p in kept if p >= _UNLIKELY)


def least_sign(probabilities: Mapping[str, float], positive: Sequence[set[str]]) -> float:
    """Deviate of the least certain of several signs; each names where it is positive."""
    from scipy.special import ndtri

    found = []
    for names in positive:
        inside = sum(p for key, p in probabilities.items() if key in names)
        outside = sum(p for key, p in probabilities.items() if key not in names)
        found.append(-float(ndtri(min(inside, outside, 0.5))))
    return min(found)


# ------------------------------------------------------------------ crossings of the diagonal
class Unseen(NamedTuple):
    """A crossing of the diagonal of which the scores show nothing.

    ``side`` is that of the ROC where the scores are, ``end`` the end of the threshold
    range where it is on the other, by ``gap`` at most; ``where`` says why nothing is seen.
    """

    side: str
    end: str
    gap: float
    crossing: OperatingPoint
    where: str
    beyond: bool = True


def depth(model: ScoreModel, *, below: bool = True) -> tuple[float, OperatingPoint]:
    """The largest FAR - TPR or, not ``below``, TPR - FAR, and where."""
    t, gap = gaps(model)
    gap = gap if below else -gap
    k = int(np.argmax(gap))
    return float(gap[k]), model._point(t[k])


def unseen(model: ScoreModel, scores: Scores) -> Unseen | None:
    """The only crossing, if the scores show nothing of it."""
    hooked = _HOOKS.get(model.global_shape())
    points = model.diagonal_crossings()
    if hooked is None or len(points) != 1:
        return None
    crossing, most = points[0], max(scores.client_total, scores.impostor_total)
    end = "at_one" if crossing.far <= crossing.frr else "at_zero"
    if min(crossing.far, crossing.frr) * most < 1.0:
        side = "above" if end == hooked else "below"
        gap = depth(model, below=side == "above")[0]
        return Unseen(side, end, gap, crossing, _past(crossing, end, scores))
    below, above = (depth(model, below=which)[0] for which in (True, False))
    if min(below, above) * most >= 0.5 or max(below, above) * most < 0.5:
        return None
    other = "at_zero" if hooked == "at_one" else "at_one"
    side, end, gap = ("above", hooked, below) if below < above else ("below", other, above)
    where = f"by at most {_rate(gap)}, less than half a trial of either class"
    return Unseen(side, end, gap, crossing, where, beyond=False)


def _is_unseen(model: ScoreModel, scores: Scores, end: str) -> bool:
    """Whether less than one score is expected past the crossing nearest to an end."""
    points = model.diagonal_crossings()
    if len(points) < 2:
        only = unseen(model, scores)
        return only is not None and only.end == end
    rate = points[0].frr if end == "at_zero" else points[-1].far
    return bool(rate * max(scores.client_total, scores.impostor_total) < 1.0)


def _past(crossing: OperatingPoint, end: str, scores: Scores) -> str:
    both = (scores.client, scores.impostor)
    if end == "at_one":
        past_all = all(float(s.max()) <= crossing.threshold for s in both)
    else:
        past_all = all(float(s.min()) > crossing.threshold for s in both)
    return "beyond every score" if past_all else "where not one score is expected"


def _rate(rate: float) -> str:
    """A rate that is positive, whatever became of it as a double."""
    return percent(rate) if rate > 0.0 else "less than 1e-300"


def whole_curve_words(model: ScoreModel, scores: Scores, sure: Certainty) -> str:
    """The statement about the whole curve: with its probability, or that it cannot be told."""
    if sure.whole:
        return _sure_words(model, sure)
    hidden, shape = unseen(model, scores), model.global_shape()
    words = f"the fitted ROC {_WHOLE[shape]}"
    if hidden is not None:
        shape = "proper" if hidden.side == "above" else "below"
        where = "wherever there are scores" if hidden.beyond else (
            "but for a stretch too shallow for the scores to show")  # fmt: skip
        words = f"the fitted ROC {_WHOLE[shape]} {where}"
    elif shape == "proper":
        words += " everywhere" + (" and is concave" if model.roc().is_concave else
                                  ", but is not concave")  # fmt: skip
    if sure.against:
        return f"{words}, but {sure.against}."
    if sure.concave:
        return f"{words}: by construction of the family, whatever the scores."
    return f"{words}; {_NOT_COMPUTED}.{_REVERSED * (shape == 'below')}"


def _sure_words(model: ScoreModel, sure: Certainty) -> str:
    """What the probabilities of the whole curve let one say of it."""
    shares = sure.whole
    best = max(shares, key=lambda name: shares[name])
    known = f"(probability {chance_words(shares[best])})"
    if shares[best] >= sure.level:
        if best in _HOOKS:
            gap = _rate(depth(model)[0])
            return (
                f"the ROC {_WHOLE[best]}, worse than chance, above it at all others {known};"
                f" FAR - TPR of the fitted one is at most {gap}."
            )
        words = f"the ROC {_WHOLE[best]} {sure.where}"
        if best == "proper":
            if sure.where == "everywhere":
                words += ' and is concave ("proper"): no threshold is worse than chance'
            return f"{words} {known}."
        return f"{words}: impostors score higher than clients {known}.{_REVERSED}"
    listed = _likely(shares, lambda name: f"that it {_WHOLE[name]}")
    more = sure.wanted(least_sign(shares, _ABOVE))
    cannot, worse = f"cannot tell at {level_words(sure.level)} confidence", 1.0 - shares["proper"]
    # Equal distributions are no finding, though drawn ones nearly always cross.
    if worse >= sure.level and sure.curve is not None and sure.curve.p_proper <= 1.0 - sure.level:
        return (
            f"some thresholds are worse than chance (probability {chance_words(worse)}); {cannot}"
            f" which: probability {listed}; {more}."
        )
    return (
        f"{cannot} whether the ROC lies above the diagonal {sure.where}: probability {listed};"
        f" {more}."
    )


def crossing_words(model: ScoreModel, scores: Scores) -> list[str]:
    """Each crossing of the diagonal, and how deep the ROC falls below it."""
    points = model.diagonal_crossings()
    if len(points) == 0:
        return []
    hidden = unseen(model, scores)
    if hidden is not None:
        more = "FAR exceeds TPR" if hidden.side == "above" else "TPR exceeds FAR"
        by = f"{hidden.where}; past it {more} by at most {_rate(hidden.gap)}"
        return [
            f"The fitted one crosses it at threshold {_place(hidden.crossing)}"
            f" ({_rates(hidden.crossing)}), {by if hidden.beyond else f'past which {more} '}"
            f"{'' if hidden.beyond else hidden.where}: by construction of the family, nothing the"
            " data show."
        ]
    lines, most = [], max(scores.client_total, scores.impostor_total)
    for point in (points[k] for k in range(min(len(points), 5))):
        end, past = "at_one" if point.far <= point.frr else "at_zero", ""
        if min(point.far, point.frr) * most < 1.0:
            past = f", {_past(point, end, scores)}: nothing the data show"
        lines.append(
            f"The fitted one crosses it at threshold {_place(point)} ({_rates(point)}){past}."
        )
    gap, worst = depth(model)
    lines.append(f"FAR exceeds TPR by at most {_rate(gap)}, at threshold {_place(worst)}.")
    return lines


def _place(point: OperatingPoint) -> str:
    return threshold(point.threshold, point.logit_threshold)


def _rates(point: OperatingPoint) -> str:
    """FAR = TPR, or their complements where these say more."""
    if point.far <= point.frr:
        return f"FAR = TPR = {_rate(point.far)}"
    if point.frr > 0.01:
        return f"FAR = TPR = {percent(point.far)}"
    return f"FRR = TNR = {_rate(point.frr)}"


# --------------------------------------------------------------------- both ends, shapes
def end_words(model: ScoreModel, which: str, sure: Certainty) -> str:
    """What speaks against the side of the fitted curve near an end; empty where nothing does."""
    fitted = f"{_ENDS[which]}: the fitted ROC lies {getattr(model.ends(), which).side} the diagonal"
    if sure.ends is None:
        counts = sure.counts.get(which)
        return "" if counts is None or not counts.words else f"{fitted}, {counts.words}"
    test = getattr(sure.ends, which)
    if test.side == "cannot tell" and not math.isnan(test.p_value):
        cannot = f"cannot tell at {level_words(sure.level)} confidence"
        return (
            f"{_ENDS[which]}: {cannot} on which side of the diagonal the ROC lies"
            f" ({p_words(test.p_value)}): {sure.wanted(test.z, two_sided=True)}"
        )
    if test.side == CONTRADICTED:
        return f"{fitted}, {test.note}"
    if not test.note:
        return ""
    if math.isnan(test.p_value):
        return f"{_ENDS[which]}: {test.note}"
    known = f"the ROC lies {test.side} the diagonal ({p_words(test.p_value)})"
    return f"{_ENDS[which]}: {known}, {test.note}"


def category_words(model: ScoreModel, sure: Certainty) -> list[str]:
    """The shape of each class's beta distribution with its probability; nothing for others."""
    shapes = model.shape_category()
    if not isinstance(shapes, tuple):
        return []
    found = []
    for who, fitted in zip(("client", "impostor"), shapes, strict=True):
        best, known = fitted.value, f"as fitted, {_NOT_COMPUTED}"
        if sure.shapes is not None:
            chances = sure.shapes[who]
            best = max(chances, key=lambda name: chances[name])
            known = f"probability {chance_words(chances[best])}"
            if chances[best] < sure.level:
                more = sure.wanted(least_sign(chances, _RISING))
                found.append(
                    f"{who}: cannot tell at {level_words(sure.level)} confidence (probability"
                    f" {_likely(chances)}); {more}"
                )
                continue
        found.append(f"{who}: {best} ({'; '.join(filter(None, (_SHAPES.get(best), known)))})")
    return found


def _untested(fit: Fit, sure: Certainty) -> str:
    """Why nothing is known of the uncertainty of the shape."""
    if sure.why:
        return f"The shape of the curve is not tested: {sure.why}"
    if fit.client.tails or fit.impostor.tails:
        return "Ends and shape are not tested of distributions with tails of their own."
    shared = f" Both classes share {' and '.join(fit.tied)}." if sure.concave and fit.tied else ""
    why = untested_ends(fit).removesuffix(f", {fit.reason}" * bool(fit.reason))
    return f"{capital(why)}.{shared}"


def shape_sentences(part: ScoreSet) -> list[str]:
    """What is said of the curve of a fit: the whole, its crossings, both ends, the shapes."""
    fit, sure = part.scored.fit, part.scored.certainty
    if fit is None or sure is None:
        return []
    if is_of_counts(fit.family):
        return ["The ROC is that of the scores; its ends and shape are not modelled."]
    model, scores = fit.model, part.scored.scores
    crossings = crossing_words(model, scores)
    whole = whole_curve_words(model, scores, sure)
    said = [f"If the fitted family is right: {' '.join([whole, *crossings])}"]
    said += [capital(sentence(words)) for end in _ENDS if (words := end_words(model, end, sure))]
    shapes = category_words(model, sure)
    said += [f"Shape category: {'; '.join(shapes)}."] * bool(shapes)
    said += [_untested(fit, sure)] * (sure.ends is None)
    said += [
        f"The fitted ROC is below the diagonal {_PLACES[hook.end]}: FAR from"
        f" {percent(hook.far_low)} to {percent(hook.far_high)}, by {percent(hook.depth)} at most;"
        f" {number(hook.expected_scores, 2)} scores expected there"
        + f"; {hook.counts}" * bool(hook.counts) + "."
        for hook in counted_hooks(fit) if hook.seen
    ]  # fmt: skip
    return [TERMS["matching"].said(words) for words in said] if part.has_rejected else said


# ------------------------------------------------------------------------------ the section
def said_of(sets: Named, notes: Callable[[ScoreSet], list[str]]) -> list[str]:
    """What is to be said of each set as sentences; what holds for all sets once."""
    found: dict[str, list[str]] = {}
    for part, role in sets:
        for words in notes(part):
            found.setdefault(words, []).append(role)
    return [
        capital(sentence(words if len(roles) == len(sets) else f"{', '.join(roles)}: {words}"))
        for words, roles in found.items()
    ]


def without_interval(part: ScoreSet, *, ends: bool = False) -> list[str]:
    """What has no interval and why: numbers of the ends, or all others."""
    reasons: dict[str, list[str]] = {}
    for name, why in () if part.intervals is None else part.intervals.missing:
        of_end = name.endswith(("-at-zero", "-at-one")) and name.startswith("fitted")
        told = name == "scores ks" or why == NO_POWER_LAW  # the tables say so
        if of_end == ends and not told:
            reasons.setdefault(why, []).append(named_end(name))
    return [f"no interval of {', '.join(names)}: {why}" for why, names in reasons.items()]


def ends_section(sets: Named, more: Sequence[Node] = ()) -> Section:
    """What the fitted curve of the first set does in words, both ends of every set as a table."""
    several, (first, role) = len(sets) > 1, sets[0]
    modelled = [one for one in sets if one[0].fit and not is_of_counts(one[0].fit.family)]
    told: list[Node] = [Words(
        "Ends and shape are those of the curve of the trials that have a score, and rates named"
        " with them are of comparisons made.", "note",
    )] * any(part.has_rejected for part, _ in sets)  # fmt: skip
    said = shape_sentences(first)
    if said and several:
        said[0] = f"{role}: {said[0][:1].lower()}{said[0][1:]}"
    told += [Bullets(tuple(said))] * bool(said)
    if modelled:
        head = ("end", "diagonal", "semi-derivative dF_i/dF_c", "ROC slope", "exponent",
                "coefficient")  # fmt: skip
        words = (0, 1) if len(modelled) > 1 else (1,)
        told += [grouped(modelled, head, _end_rows, words), Words(
            "Towards the low end TNR ~ K FRR^ρ, towards the high end FAR ~ K TPR^ρ, with exponent ρ"
            " and coefficient K (none: no such power law; of exponent 0 or inf: one class is alone"
            " at that end). “Not seen”: past a crossing of which the scores show nothing. The"
            " p-value is of the curve lying on the diagonal at that end. These are statements about"
            " the fitted distributions; few scores, or none, lie where they hold.", "legend",
        )]  # fmt: skip
        notes = said_of(modelled, partial(without_interval, ends=True))
        told += [Words(words, "note") for words in notes]
    found = [f"{role}: " * several + _finding(part) for part, role in modelled]
    finding = few(found, "; ") or "not modelled"
    return Section("Ends and shapes of the fitted ROC", (*told, *more), finding, "ends")


def _finding(part: ScoreSet) -> str:
    """The whole curve of the fit in a few words, as sure as it is."""
    fit, sure = part.scored.fit, part.scored.certainty
    if fit is None or sure is None:
        return ""
    cannot = "cannot tell on which side of the diagonal the ROC lies"
    if sure.against:
        contradicted = CONTRADICTED in sure.against
        return f"{cannot}: {CONTRADICTED if contradicted else 'not described by the family'}"
    if not sure.whole:
        hidden = unseen(fit.model, part.scored.scores)
        if hidden is not None:
            return f"as fitted, the ROC lies {hidden.side} the diagonal as far as the scores show"
        return f"as fitted, the ROC {_WHOLE[fit.model.global_shape()]}"
    best = max(sure.whole, key=lambda name: sure.whole[name])
    if sure.whole[best] >= sure.level:
        return f"by the fit the ROC {_WHOLE[best]} {sure.where}".removesuffix(" everywhere")
    return cannot


def _end_rows(part: ScoreSet) -> list[RowCells]:
    part = part.scored
    model, sure = part.fit.model if part.fit is not None else part.empirical, part.certainty
    unit = model.client.on_unit and model.impostor.on_unit
    both = model.ends()
    found = {} if part.intervals is None else {m.key: m for m in part.intervals.model}

    def cell(name: str, key: str, text: str) -> Cell:
        m = found.get(f"{name}-{key.replace('_', '-')}")
        own = None if m is None or m.why else m
        return measured_cell(own, lambda v: number(v, 3), text)

    rows: list[RowCells] = []
    for where, key in (
        ("threshold 0" if unit else "low end", "at_zero"),
        ("threshold 1" if unit else "high end", "at_one"),
    ):
        end = getattr(both, key)
        side = _side(end.side, sure, key)
        side += ", not seen" * _is_unseen(model, part.scores, key)
        rows.append((
            where, side, number(end.semi_derivative, 4), number(end.roc_slope, 4),
            cell("exponent", key, number(end.exponent, 4)),
            cell("coefficient", key, _coefficient(end.coefficient)),
        ))  # fmt: skip
    return rows


def _coefficient(value: float) -> str:
    """A coefficient, or how far beyond the doubles it lies."""
    if math.isnan(value):
        return "none"
    if value == math.inf:
        return "beyond 1e308"
    return number(value, 4) if value > 0.0 else "below 1e-308"


def _side(fitted: str, sure: Certainty | None, key: str) -> str:
    """The side of the diagonal with its p-value; that of the fitted curve where it has none."""
    if sure is None or sure.ends is None:
        counts = None if sure is None else sure.counts.get(key)
        return CONTRADICTED if counts and counts.contradicted else f"{fitted}, as fitted"
    test = getattr(sure.ends, key)
    if math.isnan(test.p_value):
        return str(test.side)
    few = ", the counts cannot tell" * ("the counts cannot tell" in test.note)
    return f"{test.side} ({p_words(test.p_value)}{few})"


# ------------------------------------------------------------------------------ for JSON
def confidence_numbers(fit: Fit | None, level: float) -> dict[str, Any]:
    """The tests of ends, curve and shapes; what is refused is null, with the reason."""
    fit = None if fit is None else fit._scored
    found: dict[str, Any] = {"ends": None, "curve": None, "shapes": None, "why_none": {}}
    if fit is None or not ends_are_tested(fit.family):
        found["why_none"] = {"all": "there is no fit" if fit is None else untested_ends(fit)}
        if fit is not None:
            found["hooks"] = [hook._asdict() for hook in counted_hooks(fit)]
        return found
    for key, make in (
        ("ends", lambda: {k: t._asdict() for k, t in fit.end_tests(level)._asdict().items()}),
        ("curve", lambda: _curve(fit, level)),
        ("shapes", fit.shape_probabilities),
    ):
        try:
            found[key] = make()
        except BetarocError as error:
            found["why_none"][key] = str(error)
    return found


def _curve(fit: Fit, level: float) -> dict[str, Any]:
    curve = fit.curve_test(level)
    return {
        "probabilities": dict(curve.probabilities),
        **fields_of(curve, "p_proper", "p_no_crossing", "finding"),
        "where_scores_are": dict(curve.where_seen) or None,
        "hooks": [hook._asdict() for hook in curve.hooks],
    }
