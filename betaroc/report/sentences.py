"""What a curve does, in words: only what was computed, and what it means."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from betaroc.core.text import capital, sentence
from betaroc.data.scores import Scores
from betaroc.distributions.base import Tail
from betaroc.estimation.families import is_of_counts
from betaroc.fits.counted_ends import CONTRADICTED
from betaroc.fits.shape_tests import EndTest, EndTests
from betaroc.model.ends import End
from betaroc.model.model import ScoreModel
from betaroc.rendering.numbers import number, percent, threshold
from betaroc.rendering.tree import (
    Bullets,
    Cell,
    Figure,
    Figures,
    Node,
    RowCells,
    Section,
    Words,
    few,
    grouped,
)
from betaroc.report.certainty import (
    NOT_COMPUTED,
    Certainty,
    cannot_tell,
    chance_words,
    confidence_words,
    least_sign,
    likely,
    p_words,
)
from betaroc.report.crossings import (
    Unseen,
    crossing_words,
    unseen,
    unseen_end,
    whole_curve_words,
)
from betaroc.report.intervals import NO_POWER_LAW, measured_cell, named_end
from betaroc.report.score_set import Named, ScoreSet, is_modelled
from betaroc.report.summary import OF_SCORED, in_matching, misfit_words

_WHOLE = {
    "proper": "the ROC lies above the diagonal",
    "below": "the ROC lies below the diagonal",
    "hook-at-zero": "the ROC lies below the diagonal at the low thresholds",
    "hook-at-one": "the ROC lies below the diagonal at the high thresholds",
}
_DOUBT = "What follows rests on distributions that do not describe these scores."
#: Where the words about an end give numbers.
_DEEP, _ROUNDING = 1e-3, 1.0 + 1e-9
_SHAPES = {
    "U": "most scores near both ends",
    "bell": "one interior peak",
    "J": "scores pile up at 1",
    "reverse-J": "scores pile up at 0",
}
#: Shapes with a > 1, and with b > 1.
_RISING = ({"J", "bell"}, {"reverse-J", "bell"})


# ------------------------------------------------------------------------------- ends
def end_words(
    model: ScoreModel, which: str, scores: Scores | None = None, sure: Certainty | None = None
) -> list[str]:
    """What the ROC does near one end of the threshold range, with its meaning.

    Of a fit, whose errors are ``sure``, the side with its p-value, or that it cannot be told.
    """
    end: End = getattr(model.ends(), which)
    lower = which == "at_zero"
    words = [_opening(model, lower) + _side_words(model, which, scores, sure)]
    law = _law_words(model, end, lower=lower)
    if law:
        words.append(law if sure is None else f"Of the fitted curve: {law}")
    number_words = _deep_words(model, sure, lower=lower)
    if number_words:
        words.append(number_words)
    return words


def _side_words(
    model: ScoreModel, which: str, scores: Scores | None, sure: Certainty | None
) -> str:
    """The side of the diagonal near an end, as sure as it is."""
    lower, fitted = which == "at_zero", getattr(model.ends(), which).side
    hidden = unseen_end(model, scores, which)
    if sure is None:
        known, side = "", fitted
    elif sure.ends is None:
        counts = sure.counts.get(which)
        if counts is not None and counts.contradicted:
            return f"the fitted ROC lies {fitted} the diagonal, {counts.words}."
        known, side = NOT_COMPUTED, fitted
        if counts is not None and counts.words and hidden is None:
            known += f"; {counts.words}"
    else:
        test = getattr(sure.ends, which)
        if test.side == CONTRADICTED:
            return f"the fitted ROC lies {fitted} the diagonal, {test.note}."
        if math.isnan(test.p_value):
            return f"{test.note}."
        known, side = p_words(test.p_value) + (test.note and f", {test.note}"), test.side
        if side == "cannot tell":
            return (
                f"{cannot_tell(sure.level)} on which side of the diagonal the ROC lies ({known};"
                f" the fitted one is {fitted} it): {sure.wanted(test.z, two_sided=True)}."
            )
    if hidden is not None:
        return _unseen_side(hidden, fitted, known)
    words = _SIDE[lower, side]
    if not known:
        return words
    words = words.replace("the diagonal:", f"the diagonal ({known}):", 1)
    fitted_only = sure is not None and sure.ends is None
    return words.replace("the ROC", "the fitted ROC", 1) if fitted_only else words


def _unseen_side(hidden: Unseen, side: str, known: str) -> str:
    """The other side of a crossing of which the scores show nothing."""
    place = threshold(hidden.crossing.threshold, hidden.crossing.logit_threshold)
    return (
        f"the ROC of the fitted distributions lies {side} the diagonal"
        f"{known and f' ({known})'}, but only past the crossing at {place}, {hidden.where}: nothing"
        " the data show."
    )


def _opening(model: ScoreModel, lower: bool) -> str:
    unit = model.client.on_unit and model.impostor.on_unit
    place = ("0" if lower else "1") if unit else ("the low end" if lower else "the high end")
    who = "almost everybody is accepted" if lower else "hardly anybody is accepted"
    return f"Towards {'threshold ' if unit else ''}{place}, where {who}, "


_TOUCHES = "the ROC touches the diagonal: no better and no worse than chance there."
_SIDE = {
    (True, "above"): (
        "the ROC lies above the diagonal: it rejects a larger share of the impostors than of the"
        " clients."
    ),
    (True, "below"): (
        "the ROC lies below the diagonal: it rejects a larger share of the clients than of the"
        " impostors, so accepting almost everybody this way is worse than chance."
    ),
    (False, "above"): (
        "the ROC lies above the diagonal: it accepts a larger share of the clients than of the"
        " impostors."
    ),
    (False, "below"): (
        "the ROC lies below the diagonal: it accepts a larger share of the impostors than of the"
        " clients, so rejecting almost everybody this way is worse than chance."
    ),
    (True, "on"): _TOUCHES,
    (False, "on"): _TOUCHES,
}


def _law_words(model: ScoreModel, end: End, *, lower: bool) -> str:
    of_impostor, of_client = ("TNR", "FRR") if lower else ("FAR", "TPR")
    if end.exponent in (0.0, math.inf):
        return _alone_words(model, end, lower=lower)
    slope = f"semi-derivative dF_i/dF_c = {number(end.semi_derivative, 4)}"
    if math.isnan(end.coefficient):
        return (
            f"{of_impostor} falls like {of_client}^{number(end.exponent, 4)} up to a slowly varying"
            f" factor ({slope})."
        )
    known = 0.0 < end.coefficient < math.inf
    factor = coefficient(end.coefficient) if known else "K"
    power = f"{of_impostor} ~ {factor} {of_client}"
    power += ", a straight end" if end.exponent == 1.0 else f"^{number(end.exponent, 4)}"
    if not known:
        power += f" with K {coefficient(end.coefficient)}"
    return f"{power} ({slope})."


def _alone_words(model: ScoreModel, end: End, *, lower: bool) -> str:
    """One class is alone at the end: with a point mass, a wider support, a heavier kind of tail."""
    which = 0 if lower else 1
    tails: dict[str, Tail] = {
        "impostors": model.impostor._tails()[which], "clients": model.client._tails()[which]
    }  # fmt: skip
    who, other = ("impostors", "clients") if end.exponent == 0.0 else ("clients", "impostors")
    without = f"exponent {number(end.exponent)}" + (
        ", no coefficient" if math.isnan(end.coefficient) else ""
    )
    if tails[who].place != tails[other].place:
        return f"Only {who} reach beyond {number(tails[other].place)} there ({without})."
    if tails[who].mass > 0.0:
        return (
            f"Only {who}, {percent(tails[who].mass)} of them, have scores at that very end: a"
            f" point mass alone there, a straight end of the ROC ({without})."
        )
    return f"The tails are of different kinds, that of the {who} is the heavier ({without})."


def coefficient(value: float) -> str:
    """A coefficient, or how far beyond the doubles it lies."""
    if math.isnan(value):
        return "none"
    if value == math.inf:
        return "beyond 1e308"
    return number(value, 4) if value > 0.0 else "below 1e-308"


def _deep_words(model: ScoreModel, sure: Certainty | None, *, lower: bool) -> str:
    """A semi-derivative of 0 or inf does not tell how useful the end is; a rate does."""
    few = ""
    if sure is not None and sure.sizes[0 if lower else 1] * _DEEP < 1.0:
        n = number(sure.sizes[0 if lower else 1] * _DEEP, 2)
        few = f" (extrapolated: {n} {'clients' if lower else 'impostors'} expected there)"
    if lower:
        point = model.at_frr(_DEEP)
        if not 0.0 < point.frr <= _DEEP * _ROUNDING:
            return ""
        who = f"it rejects {percent(point.tnr)} of the impostors"
        return f"At FRR = {percent(point.frr)}{few} {who}."
    point = model.at_far(_DEEP)
    if not 0.0 < point.far <= _DEEP * _ROUNDING:
        return ""
    return f"At FAR = {percent(point.far)}{few} it accepts {percent(point.tpr)} of the clients."


# -------------------------------------------------------------------- shapes, boundary
def category_words(model: ScoreModel, sure: Certainty | None = None) -> list[str]:
    """The shape of each class's beta distribution; nothing for other families.

    Of a fit, whose errors are ``sure``, with its probability, or that it cannot be told.
    """
    shapes = model.shape_category()
    if not isinstance(shapes, tuple):
        return []
    return [
        f"{who}: {_shape_words(shape.value, who, sure)}"
        for who, shape in zip(("client", "impostor"), shapes, strict=True)
    ]


def _shape_words(shape: str, who: str, sure: Certainty | None) -> str:
    if sure is not None and sure.shapes is not None:
        chances = sure.shapes[who]
        best = max(chances, key=lambda name: chances[name])
        if chances[best] < sure.level:
            names = {name: name for name in chances}
            more = sure.wanted(least_sign(chances, _RISING))
            return f"{cannot_tell(sure.level)} (probability {likely(chances, names)}); {more}"
        shape, known = best, f"probability {chance_words(chances[best])}"
    else:
        known = "" if sure is None else f"as fitted, {NOT_COMPUTED}"
    said = "; ".join(filter(None, [_SHAPES.get(shape, ""), known]))
    return f"{shape} ({said})" if said else shape


# ------------------------------------------------------------------------------ intervals
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


# ------------------------------------------------------------------------------ ends and shapes
def ends_section(sets: Named, more: Sequence[Node] = (), figures: Sequence[Figure] = ()) -> Section:
    """What the fitted curves do: the whole, its crossings, both ends, the shapes."""
    several = len(sets) > 1
    told: list[Node] = []
    for part, role in sets:
        bullets = Bullets(tuple(" ".join(words) for words in shape_sentences(part)))
        told.append(Section(role, (bullets,)) if several else bullets)
    modelled = [both for both in sets if is_modelled(both[0])]
    told += [Figures(tuple(figures))] * bool(figures)
    if modelled:
        head = ("end", "diagonal", "semi-derivative dF_i/dF_c", "ROC slope", "exponent",
                "coefficient")  # fmt: skip
        words = (0, 1) if len(modelled) > 1 else (1,)
        told += [grouped(modelled, head, _end_rows, words), Words(
            "Semi-derivative: what the impostors' share gains for a small share of clients, at an"
            " end of the thresholds. Towards the low end TNR ~ K FRR^ρ, towards the high end FAR ~"
            " K TPR^ρ, with exponent ρ and coefficient K (none: no such power law; of exponent 0 or"
            " inf: one class is alone at that end). “Not seen”: past a crossing of which the scores"
            " show nothing. A slope of 0 or infinity says which side of the diagonal the curve"
            " takes, not that the end is useful. The p-value is of the curve lying on the diagonal"
            " at that end. These are statements about the fitted distributions; few scores, or"
            " none, lie where they hold, and other families behave otherwise there.", "legend",
        )]  # fmt: skip
        notes = said_of(modelled, partial(without_interval, ends=True))
        told += [Words(words, "note") for words in notes]
    found = [f"{role}: " * several + _shape_finding(part) for part, role in modelled]
    finding = few(found, "; ") or "not modelled"
    return Section("Ends and shapes of the fitted ROC", (*told, *more), finding, "ends")


def _shape_finding(part: ScoreSet) -> str:
    """The whole curve of the fit in a few words, as sure as it is."""
    fit, sure = part.scored.fit, part.scored.certainty
    if fit is None:
        return ""
    if sure is not None and sure.against:
        contradicted = CONTRADICTED in sure.against
        why = CONTRADICTED if contradicted else "not described by the family"
        return f"cannot tell on which side of the diagonal the ROC lies: {why}"
    if sure is None or not sure.whole:
        hidden = unseen(fit.model, part.scored.scores)
        if hidden is not None:
            return f"as fitted, the ROC lies {hidden.side} the diagonal as far as the scores show"
        shape = fit.model.global_shape()
        return f"as fitted, {_WHOLE.get(shape, 'the ROC crosses the diagonal several times')}"
    best = max(sure.whole, key=lambda name: sure.whole[name])
    if sure.whole[best] >= sure.level:
        return f"by the fit {_WHOLE[best]} {sure.where}".removesuffix(" everywhere")
    return "cannot tell on which side of the diagonal the ROC lies"


def shape_sentences(part: ScoreSet) -> list[list[str]]:
    """What is said of the curve of a fit: the whole, its crossings, both ends, the shapes."""
    if part.fit is None:
        return []
    if is_of_counts(part.fit.family):
        return [["The ROC is that of the scores; its ends and shape are not modelled."]]
    if part.has_rejected:
        of_made = shape_sentences(part.scored)
        return [[OF_SCORED], *([in_matching(words) for words in bullet] for bullet in of_made)]
    model, scores = part.fit.model, part.scores
    sure = part.certainty
    whole = whole_curve_words(model, scores, sure)
    said = [[_DOUBT]] if misfit_words(part) else []
    said.append([
        f"If the fitted family is right: {whole[:1].lower()}{whole[1:]}",
        *crossing_words(model, scores, fitted=True),
    ])  # fmt: skip
    said += [end_words(model, which, scores, sure) for which in ("at_zero", "at_one")]
    shapes = category_words(model, sure)
    if shapes:
        said.append([f"Shape category: {'; '.join(shapes)}."])
    return said + [[words] for words in confidence_words(part.fit, sure)]


def _end_rows(part: ScoreSet) -> list[RowCells]:
    part = part.scored
    model = part.fit.model if part.fit is not None else part.empirical
    unit = model.client.on_unit and model.impostor.on_unit
    both = model.ends()
    sure = part.certainty
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
        side += ", not seen" * (unseen_end(model, part.scores, key) is not None)
        rows.append((
            where, side, number(end.semi_derivative, 4), number(end.roc_slope, 4),
            cell("exponent", key, number(end.exponent, 4)),
            cell("coefficient", key, coefficient(end.coefficient)),
        ))  # fmt: skip
    return rows


def _side(fitted: str, sure: Certainty | None, key: str) -> str:
    """The side of the diagonal with its p-value; that of the fitted curve where it has none."""
    tests: EndTests | None = None if sure is None else sure.ends
    if tests is None:
        counts = None if sure is None else sure.counts.get(key)
        return CONTRADICTED if counts and counts.contradicted else f"{fitted}, as fitted"
    test: EndTest = getattr(tests, key)
    if math.isnan(test.p_value):
        return test.side
    few = ", the counts cannot tell" * ("the counts cannot tell" in test.note)
    return f"{test.side} ({p_words(test.p_value)}{few})"
